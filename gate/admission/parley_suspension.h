/*
 * Suspensions: whoever reported an emergency sends nothing but escalations and
 * acknowledgments until its parent resumes it (VCP-26), or whoever runs the
 * gateway does.  A critical trouble may pause its sender in the same way
 * (VCP-28).
 *
 * A suspension is a record of its principal's account, so that an admission
 * looks for it in the same step (parley_admission_t.suspends).  It does not end
 * by itself.
 */

#ifndef PARLEY_SUSPENSION_H
#define PARLEY_SUSPENSION_H

#include "state/parley_ask.h"
#include "core/parley_buf.h"
#include "translate/parley_msg.h"


/* one of a principal for an emergency, one for what is critical */
#define PARLEY_SUSPENSIONS_MAX  PARLEY_LIFTS_MAX


typedef struct {
    parley_severity_t  alarm;   /* CRITICAL or EMERGENCY */
    int64_t            since_ms; /* of the message that reported it */
    parley_str_t       sub;     /* of the principal, not empty */
    parley_str_t       id;      /* of the message */
    parley_lift_t      lift;    /* ends it; read: of the one that is there */
} parley_suspension_t;


typedef struct {
    size_t               n;
    parley_suspension_t  list[PARLEY_SUSPENSIONS_MAX];
} parley_suspensions_t;


/* Keeps it, in place of one for the same alarm: 0 and *ret; PARLEY_WAIT; or -1:
   there is no answer. */
int parley_suspension_put(parley_ask_t *q, const parley_suspension_t *s,
    parley_put_result_t *ret)
    __attribute__((warn_unused_result));

/* Those of a principal; 0, PARLEY_WAIT or -1.  Texts are in q's arena. */
int parley_suspension_get(parley_ask_t *q, parley_str_t sub,
    parley_suspensions_t *ret)
    __attribute__((warn_unused_result));

/* It ends, unless another one took its place: 0, PARLEY_WAIT or -1. */
int parley_suspension_drop(parley_ask_t *q, const parley_suspension_t *s)
    __attribute__((warn_unused_result));

/* A record of the state.  Returns 0, or -1: it is none. */
int parley_suspension_read(const parley_state_t *state,
    const parley_record_t *record, parley_suspension_t *ret)
    __attribute__((warn_unused_result));

/* "suspended" or "paused" */
parley_str_t parley_suspension_name(const parley_suspension_t *s);

/* {"sub","state","since","message_id"} */
void parley_suspension_tell(const parley_suspension_t *s, parley_buf_t *b);


#endif /* PARLEY_SUSPENSION_H */
