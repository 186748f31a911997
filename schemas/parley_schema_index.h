/*
 * The identifiers of a document: $id, anchors and dialects.  Private to
 * schemas.
 */

#ifndef PARLEY_SCHEMA_INDEX_H
#define PARLEY_SCHEMA_INDEX_H

#include "schemas/parley_schema_program.h"


/*
 * Enters the schemas and anchors of a parsed document into the set and checks
 * that a schema is an object or boolean.  Returns 0, or -1 with *err filled;
 * the caller then restores the set's lists.
 */
int parley_schema_index(parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_str_t uri, parley_schema_error_t *err);

/*
 * Sets resource->dialect from the $schema of the resource or of the closest
 * enclosing one.  Returns 0, or -1 with *err filled.
 */
int parley_schema_dialect(parley_schema_set_t *set,
    parley_schema_resource_t *resource, parley_schema_error_t *err);


#endif /* PARLEY_SCHEMA_INDEX_H */
