
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Proofs and mailboxes of a MoQ connection.  A proof is an inner GET of the
 * location with parley_moq: it takes the steps of a stream.  The request of one
 * proof of a connection stays open as a subscriber of the hub: it reads the
 * mailbox.  Of another proof only a copy remains, for its expiry and for
 * revocations.  A fetch is a subscriber too, which ends at its last record.
 *
 * The callbacks of the link must not call the link.  They leave that to
 * moq->turn.
 */


#include "ngx_module/moq/ngx_http_parley_moq_reader.h"


#if (NGX_HTTP_V3)

#define NGX_HTTP_PARLEY_MOQ_SESSION  "session="

/* octets of a response to a proof, which is not used */
#define NGX_HTTP_PARLEY_MOQ_PAGE  65536


static ngx_http_parley_moq_reader_t *ngx_http_parley_moq_reader_make(
    ngx_http_parley_moq_t *moq, parley_str_t token);
static ngx_int_t ngx_http_parley_moq_reader_begin(
    ngx_http_parley_moq_reader_t *rd);
static void ngx_http_parley_moq_reader_timer(ngx_event_t *ev);
static void ngx_http_parley_moq_reader_turn(ngx_http_parley_moq_reader_t *rd);
static void ngx_http_parley_moq_reader_tell(ngx_http_parley_moq_reader_t *rd);
static void ngx_http_parley_moq_reader_refuse(ngx_http_parley_moq_reader_t *rd,
    ngx_uint_t status, const char *code, const char *text, ngx_uint_t expired);
static void ngx_http_parley_moq_reader_over(ngx_http_parley_moq_reader_t *rd);
static void ngx_http_parley_moq_reader_drop(ngx_http_parley_moq_reader_t *rd);


int
ngx_http_parley_moq_prove(void *ctx, const parley_link_proof_t *proof)
{
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_reader_t  *rd;

    rd = ngx_http_parley_moq_reader_make(moq, proof->token);
    if (rd == NULL) {
        return -1;
    }

    rd->session = proof->session;
    rd->listens = proof->listens;

    return 0;
}


int
ngx_http_parley_moq_fetch(void *ctx, parley_link_fetch_t *fetch)
{
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_reader_t  *rd, *listening;

    listening = ngx_http_parley_moq_reader_listening(moq);

    rd = ngx_http_parley_moq_reader_make(moq, listening
                                      ? ngx_http_parley_str(&listening->token)
                                      : parley_str_none);
    if (rd == NULL) {
        return -1;
    }

    rd->fetch = fetch;
    rd->place = fetch->from;
    fetch->data = rd;

    return 0;
}


static ngx_http_parley_moq_reader_t *
ngx_http_parley_moq_reader_make(ngx_http_parley_moq_t *moq, parley_str_t token)
{
    ngx_http_parley_moq_reader_t  *rd;

    rd = ngx_calloc(sizeof(ngx_http_parley_moq_reader_t) + token.len,
                    moq->connection->log);
    if (rd == NULL) {
        return NULL;
    }

    rd->moq = moq;
    rd->sub.transport = &ngx_http_parley_moq_transport;

    rd->token.data = rd->octets;
    rd->token.len = token.len;

    if (token.len) {
        ngx_memcpy(rd->octets, token.data, token.len);
    }

    rd->timer.handler = ngx_http_parley_moq_reader_timer;
    rd->timer.data = rd;
    rd->timer.log = ngx_cycle->log;
    rd->timer.cancelable = 1;

    ngx_queue_insert_tail(&moq->readers, &rd->queue);

    ngx_http_parley_moq_post_turn(moq);

    return rd;
}


ngx_http_parley_moq_reader_t *
ngx_http_parley_moq_reader_listening(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_reader_t  *rd;

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers);
         q = ngx_queue_next(q))
    {
        rd = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (rd->listens && rd->told && !rd->over && !rd->forgotten) {
            return rd;
        }
    }

    return NULL;
}


void
ngx_http_parley_moq_abandon(void *ctx, parley_link_fetch_t *fetch)
{
    ngx_http_parley_moq_reader_t  *rd = fetch->data;

    rd->fetch = NULL;
    rd->forgotten = 1;

    ngx_http_parley_moq_post_turn(ctx);
}


void
ngx_http_parley_moq_forget(void *ctx, parley_link_session_t *session)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_t         *moq = ctx;
    ngx_http_parley_moq_reader_t  *rd;

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers);
         q = ngx_queue_next(q))
    {
        rd = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (rd->session == session && session) {
            rd->session = NULL;
            rd->forgotten = 1;
        }
    }

    ngx_http_parley_moq_post_turn(moq);
}


