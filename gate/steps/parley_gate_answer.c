/*
 * Settles a message with its answer.  The id is taken or free again, the
 * question is closed, and the answer and the message are kept for later
 * requests.
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "translate/parley_msg_field.h"
#include "gate/delivery/parley_publish_to.h"
#include "gate/admission/parley_replay.h"
#include "gate/admission/parley_retain.h"
#include "gate/settings/parley_settings.h"
#include "gate/correlation/parley_exchange.h"


static int parley_gate_settle_answer(parley_gate_t *g,
    parley_answered_t *answered);
static int parley_gate_closes(const parley_gate_t *g,
    const parley_answered_t *answered);
static int parley_gate_acknowledge(parley_gate_t *g,
    parley_answered_t *answered);
static int parley_gate_late(parley_gate_t *g);
static int parley_gate_close(parley_gate_t *g);


int
parley_gate_answered(parley_gate_t *g, parley_answered_t *answered,
    int64_t clock)
{
    int  rc;

    if (g->serve.relays) {
        return parley_gate_relayed_settles(g, answered, clock);
    }

    parley_ask_begin(&g->ask, clock);

    rc = parley_gate_settle_answer(g, answered);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);
    parley_gate_verdict_settles(g, answered->settle);

    if (g->answer.late) {
        return parley_gate_late(g);
    }

    /*
     * SEC-16: the message was taken, but a revoked caller does not get the
     * answer
     */

    if ((answered->replies || !answered->over)
        && parley_gate_revocation_is_hit(g) != 0) {
        return -1;
    }

    if (answered->over) {
        parley_gate_report_outcome(g, PARLEY_OUTCOME_ANSWERED, answered);
    }

    return 0;
}


/*
 * Refuses the second of two answers that were on their way at once (SEC-08).
 * If the message itself is the late answer, its sender gets reply-unmatched.
 * If the service's answer is late, the asker gets an error, because it has the
 * other answer.
 */

static int
parley_gate_late(parley_gate_t *g)
{
    if (g->admit.entrance.closing) {
        (void) parley_msg_misrefers(g->msg, PARLEY_E_REPLY_UNMATCHED,
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
    int  rc, replies, closes;

    closes = parley_gate_closes(g, answered);

    if (parley_gate_sessions_given(g) == PARLEY_WAIT) {
        return PARLEY_WAIT;
    }

    if (answered->takes) {
        rc = parley_question_take(&g->ask, &g->admit.asked, answered->principal,
                                  answered->session, g->proof.account);

        if (rc == PARLEY_WAIT) {
            return rc;
        }

        if (rc == 0) {
            parley_exchange_late(g->answer.exchange, answered);
        }
    }

    rc = 0;

    switch (answered->settle) {

    case PARLEY_SETTLE_COMMIT:

        /*
         * an acceptance is not kept as the answer while the answer may still
         * come
         */

        replies = answered->replies && (answered->kind != PARLEY_ANSWER_TAKEN
                                        || !g->admit.asked.awaited
                                        || g->admit.asked.optional);

        if (answered->kind == PARLEY_ANSWER_TAKEN && !closes
            && parley_gate_await(g) == PARLEY_WAIT)
        {
            return PARLEY_WAIT;
        }

        rc = parley_gate_taken(g, replies ? &answered->reply : NULL, closes);
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

    if (rc != PARLEY_WAIT && answered->message.body.len > 0
        && !g->answer.late)
    {
        rc = parley_gate_acknowledge(g, answered);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* only now: a step that runs again must ask the state in the same order */

    memset(g->answer.given, 0, sizeof(g->answer.given));

    if (closes) {
        memset(&g->admit.asked, 0, sizeof(parley_asked_t));
    }

    return 0;
}


/*
 * Returns whether an answer closes the question.  A refusal does not close an
 * escalation that goes up, because a principal above may still acknowledge it
 * (VCP-24).
 */

static int
parley_gate_closes(const parley_gate_t *g, const parley_answered_t *answered)
{
    return answered->closes
           && !(g->publish.escalates
                && (answered->kind == PARLEY_ANSWER_REFUSED
                    || answered->act == PARLEY_ACT_FAILURE));
}


/*
 * Publishes an acknowledgment as a message to the escalating sender, for its
 * streams or its URL (VCP 6.2).  A sender that waits for the response also gets
 * it there.
 */

static int
parley_gate_acknowledge(parley_gate_t *g, parley_answered_t *answered)
{
    int                        rc;
    parley_append_t            append;
    parley_publish_to_t        notify;
    parley_appended_t          appended;
    parley_publication_t       p;
    const parley_principal_t  *to;

    to = g->who->principal;

    if (to == NULL || !(g->conf.http->publishes || to->deliver.len > 0)) {
        return 0;
    }

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&notify, 0, sizeof(parley_publish_to_t));

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = g->msg->wire;
    p.sender = answered->principal;
    p.from = g->msg->recipient;
    p.to = g->msg->sender;
    p.id = answered->message.id;
    p.ms = g->in.now_ms;
    p.priority = g->msg->priority;
    p.message = answered->message.body;

    notify.http = g->conf.http;
    notify.state = g->ask.state;
    notify.ask = &g->ask;
    notify.publication = &p;
    notify.account = g->proof.account;
    notify.to = to;
    notify.kind = PARLEY_SUBJECT_NOTICE;
    notify.sender = answered->principal;

    rc = parley_publish_to(&notify, g->arena, &append);

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
        answered->unpublished = 1;
        return 0;
    }

    /* a subscriber that connects later gets retained messages */

    answered->published = append.njobs != 0 || appended.ngroups != 0
                          || g->conf.http->retain != 0;

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

    if (g->serve.relays) {
        /* no message is settled */
        return 0;
    }

    closes = g->err->taken && !g->publish.escalates;

    if (g->report.verdict == PARLEY_VERDICT_PASSED) {
        g->report.verdict = PARLEY_VERDICT_FAILED;
        parley_gate_report_step(g, PARLEY_STEP_ANSWER, PARLEY_RESULT_REFUSED);
    }

    parley_ask_begin(&g->ask, clock);

    rc = g->err->taken ? parley_gate_taken(g, reply, closes)
                       : parley_gate_undo(g);

    if (rc == 0 && g->answer.late && reply != NULL) {
        /* keeps this reply instead of the late answer */
        rc = parley_gate_keep_first(g, reply);
    }

    if (rc != PARLEY_WAIT && closes) {
        rc = parley_gate_close(g);
    }

    if (rc != PARLEY_WAIT) {

        if (closes) {
            memset(&g->admit.asked, 0, sizeof(parley_asked_t));
        }

        parley_ask_end(&g->ask);
        parley_ask_over(&g->ask);
        parley_gate_verdict_settles(g, g->err->taken ? PARLEY_SETTLE_COMMIT
                                                     : PARLEY_SETTLE_RELEASE);
        parley_gate_report_outcome(g, PARLEY_OUTCOME_FAILED, NULL);
        rc = 0;
    }

    return rc;
}


static int
parley_gate_close(parley_gate_t *g)
{
    int  rc;

    rc = parley_question_close(&g->ask, &g->admit.asked);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    g->answer.late |= rc == PARLEY_SETTLED_LATE;

    return 0;
}
