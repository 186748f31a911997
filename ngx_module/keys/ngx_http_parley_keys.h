
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Keys that are fetched (parley_jwks_request), and the list of revocations.
 */


#ifndef _NGX_HTTP_PARLEY_KEYS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_KEYS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "auth/parley_jwk.h"


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


/* ngx_http_parley_revocations.c */

/* Begin and end the reading of revocations in a worker. */
ngx_int_t ngx_http_parley_revocations_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);
void ngx_http_parley_revocations_exit(ngx_http_parley_worker_t *worker);

/* Returns whether the current list is in force, or none is configured
   (OPS-03). */
ngx_uint_t ngx_http_parley_revocations_are_readable(
    ngx_http_parley_worker_t *worker);


#endif /* _NGX_HTTP_PARLEY_KEYS_H_INCLUDED_ */
