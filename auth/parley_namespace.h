/* Names of principals, one per protocol (GW-03). */

#ifndef PARLEY_NAMESPACE_H
#define PARLEY_NAMESPACE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_protocols.h"
#include "parley_str.h"


#define PARLEY_NAME_MAX  256    /* octets of any name */


/*
 * The protocols' name spaces, in the order of the protocols themselves; what
 * names are like in each says parley_protocols.h.
 */
typedef enum {
#define X(id, word, member, shape, title)  PARLEY_NAMESPACE_##id,
    PARLEY_PROTOCOLS(X, , )
#undef X
    PARLEY_NAMESPACE_COUNT,

    /* by what stands in them */
    PARLEY_NAMESPACE_HANDLE = PARLEY_NAMESPACE_CHANNEL,
    PARLEY_NAMESPACE_SUB = PARLEY_NAMESPACE_MOQ
} parley_namespace_t;


/* the members of a principal that are its names, by name space */
extern const char *const  parley_namespace_members[PARLEY_NAMESPACE_COUNT];


/* '~', then 1 to 32 of a-z 0-9 and hyphen, the first and the last no hyphen */
int parley_handle_is(parley_str_t s);

/* a handle, perhaps followed by '@' and a version of 1 to 32 of
   A-Z a-z 0-9 . _ + and hyphen */
int parley_instrument_is(parley_str_t s);

/* What is well-formed as a name in that space: not empty, no control
   characters or spaces, at most PARLEY_NAME_MAX octets, a handle where it is
   one. */
int parley_name_is(parley_namespace_t space, parley_str_t s);

/* low, normal, high or urgent */
int parley_priority_is(parley_str_t s);


#endif /* PARLEY_NAMESPACE_H */
