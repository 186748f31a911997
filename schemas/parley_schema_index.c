#include "schemas/parley_schema_index.h"
#include "schemas/parley_schema_uri.h"


#define PARLEY_SCHEMA_DRAFT                                                   \
    "https://json-schema.org/draft/2020-12/schema"


static int parley_schema_index_node(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t node,
    parley_schema_error_t *err);
static int parley_schema_index_below(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t value,
    parley_schema_below_t below, parley_schema_error_t *err);
static int parley_schema_index_id(parley_schema_set_t *set,
    parley_schema_resource_t **resource, uint32_t node,
    parley_schema_error_t *err);
static int parley_schema_index_anchor(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t node, uint32_t value,
    int dynamic, parley_schema_error_t *err);
static int parley_schema_anchor_is(parley_str_t name);
static parley_schema_resource_t *parley_schema_resource_add(
    parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_schema_resource_t *parent, parley_str_t uri, uint32_t node);
static int parley_schema_vocabularies_read(parley_schema_resource_t *meta,
    unsigned *ret, parley_schema_error_t *err);


int
parley_schema_index(parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_str_t uri, parley_schema_error_t *err)
{
    parley_schema_resource_t  *root;

    if (parley_schema_resource(set, uri) != NULL) {
        return parley_schema_fault(err, doc, 0, "",
                                   "\"%.*s\" is the name of another schema",
                                   (int) uri.len, (const char *) uri.data);
    }

    root = parley_schema_resource_add(set, doc, NULL, uri, 0);
    if (root == NULL) {
        return parley_schema_no_memory(err);
    }

    return parley_schema_index_node(set, root, 0, err);
}


/* Recurses once per level of the document. */
static int
parley_schema_index_node(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t node,
    parley_schema_error_t *err)
{
    uint32_t                  k, end;
    parley_str_t              name;
    const parley_json_t      *json;
    parley_schema_keyword_t   keyword;

    json = &resource->doc->json;

    switch (parley_json_type(json, node)) {

    case PARLEY_JSON_TRUE:
    case PARLEY_JSON_FALSE:
        return 0;

    case PARLEY_JSON_OBJECT:
        break;

    default:
        return parley_schema_fault(err, resource->doc, node, "",
                                   "must be a schema, an object or a boolean");
    }

    if (parley_schema_index_id(set, &resource, node, err) != 0) {
        return -1;
    }

    end = parley_json_end(json, node);

    for (k = parley_json_first(node); k != end;
         k = parley_json_after(json, k + 1))
    {
        if (parley_json_string(json, k, &name) != 0) {
            return parley_schema_no_memory(err);
        }

        keyword = parley_schema_keyword(name, PARLEY_SCHEMA_DIALECT);

        if ((keyword == PARLEY_SCHEMA_K_ANCHOR
             || keyword == PARLEY_SCHEMA_K_DYNAMIC_ANCHOR)
            && parley_schema_index_anchor(set, resource, node, k + 1,
                                          keyword
                                          == PARLEY_SCHEMA_K_DYNAMIC_ANCHOR,
                                          err)
               != 0)
        {
            return -1;
        }

        if (parley_schema_index_below(set, resource, k + 1,
                                      parley_schema_keywords[keyword].below,
                                      err)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_schema_index_below(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t value,
    parley_schema_below_t below, parley_schema_error_t *err)
{
    int                   map;
    uint32_t              i, end;
    const parley_json_t  *json;

    json = &resource->doc->json;
    map = 0;

    switch (below) {

    case PARLEY_SCHEMA_BELOW_NONE:
        return 0;

    case PARLEY_SCHEMA_BELOW_ONE:
        return parley_schema_index_node(set, resource, value, err);

    case PARLEY_SCHEMA_BELOW_LIST:
        if (parley_json_type(json, value) != PARLEY_JSON_ARRAY
            || json->nodes[value].count == 0)
        {
            return parley_schema_fault(err, resource->doc, value, "",
                                       "must be an array of schemas");
        }

        break;

    case PARLEY_SCHEMA_BELOW_MAP:
        if (parley_json_type(json, value) != PARLEY_JSON_OBJECT) {
            return parley_schema_fault(err, resource->doc, value, "",
                                       "must be an object of schemas");
        }

        map = 1;
        break;
    }

    end = parley_json_end(json, value);

    for (i = parley_json_first(value); i != end;
         i = parley_json_after(json, i))
    {
        i += (uint32_t) map;

        if (parley_schema_index_node(set, resource, i, err) != 0) {
            return -1;
        }
    }

    return 0;
}


/* Sets *resource to the schema's own if it has an $id. */
static int
parley_schema_index_id(parley_schema_set_t *set,
    parley_schema_resource_t **resource, uint32_t node,
    parley_schema_error_t *err)
{
    uint32_t                   value;
    parley_str_t               text, uri, fragment;
    parley_schema_doc_t       *doc;
    parley_schema_resource_t  *r;

    r = *resource;
    doc = r->doc;

    value = parley_json_get(&doc->json, node, PARLEY_STR("$id"));
    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(&doc->json, value) != PARLEY_JSON_STRING) {
        return parley_schema_fault(err, doc, value, "",
                                   "must be a URI reference");
    }

    if (parley_json_string(&doc->json, value, &text) != 0) {
        return parley_schema_no_memory(err);
    }

    text = parley_schema_uri_cut(text, &fragment);

    if (fragment.len != 0) {
        return parley_schema_fault(err, doc, value, "",
                                   "must not have a fragment");
    }

    if (parley_schema_uri_resolve(&set->arena, r->uri, text, &uri) != 0) {
        return parley_schema_no_memory(err);
    }

    if (parley_str_eq(uri, r->uri)) {
        return 0;
    }

    if (parley_schema_resource(set, uri) != NULL) {
        return parley_schema_fault(err, doc, value, "",
                                   "is the name of another schema");
    }

    if (node == r->node) {

        /* only roots are entered before their $id is read */

        r->alias = r->uri;
        r->has_alias = 1;
        r->uri = uri;
        return 0;
    }

    *resource = parley_schema_resource_add(set, doc, r, uri, node);

    return (*resource == NULL) ? parley_schema_no_memory(err) : 0;
}


static int
parley_schema_index_anchor(parley_schema_set_t *set,
    parley_schema_resource_t *resource, uint32_t node, uint32_t value,
    int dynamic, parley_schema_error_t *err)
{
    parley_str_t             name;
    const parley_json_t     *json;
    parley_schema_anchor_t  *anchor;

    json = &resource->doc->json;
    name = parley_str_none;

    if (parley_json_type(json, value) == PARLEY_JSON_STRING
        && parley_json_string(json, value, &name) != 0)
    {
        return parley_schema_no_memory(err);
    }

    if (!parley_schema_anchor_is(name)) {
        return parley_schema_fault(err, resource->doc, value, "",
                                   "must be a name of letters, digits, "
                                   "'-', '_' and '.'");
    }

    if (dynamic) {
        resource->dynamic = 1;
    }

    anchor = parley_schema_anchor(set, resource, name);

    if (anchor != NULL) {
        if (anchor->node != node) {
            return parley_schema_fault(err, resource->doc, value, "",
                                       "is the name of another anchor");
        }

        anchor->dynamic = 1;
        return 0;
    }

    anchor = parley_arena_calloc(&set->arena, sizeof(parley_schema_anchor_t));
    if (anchor == NULL) {
        return parley_schema_no_memory(err);
    }

    anchor->name = name;
    anchor->resource = resource;
    anchor->node = node;
    anchor->dynamic = dynamic & 1;
    anchor->next = set->anchors;
    set->anchors = anchor;

    return 0;
}


static int
parley_schema_anchor_is(parley_str_t name)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_') {
            continue;
        }

        if (i == 0 || !((c >= '0' && c <= '9') || c == '-' || c == '.')) {
            return 0;
        }
    }

    return name.len != 0;
}


