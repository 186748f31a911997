
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Reads the file of parley_revocations in a thread.
 */


#ifndef _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "auth/parley_revocation.h"
#include "gate/settings/parley_settings.h"

#include <pthread.h>


typedef struct ngx_http_parley_revocation_reader_s
    ngx_http_parley_revocation_reader_t;


/*
 * One reading.  Its thread uses only this structure and the memory that it
 * allocates.  The event loop reads the result only after done is set.
 */
struct ngx_http_parley_revocation_reader_s {
    parley_str_t           file;        /* zero-terminated */
    uint64_t               seed;
    ngx_uint_t             known;       /* mark of a list that is loaded and
                                           need not be parsed again; 0: none */

    /* the result: NGX_OK; NGX_DECLINED with why; NGX_AGAIN: memory is
       exhausted or the reading was cancelled */
    ngx_int_t              rc;
    ngx_uint_t             mark;        /* mark of the list; never 0 */
    parley_revocations_t  *list;        /* in arena; NULL: the known list */
    parley_arena_t         arena;
    char                   why[PARLEY_PROBLEM_TEXT];

    pthread_t              thread;
    int                    done;        /* atomic */
    int                    cancelled;   /* atomic; the result is not needed */
    unsigned               threaded:1;
};


/*
 * Begins a reading; known is the mark of the loaded list.  With at_once, or if
 * a thread cannot be created, the reading is complete on return.  Returns NULL
 * if memory is exhausted.
 */
ngx_http_parley_revocation_reader_t *ngx_http_parley_revocation_reader_begin(
    const ngx_http_parley_main_conf_t *mcf, ngx_uint_t known,
    ngx_uint_t at_once);

ngx_uint_t ngx_http_parley_revocation_reader_is_done(
    const ngx_http_parley_revocation_reader_t *job);

/*
 * Frees the reading and its arena.  A caller that takes the arena must put an
 * empty one in its place.  A running thread is cancelled and waited for.
 */
void ngx_http_parley_revocation_reader_end(
    ngx_http_parley_revocation_reader_t *job);

/*
 * Computes the mark of a list in a file, which differs for other lists and
 * files.  It is never 0.  Returns NGX_OK, or NGX_ERROR if memory is exhausted.
 */
ngx_int_t ngx_http_parley_revocation_reader_mark(parley_str_t file,
    parley_str_t text, ngx_uint_t *ret);


#endif /* _NGX_HTTP_PARLEY_REVOCATIONS_H_INCLUDED_ */
