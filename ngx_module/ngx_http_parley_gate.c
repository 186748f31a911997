
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What the gate asks of its adapter: the steps that need nginx, and counts.
 * The steps themselves, and their order, are gate/parley_gate.c's.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"
#include "ngx_http_parley_state.h"


static ngx_uint_t ngx_http_parley_over_tls(ngx_http_request_t *r);
static parley_outcome_t ngx_http_parley_step_method(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_proof(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_body(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_reference(parley_gate_t *g);
static void ngx_http_parley_again(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_own(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_admit(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_refute(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_translate(parley_gate_t *g);
static parley_outcome_t ngx_http_parley_step_keep(parley_gate_t *g);
static int ngx_http_parley_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static parley_outcome_t ngx_http_parley_count(parley_gate_t *g,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what);
static parley_outcome_t ngx_http_parley_failed(parley_gate_t *g,
    const parley_limit_rate_t *rate, int again);
static parley_outcome_t ngx_http_parley_outcome(ngx_int_t rc);


static const parley_gate_env_t  ngx_http_parley_gate_env = {
    .steps = {
        [PARLEY_STEP_METHOD] = ngx_http_parley_step_method,
        [PARLEY_STEP_PROOF] = ngx_http_parley_step_proof,
        [PARLEY_STEP_BODY] = ngx_http_parley_step_body,
        [PARLEY_STEP_REFERENCE] = ngx_http_parley_step_reference,
        [PARLEY_STEP_OWN] = ngx_http_parley_step_own,
        [PARLEY_STEP_ADMIT] = ngx_http_parley_step_admit,
        [PARLEY_STEP_REFUTE] = ngx_http_parley_step_refute,
        [PARLEY_STEP_TRANSLATE] = ngx_http_parley_step_translate,
        [PARLEY_STEP_KEEP] = ngx_http_parley_step_keep,
    },
    .remembers = 1,
    .header = ngx_http_parley_header,
    .beside = ngx_http_parley_beside,
    .again = ngx_http_parley_again,
    .limit = ngx_http_parley_count,
    .failures = ngx_http_parley_failed,
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
    g->amended = &ctx->edited_doc;
    g->loss = &ctx->loss;
    g->self = ctx->mcf->http.self_names;
    g->seed = ngx_http_parley_seed(ctx);
    g->tls = ngx_http_parley_over_tls(r) ? 1 : 0;

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


static parley_outcome_t
ngx_http_parley_step_reference(parley_gate_t *g)
{
    ngx_int_t               rc;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    rc = ngx_http_parley_refer(ctx);

    if (rc == NGX_OK) {
        g->to = parley_refer_to(&ctx->refer);
    }

    return ngx_http_parley_outcome(rc);
}


static void
ngx_http_parley_again(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    parley_refer_again(&ctx->refer);
}


static parley_outcome_t
ngx_http_parley_step_own(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_outcome(ngx_http_parley_own(ctx->request, ctx, 0));
}


static parley_outcome_t
ngx_http_parley_step_admit(parley_gate_t *g)
{
    return ngx_http_parley_outcome(ngx_http_parley_enter(g->ctx));
}


static parley_outcome_t
ngx_http_parley_step_refute(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_outcome(ngx_http_parley_own(ctx->request, ctx, 1));
}


static parley_outcome_t
ngx_http_parley_step_translate(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_outcome(
                              ngx_http_parley_translate(ctx->request, ctx));
}


static parley_outcome_t
ngx_http_parley_step_keep(parley_gate_t *g)
{
    return ngx_http_parley_outcome(ngx_http_parley_ask(g->ctx));
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
ngx_http_parley_count(parley_gate_t *g, const parley_limit_rate_t *rate,
    parley_str_t who, parley_str_t what)
{
    return ngx_http_parley_outcome(
                          ngx_http_parley_limit_take(g->ctx, rate, who, what));
}


static parley_outcome_t
ngx_http_parley_failed(parley_gate_t *g, const parley_limit_rate_t *rate,
    int again)
{
    return ngx_http_parley_outcome(
                                ngx_http_parley_failures(g->ctx, rate, again));
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
