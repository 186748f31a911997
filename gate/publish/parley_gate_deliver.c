/*
 * Adds jobs that deliver a publication.  A recipient gets it by its stream, or
 * else at the https URL that the identities have for it.  A job for the URL is
 * added with the record (hub/parley_attempt.h describes its attempts).
 *
 * If the protocol of the message promises to deliver accepted messages
 * (VCP-33), a recipient without a URL gets a job, too.  So does a recipient
 * that the gateway dials (VCP-32), for a message of any protocol.  This job
 * ends when a connection of the recipient has the message.  If no connection
 * gets it in time, the job reports the failure.  A broadcast goes to each known
 * peer of its sender (VCP-22).
 */

#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/parley_severity.h"
#include "hub/parley_attempt.h"
#include "translate/channel/parley_channel_scope.h"
#include "gate/publish/parley_gate_deliver.h"
#include "hub/parley_job_subject.h"
#include "gate/publish/parley_members.h"
#include "gate/party/parley_names.h"
#include "translate/parley_name.h"
#include "hub/parley_selector.h"
#include "gate/settings/parley_settings.h"
#include "gate/delivery/parley_delivery_route.h"


#define PARLEY_RENDER_ROOM  8      /* initial number of jobs */


/* group that a service gets a message for, by each name of the group */
typedef struct {
    parley_channel_scope_t  *scopes;
    size_t                   n;
    unsigned                 peers:1;   /* all known peers of the sender */
} parley_scopes_t;


static int parley_gate_publish_peer(parley_gate_t *g,
    const parley_principal_t *p);
static int parley_gate_publish_is_peer(const parley_gate_t *g,
    const parley_principal_t *p);
static int parley_gate_publish_scopes(parley_gate_t *g, parley_scopes_t *ret);
static int parley_gate_publish_group_has(const parley_gate_t *g,
    const parley_scopes_t *group, const parley_principal_t *p);
static int parley_gate_reach_all(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_str_t answers,
    parley_reached_t *ret);
static int parley_gate_reach_scope(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_str_t answers,
    parley_reached_t *ret);
static int parley_gate_reach(parley_gate_t *g, const parley_principal_t *p,
    parley_str_t address, parley_str_t answers, parley_reached_t *ret);
static int parley_gate_publish_awaits(parley_gate_t *g,
    const parley_principal_t *p, parley_str_t address, parley_str_t answers);
static int parley_gate_reach_job(parley_gate_t *g,
    const parley_principal_t *p, parley_job_subject_kind_t kind,
    parley_str_t owed,
    parley_reached_t *ret);
static parley_job_t *parley_gate_reach_room(parley_gate_t *g,
    parley_reached_t *ret);
static int64_t parley_gate_publish_lasts(const parley_gate_t *g);


int
parley_gate_publish_is_broadcast(const parley_gate_t *g)
{
    parley_str_t  peers;

    peers = parley_codecs[g->msg->wire]->syntax->peers;

    return peers.len > 0 && parley_str_eq(g->msg->recipient, peers);
}


/*
 * Collects the logs of the sender's known peers.  Each recipient has its own
 * retries.  A peer has a name, and therefore an address.
 */

int
parley_gate_publish_broadcast(parley_gate_t *g, parley_expansion_t *ret)
{
    size_t                     i, n;
    parley_str_t               address;
    const parley_principal_t  *list = NULL;

    memset(ret, 0, sizeof(parley_expansion_t));

    n = g->conf.http->directory != NULL
        ? parley_directory_principals(g->conf.http->directory, &list) : 0;

    ret->logs = parley_arena_alloc(g->arena, (n + 1) * PARLEY_KEY_LEN);

    if (ret->logs == NULL) {
        return parley_error_memory(g->err);
    }

    for (i = 0; i < n; i++) {

        if (!parley_gate_publish_peer(g, &list[i])) {
            continue;
        }

        if (ret->nlogs == g->conf.s->submit->expand.max) {
            return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                    "the sender has more known peers than a "
                                    "message may have recipients");
        }

        if (parley_address_of(g->arena, &list[i], &address) != 0) {
            return parley_error_memory(g->err);
        }

        parley_expand_log(g->ask.state, address, ret->logs[ret->nlogs++]);
    }

    return 0;
}


static int
parley_gate_publish_peer(parley_gate_t *g, const parley_principal_t *p)
{
    return g->who->principal != NULL && p->names[g->msg->wire].len > 0
           && parley_gate_publish_is_peer(g, p) && parley_gate_may_reach(g, p);
}


