
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Retention (parley_retain): the last messages that were taken, as they were
 * sent, for aee.context.fetch; and what was said against them
 * (aee.context.refute).  Only a party of the conversation sees either; who is
 * none learns no more than that nothing is there.
 */


#include "ngx_http_parley_module.h"

#include "parley_digest.h"
#include "parley_jcs.h"
#include "parley_time.h"


/* refutations of one message that are kept, and octets of a reason */
#define NGX_HTTP_PARLEY_REFUTATIONS_MAX  16
#define NGX_HTTP_PARLEY_REASON_MAX       1024

#define NGX_HTTP_PARLEY_HASH             "sha256:"


static void ngx_http_parley_retain_key(ngx_http_parley_ctx_t *ctx,
    parley_str_t kind, parley_str_t id, uint8_t key[PARLEY_KEY_LEN]);
static ngx_int_t ngx_http_parley_retain_load(ngx_http_parley_ctx_t *ctx,
    parley_str_t kind, parley_str_t id, parley_str_t *ret);
static ngx_int_t ngx_http_parley_retain_find(ngx_http_parley_ctx_t *ctx,
    parley_str_t *id, parley_json_t *doc, const char **code,
    const char **why);
static ngx_int_t ngx_http_parley_retain_party(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc);
static ngx_int_t ngx_http_parley_retain_hash(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc);
static parley_str_t ngx_http_parley_retain_text(const parley_json_t *doc,
    uint32_t object, const char *name);
static void ngx_http_parley_retain_store(ngx_http_parley_ctx_t *ctx,
    const uint8_t key[PARLEY_KEY_LEN], parley_str_t value, ngx_int_t *stored);


static void
ngx_http_parley_retain_key(ngx_http_parley_ctx_t *ctx, parley_str_t kind,
    parley_str_t id, uint8_t key[PARLEY_KEY_LEN])
{
    parley_str_t  parts[2];

    parts[0] = kind;
    parts[1] = id;

    parley_key_make(ctx->mcf->zone->sh->secret, parts, 2, key);
}


void
ngx_http_parley_retain(ngx_http_parley_ctx_t *ctx)
{
    uint8_t        key[PARLEY_KEY_LEN];
    ngx_int_t      stored;
    parley_buf_t   b;
    parley_str_t   value, sub, old;
    parley_json_t  doc;
    parley_error_t err;

    if (ctx->mcf->retain == 0 || ctx->msg.partial) {
        return;
    }

    sub = ctx->principal ? ctx->principal->sub : parley_str_none;

    /* an id that somebody else has used already stays the other's */

    if (ngx_http_parley_retain_load(ctx, PARLEY_STR("message"), ctx->msg.id,
                                    &old)
        == NGX_OK
        && (parley_json_read(&doc, &ctx->arena, NULL, 0, old, &err) != 0
            || !parley_str_eq(ngx_http_parley_retain_text(&doc, 0, "sub"),
                              sub)))
    {
        return;
    }

    parley_buf_init(&b, &ctx->arena, ctx->body.len + 256);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"),
                      parley_proto_name(ctx->proto));
    parley_buf_member(&b, PARLEY_STR("sub"), sub);
    parley_buf_member(&b, PARLEY_STR("sender"), ctx->msg.sender);
    parley_buf_member(&b, PARLEY_STR("recipient"), ctx->msg.recipient);
    parley_buf_name(&b, PARLEY_STR("message"));
    parley_buf_str(&b, ctx->body);
    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, &value) != 0) {
        return;
    }

    ngx_http_parley_retain_key(ctx, PARLEY_STR("message"), ctx->msg.id, key);
    ngx_http_parley_retain_store(ctx, key, value, &stored);
}


/* retention is bounded: what finds no room was not kept */

static void
ngx_http_parley_retain_store(ngx_http_parley_ctx_t *ctx,
    const uint8_t key[PARLEY_KEY_LEN], parley_str_t value, ngx_int_t *stored)
{
    ngx_http_parley_zone_t  *zone;

    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    *stored = parley_store_put_locked(zone->sh->retained, &zone->mem, key,
                                      (int64_t) ngx_current_msec,
                                      (int64_t) ctx->mcf->retain_time, value)
              == 0;

    ngx_shmtx_unlock(&zone->shpool->mutex);
}


