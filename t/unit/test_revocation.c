/* auth/parley_revocation.h */

#include <time.h>

#include "t/unit/parley_test_auth.h"

#include "auth/parley_revocation.h"


#define SEED   UINT64_C(0x5eed)
#define EMPTY  "{\"principals\":[],\"kids\":[],\"tokens\":[]}"


static const char  list_text[] =
    "{\"principals\":[\"mallory\",\"eve\",\"mallory\"],"
    "\"kids\":[{\"iss\":\"https://a\",\"kid\":\"1\"},"
    "{\"kid\":\"2\",\"sub\":\"bob\"}],"
    "\"tokens\":[{\"iss\":\"https://a\",\"jti\":\"t1\"},"
    "{\"iss\":\"https://b\",\"jti\":\"t2\"}]}";


static parley_revocations_t *
parse(const char *text)
{
    parley_error_t         err;
    parley_revocations_t  *list;

    if (parley_revocations_parse(&test_arena, parley_str_c(text), SEED, &list,
                                 &err)
        != 0)
    {
        fail_msg("%s: %s", err.field, err.text);
    }

    return list;
}


static int
principal(const parley_revocations_t *list, const char *sub)
{
    return parley_revocations_principal(list, parley_str_c(sub));
}


static int
token_key(const parley_revocations_t *list, const char *iss, const char *kid)
{
    return parley_revocations_token_key(list, parley_str_c(iss),
                                        parley_str_c(kid));
}


static int
message_key(const parley_revocations_t *list, const char *sub,
    const char *kid)
{
    return parley_revocations_message_key(list, parley_str_c(sub),
                                          parley_str_c(kid));
}


static int
token(const parley_revocations_t *list, const char *iss, const char *jti)
{
    return parley_revocations_token(list, parley_str_c(iss),
                                    parley_str_c(jti));
}


static void
test_lookup(void **state)
{
    parley_revocations_t  *list;

    (void) state;

    list = parse(list_text);

    assert_int_equal(parley_revocations_count(list), 7);

    assert_true(principal(list, "mallory"));
    assert_true(principal(list, "eve"));
    assert_false(principal(list, "bob"));
    assert_false(principal(list, "mallor"));
    assert_false(principal(list, "mallory "));
    assert_false(principal(list, ""));

    /* an id of one kind does not match another kind */

    assert_false(principal(list, "1"));
    assert_false(principal(list, "t1"));

    assert_true(token(list, "https://a", "t1"));
    assert_true(token(list, "https://b", "t2"));
    assert_false(token(list, "https://b", "t1"));
    assert_false(token(list, "https://a", "t2"));
    assert_false(token(list, "", "t1"));
    assert_false(token(list, "https://a", ""));

    assert_true(message_key(list, "bob", "2"));
    assert_false(message_key(list, "bob", "1"));
    assert_false(message_key(list, "eve", "2"));
    assert_false(message_key(list, "https://a", "1"));
}


static void
test_token_key(void **state)
{
    parley_revocations_t  *list;

    (void) state;

    list = parse(list_text);

    assert_true(token_key(list, "https://a", "1"));
    assert_false(token_key(list, "https://b", "1"));
    assert_false(token_key(list, "https://a", "2"));

    /* the key of any issuer can be used with another iss */

    assert_true(token_key(list, "", "1"));
    assert_false(token_key(list, "", "2"));
    assert_false(token_key(list, "", "3"));
    assert_false(token_key(list, "", ""));
}


static void
test_none(void **state)
{
    parley_revocations_t  *list;

    (void) state;

    list = parse(EMPTY);

    assert_int_equal(parley_revocations_count(list), 0);
    assert_false(principal(list, "mallory"));
    assert_false(token_key(list, "", "1"));

    assert_int_equal(parley_revocations_count(NULL), 0);
    assert_false(principal(NULL, "mallory"));
    assert_false(token_key(NULL, "https://a", "1"));
    assert_false(message_key(NULL, "bob", "2"));
    assert_false(token(NULL, "https://a", "t1"));
}


