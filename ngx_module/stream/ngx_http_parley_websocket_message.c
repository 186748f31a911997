
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Messages from a WebSocket.  A message has its own gate, with the environment
 * of the connection, and its own pool, which is destroyed with it.  A detached
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


static void ngx_http_parley_socket_reader(ngx_http_request_t *r);
static void ngx_http_parley_socket_writer(ngx_http_request_t *r);
static void ngx_http_parley_socket_turn(ngx_event_t *ev);
static ngx_int_t ngx_http_parley_socket_message(ngx_http_parley_socket_t *s,
    parley_str_t text);
static ngx_int_t ngx_http_parley_frame_keep(ngx_http_parley_frame_t *frame);
static void ngx_http_parley_frame_again(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_frame_run(ngx_http_parley_frame_t *frame);
static ngx_int_t ngx_http_parley_frame_answer(ngx_http_parley_frame_t *frame,
    parley_step_result_t result);
static void ngx_http_parley_frame_greeting(ngx_http_parley_frame_t *frame);


void
ngx_http_parley_socket_init(ngx_http_parley_socket_t *s,
    ngx_http_parley_ctx_t *ctx, void (*run)(ngx_http_parley_socket_t *s))
{
    ngx_http_request_t        *r;
    ngx_http_core_loc_conf_t  *clcf;

    r = ctx->request;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    s->request = r;
    s->ctx = ctx;
    s->run = run;

    ctx->socket = s;

    s->client.connection = r->connection;
    s->client.read = r->header_in;
    s->client.timeout = clcf->send_timeout;
    s->client.lowat = clcf->send_lowat;

    s->turn.handler = ngx_http_parley_socket_turn;
    s->turn.data = s;
    s->turn.log = r->connection->log;
}


void
ngx_http_parley_socket_listen(ngx_http_parley_socket_t *s)
{
    s->request->read_event_handler = ngx_http_parley_socket_reader;
    s->request->write_event_handler = ngx_http_parley_socket_writer;
}


ngx_http_parley_socket_t *
ngx_http_parley_socket_of(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    return ctx->socket;
}


static void
ngx_http_parley_socket_reader(ngx_http_request_t *r)
{
    ngx_http_parley_socket_t  *s;

    s = ngx_http_parley_socket_of(r);

    if (r->connection->read->timedout) {
        /* the client did not close in time */
        r->connection->read->timedout = 0;
        s->client.gone = 1;
    }

    s->run(s);
}


static void
ngx_http_parley_socket_writer(ngx_http_request_t *r)
{
    ngx_connection_t          *c;
    ngx_http_parley_socket_t  *s;

    c = r->connection;
    s = ngx_http_parley_socket_of(r);

    if (c->write->timedout) {
        ngx_log_error(NGX_LOG_INFO, c->log, NGX_ETIMEDOUT, "client timed out");
        c->timedout = 1;
        s->client.gone = 1;
    }

    s->run(s);
}


static void
ngx_http_parley_socket_turn(ngx_event_t *ev)
{
    ngx_connection_t          *c;
    ngx_http_parley_socket_t  *s = ev->data;

    c = s->client.connection;

    ngx_http_set_log_request(c->log, s->request);

    s->run(s);

    ngx_http_run_posted_requests(c);
}


void
ngx_http_parley_socket_messages(ngx_http_parley_socket_t *s)
{
    int                      by_peer;
    ngx_uint_t               n;
    parley_str_t             text;
    ngx_http_parley_side_t  *client;

    client = &s->client;

    for (n = 0; s->frame == NULL && !client->gone && !client->closed; n++) {

        if (!ngx_http_parley_side_has_room(client)
            || (s->service && !s->service->gone
                && !ngx_http_parley_side_has_room(s->service)))
        {
            return;
        }

        if (n == NGX_HTTP_PARLEY_WEBSOCKET_BUDGET) {
            ngx_post_event(&s->turn, &ngx_posted_next_events);
            return;
        }

        switch (parley_websocket_next(client->frames, &text)) {

        case PARLEY_WEBSOCKET_MESSAGE:

            if (!(s->skips && s->skips(s, text))
                && !client->closing && !s->over
                && ngx_http_parley_socket_message(s, text) == NGX_ERROR)
            {
                client->gone = 1;
            }

            break;

        case PARLEY_WEBSOCKET_CLOSED:
            (void) parley_websocket_closed(client->frames, &by_peer);

            if (by_peer) {
                client->closed = 1;

            } else {

                if (ngx_http_parley_side_discard(client) == NGX_AGAIN) {
                    ngx_post_event(&s->turn, &ngx_posted_next_events);
                }

                return;
            }

            break;

        case PARLEY_WEBSOCKET_OVER:
            client->gone = 1;
            break;

        case PARLEY_WEBSOCKET_MORE:
            ngx_post_event(&s->turn, &ngx_posted_next_events);
            return;

        default: /* PARLEY_WEBSOCKET_EMPTY */
            return;
        }
    }
}


/*
 * Processes a message; its octets must stay until the end.  Returns NGX_OK if
 * the message is finished and its answer is queued; NGX_AGAIN if it is in
 * progress and will post an event at its end; or NGX_ERROR if memory is
 * exhausted.
 */

static ngx_int_t
ngx_http_parley_socket_message(ngx_http_parley_socket_t *s,
    parley_str_t text)
{
    ngx_pool_t               *pool;
    ngx_http_parley_ctx_t    *ctx;
    ngx_http_parley_frame_t  *frame;

    pool = ngx_create_pool(NGX_HTTP_PARLEY_FRAME_POOL,
                           s->client.connection->log);
    if (pool == NULL) {
        return NGX_ERROR;
    }

    frame = ngx_palloc(pool, sizeof(ngx_http_parley_frame_t));
    if (frame == NULL) {
        ngx_destroy_pool(pool);
        return NGX_ERROR;
    }

    frame->socket = s;
    frame->pool = pool;
    frame->size = text.len;
    frame->sent = 0;

    ctx = &frame->ctx;

    s->ctx->mcf->contexts->frame(ctx, s->request, pool);

    ctx->again = ngx_http_parley_frame_again;
    ctx->body = text;

    if (s->forward && ngx_http_parley_frame_keep(frame) != NGX_OK) {
        ngx_http_parley_frame_done(frame);
        return NGX_ERROR;
    }

    ctx->body_read = 1;
    ctx->gate.in.supplied_token = s->ctx->gate.proof.shown;

    s->frame = frame;

    return ngx_http_parley_frame_run(frame);
}


/* Copies the text of a message that may wait for the service's answer. */

static ngx_int_t
ngx_http_parley_frame_keep(ngx_http_parley_frame_t *frame)
{
    u_char  *p;

    p = ngx_pnalloc(frame->pool, frame->size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, frame->ctx.body.data, frame->size);
    frame->ctx.body.data = p;

    return NGX_OK;
}


/* Continues the message after the wait. */

static void
ngx_http_parley_frame_again(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_frame_t *frame = (ngx_http_parley_frame_t *) ctx;

    ngx_http_parley_socket_t  *s;

    s = frame->socket;

    switch (ngx_http_parley_frame_run(frame)) {

    case NGX_AGAIN:
        return;

    case NGX_ERROR:
        s->client.gone = 1;
        break;

    default: /* NGX_OK */
        break;
    }

    ngx_http_parley_socket_post(s);
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

    if (result == PARLEY_RESULT_PASSED && frame->socket->forward) {
        frame->socket->frame = NULL;
        return frame->socket->forward(frame);
    }

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
    parley_reply_t             reply;
    ngx_http_parley_ctx_t     *ctx;
    ngx_http_parley_socket_t  *s;

    ctx = &frame->ctx;
    s = frame->socket;

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
        return ngx_http_parley_side_close(&s->client, PARLEY_CLOSE_FAILED,
                                          parley_str_none);
    }

    /* nothing follows a close frame or goes to a departed client */

    return reply.body.len == 0 || s->client.closing || s->client.gone
           ? NGX_OK : ngx_http_parley_side_text(&s->client, reply.body);
}


/* Logs if the first message does not have the expected intent. */

static void
ngx_http_parley_frame_greeting(ngx_http_parley_frame_t *frame)
{
    ngx_str_t                  intent;
    ngx_http_parley_socket_t  *s;

    s = frame->socket;

    if (s->greeted) {
        return;
    }

    s->greeted = 1;

    intent = ngx_http_parley_ngx_str(
                                 parley_gate_upgrade_lacks(&frame->ctx.gate));

    if (intent.len) {
        ngx_log_error(NGX_LOG_INFO, s->client.connection->log, 0,
                      "parley: first message of a WebSocket is not \"%V\"",
                      &intent);
    }
}


void
ngx_http_parley_frame_done(ngx_http_parley_frame_t *frame)
{
    if (frame->socket->frame == frame) {
        frame->socket->frame = NULL;
    }

    frame->ctx.mcf->contexts->leave(&frame->ctx);
    ngx_destroy_pool(frame->pool);
}


void
ngx_http_parley_socket_abandon(ngx_http_parley_socket_t *s)
{
    if (s->frame) {
        ngx_http_parley_frame_done(s->frame);
    }
}
