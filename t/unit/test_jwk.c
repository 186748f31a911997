/* auth/parley_jwk.h and parley_jws.h: keys, and signatures with them */

#include "t/unit/parley_test_auth.h"

#include <jansson.h>
#include <openssl/err.h>


static const parley_alg_id_t  every_alg[] = {
    PARLEY_ALG_HS256, PARLEY_ALG_HS384, PARLEY_ALG_HS512, PARLEY_ALG_RS256,
    PARLEY_ALG_PS384, PARLEY_ALG_ES256, PARLEY_ALG_ES384, PARLEY_ALG_ES512,
    PARLEY_ALG_EDDSA
};

#define N_EVERY  (sizeof(every_alg) / sizeof(every_alg[0]))


static void
hex(const char *text, uint8_t *out)
{
    for ( /* void */ ; *text != '\0'; text += 2) {
        unsigned  octet;

        assert_int_equal(sscanf(text, "%2x", &octet), 1);
        *out++ = (uint8_t) octet;
    }
}


static void
test_alg_table(void **state)
{
    size_t               i;
    const parley_alg_t  *alg;

    static const char  *none[] = {
        "none", "None", "NONE", "nOnE", "", " none", "none ", "hs256",
        "HS256 ", "RS1", "HS1", "ES256K", "A128KW", "dir", "RSA-OAEP",
    };

    (void) state;

    for (i = 0; i < PARLEY_ALG_COUNT; i++) {
        alg = parley_alg_get((parley_alg_id_t) i);
        assert_int_equal(alg->id, i);
        assert_ptr_equal(parley_alg_find(alg->name), alg);
    }

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_null(parley_alg_find(parley_str_c(none[i])));
    }

    assert_int_equal(parley_alg_find(PARLEY_STR("Ed25519"))->id,
                     PARLEY_ALG_EDDSA);
}


static void
test_masks(void **state)
{
    parley_jwk_t  jwk;

    (void) state;

    jwk = parley_test_jwk(RFC7515_HS256);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_HS256)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_HS384)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_HS512));
    assert_int_equal(jwk.signs, jwk.verifies);
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk(RFC7515_RS256);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_RS256)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_RS384)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_RS512)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_PS256)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_PS384)
                                   | PARLEY_ALG_BIT(PARLEY_ALG_PS512));
    assert_int_equal(jwk.signs, 0);
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk("{\"kty\":\"RSA\",\"alg\":\"RS256\",\"n\":\""
                          RFC7515_RSA_N "\",\"e\":\"AQAB\"}");
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_RS256));
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk(RFC7515_ES256);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_ES256));
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk(RFC7515_ES512);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_ES512));
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk(RFC8037_PRIVATE);
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_EDDSA));
    assert_int_equal(jwk.signs, PARLEY_ALG_BIT(PARLEY_ALG_EDDSA));
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk("{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\""
                          RFC8037_X "\",\"d\":\"" RFC8037_D "\","
                          "\"key_ops\":[\"sign\"]}");
    assert_int_equal(jwk.verifies, 0);
    assert_int_equal(jwk.signs, PARLEY_ALG_BIT(PARLEY_ALG_EDDSA));
    parley_jwk_free(&jwk);

    /* 32 octets are enough for HS256 only */

    jwk = parley_test_jwk("{\"kty\":\"oct\",\"k\":\"AAECAwQFBgcICQoLDA0ODxAREh"
                          "MUFRYXGBkaGxwdHh8\"}");
    assert_int_equal(jwk.verifies, PARLEY_ALG_BIT(PARLEY_ALG_HS256));
    parley_jwk_free(&jwk);
}


