
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A request that no client has made: an in-memory subrequest to an internal
 * location, below a main request and a connection that exist for it alone.
 */


#ifndef _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_
#define _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * What came of it, told once and from the event loop, perhaps before
 * ngx_http_parley_detached_get() returns.  sr is the finished subrequest: its
 * status in headers_out, its body in out, as with NGX_HTTP_SUBREQUEST_IN_MEMORY
 * at any time; gone when the function returns.  NULL: it did not end in time,
 * or the worker could not wait for it.  rc is what the subrequest was finalized
 * with: NGX_OK, a status of nginx's own (502, ...), or NGX_ERROR.
 */
typedef void (*ngx_http_parley_detached_pt)(ngx_http_request_t *sr,
    ngx_int_t rc, void *data);


/* zeroed before the first use; of this process, and of one request at a time */

typedef struct {
    ngx_connection_t              connection;
    ngx_event_t                   read;
    ngx_event_t                   write;
    ngx_log_t                     log;
    ngx_http_log_ctx_t            log_ctx;
    ngx_http_connection_t         http;
    ngx_sockaddr_t                address;

    ngx_http_request_t           *request;        /* NULL: none under way */
    ngx_http_request_t           *subrequest;
    ngx_int_t                     rc;

    ngx_event_t                   timer;
    ngx_msec_t                    deadline;
    ngx_uint_t                    awaited;        /* at shutdown it is ended
                                                     unless somebody waits */

    ngx_str_t                     url;            /* of a POST: where to, see
                                                     $parley_deliver_url */

    ngx_http_parley_detached_pt   handler;
    void                         *data;
} ngx_http_parley_detached_t;


#define ngx_http_parley_detached_busy(d)  ((d)->request != NULL)

/*
 * Whether r belongs to such a request: the gateway's own, whatever location it
 * comes to.
 */
ngx_uint_t ngx_http_parley_is_detached(ngx_http_request_t *r);

/*
 * GETs uri, of a location of the server that conf_ctx is of, within timeout;
 * handler and data are those of d.  Nothing of any client is sent along.
 * NGX_OK: the handler is called, or was; NGX_ERROR: it is not.
 */
ngx_int_t ngx_http_parley_detached_get(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, ngx_str_t *uri, ngx_msec_t timeout);


/* what is posted; all of it lives until the handler was called */
typedef struct {
    ngx_str_t                     uri;            /* of the location */
    ngx_str_t                     url;
    ngx_str_t                     type;
    ngx_str_t                     body;
    size_t                        answer;         /* octets of it, at most:
                                                     one that is longer is none
                                                     (NGX_ERROR) */
} ngx_http_parley_posted_t;

/*
 * The same of a POST.  It goes where it was sent and nowhere else: what would
 * redirect it internally is answered 502.
 */
ngx_int_t ngx_http_parley_detached_post(ngx_http_parley_detached_t *d,
    ngx_http_conf_ctx_t *conf_ctx, const ngx_http_parley_posted_t *posted,
    ngx_msec_t timeout);

/* The URL that such a request is posted to; NULL: it is none. */
ngx_str_t *ngx_http_parley_detached_url(ngx_http_request_t *r);

/* Whether the body of the finished subrequest came to its end. */
ngx_uint_t ngx_http_parley_detached_whole(ngx_http_request_t *sr);


#endif /* _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_ */
