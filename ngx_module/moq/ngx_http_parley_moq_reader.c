
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The request of a reader, which has passed the steps of a stream, and its
 * subscription.  The callbacks of the hub must not call the hub.  They leave
 * that to moq->turn.
 */


#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/moq/ngx_http_parley_moq_reader.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "auth/parley_principal.h"
#include "gate/party/parley_names.h"
#include "hub/parley_hub_object.h"


#if (NGX_HTTP_V3)

static void ngx_http_parley_moq_reader_take_over(
    ngx_http_parley_moq_reader_t *rd, parley_stream_request_t *opening);
static ngx_int_t ngx_http_parley_moq_reader_keep(
    ngx_http_parley_moq_reader_t *rd, ngx_http_parley_ctx_t *ctx,
    const parley_stream_request_t *opening);
static ngx_int_t ngx_http_parley_moq_reader_principal(
    ngx_http_parley_moq_reader_t *rd, ngx_http_parley_ctx_t *ctx);
static int64_t ngx_http_parley_moq_reader_write(parley_subscriber_t *s,
    parley_str_t octets);
static ngx_uint_t ngx_http_parley_moq_reader_record(
    ngx_http_parley_moq_reader_t *rd, const parley_hub_object_t *record);
static ngx_uint_t ngx_http_parley_moq_reader_fetched(
    ngx_http_parley_moq_reader_t *rd, const parley_hub_object_t *record);
static void ngx_http_parley_moq_reader_end(parley_subscriber_t *s,
    parley_end_t why);
static void ngx_http_parley_moq_reader_cleanup(void *data);


const ngx_http_parley_transport_t  ngx_http_parley_moq_transport = {
    ngx_http_parley_moq_reader_write,
    ngx_http_parley_moq_reader_end,
    NULL,
    NULL,
    NULL
};


