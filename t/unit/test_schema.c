#include "t/unit/parley_test_schema.h"


#define MISSING  PARLEY_E_FIELD_MISSING
#define INVALID  PARLEY_E_FIELD_INVALID
#define UNKNOWN  PARLEY_E_FIELD_UNKNOWN


static parley_schema_set_t    *set;
static parley_schema_error_t   fault;


/*
 * Compiles text as "test:schema" in a new set; returns -1 with fault on error.
 */
static int
compile(const char *text, const parley_schema_t **s)
{
    parley_schema_options_t  options = { 7, 1 };

    parley_schema_set_destroy(set);
    set = parley_schema_set_create(&parley_mem_libc, &options);
    assert_non_null(set);

    if (parley_schema_set_add(set, PARLEY_STR("file.json"),
                              PARLEY_STR("test:schema"), parley_str_c(text),
                              &fault)
        != 0)
    {
        return -1;
    }

    return parley_schema_compile(set, PARLEY_STR("test:schema"), s, &fault);
}


static const parley_schema_t *
schema(const char *text)
{
    const parley_schema_t  *s;

    if (compile(text, &s) != 0) {
        fail_msg("%s: %s: %s", text, fault.location, fault.error.text);
    }

    return s;
}


static void
broken(const char *text, const char *field, const char *why)
{
    const parley_schema_t  *s;

    if (compile(text, &s) == 0) {
        fail_msg("%s was compiled", text);
    }

    assert_string_equal(fault.error.text, why);
    assert_string_equal(fault.error.field, field);
    assert_memory_equal(fault.location, "file.json#", 10);
    assert_string_equal(fault.location + 10, field);
    assert_true(fault.line > 0);
}


static int
teardown(void **state)
{
    (void) state;

    parley_schema_set_destroy(set);
    set = NULL;

    return 0;
}


static void
test_scalars(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"properties\":{"
               "\"a\":{\"type\":\"string\",\"minLength\":3,\"maxLength\":5},"
               "\"b\":{\"enum\":[\"low\",\"high\",3]},"
               "\"c\":{\"const\":\"1\"},"
               "\"d\":{\"type\":[\"string\",\"null\"]},"
               "\"e\":{\"pattern\":\"^x\"},"
               "\"f\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},"
               "\"g\":{\"exclusiveMinimum\":0,\"exclusiveMaximum\":1},"
               "\"h\":{\"multipleOf\":0.01},"
               "\"i\":{\"format\":\"date-time\"},"
               "\"j\":{\"const\":{\"x\":[1,true]}}}}");

    parley_test_accept(s, "{\"a\":\"\\u00e9\\u00e9\\u00e9\",\"b\":3.0,"
                       "\"c\":\"\\u0031\",\"d\":null,\"e\":\"xy\","
                       "\"f\":9.0,\"g\":0.5,\"h\":19.99,"
                       "\"i\":\"2026-02-15T10:30:00Z\","
                       "\"j\":{\"x\":[1.0,true]}}");

    parley_test_refuse(s, "{\"a\":1}", INVALID, "/a", "type",
                       "must be a string");
    parley_test_refuse(s, "{\"a\":\"\\u00e9\\u00e9\"}", INVALID, "/a",
                       "minLength", "must be at least 3 characters");
    parley_test_refuse(s, "{\"a\":\"abcdef\"}", INVALID, "/a", "maxLength",
                       "must be at most 5 characters");
    parley_test_refuse(s, "{\"b\":\"secret\"}", INVALID, "/b", "enum",
                       "must be one of low, high, 3");
    parley_test_refuse(s, "{\"c\":\"2\"}", INVALID, "/c", "const",
                       "must be \"1\"");
    parley_test_refuse(s, "{\"d\":{}}", INVALID, "/d", "type",
                       "must be a string or null");
    parley_test_refuse(s, "{\"e\":\"secret\"}", INVALID, "/e", "pattern",
                       "must match ^x");
    parley_test_refuse(s, "{\"f\":1.5}", INVALID, "/f", "type",
                       "must be an integer");
    parley_test_refuse(s, "{\"f\":0}", INVALID, "/f", "minimum",
                       "must be at least 1");
    parley_test_refuse(s, "{\"f\":9.00000000000000000001}", INVALID, "/f",
                       "type", NULL);
    parley_test_refuse(s, "{\"f\":10}", INVALID, "/f", "maximum",
                       "must be at most 9");
    parley_test_refuse(s, "{\"g\":0}", INVALID, "/g", "exclusiveMinimum",
                       "must be greater than 0");
    parley_test_refuse(s, "{\"g\":1e0}", INVALID, "/g", "exclusiveMaximum",
                       "must be less than 1");
    parley_test_refuse(s, "{\"h\":19.995}", INVALID, "/h", "multipleOf",
                       "must be a multiple of 0.01");
    parley_test_refuse(s, "{\"i\":\"2026-02-30T10:30:00Z\"}", INVALID, "/i",
                       "format", "must be an RFC 3339 date-time");
    parley_test_refuse(s, "{\"j\":{\"x\":[1]}}", INVALID, "/j", "const",
                       "must be {\"x\":[1,true]}");
}


