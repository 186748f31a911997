
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The shared memory zone: the duplicate window and the limits of all
 * workers.  A reload adopts it as it is.
 */


#include "ngx_http_parley_module.h"

#include <signal.h>


/* changes whenever a structure in the zone does */
#define NGX_HTTP_PARLEY_ZONE_LAYOUT  0x5041520a

/* a reservation outlives a worker that was killed by at most this */
#define NGX_HTTP_PARLEY_LEASE        (3600 * 1000)

/* the share of the zone that retained messages may take: 1 in 2 */
#define NGX_HTTP_PARLEY_ZONE_RETAIN  2

/*
 * Octets of the zone per hash bucket.  Each step along a chain is a miss of
 * the cache: in a zone full of messages that take an entry of the window (64
 * octets) and an origin (256) a bucket has about one of each, at the price of
 * 1 in 20 of the zone.
 */
#define NGX_HTTP_PARLEY_ZONE_WINDOW  256
#define NGX_HTTP_PARLEY_ZONE_ORIGIN  512
#define NGX_HTTP_PARLEY_ZONE_BUCKET  4096

/*
 * The share of what may be referred to and need not be: 1 in 8, which are full
 * as a rule; three of four buckets are empty then.
 */
#define NGX_HTTP_PARLEY_ZONE_ASIDES  8
#define NGX_HTTP_PARLEY_ZONE_ASIDE   1024


static parley_str_t ngx_http_parley_address(ngx_connection_t *c);
static void *ngx_http_parley_zone_alloc(void *ctx, size_t size);
static void ngx_http_parley_zone_free(void *ctx, void *p);
static ngx_int_t ngx_http_parley_zone_create(ngx_http_parley_zone_t *zone,
    ngx_shm_zone_t *shm_zone);
static int ngx_http_parley_zone_is_dead(void *ctx, uint32_t owner);


/* the allocator of the library's tables; the zone's lock is held */

static void *
ngx_http_parley_zone_alloc(void *ctx, size_t size)
{
    ngx_slab_pool_t  *shpool = ctx;

    return ngx_slab_alloc_locked(shpool, size);
}


static void
ngx_http_parley_zone_free(void *ctx, void *p)
{
    ngx_slab_pool_t  *shpool = ctx;

    ngx_slab_free_locked(shpool, p);
}


