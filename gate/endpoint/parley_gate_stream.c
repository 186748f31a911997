/*
 * Serves the endpoint of parley_stream.  It decides which messages the caller
 * may get, and from which place on (ACH-20 to ACH-22).  The name of the stream
 * is at the end of the path, as /channel/stream/~alice.  The arguments are:
 *
 *     ?filter=kind:agent_query&session=s1&instrument=cc-model
 *     &last_event_id=3f09c2a1b47e.17
 *
 * A WebSocket (parley_websocket) is opened in the same way.  Its messages take
 * the steps of messages.  The proof of a MoQ connection (parley_moq) is an
 * inner GET, which opens the stream of the caller's own mailbox.
 */

#include <string.h>

#include "translate/channel/parley_channel_scope.h"
#include "hub/parley_event_id.h"
#include "hub/parley_expand.h"
#include "gate/message/parley_gate_steps.h"
#include "core/parley_hex.h"
#include "gate/message/parley_stream_request.h"
#include "gate/settings/parley_rules.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"
#include "core/parley_time.h"
#include "gate/endpoint/parley_gate_upgrade.h"


#define PARLEY_STREAM_RANDOM  16        /* random octets of a session's name */

/*
 * characters that agent-channel allows in a session in addition to those of
 * other parts
 */
#define PARLEY_STREAM_SESSION_MORE  "~+:"


typedef struct {
    parley_gate_t            *g;
    parley_arguments_t        arguments;
    parley_stream_request_t  *opening;
    int                       own;      /* the stream is the caller's */
} parley_gate_stream_t;


static parley_step_result_t parley_gate_stream_moq_method(parley_gate_t *g,
    parley_str_t method);
static int parley_gate_stream_upgrades(parley_gate_t *g);
static int parley_gate_stream_open(parley_gate_stream_t *st);
static int parley_gate_stream_owner(const parley_gate_stream_t *st);
static int parley_gate_stream_selector(parley_gate_stream_t *st);
static int parley_gate_stream_session(parley_gate_stream_t *st);
static int parley_gate_stream_made(parley_gate_stream_t *st,
    parley_str_t *ret);
static int parley_gate_stream_foreign(parley_gate_stream_t *st);
static int parley_gate_stream_part(parley_gate_stream_t *st,
    parley_argument_e which, const char *more);
static int parley_gate_stream_wrong(parley_gate_stream_t *st,
    parley_code_t code, const char *name, const char *text);
static int parley_gate_stream_card(parley_gate_stream_t *st);
static void parley_gate_stream_from(parley_gate_stream_t *st);
static void parley_gate_stream_lasts(parley_gate_stream_t *st);


parley_step_result_t
parley_gate_stream_method(parley_gate_t *g, parley_str_t method)
{
    parley_step_result_t  result;

    if (g->conf.s->moq != NULL) {
        return parley_gate_stream_moq_method(g, method);
    }

    if (parley_gate_ticket_is_on(g) && parley_str_is(method, "POST")) {
        g->read.proto = g->conf.s->stream->proto;
        g->serve.issues = 1;
        return PARLEY_RESULT_PASSED;
    }

    if (g->conf.s->websocket == NULL) {
        return parley_gate_named_method(g, g->conf.s->stream->proto, method, 1);
    }

    result = parley_gate_named_method(g, g->conf.s->stream->proto, method, 0);

    return result == PARLEY_RESULT_PASSED
           ? parley_step_result(parley_gate_upgrade(g)) : result;
}


/* A client of HTTP cannot use a location of parley_moq. */

static parley_step_result_t
parley_gate_stream_moq_method(parley_gate_t *g, parley_str_t method)
{
    if (g->in.inner) {
        return parley_gate_named_method(g, g->conf.s->stream->proto, method, 0);
    }

    g->read.proto = g->conf.s->stream->proto;

    (void) parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL,
                            "this location takes MoQ connections over QUIC, "
                            "and no requests of HTTP");

    return PARLEY_RESULT_REFUSED;
}


