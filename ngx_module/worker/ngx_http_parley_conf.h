
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The configuration that the directives fill, and the shared memory zone.
 */


#ifndef _NGX_HTTP_PARLEY_CONF_H_INCLUDED_
#define _NGX_HTTP_PARLEY_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "translate/parley_rewrite.h"
#include "gate/settings/parley_challenge.h"
#include "gate/metrics/parley_counters.h"
#include "auth/parley_directory.h"
#include "core/parley_digest.h"
#include "core/parley_escape.h"
#include "http/parley_header.h"
#include "core/parley_key.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate.h"
#include "translate/parley_intents.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jwt.h"
#include "gate/metrics/parley_logged.h"
#include "gate/metrics/parley_losses.h"
#include "gate/settings/parley_settings.h"
#include "http/parley_media.h"
#include "translate/parley_name.h"
#include "translate/parley_agent.h"
#include "translate/parley_msg_field.h"
#include "auth/parley_policy.h"
#include "auth/parley_principal.h"
#include "core/parley_rate.h"
#include "gate/settings/parley_rules.h"
#include "gate/metrics/parley_seats.h"
#include "auth/parley_signature.h"
#include "state/memory/parley_memory.h"
#include "auth/parley_token_cache.h"

#include "ngx_module/worker/ngx_http_parley_detached.h"


/* maximum number of distinguished captures of a location's regular
   expression */
#define NGX_HTTP_PARLEY_CAPTURES            16


/* root of the zone; every process maps it at the same address */

