/*
 * The identities file as an operator's: held to its schema
 * (schemas/identities.schema.json), which is the list of its members, and then
 * to what one principal says of another (parley_directory.h).
 */

#ifndef PARLEY_IDENTITIES_H
#define PARLEY_IDENTITIES_H

#include "core/parley_arena.h"
#include "auth/parley_directory.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/*
 * Reads the text of an identities file into arena, as
 * parley_directory_parse(); mem is for what is needed meanwhile.  err->field is
 * the JSON Pointer of the member at fault, err->offset its position in text.
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
