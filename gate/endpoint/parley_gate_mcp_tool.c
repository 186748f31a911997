/*
 * Runs a tool that an MCP client calls (ACH-27).  Its frame takes the same
 * steps as other messages, from JSON on.  A roster and a stream are the same as
 * at their own endpoints.
 */

#include <string.h>

#include "gate/message/parley_gate_mcp.h"
#include "core/parley_id.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_mcp_frame(parley_gate_t *g);
static int parley_gate_mcp_ids(parley_gate_t *g,
    parley_channel_call_t *call);
static int parley_gate_mcp_frame_id(parley_gate_t *g, parley_str_t sender,
    parley_str_t *ret);
static int parley_gate_mcp_subscribe(parley_gate_t *g);


/* Finds the tool and checks its arguments. */

int
parley_gate_mcp_tool(parley_gate_t *g)
{
    unsigned              i;
    uint32_t              params, asked, max;
    parley_gate_mcp_t    *call;
    const parley_json_t  *doc;

    call = g->serve.mcp;
    doc = &call->doc;

    params = parley_mcp_params(doc);
    i = params == PARLEY_JSON_NONE
        ? PARLEY_CHANNEL_VERBS
        : parley_channel_verb_find(doc, parley_json_get(doc, params,
                                                        PARLEY_STR("name")));

    if (i == PARLEY_CHANNEL_VERBS) {
        return parley_error_set(g->err, PARLEY_E_KIND_UNKNOWN, "/params/name",
                                "the tool is unknown");
    }

    call->verb = parley_channel_verb(i);
    call->arguments.node = parley_json_get(doc, params,
                                           PARLEY_STR("arguments"));

    /* some clients write null instead of leaving out the member */

    if (call->arguments.node != PARLEY_JSON_NONE
        && parley_json_type(doc, call->arguments.node) == PARLEY_JSON_NULL)
    {
        call->arguments.node = PARLEY_JSON_NONE;
    }

    if (call->arguments.node == PARLEY_JSON_NONE) {
        return call->verb->does >= PARLEY_CHANNEL_DOES_ROSTER ? 0
               : parley_error_set(g->err, PARLEY_E_FIELD_MISSING,
                                  "/params/arguments",
                                  "/params/arguments is required");
    }

    if (parley_validate_part(g->engine, PARLEY_PROTO_VERBS, i,
                             call->arguments, g->err)
        != 0)
    {
        /* ACH-04: an unknown kind has its own error code */

        if (g->err->code == PARLEY_E_FIELD_INVALID
            && strcmp(g->err->field, "/params/arguments/kind") == 0)
        {
            g->err->code = PARLEY_E_KIND_UNKNOWN;
        }

        return -1;
    }

    asked = parley_json_get(doc, call->arguments.node, PARLEY_STR("handle"));

    if (asked != PARLEY_JSON_NONE
        && parley_json_string(doc, asked, &call->asked) != 0)
    {
        return parley_error_memory(g->err);
    }

    max = parley_json_get(doc, call->arguments.node, PARLEY_STR("max"));

    return max == PARLEY_JSON_NONE
           || parley_json_integer(doc, max, &call->max) == 0
           ? 0 : parley_gate_mcp_invalid(g, "/params/arguments/max",
                                         "/params/arguments/max must be a "
                                         "whole number");
}


parley_step_result_t
parley_gate_mcp_verb(parley_gate_t *g)
{
    int                   rc;
    parley_step_result_t  result;

    switch (g->serve.mcp->verb->does) {

    case PARLEY_CHANNEL_DOES_ROSTER:
        result = parley_gate_roster(g);

        if (result != PARLEY_RESULT_ANSWERED) {
            return result;
        }

        rc = parley_gate_collect_result(g, &g->out.reply);
        break;

    case PARLEY_CHANNEL_DOES_SUBSCRIBE:
        rc = parley_gate_mcp_subscribe(g);
        break;

    default:
        return parley_gate_mcp_frame(g) == 0
               ? PARLEY_RESULT_PASSED : PARLEY_RESULT_REFUSED;
    }

    return rc == 0 ? PARLEY_RESULT_ANSWERED : parley_step_result(rc);
}


/* Makes the frame.  It is the body of the message from here on. */

