
/*
 * Copyright (C) 2026 The Parley authors
 *
 * GW-26: an answer that the upstream module cannot read on.  Where its framing
 * is broken the module's input filter fails, and the request is terminated
 * without a word to the filters.  Here such an answer becomes one that has
 * broken off: nginx reads no more of it, flushes what there is and gives up, as
 * after a missing last chunk.  The end by proxy_read_timeout is noted as well,
 * since what is flushed then does not say why.
 *
 * The functions are those of modules that have the request as the context of
 * their filters: proxy, fastcgi, scgi and uwsgi.  Those of others stay.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


static ngx_int_t ngx_http_parley_upstream_init(void *data);
static ngx_int_t ngx_http_parley_upstream_unbuffered(void *data,
    ssize_t bytes);
static ngx_int_t ngx_http_parley_upstream_buffered(ngx_event_pipe_t *p,
    ngx_buf_t *buf);
static void ngx_http_parley_upstream_finalize(ngx_http_request_t *r,
    ngx_int_t rc);


void
ngx_http_parley_upstream_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_http_upstream_t          *u;
    ngx_http_parley_upstream_t   *from;

    u = r->upstream;
    from = &ctx->upstream;

    if (u == NULL || u->input_filter_init == ngx_http_parley_upstream_init
        || u->input_filter_init == NULL || u->input_filter_ctx != r
        || u->pipe == NULL || u->pipe->input_ctx != r)
    {
        return;
    }

    from->init = u->input_filter_init;
    from->finalize = u->finalize_request;
    from->broken = 0;

    u->input_filter_init = ngx_http_parley_upstream_init;
    u->finalize_request = ngx_http_parley_upstream_finalize;
}


ngx_uint_t
ngx_http_parley_upstream_is_open(ngx_http_request_t *r)
{
    ngx_http_upstream_t  *u;

    u = r->upstream;

    return u && !u->headers_in.chunked && u->headers_in.content_length_n == -1;
}


/* it puts the filters in their place, by what the header says */

static ngx_int_t
ngx_http_parley_upstream_init(void *data)
{
    ngx_int_t               rc;
    ngx_http_request_t     *r;
    ngx_http_upstream_t    *u;
    ngx_http_parley_ctx_t  *ctx;

    r = data;
    u = r->upstream;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    rc = ctx->upstream.init(data);

    ctx->upstream.unbuffered = u->input_filter;
    ctx->upstream.buffered = u->pipe->input_filter;

    u->input_filter = ngx_http_parley_upstream_unbuffered;
    u->pipe->input_filter = ngx_http_parley_upstream_buffered;

    return rc;
}


/*
 * Nothing is read after the break: a client that reads slowly holds up the end,
 * which nginx comes to once what was held is out, and until then it reads for
 * as long as its buffer has room.
 */

static ngx_int_t
ngx_http_parley_upstream_unbuffered(void *data, ssize_t bytes)
{
    ngx_http_request_t     *r;
    ngx_http_upstream_t    *u;
    ngx_http_parley_ctx_t  *ctx;

    r = data;
    u = r->upstream;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (!ctx->upstream.broken
        && ctx->upstream.unbuffered(data, bytes) == NGX_ERROR)
    {
        ctx->upstream.broken = 1;
    }

    if (ctx->upstream.broken) {
        u->buffer.last = u->buffer.end;

        if (u->length != 0) {
            u->length = 1;
            u->error = 1;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_upstream_buffered(ngx_event_pipe_t *p, ngx_buf_t *buf)
{
    ngx_http_request_t     *r;
    ngx_http_parley_ctx_t  *ctx;

    r = p->output_ctx;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (!ctx->upstream.broken
        && ctx->upstream.buffered(p, buf) == NGX_ERROR)
    {
        ctx->upstream.broken = 1;
        p->upstream_error = 1;
    }

    return NGX_OK;
}


static void
ngx_http_parley_upstream_finalize(ngx_http_request_t *r, ngx_int_t rc)
{
    ngx_connection_t       *pc;
    ngx_http_parley_ctx_t  *ctx;

    pc = r->upstream->peer.connection;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (pc && pc->read->timedout) {
        ctx->gate.timed_out = 1;
    }

    ctx->upstream.finalize(r, rc);
}
