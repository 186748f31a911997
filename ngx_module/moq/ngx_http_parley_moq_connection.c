
/*
 * Copyright (C) 2026 The Parley authors
 *
 * A MoQ connection: a QUIC connection of nginx with a link
 * (gate/link/parley_link.h).  The link decides; this file gives it time,
 * streams and requests.
 *
 * The link's callbacks must not call the link, and nothing may end the
 * connection while the link runs.  Such work is left to "turn", an event that
 * the callbacks post.
 *
 * nginx ends the connection: its streams get an event with c->close, and at
 * last its pool is destroyed.  The link ends at the first of both.
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "gate/metrics/parley_counters.h"
#include "ngx_module/worker/ngx_http_parley_random.h"
#include "core/parley_hex.h"


#if (NGX_HTTP_V3)

/* reasons of the close of a connection that has to end, and of one that is not
   taken */
#define NGX_HTTP_PARLEY_MOQ_LEAVES  "the server ends the connection"
#define NGX_HTTP_PARLEY_MOQ_MANY    "too many connections"

/* reasons in the audit log */
#define NGX_HTTP_PARLEY_MOQ_AGED    "the connection has reached its age"
#define NGX_HTTP_PARLEY_MOQ_EXITS   "this worker is shutting down"


static const parley_moqt_draft_t *ngx_http_parley_moq_draft(
    ngx_connection_t *c);
static ngx_http_parley_moq_t *ngx_http_parley_moq_create(ngx_connection_t *c);
static ngx_int_t ngx_http_parley_moq_link(ngx_http_parley_moq_t *moq,
    const parley_moqt_draft_t *draft);
static ngx_uint_t ngx_http_parley_moq_max(
    const ngx_http_parley_worker_t *worker);
static void ngx_http_parley_moq_input(ngx_event_t *rev);
static void ngx_http_parley_moq_turn(ngx_event_t *ev);
static void ngx_http_parley_moq_timer(ngx_event_t *ev);
static void ngx_http_parley_moq_aged(ngx_event_t *ev);
static void ngx_http_parley_moq_depart(ngx_http_parley_moq_t *moq);
/* the labels of sessions are in the order of the facts, and those of a close in
   the order of the codes */

_Static_assert((int) PARLEY_L_MOQ_SESSION_DENIED == PARLEY_LINK_DENIED
               && (int) PARLEY_L_MOQ_SESSION_ENDED == PARLEY_LINK_ENDED,
               "the labels are those of parley_link_what_t");

#define X(name, number)  + 1
_Static_assert(PARLEY_L_MOQ_CLOSE_PEER == 0 PARLEY_MOQT_CODE_LIST(X),
               "the labels are those of PARLEY_MOQT_CODE_LIST");
#undef X


static void ngx_http_parley_moq_close(void *ctx, parley_moqt_code_t code,
    const char *text);
static void ngx_http_parley_moq_note(void *ctx,
    const parley_link_fact_t *fact);
static void ngx_http_parley_moq_audit(ngx_http_parley_moq_t *moq,
    const parley_link_fact_t *fact);
static void ngx_http_parley_moq_object(void *ctx, int out);
static void ngx_http_parley_moq_count(ngx_http_parley_worker_t *worker);
static void ngx_http_parley_moq_count_close(const ngx_http_parley_moq_t *moq,
    parley_moqt_code_t code);
static void ngx_http_parley_moq_resume(void *ctx);
static int ngx_http_parley_moq_random(void *ctx, uint8_t out[16]);
static int64_t ngx_http_parley_moq_now(void *ctx);
static void ngx_http_parley_moq_unlink(ngx_http_parley_moq_t *moq);
static const char *ngx_http_parley_moq_why(const ngx_http_parley_moq_t *moq);
static void ngx_http_parley_moq_cleanup(void *data);


ngx_uint_t
ngx_http_parley_moq_is(ngx_connection_t *c)
{
    return ngx_http_parley_moq_draft(c) != NULL;
}


/* Returns the draft that the ALPN names, or NULL. */

static const parley_moqt_draft_t *
ngx_http_parley_moq_draft(ngx_connection_t *c)
{
    unsigned int          len;
    const unsigned char  *data;

    if (c->ssl == NULL) {
        return NULL;
    }

    SSL_get0_alpn_selected(c->ssl->connection, &data, &len);

    return len ? parley_moqt_draft_find(parley_str_make(data, len)) : NULL;
}


