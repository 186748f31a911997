/*
 * The step PUBLISH of a location with parley_submit.  It appends the message
 * once to the logs of its scope, in the form that was accepted.  Each
 * subscriber gets it in its own protocol (HUB-06).  The request is answered
 * when the message is appended (HUB-01).
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/channel/parley_channel_filter.h"
#include "translate/channel/parley_channel_scope.h"
#include "translate/parley_check.h"
#include "gate/delivery/parley_render.h"
#include "gate/publish/parley_gate_deliver.h"
#include "gate/message/parley_gate_mcp.h"
#include "gate/publish/parley_members.h"
#include "translate/parley_msg_field.h"
#include "hub/parley_publish.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_publish_run(parley_gate_t *g);
static int parley_gate_publish_try(parley_gate_t *g,
    parley_append_t *append, parley_gate_readers_t *reach, int held);
static int parley_gate_publish_expand(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_expansion_t *ret);
static int parley_gate_publish_appends(parley_gate_t *g,
    const parley_publication_t *p, const parley_expansion_t *expansion,
    const parley_reached_t *reached, parley_append_t *ret);
static int parley_gate_append(parley_gate_t *g,
    parley_append_t *append, parley_gate_readers_t *reach,
    int64_t *ret_count);
static int parley_gate_publish_unappended(parley_gate_t *g,
    parley_append_verdict_t why);
static int parley_gate_publish_emitted(parley_gate_t *g, int64_t count);


parley_step_result_t
parley_gate_publish(parley_gate_t *g)
{
    int  rc;

    rc = parley_gate_publish_run(g);

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


int
parley_gate_publish_deadline(parley_gate_t *g)
{
    if (!g->publish.published) {
        return -1;
    }

    return g->serve.mcp != NULL && !g->publish.holds
           ? parley_gate_collect_result(g, &g->out.reply) : 0;
}


static int
parley_gate_publish_run(parley_gate_t *g)
{
    int                     rc, held;
    parley_str_t            text;
    parley_append_t         append;
    parley_reached_t        reached;
    parley_expansion_t      expansion;
    parley_publication_t    p;
    parley_gate_readers_t   reach;
    parley_channel_scope_t  scope;

    if (parley_gate_publish_message(g, &p, &text) != 0
        || (!parley_gate_publish_is_broadcast(g)
            && parley_gate_scope(g, text, &scope) != 0)
        || parley_gate_publish_expand(g, &scope, &expansion) != 0)
    {
        return -1;
    }

    p.audience = expansion.audience;
    p.facts.values[PARLEY_CHANNEL_AXIS_ORG] = expansion.org;

    rc = parley_gate_reach_is_any(g, &scope, p.answers, &expansion, &reached);

    if (rc == 0) {
        p.owed = reached.owed;
        rc = parley_gate_publish_appends(g, &p, &expansion, &reached, &append);
    }

    if (rc == 0) {
        rc = parley_gate_readers(g, &p, &append, reached.urls, &reach);
    }

    if (rc != 0) {
        return rc;
    }

    held = parley_gate_await_reply(g);

    if (held < 0) {
        return held;
    }

    rc = parley_gate_declare(g);

    if (rc == 0) {
        rc = parley_gate_publish_keep_alias(g,
                 reached.speaks | parley_gate_escalate_protocols(g));
    }

    if (rc == 0) {
        rc = parley_gate_publish_deadlines(g, &append);
    }

    return rc == 0 ? parley_gate_publish_try(g, &append, &reach, held) : rc;
}


/*
 * Publishes the message after all checks have passed.  If held is 1, the
 * request waits for an answer.
 */

static int
parley_gate_publish_try(parley_gate_t *g, parley_append_t *append,
    parley_gate_readers_t *reach, int held)
{
    int      rc;
    int64_t  count;

    count = 0;

    /* OPS-06: the audit line is written before the message changes anything */

    if (parley_gate_verdict_record_as(g, PARLEY_VERDICT_ANSWERED)
        == PARLEY_RESULT_REFUSED)
    {
        return -1;
    }

    /*
     * ACH-28: the message is kept first, because a recipient may delete it at
     * once
     */

    rc = parley_gate_keep_before(g);

    if (rc == 0) {
        rc = parley_gate_append(g, append, reach, &count);
    }

    if (rc == 0) {
        count += (int64_t) reach->urls;

        g->publish.emitted = count;
        g->publish.holds = held == 1 && count > 0;

        rc = parley_gate_publish_emitted(g, g->conf.s->submit->coarse
                                            ? parley_selector_coarse(count)
                                            : count);
    }

    if (rc == 0 && parley_gate_message_responds(g) && g->msg->recalls.len > 0) {
        rc = parley_gate_cancel(g, g->msg->doc);
    }

    if (rc == 0) {
        g->publish.published = 1;
        rc = parley_gate_declare_flush(g);
    }

    if (rc == 0) {
        rc = parley_gate_taken(g, &g->out.reply, 0);
    }

    if (rc == 0 && g->serve.mcp != NULL && !g->publish.holds) {
        rc = parley_gate_collect_result(g, &g->out.reply);
    }

    return rc;
}


