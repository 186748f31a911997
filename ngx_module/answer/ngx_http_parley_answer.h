
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Functions on the way back: refusals, replies and the answers of services.
 */


#ifndef _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_log.h"


/* ngx_http_parley_reply.c */

/*
 * Answers the request with ctx->error in the caller's protocol, finalizes it,
 * and logs once.  Returns the result of the phase handler.
 */
ngx_int_t ngx_http_parley_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Answers the request and finalizes it; returns NGX_DONE or an error. */
ngx_int_t ngx_http_parley_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);

/* Returns the last buffer of a response, with its whole body, or NULL if
   memory is exhausted. */
ngx_buf_t *ngx_http_parley_last_buf(ngx_http_request_t *r,
    parley_str_t body);

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


/* ngx_http_parley_headers_out.c: headers of the response */

/*
 * Removes the service's Parley- headers from the answer.  If the body is
 * replaced, also removes the headers that describe the body.
 */
void ngx_http_parley_answer_headers(ngx_http_request_t *r,
    ngx_uint_t replaced);

/* As ngx_http_parley_answer_headers(), for trailers that have arrived. */
void ngx_http_parley_answer_trailers(ngx_http_request_t *r,
    ngx_uint_t replaced);
/* Returns the value of response header number n of a name, counted from 0, or
   NULL. */
ngx_str_t *ngx_http_parley_sent_header(ngx_http_request_t *r,
    const char *name, ngx_uint_t n);

/*
 * Adds a response header.  The value is printable ASCII and lives as long as
 * the request.  An empty value adds nothing.
 */
ngx_int_t ngx_http_parley_out_header(ngx_http_request_t *r, const char *name,
    parley_str_t value);

/*
 * Begins a page that is only read: discards the body of a GET or HEAD.  Returns
 * NGX_OK; or a status that the handler returns: 405, with Allow, for another
 * method.
 */
ngx_int_t ngx_http_parley_read_only(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_ANSWER_H_INCLUDED_ */
