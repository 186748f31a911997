/*
 * Keys of shared tables: 128 bits of SipHash-2-4 (libsodium's
 * crypto_shorthash_siphashx24) under a secret, so that no sender can make two
 * ids fall together.
 */

#ifndef PARLEY_KEY_H
#define PARLEY_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


#define PARLEY_KEY_LEN      16
#define PARLEY_KEY_SECRET   16


/*
 * Over n parts, each preceded by its length, so that ("ab", "c") and
 * ("a", "bc") differ.  The secret is random, brought by the caller, and the
 * same for everybody who shares the table.
 */
void parley_key_make(const uint8_t secret[PARLEY_KEY_SECRET],
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);


#endif /* PARLEY_KEY_H */
