/*
 * Checks the response_scope of an agent_query (ACH-31).  It is the recipient
 * scope of the answers.  The sender must be allowed to address it, as if the
 * query went there.
 */

#include <stdio.h>

#include "gate/party/parley_address.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/publish/parley_members.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_RESPONSE_MEMBER  "/payload/response_scope"


static int parley_gate_response_read(const parley_gate_t *g,
    parley_str_t *ret);
static int parley_gate_response_is_own(parley_gate_t *g,
    const parley_channel_scope_t *scope);
static int parley_gate_response_may(parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope);
static int parley_gate_response_rules(const parley_gate_t *g,
    parley_str_t text, const parley_channel_scope_t *scope);
static int parley_gate_response_comes(parley_gate_t *g);


int
parley_gate_response(parley_gate_t *g)
{
    parley_str_t            text;
    parley_channel_scope_t  scope;

    g->publish.response_scope = parley_str_none;

    if (parley_gate_response_read(g, &text) != 0) {
        return parley_error_memory(g->err);
    }

    if (text.len == 0) {
        return 0;
    }

    if (parley_channel_scope_parse(text, &scope) != 0) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                                PARLEY_RESPONSE_MEMBER,
                                PARLEY_RESPONSE_MEMBER " is not a scope");
    }

    if (parley_gate_response_is_own(g, &scope)) {
        return 0;
    }

    if (parley_gate_response_may(g, text, &scope) != 0
        || parley_gate_response_comes(g) != 0)
    {
        (void) snprintf(g->err->field, sizeof(g->err->field), "%s",
                        PARLEY_RESPONSE_MEMBER);
        g->err->is_name = 0;
        return -1;
    }

    g->publish.response_scope = text;

    return 0;
}


/* Reads the member; *ret is empty if the message is not such a query. */

static int
parley_gate_response_read(const parley_gate_t *g, parley_str_t *ret)
{
    uint32_t             payload;
    const parley_msg_t  *m;

    m = g->msg;
    *ret = parley_str_none;

    if (m->act != PARLEY_ACT_REQUEST) {
        return 0;
    }

    if (m->wire == PARLEY_PROTO_STREAMS) {
        payload = parley_json_get(m->doc, 0, PARLEY_STR("payload"));

        return parley_msg_string(m->doc,
                                 parley_json_get(m->doc, payload,
                                                 PARLEY_STR("response_scope")),
                                 ret);
    }

    if (m->data.node == PARLEY_JSON_NONE
        || !parley_str_is(m->intent, "channel.agent_query"))
    {
        return 0;
    }

    return parley_msg_string(m->data.doc,
                             parley_json_get(m->data.doc, m->data.node,
                                             PARLEY_STR("response_scope")),
                             ret);
}


/* Returns whether a scope is all sessions of the sender. */

static int
parley_gate_response_is_own(parley_gate_t *g,
    const parley_channel_scope_t *scope)
{
    parley_str_t         handle;
    const parley_msg_t  *m;

    if (scope->form != PARLEY_CHANNEL_SCOPE_HANDLE
        && scope->form != PARLEY_CHANNEL_SCOPE_SESSIONS)
    {
        return 0;
    }

    m = g->msg;
    handle = m->sender;

    return (m->wire == PARLEY_PROTO_STREAMS
            || parley_who_resolve(g->who, m->wire, m->sender,
                                  PARLEY_PROTO_STREAMS, &handle)
               == 1)
           && parley_str_eq(handle, scope->handle);
}


static int
parley_gate_response_may(parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope)
{
    parley_expand_env_t  env;

    if (!parley_gate_response_rules(g, text, scope)) {
        return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                                "no rule lets the sender address this scope");
    }

    if (g->conf.s->submit == NULL) {
        return parley_members_may(g, scope);
    }

    parley_members(g, &env);

    return parley_expand_may(scope, &g->conf.s->submit->expand, &env, g->err);
}


/*
 * Returns whether the rules let the sender address each reader of the scope
 * (GW-37).  The location of the answer has other rules, which do not leave out
 * a reader for the asker.
 */

static int
parley_gate_response_rules(const parley_gate_t *g, parley_str_t text,
    const parley_channel_scope_t *scope)
{
    size_t                     i, n, members;
    const parley_principal_t  *list;

    if (!parley_expand_is_org(scope)) {
        return parley_gate_may_address(g, text, scope,
                                       parley_address_owner(
                                           g->conf.http->directory,
                                           scope->handle));
    }

    list = NULL;
    n = g->conf.http->directory != NULL
        ? parley_directory_principals(g->conf.http->directory, &list) : 0;

    for (i = 0, members = 0; i < n; i++) {

        if (!parley_members_has(scope, &list[i])) {
            continue;
        }

        if (!parley_gate_may_address(g, text, scope, &list[i])) {
            return 0;
        }

        members++;
    }

    return members > 0 || parley_gate_may_address(g, text, scope, NULL);
}


/*
 * Refuses a query to a service that answers in its HTTP response, which goes to
 * the caller.  A service of agent-channel answers with a separate frame.
 */

static int
parley_gate_response_comes(parley_gate_t *g)
{
    if (g->conf.s->submit != NULL
        || g->conf.gate->speak == PARLEY_PROTO_STREAMS)
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_TRANSLATION_UNSUPPORTED, NULL,
                            "the service answers in its response, which goes "
                            "to the sender: " PARLEY_RESPONSE_MEMBER
                            " must be all sessions of the sender");
}
