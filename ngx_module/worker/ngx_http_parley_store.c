
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The store of a worker (parley_store): its configuration, its life in the
 * worker, and its counts.  state/store has the verbs, and
 * ngx_http_parley_store_link.c the connection.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_random.h"
#include "ngx_module/worker/ngx_http_parley_store.h"
#include "ngx_module/worker/ngx_http_parley_store_parts.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "core/parley_hex.h"
#include "gate/metrics/parley_counters.h"
#include "gate/metrics/parley_status.h"
#include "translate/parley_engine.h"


#define NGX_HTTP_PARLEY_STORE_PORT   6379
#define NGX_HTTP_PARLEY_STORE_SENTINEL  26379
#define NGX_HTTP_PARLEY_STORE_DEPTH  8          /* authorities of a chain */
#define NGX_HTTP_PARLEY_STORE_TICK   1000       /* ms */
#define NGX_HTTP_PARLEY_STORE_END    1000       /* ms to end the membership */
#define NGX_HTTP_PARLEY_STORE_AGAIN  60000      /* ms between equal lines */
#define NGX_HTTP_PARLEY_STORE_LINE   512


static ngx_int_t ngx_http_parley_store_servers(ngx_conf_t *cf,
    ngx_http_parley_store_conf_t *conf);
static ngx_int_t ngx_http_parley_store_server(ngx_conf_t *cf,
    ngx_array_t *servers, ngx_addr_t *addr, parley_str_t name);
static char *ngx_http_parley_store_tls(ngx_conf_t *cf,
    ngx_http_parley_store_conf_t *conf);
static void ngx_http_parley_store_timer(void *ctx, int64_t ms);
static void ngx_http_parley_store_timer_handler(ngx_event_t *ev);
static void ngx_http_parley_store_tick_handler(ngx_event_t *ev);
static int64_t ngx_http_parley_store_now(void *ctx);
static int64_t ngx_http_parley_store_wall(void *ctx);
static uint64_t ngx_http_parley_store_random(void *ctx);
static void ngx_http_parley_store_replaced(void *ctx, const parley_join_t *j,
    uint64_t stamp);
static void ngx_http_parley_store_appended(void *ctx);
static void ngx_http_parley_store_left(void *ctx, const char *host,
    const char *node, int stopped);
static void ngx_http_parley_store_log(void *ctx, parley_store_level_t level,
    const char *text);
static void ngx_http_parley_store_run(ngx_http_parley_store_t *st,
    ngx_msec_t end, ngx_uint_t (*is_over)(ngx_http_parley_store_t *st));
static ngx_uint_t ngx_http_parley_store_has_begun(
    ngx_http_parley_store_t *st);
static ngx_uint_t ngx_http_parley_store_has_ended(
    ngx_http_parley_store_t *st);


_Static_assert((int) PARLEY_STORE_SETTINGS_KEY == PARLEY_STORE_KEY,
               "the settings read the key of the store");
_Static_assert((int) PARLEY_L_STORE_RESULT_COUNT == PARLEY_STORE_RESULTS
               && (int) PARLEY_L_STORE_LOSS_COUNT == PARLEY_STORE_LOSSES,
               "the labels are those of parley_store.h");


