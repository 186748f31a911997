/* URI references (RFC 3986) as used by schemas. */

#ifndef PARLEY_SCHEMA_URI_H
#define PARLEY_SCHEMA_URI_H

#include "core/parley_arena.h"
#include "core/parley_str.h"


/*
 * Returns uri up to its '#'; *ret_fragment is the part after it, not decoded.
 * Both are borrowed from uri.
 */
parley_str_t parley_schema_uri_cut(parley_str_t uri,
    parley_str_t *ret_fragment);

/*
 * Resolves ref without its fragment relative to base (RFC 3986 section 5.2),
 * removing dot segments; base may be relative or empty.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_schema_uri_resolve(parley_arena_t *arena, parley_str_t base,
    parley_str_t ref, parley_str_t *ret);

/*
 * Decodes percent-encoding.  Returns 0, 1 if s is malformed, or -1 if memory
 * is exhausted.
 */
int parley_schema_uri_decode(parley_arena_t *arena, parley_str_t s,
    parley_str_t *ret);


#endif /* PARLEY_SCHEMA_URI_H */
