
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The callbacks of the gate: the steps that need nginx, and data that only
 * nginx has.  gate/parley_gate.c has the other steps and their order.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/moq/ngx_http_parley_inner.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_peer.h"
#include "ngx_module/worker/ngx_http_parley_random.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "translate/parley_engine.h"
#include "gate/steps/parley_trace_directive.h"


static ngx_uint_t ngx_http_parley_over_tls(ngx_http_request_t *r);
static parley_step_result_t ngx_http_parley_step_method(parley_gate_t *g);
static parley_step_result_t ngx_http_parley_step_body(parley_gate_t *g);
static ngx_uint_t ngx_http_parley_is_encoded(ngx_http_request_t *r);
static parley_step_result_t ngx_http_parley_step_frame(parley_gate_t *g);
static parley_step_result_t ngx_http_parley_step_forward(parley_gate_t *g);
static ngx_int_t ngx_http_parley_forward(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static int ngx_http_parley_header(parley_gate_t *g, parley_str_t name,
    parley_str_t *ret);
static void ngx_http_parley_headers(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data);
static int64_t ngx_http_parley_clock(parley_gate_t *g);
static int ngx_http_parley_draw(parley_gate_t *g, uint8_t out[16]);
static void ngx_http_parley_wake(parley_gate_t *g);
static parley_str_t ngx_http_parley_path(ngx_http_request_t *r);
static int ngx_http_parley_gate_value(parley_gate_t *g,
    const parley_value_t *value, parley_str_t *ret);
static int ngx_http_parley_keys(parley_gate_t *g, int64_t age,
    parley_keys_t *ret);
static void ngx_http_parley_traceparent(parley_gate_t *g,
    parley_str_t *trace_id, parley_str_t *span_id);
static void ngx_http_parley_trace(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result);
static void ngx_http_parley_verdict(parley_gate_t *g);
static parley_recorded_t ngx_http_parley_record(parley_gate_t *g,
    parley_verdict_t verdict);
static void ngx_http_parley_outcome(parley_gate_t *g,
    const parley_outcome_t *outcome);
static parley_step_result_t ngx_http_parley_step_result(ngx_int_t rc);


#define NGX_HTTP_PARLEY_GATE_ANY(_step_done)                                  \
        .now = ngx_http_parley_clock,                                         \
        .random = ngx_http_parley_draw,                                       \
        .wake = ngx_http_parley_wake,                                         \
        .headers = ngx_http_parley_headers,                                   \
        .value = ngx_http_parley_gate_value,                                  \
        .keys = ngx_http_parley_keys,                                         \
        .certificate = ngx_http_parley_certificate,                           \
        .beside = ngx_http_parley_beside,                                     \
        .arrival = ngx_http_parley_arrival,                                   \
        .step_done = (_step_done),                                            \
        .verdict = ngx_http_parley_verdict,                                   \
        .record = ngx_http_parley_record,                                     \
        .outcome = ngx_http_parley_outcome

#define NGX_HTTP_PARLEY_GATE_ENV(_step_done, _hold)                           \
    {                                                                         \
        .steps = {                                                            \
            [PARLEY_STEP_METHOD] = ngx_http_parley_step_method,               \
            [PARLEY_STEP_BODY] = ngx_http_parley_step_body,                   \
            [PARLEY_STEP_FORWARD] = ngx_http_parley_step_forward,             \
        },                                                                    \
        .hold = (_hold),                                                      \
        .seat = ngx_http_parley_hub_seat,                                     \
        .header = ngx_http_parley_header,                                     \
        .trace = ngx_http_parley_traceparent,                                 \
        NGX_HTTP_PARLEY_GATE_ANY(_step_done)                                  \
    }

/* a WebSocket message has no headers and cannot be held */

#define NGX_HTTP_PARLEY_GATE_FRAME(_step_done)                                \
    {                                                                         \
        .steps = {                                                            \
            [PARLEY_STEP_BODY] = ngx_http_parley_step_frame,                  \
        },                                                                    \
        NGX_HTTP_PARLEY_GATE_ANY(_step_done)                                  \
    }


/* The second of each pair is used if the log writes debug lines. */

static const parley_gate_env_t  ngx_http_parley_gate_env =
    NGX_HTTP_PARLEY_GATE_ENV(NULL, ngx_http_parley_await);

static const parley_gate_env_t  ngx_http_parley_gate_env_told =
    NGX_HTTP_PARLEY_GATE_ENV(ngx_http_parley_trace, ngx_http_parley_await);


/* an inner request is not held: its answer comes in the mailbox */

static const parley_gate_env_t  ngx_http_parley_gate_inner_env =
    NGX_HTTP_PARLEY_GATE_ENV(NULL, NULL);

static const parley_gate_env_t  ngx_http_parley_gate_inner_env_told =
    NGX_HTTP_PARLEY_GATE_ENV(ngx_http_parley_trace, NULL);


static const parley_gate_env_t  ngx_http_parley_gate_frame_env =
    NGX_HTTP_PARLEY_GATE_FRAME(NULL);

static const parley_gate_env_t  ngx_http_parley_gate_frame_env_told =
    NGX_HTTP_PARLEY_GATE_FRAME(ngx_http_parley_trace);


void
ngx_http_parley_gate_init(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t               told;
    parley_gate_t           *g;
    ngx_http_parley_peer_t  *peer;

    g = &ctx->gate;
    peer = ngx_http_parley_peer(r);

    if (peer) {
        g->in.dialled = ngx_http_parley_str(&peer->sub);
    }

    told = r->connection->log->log_level & NGX_LOG_DEBUG_HTTP;

    if (ngx_http_parley_inner(r)) {
        g->in.inner = 1;
        g->env = told ? &ngx_http_parley_gate_inner_env_told
                      : &ngx_http_parley_gate_inner_env;

    } else {
        g->env = told ? &ngx_http_parley_gate_env_told
                      : &ngx_http_parley_gate_env;
    }

    g->ctx = ctx;
    g->engine = ctx->mcf->engine;
    g->arena = &ctx->arena;
    g->err = &ctx->error;
    g->who = &ctx->who;
    g->doc = &ctx->doc;
    g->msg = &ctx->msg;
    g->rewritten = &ctx->edited_doc;
    g->loss = &ctx->loss;
    g->in.tokens = ctx->worker->tokens;
    g->in.address = ngx_http_parley_address(r->connection);
    g->in.failing = &ctx->worker->failing;
    g->in.authors = &ctx->worker->authors;
    g->in.seed = ctx->mcf->zone->sh->seed;
    g->in.tls = ngx_http_parley_over_tls(r) ? 1 : 0;
    g->in.local = r->connection->sockaddr->sa_family == AF_UNIX;
    g->in.upgradable = r->http_version == NGX_HTTP_VERSION_11;
    g->in.method = ngx_http_parley_str(&r->method_name);
    g->in.uri = ngx_http_parley_str(&r->uri);

    parley_ask_init(&g->ask, ctx->mcf->zone->state, &ctx->arena);
    g->ask.resume = ngx_http_parley_wait_resume;
    g->ask.ctx = ctx;

    parley_gate_configure(g, &ctx->mcf->http, ctx->lcf);
    parley_gate_init(g);
}


void
ngx_http_parley_gate_frame(ngx_http_parley_ctx_t *ctx)
{
    ctx->gate.in.framed = 1;

    ctx->gate.env = ctx->gate.env == &ngx_http_parley_gate_env
                    ? &ngx_http_parley_gate_frame_env
                    : &ngx_http_parley_gate_frame_env_told;
}


static ngx_uint_t
ngx_http_parley_over_tls(ngx_http_request_t *r)
{
#if (NGX_HTTP_SSL)
    ngx_ssl_connection_t  *ssl;

    ssl = r->connection->ssl;

#if (NGX_HTTP_V3)
    if (ngx_http_parley_inner(r)) {
        /* it may outlive its QUIC connection */
        return 1;
    }

    if (ssl == NULL && r->http_version == NGX_HTTP_VERSION_30) {
        return 1;
    }
#endif

    return ssl && SSL_version(ssl->connection) >= TLS1_2_VERSION;
#else
    return 0;
#endif
}


static parley_step_result_t
ngx_http_parley_step_method(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return parley_gate_method(g,
                            ngx_http_parley_str(&ctx->request->method_name));
}


/* Returns WAIT to make the phase read the body.  No body is read before this
   step. */

static parley_step_result_t
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
            return PARLEY_RESULT_REFUSED;
        }

        return PARLEY_RESULT_WAIT;
    }

    rc = ngx_http_parley_body_take(r, ctx);

    if (g->serve.relays) {
        g->in.encoded = ngx_http_parley_is_encoded(r) ? 1 : 0;
    }

    g->in.path = ngx_http_parley_path(r);
    g->in.query = ngx_http_parley_str(&r->args);
    g->in.body = ctx->body;
    g->in.now_ms = ngx_http_parley_now();

    return ngx_http_parley_step_result(rc);
}