typedef struct {
    ngx_uint_t                    layout;
    u_char                        secret[16];     /* secret of the keys in the
                                                     state */
    uint64_t                      seed;       /* seed of the hashes of member
                                                 names */

    void                         *state;      /* see parley_state.h */
    int64_t                       created;    /* wall clock, ms */

    ngx_uint_t                    configurations; /* number of configurations
                                                     that used the zone */

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


/* rate-limited lines of the error log in this worker (OPS-07) */

typedef struct {
    parley_logged_t               lines;
    ngx_event_t                   sum;            /* writes the summary line */
    const char                   *of;             /* subject of the summary */
    ngx_uint_t                    level;          /* level of the summary */
} ngx_http_parley_logged_t;


typedef struct ngx_http_parley_audit_s  ngx_http_parley_audit_t;
typedef struct ngx_http_parley_hub_s    ngx_http_parley_hub_t;
typedef struct ngx_http_parley_jobs_s   ngx_http_parley_jobs_t;


/* parley_jwks_request in this worker, see ngx_http_parley_jwks_fetch.c */

typedef struct ngx_http_parley_main_conf_s  ngx_http_parley_main_conf_t;
typedef struct ngx_http_parley_worker_s  ngx_http_parley_worker_t;

typedef struct {
    ngx_http_parley_detached_t    detached;
    ngx_http_parley_worker_t     *worker;
    parley_process_t              self;

    ngx_queue_t                   waiting;        /* contexts by jwks_queue */
    ngx_event_t                   wake;
    ngx_event_t                   poll;
    ngx_event_t                   refresh;
} ngx_http_parley_fetch_t;


/* parley_revocations in this worker, see ngx_http_parley_revocations.c */

typedef struct ngx_http_parley_revocation_reader_s
    ngx_http_parley_revocation_reader_t;

typedef struct {
    ngx_http_parley_worker_t             *worker;
    ngx_log_t                            *log;
    ngx_event_t                           tick;
    ngx_event_t                           poll;
    ngx_http_parley_revocation_reader_t  *job;    /* the reading in progress,
                                                     or NULL */

    ngx_file_info_t                       seen;   /* file information at the
                                                     last look */
    parley_arena_t                        arena;  /* memory of the list in
                                                     force */
    ngx_uint_t                            began;  /* mark of the list of the
                                                     configuration */
    ngx_uint_t                            mark;   /* mark of the last list that
                                                     was read; 0: none yet */
    ngx_uint_t                            said;   /* last logged error; 0: the
                                                     list is good */
    ngx_uint_t                            round;  /* number of the last check
                                                     of streams */

    unsigned                              changed:1; /* the file must be read
                                                        again */
    unsigned                              late:1; /* a look was due during the
                                                     reading */
    unsigned                              adopted:1; /* arena is in use */
    unsigned                              failed:1;
    unsigned                              ends:1; /* streams must be checked */
} ngx_http_parley_revocations_t;


/* this cycle's view of the zone */

typedef struct {
    ngx_http_parley_shctx_t      *sh;
    ngx_slab_pool_t              *shpool;
    parley_memory_t               memory;
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
} ngx_http_parley_zone_t;


/*
 * The state of this process, which requests and events change.  Each
 * configuration has its own.
 */

struct ngx_http_parley_worker_s {
    const ngx_http_parley_main_conf_t  *mcf;

    parley_slot_t                *slot;           /* not NULL in a worker */
    parley_token_cache_t         *tokens;
    parley_token_cache_stat_t     tokens_before;  /* statistics of tokens, as
                                                     counted last */
    parley_account_places_t       failing;        /* failed attempts of each
                                                     address */
    ngx_http_parley_logged_t      refused;        /* refusals, see _log.c */
    ngx_http_parley_logged_t      passed_over;    /* messages that streams
                                                     skip */
    ngx_http_parley_logged_t      lossy;          /* messages that lose
                                                     members */
    parley_losses_t               losses;
    parley_jwks_t                 fetched;
    parley_jwks_t                 in_force;       /* fetched, and the files of
                                                     other issuers */
    parley_arena_t                fetched_arena;
    ngx_uint_t                    fetched_generation;
    ngx_http_parley_fetch_t      *fetch;          /* NULL: parley_jwks only */

    ngx_http_parley_audit_t      *audit;          /* NULL: no parley_audit */
    ngx_http_parley_revocations_t  *revocations;  /* NULL: no
                                                     parley_revocations */
    ngx_queue_t                   streams;        /* open ..._sse_t */
    ngx_http_parley_hub_t        *hub;            /* NULL: no publisher and no
                                                     subscriber */

    ngx_http_parley_jobs_t       *jobs;           /* NULL: not a worker, or an
                                                     exiting one */
};


/* The main configuration.  It does not change while requests run. */

struct ngx_http_parley_main_conf_s {
    ngx_shm_zone_t               *shm_zone;
    ngx_http_parley_zone_t       *zone;

    parley_engine_t              *engine;
    parley_settings_http_t        http;
    parley_arena_t                arena;          /* memory of the
                                                     configuration */
    uint64_t                      seed;           /* seed of the hashes of
                                                     configured names */

    ngx_str_t                     jwks_uri;       /* parley_jwks_request */
    ngx_http_conf_ctx_t          *jwks_server;    /* server of its location */
    u_char                        jwks_source[PARLEY_SHA256_LEN];

    ngx_http_conf_ctx_t          *deliver_server; /* parley_deliver */
    ngx_http_core_loc_conf_t     *deliver_location;

    ngx_shm_zone_t               *slots_zone;     /* parley_counters.h */
    parley_slots_t               *slots;
    parley_seats_t               *seats;    /* one for each slot */
    ngx_atomic_t                 *woken;          /* for each slot: its worker
                                                     is to check the state, see
                                                     _wake.c */
    ngx_msec_t                    since;          /* start of the cycle */

    ngx_http_parley_worker_t     *worker;         /* state of this process */

    ngx_array_t                   places;         /* blocks, ..._accepting_t */
    ngx_uint_t                    accepting;      /* places are checked and
                                                     valid */
    const struct ngx_http_parley_contexts_s  *contexts;
};


/* a block of the configuration in the gate's form, see parley_settings.h */
typedef parley_settings_t  ngx_http_parley_loc_conf_t;


/* a block that accepts messages */
typedef struct {
    ngx_http_parley_loc_conf_t   *conf;
    parley_block_facts_t          facts;
    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_core_srv_conf_t     *cscf;
} ngx_http_parley_accepting_t;


#endif /* _NGX_HTTP_PARLEY_CONF_H_INCLUDED_ */
