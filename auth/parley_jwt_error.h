/* Errors about a token.  Private to auth. */

#ifndef PARLEY_JWT_ERROR_H
#define PARLEY_JWT_ERROR_H

#include "core/parley_error.h"


/*
 * Fills *err with the header member or claim as a name, not a pointer.
 * Returns -1.
 */
static inline int
parley_jwt_refuse(parley_error_t *err, parley_code_t code, const char *name,
    const char *text)
{
    (void) parley_error_set(err, code, name, "%s", text);
    err->is_name = 1;

    return -1;
}


#endif /* PARLEY_JWT_ERROR_H */
