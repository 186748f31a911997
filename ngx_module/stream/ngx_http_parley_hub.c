
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The hub of a worker: its clock, its turns, and its wake-ups by other
 * workers.  The event loop calls the hub; the hub's callbacks do not.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/host/parley_host.h"
#include "gate/publish/parley_gate_admits.h"


#define NGX_HTTP_PARLEY_HUB_TICK    1000    /* ms */

/* maximum number of subscribers, and of octets, written in one turn before
   other events of the worker */
#define NGX_HTTP_PARLEY_HUB_BUDGET  256
#define NGX_HTTP_PARLEY_HUB_OCTETS  (2 * 1024 * 1024)

/* seconds within which an exiting worker ends all streams, or half of
   worker_shutdown_timeout if that is less */
#define NGX_HTTP_PARLEY_HUB_DRAIN   5


/* milliseconds of Retry-After for a principal with too many connections */
#define NGX_HTTP_PARLEY_HUB_BUSY    5000


_Static_assert((int) PARLEY_L_ENDED_COUNT == PARLEY_ENDS
               && (int) PARLEY_L_ENDED_LEAVING == PARLEY_END_LEAVING,
               "the labels are those of parley_end_t");


static void ngx_http_parley_hub_event(ngx_http_parley_hub_t *h,
    ngx_event_t *ev, ngx_event_handler_pt handler, ngx_log_t *log);
static ngx_int_t ngx_http_parley_hub_prove(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub);
static void ngx_http_parley_hub_holds(ngx_http_parley_hub_t *h);
static int64_t ngx_http_parley_hub_write(void *ctx, parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_hub_end(void *ctx, parley_subscriber_t *s,
    parley_end_t why);
static void ngx_http_parley_hub_wake_handler(ngx_event_t *ev);
static void ngx_http_parley_hub_woken_handler(ngx_event_t *ev);
static void ngx_http_parley_hub_turn_handler(ngx_event_t *ev);
static void ngx_http_parley_hub_tick_handler(ngx_event_t *ev);
static void ngx_http_parley_hub_drain(ngx_http_parley_hub_t *h);
static void ngx_http_parley_hub_drain_held(ngx_http_parley_hub_t *h,
    ngx_msec_t left);
static void ngx_http_parley_hub_cancelled(void *ctx,
    const parley_publication_t *p);
static void ngx_http_parley_hub_count(ngx_http_parley_hub_t *h);
static void ngx_http_parley_hub_turns(void *ctx);
static uint32_t ngx_http_parley_hub_now(void *ctx);
static uint32_t ngx_http_parley_hub_random(void *ctx);
static int ngx_http_parley_hub_encode(void *ctx,
    const parley_publication_t *p, parley_proto_t to, parley_arena_t *arena,
    parley_str_t *ret);
static void ngx_http_parley_hub_replaced(void *ctx, const parley_join_t *j,
    uint64_t stamp);
static int ngx_http_parley_hub_view(void *ctx,
    const parley_publication_t *p, const parley_stream_t *stream,
    parley_str_t reader, parley_arena_t *arena, parley_str_t *ret);
static int ngx_http_parley_hub_admits(void *ctx,
    const parley_stream_t *stream, parley_str_t reader,
    const parley_publication_t *p);


ngx_int_t
ngx_http_parley_hub_init(ngx_cycle_t *cycle, ngx_http_parley_worker_t *worker,
    ngx_http_parley_hub_jobs_pt jobs)
{
    parley_hub_env_t                    env;
    ngx_http_parley_hub_t              *h;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    if (!mcf->http.publishes) {
        return NGX_OK;
    }

    h = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_hub_t));

    if (h == NULL) {
        return NGX_ERROR;
    }

    h->worker = worker;
    h->jobs = jobs;
    h->deliver.engine = mcf->engine;
    h->deliver.http = &mcf->http;
    h->deliver.seed = mcf->zone->sh->seed;
    h->deliver.state = mcf->zone->state;

    ngx_queue_init(&h->open);

    ngx_http_parley_hub_event(h, &h->woken, ngx_http_parley_hub_woken_handler,
                              cycle->log);
    ngx_http_parley_hub_event(h, &h->turn, ngx_http_parley_hub_turn_handler,
                              cycle->log);
    ngx_http_parley_hub_event(h, &h->tick, ngx_http_parley_hub_tick_handler,
                              cycle->log);

    ngx_memzero(&env, sizeof(parley_hub_env_t));

    env.mem = parley_mem_libc;
    env.write = ngx_http_parley_hub_write;
    env.end = ngx_http_parley_hub_end;
    env.encode = ngx_http_parley_hub_encode;
    env.view = ngx_http_parley_hub_view;
    env.admits = ngx_http_parley_hub_admits;
    env.cancelled = ngx_http_parley_hub_cancelled;
    env.wake = ngx_http_parley_hub_wakes;
    env.turn = ngx_http_parley_hub_turns;
    env.now = ngx_http_parley_hub_now;
    env.random = ngx_http_parley_hub_random;
    env.ctx = h;

    if (mcf->http.retain != 0) {
        parley_render_retention(&mcf->http, &env.retention);
    }

    h->hub = parley_hub_create(mcf->zone->state, &env);

    if (h->hub == NULL) {
        return NGX_ERROR;
    }

    h->wake = ngx_http_parley_wake_open(cycle, worker,
                                        ngx_http_parley_hub_wake_handler, h);
    if (h->wake == NULL) {
        ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                      "parley: worker cannot be woken: publications of other "
                      "workers are delayed by up to a second");
    }

    /* nginx marks idle connections when the worker must exit */

    if (h->wake) {
        h->wake->idle = 1;
    }

    h->tick.cancelable = 1;
    ngx_add_timer(&h->tick, NGX_HTTP_PARLEY_HUB_TICK);

    worker->hub = h;
    worker->appended = ngx_http_parley_hub_wakes;
    worker->replaced = ngx_http_parley_hub_replaced;

    return NGX_OK;
}


