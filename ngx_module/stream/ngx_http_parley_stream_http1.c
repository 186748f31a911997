
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A stream without its request.  nginx keeps only the connection, as between
 * two requests.  This file writes the chunks of the response.  Logging and
 * cleanup of the request are complete by then.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/stream/ngx_http_parley_stream.h"


/* hexadecimal size of a chunk and the line breaks */
#define NGX_HTTP_PARLEY_BARE_FRAME  (NGX_OFF_T_LEN + 4)


/* a piece and its octets */
typedef struct {
    ngx_chain_t  out;
    ngx_buf_t    buf;
    u_char       octets[];
} ngx_http_parley_http1_piece_t;


static void ngx_http_parley_bare_buffers(ngx_connection_t *c,
    ngx_http_connection_t *hc);
static void ngx_http_parley_bare_chains(ngx_connection_t *c,
    ngx_chain_t **chain);
static int64_t ngx_http_parley_bare_write(parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_bare_end(parley_subscriber_t *s,
    parley_end_t why);
static ngx_int_t ngx_http_parley_bare_send(ngx_http_parley_stream_t *st,
    parley_str_t octets);
static ngx_int_t ngx_http_parley_bare_push(ngx_http_parley_stream_t *st);
static void ngx_http_parley_bare_writer(ngx_event_t *wev);
static void ngx_http_parley_bare_reader(ngx_event_t *rev);
static ngx_int_t ngx_http_parley_bare_is_gone(ngx_connection_t *c);
static void ngx_http_parley_bare_close(ngx_http_parley_stream_t *st);


static const ngx_http_parley_transport_t  ngx_http_parley_bare_transport = {
    ngx_http_parley_bare_write,
    ngx_http_parley_bare_end,
    NULL,
    NULL,
    NULL
};


void
ngx_http_parley_stream_http1(ngx_http_parley_stream_t *st)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_connection_t     *hc;
    ngx_http_core_loc_conf_t  *clcf;

    r = st->request;
    c = st->connection;

    if (c->data != r || r->count != 1 || st->piece || r->out || r->postponed
        || c->buffered || r->limit_rate || c->error || c->read->error)
    {
        return;
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    hc = r->http_connection;

    st->send_timeout = clcf->send_timeout;
    st->send_lowat = clcf->send_lowat;
    st->chunked = r->chunked;
    st->cleanup->handler = NULL;
    st->sub.transport = &ngx_http_parley_bare_transport;
    st->sub.ctx = NULL;
    st->request = NULL;

    /* memory of the request's pool */
    st->cleanup = NULL;
    st->free = NULL;
    st->busy = NULL;

    ngx_http_free_request(r, 0);

    c->destroyed = 0;
    c->data = st;
    c->read->handler = ngx_http_parley_bare_reader;
    c->write->handler = ngx_http_parley_bare_writer;
    c->log->action = "sending events to client";

    ngx_http_parley_bare_buffers(c, hc);

    /* the client may have left, and no further event would report it */

    if (c->close || ngx_http_parley_bare_is_gone(c)
        || ngx_handle_read_event(c->read, 0) != NGX_OK)
    {
        ngx_http_parley_bare_close(st);
    }
}


/* Frees buffers, as nginx does between two requests. */

static void
ngx_http_parley_bare_buffers(ngx_connection_t *c, ngx_http_connection_t *hc)
{
    ngx_buf_t  *b;

    b = c->buffer;

    if (b && ngx_pfree(c->pool, b->start) == NGX_OK) {
        b->pos = NULL;
    }

    ngx_http_parley_bare_chains(c, &hc->free);
    ngx_http_parley_bare_chains(c, &hc->busy);
    hc->nbusy = 0;

#if (NGX_HTTP_SSL)
    if (c->ssl) {
        ngx_ssl_free_buffer(c);
    }
#endif
}


static void
ngx_http_parley_bare_chains(ngx_connection_t *c, ngx_chain_t **chain)
{
    ngx_chain_t  *cl, *ln;

    for (cl = *chain; cl; /* void */) {
        ln = cl;
        cl = cl->next;
        ngx_pfree(c->pool, ln->buf->start);
        ngx_free_chain(c->pool, ln);
    }

    *chain = NULL;
}


static int64_t
ngx_http_parley_bare_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_stream_t *st = (ngx_http_parley_stream_t *) s;

    if (st->connection->error) {
        return -1;
    }

    return ngx_http_parley_stream_pieces(st, octets,
                                         ngx_http_parley_bare_send);
}


/* Posts an event: closing would call the hub from its callback. */

static void
ngx_http_parley_bare_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_stream_t *st = (ngx_http_parley_stream_t *) s;

    st->why = why;
    st->over = 1;

    ngx_post_event(&st->turn, &ngx_posted_events);
}


