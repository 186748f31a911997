
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The shared memory zone: the state that all workers share
 * (state/parley_state.h) and the fetched keys.  A reload adopts the zone as it
 * is.  If that is not possible, the log says which data is lost.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_process.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/metrics/parley_counters.h"
#include "state/parley_import.h"

#include <sys/wait.h>

#if (NGX_HTTP_PARLEY_LATER)
#include "t/later/ngx_http_parley_later.h"
#endif


/* change it with every change of a structure in the zone or of the meaning of
   a record */
#define NGX_HTTP_PARLEY_ZONE_LAYOUT  0x50415221

/*
 * The state takes the zone in one piece.  nginx's allocator keeps 1 page in
 * 16, at least 4 and at most 64, for the fetched keys.
 */
#define NGX_HTTP_PARLEY_ZONE_PAGES      16
#define NGX_HTTP_PARLEY_ZONE_PAGES_MIN  4
#define NGX_HTTP_PARLEY_ZONE_PAGES_MAX  64

/* bits of the first stamp, see parley_memory_stamps() */
#define NGX_HTTP_PARLEY_ZONE_STAMP  47


static ngx_int_t ngx_http_parley_zone_create(ngx_http_parley_zone_t *zone,
    ngx_shm_zone_t *shm_zone);
static void ngx_http_parley_zone_new(ngx_http_parley_main_conf_t *mcf);
static ngx_shm_zone_t *ngx_http_parley_zone_before(ngx_shm_zone_t *shm_zone);
static void ngx_http_parley_zone_lost(ngx_shm_zone_t *shm_zone,
    ngx_shm_zone_t *before);
static void ngx_http_parley_zone_lock_in_master(void *ctx);
static void ngx_http_parley_zone_lock(void *ctx);
static void ngx_http_parley_zone_unlock(void *ctx);
static void ngx_http_parley_zone_repaired(void *ctx);
static int64_t ngx_http_parley_zone_now(void *ctx);


ngx_int_t
ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_http_parley_zone_t  *ozone = data;

    ngx_http_parley_zone_t  *zone;

    zone = shm_zone->data;

    zone->shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    zone->memory.env.lock = ngx_http_parley_zone_lock_in_master;
    zone->memory.env.unlock = ngx_http_parley_zone_unlock;
    zone->memory.env.repaired = ngx_http_parley_zone_repaired;
    zone->memory.env.now = ngx_http_parley_zone_now;
    zone->memory.env.is_alive = ngx_http_parley_process_is_alive;
    zone->memory.env.ctx = zone->shpool;
    zone->memory.share = zone->share;
    zone->memory.workers = zone->secret ? PARLEY_IMPORT_WORKERS : 0;

    if (ozone) {
        zone->sh = ozone->sh;

    } else if (shm_zone->shm.exists) {
        zone->sh = zone->shpool->data;

    } else if (ngx_http_parley_zone_create(zone, shm_zone) != NGX_OK) {
        return NGX_ERROR;
    }

    if (zone->sh->layout != NGX_HTTP_PARLEY_ZONE_LAYOUT) {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "parley_zone \"%V\" was made by another version of the "
                      "module; restart nginx, or give the zone another name",
                      &shm_zone->shm.name);
        return NGX_ERROR;
    }

    if (zone->secret
        && CRYPTO_memcmp(zone->secret, zone->sh->secret,
                         sizeof(zone->sh->secret))
           != 0)
    {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "parley_zone \"%V\" was made without \"parley_store\", "
                      "or with another \"key=\" of it; give the zone another "
                      "name, which then begins empty, or restart nginx",
                      &shm_zone->shm.name);
        return NGX_ERROR;
    }

    zone->configuration = ++zone->sh->configurations;

    parley_memory_adopt(&zone->memory, zone->sh->state);

#if (NGX_HTTP_PARLEY_LATER)
    ngx_http_parley_later(&zone->memory, shm_zone->shm.log);
#endif

    zone->state = &zone->memory.state;

    return NGX_OK;
}


void
ngx_http_parley_zone_settle(ngx_http_parley_main_conf_t *mcf)
{
    ngx_http_parley_zone_t  *zone;

    zone = mcf->zone;

    if (zone->created) {
        ngx_http_parley_zone_new(mcf);
    }

    zone->sh->current = zone->configuration;

    /* the location of parley_jwks_request may have changed */
    zone->sh->jwks_checked = 0;

    parley_memory_bounds(&zone->memory, zone->retain, zone->replay);
}


