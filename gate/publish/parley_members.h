/*
 * Organisations, as the directory and claims have them, for the expansion of
 * scopes (ACH-16): whether the sender belongs to one, and which principals a
 * scope of one names.  A principal that only claims make a member may send to
 * its organisation, and does not get what is sent to it: it is not listed.  A
 * member that the rules about recipients deny is left out (GW-37).
 */

#ifndef PARLEY_MEMBERS_H
#define PARLEY_MEMBERS_H

#include "hub/parley_expand.h"
#include "gate/message/parley_gate.h"


/*
 * Fills *ret for the sender of g's message, or for the asker that it answers
 * where the question said which scope answers go to; g outlives *ret.
 */
void parley_members(parley_gate_t *g, parley_expand_env_t *ret);

/*
 * Checks that the sender of a message that a service gets may address the scope
 * that the service is told, where that is of an organisation with members in
 * the directory; where messages are published the expansion checks it.  Returns
 * 0, or -1: scope-unauthorised.
 */
int parley_members_may(parley_gate_t *g, const parley_channel_scope_t *scope)
    __attribute__((warn_unused_result));


/* Returns whether a scope of an organisation names a principal. */
int parley_members_has(const parley_channel_scope_t *scope,
    const parley_principal_t *p);


#endif /* PARLEY_MEMBERS_H */
