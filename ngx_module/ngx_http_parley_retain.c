
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Retention (parley_retain): the last messages that were taken, for
 * aee.context.fetch; and what was said against them.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_state.h"


static void ngx_http_parley_retain_env(ngx_http_parley_ctx_t *ctx,
    parley_retain_t *ret);
static ngx_int_t ngx_http_parley_retain_secret(ngx_http_parley_ctx_t *ctx,
    parley_str_t *message);


static void
ngx_http_parley_retain_env(ngx_http_parley_ctx_t *ctx, parley_retain_t *ret)
{
    ret->arena = &ctx->arena;
    ret->ask = &ctx->ask;
    ret->who = &ctx->who;
    ret->seed = ngx_http_parley_seed(ctx);
    ret->retains = ctx->mcf->http.retain != 0;
    ctx->ask.now = (int64_t) ngx_current_msec;
    ret->wall = ngx_http_parley_now();
}


/* a credential in a message (MoQ auth_token) is nobody's to fetch */

static ngx_int_t
ngx_http_parley_retain_secret(ngx_http_parley_ctx_t *ctx,
    parley_str_t *message)
{
    uint32_t        applied;
    const char     *pointer;
    parley_str_t    text;
    parley_edit_t   edit;
    parley_error_t  err;

    pointer = parley_codecs[ctx->msg.wire]->pointers[PARLEY_SPOT_SECRET];

    if (pointer == NULL) {
        return NGX_OK;
    }

    edit.pointer = parley_str_c(pointer);
    edit.value = parley_str_none;

    if (parley_edit(&ctx->arena, ctx->msg.doc, &edit, 1, &text, &applied,
                    &err)
        != 0)
    {
        return NGX_ERROR;
    }

    if (applied) {
        *message = text;
    }

    return NGX_OK;
}


/*
 * What was passed on, so without what parley_redact took out; of a message
 * that was translated, the original that the translation refers to.
 */

void
ngx_http_parley_retain(ngx_http_parley_ctx_t *ctx)
{
    parley_retain_t    r;
    parley_retained_t  m;

    if (ctx->mcf->http.retain == 0 || ctx->msg.partial) {
        return;
    }

    ngx_memzero(&m, sizeof(parley_retained_t));

    m.id = ctx->msg.id;
    m.protocol = parley_proto_name(ctx->gate.proto);
    m.sub = parley_who_proven(&ctx->who);
    m.sender = ctx->msg.sender;
    m.recipient = ctx->msg.recipient;
    m.queue = PARLEY_LOOSE_MESSAGE;
    m.account = ctx->account;
    m.ttl = (int64_t) ctx->mcf->http.retain_ms;
    m.message = (ctx->msg.wire == ctx->lcf->gate.speak) ? ctx->sent.body
                                                   : ctx->msg.doc->input;

    if (ngx_http_parley_retain_secret(ctx, &m.message) != NGX_OK) {
        return;
    }

    ngx_http_parley_retain_env(ctx, &r);

    /* what finds no room is not retained: nobody was promised that it is */

    (void) (parley_retain(&r, &m) == 0);
}


ngx_int_t
ngx_http_parley_retain_fetch(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    int              rc;
    parley_retain_t  r;

    ngx_http_parley_retain_env(ctx, &r);

    rc = parley_retain_fetch(&r, ret, fault);

    return rc == 1 ? NGX_OK : rc == 0 ? NGX_DECLINED : NGX_ERROR;
}


ngx_int_t
ngx_http_parley_retain_refute(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    parley_task_fault_t *fault)
{
    int              rc;
    parley_retain_t  r;

    ngx_http_parley_retain_env(ctx, &r);

    rc = parley_retain_refute(&r, ret, fault);

    return rc == 1 ? NGX_OK : rc == 0 ? NGX_DECLINED : NGX_ERROR;
}
