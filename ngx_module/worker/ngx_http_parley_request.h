
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The way of a request: phases, what is asked of it, what goes upstream.
 */


#ifndef _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_
#define _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* ngx_http_parley_phases.c */

ngx_int_t ngx_http_parley_precontent_handler(ngx_http_request_t *r);

/* The step "forward"; NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_forward(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

ngx_http_parley_ctx_t *ngx_http_parley_get_ctx(ngx_http_request_t *r);

/*
 * Makes one anew, what of it lives in a pool that lasts as long: the request's,
 * or one of a message that is none.  And its end: what it took is given back,
 * unless that is settled.
 */
void ngx_http_parley_ctx_init(ngx_http_parley_ctx_t *ctx,
    ngx_http_request_t *r, ngx_pool_t *pool);
void ngx_http_parley_ctx_leave(ngx_http_parley_ctx_t *ctx);

/* That of the request before an internal redirection, or NULL. */
ngx_http_parley_ctx_t *ngx_http_parley_find_ctx(ngx_http_request_t *r);


/* ngx_http_parley_redirect.c */

ngx_int_t ngx_http_parley_redirect_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_named_handler(ngx_http_request_t *r);

/* Whether a request has come into a location by redirection, as no message. */
ngx_uint_t ngx_http_parley_redirect_is_into(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_refuse(ngx_http_request_t *r);


/* ngx_http_parley_redact.c */

/*
 * Takes the arguments as they came into ctx, and a token in one of them out of
 * the request; or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_redact(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_certificate.c */

/* Whether nginx verifies client certificates in the server that is read. */
ngx_uint_t ngx_http_parley_verifies(ngx_conf_t *cf);
int ngx_http_parley_certificate(parley_gate_t *g,
    const parley_certificate_t **ret);


/* ngx_http_parley_revocations.c */

/* When a worker starts, and when it ends. */
ngx_int_t ngx_http_parley_revocations_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_revocations_exit(ngx_http_parley_main_conf_t *mcf);

/* OPS-03: whether the list that is there now is in force, or none is asked
   for. */
ngx_uint_t ngx_http_parley_revocations_are_readable(
    ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_jwks.c */

/*
 * Fills jwks_source of what tells one source of fetched keys from another: the
 * URI, and the name of the server that has its location.
 */
ngx_int_t ngx_http_parley_jwks_source(ngx_http_parley_main_conf_t *mcf);

/* The keys in force, and their generation.  Never NULL. */
const parley_jwks_t *ngx_http_parley_jwks_current(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf, ngx_uint_t *generation);

/*
 * Takes what was fetched.  NGX_OK; NGX_DECLINED: it cannot be used, the last
 * good keys are kept, and the log says why.
 */
ngx_int_t ngx_http_parley_jwks_store(ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_log_t *log);

/* Whether what the zone has of fetched keys is of this configuration's source;
   with the zone locked. */
ngx_uint_t ngx_http_parley_jwks_is_ours_locked(
    ngx_http_parley_main_conf_t *mcf);

/*
 * Makes it so: keys of another source are dropped.  NGX_OK; NGX_DECLINED: a
 * newer configuration has another source, and the zone.
 */
ngx_int_t ngx_http_parley_jwks_claim_locked(ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_jwks_fetch.c */

/* When a worker starts: the keys are fetched, and refreshed from then on. */
ngx_int_t ngx_http_parley_fetch_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);

/*
 * The request cannot go on without other keys.  NGX_AGAIN: they are being
 * fetched, the phase runs again when that is over; once in a request.
 * NGX_DECLINED: they were fetched less than age ago, by any worker.
 */
ngx_int_t ngx_http_parley_fetch_wait(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_msec_t age);

/* The request waits no more. */
void ngx_http_parley_fetch_leave(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_location.c */

/*
 * The configuration of the first server that has a location of that name, in
 * whatever block, and the location's; regular expressions do not count.  NULL:
 * none has.
 */
ngx_http_conf_ctx_t *ngx_http_parley_location_server(ngx_conf_t *cf,
    ngx_str_t *uri, ngx_http_core_loc_conf_t **clcf);

/*
 * Whether the location's proxy_pass connects by TLS without proxy_ssl_verify.
 * For postconfiguration, when the blocks are merged.
 */
ngx_int_t ngx_http_parley_location_is_unverified(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf);


/* ngx_http_parley_body.c: NGX_OK, NGX_DECLINED, NGX_ERROR */

ngx_int_t ngx_http_parley_body_take(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_body_replace(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_gate.c: the gate of a request */

void ngx_http_parley_gate_init(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* It is that of a message by a WebSocket, in ctx->body. */
void ngx_http_parley_gate_frame(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_submit.c */

int ngx_http_parley_beside(parley_gate_t *g, parley_submission_t *ret);
ngx_int_t ngx_http_parley_forward_arguments(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_wait.c */

/*
 * The message waits for the state.  In a phase: it runs again; returns what the
 * phase handler returns.
 */
ngx_int_t ngx_http_parley_wait_phase(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* And of one that comes in no phase: ctx->again is called. */
void ngx_http_parley_wait_message(ngx_http_parley_ctx_t *ctx);

/* A request that waits: whether its client leaves is looked at; NGX_OK or
   NGX_ERROR.  And then: its phase runs again. */
ngx_int_t ngx_http_parley_wait_watch(ngx_http_request_t *r);
void ngx_http_parley_wait_again(ngx_http_request_t *r);

/* ctx->gate.ask.resume */
void ngx_http_parley_wait_resume(parley_ask_t *q);

/* The request is over. */
void ngx_http_parley_wait_stop(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_origin.c */

/* What tells one client from another: the octets of its address. */
parley_str_t ngx_http_parley_address(ngx_connection_t *c);
int ngx_http_parley_arrival(parley_gate_t *g, parley_arrival_t *ret);


/* ngx_http_parley_headers.c: what goes along with the request */

void ngx_http_parley_headers_init(void);

/* a handler of the rewrite phase: removes what is the gateway's to say */
ngx_int_t ngx_http_parley_headers_handler(ngx_http_request_t *r);


/* The step "body": what the request says of its body (SEC-02); or
   NGX_DECLINED. */
ngx_int_t ngx_http_parley_media(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_request_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* The traceparent that the upstream gets, or NGX_DECLINED: none. */
ngx_int_t ngx_http_parley_trace_out(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);

/* ngx_http_parley_ctx.c */

/* The value of the first header of that lower-case name, or NULL. */
ngx_str_t *ngx_http_parley_in_header(ngx_http_request_t *r,
    const char *name);


/* ngx_http_parley_upstream.c: GW-26 */

/* The header is there: a body that cannot be read on breaks off. */
void ngx_http_parley_upstream_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* Whether its body ends with its connection, and with nothing else. */
ngx_uint_t ngx_http_parley_upstream_is_open(ngx_http_request_t *r);

/* Returns whether nginx answers in the upstream's stead: no answer's header
   was read. */
ngx_uint_t ngx_http_parley_upstream_is_silent(ngx_http_request_t *r);

/* Sets the trouble of such an answer. */
void ngx_http_parley_upstream_note(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_client.c: GW-21 */

/* The content handler is called so that no departure ends the upstream. */
void ngx_http_parley_client_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* An answer of events has begun: nor does a client that takes nothing. */
void ngx_http_parley_client_stream(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* The client is gone: nothing is sent any more, the answer is awaited. */
void ngx_http_parley_client_left(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_deadline.c: AEE-29 */

ngx_int_t ngx_http_parley_deadline_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_deadline_stop(ngx_http_parley_ctx_t *ctx);

/* Sets a deadline where there is none. */
void ngx_http_parley_deadline_extend(ngx_http_parley_ctx_t *ctx);


#endif /* _NGX_HTTP_PARLEY_REQUEST_H_INCLUDED_ */
