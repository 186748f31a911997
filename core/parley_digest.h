/* SHA-256 (FIPS 180-4) by OpenSSL, and its usual spellings. */

#ifndef PARLEY_DIGEST_H
#define PARLEY_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


#define PARLEY_SHA256_LEN  32


/* Returns 0, or -1 where OpenSSL fails; out is then zeroed. */
int parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
    __attribute__((warn_unused_result));

/* The same over n spans, as if they were one. */
int parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
    __attribute__((warn_unused_result));

/* Lower-case hex; out has room for 2 * n octets and a zero. */
void parley_hex(const uint8_t *data, size_t n, char *out);


#endif /* PARLEY_DIGEST_H */
