
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The connections of a worker to the server of parley_store, or to a Sentinel.
 * They carry octets only; state/store writes the commands and reads the
 * replies.
 *
 * The store may call connect, send and close at any time, and must not be
 * called from there.  So an event tells it that a connection has failed, and
 * another event sends the buffer, once in each turn of the event loop.  All
 * timers are cancelable: a worker that exits does not wait for them.
 *
 * With sentinel:// each attempt asks the Sentinels, in turn, and connects to
 * the address of the first answer.  The store then reads the role of the
 * engine.  So a Sentinel that does not know of a failover yet costs an attempt,
 * and the next attempt begins with another Sentinel.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_store_parts.h"

#include <openssl/x509v3.h>
#include <poll.h>


#define NGX_HTTP_PARLEY_STORE_CONNECT  1000     /* ms */
#define NGX_HTTP_PARLEY_STORE_ASK      500      /* ms for a Sentinel */
#define NGX_HTTP_PARLEY_STORE_QUIET    60000    /* ms */
#define NGX_HTTP_PARLEY_STORE_READ     65536    /* octets of a read */
#define NGX_HTTP_PARLEY_STORE_READS    16       /* in a turn of the loop */
#define NGX_HTTP_PARLEY_STORE_BUFFER   16384    /* octets, at first */

/* unanswered calls are sent again after a connection was lost, so twice their
   octets are never needed */
#define NGX_HTTP_PARLEY_STORE_MOST     (2 * PARLEY_STORE_OCTETS)


static void ngx_http_parley_store_event(ngx_http_parley_store_link_t *link,
    ngx_event_t *ev, ngx_event_handler_pt handler);
static void ngx_http_parley_store_open_link(ngx_http_parley_store_link_t *link,
    const ngx_http_parley_store_server_t *server, ngx_msec_t ms);
static void ngx_http_parley_store_ask(ngx_http_parley_store_link_t *link,
    ngx_uint_t left);
