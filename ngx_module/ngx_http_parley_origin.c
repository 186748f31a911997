
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

/* octets of names and ids that are remembered of one message */
#define NGX_HTTP_PARLEY_ORIGIN_MAX   4096


static void ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);
static ngx_int_t ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx,
    parley_str_t owner, parley_str_t record);
static ngx_int_t ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx,
    parley_str_t *owner, parley_str_t *ret);
static parley_str_t ngx_http_parley_origin_name(ngx_http_parley_ctx_t *ctx,
    parley_str_t name);
static ngx_int_t ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static ngx_int_t ngx_http_parley_origin_read(ngx_http_parley_ctx_t *ctx,
    parley_str_t record);
static ngx_int_t ngx_http_parley_origin_between(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc);
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
    ngx_int_t     rc;
    parley_str_t  owner, record;

    /* an error may become an escalation, which is acknowledged */

    if (ctx->msg.wire == ctx->lcf->speak
        || (ctx->msg.act != PARLEY_ACT_REQUEST
            && ctx->msg.act != PARLEY_ACT_FAILURE))
    {
        return NGX_OK;
    }

    rc = ngx_http_parley_origin_write(ctx, &owner, &record);
    if (rc != NGX_OK) {
        return rc;
    }

    if (record.len > NGX_HTTP_PARLEY_ORIGIN_MAX) {
        (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                                "its names and ids are too long to remember "
                                "what a reply would answer");
        return NGX_DECLINED;
    }

    ngx_http_parley_origin_make_key(ctx, ctx->lcf->speak,
                                    parley_codecs[ctx->lcf->speak]
                                    ->replies_by_corr
                                    ? ctx->sent.corr : ctx->sent.id,
                                    ctx->origin_key);

    return ngx_http_parley_origin_put(ctx, owner, record);
}


/*
 * What somebody else has under this id, an id that is the same in both
 * protocols, stays: a reply to it must not be led astray.
 */

static ngx_int_t
ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx, parley_str_t owner,
    parley_str_t record)
{
    int                      rc;
    int64_t                  now, ttl;
    parley_str_t             there;
    ngx_http_parley_zone_t  *zone;

    rc = 1;
    now = (int64_t) ngx_current_msec;
    ttl = ngx_max(ctx->msg.timeout_ms, NGX_HTTP_PARLEY_ORIGIN_TIME);
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (parley_store_get_locked(zone->sh->origins, ctx->origin_key, now,
                                &there)
        != 0
        || (there.len >= owner.len
            && ngx_memcmp(there.data, owner.data, owner.len) == 0))
    {
        rc = parley_store_put_locked(zone->sh->origins, &zone->mem,
                                     ctx->origin_key, now, ttl, record);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc < 0) {
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "no room to remember what a reply would "
                                "answer");
        return NGX_DECLINED;
    }

    ctx->origin_kept = (rc == 0);

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


/* owner is how the record begins: whose message it is */

static ngx_int_t
ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx, parley_str_t *owner,
    parley_str_t *ret)
{
    parley_buf_t         b;
    const parley_msg_t  *m;

    m = &ctx->msg;

    parley_buf_init(&b, &ctx->arena, 512);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"), parley_proto_name(m->wire));
    parley_buf_member(&b, PARLEY_STR("sender"), m->sender);

    if (parley_buf_done(&b, owner) != 0) {
        return NGX_ERROR;
    }

    parley_buf_init(&b, &ctx->arena, owner->len + 512);

    parley_buf_str(&b, *owner);
    parley_buf_member(&b, PARLEY_STR("form"), m->form);
    parley_buf_member(&b, PARLEY_STR("id"), m->id);
    parley_buf_member(&b, PARLEY_STR("corr"), m->corr);
    parley_buf_member(&b, PARLEY_STR("intent"), m->intent);
    parley_buf_member(&b, PARLEY_STR("recipient"), m->recipient);
    parley_buf_member(&b, PARLEY_STR("sent_corr"), ctx->sent.corr);
    parley_buf_member(&b, PARLEY_STR("sent_from"),
                      ngx_http_parley_origin_name(ctx, m->sender));
    parley_buf_member(&b, PARLEY_STR("sent_to"),
                      ngx_http_parley_origin_name(ctx, m->recipient));
    parley_buf_name(&b, PARLEY_STR("alarm"));
    parley_buf_int(&b, m->alarm);
    parley_buf_name(&b, PARLEY_STR("priority"));
    parley_buf_int(&b, m->priority);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/*
 * A name as the upstream sees it now: later, without this caller's token, it
 * might be another.  Empty: a group, or no name at all.
 */

static parley_str_t
ngx_http_parley_origin_name(ngx_http_parley_ctx_t *ctx, parley_str_t name)
{
    parley_str_t  ret;

    if (name.len == 0 || parley_name_is_group(ctx->msg.wire, name)
        || ngx_http_parley_resolve(ctx, ctx->msg.wire, name, ctx->lcf->speak,
                                   &ret)
           != 1)
    {
        return parley_str_none;
    }

    return ret;
}


ngx_int_t
ngx_http_parley_origin_find(ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t     rc;
    parley_str_t  record;

    if (ctx->msg.wire == ctx->lcf->speak
        || (ctx->msg.act != PARLEY_ACT_REPLY && ctx->msg.reply_to.len == 0))
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

    if (ctx->msg.act != PARLEY_ACT_REPLY) {
        /* bad news, and progress, are told whoever they are an answer to */
        return NGX_OK;
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


static ngx_int_t
ngx_http_parley_origin_read(ngx_http_parley_ctx_t *ctx, parley_str_t record)
{
    int64_t          n;
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

    if (!ngx_http_parley_origin_between(ctx, doc)) {
        return NGX_DECLINED;
    }

    ctx->opts.answering = m;

    return NGX_OK;
}


/*
 * The reply goes to the protocol that the message came from, is about the
 * same conversation, comes from whom the message was for and goes to whom it
 * was from.  A message to a group is answered by any of it.
 */

static ngx_int_t
ngx_http_parley_origin_between(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc)
{
    parley_str_t         corr, from, to;
    const parley_msg_t  *m, *reply;

    m = &ctx->answered;
    reply = &ctx->msg;

    corr = ngx_http_parley_origin_member(doc, "sent_corr");
    from = ngx_http_parley_origin_member(doc, "sent_from");
    to = ngx_http_parley_origin_member(doc, "sent_to");

    if (m->wire != ctx->lcf->speak
        || (reply->corr.len && !parley_str_eq(reply->corr, corr)))
    {
        return 0;
    }

    if (!parley_name_is_group(m->wire, m->recipient)
        && !parley_str_eq(reply->sender, to))
    {
        return 0;
    }

    return reply->recipient.len == 0 || from.len == 0
           || parley_name_is_group(reply->wire, reply->recipient)
           || parley_str_eq(reply->recipient, from);
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
