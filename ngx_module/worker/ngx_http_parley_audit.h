
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Writes the audit log (parley_audit) with gate/audit/parley_audit.h.
 */


#ifndef _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_
#define _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/audit/parley_audit.h"
#include "gate/correlation/parley_verdict.h"


/* milliseconds between summary lines of counted refusals */
#define NGX_HTTP_PARLEY_AUDIT_SUM  1000


struct ngx_http_parley_audit_s {
    ngx_open_file_t              *file;           /* nginx reopens it */
    ngx_http_parley_worker_t     *worker;
    parley_audit_table_t         *table;          /* shared by all workers */
    ngx_slab_pool_t              *shpool;

    /* this worker only */
    parley_audit_t                chain;
    parley_arena_t                arena;          /* memory of one line */
    ngx_event_t                   checkpoint;
    ngx_event_t                   sum;            /* writes a summary of
                                                     counted refusals */
    ngx_log_t                    *log;
    time_t                        failed;         /* time of the last logged
                                                     error */
};


/* ngx_http_parley_audit.c */

/* Opens the file and adds the shared memory while nginx reads the
   configuration. */
char *ngx_http_parley_audit_open(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* Begins and ends this worker's part of the audit log. */
void ngx_http_parley_audit_enter(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);
void ngx_http_parley_audit_leave(ngx_http_parley_worker_t *worker);


/* ngx_http_parley_audit_line.c: as in parley_gate_env_t */

parley_recorded_t ngx_http_parley_audit_record(ngx_http_parley_ctx_t *ctx,
    parley_verdict_t verdict);
void ngx_http_parley_audit_verdict(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_audit_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome);

/* Records a step of an event of chat. */
void ngx_http_parley_audit_chat(ngx_http_parley_worker_t *worker,
    const parley_audit_chat_t *step);
void ngx_http_parley_audit_gateway(ngx_http_parley_worker_t *worker,
    const parley_audit_gateway_t *gateway);


/* Records a fact about an agent session or a track of MoQ.  A refusal of a
   client without a principal is counted if there are too many. */
void ngx_http_parley_audit_moq(ngx_http_parley_worker_t *worker,
    const parley_audit_moq_t *link);

/* Records the result of an attempt to deliver a message. */
void ngx_http_parley_audit_delivery(ngx_http_parley_worker_t *worker,
    const parley_audit_delivery_t *delivery);


#endif /* _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_ */
