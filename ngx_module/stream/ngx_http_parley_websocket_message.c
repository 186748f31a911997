
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A message that came by a WebSocket.  It has a gate of its own, whose
 * environment is the connection's, and a pool of its own, which goes with it:
 * a request of nginx's (a detached one) would take the phases of a location
 * that has nothing to say to a frame, and 12 KB more; one gate for all would
 * have to forget, for each, what it decided.  What the opening proved is proven
 * anew, by the same token: it may have expired, or be revoked.
 *
 * It keeps no worker: where the state or keys are waited for, it goes on when
 * they are there.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/worker/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_state.h"
#include "ngx_module/stream/ngx_http_parley_websocket.h"
#include "gate/endpoint/parley_gate_upgrade.h"


/* a context, and its arena's first block, for a message of usual size */
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

    ngx_http_parley_ctx_init(ctx, ws->request, pool);
    ngx_http_parley_gate_frame(ctx);

    ctx->again = ngx_http_parley_frame_again;
    ctx->body = text;
    ctx->body_read = 1;
    ctx->gate.supplied_token = ws->ctx->gate.shown;

    ws->frame = frame;

    return ngx_http_parley_frame_run(frame);
}


/* what it waited for is there */

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


/* the answer of HTTP's binding, without its status; there may be none */

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
        reply = ctx->gate.reply;
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

    /* nothing goes behind a close; who is gone hears nothing */

    return reply.body.len == 0 || ws->closing || ws->gone
           ? NGX_OK : ngx_http_parley_websocket_text(ws, reply.body);
}


/* once: of the first message */

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
                                 parley_handshake_lacks(&frame->ctx.gate));

    if (intent.len) {
        ngx_log_error(NGX_LOG_INFO, ws->connection->log, 0,
                      "parley: the first message of this WebSocket is no "
                      "\"%V\"", &intent);
    }
}


static void
ngx_http_parley_frame_done(ngx_http_parley_frame_t *frame)
{
    frame->ws->frame = NULL;

    ngx_http_parley_ctx_leave(&frame->ctx);
    ngx_destroy_pool(frame->pool);
}


void
ngx_http_parley_websocket_abandon(ngx_http_parley_websocket_t *ws)
{
    if (ws->frame) {
        ngx_http_parley_frame_done(ws->frame);
    }
}
