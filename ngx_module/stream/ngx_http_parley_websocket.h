
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An open WebSocket: to the gateway (parley_websocket), through it to a
 * service, or from it to a peer.
 */


#ifndef _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_
#define _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "http/parley_websocket.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_peer.h"


/* messages of one peer before other events are handled */
#define NGX_HTTP_PARLEY_WEBSOCKET_BUDGET  32

/* milliseconds that a client has to send its close frame */
#define NGX_HTTP_PARLEY_WEBSOCKET_LINGER  3000

/* Octets of unsent output above which nothing more is taken from the hub or
   the client.  A frame that has begun may exceed it. */
#define NGX_HTTP_PARLEY_WEBSOCKET_PENDING  32768


/* one end of a WebSocket: its connection, the frames read, and the output */
typedef struct {
    ngx_connection_t              *connection;
    parley_websocket_t            *frames;  /* parser of received frames */
    ngx_buf_t                     *read;    /* octets that nginx has read before
                                               the first frame */
    ngx_msec_t                     timeout; /* time for a peer to read output */
    size_t                         lowat;
    off_t                         *received;    /* counter of octets, or
                                                   NULL */

    ngx_chain_t                   *out;     /* unsent blocks */
    ngx_chain_t                  **out_last;
    size_t                         pending; /* unsent octets */

    void                         (*pong)(void *side, parley_str_t payload);
                                            /* gets each pong; NULL: none */

    unsigned                       masks:1; /* the gateway is the client */
    unsigned                       heard:1; /* data has arrived since the last
                                               ping */
    unsigned                       closing:1;   /* a close frame is queued as
                                                   the last frame */
    unsigned                       closed:1;    /* the peer has sent a close
                                                   frame, or reading was
                                                   stopped */
    unsigned                       gone:1;      /* nothing can be sent */
} ngx_http_parley_side_t;


typedef struct ngx_http_parley_socket_s  ngx_http_parley_socket_t;


/* a message in progress */
typedef struct {
    ngx_http_parley_ctx_t          ctx;     /* must be first: callbacks cast
                                               it */
    ngx_http_parley_socket_t      *socket;
    ngx_pool_t                    *pool;    /* pool of this structure */
    ngx_queue_t                    queue;   /* link in the messages that a
                                               service has got */
    size_t                         size;    /* octets of the text */
    unsigned                       sent:1;  /* the service gets it */
} ngx_http_parley_frame_t;


/* a WebSocket of a client that sends messages */
struct ngx_http_parley_socket_s {
    ngx_http_request_t            *request; /* request of the opening; lives as
                                               long */
    ngx_http_parley_ctx_t         *ctx;     /* context of the opening */
    ngx_http_parley_side_t         client;
    ngx_event_t                    turn;    /* posted */

    /* Does the pending work after any event of the client, and of turn. */
    void                         (*run)(ngx_http_parley_socket_t *s);

    ngx_http_parley_frame_t       *frame;   /* in progress; NULL: none */

    ngx_http_parley_side_t        *service; /* NULL: the gateway is the only
                                               recipient */

    /*
     * Sends a message that has passed the steps to the service, and keeps or
     * frees it.  Returns NGX_OK or NGX_ERROR.
     */
    ngx_int_t                    (*forward)(ngx_http_parley_frame_t *frame);

    /* Returns whether a text is not a message, and dropped; NULL: never. */
    ngx_uint_t                   (*skips)(ngx_http_parley_socket_t *s,
                                          parley_str_t text);

    unsigned                       greeted:1;   /* the first message has
                                                   arrived */
    unsigned                       over:1;  /* later messages are dropped */
};


/* a WebSocket to the gateway itself (parley_websocket) */
typedef struct {
    ngx_http_parley_subscriber_t   sub;     /* must be first: callbacks cast
                                               it */
    ngx_http_parley_socket_t       socket;
    ngx_uint_t                     why;     /* parley_end_t, if the hub has
                                               ended it: socket.over */
    parley_place_t                 place;   /* last place of the stream */

    ngx_http_parley_peer_t        *peer;    /* NULL: a client has opened it */
    parley_place_t                *places;  /* of messages that a peer has not
                                               confirmed */
    size_t                         nplaces;

    unsigned                       begun:1;     /* 101 was sent */
    unsigned                       asked:1;     /* a ping was sent */
    unsigned                       followed:1;  /* the next ping follows a
                                                   message to a peer */
    unsigned                       blocked:1;   /* the hub has more data */
} ngx_http_parley_websocket_t;


