
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The shared memory zone (parley_zone), which outlives a configuration.
 */


#ifndef _NGX_HTTP_PARLEY_ZONE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_ZONE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "core/parley_digest.h"
#include "state/memory/parley_memory.h"


/* root of the zone; every process maps it at the same address */

typedef struct {
    ngx_uint_t                    layout;
    u_char                        secret[16];     /* secret of the keys in the
                                                     state */
    u_char                        node[8];    /* name of this node in a store,
                                                 random */
    uint64_t                      seed;       /* seed of the hashes of member
                                                 names */

    void                         *state;      /* see parley_state.h */
    int64_t                       created;    /* wall clock, ms */

    ngx_uint_t                    configurations; /* number of configurations
                                                     that used the zone */
    ngx_uint_t                    current;        /* the one that nginx uses */
    ngx_atomic_t                  entered;        /* the newest one that a
                                                     worker has */

    /*
     * The last usable keys that parley_jwks_request fetched, and a digest of
     * their source.  A configuration with another source does not trust them.
     */
    u_char                        jwks_source[PARLEY_SHA256_LEN];
    ngx_uint_t                    jwks_configuration;
    ngx_atomic_t                  jwks_generation;
    ngx_str_t                     jwks;
    ngx_atomic_t                  jwks_checked;   /* last fetch, ms */
    ngx_atomic_t                  jwks_failed;    /* the last fetch failed */
    ngx_atomic_t                  jwks_fetched;   /* time of the last
                                                     successful fetch, ms; 0:
                                                     never */
    ngx_atomic_t                  jwks_until;     /* end of the fetch, ms */
    parley_process_t              jwks_fetcher;   /* pid 0: no fetch runs */

    /* mark of the list of parley_revocations that a worker read last, and of
       the last event of the file that a worker logged */
    ngx_atomic_t                  revocations;
    ngx_atomic_t                  revocations_told;
} ngx_http_parley_shctx_t;


/* this cycle's view of the zone */

struct ngx_http_parley_zone_s {
    ngx_http_parley_shctx_t      *sh;
    ngx_slab_pool_t              *shpool;
    parley_memory_t               memory;
    parley_state_t               *state;          /* the verbs for requests:
                                                     those of memory, or in a
                                                     worker those of its
                                                     store */
    const u_char                 *secret;         /* secret that the zone must
                                                     have; NULL: any */
    ngx_uint_t                    configuration;  /* number of this
                                                     configuration; a newer one
                                                     is larger */
    ngx_uint_t                    retain;         /* maximum number of retained
                                                     messages */
    size_t                        replay;         /* maximum octets of first
                                                     answers */
    unsigned                      share;          /* largest part of one
                                                     principal, in
                                                     thousandths */
    unsigned                      created:1;      /* this cycle created the
                                                     zone */
};


/* ngx_http_parley_zone.c */

/*
 * Adopts the zone as it is.  nginx may still refuse the new configuration and
 * continue with the old one.
 */
ngx_int_t ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* Sets the bounds of the zone once the configuration is valid, and logs lost
   data. */
void ngx_http_parley_zone_settle(ngx_http_parley_main_conf_t *mcf);

/* Attach this process to the zone, and detach it. */
void ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone);
void ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone);

/* Returns whether nginx is about to start workers with a new configuration. */
ngx_uint_t ngx_http_parley_zone_reloads(const ngx_http_parley_zone_t *zone);


#endif /* _NGX_HTTP_PARLEY_ZONE_H_INCLUDED_ */
