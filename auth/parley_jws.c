#include <string.h>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <sodium.h>

#include "auth/parley_jws.h"


/* SEQUENCE of two INTEGERs of up to 66 octets and a sign octet */
#define PARLEY_JWS_DER_MAX  (3 + 2 * (2 + 67))


static int
parley_jws_prepare_mac(parley_jwk_t *jwk, const parley_alg_t *alg)
{
    EVP_MAC     *mac;
    OSSL_PARAM   params[2];

    mac = EVP_MAC_fetch(NULL, "HMAC", NULL);

    if (mac == NULL) {
        return -1;
    }

    jwk->mac[alg->id] = EVP_MAC_CTX_new(mac);
    EVP_MAC_free(mac);

    params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST,
                                          (char *) (uintptr_t) alg->digest,
                                          0);
    params[1] = OSSL_PARAM_construct_end();

    if (jwk->mac[alg->id] == NULL
        || EVP_MAC_init(jwk->mac[alg->id], jwk->secret.data, jwk->secret.len,
                        params)
           != 1)
    {
        return -1;
    }

    return 0;
}


/* sign: a context to sign, else to verify */

static EVP_PKEY_CTX *
parley_jws_context(const parley_jwk_t *jwk, const parley_alg_t *alg,
    const EVP_MD *md, int sign)
{
    EVP_PKEY_CTX  *ctx;

    ctx = EVP_PKEY_CTX_new_from_pkey(NULL, jwk->pkey, NULL);

    if (ctx == NULL) {
        return NULL;
    }

    if ((sign ? EVP_PKEY_sign_init(ctx) : EVP_PKEY_verify_init(ctx)) != 1
        || EVP_PKEY_CTX_set_signature_md(ctx, md) != 1)
    {
        goto failed;
    }

    if (alg->family == PARLEY_ALG_RSA
        && EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING) != 1)
    {
        goto failed;
    }

    if (alg->family == PARLEY_ALG_RSA_PSS
        && (EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PSS_PADDING) != 1
            || EVP_PKEY_CTX_set_rsa_pss_saltlen(ctx, RSA_PSS_SALTLEN_DIGEST)
               != 1
            || EVP_PKEY_CTX_set_rsa_mgf1_md(ctx, md) != 1))
    {
        goto failed;
    }

    return ctx;

failed:

    EVP_PKEY_CTX_free(ctx);

    return NULL;
}


int
parley_jws_prepare(parley_jwk_t *jwk)
{
    unsigned             i;
    const parley_alg_t  *alg;

    if (jwk->kty == PARLEY_KTY_OKP) {
        return sodium_init() < 0 ? -1 : 0;
    }

    for (i = 0; i < PARLEY_ALG_COUNT; i++) {

        if (((jwk->verifies | jwk->signs) & PARLEY_ALG_BIT(i)) == 0) {
            continue;
        }

        alg = parley_alg_get((parley_alg_id_t) i);

        if (alg->family == PARLEY_ALG_HMAC) {
            if (parley_jws_prepare_mac(jwk, alg) != 0) {
                return -1;
            }

            continue;
        }

        jwk->md[i] = EVP_MD_fetch(NULL, alg->digest, NULL);

        if (jwk->md[i] == NULL) {
            return -1;
        }

        if (jwk->verifies & PARLEY_ALG_BIT(i)) {
            jwk->verifier[i] = parley_jws_context(jwk, alg, jwk->md[i], 0);

            if (jwk->verifier[i] == NULL) {
                return -1;
            }
        }
    }

    if (jwk->pkey != NULL && jwk->md_ctx == NULL) {
        jwk->md_ctx = EVP_MD_CTX_new();

        if (jwk->md_ctx == NULL) {
            return -1;
        }
    }

    return 0;
}


/* Copies a context with the key set, which saves half of the key schedule. */

static int
parley_jws_mac(const parley_jwk_t *jwk, const parley_alg_t *alg,
    parley_str_t octets, uint8_t out[EVP_MAX_MD_SIZE])
{
    int           rc;
    size_t        len;
    EVP_MAC_CTX  *ctx;

    rc = -1;
    len = 0;
    ctx = EVP_MAC_CTX_dup(jwk->mac[alg->id]);

    if (ctx != NULL
        && EVP_MAC_update(ctx, octets.data, octets.len) == 1
        && EVP_MAC_final(ctx, out, &len, EVP_MAX_MD_SIZE) == 1
        && len == alg->digest_len)
    {
        rc = 0;
    }

    EVP_MAC_CTX_free(ctx);

    return rc;
}


