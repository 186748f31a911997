
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A request that the gateway makes itself, without a client.  It is an
 * in-memory subrequest to an internal location.  Its main request and its
 * connection exist for this subrequest only.  A request that opens a WebSocket
 * leaves its connection to the upstream to the caller.
 */


#ifndef _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_
#define _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * Receives the result of a detached request.  The event loop calls it once,
 * possibly before ngx_http_parley_detached_get() returns.  sr is the finished
 * subrequest: its status is in headers_out and its body in out, as
 * NGX_HTTP_SUBREQUEST_IN_MEMORY leaves it.  sr is freed when the handler
 * returns.  sr is NULL if the subrequest did not end in time or the worker
 * exits.  rc is the argument of the finalization: NGX_OK, a status of nginx
 * such as 502, or NGX_ERROR.
 */
typedef void (*ngx_http_parley_detached_pt)(ngx_http_request_t *sr,
    ngx_int_t rc, void *data);


/* Zeroed before the first use.  It belongs to one process and carries one
   request at a time. */

typedef struct {
    ngx_connection_t              connection;
    ngx_event_t                   read;
    ngx_event_t                   write;
    ngx_log_t                     log;
    ngx_http_log_ctx_t            log_ctx;
    ngx_http_connection_t         http;
    ngx_sockaddr_t                address;

    ngx_http_request_t           *request;        /* NULL: none in progress */
    ngx_http_request_t           *subrequest;
    ngx_int_t                     rc;

    ngx_event_t                   timer;
    ngx_msec_t                    deadline;
    ngx_uint_t                    awaited;        /* number of waiting
                                                     requests; 0: ended at
                                                     shutdown */

    ngx_str_t                     url;            /* target of a POST or of a
                                                     WebSocket, see
                                                     $parley_deliver_url */
    ngx_str_t                     key;            /* Sec-WebSocket-Key; empty:
                                                     opens no WebSocket */
    ngx_connection_t             *opened;         /* WebSocket that was opened,
                                                     for the handler; NULL:
                                                     none */
    const char                   *why;            /* reason why not; NULL: see
                                                     the status */

    ngx_http_parley_detached_pt   handler;
    void                         *data;
} ngx_http_parley_detached_t;


#define ngx_http_parley_detached_busy(d)  ((d)->request != NULL)

/* Returns whether r belongs to a detached request, in any location. */
ngx_uint_t ngx_http_parley_is_detached(ngx_http_request_t *r);

/*
 * Requests uri with GET from a location of the server that owns conf_ctx,
 * within timeout milliseconds.  The caller sets d->handler and d->data.  The
 * request has no data of a client.  Returns NGX_OK if the handler has been or
 * will be called, and NGX_ERROR if not.
 */
ngx_int_t ngx_http_parley_detached_get(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_str_t *uri, ngx_msec_t timeout);


/* a request to post; the members must live until the handler has been
   called */
typedef struct {
    ngx_str_t                     uri;            /* URI of the location */
    ngx_str_t                     url;
    ngx_str_t                     type;
    ngx_str_t                     body;
    size_t                        answer;         /* maximum octets of an
                                                     answer; a longer one gives
                                                     NGX_ERROR */
} ngx_http_parley_posted_t;

/*
 * As ngx_http_parley_detached_get(), with POST.  The request stays in its
 * location: an internal redirection of it is answered with 502.
 */
ngx_int_t ngx_http_parley_detached_post(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_posted_t *posted,
    ngx_msec_t timeout);

/* a WebSocket to open; the members must live until the handler has been
   called */
typedef struct {
    ngx_str_t                     uri;            /* URI of the location */
    ngx_str_t                     url;
    ngx_str_t                     key;            /* Sec-WebSocket-Key */
} ngx_http_parley_opened_t;

/*
 * As ngx_http_parley_detached_get(), with the opening handshake of a WebSocket.
 * If the handler finds d->opened, it owns this connection, which has a pool and
 * no longer belongs to the request.  Octets after the handshake are in
 * c->buffer, which is in this pool.
 */
ngx_int_t ngx_http_parley_detached_open(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_opened_t *opened,
    ngx_msec_t timeout);

/*
 * Called by the header filter for each subrequest.  Returns NGX_DECLINED for
 * one that does not open a WebSocket.  Otherwise the response is not to be
 * sent: returns NGX_ERROR, which ends the subrequest.
 */
ngx_int_t ngx_http_parley_detached_header(ngx_http_request_t *r);

/* Returns the target URL of a detached POST or WebSocket, or NULL for any other
   request. */
ngx_str_t *ngx_http_parley_detached_url(ngx_http_request_t *r);

/* Returns whether the body of the finished subrequest is complete. */
ngx_uint_t ngx_http_parley_detached_whole(ngx_http_request_t *sr);


/* Adds a field to the header of a request that the gateway makes.  Returns NULL
   if memory is exhausted. */
ngx_table_elt_t *ngx_http_parley_detached_push(ngx_http_request_t *r,
    const char *key, const char *lowcase, ngx_str_t value);


#endif /* _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_ */
