
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The hub of a worker (hub/parley_hub.h), and what wakes it.
 */


#ifndef _NGX_HTTP_PARLEY_HUB_H_INCLUDED_
#define _NGX_HTTP_PARLEY_HUB_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/delivery/parley_render.h"
#include "hub/parley_hub.h"
#include "gate/message/parley_stream_request.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"


/* what is subscribed to something: the octets of a connection, a request that
   is held; of parley_hub_env_t, by its kind */
typedef struct {
    int64_t  (*write)(parley_subscriber_t *s, parley_str_t octets);
    void     (*end)(parley_subscriber_t *s, parley_end_t why);

    /* What may be what a request is held for: it is kept.  NULL: it is
       written. */
    void     (*take)(parley_subscriber_t *s, const parley_publication_t *p);
} ngx_http_parley_transport_t;


/* begins those */
typedef struct ngx_http_parley_subscriber_s {
    parley_subscriber_t                 s;    /* the first: it is found by it */
    const ngx_http_parley_transport_t  *transport;
    ngx_http_parley_ctx_t              *ctx;  /* of its request; NULL: that is
                                                 gone */
    parley_bearer_t                    *bearer;  /* its own, what proved it */
    ngx_http_parley_hub_t              *hub;
    ngx_queue_t                         queue;  /* of those that are open */
    uint8_t                             account[PARLEY_KEY_LEN];
    unsigned                            joined:1;   /* the hub has it */
    unsigned                            seated:1;   /* it is counted to its
                                                       account */
} ngx_http_parley_subscriber_t;


struct ngx_http_parley_hub_s {
    parley_hub_t                 *hub;
    ngx_http_parley_main_conf_t  *mcf;
    parley_render_t               deliver;

    ngx_connection_t             *wake;       /* of the eventfd of its slot;
                                                 NULL: it has none */
    ngx_event_t                   woken;      /* posted: something was
                                                 appended */
    ngx_event_t                   turn;       /* posted */
    ngx_event_t                   tick;
    ngx_queue_t                   open;       /* ..._subscriber_t */
    ngx_uint_t                    held;       /* requests, of these */
    parley_hub_stat_t             before;     /* as it was counted */
};


/* ngx_http_parley_hub.c */

/* When a worker starts, and when it ends. */
ngx_int_t ngx_http_parley_hub_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_hub_exit(ngx_http_parley_main_conf_t *mcf);

/* Something was appended: a parley_hub_env_t's wake; ctx is the hub of this
   worker. */
void ngx_http_parley_hub_wakes(void *ctx);

/*
 * Subscribes sub, which is zero but for transport, for the request of ctx: as
 * long as there are any the worker does not leave without them.  It may be over
 * before this returns.  NGX_ERROR: no memory; NGX_BUSY: its principal has its
 * number of connections (SEC-22).  It must be closed in any case, once.
 */
ngx_int_t ngx_http_parley_hub_open(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_subscriber_t *sub, const parley_stream_request_t *opening);
void ngx_http_parley_hub_close(ngx_http_parley_subscriber_t *sub);

/* HUB-11: ends the connection of a stream whose client acknowledges nothing. */
void ngx_http_parley_hub_watch(ngx_connection_t *c,
    const parley_stream_t *stream);

/* SEC-22: sets and counts the error of a connection too many. */
void ngx_http_parley_hub_busy(ngx_http_parley_ctx_t *ctx);

/* SEC-16: ends those that were opened by what is revoked by now. */
void ngx_http_parley_hub_revoke(ngx_http_parley_hub_t *h);


/* ngx_http_parley_stream.c */

/* Opens the stream that the gate says; returns what a phase does. */
ngx_int_t ngx_http_parley_stream_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);


/* What was to be opened could not begin: the request is refused; returns what a
   phase does. */
ngx_int_t ngx_http_parley_stream_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_end_t why);


/* ngx_http_parley_websocket.c */

/* The same of a WebSocket. */
ngx_int_t ngx_http_parley_websocket_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);


/* ngx_http_parley_await.c: HUB-07 */

/* of parley_gate_env_t */
int ngx_http_parley_await(parley_gate_t *g,
    const struct parley_stream_request_s *opening);

/* Answers the held requests before the worker leaves in that many ms. */
void ngx_http_parley_await_drain(ngx_http_parley_hub_t *h, ngx_msec_t left);

/* of parley_hub_env_t; ctx is the hub of this worker */
void ngx_http_parley_await_cancelled(void *ctx, const parley_publication_t *p);

/* It is answered at once, or refused. */
void ngx_http_parley_await_leave(ngx_http_parley_ctx_t *ctx);

/* The request is answered when what it is held for came, or does not come any
   more; returns what a phase does. */
ngx_int_t ngx_http_parley_await_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


#endif /* _NGX_HTTP_PARLEY_HUB_H_INCLUDED_ */
