/*
 * Finds the recipients of a publication that need a job: for delivery to a URL,
 * or by the next connection.  Used by the step PUBLISH.
 */

#ifndef PARLEY_GATE_DELIVER_H
#define PARLEY_GATE_DELIVER_H

#include "hub/parley_expand.h"
#include "gate/message/parley_gate_steps.h"
#include "hub/parley_job_subject.h"


/* recipients, and one job for each */
typedef struct {
    parley_job_t               *jobs;
    const parley_principal_t  **who;    /* elements may be NULL: the
                                           recipient is not in the directory */
    size_t                      n;
    size_t                      room;
    unsigned                    owed:1; /* a job is owed to the readers of a
                                           log (state/parley_job.h) */
    parley_proto_set_t          speaks;     /* protocols of the URLs */
    size_t                      urls[PARLEY_PROTO_COUNT];   /* number of URLs
                                                               by protocol */
} parley_reached_t;


/* Returns whether the message is for all known peers of its sender (VCP-22). */
int parley_gate_publish_is_broadcast(const parley_gate_t *g);

/*
 * Returns whether the message is for a group, or for all known peers, and the
 * rules about recipients admit at least one member of it.
 */
int parley_gate_reach_has_some(parley_gate_t *g);

/*
 * Checks the rules about recipients for a message to a group that goes to a
 * service.  They must admit each listed member, or each known peer, because the
 * gateway cannot leave out a member there.  Returns 0, or -1: policy-refused,
 * capacity.
 */
int parley_gate_reach_has_all(parley_gate_t *g)
    __attribute__((warn_unused_result));

/*
 * Collects the logs of all known peers.  Returns 0, or -1: policy-refused,
 * capacity.
 */
int parley_gate_publish_broadcast(parley_gate_t *g, parley_expansion_t *ret);

/*
 * Fills *ret with the recipients that need a job, from an expanded scope or
 * from the known peers.  A recipient with a URL and without a stream needs a
 * job.  If the protocol of the message promises to deliver accepted messages
 * (VCP-33), each other recipient needs one as well.  A critical message to one
 * recipient is urgent.  answers is the member of the publication.  Returns 0;
 * PARLEY_WAIT; or -1: policy-refused, capacity.
 */
int parley_gate_reach_is_any(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_str_t answers,
    const parley_expansion_t *expansion,
    parley_reached_t *ret)
    __attribute__((warn_unused_result));



#endif /* PARLEY_GATE_DELIVER_H */
