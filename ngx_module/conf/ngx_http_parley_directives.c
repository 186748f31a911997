
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The configuration: the gate reads, merges and verifies it.  This file passes
 * the words to the gate and reports errors to nginx.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_block_facts.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_store.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/message/parley_gate.h"
#include "gate/settings/parley_directive.h"


static char *ngx_http_parley_answers(ngx_conf_t *cf,
    ngx_http_handler_pt handler);
static char *ngx_http_parley_zone(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);
static void ngx_http_parley_conf_env(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, parley_settings_env_t *env);
static int ngx_http_parley_conf_compile(void *ctx, parley_str_t text,
    void **ret, parley_problem_t *problem);
static void ngx_http_parley_conf_warn(void *ctx,
    const parley_problem_t *problem);
static char *ngx_http_parley_conf_wrong(ngx_conf_t *cf,
    const parley_problem_t *problem);
static void ngx_http_parley_conf_say(ngx_conf_t *cf, ngx_uint_t level,
    const parley_problem_t *problem);
static void *ngx_http_parley_conf_alloc(void *data, size_t size);
static void ngx_http_parley_conf_cleanup(void *data);


char *
ngx_http_parley_directive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                    *value;
    ngx_uint_t                    i;
    parley_str_t                 *words;
    parley_setting_t              d;
    parley_problem_t              problem;
    parley_settings_env_t         env;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    value = cf->args->elts;

    words = ngx_palloc(cf->temp_pool, cf->args->nelts * sizeof(parley_str_t));
    if (words == NULL) {
        return NGX_CONF_ERROR;
    }

    for (i = 0; i < cf->args->nelts; i++) {
        words[i] = ngx_http_parley_str(&value[i]);
    }

    ngx_http_parley_conf_env(cf, mcf, &env);

    problem.where.file = ngx_http_parley_str(&cf->conf_file->file.name);
    problem.where.line = (unsigned) cf->conf_file->line;
    problem.where.in = (cf->cmd_type & NGX_HTTP_LOC_CONF) ? PARLEY_IN_LOCATION
                       : (cf->cmd_type & NGX_HTTP_SRV_CONF) ? PARLEY_IN_SERVER
                       : PARLEY_IN_HTTP;

    d.env = &env;
    d.http = &mcf->http;
    d.s = (cmd->conf == NGX_HTTP_LOC_CONF_OFFSET) ? conf : NULL;
    d.row = &parley_directives[cmd->offset];
    d.words = words;
    d.n = cf->args->nelts;
    d.problem = &problem;

    mcf->files = 0;

    if (parley_directive_read(&d) != 0) {
        return ngx_http_parley_conf_wrong(cf, &problem);
    }

    if (ngx_http_parley_configured(cf, mcf, &d) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    switch (cmd->offset) {

    case PARLEY_DIRECTIVE_STATUS:
    case PARLEY_DIRECTIVE_HEALTH:
        return ngx_http_parley_answers(cf, ngx_http_parley_status_handler);

    case PARLEY_DIRECTIVE_PUBLIC_KEYS:
        return ngx_http_parley_answers(cf,
                                       ngx_http_parley_public_keys_handler);

    case PARLEY_DIRECTIVE_MOQ_ENDPOINT:
        return ngx_http_parley_answers(cf,
                                       ngx_http_parley_public_endpoint_handler);

    case PARLEY_DIRECTIVE_ZONE:
        return ngx_http_parley_zone(cf, mcf);

    case PARLEY_DIRECTIVE_STORE:
        return ngx_http_parley_store_open(cf, mcf);

    case PARLEY_DIRECTIVE_MOQ:
        return ngx_http_parley_block_facts_unkeyed(cf, mcf) == NGX_OK
               ? NGX_CONF_OK : NGX_CONF_ERROR;

    case PARLEY_DIRECTIVE_AUDIT:
        return ngx_http_parley_audit_open(cf, mcf);

    default:
        return NGX_CONF_OK;
    }
}


/* Sets the handler unless there is one; the merge finds conflicts. */

