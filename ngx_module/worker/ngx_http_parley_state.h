
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The data that outlives a request, and the settlement of a message by its
 * answer.
 */


#ifndef _NGX_HTTP_PARLEY_STATE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STATE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* ngx_http_parley_zone.c */

/*
 * Adopts the zone as it is.  nginx may still refuse the new configuration and
 * continue with the old one.
 */
ngx_int_t ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* Sets the bounds of the zone once the configuration is valid, and logs lost
   data. */
void ngx_http_parley_zone_settle(ngx_http_parley_main_conf_t *mcf);

/* Attach this process to the zone, and detach it. */
void ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone);
void ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone);


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


/* ngx_http_parley_count.c */

/* Begin and end the measurement of the time that Parley spends on a
   message. */
void ngx_http_parley_count_begin(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_end(ngx_http_parley_ctx_t *ctx);

/* called by the hooks of the gate */
void ngx_http_parley_count_verdict(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome);


/* ngx_http_parley_status.c */

/* Handles the content of parley_status and of parley_health. */
ngx_int_t ngx_http_parley_status_handler(ngx_http_request_t *r);


/* ngx_http_parley_public_keys.c */

/* Responds with the public parts of the gateway's keys (OPS-09). */
ngx_int_t ngx_http_parley_public_keys_handler(ngx_http_request_t *r);


/* ngx_http_parley_process.c */

void ngx_http_parley_process_self(parley_process_t *ret);
int ngx_http_parley_process_is_alive(void *ctx,
    const parley_process_t *process);

extern const parley_processes_t  ngx_http_parley_processes;


/* ngx_http_parley_settle.c */

/*
 * Settles the message by its answer; or, without a usable answer, by
 * ctx->error and the reply to its sender, which may be NULL.  Returns NGX_OK,
 * or NGX_AGAIN if the state answers later: then call the function again.
 * ngx_http_parley_settle() returns NGX_DECLINED with ctx->error if the caller
 * may not have the answer.
 */
ngx_int_t ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx,
    parley_answered_t *answered);
ngx_int_t ngx_http_parley_unanswered(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *reply);

/* Logs once that the duplicate window has forgotten a taken message. */
void ngx_http_parley_forgotten(ngx_http_parley_ctx_t *ctx);

/* Returns the milliseconds of Retry-After in a 429 or 503, or 0. */
ngx_msec_t ngx_http_parley_sent_wait(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_STATE_H_INCLUDED_ */