parley_step_result_t
parley_gate_stream(parley_gate_t *g)
{
    int                       rc;
    parley_stream_request_t  *opening;

    if (g->serve.erases) {
        return parley_gate_erase(g);
    }

    if (g->serve.issues) {
        return parley_gate_ticket(g);
    }

    if (parley_gate_stream_upgrades(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    rc = parley_gate_stream_request(g, &opening);

    if (rc == 0) {
        rc = parley_gate_ticket_use(g);
    }

    if (rc != 0) {
        return parley_step_result(rc);
    }

    g->serve.opening = opening;

    return PARLEY_RESULT_ANSWERED;
}


/*
 * Checks the Origin of a WebSocket, unless the request shows a token.  A page
 * of another site can open a WebSocket in a user's browser, which shows the
 * user's certificate.  For a cookie the step PROOF has made this check.
 */

static int
parley_gate_stream_upgrades(parley_gate_t *g)
{
    return g->conf.s->websocket == NULL || g->proof.shown.len > 0
           || g->in.dialled.len > 0
           ? 0 : parley_gate_origin(g);
}


int
parley_gate_stream_request(parley_gate_t *g, parley_stream_request_t **ret)
{
    parley_gate_stream_t  st;

    memset(&st, 0, sizeof(parley_gate_stream_t));

    st.g = g;
    st.opening = parley_arena_calloc(g->arena, sizeof(parley_stream_request_t));

    if (st.opening == NULL) {
        return parley_error_memory(g->err);
    }

    *ret = st.opening;

    return parley_gate_stream_open(&st);
}


static int
parley_gate_stream_open(parley_gate_stream_t *st)
{
    parley_gate_t            *g;
    parley_stream_request_t  *o;
    parley_subscription_t    *s;

    g = st->g;
    o = st->opening;
    s = &o->subscription;

    parley_arguments_of(&st->arguments, 1u << PARLEY_ARGUMENT_FILTER
                                        | 1u << PARLEY_ARGUMENT_SESSION
                                        | 1u << PARLEY_ARGUMENT_INSTRUMENT
                                        | 1u << PARLEY_ARGUMENT_LAST_EVENT_ID
                                        | (g->conf.s->moq == NULL ? 0
                                           : 1u << PARLEY_ARGUMENT_AGENT)
                                        | (g->conf.s->host == NULL ? 0
                                           : 1u
                                             << PARLEY_ARGUMENT_CONVERSATION),
                        g->conf.gate->token);

    if (parley_gate_named(g, &st->arguments, PARLEY_RULES_SUBSCRIBE,
                          &o->address, &st->own)
        != 0
        || parley_gate_stream_owner(st) != 0
        || parley_gate_stream_selector(st) != 0
        || parley_gate_stream_session(st) != 0
        || parley_gate_stream_card(st) != 0)
    {
        return -1;
    }

    parley_gate_stream_from(st);
    parley_gate_stream_lasts(st);
    parley_gate_message_account(g);

    memcpy(o->account, g->proof.account, PARLEY_KEY_LEN);
    parley_expand_log(g->ask.state, o->address, o->log);

    s->log = o->log;
    s->account = o->account;
    s->owns = st->own != 0;
    s->stream = g->serve.mcp != NULL ? &parley_gate_called_stream
                : g->in.dialled.len > 0 ? &g->conf.s->websocket->dialled
                : g->conf.s->stream;

    /*
     * if a rule may deny a message, each message is checked; a message of chat
     * is written for the owner of the mailbox
     */

    if (parley_gate_rules_denies(g) || g->conf.http->host != NULL) {
        parley_gate_rules_reader(g, &o->reader);

        if (st->own) {
            o->reader.mailbox = g->who->principal;
        }

        o->rules = &o->reader;
        s->reader = parley_str_make(&o->rules, sizeof(o->rules));
    }

    return 0;
}


/* MOQ-13: a MoQ connection has the mailbox of its principal alone.  The tracks
   of another agent are no mailbox (MOQ-07). */

static int
parley_gate_stream_owner(const parley_gate_stream_t *st)
{
    parley_gate_t  *g = st->g;

    if (g->conf.s->moq == NULL
        || st->arguments.list[PARLEY_ARGUMENT_AGENT].value.len > 0)
    {
        return 0;
    }

    if (!st->own) {
        return parley_error_set(g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "the path must not end with the name of "
                                "another principal");
    }

    /* the proof is a message of this type, which needs no rule to pass */

    return parley_gate_rules_forbid(g, PARLEY_STR("session_init"),
                              PARLEY_STR("moq.cmd.session_init"))
           ? parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                              "a rule denies session_init") : 0;
}


/* Makes the selector.  An invalid filter is refused (ACH-22). */

static int
parley_gate_stream_selector(parley_gate_stream_t *st)
{
    parley_str_t              filter, instrument;
    parley_gate_t            *g;
    parley_channel_filter_t   parsed;

    g = st->g;

    if (parley_gate_stream_part(st, PARLEY_ARGUMENT_INSTRUMENT, "") != 0) {
        return -1;
    }

    filter = st->arguments.list[PARLEY_ARGUMENT_FILTER].value;
    instrument = st->arguments.list[PARLEY_ARGUMENT_INSTRUMENT].value;

    /* default from the directory; ~cc-model@1.2 is cc-model */

    if (instrument.len == 0 && st->own
        && g->who->principal->instrument.len > 1)
    {
        instrument = parley_str_until(
                         parley_str_from(g->who->principal->instrument, 1),
                         '@');
        st->arguments.list[PARLEY_ARGUMENT_INSTRUMENT].value = instrument;
    }

    if (parley_channel_filter_parse(g->arena, filter, &parsed, g->err) != 0) {
        return -1;
    }

    return parley_selector_text(g->arena,
                                g->serve.mcp != NULL ? PARLEY_PROTO_VERBS
                                                     : g->conf.s->stream->proto,
                                instrument, filter,
                                &st->opening->subscription.selector)
           == 0 ? 0
           : parley_gate_stream_wrong(st, PARLEY_E_FILTER_VALUE_INVALID,
                                      "filter", "the filter is too long");
}


/*
 * Finds the name of the session.  A session belongs to its principal.  A
 * listener to another principal's stream gets a session named sub/session.  No
 * frame is addressed to that session, and it replaces no session of the owner.
 */

static int
parley_gate_stream_session(parley_gate_stream_t *st)
{
    parley_str_t  name;

    if (parley_gate_stream_part(st, PARLEY_ARGUMENT_SESSION,
                                PARLEY_STREAM_SESSION_MORE)
        != 0)
    {
        return -1;
    }

    name = st->arguments.list[PARLEY_ARGUMENT_SESSION].value;

    if (name.len == 0 && parley_gate_stream_made(st, &name) != 0) {
        return -1;
    }

    st->opening->session = name;
    st->opening->subscription.session = name;
    st->opening->conversation = st->arguments.list[PARLEY_ARGUMENT_CONVERSATION]
                                .value;

    return st->own && st->opening->conversation.len == 0
           ? 0 : parley_gate_stream_foreign(st);
}


static int
parley_gate_stream_made(parley_gate_stream_t *st, parley_str_t *ret)
{
    uint8_t        *p, random[PARLEY_STREAM_RANDOM];
    parley_gate_t  *g;

    g = st->g;
    p = parley_arena_octets(g->arena, 2 * PARLEY_STREAM_RANDOM);

    if (p == NULL || g->env->random == NULL || g->env->random(g, random) != 0)
    {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "no session can be made");
    }

    (void) parley_hex_write(p, random, PARLEY_STREAM_RANDOM);

    *ret = parley_str_make(p, 2 * PARLEY_STREAM_RANDOM);

    return 0;
}


