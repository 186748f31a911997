
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Settles a request by gate/'s decision on its answer.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "http/parley_header.h"
#include "gate/metrics/parley_counters.h"


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

    if (answered->unpublished) {
        parley_count(ctx->worker->slot, PARLEY_M_UNTOLD, 1);
        ngx_http_parley_log_answer(ctx->request, ctx, NGX_LOG_WARN,
                                   "it could not be stored as a message",
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
    if (!ctx->gate.admit.id_not_kept) {
        return;
    }

    ctx->gate.admit.id_not_kept = 0;

    ngx_log_error(NGX_LOG_ALERT, ctx->request->connection->log, 0,
                  "parley: duplicate window has lost a taken message");
}


ngx_msec_t
ngx_http_parley_sent_wait(ngx_http_request_t *r)
{
    ngx_str_t  *value;

    if (!parley_header_waits((int) r->headers_out.status)) {
        return 0;
    }

    value = ngx_http_parley_sent_header(r, "Retry-After", 0);

    return value == NULL ? 0
           : (ngx_msec_t) parley_header_wait(ngx_http_parley_str(value),
                                             (int64_t) ngx_time() * 1000);
}
