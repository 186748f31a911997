
/*
 * Copyright (C) 2026 The Parley authors
 *
 * WebSockets (RFC 6455, VCP 8.3).  A WebSocket is a subscriber of the hub and
 * accepts messages.  The request that opens it has passed the steps of a
 * stream.  The hub's output is sent as frames.  Each text frame of the client
 * is a message (ngx_http_parley_websocket_message.c).  Messages are processed
 * one at a time; later ones wait in the kernel.
 *
 * The callbacks of the hub must not call the hub or run the gate, so an event
 * does the work.  A message in progress is settled before the WebSocket ends.
 *
 * nginx upgrades only HTTP/1.1 and does not support RFC 8441.  On a listener
 * with HTTP/2 a client must choose http/1.1 by ALPN, as browsers do.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "hub/parley_event_id.h"
#include "gate/settings/parley_settings.h"


static ngx_int_t ngx_http_parley_websocket_busy(
    ngx_http_parley_websocket_t *ws);
static ngx_int_t ngx_http_parley_websocket_begin(
    ngx_http_parley_websocket_t *ws);
static int64_t ngx_http_parley_websocket_write(parley_subscriber_t *s,
    parley_str_t octets);
static int64_t ngx_http_parley_websocket_take(ngx_http_parley_websocket_t *ws,
    parley_str_t octets);
static void ngx_http_parley_websocket_end(parley_subscriber_t *s,
    parley_end_t why);
static void ngx_http_parley_websocket_run(ngx_http_parley_socket_t *s);
static ngx_int_t ngx_http_parley_websocket_tell(
    ngx_http_parley_websocket_t *ws);
static void ngx_http_parley_websocket_finish(ngx_http_parley_websocket_t *ws,
    ngx_int_t rc);
static void ngx_http_parley_websocket_cleanup(void *data);


static const ngx_http_parley_transport_t
    ngx_http_parley_websocket_transport =
{
    ngx_http_parley_websocket_write,
    ngx_http_parley_websocket_end,
    NULL,
    NULL,
    NULL
};


ngx_int_t
ngx_http_parley_websocket_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_stream_request_t *opening)
{
    ngx_pool_cleanup_t           *cln;
    ngx_http_parley_socket_t     *s;
    ngx_http_parley_websocket_t  *ws;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_parley_websocket_t));
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ws = cln->data;
    ngx_memzero(ws, sizeof(ngx_http_parley_websocket_t));

    s = &ws->socket;

    ngx_http_parley_socket_init(s, ctx, ngx_http_parley_websocket_run);

    s->skips = ngx_http_parley_websocket_receipt;

    ws->peer = ngx_http_parley_peer(r);

    if (ws->peer) {
        s->client.masks = 1;
        s->client.pong = ngx_http_parley_websocket_pong;
    }

    if (ngx_http_parley_side_init(&s->client, ctx->lcf->gate.limits.octets)
        != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ws->sub.transport = &ngx_http_parley_websocket_transport;

    cln->handler = ngx_http_parley_websocket_cleanup;

    r->read_event_handler = ngx_http_test_reading;
    r->write_event_handler = ngx_http_request_empty_handler;

    switch (ngx_http_parley_hub_open(ctx, &ws->sub, opening)) {

    case NGX_OK:
        return NGX_DONE;

    case NGX_BUSY:
        return ngx_http_parley_websocket_busy(ws);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/*
 * Opens and closes the WebSocket, because a script in a browser cannot see the
 * status of a handshake (SEC-22).  The close frame of the client is not
 * awaited.
 */

