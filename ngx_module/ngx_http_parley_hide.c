
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A token that comes in an argument stands in the request line, and so in
 * every line of a log that has it.  It is copied once, for the one who
 * verifies it, and overwritten wherever the request has it.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


static void ngx_http_parley_hide_in(parley_str_t name, u_char *p,
    u_char *last);


/*
 * In a dry run of all the service may be who asks for the token: it stays.
 *
 * The arguments are mostly a part of the request line, as the URI is; those
 * that the configuration wrote may be its own memory, which is not written to.
 */

ngx_int_t
ngx_http_parley_hide(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    u_char        *p, *last;
    ngx_str_t     *uri;
    parley_str_t   name;

    name = ctx->lcf->gate.token;
    ctx->came_args = ngx_http_parley_str(&r->args);

    if (name.len == 0 || ctx->lcf->gate.dry == PARLEY_DRY_ALL) {
        return NGX_OK;
    }

    uri = &r->unparsed_uri;

    if (r->args.len) {
        p = parley_arena_octets(&ctx->arena, r->args.len);
        if (p == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(p, r->args.data, r->args.len);
        ctx->came_args.data = p;

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

    ngx_http_parley_hide_in(name, uri->data, uri->data + uri->len);

    /* of HTTP/2 and HTTP/3 the request line is a copy; the protocol ends it */

    p = r->request_line.data;
    last = p + r->request_line.len;

    while (last > p && *--last != ' ') { /* void */ }

    ngx_http_parley_hide_in(name, p, last);

    return NGX_OK;
}


static void
ngx_http_parley_hide_in(parley_str_t name, u_char *p, u_char *last)
{
    p = ngx_strlchr(p, last, '?');

    if (p) {
        p++;
        parley_arguments_hide(name, p, last - p);
    }
}
