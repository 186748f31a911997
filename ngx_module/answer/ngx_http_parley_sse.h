
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The private interface of an answer of events: ngx_http_parley_sse_pass.c
 * moves the octets, and ngx_http_parley_sse.c processes the events.
 */


#ifndef _NGX_HTTP_PARLEY_SSE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_SSE_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "http/parley_events.h"


typedef struct {
    u_char                   *data;
    size_t                    len;
    size_t                    size;
} ngx_http_parley_sse_text_t;


struct ngx_http_parley_sse_s {
    ngx_http_parley_ctx_t      *ctx;
    struct parley_slot_s       *slot;       /* counters of the stream */
    ngx_queue_t                 queue;      /* link in worker->streams */
    ngx_uint_t                  round;      /* last check for revocations, see
                                               ..._revocations_t */

    parley_arena_t              arena;      /* memory of one event: streams
                                               last long */
    parley_events_t             events;

    ngx_chain_t                *in;         /* not read yet */
    ngx_http_parley_sse_text_t  out;        /* waits to be sent */

    ngx_chain_t                *free;
    ngx_chain_t                *busy;
    ngx_chain_t                *lost;       /* unsent buffers of a departed
                                               client */

    ngx_event_t                 expiry;     /* timer of the token's expiry
                                               (SEC-15) and of the session */
    int64_t                     expires;    /* ms since 1970 */

    ngx_http_parley_resume_pt   held;       /* continues when the state has
                                               answered; NULL: no wait */
    parley_event_t              event;      /* the held event */
    parley_answered_t           answered;
    parley_reply_t              reply;

    unsigned                    single:1;   /* the caller gets one object */
    unsigned                    finished:1; /* no further input is read */
    unsigned                    ended:1;    /* the upstream has ended */
    unsigned                    last:1;     /* the caller has everything */
    unsigned                    flush:1;    /* send the header now */
    unsigned                    warned:1;   /* a warning was logged */
    unsigned                    skips:1;    /* the last event is replaced by an
                                               error with its id */
};


/*
 * ngx_http_parley_sse.c: process an event, the end of the stream (complete or
 * early), and an error in it (ctx->error).  Return NGX_OK, NGX_ERROR, or
 * NGX_AGAIN if the event waits for the state.  Then the arena must be kept.
 */
ngx_int_t ngx_http_parley_sse_event(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_event_t *event);
ngx_int_t ngx_http_parley_sse_end(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t whole);
ngx_int_t ngx_http_parley_sse_fail(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/*
 * ngx_http_parley_sse_pass.c: appends an event, or its data as a comment, to
 * the output.  Returns NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_sse_write(ngx_http_parley_sse_t *sse,
    const parley_event_t *event, ngx_uint_t comment);

/* Frees the unsent output. */
void ngx_http_parley_sse_free(ngx_http_parley_sse_t *sse);


#endif /* _NGX_HTTP_PARLEY_SSE_H_INCLUDED_ */