/*
 * Returns whether p is a peer of the sender (VCP-22).  Peers have the same
 * parent, or neither has one.  Each principal is a possible peer of an unknown
 * sender.
 */

static int
parley_gate_publish_is_peer(const parley_gate_t *g, const parley_principal_t *p)
{
    const parley_principal_t  *self;

    self = g->who->principal;

    return self == NULL || (!parley_str_eq(p->sub, self->sub)
                            && parley_str_eq(p->parent, self->parent));
}


int
parley_gate_reach_has_some(parley_gate_t *g)
{
    size_t                     i, n, at;
    parley_str_t               text, address;
    parley_expand_env_t        env;
    parley_channel_scope_t     scope;
    const parley_principal_t  *list;

    if (g->conf.s->submit == NULL || g->conf.http->directory == NULL) {
        return 0;
    }

    if (parley_gate_publish_is_broadcast(g)) {
        n = parley_directory_principals(g->conf.http->directory, &list);

        for (i = 0; i < n && !parley_gate_publish_peer(g, &list[i]); i++) {
            /* void */
        }

        return i < n;
    }

    text = g->msg->scope;

    if (text.len == 0
        && parley_name_map(g->arena, g->msg->wire, g->msg->recipient,
                           PARLEY_PROTO_STREAMS, &text)
           != 0)
    {
        return 0;
    }

    if (parley_channel_scope_parse(text, &scope) != 0
        || !parley_expand_is_org(&scope))
    {
        return 0;
    }

    parley_members(g, &env);
    at = 0;

    return env.next(env.ctx, &scope, &at, &address) != 0;
}


int
parley_gate_reach_has_all(parley_gate_t *g)
{
    int                        rc;
    size_t                     i, n;
    parley_scopes_t            group;
    const parley_principal_t  *reader, *list;

    if (g->conf.s->submit != NULL || g->conf.http->directory == NULL
        || !(g->conf.gate->policy->given & (1u << PARLEY_POLICY_TO)))
    {
        return 0;
    }

    if (parley_gate_publish_scopes(g, &group) != 0) {
        return parley_error_memory(g->err);
    }

    rc = 1;
    list = NULL;
    reader = g->serve.reader;
    n = group.n > 0 || group.peers
        ? parley_directory_principals(g->conf.http->directory, &list) : 0;

    for (i = 0; rc == 1 && i < n; i++) {
        if (parley_gate_publish_group_has(g, &group, &list[i])) {
            g->serve.reader = &list[i];
            rc = parley_gate_rules_check(g);
        }
    }

    g->serve.reader = reader;

    return rc == 1 ? 0 : -1;
}


/*
 * Finds the scopes that the recipient's names mean.  Returns 0, or -1 without
 * memory.
 */

static int
parley_gate_publish_scopes(parley_gate_t *g, parley_scopes_t *ret)
{
    size_t                   i;
    unsigned                 proto;
    parley_str_t             text;
    parley_names_t           names;
    parley_channel_scope_t  *scope;

    memset(ret, 0, sizeof(parley_scopes_t));

    if (parley_names_recipient(g->who, parley_gate_message_to(g), &names)
        != 0) {
        return -1;
    }

    ret->scopes = parley_arena_alloc(g->arena,
                                     (names.n + 1)
                                     * sizeof(parley_channel_scope_t));
    if (ret->scopes == NULL) {
        return -1;
    }

    for (i = 0; i <= names.n; i++) {
        text = i < names.n ? names.list[i].text
                           : parley_correlation_scope(&g->read.correlation);
        scope = &ret->scopes[ret->n];

        if (text.len > 0 && parley_channel_scope_parse(text, scope) == 0) {
            ret->n += (size_t) parley_expand_is_org(scope);
        }

        for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {
            ret->peers |= text.len > 0
                          && parley_str_eq(text,
                                           parley_codecs[proto]->syntax
                                               ->peers);
        }
    }

    return 0;
}


static int
parley_gate_publish_group_has(const parley_gate_t *g,
    const parley_scopes_t *group, const parley_principal_t *p)
{
    size_t  i;

    for (i = 0; i < group->n; i++) {
        if (parley_members_has(&group->scopes[i], p)) {
            return 1;
        }
    }

    return group->peers && parley_gate_publish_is_peer(g, p);
}


/*
 * A critical message to one recipient is urgent.  One to several recipients is
 * not: it would take the places of all urgent messages.
 */

