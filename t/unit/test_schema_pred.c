/*
 * Predicates and simple patterns: merged, resolved and compared in one pass,
 * they must agree with the schema.  parley_test_validate() compares each
 * verdict with that of the schema without its predicate.
 */

#include "t/unit/parley_test_schema.h"


#define INVALID  PARLEY_E_FIELD_INVALID
#define MISSING  PARLEY_E_FIELD_MISSING
#define UNKNOWN  PARLEY_E_FIELD_UNKNOWN


typedef struct {
    const char     *schema;
    const char     *valid;
    const char     *invalid;
    parley_code_t   code;
    const char     *field;
    const char     *keyword;
} verdict_t;


static void
verdicts(const verdict_t *v, size_t n)
{
    parley_schema_set_t    *set;
    parley_schema_error_t   err;
    const parley_schema_t  *s;

    for ( ; n > 0; n--, v++) {
        set = parley_schema_set_create(&parley_mem_libc, NULL);
        assert_non_null(set);

        if (parley_schema_set_add(set, PARLEY_STR("file.json"),
                                  PARLEY_STR("test:a"),
                                  parley_str_c(v->schema), &err)
            != 0)
        {
            fail_msg("%s: %s", v->schema, err.error.text);
        }

        s = parley_test_compile(set, "test:a");
        assert_non_null(s->pred);

        parley_test_accept(s, v->valid);
        parley_test_refuse(s, v->invalid, v->code, v->field, v->keyword,
                           NULL);

        parley_schema_set_destroy(set);
    }
}


#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))


/* Facts of one schema are not used for another. */

static void
test_merged(void **state)
{
    static const verdict_t  cases[] = {
        { "{\"properties\":{\"a\":true},\"additionalProperties\":false,"
          "\"allOf\":[{\"properties\":{\"b\":{\"type\":\"number\"}}}]}",
          "{\"a\":1}", "{\"b\":1}", UNKNOWN, "/b",
          "additionalProperties" },
        { "{\"required\":[\"a\"],\"additionalProperties\":{\"type\":"
          "\"number\"}}",
          "{\"a\":1}", "{\"a\":\"x\"}", INVALID, "/a", "type" },
        { "{\"$ref\":\"#/$defs/a\",\"maxLength\":3,\"$defs\":{\"a\":"
          "{\"type\":\"string\",\"minLength\":2,\"maxLength\":5}}}",
          "\"abc\"", "\"a\"", INVALID, "", "minLength" },
        { "{\"type\":\"number\",\"allOf\":[{\"type\":\"integer\"}]}",
          "1.0", "1.5", INVALID, "", "type" },
        { "{\"enum\":[\"a\",\"b\"],\"allOf\":[{\"enum\":[\"b\",1]}]}",
          "\"\\u0062\"", "\"a\"", INVALID, "", "enum" },
        { "{\"items\":{\"minimum\":1},\"allOf\":[{\"items\":"
          "{\"maximum\":2},\"maxItems\":2}]}",
          "[1,2]", "[3]", INVALID, "/0", "maximum" },
        { "{\"properties\":{\"a\":false},\"required\":[\"b\"]}",
          "{\"b\":0}", "{\"a\":0,\"b\":0}", UNKNOWN, "/a",
          "properties" },
        { "{\"anyOf\":[{\"required\":[\"a\"]},{\"properties\":{\"b\":"
          "{\"type\":\"null\"}},\"additionalProperties\":false}]}",
          "{\"b\":null}", "{\"c\":1}", MISSING, "/a", "required" },
        { "{\"oneOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}]}",
          "{\"a\":1}", "{\"a\":1,\"b\":1}", INVALID, "", "oneOf" },
        { "{\"not\":{\"const\":\"~org\"}}",
          "\"~orga\"", "\"~org\"", INVALID, "", "not" },
        { "{\"not\":{\"const\":\"~org\"},\"pattern\":\"^~\"}",
          "1", "\"\\u007eorg\"", INVALID, "", "not" },
        { "{\"not\":{\"type\":\"number\",\"const\":\"x\"},\"maxLength\":1}",
          "\"x\"", "\"xx\"", INVALID, "", "maxLength" },
        { "{\"not\":{\"enum\":[\"a\",\"b\"]},\"allOf\":[{\"not\":"
          "{\"const\":\"c\"}}]}",
          "\"d\"", "\"c\"", INVALID, "", "not" }
    };

    (void) state;

    verdicts(cases, COUNT(cases));
}


#define CASE(words, then)                                                     \
    "\"if\":{\"required\":[\"k\"],\"properties\":{\"k\":{\"enum\":["        \
    words "]}}},\"then\":" then

