#include "schemas/parley_schema_program.h"
#include "schemas/parley_schema_index.h"
#include "schemas/parley_schema_text.h"
#include "schemas/parley_schema_uri.h"


#define PARLEY_SCHEMA_BLOCK  16384


static const parley_json_limits_t  parley_schema_limits = {
    .octets = 16 * 1024 * 1024,
    .depth = 128,
    .string = 1024 * 1024,
    .members = 1024 * 1024
};


static int parley_schema_doc_read(parley_schema_set_t *set,
    parley_schema_doc_t *doc, parley_str_t name, parley_str_t text,
    parley_schema_error_t *err);
static int parley_schema_no_target(parley_schema_error_t *err,
    const parley_schema_resource_t *from, uint32_t node, parley_str_t uri,
    const char *text);


parley_schema_set_t *
parley_schema_set_create(const parley_mem_t *mem,
    const parley_schema_options_t *options)
{
    parley_arena_t        arena;
    parley_schema_set_t  *set;

    parley_arena_init(&arena, mem, PARLEY_SCHEMA_BLOCK);

    set = parley_arena_calloc(&arena, sizeof(parley_schema_set_t));
    if (set == NULL) {
        return NULL;
    }

    /* the set is allocated from its own arena */

    set->arena = arena;

    if (options != NULL) {
        set->options = *options;
    }

    if (parley_schema_regex_init(&set->regex, &set->arena) != 0) {
        parley_schema_set_destroy(set);
        return NULL;
    }

    return set;
}


void
parley_schema_set_destroy(parley_schema_set_t *set)
{
    parley_arena_t  arena;

    if (set == NULL) {
        return;
    }

    parley_schema_regex_done(&set->regex);

    arena = set->arena;
    parley_arena_reset(&arena);
}


int
parley_schema_set_add(parley_schema_set_t *set, parley_str_t name,
    parley_str_t uri, parley_str_t text, parley_schema_error_t *err)
{
    parley_str_t               base, fragment;
    parley_schema_doc_t       *doc;
    parley_schema_anchor_t    *anchors;
    parley_schema_resource_t  *resources;

    doc = parley_arena_calloc(&set->arena, sizeof(parley_schema_doc_t));
    if (doc == NULL) {
        return parley_schema_no_memory(err);
    }

    if (parley_schema_uri_resolve(&set->arena, PARLEY_STR(""),
                                  parley_schema_uri_cut(uri, &fragment),
                                  &base)
        != 0)
    {
        return parley_schema_no_memory(err);
    }

    if (parley_schema_doc_read(set, doc, name.len ? name : base, text, err)
        != 0)
    {
        return -1;
    }

    resources = set->resources;
    anchors = set->anchors;

    if (parley_schema_index(set, doc, base, err) != 0) {
        set->resources = resources;
        set->anchors = anchors;
        return -1;
    }

    doc->next = set->docs;
    set->docs = doc;

    return 0;
}


static int
parley_schema_doc_read(parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_str_t name, parley_str_t text, parley_schema_error_t *err)
{
    parley_error_t  json;

    if (parley_arena_str(&set->arena, name, &doc->name) != 0
        || parley_arena_str(&set->arena, text, &text) != 0)
    {
        return parley_schema_no_memory(err);
    }

    doc->json.input = text;

    if (parley_json_read(&doc->json, &set->arena, &parley_schema_limits,
                         set->options.seed, text, &json)
        != 0)
    {
        doc->json.input = text;
        (void) parley_schema_fault(err, doc, 0, "", "%s", json.text);
        parley_schema_fault_at(err, doc, &json);
        return -1;
    }

    doc->programs = parley_arena_calloc(&set->arena,
                                        doc->json.nnodes
                                        * sizeof(parley_schema_t *));
    if (doc->programs == NULL) {
        return parley_schema_no_memory(err);
    }

    return 0;
}


