/*
 * A WebSocket of an existing service (GW-34).  The request that opens it passes
 * as a GET of an event stream does (parley_gate_relay.c).  Each text of the
 * client is a message with its own gate.  A text of the service is an answer to
 * such a message if it refers to it, else a message that the service sends
 * without being asked.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/endpoint/parley_gate_upgrade.h"
#include "gate/settings/parley_settings.h"
#include "http/parley_handshake.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"


static void parley_gate_socket_found(void *data, parley_str_t value);


parley_proto_t
parley_gate_relay_proto(const parley_gate_t *g)
{
    parley_proto_t  proto;

    proto = g->conf.gate->accept & PARLEY_PROTO_BIT(g->conf.gate->speak)
            ? g->conf.gate->speak
            : parley_settings_speaks(g->conf.gate->accept);

    return proto != PARLEY_PROTO_NONE && !parley_codecs[proto]->unstreamed
           ? proto : PARLEY_PROTO_NONE;
}


int
parley_gate_socket_asked(parley_gate_t *g, parley_str_t method)
{
    int             asked;
    parley_proto_t  proto;

    if (!parley_str_is(method, "GET") || g->env->headers == NULL
        || parley_settings_endpoint(g->conf.s) != PARLEY_ENDPOINT_NONE
        || g->conf.s->submit != NULL
        || !(g->conf.plan & PARLEY_PLAN(PARLEY_STEP_PROOF))
        || g->conf.gate->speak >= PARLEY_PROTO_COUNT
        || parley_codecs[g->conf.gate->speak]->unstreamed)
    {
        return 0;
    }

    asked = 0;
    proto = parley_gate_relay_proto(g);

    g->env->headers(g, PARLEY_STR("upgrade"), parley_gate_socket_found,
                    &asked);

    if (!asked || proto == PARLEY_PROTO_NONE) {
        return 0;
    }

    g->read.proto = proto;

    return 1;
}


static void
parley_gate_socket_found(void *data, parley_str_t value)
{
    int *asked = data;

    *asked |= parley_handshake_has(value, PARLEY_STR("websocket"));
}


/*
 * Checks the handshake, and the Origin unless the request shows a token.  For a
 * cookie the step PROOF has checked the Origin.
 */

int
parley_gate_socket_handshake(parley_gate_t *g)
{
    return parley_gate_upgrade(g) != 0
           || (g->proof.shown.len == 0 && parley_gate_origin(g) != 0)
           ? -1 : 0;
}


int
parley_gate_socket_is_answer(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc)
{
    parley_error_t   err;
    parley_answer_t  answer;

    if (parley_answer_read(g->engine, arena, g->conf.gate->speak,
                           &g->out.sent, 200, doc, &answer, &err)
        != 0)
    {
        return err.code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    /* a response of JSON-RPC, an acceptance and a refusal name the message */

    return answer.kind != PARLEY_ANSWER_MESSAGE
           || parley_codecs[g->conf.gate->speak]->binding->responds
           || (answer.msg.reply_to.len > 0
               && (parley_str_eq(answer.msg.reply_to, g->out.sent.id)
                   || parley_str_eq(answer.msg.reply_to, g->out.sent.corr)));
}


int
parley_gate_socket_is_answerable(const parley_gate_t *g)
{
    return g->msg->act == PARLEY_ACT_REQUEST
           || !parley_codecs[g->conf.gate->speak]->binding->responds;
}
