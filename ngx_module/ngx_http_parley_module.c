
/*
 * Copyright (C) 2026 The Parley authors
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_directives.h"
#include "ngx_http_parley_request.h"
#include "ngx_http_parley_state.h"
#include "parley_config.h"


static void *ngx_http_parley_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_parley_init_main_conf(ngx_conf_t *cf, void *conf);
static ngx_int_t ngx_http_parley_init(ngx_conf_t *cf);
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
    { NGX_HTTP_PRECONTENT_PHASE, ngx_http_parley_precontent_handler }
};


static ngx_conf_enum_t  ngx_http_parley_signature_words[] = {
    { ngx_string("off"), PARLEY_DEMAND_OFF },
    { ngx_string("optional"), PARLEY_DEMAND_OPTIONAL },
    { ngx_string("required"), PARLEY_DEMAND_REQUIRED },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_parley_dry_words[] = {
    { ngx_string("off"), PARLEY_DRY_OFF },
    { ngx_string("on"), PARLEY_DRY_ON },
    { ngx_string("all"), PARLEY_DRY_ALL },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_parley_loss_words[] = {
    { ngx_string("report"), PARLEY_LOSS_REPORT },
    { ngx_string("reject"), PARLEY_LOSS_REJECT },
    { ngx_string("ignore"), PARLEY_LOSS_IGNORE },
    { ngx_null_string, 0 }
};


static ngx_http_parley_enum_t  ngx_http_parley_signature_enum = {
    ngx_http_parley_signature_words, PARLEY_CHOICE_SIGNATURE
};

static ngx_http_parley_enum_t  ngx_http_parley_dry_enum = {
    ngx_http_parley_dry_words, PARLEY_CHOICE_DRY_RUN
};

static ngx_http_parley_enum_t  ngx_http_parley_loss_enum = {
    ngx_http_parley_loss_words, PARLEY_CHOICE_LOSS
};


static ngx_command_t  ngx_http_parley_commands[] = {

    { ngx_string("parley_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_zone,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_identities"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_identities,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_jwks"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_jwks,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_jwks_request"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1234,
      ngx_http_parley_jwks_request,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_signing_key"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_signing_key,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_self"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_self,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_retain"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE2,
      ngx_http_parley_retention,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_replay"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_replay,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_intents"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_intents,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_accept"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_accept,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_speak"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_speak,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_jwt"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_jwt,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_claims"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_claims,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_signature"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, signature),
      &ngx_http_parley_signature_enum },

    { ngx_string("parley_trusted"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_http_parley_flag,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, trusted),
      NULL },

    { ngx_string("parley_allow"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_ANY,
      ngx_http_parley_policy,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_deny"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_ANY,
      ngx_http_parley_policy,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_rate"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_rate,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_cap"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_cap,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_freshness"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_freshness,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_window"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_window,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_limits"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_limits,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_redact"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_parley_redact,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_loss"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, loss),
      &ngx_http_parley_loss_enum },

    { ngx_string("parley_dry_run"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, dry),
      &ngx_http_parley_dry_enum },

    { ngx_string("parley_vcp_context"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_value,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, context),
      NULL },

    { ngx_string("parley_vcp_constitution"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_value,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_parley_loc_conf_t, constitution),
      NULL },

    { ngx_string("parley_vcp_severity"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_parley_vcp_severity,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("parley_vcp_broadcast"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_http_parley_vcp_broadcast,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

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


static void *
ngx_http_parley_pool_alloc(void *data, size_t size)
{
    return ngx_palloc(data, size);
}


static void *
ngx_http_parley_create_main_conf(ngx_conf_t *cf)
{
    parley_mem_t                  mem;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_main_conf_t));
    if (mcf == NULL) {
        return NULL;
    }

    mem.alloc = ngx_http_parley_pool_alloc;
    mem.free = NULL;
    mem.ctx = cf->pool;

    parley_arena_init(&mcf->arena, &mem, 0);

    if (ngx_array_init(&mcf->places, cf->pool, 8,
                       sizeof(ngx_http_parley_loc_conf_t *))
        != NGX_OK)
    {
        return NULL;
    }

    mcf->jwks_interval = 60000;
    mcf->jwks_refresh = 3600000;
    mcf->jwks_timeout = 10000;

    return mcf;
}


static char *
ngx_http_parley_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_parley_main_conf_t *mcf = conf;

    parley_error_t  err;

    if (mcf->self.data == NULL) {
        ngx_str_set(&mcf->self, "service.parley");
    }

    if (parley_gate_self(&mcf->arena, ngx_http_parley_str(&mcf->self),
                         mcf->self_names)
        != 0)
    {
        return NGX_CONF_ERROR;
    }

    if (mcf->directory
        && parley_reserved_directory(&mcf->arena, mcf->self_names,
                                     mcf->directory, &err)
           != 0)
    {
        parley_config_locate(&mcf->arena.mem, mcf->identities_text, &err);

        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"%V\" line %ui: %s %s in %V:%ui",
                      &mcf->identities_name,
                      ngx_http_parley_file_line(mcf->identities_text, &err),
                      err.field, err.text, &mcf->identities_file,
                      mcf->identities_line);
        return NGX_CONF_ERROR;
    }

    if (mcf->zone) {
        mcf->zone->retain = mcf->retain;
        mcf->zone->replay = mcf->replay_size;

        if (mcf->replay_size >= mcf->shm_zone->shm.size) {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"parley_replay\" is as large as \"parley_zone\", "
                          "of which first answers are a part");
            return NGX_CONF_ERROR;
        }
    }

    if (mcf->jwks_refresh < mcf->jwks_interval) {
        mcf->jwks_refresh = mcf->jwks_interval;
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_parley_init(ngx_conf_t *cf)
{
    ngx_uint_t                    i, n, phase;
    ngx_http_handler_pt          *h;
    ngx_http_core_main_conf_t    *cmcf;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    if (mcf->places.nelts == 0) {
        return NGX_OK;
    }

    if (ngx_http_parley_engine_init(cf, mcf) != NGX_OK
        || ngx_http_parley_verify(cf, mcf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (mcf->jwks_uri.len) {
        mcf->jwks_server = ngx_http_parley_location_server(cf, &mcf->jwks_uri);

        if (mcf->jwks_server == NULL) {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"parley_jwks_request\" needs a location \"%V\" "
                          "in a server in %V:%ui", &mcf->jwks_uri,
                          &mcf->jwks_file, mcf->jwks_line);
            return NGX_ERROR;
        }

        if (ngx_http_parley_jwks_source(mcf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    mcf->accepting = 1;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    n = sizeof(ngx_http_parley_phases) / sizeof(ngx_http_parley_phases[0]);

    for (i = 0; i < n; i++) {
        phase = ngx_http_parley_phases[i].phase;

        h = ngx_array_push(&cmcf->phases[phase].handlers);
        if (h == NULL) {
            return NGX_ERROR;
        }

        *h = ngx_http_parley_phases[i].handler;
    }

    ngx_http_parley_headers_init();

    return ngx_http_parley_filter_init(cf);
}


/* its listeners are open: nginx refuses the configuration no more */

