
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

#include "parley_rewrite.h"
#include "parley_challenge.h"
#include "parley_directory.h"
#include "parley_digest.h"
#include "parley_escape.h"
#include "parley_header.h"
#include "parley_key.h"
#include "parley_engine.h"
#include "parley_gate.h"
#include "parley_intents.h"
#include "parley_jwk.h"
#include "parley_jwt.h"
#include "parley_settings.h"
#include "parley_media.h"
#include "parley_name.h"
#include "parley_agent.h"
#include "parley_msg_field.h"
#include "parley_policy.h"
#include "parley_principal.h"
#include "parley_rate.h"
#include "parley_rules.h"
#include "parley_signature.h"
#include "parley_memory.h"
#include "parley_token_cache.h"

#include "ngx_http_parley_detached.h"


/* groups of a location's regular expression that are told apart */
#define NGX_HTTP_PARLEY_CAPTURES            16


/* what lives in the zone; every process maps it at the same address */

typedef struct {
    ngx_uint_t                    layout;
    u_char                        secret[16];     /* of keys of the state */
    uint64_t                      seed;       /* of the hashes of members */

    void                         *state;      /* see parley_state.h */

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
    ngx_atomic_t                  jwks_until;     /* ms; a fetch ends then */
    parley_process_t              jwks_fetcher;   /* pid 0: nobody */
} ngx_http_parley_shctx_t;


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


/* the zone as this cycle sees it */

typedef struct {
    ngx_http_parley_shctx_t      *sh;
    ngx_slab_pool_t              *shpool;
    parley_state_t                state;
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

    ngx_str_t                     jwks_uri;       /* parley_jwks_request */
    ngx_http_conf_ctx_t          *jwks_server;    /* that has the location */
    u_char                        jwks_source[PARLEY_SHA256_LEN];

    /* of this process */
    parley_token_cache_t         *tokens;
    parley_jwks_t                 fetched;
    parley_arena_t                fetched_arena;
    ngx_uint_t                    fetched_generation;
    ngx_http_parley_fetch_t      *fetch;          /* NULL: parley_jwks alone */

    ngx_array_t                   places;         /* ..._accepting_t */
    ngx_uint_t                    accepting;      /* and are right */
};


/* a block, as the gate has it: see parley_settings.h */
typedef parley_settings_t  ngx_http_parley_loc_conf_t;


/* one that accepts messages */
typedef struct {
    ngx_http_parley_loc_conf_t   *conf;
    parley_block_facts_t          facts;
} ngx_http_parley_accepting_t;


#endif /* _NGX_HTTP_PARLEY_CONF_H_INCLUDED_ */
