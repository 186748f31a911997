/* A JWK being read, and functions shared by its readers.  Private to auth. */

#ifndef PARLEY_JWK_SOURCE_H
#define PARLEY_JWK_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>
#include <openssl/types.h>

#include "core/parley_arena.h"
#include "core/parley_base64.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"


/* an RSA integer, with the leading zero that some producers add */
#define PARLEY_JWK_OCTETS_MAX  (PARLEY_JWK_RSA_BITS_MAX / 8 + 1)

/* room to decode its base64url */
#define PARLEY_JWK_BUF                                                        \
    PARLEY_BASE64_DECODED(PARLEY_JWK_OCTETS_MAX / 3 * 4 + 4)


typedef struct {
    parley_arena_t  *arena;
    const json_t    *object;
    const char      *pointer;
    parley_error_t  *err;
} parley_jwk_source_t;


/* Sets *src->err to field-invalid with "key member NAME TEXT".  Returns -1. */
int parley_jwk_fail(parley_jwk_source_t *src, const char *name,
    const char *text);

/* As parley_jwk_fail(), as the reason to skip the key.  Returns 1. */
int parley_jwk_skip(parley_jwk_source_t *src, const char *name,
    const char *text);

/*
 * Decodes a base64url member into buf.  Returns 0, 1 if it is absent and not
 * required, or -1 with *src->err filled; *ret_len is 0 unless 0 is returned.
 */
int parley_jwk_octets(parley_jwk_source_t *src, const char *name,
    int required, uint8_t buf[PARLEY_JWK_BUF], size_t *ret_len)
    __attribute__((warn_unused_result));

/* Reads crv; *ret is in the arena.  Returns 0, or -1 with *src->err filled. */
int parley_jwk_crv(parley_jwk_source_t *src, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads the members of an RSA key, or of an EC key, into *jwk.  Returns 0, 1
 * if the key is to be skipped, or -1; *src->err is filled unless 0.
 */
int parley_jwk_rsa(parley_jwk_source_t *src, parley_jwk_t *jwk)
    __attribute__((warn_unused_result));
int parley_jwk_ec(parley_jwk_source_t *src, parley_jwk_t *jwk)
    __attribute__((warn_unused_result));

/* Returns whether a modulus has the weakness of CVE-2017-15361. */
int parley_jwk_roca(const BIGNUM *n);


#endif /* PARLEY_JWK_SOURCE_H */
