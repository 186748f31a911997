/*
 * Membership of organisations, from the directory and from claims, for the
 * expansion of scopes (ACH-16).  It tells whether the sender belongs to an
 * organisation, and which principals a scope names.  A principal that is a
 * member only by claims may send to its organisation.  It does not get messages
 * to the organisation, because it is not listed.  A member that the rules about
 * recipients deny is left out (GW-37).
 */

#ifndef PARLEY_MEMBERS_H
#define PARLEY_MEMBERS_H

#include "hub/parley_expand.h"
#include "gate/message/parley_gate.h"


/*
 * Fills *ret for the sender of g's message.  For an answer to a question that
 * names the scope of its answers, *ret is for the asker.  g outlives *ret.
 */
void parley_members(parley_gate_t *g, parley_expand_env_t *ret);

/*
 * Checks that the sender of a message to a service may address the scope in the
 * message.  The check applies if the organisation has members in the directory.
 * For published messages the expansion makes this check.  Returns 0, or -1:
 * scope-unauthorised.
 */
int parley_members_may(parley_gate_t *g, const parley_channel_scope_t *scope)
    __attribute__((warn_unused_result));


/* Returns whether a scope of an organisation names a principal. */
int parley_members_has(const parley_channel_scope_t *scope,
    const parley_principal_t *p);


#endif /* PARLEY_MEMBERS_H */
