/* Jobs and claims for the deadline of a question. */

#ifndef PARLEY_QUESTION_RAISED_H
#define PARLEY_QUESTION_RAISED_H

#include "state/parley_ask.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


#define PARLEY_DEADLINE_QUESTION  (PARLEY_KEY_LEN + sizeof(uint32_t))
#define PARLEY_DEADLINE_RAISES  PARLEY_STR("raised")


/*
 * Returns whether an escalation has gone to the principal sub.  The claim is
 * put before the principal gets the message.  Returns 1, 0, PARLEY_WAIT, or -1:
 * the state gave no answer.
 */
int parley_question_has_asked(parley_ask_t *ask,
    const parley_record_id_t *question, parley_str_t sub)
    __attribute__((warn_unused_result));

/* Makes the key of a claim on a question. */
void parley_question_claim_key(const parley_state_t *state,
    const parley_record_id_t *question, parley_str_t what, parley_str_t to,
    uint8_t ret[PARLEY_KEY_LEN]);

/* Writes the record id of a question as octets. */
void parley_question_octets(const parley_record_id_t *question,
    uint8_t out[PARLEY_DEADLINE_QUESTION]);

/*
 * Fills the lane and the text of a deadline job, in the arena; the rest is
 * zero.  Returns 0, or -1: no memory, or sub is too long.
 */
int parley_question_job(parley_arena_t *arena, const parley_state_t *state,
    parley_job_subject_kind_t kind, const parley_record_id_t *question,
    parley_str_t sub, parley_job_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_QUESTION_RAISED_H */
