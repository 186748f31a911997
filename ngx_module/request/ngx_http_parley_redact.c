
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A token in an argument is part of the request line and would appear in logs.
 * It is copied once for its verification, and overwritten in the request.
 *
 * In a full dry run the service may need the token.  Then the arguments
 * continue unchanged and are overwritten before the access log is written.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "gate/settings/parley_settings.h"


/* the arguments that continue unchanged */

typedef struct {
    parley_str_t  name;
    ngx_str_t     args;
    ngx_str_t     uri;
} ngx_http_parley_hidden_t;


static ngx_int_t ngx_http_parley_redact_again(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_str_t before);
static ngx_int_t ngx_http_parley_redact_query(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_redact_later(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_redact_now(void *data);
static void ngx_http_parley_redact_line(parley_str_t name, ngx_str_t *line);
static void ngx_http_parley_redact_in(parley_str_t name, u_char *p,
    u_char *last);


ngx_int_t
ngx_http_parley_redact(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    parley_str_t before)
{
    ngx_int_t  rc;

    ctx->gate.in.raw_query = ngx_http_parley_str(&r->args);

    if (before.len > 0) {
        rc = ngx_http_parley_redact_again(r, ctx, before);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    if (ctx->lcf->gate.token.len == 0) {
        return NGX_OK;
    }

    return ctx->lcf->gate.dry == PARLEY_DRY_ALL
           ? ngx_http_parley_redact_later(r, ctx)
           : ngx_http_parley_redact_query(r, ctx);
}


/*
 * Takes the token from before, if an earlier location of the request has hidden
 * it.  Returns NGX_DECLINED if the arguments have a token themselves.
 */

static ngx_int_t
ngx_http_parley_redact_again(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    parley_str_t before)
{
    u_char  *p;

    if (r->args.len > 0) {
        p = ngx_pnalloc(r->pool, r->args.len);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, r->args.data, r->args.len);
        parley_arguments_hide(ctx->lcf->gate.token, p, r->args.len);

        if (ngx_memcmp(p, r->args.data, r->args.len) != 0) {
            return NGX_DECLINED;
        }
    }

    ctx->gate.in.raw_query = before;

    return NGX_OK;
}


/*
 * Hides the token in the arguments.  They are usually a part of the request
 * line, as the URI is.  Arguments that the configuration set may be constant
 * memory and must not be changed; they are copied first.
 */

static ngx_int_t
ngx_http_parley_redact_query(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    u_char        *p;
    ngx_str_t     *uri;
    parley_str_t   name;

    name = ctx->lcf->gate.token;
    uri = &r->unparsed_uri;

    if (r->args.len) {
        p = parley_arena_octets(&ctx->arena, r->args.len);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, r->args.data, r->args.len);
        ctx->gate.in.raw_query.data = p;

        if (r->args.data < uri->data
            || r->args.data + r->args.len > uri->data + uri->len)
        {
            r->args.data = ngx_pstrdup(r->pool, &r->args);
            if (r->args.data == NULL) {
                r->args.len = 0;
                return NGX_ERROR;
            }

            parley_arguments_hide(name, r->args.data, r->args.len);
        }
    }

    ngx_http_parley_redact_in(name, uri->data, uri->data + uri->len);

    ngx_http_parley_redact_line(name, &r->request_line);

    return NGX_OK;
}


/*
 * Hides the token when the request ends: its cleanup handlers run before the
 * access log.  Variables that were evaluated earlier use the same memory.
 */

static ngx_int_t
ngx_http_parley_redact_later(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_cleanup_t        *cln;
    ngx_http_parley_hidden_t  *hidden;

    cln = ngx_http_cleanup_add(r, sizeof(ngx_http_parley_hidden_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    hidden = cln->data;

    hidden->name = ctx->lcf->gate.token;
    hidden->args.len = r->args.len;
    hidden->args.data = ngx_pstrdup(r->pool, &r->args);
    hidden->uri.len = r->unparsed_uri.len;
    hidden->uri.data = ngx_pstrdup(r->pool, &r->unparsed_uri);

    if (hidden->args.data == NULL || hidden->uri.data == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_redact_now;

    r->args = hidden->args;
    r->unparsed_uri = hidden->uri;
    ctx->gate.in.raw_query = ngx_http_parley_str(&r->args);

    ngx_http_parley_redact_line(hidden->name, &r->request_line);

    return NGX_OK;
}


static void
ngx_http_parley_redact_now(void *data)
{
    ngx_http_parley_hidden_t *hidden = data;

    parley_arguments_hide(hidden->name, hidden->args.data, hidden->args.len);

    ngx_http_parley_redact_in(hidden->name, hidden->uri.data,
                              hidden->uri.data + hidden->uri.len);
}


/* Hides the token in the request line, before its last space.  In HTTP/2 and
   HTTP/3 the request line is a copy. */

static void
ngx_http_parley_redact_line(parley_str_t name, ngx_str_t *line)
{
    u_char  *p, *last;

    p = line->data;
    last = p + line->len;

    while (last > p && *--last != ' ') { /* void */ }

    ngx_http_parley_redact_in(name, p, last);
}


static void
ngx_http_parley_redact_in(parley_str_t name, u_char *p, u_char *last)
{
    p = ngx_strlchr(p, last, '?');

    if (p) {
        p++;
        parley_arguments_hide(name, p, last - p);
    }
}
