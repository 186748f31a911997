/*
 * Prepares the reply to a published message that needs one (HUB-07).  The
 * recipient's answer is published, too.
 *
 * The request is held until the answer comes.  The hold is a subscription to
 * the sender's own log that gets only this answer.  It is opened before the
 * message is appended.  A request that is not held is answered at once.  Then
 * the answer comes by the sender's stream, so the sender must have one.
 *
 * A message that gets no answer in its protocol needs neither.  An example is a
 * VCP message that asks for no acknowledgment.
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "hub/parley_expand.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/message/parley_stream_request.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"
#include "gate/correlation/parley_exchange.h"


/* sessions in one page of the roster */
#define PARLEY_AWAIT_PAGE   64

/* ms that the report of an expired deadline may take */
#define PARLEY_AWAIT_TELLS  1000

/*
 * An epoch that is not the log's, or that begins there.  With it, reading
 * begins at the first retained record.
 */
#define PARLEY_AWAIT_BEFORE  1


/* Nothing is written to this stream, so it is never behind. */
#define PARLEY_AWAIT_STREAM                                                   \
    .proto = PARLEY_PROTO_STREAMS,                                            \
    .lag = 1 << 20,                                                           \
    .keepalive = 60,                                                          \
    .age = 0,                                                                 \
    .retry = 1000

/* A held request waits for its answer even if its worker is leaving. */
static const parley_stream_t  parley_gate_held_stream = {
    PARLEY_AWAIT_STREAM,
    .stays = 1
};

/*
 * A call for frames ends if its worker is leaving.  The next call continues in
 * any worker.
 */
const parley_stream_t  parley_gate_called_stream = {
    PARLEY_AWAIT_STREAM
};


static int parley_gate_await_reply_posts(const parley_gate_t *g,
    parley_str_t address);
static int parley_gate_await_reply_absent(parley_gate_t *g);
static int64_t parley_gate_await_reply_retry(const parley_gate_t *g);
static int parley_gate_await_reply_query(parley_gate_t *g,
    parley_str_t address);
static int parley_gate_await_reply_ask(parley_gate_t *g, parley_str_t address);
static int parley_gate_await_reply_begin(parley_gate_t *g,
    parley_str_t address);
static int parley_gate_await_reply_request(parley_gate_t *g,
    parley_str_t address, parley_stream_request_t *ret);
static int64_t parley_gate_await_reply_time(const parley_gate_t *g);
static parley_exchange_t *parley_gate_await_reply_exchange(parley_gate_t *g,
    parley_proto_t speak);


int
parley_gate_await_reply(parley_gate_t *g)
{
    int           rc, held;
    parley_str_t  address;

    /* ACH-31: the answers go to another scope */

    if (g->publish.response_scope.len > 0) {
        return 0;
    }

    if (!g->admit.asked.awaited || g->admit.asked.optional
        || (parley_codecs[g->msg->wire]->acknowledges
            && g->msg->alarm == PARLEY_SEVERITY_NONE))
    {
        return 0;
    }

    rc = parley_address_sender(g->who, &address);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err) : 0;
    }

    if (g->msg->wire == PARLEY_PROTO_STREAMS) {
        return parley_gate_await_reply_query(g, address);
    }

    held = 0;

    if (g->conf.s->submit->hold != 0) {

        if (g->env->hold == NULL) {
            return 0;
        }

        held = parley_gate_await_reply_ask(g, address);

        if (held != 0) {
            return held;
        }
    }

    /* the answer also comes to a URL */

    if (parley_gate_await_reply_posts(g, address)) {
        return 0;
    }

    rc = parley_gate_await_listens(g, address);

    if (rc != 0) {
        return rc == 1 ? 0 : rc;
    }

    /* VCP-24: an acknowledgment counts even if the sender does not get it */

    if (parley_gate_severity_escalates(g)) {
        return 0;
    }

    return parley_gate_await_reply_absent(g);
}


/*
 * Returns whether the answer comes to a URL: the sender's, or that of the
 * surface that delivers the message.
 */

static int
parley_gate_await_reply_posts(const parley_gate_t *g, parley_str_t address)
{
    const parley_principal_t  *p;

    if (g->conf.http->deliver_uri.len == 0) {
        return 0;
    }

    p = g->who->principal;

    if (p == NULL || p->deliver.len == 0) {
        p = parley_address_owner(g->conf.http->directory, address);
    }

    return p != NULL && p->deliver.len > 0;
}


/*
 * Refuses a message of a sender without a stream.  The refusal is retryable if
 * the sender may have a stream soon: clients open their streams again after a
 * reload.
 */

