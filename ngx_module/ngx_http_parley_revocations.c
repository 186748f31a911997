
/*
 * Copyright (C) 2026 The Parley authors
 *
 * parley_revocations: every worker looks at the file twice a second, those of
 * earlier configurations as well, and ends the streams of whoever is revoked by
 * now (SEC-15, SEC-16).  A list that cannot be read leaves the last good one in
 * force.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_hub.h"
#include "ngx_http_parley_request.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_sse.h"

#include "parley_digest.h"


/* milliseconds */
#define NGX_HTTP_PARLEY_REVOCATIONS_LOOK   500

/* a file that was written less than so many seconds before it was read may
   change and look the same */
#define NGX_HTTP_PARLEY_REVOCATIONS_FRESH  2


static void ngx_http_parley_revocations_tick(ngx_event_t *ev);
static void ngx_http_parley_revocations_look(
    ngx_http_parley_revocations_t *w);
static ngx_uint_t ngx_http_parley_revocations_changed(
    ngx_http_parley_revocations_t *w, ngx_file_info_t *fi);
static ngx_int_t ngx_http_parley_revocations_read(
    ngx_http_parley_revocations_t *w, ngx_str_t *text, const char **why);
static ngx_int_t ngx_http_parley_revocations_take(
    ngx_http_parley_revocations_t *w, ngx_str_t *text, char *why);
static void ngx_http_parley_revocations_adopt(
    ngx_http_parley_revocations_t *w, parley_arena_t *arena,
    parley_revocations_t *list);
static ngx_int_t ngx_http_parley_revocations_mark(
    ngx_http_parley_revocations_t *w, parley_str_t text, ngx_uint_t *ret);
static void ngx_http_parley_revocations_failed(
    ngx_http_parley_revocations_t *w, const char *why);
static ngx_uint_t ngx_http_parley_revocations_tell(
    ngx_http_parley_revocations_t *w, ngx_uint_t what);
static void ngx_http_parley_revocations_end(
    ngx_http_parley_revocations_t *w);
static ngx_http_parley_sse_t *ngx_http_parley_revocations_next(
    ngx_http_parley_revocations_t *w);


