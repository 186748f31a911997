
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The file of the audit log and its writes: checkpoints by one of the workers,
 * and summaries of counted refusals.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_process.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"


/*
 * The table fits into whole pages.  Its name contains the number of its
 * layout, so a module with another layout does not adopt it.
 */
#define NGX_HTTP_PARLEY_AUDIT_ZONE  "parley audit 1"
#define NGX_HTTP_PARLEY_AUDIT_SIZE  (sizeof(parley_audit_table_t) + 64 * 1024)

/* seconds between two lines in the error log */
#define NGX_HTTP_PARLEY_AUDIT_SAID  60


static ngx_int_t ngx_http_parley_audit_try(ngx_conf_t *cf, ngx_str_t *name);
static ngx_int_t ngx_http_parley_audit_zone(ngx_shm_zone_t *shm_zone,
    void *data);
static int64_t ngx_http_parley_audit_write(void *ctx, parley_str_t octets);
static void ngx_http_parley_audit_failed(ngx_http_parley_audit_t *audit,
    ngx_err_t err, ssize_t n, size_t len);
static int64_t ngx_http_parley_audit_now(void *ctx);
static void ngx_http_parley_audit_checkpoint(ngx_event_t *ev);
static void ngx_http_parley_audit_sum(ngx_event_t *ev);


char *
ngx_http_parley_audit_open(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    ngx_str_t                 file, name;
    ngx_shm_zone_t           *shm_zone;
    ngx_http_parley_audit_t  *audit;

    file = ngx_http_parley_ngx_str(mcf->http.audit);

    ngx_str_set(&name, NGX_HTTP_PARLEY_AUDIT_ZONE);

    audit = ngx_pcalloc(cf->pool, sizeof(ngx_http_parley_audit_t));
    shm_zone = ngx_shared_memory_add(cf, &name, NGX_HTTP_PARLEY_AUDIT_SIZE,
                                     &ngx_http_parley_module);

    if (audit == NULL || shm_zone == NULL) {
        return NGX_CONF_ERROR;
    }

    audit->file = ngx_conf_open_file(cf->cycle, &file);
    if (audit->file == NULL) {
        return NGX_CONF_ERROR;
    }

    if (ngx_http_parley_audit_try(cf, &audit->file->name) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    audit->worker = mcf->worker;
    mcf->worker->audit = audit;

    shm_zone->init = ngx_http_parley_audit_zone;
    shm_zone->data = audit;

    return NGX_CONF_OK;
}


/* Tries the file now (GW-11): nginx opens it later, when it no longer knows
   the line of the configuration. */

static ngx_int_t
ngx_http_parley_audit_try(ngx_conf_t *cf, ngx_str_t *name)
{
    ngx_fd_t  fd;

    fd = ngx_open_file(name->data, NGX_FILE_APPEND, NGX_FILE_CREATE_OR_OPEN,
                       NGX_FILE_DEFAULT_ACCESS);

    if (fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "\"parley_audit\": " ngx_open_file_n
                           " \"%V\" failed", name);
        return NGX_ERROR;
    }

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_audit_zone(ngx_shm_zone_t *shm_zone, void *data)
{
    ngx_http_parley_audit_t *before = data;

    ngx_http_parley_audit_t  *audit;

    audit = shm_zone->data;
    audit->shpool = (ngx_slab_pool_t *) shm_zone->shm.addr;

    if (before) {
        audit->table = before->table;
        return NGX_OK;
    }

    if (shm_zone->shm.exists) {
        audit->table = audit->shpool->data;
        return NGX_OK;
    }

    audit->table = ngx_slab_calloc(audit->shpool,
                                   sizeof(parley_audit_table_t));
    if (audit->table == NULL) {
        return NGX_ERROR;
    }

    audit->table->checkpointed = (int64_t) ngx_current_msec;
    audit->shpool->data = audit->table;

    return NGX_OK;
}


void
ngx_http_parley_audit_enter(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker)
{
    int                       rc;
    parley_process_t          self;
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit == NULL) {
        return;
    }

    audit->log = cycle->log;

    audit->chain.env.write = ngx_http_parley_audit_write;
    audit->chain.env.now = ngx_http_parley_audit_now;
    audit->chain.env.ctx = audit;

    parley_arena_init(&audit->arena, &parley_mem_libc, 0);

    audit->checkpoint.handler = ngx_http_parley_audit_checkpoint;
    audit->checkpoint.data = audit;
    audit->checkpoint.log = cycle->log;
    audit->checkpoint.cancelable = 1;

    audit->sum.handler = ngx_http_parley_audit_sum;
    audit->sum.data = audit;
    audit->sum.log = cycle->log;
    audit->sum.cancelable = 1;

    ngx_http_parley_process_self(&self);

    ngx_shmtx_lock(&audit->shpool->mutex);
    rc = parley_audit_begin_locked(&audit->chain, audit->table, &self,
                                   &ngx_http_parley_processes);
    ngx_shmtx_unlock(&audit->shpool->mutex);

    if (rc != 0) {
        ngx_log_error(NGX_LOG_ALERT, cycle->log, 0,
                      "parley: audit log \"%V\" not written by this process: "
                      "%d processes write it already",
                      &audit->file->name, PARLEY_AUDIT_SLOTS);
        return;
    }

    (void) (parley_audit_start(&audit->chain, &audit->arena) == 0);
    parley_arena_reset(&audit->arena);

    ngx_add_timer(&audit->checkpoint, (ngx_msec_t) worker->mcf->http.audit_ms);
}


