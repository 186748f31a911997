/* auth/parley_jwt.h: claims, and the rules of a location */

#include "t/unit/parley_test_auth.h"


#define NOW  INT64_C(1700000000000)     /* milliseconds */


static void
test_claims_form(void **state)
{
    size_t          i;
    parley_jwk_t    jwk;
    parley_jwks_t   keys;

    static const struct {
        const char  *claims;
        const char  *field;
    } bad[] = {
        { "", "" },
        { "[]", "" },
        { "null", "" },
        { "{\"exp\":1,\"exp\":9999999999}", "" },
        { "{\"exp\":\"1700000060\"}", "exp" },
        { "{\"exp\":null}", "exp" },
        { "{\"exp\":[1700000060]}", "exp" },
        { "{\"exp\":true}", "exp" },
        { "{\"exp\":-1}", "exp" },
        { "{\"exp\":1e300}", "exp" },
        { "{\"exp\":1e400}", "" },
        { "{\"exp\":9223372036854775808}", "exp" },
        { "{\"exp\":253402300800}", "exp" },
        { "{\"exp\":NaN}", "" },
        { "{\"exp\":Infinity}", "" },
        { "{\"exp\":0x7fffffff}", "" },
        { "{\"exp\":1,\"nbf\":\"0\"}", "nbf" },
        { "{\"exp\":1,\"iat\":{}}", "iat" },
        { "{\"exp\":1,\"iss\":[\"a\"]}", "iss" },
        { "{\"exp\":1,\"sub\":1}", "sub" },
        { "{\"exp\":1,\"aud\":1}", "aud" },
        { "{\"exp\":1,\"aud\":{}}", "aud" },
        { "{\"exp\":1,\"aud\":[\"a\",1]}", "aud" },
        { "{\"exp\":1,\"aud\":[[\"a\"]]}", "aud" },
        { "{\"exp\":1,\"scope\":1}", "scope" },
        { "{\"exp\":1,\"scope\":{\"a\":\"b\"}}", "scope" },
        { "{\"exp\":1,\"scp\":[1]}", "scp" },
        { "{\"exp\":1,\"sub\":\"\xc0\xaf\"}", "" },
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        refuse(&keys, parley_test_token("{\"alg\":\"HS256\"}", bad[i].claims,
                                        &jwk, PARLEY_ALG_HS256),
               bad[i].field, 0);
    }

    parley_jwk_free(&jwk);
}


static void
check(const parley_jwks_t *keys, const char *claims,
    const parley_jwt_rules_t *rules, int64_t now, parley_code_t code,
    const char *field)
{
    int             rc;
    parley_jwt_t    jwt;
    parley_error_t  err;

    jwt = taken(keys, parley_test_token("{\"alg\":\"HS256\"}", claims,
                                         &keys->keys[0], PARLEY_ALG_HS256));
    rc = parley_jwt_check(&jwt, rules, now, &err);

    if (code == PARLEY_E_NONE) {
        if (rc != 0) {
            fail_msg("%s: %s: %s", claims, err.field, err.text);
        }

        return;
    }

    if (rc == 0) {
        fail_msg("taken: %s", claims);
    }

    assert_int_equal(err.code, code);
    assert_string_equal(err.field, field);
    assert_int_equal(err.is_name, 1);
}


