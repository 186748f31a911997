/*
 * Whom URLs reach of those that something is published for: parts of the step
 * PUBLISH.
 */

#ifndef PARLEY_GATE_DELIVER_H
#define PARLEY_GATE_DELIVER_H

#include "parley_expand.h"
#include "parley_gate_steps.h"


/* those whom URLs reach, and a job for each */
typedef struct {
    parley_job_t               *jobs;
    const parley_principal_t  **who;
    size_t                      n;
    size_t                      room;
    parley_proto_set_t          speaks;     /* protocols of what they get */
    size_t                      urls[PARLEY_PROTO_COUNT];   /* of each */
} parley_reached_t;


/* Whether it is for all known peers of its sender (VCP-22). */
int parley_gate_is_broadcast(const parley_gate_t *g);

/*
 * Whether the message is for a group, or for all known peers, of which the
 * rules about recipients let it go to one at least.
 */
int parley_gate_reaches_some(parley_gate_t *g);

/* Their logs: 0, or -1: policy-refused, capacity. */
int parley_gate_broadcast(parley_gate_t *g, parley_expansion_t *ret);

/*
 * Of those that a scope names, expanded, or of the known peers: who has a URL,
 * and no stream of its own.  One alone is reached urgently by what is critical.
 * Returns 0; PARLEY_WAIT; or -1: policy-refused, capacity.
 */
int parley_gate_reaches(parley_gate_t *g, parley_str_t scope,
    const parley_expansion_t *expansion, parley_reached_t *ret)
    __attribute__((warn_unused_result));

/*
 * The protocol in which a principal gets, by its URL, what came in proto: that
 * which its "speaks" names; else proto, where it has a name there; else the
 * first of parley_protocols.h in which it has one.  A handle counts last: its
 * log is known by it, and each that has a URL has one, whatever it speaks.
 */
parley_proto_t parley_delivered_in(const parley_principal_t *p,
    parley_proto_t proto);

/* The lane of what a sender, a sub, sends to the URL of a principal. */
void parley_delivery_lane(const parley_state_t *state, parley_str_t sender,
    parley_str_t recipient, uint8_t out[PARLEY_KEY_LEN]);


#endif /* PARLEY_GATE_DELIVER_H */
