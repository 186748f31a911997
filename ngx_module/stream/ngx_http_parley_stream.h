
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A stream of events to a client, with or without its request.
 */


#ifndef _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_


#include "ngx_module/stream/ngx_http_parley_hub.h"


/* maximum octets of a piece */
#define NGX_HTTP_PARLEY_STREAM_PIECE  32768


/* a stream; it can outlive its request */
typedef struct {
    ngx_http_parley_subscriber_t   sub;   /* must be first: callbacks cast
                                             it */
    ngx_http_request_t            *request;     /* NULL: freed */
    ngx_connection_t              *connection;
    ngx_pool_cleanup_t            *cleanup;     /* cleanup handler of the
                                                   request */
    ngx_event_t                    turn;  /* posted to continue or to end */
    ngx_uint_t                     why;   /* reason of the end, parley_end_t */

    u_char                        *piece; /* unsent piece; NULL: none */
    ngx_chain_t                   *free;  /* buffers of the request's pool */
    ngx_chain_t                   *busy;  /* unsent part of the piece */
    ngx_msec_t                     send_timeout;
    size_t                         send_lowat;

    unsigned                       begun:1;   /* the header was sent */
    unsigned                       over:1;
    unsigned                       leaves:1;  /* the request may be freed */
    unsigned                       chunked:1;

    u_char                         session[];
} ngx_http_parley_stream_t;


typedef ngx_int_t (*ngx_http_parley_stream_send_pt)(
    ngx_http_parley_stream_t *st, parley_str_t octets);


/* Sends octets in pieces until a piece remains unsent.  Returns the number of
   octets taken, or -1 if the connection has failed. */
int64_t ngx_http_parley_stream_pieces(ngx_http_parley_stream_t *st,
    parley_str_t octets, ngx_http_parley_stream_send_pt send);

/* Unsubscribes the stream and frees it. */
void ngx_http_parley_stream_free(ngx_http_parley_stream_t *st);


/* ngx_http_parley_stream_http1.c */

/*
 * Frees the request of a stream after its header was sent.  The request is
 * logged, and its pool is destroyed.  The function does nothing if something
 * still refers to the request.  Do not call it from the hub or from a phase of
 * the request.
 */
void ngx_http_parley_stream_http1(ngx_http_parley_stream_t *st);

/* Ends the stream: signals the end to the client if possible, and closes the
   connection. */
void ngx_http_parley_stream_http1_over(ngx_http_parley_stream_t *st);


#endif /* _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_ */
