/* The gate's own steps; private to it. */

#ifndef PARLEY_GATE_STEPS_H
#define PARLEY_GATE_STEPS_H

#include "parley_gate.h"
#include "parley_replay.h"
#include "parley_window.h"


/* parley_gate_read.c */

parley_outcome_t parley_gate_json(parley_gate_t *g);
parley_outcome_t parley_gate_protocol(parley_gate_t *g);
parley_outcome_t parley_gate_schema(parley_gate_t *g);
parley_outcome_t parley_gate_payload(parley_gate_t *g);
parley_outcome_t parley_gate_arguments(parley_gate_t *g);
parley_outcome_t parley_gate_age(parley_gate_t *g);

/* parley_gate_proof.c */

parley_outcome_t parley_gate_transport(parley_gate_t *g);
parley_outcome_t parley_gate_sender(parley_gate_t *g);
parley_outcome_t parley_gate_signature(parley_gate_t *g);

/* parley_gate_rate.c */

parley_outcome_t parley_gate_failures(parley_gate_t *g);
parley_outcome_t parley_gate_rate(parley_gate_t *g);
parley_outcome_t parley_gate_sender_rate(parley_gate_t *g);

/*
 * What was to prove something was refused, with g->err: that is counted.
 * Returns 0 or PARLEY_WAIT.
 */
int parley_gate_failed(parley_gate_t *g);

/* parley_gate_submit.c */

parley_outcome_t parley_gate_submission(parley_gate_t *g);

/* parley_gate_admit.c */

parley_outcome_t parley_gate_reference(parley_gate_t *g);
parley_outcome_t parley_gate_admit(parley_gate_t *g);
parley_outcome_t parley_gate_keep(parley_gate_t *g);

/* Whom the message is counted to, into g->account. */
void parley_gate_account(parley_gate_t *g);

/* Whether a message is a task for the gateway itself. */
int parley_gate_is_self(const parley_gate_t *g);

/* Where first answers are. */
void parley_gate_replay(const parley_gate_t *g, parley_replay_t *ret);

/*
 * Gives back what the message took, unless that is settled; returns 0,
 * PARLEY_WAIT or -1.
 */
int parley_gate_undo(parley_gate_t *g);

/* parley_gate_local.c */

parley_outcome_t parley_gate_local(parley_gate_t *g);
parley_outcome_t parley_gate_refute(parley_gate_t *g);

/* parley_gate_answer.c */

/*
 * The message was taken.  first: what its sender is told, or NULL: that is not
 * known yet; closes: and no answer is to come any more.  Both return 0,
 * PARLEY_WAIT or -1.
 */
int parley_gate_taken(parley_gate_t *g, const parley_reply_t *first,
    int closes);
int parley_gate_close(parley_gate_t *g);

/* Where messages are retained. */
void parley_gate_retain(parley_gate_t *g, parley_retain_t *ret);

/* parley_gate_translate.c */

parley_outcome_t parley_gate_translate(parley_gate_t *g);

/* parley_gate_rewrite.c */

parley_outcome_t parley_gate_rewrite(parley_gate_t *g);
parley_outcome_t parley_gate_loss(parley_gate_t *g);

/* parley_gate_policy.c */

parley_outcome_t parley_gate_policy(parley_gate_t *g);
parley_outcome_t parley_gate_direction(parley_gate_t *g);


static inline parley_outcome_t
parley_outcome(int rc)
{
    return rc == 0 ? PARLEY_OUTCOME_PASSED
           : rc == PARLEY_WAIT ? PARLEY_OUTCOME_WAIT : PARLEY_OUTCOME_REFUSED;
}


#endif /* PARLEY_GATE_STEPS_H */