ngx_int_t
ngx_http_parley_moq_begin(ngx_connection_t *c)
{
    ngx_uint_t              max;
    ngx_http_parley_moq_t  *moq;

    if (!c->ssl->handshaked) {
        /* early data could be repeated */
        return NGX_ERROR;
    }

    moq = ngx_http_parley_moq_create(c);
    if (moq == NULL) {
        return NGX_ERROR;
    }

    /* from now on c->data is not a ngx_http_connection_t */

    c->data = moq;

    moq->input = c->read->handler;
    c->read->handler = ngx_http_parley_moq_input;

    max = ngx_http_parley_moq_max(moq->worker);

    if (moq->worker->moq >= max) {
        ngx_log_error(NGX_LOG_WARN, c->log, 0,
                      "parley: MoQ connection refused: the worker has its "
                      "maximum of %ui MoQ connections (\"parley_moq_limits "
                      "connections=\")", max);

        ngx_http_parley_moq_count_close(moq, PARLEY_MOQT_INTERNAL_ERROR);

        /* nginx is in the middle of a packet, and would forget the reason at
           the next one */

        moq->full = 1;
        ngx_http_parley_moq_post_turn(moq);

        return NGX_OK;
    }

    if (ngx_http_parley_moq_link(moq, ngx_http_parley_moq_draft(c))
        != NGX_OK)
    {
        ngx_http_parley_moq_count_close(moq, PARLEY_MOQT_INTERNAL_ERROR);
        return NGX_ERROR;
    }

    moq->counted = 1;
    moq->worker->moq++;

    ngx_http_parley_moq_count(moq->worker);
    ngx_http_parley_moq_done(moq);

    return NGX_OK;
}


static ngx_http_parley_moq_t *
ngx_http_parley_moq_create(ngx_connection_t *c)
{
    u_char                              id[16];
    ngx_pool_cleanup_t                 *cln;
    ngx_http_parley_moq_t              *moq;
    const ngx_http_parley_main_conf_t  *mcf;

    moq = ngx_pcalloc(c->pool, sizeof(ngx_http_parley_moq_t));
    cln = ngx_pool_cleanup_add(c->pool, 0);

    if (moq == NULL || cln == NULL || ngx_http_parley_random(id) != NGX_OK) {
        return NULL;
    }

    moq->http = c->data;
    moq->connection = c;

    mcf = ngx_http_get_module_main_conf(moq->http->conf_ctx,
                                        ngx_http_parley_module);

    moq->worker = mcf->worker;
    moq->lag = NGX_HTTP_PARLEY_MOQ_PIECE;

    (void) parley_hex_write(moq->session, id, sizeof(id));

    ngx_queue_init(&moq->peers);
    ngx_queue_init(&moq->opened);
    ngx_queue_init(&moq->posts);
    ngx_queue_init(&moq->readers);
    ngx_queue_init(&moq->taps);

    moq->turn.handler = ngx_http_parley_moq_turn;
    moq->turn.data = moq;
    moq->turn.log = c->log;

    moq->timer.handler = ngx_http_parley_moq_timer;
    moq->timer.data = moq;
    moq->timer.log = c->log;
    moq->timer.cancelable = 1;

    moq->age.handler = ngx_http_parley_moq_aged;
    moq->age.data = moq;
    moq->age.log = c->log;
    moq->age.cancelable = 1;

    cln->handler = ngx_http_parley_moq_cleanup;
    cln->data = moq;

    return moq;
}


static ngx_int_t
ngx_http_parley_moq_link(ngx_http_parley_moq_t *moq,
    const parley_moqt_draft_t *draft)
{
    parley_link_env_t  env;

    ngx_memzero(&env, sizeof(parley_link_env_t));

    env.mem = parley_mem_libc;
    env.write = ngx_http_parley_moq_stream_write;
    env.open = ngx_http_parley_moq_stream_open;
    env.finish = ngx_http_parley_moq_stream_finish;
    env.reset = ngx_http_parley_moq_stream_reset;
    env.locate = ngx_http_parley_moq_locate;
    env.prove = ngx_http_parley_moq_prove;
    env.post = ngx_http_parley_moq_post;
    env.fetch = ngx_http_parley_moq_fetch;
    env.abandon = ngx_http_parley_moq_abandon;
    env.forget = ngx_http_parley_moq_forget;
    env.agents = ngx_http_parley_moq_agents;
    env.join = ngx_http_parley_moq_join;
    env.part = ngx_http_parley_moq_part;
    env.relay = ngx_http_parley_moq_relay;
    env.close = ngx_http_parley_moq_close;
    env.note = ngx_http_parley_moq_note;
    env.object = ngx_http_parley_moq_object;
    env.resume = ngx_http_parley_moq_resume;
    env.random = ngx_http_parley_moq_random;
    env.now = ngx_http_parley_moq_now;
    env.ctx = moq;

    moq->link = parley_link_create(draft, &env,
                                   moq->worker->mcf->http.moq_handshake_ms);

    return moq->link ? NGX_OK : NGX_ERROR;
}


