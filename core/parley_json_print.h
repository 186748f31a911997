/*
 * What a value says, as 64 bits: the same for whatever has the same RFC 8785
 * form, another for anything else, but by chance.  White space, the order of
 * members, escapes and the spelling of numbers make no difference.  It costs a
 * small part of writing that form and its SHA-256, and is a proof only while
 * the seed is secret: who knows it can make two values fall together.
 */

#ifndef PARLEY_JSON_PRINT_H
#define PARLEY_JSON_PRINT_H

#include "parley_json.h"


#define PARLEY_JSON_PRINT_LEN   8

/* values that are left out, at most */
#define PARLEY_JSON_PRINT_SKIP  8


/*
 * Of a value of doc without the members whose values are the nskip nodes of
 * skip.  An integer literal that no double holds is what it spells.  Returns
 * 0, or -1: no memory.
 */
int parley_json_print(parley_json_ref_t value, const uint32_t *skip,
    size_t nskip, uint64_t seed, uint8_t out[PARLEY_JSON_PRINT_LEN])
    __attribute__((warn_unused_result));


#endif /* PARLEY_JSON_PRINT_H */
