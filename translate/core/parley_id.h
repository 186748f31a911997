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
 * SHA-256 over "parley:" protocol ":" id ":" purpose; its first 16 octets
 * with the version (4, 7 or 8) and variant bits; for version 7 the first 48
 * bits are ms.  out gets 36 octets and a zero.  Returns 0, or -1 where the
 * digest fails.
 */
int parley_uuid_derive(int version, int64_t ms, parley_str_t protocol,
    parley_str_t id, parley_str_t purpose, char out[PARLEY_UUID_LEN + 1])
    __attribute__((warn_unused_result));

/* A UUIDv4 of 16 random octets that the caller brings. */
void parley_uuid_random(const uint8_t random[16],
    char out[PARLEY_UUID_LEN + 1]);


#endif /* PARLEY_ID_H */
