
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Runs the steps of docs/architecture.md in the PRECONTENT phase: after
 * nginx's access control, before try_files and mirror.  A failed step ends the
 * request in the caller's protocol, and the later steps do not run.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_state.h"


/* enough for a message of usual size, its translation and its answer */
#define NGX_HTTP_PARLEY_BLOCK        8192

/* a request without a message may last as long as a stream */
#define NGX_HTTP_PARLEY_BLOCK_SMALL  1024


static ngx_int_t ngx_http_parley_subrequest(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_answered(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_wait(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_body_handler(ngx_http_request_t *r);
static void ngx_http_parley_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_spared(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void *ngx_http_parley_alloc(void *pool, size_t size);
static void ngx_http_parley_free(void *pool, void *p);
static void ngx_http_parley_cleanup(void *data);


ngx_int_t
ngx_http_parley_precontent_handler(ngx_http_request_t *r)
{
    parley_step_result_t         result;
    ngx_http_parley_ctx_t       *ctx;
    ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (!parley_settings_steps(lcf)) {
        return NGX_DECLINED;
    }

    if (r != r->main) {
        return ngx_http_parley_is_detached(r) ? NGX_DECLINED
                                              : ngx_http_parley_subrequest(r);
    }

    if (r->internal && ngx_http_parley_redirect_is_into(r)) {
        return ngx_http_parley_redirect_refuse(r);
    }

    ctx = ngx_http_parley_get_ctx(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->forwarded || ctx->dry) {
        return NGX_DECLINED;
    }

    if (ctx->resume) {
        ngx_http_parley_resume(r, ctx);
    }

    ngx_http_parley_count_begin(ctx);

    result = parley_gate_run(&ctx->gate, (int64_t) ngx_current_msec);

    ngx_http_parley_count_end(ctx);

    ngx_http_parley_forgotten(ctx);

    if (ctx->forwarded || result == PARLEY_RESULT_ANSWERED
        || result == PARLEY_RESULT_REFUSED)
    {
        /* the answer to a message does not depend on If- headers (GW-36) */
        r->disable_not_modified = 1;
    }

    switch (result) {

    case PARLEY_RESULT_PASSED:
        ctx->dry = !ctx->forwarded;
        return NGX_DECLINED;

    case PARLEY_RESULT_WAIT:
        return ngx_http_parley_wait(r, ctx);

    case PARLEY_RESULT_ANSWERED:
        return ngx_http_parley_answered(r, ctx);

    case PARLEY_RESULT_REFUSED:

        if (!ctx->gate.holds) {
            ngx_http_parley_await_leave(ctx);
        }

        return ngx_http_parley_refuse(r, ctx);

    case PARLEY_RESULT_SPARED:
        return ngx_http_parley_spared(r, ctx);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/* Sends the gateway's own answer: a stream, a later answer, or one now. */

static ngx_int_t
ngx_http_parley_answered(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx->gate.opening) {
        return ctx->lcf->websocket
               ? ngx_http_parley_websocket_open(r, ctx, ctx->gate.opening)
               : ngx_http_parley_stream_open(r, ctx, ctx->gate.opening);
    }

    if (ctx->gate.holds) {
        return ngx_http_parley_await_answer(r, ctx);
    }

    ngx_http_parley_await_leave(ctx);

    return ngx_http_parley_respond(r, ctx, &ctx->gate.reply);
}


/*
 * Refuses a subrequest: a message must be a main request (SEC-07).  The access
 * phase skips subrequests, and a subrequest has its parent's headers and body.
 */

static ngx_int_t
ngx_http_parley_subrequest(ngx_http_request_t *r)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "parley: subrequest \"%V\" refused: a message must be a "
                  "main request", &r->uri);

    return NGX_HTTP_FORBIDDEN;
}


ngx_http_parley_ctx_t *
ngx_http_parley_get_ctx(ngx_http_request_t *r)
{
    size_t                       block;
    ngx_pool_cleanup_t          *cln;
    ngx_http_parley_ctx_t       *ctx;
    ngx_http_parley_loc_conf_t  *lcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx) {
        return ctx;
    }

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    /* the context's memory includes the first block of the arena */

    block = parley_settings_endpoint(lcf) == PARLEY_ENDPOINT_NONE
            ? NGX_HTTP_PARLEY_BLOCK : 0;

    ctx = ngx_palloc(r->pool, sizeof(ngx_http_parley_ctx_t) + block);
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    ngx_http_parley_ctx_init(ctx, r, r->pool);

    if (block != 0) {
        parley_arena_lend(&ctx->arena, ctx + 1, block);
    }

    cln->handler = ngx_http_parley_cleanup;
    cln->data = ctx;

    ngx_http_set_ctx(r, ctx, ngx_http_parley_module);

    return ngx_http_parley_redact(r, ctx) == NGX_OK ? ctx : NULL;
}


void
ngx_http_parley_ctx_init(ngx_http_parley_ctx_t *ctx, ngx_http_request_t *r,
    ngx_pool_t *pool)
{
    parley_mem_t  mem;

    /* parley_gate_init() and parley_error_clear() clear their part of the
       rest */

    ngx_memzero(ctx, offsetof(ngx_http_parley_ctx_t, gate.opts));
    ngx_memzero(&ctx->who, sizeof(ngx_http_parley_ctx_t)
                           - offsetof(ngx_http_parley_ctx_t, who));

    ctx->request = r;
    ctx->mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);
    ctx->lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);
    ctx->msg.wire = PARLEY_PROTO_NONE;
    ctx->msg.timeout_ms = -1;

    mem.alloc = ngx_http_parley_alloc;
    mem.free = ngx_http_parley_free;
    mem.ctx = pool;

    parley_arena_init(&ctx->arena, &mem,
                      pool != r->pool
                      || parley_settings_endpoint(ctx->lcf)
                         == PARLEY_ENDPOINT_NONE
                      ? NGX_HTTP_PARLEY_BLOCK : NGX_HTTP_PARLEY_BLOCK_SMALL);

    ngx_http_parley_gate_init(r, ctx);

    parley_error_clear(&ctx->error);
    parley_loss_init(&ctx->loss, &ctx->arena);
}


