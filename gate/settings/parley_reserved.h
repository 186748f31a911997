/*
 * SEC-08, GW-03: names that no principal has: the gateway's own, by which it
 * speaks for itself, and those of groups, which send nothing.
 */

#ifndef PARLEY_RESERVED_H
#define PARLEY_RESERVED_H

#include "auth/parley_directory.h"
#include "translate/parley_msg.h"


/*
 * Whether name, in protocol proto or in another one whose syntax it has, is or
 * maps to one of list, which has one for each protocol, without regard to
 * ASCII case; empty ones are nobody's.  Returns 1, 0, or -1: no memory.
 */
int parley_reserved_like(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, const parley_str_t *list)
    __attribute__((warn_unused_result));

/*
 * No principal of the directory is the gateway.  Returns 0, or -1:
 * field-invalid with the JSON Pointer of the name, capacity (no memory).
 */
int parley_reserved_directory(parley_arena_t *arena, const parley_str_t *self,
    const parley_directory_t *directory, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVED_H */
