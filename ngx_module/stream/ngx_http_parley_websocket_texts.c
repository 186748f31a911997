
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The messages of a WebSocket that goes on to a service.  A message of the
 * client that passed the steps is sent, and kept until the service answers it.
 * A text of the service is an answer to one of these messages, or a message
 * that the service sends without being asked.
 *
 * A kept message that is not answered in time is settled as taken, like one
 * that a service answers with 202.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/stream/ngx_http_parley_websocket_pass.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/correlation/parley_exchange.h"
#include "gate/metrics/parley_counters.h"


/* maximum messages without an answer, and octets of their texts */
#define NGX_HTTP_PARLEY_PASS_SENT    32
#define NGX_HTTP_PARLEY_PASS_OCTETS  262144


static void ngx_http_parley_pass_settle(ngx_http_parley_pass_t *p,
    ngx_http_parley_frame_t *frame);
static ngx_int_t ngx_http_parley_pass_text(ngx_http_parley_pass_t *p,
    parley_str_t text);
static ngx_http_parley_ctx_t *ngx_http_parley_pass_find(
    ngx_http_parley_pass_t *p, parley_str_t text);
static ngx_int_t ngx_http_parley_pass_answered(ngx_http_parley_pass_t *p,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_pass_bad(ngx_http_parley_pass_t *p,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_pass_unmatched(ngx_http_parley_pass_t *p);
static void ngx_http_parley_pass_again(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_pass_drop(ngx_http_parley_pass_t *p,
    ngx_http_parley_frame_t *frame);


ngx_int_t
ngx_http_parley_pass_forward(ngx_http_parley_frame_t *frame)
{
    parley_gate_t           *g;
    ngx_http_parley_pass_t  *p;

    p = (ngx_http_parley_pass_t *) frame->socket;
    g = &frame->ctx.gate;

    ngx_queue_insert_tail(&p->sent, &frame->queue);
    p->nsent++;
    p->octets += frame->size;

    if (p->service.closing || p->service.gone) {
        /* settled as not taken when the WebSocket ends */
        return NGX_OK;
    }

    if (ngx_http_parley_side_text(&p->service,
                                  g->out.sent.copied ? frame->ctx.body
                                                     : g->out.sent.body)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    frame->sent = 1;

    if (!parley_gate_socket_is_answerable(g)) {
        ngx_http_parley_pass_settle(p, frame);
    }

    while (p->nsent > NGX_HTTP_PARLEY_PASS_SENT
           || (p->octets > NGX_HTTP_PARLEY_PASS_OCTETS && p->nsent > 1))
    {
        frame = ngx_queue_data(ngx_queue_head(&p->sent),
                               ngx_http_parley_frame_t, queue);

        if (&frame->ctx == p->held) {
            break;
        }

        ngx_http_parley_pass_settle(p, frame);
    }

    return NGX_OK;
}


/* Settles a message without an answer, and frees it.  It is taken if the
   service has got it. */

static void
ngx_http_parley_pass_settle(ngx_http_parley_pass_t *p,
    ngx_http_parley_frame_t *frame)
{
    parley_gate_t      *g;
    parley_answered_t   answered;
    parley_response_t   response;

    g = &frame->ctx.gate;

    ngx_memzero(&response, sizeof(parley_response_t));
    response.status = NGX_HTTP_ACCEPTED;

    /* a state that answers later settles the message when it is freed */

    if (frame->sent && (!p->service.gone || p->ended)
        && parley_gate_answer(g, &response, &answered) == 0)
    {
        (void) ngx_http_parley_settle(&frame->ctx, &answered);

    } else {
        parley_gate_upstream_error(g, PARLEY_UPSTREAM_ERROR_ENDED, 0);
        (void) ngx_http_parley_unanswered(&frame->ctx, NULL);
    }

    ngx_http_parley_pass_drop(p, frame);
}


void
ngx_http_parley_pass_end(ngx_http_parley_pass_t *p, parley_close_t code,
    parley_str_t reason, parley_close_t service)
{
    p->socket.over = 1;

    if (ngx_http_parley_side_close(&p->socket.client, code, reason) != NGX_OK
        || ngx_http_parley_side_close(&p->service, service, parley_str_none)
           != NGX_OK)
    {
        p->socket.client.gone = 1;
    }

    ngx_http_parley_socket_post(&p->socket);
}


void
ngx_http_parley_pass_settle_all(ngx_http_parley_pass_t *p)
{
    while (!ngx_queue_empty(&p->sent)) {
        ngx_http_parley_pass_settle(p, ngx_queue_data(ngx_queue_head(&p->sent),
                                                      ngx_http_parley_frame_t,
                                                      queue));
    }
}


void
ngx_http_parley_pass_abandon(ngx_http_parley_pass_t *p)
{
    while (!ngx_queue_empty(&p->sent)) {
        ngx_http_parley_pass_drop(p, ngx_queue_data(ngx_queue_head(&p->sent),
                                                    ngx_http_parley_frame_t,
                                                    queue));
    }
}


static void
ngx_http_parley_pass_drop(ngx_http_parley_pass_t *p,
    ngx_http_parley_frame_t *frame)
{
    ngx_queue_remove(&frame->queue);
    p->nsent--;
    p->octets -= frame->size;

    ngx_http_parley_frame_done(frame);
}


void
ngx_http_parley_pass_texts(ngx_http_parley_pass_t *p)
{
    ngx_uint_t               n;
    parley_str_t             text;
    ngx_http_parley_side_t  *client, *service;

    client = &p->socket.client;
    service = &p->service;

    for (n = 0; p->held == NULL && !service->gone && !service->closed; n++) {

        if (!client->gone && !ngx_http_parley_side_has_room(client)) {
            return;
        }

        if (n == NGX_HTTP_PARLEY_WEBSOCKET_BUDGET) {
            ngx_post_event(&p->socket.turn, &ngx_posted_next_events);
            return;
        }

        switch (parley_websocket_next(service->frames, &text)) {

        case PARLEY_WEBSOCKET_MESSAGE:

            if (!client->gone && !client->closing && !p->socket.over
                && ngx_http_parley_pass_text(p, text) == NGX_ERROR)
            {
                client->gone = 1;
            }

            break;

        case PARLEY_WEBSOCKET_CLOSED:
            service->closed = 1;
            break;

        case PARLEY_WEBSOCKET_OVER:
            service->gone = 1;
            p->ended = service->closing;
            break;

        case PARLEY_WEBSOCKET_MORE:
            ngx_post_event(&p->socket.turn, &ngx_posted_next_events);
            return;

        default: /* PARLEY_WEBSOCKET_EMPTY */
            return;
        }
    }
}


static ngx_int_t
ngx_http_parley_pass_text(ngx_http_parley_pass_t *p, parley_str_t text)
{
    ngx_int_t               rc;
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_parley_pass_find(p, text);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    rc = parley_gate_event(&ctx->gate, &p->arena, text, &p->answered) == 0
         ? ngx_http_parley_pass_answered(p, ctx)
         : ngx_http_parley_pass_bad(p, ctx);

    if (p->held == NULL) {
        parley_arena_reset(&p->arena);
    }

    return rc;
}


/* Returns the context of the message that the text answers, or that of the
   opening.  NULL: memory is exhausted. */

static ngx_http_parley_ctx_t *
ngx_http_parley_pass_find(ngx_http_parley_pass_t *p, parley_str_t text)
{
    int                       rc;
    ngx_queue_t              *q;
    parley_gate_t            *g;
    parley_json_t             doc;
    parley_error_t            err;
    ngx_http_parley_frame_t  *frame;

    g = &p->socket.ctx->gate;

    if (ngx_queue_empty(&p->sent)) {
        return p->socket.ctx;
    }

    /* an invalid text answers nothing: parley_gate_event() refuses it */

    if (parley_json_read(&doc, &p->arena, &g->conf.gate->limits, g->in.seed,
                         text, &err)
        != 0)
    {
        parley_arena_reset(&p->arena);
        return err.code == PARLEY_E_CAPACITY ? NULL : p->socket.ctx;
    }

    rc = 0;
    frame = NULL;

    for (q = ngx_queue_head(&p->sent);
         rc == 0 && q != ngx_queue_sentinel(&p->sent);
         q = ngx_queue_next(q))
    {
        frame = ngx_queue_data(q, ngx_http_parley_frame_t, queue);

        rc = parley_gate_socket_is_answer(&frame->ctx.gate, &p->arena, &doc);
    }

    parley_arena_reset(&p->arena);

    return rc == 0 ? p->socket.ctx : rc > 0 ? &frame->ctx : NULL;
}


/* Delivers an answer or a message when the state has settled it. */

static ngx_int_t
ngx_http_parley_pass_answered(ngx_http_parley_pass_t *p,
    ngx_http_parley_ctx_t *ctx)
{
    parley_answered_t        *answered;
    ngx_http_parley_frame_t  *frame;

    answered = &p->answered;

    switch (ngx_http_parley_settle(ctx, answered)) {

    case NGX_AGAIN:
        p->held = ctx;
        ctx->again = ngx_http_parley_pass_again;
        ngx_http_parley_wait_message(ctx);
        return NGX_OK;

    case NGX_DECLINED:
        return ngx_http_parley_pass_bad(p, ctx);

    default:
        break;
    }

    if (answered->reply.why) {
        ngx_http_parley_log_unsaid(p->socket.request, ctx, answered->reply.why);
    }

    if (answered->replies && !answered->late && answered->reply.body.len
        && !p->socket.client.closing)
    {
        parley_count(p->socket.ctx->worker->slot, PARLEY_M_EVENTS, 1);

        if (ngx_http_parley_side_text(&p->socket.client, answered->reply.body)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (ctx == p->socket.ctx) {
        return NGX_OK;
    }

    frame = (ngx_http_parley_frame_t *) ctx;

    if (answered->over) {
        ngx_http_parley_pass_drop(p, frame);

    } else if (ctx->msg.act != PARLEY_ACT_REQUEST) {
        ngx_http_parley_pass_settle(p, frame);
    }

    return NGX_OK;
}


static void
ngx_http_parley_pass_again(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_pass_t  *p;

    p = (ngx_http_parley_pass_t *) ngx_http_parley_socket_of(r);

    p->held = NULL;

    if (ngx_http_parley_pass_answered(p, ctx) != NGX_OK) {
        p->socket.client.gone = 1;
    }

    if (p->held == NULL) {
        parley_arena_reset(&p->arena);
    }

    ngx_http_parley_socket_post(&p->socket);
}


/* Withholds a text: the client gets the error instead, and the WebSocket
   ends. */

static ngx_int_t
ngx_http_parley_pass_bad(ngx_http_parley_pass_t *p, ngx_http_parley_ctx_t *ctx)
{
    parley_reply_t  reply;
    parley_code_t   code;

    code = ctx->error.code;

    if (ctx == p->socket.ctx && code == PARLEY_E_REPLY_UNMATCHED) {
        ngx_http_parley_pass_unmatched(p);
        return NGX_OK;
    }

    if (ngx_http_parley_reply_failed(p->socket.request, ctx, &reply) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx != p->socket.ctx) {
        (void) ngx_http_parley_unanswered(ctx, &reply);
    }

    if (reply.body.len && !p->socket.client.closing
        && ngx_http_parley_side_text(&p->socket.client, reply.body) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ctx != p->socket.ctx) {
        ngx_http_parley_pass_drop(p, (ngx_http_parley_frame_t *) ctx);
    }

    if (code == PARLEY_E_TOKEN_INVALID || code == PARLEY_E_TOKEN_EXPIRED) {
        ngx_http_parley_pass_end(p, PARLEY_CLOSE_EXPIRED, parley_str_none,
                                 PARLEY_CLOSE_LEAVING);

    } else {
        ngx_http_parley_pass_end(p, PARLEY_CLOSE_FAILED,
                         PARLEY_STR("the service sent an invalid message"),
                         PARLEY_CLOSE_POLICY);
    }

    return NGX_OK;
}


/* Drops an answer to a message that does not wait for it (SEC-08): its time may
   be over.  The WebSocket stays open. */

static void
ngx_http_parley_pass_unmatched(ngx_http_parley_pass_t *p)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = p->socket.ctx;

    parley_count(ctx->worker->slot,
                 parley_cell_refusal(ctx->error.code, PARLEY_L_BY_UPSTREAM), 1);
    ngx_http_parley_log_refusal(p->socket.request, ctx);
    parley_error_clear(&ctx->error);
}
