
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Fetches parley_jwks_request and makes requests wait for the keys.  One
 * worker fetches at a time, in a detached request.  Requests of all workers
 * wait for that fetch.  A timer refreshes the keys; no request waits for the
 * refresh.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_process.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"


/* milliseconds between checks of a fetch in another worker */
#define NGX_HTTP_PARLEY_FETCH_POLL  20


typedef struct ngx_http_parley_fetch_s {
    ngx_http_parley_detached_t    detached;
    ngx_http_parley_worker_t     *worker;
    parley_process_t              self;

    ngx_queue_t                   waiting;        /* contexts by jwks_queue */
    ngx_event_t                   wake;
    ngx_event_t                   poll;
    ngx_event_t                   refresh;
} ngx_http_parley_fetch_t;


static ngx_int_t ngx_http_parley_fetch_due(ngx_http_parley_fetch_t *f,
    ngx_msec_t age);
static ngx_uint_t ngx_http_parley_fetch_running_locked(
    ngx_http_parley_fetch_t *f);
static ngx_uint_t ngx_http_parley_fetch_is_lost_locked(
    ngx_http_parley_fetch_t *f);
static void ngx_http_parley_fetch_begin_locked(ngx_http_parley_fetch_t *f);
static ngx_uint_t ngx_http_parley_fetch_is_mine_locked(
    ngx_http_parley_fetch_t *f);
static void ngx_http_parley_fetch_start(ngx_http_parley_fetch_t *f);
static void ngx_http_parley_fetch_over(ngx_http_parley_fetch_t *f,
    ngx_uint_t failed);
static void ngx_http_parley_fetch_done(ngx_http_request_t *sr, ngx_int_t rc,
    void *data);
static ngx_int_t ngx_http_parley_fetch_hold(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_fetch_wake(ngx_event_t *ev);
static void ngx_http_parley_fetch_poll(ngx_event_t *ev);
static void ngx_http_parley_fetch_refresh(ngx_event_t *ev);


ngx_int_t
ngx_http_parley_fetch_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_fetch_t  *f;

    if (worker->mcf->jwks_uri.len == 0) {
        return NGX_OK;
    }

    f = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_fetch_t));
    if (f == NULL) {
        return NGX_ERROR;
    }

    f->worker = worker;
    ngx_http_parley_process_self(&f->self);

    f->detached.handler = ngx_http_parley_fetch_done;
    f->detached.data = f;

    ngx_queue_init(&f->waiting);

    f->wake.handler = ngx_http_parley_fetch_wake;
    f->wake.data = f;
    f->wake.log = cycle->log;

    f->poll.handler = ngx_http_parley_fetch_poll;
    f->poll.data = f;
    f->poll.log = cycle->log;

    f->refresh.handler = ngx_http_parley_fetch_refresh;
    f->refresh.data = f;
    f->refresh.log = cycle->log;
    f->refresh.cancelable = 1;

    worker->fetch = f;

    /* 1 ms: the event loop has not begun yet */
    ngx_add_timer(&f->refresh, 1);

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_fetch_wait(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_msec_t age)
{
    ngx_http_parley_fetch_t  *f;

    f = ctx->worker->fetch;

    if (f == NULL || ctx->jwks_tried) {
        return NGX_DECLINED;
    }

    switch (ngx_http_parley_fetch_due(f, age)) {

    case NGX_OK:
        ctx->jwks_tried = 1;

        if (ngx_http_parley_fetch_hold(r, ctx) != NGX_OK) {
            ngx_http_parley_fetch_over(f, 1);
            return NGX_DECLINED;
        }

        ngx_http_parley_fetch_start(f);
        return NGX_AGAIN;

    case NGX_BUSY:
        ctx->jwks_tried = 1;

        if (ngx_http_parley_fetch_hold(r, ctx) != NGX_OK) {
            return NGX_DECLINED;
        }

        if (!ngx_http_parley_detached_busy(&f->detached)
            && !f->poll.timer_set)
        {
            ngx_add_timer(&f->poll, NGX_HTTP_PARLEY_FETCH_POLL);
        }

        return NGX_AGAIN;

    default: /* NGX_DECLINED */
        return NGX_DECLINED;
    }
}


void
ngx_http_parley_fetch_leave(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->jwks_waiting) {
        ngx_queue_remove(&ctx->jwks_queue);
        ctx->jwks_waiting = 0;
        ctx->worker->fetch->detached.awaited--;
    }
}


/*
 * Returns NGX_OK if this worker must fetch now; NGX_BUSY if a fetch is
 * running; NGX_DECLINED if the last fetch is younger than age, or if the keys
 * of this source are not needed now.
 */