/* Returns whether the service gets another path than the decoded one. */

static ngx_uint_t
ngx_http_parley_is_encoded(ngx_http_request_t *r)
{
    size_t   len;
    u_char  *p;

    p = ngx_strlchr(r->unparsed_uri.data,
                    r->unparsed_uri.data + r->unparsed_uri.len, '?');
    len = p ? (size_t) (p - r->unparsed_uri.data) : r->unparsed_uri.len;

    return r->valid_unparsed_uri
           && (len != r->uri.len
               || ngx_memcmp(r->unparsed_uri.data, r->uri.data, len) != 0);
}


static parley_step_result_t
ngx_http_parley_step_frame(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    g->in.path = parley_str_none;
    g->in.query = parley_str_none;
    g->in.body = ctx->body;
    g->in.now_ms = ngx_http_parley_now();

    return PARLEY_RESULT_PASSED;
}


static parley_step_result_t
ngx_http_parley_step_forward(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_step_result(ngx_http_parley_forward(ctx->request,
                                                               ctx));
}


static ngx_int_t
ngx_http_parley_forward(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx->gate.where.entry == NULL) {
        ctx->client_headers = r->headers_in.headers;
        ctx->client_type = r->headers_in.content_type;
        ctx->client_args = r->args;
        ctx->client_uri = r->unparsed_uri;
        ctx->client_version = r->http_version;
    }

    if (ngx_http_parley_body_replace(r, ctx) != NGX_OK
        || ngx_http_parley_forward_arguments(r, ctx) != NGX_OK
        || ngx_http_parley_request_headers(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->forwarded = 1;

    if (ctx->gate.serve.relays) {
        /* a cache of the answers would give them to other callers */
        r->method = NGX_HTTP_UNKNOWN;

        /* a stream lasts as long as its client and its service */

        if (ctx->gate.serve.socket) {
            /* octets after the handshake are never another request */
            r->keepalive = 0;
            ctx->upgraded = ngx_http_parley_websocket_pass;
        }

        return NGX_OK;
    }

    if (ngx_http_parley_deadline_start(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_client_watch(r, ctx);

    return NGX_OK;
}


static int64_t
ngx_http_parley_clock(parley_gate_t *g)
{
    return ngx_http_parley_now();
}


static int
ngx_http_parley_draw(parley_gate_t *g, uint8_t out[16])
{
    return ngx_http_parley_random(out) == NGX_OK ? 0 : -1;
}


static void
ngx_http_parley_wake(parley_gate_t *g)
{
    ngx_http_parley_hub_t  *h;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    h = ctx->worker->hub;

    if (h) {
        ngx_http_parley_hub_wakes(h);

    } else {
        ngx_http_parley_jobs_added(ctx->worker);
    }
}


/* Returns the path, or an empty one if it equals the location. */

static parley_str_t
ngx_http_parley_path(ngx_http_request_t *r)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->exact_match
        || (r->uri.len == clcf->name.len
            && ngx_memcmp(r->uri.data, clcf->name.data, r->uri.len) == 0))
    {
        return parley_str_none;
    }

    return ngx_http_parley_str(&r->uri);
}


static int
ngx_http_parley_gate_value(parley_gate_t *g, const parley_value_t *value,
    parley_str_t *ret)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    return ngx_http_parley_value(ctx->request, value, ret) == NGX_OK ? 0 : -1;
}