/* Exact, for numbers that are equal as doubles. */
static void
test_numbers(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"maximum\":9007199254740993}");
    parley_test_accept(s, "9007199254740993");
    parley_test_refuse(s, "9007199254740994", INVALID, "", "maximum", NULL);
    parley_test_accept(s, "-1e308");

    s = schema("{\"multipleOf\":3}");
    parley_test_accept(s, "3e300");
    parley_test_refuse(s, "1e300", INVALID, "", "multipleOf", NULL);
    parley_test_accept(s, "300000000000000000000000000000000003");
    parley_test_accept(s, "-0.0");

    s = schema("{\"type\":\"integer\"}");
    parley_test_accept(s, "1e2");
    parley_test_accept(s, "1.50e1");
    parley_test_refuse(s, "15e-2", INVALID, "", "type", NULL);
}


static void
test_members(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"required\":[\"a~/b\"],\"properties\":{\"x\":true,"
               "\"never\":false,\"o\":{\"required\":[\"p\"]}},"
               "\"patternProperties\":{\"^y\":{\"type\":\"null\"}},"
               "\"additionalProperties\":false}");

    parley_test_refuse(s, "{\"x\":1}", MISSING, "/a~0~1b", "required",
                       "is missing");
    parley_test_refuse(s, "{\"a~/b\":1}", UNKNOWN, "/a~0~1b",
                       "additionalProperties", "is not allowed here");
    parley_test_refuse(s, "{\"x\":1,\"z\":2}", UNKNOWN, "/z",
                       "additionalProperties", "is not allowed here");
    parley_test_refuse(s, "{\"never\":1}", UNKNOWN, "/never", "properties",
                       "is not allowed here");
    parley_test_refuse(s, "{\"y1\":1}", INVALID, "/y1", "type",
                       "must be null");
    parley_test_refuse(s, "{\"o\":{}}", MISSING, "/o/p", "required",
                       "is missing");

    s = schema("{\"minProperties\":1,\"maxProperties\":2,"
               "\"propertyNames\":{\"maxLength\":3}}");
    parley_test_refuse(s, "{}", INVALID, "", "minProperties",
                       "must have at least 1 member");
    parley_test_refuse(s, "{\"a\":1,\"b\":1,\"c\":1}", INVALID, "",
                       "maxProperties", "must have at most 2 members");
    parley_test_refuse(s, "{\"abcd\":1}", INVALID, "/abcd", "maxLength",
                       "must be at most 3 characters");

    s = schema("{\"dependentRequired\":{\"a\":[\"b\"]},"
               "\"dependentSchemas\":{\"c\":{\"required\":[\"d\"]}}}");
    parley_test_accept(s, "{\"b\":1}");
    parley_test_refuse(s, "{\"a\":1}", MISSING, "/b", "dependentRequired",
                       NULL);
    parley_test_refuse(s, "{\"c\":1}", MISSING, "/d", "required", NULL);

    s = schema("{\"allOf\":[{\"properties\":{\"a\":true}}],"
               "\"unevaluatedProperties\":false}");
    parley_test_accept(s, "{\"a\":1}");
    parley_test_refuse(s, "{\"a\":1,\"b\":{}}", UNKNOWN, "/b",
                       "unevaluatedProperties", "is not allowed here");
}


