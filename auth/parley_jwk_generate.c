#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>

#include "auth/parley_jwk.h"


static int
parley_jwk_generate_okp(parley_jwk_t *jwk)
{
    int      rc;
    uint8_t  sk[crypto_sign_SECRETKEYBYTES];

    jwk->kty = PARLEY_KTY_OKP;
    jwk->crv = PARLEY_CRV_ED25519;
    jwk->bits = 256;

    if (RAND_priv_bytes(jwk->seed, sizeof(jwk->seed)) != 1) {
        return -1;
    }

    rc = crypto_sign_seed_keypair(jwk->ed25519, sk, jwk->seed);
    sodium_memzero(sk, sizeof(sk));

    return rc;
}


static int
parley_jwk_generate_oct(parley_arena_t *arena, const parley_alg_t *alg,
    parley_jwk_t *jwk)
{
    uint8_t  *p;

    jwk->kty = PARLEY_KTY_OCT;

    p = parley_arena_octets(arena, alg->key_min);

    if (p == NULL || RAND_priv_bytes(p, (int) alg->key_min) != 1) {
        return -1;
    }

    jwk->secret = parley_str_make(p, alg->key_min);
    jwk->bits = alg->key_min * 8;

    return 0;
}


static int
parley_jwk_generate_ec(const parley_alg_t *alg, parley_jwk_t *jwk)
{
    static const char *const  groups[] = { "P-256", "P-384", "P-521" };
    static const parley_crv_t  curves[] = {
        PARLEY_CRV_P256, PARLEY_CRV_P384, PARLEY_CRV_P521
    };

    jwk->kty = PARLEY_KTY_EC;
    jwk->crv = curves[alg->id - PARLEY_ALG_ES256];
    jwk->bits = alg->key_min;
    jwk->pkey = EVP_PKEY_Q_keygen(NULL, NULL, "EC",
                                  groups[alg->id - PARLEY_ALG_ES256]);

    return jwk->pkey != NULL ? 0 : -1;
}


static int
parley_jwk_generate_material(parley_arena_t *arena, const parley_alg_t *alg,
    parley_jwk_t *jwk)
{
    switch (alg->family) {

    case PARLEY_ALG_HMAC:
        return parley_jwk_generate_oct(arena, alg, jwk);

    case PARLEY_ALG_ECDSA:
        return parley_jwk_generate_ec(alg, jwk);

    case PARLEY_ALG_ED25519:
        return parley_jwk_generate_okp(jwk);

    default: /* PARLEY_ALG_RSA, PARLEY_ALG_RSA_PSS */
        jwk->kty = PARLEY_KTY_RSA;
        jwk->bits = alg->key_min;
        jwk->pkey = EVP_PKEY_Q_keygen(NULL, NULL, "RSA", alg->key_min);

        return jwk->pkey != NULL ? 0 : -1;
    }
}


int
parley_jwk_generate(parley_arena_t *arena, parley_alg_id_t id,
    parley_str_t kid, parley_jwk_t *ret, parley_error_t *err)
{
    int   rc;
    char  print[PARLEY_JWK_THUMBPRINT_LEN + 1];

    memset(ret, 0, sizeof(parley_jwk_t));
    ret->alg = (int) id;
    ret->is_private = 1;

    if (kid.len > PARLEY_JWK_KID_MAX) {
        ret->alg = -1;
        ret->is_private = 0;
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, "/kid",
                                "kid is longer than %d octets",
                                PARLEY_JWK_KID_MAX);
    }

    ERR_set_mark();

    rc = parley_jwk_generate_material(arena, parley_alg_get(id), ret);

    if (rc != 0) {
        rc = parley_error_memory(err);
    }

    if (rc == 0 && kid.len == 0) {
        rc = parley_jwk_thumbprint(ret, print, err);
        kid = parley_str_make(print, sizeof(print) - 1);
    }

    if (rc == 0 && parley_arena_str(arena, kid, &ret->kid) != 0) {
        rc = parley_error_memory(err);
    }

    if (rc == 0) {
        rc = parley_jwk_complete(ret, 1, 1, "", err);
    }

    ERR_pop_to_mark();

    if (rc != 0) {
        parley_jwk_free(ret);
        return -1;
    }

    return 0;
}
