/* Private to gate/delivery/parley_deadline*.c. */

#ifndef PARLEY_DEADLINE_PARTS_H
#define PARLEY_DEADLINE_PARTS_H

#include "gate/delivery/parley_publish_to.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/correlation/parley_question.h"
#include "gate/correlation/parley_question_raised.h"


/* ms until a failed step is tried again */
#define PARLEY_DEADLINE_LATER    1000

/* mark of a job after parley_deadline_claim() returned 1 */
#define PARLEY_DEADLINE_CLAIMED  1


/* Ends the deadline with this result; returns 0. */
int parley_deadline_finish(parley_deadline_t *d, parley_deadline_how_t how);

/* Makes the deadline due again; returns 0. */
int parley_deadline_retry(parley_deadline_t *d);

/*
 * Claims an action, so that only one process carries it out.  The id of the
 * claim consists of the question, what and to.  slot: slot of the question,
 * which is closed with the claim; NULL: none.  Returns 1 if this deadline
 * carries out the action; 0 if another one does, or the question has its
 * answer; -1: unknown yet; PARLEY_WAIT.
 */
int parley_deadline_claim(parley_deadline_t *d, parley_str_t what,
    parley_str_t to, const uint8_t *slot);

/* Returns whether an earlier try of this deadline may have the claim. */
int parley_deadline_is_claimed(const parley_deadline_t *d);

/*
 * Fills *ret, in the arena, with the publication that one principal gets when
 * the job ends (parley_publish_to.h).  Returns 0, PARLEY_WAIT, or -1: no
 * memory, or the state gave no answer.
 */
int parley_deadline_notify(parley_deadline_t *d, const parley_publication_t *p,
    const parley_principal_t *to, parley_job_subject_kind_t kind,
    parley_str_t sender, parley_append_t **ret)
    __attribute__((warn_unused_result));

/* parley_escalation.c: sends an escalation that was not acknowledged to the
   next principal above.  Returns 0 or PARLEY_WAIT. */
int parley_escalation_raise(parley_deadline_t *d);

/* parley_timeout.c: ends a task after its time.  question NULL: its record is
   gone.  Returns 0 or PARLEY_WAIT. */
int parley_timeout_tell(parley_deadline_t *d, const parley_record_t *question);


#endif /* PARLEY_DEADLINE_PARTS_H */
