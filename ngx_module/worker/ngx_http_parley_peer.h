
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A WebSocket that the gateway has opened to a peer (VCP-32), as the main
 * request of a location with parley_websocket.  From then on it is a WebSocket
 * as any other, except that this side is the client.
 */


#ifndef _NGX_HTTP_PARLEY_PEER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_PEER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


typedef struct ngx_http_parley_peer_s  ngx_http_parley_peer_t;

struct ngx_http_parley_subscriber_s;


struct ngx_http_parley_peer_s {
    ngx_str_t                     sub;            /* of the principal */
    ngx_str_t                     greeting;       /* first message; the caller
                                                     keeps it */
    ngx_str_t                     uri;            /* of the location */

    /* Called when the WebSocket has begun; its subscription lasts until
       ended(). */
    void                        (*begun)(void *data,
                                    struct ngx_http_parley_subscriber_s *sub);

    /* Called once at the end of the request, which is freed afterwards.  lost:
       messages that were sent and not confirmed. */
    void                        (*ended)(void *data, ngx_uint_t lost);
    void                         *data;

    ngx_uint_t                    lost;           /* set by the WebSocket */
};


/*
 * Runs the request of a WebSocket on c, a connection that
 * ngx_http_parley_detached_open() has opened; c belongs to the request then.
 * *peer is copied.  Returns NGX_OK; or NGX_ERROR if memory is exhausted: c is
 * closed and ended() is not called.
 */
ngx_int_t ngx_http_parley_peer_open(ngx_connection_t *c,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_peer_t *peer);

/* Closes a connection that was opened and is not used. */
void ngx_http_parley_peer_close(ngx_connection_t *c);

/* Returns the peer of a request, or NULL for any other request. */
ngx_http_parley_peer_t *ngx_http_parley_peer(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_PEER_H_INCLUDED_ */
