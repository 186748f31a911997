
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a message refers to: an earlier one that it answers, reports on or
 * takes back, as the gateway remembers it.
 */


#include "ngx_http_parley_module.h"


static ngx_int_t ngx_http_parley_refer_reply(ngx_http_parley_ctx_t *ctx,
    parley_str_t to, ngx_uint_t by_corr);
static ngx_int_t ngx_http_parley_refer_between(ngx_http_parley_ctx_t *ctx,
    ngx_uint_t by_corr);
static ngx_int_t ngx_http_parley_refer_found(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_refer_recall(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_refer_restored(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_refer_unmatched(ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_refer(ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t     by_corr;
    parley_str_t   to;
    parley_msg_t  *m;

    m = &ctx->msg;

    if (m->wire == ctx->lcf->speak
        || (m->wire == PARLEY_PROTO_AEE
            && parley_str_eq(m->recipient,
                             ngx_http_parley_str(&ctx->mcf->self))))
    {
        return NGX_OK;
    }

    if (m->recalls.len) {
        return m->origin == m->wire ? ngx_http_parley_refer_recall(ctx)
                                    : ngx_http_parley_refer_restored(ctx);
    }

    /* progress may name the conversation alone, or what stands for it */

    by_corr = m->act == PARLEY_ACT_PROGRESS && m->reply_to.len == 0;
    to = by_corr ? m->corr : m->reply_to;

    if (m->act != PARLEY_ACT_REPLY && to.len == 0) {
        return NGX_OK;
    }

    return ngx_http_parley_refer_reply(ctx, to, by_corr);
}


static ngx_int_t
ngx_http_parley_refer_reply(ngx_http_parley_ctx_t *ctx, parley_str_t to,
    ngx_uint_t by_corr)
{
    ngx_int_t  rc, known;

    rc = ngx_http_parley_origin_of(ctx, ctx->msg.wire, to);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    known = (rc == NGX_OK);

    if (known && ngx_http_parley_refer_between(ctx, by_corr)) {
        return ngx_http_parley_refer_found(ctx);
    }

    /* who is named beside the message is whom that was from */

    if (ctx->msg.act == PARLEY_ACT_REPLY || ctx->msg.recipient.len == 0
        || (known && ctx->addressed))
    {
        return ngx_http_parley_refer_unmatched(ctx);
    }

    /* bad news, and progress, are told whoever they are an answer to */

    return NGX_OK;
}


/*
 * The reply goes to the protocol that the message came from, is about the
 * same conversation, comes from whom the message was for and goes to whom it
 * was from.  A message to a group is answered by any of it.
 */

static ngx_int_t
ngx_http_parley_refer_between(ngx_http_parley_ctx_t *ctx, ngx_uint_t by_corr)
{
    parley_str_t         corr, from, to, recipient;
    parley_proto_t       proto;
    const parley_msg_t  *reply;

    reply = &ctx->msg;
    proto = (parley_proto_t) ctx->origin->head.proto;

    corr = ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CORR];
    from = ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_FROM];
    to = ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_TO];
    recipient = ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT];

    if (proto != ctx->lcf->speak
        || (!by_corr && reply->corr.len && corr.len
            && !parley_str_eq(reply->corr, corr)))
    {
        return 0;
    }

    if (!parley_name_is_group(proto, recipient)
        && !parley_str_eq(reply->sender, to))
    {
        return 0;
    }

    return reply->recipient.len == 0 || from.len == 0
           || parley_name_is_group(reply->wire, reply->recipient)
           || parley_str_eq(reply->recipient, from);
}


