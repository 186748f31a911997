
/*
 * Copyright (C) 2026 The Parley authors
 *
 * How workers wake each other: an eventfd for each slot of the counters, made
 * once, before there is any worker, and never closed.  So every worker of every
 * generation has all of them by the same numbers, and whoever takes a slot
 * takes its eventfd.  A flag beside each saves the write to who was woken and
 * has not looked yet; should its writer die between the two, the worker looks
 * once in a second in any case.
 *
 * The numbers stand in the module's own data, which a reload keeps.  A module
 * that was replaced by another file has other ones, and another zone, too.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_state.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"

#include <sys/eventfd.h>


static int         ngx_http_parley_wakes[PARLEY_SLOTS];
static ngx_uint_t  ngx_http_parley_wakes_made;




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
                          "eventfd() failed: of %d workers %ui can be woken by "
                          "each other, the others look once in a second",
                          PARLEY_SLOTS, i);

            for ( /* void */ ; i < PARLEY_SLOTS; i++) {
                ngx_http_parley_wakes[i] = -1;
            }
        }
    }
}


ngx_connection_t *
ngx_http_parley_wake_open(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf, ngx_event_handler_pt handler, void *data)
{
    int                fd;
    ngx_uint_t         slot;
    ngx_connection_t  *c;

    slot = ngx_http_parley_slot_number(mcf);

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

    /* level: what is not read is told again */

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK) {
        ngx_free_connection(c);
        return NULL;
    }

    /* what its last owner was told and did not look at */
    mcf->woken[slot] = 0;

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
ngx_http_parley_wake_taken(ngx_http_parley_main_conf_t *mcf,
    ngx_connection_t *c)
{
    uint64_t    n;
    ngx_uint_t  slot;

    slot = ngx_http_parley_slot_number(mcf);

    /* first the flag: what is told from now on is told again */

    if (slot != PARLEY_SLOTS) {
        __atomic_store_n(&mcf->woken[slot], 0, __ATOMIC_SEQ_CST);
    }

    if (c && read(c->fd, &n, sizeof(n)) == -1 && ngx_errno != NGX_EAGAIN) {
        ngx_log_error(NGX_LOG_ALERT, c->log, ngx_errno,
                      "read() of an eventfd failed");
    }
}


void
ngx_http_parley_wake_others(ngx_http_parley_main_conf_t *mcf)
{
    int              fd;
    unsigned         i;
    uint64_t         one;
    ngx_uint_t       own;
    parley_slots_t  *slots;

    one = 1;
    slots = mcf->slots;
    own = ngx_http_parley_slot_number(mcf);

    for (i = 0; i < slots->n && i < PARLEY_SLOTS; i++) {
        fd = ngx_http_parley_wakes_made ? ngx_http_parley_wakes[i] : -1;

        if (i == own || fd == -1
            || __atomic_load_n(&slots->slots[i].owner, __ATOMIC_RELAXED) == 0
            || __atomic_exchange_n(&mcf->woken[i], 1, __ATOMIC_SEQ_CST))
        {
            continue;
        }

        if (write(fd, &one, sizeof(one)) == -1 && ngx_errno != NGX_EAGAIN) {
            ngx_log_error(NGX_LOG_ALERT, ngx_cycle->log, ngx_errno,
                          "write() to an eventfd failed");
        }
    }
}
