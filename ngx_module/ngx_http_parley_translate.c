
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The message in the upstream's protocol, signed by the gateway where it has
 * a key.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


static ngx_int_t ngx_http_parley_options(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_translate(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ngx_http_parley_options(r, ctx);
    if (rc != NGX_OK) {
        return rc;
    }

    if (parley_encode(ctx->mcf->engine, &ctx->arena, ctx->lcf->gate.speak,
                      &ctx->msg, &ctx->opts, &ctx->sent, &ctx->loss,
                      &ctx->error)
        != 0
        || parley_refer_check(&ctx->refer, ctx->mcf->engine,
                              ctx->gate.intents, &ctx->sent, &ctx->error)
           != 0)
    {
        return NGX_DECLINED;
    }

    if (ctx->gate.edited && ctx->sent.copied) {
        ctx->sent.copied = 0;

        if (parley_amend_sign(&ctx->arena, ctx->gate.proto, ctx->gate.amended,
                              &ctx->opts, &ctx->sent, &ctx->error)
            != 0)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_options(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t             *traceparent;
    parley_encode_opts_t  *opts;

    opts = &ctx->opts;

    opts->self = ctx->mcf->http.self;
    parley_who_opts(&ctx->who, opts);

    opts->now_ms = ngx_http_parley_now();
    opts->redact = ctx->lcf->gate.redact;
    opts->nredact = ctx->lcf->gate.nredact;

    if (ngx_http_parley_value(r, &ctx->lcf->context, &opts->context) != NGX_OK
        || ngx_http_parley_value(r, &ctx->lcf->constitution,
                                 &opts->constitution)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    opts->severities = ctx->lcf->severities;
    opts->nseverities = ctx->lcf->nseverities;
    opts->broadcast = ctx->lcf->broadcast;

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
