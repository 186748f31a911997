#include "auth/parley_alg.h"


static const parley_alg_t  parley_algs[PARLEY_ALG_COUNT] = {

    [PARLEY_ALG_HS256] = { parley_str("HS256"), PARLEY_ALG_HS256,
                           PARLEY_ALG_HMAC, "SHA256", 32, 32, 32 },
    [PARLEY_ALG_HS384] = { parley_str("HS384"), PARLEY_ALG_HS384,
                           PARLEY_ALG_HMAC, "SHA384", 48, 48, 48 },
    [PARLEY_ALG_HS512] = { parley_str("HS512"), PARLEY_ALG_HS512,
                           PARLEY_ALG_HMAC, "SHA512", 64, 64, 64 },

    [PARLEY_ALG_RS256] = { parley_str("RS256"), PARLEY_ALG_RS256,
                           PARLEY_ALG_RSA, "SHA256", 32, 2048, 0 },
    [PARLEY_ALG_RS384] = { parley_str("RS384"), PARLEY_ALG_RS384,
                           PARLEY_ALG_RSA, "SHA384", 48, 2048, 0 },
    [PARLEY_ALG_RS512] = { parley_str("RS512"), PARLEY_ALG_RS512,
                           PARLEY_ALG_RSA, "SHA512", 64, 2048, 0 },

    [PARLEY_ALG_PS256] = { parley_str("PS256"), PARLEY_ALG_PS256,
                           PARLEY_ALG_RSA_PSS, "SHA256", 32, 2048, 0 },
    [PARLEY_ALG_PS384] = { parley_str("PS384"), PARLEY_ALG_PS384,
                           PARLEY_ALG_RSA_PSS, "SHA384", 48, 2048, 0 },
    [PARLEY_ALG_PS512] = { parley_str("PS512"), PARLEY_ALG_PS512,
                           PARLEY_ALG_RSA_PSS, "SHA512", 64, 2048, 0 },

    [PARLEY_ALG_ES256] = { parley_str("ES256"), PARLEY_ALG_ES256,
                           PARLEY_ALG_ECDSA, "SHA256", 32, 256, 64 },
    [PARLEY_ALG_ES384] = { parley_str("ES384"), PARLEY_ALG_ES384,
                           PARLEY_ALG_ECDSA, "SHA384", 48, 384, 96 },
    [PARLEY_ALG_ES512] = { parley_str("ES512"), PARLEY_ALG_ES512,
                           PARLEY_ALG_ECDSA, "SHA512", 64, 521, 132 },

    [PARLEY_ALG_EDDSA] = { parley_str("EdDSA"), PARLEY_ALG_EDDSA,
                           PARLEY_ALG_ED25519, NULL, 0, 256, 64 },
};


const parley_alg_t *
parley_alg_get(parley_alg_id_t id)
{
    return &parley_algs[id];
}


const parley_alg_t *
parley_alg_find(parley_str_t name)
{
    size_t  i;

    for (i = 0; i < PARLEY_ALG_COUNT; i++) {
        if (parley_str_eq(name, parley_algs[i].name)) {
            return &parley_algs[i];
        }
    }

    if (parley_str_is(name, "Ed25519")) {
        return &parley_algs[PARLEY_ALG_EDDSA];
    }

    return NULL;
}