static void
ngx_http_parley_hub_event(ngx_http_parley_hub_t *h, ngx_event_t *ev,
    ngx_event_handler_pt handler, ngx_log_t *log)
{
    ev->handler = handler;
    ev->data = h;
    ev->log = log;
}


void
ngx_http_parley_hub_exit(ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_hub_t  *h;

    h = worker->hub;

    if (h == NULL) {
        return;
    }

    worker->hub = NULL;
    worker->appended = NULL;
    worker->replaced = NULL;

    parley_hub_free(h->hub);

    if (h->wake) {
        ngx_http_parley_wake_close(h->wake);
    }
}


ngx_int_t
ngx_http_parley_hub_open(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub, const parley_stream_request_t *opening)
{
    ngx_http_parley_hub_t  *h;

    h = ctx->worker->hub;
    sub->ctx = ctx;

    if (h == NULL) {
        return NGX_ERROR;
    }

    sub->hub = h;

    switch (ngx_http_parley_seat_take(h->worker, opening->account)) {

    case PARLEY_SEAT_REFUSED:
        return NGX_BUSY;

    case PARLEY_SEAT_TAKEN:
        ngx_memcpy(sub->account, opening->account, PARLEY_KEY_LEN);
        sub->seated = 1;
        break;

    default: /* PARLEY_SEAT_UNCOUNTED */
        break;
    }

    if (ngx_http_parley_hub_prove(ctx, sub) != NGX_OK) {
        return NGX_ERROR;
    }

    sub->joined = 1;

    if (parley_hub_subscribe(h->hub, &sub->s, &opening->subscription) != 0) {
        sub->joined = 0;
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_hub_keep(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub)
{
    sub->hub = ctx->worker->hub;

    if (sub->hub == NULL || ngx_http_parley_hub_prove(ctx, sub) != NGX_OK) {
        return NGX_ERROR;
    }

    sub->kept = 1;

    return NGX_OK;
}


/* Copies the proof, and lists sub for its revocation. */

static ngx_int_t
ngx_http_parley_hub_prove(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub)
{
    parley_bearer_t  bearer;

    if (parley_gate_revocation_bearer(&ctx->gate, &bearer) != 0) {
        return NGX_ERROR;
    }

    sub->bearer = parley_bearer_copy(&parley_mem_libc, &bearer);

    if (sub->bearer == NULL) {
        return NGX_ERROR;
    }

    ngx_queue_insert_tail(&sub->hub->open, &sub->queue);
    ngx_http_parley_hub_holds(sub->hub);

    return NGX_OK;
}


void
ngx_http_parley_hub_close(ngx_http_parley_subscriber_t *sub)
{
    if (sub->joined && sub->hub->worker->hub) {
        sub->joined = 0;
        parley_hub_unsubscribe(sub->hub->hub, &sub->s);
    }

    if (sub->queue.next) {
        ngx_queue_remove(&sub->queue);
        sub->queue.next = NULL;
        ngx_http_parley_hub_holds(sub->hub);
    }

    if (sub->seated) {
        sub->seated = 0;
        ngx_http_parley_seat_give(sub->hub->worker, sub->account);
    }

    if (sub->bearer) {
        parley_mem_libc.free(parley_mem_libc.ctx, sub->bearer);
        sub->bearer = NULL;
    }
}


int
ngx_http_parley_hub_seat(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    if (ctx->seated) {
        return 0;
    }

    switch (ngx_http_parley_seat_take(ctx->worker, g->proof.account)) {

    case PARLEY_SEAT_REFUSED:
        ngx_http_parley_hub_busy(ctx);
        return -1;

    case PARLEY_SEAT_TAKEN:
        ctx->seated = 1;
        return 0;

    default: /* PARLEY_SEAT_UNCOUNTED */
        return 0;
    }
}


void
ngx_http_parley_hub_busy(ngx_http_parley_ctx_t *ctx)
{
    parley_gate_t  *g;

    g = &ctx->gate;

    g->report.wait = NGX_HTTP_PARLEY_HUB_BUSY;

    parley_count(ctx->worker->slot,
                 PARLEY_M_SUBSCRIPTIONS_ENDED + PARLEY_END_LIMIT, 1);

    (void) parley_error_set(g->err, PARLEY_E_RATE_LIMITED, NULL,
                            "this principal has too many streams, WebSockets "
                            "and waiting requests open");
}


/*
 * Heartbeats leave octets unacknowledged if a client has vanished.  Sockets
 * other than TCP do not have the option.
 */

void
ngx_http_parley_hub_watch(ngx_connection_t *c, const parley_stream_t *stream)
{
#ifdef TCP_USER_TIMEOUT
    unsigned int  ms;

    ms = stream->timeout * 1000;

    if (ms != 0
        && setsockopt(c->fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
                      (const void *) &ms, sizeof(ms))
           == -1)
    {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, c->log, ngx_socket_errno,
                       "parley: setsockopt(TCP_USER_TIMEOUT)");
    }
#endif
}


/*
 * Keeps the tick running while there are subscribers: an exiting worker waits
 * for it, and it ends the streams.  Without subscribers the tick has stopped,
 * but a running request may still open a stream.
 */

static void
ngx_http_parley_hub_holds(ngx_http_parley_hub_t *h)
{
    h->tick.cancelable = ngx_queue_empty(&h->open) ? 1 : 0;

    if (!h->tick.cancelable && !h->tick.timer_set) {
        ngx_add_timer(&h->tick, NGX_HTTP_PARLEY_HUB_TICK);
    }
}


void
ngx_http_parley_hub_dismiss(ngx_http_parley_hub_t *h,
    ngx_http_parley_subscriber_t *sub)
{
    if (sub->joined) {
        parley_hub_unsubscribe(h->hub, &sub->s);
        ngx_http_parley_hub_end(h, &sub->s, PARLEY_END_LEAVING);
    }
}


void
ngx_http_parley_hub_revoke(ngx_http_parley_hub_t *h)
{
    ngx_queue_t                   *q, *next;
    parley_error_t                 err;
    ngx_http_parley_subscriber_t  *sub;

    for (q = ngx_queue_head(&h->open);
         q != ngx_queue_sentinel(&h->open);
         q = next)
    {
        next = ngx_queue_next(q);
        sub = ngx_queue_data(q, ngx_http_parley_subscriber_t, queue);

        if ((sub->joined || sub->kept)
            && parley_bearer_revoked(&h->worker->mcf->http, sub->bearer, &err)
               != 0)
        {
            if (sub->joined) {
                parley_hub_unsubscribe(h->hub, &sub->s);
            }

            sub->kept = 0;
            ngx_http_parley_hub_end(h, &sub->s, PARLEY_END_EXPIRED);
        }
    }
}


static int64_t
ngx_http_parley_hub_write(void *ctx, parley_subscriber_t *s,
    parley_str_t octets)
{
    ngx_http_parley_subscriber_t *sub = (ngx_http_parley_subscriber_t *) s;

    return sub->transport->write(s, octets);
}


static void
ngx_http_parley_hub_end(void *ctx, parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_subscriber_t *sub = (ngx_http_parley_subscriber_t *) s;

    sub->joined = 0;
    sub->transport->end(s, why);
}


static void
ngx_http_parley_hub_wake_handler(ngx_event_t *ev)
{
    ngx_connection_t       *c;
    ngx_http_parley_hub_t  *h;

    c = ev->data;
    h = c->data;

    /* waiting for the next tick would use too much of the remaining time */

    if (c->close && c->idle) {
        c->idle = 0;
        ngx_post_event(&h->tick, &ngx_posted_next_events);
        h->jobs(h->worker);
        return;
    }

    ngx_http_parley_wake_taken(h->worker, c);
    parley_hub_wake(h->hub);
    h->jobs(h->worker);
}


static void
ngx_http_parley_hub_woken_handler(ngx_event_t *ev)
{
    ngx_http_parley_hub_t  *h = ev->data;

    parley_hub_wake(h->hub);
    h->jobs(h->worker);
}


static void
ngx_http_parley_hub_turn_handler(ngx_event_t *ev)
{
    ngx_http_parley_hub_t  *h = ev->data;

    parley_hub_turn(h->hub, NGX_HTTP_PARLEY_HUB_BUDGET,
                    NGX_HTTP_PARLEY_HUB_OCTETS);
}


static void
ngx_http_parley_hub_tick_handler(ngx_event_t *ev)
{
    ngx_http_parley_hub_t  *h = ev->data;

    if (ngx_exiting) {
        ngx_http_parley_hub_drain(h);
    }

    /* in case the waking process ended before its write */

    ngx_http_parley_wake_taken(h->worker, h->wake);

    parley_hub_tick(h->hub);
    ngx_http_parley_hub_count(h);

    if (!ngx_exiting || !ngx_queue_empty(&h->open)) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_HUB_TICK);
    }
}


