/* auth/parley_jwk.h and parley_jwt.h: keys of an issuer, bound tokens */

#include "t/unit/parley_test_auth.h"


#define A  "https://a.example"
#define B  "https://b.example"

#define PRINT  "bwcK0esc3ACC3DB2Y5_lESsXE8o9ltc05O89jdN-dg2"


static char *
token(const parley_jwk_t *jwk, const char *kid, const char *claims)
{
    char  header[256];

    (void) snprintf(header, sizeof(header), "{\"alg\":\"EdDSA\"%s%s%s}",
                    kid != NULL ? ",\"kid\":\"" : "", kid != NULL ? kid : "",
                    kid != NULL ? "\"" : "");

    return parley_test_token(header, claims, jwk, PARLEY_ALG_EDDSA);
}


static void
join(parley_jwks_t *all, parley_jwk_t *jwk, const char *issuer)
{
    parley_jwks_t   more;
    parley_error_t  err;

    more = parley_test_set(jwk, 1);
    parley_jwks_of(&more, parley_str_c(issuer));

    if (parley_jwks_join(&test_arena, all, &more, &err) != 0) {
        fail_msg("%s: %s", err.field, err.text);
    }

    assert_int_equal(more.n, 0);
}


static void
test_issuer(void **state)
{
    parley_jwt_t   jwt;
    parley_jwk_t   a, b, any;
    parley_jwks_t  keys;

    (void) state;

    a = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    b = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    any = parley_test_generate(PARLEY_ALG_EDDSA, "2");

    memset(&keys, 0, sizeof(keys));
    join(&keys, &a, A);
    join(&keys, &b, B);
    join(&keys, &any, "");
    assert_int_equal(keys.n, 3);

    /* one kid, two issuers: each has its own key */

    jwt = taken(&keys, token(&a, "1", "{\"iss\":\"" A "\"}"));
    parley_assert_str(jwt.iss, A);
    assert_false(jwt.any_issuer);

    jwt = taken(&keys, token(&b, "1", "{\"iss\":\"" B "\"}"));
    parley_assert_str(jwt.iss, B);

    refuse(&keys, token(&a, "1", "{\"iss\":\"" B "\"}"), "", 0);
    refuse(&keys, token(&b, "1", "{\"iss\":\"" A "\"}"), "", 0);

    /* another issuer, a missing one, one that is not a string */

    refuse(&keys, token(&a, "1", "{\"iss\":\"https://c\"}"), "kid", 1);
    refuse(&keys, token(&a, "1", "{}"), "kid", 1);
    refuse(&keys, token(&a, "1", "{\"iss\":[\"" A "\"]}"), "kid", 1);
    refuse(&keys, token(&a, "1", "{\"iss\":\"\"}"), "kid", 1);
    refuse(&keys, token(&a, "1", "[]"), "", 0);

    /* a key without an issuer verifies tokens of any issuer */

    jwt = taken(&keys, token(&any, "2", "{\"iss\":\"" A "\"}"));
    assert_true(jwt.any_issuer);

    (void) taken(&keys, token(&any, "2", "{\"iss\":\"https://c\"}"));
    (void) taken(&keys, token(&any, "2", "{}"));

    /* escapes do not change the issuer */

    (void) taken(&keys, token(&a, "1",
                              "{\"iss\":\"https:\\/\\/a.ex\\u0061mple\"}"));

    /* without a kid: the only key that the issuer may have used */

    refuse(&keys, token(&a, NULL, "{\"iss\":\"" A "\"}"), "kid", 0);
    (void) taken(&keys, token(&any, NULL, "{\"iss\":\"https://c\"}"));

    keys.n = 2;
    (void) taken(&keys, token(&a, NULL, "{\"iss\":\"" A "\"}"));
    refuse(&keys, token(&a, NULL, "{\"iss\":\"" B "\"}"), "", 0);
    refuse(&keys, token(&a, NULL, "{}"), "alg", 0);

    parley_jwks_free(&keys);
}


static void
test_clash(void **state)
{
    parley_jwk_t    a, b, c;
    parley_jwks_t   all, more;
    parley_error_t  err;

    (void) state;

    a = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    b = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    c = parley_test_generate(PARLEY_ALG_HS256, "1");

    memset(&all, 0, sizeof(all));
    join(&all, &a, A);

    /* the same issuer, or any */

    more = parley_test_set(&b, 1);
    parley_jwks_of(&more, PARLEY_STR(A));
    assert_int_equal(parley_jwks_join(&test_arena, &all, &more, &err), -1);
    assert_string_equal(err.field, "/keys/0/kid");
    assert_int_equal(more.n, 1);
    assert_int_equal(all.n, 1);

    parley_jwks_of(&more, parley_str_none);
    assert_int_equal(parley_jwks_join(&test_arena, &all, &more, &err), -1);

    parley_jwks_of(&more, PARLEY_STR(B));
    assert_int_equal(parley_jwks_join(&test_arena, &all, &more, &err), 0);

    /* another algorithm makes another key */

    join(&all, &c, A);
    assert_int_equal(all.n, 3);

    parley_jwks_free(&all);
}


