
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The module's state for tests: each verb completes after a random time of 0
 * to 5 ms.  It takes effect then, or a verb of logs sometimes at once.
 * Environment variables of nginx:
 *
 * PARLEY_LATER_SEED  seed of the random numbers; the log has it
 * PARLEY_LATER_NEVER  file with names of verbs: these do not complete as long
 *                      as the file names them
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "t/later/ngx_http_parley_later.h"
#include "t/later/parley_later.h"


#define NGX_HTTP_PARLEY_LATER_MAX    5      /* milliseconds */
#define NGX_HTTP_PARLEY_LATER_LOOK   10
#define NGX_HTTP_PARLEY_LATER_FILE   256


typedef struct {
    ngx_event_t           event;
    ngx_connection_t      dummy;    /* fd for debug messages */
    parley_late_t        *late;
    parley_later_verb_t   verb;
} ngx_http_parley_later_t;


static int ngx_http_parley_later_start(parley_late_t *late,
    parley_later_verb_t verb);
static void ngx_http_parley_later_handler(ngx_event_t *ev);
static ngx_uint_t ngx_http_parley_later_is_never(parley_later_verb_t verb);
static uint64_t ngx_http_parley_later_chance(void);


static char      *ngx_http_parley_later_file;
static uint64_t   ngx_http_parley_later_seed;
static ngx_pid_t  ngx_http_parley_later_pid;


void
ngx_http_parley_later(parley_memory_t *state, ngx_log_t *log)
{
    char  *seed;

    seed = getenv("PARLEY_LATER_SEED");

    ngx_http_parley_later_seed = seed ? (uint64_t) atoll(seed)
                                      : (uint64_t) ngx_time();
    ngx_http_parley_later_file = getenv("PARLEY_LATER_NEVER");

    if (ngx_http_parley_later_file) {
        ngx_http_parley_later_file = strdup(ngx_http_parley_later_file);
    }

    ngx_log_error(NGX_LOG_NOTICE, log, 0,
                  "parley: the state answers later, PARLEY_LATER_SEED=%uL",
                  ngx_http_parley_later_seed);

    parley_later(state, ngx_http_parley_later_start);
}


static int
ngx_http_parley_later_start(parley_late_t *late, parley_later_verb_t verb)
{
    ngx_http_parley_later_t  *l;

    l = calloc(1, sizeof(ngx_http_parley_later_t));
    if (l == NULL) {
        abort();
    }

    l->late = late;
    l->verb = verb;
    l->dummy.fd = (ngx_socket_t) -1;
    l->event.handler = ngx_http_parley_later_handler;
    l->event.data = &l->dummy;
    l->event.log = ngx_cycle->log;

    if (ngx_http_parley_later_is_never(verb)) {
        /* a worker that ends does not wait for this timer */
        l->event.cancelable = 1;
        ngx_add_timer(&l->event, NGX_HTTP_PARLEY_LATER_LOOK);
        return 0;
    }

    ngx_add_timer(&l->event, ngx_http_parley_later_chance()
                             % (NGX_HTTP_PARLEY_LATER_MAX + 1));

    return ngx_http_parley_later_chance() % 2 == 0;
}


static void
ngx_http_parley_later_handler(ngx_event_t *ev)
{
    parley_late_t            *late;
    ngx_http_parley_later_t  *l;

    l = (ngx_http_parley_later_t *) ev;

    if (ngx_http_parley_later_is_never(l->verb)) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_LATER_LOOK);
        return;
    }

    late = l->late;

    free(l);

    parley_later_complete(late);
}


static ngx_uint_t
ngx_http_parley_later_is_never(parley_later_verb_t verb)
{
    int          fd;
    char         text[NGX_HTTP_PARLEY_LATER_FILE], *word, *rest;
    ssize_t      n;
    const char  *name;

    if (ngx_http_parley_later_file == NULL) {
        return 0;
    }

    fd = open(ngx_http_parley_later_file, O_RDONLY);
    if (fd == -1) {
        return 0;
    }

    n = read(fd, text, sizeof(text) - 1);
    close(fd);

    text[n < 0 ? 0 : n] = '\0';

    name = parley_later_name(verb);

    for (word = strtok_r(text, "\n", &rest);
         word && strcmp(word, name) != 0;
         word = strtok_r(NULL, "\n", &rest))
    {
        /* void */
    }

    return word != NULL;
}


/*
 * Returns a random number.  Each worker has its own sequence, which the seed
 * repeats.
 */

static uint64_t
ngx_http_parley_later_chance(void)
{
    uint64_t  x;

    if (ngx_http_parley_later_pid != ngx_pid) {
        ngx_http_parley_later_pid = ngx_pid;
        ngx_http_parley_later_seed += ngx_worker + 1;
    }

    /* splitmix64 */

    ngx_http_parley_later_seed += 0x9e3779b97f4a7c15ULL;

    x = ngx_http_parley_later_seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    x ^= x >> 31;

    return x;
}