ngx_int_t
ngx_http_parley_revocations_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf)
{
    ngx_http_parley_revocations_t  *w;

    if (mcf->http.revocations_file.len == 0) {
        return NGX_OK;
    }

    w = ngx_pcalloc(cycle->pool, sizeof(ngx_http_parley_revocations_t));
    if (w == NULL) {
        return NGX_ERROR;
    }

    w->mcf = mcf;
    w->log = cycle->log;
    w->changed = 1;

    if (ngx_http_parley_revocations_mark(w, mcf->http.revocations_text,
                                         &w->began)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    w->tick.handler = ngx_http_parley_revocations_tick;
    w->tick.data = w;
    w->tick.log = cycle->log;
    w->tick.cancelable = 1;

    mcf->revocations = w;

    ngx_http_parley_revocations_look(w);
    ngx_add_timer(&w->tick, NGX_HTTP_PARLEY_REVOCATIONS_LOOK);

    return NGX_OK;
}


void
ngx_http_parley_revocations_exit(ngx_http_parley_main_conf_t *mcf)
{
    ngx_http_parley_revocations_t  *w;

    w = mcf->revocations;

    if (w && w->adopted) {
        mcf->http.revocations = NULL;
        parley_arena_reset(&w->arena);
    }
}


ngx_uint_t
ngx_http_parley_revocations_are_readable(ngx_http_parley_main_conf_t *mcf)
{
    return mcf->revocations == NULL || !mcf->revocations->failed;
}


static void
ngx_http_parley_revocations_tick(ngx_event_t *ev)
{
    ngx_http_parley_revocations_t  *w = ev->data;

    ngx_add_timer(ev, NGX_HTTP_PARLEY_REVOCATIONS_LOOK);

    ngx_http_parley_revocations_look(w);

    if (w->ends) {
        ngx_http_parley_revocations_end(w);
    }
}


static void
ngx_http_parley_revocations_look(ngx_http_parley_revocations_t *w)
{
    char              wrong[PARLEY_PROBLEM_TEXT];
    ngx_int_t         rc;
    ngx_str_t         text;
    const char       *why;
    ngx_file_info_t   fi;

    if (ngx_file_info(w->mcf->http.revocations_file.data, &fi)
        == NGX_FILE_ERROR)
    {
        ngx_memzero(&w->seen, sizeof(ngx_file_info_t));
        ngx_http_parley_revocations_failed(w, "it cannot be found");
        return;
    }

    if (!ngx_http_parley_revocations_changed(w, &fi)) {
        return;
    }

    ngx_str_null(&text);

    rc = ngx_http_parley_revocations_read(w, &text, &why);

    if (rc == NGX_OK) {
        rc = ngx_http_parley_revocations_take(w, &text, wrong);
        why = wrong;
        ngx_free(text.data);
    }

    if (rc == NGX_AGAIN) {
        /* no memory: it is looked at again */
        w->changed = 1;
        return;
    }

    if (rc != NGX_OK) {
        ngx_http_parley_revocations_failed(w, why);
        return;
    }

    w->failed = 0;
    w->said = 0;
}


/*
 * As it is replaced by renaming, or written in place all the same: what was
 * written just now is read again, as its times are of whole seconds here.
 */

static ngx_uint_t
ngx_http_parley_revocations_changed(ngx_http_parley_revocations_t *w,
    ngx_file_info_t *fi)
{
    ngx_uint_t  changed;

    changed = w->changed
              || ngx_file_uniq(fi) != ngx_file_uniq(&w->seen)
              || ngx_file_size(fi) != ngx_file_size(&w->seen)
              || ngx_file_mtime(fi) != ngx_file_mtime(&w->seen)
              || fi->st_ctime != w->seen.st_ctime;

    w->seen = *fi;
    w->changed = changed && ngx_time() - fi->st_ctime
                            < NGX_HTTP_PARLEY_REVOCATIONS_FRESH;

    return changed;
}


/* NGX_OK and octets of ngx_alloc(); NGX_DECLINED and why; NGX_AGAIN */

static ngx_int_t
ngx_http_parley_revocations_read(ngx_http_parley_revocations_t *w,
    ngx_str_t *text, const char **why)
{
    ssize_t           n;
    ngx_file_t        file;
    ngx_file_info_t   fi;

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = ngx_http_parley_ngx_str(w->mcf->http.revocations_file);
    file.log = w->log;

    /* a pipe in its place keeps no worker waiting */

    file.fd = ngx_open_file(file.name.data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                            NGX_FILE_OPEN, 0);

    if (file.fd == NGX_INVALID_FILE) {
        *why = "it cannot be opened";
        return NGX_DECLINED;
    }

    n = NGX_ERROR;
    *why = "it cannot be read";

    if (ngx_fd_info(file.fd, &fi) == NGX_FILE_ERROR || !ngx_is_file(&fi)) {
        *why = "it is no file";

    } else if (ngx_file_size(&fi) > PARLEY_REVOCATIONS_OCTETS) {
        *why = "it is larger than 16m";

    } else {
        text->len = (size_t) ngx_file_size(&fi);
        text->data = ngx_alloc(text->len ? text->len : 1, w->log);

        if (text->data) {
            n = ngx_read_file(&file, text->data, text->len, 0);

            if (n != (ssize_t) text->len) {
                ngx_free(text->data);
                n = NGX_ERROR;
            }

        } else {
            n = NGX_AGAIN;
        }
    }

    if (ngx_close_file(file.fd) == NGX_FILE_ERROR) {
        ngx_log_error(NGX_LOG_ALERT, w->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed", &file.name);
    }

    return n == NGX_AGAIN ? NGX_AGAIN : n == NGX_ERROR ? NGX_DECLINED : NGX_OK;
}


/* the same; why: at least PARLEY_PROBLEM_TEXT octets */

static ngx_int_t
ngx_http_parley_revocations_take(ngx_http_parley_revocations_t *w,
    ngx_str_t *text, char *why)
{
    ngx_uint_t             mark;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_revocations_t  *list;

    if (ngx_http_parley_revocations_mark(w, ngx_http_parley_str(text), &mark)
        != NGX_OK)
    {
        return NGX_AGAIN;
    }

    if (mark == w->mark) {

        if (w->failed && ngx_http_parley_revocations_tell(w, mark)) {
            ngx_log_error(NGX_LOG_WARN, w->log, 0,
                          "parley: \"%s\" of parley_revocations can be read "
                          "again", w->mcf->http.revocations_file.data);
        }

        return NGX_OK;
    }

    parley_arena_init(&arena, &parley_mem_libc, 65536);

    if (parley_revocations_parse(&arena, ngx_http_parley_str(text), &list,
                                 &err)
        != 0)
    {
        parley_arena_reset(&arena);

        (void) snprintf(why, PARLEY_PROBLEM_TEXT, "%s%s%s", err.field,
                        err.field[0] ? " " : "", err.text);

        return err.code == PARLEY_E_CAPACITY ? NGX_AGAIN : NGX_DECLINED;
    }

    ngx_http_parley_revocations_adopt(w, &arena, list);

    if (ngx_http_parley_revocations_tell(w, mark)) {
        ngx_log_error((w->failed ? NGX_LOG_WARN : NGX_LOG_NOTICE), w->log, 0,
                      "parley: %uz revocations of \"%s\" are in force",
                      parley_revocations_count(list),
                      w->mcf->http.revocations_file.data);
    }

    w->mark = mark;
    w->mcf->zone->sh->revocations = mark;

    return NGX_OK;
}


static void
ngx_http_parley_revocations_adopt(ngx_http_parley_revocations_t *w,
    parley_arena_t *arena, parley_revocations_t *list)
{
    if (w->adopted) {
        parley_arena_reset(&w->arena);
    }

    w->arena = *arena;
    w->adopted = 1;
    w->ends = 1;

    w->mcf->http.revocations = list;
    w->mcf->http.revocations_lost = 0;
}


/* what tells one list of one file from another; never 0 */

static ngx_int_t
ngx_http_parley_revocations_mark(ngx_http_parley_revocations_t *w,
    parley_str_t text, ngx_uint_t *ret)
{
    u_char        digest[PARLEY_SHA256_LEN];
    parley_str_t  parts[3];

    parts[0] = w->mcf->http.revocations_file;
    parts[1] = PARLEY_STR("\n");
    parts[2] = text;

    if (parley_sha256_parts(parts, 3, digest) != 0) {
        return NGX_ERROR;
    }

    ngx_memcpy(ret, digest, sizeof(ngx_uint_t));

    *ret |= 1;

    return NGX_OK;
}


/*
 * A worker that takes a dead one's place has the list that nginx was started
 * with.  Where there was a later one and it cannot be read, nobody is known not
 * to be revoked.
 */

static void
ngx_http_parley_revocations_failed(ngx_http_parley_revocations_t *w,
    const char *why)
{
    ngx_uint_t                    what;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = w->mcf;
    w->failed = 1;

    if (w->mark == 0 && mcf->zone->sh->revocations
        && mcf->zone->sh->revocations != w->began)
    {
        mcf->http.revocations_lost = 1;
    }

    /* even: no list has it */

    what = ((ngx_uint_t) ngx_file_uniq(&w->seen) << NGX_PTR_SIZE * 4)
           + ((ngx_uint_t) ngx_file_mtime(&w->seen) << 2) + 4
           + (mcf->http.revocations_lost ? 2 : 0);

    if (w->said == what) {
        return;
    }

    w->said = what;

    if (ngx_http_parley_revocations_tell(w, what)) {
        ngx_log_error(NGX_LOG_ERR, w->log, 0,
                      "parley: \"%s\" of parley_revocations is of no use, %s: "
                      "%s", mcf->http.revocations_file.data,
                      mcf->http.revocations_lost
                      ? "and the last good list is not known: nobody passes"
                      : "the last good list stays in force", why);
    }
}


/* each thing that happens to the file is told by one of the workers */

static ngx_uint_t
ngx_http_parley_revocations_tell(ngx_http_parley_revocations_t *w,
    ngx_uint_t what)
{
    ngx_atomic_t      *told;
    ngx_atomic_uint_t  before;

    told = &w->mcf->zone->sh->revocations_told;
    before = *told;

    return before != what && ngx_atomic_cmp_set(told, before, what);
}


/* one that waits for the state is looked at again with the next tick */

static void
ngx_http_parley_revocations_end(ngx_http_parley_revocations_t *w)
{
    ngx_http_parley_ctx_t  *ctx;
    ngx_http_parley_sse_t  *sse;

    w->ends = 0;
    w->round++;

    if (w->mcf->hub) {
        ngx_http_parley_hub_revoke(w->mcf->hub);
    }

    /* to end one may free others; who was looked at stands last */

    while ((sse = ngx_http_parley_revocations_next(w)) != NULL) {
        ctx = sse->ctx;
        sse->round = w->round;

        ngx_queue_remove(&sse->queue);
        ngx_queue_insert_tail(&w->mcf->streams, &sse->queue);

        if (ctx->waited) {
            w->ends = 1;
            continue;
        }

        if (ctx->error.code == PARLEY_E_NONE
            && parley_gate_revoked(&ctx->gate) != 0)
        {
            ngx_http_parley_sse_stop(ctx);
        }
    }
}


static ngx_http_parley_sse_t *
ngx_http_parley_revocations_next(ngx_http_parley_revocations_t *w)
{
    ngx_queue_t            *q;
    ngx_http_parley_sse_t  *sse;

    q = ngx_queue_head(&w->mcf->streams);

    if (q == ngx_queue_sentinel(&w->mcf->streams)) {
        return NULL;
    }

    sse = ngx_queue_data(q, ngx_http_parley_sse_t, queue);

    return sse->round != w->round ? sse : NULL;
}
