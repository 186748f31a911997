/*
 * The identities file:
 *
 *  {"principals": [{"sub", "aee", "vcp", "c2a", "handle", "instrument",
 *                   "parent", "human", "roles": [], "max_priority",
 *                   "keys": [JWK]}]}
 *
 * sub alone is required of a principal.  GW-03, GW-11.
 */

#ifndef PARLEY_DIRECTORY_H
#define PARLEY_DIRECTORY_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_principal.h"
#include "parley_str.h"


typedef struct parley_directory_s  parley_directory_t;


/*
 * Reads the file's text into the arena.  Every member is type-checked and
 * unknown ones, which would have no effect, are errors.  Errors besides: a
 * name, or sub, that two principals have (err->field is the second's JSON
 * Pointer, the text names the first's), an instrument that is another's handle,
 * AEE or C2A name, unless that one acts for it, a parent that is no sub,
 * parents in a circle, a human that is neither the sub of one nor a handle of
 * its tier, a broken key, one that verifies no message's signature and would be
 * of no use here.  err->offset is the place in text.
 *
 * Returns 0, or -1 with *ret NULL and nothing left to free.
 */
int parley_directory_parse(parley_arena_t *arena, parley_str_t text,
    parley_directory_t **ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees the keys; before the arena is reset.  NULL is allowed. */
void parley_directory_free(parley_directory_t *directory);

/* NULL: unknown.  O(1). */
const parley_principal_t *parley_directory_by_sub(
    const parley_directory_t *directory, parley_str_t sub);

const parley_principal_t *parley_directory_by_name(
    const parley_directory_t *directory, parley_namespace_t space,
    parley_str_t name);

/*
 * Whose instrument it is that claims bring for self, the entry of their sub or
 * NULL: that of whoever has it, without version, as a handle or, as an agent,
 * as AEE's or C2A's name, or lists it as instrument.  NULL: nobody's, or self's
 * own: of a principal that acts for it, or lists it for the same human.
 */
const parley_principal_t *parley_directory_by_instrument(
    const parley_directory_t *directory, const parley_principal_t *self,
    parley_str_t instrument);

/*
 * The same for a name that claims bring: whose instrument it is in that name
 * space.
 */
const parley_principal_t *parley_directory_by_agent(
    const parley_directory_t *directory, const parley_principal_t *self,
    parley_namespace_t space, parley_str_t name);

/*
 * Who has this name in any name space, in whatever ASCII letters: from *at,
 * which begins as 0, the next one, or NULL: nobody else.  One principal may
 * come several times.  O(1) each.
 */
const parley_principal_t *parley_directory_next_like(
    const parley_directory_t *directory, parley_str_t name, uint32_t *at);

/* Whether any of them has a key, which verifies messages. */
int parley_directory_has_keys(const parley_directory_t *directory);

size_t parley_directory_principals(const parley_directory_t *directory,
    const parley_principal_t **ret);


#endif /* PARLEY_DIRECTORY_H */
