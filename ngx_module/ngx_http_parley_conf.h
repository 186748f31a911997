
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

#include "parley_amend.h"
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
#include "parley_location.h"
#include "parley_media.h"
#include "parley_name.h"
#include "parley_party.h"
#include "parley_spot.h"
#include "parley_policy.h"
#include "parley_principal.h"
#include "parley_rate.h"
#include "parley_rules.h"
#include "parley_signature.h"
#include "parley_memory.h"
#include "parley_token_cache.h"

#include "ngx_http_parley_detached.h"


#define NGX_HTTP_PARLEY_ACCEPT_UNSET        ((parley_proto_set_t) -1)

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
    parley_intents_t             *intents;        /* parley_intents */
    parley_directory_t           *directory;
    ngx_str_t                     identities_file; /* where it is written */
    ngx_uint_t                    identities_line;
    ngx_str_t                     identities_name;
    parley_str_t                  identities_text;  /* of the configuration */
    parley_jwks_t                *jwks;           /* parley_jwks */
    ngx_str_t                     jwks_uri;       /* parley_jwks_request */
    ngx_http_conf_ctx_t          *jwks_server;    /* that has the location */
    u_char                        jwks_source[PARLEY_SHA256_LEN];
    ngx_str_t                     jwks_file;      /* where it is written */
    ngx_uint_t                    jwks_line;
    ngx_msec_t                    jwks_interval;
    ngx_msec_t                    jwks_refresh;
    ngx_msec_t                    jwks_timeout;
    parley_jwk_t                 *signing;        /* parley_signing_key */

    ngx_str_t                     self;
    parley_str_t                  self_names[PARLEY_PROTO_COUNT];
    ngx_uint_t                    retain;         /* messages; 0: none */
    ngx_msec_t                    retain_time;
    size_t                        replay_size;    /* 0: none */
    ngx_msec_t                    replay_time;

    parley_arena_t                arena;          /* of the configuration */
    int64_t                       leeway_max;     /* of any parley_jwt */
    ngx_uint_t                    nclaims;        /* parley_claims seen */

    /* of this process */
    parley_token_cache_t         *tokens;
    parley_jwks_t                 fetched;
    parley_arena_t                fetched_arena;
    ngx_uint_t                    fetched_generation;
    ngx_http_parley_fetch_t      *fetch;          /* NULL: parley_jwks alone */

    ngx_array_t                   places;         /* loc confs that have
                                                     parley_accept */
    parley_proto_set_t            idle[PARLEY_PROTO_COUNT];
                                                  /* warned about, by what
                                                     is spoken */
    ngx_uint_t                    accepting;      /* and are right */
};


typedef enum {
    NGX_HTTP_PARLEY_TOKEN_HEADER = 0,
    NGX_HTTP_PARLEY_TOKEN_COOKIE,
    NGX_HTTP_PARLEY_TOKEN_ARG
} ngx_http_parley_token_source_e;


typedef struct {
    ngx_uint_t                    enabled;
    ngx_uint_t                    source;
    ngx_str_t                     source_name;
    parley_limit_rate_t           failures;
    parley_jwt_rules_t            rules;
    parley_realm_t                realm;
    ngx_array_t                   issuers;        /* of parley_str_t */
    ngx_array_t                   audiences;      /* of parley_str_t */
    ngx_array_t                   required;  /* of parley_jwt_require_t */
} ngx_http_parley_jwt_conf_t;


typedef struct {
    ngx_int_t                     priority;       /* -1: none */
    ngx_msec_t                    timeout;        /* 0: none */
} ngx_http_parley_cap_conf_t;


/* a directive, as it stands in the configuration */

typedef struct {
    ngx_str_t                     name;
    ngx_str_t                     file;
    ngx_uint_t                    line;
    ngx_uint_t                    location;       /* in a location itself */
} ngx_http_parley_word_t;


/* principals made by one map are never taken for another's */

typedef struct {
    parley_claim_map_t            map;
    ngx_uint_t                    number;         /* 1, 2, ...; 0: none */
} ngx_http_parley_claims_t;


typedef struct {
    parley_proto_set_t            accept;         /* 0: off here */
    ngx_uint_t                    mve5;
    ngx_uint_t                    any_case;       /* case=open */
    ngx_uint_t                    said;           /* parley_speak */
    ngx_uint_t                    speak;          /* that, or what follows
                                                     from accept */
    ngx_str_t                     gateway;        /* of parley_speak */

    ngx_http_parley_jwt_conf_t   *jwt;
    ngx_http_parley_claims_t     *claims;         /* parley_claims */
    ngx_uint_t                    signature;
    ngx_flag_t                    trusted;

    parley_policy_t              *policy;
    parley_rate_t                *rate;
    ngx_http_parley_cap_conf_t   *cap;

    ngx_msec_t                    past;
    ngx_msec_t                    future;
    ngx_msec_t                    window;
    ngx_http_complex_value_t     *receiver;       /* of parley_window; NULL */

    parley_json_limits_t          limits;
    size_t                        limit_body;
    ngx_uint_t                    limit_depth;
    size_t                        limit_string;
    ngx_uint_t                    limit_members;

    ngx_array_t                  *redact;         /* of parley_edit_t */
    ngx_uint_t                    loss;
    ngx_uint_t                    dry;            /* parley_dry_t */

    ngx_http_complex_value_t     *context;
    ngx_http_complex_value_t     *constitution;
    ngx_array_t                  *severities;   /* of parley_severity_t */
    ngx_str_t                     broadcast;

    parley_gate_conf_t            gate;           /* of all that, for it */

    ngx_str_t                     file;           /* where parley_accept is */
    ngx_uint_t                    line;
    ngx_uint_t                    off;            /* parley_accept off */
    ngx_uint_t                    frame;          /* has locations in it */
    ngx_http_parley_word_t        first;          /* directive in it */
    ngx_http_parley_word_t        guard;          /* of those that protect;
                                                     perhaps inherited */
    ngx_http_parley_word_t        beside[PARLEY_BESIDE_COUNT];
                                                  /* first of each kind, its
                                                     own */
} ngx_http_parley_loc_conf_t;


#endif /* _NGX_HTTP_PARLEY_CONF_H_INCLUDED_ */
