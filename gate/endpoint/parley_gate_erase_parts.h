/*
 * Functions that the files of the deletion share.  No other file includes this
 * header.
 */

#ifndef PARLEY_GATE_ERASE_PARTS_H
#define PARLEY_GATE_ERASE_PARTS_H

#include "gate/message/parley_gate.h"
#include "hub/parley_publication.h"


/*
 * Returns whether a message was for one name, not for an organisation or for
 * all known peers.
 */
int parley_gate_erase_is_alone(const parley_publication_t *p);

/*
 * Returns whether the message was for another principal, and the caller got it
 * as an escalation that went up (VCP 6.2).  Its parties may still fetch it.
 */
int parley_gate_erase_is_others(const parley_gate_t *g,
    const parley_publication_t *p);

/*
 * Returns 1 if the message waits for an answer with a deadline (AEE-29,
 * VCP-24).  Then only its sender may delete it, because the deadline still
 * needs its record.  Returns 0 if not; PARLEY_WAIT; or -1.
 */
int parley_gate_erase_is_due(parley_gate_t *g, const parley_publication_t *p);


#endif /* PARLEY_GATE_ERASE_PARTS_H */
