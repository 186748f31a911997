/*
 * UUIDs (RFC 9562): syntax, and derivation from a message such that a retry
 * derives the same one (AEE-35).
 */

#ifndef PARLEY_ID_H
#define PARLEY_ID_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_UUID_LEN  36


/*
 * Returns whether s is a lower-case UUID of that version and of the RFC 9562
 * variant.
 */
int parley_uuid_is(parley_str_t s, int version);

/*
 * As parley_uuid_is(), in either case: RFC 9562 section 4 reads UUIDs
 * case-insensitively and writes them in lower case.
 */
int parley_uuid_is_any_case(parley_str_t s, int version);

/* As parley_uuid_is_any_case(), for a UUID of any version. */
int parley_uuid_is_any_version(parley_str_t s);

/*
 * Writes s in lower case and a NUL.  s must be PARLEY_UUID_LEN octets and must
 * not overlap out.
 */
void parley_uuid_lower(parley_str_t s, char out[PARLEY_UUID_LEN + 1]);

/* fields an id can be derived from */
#define PARLEY_UUID_FIELDS_MAX  7

/*
 * Derives a UUID: the first 16 octets of the SHA-256 of "parley" and the n
 * fields, each preceded by its length in 4 octets, big-endian, so that no two
 * lists of fields yield the same input; then the bits of version (4, 7 or 8)
 * and variant.  ms, milliseconds since the epoch, fills the first 48 bits of
 * version 7 and is ignored otherwise.  Writes 36 octets and a NUL.  Returns
 * 0, or -1 with out empty if n is above PARLEY_UUID_FIELDS_MAX or the digest
 * fails.
 */
int parley_uuid_derive(int version, int64_t ms, const parley_str_t *fields,
    size_t n, char out[PARLEY_UUID_LEN + 1])
    __attribute__((warn_unused_result));

/* Formats 16 random octets as a UUID of version 4. */
void parley_uuid_random(const uint8_t random[16],
    char out[PARLEY_UUID_LEN + 1]);


#endif /* PARLEY_ID_H */
