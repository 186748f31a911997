/*
 * The answer of an existing service to a request without a message
 * (parley_gate_relay.c): its event stream, or one whole answer.
 * parley_gate_unasked() checks and translates each event.
 */

#include <string.h>

#include "translate/parley_codec.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/correlation/parley_exchange.h"


static int parley_gate_relayed_refusal(parley_gate_t *g,
    const parley_response_t *response, parley_answered_t *ret);
static int parley_gate_relayed_status(parley_gate_t *g, int status);
static int parley_gate_relayed_tell(parley_gate_t *g,
    parley_answered_t *answered);
static int parley_gate_relayed_response(parley_gate_t *g,
    parley_arena_t *arena, parley_str_t data);
static int parley_gate_relayed_receipt(parley_gate_t *g,
    const parley_json_t *doc);
static int parley_gate_relayed_invalid(parley_gate_t *g);


int
parley_gate_relayed(parley_gate_t *g, const parley_response_t *response,
    parley_answered_t *ret)
{
    memset(ret, 0, sizeof(parley_answered_t));

    ret->replies = 1;
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

    if (g->serve.socket && response->status < 500) {
        /* the client gets the status alone */
        ret->reply.status = response->status;
        return 0;
    }

    if (response->body.len == 0 || g->read.proto != g->conf.gate->speak
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

    /* not every service has a path for GET */

    if (status == 405
        || (g->read.proto != g->conf.gate->speak
            && (status == 404 || status == 501)))
    {
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
    memset(ret, 0, sizeof(parley_answered_t));

    ret->copied = 1;
    ret->replies = 1;
    ret->reply.body = data;

    /* empty: an id to resume from, with which a service begins its stream */

    g->answer.event = data;
    g->answer.arena = arena;

    return 0;
}


/*
 * Checks an event and translates it.  Returns 0; PARLEY_WAIT; or -1 with
 * g->err.
 */

static int
parley_gate_relayed_tell(parley_gate_t *g, parley_answered_t *answered)
{
    int               rc;
    parley_json_t     doc;
    parley_encoded_t  made;

    if (parley_json_read(&doc, g->answer.arena, &g->conf.gate->limits,
                         g->in.seed, g->answer.event, g->err)
        != 0)
    {
        return parley_gate_relayed_invalid(g);
    }

    if (parley_codecs[g->conf.gate->speak]->binding->responds
        && parley_json_get(&doc, 0, PARLEY_STR("method")) == PARLEY_JSON_NONE)
    {
        return parley_gate_relayed_response(g, g->answer.arena,
                                            g->answer.event);
    }

    if (g->serve.socket && parley_gate_relayed_receipt(g, &doc) != 0) {
        return -1;
    }

    rc = parley_gate_unasked(g, g->answer.arena, &doc, g->answer.event, &made);

    if (rc == 0) {
        answered->copied = made.copied;
        answered->reply.body = made.body;
        answered->reply.id = made.id;
    }

    return rc;
}


/*
 * Checks a response of JSON-RPC.  Only a stream that continues an earlier
 * answer has responses.  The gateway has no record of their calls, so the
 * caller compares the id.  A WebSocket has none, as the call of each response
 * is one of its messages.
 */

static int
parley_gate_relayed_response(parley_gate_t *g, parley_arena_t *arena,
    parley_str_t data)
{
    parley_str_t      last;
    parley_answer_t   answer;
    parley_encoded_t  sent;

    if (!g->serve.socket
        && (g->read.proto != g->conf.gate->speak || g->env->header == NULL
            || !g->env->header(g, PARLEY_STR("last-event-id"), &last)
            || last.len == 0))
    {
        return parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID, "/method",
                                "/method is missing: a stream has responses "
                                "only if Last-Event-ID continues an answer");
    }

    memset(&sent, 0, sizeof(parley_encoded_t));

    sent.copied = 1;
    sent.body = data;

    if (parley_answer_decode(g->engine, arena, g->conf.gate->speak, &sent, 200,
                             data, &g->conf.gate->limits, g->in.seed, &answer,
                             g->err)
        != 0)
    {
        return parley_gate_relayed_invalid(g);
    }

    return !g->serve.socket ? 0
           : parley_error_set(g->err, PARLEY_E_REPLY_UNMATCHED, "/id",
                              "the response of the service names a call that "
                              "does not wait for it");
}


/* Refuses a receipt for a message that does not wait for one. */

static int
parley_gate_relayed_receipt(parley_gate_t *g, const parley_json_t *doc)
{
    parley_receipt_t       receipt;
    const parley_codec_t  *codec;

    codec = parley_codecs[g->conf.gate->speak];

    return codec->receipt == NULL || !codec->receipt(doc, &receipt) ? 0
           : parley_error_set(g->err, PARLEY_E_REPLY_UNMATCHED, "/message_id",
                              "the receipt of the service names a message that "
                              "does not wait for it");
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
parley_gate_relayed_has_session(const parley_gate_t *g)
{
    return g->serve.relays && g->serve.in_session;
}


int
parley_gate_relayed_renew(parley_gate_t *g, int64_t clock)
{
    parley_step_result_t  result;

    parley_ask_begin(&g->ask, clock);

    result = parley_gate_session(g);

    if (result == PARLEY_RESULT_WAIT) {
        return PARLEY_WAIT;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);

    if (g->err->code == PARLEY_E_SESSION_UNKNOWN) {
        return -1;
    }

    /* without room the record has at least as long as before */

    parley_error_clear(g->err);

    return 0;
}


int
parley_gate_relayed_skips(const parley_gate_t *g)
{
    return g->serve.relays
           && (g->err->code == PARLEY_E_UPSTREAM_INVALID
               || g->err->code == PARLEY_E_TRANSLATION_UNSUPPORTED
               || g->err->code == PARLEY_E_IDENTITY_UNMAPPABLE);
}


int
parley_gate_relayed_settles(parley_gate_t *g, parley_answered_t *answered,
    int64_t clock)
{
    int  rc;

    parley_ask_begin(&g->ask, clock);

    rc = g->serve.erases && answered->settle == PARLEY_SETTLE_COMMIT
         ? parley_gate_sessions_end(g) : parley_gate_sessions_given(g);

    if (rc == 0 && g->answer.event.len > 0) {
        rc = parley_gate_relayed_tell(g, answered);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);

    memset(g->answer.given, 0, sizeof(g->answer.given));
    g->answer.event = parley_str_none;

    if (rc != 0) {
        return -1;
    }

    return (answered->replies || !answered->over)
           ? parley_gate_revocation_is_hit(g) : 0;
}