static void
ngx_http_parley_traceparent(parley_gate_t *g, parley_str_t *trace_id,
    parley_str_t *span_id)
{
    ngx_str_t              *value;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    value = ngx_http_parley_in_header(ctx->request, "traceparent");

    if (value) {
        (void) parley_traceparent_parse(ngx_http_parley_str(value), trace_id,
                                        span_id);
    }
}


static int
ngx_http_parley_keys(parley_gate_t *g, int64_t age, parley_keys_t *ret)
{
    ngx_uint_t              number;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    if (age && g->where.may_not_wait) {
        return PARLEY_WAIT;
    }

    if (age) {
        return ngx_http_parley_fetch_wait(ctx->request, ctx, (ngx_msec_t) age)
               == NGX_AGAIN ? PARLEY_WAIT : 0;
    }

    ret->set = ngx_http_parley_jwks_current(ctx->request, ctx->worker, &number);
    ret->number = number;

    return 0;
}


static void
ngx_http_parley_headers(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data)
{
    ngx_uint_t              i;
    ngx_list_part_t        *part;
    ngx_table_elt_t        *h;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    part = &ctx->request->headers_in.headers.part;

    for (/* void */ ; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (h[i].key.len == name.len
                && ngx_memcmp(h[i].lowcase_key, name.data, name.len) == 0)
            {
                found(data, ngx_http_parley_str(&h[i].value));
            }
        }
    }
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


