
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The origin of a message and its place (GW-18): the server's name, the
 * location as written, and the captures of the location's regular expression.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


#if (NGX_PCRE)
static ngx_int_t ngx_http_parley_captures(ngx_http_request_t *r,
    ngx_regex_t *regex, parley_str_t *ret);
#endif


/*
 * Returns the part of a client's address that distinguishes it from other
 * clients.  For IPv6 that is the first 64 bits, because one client usually has
 * a whole /64.
 */

parley_str_t
ngx_http_parley_address(ngx_connection_t *c)
{
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    switch (c->sockaddr->sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) c->sockaddr;

        if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)) {
            return parley_str_make(sin6->sin6_addr.s6_addr + 12, 4);
        }

        return parley_str_make(sin6->sin6_addr.s6_addr, 8);
#endif

    case AF_INET:
        sin = (struct sockaddr_in *) c->sockaddr;
        return parley_str_make(&sin->sin_addr, sizeof(sin->sin_addr));

    default:
        return ngx_http_parley_str(&c->addr_text);
    }
}


int
ngx_http_parley_arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    u_char                    *p;
    ngx_http_request_t        *r;
    ngx_http_parley_ctx_t     *ctx = g->ctx;
    ngx_http_core_srv_conf_t  *cscf;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    ret->server = ngx_http_parley_str(&cscf->server_name);

    /* "= /a" and "/a" are different locations */

    p = parley_arena_octets(&ctx->arena, clcf->name.len + 1);
    if (p == NULL) {
        return -1;
    }

    ret->location = parley_str_make(p, clcf->name.len + 1);

    *p++ = clcf->exact_match ? '=' : ' ';
    ngx_memcpy(p, clcf->name.data, clcf->name.len);

#if (NGX_PCRE)
    if (clcf->regex
        && ngx_http_parley_captures(r, clcf->regex->regex, &ret->captures)
           != NGX_OK)
    {
        return -1;
    }
#endif

    return 0;
}


#if (NGX_PCRE)


/*
 * Writes the captures in their order, each as "2:ab".  The function executes
 * the expression again, because r->captures may belong to another one.  If the
 * URI was rewritten and no longer matches, the result is the whole URI.
 */

static ngx_int_t
ngx_http_parley_captures(ngx_http_request_t *r, ngx_regex_t *regex,
    parley_str_t *ret)
{
    u_char     *p;
    size_t      len;
    ngx_int_t   rc, i;
    int         captures[3 * (NGX_HTTP_PARLEY_CAPTURES + 1)];

    rc = ngx_regex_exec(regex, &r->uri, captures,
                        sizeof(captures) / sizeof(captures[0]));

    if (rc <= 0) {
        /* no match, or too many captures */
        *ret = ngx_http_parley_str(&r->uri);
        return NGX_OK;
    }

    len = (rc - 1) * (NGX_INT_T_LEN + 1) + r->uri.len * (rc - 1);

    p = ngx_pnalloc(r->pool, len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *ret = parley_str_make(p, 0);

    for (i = 1; i < rc; i++) {
        len = captures[2 * i] < 0 ? 0
              : (size_t) (captures[2 * i + 1] - captures[2 * i]);

        p = ngx_sprintf(p, "%uz:", len);

        if (len) {
            p = ngx_cpymem(p, r->uri.data + captures[2 * i], len);
        }
    }

    ret->len = p - ret->data;

    return NGX_OK;
}


#endif
