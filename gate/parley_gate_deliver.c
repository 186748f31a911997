/*
 * What is published reaches whom it is for by a stream of its own, else by the
 * URL that the identities have for it, else by the log alone.  For a URL there
 * is a job, added with the record (hub/parley_attempt.h has what becomes of
 * it).  A broadcast is for every known peer of its sender (VCP-22).
 */

#include <string.h>

#include "parley_alarm.h"
#include "parley_attempt.h"
#include "parley_channel_scope.h"
#include "parley_gate_deliver.h"
#include "parley_load.h"
#include "parley_members.h"
#include "parley_name.h"
#include "parley_settings.h"


#define PARLEY_DELIVER_ROOM  8      /* jobs, at first */


static int parley_gate_peer(parley_gate_t *g, const parley_principal_t *p);
static int parley_gate_reach_all(parley_gate_t *g, parley_str_t text,
    const parley_expansion_t *expansion, parley_reached_t *ret);
static int parley_gate_reach(parley_gate_t *g, const parley_principal_t *p,
    parley_reached_t *ret);
static int parley_gate_reach_scope(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_reached_t *ret);
static int parley_gate_reach_job(parley_gate_t *g,
    const parley_principal_t *p, parley_reached_t *ret);
static int parley_delivered_is_named(const parley_principal_t *p,
    parley_proto_t proto);
static int64_t parley_gate_lasts(const parley_gate_t *g);


int
parley_gate_is_broadcast(const parley_gate_t *g)
{
    parley_str_t  peers;

    peers = parley_codecs[g->msg->wire]->syntax->peers;

    return peers.len > 0 && parley_str_eq(g->msg->recipient, peers);
}


/* each has its own retries; whoever has no handle has no log */

int
parley_gate_broadcast(parley_gate_t *g, parley_expansion_t *ret)
{
    size_t                     i, n;
    uint8_t                    key[PARLEY_KEY_LEN];
    const parley_principal_t  *list = NULL;

    memset(ret, 0, sizeof(parley_expansion_t));

    n = g->http->directory != NULL
        ? parley_directory_principals(g->http->directory, &list) : 0;

    ret->logs = parley_arena_alloc(g->arena, (n + 1) * PARLEY_KEY_LEN);

    if (ret->logs == NULL) {
        return parley_error_memory(g->err);
    }

    for (i = 0; i < n; i++) {

        if (list[i].names[PARLEY_NAMESPACE_HANDLE].len == 0
            || !parley_gate_peer(g, &list[i]))
        {
            continue;
        }

        if (ret->nlogs == g->s->submit->expand.max) {
            return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                    "the sender has more known peers than a "
                                    "message may be sent to");
        }

        parley_expand_log(g->ask.state, list[i].names[PARLEY_NAMESPACE_HANDLE],
                          key);
        memcpy(ret->logs[ret->nlogs++], key, PARLEY_KEY_LEN);
    }

    return 0;
}


/* VCP-22: of the same parent, or like the sender of none */

static int
parley_gate_peer(parley_gate_t *g, const parley_principal_t *p)
{
    const parley_principal_t  *self;

    self = g->who->principal;

    return self != NULL && p->names[g->msg->wire].len > 0
           && !parley_str_eq(p->sub, self->sub)
           && parley_str_eq(p->parent, self->parent)
           && parley_gate_may_reach(g, p);
}


