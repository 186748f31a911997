/* Wakes the workers that have streams. */

#ifndef NGX_HTTP_PARLEY_WAKE_H
#define NGX_HTTP_PARLEY_WAKE_H

#include "ngx_module/worker/ngx_http_parley_module.h"


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


#endif /* NGX_HTTP_PARLEY_WAKE_H */
