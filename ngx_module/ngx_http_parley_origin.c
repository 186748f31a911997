
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Correlation: a message that was sent in another protocol has an id of that
 * protocol.  What its origin was is kept in the zone, so that a reply which
 * comes later, as a request of its own, finds its way home.
 */


#include "ngx_http_parley_module.h"


/* a reply may come at least this long after the message */
#define NGX_HTTP_PARLEY_ORIGIN_TIME  600000


static void ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);
static ngx_int_t ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static ngx_int_t ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static ngx_int_t ngx_http_parley_origin_read(ngx_http_parley_ctx_t *ctx,
    parley_str_t record);
static parley_str_t ngx_http_parley_origin_member(const parley_json_t *doc,
    const char *name);


static void
ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id, uint8_t key[PARLEY_KEY_LEN])
{
    parley_str_t  parts[3];

    parts[0] = PARLEY_STR("origin");
    parts[1] = parley_proto_name(proto);
    parts[2] = id;

    parley_key_make(ctx->mcf->zone->sh->secret, parts, 3, key);
}


ngx_int_t
ngx_http_parley_origin_keep(ngx_http_parley_ctx_t *ctx)
{
    int                      rc;
    int64_t                  ttl;
    parley_str_t             record;
    ngx_http_parley_zone_t  *zone;

    /* an error may become an escalation, which is acknowledged */

    if (ctx->msg.wire == ctx->lcf->speak
        || (ctx->msg.act != PARLEY_ACT_REQUEST
            && ctx->msg.act != PARLEY_ACT_FAILURE))
    {
        return NGX_OK;
    }

    if (ngx_http_parley_origin_write(ctx, &record) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_parley_origin_make_key(ctx, ctx->lcf->speak, ctx->sent.id,
                                    ctx->origin_key);

    ttl = ngx_max(ctx->msg.timeout_ms, NGX_HTTP_PARLEY_ORIGIN_TIME);
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    rc = parley_store_put_locked(zone->sh->origins, &zone->mem,
                                 ctx->origin_key, (int64_t) ngx_current_msec,
                                 ttl, record);

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc != 0) {
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "no room to remember what a reply would "
                                "answer");
        return NGX_DECLINED;
    }

    ctx->origin_kept = 1;

    return NGX_OK;
}


/* the message was not taken: nobody can answer it */

void
ngx_http_parley_origin_drop(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_zone_t  *zone;

    if (!ctx->origin_kept) {
        return;
    }

    ctx->origin_kept = 0;
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    parley_store_remove_locked(zone->sh->origins, &zone->mem,
                               ctx->origin_key);

    ngx_shmtx_unlock(&zone->shpool->mutex);
}


