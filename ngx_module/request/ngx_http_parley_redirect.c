
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Internal redirection.  nginx clears the contexts of modules and continues
 * with the changed request, with other directives.  A forwarded message may
 * continue only by error_page, at a named location that accepts messages
 * (GW-24).  Any other redirection of it is answered with an error.  A
 * redirection cannot bring a message into a location either.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "gate/correlation/parley_exchange.h"
#include "gate/settings/parley_settings.h"


static ngx_uint_t ngx_http_parley_redirect_in_flight(
    ngx_http_parley_ctx_t *ctx);
static ngx_uint_t ngx_http_parley_redirect_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_uint_t ngx_http_parley_redirect_accel(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_redirect_out(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_redirect_error(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_redirect_mark(void *data);


/*
 * Runs in SERVER_REWRITE before any directive.  At that time only
 * ngx_http_internal_redirect() can have changed the URI.
 */

ngx_int_t
ngx_http_parley_redirect_handler(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t     *cln;
    ngx_http_parley_ctx_t  *ctx;

    if (r->uri_changes == NGX_HTTP_MAX_URI_CHANGES + 1) {
        return NGX_DECLINED;
    }

    /* a delivery does not follow redirections (VCP-21) */

    if (ngx_http_parley_detached_url(r)) {
        return NGX_HTTP_BAD_GATEWAY;
    }

    if (r != r->main || r->post_action) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_parley_context_find(r);

    if (ctx && ngx_http_parley_redirect_in_flight(ctx)) {
        return ngx_http_parley_redirect_out(r, ctx);
    }

    /* the location that the redirection leads to checks this mark */

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_parley_redirect_mark;

    return NGX_DECLINED;
}


/* Runs in REWRITE, where a named location begins. */

ngx_int_t
ngx_http_parley_redirect_named_handler(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t             *ctx;
    ngx_http_core_loc_conf_t          *clcf;
    const ngx_http_parley_loc_conf_t  *lcf;

    if (ngx_http_parley_detached_url(r)) {
        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

        return clcf->named ? NGX_HTTP_BAD_GATEWAY : NGX_DECLINED;
    }

    if (!r->internal || r != r->main || r->post_action) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx) {
        return ctx->out ? ngx_http_parley_redirect_out(r, ctx) : NGX_DECLINED;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!clcf->named) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_parley_context_find(r);
    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (ctx == NULL) {
        return NGX_DECLINED;
    }

    if (ctx->dry) {

        /* a location in a dry run gets the context, so that the request
           passes */

        if (lcf->gate.dry != PARLEY_DRY_OFF && !lcf->proves) {
            ngx_http_set_ctx(r, ctx, ngx_http_parley_module);
        }

        return NGX_DECLINED;
    }

    if (!ngx_http_parley_redirect_in_flight(ctx)) {
        return NGX_DECLINED;
    }

    if (lcf->gate.accept == 0 || ctx->gate.serve.relays
        || !ngx_http_parley_redirect_failed(r, ctx))
    {
        return ngx_http_parley_redirect_out(r, ctx);
    }

    ngx_http_set_ctx(r, ctx, ngx_http_parley_module);

    ctx->forwarded = 0;
    ctx->resume = 1;

    return NGX_DECLINED;
}


/* Returns whether the message is forwarded and waits for an answer. */

static ngx_uint_t
ngx_http_parley_redirect_in_flight(ngx_http_parley_ctx_t *ctx)
{
    return ctx->forwarded && !ctx->replied;
}


/*
 * Returns whether the failure of an upstream led here for the first time, and
 * not try_files, a script or X-Accel-Redirect.
 */

static ngx_uint_t
ngx_http_parley_redirect_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    return r->upstream && r->upstream != ctx->tried && !ctx->gate.in.timed_out
           && !ngx_http_parley_redirect_accel(r);
}


static ngx_uint_t
ngx_http_parley_redirect_accel(ngx_http_request_t *r)
{
    ngx_http_upstream_t  *u;

    u = r->upstream;

    return u && u->headers_in.x_accel_redirect
           && !(u->conf->ignore_headers & NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT);
}


static ngx_int_t
ngx_http_parley_redirect_out(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    parley_reply_t             reply;
    ngx_http_core_loc_conf_t  *clcf;

    if (!ctx->out) {
        ctx->out = 1;

        ngx_http_set_ctx(r, ctx, ngx_http_parley_module);
        ngx_http_parley_deadline_stop(ctx);

        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

        if (!ctx->gate.in.timed_out) {
            ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                          "parley: redirection to \"%V\" refused: a "
                          "forwarded message continues only by error_page at "
                          "a named location with parley_accept",
                          clcf->named ? &clcf->name : &r->uri);
        }

        ngx_http_parley_redirect_error(r, ctx);

        ngx_http_parley_log_refusal(r, ctx);
    }

    if (ngx_http_parley_unanswered(ctx, NULL) == NGX_AGAIN) {
        return ngx_http_parley_wait_phase(r, ctx);
    }

    if (ngx_http_parley_refusal(r, ctx, &reply) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_parley_respond(r, ctx, &reply);
}


/* Sets the error for the caller. */

static void
ngx_http_parley_redirect_error(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    parley_response_t     response;
    ngx_http_upstream_t  *u;

    u = r->upstream;

    if (ngx_http_parley_redirect_accel(r)) {
        parley_gate_upstream_error(&ctx->gate, PARLEY_UPSTREAM_ERROR_REDIRECT,
                                   (int) u->headers_in.status_n);
        return;
    }

    if (ngx_http_parley_upstream_is_silent(r)) {
        ngx_http_parley_upstream_note(r, ctx);
        return;
    }

    /* a page is configured for the status of the service */

    ngx_memzero(&response, sizeof(parley_response_t));
    response.status = (int) u->headers_in.status_n;

    if (parley_gate_answer(&ctx->gate, &response, &ctx->answered) == 0) {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_UNREACHED);
    }
}


ngx_uint_t
ngx_http_parley_redirect_is_into(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t        *cln;
    ngx_http_core_loc_conf_t  *clcf;

    if (r->post_action) {
        return 1;
    }

    if (ngx_http_get_module_ctx(r, ngx_http_parley_module)) {
        return 0;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->named) {
        return 1;
    }

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_parley_redirect_mark) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_parley_redirect_refuse(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    if (r->post_action) {
        /* the client already has its response */
        return NGX_HTTP_FORBIDDEN;
    }

    ctx = ngx_http_parley_context(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_POLICY_REFUSED, NULL,
                            "a message must not come by internal redirection");

    parley_gate_verdict_refuse(&ctx->gate);

    return ngx_http_parley_refuse(r, ctx);
}


/* Marks the request by its address in the list of cleanup handlers. */

static void
ngx_http_parley_redirect_mark(void *data)
{
}