static int
parley_gate_stream_foreign(parley_gate_stream_t *st)
{
    parley_buf_t    b;
    parley_gate_t  *g;

    g = st->g;

    parley_buf_init(&b, g->arena, 0);
    parley_buf_str(&b, g->who->principal->sub);
    parley_buf_octet(&b, '/');
    parley_buf_str(&b, st->opening->session);

    if (parley_buf_done(&b, &st->opening->subscription.session) != 0) {
        return parley_error_memory(g->err);
    }

    return st->opening->subscription.session.len <= PARLEY_SESSION_MAX ? 0
           : parley_gate_stream_wrong(st, PARLEY_E_FIELD_INVALID, "session",
                                      "the name of the session is too long");
}


static int
parley_gate_stream_part(parley_gate_stream_t *st, parley_argument_e which,
    const char *more)
{
    const parley_argument_t  *argument;

    argument = &st->arguments.list[which];

    if (argument->value.len == 0
        || parley_channel_scope_is_part(argument->value, more) == 0)
    {
        return 0;
    }

    return parley_gate_stream_wrong(st, PARLEY_E_FIELD_INVALID,
                                    (const char *) argument->name.data,
                                    *more == '\0'
                                    ? "must be 1 to 128 letters, digits, "
                                      "\".\", \"_\" and \"-\""
                                    : "must be 1 to 128 letters, digits, "
                                      "\".\", \"_\", \"-\", \"~\", \"+\" and "
                                      "\":\"");
}


