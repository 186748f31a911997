/* Look-ups that the files of parley_who.h share.  Private to them. */

#ifndef PARLEY_WHO_PARTS_H
#define PARLEY_WHO_PARTS_H

#include "translate/parley_agent.h"
#include "gate/party/parley_who.h"


/* A parley_agent_pt: finds the principal of the directory; data is a
   parley_who_t. */
int parley_who_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret);

/*
 * Writes the AEE name of a principal as an agent: its own name, that of its
 * instrument, or one made of its sub.  Returns 0, or -1: no memory.
 */
int parley_who_instrument(parley_who_t *who, const parley_principal_t *p,
    parley_str_t *ret);


#endif /* PARLEY_WHO_PARTS_H */
