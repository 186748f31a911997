
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What gate/ needs to know of a request to judge its answers, and what becomes
 * of the request with what it says.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_state.h"


/* seconds that a service may ask to wait */
#define NGX_HTTP_PARLEY_WAIT_MAX  86400


/* made when the answer comes; NULL: no memory */

parley_exchange_t *
ngx_http_parley_exchange(ngx_http_parley_ctx_t *ctx)
{
    parley_exchange_t  *x;

    x = parley_arena_calloc(&ctx->arena, sizeof(parley_exchange_t));

    if (x == NULL) {
        return NULL;
    }

    x->arena = &ctx->arena;
    x->engine = ctx->mcf->engine;
    x->intents = ctx->mcf->http.intents;
    x->limits = &ctx->lcf->gate.limits;
    x->seed = ngx_http_parley_seed(ctx);
    x->who = &ctx->who;
    x->key = ctx->mcf->http.signing;
    x->sent_opts = &ctx->gate.opts;
    x->sent = &ctx->gate.sent;
    x->speak = ctx->lcf->gate.speak;
    x->gateway = ctx->lcf->gate.gateway;
    x->self = ctx->mcf->http.self_names;
    x->any_case = ctx->lcf->gate.any_case;

    parley_exchange_init(x);

    return x;
}


ngx_int_t
ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx, parley_answered_t *outcome)
{
    if (parley_gate_answered(&ctx->gate, outcome, (int64_t) ngx_current_msec)
        != 0)
    {
        return NGX_AGAIN;
    }

    ngx_http_parley_forgotten(ctx);

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_unanswered(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *reply)
{
    if (parley_gate_unanswered(&ctx->gate, reply, (int64_t) ngx_current_msec)
        != 0)
    {
        return NGX_AGAIN;
    }

    ngx_http_parley_forgotten(ctx);

    return NGX_OK;
}


void
ngx_http_parley_forgotten(ngx_http_parley_ctx_t *ctx)
{
    if (!ctx->gate.forgotten) {
        return;
    }

    ctx->gate.forgotten = 0;

    ngx_log_error(NGX_LOG_ALERT, ctx->request->connection->log, 0,
                  "parley: the window forgot a message that was taken");
}


/* GW-29: RFC 9110 section 10.2.3, seconds or a date */

ngx_msec_t
ngx_http_parley_sent_wait(ngx_http_request_t *r)
{
    time_t      when;
    ngx_int_t   n;
    ngx_str_t  *value;

    if (r->headers_out.status != NGX_HTTP_TOO_MANY_REQUESTS
        && r->headers_out.status != NGX_HTTP_SERVICE_UNAVAILABLE)
    {
        return 0;
    }

    value = ngx_http_parley_sent_header(r, "Retry-After");

    if (value == NULL) {
        return 0;
    }

    n = ngx_atoi(value->data, value->len);

    if (n == NGX_ERROR) {
        when = ngx_parse_http_time(value->data, value->len);

        if (when == (time_t) NGX_ERROR || when <= ngx_time()) {
            return 0;
        }

        n = (ngx_int_t) (when - ngx_time());
    }

    return (ngx_msec_t) ngx_min(n, NGX_HTTP_PARLEY_WAIT_MAX) * 1000;
}
