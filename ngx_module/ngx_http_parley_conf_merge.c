
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a location has of its own and what it inherits; what is wrong with it
 * as a whole.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_directives.h"

#include "parley_location.h"


static void ngx_http_parley_merge_protocols(ngx_http_parley_loc_conf_t *conf,
    ngx_http_parley_loc_conf_t *prev);
static void ngx_http_parley_merge_bounds(ngx_http_parley_loc_conf_t *conf,
    ngx_http_parley_loc_conf_t *prev);
static char *ngx_http_parley_merge_off(ngx_conf_t *cf,
    ngx_http_parley_loc_conf_t *conf);
static ngx_uint_t ngx_http_parley_is_frame(ngx_http_core_loc_conf_t *clcf);
static void ngx_http_parley_gate_conf(ngx_http_parley_loc_conf_t *conf);
static ngx_int_t ngx_http_parley_verify_place(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_http_parley_loc_conf_t *conf);
static ngx_int_t ngx_http_parley_verify_effects(ngx_conf_t *cf,
    ngx_http_parley_loc_conf_t *conf, const parley_location_t *l);
static parley_str_t ngx_http_parley_constant(ngx_http_complex_value_t *cv);
static void ngx_http_parley_verify_windows(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);


void *
ngx_http_parley_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_parley_loc_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_loc_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->mve5 = 0;
     *     conf->any_case = 0;
     *     conf->limits = { 0 };
     *     conf->gate = { 0 };
     *     conf->file = { 0, NULL };
     *     conf->line = 0;
     *     conf->off = 0;
     *     conf->first = { 0 };
     *     conf->guard = { 0 };
     *     conf->beside = { { 0 } };
     *     conf->frame = 0;
     */

    conf->accept = NGX_HTTP_PARLEY_ACCEPT_UNSET;
    conf->said = NGX_CONF_UNSET_UINT;
    conf->jwt = NGX_CONF_UNSET_PTR;
    conf->claims = NGX_CONF_UNSET_PTR;
    conf->signature = NGX_CONF_UNSET_UINT;
    conf->trusted = NGX_CONF_UNSET;
    conf->policy = NGX_CONF_UNSET_PTR;
    conf->rate = NGX_CONF_UNSET_PTR;
    conf->cap = NGX_CONF_UNSET_PTR;
    conf->past = NGX_CONF_UNSET_MSEC;
    conf->future = NGX_CONF_UNSET_MSEC;
    conf->window = NGX_CONF_UNSET_MSEC;
    conf->limit_body = NGX_CONF_UNSET_SIZE;
    conf->limit_depth = NGX_CONF_UNSET_UINT;
    conf->limit_string = NGX_CONF_UNSET_SIZE;
    conf->limit_members = NGX_CONF_UNSET_UINT;
    conf->redact = NGX_CONF_UNSET_PTR;
    conf->loss = NGX_CONF_UNSET_UINT;
    conf->dry = NGX_CONF_UNSET_UINT;
    conf->context = NGX_CONF_UNSET_PTR;
    conf->constitution = NGX_CONF_UNSET_PTR;
    conf->severities = NGX_CONF_UNSET_PTR;

    return conf;
}


