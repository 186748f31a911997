
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A subscriber of the hub over HTTP.  It sends the octets of a stream of
 * events as fast as the client takes them.  The hub's octets are valid only
 * during the call, so each piece is copied.  While a piece is unsent, the
 * stream takes nothing else.
 *
 * An idle stream needs a connection but not a request.  The request is freed
 * after the header if that is possible (ngx_http_parley_stream_http1.c).
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/stream/ngx_http_parley_stream.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "gate/message/parley_stream_request.h"


static int64_t ngx_http_parley_stream_write(parley_subscriber_t *s,
    parley_str_t octets);
static void ngx_http_parley_stream_end(parley_subscriber_t *s,
    parley_end_t why);
static ngx_int_t ngx_http_parley_stream_begin(ngx_http_parley_stream_t *st);
static ngx_int_t ngx_http_parley_stream_send(ngx_http_parley_stream_t *st,
    parley_str_t octets);
static ngx_int_t ngx_http_parley_stream_sent(ngx_http_parley_stream_t *st,
    ngx_int_t rc);
static void ngx_http_parley_stream_writer(ngx_http_request_t *r);
static ngx_http_parley_stream_t *ngx_http_parley_stream_of(
    ngx_http_request_t *r);
static void ngx_http_parley_stream_turn(ngx_event_t *ev);
static void ngx_http_parley_stream_cleanup(void *data);


static const ngx_http_parley_transport_t  ngx_http_parley_stream_transport = {
    ngx_http_parley_stream_write,
    ngx_http_parley_stream_end,
    NULL,
    NULL,
    NULL
};


