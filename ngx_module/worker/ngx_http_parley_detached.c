
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A request without a client.  Its connection has no socket: its events say
 * that there is nothing to read and always room to write, and their handlers
 * do nothing.  nginx creates and frees the main request.  The main request is
 * never finalized, because that would close the connection.
 *
 * The connection keeps its address for the life of the worker: nginx reads it
 * after the request's pool is destroyed (ngx_http_run_posted_requests()).
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "http/parley_handshake.h"


/* milliseconds between checks whether the worker exits */
#define NGX_HTTP_PARLEY_DETACHED_TICK  200

/* milliseconds to wait for a thread that reads a file for the request */
#define NGX_HTTP_PARLEY_DETACHED_BLOCKED  10


static ngx_int_t ngx_http_parley_detached_begin(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, ngx_str_t *uri,
    const ngx_http_parley_posted_t *posted,
    const ngx_http_parley_opened_t *opened, ngx_msec_t timeout);
static ngx_int_t ngx_http_parley_detached_body(ngx_http_parley_detached_t *d,
    const ngx_http_parley_posted_t *posted);
static ngx_int_t ngx_http_parley_detached_opens(ngx_http_parley_detached_t *d,
    const ngx_http_parley_opened_t *opened);
static ngx_int_t ngx_http_parley_detached_posts(ngx_http_parley_detached_t *d,
    const ngx_http_parley_posted_t *posted);
static ngx_int_t ngx_http_parley_detached_connect(
    ngx_http_parley_detached_t *d, ngx_http_conf_ctx_t *conf_ctx);
static void ngx_http_parley_detached_events(ngx_http_parley_detached_t *d);
static ngx_int_t ngx_http_parley_detached_main(ngx_http_parley_detached_t *d);
static ngx_int_t ngx_http_parley_detached_finished(ngx_http_request_t *sr,
    void *data, ngx_int_t rc);
static void ngx_http_parley_detached_woken(ngx_http_request_t *r);
static void ngx_http_parley_detached_tick(ngx_event_t *ev);
static void ngx_http_parley_detached_end(ngx_http_parley_detached_t *d,
    ngx_http_request_t *sr);
static void ngx_http_parley_detached_stop(ngx_http_parley_detached_t *d);
static void ngx_http_parley_detached_lost(void *data);
static void ngx_http_parley_detached_clear(ngx_http_parley_detached_t *d);
static u_char *ngx_http_parley_detached_log(ngx_log_t *log, u_char *buf,
    size_t len);


ngx_int_t
ngx_http_parley_detached_get(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_str_t *uri, ngx_msec_t timeout)
{
    ngx_str_t  own;

    own = *uri;

    return ngx_http_parley_detached_begin(d, conf_ctx, &own, NULL, NULL,
                                          timeout);
}


ngx_int_t
ngx_http_parley_detached_post(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_posted_t *posted,
    ngx_msec_t timeout)
{
    ngx_str_t  uri;

    uri = posted->uri;

    return ngx_http_parley_detached_begin(d, conf_ctx, &uri, posted, NULL,
                                          timeout);
}


ngx_int_t
ngx_http_parley_detached_open(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_opened_t *opened,
    ngx_msec_t timeout)
{
    ngx_str_t  uri;

    uri = opened->uri;

    return ngx_http_parley_detached_begin(d, conf_ctx, &uri, NULL, opened,
                                          timeout);
}


static ngx_int_t
ngx_http_parley_detached_begin(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, ngx_str_t *uri,
    const ngx_http_parley_posted_t *posted,
    const ngx_http_parley_opened_t *opened, ngx_msec_t timeout)
{
    ngx_http_request_t          *r;
    ngx_http_post_subrequest_t  *ps;

    if (ngx_http_parley_detached_connect(d, conf_ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_http_parley_detached_main(d) != NGX_OK) {
        ngx_destroy_pool(d->connection.pool);
        return NGX_ERROR;
    }

    r = d->request;
    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));

    d->url.len = 0;
    d->key.len = 0;
    d->opened = NULL;
    d->why = NULL;

    if (ps == NULL
        || (posted && ngx_http_parley_detached_body(d, posted) != NGX_OK)
        || (opened && ngx_http_parley_detached_opens(d, opened) != NGX_OK))
    {
        ngx_http_parley_detached_stop(d);
        return NGX_ERROR;
    }

    ps->handler = ngx_http_parley_detached_finished;
    ps->data = d;

    if (ngx_http_subrequest(r, uri, NULL, &d->subrequest, ps,
                            NGX_HTTP_SUBREQUEST_WAITED
                            |NGX_HTTP_SUBREQUEST_IN_MEMORY)
        != NGX_OK)
    {
        ngx_http_parley_detached_stop(d);
        return NGX_ERROR;
    }

    if (posted && ngx_http_parley_detached_posts(d, posted) != NGX_OK) {
        ngx_http_parley_detached_stop(d);
        return NGX_ERROR;
    }

    if (opened) {
        /* the header filter is called only for a response that is sent */
        d->subrequest->subrequest_in_memory = 0;
    }

    d->deadline = ngx_current_msec + timeout;

    ngx_add_timer(&d->timer, ngx_min(timeout, NGX_HTTP_PARLEY_DETACHED_TICK));

    ngx_http_run_posted_requests(&d->connection);

    return NGX_OK;
}


