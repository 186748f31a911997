
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Streams of a MoQ connection.
 *
 * Input goes to the link as it comes.  While the link does not take it, the
 * stream is not read, so that QUIC's flow control holds the peer.
 *
 * Output is collected in a piece of the connection, because nginx makes a frame
 * of each send.  nginx takes any number of streams and octets, so they are
 * bounded here: unacknowledged octets by "lag=", streams and frames by
 * constants.  nginx tells nothing when octets are acknowledged or streams are
 * allowed; so they are counted again after a datagram.
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "gate/metrics/parley_counters.h"


#if (NGX_HTTP_V3)

#ifndef NGX_QUIC_ENCRYPTION_APPLICATION
#define NGX_QUIC_ENCRYPTION_APPLICATION  ssl_encryption_application
#endif


static void ngx_http_parley_moq_stream_refuse(
    ngx_http_parley_moq_stream_t *st);
static void ngx_http_parley_moq_stream_handler(ngx_event_t *rev);
static void ngx_http_parley_moq_stream_input(ngx_http_parley_moq_stream_t *st);
static ngx_uint_t ngx_http_parley_moq_stream_take(
    ngx_http_parley_moq_stream_t *st, u_char *data, size_t len);
static ngx_uint_t ngx_http_parley_moq_stream_hold(
    ngx_http_parley_moq_stream_t *st, parley_str_t in);
static void ngx_http_parley_moq_stream_stop(ngx_http_parley_moq_stream_t *st,
    uint64_t code);
static void ngx_http_parley_moq_stream_close(ngx_http_parley_moq_stream_t *st);
static ngx_uint_t ngx_http_parley_moq_stream_sends(
    ngx_http_parley_moq_stream_t *st);
static size_t ngx_http_parley_moq_stream_room(
    ngx_http_parley_moq_stream_t *st);
static void ngx_http_parley_moq_stream_measure(ngx_http_parley_moq_t *moq);
static ngx_int_t ngx_http_parley_moq_stream_send(
    ngx_http_parley_moq_stream_t *st, const u_char *data, size_t len);


/* Takes a stream that the peer has opened. */

void
ngx_http_parley_moq_stream(ngx_connection_t *c)
{
    parley_link_kind_t             kind;
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_moq_stream_t  *st;

    moq = c->quic->parent->data;

    kind = (c->quic->id & NGX_QUIC_STREAM_UNIDIRECTIONAL) ? PARLEY_LINK_DATA
           : c->quic->id == 0 ? PARLEY_LINK_CONTROL
           : PARLEY_LINK_REQUEST;

    st = moq->link ? ngx_pcalloc(c->pool, sizeof(ngx_http_parley_moq_stream_t))
                   : NULL;

    if (st == NULL) {
        ngx_http_parley_moq_stream_free(c);
        return;
    }

    st->moq = moq;
    st->connection = c;
    st->peers = 1;
    st->control = kind == PARLEY_LINK_CONTROL;

    c->data = st;
    c->read->handler = ngx_http_parley_moq_stream_handler;
    c->write->handler = ngx_http_empty_handler;

    ngx_queue_insert_tail(&moq->peers, &st->queue);

    if (kind == PARLEY_LINK_REQUEST) {
        st->request = 1;

        if (++moq->nrequests > NGX_HTTP_PARLEY_MOQ_REQUESTS) {
            ngx_http_parley_moq_stream_refuse(st);
            return;
        }
    }

    st->link = parley_link_stream(moq->link, kind, st);

    if (st->link == NULL) {
        ngx_http_parley_moq_stream_close(st);
        return;
    }

    ngx_http_parley_moq_stream_handler(c->read);
}


/* Refuses a request above the limit.  The log has one line for a connection. */

static void
ngx_http_parley_moq_stream_refuse(ngx_http_parley_moq_stream_t *st)
{
    ngx_http_parley_moq_t  *moq;

    moq = st->moq;

    parley_count(moq->worker->slot, PARLEY_M_MOQ_REQUESTS_REFUSED, 1);

    if (!moq->crowded) {
        moq->crowded = 1;

        ngx_log_error(NGX_LOG_INFO, moq->connection->log, 0,
                      "parley: MoQ request refused: the connection has its "
                      "maximum of %d request streams",
                      NGX_HTTP_PARLEY_MOQ_REQUESTS);
    }

    ngx_http_parley_moq_stream_stop(st, NGX_HTTP_PARLEY_MOQ_REJECTED);
    (void) ngx_quic_reset_stream(st->connection, NGX_HTTP_PARLEY_MOQ_REJECTED);
    ngx_http_parley_moq_stream_close(st);
}


/*
 * A limit cannot be lowered again.  So only a quarter of the worker's
 * connections are given away in this way, to clients that use most of their
 * first limit.
 */

