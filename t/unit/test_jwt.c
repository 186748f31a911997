/* auth/parley_jwt.h: valid tokens, and many invalid ones */

#include "t/unit/parley_test_auth.h"

#include <jwt.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>


#define NOW  1700000000

#define CLAIMS  "{\"sub\":\"alice\",\"exp\":1700000060}"


/* RFC 7515 A.1 (also RFC 7519 3.1), A.2 and A.3. */

static void
test_vectors(void **state)
{
    size_t              i;
    parley_jwt_t        jwt;
    parley_jwk_t        jwk;
    parley_jwks_t       keys;
    parley_error_t      err;
    parley_jwt_rules_t  rules;

    static const struct {
        const char  *key;
        const char  *token;
    } vectors[] = {
        { RFC7515_HS256,
          "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJl"
          "eHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cn"
          "VlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" },
        { RFC7515_RS256,
          "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsD"
          "QogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgt"
          "v3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5Y"
          "Kt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrn"
          "byTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6"
          "_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUi"
          "pUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw" },
        { RFC7515_ES256,
          "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsD"
          "QogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38V"
          "WAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6"
          "NU1Q" },
    };

    (void) state;

    for (i = 0; i < 3; i++) {
        jwk = parley_test_jwk(vectors[i].key);
        keys = parley_test_set(&jwk, 1);
        jwt = taken(&keys, vectors[i].token);

        parley_assert_str(jwt.iss, "joe");
        assert_true(jwt.exp_ms == 1300819380000);
        assert_true(jwt.has_exp);
        assert_false(jwt.has_nbf);

        memset(&rules, 0, sizeof(rules));
        assert_int_equal(parley_jwt_check(&jwt, &rules, 1300819379999, &err),
                         0);
        assert_int_equal(parley_jwt_check(&jwt, &rules, 1300819380000, &err),
                         -1);
        assert_int_equal(err.code, PARLEY_E_TOKEN_EXPIRED);
        assert_string_equal(err.field, "exp");

        parley_jwk_free(&jwk);
    }
}


static void
test_none(void **state)
{
    char           header[64];
    size_t         i, k;
    parley_jwk_t   jwk[2];
    parley_jwks_t  keys;

    static const char  *words[] = {
        "none", "None", "NONE", "nOnE", "noNe", "none ", " none", "", "null",
        "HS", "hs256", "n\\u006fne", "none\\u0000", "HS256\\u0000",
    };

    (void) state;

    jwk[0] = parley_test_jwk(RFC7515_HS256);
    jwk[1] = parley_test_jwk(RFC7515_RS256);

    for (k = 0; k < 3; k++) {
        keys = parley_test_set(jwk, k);

        for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            (void) snprintf(header, sizeof(header), "{\"alg\":\"%s\"}",
                            words[i]);
            refuse(&keys, parley_test_token(header, CLAIMS, NULL, 0), "alg",
                   0);

            if (k != 0) {
                refuse(&keys, parley_test_token(header, CLAIMS, &jwk[0],
                                                PARLEY_ALG_HS256), "alg", 0);
            }
        }
    }

    parley_jwk_free(&jwk[0]);
    parley_jwk_free(&jwk[1]);
}


static parley_jwk_t
secret_jwk(const void *octets, size_t len)
{
    char  *text;

    text = (char *) parley_arena_octets(&test_arena, len * 2 + 256);
    assert_non_null(text);
    (void) sprintf(text, "{\"kty\":\"oct\",\"k\":\"%s\"}",
                   parley_test_base64url(parley_str_make(octets, len)));

    return parley_test_jwk(text);
}


/*
 * The attack: the public data of an RSA key (PEM, DER, modulus) as the secret
 * of HS256.
 */

