/* Private to gate/delivery/parley_deadline*.c. */

#ifndef PARLEY_DEADLINE_PARTS_H
#define PARLEY_DEADLINE_PARTS_H

#include "gate/delivery/parley_publish_to.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/correlation/parley_question.h"
#include "gate/correlation/parley_question_raised.h"


/* ms until what could not be done yet is tried again */
#define PARLEY_DEADLINE_LATER    1000

/* the mark of a job: parley_deadline_claim() said 1 */
#define PARLEY_DEADLINE_CLAIMED  1


/* what an escalation is claimed for: it goes to one once */


/* It is over so; returns 0. */
int parley_deadline_finish(parley_deadline_t *d, parley_deadline_how_t how);

/* It is due again; returns 0. */
int parley_deadline_retry(parley_deadline_t *d);

/*
 * Once, whoever tries it: the id is the deadline's, what it is for, and to whom
 * it goes.  slot: of the question, which is closed with it; NULL: none.
 * Returns 1: it is this deadline's to carry out; 0: another's, or the question
 * has its answer; -1: it cannot be known yet; PARLEY_WAIT.
 */
int parley_deadline_claim(parley_deadline_t *d, parley_str_t what,
    parley_str_t to, const uint8_t *slot);

/* Whether it may be this one's already, from an earlier try. */
int parley_deadline_is_claimed(const parley_deadline_t *d);

/*
 * What the job tells one principal when it ends (parley_publish_to.h): *ret,
 * in the arena.  Returns 0, PARLEY_WAIT, or -1: no memory, or no answer.
 */
int parley_deadline_notify(parley_deadline_t *d, const parley_publication_t *p,
    const parley_principal_t *to, parley_job_subject_kind_t kind,
                           parley_str_t sender,
    parley_append_t **ret)
    __attribute__((warn_unused_result));

/* parley_escalation.c: it was not acknowledged.  0 or PARLEY_WAIT. */
int parley_escalation_raise(parley_deadline_t *d);

/* parley_timeout.c: its time is over; NULL: the question is gone.  0 or
   PARLEY_WAIT. */
int parley_timeout_tell(parley_deadline_t *d, const parley_record_t *question);


#endif /* PARLEY_DEADLINE_PARTS_H */