static ngx_int_t
ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx, parley_str_t *ret)
{
    parley_buf_t         b;
    const parley_msg_t  *m;

    m = &ctx->msg;

    parley_buf_init(&b, &ctx->arena, 512);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"), parley_proto_name(m->wire));
    parley_buf_member(&b, PARLEY_STR("form"), m->form);
    parley_buf_member(&b, PARLEY_STR("id"), m->id);
    parley_buf_member(&b, PARLEY_STR("corr"), m->corr);
    parley_buf_member(&b, PARLEY_STR("intent"), m->intent);
    parley_buf_member(&b, PARLEY_STR("sender"), m->sender);
    parley_buf_member(&b, PARLEY_STR("recipient"), m->recipient);
    parley_buf_member(&b, PARLEY_STR("sent_corr"), ctx->sent.corr);
    parley_buf_name(&b, PARLEY_STR("alarm"));
    parley_buf_int(&b, m->alarm);
    parley_buf_name(&b, PARLEY_STR("priority"));
    parley_buf_int(&b, m->priority);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_parley_origin_find(ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t     rc;
    parley_str_t  record;

    if (ctx->msg.wire == ctx->lcf->speak
        || (ctx->msg.act != PARLEY_ACT_REPLY
            && ctx->msg.act != PARLEY_ACT_FAILURE))
    {
        return NGX_OK;
    }

    rc = ngx_http_parley_origin_load(ctx, &record);

    if (rc == NGX_OK) {
        rc = ngx_http_parley_origin_read(ctx, record);
    }

    if (rc != NGX_DECLINED) {
        return rc;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_REPLY_UNMATCHED,
                            parley_codecs[ctx->msg.wire]->reply_to_pointer,
                            "it answers no message that passed here and "
                            "still waits");

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx, parley_str_t *ret)
{
    int                      rc;
    uint8_t                  key[PARLEY_KEY_LEN];
    parley_str_t             value;
    ngx_http_parley_zone_t  *zone;

    if (ctx->msg.reply_to.len == 0) {
        return NGX_DECLINED;
    }

    ngx_http_parley_origin_make_key(ctx, ctx->msg.wire, ctx->msg.reply_to,
                                    key);
    zone = ctx->mcf->zone;
    rc = 0;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (parley_store_get_locked(zone->sh->origins, key,
                                (int64_t) ngx_current_msec, &value)
        == 0)
    {
        rc = parley_arena_str(&ctx->arena, value, ret);

    } else {
        rc = 1;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    return rc == 0 ? NGX_OK : rc == 1 ? NGX_DECLINED : NGX_ERROR;
}


/*
 * The reply goes to the protocol that the message came from, is about the
 * same conversation, and comes from whom the message was for.
 */

static ngx_int_t
ngx_http_parley_origin_read(ngx_http_parley_ctx_t *ctx, parley_str_t record)
{
    int64_t          n;
    parley_str_t     corr, whom;
    parley_msg_t    *m;
    parley_json_t   *doc;
    parley_error_t   err;

    m = &ctx->answered;
    doc = ngx_pcalloc(ctx->request->pool, sizeof(parley_json_t));

    if (doc == NULL
        || parley_json_read(doc, &ctx->arena, NULL, 0, record, &err) != 0)
    {
        return NGX_ERROR;
    }

    parley_msg_init(m, parley_proto_find(
                          ngx_http_parley_origin_member(doc, "protocol")),
                    doc);

    m->form = ngx_http_parley_origin_member(doc, "form");
    m->id = ngx_http_parley_origin_member(doc, "id");
    m->corr = ngx_http_parley_origin_member(doc, "corr");
    m->intent = ngx_http_parley_origin_member(doc, "intent");
    m->sender = ngx_http_parley_origin_member(doc, "sender");
    m->recipient = ngx_http_parley_origin_member(doc, "recipient");

    if (parley_json_integer(doc, parley_json_get(doc, 0, PARLEY_STR("alarm")),
                            &n)
        == 0)
    {
        m->alarm = (parley_alarm_t) n;
    }

    if (parley_json_integer(doc, parley_json_get(doc, 0,
                                                 PARLEY_STR("priority")), &n)
        == 0)
    {
        m->priority = (parley_priority_t) n;
    }

    corr = ngx_http_parley_origin_member(doc, "sent_corr");

    if (m->wire != ctx->lcf->speak
        || (ctx->msg.corr.len && !parley_str_eq(ctx->msg.corr, corr)))
    {
        return NGX_DECLINED;
    }

    if (!parley_name_is_group(m->wire, m->recipient)
        && (ngx_http_parley_resolve(ctx, m->wire, m->recipient,
                                    ctx->msg.wire, &whom)
            != 1
            || !parley_str_eq(whom, ctx->msg.sender)))
    {
        return NGX_DECLINED;
    }

    ctx->opts.answering = m;

    return NGX_OK;
}


static parley_str_t
ngx_http_parley_origin_member(const parley_json_t *doc, const char *name)
{
    uint32_t      i;
    parley_str_t  s;

    i = parley_json_get(doc, 0, parley_str_c(name));

    if (i == PARLEY_JSON_NONE || parley_json_string(doc, i, &s) != 0) {
        return parley_str_none;
    }

    return s;
}
