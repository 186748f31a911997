
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The facts that nginx has about a block.  The gate judges them.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_block_facts.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"


static ngx_uint_t ngx_http_parley_is_frame(ngx_http_core_loc_conf_t *clcf);
static ngx_uint_t ngx_http_parley_has_any(ngx_conf_t *cf,
    const char *const *names);
static ngx_uint_t ngx_http_parley_returns(ngx_conf_t *cf, void **loc_conf);
static parley_str_t ngx_http_parley_astray(
    const ngx_http_parley_accepting_t *place);
static ngx_uint_t ngx_http_parley_is_plain(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf);
static ngx_uint_t ngx_http_parley_addresses(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf,
    ngx_uint_t (*handler)(const ngx_http_conf_addr_t *addr,
    ngx_http_core_srv_conf_t *cscf, void *data), void *data);
static ngx_uint_t ngx_http_parley_ends_tls(const ngx_http_conf_addr_t *addr,
    ngx_http_core_srv_conf_t *cscf, void *data);
static void ngx_http_parley_block_facts_moq(ngx_conf_t *cf,
    ngx_http_parley_accepting_t *place);
#if (NGX_HTTP_V3)
static ngx_uint_t ngx_http_parley_block_facts_quic(
    const ngx_http_conf_addr_t *addr, ngx_http_core_srv_conf_t *cscf,
    void *data);
static ngx_uint_t ngx_http_parley_is_shared(ngx_conf_t *cf);
static ngx_uint_t ngx_http_parley_is_unkeyed(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf);
#endif


/* modules that restrict the access to a location */

static const char *const  ngx_http_parley_restricting[] = {
    "ngx_http_access_module",
    "ngx_http_auth_basic_module",
    "ngx_http_auth_request_module",
    NULL
};

/* modules that lead requests out of a location, or answer them */

static const char *const  ngx_http_parley_leading[] = {
    "ngx_http_rewrite_module",
    "ngx_http_try_files_module",
    NULL
};


void
ngx_http_parley_block_facts(ngx_conf_t *cf, parley_block_facts_t *ret)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    ngx_memzero(ret, sizeof(parley_block_facts_t));

    ret->name = ngx_http_parley_str(&clcf->name);
    ret->location = clcf->loc_conf ? 1 : 0;
    ret->named = clcf->named ? 1 : 0;
    ret->pattern = ret->named;
#if (NGX_PCRE)
    ret->pattern |= clcf->regex ? 1 : 0;
#endif
    ret->returns = !clcf->noname
                   && ngx_http_parley_returns(cf, ((ngx_http_conf_ctx_t *)
                                                   cf->ctx)->loc_conf)
                   ? 1 : 0;
    ret->frame = ngx_http_parley_is_frame(clcf) ? 1 : 0;
    ret->handled = clcf->handler
                   && clcf->handler != ngx_http_parley_status_handler
                   && clcf->handler != ngx_http_parley_public_keys_handler
                   && clcf->handler != ngx_http_parley_public_endpoint_handler
                   ? 1 : 0;
    ret->internal = clcf->internal ? 1 : 0;
    ret->verifies = ngx_http_parley_verifies(cf) ? 1 : 0;
    ret->open = ngx_http_parley_has_any(cf, ngx_http_parley_restricting)
                ? 0 : 1;

    /* a block of "if" or "limit_except" has the handler of its location */

    ret->unserved = clcf->handler == NULL && !clcf->noname && !ret->frame
                    && !ngx_http_parley_has_any(cf, ngx_http_parley_leading)
                    ? 1 : 0;
}


void
ngx_http_parley_block_facts_known(ngx_conf_t *cf,
    ngx_http_parley_accepting_t *place)
{
    place->facts.error_location = ngx_http_parley_astray(place);
    place->facts.plain = ngx_http_parley_is_plain(cf, place->cscf) ? 1 : 0;

    /* error_page leads to a named location also after "return" */

    if (!place->facts.named
        && ngx_http_parley_returns(cf, place->cscf->ctx->loc_conf))
    {
        place->facts.returned = 1;
    }

    if (place->conf->moq) {
        ngx_http_parley_block_facts_moq(cf, place);
    }
}


/* Returns whether the block contains named locations, which may accept
   messages. */