static ngx_int_t
ngx_http_parley_moq_reader_begin(ngx_http_parley_moq_reader_t *rd)
{
    u_char                         args[sizeof(NGX_HTTP_PARLEY_MOQ_SESSION)
                                        + sizeof(rd->moq->session)];
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_inner_begin_t  begin;

    moq = rd->moq;

    rd->begun = 1;

    ngx_memzero(&begin, sizeof(ngx_http_parley_inner_begin_t));

    /* a fetch is another session, so that it does not replace the mailbox */

    if (rd->fetch == NULL) {
        begin.args.data = args;
        begin.args.len = ngx_sprintf(args, NGX_HTTP_PARLEY_MOQ_SESSION "%*s",
                                     sizeof(moq->session), moq->session)
                         - args;
    }

    begin.server = moq->http->conf_ctx;
    begin.uri = moq->place->clcf->name;
    begin.host = moq->authority;
    begin.token = rd->token;
    begin.max = NGX_HTTP_PARLEY_MOQ_PAGE;
    begin.handler = ngx_http_parley_moq_reader_ended;
    begin.data = rd;

    rd->inner = ngx_http_parley_inner_begin(moq->connection, &begin);

    return rd->inner ? NGX_OK : NGX_ERROR;
}


void
ngx_http_parley_moq_reader_ended(ngx_http_parley_inner_t *in)
{
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_moq_reader_t  *rd = in->data;

    moq = rd->moq;

    rd->inner = NULL;

    if (moq->closed || rd->forgotten) {
        ngx_http_parley_moq_post_turn(moq);
        return;
    }

    if (rd->proved && !rd->listens && rd->fetch == NULL) {
        ngx_http_parley_moq_reader_tell(rd);

    } else if (rd->told || rd->over) {
        rd->over = 1;
        rd->why = PARLEY_END_GONE;
        ngx_http_parley_moq_reader_over(rd);

    } else {
        ngx_http_parley_moq_reader_refuse(rd, in->status, (char *) in->code,
                                          (char *) in->text, in->expired);
    }

    ngx_http_parley_moq_post_turn(moq);
    ngx_http_parley_moq_done(moq);
}


static void
ngx_http_parley_moq_reader_timer(ngx_event_t *ev)
{
    ngx_http_parley_moq_reader_t *rd = ev->data;

    if (rd->fetch) {

        if (rd->blocked) {
            ngx_add_timer(ev, NGX_HTTP_PARLEY_MOQ_IDLE);
            return;
        }

        rd->done = 1;

    } else {
        rd->over = 1;
        rd->why = PARLEY_END_EXPIRED;
    }

    ngx_http_parley_moq_post_turn(rd->moq);
}


void
ngx_http_parley_moq_mailbox_turn(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                   *q, *next;
    ngx_http_parley_moq_reader_t  *rd;

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers) && !moq->closed;
         q = ngx_queue_next(q))
    {
        rd = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (!rd->forgotten) {
            ngx_http_parley_moq_reader_turn(rd);
        }
    }

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers);
         q = next)
    {
        next = ngx_queue_next(q);
        rd = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (rd->forgotten) {
            ngx_http_parley_moq_reader_drop(rd);
        }
    }
}


static void
ngx_http_parley_moq_reader_turn(ngx_http_parley_moq_reader_t *rd)
{
    parley_str_t            principal;
    parley_link_fetch_t    *fetch;
    ngx_http_parley_moq_t  *moq;

    moq = rd->moq;

    if (!rd->begun) {

        if (ngx_http_parley_moq_reader_begin(rd) != NGX_OK) {
            ngx_http_parley_moq_reader_refuse(rd, NGX_HTTP_SERVICE_UNAVAILABLE,
                                              "capacity",
                                              "the request cannot be made", 0);
        }

        return;
    }

    if (rd->done && rd->fetch) {
        fetch = rd->fetch;
        rd->fetch = NULL;
        rd->forgotten = 1;

        parley_link_fetched(moq->link, fetch, rd->lost, rd->first);
        return;
    }

    if (rd->over) {
        ngx_http_parley_moq_reader_over(rd);
        return;
    }

    if (rd->listens && rd->opened && !rd->told) {
        principal = parley_link_principal(moq->link);

        /* the link refuses another principal */

        if (principal.len == 0
            || parley_str_eq(principal, ngx_http_parley_str(&rd->principal)))
        {
            parley_link_mailbox(moq->link, &rd->place, 0);
        }

        if (moq->closed) {
            return;
        }

        ngx_http_parley_moq_reader_tell(rd);

        if (!moq->closed && rd->sub.joined && !rd->forgotten) {
            rd->blocked = 0;
            parley_hub_writable(rd->sub.hub->hub, &rd->sub.s);
        }
    }
}


/* Tells the link that a token is proved.  The session's older proof ends. */

static void
ngx_http_parley_moq_reader_tell(ngx_http_parley_moq_reader_t *rd)
{
    ngx_queue_t                   *q;
    parley_link_proved_t           proved;
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_moq_reader_t  *other;

    moq = rd->moq;

    rd->told = 1;

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers);
         q = ngx_queue_next(q))
    {
        other = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (other != rd && other->told && other->session == rd->session
            && other->fetch == NULL)
        {
            other->forgotten = 1;
        }
    }

    ngx_memzero(&proved, sizeof(parley_link_proved_t));

    proved.principal = ngx_http_parley_str(&rd->principal);
    proved.agent = parley_str_make(rd->principal.data + rd->principal.len,
                                   rd->agent_len);

    parley_link_proved(moq->link, rd->session, &proved);
}


