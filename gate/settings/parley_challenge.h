/*
 * WWW-Authenticate of a refusal: what a client has to bring (SEC-19; RFC 6750,
 * section 3; RFC 9728, section 5.1).
 */

#ifndef PARLEY_CHALLENGE_H
#define PARLEY_CHALLENGE_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "auth/parley_glob.h"
#include "core/parley_str.h"


#define PARLEY_REALM_DEFAULT  "parley"


/* parley_jwt realm= resource_metadata= */
typedef struct {
    parley_str_t  realm;
    parley_str_t  metadata;     /* a URL; empty: none */
} parley_realm_t;


/* What is wrong with the value of realm=, of resource_metadata=; or NULL. */
const char *parley_realm_vet(parley_str_t realm);
const char *parley_realm_vet_metadata(parley_str_t url);

/*
 * The value of the header, empty where the refusal has none.  lacks is the
 * scope of a token that the rules ask for, or NULL: an alternative without
 * '*' is named, since of a pattern nobody can be given a token.  Returns 0,
 * or -1: no memory.
 */
int parley_challenge(parley_arena_t *arena, const parley_realm_t *realm,
    const parley_error_t *err, const parley_glob_t *lacks, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHALLENGE_H */