static void
test_confusion_hmac(void **state)
{
    BIO            *bio;
    char           *pem, *header;
    int             der_len, i;
    size_t          k, n, len;
    uint8_t        *der, modulus[512];
    parley_str_t    secrets[4];
    parley_jwk_t    rsa, hmac;
    parley_jwks_t   keys;

    static const parley_alg_id_t  algs[] = {
        PARLEY_ALG_HS256, PARLEY_ALG_HS384, PARLEY_ALG_HS512
    };

    (void) state;

    rsa = parley_test_generate(PARLEY_ALG_RS256, "k1");
    keys = parley_test_set(&rsa, 1);

    bio = BIO_new(BIO_s_mem());
    assert_non_null(bio);
    assert_int_equal(PEM_write_bio_PUBKEY(bio, rsa.pkey), 1);
    len = (size_t) BIO_get_mem_data(bio, &pem);

    der = NULL;
    der_len = i2d_PUBKEY(rsa.pkey, &der);
    assert_true(der_len > 0);

    assert_int_equal(parley_base64url_decode(PARLEY_STR(RFC7515_RSA_N),
                                             modulus, &n), 0);

    secrets[0] = parley_str_make(pem, len);
    secrets[1] = parley_str_make(pem, len - 1);
    secrets[2] = parley_str_make(der, (size_t) der_len);
    secrets[3] = parley_str_make(modulus, n);

    for (k = 0; k < 4; k++) {
        for (i = 0; i < 3; i++) {
            hmac = secret_jwk(secrets[k].data, secrets[k].len);

            header = (char *) parley_arena_octets(&test_arena, 64);
            (void) sprintf(header, "{\"alg\":\"HS%d\"}", 256 + i * 128);
            refuse(&keys, parley_test_token(header, CLAIMS, &hmac, algs[i]),
                   "alg", 0);

            (void) sprintf(header, "{\"alg\":\"HS%d\",\"kid\":\"k1\"}",
                           256 + i * 128);
            refuse(&keys, parley_test_token(header, CLAIMS, &hmac, algs[i]),
                   "alg", 0);

            parley_jwk_free(&hmac);
        }
    }

    OPENSSL_free(der);
    BIO_free(bio);
    parley_jwk_free(&rsa);
}


/* Each key's signature with the name of each other algorithm. */

static void
test_confusion_matrix(void **state)
{
    char           header[64];
    size_t         i, k;
    parley_jwk_t   jwk;
    parley_jwks_t  keys;

    static const parley_alg_id_t  algs[] = {
        PARLEY_ALG_HS256, PARLEY_ALG_RS256, PARLEY_ALG_PS256,
        PARLEY_ALG_ES256, PARLEY_ALG_ES384, PARLEY_ALG_EDDSA
    };

    (void) state;

    for (i = 0; i < sizeof(algs) / sizeof(algs[0]); i++) {
        jwk = parley_test_generate(algs[i], "k1");
        keys = parley_test_set(&jwk, 1);

        for (k = 0; k < PARLEY_ALG_COUNT; k++) {
            (void) snprintf(header, sizeof(header),
                            "{\"alg\":\"%s\",\"kid\":\"k1\"}",
                            (const char *) parley_alg_get(
                                (parley_alg_id_t) k)->name.data);

            if (k == algs[i]) {
                (void) taken(&keys, parley_test_token(header, CLAIMS, &jwk,
                                                       algs[i]));
            } else {
                refuse(&keys, parley_test_token(header, CLAIMS, &jwk,
                                                algs[i]), "alg", 0);
            }
        }

        parley_jwk_free(&jwk);
    }
}


static void
test_kid(void **state)
{
    char           *token;
    parley_jwk_t    jwk[3];
    parley_jwks_t   keys;
    parley_jwt_t    jwt;

    (void) state;

    jwk[0] = parley_test_generate(PARLEY_ALG_EDDSA, "a");
    jwk[1] = parley_test_generate(PARLEY_ALG_EDDSA, "b");
    jwk[2] = parley_test_generate(PARLEY_ALG_ES256, "c");
    keys = parley_test_set(jwk, 3);

    jwt = taken(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"b\"}",
                                          CLAIMS, &jwk[1], PARLEY_ALG_EDDSA));
    parley_assert_str(jwt.kid, "b");

    /* signed with another key of the set than the token names */

    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"a\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "",
           0);
    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"c\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "alg",
           0);

    /* two keys are possible for the first token, one for the second */

    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\"}", CLAIMS, &jwk[1],
                                    PARLEY_ALG_EDDSA), "kid", 0);
    jwt = taken(&keys, parley_test_token("{\"alg\":\"ES256\"}", CLAIMS,
                                          &jwk[2], PARLEY_ALG_ES256));
    parley_assert_str(jwt.kid, "c");

    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "kid",
           0);
    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":7}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "kid",
           0);
    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":null}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "kid",
           0);
    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":"
                                    "\"../../dev/null\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "kid",
           1);
    refuse(&keys, parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"b\\u0000\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA), "kid",
           1);

    /* an escaped kid is equal */

    (void) taken(&keys,
                  parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"\\u0062\"}",
                                    CLAIMS, &jwk[1], PARLEY_ALG_EDDSA));

    /* the key was removed: the caller may fetch the set again */

    token = parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"b\"}", CLAIMS,
                              &jwk[1], PARLEY_ALG_EDDSA);
    keys = parley_test_set(jwk, 1);
    refuse(&keys, token, "kid", 1);
    keys = parley_test_set(NULL, 0);
    refuse(&keys, token, "kid", 1);

    parley_jwk_free(&jwk[0]);
    parley_jwk_free(&jwk[1]);
    parley_jwk_free(&jwk[2]);
}


