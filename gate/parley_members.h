/*
 * Organisations, as the directory and claims have them, for the expansion of
 * scopes (ACH-16): whether the caller belongs to one, and whom a scope of one
 * names.  Those that only claims make members may send to their organisation,
 * and are not found by what is sent to it: nobody knows of them.
 */

#ifndef PARLEY_MEMBERS_H
#define PARLEY_MEMBERS_H

#include "parley_expand.h"
#include "parley_who.h"


/* who outlives *ret. */
void parley_members(parley_who_t *who, parley_expand_env_t *ret);


#endif /* PARLEY_MEMBERS_H */