static ngx_uint_t
ngx_http_parley_moq_max(const ngx_http_parley_worker_t *worker)
{
    ngx_uint_t  max;

    max = worker->mcf->http.moq_connections;

    /* an agent takes six connections of nginx, with its streams; a small worker
       takes one agent */

    return max ? max : ngx_cycle->connection_n / 8 + 1;
}


/* Runs for each datagram, and when the worker has to exit. */

static void
ngx_http_parley_moq_input(ngx_event_t *rev)
{
    ngx_connection_t       *c;
    ngx_http_parley_moq_t  *moq;

    c = rev->data;
    moq = c->data;

    if (moq->blocked && moq->link) {
        moq->heard = 1;
        ngx_http_parley_moq_post_turn(moq);
    }

    moq->input(rev);
}


void
ngx_http_parley_moq_post_turn(ngx_http_parley_moq_t *moq)
{
    if (!moq->turn.posted) {
        ngx_post_event(&moq->turn, &ngx_posted_events);
    }
}


static void
ngx_http_parley_moq_turn(ngx_event_t *ev)
{
    ngx_http_parley_moq_t  *moq = ev->data;

    if (moq->full) {
        ngx_quic_finalize_connection(moq->connection,
                                     PARLEY_MOQT_INTERNAL_ERROR,
                                     NGX_HTTP_PARLEY_MOQ_MANY);
    }

    if (moq->link == NULL) {
        return;
    }

    ngx_http_parley_moq_stream_flush(moq);

    if (moq->resumes && !moq->closed) {
        moq->resumes = 0;
        ngx_http_parley_moq_stream_resume(moq);
        ngx_http_parley_moq_mailbox_writable(moq);
    }

    if (moq->heard && !moq->closed) {
        moq->heard = 0;
        moq->blocked = 0;

        parley_link_writable(moq->link);
        ngx_http_parley_moq_mailbox_writable(moq);
    }

    if (!moq->closed) {
        ngx_http_parley_moq_mailbox_turn(moq);
    }

    if (!moq->closed) {
        ngx_http_parley_moq_taps_turn(moq);
    }

    if (!moq->closed) {
        ngx_http_parley_moq_post_begin(moq);
    }

    if (moq->leaving && !moq->closed && moq->nposts == 0) {
        ngx_http_parley_moq_depart(moq);
    }

    ngx_http_parley_moq_done(moq);
}


void
ngx_http_parley_moq_done(ngx_http_parley_moq_t *moq)
{
    int64_t  ms;

    if (moq->link == NULL) {
        return;
    }

    if (!moq->closed) {
        ms = parley_link_tick(moq->link);

        if (ms >= 0) {
            ngx_add_timer(&moq->timer, (ngx_msec_t) ngx_max(ms, 1));

        } else if (moq->timer.timer_set) {
            ngx_del_timer(&moq->timer);
        }
    }

    if (!moq->wide && !moq->closed) {
        ngx_http_parley_moq_stream_widen(moq);
    }

    ngx_http_parley_moq_stream_flush(moq);

    if (moq->out) {
        /* an idle connection needs no piece */

        ngx_free(moq->out);
        moq->out = NULL;
    }

    if (moq->closed) {
        ngx_http_parley_moq_end(moq);
    }
}


static void
ngx_http_parley_moq_timer(ngx_event_t *ev)
{
    ngx_http_parley_moq_done(ev->data);
}


/* Ends a connection that has reached its age, or its time to leave. */

static void
ngx_http_parley_moq_aged(ngx_event_t *ev)
{
    ngx_http_parley_moq_t  *moq = ev->data;

    if (moq->link == NULL) {
        return;
    }

    if (moq->left) {
        /* octets are not acknowledged */

        ngx_quic_finalize_connection(moq->connection, PARLEY_MOQT_NO_ERROR,
                                     NGX_HTTP_PARLEY_MOQ_LEAVES);

    } else if (moq->leaving) {
        ngx_http_parley_moq_depart(moq);

    } else {
        moq->why = NGX_HTTP_PARLEY_MOQ_AGED;
        ngx_http_parley_moq_shutdown(moq->connection);
    }
}


