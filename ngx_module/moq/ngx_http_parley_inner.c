
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Inner requests.  A subrequest would skip the access phase and the steps, so
 * an inner request is a main request.  Its connection has no socket: it shares
 * the descriptor of the QUIC connection, as the streams of HTTP/3 do, and the
 * TLS, so that variables and client certificates work.  nginx must never shut
 * this TLS down, so the connection loses it before it is closed.
 *
 * The events of the connection are never added to the kernel.  "eof" keeps
 * nginx from keepalive and from lingering.
 */


#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/moq/ngx_http_parley_inner.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"


#if (NGX_HTTP_V3)

#define NGX_HTTP_PARLEY_INNER_POOL  512


static ngx_http_parley_inner_t *ngx_http_parley_inner_create(
    ngx_connection_t *parent, const ngx_http_parley_inner_begin_t *begin);
static ngx_int_t ngx_http_parley_inner_connection(ngx_http_parley_inner_t *in,
    ngx_connection_t *c, ngx_connection_t *parent);
static ngx_int_t ngx_http_parley_inner_request(ngx_http_parley_inner_t *in,
    ngx_http_request_t *r, const ngx_http_parley_inner_begin_t *begin);
static ngx_int_t ngx_http_parley_inner_line(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin);
static ngx_int_t ngx_http_parley_inner_headers(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin);
static ngx_int_t ngx_http_parley_inner_body(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin);
static ngx_int_t ngx_http_parley_inner_copy(ngx_pool_t *pool, ngx_str_t *to,
    const char *before, const ngx_str_t *from);
static ssize_t ngx_http_parley_inner_recv(ngx_connection_t *c, u_char *buf,
    size_t size);
static ngx_chain_t *ngx_http_parley_inner_send_chain(ngx_connection_t *c,
    ngx_chain_t *in, off_t limit);
static ngx_int_t ngx_http_parley_inner_take(ngx_http_parley_inner_t *in,
    ngx_buf_t *b);
static ngx_int_t ngx_http_parley_inner_header_filter(ngx_http_request_t *r);
static void ngx_http_parley_inner_error(ngx_http_parley_inner_t *in,
    ngx_http_request_t *r);
static void ngx_http_parley_inner_cleanup(void *data);
static void ngx_http_parley_inner_ended(ngx_event_t *ev);
static void ngx_http_parley_inner_free(ngx_http_parley_inner_t *in);
static u_char *ngx_http_parley_inner_log(ngx_log_t *log, u_char *buf,
    size_t len);


static ngx_http_output_header_filter_pt  ngx_http_parley_inner_next;


ngx_http_parley_inner_t *
ngx_http_parley_inner_begin(ngx_connection_t *parent,
    const ngx_http_parley_inner_begin_t *begin)
{
    ngx_connection_t         *c;
    ngx_http_request_t       *r;
    ngx_http_parley_inner_t  *in;

    in = ngx_http_parley_inner_create(parent, begin);
    if (in == NULL) {
        return NULL;
    }

    c = ngx_get_connection(parent->fd, &in->log);
    if (c == NULL) {
        ngx_free(in);
        return NULL;
    }

    /* ngx_http_close_connection() counts down */

#if (NGX_STAT_STUB)
    (void) ngx_atomic_fetch_add(ngx_stat_active, 1);
#endif

    if (ngx_http_parley_inner_connection(in, c, parent) != NGX_OK) {
        goto failed;
    }

    r = ngx_http_create_request(c);
    if (r == NULL) {
        goto failed;
    }

    c->data = r;

    if (ngx_http_parley_inner_request(in, r, begin) != NGX_OK) {
        r->logged = 1;
        c->ssl = NULL;

        ngx_http_free_request(r, 0);
        goto failed;
    }

    ngx_http_process_request(r);
    ngx_http_run_posted_requests(c);

    return in;

failed:

    c->ssl = NULL;

    if (c->pool == NULL) {
#if (NGX_STAT_STUB)
        (void) ngx_atomic_fetch_add(ngx_stat_active, -1);
#endif
        ngx_close_connection(c);

    } else {
        ngx_http_close_connection(c);
    }

    ngx_free(in);

    return NULL;
}


