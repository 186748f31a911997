
/*
 * Copyright (C) 2026 The Parley authors
 *
 * One end of a WebSocket.  The output is complete frames, in the order of
 * their arrival.  They are in blocks that keep their address until they are
 * sent.  The gateway masks what it sends to a service.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"


/* minimum size of a block, with room for later frames */
#define NGX_HTTP_PARLEY_SIDE_BLOCK  1024


typedef struct {
    ngx_chain_t  out;               /* must be first: it is cast to the
                                       block */
    ngx_buf_t    buf;
    u_char       octets[];
} ngx_http_parley_side_block_t;


static int64_t ngx_http_parley_side_recv(void *ctx, uint8_t *p, size_t len);
static int ngx_http_parley_side_control(void *ctx, parley_str_t frames);
static ngx_int_t ngx_http_parley_side_frame(ngx_http_parley_side_t *side,
    const u_char *head, size_t n, parley_str_t payload);
static ngx_buf_t *ngx_http_parley_side_room(ngx_http_parley_side_t *side,
    size_t size);
static void ngx_http_parley_side_sent(ngx_http_parley_side_t *side,
    ngx_chain_t *left);


ngx_int_t
ngx_http_parley_side_init(ngx_http_parley_side_t *side, size_t max)
{
    parley_websocket_env_t  env;

    ngx_memzero(&env, sizeof(parley_websocket_env_t));

    env.mem = parley_mem_libc;
    env.read = ngx_http_parley_side_recv;
    env.write = ngx_http_parley_side_control;
    env.ctx = side;
    env.pong = side->pong;
    env.client = side->masks;

    side->frames = parley_websocket_create(&env, max);

    return side->frames ? NGX_OK : NGX_ERROR;
}


void
ngx_http_parley_side_free(ngx_http_parley_side_t *side)
{
    ngx_http_parley_side_sent(side, NULL);

    if (side->frames) {
        parley_websocket_free(side->frames);
    }
}


/* Reads data; octets that nginx has read come first. */

static int64_t
ngx_http_parley_side_recv(void *ctx, uint8_t *p, size_t len)
{
    size_t             n;
    ssize_t            got;
    ngx_buf_t         *b;
    ngx_connection_t  *c;
    ngx_http_parley_side_t *side = ctx;

    c = side->connection;
    b = side->read;
    n = b->last - b->pos;

    if (n) {
        n = ngx_min(n, len);
        ngx_memcpy(p, b->pos, n);
        b->pos += n;
        side->heard = 1;

        return (int64_t) n;
    }

    /* a service may read nothing before its own output is taken */

    if (!side->masks && side->pending >= NGX_HTTP_PARLEY_WEBSOCKET_PENDING) {
        return 0;
    }

    got = c->recv(c, p, len);

    if (got == NGX_AGAIN) {
        return 0;
    }

    if (got <= 0) {
        return -1;
    }

    side->heard = 1;

    if (side->received) {
        *side->received += got;
    }

    return got;
}


/*
 * Queues a pong or a close frame.  A second close frame is not sent, nor a pong
 * if there is much unsent output.
 */

static int
ngx_http_parley_side_control(void *ctx, parley_str_t frames)
{
    parley_frame_kind_t      kind;
    ngx_http_parley_side_t  *side = ctx;

    if (side->closing) {
        return 0;
    }

    if (parley_frame_first(frames, &kind) == 0) {
        return -1;
    }

    if (kind == PARLEY_FRAME_CLOSE) {
        side->closing = 1;

    } else if (side->pending >= NGX_HTTP_PARLEY_WEBSOCKET_PENDING) {
        return 0;
    }

    return ngx_http_parley_side_push(side, frames) == NGX_OK ? 0 : -1;
}


