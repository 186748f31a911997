/*
 * What has a name in a document: schemas with an $id, anchors, and the
 * dialect that a schema is written in.  Private to schemas/.
 */

#ifndef PARLEY_SCHEMA_INDEX_H
#define PARLEY_SCHEMA_INDEX_H

#include "parley_schema_program.h"


/*
 * Walks doc, which was read, and enters its schemas and anchors into the set;
 * refuses what is no schema where one must be.  On failure the caller puts
 * the set's lists back.
 */
int parley_schema_index(parley_schema_set_t *set, parley_schema_doc_t *doc,
    parley_str_t uri, parley_schema_error_t *err);

/*
 * Sets resource->dialect, by the $schema of the resource or of the one it is
 * within.
 */
int parley_schema_dialect(parley_schema_set_t *set,
    parley_schema_resource_t *resource, parley_schema_error_t *err);


#endif /* PARLEY_SCHEMA_INDEX_H */
