/*
 * Groups of principals by a name in a list, and the hashes of all tables of a
 * directory.  Private to the directory.
 */

#ifndef PARLEY_DIRECTORY_GROUP_H
#define PARLEY_DIRECTORY_GROUP_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


struct parley_principal_s;      /* parley_principal.h */


/* a name in a list, and one principal that has it there */
typedef struct {
    parley_str_t               name;
    const struct parley_principal_s  *principal;
    uint32_t                   next;        /* index + 1 of the next one with
                                               this name, or 0 */
} parley_directory_link_t;

/* the principals of each name in a list that several may have */
typedef struct {
    parley_directory_link_t  *links;
    uint32_t                  nlinks;
    uint32_t                 *slots;        /* index in links + 1 of the first,
                                               or 0 */
    uint32_t                  mask;
} parley_directory_group_t;


/*
 * Makes an empty group with room for n links.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_directory_group_init(parley_directory_group_t *group,
    parley_arena_t *arena, size_t n, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Adds a link before the others of its name. */
void parley_directory_group_add(parley_directory_group_t *group,
    parley_str_t name, const struct parley_principal_s *principal);

/*
 * Iterates over the links of a name.  *at is the cursor, initially 0.  Returns
 * the next principal, or NULL.
 */
const struct parley_principal_s *parley_directory_group_next(
    const parley_directory_group_t *group, parley_str_t name, uint32_t *at);

/* Hashes a name.  Not keyed: only the operator's names are stored. */
uint32_t parley_directory_hash(parley_str_t name);

/* As parley_directory_hash(), ignoring ASCII case. */
uint32_t parley_directory_hash_like(parley_str_t name);


#endif /* PARLEY_DIRECTORY_GROUP_H */
