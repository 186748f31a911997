/* The gate's own steps; private to it. */

#ifndef PARLEY_GATE_STEPS_H
#define PARLEY_GATE_STEPS_H

#include "parley_gate.h"
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

/* What was to prove something was refused, with g->err. */
void parley_gate_failed(parley_gate_t *g);

/* parley_gate_submit.c */

parley_outcome_t parley_gate_submission(parley_gate_t *g);

/* parley_gate_amend.c */

parley_outcome_t parley_gate_amend(parley_gate_t *g);
parley_outcome_t parley_gate_loss(parley_gate_t *g);

/* parley_gate_policy.c */

parley_outcome_t parley_gate_policy(parley_gate_t *g);
parley_outcome_t parley_gate_direction(parley_gate_t *g);


static inline parley_outcome_t
parley_outcome(int rc)
{
    return rc == 0 ? PARLEY_OUTCOME_PASSED : PARLEY_OUTCOME_REFUSED;
}


#endif /* PARLEY_GATE_STEPS_H */
