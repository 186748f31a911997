/*
 * The step PUBLISH, where parley_submit stands: what has passed is appended to
 * the logs that its scope names, once, as it was accepted; whoever listens gets
 * it in its own protocol (HUB-06).  It is answered when it is appended
 * (HUB-01).
 */

#include <string.h>

#include "parley_channel_filter.h"
#include "parley_channel_scope.h"
#include "parley_check.h"
#include "parley_deliver.h"
#include "parley_gate_deliver.h"
#include "parley_gate_mcp.h"
#include "parley_members.h"
#include "parley_msg_field.h"
#include "parley_publish.h"
#include "parley_selector.h"
#include "parley_settings.h"


/* ms that a record lives whose message does not say how long */
#define PARLEY_GATE_LIVES  ((int64_t) 1 << 40)


static int parley_gate_published(parley_gate_t *g);
static int parley_gate_publication(parley_gate_t *g,
    parley_publication_t *ret, parley_str_t *scope);
static parley_str_t parley_gate_fits(parley_str_t text);
static int parley_gate_answers(parley_gate_t *g, parley_str_t *ret);
static int parley_gate_frame(parley_gate_t *g, const parley_json_t **ret);
static int parley_gate_accepted(parley_gate_t *g, parley_str_t *ret);
static parley_str_t parley_gate_bare(parley_str_t text);
static int parley_gate_expand(parley_gate_t *g, parley_str_t text,
    parley_expansion_t *ret);
static int parley_gate_appends(parley_gate_t *g,
    const parley_publication_t *p, const parley_expansion_t *expansion,
    const parley_reached_t *reached, parley_append_t *ret);
static int parley_gate_append(parley_gate_t *g,
    const parley_append_t *append, parley_gate_readers_t *reach,
    int64_t *ret_count);
static int parley_gate_unappended(parley_gate_t *g,
    parley_append_verdict_t why);
static int parley_gate_emitted(parley_gate_t *g, int64_t count);


