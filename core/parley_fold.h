/*
 * A keyed hash of octets as in wyhash: two words at a time are multiplied, and
 * the halves of the product folded.  The result must stay inside the process.
 * The hash is as strong as its secrets: an attacker with one of them can
 * construct collisions.
 */

#ifndef PARLEY_FOLD_H
#define PARLEY_FOLD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>


static inline uint64_t
parley_fold(uint64_t a, uint64_t b)
{
    unsigned __int128  product;

    product = (unsigned __int128) a * b;

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}


/* Derives the next secret from a seed (splitmix64) and advances the seed. */
static inline uint64_t
parley_fold_secret(uint64_t *seed)
{
    uint64_t  x;

    *seed += 0x9E3779B97F4A7C15ULL;

    x = *seed;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;

    return x ^ (x >> 31);
}


/*
 * Continues the hash h with n octets; left and right are secrets.  The last
 * read may overlap earlier octets, so the number of octets must not be combined
 * with them without a secret: texts of two lengths would have one hash.
 */
static inline uint64_t
parley_fold_octets(uint64_t h, uint64_t left, uint64_t right, const uint8_t *s,
    size_t n)
{
    size_t    rest;
    uint64_t  a, b;

    for (rest = n; rest > 16; rest -= 16, s += 16) {
        memcpy(&a, s, 8);
        memcpy(&b, s + 8, 8);
        h = parley_fold(a ^ left, b ^ h);
    }

    a = 0;
    b = 0;

    if (rest >= 8) {
        memcpy(&a, s, 8);
        memcpy(&b, s + rest - 8, 8);

    } else if (rest >= 4) {
        memcpy(&a, s, 4);
        memcpy(&b, s + rest - 4, 4);

    } else if (rest > 0) {
        a = ((uint64_t) s[0] << 16) | ((uint64_t) s[rest / 2] << 8)
            | s[rest - 1];
    }

    return parley_fold(a ^ right, b ^ (h + n * left));
}


#endif /* PARLEY_FOLD_H */