/* Ends streams of an exiting worker (HUB-05): their clients reconnect to its
   successor. */

static void
ngx_http_parley_hub_drain(ngx_http_parley_hub_t *h)
{
    uint32_t          seconds;
    ngx_core_conf_t  *ccf;

    ccf = (ngx_core_conf_t *) ngx_get_conf(ngx_cycle->conf_ctx,
                                           ngx_core_module);

    seconds = NGX_HTTP_PARLEY_HUB_DRAIN;

    if (ccf->shutdown_timeout
        && ccf->shutdown_timeout / 2000 < NGX_HTTP_PARLEY_HUB_DRAIN)
    {
        seconds = (uint32_t) (ccf->shutdown_timeout / 2000);
    }

    if (ccf->shutdown_timeout) {
        ngx_http_parley_hub_drain_held(h, ccf->shutdown_timeout / 2);
    }

    parley_hub_drain(h->hub, seconds);
}


/* Shortens the hold of requests, which worker_shutdown_timeout would cut. */

static void
ngx_http_parley_hub_drain_held(ngx_http_parley_hub_t *h, ngx_msec_t left)
{
    ngx_queue_t                   *q;
    ngx_http_parley_subscriber_t  *sub;

    for (q = ngx_queue_head(&h->open);
         q != ngx_queue_sentinel(&h->open);
         q = ngx_queue_next(q))
    {
        sub = ngx_queue_data(q, ngx_http_parley_subscriber_t, queue);

        if (sub->transport->drain) {
            sub->transport->drain(&sub->s, left);
        }
    }
}