static void
test_embedded_key(void **state)
{
    char           header[512];
    parley_jwk_t   mine, theirs;
    parley_jwks_t  keys;

    (void) state;

    mine = parley_test_generate(PARLEY_ALG_EDDSA, "mine");
    theirs = parley_test_jwk(RFC8037_PRIVATE);
    keys = parley_test_set(&mine, 1);

    (void) snprintf(header, sizeof(header),
                    "{\"alg\":\"EdDSA\",\"jwk\":%s,"
                    "\"jku\":\"https://attacker.example/\"}", RFC8037_PUBLIC);
    refuse(&keys, parley_test_token(header, CLAIMS, &theirs,
                                    PARLEY_ALG_EDDSA), "", 0);

    parley_jwk_free(&mine);
    parley_jwk_free(&theirs);
}


static void
test_header(void **state)
{
    size_t         i;
    parley_jwk_t   jwk;
    parley_jwks_t  keys;

    static const struct {
        const char  *header;
        const char  *field;
    } bad[] = {
        { "", "" },
        { "[]", "" },
        { "\"HS256\"", "" },
        { "{", "" },
        { "{}", "alg" },
        { "{\"alg\":\"HS256\"} ", NULL },
        { "{\"alg\":\"HS256\"}x", "" },
        { "{\"alg\":\"HS256\",\"alg\":\"HS256\"}", "" },
        { "{\"alg\":\"HS256\",\"\\u0061lg\":\"none\"}", "" },
        { "{\"alg\":[\"HS256\"]}", "alg" },
        { "{\"alg\":256}", "alg" },
        { "{\"alg\":null}", "alg" },
        { "{\"Alg\":\"HS256\"}", "alg" },
        { "{\"alg\":\"HS256\",\"crit\":[\"exp\"]}", "crit" },
        { "{\"alg\":\"HS256\",\"crit\":[]}", "crit" },
        { "{\"alg\":\"HS256\",\"crit\":null}", "crit" },
        { "{\"alg\":\"HS256\",\"crit\":[\"b64\"],\"b64\":false}", "crit" },
        { "{\"alg\":\"HS256\",\"typ\":\"JWT\"}", NULL },
        { "{\"alg\":\"HS256\",\"typ\":\"\"}", "typ" },
        { "{\"alg\":\"HS256\",\"typ\":null}", "typ" },
        { "{\"alg\":\"HS256\",\"typ\":[\"JWT\"]}", "typ" },
        { "{\"alg\":\"HS256\",\"typ\":1}", "typ" },
        { "{\"alg\":\"HS256\",\"x\":[[[[[[[[[]]]]]]]]]}", "" },
        { "{\"alg\":\"HS256\",\"x\":\"\\ud800\"}", "" },
        { "{\"alg\":\"HS256\",\"x\":\"\xff\"}", "" },
        { "\xef\xbb\xbf{\"alg\":\"HS256\"}", "" },
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (bad[i].field == NULL) {
            (void) taken(&keys, parley_test_token(bad[i].header, CLAIMS,
                                                   &jwk, PARLEY_ALG_HS256));
            continue;
        }

        refuse(&keys, parley_test_token(bad[i].header, CLAIMS, &jwk,
                                        PARLEY_ALG_HS256), bad[i].field, 0);
    }

    parley_jwk_free(&jwk);
}