void
ngx_http_parley_moq_stream_widen(ngx_http_parley_moq_t *moq)
{
    ngx_quic_frame_t       *frame;
    ngx_quic_streams_t     *streams;
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(moq->connection);
    streams = &qc->streams;

    if (streams->client_max_streams_uni - streams->client_streams_uni
        > NGX_HTTP_PARLEY_MOQ_UNI / 2
        || ngx_cycle->free_connection_n <= ngx_cycle->connection_n / 2
        || (moq->worker->moq_wide + 1) * NGX_HTTP_PARLEY_MOQ_WIDE
           > ngx_cycle->connection_n / 4
        || parley_link_principal(moq->link).len == 0)
    {
        return;
    }

    frame = ngx_quic_alloc_frame(moq->connection);
    if (frame == NULL) {
        return;
    }

    moq->wide = 1;
    moq->worker->moq_wide++;

    streams->client_max_streams_uni += NGX_HTTP_PARLEY_MOQ_WIDE
                                       - NGX_HTTP_PARLEY_MOQ_UNI;

    frame->level = NGX_QUIC_ENCRYPTION_APPLICATION;
    frame->type = NGX_QUIC_FT_MAX_STREAMS;
    frame->u.max_streams.limit = streams->client_max_streams_uni;
    frame->u.max_streams.bidi = 0;

    ngx_quic_queue_frame(qc, frame);
}


/* Frees the connection of a stream; nginx sends the rest of its octets. */

void
ngx_http_parley_moq_stream_free(ngx_connection_t *c)
{
    ngx_pool_t  *pool;

    pool = c->pool;

    c->destroyed = 1;

    ngx_close_connection(c);
    ngx_destroy_pool(pool);
}


static void
ngx_http_parley_moq_stream_handler(ngx_event_t *rev)
{
    ngx_connection_t              *c;
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_moq_stream_t  *st;

    c = rev->data;
    st = c->data;
    moq = st->moq;

    if (c->close) {
        /* the connection ends */

        ngx_http_parley_moq_end(moq);
        ngx_http_parley_moq_stream_close(st);
        return;
    }

    if (st->peers && !moq->closed && moq->link) {
        ngx_http_parley_moq_stream_input(st);
        ngx_http_parley_moq_done(moq);
    }
}


static void
ngx_http_parley_moq_stream_input(ngx_http_parley_moq_stream_t *st)
{
    u_char                  buf[NGX_HTTP_PARLEY_MOQ_PIECE];
    ssize_t                 n;
    ngx_connection_t       *c;
    ngx_http_parley_moq_t  *moq;

    c = st->connection;
    moq = st->moq;

    while (!st->held && !moq->closed) {

        n = c->recv(c, buf, sizeof(buf));

        if (n == NGX_AGAIN) {
            return;
        }

        if (n == NGX_ERROR) {

            if (st->link) {
                parley_link_is_reset(st->link);
            }

            ngx_http_parley_moq_stream_close(st);
            return;
        }

        if (n == 0) {
            st->fin = 1;
        }

        if (!ngx_http_parley_moq_stream_take(st, buf, (size_t) n)) {
            return;
        }
    }
}


/* Passes octets on to the link.  Returns 0 if the stream is closed. */

static ngx_uint_t
ngx_http_parley_moq_stream_take(ngx_http_parley_moq_stream_t *st, u_char *data,
    size_t len)
{
    uint64_t      code;
    parley_str_t  in;

    if (st->link) {
        in = parley_str_make(data, len);
        code = 0;

        if (parley_link_read(st->link, &in, st->fin, &code) != 0) {
            parley_link_stream_free(st->link);
            st->link = NULL;

            if (!st->fin) {
                ngx_http_parley_moq_stream_stop(st, code);
            }

        } else if (in.len || parley_link_waits(st->link)) {
            return ngx_http_parley_moq_stream_hold(st, in);
        }
    }

    if (st->fin) {
        ngx_http_parley_moq_stream_close(st);
        return 0;
    }

    return 1;
}


/* Keeps the input that the link has left over.  Returns 0 if the stream is
   closed. */

static ngx_uint_t
ngx_http_parley_moq_stream_hold(ngx_http_parley_moq_stream_t *st,
    parley_str_t in)
{
    st->held = 1;
    st->rest_len = in.len;

    if (in.len == 0) {
        return 1;
    }

    st->rest = ngx_alloc(in.len, st->connection->log);

    if (st->rest == NULL) {
        ngx_http_parley_moq_stream_stop(st, PARLEY_MOQT_INTERNAL_ERROR);
        parley_link_is_reset(st->link);
        ngx_http_parley_moq_stream_close(st);
        return 0;
    }

    ngx_memcpy(st->rest, in.data, in.len);

    return 1;
}


