
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Logs of opaque tracks (gate/publish/parley_gate_track.h).  To join a log is
 * an inner GET of the location with parley_moq, which takes the steps of a
 * stream, and then stays open as a subscriber of the hub.
 *
 * The callbacks of the link must not call the link, and those of the hub must
 * not call the hub.  They leave that to moq->turn.
 */


#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/publish/parley_gate_track.h"
#include "gate/settings/parley_moq_conf.h"
#include "hub/parley_hub_object.h"


#if (NGX_HTTP_V3)

#define NGX_HTTP_PARLEY_MOQ_AGENT  "agent="

/* octets of a response of a refusal, which is not used */
#define NGX_HTTP_PARLEY_MOQ_TAP_PAGE  65536

/* appends of a worker that wait for more of them, at most */
#define NGX_HTTP_PARLEY_MOQ_TAP_GATHER  16


typedef struct ngx_http_parley_moq_append_s  ngx_http_parley_moq_append_t;


struct ngx_http_parley_moq_tap_s {
    ngx_http_parley_subscriber_t  sub;            /* must be first: callbacks
                                                     cast it */
    ngx_queue_t                   queue;          /* in moq->taps */
    ngx_queue_t                   appends;        /* that the state has not
                                                     answered */
    ngx_http_parley_moq_t        *moq;
    parley_link_tap_t            *tap;            /* NULL: the link has
                                                     parted */
    ngx_http_parley_inner_t      *inner;          /* NULL: it has not begun, or
                                                     has ended */
    ngx_pool_cleanup_t           *cleanup;        /* of the request of a
                                                     subscriber; NULL: none */
    ngx_str_t                     address;        /* allocated; of the
                                                     publisher */
    uint8_t                       account[PARLEY_KEY_LEN];
    parley_end_t                  why;            /* of over */
    unsigned                      begun:1;        /* its request has begun */
    unsigned                      told:1;         /* the link knows that it has
                                                     joined */
    unsigned                      over:1;         /* the hub has ended it */
};


/* an append under way */
struct ngx_http_parley_moq_append_s {
    parley_call_t                 call;
    parley_appended_t             result;
    parley_arena_t                arena;
    parley_gate_track_t           track;
    ngx_queue_t                   queue;          /* in tap->appends */
    ngx_http_parley_moq_tap_t    *tap;
    uint64_t                      op;
};


static ngx_int_t ngx_http_parley_moq_tap_begin(ngx_http_parley_moq_tap_t *t);
static void ngx_http_parley_moq_tap_ended(ngx_http_parley_inner_t *in);
static ngx_int_t ngx_http_parley_moq_tap_request(ngx_http_parley_moq_tap_t *t,
    ngx_http_parley_ctx_t *ctx, parley_stream_request_t *opening);
static void ngx_http_parley_moq_tap_tell(ngx_http_parley_moq_tap_t *t,
    ngx_uint_t status, const char *code);