static ngx_int_t
ngx_http_parley_fetch_due(ngx_http_parley_fetch_t *f, ngx_msec_t age)
{
    ngx_int_t                 rc;
    ngx_http_parley_zone_t   *zone;
    ngx_http_parley_shctx_t  *sh;

    zone = f->worker->mcf->zone;
    sh = zone->sh;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (ngx_http_parley_detached_busy(&f->detached)) {
        rc = NGX_BUSY;

    } else if (ngx_http_parley_jwks_claim_locked(f->worker->mcf) != NGX_OK) {
        rc = NGX_DECLINED;

    } else if (ngx_http_parley_fetch_running_locked(f)) {
        rc = NGX_BUSY;

    } else if (sh->jwks_checked && ngx_current_msec - sh->jwks_checked < age
               && !ngx_http_parley_fetch_is_lost_locked(f))
    {
        rc = NGX_DECLINED;

    } else {
        ngx_http_parley_fetch_begin_locked(f);
        rc = NGX_OK;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    return rc;
}


/* Returns whether another worker is fetching.  A killed worker does not
   count. */

static ngx_uint_t
ngx_http_parley_fetch_running_locked(ngx_http_parley_fetch_t *f)
{
    ngx_http_parley_shctx_t  *sh;

    sh = f->worker->mcf->zone->sh;

    return sh->jwks_fetcher.pid
           && (ngx_msec_int_t) (sh->jwks_until - ngx_current_msec) > 0
           && !ngx_http_parley_fetch_is_mine_locked(f)
           && ngx_http_parley_process_is_alive(NULL, &sh->jwks_fetcher);
}


/* Returns whether the fetching worker has died without a result. */

static ngx_uint_t
ngx_http_parley_fetch_is_lost_locked(ngx_http_parley_fetch_t *f)
{
    ngx_http_parley_shctx_t  *sh;

    sh = f->worker->mcf->zone->sh;

    return sh->jwks_fetcher.pid
           && !ngx_http_parley_fetch_is_mine_locked(f)
           && !ngx_http_parley_process_is_alive(NULL, &sh->jwks_fetcher);
}


static ngx_uint_t
ngx_http_parley_fetch_is_mine_locked(ngx_http_parley_fetch_t *f)
{
    parley_process_t  *fetcher;

    fetcher = &f->worker->mcf->zone->sh->jwks_fetcher;

    return parley_process_same(fetcher, &f->self)
           && ngx_http_parley_jwks_is_ours_locked(f->worker->mcf);
}


static void
ngx_http_parley_fetch_begin_locked(ngx_http_parley_fetch_t *f)
{
    ngx_http_parley_shctx_t  *sh;

    sh = f->worker->mcf->zone->sh;

    sh->jwks_checked = ngx_current_msec ? ngx_current_msec : 1;
    sh->jwks_until = ngx_current_msec + f->worker->mcf->http.jwks_timeout_ms
                     + NGX_HTTP_PARLEY_FETCH_POLL;
    sh->jwks_fetcher = f->self;
}


static void
ngx_http_parley_fetch_start(ngx_http_parley_fetch_t *f)
{
    if (ngx_http_parley_detached_get(&f->detached, f->worker->mcf->jwks_server,
                                     &f->worker->mcf->jwks_uri,
                                     f->worker->mcf->http.jwks_timeout_ms)
        != NGX_OK)
    {
        ngx_http_parley_fetch_over(f, 1);
    }
}


static void
ngx_http_parley_fetch_over(ngx_http_parley_fetch_t *f, ngx_uint_t failed)
{
    ngx_uint_t               none;
    ngx_http_parley_zone_t  *zone;

    zone = f->worker->mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (ngx_http_parley_fetch_is_mine_locked(f)) {
        zone->sh->jwks_fetcher.pid = 0;
        zone->sh->jwks_failed = failed;

        if (!failed) {
            zone->sh->jwks_fetched = ngx_current_msec;
        }
    }

    none = f->worker->mcf->http.jwks == NULL
           && (zone->sh->jwks.len == 0
               || !ngx_http_parley_jwks_is_ours_locked(f->worker->mcf));

    ngx_shmtx_unlock(&zone->shpool->mutex);

    /*
     * A gateway without any keys is not ready, so it tries again soon.  With
     * keys, the refresh or an unknown kid starts the next fetch.
     */

    if (failed && none && !ngx_exiting) {
        ngx_add_timer(&f->refresh, f->worker->mcf->http.jwks_interval_ms);
    }

    ngx_post_event(&f->wake, &ngx_posted_events);
}


static void
ngx_http_parley_fetch_done(ngx_http_request_t *sr, ngx_int_t rc, void *data)
{
    ngx_http_parley_fetch_t *f = data;

    ngx_log_t        *log;
    ngx_str_t         text;
    ngx_uint_t        status, failed;
    const ngx_str_t  *uri;

    uri = &f->worker->mcf->jwks_uri;
    log = &f->detached.log;
    failed = 1;

    if (sr == NULL) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" did not end in time, "
                      "the last good keys are kept", uri);

    } else {
        status = rc >= NGX_HTTP_SPECIAL_RESPONSE ? (ngx_uint_t) rc
                                                 : sr->headers_out.status;

        if (rc == NGX_OK && status == NGX_HTTP_OK && sr->out
            && ngx_http_parley_detached_whole(sr))
        {
            /* one buffer, see ngx_http_postpone_filter_in_memory() */

            text.data = sr->out->buf->pos;
            text.len = sr->out->buf->last - sr->out->buf->pos;

            failed = ngx_http_parley_jwks_store(f->worker->mcf, &text, log)
                     != NGX_OK;

        } else {
            ngx_log_error(NGX_LOG_ERR, log, 0,
                          "parley: parley_jwks_request \"%V\" failed with "
                          "status %ui, the last good keys are kept",
                          uri, status);
        }
    }

    ngx_http_parley_fetch_over(f, failed);
}