/* Posts the event that continues the WebSocket. */
static ngx_inline void
ngx_http_parley_socket_post(ngx_http_parley_socket_t *s)
{
    ngx_post_event(&s->turn, &ngx_posted_events);
}


/* ngx_http_parley_websocket_accept.c */

/* Sends the header of the handshake.  Returns NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_websocket_accept(ngx_http_parley_websocket_t *ws);


/* ngx_http_parley_websocket_side.c */

/*
 * Makes the parser of a side after its other members are set, for texts of at
 * most max octets.  Returns NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_side_init(ngx_http_parley_side_t *side, size_t max);

/* Frees the parser and the output. */
void ngx_http_parley_side_free(ngx_http_parley_side_t *side);

/* Queues complete frames.  Returns NGX_OK, or NGX_ERROR if memory is
   exhausted. */
ngx_int_t ngx_http_parley_side_push(ngx_http_parley_side_t *side,
    parley_str_t frames);

/* Queue a text frame and a close frame.  Nothing is queued after a close
   frame. */
ngx_int_t ngx_http_parley_side_text(ngx_http_parley_side_t *side,
    parley_str_t text);
ngx_int_t ngx_http_parley_side_close(ngx_http_parley_side_t *side,
    parley_close_t code, parley_str_t reason);

/* As ngx_http_parley_side_close(), with the payload of another close frame. */
ngx_int_t ngx_http_parley_side_close_as(ngx_http_parley_side_t *side,
    parley_str_t payload);

/* Sends as much output as the connection takes.  Returns NGX_OK, or NGX_ERROR
   if the connection has failed. */
ngx_int_t ngx_http_parley_side_flush(ngx_http_parley_side_t *side);

/* Returns whether there is room for more output, after a flush if needed.  If
   the connection has failed, gone is set. */
ngx_uint_t ngx_http_parley_side_has_room(ngx_http_parley_side_t *side);

/*
 * Drops the input of a peer that violated the protocol and has got a close
 * frame.  Otherwise the connection could be reset before the peer has read the
 * frame.  Returns NGX_AGAIN if there is more input now, else NGX_OK.
 */
ngx_int_t ngx_http_parley_side_discard(ngx_http_parley_side_t *side);


/* ngx_http_parley_websocket_message.c */

/* Prepares a zeroed socket, without the parser of its client.  The context of
   the opening keeps it. */
void ngx_http_parley_socket_init(ngx_http_parley_socket_t *s,
    ngx_http_parley_ctx_t *ctx, void (*run)(ngx_http_parley_socket_t *s));

/* Calls run for the events of the client's connection from now on. */
void ngx_http_parley_socket_listen(ngx_http_parley_socket_t *s);

/* Returns the WebSocket that a request has opened. */
ngx_http_parley_socket_t *ngx_http_parley_socket_of(ngx_http_request_t *r);

/*
 * Reads messages of the client while there is room for their answers and no
 * message is in progress.  A message in progress posts an event at its end.  If
 * the client has ended the WebSocket, client.closed or client.gone is set.
 */
void ngx_http_parley_socket_messages(ngx_http_parley_socket_t *s);

/* Ends a message, and frees it. */
void ngx_http_parley_frame_done(ngx_http_parley_frame_t *frame);

/* Abandons the message in progress. */
void ngx_http_parley_socket_abandon(ngx_http_parley_socket_t *s);


/* ngx_http_parley_websocket_peer.c */

/* Begins a WebSocket to a peer with the greeting.  Returns NGX_OK or
   NGX_ERROR. */
ngx_int_t ngx_http_parley_websocket_greet(ngx_http_parley_websocket_t *ws);

/* Returns whether the peer must confirm messages before it gets more. */
ngx_uint_t ngx_http_parley_websocket_full(
    const ngx_http_parley_websocket_t *ws);

/* Notes the place in a ping that follows a message, until the pong. */
void ngx_http_parley_websocket_pinged(ngx_http_parley_websocket_t *ws,
    parley_str_t frame);

/* The callback pong of a side: the peer has all messages up to the place in the
   payload. */
void ngx_http_parley_websocket_pong(void *side, parley_str_t payload);

/* The callback skips of a socket: returns whether a text is a receipt for a
   message.  Logs a refusal of a peer. */
ngx_uint_t ngx_http_parley_websocket_receipt(ngx_http_parley_socket_t *s,
    parley_str_t text);


#endif /* _NGX_HTTP_PARLEY_WEBSOCKET_H_INCLUDED_ */