static void
test_form(void **state)
{
    char           *token, *changed, *big;
    size_t          i, len;
    parley_jwk_t    jwk;
    parley_jwks_t   keys;
    parley_jwt_t    jwt;
    parley_error_t  err;

    parley_jwt_options_t  options = { 0, 0 };

    static const char  *bad[] = {
        "", ".", "..", "...", "a", "a.b", "a.b.c.d", "a.b.c.d.e", "e30.e30.",
        ".e30.", "e30..", "eyJhbGciOiJIUzI1NiJ9",
        "eyJhbGciOiJIUzI1NiJ9.e30", "eyJhbGciOiJIUzI1NiJ9.e30..",
        " eyJhbGciOiJIUzI1NiJ9.e30.", "Bearer e30.e30.e30",
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parley_jwt_verify(&keys, &test_arena, NULL,
                                           parley_str_c(bad[i]), &jwt, &err),
                         -1);
        assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
    }

    token = parley_test_token("{\"alg\":\"HS256\"}", CLAIMS, &jwk,
                              PARLEY_ALG_HS256);
    len = strlen(token);
    changed = (char *) parley_arena_octets(&test_arena, len + 8);

    /* every prefix, every changed character, and text after the token */

    for (i = 0; i < len; i++) {
        memcpy(changed, token, i);
        changed[i] = '\0';
        assert_int_equal(parley_jwt_verify(&keys, &test_arena, NULL,
                                           parley_str_c(changed), &jwt, &err),
                         -1);

        (void) strcpy(changed, token);
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        assert_int_equal(parley_jwt_verify(&keys, &test_arena, NULL,
                                           parley_str_c(changed), &jwt, &err),
                         -1);
    }

    (void) sprintf(changed, "%s=", token);
    refuse(&keys, changed, "", 0);
    (void) sprintf(changed, "%sA", token);
    refuse(&keys, changed, "", 0);
    (void) sprintf(changed, "%s\n", token);
    refuse(&keys, changed, "", 0);

    /* unused bits: the last character has 4 of 6 */

    (void) strcpy(changed, token);
    changed[len - 1]++;
    refuse(&keys, changed, "", 0);

    /* the limit of the length */

    options.token_max = len;
    assert_int_equal(parley_jwt_verify(&keys, &test_arena, &options,
                                       parley_str_c(token), &jwt, &err), 0);
    options.token_max = len - 1;
    assert_int_equal(parley_jwt_verify(&keys, &test_arena, &options,
                                       parley_str_c(token), &jwt, &err), -1);

    big = (char *) parley_arena_octets(&test_arena, 100001);
    memset(big, 'A', 100000);
    big[100000] = '\0';
    refuse(&keys, big, "", 0);

    parley_jwk_free(&jwk);
}


/*
 * libjwt, another implementation: it signs and the library verifies, and back.
 */

static char *
pem(EVP_PKEY *pkey, int with_private)
{
    BIO   *bio;
    char  *data, *text;
    long   n;

    bio = BIO_new(BIO_s_mem());
    assert_non_null(bio);

    if (with_private) {
        assert_int_equal(PEM_write_bio_PrivateKey(bio, pkey, NULL, NULL, 0,
                                                  NULL, NULL), 1);
    } else {
        assert_int_equal(PEM_write_bio_PUBKEY(bio, pkey), 1);
    }

    n = BIO_get_mem_data(bio, &data);
    text = (char *) parley_arena_octets(&test_arena, (size_t) n + 1);
    memcpy(text, data, (size_t) n);
    text[n] = '\0';
    BIO_free(bio);

    return text;
}