parley_step_result_t
parley_gate_publish(parley_gate_t *g)
{
    int  rc;

    if (g->s->submit == NULL) {
        return PARLEY_RESULT_NONE;
    }

    rc = parley_gate_published(g);

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


static int
parley_gate_published(parley_gate_t *g)
{
    int                   rc, held;
    int64_t               count;
    parley_str_t          scope;
    parley_append_t       append;
    parley_reached_t      reached;
    parley_expansion_t    expansion;
    parley_gate_readers_t   reach;
    parley_publication_t  p;

    if (parley_gate_publication(g, &p, &scope) != 0
        || parley_gate_expand(g, scope, &expansion) != 0)
    {
        return -1;
    }

    p.audience = expansion.audience;
    p.facts.values[PARLEY_CHANNEL_AXIS_ORG] = expansion.org;

    rc = parley_gate_reaches(g, scope, &expansion, &reached);

    if (rc == 0) {
        rc = parley_gate_appends(g, &p, &expansion, &reached, &append);
    }

    if (rc == 0) {
        rc = parley_gate_readers(g, &p, &append, &reach);
    }

    if (rc != 0) {
        return rc;
    }

    held = parley_gate_hold(g, p.facts.values[PARLEY_CHANNEL_AXIS_SENDER]);

    if (held < 0) {
        return held;
    }

    rc = parley_gate_declare(g);

    if (rc == 0) {
        rc = parley_gate_lead(g, reached.speaks);
    }

    if (rc != 0) {
        return rc;
    }

    /* OPS-06: it is written before it changes anything */

    if (parley_gate_record_as(g, PARLEY_VERDICT_ANSWERED)
        == PARLEY_RESULT_REFUSED)
    {
        return -1;
    }

    rc = parley_gate_append(g, &append, &reach, &count);

    if (rc == 0) {
        rc = parley_gate_flush(g);
    }

    if (rc == 0) {
        g->published = 1;
        g->emitted = count;
        g->holds = held == 1 && count > 0;

        rc = parley_gate_emitted(g, g->s->submit->coarse
                                    ? parley_selector_coarse(count) : count);
    }

    if (rc == 0) {
        rc = parley_gate_taken(g, &g->reply, 0);
    }

    if (rc == 0 && g->mcp != NULL && !g->holds) {
        rc = parley_gate_mcp_result(g, &g->reply);
    }

    return rc;
}


/* what filters and scopes go by is what it is as a frame, whatever it is */

static int
parley_gate_publication(parley_gate_t *g, parley_publication_t *ret,
    parley_str_t *scope)
{
    parley_str_t          recipient;
    const parley_json_t  *frame = NULL;

    memset(ret, 0, sizeof(parley_publication_t));

    ret->kind = PARLEY_PUBLICATION_MESSAGE;
    ret->proto = g->msg->wire;
    ret->sender = parley_who_proven(g->who);
    ret->author = g->msg->author;

    if (parley_gate_frame(g, &frame) != 0
        || parley_gate_accepted(g, &ret->message) != 0)
    {
        return -1;
    }

    ret->message = parley_gate_bare(ret->message);

    if (parley_channel_facts(frame, &ret->facts, &recipient) != 0) {
        return parley_error_memory(g->err);
    }

    ret->ms = g->now_ms;
    ret->priority = g->msg->priority;
    ret->timeout_ms = g->msg->timeout_ms;

    ret->id = parley_gate_fits(g->msg->id);
    ret->from = parley_gate_fits(g->msg->sender);
    ret->to = parley_gate_fits(g->msg->recipient);

    if (g->correlation.answering != NULL) {
        ret->question = g->correlation.question->record;
        ret->own = g->correlation.own;
    }

    if (g->correlation.final && parley_gate_answers(g, &ret->answers) != 0) {
        return parley_error_memory(g->err);
    }

    *scope = g->msg->wire == PARLEY_PROTO_CHANNEL ? g->msg->scope
                                                  : g->sent.scope;
    ret->scope = *scope;

    if (scope->len == 0) {
        *scope = recipient;
    }

    return 0;
}


/* what is longer than names and ids are is not said beside the message */

static parley_str_t
parley_gate_fits(parley_str_t text)
{
    return text.len <= PARLEY_PUBLICATION_TEXT_MAX ? text : parley_str_none;
}


/* HUB-07: by which the request is found that is held for it */

static int
parley_gate_answers(parley_gate_t *g, parley_str_t *ret)
{
    uint8_t  *name;

    name = parley_arena_octets(g->arena, PARLEY_PUBLICATION_QUESTION);

    if (name == NULL) {
        return -1;
    }

    parley_publication_question(&g->correlation.id, name);
    *ret = parley_str_make(name, PARLEY_PUBLICATION_QUESTION);

    return 0;
}


static int
parley_gate_frame(parley_gate_t *g, const parley_json_t **ret)
{
    parley_json_t  *doc;

    if (g->msg->wire == PARLEY_PROTO_CHANNEL) {
        *ret = g->msg->doc;
        return 0;
    }

    doc = parley_arena_calloc(g->arena, sizeof(parley_json_t));

    if (doc == NULL) {
        return parley_error_memory(g->err);
    }

    *ret = doc;

    return parley_json_read(doc, g->arena, &g->conf->limits, g->seed,
                            g->sent.body, g->err);
}


/* a credential in it is nobody's to get */

static int
parley_gate_accepted(parley_gate_t *g, parley_str_t *ret)
{
    parley_loss_t         loss;
    parley_encoded_t      own;

    if (g->msg->wire == PARLEY_PROTO_CHANNEL) {
        *ret = g->sent.body;
        return 0;
    }

    parley_loss_init(&loss, g->arena);
    memset(&own, 0, sizeof(parley_encoded_t));

    if (parley_encode(g->engine, g->arena, g->msg->wire, g->msg, &g->opts,
                      &own, &loss, g->err)
        != 0
        || (g->edited && own.copied
            && parley_rewrite_sign(g->arena, g->proto, g->rewritten, &g->opts,
                                   &own, g->err)
               != 0))
    {
        return -1;
    }

    *ret = own.body;

    return 0;
}


/*
 * The value without the white space around it, which a service may get and an
 * event must not: a line feed behind it, as of a file, would be a line of data
 * of its own.
 */

static parley_str_t
parley_gate_bare(parley_str_t text)
{
    while (text.len > 0
           && memchr(" \t\r\n", text.data[text.len - 1], 4) != NULL)
    {
        text.len--;
    }

    while (text.len > 0 && memchr(" \t\r\n", text.data[0], 4) != NULL) {
        text = parley_str_from(text, 1);
    }

    return text;
}


static int
parley_gate_expand(parley_gate_t *g, parley_str_t text,
    parley_expansion_t *ret)
{
    parley_expand_env_t     env;
    parley_channel_scope_t  scope;

    if (parley_gate_is_broadcast(g)) {
        return parley_gate_broadcast(g, ret);
    }

    if (parley_channel_scope_parse(text, &scope) != 0) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                                parley_at(g->msg, PARLEY_MSG_RECIPIENT).pointer,
                                "whom it is for is no scope");
    }

    parley_members(g->who, &env);

    return parley_expand(g->arena, g->ask.state, &scope,
                         &g->s->submit->expand, &env, ret, g->err);
}