static void
test_elements(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"prefixItems\":[{\"type\":\"string\"}],"
               "\"items\":{\"type\":\"number\"},\"minItems\":1,"
               "\"maxItems\":3}");
    parley_test_refuse(s, "[\"a\",1,\"x\"]", INVALID, "/2", "type",
                       "must be a number");
    parley_test_refuse(s, "[1]", INVALID, "/0", "type", "must be a string");
    parley_test_refuse(s, "[]", INVALID, "", "minItems",
                       "must have at least 1 element");
    parley_test_refuse(s, "[\"a\",1,2,3]", INVALID, "", "maxItems",
                       "must have at most 3 elements");

    s = schema("{\"uniqueItems\":true}");
    parley_test_accept(s, "[1,\"1\",true,[1],{\"a\":1},{\"a\":2},null]");
    parley_test_refuse(s, "[{\"a\":1,\"b\":[2]},3,{\"b\":[2.0],\"a\":1e0}]",
                       INVALID, "", "uniqueItems",
                       "must not have two equal elements");
    parley_test_refuse(s, "[\"a\",\"\\u0061\"]", INVALID, "", "uniqueItems",
                       NULL);

    s = schema("{\"contains\":{\"const\":1},\"minContains\":2,"
               "\"maxContains\":2}");
    parley_test_accept(s, "[1,0,1]");
    parley_test_refuse(s, "[1]", INVALID, "", "minContains", NULL);
    parley_test_refuse(s, "[1,1,1]", INVALID, "", "maxContains", NULL);

    s = schema("{\"prefixItems\":[true],\"unevaluatedItems\":false}");
    parley_test_refuse(s, "[1,2]", INVALID, "/1", "unevaluatedItems", NULL);
}


static void
test_first_in_document(void **state)
{
    parley_schema_error_t   err;
    const parley_schema_t  *s;

    (void) state;

    /* in the order of the keywords "late" would be first */

    s = schema("{\"properties\":{\"late\":{\"type\":\"string\"}},"
               "\"required\":[\"gone\"],"
               "\"allOf\":[{\"properties\":{\"early\":{\"minLength\":2}}}]}");

    parley_test_refuse(s, "{\"early\":\"x\",\"late\":1}", INVALID, "/early",
                       "minLength", NULL);
    parley_test_refuse(s, "{\"late\":1,\"early\":\"x\"}", INVALID, "/late",
                       "type", NULL);
    parley_test_refuse(s, "{\"early\":\"xx\"}", MISSING, "/gone", "required",
                       NULL);

    assert_int_equal(parley_test_validate(s, "{\"o\":1, \"late\":[]}", &err),
                     1);
    assert_int_equal(err.error.offset, 15);
    assert_string_equal(err.location, "test:schema#/properties/late/type");
}


static void
test_choices(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}");
    parley_test_refuse(s, "1", INVALID, "", "anyOf",
                       "must be a string or null");

    s = schema("{\"oneOf\":[{\"properties\":{\"k\":{\"const\":\"a\"},"
               "\"v\":{\"type\":\"string\"}}},"
               "{\"properties\":{\"k\":{\"const\":\"b\"},"
               "\"v\":{\"type\":\"number\"}}}]}");
    parley_test_refuse(s, "{\"k\":\"b\",\"v\":\"x\"}", INVALID, "/v", "type",
                       "must be a number");
    parley_test_refuse(s, "{}", INVALID, "", "oneOf",
                       "has more than one of the allowed forms");

    s = schema("{\"not\":{\"required\":[\"x\"]}}");
    parley_test_refuse(s, "{\"x\":1}", INVALID, "", "not",
                       "has a form that is not allowed");

    s = schema("{\"if\":{\"properties\":{\"t\":{\"const\":\"r\"}}},"
               "\"then\":{\"required\":[\"to\"]},"
               "\"else\":{\"properties\":{\"to\":false}}}");
    parley_test_refuse(s, "{\"t\":\"r\"}", MISSING, "/to", "required", NULL);
    parley_test_refuse(s, "{\"t\":\"x\",\"to\":1}", UNKNOWN, "/to",
                       "properties", NULL);

    s = schema("{\"$ref\":\"#/$defs/a\",\"maxLength\":3,"
               "\"$defs\":{\"a\":{\"minLength\":2}}}");
    parley_test_accept(s, "\"abc\"");
    parley_test_refuse(s, "\"a\"", INVALID, "", "minLength", NULL);
    parley_test_refuse(s, "\"abcd\"", INVALID, "", "maxLength", NULL);
}


