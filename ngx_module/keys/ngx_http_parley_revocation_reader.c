
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reads the file of parley_revocations in a thread: a list of 16 megabytes
 * would block all connections of a worker for a third of a second.  The thread
 * calls only functions of nginx that have no state.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/keys/ngx_http_parley_revocations.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "core/parley_digest.h"

#include <signal.h>


/* octets read at once; between the pieces the reading can be cancelled */
#define NGX_HTTP_PARLEY_REVOKING_PIECE  (1024 * 1024)


static ngx_int_t ngx_http_parley_revocation_reader_start(
    ngx_http_parley_revocation_reader_t *job);
static void *ngx_http_parley_revocation_reader_run(void *data);
static ngx_int_t ngx_http_parley_revocation_reader_open(
    ngx_http_parley_revocation_reader_t *job, parley_str_t *text);
static ngx_int_t ngx_http_parley_revocation_reader_read(
    ngx_http_parley_revocation_reader_t *job, ngx_fd_t fd, parley_str_t *text);
static ngx_int_t ngx_http_parley_revocation_reader_parse(
    ngx_http_parley_revocation_reader_t *job, parley_str_t text);
static ngx_int_t ngx_http_parley_revocation_reader_wrong(
    ngx_http_parley_revocation_reader_t *job, const char *why);
static ngx_uint_t ngx_http_parley_revocation_reader_is_cancelled(
    const ngx_http_parley_revocation_reader_t *job);


ngx_http_parley_revocation_reader_t *
ngx_http_parley_revocation_reader_begin(const ngx_http_parley_main_conf_t *mcf,
    ngx_uint_t known, ngx_uint_t at_once)
{
    ngx_http_parley_revocation_reader_t  *job;

    job = calloc(1, sizeof(ngx_http_parley_revocation_reader_t));
    if (job == NULL) {
        return NULL;
    }

    job->file = mcf->http.revocations_file;
    job->seed = mcf->seed;
    job->known = known;

    parley_arena_init(&job->arena, &parley_mem_libc, 65536);

    if (at_once || ngx_http_parley_revocation_reader_start(job) != NGX_OK) {
        (void) ngx_http_parley_revocation_reader_run(job);
    }

    return job;
}


/* Starts the thread with all signals blocked; the main thread handles them. */

static ngx_int_t
ngx_http_parley_revocation_reader_start(
    ngx_http_parley_revocation_reader_t *job)
{
    int       rc;
    sigset_t  all, before;

    sigfillset(&all);

    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return NGX_ERROR;
    }

    job->threaded = 1;

    rc = pthread_create(&job->thread, NULL,
                        ngx_http_parley_revocation_reader_run, job);

    if (rc != 0) {
        job->threaded = 0;
    }

    (void) pthread_sigmask(SIG_SETMASK, &before, NULL);

    return rc == 0 ? NGX_OK : NGX_ERROR;
}


ngx_uint_t
ngx_http_parley_revocation_reader_is_done(
    const ngx_http_parley_revocation_reader_t *job)
{
    return __atomic_load_n(&job->done, __ATOMIC_ACQUIRE) != 0;
}


void
ngx_http_parley_revocation_reader_end(ngx_http_parley_revocation_reader_t *job)
{
    __atomic_store_n(&job->cancelled, 1, __ATOMIC_RELAXED);

    if (job->threaded) {
        (void) pthread_join(job->thread, NULL);
    }

    parley_arena_reset(&job->arena);
    free(job);
}


static void *
ngx_http_parley_revocation_reader_run(void *data)
{
    parley_str_t                          text;
    ngx_http_parley_revocation_reader_t  *job = data;

    text = parley_str_none;

    job->rc = ngx_http_parley_revocation_reader_open(job, &text);

    if (job->rc == NGX_OK) {
        job->rc = ngx_http_parley_revocation_reader_parse(job, text);
    }

    free((void *) (uintptr_t) text.data);

    __atomic_store_n(&job->done, 1, __ATOMIC_RELEASE);

    return NULL;
}


/* Opens the file without blocking, because it may be a pipe. */