static char *
ngx_http_parley_answers(ngx_conf_t *cf, ngx_http_handler_pt handler)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->handler == NULL) {
        clcf->handler = handler;
    }

    return NGX_CONF_OK;
}


static char *
ngx_http_parley_zone(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    ngx_str_t  name;

    name = ngx_http_parley_ngx_str(mcf->http.zone);

    mcf->zone = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_zone_t));
    mcf->shm_zone = ngx_shared_memory_add(cf, &name, mcf->http.zone_size,
                                          &ngx_http_parley_module);

    if (mcf->zone == NULL || mcf->shm_zone == NULL) {
        return NGX_CONF_ERROR;
    }

    mcf->zone->share = mcf->http.share;

    mcf->shm_zone->init = ngx_http_parley_zone_init;
    mcf->shm_zone->data = mcf->zone;

    return ngx_http_parley_slots_add(cf, mcf) == NGX_OK ? NGX_CONF_OK
                                                        : NGX_CONF_ERROR;
}


static void
ngx_http_parley_conf_env(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf,
    parley_settings_env_t *env)
{
    env->ctx = cf;
    env->arena = &mcf->arena;
    env->seed = mcf->seed;
    env->compile = ngx_http_parley_conf_compile;
    env->read = ngx_http_parley_conf_read;
    env->secret = ngx_http_parley_conf_secret;
    env->walk = ngx_http_parley_conf_walk;
    env->warn = ngx_http_parley_conf_warn;

#if (NGX_HTTP_V3)
    env->quic = 1;
#else
    env->quic = 0;
#endif
}


static int
ngx_http_parley_conf_compile(void *ctx, parley_str_t text, void **ret,
    parley_problem_t *problem)
{
    ngx_str_t                          value;
    ngx_conf_t                        *cf = ctx;
    ngx_http_complex_value_t          *cv;
    ngx_http_compile_complex_value_t   ccv;

    cv = ngx_palloc(cf->pool, sizeof(ngx_http_complex_value_t));
    if (cv == NULL) {
        return -1;
    }

    value = ngx_http_parley_ngx_str(text);

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = &value;
    ccv.complex_value = cv;

    *ret = cv;

    return ngx_http_compile_complex_value(&ccv) == NGX_OK ? 0 : -1;
}


static void
ngx_http_parley_conf_warn(void *ctx, const parley_problem_t *problem)
{
    ngx_http_parley_conf_say(ctx, NGX_LOG_WARN, problem);
}


static char *
ngx_http_parley_conf_wrong(ngx_conf_t *cf, const parley_problem_t *problem)
{
    ngx_http_parley_conf_say(cf, NGX_LOG_EMERG, problem);

    return NGX_CONF_ERROR;
}


static void
ngx_http_parley_conf_say(ngx_conf_t *cf, ngx_uint_t level,
    const parley_problem_t *problem)
{
    if (problem->text[0] == '\0') {
        return;
    }

    if (problem->where.line == 0) {
        ngx_log_error(level, cf->log, 0, "%s", problem->text);
        return;
    }

    ngx_log_error(level, cf->log, 0, "%s in %s:%ud", problem->text,
                  problem->where.file.data, problem->where.line);
}


void *
ngx_http_parley_create_main_conf(ngx_conf_t *cf)
{
    parley_mem_t                  mem;
    ngx_pool_cleanup_t           *cln;
    ngx_http_parley_worker_t     *worker;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_main_conf_t));
    worker = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_worker_t));
    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (mcf == NULL || worker == NULL || cln == NULL) {
        return NULL;
    }

    if (RAND_bytes((u_char *) &mcf->seed, sizeof(mcf->seed)) != 1) {
        ngx_ssl_error(NGX_LOG_EMERG, cf->log, 0, "RAND_bytes() failed");
        return NULL;
    }

    mem.alloc = ngx_http_parley_conf_alloc;
    mem.free = NULL;
    mem.ctx = cf->pool;

    parley_arena_init(&mcf->arena, &mem, 0);
    parley_settings_http_init(&mcf->http);

    cln->handler = ngx_http_parley_conf_cleanup;
    cln->data = &mcf->http;

    mcf->worker = worker;
    worker->mcf = mcf;
    ngx_queue_init(&worker->streams);
    ngx_queue_init(&worker->sockets);

    if (ngx_array_init(&mcf->places, cf->pool, 8,
                       sizeof(ngx_http_parley_accepting_t))
        != NGX_OK
        || ngx_array_init(&mcf->unkeyed, cf->pool, 1,
                          sizeof(ngx_http_core_srv_conf_t *))
           != NGX_OK)
    {
        return NULL;
    }

    return mcf;
}


