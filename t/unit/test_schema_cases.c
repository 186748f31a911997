/*
 * Conditions beside each other.  The validator skips those that do not apply.
 * The verdict and the error must be equal to those of a full visit.
 */

#include "t/unit/parley_test_schema.h"


/* one condition; more: a keyword beside "if", which prevents the skip */
#define CASE(member, word, then, more)                                        \
    "{\"if\":{\"required\":[\"" member "\"],\"properties\":{\"" member        \
    "\":{\"const\":\"" word "\"}}},\"then\":" then more "}"

#define VISITED  ",\"else\":true"

#define CASES(more)                                                           \
    "\"allOf\":["                                                             \
    CASE("k", "a", "{\"required\":[\"x\"]}", more) ","                        \
    CASE("k", "b", "{\"properties\":{\"x\":{\"type\":\"number\"}}}", more) ","\
    CASE("l", "a", "{\"required\":[\"y\"]}", more) ","                        \
    "{\"if\":{\"properties\":{\"k\":{\"const\":\"c\"}}},"                     \
    "\"then\":{\"properties\":{\"z\":{\"maxLength\":1}}}" more "},"           \
    "{\"if\":{\"properties\":{\"k\":{\"enum\":[1,null,\"d\"]}},"              \
    "\"required\":[\"k\"]},\"then\":false" more "},"                          \
    "{\"minProperties\":1,\"if\":{\"properties\":{\"k\":{\"const\":\"e\"}},"  \
    "\"required\":[\"k\"]},\"then\":{\"required\":[\"w\"]}" more "}]"


static const struct {
    const char  *json;
    const char  *field;         /* NULL: valid */
} instances[] = {
    { "{\"k\":\"a\",\"x\":1}", NULL },
    { "{\"k\":\"a\"}", "/x" },
    { "{\"k\":\"\\u0061\"}", "/x" },
    { "{\"\\u006b\":\"a\"}", "/x" },
    { "{\"k\":\"b\",\"x\":1}", NULL },
    { "{\"k\":\"b\",\"x\":\"1\"}", "/x" },
    { "{\"k\":\"b\"}", NULL },
    { "{\"l\":\"a\"}", "/y" },
    { "{\"k\":\"a\",\"l\":\"a\",\"x\":1}", "/y" },
    { "{\"k\":\"a\",\"l\":\"a\",\"y\":1}", "/x" },
    { "{\"l\":\"\"}", NULL },
    { "{\"k\":\"c\",\"z\":\"12\"}", "/z" },
    { "{\"z\":\"12\"}", "/z" },
    { "{\"k\":\"x\",\"z\":\"12\"}", NULL },
    { "{\"k\":1}", "" },
    { "{\"k\":1.0}", "" },
    { "{\"k\":null}", "" },
    { "{\"k\":\"d\"}", "" },
    { "{\"k\":2}", NULL },
    { "{\"k\":[\"a\"]}", NULL },
    { "{\"k\":\"e\"}", "/w" },
    { "{}", "" },
    { "[\"a\"]", "" },          /* "if" is true for a value that is not an
                                   object */
    { "\"a\"", "" },
    { "{\"k\":\"aa\"}", NULL },
    { "{\"k\":\"\"}", NULL }
};


static const parley_schema_t *
compile(parley_schema_set_t *set, const char *uri, const char *text)
{
    parley_schema_error_t  err;

    if (parley_schema_set_add(set, PARLEY_STR("file.json"),
                              parley_str_c(uri), parley_str_c(text), &err)
        != 0)
    {
        fail_msg("%s: %s", err.location, err.error.text);
    }

    return parley_test_compile(set, uri);
}


static void
same(const parley_schema_t *s, const parley_schema_t *visited)
{
    int                    rc;
    size_t                 i;
    parley_schema_error_t  err, other;

    for (i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
        rc = parley_test_validate(s, instances[i].json, &err);

        if (rc != parley_test_validate(visited, instances[i].json, &other)
            || rc != (instances[i].field != NULL)
            || (rc != 0
                && (strcmp(err.error.field, instances[i].field) != 0
                    || strcmp(err.error.field, other.error.field) != 0
                    || strcmp(err.error.text, other.error.text) != 0
                    || strcmp(err.keyword, other.keyword) != 0)))
        {
            fail_msg("%s: %d \"%s\" %s, visited \"%s\" %s",
                     instances[i].json, rc, err.error.field, err.error.text,
                     other.error.field, other.error.text);
        }
    }
}


static void
test_cases(void **state)
{
    parley_schema_set_t  *set;

    (void) state;

    set = parley_schema_set_create(&parley_mem_libc, NULL);
    assert_non_null(set);

    same(compile(set, "test:cases", "{" CASES("") "}"),
         compile(set, "test:visited", "{" CASES(VISITED) "}"));

    parley_schema_set_destroy(set);
}


/* A skipped condition evaluates nothing. */

static void
test_evaluated(void **state)
{
    parley_schema_set_t    *set;
    const parley_schema_t  *s;

    (void) state;

    set = parley_schema_set_create(&parley_mem_libc, NULL);
    assert_non_null(set);

    s = compile(set, "test:cases", "{\"allOf\":["
                CASE("k", "a", "{\"properties\":{\"x\":true}}", "") ","
                CASE("k", "b", "{\"properties\":{\"y\":true}}", "")
                "],\"unevaluatedProperties\":false}");

    parley_test_accept(s, "{\"k\":\"a\",\"x\":1}");
    parley_test_accept(s, "{\"k\":\"b\",\"y\":1}");
    parley_test_refuse(s, "{\"k\":\"a\",\"y\":1}", PARLEY_E_FIELD_UNKNOWN,
                       "/y", "unevaluatedProperties", NULL);
    parley_test_refuse(s, "{\"k\":\"c\"}", PARLEY_E_FIELD_UNKNOWN, "/k",
                       "unevaluatedProperties", NULL);

    parley_schema_set_destroy(set);
}


static const struct CMUnitTest  tests[] = {
    parley_test("cases side by side: as if each were visited", test_cases),
    parley_test("cases side by side: what they evaluate", test_evaluated)
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
