
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Correlation: a message that was sent in another protocol has an id of that
 * protocol.  What its origin was is kept in the zone, so that a reply which
 * comes later, as a request of its own, finds its way home, and so that its
 * sender can take it back.
 */


#include "ngx_http_parley_module.h"


/* a reply may come at least this long after the message */
#define NGX_HTTP_PARLEY_ORIGIN_TIME  600000

/* octets of names and ids that are remembered of one message */
#define NGX_HTTP_PARLEY_ORIGIN_MAX   4096


static void ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN]);
static void ngx_http_parley_origin_make_call_key(ngx_http_parley_ctx_t *ctx,
    parley_str_t call, uint8_t key[PARLEY_KEY_LEN]);
static void ngx_http_parley_origin_make_keys(ngx_http_parley_ctx_t *ctx,
    ngx_uint_t answerable, ngx_uint_t recallable);
static ngx_uint_t ngx_http_parley_origin_must(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx,
    parley_str_t record, ngx_uint_t answerable, ngx_uint_t recallable);
static ngx_uint_t ngx_http_parley_origin_is_taken(ngx_http_parley_ctx_t *ctx,
    parley_store_t *store, int64_t now);
static ngx_int_t ngx_http_parley_origin_write(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static void ngx_http_parley_origin_split(parley_str_t record,
    ngx_http_parley_origin_t *ret);
static parley_str_t ngx_http_parley_origin_name(ngx_http_parley_ctx_t *ctx,
    parley_str_t name);
static ngx_int_t ngx_http_parley_origin_get(ngx_http_parley_zone_t *zone,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_str_t *ret);
static ngx_int_t ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx,
    const uint8_t key[PARLEY_KEY_LEN]);


static void
ngx_http_parley_origin_make_key(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t id, uint8_t key[PARLEY_KEY_LEN])
{
    uint8_t       kind[2] = { NGX_HTTP_PARLEY_KEY_ORIGIN, (uint8_t) proto };
    parley_str_t  parts[2];

    parts[0] = parley_str_make(kind, sizeof(kind));
    parts[1] = id;

    parley_key_make(ctx->mcf->zone->sh->secret, parts, 2, key);
}


/* a call is its caller's own: whoever else says the same means another */

static void
ngx_http_parley_origin_make_call_key(ngx_http_parley_ctx_t *ctx,
    parley_str_t call, uint8_t key[PARLEY_KEY_LEN])
{
    uint8_t       kind[2] = { NGX_HTTP_PARLEY_KEY_CALL,
                              (uint8_t) ctx->msg.wire };
    parley_str_t  parts[3];

    parts[0] = parley_str_make(kind, sizeof(kind));
    parts[1] = ctx->who.principal ? ctx->who.principal->sub : ctx->msg.sender;
    parts[2] = call;

    parley_key_make(ctx->mcf->zone->sh->secret, parts, 3, key);
}


/*
 * Whatever somebody may refer to later: where the protocol in which it is sent
 * has a way to, or its sender may take it back.
 */

ngx_int_t
ngx_http_parley_origin_keep(ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t     rc;
    ngx_uint_t    answerable, recallable;
    parley_str_t  record;

    answerable = ctx->sent.answerable;
    recallable = ctx->msg.call.len
                 && (ctx->msg.act == PARLEY_ACT_REQUEST
                     || ctx->msg.act == PARLEY_ACT_EVENT);

    if (ctx->msg.wire == ctx->lcf->speak || (!answerable && !recallable)) {
        return NGX_OK;
    }

    ngx_http_parley_origin_make_keys(ctx, answerable, recallable);

    rc = ngx_http_parley_origin_write(ctx, &record);

    if (rc == NGX_OK) {
        rc = ngx_http_parley_origin_put(ctx, record, answerable, recallable);
    }

    if (rc == NGX_DECLINED && !ngx_http_parley_origin_must(ctx)) {
        parley_error_clear(&ctx->error);
        rc = NGX_OK;
    }

    return rc;
}


/* and has the memory fetched that is looked at, once the record is made */

