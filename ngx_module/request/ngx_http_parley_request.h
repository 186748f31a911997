
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Functions on the way of a request: phases, the callbacks of the gate, and the
 * request to the upstream.
 */


#ifndef _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_
#define _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "auth/parley_certificate.h"


/* ngx_http_parley_phases.c */

ngx_int_t ngx_http_parley_precontent_handler(ngx_http_request_t *r);

/* Runs the steps. */
parley_step_result_t ngx_http_parley_run(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_context.c */

extern const ngx_http_parley_contexts_t  ngx_http_parley_contexts;

/* Returns the context of a request, and makes it if there is none.  NULL:
   memory is exhausted. */
ngx_http_parley_ctx_t *ngx_http_parley_context(ngx_http_request_t *r);

/* Returns the context from before an internal redirection, or NULL. */
ngx_http_parley_ctx_t *ngx_http_parley_context_find(ngx_http_request_t *r);


/* ngx_http_parley_redirect.c */

ngx_int_t ngx_http_parley_redirect_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_named_handler(ngx_http_request_t *r);

/* Returns whether an internal redirection has led the request into this
   location.  ngx_http_parley_redirect_refuse() refuses such a request. */
ngx_uint_t ngx_http_parley_redirect_is_into(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_refuse(ngx_http_request_t *r);


/* ngx_http_parley_redact.c */

/*
 * Copies the arguments into ctx and removes a token in them from the request.
 * before has the arguments as an earlier location of the request copied them,
 * or is empty.  Returns NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_redact(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_str_t before);


/* ngx_http_parley_certificate.c */

/* Returns whether nginx verifies client certificates in the server being
   configured. */
ngx_uint_t ngx_http_parley_verifies(ngx_conf_t *cf);
int ngx_http_parley_certificate(parley_gate_t *g,
    const parley_certificate_t **ret);


/* ngx_http_parley_body.c: returns NGX_OK, NGX_DECLINED or NGX_ERROR */

ngx_int_t ngx_http_parley_body_take(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_body_replace(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_gate.c: the gate of a request */

void ngx_http_parley_gate_init(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Makes the gate of ctx that of a WebSocket message, which is in ctx->body. */
void ngx_http_parley_gate_frame(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_submit.c */

int ngx_http_parley_beside(parley_gate_t *g, parley_submission_t *ret);
ngx_int_t ngx_http_parley_forward_arguments(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_origin.c */

/* Returns the octets of an address that distinguish one client from
   another. */
parley_str_t ngx_http_parley_address(ngx_connection_t *c);
int ngx_http_parley_arrival(parley_gate_t *g, parley_arrival_t *ret);


/* ngx_http_parley_headers.c: headers of the request */

void ngx_http_parley_headers_init(void);

/* Removes headers that only the gateway may set.  It is a handler of the
   rewrite phase. */
ngx_int_t ngx_http_parley_headers_handler(ngx_http_request_t *r);


/* Checks the headers that describe the body, in the step "body" (SEC-02).
   Returns NGX_OK, or NGX_DECLINED with ctx->error. */
ngx_int_t ngx_http_parley_media(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_request_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Makes the traceparent for the upstream.  Returns NGX_OK, or NGX_DECLINED if
   neither the message nor the request has a trace. */
ngx_int_t ngx_http_parley_trace_out(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);


#endif /* _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_ */