void
ngx_http_parley_moq_stream_resume(ngx_http_parley_moq_t *moq)
{
    u_char                        *rest;
    ngx_queue_t                   *q, *next;
    ngx_uint_t                     open;
    ngx_http_parley_moq_stream_t  *st;

    for (q = ngx_queue_head(&moq->peers);
         q != ngx_queue_sentinel(&moq->peers);
         q = next)
    {
        next = ngx_queue_next(q);
        st = ngx_queue_data(q, ngx_http_parley_moq_stream_t, queue);

        if (moq->closed) {
            return;
        }

        if (!st->held) {
            continue;
        }

        rest = st->rest;

        st->held = 0;
        st->rest = NULL;

        open = ngx_http_parley_moq_stream_take(st, rest, st->rest_len);

        if (rest) {
            ngx_free(rest);
        }

        if (open) {
            ngx_http_parley_moq_stream_input(st);
        }
    }
}


/* Queues STOP_SENDING; ngx_quic_shutdown_stream() has a constant code. */

static void
ngx_http_parley_moq_stream_stop(ngx_http_parley_moq_stream_t *st,
    uint64_t code)
{
    ngx_connection_t  *c;
    ngx_quic_frame_t  *frame;

    c = st->moq->connection;

    frame = ngx_quic_alloc_frame(c);
    if (frame == NULL) {
        return;
    }

    frame->level = NGX_QUIC_ENCRYPTION_APPLICATION;
    frame->type = NGX_QUIC_FT_STOP_SENDING;
    frame->u.stop_sending.id = st->connection->quic->id;
    frame->u.stop_sending.error_code = code;

    ngx_quic_queue_frame(ngx_quic_get_connection(c), frame);
}


static void
ngx_http_parley_moq_stream_close(ngx_http_parley_moq_stream_t *st)
{
    ngx_http_parley_moq_t  *moq;

    moq = st->moq;

    if (st->link) {
        parley_link_stream_free(st->link);
        st->link = NULL;
    }

    if (moq->out_stream == st) {
        ngx_http_parley_moq_stream_flush(moq);
        moq->out_stream = NULL;
        moq->out_len = 0;
    }

    if (st->rest) {
        ngx_free(st->rest);
    }

    if (st->request) {
        moq->nrequests--;
    }

    ngx_queue_remove(&st->queue);

    ngx_http_parley_moq_stream_free(st->connection);
}


int64_t
ngx_http_parley_moq_stream_write(void *ctx, void *stream, parley_str_t octets)
{
    size_t                         n, room, taken;
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_stream_t  *st = stream;

    if (moq->closed || !ngx_http_parley_moq_stream_sends(st)) {
        return -1;
    }

    room = ngx_http_parley_moq_stream_room(st);

    if (room < octets.len) {
        octets.len = room;
        moq->blocked = 1;
    }

    if (moq->out_len && moq->out_stream != st) {
        ngx_http_parley_moq_stream_flush(moq);
    }

    moq->out_stream = st;

    if (moq->out == NULL && octets.len) {
        moq->out = ngx_alloc(NGX_HTTP_PARLEY_MOQ_PIECE, moq->connection->log);
        if (moq->out == NULL) {
            return -1;
        }
    }

    for (taken = 0; taken < octets.len; taken += n) {
        n = ngx_min(octets.len - taken,
                    NGX_HTTP_PARLEY_MOQ_PIECE - moq->out_len);

        ngx_memcpy(moq->out + moq->out_len, octets.data + taken, n);
        moq->out_len += n;

        if (moq->out_len == NGX_HTTP_PARLEY_MOQ_PIECE) {
            ngx_http_parley_moq_stream_flush(moq);
        }
    }

    if (taken) {
        moq->outstanding += taken;
        ngx_http_parley_moq_post_turn(moq);
    }

    return (int64_t) taken;
}


static ngx_uint_t
ngx_http_parley_moq_stream_sends(ngx_http_parley_moq_stream_t *st)
{
    ngx_connection_t  *c;

    c = st->connection;

    return !c->write->error
           && (c->quic->send_state == NGX_QUIC_STREAM_SEND_READY
               || c->quic->send_state == NGX_QUIC_STREAM_SEND_SEND);
}


/* Returns the number of octets that a stream can take now. */

