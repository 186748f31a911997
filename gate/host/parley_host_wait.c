/*
 * A call of chat.list_events that waits because its list is empty.  The request
 * is held by a subscription to the log that it lists, which begins before the
 * list was made.  After the first event that fits, or when the time is over,
 * the step runs again and answers with a new list.  So the memory of a waiting
 * call does not grow with the events of its log.
 */

#include <string.h>

#include "core/parley_hex.h"
#include "gate/host/parley_host_list.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_host_conf.h"
#include "hub/parley_selector.h"


struct parley_host_wait_s {
    parley_stream_request_t    opening;     /* must be first:
                                               g->publish.held */
    parley_chat_args_t         args;
    const parley_principal_t  *reader;
    uint8_t                    name[1 + PARLEY_PUBLICATION_QUESTION];
};


/* Nothing is written to this stream, so it is never behind.  It ends if its
   worker is leaving, and the call is answered. */
static const parley_stream_t  parley_host_wait_stream = {
    .proto = PARLEY_PROTO_STREAMS,
    .lag = 1 << 20,
    .keepalive = 60,
    .retry = 1000
};


static int parley_host_wait_may(const parley_host_call_t *c);
static int parley_host_wait_log(parley_host_call_t *c,
    const parley_host_conversation_t *where, parley_host_wait_t *w);
static int parley_host_wait_opening(parley_host_call_t *c,
    parley_host_wait_t *w);
static int64_t parley_host_wait_time(const parley_host_call_t *c);


int
parley_host_wait_from(parley_host_call_t *c,
    const parley_host_conversation_t *where, parley_host_wait_t **ret)
{
    int                  rc;
    parley_place_t       end;
    parley_log_page_t    page;
    parley_host_wait_t  *w;

    *ret = NULL;

    if (!parley_host_wait_may(c)) {
        return 0;
    }

    w = parley_arena_calloc(c->g->arena, sizeof(parley_host_wait_t));

    if (w == NULL || parley_host_wait_log(c, where, w) != 0) {
        return parley_error_memory(c->g->err);
    }

    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(&c->h, w->opening.log, &end, 1, 1, &page);

    if (rc != 0) {
        return rc;
    }

    w->opening.subscription.from.epoch = page.epoch != 0 ? page.epoch
                                                         : PARLEY_HOST_BEFORE;
    w->opening.subscription.from.offset = page.epoch != 0 ? page.last : 0;

    *ret = w;

    return 0;
}


/* Only a request waits, and only once. */

static int
parley_host_wait_may(const parley_host_call_t *c)
{
    return c->call.tool == PARLEY_CHAT_LIST_EVENTS && c->call.answers
           && !c->call.args.sent
           && c->call.args.wait_ms > 0 && c->h.host->wait_ms > 0
           && c->g->env->hold != NULL && c->g->publish.held == NULL;
}


static int
parley_host_wait_log(parley_host_call_t *c,
    const parley_host_conversation_t *where, parley_host_wait_t *w)
{
    parley_gate_t  *g = c->g;

    w->args = c->call.args;
    w->reader = g->who->principal;

    if (where != NULL) {
        parley_host_conversation(g->ask.state, where->source, where->id,
                                 w->opening.log);
        return 0;
    }

    return parley_host_mailbox_log(&c->h, w->reader, w->opening.log) == 0
           ? 0 : -1;
}


int
parley_host_wait(parley_host_call_t *c, parley_host_wait_t *w)
{
    int             rc;
    parley_gate_t  *g = c->g;

    rc = parley_host_wait_opening(c, w);

    if (rc != 0) {
        return rc;
    }

    g->publish.held = &w->opening;
    rc = g->env->hold(g, &w->opening);

    if (rc < 0) {
        return rc;
    }

    g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "too many calls wait for events");
}


/* The name of the session differs from all others, so that no call ends another
   one. */

