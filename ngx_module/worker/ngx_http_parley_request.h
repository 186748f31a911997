
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Functions on the way of a request: phases, the gate's callbacks, and the
 * request to the upstream.
 */


#ifndef _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_
#define _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* ngx_http_parley_phases.c */

ngx_int_t ngx_http_parley_precontent_handler(ngx_http_request_t *r);


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
 * Returns NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_redact(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_certificate.c */

/* Returns whether nginx verifies client certificates in the server being
   configured. */
ngx_uint_t ngx_http_parley_verifies(ngx_conf_t *cf);
int ngx_http_parley_certificate(parley_gate_t *g,
    const parley_certificate_t **ret);


/* ngx_http_parley_revocations.c */

/* Begin and end the reading of revocations in a worker. */
ngx_int_t ngx_http_parley_revocations_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);
void ngx_http_parley_revocations_exit(ngx_http_parley_worker_t *worker);

/* Returns whether the current list is in force, or none is configured
   (OPS-03). */
ngx_uint_t ngx_http_parley_revocations_are_readable(
    ngx_http_parley_worker_t *worker);


/* ngx_http_parley_jwks.c */

/*
 * Computes jwks_source from the URI and the name of the server that has its
 * location.  It identifies the source of fetched keys.
 */
ngx_int_t ngx_http_parley_jwks_source(ngx_http_parley_main_conf_t *mcf);

/* Returns the keys in force and their generation.  The result is never
   NULL. */
const parley_jwks_t *ngx_http_parley_jwks_current(ngx_http_request_t *r,
    ngx_http_parley_worker_t *worker, ngx_uint_t *generation);

/*
 * Stores a fetched key set.  Returns NGX_OK, or NGX_DECLINED if the set cannot
 * be used.  Then the last good keys are kept, and the log says why.
 */
ngx_int_t ngx_http_parley_jwks_store(const ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_log_t *log);

/* Returns whether the zone's keys come from this configuration's source.  The
   zone must be locked. */
ngx_uint_t ngx_http_parley_jwks_is_ours_locked(
    const ngx_http_parley_main_conf_t *mcf);

/*
 * Makes the zone hold keys of this configuration's source: keys of another
 * source are dropped.  Returns NGX_OK, or NGX_DECLINED if a newer
 * configuration uses the zone for another source.
 */
ngx_int_t ngx_http_parley_jwks_claim_locked(
    const ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_jwks_fetch.c */

/* Starts the fetch and the refresh of keys in a worker. */
ngx_int_t ngx_http_parley_fetch_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);

/*
 * Makes a request wait for newer keys.  Returns NGX_AGAIN if a fetch is in
 * progress: the phase runs again after it.  Returns NGX_DECLINED if a worker
 * fetched the keys less than age milliseconds ago, or the request has already
 * waited once.
 */
ngx_int_t ngx_http_parley_fetch_wait(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_msec_t age);

/* Removes a request from the queue of the fetch. */
void ngx_http_parley_fetch_leave(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_location.c */

/*
 * Returns the configuration of the first server that has a location of this
 * name, in any block, and *clcf.  Regular expressions are not searched.
 * Returns NULL if the location is not found.
 */
ngx_http_conf_ctx_t *ngx_http_parley_location_server(ngx_conf_t *cf,
    ngx_str_t *uri, ngx_http_core_loc_conf_t **clcf);

/*
 * Returns whether the location's proxy_pass uses TLS without proxy_ssl_verify.
 * Call it in postconfiguration, when the blocks are merged.
 */
ngx_int_t ngx_http_parley_location_is_unverified(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf);


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


/* ngx_http_parley_wait.c */

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

/* ngx_http_parley_ctx.c */

/* Returns the value of the first header with this lower-case name, or NULL. */
ngx_str_t *ngx_http_parley_in_header(ngx_http_request_t *r,
    const char *name);


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


#endif /* _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_ */
