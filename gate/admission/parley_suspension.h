/*
 * Suspensions.  A principal that reported an emergency may only send
 * escalations and acknowledgments, until its parent (VCP-26) or an operator
 * resumes it.  A critical escalation may pause its sender in the same way
 * (VCP-28).
 *
 * A suspension is a record under the key of its principal's account, so that an
 * admission checks it in the same step (parley_admission_t.suspends).  It does
 * not expire.
 */

#ifndef PARLEY_SUSPENSION_H
#define PARLEY_SUSPENSION_H

#include "state/parley_ask.h"
#include "core/parley_buf.h"
#include "translate/parley_msg.h"


/* a principal has one for an emergency and one for a critical escalation */
#define PARLEY_SUSPENSIONS_MAX  PARLEY_LIFTS_MAX


typedef struct {
    parley_severity_t  alarm;   /* CRITICAL or EMERGENCY */
    int64_t            since_ms; /* time of the message that reported it */
    parley_str_t       sub;     /* sub of the principal, not empty */
    parley_str_t       id;      /* id of the message */
    parley_lift_t      lift;    /* record and generation, to end it; set by
                                   parley_suspension_read() */
} parley_suspension_t;


typedef struct {
    size_t               n;
    parley_suspension_t  list[PARLEY_SUSPENSIONS_MAX];
} parley_suspensions_t;


/*
 * Stores a suspension.  It replaces one with the same alarm.  Returns 0 and
 * *ret; PARLEY_WAIT; or -1: no answer.
 */
int parley_suspension_put(parley_ask_t *q, const parley_suspension_t *s,
    parley_put_result_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads the suspensions of a principal.  Texts are in q's arena.  Returns 0;
 * PARLEY_WAIT; or -1: no answer.
 */
int parley_suspension_get(parley_ask_t *q, parley_str_t sub,
    parley_suspensions_t *ret)
    __attribute__((warn_unused_result));

/* As parley_suspension_get(), by the key of the principal's account. */
int parley_suspension_get_of(parley_ask_t *q,
    const uint8_t account[PARLEY_KEY_LEN], parley_suspensions_t *ret)
    __attribute__((warn_unused_result));

/*
 * Ends a suspension, unless another one has replaced it.  Returns 0;
 * PARLEY_WAIT; or -1: no answer.
 */
int parley_suspension_drop(parley_ask_t *q, const parley_suspension_t *s)
    __attribute__((warn_unused_result));

/* Reads a record of the state.  Returns 0, or -1: not a suspension. */
int parley_suspension_read(const parley_state_t *state,
    const parley_record_t *record, parley_suspension_t *ret)
    __attribute__((warn_unused_result));

/* Returns "suspended" or "paused". */
parley_str_t parley_suspension_name(const parley_suspension_t *s);

/* Writes {"sub","state","since","message_id"}. */
void parley_suspension_tell(const parley_suspension_t *s, parley_buf_t *b);


#endif /* PARLEY_SUSPENSION_H */
