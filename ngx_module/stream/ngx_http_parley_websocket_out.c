
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The output of a WebSocket: complete frames of the hub, answers and pongs, in
 * the order of their arrival.  They are in blocks that keep their address
 * until they are sent.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"


/* minimum size of a block, with room for later frames */
#define NGX_HTTP_PARLEY_WEBSOCKET_BLOCK  1024


typedef struct {
    ngx_chain_t  out;               /* must be first: it is cast to the
                                       block */
    ngx_buf_t    buf;
    u_char       octets[];
} ngx_http_parley_websocket_block_t;


static ngx_buf_t *ngx_http_parley_websocket_room(
    ngx_http_parley_websocket_t *ws, size_t size);
static void ngx_http_parley_websocket_sent(ngx_http_parley_websocket_t *ws,
    ngx_chain_t *left);


ngx_int_t
ngx_http_parley_websocket_push(ngx_http_parley_websocket_t *ws,
    parley_str_t frames)
{
    ngx_buf_t  *b;

    b = ngx_http_parley_websocket_room(ws, frames.len);

    if (b == NULL) {
        return NGX_ERROR;
    }

    b->last = ngx_cpymem(b->last, frames.data, frames.len);
    ws->pending += frames.len;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_websocket_text(ngx_http_parley_websocket_t *ws,
    parley_str_t text)
{
    size_t      n;
    uint8_t     head[PARLEY_FRAME_HEAD];
    ngx_buf_t  *b;

    n = parley_frame_head(head, PARLEY_FRAME_TEXT, text.len);
    b = ngx_http_parley_websocket_room(ws, n + text.len);

    if (b == NULL) {
        return NGX_ERROR;
    }

    b->last = ngx_cpymem(b->last, head, n);
    b->last = ngx_cpymem(b->last, text.data, text.len);
    ws->pending += n + text.len;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_websocket_close(ngx_http_parley_websocket_t *ws,
    parley_close_t code, parley_str_t reason)
{
    u_char          text[PARLEY_FRAME_HEAD + PARLEY_FRAME_CONTROL], *p;
    size_t          n;

    if (ws->closing) {
        return NGX_OK;
    }

    ws->closing = 1;

    reason.len = ngx_min(reason.len, PARLEY_FRAME_REASON);

    n = parley_frame_head(text, PARLEY_FRAME_CLOSE, 2 + reason.len);
    p = text + n;

    *p++ = (u_char) (code >> 8);
    *p++ = (u_char) code;
    p = ngx_cpymem(p, reason.data, reason.len);

    return ngx_http_parley_websocket_push(ws,
                                          parley_str_make(text, p - text));
}


static ngx_buf_t *
ngx_http_parley_websocket_room(ngx_http_parley_websocket_t *ws, size_t size)
{
    ngx_buf_t                          *b;
    ngx_http_parley_websocket_block_t  *block;

    if (ws->out) {
        block = (ngx_http_parley_websocket_block_t *)
                ((u_char *) ws->out_last - offsetof(ngx_chain_t, next));
        b = &block->buf;

        if ((size_t) (b->end - b->last) >= size) {
            return b;
        }

    } else {
        ws->out_last = &ws->out;
    }

    size = ngx_max(size, NGX_HTTP_PARLEY_WEBSOCKET_BLOCK);

    block = ngx_alloc(sizeof(ngx_http_parley_websocket_block_t) + size,
                      ws->connection->log);
    if (block == NULL) {
        return NULL;
    }

    b = &block->buf;

    ngx_memzero(b, sizeof(ngx_buf_t));

    b->start = block->octets;
    b->pos = b->start;
    b->last = b->start;
    b->end = b->start + size;
    b->temporary = 1;
    b->flush = 1;

    block->out.buf = b;
    block->out.next = NULL;

    *ws->out_last = &block->out;
    ws->out_last = &block->out.next;

    return b;
}


ngx_int_t
ngx_http_parley_websocket_flush(ngx_http_parley_websocket_t *ws)
{
    size_t                     before;
    ngx_chain_t               *left;
    ngx_event_t               *wev;
    ngx_connection_t          *c;
    ngx_http_core_loc_conf_t  *clcf;

    c = ws->connection;
    wev = c->write;

    if (c->error) {
        return NGX_ERROR;
    }

    if (ws->out == NULL && !c->buffered) {
        return NGX_OK;
    }

    before = ws->pending;
    left = wev->ready ? c->send_chain(c, ws->out, 0) : ws->out;

    if (left == NGX_CHAIN_ERROR) {
        c->error = 1;
        return NGX_ERROR;
    }

    ngx_http_parley_websocket_sent(ws, left);

    if (ws->out == NULL && !c->buffered) {

        if (wev->timer_set) {
            ngx_del_timer(wev);
        }

#if (NGX_HTTP_SSL)
        if (c->ssl) {
            ngx_ssl_free_buffer(c);
        }
#endif

        return NGX_OK;
    }

    clcf = ngx_http_get_module_loc_conf(ws->request, ngx_http_core_module);

    /* the timer restarts only if the client has taken some octets */

    if (!wev->timer_set || ws->pending < before) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    return ngx_handle_write_event(wev, clcf->send_lowat);
}


/* Frees the blocks before left, which are sent. */

static void
ngx_http_parley_websocket_sent(ngx_http_parley_websocket_t *ws,
    ngx_chain_t *left)
{
    ngx_chain_t  *cl, *next;

    for (cl = ws->out; cl != left; cl = next) {
        next = cl->next;
        ngx_free(cl);
    }

    ws->out = left;
    ws->pending = 0;

    for (cl = left; cl; cl = cl->next) {
        ws->pending += ngx_buf_size(cl->buf);
    }
}


void
ngx_http_parley_websocket_drop(ngx_http_parley_websocket_t *ws)
{
    ngx_http_parley_websocket_sent(ws, NULL);
}