ngx_int_t
ngx_http_parley_side_discard(ngx_http_parley_side_t *side)
{
    ssize_t            n;
    u_char             octets[PARLEY_WEBSOCKET_PIECE];
    ngx_uint_t         i;
    ngx_connection_t  *c;

    c = side->connection;

    for (i = 0; i < NGX_HTTP_PARLEY_WEBSOCKET_BUDGET; i++) {
        n = c->recv(c, octets, sizeof(octets));

        if (n == NGX_AGAIN) {
            return NGX_OK;
        }

        if (n <= 0) {
            side->closed = 1;
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


ngx_int_t
ngx_http_parley_side_push(ngx_http_parley_side_t *side, parley_str_t frames)
{
    size_t                n;
    ngx_buf_t            *b;
    parley_frame_kind_t   kind;

    if (!side->masks) {
        b = ngx_http_parley_side_room(side, frames.len);

        if (b == NULL) {
            return NGX_ERROR;
        }

        b->last = ngx_cpymem(b->last, frames.data, frames.len);
        side->pending += frames.len;

        return NGX_OK;
    }

    /* each frame has its own mask */

    for ( /* void */ ; frames.len > 0; frames = parley_str_from(frames, n)) {
        n = parley_frame_first(frames, &kind);

        if (n == 0
            || ngx_http_parley_side_frame(side, frames.data, 2,
                                          parley_str_make(frames.data + 2,
                                                          n - 2))
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_side_text(ngx_http_parley_side_t *side, parley_str_t text)
{
    u_char  head[PARLEY_FRAME_HEAD];

    return ngx_http_parley_side_frame(side, head,
                                      parley_frame_head(head,
                                                        PARLEY_FRAME_TEXT,
                                                        text.len),
                                      text);
}


ngx_int_t
ngx_http_parley_side_close(ngx_http_parley_side_t *side, parley_close_t code,
    parley_str_t reason)
{
    u_char  text[PARLEY_FRAME_CONTROL], *p;

    reason.len = ngx_min(reason.len, PARLEY_FRAME_REASON);

    p = text;
    *p++ = (u_char) (code >> 8);
    *p++ = (u_char) code;

    if (reason.len) {
        p = ngx_cpymem(p, reason.data, reason.len);
    }

    return ngx_http_parley_side_close_as(side, parley_str_make(text, p - text));
}


ngx_int_t
ngx_http_parley_side_close_as(ngx_http_parley_side_t *side,
    parley_str_t payload)
{
    u_char  head[PARLEY_FRAME_HEAD];

    if (side->closing) {
        return NGX_OK;
    }

    side->closing = 1;

    return ngx_http_parley_side_frame(side, head,
                                      parley_frame_head(head,
                                                        PARLEY_FRAME_CLOSE,
                                                        payload.len),
                                      payload);
}


/* Queues a frame of n octets and the rest, masked if needed. */

static ngx_int_t
ngx_http_parley_side_frame(ngx_http_parley_side_t *side, const u_char *head,
    size_t n, parley_str_t payload)
{
    u_char     *p, key[PARLEY_FRAME_KEY];
    size_t      masked;
    ngx_buf_t  *b;

    masked = side->masks ? PARLEY_FRAME_KEY : 0;

    b = ngx_http_parley_side_room(side, masked + n + payload.len);

    if (b == NULL || (masked && RAND_bytes(key, sizeof(key)) != 1)) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(b->last + masked, head, n);

    if (payload.len) {
        p = ngx_cpymem(p, payload.data, payload.len);
    }

    if (masked) {
        (void) parley_frame_mask(b->last,
                                 parley_str_make(b->last + masked,
                                                 n + payload.len), key);
    }

    b->last = p;
    side->pending += masked + n + payload.len;

    return NGX_OK;
}


static ngx_buf_t *
ngx_http_parley_side_room(ngx_http_parley_side_t *side, size_t size)
{
    ngx_buf_t                     *b;
    ngx_http_parley_side_block_t  *block;

    if (side->out) {
        block = (ngx_http_parley_side_block_t *)
                ((u_char *) side->out_last - offsetof(ngx_chain_t, next));
        b = &block->buf;

        if ((size_t) (b->end - b->last) >= size) {
            return b;
        }

    } else {
        side->out_last = &side->out;
    }

    size = ngx_max(size, NGX_HTTP_PARLEY_SIDE_BLOCK);

    block = ngx_alloc(sizeof(ngx_http_parley_side_block_t) + size,
                      side->connection->log);
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

    *side->out_last = &block->out;
    side->out_last = &block->out.next;

    return b;
}


ngx_int_t
ngx_http_parley_side_flush(ngx_http_parley_side_t *side)
{
    size_t             before;
    ngx_chain_t       *left;
    ngx_event_t       *wev;
    ngx_connection_t  *c;

    c = side->connection;
    wev = c->write;

    if (c->error) {
        return NGX_ERROR;
    }

    if (side->out == NULL && !c->buffered) {
        return NGX_OK;
    }

    before = side->pending;
    left = wev->ready ? c->send_chain(c, side->out, 0) : side->out;

    if (left == NGX_CHAIN_ERROR) {
        c->error = 1;
        return NGX_ERROR;
    }

    ngx_http_parley_side_sent(side, left);

    if (side->out == NULL && !c->buffered) {

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

    /* the timer restarts only if the peer has taken some octets */

    if (!wev->timer_set || side->pending < before) {
        ngx_add_timer(wev, side->timeout);
    }

    return ngx_handle_write_event(wev, side->lowat);
}


/* Frees the blocks before left, which are sent. */

static void
ngx_http_parley_side_sent(ngx_http_parley_side_t *side,
    ngx_chain_t *left)
{
    ngx_chain_t  *cl, *next;

    for (cl = side->out; cl != left; cl = next) {
        next = cl->next;
        ngx_free(cl);
    }

    side->out = left;
    side->pending = 0;

    for (cl = left; cl; cl = cl->next) {
        side->pending += ngx_buf_size(cl->buf);
    }
}


ngx_uint_t
ngx_http_parley_side_has_room(ngx_http_parley_side_t *side)
{
    if (side->pending < NGX_HTTP_PARLEY_WEBSOCKET_PENDING) {
        return 1;
    }

    if (ngx_http_parley_side_flush(side) != NGX_OK) {
        side->gone = 1;
        return 0;
    }

    return side->pending < NGX_HTTP_PARLEY_WEBSOCKET_PENDING;
}
