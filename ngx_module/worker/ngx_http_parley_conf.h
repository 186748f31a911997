
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The configuration: what the directives fill, and the zone.
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


/* groups of a location's regular expression that are told apart */
#define NGX_HTTP_PARLEY_CAPTURES            16


/* what lives in the zone; every process maps it at the same address */

typedef struct {
    ngx_uint_t                    layout;
    u_char                        secret[16];     /* of keys of the state */
    uint64_t                      seed;       /* of the hashes of members */

    void                         *state;      /* see parley_state.h */
    int64_t                       created;    /* wall clock, ms */

    ngx_uint_t                    configurations; /* that had the zone */

    /*
     * Keys fetched through parley_jwks_request, the last good ones, and of
     * which source: no configuration that has another trusts them.
     */
    u_char                        jwks_source[PARLEY_SHA256_LEN];
    ngx_uint_t                    jwks_configuration;
    ngx_atomic_t                  jwks_generation;
    ngx_str_t                     jwks;
    ngx_atomic_t                  jwks_checked;   /* ms, of the last try */
    ngx_atomic_t                  jwks_failed;    /* it failed */
    ngx_atomic_t                  jwks_fetched;   /* ms, of the last that did
                                                     not; 0: none */
    ngx_atomic_t                  jwks_until;     /* ms; a fetch ends then */
    parley_process_t              jwks_fetcher;   /* pid 0: nobody */

    /* which list of parley_revocations was read last, and what was said of
       the file last, by any worker */
    ngx_atomic_t                  revocations;
    ngx_atomic_t                  revocations_told;
} ngx_http_parley_shctx_t;


/* lines of the error log in this worker that have a bound (OPS-07) */

typedef struct {
    parley_logged_t               lines;
    ngx_event_t                   sum;            /* is written then, */
    const char                   *of;             /* of such, */
    ngx_uint_t                    level;          /* at this level */
} ngx_http_parley_logged_t;


typedef struct ngx_http_parley_audit_s  ngx_http_parley_audit_t;
typedef struct ngx_http_parley_hub_s    ngx_http_parley_hub_t;
typedef struct ngx_http_parley_jobs_s   ngx_http_parley_jobs_t;


/* parley_jwks_request in this worker, see ngx_http_parley_jwks_fetch.c */

typedef struct ngx_http_parley_main_conf_s  ngx_http_parley_main_conf_t;

typedef struct {
    ngx_http_parley_detached_t    detached;
    ngx_http_parley_main_conf_t  *mcf;
    parley_process_t              self;

    ngx_queue_t                   waiting;        /* of jwks_queue */
    ngx_event_t                   wake;
    ngx_event_t                   poll;
    ngx_event_t                   refresh;
} ngx_http_parley_fetch_t;


/* parley_revocations in this worker, see ngx_http_parley_revocations.c */

typedef struct ngx_http_parley_revocation_reader_s
    ngx_http_parley_revocation_reader_t;

typedef struct {
    ngx_http_parley_main_conf_t          *mcf;
    ngx_log_t                            *log;
    ngx_event_t                           tick;
    ngx_event_t                           poll;
    ngx_http_parley_revocation_reader_t  *job;    /* it is being read; NULL: it
                                                     is not */

    ngx_file_info_t                       seen;   /* the file, as it was read */
    parley_arena_t                        arena;  /* of the list in force */
    ngx_uint_t                            began;  /* that of the
                                                     configuration */
    ngx_uint_t                            mark;   /* that in force; 0: none was
                                                     read since */
    ngx_uint_t                            said;   /* of a bad one; 0: it is
                                                     good */
    ngx_uint_t                            round;  /* streams were looked at */

    unsigned                              changed:1; /* it must be read again */
    unsigned                              late:1; /* it was time to look while
                                                     it was being read */
    unsigned                              adopted:1; /* arena is in use */
    unsigned                              failed:1;
    unsigned                              ends:1; /* streams are to be looked
                                                     at */
} ngx_http_parley_revocations_t;


/* the zone as this cycle sees it */

typedef struct {
    ngx_http_parley_shctx_t      *sh;
    ngx_slab_pool_t              *shpool;
    parley_memory_t               memory;
    ngx_uint_t                    configuration;  /* a number: the newest of
                                                     them is the largest */
    ngx_uint_t                    retain;         /* messages */
    size_t                        replay;         /* octets */
    unsigned                      share;          /* of one principal, in
                                                     thousandths */
    unsigned                      created:1;      /* by this cycle */
} ngx_http_parley_zone_t;


struct ngx_http_parley_main_conf_s {
    ngx_shm_zone_t               *shm_zone;
    ngx_http_parley_zone_t       *zone;

    parley_engine_t              *engine;
    parley_settings_http_t        http;
    parley_arena_t                arena;          /* of the configuration */
    uint64_t                      seed;           /* of the hashes of what is
                                                     configured */

    ngx_str_t                     jwks_uri;       /* parley_jwks_request */
    ngx_http_conf_ctx_t          *jwks_server;    /* that has the location */
    u_char                        jwks_source[PARLEY_SHA256_LEN];

    ngx_http_conf_ctx_t          *deliver_server; /* parley_deliver */
    ngx_http_core_loc_conf_t     *deliver_location;

    ngx_shm_zone_t               *slots_zone;     /* parley_counters.h */
    parley_slots_t               *slots;
    parley_seats_t               *seats;    /* one of each slot */
    ngx_atomic_t                 *woken;          /* for each slot: its worker
                                                     is to look, see _wake.c */
    ngx_msec_t                    since;          /* it was read */

    /* of this process */
    parley_slot_t                *slot;           /* never NULL once it is a
                                                     worker */
    parley_token_cache_t         *tokens;
    parley_token_cache_stat_t     tokens_before;  /* as they were counted */
    parley_account_places_t       failing;        /* keys of their failures */
    ngx_http_parley_logged_t      refused;        /* see _log.c */
    ngx_http_parley_logged_t      passed_over;    /* by streams */
    ngx_http_parley_logged_t      lossy;          /* for who reads them */
    parley_losses_t               losses;
    parley_jwks_t                 fetched;
    parley_jwks_t                 in_force;       /* with files of others */
    parley_arena_t                fetched_arena;
    ngx_uint_t                    fetched_generation;
    ngx_http_parley_fetch_t      *fetch;          /* NULL: parley_jwks alone */

    ngx_http_parley_audit_t      *audit;          /* NULL: parley_audit is not
                                                     there */
    ngx_http_parley_revocations_t  *revocations;  /* NULL: there are none */
    ngx_queue_t                   streams;        /* ..._sse_t that are open */
    ngx_http_parley_hub_t        *hub;            /* NULL: nobody publishes, nor
                                                     listens */

    ngx_http_parley_jobs_t       *jobs;           /* NULL: not a worker, or one
                                                     that ends */

    ngx_array_t                   places;         /* ..._accepting_t */
    ngx_uint_t                    accepting;      /* and are right */
};


/* a block, as the gate has it: see parley_settings.h */
typedef parley_settings_t  ngx_http_parley_loc_conf_t;


/* one that accepts messages */
typedef struct {
    ngx_http_parley_loc_conf_t   *conf;
    parley_block_facts_t          facts;
    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_core_srv_conf_t     *cscf;
} ngx_http_parley_accepting_t;


#endif /* _NGX_HTTP_PARLEY_CONF_H_INCLUDED_ */