ngx_int_t
ngx_http_parley_stream_open(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_stream_request_t *opening)
{
    parley_str_t               session;
    parley_stream_request_t    own;
    ngx_pool_cleanup_t        *cln;
    ngx_http_parley_stream_t  *st;

    session = opening->subscription.session;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    st = ngx_calloc(sizeof(ngx_http_parley_stream_t) + session.len,
                    r->connection->log);

    if (cln == NULL || st == NULL) {
        ngx_free(st);
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    st->sub.transport = &ngx_http_parley_stream_transport;
    st->request = r;
    st->connection = r->connection;

    st->turn.handler = ngx_http_parley_stream_turn;
    st->turn.data = st;
    st->turn.log = r->connection->log;

    cln->handler = ngx_http_parley_stream_cleanup;
    cln->data = st;

    st->cleanup = cln;

    /* strings that the hub does not copy must live as long as the stream */

    own = *opening;
    own.subscription.session = parley_str_make(st->session, session.len);
    ngx_memcpy(st->session, session.data, session.len);

    st->leaves = r == r->main && r->http_version < NGX_HTTP_VERSION_20
                 && r->limit_conn_status == 0
                 && opening->subscription.reader.len == 0;

    r->read_event_handler = ngx_http_test_reading;
    r->write_event_handler = ngx_http_parley_stream_writer;

    switch (ngx_http_parley_hub_open(ctx, &st->sub, &own)) {

    case NGX_OK:
        return NGX_DONE;

    case NGX_BUSY:
        ngx_http_parley_hub_busy(ctx);
        return ngx_http_parley_refuse(r, ctx);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/* Sends the header; this happens only after the subscription is known. */

static ngx_int_t
ngx_http_parley_stream_begin(ngx_http_parley_stream_t *st)
{
    ngx_int_t                  rc;
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = st->request;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    st->begun = 1;
    st->sub.ctx->replied = 1;

    if (st->leaves) {
        r->keepalive = 0;
    }

    /* an event must not wait for the acknowledgement of the previous one */

    if (clcf->tcp_nodelay && ngx_tcp_nodelay(r->connection) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_hub_watch(r->connection,
                        st->sub.ctx->gate.serve.opening->subscription.stream);

    r->headers_out.status = NGX_HTTP_OK;
    ngx_str_set(&r->headers_out.content_type, "text/event-stream");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);

#if (NGX_HTTP_GZIP)
    r->gzip_tested = 1;
    r->gzip_ok = 0;
#endif

    if (ngx_http_parley_out_header(r, "Cache-Control", PARLEY_STR("no-store"))
        != NGX_OK
        || ngx_http_parley_out_header(r, "X-Accel-Buffering", PARLEY_STR("no"))
           != NGX_OK
        || ngx_http_parley_out_header(r, "Parley-Session",
                                      st->sub.ctx->gate.serve.opening->session)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_send_header(r);

    return rc == NGX_ERROR || rc > NGX_OK || r->header_only ? NGX_ERROR
                                                            : NGX_OK;
}


static int64_t
ngx_http_parley_stream_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_stream_t *st = (ngx_http_parley_stream_t *) s;

    if (st->connection->error) {
        return -1;
    }

    if (!st->begun && ngx_http_parley_stream_begin(st) != NGX_OK) {
        return -1;
    }

    return ngx_http_parley_stream_pieces(st, octets,
                                         ngx_http_parley_stream_send);
}


int64_t
ngx_http_parley_stream_pieces(ngx_http_parley_stream_t *st,
    parley_str_t octets, ngx_http_parley_stream_send_pt send)
{
    size_t        taken;
    parley_str_t  piece;

    /* the hub offers the rest when the connection takes more */

    for (taken = 0; taken < octets.len && st->piece == NULL;
         taken += piece.len)
    {
        piece = parley_str_from(octets, taken);
        piece.len = ngx_min(piece.len, NGX_HTTP_PARLEY_STREAM_PIECE);

        if (send(st, piece) != NGX_OK) {
            return -1;
        }
    }

    return (int64_t) taken;
}


static ngx_int_t
ngx_http_parley_stream_send(ngx_http_parley_stream_t *st, parley_str_t octets)
{
    ngx_buf_t           *b;
    ngx_int_t            rc;
    ngx_chain_t         *out;
    ngx_http_request_t  *r;

    r = st->request;

    out = ngx_chain_get_free_buf(r->pool, &st->free);
    st->piece = ngx_alloc(octets.len, r->connection->log);

    if (out == NULL || st->piece == NULL) {
        return NGX_ERROR;
    }

    b = out->buf;

    ngx_memzero(b, sizeof(ngx_buf_t));

    b->start = st->piece;
    b->pos = b->start;
    b->last = ngx_cpymem(b->pos, octets.data, octets.len);
    b->end = b->last;
    b->temporary = 1;
    b->flush = 1;
    b->tag = (ngx_buf_tag_t) &ngx_http_parley_module;

    rc = ngx_http_output_filter(r, out);

    ngx_chain_update_chains(r->pool, &st->free, &st->busy, &out,
                            (ngx_buf_tag_t) &ngx_http_parley_module);

    return ngx_http_parley_stream_sent(st, rc);
}


/* Frees a sent piece and sets the timer of an unsent one. */

static ngx_int_t
ngx_http_parley_stream_sent(ngx_http_parley_stream_t *st, ngx_int_t rc)
{
    ngx_event_t               *wev;
    ngx_connection_t          *c;
    ngx_http_core_loc_conf_t  *clcf;

    c = st->request->connection;
    wev = c->write;

    if (rc == NGX_ERROR || c->error) {
        return NGX_ERROR;
    }

    clcf = ngx_http_get_module_loc_conf(st->request, ngx_http_core_module);

    if (st->busy == NULL) {
        ngx_free(st->piece);
        st->piece = NULL;

        /* the timer of limit_rate ends the delay and must run on */

        if (wev->timer_set && !wev->delayed) {
            ngx_del_timer(wev);
        }

        if (st->leaves) {
            ngx_post_event(&st->turn, &ngx_posted_events);
        }

        return NGX_OK;
    }

    if (!wev->delayed) {
        ngx_add_timer(wev, clcf->send_timeout);
    }

    return ngx_handle_write_event(wev, clcf->send_lowat);
}


static void
ngx_http_parley_stream_writer(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_event_t               *wev;
    ngx_chain_t               *none;
    ngx_http_parley_stream_t  *st;

    wev = r->connection->write;
    st = ngx_http_parley_stream_of(r);

    if (st == NULL) {
        return;
    }

    if (wev->timedout) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, NGX_ETIMEDOUT,
                      "client timed out");
        r->connection->timedout = 1;
        ngx_http_finalize_request(r, NGX_HTTP_REQUEST_TIME_OUT);
        return;
    }

    if (st->piece == NULL) {
        return;
    }

    rc = ngx_http_output_filter(r, NULL);
    none = NULL;

    ngx_chain_update_chains(r->pool, &st->free, &st->busy, &none,
                            (ngx_buf_tag_t) &ngx_http_parley_module);

    if (ngx_http_parley_stream_sent(st, rc) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_ERROR);
        return;
    }

    if (st->piece == NULL && st->sub.joined) {
        parley_hub_writable(st->sub.hub->hub, &st->sub.s);
    }
}