static void
ngx_http_parley_hub_cancelled(void *ctx, const parley_publication_t *p)
{
    ngx_http_parley_hub_t *h = ctx;

    ngx_queue_t                   *q;
    ngx_http_parley_subscriber_t  *sub;

    for (q = ngx_queue_head(&h->open);
         q != ngx_queue_sentinel(&h->open);
         q = ngx_queue_next(q))
    {
        sub = ngx_queue_data(q, ngx_http_parley_subscriber_t, queue);

        if (sub->transport->cancelled) {
            sub->transport->cancelled(&sub->s, p);
        }
    }
}


/* Adds the statistics of the hub to the worker's counters. */

static void
ngx_http_parley_hub_count(ngx_http_parley_hub_t *h)
{
    unsigned            i;
    parley_slot_t      *slot;
    parley_hub_stat_t   now;

    slot = h->worker->slot;

    parley_hub_stat(h->hub, &now);

    parley_count_level(slot, PARLEY_M_SUBSCRIBERS,
                       now.subscribers - ngx_min(h->held, now.subscribers));
    parley_count_level(slot, PARLEY_M_HELD, h->held);
    parley_count_level(slot, PARLEY_M_SUBSCRIBERS_BEHIND, now.behind);
    parley_count_level(slot, PARLEY_M_SUBSCRIBED, now.channels);
    parley_count_level(slot, PARLEY_M_HUB_BUFFERED, now.buffered);

    parley_count(slot, PARLEY_M_DELIVERED,
                 now.delivered - h->before.delivered);

    for (i = 0; i < PARLEY_L_ENDED_COUNT; i++) {
        parley_count(slot, PARLEY_M_SUBSCRIPTIONS_ENDED + i,
                     now.ended[i] - h->before.ended[i]);
    }

    h->before = now;
}


