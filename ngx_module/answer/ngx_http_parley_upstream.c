
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


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_request.h"


static parley_upstream_error_t ngx_http_parley_upstream_header(
    ngx_http_upstream_t *u);
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


ngx_uint_t
ngx_http_parley_upstream_is_silent(ngx_http_request_t *r)
{
    ngx_http_upstream_t  *u;

    u = r->upstream;

    /* the status is there once its line was read, and the time at the end */

    return u == NULL || u->headers_in.status_n == 0
           || (u->state && u->state->header_time == (ngx_msec_t) -1);
}


void
ngx_http_parley_upstream_note(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t               late, status;
    parley_upstream_error_t  what;
    ngx_http_upstream_t     *u;

    u = r->upstream;

    late = r->headers_out.status == NGX_HTTP_GATEWAY_TIME_OUT
           || (u && u->state
               && u->state->status == NGX_HTTP_GATEWAY_TIME_OUT);

    status = 0;

    if (u == NULL || !u->request_sent) {
        what = late ? PARLEY_UPSTREAM_ERROR_CONNECT_TIMEOUT
                    : PARLEY_UPSTREAM_ERROR_UNREACHED;

    } else if (late) {
        what = PARLEY_UPSTREAM_ERROR_TIMEOUT;

    } else {
        what = ngx_http_parley_upstream_header(u);

        /* not each protocol of nginx's has a line with it */

        status = u->headers_in.status_n ? u->headers_in.status_n : NGX_HTTP_OK;
    }

    parley_gate_upstream_error(&ctx->gate, what, (int) status);
}


/*
 * What was wrong with the header, of which nginx keeps no word: the buffer is
 * full, has octets that the parser did not want, or has all that came.
 */

static parley_upstream_error_t
ngx_http_parley_upstream_header(ngx_http_upstream_t *u)
{
    u_char     *p;
    ngx_buf_t  *b;

    b = &u->buffer;

    if (u->state == NULL || u->state->bytes_received == 0) {
        return PARLEY_UPSTREAM_ERROR_UNANSWERED;
    }

    if (b->last == b->end) {
        return PARLEY_UPSTREAM_ERROR_HEADER_LONG;
    }

    if (b->pos < b->last) {
        return PARLEY_UPSTREAM_ERROR_HEADER;
    }

    for (p = b->start; p + 1 < b->last; p++) {

        if (p[0] == LF && (p[1] == LF
                           || (p + 2 < b->last && p[1] == CR && p[2] == LF)))
        {
            /* it is whole, and was refused at its end */
            return PARLEY_UPSTREAM_ERROR_HEADER;
        }
    }

    return PARLEY_UPSTREAM_ERROR_UNANSWERED;
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