static void
test_time(void **state)
{
    parley_jwk_t        jwk;
    parley_jwks_t       keys;
    parley_jwt_rules_t  plain, lenient, endless;

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    memset(&plain, 0, sizeof(plain));
    lenient = plain;
    lenient.leeway = 30;
    endless = plain;
    endless.exp_optional = 1;

    /* expired one second ago, this second, and the limits of the leeway */

    check(&keys, "{\"exp\":1700000001}", &plain, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000000}", &plain, NOW, PARLEY_E_TOKEN_EXPIRED,
          "exp");
    check(&keys, "{\"exp\":1699999999}", &plain, NOW, PARLEY_E_TOKEN_EXPIRED,
          "exp");
    check(&keys, "{\"exp\":1699999999}", &lenient, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1699999971}", &lenient, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1699999970}", &lenient, NOW,
          PARLEY_E_TOKEN_EXPIRED, "exp");

    /* fractions, exponents */

    check(&keys, "{\"exp\":1700000000.5}", &plain, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1699999999.9}", &plain, NOW,
          PARLEY_E_TOKEN_EXPIRED, "exp");
    check(&keys, "{\"exp\":1700000000.4}", &plain, NOW + 399, PARLEY_E_NONE,
          "");
    check(&keys, "{\"exp\":1700000000.4}", &plain, NOW + 400,
          PARLEY_E_TOKEN_EXPIRED, "exp");
    check(&keys, "{\"exp\":1700000000.4}", &lenient, NOW + 30399,
          PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000000.4}", &lenient, NOW + 30400,
          PARLEY_E_TOKEN_EXPIRED, "exp");
    check(&keys, "{\"exp\":1.7000001e9}", &plain, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":0}", &plain, NOW, PARLEY_E_TOKEN_EXPIRED, "exp");
    check(&keys, "{\"exp\":253402300799}", &plain, NOW, PARLEY_E_NONE, "");

    /* no exp */

    check(&keys, "{}", &plain, NOW, PARLEY_E_TOKEN_INVALID, "exp");
    check(&keys, "{}", &endless, NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1699999999}", &endless, NOW,
          PARLEY_E_TOKEN_EXPIRED, "exp");

    /* nbf, iat */

    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000000}", &plain, NOW,
          PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000001}", &plain, NOW,
          PARLEY_E_TOKEN_INVALID, "nbf");
    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000030}", &lenient, NOW,
          PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000031}", &lenient, NOW,
          PARLEY_E_TOKEN_INVALID, "nbf");
    check(&keys, "{\"exp\":1700000060,\"iat\":1700000001}", &plain, NOW,
          PARLEY_E_TOKEN_INVALID, "iat");
    check(&keys, "{\"exp\":1700000060,\"iat\":1700000030}", &lenient, NOW,
          PARLEY_E_NONE, "");

    /* GW-38: dates are compared in whole milliseconds */

    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000000.4}", &plain,
          NOW + 399, PARLEY_E_TOKEN_INVALID, "nbf");
    check(&keys, "{\"exp\":1700000060,\"nbf\":1700000000.4}", &plain,
          NOW + 400, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"iat\":1700000000.4}", &plain,
          NOW + 399, PARLEY_E_TOKEN_INVALID, "iat");
    check(&keys, "{\"exp\":1700000060,\"iat\":1700000000.4009}", &plain,
          NOW + 400, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"iat\":1700000000.4}", &plain,
          NOW + 600, PARLEY_E_NONE, "");

    /* another error has priority: a new token would not help */

    check(&keys, "{\"exp\":1,\"nbf\":1700000001}", &plain, NOW,
          PARLEY_E_TOKEN_INVALID, "nbf");

    parley_jwk_free(&jwk);
}


