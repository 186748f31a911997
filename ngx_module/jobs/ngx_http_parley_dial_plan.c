
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The jobs of the peers to which the gateway opens WebSockets: one for each
 * peer.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/jobs/ngx_http_parley_jobs.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/delivery/parley_dial.h"


/* milliseconds between checks that each peer has a job */
#define NGX_HTTP_PARLEY_DIAL_PLAN  5000


/* the job of a peer that is being added */
typedef struct {
    parley_call_t              call;
    parley_job_added_t         added;
    ngx_http_parley_jobs_t    *jobs;
    const parley_principal_t  *to;
    unsigned                   asked:1;     /* the state has not answered */
    unsigned                   failed:1;    /* the failure was logged */
} ngx_http_parley_dial_plan_t;


static void ngx_http_parley_dial_plan(ngx_event_t *ev);
static void ngx_http_parley_dial_add(ngx_http_parley_dial_plan_t *plan);
static void ngx_http_parley_dial_called(parley_call_t *call);
static void ngx_http_parley_dial_added(ngx_http_parley_dial_plan_t *plan);


ngx_int_t
ngx_http_parley_dial_init(ngx_http_parley_jobs_t *jobs)
{
    size_t                              i, n;
    const parley_principal_t           *list = NULL;
    ngx_http_parley_dial_plan_t        *plan;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = jobs->worker->mcf;

    ngx_queue_init(&jobs->dials);

    if (mcf->http.dials == NULL) {
        return NGX_OK;
    }

    n = mcf->http.directory
        ? parley_directory_principals(mcf->http.directory, &list) : 0;

    jobs->peers = ngx_array_create(ngx_cycle->pool, 4,
                                   sizeof(ngx_http_parley_dial_plan_t));
    if (jobs->peers == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {

        if (!parley_principal_is_dialled(&list[i])) {
            continue;
        }

        plan = ngx_array_push(jobs->peers);
        if (plan == NULL) {
            return NGX_ERROR;
        }

        ngx_memzero(plan, sizeof(ngx_http_parley_dial_plan_t));

        plan->jobs = jobs;
        plan->to = &list[i];
        plan->call.done = ngx_http_parley_dial_called;
    }

    plan = jobs->peers->elts;

    for (i = 0; i < jobs->peers->nelts; i++) {
        plan[i].call.ctx = &plan[i];
    }

    jobs->plan.handler = ngx_http_parley_dial_plan;
    jobs->plan.data = jobs;
    jobs->plan.log = jobs->timer.log;
    jobs->plan.cancelable = 1;

    ngx_add_timer(&jobs->plan, 1);

    return NGX_OK;
}


/* Adds the jobs that are missing: at the start, or after a loss of state. */

static void
ngx_http_parley_dial_plan(ngx_event_t *ev)
{
    ngx_uint_t                    i;
    ngx_http_parley_jobs_t       *jobs = ev->data;
    ngx_http_parley_dial_plan_t  *plan;

    if (ngx_exiting || jobs->worker->jobs == NULL) {
        return;
    }

    plan = jobs->peers->elts;

    for (i = 0; i < jobs->peers->nelts; i++) {
        if (!plan[i].asked) {
            ngx_http_parley_dial_add(&plan[i]);
        }
    }

    ngx_http_parley_dial_check(jobs);

    ngx_add_timer(ev, NGX_HTTP_PARLEY_DIAL_PLAN);
}


static void
ngx_http_parley_dial_add(ngx_http_parley_dial_plan_t *plan)
{
    int                done;
    parley_arena_t     arena;
    parley_state_t    *state;
    parley_job_add_t   add;

    state = plan->jobs->worker->mcf->zone->state;
    done = 0;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    add.account = NULL;

    if (parley_dial_job(&arena, state, plan->to->sub, &add.job) == 0) {
        plan->asked = 1;
        done = state->ops->job->add(state, &add, &plan->added, &plan->call)
               == PARLEY_STATE_DONE;
    }

    parley_arena_reset(&arena);

    if (done) {
        ngx_http_parley_dial_added(plan);
    }
}


static void
ngx_http_parley_dial_called(parley_call_t *call)
{
    ngx_http_parley_dial_added(call->ctx);
}


static void
ngx_http_parley_dial_added(ngx_http_parley_dial_plan_t *plan)
{
    ngx_str_t  sub;

    plan->asked = 0;

    if (plan->added == PARLEY_JOB_ADDED) {
        plan->failed = 0;
        ngx_http_parley_jobs_soon(plan->jobs);
        return;
    }

    if (!plan->failed) {
        sub = ngx_http_parley_ngx_str(plan->to->sub);
        plan->failed = 1;

        ngx_log_error(NGX_LOG_ERR, plan->jobs->timer.log, 0,
                      "parley: peer \"%V\" not connected: the zone has no room "
                      "for its job", &sub);
    }
}