static size_t
ngx_http_parley_moq_stream_room(ngx_http_parley_moq_stream_t *st)
{
    size_t                  room, pending;
    ngx_quic_stream_t      *qs;
    ngx_quic_connection_t  *qc;
    ngx_http_parley_moq_t  *moq;

    moq = st->moq;
    qs = st->connection->quic;
    qc = ngx_quic_get_connection(moq->connection);

    pending = moq->out_stream == st ? moq->out_len : 0;
    room = qs->acked + qc->conf->stream_buffer_size - qs->sent;
    room = pending < room ? room - pending : 0;

    if (st->control) {
        return room;
    }

    if (qc->nframes >= NGX_HTTP_PARLEY_MOQ_FRAMES) {
        return 0;
    }

    if (moq->outstanding + room > moq->lag) {
        ngx_http_parley_moq_stream_measure(moq);

        if (moq->outstanding >= moq->lag) {
            return 0;
        }

        room = ngx_min(room, moq->lag - moq->outstanding);
    }

    return room;
}


/* Counts the streams of the gateway and their unacknowledged octets. */

static void
ngx_http_parley_moq_stream_measure(ngx_http_parley_moq_t *moq)
{
    ngx_rbtree_t           *tree;
    ngx_rbtree_node_t      *node;
    ngx_quic_stream_t      *qs;
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(moq->connection);
    tree = &qc->streams.tree;

    moq->outstanding = moq->out_len;
    moq->nopened = 0;

    if (tree->root == tree->sentinel) {
        return;
    }

    for (node = ngx_rbtree_min(tree->root, tree->sentinel);
         node;
         node = ngx_rbtree_next(tree, node))
    {
        qs = (ngx_quic_stream_t *) node;

        moq->outstanding += qs->sent - qs->acked;

        if (qs->id & NGX_QUIC_STREAM_SERVER_INITIATED) {
            moq->nopened++;
        }
    }
}


void
ngx_http_parley_moq_stream_flush(ngx_http_parley_moq_t *moq)
{
    size_t  n;

    n = moq->out_len;

    if (n) {
        moq->out_len = 0;

        if (ngx_http_parley_moq_stream_send(moq->out_stream, moq->out, n)
            != NGX_OK)
        {
            /* the next write to this stream fails */
            moq->out_stream->connection->write->error = 1;
        }
    }
}


/* Sends octets, which fit into the buffer of the stream. */

static ngx_int_t
ngx_http_parley_moq_stream_send(ngx_http_parley_moq_stream_t *st,
    const u_char *data, size_t len)
{
    ssize_t            n;
    ngx_connection_t  *c;

    c = st->connection;

    if (!ngx_http_parley_moq_stream_sends(st)) {
        return NGX_ERROR;
    }

    n = c->send(c, (u_char *) data, len);

    return n == (ssize_t) len ? NGX_OK : NGX_ERROR;
}


void *
ngx_http_parley_moq_stream_open(void *ctx)
{
    ngx_connection_t              *c;
    ngx_quic_connection_t         *qc;
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_stream_t  *st;

    qc = ngx_quic_get_connection(moq->connection);
    c = NULL;

    if (moq->nopened >= NGX_HTTP_PARLEY_MOQ_STREAMS) {
        ngx_http_parley_moq_stream_measure(moq);
    }

    if (!moq->closed && !moq->leaving
        && moq->nopened < NGX_HTTP_PARLEY_MOQ_STREAMS
        && qc->nframes < NGX_HTTP_PARLEY_MOQ_FRAMES)
    {
        c = ngx_quic_open_stream(moq->connection, 0);
    }

    st = c ? ngx_pcalloc(c->pool, sizeof(ngx_http_parley_moq_stream_t)) : NULL;

    if (st == NULL) {
        moq->blocked = 1;

        if (c) {
            ngx_http_parley_moq_stream_free(c);
        }

        return NULL;
    }

    st->moq = moq;
    st->connection = c;

    c->data = st;
    c->read->handler = ngx_http_parley_moq_stream_handler;
    c->write->handler = ngx_http_empty_handler;

    ngx_queue_insert_tail(&moq->opened, &st->queue);
    moq->nopened++;

    return st;
}


/* nginx sends FIN when the connection of the stream is freed.  A stream of the
   peer is being read by the link. */

void
ngx_http_parley_moq_stream_finish(void *ctx, void *stream)
{
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_stream_t  *st = stream;

    if (!st->peers) {
        ngx_http_parley_moq_stream_close(st);
        return;
    }

    if (moq->out_stream == st) {
        ngx_http_parley_moq_stream_flush(moq);
    }

    (void) ngx_quic_shutdown_stream(st->connection, NGX_WRITE_SHUTDOWN);
}


void
ngx_http_parley_moq_stream_reset(void *ctx, void *stream, uint64_t code)
{
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_stream_t  *st = stream;

    if (moq->out_stream == st) {
        moq->out_len = 0;
        moq->out_stream = NULL;
    }

    (void) ngx_quic_reset_stream(st->connection, (ngx_uint_t) code);

    if (!st->peers) {
        ngx_http_parley_moq_stream_close(st);
    }
}

#endif
