/*
 * The steps that ask the state about the message: REFERENCE, ADMIT and KEEP.
 * They find the message that it refers to, admit it, and keep it for later
 * references.  parley_gate_undo() releases these records if the message fails.
 */

#include <string.h>

#include "translate/parley_embed.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/admission/parley_replay.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_rewrite.h"


static parley_step_result_t parley_gate_unmatched(parley_gate_t *g);
static int parley_gate_enter(parley_gate_t *g);
static parley_step_result_t parley_gate_duplicate(parley_gate_t *g);


parley_step_result_t
parley_gate_reference(parley_gate_t *g)
{
    int                    rc;
    parley_correlation_t  *r = &g->read.correlation;

    r->arena = g->arena;
    r->ask = &g->ask;
    r->msg = g->msg;
    r->who = g->who;
    r->speak = g->conf.gate->speak;
    r->addressed = g->read.addressed;
    r->published = g->conf.s->submit != NULL;

    /* a message to the gateway itself does not answer another message */

    if (!parley_gate_is_self(g)) {
        rc = parley_correlation_find(r, g->err);

        if (rc != 0) {
            return rc == -1 && g->err->code == PARLEY_E_REPLY_UNMATCHED
                   ? parley_gate_unmatched(g) : parley_step_result(rc);
        }

        g->out.opts.answering = r->answering;
    }

    g->read.to = parley_correlation_to(r);

    parley_embed_supervision(g->msg, &g->read.supervision);

    return r->question != NULL ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE;
}


/*
 * Checks whether an answer to a closed question is a duplicate of the answer
 * that closed it.  A message that continues already has its own id in the
 * state, so it is not checked.
 */

static parley_step_result_t
parley_gate_unmatched(parley_gate_t *g)
{
    parley_error_t  *why;

    if (g->where.entry != NULL) {
        return PARLEY_RESULT_REFUSED;
    }

    why = parley_arena_alloc(g->arena, sizeof(parley_error_t));

    if (why == NULL) {
        return parley_step_result(parley_error_memory(g->err));
    }

    *why = *g->err;
    parley_error_clear(g->err);

    g->admit.stale = why;

    return parley_gate_admit(g);
}