/* Holds a request in the queue of the fetch and watches its client. */

static ngx_int_t
ngx_http_parley_fetch_hold(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_fetch_t  *f;

    f = ctx->worker->fetch;

    if (ctx->again == NULL && ngx_http_parley_wait_watch(r) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_queue_insert_tail(&f->waiting, &ctx->jwks_queue);
    ctx->jwks_waiting = 1;
    f->detached.awaited++;

    return NGX_OK;
}


static void
ngx_http_parley_fetch_wake(ngx_event_t *ev)
{
    ngx_queue_t               *q;
    ngx_connection_t          *c;
    ngx_http_request_t        *r;
    ngx_http_parley_ctx_t     *ctx;
    ngx_http_parley_fetch_t   *f;

    f = ev->data;

    /* a request does not enter the queue twice */

    while (!ngx_queue_empty(&f->waiting)) {
        q = ngx_queue_head(&f->waiting);
        ctx = ngx_queue_data(q, ngx_http_parley_ctx_t, jwks_queue);

        ngx_http_parley_fetch_leave(ctx);

        r = ctx->request;
        c = r->connection;

        ngx_http_set_log_request(c->log, r);

        if (ctx->again) {
            ctx->again(r, ctx);

        } else if (ngx_handle_read_event(c->read, 0) != NGX_OK) {
            ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);

        } else {
            r->read_event_handler = ngx_http_block_reading;
            r->write_event_handler = ngx_http_core_run_phases;

            ngx_http_core_run_phases(r);
        }

        ngx_http_run_posted_requests(c);
    }
}


/*
 * Checks the fetch of another worker.  If that worker was killed, this one
 * fetches; its requests and those of other workers keep waiting.
 */

static void
ngx_http_parley_fetch_poll(ngx_event_t *ev)
{
    ngx_uint_t                running, begun;
    ngx_http_parley_fetch_t  *f;
    ngx_http_parley_zone_t   *zone;

    f = ev->data;
    zone = f->worker->mcf->zone;

    /* a fetch of this worker wakes the requests itself */

    if (ngx_queue_empty(&f->waiting)
        || ngx_http_parley_detached_busy(&f->detached))
    {
        return;
    }

    begun = 0;

    ngx_shmtx_lock(&zone->shpool->mutex);

    running = ngx_http_parley_jwks_is_ours_locked(f->worker->mcf)
              && ngx_http_parley_fetch_running_locked(f);

    if (!running
        && ngx_http_parley_jwks_is_ours_locked(f->worker->mcf)
        && ngx_http_parley_fetch_is_lost_locked(f))
    {
        ngx_http_parley_fetch_begin_locked(f);
        begun = 1;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (running) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_FETCH_POLL);

    } else if (begun) {
        ngx_http_parley_fetch_start(f);

    } else {
        ngx_post_event(&f->wake, &ngx_posted_events);
    }
}


/*
 * Refreshes the keys.  The timer runs in every worker; the first one fetches,
 * and the others notice that.  A failed fetch is repeated after the interval.
 */

static void
ngx_http_parley_fetch_refresh(ngx_event_t *ev)
{
    ngx_msec_t                          age;
    ngx_http_parley_fetch_t            *f;
    ngx_http_parley_shctx_t            *sh;
    const ngx_http_parley_main_conf_t  *mcf;

    f = ev->data;
    mcf = f->worker->mcf;
    sh = mcf->zone->sh;

    if (ngx_exiting) {
        return;
    }

    age = sh->jwks_failed ? mcf->http.jwks_interval_ms
                          : mcf->http.jwks_refresh_ms;

    if (ngx_http_parley_fetch_due(f, age) == NGX_OK) {
        ngx_http_parley_fetch_start(f);
    }

    age = sh->jwks_failed ? mcf->http.jwks_interval_ms
                          : mcf->http.jwks_refresh_ms;
    age -= ngx_min(age, ngx_current_msec - sh->jwks_checked);

    ngx_add_timer(ev, ngx_max(age, NGX_HTTP_PARLEY_FETCH_POLL));
}
