
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The counters of workers: each worker has its own slot (parley_counters.h).
 * The slots have their own shared memory, so a changed size or name of
 * parley_zone does not reset a counter.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_process.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"


/* change it with every change of a structure or a row in this memory */
#define NGX_HTTP_PARLEY_SLOTS_LAYOUT  0x50534c04

/* names of an operator's zones have no colon */
#define NGX_HTTP_PARLEY_SLOTS_NAME    "parley:slots"

/* pages for nginx's allocator and the rest */
#define NGX_HTTP_PARLEY_SLOTS_HEAD    12


typedef struct {
    ngx_uint_t       layout;
    size_t           size;
    parley_slots_t  *slots;
    parley_seats_t  *seats;
    ngx_atomic_t     woken[PARLEY_SLOTS];
} ngx_http_parley_slots_head_t;


static ngx_int_t ngx_http_parley_slots_init(ngx_shm_zone_t *shm_zone,
    void *data);
static ngx_int_t ngx_http_parley_slots_make(ngx_slab_pool_t *shpool);


ngx_int_t
ngx_http_parley_slots_add(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    size_t      size;
    ngx_str_t   name = ngx_string(NGX_HTTP_PARLEY_SLOTS_NAME);

    size = ngx_align(parley_slots_size(PARLEY_SLOTS), ngx_pagesize)
           + ngx_align(PARLEY_SLOTS * sizeof(parley_seats_t), ngx_pagesize);

    /* the allocator has a descriptor for each page */

    size += ngx_align(size / ngx_pagesize * sizeof(ngx_slab_page_t),
                      ngx_pagesize)
            + NGX_HTTP_PARLEY_SLOTS_HEAD * ngx_pagesize;

    mcf->slots_zone = ngx_shared_memory_add(cf, &name, size,
                                            &ngx_http_parley_module);

    if (mcf->slots_zone == NULL) {
        return NGX_ERROR;
    }

    mcf->slots_zone->init = ngx_http_parley_slots_init;
    mcf->slots_zone->data = mcf;
    mcf->since = ngx_current_msec;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_slots_init(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_slab_pool_t               *shpool;
    ngx_http_parley_main_conf_t   *mcf;
    ngx_http_parley_slots_head_t  *head;

    mcf = shm_zone->data;
    shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (data == NULL && !shm_zone->shm.exists
        && ngx_http_parley_slots_make(shpool) != NGX_OK)
    {
        return NGX_ERROR;
    }

    head = shpool->data;

    if (head->layout != NGX_HTTP_PARLEY_SLOTS_LAYOUT
        || head->size != parley_slots_size(PARLEY_SLOTS))
    {
        ngx_log_error(NGX_LOG_EMERG, shm_zone->shm.log, 0,
                      "parley's counters were made by another version of the "
                      "module; restart nginx");
        return NGX_ERROR;
    }

    mcf->slots = head->slots;
    mcf->seats = head->seats;
    mcf->woken = head->woken;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_slots_make(ngx_slab_pool_t *shpool)
{
    void                          *p, *seats;
    size_t                         size;
    ngx_uint_t                     i;
    ngx_http_parley_slots_head_t  *head;

    size = parley_slots_size(PARLEY_SLOTS);

    head = ngx_slab_calloc(shpool, sizeof(ngx_http_parley_slots_head_t));

    /* unused pages are zeroed and take memory only when used */
    p = ngx_slab_alloc(shpool, ngx_align(size, ngx_pagesize));

    seats = ngx_slab_alloc(shpool, ngx_align(PARLEY_SLOTS
                                             * sizeof(parley_seats_t),
                                             ngx_pagesize));

    if (head == NULL || p == NULL || seats == NULL) {
        return NGX_ERROR;
    }

    head->layout = NGX_HTTP_PARLEY_SLOTS_LAYOUT;
    head->size = size;
    head->slots = parley_slots_make(p, PARLEY_SLOTS,
                                    (uint64_t) ngx_http_parley_now());
    head->seats = seats;

    for (i = 0; i < PARLEY_SLOTS; i++) {
        head->woken[i] = 1;
    }

    shpool->data = head;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_slot_enter(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker)
{
    parley_process_t                    self;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    ngx_http_parley_process_self(&self);

    worker->slot = parley_slots_claim(mcf->slots, &self,
                                      &ngx_http_parley_processes);
    if (worker->slot) {
        parley_seats_begin(mcf->seats, worker->slot - mcf->slots->slots);
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                  "parley: counters of this worker not shown: %ud workers "
                  "count already",
                  PARLEY_SLOTS);

    worker->slot = ngx_pmemalign(cycle->pool, sizeof(parley_slot_t),
                                 NGX_CPU_CACHE_LINE);
    if (worker->slot == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(worker->slot, sizeof(parley_slot_t));

    return NGX_OK;
}


void
ngx_http_parley_slot_leave(ngx_http_parley_worker_t *worker)
{
    if (worker->slot) {
        parley_slot_leave(worker->slot);
    }
}


ngx_uint_t
ngx_http_parley_slot_number(ngx_http_parley_worker_t *worker)
{
    parley_slots_t  *slots;

    slots = worker->mcf->slots;

    return worker->slot >= slots->slots
           && worker->slot < slots->slots + slots->n
           ? (ngx_uint_t) (worker->slot - slots->slots) : PARLEY_SLOTS;
}


/* Counts no seats in a worker without a slot. */

parley_seat_verdict_t
ngx_http_parley_seat_take(ngx_http_parley_worker_t *worker,
    const uint8_t *account)
{
    uint64_t                            most;
    ngx_uint_t                          slot;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    most = mcf->http.connections;

    if (most == 0) {
        most = (uint64_t) ngx_cycle->connection_n
               * mcf->http.connections_share / PARLEY_SHARE_ALL;

        most += most == 0 && mcf->http.connections_share;
    }

    slot = ngx_http_parley_slot_number(worker);

    return most == 0 || slot == PARLEY_SLOTS ? PARLEY_SEAT_UNCOUNTED
           : parley_seats_take(mcf->seats, mcf->slots,
                               &ngx_http_parley_processes, (unsigned) slot,
                               account, most);
}


void
ngx_http_parley_seat_give(ngx_http_parley_worker_t *worker,
    const uint8_t *account)
{
    parley_seats_give(worker->mcf->seats,
                      (unsigned) ngx_http_parley_slot_number(worker), account);
}


void
ngx_http_parley_slots_sum(const ngx_http_parley_main_conf_t *mcf,
    parley_snapshot_t *ret)
{
    unsigned  i, workers;

    workers = parley_slots_sum(mcf->slots, &ngx_http_parley_processes, ret);

    ret->cells[PARLEY_M_WORKERS] = workers;
    ret->cells[PARLEY_M_STARTED] = mcf->slots->created_ms;

    for (i = 0; i < PARLEY_L_LOSS_COUNT; i++) {
        ret->cells[PARLEY_M_STATE_LOST + i] = mcf->slots->lost[i];
    }
}
