
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A request that is held for an answer (HUB-07).  The recipient got the
 * message by a stream and publishes the answer.  The held request is a
 * subscriber without output.  The hub must not be called from its own
 * callbacks, and a phase calls it.  Therefore callbacks only set flags, and an
 * event processes them later.
 *
 * A call of MCP is also held until its time is over (ACH-27): the gate
 * collects the output of the hub.  A call of chat that waits for an event runs
 * again after it, or when its time is over.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/host/parley_host.h"


/* maximum for one principal in one worker */
#define NGX_HTTP_PARLEY_AWAIT_OWN    16

/* held requests use at most this fraction of a worker's connections */
#define NGX_HTTP_PARLEY_AWAIT_PART   4


typedef struct {
    ngx_http_parley_subscriber_t    sub;    /* must be first: callbacks cast
                                               it */
    ngx_http_request_t             *request;
    const uint8_t                  *account;
    const parley_stream_request_t  *opening;
    ngx_event_t                     turn;   /* posted to process the flags */
    ngx_event_t                     time;   /* limit of the hold */
    parley_reply_t                  reply;  /* the answer, if answered */

    unsigned                        open:1; /* publications now arrive */
    unsigned                        answered:1; /* the answer has arrived */
    unsigned                        over:1; /* no answer can arrive */
    unsigned                        counted:1; /* in hub->held */
    unsigned                        waits:1; /* its phase waits for open */
    unsigned                        rests:1; /* waits for answered or over */
    unsigned                        busy:1; /* its principal has too many
                                               connections */
    unsigned                        leaves:1;   /* its time was cut, because
                                                   the worker exits */
} ngx_http_parley_held_t;


static ngx_http_parley_held_t *ngx_http_parley_await_make(
    ngx_http_parley_ctx_t *ctx, const parley_stream_request_t *opening);
static ngx_uint_t ngx_http_parley_await_has_room(ngx_http_parley_hub_t *h,
    const uint8_t *account);
