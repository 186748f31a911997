/*
 * SEC-04: every name that a rule may have for a party of a message, whichever
 * of them the message uses.
 */

#ifndef PARLEY_NAMES_H
#define PARLEY_NAMES_H

#include "parley_policy.h"
#include "parley_who.h"


/* a sub, a name for each protocol, and what may be meant besides */
#define PARLEY_NAMES_MAX  24


typedef struct {
    parley_who_t              *who;
    const parley_principal_t  *owner;           /* NULL: nobody known */
    parley_policy_name_t       list[PARLEY_NAMES_MAX];
    size_t                     n;
} parley_names_t;


/*
 * Of whoever sent the message: its sub, its name in each protocol, its own or
 * one that maps.  Where nobody is known: what the message claims, all loose.
 * Returns 0, or -1: no memory.
 */
int parley_names_sender(parley_who_t *who, parley_names_t *ret)
    __attribute__((warn_unused_result));

/*
 * Of whom it is for, to in the message's protocol (empty: nobody).  A listed
 * name is its principal's; another one is itself and what it maps to, and
 * whatever of that is listed as somebody's is loose.  Returns 0, or -1: no
 * memory.
 */
int parley_names_recipient(parley_who_t *who, parley_str_t to,
    parley_names_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_NAMES_H */
