
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


/* the texts of a record, in the order in which they stand */

typedef enum {
    NGX_HTTP_PARLEY_ORIGIN_SENDER = 0,
    NGX_HTTP_PARLEY_ORIGIN_FORM,
    NGX_HTTP_PARLEY_ORIGIN_ID,
    NGX_HTTP_PARLEY_ORIGIN_CORR,
    NGX_HTTP_PARLEY_ORIGIN_INTENT,
    NGX_HTTP_PARLEY_ORIGIN_RECIPIENT,
    NGX_HTTP_PARLEY_ORIGIN_SENT_CORR,
    NGX_HTTP_PARLEY_ORIGIN_SENT_FROM,
    NGX_HTTP_PARLEY_ORIGIN_SENT_TO,
    NGX_HTTP_PARLEY_ORIGIN_TEXTS
} ngx_http_parley_origin_text_e;


/*
 * How a record begins; the octets of the texts follow.  A text that is one
 * before it (an id that stays, a correlation that is the id) takes none:
 * same is the number of that one and 1.
 */

typedef struct {
    uint8_t                       proto;
    uint8_t                       alarm;
    uint8_t                       priority;
    uint8_t                       same[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
    uint16_t                      len[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
} ngx_http_parley_origin_head_t;


typedef struct {
    ngx_http_parley_origin_head_t   head;
    parley_str_t                    texts[NGX_HTTP_PARLEY_ORIGIN_TEXTS];
} ngx_http_parley_origin_t;


static void ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);
static ngx_int_t ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx,
    parley_str_t record);
static ngx_int_t ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static void ngx_http_parley_origin_split(parley_str_t record,
    ngx_http_parley_origin_t *ret);
static parley_str_t ngx_http_parley_origin_name(ngx_http_parley_ctx_t *ctx,
    parley_str_t name);
static ngx_int_t ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static ngx_int_t ngx_http_parley_origin_read(ngx_http_parley_ctx_t *ctx,
    parley_str_t record);
static ngx_int_t ngx_http_parley_origin_between(ngx_http_parley_ctx_t *ctx,
    const parley_msg_t *m, const ngx_http_parley_origin_t *origin);


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
    ngx_uint_t    by_corr;
    parley_str_t  record;

    /* an error may become an escalation, which is acknowledged */

    if (ctx->msg.wire == ctx->lcf->speak
        || (ctx->msg.act != PARLEY_ACT_REQUEST
            && ctx->msg.act != PARLEY_ACT_FAILURE))
    {
        return NGX_OK;
    }

    /* what has no correlation is answered by its id, whatever the protocol */

    by_corr = parley_codecs[ctx->lcf->speak]->replies_by_corr
              && ctx->sent.corr.len;

    ngx_http_parley_origin_make_key(ctx, ctx->lcf->speak,
                                    by_corr ? ctx->sent.corr : ctx->sent.id,
                                    ctx->origin_key);

    parley_store_prefetch(ctx->mcf->zone->sh->origins, ctx->origin_key);

    rc = ngx_http_parley_origin_write(ctx, &record);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_http_parley_origin_put(ctx, record);
}


/*
 * What somebody else has under this id, an id that is the same in both
 * protocols, stays: a reply to it must not be led astray.
 */

