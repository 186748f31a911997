/* Ends of events for their readers.  Private to the host. */

#ifndef PARLEY_HOST_END_H
#define PARLEY_HOST_END_H

#include "gate/host/parley_host_act.h"


/*
 * Ends the obligation of a reader that has decided an event, or for which the
 * event has ended: its jobs are dropped, so that only open obligations are
 * counted.  A job that stays, as this process dies, ends at its next step.  id
 * is that of the event, without a reminder; failures are those of the reader's
 * part, as this process has put it.
 */
void parley_host_end_obligation(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, unsigned failures);

/* Drops the job of a reader's claim, which tells other readers that the claim
   has ended without an answer. */
void parley_host_end_claim(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub);

/*
 * Notes the part that a call has put for its caller: an acknowledgment, if the
 * event was not accepted before, and a disposition in place of "before".  Ends
 * the obligation if the event is decided.
 */
void parley_host_end_acted(parley_host_act_t *a, unsigned accepted,
    parley_chat_disposition_t before);

/* Notes the disposition of an event that another party has ended for a reader,
   and ends the obligation of the reader. */
void parley_host_end_for(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub,
    const parley_host_delivery_t *part);


#endif /* PARLEY_HOST_END_H */