static ngx_int_t
ngx_http_parley_revocation_reader_open(
    ngx_http_parley_revocation_reader_t *job,
    parley_str_t *text)
{
    ngx_fd_t   fd;
    ngx_int_t  rc;

    fd = ngx_open_file((const char *) job->file.data,
                       NGX_FILE_RDONLY|NGX_FILE_NONBLOCK|O_CLOEXEC,
                       NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        return ngx_http_parley_revocation_reader_wrong(job,
                                                       "open() failed");
    }

    rc = ngx_http_parley_revocation_reader_read(job, fd, text);

    (void) ngx_close_file(fd);

    return rc;
}


/* Reads the file; *text comes from malloc(), also after a failure. */

static ngx_int_t
ngx_http_parley_revocation_reader_read(
    ngx_http_parley_revocation_reader_t *job,
    ngx_fd_t fd, parley_str_t *text)
{
    u_char           *p;
    size_t            len, at;
    ssize_t           n;
    ngx_file_info_t   fi;

    if (ngx_fd_info(fd, &fi) == NGX_FILE_ERROR || !ngx_is_file(&fi)) {
        return ngx_http_parley_revocation_reader_wrong(job, "it is not a file");
    }

    if (ngx_file_size(&fi) > PARLEY_REVOCATIONS_OCTETS) {
        return ngx_http_parley_revocation_reader_wrong(job,
                                                       "it is larger than 16m");
    }

    len = (size_t) ngx_file_size(&fi);
    p = malloc(len ? len : 1);

    if (p == NULL) {
        return NGX_AGAIN;
    }

    *text = parley_str_make(p, len);

    for (at = 0; at < len; at += (size_t) n) {

        if (ngx_http_parley_revocation_reader_is_cancelled(job)) {
            return NGX_AGAIN;
        }

        n = ngx_read_fd(fd, p + at,
                        ngx_min(len - at, NGX_HTTP_PARLEY_REVOKING_PIECE));

        if (n <= 0) {
            return ngx_http_parley_revocation_reader_wrong(job,
                                                           "read() failed");
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_revocation_reader_parse(
    ngx_http_parley_revocation_reader_t *job,
    parley_str_t text)
{
    char            place[PARLEY_PLACE_MAX];
    parley_error_t  err;

    if (ngx_http_parley_revocation_reader_mark(job->file, text,
                                               &job->mark) != NGX_OK
        || ngx_http_parley_revocation_reader_is_cancelled(job))
    {
        return NGX_AGAIN;
    }

    if (job->mark == job->known) {
        return NGX_OK;
    }

    if (parley_revocations_parse(&job->arena, text, job->seed, &job->list,
                                 &err)
        == 0)
    {
        return NGX_OK;
    }

    (void) parley_error_place(&err, text, place);
    (void) snprintf(job->why, sizeof(job->why), "%s%s%s%s%s", place,
                    place[0] ? ": " : "", err.field, err.field[0] ? " " : "",
                    err.text);

    return err.code == PARLEY_E_CAPACITY ? NGX_AGAIN : NGX_DECLINED;
}


ngx_int_t
ngx_http_parley_revocation_reader_mark(parley_str_t file, parley_str_t text,
    ngx_uint_t *ret)
{
    u_char        digest[PARLEY_SHA256_LEN];
    parley_str_t  parts[3];

    parts[0] = file;
    parts[1] = PARLEY_STR("\n");
    parts[2] = text;

    if (parley_sha256_parts(parts, 3, digest) != 0) {
        return NGX_ERROR;
    }

    ngx_memcpy(ret, digest, sizeof(ngx_uint_t));

    *ret |= 1;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_revocation_reader_wrong(
    ngx_http_parley_revocation_reader_t *job,
    const char *why)
{
    (void) snprintf(job->why, sizeof(job->why), "%s", why);

    return NGX_DECLINED;
}


static ngx_uint_t
ngx_http_parley_revocation_reader_is_cancelled(
    const ngx_http_parley_revocation_reader_t *job)
{
    return __atomic_load_n(&job->cancelled, __ATOMIC_RELAXED) != 0;
}