int
parley_schema_set_add_builtin(parley_schema_set_t *set,
    parley_schema_error_t *err)
{
    const parley_schema_text_t  *t;

    set->options.formats = 1;

    for (t = parley_schema_texts; t->text.len != 0; t++) {
        if (parley_schema_set_add(set, t->name, t->uri, t->text, err) != 0) {
            return -1;
        }
    }

    return 0;
}


int
parley_schema_find(parley_schema_set_t *set, parley_str_t base,
    parley_str_t uri, const parley_schema_resource_t *from, uint32_t node,
    parley_schema_resource_t **ret_resource, uint32_t *ret_node,
    const parley_schema_anchor_t **ret_anchor, parley_schema_error_t *err)
{
    int                        rc;
    uint32_t                   target;
    parley_str_t               absolute, fragment;
    parley_schema_anchor_t    *anchor;
    parley_schema_resource_t  *resource;

    (void) parley_schema_uri_cut(uri, &fragment);

    if (parley_schema_uri_resolve(&set->arena, base, uri, &absolute) != 0) {
        return parley_schema_no_memory(err);
    }

    rc = parley_schema_uri_decode(&set->arena, fragment, &fragment);
    if (rc != 0) {
        return (rc < 0) ? parley_schema_no_memory(err)
                        : parley_schema_no_target(err, from, node, uri,
                                                  "is not well-formed");
    }

    resource = parley_schema_resource(set, absolute);
    if (resource == NULL) {
        return parley_schema_no_target(err, from, node, uri,
                                       "is not among the schemas");
    }

    anchor = NULL;

    if (fragment.len == 0 || fragment.data[0] == '/') {
        target = parley_json_resolve(&resource->doc->json, resource->node,
                                     fragment);
    } else {
        anchor = parley_schema_anchor(set, resource, fragment);
        target = (anchor == NULL) ? PARLEY_JSON_NONE : anchor->node;
    }

    if (target == PARLEY_JSON_NONE) {
        return parley_schema_no_target(err, from, node, uri,
                                       "names nothing in its schema");
    }

    *ret_resource = parley_schema_resource_of(set, resource->doc, target);
    *ret_node = target;

    if (ret_anchor != NULL) {
        *ret_anchor = anchor;
    }

    return 0;
}


parley_schema_resource_t *
parley_schema_resource(parley_schema_set_t *set, parley_str_t uri)
{
    parley_schema_resource_t  *r;

    for (r = set->resources; r != NULL; r = r->next) {
        if (parley_str_eq(r->uri, uri)
            || (r->has_alias && parley_str_eq(r->alias, uri)))
        {
            return r;
        }
    }

    return NULL;
}


parley_schema_anchor_t *
parley_schema_anchor(parley_schema_set_t *set,
    const parley_schema_resource_t *resource, parley_str_t name)
{
    parley_schema_anchor_t  *a;

    for (a = set->anchors; a != NULL; a = a->next) {
        if (a->resource == resource && parley_str_eq(a->name, name)) {
            return a;
        }
    }

    return NULL;
}


parley_schema_resource_t *
parley_schema_resource_of(parley_schema_set_t *set,
    const parley_schema_doc_t *doc, uint32_t node)
{
    parley_schema_resource_t  *r, *best;

    best = NULL;

    for (r = set->resources; r != NULL; r = r->next) {
        if (r->doc == doc && r->node <= node
            && node < parley_json_end(&doc->json, r->node)
            && (best == NULL || r->node > best->node))
        {
            best = r;
        }
    }

    return best;
}


static int
parley_schema_no_target(parley_schema_error_t *err,
    const parley_schema_resource_t *from, uint32_t node, parley_str_t uri,
    const char *text)
{
    return parley_schema_fault(err, (from == NULL) ? NULL : from->doc, node,
                               "", "\"%.*s\" %s", (int) uri.len,
                               (const char *) uri.data, text);
}