char *
ngx_http_parley_merge_loc_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_parley_loc_conf_t *prev = parent;
    ngx_http_parley_loc_conf_t *conf = child;

    ngx_http_core_loc_conf_t     *clcf;
    ngx_http_parley_loc_conf_t  **place;
    ngx_http_parley_main_conf_t  *mcf;

    ngx_http_parley_merge_protocols(conf, prev);

    ngx_conf_merge_ptr_value(conf->jwt, prev->jwt, NULL);
    ngx_conf_merge_ptr_value(conf->claims, prev->claims, NULL);
    ngx_conf_merge_uint_value(conf->signature, prev->signature,
                              PARLEY_DEMAND_OPTIONAL);
    ngx_conf_merge_value(conf->trusted, prev->trusted, 0);
    ngx_conf_merge_ptr_value(conf->policy, prev->policy, NULL);
    ngx_conf_merge_ptr_value(conf->rate, prev->rate, NULL);
    ngx_conf_merge_ptr_value(conf->cap, prev->cap, NULL);

    if (conf->window == NGX_CONF_UNSET_MSEC) {
        conf->receiver = prev->receiver;
    }

    ngx_conf_merge_msec_value(conf->window, prev->window, 600000);
    ngx_conf_merge_ptr_value(conf->redact, prev->redact, NULL);
    ngx_conf_merge_uint_value(conf->loss, prev->loss,
                              PARLEY_LOSS_REPORT);
    ngx_conf_merge_uint_value(conf->dry, prev->dry, PARLEY_DRY_OFF);
    ngx_conf_merge_ptr_value(conf->context, prev->context, NULL);
    ngx_conf_merge_ptr_value(conf->constitution, prev->constitution, NULL);
    ngx_conf_merge_ptr_value(conf->severities, prev->severities, NULL);
    ngx_conf_merge_str_value(conf->broadcast, prev->broadcast, "");

    ngx_http_parley_merge_bounds(conf, prev);

    if (conf->guard.name.len == 0) {
        conf->guard = prev->guard;
    }

    if (conf->accept == 0) {
        return ngx_http_parley_merge_off(cf, conf);
    }

    ngx_http_parley_gate_conf(conf);

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    conf->frame = ngx_http_parley_is_frame(clcf);

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);

    place = ngx_array_push(&mcf->places);
    if (place == NULL) {
        return NGX_CONF_ERROR;
    }

    *place = conf;

    return NGX_CONF_OK;
}


static void
ngx_http_parley_merge_protocols(ngx_http_parley_loc_conf_t *conf,
    ngx_http_parley_loc_conf_t *prev)
{
    if (conf->accept == NGX_HTTP_PARLEY_ACCEPT_UNSET) {

        if (prev->accept == NGX_HTTP_PARLEY_ACCEPT_UNSET) {
            prev->accept = 0;
        }

        conf->accept = prev->accept;
        conf->mve5 = prev->mve5;
        conf->any_case = prev->any_case;
        conf->file = prev->file;
        conf->line = prev->line;
    }

    /* what is derived from a block's own words is not inherited */

    if (conf->said == NGX_CONF_UNSET_UINT) {
        conf->said = prev->said;
        conf->gateway = prev->gateway;
    }

    conf->speak = conf->said == NGX_CONF_UNSET_UINT
                  ? (ngx_uint_t) parley_location_speaks(conf->accept)
                  : conf->said;
}


/* a directive of several words replaces that of an outer block whole */

static void
ngx_http_parley_merge_bounds(ngx_http_parley_loc_conf_t *conf,
    ngx_http_parley_loc_conf_t *prev)
{
    if (conf->past == NGX_CONF_UNSET_MSEC
        && conf->future == NGX_CONF_UNSET_MSEC)
    {
        conf->past = prev->past;
        conf->future = prev->future;
    }

    ngx_conf_init_msec_value(conf->past, 300000);
    ngx_conf_init_msec_value(conf->future, 30000);

    if (conf->limit_body == NGX_CONF_UNSET_SIZE
        && conf->limit_depth == NGX_CONF_UNSET_UINT
        && conf->limit_string == NGX_CONF_UNSET_SIZE
        && conf->limit_members == NGX_CONF_UNSET_UINT)
    {
        conf->limit_body = prev->limit_body;
        conf->limit_depth = prev->limit_depth;
        conf->limit_string = prev->limit_string;
        conf->limit_members = prev->limit_members;
    }

    ngx_conf_init_size_value(conf->limit_body,
                             parley_json_limits_default.octets);
    ngx_conf_init_uint_value(conf->limit_depth,
                             parley_json_limits_default.depth);
    ngx_conf_init_size_value(conf->limit_string,
                             parley_json_limits_default.string);
    ngx_conf_init_uint_value(conf->limit_members,
                             parley_json_limits_default.members);

    conf->limits = parley_json_limits_default;
    conf->limits.octets = conf->limit_body;
    conf->limits.depth = (uint32_t) conf->limit_depth;
    conf->limits.string = (uint32_t) conf->limit_string;
    conf->limits.members = (uint32_t) conf->limit_members;
}


