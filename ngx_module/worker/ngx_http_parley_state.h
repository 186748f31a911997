
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What outlives a request: the zone, and what becomes of a message with its
 * answer.
 */


#ifndef _NGX_HTTP_PARLEY_STATE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STATE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* ngx_http_parley_zone.c */

/*
 * Takes the zone as it is: nginx can refuse the configuration still, and go on
 * with the one before.
 */
ngx_int_t ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* The configuration stands: its bounds are the zone's, and what is lost is. */
void ngx_http_parley_zone_settle(ngx_http_parley_main_conf_t *mcf);

/* This process takes part from now on, or does no more. */
void ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone);
void ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone);


/* ngx_http_parley_slots.c */

/* The memory of the slots, beside parley_zone. */
ngx_int_t ngx_http_parley_slots_add(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* This worker counts in a slot from now on, or does no more. */
ngx_int_t ngx_http_parley_slot_enter(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_slot_leave(ngx_http_parley_main_conf_t *mcf);

/* The number of this worker's slot, or PARLEY_SLOTS: it has none. */
ngx_uint_t ngx_http_parley_slot_number(ngx_http_parley_main_conf_t *mcf);

/* SEC-22: a connection of an account, and back: parley_connections. */
parley_seat_verdict_t ngx_http_parley_seat_take(
    ngx_http_parley_main_conf_t *mcf, const uint8_t *account);
void ngx_http_parley_seat_give(ngx_http_parley_main_conf_t *mcf,
    const uint8_t *account);

/* Sums the slots. */
void ngx_http_parley_slots_sum(ngx_http_parley_main_conf_t *mcf,
    parley_snapshot_t *ret);


/* ngx_http_parley_count.c */

/* What is done now is done in Parley for this message, up to the end. */
void ngx_http_parley_count_begin(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_end(ngx_http_parley_ctx_t *ctx);

/* of the gate's hooks */
void ngx_http_parley_count_verdict(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome);


/* ngx_http_parley_status.c */

/* The content handler of parley_status and of parley_health. */
ngx_int_t ngx_http_parley_status_handler(ngx_http_request_t *r);


/* ngx_http_parley_public_keys.c */

/* Answers with the public parts of the gateway's keys (OPS-09). */
ngx_int_t ngx_http_parley_public_keys_handler(ngx_http_request_t *r);


/* ngx_http_parley_process.c */

void ngx_http_parley_process_self(parley_process_t *ret);
int ngx_http_parley_process_is_alive(void *ctx,
    const parley_process_t *process);

extern const parley_processes_t  ngx_http_parley_processes;


/* ngx_http_parley_settle.c */

/*
 * What came of an answer becomes of the message; and of no answer, or none that
 * is of use, with ctx->error, reply: what its sender is told, or NULL.  NGX_OK;
 * NGX_AGAIN: the state answers later, and it is called again; of an answer
 * NGX_DECLINED with ctx->error: its caller may not have it.
 */
ngx_int_t ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx,
    parley_answered_t *answered);
ngx_int_t ngx_http_parley_unanswered(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *reply);

/* The window lost what was taken: the log says so, once. */
void ngx_http_parley_forgotten(ngx_http_parley_ctx_t *ctx);

/* The milliseconds that a 429 or 503 asks to wait; 0: it does not say. */
ngx_msec_t ngx_http_parley_sent_wait(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_STATE_H_INCLUDED_ */
