
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The hub of a worker (hub/parley_hub.h), and what wakes it.
 */


#ifndef _NGX_HTTP_PARLEY_HUB_H_INCLUDED_
#define _NGX_HTTP_PARLEY_HUB_H_INCLUDED_


#include "ngx_http_parley_module.h"
#include "parley_deliver.h"
#include "parley_hub.h"


struct ngx_http_parley_hub_s {
    parley_hub_t                 *hub;
    ngx_http_parley_main_conf_t  *mcf;
    parley_deliver_t              deliver;

    ngx_connection_t             *wake;       /* of the eventfd of its slot;
                                                 NULL: it has none */
    ngx_event_t                   woken;      /* posted: something was
                                                 appended */
    ngx_event_t                   turn;       /* posted */
    ngx_event_t                   tick;
    ngx_queue_t                   open;       /* ..._stream_t */
    parley_hub_stat_t             before;     /* as it was counted */

    unsigned                      turning:1;
};


/* ngx_http_parley_hub.c */

/* When a worker starts, and when it ends. */
ngx_int_t ngx_http_parley_hub_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_hub_exit(ngx_http_parley_main_conf_t *mcf);

/* Something was appended: a parley_hub_env_t's wake; ctx is the hub of this
   worker. */
void ngx_http_parley_hub_wakes(void *ctx);

/* There is one stream more, or one less: as long as there are any the worker
   does not leave without them. */
void ngx_http_parley_hub_holds(ngx_http_parley_hub_t *h);


/* ngx_http_parley_wake.c */

/* Before any worker is there: what they are woken by. */
void ngx_http_parley_wake_make(ngx_cycle_t *cycle);

/*
 * The connection by which the worker that has a slot is woken, with handler;
 * NULL: there is none, and it looks once in a second.
 */
ngx_connection_t *ngx_http_parley_wake_open(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf, ngx_event_handler_pt handler,
    void *data);
void ngx_http_parley_wake_close(ngx_connection_t *c);

/* It was woken, and looks now. */
void ngx_http_parley_wake_taken(ngx_http_parley_main_conf_t *mcf,
    ngx_connection_t *c);

/* Wakes every other worker, of every generation. */
void ngx_http_parley_wake_others(ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_stream.c */

/* Opens the stream that the gate says; returns what a phase does. */
ngx_int_t ngx_http_parley_stream_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_opening_s *opening);

/* of parley_hub_env_t */
int64_t ngx_http_parley_stream_write(void *ctx, parley_subscriber_t *s,
    parley_str_t octets);
void ngx_http_parley_stream_end(void *ctx, parley_subscriber_t *s,
    parley_end_t why);

/* SEC-16: ends those that were opened by what is revoked by now. */
void ngx_http_parley_streams_revoke(ngx_http_parley_hub_t *h);


#endif /* _NGX_HTTP_PARLEY_HUB_H_INCLUDED_ */