static void
ngx_http_parley_origin_make_keys(ngx_http_parley_ctx_t *ctx,
    ngx_uint_t answerable, ngx_uint_t recallable)
{
    ngx_uint_t                by_corr;
    ngx_http_parley_shctx_t  *sh;

    sh = ctx->mcf->zone->sh;

    if (answerable) {

        /* what has no correlation is answered by its id in any protocol */

        by_corr = parley_codecs[ctx->lcf->speak]->replies_by_corr
                  && ctx->sent.corr.len;

        ngx_http_parley_origin_make_key(ctx, ctx->lcf->speak,
                                        by_corr ? ctx->sent.corr
                                                : ctx->sent.id,
                                        ctx->origin_key);

        parley_store_prefetch(sh->origins, ctx->origin_key);
        parley_store_prefetch(sh->asides, ctx->origin_key);
    }

    if (recallable) {
        ngx_http_parley_origin_make_call_key(ctx, ctx->msg.call,
                                             ctx->call_key);

        parley_store_prefetch(sh->asides, ctx->call_key);
    }
}


/*
 * What is to be answered is not sent where that could not be remembered; an
 * error may become an escalation, which is acknowledged.
 */

static ngx_uint_t
ngx_http_parley_origin_must(ngx_http_parley_ctx_t *ctx)
{
    return ctx->sent.answerable
           && (ctx->msg.act == PARLEY_ACT_REQUEST
               || ctx->msg.act == PARLEY_ACT_FAILURE);
}


/*
 * Under a call stands the key of the origin, which is the longer of the two;
 * the origin itself where it has no other key.
 */

static ngx_int_t
ngx_http_parley_origin_put(ngx_http_parley_ctx_t *ctx, parley_str_t record,
    ngx_uint_t answerable, ngx_uint_t recallable)
{
    int                      rc;
    int64_t                  now, ttl;
    parley_store_t          *store;
    ngx_http_parley_zone_t  *zone;

    rc = 1;
    now = (int64_t) ngx_current_msec;
    ttl = ngx_max(ctx->msg.timeout_ms, NGX_HTTP_PARLEY_ORIGIN_TIME);
    zone = ctx->mcf->zone;
    store = ngx_http_parley_origin_must(ctx) ? zone->sh->origins
                                             : zone->sh->asides;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (answerable
        && !ngx_http_parley_origin_is_taken(ctx, zone->sh->origins, now)
        && !ngx_http_parley_origin_is_taken(ctx, zone->sh->asides, now))
    {
        parley_store_remove_locked(zone->sh->asides, &zone->mem,
                                   ctx->origin_key);

        rc = parley_store_put_locked(store, &zone->mem, ctx->origin_key, now,
                                     ttl, record);

        ctx->origin_kept = (rc == 0);
    }

    if (ctx->origin_kept) {
        record = parley_str_make(ctx->origin_key, PARLEY_KEY_LEN);
    }

    if (recallable && rc >= 0) {
        ctx->call_kept = (parley_store_put_locked(zone->sh->asides, &zone->mem,
                                                  ctx->call_key, now, ttl,
                                                  record)
                          == 0);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc < 0) {
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "no room to remember what a reply would "
                                "answer");
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/*
 * What somebody else has under this id, an id that is the same in both
 * protocols, stays: a reply to it must not be led astray.
 */

static ngx_uint_t
ngx_http_parley_origin_is_taken(ngx_http_parley_ctx_t *ctx,
    parley_store_t *store, int64_t now)
{
    parley_str_t              there;
    ngx_http_parley_origin_t  other;

    if (parley_store_get_locked(store, ctx->origin_key, now, &there) != 0) {
        return 0;
    }

    ngx_http_parley_origin_split(there, &other);

    return other.head.proto != ctx->msg.wire
           || !parley_str_eq(other.texts[NGX_HTTP_PARLEY_ORIGIN_SENDER],
                             ctx->msg.sender);
}


/* the message was not taken, or answered for good: nobody refers to it */

void
ngx_http_parley_origin_drop(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_zone_t  *zone;

    if (!ctx->origin_kept && !ctx->call_kept) {
        return;
    }

    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (ctx->origin_kept) {
        parley_store_remove_locked(ngx_http_parley_origin_must(ctx)
                                   ? zone->sh->origins : zone->sh->asides,
                                   &zone->mem, ctx->origin_key);
    }

    if (ctx->call_kept) {
        parley_store_remove_locked(zone->sh->asides, &zone->mem,
                                   ctx->call_key);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    ctx->origin_kept = 0;
    ctx->call_kept = 0;
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
    o.head.sent = (uint8_t) ctx->lcf->speak;
    o.head.act = (uint8_t) m->act;
    o.head.mute = (uint8_t) ctx->sent.mute;
    o.head.approval = (uint8_t) m->approval;
    o.head.alarm = (uint8_t) m->alarm;
    o.head.priority = (uint8_t) m->priority;

    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENDER] = m->sender;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_FORM] = m->form;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_ID] = m->id;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_CORR] = m->corr;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_QUESTION] = m->question;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_INTENT] = m->intent;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_RECIPIENT] = ngx_http_parley_refer_to(ctx);
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_ID] = ctx->sent.id;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CORR] = ctx->sent.corr;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_CALL] = ctx->sent.call;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_PLACE] = m->place;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_TOKEN] = m->token;
    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_FROM] =
                               ngx_http_parley_origin_name(ctx, m->sender);

    /* what names nobody went to whoever sent what it refers to */

    o.texts[NGX_HTTP_PARLEY_ORIGIN_SENT_TO] =
                          (m->recipient.len || ctx->opts.answering == NULL)
                          ? ngx_http_parley_origin_name(ctx, m->recipient)
                          : ctx->opts.answering->sender;

    size = sizeof(ngx_http_parley_origin_head_t);

    for (i = 0; i < NGX_HTTP_PARLEY_ORIGIN_TEXTS; i++) {

        if (o.texts[i].len == 0) {
            continue;
        }

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
        || parley_who_resolve(&ctx->who, ctx->msg.wire, name, ctx->lcf->speak,
                                   &ret)
           != 1)
    {
        return parley_str_none;
    }

    return ret;
}


