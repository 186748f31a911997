
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a request says about its message beside the body: who submits it, for
 * whom, and (agent-channel) to which scope.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


static ngx_int_t ngx_http_parley_forward_uri(ngx_http_request_t *r,
    ngx_str_t *path, parley_str_t query);


/* the gateway's name in each protocol; empty where it cannot have one */

ngx_int_t
ngx_http_parley_self_names(ngx_http_parley_main_conf_t *mcf)
{
    int         rc;
    ngx_uint_t  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        rc = parley_name_map(&mcf->arena, PARLEY_PROTO_AEE,
                             ngx_http_parley_str(&mcf->self),
                             (parley_proto_t) i, &mcf->self_names[i]);
        if (rc < 0) {
            return NGX_ERROR;
        }

        if (rc != 0) {
            mcf->self_names[i] = parley_str_none;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_submission(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_argument_t    *arguments;
    parley_submission_t   submission;

    ngx_memzero(&submission, sizeof(parley_submission_t));

    arguments = ctx->gate.arguments.list;

    submission.scope = arguments[PARLEY_ARGUMENT_SCOPE].value;
    submission.recipient = arguments[PARLEY_ARGUMENT_RECIPIENT].value;

    ctx->addressed = submission.recipient.len && ctx->msg.recipient.len == 0;

    /*
     * What names nobody and answers nothing is for whom the session is with:
     * the gateway.  Progress is for whom what it is of came from.
     */

    if (submission.recipient.len == 0 && ctx->msg.reply_to.len == 0
        && ctx->msg.act != PARLEY_ACT_PROGRESS)
    {
        submission.recipient = ctx->mcf->self_names[ctx->msg.wire];
    }

    submission.sender = ctx->msg.sender.len
                        ? ctx->msg.sender
                        : parley_who_name(&ctx->who, ctx->msg.wire);
    submission.ms = ngx_http_parley_now();
    submission.mcp = ngx_http_parley_in_header(r, "mcp-protocol-version")
                     != NULL;

    if (ctx->msg.anonymous) {
        if (!ctx->drawn && RAND_bytes(ctx->random, sizeof(ctx->random)) != 1) {
            return NGX_ERROR;
        }

        ctx->drawn = 1;
        submission.random = ctx->random;
    }

    if (parley_who_submission(&ctx->who, &submission, &ctx->error) != 0
        || parley_submit(&ctx->arena, &ctx->msg, &submission, &ctx->error)
           != 0)
    {
        return NGX_DECLINED;
    }

    parley_refer_again(&ctx->refer);

    return NGX_OK;
}


/*
 * The query goes on as it was decided, with the scope of a frame that
 * translation made; nothing stands behind a fragment.  $args has it, and the
 * URI as it came, which $request_uri and a proxy_pass without a URI send.
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

    if (ctx->msg.wire != ctx->lcf->speak
        && parley_codecs[ctx->lcf->speak]->scoped)
    {
        arguments->list[PARLEY_ARGUMENT_SCOPE].value = ctx->sent.scope;
    }

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

    if (parley_arguments_write(arguments, &ctx->arena, came, &query) != 0) {
        return NGX_ERROR;
    }

    if (query.data == came.data
        && uri.len + (p ? 1 : 0) + query.len == r->unparsed_uri.len)
    {
        return NGX_OK;
    }

    return ngx_http_parley_forward_uri(r, &uri, query);
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
