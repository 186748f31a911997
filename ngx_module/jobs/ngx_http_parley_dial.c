
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The WebSockets that the gateway opens to its peers (parley_dial.h).  The
 * worker that has the job of a peer connects, keeps the WebSocket open and
 * connects again when it ends:
 *
 *   WAITING     the pause before the next attempt
 *   CONNECTING  the host is resolved and checked as for a delivery; a detached
 *               request (ngx_http_parley_detached_open()) opens the WebSocket
 *   OPEN        the WebSocket is a request of its own
 *               (ngx_http_parley_peer.h)
 *
 * An exiting worker returns the job when the WebSocket has ended, so that
 * another worker connects.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_peer.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "core/parley_base64.h"
#include "gate/delivery/parley_dial.h"
#include "gate/metrics/parley_counters.h"
#include "http/parley_handshake.h"


#define NGX_HTTP_PARLEY_DIAL_POOL  4096


typedef struct {
    ngx_http_parley_detached_t   detached;
    ngx_http_parley_host_t       host;
    ngx_queue_t                  queue;     /* link in jobs->dials */
    ngx_http_parley_jobs_t      *jobs;
    parley_run_t                *run;       /* NULL: free */
    const parley_principal_t    *to;
    parley_url_t                 url;
    ngx_pool_t                  *pool;      /* of an attempt; NULL: none */

    ngx_event_t                  timer;     /* the next attempt */
    ngx_event_t                  done;      /* posted when the detached request
                                               is over */
    ngx_event_t                  over;      /* posted when the WebSocket is
                                               over */

    ngx_http_parley_subscriber_t  *sub;     /* of the WebSocket; or NULL */
    ngx_connection_t            *opened;    /* result of the request */
    ngx_int_t                    status;
    const char                  *why;
    parley_error_t               err;       /* error of the greeting */

    ngx_uint_t                   state;     /* PARLEY_L_PEER_... */
    ngx_uint_t                   failures;  /* in a row */
    ngx_uint_t                   lost;      /* messages that the last WebSocket
                                               did not confirm */
    ngx_msec_t                   since;     /* time of the last opening */
} ngx_http_parley_dial_t;


static ngx_uint_t ngx_http_parley_dial_has(const ngx_http_parley_dial_t *d);
static ngx_http_parley_dial_t *ngx_http_parley_dial_free(
    ngx_http_parley_jobs_t *jobs);
static void ngx_http_parley_dial_connect(ngx_event_t *ev);
static void ngx_http_parley_dial_found(void *data, ngx_int_t rc);
static ngx_int_t ngx_http_parley_dial_open(ngx_http_parley_dial_t *d);
static void ngx_http_parley_dial_answered(ngx_http_request_t *sr,
    ngx_int_t rc, void *data);
static void ngx_http_parley_dial_done(ngx_event_t *ev);
static const char *ngx_http_parley_dial_begin(ngx_http_parley_dial_t *d);
static const char *ngx_http_parley_dial_greeting(ngx_http_parley_dial_t *d,
    ngx_str_t *ret);
static void ngx_http_parley_dial_begun(void *data,
    ngx_http_parley_subscriber_t *of);
static void ngx_http_parley_dial_ended(void *data, ngx_uint_t lost);
static void ngx_http_parley_dial_over(ngx_event_t *ev);
static void ngx_http_parley_dial_failed(ngx_http_parley_dial_t *d,
    const char *why);
static void ngx_http_parley_dial_wait(ngx_http_parley_dial_t *d);
static void ngx_http_parley_dial_state(ngx_http_parley_dial_t *d,
    ngx_uint_t state);
static void ngx_http_parley_dial_clear(ngx_http_parley_dial_t *d);
static void ngx_http_parley_dial_leave(ngx_http_parley_dial_t *d);