/*
 * SEC-07: what is to protect a location does so where messages are accepted,
 * and nowhere else.
 */

static char *
ngx_http_parley_merge_off(ngx_conf_t *cf, ngx_http_parley_loc_conf_t *conf)
{
    ngx_http_parley_word_t    *word;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    word = &conf->first;

    if (word->name.len && word->location) {

        if (clcf->handler == NULL && ngx_http_parley_is_frame(clcf)) {
            return NGX_CONF_OK;
        }

        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"%V\" has no effect without \"parley_accept\": "
                      "whatever comes passes unchecked in %V:%ui",
                      &word->name, &word->file, word->line);

        return NGX_CONF_ERROR;
    }

    word = &conf->guard;

    if (word->name.len && !conf->off && clcf->handler && !clcf->internal) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "location \"%V\" inherits \"%V\", which has no effect "
                      "without \"parley_accept\": whatever comes passes "
                      "unchecked; \"parley_accept off\" says so, inherited "
                      "from %V:%ui", &clcf->name, &word->name, &word->file,
                      word->line);
    }

    return NGX_CONF_OK;
}


/* whether other locations stand in it, which may accept messages */

static ngx_uint_t
ngx_http_parley_is_frame(ngx_http_core_loc_conf_t *clcf)
{
    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *inner;
    ngx_http_location_queue_t  *lq;

    if (clcf->locations == NULL) {
        return 0;
    }

    for (q = ngx_queue_head(clcf->locations);
         q != ngx_queue_sentinel(clcf->locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;
        inner = lq->exact ? lq->exact : lq->inclusive;

        /* those of "if" and "limit_except" have no name */

        if (!inner->noname) {
            return 1;
        }
    }

    return 0;
}


static void
ngx_http_parley_gate_conf(ngx_http_parley_loc_conf_t *conf)
{
    parley_gate_conf_t  *gate;

    gate = &conf->gate;

    gate->accept = conf->accept;
    gate->speak = (parley_proto_t) conf->speak;
    gate->gateway = ngx_http_parley_str(&conf->gateway);
    gate->signature = (parley_demand_t) conf->signature;
    gate->dry = (parley_dry_t) conf->dry;
    gate->trusted = conf->trusted ? 1 : 0;
    gate->mve5 = conf->mve5 ? 1 : 0;
    gate->any_case = conf->any_case ? 1 : 0;

    if (conf->jwt && conf->jwt->enabled
        && conf->jwt->source == NGX_HTTP_PARLEY_TOKEN_ARG)
    {
        gate->token = ngx_http_parley_str(&conf->jwt->source_name);
    }

    parley_location_guard(gate, conf->jwt && conf->jwt->enabled
                                ? &conf->jwt->failures : NULL);

    if (conf->redact) {
        gate->redact = conf->redact->elts;
        gate->nredact = (uint32_t) conf->redact->nelts;
    }

    gate->loss = (parley_loss_mode_t) conf->loss;
    gate->policy = conf->policy;
    gate->rate = conf->rate;
    gate->limits = conf->limits;
    gate->past_ms = (int64_t) conf->past;
    gate->future_ms = (int64_t) conf->future;

    gate->caps.priority = PARLEY_PRIORITY_URGENT;

    if (conf->cap) {
        gate->caps.timeout_ms = (int64_t) conf->cap->timeout;

        if (conf->cap->priority >= 0) {
            gate->caps.priority = (parley_priority_t) conf->cap->priority;
        }
    }
}


ngx_int_t
ngx_http_parley_verify(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    ngx_uint_t                    i;
    ngx_http_parley_loc_conf_t  **places;

    places = mcf->places.elts;

    for (i = 0; i < mcf->places.nelts; i++) {
        if (ngx_http_parley_verify_place(cf, mcf, places[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_http_parley_verify_windows(cf, mcf);

    return NGX_OK;
}


/*
 * What no directive can know of alone.  The place named is that of
 * parley_accept: the configuration has been read to its end by now.
 */

static ngx_int_t
ngx_http_parley_verify_place(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_http_parley_loc_conf_t *conf)
{
    parley_error_t      err;
    parley_location_t   l;
    parley_proto_set_t  idle;

    ngx_memzero(&l, sizeof(parley_location_t));

    l.gate = &conf->gate;
    l.window_ms = (int64_t) conf->window;
    l.context = ngx_http_parley_constant(conf->context);
    l.constitution = ngx_http_parley_constant(conf->constitution);
    l.token = (conf->jwt && conf->jwt->enabled) ? 1 : 0;
    l.has_zone = mcf->zone ? 1 : 0;
    l.has_keys = (mcf->jwks || mcf->jwks_uri.len) ? 1 : 0;
    l.has_principals = mcf->directory ? 1 : 0;
    l.has_signers = mcf->directory
                    && parley_directory_has_keys(mcf->directory) ? 1 : 0;

    if (parley_location_verify(&l, mcf->engine, &mcf->arena, &err) != 0) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"parley_accept\" %s in %V:%ui", err.text, &conf->file,
                      conf->line);
        return NGX_ERROR;
    }

    idle = parley_location_idle(&conf->gate, &err);

    if (idle & ~mcf->idle[conf->speak]) {
        /* once of each pair */
        mcf->idle[conf->speak] |= idle;

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"parley_accept\" %s in %V:%ui", err.text, &conf->file,
                      conf->line);
    }

    return ngx_http_parley_verify_effects(cf, conf, &l);
}


/* GW-28: what stands for locations within has its effect there */

static ngx_int_t
ngx_http_parley_verify_effects(ngx_conf_t *cf,
    ngx_http_parley_loc_conf_t *conf, const parley_location_t *l)
{
    ngx_uint_t               i;
    parley_error_t           err;
    ngx_http_parley_word_t  *word;

    if (conf->frame) {
        return NGX_OK;
    }

    for (i = 0; i < PARLEY_BESIDE_COUNT; i++) {
        word = &conf->beside[i];

        if (word->name.len && word->location
            && parley_location_effect(l, (parley_beside_t) i, &err) != 0)
        {
            ngx_log_error(NGX_LOG_EMERG, cf->log, 0, "\"%V\" %s in %V:%ui",
                          &word->name, err.text, &word->file, word->line);
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* what has variables is not known yet */

static parley_str_t
ngx_http_parley_constant(ngx_http_complex_value_t *cv)
{
    return cv && cv->lengths == NULL ? ngx_http_parley_str(&cv->value)
                                     : parley_str_none;
}


/* SEC-13: an id is remembered no shorter than any location may take it */

static void
ngx_http_parley_verify_windows(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf)
{
    ngx_uint_t                    i;
    ngx_msec_t                    longest, window;
    ngx_http_parley_loc_conf_t  **places;

    longest = 0;
    places = mcf->places.elts;

    for (i = 0; i < mcf->places.nelts; i++) {
        longest = ngx_max(longest, places[i]->past + places[i]->future);
    }

    for (i = 0; i < mcf->places.nelts; i++) {
        window = (ngx_msec_t) parley_location_window(
                                                (int64_t) places[i]->window,
                                                (int64_t) longest);

        if (window != places[i]->window) {
            ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                          "\"parley_window\" is %M ms here, the longest "
                          "\"parley_freshness\" of any location, for "
                          "\"parley_accept\" in %V:%ui",
                          window, &places[i]->file, places[i]->line);
        }

        places[i]->window = window;
    }
}
