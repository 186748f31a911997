
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The response to the handshake of a WebSocket.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"
#include "http/parley_handshake.h"


ngx_int_t
ngx_http_parley_websocket_accept(ngx_http_parley_websocket_t *ws)
{
    char                           *accept;
    ngx_int_t                       rc;
    ngx_str_t                      *key;
    ngx_http_request_t             *r;
    ngx_http_core_loc_conf_t       *clcf;
    const parley_stream_request_t  *opening;

    r = ws->socket.request;
    opening = ws->socket.ctx->gate.serve.opening;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    key = ngx_http_parley_in_header(r, "sec-websocket-key");
    accept = ngx_pnalloc(r->pool, PARLEY_HANDSHAKE_ACCEPT + 1);

    if (key == NULL || accept == NULL
        || parley_handshake_accept(ngx_http_parley_str(key), accept) != 0)
    {
        return NGX_ERROR;
    }

    /* an answer must not wait for the acknowledgement of the previous one */

    if (clcf->tcp_nodelay && ngx_tcp_nodelay(r->connection) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_hub_watch(r->connection,
                              opening->subscription.stream);

    /* limit_rate is for responses and must not delay frames */

    r->limit_rate = 0;
    r->limit_rate_set = 1;

    r->keepalive = 0;
    r->headers_out.status = NGX_HTTP_SWITCHING_PROTOCOLS;
    r->headers_out.content_type.len = 0;

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);

    if (ngx_http_parley_out_header(r, "Upgrade", PARLEY_STR("websocket"))
        != NGX_OK
        || ngx_http_parley_out_header(r, "Sec-WebSocket-Accept",
                                      parley_str_c(accept))
           != NGX_OK
        || ngx_http_parley_out_header(r, "Parley-Session",
                                      opening->session)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (opening->unlogged
        && ngx_http_parley_out_header(r, "Parley-Resume", PARLEY_STR("none"))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK
        || ngx_http_send_special(r, NGX_HTTP_FLUSH) == NGX_ERROR || r->out)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}
