/*
 * The signature algorithms of JOSE (RFC 7518 section 3.1, RFC 8037), one row
 * each.  "none" has no row and thus cannot be requested.
 */

#ifndef PARLEY_ALG_H
#define PARLEY_ALG_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


typedef enum {
    PARLEY_ALG_HS256 = 0,
    PARLEY_ALG_HS384,
    PARLEY_ALG_HS512,
    PARLEY_ALG_RS256,
    PARLEY_ALG_RS384,
    PARLEY_ALG_RS512,
    PARLEY_ALG_PS256,
    PARLEY_ALG_PS384,
    PARLEY_ALG_PS512,
    PARLEY_ALG_ES256,
    PARLEY_ALG_ES384,
    PARLEY_ALG_ES512,
    PARLEY_ALG_EDDSA,
    PARLEY_ALG_COUNT
} parley_alg_id_t;


typedef enum {
    PARLEY_ALG_HMAC = 0,
    PARLEY_ALG_RSA,             /* PKCS #1 v1.5 */
    PARLEY_ALG_RSA_PSS,         /* MGF1 with the digest; the salt has the
                                   digest's length */
    PARLEY_ALG_ECDSA,
    PARLEY_ALG_ED25519
} parley_alg_family_t;


typedef struct {
    parley_str_t         name;          /* "RS256" */
    parley_alg_id_t      id;
    parley_alg_family_t  family;
    const char          *digest;        /* OpenSSL name; NULL for EdDSA */
    size_t               digest_len;    /* octets */
    size_t               key_min;       /* HMAC: minimum octets of the secret;
                                           RSA: minimum bits of the modulus */
    size_t               signature_len; /* octets; 0: as long as the modulus */
} parley_alg_t;


/* a set of parley_alg_id_t, as bits */
typedef uint32_t  parley_alg_mask_t;

#define PARLEY_ALG_BIT(id)      ((parley_alg_mask_t) 1 << (id))


/* Returns the row of id, which must be below PARLEY_ALG_COUNT; never NULL. */
const parley_alg_t *parley_alg_get(parley_alg_id_t id);

/*
 * Returns the row with this case-sensitive name, or NULL.  "Ed25519", the
 * fully specified name of RFC 9864, yields the row of EdDSA.
 */
const parley_alg_t *parley_alg_find(parley_str_t name);


#endif /* PARLEY_ALG_H */