#define KINDS                                                                 \
    "{\"type\":\"object\"," CASE("\"a\",\"b\"", "{\"required\":[\"x\"],"     \
    CASE("\"b\"", "{\"required\":[\"y\"]}") "}") ",\"else\":{"              \
    CASE("\"c\"", "{\"anyOf\":[{" CASE("\"c\"", "{\"required\":[\"z\"]}")     \
    "}]}") ",\"else\":{\"not\":{" CASE("\"d\"", "true") ",\"else\":"          \
    "{\"required\":[\"w\"]}}}}}"


/* A word in a condition, one in no condition, and a missing one. */

static void
test_selected(void **state)
{
    static const verdict_t  cases[] = {
        { KINDS, "{\"k\":\"a\",\"x\":1}", "{\"k\":\"a\"}", MISSING, "/x",
          "required" },
        { KINDS, "{\"k\":\"b\",\"x\":1,\"y\":1}",
          "{\"k\":\"b\",\"x\":1}", MISSING, "/y", "required" },
        { KINDS, "{\"k\":\"\\u0063\",\"z\":1}", "{\"k\":\"\\u0063\"}",
          MISSING, "/z", "required" },
        { KINDS, "{\"k\":\"e\"}", "{\"k\":\"d\"}", INVALID, "", "not" },
        { KINDS, "{\"k\":[]}", "{\"k\":[],\"w\":1}", INVALID, "", "not" },
        { KINDS, "{}", "{\"w\":1}", INVALID, "", "not" }
    };

    (void) state;

    verdicts(cases, COUNT(cases));
}


static void
test_numbers(void **state)
{
    static const verdict_t  cases[] = {
        { "{\"minimum\":-2,\"exclusiveMaximum\":3}", "-2", "3", INVALID, "",
          "exclusiveMaximum" },
        { "{\"minimum\":-2,\"exclusiveMaximum\":3}", "2.99", "-2.01",
          INVALID, "", "minimum" },
        { "{\"exclusiveMinimum\":0.5}", "1", "0", INVALID, "",
          "exclusiveMinimum" },
        { "{\"minimum\":1,\"multipleOf\":3}", "6", "7", INVALID, "",
          "multipleOf" },
        { "{\"maximum\":9007199254740991}", "9007199254740991",
          "9007199254740992", INVALID, "", "maximum" },
        { "{\"maximum\":1.00000000000000000001}", "1", "2", INVALID, "",
          "maximum" },
        { "{\"minimum\":0,\"type\":\"integer\"}", "-0", "-1", INVALID, "",
          "minimum" }
    };

    (void) state;

    verdicts(cases, COUNT(cases));
}


static void
test_patterns(void **state)
{
    size_t     i;
    char       text[256];
    verdict_t  v;

    static const struct {
        const char  *pattern;
        const char  *match;
        const char  *no_match;
    } cases[] = {
        { "^ab[0-9]{6}$", "\"ab000999\"", "\"ab00099/\"" },
        { "^ab[0-9]{6}$", "\"ab012345\"", "\"ab0123456\"" },
        { "^[0-9a-f]{4}-[0-9a-f]{8}$", "\"09af-0af909af\"",
          "\"09af-0af909a\\u00e9\"" },
        { "^[0-9a-f]{4}-[0-9a-f]{8}$", "\"0000-00000000\"",
          "\"0000-0000000g\"" },
        { "^[a-z]+(?:@[0-9]{1,2})?$", "\"a\"", "\"a@\"" },
        { "^[a-z]+(?:@[0-9]{1,2})?$", "\"a@12\"", "\"a@123\"" },
        { "^~(?!org(?:$|@))[a-z]+(?:@[0-9])?$", "\"~organ\"", "\"~org\"" },
        { "^~(?!org(?:$|@))[a-z]+(?:@[0-9])?$", "\"~or@1\"",
          "\"~org@1\"" },
        { "^~(?!org/)[a-z/]+$", "\"~org\"", "\"~org/x\"" },
        { "^[a-z]*(?!b)[0-9]$", "\"a1\"", "\"ab\"" },
        { "^a(?:b)?c$", "\"ac\"", "\"ab\"" },
        { "^a(?!b)$", "\"a\"", "\"ab\"" }
    };

    (void) state;

    v.schema = text;
    v.code = INVALID;
    v.field = "";
    v.keyword = "pattern";

    for (i = 0; i < COUNT(cases); i++) {
        sprintf(text, "{\"pattern\":\"%s\"}", cases[i].pattern);
        v.valid = cases[i].match;
        v.invalid = cases[i].no_match;
        verdicts(&v, 1);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("schemas that apply to one value are one pred", test_merged),
    parley_test("cases by a member's word are known beforehand",
                test_selected),
    parley_test("integers are compared with bounds that are", test_numbers),
    parley_test("simple patterns match what PCRE2 matches", test_patterns)
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
