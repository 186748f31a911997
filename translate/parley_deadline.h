/*
 * How long a message lets its answer take, by a member of any protocol.
 */

#ifndef PARLEY_DEADLINE_H
#define PARLEY_DEADLINE_H

#include "core/parley_json.h"


/*
 * The milliseconds that value, PARLEY_JSON_NONE or any, asks for, at most max;
 * a fraction of one counts as one, so that a cap holds (AEE-29).  -1: there is
 * no deadline, which is what 0, anything below it, and no number say.
 */
int64_t parley_deadline(const parley_json_t *doc, uint32_t value, int64_t max);


#endif /* PARLEY_DEADLINE_H */
