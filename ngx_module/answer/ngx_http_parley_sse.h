
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An answer of events, between ngx_http_parley_sse_pass.c, its octets, and
 * ngx_http_parley_sse.c, what they say.
 */


#ifndef _NGX_HTTP_PARLEY_SSE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_SSE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


typedef struct {
    u_char                   *data;
    size_t                    len;
    size_t                    size;
} ngx_http_parley_sse_text_t;


typedef ngx_int_t (*ngx_http_parley_held_pt)(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


struct ngx_http_parley_sse_s {
    ngx_http_parley_ctx_t      *ctx;
    parley_slot_t              *slot;       /* where it is counted */
    ngx_queue_t                 queue;      /* of mcf->streams */
    ngx_uint_t                  round;      /* when it was looked at, see
                                               ..._revocations_t */

    parley_arena_t              arena;      /* of one event: streams live
                                               long */
    parley_events_t             events;

    ngx_chain_t                *in;         /* not read yet */
    ngx_http_parley_sse_text_t  out;        /* what waits to be sent */

    ngx_chain_t                *free;
    ngx_chain_t                *busy;
    ngx_chain_t                *lost;       /* its client has left */

    ngx_event_t                 expiry;     /* SEC-15 */
    int64_t                     expires;    /* ms since 1970 */

    ngx_http_parley_held_pt     held;       /* goes on once the state has
                                               answered; NULL: nothing waits */
    parley_event_t              event;      /* what came of it, while held */
    parley_answered_t           answered;
    parley_reply_t              reply;

    unsigned                    single:1;   /* the caller gets one object */
    unsigned                    finished:1; /* nothing more is read */
    unsigned                    ended:1;    /* the upstream has ended */
    unsigned                    last:1;     /* the caller has all of it */
    unsigned                    warned:1;   /* of what it is not told */
};


/*
 * ngx_http_parley_sse.c: what an event, the end of the stream (whole or broken
 * off) and an error in it (ctx->error) do.  NGX_OK, NGX_ERROR; NGX_AGAIN: it is
 * held, and the arena with it.
 */
ngx_int_t ngx_http_parley_sse_event(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_event_t *event);
ngx_int_t ngx_http_parley_sse_end(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t whole);
ngx_int_t ngx_http_parley_sse_fail(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/*
 * ngx_http_parley_sse_pass.c: puts an event, or the comment that its data is,
 * where it will be sent from.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_sse_write(ngx_http_parley_sse_t *sse,
    const parley_event_t *event, ngx_uint_t comment);

/* Gives back what waits to be sent. */
void ngx_http_parley_sse_free(ngx_http_parley_sse_t *sse);


#endif /* _NGX_HTTP_PARLEY_SSE_H_INCLUDED_ */
