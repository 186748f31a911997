/*
 * The answer of an existing service to a request without a message
 * (parley_gate_relay.c): its event stream, or one whole answer.  Each event is
 * checked as an answer is, but no message was asked, so the event is bound to
 * none.
 */

#include <string.h>

#include "translate/parley_embed.h"
#include "gate/message/parley_gate_steps.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_plain_msg.h"
#include "gate/settings/parley_reserved.h"
#include "gate/correlation/parley_exchange.h"


static int parley_gate_relayed_refusal(parley_gate_t *g,
    const parley_response_t *response, parley_answered_t *ret);
static int parley_gate_relayed_status(parley_gate_t *g, int status);
static int parley_gate_relayed_response(parley_gate_t *g,
    parley_arena_t *arena, parley_str_t data);
static int parley_gate_relayed_message(parley_gate_t *g,
    parley_arena_t *arena, const parley_json_t *doc);
static int parley_gate_relayed_sender(parley_gate_t *g,
    parley_arena_t *arena, const parley_msg_t *m);
static int parley_gate_relayed_invalid(parley_gate_t *g);


int
parley_gate_relayed(parley_gate_t *g, const parley_response_t *response,
    parley_answered_t *ret)
{
    memset(ret, 0, sizeof(parley_answered_t));

    ret->said = 1;
    ret->over = 1;

    if (response->status >= 400) {
        return parley_gate_relayed_refusal(g, response, ret);
    }

    if (!g->serve.erases) {
        return parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "the service's answer to GET is not an event "
                                "stream");
    }

    if (response->status >= 300) {
        return parley_gate_relayed_status(g, response->status);
    }

    /* the service has ended the session */

    ret->settle = PARLEY_SETTLE_COMMIT;
    ret->reply.status = response->status;

    return 0;
}


/* Passes a refusal in the words of the protocol, or replaces its body. */

static int
parley_gate_relayed_refusal(parley_gate_t *g,
    const parley_response_t *response, parley_answered_t *ret)
{
    parley_answer_t    answer;
    parley_encoded_t   sent;

    memset(&sent, 0, sizeof(parley_encoded_t));

    sent.copied = 1;
    sent.body = response->body;

    if (response->body.len == 0
        || parley_answer_decode(g->engine, g->arena, g->conf.gate->speak, &sent,
                                response->status, response->body,
                                &g->conf.gate->limits, g->in.seed, &answer,
                                g->err) != 0
        || answer.kind != PARLEY_ANSWER_REFUSED
        || response->charset == PARLEY_CHARSET_OTHER)
    {
        return parley_gate_relayed_status(g, response->status);
    }

    ret->copied = 1;
    ret->reply.status = response->status;
    ret->reply.content_type = parley_codecs[g->conf.gate->speak]->binding
                              ->media_type;
    ret->reply.body = response->body;

    return 0;
}


/* Sets the error for a status.  Returns -1. */

static int
parley_gate_relayed_status(parley_gate_t *g, int status)
{
    parley_answer_t   answer;
    parley_encoded_t  sent;

    parley_error_clear(g->err);

    if (status == 405) {
        return parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                                g->serve.erases
                                ? "the service does not end sessions"
                                : "the service has no event stream here");
    }

    if (status == 404 && parley_binding_sessions(g->conf.gate->speak) != NULL) {
        return parley_error_set(g->err, PARLEY_E_SESSION_UNKNOWN, NULL,
                                "the service does not know the session");
    }

    memset(&sent, 0, sizeof(parley_encoded_t));

    return parley_answer_decode(g->engine, g->arena, g->conf.gate->speak, &sent,
                                status, parley_str_none, &g->conf.gate->limits,
                                g->in.seed, &answer, g->err);
}


