
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Step 10: caps and redaction, then the message in the upstream's protocol,
 * signed by the gateway where it has a key.
 */


#include "ngx_http_parley_module.h"


/* caps, the pointers of parley_redact, the signature */
#define NGX_HTTP_PARLEY_EDITS_MAX                                             \
    (PARLEY_CAPS_MAX + NGX_HTTP_PARLEY_REDACT_MAX + 1)


static ngx_int_t ngx_http_parley_translated(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_lossy(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_edit(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_caps(ngx_http_parley_ctx_t *ctx,
    parley_caps_t *ret);
static ngx_int_t ngx_http_parley_options(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_translate(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_parley_translated(r, ctx);

    if (rc != NGX_OK) {
        ngx_http_parley_window_release(ctx);
    }

    return rc;
}


static ngx_int_t
ngx_http_parley_translated(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_parley_edit(r, ctx);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_options(r, ctx);
    if (rc != NGX_OK) {
        return rc;
    }

    if (parley_encode(ctx->mcf->engine, &ctx->arena, ctx->lcf->speak,
                      &ctx->msg, &ctx->opts, &ctx->sent, &ctx->loss,
                      &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (ctx->edited && ctx->sent.copied) {
        ctx->sent.copied = 0;

        if (parley_amend_sign(&ctx->arena, ctx->proto, &ctx->edited_doc,
                              &ctx->opts, &ctx->sent, &ctx->error)
            != 0)
        {
            return NGX_DECLINED;
        }
    }

    if (ctx->loss.count && ctx->lcf->loss == NGX_HTTP_PARLEY_LOSS_REJECT) {

        return ngx_http_parley_lossy(ctx);
    }

    return ngx_http_parley_origin_keep(ctx);
}


static ngx_int_t
ngx_http_parley_lossy(ngx_http_parley_ctx_t *ctx)
{
    char          field[PARLEY_POINTER_MAX];
    parley_str_t  lost;

    lost = ctx->loss.nitems ? ctx->loss.items[0] : parley_str_none;

    /* a name of the message's: made printable with the error */

    ngx_snprintf((u_char *) field, sizeof(field), "%*s%Z",
                 ngx_min(lost.len, sizeof(field) - 1), lost.data);

    (void) parley_error_set(&ctx->error, PARLEY_E_TRANSLATION_LOSSY, field,
                            "%u members cannot travel to the upstream's "
                            "protocol", (unsigned) ctx->loss.count);

    return NGX_DECLINED;
}


/* AEE-28, AEE-29, AEE-32 */

static ngx_int_t
ngx_http_parley_edit(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    int                        amended;
    uint32_t                   n;
    ngx_uint_t                 i;
    parley_caps_t              caps;
    parley_edit_t              edits[NGX_HTTP_PARLEY_EDITS_MAX];
    ngx_http_parley_redact_t  *redact;

    ngx_http_parley_caps(ctx, &caps);

    if (parley_amend_caps(&ctx->arena, &ctx->msg, &caps, edits, &n,
                          &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (ctx->lcf->redact) {
        redact = ctx->lcf->redact->elts;

        for (i = 0; i < ctx->lcf->redact->nelts; i++) {
            edits[n].pointer = ngx_http_parley_str(&redact[i].pointer);
            edits[n].value = redact[i].mask ? PARLEY_STR("\"[redacted]\"")
                                            : parley_str_none;
            n++;
        }
    }

    if (parley_amend(ctx->mcf->engine, &ctx->arena, &ctx->lcf->limits,
                     ngx_http_parley_seed(ctx), ctx->lcf->mve5, edits, n,
                     &ctx->msg, &ctx->edited_doc, &amended, &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    parley_amend_clamp(&ctx->msg, &caps);

    if (!amended) {
        return NGX_OK;
    }

    ctx->edited = 1;

    return ngx_http_parley_submission(r, ctx);
}


static void
ngx_http_parley_caps(ngx_http_parley_ctx_t *ctx, parley_caps_t *ret)
{
    ngx_http_parley_cap_conf_t  *ccf;

    ccf = ctx->lcf->cap;

    ngx_memzero(ret, sizeof(parley_caps_t));

    ret->priority = (ccf && ccf->priority >= 0)
                    ? (parley_priority_t) ccf->priority
                    : PARLEY_PRIORITY_URGENT;
    ret->timeout_ms = ccf ? (int64_t) ccf->timeout : 0;

    if (ctx->who.principal) {
        ret->max_priority = ctx->who.principal->max_priority;
    }
}


static ngx_int_t
ngx_http_parley_options(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t              value;
    ngx_str_t             *traceparent;
    parley_encode_opts_t  *opts;

    opts = &ctx->opts;

    opts->self = ngx_http_parley_str(&ctx->mcf->self);
    parley_who_opts(&ctx->who, opts);

    opts->now_ms = ngx_http_parley_now();

    if (ctx->lcf->context) {
        if (ngx_http_complex_value(r, ctx->lcf->context, &value) != NGX_OK) {
            return NGX_ERROR;
        }

        opts->context = ngx_http_parley_str(&value);
    }

    if (ctx->lcf->constitution) {
        if (ngx_http_complex_value(r, ctx->lcf->constitution, &value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        opts->constitution = ngx_http_parley_str(&value);
    }

    traceparent = ngx_http_parley_in_header(r, "traceparent");

    if (traceparent) {
        (void) parley_traceparent_parse(ngx_http_parley_str(traceparent),
                                        &opts->trace_id, &opts->span_id);
    }

    opts->principal = parley_who_proven(&ctx->who);

    if (ctx->who.sig_verified) {
        opts->sig_alg = ctx->msg.sig.alg;
        opts->sig_kid = ctx->who.sig_kid;
    }

    parley_seal_opts(&ctx->seal, opts);

    return NGX_OK;
}
