/*
 * Names are plain text: an id, a handle, an intent, a correlation or any other
 * name has no control characters (C0, DEL, C1), in any protocol (SEC-01).  Each
 * codec has a table of the places of names in its messages.
 */

#ifndef PARLEY_PLAIN_H
#define PARLEY_PLAIN_H

#include "core/parley_atom.h"
#include "core/parley_error.h"
#include "core/parley_json.h"


typedef struct parley_plain_s  parley_plain_t;

/* member of an object; an empty row ends a table */
struct parley_plain_s {
    parley_atom_t          name;
    const parley_plain_t  *members;     /* table for an object, or for an array
                                           of objects; a string is a name, and
                                           an array of strings has names */
};


/* Returns whether a UTF-8 text has no control character. */
int parley_plain_is(parley_str_t s);

/*
 * Checks a word that a text for people may contain, such as an intent: as
 * parley_plain_is(), and without U+2028 and U+2029, which separate lines, and
 * controls of the direction, U+202A to U+202E and U+2066 to U+2069.
 */
int parley_plain_is_word(parley_str_t s);

/*
 * Checks the names in an object that are strings.  Returns 0, or -1:
 * field-invalid, with a pointer to the name that has a control character.
 */
int parley_plain_check(const parley_json_t *doc, uint32_t object,
    const parley_plain_t *table, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the table of the names in a member.  NULL: the member has none, or
 * the table does not have the member.
 */
const parley_plain_t *parley_plain_members(const parley_plain_t *table,
    parley_atom_t name);


#endif /* PARLEY_PLAIN_H */
