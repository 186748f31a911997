/*
 * UUIDs (RFC 9562): recognised, and derived so that a retry derives the same
 * one (AEE-35).
 */

#ifndef PARLEY_ID_H
#define PARLEY_ID_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


#define PARLEY_UUID_LEN  36


/* Whether s is a UUID of that version, lower-case, with the RFC variant. */
int parley_uuid_is(parley_str_t s, int version);

/*
 * The same whatever the case of its letters: RFC 9562 section 4 reads a UUID
 * without regard to case, and writes it in lower case.
 */
int parley_uuid_is_any_case(parley_str_t s, int version);

/*
 * Writes s, for which that holds, to out in lower case: 36 octets and a zero.
 * s and out may not overlap.
 */
void parley_uuid_lower(parley_str_t s, char out[PARLEY_UUID_LEN + 1]);

/* fields that one id is derived from */
#define PARLEY_UUID_FIELDS_MAX  7

/*
 * SHA-256 over "parley" and the n fields, each after its length in 4 octets,
 * the highest first, so that no two lists of fields are one text; its first 16
 * octets with the version (4, 7 or 8) and variant bits; for version 7 the
 * first 48 bits are ms.  out gets 36 octets and a zero.  Returns 0, or -1
 * where the digest fails or there are too many fields.
 */
int parley_uuid_derive(int version, int64_t ms, const parley_str_t *fields,
    size_t n, char out[PARLEY_UUID_LEN + 1])
    __attribute__((warn_unused_result));

/* A UUIDv4 of 16 random octets that the caller brings. */
void parley_uuid_random(const uint8_t random[16],
    char out[PARLEY_UUID_LEN + 1]);


#endif /* PARLEY_ID_H */
