/*
 * Keys of shared tables: SipHash-2-4 with 128 bits of output (libsodium) under
 * a secret, so that senders cannot construct collisions.
 */

#ifndef PARLEY_KEY_H
#define PARLEY_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_KEY_LEN      16
#define PARLEY_KEY_SECRET   16


/*
 * Hashes n parts, each preceded by its length, so that ("ab", "c") and ("a",
 * "bc") differ.  secret is random, and the same for all processes that share
 * the table.
 */
void parley_key_make(const uint8_t secret[PARLEY_KEY_SECRET],
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);

/* As parley_key_make(), with a part of one octet, kind, before the others. */
void parley_key_make_kind(const uint8_t secret[PARLEY_KEY_SECRET],
    uint8_t kind, const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_KEY_LEN]);


#endif /* PARLEY_KEY_H */
