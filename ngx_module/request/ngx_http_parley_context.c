
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The context of a request or of a WebSocket message.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"


/* enough for a message of usual size, its translation and its answer */
#define NGX_HTTP_PARLEY_BLOCK        8192

/* a request without a message may last as long as a stream */
#define NGX_HTTP_PARLEY_BLOCK_SMALL  1024


static ngx_uint_t ngx_http_parley_context_lasts(ngx_http_request_t *r,
    const ngx_http_parley_loc_conf_t *lcf);
static void ngx_http_parley_context_init(ngx_http_parley_ctx_t *ctx,
    ngx_http_request_t *r, ngx_pool_t *pool);
static void ngx_http_parley_context_frame(ngx_http_parley_ctx_t *ctx,
    ngx_http_request_t *r, ngx_pool_t *pool);
static void ngx_http_parley_context_leave(ngx_http_parley_ctx_t *ctx);
static void *ngx_http_parley_context_alloc(void *pool, size_t size);
static void ngx_http_parley_context_free(void *pool, void *p);
static void ngx_http_parley_context_cleanup(void *data);


const ngx_http_parley_contexts_t  ngx_http_parley_contexts = {
    ngx_http_parley_context,
    ngx_http_parley_context_frame,
    ngx_http_parley_context_leave
};


ngx_http_parley_ctx_t *
ngx_http_parley_context(ngx_http_request_t *r)
{
    size_t                             block;
    parley_str_t                       query;
    ngx_pool_cleanup_t                *cln;
    ngx_http_parley_ctx_t             *ctx, *before;
    const ngx_http_parley_loc_conf_t  *lcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);
    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (ctx && (ctx->gate.where.begun || ctx->lcf == lcf)) {
        return ctx;
    }

    before = ctx || !r->internal ? ctx : ngx_http_parley_context_find(r);
    query = before ? before->gate.in.raw_query : parley_str_none;

    if (ctx) {
        /* a variable was read before the request changed its location */

        ngx_http_parley_context_leave(ctx);
        ngx_http_parley_context_init(ctx, r, r->pool);

        return ngx_http_parley_redact(r, ctx, query) == NGX_OK ? ctx : NULL;
    }

    /* the context's memory includes the first block of the arena */

    block = ngx_http_parley_context_lasts(r, lcf) ? 0 : NGX_HTTP_PARLEY_BLOCK;

    ctx = ngx_palloc(r->pool, sizeof(ngx_http_parley_ctx_t) + block);
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (ctx == NULL || cln == NULL) {
        return NULL;
    }

    ngx_http_parley_context_init(ctx, r, r->pool);

    if (block != 0) {
        parley_arena_lend(&ctx->arena, ctx + 1, block);
    }

    cln->handler = ngx_http_parley_context_cleanup;
    cln->data = ctx;

    ngx_http_set_ctx(r, ctx, ngx_http_parley_module);

    return ngx_http_parley_redact(r, ctx, query) == NGX_OK ? ctx : NULL;
}


/* Returns whether the request has no message, so that it may last as long as a
   stream. */

static ngx_uint_t
ngx_http_parley_context_lasts(ngx_http_request_t *r,
    const ngx_http_parley_loc_conf_t *lcf)
{
    return (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))
           || parley_settings_endpoint(lcf) != PARLEY_ENDPOINT_NONE;
}


/* Prepares a context that takes its memory from pool. */

static void
ngx_http_parley_context_init(ngx_http_parley_ctx_t *ctx, ngx_http_request_t *r,
    ngx_pool_t *pool)
{
    parley_mem_t  mem;

    /* parley_gate_init() and parley_error_clear() clear their part of the
       rest */

    ngx_memzero(ctx, offsetof(ngx_http_parley_ctx_t, gate.out.opts));
    ngx_memzero(&ctx->who, sizeof(ngx_http_parley_ctx_t)
                           - offsetof(ngx_http_parley_ctx_t, who));

    ctx->request = r;
    ctx->mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);
    ctx->worker = ctx->mcf->worker;
    ctx->lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);
    ctx->msg.wire = PARLEY_PROTO_NONE;
    ctx->msg.timeout_ms = -1;

    mem.alloc = ngx_http_parley_context_alloc;
    mem.free = ngx_http_parley_context_free;
    mem.ctx = pool;

    parley_arena_init(&ctx->arena, &mem,
                      pool == r->pool
                      && ngx_http_parley_context_lasts(r, ctx->lcf)
                      ? NGX_HTTP_PARLEY_BLOCK_SMALL : NGX_HTTP_PARLEY_BLOCK);

    ngx_http_parley_gate_init(r, ctx);

    parley_error_clear(&ctx->error);
    parley_loss_init(&ctx->loss, &ctx->arena);
}


static void
ngx_http_parley_context_frame(ngx_http_parley_ctx_t *ctx,
    ngx_http_request_t *r, ngx_pool_t *pool)
{
    ngx_http_parley_context_init(ctx, r, pool);
    ngx_http_parley_gate_frame(ctx);
}


/* Ends the context and releases reservations that are not settled. */

static void
ngx_http_parley_context_leave(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_fetch_leave(ctx);
    ngx_http_parley_deadline_stop(ctx);
    ngx_http_parley_wait_stop(ctx);
    parley_gate_leave(&ctx->gate, (int64_t) ngx_current_msec);

    if (ctx->seated) {
        ctx->seated = 0;
        ngx_http_parley_seat_give(ctx->worker, ctx->gate.proof.account);
    }
}


/* Allocates for the arena. */

static void *
ngx_http_parley_context_alloc(void *pool, size_t size)
{
    return ngx_palloc(pool, size);
}


/* Frees large allocations; small ones stay in the pool. */

static void
ngx_http_parley_context_free(void *pool, void *p)
{
    (void) ngx_pfree(pool, p);
}


ngx_http_parley_ctx_t *
ngx_http_parley_context_find(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_parley_context_cleanup) {
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
ngx_http_parley_context_cleanup(void *data)
{
    ngx_http_parley_context_leave(data);
}
