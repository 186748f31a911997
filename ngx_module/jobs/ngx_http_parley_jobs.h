
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The jobs of a worker (hub/parley_runner.h): its turns, and the kinds of
 * jobs.
 */


#ifndef _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/delivery/parley_delivery.h"
#include "gate/metrics/parley_counters.h"
#include "hub/parley_runner.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"


struct ngx_http_parley_jobs_s {
    parley_runner_t              *runner;
    ngx_http_parley_worker_t     *worker;
    parley_render_t               deliver;

    ngx_event_t                   timer;
    ngx_queue_t                   attempts;     /* ..._attempt_t; free ones
                                                   first, running ones last */
    parley_attempt_slows_t        slows;
    ngx_queue_t                   deadlines;    /* ..._due_t that wait for the
                                                   state */

    ngx_queue_t                   dials;        /* ..._dial_t; free ones
                                                   first */
    ngx_array_t                  *peers;        /* ..._dial_plan_t; NULL: the
                                                   gateway dials no peers */
    ngx_event_t                   plan;         /* timer of their jobs */
    ngx_uint_t                    states[PARLEY_L_PEER_COUNT];  /* peers by
                                                   state */
};


/* Schedules a turn; the caller may be inside a request or a job. */
static ngx_inline void
ngx_http_parley_jobs_soon(ngx_http_parley_jobs_t *jobs)
{
    if (jobs->timer.timer_set) {
        ngx_del_timer(&jobs->timer);
    }

    ngx_add_timer(&jobs->timer, 1);
}


/* ngx_http_parley_jobs.c */

/* Create and free the runner of a worker. */
ngx_int_t ngx_http_parley_jobs_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);
void ngx_http_parley_jobs_exit(ngx_http_parley_worker_t *worker);

/* Runs the jobs that are due. */
void ngx_http_parley_jobs_wake(ngx_http_parley_worker_t *worker);

/* Schedules a turn, because this worker has added a job. */
void ngx_http_parley_jobs_added(ngx_http_parley_worker_t *worker);


/* ngx_http_parley_deliver.c */

/* Begins an attempt.  parley_runner_end() follows, possibly before this
   function returns. */
void ngx_http_parley_deliver(ngx_http_parley_jobs_t *jobs, parley_run_t *run);

/* Writes the view of an event of chat, as parley_render_t.view. */
int ngx_http_parley_deliver_view(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    parley_arena_t *arena, parley_str_t *ret);

/* Cancels attempts, because the worker exits. */
void ngx_http_parley_deliver_exit(ngx_http_parley_jobs_t *jobs);

/* Writes the end of a delivery to the logs.  untold: the message about it
   could not be stored. */
void ngx_http_parley_deliver_over(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, parley_job_how_t how, ngx_uint_t untold);


/* ngx_http_parley_due.c */

/* Processes a deadline that is due.  parley_runner_end() follows, possibly
   before this function returns. */
void ngx_http_parley_due(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run);

/* Counts and logs a processed deadline.  untold: the message about it could
   not be stored. */
void ngx_http_parley_due_over(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, ngx_uint_t untold);

/* Cancels questions to the state, because the worker exits. */
void ngx_http_parley_due_exit(ngx_http_parley_jobs_t *jobs);


/* ngx_http_parley_dial_plan.c */

/* Plans the jobs of the peers that the gateway dials (VCP-32). */
ngx_int_t ngx_http_parley_dial_init(ngx_http_parley_jobs_t *jobs);


/* ngx_http_parley_dial.c */

/* Dials the peer of a job and keeps it connected until the worker exits, or the
   identities no longer have its URL.  parley_runner_end() follows then. */
void ngx_http_parley_dial(ngx_http_parley_jobs_t *jobs, parley_run_t *run);

/* Ends the WebSockets of jobs that this process has lost: other gateways may
   have them after the lease of this one. */
void ngx_http_parley_dial_check(ngx_http_parley_jobs_t *jobs);

/* Returns the jobs without a connection, because the worker exits soon; and
   cancels all attempts, because it exits now. */
void ngx_http_parley_dial_exiting(ngx_http_parley_jobs_t *jobs);
void ngx_http_parley_dial_exit(ngx_http_parley_jobs_t *jobs);


/* ngx_http_parley_deliver_host.c */

typedef struct ngx_http_parley_host_s  ngx_http_parley_host_t;

/* Receives the result: NGX_OK; NGX_DECLINED if the host has an address that is
   not allowed; NGX_ERROR if it cannot be resolved. */
typedef void (*ngx_http_parley_host_pt)(void *data, ngx_int_t rc);

struct ngx_http_parley_host_s {
    const ngx_http_parley_main_conf_t  *mcf;
    const parley_url_t           *url;
    ngx_resolver_ctx_t           *resolving;    /* NULL: not resolving */
    ngx_http_parley_host_pt       handler;
    void                         *data;
    unsigned                      listed:1;     /* its addresses are those of
                                                   an upstream block */
};

/*
 * Resolves the host of h->url as proxy_pass will, and checks all addresses.
 * The handler is called, possibly before the function returns.  A proxy_pass
 * that begins in the handler gets the checked addresses.
 * ngx_http_parley_host_cancel() stops the resolution.
 */
void ngx_http_parley_host_check(ngx_http_parley_host_t *h,
    ngx_msec_t timeout);
void ngx_http_parley_host_cancel(ngx_http_parley_host_t *h);

/* Returns whether a delivery to the address is allowed. */
ngx_uint_t ngx_http_parley_host_may(ngx_http_parley_host_t *h,
    struct sockaddr *sockaddr);


#endif /* _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_ */
