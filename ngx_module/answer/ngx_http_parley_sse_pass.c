
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reads the octets of an answer of events from the upstream's buffers and
 * sends the output to the client.
 *
 * While the client has unread output, the upstream is read only as far as its
 * buffer has room (GW-22).
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_sse.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


/* octets that are collected before they are sent; one event may exceed it */
#define NGX_HTTP_PARLEY_SSE_OUT  16384


static ngx_int_t ngx_http_parley_sse_drain(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_read(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_buf(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *b);
static ngx_int_t ngx_http_parley_sse_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_sse_recycle(ngx_http_parley_sse_t *sse);


ngx_int_t
ngx_http_parley_sse_body(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_chain_t *in)
{
    ngx_int_t               rc;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (in && ngx_chain_add_copy(r->pool, &sse->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    do {
        if ((sse->busy == NULL || sse->finished)
            && ngx_http_parley_sse_read(r, ctx) == NGX_ERROR)
        {
            return NGX_ERROR;
        }

        rc = sse->busy ? ngx_http_parley_sse_drain(r, ctx)
                       : ngx_http_parley_sse_send(r, ctx);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

    } while (sse->busy == NULL
             && ((sse->in && sse->held == NULL) || sse->out.len));

    return rc;
}


/* Sends the output that the client has not taken yet. */

static ngx_int_t
ngx_http_parley_sse_drain(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t               rc;
    ngx_chain_t            *out;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (sse->single && !r->header_sent) {
        return NGX_OK;
    }

    out = NULL;
    rc = ngx_http_parley_next_body_filter(r, NULL);

    ngx_chain_update_chains(r->pool, &sse->free, &sse->busy, &out,
                            (ngx_buf_tag_t) &ngx_http_parley_module);

    ngx_http_parley_sse_recycle(sse);

    if (ctx->left && sse->busy) {
        /* the buffers stay in the queues of the connection */
        sse->lost = sse->busy;
        sse->busy = NULL;
    }

    return rc == NGX_OK && sse->busy ? NGX_AGAIN : rc;
}


/* Reads input until there is enough output to send. */

static ngx_int_t
ngx_http_parley_sse_read(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t               rc;
    ngx_buf_t              *b;
    ngx_chain_t            *cl;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    while (sse->in && sse->held == NULL
           && (sse->finished || sse->out.len < NGX_HTTP_PARLEY_SSE_OUT))
    {
        b = sse->in->buf;

        rc = ngx_http_parley_sse_buf(r, ctx, b);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if ((ngx_buf_in_memory(b) && b->pos < b->last)
            || (rc == NGX_AGAIN
                && (b->last_buf || ngx_http_parley_upstream_broke_off(r, b))))
        {
            break;
        }

        cl = sse->in;
        sse->in = cl->next;
        ngx_free_chain(r->pool, cl);
    }

    return NGX_OK;
}


/* Processes a buffer.  If the output is full, the rest of the octets
   remains. */

static ngx_int_t
ngx_http_parley_sse_buf(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_buf_t *b)
{
    int                     kind;
    ngx_int_t               rc;
    parley_str_t            in;
    parley_event_t          event;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    while (ngx_buf_in_memory(b) && b->pos < b->last) {

        if (sse->finished) {
            b->pos = b->last;
            break;
        }

        if (sse->out.len >= NGX_HTTP_PARLEY_SSE_OUT) {
            return NGX_OK;
        }

        in = parley_str_make(b->pos, b->last - b->pos);
        kind = parley_gate_events(&ctx->gate, &sse->events, &in, &event);
        b->pos = (u_char *) in.data;

        if (kind < 0) {
            rc = ngx_http_parley_sse_fail(r, ctx);

        } else if (kind == PARLEY_EVENTS_EVENT) {
            rc = ngx_http_parley_sse_event(r, ctx, &event);

        } else {
            /* a keepalive: pass it on to the client */
            rc = kind == PARLEY_EVENTS_COMMENT
                 ? ngx_http_parley_sse_write(sse, &event, 1) : NGX_OK;
        }

        if (rc == NGX_AGAIN) {
            return NGX_AGAIN;
        }

        parley_arena_reset(&sse->arena);

        if (rc != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (b->last_buf) {
        return ngx_http_parley_sse_end(r, ctx, 1);
    }

    /* nginx flushes a header that has no event behind it yet */

    sse->flush |= b->flush && !sse->single;

    return ngx_http_parley_upstream_broke_off(r, b)
           ? ngx_http_parley_sse_end(r, ctx, 0) : NGX_OK;
}


ngx_int_t
ngx_http_parley_sse_write(ngx_http_parley_sse_t *sse,
    const parley_event_t *event, ngx_uint_t comment)
{
    u_char          *p;
    size_t           size;
    parley_buf_t     b;
    parley_str_t     text;

    if (sse->single) {
        return NGX_OK;
    }

    parley_buf_init(&b, &sse->arena, event->data.len + 64);

    if (comment) {
        parley_events_write_comment(&b, event->data);

    } else {
        parley_events_write(&b, event);
    }

    if (parley_buf_done(&b, &text) != 0) {
        return NGX_ERROR;
    }

    if (text.len > sse->out.size - sse->out.len) {
        size = ngx_max(sse->out.len + text.len, 2 * sse->out.size);
        size = ngx_max(size, 1024);

        p = realloc(sse->out.data, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        sse->out.data = p;
        sse->out.size = size;
    }

    ngx_memcpy(sse->out.data + sse->out.len, text.data, text.len);
    sse->out.len += text.len;

    return NGX_OK;
}


/* Returns NGX_AGAIN if the client has not taken everything. */

static ngx_int_t
ngx_http_parley_sse_send(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t               rc;
    ngx_uint_t              ended;
    ngx_buf_t              *b;
    ngx_chain_t            *cl;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    ended = sse->ended && sse->held == NULL;

    if (sse->last || (sse->out.len == 0 && !ended && !sse->flush)) {
        return ngx_http_parley_sse_drain(r, ctx);
    }

    cl = ngx_chain_get_free_buf(r->pool, &sse->free);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    b = cl->buf;
    ngx_memzero(b, sizeof(ngx_buf_t));

    b->tag = (ngx_buf_tag_t) &ngx_http_parley_module;
    b->flush = 1;
    sse->flush = 0;

    if (ended) {
        b->last_buf = 1;
        b->last_in_chain = 1;
        sse->last = 1;
    }

    if (sse->out.len) {
        /* the buffer takes the memory of the text */

        b->start = sse->out.data;
        b->pos = b->start;
        b->last = b->start + sse->out.len;
        b->end = b->start + sse->out.size;
        b->temporary = 1;

        ngx_memzero(&sse->out, sizeof(ngx_http_parley_sse_text_t));
    }

    rc = ngx_http_parley_next_body_filter(r, cl);

    ngx_chain_update_chains(r->pool, &sse->free, &sse->busy, &cl,
                            (ngx_buf_tag_t) &ngx_http_parley_module);

    ngx_http_parley_sse_recycle(sse);

    return rc == NGX_OK && sse->busy ? NGX_AGAIN : rc;
}


static void
ngx_http_parley_sse_recycle(ngx_http_parley_sse_t *sse)
{
    ngx_chain_t  *cl;

    for (cl = sse->free; cl; cl = cl->next) {
        ngx_free(cl->buf->start);
        cl->buf->start = NULL;
    }
}


void
ngx_http_parley_sse_free(ngx_http_parley_sse_t *sse)
{
    ngx_uint_t    i;
    ngx_chain_t  *cl, *chains[3];

    chains[0] = sse->free;
    chains[1] = sse->busy;
    chains[2] = sse->lost;

    for (i = 0; i < 3; i++) {
        for (cl = chains[i]; cl; cl = cl->next) {
            ngx_free(cl->buf->start);
            cl->buf->start = NULL;
        }
    }

    ngx_free(sse->out.data);
}
