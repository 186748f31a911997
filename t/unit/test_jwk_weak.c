/* auth/parley_jwk.h: keys that are refused, in a file and as published */

#include "t/unit/parley_test_auth.h"


/*
 * t/cases/keys: roca-*.jwk have primes k * M + (65537^a mod M), made with the
 * M of 2048 and 4096 bits (126 and 225 primes).  near-roca-*.jwk is a power of
 * 65537 modulo each small prime, but not with one exponent for all.
 */

static void
test_roca(void **state)
{
    int             rc;
    size_t          i;
    char            path[128];
    parley_buf_t    b;
    parley_str_t    text;
    parley_jwk_t    jwk;
    parley_error_t  err;

    static const struct {
        const char  *name;
        int          weak;
    } keys[] = {
        { "roca-2048", 1 }, { "roca-4096", 1 }, { "near-roca-2048", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        (void) snprintf(path, sizeof(path), "t/cases/keys/%s.jwk",
                        keys[i].name);
        text = parley_test_file(path);

        rc = parley_jwk_parse(&test_arena, text, &jwk, &err);
        free((void *) (uintptr_t) text.data);

        if (keys[i].weak) {
            assert_int_equal(rc, -1);
            assert_string_equal(err.field, "/n");
            assert_non_null(strstr(err.text, "CVE-2017-15361"));
            continue;
        }

        if (rc != 0) {
            fail_msg("%s: %s %s", keys[i].name, err.field, err.text);
        }

        parley_jwk_free(&jwk);
    }

    /* no key that OpenSSL makes is refused */

    for (i = 0; i < 8; i++) {
        jwk = parley_test_generate(PARLEY_ALG_RS256, "");
        parley_buf_init(&b, &test_arena, 0);
        assert_int_equal(parley_jwk_write(&b, &jwk, 0, &err), 0);
        assert_int_equal(parley_buf_done(&b, &text), 0);
        parley_jwk_free(&jwk);

        jwk = parley_test_jwk((const char *) text.data);
        parley_jwk_free(&jwk);
    }
}


/* Reads a secret of that many octets, for alg or for any. */

static int
oct(size_t len, const char *alg, parley_jwk_t *jwk, parley_error_t *err)
{
    char     text[256];
    uint8_t  secret[64];

    memset(secret, 0x5a, sizeof(secret));
    (void) snprintf(text, sizeof(text), "{\"kty\":\"oct\",%s%s%s\"k\":\"%s\"}",
                    alg[0] != '\0' ? "\"alg\":\"" : "", alg,
                    alg[0] != '\0' ? "\"," : "",
                    parley_test_base64url(parley_str_make(secret, len)));

    return parley_jwk_parse(&test_arena, parley_str_c(text), jwk, err);
}


static void
test_short_secret(void **state)
{
    size_t               i;
    parley_jwk_t         jwk;
    parley_error_t       err;
    const parley_alg_t  *alg;

    static const parley_alg_id_t  algs[] = {
        PARLEY_ALG_HS256, PARLEY_ALG_HS384, PARLEY_ALG_HS512
    };

    (void) state;

    for (i = 0; i < 3; i++) {
        alg = parley_alg_get(algs[i]);
        assert_int_equal(alg->key_min, alg->digest_len);

        assert_int_equal(oct(alg->digest_len - 1,
                             (const char *) alg->name.data, &jwk, &err), -1);
        assert_string_equal(err.field, i == 0 ? "/k" : "/alg");

        assert_int_equal(oct(alg->digest_len, (const char *) alg->name.data,
                             &jwk, &err), 0);
        assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(algs[i]));
        parley_jwk_free(&jwk);
    }

    /*
     * without alg a secret may be used with each digest that it is long enough
     * for
     */

    assert_int_equal(oct(31, "", &jwk, &err), -1);
    assert_int_equal(oct(47, "", &jwk, &err), 0);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_HS256));
    parley_jwk_free(&jwk);
    assert_int_equal(oct(63, "", &jwk, &err), 0);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_HS256)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_HS384));
    parley_jwk_free(&jwk);
}


/*
 * Modulus and exponent of that many bits: the smallest allowed, and one less.
 */

static void
test_weak_rsa(void **state)
{
    char            text[1024];
    size_t          i;
    uint8_t         n[256];
    parley_jwk_t    jwk;
    parley_error_t  err;

    static const struct {
        uint8_t      first;     /* octet of the modulus */
        uint8_t      last;
        const char  *e;
        const char  *field;     /* "": accepted */
    } keys[] = {
        { 0x80, 0x01, "AQAB", "" },
        { 0x7f, 0x01, "AQAB", "/n" },           /* 2047 bits */
        { 0x80, 0x02, "AQAB", "/n" },
        { 0x80, 0x01, "Aw", "" },
        { 0x80, 0x01, "AAAAAAAAAAM", "" },      /* 3, with leading zeros */
        { 0x80, 0x01, "AQ", "/e" },             /* 1 */
        { 0x80, 0x01, "AAE", "/e" },
        { 0x80, 0x01, "AA", "/e" },             /* 0 */
        { 0x80, 0x01, "Ag", "/e" },             /* 2 */
        { 0x80, 0x01, "AQAA", "/e" },           /* 65536 */
        { 0x80, 0x01, "__________8", "" },      /* 2^64 - 1 */
        { 0x80, 0x01, "AQAAAAAAAAAB", "/e" },   /* 2^64 + 1 */
    };

    (void) state;

    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        memset(n, 0xa5, sizeof(n));
        n[0] = keys[i].first;
        n[sizeof(n) - 1] = keys[i].last;

        (void) snprintf(text, sizeof(text),
                        "{\"kty\":\"RSA\",\"n\":\"%s\",\"e\":\"%s\"}",
                        parley_test_base64url(parley_str_make(n, sizeof(n))),
                        keys[i].e);

        if (parley_jwk_parse(&test_arena, parley_str_c(text), &jwk, &err)
            == 0)
        {
            assert_string_equal("", keys[i].field);
            parley_jwk_free(&jwk);

        } else {
            assert_string_equal(err.field, keys[i].field);
        }
    }
}


