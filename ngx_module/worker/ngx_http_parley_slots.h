
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The slots of the workers: counters and connections.
 */


#ifndef _NGX_HTTP_PARLEY_SLOTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_SLOTS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/metrics/parley_counters.h"
#include "gate/metrics/parley_seats.h"


/* ngx_http_parley_slots.c */

/* Adds the shared memory of the slots, which is separate from parley_zone. */
ngx_int_t ngx_http_parley_slots_add(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* Claim a slot of the counters for this worker, and release it. */
ngx_int_t ngx_http_parley_slot_enter(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);
void ngx_http_parley_slot_leave(ngx_http_parley_worker_t *worker);

/* Returns the number of this worker's slot, or PARLEY_SLOTS if it has none. */
ngx_uint_t ngx_http_parley_slot_number(ngx_http_parley_worker_t *worker);

/* Take and give back a connection of an account (SEC-22,
   parley_connections). */
parley_seat_verdict_t ngx_http_parley_seat_take(
    ngx_http_parley_worker_t *worker, const uint8_t *account);
void ngx_http_parley_seat_give(ngx_http_parley_worker_t *worker,
    const uint8_t *account);

/* Sums the slots. */
void ngx_http_parley_slots_sum(const ngx_http_parley_main_conf_t *mcf,
    parley_snapshot_t *ret);


#endif /* _NGX_HTTP_PARLEY_SLOTS_H_INCLUDED_ */
