
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Listeners of MoQ.  They are nginx's own of HTTP/3; the ALPN of a connection
 * decides.  nginx has no hooks there, so this file replaces callbacks: those
 * for the beginning and the end of a QUIC connection, the handler for the
 * streams of its listener, and the choice of the ALPN.
 *
 * A QUIC connection uses the settings of the default server of its address,
 * and TLS those of the server that SNI names.
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "gate/settings/parley_moq_conf.h"


#if (NGX_HTTP_V3)

/* nginx's own, of ngx_http_ssl_module.c */
#define NGX_HTTP_PARLEY_MOQ_HTTP1  "\x08http/1.1\x08http/1.0\x08http/0.9"

/* octets of an authority without its user */
#define NGX_HTTP_PARLEY_MOQ_HOST  256


/* a server with parley_moq */
typedef struct {
    ngx_http_core_srv_conf_t     *cscf;
    ngx_array_t                   names;          /* copy of server_names, which
                                                     nginx frees */
} ngx_http_parley_moq_server_t;


static ngx_int_t ngx_http_parley_moq_conf_names(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_http_core_srv_conf_t *cscf);
static ngx_http_parley_moq_server_t *ngx_http_parley_moq_server(
    ngx_http_conf_ctx_t *server);
static ngx_int_t ngx_http_parley_moq_conf_server(ngx_conf_t *cf,
    const ngx_http_parley_accepting_t *place);
static ngx_int_t ngx_http_parley_moq_conf_address(ngx_conf_t *cf,
    const ngx_http_parley_accepting_t *place, ngx_http_conf_addr_t *addr);
static ngx_uint_t ngx_http_parley_moq_conf_bpf(ngx_conf_t *cf);
static ngx_int_t ngx_http_parley_moq_init(ngx_connection_t *c);
static void ngx_http_parley_moq_ends(ngx_connection_t *c);
static void ngx_http_parley_moq_accept(ngx_connection_t *c);
static int ngx_http_parley_moq_alpn(ngx_ssl_conn_t *ssl_conn,
    const unsigned char **out, unsigned char *outlen, const unsigned char *in,
    unsigned int inlen, void *arg);
static ngx_uint_t ngx_http_parley_moq_alpn_own(const unsigned char **out,
    unsigned char *outlen, const unsigned char *in, unsigned int inlen);
static int ngx_http_parley_moq_alpn_http(ngx_http_connection_t *hc,
    const unsigned char **out, unsigned char *outlen, const unsigned char *in,
    unsigned int inlen);
static int ngx_http_parley_moq_host(ngx_http_parley_moq_t *moq,
    parley_str_t authority, ngx_str_t *ret, parley_moqt_fault_t *fault);
static ngx_uint_t ngx_http_parley_moq_is_server(ngx_http_parley_moq_t *moq,
    ngx_str_t *host);
static ngx_uint_t ngx_http_parley_moq_is_name(ngx_http_server_name_t *sn,
    ngx_str_t *host);


