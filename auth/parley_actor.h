/*
 * The actor of a message (agent-channel 3.2): the human for which a principal
 * acts, and the instrument that drafts.  The directory decides: a principal
 * that it declares to act for a human, or to be an instrument, is not a human.
 */

#ifndef PARLEY_ACTOR_H
#define PARLEY_ACTOR_H

#include "auth/parley_principal.h"
#include "core/parley_str.h"


/*
 * Returns whether principal is an instrument: the directory names a human or
 * an instrument of it.
 */
int parley_actor_is_instrument(const parley_principal_t *principal);

/*
 * Returns whether handle is in the Sovereign tier: not empty and not starting
 * with ~cc-.
 */
int parley_actor_is_sovereign(parley_str_t handle);

/*
 * Returns the handle of the human that principal acts for: the directory's
 * "human" for it; else its own handle, if it is a human's; else that of its
 * parent, recursively.  Empty if no such handle exists.  Borrowed from the
 * principals.
 */
parley_str_t parley_actor_human(const parley_principal_t *principal);


#endif /* PARLEY_ACTOR_H */
