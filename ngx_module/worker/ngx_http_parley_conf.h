
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The configuration that the directives fill.
 */


#ifndef _NGX_HTTP_PARLEY_CONF_H_INCLUDED_
#define _NGX_HTTP_PARLEY_CONF_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "core/parley_digest.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec_types.h"


/* maximum number of distinguished captures of a location's regular
   expression */
#define NGX_HTTP_PARLEY_CAPTURES            16


/* The main configuration.  It does not change while requests run. */

struct ngx_http_parley_main_conf_s {
    ngx_shm_zone_t               *shm_zone;
    ngx_http_parley_zone_t       *zone;

    struct ngx_http_parley_store_conf_s  *store;  /* NULL: no parley_store */
    ngx_array_t                   configured;     /* see _configured.c */
    uint64_t                      files;          /* sum over the files of the
                                                     directive that is read */

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
    ngx_http_conf_ctx_t          *websocket_server;     /* websocket= of
                                                           parley_deliver */

    ngx_shm_zone_t               *slots_zone;     /* parley_counters.h */
    struct parley_slots_s        *slots;
    struct parley_seats_s        *seats;          /* one for each slot */
    ngx_atomic_t                 *woken;          /* for each slot: its worker
                                                     is to check the state, see
                                                     _wake.c */
    ngx_msec_t                    since;          /* start of the cycle */

    ngx_http_parley_worker_t     *worker;         /* state of this process */

    ngx_array_t                   places;         /* blocks, ..._accepting_t */
    ngx_array_t                   moq;            /* servers with parley_moq,
                                                     see moq/ */
    ngx_array_t                   unkeyed;        /* servers with parley_moq and
                                                     no quic_host_key before it,
                                                     ngx_http_core_srv_conf_t *
                                                     */
    ngx_uint_t                    accepting;      /* places are checked and
                                                     valid */
    const struct ngx_http_parley_contexts_s  *contexts;  /* functions of
                                                     request/ */
};


/* a block that accepts messages */
typedef struct {
    ngx_http_parley_loc_conf_t   *conf;
    parley_block_facts_t          facts;
    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_core_srv_conf_t     *cscf;
} ngx_http_parley_accepting_t;


#endif /* _NGX_HTTP_PARLEY_CONF_H_INCLUDED_ */