static ngx_http_parley_held_t *ngx_http_parley_await_of(ngx_queue_t *q);
static int64_t ngx_http_parley_await_write(parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_await_end(parley_subscriber_t *s,
    parley_end_t why);
static void ngx_http_parley_await_take(parley_subscriber_t *s,
    const parley_publication_t *p);
static void ngx_http_parley_await_cancelled(parley_subscriber_t *s,
    const parley_publication_t *p);
static void ngx_http_parley_await_drain(parley_subscriber_t *s,
    ngx_msec_t left);
static int64_t ngx_http_parley_await_collect(parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_await_event(parley_subscriber_t *s,
    const parley_publication_t *p);
static void ngx_http_parley_await_timeout(ngx_event_t *ev);
static void ngx_http_parley_await_turn(ngx_event_t *ev);
static ngx_int_t ngx_http_parley_await_respond(ngx_http_parley_held_t *held);
static void ngx_http_parley_await_release(ngx_http_parley_held_t *held);
static void ngx_http_parley_await_cleanup(void *data);


static const ngx_http_parley_transport_t  ngx_http_parley_await_transport = {
    ngx_http_parley_await_write,
    ngx_http_parley_await_end,
    ngx_http_parley_await_take,
    ngx_http_parley_await_cancelled,
    ngx_http_parley_await_drain
};


static const ngx_http_parley_transport_t
    ngx_http_parley_collect_transport =
{
    ngx_http_parley_await_collect,
    ngx_http_parley_await_end,
    NULL,
    ngx_http_parley_await_cancelled,
    ngx_http_parley_await_drain
};


static const ngx_http_parley_transport_t  ngx_http_parley_wakes_transport = {
    ngx_http_parley_await_write,
    ngx_http_parley_await_end,
    ngx_http_parley_await_event,
    ngx_http_parley_await_cancelled,
    ngx_http_parley_await_drain
};


int
ngx_http_parley_await(parley_gate_t *g, const parley_stream_request_t *opening)
{
    ngx_http_parley_ctx_t   *ctx = g->ctx;

    ngx_http_parley_held_t  *held;

    held = (ngx_http_parley_held_t *) ctx->held;

    if (held == NULL) {
        held = ngx_http_parley_await_make(ctx, opening);
    }

    if (held && held->answered) {
        return 1;
    }

    if (held && held->busy) {
        ngx_http_parley_hub_busy(ctx);
        return -1;
    }

    if (held == NULL || held->over) {
        return 0;
    }

    if (held->open && !opening->wakes) {
        return 1;
    }

    if (!held->waits
        && ngx_http_parley_wait_watch(ctx->request) != NGX_OK)
    {
        return 0;
    }

    held->waits = 1;

    return PARLEY_WAIT;
}


static ngx_http_parley_held_t *
ngx_http_parley_await_make(ngx_http_parley_ctx_t *ctx,
    const parley_stream_request_t *opening)
{
    ngx_pool_cleanup_t      *cln;
    ngx_http_parley_hub_t   *h;
    ngx_http_parley_held_t  *held;

    h = ctx->worker->hub;

    if (h == NULL || ngx_exiting
        || !ngx_http_parley_await_has_room(h, opening->account))
    {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(ctx->request->pool,
                               sizeof(ngx_http_parley_held_t));
    if (cln == NULL) {
        return NULL;
    }

    held = cln->data;
    ngx_memzero(held, sizeof(ngx_http_parley_held_t));

    held->sub.transport = opening->wakes ? &ngx_http_parley_wakes_transport
                          : opening->collects
                          ? &ngx_http_parley_collect_transport
                          : &ngx_http_parley_await_transport;
    held->request = ctx->request;
    held->account = opening->account;
    held->opening = opening;

    held->turn.handler = ngx_http_parley_await_turn;
    held->turn.data = held;
    held->turn.log = ctx->request->connection->log;

    held->time.handler = ngx_http_parley_await_timeout;
    held->time.data = held;
    held->time.log = held->turn.log;

    cln->handler = ngx_http_parley_await_cleanup;

    ngx_add_timer(&held->time, (ngx_msec_t) opening->hold);

    ctx->held = &held->sub;
    ctx->held_answer = ngx_http_parley_await_answer;
    held->sub.hub = h;
    held->counted = 1;
    h->held++;

    switch (ngx_http_parley_hub_open(ctx, &held->sub, opening)) {

    case NGX_OK:
        break;

    case NGX_BUSY:
        held->busy = 1;
        break;

    default:
        held->over = 1;
    }

    return held;
}


static ngx_uint_t
ngx_http_parley_await_has_room(ngx_http_parley_hub_t *h,
    const uint8_t *account)
{
    ngx_uint_t               n;
    ngx_queue_t             *q;
    ngx_http_parley_held_t  *held;

    if (h->held >= ngx_cycle->connection_n / NGX_HTTP_PARLEY_AWAIT_PART) {
        return 0;
    }

    if (h->held < NGX_HTTP_PARLEY_AWAIT_OWN) {
        return 1;
    }

    n = 0;

    for (q = ngx_queue_head(&h->open);
         q != ngx_queue_sentinel(&h->open);
         q = ngx_queue_next(q))
    {
        held = ngx_http_parley_await_of(q);

        if (held && ngx_memcmp(held->account, account, PARLEY_KEY_LEN) == 0
            && ++n == NGX_HTTP_PARLEY_AWAIT_OWN)
        {
            return 0;
        }
    }

    return 1;
}


/* Ends the hold of a cancelled call, which is then answered as at its timeout
   (MCP-06). */

static void
ngx_http_parley_await_cancelled(parley_subscriber_t *s,
    const parley_publication_t *p)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    if (!held->answered && !held->over
        && ngx_memcmp(held->account, p->log, PARLEY_KEY_LEN) == 0
        && parley_str_eq(held->opening->client, p->audience.instrument)
        && parley_str_eq(held->opening->call, p->audience.session))
    {
        held->over = 1;
        ngx_post_event(&held->turn, &ngx_posted_events);
    }
}


/* Returns NULL for a stream or a WebSocket. */

static ngx_http_parley_held_t *
ngx_http_parley_await_of(ngx_queue_t *q)
{
    ngx_http_parley_subscriber_t  *sub;

    sub = ngx_queue_data(q, ngx_http_parley_subscriber_t, queue);

    return sub->transport == &ngx_http_parley_await_transport
           || sub->transport == &ngx_http_parley_collect_transport
           || sub->transport == &ngx_http_parley_wakes_transport
           ? (ngx_http_parley_held_t *) sub : NULL;
}


/* Notes that the subscription has begun. */

static int64_t
ngx_http_parley_await_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    if (!held->open) {
        held->open = 1;
        ngx_post_event(&held->turn, &ngx_posted_events);
    }

    return (int64_t) octets.len;
}


static void
ngx_http_parley_await_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    held->over = 1;
    ngx_post_event(&held->turn, &ngx_posted_events);
}


/* Takes the answer.  If the caller's protocol cannot express it, the
   caller gets it by a stream. */

