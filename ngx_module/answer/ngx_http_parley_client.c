
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Keeps a request running when its client leaves (GW-21).  The answer is
 * awaited, validated and settled; the output is dropped.
 *
 * On each event of the client's connection the upstream module checks whether
 * the client has closed it, and then finalizes the request.  A wrapper of the
 * content handler replaces these event handlers with ones that only note the
 * departure.  Requests share the upstream's configuration, so
 * proxy_ignore_client_abort keeps its value.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


static ngx_int_t ngx_http_parley_client_content(ngx_http_request_t *r);
static void ngx_http_parley_client_read(ngx_http_request_t *r);
static ngx_uint_t ngx_http_parley_client_gone(ngx_http_request_t *r);
static void ngx_http_parley_client_write(ngx_http_request_t *r);


void
ngx_http_parley_client_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    if (r->content_handler
        && r->content_handler != ngx_http_parley_client_content)
    {
        ctx->content_handler = r->content_handler;
        r->content_handler = ngx_http_parley_client_content;
    }
}


static ngx_int_t
ngx_http_parley_client_content(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_upstream_t       *u;
    ngx_http_parley_ctx_t     *ctx;
    ngx_http_core_loc_conf_t  *clcf;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (r != r->main || ctx == NULL || ctx->content_handler == NULL) {

        /* a clone of the request, made by a module that fills a cache */

        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

        return clcf->handler ? clcf->handler(r) : NGX_DECLINED;
    }

    rc = ctx->content_handler(r);

    /*
     * By now the handler may have failed, and a named location may have begun.
     * An upstream with a cleanup is running.  Before its header, the client's
     * events are those of ngx_http_upstream_init_request().
     */

    u = r->upstream;

    if (u && u->cleanup && !u->header_sent && !u->store
        && !r->post_action && !u->conf->ignore_client_abort)
    {
        r->read_event_handler = ngx_http_parley_client_read;
        r->write_event_handler = ngx_http_request_empty_handler;
    }

    return rc;
}


static void
ngx_http_parley_client_read(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx && ngx_http_parley_client_gone(r)) {
        ngx_http_parley_client_left(ctx);
    }

    /* a level-triggered event is not armed again */
    ngx_http_block_reading(r);
}


static ngx_uint_t
ngx_http_parley_client_gone(ngx_http_request_t *r)
{
    char               buf[1];
    ssize_t            n;
    ngx_connection_t  *c;

    c = r->connection;

    if (c->error || c->read->error || c->write->error) {
        return 1;
    }

#if (NGX_HTTP_V2)
    if (r->stream) {
        return 0;
    }
#endif

#if (NGX_HTTP_V3)
    if (c->quic) {
        return 0;
    }
#endif

    if (c->read->pending_eof) {
        return 1;
    }

#if (NGX_HAVE_EPOLLRDHUP)
    if ((ngx_event_flags & NGX_USE_EPOLL_EVENT) && ngx_use_epoll_rdhup) {
        return 0;
    }
#endif

    n = recv(c->fd, buf, 1, MSG_PEEK);

    return n == 0 || (n == -1 && ngx_socket_errno != NGX_EAGAIN);
}


void
ngx_http_parley_client_left(ngx_http_parley_ctx_t *ctx)
{
    ngx_connection_t  *c;

    if (ctx->left) {
        return;
    }

    c = ctx->request->connection;

    ctx->left = 1;

    c->error = 1;
    c->read->eof = 1;

    ngx_log_error(NGX_LOG_INFO, c->log, 0,
                  "parley: client has left: the answer to its message is "
                  "still awaited");

    ngx_http_parley_deadline_extend(ctx);
}


void
ngx_http_parley_client_stream(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    if (r->upstream && r->upstream->cleanup
        && r->write_event_handler != ngx_http_parley_client_write)
    {
        ctx->write_handler = r->write_event_handler;
        r->write_event_handler = ngx_http_parley_client_write;
    }
}


/* Treats a client that reads nothing for send_timeout as departed. */

static void
ngx_http_parley_client_write(ngx_http_request_t *r)
{
    ngx_event_t            *wev;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);
    wev = r->connection->write;

    if (wev->timedout) {
        wev->timedout = 0;
        r->connection->timedout = 1;

        ngx_http_parley_client_left(ctx);
    }

    ctx->write_handler(r);
}
