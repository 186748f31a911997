
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Steps 4 to 9: the message is read, and everything about it is asked that
 * can be asked before it is translated.
 */


#include "ngx_http_parley_module.h"


static ngx_int_t ngx_http_parley_proven(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_way(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_way_t *ret);
static ngx_int_t ngx_http_parley_over_tls(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_signed(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_allowed(ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_policy_request(ngx_http_parley_ctx_t *ctx,
    parley_policy_request_t *request);
static ngx_int_t ngx_http_parley_priority_rate(ngx_http_parley_ctx_t *ctx);


/* steps 4 and 5 */

ngx_int_t
ngx_http_parley_read(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t  *coding;

    coding = ngx_http_parley_in_header(r, "content-encoding");

    if (coding && coding->len
        && !(coding->len == 8
             && ngx_strncasecmp(coding->data, (u_char *) "identity", 8) == 0))
    {
        (void) parley_error_set(&ctx->error, PARLEY_E_PROTOCOL_UNSUPPORTED,
                                NULL, "the body must not be compressed");
        return NGX_DECLINED;
    }

    if (parley_json_read(&ctx->doc, &ctx->arena, &ctx->lcf->limits,
                         ngx_http_parley_seed(ctx), ctx->body, &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    ctx->doc_read = 1;
    ctx->proto = parley_detect(&ctx->doc, ctx->lcf->accept);

    if (ctx->proto == PARLEY_PROTO_NONE) {
        (void) parley_error_set(&ctx->error, PARLEY_E_PROTOCOL_UNSUPPORTED,
                                NULL, "the message is of no protocol that is "
                                "accepted here");
        return NGX_DECLINED;
    }

    ctx->msg_read = 1;

    if (parley_decode(ctx->mcf->engine, &ctx->arena, ctx->proto, &ctx->doc,
                      ctx->lcf->mve5, &ctx->msg, &ctx->error)
        != 0
        || parley_intents_check(ctx->mcf->intents, &ctx->arena, &ctx->msg,
                                &ctx->error)
           != 0)
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* steps 6 to 9 */

ngx_int_t
ngx_http_parley_check(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t     rc;
    parley_way_t  way;

    ngx_http_parley_way(r, ctx, &way);

    if (parley_check_transport(ctx->proto, &way, &ctx->error) != 0
        || parley_who_sender(&ctx->who, (int) ctx->lcf->trusted, &ctx->error)
           != 0)
    {
        return NGX_DECLINED;
    }

    ngx_http_parley_window_prepare(ctx);

    if (ngx_http_parley_proven(r, ctx) != NGX_OK) {

        if (ctx->who.jwt == NULL) {
            /* a claim is not yet an identity, for logs and variables too */
            ctx->who.principal = NULL;
        }

        return NGX_DECLINED;
    }

    if (ngx_http_parley_submission(r, ctx) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (parley_check_age(&ctx->msg, (int64_t) ctx->lcf->past,
                         (int64_t) ctx->lcf->future, ngx_http_parley_now(),
                         &ctx->error)
        != 0
        || ngx_http_parley_window_reserve(ctx) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_parley_refer(ctx);

    if (rc != NGX_OK) {
        ngx_http_parley_window_release(ctx);
        return rc;
    }

    if (ngx_http_parley_allowed(ctx) != NGX_OK
        || parley_who_direction(&ctx->who, &ctx->error) != 0
        || ngx_http_parley_priority_rate(ctx) != NGX_OK)
    {
        ngx_http_parley_window_release(ctx);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* step 7 */

static ngx_int_t
ngx_http_parley_proven(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_way_t  way;

    if (ctx->msg.sig.present
        && ctx->lcf->signature != NGX_HTTP_PARLEY_SIGNATURE_OFF)
    {
        return ngx_http_parley_signed(ctx);
    }

    ngx_http_parley_way(r, ctx, &way);

    return parley_check_unsigned(ctx->proto, &way, &ctx->error) == 0
           ? NGX_OK : NGX_DECLINED;
}


static void
ngx_http_parley_way(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    parley_way_t *ret)
{
    ngx_memzero(ret, sizeof(parley_way_t));

    ret->trusted = ctx->lcf->trusted ? 1 : 0;
    ret->tls = ngx_http_parley_over_tls(r) ? 1 : 0;
    ret->token = (ctx->who.principal && ctx->who.jwt) ? 1 : 0;
    ret->must_sign =
             ctx->lcf->signature == NGX_HTTP_PARLEY_SIGNATURE_REQUIRED ? 1 : 0;
}


static ngx_int_t
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


/* a signature that is there is verified, whatever is required */

static ngx_int_t
ngx_http_parley_signed(ngx_http_parley_ctx_t *ctx)
{
    parley_str_t         input;
    parley_msg_sig_t    *sig;
    const parley_jwk_t  *key;

    static const parley_jwks_t  none;

    sig = &ctx->msg.sig;

    if (sig->opaque) {
        (void) parley_error_set(&ctx->error, PARLEY_E_SIGNATURE_INVALID,
                                parley_codecs[ctx->proto]->signature_pointer,
                                "a signature of this form cannot be "
                                "verified");
        return NGX_DECLINED;
    }

    if (parley_signing_input(&ctx->arena, ctx->proto, &ctx->doc, &input,
                             &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (parley_signature_verify(ctx->who.principal ? &ctx->who.principal->keys
                                                   : &none,
                                sig->alg, sig->kid, input, sig->value, &key,
                                &ctx->error)
        != 0)
    {
        ngx_cpystrn((u_char *) ctx->error.field,
                    (u_char *) parley_codecs[ctx->proto]->signature_pointer,
                    PARLEY_POINTER_MAX);
        return NGX_DECLINED;
    }

    ctx->who.sig_verified = 1;
    ctx->who.sig_kid = key->kid;

    return NGX_OK;
}


/* step 9 */

static ngx_int_t
ngx_http_parley_allowed(ngx_http_parley_ctx_t *ctx)
{
    const char               *pointer;
    parley_policy_request_t   request;

    if (ctx->lcf->policy == NULL
        || parley_is_unruled(&ctx->msg, ctx->lcf->speak))
    {
        return NGX_OK;
    }

    ngx_http_parley_policy_request(ctx, &request);

    if (parley_policy_check(ctx->lcf->policy, &request, &ctx->error) == 0) {
        return NGX_OK;
    }

    pointer = parley_codecs[ctx->proto]->intent_pointer;

    ngx_cpystrn((u_char *) ctx->error.field,
                (u_char *) (ctx->error.code == PARLEY_E_INTENT_REFUSED
                            && pointer ? pointer : ""),
                PARLEY_POINTER_MAX);

    return NGX_DECLINED;
}


static void
ngx_http_parley_policy_request(ngx_http_parley_ctx_t *ctx,
    parley_policy_request_t *request)
{
    ngx_memzero(request, sizeof(parley_policy_request_t));

    if (ctx->who.jwt) {
        request->scopes = ctx->who.jwt->scopes;
        request->nscopes = ctx->who.jwt->nscopes;
    }

    if (ctx->who.principal) {
        request->roles = ctx->who.principal->roles;
        request->nroles = ctx->who.principal->nroles;
        request->principal = ctx->who.principal->sub;
    }

    request->protocol = parley_proto_name(ctx->proto);
    request->type = ctx->msg.form;
    request->intent = ctx->msg.intent;
    request->to = ngx_http_parley_refer_to(ctx);
}


ngx_int_t
ngx_http_parley_may_use(ngx_http_parley_ctx_t *ctx, parley_str_t form,
    parley_str_t intent)
{
    parley_error_t           err;
    parley_policy_request_t  request;

    if (ctx->lcf->policy == NULL) {
        return 1;
    }

    ngx_http_parley_policy_request(ctx, &request);

    request.type = form;
    request.intent = intent;

    return parley_policy_check(ctx->lcf->policy, &request, &err) == 0;
}


/* AEE-28: a quota per priority, so that urgent stays rare */

static ngx_int_t
ngx_http_parley_priority_rate(ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  who;

    if (ctx->lcf->rate == NULL) {
        return NGX_OK;
    }

    who = ctx->who.principal ? ctx->who.principal->sub : ctx->msg.sender;

    return ngx_http_parley_limit_take(ctx,
                          &ctx->lcf->rate->classes[ctx->msg.priority], who,
                          parley_priority_name(ctx->msg.priority));
}
