
/*
 * Copyright (C) 2026 The Parley authors
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/moq/ngx_http_parley_moq.h"
#include "ngx_module/request/ngx_http_parley_proof.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_store.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/settings/parley_directive.h"


static ngx_int_t ngx_http_parley_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_parley_init_websocket(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);
static ngx_http_conf_ctx_t *ngx_http_parley_init_location(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_str_t *uri,
    parley_directive_id_t id, ngx_http_core_loc_conf_t **clcf);
static ngx_int_t ngx_http_parley_init_module(ngx_cycle_t *cycle);
static ngx_int_t ngx_http_parley_init_process(ngx_cycle_t *cycle);
static void ngx_http_parley_exit_process(ngx_cycle_t *cycle);


static struct {
    ngx_http_phases               phase;
    ngx_http_handler_pt           handler;
}  ngx_http_parley_phases[] = {
    { NGX_HTTP_SERVER_REWRITE_PHASE, ngx_http_parley_redirect_handler },
    { NGX_HTTP_REWRITE_PHASE, ngx_http_parley_headers_handler },
    { NGX_HTTP_REWRITE_PHASE, ngx_http_parley_redirect_named_handler },
    { NGX_HTTP_PREACCESS_PHASE, ngx_http_parley_preaccess_handler },
    { NGX_HTTP_ACCESS_PHASE, ngx_http_parley_access_handler },
    { NGX_HTTP_PRECONTENT_PHASE, ngx_http_parley_precontent_handler }
};


static ngx_command_t  ngx_http_parley_commands[] = {

#define PARLEY_DIRECTIVE(id, name, in, ...)                                   \
    { ngx_string(name),                                                       \
      ((in) == PARLEY_IN_HTTP                                                 \
       ? NGX_HTTP_MAIN_CONF                                                   \
       : (in) == PARLEY_IN_LOCATION                                           \
       ? NGX_HTTP_LOC_CONF                                                    \
       : NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF)              \
      |NGX_CONF_ANY,                                                          \
      ngx_http_parley_directive,                                              \
      (in) == PARLEY_IN_HTTP ? NGX_HTTP_MAIN_CONF_OFFSET                      \
                             : NGX_HTTP_LOC_CONF_OFFSET,                      \
      PARLEY_DIRECTIVE_##id,                                                  \
      NULL },
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE

      ngx_null_command
};


static ngx_http_module_t  ngx_http_parley_module_ctx = {
    ngx_http_parley_add_variables,         /* preconfiguration */
    ngx_http_parley_init,                  /* postconfiguration */

    ngx_http_parley_create_main_conf,      /* create main configuration */
    ngx_http_parley_init_main_conf,        /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    ngx_http_parley_create_loc_conf,       /* create location configuration */
    ngx_http_parley_merge_loc_conf         /* merge location configuration */
};


