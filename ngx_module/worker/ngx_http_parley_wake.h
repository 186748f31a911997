/* Wakes the workers that have streams. */

#ifndef NGX_HTTP_PARLEY_WAKE_H
#define NGX_HTTP_PARLEY_WAKE_H

#include "ngx_module/worker/ngx_http_parley_module.h"


/* Creates the eventfds of the workers.  Call it before the first worker
   starts. */
void ngx_http_parley_wake_make(ngx_cycle_t *cycle);

/*
 * Returns the connection that wakes the worker of this slot and calls handler.
 * If the slot has no eventfd, the result is NULL, and the worker must look
 * once a second.
 */
ngx_connection_t *ngx_http_parley_wake_open(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker, ngx_event_handler_pt handler,
    void *data);
void ngx_http_parley_wake_close(ngx_connection_t *c);

/* Takes a wake-up: clears the flag and reads the eventfd. */
void ngx_http_parley_wake_taken(ngx_http_parley_worker_t *worker,
    ngx_connection_t *c);

/* Wakes every other worker, of every generation. */
void ngx_http_parley_wake_others(ngx_http_parley_worker_t *worker);


#endif /* NGX_HTTP_PARLEY_WAKE_H */
