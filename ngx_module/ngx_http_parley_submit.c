
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What a request says about its message beside the body: who submits it, for
 * whom, and (agent-channel) to which scope.
 */


#include "ngx_http_parley_module.h"


#define NGX_HTTP_PARLEY_SCOPE_ARG  "scope="


static ngx_int_t ngx_http_parley_argument(ngx_http_request_t *r,
    const char *name, parley_str_t *ret);


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
    parley_submission_t  submission;

    ngx_memzero(&submission, sizeof(parley_submission_t));

    if (ngx_http_parley_argument(r, "scope", &submission.scope) != NGX_OK
        || ngx_http_parley_argument(r, "recipient", &submission.recipient)
           != NGX_OK)
    {
        parley_error_memory(&ctx->error);
        return NGX_DECLINED;
    }

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

    submission.owner = parley_who_proven(&ctx->who);

    if (ctx->msg.anonymous) {
        if (!ctx->drawn && RAND_bytes(ctx->random, sizeof(ctx->random)) != 1) {
            return NGX_ERROR;
        }

        ctx->drawn = 1;
        submission.random = ctx->random;
    }

    parley_who_attribute(&ctx->who, ctx->msg.wire, submission.sender,
                         &submission.human, &submission.instrument);

    if (parley_submit(&ctx->arena, &ctx->msg, &submission, &ctx->error) != 0) {
        return NGX_DECLINED;
    }

    ngx_http_parley_refer_again(ctx);

    return NGX_OK;
}


/* a query argument, unescaped; *ret stays empty where it is not there */

static ngx_int_t
ngx_http_parley_argument(ngx_http_request_t *r, const char *name,
    parley_str_t *ret)
{
    u_char     *dst, *src, *start;
    ngx_str_t   value;

    if (ngx_http_arg(r, (u_char *) name, ngx_strlen(name), &value) != NGX_OK) {
        return NGX_OK;
    }

    start = ngx_pnalloc(r->pool, value.len + 1);
    if (start == NULL) {
        return NGX_ERROR;
    }

    dst = start;
    src = value.data;

    ngx_unescape_uri(&dst, &src, value.len, 0);

    *ret = parley_str_make(start, dst - start);

    return NGX_OK;
}


/*
 * A frame that translation made goes with its scope.  The URI is then nginx's
 * to write: as it came it has no such argument.
 */

ngx_int_t
ngx_http_parley_forward_scope(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    u_char        *p;
    size_t         len;
    ngx_str_t      args;
    parley_str_t   scope;

    scope = ctx->sent.scope;

    if (scope.len == 0 || ctx->sent.copied) {
        return NGX_OK;
    }

    len = scope.len + 2 * ngx_escape_uri(NULL, (u_char *) scope.data,
                                         scope.len,
                                         NGX_ESCAPE_URI_COMPONENT);

    args.len = sizeof(NGX_HTTP_PARLEY_SCOPE_ARG) - 1 + len
               + (r->args.len ? r->args.len + 1 : 0);

    args.data = ngx_pnalloc(r->pool, args.len);
    if (args.data == NULL) {
        return NGX_ERROR;
    }

    /* first: of two, the one that is found */

    p = ngx_cpymem(args.data, NGX_HTTP_PARLEY_SCOPE_ARG,
                   sizeof(NGX_HTTP_PARLEY_SCOPE_ARG) - 1);
    p = (u_char *) ngx_escape_uri(p, (u_char *) scope.data, scope.len,
                                  NGX_ESCAPE_URI_COMPONENT);

    if (r->args.len) {
        *p++ = '&';
        ngx_memcpy(p, r->args.data, r->args.len);
    }

    r->args = args;
    r->valid_unparsed_uri = 0;

    return NGX_OK;
}
