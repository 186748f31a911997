
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The filters after Parley's, and the client that they send to.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


ngx_http_output_header_filter_pt  ngx_http_parley_next_header;
ngx_http_output_body_filter_pt    ngx_http_parley_next_body;


/*
 * Calls the next header filter; the client may have left (GW-21).  An answer
 * of events continues unsent.  A complete answer ends with the status that
 * nginx logs for a departed client.
 */

ngx_int_t
ngx_http_parley_next_header_filter(ngx_http_request_t *r)
{
    ngx_int_t               rc;
    ngx_uint_t              events;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx == NULL || !ctx->forwarded || ctx->gate.serve.relays) {
        return ngx_http_parley_next_header(r);
    }

    events = (ctx->answer == NGX_HTTP_PARLEY_ANSWER_EVENTS);

    if (!ctx->left) {
        rc = ngx_http_parley_next_header(r);

        if (rc != NGX_ERROR || !r->connection->error || !events) {
            return rc;
        }

        ngx_http_parley_client_left(ctx);
    }

    return events ? NGX_OK : NGX_HTTP_CLIENT_CLOSED_REQUEST;
}


ngx_int_t
ngx_http_parley_next_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t               rc;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx == NULL || ctx->answer != NGX_HTTP_PARLEY_ANSWER_EVENTS
        || ctx->gate.serve.relays)
    {
        return ngx_http_parley_next_body(r, in);
    }

    if (!ctx->left) {
        rc = ngx_http_parley_next_body(r, in);

        if (rc != NGX_ERROR || !r->connection->error) {
            ngx_http_parley_client_stream(r, ctx);
            return rc;
        }

        ngx_http_parley_client_left(ctx);
    }

    for (/* void */ ; in; in = in->next) {
        in->buf->pos = in->buf->last;
    }

    return NGX_OK;
}
