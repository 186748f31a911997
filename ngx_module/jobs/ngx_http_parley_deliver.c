
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An attempt to deliver: a detached POST (ngx_http_parley_detached.h) through
 * the location of parley_deliver.  A worker allocates attempts as it needs
 * them and reuses them.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/delivery/parley_job_line.h"
#include "gate/host/parley_host.h"
#include "gate/host/parley_host_follow.h"
#include "hub/parley_job_subject.h"


typedef struct {
    ngx_http_parley_detached_t   detached;
    ngx_http_parley_host_t       host;
    ngx_queue_t                  queue;
    ngx_http_parley_jobs_t      *jobs;
    parley_run_t                *run;           /* NULL: free */
    ngx_msec_t                   began;
    uint32_t                     recipient;     /* tag of its sub */

    ngx_event_t                  done;          /* posted when the request is
                                                   freed; the members below are
                                                   its result */
    ngx_int_t                    status;
    parley_str_t                 body;
    ngx_uint_t                   whole;
    ngx_msec_t                   wait;
    ngx_uint_t                   astray;        /* it was sent to an address
                                                   that is not allowed */
} ngx_http_parley_attempt_t;


static int64_t ngx_http_parley_deliver_waits(ngx_http_parley_jobs_t *jobs,
    const parley_taken_t *job, uint32_t *recipient);
static ngx_http_parley_attempt_t *ngx_http_parley_deliver_free(
    ngx_http_parley_jobs_t *jobs);
static void ngx_http_parley_deliver_found(void *data, ngx_int_t rc);
static ngx_int_t ngx_http_parley_deliver_post(ngx_http_parley_attempt_t *a);
static void ngx_http_parley_deliver_answered(ngx_http_request_t *sr,
    ngx_int_t rc, void *data);
static void ngx_http_parley_deliver_done(ngx_event_t *ev);
static void ngx_http_parley_deliver_stop(ngx_http_parley_attempt_t *a,
    parley_job_how_t how, const char *why);
static void ngx_http_parley_deliver_came(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, const parley_attempted_t *how);


void
ngx_http_parley_deliver(ngx_http_parley_jobs_t *jobs, parley_run_t *run)
{
    int64_t                     after;
    uint32_t                    recipient;
    parley_delivery_t          *delivery;
    parley_attempted_t          over;
    ngx_http_parley_attempt_t  *a;

    after = ngx_http_parley_deliver_waits(jobs, &run->job, &recipient);

    if (after > 0) {
        parley_runner_untried(run, after);
        return;
    }

    delivery = parley_arena_calloc(&run->arena, sizeof(parley_delivery_t));
    a = ngx_http_parley_deliver_free(jobs);

    if (delivery == NULL || a == NULL) {
        parley_runner_untried(run, PARLEY_JOB_LEASE);
        return;
    }

    run->data = delivery;

    if (!parley_delivery_begin(&jobs->deliver, &run->job, &run->arena,
                               delivery, &over))
    {
        ngx_http_parley_deliver_came(jobs, run, &over);
        return;
    }

    ngx_http_parley_log_losses(jobs->worker, &delivery->publication,
                               delivery->speaks, &delivery->loss);

    if (delivery->publication.views.len > 0) {
        parley_count(jobs->worker->slot,
                     parley_cell_offer(PARLEY_L_PATH_URL, PARLEY_L_OFFER_SENT),
                     1);
    }

    a->run = run;
    a->began = ngx_current_msec;
    a->recipient = recipient;
    a->astray = 0;

    ngx_queue_remove(&a->queue);
    ngx_queue_insert_tail(&jobs->attempts, &a->queue);

    a->host.url = &delivery->url;

    ngx_http_parley_host_check(&a->host, PARLEY_ATTEMPT_MS);
}


int
ngx_http_parley_deliver_view(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    parley_arena_t *arena, parley_str_t *ret)
{
    return parley_host_url_view(d, p, to, ngx_http_parley_now(), arena, ret);
}


/* Returns 0 if the attempt may begin, else the ms until it may. */

