
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reading the file of parley_revocations beside the event loop.
 */


#ifndef _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"

#include <pthread.h>


/*
 * One reading.  The thread that does it uses nothing but this and what it
 * allocates; nobody else looks at the result before it is done.
 */
struct ngx_http_parley_revocation_reader_s {
    parley_str_t           file;        /* zero-terminated */
    uint64_t               seed;
    ngx_uint_t             known;       /* the mark of a list that need not be
                                           parsed: it is there; 0: none */

    /* what came of it: NGX_OK; NGX_DECLINED, and why; NGX_AGAIN: no memory */
    ngx_int_t              rc;
    ngx_uint_t             mark;        /* of the list; never 0 */
    parley_revocations_t  *list;        /* in arena; NULL: it is known */
    parley_arena_t         arena;
    char                   why[PARLEY_PROBLEM_TEXT];

    pthread_t              thread;
    int                    done;        /* atomic */
    int                    cancelled;   /* atomic: nobody wants it any more */
    unsigned               threaded:1;
};


/*
 * Begins to read; known as above.  Where no thread can be had, or at_once, it
 * is done when this returns.  NULL: no memory.
 */
ngx_http_parley_revocation_reader_t *ngx_http_parley_revocation_reader_begin(
    ngx_http_parley_main_conf_t *mcf, ngx_uint_t known, ngx_uint_t at_once);

ngx_uint_t ngx_http_parley_revocation_reader_is_done(
    const ngx_http_parley_revocation_reader_t *job);

/*
 * Frees it, with its arena unless that was taken (an empty one left in its
 * place).  One that is not done is cancelled and waited for.
 */
void ngx_http_parley_revocation_reader_end(
    ngx_http_parley_revocation_reader_t *job);

/*
 * What tells one list of one file from another; never 0.  NGX_ERROR: no
 * memory.
 */
ngx_int_t ngx_http_parley_revocation_reader_mark(parley_str_t file,
    parley_str_t text, ngx_uint_t *ret);


#endif /* _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_ */
