#include "schemas/parley_schema_compile.h"
#include "schemas/parley_schema_index.h"


/* parley_schema_t.state in the search for cycles */
#define PARLEY_SCHEMA_NEW     0
#define PARLEY_SCHEMA_OPEN    1
#define PARLEY_SCHEMA_CLOSED  2


static parley_schema_t *parley_schema_get(parley_schema_compiler_t *c,
    parley_schema_resource_t *resource, uint32_t node,
    parley_schema_keyword_t parent);
static int parley_schema_compile_all(parley_schema_compiler_t *c);
static int parley_schema_compile_one(parley_schema_compiler_t *c,
    parley_schema_t *s);
static int parley_schema_finish(parley_schema_compiler_t *c,
    parley_schema_t *s);
static int parley_schema_dynamic_schemas(parley_schema_compiler_t *c,
    int *ret_more);
static int parley_schema_dynamic_targets(parley_schema_compiler_t *c,
    parley_schema_dynamic_t *dynamic);
static const parley_schema_t *parley_schema_alias(const parley_schema_t *s);
static int parley_schema_lead_on(parley_schema_compiler_t *c,
    const parley_schema_t **slot);
static int parley_schema_loops(parley_schema_compiler_t *c,
    const parley_schema_t *s, int depth);
static int parley_schema_loops_list(parley_schema_compiler_t *c,
    const parley_schema_list_t *list, int depth);
static void parley_schema_forget(parley_schema_compiler_t *c);


int
parley_schema_compile(parley_schema_set_t *set, parley_str_t uri,
    const parley_schema_t **ret, parley_schema_error_t *err)
{
    uint32_t                   node;
    parley_schema_dynamic_t   *dynamics;
    parley_schema_compiler_t   c = { set, err, NULL, NULL, NULL };
    parley_schema_resource_t  *resource;

    *ret = NULL;
    dynamics = set->dynamics;

    if (parley_schema_find(set, PARLEY_STR(""), uri, NULL, 0, &resource,
                           &node, NULL, err)
        != 0)
    {
        return -1;
    }

    *ret = parley_schema_get(&c, resource, node, PARLEY_SCHEMA_K_NONE);

    if (*ret == NULL || parley_schema_compile_all(&c) != 0
        || parley_schema_lead_on(&c, ret) != 0
        || parley_schema_pred(&c, (*ret)->resource->doc->programs[(*ret)->node])
           != 0)
    {
        *ret = NULL;
        set->dynamics = dynamics;
        parley_schema_forget(&c);
        return -1;
    }

    return 0;
}


int
parley_schema_link(parley_schema_compiler_t *c, const parley_schema_t *s,
    uint32_t node, parley_schema_keyword_t keyword,
    const parley_schema_t **slot)
{
    parley_schema_link_t      *link;
    parley_schema_resource_t  *resource;

    resource = parley_schema_resource_of(c->set, s->resource->doc, node);

    *slot = parley_schema_get(c, resource, node, keyword);
    if (*slot == NULL) {
        return -1;
    }

    link = parley_schema_alloc(c, sizeof(parley_schema_link_t));
    if (link == NULL) {
        return -1;
    }

    link->slot = slot;
    link->next = c->links;
    c->links = link;

    return 0;
}


int
parley_schema_link_ref(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    uint32_t                       node;
    parley_str_t                   uri;
    const parley_schema_t        **slot;
    parley_schema_apply_t         *apply;
    parley_schema_dynamic_t       *dynamic;
    parley_schema_resource_t      *resource;
    const parley_schema_anchor_t  *anchor;

    apply = parley_schema_apply_part(c, s);

    if (apply == NULL || parley_schema_read_string(c, s, value, &uri) != 0
        || parley_schema_find(c->set, s->resource->uri, uri, s->resource,
                              value, &resource, &node, &anchor, c->err)
           != 0)
    {
        return -1;
    }

    slot = &apply->ref;

    if (keyword == PARLEY_SCHEMA_K_DYNAMIC_REF) {
        dynamic = parley_schema_alloc(c, sizeof(parley_schema_dynamic_t));
        if (dynamic == NULL) {
            return -1;
        }

        apply->dynamic = dynamic;
        slot = &dynamic->initial;

        if (anchor != NULL && anchor->dynamic) {
            dynamic->name = anchor->name;
            dynamic->next = c->set->dynamics;
            c->set->dynamics = dynamic;
        }
    }

    *slot = parley_schema_get(c, resource, node, PARLEY_SCHEMA_K_REF);
    if (*slot == NULL) {
        return -1;
    }

    /* linked even if the target is in another document */

    return parley_schema_link(c, *slot, node, PARLEY_SCHEMA_K_REF, slot);
}


