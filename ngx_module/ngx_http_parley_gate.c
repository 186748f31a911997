
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What the gate asks of its adapter: the steps that need nginx, and what only
 * nginx knows.  The other steps, and their order, are gate/parley_gate.c's.
 */


#include "ngx_http_parley_module.h"
#include "parley_decider.h"
#include "ngx_http_parley_request.h"
#include "ngx_http_parley_state.h"


static ngx_uint_t ngx_http_parley_over_tls(ngx_http_request_t *r);
static parley_outcome_t ngx_http_parley_step_method(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_proof(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_body(parley_gate_t *g);
static int ngx_http_parley_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static int ngx_http_parley_options(parley_gate_t *g,
    parley_encode_opts_t *ret);
static int ngx_http_parley_keys(parley_gate_t *g);
static void ngx_http_parley_trace(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome);
static parley_outcome_t ngx_http_parley_outcome(ngx_int_t rc);


static const parley_gate_env_t  ngx_http_parley_gate_env = {
    .steps = {
        [PARLEY_STEP_METHOD] = ngx_http_parley_step_method,
        [PARLEY_STEP_PROOF] = ngx_http_parley_step_proof,
        [PARLEY_STEP_BODY] = ngx_http_parley_step_body,
    },
    .header = ngx_http_parley_header,
    .beside = ngx_http_parley_beside,
    .arrival = ngx_http_parley_arrival,
    .options = ngx_http_parley_options,
    .keys = ngx_http_parley_keys,
    .told = ngx_http_parley_trace,
};


void
ngx_http_parley_gate_init(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_gate_t  *g;

    g = &ctx->gate;

    g->conf = &ctx->lcf->gate;
    g->env = &ngx_http_parley_gate_env;
    g->ctx = ctx;
    g->engine = ctx->mcf->engine;
    g->intents = ctx->mcf->http.intents;
    g->arena = &ctx->arena;
    g->err = &ctx->error;
    g->who = &ctx->who;
    g->doc = &ctx->doc;
    g->msg = &ctx->msg;
    g->rewritten = &ctx->edited_doc;
    g->loss = &ctx->loss;
    g->self = ctx->mcf->http.self_names;
    g->key = ctx->mcf->http.signing;
    g->address = ngx_http_parley_address(r->connection);
    g->window = ctx->lcf->window_ms;
    g->retain = ctx->mcf->http.retain ? ctx->mcf->http.retain_ms : 0;
    g->replay = ctx->mcf->http.replay_size ? ctx->mcf->http.replay_ms : 0;
    g->seed = ngx_http_parley_seed(ctx);
    g->tls = ngx_http_parley_over_tls(r) ? 1 : 0;

    parley_ask_init(&g->ask, &ctx->mcf->zone->state, &ctx->arena);
    g->ask.resume = ngx_http_parley_wait_resume;
    g->ask.ctx = ctx;

    parley_gate_init(g);
}


static ngx_uint_t
ngx_http_parley_over_tls(ngx_http_request_t *r)
{
#if (NGX_HTTP_SSL)
    ngx_ssl_connection_t  *ssl;

    ssl = r->connection->ssl;

#if (NGX_HTTP_V3)
    if (ssl == NULL && r->http_version == NGX_HTTP_VERSION_30) {
        return 1;
    }
#endif

    return ssl && SSL_version(ssl->connection) >= TLS1_2_VERSION;
#else
    return 0;
#endif
}


static parley_outcome_t
ngx_http_parley_step_method(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return parley_gate_method(g,
                            ngx_http_parley_str(&ctx->request->method_name));
}


static parley_outcome_t
ngx_http_parley_step_proof(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_outcome(ngx_http_parley_token(ctx->request, ctx));
}


/* WAIT: the phase reads the body; nothing of it is read before this step */

static parley_outcome_t
ngx_http_parley_step_body(parley_gate_t *g)
{
    off_t                   announced;
    ngx_int_t               rc;
    ngx_http_request_t     *r;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    r = ctx->request;

    if (!ctx->body_read) {
        announced = r->headers_in.content_length_n;

        if ((announced > 0 && parley_gate_size(g, (uint64_t) announced) != 0)
            || ngx_http_parley_media(r, ctx) != NGX_OK)
        {
            return PARLEY_OUTCOME_REFUSED;
        }

        return PARLEY_OUTCOME_WAIT;
    }

    rc = ngx_http_parley_body_take(r, ctx);

    g->query = ngx_http_parley_str(&r->args);
    g->body = ctx->body;
    g->now_ms = ngx_http_parley_now();

    return ngx_http_parley_outcome(rc);
}


static int
ngx_http_parley_options(parley_gate_t *g, parley_encode_opts_t *ret)
{
    ngx_str_t              *traceparent;
    ngx_http_request_t     *r;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    r = ctx->request;

    ret->now_ms = ngx_http_parley_now();

    if (ngx_http_parley_value(r, &ctx->lcf->context, &ret->context) != NGX_OK
        || ngx_http_parley_value(r, &ctx->lcf->constitution,
                                 &ret->constitution)
           != NGX_OK)
    {
        return -1;
    }

    ret->severities = ctx->lcf->severities;
    ret->nseverities = ctx->lcf->nseverities;
    ret->broadcast = ctx->lcf->broadcast;

    traceparent = ngx_http_parley_in_header(r, "traceparent");

    if (traceparent) {
        (void) parley_traceparent_parse(ngx_http_parley_str(traceparent),
                                        &ret->trace_id, &ret->span_id);
    }

    return 0;
}


static int
ngx_http_parley_keys(parley_gate_t *g)
{
    ngx_uint_t                    generation;
    ngx_http_parley_ctx_t        *ctx = g->ctx;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ctx->mcf;

    return (mcf->http.jwks == NULL && mcf->jwks_uri.len == 0)
           || ngx_http_parley_jwks_current(ctx->request, mcf, &generation)->n;
}


static int
ngx_http_parley_header(parley_gate_t *g, parley_str_t name, parley_str_t *ret)
{
    ngx_str_t              *value;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    value = ngx_http_parley_in_header(ctx->request, (char *) name.data);

    if (value == NULL) {
        return 0;
    }

    *ret = ngx_http_parley_str(value);

    return 1;
}


static parley_outcome_t
ngx_http_parley_outcome(ngx_int_t rc)
{
    switch (rc) {

    case NGX_OK:
        return PARLEY_OUTCOME_PASSED;

    case NGX_DECLINED:
        return PARLEY_OUTCOME_REFUSED;

    case NGX_AGAIN:
        return PARLEY_OUTCOME_WAIT;

    case NGX_DONE:
        return PARLEY_OUTCOME_ANSWERED;

    default:
        return PARLEY_OUTCOME_FAILED;
    }
}


static void
ngx_http_parley_trace(parley_gate_t *g, parley_step_t step,
    parley_outcome_t outcome)
{
    ngx_log_t              *log;
    parley_decider_t        by;
    ngx_http_parley_ctx_t  *ctx;

    ctx = g->ctx;
    log = ctx->request->connection->log;

    if (!(log->log_level & NGX_LOG_DEBUG_HTTP)) {
        return;
    }

    if (!parley_decider(&ctx->mcf->http, ctx->lcf, g, step, &by)) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, log, 0, "parley: step %s: %s",
                       parley_step_name(step), parley_outcome_name(outcome));
        return;
    }

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, log, 0,
                   "parley: step %s: %s, by \"%s\" in %*s:%ud",
                   parley_step_name(step), parley_outcome_name(outcome),
                   by.name, by.where->file.len, by.where->file.data,
                   by.where->line);
}
