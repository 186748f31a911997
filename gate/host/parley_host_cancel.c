/* The end of an event for a reader that has not decided it, by the act of
   another party. */

#include <string.h>

#include "gate/host/parley_host_end.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"


static int parley_host_cancel(parley_host_t *h, parley_gate_t *g,
    const parley_chat_offer_t *offer, parley_chat_reason_t reason,
    const parley_principal_t *to);


int
parley_host_part_end(parley_host_t *h, parley_gate_t *g,
    const parley_host_ends_t *ends, const parley_principal_t *to)
{
    int                      rc;
    unsigned                 tries;
    parley_chat_offer_t      offer;
    parley_host_delivery_t   part;

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {

        rc = parley_host_delivery_get(h, ends->id, ends->source, to->sub,
                                      &part);
        if (rc < 0) {
            return rc;
        }

        if (!parley_host_is_open(&part)) {
            return part.escalated > 0;
        }

        part.disposition = ends->disposition;

        rc = parley_host_delivery_put(h, ends->id, ends->source, to->sub,
                                      &part);

        if (rc == 0) {
            parley_host_end_for(h, ends->id, ends->source, to->sub, &part);
        }
    }

    if (rc == 0 && part.attempts != UINT8_MAX) {
        offer.id = ends->id;
        offer.attempt = part.attempts + 1u;
        offer.tag = h->chat->tag(ends->id, to->names[h->proto], ends->source);

        rc = parley_host_cancel(h, g, &offer, ends->reason, to);
    }

    return rc < 0 ? rc : part.escalated > 0;
}


/* Writes the notification to the stream that is open now.  A stream that cannot
   be told does not stop the caller.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_cancel(parley_host_t *h, parley_gate_t *g,
    const parley_chat_offer_t *offer, parley_chat_reason_t reason,
    const parley_principal_t *to)
{
    int                    rc;
    uint8_t                log[1][PARLEY_KEY_LEN];
    parley_buf_t           b, views;
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_publication_t   p;

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&publish, 0, sizeof(parley_publish_t));

    parley_buf_init(&b, h->arena, 0);
    h->chat->cancel(&b, offer, reason);

    parley_buf_init(&views, h->arena, 0);
    parley_buf_octet(&views, PARLEY_HOST_CANCELLED);
    parley_buf_str(&views, to->sub);

    rc = parley_host_mailbox_log(h, to, log[0]);

    if (rc > 0) {
        return 0;
    }

    if (rc < 0 || parley_buf_done(&b, &p.message) != 0
        || parley_buf_done(&views, &p.views) != 0)
    {
        return parley_error_memory(h->err);
    }

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = h->proto;
    p.ms = h->now_ms;
    p.timeout_ms = -1;

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
    publish.nlogs = 1;
    publish.account = h->account;

    parley_render_retention(h->http, &publish.retention);

    if (parley_publication_append(h->arena, &publish, &append) != 0) {
        return parley_error_memory(h->err);
    }

    rc = parley_ask_append(h->ask, &append, &appended);

    if (rc == 0 && g != NULL && g->env->wake != NULL) {
        g->env->wake(g);
    }

    return rc == PARLEY_WAIT ? rc : 0;
}