static void
ngx_http_parley_moq_reader_refuse(ngx_http_parley_moq_reader_t *rd,
    ngx_uint_t status, const char *code, const char *text, ngx_uint_t expired)
{
    parley_link_fetch_t    *fetch;
    parley_link_proved_t    proved;
    parley_link_session_t  *session;

    session = rd->session;
    fetch = rd->fetch;

    rd->session = NULL;
    rd->fetch = NULL;
    rd->forgotten = 1;

    ngx_http_parley_moq_post_turn(rd->moq);

    if (fetch) {
        parley_link_fetched(rd->moq->link, fetch, 1, 0);
        return;
    }

    if (status < NGX_HTTP_BAD_REQUEST) {
        status = NGX_HTTP_BAD_GATEWAY;
    }

    if (rd->replaces) {

        /* the session has neither proof: it ends, and the agent begins anew */

        parley_link_expired(rd->moq->link, session, (int) status,
                            parley_str_c(text));
        return;
    }

    ngx_memzero(&proved, sizeof(parley_link_proved_t));

    proved.principal = ngx_http_parley_str(&rd->principal);
    proved.status = (int) status;
    proved.code = parley_str_c(code);
    proved.message = parley_str_c(text);
    proved.expired = expired;

    parley_link_proved(rd->moq->link, session, &proved);
}


/* Tells the link the end of a proof. */

static void
ngx_http_parley_moq_reader_over(ngx_http_parley_moq_reader_t *rd)
{
    const char             *text;
    ngx_uint_t              status;
    parley_link_session_t  *session;

    switch (rd->why) {

    case PARLEY_END_LEAVING:
        rd->over = 0;

        if (rd->told || rd->fetch) {
            /* parley_link_leave() tells it */
            return;
        }

        rd->over = 1;
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
        text = "this worker is shutting down";
        break;

    case PARLEY_END_EXPIRED:
        status = NGX_HTTP_UNAUTHORIZED;
        text = "the proof has expired or was revoked";
        break;

    case PARLEY_END_REPLACED:
        status = NGX_HTTP_CONFLICT;
        text = "another connection has this session";
        break;

    case PARLEY_END_SLOW:
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
        text = "the mailbox is read too slowly";
        break;

    case PARLEY_END_AGED:
        status = NGX_HTTP_UNAUTHORIZED;
        text = "the session has reached its age";
        break;

    case PARLEY_END_SHARE:
    case PARLEY_END_MANY:
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
        text = "this principal uses its whole share of the zone";
        break;

    default:
        status = NGX_HTTP_SERVICE_UNAVAILABLE;
        text = "the mailbox cannot be read";
    }

    if (!rd->told || rd->fetch) {
        ngx_http_parley_moq_reader_refuse(rd, status,
                                          status == NGX_HTTP_UNAUTHORIZED
                                          ? "token-expired"
                                          : status == NGX_HTTP_CONFLICT
                                          ? "state-conflict" : "capacity",
                                          text, 0);
        return;
    }

    session = rd->session;

    rd->session = NULL;
    rd->forgotten = 1;

    parley_link_expired(rd->moq->link, session, (int) status,
                        parley_str_c(text));
}


void
ngx_http_parley_moq_mailbox_writable(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_reader_t  *rd;

    for (q = ngx_queue_head(&moq->readers);
         q != ngx_queue_sentinel(&moq->readers) && !moq->closed;
         q = ngx_queue_next(q))
    {
        rd = ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue);

        if (rd->blocked && (rd->told || rd->fetch) && rd->sub.joined
            && !rd->forgotten)
        {
            rd->blocked = 0;
            parley_hub_writable(rd->sub.hub->hub, &rd->sub.s);
        }
    }
}


static void
ngx_http_parley_moq_reader_drop(ngx_http_parley_moq_reader_t *rd)
{
    ngx_queue_remove(&rd->queue);

    if (rd->timer.timer_set) {
        ngx_del_timer(&rd->timer);
    }

    if (rd->cleanup) {
        rd->cleanup->handler = NULL;
    }

    ngx_http_parley_hub_close(&rd->sub);

    if (rd->inner) {
        ngx_http_parley_inner_cancel(rd->inner);
    }

    if (rd->principal.data) {
        ngx_free(rd->principal.data);
    }

    ngx_explicit_memzero(rd->octets, rd->token.len);
    ngx_free(rd);
}


void
ngx_http_parley_moq_mailbox_leave(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t  *q;

    while (!ngx_queue_empty(&moq->readers)) {
        q = ngx_queue_head(&moq->readers);

        ngx_http_parley_moq_reader_drop(
            ngx_queue_data(q, ngx_http_parley_moq_reader_t, queue));
    }
}

#endif