static void ngx_http_parley_store_asked(ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_told(ngx_http_parley_store_link_t *link,
    const u_char *p, size_t len);
static void ngx_http_parley_store_log_quiet(ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_connected_handler(ngx_event_t *ev);
static void ngx_http_parley_store_secure(ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_secured_handler(ngx_connection_t *c);
static ngx_int_t ngx_http_parley_store_verify(
    ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_opened(ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_deadline_handler(ngx_event_t *ev);
static void ngx_http_parley_store_told_handler(ngx_event_t *ev);
static void ngx_http_parley_store_flush_handler(ngx_event_t *ev);
static void ngx_http_parley_store_write_handler(ngx_event_t *ev);
static void ngx_http_parley_store_flush(ngx_http_parley_store_link_t *link);
static void ngx_http_parley_store_read_handler(ngx_event_t *ev);
static void ngx_http_parley_store_fail(ngx_http_parley_store_link_t *link,
    ngx_err_t err, const char *fmt, ...);
static void ngx_http_parley_store_drop(ngx_http_parley_store_link_t *link);


void
ngx_http_parley_store_link_init(ngx_http_parley_store_t *st)
{
    ngx_uint_t                     i;
    ngx_http_parley_store_link_t  *link;

    for (i = 0; i < PARLEY_STORE_LINKS; i++) {
        link = &st->links[i];

        link->st = st;
        link->which = (parley_store_link_t) i;

        ngx_http_parley_store_event(link, &link->deadline,
                                    ngx_http_parley_store_deadline_handler);
        ngx_http_parley_store_event(link, &link->told,
                                    ngx_http_parley_store_told_handler);
        ngx_http_parley_store_event(link, &link->flush,
                                    ngx_http_parley_store_flush_handler);

        link->deadline.cancelable = 1;
        link->logged = ngx_current_msec;
        link->log = *st->log;
    }
}


static void
ngx_http_parley_store_event(ngx_http_parley_store_link_t *link, ngx_event_t *ev,
    ngx_event_handler_pt handler)
{
    ev->handler = handler;
    ev->data = link;
    ev->log = link->st->log;
}


void
ngx_http_parley_store_connect(void *ctx, parley_store_link_t which)
{
    ngx_http_parley_store_t *st = ctx;

    ngx_http_parley_store_link_t          *link;
    const ngx_http_parley_store_conf_t    *conf;
    const ngx_http_parley_store_server_t  *server;

    conf = st->conf;
    link = &st->links[which];

    ngx_http_parley_store_drop(link);
    ngx_http_parley_store_log_quiet(link);

    if (which == PARLEY_STORE_INBOX) {
        server = st->links[PARLEY_STORE_MAIN].server;

    } else if (conf->sentinel.primary.len) {
        ngx_http_parley_store_ask(link, conf->nservers);
        return;

    } else {
        server = &conf->servers[link->next++ % conf->nservers];
    }

    ngx_http_parley_store_open_link(link, server,
                                    NGX_HTTP_PARLEY_STORE_CONNECT);
}


/* Connects to a server within ms. */

static void
ngx_http_parley_store_open_link(ngx_http_parley_store_link_t *link,
    const ngx_http_parley_store_server_t *server, ngx_msec_t ms)
{
    ngx_int_t                      rc;
    ngx_connection_t              *c;
    link->server = server;

    ngx_memzero(&link->peer, sizeof(ngx_peer_connection_t));

    link->peer.sockaddr = server->addr.sockaddr;
    link->peer.socklen = server->addr.socklen;
    link->peer.name = (ngx_str_t *) &server->addr.name;
    link->peer.get = ngx_event_get_peer;
    link->peer.log = &link->log;
    link->peer.log_error = NGX_ERROR_ERR;
    link->peer.so_keepalive = 1;

    link->is = NGX_HTTP_PARLEY_STORE_CONNECTING;

    rc = ngx_event_connect_peer(&link->peer);

    if (rc != NGX_OK && rc != NGX_AGAIN) {
        ngx_http_parley_store_fail(link, 0, "connect() to %V failed",
                                   &server->addr.name);
        return;
    }

    c = link->peer.connection;

    c->data = link;
    c->pool = NULL;
    c->read->handler = ngx_http_parley_store_connected_handler;
    c->write->handler = ngx_http_parley_store_connected_handler;

    ngx_add_timer(&link->deadline, ms);

    if (rc == NGX_OK) {
        ngx_post_event(c->write, &ngx_posted_next_events);
    }
}


/* Asks the next Sentinel; left counts those that this attempt has not asked. */

static void
ngx_http_parley_store_ask(ngx_http_parley_store_link_t *link, ngx_uint_t left)
{
    const ngx_http_parley_store_conf_t  *conf;

    conf = link->st->conf;

    if (left == 0) {
        ngx_http_parley_store_fail(link, 0,
                                   "no Sentinel has named the primary");
        return;
    }

    link->asks = left;

    ngx_http_parley_store_open_link(link,
                                &conf->servers[link->next++ % conf->nservers],
                                NGX_HTTP_PARLEY_STORE_ASK);
}


/* Sends the question to a Sentinel. */

static void
ngx_http_parley_store_asked(ngx_http_parley_store_link_t *link)
{
    parley_str_t    octets;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_secret, 0);

    if (parley_store_sentinel_begin(&link->question, &link->st->conf->sentinel,
                                    &arena, &octets)
        == 0)
    {
        ngx_http_parley_store_send(link->st, link->which, octets);

    } else {
        ngx_http_parley_store_fail(link, 0, "memory is exhausted");
    }

    parley_arena_reset(&arena);
}


/* Reads the answer of a Sentinel, and connects to the primary. */

static void
ngx_http_parley_store_told(ngx_http_parley_store_link_t *link, const u_char *p,
    size_t len)
{
    ngx_int_t  rc;

    rc = parley_store_sentinel_fed(&link->question, p, len);

    if (rc < 0) {
        ngx_http_parley_store_fail(link, 0, "%s", link->question.why);
        return;
    }

    if (rc > 0) {
        ngx_http_parley_store_drop(link);
        ngx_http_parley_store_sentinel_named(link);
        ngx_http_parley_store_open_link(link, &link->primary,
                                        NGX_HTTP_PARLEY_STORE_CONNECT);
    }
}


/* Lets nginx's own lines about the connection, such as the reason of a failed
   handshake, into the log for one attempt in a minute. */

static void
ngx_http_parley_store_log_quiet(ngx_http_parley_store_link_t *link)
{
    link->log.log_level = link->st->log->log_level;

    if ((ngx_msec_int_t) (ngx_current_msec - link->logged) >= 0) {
        link->logged = ngx_current_msec + NGX_HTTP_PARLEY_STORE_QUIET;
        return;
    }

    if ((link->log.log_level & NGX_LOG_DEBUG_ALL) == 0) {
        link->log.log_level = ngx_min(link->log.log_level, NGX_LOG_ALERT);
    }
}


static void
ngx_http_parley_store_connected_handler(ngx_event_t *ev)
{
    int                       err;
    socklen_t                 len;
    ngx_connection_t         *c;
    ngx_http_parley_store_link_t  *link;

    c = ev->data;
    link = c->data;

    err = 0;
    len = sizeof(int);

    if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, (void *) &err, &len) == -1) {
        err = ngx_socket_errno;
    }

    if (err) {
        ngx_http_parley_store_fail(link, err, "connect() to %V failed",
                                   link->peer.name);
        return;
    }

    if (!c->write->ready) {
        return;
    }

    if (c->tcp_nodelay == NGX_TCP_NODELAY_UNSET
        && ngx_tcp_nodelay(c) != NGX_OK)
    {
        ngx_http_parley_store_fail(link, 0, "setsockopt() failed");
        return;
    }

    if (link->st->conf->ssl) {
        ngx_http_parley_store_secure(link);
        return;
    }

    ngx_http_parley_store_opened(link);
}


static void
ngx_http_parley_store_secure(ngx_http_parley_store_link_t *link)
{
    u_char             addr[16];
    ngx_int_t          rc;
    const char        *name;
    ngx_connection_t  *c;

    c = link->peer.connection;
    name = (const char *) link->server->name.data;

    c->pool = ngx_create_pool(NGX_DEFAULT_POOL_SIZE, &link->log);

    if (c->pool == NULL
        || ngx_ssl_create_connection(link->st->conf->ssl, c, NGX_SSL_CLIENT)
           != NGX_OK)
    {
        ngx_http_parley_store_fail(link, 0, "no memory for TLS");
        return;
    }

    /* SNI has no addresses (RFC 6066, section 3) */

    if (inet_pton(AF_INET, name, addr) != 1
        && inet_pton(AF_INET6, name, addr) != 1
        && SSL_set_tlsext_host_name(c->ssl->connection, (char *) name) == 0)
    {
        ngx_http_parley_store_fail(link, 0, "no memory for TLS");
        return;
    }

    rc = ngx_ssl_handshake(c);

    if (rc == NGX_AGAIN) {
        c->ssl->handler = ngx_http_parley_store_secured_handler;
        return;
    }

    ngx_http_parley_store_secured_handler(c);
}


static void
ngx_http_parley_store_secured_handler(ngx_connection_t *c)
{
    ngx_http_parley_store_link_t  *link;

    link = c->data;

    if (!c->ssl->handshaked) {
        ngx_http_parley_store_fail(link, 0, "TLS handshake with %V failed",
                                   link->peer.name);
        return;
    }

    if (ngx_http_parley_store_verify(link) == NGX_OK) {
        ngx_http_parley_store_opened(link);
    }
}


static ngx_int_t
ngx_http_parley_store_verify(ngx_http_parley_store_link_t *link)
{
    int                rc;
    long               why;
    X509              *cert;
    u_char             addr[16];
    ngx_str_t          name;
    const char        *text;
    ngx_connection_t  *c;

    c = link->peer.connection;
    name = link->server->name;
    text = (const char *) name.data;

    why = SSL_get_verify_result(c->ssl->connection);

    if (why != X509_V_OK) {
        ngx_http_parley_store_fail(link, 0,
                                   "certificate of %V is not valid: %s",
                                   link->peer.name,
                                   X509_verify_cert_error_string(why));
        return NGX_ERROR;
    }

    if (inet_pton(AF_INET, text, addr) == 1
        || inet_pton(AF_INET6, text, addr) == 1)
    {
        cert = SSL_get_peer_certificate(c->ssl->connection);
        rc = cert && X509_check_ip_asc(cert, text, 0) == 1;
        X509_free(cert);

    } else {
        rc = ngx_ssl_check_host(c, &name) == NGX_OK;
    }

    if (!rc) {
        ngx_http_parley_store_fail(link, 0, "certificate of %V is not for "
                                   "\"%V\"", link->peer.name, &name);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static void
ngx_http_parley_store_opened(ngx_http_parley_store_link_t *link)
{
    ngx_connection_t  *c;

    c = link->peer.connection;

    c->read->handler = ngx_http_parley_store_read_handler;
    c->write->handler = ngx_http_parley_store_write_handler;

    if (ngx_handle_read_event(c->read, 0) != NGX_OK
        || ngx_handle_write_event(c->write, 0) != NGX_OK)
    {
        ngx_http_parley_store_fail(link, 0, "connection cannot be watched");
        return;
    }

    link->is = NGX_HTTP_PARLEY_STORE_OPEN;

    if (link->asks) {
        ngx_http_parley_store_asked(link);
        return;
    }

    ngx_del_timer(&link->deadline);

    parley_store_opened(link->st->store, link->which);
}


static void
ngx_http_parley_store_deadline_handler(ngx_event_t *ev)
{
    ngx_http_parley_store_link_t *link = ev->data;

    if (link->is == NGX_HTTP_PARLEY_STORE_OPEN) {
        ngx_http_parley_store_fail(link, 0, "no answer in time");
        return;
    }

    ngx_http_parley_store_fail(link, NGX_ETIMEDOUT,
                               link->peer.connection->ssl
                               ? "TLS handshake with %V failed"
                               : "connect() to %V failed",
                               link->peer.name);
}


static void
ngx_http_parley_store_told_handler(ngx_event_t *ev)
{
    ngx_http_parley_store_link_t *link = ev->data;

    parley_store_closed(link->st->store, link->which, link->why);
}


void
ngx_http_parley_store_send(void *ctx, parley_store_link_t which,
    parley_str_t octets)
{
    ngx_http_parley_store_t *st = ctx;

    u_char                        *p;
    size_t                         size;
    ngx_http_parley_store_link_t  *link;

    link = &st->links[which];

    if (link->is != NGX_HTTP_PARLEY_STORE_OPEN || octets.len == 0) {
        return;
    }

    if (link->sent == link->len) {
        link->sent = 0;
        link->len = 0;
    }

    if (octets.len > link->size - link->len && link->sent > 0) {
        ngx_memmove(link->buf, link->buf + link->sent, link->len - link->sent);

        link->len -= link->sent;
        link->sent = 0;
    }

    if (octets.len > link->size - link->len) {

        for (size = ngx_max(link->size, NGX_HTTP_PARLEY_STORE_BUFFER);
             size < link->len + octets.len && size < NGX_MAX_SIZE_T_VALUE / 4;
             size *= 2)
        {
            /* void */
        }

        p = size > NGX_HTTP_PARLEY_STORE_MOST ? NULL
                                              : realloc(link->buf, size);

        if (p == NULL) {
            ngx_http_parley_store_fail(link, 0, "%uz octets wait to be sent",
                                       link->len - link->sent);
            return;
        }

        link->buf = p;
        link->size = size;
    }

    ngx_memcpy(link->buf + link->len, octets.data, octets.len);
    link->len += octets.len;

    if (!link->flush.posted) {
        ngx_post_event(&link->flush, &ngx_posted_events);
    }
}


static void
ngx_http_parley_store_flush_handler(ngx_event_t *ev)
{
    ngx_http_parley_store_flush(ev->data);
}


static void
ngx_http_parley_store_write_handler(ngx_event_t *ev)
{
    ngx_connection_t *c = ev->data;

    ngx_http_parley_store_flush(c->data);
}


static void
ngx_http_parley_store_flush(ngx_http_parley_store_link_t *link)
{
    ssize_t                        n;
    ngx_connection_t              *c;

    if (link->is != NGX_HTTP_PARLEY_STORE_OPEN) {
        return;
    }

    c = link->peer.connection;

    while (link->sent < link->len && c->write->ready) {
        n = c->send(c, link->buf + link->sent, link->len - link->sent);

        if (n == NGX_AGAIN) {
            break;
        }

        if (n == NGX_ERROR) {
            ngx_http_parley_store_fail(link, ngx_socket_errno, "send() failed");
            return;
        }

        link->sent += n;
    }

    /* the commands of the beginning may have the password */

    if (link->sent == link->len
        && (link->which == PARLEY_STORE_INBOX
            || !parley_store_is_up(link->st->store)))
    {
        ngx_http_parley_store_forget(link);
    }

    if (link->sent == link->len && link->size > NGX_HTTP_PARLEY_STORE_BUFFER) {
        ngx_free(link->buf);
        link->buf = NULL;
        link->size = 0;
    }

    if (ngx_handle_write_event(c->write, 0) != NGX_OK) {
        ngx_http_parley_store_fail(link, 0, "connection cannot be watched");
    }
}


static void
ngx_http_parley_store_read_handler(ngx_event_t *ev)
{
    ssize_t                   n;
    ngx_uint_t                i;
    ngx_connection_t         *c;
    ngx_http_parley_store_link_t  *link;

    static u_char  octets[NGX_HTTP_PARLEY_STORE_READ];

    c = ev->data;
    link = c->data;

    for (i = 0; i < NGX_HTTP_PARLEY_STORE_READS; i++) {
        n = c->recv(c, octets, sizeof(octets));

        if (n == NGX_AGAIN) {

            if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
                ngx_http_parley_store_fail(link, 0,
                                           "connection cannot be watched");
            }

            return;
        }

        if (n <= 0) {
            ngx_http_parley_store_fail(link, n == 0 ? 0 : ngx_socket_errno,
                                       n == 0 ? "connection was closed"
                                              : "recv() failed");
            return;
        }

        if (link->asks) {
            ngx_http_parley_store_told(link, octets, (size_t) n);

        } else {
            parley_store_fed(link->st->store, link->which, octets, (size_t) n);
        }

        /* the store may have closed the connection, and opened another */

        if (link->peer.connection != c
            || link->is != NGX_HTTP_PARLEY_STORE_OPEN)
        {
            return;
        }
    }

    ngx_post_event(c->read, &ngx_posted_next_events);
}


void
ngx_http_parley_store_link_turn(ngx_http_parley_store_link_t *link,
    ngx_msec_t ms)
{
    struct pollfd                  fd;
    ngx_connection_t              *c;

    ngx_http_parley_store_flush(link);

    c = link->peer.connection;

    if (link->told.posted) {
        ms = 0;
    }

    fd.fd = c ? c->fd : -1;
    fd.events = POLLIN;
    fd.revents = 0;

    if (link->sent < link->len
        || (link->is == NGX_HTTP_PARLEY_STORE_CONNECTING && c->ssl == NULL))
    {
        fd.events |= POLLOUT;
    }

    (void) poll(&fd, 1, (int) ms);

    if (fd.revents & POLLOUT) {
        c->write->ready = 1;
        c->write->handler(c->write);
    }

    if ((fd.revents & ~POLLOUT) && link->peer.connection == c) {
        c->read->ready = 1;
        c->read->available = -1;
        c->read->handler(c->read);
    }

    if (link->told.posted) {
        ngx_delete_posted_event(&link->told);
        ngx_http_parley_store_told_handler(&link->told);
    }
}


void
ngx_http_parley_store_close(void *ctx, parley_store_link_t which)
{
    ngx_http_parley_store_t *st = ctx;

    ngx_http_parley_store_drop(&st->links[which]);
}


/* Closes the connection, and tells the store in the next turn of the event
   loop; or asks the next Sentinel. */

static void
ngx_http_parley_store_fail(ngx_http_parley_store_link_t *link, ngx_err_t err,
    const char *fmt, ...)
{
    u_char                        *p, *last;
    va_list                        args;
    ngx_uint_t                     left;

    p = (u_char *) link->why;
    last = p + sizeof(link->why) - 1;

    va_start(args, fmt);
    p = ngx_vslprintf(p, last, fmt, args);
    va_end(args);

    if (err) {
        p = ngx_slprintf(p, last, " (%d: ", err);
        p = ngx_strerror(err, p, last - p);
        p = ngx_slprintf(p, last, ")");
    }

    *p = '\0';

    left = link->asks;

    ngx_http_parley_store_drop(link);

    if (left) {
        ngx_http_parley_store_sentinel_failed(link);
        ngx_http_parley_store_ask(link, left - 1);
        return;
    }

    ngx_post_event(&link->told, &ngx_posted_next_events);
}


/* Closes the connection, and forgets the octets that were not sent. */

static void
ngx_http_parley_store_drop(ngx_http_parley_store_link_t *link)
{
    ngx_pool_t                    *pool;
    ngx_connection_t              *c;
    link->is = NGX_HTTP_PARLEY_STORE_CLOSED;
    link->asks = 0;

    parley_store_sentinel_end(&link->question);

    if (link->deadline.timer_set) {
        ngx_del_timer(&link->deadline);
    }

    if (link->told.posted) {
        ngx_delete_posted_event(&link->told);
    }

    if (link->flush.posted) {
        ngx_delete_posted_event(&link->flush);
    }

    ngx_http_parley_store_forget(link);
    ngx_free(link->buf);

    link->buf = NULL;
    link->size = 0;

    c = link->peer.connection;

    if (c == NULL) {
        return;
    }

    link->peer.connection = NULL;
    pool = c->pool;

    /* without a message, which a stopped server may not take */

    if (c->ssl) {
        c->ssl->no_wait_shutdown = 1;
        c->ssl->no_send_shutdown = 1;
        (void) ngx_ssl_shutdown(c);
    }

    ngx_close_connection(c);

    if (pool) {
        ngx_destroy_pool(pool);
    }
}