ngx_int_t
ngx_http_parley_moq_conf(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    ngx_uint_t                    i;
    ngx_http_parley_accepting_t  *places;

    if (ngx_array_init(&mcf->moq, cf->pool, 1,
                       sizeof(ngx_http_parley_moq_server_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    places = mcf->places.elts;

    for (i = 0; i < mcf->places.nelts; i++) {

        if (places[i].conf->moq
            && (ngx_http_parley_moq_conf_names(cf, mcf, places[i].cscf)
                != NGX_OK
                || ngx_http_parley_moq_conf_server(cf, &places[i]) != NGX_OK))
        {
            return NGX_ERROR;
        }
    }

    if (mcf->moq.nelts) {
        ngx_http_parley_inner_filter();
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_moq_conf_names(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf, ngx_http_core_srv_conf_t *cscf)
{
    void                          *names;
    ngx_uint_t                     n;
    ngx_http_parley_moq_server_t  *server;

    if (ngx_http_parley_moq_server(cscf->ctx)) {
        return NGX_OK;
    }

    n = cscf->server_names.nelts;
    server = ngx_array_push(&mcf->moq);

    if (server == NULL
        || ngx_array_init(&server->names, cf->pool, n,
                          sizeof(ngx_http_server_name_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    server->cscf = cscf;

    names = ngx_array_push_n(&server->names, n);
    if (names == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(names, cscf->server_names.elts,
               n * sizeof(ngx_http_server_name_t));

    return NGX_OK;
}


/* Prepares the QUIC addresses of a server. */

static ngx_int_t
ngx_http_parley_moq_conf_server(ngx_conf_t *cf,
    const ngx_http_parley_accepting_t *place)
{
    ngx_uint_t                  i, k, s;
    ngx_http_conf_addr_t       *addr;
    ngx_http_conf_port_t       *port;
    ngx_http_core_srv_conf_t  **servers;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    port = cmcf->ports ? cmcf->ports->elts : NULL;

    for (i = 0; cmcf->ports && i < cmcf->ports->nelts; i++) {
        addr = port[i].addrs.elts;

        for (k = 0; k < port[i].addrs.nelts; k++) {
            servers = addr[k].servers.elts;

            for (s = 0; s < addr[k].servers.nelts; s++) {

                if (addr[k].opt.quic && servers[s] == place->cscf
                    && ngx_http_parley_moq_conf_address(cf, place, &addr[k])
                       != NGX_OK)
                {
                    return NGX_ERROR;
                }
            }
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_moq_conf_address(ngx_conf_t *cf,
    const ngx_http_parley_accepting_t *place, ngx_http_conf_addr_t *addr)
{
    ngx_uint_t                 i;
    ngx_http_conf_ctx_t       *servers[2];
    ngx_http_v3_srv_conf_t    *h3scf;
    ngx_http_ssl_srv_conf_t   *sscf;

    servers[0] = place->cscf->ctx;
    servers[1] = addr->default_server->ctx;

    for (i = 0; i < 2; i++) {
        sscf = ngx_http_get_module_srv_conf(servers[i], ngx_http_ssl_module);
        h3scf = ngx_http_get_module_srv_conf(servers[i], ngx_http_v3_module);

        if (sscf->early_data) {
            /* a command in early data could be replayed */

            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"parley_moq\" cannot be used with "
                          "\"ssl_early_data\" in %s:%ud",
                          place->conf->where[PARLEY_DIRECTIVE_MOQ].file.data,
                          place->conf->where[PARLEY_DIRECTIVE_MOQ].line);
            return NGX_ERROR;
        }

        if (sscf->ssl.ctx) {
            SSL_CTX_set_alpn_select_cb(sscf->ssl.ctx, ngx_http_parley_moq_alpn,
                                       NULL);
        }

        h3scf->quic.init = ngx_http_parley_moq_init;
        h3scf->quic.shutdown = ngx_http_parley_moq_ends;
        h3scf->quic.max_concurrent_streams_uni = NGX_HTTP_PARLEY_MOQ_UNI;

        /* packets from another address would reach another worker */

        if (!ngx_http_parley_moq_conf_bpf(cf)) {
            h3scf->quic.disable_active_migration = 1;
        }
    }

    return NGX_OK;
}


/* Returns whether "quic_bpf" is on.  Its module may not exist, and its
   configuration begins with this flag. */

static ngx_uint_t
ngx_http_parley_moq_conf_bpf(ngx_conf_t *cf)
{
    ngx_uint_t     i;
    ngx_flag_t    *enabled;
    ngx_module_t **modules;

    modules = cf->cycle->modules;

    for (i = 0; modules[i]; i++) {

        if (ngx_strcmp(modules[i]->name, "ngx_quic_bpf_module") == 0) {
            enabled = (ngx_flag_t *) cf->cycle->conf_ctx[modules[i]->index];

            return enabled && *enabled == 1;
        }
    }

    return 0;
}


void
ngx_http_parley_moq_listen(ngx_cycle_t *cycle,
    const ngx_http_parley_main_conf_t *mcf)
{
    ngx_uint_t             i;
    ngx_listening_t       *ls;
    const parley_where_t  *where;

    ngx_http_parley_moq_pair_make(cycle, mcf->moq.nelts > 0);

    if (mcf->moq.nelts == 0) {
        return;
    }

    where = &mcf->http.where[PARLEY_DIRECTIVE_MOQ_LIMITS];

    if (mcf->http.moq_connections > cycle->connection_n) {
        ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                      "\"connections=%uD\" of \"parley_moq_limits\" is above "
                      "\"worker_connections %ui\" in %*s:%ui",
                      mcf->http.moq_connections, cycle->connection_n,
                      where->file.len, where->file.data,
                      (ngx_uint_t) where->line);
    }

    ls = cycle->listening.elts;

    for (i = 0; i < cycle->listening.nelts; i++) {

        if (ls[i].quic && ls[i].handler == ngx_http_init_connection) {
            ls[i].handler = ngx_http_parley_moq_accept;
        }
    }
}


static ngx_int_t
ngx_http_parley_moq_init(ngx_connection_t *c)
{
    return ngx_http_parley_moq_is(c) ? ngx_http_parley_moq_begin(c)
                                     : ngx_http_v3_init(c);
}


static void
ngx_http_parley_moq_ends(ngx_connection_t *c)
{
    if (ngx_http_parley_moq_is(c)) {
        ngx_http_parley_moq_shutdown(c);

    } else {
        ngx_http_v3_shutdown(c);
    }
}


/* Takes a new connection, or a new stream of one. */

static void
ngx_http_parley_moq_accept(ngx_connection_t *c)
{
    if (c->quic && ngx_http_parley_moq_is(c->quic->parent)) {
        ngx_http_parley_moq_stream(c);

    } else {
        ngx_http_init_connection(c);
    }
}


static int
ngx_http_parley_moq_alpn(ngx_ssl_conn_t *ssl_conn, const unsigned char **out,
    unsigned char *outlen, const unsigned char *in, unsigned int inlen,
    void *arg)
{
    ngx_connection_t       *c;
    ngx_http_connection_t  *hc;

    c = ngx_ssl_get_connection(ssl_conn);
    hc = c->data;

    if (hc->addr_conf->quic && ngx_http_parley_moq_server(hc->conf_ctx)
        && ngx_http_parley_moq_alpn_own(out, outlen, in, inlen))
    {
        return SSL_TLSEXT_ERR_OK;
    }

    return ngx_http_parley_moq_alpn_http(hc, out, outlen, in, inlen);
}


/* Returns the entry of a server with parley_moq, or NULL. */

static ngx_http_parley_moq_server_t *
ngx_http_parley_moq_server(ngx_http_conf_ctx_t *server)
{
    ngx_uint_t                     i;
    ngx_http_core_srv_conf_t      *cscf;
    ngx_http_parley_main_conf_t   *mcf;
    ngx_http_parley_moq_server_t  *servers;

    cscf = ngx_http_get_module_srv_conf(server, ngx_http_core_module);
    mcf = ngx_http_get_module_main_conf(server, ngx_http_parley_module);
    servers = mcf->moq.elts;

    for (i = 0; i < mcf->moq.nelts; i++) {
        if (servers[i].cscf == cscf) {
            return &servers[i];
        }
    }

    return NULL;
}


/* Chooses the first draft of the gateway that the client offers. */

static ngx_uint_t
ngx_http_parley_moq_alpn_own(const unsigned char **out, unsigned char *outlen,
    const unsigned char *in, unsigned int inlen)
{
    unsigned int                       i;
    const parley_moqt_draft_t *const  *draft;

    for (draft = parley_moqt_drafts; *draft; draft++) {

        for (i = 0; i < inlen; i += 1 + in[i]) {

            if (parley_str_eq(parley_str_make(&in[i + 1], in[i]),
                              (*draft)->alpn))
            {
                *out = &in[i + 1];
                *outlen = in[i];
                return 1;
            }
        }
    }

    return 0;
}


/* Chooses as ngx_http_ssl_alpn_select() of nginx. */

static int
ngx_http_parley_moq_alpn_http(ngx_http_connection_t *hc,
    const unsigned char **out, unsigned char *outlen, const unsigned char *in,
    unsigned int inlen)
{
    const char              *srv;
    ngx_http_v3_srv_conf_t  *h3scf;
#if (NGX_HTTP_V2)
    ngx_http_v2_srv_conf_t  *h2scf;
#endif

    if (hc->addr_conf->quic) {
        h3scf = ngx_http_get_module_srv_conf(hc->conf_ctx, ngx_http_v3_module);

        if (h3scf->enable && h3scf->enable_hq) {
            srv = NGX_HTTP_V3_ALPN_PROTO NGX_HTTP_V3_HQ_ALPN_PROTO;

        } else if (h3scf->enable_hq) {
            srv = NGX_HTTP_V3_HQ_ALPN_PROTO;

        } else if (h3scf->enable) {
            srv = NGX_HTTP_V3_ALPN_PROTO;

        } else {
            return SSL_TLSEXT_ERR_ALERT_FATAL;
        }

    } else {
        srv = NGX_HTTP_PARLEY_MOQ_HTTP1;

#if (NGX_HTTP_V2)
        h2scf = ngx_http_get_module_srv_conf(hc->conf_ctx, ngx_http_v2_module);

        if (h2scf->enable || hc->addr_conf->http2) {
            srv = NGX_HTTP_V2_ALPN_PROTO NGX_HTTP_PARLEY_MOQ_HTTP1;
        }
#endif
    }

    return SSL_select_next_proto((unsigned char **) out, outlen,
                                 (const unsigned char *) srv,
                                 (unsigned int) ngx_strlen(srv), in, inlen)
           == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK
                                     : SSL_TLSEXT_ERR_ALERT_FATAL;
}


int
ngx_http_parley_moq_locate(void *ctx, parley_str_t authority,
    parley_str_t path, parley_link_conf_t *ret, parley_moqt_fault_t *fault)
{
    ngx_str_t                           host;
    ngx_uint_t                          i;
    ngx_http_parley_moq_t              *moq = ctx;
    ngx_http_core_srv_conf_t           *cscf;
    const ngx_http_parley_accepting_t  *places;
    const ngx_http_parley_main_conf_t  *mcf;

    if (ngx_http_parley_moq_host(moq, authority, &host, fault) != 0) {
        return -1;
    }

    if (!ngx_http_parley_moq_is_server(moq, &host)) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_AUTHORITY,
                                     "AUTHORITY", "the server is unknown");
    }

    path = parley_str_until(path, '?');

    if (path.len == 0) {
        path = PARLEY_STR("/");
    }

    mcf = moq->worker->mcf;
    cscf = ngx_http_get_module_srv_conf(moq->http->conf_ctx,
                                        ngx_http_core_module);
    places = mcf->places.elts;

    for (i = 0; i < mcf->places.nelts; i++) {

        if (places[i].conf->moq && places[i].cscf == cscf
            && parley_str_eq(ngx_http_parley_str(&places[i].clcf->name), path))
        {
            break;
        }
    }

    if (i == mcf->places.nelts) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_PATH, "PATH",
                                     "the path is unknown");
    }

    moq->place = &places[i];
    moq->lag = moq->place->conf->moq->stream.lag;

    ret->sessions = moq->place->conf->moq->sessions;
    ret->tracks = moq->place->conf->moq->tracks;
    ret->object = moq->place->conf->moq->object;
    ret->lag = moq->lag;
    ret->stateless = moq->place->conf->moq->stateless;

    if (moq->place->conf->moq->age) {
        ngx_add_timer(&moq->age,
                      (ngx_msec_t) moq->place->conf->moq->age * 1000);
    }

    return 0;
}


/*
 * Finds the host of an authority, as nginx does with that of a Host field, and
 * keeps the authority without a user, in lower case.  Returns 0 or -1.
 */

static int
ngx_http_parley_moq_host(ngx_http_parley_moq_t *moq, parley_str_t authority,
    ngx_str_t *ret, parley_moqt_fault_t *fault)
{
    size_t     n;
    in_port_t  port;

    ngx_str_null(ret);

    if (authority.len == 0) {
        return 0;
    }

    for (n = authority.len; n > 0 && authority.data[n - 1] != '@'; n--) {
        /* void */
    }

    authority = parley_str_from(authority, n);

    if (authority.len > NGX_HTTP_PARLEY_MOQ_HOST) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INVALID_AUTHORITY,
                                     "AUTHORITY", "the server is unknown");
    }

    ret->len = authority.len;
    ret->data = ngx_pnalloc(moq->connection->pool, authority.len + 1);

    if (ret->data == NULL) {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_INTERNAL_ERROR, "",
                                     "there is too little memory");
    }

    ngx_strlow(ret->data, (u_char *) authority.data, authority.len);

    moq->authority = *ret;

    if (ngx_http_parley_inner_host(ret, moq->connection->pool, &port)
        != NGX_OK)
    {
        return parley_moqt_fault_set(fault, PARLEY_MOQT_MALFORMED_AUTHORITY,
                                     "AUTHORITY", "the host is invalid");
    }

    return 0;
}


/*
 * Returns whether a host is a name of the server that TLS has chosen.  A server
 * without a name has all names.
 */

static ngx_uint_t
ngx_http_parley_moq_is_server(ngx_http_parley_moq_t *moq, ngx_str_t *host)
{
    ngx_uint_t                     i;
    ngx_http_server_name_t        *names;
    ngx_http_parley_moq_server_t  *server;

    server = ngx_http_parley_moq_server(moq->http->conf_ctx);

    if (host->len == 0 || server == NULL) {
        return server != NULL;
    }

    names = server->names.elts;

    for (i = 0; i < server->names.nelts; i++) {
        if (ngx_http_parley_moq_is_name(&names[i], host)) {
            return 1;
        }
    }

    return server->cscf->server_name.len == 0;
}


/* Compares a host with a server_name, which may have a wildcard. */

static ngx_uint_t
ngx_http_parley_moq_is_name(ngx_http_server_name_t *sn, ngx_str_t *host)
{
    ngx_str_t  name;

    name = sn->name;

#if (NGX_PCRE)
    if (sn->regex) {
        return ngx_regex_exec(sn->regex->regex, host, NULL, 0)
               != NGX_REGEX_NO_MATCHED;
    }
#endif

    if (name.len == 0) {
        return 0;
    }

    if (name.len > 2 && name.data[name.len - 1] == '*') {
        return host->len > name.len - 1
               && ngx_memcmp(host->data, name.data, name.len - 1) == 0;
    }

    if (name.len > 2 && name.data[0] == '*') {
        name.data++;
        name.len--;

    } else if (name.len > 1 && name.data[0] == '.'
               && host->len == name.len - 1)
    {
        name.data++;
        name.len--;

    } else if (name.len != host->len && name.data[0] != '.') {
        return 0;
    }

    return host->len >= name.len
           && ngx_memcmp(host->data + host->len - name.len, name.data,
                         name.len)
              == 0;
}


#else


ngx_int_t
ngx_http_parley_moq_conf(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    return NGX_OK;
}


void
ngx_http_parley_moq_listen(ngx_cycle_t *cycle,
    const ngx_http_parley_main_conf_t *mcf)
{
}


ngx_int_t
ngx_http_parley_moq_open(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const struct parley_stream_request_s *opening)
{
    return NGX_HTTP_INTERNAL_SERVER_ERROR;
}

#endif