static int
parley_gate_await_reply_absent(parley_gate_t *g)
{
    if (g->conf.s->submit->hold != 0) {
        g->report.wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "too many requests are held for an answer, and "
                                "the sender has no open stream for it");
    }

    if (g->conf.http->reads == 0) {
        return parley_error_set(g->err, PARLEY_E_TRANSLATION_UNSUPPORTED, NULL,
                                "its answer could not come back: no request "
                                "is held here, and no stream is configured");
    }

    g->report.wait = parley_gate_await_reply_retry(g);

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "its answer could not come back: the sender has no "
                            "open stream, and no request is held here");
}


/* Returns the longest delay after which clients open their streams again. */

static int64_t
parley_gate_await_reply_retry(const parley_gate_t *g)
{
    unsigned                  i;
    int64_t                   ms;
    const parley_settings_t  *s;

    ms = PARLEY_GATE_NO_ROOM;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        s = g->conf.http->listens[i];

        if (s != NULL && s->stream->retry > ms) {
            ms = s->stream->retry;
        }
    }

    return ms;
}


/*
 * Holds a query that comes by MCP.  Frames are answered by frames, and an MCP
 * caller has no stream for them.
 */

static int
parley_gate_await_reply_query(parley_gate_t *g, parley_str_t address)
{
    int  rc;

    if (g->serve.mcp == NULL
        || g->serve.mcp->verb->does != PARLEY_CHANNEL_DOES_QUERY
        || g->env->hold == NULL)
    {
        return 0;
    }

    rc = parley_gate_await_reply_ask(g, address);

    if (rc != 0) {
        return rc;
    }

    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "too many requests are held for an answer");
}


/*
 * Holds a duplicate of a query again.  The answers are in the sender's log, so
 * this call collects them from the first retained record on.  It takes the
 * session of the first call, which ends that call's collection.
 */

int
parley_gate_await_reply_again(parley_gate_t *g)
{
    int                     rc;
    parley_str_t            address;
    parley_error_t          why;
    parley_asking_t         asking;

    if (g->serve.mcp->verb->does != PARLEY_CHANNEL_DOES_QUERY
        || g->env->hold == NULL
        || parley_address_sender(g->who, &address) != 0)
    {
        return 0;
    }

    g->serve.mcp->again = 1;

    if (g->publish.response_scope.len > 0) {
        return 0;
    }

    parley_gate_message_asking(g, &asking);
    asking.speak = g->msg->wire;

    parley_question_record(&asking, &g->admit.asked.question);

    why = *g->err;
    rc = parley_gate_await_reply_ask(g, address);
    *g->err = why;

    g->publish.holds = rc == 1;

    return rc;
}


/*
 * Holds the request.  Returns 1: held; 0: not possible; PARLEY_WAIT; or -1.  A
 * step that runs again gets the first result, even if the hold has ended since.
 */

static int
parley_gate_await_reply_ask(parley_gate_t *g, parley_str_t address)
{
    int  rc;

    if (g->publish.hold_known) {
        return g->publish.hold_begun;
    }

    rc = parley_gate_await_reply_begin(g, address);

    if (rc >= 0) {
        g->publish.hold_known = 1;
        g->publish.hold_begun = rc == 1;
    }

    return rc;
}


static int
parley_gate_await_reply_begin(parley_gate_t *g, parley_str_t address)
{
    parley_stream_request_t  *o;

    if (g->publish.held != NULL) {
        return g->env->hold(g, g->publish.held);
    }

    o = parley_arena_calloc(g->arena, sizeof(parley_stream_request_t));

    if (o == NULL || parley_gate_await_reply_request(g, address, o) != 0
        || parley_gate_call(g, o) != 0)
    {
        return parley_error_memory(g->err);
    }

    g->publish.held = o;

    return g->serve.mcp != NULL ? parley_gate_collect_may(g, o)
                                : g->env->hold(g, o);
}


static int
parley_gate_await_reply_request(parley_gate_t *g, parley_str_t address,
    parley_stream_request_t *ret)
{
    uint8_t                *name;
    parley_subscription_t  *s;

    name = parley_arena_octets(g->arena, 1 + PARLEY_PUBLICATION_QUESTION);

    if (name == NULL) {
        return -1;
    }

    name[0] = PARLEY_SELECTOR_HELD;
    parley_publication_question(&g->admit.asked.question, &name[1]);

    s = &ret->subscription;

    parley_gate_rules_reader(g, &ret->reader);
    ret->rules = &ret->reader;
    ret->address = address;
    ret->session = parley_str_make(name, 1 + PARLEY_PUBLICATION_QUESTION);

    memcpy(ret->account, g->proof.account, PARLEY_KEY_LEN);
    parley_expand_log(g->ask.state, address, ret->log);

    s->log = ret->log;
    s->account = ret->account;
    s->stream = &parley_gate_held_stream;
    s->session = ret->session;
    s->card = PARLEY_STR("{}");

    if (g->serve.mcp != NULL && g->serve.mcp->again) {
        s->from.epoch = PARLEY_AWAIT_BEFORE;
    }

    /*
     * The hub writes collected events itself.  It calls a reader only if there
     * are rules.
     */

    if (g->serve.mcp == NULL || parley_gate_rules_denies(g)) {
        s->reader = parley_str_make(&ret->rules, sizeof(ret->rules));
    }

    ret->hold = parley_gate_await_reply_time(g);

    return parley_selector_text(g->arena,
                                g->serve.mcp != NULL ? PARLEY_PROTO_VERBS
                                                     : PARLEY_PROTO_NONE,
                                ret->session, parley_str_none, &s->selector);
}