static const struct {
    const char     *text;
    parley_code_t   code;
    const char     *field;
} broken[] = {
    { "", PARLEY_E_JSON_INVALID, "" },
    { "{", PARLEY_E_JSON_INVALID, "" },
    { "[]", PARLEY_E_FIELD_INVALID, "" },
    { "{}", PARLEY_E_FIELD_MISSING, "/principals" },
    { "{\"principals\":[],\"kids\":[]}", PARLEY_E_FIELD_MISSING, "/tokens" },
    { "{\"principals\":[],\"tokens\":[]}", PARLEY_E_FIELD_MISSING, "/kids" },
    { EMPTY "{}", PARLEY_E_JSON_INVALID, "" },
    { "{\"principals\":[],\"kids\":[],\"tokens\":[],\"tokens\":[]}",
      PARLEY_E_JSON_INVALID, "/tokens" },
    { "{\"principals\":[],\"kids\":[],\"tokens\":[],\"jti\":[]}",
      PARLEY_E_FIELD_UNKNOWN, "/jti" },
    { "{\"principals\":{},\"kids\":[],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/principals" },
    { "{\"principals\":\"eve\",\"kids\":[],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/principals" },
    { "{\"principals\":[\"eve\",1],\"kids\":[],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/principals/1" },
    { "{\"principals\":[\"\"],\"kids\":[],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/principals/0" },
    { "{\"principals\":[\"e\\u0000ve\"],\"kids\":[],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/principals/0" },
    { "{\"principals\":[],\"kids\":[\"1\"],\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/kids/0" },
    { "{\"principals\":[],\"kids\":[{\"kid\":\"1\"}],\"tokens\":[]}",
      PARLEY_E_FIELD_MISSING, "/kids/0/iss" },
    { "{\"principals\":[],\"kids\":[{\"iss\":\"a\"}],\"tokens\":[]}",
      PARLEY_E_FIELD_MISSING, "/kids/0/kid" },
    { "{\"principals\":[],\"kids\":[{\"sub\":\"a\"}],\"tokens\":[]}",
      PARLEY_E_FIELD_MISSING, "/kids/0/kid" },
    { "{\"principals\":[],\"kids\":[{\"iss\":\"\",\"kid\":\"1\"}],"
      "\"tokens\":[]}",
      PARLEY_E_FIELD_INVALID, "/kids/0/iss" },
    { "{\"principals\":[],\"kids\":[{\"iss\":\"a\",\"sub\":\"b\","
      "\"kid\":\"1\"}],\"tokens\":[]}",
      PARLEY_E_FIELD_UNKNOWN, "/kids/0/iss" },
    { "{\"principals\":[],\"kids\":[],\"tokens\":[{\"jti\":\"1\"}]}",
      PARLEY_E_FIELD_MISSING, "/tokens/0/iss" },
    { "{\"principals\":[],\"kids\":[],\"tokens\":[{\"iss\":\"a\",\"jti\":7}]}",
      PARLEY_E_FIELD_INVALID, "/tokens/0/jti" },
    { "{\"principals\":[],\"kids\":[],\"tokens\":[{\"iss\":\"a\","
      "\"jti\":\"7\",\"kid\":\"1\"}]}",
      PARLEY_E_FIELD_UNKNOWN, "/tokens/0/kid" },
};


static void
test_broken(void **state)
{
    size_t                 i;
    parley_error_t         err;
    parley_revocations_t  *list;

    (void) state;

    for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {

        if (parley_revocations_parse(&test_arena, parley_str_c(broken[i].text),
                                     SEED, &list, &err)
            != -1)
        {
            fail_msg("taken: %s", broken[i].text);
        }

        assert_null(list);

        if (err.code != broken[i].code
            || strcmp(err.field, broken[i].field) != 0)
        {
            fail_msg("%s: \"%s\" %s", broken[i].text, err.field, err.text);
        }
    }
}