static void
test_rules(void **state)
{
    parley_jwk_t        jwk;
    parley_jwks_t       keys;
    parley_jwt_rules_t  rules;

    static const parley_str_t  issuers[] = {
        parley_str("https://a.example"), parley_str("https://b.example")
    };
    static const parley_str_t  audiences[] = {
        parley_str("agents"), parley_str("ops")
    };
    static const parley_jwt_require_t  required[] = {
        { parley_str("tenant"), parley_str_none, 0 },
        { parley_str("level"), parley_str("3"), 1 },
        { parley_str("/realm/roles"), parley_str("admin"), 1 },
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);
    memset(&rules, 0, sizeof(rules));

    rules.issuers = issuers;
    rules.nissuers = 2;

    check(&keys, "{\"exp\":1700000060}", &rules, NOW, PARLEY_E_TOKEN_INVALID,
          "iss");
    check(&keys, "{\"exp\":1700000060,\"iss\":\"\"}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "iss");
    check(&keys, "{\"exp\":1700000060,\"iss\":\"https://a.example/\"}",
          &rules, NOW, PARLEY_E_TOKEN_INVALID, "iss");
    check(&keys, "{\"exp\":1700000060,\"iss\":\"HTTPS://A.EXAMPLE\"}",
          &rules, NOW, PARLEY_E_TOKEN_INVALID, "iss");
    check(&keys, "{\"exp\":1700000060,\"iss\":\"https://b.example\"}",
          &rules, NOW, PARLEY_E_NONE, "");

    rules.nissuers = 0;
    rules.audiences = audiences;
    rules.naudiences = 2;

    check(&keys, "{\"exp\":1700000060}", &rules, NOW, PARLEY_E_TOKEN_INVALID,
          "aud");
    check(&keys, "{\"exp\":1700000060,\"aud\":[]}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "aud");
    check(&keys, "{\"exp\":1700000060,\"aud\":\"agent\"}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "aud");
    check(&keys, "{\"exp\":1700000060,\"aud\":\"agents ops\"}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "aud");
    check(&keys, "{\"exp\":1700000060,\"aud\":\"ops\"}", &rules, NOW,
          PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"aud\":\"\\u006fps\"}", &rules, NOW,
          PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1700000060,\"aud\":[\"x\",\"agents\"]}", &rules,
          NOW, PARLEY_E_NONE, "");
    check(&keys, "{\"exp\":1,\"aud\":\"x\"}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "aud");

    rules.naudiences = 0;
    rules.required = required;
    rules.nrequired = 3;

    check(&keys, "{\"exp\":1700000060,\"tenant\":null,\"level\":3,"
          "\"realm\":{\"roles\":[\"admin\"]}}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "tenant");
    check(&keys, "{\"exp\":1700000060,\"tenant\":\"t\",\"level\":33,"
          "\"realm\":{\"roles\":[\"admin\"]}}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "level");
    check(&keys, "{\"exp\":1700000060,\"tenant\":\"t\",\"level\":\"3\","
          "\"realm\":{\"roles\":[\"adm\",[\"admin\"]]}}", &rules, NOW,
          PARLEY_E_TOKEN_INVALID, "/realm/roles");
    check(&keys, "{\"exp\":1700000060,\"tenant\":{},\"level\":3,"
          "\"realm\":{\"roles\":[\"user\",\"admin\"]}}", &rules, NOW,
          PARLEY_E_NONE, "");

    parley_jwk_free(&jwk);
}


static void
test_claims(void **state)
{
    size_t          i;
    parley_jwk_t    jwk;
    parley_jwt_t    jwt, copy;
    parley_str_t    text;
    parley_jwks_t   keys;
    parley_arena_t  arena;

    static const struct {
        const char  *name;
        const char  *text;      /* NULL: none */
    } claims[] = {
        { "sub", "al\xc3\xafk\xc3\xa9" }, { "n", "1.50" }, { "yes", "true" },
        { "no", "false" }, { "nil", NULL }, { "absent", NULL },
        { "o", "{\"a\":[1,2],\"b\":\"x\"}" }, { "/o/b", "x" },
        { "/o/a/1", "2" }, { "/o/a/2", NULL }, { "list", "[\"a\",null]" },
        { "", NULL }, { "empty", "" },
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    jwt = taken(&keys, parley_test_token("{\"alg\":\"HS256\"}",
        "{\"sub\":\"al\\u00efk\\u00e9\",\"iss\":\"i\",\"exp\":1700000060,"
        "\"n\":1.50,\"yes\":true,\"no\":false,\"nil\":null,\"empty\":\"\","
        "\"o\":{ \"b\" : \"x\", \"a\":[1, 2] },\"list\":[\"a\", null],"
        "\"scope\":\" ops:run  a.b \",\"scp\":[\"c\",\"d e\"]}", &jwk,
        PARLEY_ALG_HS256));

    /* the copy must not depend on the original */

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_jwt_copy(&jwt, &arena, &copy), 0);
    parley_test_arena_end(NULL);
    parley_arena_init(&test_arena, &parley_mem_libc, 0);

    assert_int_equal(copy.nscopes, 5);
    parley_assert_str(copy.scopes[0], "ops:run");
    parley_assert_str(copy.scopes[1], "a.b");
    parley_assert_str(copy.scopes[2], "c");
    parley_assert_str(copy.scopes[3], "d");
    parley_assert_str(copy.scopes[4], "e");
    parley_assert_str(copy.iss, "i");
    parley_assert_str(copy.sub, "al\xc3\xafk\xc3\xa9");

    for (i = 0; i < sizeof(claims) / sizeof(claims[0]); i++) {
        if (claims[i].text == NULL) {
            assert_int_equal(parley_jwt_claim(&copy, &test_arena,
                                              parley_str_c(claims[i].name),
                                              &text), -1);
            assert_int_equal(text.len, 0);
            continue;
        }

        assert_int_equal(parley_jwt_claim(&copy, &test_arena,
                                          parley_str_c(claims[i].name),
                                          &text), 0);
        parley_assert_str(text, claims[i].text);
    }

    parley_arena_reset(&arena);

    /* the secret of jwk was in the freed arena: reset before the free */

    jwk.secret = parley_str_none;
    parley_jwk_free(&jwk);
}


static void
test_scope_bound(void **state)
{
    char          *claims, *p;
    size_t         i;
    parley_jwk_t   jwk;
    parley_jwt_t   jwt;
    parley_jwks_t  keys;

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);
    claims = (char *) parley_arena_octets(&test_arena,
                                           3 * PARLEY_JWT_SCOPES_MAX);

    p = claims + sprintf(claims, "{\"scope\":\"");

    for (i = 0; i < PARLEY_JWT_SCOPES_MAX; i++) {
        p += sprintf(p, "a ");
    }

    (void) strcpy(p, "\"}");
    jwt = taken(&keys, parley_test_token("{\"alg\":\"HS256\"}", claims, &jwk,
                                          PARLEY_ALG_HS256));
    assert_int_equal(jwt.nscopes, PARLEY_JWT_SCOPES_MAX);

    (void) strcpy(p, "a\"}");
    refuse(&keys, parley_test_token("{\"alg\":\"HS256\"}", claims, &jwk,
                                    PARLEY_ALG_HS256), "scope", 0);
    parley_jwk_free(&jwk);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 claims of wrong type or out of range",
                     test_claims_form),
    parley_auth_test("GW-02 exp, nbf, iat and leeway", test_time),
    parley_auth_test("GW-02 iss, aud and required claims", test_rules),
    parley_auth_test("GW-02 claims as text, and in a copy", test_claims),
    parley_auth_test("GW-02 the number of scopes is bounded",
                     test_scope_bound),
};


PARLEY_TEST_MAIN(tests)
