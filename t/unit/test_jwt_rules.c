/* auth/parley_jwt.h: rules of a location for type, lifetime and id */

#include "t/unit/parley_test_auth.h"


#define NOW     1700000000
#define NOW_MS  (NOW * INT64_C(1000))


static parley_jwk_t   jwk;
static parley_jwks_t  keys;


static int
begin(void **state)
{
    if (parley_test_arena_begin(state) != 0) {
        return -1;
    }

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    return 0;
}


static int
end(void **state)
{
    parley_jwk_free(&jwk);

    return parley_test_arena_end(state);
}


#define rules_test(name, f)  { (name), (f), begin, end, NULL }


/* Checks a token and its copy, as in a cache; field NULL: valid. */

static void
check(const char *header, const char *claims,
    const parley_jwt_rules_t *rules, const char *field)
{
    int             i, rc;
    parley_jwt_t    jwt, copy;
    parley_error_t  err;

    jwt = taken(&keys, parley_test_token(header, claims, &jwk,
                                         PARLEY_ALG_HS256));
    assert_int_equal(parley_jwt_copy(&jwt, &test_arena, &copy), 0);

    for (i = 0; i < 2; i++) {
        rc = parley_jwt_check(i == 0 ? &jwt : &copy, rules, NOW_MS, &err);

        if (field == NULL) {
            if (rc != 0) {
                fail_msg("%s %s: %s: %s", header, claims, err.field,
                         err.text);
            }

            continue;
        }

        if (rc == 0) {
            fail_msg("taken: %s %s", header, claims);
        }

        assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
        assert_string_equal(err.field, field);
        assert_int_equal(err.is_name, 1);
    }
}


static void
typed(const char *typ, const parley_jwt_rules_t *rules, const char *field)
{
    char  header[512];

    (void) snprintf(header, sizeof(header), "{\"alg\":\"HS256\"%s%s%s}",
                    typ != NULL ? ",\"typ\":\"" : "",
                    typ != NULL ? typ : "", typ != NULL ? "\"" : "");

    check(header, "{\"exp\":1700000060}", rules, field);
}


static void
test_typ(void **state)
{
    size_t              i, k;
    parley_jwt_rules_t  rules;

    /* accepted by these rules: default, at+jwt, JWT, wit+jwt */

    static const struct {
        const char  *typ;       /* NULL: missing */
        int          good[4];
    } types[] = {
        { NULL, { 1, 0, 0, 0 } },
        { "JWT", { 1, 0, 1, 0 } },
        { "jwt", { 1, 0, 1, 0 } },
        { "application/JWT", { 1, 0, 1, 0 } },
        { "at+jwt", { 1, 1, 0, 0 } },
        { "AT+JWT", { 1, 1, 0, 0 } },
        { "application/at+jwt", { 1, 1, 0, 0 } },
        { "Application/At+Jwt", { 1, 1, 0, 0 } },
        { "\\u0061t+jwt", { 1, 1, 0, 0 } },
        { "wit+jwt", { 0, 0, 0, 1 } },
        { "application/wit+jwt", { 0, 0, 0, 1 } },
        { "logout+jwt", { 0, 0, 0, 0 } },
        { "dpop+jwt", { 0, 0, 0, 0 } },
        { "JW", { 0, 0, 0, 0 } },
        { "JWTX", { 0, 0, 0, 0 } },
        { "at+jw", { 0, 0, 0, 0 } },
        { "at+jwtx", { 0, 0, 0, 0 } },
        { " at+jwt", { 0, 0, 0, 0 } },
        { "at+jwt ", { 0, 0, 0, 0 } },
        { "at jwt", { 0, 0, 0, 0 } },
        { "text/at+jwt", { 0, 0, 0, 0 } },
        { "application/", { 0, 0, 0, 0 } },
        { "application/application/at+jwt", { 0, 0, 0, 0 } },
        { "at+jwt;v=1", { 0, 0, 0, 0 } },
        { "at+jwt\\u0000", { 0, 0, 0, 0 } },
        { "\\u212at+jwt", { 0, 0, 0, 0 } },
    };
    static const char  *words[] = { "", "at+jwt", "application/jwt",
                                    "WIT+jwt" };

    (void) state;

    memset(&rules, 0, sizeof(rules));

    for (k = 0; k < 4; k++) {

        if (k != 0) {
            assert_int_equal(parley_jwt_typ_parse(parley_str_c(words[k]),
                                                  &rules.typ), 0);
        }

        for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            typed(types[i].typ, &rules, types[i].good[k] ? NULL : "typ");
        }
    }
}