static int
parley_jws_digest(const parley_jwk_t *jwk, const parley_alg_t *alg,
    parley_str_t octets, uint8_t out[EVP_MAX_MD_SIZE])
{
    unsigned  len;

    if (EVP_DigestInit_ex2(jwk->md_ctx, jwk->md[alg->id], NULL) != 1
        || EVP_DigestUpdate(jwk->md_ctx, octets.data, octets.len) != 1
        || EVP_DigestFinal_ex(jwk->md_ctx, out, &len) != 1
        || len != alg->digest_len)
    {
        return -1;
    }

    return 0;
}


/* Encodes an INTEGER of n octets.  Returns NULL for 0, invalid as r or s. */

static uint8_t *
parley_jws_der_integer(uint8_t *p, const uint8_t *value, size_t n)
{
    size_t  sign;

    while (n != 0 && *value == 0) {
        value++;
        n--;
    }

    if (n == 0) {
        return NULL;
    }

    sign = *value >> 7;

    *p++ = 0x02;
    *p++ = (uint8_t) (n + sign);

    if (sign) {
        *p++ = 0;
    }

    memcpy(p, value, n);

    return p + n;
}


/*
 * Encodes r
 *
 * s as ECDSA-Sig-Value (RFC 3279).  Returns the length, or 0 if r or s is
 * zero; OpenSSL checks that they are below the order of the curve.
 */

static size_t
parley_jws_der(parley_str_t raw, uint8_t out[PARLEY_JWS_DER_MAX])
{
    size_t   half, len;
    uint8_t  body[PARLEY_JWS_DER_MAX], *p;

    half = raw.len / 2;

    p = parley_jws_der_integer(body, raw.data, half);

    if (p != NULL) {
        p = parley_jws_der_integer(p, raw.data + half, half);
    }

    if (p == NULL) {
        return 0;
    }

    len = (size_t) (p - body);
    p = out;

    *p++ = 0x30;

    if (len > 127) {
        *p++ = 0x81;
    }

    *p++ = (uint8_t) len;
    memcpy(p, body, len);

    return (size_t) (p - out) + len;
}


static int
parley_jws_verify_pkey(const parley_jwk_t *jwk, const parley_alg_t *alg,
    parley_str_t octets, parley_str_t signature)
{
    size_t   len;
    uint8_t  digest[EVP_MAX_MD_SIZE], der[PARLEY_JWS_DER_MAX];

    if (parley_jws_digest(jwk, alg, octets, digest) != 0) {
        return -1;
    }

    if (alg->family == PARLEY_ALG_ECDSA) {
        len = parley_jws_der(signature, der);

        if (len == 0) {
            return -1;
        }

        signature = parley_str_make(der, len);
    }

    return EVP_PKEY_verify(jwk->verifier[alg->id], signature.data,
                           signature.len, digest, alg->digest_len)
           == 1 ? 0 : -1;
}


int
parley_jws_verify(const parley_jwk_t *jwk, parley_alg_id_t id,
    parley_str_t octets, parley_str_t signature)
{
    int                  rc;
    size_t               len;
    uint8_t              mac[EVP_MAX_MD_SIZE];
    const parley_alg_t  *alg;

    if ((unsigned) id >= PARLEY_ALG_COUNT
        || (jwk->verifies & PARLEY_ALG_BIT(id)) == 0)
    {
        return -1;
    }

    alg = parley_alg_get(id);
    len = alg->signature_len != 0 ? alg->signature_len : (jwk->bits + 7) / 8;

    if (signature.len != len) {
        return -1;
    }

    if (alg->family == PARLEY_ALG_ED25519) {
        return crypto_sign_verify_detached(signature.data, octets.data,
                                           octets.len, jwk->ed25519)
               == 0 ? 0 : -1;
    }

    ERR_set_mark();

    if (alg->family == PARLEY_ALG_HMAC) {
        rc = parley_jws_mac(jwk, alg, octets, mac);

        if (rc == 0 && CRYPTO_memcmp(mac, signature.data, len) != 0) {
            rc = -1;
        }

        sodium_memzero(mac, sizeof(mac));

    } else {
        rc = parley_jws_verify_pkey(jwk, alg, octets, signature);
    }

    ERR_pop_to_mark();

    return rc;
}


