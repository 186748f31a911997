
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The request's body: made one span of memory, wherever nginx has put it, and
 * replaced by its translation.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


static ngx_int_t ngx_http_parley_body_copy(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, size_t size);
static ngx_int_t ngx_http_parley_content_length(ngx_http_request_t *r,
    size_t size);


ngx_int_t
ngx_http_parley_body_take(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    off_t         size;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    size = 0;
    b = NULL;

    if (r->request_body) {
        for (cl = r->request_body->bufs; cl; cl = cl->next) {
            if (ngx_buf_size(cl->buf)) {
                b = cl->buf;
                size += ngx_buf_size(b);
            }
        }
    }

    if (size == 0) {
        ctx->body = parley_str_none;
        return NGX_OK;
    }

    if (parley_gate_size(&ctx->gate, (uint64_t) size) != 0) {
        return NGX_DECLINED;
    }

    if (ngx_buf_in_memory(b) && ngx_buf_size(b) == size) {
        ctx->body = parley_str_make(b->pos, (size_t) size);
        return NGX_OK;
    }

    return ngx_http_parley_body_copy(r, ctx, (size_t) size);
}


static ngx_int_t
ngx_http_parley_body_copy(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    size_t size)
{
    u_char       *start, *p;
    size_t        len;
    ssize_t       n;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    start = parley_arena_octets(&ctx->arena, size);
    if (start == NULL) {
        return NGX_ERROR;
    }

    p = start;

    for (cl = r->request_body->bufs; cl; cl = cl->next) {
        b = cl->buf;
        len = (size_t) ngx_buf_size(b);

        if (len == 0) {
            continue;
        }

        if (ngx_buf_in_memory(b)) {
            p = ngx_cpymem(p, b->pos, len);
            continue;
        }

        n = ngx_read_file(b->file, p, len, b->file_pos);

        if (n == NGX_ERROR || (size_t) n != len) {
            ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0,
                          "parley: body not read: its temporary file is "
                          "incomplete");
            return NGX_ERROR;
        }

        p += len;
    }

    ctx->body = parley_str_make(start, size);

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_body_replace(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_buf_t     *b;
    ngx_chain_t   *cl;
    parley_str_t   body;

    if (ctx->gate.out.sent.copied && ctx->gate.where.entry == NULL) {
        /* the client's octets go on, also from a temporary file */
        return NGX_OK;
    }

    /* a continued message may have sent or replaced its buffers before */

    body = ctx->gate.out.sent.copied ? ctx->body : ctx->gate.out.sent.body;

    b = ngx_calloc_buf(r->pool);
    cl = ngx_alloc_chain_link(r->pool);

    if (b == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    b->start = (u_char *) body.data;
    b->pos = b->start;
    b->last = b->start + body.len;
    b->end = b->last;
    b->memory = 1;
    b->last_buf = 1;
    b->last_in_chain = 1;

    cl->buf = b;
    cl->next = NULL;

    r->request_body->bufs = cl;
    r->request_body->temp_file = NULL;
    r->headers_in.chunked = 0;

    return ngx_http_parley_content_length(r, body.len);
}


/* Sets Content-Length, for handlers and variables that read the header
   again. */

static ngx_int_t
ngx_http_parley_content_length(ngx_http_request_t *r, size_t size)
{
    u_char           *p, *last;
    ngx_table_elt_t  *h;

    r->headers_in.content_length_n = size;

    p = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = p + NGX_OFF_T_LEN;
    p = last;

    do {
        *--p = (u_char) ('0' + size % 10);
        size /= 10;
    } while (size != 0);

    h = r->headers_in.content_length;

    if (h == NULL) {
        h = ngx_list_push(&r->headers_in.headers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        ngx_memzero(h, sizeof(ngx_table_elt_t));

        ngx_str_set(&h->key, "Content-Length");
        h->lowcase_key = (u_char *) "content-length";

        /* nginx's proxies find the header by the hash and send their own */
        h->hash = ngx_hash_key(h->lowcase_key, h->key.len);

        r->headers_in.content_length = h;
    }

    h->value.data = p;
    h->value.len = last - p;

    return NGX_OK;
}
