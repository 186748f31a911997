
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The way back: refusals, replies, the answers of services.
 */


#ifndef _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_log.h"


/* ngx_http_parley_reply.c */

/*
 * Answers the request with ctx->error in the caller's protocol and finalizes
 * it, logs once.  Returns what the phase handler returns.
 */
ngx_int_t ngx_http_parley_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Answers the request and finalizes it; returns NGX_DONE or an error. */
ngx_int_t ngx_http_parley_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);

/* A response's last buffer, with all of its body; NULL: no memory. */
ngx_buf_t *ngx_http_parley_last_buf(ngx_http_request_t *r,
    parley_str_t body);

/* Makes the body of a refusal; NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/* Sets status, type, length and the Parley- headers of a reply. */
ngx_int_t ngx_http_parley_reply_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);


/* ngx_http_parley_wait.c */

/*
 * The answer waits for the state: its output is held, and it is resumed.
 * Returns NGX_AGAIN.
 */
ngx_int_t ngx_http_parley_wait_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* ngx_http_parley_filter.c */

ngx_int_t ngx_http_parley_filter_init(ngx_conf_t *cf);

/* What follows in the chain; an answer whose client has left is dropped. */
ngx_int_t ngx_http_parley_next_header_filter(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_next_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);


/* ngx_http_parley_answer.c: a whole answer, gathered */

ngx_int_t ngx_http_parley_answer_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_answer_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);

/* The answer is sent: header and body, copied: those of the service. */
ngx_int_t ngx_http_parley_answer_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied);

/*
 * ctx->error came of the answer: logs, and makes the refusal.  NGX_OK or
 * NGX_ERROR; ngx_http_parley_unanswered() follows.
 */
ngx_int_t ngx_http_parley_answer_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/* It waited for the state, and goes on. */
ngx_int_t ngx_http_parley_answer_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Whether nginx tells with b that the upstream's answer has broken off. */
ngx_uint_t ngx_http_parley_answer_broke_off(ngx_http_request_t *r,
    ngx_buf_t *b);

/* parley_gate_upstream_error() of the answer that is on its way */
void ngx_http_parley_upstream_error(ngx_http_parley_ctx_t *ctx,
    parley_upstream_error_t what);


/* ngx_http_parley_sse.c: an answer of events */

/* It waited for the state, and goes on. */
ngx_int_t ngx_http_parley_sse_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Ends it, outside of the filters, with ctx->error as its last event. */
void ngx_http_parley_sse_stop(ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_sse_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* ngx_http_parley_sse_pass.c */

ngx_int_t ngx_http_parley_sse_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);


/* ngx_http_parley_inflate.c: an upstream that compresses unasked */

ngx_int_t ngx_http_parley_inflate_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/*
 * Inflates in to *out, at most limit octets.  NGX_OK; NGX_DECLINED: no valid
 * gzip, or more than limit; NGX_ERROR.
 */
ngx_int_t ngx_http_parley_inflate(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *in, size_t limit,
    ngx_chain_t ***last, size_t *size);

/* Whether all of it came; 1 where nothing is compressed, or nothing came. */
ngx_uint_t ngx_http_parley_inflate_is_whole(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_headers_out.c: headers of the response */

/*
 * Takes the service's Parley- headers out of the answer; where its body is
 * replaced, also those that speak of that body.
 */
void ngx_http_parley_answer_headers(ngx_http_request_t *r,
    ngx_uint_t replaced);

/* The same of its trailers, once they are there. */
void ngx_http_parley_answer_trailers(ngx_http_request_t *r,
    ngx_uint_t replaced);
/* Returns the value of the n-th response header of a name, from 0, or NULL. */
ngx_str_t *ngx_http_parley_sent_header(ngx_http_request_t *r,
    const char *name, ngx_uint_t n);

/*
 * Adds a response header; the value is printable ASCII and lives as long as
 * the request.  An empty value adds nothing.
 */
ngx_int_t ngx_http_parley_out_header(ngx_http_request_t *r, const char *name,
    parley_str_t value);


#endif /* _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_ */