parley_step_result_t
parley_gate_admit(parley_gate_t *g)
{
    int                    rc;
    parley_reservation_t  *e = &g->admit.entrance;

    rc = parley_gate_actor_all_pass(g);

    if (rc != 0) {
        return parley_step_result(rc);
    }

    if (parley_gate_enter(g) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    switch (parley_reservation_ask(e, g->err)) {

    case 0:
        return PARLEY_RESULT_PASSED;

    case PARLEY_WAIT:
        return PARLEY_RESULT_WAIT;

    default:
        g->report.wait = e->wait;

        /* the host answers an event again that it has accepted, and a call that
           it has published: no other step is left for this call */

        if (e->verdict == PARLEY_ADMIT_DUPLICATE && g->out.other != NULL) {
            g->conf.plan &= PARLEY_PLAN(PARLEY_STEP_HOST);
        }

        if (e->verdict == PARLEY_ADMIT_DUPLICATE
            && (g->conf.s->host != NULL || g->out.other != NULL))
        {
            parley_error_clear(g->err);
            return PARLEY_RESULT_PASSED;
        }

        if (e->verdict == PARLEY_ADMIT_DUPLICATE && g->serve.mcp != NULL) {
            return parley_gate_await_reply_again(g) == PARLEY_WAIT
                   ? PARLEY_RESULT_WAIT : PARLEY_RESULT_REFUSED;
        }

        return e->verdict == PARLEY_ADMIT_DUPLICATE && g->conf.replay != 0
               ? parley_gate_duplicate(g) : PARLEY_RESULT_REFUSED;
    }
}


static int
parley_gate_enter(parley_gate_t *g)
{
    parley_caps_t          caps;
    parley_reservation_t  *e = &g->admit.entrance;

    parley_gate_message_account(g);

    e->ask = &g->ask;
    e->who = g->who;
    e->correlation = &g->read.correlation;
    e->place = NULL;
    e->account = g->proof.account;
    e->address = g->in.address;
    e->stale = g->admit.stale;
    e->ttl = g->conf.window;
    e->content = g->serve.mcp != NULL ? g->serve.mcp->arguments
                                   : parley_json_ref_none;
    e->call = g->admit.call;
    e->limits = g->proof.limits;
    e->nlimits = g->proof.nlimits;
    e->shared = g->conf.gate->shared;
    e->quota = NULL;

    /*
     * A suspended sender may still escalate.  In the step REFERENCE the message
     * is refused in any case, and may be a repeated acknowledgment (VCP-26).
     */

    e->free = g->where.at == PARLEY_STEP_REFERENCE
              || parley_gate_suspend_is_free(g);

    e->counts = g->conf.s->submit != NULL
                && parley_gate_readers_are_many(g, g->msg->wire);
    e->lifts = NULL;
    e->nlifts = 0;

    /* only nginx knows where the message arrived; finding it costs time */

    if (parley_window_knows(g->msg)
        && (g->conf.replay != 0
            || parley_window_is_local(g->msg, g->conf.self[g->msg->wire])))
    {
        memset(&g->read.place, 0, sizeof(parley_arrival_t));

        g->read.place.self = g->conf.self[g->msg->wire];

        if (g->env->value(g, &g->conf.s->receiver, &g->read.place.receiver) != 0
            || (g->env->arrival != NULL
                && g->env->arrival(g, &g->read.place) != 0))
        {
            return -1;
        }

        e->place = &g->read.place;
    }

    /* AEE-28: the limit of the priority that the message goes on with */

    if (g->conf.gate->rate != NULL) {
        parley_gate_message_caps(g, &caps);

        e->priority = parley_rewrite_capped(g->msg, &caps);
        e->quota = &g->conf.gate->rate->classes[e->priority];
    }

    return 0;
}


/* Finds the first answer for a duplicate (GW-19). */

static parley_step_result_t
parley_gate_duplicate(parley_gate_t *g)
{
    int              rc;
    parley_replay_t  r;

    parley_gate_message_replay(g, &r);

    rc = parley_replay_find(&r, &g->admit.first);

    return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT
           : rc < 0 ? PARLEY_RESULT_FAILED : PARLEY_RESULT_REFUSED;
}


parley_step_result_t
parley_gate_admit_keep(parley_gate_t *g)
{
    int              rc;
    parley_asking_t  a;

    parley_gate_message_asking(g, &a);

    /*
     * a message that continues was kept for another location before: drop that
     */

    rc = parley_question_drop(&g->ask, &g->admit.before);

    if (rc == 0) {
        rc = parley_question_keep(&a, &g->admit.asked, g->err);
    }

    if (rc == 0) {
        memset(&g->admit.before, 0, sizeof(parley_asked_t));

    } else if (rc != PARLEY_WAIT) {
        g->report.wait = PARLEY_GATE_NO_ROOM;
    }

    return parley_step_result(rc);
}


int
parley_gate_undo(parley_gate_t *g)
{
    int                    rc;
    const parley_asked_t  *asked[] = { &g->admit.before, &g->admit.asked };

    if (g->admit.entrance.taken
        || !parley_reservation_is_open(&g->admit.entrance))
    {
        return 0;
    }

    /*
     * an escalation that goes up keeps its question: a principal above may
     * acknowledge it, even if the message comes again
     */

    rc = parley_reservation_release(&g->admit.entrance, asked,
                                    g->publish.escalates ? 1 : 2,
                                    g->publish.retained
                                    ? &g->publish.retained_as : NULL);

    if (rc != PARLEY_WAIT) {
        g->publish.retained = 0;
        memset(&g->admit.before, 0, sizeof(parley_asked_t));
        memset(&g->admit.asked, 0, sizeof(parley_asked_t));
    }

    return rc;
}