static void
ngx_http_parley_hub_replaced(void *ctx, const parley_join_t *j, uint64_t stamp)
{
    ngx_http_parley_hub_t  *h = ctx;

    parley_hub_replaced(h->hub, j, stamp);
}


/* Wakes the other workers, and this one after the hub has returned. */

void
ngx_http_parley_hub_wakes(void *ctx)
{
    ngx_http_parley_hub_t  *h = ctx;

    ngx_http_parley_wake_others(h->worker);

    ngx_post_event(&h->woken, &ngx_posted_events);
}


/*
 * Posts a turn after all other events.  Pipelined requests of a connection are
 * processed in one turn, and their publications are sent in one write.
 */

static void
ngx_http_parley_hub_turns(void *ctx)
{
    ngx_http_parley_hub_t  *h = ctx;

    ngx_post_event(&h->turn, &ngx_posted_next_events);
}


static uint32_t
ngx_http_parley_hub_now(void *ctx)
{
    return (uint32_t) (ngx_current_msec / 1000);
}


static uint32_t
ngx_http_parley_hub_random(void *ctx)
{
    return (uint32_t) ngx_random();
}


static int
ngx_http_parley_hub_encode(void *ctx, const parley_publication_t *p,
    parley_proto_t to, parley_arena_t *arena, parley_str_t *ret)
{
    int                     rc;
    parley_loss_t           loss;
    parley_error_t          err;
    ngx_http_parley_hub_t  *h = ctx;

    rc = parley_deliver(&h->deliver, p, to, arena, ret, &loss, &err);

    if (rc == 0) {
        ngx_http_parley_log_losses(h->worker, p, to, &loss);
    }

    if (rc == 1) {
        parley_count(h->worker->slot, PARLEY_M_PASSED_OVER + (unsigned) to, 1);
        ngx_http_parley_log_passed_over(h->worker, p->proto, to, &err);
    }

    return rc;
}


/* Writes an event of chat, or a message of another protocol, for the owner of
   the mailbox that is read. */

static int
ngx_http_parley_hub_view(void *ctx, const parley_publication_t *p,
    const parley_stream_t *stream, parley_str_t reader, parley_arena_t *arena,
    parley_str_t *ret)
{
    int                     rc;
    parley_str_t            text;
    const parley_reader_t  *r;
    ngx_http_parley_hub_t  *h = ctx;

    if (reader.len == 0) {
        return 1;
    }

    ngx_memcpy(&r, reader.data, sizeof(r));

    if (p->views.len == 0) {
        rc = ngx_http_parley_hub_encode(ctx, p, stream->proto, arena, &text);

        if (rc == 0) {
            rc = parley_host_view_other(&h->deliver, p, text, r, stream->proto,
                                        ngx_http_parley_now(), arena, ret);
        }

    } else {
        rc = parley_host_view(&h->deliver, p, r, stream->proto,
                              ngx_http_parley_now(), arena, ret);
    }

    if (rc == 0 && r->mailbox && p->id.len > 0) {
        parley_count(h->worker->slot,
                     parley_cell_offer(PARLEY_L_PATH_STREAM,
                                       PARLEY_L_OFFER_SENT), 1);
    }

    return rc;
}


/* Returns whether a reader may have a publication.  A reader is the address of
   the parley_reader_t of its stream, or empty. */

static int
ngx_http_parley_hub_admits(void *ctx, const parley_stream_t *stream,
    parley_str_t reader, const parley_publication_t *p)
{
    const parley_reader_t        *r;
    const ngx_http_parley_ctx_t  *reading;
    ngx_http_parley_hub_t        *h = ctx;

    if (reader.len == 0) {
        return 1;
    }

    ngx_memcpy(&r, reader.data, sizeof(r));

    reading = r->ctx;

    if (reading->held && reading->held->transport->take) {
        reading->held->transport->take(&reading->held->s, p);
        return 0;
    }

    /* a view is only written for the owner of the mailbox, or for a reader of
       the conversation */

    return p->views.len > 0
           ? r->mailbox != NULL || r->conversation != NULL
           : !r->ruled || parley_gate_readers_admit(&h->deliver, r, p);
}
