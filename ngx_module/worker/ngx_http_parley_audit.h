
/*
 * Copyright (C) 2026 The Parley authors
 *
 * parley_audit: nginx's side of gate/audit/parley_audit.h.
 */


#ifndef _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_
#define _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/audit/parley_audit.h"


/* milliseconds after which refusals that were counted are summed up */
#define NGX_HTTP_PARLEY_AUDIT_SUM  1000


struct ngx_http_parley_audit_s {
    ngx_open_file_t              *file;           /* nginx opens it again */
    ngx_http_parley_main_conf_t  *mcf;
    parley_audit_table_t         *table;          /* of all workers */
    ngx_slab_pool_t              *shpool;

    /* of this worker */
    parley_audit_t                chain;
    parley_arena_t                arena;          /* of a line */
    ngx_event_t                   checkpoint;
    ngx_event_t                   sum;            /* of refusals that were
                                                     counted */
    ngx_log_t                    *log;
    time_t                        failed;         /* when that was logged */
};


/* ngx_http_parley_audit.c */

/* When the configuration is read: the file, and what workers share. */
char *ngx_http_parley_audit_open(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* This worker writes from now on, or does no more. */
void ngx_http_parley_audit_enter(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_audit_leave(ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_audit_line.c: as in parley_gate_env_t */

parley_recorded_t ngx_http_parley_audit_record(ngx_http_parley_ctx_t *ctx,
    parley_verdict_t verdict);
void ngx_http_parley_audit_verdict(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_audit_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome);

/* What came of a delivery. */
void ngx_http_parley_audit_delivery(ngx_http_parley_main_conf_t *mcf,
    const parley_audit_delivery_t *delivery);


#endif /* _NGX_HTTP_PARLEY_AUDIT_H_INCLUDED_ */
