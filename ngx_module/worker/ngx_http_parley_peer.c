
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The request of a WebSocket to a peer.  It passes the phases of its location,
 * and nothing of HTTP is sent to the peer: the header filter ends a request
 * that would send a response.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_peer.h"
#include "http/parley_handshake.h"


/* the session of each such connection: a second one would replace the first */
#define NGX_HTTP_PARLEY_PEER_ARGS  "session=parley-gateway"

/* a valid key, which is not sent */
#define NGX_HTTP_PARLEY_PEER_KEY   "AAAAAAAAAAAAAAAAAAAAAA=="


/* in the pool of the connection */
typedef struct {
    ngx_http_parley_peer_t   peer;          /* must be first: it is cast */
    ngx_http_connection_t    http;
    ngx_log_t                log;
    ngx_http_log_ctx_t       log_ctx;
} ngx_http_parley_peer_of_t;


static ngx_http_parley_peer_of_t *ngx_http_parley_peer_adopt(
    ngx_connection_t *c, ngx_http_conf_ctx_t *conf_ctx,
    const ngx_http_parley_peer_t *peer);
static ngx_int_t ngx_http_parley_peer_request(ngx_http_request_t *r,
    ngx_http_parley_peer_of_t *of);
static void ngx_http_parley_peer_ended(void *data);
static u_char *ngx_http_parley_peer_log(ngx_log_t *log, u_char *buf,
    size_t len);


ngx_int_t
ngx_http_parley_peer_open(ngx_connection_t *c, ngx_http_conf_ctx_t *conf_ctx,
    const ngx_http_parley_peer_t *peer)
{
    ngx_http_request_t         *r;
    ngx_http_parley_peer_of_t  *of;

    of = ngx_http_parley_peer_adopt(c, conf_ctx, peer);
    if (of == NULL) {
        ngx_http_parley_peer_close(c);
        return NGX_ERROR;
    }

#if (NGX_STAT_STUB)
    (void) ngx_atomic_fetch_add(ngx_stat_active, 1);
#endif

    r = ngx_http_create_request(c);
    if (r == NULL) {
        ngx_http_close_connection(c);
        return NGX_ERROR;
    }

    c->data = r;

    /* no line in the access log: it would be that of a client */
    r->logged = 1;

    if (ngx_http_parley_peer_request(r, of) != NGX_OK) {
        ngx_http_free_request(r, 0);
        ngx_http_close_connection(c);
        return NGX_ERROR;
    }

    ngx_http_process_request(r);
    ngx_http_run_posted_requests(c);

    return NGX_OK;
}


/* Makes a connection to an upstream one of a client. */

static ngx_http_parley_peer_of_t *
ngx_http_parley_peer_adopt(ngx_connection_t *c, ngx_http_conf_ctx_t *conf_ctx,
    const ngx_http_parley_peer_t *peer)
{
    ngx_http_parley_peer_of_t  *of;

    of = ngx_pcalloc(c->pool, sizeof(ngx_http_parley_peer_of_t));
    if (of == NULL) {
        return NULL;
    }

    c->addr_text.data = ngx_pnalloc(c->pool, NGX_SOCKADDR_STRLEN);
    if (c->addr_text.data == NULL) {
        return NULL;
    }

    c->addr_text.len = ngx_sock_ntop(c->sockaddr, c->socklen,
                                     c->addr_text.data, NGX_SOCKADDR_STRLEN, 0);

    of->peer = *peer;
    of->http.conf_ctx = conf_ctx;

    of->log = *ngx_cycle->log;
    of->log.connection = c->number;
    of->log.handler = ngx_http_parley_peer_log;
    of->log.data = &of->log_ctx;
    of->log.action = NULL;
    of->log_ctx.connection = c;

    c->log = &of->log;
    c->pool->log = c->log;
    c->read->log = c->log;
    c->write->log = c->log;
    c->log_error = NGX_ERROR_INFO;

    c->data = &of->http;
    c->listening = ngx_cycle->listening.elts;
    c->requests = 0;

#if (NGX_HTTP_SSL)
    if (c->ssl) {
        /* it would use the request of the upstream */
        c->ssl->save_session = NULL;
    }
#endif

    return of;
}


static ngx_int_t
ngx_http_parley_peer_request(ngx_http_request_t *r,
    ngx_http_parley_peer_of_t *of)
{
    ngx_uint_t           i;
    ngx_pool_cleanup_t  *cln;

    static const struct {
        const char       *key;
        const char       *lowcase;
        ngx_str_t         value;
    } headers[] = {
        { "Upgrade", "upgrade", ngx_string("websocket") },
        { "Connection", "connection", ngx_string("Upgrade") },
        { "Sec-WebSocket-Version", "sec-websocket-version",
          ngx_string(PARLEY_HANDSHAKE_VERSION) },
        { "Sec-WebSocket-Key", "sec-websocket-key",
          ngx_string(NGX_HTTP_PARLEY_PEER_KEY) }
    };

    if (ngx_list_init(&r->headers_in.headers, r->pool, 4,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        if (ngx_http_parley_detached_push(r, headers[i].key,
                                          headers[i].lowcase, headers[i].value)
            == NULL)
        {
            return NGX_ERROR;
        }
    }

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_peer_ended;
    cln->data = of;

    r->method = NGX_HTTP_GET;
    r->method_name = ngx_http_core_get_method;
    r->http_version = NGX_HTTP_VERSION_11;
    ngx_str_set(&r->http_protocol, "HTTP/1.1");

    r->internal = 1;
    r->uri = of->peer.uri;
    r->unparsed_uri = of->peer.uri;
    ngx_str_set(&r->args, NGX_HTTP_PARLEY_PEER_ARGS);

    return NGX_OK;
}


void
ngx_http_parley_peer_close(ngx_connection_t *c)
{
    ngx_pool_t  *pool;

    c->log = ngx_cycle->log;
    c->read->log = c->log;
    c->write->log = c->log;

    pool = c->pool;
    pool->log = c->log;

#if (NGX_HTTP_SSL)
    if (c->ssl) {
        c->ssl->save_session = NULL;
        c->ssl->no_wait_shutdown = 1;
        (void) ngx_ssl_shutdown(c);
    }
#endif

    ngx_close_connection(c);
    ngx_destroy_pool(pool);
}


ngx_http_parley_peer_t *
ngx_http_parley_peer(ngx_http_request_t *r)
{
    ngx_log_t                  *log;
    ngx_http_parley_peer_of_t  *of;

    log = r->connection->log;

    if (log->handler != ngx_http_parley_peer_log) {
        return NULL;
    }

    of = ngx_queue_data(log, ngx_http_parley_peer_of_t, log);

    return &of->peer;
}


static void
ngx_http_parley_peer_ended(void *data)
{
    ngx_http_parley_peer_of_t *of = data;

    of->peer.ended(of->peer.data, of->peer.lost);
}


static u_char *
ngx_http_parley_peer_log(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char                     *p;
    ngx_http_parley_peer_of_t  *of;

    of = ngx_queue_data(log, ngx_http_parley_peer_of_t, log);

    p = buf;

    if (log->action) {
        p = ngx_snprintf(p, len, " while %s", log->action);
        len -= p - buf;
        buf = p;
    }

    return ngx_snprintf(buf, len, ", WebSocket to peer: \"%V\"", &of->peer.sub);
}