void
ngx_http_parley_dial_check(ngx_http_parley_jobs_t *jobs)
{
    ngx_str_t                sub;
    ngx_queue_t             *q;
    ngx_http_parley_dial_t  *d;

    for (q = ngx_queue_head(&jobs->dials);
         q != ngx_queue_sentinel(&jobs->dials);
         q = ngx_queue_next(q))
    {
        d = ngx_queue_data(q, ngx_http_parley_dial_t, queue);

        if (d->run == NULL || d->sub == NULL || ngx_http_parley_dial_has(d)) {
            continue;
        }

        sub = ngx_http_parley_ngx_str(d->to->sub);

        ngx_log_error(NGX_LOG_WARN, jobs->timer.log, 0,
                      "parley: peer \"%V\" left: another gateway may have "
                      "connected to it", &sub);

        ngx_http_parley_hub_dismiss(jobs->worker->hub, d->sub);
    }
}


static ngx_uint_t
ngx_http_parley_dial_has(const ngx_http_parley_dial_t *d)
{
    parley_state_t  *state;

    state = d->jobs->worker->mcf->zone->state;

    return state->ops->job->has(state, &d->run->job.id);
}


void
ngx_http_parley_dial(ngx_http_parley_jobs_t *jobs, parley_run_t *run)
{
    ngx_http_parley_dial_t  *d;

    d = ngx_http_parley_dial_free(jobs);
    if (d == NULL) {
        parley_runner_untried(run, PARLEY_DIAL_MIN);
        return;
    }

    d->run = run;
    d->failures = 0;
    d->state = PARLEY_L_PEER_COUNT;

    ngx_queue_remove(&d->queue);
    ngx_queue_insert_tail(&jobs->dials, &d->queue);

    ngx_http_parley_dial_state(d, PARLEY_L_PEER_WAITING);

    /* the runner is in its turn */
    ngx_add_timer(&d->timer, 1);
}


static ngx_http_parley_dial_t *
ngx_http_parley_dial_free(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t             *q;
    ngx_http_parley_dial_t  *d;

    if (!ngx_queue_empty(&jobs->dials)) {
        q = ngx_queue_head(&jobs->dials);
        d = ngx_queue_data(q, ngx_http_parley_dial_t, queue);

        if (d->run == NULL) {
            return d;
        }
    }

    d = ngx_pcalloc(ngx_cycle->pool, sizeof(ngx_http_parley_dial_t));
    if (d == NULL) {
        return NULL;
    }

    d->jobs = jobs;

    d->host.mcf = jobs->worker->mcf;
    d->host.handler = ngx_http_parley_dial_found;
    d->host.data = d;

    d->detached.handler = ngx_http_parley_dial_answered;
    d->detached.data = d;

    d->timer.handler = ngx_http_parley_dial_connect;
    d->timer.data = d;
    d->timer.log = jobs->timer.log;
    d->timer.cancelable = 1;

    d->done.handler = ngx_http_parley_dial_done;
    d->done.data = d;
    d->done.log = jobs->timer.log;

    d->over.handler = ngx_http_parley_dial_over;
    d->over.data = d;
    d->over.log = jobs->timer.log;

    ngx_queue_insert_head(&jobs->dials, &d->queue);

    return d;
}


static void
ngx_http_parley_dial_connect(ngx_event_t *ev)
{
    const char              *why;
    parley_str_t             sub;
    parley_run_t            *run;
    parley_job_end_t         end;
    ngx_http_parley_dial_t  *d = ev->data;

    if (ngx_exiting) {
        ngx_http_parley_dial_leave(d);
        return;
    }

    if (!ngx_http_parley_dial_has(d)) {
        ngx_http_parley_dial_leave(d);
        return;
    }

    d->status = 0;

    (void) parley_job_subject_read(d->run->job.text, &sub);

    why = parley_dial_begin(&d->jobs->worker->mcf->http, sub, &d->to, &d->url);

    if (d->to == NULL) {
        ngx_memzero(&end, sizeof(parley_job_end_t));
        end.how = PARLEY_JOB_DONE;

        run = d->run;
        d->run = NULL;

        ngx_http_parley_dial_clear(d);
        parley_runner_end(run, &end);
        return;
    }

    if (why) {
        ngx_http_parley_dial_failed(d, why);
        return;
    }

    ngx_http_parley_dial_state(d, PARLEY_L_PEER_CONNECTING);

    d->host.url = &d->url;

    ngx_http_parley_host_check(&d->host, PARLEY_DIAL_MS);
}