static ngx_int_t
ngx_http_parley_websocket_busy(ngx_http_parley_websocket_t *ws)
{
    u_char                    text[sizeof("Retry-After: ") + NGX_INT64_LEN];
    ngx_int_t                 rc;
    parley_str_t              seconds;
    parley_gate_t            *g;

    g = &ws->socket.ctx->gate;

    ngx_http_parley_hub_busy(ws->socket.ctx);
    ngx_http_parley_log_refusal(ws->socket.request, ws->socket.ctx);

    seconds = parley_str_make(text,
                              ngx_sprintf(text, "%L", g->report.wait / 1000)
                              - text);

    if (ngx_http_parley_out_header(ws->socket.request, "Retry-After", seconds)
        != NGX_OK
        || ngx_http_parley_websocket_begin(ws) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ws->socket.client.closed = 1;

    rc = ngx_http_parley_side_close(&ws->socket.client, PARLEY_CLOSE_BUSY,
                                PARLEY_STR("too many connections are open"));

    ngx_http_parley_socket_post(&ws->socket);

    return rc == NGX_OK ? NGX_DONE : NGX_ERROR;
}


/* Starts the WebSocket; this happens only after the subscription is known. */

static ngx_int_t
ngx_http_parley_websocket_begin(ngx_http_parley_websocket_t *ws)
{
    ws->begun = 1;
    ws->socket.ctx->replied = 1;

    if ((ws->peer ? ngx_http_parley_websocket_greet(ws)
                  : ngx_http_parley_websocket_accept(ws))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_http_parley_socket_listen(&ws->socket);

    /* also reads data that arrived with the request */

    ngx_http_parley_socket_post(&ws->socket);

    return NGX_OK;
}


static int64_t
ngx_http_parley_websocket_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_websocket_t *ws = (ngx_http_parley_websocket_t *) s;

    int64_t  n, taken;

    if (ws->socket.client.gone || ws->socket.client.connection->error
        || (!ws->begun && ngx_http_parley_websocket_begin(ws) != NGX_OK))
    {
        return -1;
    }

    taken = 0;

    do {
        n = ngx_http_parley_websocket_take(ws, parley_str_from(octets, taken));

        if (n < 0 || ngx_http_parley_side_flush(&ws->socket.client) != NGX_OK) {
            return -1;
        }

        taken += n;

    } while (n > 0 && (size_t) taken < octets.len);

    ws->blocked = (size_t) taken < octets.len;

    return taken;
}


/* Queues as many complete frames as the limit of unsent output allows. */

static int64_t
ngx_http_parley_websocket_take(ngx_http_parley_websocket_t *ws,
    parley_str_t octets)
{
    size_t                   n, taken;
    parley_str_t             frame;
    parley_frame_kind_t      kind;
    ngx_http_parley_side_t  *client;

    client = &ws->socket.client;

    for (taken = 0; taken < octets.len; taken += n) {

        if (client->closing) {
            return (int64_t) octets.len;
        }

        if (client->pending >= NGX_HTTP_PARLEY_WEBSOCKET_PENDING) {
            break;
        }

        frame = parley_str_from(octets, taken);
        n = parley_frame_first(frame, &kind);

        if (n == 0) {
            return -1;
        }

        frame.len = n;

        if (ws->peer && kind == PARLEY_FRAME_TEXT) {

            if (ngx_http_parley_websocket_full(ws)) {
                break;
            }

            ws->followed = 1;

        } else if (kind == PARLEY_FRAME_PING && ws->followed) {
            ws->followed = 0;
            ngx_http_parley_websocket_pinged(ws, frame);

        } else if (kind == PARLEY_FRAME_PING) {

            /* unread data also shows that the client is alive */

            if (ws->asked && !client->heard
                && !client->connection->read->ready)
            {
                ngx_log_error(NGX_LOG_INFO, client->connection->log, 0,
                              "client does not answer the ping of a WebSocket");
                return -1;
            }

            ws->asked = 1;
            client->heard = 0;
        }

        if (ngx_http_parley_side_push(client, frame) != NGX_OK) {
            return -1;
        }

        if (kind == PARLEY_FRAME_CLOSE) {
            client->closing = 1;
            ngx_http_parley_socket_post(&ws->socket);
        }
    }

    return (int64_t) taken;
}


static void
ngx_http_parley_websocket_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_websocket_t *ws = (ngx_http_parley_websocket_t *) s;

    ws->socket.over = 1;
    ws->why = why;
    ws->place.epoch = s->epoch;
    ws->place.offset = s->offset;

    ngx_http_parley_socket_post(&ws->socket);
}


/* Does the pending work of any event, and ends the WebSocket if needed. */