static ngx_uint_t
ngx_http_parley_is_frame(ngx_http_core_loc_conf_t *clcf)
{
    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *inner;
    ngx_http_location_queue_t  *lq;

    if (clcf->locations == NULL) {
        return 0;
    }

    for (q = ngx_queue_head(clcf->locations);
         q != ngx_queue_sentinel(clcf->locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;
        inner = lq->exact ? lq->exact : lq->inclusive;

        /* the locations of "if" and "limit_except" have no name */

        if (!inner->noname) {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether one of these modules of nginx is configured in a block.
 * Their configurations are private, but each begins with a pointer or a length
 * that is zero by default.  They are merged already, because these modules
 * precede all filters.
 */

static ngx_uint_t
ngx_http_parley_has_any(ngx_conf_t *cf, const char *const *names)
{
    void          **conf;
    ngx_uint_t      i, k;
    ngx_module_t   *module;

    for (i = 0; cf->cycle->modules[i]; i++) {
        module = cf->cycle->modules[i];

        for (k = 0; names[k]; k++) {

            if (ngx_strcmp(module->name, names[k]) != 0) {
                continue;
            }

            conf = ((ngx_http_conf_ctx_t *) cf->ctx)
                       ->loc_conf[module->ctx_index];

            if (conf && *conf) {
                return 1;
            }
        }
    }

    return 0;
}


/*
 * Returns whether the first instruction of the rewrite module is a "return".
 * Its private configuration begins with the array of instructions.
 */

static ngx_uint_t
ngx_http_parley_returns(ngx_conf_t *cf, void **loc_conf)
{
    ngx_uint_t                 i;
    ngx_array_t             ***conf, *codes;
    ngx_http_script_code_pt   *code;

    for (i = 0; cf->cycle->modules[i]; i++) {

        if (ngx_strcmp(cf->cycle->modules[i]->name, "ngx_http_rewrite_module")
            != 0)
        {
            continue;
        }

        conf = (ngx_array_t ***) loc_conf + cf->cycle->modules[i]->ctx_index;
        codes = *conf ? **conf : NULL;
        code = codes ? codes->elts : NULL;

        return code && *code == ngx_http_script_return_code;
    }

    return 0;
}


/*
 * Returns the first named location that error_page uses for the failures of a
 * service and that does not accept messages (GW-24).
 */

static parley_str_t
ngx_http_parley_astray(const ngx_http_parley_accepting_t *place)
{
    ngx_str_t                  *name;
    ngx_uint_t                  i;
    ngx_http_err_page_t        *page;
    ngx_http_core_loc_conf_t  **named;

    if (place->facts.frame || place->clcf->error_pages == NULL
        || place->cscf->named_locations == NULL)
    {
        return parley_str_none;
    }

    page = place->clcf->error_pages->elts;

    for (i = 0; i < place->clcf->error_pages->nelts; i++) {
        name = &page[i].value.value;

        if (page[i].status < NGX_HTTP_INTERNAL_SERVER_ERROR
            || page[i].value.lengths || name->len == 0
            || name->data[0] != '@')
        {
            continue;
        }

        for (named = place->cscf->named_locations; *named; named++) {

            if ((*named)->name.len == name->len
                && ngx_memcmp((*named)->name.data, name->data, name->len) == 0
                && !parley_settings_steps((*named)->loc_conf
                                   [ngx_http_parley_module.ctx_index]))
            {
                return ngx_http_parley_str(name);
            }
        }
    }

    return parley_str_none;
}


/*
 * Calls the handler for each address that the server listens on, until it
 * returns a value that is not 0, and returns this value or 0.
 */

static ngx_uint_t
ngx_http_parley_addresses(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    ngx_uint_t (*handler)(const ngx_http_conf_addr_t *addr,
    ngx_http_core_srv_conf_t *cscf, void *data), void *data)
{
    ngx_uint_t                   i, k, n, rc;
    ngx_http_conf_addr_t        *addr;
    ngx_http_conf_port_t        *port;
    ngx_http_core_srv_conf_t   **server;
    ngx_http_core_main_conf_t   *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    if (cmcf->ports == NULL) {
        return 0;
    }

    port = cmcf->ports->elts;

    for (i = 0; i < cmcf->ports->nelts; i++) {
        addr = port[i].addrs.elts;

        for (k = 0; k < port[i].addrs.nelts; k++) {
            server = addr[k].servers.elts;

            for (n = 0; n < addr[k].servers.nelts; n++) {
                rc = server[n] == cscf ? handler(&addr[k], cscf, data) : 0;

                if (rc) {
                    return rc;
                }
            }
        }
    }

    return 0;
}


/* Returns whether the server has no listener with TLS. */

static ngx_uint_t
ngx_http_parley_is_plain(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf)
{
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    return cmcf->ports != NULL
           && !ngx_http_parley_addresses(cf, cscf, ngx_http_parley_ends_tls,
                                         NULL);
}


static ngx_uint_t
ngx_http_parley_ends_tls(const ngx_http_conf_addr_t *addr,
    ngx_http_core_srv_conf_t *cscf, void *data)
{
#if (NGX_HTTP_SSL)

#if (nginx_version < 1025001)

    /* "ssl on" applies to every listener of the server */

    ngx_http_ssl_srv_conf_t  *sscf;

    sscf = cscf->ctx->srv_conf[ngx_http_ssl_module.ctx_index];

    if (sscf->enable == 1) {
        return 1;
    }

#endif

#if (NGX_HTTP_V3)
    if (addr->opt.quic) {
        return 1;
    }
#endif

    return addr->opt.ssl;

#else
    return 0;
#endif
}


/* Adds the facts about a block of parley_moq. */

static void
ngx_http_parley_block_facts_moq(ngx_conf_t *cf,
    ngx_http_parley_accepting_t *place)
{
    ngx_str_t                  uri;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = place->cscf->ctx->loc_conf[ngx_http_core_module.ctx_index];

    place->facts.idle = (int64_t) clcf->keepalive_timeout;
    place->facts.unquic = 1;

#if (NGX_HTTP_V3)
    (void) ngx_http_parley_addresses(cf, place->cscf,
                                     ngx_http_parley_block_facts_quic,
                                     &place->facts);

    place->facts.unshared &= ngx_http_parley_is_shared(cf) ? 1 : 0;
    place->facts.unkeyed = ngx_http_parley_is_unkeyed(cf, place->cscf) ? 1 : 0;
#endif

    uri = ngx_http_parley_ngx_str(parley_settings_messages(place->conf));
    clcf = ngx_http_parley_location_in(place->cscf->ctx, &uri);

    place->facts.hidden = clcf && clcf->internal ? 1 : 0;
    place->facts.messages = clcf ? clcf->loc_conf
                                       [ngx_http_parley_module.ctx_index]
                                 : NULL;
}


#if (NGX_HTTP_V3)


/* Adds the facts about a listener.  Several workers are counted later. */

static ngx_uint_t
ngx_http_parley_block_facts_quic(const ngx_http_conf_addr_t *addr,
    ngx_http_core_srv_conf_t *cscf, void *data)
{
    parley_block_facts_t *facts = data;

    ngx_http_core_loc_conf_t  *clcf;

    if (!addr->opt.quic) {
        return 0;
    }

    facts->unquic = 0;

    /* QUIC begins in the default server, before the client names another */

    clcf = addr->default_server->ctx->loc_conf[ngx_http_core_module.ctx_index];
    facts->idle = ngx_min(facts->idle, (int64_t) clcf->keepalive_timeout);

#if (NGX_HAVE_REUSEPORT)
    if (addr->opt.reuseport) {
        return 0;
    }
#endif

    facts->unshared = 1;

    return 0;
}


/* Returns whether several workers are configured before the block "http". */

static ngx_uint_t
ngx_http_parley_is_shared(ngx_conf_t *cf)
{
    ngx_core_conf_t  *ccf;

    ccf = (ngx_core_conf_t *) ngx_get_conf(cf->cycle->conf_ctx,
                                           ngx_core_module);

    return ccf->worker_processes != NGX_CONF_UNSET
           && ccf->worker_processes > 1;
}


static ngx_uint_t
ngx_http_parley_is_unkeyed(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t                    i;
    ngx_http_v3_srv_conf_t       *h3scf;
    ngx_http_core_srv_conf_t    **unkeyed;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_parley_module);
    h3scf = cscf->ctx->srv_conf[ngx_http_v3_module.ctx_index];
    unkeyed = mcf->unkeyed.elts;

    for (i = 0; i < mcf->unkeyed.nelts; i++) {
        if (unkeyed[i] == cscf) {
            return h3scf->quic.host_key.len == NGX_QUIC_DEFAULT_HOST_KEY_LEN;
        }
    }

    return 0;
}

#endif


ngx_int_t
ngx_http_parley_block_facts_unkeyed(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf)
{
#if (NGX_HTTP_V3)

    ngx_http_conf_ctx_t        *http;
    ngx_http_v3_srv_conf_t     *own, *outer;
    ngx_http_core_srv_conf_t  **cscf;

    http = (ngx_http_conf_ctx_t *) ngx_get_conf(cf->cycle->conf_ctx,
                                                ngx_http_module);

    own = ngx_http_conf_get_module_srv_conf(cf, ngx_http_v3_module);
    outer = http->srv_conf[ngx_http_v3_module.ctx_index];

    if (own->quic.host_key.len > 0 || outer->quic.host_key.len > 0) {
        return NGX_OK;
    }

    cscf = ngx_array_push(&mcf->unkeyed);
    if (cscf == NULL) {
        return NGX_ERROR;
    }

    *cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);

#endif

    return NGX_OK;
}