static void *
ngx_http_parley_conf_alloc(void *data, size_t size)
{
    return ngx_palloc(data, size);
}


static void
ngx_http_parley_conf_cleanup(void *data)
{
    parley_settings_http_free(data);
}


char *
ngx_http_parley_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_parley_main_conf_t *mcf = conf;

    parley_problem_t       problem;
    parley_settings_env_t  env;

    ngx_http_parley_conf_env(cf, mcf, &env);

    if (parley_settings_http_settle(&env, &mcf->http, &problem) != 0) {
        return ngx_http_parley_conf_wrong(cf, &problem);
    }

    mcf->jwks_uri = ngx_http_parley_ngx_str(mcf->http.jwks_uri);

    if (mcf->zone) {
        mcf->zone->retain = mcf->http.retain;
        mcf->zone->replay = mcf->http.replay_size;

        ngx_http_parley_store_settle(mcf, ngx_http_parley_configured_end(mcf));
    }

    return NGX_CONF_OK;
}


void *
ngx_http_parley_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_parley_loc_conf_t  *conf;

    conf = ngx_palloc(cf->pool, sizeof(ngx_http_parley_loc_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    parley_settings_init(conf);

    return conf;
}


char *
ngx_http_parley_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_parley_loc_conf_t *prev = parent;
    ngx_http_parley_loc_conf_t *conf = child;

    parley_problem_t              problem;
    parley_block_facts_t          facts;
    parley_settings_env_t         env;
    ngx_http_parley_main_conf_t  *mcf;
    ngx_http_parley_accepting_t  *place;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    parley_settings_merge(conf, prev);

    ngx_http_parley_block_facts(cf, &facts);
    ngx_http_parley_conf_env(cf, mcf, &env);

    if (parley_settings_list(&env, &mcf->http, prev) != 0
        || (!facts.location
            && parley_settings_list(&env, &mcf->http, conf) != 0))
    {
        return NGX_CONF_ERROR;
    }

    if (!parley_settings_steps(conf)) {
        return parley_settings_inactive(&env, &mcf->http, conf, &facts,
                                        &problem)
               == 0
               ? NGX_CONF_OK : ngx_http_parley_conf_wrong(cf, &problem);
    }

    place = ngx_array_push(&mcf->places);
    if (place == NULL) {
        return NGX_CONF_ERROR;
    }

    place->conf = conf;
    place->facts = facts;
    place->clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    place->cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);

    return NGX_CONF_OK;
}


/* Verifies the blocks after the whole configuration was read. */

ngx_int_t
ngx_http_parley_verify(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    ngx_uint_t                    i;
    parley_problem_t              problem;
    parley_settings_env_t         env;
    ngx_http_parley_accepting_t  *places;

    ngx_http_parley_conf_env(cf, mcf, &env);

    places = mcf->places.elts;

    for (i = 0; i < mcf->places.nelts; i++) {
        ngx_http_parley_block_facts_known(cf, &places[i]);

        if (parley_settings_verify(&env, &mcf->http, places[i].conf,
                                   &places[i].facts, mcf->engine, &problem)
            != 0)
        {
            ngx_http_parley_conf_say(cf, NGX_LOG_EMERG, &problem);
            return NGX_ERROR;
        }
    }

    for (i = 0; i < mcf->places.nelts; i++) {
        parley_settings_window(&env, &mcf->http, places[i].conf);

        parley_gate_plan_prepare(&mcf->http, places[i].conf);
    }

    parley_settings_http_doubt(&env, &mcf->http);

    return NGX_OK;
}
