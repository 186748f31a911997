/*
 * Makes the form of a published message in the protocol of a subscriber.  A
 * subscriber's answer refers to the message by its id in this form, so that id
 * is kept as an alias (HUB-07).
 */

#include <string.h>

#include "translate/parley_engine.h"
#include "translate/parley_loss.h"
#include "gate/delivery/parley_render.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_publish_alias_mute(parley_gate_t *g,
    parley_proto_set_t speaks);


int
parley_gate_publish_form(parley_gate_t *g, parley_proto_t to,
    parley_encoded_t *ret)
{
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encode_opts_t  opts;

    opts = g->out.opts;
    opts.alias = parley_str_none;
    opts.answering = NULL;

    parley_deliver_opts(g->conf.http, to, &opts);
    parley_error_clear(&err);
    parley_loss_init(&loss, g->arena);
    memset(ret, 0, sizeof(parley_encoded_t));

    if (parley_encode(g->engine, g->arena, to, g->msg, &opts, ret, &loss, &err)
        != 0)
    {
        return -1;
    }

    /* each form asks for the same approval */
    ret->approval = g->out.sent.approval;

    return 0;
}


/*
 * Keeps the id that a mute message has as an agent-channel frame, so that an
 * answer to it is refused.  Without the id the answer would refer to an unknown
 * event, and agent-channel lets such an answer pass.
 */

static int
parley_gate_publish_alias_mute(parley_gate_t *g, parley_proto_set_t speaks)
{
    parley_asking_t   a;
    parley_encoded_t  made;

    if (!g->msg->mute || g->msg->wire == PARLEY_PROTO_STREAMS
        || (g->conf.http->listens[PARLEY_PROTO_STREAMS] == NULL
            && !(speaks & PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS)))
        || parley_gate_publish_form(g, PARLEY_PROTO_STREAMS, &made) != 0)
    {
        return 0;
    }

    parley_gate_message_asking(g, &a);

    a.sent = &made;
    a.speak = PARLEY_PROTO_STREAMS;

    return parley_question_alias_mute(&a, &g->admit.asked);
}


int
parley_gate_publish_keep_alias(parley_gate_t *g, parley_proto_set_t speaks)
{
    int               rc;
    unsigned          to;
    parley_asking_t   a;
    parley_encoded_t  made;

    if (!g->admit.asked.kept || !g->admit.asked.awaited) {
        return parley_gate_publish_alias_mute(g, speaks);
    }

    parley_gate_message_asking(g, &a);

    a.sent = &made;

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        if (to == g->msg->wire || to == g->conf.gate->speak
            || (g->conf.http->listens[to] == NULL
                && !(speaks & PARLEY_PROTO_BIT(to)))
            || parley_gate_publish_form(g, (parley_proto_t) to, &made) != 0)
        {
            continue;
        }

        a.speak = (parley_proto_t) to;

        rc = parley_question_alias(&a, &g->admit.asked);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}
