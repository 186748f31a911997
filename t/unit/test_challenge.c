/* gate/settings/parley_challenge.h */

#include "t/unit/parley_test.h"

#include "gate/settings/parley_challenge.h"
#include "auth/parley_glob.h"


static parley_arena_t  arena;


static void
told(parley_code_t code, const char *text, const char *pattern,
    const char *metadata, const char *want)
{
    parley_str_t    value;
    parley_glob_t   glob;
    parley_error_t  err;
    parley_realm_t  realm;

    realm.realm = PARLEY_STR("r");
    realm.metadata = parley_str_c(metadata);

    if (pattern != NULL) {
        assert_int_equal(parley_glob_compile(&arena, parley_str_c(pattern),
                                             &glob, &err),
                         0);
    }

    (void) parley_error_set(&err, code, NULL, "%s", text);

    assert_int_equal(parley_challenge(&arena, &realm, &err,
                                      pattern != NULL ? &glob : NULL,
                                      &value),
                     0);
    assert_true(parley_str_eq(value, parley_str_c(want)));
}


static void
test_challenge(void **state)
{
    (void) state;

    told(PARLEY_E_TOKEN_MISSING, "no token", NULL, "", "Bearer realm=\"r\"");
    told(PARLEY_E_TOKEN_MISSING, "no token", "a", "https://m",
         "Bearer realm=\"r\", resource_metadata=\"https://m\"");
    told(PARLEY_E_TOKEN_EXPIRED, "", NULL, "",
         "Bearer realm=\"r\", error=\"invalid_token\"");
    told(PARLEY_E_TOKEN_INVALID, "a \"b\\c\"\r\nX: \xC3\xA9\x7F", NULL, "",
         "Bearer realm=\"r\", error=\"invalid_token\", "
         "error_description=\"a 'b'c'??X: ???\"");

    told(PARLEY_E_SCOPE_UNAUTHORISED, "", "ops:run", "",
         "Bearer realm=\"r\", error=\"insufficient_scope\", "
         "scope=\"ops:run\"");
    told(PARLEY_E_SCOPE_UNAUTHORISED, "", "a:*|b|c", "",
         "Bearer realm=\"r\", error=\"insufficient_scope\", scope=\"b\"");
    told(PARLEY_E_SCOPE_UNAUTHORISED, "", "**", "",
         "Bearer realm=\"r\", error=\"insufficient_scope\"");

    told(PARLEY_E_SCOPE_UNAUTHORISED, "", NULL, "https://m", "");
    told(PARLEY_E_POLICY_REFUSED, "", "ops:run", "", "");
    told(PARLEY_E_FIELD_INVALID, "", "ops:run", "", "");
}


static void
test_values(void **state)
{
    (void) state;

    assert_int_equal(parley_realm_vet(PARLEY_STR("my agents; a, b=c")), 0);
    assert_int_equal(parley_realm_vet(parley_str_none), -1);
    assert_int_equal(parley_realm_vet(PARLEY_STR("a\"")), -1);
    assert_int_equal(parley_realm_vet(PARLEY_STR("a\\")), -1);
    assert_int_equal(parley_realm_vet(PARLEY_STR("a\r\nb")), -1);
    assert_int_equal(parley_realm_vet(PARLEY_STR("\xC3\xA9")), -1);

    assert_int_equal(parley_realm_vet_metadata(PARLEY_STR("https://a/b?c")), 0);
    assert_int_equal(parley_realm_vet_metadata(PARLEY_STR("http://a")), 0);
    assert_int_equal(parley_realm_vet_metadata(parley_str_none), -1);
    assert_int_equal(parley_realm_vet_metadata(PARLEY_STR("/a")), -1);
    assert_int_equal(parley_realm_vet_metadata(PARLEY_STR("https://a/ b")), -1);
}


static void
test_no_memory(void **state)
{
    parley_str_t       value;
    parley_mem_t       mem;
    parley_error_t     err;
    parley_realm_t     realm = { PARLEY_STR("r"), { NULL, 0 } };
    parley_arena_t     none;
    parley_test_mem_t  failing;

    (void) state;

    mem = parley_test_mem(&failing, 1);
    parley_arena_init(&none, &mem, 64);
    (void) parley_error_set(&err, PARLEY_E_TOKEN_MISSING, NULL, "x");

    assert_int_equal(parley_challenge(&none, &realm, &err, NULL, &value), -1);

    parley_arena_reset(&none);
    assert_int_equal(failing.live, 0);
}


int
main(void)
{
    int  failed;

    static const struct CMUnitTest  tests[] = {
        parley_test("SEC-19 what a challenge says", test_challenge),
        parley_test("SEC-19 what a header can have", test_values),
        parley_test("a challenge without memory", test_no_memory),
    };

    parley_arena_init(&arena, &parley_mem_libc, 4096);

    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);

    parley_arena_reset(&arena);

    return failed;
}
