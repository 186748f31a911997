
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a message refers to, and what may refer to it later.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_state.h"


ngx_int_t
ngx_http_parley_refer(ngx_http_parley_ctx_t *ctx)
{
    parley_refer_t  *r;

    r = &ctx->refer;

    r->arena = &ctx->arena;
    r->ask = &ctx->ask;
    r->msg = &ctx->msg;
    r->who = &ctx->who;
    r->speak = ctx->lcf->gate.speak;
    ctx->ask.now = (int64_t) ngx_current_msec;
    r->addressed = ctx->gate.addressed;

    /* what is for the gateway itself answers nobody else */

    if (ctx->msg.wire == PARLEY_PROTO_CANONICAL
        && parley_str_eq(ctx->msg.recipient,
                         ctx->mcf->http.self))
    {
        return NGX_OK;
    }

    if (parley_refer(r, &ctx->error) != 0) {
        return NGX_DECLINED;
    }

    ctx->opts.answering = r->answering;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_ask(ngx_http_parley_ctx_t *ctx)
{
    parley_asking_t  a;

    a.arena = &ctx->arena;
    a.ask = &ctx->ask;
    a.who = &ctx->who;
    a.sent = &ctx->sent;
    a.speak = ctx->lcf->gate.speak;
    a.to = parley_refer_to(&ctx->refer);
    a.answering = ctx->opts.answering;
    a.account = ctx->account;
    a.asked = NULL;
    ctx->ask.now = (int64_t) ngx_current_msec;

    if (parley_question_keep(&a, &ctx->asked, &ctx->error) == 0) {
        return NGX_OK;
    }

    ctx->wait = 1000;

    return NGX_DECLINED;
}


void
ngx_http_parley_forget(ngx_http_parley_ctx_t *ctx)
{
    (void) (parley_question_drop(&ctx->ask, &ctx->asked) == 0);

    ctx->asked.kept = 0;
    ctx->asked.call_kept = 0;
    ctx->asked.own_kept = 0;
}


void
ngx_http_parley_close(ngx_http_parley_ctx_t *ctx)
{
    (void) (parley_question_close(&ctx->ask, &ctx->asked) == 0);

    ctx->asked.kept = 0;
    ctx->asked.call_kept = 0;
    ctx->asked.own_kept = 0;
}


ngx_int_t
ngx_http_parley_answered(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome)
{
    ctx->ask.now = (int64_t) ngx_current_msec;

    return parley_question_take(&ctx->ask, &ctx->asked, outcome->principal,
                                outcome->session, ctx->account)
           ? NGX_OK : NGX_DECLINED;
}