static void
test_broken(void **state)
{
    size_t          i;
    parley_jwks_t   keys;
    parley_error_t  err;

    static const struct {
        const char    *text;
        const char    *field;
        parley_code_t  code;
    } bad[] = {
        { "", "", PARLEY_E_JSON_INVALID },
        { "[]", "", PARLEY_E_FIELD_INVALID },
        { "{}", "/keys", PARLEY_E_FIELD_MISSING },
        { "{\"keys\":{}}", "/keys", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[]} x", "", PARLEY_E_JSON_INVALID },
        { "{\"keys\":[],\"keys\":[]}", "/keys", PARLEY_E_JSON_INVALID },
        { "{\"keys\":[1]}", "/keys/0", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{}]}", "/keys/0/kty", PARLEY_E_FIELD_MISSING },
        { "{\"keys\":[{\"kty\":7}]}", "/keys/0/kty",
          PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"oct\"}]}", "/keys/0/k",
          PARLEY_E_FIELD_MISSING },
        { "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAEC\"}]}", "/keys/0/k",
          PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRY"
          "XGBkaGxwdHh\"}]}", "/keys/0/k", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"oct\",\"alg\":\"HS512\",\"k\":\"AAECAwQFBgcIC"
          "QoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}]}", "/keys/0/alg",
          PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"oct\",\"alg\":\"RS256\",\"k\":\"AAECAwQFBgcIC"
          "QoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}]}", "/keys/0/alg",
          PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[" RFC7515_ES256 ",{\"kty\":\"RSA\",\"e\":\"AQAB\"}]}",
          "/keys/1/n", PARLEY_E_FIELD_MISSING },
        { "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"" RFC7515_RSA_N "\"}]}",
          "/keys/0/e", PARLEY_E_FIELD_MISSING },
        { "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"" RFC7515_RSA_N "\","
          "\"e\":\"AQ\"}]}", "/keys/0/e", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"" RFC7515_RSA_N "\","
          "\"e\":\"Ag\"}]}", "/keys/0/e", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"" RFC7515_RSA_N "\","
          "\"e\":\"AQAB==\"}]}", "/keys/0/e", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"RSA\",\"n\":\"4fgWCuLjybRlzo0tZWJjNiuSfb4p4f"
          "Akd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4Ql"
          "L-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wE\","
          "\"e\":\"AQAB\"}]}", "/keys/0/n", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"EC\",\"x\":\"AA\"}]}", "/keys/0/crv",
          PARLEY_E_FIELD_MISSING },
        { "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\","
          "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
          "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a8\"}]}",
          "/keys/0/x", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-384\","
          "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
          "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}",
          "/keys/0/x", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"alg\":\"ES384\","
          "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
          "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}",
          "/keys/0/alg", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"AAEC\"}]}",
          "/keys/0/x", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
          "\"x\":\"AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]}",
          "/keys/0/x", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X
          "\",\"d\":\"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\"}]}",
          "/keys/0/d", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X
          "\",\"kid\":\"\"}]}", "/keys/0/kid", PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X
          "\",\"key_ops\":\"verify\"}]}", "/keys/0/key_ops",
          PARLEY_E_FIELD_INVALID },
        { "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X
          "\",\"kid\":\"a\"},{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\""
          RFC8037_X "\",\"kid\":\"a\"}]}", "/keys/1/kid",
          PARLEY_E_FIELD_INVALID },
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&keys, 0xff, sizeof(keys));

        if (parley_jwks_parse(&test_arena, parley_str_c(bad[i].text), &keys,
                              &err)
            == 0)
        {
            fail_msg("%s was taken", bad[i].text);
        }

        assert_string_equal(err.field, bad[i].field);
        assert_int_equal(err.code, bad[i].code);
        assert_true(err.text[0] != '\0');
        assert_int_equal(keys.n, 0);
        assert_null(keys.keys);
        assert_int_equal(ERR_peek_error(), 0);

        if (err.field[0] != '\0') {
            assert_true(err.offset < strlen(bad[i].text)
                        || strlen(bad[i].text) < 3);
        }
    }
}


static void
test_skipped(void **state)
{
    parley_jwks_t  keys;

    (void) state;

    keys = parley_test_jwks(
        "{\"keys\":["
        "{\"kty\":\"AKP\",\"alg\":\"ML-DSA-44\"},"
        "{\"kty\":\"EC\",\"crv\":\"secp256k1\",\"x\":\"AA\",\"y\":\"AA\"},"
        "{\"kty\":\"OKP\",\"crv\":\"X25519\",\"x\":\"AA\"},"
        "{\"kty\":\"RSA\",\"use\":\"enc\",\"n\":\"AA\",\"e\":\"AQAB\"},"
        "{\"kty\":\"RSA\",\"alg\":\"RSA-OAEP\",\"n\":\"AA\",\"e\":\"AQAB\"},"
        "{\"kty\":\"RSA\",\"key_ops\":[\"encrypt\"],\"n\":\"AA\"},"
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X "\","
        "\"use\":\"sig\",\"key_ops\":[\"verify\"],\"x5t\":\"ignored\"}]}");

    assert_int_equal(keys.skipped, 6);
    assert_int_equal(keys.n, 1);
    assert_int_equal(keys.keys[0].kty, PARLEY_KTY_OKP);

    parley_jwks_free(&keys);
    assert_int_equal(keys.n, 0);
}