ngx_module_t  ngx_http_parley_module = {
    NGX_MODULE_V1,
    &ngx_http_parley_module_ctx,           /* module context */
    ngx_http_parley_commands,              /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    ngx_http_parley_init_module,           /* init module */
    ngx_http_parley_init_process,          /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    ngx_http_parley_exit_process,          /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_int_t
ngx_http_parley_init(ngx_conf_t *cf)
{
    ngx_uint_t                    i, n, phase;
    ngx_str_t                     uri;
    ngx_http_handler_pt          *h;
    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_core_main_conf_t    *cmcf;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    if ((mcf->places.nelts > 0
         && ngx_http_parley_engine_init(cf, mcf) != NGX_OK)
        || ngx_http_parley_verify(cf, mcf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (mcf->places.nelts == 0) {
        return NGX_OK;
    }

    if (mcf->jwks_uri.len) {
        mcf->jwks_server = ngx_http_parley_init_location(cf, mcf,
                                            &mcf->jwks_uri,
                                            PARLEY_DIRECTIVE_JWKS_REQUEST,
                                            &clcf);
        if (mcf->jwks_server == NULL) {
            return NGX_ERROR;
        }

        if (ngx_http_parley_jwks_source(mcf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (mcf->http.deliver_uri.len) {
        uri = ngx_http_parley_ngx_str(mcf->http.deliver_uri);

        mcf->deliver_server = ngx_http_parley_init_location(cf, mcf, &uri,
                                              PARLEY_DIRECTIVE_DELIVER, &clcf);
        if (mcf->deliver_server == NULL) {
            return NGX_ERROR;
        }

        mcf->deliver_location = clcf;
        mcf->http.delivers = clcf->loc_conf
                                       [ngx_http_parley_module.ctx_index];
    }

    if (mcf->http.deliver_websocket.len
        && ngx_http_parley_init_websocket(cf, mcf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    mcf->accepting = 1;
    mcf->contexts = &ngx_http_parley_contexts;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    n = sizeof(ngx_http_parley_phases) / sizeof(ngx_http_parley_phases[0]);

    for (i = 0; i < n; i++) {
        phase = ngx_http_parley_phases[i].phase;

        h = ngx_array_push(&cmcf->phases[phase].handlers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        if (phase == NGX_HTTP_ACCESS_PHASE) {
            /* handlers run in reverse order: access control of nginx runs
               first (GW-23) */

            h = cmcf->phases[phase].handlers.elts;

            ngx_memmove(h + 1, h, (cmcf->phases[phase].handlers.nelts - 1)
                                  * sizeof(ngx_http_handler_pt));
        }

        *h = ngx_http_parley_phases[i].handler;
    }

    ngx_http_parley_headers_init();

    return ngx_http_parley_filter_init(cf) == NGX_OK
           ? ngx_http_parley_moq_conf(cf, mcf) : NGX_ERROR;
}


/* Finds the location of "websocket=": its directives apply to the peers that
   the gateway dials. */

static ngx_int_t
ngx_http_parley_init_websocket(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf)
{
    ngx_str_t                          uri;
    parley_problem_t                   problem;
    ngx_http_core_loc_conf_t          *clcf;
    const ngx_http_parley_loc_conf_t  *lcf;

    uri = ngx_http_parley_ngx_str(mcf->http.deliver_websocket);

    mcf->websocket_server = ngx_http_parley_location_server(cf, &uri, &clcf);

    lcf = mcf->websocket_server
          ? clcf->loc_conf[ngx_http_parley_module.ctx_index] : NULL;

    if (parley_settings_dials(&mcf->http, lcf, &problem) == 0) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_EMERG, cf->log, 0, "%s in %s:%ud", problem.text,
                  problem.where.file.data, problem.where.line);

    return NGX_ERROR;
}


/* Finds the location through which the gateway itself sends requests. */

static ngx_http_conf_ctx_t *
ngx_http_parley_init_location(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_str_t *uri,
    parley_directive_id_t id, ngx_http_core_loc_conf_t **clcf)
{
    parley_where_t       *where;
    ngx_http_conf_ctx_t  *server;

    where = &mcf->http.where[id];
    server = ngx_http_parley_location_server(cf, uri, clcf);

    if (server == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"%s\" needs a location \"%V\" in a server in %s:%ud",
                      parley_directives[id].name, uri, where->file.data,
                      where->line);

    } else if (ngx_http_parley_location_is_unverified(cf, *clcf)) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"%s\" uses the location \"%V\", which connects by TLS "
                      "and does not verify the certificate; set "
                      "\"proxy_ssl_verify on\" there, in %s:%ud",
                      parley_directives[id].name, uri, where->file.data,
                      where->line);
    }

    return server;
}


/* Runs after the listeners are open, when nginx can no longer refuse the
   configuration. */

static ngx_int_t
ngx_http_parley_init_module(ngx_cycle_t *cycle)
{
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf && mcf->zone) {
        ngx_http_parley_zone_settle(mcf);

        if (mcf->http.publishes) {
            ngx_http_parley_wake_make(cycle);
        }

        ngx_http_parley_moq_listen(cycle, mcf);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_init_process(ngx_cycle_t *cycle)
{
    parley_token_cache_conf_t           conf;
    ngx_http_parley_worker_t           *worker;
    const ngx_http_parley_main_conf_t  *mcf;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf == NULL || mcf->zone == NULL) {
        return NGX_OK;
    }

    ngx_http_parley_moq_handover_enter(cycle);

    worker = mcf->worker;

    if (ngx_http_parley_log_init(cycle, worker) != NGX_OK
        || ngx_http_parley_slot_enter(cycle, worker) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!mcf->accepting) {
        return NGX_OK;
    }

    /* the store learns which reservations the zone frees at the entry */

    if (ngx_http_parley_store_init(cycle, worker) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_zone_enter(mcf->zone);
    ngx_http_parley_store_begin(worker);
    ngx_http_parley_audit_enter(cycle, worker);

    ngx_memzero(&conf, sizeof(parley_token_cache_conf_t));

    conf.leeway_max = mcf->http.leeway_max;

    if (RAND_bytes(conf.key, sizeof(conf.key)) != 1) {
        ngx_ssl_error(NGX_LOG_EMERG, cycle->log, 0, "RAND_bytes() failed");
        return NGX_ERROR;
    }

    if (ngx_http_parley_hub_init(cycle, worker, ngx_http_parley_jobs_wake)
        != NGX_OK
        || ngx_http_parley_jobs_init(cycle, worker) != NGX_OK
        || ngx_http_parley_fetch_init(cycle, worker) != NGX_OK
        || ngx_http_parley_revocations_init(cycle, worker) != NGX_OK)
    {
        return NGX_ERROR;
    }

    worker->tokens = parley_token_cache_create(&parley_mem_libc, &conf);

    return worker->tokens ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_parley_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_parley_worker_t           *worker;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf == NULL || mcf->zone == NULL) {
        return;
    }

    ngx_http_parley_moq_handover_leave();

    worker = mcf->worker;

    ngx_http_parley_log_sum(worker, cycle->log);

    if (worker->tokens == NULL) {
        ngx_http_parley_slot_leave(worker);
        return;
    }

    ngx_http_parley_jobs_exit(worker);
    ngx_http_parley_hub_exit(worker);
    ngx_http_parley_store_exit(worker);
    ngx_http_parley_slot_leave(worker);
    ngx_http_parley_audit_leave(worker);
    ngx_http_parley_revocations_exit(worker);
    ngx_http_parley_zone_leave(mcf->zone);

    parley_token_cache_destroy(worker->tokens);
    worker->tokens = NULL;

    parley_jwks_free(&worker->fetched);

    if (worker->fetched_generation) {
        parley_arena_reset(&worker->fetched_arena);
    }
}
