/*
 * The list of what is revoked before it ends (SEC-16):
 *
 *  {"principals": ["SUB", ...],
 *   "kids": [{"iss": "ISSUER", "kid": "KID"}, {"sub": "SUB", "kid": "KID"}],
 *   "tokens": [{"iss": "ISSUER", "jti": "JTI"}, ...]}
 *
 * All three members are required, so that a file which was written in part
 * revokes no less than it was to.  A kid is that of a key of tokens, with
 * their issuer, or that of a key of messages, with its principal.
 */

#ifndef PARLEY_REVOCATION_H
#define PARLEY_REVOCATION_H

#include <stddef.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_REVOCATIONS_OCTETS   (16 * 1024 * 1024)  /* of the text */
#define PARLEY_REVOCATION_TEXT_MAX  1024                /* octets of a string */


typedef struct parley_revocations_s  parley_revocations_t;


/*
 * Reads the text of a list into arena; text need not outlive the call.  Unknown
 * members, members of the wrong type and empty strings are errors; the same
 * entry twice is none.  err->offset is the position in text.  seed keys the
 * hash by which entries are found, and must be unpredictable to whoever chooses
 * names that come to be in a list.  The time is linear in the text; another
 * thread may do it, where nothing else uses the memory of arena.
 *
 * Returns 0, or -1 with *err filled and *ret NULL.
 */
int parley_revocations_parse(parley_arena_t *arena, parley_str_t text,
    uint64_t seed, parley_revocations_t **ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether something is revoked.  list may be NULL: nothing is.  One lookup in a
 * table of hashes.
 */

int parley_revocations_principal(const parley_revocations_t *list,
    parley_str_t sub);

/*
 * A key of tokens.  issuer empty: the key verifies tokens of any issuer, and is
 * revoked whichever issuer the list names with its kid, since who has it can
 * write what he likes into iss.
 */
int parley_revocations_token_key(const parley_revocations_t *list,
    parley_str_t issuer, parley_str_t kid);

/* A key of the messages of a principal. */
int parley_revocations_message_key(const parley_revocations_t *list,
    parley_str_t sub, parley_str_t kid);

int parley_revocations_token(const parley_revocations_t *list,
    parley_str_t iss, parley_str_t jti);

/* The number of entries. */
size_t parley_revocations_count(const parley_revocations_t *list);


#endif /* PARLEY_REVOCATION_H */