static void
test_libjwt(void **state)
{
    char                 *token, *key;
    jwt_t                *theirs;
    size_t                i, key_len, public_len;
    const char           *public_key;
    parley_jwk_t          jwk;
    parley_jwt_t          ours;
    parley_str_t          minted;
    parley_jwks_t         keys;
    parley_error_t        err;

    static const struct {
        parley_alg_id_t  ours;
        jwt_alg_t        theirs;
    } algs[] = {
        { PARLEY_ALG_HS256, JWT_ALG_HS256 },
        { PARLEY_ALG_HS384, JWT_ALG_HS384 },
        { PARLEY_ALG_HS512, JWT_ALG_HS512 },
        { PARLEY_ALG_RS256, JWT_ALG_RS256 },
        { PARLEY_ALG_RS512, JWT_ALG_RS512 },
        { PARLEY_ALG_ES256, JWT_ALG_ES256 },
        { PARLEY_ALG_ES384, JWT_ALG_ES384 },
        { PARLEY_ALG_ES512, JWT_ALG_ES512 },
    };

    (void) state;

    for (i = 0; i < sizeof(algs) / sizeof(algs[0]); i++) {
        jwk = parley_test_generate(algs[i].ours, "k");
        keys = parley_test_set(&jwk, 1);

        if (jwk.kty == PARLEY_KTY_OCT) {
            key = (char *) (uintptr_t) jwk.secret.data;
            key_len = jwk.secret.len;
            public_key = key;
            public_len = key_len;

        } else {
            key = pem(jwk.pkey, 1);
            key_len = strlen(key);
            public_key = pem(jwk.pkey, 0);
            public_len = strlen(public_key);
        }

        assert_int_equal(jwt_new(&theirs), 0);
        assert_int_equal(jwt_add_grant(theirs, "sub", "alice"), 0);
        assert_int_equal(jwt_add_grant_int(theirs, "exp", NOW + 60), 0);
        assert_int_equal(jwt_set_alg(theirs, algs[i].theirs,
                                     (const unsigned char *) key,
                                     (int) key_len), 0);
        token = jwt_encode_str(theirs);
        assert_non_null(token);
        jwt_free(theirs);

        ours = taken(&keys, token);
        parley_assert_str(ours.sub, "alice");
        assert_int_equal(ours.alg, algs[i].ours);
        free(token);    /* from malloc(), in every version */

        assert_int_equal(parley_jwt_mint(&jwk, algs[i].ours, &test_arena,
                                         PARLEY_STR("JWT"),
                                         PARLEY_STR(CLAIMS), &minted, &err),
                         0);
        assert_int_equal(jwt_decode(&theirs, (const char *) minted.data,
                                    (const unsigned char *) public_key,
                                    (int) public_len), 0);
        assert_int_equal(jwt_get_alg(theirs), algs[i].theirs);
        assert_string_equal(jwt_get_grant(theirs, "sub"), "alice");
        jwt_free(theirs);

        parley_jwk_free(&jwk);
    }
}


static void
test_memory(void **state)
{
    int                rc;
    char              *token;
    size_t             n;
    parley_mem_t       mem;
    parley_jwk_t       jwk;
    parley_jwt_t       jwt, copy;
    parley_jwks_t      keys;
    parley_arena_t     arena;
    parley_error_t     err;
    parley_test_mem_t  mem_state;

    (void) state;

    jwk = parley_test_generate(PARLEY_ALG_EDDSA, "k");
    keys = parley_test_set(&jwk, 1);
    token = parley_test_token("{\"alg\":\"EdDSA\",\"kid\":\"\\u006b\"}",
                              "{\"sub\":\"\\u0061\",\"exp\":1700000060,"
                              "\"scope\":\"a \\u0062 c\"}", &jwk,
                              PARLEY_ALG_EDDSA);
    rc = -1;

    for (n = 1; rc != 0; n++) {
        mem = parley_test_mem(&mem_state, n);
        parley_arena_init(&arena, &mem, 48);

        rc = parley_jwt_verify(&keys, &arena, NULL, parley_str_c(token), &jwt,
                               &err);
        if (rc != 0) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
            assert_null(jwt.claims.nodes);
        }

        parley_arena_reset(&arena);
        assert_int_equal(mem_state.live, 0);
    }

    assert_true(n > 4);

    jwt = taken(&keys, token);
    rc = -1;

    for (n = 1; rc != 0; n++) {
        mem = parley_test_mem(&mem_state, n);
        parley_arena_init(&arena, &mem, 48);

        rc = parley_jwt_copy(&jwt, &arena, &copy);

        if (rc != 0) {
            assert_null(copy.claims.nodes);
        }

        parley_arena_reset(&arena);
    }

    assert_true(n > 4);
    parley_jwk_free(&jwk);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 tokens of RFC 7515 and RFC 7519", test_vectors),
    parley_auth_test("GW-02 alg none in every spelling", test_none),
    parley_auth_test("GW-02 an RSA public key is no HMAC secret",
                     test_confusion_hmac),
    parley_auth_test("GW-02 no algorithm stands in for another",
                     test_confusion_matrix),
    parley_auth_test("GW-02 kid names exactly one key; a removed one is "
                     "unknown", test_kid),
    parley_auth_test("GW-02 a key inside the token is not used",
                     test_embedded_key),
    parley_auth_test("GW-02 the header: crit, typ, duplicates, types",
                     test_header),
    parley_auth_test("GW-02 the form: dots, lengths, changes, trailing bits",
                     test_form),
    parley_auth_test("GW-02 libjwt's tokens verify here, and ours there",
                     test_libjwt),
    parley_auth_test("tokens: every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
