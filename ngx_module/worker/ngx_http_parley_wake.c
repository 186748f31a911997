
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Workers wake each other by an eventfd for each slot of the counters.  The
 * eventfds are created once, before the first worker, and never closed.  So
 * all workers of all generations have the same descriptors, and the eventfd
 * belongs to the worker that holds the slot.  A flag for each slot avoids
 * writes to a worker that is already woken; slots without a worker have it,
 * too.  If the writing process ends between the flag and the write, the worker
 * still looks once a second.
 *
 * The descriptors are in static data of the module, which a reload keeps.  A
 * module that was replaced by another file has other descriptors and another
 * zone.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"

#include <sys/eventfd.h>


static int         ngx_http_parley_wakes[PARLEY_SLOTS];
static ngx_uint_t  ngx_http_parley_wakes_made;


static void ngx_http_parley_wake_slot(ngx_http_parley_worker_t *worker,
    ngx_uint_t slot) __attribute__((noinline));


_Static_assert(PARLEY_SLOTS % 4 == 0, "flags are in groups of four");


static inline ngx_atomic_uint_t
ngx_http_parley_wake_flag(const ngx_atomic_t *woken)
{
    return __atomic_load_n(woken, __ATOMIC_RELAXED);
}


void
ngx_http_parley_wake_make(ngx_cycle_t *cycle)
{
    ngx_uint_t  i;

    if (ngx_http_parley_wakes_made || ngx_test_config) {
        return;
    }

    ngx_http_parley_wakes_made = 1;

    for (i = 0; i < PARLEY_SLOTS; i++) {
        ngx_http_parley_wakes[i] = eventfd(0, EFD_NONBLOCK|EFD_CLOEXEC);

        if (ngx_http_parley_wakes[i] == -1) {
            ngx_log_error(NGX_LOG_ERR, cycle->log, ngx_errno,
                          "parley: eventfd() failed: only %ui of %d workers "
                          "can be woken, the others check the state once a "
                          "second", i, PARLEY_SLOTS);

            for ( /* void */ ; i < PARLEY_SLOTS; i++) {
                ngx_http_parley_wakes[i] = -1;
            }
        }
    }
}


ngx_connection_t *
ngx_http_parley_wake_open(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker, ngx_event_handler_pt handler, void *data)
{
    int                fd;
    ngx_uint_t         slot;
    ngx_connection_t  *c;

    slot = ngx_http_parley_slot_number(worker);

    if (slot == PARLEY_SLOTS || !ngx_http_parley_wakes_made) {
        return NULL;
    }

    fd = ngx_http_parley_wakes[slot];

    c = fd != -1 ? ngx_get_connection(fd, cycle->log) : NULL;

    if (c == NULL) {
        return NULL;
    }

    c->data = data;
    c->read->handler = handler;
    c->read->log = cycle->log;
    c->log = cycle->log;

    /* level-triggered: an unread eventfd is reported again */

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK) {
        ngx_free_connection(c);
        return NULL;
    }

    /* clear the flag of the slot's previous owner */
    worker->mcf->woken[slot] = 0;

    return c;
}


void
ngx_http_parley_wake_close(ngx_connection_t *c)
{
    if (c->read->active) {
        (void) ngx_del_event(c->read, NGX_READ_EVENT, 0);
    }

    c->fd = (ngx_socket_t) -1;
    ngx_free_connection(c);
}


void
ngx_http_parley_wake_taken(ngx_http_parley_worker_t *worker,
    ngx_connection_t *c)
{
    uint64_t    n;
    ngx_uint_t  slot;

    slot = ngx_http_parley_slot_number(worker);

    /* clear the flag first, so that a later wake-up is not lost */

    if (slot != PARLEY_SLOTS) {
        __atomic_store_n(&worker->mcf->woken[slot], 0, __ATOMIC_SEQ_CST);
    }

    if (c && read(c->fd, &n, sizeof(n)) == -1 && ngx_errno != NGX_EAGAIN) {
        ngx_log_error(NGX_LOG_ALERT, c->log, ngx_errno,
                      "parley: read() of an eventfd failed");
    }
}


/* Most flags are set: looks at four at once. */

void
ngx_http_parley_wake_others(ngx_http_parley_worker_t *worker)
{
    ngx_uint_t     i, k;
    ngx_atomic_t  *woken;

    /* the change of the state comes before the look at the flags */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);

    for (i = 0; i < PARLEY_SLOTS; i += 4) {

        woken = &worker->mcf->woken[i];

        if (ngx_http_parley_wake_flag(woken)
            & ngx_http_parley_wake_flag(woken + 1)
            & ngx_http_parley_wake_flag(woken + 2)
            & ngx_http_parley_wake_flag(woken + 3))
        {
            continue;
        }

        for (k = 0; k < 4; k++) {
            if (!ngx_http_parley_wake_flag(woken + k)) {
                ngx_http_parley_wake_slot(worker, i + k);
            }
        }
    }
}


static void
ngx_http_parley_wake_slot(ngx_http_parley_worker_t *worker, ngx_uint_t slot)
{
    int       fd;
    uint64_t  one;

    one = 1;
    fd = ngx_http_parley_wakes_made ? ngx_http_parley_wakes[slot] : -1;

    if (slot == ngx_http_parley_slot_number(worker)
        || __atomic_exchange_n(&worker->mcf->woken[slot], 1, __ATOMIC_SEQ_CST)
           != 0
        || fd == -1)
    {
        return;
    }

    if (write(fd, &one, sizeof(one)) == -1 && ngx_errno != NGX_EAGAIN) {
        ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                      "parley: write() to an eventfd failed");
    }
}
