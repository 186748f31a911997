
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An answer of Server-Sent Events, unbuffered: each event is a message of the
 * upstream, and continues in the caller's protocol when it is complete.  If
 * the caller's protocol has no events, the caller gets one JSON object, and
 * the log gets the later events.  gate/ decides on each event.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/answer/ngx_http_parley_sse.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/metrics/parley_counters.h"
#include "gate/settings/parley_settings.h"


/* milliseconds between looks at the clock, which may be set, and between
   renewals of the session */
#define NGX_HTTP_PARLEY_SSE_LOOK      60000


static ngx_int_t ngx_http_parley_sse_init(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_sse_cleanup(void *data);
static void ngx_http_parley_sse_times(ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_sse_wait(ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_sse_look(ngx_event_t *ev);
static ngx_int_t ngx_http_parley_sse_renew(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_renewed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static parley_arena_t *ngx_http_parley_sse_arena(
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_settle(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_ended(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_hold(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_http_parley_resume_pt held);
static ngx_int_t ngx_http_parley_sse_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);
static void ngx_http_parley_sse_finish(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_sse_log(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_answered_t *answered);


ngx_int_t
ngx_http_parley_sse_start(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ngx_http_parley_sse_init(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_sse_times(ctx);

    if (r->upstream) {
        r->upstream->buffering = 0;
    }

    if (ctx->sse->single) {
        /* the header is sent with the object */
        return NGX_OK;
    }

    ngx_str_set(&r->headers_out.content_type, "text/event-stream");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.charset.len = 0;

    /* each event is written again; a protocol's own headers stay */

    ngx_http_parley_answer_replaced(r, ctx->msg.wire == ctx->lcf->gate.speak
                                       ? ctx->msg.wire : PARLEY_PROTO_NONE);

    return ngx_http_parley_next_header_filter(r);
}


static ngx_int_t
ngx_http_parley_sse_init(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_pool_cleanup_t     *cln;
    ngx_http_parley_sse_t  *sse;

    sse = ngx_pcalloc(r->pool, sizeof(ngx_http_parley_sse_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (sse == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    sse->single = parley_gate_exchange_is_single(&ctx->gate) ? 1 : 0;

    parley_arena_init(&sse->arena, &parley_mem_libc, 0);
    parley_events_init(&sse->events, &parley_mem_libc,
                       ctx->lcf->gate.limits.octets);

    sse->slot = ctx->worker->slot;
    parley_count(sse->slot, PARLEY_M_STREAMS, 1);

    cln->handler = ngx_http_parley_sse_cleanup;
    cln->data = sse;

    ctx->sse = sse;
    ctx->sse_stop = ngx_http_parley_sse_stop;
    sse->ctx = ctx;

    ngx_queue_insert_tail(&ctx->worker->streams, &sse->queue);

    return NGX_OK;
}


static void
ngx_http_parley_sse_cleanup(void *data)
{
    ngx_http_parley_sse_t *sse = data;

    parley_count(sse->slot, PARLEY_M_STREAMS, (uint64_t) -1);

    if (sse->expiry.timer_set) {
        ngx_del_timer(&sse->expiry);
    }

    ngx_queue_remove(&sse->queue);

    ngx_http_parley_sse_free(sse);
    parley_events_free(&sse->events);
    parley_arena_reset(&sse->arena);
}


/* Starts the timers of the message's deadline, of the token's expiry and of the
   session. */

static void
ngx_http_parley_sse_times(ngx_http_parley_ctx_t *ctx)
{
    ngx_event_t  *ev;

    if (!ctx->gate.serve.relays) {
        ngx_http_parley_deadline_extend(ctx);
    }

    ctx->sse->expires = parley_gate_message_expires(&ctx->gate);

    if (ctx->sse->expires == INT64_MAX
        && !parley_gate_relayed_has_session(&ctx->gate))
    {
        return;
    }

    ev = &ctx->sse->expiry;

    ev->handler = ngx_http_parley_sse_look;
    ev->data = ctx;
    ev->log = ctx->request->connection->log;

    ngx_http_parley_sse_wait(ctx);
}


/* Starts a timer of at most one interval, because the clock may be set. */

static void
ngx_http_parley_sse_wait(ngx_http_parley_ctx_t *ctx)
{
    int64_t  left;

    left = ctx->sse->expires - ngx_http_parley_now();
    left = ngx_min(left, NGX_HTTP_PARLEY_SSE_LOOK);

    ngx_add_timer(&ctx->sse->expiry, (ngx_msec_t) ngx_max(left, 1));
}


/* Ends the stream when its token has expired (SEC-15), or its session no longer
   belongs to the caller. */

static void
ngx_http_parley_sse_look(ngx_event_t *ev)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ev->data;

    if (ctx->waited) {
        ngx_http_parley_sse_wait(ctx);
        return;
    }

    if (ctx->sse->expires <= ngx_http_parley_now()) {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_EXPIRED);

    } else {
        ngx_http_parley_sse_wait(ctx);

        if (!parley_gate_relayed_has_session(&ctx->gate)
            || ngx_http_parley_sse_renew(ctx->request, ctx) != NGX_DECLINED)
        {
            return;
        }
    }

    ngx_http_parley_sse_stop(ctx);
}


/* Keeps the session bound to the caller.  Returns NGX_OK, NGX_AGAIN, or
   NGX_DECLINED with ctx->error. */

static ngx_int_t
ngx_http_parley_sse_renew(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    int  rc;

    rc = parley_gate_relayed_renew(&ctx->gate, (int64_t) ngx_current_msec);

    return rc == PARLEY_WAIT
           ? ngx_http_parley_sse_hold(r, ctx, ngx_http_parley_sse_renewed)
           : rc == 0 ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_sse_renewed(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_parley_sse_renew(r, ctx);

    return rc == NGX_DECLINED ? ngx_http_parley_sse_fail(r, ctx) : rc;
}


/*
 * Ends a stream from outside of its filters, with ctx->error.  The pending
 * input and the rest of the upstream are ignored.
 */

void
ngx_http_parley_sse_stop(ngx_http_parley_ctx_t *ctx)
{
    ngx_connection_t       *pc;
    ngx_http_request_t     *r;
    ngx_http_parley_sse_t  *sse;

    r = ctx->request;
    sse = ctx->sse;

    if (sse->finished || sse->ended || r->upstream == NULL
        || r->upstream->peer.connection == NULL)
    {
        parley_error_clear(&ctx->error);
        return;
    }

    if (ngx_http_parley_sse_fail(r, ctx) == NGX_ERROR) {
        r->connection->error = 1;
    }

    /* as if the upstream had ended */

    pc = r->upstream->peer.connection;
    pc->read->handler(pc->read);
}


ngx_int_t
ngx_http_parley_sse_event(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_event_t *event)
{
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (!event->has_data) {
        return event->has_id || event->retry.len
               ? ngx_http_parley_sse_write(sse, event, 0) : NGX_OK;
    }

    /* the timer of the expiry may come after an event of the same read */

    if (sse->expires <= ngx_http_parley_now()) {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_EXPIRED);
        return ngx_http_parley_sse_fail(r, ctx);
    }

    if (parley_gate_event(&ctx->gate, ngx_http_parley_sse_arena(ctx),
                          event->data, &sse->answered)
        != 0)
    {
        return ngx_http_parley_sse_fail(r, ctx);
    }

    sse->event = *event;

    return ngx_http_parley_sse_settle(r, ctx);
}


/* Returns the arena; a single object must live as long as the response. */

static parley_arena_t *
ngx_http_parley_sse_arena(ngx_http_parley_ctx_t *ctx)
{
    return ctx->sse->single && !ctx->sse->last ? &ctx->arena
                                               : &ctx->sse->arena;
}


static ngx_int_t
ngx_http_parley_sse_settle(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t               rc;
    parley_answered_t      *answered;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;
    answered = &sse->answered;

    switch (ngx_http_parley_settle(ctx, answered)) {

    case NGX_AGAIN:
        return ngx_http_parley_sse_hold(r, ctx, ngx_http_parley_sse_settle);

    case NGX_DECLINED:
        sse->skips = parley_gate_relayed_skips(&ctx->gate) ? 1 : 0;
        return ngx_http_parley_sse_fail(r, ctx);

    default:
        break;
    }

    if (answered->reply.why) {
        ngx_http_parley_log_unsaid(r, ctx, answered->reply.why);
    }

    if (answered->late || (sse->single && !answered->replies)) {

        /* no line: the caller gets it as a message, or
           settle() has logged it */

        if (!answered->published && !answered->unpublished) {
            ngx_http_parley_sse_log(r, ctx, answered);
        }

        rc = NGX_OK;

    } else if (sse->single) {
        ctx->answer_trace = answered->traceparent;
        rc = ngx_http_parley_sse_respond(r, ctx, &answered->reply);

    } else if (answered->replies) {
        parley_count(sse->slot, PARLEY_M_EVENTS, 1);

        sse->event.data = answered->reply.body;
        rc = ngx_http_parley_sse_write(sse, &sse->event, 0);

    } else {
        sse->event.data = PARLEY_STR(" an event that this protocol cannot "
                                     "express");
        rc = ngx_http_parley_sse_write(sse, &sse->event, 1);
    }

    if (rc == NGX_OK && answered->over) {
        ngx_http_parley_sse_finish(r, ctx);
    }

    return rc;
}


static ngx_int_t
ngx_http_parley_sse_hold(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_resume_pt held)
{
    ctx->sse->held = held;

    return ngx_http_parley_wait_answer(r, ctx, ngx_http_parley_sse_resume);
}


/* Continues with the held event, and then with the input since. */

static ngx_int_t
ngx_http_parley_sse_resume(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_resume_pt  held;

    held = ctx->sse->held;
    ctx->sse->held = NULL;

    switch (held(r, ctx)) {

    case NGX_OK:
        parley_arena_reset(&ctx->sse->arena);
        break;

    case NGX_AGAIN:
        return NGX_AGAIN;

    default:
        return NGX_ERROR;
    }

    return ngx_http_parley_sse_body(r, ctx, NULL) == NGX_ERROR ? NGX_ERROR
                                                               : NGX_OK;
}


/* Processes the end of the stream. */

ngx_int_t
ngx_http_parley_sse_end(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_uint_t whole)
{
    ngx_int_t               rc;
    parley_ending_t         how;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;
    sse->ended = 1;

    if (sse->finished) {
        return NGX_OK;
    }

    how.broken = whole ? 0 : 1;
    how.open = ngx_http_parley_upstream_is_open(r) ? 1 : 0;

    rc = parley_gate_ended(&ctx->gate, ngx_http_parley_sse_arena(ctx),
                           &sse->events, &how, &sse->event, &sse->answered);
    if (rc < 0) {
        return ngx_http_parley_sse_fail(r, ctx);
    }

    if (rc > 0) {
        rc = ngx_http_parley_sse_settle(r, ctx);
        return rc == NGX_OK ? ngx_http_parley_sse_end(r, ctx, whole) : rc;
    }

    if (sse->answered.unsure) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "parley: upstream's events may be incomplete: they "
                      "ended with the connection and without a final answer; "
                      "set \"proxy_http_version 1.1\"");
    }

    ngx_http_parley_answer_trailers(r, 1);

    ngx_http_parley_sse_finish(r, ctx);

    return ngx_http_parley_sse_ended(r, ctx);
}


static ngx_int_t
ngx_http_parley_sse_ended(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_event_t          event;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    switch (ngx_http_parley_settle(ctx, &sse->answered)) {

    case NGX_AGAIN:
        return ngx_http_parley_sse_hold(r, ctx, ngx_http_parley_sse_ended);

    case NGX_DECLINED:
        return ngx_http_parley_sse_fail(r, ctx);

    default:
        break;
    }

    if (!sse->answered.replies) {
        return NGX_OK;
    }

    if (sse->single) {
        return ngx_http_parley_sse_respond(r, ctx, &sse->answered.reply);
    }

    ngx_memzero(&event, sizeof(parley_event_t));

    event.has_data = 1;
    event.data = sse->answered.reply.body;

    return ngx_http_parley_sse_write(sse, &event, 0);
}


/* Sends ctx->error as the last event, or as a status if that is possible. */

ngx_int_t
ngx_http_parley_sse_fail(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ngx_http_parley_reply_failed(r, ctx, &ctx->sse->reply) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_sse_finish(r, ctx);

    return ngx_http_parley_sse_failed(r, ctx);
}


static ngx_int_t
ngx_http_parley_sse_failed(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_event_t          event;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (ngx_http_parley_unanswered(ctx, &sse->reply) == NGX_AGAIN) {
        return ngx_http_parley_sse_hold(r, ctx, ngx_http_parley_sse_failed);
    }

    if (sse->single) {
        return sse->last ? NGX_OK
                         : ngx_http_parley_sse_respond(r, ctx, &sse->reply);
    }

    ngx_memzero(&event, sizeof(parley_event_t));

    if (sse->skips) {
        /* a client that resumes must not get the same event again */
        event.has_id = sse->event.has_id;
        event.id = sse->event.id;
    }

    /* clients of MCP ignore named events */

    if (ctx->gate.serve.relays || !parley_gate_message_responds(&ctx->gate)) {
        event.name = PARLEY_STR("error");
    }

    event.has_data = 1;
    event.data = sse->reply.body;

    return ngx_http_parley_sse_write(sse, &event, 0);
}


/*
 * Sends the single object as the caller's response.  The connection is closed
 * if the upstream may send more, so that the next request does not wait.
 */

static ngx_int_t
ngx_http_parley_sse_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply)
{
    ctx->sse->last = 1;

    if (!ctx->sse->finished && !ctx->sse->answered.over) {
        r->keepalive = 0;
    }

    return ngx_http_parley_reply_send(r, ctx, reply, 0) == NGX_ERROR
           ? NGX_ERROR : NGX_OK;
}


/* Stops reading, and treats an upstream that has not ended as ended. */

static void
ngx_http_parley_sse_finish(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;
    sse->finished = 1;

    ngx_http_parley_deadline_stop(ctx);

    if (sse->expiry.timer_set) {
        ngx_del_timer(&sse->expiry);
    }

    if (sse->ended) {
        return;
    }

    if (r->upstream && r->upstream->peer.connection) {
        r->upstream->length = 0;
        r->upstream->keepalive = 0;
        return;
    }

    sse->ended = 1;
}


/* Logs an answer that the caller does not get. */

static void
ngx_http_parley_sse_log(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *answered)
{
    ngx_uint_t   level;
    const char  *what;

    static const char *const  acts[] = {
        "request", "result", "error", "event", "progress"
    };

    what = answered->kind == PARLEY_ANSWER_MESSAGE ? acts[answered->act]
           : answered->kind == PARLEY_ANSWER_REFUSED ? "error" : "acceptance";

    /* an upstream cannot fill the log */

    level = (answered->final || answered->late) && !ctx->sse->warned
            ? NGX_LOG_WARN : NGX_LOG_INFO;

    ctx->sse->warned |= level == NGX_LOG_WARN;

    ngx_http_parley_log_answer(r, ctx, level,
                               answered->late ? "reply-unmatched"
                                              : "the caller has its answer",
                               what, answered->code);
}