static void
ngx_http_parley_await_take(parley_subscriber_t *s,
    const parley_publication_t *p)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    u_char          words[PARLEY_TEXT_MAX];
    ngx_str_t       text;
    parley_error_t  err;

    if (held->answered || held->over) {
        return;
    }

    if (parley_gate_await_held(&held->sub.ctx->gate, p, &held->reply, &err)
        == 0) {
        held->answered = 1;

    } else {
        text = ngx_http_parley_log_words(words, err.text);

        ngx_log_error(NGX_LOG_INFO, held->turn.log, 0,
                      "parley: answer for a held request cannot be encoded: "
                      "%V", &text);
        held->over = 1;
    }

    ngx_post_event(&held->turn, &ngx_posted_events);
}


/* Collects everything.  A held call has no connection that could be too
   slow. */

static int64_t
ngx_http_parley_await_collect(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    if (!held->answered
        && parley_gate_collect(&held->sub.ctx->gate, octets))
    {
        held->answered = 1;
        ngx_post_event(&held->turn, &ngx_posted_events);
    }

    return ngx_http_parley_await_write(s, octets);
}


static void
ngx_http_parley_await_event(parley_subscriber_t *s,
    const parley_publication_t *p)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    if (!held->answered && !held->over
        && parley_host_wakes(&held->sub.ctx->gate, p))
    {
        held->answered = 1;
        ngx_post_event(&held->turn, &ngx_posted_events);
    }
}


static void
ngx_http_parley_await_timeout(ngx_event_t *ev)
{
    ngx_http_parley_held_t  *held = ev->data;

    held->over = 1;
    ngx_http_parley_await_turn(&held->turn);
}


static void
ngx_http_parley_await_turn(ngx_event_t *ev)
{
    ngx_int_t                rc;
    ngx_connection_t        *c;
    ngx_http_request_t      *r;
    ngx_http_parley_held_t  *held = ev->data;

    r = held->request;
    c = r->connection;

    ngx_http_set_log_request(c->log, r);

    if (held->waits && (!held->opening->wakes || held->answered || held->over))
    {
        held->waits = 0;
        ngx_http_parley_wait_again(r);

    } else if (held->rests && (held->answered || held->over)) {
        held->rests = 0;
        rc = ngx_http_parley_await_respond(held);

        if (rc != NGX_DONE) {
            ngx_http_finalize_request(r, rc);
        }
    }

    ngx_http_run_posted_requests(c);
}


/*
 * Shortens the hold if worker_shutdown_timeout would cut it.  Otherwise a held
 * request outlives a reload until its own time is over.
 */

static void
ngx_http_parley_await_drain(parley_subscriber_t *s, ngx_msec_t left)
{
    ngx_http_parley_held_t *held = (ngx_http_parley_held_t *) s;

    if (!held->leaves && held->time.timer_set
        && (ngx_msec_int_t) (held->time.timer.key - ngx_current_msec - left)
           > 0)
    {
        held->leaves = 1;
        ngx_add_timer(&held->time, left);
    }
}


void
ngx_http_parley_await_leave(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->held) {
        ngx_http_parley_await_release((ngx_http_parley_held_t *) ctx->held);
    }
}


ngx_int_t
ngx_http_parley_await_answer(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_held_t  *held;

    held = (ngx_http_parley_held_t *) ctx->held;

    if (held->answered || held->over) {
        return ngx_http_parley_await_respond(held);
    }

    held->rests = 1;

    return ngx_http_parley_wait_watch(r) == NGX_OK
           ? NGX_DONE : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_int_t
ngx_http_parley_await_respond(ngx_http_parley_held_t *held)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = held->sub.ctx;

    ngx_http_parley_await_release(held);

    if (held->sub.transport == &ngx_http_parley_collect_transport) {

        if (held->leaves && !held->answered
            && parley_gate_collect_none(&ctx->gate) != 0)
        {
            ctx->gate.publish.holds = 0;

            return ngx_http_parley_refuse(held->request, ctx);
        }

        if (parley_gate_collect_reply(&ctx->gate, &held->reply) != 0) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        held->answered = 1;
    }

    return ngx_http_parley_respond(held->request, ctx,
                                   held->answered ? &held->reply
                                                  : &ctx->gate.out.reply);
}


/* Ends the hold; the connection may continue. */

static void
ngx_http_parley_await_release(ngx_http_parley_held_t *held)
{
    if (held->counted) {
        held->counted = 0;
        held->sub.hub->held--;
    }

    if (held->time.timer_set) {
        ngx_del_timer(&held->time);
    }

    ngx_http_parley_hub_close(&held->sub);
}


static void
ngx_http_parley_await_cleanup(void *data)
{
    ngx_http_parley_held_t  *held = data;

    if (held->turn.posted) {
        ngx_delete_posted_event(&held->turn);
    }

    held->sub.ctx->held = NULL;

    ngx_http_parley_await_release(held);
}