/* nginx calls it again when worker_shutdown_timeout has passed. */

void
ngx_http_parley_moq_shutdown(ngx_connection_t *c)
{
    ngx_http_parley_moq_t  *moq;

    moq = c->data;

    if (moq->link == NULL || moq->closed) {
        return;
    }

    if (moq->leaving) {
        ngx_http_parley_moq_depart(moq);
        return;
    }

    moq->leaving = 1;

    if (moq->why == NULL) {
        moq->why = NGX_HTTP_PARLEY_MOQ_EXITS;
    }

    parley_link_leave(moq->link);

    /* answers of posts that run are sent */

    moq->age.cancelable = 0;
    ngx_add_timer(&moq->age, NGX_HTTP_PARLEY_MOQ_LEAVE);

    ngx_http_parley_moq_post_turn(moq);
}


/* Lets nginx close the connection now, although it has streams. */

static void
ngx_http_parley_moq_depart(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_stream_t  *st;

    if (moq->left) {
        return;
    }

    moq->left = 1;

    ngx_add_timer(&moq->age, NGX_HTTP_PARLEY_MOQ_LAST);

    ngx_http_parley_moq_stream_flush(moq);

    for (q = ngx_queue_head(&moq->peers);
         q != ngx_queue_sentinel(&moq->peers);
         q = ngx_queue_next(q))
    {
        st = ngx_queue_data(q, ngx_http_parley_moq_stream_t, queue);
        ngx_quic_cancelable_stream(st->connection);
    }

    for (q = ngx_queue_head(&moq->opened);
         q != ngx_queue_sentinel(&moq->opened);
         q = ngx_queue_next(q))
    {
        st = ngx_queue_data(q, ngx_http_parley_moq_stream_t, queue);
        ngx_quic_cancelable_stream(st->connection);
    }

    ngx_quic_shutdown_connection(moq->connection, PARLEY_MOQT_NO_ERROR,
                                 NGX_HTTP_PARLEY_MOQ_LEAVES);
}


static void
ngx_http_parley_moq_close(void *ctx, parley_moqt_code_t code, const char *text)
{
    size_t                  len;
    u_char                 *why, *reason;
    const char             *name;
    ngx_connection_t       *c;
    ngx_http_parley_moq_t  *moq = ctx;

    if (moq->closed) {
        return;
    }

    moq->closed = 1;

    c = moq->connection;
    name = parley_moqt_code_name(code);

    /* nginx reads the reason later */

    len = ngx_strlen(name) + sizeof(": ") + ngx_strlen(text);
    reason = NULL;
    why = ngx_pnalloc(c->pool, len);

    if (why) {
        reason = ngx_sprintf(why, "%s: ", name);
        (void) ngx_sprintf(reason, "%s%Z", text);
        moq->why = (char *) why;
    }

    ngx_log_error(NGX_LOG_INFO, c->log, 0,
                  "parley: MoQ connection closed: %s: %s", name, text);

    ngx_http_parley_moq_count_close(moq, code);

    ngx_quic_finalize_connection(c, code, reason ? (char *) reason : "");

    ngx_http_parley_moq_post_turn(moq);
}


static void
ngx_http_parley_moq_note(void *ctx, const parley_link_fact_t *fact)
{
    ngx_http_parley_moq_t     *moq = ctx;
    ngx_http_parley_worker_t  *worker;

    worker = moq->worker;

    ngx_http_parley_moq_audit(moq, fact);

    if (fact->track) {
        return;
    }

    if (fact->what == PARLEY_LINK_OPENED) {
        worker->moq_sessions++;

    } else if (fact->what == PARLEY_LINK_ENDED) {
        worker->moq_sessions--;
    }

    parley_count(worker->slot, PARLEY_M_MOQ_SESSION_EVENTS
                               + (unsigned) fact->what, 1);

    ngx_http_parley_moq_count(worker);
}


static void
ngx_http_parley_moq_audit(ngx_http_parley_moq_t *moq,
    const parley_link_fact_t *fact)
{
    ngx_connection_t    *c;
    parley_audit_moq_t  line;

    static const char  *outcomes[] = { "opened", "refused", "ended" };

    if (moq->worker->audit == NULL) {
        return;
    }

    c = moq->connection;

    ngx_memzero(&line, sizeof(parley_audit_moq_t));

    line.connection = c->number;
    line.remote = ngx_http_parley_str(&c->addr_text);
    line.principal = fact->principal;
    line.name = fact->name;
    line.agent = fact->agent;
    line.outcome = parley_str_c(outcomes[fact->what]);
    line.why = fact->what == PARLEY_LINK_DENIED && fact->why.len == 0
               ? PARLEY_STR("nginx") : fact->why;
    line.track = fact->track;
    line.publishes = fact->publishes;

    if (moq->place) {
        line.location = ngx_http_parley_str(&moq->place->clcf->name);
    }

    ngx_http_parley_audit_moq(moq->worker, &line);
}