/* RFC 7517 section 4.5 allows one kid for keys of two types. */

static void
test_find(void **state)
{
    int                  known;
    size_t               n;
    parley_jwks_t        keys;
    const parley_jwk_t  *jwk;

    (void) state;

    keys = parley_test_jwks(
        "{\"keys\":["
        "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X "\","
        "\"kid\":\"a\"},"
        "{\"kty\":\"RSA\",\"kid\":\"a\",\"n\":\"" RFC7515_RSA_N "\","
        "\"e\":\"AQAB\"},"
        "{\"kty\":\"RSA\",\"kid\":\"b\",\"n\":\"" RFC7515_RSA_N "\","
        "\"e\":\"AQAB\",\"alg\":\"PS256\"}]}");

    jwk = parley_jwks_find(&keys, parley_str_none, PARLEY_STR("a"),
                           PARLEY_ALG_RS256, &known);
    assert_ptr_equal(jwk, &keys.keys[1]);
    jwk = parley_jwks_find(&keys, parley_str_none, PARLEY_STR("a"),
                           PARLEY_ALG_EDDSA, &known);
    assert_ptr_equal(jwk, &keys.keys[0]);
    jwk = parley_jwks_find(&keys, parley_str_none, PARLEY_STR("b"),
                           PARLEY_ALG_RS256, &known);
    assert_null(jwk);
    assert_true(known);
    jwk = parley_jwks_find(&keys, parley_str_none, PARLEY_STR("c"),
                           PARLEY_ALG_RS256, &known);
    assert_null(jwk);
    assert_false(known);

    assert_ptr_equal(parley_jwks_only(&keys, parley_str_none,
                                      PARLEY_ALG_RS256, &n),
                     &keys.keys[1]);
    assert_null(parley_jwks_only(&keys, parley_str_none, PARLEY_ALG_PS256,
                                 &n));
    assert_int_equal(n, 2);
    assert_null(parley_jwks_only(&keys, parley_str_none, PARLEY_ALG_ES256,
                                 &n));
    assert_int_equal(n, 0);

    parley_jwks_free(&keys);
}


