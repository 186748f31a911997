
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A WebSocket that is open, where parley_websocket stands.
 */


#ifndef _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_
#define _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_


#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "http/parley_websocket.h"


/* octets that wait to be sent, from which on nothing more is taken: neither of
   what the hub has, nor of what the client sends; what is begun may be more */
#define NGX_HTTP_PARLEY_WEBSOCKET_PENDING  32768


typedef struct ngx_http_parley_websocket_s  ngx_http_parley_websocket_t;


/* a message in work */
typedef struct {
    ngx_http_parley_ctx_t          ctx;     /* the first: it is found by it */
    ngx_http_parley_websocket_t   *ws;
    ngx_pool_t                    *pool;    /* that it is in */
} ngx_http_parley_frame_t;


struct ngx_http_parley_websocket_s {
    ngx_http_parley_subscriber_t   sub;     /* the first: it is found by it */
    ngx_http_request_t            *request; /* that opened it, for its life */
    ngx_connection_t              *connection;
    ngx_http_parley_ctx_t         *ctx;     /* of the opening */
    parley_websocket_t            *frames;  /* what comes */
    ngx_event_t                    turn;    /* posted */

    ngx_chain_t                   *out;     /* what is not sent, in blocks */
    ngx_chain_t                  **out_last;
    size_t                         pending; /* octets of it */

    ngx_http_parley_frame_t       *frame;   /* in work; NULL: none */
    ngx_uint_t                     why;     /* parley_end_t, where the hub has
                                               ended it */
    parley_place_t                 place;   /* that it had then */

    unsigned                       begun:1;     /* 101 was sent */
    unsigned                       greeted:1;   /* its first message came */
    unsigned                       asked:1;     /* by a ping, whether it
                                                   lives; */
    unsigned                       heard:1;     /* something came since */
    unsigned                       blocked:1;   /* the hub has more */
    unsigned                       over:1;      /* the hub has ended it */
    unsigned                       closing:1;   /* a close frame is the last
                                                   that is sent */
    unsigned                       closed:1;    /* the client's came, or it was
                                                   failed */
    unsigned                       gone:1;      /* nothing can be told it */
};


/* ngx_http_parley_websocket.c */

/* Answers the handshake; from now on frames are read and written. */
ngx_int_t ngx_http_parley_websocket_begin(ngx_http_parley_websocket_t *ws);

/* There is something to do, from the event loop. */
void ngx_http_parley_websocket_post(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_accept.c */

/* Sends the header; or NGX_ERROR. */
ngx_int_t ngx_http_parley_websocket_accept(ngx_http_parley_websocket_t *ws);

/* Opens and closes one that is too many of its principal; returns what a phase
   does. */
ngx_int_t ngx_http_parley_websocket_busy(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_out.c */

/* Whole frames, behind those that wait; NGX_OK, or NGX_ERROR: no memory. */
ngx_int_t ngx_http_parley_websocket_push(ngx_http_parley_websocket_t *ws,
    parley_str_t frames);

/* A text, and a close, as a frame; nothing goes behind a close. */
ngx_int_t ngx_http_parley_websocket_text(ngx_http_parley_websocket_t *ws,
    parley_str_t text);
ngx_int_t ngx_http_parley_websocket_close(ngx_http_parley_websocket_t *ws,
    parley_close_t code, parley_str_t reason);

/* Sends what the connection takes; or NGX_ERROR: it fails. */
ngx_int_t ngx_http_parley_websocket_flush(ngx_http_parley_websocket_t *ws);
void ngx_http_parley_websocket_drop(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_message.c */

/*
 * A message that came, whose octets stay until it is done.  NGX_OK: it is, and
 * its answer is pushed; NGX_AGAIN: it is in work, and posts when it is done;
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_parley_websocket_message(ngx_http_parley_websocket_t *ws,
    parley_str_t text);

/* What is in work is given up. */
void ngx_http_parley_websocket_abandon(ngx_http_parley_websocket_t *ws);


#endif /* _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_ */