static ngx_int_t
ngx_http_parley_bare_send(ngx_http_parley_stream_t *st, parley_str_t octets)
{
    u_char                         *p;
    ngx_http_parley_http1_piece_t  *piece;

    piece = ngx_alloc(sizeof(ngx_http_parley_http1_piece_t) + octets.len
                      + NGX_HTTP_PARLEY_BARE_FRAME, st->connection->log);
    if (piece == NULL) {
        return NGX_ERROR;
    }

    p = piece->octets;

    if (st->chunked) {
        p = ngx_sprintf(p, "%xz" CRLF, octets.len);
    }

    p = ngx_cpymem(p, octets.data, octets.len);

    if (st->chunked) {
        *p++ = CR;
        *p++ = LF;
    }

    ngx_memzero(&piece->buf, sizeof(ngx_buf_t));

    piece->buf.pos = piece->octets;
    piece->buf.last = p;
    piece->buf.start = piece->buf.pos;
    piece->buf.end = p;
    piece->buf.temporary = 1;
    piece->buf.flush = 1;

    piece->out.buf = &piece->buf;
    piece->out.next = NULL;

    st->piece = (u_char *) piece;
    st->busy = &piece->out;

    return ngx_http_parley_bare_push(st);
}


/* Sends the piece; frees it when all is sent. */

static ngx_int_t
ngx_http_parley_bare_push(ngx_http_parley_stream_t *st)
{
    ngx_event_t       *wev;
    ngx_connection_t  *c;

    c = st->connection;
    wev = c->write;

    st->busy = c->send_chain(c, st->busy, 0);

    if (st->busy == NGX_CHAIN_ERROR) {
        st->busy = NULL;
        c->error = 1;
        return NGX_ERROR;
    }

    if (st->busy || c->buffered) {
        ngx_add_timer(wev, st->send_timeout);

        return ngx_handle_write_event(wev, st->send_lowat);
    }

    ngx_free(st->piece);
    st->piece = NULL;

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


static void
ngx_http_parley_bare_writer(ngx_event_t *wev)
{
    ngx_connection_t          *c;
    ngx_http_parley_stream_t  *st;

    c = wev->data;
    st = c->data;

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "client timed out");
        c->timedout = 1;
        ngx_http_parley_bare_close(st);
        return;
    }

    if (st->piece == NULL) {
        return;
    }

    if (ngx_http_parley_bare_push(st) != NGX_OK) {
        ngx_http_parley_bare_close(st);
        return;
    }

    if (st->piece == NULL && st->sub.joined) {
        parley_hub_writable(st->sub.hub->hub, &st->sub.s);
    }
}


/* Handles a departed client, or a worker that exits.  A subscriber is not
   expected to send anything. */

static void
ngx_http_parley_bare_reader(ngx_event_t *rev)
{
    ngx_connection_t  *c;

    c = rev->data;

    if (c->close || ngx_http_parley_bare_is_gone(c)) {
        ngx_http_parley_bare_close(c->data);
        return;
    }

    if ((ngx_event_flags & NGX_USE_LEVEL_EVENT) && rev->active
        && ngx_del_event(rev, NGX_READ_EVENT, 0) != NGX_OK)
    {
        ngx_http_parley_bare_close(c->data);
    }
}


static ngx_int_t
ngx_http_parley_bare_is_gone(ngx_connection_t *c)
{
    char       octet;
    ssize_t    n;
    ngx_err_t  err;

    if (c->error) {
        return 1;
    }

    n = c->read->pending_eof ? 0 : recv(c->fd, &octet, 1, MSG_PEEK);
    err = n == -1 ? ngx_socket_errno : 0;

    if (n > 0 || err == NGX_EAGAIN) {
        return 0;
    }

    c->read->eof = 1;
    c->error = 1;

    ngx_log_error(NGX_LOG_INFO, c->log, err,
                  "client closed a stream of events");

    return 1;
}


void
ngx_http_parley_stream_http1_over(ngx_http_parley_stream_t *st)
{
    ngx_connection_t  *c;

    c = st->connection;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "parley: the stream ends, %ui", st->why);

    /* otherwise the end cannot be signalled */

    if (!c->error && st->piece == NULL && st->why != PARLEY_END_GONE
        && st->why != PARLEY_END_SLOW)
    {
        if (st->chunked) {
            (void) c->send(c, (u_char *) "0" CRLF CRLF,
                           sizeof("0" CRLF CRLF) - 1);
        }

    } else {
        c->error = 1;
    }

    ngx_http_parley_bare_close(st);
}


static void
ngx_http_parley_bare_close(ngx_http_parley_stream_t *st)
{
    ngx_connection_t  *c;

    c = st->connection;

#if (NGX_HTTP_SSL)
    if (c->ssl && c->error) {
        c->ssl->no_send_shutdown = 1;
    }
#endif

    ngx_http_parley_stream_free(st);

    ngx_http_close_connection(c);
}
