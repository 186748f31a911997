
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A message that waits for the state does not block its worker.  A request's
 * phase runs again when the state answers.  An answer's output is held by the
 * filters.  The wait for a slow state is limited.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"


static ngx_int_t ngx_http_parley_wait_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_http_parley_waited_pt waited);
static void ngx_http_parley_wait_timeout(ngx_event_t *ev);
static void ngx_http_parley_wait_over(ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_waited_phase(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_waited_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_wait_phase(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx->waited) {
        /* an event of the client; its handler runs the phases */
        return NGX_DONE;
    }

    if (ngx_http_parley_wait_watch(r) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_parley_wait_start(r, ctx, ngx_http_parley_waited_phase);
}


void
ngx_http_parley_wait_message(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->waited == NULL) {
        (void) ngx_http_parley_wait_start(ctx->request, ctx, ctx->again);
    }
}


ngx_int_t
ngx_http_parley_wait_watch(ngx_http_request_t *r)
{
    ngx_event_t  *rev;

    rev = r->connection->read;

    if (rev->ready) {
        ngx_post_event(rev, &ngx_posted_events);

    } else if (ngx_handle_read_event(rev, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    r->read_event_handler = ngx_http_test_reading;
    r->write_event_handler = ngx_http_request_empty_handler;

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_wait_answer(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_resume_pt resume)
{
    if (ctx->waited == NULL) {
        ctx->resumed = resume;

        (void) ngx_http_parley_wait_start(r, ctx,
                                          ngx_http_parley_waited_answer);

        /* delays the end of the request until the state answers */
        r->main->blocked++;
        r->buffered |= NGX_HTTP_PARLEY_BUFFERED;
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_http_parley_wait_start(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_waited_pt waited)
{
    ctx->waited = waited;

    ctx->waiting.handler = ngx_http_parley_wait_timeout;
    ctx->waiting.data = ctx;
    ctx->waiting.log = r->connection->log;

    ngx_add_timer(&ctx->waiting,
                  (ngx_msec_t) parley_ask_left(&ctx->gate.ask));

    return NGX_DONE;
}


void
ngx_http_parley_wait_resume(parley_ask_t *q)
{
    ngx_http_parley_wait_over(q->ctx);
}


/* Cancels the question to the state. */

static void
ngx_http_parley_wait_timeout(ngx_event_t *ev)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ev->data;

    ngx_log_error(NGX_LOG_ERR, ctx->request->connection->log, 0,
                  "parley: wait for the state ended: no answer in time");

    parley_gate_end_deadline(&ctx->gate);

    ngx_http_parley_wait_over(ctx);
}


static void
ngx_http_parley_wait_over(ngx_http_parley_ctx_t *ctx)
{
    ngx_connection_t           *c;
    ngx_http_request_t         *r;
    ngx_http_parley_waited_pt   waited;

    r = ctx->request;
    c = r->connection;
    waited = ctx->waited;

    ngx_http_parley_wait_stop(ctx);
    ngx_http_set_log_request(c->log, r);

    waited(r, ctx);

    ngx_http_run_posted_requests(c);
}


void
ngx_http_parley_wait_stop(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->waiting.timer_set) {
        ngx_del_timer(&ctx->waiting);
    }

    ctx->waited = NULL;
}


static void
ngx_http_parley_waited_phase(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_wait_again(r);
}


void
ngx_http_parley_wait_again(ngx_http_request_t *r)
{
    if (ngx_handle_read_event(r->connection->read, 0) != NGX_OK) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    r->read_event_handler = ngx_http_block_reading;
    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
}


/*
 * Continues the answer, and then the reading of the upstream or the sending of
 * the rest.
 */

static void
ngx_http_parley_waited_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    r->main->blocked--;
    r->buffered &= ~NGX_HTTP_PARLEY_BUFFERED;

    rc = ctx->resumed(r, ctx);

    if (ctx->waited) {
        return;
    }

    if (rc == NGX_ERROR || rc > NGX_OK) {
        ngx_http_finalize_request(r, rc);
        return;
    }

    r->write_event_handler(r);
}