/*
 * Decodes DER to r
 *
 * s of half octets each.
 */

static int
parley_jws_raw(const uint8_t *der, size_t der_len, uint8_t *out, size_t half)
{
    int           rc;
    ECDSA_SIG    *sig;
    const BIGNUM *r, *s;

    sig = d2i_ECDSA_SIG(NULL, &der, (long) der_len);

    if (sig == NULL) {
        return -1;
    }

    ECDSA_SIG_get0(sig, &r, &s);

    rc = BN_bn2binpad(r, out, (int) half) == (int) half
         && BN_bn2binpad(s, out + half, (int) half) == (int) half ? 0 : -1;

    ECDSA_SIG_free(sig);

    return rc;
}


static int
parley_jws_sign_pkey(const parley_jwk_t *jwk, const parley_alg_t *alg,
    parley_str_t octets, uint8_t *out, size_t *ret_len)
{
    int            rc;
    size_t         len;
    uint8_t        digest[EVP_MAX_MD_SIZE], der[PARLEY_JWS_DER_MAX];
    EVP_PKEY_CTX  *ctx;

    if (parley_jws_digest(jwk, alg, octets, digest) != 0) {
        return -1;
    }

    ctx = parley_jws_context(jwk, alg, jwk->md[alg->id], 1);

    if (ctx == NULL) {
        return -1;
    }

    if (alg->family == PARLEY_ALG_ECDSA) {
        len = sizeof(der);
        rc = EVP_PKEY_sign(ctx, der, &len, digest, alg->digest_len) == 1
             && parley_jws_raw(der, len, out, alg->signature_len / 2) == 0
             ? 0 : -1;
        *ret_len = alg->signature_len;

    } else {
        len = PARLEY_JWS_SIGNATURE_MAX;
        rc = EVP_PKEY_sign(ctx, out, &len, digest, alg->digest_len) == 1
             ? 0 : -1;
        *ret_len = len;
    }

    EVP_PKEY_CTX_free(ctx);

    return rc;
}


static int
parley_jws_sign_ed25519(const parley_jwk_t *jwk, parley_str_t octets,
    uint8_t *out)
{
    int      rc;
    uint8_t  sk[crypto_sign_SECRETKEYBYTES];

    /* libsodium's secret key is the seed followed by the public key */

    memcpy(sk, jwk->seed, sizeof(jwk->seed));
    memcpy(sk + sizeof(jwk->seed), jwk->ed25519, sizeof(jwk->ed25519));

    rc = crypto_sign_detached(out, NULL, octets.data, octets.len, sk);

    sodium_memzero(sk, sizeof(sk));

    return rc;
}


int
parley_jws_sign(const parley_jwk_t *jwk, parley_alg_id_t id,
    parley_str_t octets, uint8_t *out, size_t *ret_len, parley_error_t *err)
{
    int                  rc;
    uint8_t              mac[EVP_MAX_MD_SIZE];
    const parley_alg_t  *alg;

    *ret_len = 0;

    if ((unsigned) id >= PARLEY_ALG_COUNT
        || (jwk->signs & PARLEY_ALG_BIT(id)) == 0)
    {
        sodium_memzero(out, PARLEY_JWS_SIGNATURE_MAX);
        return parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL,
                                "the key cannot sign with this algorithm");
    }

    alg = parley_alg_get(id);

    ERR_set_mark();

    if (alg->family == PARLEY_ALG_ED25519) {
        rc = parley_jws_sign_ed25519(jwk, octets, out);
        *ret_len = alg->signature_len;

    } else if (alg->family == PARLEY_ALG_HMAC) {
        rc = parley_jws_mac(jwk, alg, octets, mac);

        if (rc == 0) {
            memcpy(out, mac, alg->digest_len);
        }

        *ret_len = alg->digest_len;
        sodium_memzero(mac, sizeof(mac));

    } else {
        rc = parley_jws_sign_pkey(jwk, alg, octets, out, ret_len);
    }

    ERR_pop_to_mark();

    if (rc != 0) {
        sodium_memzero(out, PARLEY_JWS_SIGNATURE_MAX);
        *ret_len = 0;

        return parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "signing failed");
    }

    return 0;
}