/* Subrequests use the body and the headers of the main request. */

static ngx_int_t
ngx_http_parley_detached_body(ngx_http_parley_detached_t *d,
    const ngx_http_parley_posted_t *posted)
{
    u_char                   *p;
    ngx_buf_t                *b;
    ngx_str_t                 size;
    ngx_table_elt_t          *type, *length;
    ngx_http_request_t       *r;
    ngx_http_request_body_t  *rb;

    r = d->request;

    rb = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));
    b = ngx_calloc_buf(r->pool);
    p = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);

    if (rb == NULL || b == NULL || p == NULL) {
        return NGX_ERROR;
    }

    size.data = p;
    size.len = ngx_sprintf(p, "%uz", posted->body.len) - p;

    type = ngx_http_parley_detached_push(r, "Content-Type", "content-type",
                                         posted->type);
    length = ngx_http_parley_detached_push(r, "Content-Length",
                                           "content-length", size);

    if (type == NULL || length == NULL) {
        return NGX_ERROR;
    }

    rb->bufs = ngx_alloc_chain_link(r->pool);
    if (rb->bufs == NULL) {
        return NGX_ERROR;
    }

    b->start = posted->body.data;
    b->pos = b->start;
    b->last = b->pos + posted->body.len;
    b->end = b->last;
    b->memory = 1;
    b->last_buf = 1;

    rb->bufs->buf = b;
    rb->bufs->next = NULL;
    rb->buf = b;
    r->request_body = rb;

    r->headers_in.content_type = type;
    r->headers_in.content_length = length;
    r->headers_in.content_length_n = posted->body.len;

    d->url = posted->url;

    return NGX_OK;
}


ngx_table_elt_t *
ngx_http_parley_detached_push(ngx_http_request_t *r, const char *key,
    const char *lowcase, ngx_str_t value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NULL;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->key.data = (u_char *) key;
    h->key.len = ngx_strlen(key);
    h->lowcase_key = (u_char *) lowcase;
    h->value = value;

    /* modules of nginx find and replace their own headers by the hash */

    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);

    return h;
}


/* Sets the header of the opening handshake of a WebSocket. */

static ngx_int_t
ngx_http_parley_detached_opens(ngx_http_parley_detached_t *d,
    const ngx_http_parley_opened_t *opened)
{
    ngx_table_elt_t     *upgrade, *connection;
    ngx_http_request_t  *r;

    r = d->request;

    upgrade = ngx_http_parley_detached_push(r, "Upgrade", "upgrade",
                                       (ngx_str_t) ngx_string("websocket"));
    connection = ngx_http_parley_detached_push(r, "Connection", "connection",
                                       (ngx_str_t) ngx_string("Upgrade"));

    if (upgrade == NULL || connection == NULL
        || ngx_http_parley_detached_push(r, "Sec-WebSocket-Version",
                                       "sec-websocket-version",
                                       (ngx_str_t) ngx_string(
                                           PARLEY_HANDSHAKE_VERSION))
           == NULL
        || ngx_http_parley_detached_push(r, "Sec-WebSocket-Key",
                                         "sec-websocket-key", opened->key)
           == NULL)
    {
        return NGX_ERROR;
    }

    r->headers_in.upgrade = upgrade;
    r->headers_in.connection = connection;

    d->url = opened->url;
    d->key = opened->key;

    return NGX_OK;
}


/* Makes the subrequest a POST before it begins. */

static ngx_int_t
ngx_http_parley_detached_posts(ngx_http_parley_detached_t *d,
    const ngx_http_parley_posted_t *posted)
{
    ngx_http_request_t  *sr;

    sr = d->subrequest;

    sr->method = NGX_HTTP_POST;
    ngx_str_set(&sr->method_name, "POST");

    /* as ngx_http_postpone_filter_in_memory(), with another size */

    sr->out = ngx_alloc_chain_link(sr->pool);
    if (sr->out == NULL) {
        return NGX_ERROR;
    }

    sr->out->buf = ngx_create_temp_buf(sr->pool, posted->answer);
    if (sr->out->buf == NULL) {
        return NGX_ERROR;
    }

    sr->out->buf->last_buf = 1;
    sr->out->next = NULL;

    return NGX_OK;
}


