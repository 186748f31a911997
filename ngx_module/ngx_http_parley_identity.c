
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Who is who: the directory, the token and the message brought together.
 * The libraries that know names (translate) and principals (auth) do not
 * know each other; this is where they meet.
 */


#include "ngx_http_parley_module.h"


static const parley_principal_t *ngx_http_parley_by_name(
    ngx_http_parley_ctx_t *ctx, parley_proto_t proto, parley_str_t name);
static ngx_int_t ngx_http_parley_names_match(ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_names_map(ngx_http_parley_ctx_t *ctx,
    parley_proto_t proto, parley_str_t name);
static ngx_int_t ngx_http_parley_sender_known(ngx_http_parley_ctx_t *ctx);


/* the two libraries number protocols alike */

static const parley_principal_t *
ngx_http_parley_by_name(ngx_http_parley_ctx_t *ctx, parley_proto_t proto,
    parley_str_t name)
{
    if (ctx->mcf->directory == NULL) {
        return NULL;
    }

    return parley_directory_by_name(ctx->mcf->directory,
                                    (parley_namespace_t) proto, name);
}


/*
 * Step 6.  With a token the message's sender must be a name of the token's
 * principal.  Without one the sender is whoever the directory has under that
 * name, and a signature has to prove it.
 */

ngx_int_t
ngx_http_parley_sender(ngx_http_parley_ctx_t *ctx)
{
    const parley_principal_t  *owner;

    owner = ngx_http_parley_by_name(ctx, ctx->msg.wire, ctx->msg.sender);

    if (ctx->principal == NULL) {
        ctx->principal = owner;
        return ngx_http_parley_sender_known(ctx);
    }

    if (owner) {
        if (parley_str_eq(owner->sub, ctx->principal->sub)) {
            return NGX_OK;
        }

    } else if (ngx_http_parley_names_match(ctx)) {
        return NGX_OK;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_codecs[ctx->msg.wire]->sender_pointer,
                            "the sender is not who the token names");

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_sender_known(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->principal || ctx->lcf->trusted) {
        return NGX_OK;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_KEY_UNKNOWN,
                            parley_codecs[ctx->msg.wire]->sender_pointer,
                            "nobody of this name is known here");

    return NGX_DECLINED;
}


/*
 * The principal's own name in this protocol decides.  Where it has none, a
 * name of another protocol may map here; where it has no names at all its
 * sub is its name.
 */

static ngx_int_t
ngx_http_parley_names_match(ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t                 i, n;
    const parley_principal_t  *p;

    p = ctx->principal;

    if (p->names[ctx->msg.wire].len) {
        return parley_str_eq(p->names[ctx->msg.wire], ctx->msg.sender);
    }

    n = 0;

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {

        if (p->names[i].len == 0) {
            continue;
        }

        n++;

        if (ngx_http_parley_names_map(ctx, (parley_proto_t) i, p->names[i])) {
            return 1;
        }
    }

    if (n) {
        return 0;
    }

    return parley_str_eq(p->sub, ctx->msg.sender)
           || ngx_http_parley_names_map(ctx, PARLEY_PROTO_AEE, p->sub);
}


static ngx_int_t
ngx_http_parley_names_map(ngx_http_parley_ctx_t *ctx, parley_proto_t proto,
    parley_str_t name)
{
    parley_str_t  mapped;

    return parley_name_map(&ctx->arena, proto, name, ctx->msg.wire, &mapped)
           == 0
           && parley_str_eq(mapped, ctx->msg.sender);
}


/*
 * VCP-30: where the hierarchy is known, constraints come from the parent and
 * escalations go to it; an acknowledgment comes back from it.
 */

ngx_int_t
ngx_http_parley_direction(ngx_http_parley_ctx_t *ctx)
{
    const parley_principal_t  *sender, *recipient, *child, *upper;

    sender = ctx->principal;
    recipient = ngx_http_parley_by_name(ctx, ctx->msg.wire,
                                        ctx->msg.recipient);

    switch (parley_codecs[ctx->msg.wire]->direction(&ctx->msg)) {

    case PARLEY_DIRECTION_DOWN:
        child = recipient;
        upper = sender;
        break;

    case PARLEY_DIRECTION_UP:
        child = sender;
        upper = recipient;
        break;

    default: /* PARLEY_DIRECTION_ANY */
        return NGX_OK;
    }

    /* a parent is not the child of its own child, whatever else is known */

    if (child && child->parent.len) {
        if (upper && parley_str_eq(child->parent, upper->sub)) {
            return NGX_OK;
        }

    } else if (child == NULL || upper == NULL
               || !parley_str_eq(upper->parent, child->sub))
    {
        return NGX_OK;
    }

    (void) parley_error_set(&ctx->error, PARLEY_E_DIRECTION_REFUSED,
                            parley_codecs[ctx->msg.wire]->recipient_pointer,
                            "this type of message passes between a child and "
                            "its own parent only, in one direction");

    return NGX_DECLINED;
}


/*
 * A name in another protocol.  What the directory does not say the syntax
 * does, but never the name of somebody else: an unlisted agent must not turn
 * into a listed one by translation.
 */

int
ngx_http_parley_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    ngx_http_parley_ctx_t *ctx = data;

    const parley_principal_t  *owner, *other;

    owner = ngx_http_parley_by_name(ctx, from, name);

    if (owner == NULL && ctx->principal && from == ctx->msg.wire
        && parley_str_eq(name, ctx->msg.sender))
    {
        owner = ctx->principal;
    }

    if (owner && owner->names[to].len) {
        *ret = owner->names[to];
        return 1;
    }

    if (parley_name_map(&ctx->arena, from, name, to, ret) != 0) {
        return -1;
    }

    other = ngx_http_parley_by_name(ctx, to, *ret);

    if (other
        && (owner == NULL || !parley_str_eq(other->sub, owner->sub)))
    {
        return -1;
    }

    return 1;
}
