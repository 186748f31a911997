/* Where a JWK is read from, and what its readers share; internal. */

#ifndef PARLEY_JWK_SOURCE_H
#define PARLEY_JWK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <openssl/types.h>

#include "parley_arena.h"
#include "parley_base64.h"
#include "parley_error.h"
#include "parley_jwk.h"


/* an integer of RSA, with the leading zero that some producers write */
#define PARLEY_JWK_OCTETS_MAX  (PARLEY_JWK_RSA_BITS_MAX / 8 + 1)

/* room for its text decoded */
#define PARLEY_JWK_BUF                                                        \
    PARLEY_BASE64_DECODED(PARLEY_JWK_OCTETS_MAX / 3 * 4 + 4)


typedef struct {
    parley_arena_t  *arena;
    const json_t    *object;
    const char      *pointer;
    parley_error_t  *err;
} parley_jwk_source_t;


/* "key member NAME TEXT" as an error, -1; or as the reason of a skip, 1 */
int parley_jwk_fail(parley_jwk_source_t *src, const char *name,
    const char *text);
int parley_jwk_skip(parley_jwk_source_t *src, const char *name,
    const char *text);

/*
 * A base64url member into buf.  Returns 0, 1 where it is absent and not
 * required, -1.
 */
int parley_jwk_octets(parley_jwk_source_t *src, const char *name,
    int required, uint8_t buf[PARLEY_JWK_BUF], size_t *ret_len)
    __attribute__((warn_unused_result));

/* The text of crv. */
int parley_jwk_crv(parley_jwk_source_t *src, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Readers of one kty each: 0, 1 where the key is to be skipped, -1. */
int parley_jwk_rsa(parley_jwk_source_t *src, parley_jwk_t *jwk)
    __attribute__((warn_unused_result));
int parley_jwk_ec(parley_jwk_source_t *src, parley_jwk_t *jwk)
    __attribute__((warn_unused_result));

/* Whether the modulus is one that CVE-2017-15361 factors. */
int parley_jwk_roca(const BIGNUM *n);


#endif /* PARLEY_JWK_SOURCE_H */