static int
parley_host_wait_opening(parley_host_call_t *c, parley_host_wait_t *w)
{
    uint8_t                   random[PARLEY_PUBLICATION_QUESTION / 2];
    parley_gate_t            *g;
    parley_subscription_t    *s;
    parley_stream_request_t  *o;

    g = c->g;
    o = &w->opening;
    s = &o->subscription;

    memset(random, 0, sizeof(random));

    if (g->env->random == NULL || g->env->random(g, random) != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the call cannot wait");
    }

    w->name[0] = PARLEY_SELECTOR_HELD;
    (void) parley_hex_write(&w->name[1], random, sizeof(random));

    parley_gate_rules_reader(g, &o->reader);
    memcpy(o->account, g->proof.account, PARLEY_KEY_LEN);

    o->rules = &o->reader;
    o->session = parley_str_make(w->name, sizeof(w->name));
    o->hold = parley_host_wait_time(c);
    o->wakes = 1;

    s->log = o->log;
    s->account = o->account;
    s->stream = &parley_host_wait_stream;
    s->session = o->session;
    s->card = PARLEY_STR("{}");
    s->reader = parley_str_make(&o->rules, sizeof(o->rules));

    return parley_gate_call(g, o) == 0
           && parley_selector_text(g->arena, PARLEY_PROTO_NONE,
                                   PARLEY_STR(PARLEY_SELECTOR_VIEWS),
                                   parley_str_none, &s->selector)
              == 0 ? 0 : parley_error_memory(g->err);
}


/* Returns the time in ms: that of the call, at most "wait", and not beyond the
   proof of the caller. */

static int64_t
parley_host_wait_time(const parley_host_call_t *c)
{
    int64_t  ms, expires;

    ms = c->call.args.wait_ms;
    ms = ms < c->h.host->wait_ms ? ms : c->h.host->wait_ms;

    expires = parley_gate_message_expires(c->g);

    if (expires != INT64_MAX && expires - c->g->in.now_ms < ms) {
        ms = expires - c->g->in.now_ms;
    }

    return ms < 1 ? 1 : ms;
}


int
parley_host_wait_over(parley_host_call_t *c)
{
    int             rc;
    parley_gate_t  *g = c->g;

    if (g->publish.held == NULL) {
        return 0;
    }

    if (!g->publish.hold_known) {
        rc = g->env->hold(g, g->publish.held);

        if (rc < 0) {
            return rc;
        }

        /* the list is made anew: its questions get new answers */

        g->publish.hold_known = 1;
        g->in.now_ms = g->env->now(g);
        parley_ask_next(&g->ask, g->ask.since);
    }

    c->h.now_ms = g->in.now_ms;

    return parley_gate_revocation_is_hit(g);
}


int
parley_host_wakes(const parley_gate_t *g, const parley_publication_t *p)
{
    parley_host_row_t          row;
    parley_host_views_t        views;
    const parley_host_wait_t  *w;
    parley_attention_offer_t   offer;

    w = (const parley_host_wait_t *) g->publish.held;

    if (w->args.placed) {

        /* a removed reader gets the answer of an unknown conversation */

        if (p->views.len > 0 && p->views.data[0] == PARLEY_HOST_REMOVED) {
            return parley_str_eq(parley_str_from(p->views, 1),
                                 w->reader->sub);
        }

        return parley_host_row_read(p, w->reader->sub, 0, &views, &row)
               && parley_host_row_fits(&w->args, p, &views, &row);
    }

    /* to read a message of another protocol would take memory: the new list
       decides */

    if (p->views.len == 0) {
        return p->kind == PARLEY_PUBLICATION_MESSAGE
               && p->ms >= w->args.since_ms
               && (w->args.id.len == 0 || parley_str_eq(w->args.id, p->id));
    }

    if (!parley_host_views_find(p->views, w->reader->sub, &views, &row)) {
        return 0;
    }

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = p->ms;

    parley_attention_again(&offer, p->ms, views.deadline_ms, &row.verdict);

    return parley_host_row_fits(&w->args, p, &views, &row);
}
