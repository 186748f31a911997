/* URI references (RFC 3986), as far as schemas need them. */

#ifndef PARLEY_SCHEMA_URI_H
#define PARLEY_SCHEMA_URI_H

#include "parley_arena.h"
#include "parley_str.h"


/* Cuts uri at its '#'; *ret_fragment is what follows, not yet decoded. */
parley_str_t parley_schema_uri_cut(parley_str_t uri,
    parley_str_t *ret_fragment);

/*
 * The reference ref, without its fragment, relative to base (section 5.2),
 * without dot segments; base may itself be relative or empty.  Returns 0, or
 * -1: no memory.
 */
int parley_schema_uri_resolve(parley_arena_t *arena, parley_str_t base,
    parley_str_t ref, parley_str_t *ret);

/* Percent-decodes.  Returns 0; -1: no memory; 1: not well-formed. */
int parley_schema_uri_decode(parley_arena_t *arena, parley_str_t s,
    parley_str_t *ret);


#endif /* PARLEY_SCHEMA_URI_H */
