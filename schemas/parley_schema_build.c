#include "schemas/parley_schema_compile.h"


static int parley_schema_build_array(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
static int parley_schema_build_object(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
static int parley_schema_build_patterns(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t value);
static int parley_schema_build_apply(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
static int parley_schema_build_rest(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
static int parley_schema_build_list(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value,
    const parley_schema_t ***ret, uint32_t *ret_n);
static parley_schema_array_t *parley_schema_array_part(
    parley_schema_compiler_t *c, parley_schema_t *s);


int
parley_schema_build(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    switch (keyword) {

    case PARLEY_SCHEMA_K_REF:
    case PARLEY_SCHEMA_K_DYNAMIC_REF:
        return parley_schema_link_ref(c, s, keyword, value);

    case PARLEY_SCHEMA_K_TYPE:
        return parley_schema_build_type(c, s, value);

    case PARLEY_SCHEMA_K_CONST:
    case PARLEY_SCHEMA_K_ENUM:
        return parley_schema_build_values(c, s, keyword, value);

    case PARLEY_SCHEMA_K_MULTIPLE_OF:
    case PARLEY_SCHEMA_K_MAXIMUM:
    case PARLEY_SCHEMA_K_EXCLUSIVE_MAXIMUM:
    case PARLEY_SCHEMA_K_MINIMUM:
    case PARLEY_SCHEMA_K_EXCLUSIVE_MINIMUM:
        return parley_schema_build_bound(c, s, keyword, value);

    case PARLEY_SCHEMA_K_MAX_LENGTH:
    case PARLEY_SCHEMA_K_MIN_LENGTH:
    case PARLEY_SCHEMA_K_MAX_OCTETS:
    case PARLEY_SCHEMA_K_PATTERN:
    case PARLEY_SCHEMA_K_WORDS:
    case PARLEY_SCHEMA_K_FORMAT:
        return parley_schema_build_string(c, s, keyword, value);

    case PARLEY_SCHEMA_K_PREFIX_ITEMS:
    case PARLEY_SCHEMA_K_ITEMS:
    case PARLEY_SCHEMA_K_CONTAINS:
    case PARLEY_SCHEMA_K_MAX_ITEMS:
    case PARLEY_SCHEMA_K_MIN_ITEMS:
    case PARLEY_SCHEMA_K_UNIQUE_ITEMS:
    case PARLEY_SCHEMA_K_MAX_CONTAINS:
    case PARLEY_SCHEMA_K_MIN_CONTAINS:
        return parley_schema_build_array(c, s, keyword, value);

    case PARLEY_SCHEMA_K_PROPERTIES:
    case PARLEY_SCHEMA_K_REQUIRED:
    case PARLEY_SCHEMA_K_DEPENDENT_REQUIRED:
    case PARLEY_SCHEMA_K_DEPENDENT_SCHEMAS:
        return parley_schema_names_read(c, s, keyword, value);

    case PARLEY_SCHEMA_K_PATTERN_PROPERTIES:
    case PARLEY_SCHEMA_K_ADDITIONAL_PROPERTIES:
    case PARLEY_SCHEMA_K_PROPERTY_NAMES:
    case PARLEY_SCHEMA_K_MAX_PROPERTIES:
    case PARLEY_SCHEMA_K_MIN_PROPERTIES:
        return parley_schema_build_object(c, s, keyword, value);

    case PARLEY_SCHEMA_K_IF:
    case PARLEY_SCHEMA_K_THEN:
    case PARLEY_SCHEMA_K_ELSE:
    case PARLEY_SCHEMA_K_ALL_OF:
    case PARLEY_SCHEMA_K_ANY_OF:
    case PARLEY_SCHEMA_K_ONE_OF:
    case PARLEY_SCHEMA_K_NOT:
        return parley_schema_build_apply(c, s, keyword, value);

    case PARLEY_SCHEMA_K_UNEVALUATED_ITEMS:
    case PARLEY_SCHEMA_K_UNEVALUATED_PROPERTIES:
        return parley_schema_build_rest(c, s, keyword, value);

    default:
        return 0;
    }
}


int
parley_schema_read_string(parley_schema_compiler_t *c,
    const parley_schema_t *s, uint32_t node, parley_str_t *ret)
{
    const parley_json_t  *json;

    json = &s->resource->doc->json;

    if (parley_json_type(json, node) != PARLEY_JSON_STRING) {
        return parley_schema_refuse(c, s, node, "must be a string");
    }

    if (parley_json_string(json, node, ret) != 0) {
        return parley_schema_no_memory(c->err);
    }

    return 0;
}


static parley_schema_array_t *
parley_schema_array_part(parley_schema_compiler_t *c, parley_schema_t *s)
{
    if (s->array == NULL) {
        s->array = parley_schema_alloc(c, sizeof(parley_schema_array_t));

        if (s->array != NULL) {
            s->array->max = UINT32_MAX;
            s->array->min_contains = 1;
            s->array->max_contains = UINT32_MAX;
        }
    }

    return s->array;
}


static int
parley_schema_build_array(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    parley_json_type_t      type;
    parley_schema_array_t  *a;

    a = parley_schema_array_part(c, s);
    if (a == NULL) {
        return -1;
    }

    switch (keyword) {

    case PARLEY_SCHEMA_K_PREFIX_ITEMS:
        return parley_schema_build_list(c, s, keyword, value, &a->prefix,
                                        &a->nprefix);

    case PARLEY_SCHEMA_K_ITEMS:
        return parley_schema_link(c, s, value, keyword, &a->items);

    case PARLEY_SCHEMA_K_CONTAINS:
        return parley_schema_link(c, s, value, keyword, &a->contains);

    case PARLEY_SCHEMA_K_MIN_CONTAINS:
        return parley_schema_build_count(c, s, value, &a->min_contains);

    case PARLEY_SCHEMA_K_MAX_CONTAINS:
        return parley_schema_build_count(c, s, value, &a->max_contains);

    case PARLEY_SCHEMA_K_MIN_ITEMS:
        return parley_schema_build_count(c, s, value, &a->min);

    case PARLEY_SCHEMA_K_MAX_ITEMS:
        return parley_schema_build_count(c, s, value, &a->max);

    default:
        break;
    }

    type = parley_json_type(&s->resource->doc->json, value);

    if (type != PARLEY_JSON_TRUE && type != PARLEY_JSON_FALSE) {
        return parley_schema_refuse(c, s, value, "must be a boolean");
    }

    a->unique = (type == PARLEY_JSON_TRUE);

    return 0;
}


parley_schema_object_t *
parley_schema_object_part(parley_schema_compiler_t *c, parley_schema_t *s)
{
    if (s->object == NULL) {
        s->object = parley_schema_alloc(c, sizeof(parley_schema_object_t));

        if (s->object != NULL) {
            s->object->max = UINT32_MAX;
        }
    }

    return s->object;
}


static int
parley_schema_build_object(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    parley_schema_object_t  *o;

    o = parley_schema_object_part(c, s);
    if (o == NULL) {
        return -1;
    }

    switch (keyword) {

    case PARLEY_SCHEMA_K_PATTERN_PROPERTIES:
        return parley_schema_build_patterns(c, s, value);

    case PARLEY_SCHEMA_K_ADDITIONAL_PROPERTIES:
        return parley_schema_link(c, s, value, keyword, &o->additional);

    case PARLEY_SCHEMA_K_PROPERTY_NAMES:
        return parley_schema_link(c, s, value, keyword, &o->property_names);

    case PARLEY_SCHEMA_K_MIN_PROPERTIES:
        return parley_schema_build_count(c, s, value, &o->min);

    default:
        return parley_schema_build_count(c, s, value, &o->max);
    }
}


static int
parley_schema_build_patterns(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t value)
{
    uint32_t                         k, end;
    const parley_json_t             *json;
    parley_schema_object_t          *o;
    parley_schema_member_pattern_t  *p;

    o = s->object;
    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_OBJECT) {
        return parley_schema_refuse(c, s, value, "must be an object");
    }

    o->patterns = parley_schema_alloc(c,
                                      json->nodes[value].count
                                      * sizeof(parley_schema_member_pattern_t)
                                     );
    if (o->patterns == NULL) {
        return -1;
    }

    end = parley_json_end(json, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(json, k + 1))
    {
        p = &o->patterns[o->npatterns++];

        if (parley_schema_build_pattern(c, s, k, &p->pattern) != 0
            || parley_schema_link(c, s, k + 1,
                                  PARLEY_SCHEMA_K_PATTERN_PROPERTIES,
                                  &p->schema)
               != 0)
        {
            return -1;
        }
    }

    return 0;
}


parley_schema_apply_t *
parley_schema_apply_part(parley_schema_compiler_t *c, parley_schema_t *s)
{
    if (s->apply == NULL) {
        s->apply = parley_schema_alloc(c, sizeof(parley_schema_apply_t));
    }

    return s->apply;
}


static int
parley_schema_build_apply(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    parley_schema_list_t   *list;
    parley_schema_apply_t  *a;

    a = parley_schema_apply_part(c, s);
    if (a == NULL) {
        return -1;
    }

    switch (keyword) {

    case PARLEY_SCHEMA_K_IF:
        return parley_schema_link(c, s, value, keyword, &a->when);

    case PARLEY_SCHEMA_K_THEN:
        return parley_schema_link(c, s, value, keyword, &a->then);

    case PARLEY_SCHEMA_K_ELSE:
        return parley_schema_link(c, s, value, keyword, &a->otherwise);

    case PARLEY_SCHEMA_K_NOT:
        return parley_schema_link(c, s, value, keyword, &a->not);

    case PARLEY_SCHEMA_K_ALL_OF:
        list = &a->all;
        break;

    case PARLEY_SCHEMA_K_ANY_OF:
        list = &a->any;
        break;

    default:
        list = &a->one;
    }

    return parley_schema_build_list(c, s, keyword, value, &list->schemas,
                                    &list->n);
}


static int
parley_schema_build_rest(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    if (s->rest == NULL) {
        s->rest = parley_schema_alloc(c, sizeof(parley_schema_rest_t));
        if (s->rest == NULL) {
            return -1;
        }
    }

    return parley_schema_link(c, s, value, keyword,
                              (keyword == PARLEY_SCHEMA_K_UNEVALUATED_ITEMS)
                              ? &s->rest->items : &s->rest->properties);
}


static int
parley_schema_build_list(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value,
    const parley_schema_t ***ret, uint32_t *ret_n)
{
    uint32_t              i, n, end;
    const parley_json_t  *json;

    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_ARRAY) {
        return parley_schema_refuse(c, s, value,
                                    "must be an array of schemas");
    }

    n = json->nodes[value].count;

    *ret = parley_schema_alloc(c, n * sizeof(parley_schema_t *));
    if (*ret == NULL) {
        return -1;
    }

    *ret_n = n;
    n = 0;
    end = parley_json_end(json, value);

    for (i = parley_json_first(value); i != end;
         i = parley_json_after(json, i))
    {
        if (parley_schema_link(c, s, i, keyword, &(*ret)[n++]) != 0) {
            return -1;
        }
    }

    return 0;
}
