/*
 * Turns (C2A-09): the fragments of a person in one thread come to a reader as
 * one event, when the person has been quiet for a time.
 *
 * A buffered message of a human is appended to the log of its conversation
 * alone, with a job (PARLEY_SUBJECT_TURN).  The jobs of one author in one
 * thread have one lane.  The first one records that it composes a turn, reads
 * the fragments in the conversation, and waits until the author is quiet; then:
 *
 *   mark         each fragment is in the turn: a later job leaves it out, and a
 *                reference to it finds the turn
 *   DELIVERY     superseded for each older fragment
 *   append       the turn, with the id of its newest fragment, to the mailboxes
 *                of its readers, and their obligations, with the end of the job
 *
 * A process that dies leaves the job, which does all again.  A change that has
 * begun since the job recorded that it composes a turn makes the append fail:
 * the job composes the turn again, without the old text.  The change has a job,
 * too.  It supersedes the turn, and offers the rest under the id of the change.
 */

#ifndef PARLEY_HOST_TURN_H
#define PARLEY_HOST_TURN_H

#include "gate/delivery/parley_deadline.h"


/* Runs a job of this kind.  Returns as parley_deadline_run(). */
int parley_host_turn_run(parley_deadline_t *d)
    __attribute__((warn_unused_result));


#endif /* PARLEY_HOST_TURN_H */
