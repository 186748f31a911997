/*
 * Follows an event that obliges an agent, until the agent has decided it
 * (C2A-22, C2A-23): the event is offered again, its reader is reminded once,
 * and at the deadline the event goes to one principal above the reader, never
 * to a channel.
 *
 * This is the work of jobs (PARLEY_SUBJECT_FOLLOW).  The job of an obligation
 * is added with the append of the event, and keeps its record: the deadline
 * does not depend on logs.
 *
 *   accepted        10, 40, 130 s: offered again until the reader accepts it
 *   D/2             a reminder if the reader accepted it and does not answer
 *   D, or a failure the event goes to the lead, which is followed too, and at
 *                   the lead's deadline to the human of the first reader
 *
 * A step with a record ends the job and appends the record in one verb, so it
 * is done once, even if a process dies.
 */

#ifndef PARLEY_HOST_FOLLOW_H
#define PARLEY_HOST_FOLLOW_H

#include "gate/delivery/parley_deadline.h"
#include "gate/delivery/parley_delivery.h"


/* Runs a job of this kind.  Returns as parley_deadline_run(). */
int parley_host_follow_run(parley_deadline_t *d)
    __attribute__((warn_unused_result));


/* parley_host_follow_jobs.c */

/*
 * Makes the job that notes the answer of a reader's URL, after the last attempt
 * of a delivery, or that a surface did not answer.  *ret is in the arena; NULL:
 * another reader has not answered, or memory is exhausted.
 */
void parley_host_follow_delivered(const parley_state_t *state,
    const parley_delivery_t *delivery, parley_arena_t *arena,
    const parley_append_t **ret);


#endif /* PARLEY_HOST_FOLLOW_H */
