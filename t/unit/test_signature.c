/* auth/parley_signature.h */

#include "t/unit/parley_test_auth.h"

#include "auth/parley_signature.h"


static void
hex(const char *text, uint8_t *out)
{
    unsigned  octet;

    for ( /* void */ ; *text != '\0'; text += 2) {
        assert_int_equal(sscanf(text, "%2x", &octet), 1);
        *out++ = (uint8_t) octet;
    }
}


/* RFC 8032 section 7.1, tests 1 to 3 */

static const struct {
    const char  *seed;
    const char  *public_key;
    const char  *message;
    const char  *signature;
} rfc8032[] = {
    { "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
      "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b" },
    { "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
      "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00" },
    { "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
      "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a" },
};


static parley_jwk_t
rfc8032_key(size_t i)
{
    char     text[256];
    uint8_t  seed[32], pk[32];

    hex(rfc8032[i].seed, seed);
    hex(rfc8032[i].public_key, pk);

    (void) snprintf(text, sizeof(text),
                    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k%zu\","
                    "\"x\":\"%s\",\"d\":\"%s\"}", i,
                    parley_test_base64url(parley_str_make(pk, 32)),
                    parley_test_base64url(parley_str_make(seed, 32)));

    return parley_test_jwk(text);
}


static int
verify(const parley_jwks_t *keys, const char *word, const char *kid,
    parley_str_t octets, const char *text, parley_code_t code)
{
    int                  rc;
    parley_error_t       err;
    const parley_jwk_t  *jwk;

    jwk = (const parley_jwk_t *) &err;

    rc = parley_signature_verify(keys, parley_str_c(word), parley_str_c(kid),
                                 octets, parley_str_c(text), 0, &jwk, &err);

    if (code == PARLEY_E_NONE) {
        if (rc != 0) {
            fail_msg("%s", err.text);
        }

        assert_non_null(jwk);

        return (int) (jwk - keys->keys);
    }

    if (rc == 0) {
        fail_msg("taken: %s %s %s", word, kid, text);
    }

    assert_int_equal(err.code, code);
    assert_null(jwk);

    return -1;
}


static void
test_vectors(void **state)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX];
    char            sig[PARLEY_SIGNATURE_TEXT_MAX];
    size_t          i;
    uint8_t         message[8], expected[64];
    parley_jwk_t    jwk;
    parley_str_t    octets, made;
    parley_jwks_t   keys;
    parley_error_t  err;

    (void) state;

    for (i = 0; i < 3; i++) {
        jwk = rfc8032_key(i);
        keys = parley_test_set(&jwk, 1);

        hex(rfc8032[i].message, message);
        octets = parley_str_make(message, strlen(rfc8032[i].message) / 2);
        hex(rfc8032[i].signature, expected);
        (void) parley_base64_encode(parley_str_make(expected, 64), sig);

        assert_int_equal(parley_signature_sign(&jwk, octets, text, &made,
                                               &err), 0);
        assert_string_equal(text, sig);
        assert_int_equal(made.len, 88);

        assert_int_equal(verify(&keys, "ed25519", "", octets, sig,
                                PARLEY_E_NONE), 0);
        parley_jwk_free(&jwk);
    }
}


