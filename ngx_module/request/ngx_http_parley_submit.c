
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Data about a message outside of its body.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/moq/ngx_http_parley_inner.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_random.h"
#include "translate/parley_codec.h"
#include "gate/settings/parley_settings.h"


static ngx_int_t ngx_http_parley_forward_path(ngx_http_request_t *r,
    parley_str_t path, ngx_str_t *ret);
static ngx_int_t ngx_http_parley_forward_uri(ngx_http_request_t *r,
    ngx_str_t *path, parley_str_t query);


int
ngx_http_parley_beside(parley_gate_t *g, parley_submission_t *ret)
{
    ngx_http_parley_inner_t  *in;
    ngx_http_parley_ctx_t    *ctx = g->ctx;

    in = ngx_http_parley_inner(ctx->request);

    if (in && in->posts) {
        ret->session = parley_str_make(in->session, sizeof(in->session));
        ret->stream = in->stream;
    }

    if (ctx->msg.anonymous) {
        if (!ctx->drawn && ngx_http_parley_random(ctx->random) != NGX_OK) {
            return -1;
        }

        ctx->drawn = 1;
        ret->random = ctx->random;
    }

    return 0;
}


/*
 * Rewrites the query for the upstream: with the scope of a translated frame
 * and without a token or a fragment.  The query goes into $args and into the
 * unparsed URI, and so does the path of a translated stream.  $request_uri, and
 * a proxy_pass without a URI, send the unparsed URI.
 */

ngx_int_t
ngx_http_parley_forward_arguments(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    u_char              *p;
    ngx_str_t            uri;
    parley_str_t         came, query;
    parley_arguments_t  *arguments;

    arguments = &ctx->gate.arguments;

    if (ctx->msg.wire != ctx->lcf->gate.speak
        && parley_codecs[ctx->lcf->gate.speak]->binding->scoped)
    {
        arguments->list[PARLEY_ARGUMENT_SCOPE].value = ctx->gate.out.sent.scope;
    }

    /* the token was for the gateway */
    arguments->list[PARLEY_ARGUMENT_TOKEN].value = parley_str_none;

    uri = r->unparsed_uri;

    p = ngx_strlchr(uri.data, uri.data + uri.len, '#');
    if (p) {
        uri.len = p - uri.data;
    }

    p = ngx_strlchr(uri.data, uri.data + uri.len, '?');

    came = p ? parley_str_make(p + 1, uri.data + uri.len - p - 1)
             : parley_str_none;

    if (p) {
        uri.len = p - uri.data;
    }

    if (parley_arguments_write(arguments, &ctx->arena,
                               ngx_http_parley_str(&r->args), &query)
        != 0)
    {
        return NGX_ERROR;
    }

    r->args = ngx_http_parley_ngx_str(query);

    if (ctx->gate.out.path.len
        && ngx_http_parley_forward_path(r, ctx->gate.out.path, &uri) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (parley_arguments_write(arguments, &ctx->arena, came, &query) != 0) {
        return NGX_ERROR;
    }

    if (query.data == came.data && ctx->gate.out.path.len == 0
        && uri.len + (p ? 1 : 0) + query.len == r->unparsed_uri.len)
    {
        return NGX_OK;
    }

    return ngx_http_parley_forward_uri(r, &uri, query);
}


/* Replaces the path; *ret is its encoded form. */

static ngx_int_t
ngx_http_parley_forward_path(ngx_http_request_t *r, parley_str_t path,
    ngx_str_t *ret)
{
    r->uri = ngx_http_parley_ngx_str(path);
    r->quoted_uri = 1;

    ret->len = path.len + 2 * ngx_escape_uri(NULL, r->uri.data, path.len,
                                             NGX_ESCAPE_URI);
    ret->data = ngx_pnalloc(r->pool, ret->len);
    if (ret->data == NULL) {
        return NGX_ERROR;
    }

    ngx_escape_uri(ret->data, r->uri.data, path.len, NGX_ESCAPE_URI);

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_forward_uri(ngx_http_request_t *r, ngx_str_t *path,
    parley_str_t query)
{
    u_char     *p;
    ngx_str_t   uri;

    uri.len = path->len + (query.len ? 1 + query.len : 0);

    uri.data = ngx_pnalloc(r->pool, uri.len);
    if (uri.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(uri.data, path->data, path->len);

    if (query.len) {
        *p++ = '?';
        ngx_memcpy(p, query.data, query.len);
    }

    r->unparsed_uri = uri;

    return NGX_OK;
}