static ngx_int_t
ngx_http_parley_zone_create(ngx_http_parley_zone_t *zone,
    ngx_shm_zone_t *shm_zone)
{
    size_t                    len, size, pages;
    uint64_t                  stamp;
    ngx_http_parley_shctx_t  *sh;

    sh = ngx_slab_calloc(zone->shpool, sizeof(ngx_http_parley_shctx_t));
    if (sh == NULL) {
        return NGX_ERROR;
    }

    sh->layout = NGX_HTTP_PARLEY_ZONE_LAYOUT;
    sh->created = ngx_http_parley_now();

    if (zone->secret) {
        ngx_memcpy(sh->secret, zone->secret, sizeof(sh->secret));
    }

    if ((zone->secret == NULL
         && RAND_bytes(sh->secret, sizeof(sh->secret)) != 1)
        || RAND_bytes((u_char *) &sh->seed, sizeof(sh->seed)) != 1
        || RAND_bytes(sh->node, sizeof(sh->node)) != 1
        || RAND_bytes((u_char *) &stamp, sizeof(stamp)) != 1)
    {
        ngx_ssl_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "RAND_bytes() failed");
        return NGX_ERROR;
    }

    len = sizeof(" in parley_zone \"\"") + shm_zone->shm.name.len;

    zone->shpool->log_ctx = ngx_slab_alloc(zone->shpool, len);
    if (zone->shpool->log_ctx == NULL) {
        return NGX_ERROR;
    }

    ngx_sprintf(zone->shpool->log_ctx, " in parley_zone \"%V\"%Z",
                &shm_zone->shm.name);

    /* the sender is told of a full zone, and each refusal is logged once */
    zone->shpool->log_nomem = 0;

    pages = zone->shpool->pfree / NGX_HTTP_PARLEY_ZONE_PAGES;
    pages = ngx_max(pages, NGX_HTTP_PARLEY_ZONE_PAGES_MIN);
    pages = ngx_min(pages, NGX_HTTP_PARLEY_ZONE_PAGES_MAX);

    size = (zone->shpool->pfree - pages) * ngx_pagesize;

    sh->state = ngx_slab_alloc(zone->shpool, size);

    if (sh->state == NULL
        || parley_memory_create(&zone->memory, sh->state, size, sh->secret)
           != 0)
    {
        return NGX_ERROR;
    }

    /* the nodes of a store give different stamps */

    if (zone->secret) {
        parley_memory_stamps(&zone->memory,
                             stamp >> (64 - NGX_HTTP_PARLEY_ZONE_STAMP));
    }

    zone->sh = sh;
    zone->shpool->data = sh;
    zone->created = 1;

    return NGX_OK;
}


/* Logs whether a zone existed before and which of its data is lost
   (OPS-08). */

static void
ngx_http_parley_zone_new(ngx_http_parley_main_conf_t *mcf)
{
    uint64_t        *lost;
    ngx_log_t       *log;
    ngx_shm_zone_t  *before, *shm_zone;

    shm_zone = mcf->shm_zone;
    log = shm_zone->shm.log;
    lost = mcf->slots->lost;

    if (ngx_test_config) {
        return;
    }

    if (ngx_is_init_cycle(ngx_cycle)) {

        if (ngx_inherited) {
            lost[PARLEY_L_LOSS_BINARY]++;

            ngx_log_error(NGX_LOG_ERR, log, 0,
                          "parley_zone \"%V\" begins empty: another binary of "
                          "nginx cannot take over the duplicate window, "
                          "limits, open questions, retained messages, first "
                          "answers and fetched keys; messages that the old "
                          "workers take from now on are unknown here",
                          &shm_zone->shm.name);
            return;
        }

        ngx_log_error(NGX_LOG_NOTICE, log, 0,
                      "parley_zone \"%V\" is new and empty",
                      &shm_zone->shm.name);
        return;
    }

    before = ngx_http_parley_zone_before(shm_zone);

    if (before == NULL) {
        ngx_log_error(NGX_LOG_NOTICE, log, 0,
                      "parley_zone \"%V\" is new and empty",
                      &shm_zone->shm.name);

    } else if (before->tag != shm_zone->tag) {
        lost[PARLEY_L_LOSS_MODULE]++;

        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley_zone \"%V\" begins empty: the module was loaded "
                      "from another file than before, which cannot take over "
                      "the duplicate window, limits, open questions, retained "
                      "messages, first answers and fetched keys",
                      &shm_zone->shm.name);

    } else {
        lost[PARLEY_L_LOSS_RESIZED]++;

        ngx_http_parley_zone_lost(shm_zone, before);
    }
}


