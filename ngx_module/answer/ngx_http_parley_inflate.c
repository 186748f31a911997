
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Parley asks upstreams for identity, but accepts a compressed answer.  The
 * output is limited, so that a small answer cannot become a large one.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"

#include <zlib.h>


#define NGX_HTTP_PARLEY_INFLATE_CHUNK  16384


typedef struct {
    z_stream                      zs;
    ngx_buf_t                    *out;            /* not full yet */
    unsigned                      begun:1;
    unsigned                      whole:1;
} ngx_http_parley_inflate_t;


static ngx_uint_t ngx_http_parley_inflate_is(ngx_str_t *coding,
    const char *name);
static ngx_int_t ngx_http_parley_inflate_more(ngx_http_request_t *r,
    ngx_http_parley_inflate_t *state, ngx_chain_t ***last, size_t *size,
    size_t limit);
static void ngx_http_parley_inflate_cleanup(void *data);


ngx_int_t
ngx_http_parley_inflate_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t                  *coding;
    ngx_pool_cleanup_t         *cln;
    ngx_http_parley_inflate_t  *state;

    coding = &r->headers_out.content_encoding->value;

    if (ngx_http_parley_inflate_is(coding, "identity")) {
        return NGX_OK;
    }

    if (!ngx_http_parley_inflate_is(coding, "gzip")
        && !ngx_http_parley_inflate_is(coding, "x-gzip"))
    {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_CODING);
        return NGX_OK;
    }

    state = ngx_pcalloc(r->pool, sizeof(ngx_http_parley_inflate_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (state == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    if (inflateInit2(&state->zs, MAX_WBITS + 16) != Z_OK) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_inflate_cleanup;
    cln->data = state;

    ctx->inflate = state;

    return NGX_OK;
}


/* RFC 9110, section 8.4.1.3: "x-gzip" and "gzip" are the same coding */

static ngx_uint_t
ngx_http_parley_inflate_is(ngx_str_t *coding, const char *name)
{
    return coding->len == ngx_strlen(name)
           && ngx_strncasecmp(coding->data, (u_char *) name, coding->len) == 0;
}


ngx_int_t
ngx_http_parley_inflate(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_buf_t *in, size_t limit, ngx_chain_t ***last, size_t *size)
{
    ngx_int_t                   rc;
    ngx_http_parley_inflate_t  *state;

    state = ctx->inflate;

    state->begun = 1;
    state->zs.next_in = in->pos;
    state->zs.avail_in = in->last - in->pos;

    do {
        rc = ngx_http_parley_inflate_more(r, state, last, size, limit);
    } while (rc == NGX_AGAIN);

    if (rc == NGX_DECLINED) {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_GZIP);
    }

    return rc;
}


/*
 * Fills the last chunk first and adds at most one, so that small pieces share
 * a chunk.  Returns NGX_AGAIN if there may be more output.
 */

static ngx_int_t
ngx_http_parley_inflate_more(ngx_http_request_t *r,
    ngx_http_parley_inflate_t *state, ngx_chain_t ***last, size_t *size,
    size_t limit)
{
    int           rc;
    z_stream     *zs;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    zs = &state->zs;

    if (state->whole) {

        if (zs->avail_in == 0) {
            return NGX_OK;
        }

        /* RFC 1952, section 2.2: a file can have several members */

        if (inflateReset(zs) != Z_OK) {
            return NGX_ERROR;
        }

        state->whole = 0;
    }

    b = state->out;

    if (b == NULL || b->last == b->end) {
        b = ngx_create_temp_buf(r->pool, NGX_HTTP_PARLEY_INFLATE_CHUNK);
        cl = ngx_alloc_chain_link(r->pool);

        if (b == NULL || cl == NULL) {
            return NGX_ERROR;
        }

        cl->buf = b;
        cl->next = NULL;

        **last = cl;
        *last = &cl->next;

        state->out = b;
    }

    zs->next_out = b->last;
    zs->avail_out = b->end - b->last;

    rc = inflate(zs, Z_SYNC_FLUSH);

    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        return NGX_DECLINED;
    }

    if ((size_t) (zs->next_out - b->last) > limit - *size) {
        return NGX_DECLINED;
    }

    *size += zs->next_out - b->last;
    b->last = zs->next_out;

    if (rc == Z_STREAM_END) {
        state->whole = 1;
        return NGX_AGAIN;
    }

    return (rc == Z_OK && zs->avail_out == 0) ? NGX_AGAIN : NGX_OK;
}


ngx_uint_t
ngx_http_parley_inflate_is_whole(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_inflate_t  *state;

    state = ctx->inflate;

    return state == NULL || !state->begun || state->whole;
}


static void
ngx_http_parley_inflate_cleanup(void *data)
{
    ngx_http_parley_inflate_t *state = data;

    (void) inflateEnd(&state->zs);
}
