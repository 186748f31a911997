/*
 * A 64-bit keyed fingerprint of a JSON value, equal for equal RFC 8785 forms:
 * white space, member order, escapes and the spelling of numbers do not matter.
 * It is far cheaper than a SHA-256 of the canonical form, but only as strong as
 * the seed is secret: an attacker with the seed can construct collisions.
 */

#ifndef PARLEY_JSON_PRINT_H
#define PARLEY_JSON_PRINT_H

#include "core/parley_json.h"


#define PARLEY_JSON_PRINT_LEN   8

/* values that can be skipped */
#define PARLEY_JSON_PRINT_SKIP  8


/*
 * Secrets derived from the seed: one for each kind of value, and the factors.
 */
typedef enum {
    PARLEY_PRINT_NAME = 0,
    PARLEY_PRINT_ATOM,          /* a name that has an atom */
    PARLEY_PRINT_WORD,          /* true, false, null */
    PARLEY_PRINT_TEXT,
    PARLEY_PRINT_NUMBER,
    PARLEY_PRINT_OBJECT,
    PARLEY_PRINT_ARRAY,
    PARLEY_PRINT_LEFT,          /* factors of the fold */
    PARLEY_PRINT_RIGHT,
    PARLEY_PRINT_SECRETS
} parley_print_secret_t;


typedef struct {
    uint64_t  secrets[PARLEY_PRINT_SECRETS];
} parley_json_print_seed_t;


void parley_json_print_seed(uint64_t seed, parley_json_print_seed_t *ret);

/*
 * Writes the fingerprint of value without the members that skip excludes: skip
 * lists the nodes of their nskip values, all inside value.  An integer outside
 * +-(2^53 - 1) is hashed as it is spelled.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_json_print(parley_json_ref_t value, const uint32_t *skip,
    size_t nskip, const parley_json_print_seed_t *seed,
    uint8_t out[PARLEY_JSON_PRINT_LEN])
    __attribute__((warn_unused_result));


#endif /* PARLEY_JSON_PRINT_H */
