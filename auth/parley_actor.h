/*
 * Who acts where a principal does (agent-channel 3.2): the human on whose
 * behalf, and the instrument that drafts.  Nobody is made a human here: what
 * the directory says to act for one, or to be an instrument, is none.
 */

#ifndef PARLEY_ACTOR_H
#define PARLEY_ACTOR_H

#include "parley_principal.h"
#include "parley_str.h"


/*
 * Whether a principal is an instrument: the directory names the human that it
 * acts for, or its instrument.
 */
int parley_actor_is_instrument(const parley_principal_t *principal);

/*
 * Whether a handle is of the Sovereign tier by its form: an instrument's
 * begins with ~cc-.
 */
int parley_actor_is_sovereign(parley_str_t handle);

/*
 * The handle of the human that a principal acts for: the one that the
 * directory says; else its own, where it has a human's; else that of its
 * parent, found the same way, at any depth.  Empty: nobody.
 */
parley_str_t parley_actor_human(const parley_principal_t *principal);

/*
 * That, and its instrument's handle, perhaps with @version.  Both empty for
 * NULL, either where it is not known.
 */
void parley_actor_both(const parley_principal_t *principal,
    parley_str_t *ret_human, parley_str_t *ret_instrument);


#endif /* PARLEY_ACTOR_H */