ngx_str_t *
ngx_http_parley_detached_url(ngx_http_request_t *r)
{
    ngx_http_parley_detached_t  *d;

    if (!ngx_http_parley_is_detached(r)) {
        return NULL;
    }

    d = ngx_queue_data(r->connection, ngx_http_parley_detached_t, connection);

    return d->url.len ? &d->url : NULL;
}


/* An interrupted body can be shorter than the upstream announced. */

ngx_uint_t
ngx_http_parley_detached_whole(ngx_http_request_t *sr)
{
    off_t                 len;
    ngx_event_pipe_t     *p;
    ngx_http_upstream_t  *u;

    len = sr->out->buf->last - sr->out->buf->pos;

    if (sr->headers_out.content_length_n != -1
        && sr->headers_out.content_length_n != len)
    {
        return 0;
    }

    u = sr->upstream;

    if (u == NULL
#if (NGX_HTTP_CACHE)
        || sr->cached
#endif
        )
    {
        return 1;
    }

    if (!u->buffering) {
        return u->length == 0 || u->length == -1;
    }

    p = u->pipe;

    return p->upstream_done || (p->upstream_eof && p->length == -1);
}


ngx_uint_t
ngx_http_parley_is_detached(ngx_http_request_t *r)
{
    return r->main->write_event_handler == ngx_http_parley_detached_woken;
}


static ngx_int_t
ngx_http_parley_detached_connect(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx)
{
    ngx_connection_t  *c;

    c = &d->connection;

    ngx_memzero(c, sizeof(ngx_connection_t));
    ngx_memzero(&d->read, sizeof(ngx_event_t));
    ngx_memzero(&d->write, sizeof(ngx_event_t));
    ngx_memzero(&d->timer, sizeof(ngx_event_t));
    ngx_memzero(&d->address, sizeof(ngx_sockaddr_t));

    d->log = *ngx_cycle->log;
    d->log.connection = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    d->log.handler = ngx_http_parley_detached_log;
    d->log.data = &d->log_ctx;
    d->log.action = "sending a request of its own";

    d->log_ctx.connection = c;
    d->log_ctx.request = NULL;
    d->log_ctx.current_request = NULL;

    ngx_memzero(&d->http, sizeof(ngx_http_connection_t));

    d->http.conf_ctx = conf_ctx;

    c->pool = ngx_create_pool(NGX_MIN_POOL_SIZE, &d->log);
    if (c->pool == NULL) {
        return NGX_ERROR;
    }

    /* -1 would tell the Lua module that it created the connection */
    c->fd = (ngx_socket_t) -2;
    c->type = SOCK_STREAM;
    c->data = &d->http;
    c->log = &d->log;
    c->number = d->log.connection;
    c->start_time = ngx_current_msec;
    c->read = &d->read;
    c->write = &d->write;

    /*
     * Variables and balancers need an address: that of a client on an unnamed
     * UNIX socket.
     */

    d->address.sockaddr.sa_family = AF_UNIX;

    c->sockaddr = &d->address.sockaddr;
    c->socklen = sizeof(sa_family_t);
    c->local_sockaddr = c->sockaddr;
    c->local_socklen = c->socklen;

    c->listening = ngx_cycle->listening.elts;
    c->tcp_nodelay = NGX_TCP_NODELAY_DISABLED;

    ngx_str_set(&c->addr_text, "unix:");

    ngx_http_parley_detached_events(d);

    return NGX_OK;
}


static void
ngx_http_parley_detached_events(ngx_http_parley_detached_t *d)
{
    /*
     * The kernel watches no socket here, so nothing is added or deleted.  An
     * event that is active and not ready, or ready and not active, is left
     * alone.  ngx_http_upstream_init() expects an edge-triggered event to be
     * active.
     */

    d->read.active = 1;
    d->write.ready = 1;
    d->write.active = (ngx_event_flags & NGX_USE_CLEAR_EVENT) ? 1 : 0;

    d->write.write = 1;

    d->read.data = &d->connection;
    d->read.index = NGX_INVALID_INDEX;
    d->read.handler = ngx_http_empty_handler;
    d->read.log = &d->log;

    d->write.data = &d->connection;
    d->write.index = NGX_INVALID_INDEX;
    d->write.handler = ngx_http_empty_handler;
    d->write.log = &d->log;

    d->timer.data = d;
    d->timer.handler = ngx_http_parley_detached_tick;
    d->timer.log = &d->log;
}


