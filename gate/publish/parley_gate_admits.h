/* Checks whether the rules of a stream admit a publication to its reader. */

#ifndef PARLEY_GATE_ADMITS_H
#define PARLEY_GATE_ADMITS_H

#include "gate/delivery/parley_render.h"
#include "gate/message/parley_reader.h"


/*
 * Returns whether the reader of a stream may get a publication.  The first
 * matching rule of its location must not deny the message to the reader.  A
 * publication that cannot be read, also for lack of memory, is denied.
 */
int parley_gate_readers_admit(const parley_render_t *d,
    const parley_reader_t *reader, const parley_publication_t *p);


#endif /* PARLEY_GATE_ADMITS_H */
