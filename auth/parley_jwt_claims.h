/* The claims that have a meaning here, taken out once; internal. */

#ifndef PARLEY_JWT_CLAIMS_H
#define PARLEY_JWT_CLAIMS_H

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_jwt.h"


/*
 * Fills the members of *jwt from jwt->claims: iss, sub, aud, the dates and
 * the scopes, each type-checked (RFC 7519 section 4.1).
 */
int parley_jwt_claims_read(parley_jwt_t *jwt, parley_arena_t *arena,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWT_CLAIMS_H */