static void
test_position(void **state)
{
    parley_error_t         err;
    parley_revocations_t  *list;

    static const char  text[] =
        "{\"principals\": [],\n \"kids\": [],\n \"tokens\": [\n  7]}";

    (void) state;

    assert_int_equal(parley_revocations_parse(&test_arena, parley_str_c(text),
                                              SEED, &list, &err),
                     -1);
    assert_int_equal(err.offset, strlen(text) - 3);
}


static void
test_large(void **state)
{
    char                  *text, *p, jti[32];
    int                    i;
    parley_revocations_t  *list;

    enum { N = 20000 };

    (void) state;

    text = malloc(N * 64 + 64);
    assert_non_null(text);

    p = text + sprintf(text, "{\"principals\":[],\"kids\":[],\"tokens\":[");

    for (i = 0; i < N; i++) {
        p += sprintf(p, "%s{\"iss\":\"https://a\",\"jti\":\"%d\"}",
                     i > 0 ? "," : "", (i * 7919) % N);
    }

    (void) sprintf(p, "]}");

    list = parse(text);

    for (i = 0; i < N; i++) {
        (void) snprintf(jti, sizeof(jti), "%d", i);
        assert_true(token(list, "https://a", jti));
        assert_false(token(list, "https://b", jti));
    }

    (void) snprintf(jti, sizeof(jti), "%d", N);
    assert_false(token(list, "https://a", jti));

    free(text);
}


/* Many entries with a common id are read and found as fast as others. */

static void
test_common(void **state)
{
    char                  *text, *p, name[32];
    int                    i;
    clock_t                began;
    parley_revocations_t  *list;

    enum { N = 100000 };

    (void) state;

    text = malloc(N * 64 + 64);
    assert_non_null(text);

    p = text + sprintf(text, "{\"principals\":[],\"tokens\":[],\"kids\":[");

    for (i = 0; i < N; i++) {
        p += sprintf(p, "%s{\"%s\":\"n%d\",\"kid\":\"1\"}",
                     i > 0 ? "," : "", i % 2 ? "iss" : "sub", i);
    }

    (void) sprintf(p, "]}");

    began = clock();
    list = parse(text);

    assert_int_equal(parley_revocations_count(list), N);

    for (i = 0; i < N; i++) {
        (void) snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(token_key(list, name, "1"), i % 2);
        assert_int_equal(message_key(list, name, "1"), i % 2 == 0);
    }

    assert_true(token_key(list, "", "1"));
    assert_false(token_key(list, "", "2"));
    assert_false(message_key(list, "", "1"));

    /* a linear search would take minutes */

    assert_true(clock() - began < 5 * CLOCKS_PER_SEC);

    free(text);
}


static void
test_memory(void **state)
{
    int                    rc;
    size_t                 n;
    parley_mem_t           mem;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_test_mem_t      mem_state;
    parley_revocations_t  *list;

    (void) state;

    rc = -1;

    for (n = 1; rc != 0; n++) {
        mem = parley_test_mem(&mem_state, n);
        parley_arena_init(&arena, &mem, 32);

        rc = parley_revocations_parse(&arena, PARLEY_STR(list_text), SEED,
                                      &list, &err);

        if (rc != 0) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
            assert_null(list);
        }

        parley_arena_reset(&arena);
        assert_int_equal(mem_state.live, 0);
    }

    assert_true(n > 5);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("SEC-16 principals, keys and tokens, each with whose it "
                     "is", test_lookup),
    parley_auth_test("SEC-16 a key of any issuer is revoked by whichever "
                     "names it", test_token_key),
    parley_auth_test("SEC-16 an empty list revokes nothing", test_none),
    parley_auth_test("SEC-16 GW-11 a list that is wrong", test_broken),
    parley_auth_test("SEC-16 GW-11 where a list is wrong", test_position),
    parley_auth_test("SEC-16 20 000 tokens", test_large),
    parley_auth_test("SEC-16 100 000 keys of one kid", test_common),
    parley_auth_test("SEC-16 revocations: every allocation may fail",
                     test_memory),
};


PARLEY_TEST_MAIN(tests)