int
parley_gate_relayed_event(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data, parley_answered_t *ret)
{
    int            rc;
    parley_json_t  doc;

    memset(ret, 0, sizeof(parley_answered_t));

    ret->copied = 1;
    ret->said = 1;
    ret->reply.body = data;

    if (data.len == 0) {
        /* an id to resume from, with which a service begins its stream */
        return 0;
    }

    if (parley_json_read(&doc, arena, &g->conf.gate->limits, g->in.seed, data,
                         g->err) != 0)
    {
        return parley_gate_relayed_invalid(g);
    }

    rc = parley_gate_responds(g)
         && parley_json_get(&doc, 0, PARLEY_STR("method")) == PARLEY_JSON_NONE
         ? parley_gate_relayed_response(g, arena, data)
         : parley_gate_relayed_message(g, arena, &doc);

    return rc == 0 ? 0 : parley_gate_relayed_invalid(g);
}


/*
 * Checks a response of JSON-RPC.  Only a stream that continues an earlier
 * answer has responses.  The gateway has no record of their calls, so the
 * caller compares the id.
 */

static int
parley_gate_relayed_response(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data)
{
    parley_str_t      last;
    parley_answer_t   answer;
    parley_encoded_t  sent;

    if (g->env->header == NULL
        || !g->env->header(g, PARLEY_STR("last-event-id"), &last)
        || last.len == 0)
    {
        return parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID, "/method",
                                "/method is missing: a stream has responses "
                                "only if Last-Event-ID continues an answer");
    }

    memset(&sent, 0, sizeof(parley_encoded_t));

    sent.copied = 1;
    sent.body = data;

    return parley_answer_decode(g->engine, arena, g->conf.gate->speak, &sent,
                                200, data, &g->conf.gate->limits, g->in.seed,
                                &answer, g->err);
}


/* Checks a message: its schema, names, sender, and the payload by its
   intent. */

static int
parley_gate_relayed_message(parley_gate_t *g, parley_arena_t *arena,
    const parley_json_t *doc)
{
    parley_msg_t           m;
    const parley_codec_t  *codec;

    codec = parley_codecs[g->conf.gate->speak];

    if (parley_decode(g->engine, arena, codec->proto, doc, 0, &m, g->err) != 0
        || (!g->conf.gate->any_case && m.id.len > 0 && codec->spelling != NULL
            && codec->spelling(doc, g->err) != 0)
        || parley_plain_msg(&m, g->err) != 0
        || (m.origin != m.wire && parley_embed_nested(&m, g->err) != 0)
        || parley_gate_relayed_sender(g, arena, &m) != 0)
    {
        return -1;
    }

    return parley_intents_check(g->conf.intents, arena, &m, g->err);
}


/* Refuses an event in the name of the gateway (SEC-08). */

static int
parley_gate_relayed_sender(parley_gate_t *g, parley_arena_t *arena,
    const parley_msg_t *m)
{
    int  rc;

    rc = m->sender.len > 0
         ? parley_reserved_like(arena, m->wire, m->sender, g->conf.self) : 0;

    return rc == 0 ? 0
           : rc < 0 ? parley_error_memory(g->err)
           : parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID,
                              parley_at(m, PARLEY_MSG_SENDER).pointer,
                              "an event must not have the gateway's name as "
                              "its sender");
}


static int
parley_gate_relayed_invalid(parley_gate_t *g)
{
    if (g->err->code != PARLEY_E_CAPACITY) {
        g->err->code = PARLEY_E_UPSTREAM_INVALID;
    }

    return -1;
}


int
parley_gate_relay_settles(parley_gate_t *g, const parley_answered_t *answered,
    int64_t clock)
{
    int  rc;

    parley_ask_begin(&g->ask, clock);

    rc = g->serve.erases && answered->settle == PARLEY_SETTLE_COMMIT
         ? parley_gate_sessions_end(g) : parley_gate_sessions_given(g);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);

    memset(g->answer.given, 0, sizeof(g->answer.given));

    return (answered->said || !answered->over) ? parley_gate_revoked(g) : 0;
}
