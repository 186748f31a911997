/* Records that a message was accepted, and keeps it if configured. */

#include <string.h>

#include "translate/parley_codec.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "state/parley_job.h"
#include "gate/correlation/parley_question_raised.h"
#include "gate/correlation/parley_question.h"
#include "gate/admission/parley_replay.h"
#include "gate/admission/parley_retain.h"


static int parley_gate_keep_message(parley_gate_t *g, int under);
static int parley_gate_taken_secret(parley_gate_t *g, parley_str_t *message);


/* From here on the id counts as seen (GW-12). */

int
parley_gate_taken(parley_gate_t *g, const parley_reply_t *first, int closes)
{
    int  rc;

    if (!parley_reservation_is_open(&g->admit.entrance)) {
        return 0;
    }

    /* the reply is kept before a caller can learn that the id was taken */

    if (first != NULL && parley_gate_keep_first(g, first) == PARLEY_WAIT) {
        return PARLEY_WAIT;
    }

    rc = parley_reservation_take(&g->admit.entrance,
                                 closes ? &g->admit.asked : NULL);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_gate_taken_in_time(g);

    g->admit.id_not_kept = rc == -1;
    g->answer.late |= rc == PARLEY_SETTLED_LATE;

    if (closes) {
        /* parley_reservation_take() has closed the question */
        g->admit.asked.kept = 0;
    }

    return g->publish.retained ? 0 : parley_gate_keep_message(g, 0);
}


int
parley_gate_keep_before(parley_gate_t *g)
{
    return parley_gate_keep_message(g, 1);
}


void
parley_gate_taken_retain(parley_gate_t *g, parley_retain_t *ret)
{
    ret->arena = g->arena;
    ret->ask = &g->ask;
    ret->who = g->who;
    ret->seed = g->in.seed;
    ret->retains = g->conf.retain != 0;
    ret->wall = g->in.now_ms;
}


int
parley_gate_keep_first(parley_gate_t *g, const parley_reply_t *first)
{
    parley_replay_t  r;

    if (g->conf.replay == 0) {
        return 0;
    }

    parley_gate_message_replay(g, &r);

    return parley_replay_keep(&r, first);
}


/*
 * Retains the message for aee.context.fetch as it was forwarded, without the
 * members that parley_redact removes.  A translated message is retained as its
 * original, to which the translation refers.  A message that finds no room is
 * not retained.  under: the record ends unless the message is accepted.
 */

static int
parley_gate_keep_message(parley_gate_t *g, int under)
{
    int                rc;
    parley_retain_t    r;
    parley_retained_t  m;

    if (g->conf.retain == 0 || g->msg->partial) {
        return 0;
    }

    memset(&m, 0, sizeof(parley_retained_t));

    m.id = g->msg->id;
    m.protocol = parley_proto_name(g->read.proto);
    m.sub = parley_who_proven(g->who);
    m.sender = g->msg->sender;
    m.recipient = g->msg->recipient;
    m.corr = g->msg->corr.len > 0 ? g->msg->corr : g->msg->id;
    m.sent_corr = g->out.sent.corr;
    m.queue = PARLEY_EVICTABLE_MESSAGE;
    m.account = g->proof.account;
    m.ttl = g->conf.retain;
    m.message = g->msg->wire == g->conf.gate->speak ? g->out.sent.body
                                                    : g->msg->doc->input;

    if (parley_gate_taken_secret(g, &m.message) != 0) {
        return 0;
    }

    if (under) {
        m.under = g->admit.entrance.admission.id;
        m.stamp = g->admit.entrance.stamp;

        /* the record may exist before the put is answered */

        parley_retain_id(g->ask.state, &m, &g->publish.retained_as);
        g->publish.retained = 1;
    }

    parley_gate_taken_retain(g, &r);

    rc = parley_retain(&r, &m);

    return rc == PARLEY_WAIT ? rc : 0;
}


/* Removes a credential (MoQ auth_token) from a retained message. */

static int
parley_gate_taken_secret(parley_gate_t *g, parley_str_t *message)
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


/* Drops the deadline job of a task.  That of an escalation ends by itself
   soon. */

void
parley_gate_taken_in_time(parley_gate_t *g)
{
    parley_job_t              job;
    const parley_question_t  *q;

    q = g->read.correlation.question;

    if (!g->admit.entrance.closing || q == NULL
        || q->head.proto != PARLEY_PROTO_CANONICAL || q->head.escalates
        || q->head.time == PARLEY_QUESTION_TIME)
    {
        return;
    }

    if (parley_question_job(g->arena, g->ask.state, PARLEY_SUBJECT_TIMEOUT,
                            &g->admit.entrance.closes, parley_str_none, &job)
        == 0)
    {
        /* no wait: a job that remains finds the answer */

        (void) g->ask.state->ops->job->drop(g->ask.state, job.lane, NULL, NULL);
    }
}
