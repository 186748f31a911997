
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


#endif /* _NGX_HTTP_PARLEY_DETACHED_H_INCLUDED_ */