static void
ngx_http_parley_dial_found(void *data, ngx_int_t rc)
{
    ngx_http_parley_dial_t *d = data;

    if (ngx_exiting) {
        ngx_post_event(&d->done, &ngx_posted_events);
        return;
    }

    if (rc == NGX_DECLINED) {
        ngx_http_parley_dial_failed(d, "its host has an address of the "
                                    "gateway's network, which \"hosts=\" does "
                                    "not list");
        return;
    }

    if (rc != NGX_OK) {
        ngx_http_parley_dial_failed(d, "its host cannot be resolved");
        return;
    }

    if (ngx_http_parley_dial_open(d) != NGX_OK) {
        ngx_http_parley_dial_failed(d, "the request could not begin");
    }
}


static ngx_int_t
ngx_http_parley_dial_open(ngx_http_parley_dial_t *d)
{
    u_char                             *p;
    uint8_t                             random[PARLEY_HANDSHAKE_RANDOM];
    parley_str_t                        rest;
    ngx_http_parley_opened_t            opened;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = d->jobs->worker->mcf;

    d->pool = ngx_create_pool(NGX_HTTP_PARLEY_DIAL_POOL, d->jobs->timer.log);
    if (d->pool == NULL) {
        return NGX_ERROR;
    }

    rest = parley_str_from(d->to->deliver, parley_url_wss(d->to->deliver));

    opened.uri = ngx_http_parley_ngx_str(mcf->http.deliver_uri);
    opened.url.len = sizeof("https://") - 1 + rest.len;
    opened.url.data = ngx_pnalloc(d->pool, opened.url.len);
    opened.key.len = PARLEY_HANDSHAKE_KEY;
    opened.key.data = ngx_pnalloc(d->pool, PARLEY_HANDSHAKE_KEY + 1);

    if (opened.url.data == NULL || opened.key.data == NULL
        || RAND_bytes(random, sizeof(random)) != 1)
    {
        return NGX_ERROR;
    }

    p = ngx_cpymem(opened.url.data, "https://", sizeof("https://") - 1);
    ngx_memcpy(p, rest.data, rest.len);

    (void) parley_base64_encode(parley_str_make(random, sizeof(random)),
                                (char *) opened.key.data);

    return ngx_http_parley_detached_open(&d->detached, mcf->deliver_server,
                                         &opened, PARLEY_DIAL_MS);
}


/* Keeps the result, because the request is freed on return. */

static void
ngx_http_parley_dial_answered(ngx_http_request_t *sr, ngx_int_t rc, void *data)
{
    ngx_http_parley_dial_t *d = data;

    d->opened = d->detached.opened;
    d->why = d->detached.why;
    d->status = sr ? (ngx_int_t) sr->headers_out.status : 0;

    if (sr && rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        d->status = rc;
    }

    ngx_post_event(&d->done, &ngx_posted_events);
}


static void
ngx_http_parley_dial_done(ngx_event_t *ev)
{
    const char              *why;
    ngx_http_parley_dial_t  *d = ev->data;

    if (ngx_exiting) {
        ngx_http_parley_dial_leave(d);
        return;
    }

    why = d->opened ? ngx_http_parley_dial_begin(d)
          : d->why ? d->why : "the peer could not be reached";

    if (why) {
        ngx_http_parley_dial_failed(d, why);
    }
}


/* Starts the WebSocket.  Returns NULL, or the reason why not. */

