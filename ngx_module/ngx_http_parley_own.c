
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The gateway answers for itself: AEE messages whose recipient is
 * parley_self (AEE-21 to AEE-27).
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_request.h"
#include "ngx_http_parley_state.h"

#include "parley_aee_own.h"


typedef ngx_int_t (*ngx_http_parley_own_pt)(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);


static ngx_int_t ngx_http_parley_own_protocol(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static int ngx_http_parley_own_may(void *data, parley_str_t form,
    parley_str_t intent);
static ngx_int_t ngx_http_parley_own_reply(ngx_http_parley_ctx_t *ctx,
    parley_aee_own_t own, parley_reply_t *reply);
static ngx_int_t ngx_http_parley_own_ping(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
static ngx_int_t ngx_http_parley_own_health(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
static ngx_int_t ngx_http_parley_own_spec(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
static ngx_int_t ngx_http_parley_own_capability(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
static int ngx_http_parley_own_keep(void *data, parley_str_t intent);
static ngx_int_t ngx_http_parley_in_namespace(parley_str_t intent,
    parley_str_t space);
static ngx_int_t ngx_http_parley_own_validate(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_task_fault_t *fault);
static ngx_int_t ngx_http_parley_own_validated(ngx_http_parley_ctx_t *ctx,
    const parley_schema_t *schema, parley_json_ref_t payload,
    parley_str_t *ret);


static ngx_http_parley_own_pt  ngx_http_parley_owns[] = {
    [PARLEY_AEE_PING] = ngx_http_parley_own_ping,
    [PARLEY_AEE_HEALTH] = ngx_http_parley_own_health,
    [PARLEY_AEE_SPEC] = ngx_http_parley_own_spec,
    [PARLEY_AEE_CAPABILITY] = ngx_http_parley_own_capability,
    [PARLEY_AEE_FETCH] = ngx_http_parley_retain_fetch,
    [PARLEY_AEE_REFUTE] = ngx_http_parley_retain_refute,
    [PARLEY_AEE_VALIDATE] = ngx_http_parley_own_validate,
};


ngx_int_t
ngx_http_parley_own(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_uint_t admitted)
{
    ngx_int_t         rc;
    parley_reply_t    reply;
    parley_aee_own_t  own;

    rc = admitted ? NGX_OK : ngx_http_parley_own_protocol(r, ctx);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ctx->gate.proto != PARLEY_PROTO_CANONICAL || ctx->msg.partial
        || ctx->lcf->gate.dry != PARLEY_DRY_OFF
        || !parley_str_eq(ctx->msg.recipient,
                          ctx->mcf->http.self))
    {
        return NGX_OK;
    }

    own = parley_aee_own_find(ctx->msg.intent);

    if (own == PARLEY_AEE_OWN_COUNT || ctx->msg.act != PARLEY_ACT_REQUEST) {
        (void) parley_error_set(&ctx->error, PARLEY_E_INTENT_REFUSED,
                                "/intent", "the gateway itself answers tasks "
                                "of the seven aee.* intents alone");
        return NGX_DECLINED;
    }

    /* one alone changes something */

    if ((own == PARLEY_AEE_REFUTE) != (admitted != 0)) {
        return NGX_OK;
    }

    ngx_memzero(&reply, sizeof(parley_reply_t));

    rc = ngx_http_parley_own_reply(ctx, own, &reply);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_http_parley_commit(ctx, NULL);
    ctx->verdict = "answered";

    return ngx_http_parley_respond(r, ctx, &reply);
}


/* what a protocol has between a client and whoever it connects to */

static ngx_int_t
ngx_http_parley_own_protocol(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    int             rc;
    parley_own_t    own;
    parley_reply_t  reply;

    if (ctx->lcf->gate.dry != PARLEY_DRY_OFF) {
        return NGX_OK;
    }

    own.speak = ctx->lcf->gate.speak;
    own.may = ngx_http_parley_own_may;
    own.ctx = ctx;

    rc = parley_own(&ctx->arena, &ctx->msg, &own, &reply, &ctx->error);

    if (rc == 0) {
        return NGX_OK;
    }

    if (rc < 0) {
        return NGX_DECLINED;
    }

    ctx->verdict = "answered";

    return ngx_http_parley_respond(r, ctx, &reply);
}


static int
ngx_http_parley_own_may(void *data, parley_str_t form, parley_str_t intent)
{
    ngx_http_parley_ctx_t *ctx = data;

    return parley_gate_may(&ctx->gate, form, intent);
}


static ngx_int_t
ngx_http_parley_own_reply(ngx_http_parley_ctx_t *ctx, parley_aee_own_t own,
    parley_reply_t *reply)
{
    int                      failed;
    ngx_int_t                rc;
    parley_str_t             self, payload;
    parley_task_fault_t      fault;

    self = ctx->mcf->http.self;

    rc = ngx_http_parley_owns[own](ctx, &payload, &fault);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK) {
        failed = parley_aee_own_result(&ctx->arena, &ctx->msg, self, payload,
                                       ngx_http_parley_now(), reply,
                                       &ctx->error);
    } else {
        failed = parley_aee_own_error(&ctx->arena, &ctx->msg, self,
                                      parley_str_c(fault.code),
                                      parley_str_c(fault.why),
                                      parley_str_c(fault.field),
                                      ngx_http_parley_now(), reply,
                                      &ctx->error);
    }

    return failed ? NGX_ERROR : NGX_OK;
}


/* AEE-21 */

static ngx_int_t
ngx_http_parley_own_ping(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    *ret = PARLEY_STR("{\"pong\":true}");

    return NGX_OK;
}


/* AEE-22: can a message be remembered, and a token be verified? */

static ngx_int_t
ngx_http_parley_own_health(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    ngx_uint_t                    generation;
    const char                   *keys, *status;
    parley_buf_t                  b;
    const parley_jwks_t          *jwks;
    parley_state_stat_t           stat;
    parley_state_level_t          level;
    ngx_http_parley_main_conf_t  *mcf;

    static const char *const  levels[] = {
        [PARLEY_STATE_OK] = "ok",
        [PARLEY_STATE_LOW] = "low",
        [PARLEY_STATE_FULL] = "full",
    };

    mcf = ctx->mcf;

    parley_memory_stat(&mcf->zone->state, (int64_t) ngx_current_msec, &stat);
    level = parley_state_level(&stat);

    keys = "ok";

    if (mcf->http.jwks || mcf->jwks_uri.len) {
        jwks = ngx_http_parley_jwks_current(ctx->request, mcf, &generation);
        keys = jwks->n ? "ok" : "none";
    }

    if (level == PARLEY_STATE_FULL) {
        status = "unhealthy";

    } else if (level == PARLEY_STATE_LOW || keys[0] != 'o') {
        status = "degraded";

    } else {
        status = "healthy";
    }

    parley_buf_init(&b, &ctx->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("status"), parley_str_c(status));
    parley_buf_lit(&b, ",\"checks\":{");
    parley_buf_member(&b, PARLEY_STR("zone"), parley_str_c(levels[level]));
    parley_buf_member(&b, PARLEY_STR("keys"), parley_str_c(keys));
    parley_buf_lit(&b, "}}");

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/* AEE-23: the protocols that this gateway translates are its extensions */

static ngx_int_t
ngx_http_parley_own_spec(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    ngx_uint_t    i, n;
    parley_buf_t  b;

    n = 0;

    parley_buf_init(&b, &ctx->arena, 0);
    parley_buf_lit(&b, "{\"aee_version\":\"1\",\"extensions\":[");

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (i == PARLEY_PROTO_CANONICAL) {
            continue;
        }

        if (n++) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_lit(&b, "\"parley.");
        parley_buf_str(&b, parley_proto_name((parley_proto_t) i));
        parley_buf_octet(&b, '"');
    }

    parley_buf_lit(&b, "]}");

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/* AEE-24: the gateway's own intents and those with a schema, as far as the
   policy lets this caller use them */

static ngx_int_t
ngx_http_parley_own_capability(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    uint32_t       filter;
    ngx_uint_t     i, n;
    parley_buf_t   b;
    parley_str_t   intent;

    filter = parley_json_get(ctx->msg.data.doc, ctx->msg.data.node,
                             PARLEY_STR("namespace_filter"));

    if (filter != PARLEY_JSON_NONE
        && parley_json_type(ctx->msg.data.doc, filter) != PARLEY_JSON_STRING)
    {
        fault->code = "E_FIELD_INVALID";
        fault->field = "/payload/namespace_filter";
        fault->why = "/payload/namespace_filter must be a text";
        return NGX_DECLINED;
    }

    n = 0;

    parley_buf_init(&b, &ctx->arena, 0);
    parley_buf_lit(&b, "{\"intents\":[");

    for (i = 0; i < PARLEY_AEE_OWN_COUNT; i++) {
        intent = parley_aee_own_intent((parley_aee_own_t) i);

        if (!ngx_http_parley_own_keep(ctx, intent)) {
            continue;
        }

        if (n++) {
            parley_buf_octet(&b, ',');
        }

        parley_buf_json_string(&b, intent);
    }

    (void) parley_intents_list(ctx->mcf->http.intents, &b, n == 0,
                               ngx_http_parley_own_keep, ctx);

    parley_buf_lit(&b, "]}");

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


static int
ngx_http_parley_own_keep(void *data, parley_str_t intent)
{
    ngx_http_parley_ctx_t *ctx = data;

    uint32_t      i;
    parley_str_t  filter;

    i = parley_json_get(ctx->msg.data.doc, ctx->msg.data.node,
                        PARLEY_STR("namespace_filter"));

    if (i != PARLEY_JSON_NONE
        && (parley_json_string(ctx->msg.data.doc, i, &filter) != 0
            || !ngx_http_parley_in_namespace(intent, filter)))
    {
        return 0;
    }

    return parley_gate_may(&ctx->gate, ctx->msg.form, intent);
}


/* "ops" and "ops." and "ops.*" all name what begins with "ops." */

static ngx_int_t
ngx_http_parley_in_namespace(parley_str_t intent, parley_str_t space)
{
    while (space.len
           && (space.data[space.len - 1] == '*'
               || space.data[space.len - 1] == '.'))
    {
        space.len--;
    }

    return space.len == 0
           || (intent.len >= space.len
               && ngx_memcmp(intent.data, space.data, space.len) == 0
               && (intent.len == space.len
                   || intent.data[space.len] == '.'));
}


/* AEE-27 */

static ngx_int_t
ngx_http_parley_own_validate(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    uint32_t              i;
    parley_act_t          act;
    parley_str_t          intent;
    parley_json_ref_t     payload;
    const parley_json_t  *doc;

    doc = ctx->msg.data.doc;

    i = parley_json_member(doc, ctx->msg.data.node, PARLEY_ATOM_intent);

    payload.doc = doc;
    payload.node = parley_json_get(doc, ctx->msg.data.node,
                                   PARLEY_STR("payload_to_validate"));

    if (i == PARLEY_JSON_NONE
        || parley_json_type(doc, i) != PARLEY_JSON_STRING)
    {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/intent";
        fault->why = "/payload/intent must name an intent";
        return NGX_DECLINED;
    }

    if (payload.node == PARLEY_JSON_NONE) {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/payload_to_validate";
        fault->why = "/payload/payload_to_validate is required";
        return NGX_DECLINED;
    }

    if (parley_json_string(doc, i, &intent) != 0) {
        return NGX_ERROR;
    }

    act = PARLEY_ACT_REQUEST;
    i = parley_json_member(doc, ctx->msg.data.node, PARLEY_ATOM_type);

    if (i != PARLEY_JSON_NONE) {

        if (parley_json_string_is(doc, i, PARLEY_STR("result"))) {
            act = PARLEY_ACT_REPLY;

        } else if (parley_json_string_is(doc, i, PARLEY_STR("error"))) {
            act = PARLEY_ACT_FAILURE;
        }
    }

    return ngx_http_parley_own_validated(ctx,
                       parley_intents_find(ctx->mcf->http.intents, intent, act),
                       payload, ret);
}


/* no schema, no error: AEE does not ask for one */

static ngx_int_t
ngx_http_parley_own_validated(ngx_http_parley_ctx_t *ctx,
    const parley_schema_t *schema, parley_json_ref_t payload,
    parley_str_t *ret)
{
    int                    rc;
    char                   base[PARLEY_POINTER_MAX];
    size_t                 len;
    parley_buf_t           b;
    parley_schema_error_t  err;

    rc = schema ? parley_schema_validate(schema, &ctx->arena, payload, &err)
                : 0;

    if (rc < 0) {
        return NGX_ERROR;
    }

    parley_buf_init(&b, &ctx->arena, 0);

    if (rc == 0) {
        parley_buf_lit(&b, "{\"valid\":true,\"errors\":[]");

    } else {
        len = parley_json_pointer(payload.doc, payload.node, base,
                                  sizeof(base));

        parley_buf_lit(&b, "{\"valid\":false,\"errors\":[{");
        parley_buf_member(&b, PARLEY_STR("pointer"),
                          parley_str_c(ngx_strlen(err.error.field) >= len
                                       ? err.error.field + len : ""));
        parley_buf_member(&b, PARLEY_STR("keyword"),
                          parley_str_c(err.keyword));
        parley_buf_member(&b, PARLEY_STR("message"),
                          parley_str_c(err.error.text));
        parley_buf_lit(&b, "}]");
    }

    if (schema == NULL) {
        parley_buf_lit(&b, ",\"schema\":null");
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}
