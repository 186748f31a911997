/*
 * Reads an operator's identities file.  The file is checked against its schema
 * (schemas/identities.schema.json), which lists all members, and then for
 * consistency between its principals (parley_directory.h).
 */

#ifndef PARLEY_IDENTITIES_H
#define PARLEY_IDENTITIES_H

#include "core/parley_arena.h"
#include "auth/parley_directory.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/*
 * Reads the text of an identities file into arena, as parley_directory_parse()
 * does; temporary memory comes from mem.  On an error, err->field is the JSON
 * Pointer of the invalid member, and err->offset its position in text.
 *
 * Returns 0, or -1 with *err filled, *ret NULL and nothing to free.
 */
int parley_identities_read(parley_arena_t *arena, const parley_mem_t *mem,
    parley_str_t text, parley_directory_t **ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* A parley_party_pt: reads a name by the syntax of its protocol. */
int parley_identities_party(parley_namespace_t space, parley_str_t name,
    parley_party_t *ret);


#endif /* PARLEY_IDENTITIES_H */
