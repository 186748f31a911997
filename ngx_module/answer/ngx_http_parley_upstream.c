
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Handles an answer that breaks its framing (GW-26).  In that case the input
 * filter of the upstream module fails, and nginx terminates the request
 * without a call of the filters.  Here such an answer ends early instead, as
 * after a missing last chunk: nginx stops reading, flushes the pending data
 * and ends the request.  A timeout of proxy_read_timeout is noted as well,
 * because the flush does not show its reason.
 *
 * This works for modules with the request as the context of their filters:
 * proxy, fastcgi, scgi and uwsgi.  Other modules are unchanged.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


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


void
ngx_http_parley_upstream_error(ngx_http_parley_ctx_t *ctx,
    parley_upstream_error_t what)
{
    parley_gate_upstream_error(&ctx->gate, what,
                               (int) ctx->request->headers_out.status);
}


/*
 * If an upstream fails after its header was read, nginx flushes the pending
 * data and ends the request.  The connection to the upstream is closed by
 * then.  The header is still held here, so the caller can get a proper error.
 */

ngx_uint_t
ngx_http_parley_upstream_broke_off(ngx_http_request_t *r, ngx_buf_t *b)
{
    return b->flush && !b->last_buf && ngx_buf_special(b)
           && r->upstream && r->upstream->peer.connection == NULL;
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

    /* status_n is set with the status line, header_time at the header's end */

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

        /* some protocols of nginx have no status line */

        status = u->headers_in.status_n ? u->headers_in.status_n : NGX_HTTP_OK;
    }

    parley_gate_upstream_error(&ctx->gate, what, (int) status);
}


/*
 * Returns the error of the header, which nginx does not keep: the buffer is
 * full, or has octets that the parser refused, or the header is incomplete.
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
            /* the header is complete and was refused at its end */
            return PARLEY_UPSTREAM_ERROR_HEADER;
        }
    }

    return PARLEY_UPSTREAM_ERROR_UNANSWERED;
}


/* Lets the module set its filters, which depend on the header, and wraps
   them. */

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
 * Reads nothing after the break.  nginx handles the break when the held output
 * is sent; a slow client delays that.  Until then nginx reads while its buffer
 * has room.
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
        ctx->gate.in.timed_out = 1;
    }

    ctx->upstream.finalize(r, rc);
}