static void
ngx_http_parley_websocket_run(ngx_http_parley_socket_t *s)
{
    ngx_int_t                     rc;
    ngx_connection_t             *c;
    ngx_http_parley_side_t       *client;
    ngx_http_parley_websocket_t  *ws;

    ws = ngx_queue_data(s, ngx_http_parley_websocket_t, socket);
    client = &ws->socket.client;
    c = client->connection;

    if (!ws->begun) {

        if (ws->socket.over) {
            rc = ngx_http_parley_stream_refuse(ws->socket.request,
                                               ws->socket.ctx, ws->why);

            if (rc != NGX_DONE) {
                ngx_http_finalize_request(ws->socket.request, rc);
            }
        }

        return;
    }

    if (!client->gone) {
        ngx_http_parley_socket_messages(&ws->socket);
    }

    if (ws->socket.over && !ws->socket.frame && !client->gone
        && ngx_http_parley_websocket_tell(ws) != NGX_OK)
    {
        client->gone = 1;
    }

    if (!client->gone && ngx_http_parley_side_flush(client) != NGX_OK) {
        client->gone = 1;
    }

    if (ws->socket.frame) {

        /* the message is settled first, and then posts an event */

        if (!client->gone && ngx_handle_read_event(c->read, 0) != NGX_OK) {
            client->gone = 1;
        }

        return;
    }

    if (client->gone) {
        ngx_http_parley_websocket_finish(ws, NGX_ERROR);
        return;
    }

    if (client->closing) {
        ngx_http_parley_hub_close(&ws->sub);

        if (client->closed && client->out == NULL && !c->buffered) {
            ngx_http_parley_websocket_finish(ws, NGX_OK);
            return;
        }

        if (!c->read->timer_set) {
            ngx_add_timer(c->read, NGX_HTTP_PARLEY_WEBSOCKET_LINGER);
        }

    } else if (ws->blocked && client->out == NULL && ws->sub.joined) {
        ws->blocked = 0;
        parley_hub_writable(ws->sub.hub->hub, &ws->sub.s);
    }

    if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
        ngx_http_parley_websocket_finish(ws, NGX_ERROR);
    }
}


/* Queues the close frame for the reason of the hub, with the place to
   resume. */

static ngx_int_t
ngx_http_parley_websocket_tell(ngx_http_parley_websocket_t *ws)
{
    uint8_t         text[PARLEY_PLACE_REASON];
    parley_str_t    reason;
    parley_close_t  code;

    if (ws->socket.client.closing) {
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ws->socket.client.connection->log, 0,
                   "parley: the WebSocket ends, %ui", ws->why);

    reason = ws->place.epoch ? parley_event_id_reason(&ws->place, text)
                             : parley_str_none;

    switch (ws->why) {

    case PARLEY_END_GONE:
    case PARLEY_END_SLOW:
        /* the client cannot get a frame */
        return NGX_ERROR;

    case PARLEY_END_EXPIRED:
        code = PARLEY_CLOSE_EXPIRED;
        break;

    case PARLEY_END_REPLACED:
        code = PARLEY_CLOSE_REPLACED;
        reason = PARLEY_STR("another WebSocket has this session");
        break;

    case PARLEY_END_LEAVING:
        code = PARLEY_CLOSE_LEAVING;
        break;

    case PARLEY_END_SILENT:
        code = PARLEY_CLOSE_FAILED;
        break;

    case PARLEY_END_AGED:
    case PARLEY_END_CLOSED:
        code = PARLEY_CLOSE_NORMAL;
        break;

    default:
        code = PARLEY_CLOSE_FAILED;
        reason = parley_str_none;
    }

    return ngx_http_parley_side_close(&ws->socket.client, code, reason);
}


static void
ngx_http_parley_websocket_finish(ngx_http_parley_websocket_t *ws, ngx_int_t rc)
{
    ngx_event_t  *rev;

    rev = ws->socket.client.connection->read;

    if (rev->timer_set) {
        ngx_del_timer(rev);
    }

    ngx_http_finalize_request(ws->socket.request, rc);
}


static void
ngx_http_parley_websocket_cleanup(void *data)
{
    ngx_http_parley_websocket_t  *ws = data;

    if (ws->socket.turn.posted) {
        ngx_delete_posted_event(&ws->socket.turn);
    }

    if (ws->peer) {
        ws->peer->lost = ws->nplaces;
    }

    ngx_http_parley_socket_abandon(&ws->socket);
    ngx_http_parley_hub_close(&ws->sub);
    ngx_http_parley_side_free(&ws->socket.client);
}
