
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Who is who: the directory, the token and the message brought together.
 * The libraries that know names (translate) and principals (auth) do not
 * know each other; this is where they meet.
 */


#include "ngx_http_parley_module.h"


static int ngx_http_parley_find(void *data, parley_proto_t proto,
    parley_str_t name, parley_party_t *ret);
static void ngx_http_parley_party(const parley_principal_t *principal,
    parley_party_t *ret);
static void ngx_http_parley_parties(ngx_http_parley_ctx_t *ctx,
    parley_parties_t *ret);
static int ngx_http_parley_resolve_name(ngx_http_parley_ctx_t *ctx,
    parley_proto_t from, parley_str_t name, parley_proto_t to,
    parley_str_t *ret);


/* the two libraries number protocols alike */

_Static_assert((int) PARLEY_NAMESPACE_COUNT == (int) PARLEY_PROTO_COUNT,
               "a name space for each protocol");


static int
ngx_http_parley_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_party_t *ret)
{
    ngx_http_parley_ctx_t *ctx = data;

    const parley_principal_t  *owner;

    if (ctx->mcf->directory == NULL) {
        return 0;
    }

    owner = parley_directory_by_name(ctx->mcf->directory,
                                     (parley_namespace_t) proto, name);
    if (owner == NULL) {
        return 0;
    }

    ngx_http_parley_party(owner, ret);

    return 1;
}


static void
ngx_http_parley_party(const parley_principal_t *principal,
    parley_party_t *ret)
{
    ret->sub = principal->sub;
    ret->parent = principal->parent;
    ret->names = principal->names;
    ret->data = principal;
}


static void
ngx_http_parley_parties(ngx_http_parley_ctx_t *ctx, parley_parties_t *ret)
{
    ret->arena = &ctx->arena;
    ret->find = ngx_http_parley_find;
    ret->ctx = ctx;
}


/* step 6 */

ngx_int_t
ngx_http_parley_sender(ngx_http_parley_ctx_t *ctx)
{
    parley_party_t    caller, sender;
    parley_parties_t  parties;

    ngx_http_parley_parties(ctx, &parties);

    if (ctx->principal) {
        ngx_http_parley_party(ctx->principal, &caller);
    }

    if (parley_party_sender(&parties, &ctx->msg,
                            ctx->principal ? &caller : NULL,
                            (int) ctx->lcf->trusted, &sender, &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    ctx->principal = sender.data;

    return NGX_OK;
}


/* VCP-30 */

ngx_int_t
ngx_http_parley_direction(ngx_http_parley_ctx_t *ctx)
{
    parley_party_t    sender;
    parley_parties_t  parties;

    ngx_http_parley_parties(ctx, &parties);

    if (ctx->principal) {
        ngx_http_parley_party(ctx->principal, &sender);
    }

    return parley_party_direction(&parties, &ctx->msg,
                                  ctx->principal ? &sender : NULL,
                                  &ctx->error)
           == 0 ? NGX_OK : NGX_DECLINED;
}


/*
 * The message's own names are asked for again and again: by the encoder, for
 * the record of its origin, for the answer.  They are known by where they
 * stand, which holds as long as the request does.
 */

int
ngx_http_parley_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    ngx_http_parley_ctx_t *ctx = data;

    ngx_http_parley_resolved_t  *known;

    if (name.len && name.data == ctx->msg.sender.data) {
        known = &ctx->resolved[0];

    } else if (name.len && name.data == ctx->msg.recipient.data) {
        known = &ctx->resolved[1];

    } else {
        return ngx_http_parley_resolve_name(ctx, from, name, to, ret);
    }

    if (known->name.data != name.data || known->name.len != name.len
        || known->from != from || known->to != to)
    {
        known->rc = ngx_http_parley_resolve_name(ctx, from, name, to,
                                                 &known->ret);
        known->name = name;
        known->from = from;
        known->to = to;
    }

    *ret = known->ret;

    return known->rc;
}


static int
ngx_http_parley_resolve_name(ngx_http_parley_ctx_t *ctx, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret)
{
    parley_party_t    sender;
    parley_parties_t  parties;

    ngx_http_parley_parties(ctx, &parties);

    if (ctx->principal) {
        ngx_http_parley_party(ctx->principal, &sender);
    }

    return parley_party_resolve(&parties, &ctx->msg,
                                ctx->principal ? &sender : NULL, from, name,
                                to, ret);
}


/* the caller's own name; empty: it has none that this protocol can say */

parley_str_t
ngx_http_parley_own_name(ngx_http_parley_ctx_t *ctx, parley_proto_t proto)
{
    parley_str_t      name;
    parley_party_t    caller;
    parley_parties_t  parties;

    if (ctx->principal == NULL) {
        return parley_str_none;
    }

    ngx_http_parley_parties(ctx, &parties);
    ngx_http_parley_party(ctx->principal, &caller);

    (void) parley_party_name(&parties, &caller, proto, &name);

    return name;
}


void
ngx_http_parley_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    ngx_http_parley_ctx_t *ctx = data;

    parley_party_t  party;

    if (ngx_http_parley_find(ctx, proto, name, &party)) {
        parley_principal_actors(party.data, ret_human, ret_instrument);

    } else if (proto == ctx->msg.wire
               && (ctx->msg.sender.len == 0
                   || parley_str_eq(name, ctx->msg.sender)))
    {
        parley_principal_actors(ctx->principal, ret_human, ret_instrument);

    } else {
        parley_principal_actors(NULL, ret_human, ret_instrument);
    }
}