static void
test_typ_words(void **state)
{
    char          word[160];
    size_t        i;
    parley_str_t  typ;

    static const char  *good[] = {
        "JWT", "jwt", "at+jwt", "AT+jwt", "application/at+jwt",
        "APPLICATION/JWT", "a+jwt", "vnd.example-1_x.y+jwt", "9+jwt",
    };
    static const char  *bad[] = {
        "", "+jwt", "at-jwt", "at+jwt ", " at+jwt", "at jwt", "at+jw",
        "at+jwtx", "jwtx", "application/", "application/application/jwt",
        "text/at+jwt", "at+jwt;q=1", "at\"+jwt", "\xc3\xa9+jwt", ".at+jwt",
        "at+jwt\n", "*+jwt",
    };

    (void) state;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        if (parley_jwt_typ_parse(parley_str_c(good[i]), &typ) != 0) {
            fail_msg("%s was refused", good[i]);
        }

        assert_true(typ.len >= 3);
        assert_null(memchr(typ.data, '/', typ.len));
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (parley_jwt_typ_parse(parley_str_c(bad[i]), &typ) == 0) {
            fail_msg("\"%s\" was taken", bad[i]);
        }

        assert_int_equal(typ.len, 0);
    }

    assert_int_equal(parley_jwt_typ_parse(parley_str_make("at\0+jwt", 7),
                                          &typ), -1);

    /* the longest allowed name, and one more octet */

    memset(word, 'a', sizeof(word));
    memcpy(word + PARLEY_JWT_TYP_MAX - 3, "+jwt", 4);
    assert_int_equal(parley_jwt_typ_parse(
                         parley_str_make(word + 1, PARLEY_JWT_TYP_MAX), &typ),
                     0);
    assert_int_equal(parley_jwt_typ_parse(
                         parley_str_make(word, PARLEY_JWT_TYP_MAX + 1), &typ),
                     -1);
}


static void
lives(const char *claims, const parley_jwt_rules_t *rules, const char *field)
{
    check("{\"alg\":\"HS256\"}", claims, rules, field);
}


static void
test_lifetime(void **state)
{
    parley_jwt_rules_t  hour, lenient;

    (void) state;

    memset(&hour, 0, sizeof(hour));
    hour.max_lifetime = 3600;

    lenient = hour;
    lenient.leeway = 30;
    lenient.exp_optional = 1;

    /* from iat to exp, independent of the current time */

    lives("{\"iat\":1700000000,\"exp\":1700003600}", &hour, NULL);
    lives("{\"iat\":1700000000,\"exp\":1700003601}", &hour, "exp");
    lives("{\"iat\":1700000000,\"exp\":1700003600.5}", &hour, "exp");
    lives("{\"iat\":1700000000,\"exp\":1700003601}", &lenient, "exp");
    lives("{\"iat\":1699996500,\"exp\":1700000100}", &hour, NULL);
    lives("{\"iat\":1699996499,\"exp\":1700000100}", &hour, "exp");
    lives("{\"iat\":0,\"exp\":1700000001}", &hour, "exp");
    lives("{\"iat\":1700000000,\"exp\":253402300799}", &hour, "exp");

    /* without iat: the time that is left */

    lives("{\"exp\":1700003600}", &hour, NULL);
    lives("{\"exp\":1700003601}", &hour, "exp");
    lives("{\"exp\":1700003630}", &lenient, NULL);
    lives("{\"exp\":1700003631}", &lenient, "exp");
    lives("{\"nbf\":1700000000,\"exp\":1700003601}", &hour, "exp");

    /*
     * a token that never ends exceeds every limit, even if the rules allow it
     * without a limit
     */

    lives("{\"iat\":1700000000}", &hour, "exp");
    lives("{\"iat\":1700000000}", &lenient, "exp");

    /* an iat in the future does not shorten it */

    lives("{\"iat\":1700003600,\"exp\":1700007200}", &hour, "iat");

    hour.max_lifetime = 0;
    lives("{\"iat\":0,\"exp\":253402300799}", &hour, NULL);
}


