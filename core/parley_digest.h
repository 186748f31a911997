/* SHA-256 and SHA-1 (FIPS 180-4), by OpenSSL. */

#ifndef PARLEY_DIGEST_H
#define PARLEY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_SHA256_LEN  32
#define PARLEY_SHA1_LEN    20


/* Digests s.  Returns 0, or -1 with out zeroed if OpenSSL fails. */
int parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
    __attribute__((warn_unused_result));

/* As parley_sha256(), over the concatenation of n parts. */
int parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
    __attribute__((warn_unused_result));

/*
 * As parley_sha256_parts(), by SHA-1.  SHA-1 is not collision-resistant: it
 * serves the handshake of WebSocket only.
 */
int parley_sha1_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA1_LEN])
    __attribute__((warn_unused_result));

#endif /* PARLEY_DIGEST_H */
