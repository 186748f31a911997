
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The jobs of a worker (hub/parley_runner.h): its turns, and what does them.
 */


#ifndef _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/delivery/parley_delivery.h"
#include "gate/delivery/parley_job_line.h"
#include "hub/parley_runner.h"


struct ngx_http_parley_jobs_s {
    parley_runner_t              *runner;
    ngx_http_parley_main_conf_t  *mcf;
    parley_render_t               deliver;

    ngx_event_t                   timer;
    ngx_queue_t                   attempts;     /* ..._attempt_t, that were
                                                   made; those that are under
                                                   way are at the end */
    ngx_queue_t                   deadlines;    /* ..._deadline_t, that wait
                                                   for the state */
};


/* ngx_http_parley_jobs.c */

/* When a worker starts, and when it ends. */
ngx_int_t ngx_http_parley_jobs_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_jobs_exit(ngx_http_parley_main_conf_t *mcf);

/* Something may be due. */
void ngx_http_parley_jobs_wake(ngx_http_parley_main_conf_t *mcf);

/* This worker added one. */
void ngx_http_parley_jobs_added(ngx_http_parley_main_conf_t *mcf);

/* Into the error log, if there is a line. */
void ngx_http_parley_jobs_log(const parley_job_line_t *line);

/* What a job that delivers came to. */
void ngx_http_parley_jobs_came(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, const parley_attempted_t *how);


/* ngx_http_parley_deliver.c */

/* An attempt: ngx_http_parley_jobs_came() follows, perhaps from within. */
void ngx_http_parley_deliver(ngx_http_parley_jobs_t *jobs, parley_run_t *run);

/* The worker ends. */
void ngx_http_parley_deliver_exit(ngx_http_parley_jobs_t *jobs);

/* What the logs have of the end of a job. */
void ngx_http_parley_deliver_over(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, parley_job_how_t how, ngx_uint_t untold);


/* ngx_http_parley_due.c */

/* A deadline that is due: parley_runner_end() follows, perhaps from within. */
void ngx_http_parley_due(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run);

/* What is counted and logged of one that is over. */
void ngx_http_parley_due_over(ngx_http_parley_jobs_t *jobs,
    parley_run_t *run, ngx_uint_t untold);

/* The worker ends. */
void ngx_http_parley_due_exit(ngx_http_parley_jobs_t *jobs);


/* ngx_http_parley_deliver_host.c */

typedef struct ngx_http_parley_host_s  ngx_http_parley_host_t;

/* rc: NGX_OK; NGX_DECLINED: it has an address that nothing is delivered to;
   NGX_ERROR: it is not found. */
typedef void (*ngx_http_parley_host_pt)(void *data, ngx_int_t rc);

struct ngx_http_parley_host_s {
    ngx_http_parley_main_conf_t  *mcf;
    const parley_url_t           *url;
    ngx_resolver_ctx_t           *resolving;    /* NULL: it does not */
    ngx_http_parley_host_pt       handler;
    void                         *data;
    unsigned                      listed:1;     /* its addresses are those of
                                                   an upstream block */
};

/*
 * Finds the addresses of h->url as proxy_pass will, and looks at all of them;
 * the handler is called, perhaps from within.  What proxy_pass asks for in the
 * handler is answered with these.
 */
void ngx_http_parley_host_check(ngx_http_parley_host_t *h,
    ngx_msec_t timeout);
void ngx_http_parley_host_cancel(ngx_http_parley_host_t *h);

/* Whether that address is one that may be delivered to. */
ngx_uint_t ngx_http_parley_host_may(ngx_http_parley_host_t *h,
    struct sockaddr *sockaddr);


#endif /* _NGX_HTTP_PARLEY_JOBS_H_INCLUDED_ */
