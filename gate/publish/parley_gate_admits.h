/* Checks whether the rules of a stream admit a publication to its reader. */

#ifndef PARLEY_GATE_ADMITS_H
#define PARLEY_GATE_ADMITS_H

#include "gate/delivery/parley_render.h"
#include "gate/message/parley_gate.h"


/*
 * Whether who opened a stream through g may have it: no rule of its location
 * that is the first to match denies such a message to such a caller.  What
 * cannot be told, for there is no memory, is denied.
 */
int parley_deliver_admits(const parley_render_t *d, const parley_gate_t *g,
    const parley_publication_t *p);


#endif /* PARLEY_GATE_ADMITS_H */
