
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Variables for logs, maps and headers.  They never contain payload.  A
 * variable without a value is not found.  Foreign values are percent-encoded
 * (SEC-01), because nginx writes them unchanged.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/moq/ngx_http_parley_inner.h"
#include "ngx_module/request/ngx_http_parley_proof.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "translate/parley_engine.h"
#include "core/parley_escape.h"
#include "auth/parley_jwt.h"
#include "translate/parley_loss.h"


#define NGX_HTTP_PARLEY_TRACE_ID  32      /* hex digits of a traceparent */


static ngx_int_t ngx_http_parley_variable_message(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_protocol(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_speak(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_trace(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_priority(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_principal(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_surface(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_signature(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_verdict(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_error(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_loss(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_url(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_session(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_parley_variable_claim(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);


static ngx_http_variable_t  ngx_http_parley_vars[] = {

    { ngx_string("parley_protocol"), NULL,
      ngx_http_parley_variable_protocol, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_speak"), NULL,
      ngx_http_parley_variable_speak, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_trace"), NULL,
      ngx_http_parley_variable_trace, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_type"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, form), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_id"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, id), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_corr"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, corr), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_intent"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, intent), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_from"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, sender), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_to"), NULL, ngx_http_parley_variable_message,
      offsetof(parley_msg_t, recipient), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_priority"), NULL,
      ngx_http_parley_variable_priority, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_principal"), NULL,
      ngx_http_parley_variable_principal, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_surface"), NULL,
      ngx_http_parley_variable_surface, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_signature"), NULL,
      ngx_http_parley_variable_signature, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_verdict"), NULL,
      ngx_http_parley_variable_verdict, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_error"), NULL,
      ngx_http_parley_variable_error, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_loss"), NULL,
      ngx_http_parley_variable_loss, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_deliver_url"), NULL,
      ngx_http_parley_variable_url, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_moq_session"), NULL,
      ngx_http_parley_variable_session, 0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("parley_claim_"), NULL, ngx_http_parley_variable_claim,
      0, NGX_HTTP_VAR_NOCACHEABLE|NGX_HTTP_VAR_PREFIX, 0 },

      ngx_http_null_variable
};


/* As ngx_http_parley_variable_ctx(), and proves the caller (GW-32). */

static ngx_http_parley_ctx_t *
ngx_http_parley_variable_proof(ngx_http_request_t *r,
    ngx_http_variable_value_t *v)
{
    v->valid = 0;
    v->no_cacheable = 0;
    v->not_found = 1;

    return ngx_http_parley_prove(r);
}


/*
 * Returns the context of the request.  nginx drops it at an internal redirect;
 * then it is the context of the location before, as for an error page and its
 * line of the access log.
 */

static ngx_http_parley_ctx_t *
ngx_http_parley_variable_ctx(ngx_http_request_t *r,
    ngx_http_variable_value_t *v)
{
    ngx_http_parley_ctx_t  *ctx;

    v->valid = 0;
    v->no_cacheable = 0;
    v->not_found = 1;

    r = r->main;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    return ctx == NULL && r->internal ? ngx_http_parley_context_find(r) : ctx;
}


/* Sets a word of the gateway, which needs no escaping. */

static ngx_int_t
ngx_http_parley_variable_word(ngx_http_variable_value_t *v, parley_str_t s)
{
    if (s.len == 0) {
        return NGX_OK;
    }

    v->valid = 1;
    v->not_found = 0;
    v->data = (u_char *) s.data;
    v->len = s.len;

    return NGX_OK;
}


/* Sets escaped foreign text. */

static ngx_int_t
ngx_http_parley_variable_text(ngx_http_parley_ctx_t *ctx,
    ngx_http_variable_value_t *v, parley_str_t s)
{
    if (parley_escape(&ctx->arena, s, PARLEY_ESCAPE_VALUE, &s) != 0) {
        return NGX_ERROR;
    }

    return ngx_http_parley_variable_word(v, s);
}


static ngx_int_t
ngx_http_parley_variable_message(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || !ctx->gate.read.msg_read) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_text(ctx, v,
                            *(parley_str_t *) ((char *) &ctx->msg + data));
}


static ngx_int_t
ngx_http_parley_variable_protocol(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || ctx->gate.read.proto == PARLEY_PROTO_NONE) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_word(v,
                                    parley_proto_name(ctx->gate.read.proto));
}


static ngx_int_t
ngx_http_parley_variable_speak(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || ctx->gate.read.proto == PARLEY_PROTO_NONE) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_word(v,
                               parley_proto_name(ctx->gate.conf.gate->speak));
}


/*
 * Returns the trace id of "00-<trace id>-...".  A refused message has no
 * upstream, but belongs to the trace of its request.
 */

static ngx_int_t
ngx_http_parley_variable_trace(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    parley_str_t            value, trace_id, span_id;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || !ctx->gate.read.msg_read) {
        return NGX_OK;
    }

    if (ngx_http_parley_trace_out(ctx, &value) != NGX_OK) {
        trace_id = parley_str_none;
        span_id = parley_str_none;

        ctx->gate.env->trace(&ctx->gate, &trace_id, &span_id);

        if (parley_traceparent_format(&ctx->arena, trace_id, span_id, &value)
            != 0)
        {
            return NGX_OK;
        }
    }

    return ngx_http_parley_variable_word(v,
                           parley_str_make(value.data + 3,
                                           NGX_HTTP_PARLEY_TRACE_ID));
}


static ngx_int_t
ngx_http_parley_variable_priority(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || !ctx->gate.read.msg_read || ctx->msg.id.len == 0) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_word(v,
                                     parley_priority_name(ctx->msg.priority));
}


static ngx_int_t
ngx_http_parley_variable_principal(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_proof(r, v);

    if (ctx == NULL || ctx->who.principal == NULL) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_text(ctx, v, ctx->who.principal->sub);
}


/* The principal that delivers a message of another principal. */

static ngx_int_t
ngx_http_parley_variable_surface(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    parley_str_t            surface;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_proof(r, v);

    surface = ctx != NULL ? parley_who_surface(&ctx->who) : parley_str_none;

    return surface.len > 0 ? ngx_http_parley_variable_text(ctx, v, surface)
                           : NGX_OK;
}


/* The key that verified the signature, or "none" for an unsigned message. */

static ngx_int_t
ngx_http_parley_variable_signature(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || !ctx->gate.read.msg_read) {
        return NGX_OK;
    }

    if (!ctx->msg.sig.present) {
        return ngx_http_parley_variable_word(v, PARLEY_STR("none"));
    }

    if (!ctx->who.sig_verified) {
        return ngx_http_parley_variable_word(v, PARLEY_STR("unverified"));
    }

    return ngx_http_parley_variable_text(ctx, v, ctx->who.sig_kid.len
                                                 ? ctx->who.sig_kid
                                                 : PARLEY_STR("verified"));
}


static ngx_int_t
ngx_http_parley_variable_verdict(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t       *ctx;
    ngx_http_parley_loc_conf_t  *lcf;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx && ctx->gate.report.verdict != PARLEY_VERDICT_NONE
        && !ctx->resume)
    {
        return ngx_http_parley_variable_word(v,
                               parley_verdict_name(ctx->gate.report.verdict));
    }

    /* neither the gateway nor the upstream gave the answer (GW-26) */

    lcf = ngx_http_get_module_loc_conf(r->main, ngx_http_parley_module);

    if (parley_settings_steps(lcf) && r->main->headers_out.status) {
        return ngx_http_parley_variable_word(v,
                                   parley_verdict_name(PARLEY_VERDICT_OTHER));
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_variable_error(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || !ctx->gate.where.begun
        || ctx->error.code == PARLEY_E_NONE)
    {
        return NGX_OK;
    }

    return ngx_http_parley_variable_word(v,
                                     parley_error_info(ctx->error.code)->word);
}


static ngx_int_t
ngx_http_parley_variable_loss(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    parley_str_t            text;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_ctx(r, v);

    if (ctx == NULL || ctx->loss.count == 0) {
        return NGX_OK;
    }

    if (parley_loss_text(&ctx->loss, &ctx->arena, PARLEY_LOSS_VARIABLE,
                         &text)
        != 0)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_variable_word(v, text);
}


/* The URL of a recipient in the identities, where it was checked.  It never
   comes from a message. */

static ngx_int_t
ngx_http_parley_variable_url(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t  *url;

    url = ngx_http_parley_detached_url(r);

    if (url == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->len = url->len;
    v->data = url->data;

    return NGX_OK;
}


/* Writes the Session ID of the frame of a command. */

static ngx_int_t
ngx_http_parley_variable_session(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_parley_inner_t  *in;

    in = ngx_http_parley_inner(r);

    if (in == NULL || !in->posts) {
        v->not_found = 1;
        return NGX_OK;
    }

    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
    v->len = sizeof(in->session);
    v->data = in->session;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_variable_claim(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t *name = (ngx_str_t *) data;

    parley_str_t            claim, text;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_variable_proof(r, v);

    if (ctx == NULL || ctx->who.jwt == NULL) {
        return NGX_OK;
    }

    claim = parley_str_make(name->data + sizeof("parley_claim_") - 1,
                            name->len - (sizeof("parley_claim_") - 1));

    if (parley_jwt_claim(ctx->who.jwt, &ctx->arena, claim, &text) != 0) {
        return NGX_OK;
    }

    return ngx_http_parley_variable_text(ctx, v, text);
}


ngx_int_t
ngx_http_parley_add_variables(ngx_conf_t *cf)
{
    ngx_http_variable_t  *var, *v;

    for (v = ngx_http_parley_vars; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}