ngx_int_t
ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_http_parley_zone_t  *ozone = data;

    ngx_http_parley_zone_t  *zone;

    zone = shm_zone->data;

    zone->shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    zone->mem.alloc = ngx_http_parley_zone_alloc;
    zone->mem.free = ngx_http_parley_zone_free;
    zone->mem.ctx = zone->shpool;

    if (ozone) {
        zone->sh = ozone->sh;

        /* the location behind parley_jwks_request may be another now */
        zone->sh->jwks_checked = 0;

    } else if (shm_zone->shm.exists) {
        zone->sh = zone->shpool->data;

    } else {
        return ngx_http_parley_zone_create(zone, shm_zone);
    }

    if (zone->sh->layout == NGX_HTTP_PARLEY_ZONE_LAYOUT) {
        ngx_shmtx_lock(&zone->shpool->mutex);

        parley_store_bound_locked(zone->sh->retained, zone->retain,
                             shm_zone->shm.size / NGX_HTTP_PARLEY_ZONE_RETAIN);

        ngx_shmtx_unlock(&zone->shpool->mutex);

    } else {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "parley_zone \"%V\" was made by another version of the "
                      "module; restart nginx, or give the zone another name",
                      &shm_zone->shm.name);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_zone_create(ngx_http_parley_zone_t *zone,
    ngx_shm_zone_t *shm_zone)
{
    size_t                    len, size, buckets;
    ngx_http_parley_shctx_t  *sh;

    sh = ngx_slab_calloc(zone->shpool, sizeof(ngx_http_parley_shctx_t));
    if (sh == NULL) {
        return NGX_ERROR;
    }

    sh->layout = NGX_HTTP_PARLEY_ZONE_LAYOUT;

    if (RAND_bytes(sh->secret, sizeof(sh->secret)) != 1) {
        ngx_ssl_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "RAND_bytes() failed");
        return NGX_ERROR;
    }

    size = shm_zone->shm.size;
    buckets = size / NGX_HTTP_PARLEY_ZONE_BUCKET;

    ngx_shmtx_lock(&zone->shpool->mutex);

    sh->window = parley_window_create_locked(&zone->mem,
                                        size / NGX_HTTP_PARLEY_ZONE_WINDOW,
                                        0);
    sh->limit = parley_limit_create_locked(&zone->mem, buckets, 0);
    sh->origins = parley_store_create_locked(&zone->mem,
                                        size / NGX_HTTP_PARLEY_ZONE_ORIGIN,
                                        0, 0);
    sh->asides = parley_store_create_locked(&zone->mem,
                                        size / NGX_HTTP_PARLEY_ZONE_ASIDE,
                                        0, 1);
    sh->retained = parley_store_create_locked(&zone->mem, buckets,
                                              zone->retain, 1);

    if (sh->asides) {
        parley_store_bound_locked(sh->asides, 0,
                                  size / NGX_HTTP_PARLEY_ZONE_ASIDES);
    }

    if (sh->retained) {
        parley_store_bound_locked(sh->retained, zone->retain,
                                  size / NGX_HTTP_PARLEY_ZONE_RETAIN);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (sh->window == NULL || sh->limit == NULL || sh->origins == NULL
        || sh->asides == NULL || sh->retained == NULL)
    {
        return NGX_ERROR;
    }

    len = sizeof(" in parley_zone \"\"") + shm_zone->shm.name.len;

    zone->shpool->log_ctx = ngx_slab_alloc(zone->shpool, len);
    if (zone->shpool->log_ctx == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(zone->shpool->log_ctx, " in parley_zone \"%V\"%Z",
                &shm_zone->shm.name);

    /* a full zone is told to the sender and logged once per refusal */
    zone->shpool->log_nomem = 0;

    zone->sh = sh;
    zone->shpool->data = sh;

    return NGX_OK;
}


void
ngx_http_parley_zone_recover(ngx_http_parley_zone_t *zone)
{
    ngx_shmtx_lock(&zone->shpool->mutex);

    (void) parley_window_release_owners_locked(zone->sh->window, &zone->mem,
                                               ngx_http_parley_zone_is_dead,
                                               NULL);

    ngx_shmtx_unlock(&zone->shpool->mutex);
}


/*
 * Has every page of it mapped, so that none is while a request waits for it:
 * the kernel clears a page when it is first touched, and some of them with
 * every few messages until the zone has been full once.  Memory that cannot be
 * had is missed now, not under load.
 */

void
ngx_http_parley_zone_touch(ngx_http_parley_zone_t *zone)
{
    volatile u_char  *p;

    for (p = (u_char *) zone->shpool; p < zone->shpool->end; p += ngx_pagesize)
    {
        (void) *p;
    }
}


static int
ngx_http_parley_zone_is_dead(void *ctx, uint32_t owner)
{
    return kill((pid_t) owner, 0) == -1 && ngx_errno == NGX_ESRCH;
}


/* an id is one sender's: protocol, principal, id */

void
ngx_http_parley_window_prepare(ngx_http_parley_ctx_t *ctx)
{
    uint8_t                  kind[2] = { NGX_HTTP_PARLEY_KEY_WINDOW,
                                         (uint8_t) ctx->gate.proto };
    parley_str_t             parts[3];
    ngx_http_parley_zone_t  *zone;

    zone = ctx->mcf->zone;

    parts[0] = parley_str_make(kind, sizeof(kind));
    parts[1] = ctx->who.principal ? ctx->who.principal->sub : ctx->msg.sender;
    parts[2] = ctx->msg.id;

    parley_key_make(zone->sh->secret, parts, 3, ctx->window_key);
    parley_window_prefetch(zone->sh->window, ctx->window_key);
}


ngx_int_t
ngx_http_parley_window_reserve(ngx_http_parley_ctx_t *ctx)
{
    parley_window_result_t   rc;
    ngx_http_parley_zone_t  *zone;

    if (ctx->msg.partial || ctx->msg.anonymous || ctx->msg.id.len == 0) {
        /* a log record, a call without a key: nothing to know it again by */
        return NGX_OK;
    }

    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    rc = parley_window_reserve_locked(zone->sh->window, &zone->mem,
                                      ctx->window_key,
                                      (int64_t) ngx_current_msec,
                                      NGX_HTTP_PARLEY_LEASE,
                                      (uint32_t) ngx_pid, &ctx->slot);

    ngx_shmtx_unlock(&zone->shpool->mutex);

    switch (rc) {

    case PARLEY_WINDOW_NEW:
        ctx->reserved = 1;
        return NGX_OK;

    case PARLEY_WINDOW_DUPLICATE:
        (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_DUPLICATE, NULL,
                                "a message with this id was taken already");
        return NGX_DECLINED;

    case PARLEY_WINDOW_IN_FLIGHT:
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_IN_FLIGHT, NULL,
                                "a message with this id is on its way");
        return NGX_DECLINED;

    default:
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "the duplicate window is full");
        return NGX_DECLINED;
    }
}