static int
parley_gate_stream_wrong(parley_gate_stream_t *st, parley_code_t code,
    const char *name, const char *text)
{
    (void) parley_error_set(st->g->err, code, name, "%s", text);

    st->g->err->is_name = 1;

    return -1;
}


/* Makes the card of the stream for the roster (ACH-25). */

static int
parley_gate_stream_card(parley_gate_stream_t *st)
{
    char            text[PARLEY_TIME_MAX];
    parley_buf_t    b;
    parley_gate_t  *g;

    g = st->g;

    parley_buf_init(&b, g->arena, 0);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"),
                      parley_proto_name(g->read.proto));

    if (st->arguments.list[PARLEY_ARGUMENT_INSTRUMENT].value.len > 0) {
        parley_buf_member(&b, PARLEY_STR("instrument"),
                         st->arguments.list[PARLEY_ARGUMENT_INSTRUMENT].value);
    }

    if (parley_time_format(g->in.now_ms, text) != 0) {
        parley_buf_member(&b, PARLEY_STR("since"), parley_str_c(text));
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &st->opening->subscription.card) == 0
           ? 0 : parley_error_memory(g->err);
}


/*
 * Finds the place from which the stream continues.  The header field is newer
 * than the argument in the URL (ACH-21).
 */

static void
parley_gate_stream_from(parley_gate_stream_t *st)
{
    parley_str_t            text;
    parley_gate_t          *g;
    parley_subscription_t  *s;

    g = st->g;

    if (g->env->header == NULL
        || !g->env->header(g, PARLEY_STR("last-event-id"), &text)
        || text.len == 0)
    {
        text = st->arguments.list[PARLEY_ARGUMENT_LAST_EVENT_ID].value;
    }

    if (text.len == 0) {
        return;
    }

    s = &st->opening->subscription;

    /*
     * A gap closes a WebSocket.  Without retained messages the next connection
     * would find the next gap.  So it begins at the end of the log.
     */

    if (g->conf.s->websocket != NULL && g->conf.http->retain == 0) {
        st->opening->unlogged = 1;
        return;
    }

    s->told = (unsigned) parley_event_id_told(&text);

    /*
     * A refused client would not come back.  The gateway does not know which
     * messages the client has, and reports a gap.
     */

    if (parley_event_id_read(text, &s->from) != 0) {
        s->lost = 1;
    }
}


/* Limits the stream to the life of the caller's proof (SEC-15). */

static void
parley_gate_stream_lasts(parley_gate_stream_t *st)
{
    int64_t  expires, left;

    expires = parley_gate_message_expires(st->g);

    if (expires == INT64_MAX) {
        return;
    }

    left = (expires - st->g->in.now_ms) / 1000;

    st->opening->subscription.lasts = left < 1 ? 1
                                      : left > UINT32_MAX ? UINT32_MAX
                                      : (uint32_t) left;
}