static ngx_int_t
ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx, parley_str_t record)
{
    int                        rc;
    int64_t                    now, ttl;
    parley_str_t               there;
    ngx_http_parley_zone_t    *zone;
    ngx_http_parley_origin_t   other;

    rc = 1;
    now = (int64_t) ngx_current_msec;
    ttl = ngx_max(ctx->msg.timeout_ms, NGX_HTTP_PARLEY_ORIGIN_TIME);
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    ngx_memzero(&other, sizeof(ngx_http_parley_origin_t));

    if (parley_store_get_locked(zone->sh->origins, ctx->origin_key, now,
                                &there)
        == 0)
    {
        ngx_http_parley_origin_split(there, &other);
    }

    if (there.len == 0
        || (other.head.proto == ctx->msg.wire
            && parley_str_eq(other.texts[NGX_HTTP_PARLEY_ORIGIN_SENDER],
                             ctx->msg.sender)))
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


static ngx_int_t
ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx, parley_str_t *ret)
{
    u_char                    *p;
    size_t                     size;
    ngx_uint_t                 i, j;
    const parley_msg_t        *m;
    ngx_http_parley_origin_t   o;

    m = &ctx->msg;

    ngx_memzero(&o, sizeof(ngx_http_parley_origin_t));

    o.head.proto = (uint8_t) m->wire;
    o.head.alarm = (uint8_t) m->alarm;
    o.head.priority = (uint8_t) m->priority;

    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENDER] = m->sender;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_FORM] = m->form;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_ID] = m->id;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_CORR] = m->corr;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_INTENT] = m->intent;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT] = m->recipient;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CORR] = ctx->sent.corr;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_FROM] =
                               ngx_http_parley_origin_name(ctx, m->sender);
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_TO] =
                               ngx_http_parley_origin_name(ctx, m->recipient);

    size = sizeof(ngx_http_parley_origin_head_t);

    for (i = 0; i < NGX_HTTP_PARLEY_ORIGIN_TEXTS; i++) {

        for (j = 0; j < i; j++) {
            if (parley_str_eq(o.texts[i], o.texts[j])) {
                o.head.same[i] = (uint8_t) (j + 1);
                break;
            }
        }

        if (o.head.same[i]) {
            continue;
        }

        size += o.texts[i].len;

        if (size > NGX_HTTP_PARLEY_ORIGIN_MAX) {
            (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_TOO_LARGE,
                                    NULL, "its names and ids are too long to "
                                    "remember what a reply would answer");
            return NGX_DECLINED;
        }

        o.head.len[i] = (uint16_t) o.texts[i].len;
    }

    p = parley_arena_octets(&ctx->arena, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *ret = parley_str_make(p, size);

    p = ngx_cpymem(p, &o.head, sizeof(ngx_http_parley_origin_head_t));

    for (i = 0; i < NGX_HTTP_PARLEY_ORIGIN_TEXTS; i++) {
        if (o.head.len[i]) {
            p = ngx_cpymem(p, o.texts[i].data, o.texts[i].len);
        }
    }

    return NGX_OK;
}


/* records are the gateway's own, of one layout of the zone */

static void
ngx_http_parley_origin_split(parley_str_t record,
    ngx_http_parley_origin_t *ret)
{
    const uint8_t  *p;
    ngx_uint_t      i;

    ngx_memcpy(&ret->head, record.data,
               sizeof(ngx_http_parley_origin_head_t));

    p = record.data + sizeof(ngx_http_parley_origin_head_t);

    for (i = 0; i < NGX_HTTP_PARLEY_ORIGIN_TEXTS; i++) {

        if (ret->head.same[i]) {
            ret->texts[i] = ret->texts[ret->head.same[i] - 1];
            continue;
        }

        ret->texts[i] = parley_str_make(p, ret->head.len[i]);
        p += ret->head.len[i];
    }
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
    parley_msg_t              *m;
    ngx_http_parley_origin_t   o;

    m = parley_arena_alloc(&ctx->arena, sizeof(parley_msg_t));
    if (m == NULL) {
        return NGX_ERROR;
    }

    ngx_http_parley_origin_split(record, &o);

    parley_msg_init(m, (parley_proto_t) o.head.proto, &ctx->doc);

    m->form = o.texts[NGX_HTTP_PARLEY_ORIGIN_FORM];
    m->id = o.texts[NGX_HTTP_PARLEY_ORIGIN_ID];
    m->corr = o.texts[NGX_HTTP_PARLEY_ORIGIN_CORR];
    m->intent = o.texts[NGX_HTTP_PARLEY_ORIGIN_INTENT];
    m->sender = o.texts[NGX_HTTP_PARLEY_ORIGIN_SENDER];
    m->recipient = o.texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT];
    m->alarm = (parley_alarm_t) o.head.alarm;
    m->priority = (parley_priority_t) o.head.priority;

    if (!ngx_http_parley_origin_between(ctx, m, &o)) {
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
    const parley_msg_t *m, const ngx_http_parley_origin_t *origin)
{
    parley_str_t         corr, from, to;
    const parley_msg_t  *reply;

    reply = &ctx->msg;

    corr = origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CORR];
    from = origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_FROM];
    to = origin->texts[NGX_HTTP_PARLEY_ORIGIN_SENT_TO];

    if (m->wire != ctx->lcf->speak
        || (reply->corr.len && corr.len && !parley_str_eq(reply->corr, corr)))
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