static ngx_int_t
ngx_http_parley_init_module(ngx_cycle_t *cycle)
{
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf && mcf->zone) {
        ngx_http_parley_zone_settle(mcf->shm_zone);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_init_process(ngx_cycle_t *cycle)
{
    parley_token_cache_conf_t     conf;
    ngx_http_parley_main_conf_t  *mcf;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf == NULL || !mcf->accepting) {
        return NGX_OK;
    }

    ngx_http_parley_zone_enter(mcf->zone);

    ngx_memzero(&conf, sizeof(parley_token_cache_conf_t));

    conf.leeway_max = mcf->leeway_max;

    if (RAND_bytes(conf.key, sizeof(conf.key)) != 1) {
        ngx_ssl_error(NGX_LOG_EMERG, cycle->log, 0, "RAND_bytes() failed");
        return NGX_ERROR;
    }

    if (ngx_http_parley_fetch_init(cycle, mcf) != NGX_OK) {
        return NGX_ERROR;
    }

    mcf->tokens = parley_token_cache_create(&parley_mem_libc, &conf);

    return mcf->tokens ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_parley_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_parley_module);

    if (mcf == NULL || mcf->tokens == NULL) {
        return;
    }

    ngx_http_parley_zone_leave(mcf->zone);

    parley_token_cache_destroy(mcf->tokens);
    mcf->tokens = NULL;

    parley_jwks_free(&mcf->fetched);

    if (mcf->fetched_generation) {
        parley_arena_reset(&mcf->fetched_arena);
    }
}