static void
test_refused(void **state)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX], changed[256];
    size_t          i;
    uint8_t         sig[64];
    parley_jwk_t    jwk;
    parley_str_t    octets, made;
    parley_jwks_t   keys;
    parley_error_t  err;

    /* the order of the group, added to S: the same point, another text */
    static const uint8_t  order[32] = {
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7,
        0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0x10
    };

    (void) state;

    octets = PARLEY_STR("{\"a\":1}");
    jwk = rfc8032_key(0);
    keys = parley_test_set(&jwk, 1);
    assert_int_equal(parley_signature_sign(&jwk, octets, text, &made, &err),
                     0);

    (void) verify(&keys, "ed25519", "k0", octets, text, PARLEY_E_NONE);
    (void) verify(&keys, "EdDSA", "k0", octets, text, PARLEY_E_NONE);
    (void) verify(&keys, "ed25519", "", octets, text, PARLEY_E_NONE);

    /*
     * one spelling: text without padding and in the other alphabet is invalid
     */

    (void) strcpy(changed, text);
    changed[86] = '\0';
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    for (i = 0; i < 86; i++) {
        changed[i] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];
    }

    assert_string_not_equal(changed, text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    /* words and keys */

    (void) verify(&keys, "none", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "", "", octets, text, PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "ED25519", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "Ed25519", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "RS256", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "HS256", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) verify(&keys, "ed25519", "k1", octets, text, PARLEY_E_KEY_UNKNOWN);

    /* each changed character, cut text, extra text, trailing bits */

    (void) strcpy(changed, text);

    for (i = 0; i < strlen(text); i++) {
        changed[i] = text[i] == 'A' ? 'B' : 'A';
        (void) verify(&keys, "ed25519", "", octets, changed,
                      PARLEY_E_SIGNATURE_INVALID);
        changed[i] = text[i];
    }

    for (i = 0; i < strlen(text); i++) {
        changed[i] = '\0';
        (void) verify(&keys, "ed25519", "", octets, changed,
                      PARLEY_E_SIGNATURE_INVALID);
        changed[i] = text[i];
    }

    (void) sprintf(changed, " %s", text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) sprintf(changed, "%s\n", text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) sprintf(changed, "base64:%s", text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) sprintf(changed, "%s====", text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) sprintf(changed, "%.44s\n%s", text, text + 44);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);
    (void) sprintf(changed, "%s%s", text, text);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    (void) strcpy(changed, text);
    changed[85]++;
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    /* malleability: S + L; and the all-zero signature */

    assert_int_equal(parley_base64_decode(made, sig, &i), 0);
    sodium_add(sig + 32, order, 32);
    (void) parley_base64_encode(parley_str_make(sig, 64), changed);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    memset(sig, 0, sizeof(sig));
    (void) parley_base64_encode(parley_str_make(sig, 64), changed);
    (void) verify(&keys, "ed25519", "", octets, changed,
                  PARLEY_E_SIGNATURE_INVALID);

    (void) verify(&keys, "ed25519", "", PARLEY_STR("{\"a\":2}"), text,
                  PARLEY_E_SIGNATURE_INVALID);

    keys.n = 0;
    (void) verify(&keys, "ed25519", "", octets, text, PARLEY_E_KEY_UNKNOWN);

    parley_jwk_free(&jwk);
}


static void
test_hmac(void **state)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX];
    char            header[512];
    parley_jwk_t    jwk[2];
    parley_str_t    octets, made;
    parley_jwks_t   keys;
    parley_error_t  err;

    (void) state;

    octets = PARLEY_STR("message");
    jwk[0] = parley_test_jwk(RFC8037_PUBLIC);
    jwk[1] = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(jwk, 2);

    parley_assert_str(parley_signature_word(&jwk[1]), "HS256");
    assert_int_equal(parley_signature_word(&jwk[0]).len, 0);
    assert_int_equal(parley_signature_sign(&jwk[0], octets, text, &made,
                                           &err), -1);
    assert_int_equal(err.code, PARLEY_E_KEY_UNKNOWN);

    assert_int_equal(parley_signature_sign(&jwk[1], octets, text, &made,
                                           &err), 0);
    assert_int_equal(made.len, 44);
    assert_int_equal(verify(&keys, "HS256", "", octets, text, PARLEY_E_NONE),
                     1);
    (void) verify(&keys, "HS384", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    parley_jwk_free(&jwk[1]);

    /* an Ed25519 public key is public, so it must not be an HMAC secret */

    (void) snprintf(header, sizeof(header),
                    "{\"kty\":\"oct\",\"k\":\"%s\"}", RFC8037_X);
    jwk[1] = parley_test_jwk(header);
    assert_int_equal(parley_signature_sign(&jwk[1], octets, text, &made,
                                           &err), 0);
    keys.n = 1;
    (void) verify(&keys, "HS256", "", octets, text, PARLEY_E_KEY_UNKNOWN);

    parley_jwk_free(&jwk[0]);
    parley_jwk_free(&jwk[1]);
}


