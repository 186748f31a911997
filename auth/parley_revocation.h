/*
 * The list of principals, keys and tokens that are revoked before they expire
 * (SEC-16):
 *
 *   {"principals": ["SUB", ...],
 *    "kids": [{"iss": "ISSUER", "kid": "KID"}, {"sub": "SUB", "kid": "KID"}],
 *    "tokens": [{"iss": "ISSUER", "jti": "JTI"}, ...]}
 *
 * All three members are required, so that a partly written file is an error.  A
 * kid names a key of tokens, together with their issuer, or a key of messages,
 * together with its principal.
 */

#ifndef PARLEY_REVOCATION_H
#define PARLEY_REVOCATION_H

#include <stddef.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_REVOCATIONS_OCTETS   (16 * 1024 * 1024)  /* octets of the text */
#define PARLEY_REVOCATION_TEXT_MAX  1024                /* octets of a string */


typedef struct parley_revocations_s  parley_revocations_t;


/* the list in force, which the adapter may replace between two messages */
typedef struct {
    parley_revocations_t  *list;        /* NULL: nothing is revoked */
    unsigned               lost:1;      /* a newer list was in force, but it
                                           cannot be read */
} parley_revocations_now_t;


/*
 * Reads the text of a list into arena; text need not outlive the call.  Unknown
 * members, members of the wrong type and empty strings are errors; repeated
 * entries are allowed.  err->offset is the position in text.  seed keys the
 * hash of the entries and must be unpredictable to parties that choose listed
 * names.  The time is linear in the text.  Another thread may call this
 * function if arena's memory is not used elsewhere.
 *
 * Returns 0, or -1 with *err filled and *ret NULL.
 */
int parley_revocations_parse(parley_arena_t *arena, parley_str_t text,
    uint64_t seed, parley_revocations_t **ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether the principal is revoked, by one lookup in a hash table.
 * list may be NULL for an empty list.
 */

int parley_revocations_principal(const parley_revocations_t *list,
    parley_str_t sub);

/*
 * Returns whether a key of tokens is revoked.  With an empty issuer, the key
 * verifies tokens of any issuer.  It is then revoked if the list has its kid
 * with any issuer, since its holder can write any iss.
 */
int parley_revocations_token_key(const parley_revocations_t *list,
    parley_str_t issuer, parley_str_t kid);

/*
 * Returns whether a key of the messages of a principal, or a token, is revoked.
 */
int parley_revocations_message_key(const parley_revocations_t *list,
    parley_str_t sub, parley_str_t kid);

int parley_revocations_token(const parley_revocations_t *list,
    parley_str_t iss, parley_str_t jti);

/* Returns the number of entries in the text. */
size_t parley_revocations_count(const parley_revocations_t *list);


#endif /* PARLEY_REVOCATION_H */
