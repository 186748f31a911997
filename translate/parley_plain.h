/*
 * Names are plain text: an id, a handle, an intent, a correlation or whatever
 * else is a name has no control characters (C0, DEL, C1), in any protocol
 * (SEC-01).  Where names stand in its messages each codec says in a table.
 */

#ifndef PARLEY_PLAIN_H
#define PARLEY_PLAIN_H

#include "core/parley_atom.h"
#include "core/parley_error.h"
#include "core/parley_json.h"


typedef struct parley_plain_s  parley_plain_t;

/* a member of an object; an empty row ends a table */
struct parley_plain_s {
    parley_atom_t          name;
    const parley_plain_t  *members;     /* where it is an object, or an array
                                           of objects; a string is a name,
                                           those of an array are names */
};


/* Whether a text, which is UTF-8, has no control character. */
int parley_plain_is(parley_str_t s);

/*
 * Looks at the names in an object, as far as they are strings.  Returns 0, or
 * -1: field-invalid, with a pointer to one that has a control character.
 */
int parley_plain_check(const parley_json_t *doc, uint32_t object,
    const parley_plain_t *table, parley_error_t *err)
    __attribute__((warn_unused_result));

/* The names in a member; NULL: it has none, or the table does not have it. */
const parley_plain_t *parley_plain_members(const parley_plain_t *table,
    parley_atom_t name);


#endif /* PARLEY_PLAIN_H */