static void
test_trials(void **state)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX], kid[16];
    size_t          i;
    parley_jwk_t    jwk[PARLEY_SIGNATURE_TRIES + 1];
    parley_str_t    octets, made;
    parley_jwks_t   keys;
    parley_error_t  err;

    (void) state;

    octets = PARLEY_STR("message");

    for (i = 0; i < PARLEY_SIGNATURE_TRIES + 1; i++) {
        (void) snprintf(kid, sizeof(kid), "k%zu", i);
        jwk[i] = parley_test_generate(PARLEY_ALG_EDDSA, kid);
    }

    keys = parley_test_set(jwk, PARLEY_SIGNATURE_TRIES + 1);

    assert_int_equal(parley_signature_sign(&jwk[PARLEY_SIGNATURE_TRIES - 1],
                                           octets, text, &made, &err), 0);
    assert_int_equal(verify(&keys, "ed25519", "", octets, text,
                            PARLEY_E_NONE), PARLEY_SIGNATURE_TRIES - 1);

    assert_int_equal(parley_signature_sign(&jwk[PARLEY_SIGNATURE_TRIES],
                                           octets, text, &made, &err), 0);
    (void) verify(&keys, "ed25519", "", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);
    assert_int_equal(verify(&keys, "ed25519", "k8", octets, text,
                            PARLEY_E_NONE), 8);
    (void) verify(&keys, "ed25519", "k7", octets, text,
                  PARLEY_E_SIGNATURE_INVALID);

    for (i = 0; i < PARLEY_SIGNATURE_TRIES + 1; i++) {
        parley_jwk_free(&jwk[i]);
    }
}


/* From 2000 to 3000, and without bounds. */

static void
test_period(void **state)
{
    char            sig[2][PARLEY_SIGNATURE_TEXT_MAX];
    size_t          i;
    parley_jwk_t    keys[2];
    parley_str_t    made, octets;
    parley_jwks_t   set;
    parley_error_t  err;

    static const struct {
        int64_t      now;
        int          taken;
        const char  *text;
    } times[] = {
        { 0, 0, "the sender's key is not valid yet" },
        { 1999, 0, "the sender's key is not valid yet" },
        { 2000, 1, NULL },
        { 2999, 1, NULL },
        { 3000, 0, "the sender's key has expired" },
        { INT64_MAX, 0, "the sender's key has expired" },
    };

    (void) state;

    octets = PARLEY_STR("octets");

    for (i = 0; i < 2; i++) {
        keys[i] = parley_test_generate(PARLEY_ALG_EDDSA, i == 0 ? "a" : "b");
        assert_int_equal(parley_signature_sign(&keys[i], octets, sig[i],
                                               &made, &err), 0);
    }

    keys[0].not_before = 2000;
    keys[0].expires = 3000;

    for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {

        set = parley_test_set(keys, 1);

        assert_int_equal(parley_signature_verify(&set, PARLEY_STR("ed25519"),
                                                 PARLEY_STR("a"), octets,
                                                 parley_str_c(sig[0]),
                                                 times[i].now, NULL, &err),
                         times[i].taken ? 0 : -1);

        if (!times[i].taken) {
            assert_int_equal(err.code, PARLEY_E_KEY_UNKNOWN);
            assert_string_equal(err.text, times[i].text);
        }

        /* as above, with a signature that names no key */

        assert_int_equal(parley_signature_verify(&set, PARLEY_STR("ed25519"),
                                                 parley_str_none, octets,
                                                 parley_str_c(sig[0]),
                                                 times[i].now, NULL, &err),
                         times[i].taken ? 0 : -1);

        if (!times[i].taken) {
            assert_int_equal(err.code, PARLEY_E_KEY_UNKNOWN);
            assert_string_equal(err.text, times[i].text);
        }

        /* during a key rotation the other key counts by itself */

        set = parley_test_set(keys, 2);

        assert_int_equal(parley_signature_verify(&set, PARLEY_STR("ed25519"),
                                                 parley_str_none, octets,
                                                 parley_str_c(sig[1]),
                                                 times[i].now, NULL, &err),
                         0);

        assert_int_equal(parley_signature_verify(&set, PARLEY_STR("ed25519"),
                                                 parley_str_none, octets,
                                                 parley_str_c(sig[0]),
                                                 times[i].now, NULL, &err),
                         times[i].taken ? 0 : -1);

        if (!times[i].taken) {
            assert_int_equal(err.code, PARLEY_E_SIGNATURE_INVALID);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("VCP-16 vectors of RFC 8032", test_vectors),
    parley_auth_test("AEE-14 VCP-16 a bad or unverifiable signature is "
                     "refused", test_refused),
    parley_auth_test("AEE-14 HS256", test_hmac),
    parley_auth_test("AEE-14 kid chooses the key; without it few are tried",
                     test_trials),
    parley_auth_test("VCP-31 a key counts from not_before up to expires",
                     test_period),
};


PARLEY_TEST_MAIN(tests)
