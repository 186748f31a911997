
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The store of a worker (parley_store): the state that several nodes share.
 */


#ifndef _NGX_HTTP_PARLEY_STORE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STORE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


struct parley_snapshot_s;   /* parley_counters.h */
struct parley_status_s;     /* parley_status.h */


/* ngx_http_parley_store.c */

/* Resolves the address of parley_store, and reads the files of TLS. */
char *ngx_http_parley_store_open(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* Gives the zone the secret of the store, after the configuration is read;
   digest is that of the settings that all gateways must have in common. */
void ngx_http_parley_store_settle(ngx_http_parley_main_conf_t *mcf,
    uint64_t digest);

/*
 * Creates the store of this worker, which becomes the state of the zone's
 * users.  Without parley_store it does nothing.
 */
ngx_int_t ngx_http_parley_store_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);

/* Connects; the process is registered in the zone. */
void ngx_http_parley_store_begin(ngx_http_parley_worker_t *worker);

/* Ends the membership: waits for the answers of queued calls, at most 1 s. */
void ngx_http_parley_store_exit(ngx_http_parley_worker_t *worker);

/* Returns 0 if messages are refused because the store is away. */
ngx_uint_t ngx_http_parley_store_is_ready(
    const ngx_http_parley_worker_t *worker);

/* Adds this worker's counts of its store to its slot. */
void ngx_http_parley_store_count(ngx_http_parley_worker_t *worker);

/* Fills the cells of the store that do not come from slots. */
void ngx_http_parley_store_status(const ngx_http_parley_worker_t *worker,
    struct parley_snapshot_s *s);

/* Fills the list of the gateways of the store. */
ngx_int_t ngx_http_parley_store_nodes(const ngx_http_parley_worker_t *worker,
    ngx_pool_t *pool, struct parley_status_s *status);


#endif /* _NGX_HTTP_PARLEY_STORE_H_INCLUDED_ */
