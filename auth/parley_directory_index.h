/* The tables of a directory.  Private to the directory. */

#ifndef PARLEY_DIRECTORY_INDEX_H
#define PARLEY_DIRECTORY_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_directory.h"
#include "parley_error.h"


/*
 * Open-addressing tables, at most half full.  tables, one per name space:
 * index of the principal + 1, or 0.  likes, all names: index *
 * PARLEY_NAMESPACE_COUNT + space + 1, or 0.  instruments, by handle without
 * version: index + 1 of the first principal that lists it, or 0.
 * certificates, by parley_certificate_name_t: index in listed + 1, or 0.
 */

typedef struct {
    const parley_certificate_name_t  *name;
    const parley_principal_t         *principal;
} parley_directory_listed_t;

struct parley_directory_s {
    parley_principal_t  *principals;
    size_t               nprincipals;
    uint32_t            *tables[PARLEY_NAMESPACE_COUNT];
    uint32_t            *instruments;
    uint32_t             mask;
    uint32_t            *likes;
    uint32_t             likes_mask;

    parley_directory_listed_t  *listed;
    size_t                      nlisted;
    uint32_t                   *certificates;
    uint32_t                    certificates_mask;
};


/*
 * Builds the tables and resolves parents and humans.  Returns 0, or -1 with
 * *err filled: a duplicate name, an instrument of another principal, an
 * unknown parent or human, a cycle of parents, or memory exhausted.
 */
int parley_directory_index(parley_directory_t *dir, parley_arena_t *arena,
    parley_error_t *err)
    __attribute__((warn_unused_result));


/* The same of certificates: one that two principals have. */
int parley_directory_certificates_index(parley_directory_t *dir,
    parley_arena_t *arena, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DIRECTORY_INDEX_H */
