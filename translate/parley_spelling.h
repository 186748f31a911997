/*
 * Members of an open object whose names equal those of its known members except
 * for ASCII case.  Another reader may take such a member for the known one
 * (AEE-08).
 */

#ifndef PARLEY_SPELLING_H
#define PARLEY_SPELLING_H

#include "core/parley_atoms.h"
#include "core/parley_error.h"
#include "core/parley_json.h"


/*
 * Checks the members of node, if that is an object.  known: by atom, not zero
 * for the names of the known members.  Returns 0, or -1: field-unknown, with
 * the pointer of the member, or capacity.
 */
int parley_spelling_check(const parley_json_t *doc, uint32_t node,
    const uint8_t known[PARLEY_ATOMS], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether name is a name of ASCII for a reader that ignores case, by
 * ASCII or by Unicode.
 */
int parley_spelling_is(parley_str_t name, parley_str_t ascii);


#endif /* PARLEY_SPELLING_H */