static ngx_http_parley_stream_t *
ngx_http_parley_stream_of(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t  *cln;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {
        if (cln->handler == ngx_http_parley_stream_cleanup) {
            return cln->data;
        }
    }

    return NULL;
}


/* Posts an event: ending a request would call the hub from its callback. */

static void
ngx_http_parley_stream_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_stream_t *st = (ngx_http_parley_stream_t *) s;

    st->why = why;
    st->over = 1;

    ngx_post_event(&st->turn, &ngx_posted_events);
}


static void
ngx_http_parley_stream_turn(ngx_event_t *ev)
{
    ngx_int_t                  rc;
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_parley_stream_t  *st = ev->data;

    if (st->request == NULL) {
        ngx_http_parley_stream_http1_over(st);
        return;
    }

    if (!st->over) {
        ngx_http_parley_stream_http1(st);
        return;
    }

    r = st->request;
    c = r->connection;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, c->log, 0,
                   "parley: the stream ends, %ui", st->why);

    if (!st->begun) {
        rc = ngx_http_parley_stream_refuse(r, st->sub.ctx, st->why);

    } else if (c->error || st->piece || st->why == PARLEY_END_GONE
               || st->why == PARLEY_END_SLOW)
    {
        /* the end cannot be signalled */
        rc = NGX_ERROR;

    } else {
        rc = ngx_http_send_special(r, NGX_HTTP_LAST);
    }

    if (rc != NGX_DONE) {
        ngx_http_finalize_request(r, rc);
    }

    ngx_http_run_posted_requests(c);
}


/* Refuses a stream that could not begin; the client may try again. */

ngx_int_t
ngx_http_parley_stream_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_end_t why)
{
    parley_gate_t  *g;

    g = &ctx->gate;

    g->report.wait = 1000;

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                            why == PARLEY_END_SHARE
                            ? "this principal uses its whole share of the zone"
                            : why == PARLEY_END_MANY
                            ? "this principal's streams of this handle have "
                              "too many different filters, or too long ones"
                            : why == PARLEY_END_SILENT
                            ? "the state did not answer in time"
                            : why == PARLEY_END_LEAVING
                            ? "this worker is shutting down"
                            : "no room for another stream");

    return ngx_http_parley_refuse(r, ctx);
}


static void
ngx_http_parley_stream_cleanup(void *data)
{
    ngx_http_parley_stream_free(data);
}


void
ngx_http_parley_stream_free(ngx_http_parley_stream_t *st)
{
    if (st->turn.posted) {
        ngx_delete_posted_event(&st->turn);
    }

    ngx_http_parley_hub_close(&st->sub);

    if (st->piece) {
        ngx_free(st->piece);
    }

    ngx_free(st);
}
