
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Finds locations that directives name, after the configuration was read.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"


static ngx_http_core_loc_conf_t *ngx_http_parley_location_is(
    ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri);


ngx_http_conf_ctx_t *
ngx_http_parley_location_server(ngx_conf_t *cf, ngx_str_t *uri,
    ngx_http_core_loc_conf_t **clcf)
{
    ngx_uint_t                   i;
    ngx_http_conf_ctx_t         *ctx;
    ngx_http_core_srv_conf_t   **cscfp;
    ngx_http_core_main_conf_t   *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    cscfp = cmcf->servers.elts;

    for (i = 0; i < cmcf->servers.nelts; i++) {
        ctx = cscfp[i]->ctx;
        *clcf = ngx_http_parley_location_in(ctx, uri);

        if (*clcf) {
            return ctx;
        }
    }

    return NULL;
}


ngx_http_core_loc_conf_t *
ngx_http_parley_location_in(ngx_http_conf_ctx_t *server, ngx_str_t *uri)
{
    return ngx_http_parley_location_is(
                           server->loc_conf[ngx_http_core_module.ctx_index],
                           uri);
}


/*
 * Follows ngx_http_core_find_static_location(): returns the location of this
 * name to which the URI leads, in this block or nested in one of its prefixes.
 */

static ngx_http_core_loc_conf_t *
ngx_http_parley_location_is(ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri)
{
    size_t                          n;
    ngx_int_t                       rc;
    ngx_str_t                       rest;
    ngx_http_core_loc_conf_t       *prefix;
    ngx_http_location_tree_node_t  *node;

    rest = *uri;
    prefix = NULL;
    node = clcf->static_locations;

    while (node) {
        n = ngx_min(rest.len, (size_t) node->len);
        rc = ngx_filename_cmp(rest.data, node->name, n);

        if (rc != 0) {
            node = (rc < 0) ? node->left : node->right;

        } else if (rest.len == (size_t) node->len) {
            return node->exact ? node->exact : node->inclusive;

        } else if (rest.len < (size_t) node->len) {
            node = node->left;

        } else if (node->inclusive) {
            prefix = node->inclusive;
            rest.data += n;
            rest.len -= n;
            node = node->tree;

        } else {
            node = node->right;
        }
    }

    return prefix ? ngx_http_parley_location_is(prefix, uri) : NULL;
}


/*
 * The configuration of proxy_pass begins with that of its upstream.  The
 * module is found by its name, because nginx can be built without it.
 */

ngx_int_t
ngx_http_parley_location_is_unverified(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf)
{
    ngx_uint_t                 i;
    ngx_module_t             **modules;
    ngx_http_upstream_conf_t  *upstream;

    modules = cf->cycle->modules;

    for (i = 0; modules[i]; i++) {
        if (ngx_strcmp(modules[i]->name, "ngx_http_proxy_module") == 0) {
            upstream = clcf->loc_conf[modules[i]->ctx_index];

            /* since nginx 1.25, "ssl" is there without TLS, but has no ctx */

            return upstream->ssl && upstream->ssl->ctx
                   && !upstream->ssl_verify;
        }
    }

    return 0;
}
