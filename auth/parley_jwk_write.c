/* A key as JSON, and its thumbprint. */

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <sodium.h>

#include "core/parley_base64.h"
#include "core/parley_digest.h"
#include "auth/parley_jwk.h"


/* forms of a key, as bits */
#define PARLEY_JWK_PUBLIC      0x01
#define PARLEY_JWK_PRIVATE     0x02
#define PARLEY_JWK_PRINT       0x04     /* the members RFC 7638 requires */

#define PARLEY_JWK_KTY(kty)    (1u << (kty))
#define PARLEY_JWK_EVERY       0x0f


typedef struct {
    parley_str_t  name;
    unsigned      ktys;
    unsigned      forms;
    const char   *param;        /* OpenSSL name of an integer, or NULL */
} parley_jwk_member_t;


/* in RFC 8785 order, which RFC 7638 uses as well */

static const parley_jwk_member_t  parley_jwk_members[] = {
    { parley_str("alg"), PARLEY_JWK_EVERY,
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE, NULL },
    { parley_str("crv"),
      PARLEY_JWK_KTY(PARLEY_KTY_EC) | PARLEY_JWK_KTY(PARLEY_KTY_OKP),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT, NULL },
    { parley_str("d"), PARLEY_JWK_KTY(PARLEY_KTY_OKP), PARLEY_JWK_PRIVATE,
      NULL },
    { parley_str("d"), PARLEY_JWK_KTY(PARLEY_KTY_EC), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_PRIV_KEY },
    { parley_str("d"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_D },
    { parley_str("dp"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_EXPONENT1 },
    { parley_str("dq"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_EXPONENT2 },
    { parley_str("e"), PARLEY_JWK_KTY(PARLEY_KTY_RSA),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT,
      OSSL_PKEY_PARAM_RSA_E },
    { parley_str("k"), PARLEY_JWK_KTY(PARLEY_KTY_OCT),
      PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT, NULL },
    { parley_str("kid"), PARLEY_JWK_EVERY,
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE, NULL },
    { parley_str("kty"), PARLEY_JWK_EVERY,
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT, NULL },
    { parley_str("n"), PARLEY_JWK_KTY(PARLEY_KTY_RSA),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT,
      OSSL_PKEY_PARAM_RSA_N },
    { parley_str("p"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_FACTOR1 },
    { parley_str("q"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_FACTOR2 },
    { parley_str("qi"), PARLEY_JWK_KTY(PARLEY_KTY_RSA), PARLEY_JWK_PRIVATE,
      OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
    { parley_str("x"), PARLEY_JWK_KTY(PARLEY_KTY_OKP),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT, NULL },
    { parley_str("x"), PARLEY_JWK_KTY(PARLEY_KTY_EC),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT,
      OSSL_PKEY_PARAM_EC_PUB_X },
    { parley_str("y"), PARLEY_JWK_KTY(PARLEY_KTY_EC),
      PARLEY_JWK_PUBLIC | PARLEY_JWK_PRIVATE | PARLEY_JWK_PRINT,
      OSSL_PKEY_PARAM_EC_PUB_Y },
    { parley_str_none, 0, 0, NULL }
};

static const parley_str_t  parley_jwk_kty_names[] = {
    [PARLEY_KTY_OCT] = parley_str("oct"),
    [PARLEY_KTY_RSA] = parley_str("RSA"),
    [PARLEY_KTY_EC] = parley_str("EC"),
    [PARLEY_KTY_OKP] = parley_str("OKP"),
};

static const parley_str_t  parley_jwk_crv_names[] = {
    [PARLEY_CRV_NONE] = parley_str(""),
    [PARLEY_CRV_P256] = parley_str("P-256"),
    [PARLEY_CRV_P384] = parley_str("P-384"),
    [PARLEY_CRV_P521] = parley_str("P-521"),
    [PARLEY_CRV_ED25519] = parley_str("Ed25519"),
};


static parley_str_t
parley_jwk_member_text(const parley_jwk_t *jwk, parley_str_t name)
{
    if (parley_str_is(name, "alg")) {
        return jwk->alg == -1
               ? parley_str_none
               : parley_alg_get((parley_alg_id_t) jwk->alg)->name;
    }

    if (parley_str_is(name, "crv")) {
        return parley_jwk_crv_names[jwk->crv];
    }

    if (parley_str_is(name, "kid")) {
        return jwk->kid;
    }

    if (parley_str_is(name, "kty")) {
        return parley_jwk_kty_names[jwk->kty];
    }

    return parley_str_none;
}


/*
 * Writes the octets of a member.  Returns their number, 0 if the key lacks it,
 * or -1.  Integers of curves are padded to a coordinate's length.
 */

static int
parley_jwk_member_octets(const parley_jwk_t *jwk,
    const parley_jwk_member_t *member, uint8_t *buf)
{
    int      len;
    BIGNUM  *bn;

    if (parley_str_is(member->name, "k")) {
        memcpy(buf, jwk->secret.data, jwk->secret.len);
        return (int) jwk->secret.len;
    }

    if (jwk->kty == PARLEY_KTY_OKP) {
        memcpy(buf, member->name.data[0] == 'd' ? jwk->seed : jwk->ed25519,
               32);
        return 32;
    }

    bn = NULL;

    ERR_set_mark();

    if (EVP_PKEY_get_bn_param(jwk->pkey, member->param, &bn) != 1) {
        ERR_pop_to_mark();
        return 0;
    }

    ERR_pop_to_mark();

    len = jwk->kty == PARLEY_KTY_EC ? (int) (jwk->bits + 7) / 8
                                    : BN_num_bytes(bn);
    len = BN_bn2binpad(bn, buf, len);
    BN_clear_free(bn);

    return len;
}


static int
parley_jwk_write_form(parley_buf_t *b, const parley_jwk_t *jwk, unsigned form,
    parley_error_t *err)
{
    int                         len;
    char                        text[PARLEY_BASE64_ENCODED(1024)];
    uint8_t                     octets[PARLEY_JWK_RSA_BITS_MAX / 8];
    parley_str_t                value;
    const parley_jwk_member_t  *m;

    parley_buf_octet(b, '{');

    for (m = parley_jwk_members; m->name.len != 0; m++) {

        if ((m->forms & form) == 0
            || (m->ktys & PARLEY_JWK_KTY(jwk->kty)) == 0)
        {
            continue;
        }

        value = parley_jwk_member_text(jwk, m->name);

        if (value.len != 0) {
            parley_buf_member(b, m->name, value);
            continue;
        }

        if (parley_str_is(m->name, "alg") || parley_str_is(m->name, "kid")) {
            continue;
        }

        len = parley_jwk_member_octets(jwk, m, octets);

        if (len < 0) {
            return parley_error_memory(err);
        }

        if (len > 0) {
            value = parley_str_make(text,
                        parley_base64url_encode(
                            parley_str_make(octets, (size_t) len), text));
            parley_buf_member(b, m->name, value);
        }

        sodium_memzero(octets, sizeof(octets));
        sodium_memzero(text, sizeof(text));
    }

    parley_buf_octet(b, '}');

    return 0;
}


int
parley_jwk_write(parley_buf_t *b, const parley_jwk_t *jwk, int with_private,
    parley_error_t *err)
{
    if (!with_private && jwk->kty == PARLEY_KTY_OCT) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "a shared secret has no public part");
    }

    if (with_private && !jwk->is_private) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "the key has no private part");
    }

    return parley_jwk_write_form(b, jwk, with_private ? PARLEY_JWK_PRIVATE
                                                      : PARLEY_JWK_PUBLIC,
                                 err);
}


int
parley_jwk_thumbprint(const parley_jwk_t *jwk,
    char out[PARLEY_JWK_THUMBPRINT_LEN + 1], parley_error_t *err)
{
    int             rc;
    uint8_t         digest[PARLEY_SHA256_LEN];
    parley_buf_t    b;
    parley_str_t    text;
    parley_arena_t  arena;

    out[0] = '\0';

    /* large enough never to grow, which would leave a copy of the secret */

    parley_arena_init(&arena, &parley_mem_libc, 8192);
    parley_buf_init(&b, &arena, 4096);

    rc = parley_jwk_write_form(&b, jwk, PARLEY_JWK_PRINT, err);

    if (rc == 0
        && (parley_buf_done(&b, &text) != 0
            || parley_sha256(text, digest) != 0))
    {
        rc = parley_error_memory(err);
    }

    if (rc == 0) {
        (void) parley_base64url_encode(parley_str_make(digest,
                                                       sizeof(digest)),
                                       out);
    }

    if (b.data != NULL) {
        sodium_memzero(b.data, b.len);
    }

    parley_arena_reset(&arena);

    return rc;
}