ngx_int_t
ngx_http_parley_moq_open(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const parley_stream_request_t *opening)
{
    ngx_int_t                      rc;
    parley_str_t                   principal;
    ngx_pool_cleanup_t            *cln;
    parley_stream_request_t        own;
    ngx_http_parley_inner_t       *in;
    ngx_http_parley_moq_reader_t  *rd;

    rc = ngx_http_parley_moq_tap_open(r, ctx, opening);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    in = ngx_http_parley_inner(r);

    if (in == NULL || in->handler != ngx_http_parley_moq_reader_ended) {
        return NGX_HTTP_CLIENT_CLOSED_REQUEST;
    }

    rd = in->data;

    if (ngx_http_parley_moq_reader_principal(rd, ctx) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    principal = parley_link_principal(rd->moq->link);

    if (principal.len > 0
        && !parley_str_eq(principal, ngx_http_parley_str(&rd->principal)))
    {
        /* it must neither read another mailbox nor replace a proof */

        (void) parley_error_set(ctx->gate.err,
                                PARLEY_E_SENDER_IDENTITY_MISMATCH, NULL,
                                "the connection has another principal");
        return ngx_http_parley_refuse(r, ctx);
    }

    rd->proved = 1;

    if (!rd->listens && rd->fetch == NULL) {
        return ngx_http_parley_moq_reader_keep(rd, ctx, opening);
    }

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cln->handler = ngx_http_parley_moq_reader_cleanup;
    cln->data = rd;

    rd->cleanup = cln;

    own = *opening;

    ngx_http_parley_moq_reader_take_over(rd, &own);

    r->read_event_handler = ngx_http_request_empty_handler;
    r->write_event_handler = ngx_http_request_empty_handler;

    switch (ngx_http_parley_hub_open(ctx, &rd->sub, &own)) {

    case NGX_OK:
        return NGX_DONE;

    case NGX_BUSY:
        rd->proved = 0;
        ngx_http_parley_hub_busy(ctx);
        return ngx_http_parley_refuse(r, ctx);

    default:
        rd->proved = 0;
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/* Sets the place from which the hub reads: that of a fetch, or the place of the
   proof that is renewed. */

static void
ngx_http_parley_moq_reader_take_over(ngx_http_parley_moq_reader_t *rd,
    parley_stream_request_t *opening)
{
    ngx_http_parley_moq_reader_t  *before;

    if (rd->fetch) {
        opening->subscription.from = rd->fetch->from;
        opening->subscription.owns = 0;

        ngx_add_timer(&rd->timer, NGX_HTTP_PARLEY_MOQ_IDLE);
        return;
    }

    before = ngx_http_parley_moq_reader_listening(rd->moq);

    if (before) {
        opening->subscription.from = before->place;

        rd->replaces = 1;
        before->forgotten = 1;
        ngx_http_parley_hub_close(&before->sub);
        ngx_http_parley_moq_post_turn(rd->moq);
    }
}


/* Keeps a proof that does not read the mailbox. */

static ngx_int_t
ngx_http_parley_moq_reader_keep(ngx_http_parley_moq_reader_t *rd,
    ngx_http_parley_ctx_t *ctx, const parley_stream_request_t *opening)
{
    if (ngx_http_parley_hub_keep(ctx, &rd->sub) != NGX_OK) {
        rd->proved = 0;
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (opening->subscription.lasts) {
        ngx_add_timer(&rd->timer,
                      (ngx_msec_t) opening->subscription.lasts * 1000);
    }

    return NGX_HTTP_NO_CONTENT;
}


static ngx_int_t
ngx_http_parley_moq_reader_principal(ngx_http_parley_moq_reader_t *rd,
    ngx_http_parley_ctx_t *ctx)
{
    parley_str_t               agent;
    const parley_principal_t  *p;

    p = ctx->who.principal;
    agent = parley_principal_agent(p);

    /* the sub, and then the agent */

    rd->principal.len = p->sub.len;
    rd->principal.data = ngx_alloc(p->sub.len + agent.len, rd->timer.log);
    if (rd->principal.data == NULL) {
        return NGX_ERROR;
    }

    rd->agent_len = agent.len;

    ngx_memcpy(rd->principal.data, p->sub.data, p->sub.len);
    ngx_memcpy(rd->principal.data + p->sub.len, agent.data, agent.len);

    return NGX_OK;
}


static int64_t
ngx_http_parley_moq_reader_write(parley_subscriber_t *s, parley_str_t octets)
{
    ngx_http_parley_moq_reader_t *rd = (ngx_http_parley_moq_reader_t *) s;

    size_t                  n, taken;
    ngx_http_parley_moq_t  *moq;
    parley_hub_object_t     record;

    moq = rd->moq;

    if (moq->closed || rd->forgotten) {
        return -1;
    }

    for (taken = 0; taken < octets.len; taken += n) {
        n = parley_hub_object_read(parley_str_from(octets, taken), &record);

        if (n == 0) {
            return -1;
        }

        if (rd->fetch == NULL && !rd->told) {
            rd->place = record.place;
            rd->opened = 1;
            rd->blocked = 1;
            ngx_http_parley_moq_post_turn(moq);
            break;
        }

        if (!ngx_http_parley_moq_reader_record(rd, &record)) {
            rd->blocked = 1;
            moq->blocked = 1;
            break;
        }

        if (moq->closed) {
            return -1;
        }
    }

    if (taken) {
        ngx_http_parley_moq_post_turn(moq);
    }

    return (int64_t) taken;
}


/* Passes a record on.  Returns 0 if the link has no room. */

static ngx_uint_t
ngx_http_parley_moq_reader_record(ngx_http_parley_moq_reader_t *rd,
    const parley_hub_object_t *record)
{
    if (rd->fetch || rd->done) {
        return rd->done || ngx_http_parley_moq_reader_fetched(rd, record);
    }

    switch (record->kind) {

    case PARLEY_HUB_OBJECT_MESSAGE:
        if (!parley_link_mail(rd->moq->link, &record->place, record->message))
        {
            return 0;
        }

        break;

    case PARLEY_HUB_OBJECT_OPEN:
        parley_link_mailbox(rd->moq->link, &record->place, 0);
        break;

    case PARLEY_HUB_OBJECT_GAP:
        parley_link_mailbox(rd->moq->link, &record->place, 1);
        break;

    default: /* PARLEY_HUB_OBJECT_ALIVE */
        break;
    }

    rd->place = record->place;

    return 1;
}


static ngx_uint_t
ngx_http_parley_moq_reader_fetched(ngx_http_parley_moq_reader_t *rd,
    const parley_hub_object_t *record)
{
    uint64_t  last;

    last = rd->fetch->last;

    ngx_add_timer(&rd->timer, NGX_HTTP_PARLEY_MOQ_IDLE);

    if (record->kind == PARLEY_HUB_OBJECT_GAP
        || record->place.epoch != rd->fetch->from.epoch)
    {
        rd->lost = 1;
        rd->first = record->place.offset + 1;

    } else if (record->kind == PARLEY_HUB_OBJECT_MESSAGE
               && record->place.offset <= last
               && !parley_link_fetch_mail(rd->moq->link, rd->fetch,
                                          &record->place, record->message))
    {
        return 0;
    }

    if (rd->lost || record->place.offset >= last) {
        rd->done = 1;
    }

    return 1;
}


static void
ngx_http_parley_moq_reader_end(parley_subscriber_t *s, parley_end_t why)
{
    ngx_http_parley_moq_reader_t *rd = (ngx_http_parley_moq_reader_t *) s;

    rd->over = 1;
    rd->why = why;

    ngx_http_parley_moq_post_turn(rd->moq);
}


/* Runs when the request of a subscriber is freed. */

static void
ngx_http_parley_moq_reader_cleanup(void *data)
{
    ngx_http_parley_moq_reader_t *rd = data;

    rd->cleanup = NULL;

    ngx_http_parley_hub_close(&rd->sub);
}

#endif
