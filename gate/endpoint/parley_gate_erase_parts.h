/* What the files of the step that deletes share. */

#ifndef PARLEY_GATE_ERASE_PARTS_H
#define PARLEY_GATE_ERASE_PARTS_H

#include "gate/message/parley_gate.h"
#include "hub/parley_publication.h"


/* Whether it was for one name, not for an organisation or all known peers. */
int parley_gate_erase_is_alone(const parley_publication_t *p);

/*
 * Whether it was for another, and came to whose name that is beside, as an
 * escalation that went up (VCP 6.2): its parties may fetch it still.
 */
int parley_gate_erase_is_others(const parley_gate_t *g,
    const parley_publication_t *p);

/*
 * Whether it waits for an answer with a deadline, of which its sender or
 * whoever is above is told (AEE-29, VCP-24): nobody but its sender has it
 * forgotten.  1: so it is; or 0, PARLEY_WAIT, or -1.
 */
int parley_gate_erase_is_due(parley_gate_t *g, const parley_publication_t *p);


#endif /* PARLEY_GATE_ERASE_PARTS_H */
