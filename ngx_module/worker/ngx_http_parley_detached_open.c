
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The response to a detached request that opens a WebSocket.  proxy_pass
 * connects, verifies the certificate and sends the handshake, as for a
 * delivery.  The connection is then taken from the upstream.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "http/parley_handshake.h"


static const char *ngx_http_parley_detached_refused(
    ngx_http_parley_detached_t *d, ngx_http_request_t *r);
static ngx_uint_t ngx_http_parley_detached_asked(ngx_http_upstream_t *u);
static ngx_int_t ngx_http_parley_detached_take(ngx_http_parley_detached_t *d,
    ngx_http_upstream_t *u);


/*
 * Takes the connection of a WebSocket from its upstream.  nginx itself would
 * refuse the upgrade of a subrequest.
 */

ngx_int_t
ngx_http_parley_detached_header(ngx_http_request_t *r)
{
    ngx_http_parley_detached_t  *d;

    if (!ngx_http_parley_is_detached(r)) {
        return NGX_DECLINED;
    }

    d = ngx_queue_data(r->connection, ngx_http_parley_detached_t, connection);

    if (d->key.len == 0) {
        return NGX_DECLINED;
    }

    if (d->why == NULL && d->opened == NULL && r->upstream
        && r->upstream->peer.connection
        && r->headers_out.status == r->upstream->headers_in.status_n)
    {
        d->why = ngx_http_parley_detached_refused(d, r);

        if (d->why == NULL
            && ngx_http_parley_detached_take(d, r->upstream) != NGX_OK)
        {
            d->why = "there is too little memory";
        }
    }

    return NGX_ERROR;
}


/* Returns the reason why a response does not open the WebSocket, or NULL. */

static const char *
ngx_http_parley_detached_refused(ngx_http_parley_detached_t *d,
    ngx_http_request_t *r)
{
    ngx_http_upstream_t        *u;
    parley_handshake_answer_t   answer;

    u = r->upstream;

    if (!ngx_http_parley_detached_asked(u)) {
        return "the location of \"parley_deliver\" does not pass the handshake "
               "on; it needs \"proxy_http_version 1.1\", \"proxy_set_header "
               "Upgrade $http_upgrade\" and \"proxy_set_header Connection "
               "$http_connection\"";
    }

    if (u->headers_in.status_n != NGX_HTTP_SWITCHING_PROTOCOLS) {
        return "the peer refused the handshake";
    }

    ngx_http_parley_upgrade_answer(u, &answer);

    return parley_handshake_check(parley_str_make(d->key.data, d->key.len),
                                  &answer);
}


/* Returns whether the location has passed on the header of the handshake. */

static ngx_uint_t
ngx_http_parley_detached_asked(ngx_http_upstream_t *u)
{
    ngx_buf_t  *b;

    if (u->request_bufs == NULL) {
        return 1;
    }

    b = u->request_bufs->buf;

    return ngx_strlcasestrn(b->start, b->last,
                            (u_char *) "\r\nUpgrade: websocket\r\n",
                            sizeof("\r\nUpgrade: websocket\r\n") - 2)
           && ngx_strlcasestrn(b->start, b->last,
                               (u_char *) "\r\nConnection: Upgrade\r\n",
                               sizeof("\r\nConnection: Upgrade\r\n") - 2)
           && ngx_strlcasestrn(b->start, b->last, (u_char *) " HTTP/1.1\r\n",
                               sizeof(" HTTP/1.1\r\n") - 2);
}


/* The octets after the handshake move with the connection. */

static ngx_int_t
ngx_http_parley_detached_take(ngx_http_parley_detached_t *d,
    ngx_http_upstream_t *u)
{
    size_t             n;
    ngx_connection_t  *c;

    c = u->peer.connection;
    n = u->buffer.last - u->buffer.pos;

    c->buffer = ngx_create_temp_buf(c->pool, n + 1);
    c->sockaddr = ngx_palloc(c->pool, u->peer.socklen);

    if (c->buffer == NULL || c->sockaddr == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(c->sockaddr, u->peer.sockaddr, u->peer.socklen);
    c->socklen = u->peer.socklen;

    c->buffer->last = ngx_cpymem(c->buffer->last, u->buffer.pos, n);

    if (c->read->timer_set) {
        ngx_del_timer(c->read);
    }

    if (c->write->timer_set) {
        ngx_del_timer(c->write);
    }

    if (c->read->posted) {
        ngx_delete_posted_event(c->read);
    }

    if (c->write->posted) {
        ngx_delete_posted_event(c->write);
    }

    /* the event that was just handled may call the other handler, too */

    c->read->handler = ngx_http_empty_handler;
    c->write->handler = ngx_http_empty_handler;
    c->data = NULL;

    d->opened = c;
    u->peer.connection = NULL;

    return NGX_OK;
}
