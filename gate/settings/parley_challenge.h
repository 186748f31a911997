/*
 * The header WWW-Authenticate of a refusal, which tells the client the
 * credentials that it needs (SEC-19; RFC 6750, section 3; RFC 9728, section
 * 5.1).
 */

#ifndef PARLEY_CHALLENGE_H
#define PARLEY_CHALLENGE_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


struct parley_glob_s;           /* parley_glob.h */


#define PARLEY_REALM_DEFAULT  "parley"


/* the parameters realm= and resource_metadata= of parley_jwt */
typedef struct {
    parley_str_t  realm;
    parley_str_t  metadata;     /* a URL, or empty */
} parley_realm_t;


/* Check a value of realm=, of resource_metadata=.  Return 0, or -1: invalid. */
int parley_realm_vet(parley_str_t realm);
int parley_realm_vet_metadata(parley_str_t url);

/*
 * Writes the value of the header; *ret is empty if this refusal has none.
 * lacks is the scope that the rules require of a token, or NULL.  The header
 * names its first alternative without '*', as an authorisation server cannot
 * issue a pattern.  Returns 0, or -1: no memory.
 */
int parley_challenge(parley_arena_t *arena, const parley_realm_t *realm,
    const parley_error_t *err, const struct parley_glob_s *lacks,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHALLENGE_H */
