/*
 * SEC-08, GW-03: reserved names, which no principal may have.  They are the
 * gateway's own names, and the names of groups, which send no messages.
 */

#ifndef PARLEY_RESERVED_H
#define PARLEY_RESERVED_H

#include "auth/parley_directory.h"
#include "translate/parley_msg.h"


/*
 * Returns whether name is one of list or maps to one, without regard to ASCII
 * case.  The function reads name in the protocol proto, and in each other
 * protocol with a matching syntax.  list has a name for each protocol; empty
 * names are ignored.  Returns 1, 0, or -1: no memory.
 */
int parley_reserved_like(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, const parley_str_t *list)
    __attribute__((warn_unused_result));

/*
 * Checks that no principal of the directory has a name of the gateway.  Returns
 * 0, or -1: field-invalid with the JSON Pointer of the name, capacity (no
 * memory).
 */
int parley_reserved_directory(parley_arena_t *arena, const parley_str_t *self,
    const parley_directory_t *directory, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVED_H */
