/*
 * Promise 5 of docs/mapping.md: a message is carried by another, and none is
 * carried within that.  Rules, redaction and AEE-20 look at what a message
 * carries; what that carries again, the next reader alone would see (SEC-04).
 */

#ifndef PARLEY_NESTED_H
#define PARLEY_NESTED_H

#include "parley_codec.h"


/*
 * Whether msg, which another protocol carries or is about to, carries no
 * message itself: parley_decode() asks it of what was carried, and
 * parley_encode() of what would be, so that whatever is made is taken.
 * Returns 0, or -1: field-invalid, with a pointer to the member that does.
 */
int parley_nested(const parley_msg_t *msg, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_NESTED_H */
