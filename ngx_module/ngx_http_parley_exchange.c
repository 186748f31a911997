
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
    x->sent_opts = &ctx->opts;
    x->sent = &ctx->sent;
    x->speak = ctx->lcf->gate.speak;
    x->gateway = ctx->lcf->gate.gateway;
    x->self = ctx->mcf->http.self_names;
    x->any_case = ctx->lcf->gate.any_case;

    parley_exchange_init(x);

    return x;
}


void
ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome)
{
    ngx_uint_t  said;

    switch (outcome->settle) {

    case PARLEY_SETTLE_COMMIT:

        /* that it was taken is no answer while that may still come */

        said = outcome->said && (outcome->kind != PARLEY_ANSWER_TAKEN
                                 || !ctx->asked.awaited);

        ngx_http_parley_taken(ctx, said ? &outcome->reply : NULL,
                              outcome->closes);
        break;

    case PARLEY_SETTLE_RELEASE:
        ngx_http_parley_release(ctx);
        break;

    default: /* PARLEY_SETTLE_OPEN */
        break;
    }

    if (outcome->closes) {
        ngx_http_parley_close(ctx);
    }
}


/* GW-12: from now on the id counts as seen */

void
ngx_http_parley_taken(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first, ngx_uint_t closes)
{
    if (!ctx->entrance.entered) {
        return;
    }

    if (first) {
        /* before anybody can be told that it was taken */
        ngx_http_parley_keep_first(ctx, first);
    }

    ngx_http_parley_commit(ctx, closes ? &ctx->asked : NULL);
    ngx_http_parley_retain(ctx);
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
