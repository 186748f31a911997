/* RSA and EC keys as an EVP_PKEY. */

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <sodium.h>

#include "auth/parley_jwk.h"
#include "auth/parley_jwk_source.h"


#define PARLEY_JWK_EC_MAX  66       /* octets of a coordinate */


typedef struct {
    const char    *name;
    const char    *param;       /* OpenSSL name */
} parley_jwk_integer_t;

typedef struct {
    parley_str_t   name;
    parley_crv_t   crv;
    size_t         bits;
    size_t         octets;      /* per coordinate */
    const char    *group;       /* OpenSSL name */
} parley_jwk_curve_t;


static const parley_jwk_curve_t  parley_jwk_curves[] = {
    { parley_str("P-256"), PARLEY_CRV_P256, 256, 32, "P-256" },
    { parley_str("P-384"), PARLEY_CRV_P384, 384, 48, "P-384" },
    { parley_str("P-521"), PARLEY_CRV_P521, 521, 66, "P-521" },
    { parley_str_none, PARLEY_CRV_NONE, 0, 0, NULL }
};

static const parley_jwk_integer_t  parley_jwk_rsa_integers[] = {
    { "n", OSSL_PKEY_PARAM_RSA_N },
    { "e", OSSL_PKEY_PARAM_RSA_E },
    { "d", OSSL_PKEY_PARAM_RSA_D },
    { "p", OSSL_PKEY_PARAM_RSA_FACTOR1 },
    { "q", OSSL_PKEY_PARAM_RSA_FACTOR2 },
    { "dp", OSSL_PKEY_PARAM_RSA_EXPONENT1 },
    { "dq", OSSL_PKEY_PARAM_RSA_EXPONENT2 },
    { "qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1 },
};

#define PARLEY_JWK_RSA_N         8


static int
parley_jwk_fromdata(const char *type, OSSL_PARAM_BLD *bld, int is_private,
    EVP_PKEY **ret)
{
    int            rc;
    OSSL_PARAM    *params;
    EVP_PKEY_CTX  *ctx;

    *ret = NULL;
    rc = -1;

    params = OSSL_PARAM_BLD_to_param(bld);
    ctx = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);

    if (params != NULL && ctx != NULL
        && EVP_PKEY_fromdata_init(ctx) == 1
        && EVP_PKEY_fromdata(ctx, ret, is_private ? EVP_PKEY_KEYPAIR
                                                  : EVP_PKEY_PUBLIC_KEY,
                             params)
           == 1)
    {
        rc = 0;
    }

    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_free(params);

    return rc;
}


/*
 * Checks the requirements of RFC 7518 on the integers, and their plausibility,
 * further than OpenSSL does.
 */

static int
parley_jwk_rsa_sane(parley_jwk_source_t *src, parley_jwk_t *jwk,
    BIGNUM *bn[PARLEY_JWK_RSA_N])
{
    jwk->bits = (size_t) BN_num_bits(bn[0]);

    if (jwk->bits < 2048) {
        return parley_jwk_fail(src, "n", "is shorter than 2048 bits");
    }

    if (jwk->bits > PARLEY_JWK_RSA_BITS_MAX) {
        return parley_jwk_fail(src, "n", "is longer than 8192 bits");
    }

    if (!BN_is_odd(bn[0])) {
        return parley_jwk_fail(src, "n", "is even");
    }

    if (parley_jwk_roca(bn[0])) {
        return parley_jwk_fail(src, "n", "is of a broken generator, which "
                               "CVE-2017-15361 (ROCA) factors: make a new "
                               "key");
    }

    if (!BN_is_odd(bn[1]) || BN_is_one(bn[1]) || BN_num_bits(bn[1]) > 64) {
        return parley_jwk_fail(src, "e",
                               "is not an odd number from 3 to 64 bits");
    }

    if (json_object_get(src->object, "oth") != NULL) {
        return parley_jwk_fail(src, "oth",
                               "is not supported: two primes at most");
    }

    return 0;
}


static int
parley_jwk_rsa_read(parley_jwk_source_t *src, parley_jwk_t *jwk,
    BIGNUM *bn[PARLEY_JWK_RSA_N])
{
    int       rc, crt;
    size_t    i, len;
    uint8_t   buf[PARLEY_JWK_BUF];

    crt = 0;

    for (i = 0; i < PARLEY_JWK_RSA_N; i++) {

        if (i > 2 && bn[2] == NULL) {
            break;
        }

        rc = parley_jwk_octets(src, parley_jwk_rsa_integers[i].name,
                               i < 2 || crt, buf, &len);
        if (rc == -1) {
            sodium_memzero(buf, sizeof(buf));
            return -1;
        }

        if (rc == 1) {

            /* after d: of the five CRT members all are present or none */

            if (i == 3) {
                break;
            }

            continue;
        }

        crt = i >= 3;

        bn[i] = i < 2 ? BN_new() : BN_secure_new();

        if (bn[i] == NULL || BN_bin2bn(buf, (int) len, bn[i]) == NULL) {
            sodium_memzero(buf, sizeof(buf));
            return parley_error_memory(src->err);
        }

        sodium_memzero(buf, sizeof(buf));
    }

    jwk->is_private = bn[2] != NULL;

    return parley_jwk_rsa_sane(src, jwk, bn);
}


