
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The hub of a worker (hub/parley_hub.h) and its events.
 */


#ifndef _NGX_HTTP_PARLEY_HUB_H_INCLUDED_
#define _NGX_HTTP_PARLEY_HUB_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/delivery/parley_render.h"
#include "gate/message/parley_stream_request.h"
#include "gate/party/parley_bearer.h"
#include "hub/parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"


struct parley_gate_s;           /* parley_gate.h */


/* The functions of a kind of subscriber: a stream, a WebSocket, or a held
   request.  They implement parley_hub_env_t for this kind. */
typedef struct {
    int64_t  (*write)(parley_subscriber_t *s, parley_str_t octets);
    void     (*end)(parley_subscriber_t *s, parley_end_t why);

    /* Takes a publication that may answer a held request.  NULL: publications
       are written. */
    void     (*take)(parley_subscriber_t *s, const parley_publication_t *p);

    /*
     * cancelled handles the cancellation p of a call.  drain makes a held
     * request end within left milliseconds, because the worker exits.  NULL:
     * the subscriber is not a held request.
     */
    void     (*cancelled)(parley_subscriber_t *s,
                          const parley_publication_t *p);
    void     (*drain)(parley_subscriber_t *s, ngx_msec_t left);
} ngx_http_parley_transport_t;


/* Runs the due jobs of a worker. */
typedef void (*ngx_http_parley_hub_jobs_pt)(ngx_http_parley_worker_t *worker);


/* common first part of all subscribers */
typedef struct ngx_http_parley_subscriber_s {
    parley_subscriber_t                 s;    /* must be first: callbacks cast
                                                 it */
    const ngx_http_parley_transport_t  *transport;
    ngx_http_parley_ctx_t              *ctx;  /* of its request; NULL: freed */
    parley_bearer_t                    *bearer;  /* copy of the proof of the
                                                    principal */
    ngx_http_parley_hub_t              *hub;
    ngx_queue_t                         queue;  /* link in hub->open */
    uint8_t                             account[PARLEY_KEY_LEN];
    unsigned                            joined:1;   /* subscribed to the hub */
    unsigned                            kept:1;     /* proof without a
                                                       subscription */
    unsigned                            seated:1;   /* counted for its
                                                       account */
} ngx_http_parley_subscriber_t;


struct ngx_http_parley_hub_s {
    parley_hub_t                 *hub;
    ngx_http_parley_worker_t     *worker;
    parley_render_t               deliver;
    ngx_http_parley_hub_jobs_pt   jobs;       /* called after the hub is
                                                 woken */

    ngx_connection_t             *wake;       /* the slot's eventfd; NULL:
                                                 none */
    ngx_event_t                   woken;      /* posted after an append */
    ngx_event_t                   turn;       /* posted for a turn of the
                                                 hub */
    ngx_event_t                   tick;
    ngx_queue_t                   open;       /* ..._subscriber_t */
    ngx_uint_t                    held;       /* number of held requests */
    parley_hub_stat_t             before;     /* statistics, as counted last */
};


/* ngx_http_parley_hub.c */

/* Create and free the hub of a worker. */
ngx_int_t ngx_http_parley_hub_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker, ngx_http_parley_hub_jobs_pt jobs);
void ngx_http_parley_hub_exit(ngx_http_parley_worker_t *worker);

/* Wakes all workers after an append, as parley_hub_env_t requires.  ctx is the
   hub of this worker. */
void ngx_http_parley_hub_wakes(void *ctx);

/*
 * Subscribes sub for the request of ctx.  The caller sets sub->transport; the
 * rest of sub is zero.  An exiting worker waits for its subscribers.  The
 * subscription may end before this function returns.  Returns NGX_OK;
 * NGX_ERROR if memory is exhausted; or NGX_BUSY if the principal has too many
 * connections (SEC-22).  In each case the caller must close sub once.
 */
ngx_int_t ngx_http_parley_hub_open(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub, const parley_stream_request_t *opening);
void ngx_http_parley_hub_close(ngx_http_parley_subscriber_t *sub);

/*
 * Keeps a copy of the proof of ctx without a subscription: sub is ended when
 * the proof is revoked.  Otherwise as ngx_http_parley_hub_open(), but the copy
 * may outlive ctx.
 */
ngx_int_t ngx_http_parley_hub_keep(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub);

/* Makes TCP end the connection of a stream if the client stops acknowledging
   data (HUB-11). */
void ngx_http_parley_hub_watch(ngx_connection_t *c,
    const parley_stream_t *stream);

/* the hook seat of parley_gate_env_t; the end of the context gives the
   connection back */
int ngx_http_parley_hub_seat(struct parley_gate_s *g);

/* Sets and counts the error of too many connections (SEC-22). */
void ngx_http_parley_hub_busy(ngx_http_parley_ctx_t *ctx);

/* Ends a subscription, with the reason of a worker that leaves. */
void ngx_http_parley_hub_dismiss(ngx_http_parley_hub_t *h,
    ngx_http_parley_subscriber_t *sub);

/* Ends the subscriptions of revoked principals and tokens (SEC-16). */
void ngx_http_parley_hub_revoke(ngx_http_parley_hub_t *h);


/* ngx_http_parley_stream.c */

/* Opens the stream that the gate has requested.  Returns the result of a phase
   handler. */
ngx_int_t ngx_http_parley_stream_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);


/* Refuses the request, because the stream could not begin.  Returns the phase
   handler's result. */
ngx_int_t ngx_http_parley_stream_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_end_t why);


/* ngx_http_parley_websocket.c */

/* As ngx_http_parley_stream_open(), with a WebSocket. */
ngx_int_t ngx_http_parley_websocket_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);

/* ngx_http_parley_websocket_pass.c: WebSockets of existing services */

/*
 * Checks the 101 of a service, sends it to the client, and takes both
 * connections.  Is called in place of the next header filter, and its result is
 * that of the header filter.
 */
ngx_int_t ngx_http_parley_websocket_pass(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Ends the WebSockets of revoked callers (SEC-15). */
void ngx_http_parley_websocket_revoke(ngx_http_parley_worker_t *worker);


/* ngx_http_parley_await.c: HUB-07 */

/* the hook hold of parley_gate_env_t */
int ngx_http_parley_await(struct parley_gate_s *g,
    const struct parley_stream_request_s *opening);

/* Ends the hold of a request that is answered at once or refused. */
void ngx_http_parley_await_leave(ngx_http_parley_ctx_t *ctx);

/* Answers a held request when its answer arrives, or at once if it cannot
   arrive.  Returns the result of a phase handler. */
ngx_int_t ngx_http_parley_await_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


#endif /* _NGX_HTTP_PARLEY_HUB_H_INCLUDED_ */