/* Keys of a provider: one bad key does not affect the others. */

static void
test_published(void **state)
{
    size_t          i;
    parley_jwks_t   keys;
    parley_error_t  err;

#define GOOD   "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"a\"," \
               "\"x\":\"" RFC8037_X "\"}"
#define OTHER  "{\"kty\":\"AKP\"}"
#define WEAK   "{\"kty\":\"oct\",\"k\":\"AAEC\"}"

    static const struct {
        const char  *text;
        int          rc;
        size_t       n, skipped, refused;
        const char  *field;
    } sets[] = {
        { "{\"keys\":[]}", 0, 0, 0, 0, "" },
        { " {\"keys\" : [ ], \"x\":1} ", 0, 0, 0, 0, "" },
        { "{\"keys\":[" GOOD "]}", 0, 1, 0, 0, "" },
        { "{\"keys\":[" OTHER "]}", 0, 0, 1, 0, "" },
        { "{\"keys\":[" WEAK "]}", 0, 0, 0, 1, "/keys/0/k" },
        { "{\"keys\":[" OTHER "," WEAK "," GOOD ",1,{}]}", 0, 1, 1, 3,
          "/keys/1/k" },
        { "{\"keys\":[" GOOD "," GOOD "]}", 0, 1, 0, 1, "/keys/1/kid" },
        { "{\"keys\":[null]}", 0, 0, 0, 1, "/keys/0" },
        { "{}", -1, 0, 0, 0, "/keys" },
        { "[]", -1, 0, 0, 0, "" },
        { "", -1, 0, 0, 0, "" },
        { "{\"keys\":null}", -1, 0, 0, 0, "/keys" },
        { "{\"keys\":{}}", -1, 0, 0, 0, "/keys" },
        { "{\"keys\":[]", -1, 0, 0, 0, "" },
        { "{\"keys\":[],\"keys\":[" GOOD "]}", -1, 0, 0, 0, "/keys" },
        { "{\"error\":\"unavailable\"}", -1, 0, 0, 0, "/keys" },
    };

    (void) state;

    for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        memset(&keys, 0xff, sizeof(keys));

        if (parley_jwks_parse_published(&test_arena,
                                        parley_str_c(sets[i].text), &keys,
                                        &err)
            != sets[i].rc)
        {
            fail_msg("%s: %s %s", sets[i].text, err.field, err.text);
        }

        assert_int_equal(keys.n, sets[i].n);
        assert_int_equal(keys.skipped, sets[i].skipped);
        assert_int_equal(keys.refused, sets[i].refused);
        assert_string_equal(err.field, sets[i].field);
        assert_int_equal(err.code != PARLEY_E_NONE,
                         sets[i].rc != 0 || sets[i].refused != 0);

        /* an empty set is a set; a missing one is not */

        assert_int_equal(keys.keys != NULL, sets[i].rc == 0);
        assert_int_equal(parley_jwks_verifiers(&keys), sets[i].n);
        assert_int_equal(ERR_peek_error(), 0);

        parley_jwks_free(&keys);
        assert_null(keys.keys);
    }
}


/* A key that can only sign verifies nothing. */

static void
test_verifiers(void **state)
{
    parley_jwks_t  keys;

    (void) state;

    keys = parley_test_jwks(
        "{\"keys\":[" GOOD ","
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X "\","
        "\"d\":\"" RFC8037_D "\",\"key_ops\":[\"sign\"]}]}");

    assert_int_equal(keys.n, 2);
    assert_int_equal(parley_jwks_verifiers(&keys), 1);
    parley_jwks_free(&keys);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("SEC-18 RSA moduli of CVE-2017-15361 are refused, and "
                     "no others", test_roca),
    parley_auth_test("SEC-18 RSA below 2048 bits, exponents of 1 and even "
                     "ones are refused", test_weak_rsa),
    parley_auth_test("SEC-18 HMAC secrets shorter than their digest are "
                     "refused", test_short_secret),
    parley_auth_test("GW-02 SEC-18 a published set: bad keys are left out, "
                     "an empty one is one", test_published),
    parley_auth_test("keys that verify are counted", test_verifiers),
};


PARLEY_TEST_MAIN(tests)