ngx_int_t
ngx_http_parley_origin_of(ngx_http_parley_ctx_t *ctx, parley_proto_t proto,
    parley_str_t id)
{
    uint8_t  key[PARLEY_KEY_LEN];

    if (id.len == 0) {
        return NGX_DECLINED;
    }

    ngx_http_parley_origin_make_key(ctx, proto, id, key);

    return ngx_http_parley_origin_load(ctx, key);
}


ngx_int_t
ngx_http_parley_origin_of_call(ngx_http_parley_ctx_t *ctx, parley_str_t call)
{
    uint8_t  key[PARLEY_KEY_LEN];

    ngx_http_parley_origin_make_call_key(ctx, call, key);

    return ngx_http_parley_origin_load(ctx, key);
}


/* what is as long as a key is one */
_Static_assert(sizeof(ngx_http_parley_origin_head_t) > PARLEY_KEY_LEN,
               "a record is longer than a key");


static ngx_int_t
ngx_http_parley_origin_get(ngx_http_parley_zone_t *zone,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_str_t *ret)
{
    return parley_store_get_locked(zone->sh->origins, key, now, ret) == 0
           || parley_store_get_locked(zone->sh->asides, key, now, ret) == 0
           ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_origin_load(ngx_http_parley_ctx_t *ctx,
    const uint8_t key[PARLEY_KEY_LEN])
{
    int                      rc;
    int64_t                  now;
    parley_str_t             value, record;
    ngx_http_parley_zone_t  *zone;

    rc = 1;
    record = parley_str_none;
    now = (int64_t) ngx_current_msec;
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (ngx_http_parley_origin_get(zone, key, now, &value) == NGX_OK
        && (value.len != PARLEY_KEY_LEN
            || ngx_http_parley_origin_get(zone, value.data, now, &value)
               == NGX_OK))
    {
        rc = parley_arena_str(&ctx->arena, value, &record);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc != 0) {
        return rc == 1 ? NGX_DECLINED : NGX_ERROR;
    }

    ctx->origin = parley_arena_alloc(&ctx->arena,
                                     sizeof(ngx_http_parley_origin_t));
    if (ctx->origin == NULL) {
        return NGX_ERROR;
    }

    ngx_http_parley_origin_split(record, ctx->origin);

    return NGX_OK;
}
