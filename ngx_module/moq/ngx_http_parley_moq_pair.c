
/*
 * Copyright (C) 2026 The Parley authors
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "ngx_module/moq/ngx_http_parley_moq_pair.h"


#if (NGX_HTTP_V3)

#include <sys/mman.h>


/* generations of workers that can live at the same time, and workers of each */
#define NGX_HTTP_PARLEY_MOQ_GENERATIONS  4
#define NGX_HTTP_PARLEY_MOQ_WORKERS      128


/* made by the master, and equal in all workers */
static int          ngx_http_parley_moq_pairs
    [NGX_HTTP_PARLEY_MOQ_GENERATIONS][NGX_HTTP_PARLEY_MOQ_WORKERS][2];
static ngx_uint_t   ngx_http_parley_moq_generation;      /* 0: none was made */
static uint64_t    *ngx_http_parley_moq_lives;           /* shared memory, for
                                                            each pair: its
                                                            generation and, in
                                                            the lower half, the
                                                            process */


static ngx_int_t ngx_http_parley_moq_pair_share(ngx_cycle_t *cycle);
static void ngx_http_parley_moq_pair_row(ngx_cycle_t *cycle,
    ngx_uint_t workers);
static void ngx_http_parley_moq_pair_clean(void);
static void ngx_http_parley_moq_pair_drop(int *pair);
static int *ngx_http_parley_moq_pair(ngx_uint_t generation, ngx_uint_t worker);
static volatile uint64_t *ngx_http_parley_moq_pair_life(ngx_uint_t generation,
    ngx_uint_t worker);
static ngx_uint_t ngx_http_parley_moq_pair_is(ngx_uint_t generation,
    ngx_uint_t worker);
static ngx_connection_t *ngx_http_parley_moq_pair_open(ngx_cycle_t *cycle,
    int fd, ngx_event_handler_pt handler);


void
ngx_http_parley_moq_pair_make(ngx_cycle_t *cycle, ngx_uint_t used)
{
    ngx_core_conf_t  *ccf;

    if (ngx_test_config || (!used && ngx_http_parley_moq_generation == 0)
        || ngx_http_parley_moq_pair_share(cycle) != NGX_OK)
    {
        return;
    }

    ccf = (ngx_core_conf_t *) ngx_get_conf(cycle->conf_ctx, ngx_core_module);

    ngx_http_parley_moq_pair_clean();

    ngx_http_parley_moq_generation++;

    /* without parley_moq, too: the older workers may have connections */

    ngx_http_parley_moq_pair_row(cycle, (ngx_uint_t) ccf->worker_processes);
}


