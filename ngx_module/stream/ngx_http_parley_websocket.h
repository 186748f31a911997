
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An open WebSocket (parley_websocket).
 */


#ifndef _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_
#define _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "http/parley_websocket.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"


/* Octets of unsent output above which nothing more is taken from the hub or
   the client.  A frame that has begun may exceed it. */
#define NGX_HTTP_PARLEY_WEBSOCKET_PENDING  32768


typedef struct ngx_http_parley_websocket_s  ngx_http_parley_websocket_t;


/* a message in progress */
typedef struct {
    ngx_http_parley_ctx_t          ctx;     /* must be first: callbacks cast
                                               it */
    ngx_http_parley_websocket_t   *ws;
    ngx_pool_t                    *pool;    /* pool of this structure */
} ngx_http_parley_frame_t;


struct ngx_http_parley_websocket_s {
    ngx_http_parley_subscriber_t   sub;     /* must be first: callbacks cast
                                               it */
    ngx_http_request_t            *request; /* request of the opening; lives as
                                               long */
    ngx_connection_t              *connection;
    ngx_http_parley_ctx_t         *ctx;     /* context of the opening */
    parley_websocket_t            *frames;  /* parser of received frames */
    ngx_event_t                    turn;    /* posted */

    ngx_chain_t                   *out;     /* unsent blocks */
    ngx_chain_t                  **out_last;
    size_t                         pending; /* unsent octets */

    ngx_http_parley_frame_t       *frame;   /* in progress; NULL: none */
    ngx_uint_t                     why;     /* parley_end_t, if the hub has
                                               ended it */
    parley_place_t                 place;   /* last place of the stream */

    unsigned                       begun:1;     /* 101 was sent */
    unsigned                       greeted:1;   /* the first message has
                                                   arrived */
    unsigned                       asked:1;     /* a ping was sent */
    unsigned                       heard:1;     /* data has arrived since */
    unsigned                       blocked:1;   /* the hub has more data */
    unsigned                       over:1;      /* the hub has ended it */
    unsigned                       closing:1;   /* a close frame is queued as
                                                   the last frame */
    unsigned                       closed:1;    /* the client has sent a close
                                                   frame, or reading was
                                                   stopped */
    unsigned                       gone:1;      /* nothing can be sent */
};


/* Posts the event that continues the WebSocket. */
static ngx_inline void
ngx_http_parley_websocket_post(ngx_http_parley_websocket_t *ws)
{
    ngx_post_event(&ws->turn, &ngx_posted_events);
}


/* ngx_http_parley_websocket_accept.c */

/* Sends the header of the handshake.  Returns NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_websocket_accept(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_out.c */

/* Queues complete frames.  Returns NGX_OK, or NGX_ERROR if memory is
   exhausted. */
ngx_int_t ngx_http_parley_websocket_push(ngx_http_parley_websocket_t *ws,
    parley_str_t frames);

/* Queue a text frame and a close frame.  Nothing is queued after a close
   frame. */
ngx_int_t ngx_http_parley_websocket_text(ngx_http_parley_websocket_t *ws,
    parley_str_t text);
ngx_int_t ngx_http_parley_websocket_close(ngx_http_parley_websocket_t *ws,
    parley_close_t code, parley_str_t reason);

/*
 * ngx_http_parley_websocket_flush() sends as much output as the connection
 * takes; it returns NGX_OK, or NGX_ERROR if the connection has failed.
 * ngx_http_parley_websocket_drop() frees the output.
 */
ngx_int_t ngx_http_parley_websocket_flush(ngx_http_parley_websocket_t *ws);
void ngx_http_parley_websocket_drop(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_message.c */

/*
 * Processes a message; its octets must stay until the end.  Returns NGX_OK if
 * the message is finished and its answer is queued; NGX_AGAIN if it is in
 * progress and will post an event at its end; or NGX_ERROR if memory is
 * exhausted.
 */
ngx_int_t ngx_http_parley_websocket_message(ngx_http_parley_websocket_t *ws,
    parley_str_t text);

/* Abandons the message in progress. */
void ngx_http_parley_websocket_abandon(ngx_http_parley_websocket_t *ws);


#endif /* _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_ */