static ngx_http_parley_inner_t *
ngx_http_parley_inner_create(ngx_connection_t *parent,
    const ngx_http_parley_inner_begin_t *begin)
{
    ngx_http_parley_inner_t  *in;

    in = ngx_calloc(sizeof(ngx_http_parley_inner_t), parent->log);
    if (in == NULL) {
        return NULL;
    }

    in->handler = begin->handler;
    in->data = begin->data;
    in->max = begin->max;
    in->posts = begin->posts;
    in->stream = begin->stream;

    (void) ngx_sprintf(in->session, "%016xL", begin->session);

    in->http = *((ngx_http_connection_t **) parent->data)[0];
    in->http.conf_ctx = begin->server;
    in->http.ssl = 1;
    in->http.busy = NULL;
    in->http.nbusy = 0;
    in->http.free = NULL;

    /* the name is in the pool of the QUIC connection, which may end first */

    in->http.ssl_servername = NULL;
#if (NGX_PCRE)
    in->http.ssl_servername_regex = NULL;
#endif

    in->log = *parent->log;
    /* the number of the QUIC connection, for the logs */

    in->log.connection = parent->number;
    in->log.handler = ngx_http_parley_inner_log;
    in->log.data = &in->log_ctx;
    in->log.action = NULL;

    in->ended.handler = ngx_http_parley_inner_ended;
    in->ended.data = in;
    in->ended.log = ngx_cycle->log;

    return in;
}


