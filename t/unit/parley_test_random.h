/* Pseudo-random numbers from a seed, so that a test can be repeated. */

#ifndef PARLEY_TEST_RANDOM_H
#define PARLEY_TEST_RANDOM_H

#include <stdint.h>

#include "core/parley_str.h"


typedef struct {
    uint64_t  state;
} parley_test_random_t;


/* splitmix64 */
static inline uint64_t
parley_test_random(parley_test_random_t *r)
{
    uint64_t  z;

    z = (r->state += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;

    return z ^ (z >> 31);
}


/* Returns 0 to n - 1; n must not be 0. */
static inline unsigned
parley_test_below(parley_test_random_t *r, unsigned n)
{
    return (unsigned) (parley_test_random(r) % n);
}


static inline int
parley_test_chance(parley_test_random_t *r, unsigned percent)
{
    return parley_test_below(r, 100) < percent;
}


static inline parley_str_t
parley_test_word(parley_test_random_t *r, const char *const *words,
    unsigned n)
{
    return parley_str_c(words[parley_test_below(r, n)]);
}


/* one of these C strings, as a span */
#define parley_test_one(r, ...)                                               \
    parley_test_word((r), (const char *const[]) { __VA_ARGS__ },              \
             sizeof((const char *const[]) { __VA_ARGS__ }) / sizeof(char *))


#endif /* PARLEY_TEST_RANDOM_H */