void
ngx_http_parley_audit_leave(ngx_http_parley_worker_t *worker)
{
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit == NULL || audit->chain.slot == NULL) {
        return;
    }

    parley_audit_end(&audit->chain, worker->mcf->http.signing, &audit->arena);
    parley_arena_reset(&audit->arena);
}


static int64_t
ngx_http_parley_audit_write(void *ctx, parley_str_t octets)
{
    ngx_http_parley_audit_t *audit = ctx;

    ssize_t    n;
    ngx_err_t  err;

    n = ngx_write_fd(audit->file->fd, (void *) octets.data, octets.len);

    if (n == (ssize_t) octets.len) {
        return n;
    }

    err = n == -1 ? ngx_errno : 0;

    if (ngx_time() - audit->failed >= NGX_HTTP_PARLEY_AUDIT_SAID) {
        audit->failed = ngx_time();
        ngx_http_parley_audit_failed(audit, err, n, octets.len);
    }

    return n;
}


static void
ngx_http_parley_audit_failed(ngx_http_parley_audit_t *audit, ngx_err_t err,
    ssize_t n, size_t len)
{
    const char  *then;

    then = audit->worker->mcf->http.audit_pass ? "continue without a line"
                                       : "are refused with capacity";
    if (n == -1) {
        ngx_log_error(NGX_LOG_ALERT, audit->log, err,
                      "parley: " ngx_write_fd_n " to \"%V\" failed, messages "
                      "%s", &audit->file->name, then);
        return;
    }

    ngx_log_error(NGX_LOG_ALERT, audit->log, 0,
                  "parley: " ngx_write_fd_n " to \"%V\" was incomplete: %z of "
                  "%uz, messages %s", &audit->file->name, n, len, then);
}


static int64_t
ngx_http_parley_audit_now(void *ctx)
{
    return ngx_http_parley_now();
}


/* Writes a due checkpoint; the first worker to notice does it. */

static void
ngx_http_parley_audit_checkpoint(ngx_event_t *ev)
{
    int64_t                             wait;
    ngx_http_parley_audit_t            *audit;
    const ngx_http_parley_main_conf_t  *mcf;

    audit = ev->data;
    mcf = audit->worker->mcf;

    if (parley_audit_due(audit->table, (int64_t) ngx_current_msec,
                         mcf->http.audit_ms, &wait))
    {
        (void) (parley_audit_checkpoint(&audit->chain, &audit->arena,
                                        mcf->http.signing)
                == 0);
        parley_arena_reset(&audit->arena);
    }

    ngx_add_timer(ev, (ngx_msec_t) wait);
}


static void
ngx_http_parley_audit_sum(ngx_event_t *ev)
{
    ngx_http_parley_audit_t  *audit;

    audit = ev->data;

    if (parley_audit_suppressed(&audit->chain, &audit->arena) != 0) {
        ngx_add_timer(ev, NGX_HTTP_PARLEY_AUDIT_SUM);
    }

    parley_arena_reset(&audit->arena);
}