static void ngx_http_parley_moq_tap_over(ngx_http_parley_moq_tap_t *t);
static void ngx_http_parley_moq_tap_drop(ngx_http_parley_moq_tap_t *t);
static void ngx_http_parley_moq_tap_cleanup(void *data);
static int64_t ngx_http_parley_moq_tap_write(parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_moq_tap_end(parley_subscriber_t *s,
    parley_end_t why);
static int ngx_http_parley_moq_tap_append(ngx_http_parley_moq_append_t *a,
    const parley_link_relay_t *relay);
static int64_t ngx_http_parley_moq_tap_count(ngx_http_parley_moq_append_t *a);
static void ngx_http_parley_moq_tap_gather(ngx_http_parley_worker_t *worker);
static void ngx_http_parley_moq_tap_gathered(ngx_event_t *ev);
static void ngx_http_parley_moq_tap_appended(parley_call_t *call);
static void ngx_http_parley_moq_append_free(ngx_http_parley_moq_append_t *a);


static const ngx_http_parley_transport_t  ngx_http_parley_moq_tap_transport = {
    ngx_http_parley_moq_tap_write,
    ngx_http_parley_moq_tap_end,
    NULL,
    NULL,
    NULL
};


int
ngx_http_parley_moq_join(void *ctx, parley_link_tap_t *tap)
{
    ngx_http_parley_moq_t      *moq = ctx;
    ngx_http_parley_moq_tap_t  *t;

    t = ngx_calloc(sizeof(ngx_http_parley_moq_tap_t), moq->connection->log);
    if (t == NULL) {
        return -1;
    }

    t->moq = moq;
    t->tap = tap;
    t->sub.transport = &ngx_http_parley_moq_tap_transport;

    tap->data = t;

    ngx_queue_init(&t->appends);
    ngx_queue_insert_tail(&moq->taps, &t->queue);

    ngx_http_parley_moq_post_turn(moq);

    return 0;
}


void
ngx_http_parley_moq_part(void *ctx, parley_link_tap_t *tap)
{
    ngx_http_parley_moq_tap_t *t = tap->data;

    t->tap = NULL;

    ngx_http_parley_moq_post_turn(ctx);
}


void
ngx_http_parley_moq_taps_turn(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                *q, *next;
    ngx_http_parley_moq_tap_t  *t;

    for (q = ngx_queue_head(&moq->taps);
         q != ngx_queue_sentinel(&moq->taps) && !moq->closed;
         q = ngx_queue_next(q))
    {
        t = ngx_queue_data(q, ngx_http_parley_moq_tap_t, queue);

        if (t->tap == NULL) {
            continue;
        }

        if (!t->begun) {
            if (ngx_http_parley_moq_tap_begin(t) != NGX_OK) {
                ngx_http_parley_moq_tap_tell(t, NGX_HTTP_SERVICE_UNAVAILABLE,
                                             "capacity");
            }

        } else if (t->over) {
            ngx_http_parley_moq_tap_over(t);
        }
    }

    for (q = ngx_queue_head(&moq->taps);
         q != ngx_queue_sentinel(&moq->taps);
         q = next)
    {
        next = ngx_queue_next(q);
        t = ngx_queue_data(q, ngx_http_parley_moq_tap_t, queue);

        if (t->tap == NULL) {
            ngx_http_parley_moq_tap_drop(t);
        }
    }
}


static ngx_int_t
ngx_http_parley_moq_tap_begin(ngx_http_parley_moq_tap_t *t)
{
    u_char                         args[sizeof(NGX_HTTP_PARLEY_MOQ_AGENT)
                                        + 3 * PARLEY_LINK_AGENT_MAX];
    u_char                        *p;
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_inner_begin_t  begin;

    moq = t->moq;

    t->begun = 1;

    ngx_memzero(&begin, sizeof(ngx_http_parley_inner_begin_t));

    if (!t->tap->publishes) {
        p = ngx_cpymem(args, NGX_HTTP_PARLEY_MOQ_AGENT,
                       sizeof(NGX_HTTP_PARLEY_MOQ_AGENT) - 1);
        p = (u_char *) ngx_escape_uri(p, (u_char *) t->tap->agent.data,
                                      t->tap->agent.len,
                                      NGX_ESCAPE_URI_COMPONENT);
        begin.args.data = args;
        begin.args.len = p - args;
    }

    begin.server = moq->http->conf_ctx;
    begin.uri = moq->place->clcf->name;
    begin.host = moq->authority;
    begin.token = ngx_http_parley_ngx_str(t->tap->token);
    begin.max = NGX_HTTP_PARLEY_MOQ_TAP_PAGE;
    begin.handler = ngx_http_parley_moq_tap_ended;
    begin.data = t;

    t->inner = ngx_http_parley_inner_begin(moq->connection, &begin);

    return t->inner ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_parley_moq_tap_ended(ngx_http_parley_inner_t *in)
{
    ngx_http_parley_moq_t      *moq;
    ngx_http_parley_moq_tap_t  *t = in->data;

    moq = t->moq;

    t->inner = NULL;

    if (!moq->closed && t->tap) {
        ngx_http_parley_moq_tap_tell(t, in->status >= NGX_HTTP_BAD_REQUEST
                                        ? in->status : NGX_HTTP_BAD_GATEWAY,
                                     (char *) in->code);
    }

    ngx_http_parley_moq_post_turn(moq);
    ngx_http_parley_moq_done(moq);
}


ngx_int_t
ngx_http_parley_moq_tap_open(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_stream_request_t *opening)
{
    ngx_pool_cleanup_t         *cln;
    parley_stream_request_t     own;
    ngx_http_parley_inner_t    *in;
    ngx_http_parley_moq_tap_t  *t;

    in = ngx_http_parley_inner(r);

    if (in == NULL || in->handler != ngx_http_parley_moq_tap_ended) {
        return NGX_DECLINED;
    }

    t = in->data;
    own = *opening;

    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (cln == NULL || t->tap == NULL
        || ngx_http_parley_moq_tap_request(t, ctx, &own) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_parley_moq_tap_cleanup;
    cln->data = t;

    t->cleanup = cln;

    r->read_event_handler = ngx_http_request_empty_handler;
    r->write_event_handler = ngx_http_request_empty_handler;

    switch (ngx_http_parley_hub_open(ctx, &t->sub, &own)) {

    case NGX_OK:
        return NGX_DONE;

    case NGX_BUSY:
        ngx_http_parley_hub_busy(ctx);
        return ngx_http_parley_refuse(r, ctx);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/* Makes a subscription to the mailbox one to the log of a track. */

static ngx_int_t
ngx_http_parley_moq_tap_request(ngx_http_parley_moq_tap_t *t,
    ngx_http_parley_ctx_t *ctx, parley_stream_request_t *opening)
{
    t->address.len = opening->address.len;
    t->address.data = ngx_alloc(opening->address.len + 1, ngx_cycle->log);

    if (t->address.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(t->address.data, opening->address.data, opening->address.len);
    ngx_memcpy(t->account, opening->account, PARLEY_KEY_LEN);

    return parley_gate_publish_track_subscribe(
               t->moq->worker->mcf->zone->state, ctx->gate.arena,
               opening->address, t->tap->track, t->tap->publishes,
               opening->log, &opening->subscription)
           == 0 ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_parley_moq_tap_tell(ngx_http_parley_moq_tap_t *t, ngx_uint_t status,
    const char *code)
{
    t->told = 1;

    parley_link_joined(t->moq->link, t->tap, (int) status, code);
}


/* Tells the link that a subscription has ended. */

static void
ngx_http_parley_moq_tap_over(ngx_http_parley_moq_tap_t *t)
{
    t->over = 0;

    switch (t->why) {

    case PARLEY_END_REPLACED:
        ngx_http_parley_moq_tap_tell(t, NGX_HTTP_CONFLICT, "state-conflict");
        break;

    case PARLEY_END_EXPIRED:
    case PARLEY_END_AGED:
        ngx_http_parley_moq_tap_tell(t, NGX_HTTP_UNAUTHORIZED,
                                     "token-expired");
        break;

    default:
        ngx_http_parley_moq_tap_tell(t, NGX_HTTP_SERVICE_UNAVAILABLE,
                                     "capacity");
    }
}


static void
ngx_http_parley_moq_tap_drop(ngx_http_parley_moq_tap_t *t)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_append_t  *a;

    ngx_queue_remove(&t->queue);

    while (!ngx_queue_empty(&t->appends)) {
        q = ngx_queue_head(&t->appends);
        a = ngx_queue_data(q, ngx_http_parley_moq_append_t, queue);

        t->moq->worker->mcf->zone->state->ops->cancel(
            t->moq->worker->mcf->zone->state, &a->call);

        ngx_queue_remove(q);
        ngx_http_parley_moq_append_free(a);
    }

    if (t->cleanup) {
        t->cleanup->handler = NULL;
    }

    ngx_http_parley_hub_close(&t->sub);

    if (t->inner) {
        ngx_http_parley_inner_cancel(t->inner);
    }

    if (t->address.data) {
        ngx_free(t->address.data);
    }

    ngx_free(t);
}


void
ngx_http_parley_moq_taps_leave(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t  *q;

    while (!ngx_queue_empty(&moq->taps)) {
        q = ngx_queue_head(&moq->taps);

        ngx_http_parley_moq_tap_drop(
            ngx_queue_data(q, ngx_http_parley_moq_tap_t, queue));
    }
}


/* Runs when the request of a subscriber is freed. */

static void
ngx_http_parley_moq_tap_cleanup(void *data)
{
    ngx_http_parley_moq_tap_t *t = data;

    t->cleanup = NULL;

    ngx_http_parley_hub_close(&t->sub);
}


/* The link takes all records, and bounds the octets that wait for its peer. */

static int64_t
ngx_http_parley_moq_tap_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_moq_tap_t *t = (ngx_http_parley_moq_tap_t *) s;

    size_t                  n, taken;
    ngx_http_parley_moq_t  *moq;
    parley_hub_object_t     record;

    moq = t->moq;

    for (taken = 0; taken < octets.len; taken += n) {

        if (moq->closed || t->tap == NULL) {
            return -1;
        }

        n = parley_hub_object_read(parley_str_from(octets, taken), &record);

        if (n == 0) {
            return -1;
        }

        switch (record.kind) {

        case PARLEY_HUB_OBJECT_MESSAGE:
            parley_link_record(moq->link, t->tap, record.message, 0);
            break;

        case PARLEY_HUB_OBJECT_OPEN:
            if (!t->told) {
                ngx_http_parley_moq_tap_tell(t, 0, "");
            }

            break;

        case PARLEY_HUB_OBJECT_GAP:
            parley_link_record(moq->link, t->tap, parley_str_none, 1);
            break;

        default: /* PARLEY_HUB_OBJECT_ALIVE */
            break;
        }
    }

    ngx_http_parley_moq_post_turn(moq);

    return (int64_t) taken;
}


static void
ngx_http_parley_moq_tap_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_moq_tap_t *t = (ngx_http_parley_moq_tap_t *) s;

    t->over = 1;
    t->why = why;

    ngx_http_parley_moq_post_turn(t->moq);
}


int
ngx_http_parley_moq_relay(void *ctx, parley_link_relay_t *relay)
{
    int                            rc;
    ngx_http_parley_moq_tap_t     *t;
    ngx_http_parley_moq_append_t  *a;

    t = relay->tap->data;

    if (t->address.data == NULL || t->moq->worker->hub == NULL) {
        return -1;
    }

    a = ngx_calloc(sizeof(ngx_http_parley_moq_append_t), ngx_cycle->log);
    if (a == NULL) {
        return -1;
    }

    a->tap = t;
    a->op = relay->op;
    a->call.done = ngx_http_parley_moq_tap_appended;
    a->call.ctx = a;

    parley_arena_init(&a->arena, &parley_mem_libc, 0);

    rc = ngx_http_parley_moq_tap_append(a, relay);

    if (rc == 0) {
        ngx_queue_insert_tail(&t->appends, &a->queue);
        return 0;
    }

    if (rc == 1) {
        relay->count = ngx_http_parley_moq_tap_count(a);
        rc = relay->count < 0 ? -1 : 1;
    }

    ngx_http_parley_moq_append_free(a);

    return rc;
}


/* Begins an append.  Returns 1 if it is done, 0 if the state answers later. */

static int
ngx_http_parley_moq_tap_append(ngx_http_parley_moq_append_t *a,
    const parley_link_relay_t *relay)
{
    parley_state_t             *state;
    parley_append_t             append;
    parley_gate_track_t        *track;
    ngx_http_parley_moq_tap_t  *t;

    t = a->tap;
    state = t->moq->worker->mcf->zone->state;
    track = &a->track;

    track->address = ngx_http_parley_str(&t->address);
    track->track = relay->track;
    track->record = relay->record;
    track->proto = t->moq->place->conf->moq->stream.proto;
    track->account = t->account;
    track->publisher = relay->publisher;
    track->asks = relay->asks;

    if (parley_gate_publish_track_append(state, &a->arena, track, &append)
        != 0)
    {
        return -1;
    }

    return state->ops->log->append(state, &append, &a->result, &a->call)
           == PARLEY_STATE_DONE ? 1 : 0;
}


/* Returns the number of subscribers that a record is for, or -1 if it was not
   appended. */

static int64_t
ngx_http_parley_moq_tap_count(ngx_http_parley_moq_append_t *a)
{
    int64_t                    count;
    ngx_http_parley_worker_t  *worker;

    worker = a->tap->moq->worker;
    count = parley_gate_publish_track_count(&a->arena, &a->track, &a->result);

    if (count >= 0 && !a->track.asks && worker->hub) {
        ngx_http_parley_moq_tap_gather(worker);
    }

    return count;
}


/* Wakes the hubs after the next turn of the event loop without an append, so
   that they read and send the records of a burst together. */

static void
ngx_http_parley_moq_tap_gather(ngx_http_parley_worker_t *worker)
{
    ngx_event_t  *ev;

    ev = &worker->moq_gather;

    ev->handler = ngx_http_parley_moq_tap_gathered;
    ev->data = worker;
    ev->log = ngx_cycle->log;

    worker->moq_gathered++;

    ngx_post_event(ev, &ngx_posted_next_events);
}


static void
ngx_http_parley_moq_tap_gathered(ngx_event_t *ev)
{
    ngx_http_parley_worker_t *worker = ev->data;

    if (worker->moq_gathered != worker->moq_gathered_before
        && worker->moq_gathered < NGX_HTTP_PARLEY_MOQ_TAP_GATHER)
    {
        worker->moq_gathered_before = worker->moq_gathered;
        ngx_post_event(ev, &ngx_posted_next_events);
        return;
    }

    worker->moq_gathered = 0;
    worker->moq_gathered_before = 0;

    if (worker->hub) {
        ngx_http_parley_hub_wakes(worker->hub);
    }
}


static void
ngx_http_parley_moq_tap_appended(parley_call_t *call)
{
    int64_t                        count;
    uint64_t                       op;
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_moq_tap_t     *t;
    ngx_http_parley_moq_append_t  *a = call->ctx;

    t = a->tap;
    moq = t->moq;
    op = a->op;
    count = ngx_http_parley_moq_tap_count(a);

    ngx_queue_remove(&a->queue);
    ngx_http_parley_moq_append_free(a);

    if (op && t->tap && !moq->closed) {
        parley_link_relayed(moq->link, t->tap, op, count);
        ngx_http_parley_moq_post_turn(moq);
    }
}


static void
ngx_http_parley_moq_append_free(ngx_http_parley_moq_append_t *a)
{
    parley_arena_reset(&a->arena);
    ngx_free(a);
}

#endif
