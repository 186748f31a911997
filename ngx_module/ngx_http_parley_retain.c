
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Retention (parley_retain): the last messages that were taken, for
 * aee.context.fetch; and what was said against them (aee.context.refute).
 * Only a party of the conversation sees either; who is none learns no more
 * than that nothing is there.
 */


#include "ngx_http_parley_module.h"

#include "parley_digest.h"
#include "parley_jcs.h"
#include "parley_time.h"


/* refutations of one message that are kept, and octets of a reason */
#define NGX_HTTP_PARLEY_REFUTATIONS_MAX  16
#define NGX_HTTP_PARLEY_REASON_MAX       1024

/* how often a refutation is tried where others come at the same time */
#define NGX_HTTP_PARLEY_REFUTE_TRIES     8

#define NGX_HTTP_PARLEY_HASH             "sha256:"


/* what the zone has under the id of a message, as JSON */

typedef struct {
    parley_str_t   record;          /* as it was read */
    parley_json_t  doc;             /* of record */
    parley_str_t   protocol;
    parley_str_t   sub;             /* of the sender; empty: nobody known */
    parley_str_t   sender;
    parley_str_t   recipient;
    int64_t        until;           /* ms, of the clock of the zone */
    uint32_t       refutations;     /* how many */
    parley_str_t   refuted;         /* they, without brackets */
    parley_str_t   message;
} ngx_http_parley_retained_t;


static void ngx_http_parley_retain_key(ngx_http_parley_ctx_t *ctx,
    parley_str_t id, uint8_t key[PARLEY_KEY_LEN]);
static ngx_int_t ngx_http_parley_retain_secret(ngx_http_parley_ctx_t *ctx,
    parley_str_t *message);
static ngx_int_t ngx_http_parley_retain_load(ngx_http_parley_ctx_t *ctx,
    parley_str_t id, ngx_http_parley_retained_t *m);
static ngx_int_t ngx_http_parley_retain_read(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_retained_t *m);
static ngx_int_t ngx_http_parley_retain_write(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m, parley_str_t *ret);
static ngx_int_t ngx_http_parley_retain_store(ngx_http_parley_ctx_t *ctx,
    parley_str_t id, const ngx_http_parley_retained_t *old, int64_t until,
    parley_str_t record);
static ngx_int_t ngx_http_parley_retain_find(ngx_http_parley_ctx_t *ctx,
    parley_str_t *id, ngx_http_parley_retained_t *m,
    ngx_http_parley_fault_t *fault);
static ngx_int_t ngx_http_parley_retain_party(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m);
static ngx_int_t ngx_http_parley_retain_hash(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m);
static ngx_int_t ngx_http_parley_retain_refuted(ngx_http_parley_ctx_t *ctx,
    parley_str_t reason, ngx_http_parley_retained_t *m,
    ngx_http_parley_fault_t *fault);
static parley_str_t ngx_http_parley_retain_text(const parley_json_t *doc,
    uint32_t object, const char *name);


static void
ngx_http_parley_retain_key(ngx_http_parley_ctx_t *ctx, parley_str_t id,
    uint8_t key[PARLEY_KEY_LEN])
{
    uint8_t       kind = NGX_HTTP_PARLEY_KEY_MESSAGE;
    parley_str_t  parts[2];

    parts[0] = parley_str_make(&kind, sizeof(kind));
    parts[1] = id;

    parley_key_make(ctx->mcf->zone->sh->secret, parts, 2, key);
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

    pointer = parley_codecs[ctx->msg.wire]->secret_pointer;

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
    parley_str_t                record;
    ngx_http_parley_retained_t  m, old;

    if (ctx->mcf->retain == 0 || ctx->msg.partial) {
        return;
    }

    ngx_memzero(&m, sizeof(ngx_http_parley_retained_t));

    m.protocol = parley_proto_name(ctx->gate.proto);
    m.sub = ctx->who.principal ? ctx->who.principal->sub : parley_str_none;
    m.sender = ctx->msg.sender;
    m.recipient = ctx->msg.recipient;
    m.until = (int64_t) ngx_current_msec + (int64_t) ctx->mcf->retain_time;
    m.message = (ctx->msg.wire == ctx->lcf->speak) ? ctx->sent.body
                                                   : ctx->msg.doc->input;

    if (ngx_http_parley_retain_secret(ctx, &m.message) != NGX_OK) {
        return;
    }

    /* an id that somebody else has used already stays the other's */

    switch (ngx_http_parley_retain_load(ctx, ctx->msg.id, &old)) {

    case NGX_DECLINED:
        break;

    case NGX_OK:
        if (parley_str_eq(old.sub, m.sub)) {
            break;
        }

        return;

    default: /* NGX_ERROR */
        return;
    }

    if (ngx_http_parley_retain_write(ctx, &m, &record) == NGX_OK) {
        (void) ngx_http_parley_retain_store(ctx, ctx->msg.id, NULL, m.until,
                                            record);
    }
}


