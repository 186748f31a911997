/*
 * Losses of a published message in the protocol of a reader.  A process reports
 * them once for each publication and protocol.  It may write the same form
 * again: for another URL, for another attempt, or for a subscriber that
 * resumes.
 */

#ifndef PARLEY_LOSSES_H
#define PARLEY_LOSSES_H

#include "gate/metrics/parley_counters.h"
#include "translate/parley_loss.h"
#include "hub/parley_publication.h"


#define PARLEY_LOSSES_ROOM  1024    /* number of remembered reports; a new
                                       one may replace another */


/* reports of one process; all zero is the initial value */
typedef struct {
    uint64_t  told[PARLEY_LOSSES_ROOM];
} parley_losses_t;


/*
 * Counts the members that p lost in its form in the protocol "to", in the same
 * metric as losses in messages to services.  Returns 1 if the caller logs the
 * loss.  Returns 0 if nothing was lost, or if the loss was reported before.
 * seed is secret: a sender that knows it could choose ids that hide a loss.
 */
int parley_losses(parley_losses_t *l, parley_slot_t *slot, uint64_t seed,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss);


#endif /* PARLEY_LOSSES_H */
