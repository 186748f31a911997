/*
 * The recipients of a publication that jobs deliver it to, to a URL or to the
 * next connection: parts of the step PUBLISH.
 */

#ifndef PARLEY_GATE_DELIVER_H
#define PARLEY_GATE_DELIVER_H

#include "hub/parley_expand.h"
#include "gate/message/parley_gate_steps.h"
#include "hub/parley_job_subject.h"


/* recipients, with a job for each */
typedef struct {
    parley_job_t               *jobs;
    const parley_principal_t  **who;    /* NULL: the directory does not have
                                           it */
    size_t                      n;
    size_t                      room;
    unsigned                    owed:1; /* a job is owed to the readers of a
                                           log (state/parley_job.h) */
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

/*
 * Checks that the rules about recipients let a message that a service gets go
 * to each listed member of the group, or each known peer, that it is for: none
 * of them can be left out there.  Returns 0, or -1: policy-refused, capacity.
 */
int parley_gate_reaches_all(parley_gate_t *g)
    __attribute__((warn_unused_result));

/* Their logs: 0, or -1: policy-refused, capacity. */
int parley_gate_broadcast(parley_gate_t *g, parley_expansion_t *ret);

/*
 * Fills *ret with the recipients of a scope, expanded, or the known peers, that
 * have a URL and no stream of their own, and where the protocol of the message
 * delivers what it accepts (VCP-33) with all others as well.  A critical
 * message to one recipient is urgent.  answers: parley_publication_t.answers of
 * it.  Returns 0; PARLEY_WAIT; or -1: policy-refused, capacity.
 */
int parley_gate_reaches(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_str_t answers,
    const parley_expansion_t *expansion,
    parley_reached_t *ret)
    __attribute__((warn_unused_result));



#endif /* PARLEY_GATE_DELIVER_H */
