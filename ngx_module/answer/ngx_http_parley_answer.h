
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Functions on the way back: refusals, replies and the answers of services.
 */


#ifndef _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_ctx.h"


/* ngx_http_parley_reply.c */

/*
 * Answers the request with ctx->error in the caller's protocol, finalizes it,
 * and logs once.  Returns the result of the phase handler.
 */
ngx_int_t ngx_http_parley_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* As ngx_http_parley_refuse(), for a request without a message: error_page
   applies. */
ngx_int_t ngx_http_parley_refuse_request(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Answers the request and finalizes it; returns NGX_DONE or an error. */
ngx_int_t ngx_http_parley_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);

/* Makes the body of a refusal.  Returns NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/*
 * Logs ctx->error, which the answer caused, and makes the refusal.  Returns
 * NGX_OK or NGX_ERROR.  ngx_http_parley_unanswered() must follow.
 */
ngx_int_t ngx_http_parley_reply_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/* Sends header and body of the reply to a forwarded message.  With copied, the
   headers and the body of the service are unchanged. */
ngx_int_t ngx_http_parley_reply_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied);

/* Sets status, type, length and the Parley- headers of a reply. */
ngx_int_t ngx_http_parley_reply_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);


/* ngx_http_parley_wait.c */

/*
 * Makes the answer wait for the state: its output is held, and resume continues
 * it.  Returns NGX_AGAIN.
 */
ngx_int_t ngx_http_parley_wait_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_http_parley_resume_pt resume);

/*
 * Makes the message wait for the state; then the phase runs again.  Returns
 * the result of the phase handler.
 */
ngx_int_t ngx_http_parley_wait_phase(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* As ngx_http_parley_wait_phase(), outside of the phases: ctx->again is called
   after the wait. */
void ngx_http_parley_wait_message(ngx_http_parley_ctx_t *ctx);

/*
 * ngx_http_parley_wait_watch() watches for the departure of the client of a
 * waiting request.  It returns NGX_OK or NGX_ERROR.
 * ngx_http_parley_wait_again() ends the wait and runs the phases again.
 */
ngx_int_t ngx_http_parley_wait_watch(ngx_http_request_t *r);
void ngx_http_parley_wait_again(ngx_http_request_t *r);

/* the handler ctx->gate.ask.resume */
void ngx_http_parley_wait_resume(parley_ask_t *q);

/* Ends the wait, because the request ends. */
void ngx_http_parley_wait_stop(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_filter.c */

ngx_int_t ngx_http_parley_filter_init(ngx_conf_t *cf);


/* ngx_http_parley_next.c */

extern ngx_http_output_header_filter_pt  ngx_http_parley_next_header;
extern ngx_http_output_body_filter_pt    ngx_http_parley_next_body;

/* Call the next filters of the chain.  An answer for a departed client is
   dropped. */
ngx_int_t ngx_http_parley_next_header_filter(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_next_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);


/* ngx_http_parley_answer.c: a complete, collected answer */

ngx_int_t ngx_http_parley_answer_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_answer_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);


/* ngx_http_parley_sse.c: an answer of events */

/* Ends the stream from outside of the filters, with ctx->error as the last
   event. */
void ngx_http_parley_sse_stop(ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_sse_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_sse_pass.c */

ngx_int_t ngx_http_parley_sse_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);


/* ngx_http_parley_inflate.c: an upstream that compresses without request */

ngx_int_t ngx_http_parley_inflate_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/*
 * Decompresses in and appends at most limit octets to **last.  Returns NGX_OK;
 * NGX_DECLINED if the data is not valid gzip or exceeds the limit; or
 * NGX_ERROR.
 */
ngx_int_t ngx_http_parley_inflate(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *in, size_t limit,
    ngx_chain_t ***last, size_t *size);

/* Returns whether the compressed data is complete.  Returns 1 if the answer is
   not compressed or empty. */
ngx_uint_t ngx_http_parley_inflate_is_whole(ngx_http_parley_ctx_t *ctx);


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


/* ngx_http_parley_upstream.c: GW-26 */

/* Makes a body with broken framing end early; otherwise nginx would terminate
   the request.  Call it after the header. */
void ngx_http_parley_upstream_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* Returns whether only the end of the connection ends the body. */
ngx_uint_t ngx_http_parley_upstream_is_open(ngx_http_request_t *r);

/* Returns whether nginx answers in place of the upstream, because no header of
   an answer was read. */
ngx_uint_t ngx_http_parley_upstream_is_silent(ngx_http_request_t *r);

/* Returns whether nginx signals with b that the upstream's answer has ended
   early. */
ngx_uint_t ngx_http_parley_upstream_broke_off(ngx_http_request_t *r,
    ngx_buf_t *b);

/* Calls parley_gate_upstream_error() with the status of the current answer. */
void ngx_http_parley_upstream_error(ngx_http_parley_ctx_t *ctx,
    parley_upstream_error_t what);

/* Sets the error for such an answer. */
void ngx_http_parley_upstream_note(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_client.c: GW-21 */

/* Wraps the content handler, so that a departed client does not end the
   upstream. */
void ngx_http_parley_client_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* As ngx_http_parley_client_watch(), for an answer of events that has begun
   and a client that does not read. */
void ngx_http_parley_client_stream(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Notes that the client has left: nothing is sent to it, and the answer is
   still awaited. */
void ngx_http_parley_client_left(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_deadline.c: AEE-29 */

ngx_int_t ngx_http_parley_deadline_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_deadline_stop(ngx_http_parley_ctx_t *ctx);

/* Sets the longest allowed deadline if the request has no deadline. */
void ngx_http_parley_deadline_extend(ngx_http_parley_ctx_t *ctx);


#endif /* _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_ */
