
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The steps of docs/architecture.md in their order, driven by the PRECONTENT
 * phase: after nginx's own access control, before try_files and mirror.  A
 * step that fails ends the request in the caller's protocol and leaves no
 * trace of the later ones.
 */


#include "ngx_http_parley_module.h"


static ngx_int_t ngx_http_parley_subrequest(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_before_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_method(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_announced_size(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_caller_rate(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_after_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_outcome(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_int_t rc);
static void ngx_http_parley_cleanup(void *data);


typedef ngx_int_t (*ngx_http_parley_step_pt)(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* nothing of the body is read before these have passed */

static ngx_http_parley_step_pt  ngx_http_parley_steps_before[] = {
    ngx_http_parley_method,
    ngx_http_parley_token,
    ngx_http_parley_caller_rate,
    ngx_http_parley_announced_size,
    NULL
};


static ngx_http_parley_step_pt  ngx_http_parley_steps_after[] = {
    ngx_http_parley_body_take,
    ngx_http_parley_read,
    ngx_http_parley_check,
    ngx_http_parley_own,
    ngx_http_parley_translate,
    NULL
};


ngx_int_t
ngx_http_parley_precontent_handler(ngx_http_request_t *r)
{
    ngx_int_t                    rc;
    ngx_http_parley_ctx_t       *ctx;
    ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (lcf->accept == 0) {
        return NGX_DECLINED;
    }

    if (r != r->main) {
        return ngx_http_parley_subrequest(r);
    }

    ctx = ngx_http_parley_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->forwarded || ctx->dry) {
        return NGX_DECLINED;
    }

    if (ctx->body_read) {
        return ngx_http_parley_after_body(r, ctx);
    }

    rc = ngx_http_parley_before_body(r, ctx);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_read_client_request_body(r, ngx_http_parley_body_handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


/*
 * SEC-07: a message comes as a request of its own.  The access phase leaves
 * subrequests alone, and theirs are the headers and the body of their parent.
 */

static ngx_int_t
ngx_http_parley_subrequest(ngx_http_request_t *r)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "parley: subrequest \"%V\" refused: a message comes as a "
                  "request of its own", &r->uri);

    return NGX_HTTP_FORBIDDEN;
}


ngx_http_parley_ctx_t *
ngx_http_parley_get_ctx(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t     *cln;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx) {
        return ctx;
    }

    ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_parley_ctx_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    ctx->request = r;
    ctx->mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);
    ctx->lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);
    ctx->proto = PARLEY_PROTO_NONE;
    ctx->msg.wire = PARLEY_PROTO_NONE;
    ctx->msg.timeout_ms = -1;

    ngx_http_parley_block_arena(ctx);

    ctx->who.arena = &ctx->arena;
    ctx->who.directory = ctx->mcf->directory;
    ctx->who.msg = &ctx->msg;

    ctx->seal.arena = &ctx->arena;
    ctx->seal.key = ctx->mcf->signing;

    parley_error_clear(&ctx->error);
    parley_loss_init(&ctx->loss, &ctx->arena);

    cln->handler = ngx_http_parley_cleanup;
    cln->data = ctx;

    ngx_http_set_ctx(r, ctx, ngx_http_parley_module);

    return ctx;
}


/*
 * However the request ends (the client left, an internal redirect dropped
 * the context), what was not taken by the upstream may come again.
 */

static void
ngx_http_parley_cleanup(void *data)
{
    ngx_http_parley_ctx_t  *ctx = data;

    ngx_http_parley_deadline_stop(ctx);
    ngx_http_parley_window_release(ctx);

    if (ctx->token && ctx->mcf->tokens) {
        parley_token_cache_release(ctx->mcf->tokens, ctx->token);
        ctx->token = NULL;
    }

    ngx_http_parley_block_release(ctx);
}


static ngx_int_t
ngx_http_parley_before_body(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_http_parley_step_pt  *step;

    for (step = ngx_http_parley_steps_before; *step; step++) {
        rc = (*step)(r, ctx);

        if (rc != NGX_OK) {
            return ngx_http_parley_outcome(r, ctx, rc);
        }
    }

    return NGX_OK;
}


/*
 * What a step that did not pass comes to, as the phase has it.  In a dry run
 * the request goes on as it came.
 */

static ngx_int_t
ngx_http_parley_outcome(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_int_t rc)
{
    switch (rc) {

    case NGX_AGAIN:
    case NGX_DONE:
        return NGX_DONE;

    case NGX_DECLINED:

        if (ctx->lcf->dry_run) {
            ctx->dry = 1;
            ctx->verdict = "dry-refused";
            ngx_http_parley_window_release(ctx);
            ngx_http_parley_log_refusal(r, ctx);
            return NGX_DECLINED;
        }

        return ngx_http_parley_refuse(r, ctx);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


static ngx_int_t
ngx_http_parley_method(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (r->method == NGX_HTTP_POST) {
        return NGX_OK;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                            "a message is sent with POST");

    return NGX_DECLINED;
}


/* the cheap refusal of a body that says how large it is */

static ngx_int_t
ngx_http_parley_announced_size(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    if (r->headers_in.content_length_n <= (off_t) ctx->lcf->limits.octets) {
        return NGX_OK;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                            "the body exceeds %lu octets",
                            (unsigned long) ctx->lcf->limits.octets);

    return NGX_DECLINED;
}


/* step 3; whoever has shown no token is limited by address */

static ngx_int_t
ngx_http_parley_caller_rate(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  who;

    if (ctx->lcf->rate == NULL) {
        return NGX_OK;
    }

    who = ctx->who.principal ? ctx->who.principal->sub
                         : ngx_http_parley_str(&r->connection->addr_text);

    return ngx_http_parley_limit_take(ctx, &ctx->lcf->rate->all, who,
                                      parley_str_none);
}


static void
ngx_http_parley_body_handler(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    ctx->body_read = 1;

    r->preserve_body = 1;

    r->write_event_handler = ngx_http_core_run_phases;
    ngx_http_core_run_phases(r);
}


static ngx_int_t
ngx_http_parley_after_body(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_http_parley_step_pt  *step;

    for (step = ngx_http_parley_steps_after; *step; step++) {
        rc = (*step)(r, ctx);

        if (rc != NGX_OK) {
            return ngx_http_parley_outcome(r, ctx, rc);
        }
    }

    if (ctx->lcf->dry_run) {
        ctx->dry = 1;
        ctx->verdict = "dry-passed";
        ngx_http_parley_window_commit(ctx);
        return NGX_DECLINED;
    }

    if (ngx_http_parley_body_replace(r, ctx) != NGX_OK
        || ngx_http_parley_forward_scope(r, ctx) != NGX_OK
        || ngx_http_parley_request_headers(r, ctx) != NGX_OK
        || ngx_http_parley_deadline_start(r, ctx) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->forwarded = 1;
    ctx->verdict = "passed";

    return NGX_DECLINED;
}
