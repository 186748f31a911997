/* Shared by the tests of auth/: an arena, keys, tokens with any header. */

#ifndef PARLEY_TEST_AUTH_H
#define PARLEY_TEST_AUTH_H

#include "t/unit/parley_test.h"

#include <openssl/err.h>
#include <sodium.h>

#include "core/parley_base64.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jws.h"
#include "auth/parley_jwt.h"


/* public keys and secrets of RFC 7515 A.1, A.2, A.3, A.4 and RFC 8037 A.1 */

#define RFC7515_HS256                                                         \
    "{\"kty\":\"oct\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1" \
    "qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\"}"

#define RFC7515_RSA_N                                                         \
    "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4" \
    "qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2j" \
    "Z47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7W" \
    "TBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK" \
    "-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"

#define RFC7515_RS256                                                         \
    "{\"kty\":\"RSA\",\"n\":\"" RFC7515_RSA_N "\",\"e\":\"AQAB\"}"

#define RFC7515_ES256                                                         \
    "{\"kty\":\"EC\",\"crv\":\"P-256\","                                      \
    "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","                  \
    "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}"

#define RFC7515_ES512                                                         \
    "{\"kty\":\"EC\",\"crv\":\"P-521\",\"x\":\"AekpBQ8ST8a8VcfVOTNl353vSrDCLL" \
    "JXmPk06wTjxrrjcBpXp5EOnYG_NjFZ6OvLFV1jSfS9tsz4qUxcWceqwQGk\","           \
    "\"y\":\"ADSmRA43Z1DSNx_RvcLI87cdL07l6jQyyBXMoxVg_l2Th-x3S1WDhjDly79ajL4" \
    "Kkd0AZMaZmh9ubmf63e3kyMj2\"}"

#define RFC8037_X  "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
#define RFC8037_D  "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"

#define RFC8037_PUBLIC                                                        \
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X "\"}"

#define RFC8037_PRIVATE                                                       \
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"d\":\"" RFC8037_D "\","           \
    "\"x\":\"" RFC8037_X "\"}"


/* the arena of a test; parley_test_arena_end() frees it */
static parley_arena_t  test_arena;


static inline int
parley_test_arena_begin(void **state)
{
    (void) state;

    parley_arena_init(&test_arena, &parley_mem_libc, 0);

    return sodium_init() < 0 ? -1 : 0;
}


static inline int
parley_test_arena_end(void **state)
{
    (void) state;

    parley_arena_reset(&test_arena);

    return 0;
}


#define parley_auth_test(name, f)                                             \
    { (name), (f), parley_test_arena_begin, parley_test_arena_end, NULL }


static inline parley_jwk_t
parley_test_jwk(const char *text)
{
    parley_jwk_t    jwk;
    parley_error_t  err;

    if (parley_jwk_parse(&test_arena, parley_str_c(text), &jwk, &err) != 0) {
        fail_msg("key: %s: %s", err.field, err.text);
    }

    return jwk;
}


static inline parley_jwks_t
parley_test_jwks(const char *text)
{
    parley_jwks_t   keys;
    parley_error_t  err;

    if (parley_jwks_parse(&test_arena, parley_str_c(text), &keys, &err) != 0)
    {
        fail_msg("keys: %s: %s", err.field, err.text);
    }

    return keys;
}


static inline parley_jwk_t
parley_test_generate(parley_alg_id_t alg, const char *kid)
{
    parley_jwk_t    jwk;
    parley_error_t  err;

    if (parley_jwk_generate(&test_arena, alg, parley_str_c(kid), &jwk, &err)
        != 0)
    {
        fail_msg("generate: %s: %s", err.field, err.text);
    }

    return jwk;
}


/* Returns a set that points to the caller's keys; it must not be freed. */
static inline parley_jwks_t
parley_test_set(parley_jwk_t *keys, size_t n)
{
    parley_jwks_t  set;

    memset(&set, 0, sizeof(set));
    set.keys = keys;
    set.n = n;

    return set;
}


static inline char *
parley_test_base64url(parley_str_t s)
{
    char  *text;

    text = (char *) parley_arena_octets(&test_arena,
                                        PARLEY_BASE64_ENCODED(s.len));
    assert_non_null(text);
    (void) parley_base64url_encode(s, text);

    return text;
}


/* Returns a token of these octets, valid or not; jwk NULL: empty signature. */
static inline char *
parley_test_token(const char *header, const char *claims,
    const parley_jwk_t *jwk, parley_alg_id_t alg)
{
    char            *h, *c, *s, *token;
    size_t           len;
    uint8_t          sig[PARLEY_JWS_SIGNATURE_MAX];
    parley_error_t   err;

    h = parley_test_base64url(parley_str_c(header));
    c = parley_test_base64url(parley_str_c(claims));

    token = (char *) parley_arena_octets(&test_arena,
                                         strlen(h) + strlen(c) + 2048);
    assert_non_null(token);
    (void) sprintf(token, "%s.%s", h, c);
    s = (char *) (uintptr_t) "";

    if (jwk != NULL) {
        if (parley_jws_sign(jwk, alg, parley_str_c(token), sig, &len, &err)
            != 0)
        {
            fail_msg("sign: %s", err.text);
        }

        s = parley_test_base64url(parley_str_make(sig, len));
    }

    (void) strcat(token, ".");
    (void) strcat(token, s);

    return token;
}


/* Checks that the token is refused for this field and leaves nothing behind. */
static inline void
refuse(const parley_jwks_t *keys, const char *token, const char *field,
    int unknown)
{
    size_t          i;
    uint8_t        *p;
    parley_jwt_t    jwt;
    parley_error_t  err;

    memset(&jwt, 0xff, sizeof(jwt));

    if (parley_jwt_verify(keys, &test_arena, NULL, parley_str_c(token), &jwt,
                          &err)
        == 0)
    {
        fail_msg("taken: %s", token);
    }

    assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
    assert_string_equal(err.field, field);
    assert_int_equal(err.is_name, 1);
    assert_true(err.text[0] != '\0');
    assert_int_equal(jwt.key_unknown, unknown);

    /* a refused token must leave nothing that could be used by mistake */

    jwt.key_unknown = 0;
    assert_int_equal(jwt.aud, PARLEY_JSON_NONE);
    jwt.aud = 0;
    p = (uint8_t *) &jwt;

    for (i = 0; i < sizeof(jwt); i++) {
        assert_int_equal(p[i], 0);
    }

    assert_int_equal(ERR_peek_error(), 0);
}


static inline parley_jwt_t
taken(const parley_jwks_t *keys, const char *token)
{
    parley_jwt_t    jwt;
    parley_error_t  err;

    if (parley_jwt_verify(keys, &test_arena, NULL, parley_str_c(token), &jwt,
                          &err)
        != 0)
    {
        fail_msg("%s: %s: %s", token, err.field, err.text);
    }

    return jwt;
}


#endif /* PARLEY_TEST_AUTH_H */
