/*
 * What becomes of a message with its answer: its id is taken or free again, the
 * question that it was has its answer, and what may be asked for later is kept.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "translate/parley_msg_field.h"
#include "gate/delivery/parley_notify.h"
#include "gate/admission/parley_replay.h"
#include "gate/admission/parley_retain.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_settle_answer(parley_gate_t *g,
    parley_answered_t *answered);
static int parley_gate_closes(const parley_gate_t *g,
    const parley_answered_t *answered);
static int parley_gate_acknowledge(parley_gate_t *g,
    parley_answered_t *answered);
static int parley_gate_late(parley_gate_t *g);
static int parley_gate_close(parley_gate_t *g);
static int parley_gate_keep_first(parley_gate_t *g,
    const parley_reply_t *first);
static int parley_gate_keep_message(parley_gate_t *g, int under);
static int parley_gate_secret(parley_gate_t *g, parley_str_t *message);


int
parley_gate_answered(parley_gate_t *g, parley_answered_t *answered,
    int64_t clock)
{
    int  rc;

    parley_ask_begin(&g->ask, clock);

    rc = parley_gate_settle_answer(g, answered);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);
    parley_gate_settles(g, answered->settle);

    if (g->late) {
        return parley_gate_late(g);
    }

    /* SEC-16: it was taken, and whoever asked is told nothing of it */

    if ((answered->said || !answered->over) && parley_gate_revoked(g) != 0) {
        return -1;
    }

    if (answered->over) {
        parley_gate_report_outcome(g, PARLEY_OUTCOME_ANSWERED, answered);
    }

    return 0;
}


/*
 * SEC-08: another answer came first, of those that were on their way at once.
 * Who sent this one is told so; who asked, and has the other, gets no second.
 */

static int
parley_gate_late(parley_gate_t *g)
{
    if (g->entrance.closing) {
        (void) parley_misrefers(g->msg, PARLEY_E_REPLY_UNMATCHED,
                                "the question is answered already", g->err);
    } else {
        (void) parley_error_set(g->err, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "another answer to the message came first");
    }

    g->err->taken = 1;

    return -1;
}


static int
parley_gate_settle_answer(parley_gate_t *g, parley_answered_t *answered)
{
    int  rc, said, closes;

    closes = parley_gate_closes(g, answered);

    if (answered->takes) {
        rc = parley_question_take(&g->ask, &g->asked, answered->principal,
                                  answered->session, g->account);

        if (rc == PARLEY_WAIT) {
            return rc;
        }

        if (rc == 0) {
            parley_exchange_late(g->exchange, answered);
        }
    }

    rc = 0;

    switch (answered->settle) {

    case PARLEY_SETTLE_COMMIT:

        /* that it was taken is no answer while that may still come */

        said = answered->said && (answered->kind != PARLEY_ANSWER_TAKEN
                                  || !g->asked.awaited || g->asked.optional);

        if (answered->kind == PARLEY_ANSWER_TAKEN && !closes
            && parley_gate_await(g) == PARLEY_WAIT)
        {
            return PARLEY_WAIT;
        }

        rc = parley_gate_taken(g, said ? &answered->reply : NULL, closes);
        break;

    case PARLEY_SETTLE_RELEASE:
        rc = parley_gate_undo(g);
        break;

    default: /* PARLEY_SETTLE_OPEN */
        break;
    }

    if (rc != PARLEY_WAIT && closes) {
        rc = parley_gate_close(g);
    }

    if (rc != PARLEY_WAIT && answered->message.body.len > 0 && !g->late) {
        rc = parley_gate_acknowledge(g, answered);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* not before: what is asked again is asked in the same order */

    if (closes) {
        memset(&g->asked, 0, sizeof(parley_asked_t));
    }

    return 0;
}


/* VCP-24: a refusal acknowledges nothing, so that what goes up stays open for
   whoever is above */

static int
parley_gate_closes(const parley_gate_t *g, const parley_answered_t *answered)
{
    return answered->closes
           && !(g->rises
                && (answered->kind == PARLEY_ANSWER_REFUSED
                    || answered->act == PARLEY_ACT_FAILURE));
}


/*
 * VCP 6.2: an acknowledgment is a message to who escalated, wherever that
 * listens or has a URL; who waits for the response has it in that.
 */

static int
parley_gate_acknowledge(parley_gate_t *g, parley_answered_t *answered)
{
    int                        rc;
    parley_append_t            append;
    parley_notify_t            notify;
    parley_appended_t          appended;
    parley_publication_t       p;
    const parley_principal_t  *to;

    to = g->who->principal;

    if (to == NULL || !(g->http->publishes || to->deliver.len > 0)) {
        return 0;
    }

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&notify, 0, sizeof(parley_notify_t));

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = g->msg->wire;
    p.sender = answered->principal;
    p.from = g->msg->recipient;
    p.to = g->msg->sender;
    p.id = answered->message.id;
    p.ms = g->now_ms;
    p.priority = g->msg->priority;
    p.message = answered->message.body;

    notify.http = g->http;
    notify.state = g->ask.state;
    notify.ask = &g->ask;
    notify.publication = &p;
    notify.account = g->account;
    notify.to = to;
    notify.kind = PARLEY_LOAD_NOTICE;
    notify.sender = answered->principal;

    rc = parley_notify(&notify, g->arena, &append);

    if (rc == 0 && append.nlogs + append.njobs == 0) {
        return 0;
    }

    if (rc == 0) {
        rc = parley_ask_append(&g->ask, &append, &appended);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 || appended.verdict != PARLEY_APPEND_OK) {
        answered->untold = 1;
        return 0;
    }

    /* who comes later has what is kept */

    answered->told = append.njobs != 0 || appended.ngroups != 0
                     || g->http->retain != 0;

    if (g->env->wake != NULL) {
        g->env->wake(g);
    }

    return 0;
}