static ngx_int_t
ngx_http_parley_detached_main(ngx_http_parley_detached_t *d)
{
    ngx_pool_cleanup_t  *cln;
    ngx_http_request_t  *r;

    r = ngx_http_create_request(&d->connection);
    if (r == NULL) {
        return NGX_ERROR;
    }

    /* no line in the access log: a client does not exist */
    r->logged = 1;

    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (cln == NULL
        || ngx_list_init(&r->headers_in.headers, r->pool, 1,
                         sizeof(ngx_table_elt_t))
           != NGX_OK)
    {
        ngx_http_free_request(r, 0);
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_detached_lost;
    cln->data = d;

    r->method = NGX_HTTP_GET;
    r->method_name = ngx_http_core_get_method;
    r->http_version = NGX_HTTP_VERSION_11;
    ngx_str_set(&r->http_protocol, "HTTP/1.1");

    r->read_event_handler = ngx_http_request_empty_handler;
    r->write_event_handler = ngx_http_parley_detached_woken;

    d->connection.data = r;
    d->request = r;
    d->subrequest = NULL;
    d->rc = NGX_ERROR;

    return NGX_OK;
}


/*
 * Runs at each finalization of the subrequest, possibly several times.  A
 * status of nginx first becomes a page in memory, or a page of error_page.
 * Codes that would terminate the main request, as for a departed client, are
 * not passed on.
 */

static ngx_int_t
ngx_http_parley_detached_finished(ngx_http_request_t *sr, void *data,
    ngx_int_t rc)
{
    ngx_http_parley_detached_t *d = data;

    d->rc = rc;

    sr->connection->error = 0;

    switch (rc) {

    case NGX_ERROR:
    case NGX_HTTP_CLOSE:
    case NGX_HTTP_CLIENT_CLOSED_REQUEST:
    case NGX_HTTP_REQUEST_TIME_OUT:
        return NGX_OK;

    default:
        return rc;
    }
}


/* Runs when the main request is woken because its subrequest has ended. */

static void
ngx_http_parley_detached_woken(ngx_http_request_t *r)
{
    ngx_http_parley_detached_t  *d;

    d = ngx_queue_data(r->connection, ngx_http_parley_detached_t, connection);

    if (d->subrequest && d->subrequest->done) {
        ngx_http_parley_detached_end(d, d->subrequest);
    }
}


static void
ngx_http_parley_detached_tick(ngx_event_t *ev)
{
    ngx_msec_int_t               left;
    ngx_http_parley_detached_t  *d;

    d = ev->data;
    left = (ngx_msec_int_t) (d->deadline - ngx_current_msec);

    if (left > 0 && (d->awaited || !ngx_exiting)) {
        ngx_add_timer(ev, ngx_min((ngx_msec_t) left,
                                  NGX_HTTP_PARLEY_DETACHED_TICK));
        return;
    }

    if (d->request->blocked) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_DETACHED_BLOCKED);
        return;
    }

    ngx_http_parley_detached_end(d, NULL);
}


static void
ngx_http_parley_detached_end(ngx_http_parley_detached_t *d,
    ngx_http_request_t *sr)
{
    d->handler(sr, d->rc, d->data);

    ngx_http_parley_detached_stop(d);
}


/*
 * Frees the request.  The cleanup handlers of the main request close an open
 * connection to the upstream.
 */

static void
ngx_http_parley_detached_stop(ngx_http_parley_detached_t *d)
{
    ngx_pool_t          *pool;
    ngx_http_request_t  *r;

    r = d->request;
    pool = d->connection.pool;

    /* the cleanup handler of the upstream releases a reference */
    r->main->count++;

    ngx_http_parley_detached_clear(d);

    ngx_http_free_request(r, 0);

    ngx_destroy_pool(pool);
}


/*
 * Runs when nginx terminates the main request itself, because memory is
 * exhausted.
 */

static void
ngx_http_parley_detached_lost(void *data)
{
    ngx_http_parley_detached_t *d = data;

    if (d->request) {
        ngx_http_parley_detached_clear(d);

        /* ngx_close_connection() follows and must not close a socket */
        d->connection.fd = (ngx_socket_t) -1;

        d->handler(NULL, d->rc, d->data);
    }
}


static void
ngx_http_parley_detached_clear(ngx_http_parley_detached_t *d)
{
    ngx_uint_t    i;
    ngx_event_t  *ev[3];

    d->request = NULL;

    ev[0] = &d->timer;
    ev[1] = &d->read;
    ev[2] = &d->write;

    for (i = 0; i < 3; i++) {

        if (ev[i]->timer_set) {
            ngx_del_timer(ev[i]);
        }

        if (ev[i]->posted) {
            ngx_delete_posted_event(ev[i]);
        }
    }
}


static u_char *
ngx_http_parley_detached_log(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char              *p;
    ngx_http_log_ctx_t  *ctx;

    ctx = log->data;
    p = buf;

    if (log->action) {
        p = ngx_snprintf(buf, len, " while %s", log->action);
        len -= p - buf;
    }

    if (ctx->request) {
        return ctx->request->log_handler(ctx->request, ctx->current_request,
                                         p, len);
    }

    return p;
}
