
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A message from a WebSocket.  It has its own gate, with the environment of
 * the connection, and its own pool, which is destroyed with it.  A detached
 * request would run the phases of a location, which do not apply, and would
 * need 12 KB more.  A common gate would have to reset its decisions for each
 * message.  The token of the opening is verified again, because it may have
 * expired or be revoked.
 *
 * The message does not block the worker: if it waits for the state or for
 * keys, it continues later.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "gate/endpoint/parley_gate_upgrade.h"


/* enough for a context and the arena's first block */
#define NGX_HTTP_PARLEY_FRAME_POOL  16384


static void ngx_http_parley_frame_again(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_frame_run(ngx_http_parley_frame_t *frame);
static ngx_int_t ngx_http_parley_frame_answer(ngx_http_parley_frame_t *frame,
    parley_step_result_t result);
static void ngx_http_parley_frame_greeting(ngx_http_parley_frame_t *frame);
static void ngx_http_parley_frame_done(ngx_http_parley_frame_t *frame);


ngx_int_t
ngx_http_parley_websocket_message(ngx_http_parley_websocket_t *ws,
    parley_str_t text)
{
    ngx_pool_t               *pool;
    ngx_http_parley_ctx_t    *ctx;
    ngx_http_parley_frame_t  *frame;

    pool = ngx_create_pool(NGX_HTTP_PARLEY_FRAME_POOL, ws->connection->log);
    if (pool == NULL) {
        return NGX_ERROR;
    }

    frame = ngx_palloc(pool, sizeof(ngx_http_parley_frame_t));
    if (frame == NULL) {
        ngx_destroy_pool(pool);
        return NGX_ERROR;
    }

    frame->ws = ws;
    frame->pool = pool;

    ctx = &frame->ctx;

    ws->ctx->mcf->contexts->frame(ctx, ws->request, pool);

    ctx->again = ngx_http_parley_frame_again;
    ctx->body = text;
    ctx->body_read = 1;
    ctx->gate.in.supplied_token = ws->ctx->gate.proof.shown;

    ws->frame = frame;

    return ngx_http_parley_frame_run(frame);
}


/* Continues the message after the wait. */

static void
ngx_http_parley_frame_again(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_frame_t *frame = (ngx_http_parley_frame_t *) ctx;

    ngx_http_parley_websocket_t  *ws;

    ws = frame->ws;

    switch (ngx_http_parley_frame_run(frame)) {

    case NGX_AGAIN:
        return;

    case NGX_ERROR:
        ws->gone = 1;
        break;

    default: /* NGX_OK */
        break;
    }

    ngx_http_parley_websocket_post(ws);
}


static ngx_int_t
ngx_http_parley_frame_run(ngx_http_parley_frame_t *frame)
{
    ngx_int_t               rc;
    parley_step_result_t    result;
    ngx_http_parley_ctx_t  *ctx;

    ctx = &frame->ctx;

    ngx_http_parley_count_begin(ctx);

    result = parley_gate_run(&ctx->gate, (int64_t) ngx_current_msec);

    ngx_http_parley_count_end(ctx);

    ngx_http_parley_forgotten(ctx);

    if (result == PARLEY_RESULT_WAIT) {

        if (parley_ask_waits(&ctx->gate.ask)) {
            ngx_http_parley_wait_message(ctx);
        }

        return NGX_AGAIN;
    }

    ngx_http_parley_frame_greeting(frame);

    rc = ngx_http_parley_frame_answer(frame, result);

    ngx_http_parley_frame_done(frame);

    return rc;
}


/* Queues the answer of the HTTP binding without its status, if there is an
   answer. */

static ngx_int_t
ngx_http_parley_frame_answer(ngx_http_parley_frame_t *frame,
    parley_step_result_t result)
{
    parley_reply_t                reply;
    ngx_http_parley_ctx_t        *ctx;
    ngx_http_parley_websocket_t  *ws;

    ctx = &frame->ctx;
    ws = frame->ws;

    switch (result) {

    case PARLEY_RESULT_ANSWERED:
        reply = ctx->gate.out.reply;
        break;

    case PARLEY_RESULT_REFUSED:
        ngx_http_parley_log_refusal(ctx->request, ctx);

        if (ngx_http_parley_refusal(ctx->request, ctx, &reply) != NGX_OK) {
            return NGX_ERROR;
        }

        break;

    default: /* PARLEY_RESULT_FAILED */
        return ngx_http_parley_websocket_close(ws, PARLEY_CLOSE_FAILED,
                                               parley_str_none);
    }

    /* nothing follows a close frame or goes to a departed client */

    return reply.body.len == 0 || ws->closing || ws->gone
           ? NGX_OK : ngx_http_parley_websocket_text(ws, reply.body);
}


/* Logs if the first message does not have the expected intent. */

static void
ngx_http_parley_frame_greeting(ngx_http_parley_frame_t *frame)
{
    ngx_str_t                     intent;
    ngx_http_parley_websocket_t  *ws;

    ws = frame->ws;

    if (ws->greeted) {
        return;
    }

    ws->greeted = 1;

    intent = ngx_http_parley_ngx_str(
                                 parley_gate_upgrade_lacks(&frame->ctx.gate));

    if (intent.len) {
        ngx_log_error(NGX_LOG_INFO, ws->connection->log, 0,
                      "parley: first message of a WebSocket is not \"%V\"",
                      &intent);
    }
}


static void
ngx_http_parley_frame_done(ngx_http_parley_frame_t *frame)
{
    frame->ws->frame = NULL;

    frame->ctx.mcf->contexts->leave(&frame->ctx);
    ngx_destroy_pool(frame->pool);
}


void
ngx_http_parley_websocket_abandon(ngx_http_parley_websocket_t *ws)
{
    if (ws->frame) {
        ngx_http_parley_frame_done(ws->frame);
    }
}