static parley_step_result_t
ngx_http_parley_step_result(ngx_int_t rc)
{
    switch (rc) {

    case NGX_OK:
        return PARLEY_RESULT_PASSED;

    case NGX_DECLINED:
        return PARLEY_RESULT_REFUSED;

    case NGX_AGAIN:
        return PARLEY_RESULT_WAIT;

    case NGX_DONE:
        return PARLEY_RESULT_ANSWERED;

    default:
        return PARLEY_RESULT_FAILED;
    }
}


static void
ngx_http_parley_trace(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result)
{
    ngx_log_t                *log;
    parley_trace_directive_t  by;
    ngx_http_parley_ctx_t    *ctx;

    ctx = g->ctx;
    log = ctx->request->connection->log;

    if (!parley_gate_trace_directive(&ctx->mcf->http, ctx->lcf, g, step, &by)) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, log, 0, "parley: step %s: %s",
                       parley_step_name(step), parley_step_result_name(result));
        return;
    }

    ngx_log_debug6(NGX_LOG_DEBUG_HTTP, log, 0,
                   "parley: step %s: %s, by \"%s\" in %*s:%ud",
                   parley_step_name(step), parley_step_result_name(result),
                   by.name, by.where->file.len, by.where->file.data,
                   by.where->line);
}


static void
ngx_http_parley_verdict(parley_gate_t *g)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    ngx_http_parley_count_verdict(ctx);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "parley: verdict %s",
                   parley_verdict_name(g->report.verdict).data);

    ngx_http_parley_audit_verdict(ctx);

    if (g->report.noted) {
        ngx_http_parley_count_noted(ctx->worker, g->report.noted, NULL);
    }

    if (g->admit.not_resumed && g->report.verdict != PARLEY_VERDICT_REFUSED) {
        ngx_http_parley_log_in_vain(ctx);
    }
}


static parley_recorded_t
ngx_http_parley_record(parley_gate_t *g, parley_verdict_t verdict)
{
    return ngx_http_parley_audit_record(g->ctx, verdict);
}


static void
ngx_http_parley_outcome(parley_gate_t *g, const parley_outcome_t *outcome)
{
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    ngx_http_parley_count_outcome(ctx, outcome);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "parley: outcome: %s, its id is %s",
                   parley_outcome_name(outcome->kind).data,
                   outcome->settle == PARLEY_SETTLE_COMMIT ? "taken" : "free");

    ngx_http_parley_audit_outcome(ctx, outcome);
}
