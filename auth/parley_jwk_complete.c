/* Completion of a key: its algorithms, the check of the pair, and freeing. */

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <sodium.h>

#include "auth/parley_config.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jws.h"


/* Returns the algorithms that kty, crv and size can serve. */

static parley_alg_mask_t
parley_jwk_can(const parley_jwk_t *jwk)
{
    unsigned             i;
    parley_alg_mask_t    mask;
    const parley_alg_t  *alg;

    mask = 0;

    for (i = 0; i < PARLEY_ALG_COUNT; i++) {
        alg = parley_alg_get((parley_alg_id_t) i);

        switch (alg->family) {

        case PARLEY_ALG_HMAC:
            if (jwk->kty == PARLEY_KTY_OCT && jwk->secret.len >= alg->key_min)
            {
                mask |= PARLEY_ALG_BIT(i);
            }

            break;

        case PARLEY_ALG_RSA:
        case PARLEY_ALG_RSA_PSS:
            if (jwk->kty == PARLEY_KTY_RSA && jwk->bits >= alg->key_min) {
                mask |= PARLEY_ALG_BIT(i);
            }

            break;

        case PARLEY_ALG_ECDSA:
            if (jwk->kty == PARLEY_KTY_EC && jwk->bits == alg->key_min) {
                mask |= PARLEY_ALG_BIT(i);
            }

            break;

        case PARLEY_ALG_ED25519:
            if (jwk->kty == PARLEY_KTY_OKP) {
                mask |= PARLEY_ALG_BIT(i);
            }

            break;
        }
    }

    return mask;
}


/* Checks that private and public part match by signing and verifying. */

static int
parley_jwk_pair(const parley_jwk_t *jwk)
{
    int          rc;
    size_t       len;
    uint8_t      sig[PARLEY_JWS_SIGNATURE_MAX];
    uint8_t      pk[crypto_sign_PUBLICKEYBYTES];
    uint8_t      sk[crypto_sign_SECRETKEYBYTES];
    EVP_MD_CTX  *ctx;

    static const uint8_t  text[] = "parley";

    if (!jwk->is_private || jwk->kty == PARLEY_KTY_OCT) {
        return 0;
    }

    if (jwk->kty == PARLEY_KTY_OKP) {
        rc = crypto_sign_seed_keypair(pk, sk, jwk->seed);
        sodium_memzero(sk, sizeof(sk));

        return rc == 0 && memcmp(pk, jwk->ed25519, sizeof(pk)) == 0 ? 0 : -1;
    }

    rc = -1;
    len = sizeof(sig);
    ctx = EVP_MD_CTX_new();

    if (ctx != NULL
        && EVP_DigestSignInit_ex(ctx, NULL, "SHA256", NULL, NULL, jwk->pkey,
                                 NULL)
           == 1
        && EVP_DigestSign(ctx, sig, &len, text, sizeof(text)) == 1
        && EVP_MD_CTX_reset(ctx) == 1
        && EVP_DigestVerifyInit_ex(ctx, NULL, "SHA256", NULL, NULL,
                                   jwk->pkey, NULL)
           == 1
        && EVP_DigestVerify(ctx, sig, len, text, sizeof(text)) == 1)
    {
        rc = 0;
    }

    EVP_MD_CTX_free(ctx);

    return rc;
}


int
parley_jwk_complete(parley_jwk_t *jwk, int may_verify, int may_sign,
    const char *pointer, parley_error_t *err)
{
    char               field[PARLEY_POINTER_MAX];
    parley_alg_mask_t  mask;

    mask = parley_jwk_can(jwk);

    if (jwk->alg != -1) {
        mask &= PARLEY_ALG_BIT(jwk->alg);

        if (mask == 0) {
            parley_config_pointer(field, pointer, "alg");
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                    "algorithm does not fit the type, curve "
                                    "or size of the key");
        }
    }

    jwk->verifies = may_verify ? mask : 0;
    jwk->signs = may_sign && jwk->is_private ? mask : 0;

    if (jwk->verifies == 0 && jwk->signs == 0) {
        (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "the key can neither verify nor sign");
        return 1;
    }

    if (parley_jwk_pair(jwk) != 0) {
        parley_config_pointer(field, pointer, "d");
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                "the private part does not belong to the "
                                "public one");
    }

    if (parley_jws_prepare(jwk) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


void
parley_jwk_free(parley_jwk_t *jwk)
{
    size_t  i;

    for (i = 0; i < PARLEY_ALG_COUNT; i++) {
        EVP_PKEY_CTX_free(jwk->verifier[i]);
        EVP_MAC_CTX_free(jwk->mac[i]);
        EVP_MD_free(jwk->md[i]);
    }

    EVP_MD_CTX_free(jwk->md_ctx);
    EVP_PKEY_free(jwk->pkey);

    if (jwk->secret.len != 0) {
        sodium_memzero((void *) (uintptr_t) jwk->secret.data,
                       jwk->secret.len);
    }

    sodium_memzero(jwk, sizeof(parley_jwk_t));
    jwk->alg = -1;
}
