
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Refusals: sent in the caller's protocol and logged once, without secrets or
 * payload.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_random.h"
#include "gate/settings/parley_challenge.h"
#include "http/parley_handshake.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_settings.h"


#define NGX_HTTP_PARLEY_UPGRADE_REQUIRED  426


static ngx_uint_t ngx_http_parley_has_page(ngx_http_request_t *r,
    ngx_int_t status);
static ngx_int_t ngx_http_parley_send(ngx_http_request_t *r,
    const parley_reply_t *reply);
static ngx_int_t ngx_http_parley_challenge(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_allow(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_upgrade(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_retry_after(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_refuse(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t       rc;
    parley_reply_t  reply;

    ctx->replied = 1;

    ngx_http_parley_log_refusal(r, ctx);

    if (!ctx->body_read) {
        /* a client that waits for 100 need not send the body */
        r->expect_tested = 1;

        rc = ngx_http_discard_request_body(r);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (ngx_http_parley_refusal(r, ctx, &reply) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->gate.publish.holds) {
        return ctx->held_answer(r, ctx);
    }

    return ngx_http_parley_respond(r, ctx, &reply);
}


/*
 * Refuses a request without a message.  A page of error_page for the status
 * replaces the gateway's answer.
 */

ngx_int_t
ngx_http_parley_refuse_request(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  status;

    status = parley_error_info(ctx->error.code)->http;

    if (!ngx_http_parley_has_page(r, status)) {
        return ngx_http_parley_refuse(r, ctx);
    }

    ngx_http_parley_log_refusal(r, ctx);

    return ngx_http_parley_challenge(r, ctx) == NGX_OK
           && ngx_http_parley_retry_after(r, ctx) == NGX_OK
           ? status : NGX_HTTP_INTERNAL_SERVER_ERROR;
}


static ngx_uint_t
ngx_http_parley_has_page(ngx_http_request_t *r, ngx_int_t status)
{
    ngx_uint_t                 i;
    ngx_http_err_page_t       *page;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->error_pages == NULL
        || (r->error_page && !clcf->recursive_error_pages))
    {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == status) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_parley_respond(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *reply)
{
    ctx->replied = 1;

    if (ngx_http_parley_reply_headers(r, ctx, reply) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_finalize_request(r, ngx_http_parley_send(r, reply));

    return NGX_DONE;
}


static ngx_int_t
ngx_http_parley_send(ngx_http_request_t *r, const parley_reply_t *reply)
{
    ngx_int_t    rc;
    ngx_chain_t  out;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = ngx_http_parley_last_buf(r, reply->body);
    out.next = NULL;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_output_filter(r, &out);
}


ngx_buf_t *
ngx_http_parley_last_buf(ngx_http_request_t *r, parley_str_t body)
{
    ngx_buf_t  *b;

    b = ngx_calloc_buf(r->pool);

    if (b == NULL) {
        return NULL;
    }

    if (body.len) {
        b->pos = (u_char *) body.data;
        b->last = b->pos + body.len;
        b->memory = 1;
    }

    b->last_buf = 1;
    b->last_in_chain = 1;

    return b;
}


ngx_int_t
ngx_http_parley_refusal(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    parley_reply_t *reply)
{
    parley_proto_t    proto;
    parley_refusal_t  refusal;

    proto = parley_gate_refusal(&ctx->gate, &refusal);

    refusal.now_ms = ngx_http_parley_now();
    refusal.backoff_ms = ctx->gate.report.wait ? ctx->gate.report.wait : -1;
    refusal.first = ctx->gate.admit.first;

    if (ngx_http_parley_random(refusal.random) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memzero(reply, sizeof(parley_reply_t));
    reply->status = parley_error_info(ctx->error.code)->http;

    if (parley_gate_collect_refused(&ctx->gate, proto, &refusal, reply) != 0) {
        return NGX_ERROR;
    }

    if (ctx->gate.serve.upgrade) {
        reply->status = NGX_HTTP_PARLEY_UPGRADE_REQUIRED;
    }

    return NGX_OK;
}


/* Logs the error.  Returns NGX_OK with *reply, or NGX_ERROR. */

ngx_int_t
ngx_http_parley_reply_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply)
{
    if (ngx_http_parley_refusal(r, ctx, reply) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ctx->forwarded) {
        ngx_http_parley_log_refusal(r, ctx);
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_reply_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied)
{
    ngx_int_t    rc;
    ngx_chain_t  out;

    ctx->replied = 1;

    ngx_http_parley_answer_trailers(r, !copied);

    if (!copied) {
        ngx_http_parley_answer_replaced(r, PARLEY_PROTO_NONE);
    }

    if (ngx_http_parley_reply_headers(r, ctx, reply) != NGX_OK
        || ngx_http_parley_out_header(r, "traceparent", ctx->answer_trace)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_parley_next_header_filter(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = ngx_http_parley_last_buf(r, reply->body);
    out.next = NULL;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_parley_next_body_filter(r, &out);
}


ngx_int_t
ngx_http_parley_reply_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply)
{
    parley_str_t  lost;

    /* $status shows err_status unless it is 0 (GW-26) */
    r->err_status = 0;

    r->headers_out.status = reply->status;
    r->headers_out.status_line.len = 0;

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
    ngx_http_clear_last_modified(r);
    ngx_http_clear_etag(r);

    r->headers_out.content_length_n = reply->body.len;

    r->headers_out.content_type = ngx_http_parley_ngx_str(reply->content_type);
    r->headers_out.content_type_len = reply->content_type.len;
    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.charset.len = 0;

    if (r->headers_out.content_encoding) {
        r->headers_out.content_encoding->hash = 0;
        r->headers_out.content_encoding = NULL;
    }

    if (parley_settings_endpoint(ctx->lcf) != PARLEY_ENDPOINT_NONE
        && ngx_http_parley_out_header(r, "Cache-Control",
                                      PARLEY_STR("no-store"))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_parley_challenge(r, ctx) != NGX_OK
        || ngx_http_parley_retry_after(r, ctx) != NGX_OK
        || ngx_http_parley_allow(r, ctx) != NGX_OK
        || ngx_http_parley_upgrade(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx->loss.count == 0 || ctx->lcf->gate.loss == PARLEY_LOSS_IGNORE)
    {
        return NGX_OK;
    }

    if (parley_loss_text(&ctx->loss, &ctx->arena, PARLEY_LOSS_HEADER, &lost)
        != 0)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_out_header(r, "Parley-Loss", lost);
}


static ngx_int_t
ngx_http_parley_challenge(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_str_t           value;
    ngx_table_elt_t       *h;
    const parley_realm_t  *realm;

    static const parley_realm_t  by_certificate = {
        parley_str(PARLEY_REALM_DEFAULT), parley_str_none
    };

    realm = ctx->lcf->jwt ? &ctx->lcf->jwt->realm : &by_certificate;

    if (ctx->lcf->jwt == NULL
        && ctx->lcf->gate.certificate == PARLEY_DEMAND_OFF)
    {
        return NGX_OK;
    }

    if (parley_challenge(&ctx->arena, realm, &ctx->error,
                         ctx->gate.report.lacks, &value)
        != 0)
    {
        return NGX_ERROR;
    }

    if (value.len == 0) {
        return NGX_OK;
    }

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = 1;
    ngx_str_set(&h->key, "WWW-Authenticate");
    h->value = ngx_http_parley_ngx_str(value);

    r->headers_out.www_authenticate = h;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_allow(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  methods;

    if (ctx->error.code != PARLEY_E_METHOD_NOT_ALLOWED) {
        return NGX_OK;
    }

    if (parley_gate_methods(&ctx->gate, &methods) != 0) {
        return NGX_ERROR;
    }

    return ngx_http_parley_out_header(r, "Allow", methods);
}


/* Adds the headers of RFC 9110, section 7.8.  HTTP/2 does not have Upgrade. */

static ngx_int_t
ngx_http_parley_upgrade(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (!ctx->gate.serve.upgrade) {
        return NGX_OK;
    }

    if (r->http_version < NGX_HTTP_VERSION_20
        && ngx_http_parley_out_header(r, "Upgrade", PARLEY_STR("websocket"))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_out_header(r, "Sec-WebSocket-Version",
                                      PARLEY_STR(PARLEY_HANDSHAKE_VERSION));
}


static ngx_int_t
ngx_http_parley_retry_after(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    u_char  *p;
    size_t   len;

    if (ctx->error.code == PARLEY_E_NONE || ctx->gate.report.wait == 0
        || ngx_http_parley_sent_header(r, "Retry-After", 0))
    {
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    len = ngx_sprintf(p, "%L", (ctx->gate.report.wait + 999) / 1000) - p;

    return ngx_http_parley_out_header(r, "Retry-After",
                                      parley_str_make(p, len));
}
