
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What outlives a request: the zone, admission, questions, what is retained.
 */


#ifndef _NGX_HTTP_PARLEY_STATE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STATE_H_INCLUDED_


#include "ngx_http_parley_module.h"


/* ngx_http_parley_zone.c */

/*
 * Takes the zone as it is: nginx can refuse the configuration still, and go on
 * with the one before.
 */
ngx_int_t ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* The configuration stands: its bounds are the zone's, and what is lost is. */
void ngx_http_parley_zone_settle(ngx_shm_zone_t *shm_zone);

/* This process takes part from now on, or does no more. */
void ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone);
void ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone);


/* ngx_http_parley_process.c */

void ngx_http_parley_process_self(parley_process_t *ret);
int ngx_http_parley_process_is_alive(void *ctx,
    const parley_process_t *process);


/* ngx_http_parley_admit.c */

/*
 * Both return NGX_OK, or NGX_DECLINED with ctx->error, and ctx->wait where
 * a retry later helps.  who is a principal's sub; empty: the address that the
 * request came from.  what tells the limits of one principal apart.
 */
ngx_int_t ngx_http_parley_enter(ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_limit_take(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what);

/* The same of failed proofs from the request's address; again: one more, and
   NGX_DECLINED where it was not counted. */
ngx_int_t ngx_http_parley_failures(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, ngx_uint_t again);

/* What the message's sender is told is kept for its next try (GW-19). */
void ngx_http_parley_keep_first(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first);

/*
 * What becomes of what entered, once: what is settled stays.  closed: what it
 * asked, where that has its answer, else NULL.
 */
void ngx_http_parley_commit(ngx_http_parley_ctx_t *ctx,
    parley_asked_t *closed);
void ngx_http_parley_release(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_place.c */

/* Fills ctx->place; whether anybody wants to know it. */
ngx_uint_t ngx_http_parley_place_is_asked(ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_place(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_refer.c: replies find their way home */

/*
 * What the message answers or reports on, into ctx->opts; what it takes back,
 * into the message.  NGX_DECLINED: reply-unmatched, policy-refused.
 */
ngx_int_t ngx_http_parley_refer(ngx_http_parley_ctx_t *ctx);

/* Remembers the message that is about to be sent, for what refers to it. */
ngx_int_t ngx_http_parley_ask(ngx_http_parley_ctx_t *ctx);

/* It was not taken: nobody refers to it. */
void ngx_http_parley_forget(ngx_http_parley_ctx_t *ctx);

/* It has its answer: whoever answers it now comes too late. */
void ngx_http_parley_close(ngx_http_parley_ctx_t *ctx);

/*
 * A final answer in the response to what several answer.  NGX_OK;
 * NGX_DECLINED: that responder has answered before.
 */
ngx_int_t ngx_http_parley_answered(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome);


/* ngx_http_parley_retain.c: messages that can be fetched again */

void ngx_http_parley_retain(ngx_http_parley_ctx_t *ctx);

/*
 * The payloads of aee.context.fetch and aee.context.refute.  NGX_OK and
 * *ret; NGX_DECLINED and *fault; NGX_ERROR.
 */
ngx_int_t ngx_http_parley_retain_fetch(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
ngx_int_t ngx_http_parley_retain_refute(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);


/* ngx_http_parley_exchange.c */

/* The exchange of a message that was sent on; NULL: no memory. */
parley_exchange_t *ngx_http_parley_exchange(ngx_http_parley_ctx_t *ctx);

/* What came of an answer becomes of the message's reservation. */
void ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome);

/*
 * The upstream took the message: it is committed, and retained.  first: what
 * its sender is told, or NULL: that is not known yet; closes: and no answer is
 * to come any more.
 */
void ngx_http_parley_taken(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first, ngx_uint_t closes);

/* The milliseconds that a 429 or 503 asks to wait; 0: it does not say. */
ngx_msec_t ngx_http_parley_sent_wait(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_STATE_H_INCLUDED_ */
