/* A built-in schema, or a part of it, as one text without references. */

#ifndef PARLEY_SCHEMA_INLINE_H
#define PARLEY_SCHEMA_INLINE_H

#include "core/parley_buf.h"
#include "core/parley_json.h"


/* Returns the text of the built-in schema with that URI, which must exist. */
parley_str_t parley_schema_source(parley_str_t uri);

/*
 * Writes a value of a schema's document.  A schema that is only a "$ref" is
 * replaced by its target in that document; other keywords next to a "$ref" are
 * kept and the "$ref" is omitted.  The schema must not be recursive.
 */
void parley_schema_inline(parley_buf_t *b, const parley_json_t *doc,
    uint32_t node);


#endif /* PARLEY_SCHEMA_INLINE_H */
