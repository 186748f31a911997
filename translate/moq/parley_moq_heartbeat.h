/*
 * Heartbeats: no payload, acknowledged (MOQ-04).  The draft gives the
 * acknowledgment no form of its own, so it is a heartbeat with the same
 * Session ID and Stream ID.  What comes while an own one waits is its
 * acknowledgment; and two sides that acknowledge whatever comes would not
 * stop, so there is a bound of acknowledgments a second.
 */

#ifndef PARLEY_MOQ_HEARTBEAT_H
#define PARLEY_MOQ_HEARTBEAT_H

#include "translate/moq/parley_moq_frame.h"


#define PARLEY_MOQ_ACKS_MAX  16     /* in a second, for each session */


/* of a session; all zero: nothing came yet */
typedef struct {
    int64_t   since;        /* ms: the second that is counted */
    uint32_t  acks;
    unsigned  waiting:1;    /* the last own heartbeat is not acknowledged */
} parley_moq_heartbeat_t;


/* The frame that acknowledges a heartbeat. */
void parley_moq_heartbeat_ack(const parley_moq_frame_t *heartbeat,
    parley_moq_frame_t *ret);

/* An own heartbeat went out. */
void parley_moq_heartbeat_sent(parley_moq_heartbeat_t *h);

/*
 * A heartbeat came at now_ms.  Returns 1 and the frame to be sent, or 0: it
 * acknowledges an own one, or too many came.
 */
int parley_moq_heartbeat_take(parley_moq_heartbeat_t *h,
    const parley_moq_frame_t *heartbeat, int64_t now_ms,
    parley_moq_frame_t *ret);


#endif /* PARLEY_MOQ_HEARTBEAT_H */