static void
ngx_http_parley_moq_object(void *ctx, int out)
{
    ngx_http_parley_moq_t  *moq = ctx;

    parley_count(moq->worker->slot, PARLEY_M_MOQ_OBJECTS
                                    + (out ? PARLEY_L_MOQ_WAY_OUT
                                           : PARLEY_L_MOQ_WAY_IN), 1);
}


static void
ngx_http_parley_moq_count(ngx_http_parley_worker_t *worker)
{
    parley_count_level(worker->slot, PARLEY_M_MOQ_CONNECTIONS, worker->moq);
    parley_count_level(worker->slot, PARLEY_M_MOQ_SESSIONS,
                       worker->moq_sessions);
}


static void
ngx_http_parley_moq_count_close(const ngx_http_parley_moq_t *moq,
    parley_moqt_code_t code)
{
    parley_count(moq->worker->slot,
                 PARLEY_M_MOQ_CLOSED + parley_moqt_code_index(code), 1);
}


static void
ngx_http_parley_moq_resume(void *ctx)
{
    ngx_http_parley_moq_t  *moq = ctx;

    moq->resumes = 1;

    ngx_http_parley_moq_post_turn(moq);
}


static int
ngx_http_parley_moq_random(void *ctx, uint8_t out[16])
{
    return ngx_http_parley_random(out) == NGX_OK ? 0 : -1;
}


static int64_t
ngx_http_parley_moq_now(void *ctx)
{
    return (int64_t) ngx_current_msec;
}


void
ngx_http_parley_moq_end(ngx_http_parley_moq_t *moq)
{
    if (moq->counted) {
        moq->counted = 0;
        moq->worker->moq--;

        ngx_http_parley_moq_count(moq->worker);

        if (!moq->closed) {
            parley_count(moq->worker->slot,
                         PARLEY_M_MOQ_CLOSED
                         + (moq->left ? PARLEY_L_MOQ_CLOSE_NO_ERROR
                                      : PARLEY_L_MOQ_CLOSE_PEER), 1);
        }
    }

    if (moq->wide) {
        moq->wide = 0;
        moq->worker->moq_wide--;
    }

    if (moq->timer.timer_set) {
        ngx_del_timer(&moq->timer);
    }

    if (moq->age.timer_set) {
        ngx_del_timer(&moq->age);
    }

    moq->closed = 1;
    moq->out_len = 0;
    moq->out_stream = NULL;

    if (moq->out) {
        ngx_free(moq->out);
        moq->out = NULL;
    }

    if (moq->link) {
        ngx_http_parley_moq_unlink(moq);
    }

    /* the end of the link may post it */

    if (moq->turn.posted) {
        ngx_delete_posted_event(&moq->turn);
    }
}


/* Frees the link, which tells its readers the end of proofs and fetches. */

static void
ngx_http_parley_moq_unlink(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                   *q;
    ngx_http_parley_moq_stream_t  *st;

    ngx_http_parley_moq_post_leave(moq);

    for (q = ngx_queue_head(&moq->peers);
         q != ngx_queue_sentinel(&moq->peers);
         q = ngx_queue_next(q))
    {
        st = ngx_queue_data(q, ngx_http_parley_moq_stream_t, queue);
        st->link = NULL;
    }

    parley_link_free(moq->link, moq->why ? moq->why
                                         : ngx_http_parley_moq_why(moq));
    moq->link = NULL;

    ngx_http_parley_moq_mailbox_leave(moq);
    ngx_http_parley_moq_taps_leave(moq);
}


/* Returns the reason of an end that is nginx's. */

static const char *
ngx_http_parley_moq_why(const ngx_http_parley_moq_t *moq)
{
    ngx_quic_connection_t  *qc;

    qc = ngx_quic_get_connection(moq->connection);

    return moq->connection->read->timedout
           ? "the agent sent nothing for too long"
           : qc == NULL ? "the connection has ended"
           : qc->draining ? "the agent closed the connection"
           : qc->error_reason && !qc->error_app ? qc->error_reason
           : "the connection has failed";
}


static void
ngx_http_parley_moq_cleanup(void *data)
{
    ngx_http_parley_moq_end(data);
}

#endif
