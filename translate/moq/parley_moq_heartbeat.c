#include "translate/moq/parley_moq_heartbeat.h"


void
parley_moq_heartbeat_ack(const parley_moq_frame_t *heartbeat,
    parley_moq_frame_t *ret)
{
    memset(ret, 0, sizeof(parley_moq_frame_t));

    ret->type = PARLEY_MOQ_HEARTBEAT;
    ret->session = heartbeat->session;
    ret->stream = heartbeat->stream;
}


void
parley_moq_heartbeat_sent(parley_moq_heartbeat_t *h)
{
    h->waiting = 1;
}


int
parley_moq_heartbeat_take(parley_moq_heartbeat_t *h,
    const parley_moq_frame_t *heartbeat, int64_t now_ms,
    parley_moq_frame_t *ret)
{
    memset(ret, 0, sizeof(parley_moq_frame_t));

    if (h->waiting) {
        h->waiting = 0;
        return 0;
    }

    if (now_ms < h->since || now_ms - h->since >= 1000) {
        h->since = now_ms;
        h->acks = 0;
    }

    if (h->acks == PARLEY_MOQ_ACKS_MAX) {
        return 0;
    }

    h->acks++;

    parley_moq_heartbeat_ack(heartbeat, ret);

    return 1;
}