static parley_schema_resource_t *
parley_schema_resource_add(parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_schema_resource_t *parent, parley_str_t uri, uint32_t node)
{
    parley_schema_resource_t  *r;

    r = parley_arena_calloc(&set->arena, sizeof(parley_schema_resource_t));
    if (r == NULL) {
        return NULL;
    }

    r->set = set;
    r->doc = doc;
    r->parent = parent;
    r->uri = uri;
    r->node = node;
    r->next = set->resources;
    set->resources = r;

    return r;
}


int
parley_schema_dialect(parley_schema_set_t *set,
    parley_schema_resource_t *resource, parley_schema_error_t *err)
{
    uint32_t                   value;
    parley_str_t               uri, fragment;
    const parley_json_t       *json;
    parley_schema_resource_t  *r, *meta;

    if (resource->dialect != 0) {
        return 0;
    }

    value = PARLEY_JSON_NONE;

    for (r = resource; r != NULL && value == PARLEY_JSON_NONE; r = r->parent) {
        json = &r->doc->json;
        value = parley_json_get(json, r->node, PARLEY_STR("$schema"));
    }

    if (value == PARLEY_JSON_NONE) {
        resource->dialect = PARLEY_SCHEMA_DIALECT;
        return 0;
    }

    json = &resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_STRING) {
        return parley_schema_fault(err, resource->doc, value, "",
                                   "must be a URI");
    }

    if (parley_json_string(json, value, &uri) != 0) {
        return parley_schema_no_memory(err);
    }

    uri = parley_schema_uri_cut(uri, &fragment);

    if (parley_str_is(uri, PARLEY_SCHEMA_DRAFT)) {
        resource->dialect = PARLEY_SCHEMA_DIALECT;
        return 0;
    }

    meta = parley_schema_resource(set, uri);
    if (meta == NULL) {
        return parley_schema_fault(err, resource->doc, value, "",
                                   "is not a known dialect");
    }

    return parley_schema_vocabularies_read(meta, &resource->dialect, err);
}


static int
parley_schema_vocabularies_read(parley_schema_resource_t *meta,
    unsigned *ret, parley_schema_error_t *err)
{
    unsigned              bit, dialect;
    uint32_t              value, k, end;
    parley_str_t          uri;
    const parley_json_t  *json;

    json = &meta->doc->json;
    value = parley_json_get(json, meta->node, PARLEY_STR("$vocabulary"));

    if (value == PARLEY_JSON_NONE
        || parley_json_type(json, value) != PARLEY_JSON_OBJECT)
    {
        *ret = PARLEY_SCHEMA_DIALECT;
        return 0;
    }

    dialect = PARLEY_SCHEMA_VOCAB_CORE;
    end = parley_json_end(json, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(json, k + 1))
    {
        if (parley_json_string(json, k, &uri) != 0) {
            return parley_schema_no_memory(err);
        }

        bit = parley_schema_vocabulary(uri);

        if (bit == 0 && parley_json_type(json, k + 1) == PARLEY_JSON_TRUE) {
            return parley_schema_fault(err, meta->doc, k, "",
                                       "is not a known vocabulary");
        }

        dialect |= bit;
    }

    *ret = dialect;

    return 0;
}
