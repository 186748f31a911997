
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The headers and the end of a response, with or without a message.
 */


#ifndef _NGX_HTTP_PARLEY_HEADERS_OUT_H_INCLUDED_
#define _NGX_HTTP_PARLEY_HEADERS_OUT_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "translate/parley_msg.h"


/* ngx_http_parley_headers_out.c: headers of the response */

/* Removes the service's Parley- headers from the answer. */
void ngx_http_parley_answer_headers(ngx_http_request_t *r);

/* Also removes the headers that describe the body, as
   parley_header_is_of_body(). */
void ngx_http_parley_answer_replaced(ngx_http_request_t *r,
    parley_proto_t kept);

/* As ngx_http_parley_answer_headers(), for trailers that have arrived.  If the
   body is replaced, removes all. */
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


/* ngx_http_parley_reply.c */

/* Returns the last buffer of a response, with its whole body, or NULL if
   memory is exhausted. */
ngx_buf_t *ngx_http_parley_last_buf(ngx_http_request_t *r,
    parley_str_t body);


/* ngx_http_parley_settle.c */

/* Returns the milliseconds of Retry-After in a 429 or 503, or 0. */
ngx_msec_t ngx_http_parley_sent_wait(ngx_http_request_t *r);


#endif /* _NGX_HTTP_PARLEY_HEADERS_OUT_H_INCLUDED_ */
