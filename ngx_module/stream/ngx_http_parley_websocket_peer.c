
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A WebSocket to a peer that the gateway has opened (VCP-32): this side is the
 * client.  The 101 came already, so the first octets are the greeting.  Frames
 * are masked.
 *
 * VCP 8.3 has no acknowledgment.  A ping follows each message, and a message is
 * delivered when the peer answers its ping, or a later one: the peer has read
 * all frames before.  Records that jobs owe to the peer stay owed until then,
 * and the next connection begins with them.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/delivery/parley_dial.h"
#include "gate/message/parley_stream_request.h"
#include "gate/metrics/parley_counters.h"
#include "hub/parley_event_id.h"
#include "translate/parley_codec.h"


static void ngx_http_parley_websocket_refused(ngx_http_parley_websocket_t *ws,
    const parley_receipt_t *receipt);


ngx_int_t
ngx_http_parley_websocket_greet(ngx_http_parley_websocket_t *ws)
{
    ngx_http_parley_peer_t         *peer;
    ngx_http_core_loc_conf_t       *clcf;
    const parley_stream_request_t  *opening;

    peer = ws->peer;
    clcf = ngx_http_get_module_loc_conf(ws->socket.request,
                                        ngx_http_core_module);

    ws->places = ngx_palloc(ws->socket.request->pool, PARLEY_DIAL_UNCONFIRMED
                                               * sizeof(parley_place_t));
    if (ws->places == NULL) {
        return NGX_ERROR;
    }

    if (clcf->tcp_nodelay
        && ngx_tcp_nodelay(ws->socket.client.connection) != NGX_OK)
    {
        return NGX_ERROR;
    }

    opening = ws->socket.ctx->gate.serve.opening;

    ngx_http_parley_hub_watch(ws->socket.client.connection,
                              opening->subscription.stream);

    peer->begun(peer->data, &ws->sub);

    return ngx_http_parley_side_text(&ws->socket.client,
                                     ngx_http_parley_str(&peer->greeting));
}


ngx_uint_t
ngx_http_parley_websocket_full(const ngx_http_parley_websocket_t *ws)
{
    return ws->nplaces == PARLEY_DIAL_UNCONFIRMED;
}


void
ngx_http_parley_websocket_pinged(ngx_http_parley_websocket_t *ws,
    parley_str_t frame)
{
    parley_place_t  place;

    /* a control frame has a head of two octets */

    if (parley_event_id_read(parley_str_from(frame, 2), &place) == 0
        && !ngx_http_parley_websocket_full(ws))
    {
        ws->places[ws->nplaces++] = place;
    }
}


void
ngx_http_parley_websocket_pong(void *side, parley_str_t payload)
{
    size_t                        i;
    parley_had_t                  had;
    parley_place_t                place;
    parley_state_t               *state;
    ngx_http_parley_websocket_t  *ws;

    ws = ngx_queue_data(side, ngx_http_parley_websocket_t, socket.client);

    if (ws->nplaces == 0 || parley_event_id_read(payload, &place) != 0) {
        return;
    }

    for (i = 0; i < ws->nplaces; i++) {

        if (ws->places[i].epoch == place.epoch
            && ws->places[i].offset > place.offset)
        {
            break;
        }
    }

    if (i == 0) {
        return;
    }

    had.log = ws->socket.ctx->gate.serve.opening->log;
    had.places = ws->places;
    had.n = i;
    had.all = 0;

    state = ws->socket.ctx->mcf->zone->state;
    (void) state->ops->log->had(state, &had, NULL);

    ws->nplaces -= i;
    ngx_memmove(ws->places, &ws->places[i], ws->nplaces
                                            * sizeof(parley_place_t));
}


/*
 * A peer may send receipts as in the HTTP binding (VCP 8.2).  A client that
 * sends them is a gateway that has opened this WebSocket, so its receipts begin
 * as those of the codec, and have an id or the code of a refusal.  All other
 * texts of a client are messages.
 */

ngx_uint_t
ngx_http_parley_websocket_receipt(ngx_http_parley_socket_t *s,
    parley_str_t text)
{
    ngx_uint_t                    rc;
    parley_str_t                  begin;
    parley_proto_t                proto;
    parley_arena_t                arena;
    parley_receipt_t              receipt;
    ngx_http_parley_websocket_t  *ws;

    ws = ngx_queue_data(s, ngx_http_parley_websocket_t, socket);

    proto = s->ctx->lcf->stream->proto;
    begin = parley_codecs[proto]->receipt_begin;

    if (begin.len == 0
        || (ws->peer == NULL
            && (text.len < begin.len
                || ngx_memcmp(text.data, begin.data, begin.len) != 0)))
    {
        return 0;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_dial_receipt(proto, text, &s->ctx->lcf->gate.limits,
                             s->ctx->gate.in.seed, &arena, &receipt)
         && (ws->peer || receipt.id.len > 0
             || (receipt.refused && receipt.code.len > 0));

    if (rc && ws->peer && receipt.refused) {
        ngx_http_parley_websocket_refused(ws, &receipt);
    }

    parley_arena_reset(&arena);

    return rc;
}


static void
ngx_http_parley_websocket_refused(ngx_http_parley_websocket_t *ws,
    const parley_receipt_t *receipt)
{
    ngx_http_parley_log_name_t  id, code;

    parley_count(ws->socket.ctx->worker->slot, PARLEY_M_PEER_REFUSED, 1);

    if (!ngx_http_parley_log_has_peer_line(ws->socket.ctx->worker,
                                           parley_error_code(receipt->code)))
    {
        return;
    }

    ngx_log_error(NGX_LOG_ERR, ws->socket.client.connection->log, 0,
                  "parley: message refused: peer \"%V\" refused a message of "
                  "its WebSocket, code \"%s\", id \"%s\"", &ws->peer->sub,
                  ngx_http_parley_log_name(receipt->code, code),
                  ngx_http_parley_log_name(receipt->id, id));
}