static void
test_many_names(void **state)
{
    int                     i;
    char                    text[16384], json[4096];
    size_t                  n, m;
    const parley_schema_t  *s;

    (void) state;

    n = (size_t) sprintf(text, "{\"properties\":{");
    m = (size_t) sprintf(json, "{");

    for (i = 0; i < 200; i++) {
        n += (size_t) sprintf(text + n, "%s\"name%d\":{\"const\":%d}",
                              i ? "," : "", i, i);
        m += (size_t) sprintf(json + m, "%s\"name%d\":%d", i ? "," : "", i,
                              i);
    }

    sprintf(text + n, "},\"required\":[\"name3\",\"name199\"],"
            "\"additionalProperties\":false}");

    sprintf(json + m, "}");

    s = schema(text);
    parley_test_accept(s, json);
    parley_test_refuse(s, "{\"name3\":3}", MISSING, "/name199", "required",
                       NULL);
    parley_test_refuse(s, "{\"name7\":8}", INVALID, "/name7", "const", NULL);
    parley_test_refuse(s, "{\"name200\":8}", UNKNOWN, "/name200",
                       "additionalProperties", NULL);
}


static void
test_patterns(void **state)
{
    size_t                  i;
    char                    text[256];
    const parley_schema_t  *s;

    static const struct {
        const char  *pattern;
        const char  *match;
        const char  *no_match;
    } cases[] = {
        { "^[a-z]+[0-9]{2,3}$", "\"ab123\"", "\"ab1\"" },
        { "^[a-z]+[0-9]{2,3}$", "\"a12\"", "\"ab1234\"" },
        { "^a*b?c+$", "\"aabcc\"", "\"aabbc\"" },
        { "Z$", "\"10:00Z\"", "\"Z \"" },
        { "^x-", "\"x-y\"", "\"y x-\"" },
        { "^[a-z]*z$", "\"abz\"", "\"abc\"" },          /* needs PCRE2 */
        { "^\\\\d+$", "\"42\"", "\"\\u09ea\"" },
        { "^\\\\S\\\\s$", "\"x\\ufeff\"", "\"x\\u200b\"" },
        { "^[\\\\s-x]$", "\"-\"", "\"y\"" },
        { "^[^\\\\S]$", "\"\\u2028\"", "\"x\"" },
        { "^.$", "\"\\ud83d\\ude00\"", "\"\\u2028\"" },
        { "^abc$", "\"abc\"", "\"abc\\n\"" },
        { "^\\\\p{Letter}+$", "\"\\u00e9a\"", "\"1\"" },
        { "^\\\\p{Script=Greek}$", "\"\\u03b1\"", "\"a\"" },
        { "^\\\\p{gc=Uppercase_Letter}$", "\"\\u00c9\"", "\"\\u00e9\"" },
        { "^\\\\cA$", "\"\\u0001\"", "\"A\"" },
        { "^\\\\u{1F600}\\\\ud83d\\\\ude00\\\\x41$",
          "\"\\ud83d\\ude00\\ud83d\\ude00A\"", "\"A\"" },
        { "^[[:a]+$", "\"[:a\"", "\"b\"" },
        { "^a{,3}$", "\"a{,3}\"", "\"aa\"" },
        { "^(a)?b\\\\1$", "\"aba\"", "\"ba\"" },
        { "^(?<y>a|b)\\\\k<y>$", "\"aa\"", "\"ab\"" },
        { "(?<=a)b(?!c)", "\"abd\"", "\"abc\"" },
        { "^[]$|^[^]$", "\"x\"", "\"xy\"" },
        { "^[^\\\\u0000-\\\\u001f\\\\u007f-\\\\u009f]*$", "\" ~\"",
          "\"a\x7f\"" },
        { "^[^\\\\u007f-\\\\u009f]*$", "\"\u00e9\"", "\"a\\u0085\"" },
        { "^[^\\\\u0000-\\\\u001f]*$", "\"\"", "\"a\\n\"" },
        { "^[^\\\\u007e]*$", "\"a\"", "\"~\"" },
        { "^[^ -!]*$", "\"#\"", "\"a b\"" },
        { "^[^a]*]*$", "\"b]\"", "\"b]a\"" }
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sprintf(text, "{\"pattern\":\"%s\"}", cases[i].pattern);
        s = schema(text);
        parley_test_accept(s, cases[i].match);
        parley_test_refuse(s, cases[i].no_match, INVALID, "", "pattern",
                           NULL);
    }
}


