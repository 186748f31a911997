
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A stream of events to a client, with its request or without it.
 */


#ifndef _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_


#include "ngx_module/stream/ngx_http_parley_hub.h"


/* octets of a piece, at most */
#define NGX_HTTP_PARLEY_STREAM_PIECE  32768


/* its own; what its request is gone without, too */
typedef struct {
    ngx_http_parley_subscriber_t   sub;   /* the first: it is found by it */
    ngx_http_request_t            *request;     /* NULL: it is freed */
    ngx_connection_t              *connection;
    ngx_pool_cleanup_t            *cleanup;     /* of the request */
    ngx_event_t                    turn;  /* posted */
    ngx_uint_t                     why;   /* parley_end_t, where it is over */

    u_char                        *piece; /* on its way; NULL: none */
    ngx_chain_t                   *free;  /* of the request's pool */
    ngx_chain_t                   *busy;  /* what of the piece is not sent */
    ngx_msec_t                     send_timeout;
    size_t                         send_lowat;

    unsigned                       begun:1;   /* its header was sent */
    unsigned                       over:1;
    unsigned                       leaves:1;  /* its request may be freed */
    unsigned                       chunked:1;

    u_char                         session[];
} ngx_http_parley_stream_t;


typedef ngx_int_t (*ngx_http_parley_stream_send_pt)(
    ngx_http_parley_stream_t *st, parley_str_t octets);


/* Octets that were taken in pieces, up to one that is on its way; -1: the
   connection fails. */
int64_t ngx_http_parley_stream_pieces(ngx_http_parley_stream_t *st,
    parley_str_t octets, ngx_http_parley_stream_send_pt send);

/* Frees it, and leaves the hub. */
void ngx_http_parley_stream_free(ngx_http_parley_stream_t *st);


/* ngx_http_parley_stream_http1.c */

/*
 * Frees the request of a stream whose header is sent: it is logged, and its
 * pool is gone when this returns.  Nothing happens where something still hangs
 * on it.  Not from within the hub, nor a phase of the request.
 */
void ngx_http_parley_stream_http1(ngx_http_parley_stream_t *st);

/* It is over: tells the client, where that can be, and closes. */
void ngx_http_parley_stream_http1_over(ngx_http_parley_stream_t *st);


#endif /* _NGX_HTTP_PARLEY_STREAM_H_INCLUDED_ */
