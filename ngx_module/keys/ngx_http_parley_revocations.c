
/*
 * Copyright (C) 2026 The Parley authors
 *
 * parley_revocations: every worker checks the file twice a second, also a
 * worker of an earlier configuration.  It ends the streams of revoked
 * principals and tokens (SEC-15, SEC-16).  If a list cannot be read, the last
 * good one stays in force.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_sse.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/keys/ngx_http_parley_revocations.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"


/* milliseconds */
#define NGX_HTTP_PARLEY_REVOCATIONS_LOOK   500

/* seconds during which a file may change again without a visible change of its
   times */
#define NGX_HTTP_PARLEY_REVOCATIONS_FRESH  2


/* milliseconds between checks whether the thread is done */
#define NGX_HTTP_PARLEY_REVOCATIONS_POLL   10


typedef struct ngx_http_parley_revocations_s {
    ngx_http_parley_worker_t             *worker;
    ngx_log_t                            *log;
    ngx_event_t                           tick;
    ngx_event_t                           poll;
    ngx_http_parley_revocation_reader_t  *job;    /* the reading in progress,
                                                     or NULL */

    ngx_file_info_t                       seen;   /* file information at the
                                                     last look */
    parley_arena_t                        arena;  /* memory of the list in
                                                     force */
    ngx_uint_t                            began;  /* mark of the list of the
                                                     configuration */
    ngx_uint_t                            mark;   /* mark of the last list that
                                                     was read; 0: none yet */
    ngx_uint_t                            said;   /* last logged error; 0: the
                                                     list is good */
    ngx_uint_t                            round;  /* number of the last check
                                                     of streams */

    unsigned                              changed:1; /* the file must be read
                                                        again */
    unsigned                              late:1; /* a look was due during the
                                                     reading */
    unsigned                              adopted:1; /* arena is in use */
    unsigned                              failed:1;
    unsigned                              ends:1; /* streams must be checked */
} ngx_http_parley_revocations_t;


static void ngx_http_parley_revocations_tick(ngx_event_t *ev);
static void ngx_http_parley_revocations_poll(ngx_event_t *ev);
static void ngx_http_parley_revocations_look(
    ngx_http_parley_revocations_t *w, ngx_uint_t at_once);
static ngx_uint_t ngx_http_parley_revocations_changed(
    ngx_http_parley_revocations_t *w, ngx_file_info_t *fi);
static void ngx_http_parley_revocations_done(
    ngx_http_parley_revocations_t *w);
static void ngx_http_parley_revocations_take(
    ngx_http_parley_revocations_t *w, ngx_http_parley_revocation_reader_t *job);
static void ngx_http_parley_revocations_adopt(
    ngx_http_parley_revocations_t *w, ngx_http_parley_revocation_reader_t *job);
static void ngx_http_parley_revocations_failed(
    ngx_http_parley_revocations_t *w, const char *why);
static ngx_uint_t ngx_http_parley_revocations_tell(
    ngx_http_parley_revocations_t *w, ngx_uint_t what);
static void ngx_http_parley_revocations_end(
    ngx_http_parley_revocations_t *w);
static ngx_http_parley_sse_t *ngx_http_parley_revocations_next(
    ngx_http_parley_revocations_t *w);


ngx_int_t
ngx_http_parley_revocations_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_revocations_t      *w;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    if (mcf->http.revocations_file.len == 0) {
        return NGX_OK;
    }

    w = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_revocations_t));
    if (w == NULL) {
        return NGX_ERROR;
    }

    w->worker = worker;
    w->log = cycle->log;
    w->changed = 1;

    if (ngx_http_parley_revocation_reader_mark(mcf->http.revocations_file,
                                               mcf->http.revocations_text,
                                               &w->began)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    w->tick.handler = ngx_http_parley_revocations_tick;
    w->tick.data = w;
    w->tick.log = cycle->log;
    w->tick.cancelable = 1;

    w->poll = w->tick;
    w->poll.handler = ngx_http_parley_revocations_poll;

    worker->revocations = w;

    /* before the first request: the list may be newer than the
       configuration */

    ngx_http_parley_revocations_look(w, 1);
    ngx_add_timer(&w->tick, NGX_HTTP_PARLEY_REVOCATIONS_LOOK);

    return NGX_OK;
}


