
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An open WebSocket of a client that goes on to a service (GW-34):
 * ngx_http_parley_websocket_pass.c has its life, and
 * ngx_http_parley_websocket_texts.c its messages.
 */


#ifndef _NGX_HTTP_PARLEY_WEBSOCKET_PASS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_WEBSOCKET_PASS_H_INCLUDED_


#include "ngx_module/stream/ngx_http_parley_websocket.h"


typedef struct {
    ngx_http_parley_socket_t       socket;  /* must be first: it is cast to the
                                               whole */
    ngx_http_parley_side_t         service;
    ngx_queue_t                    queue;   /* link in worker->sockets */

    ngx_queue_t                    sent;    /* messages that the service may
                                               still answer, oldest first */
    ngx_uint_t                     nsent;
    size_t                         octets;  /* octets of their texts */

    parley_arena_t                 arena;   /* memory of a text of the
                                               service */
    ngx_http_parley_ctx_t         *held;    /* context that waits for the state
                                               with this text; NULL: none */
    parley_answered_t              answered;

    ngx_event_t                    expiry;  /* expiry of the token; then the end
                                               of an exiting worker */
    int64_t                        expires; /* ms since 1970; INT64_MAX:
                                               never */
    ngx_http_cleanup_pt           *cleanup; /* place of the upstream's cleanup
                                               handler */

    unsigned                       taken:1; /* nginx has left the connections */
    unsigned                       leaving:1;   /* the worker exits */
    unsigned                       ended:1; /* the service was told to close,
                                               and left without a close frame */
} ngx_http_parley_pass_t;


/* ngx_http_parley_websocket_texts.c */

/* Ends both sides with a close frame, and posts an event.  code and reason are
   for the client, and service for the service. */
void ngx_http_parley_pass_end(ngx_http_parley_pass_t *p, parley_close_t code,
    parley_str_t reason, parley_close_t service);

/* Is the member forward of the socket. */
ngx_int_t ngx_http_parley_pass_forward(ngx_http_parley_frame_t *frame);

/* Reads texts of the service while the client has room for them. */
void ngx_http_parley_pass_texts(ngx_http_parley_pass_t *p);

/* Settles the messages without an answer: as taken, or as not taken because the
   service ended. */
void ngx_http_parley_pass_settle_all(ngx_http_parley_pass_t *p);

/* Frees the messages without an answer. */
void ngx_http_parley_pass_abandon(ngx_http_parley_pass_t *p);


#endif /* _NGX_HTTP_PARLEY_WEBSOCKET_PASS_H_INCLUDED_ */