static ngx_int_t
ngx_http_parley_inner_connection(ngx_http_parley_inner_t *in,
    ngx_connection_t *c, ngx_connection_t *parent)
{
    in->log_ctx.connection = c;

    c->shared = 1;
    c->type = SOCK_STREAM;
    c->data = &in->http;
    c->listening = parent->listening;
    c->number = in->log.connection;
    c->start_time = ngx_current_msec;
    c->log_error = NGX_ERROR_INFO;
    c->tcp_nodelay = NGX_TCP_NODELAY_DISABLED;
    c->tcp_nopush = NGX_TCP_NOPUSH_DISABLED;

    c->recv = ngx_http_parley_inner_recv;
    c->send_chain = ngx_http_parley_inner_send_chain;
    c->need_last_buf = 1;

    /* the client may change its address, and may leave */

    ngx_memcpy(&in->sockaddr, parent->sockaddr,
               ngx_min(parent->socklen, (socklen_t) sizeof(ngx_sockaddr_t)));
    ngx_memcpy(&in->local_sockaddr, parent->local_sockaddr,
               ngx_min(parent->local_socklen,
                       (socklen_t) sizeof(ngx_sockaddr_t)));

    c->sockaddr = &in->sockaddr.sockaddr;
    c->socklen = parent->socklen;
    c->local_sockaddr = &in->local_sockaddr.sockaddr;
    c->local_socklen = parent->local_socklen;

    c->addr_text.len = ngx_min(parent->addr_text.len, NGX_SOCKADDR_STRLEN);
    c->addr_text.data = in->address;
    ngx_memcpy(in->address, parent->addr_text.data, c->addr_text.len);

    c->read->log = &in->log;
    c->read->active = 1;
    c->read->eof = 1;
    c->write->log = &in->log;
    c->write->active = 1;
    c->write->ready = 1;

    c->pool = ngx_create_pool(NGX_HTTP_PARLEY_INNER_POOL, &in->log);
    if (c->pool == NULL) {
        return NGX_ERROR;
    }

    /* a request reads the rest of its header in this buffer */

    c->buffer = ngx_calloc_buf(c->pool);
    if (c->buffer == NULL) {
        return NGX_ERROR;
    }

    c->ssl = parent->ssl;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_inner_request(ngx_http_parley_inner_t *in,
    ngx_http_request_t *r, const ngx_http_parley_inner_begin_t *begin)
{
    ngx_pool_cleanup_t  *cln;

    if (ngx_list_init(&r->headers_in.headers, r->pool, 8,
                      sizeof(ngx_table_elt_t))
        != NGX_OK
        || ngx_http_parley_inner_line(r, begin) != NGX_OK
        || ngx_http_parley_inner_headers(r, begin) != NGX_OK
        || (begin->posts && ngx_http_parley_inner_body(r, begin) != NGX_OK))
    {
        return NGX_ERROR;
    }

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_inner_cleanup;
    cln->data = in;

    r->main_filter_need_in_memory = 1;
    r->keepalive = 0;

    in->request = r;

    return NGX_OK;
}


/* Sets the request line, as nginx parses it. */

static ngx_int_t
ngx_http_parley_inner_line(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin)
{
    u_char     *p;
    size_t      len;
    ngx_str_t   uri;

    r->http_version = NGX_HTTP_VERSION_11;
    ngx_str_set(&r->http_protocol, "HTTP/1.1");

    if (begin->posts) {
        r->method = NGX_HTTP_POST;
        ngx_str_set(&r->method_name, "POST");

    } else {
        r->method = NGX_HTTP_GET;
        r->method_name = ngx_http_core_get_method;
    }

    if (ngx_http_parley_inner_copy(r->pool, &r->uri, "", &begin->uri)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    uri.len = begin->uri.len
              + 2 * ngx_escape_uri(NULL, begin->uri.data, begin->uri.len,
                                   NGX_ESCAPE_URI);

    len = r->method_name.len + 1 + uri.len + 1 + begin->args.len + 1
          + r->http_protocol.len;

    r->request_line.data = ngx_pnalloc(r->pool, len);
    if (r->request_line.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(r->request_line.data, r->method_name.data,
                   r->method_name.len);
    *p++ = ' ';

    r->unparsed_uri.data = p;

    if (uri.len == begin->uri.len) {
        p = ngx_cpymem(p, begin->uri.data, begin->uri.len);

    } else {
        p = (u_char *) ngx_escape_uri(p, begin->uri.data, begin->uri.len,
                                      NGX_ESCAPE_URI);
    }

    if (begin->args.len) {
        *p++ = '?';
        r->args.data = p;
        r->args.len = begin->args.len;
        p = ngx_cpymem(p, begin->args.data, begin->args.len);
    }

    r->unparsed_uri.len = p - r->unparsed_uri.data;
    r->valid_unparsed_uri = 1;

    *p++ = ' ';
    p = ngx_cpymem(p, r->http_protocol.data, r->http_protocol.len);

    r->request_line.len = p - r->request_line.data;
    r->request_length = r->request_line.len + begin->body.len;

    ngx_http_set_exten(r);

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_inner_headers(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin)
{
    in_port_t  port;
    ngx_str_t  value;

    if (begin->host.len) {
        if (ngx_http_parley_inner_copy(r->pool, &value, "", &begin->host)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        r->headers_in.host = ngx_http_parley_detached_push(r, "Host", "host",
                                                           value);
        if (r->headers_in.host == NULL) {
            return NGX_ERROR;
        }

        r->headers_in.server = value;

        if (ngx_http_parley_inner_host(&r->headers_in.server, r->pool, &port)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

#if (nginx_version >= 1029003)
        r->port = port;
#endif
    }

    if (begin->token.len) {
        if (ngx_http_parley_inner_copy(r->pool, &value, "Bearer ",
                                       &begin->token)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        r->headers_in.authorization = ngx_http_parley_detached_push(r,
                                          "Authorization", "authorization",
                                          value);
        if (r->headers_in.authorization == NULL) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_inner_host(ngx_str_t *host, ngx_pool_t *pool, in_port_t *port)
{
#if (nginx_version >= 1029003)
    return ngx_http_validate_host(host, port, pool, 0);
#else
    *port = 0;

    return ngx_http_validate_host(host, pool, 0);
#endif
}


/* Makes a body that nginx has already read. */

static ngx_int_t
ngx_http_parley_inner_body(ngx_http_request_t *r,
    const ngx_http_parley_inner_begin_t *begin)
{
    ngx_buf_t                *b;
    ngx_str_t                 size;
    ngx_table_elt_t          *type, *length;
    ngx_http_request_body_t  *rb;

    rb = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));
    size.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    b = ngx_create_temp_buf(r->pool, begin->body.len + 1);

    if (rb == NULL || size.data == NULL || b == NULL) {
        return NGX_ERROR;
    }

    rb->bufs = ngx_alloc_chain_link(r->pool);
    if (rb->bufs == NULL) {
        return NGX_ERROR;
    }

    size.len = ngx_sprintf(size.data, "%uz", begin->body.len) - size.data;

    type = ngx_http_parley_detached_push(r, "Content-Type", "content-type",
                                    (ngx_str_t) ngx_string("application/json"));
    length = ngx_http_parley_detached_push(r, "Content-Length",
                                           "content-length", size);

    if (type == NULL || length == NULL) {
        return NGX_ERROR;
    }

    b->last = ngx_cpymem(b->pos, begin->body.data, begin->body.len);
    b->last_buf = 1;
    b->last_in_chain = 1;

    rb->bufs->buf = b;
    rb->bufs->next = NULL;
    rb->buf = b;
    rb->received = begin->body.len;

    r->request_body = rb;
    r->headers_in.content_type = type;
    r->headers_in.content_length = length;
    r->headers_in.content_length_n = begin->body.len;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_inner_copy(ngx_pool_t *pool, ngx_str_t *to, const char *before,
    const ngx_str_t *from)
{
    size_t   len;
    u_char  *p;

    len = ngx_strlen(before);

    to->len = len + from->len;
    to->data = ngx_pnalloc(pool, to->len + 1);
    if (to->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(to->data, before, len);
    p = ngx_cpymem(p, from->data, from->len);
    *p = '\0';

    return NGX_OK;
}


/* The request has its whole body, and nothing follows. */

static ssize_t
ngx_http_parley_inner_recv(ngx_connection_t *c, u_char *buf, size_t size)
{
    c->read->ready = 0;

    return NGX_AGAIN;
}


static ngx_chain_t *
ngx_http_parley_inner_send_chain(ngx_connection_t *c, ngx_chain_t *chain,
    off_t limit)
{
    ngx_buf_t                *b;
    ngx_http_parley_inner_t  *in;

    in = ngx_queue_data(c->log, ngx_http_parley_inner_t, log);

    for (/* void */ ; chain; chain = chain->next) {
        b = chain->buf;

        if (!ngx_buf_special(b) && ngx_http_parley_inner_take(in, b) != NGX_OK)
        {
            c->error = 1;
            return NGX_CHAIN_ERROR;
        }

        if (b->last_buf) {
            in->whole = 1;
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_parley_inner_take(ngx_http_parley_inner_t *in, ngx_buf_t *b)
{
    size_t   n, size;
    u_char  *p;

    if (!ngx_buf_in_memory(b)) {
        return NGX_ERROR;
    }

    n = b->last - b->pos;

    if (n > in->max - in->response.len) {
        ngx_log_error(NGX_LOG_ERR, &in->log, 0,
                      "parley: answer to a command is longer than %uz octets",
                      in->max);
        return NGX_ERROR;
    }

    if (n > in->size - in->response.len) {
        size = ngx_min(in->max, ngx_max(2 * in->size, in->response.len + n));

        p = ngx_alloc(size, &in->log);
        if (p == NULL) {
            return NGX_ERROR;
        }

        if (in->response.data) {
            ngx_memcpy(p, in->response.data, in->response.len);
            ngx_free(in->response.data);
        }

        in->response.data = p;
        in->size = size;
    }

    ngx_memcpy(in->response.data + in->response.len, b->pos, n);

    in->response.len += n;
    in->request->connection->sent += n;
    b->pos = b->last;

    return NGX_OK;
}


void
ngx_http_parley_inner_filter(void)
{
    ngx_http_parley_inner_next = ngx_http_parley_next_header;
    ngx_http_parley_next_header = ngx_http_parley_inner_header_filter;
}


static ngx_int_t
ngx_http_parley_inner_header_filter(ngx_http_request_t *r)
{
    parley_str_t              type;
    ngx_http_parley_inner_t  *in;

    in = r == r->main ? ngx_http_parley_inner(r) : NULL;

    if (in == NULL) {
        return ngx_http_parley_inner_next(r);
    }

    if (r->header_sent) {
        return NGX_OK;
    }

    r->header_sent = 1;

    in->status = r->headers_out.status;

    if (in->status < NGX_HTTP_OK || in->status == NGX_HTTP_NO_CONTENT
        || in->status == NGX_HTTP_NOT_MODIFIED)
    {
        r->header_only = 1;
    }

    if (r->header_only) {
        in->whole = 1;
    }

    if (in->status >= NGX_HTTP_BAD_REQUEST) {
        type = ngx_http_parley_str(&r->headers_out.content_type);
        type = parley_str_until(type, ';');

        in->problem = parley_str_is(type, "application/problem+json") ? 1 : 0;
        ngx_http_parley_inner_error(in, r);
    }

    return NGX_OK;
}


/* Keeps the reason of Parley's own refusal. */

static void
ngx_http_parley_inner_error(ngx_http_parley_inner_t *in, ngx_http_request_t *r)
{
    parley_str_t                  word;
    const ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx == NULL || ctx->error.code == PARLEY_E_NONE) {
        return;
    }

    word = parley_error_info(ctx->error.code)->word;

    (void) ngx_cpystrn(in->code, (u_char *) word.data,
                       ngx_min(word.len + 1, NGX_HTTP_PARLEY_INNER_CODE));
    (void) ngx_cpystrn(in->text, (u_char *) ctx->error.text,
                       NGX_HTTP_PARLEY_INNER_TEXT);

    in->expired = ctx->error.code == PARLEY_E_TOKEN_EXPIRED;
}


ngx_http_parley_inner_t *
ngx_http_parley_inner(ngx_http_request_t *r)
{
    ngx_log_t  *log;

    log = r->connection->log;

    return log->handler == ngx_http_parley_inner_log
           ? ngx_queue_data(log, ngx_http_parley_inner_t, log) : NULL;
}


void
ngx_http_parley_inner_leave(ngx_http_parley_inner_t *in)
{
    in->handler = NULL;

    if (in->request) {
        in->request->connection->ssl = NULL;
    }
}


void
ngx_http_parley_inner_cancel(ngx_http_parley_inner_t *in)
{
    ngx_connection_t    *c;
    ngx_http_request_t  *r;

    r = in->request;

    ngx_http_parley_inner_leave(in);

    if (r == NULL) {
        return;
    }

    c = r->connection;
    c->error = 1;

    ngx_http_finalize_request(r, NGX_HTTP_CLIENT_CLOSED_REQUEST);
    ngx_http_run_posted_requests(c);
}


/* Runs when the request is freed.  ngx_http_close_connection() follows, and
   must not shut the TLS of the QUIC connection down. */

static void
ngx_http_parley_inner_cleanup(void *data)
{
    ngx_http_parley_inner_t *in = data;

    in->request->connection->ssl = NULL;
    in->request = NULL;

    ngx_post_event(&in->ended, &ngx_posted_events);
}


static void
ngx_http_parley_inner_ended(ngx_event_t *ev)
{
    ngx_http_parley_inner_t *in = ev->data;

    if (in->handler) {
        in->handler(in);
    }

    ngx_http_parley_inner_free(in);
}


static void
ngx_http_parley_inner_free(ngx_http_parley_inner_t *in)
{
    if (in->response.data) {
        ngx_free(in->response.data);
    }

    ngx_free(in);
}


static u_char *
ngx_http_parley_inner_log(ngx_log_t *log, u_char *buf, size_t len)
{
    u_char              *p;
    ngx_http_log_ctx_t  *ctx;

    ctx = log->data;
    p = buf;

    if (log->action) {
        p = ngx_snprintf(p, len, " while %s", log->action);
        len -= p - buf;
        buf = p;
    }

    p = ngx_snprintf(buf, len, ", client: %V", &ctx->connection->addr_text);
    len -= p - buf;

    return ctx->request ? ctx->request->log_handler(ctx->request,
                                                    ctx->current_request, p,
                                                    len)
                        : p;
}

#endif