/* Returns the schema at a node, queueing it for compilation if it is new. */
static parley_schema_t *
parley_schema_get(parley_schema_compiler_t *c,
    parley_schema_resource_t *resource, uint32_t node,
    parley_schema_keyword_t parent)
{
    parley_schema_t  *s;

    s = resource->doc->programs[node];

    if (s != NULL) {
        if (s->parent == PARLEY_SCHEMA_K_REF) {
            s->parent = (uint8_t) parent;
        }

        return s;
    }

    s = parley_schema_alloc(c, sizeof(parley_schema_t));
    if (s == NULL) {
        return NULL;
    }

    s->types = PARLEY_SCHEMA_ANY;
    s->parent = (uint8_t) parent;
    s->node = node;
    s->resource = resource;

    resource->compiled = 1;
    resource->doc->programs[node] = s;

    if (c->last == NULL) {
        c->first = s;

    } else {
        c->last->next = s;
    }

    c->last = s;

    return s;
}


static int
parley_schema_compile_all(parley_schema_compiler_t *c)
{
    int                       more;
    parley_schema_t          *s, *done;
    parley_schema_link_t     *link;
    parley_schema_dynamic_t  *dynamic;

    done = NULL;

    do {
        for (s = done ? done->next : c->first; s != NULL; s = s->next) {
            if (parley_schema_compile_one(c, s) != 0) {
                return -1;
            }

            done = s;
        }

        if (parley_schema_dynamic_schemas(c, &more) != 0) {
            return -1;
        }

    } while (more || (done != NULL && done->next != NULL));

    for (link = c->links; link != NULL; link = link->next) {
        if (parley_schema_lead_on(c, link->slot) != 0) {
            return -1;
        }
    }

    for (s = c->first; s != NULL; s = s->next) {
        if (parley_schema_loops(c, s, 0) != 0) {
            return -1;
        }
    }

    /*
     * Includes programs of earlier runs, which the schemas compiled now may
     * apply.
     */

    for (dynamic = c->set->dynamics; dynamic != NULL; dynamic = dynamic->next)
    {
        if (parley_schema_dynamic_targets(c, dynamic) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_schema_compile_one(parley_schema_compiler_t *c, parley_schema_t *s)
{
    uint32_t                  k, end;
    parley_str_t              name;
    const parley_json_t      *json;
    parley_schema_keyword_t   keyword;

    json = &s->resource->doc->json;

    switch (parley_json_type(json, s->node)) {

    case PARLEY_JSON_TRUE:
        return parley_schema_finish(c, s);

    case PARLEY_JSON_FALSE:
        s->has = PARLEY_SCHEMA_IS_FALSE;
        return parley_schema_finish(c, s);

    case PARLEY_JSON_OBJECT:
        break;

    default:
        return parley_schema_refuse(c, s, s->node,
                                    "must be a schema, an object or a boolean");
    }

    if (parley_schema_dialect(c->set, s->resource, c->err) != 0) {
        return -1;
    }

    end = parley_json_end(json, s->node);

    for (k = parley_json_first(s->node); k != end;
         k = parley_json_after(json, k + 1))
    {
        if (parley_json_string(json, k, &name) != 0) {
            return parley_schema_no_memory(c->err);
        }

        keyword = parley_schema_keyword(name, s->resource->dialect);

        if (keyword != PARLEY_SCHEMA_K_NONE
            && parley_schema_build(c, s, keyword, k + 1) != 0)
        {
            return -1;
        }
    }

    return parley_schema_finish(c, s);
}


/* Builds keywords that depend on each other. */
static int
parley_schema_finish(parley_schema_compiler_t *c, parley_schema_t *s)
{
    if (s->apply != NULL && s->apply->when == NULL) {
        s->apply->then = NULL;
        s->apply->otherwise = NULL;
    }

    if (s->object != NULL && parley_schema_names_finish(c, s) != 0) {
        return -1;
    }

    if (s->values != NULL) {
        s->has |= PARLEY_SCHEMA_HAS_VALUES;
    }

    if (s->string != NULL || s->number != NULL || s->array != NULL
        || s->object != NULL)
    {
        s->has |= PARLEY_SCHEMA_HAS_PART;
    }

    if (s->apply != NULL) {
        s->has |= PARLEY_SCHEMA_HAS_APPLY;
    }

    if (s->rest != NULL) {
        s->has |= PARLEY_SCHEMA_HAS_REST;
    }

    if (s->has != 0 && s->resource->dynamic) {
        s->has |= PARLEY_SCHEMA_HAS_SCOPE;
    }

    return 0;
}


/*
 * Compiles the targets of $dynamicRef: any schema with its anchor, in a
 * resource with a compiled schema.
 */
static int
parley_schema_dynamic_schemas(parley_schema_compiler_t *c, int *ret_more)
{
    parley_schema_t          *last;
    parley_schema_anchor_t   *anchor;
    parley_schema_dynamic_t  *dynamic;

    last = c->last;

    for (dynamic = c->set->dynamics; dynamic != NULL; dynamic = dynamic->next)
    {
        for (anchor = c->set->anchors; anchor != NULL; anchor = anchor->next) {

            if (anchor->dynamic && anchor->resource->compiled
                && parley_str_eq(anchor->name, dynamic->name)
                && parley_schema_get(c, anchor->resource, anchor->node,
                                     PARLEY_SCHEMA_K_REF)
                   == NULL)
            {
                return -1;
            }
        }
    }

    *ret_more = (c->last != last);

    return 0;
}


static int
parley_schema_dynamic_targets(parley_schema_compiler_t *c,
    parley_schema_dynamic_t *dynamic)
{
    uint32_t                 n;
    parley_schema_anchor_t  *anchor;
    parley_schema_target_t  *targets;

    n = 0;

    for (anchor = c->set->anchors; anchor != NULL; anchor = anchor->next) {
        n++;
    }

    targets = parley_schema_alloc(c, n * sizeof(parley_schema_target_t));
    if (targets == NULL) {
        return -1;
    }

    n = 0;

    for (anchor = c->set->anchors; anchor != NULL; anchor = anchor->next) {

        if (anchor->dynamic && anchor->resource->compiled
            && parley_str_eq(anchor->name, dynamic->name))
        {
            targets[n].resource = anchor->resource;
            targets[n].schema = anchor->resource->doc->programs[anchor->node];
            n++;
        }
    }

    dynamic->targets = targets;
    dynamic->ntargets = n;

    return 0;
}


/*
 * Returns the target of a schema that is only a $ref, unless its resource may
 * matter to a $dynamicRef; else NULL.
 */
static const parley_schema_t *
parley_schema_alias(const parley_schema_t *s)
{
    const parley_schema_apply_t  *a;

    if (s->types != PARLEY_SCHEMA_ANY
        || (s->has & ~PARLEY_SCHEMA_HAS_SCOPE) != PARLEY_SCHEMA_HAS_APPLY)
    {
        return NULL;
    }

    a = s->apply;

    if (a->ref == NULL || a->dynamic != NULL || a->all.n != 0
        || a->any.n != 0 || a->one.n != 0 || a->not != NULL
        || a->when != NULL)
    {
        return NULL;
    }

    return ((s->has & PARLEY_SCHEMA_HAS_SCOPE)
            && a->ref->resource != s->resource)
           ? NULL : a->ref;
}


static int
parley_schema_lead_on(parley_schema_compiler_t *c,
    const parley_schema_t **slot)
{
    int                     n;
    const parley_schema_t  *s, *next;

    s = *slot;

    if (s == NULL) {

        /* a "then" or "else" without an "if" */

        return 0;
    }

    for (n = 0; (next = parley_schema_alias(s)) != NULL; n++) {

        if (n == PARLEY_SCHEMA_DEPTH_MAX) {
            return parley_schema_refuse(c, s, s->node,
                                        "is a reference that leads to itself");
        }

        s = next;
    }

    *slot = s;

    return 0;
}


/*
 * Refuses schemas that apply themselves to the same instance, which would not
 * terminate.  Recurses along such paths.
 */
static int
parley_schema_loops(parley_schema_compiler_t *c, const parley_schema_t *s,
    int depth)
{
    parley_schema_t                   *schema;
    const parley_schema_apply_t       *a;
    const parley_schema_dependency_t  *d;

    if (s == NULL || s->state == PARLEY_SCHEMA_CLOSED) {
        return 0;
    }

    if (s->state == PARLEY_SCHEMA_OPEN) {
        return parley_schema_refuse(c, s, s->node,
                                    "is a schema that applies itself without "
                                    "end");
    }

    if (depth == PARLEY_SCHEMA_DEPTH_MAX) {
        return parley_schema_refuse(c, s, s->node,
                                    "has schemas nested too deeply");
    }

    schema = s->resource->doc->programs[s->node];
    schema->state = PARLEY_SCHEMA_OPEN;
    depth++;

    a = s->apply;

    if (a != NULL
        && (parley_schema_loops(c, a->ref, depth) != 0
            || parley_schema_loops_list(c, &a->all, depth) != 0
            || parley_schema_loops_list(c, &a->any, depth) != 0
            || parley_schema_loops_list(c, &a->one, depth) != 0
            || parley_schema_loops(c, a->not, depth) != 0
            || parley_schema_loops(c, a->when, depth) != 0
            || parley_schema_loops(c, a->then, depth) != 0
            || parley_schema_loops(c, a->otherwise, depth) != 0))
    {
        return -1;
    }

    for (d = s->object ? s->object->dependencies : NULL; d != NULL;
         d = d->next)
    {
        if (parley_schema_loops(c, d->schema, depth) != 0) {
            return -1;
        }
    }

    schema->state = PARLEY_SCHEMA_CLOSED;

    return 0;
}


static int
parley_schema_loops_list(parley_schema_compiler_t *c,
    const parley_schema_list_t *list, int depth)
{
    uint32_t  i;

    for (i = 0; i < list->n; i++) {
        if (parley_schema_loops(c, list->schemas[i], depth) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Discards the programs of a failed run. */
static void
parley_schema_forget(parley_schema_compiler_t *c)
{
    parley_schema_t  *s;

    for (s = c->first; s != NULL; s = s->next) {
        s->resource->doc->programs[s->node] = NULL;
    }
}