static ngx_int_t
ngx_http_parley_moq_pair_share(ngx_cycle_t *cycle)
{
    size_t  size;

    if (ngx_http_parley_moq_lives) {
        return NGX_OK;
    }

    size = sizeof(uint64_t) * NGX_HTTP_PARLEY_MOQ_GENERATIONS
           * NGX_HTTP_PARLEY_MOQ_WORKERS;

    ngx_http_parley_moq_lives = mmap(NULL, size, PROT_READ|PROT_WRITE,
                                    MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    if (ngx_http_parley_moq_lives == MAP_FAILED) {
        ngx_http_parley_moq_lives = NULL;

        ngx_log_error(NGX_LOG_ERR, cycle->log, ngx_errno,
                      "parley: mmap() failed: a reload may reset connections "
                      "of MoQ");
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Replaces the pairs of the oldest generation. */

static void
ngx_http_parley_moq_pair_row(ngx_cycle_t *cycle, ngx_uint_t workers)
{
    int         *pair;
    ngx_uint_t   i;

    for (i = 0; i < NGX_HTTP_PARLEY_MOQ_WORKERS; i++) {
        pair = ngx_http_parley_moq_pair(ngx_http_parley_moq_generation, i);

        ngx_http_parley_moq_pair_drop(pair);

        *ngx_http_parley_moq_pair_life(ngx_http_parley_moq_generation, i) = 0;

        if (i < workers
            && socketpair(AF_UNIX, SOCK_DGRAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0,
                          pair)
               == -1)
        {
            pair[0] = -1;
            ngx_log_error(NGX_LOG_ERR, cycle->log, ngx_errno,
                          "parley: socketpair() failed: a reload may reset "
                          "connections of MoQ");
        }
    }
}


/*
 * Closes the pairs of workers that have exited.  The master, and each worker
 * that starts later, would have two descriptors for each.  A worker that has
 * just started may not be noted yet.
 */

static void
ngx_http_parley_moq_pair_clean(void)
{
    ngx_uint_t  i, g;

    for (g = ngx_http_parley_moq_generation;
         g > 0 && ngx_http_parley_moq_generation - g
                  < NGX_HTTP_PARLEY_MOQ_GENERATIONS;
         g--)
    {
        for (i = 0; i < NGX_HTTP_PARLEY_MOQ_WORKERS; i++) {

            if (*ngx_http_parley_moq_pair_life(g, i)
                && !ngx_http_parley_moq_pair_is(g, i))
            {
                ngx_http_parley_moq_pair_drop(ngx_http_parley_moq_pair(g, i));
            }
        }
    }
}


static void
ngx_http_parley_moq_pair_drop(int *pair)
{
    if (pair[0] > 0) {
        (void) close(pair[0]);
        (void) close(pair[1]);
    }

    pair[0] = -1;
}


static int *
ngx_http_parley_moq_pair(ngx_uint_t generation, ngx_uint_t worker)
{
    return ngx_http_parley_moq_pairs[generation
                                     % NGX_HTTP_PARLEY_MOQ_GENERATIONS]
                                    [worker];
}


static volatile uint64_t *
ngx_http_parley_moq_pair_life(ngx_uint_t generation, ngx_uint_t worker)
{
    return &ngx_http_parley_moq_lives[generation
                                     % NGX_HTTP_PARLEY_MOQ_GENERATIONS
                                     * NGX_HTTP_PARLEY_MOQ_WORKERS + worker];
}


ngx_connection_t *
ngx_http_parley_moq_pair_enter(ngx_cycle_t *cycle,
    ngx_event_handler_pt handler, ngx_uint_t *generation)
{
    int               *pair;
    ngx_connection_t  *c;

    if (ngx_process != NGX_PROCESS_WORKER || ngx_http_parley_moq_lives == NULL
        || ngx_worker >= NGX_HTTP_PARLEY_MOQ_WORKERS)
    {
        return NULL;
    }

    *generation = ngx_http_parley_moq_generation;

    pair = ngx_http_parley_moq_pair(*generation, ngx_worker);

    if (pair[0] <= 0) {
        return NULL;
    }

    c = ngx_http_parley_moq_pair_open(cycle, pair[0], handler);

    if (c) {
        *ngx_http_parley_moq_pair_life(*generation, ngx_worker) =
            (uint64_t) *generation << 32 | (uint32_t) ngx_pid;
    }

    return c;
}


ngx_connection_t *
ngx_http_parley_moq_pair_older(ngx_cycle_t *cycle,
    ngx_event_handler_pt handler, ngx_uint_t *generation)
{
    int  *pair;

    while (*generation > 1
           && ngx_http_parley_moq_generation - (*generation - 1)
              < NGX_HTTP_PARLEY_MOQ_GENERATIONS)
    {
        --*generation;

        pair = ngx_http_parley_moq_pair(*generation, ngx_worker);

        if (pair[0] > 0 && ngx_http_parley_moq_pair_lives(*generation)) {
            return ngx_http_parley_moq_pair_open(cycle, pair[1], handler);
        }
    }

    return NULL;
}


ngx_uint_t
ngx_http_parley_moq_pair_lives(ngx_uint_t generation)
{
    return ngx_http_parley_moq_pair_is(generation, ngx_worker);
}


static ngx_uint_t
ngx_http_parley_moq_pair_is(ngx_uint_t generation, ngx_uint_t worker)
{
    uint64_t  life;

    life = *ngx_http_parley_moq_pair_life(generation, worker);

    /* a later generation may have the entry, and another user */

    return life >> 32 == (uint32_t) generation
           && (kill((ngx_pid_t) (uint32_t) life, 0) == 0
               || ngx_errno == NGX_EPERM);
}


static ngx_connection_t *
ngx_http_parley_moq_pair_open(ngx_cycle_t *cycle, int fd,
    ngx_event_handler_pt handler)
{
    ngx_connection_t  *c;

    c = ngx_get_connection(fd, cycle->log);
    if (c == NULL) {
        return NULL;
    }

    c->log = cycle->log;
    c->read->log = cycle->log;
    c->read->handler = handler;

    /* as nginx's own channel, it is open when the worker exits */
    c->read->channel = 1;

    if (ngx_add_event(c->read, NGX_READ_EVENT, NGX_LEVEL_EVENT) != NGX_OK) {
        ngx_http_parley_moq_pair_close(c);
        return NULL;
    }

    return c;
}


void
ngx_http_parley_moq_pair_close(ngx_connection_t *c)
{
    if (c->read->active) {
        (void) ngx_del_event(c->read, NGX_READ_EVENT, 0);
    }

    c->read->channel = 0;

    /* with poll() nginx looks the connection up by its descriptor */

    ngx_free_connection(c);
    c->fd = (ngx_socket_t) -1;
}


ngx_int_t
ngx_http_parley_moq_pair_hear(ngx_connection_t *c,
    ngx_http_parley_moq_told_t *told)
{
    return recv(c->fd, told, sizeof(ngx_http_parley_moq_told_t), MSG_DONTWAIT)
           == (ssize_t) sizeof(ngx_http_parley_moq_told_t)
           ? NGX_OK : NGX_AGAIN;
}


void
ngx_http_parley_moq_pair_tell(ngx_connection_t *c,
    ngx_http_parley_moq_word_t word, uint64_t socket, uint64_t number)
{
    ngx_http_parley_moq_told_t  told;

    ngx_memzero(&told, sizeof(ngx_http_parley_moq_told_t));

    told.word = word;
    told.socket = socket;
    told.number = number;

    (void) send(c->fd, &told, sizeof(ngx_http_parley_moq_told_t), MSG_DONTWAIT);
}


#else


void
ngx_http_parley_moq_pair_make(ngx_cycle_t *cycle, ngx_uint_t used)
{
}

#endif