static int64_t
ngx_http_parley_deliver_waits(ngx_http_parley_jobs_t *jobs,
    const parley_taken_t *job, uint32_t *recipient)
{
    ngx_queue_t                *q;
    parley_str_t                sub;
    parley_attempts_t           attempts;
    ngx_http_parley_attempt_t  *a;

    (void) parley_job_subject_read(job->text, &sub);

    *recipient = parley_state_text_tag(jobs->deliver.state, sub);

    attempts.recipient = *recipient;
    attempts.n = 0;
    attempts.max = jobs->worker->mcf->http.deliver_max;
    attempts.now_ms = (int64_t) ngx_current_msec;

    for (q = ngx_queue_last(&jobs->attempts);
         q != ngx_queue_sentinel(&jobs->attempts);
         q = ngx_queue_prev(q))
    {
        a = ngx_queue_data(q, ngx_http_parley_attempt_t, queue);

        if (a->run == NULL) {
            break;
        }

        attempts.n += a->recipient == *recipient;
    }

    return parley_attempt_waits(&jobs->slows, job, &attempts);
}


/* Returns a free attempt.  It stays among the free ones, at the head, until it
   begins. */

static ngx_http_parley_attempt_t *
ngx_http_parley_deliver_free(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t                *q;
    ngx_http_parley_attempt_t  *a;

    if (!ngx_queue_empty(&jobs->attempts)) {
        q = ngx_queue_head(&jobs->attempts);
        a = ngx_queue_data(q, ngx_http_parley_attempt_t, queue);

        if (a->run == NULL) {
            return a;
        }
    }

    a = ngx_pcalloc(ngx_cycle->pool, sizeof(ngx_http_parley_attempt_t));
    if (a == NULL) {
        return NULL;
    }

    a->jobs = jobs;

    a->host.mcf = jobs->worker->mcf;
    a->host.handler = ngx_http_parley_deliver_found;
    a->host.data = a;

    a->detached.handler = ngx_http_parley_deliver_answered;
    a->detached.data = a;

    /* an exiting worker waits for running attempts */
    a->detached.awaited = 1;

    a->done.handler = ngx_http_parley_deliver_done;
    a->done.data = a;
    a->done.log = jobs->timer.log;

    ngx_queue_insert_head(&jobs->attempts, &a->queue);

    return a;
}


static void
ngx_http_parley_deliver_found(void *data, ngx_int_t rc)
{
    ngx_http_parley_attempt_t *a = data;

    if (rc == NGX_DECLINED) {
        ngx_http_parley_deliver_stop(a, PARLEY_JOB_GIVEN_UP,
                                     "the peer's host has an address of the "
                                     "gateway's network, which \"hosts=\" does "
                                     "not list");
        return;
    }

    if (rc == NGX_OK && ngx_http_parley_deliver_post(a) == NGX_OK) {
        return;
    }

    a->status = 0;
    ngx_post_event(&a->done, &ngx_posted_events);
}


static ngx_int_t
ngx_http_parley_deliver_post(ngx_http_parley_attempt_t *a)
{
    ngx_msec_t                          spent;
    parley_delivery_t                  *delivery;
    ngx_http_parley_posted_t            posted;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = a->jobs->worker->mcf;
    delivery = a->run->data;
    spent = ngx_current_msec - a->began;

    if (spent >= PARLEY_ATTEMPT_MS) {
        return NGX_ERROR;
    }

    posted.uri = ngx_http_parley_ngx_str(mcf->http.deliver_uri);
    posted.url = ngx_http_parley_ngx_str(delivery->to->deliver);
    posted.type = ngx_http_parley_ngx_str(delivery->media_type);
    posted.body = ngx_http_parley_ngx_str(delivery->sent.body);
    posted.answer = PARLEY_ATTEMPT_ANSWER;

    return ngx_http_parley_detached_post(&a->detached, mcf->deliver_server,
                                         &posted, PARLEY_ATTEMPT_MS - spent);
}


/* Copies the result, because the request is freed on return. */

static void
ngx_http_parley_deliver_answered(ngx_http_request_t *sr, ngx_int_t rc,
    void *data)
{
    parley_str_t                body;
    ngx_http_parley_attempt_t  *a = data;

    a->status = 0;
    a->body = parley_str_none;
    a->whole = 0;
    a->wait = 0;

    if (sr) {
        a->status = rc >= NGX_HTTP_SPECIAL_RESPONSE ? rc : rc == NGX_OK
                    ? (ngx_int_t) sr->headers_out.status : 0;

        a->whole = rc == NGX_OK && ngx_http_parley_detached_whole(sr);

        if (a->whole) {
            body.data = sr->out->buf->pos;
            body.len = sr->out->buf->last - sr->out->buf->pos;

            if (parley_arena_str(&a->run->arena, body, &a->body) != 0) {
                a->status = 0;
            }

        } else if (a->status >= 200 && a->status < 300) {
            a->status = 0;
        }

        a->wait = ngx_http_parley_sent_wait(sr);

        if (sr->upstream && sr->upstream->peer.sockaddr
            && !ngx_http_parley_host_may(&a->host,
                                         sr->upstream->peer.sockaddr))
        {
            a->astray = 1;
        }
    }

    ngx_post_event(&a->done, &ngx_posted_events);
}