void
ngx_http_parley_revocations_exit(ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_revocations_t  *w;

    w = worker->revocations;

    if (w == NULL) {
        return;
    }

    if (w->job) {
        ngx_http_parley_revocation_reader_end(w->job);
        w->job = NULL;
    }

    if (w->adopted) {
        worker->mcf->http.revocations->list = NULL;
        parley_arena_reset(&w->arena);
    }
}


ngx_uint_t
ngx_http_parley_revocations_are_readable(ngx_http_parley_worker_t *worker)
{
    return worker->revocations == NULL || !worker->revocations->failed;
}


static void
ngx_http_parley_revocations_tick(ngx_event_t *ev)
{
    ngx_http_parley_revocations_t  *w = ev->data;

    ngx_add_timer(ev, NGX_HTTP_PARLEY_REVOCATIONS_LOOK);

    /* look again after the current reading */

    if (w->job) {
        w->late = 1;

    } else {
        ngx_http_parley_revocations_look(w, 0);
    }

    if (w->ends) {
        ngx_http_parley_revocations_end(w);
    }
}


static void
ngx_http_parley_revocations_poll(ngx_event_t *ev)
{
    ngx_http_parley_revocations_t  *w = ev->data;

    if (!ngx_http_parley_revocation_reader_is_done(w->job)) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_REVOCATIONS_POLL);
        return;
    }

    ngx_http_parley_revocations_done(w);

    if (w->late) {
        ngx_http_parley_revocations_look(w, 0);
    }

    if (w->ends) {
        ngx_http_parley_revocations_end(w);
    }
}


static void
ngx_http_parley_revocations_look(ngx_http_parley_revocations_t *w,
    ngx_uint_t at_once)
{
    ngx_uint_t        known;
    ngx_file_info_t   fi;

    w->late = 0;

    if (ngx_file_info(w->worker->mcf->http.revocations_file.data, &fi)
        == NGX_FILE_ERROR)
    {
        ngx_memzero(&w->seen, sizeof(ngx_file_info_t));
        ngx_http_parley_revocations_failed(w, "stat() failed");
        return;
    }

    if (!ngx_http_parley_revocations_changed(w, &fi)) {
        return;
    }

    known = w->adopted ? w->mark : w->began;

    w->job = ngx_http_parley_revocation_reader_begin(w->worker->mcf, known,
                                                    at_once);

    if (w->job == NULL) {
        w->changed = 1;

    } else if (ngx_http_parley_revocation_reader_is_done(w->job)) {
        ngx_http_parley_revocations_done(w);

    } else {
        ngx_add_timer(&w->poll, NGX_HTTP_PARLEY_REVOCATIONS_POLL);
    }
}


/*
 * Returns whether the file was replaced or written.  A file that was written
 * just now is read again, because its times are in whole seconds.
 */

static ngx_uint_t
ngx_http_parley_revocations_changed(ngx_http_parley_revocations_t *w,
    ngx_file_info_t *fi)
{
    ngx_uint_t  changed;

    changed = w->changed
              || ngx_file_uniq(fi) != ngx_file_uniq(&w->seen)
              || ngx_file_size(fi) != ngx_file_size(&w->seen)
              || ngx_file_mtime(fi) != ngx_file_mtime(&w->seen)
              || fi->st_ctime != w->seen.st_ctime;

    w->seen = *fi;
    w->changed = changed && ngx_time() - fi->st_ctime
                            < NGX_HTTP_PARLEY_REVOCATIONS_FRESH;

    return changed;
}


static void
ngx_http_parley_revocations_done(ngx_http_parley_revocations_t *w)
{
    ngx_http_parley_revocation_reader_t  *job;

    job = w->job;
    w->job = NULL;

    switch (job->rc) {

    case NGX_OK:
        ngx_http_parley_revocations_take(w, job);

        w->failed = 0;
        w->said = 0;
        break;

    case NGX_AGAIN:

        /* memory is exhausted: look again */

        w->changed = 1;
        break;

    default:
        ngx_http_parley_revocations_failed(w, job->why);
    }

    ngx_http_parley_revocation_reader_end(job);
}