int
parley_gate_reaches_some(parley_gate_t *g)
{
    size_t                     i, n, at;
    parley_str_t               text, handle;
    parley_expand_env_t        env;
    parley_channel_scope_t     scope;
    const parley_principal_t  *list;

    if (g->s->submit == NULL || g->http->directory == NULL) {
        return 0;
    }

    if (parley_gate_is_broadcast(g)) {
        n = parley_directory_principals(g->http->directory, &list);

        for (i = 0; i < n && !parley_gate_peer(g, &list[i]); i++) {
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

    return env.next(env.ctx, &scope, &at, &handle);
}


parley_proto_t
parley_delivered_in(const parley_principal_t *p, parley_proto_t proto)
{
    unsigned  i;

    if (p->speaks.len > 0) {
        return parley_proto_find(p->speaks);
    }

    if ((unsigned) proto != PARLEY_NAMESPACE_HANDLE
        && parley_delivered_is_named(p, proto))
    {
        return proto;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != PARLEY_NAMESPACE_HANDLE
            && parley_delivered_is_named(p, (parley_proto_t) i))
        {
            return (parley_proto_t) i;
        }
    }

    return p->names[PARLEY_NAMESPACE_HANDLE].len > 0
           ? (parley_proto_t) PARLEY_NAMESPACE_HANDLE : proto;
}


static int
parley_delivered_is_named(const parley_principal_t *p, parley_proto_t proto)
{
    return parley_proto_is_named(proto) && p->names[proto].len > 0;
}


/* what is critical waits for nothing that is not, unless it is for several:
   they would take all places of what is */

int
parley_gate_reaches(parley_gate_t *g, parley_str_t text,
    const parley_expansion_t *expansion, parley_reached_t *ret)
{
    int  rc;

    memset(ret, 0, sizeof(parley_reached_t));

    rc = parley_gate_reach_all(g, text, expansion, ret);

    if (rc == 0 && ret->n == 1
        && parley_alarm_escalates(parley_gate_alarm(g)))
    {
        ret->jobs[0].class = PARLEY_JOB_URGENT;
    }

    return rc;
}


static int
parley_gate_reach_all(parley_gate_t *g, parley_str_t text,
    const parley_expansion_t *expansion, parley_reached_t *ret)
{
    int                        rc;
    size_t                     i, n;
    const parley_principal_t  *list;
    parley_channel_scope_t     scope;

    if (g->http->deliver_uri.len == 0 || g->http->directory == NULL
        || expansion->audience.form != PARLEY_AUDIENCE_ALL)
    {
        return 0;
    }

    if (parley_gate_is_broadcast(g)) {

        n = parley_directory_principals(g->http->directory, &list);

        for (i = 0; i < n; i++) {

            if (list[i].deliver.len == 0 || !parley_gate_peer(g, &list[i])) {
                continue;
            }

            rc = parley_gate_reach(g, &list[i], ret);

            if (rc != 0) {
                return rc;
            }
        }

        return 0;
    }

    return parley_channel_scope_parse(text, &scope) == 0
           ? parley_gate_reach_scope(g, &scope, ret) : 0;
}


static int
parley_gate_reach_scope(parley_gate_t *g,
    const parley_channel_scope_t *scope, parley_reached_t *ret)
{
    int                        rc;
    size_t                     at;
    parley_str_t               handle;
    parley_expand_env_t        env;
    const parley_principal_t  *p;

    if (!parley_expand_is_org(scope)) {
        p = parley_directory_by_name(g->http->directory,
                                     PARLEY_NAMESPACE_HANDLE, scope->handle);

        return p != NULL ? parley_gate_reach(g, p, ret) : 0;
    }

    parley_members(g, &env);

    for (at = 0; env.next(env.ctx, scope, &at, &handle); /* void */ ) {

        p = parley_directory_by_name(g->http->directory,
                                     PARLEY_NAMESPACE_HANDLE, handle);

        /* who sends to an organisation does so for the others */

        if (p == NULL || p == g->who->principal
            || (g->who->principal != NULL
                && parley_str_eq(p->sub, g->who->principal->sub)))
        {
            continue;
        }

        rc = parley_gate_reach(g, p, ret);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


/* 0; PARLEY_WAIT; or -1: capacity, policy-refused */

static int
parley_gate_reach(parley_gate_t *g, const parley_principal_t *p,
    parley_reached_t *ret)
{
    int           rc;
    size_t        i;
    parley_str_t  handle;

    if (p->deliver.len == 0) {
        return 0;
    }

    for (i = 0; i < ret->n; i++) {
        if (ret->who[i] == p) {
            return 0;
        }
    }

    handle = p->names[PARLEY_NAMESPACE_HANDLE];

    if (handle.len > 0) {
        rc = parley_gate_listens(g, handle);

        if (rc != 0) {
            return rc == 1 ? 0 : rc;
        }
    }

    if (ret->n == PARLEY_JOBS_MAX) {
        return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "the message is for more than %d URLs",
                                PARLEY_JOBS_MAX);
    }

    return parley_gate_reach_job(g, p, ret);
}


static int
parley_gate_reach_job(parley_gate_t *g, const parley_principal_t *p,
    parley_reached_t *ret)
{
    parley_job_t               *jobs, *job;
    parley_proto_t              speaks;
    const parley_principal_t  **who;

    if (ret->n == ret->room) {
        ret->room = ret->room != 0 ? 2 * ret->room : PARLEY_DELIVER_ROOM;

        jobs = parley_arena_alloc(g->arena, ret->room * sizeof(parley_job_t));
        who = parley_arena_alloc(g->arena, ret->room * sizeof(who[0]));

        if (jobs == NULL || who == NULL) {
            return parley_error_memory(g->err);
        }

        if (ret->n != 0) {
            memcpy(jobs, ret->jobs, ret->n * sizeof(parley_job_t));
            memcpy(who, ret->who, ret->n * sizeof(who[0]));
        }

        ret->jobs = jobs;
        ret->who = who;
    }

    job = &ret->jobs[ret->n];
    memset(job, 0, sizeof(parley_job_t));

    if (parley_load_write(g->arena, PARLEY_LOAD_DELIVER, p->sub, &job->text)
        != 0)
    {
        return parley_error_memory(g->err);
    }

    parley_delivery_lane(g->ask.state, parley_who_proven(g->who), p->sub,
                         job->lane);
    job->lasts = parley_gate_lasts(g);

    speaks = parley_delivered_in(p, g->msg->wire);

    ret->who[ret->n++] = p;
    ret->speaks |= PARLEY_PROTO_BIT(speaks);
    ret->urls[speaks]++;

    return 0;
}


/* VCP-23 */

void
parley_delivery_lane(const parley_state_t *state, parley_str_t sender,
    parley_str_t recipient, uint8_t out[PARLEY_KEY_LEN])
{
    parley_str_t  parts[3];

    parts[0] = PARLEY_STR("deliver");
    parts[1] = sender;
    parts[2] = recipient;

    parley_state_key(state, PARLEY_KIND_LANE, parts, 3, out);
}


/* who gets it later than its protocol allows refuses it (VCP 7.4) */

static int64_t
parley_gate_lasts(const parley_gate_t *g)
{
    int64_t  ms, past;

    past = parley_codecs[g->msg->wire]->past_max_ms;

    if (past == 0 || g->msg->created_ms < 0) {
        return PARLEY_ATTEMPT_LIVES;
    }

    ms = past + g->msg->created_ms - g->now_ms;

    return ms > 1 ? ms : 1;
}