/*
 * Returns the zone that this one replaces: the one of the same name, or this
 * module's.  The configuration has at most one parley_zone.
 */

static ngx_shm_zone_t *
ngx_http_parley_zone_before(ngx_shm_zone_t *shm_zone)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_shm_zone_t   *zones, *before;

    before = NULL;
    part = &((ngx_cycle_t *) ngx_cycle)->shared_memory.part;

    for ( /* void */ ; part; part = part->next) {
        zones = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (zones[i].shm.name.len == shm_zone->shm.name.len
                && ngx_strncmp(zones[i].shm.name.data,
                               shm_zone->shm.name.data,
                               shm_zone->shm.name.len)
                   == 0)
            {
                return &zones[i];
            }

            if (zones[i].tag == shm_zone->tag
                && zones[i].init == ngx_http_parley_zone_init)
            {
                before = &zones[i];
            }
        }
    }

    return before;
}


static void
ngx_http_parley_zone_lost(ngx_shm_zone_t *shm_zone, ngx_shm_zone_t *before)
{
    const size_t            *n;
    parley_state_room_t      stat;
    ngx_http_parley_zone_t  *zone;

    zone = before->data;

    parley_memory_table(&zone->memory, &stat);
    n = stat.entries;

    ngx_log_error(NGX_LOG_ERR, shm_zone->shm.log, 0,
                  "parley_zone \"%V\" of %uz octets begins empty, in place of "
                  "\"%V\" of %uz, which loses %uz ids of the duplicate "
                  "window, %uz questions and calls, %uz retained messages, "
                  "%uz first answers, %uz limits, %uz keys of children, and "
                  "fetched keys; a message that was taken before may be "
                  "taken again while its age allows it",
                  &shm_zone->shm.name, shm_zone->shm.size,
                  &before->shm.name, before->shm.size,
                  n[PARLEY_KIND_ID],
                  n[PARLEY_KIND_QUESTION] + n[PARLEY_KIND_CALL],
                  n[PARLEY_KIND_MESSAGE], n[PARLEY_KIND_ANSWER],
                  n[PARLEY_KIND_RATE], n[PARLEY_KIND_CHILD_KEY]);
}


/*
 * Locks the zone in the master, which blocks SIGCHLD while it reads a new
 * configuration: nginx then cannot unlock the mutex of a dead worker.
 * WNOWAIT leaves the dead worker to nginx.
 */

static void
ngx_http_parley_zone_lock_in_master(void *ctx)
{
    pid_t             holder;
    siginfo_t         info;
    ngx_slab_pool_t  *shpool = ctx;

    while (!ngx_shmtx_trylock(&shpool->mutex)) {
        holder = (pid_t) *shpool->mutex.lock;
        info.si_pid = 0;

        if (holder > 0
            && waitid(P_PID, (id_t) holder, &info, WEXITED|WNOHANG|WNOWAIT) == 0
            && info.si_pid == holder)
        {
            ngx_shmtx_force_unlock(&shpool->mutex, holder);
            continue;
        }

        ngx_msleep(1);
    }
}


static void
ngx_http_parley_zone_lock(void *ctx)
{
    ngx_slab_pool_t  *shpool = ctx;

    ngx_shmtx_lock(&shpool->mutex);
}


static void
ngx_http_parley_zone_unlock(void *ctx)
{
    ngx_slab_pool_t  *shpool = ctx;

    ngx_shmtx_unlock(&shpool->mutex);
}


/* Logs that the state was repaired: nginx has unlocked the mutex of a dead
   worker. */

static void
ngx_http_parley_zone_repaired(void *ctx)
{
    ngx_slab_pool_t  *shpool = ctx;

    ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, 0,
                  "parley: state repaired%s: a worker died during a change, "
                  "which is now complete or undone",
                  shpool->log_ctx);
}


/* Returns milliseconds of the host's monotonic clock. */

static int64_t
ngx_http_parley_zone_now(void *ctx)
{
    return (int64_t) ngx_current_msec;
}


void
ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone)
{
    parley_process_t  self;

    zone->memory.env.lock = ngx_http_parley_zone_lock;

    ngx_http_parley_process_self(&self);
    parley_memory_enter(&zone->memory, &self);

    /* a worker of an older configuration does not start after a newer one */
    zone->sh->entered = zone->configuration;
}


ngx_uint_t
ngx_http_parley_zone_reloads(const ngx_http_parley_zone_t *zone)
{
    return zone->sh->entered != zone->sh->current;
}


void
ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone)
{
    parley_memory_leave(&zone->memory);
}
