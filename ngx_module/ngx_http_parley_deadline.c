
/*
 * Copyright (C) 2026 The Parley authors
 *
 * AEE-29: the message's deadline, capped, is the upstream's.  nginx's own
 * timeouts are a location's and start again with every read; this timer is
 * the request's and runs once.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_request.h"


static void ngx_http_parley_deadline_handler(ngx_event_t *ev);


ngx_int_t
ngx_http_parley_deadline_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    int64_t                      timeout;
    ngx_msec_t                   timer;
    ngx_http_parley_cap_conf_t  *cap;

    timeout = ctx->msg.timeout_ms;
    cap = ctx->lcf->cap;

    if (cap && cap->timeout
        && (timeout < 0 || timeout > (int64_t) cap->timeout))
    {
        timeout = (int64_t) cap->timeout;
    }

    if (timeout < 0) {
        return NGX_OK;
    }

    timer = (ngx_msec_t) ngx_min(timeout, NGX_MAX_INT32_VALUE);

    /* of a message that continues elsewhere the time runs on */

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
ngx_http_parley_deadline_extend(ngx_http_parley_ctx_t *ctx,
    ngx_msec_t timeout)
{
    if (ctx->deadline.timer_set) {
        return;
    }

    ctx->deadline.handler = ngx_http_parley_deadline_handler;
    ctx->deadline.data = ctx;
    ctx->deadline.log = ctx->request->connection->log;

    ngx_add_timer(&ctx->deadline, timeout);
}


void
ngx_http_parley_deadline_stop(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->deadline.timer_set) {
        ngx_del_timer(&ctx->deadline);
    }
}


/*
 * Does what the event timer does when a timeout of nginx's own runs out: the
 * connection to the upstream is told so, and the upstream module ends the
 * request as it always does.  No other peer is tried: the time is over.
 */

static void
ngx_http_parley_deadline_handler(ngx_event_t *ev)
{
    ngx_event_t            *event;
    ngx_connection_t       *pc;
    ngx_http_request_t     *r;
    ngx_http_upstream_t    *u;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ev->data;
    r = ctx->request;
    u = r->upstream;

    if (u == NULL) {
        return;
    }

    ctx->timed_out = 1;

    if (ctx->sse) {
        ngx_http_parley_answer_early(ctx);
        ngx_http_parley_sse_stop(ctx);
        return;
    }

    pc = u->peer.connection;

    if (pc == NULL) {
        /* its name is being resolved: that has a timeout of its own */
        return;
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "parley: the message's deadline passed while waiting for "
                  "the upstream");

    u->peer.tries = 0;

    event = u->request_sent ? pc->read : pc->write;

    if (event->timer_set) {
        ngx_del_timer(event);
    }

    event->timedout = 1;
    event->handler(event);
}