int
parley_gate_reach_is_any(parley_gate_t *g, const parley_channel_scope_t *scope,
    parley_str_t answers, const parley_expansion_t *expansion,
    parley_reached_t *ret)
{
    int  rc;

    memset(ret, 0, sizeof(parley_reached_t));

    if (expansion->audience.form != PARLEY_AUDIENCE_ALL
        || (!parley_codecs[g->msg->wire]->delivers
            && (g->conf.http->deliver_uri.len == 0
                || g->conf.http->directory == NULL)))
    {
        return 0;
    }

    rc = parley_gate_reach_all(g, scope, answers, ret);

    if (rc == 0 && ret->n == 1 && ret->jobs[0].class == PARLEY_JOB_ORDINARY
        && parley_severity_escalates(parley_gate_severity(g)))
    {
        ret->jobs[0].class = PARLEY_JOB_URGENT;
    }

    return rc;
}


static int
parley_gate_reach_all(parley_gate_t *g, const parley_channel_scope_t *scope,
    parley_str_t answers, parley_reached_t *ret)
{
    int                        rc;
    size_t                     i, n;
    parley_str_t               address;
    const parley_principal_t  *list = NULL;

    if (!parley_gate_publish_is_broadcast(g)) {
        return parley_gate_reach_scope(g, scope, answers, ret);
    }

    n = g->conf.http->directory != NULL
        ? parley_directory_principals(g->conf.http->directory, &list) : 0;

    for (i = 0; i < n; i++) {

        if (!parley_gate_publish_peer(g, &list[i])) {
            continue;
        }

        if (parley_address_of(g->arena, &list[i], &address) != 0) {
            return parley_error_memory(g->err);
        }

        rc = parley_gate_reach(g, &list[i], address, parley_str_none, ret);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


static int
parley_gate_reach_scope(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_str_t answers,
    parley_reached_t *ret)
{
    int                        rc;
    size_t                     at;
    parley_str_t               address;
    parley_expand_env_t        env;
    const parley_principal_t  *p;

    if (!parley_expand_is_org(scope)) {
        p = parley_address_owner(g->conf.http->directory, scope->handle);

        return parley_gate_reach(g, p, scope->handle, answers, ret);
    }

    parley_members(g, &env);

    at = 0;

    while ((rc = env.next(env.ctx, scope, &at, &address)) != 0) {

        if (rc < 0) {
            return parley_error_memory(g->err);
        }

        p = parley_address_owner(g->conf.http->directory, address);

        /* a sender's message to its organisation goes to the other members */

        if (p == NULL || p == g->who->principal
            || (g->who->principal != NULL
                && parley_str_eq(p->sub, g->who->principal->sub)))
        {
            continue;
        }

        rc = parley_gate_reach(g, p, address, parley_str_none, ret);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


/*
 * Adds a job for a recipient if it needs one.  Returns 0; PARLEY_WAIT; or -1:
 * capacity, policy-refused.
 */

static int
parley_gate_reach(parley_gate_t *g, const parley_principal_t *p,
    parley_str_t address, parley_str_t answers, parley_reached_t *ret)
{
    int     rc;
    size_t  i;

    for (i = 0; p != NULL && i < ret->n; i++) {
        if (ret->who[i] == p) {
            return 0;
        }
    }

    if (p == NULL || p->deliver.len == 0 || parley_principal_is_dialled(p)
        || g->conf.http->deliver_uri.len == 0)
    {
        rc = parley_gate_publish_awaits(g, p, address, answers);

        return rc != 1 ? rc
               : parley_gate_reach_job(g, p, PARLEY_SUBJECT_AWAIT, address,
                                       ret);
    }

    rc = address.len > 0 ? parley_gate_await_listens(g, address) : 0;

    if (rc == 1) {
        return parley_codecs[g->msg->wire]->delivers
               ? parley_gate_reach_job(g, p, PARLEY_SUBJECT_DELIVER, address,
                                       ret)
               : 0;
    }

    return rc != 0 ? rc
           : parley_gate_reach_job(g, p, PARLEY_SUBJECT_DELIVER,
                                   parley_str_none, ret);
}


/*
 * Finds whether a message waits for the next connection of the owner p of an
 * address, which has no https URL.  Returns 1; PARLEY_WAIT; or -1: capacity.
 * Returns 0 if the message does not wait, or if a held request gets it as its
 * answer.
 */

static int
parley_gate_publish_awaits(parley_gate_t *g, const parley_principal_t *p,
    parley_str_t address, parley_str_t answers)
{
    int                rc;
    uint8_t           *session, log[1][PARLEY_KEY_LEN];
    parley_append_t    asked;
    parley_appended_t  would;

    if (address.len == 0
        || (!parley_codecs[g->msg->wire]->delivers
            && (p == NULL || !parley_principal_is_dialled(p))))
    {
        return 0;
    }

    if (answers.len == 0) {
        return 1;
    }

    session = parley_arena_octets(g->arena, 1 + answers.len);

    if (session == NULL) {
        return parley_error_memory(g->err);
    }

    session[0] = PARLEY_SELECTOR_HELD;
    memcpy(&session[1], answers.data, answers.len);
    parley_expand_log(g->ask.state, address, log[0]);

    memset(&asked, 0, sizeof(parley_append_t));

    asked.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
    asked.nlogs = 1;
    asked.session = parley_str_make(session, 1 + answers.len);
    asked.asks = 1;
    asked.arena = g->arena;

    rc = parley_ask_append(&g->ask, &asked, &would);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    return rc != 0 ? parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                      "the state did not answer")
           : would.ngroups == 0;
}


/*
 * Adds a job.  owed is the address of the readers that the job waits for first.
 * A recipient with a URL gets the message there if none of its streams has it
 * in time.
 */

static int
parley_gate_reach_job(parley_gate_t *g, const parley_principal_t *p,
    parley_job_subject_kind_t kind, parley_str_t owed, parley_reached_t *ret)
{
    parley_job_t    *job;
    parley_proto_t   speaks;

    job = parley_gate_reach_room(g, ret);

    if (job == NULL) {
        return -1;
    }

    memset(job, 0, sizeof(parley_job_t));

    ret->who[ret->n++] = p;
    ret->owed |= owed.len > 0;

    if (kind == PARLEY_SUBJECT_AWAIT) {
        return parley_delivery_awaits(g->arena, g->ask.state, kind, owed,
                                      parley_gate_publish_lasts(g), job)
               == 0 ? 0 : parley_error_memory(g->err);
    }

    if (parley_job_subject_write(g->arena, kind, p->sub, &job->text) != 0) {
        return parley_error_memory(g->err);
    }

    job->lasts = parley_gate_publish_lasts(g);

    if (owed.len > 0) {
        parley_expand_log(g->ask.state, owed, job->lane);
        job->owed = 1;
        job->after = PARLEY_FEED_GRACE < job->lasts ? PARLEY_FEED_GRACE
                                                    : job->lasts;
        return 0;
    }

    parley_delivery_lane(g->ask.state, parley_who_proven(g->who), p->sub,
                         job->lane);

    speaks = parley_delivery_protocol(p, g->msg->wire);

    ret->speaks |= PARLEY_PROTO_BIT(speaks);
    ret->urls[speaks]++;

    return 0;
}


static parley_job_t *
parley_gate_reach_room(parley_gate_t *g, parley_reached_t *ret)
{
    parley_job_t               *jobs;
    const parley_principal_t  **who;

    if (ret->n == PARLEY_JOBS_MAX) {
        (void) parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "the message has more than %d recipients",
                                PARLEY_JOBS_MAX);
        return NULL;
    }

    if (ret->n < ret->room) {
        return &ret->jobs[ret->n];
    }

    ret->room = ret->room != 0 ? 2 * ret->room : PARLEY_RENDER_ROOM;

    jobs = parley_arena_alloc(g->arena, ret->room * sizeof(parley_job_t));
    who = parley_arena_alloc(g->arena, ret->room * sizeof(who[0]));

    if (jobs == NULL || who == NULL) {
        (void) parley_error_memory(g->err);
        return NULL;
    }

    if (ret->n != 0) {
        memcpy(jobs, ret->jobs, ret->n * sizeof(parley_job_t));
        memcpy(who, ret->who, ret->n * sizeof(who[0]));
    }

    ret->jobs = jobs;
    ret->who = who;

    return &jobs[ret->n];
}


/*
 * Returns the time in ms in which the job must deliver.  A recipient refuses a
 * message that is older than its protocol allows (VCP 7.4).
 */

static int64_t
parley_gate_publish_lasts(const parley_gate_t *g)
{
    int64_t  ms, past;

    past = parley_codecs[g->msg->wire]->past_max_ms;

    if (past == 0 || g->msg->created_ms < 0) {
        return PARLEY_ATTEMPT_LIVES;
    }

    ms = past + g->msg->created_ms - g->in.now_ms;

    return ms > 1 ? ms : 1;
}
