/*
 * A built-in schema, or a part of it, as one text that refers to no other.
 */

#ifndef PARLEY_SCHEMA_INLINE_H
#define PARLEY_SCHEMA_INLINE_H

#include "core/parley_buf.h"
#include "core/parley_json.h"


/* The text of the built-in schema of that URI, which there must be. */
parley_str_t parley_schema_source(parley_str_t uri);

/*
 * Writes a value of a schema's document: what is a "$ref" alone as what that
 * refers to, in the same document.  What stands beside a "$ref" does without
 * it.  The schema must not be recursive.
 */
void parley_schema_inline(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node);


#endif /* PARLEY_SCHEMA_INLINE_H */