static void
test_beside(void **state)
{
    parley_jwk_t   a, b, any, fresh;
    parley_jwks_t  kept, fetched, all;

    (void) state;

    a = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    b = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    any = parley_test_generate(PARLEY_ALG_EDDSA, "2");
    fresh = parley_test_generate(PARLEY_ALG_EDDSA, "1");

    memset(&kept, 0, sizeof(kept));
    join(&kept, &a, A);
    join(&kept, &b, B);
    join(&kept, &any, "");

    fetched = parley_test_set(&fresh, 1);
    parley_jwks_of(&fetched, PARLEY_STR(A));

    assert_int_equal(parley_jwks_beside(&test_arena, &fetched, PARLEY_STR(A),
                                        &kept, &all),
                     0);
    assert_int_equal(all.n, 3);

    refuse(&all, token(&a, "1", "{\"iss\":\"" A "\"}"), "", 0);
    (void) taken(&all, token(&fresh, "1", "{\"iss\":\"" A "\"}"));
    (void) taken(&all, token(&b, "1", "{\"iss\":\"" B "\"}"));
    (void) taken(&all, token(&any, "2", "{}"));

    /* keys fetched for any issuer replace only a file for any issuer */

    parley_jwks_of(&fetched, parley_str_none);

    assert_int_equal(parley_jwks_beside(&test_arena, &fetched,
                                        parley_str_none, &kept, &all),
                     0);
    assert_int_equal(all.n, 3);

    refuse(&all, token(&any, "2", "{}"), "kid", 1);
    (void) taken(&all, token(&a, "1", "{\"iss\":\"" A "\"}"));
    (void) taken(&all, token(&fresh, "1", "{}"));

    /* every key was withdrawn */

    parley_jwks_free(&kept);
    parley_jwks_free(&fetched);
    fetched.n = 0;

    assert_int_equal(parley_jwks_beside(&test_arena, &fetched, PARLEY_STR(A),
                                        NULL, &all),
                     0);
    assert_int_equal(all.n, 0);
    assert_non_null(all.keys);
}


static const char *const  unbound[] = {
    "{\"cnf\":{\"jkt\":\"0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I\"}}",
    "{\"cnf\":{\"x5t#S256\":\"" PRINT "\",\"jkt\":\"a\"}}",
    "{\"cnf\":{\"jkt\":\"a\",\"x5t#S256\":\"" PRINT "\"}}",
    "{\"cnf\":{\"jwk\":{\"kty\":\"oct\"}}}",
    "{\"cnf\":{}}",
    "{\"cnf\":null}",
    "{\"cnf\":\"" PRINT "\"}",
    "{\"cnf\":[\"x5t#S256\",\"" PRINT "\"]}",
    "{\"cnf\":{\"x5t#S256\":null}}",
    "{\"cnf\":{\"x5t#S256\":\"\"}}",
    "{\"cnf\":{\"x5t#S256\":\"" PRINT "A\"}}",
    "{\"cnf\":{\"x5t#S256\":\"" PRINT "=\"}}",
    "{\"cnf\":{\"x5t#S256\":\"bwcK0esc3ACC3DB2Y5/lESsXE8o9ltc05O89jdN+dg2\"}}",
    "{\"cnf\":{\"x5t\":\"" PRINT "\"}}",
};


static void
test_binding(void **state)
{
    size_t          i;
    uint8_t         print[PARLEY_CERTIFICATE_PRINT];
    parley_jwk_t    jwk;
    parley_jwt_t    jwt, copy;
    parley_jwks_t   keys;
    parley_error_t  err;

    (void) state;

    jwk = parley_test_generate(PARLEY_ALG_EDDSA, "1");
    keys = parley_test_set(&jwk, 1);

    jwt = taken(&keys, token(&jwk, "1", "{}"));
    assert_false(jwt.bound);
    memset(print, 0, sizeof(print));
    assert_int_equal(parley_jwt_check_binding(&jwt, NULL, &err), 0);
    assert_int_equal(parley_jwt_check_binding(&jwt, print, &err), 0);

    /* an all-zero digest, equal to memory that was never set */

    jwt = taken(&keys, token(&jwk, "1", "{\"cnf\":{\"x5t#S256\":\""
                             "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                             "\"}}"));
    assert_true(jwt.bound);
    assert_int_equal(parley_jwt_check_binding(&jwt, print, &err), 0);

    assert_int_equal(parley_jwt_check_binding(&jwt, NULL, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
    assert_string_equal(err.field, "cnf");

    for (i = 0; i < sizeof(print); i++) {
        print[i] = 1;
        assert_int_equal(parley_jwt_check_binding(&jwt, print, &err), -1);
        assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
        print[i] = 0;
    }

    /* a cached token is bound as well */

    assert_int_equal(parley_jwt_copy(&jwt, &test_arena, &copy), 0);
    assert_int_equal(parley_jwt_check_binding(&copy, NULL, &err), -1);
    assert_int_equal(parley_jwt_check_binding(&copy, print, &err), 0);

    for (i = 0; i < sizeof(unbound) / sizeof(unbound[0]); i++) {
        refuse(&keys, token(&jwk, "1", unbound[i]), "cnf", 0);
    }

    parley_jwks_free(&keys);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("SEC-16 GW-02 keys of an issuer verify its tokens alone",
                     test_issuer),
    parley_auth_test("SEC-16 GW-11 no two keys of one kid for one issuer",
                     test_clash),
    parley_auth_test("GW-02 fetched keys stand in the place of the file of "
                     "their issuer", test_beside),
    parley_auth_test("SEC-17 a token that is bound to a certificate, or to "
                     "what is not verified", test_binding),
};


PARLEY_TEST_MAIN(tests)