static int
parley_gate_mcp_frame(parley_gate_t *g)
{
    parley_str_t            human;
    parley_channel_call_t   call;

    memset(&call, 0, sizeof(parley_channel_call_t));

    call.arguments = g->serve.mcp->arguments;
    call.sender = parley_who_name(g->who, PARLEY_PROTO_VERBS);
    call.now_ms = g->in.now_ms;
    call.window_ms = g->conf.s->mcp->hold;

    if (call.sender.len == 0) {
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the caller has no ~handle, and so cannot "
                                "send frames");
    }

    parley_who_attribute(g->who, PARLEY_PROTO_VERBS, call.sender, &human,
                         &call.drafted_with);

    call.acted_by = human.len > 0 ? human : call.sender;

    if ((call.drafted_with.len == 0
         && parley_channel_instrument(g->arena, call.sender,
                                      &call.drafted_with)
            != 0)
        || parley_gate_mcp_ids(g, &call) != 0)
    {
        return parley_error_memory(g->err);
    }

    if (parley_channel_verb_frame(g->arena, g->serve.mcp->verb, &call,
                                  &g->in.body, &g->serve.mcp->made)
        != 0)
    {
        return parley_error_memory(g->err);
    }

    return 0;
}


/*
 * Makes the ids of the frame.  The second id is derived from frame_id, so a
 * repeated call has the same ids.
 */

static int
parley_gate_mcp_ids(parley_gate_t *g, parley_channel_call_t *call)
{
    char          text[PARLEY_UUID_LEN + 1];
    parley_str_t  fields[2];

    if (parley_gate_mcp_frame_id(g, call->sender, &call->frame_id) != 0) {
        return -1;
    }

    fields[0] = call->sender;
    fields[1] = call->frame_id;

    return parley_uuid_derive(4, 0, fields, 2, text) == 0
           ? parley_arena_str(g->arena,
                              parley_str_make(text, PARLEY_UUID_LEN),
                              &call->made)
           : -1;
}


/*
 * Finds the id of the frame.  A query without a frame_id gets one that is
 * derived from its query_id, so a repeated query has the same id.
 */

static int
parley_gate_mcp_frame_id(parley_gate_t *g, parley_str_t sender,
    parley_str_t *ret)
{
    char                  text[PARLEY_UUID_LEN + 1];
    uint8_t               random[16];
    uint32_t              own, payload, query;
    parley_str_t          fields[3];
    const parley_json_t  *doc;

    doc = &g->serve.mcp->doc;

    own = parley_json_get(doc, g->serve.mcp->arguments.node,
                          PARLEY_STR("frame_id"));

    if (own != PARLEY_JSON_NONE) {
        return parley_json_string(doc, own, ret);
    }

    payload = parley_json_get(doc, g->serve.mcp->arguments.node,
                              PARLEY_STR("payload"));
    query = parley_json_get(doc, payload, PARLEY_STR("query_id"));

    if (g->serve.mcp->verb->does == PARLEY_CHANNEL_DOES_QUERY
        && query != PARLEY_JSON_NONE)
    {
        fields[0] = sender;
        fields[1] = PARLEY_STR("query_id");

        if (parley_json_string(doc, query, &fields[2]) != 0
            || parley_uuid_derive(4, 0, fields, 3, text) != 0)
        {
            return -1;
        }

    } else {

        if (g->env->random == NULL || g->env->random(g, random) != 0) {
            return -1;
        }

        parley_uuid_random(random, text);
    }

    return parley_arena_str(g->arena, parley_str_make(text, PARLEY_UUID_LEN),
                            ret);
}


/*
 * Opens a stream and collects its frames.  Returns 0: answered, or held;
 * PARLEY_WAIT; or -1.
 */

static int
parley_gate_mcp_subscribe(parley_gate_t *g)
{
    int                       rc;
    uint32_t                  wait;
    parley_stream_request_t  *o;
    parley_gate_mcp_t        *call;

    call = g->serve.mcp;

    if (call->opening == NULL) {

        if (parley_gate_stream_request(g, &o) != 0) {
            return -1;
        }

        if (parley_gate_call(g, o) != 0) {
            return parley_error_memory(g->err);
        }

        wait = call->arguments.node == PARLEY_JSON_NONE
               ? PARLEY_JSON_NONE
               : parley_json_get(&call->doc, call->arguments.node,
                                 PARLEY_STR("wait_ms"));

        if (wait == PARLEY_JSON_NONE
            || parley_json_integer(&call->doc, wait, &o->hold) != 0
            || o->hold > g->conf.s->mcp->hold)
        {
            o->hold = g->conf.s->mcp->hold;
        }

        call->handle = o->address;

        rc = parley_gate_collect_may(g, o);

    } else {
        rc = g->env->hold(g, call->opening);
    }

    if (rc < 0) {
        return rc;
    }

    if (rc == 0 && g->env->hold != NULL) {
        g->report.wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "too many calls wait for frames");
    }

    /* without a hold, nothing is collected */

    g->publish.holds = rc == 1;

    return g->publish.holds ? 0 : parley_gate_collect_result(g, &g->out.reply);
}


int
parley_gate_mcp_invalid(parley_gate_t *g, const char *pointer,
    const char *text)
{
    return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, pointer, "%s",
                            text);
}
