/*
 * Digests (C2A-08): from time to time a reader gets the numbers of messages
 * that came in its conversations and were not offered to it.  Only a session
 * that negotiated the mode digest gets them, on its stream.
 *
 * A record of the reader has the time up to which it acknowledged digests.  Its
 * stream begins a job (PARLEY_SUBJECT_DIGEST), which sends a digest after each
 * interval, and ends when the stream has been closed for some time.  A digest
 * is made of the conversations as they are then, is written to the open stream
 * alone, and is not stored.  If it is not acknowledged, the next one has its
 * messages, too.
 */

#ifndef PARLEY_HOST_DIGEST_H
#define PARLEY_HOST_DIGEST_H

#include "gate/delivery/parley_deadline.h"
#include "gate/host/parley_host_parts.h"


/* Runs a job of this kind.  Returns as parley_deadline_run(). */
int parley_host_digest_run(parley_deadline_t *d)
    __attribute__((warn_unused_result));

/*
 * Notes that a session opens the stream of the caller's mailbox, and adds the
 * job if the session has digests.  Returns 0, PARLEY_WAIT, or -1 with g->err:
 * capacity.
 */
int parley_host_digest_begin(parley_gate_t *g,
    const parley_chat_session_t *session)
    __attribute__((warn_unused_result));

/* Notes the answer to a digest.  Returns 1; 0: the offer is not a digest for
   this reader; PARLEY_WAIT, or -1 with h->err. */
int parley_host_digest_answered(parley_host_t *h,
    const parley_principal_t *reader, const parley_chat_offer_t *offer,
    parley_chat_outcome_t outcome);


#endif /* PARLEY_HOST_DIGEST_H */
