/*
 * Heartbeats: frames without a payload, which are acknowledged (MOQ-04).  The
 * draft does not define the acknowledgment.  Here it is a heartbeat with the
 * same Session ID and Stream ID.  A heartbeat that arrives while an own one
 * waits is its acknowledgment.  Two sides that acknowledge every heartbeat
 * would never stop, so that the number of acknowledgments per second is
 * limited.
 */

#ifndef PARLEY_MOQ_HEARTBEAT_H
#define PARLEY_MOQ_HEARTBEAT_H

#include "translate/moq/parley_moq_frame.h"


#define PARLEY_MOQ_ACKS_MAX  16     /* in each second and session */


/* state of a session; initially all zero */
typedef struct {
    int64_t   since;        /* ms: start of the counted second */
    uint32_t  acks;
    unsigned  waiting:1;    /* the last own heartbeat is not acknowledged */
} parley_moq_heartbeat_t;


/* Returns the frame that acknowledges a heartbeat. */
void parley_moq_heartbeat_ack(const parley_moq_frame_t *heartbeat,
    parley_moq_frame_t *ret);

/* Records that an own heartbeat was sent. */
void parley_moq_heartbeat_sent(parley_moq_heartbeat_t *h);

/*
 * Takes a heartbeat that arrived at now_ms.  Returns 1 and the frame to send,
 * or 0 if the heartbeat acknowledges an own one, or too many arrived.
 */
int parley_moq_heartbeat_take(parley_moq_heartbeat_t *h,
    const parley_moq_frame_t *heartbeat, int64_t now_ms,
    parley_moq_frame_t *ret);


#endif /* PARLEY_MOQ_HEARTBEAT_H */
