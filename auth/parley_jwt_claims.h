/* Registered claims, extracted once.  Private to auth. */

#ifndef PARLEY_JWT_CLAIMS_H
#define PARLEY_JWT_CLAIMS_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "auth/parley_jwt.h"


/*
 * Fills *jwt from jwt->claims: iss, sub, jti, aud, the dates and the scopes,
 * type-checked (RFC 7519 section 4.1).  Returns 0, or -1 with *err filled.
 */
int parley_jwt_claims_read(parley_jwt_t *jwt, parley_arena_t *arena,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWT_CLAIMS_H */
