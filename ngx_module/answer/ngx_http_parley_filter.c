
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The output filters: an upstream's answer, or an error page of nginx, reaches
 * the caller in the caller's protocol.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_peer.h"


static ngx_int_t ngx_http_parley_header_filter(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_parley_rest(ngx_http_request_t *r,
    ngx_chain_t *in);
static parley_upstream_error_t ngx_http_parley_no_answer(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_foreign_page(ngx_http_request_t *r);
static ngx_uint_t ngx_http_parley_body_exceeds(ngx_http_request_t *r);


static ngx_int_t
ngx_http_parley_header_filter(ngx_http_request_t *r)
{
    parley_upstream_error_t            trouble;
    ngx_http_parley_ctx_t             *ctx;
    const ngx_http_parley_loc_conf_t  *lcf;

    if (r != r->main) {
        return ngx_http_parley_detached_header(r) == NGX_DECLINED
               ? ngx_http_parley_next_header(r) : NGX_ERROR;
    }

    if (ngx_http_parley_peer(r)) {
        /* a peer gets frames only; the location refused the WebSocket */
        return NGX_ERROR;
    }

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (!parley_settings_steps(lcf) || lcf->proves) {
        return ngx_http_parley_next_header(r);
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx && ctx->replied) {
        return ngx_http_parley_next_header_filter(r);
    }

    ngx_http_parley_answer_headers(r);

    if (ctx && ctx->dry) {
        return ngx_http_parley_next_header_filter(r);
    }

    if (ctx && ctx->forwarded) {

        if (ctx->gate.serve.socket && r->upstream
            && r->headers_out.status == NGX_HTTP_SWITCHING_PROTOCOLS
            && r->upstream->headers_in.status_n == NGX_HTTP_SWITCHING_PROTOCOLS)
        {
            return ctx->upgraded(r, ctx);
        }

        trouble = ngx_http_parley_no_answer(r);

        if (trouble != PARLEY_UPSTREAM_ERROR_COUNT) {
            r->http_version = ctx->client_version;

            ngx_http_parley_upstream_error(ctx, trouble);
            return NGX_HTTP_BAD_GATEWAY;
        }

        return ngx_http_parley_answer_header(r, ctx);
    }

    return ngx_http_parley_foreign_page(r);
}


/*
 * Returns the reason why the upstream's response is not an answer, or COUNT.
 * Some versions of nginx take 100 and 103 for the answer and wait for a body
 * that ends with the connection (GW-29).  nginx takes a response without a
 * header for HTTP/0.9 and sends it without a status (GW-26).  An error in
 * place of the header closes the connection to the upstream and returns here
 * as an error page.
 */

static parley_upstream_error_t
ngx_http_parley_no_answer(ngx_http_request_t *r)
{
    ngx_uint_t  status;

    if (r->upstream == NULL) {
        return PARLEY_UPSTREAM_ERROR_COUNT;
    }

    /* a client of HTTP/0.9 cannot send a body */

    if (r->http_version == NGX_HTTP_VERSION_9) {
        return PARLEY_UPSTREAM_ERROR_NOT_HTTP;
    }

    status = r->headers_out.status;

    return status == r->upstream->headers_in.status_n
           && status >= NGX_HTTP_CONTINUE && status < NGX_HTTP_OK
           ? PARLEY_UPSTREAM_ERROR_INTERIM : PARLEY_UPSTREAM_ERROR_COUNT;
}


/*
 * Keeps a page of another module that refused the message before it was
 * forwarded (GW-23).  Only the error of a too large body is replaced by a
 * refusal (GW-26).
 */

static ngx_int_t
ngx_http_parley_foreign_page(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t              *ctx;
    const ngx_http_parley_main_conf_t  *mcf;

    if (r->headers_out.status != NGX_HTTP_REQUEST_ENTITY_TOO_LARGE
        || !ngx_http_parley_body_exceeds(r))
    {
        return ngx_http_parley_next_header_filter(r);
    }

    mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);

    ctx = mcf->contexts->get(r);
    if (ctx == NULL) {
        return NGX_ERROR;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                            "the body exceeds client_max_body_size");

    parley_gate_verdict_refuse(&ctx->gate);

    ngx_http_parley_log_refusal(r, ctx);

    return ngx_http_parley_answer_header(r, ctx);
}


/*
 * Returns whether the body is the reason: its announced length or its received
 * part exceeds the limit.  nginx has dropped the body by now and has counted
 * its length down.
 */

static ngx_uint_t
ngx_http_parley_body_exceeds(ngx_http_request_t *r)
{
    off_t                      max;
    ngx_table_elt_t           *said;
    ngx_http_parley_ctx_t     *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    max = clcf->client_max_body_size;
    said = r->headers_in.content_length;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (max == 0) {
        return 0;
    }

    return (said && ngx_atoof(said->value.data, said->value.len) > max)
           || (ctx && !ctx->body_read
               && ctx->gate.where.at == PARLEY_STEP_BODY);
}


/* Drops the rest of an answer after the reply; an error ends the upstream. */

static ngx_int_t
ngx_http_parley_rest(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t   rc;
    ngx_uint_t  last;

    last = 0;

    for (/* void */ ; in; in = in->next) {
        last |= in->buf->last_buf;
        in->buf->pos = in->buf->last;
    }

    rc = ngx_http_parley_next_body(r, NULL);

    return rc == NGX_OK && !last && r->connection->buffered == 0 ? NGX_ERROR
                                                                 : rc;
}


static ngx_int_t
ngx_http_parley_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (r != r->main || ctx == NULL) {
        return ngx_http_parley_next_body(r, in);
    }

    if (ctx->answer == NGX_HTTP_PARLEY_ANSWER_EVENTS) {
        /* also without a chain: earlier input may not be read yet */
        return ngx_http_parley_sse_body(r, ctx, in);
    }

    if (in && ctx->answer == NGX_HTTP_PARLEY_ANSWER_BUFFER) {
        return ngx_http_parley_answer_body(r, ctx, in);
    }

    if (ctx->answer == NGX_HTTP_PARLEY_ANSWER_HELD) {

        for (/* void */ ; in; in = in->next) {
            in->buf->pos = in->buf->last;
        }

        return NGX_AGAIN;
    }

    if (in && ctx->cut && ctx->answer == NGX_HTTP_PARLEY_ANSWER_DONE) {
        return ngx_http_parley_rest(r, in);
    }

    return ngx_http_parley_next_body(r, in);
}


ngx_int_t
ngx_http_parley_filter_init(ngx_conf_t *cf)
{
    ngx_http_parley_next_header = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_parley_header_filter;

    ngx_http_parley_next_body = ngx_http_top_body_filter;
    ngx_http_top_body_filter = ngx_http_parley_body_filter;

    return NGX_OK;
}