static void
ngx_http_parley_deliver_done(ngx_event_t *ev)
{
    parley_run_t               *run;
    parley_delivery_t          *delivery;
    parley_attempted_t          came;
    ngx_http_parley_jobs_t     *jobs;
    ngx_http_parley_attempt_t  *a = ev->data;

    if (a->astray) {
        ngx_log_error(NGX_LOG_ALERT, ev->log, 0,
                      "parley: delivery sent to a forbidden address: the "
                      "address is in the gateway's network, and \"hosts=\" of "
                      "\"parley_deliver\" does not list it");

        ngx_http_parley_deliver_stop(a, PARLEY_JOB_GIVEN_UP,
                                     "the peer's host has an address of the "
                                     "gateway's network");
        return;
    }

    run = a->run;
    jobs = a->jobs;
    delivery = run->data;

    parley_attempt_took(&jobs->slows, a->recipient,
                        (int64_t) (ngx_current_msec - a->began),
                        (int64_t) ngx_current_msec);

    parley_delivery_came(&jobs->deliver, &run->job, delivery,
                         (int) a->status, a->body, a->whole,
                         (int64_t) a->wait, &run->arena, &came);

    a->run = NULL;
    ngx_queue_remove(&a->queue);
    ngx_queue_insert_head(&jobs->attempts, &a->queue);

    ngx_http_parley_deliver_came(jobs, run, &came);
}


static void
ngx_http_parley_deliver_stop(ngx_http_parley_attempt_t *a,
    parley_job_how_t how, const char *why)
{
    parley_run_t             *run;
    parley_attempted_t        over;
    ngx_http_parley_jobs_t   *jobs;

    run = a->run;
    jobs = a->jobs;

    a->run = NULL;
    ngx_queue_remove(&a->queue);
    ngx_queue_insert_head(&jobs->attempts, &a->queue);

    ngx_memzero(&over, sizeof(parley_attempted_t));

    over.how = how;
    over.why = why;

    ngx_http_parley_deliver_came(jobs, run, &over);
}


/* Ends a run of a job that delivers, with the result of the attempt. */

static void
ngx_http_parley_deliver_came(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, const parley_attempted_t *how)
{
    parley_job_end_t    end;
    parley_job_line_t   told;
    parley_delivery_t  *delivery;

    ngx_memzero(&end, sizeof(parley_job_end_t));

    end.how = how->how;
    end.after = how->after;
    end.mark = how->mark;

    delivery = run->data;
    delivery->why = how->why;

    parley_job_line_attempt(delivery, &run->job, how, &told);
    ngx_http_parley_log_job(&told);

    if (delivery->publication.views.len > 0) {
        if (how->how != PARLEY_JOB_AGAIN) {
            parley_host_follow_delivered(jobs->worker->mcf->zone->state,
                                         delivery, &run->arena, &end.tells);
        }

    } else if (how->how == PARLEY_JOB_REFUSED
               || how->how == PARLEY_JOB_GIVEN_UP)
    {
        parley_delivery_tells(&jobs->deliver,
                              jobs->worker->mcf->zone->state,
                              delivery, how->why, ngx_http_parley_now(),
                              &run->arena, &end.tells);
    }

    parley_runner_end(run, &end);
}


void
ngx_http_parley_deliver_exit(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t                *q;
    ngx_http_parley_attempt_t  *a;

    for (q = ngx_queue_head(&jobs->attempts);
         q != ngx_queue_sentinel(&jobs->attempts);
         q = ngx_queue_next(q))
    {
        a = ngx_queue_data(q, ngx_http_parley_attempt_t, queue);

        ngx_http_parley_host_cancel(&a->host);

        if (a->done.posted) {
            ngx_delete_posted_event(&a->done);
        }
    }
}


void
ngx_http_parley_deliver_over(ngx_http_parley_jobs_t *jobs, parley_run_t *run,
    parley_job_how_t how, ngx_uint_t untold)
{
    parley_delivery_t        *delivery;
    parley_job_line_t         told;
    parley_audit_delivery_t   line;

    delivery = run->data;

    parley_delivery_line(delivery, &run->job, how, &line);
    ngx_http_parley_audit_delivery(jobs->worker, &line);

    parley_job_line_over(delivery, untold, &told);
    ngx_http_parley_log_job(&told);
}
