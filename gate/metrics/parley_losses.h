/*
 * What a message that is published loses for those who read another protocol:
 * told once in a process for each publication and protocol, however often its
 * form there is made: for each URL, for another attempt, for who reads on from
 * a place of its own.
 */

#ifndef PARLEY_LOSSES_H
#define PARLEY_LOSSES_H

#include "gate/metrics/parley_counters.h"
#include "translate/parley_loss.h"
#include "hub/parley_publication.h"


#define PARLEY_LOSSES_ROOM  1024    /* that are remembered; a newer one takes
                                       the place of another */


/* one for each process; all zero: nothing was told */
typedef struct {
    uint64_t  told[PARLEY_LOSSES_ROOM];
} parley_losses_t;


/*
 * The form of p in a protocol was made, and lost that: counted with what
 * messages to services lose.  Returns 1: the log is to have it; or 0: nothing
 * is lost, or it was told.  seed is a secret: who knows it could hide one.
 */
int parley_losses(parley_losses_t *l, parley_slot_t *slot, uint64_t seed,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss);


#endif /* PARLEY_LOSSES_H */