void
ngx_http_parley_window_commit(ngx_http_parley_ctx_t *ctx)
{
    int                      rc;
    ngx_http_parley_zone_t  *zone;

    if (!ctx->reserved || ctx->committed) {
        return;
    }

    ctx->committed = 1;
    zone = ctx->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    rc = parley_window_commit_locked(zone->sh->window, &zone->mem,
                                     ctx->window_key, ctx->slot.stamp,
                                     (int64_t) ngx_current_msec,
                                     (int64_t) ctx->lcf->window, 0);

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc != 0) {
        ngx_log_error(NGX_LOG_ALERT, ctx->request->connection->log, 0,
                      "parley: the window forgot a message that was taken");
    }
}


void
ngx_http_parley_window_release(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_zone_t  *zone;

    if (!ctx->reserved || ctx->committed) {
        return;
    }

    ctx->reserved = 0;
    zone = ctx->mcf->zone;

    ngx_http_parley_origin_drop(ctx);

    ngx_shmtx_lock(&zone->shpool->mutex);

    parley_window_release_locked(zone->sh->window, &zone->mem,
                                 ctx->window_key, ctx->slot.stamp);

    ngx_shmtx_unlock(&zone->shpool->mutex);
}


/*
 * The octets of a client's address, as far as they tell one client from
 * another: whoever has one IPv6 address has a /64 of them.
 */

static parley_str_t
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


ngx_int_t
ngx_http_parley_limit_take(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what)
{
    uint8_t                  key[PARLEY_KEY_LEN];
    uint8_t                  kind;
    int64_t                  wait;
    parley_str_t             parts[4];
    parley_limit_result_t    rc;
    ngx_http_parley_zone_t  *zone;

    if (rate->interval_us == 0) {
        return NGX_OK;
    }

    zone = ctx->mcf->zone;
    kind = NGX_HTTP_PARLEY_KEY_RATE;

    if (who.len == 0) {
        /* what proves nobody counts against its address (SEC-10) */
        kind = NGX_HTTP_PARLEY_KEY_ADDRESS;
        who = ngx_http_parley_address(ctx->request->connection);
    }

    /* locations with the same rate share it, also across a reload */

    parts[0] = parley_str_make(&kind, sizeof(kind));
    parts[1] = who;
    parts[2] = what;
    parts[3] = parley_str_make(rate, sizeof(parley_limit_rate_t));

    parley_key_make(zone->sh->secret, parts, 4, key);

    ngx_shmtx_lock(&zone->shpool->mutex);

    rc = parley_limit_take_locked(zone->sh->limit, &zone->mem, key,
                                  (int64_t) ngx_current_msec, rate, &wait);

    ngx_shmtx_unlock(&zone->shpool->mutex);

    switch (rc) {

    case PARLEY_LIMIT_OK:
        return NGX_OK;

    case PARLEY_LIMIT_LIMITED:
        ctx->wait = (ngx_msec_t) wait;
        (void) parley_error_set(&ctx->error, PARLEY_E_RATE_LIMITED, NULL,
                                "too many messages%s%.*s",
                                what.len ? " of priority " : "",
                                (int) what.len, what.data);
        return NGX_DECLINED;

    default:
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "the table of limits is full");
        return NGX_DECLINED;
    }
}