static void
ngx_http_parley_revocations_take(ngx_http_parley_revocations_t *w,
    ngx_http_parley_revocation_reader_t *job)
{
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = w->worker->mcf;

    if (job->mark == w->mark) {

        if (w->failed && ngx_http_parley_revocations_tell(w, job->mark)) {
            ngx_log_error(NGX_LOG_WARN, w->log, 0,
                          "parley: \"%s\" of parley_revocations can be read "
                          "again", mcf->http.revocations_file.data);
        }

        return;
    }

    /* without a parsed list, the list of the configuration is in force */

    if (job->list) {
        ngx_http_parley_revocations_adopt(w, job);
    }

    mcf->http.revocations->lost = 0;

    if (ngx_http_parley_revocations_tell(w, job->mark)) {
        ngx_log_error((w->failed ? NGX_LOG_WARN : NGX_LOG_NOTICE), w->log, 0,
                      "parley: %uz revocations of \"%s\" are in force",
                      parley_revocations_count(mcf->http.revocations->list),
                      mcf->http.revocations_file.data);
    }

    w->mark = job->mark;
    mcf->zone->sh->revocations = job->mark;
}


static void
ngx_http_parley_revocations_adopt(ngx_http_parley_revocations_t *w,
    ngx_http_parley_revocation_reader_t *job)
{
    if (w->adopted) {
        parley_arena_reset(&w->arena);
    }

    w->arena = job->arena;
    w->adopted = 1;
    w->ends = 1;

    parley_arena_init(&job->arena, &parley_mem_libc, 0);

    w->worker->mcf->http.revocations->list = job->list;
}


/*
 * Notes that the file cannot be read.  A worker that replaces a dead one has
 * only the list of the configuration.  If there was a newer list, no caller
 * can be proven unrevoked, so all are refused.
 */

static void
ngx_http_parley_revocations_failed(ngx_http_parley_revocations_t *w,
    const char *why)
{
    ngx_uint_t                          what;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = w->worker->mcf;
    w->failed = 1;

    if (w->mark == 0 && mcf->zone->sh->revocations
        && mcf->zone->sh->revocations != w->began)
    {
        mcf->http.revocations->lost = 1;
    }

    /* an even number: the mark of a list is odd */

    what = ((ngx_uint_t) ngx_file_uniq(&w->seen) << NGX_PTR_SIZE * 4)
           + ((ngx_uint_t) ngx_file_mtime(&w->seen) << 2) + 4
           + (mcf->http.revocations->lost ? 2 : 0);

    if (w->said == what) {
        return;
    }

    w->said = what;

    if (ngx_http_parley_revocations_tell(w, what)) {
        ngx_log_error(NGX_LOG_ERR, w->log, 0,
                      "parley: \"%s\" of parley_revocations cannot be used, "
                      "%s: %s", mcf->http.revocations_file.data,
                      mcf->http.revocations->lost
                      ? "the last good list is unknown: all are refused"
                      : "the last good list stays in force", why);
    }
}


/* Returns whether this worker logs the event; one worker does. */

static ngx_uint_t
ngx_http_parley_revocations_tell(ngx_http_parley_revocations_t *w,
    ngx_uint_t what)
{
    ngx_atomic_t      *told;
    ngx_atomic_uint_t  before;

    told = &w->worker->mcf->zone->sh->revocations_told;
    before = *told;

    return before != what && ngx_atomic_cmp_set(told, before, what);
}


/* Ends revoked streams.  A stream that waits for the state is checked again at
   the next tick. */

static void
ngx_http_parley_revocations_end(ngx_http_parley_revocations_t *w)
{
    ngx_http_parley_ctx_t  *ctx;
    ngx_http_parley_sse_t  *sse;

    w->ends = 0;
    w->round++;

    if (w->worker->hub) {
        ngx_http_parley_hub_revoke(w->worker->hub);
    }

    ngx_http_parley_websocket_revoke(w->worker);

    /* ending a stream may free others; checked streams move to the tail */

    while ((sse = ngx_http_parley_revocations_next(w)) != NULL) {
        ctx = sse->ctx;
        sse->round = w->round;

        ngx_queue_remove(&sse->queue);
        ngx_queue_insert_tail(&w->worker->streams, &sse->queue);

        if (ctx->waited) {
            w->ends = 1;
            continue;
        }

        if (ctx->error.code == PARLEY_E_NONE
            && parley_gate_revocation_is_hit(&ctx->gate) != 0)
        {
            ngx_http_parley_sse_stop(ctx);
        }
    }
}


static ngx_http_parley_sse_t *
ngx_http_parley_revocations_next(ngx_http_parley_revocations_t *w)
{
    ngx_queue_t            *q;
    ngx_http_parley_sse_t  *sse;

    q = ngx_queue_head(&w->worker->streams);

    if (q == ngx_queue_sentinel(&w->worker->streams)) {
        return NULL;
    }

    sse = ngx_queue_data(q, ngx_http_parley_sse_t, queue);

    return sse->round != w->round ? sse : NULL;
}