/*
 * Returns the time of the hold in ms.  The hold ends after hold=, at the
 * deadline, or when the caller's proof expires: the earliest counts.  The
 * report that a task timed out is published after the deadline, so the hold
 * lasts a little longer.
 */

static int64_t
parley_gate_await_reply_time(const parley_gate_t *g)
{
    int64_t  ms, deadline, expires;

    ms = g->conf.s->submit->hold;
    deadline = parley_gate_message_deadline(g);
    expires = parley_gate_message_expires(g);

    if (deadline > 0 && parley_gate_publish_times_out(g)) {
        deadline += PARLEY_AWAIT_TELLS;
    }

    if (deadline > 0 && deadline < ms) {
        ms = deadline;
    }

    if (expires != INT64_MAX && expires - g->in.now_ms < ms) {
        ms = expires - g->in.now_ms;
    }

    return ms < 1 ? 1 : ms;
}


int
parley_gate_await_listens(parley_gate_t *g, parley_str_t address)
{
    int                   i, rc;
    uint32_t              at;
    parley_str_t          session;
    parley_roster_page_t  page;

    at = 0;

    do {
        rc = parley_gate_publish_roster(g, address, PARLEY_AWAIT_PAGE, &at,
                                        &page);

        if (rc != 0) {
            return rc;
        }

        for (i = 0; i < page.n; i++) {
            session = page.list[i].session;

            /* skips held requests, and readers that listen by a rule */

            if (!parley_selector_is_held(session)
                && parley_str_until(session, '/').len == session.len)
            {
                return 1;
            }
        }

    } while (at != 0);

    return 0;
}


int
parley_gate_await_held(parley_gate_t *g, const parley_publication_t *p,
    parley_reply_t *ret, parley_error_t *err)
{
    parley_loss_t       loss;
    parley_answered_t   answered;
    parley_response_t   response;
    parley_exchange_t  *x;

    memset(&response, 0, sizeof(parley_response_t));

    response.status = 200;
    response.published = 1;
    x = parley_gate_await_reply_exchange(g, p->proto);

    if (x == NULL || parley_arena_str(g->arena, p->message, &response.body)
                     != 0)
    {
        return parley_error_memory(err);
    }

    /* this gateway itself wrote the report of a timeout */

    if (p->sender.len == 0) {
        x->bond.gateway = g->conf.self[p->proto];
    }

    parley_error_clear(err);
    parley_loss_init(&loss, g->arena);

    if (parley_exchange_answer(x, g->arena, &response, g->env->now(g),
                               &answered, &loss, err)
        != 0)
    {
        return -1;
    }

    parley_loss_keep(g->loss, &loss);

    *ret = answered.reply;

    if (answered.copied) {
        ret->content_type = parley_codecs[g->msg->wire]->binding->media_type;
    }

    return 0;
}


/*
 * Makes the exchange for an answer in the protocol "speak".  It needs the form
 * of the message that the answering party got.  In the asker's own protocol
 * that form is the message as it was accepted.
 */

static parley_exchange_t *
parley_gate_await_reply_exchange(parley_gate_t *g, parley_proto_t speak)
{
    parley_encoded_t  *sent;

    if (speak == g->conf.gate->speak) {
        return parley_gate_message_exchange(g, speak, &g->out.sent);
    }

    sent = parley_arena_calloc(g->arena, sizeof(parley_encoded_t));

    if (sent == NULL) {
        return NULL;
    }

    if (speak != g->msg->wire) {
        return parley_gate_publish_form(g, speak, sent) == 0
               ? parley_gate_message_exchange(g, speak, sent) : NULL;
    }

    sent->copied = 1;
    sent->id = g->msg->id;
    sent->corr = g->msg->corr;
    sent->approval = g->out.sent.approval;
    sent->answerable = 1;

    return parley_gate_message_exchange(g, speak, sent);
}
