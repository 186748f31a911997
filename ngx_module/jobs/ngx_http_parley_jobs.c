
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The jobs of a worker.  It runs them when it is woken and when one is due.
 * An exiting worker finishes its running jobs and takes no others.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_wake.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"


static void ngx_http_parley_jobs_timer(ngx_event_t *ev);
static void ngx_http_parley_jobs_wait(void *ctx, int64_t ms);
static void ngx_http_parley_jobs_begin(void *ctx, parley_run_t *run);
static void ngx_http_parley_jobs_over(void *ctx, parley_run_t *run,
    parley_job_how_t how, int untold);


ngx_int_t
ngx_http_parley_jobs_init(ngx_cycle_t *cycle, ngx_http_parley_worker_t *worker)
{
    parley_runner_env_t                 env;
    ngx_http_parley_jobs_t             *jobs;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    jobs = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_jobs_t));
    if (jobs == NULL) {
        return NGX_ERROR;
    }

    jobs->worker = worker;
    jobs->deliver.engine = mcf->engine;
    jobs->deliver.http = &mcf->http;
    jobs->deliver.seed = mcf->zone->sh->seed;
    jobs->deliver.state = mcf->zone->state;
    jobs->deliver.view = ngx_http_parley_deliver_view;

    ngx_queue_init(&jobs->attempts);
    ngx_queue_init(&jobs->deadlines);

    jobs->timer.handler = ngx_http_parley_jobs_timer;
    jobs->timer.data = jobs;
    jobs->timer.log = cycle->log;
    jobs->timer.cancelable = 1;

    ngx_memzero(&env, sizeof(parley_runner_env_t));

    env.mem = &parley_mem_libc;
    env.begin = ngx_http_parley_jobs_begin;
    env.over = ngx_http_parley_jobs_over;
    env.wait = ngx_http_parley_jobs_wait;
    env.ctx = jobs;

    if (ngx_http_parley_dial_init(jobs) != NGX_OK) {
        return NGX_ERROR;
    }

    jobs->runner = parley_runner_create(mcf->zone->state, &env,
                                        mcf->http.deliver_max);
    if (jobs->runner == NULL) {
        return NGX_ERROR;
    }

    worker->jobs = jobs;

    /* 1 ms: the event loop has not begun; takes over a dead worker's jobs */
    ngx_add_timer(&jobs->timer, 1);

    return NGX_OK;
}


void
ngx_http_parley_jobs_exit(ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_jobs_t  *jobs;

    jobs = worker->jobs;

    if (jobs == NULL) {
        return;
    }

    worker->jobs = NULL;

    ngx_http_parley_deliver_exit(jobs);
    ngx_http_parley_due_exit(jobs);
    ngx_http_parley_dial_exit(jobs);
    parley_runner_free(jobs->runner);
}


void
ngx_http_parley_jobs_wake(ngx_http_parley_worker_t *worker)
{
    if (worker->jobs == NULL) {
        return;
    }

    if (ngx_exiting) {
        parley_runner_stop(worker->jobs->runner);
        ngx_http_parley_dial_exiting(worker->jobs);
        return;
    }

    parley_runner_turn(worker->jobs->runner);
}


void
ngx_http_parley_jobs_added(ngx_http_parley_worker_t *worker)
{
    if (worker->jobs) {
        ngx_http_parley_jobs_soon(worker->jobs);
    }
}


static void
ngx_http_parley_jobs_timer(ngx_event_t *ev)
{
    ngx_http_parley_jobs_t  *jobs = ev->data;

    ngx_http_parley_jobs_wake(jobs->worker);
}


static void
ngx_http_parley_jobs_wait(void *ctx, int64_t ms)
{
    ngx_http_parley_jobs_t  *jobs = ctx;

    if (jobs->timer.timer_set) {
        ngx_del_timer(&jobs->timer);
    }

    if (ms >= 0 && !ngx_exiting) {
        ngx_add_timer(&jobs->timer, (ngx_msec_t) ngx_min(ms, NGX_MAX_INT32_VALUE
                                                             / 2));
    }
}


/* Begins a job; an exiting worker leaves it to its successor. */

static void
ngx_http_parley_jobs_begin(void *ctx, parley_run_t *run)
{
    parley_str_t             text;
    parley_job_end_t         end;
    ngx_http_parley_jobs_t  *jobs = ctx;

    if (ngx_exiting) {
        parley_runner_stop(jobs->runner);
        parley_runner_untried(run, 0);
        ngx_http_parley_wake_others(jobs->worker);
        return;
    }

    switch (parley_job_subject_read(run->job.text, &text)) {

    case PARLEY_SUBJECT_DELIVER:
    case PARLEY_SUBJECT_NOTICE:
    case PARLEY_SUBJECT_AWAIT:
    case PARLEY_SUBJECT_AWAIT_NOTICE:
        ngx_http_parley_deliver(jobs, run);
        return;

    case PARLEY_SUBJECT_EMERGENCY:
    case PARLEY_SUBJECT_ESCALATION:
    case PARLEY_SUBJECT_TIMEOUT:
    case PARLEY_SUBJECT_FOLLOW:
    case PARLEY_SUBJECT_TURN:
    case PARLEY_SUBJECT_DIGEST:
        ngx_http_parley_due(jobs, run);
        return;

    case PARLEY_SUBJECT_DIAL:
        ngx_http_parley_dial(jobs, run);
        return;

    default:
        ngx_log_error(NGX_LOG_ERR, jobs->timer.log, 0,
                      "parley: job dropped: its kind is unknown to this "
                      "version");

        ngx_memzero(&end, sizeof(parley_job_end_t));

        end.how = PARLEY_JOB_GIVEN_UP;

        parley_runner_end(run, &end);
    }
}


/* Logs the end of a job and wakes the readers of the message about it. */

static void
ngx_http_parley_jobs_over(void *ctx, parley_run_t *run, parley_job_how_t how,
    int untold)
{
    parley_str_t               text;
    parley_job_subject_kind_t  kind;
    ngx_http_parley_jobs_t    *jobs = ctx;

    kind = parley_job_subject_read(run->job.text, &text);

    if (parley_job_subject_delivers(kind)) {
        ngx_http_parley_deliver_over(jobs, run, how, untold);

    } else if (kind != PARLEY_SUBJECT_DIAL) {
        ngx_http_parley_due_over(jobs, run, untold);
    }

    if (run->end.tells && jobs->worker->hub) {
        ngx_http_parley_hub_wakes(jobs->worker->hub);
    }
}