static void
test_patterns_refused(void **state)
{
    size_t                  i;
    char                    text[256];
    const parley_schema_t  *s;

    static const char  *const patterns[] = {
        "\\\\a", "(*UTF)a", "(?i)a", "(?>a)", "(?R)", "(?#x)", "(?P<a>b)",
        "a++", "a*+", "a{2}{3}", "\\\\Qa\\\\E", "\\\\R", "\\\\Ca", "\\\\p{L",
        "\\\\pL", "\\\\p{Nonsense}", "\\\\ud800", "\\\\x4", "\\\\c1", "a(",
        "a)", "[a", "[b-a]", "\\\\", "[\\\\1]", "\\\\2(a)", "*a", "\\\\01",
        "\\\\u{110000}"
    };

    (void) state;

    for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
        sprintf(text, "{\n\"items\": {\"pattern\":\"%s\"}}", patterns[i]);

        if (compile(text, &s) == 0) {
            fail_msg("%s was compiled", patterns[i]);
        }

        assert_memory_equal(fault.error.text,
                            "is not a regular expression: ", 29);
        assert_string_equal(fault.error.field, "/items/pattern");
        assert_int_equal(fault.line, 2);
    }
}


/*
 * Work is limited, and an instance that exceeds the limit is refused, even
 * below "not".
 */
static void
test_limits(void **state)
{
    int                     i;
    char                    text[512];
    size_t                  n;
    parley_schema_error_t   err;
    const parley_schema_t  *s;

    (void) state;

    s = schema("{\"not\":{\"pattern\":\"^(?:a+)+$\"}}");
    parley_test_refuse(s, "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"",
                       INVALID, "", "", "takes too much work to check");

    s = schema("{\"$defs\":{\"n\":{\"anyOf\":["
               "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}},"
               "\"required\":[\"b\"]},"
               "{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}},"
               "\"required\":[\"c\"]}]}},\"$ref\":\"#/$defs/n\"}");

    for (n = 0, i = 0; i < 30; i++) {
        n += (size_t) sprintf(text + n, "{\"a\":");
    }

    n += (size_t) sprintf(text + n, "{\"b\":1}");

    for (i = 0; i < 30; i++) {
        n += (size_t) sprintf(text + n, "}");
    }

    assert_int_equal(parley_test_validate(s, text, &err), 1);
    assert_int_equal(err.error.code, INVALID);

    /* a $dynamicRef can loop where a $ref would be refused */

    s = schema("{\"$dynamicAnchor\":\"x\",\"allOf\":["
               "{\"$dynamicRef\":\"#x\"}]}");
    parley_test_refuse(s, "1", INVALID, "", "",
                       "takes too much work to check");
}


static void
test_broken(void **state)
{
    (void) state;

    broken("{\"a\":1,}", "", "a member name was expected");
    broken("[]", "", "must be a schema, an object or a boolean");
    broken("{\"properties\":{\"a\":5}}", "/properties/a",
           "must be a schema, an object or a boolean");
    broken("{\"allOf\":[]}", "/allOf", "must be an array of schemas");
    broken("{\"items\":[{}]}", "/items",
           "must be a schema, an object or a boolean");
    broken("{\"type\":\"strin\"}", "/type", "must be a type of JSON Schema");
    broken("{\"type\":[\"string\",1]}", "/type/1", "must be a string");
    broken("{\"minLength\":-1}", "/minLength",
           "must be a whole number, 0 or more");
    broken("{\"minLength\":1.5}", "/minLength",
           "must be a whole number, 0 or more");
    broken("{\"minLength\":\"1\"}", "/minLength", "must be a whole number");
    broken("{\"maximum\":\"1\"}", "/maximum", "must be a number");
    broken("{\"multipleOf\":0}", "/multipleOf", "must be greater than 0");
    broken("{\"enum\":1}", "/enum", "must be an array");
    broken("{\"required\":\"a\"}", "/required", "must be an array of names");
    broken("{\"required\":[1]}", "/required/0", "must be a string");
    broken("{\"uniqueItems\":1}", "/uniqueItems", "must be a boolean");
    broken("{\"$ref\":\"#/$defs/x\"}", "/$ref",
           "\"#/$defs/x\" names nothing in its schema");
    broken("{\"$ref\":\"other.json\"}", "/$ref",
           "\"other.json\" is not among the schemas");
    broken("{\"$ref\":\"#nowhere\"}", "/$ref",
           "\"#nowhere\" names nothing in its schema");
    broken("{\"$ref\":\"#/%4\"}", "/$ref", "\"#/%4\" is not well-formed");
    broken("{\"$ref\":\"#\"}", "", "is a reference that leads to itself");
    broken("{\"items\":{\"allOf\":[{\"$ref\":\"#/items\"}]}}", "/items",
           "is a schema that applies itself without end");
    broken("{\"$id\":\"a#b\"}", "/$id", "must not have a fragment");
    broken("{\"$anchor\":\"1\"}", "/$anchor",
           "must be a name of letters, digits, '-', '_' and '.'");
    broken("{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\"b\":{\"$anchor\":\"x\"}}}",
           "/$defs/b/$anchor", "is the name of another anchor");
    broken("{\"$defs\":{\"a\":{\"$id\":\"x\"},\"b\":{\"$id\":\"x\"}}}",
           "/$defs/b/$id", "is the name of another schema");
    broken("{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}",
           "/$schema", "is not a known dialect");
}


