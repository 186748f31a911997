/*
 * The time that a message allows for its answer, read from a member.
 */

#ifndef PARLEY_DEADLINE_H
#define PARLEY_DEADLINE_H

#include "core/parley_json.h"


/*
 * Returns the milliseconds in value, which may be PARLEY_JSON_NONE or of any
 * type, but at most max.  A fraction of a millisecond counts as one, so that a
 * cap holds (AEE-29).  Returns -1 (no deadline) if value is not a number, or
 * not positive.
 */
int64_t parley_msg_deadline(const parley_json_t *doc, uint32_t value,
    int64_t max);


#endif /* PARLEY_DEADLINE_H */
