/* The directory's inside: its tables, and what must hold over all; internal. */

#ifndef PARLEY_DIRECTORY_INDEX_H
#define PARLEY_DIRECTORY_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_directory.h"
#include "parley_error.h"


/* Of each name space one open-addressing table, at most half full; a slot is
   the index of a principal and one, or 0.  In likes all of them are: a slot
   is the index, times PARLEY_NAMESPACE_COUNT, and the space, and one.  In
   instruments, by handle without version, is the first who lists it. */
struct parley_directory_s {
    parley_principal_t  *principals;
    size_t               nprincipals;
    uint32_t            *tables[PARLEY_NAMESPACE_COUNT];
    uint32_t            *instruments;
    uint32_t             mask;
    uint32_t            *likes;
    uint32_t             likes_mask;
};


/*
 * Builds the tables and links parents.  Errors: a name that two principals
 * have, an instrument that is another's, a parent that is no principal, parents
 * in a circle.
 */
int parley_directory_index(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DIRECTORY_INDEX_H */