static void
test_fragments(void **state)
{
    const parley_schema_t  *a, *b;

    (void) state;

    (void) schema("{\"$id\":\"urn:x:y\",\"$defs\":{\"p\":{\"$anchor\":\"q\","
                  "\"type\":\"null\"}}}");

    assert_int_equal(parley_schema_compile(set,
                                           PARLEY_STR("urn:x:y#/$defs/p"),
                                           &a, &fault), 0);
    assert_int_equal(parley_schema_compile(set, PARLEY_STR("test:schema#q"),
                                           &b, &fault), 0);
    assert_ptr_equal(a, b);
    parley_test_refuse(a, "1", INVALID, "", "type", "must be null");

    assert_int_equal(parley_schema_compile(set, PARLEY_STR("urn:x:z"), &a,
                                           &fault), -1);
    assert_null(a);
    assert_string_equal(fault.error.text,
                        "\"urn:x:z\" is not among the schemas");

    assert_int_equal(parley_schema_set_add(set, parley_str_none,
                                           PARLEY_STR("urn:x:y"),
                                           PARLEY_STR("true"), &fault), -1);
}


/* A failed compilation leaves nothing that affects the next one. */
static void
test_retry(void **state)
{
    const parley_schema_t  *s;

    (void) state;

    assert_int_equal(compile("{\"properties\":{\"a\":{\"$ref\":\"more\"},"
                             "\"b\":{\"type\":\"null\"}}}", &s), -1);
    assert_int_equal(parley_schema_set_add(set, parley_str_none,
                                           PARLEY_STR("test:more"),
                                           PARLEY_STR("{\"type\":\"null\"}"),
                                           &fault), 0);
    assert_int_equal(parley_schema_compile(set, PARLEY_STR("test:schema"), &s,
                                           &fault), 0);
    parley_test_refuse(s, "{\"a\":1}", INVALID, "/a", "type", NULL);
    parley_test_refuse(s, "{\"b\":1}", INVALID, "/b", "type", NULL);
}


/* The n-th allocation fails: an error each time, and nothing is lost. */
static void
test_memory(void **state)
{
    int                      rc;
    size_t                   n;
    parley_mem_t             mem;
    parley_test_mem_t        count;
    parley_schema_set_t     *s;
    const parley_schema_t   *program;
    parley_schema_error_t    err;

    (void) state;

    for (n = 1; ; n++) {
        mem = parley_test_mem(&count, n);
        s = parley_schema_set_create(&mem, NULL);

        if (s == NULL) {
            assert_int_equal(count.live, 0);
            continue;
        }

        rc = parley_schema_set_add_builtin(s, &err);

        if (rc == 0) {
            rc = parley_schema_compile(s, PARLEY_STR(PARLEY_SCHEMA_VCP),
                                       &program, &err);
        }

        parley_schema_set_destroy(s);
        assert_int_equal(count.live, 0);

        if (rc == 0) {
            break;
        }

        assert_int_equal(err.error.code, PARLEY_E_CAPACITY);
    }

    assert_true(n > 3);
}


static const struct CMUnitTest  tests[] = {
    parley_test("strings, numbers, values: pointer, keyword, text",
                test_scalars),
    parley_test("numbers are compared exactly", test_numbers),
    parley_test("members: missing, unknown, invalid", test_members),
    parley_test("elements", test_elements),
    parley_test("the first error in the document wins",
                test_first_in_document),
    parley_test("anyOf, oneOf, not, if", test_choices),
    parley_test("more names than bits", test_many_names),
    parley_test("patterns mean what ECMA-262 says", test_patterns),
    parley_test("patterns that ECMA-262 does not know are refused",
                test_patterns_refused),
    parley_test("work is bounded", test_limits),
    parley_test("GW-11 a broken schema: file, line, pointer, reason",
                test_broken),
    parley_test("schemas are compiled by pointer and anchor",
                test_fragments),
    parley_test("a failed compilation can be repeated", test_retry),
    parley_test("no memory", test_memory)
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, teardown);
}