int
parley_gate_unanswered(parley_gate_t *g, const parley_reply_t *reply,
    int64_t clock)
{
    int  rc, closes;

    closes = g->err->taken && !g->rises;

    if (g->verdict == PARLEY_VERDICT_PASSED) {
        g->verdict = PARLEY_VERDICT_FAILED;
        parley_gate_report_step(g, PARLEY_STEP_ANSWER, PARLEY_RESULT_REFUSED);
    }

    parley_ask_begin(&g->ask, clock);

    rc = g->err->taken ? parley_gate_taken(g, reply, closes)
                       : parley_gate_undo(g);

    if (rc == 0 && g->late && reply != NULL) {
        /* in place of what it would have been told */
        rc = parley_gate_keep_first(g, reply);
    }

    if (rc != PARLEY_WAIT && closes) {
        rc = parley_gate_close(g);
    }

    if (rc != PARLEY_WAIT) {

        if (closes) {
            memset(&g->asked, 0, sizeof(parley_asked_t));
        }

        parley_ask_end(&g->ask);
        parley_ask_over(&g->ask);
        parley_gate_settles(g, g->err->taken ? PARLEY_SETTLE_COMMIT
                                             : PARLEY_SETTLE_RELEASE);
        parley_gate_report_outcome(g, PARLEY_OUTCOME_FAILED, NULL);
        rc = 0;
    }

    return rc;
}


/* GW-12: from now on the id counts as seen */

int
parley_gate_taken(parley_gate_t *g, const parley_reply_t *first, int closes)
{
    int  rc;

    if (!parley_entrance_is_open(&g->entrance)) {
        return 0;
    }

    /* before anybody can be told that it was taken */

    if (first != NULL && parley_gate_keep_first(g, first) == PARLEY_WAIT) {
        return PARLEY_WAIT;
    }

    rc = parley_entrance_take(&g->entrance, closes ? &g->asked : NULL);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_gate_in_time(g);

    g->forgotten = rc == -1;
    g->late |= rc == PARLEY_SETTLED_LATE;

    if (closes) {
        /* in one step with what it answered */
        g->asked.kept = 0;
    }

    return g->retained ? 0 : parley_gate_keep_message(g, 0);
}


int
parley_gate_keep_before(parley_gate_t *g)
{
    return parley_gate_keep_message(g, 1);
}


static int
parley_gate_close(parley_gate_t *g)
{
    int  rc;

    rc = parley_question_close(&g->ask, &g->asked);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    g->late |= rc == PARLEY_SETTLED_LATE;

    return 0;
}


/* GW-19: what the message's sender is told, for its next try */

static int
parley_gate_keep_first(parley_gate_t *g, const parley_reply_t *first)
{
    parley_replay_t  r;

    if (g->replay == 0) {
        return 0;
    }

    parley_gate_replay(g, &r);

    return parley_replay_keep(&r, first);
}


/*
 * For aee.context.fetch: what was passed on, so without what parley_redact took
 * out; of a message that was translated, the original that the translation
 * refers to.  What finds no room is not retained: nobody was promised that it
 * is.  under: it goes unless the message is taken.
 */

static int
parley_gate_keep_message(parley_gate_t *g, int under)
{
    int                rc;
    parley_retain_t    r;
    parley_retained_t  m;

    if (g->retain == 0 || g->msg->partial) {
        return 0;
    }

    memset(&m, 0, sizeof(parley_retained_t));

    m.id = g->msg->id;
    m.protocol = parley_proto_name(g->proto);
    m.sub = parley_who_proven(g->who);
    m.sender = g->msg->sender;
    m.recipient = g->msg->recipient;
    m.corr = g->msg->corr.len > 0 ? g->msg->corr : g->msg->id;
    m.sent_corr = g->sent.corr;
    m.queue = PARLEY_LOOSE_MESSAGE;
    m.account = g->account;
    m.ttl = g->retain;
    m.message = g->msg->wire == g->conf->speak ? g->sent.body
                                               : g->msg->doc->input;

    if (parley_gate_secret(g, &m.message) != 0) {
        return 0;
    }

    if (under) {
        m.under = g->entrance.admission.id;
        m.stamp = g->entrance.stamp;

        /* while it is being put it may be there already */

        parley_retain_id(g->ask.state, &m, &g->retained_as);
        g->retained = 1;
    }

    parley_gate_retain(g, &r);

    rc = parley_retain(&r, &m);

    return rc == PARLEY_WAIT ? rc : 0;
}


/* a credential in a message (MoQ auth_token) is nobody's to fetch */

static int
parley_gate_secret(parley_gate_t *g, parley_str_t *message)
{
    uint32_t        applied;
    const char     *pointer;
    parley_str_t    text;
    parley_edit_t   edit;
    parley_error_t  err;

    pointer = parley_codecs[g->msg->wire]->pointers[PARLEY_MSG_SECRET];

    if (pointer == NULL) {
        return 0;
    }

    edit.pointer = parley_str_c(pointer);
    edit.value = parley_str_none;

    if (parley_edit(g->arena, g->msg->doc, &edit, 1, &text, &applied, &err)
        != 0)
    {
        return -1;
    }

    if (applied) {
        *message = text;
    }

    return 0;
}


void
parley_gate_retain(parley_gate_t *g, parley_retain_t *ret)
{
    ret->arena = g->arena;
    ret->ask = &g->ask;
    ret->who = g->who;
    ret->seed = g->seed;
    ret->retains = g->retain != 0;
    ret->wall = g->now_ms;
}