static int
parley_gate_publish_expand(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_expansion_t *ret)
{
    parley_expand_env_t  env;

    if (parley_gate_publish_is_broadcast(g)) {
        return parley_gate_publish_broadcast(g, ret);
    }

    if (!parley_gate_publish_may_read(g, scope)) {
        return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "no rule allows this");
    }

    parley_members(g, &env);

    return parley_expand(g->arena, g->ask.state, scope,
                         &g->conf.s->submit->expand, &env, ret, g->err);
}


/*
 * Returns whether the rules admit the principal of a handle.  Its log can be
 * reached by a name that the rules do not contain.  parley_members.h checks
 * each member of an organisation.
 */

int
parley_gate_publish_may_read(const parley_gate_t *g,
    const parley_channel_scope_t *scope)
{
    const parley_principal_t  *p;

    if (parley_expand_is_org(scope)) {
        return 1;
    }

    p = parley_address_owner(g->conf.http->directory, scope->handle);

    return p == NULL || parley_gate_may_reach(g, p);
}


static int
parley_gate_publish_appends(parley_gate_t *g, const parley_publication_t *p,
    const parley_expansion_t *expansion, const parley_reached_t *reached,
    parley_append_t *ret)
{
    int64_t           left;
    parley_publish_t  publish;

    memset(&publish, 0, sizeof(parley_publish_t));

    left = parley_check_left(g->msg, g->in.now_ms);

    publish.publication = p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) expansion->logs;
    publish.nlogs = expansion->nlogs;
    publish.account = g->proof.account;
    publish.ttl = left < 0 ? PARLEY_PUBLISH_LIVES : left;

    parley_render_retention(g->conf.http, &publish.retention);

    if (parley_publication_append(g->arena, &publish, ret) != 0) {
        return parley_error_memory(g->err);
    }

    ret->jobs = reached->jobs;
    ret->njobs = reached->n;

    return 0;
}


static int
parley_gate_append(parley_gate_t *g, parley_append_t *append,
    parley_gate_readers_t *reach, int64_t *ret_count)
{
    int                rc;
    parley_appended_t  appended;

    *ret_count = 0;

    if (append->nlogs == 0 && append->njobs == 0) {
        /* an organisation without members: no recipients */
        return 0;
    }

    /*
     * HUB-10: one call appends and settles, so a retry is not a second message
     */

    parley_reservation_append(&g->admit.entrance, append);

    rc = parley_ask_append(&g->ask, append, &appended);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    if (appended.verdict != PARLEY_APPEND_OK) {
        return parley_gate_publish_unappended(g, appended.verdict);
    }

    parley_reservation_appended(&g->admit.entrance, append);

    if (g->env->wake != NULL) {
        g->env->wake(g);
    }

    *ret_count = parley_gate_readers_told(g, reach, &appended);

    return 0;
}


static int
parley_gate_publish_unappended(parley_gate_t *g, parley_append_verdict_t why)
{
    switch (why) {

    case PARLEY_APPEND_CLOSED:
        return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "the recipient's log is closed");

    case PARLEY_APPEND_LATE:
        return parley_msg_misrefers(g->msg, PARLEY_E_REPLY_UNMATCHED,
                                    "the question is answered already", g->err);

    case PARLEY_APPEND_STALE:
        g->report.wait = PARLEY_GATE_OVERDUE;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer in time");

    case PARLEY_APPEND_MEMORY:
        return parley_error_memory(g->err);

    default:
        g->report.wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                                why == PARLEY_APPEND_SHARE
                                ? "this sender uses its whole share of the zone"
                                : why == PARLEY_APPEND_AWAY
                                ? "the store of the gateways is away"
                                : "the zone is full");
    }
}


/* Makes the answer with the number of recipients (ACH-19). */

static int
parley_gate_publish_emitted(parley_gate_t *g, int64_t count)
{
    parley_answer_t  answer;

    memset(&answer, 0, sizeof(parley_answer_t));
    memset(&g->out.reply, 0, sizeof(parley_reply_t));

    answer.kind = PARLEY_ANSWER_TAKEN;
    answer.status = 200;
    answer.counted = 1;
    answer.delivered = count;
    answer.framed = g->conf.s->websocket != NULL;

    return parley_answer_encode(g->engine, g->arena, g->msg, &answer,
                                &g->out.opts,
                                g->in.now_ms, &g->out.reply, g->loss, g->err);
}
