
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The primary of parley_store, as a Sentinel has named it.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_store_parts.h"


static void ngx_http_parley_store_sentinel_address(
    ngx_http_parley_store_link_t *link);


void
ngx_http_parley_store_sentinel_named(ngx_http_parley_store_link_t *link)
{
    u_char                          *p, text[128], was[NGX_SOCKADDR_STRLEN];
    size_t                           len;
    ngx_http_parley_store_t         *st;
    ngx_http_parley_store_server_t  *primary;

    st = link->st;
    primary = &link->primary;

    len = primary->addr.name.len;
    ngx_memcpy(was, link->primary_name, len);

    ngx_http_parley_store_sentinel_address(link);

    if (st->conf->settings->name.len) {
        primary->name = link->server->name;

    } else {
        primary->name.data = link->primary_host;
        primary->name.len = ngx_strlen(link->question.host);
        ngx_memcpy(link->primary_host, link->question.host,
                   PARLEY_STORE_SENTINEL_HOST);
    }

    if (len == primary->addr.name.len
        && ngx_memcmp(was, link->primary_name, len) == 0)
    {
        return;
    }

    p = ngx_snprintf(text, sizeof(text) - 1, "Sentinel %V names the primary %V",
                     &link->server->addr.name, &primary->addr.name);
    *p = '\0';

    st->env.log(st, PARLEY_STORE_INFO, (char *) text);
}


/* Reads the address, which parley_store_sentinel_fed() has checked. */

static void
ngx_http_parley_store_sentinel_address(ngx_http_parley_store_link_t *link)
{
    const char      *host;
    ngx_addr_t      *addr;
    ngx_sockaddr_t  *sa;

    host = link->question.host;
    addr = &link->primary.addr;
    sa = &link->primary_addr;

    ngx_memzero(sa, sizeof(ngx_sockaddr_t));

#if (NGX_HAVE_INET6)

    if (ngx_strchr(host, ':')) {
        sa->sockaddr_in6.sin6_family = AF_INET6;
        (void) inet_pton(AF_INET6, host, &sa->sockaddr_in6.sin6_addr);
        addr->socklen = sizeof(struct sockaddr_in6);

    } else

#endif

    {
        sa->sockaddr_in.sin_family = AF_INET;
        (void) inet_pton(AF_INET, host, &sa->sockaddr_in.sin_addr);
        addr->socklen = sizeof(struct sockaddr_in);
    }

    addr->sockaddr = &sa->sockaddr;
    ngx_inet_set_port(addr->sockaddr, link->question.port);

    addr->name.data = link->primary_name;
    addr->name.len = ngx_sock_ntop(addr->sockaddr, addr->socklen,
                                   link->primary_name,
                                   sizeof(link->primary_name), 1);
}


void
ngx_http_parley_store_sentinel_failed(ngx_http_parley_store_link_t *link)
{
    u_char                    text[NGX_HTTP_PARLEY_STORE_WHY + 128], *p;
    ngx_http_parley_store_t  *st;

    st = link->st;

    p = ngx_snprintf(text, sizeof(text) - 1, "Sentinel %V: %s",
                     &link->server->addr.name, link->why);
    *p = '\0';

    st->env.log(st, PARLEY_STORE_WARN, (char *) text);
}