static ngx_int_t
ngx_http_parley_refer_found(ngx_http_parley_ctx_t *ctx)
{
    parley_msg_t              *m;
    ngx_http_parley_origin_t  *o;

    if (ctx->origin->head.mute && ctx->msg.said_aloud) {
        (void) parley_misrefers(&ctx->msg, PARLEY_E_POLICY_REFUSED,
                                "it answers what must not be answered",
                                &ctx->error);
        return NGX_DECLINED;
    }

    m = parley_arena_alloc(&ctx->arena, sizeof(parley_msg_t));
    if (m == NULL) {
        return NGX_ERROR;
    }

    o = ctx->origin;

    parley_msg_init(m, (parley_proto_t) o->head.proto, &ctx->doc);

    m->form = o->texts[NGX_HTTP_PARLEY_ORIGIN_FORM];
    m->act = (parley_act_t) o->head.act;
    m->id = o->texts[NGX_HTTP_PARLEY_ORIGIN_ID];
    m->corr = o->texts[NGX_HTTP_PARLEY_ORIGIN_CORR];
    m->question = o->texts[NGX_HTTP_PARLEY_ORIGIN_QUESTION];
    m->intent = o->texts[NGX_HTTP_PARLEY_ORIGIN_INTENT];
    m->sender = o->texts[NGX_HTTP_PARLEY_ORIGIN_SENDER];
    m->recipient = o->texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT];
    m->alarm = (parley_alarm_t) o->head.alarm;
    m->priority = (parley_priority_t) o->head.priority;
    m->approval = o->head.approval;
    m->place = o->texts[NGX_HTTP_PARLEY_ORIGIN_PLACE];
    m->token = o->texts[NGX_HTTP_PARLEY_ORIGIN_TOKEN];

    ctx->referred = 1;
    ctx->opts.answering = m;

    ngx_http_parley_refer_again(ctx);

    return NGX_OK;
}


/*
 * It takes back a call of the caller's own: it is for whom that was for, and
 * names what that became.
 */

static ngx_int_t
ngx_http_parley_refer_recall(ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t     rc;
    parley_str_t  to;

    rc = ngx_http_parley_origin_of_call(ctx, ctx->msg.recalls);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED || ctx->origin->head.sent != ctx->lcf->speak) {
        return ctx->msg.recipient.len ? NGX_OK
                                      : ngx_http_parley_refer_unmatched(ctx);
    }

    to = ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT];

    if (ctx->msg.recipient.len && !parley_str_eq(ctx->msg.recipient, to)) {
        return ngx_http_parley_refer_unmatched(ctx);
    }

    ctx->referred = 1;
    ctx->recalled = 1;

    ngx_http_parley_refer_again(ctx);

    return NGX_OK;
}


void
ngx_http_parley_refer_again(ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  *texts;

    if (ctx->opts.answering) {
        parley_answers(&ctx->msg, ctx->opts.answering->approval);
    }

    if (!ctx->recalled) {
        return;
    }

    texts = ctx->origin->texts;

    ctx->msg.recipient = texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT];
    ctx->msg.reply_to = texts[NGX_HTTP_PARLEY_ORIGIN_SENT_ID];
    ctx->msg.corr = texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CORR];
}


/*
 * In the protocol that it goes to nobody is said to take something back: who
 * it is must be known here.
 */

static ngx_int_t
ngx_http_parley_refer_restored(ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t            rc;
    parley_str_t        *texts;
    const parley_msg_t  *m;

    m = &ctx->msg;

    if (m->origin != ctx->lcf->speak) {
        return NGX_OK;
    }

    rc = ngx_http_parley_origin_of(ctx, m->origin,
                                   m->reply_to.len ? m->reply_to
                                                   : m->recalls);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    texts = rc == NGX_OK ? ctx->origin->texts : NULL;

    if (texts
        && ctx->origin->head.proto == m->wire
        && parley_str_eq(texts[NGX_HTTP_PARLEY_ORIGIN_SENDER], m->sender)
        && parley_str_eq(texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT],
                         m->recipient)
        && (parley_str_eq(texts[NGX_HTTP_PARLEY_ORIGIN_SENT_ID], m->recalls)
            || parley_str_eq(texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CALL],
                             m->recalls)))
    {
        return NGX_OK;
    }

    return ngx_http_parley_refer_unmatched(ctx);
}


static ngx_int_t
ngx_http_parley_refer_unmatched(ngx_http_parley_ctx_t *ctx)
{
    (void) parley_misrefers(&ctx->msg, PARLEY_E_REPLY_UNMATCHED,
                            "it refers to no message that passed here and "
                            "still waits", &ctx->error);

    return NGX_DECLINED;
}


parley_str_t
ngx_http_parley_refer_to(ngx_http_parley_ctx_t *ctx)
{
    return ctx->msg.recipient.len || !ctx->referred
           ? ctx->msg.recipient
           : ctx->origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_FROM];
}
