#include "schemas/parley_schema_run.h"
#include "schemas/parley_schema_lookup.h"


static int parley_schema_scalar(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i);
static int parley_schema_visit_deep(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_visit_parts(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_visit_rest(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_rest(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_values(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i);


int
parley_schema_validate(const parley_schema_t *schema, parley_arena_t *scratch,
    parley_json_ref_t instance, parley_schema_error_t *err)
{
    int                  rc;
    uint64_t             steps;
    parley_schema_run_t  run;

    memset(&run, 0, sizeof(parley_schema_run_t));

    run.doc = instance.doc;
    run.nodes = instance.doc->nodes;
    run.set = schema->resource->set;
    run.matcher.scratch = scratch;

    steps = PARLEY_SCHEMA_STEPS
            + (uint64_t) (run.nodes[instance.node].next - instance.node)
              * PARLEY_SCHEMA_STEPS_NODE;

    run.steps = steps;

    rc = PARLEY_SCHEMA_LIMIT;

    if (schema->pred != NULL) {
        rc = parley_schema_pred_run(&run, schema->pred, instance.node);
    }

    /* no predicate, or it ended with an error */

    if (rc < 0) {
        run.steps = steps;
        rc = parley_schema_visit(&run, schema, instance.node, NULL);
    }

    if (rc == PARLEY_SCHEMA_VALID) {
        return 0;
    }

    if (err != NULL) {

        if (rc == PARLEY_SCHEMA_INVALID) {
            run.explain = 1;
            run.steps = steps;
            rc = parley_schema_visit(&run, schema, instance.node, NULL);
        }

        parley_schema_explain(&run, rc, err);
    }

    return (rc == PARLEY_SCHEMA_MEMORY) ? -1 : 1;
}


int
parley_schema_try(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int  rc, explain;

    explain = run->explain;
    run->explain = 0;

    rc = parley_schema_visit(run, s, i, evaluated);

    run->explain = explain;

    return rc;
}


int
parley_schema_visit_more(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int  rc, bad;

    run->current = i;

    if (run->steps == 0) {
        return PARLEY_SCHEMA_LIMIT;
    }

    run->steps--;

    if (s->has & PARLEY_SCHEMA_IS_FALSE) {
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_NONE, i);
    }

    bad = PARLEY_SCHEMA_VALID;

    if (s->has & PARLEY_SCHEMA_HAS_VALUES) {
        rc = parley_schema_values(run, s, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (run->nodes[i].type >= PARLEY_JSON_ARRAY
        || (s->has & (PARLEY_SCHEMA_HAS_APPLY | PARLEY_SCHEMA_HAS_SCOPE)))
    {
        rc = parley_schema_visit_deep(run, s, i, evaluated);

    } else if (s->has & PARLEY_SCHEMA_HAS_PART) {
        rc = parley_schema_scalar(run, s, i);

    } else {
        return bad;
    }

    return rc ? rc : bad;
}


static int
parley_schema_scalar(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i)
{
    const parley_json_node_t  *node;

    node = &run->nodes[i];

    if (node->type == PARLEY_JSON_STRING && s->string != NULL) {

        if (node->count >= s->string->min && node->count <= s->string->max
            && node->len <= s->string->octets
            && s->string->pattern == NULL
            && s->string->format == PARLEY_FORMAT_NONE)
        {
            return PARLEY_SCHEMA_VALID;
        }

        return parley_schema_string(run, s, i);
    }

    if (node->type == PARLEY_JSON_NUMBER && s->number != NULL) {
        return parley_schema_number(run, s, i);
    }

    return PARLEY_SCHEMA_VALID;
}


/* The schema applies other schemas. */
static int
parley_schema_visit_deep(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                    rc;
    parley_schema_scope_t  scope;

    if (run->depth == PARLEY_SCHEMA_DEPTH_MAX) {
        return PARLEY_SCHEMA_LIMIT;
    }

    run->depth++;

    scope.outer = run->scope;

    if ((s->has & PARLEY_SCHEMA_HAS_SCOPE)
        && (scope.outer == NULL || scope.outer->resource != s->resource))
    {
        scope.resource = s->resource;
        run->scope = &scope;
    }

    if ((s->has & PARLEY_SCHEMA_HAS_REST)
        && run->nodes[i].type >= PARLEY_JSON_ARRAY)
    {
        rc = parley_schema_visit_rest(run, s, i, evaluated);

    } else {
        rc = parley_schema_visit_parts(run, s, i, evaluated);
    }

    run->scope = scope.outer;
    run->depth--;

    return rc;
}


static int
parley_schema_visit_parts(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int  rc, bad;

    bad = PARLEY_SCHEMA_VALID;
    rc = PARLEY_SCHEMA_VALID;

    switch (run->nodes[i].type) {

    case PARLEY_JSON_ARRAY:
        if (s->array != NULL) {
            rc = parley_schema_array(run, s, i, evaluated);
        }

        break;

    case PARLEY_JSON_OBJECT:
        if (s->object != NULL) {
            rc = parley_schema_object(run, s, i, evaluated);
        }

        break;

    default:
        rc = parley_schema_scalar(run, s, i);
    }

    if (parley_schema_ends(run, rc, &bad)) {
        return rc;
    }

    if (s->apply != NULL) {
        rc = parley_schema_apply(run, s, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


/* unevaluatedItems and unevaluatedProperties come last. */
static int
parley_schema_visit_rest(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                         rc;
    parley_schema_evaluated_t  *own;

    own = parley_schema_evaluated_get(run, run->nodes[i].count);
    if (own == NULL) {
        return PARLEY_SCHEMA_MEMORY;
    }

    rc = parley_schema_visit_parts(run, s, i, own);

    if (rc == PARLEY_SCHEMA_VALID) {
        rc = parley_schema_rest(run, s, i, own);
    }

    if (rc == PARLEY_SCHEMA_VALID && evaluated != NULL) {
        parley_schema_evaluated_add(evaluated, own);
    }

    parley_schema_evaluated_put(run, own);

    return rc;
}


static int
parley_schema_rest(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                     rc, bad;
    uint32_t                k, n, end, name;
    const parley_schema_t  *rest;

    /* offset from a member's name to its value */

    name = (run->nodes[i].type == PARLEY_JSON_OBJECT);
    rest = name ? s->rest->properties : s->rest->items;

    if (rest == NULL) {
        return PARLEY_SCHEMA_VALID;
    }

    bad = PARLEY_SCHEMA_VALID;
    end = run->nodes[i].next;

    for (k = i + 1 + name, n = 0; k < end; k = run->nodes[k].next + name, n++)
    {
        if (parley_schema_evaluated_is(evaluated, n)) {
            continue;
        }

        rc = parley_schema_visit(run, rest, k, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }

        parley_schema_evaluated_mark(evaluated, n);
    }

    return bad;
}


static int
parley_schema_values(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i)
{
    int                            bad;
    const parley_schema_values_t  *values;

    bad = PARLEY_SCHEMA_VALID;

    for (values = s->values; values != NULL; values = values->next) {
        if (!parley_schema_values_have(run, values, i)) {
            bad = parley_schema_fail(run, s,
                                     (parley_schema_keyword_t)
                                     values->keyword, i);
        }
    }

    return bad;
}


int
parley_schema_values_have(const parley_schema_run_t *run,
    const parley_schema_values_t *values, uint32_t i)
{
    parley_str_t                  span;
    parley_json_ref_t             instance;
    const parley_json_node_t     *node;
    const parley_schema_value_t  *v, *last;

    node = &run->nodes[i];

    if (!(values->types >> node->type & 1)) {
        return 0;
    }

    last = values->values + values->n;

    if (node->type == PARLEY_JSON_STRING) {
        span = parley_json_span(run->doc, i);

        for (v = values->values; v < last; v++) {
            if (v->type != PARLEY_JSON_STRING) {
                continue;
            }

            if (node->flags & PARLEY_JSON_ESCAPED) {
                if (parley_json_string_is(run->doc, i, v->text)) {
                    return 1;
                }

            } else if (v->text.len == span.len
                       && parley_schema_same_octets(v->text.data, span.data,
                                                    span.len))
            {
                return 1;
            }
        }

        return 0;
    }

    instance.doc = run->doc;
    instance.node = i;

    for (v = values->values; v < last; v++) {
        if (v->type == node->type && parley_json_equal(instance, v->ref)) {
            return 1;
        }
    }

    return 0;
}
