
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What becomes of a request with what gate/ says of its answer.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_state.h"
#include "parley_header.h"


/* seconds that a service may ask to wait */
#define NGX_HTTP_PARLEY_WAIT_MAX  86400


ngx_int_t
ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx, parley_answered_t *answered)
{
    int  rc;

    rc = parley_gate_answered(&ctx->gate, answered,
                              (int64_t) ngx_current_msec);

    if (rc == PARLEY_WAIT) {
        return NGX_AGAIN;
    }

    ngx_http_parley_forgotten(ctx);

    if (answered->untold) {
        parley_count(ctx->mcf->slot, PARLEY_M_UNTOLD, 1);
        ngx_http_parley_log_answer(ctx->request, ctx, NGX_LOG_WARN,
                                   "there is no room for it as a message",
                                   "acknowledgment", parley_str_none);
    }

    return rc == 0 ? NGX_OK : NGX_DECLINED;
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
    int64_t     n;
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

    n = parley_header_seconds(parley_str_make(value->data, value->len),
                              NGX_HTTP_PARLEY_WAIT_MAX);

    if (n < 0) {
        when = ngx_parse_http_time(value->data, value->len);

        if (when == (time_t) NGX_ERROR || when <= ngx_time()) {
            return 0;
        }

        n = (int64_t) (when - ngx_time());
    }

    return (ngx_msec_t) ngx_min(n, NGX_HTTP_PARLEY_WAIT_MAX) * 1000;
}
