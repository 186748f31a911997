
/*
 * Copyright (C) 2026 The Parley authors
 *
 * WebSockets of existing services (GW-34).  nginx's upstream module makes the
 * handshake with the service.  Then it would copy octets in both directions, so
 * the header filter takes both connections before that.  The upstream module
 * still ends the upstream, by its cleanup handler.
 *
 * Each side has a parser of frames, a bounded output, and its own control
 * frames.  No octet is read from a side while the other side has much unsent
 * output.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/stream/ngx_http_parley_websocket_pass.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/metrics/parley_counters.h"
#include "http/parley_handshake.h"
#include "gate/settings/parley_settings.h"


/* milliseconds between looks at the clock, which may be set */
#define NGX_HTTP_PARLEY_PASS_LOOK   60000

/* milliseconds within which the WebSockets of an exiting worker end */
#define NGX_HTTP_PARLEY_PASS_LEAVE  2000


static ngx_uint_t ngx_http_parley_pass_is_valid(ngx_http_request_t *r);
static ngx_http_parley_pass_t *ngx_http_parley_pass_create(
    ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_pass_take(ngx_http_parley_pass_t *p);
static ngx_int_t ngx_http_parley_pass_begin(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_service(ngx_event_t *ev);
static void ngx_http_parley_pass_turn(ngx_http_parley_socket_t *s);
static void ngx_http_parley_pass_run(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_closes(ngx_http_parley_pass_t *p);
static ngx_uint_t ngx_http_parley_pass_is_over(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_events(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_wait(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_expire(ngx_event_t *ev);
static void ngx_http_parley_pass_finish(ngx_http_parley_pass_t *p,
    ngx_int_t rc);
static void ngx_http_parley_pass_cleanup(void *data);


/*
 * Is called in place of the next header filter, for the 101 of a service.
 * Returns an error even if all is well: it makes the upstream module leave the
 * request, as one that is already finalized.
 */

ngx_int_t
ngx_http_parley_websocket_pass(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t                rc;
    ngx_http_parley_pass_t  *p;

    if (!ngx_http_parley_pass_is_valid(r)) {
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_HANDSHAKE);
        return NGX_HTTP_BAD_GATEWAY;
    }

    p = ngx_http_parley_pass_create(r, ctx);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ctx->replied = 1;

    /* limit_rate is for responses and must not delay frames */

    r->keepalive = 0;
    r->limit_rate = 0;
    r->limit_rate_set = 1;

    /* a 101 has no content (RFC 9110, section 8.6) */

    ngx_http_clear_content_length(r);

    rc = ngx_http_parley_next_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK) {
        return rc;
    }

    ngx_http_parley_pass_take(p);

    return NGX_ERROR;
}


/* Returns whether the service answers the handshake of the client. */

static ngx_uint_t
ngx_http_parley_pass_is_valid(ngx_http_request_t *r)
{
    ngx_str_t                 *key, *offered;
    parley_handshake_answer_t  answer;

    key = ngx_http_parley_in_header(r, "sec-websocket-key");
    offered = ngx_http_parley_in_header(r, "sec-websocket-protocol");

    ngx_http_parley_upgrade_answer(r->upstream, &answer);

    /* the service may select what the client itself offered */

    if (answer.protocol.len && offered
        && parley_handshake_has(ngx_http_parley_str(offered), answer.protocol))
    {
        answer.protocol = parley_str_none;
    }

    return r->upstream->upgrade && key
           && parley_handshake_check(ngx_http_parley_str(key), &answer) == NULL;
}


static ngx_http_parley_pass_t *
ngx_http_parley_pass_create(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    size_t                   max;
    ngx_pool_cleanup_t      *cln;
    ngx_http_upstream_t     *u;
    ngx_http_parley_pass_t  *p;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_parley_pass_t));
    if (cln == NULL) {
        return NULL;
    }

    p = cln->data;
    ngx_memzero(p, sizeof(ngx_http_parley_pass_t));

    u = r->upstream;
    max = ctx->lcf->gate.limits.octets;

    ngx_http_parley_socket_init(&p->socket, ctx, ngx_http_parley_pass_turn);

    p->socket.service = &p->service;
    p->socket.forward = ngx_http_parley_pass_forward;

    p->service.connection = u->peer.connection;
    p->service.read = &u->buffer;
    p->service.timeout = u->conf->send_timeout;
    p->service.lowat = u->conf->send_lowat;
    p->service.received = &u->state->bytes_received;
    p->service.masks = 1;

    ngx_queue_init(&p->sent);
    ngx_queue_insert_tail(&ctx->worker->sockets, &p->queue);
    parley_arena_init(&p->arena, &parley_mem_libc, 0);

    cln->handler = ngx_http_parley_pass_cleanup;

    parley_count(ctx->worker->slot, PARLEY_M_STREAMS, 1);

    return ngx_http_parley_side_init(&p->socket.client, max) == NGX_OK
           && ngx_http_parley_side_init(&p->service, max) == NGX_OK
           ? p : NULL;
}


/* Takes both connections. */

static void
ngx_http_parley_pass_take(ngx_http_parley_pass_t *p)
{
    ngx_connection_t     *pc;
    ngx_http_request_t   *r;
    ngx_http_upstream_t  *u;

    r = p->socket.request;
    u = r->upstream;
    pc = p->service.connection;

    ngx_http_parley_socket_listen(&p->socket);

    pc->read->handler = ngx_http_parley_pass_service;
    pc->write->handler = ngx_http_parley_pass_service;
    pc->idle = 1;       /* an exiting worker calls the handler */

    p->cleanup = u->cleanup;
    u->cleanup = NULL;
    r->main->count++;

    ngx_http_parley_socket_post(&p->socket);
}


/* Begins after nginx has left the connections. */

static ngx_int_t
ngx_http_parley_pass_begin(ngx_http_parley_pass_t *p)
{
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = p->socket.request;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    p->taken = 1;
    r->upstream->cleanup = p->cleanup;

    r->connection->log->action = "passing a WebSocket";

    if (clcf->tcp_nodelay
        && (ngx_tcp_nodelay(r->connection) != NGX_OK
            || ngx_tcp_nodelay(p->service.connection) != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (ngx_http_send_special(r, NGX_HTTP_FLUSH) == NGX_ERROR || r->out) {
        return NGX_ERROR;
    }

    p->expires = parley_gate_message_expires(&p->socket.ctx->gate);

    p->expiry.handler = ngx_http_parley_pass_expire;
    p->expiry.data = p;
    p->expiry.log = r->connection->log;

    ngx_http_parley_pass_wait(p);

    return NGX_OK;
}


/* Handles an event of the service's connection. */

static void
ngx_http_parley_pass_service(ngx_event_t *ev)
{
    ngx_connection_t        *c, *pc;
    ngx_http_request_t      *r;
    ngx_http_parley_pass_t  *p;

    pc = ev->data;
    r = pc->data;
    c = r->connection;
    p = (ngx_http_parley_pass_t *) ngx_http_parley_socket_of(r);

    ngx_http_set_log_request(c->log, r);

    if (pc->close && !p->leaving) {
        p->leaving = 1;
        p->expires = 0;
        ngx_add_timer(&p->expiry, ngx_random() % NGX_HTTP_PARLEY_PASS_LEAVE);
    }

    if (ev->timedout) {
        ev->timedout = 0;

        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT,
                      "parley: WebSocket ended: upstream timed out");

        p->service.gone = ev->write;
        ngx_http_parley_pass_end(p, PARLEY_CLOSE_FAILED,
                                 PARLEY_STR("the service is silent"),
                                 PARLEY_CLOSE_LEAVING);
    }

    ngx_http_parley_pass_run(p);
    ngx_http_run_posted_requests(c);
}


static void
ngx_http_parley_pass_turn(ngx_http_parley_socket_t *s)
{
    ngx_http_parley_pass_t *p = (ngx_http_parley_pass_t *) s;

    if (!p->taken && ngx_http_parley_pass_begin(p) != NGX_OK) {
        ngx_http_parley_pass_finish(p, NGX_ERROR);
        return;
    }

    ngx_http_parley_pass_run(p);
}


/* Does the pending work of any event, and ends the WebSocket if needed. */

static void
ngx_http_parley_pass_run(ngx_http_parley_pass_t *p)
{
    ngx_http_parley_side_t  *client, *service;

    client = &p->socket.client;
    service = &p->service;

    if (!p->taken || p->socket.request->upstream->peer.connection == NULL) {
        /* nginx has ended the request, or begins to */
        return;
    }

    ngx_http_parley_socket_messages(&p->socket);
    ngx_http_parley_pass_texts(p);
    ngx_http_parley_pass_closes(p);

    if (!client->gone && ngx_http_parley_side_flush(client) != NGX_OK) {
        client->gone = 1;
    }

    if (!service->gone && ngx_http_parley_side_flush(service) != NGX_OK) {
        service->gone = 1;
    }

    if (client->gone || service->gone) {
        /* either may be found just now */
        ngx_http_parley_pass_closes(p);

        if (!client->gone && ngx_http_parley_side_flush(client) != NGX_OK) {
            client->gone = 1;
        }
    }

    if (p->held == NULL && (client->gone || service->gone || service->closed)) {
        /* nothing answers them */
        ngx_http_parley_pass_settle_all(p);
    }

    if (p->socket.frame || p->held) {
        /* the message is settled first, and then posts an event */
        ngx_http_parley_pass_events(p);
        return;
    }

    if (ngx_http_parley_pass_is_over(p)) {
        ngx_http_parley_pass_settle_all(p);
        ngx_http_parley_pass_finish(p, client->gone ? NGX_ERROR : NGX_OK);
        return;
    }

    ngx_http_parley_pass_events(p);
}


/* Passes the end of one side to the other side. */

static void
ngx_http_parley_pass_closes(ngx_http_parley_pass_t *p)
{
    int                      by_peer;
    ngx_int_t                rc;
    ngx_http_parley_side_t  *client, *service;

    static const parley_str_t  invalid =
        parley_str("the service sent an invalid message");
    static const parley_str_t  ended =
        parley_str("the service closed the connection");

    client = &p->socket.client;
    service = &p->service;
    rc = NGX_OK;

    if (client->closing && !service->closing) {
        (void) parley_websocket_closed(client->frames, &by_peer);

        rc = by_peer
             ? ngx_http_parley_side_close_as(service,
                                       parley_websocket_last(client->frames))
             : ngx_http_parley_side_close(service, PARLEY_CLOSE_LEAVING,
                                          parley_str_none);

    } else if (client->gone) {
        rc = ngx_http_parley_side_close(service, PARLEY_CLOSE_LEAVING,
                                        parley_str_none);

    } else if (service->closing && !client->closing) {
        (void) parley_websocket_closed(service->frames, &by_peer);

        if (by_peer) {
            rc = ngx_http_parley_side_close_as(client,
                                       parley_websocket_last(service->frames));

        } else {
            ngx_log_error(NGX_LOG_WARN, client->connection->log, 0,
                          "parley: WebSocket of the service ended: a frame is "
                          "invalid, binary or too large");

            rc = ngx_http_parley_side_close(client, PARLEY_CLOSE_FAILED,
                                            invalid);
        }

    } else if (service->gone && !client->closing) {
        ngx_log_error(NGX_LOG_WARN, client->connection->log, 0,
                      "parley: WebSocket of the service ended: its connection "
                      "was closed");

        rc = ngx_http_parley_side_close(client, PARLEY_CLOSE_FAILED, ended);
    }

    if (client->closing || client->gone) {
        p->socket.over = 1;
    }

    if (rc != NGX_OK) {
        client->gone = 1;
        service->gone = 1;
    }
}


static ngx_uint_t
ngx_http_parley_pass_is_over(ngx_http_parley_pass_t *p)
{
    ngx_http_parley_side_t  *client, *service;

    client = &p->socket.client;
    service = &p->service;

    return (client->gone
            || (client->closing && client->closed && client->out == NULL
                && !client->connection->buffered))
           && (service->gone || service->closed || client->gone
               || (service->closing && service->out == NULL));
}


/* Waits for events of both connections. */

static void
ngx_http_parley_pass_events(ngx_http_parley_pass_t *p)
{
    ngx_connection_t         *c, *pc;
    ngx_http_upstream_t      *u;
    ngx_http_parley_side_t   *client, *service;

    client = &p->socket.client;
    service = &p->service;
    c = client->connection;
    pc = service->connection;
    u = p->socket.request->upstream;

    if (client->closing && !client->gone && !c->read->timer_set) {
        ngx_add_timer(c->read, NGX_HTTP_PARLEY_WEBSOCKET_LINGER);
    }

    if (service->gone || service->closed) {

        if (pc->read->timer_set) {
            ngx_del_timer(pc->read);
        }

        if (pc->write->timer_set) {
            ngx_del_timer(pc->write);
        }

    } else {
        ngx_add_timer(pc->read, u->conf->read_timeout);
    }

    if (ngx_handle_read_event(c->read, client->gone ? NGX_CLOSE_EVENT : 0)
        != NGX_OK
        || ngx_handle_read_event(pc->read, service->gone ? NGX_CLOSE_EVENT : 0)
           != NGX_OK)
    {
        client->gone = 1;
        ngx_http_parley_socket_post(&p->socket);
    }
}


/* Starts a timer of at most one interval, because the clock may be set. */

static void
ngx_http_parley_pass_wait(ngx_http_parley_pass_t *p)
{
    int64_t  left;

    if (p->expires == INT64_MAX) {
        return;
    }

    left = p->expires - ngx_http_parley_now();
    left = ngx_min(left, NGX_HTTP_PARLEY_PASS_LOOK);

    ngx_add_timer(&p->expiry, (ngx_msec_t) ngx_max(left, 1));
}


/* Ends the WebSocket: its token has expired (SEC-15), or the worker exits. */

static void
ngx_http_parley_pass_expire(ngx_event_t *ev)
{
    ngx_http_parley_pass_t  *p = ev->data;

    if (p->leaving) {
        ngx_http_parley_pass_end(p, PARLEY_CLOSE_LEAVING, parley_str_none,
                                 PARLEY_CLOSE_LEAVING);
        return;
    }

    if (p->expires > ngx_http_parley_now()) {
        ngx_http_parley_pass_wait(p);
        return;
    }

    ngx_http_parley_pass_end(p, PARLEY_CLOSE_EXPIRED,
                             PARLEY_STR("the token has expired"),
                             PARLEY_CLOSE_LEAVING);
}


void
ngx_http_parley_websocket_revoke(ngx_http_parley_worker_t *worker)
{
    ngx_queue_t             *q;
    ngx_http_parley_ctx_t   *ctx;
    ngx_http_parley_pass_t  *p;

    for (q = ngx_queue_head(&worker->sockets);
         q != ngx_queue_sentinel(&worker->sockets);
         q = ngx_queue_next(q))
    {
        p = ngx_queue_data(q, ngx_http_parley_pass_t, queue);
        ctx = p->socket.ctx;

        if (ctx->error.code == PARLEY_E_NONE
            && parley_gate_revocation_is_hit(&ctx->gate) != 0)
        {
            parley_error_clear(&ctx->error);
            ngx_http_parley_pass_end(p, PARLEY_CLOSE_EXPIRED,
                                     PARLEY_STR("the token is revoked"),
                                     PARLEY_CLOSE_LEAVING);
        }
    }
}


/* Ends the request.  The cleanup handler of the upstream module closes the
   connection to the service, and releases a reference. */

static void
ngx_http_parley_pass_finish(ngx_http_parley_pass_t *p, ngx_int_t rc)
{
    ngx_http_request_t  *r;

    r = p->socket.request;

    if (r->connection->read->timer_set) {
        ngx_del_timer(r->connection->read);
    }

    if (r->upstream->cleanup) {
        r->main->count++;
        (*r->upstream->cleanup)(r);
    }

    ngx_http_finalize_request(r, rc);
}


static void
ngx_http_parley_pass_cleanup(void *data)
{
    ngx_http_parley_pass_t  *p = data;

    if (p->socket.turn.posted) {
        ngx_delete_posted_event(&p->socket.turn);
    }

    if (p->expiry.timer_set) {
        ngx_del_timer(&p->expiry);
    }

    ngx_queue_remove(&p->queue);
    parley_count(p->socket.ctx->worker->slot, PARLEY_M_STREAMS, (uint64_t) -1);

    ngx_http_parley_socket_abandon(&p->socket);
    ngx_http_parley_pass_abandon(p);

    ngx_http_parley_side_free(&p->socket.client);
    ngx_http_parley_side_free(&p->service);
    parley_arena_reset(&p->arena);
}
