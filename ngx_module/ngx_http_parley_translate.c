
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Step 10: caps and redaction, then the message in the upstream's protocol,
 * signed by the gateway where it has a key.
 */


#include "ngx_http_parley_module.h"


/* two caps, the pointers of parley_redact, the signature */
#define NGX_HTTP_PARLEY_EDITS_MAX  (NGX_HTTP_PARLEY_REDACT_MAX + 3)


static ngx_int_t ngx_http_parley_translated(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_edit(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_uint_t ngx_http_parley_edit_caps(ngx_http_parley_ctx_t *ctx,
    parley_edit_t *edits);
static ngx_int_t ngx_http_parley_edit_apply(ngx_http_parley_ctx_t *ctx,
    parley_edit_t *edits, ngx_uint_t n);
static ngx_int_t ngx_http_parley_resign(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_options(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static int ngx_http_parley_sign(void *data, parley_str_t octets,
    parley_msg_sig_t *ret, parley_error_t *err);


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
    ngx_int_t     rc;
    parley_str_t  lost;

    rc = ngx_http_parley_edit(r, ctx);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_options(r, ctx);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_origin_find(ctx);
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

    if (ctx->edited && ctx->sent.copied
        && ngx_http_parley_resign(ctx) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ctx->loss.count && ctx->lcf->loss == NGX_HTTP_PARLEY_LOSS_REJECT) {

        lost = ctx->loss.nitems ? ctx->loss.items[0] : parley_str_none;

        (void) parley_error_set(&ctx->error, PARLEY_E_TRANSLATION_LOSSY, NULL,
                                "%u members cannot travel to the upstream's "
                                "protocol", (unsigned) ctx->loss.count);

        ngx_snprintf((u_char *) ctx->error.field, PARLEY_POINTER_MAX, "%*s%Z",
                     ngx_min(lost.len, PARLEY_POINTER_MAX - 1), lost.data);

        return NGX_DECLINED;
    }

    return ngx_http_parley_origin_keep(ctx);
}


/*
 * AEE-28, AEE-29, AEE-32.  What was changed is read and validated again: the
 * document of the checks is never patched in place.
 */

static ngx_int_t
ngx_http_parley_edit(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t                 i, n;
    parley_edit_t              edits[NGX_HTTP_PARLEY_EDITS_MAX];
    ngx_http_parley_redact_t  *redact;

    n = ngx_http_parley_edit_caps(ctx, edits);

    if (ctx->lcf->redact) {
        redact = ctx->lcf->redact->elts;

        for (i = 0; i < ctx->lcf->redact->nelts; i++) {
            edits[n].pointer = ngx_http_parley_str(&redact[i].pointer);
            edits[n].value = redact[i].mask ? PARLEY_STR("\"[redacted]\"")
                                            : parley_str_none;
            n++;
        }
    }

    return n ? ngx_http_parley_edit_apply(ctx, edits, n) : NGX_OK;
}


static ngx_uint_t
ngx_http_parley_edit_caps(ngx_http_parley_ctx_t *ctx, parley_edit_t *edits)
{
    u_char                      *p;
    ngx_uint_t                   n;
    parley_str_t                 word;
    parley_priority_t            cap, own;
    const parley_codec_t        *codec;
    ngx_http_parley_cap_conf_t  *ccf;

    n = 0;
    codec = parley_codecs[ctx->proto];
    ccf = ctx->lcf->cap;

    cap = PARLEY_PRIORITY_URGENT;

    if (ccf && ccf->priority >= 0) {
        cap = (parley_priority_t) ccf->priority;
    }

    if (ctx->principal && ctx->principal->max_priority.len
        && parley_priority_find(ctx->principal->max_priority, &own) == 0
        && own < cap)
    {
        cap = own;
    }

    if (codec->priority_pointer && ctx->msg.priority > cap) {
        word = parley_priority_name(cap);

        p = parley_arena_octets(&ctx->arena, word.len + 2);
        if (p) {
            edits[n].pointer = parley_str_c(codec->priority_pointer);
            edits[n].value = parley_str_make(p, word.len + 2);
            *p++ = '"';
            p = ngx_cpymem(p, word.data, word.len);
            *p = '"';
            n++;
        }
    }

    if (codec->timeout_pointer && ccf && ccf->timeout
        && ctx->msg.timeout_ms > (int64_t) ccf->timeout)
    {
        p = parley_arena_octets(&ctx->arena, NGX_INT64_LEN);
        if (p) {
            edits[n].pointer = parley_str_c(codec->timeout_pointer);
            edits[n].value = parley_str_make(p,
                                  ngx_sprintf(p, "%M", ccf->timeout) - p);
            n++;
        }
    }

    return n;
}


static ngx_int_t
ngx_http_parley_edit_apply(ngx_http_parley_ctx_t *ctx, parley_edit_t *edits,
    ngx_uint_t n)
{
    uint32_t          applied;
    parley_str_t      text;
    parley_json_t    *doc;
    parley_msg_sig_t  sig;

    if (parley_edit(&ctx->arena, &ctx->doc, edits, n, &text, &applied,
                    &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (applied == 0) {
        return NGX_OK;
    }

    /* a signature over other octets must not go on */

    if (ctx->msg.sig.present) {
        edits[n].pointer =
                   parley_str_c(parley_codecs[ctx->proto]->signature_pointer);
        edits[n].value = parley_str_none;

        if (parley_edit(&ctx->arena, &ctx->doc, edits, n + 1, &text, &applied,
                        &ctx->error)
            != 0)
        {
            return NGX_DECLINED;
        }
    }

    sig = ctx->msg.sig;
    doc = &ctx->edited_doc;

    if (parley_json_read(doc, &ctx->arena, &ctx->lcf->limits,
                         ngx_http_parley_seed(ctx), text, &ctx->error)
        != 0
        || parley_decode(ctx->mcf->engine, &ctx->arena, ctx->proto, doc,
                         ctx->lcf->mve5, &ctx->msg, &ctx->error)
           != 0)
    {
        ctx->error.code = PARLEY_E_POLICY_REFUSED;
        return NGX_DECLINED;
    }

    ctx->msg.sig = sig;
    ctx->edited = 1;

    return NGX_OK;
}


/*
 * The same protocol on both sides, but the octets are the gateway's now: so
 * is the signature.
 */

static ngx_int_t
ngx_http_parley_resign(ngx_http_parley_ctx_t *ctx)
{
    parley_str_t      input;
    parley_msg_sig_t  sig;

    ctx->sent.copied = 0;

    if (ctx->opts.sign == NULL
        || parley_codecs[ctx->proto]->attach == NULL)
    {
        return NGX_OK;
    }

    if (parley_signing_input(&ctx->arena, ctx->proto, &ctx->edited_doc,
                             &input, &ctx->error)
        != 0
        || ctx->opts.sign(ctx->opts.sign_ctx, input, &sig, &ctx->error) != 0
        || parley_attach(&ctx->arena, ctx->proto, ctx->sent.body, &sig,
                         &ctx->sent.body, &ctx->error)
           != 0)
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_options(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t              value;
    ngx_str_t             *traceparent;
    parley_encode_opts_t  *opts;

    opts = &ctx->opts;

    opts->self = ngx_http_parley_str(&ctx->mcf->self);
    opts->resolve = ngx_http_parley_resolve;
    opts->resolve_ctx = ctx;

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

    if (ctx->principal && (ctx->jwt || ctx->sig_verified)) {
        opts->principal = ctx->principal->sub;
    }

    if (ctx->sig_verified) {
        opts->sig_alg = ctx->msg.sig.alg;
        opts->sig_kid = ctx->sig_kid;
    }

    if (ctx->mcf->signing) {
        opts->sign = ngx_http_parley_sign;
        opts->sign_ctx = ctx;
    }

    return NGX_OK;
}


static int
ngx_http_parley_sign(void *data, parley_str_t octets, parley_msg_sig_t *ret,
    parley_error_t *err)
{
    ngx_http_parley_ctx_t *ctx = data;

    char          text[PARLEY_SIGNATURE_TEXT_MAX];
    parley_str_t  value;

    if (parley_signature_sign(ctx->mcf->signing, octets, text, &value, err)
        != 0)
    {
        return -1;
    }

    ngx_memzero(ret, sizeof(parley_msg_sig_t));

    ret->alg = parley_signature_word(ctx->mcf->signing);
    ret->kid = ctx->mcf->signing->kid;
    ret->present = 1;

    if (parley_arena_str(&ctx->arena, value, &ret->value) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}
