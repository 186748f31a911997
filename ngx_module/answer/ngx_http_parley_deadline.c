
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The capped deadline of the message limits the upstream (AEE-29).  The
 * timeouts of nginx belong to a location and restart with every read.  This
 * timer belongs to the request and runs once.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


/* milliseconds between checks when the deadline cannot be signalled yet */
#define NGX_HTTP_PARLEY_DEADLINE_AGAIN  100


static void ngx_http_parley_deadline_handler(ngx_event_t *ev);
static void ngx_http_parley_deadline_passed(ngx_http_parley_ctx_t *ctx,
    const char *awaited);
static void ngx_http_parley_deadline_peer(ngx_http_upstream_t *u);
static void ngx_http_parley_deadline_resolver(ngx_resolver_ctx_t *rctx);


ngx_int_t
ngx_http_parley_deadline_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    int64_t     timeout;
    ngx_msec_t  timer;

    timeout = parley_gate_message_deadline(&ctx->gate);

    if (timeout < 0) {
        return NGX_OK;
    }

    timer = (ngx_msec_t) ngx_min(timeout, NGX_MAX_INT32_VALUE);

    /* the time of a continued message keeps running */

    if (ctx->deadline.timer_set
        && (ngx_msec_int_t) (ctx->deadline.timer.key - ngx_current_msec
                             - timer)
           <= 0)
    {
        return NGX_OK;
    }

    ctx->deadline.handler = ngx_http_parley_deadline_handler;
    ctx->deadline.data = ctx;
    ctx->deadline.log = r->connection->log;

    ngx_add_timer(&ctx->deadline, timer);

    return NGX_OK;
}


void
ngx_http_parley_deadline_extend(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->deadline.timer_set) {
        return;
    }

    ctx->deadline.handler = ngx_http_parley_deadline_handler;
    ctx->deadline.data = ctx;
    ctx->deadline.log = ctx->request->connection->log;

    ngx_add_timer(&ctx->deadline, PARLEY_AWAIT_MS);
}


void
ngx_http_parley_deadline_stop(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->deadline.timer_set) {
        ngx_del_timer(&ctx->deadline);
    }
}


/*
 * Acts as a timer of nginx at its end: it signals a timeout to the upstream
 * module, which ends the request as usual.  No other peer is tried.  If
 * nothing can be signalled yet, the handler runs again soon.
 */

static void
ngx_http_parley_deadline_handler(ngx_event_t *ev)
{
    ngx_http_request_t     *r;
    ngx_http_upstream_t    *u;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ev->data;
    r = ctx->request;
    u = r->upstream;

    if (ctx->waited) {
        /* process the pending result of the state first */
        ngx_add_timer(ev, NGX_HTTP_PARLEY_DEADLINE_AGAIN);
        return;
    }

    if (ctx->sse) {
        ctx->gate.in.timed_out = 1;
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_TIMEOUT);
        ctx->sse_stop(ctx);
        return;
    }

    if (u && u->peer.connection) {
        ngx_http_parley_deadline_passed(ctx, "the upstream");
        ngx_http_parley_deadline_peer(u);
        return;
    }

    if (u && u->resolved && u->resolved->ctx) {
        ngx_http_parley_deadline_passed(ctx, "the upstream's address");
        ngx_http_parley_deadline_resolver(u->resolved->ctx);
        return;
    }

    ngx_add_timer(ev, NGX_HTTP_PARLEY_DEADLINE_AGAIN);
}


static void
ngx_http_parley_deadline_passed(ngx_http_parley_ctx_t *ctx,
    const char *awaited)
{
    ctx->gate.in.timed_out = 1;

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "parley: deadline of the message passed: still waiting "
                  "for %s", awaited);
}


static void
ngx_http_parley_deadline_peer(ngx_http_upstream_t *u)
{
    ngx_event_t       *event;
    ngx_connection_t  *pc;

    pc = u->peer.connection;
    u->peer.tries = 0;

    event = u->request_sent ? pc->read : pc->write;

    if (event->timer_set) {
        ngx_del_timer(event);
    }

    /* with proxy_limit_rate, a timeout would mean the end of a delay */
    event->delayed = 0;

    event->timedout = 1;
    event->handler(event);
}


/* As ngx_resolver_timeout_handler(). */

static void
ngx_http_parley_deadline_resolver(ngx_resolver_ctx_t *rctx)
{
    rctx->state = NGX_RESOLVE_TIMEDOUT;
    rctx->handler(rctx);
}
