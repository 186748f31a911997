
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Parley asks upstreams for identity; one that compresses all the same is
 * understood.  What comes out is bounded, so that a small answer cannot
 * become a large one.
 */


#include "ngx_http_parley_module.h"

#include <zlib.h>


#define NGX_HTTP_PARLEY_INFLATE_CHUNK  16384


static ngx_int_t ngx_http_parley_inflate_more(ngx_http_request_t *r,
    z_stream *zs, ngx_chain_t ***last, size_t *size, size_t limit);
static void ngx_http_parley_inflate_cleanup(void *data);


ngx_int_t
ngx_http_parley_inflate_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    z_stream            *zs;
    ngx_str_t           *coding;
    ngx_pool_cleanup_t  *cln;

    coding = &r->headers_out.content_encoding->value;

    if (coding->len == sizeof("identity") - 1
        && ngx_strncasecmp(coding->data, (u_char *) "identity", 8) == 0)
    {
        return NGX_OK;
    }

    if (coding->len != sizeof("gzip") - 1
        || ngx_strncasecmp(coding->data, (u_char *) "gzip", 4) != 0)
    {
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "the upstream's content coding is unknown");
        return NGX_OK;
    }

    zs = ngx_pcalloc(r->pool, sizeof(z_stream));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (zs == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    if (inflateInit2(zs, MAX_WBITS + 16) != Z_OK) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_inflate_cleanup;
    cln->data = zs;

    ctx->inflate = zs;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_inflate(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_buf_t *in, size_t limit, ngx_chain_t ***last, size_t *size)
{
    ngx_int_t   rc;
    z_stream   *zs;

    zs = ctx->inflate;

    zs->next_in = in->pos;
    zs->avail_in = in->last - in->pos;

    do {
        rc = ngx_http_parley_inflate_more(r, zs, last, size, limit);
    } while (rc == NGX_AGAIN);

    if (rc == NGX_DECLINED) {
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "the upstream's gzip is broken or inflates "
                                "beyond parley_limits body");
    }

    return rc;
}


/* one chunk of output; NGX_AGAIN: there may be more */

static ngx_int_t
ngx_http_parley_inflate_more(ngx_http_request_t *r, z_stream *zs,
    ngx_chain_t ***last, size_t *size, size_t limit)
{
    int           rc;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    b = ngx_create_temp_buf(r->pool, NGX_HTTP_PARLEY_INFLATE_CHUNK);
    cl = ngx_alloc_chain_link(r->pool);

    if (b == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    zs->next_out = b->last;
    zs->avail_out = NGX_HTTP_PARLEY_INFLATE_CHUNK;

    rc = inflate(zs, Z_SYNC_FLUSH);

    if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
        return NGX_DECLINED;
    }

    b->last = zs->next_out;

    if ((size_t) (b->last - b->pos) > limit - *size) {
        return NGX_DECLINED;
    }

    *size += b->last - b->pos;

    cl->buf = b;
    cl->next = NULL;

    **last = cl;
    *last = &cl->next;

    return (rc == Z_OK && zs->avail_out == 0) ? NGX_AGAIN : NGX_OK;
}


static void
ngx_http_parley_inflate_cleanup(void *data)
{
    z_stream  *zs = data;

    (void) inflateEnd(zs);
}