static ngx_int_t
ngx_http_parley_retain_load(ngx_http_parley_ctx_t *ctx, parley_str_t kind,
    parley_str_t id, parley_str_t *ret)
{
    int                      rc;
    uint8_t                  key[PARLEY_KEY_LEN];
    parley_str_t             value;
    ngx_http_parley_zone_t  *zone;

    zone = ctx->mcf->zone;
    rc = -1;

    ngx_http_parley_retain_key(ctx, kind, id, key);

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (parley_store_get_locked(zone->sh->retained, key,
                                (int64_t) ngx_current_msec, &value)
        == 0)
    {
        rc = parley_arena_str(&ctx->arena, value, ret);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    return rc == 0 ? NGX_OK : NGX_DECLINED;
}


/* the record that the task's payload names, for one who may see it */

static ngx_int_t
ngx_http_parley_retain_find(ngx_http_parley_ctx_t *ctx, parley_str_t *id,
    parley_json_t *doc, const char **code, const char **why)
{
    parley_str_t    record;
    parley_error_t  err;

    *id = ngx_http_parley_retain_text(ctx->msg.data.doc, ctx->msg.data.node,
                                      "id");
    if (id->len == 0) {
        *code = "E_FIELD_MISSING";
        *why = "/payload/id must be the id of a message";
        return NGX_DECLINED;
    }

    *code = "E_NOT_FOUND";
    *why = "no message of this id is retained for this caller";

    if (ngx_http_parley_retain_load(ctx, PARLEY_STR("message"), *id, &record)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (parley_json_read(doc, &ctx->arena, &ctx->lcf->limits, 0, record, &err)
        != 0)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_retain_party(ctx, doc) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_retain_party(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc)
{
    parley_str_t    sub, name;
    parley_proto_t  proto;

    sub = ngx_http_parley_retain_text(doc, 0, "sub");

    if (ctx->principal == NULL) {
        return 0;
    }

    if (sub.len && parley_str_eq(sub, ctx->principal->sub)) {
        return 1;
    }

    proto = parley_proto_find(ngx_http_parley_retain_text(doc, 0,
                                                          "protocol"));

    if (proto == ctx->msg.wire) {
        name = ctx->msg.sender;

    } else if (ngx_http_parley_resolve(ctx, ctx->msg.wire, ctx->msg.sender,
                                       proto, &name)
               != 1)
    {
        return 0;
    }

    return parley_str_eq(name, ngx_http_parley_retain_text(doc, 0,
                                                           "recipient"));
}


static parley_str_t
ngx_http_parley_retain_text(const parley_json_t *doc, uint32_t object,
    const char *name)
{
    uint32_t      i;
    parley_str_t  s;

    i = parley_json_get(doc, object, parley_str_c(name));

    if (i == PARLEY_JSON_NONE
        || parley_json_type(doc, i) != PARLEY_JSON_STRING
        || parley_json_string(doc, i, &s) != 0)
    {
        return parley_str_none;
    }

    return s;
}


ngx_int_t
ngx_http_parley_retain_fetch(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    const char **code, const char **why)
{
    ngx_int_t          rc;
    parley_buf_t       b;
    parley_str_t       id, refuted;
    parley_json_t      doc;
    parley_json_ref_t  message;

    rc = ngx_http_parley_retain_find(ctx, &id, &doc, code, why);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_retain_hash(ctx, &doc);

    if (rc != NGX_OK) {
        *code = "E_HASH_MISMATCH";
        *why = "the retained message has another hash";
        return rc;
    }

    message.doc = &doc;
    message.node = parley_json_get(&doc, 0, PARLEY_STR("message"));

    parley_buf_init(&b, &ctx->arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("id"), id);
    parley_buf_member(&b, PARLEY_STR("protocol"),
                      ngx_http_parley_retain_text(&doc, 0, "protocol"));
    parley_buf_name(&b, PARLEY_STR("envelope"));
    parley_buf_value(&b, message);

    if (ngx_http_parley_retain_load(ctx, PARLEY_STR("refuted"), id, &refuted)
        == NGX_OK)
    {
        parley_buf_name(&b, PARLEY_STR("refutations"));
        parley_buf_str(&b, refuted);
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/* "hash", where the task has one: SHA-256 of the RFC 8785 form */

static ngx_int_t
ngx_http_parley_retain_hash(ngx_http_parley_ctx_t *ctx,
    const parley_json_t *doc)
{
    char               hex[2 * PARLEY_SHA256_LEN + 1];
    uint8_t            digest[PARLEY_SHA256_LEN];
    parley_buf_t       b;
    parley_str_t       hash, canonical;
    parley_json_ref_t  message;

    hash = ngx_http_parley_retain_text(ctx->msg.data.doc, ctx->msg.data.node,
                                       "hash");
    if (hash.len == 0) {
        return NGX_OK;
    }

    message.doc = doc;
    message.node = parley_json_get(doc, 0, PARLEY_STR("message"));

    parley_buf_init(&b, &ctx->arena, ctx->body.len);
    parley_jcs_write(&b, message, parley_str_none);

    if (parley_buf_done(&b, &canonical) != 0
        || parley_sha256(canonical, digest) != 0)
    {
        return NGX_ERROR;
    }

    parley_hex(digest, PARLEY_SHA256_LEN, hex);

    return (parley_str_begins(hash, NGX_HTTP_PARLEY_HASH)
            && parley_str_eq(parley_str_from(hash,
                                        sizeof(NGX_HTTP_PARLEY_HASH) - 1),
                             parley_str_c(hex)))
           ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_http_parley_retain_refute(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    const char **code, const char **why)
{
    char            ts[PARLEY_TIME_MAX];
    uint8_t         key[PARLEY_KEY_LEN];
    ngx_int_t       rc, stored;
    parley_buf_t    b;
    parley_str_t    id, reason, old, value;
    parley_json_t   doc, list;
    parley_error_t  err;

    rc = ngx_http_parley_retain_find(ctx, &id, &doc, code, why);
    if (rc != NGX_OK) {
        return rc;
    }

    reason = ngx_http_parley_retain_text(ctx->msg.data.doc,
                                         ctx->msg.data.node, "reason");

    if (reason.len == 0 || reason.len > NGX_HTTP_PARLEY_REASON_MAX) {
        *code = "E_FIELD_INVALID";
        *why = "/payload/reason must be a text of at most 1024 octets";
        return NGX_DECLINED;
    }

    parley_buf_init(&b, &ctx->arena, 0);
    parley_buf_octet(&b, '[');

    if (ngx_http_parley_retain_load(ctx, PARLEY_STR("refuted"), id, &old)
        == NGX_OK)
    {
        if (parley_json_read(&list, &ctx->arena, NULL, 0, old, &err) != 0) {
            return NGX_ERROR;
        }

        if (list.nodes[0].count >= NGX_HTTP_PARLEY_REFUTATIONS_MAX) {
            *code = "E_CAPACITY";
            *why = "this message was refuted too often";
            return NGX_DECLINED;
        }

        parley_buf_put(&b, old.data + 1, old.len - 2);
        parley_buf_octet(&b, ',');
    }

    (void) parley_time_format(ngx_http_parley_now(), ts);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("by"), ctx->msg.sender);
    parley_buf_member(&b, PARLEY_STR("reason"), reason);
    parley_buf_member(&b, PARLEY_STR("ts"), parley_str_c(ts));
    parley_buf_lit(&b, "}]");

    if (parley_buf_done(&b, &value) != 0) {
        return NGX_ERROR;
    }

    ngx_http_parley_retain_key(ctx, PARLEY_STR("refuted"), id, key);
    ngx_http_parley_retain_store(ctx, key, value, &stored);

    *ret = stored ? PARLEY_STR("{\"acknowledged\":true}")
                  : PARLEY_STR("{\"acknowledged\":false}");

    return NGX_OK;
}