static int
parley_gate_appends(parley_gate_t *g, const parley_publication_t *p,
    const parley_expansion_t *expansion, const parley_reached_t *reached,
    parley_append_t *ret)
{
    int64_t           left;
    parley_publish_t  publish;

    memset(&publish, 0, sizeof(parley_publish_t));

    left = parley_check_left(g->msg, g->now_ms);

    publish.publication = p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) expansion->logs;
    publish.nlogs = expansion->nlogs;
    publish.account = g->account;
    publish.ttl = left < 0 ? PARLEY_GATE_LIVES : left;

    parley_deliver_retention(g->http, &publish.retention);

    if (parley_publish_append(g->arena, &publish, ret) != 0) {
        return parley_error_memory(g->err);
    }

    ret->jobs = reached->jobs;
    ret->njobs = reached->n;

    return 0;
}


static int
parley_gate_append(parley_gate_t *g, const parley_append_t *append,
    parley_gate_readers_t *reach, int64_t *ret_count)
{
    int                rc;
    parley_appended_t  appended;

    *ret_count = 0;

    if (append->nlogs == 0 && append->njobs == 0) {
        /* an organisation without members: nobody is told */
        return 0;
    }

    rc = parley_ask_append(&g->ask, append, &appended);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state gave no answer");
    }

    if (appended.verdict != PARLEY_APPEND_OK) {
        return parley_gate_unappended(g, appended.verdict);
    }

    if (g->env->wake != NULL) {
        g->env->wake(g);
    }

    *ret_count = parley_gate_readers_told(g, reach, &appended);

    *ret_count += (int64_t) append->njobs;

    return 0;
}


static int
parley_gate_unappended(parley_gate_t *g, parley_append_verdict_t why)
{
    switch (why) {

    case PARLEY_APPEND_CLOSED:
        return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "what it is for takes nothing any more");

    case PARLEY_APPEND_MEMORY:
        return parley_error_memory(g->err);

    default:
        g->wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL, "%s",
                                why == PARLEY_APPEND_SHARE
                                ? "this sender has its share of the zone in "
                                  "use"
                                : "the zone is full");
    }
}


/* ACH-19 */

static int
parley_gate_emitted(parley_gate_t *g, int64_t count)
{
    parley_answer_t  answer;

    memset(&answer, 0, sizeof(parley_answer_t));
    memset(&g->reply, 0, sizeof(parley_reply_t));

    answer.kind = PARLEY_ANSWER_TAKEN;
    answer.status = 200;
    answer.counted = 1;
    answer.delivered = count;

    return parley_answer_encode(g->engine, g->arena, g->msg, &answer, &g->opts,
                                g->now_ms, &g->reply, g->loss, g->err);
}