void
ngx_http_parley_ctx_leave(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_fetch_leave(ctx);
    ngx_http_parley_deadline_stop(ctx);
    ngx_http_parley_wait_stop(ctx);
    parley_gate_leave(&ctx->gate, (int64_t) ngx_current_msec);
}


/* Allocates for the arena. */

static void *
ngx_http_parley_alloc(void *pool, size_t size)
{
    return ngx_palloc(pool, size);
}


/* Frees large allocations; small ones stay in the pool. */

static void
ngx_http_parley_free(void *pool, void *p)
{
    (void) ngx_pfree(pool, p);
}


ngx_http_parley_ctx_t *
ngx_http_parley_find_ctx(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_parley_cleanup) {
            return cln->data;
        }
    }

    return NULL;
}


/*
 * Runs at any end of the request: the client has left, or an internal redirect
 * has dropped the context.  It frees the id of a message that the upstream has
 * not taken, so the message may be sent again.
 */

static void
ngx_http_parley_cleanup(void *data)
{
    ngx_http_parley_ctx_leave(data);
}


/* Waits for the state or for keys, after which the phase runs again; or reads
   the body. */

static ngx_int_t
ngx_http_parley_wait(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (parley_ask_waits(&ctx->gate.ask)) {
        return ngx_http_parley_wait_phase(r, ctx);
    }

    if (ctx->gate.at != PARLEY_STEP_BODY) {
        return NGX_DONE;
    }

    rc = ngx_http_read_client_request_body(r, ngx_http_parley_body_handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
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


/*
 * Continues a message at a named location (GW-24).  The request gets its
 * original headers and arguments back; the body is replaced later.
 */

static void
ngx_http_parley_resume(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ctx->resume = 0;
    ctx->tried = r->upstream;
    ctx->lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    r->headers_in.headers = ctx->client_headers;
    r->headers_in.content_type = ctx->client_type;
    r->args = ctx->client_args;
    r->unparsed_uri = ctx->client_uri;

    /* the next answer has its own status, as with "error_page 502 =" */
    r->err_status = 0;

    parley_gate_resume(&ctx->gate, ctx->lcf);
}


/* Lets a refused request continue unchanged in a dry run. */

static ngx_int_t
ngx_http_parley_spared(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ctx->dry = 1;

    ngx_http_parley_log_refusal(r, ctx);

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_parley_forward(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx->gate.entry == NULL) {
        ctx->client_headers = r->headers_in.headers;
        ctx->client_type = r->headers_in.content_type;
        ctx->client_args = r->args;
        ctx->client_uri = r->unparsed_uri;
        ctx->client_version = r->http_version;
    }

    if (ngx_http_parley_body_replace(r, ctx) != NGX_OK
        || ngx_http_parley_forward_arguments(r, ctx) != NGX_OK
        || ngx_http_parley_request_headers(r, ctx) != NGX_OK
        || ngx_http_parley_deadline_start(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_parley_client_watch(r, ctx);

    ctx->forwarded = 1;

    return NGX_OK;
}
