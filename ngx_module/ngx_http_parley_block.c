
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Blocks of memory for the arenas of requests.  A worker keeps those that are
 * free for the next request, which finds them in the processor's caches; from
 * the heap it would get others, and pay more for them.
 */


#include "ngx_http_parley_module.h"


/* a message of usual size, its translation and the answer to it fit in one */
#define NGX_HTTP_PARLEY_BLOCK      8192

/* a worker keeps as many free ones; where memory is debugged, none */
#if (NGX_DEBUG_PALLOC)
#define NGX_HTTP_PARLEY_BLOCKS     0
#else
#define NGX_HTTP_PARLEY_BLOCKS     256
#endif


struct ngx_http_parley_block_s {
    ngx_http_parley_block_t      *next;
};


static void *ngx_http_parley_block_alloc(void *data, size_t size);


void
ngx_http_parley_block_arena(ngx_http_parley_ctx_t *ctx)
{
    parley_mem_t  mem;

    mem.alloc = ngx_http_parley_block_alloc;
    mem.free = NULL;
    mem.ctx = ctx;

    parley_arena_init(&ctx->arena, &mem, NGX_HTTP_PARLEY_BLOCK);
}


/* what does not fit in a block is the pool's */

static void *
ngx_http_parley_block_alloc(void *data, size_t size)
{
    ngx_http_parley_ctx_t *ctx = data;

    ngx_http_parley_block_t      *b;
    ngx_http_parley_main_conf_t  *mcf;

    if (size != NGX_HTTP_PARLEY_BLOCK) {
        return ngx_palloc(ctx->request->pool, size);
    }

    mcf = ctx->mcf;
    b = mcf->blocks;

    if (b) {
        mcf->blocks = b->next;
        mcf->nblocks--;

    } else {
        b = ngx_alloc(sizeof(ngx_http_parley_block_t) + size,
                      ctx->request->connection->log);
        if (b == NULL) {
            return NULL;
        }
    }

    b->next = ctx->blocks;
    ctx->blocks = b;

    return b + 1;
}


void
ngx_http_parley_block_release(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_block_t      *b;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ctx->mcf;

    while (ctx->blocks) {
        b = ctx->blocks;
        ctx->blocks = b->next;

        if (mcf->nblocks == NGX_HTTP_PARLEY_BLOCKS) {
            ngx_free(b);
            continue;
        }

        b->next = mcf->blocks;
        mcf->blocks = b;
        mcf->nblocks++;
    }
}


void
ngx_http_parley_block_free(ngx_http_parley_main_conf_t *mcf)
{
    ngx_http_parley_block_t  *b;

    while (mcf->blocks) {
        b = mcf->blocks;
        mcf->blocks = b->next;
        ngx_free(b);
    }

    mcf->nblocks = 0;
}