static const char *
ngx_http_parley_dial_begin(ngx_http_parley_dial_t *d)
{
    const char                         *why;
    ngx_connection_t                   *c;
    ngx_http_parley_peer_t              peer;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = d->jobs->worker->mcf;
    c = d->opened;

    if (!ngx_http_parley_host_may(&d->host, c->sockaddr)) {
        return "it connected to an address of the gateway's network, which "
               "\"hosts=\" does not list";
    }

    ngx_memzero(&peer, sizeof(ngx_http_parley_peer_t));

    why = ngx_http_parley_dial_greeting(d, &peer.greeting);

    if (why) {
        return why;
    }

    peer.sub = ngx_http_parley_ngx_str(d->to->sub);
    peer.uri = ngx_http_parley_ngx_str(mcf->http.deliver_websocket);
    peer.begun = ngx_http_parley_dial_begun;
    peer.ended = ngx_http_parley_dial_ended;
    peer.data = d;

    d->opened = NULL;
    d->lost = 0;

    return ngx_http_parley_peer_open(c, mcf->websocket_server, &peer)
           == NGX_OK ? NULL : "there is too little memory";
}


/* Makes the greeting in the attempt's pool.  Returns NULL, or the reason why
   not. */

static const char *
ngx_http_parley_dial_greeting(ngx_http_parley_dial_t *d, ngx_str_t *ret)
{
    int             rc;
    uint8_t         random[16];
    parley_str_t    text;
    parley_arena_t  arena;

    if (RAND_bytes(random, sizeof(random)) != 1) {
        return "its greeting cannot be made: there is no randomness";
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_dial_greeting(&d->jobs->deliver, d->to, random,
                              ngx_http_parley_now(), &arena, &text, &d->err);

    if (rc == 0) {
        ret->len = text.len;
        ret->data = ngx_pnalloc(d->pool, text.len);

        if (ret->data) {
            ngx_memcpy(ret->data, text.data, text.len);

        } else {
            rc = parley_error_memory(&d->err);
        }
    }

    parley_arena_reset(&arena);

    return rc == 0 ? NULL : d->err.text;
}


static void
ngx_http_parley_dial_begun(void *data, ngx_http_parley_subscriber_t *of)
{
    ngx_str_t                sub;
    ngx_http_parley_dial_t  *d = data;

    d->sub = of;
    d->since = ngx_current_msec;

    ngx_http_parley_dial_state(d, PARLEY_L_PEER_OPEN);
    parley_count(d->jobs->worker->slot, PARLEY_M_DIALS + PARLEY_L_DIAL_OPENED,
                 1);

    sub = ngx_http_parley_ngx_str(d->to->sub);

    ngx_log_error(NGX_LOG_NOTICE, d->jobs->timer.log, 0,
                  "parley: peer \"%V\" connected", &sub);
}


static void
ngx_http_parley_dial_ended(void *data, ngx_uint_t lost)
{
    ngx_http_parley_dial_t  *d = data;

    d->sub = NULL;
    d->lost = lost;

    ngx_post_event(&d->over, &ngx_posted_events);
}


static void
ngx_http_parley_dial_over(ngx_event_t *ev)
{
    ngx_str_t                sub;
    ngx_http_parley_dial_t  *d = ev->data;

    if (d->lost) {
        sub = ngx_http_parley_ngx_str(d->to->sub);

        parley_count(d->jobs->worker->slot, PARLEY_M_RESENT, d->lost);

        ngx_log_error(NGX_LOG_WARN, d->jobs->timer.log, 0,
                      "parley: messages sent again: peer \"%V\" has not "
                      "confirmed %ui of the messages that it may have", &sub,
                      d->lost);
    }

    if (ngx_exiting || !ngx_http_parley_dial_has(d)) {
        ngx_http_parley_dial_leave(d);
        return;
    }

    if (d->state == PARLEY_L_PEER_OPEN
        && ngx_current_msec - d->since >= PARLEY_DIAL_STEADY)
    {
        d->failures = 0;
    }

    ngx_http_parley_dial_failed(d, d->state == PARLEY_L_PEER_OPEN
                                ? "the connection has ended"
                                : "the location of \"websocket=\" refused it");
}


static void
ngx_http_parley_dial_failed(ngx_http_parley_dial_t *d, const char *why)
{
    ngx_str_t   sub;
    ngx_uint_t  state;

    state = d->state;
    sub = ngx_http_parley_ngx_str(d->to->sub);

    if (state != PARLEY_L_PEER_OPEN) {
        parley_count(d->jobs->worker->slot,
                     PARLEY_M_DIALS + PARLEY_L_DIAL_FAILED, 1);
    }

    ngx_http_parley_dial_wait(d);

    ngx_log_error(NGX_LOG_WARN, d->jobs->timer.log, 0,
                  "parley: peer \"%V\" %s: %s, status %i; next attempt in %M "
                  "ms", &sub, state == PARLEY_L_PEER_OPEN ? "disconnected"
                                                    : "not connected",
                  why, d->status,
                  (ngx_msec_t) (d->timer.timer.key - ngx_current_msec));
}


static void
ngx_http_parley_dial_wait(ngx_http_parley_dial_t *d)
{
    ngx_http_parley_dial_clear(d);

    ngx_queue_remove(&d->queue);
    ngx_queue_insert_tail(&d->jobs->dials, &d->queue);

    ngx_http_parley_dial_state(d, PARLEY_L_PEER_WAITING);

    d->failures++;

    ngx_add_timer(&d->timer, parley_dial_delay(d->failures, ngx_random()));
}


static void
ngx_http_parley_dial_state(ngx_http_parley_dial_t *d, ngx_uint_t state)
{
    parley_slot_t  *slot;

    slot = d->jobs->worker->slot;

    if (d->state < PARLEY_L_PEER_COUNT) {
        parley_count_level(slot, PARLEY_M_PEERS + d->state,
                           --d->jobs->states[d->state]);
    }

    d->state = state;

    if (state < PARLEY_L_PEER_COUNT) {
        parley_count_level(slot, PARLEY_M_PEERS + state,
                           ++d->jobs->states[state]);
    }
}


/* Ends the attempt, and frees d unless the caller continues with it. */

static void
ngx_http_parley_dial_clear(ngx_http_parley_dial_t *d)
{
    ngx_http_parley_dial_state(d, PARLEY_L_PEER_COUNT);

    if (d->opened) {
        ngx_http_parley_peer_close(d->opened);
        d->opened = NULL;
    }

    if (d->timer.timer_set) {
        ngx_del_timer(&d->timer);
    }

    if (d->pool) {
        ngx_destroy_pool(d->pool);
        d->pool = NULL;
    }

    ngx_queue_remove(&d->queue);
    ngx_queue_insert_head(&d->jobs->dials, &d->queue);
}


/* Returns the job to other workers, because this worker exits. */

static void
ngx_http_parley_dial_leave(ngx_http_parley_dial_t *d)
{
    parley_run_t            *run;
    ngx_http_parley_jobs_t  *jobs;

    run = d->run;
    jobs = d->jobs;

    ngx_http_parley_dial_clear(d);
    d->run = NULL;

    parley_runner_untried(run, 0);
    ngx_http_parley_wake_others(jobs->worker);
}


void
ngx_http_parley_dial_exiting(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t             *q, *next;
    ngx_http_parley_dial_t  *d;

    for (q = ngx_queue_head(&jobs->dials);
         q != ngx_queue_sentinel(&jobs->dials);
         q = next)
    {
        next = ngx_queue_next(q);
        d = ngx_queue_data(q, ngx_http_parley_dial_t, queue);

        if (d->run && d->state == PARLEY_L_PEER_WAITING) {
            ngx_http_parley_dial_leave(d);
        }
    }
}


void
ngx_http_parley_dial_exit(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t             *q;
    ngx_http_parley_dial_t  *d;

    for (q = ngx_queue_head(&jobs->dials);
         q != ngx_queue_sentinel(&jobs->dials);
         q = ngx_queue_next(q))
    {
        d = ngx_queue_data(q, ngx_http_parley_dial_t, queue);

        ngx_http_parley_host_cancel(&d->host);

        if (d->done.posted) {
            ngx_delete_posted_event(&d->done);
        }

        if (d->over.posted) {
            ngx_delete_posted_event(&d->over);
        }

        if (d->opened) {
            ngx_http_parley_peer_close(d->opened);
            d->opened = NULL;
        }
    }
}
