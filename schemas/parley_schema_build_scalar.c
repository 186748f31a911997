#include "schemas/parley_schema_compile.h"


#define PARLEY_SCHEMA_WHY_MAX         128
#define PARLEY_SCHEMA_DIVISOR_DIGITS  18


static int parley_schema_build_type_name(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t value);
static int parley_schema_build_divisor(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_number_t *n, uint32_t value);
static int parley_schema_build_format(parley_schema_compiler_t *c,
    const parley_schema_t *s, uint32_t value, parley_format_t *ret);


int
parley_schema_build_type(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t value)
{
    uint32_t              i, end;
    const parley_json_t  *json;

    json = &s->resource->doc->json;
    s->types = 0;

    if (parley_json_type(json, value) != PARLEY_JSON_ARRAY) {
        return parley_schema_build_type_name(c, s, value);
    }

    end = parley_json_end(json, value);

    for (i = parley_json_first(value); i != end;
         i = parley_json_after(json, i))
    {
        if (parley_schema_build_type_name(c, s, i) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_schema_build_type_name(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t value)
{
    size_t        i;
    parley_str_t  name;

    static const struct {
        parley_str_t  name;
        uint8_t       mask;
    } types[] = {
        { parley_str("null"), PARLEY_SCHEMA_NULL },
        { parley_str("boolean"), PARLEY_SCHEMA_BOOLEAN },
        { parley_str("number"), PARLEY_SCHEMA_NUMBER },
        { parley_str("integer"), PARLEY_SCHEMA_INTEGER },
        { parley_str("string"), PARLEY_SCHEMA_STRING },
        { parley_str("array"), PARLEY_SCHEMA_ARRAY },
        { parley_str("object"), PARLEY_SCHEMA_OBJECT }
    };

    if (parley_schema_read_string(c, s, value, &name) != 0) {
        return -1;
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (parley_str_eq(types[i].name, name)) {
            s->types |= types[i].mask;
            return 0;
        }
    }

    return parley_schema_refuse(c, s, value, "must be a type of JSON Schema");
}


int
parley_schema_build_values(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    uint32_t                 i, n;
    const parley_json_t     *json;
    parley_schema_value_t   *v;
    parley_schema_values_t  *values;

    json = &s->resource->doc->json;
    n = 1;
    i = value;

    if (keyword == PARLEY_SCHEMA_K_ENUM) {
        if (parley_json_type(json, value) != PARLEY_JSON_ARRAY) {
            return parley_schema_refuse(c, s, value, "must be an array");
        }

        n = json->nodes[value].count;
        i = parley_json_first(value);
    }

    values = parley_schema_alloc(c, sizeof(parley_schema_values_t));
    if (values == NULL) {
        return -1;
    }

    values->values = parley_schema_alloc(c,
                                         n * sizeof(parley_schema_value_t));
    if (values->values == NULL) {
        return -1;
    }

    for (v = values->values; v < values->values + n; v++) {
        v->type = json->nodes[i].type;
        v->ref.doc = json;
        v->ref.node = i;
        values->types |= (uint8_t) (1 << v->type);

        if (v->type == PARLEY_JSON_STRING
            && parley_schema_read_string(c, s, i, &v->text) != 0)
        {
            return -1;
        }

        i = parley_json_after(json, i);
    }

    values->n = n;
    values->keyword = (uint8_t) keyword;
    values->next = s->values;
    s->values = values;

    return 0;
}


int
parley_schema_build_bound(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    const parley_json_t     *json;
    parley_schema_bound_t   *bound;
    parley_schema_number_t  *n;

    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_NUMBER) {
        return parley_schema_refuse(c, s, value, "must be a number");
    }

    if (s->number == NULL) {
        s->number = parley_schema_alloc(c, sizeof(parley_schema_number_t));
        if (s->number == NULL) {
            return -1;
        }
    }

    n = s->number;

    switch (keyword) {

    case PARLEY_SCHEMA_K_MULTIPLE_OF:
        return parley_schema_build_divisor(c, s, n, value);

    case PARLEY_SCHEMA_K_MINIMUM:
        bound = &n->minimum;
        break;

    case PARLEY_SCHEMA_K_EXCLUSIVE_MINIMUM:
        bound = &n->exclusive_minimum;
        break;

    case PARLEY_SCHEMA_K_MAXIMUM:
        bound = &n->maximum;
        break;

    default:
        bound = &n->exclusive_maximum;
    }

    bound->literal = parley_json_span(json, value);
    bound->exact = parley_decimal_make(bound->literal);
    bound->value = parley_json_number(json, value);
    bound->set = 1;

    return 0;
}


static int
parley_schema_build_divisor(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_number_t *n, uint32_t value)
{
    const uint8_t     *p;
    parley_decimal_t   d;

    n->divisor_literal = parley_json_span(&s->resource->doc->json, value);
    d = parley_decimal_make(n->divisor_literal);

    if (d.negative || d.ndigits == 0) {
        return parley_schema_refuse(c, s, value, "must be greater than 0");
    }

    if (d.ndigits > PARLEY_SCHEMA_DIVISOR_DIGITS) {
        return parley_schema_refuse(c, s, value, "has more than %d digits",
                                    PARLEY_SCHEMA_DIVISOR_DIGITS);
    }

    n->divisor = 0;

    for (p = d.first; p < d.end; p++) {
        if (*p != '.') {
            n->divisor = n->divisor * 10 + (uint64_t) (*p - '0');
        }
    }

    n->divisor_exponent = d.point - (int64_t) d.ndigits;

    return 0;
}


int
parley_schema_build_string(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    parley_format_t  format;

    format = PARLEY_FORMAT_NONE;

    if (keyword == PARLEY_SCHEMA_K_FORMAT) {

        if (parley_schema_build_format(c, s, value, &format) != 0) {
            return -1;
        }

        if (format == PARLEY_FORMAT_NONE) {
            return 0;
        }
    }

    if (s->string == NULL) {
        s->string = parley_schema_alloc(c, sizeof(parley_schema_string_t));
        if (s->string == NULL) {
            return -1;
        }

        s->string->max = UINT32_MAX;
        s->string->octets = UINT32_MAX;
    }

    switch (keyword) {

    case PARLEY_SCHEMA_K_MIN_LENGTH:
        return parley_schema_build_count(c, s, value, &s->string->min);

    case PARLEY_SCHEMA_K_MAX_LENGTH:
        return parley_schema_build_count(c, s, value, &s->string->max);

    case PARLEY_SCHEMA_K_MAX_OCTETS:
        return parley_schema_build_count(c, s, value, &s->string->octets);

    case PARLEY_SCHEMA_K_PATTERN:
        return parley_schema_build_pattern(c, s, value, &s->string->pattern);

    case PARLEY_SCHEMA_K_WORDS:
        return parley_schema_read_string(c, s, value, &s->string->words);

    default:
        s->string->format = (uint8_t) format;
        return 0;
    }
}


/*
 * Sets the format to assert, or PARLEY_FORMAT_NONE for an annotation.  If the
 * vocabulary asserts formats (JSON Schema validation, section 7.2.2), an
 * unsupported one is an error.
 */
static int
parley_schema_build_format(parley_schema_compiler_t *c,
    const parley_schema_t *s, uint32_t value, parley_format_t *ret)
{
    unsigned      required;
    parley_str_t  name;

    if (parley_schema_read_string(c, s, value, &name) != 0) {
        return -1;
    }

    required = s->resource->dialect & PARLEY_SCHEMA_VOCAB_ASSERTION;

    if (!required && !c->set->options.formats) {
        return 0;
    }

    *ret = parley_format(name);

    if (*ret == PARLEY_FORMAT_NONE && required) {
        return parley_schema_refuse(c, s, value,
                                    "must be a supported format, as the "
                                    "vocabulary asserts formats");
    }

    return 0;
}


int
parley_schema_build_pattern(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t node, parley_schema_pattern_t **ret)
{
    char          why[PARLEY_SCHEMA_WHY_MAX];
    parley_str_t  source;

    if (parley_schema_read_string(c, s, node, &source) != 0) {
        return -1;
    }

    if (parley_schema_pattern_compile(&c->set->regex, source, ret, why,
                                      sizeof(why))
        == 0)
    {
        return 0;
    }

    return why[0] ? parley_schema_refuse(c, s, node,
                                         "is not a regular expression: %s", why)
                  : parley_schema_no_memory(c->err);
}


/* Reads a non-negative integer, saturating. */
int
parley_schema_build_count(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t value, uint32_t *ret)
{
    int64_t               n;
    parley_decimal_t      d;
    const parley_json_t  *json;

    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_NUMBER) {
        return parley_schema_refuse(c, s, value, "must be a whole number");
    }

    d = parley_decimal_make(parley_json_span(json, value));

    if (d.negative || (d.ndigits != 0 && d.point < (int64_t) d.ndigits)) {
        return parley_schema_refuse(c, s, value,
                                    "must be a whole number, 0 or more");
    }

    if (parley_decimal_integer(&d, &n) != 0 || n > UINT32_MAX) {
        n = UINT32_MAX;
    }

    *ret = (uint32_t) n;

    return 0;
}
