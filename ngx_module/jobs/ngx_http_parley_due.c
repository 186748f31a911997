
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Deadlines that are due (parley_deadline.h): jobs that only ask the state.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/delivery/parley_job_line.h"
#include "gate/host/parley_host_digest.h"
#include "gate/host/parley_host_follow.h"
#include "gate/host/parley_host_turn.h"
#include "gate/metrics/parley_counters.h"


typedef struct {
    parley_deadline_t        deadline;
    ngx_http_parley_jobs_t  *jobs;
    parley_run_t            *run;
    ngx_queue_t              queue;         /* link in jobs->deadlines */
    ngx_event_t              patience;      /* timer of a slow state */
} ngx_http_parley_due_t;


static void ngx_http_parley_due_meet(ngx_http_parley_due_t *d);
static void ngx_http_parley_due_resume(parley_ask_t *q);
static void ngx_http_parley_due_deadline(ngx_event_t *ev);
static void ngx_http_parley_due_end(ngx_http_parley_due_t *d);


void
ngx_http_parley_due(ngx_http_parley_jobs_t *jobs, parley_run_t *run)
{
    ngx_http_parley_due_t  *d;

    d = parley_arena_calloc(&run->arena, sizeof(ngx_http_parley_due_t));

    if (d == NULL) {
        parley_runner_untried(run, PARLEY_ASK_PATIENCE);
        return;
    }

    run->data = d;
    run->insists = 1;

    d->jobs = jobs;
    d->run = run;

    d->patience.handler = ngx_http_parley_due_deadline;
    d->patience.data = d;
    d->patience.log = jobs->timer.log;
    d->patience.cancelable = 1;

    d->deadline.deliver = &jobs->deliver;
    d->deadline.job = &run->job;
    d->deadline.arena = &run->arena;
    d->deadline.now_ms = ngx_http_parley_now();

    parley_ask_init(&d->deadline.ask, jobs->worker->mcf->zone->state,
                    &run->arena);

    d->deadline.ask.resume = ngx_http_parley_due_resume;
    d->deadline.ask.ctx = d;
    d->deadline.ask.now = ngx_current_msec;

    ngx_queue_insert_tail(&jobs->deadlines, &d->queue);

    ngx_http_parley_due_meet(d);
}


static void
ngx_http_parley_due_meet(ngx_http_parley_due_t *d)
{
    int                        rc;
    parley_str_t               text;
    parley_job_subject_kind_t  kind;

    kind = parley_job_subject_read(d->run->job.text, &text);

    rc = kind == PARLEY_SUBJECT_FOLLOW ? parley_host_follow_run(&d->deadline)
         : kind == PARLEY_SUBJECT_TURN ? parley_host_turn_run(&d->deadline)
         : kind == PARLEY_SUBJECT_DIGEST ? parley_host_digest_run(&d->deadline)
         : parley_deadline_run(&d->deadline);

    if (rc != PARLEY_WAIT) {
        ngx_http_parley_due_end(d);
        return;
    }

    if (!d->patience.timer_set) {
        ngx_add_timer(&d->patience, PARLEY_ASK_PATIENCE);
    }
}


static void
ngx_http_parley_due_resume(parley_ask_t *q)
{
    ngx_http_parley_due_meet(q->ctx);
}


/* Ends the wait: later questions get no answer. */

static void
ngx_http_parley_due_deadline(ngx_event_t *ev)
{
    ngx_http_parley_due_t  *d = ev->data;

    parley_ask_part(&d->deadline.ask);
    ngx_http_parley_due_meet(d);
}


static void
ngx_http_parley_due_end(ngx_http_parley_due_t *d)
{
    if (d->patience.timer_set) {
        ngx_del_timer(&d->patience);
    }

    ngx_queue_remove(&d->queue);

    /* steps that happen with the end of the job are counted after it */

    if (d->deadline.noted) {
        ngx_http_parley_count_noted(d->jobs->worker, d->deadline.noted,
                                    d->deadline.noted_ends);
    }

    if (d->deadline.wakes && d->jobs->worker->hub) {
        ngx_http_parley_hub_wakes(d->jobs->worker->hub);
    }

    parley_runner_end(d->run, &d->deadline.end);
}


void
ngx_http_parley_due_over(ngx_http_parley_jobs_t *jobs, parley_run_t *run,
    ngx_uint_t untold)
{
    parley_deadline_t        *deadline;
    parley_job_line_t         told;
    ngx_http_parley_due_t    *d = run->data;
    parley_audit_delivery_t   line;

    if (d == NULL) {
        return;
    }

    deadline = &d->deadline;

    if (untold) {
        parley_deadline_untold(deadline);
    }

    if (!parley_job_subject_hosted(deadline->kind)) {
        parley_count(jobs->worker->slot,
                     PARLEY_M_DEADLINES + (unsigned) deadline->how, 1);

    } else if (!untold) {
        ngx_http_parley_count_noted(jobs->worker, deadline->noted_ends, NULL);

    } else if (deadline->to) {
        parley_count(jobs->worker->slot, PARLEY_M_CHAT_DEADLINES
                                         + PARLEY_L_OBLIGATION_UNDELIVERED, 1);
    }

    if (deadline->how == PARLEY_DEADLINE_ANSWERED) {
        return;
    }

    parley_job_line_deadline(deadline, untold, &told);
    ngx_http_parley_log_job(&told);

    parley_deadline_line(deadline, &line);
    ngx_http_parley_audit_delivery(jobs->worker, &line);
}


void
ngx_http_parley_due_exit(ngx_http_parley_jobs_t *jobs)
{
    ngx_queue_t            *q;
    ngx_http_parley_due_t  *d;

    for (q = ngx_queue_head(&jobs->deadlines);
         q != ngx_queue_sentinel(&jobs->deadlines);
         q = ngx_queue_next(q))
    {
        d = ngx_queue_data(q, ngx_http_parley_due_t, queue);

        parley_ask_part(&d->deadline.ask);
    }
}
