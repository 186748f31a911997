/* Names of principals, one per protocol (GW-03). */

#ifndef PARLEY_NAMESPACE_H
#define PARLEY_NAMESPACE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_protocols.h"
#include "core/parley_str.h"


#define PARLEY_NAME_MAX  256    /* octets */


/*
 * The name spaces, one per protocol and in their order; parley_protocols.h
 * defines the form of their names.
 */
typedef enum {
#define X(id, word, member, shape, ...)  PARLEY_NAMESPACE_##id,
    PARLEY_PROTOCOLS(X, , )
#undef X
    PARLEY_NAMESPACE_COUNT,

    /* name spaces by the names in them */
    PARLEY_NAMESPACE_HANDLE = PARLEY_NAMESPACE_CHANNEL,
    PARLEY_NAMESPACE_SUB = PARLEY_NAMESPACE_MOQ
} parley_namespace_t;


/* the principal's members that hold its names */
extern const char *const  parley_namespace_members[PARLEY_NAMESPACE_COUNT];


/*
 * Returns whether s is a handle: '~', then 1 to 32 of a-z, 0-9 and hyphen, not
 * beginning or ending with a hyphen.
 */
int parley_namespace_handle_is(parley_str_t s);

/*
 * Returns whether s is a handle, optionally followed by '@' and a version of 1
 * to 32 of A-Z, a-z, 0-9, '.', '_', '+' and hyphen.
 */
int parley_instrument_is(parley_str_t s);

/*
 * Returns whether s is well-formed in a name space: 1 to PARLEY_NAME_MAX
 * octets without control characters and spaces, and a handle where names are
 * handles.
 */
int parley_namespace_name_is(parley_namespace_t space, parley_str_t s);

/* Returns whether s is low, normal, high or urgent. */
int parley_namespace_priority_is(parley_str_t s);


#endif /* PARLEY_NAMESPACE_H */