char *
ngx_http_parley_store_open(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    int                             rc;
    parley_store_conf_t            *store;
    parley_store_settings_t       *settings;
    ngx_http_parley_store_conf_t   *conf;

    settings = mcf->http.store;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_store_conf_t));
    if (conf == NULL) {
        return NGX_CONF_ERROR;
    }

    conf->settings = settings;
    conf->label = ngx_http_parley_ngx_str(settings->label);
    conf->sentinel.primary = settings->primary;
    conf->sentinel.user = settings->sentinel_user;
    conf->sentinel.password = settings->sentinel_password;

    if (ngx_http_parley_store_servers(cf, conf) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    if (settings->tls && ngx_http_parley_store_tls(cf, conf) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    store = &conf->store;
    store->prefix = settings->prefix;
    store->user = settings->user;
    store->password = settings->password;
    store->timeout = settings->timeout;
    store->lease = settings->lease;
    store->fallback = settings->local ? PARLEY_STORE_LOCAL
                                      : PARLEY_STORE_REFUSE;

    rc = parley_store_secret(settings->key, conf->secret, store->fingerprint);

    explicit_bzero(settings->key, PARLEY_STORE_SETTINGS_KEY);

    if (rc != 0) {
        return NGX_CONF_ERROR;
    }

    mcf->store = conf;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_parley_store_servers(ngx_conf_t *cf,
    ngx_http_parley_store_conf_t *conf)
{
    size_t                          i;
    ngx_url_t                       u;
    ngx_uint_t                      n;
    ngx_array_t                     servers;
    parley_str_t                    name;
    const parley_store_settings_t  *settings;

    settings = conf->settings;

    if (ngx_array_init(&servers, cf->pool, 4,
                       sizeof(ngx_http_parley_store_server_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < settings->nservers; i++) {
        ngx_memzero(&u, sizeof(ngx_url_t));

        u.url = ngx_http_parley_ngx_str(settings->servers[i].address);
        u.default_port = settings->primary.len
                         ? NGX_HTTP_PARLEY_STORE_SENTINEL
                         : NGX_HTTP_PARLEY_STORE_PORT;

        if (ngx_parse_url(cf->pool, &u) != NGX_OK) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "\"parley_store\": address \"%V\": %s", &u.url,
                               u.err ? u.err : "cannot be resolved");
            return NGX_ERROR;
        }

        name = settings->name.len ? settings->name : settings->servers[i].host;

        for (n = 0; n < u.naddrs; n++) {
            if (ngx_http_parley_store_server(cf, &servers, &u.addrs[n], name)
                != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    conf->servers = servers.elts;
    conf->nservers = servers.nelts;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_store_server(ngx_conf_t *cf, ngx_array_t *servers,
    ngx_addr_t *addr, parley_str_t name)
{
    u_char                          *last;
    ngx_http_parley_store_server_t  *server;

    server = ngx_array_push(servers);
    if (server == NULL) {
        return NGX_ERROR;
    }

    server->addr = *addr;
    server->name.len = name.len;
    server->name.data = ngx_pnalloc(cf->pool, name.len + 1);

    if (server->name.data == NULL) {
        return NGX_ERROR;
    }

    /* a socket has no name of a host */

    last = server->name.data;

    if (name.len > 0) {
        last = ngx_cpymem(last, name.data, name.len);
    }

    *last = '\0';

    return NGX_OK;
}


static char *
ngx_http_parley_store_tls(ngx_conf_t *cf, ngx_http_parley_store_conf_t *conf)
{
    ngx_str_t                       trusted, certificate, key;
    ngx_pool_cleanup_t             *cln;
    const parley_store_settings_t  *settings;

    settings = conf->settings;

    conf->ssl = ngx_pcalloc(cf->pool, sizeof(ngx_ssl_t));
    cln = ngx_pool_cleanup_add(cf->pool, 0);

    if (conf->ssl == NULL || cln == NULL) {
        return NGX_CONF_ERROR;
    }

    conf->ssl->log = cf->log;

    if (ngx_ssl_create(conf->ssl, NGX_SSL_TLSv1_2|NGX_SSL_TLSv1_3, NULL)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    cln->handler = ngx_ssl_cleanup_ctx;
    cln->data = conf->ssl;

    trusted = ngx_http_parley_ngx_str(settings->trusted);
    certificate = ngx_http_parley_ngx_str(settings->certificate);
    key = ngx_http_parley_ngx_str(settings->certificate_key);

    /* the errors of OpenSSL name a file, but no directive */

    if (ngx_ssl_trusted_certificate(cf, conf->ssl, &trusted,
                                    NGX_HTTP_PARLEY_STORE_DEPTH)
        != NGX_OK)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"parley_store\": \"trusted=%V\" cannot be used; "
                           "expected a file of certificates (PEM)", &trusted);
        return NGX_CONF_ERROR;
    }

    if (certificate.len
        && ngx_ssl_certificate(cf, conf->ssl, &certificate, &key, NULL)
           != NGX_OK)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"parley_store\": certificate= and "
                           "certificate_key= cannot be used; expected a "
                           "certificate (PEM) and its key");
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


void
ngx_http_parley_store_settle(ngx_http_parley_main_conf_t *mcf, uint64_t digest)
{
    ngx_http_parley_store_conf_t  *conf;

    conf = mcf->store;

    if (conf == NULL) {
        return;
    }

    mcf->zone->secret = conf->secret;

    *ngx_sprintf(conf->digest, "%016xL", digest) = '\0';

    conf->store.config = parley_str_make(conf->digest,
                                         sizeof(conf->digest) - 1);
}


ngx_int_t
ngx_http_parley_store_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_zone_t              *zone;
    ngx_http_parley_store_t             *st;
    const ngx_http_parley_store_conf_t  *conf;

    zone = worker->mcf->zone;
    conf = worker->mcf->store;

    if (conf == NULL) {
        return NGX_OK;
    }

    st = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_store_t));
    if (st == NULL) {
        return NGX_ERROR;
    }

    st->conf = conf;
    st->store_conf = conf->store;
    st->worker = worker;

    ngx_memcpy(st->store_conf.node, zone->sh->node, PARLEY_STORE_NODE);
    st->store_conf.version = PARLEY_STR(PARLEY_VERSION);
    st->store_conf.host = ngx_http_parley_str(&cycle->hostname);
    st->store_conf.first = ngx_worker == 0;
    st->store_conf.room = worker->mcf->shm_zone->shm.size;

    st->log = cycle->log;

    st->timer.handler = ngx_http_parley_store_timer_handler;
    st->timer.data = st;
    st->timer.log = cycle->log;
    st->timer.cancelable = 1;

    st->tick.handler = ngx_http_parley_store_tick_handler;
    st->tick.data = st;
    st->tick.log = cycle->log;
    st->tick.cancelable = 1;

    ngx_http_parley_store_link_init(st);

    st->env.connect = ngx_http_parley_store_connect;
    st->env.send = ngx_http_parley_store_send;
    st->env.close = ngx_http_parley_store_close;
    st->env.timer = ngx_http_parley_store_timer;
    st->env.now = ngx_http_parley_store_now;
    st->env.wall = ngx_http_parley_store_wall;
    st->env.random = ngx_http_parley_store_random;
    st->env.replaced = ngx_http_parley_store_replaced;
    st->env.appended = ngx_http_parley_store_appended;
    st->env.left = ngx_http_parley_store_left;
    st->env.log = ngx_http_parley_store_log;
    st->env.ctx = st;

    st->store = parley_store_create(&zone->memory.state, &st->env,
                                    &st->store_conf,
                                    (parley_mem_t *) &parley_mem_libc);
    if (st->store == NULL) {
        return NGX_ERROR;
    }

    worker->store = st;
    zone->state = parley_store_state(st->store);
    zone->memory.env.orphan = parley_store_orphan;
    zone->memory.env.orphan_ctx = st->store;

    return NGX_OK;
}


void
ngx_http_parley_store_begin(ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_store_t  *st;

    st = worker->store;

    if (st == NULL) {
        return;
    }

    parley_store_begin(st->store);

    ngx_time_update();

    ngx_http_parley_store_run(st,
                              ngx_current_msec
                              + (ngx_msec_t) st->store_conf.timeout,
                              ngx_http_parley_store_has_begun);

    ngx_add_timer(&st->tick, NGX_HTTP_PARLEY_STORE_TICK);
}


void
ngx_http_parley_store_exit(ngx_http_parley_worker_t *worker)
{
    ngx_msec_t                end;
    ngx_http_parley_store_t  *st;

    st = worker->store;

    if (st == NULL) {
        return;
    }

    ngx_time_update();

    end = ngx_current_msec + NGX_HTTP_PARLEY_STORE_END;

    if (parley_store_end(st->store)) {
        ngx_http_parley_store_run(st, end, ngx_http_parley_store_has_ended);
    }

    /* without that much time the lease of the gateway ends by itself */

    ngx_time_update();

    if ((ngx_msec_int_t) (end - ngx_current_msec)
        >= NGX_HTTP_PARLEY_STORE_END / 2
        && !ngx_http_parley_zone_reloads(worker->mcf->zone)
        && parley_store_quit(st->store))
    {
        ngx_http_parley_store_run(st, end, ngx_http_parley_store_has_ended);
    }

    ngx_http_parley_store_count(worker);
    ngx_http_parley_store_close(st, PARLEY_STORE_MAIN);
    ngx_http_parley_store_close(st, PARLEY_STORE_INBOX);

    if (st->timer.timer_set) {
        ngx_del_timer(&st->timer);
    }

    if (st->tick.timer_set) {
        ngx_del_timer(&st->tick);
    }

    worker->mcf->zone->state = &worker->mcf->zone->memory.state;
    worker->mcf->zone->memory.env.orphan = NULL;
    worker->store = NULL;

    parley_store_destroy(st->store);
}


/*
 * Runs the connection until the condition holds or a time has come, without
 * nginx's event loop.
 */

static void
ngx_http_parley_store_run(ngx_http_parley_store_t *st, ngx_msec_t end,
    ngx_uint_t (*is_over)(ngx_http_parley_store_t *st))
{
    ngx_msec_int_t  left, timer;

    for ( ;; ) {
        left = (ngx_msec_int_t) (end - ngx_current_msec);

        if (left <= 0 || is_over(st)) {
            return;
        }

        if (st->timer.timer_set) {
            timer = (ngx_msec_int_t) (st->timer.timer.key - ngx_current_msec);

            if (timer <= 0) {
                ngx_del_timer(&st->timer);
                parley_store_timer(st->store);
                continue;
            }

            left = ngx_min(left, timer);
        }

        ngx_http_parley_store_link_turn(&st->links[PARLEY_STORE_MAIN],
                                        (ngx_msec_t) left);
        ngx_time_update();
    }
}


/* A worker that begins serves its first requests with the store, unless the
   first attempt to connect fails. */

static ngx_uint_t
ngx_http_parley_store_has_begun(ngx_http_parley_store_t *st)
{
    const ngx_http_parley_store_link_t  *link;

    link = &st->links[PARLEY_STORE_MAIN];

    return parley_store_is_up(st->store)
           || (link->next && link->is == NGX_HTTP_PARLEY_STORE_CLOSED
               && !link->told.posted);
}


static ngx_uint_t
ngx_http_parley_store_has_ended(ngx_http_parley_store_t *st)
{
    parley_store_stat_t  stat;

    parley_store_stat(st->store, &stat);

    return stat.pending == 0
           || st->links[PARLEY_STORE_MAIN].is != NGX_HTTP_PARLEY_STORE_OPEN;
}


static void
ngx_http_parley_store_timer(void *ctx, int64_t ms)
{
    ngx_http_parley_store_t *st = ctx;

    /* nginx keeps a timer that differs little from the new one */

    if (st->timer.timer_set) {

        if (ms >= 0 && st->timer.timer.key == ngx_current_msec + ms) {
            return;
        }

        ngx_del_timer(&st->timer);
    }

    if (ms >= 0) {
        ngx_add_timer(&st->timer,
                      (ngx_msec_t) ngx_min(ms, NGX_MAX_INT32_VALUE / 2));
    }
}


static void
ngx_http_parley_store_timer_handler(ngx_event_t *ev)
{
    ngx_http_parley_store_t *st = ev->data;

    parley_store_timer(st->store);
}


static void
ngx_http_parley_store_tick_handler(ngx_event_t *ev)
{
    ngx_http_parley_store_t *st = ev->data;

    ngx_http_parley_store_count(st->worker);

    ngx_add_timer(&st->tick, NGX_HTTP_PARLEY_STORE_TICK);
}


static int64_t
ngx_http_parley_store_now(void *ctx)
{
    return (int64_t) ngx_current_msec;
}


static int64_t
ngx_http_parley_store_wall(void *ctx)
{
    return ngx_http_parley_now();
}


static uint64_t
ngx_http_parley_store_random(void *ctx)
{
    u_char    octets[NGX_HTTP_PARLEY_RANDOM];
    uint64_t  n;

    if (ngx_http_parley_random(octets) != NGX_OK) {
        return (uint64_t) ngx_random() << 32 ^ (uint64_t) ngx_random();
    }

    ngx_memcpy(&n, octets, sizeof(n));

    return n;
}


static void
ngx_http_parley_store_replaced(void *ctx, const parley_join_t *j,
    uint64_t stamp)
{
    ngx_http_parley_store_t *st = ctx;

    if (st->worker->replaced) {
        st->worker->replaced(st->worker->hub, j, stamp);
    }
}


static void
ngx_http_parley_store_appended(void *ctx)
{
    ngx_http_parley_store_t *st = ctx;

    if (st->worker->appended) {
        st->worker->appended(st->worker->hub);

    } else {
        ngx_http_parley_wake_others(st->worker);
    }
}


static void
ngx_http_parley_store_left(void *ctx, const char *host, const char *node,
    int stopped)
{
    ngx_http_parley_store_t *st = ctx;

    parley_audit_gateway_t  line;

    line.host = parley_str_c(host);
    line.node = parley_str_c(node);
    line.outcome = stopped ? PARLEY_STR("stopped") : PARLEY_STR("lease-over");

    ngx_http_parley_audit_gateway(st->worker, &line);
}


/* Writes equal lines once a minute, and ten errors in a second, which may have
   words of the engine.  A notice, such as the return of the store, is written
   again after a line about its absence. */

static void
ngx_http_parley_store_log(void *ctx, parley_store_level_t level,
    const char *text)
{
    ngx_http_parley_store_t *st = ctx;

    uint32_t                       hash;
    ngx_uint_t                     i;
    ngx_http_parley_store_line_t  *line;

    static const ngx_uint_t  levels[] = {
        [PARLEY_STORE_INFO] = NGX_LOG_NOTICE,
        [PARLEY_STORE_WARN] = NGX_LOG_WARN,
        [PARLEY_STORE_ERROR] = NGX_LOG_ERR,
        [PARLEY_STORE_CRIT] = NGX_LOG_CRIT
    };

    hash = ngx_murmur_hash2((u_char *) text, ngx_strlen(text));

    for (i = 0; i < NGX_HTTP_PARLEY_STORE_LINES; i++) {
        line = &st->lines[i];

        if (line->hash == hash && line->until
            && (ngx_msec_int_t) (line->until - ngx_current_msec) > 0)
        {
            return;
        }
    }

    if (st->second != ngx_time()) {
        st->second = ngx_time();
        st->written = 0;
    }

    if (level >= PARLEY_STORE_ERROR
        && st->written++ >= NGX_HTTP_PARLEY_STORE_LINES_SECOND)
    {
        return;
    }

    for (i = 0; i < NGX_HTTP_PARLEY_STORE_LINES
                && level >= PARLEY_STORE_ERROR; i++)
    {
        if (st->lines[i].level == NGX_LOG_NOTICE) {
            st->lines[i].until = 0;
        }
    }

    line = &st->lines[st->line++ % NGX_HTTP_PARLEY_STORE_LINES];

    line->hash = hash;
    line->level = levels[level];
    line->until = ngx_current_msec + NGX_HTTP_PARLEY_STORE_AGAIN;

    ngx_log_error(levels[level], st->log, 0, "parley: store %V: %s",
                  &st->conf->label, text);
}


ngx_uint_t
ngx_http_parley_store_is_ready(const ngx_http_parley_worker_t *worker)
{
    return worker->store == NULL || worker->store->conf->settings->local
           || parley_store_is_up(worker->store->store);
}


void
ngx_http_parley_store_count(ngx_http_parley_worker_t *worker)
{
    ngx_uint_t                i;
    parley_slot_t            *slot;
    parley_store_stat_t       now, *old;
    ngx_http_parley_store_t  *st;

    st = worker->store;

    if (st == NULL) {
        return;
    }

    slot = worker->slot;
    old = &st->counted;

    parley_store_stat(st->store, &now);

    parley_count_level(slot, PARLEY_M_STORE_UP,
                       parley_store_is_up(st->store) ? 1 : 0);
    parley_count_level(slot, PARLEY_M_STORE_INBOX, now.inbox);
    parley_count_level(slot, PARLEY_M_STORE_PENDING, now.pending);

    for (i = 0; i < PARLEY_STORE_RESULTS; i++) {
        parley_count(slot, PARLEY_M_STORE_CALLS + i,
                     now.calls[i] - old->calls[i]);
    }

    for (i = 0; i < PARLEY_STORE_LOSSES; i++) {
        parley_count(slot, PARLEY_M_STORE_LOST + i, now.lost[i] - old->lost[i]);
    }

    parley_count(slot, PARLEY_M_STORE_RECONNECTS,
                 now.reconnects - old->reconnects);
    parley_count(slot, PARLEY_M_STORE_FORKED, now.forked - old->forked);
    parley_count(slot, PARLEY_M_STORE_FALLBACK,
                 now.fallbacks - old->fallbacks);

    *old = now;
}


void
ngx_http_parley_store_status(const ngx_http_parley_worker_t *worker,
    parley_snapshot_t *s)
{
    parley_store_stat_t    now;
    parley_status_store_t  store;

    if (worker->store == NULL) {
        return;
    }

    parley_store_stat(worker->store->store, &now);

    store.generation = now.generation;
    store.nodes = now.nodes;
    store.differ = now.differ;
    store.used = now.used;
    store.max = now.max;
    store.offset_ms = now.offset;

    parley_status_store(s, &store);
}


ngx_int_t
ngx_http_parley_store_nodes(const ngx_http_parley_worker_t *worker,
    ngx_pool_t *pool, parley_status_t *status)
{
    u_char                       *node;
    size_t                        i, n;
    parley_status_node_t         *nodes;
    const parley_store_member_t  *m;

    if (worker->store == NULL) {
        return NGX_OK;
    }

    m = parley_store_members(worker->store->store, &n);

    nodes = ngx_pcalloc(pool, ngx_max(n, 1) * sizeof(parley_status_node_t));
    node = ngx_pnalloc(pool, ngx_max(n, 1) * 2 * PARLEY_STORE_NODE);

    if (nodes == NULL || node == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++, m++) {
        nodes[i].node = parley_str_make(node, 2 * PARLEY_STORE_NODE);
        node = parley_hex_write(node, m->node, PARLEY_STORE_NODE);

        nodes[i].host = parley_str_c(m->host);
        nodes[i].version = parley_str_c(m->version);
        nodes[i].formats = parley_str_c(m->formats);
        nodes[i].config = parley_str_c(m->config);
        nodes[i].lease_ms = m->until - (int64_t) ngx_current_msec;
        nodes[i].own = m->own;
        nodes[i].differs = m->differs;
    }

    status->nodes = nodes;
    status->nnodes = n;

    return NGX_OK;
}
