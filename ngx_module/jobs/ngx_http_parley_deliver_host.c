
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Checks the addresses of a URL: a delivery to an address of the gateway's own
 * network is allowed only if hosts= of parley_deliver lists it.  proxy_pass
 * resolves the name itself.  It does so in the same turn of the event loop, so
 * the resolver's cache gives it the checked addresses.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"


static ngx_uint_t ngx_http_parley_host_is_upstream(ngx_http_parley_host_t *h,
    ngx_str_t *host);
static void ngx_http_parley_host_resolved(ngx_resolver_ctx_t *ctx);


void
ngx_http_parley_host_check(ngx_http_parley_host_t *h, ngx_msec_t timeout)
{
    uint8_t                    octets[16];
    ngx_str_t                  host;
    ngx_resolver_ctx_t        *ctx, temp;
    ngx_http_core_loc_conf_t  *clcf;

    h->resolving = NULL;
    host = ngx_http_parley_ngx_str(h->url->host);
    clcf = h->mcf->deliver_location;

    /* an address in a URL is listed in hosts= */

    h->listed = ngx_http_parley_host_is_upstream(h, &host);

    if (h->listed || parley_url_host_address(h->url->host, octets)) {
        h->handler(h->data, NGX_OK);
        return;
    }

    ngx_memzero(&temp, sizeof(ngx_resolver_ctx_t));
    temp.name = host;

    ctx = ngx_resolve_start(clcf->resolver, &temp);

    if (ctx == NULL || ctx == NGX_NO_RESOLVER) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "parley: host \"%V\" not resolved: no resolver is "
                      "configured, see \"resolver\"", &host);

        h->handler(h->data, NGX_ERROR);
        return;
    }

    ctx->name = host;
    ctx->handler = ngx_http_parley_host_resolved;
    ctx->data = h;
    ctx->timeout = ngx_min(clcf->resolver_timeout, timeout);

    h->resolving = ctx;

    if (ngx_resolve_name(ctx) != NGX_OK) {
        h->resolving = NULL;
        h->handler(h->data, NGX_ERROR);
    }
}


void
ngx_http_parley_host_cancel(ngx_http_parley_host_t *h)
{
    if (h->resolving) {
        ngx_resolve_name_done(h->resolving);
        h->resolving = NULL;
    }
}


/* Matches as ngx_http_upstream_init_request(). */

static ngx_uint_t
ngx_http_parley_host_is_upstream(ngx_http_parley_host_t *h, ngx_str_t *host)
{
    ngx_uint_t                       i;
    ngx_http_upstream_srv_conf_t    *uscf, **uscfp;
    ngx_http_upstream_main_conf_t   *umcf;

    umcf = h->mcf->deliver_server->main_conf
                                        [ngx_http_upstream_module.ctx_index];
    uscfp = umcf->upstreams.elts;

    for (i = 0; i < umcf->upstreams.nelts; i++) {
        uscf = uscfp[i];

        if (uscf->host.len == host->len
            && ((uscf->port == 0 && !h->url->ported)
                || uscf->port == h->url->port)
            && ngx_strncasecmp(uscf->host.data, host->data, host->len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


static void
ngx_http_parley_host_resolved(ngx_resolver_ctx_t *ctx)
{
    ngx_int_t                rc;
    ngx_str_t                name;
    ngx_uint_t               i;
    ngx_http_parley_host_t  *h = ctx->data;

    rc = ctx->state == 0 && ctx->naddrs ? NGX_OK : NGX_ERROR;
    name = ctx->name;

    if (rc == NGX_ERROR) {
        ngx_log_error(NGX_LOG_ERR, ngx_cycle->log, 0,
                      "parley: \"%V\" could not be resolved (%i: %s)", &name,
                      ctx->state, ngx_resolver_strerror(ctx->state));
    }

    for (i = 0; rc == NGX_OK && i < ctx->naddrs; i++) {
        if (!ngx_http_parley_host_may(h, ctx->addrs[i].sockaddr)) {
            rc = NGX_DECLINED;
        }
    }

    ngx_resolve_name_done(ctx);
    h->resolving = NULL;

    h->handler(h->data, rc);
}


ngx_uint_t
ngx_http_parley_host_may(ngx_http_parley_host_t *h, struct sockaddr *sockaddr)
{
    size_t         n;
    u_char        *octets;
    u_char         text[NGX_SOCKADDR_STRLEN + 2];
    parley_str_t   host;

    if (h->listed) {
        return 1;
    }

    switch (sockaddr->sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        octets = ((struct sockaddr_in6 *) sockaddr)->sin6_addr.s6_addr;
        n = 16;

        text[0] = '[';
        host.len = 1 + ngx_inet6_ntop(octets, &text[1], NGX_INET6_ADDRSTRLEN);
        text[host.len++] = ']';
        break;
#endif

    case AF_INET:
        octets = (u_char *) &((struct sockaddr_in *) sockaddr)->sin_addr;
        n = 4;

        host.len = ngx_inet_ntop(AF_INET, octets, text, sizeof(text));
        break;

    default:
        return 0;
    }

    host.data = text;

    return parley_url_is_public(octets, n)
           || parley_hosts_have(h->mcf->http.deliver_hosts, host,
                                h->url->port);
}