int
parley_jwk_rsa(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    int              rc;
    size_t           i;
    BIGNUM          *bn[PARLEY_JWK_RSA_N];
    OSSL_PARAM_BLD  *bld;

    jwk->kty = PARLEY_KTY_RSA;
    memset(bn, 0, sizeof(bn));
    bld = NULL;

    rc = parley_jwk_rsa_read(src, jwk, bn);

    if (rc == 0) {
        bld = OSSL_PARAM_BLD_new();
        rc = bld == NULL ? -1 : 0;

        for (i = 0; rc == 0 && i < PARLEY_JWK_RSA_N; i++) {
            if (bn[i] != NULL
                && OSSL_PARAM_BLD_push_BN(bld,
                                          parley_jwk_rsa_integers[i].param,
                                          bn[i])
                   != 1)
            {
                rc = -1;
            }
        }

        if (rc == 0) {
            rc = parley_jwk_fromdata("RSA", bld, jwk->is_private, &jwk->pkey);
        }

        if (rc != 0) {
            rc = parley_jwk_fail(src, "n",
                                 "does not form an RSA key with \"e\"");
        }
    }

    OSSL_PARAM_BLD_free(bld);

    for (i = 0; i < PARLEY_JWK_RSA_N; i++) {
        BN_clear_free(bn[i]);
    }

    return rc;
}


static int
parley_jwk_ec_build(parley_jwk_t *jwk, const parley_jwk_curve_t *curve,
    const uint8_t *point, const BIGNUM *d)
{
    int              rc;
    EVP_PKEY_CTX    *ctx;
    OSSL_PARAM_BLD  *bld;

    rc = -1;
    ctx = NULL;
    bld = OSSL_PARAM_BLD_new();

    if (bld != NULL
        && OSSL_PARAM_BLD_push_utf8_string(bld, OSSL_PKEY_PARAM_GROUP_NAME,
                                           curve->group, 0)
           == 1
        && OSSL_PARAM_BLD_push_octet_string(bld, OSSL_PKEY_PARAM_PUB_KEY,
                                            point, 1 + 2 * curve->octets)
           == 1
        && (d == NULL
            || OSSL_PARAM_BLD_push_BN(bld, OSSL_PKEY_PARAM_PRIV_KEY, d) == 1)
        && parley_jwk_fromdata("EC", bld, d != NULL, &jwk->pkey) == 0)
    {
        ctx = EVP_PKEY_CTX_new_from_pkey(NULL, jwk->pkey, NULL);

        if (ctx != NULL && EVP_PKEY_public_check(ctx) == 1) {
            rc = 0;
        }
    }

    EVP_PKEY_CTX_free(ctx);
    OSSL_PARAM_BLD_free(bld);

    return rc;
}


/* Reads an octet string of the curve's length, as parley_jwk_octets(). */

static int
parley_jwk_ec_octets(parley_jwk_source_t *src, const char *member,
    int required, const parley_jwk_curve_t *curve, uint8_t *ret)
{
    int      rc;
    size_t   len;
    uint8_t  buf[PARLEY_JWK_BUF];

    rc = parley_jwk_octets(src, member, required, buf, &len);

    if (rc == 0) {

        if (len == curve->octets) {
            memcpy(ret, buf, len);

        } else {
            rc = parley_jwk_fail(src, member,
                                 "does not have the length of its curve");
        }
    }

    sodium_memzero(buf, sizeof(buf));

    return rc;
}


int
parley_jwk_ec(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    int                        rc;
    BIGNUM                    *d;
    uint8_t                    point[1 + 2 * PARLEY_JWK_EC_MAX];
    uint8_t                    secret[PARLEY_JWK_EC_MAX];
    parley_str_t               name;
    const parley_jwk_curve_t  *curve;

    jwk->kty = PARLEY_KTY_EC;

    if (parley_jwk_crv(src, &name) != 0) {
        return -1;
    }

    for (curve = parley_jwk_curves; curve->group != NULL; curve++) {
        if (parley_str_eq(curve->name, name)) {
            break;
        }
    }

    if (curve->group == NULL) {
        return parley_jwk_skip(src, "crv", "is not a supported curve");
    }

    jwk->crv = curve->crv;
    jwk->bits = curve->bits;
    point[0] = 0x04;            /* SEC 1: uncompressed */

    if (parley_jwk_ec_octets(src, "x", 1, curve, point + 1) != 0
        || parley_jwk_ec_octets(src, "y", 1, curve, point + 1 + curve->octets)
           != 0)
    {
        return -1;
    }

    d = NULL;
    rc = parley_jwk_ec_octets(src, "d", 0, curve, secret);

    if (rc == 0) {
        jwk->is_private = 1;
        d = BN_secure_new();

        if (d == NULL || BN_bin2bn(secret, (int) curve->octets, d) == NULL) {
            rc = parley_error_memory(src->err);
        }
    }

    sodium_memzero(secret, sizeof(secret));

    if (rc != -1) {
        rc = parley_jwk_ec_build(jwk, curve, point, d);

        if (rc != 0) {
            rc = parley_jwk_fail(src, "x",
                                 "and \"y\" are not a point of the curve, or "
                                 "\"d\" is out of range");
        }
    }

    BN_clear_free(d);

    return rc;
}