static void
test_thumbprint(void **state)
{
    char            print[PARLEY_JWK_THUMBPRINT_LEN + 1];
    parley_jwk_t    jwk;
    parley_error_t  err;

    (void) state;

    jwk = parley_test_jwk(
        "{\"kty\":\"RSA\",\"n\":\"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWh"
        "M78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjh"
        "Mstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2Qvz"
        "qY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLy"
        "rdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csF"
        "Cur-kEgU8awapJzKnqDKgw\",\"e\":\"AQAB\",\"alg\":\"RS256\","
        "\"kid\":\"2011-04-29\"}");

    assert_int_equal(parley_jwk_thumbprint(&jwk, print, &err), 0);
    assert_string_equal(print, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
    parley_jwk_free(&jwk);

    jwk = parley_test_jwk(RFC8037_PUBLIC);
    assert_int_equal(parley_jwk_thumbprint(&jwk, print, &err), 0);
    assert_string_equal(print, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    parley_jwk_free(&jwk);
}


static parley_str_t
write_jwk(const parley_jwk_t *jwk, int with_private)
{
    parley_buf_t    b;
    parley_str_t    text;
    parley_error_t  err;

    parley_buf_init(&b, &test_arena, 0);
    assert_int_equal(parley_jwk_write(&b, jwk, with_private, &err), 0);
    assert_int_equal(parley_buf_done(&b, &text), 0);

    return text;
}


/* The public form of a key verifies its signatures, and no other key does. */

static void
test_round(void **state)
{
    size_t          i, len, k;
    uint8_t         sig[PARLEY_JWS_SIGNATURE_MAX];
    parley_str_t    text, octets, copy;
    parley_jwk_t    jwk, read, other;
    parley_error_t  err;
    parley_buf_t    b;

    (void) state;

    octets = PARLEY_STR("to be signed");

    for (i = 0; i < N_EVERY; i++) {
        jwk = parley_test_generate(every_alg[i], "");
        other = parley_test_generate(every_alg[i], "other");
        assert_int_equal(jwk.kid.len, PARLEY_JWK_THUMBPRINT_LEN);

        assert_int_equal(parley_jws_sign(&jwk, every_alg[i], octets, sig,
                                         &len, &err), 0);

        text = write_jwk(&jwk, 1);
        read = parley_test_jwk((const char *) text.data);
        copy = write_jwk(&read, 1);
        assert_true(parley_str_eq(text, copy));
        assert_true(read.is_private);
        assert_int_equal(parley_jws_verify(&read, every_alg[i], octets,
                                           parley_str_make(sig, len)), 0);
        parley_jwk_free(&read);

        if (jwk.kty != PARLEY_KTY_OCT) {
            text = write_jwk(&jwk, 0);
            assert_null(strstr((const char *) text.data, "\"d\""));
            assert_null(strstr((const char *) text.data, "\"p\""));

            read = parley_test_jwk((const char *) text.data);
            assert_false(read.is_private);
            assert_int_equal(parley_jws_verify(&read, every_alg[i], octets,
                                               parley_str_make(sig, len)), 0);
            assert_int_equal(parley_jws_sign(&read, every_alg[i], octets, sig,
                                             &k, &err), -1);
            assert_int_equal(k, 0);
            assert_int_equal(sig[0], 0);

            parley_buf_init(&b, &test_arena, 0);
            assert_int_equal(parley_jwk_write(&b, &read, 1, &err), -1);
            parley_jwk_free(&read);

            assert_int_equal(parley_jws_sign(&jwk, every_alg[i], octets, sig,
                                             &len, &err), 0);

        } else {
            parley_buf_init(&b, &test_arena, 0);
            assert_int_equal(parley_jwk_write(&b, &jwk, 0, &err), -1);
        }

        /* another key, other octets, every length, every changed octet */

        assert_int_equal(parley_jws_verify(&other, every_alg[i], octets,
                                           parley_str_make(sig, len)), -1);
        assert_int_equal(parley_jws_verify(&jwk, every_alg[i],
                                           PARLEY_STR("to be signeD"),
                                           parley_str_make(sig, len)), -1);

        for (k = 0; k < len; k += 1 + len / 70) {
            assert_int_equal(parley_jws_verify(&jwk, every_alg[i], octets,
                                               parley_str_make(sig, k)), -1);
            sig[k] ^= 1;
            assert_int_equal(parley_jws_verify(&jwk, every_alg[i], octets,
                                               parley_str_make(sig, len)),
                             -1);
            sig[k] ^= 1;
        }

        for (k = 0; k < PARLEY_ALG_COUNT; k++) {
            assert_int_equal(parley_jws_verify(&jwk, (parley_alg_id_t) k,
                                               octets,
                                               parley_str_make(sig, len)),
                             k == every_alg[i] ? 0 : -1);
        }

        assert_int_equal(ERR_peek_error(), 0);
        parley_jwk_free(&jwk);
        parley_jwk_free(&other);
    }
}


/*
 * r and s at the limits of their range (the order of P-256 and its
 * neighbours).
 */

static void
test_ecdsa_range(void **state)
{
    size_t        i, k;
    uint8_t       sig[64];
    parley_jwk_t  jwk;

    static const char  *edges[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000001",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552",
        "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    };

    (void) state;

    jwk = parley_test_jwk(RFC7515_ES256);

    for (i = 0; i < 6; i++) {
        for (k = 0; k < 6; k++) {
            hex(edges[i], sig);
            hex(edges[k], sig + 32);
            assert_int_equal(parley_jws_verify(&jwk, PARLEY_ALG_ES256,
                                               PARLEY_STR("x"),
                                               parley_str_make(sig, 64)),
                             -1);
        }
    }

    parley_jwk_free(&jwk);
}


/* RFC 8037 A.4 and RFC 7515 A.4: payloads that are not JSON. */

static void
test_rfc_jws(void **state)
{
    size_t          i, len;
    uint8_t         sig[PARLEY_JWS_SIGNATURE_MAX + 3];
    parley_jwk_t    jwk;
    parley_str_t    text;
    parley_error_t  err;

    static const struct {
        const char       *key;
        parley_alg_id_t   alg;
        const char       *octets;
        const char       *sig;
    } vectors[] = {
        { RFC8037_PUBLIC, PARLEY_ALG_EDDSA,
          "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc",
          "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhV"
          "sPt9g7sVvpAr_MuM0KAg" },
        { RFC7515_ES512, PARLEY_ALG_ES512,
          "eyJhbGciOiJFUzUxMiJ9.UGF5bG9hZA",
          "AdwMgeerwtHoh-l192l60hp9wAHZFVJbLfD_UxMi70cwnZOYaRI1bKPWROc-mZZqwq"
          "T2SI-KGDKB34XO0aw_7XdtAG8GaSwFKdCAPZgoXD2YBJZCPEX3xKpRwcdOO8KpEHwJ"
          "jyqOgzDO7iKvU8vcnwNrmxYbSW9ERBXukOXolLzeO_Jn" },
    };

    (void) state;

    for (i = 0; i < 2; i++) {
        jwk = parley_test_jwk(vectors[i].key);
        assert_int_equal(parley_base64url_decode(
                             parley_str_c(vectors[i].sig), sig, &len), 0);
        assert_int_equal(parley_jws_verify(&jwk, vectors[i].alg,
                                           parley_str_c(vectors[i].octets),
                                           parley_str_make(sig, len)), 0);
        parley_jwk_free(&jwk);
    }

    /* Ed25519 is deterministic: the signature is the RFC's */

    jwk = parley_test_jwk(RFC8037_PRIVATE);
    assert_int_equal(parley_jws_sign(&jwk, PARLEY_ALG_EDDSA,
                                     parley_str_c(vectors[0].octets), sig,
                                     &len, &err), 0);
    text = parley_str_c(parley_test_base64url(parley_str_make(sig, len)));
    parley_assert_str(text, vectors[0].sig);
    parley_jwk_free(&jwk);
}


static size_t  jansson_left;


static void *
jansson_alloc(size_t size)
{
    if (jansson_left == 0) {
        return NULL;
    }

    jansson_left--;

    return malloc(size);
}


typedef int (*parse_t)(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err);


/* The n-th allocation of the arena, or of jansson, fails. */

static void
memory(parse_t parse)
{
    int                rc;
    size_t             n, live;
    parley_mem_t       mem;
    parley_jwks_t      keys;
    parley_arena_t     arena;
    parley_error_t     err;
    parley_test_mem_t  mem_state;

    static const char  text[] =
        "{\"keys\":[" RFC7515_ES256 "," RFC7515_HS256 "," RFC8037_PRIVATE ","
        RFC7515_RS256 "]}";

    rc = -1;

    for (n = 1; rc != 0; n++) {
        mem = parley_test_mem(&mem_state, n);
        parley_arena_init(&arena, &mem, 64);

        rc = parse(&arena, parley_str_c(text), &keys, &err);

        if (rc != 0) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
            assert_int_equal(keys.n, 0);

        } else {
            assert_int_equal(keys.n, 4);
        }

        parley_jwks_free(&keys);
        parley_arena_reset(&arena);
        live = mem_state.live;
        assert_int_equal(live, 0);
    }

    assert_true(n > 3);
    rc = -1;

    for (n = 0; rc != 0; n++) {
        jansson_left = n;
        json_set_alloc_funcs(jansson_alloc, free);
        parley_arena_init(&arena, &parley_mem_libc, 0);

        rc = parse(&arena, parley_str_c(text), &keys, &err);

        json_set_alloc_funcs(malloc, free);
        parley_jwks_free(&keys);
        parley_arena_reset(&arena);
    }

    assert_true(n > 10);
}


static void
test_memory(void **state)
{
    (void) state;

    memory(parley_jwks_parse);
    memory(parley_jwks_parse_published);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 the table of algorithms has no none",
                     test_alg_table),
    parley_auth_test("GW-02 a key allows what its type, curve, size and alg "
                     "allow", test_masks),
    parley_auth_test("GW-11 a broken key is named by its JSON Pointer",
                     test_broken),
    parley_auth_test("GW-02 keys of unknown kind are skipped", test_skipped),
    parley_auth_test("GW-02 a key is found by kid and algorithm", test_find),
    parley_auth_test("thumbprints of RFC 7638 and RFC 8037",
                     test_thumbprint),
    parley_auth_test("GW-02 every algorithm: sign, write, read, verify, "
                     "refuse", test_round),
    parley_auth_test("GW-02 ECDSA r and s outside their range are refused",
                     test_ecdsa_range),
    parley_auth_test("GW-02 vectors of RFC 7515 and RFC 8037", test_rfc_jws),
    parley_auth_test("keys: every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