/*
 * With old, only where that is still what is there, else NGX_AGAIN.  Retention
 * is bounded; where there is no room: NGX_DECLINED, nothing is there now, or
 * NGX_BUSY, old still is.
 */

static ngx_int_t
ngx_http_parley_retain_store(ngx_http_parley_ctx_t *ctx, parley_str_t id,
    const ngx_http_parley_retained_t *old, int64_t until, parley_str_t record)
{
    int64_t                  now;
    uint8_t                  key[PARLEY_KEY_LEN];
    ngx_int_t                rc;
    parley_str_t             there;
    parley_store_t          *store;
    ngx_http_parley_zone_t  *zone;

    ngx_http_parley_retain_key(ctx, id, key);

    rc = NGX_AGAIN;
    now = (int64_t) ngx_current_msec;
    zone = ctx->mcf->zone;
    store = zone->sh->retained;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (old == NULL
        || (parley_store_get_locked(store, key, now, &there) == 0
            && parley_str_eq(there, old->record)))
    {
        rc = NGX_OK;

        if (parley_store_put_locked(store, &zone->mem, key, now, until - now,
                                    record)
            != 0)
        {
            rc = NGX_DECLINED;
        }

        /* into the room that it had */

        if (rc == NGX_DECLINED && old
            && parley_store_put_locked(store, &zone->mem, key, now,
                                       until - now, old->record)
               == 0)
        {
            rc = NGX_BUSY;
        }
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    return rc;
}


/* NGX_DECLINED: nothing is there */

static ngx_int_t
ngx_http_parley_retain_load(ngx_http_parley_ctx_t *ctx, parley_str_t id,
    ngx_http_parley_retained_t *m)
{
    uint8_t                  key[PARLEY_KEY_LEN];
    ngx_int_t                rc;
    parley_str_t             value;
    ngx_http_parley_zone_t  *zone;

    ngx_memzero(m, sizeof(ngx_http_parley_retained_t));

    zone = ctx->mcf->zone;
    rc = NGX_DECLINED;

    ngx_http_parley_retain_key(ctx, id, key);

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (parley_store_get_locked(zone->sh->retained, key,
                                (int64_t) ngx_current_msec, &value)
        == 0)
    {
        rc = parley_arena_str(&ctx->arena, value, &m->record) == 0
             ? NGX_OK : NGX_ERROR;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    return rc == NGX_OK ? ngx_http_parley_retain_read(ctx, m) : rc;
}


/* the message passed the limits of its own location, not of this one */

static ngx_int_t
ngx_http_parley_retain_read(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_retained_t *m)
{
    uint32_t              list;
    parley_str_t          raw;
    parley_error_t        err;
    parley_json_limits_t  limits;

    limits = parley_json_limits_default;

    limits.octets = m->record.len;
    limits.depth = NGX_HTTP_PARLEY_DEPTH_MAX + 1;
    limits.string = (uint32_t) m->record.len;
    limits.members = (uint32_t) m->record.len;

    if (parley_json_read(&m->doc, &ctx->arena, &limits,
                         ngx_http_parley_seed(ctx), m->record, &err)
        != 0
        || parley_json_integer(&m->doc,
                               parley_json_get(&m->doc, 0,
                                               PARLEY_STR("until")),
                               &m->until)
           != 0)
    {
        return NGX_ERROR;
    }

    m->protocol = ngx_http_parley_retain_text(&m->doc, 0, "protocol");
    m->sub = ngx_http_parley_retain_text(&m->doc, 0, "sub");
    m->sender = ngx_http_parley_retain_text(&m->doc, 0, "sender");
    m->recipient = ngx_http_parley_retain_text(&m->doc, 0, "recipient");

    list = parley_json_get(&m->doc, 0, PARLEY_STR("refutations"));
    raw = parley_json_raw(&m->doc, list);

    m->refutations = m->doc.nodes[list].count;
    m->refuted = parley_str_make(raw.data + 1, raw.len - 2);
    m->message = parley_json_raw(&m->doc,
                                 parley_json_member(&m->doc, 0,
                                                    PARLEY_ATOM_message));

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_retain_write(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, &ctx->arena, m->message.len + m->refuted.len + 256);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("protocol"), m->protocol);
    parley_buf_member(&b, PARLEY_STR("sub"), m->sub);
    parley_buf_member(&b, PARLEY_STR("sender"), m->sender);
    parley_buf_member(&b, PARLEY_STR("recipient"), m->recipient);
    parley_buf_name(&b, PARLEY_STR("until"));
    parley_buf_int(&b, m->until);
    parley_buf_name(&b, PARLEY_STR("refutations"));
    parley_buf_octet(&b, '[');
    parley_buf_str(&b, m->refuted);
    parley_buf_octet(&b, ']');
    parley_buf_name(&b, PARLEY_STR("message"));
    parley_buf_str(&b, m->message);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/* the record that the task's payload names, for one who may see it */

static ngx_int_t
ngx_http_parley_retain_find(ngx_http_parley_ctx_t *ctx, parley_str_t *id,
    ngx_http_parley_retained_t *m, ngx_http_parley_fault_t *fault)
{
    ngx_int_t  rc;

    *id = ngx_http_parley_retain_text(ctx->msg.data.doc, ctx->msg.data.node,
                                      "id");
    if (id->len == 0) {
        fault->code = "E_FIELD_MISSING";
        fault->field = "/payload/id";
        fault->why = "/payload/id must be the id of a message";
        return NGX_DECLINED;
    }

    fault->code = "E_NOT_FOUND";
    fault->field = "";
    fault->why = "no message of this id is retained for this caller";

    if (ctx->mcf->retain == 0) {
        return NGX_DECLINED;
    }

    rc = ngx_http_parley_retain_load(ctx, *id, m);
    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_http_parley_retain_party(ctx, m) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_retain_party(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m)
{
    parley_str_t    name;
    parley_proto_t  proto;

    if (ctx->who.principal == NULL) {
        return 0;
    }

    if (m->sub.len && parley_str_eq(m->sub, ctx->who.principal->sub)) {
        return 1;
    }

    proto = parley_proto_find(m->protocol);

    if (proto == ctx->msg.wire) {
        name = ctx->msg.sender;

    } else if (parley_who_resolve(&ctx->who, ctx->msg.wire, ctx->msg.sender,
                                       proto, &name)
               != 1)
    {
        return 0;
    }

    return name.len && parley_str_eq(name, m->recipient);
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
    ngx_http_parley_fault_t *fault)
{
    ngx_int_t                   rc;
    parley_buf_t                b;
    parley_str_t                id;
    ngx_http_parley_retained_t  m;

    rc = ngx_http_parley_retain_find(ctx, &id, &m, fault);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_retain_hash(ctx, &m);

    if (rc != NGX_OK) {
        fault->code = "E_HASH_MISMATCH";
        fault->field = "/payload/hash";
        fault->why = "the retained message has another hash";
        return rc;
    }

    parley_buf_init(&b, &ctx->arena, m.record.len + 128);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("id"), id);
    parley_buf_member(&b, PARLEY_STR("protocol"), m.protocol);
    parley_buf_name(&b, PARLEY_STR("envelope"));
    parley_buf_str(&b, m.message);

    if (m.refutations) {
        parley_buf_name(&b, PARLEY_STR("refutations"));
        parley_buf_octet(&b, '[');
        parley_buf_str(&b, m.refuted);
        parley_buf_octet(&b, ']');
    }

    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, ret) == 0 ? NGX_OK : NGX_ERROR;
}


/*
 * "hash", where the task has one: SHA-256 of the RFC 8785 form.  One that is
 * no text is no hash of anything.
 */

static ngx_int_t
ngx_http_parley_retain_hash(ngx_http_parley_ctx_t *ctx,
    const ngx_http_parley_retained_t *m)
{
    char               hex[2 * PARLEY_SHA256_LEN + 1];
    uint8_t            digest[PARLEY_SHA256_LEN];
    parley_buf_t       b;
    parley_str_t       hash, canonical;
    parley_json_ref_t  message;

    if (parley_json_member(ctx->msg.data.doc, ctx->msg.data.node,
                           PARLEY_ATOM_hash)
        == PARLEY_JSON_NONE)
    {
        return NGX_OK;
    }

    hash = ngx_http_parley_retain_text(ctx->msg.data.doc, ctx->msg.data.node,
                                       "hash");

    message.doc = &m->doc;
    message.node = parley_json_member(&m->doc, 0, PARLEY_ATOM_message);

    parley_buf_init(&b, &ctx->arena, m->message.len);
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
    ngx_http_parley_fault_t *fault)
{
    ngx_int_t                   rc;
    ngx_uint_t                  tries;
    parley_str_t                id, reason, record;
    ngx_http_parley_retained_t  m;

    reason = ngx_http_parley_retain_text(ctx->msg.data.doc,
                                         ctx->msg.data.node, "reason");
    rc = NGX_AGAIN;

    for (tries = 0; tries < NGX_HTTP_PARLEY_REFUTE_TRIES; tries++) {

        rc = ngx_http_parley_retain_find(ctx, &id, &m, fault);
        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_http_parley_retain_refuted(ctx, reason, &m, fault);
        if (rc != NGX_OK) {
            return rc;
        }

        if (ngx_http_parley_retain_write(ctx, &m, &record) != NGX_OK) {
            return NGX_ERROR;
        }

        /* NGX_AGAIN: somebody else has refuted it meanwhile */

        rc = ngx_http_parley_retain_store(ctx, id, &m, m.until, record);

        if (rc != NGX_AGAIN) {
            break;
        }
    }

    *ret = (rc == NGX_OK) ? PARLEY_STR("{\"acknowledged\":true}")
                          : PARLEY_STR("{\"acknowledged\":false}");

    return NGX_OK;
}


/* adds a refutation to those of the message */

static ngx_int_t
ngx_http_parley_retain_refuted(ngx_http_parley_ctx_t *ctx,
    parley_str_t reason, ngx_http_parley_retained_t *m,
    ngx_http_parley_fault_t *fault)
{
    char          ts[PARLEY_TIME_MAX];
    parley_buf_t  b;

    if (reason.len == 0 || reason.len > NGX_HTTP_PARLEY_REASON_MAX) {
        fault->code = "E_FIELD_INVALID";
        fault->field = "/payload/reason";
        fault->why = "/payload/reason must be a text of at most 1024 octets";
        return NGX_DECLINED;
    }

    if (m->refutations >= NGX_HTTP_PARLEY_REFUTATIONS_MAX) {
        fault->code = "E_CAPACITY";
        fault->field = "";
        fault->why = "this message was refuted too often";
        return NGX_DECLINED;
    }

    (void) parley_time_format(ngx_http_parley_now(), ts);

    parley_buf_init(&b, &ctx->arena, m->refuted.len + reason.len + 128);

    parley_buf_str(&b, m->refuted);

    if (m->refutations) {
        parley_buf_octet(&b, ',');
    }

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("by"), ctx->msg.sender);
    parley_buf_member(&b, PARLEY_STR("reason"), reason);
    parley_buf_member(&b, PARLEY_STR("ts"), parley_str_c(ts));
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &m->refuted) == 0 ? NGX_OK : NGX_ERROR;
}