static void
identified(const char *jti, const parley_jwt_rules_t *rules,
    const char *field)
{
    char  claims[1024];

    (void) snprintf(claims, sizeof(claims), "{\"iss\":\"i\",\"jti\":%s,"
                    "\"exp\":1700000060}", jti);
    check("{\"alg\":\"HS256\"}", claims, rules, field);
}


static void
test_jti(void **state)
{
    char                text[512];
    size_t              i;
    parley_jwt_rules_t  none, rules;

    static const struct {
        const char  *jti;
        int          good;
    } ids[] = {
        { "\"x\"", 1 },
        { "\"2f6b1c9e-6a1f-4a0e-9d55-0d2f6c8a7b11\"", 1 },
        { "\"urn:uuid:a+b/c==~!\"", 1 },
        { "\"\\u0061\"", 1 },
        { "\"\"", 0 },
        { "null", 0 },
        { "7", 0 },
        { "[\"x\"]", 0 },
        { "{}", 0 },
        { "\"a b\"", 0 },
        { "\" \"", 0 },
        { "\"a\\n\"", 0 },
        { "\"a\\u0000b\"", 0 },
        { "\"a\\u007f\"", 0 },
        { "\"\xc3\xa9\"", 0 },
    };

    (void) state;

    memset(&none, 0, sizeof(none));
    rules = none;
    rules.jti_required = 1;

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        identified(ids[i].jti, &rules, ids[i].good ? NULL : "jti");
        identified(ids[i].jti, &none, NULL);
    }

    check("{\"alg\":\"HS256\"}", "{\"iss\":\"i\",\"exp\":1700000060}", &rules,
          "jti");

    /* its length is limited */

    memset(text, 'j', sizeof(text));
    text[0] = '"';
    text[PARLEY_JWT_JTI_MAX + 1] = '"';
    text[PARLEY_JWT_JTI_MAX + 2] = '\0';
    identified(text, &rules, NULL);

    text[PARLEY_JWT_JTI_MAX + 1] = 'j';
    text[PARLEY_JWT_JTI_MAX + 2] = '"';
    text[PARLEY_JWT_JTI_MAX + 3] = '\0';
    identified(text, &rules, "jti");
    identified(text, &none, NULL);

    /* it is unique within its issuer, which must be present */

    check("{\"alg\":\"HS256\"}", "{\"jti\":\"x\",\"exp\":1700000060}", &rules,
          "iss");
    check("{\"alg\":\"HS256\"}", "{\"iss\":\"\",\"jti\":\"x\","
          "\"exp\":1700000060}", &rules, "iss");
}


static const struct CMUnitTest  tests[] = {
    rules_test("SEC-14 a token's typ, by default and as it is required",
               test_typ),
    rules_test("SEC-14 words that a type can be", test_typ_words),
    rules_test("SEC-14 a maximum lifetime, from iat or from now",
               test_lifetime),
    rules_test("SEC-14 an id that is required, bounded, and its issuer's",
               test_jti),
};


PARLEY_TEST_MAIN(tests)
