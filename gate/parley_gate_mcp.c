/*
 * ACH-27: parley_mcp.  A client of MCP calls a verb; its frame goes the way of
 * any other, from JSON on, and what that comes to is wrapped here.
 */

#include <string.h>

#include "parley_channel_scope.h"
#include "parley_gate_mcp.h"
#include "parley_id.h"
#include "parley_schema_inline.h"
#include "parley_settings.h"


static int parley_gate_mcp_read(parley_gate_t *g);
static int parley_gate_mcp_check(parley_gate_t *g, parley_str_t *method);
static int parley_gate_mcp_spoken(parley_gate_t *g, parley_str_t method);
static int parley_gate_mcp_invalid(parley_gate_t *g, const char *pointer,
    const char *text);
static parley_step_result_t parley_gate_mcp_call(parley_gate_t *g,
    parley_str_t method);
static int parley_gate_mcp_own(parley_gate_t *g, parley_str_t method);
static int parley_gate_mcp_begins(parley_gate_t *g);
static void parley_gate_mcp_tools(parley_gate_t *g, parley_buf_t *b);
static int parley_gate_mcp_tool(parley_gate_t *g);
static parley_step_result_t parley_gate_mcp_verb(parley_gate_t *g);
static int parley_gate_mcp_frame(parley_gate_t *g);
static int parley_gate_mcp_ids(parley_gate_t *g,
    parley_channel_call_t *call);
static int parley_gate_mcp_frame_id(parley_gate_t *g, parley_str_t sender,
    parley_str_t *ret);
static int parley_gate_mcp_subscribe(parley_gate_t *g);


parley_step_result_t
parley_gate_mcp(parley_gate_t *g)
{
    parley_str_t  method;

    /* a frame is on its way, or something is being opened */

    if (g->mcp != NULL) {
        return parley_gate_mcp_verb(g);
    }

    if (parley_gate_serves(g, NULL) != 0
        || parley_gate_mcp_read(g) != 0
        || parley_gate_mcp_check(g, &method) != 0
        || parley_gate_mcp_spoken(g, method) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    return parley_gate_mcp_call(g, method);
}


static int
parley_gate_mcp_read(parley_gate_t *g)
{
    parley_gate_mcp_t  *call;

    call = parley_arena_calloc(g->arena, sizeof(parley_gate_mcp_t));

    if (call == NULL) {
        return parley_error_memory(g->err);
    }

    call->arguments.doc = &call->doc;
    call->arguments.node = PARLEY_JSON_NONE;
    call->max = PARLEY_MCP_COLLECTED;

    g->mcp = call;
    g->proto = PARLEY_PROTO_VERBS;
    g->msg->wire = PARLEY_PROTO_VERBS;
    g->msg->origin = PARLEY_PROTO_VERBS;

    if (parley_json_read(&call->doc, g->arena, &g->conf->limits, g->seed,
                         g->body, g->err)
        != 0)
    {
        return -1;
    }

    call->read = 1;

    return 0;
}


/* JSON-RPC 2.0; empty: it is a response, and nobody asked */

static int
parley_gate_mcp_check(parley_gate_t *g, parley_str_t *method)
{
    uint32_t              id, name, params;
    const parley_json_t  *doc;

    doc = &g->mcp->doc;

    *method = parley_str_none;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_gate_mcp_invalid(g, "", "a call is an object; batches "
                                       "are not taken");
    }

    if (!parley_json_string_is(doc, parley_json_get(doc, 0,
                                                    PARLEY_STR("jsonrpc")),
                               PARLEY_STR("2.0")))
    {
        return parley_gate_mcp_invalid(g, "/jsonrpc", "/jsonrpc must be the "
                                       "string \"2.0\"");
    }

    id = parley_json_get(doc, 0, PARLEY_STR("id"));

    if (id != PARLEY_JSON_NONE && !parley_mcp_is_call(doc)) {
        return parley_gate_mcp_invalid(g, "/id", "/id must be a string or a "
                                       "number");
    }

    name = parley_json_get(doc, 0, PARLEY_STR("method"));

    if (name == PARLEY_JSON_NONE && id != PARLEY_JSON_NONE
        && (parley_json_get(doc, 0, PARLEY_STR("result")) != PARLEY_JSON_NONE
            || parley_json_get(doc, 0, PARLEY_STR("error"))
               != PARLEY_JSON_NONE))
    {
        return 0;
    }

    if (name == PARLEY_JSON_NONE
        || parley_json_type(doc, name) != PARLEY_JSON_STRING)
    {
        return parley_gate_mcp_invalid(g, "/method", "/method must be a "
                                       "string");
    }

    params = parley_mcp_params(doc);

    if (params != PARLEY_JSON_NONE
        && parley_json_type(doc, params) != PARLEY_JSON_OBJECT)
    {
        return parley_gate_mcp_invalid(g, "/params", "/params must be an "
                                       "object");
    }

    return parley_json_string(doc, name, method) == 0
           ? 0 : parley_error_memory(g->err);
}


/*
 * Its version by the header, which MCP has since 2025-06-18; without one it is
 * any.  What finds out which are spoken may be of any, too.
 */

static int
parley_gate_mcp_spoken(parley_gate_t *g, parley_str_t method)
{
    parley_str_t  version;

    if (g->env->header == NULL
        || !g->env->header(g, PARLEY_STR("mcp-protocol-version"), &version)
        || parley_mcp_speaks(version)
        || parley_str_is(method, "initialize")
        || parley_str_is(method, "server/discover"))
    {
        return 0;
    }

    g->mcp->foreign = 1;

    return parley_gate_mcp_invalid(g, "", "this MCP-Protocol-Version is not "
                                   "spoken here");
}


static int
parley_gate_mcp_invalid(parley_gate_t *g, const char *pointer,
    const char *text)
{
    return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, pointer, "%s",
                            text);
}


static parley_step_result_t
parley_gate_mcp_call(parley_gate_t *g, parley_str_t method)
{
    memset(&g->reply, 0, sizeof(parley_reply_t));

    /* a notification, or a response to what nobody asked */

    if (!parley_mcp_is_call(&g->mcp->doc) || method.len == 0) {
        g->reply.status = 202;
        return PARLEY_RESULT_ANSWERED;
    }

    if (!parley_str_is(method, "tools/call")) {
        return parley_gate_mcp_own(g, method) == 0
               ? PARLEY_RESULT_ANSWERED : PARLEY_RESULT_REFUSED;
    }

    return parley_gate_mcp_tool(g) == 0
           ? parley_gate_mcp_verb(g) : PARLEY_RESULT_REFUSED;
}


/* what is asked of a server itself */

static int
parley_gate_mcp_own(parley_gate_t *g, parley_str_t method)
{
    parley_buf_t          b;
    parley_str_t          version;
    const parley_json_t  *doc;

    doc = &g->mcp->doc;

    parley_buf_init(&b, g->arena, 1024);
    parley_mcp_result_begin(&b, doc);

    if (parley_str_is(method, "initialize")) {

        if (parley_gate_mcp_begins(g) != 0) {
            return -1;
        }

        version = parley_mcp_version(doc);

        parley_buf_member(&b, PARLEY_STR("protocolVersion"),
                          version.len > 0 ? version
                                          : PARLEY_STR(PARLEY_MCP_LAST));
        parley_buf_lit(&b, ",\"capabilities\":{\"tools\":{}},\"serverInfo\":"
                       PARLEY_MCP_INFO);

    } else if (parley_str_is(method, "server/discover")) {
        parley_buf_name(&b, PARLEY_STR("supportedVersions"));
        parley_buf_lit(&b, "[\"" PARLEY_MCP_FREE "\",\"" PARLEY_MCP_LAST
                       "\"]");
        parley_mcp_write_discovered(&b);

    } else if (parley_str_is(method, "tools/list")) {
        parley_gate_mcp_tools(g, &b);

    } else if (!parley_str_is(method, "ping")) {
        return parley_error_set(g->err, PARLEY_E_KIND_UNKNOWN, "/method",
                                "there is no such method");
    }

    parley_buf_lit(&b, "}}");

    return parley_gate_serve_json(g, &b);
}


/* it says its version: of one that is not spoken it is told another */

static int
parley_gate_mcp_begins(parley_gate_t *g)
{
    uint32_t              version;
    const parley_json_t  *doc;

    doc = &g->mcp->doc;
    version = parley_json_member(doc, parley_mcp_params(doc),
                                 PARLEY_ATOM_protocolVersion);

    if (version == PARLEY_JSON_NONE) {
        return parley_error_set(g->err, PARLEY_E_FIELD_MISSING,
                                "/params/protocolVersion",
                                "/params/protocolVersion is required");
    }

    return parley_json_type(doc, version) == PARLEY_JSON_STRING ? 0
           : parley_gate_mcp_invalid(g, "/params/protocolVersion",
                                     "/params/protocolVersion must be a "
                                     "string");
}


/* those that the caller may call */

static void
parley_gate_mcp_tools(parley_gate_t *g, parley_buf_t *b)
{
    int                           comma;
    unsigned                      i;
    parley_json_t                 schema;
    parley_error_t                err;
    const parley_channel_verb_t  *verb;

    if (parley_read_again(&schema, g->arena, g->seed,
                          parley_schema_source(
                              parley_codecs[PARLEY_PROTO_VERBS]->schema),
                          &err)
        != 0)
    {
        b->failed = 1;
        return;
    }

    comma = 0;

    parley_buf_name(b, PARLEY_STR("tools"));
    parley_buf_octet(b, '[');

    for (i = 0; i < PARLEY_CHANNEL_VERBS; i++) {
        verb = parley_channel_verb(i);

        if (verb->kind.len > 0
            && !parley_gate_may(g, verb->kind, verb->intent))
        {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        parley_mcp_write_tool(b, &schema, &verb->tool);
    }

    parley_buf_octet(b, ']');
    parley_mcp_write_listed(b, &g->mcp->doc);
}


/* which tool it is, and that its arguments are valid */

static int
parley_gate_mcp_tool(parley_gate_t *g)
{
    unsigned              i;
    uint32_t              params, asked, max;
    parley_gate_mcp_t    *call;
    const parley_json_t  *doc;

    call = g->mcp;
    doc = &call->doc;

    params = parley_mcp_params(doc);
    i = params == PARLEY_JSON_NONE
        ? PARLEY_CHANNEL_VERBS
        : parley_channel_verb_find(doc, parley_json_get(doc, params,
                                                        PARLEY_STR("name")));

    if (i == PARLEY_CHANNEL_VERBS) {
        return parley_error_set(g->err, PARLEY_E_KIND_UNKNOWN, "/params/name",
                                "there is no such tool");
    }

    call->verb = parley_channel_verb(i);
    call->arguments.node = parley_json_get(doc, params,
                                           PARLEY_STR("arguments"));

    /* null is what some clients write for none */

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
        /* ACH-04: it has a code of its own */

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
                                         "/params/arguments/max is no whole "
                                         "number");
}


static parley_step_result_t
parley_gate_mcp_verb(parley_gate_t *g)
{
    int                   rc;
    parley_step_result_t  result;

    switch (g->mcp->verb->does) {

    case PARLEY_CHANNEL_DOES_ROSTER:
        result = parley_gate_roster(g);

        if (result != PARLEY_RESULT_ANSWERED) {
            return result;
        }

        rc = parley_gate_mcp_result(g, &g->reply);
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


/* the body of the message from here on */

static int
parley_gate_mcp_frame(parley_gate_t *g)
{
    parley_str_t            human, instrument, own;
    parley_buf_t            b;
    parley_channel_call_t   call;

    memset(&call, 0, sizeof(parley_channel_call_t));

    call.arguments = g->mcp->arguments;
    call.sender = parley_who_name(g->who, PARLEY_PROTO_VERBS);
    call.now_ms = g->now_ms;
    call.window_ms = g->s->mcp->hold;

    if (call.sender.len == 0) {
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the caller has no ~handle, and so cannot "
                                "send frames");
    }

    human = parley_str_none;
    instrument = parley_str_none;

    parley_who_attribute(g->who, PARLEY_PROTO_VERBS, call.sender, &human,
                         &instrument);

    call.acted_by = human.len > 0 ? human : call.sender;

    /* ~cc-x is the instrument of ~x, and its own */

    parley_buf_init(&b, g->arena, 0);
    parley_buf_lit(&b, "~cc-");
    parley_buf_str(&b, parley_str_from(call.sender, 1));

    if (parley_buf_done(&b, &own) != 0 || parley_gate_mcp_ids(g, &call) != 0) {
        return parley_error_memory(g->err);
    }

    call.drafted_with = instrument.len > 0 ? instrument
                        : parley_str_begins(call.sender, "~cc-") ? call.sender
                        : own;

    if (parley_channel_verb_frame(g->arena, g->mcp->verb, &call, &g->body,
                                  &g->mcp->made)
        != 0)
    {
        return parley_error_memory(g->err);
    }

    return 0;
}


/* a call that comes again under its frame_id has the other id again, too */

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
 * A query that comes again is known by its query_id, where it has no other id
 * of its own.
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

    doc = &g->mcp->doc;

    own = parley_json_get(doc, g->mcp->arguments.node, PARLEY_STR("frame_id"));

    if (own != PARLEY_JSON_NONE) {
        return parley_json_string(doc, own, ret);
    }

    payload = parley_json_get(doc, g->mcp->arguments.node,
                              PARLEY_STR("payload"));
    query = parley_json_get(doc, payload, PARLEY_STR("query_id"));

    if (g->mcp->verb->does == PARLEY_CHANNEL_DOES_QUERY
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


/* 0: it is answered; PARLEY_WAIT; -1 */

static int
parley_gate_mcp_subscribe(parley_gate_t *g)
{
    int                 rc;
    uint32_t            wait;
    parley_opening_t   *o;
    parley_gate_mcp_t  *call;

    call = g->mcp;

    if (call->opening == NULL) {

        if (parley_gate_stream_opening(g, &o) != 0) {
            return -1;
        }

        wait = call->arguments.node == PARLEY_JSON_NONE
               ? PARLEY_JSON_NONE
               : parley_json_get(&call->doc, call->arguments.node,
                                 PARLEY_STR("wait_ms"));

        if (wait == PARLEY_JSON_NONE
            || parley_json_integer(&call->doc, wait, &o->hold) != 0
            || o->hold > g->s->mcp->hold)
        {
            o->hold = g->s->mcp->hold;
        }

        call->handle = o->handle;

        rc = parley_gate_collects(g, o);

    } else {
        rc = g->env->hold(g, call->opening);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc == 0 && g->env->hold != NULL) {
        g->wait = PARLEY_GATE_NO_ROOM;

        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "too many calls wait for frames");
    }

    /* what holds nothing collects nothing */

    g->holds = rc == 1;

    return g->holds ? 0 : parley_gate_mcp_result(g, &g->reply);
}


int
parley_gate_mcp_arguments(parley_gate_t *g, parley_arguments_t *ret)
{
    unsigned                  i;
    uint32_t                  value;
    parley_str_t              text;
    const parley_json_ref_t  *arguments;

    arguments = &g->mcp->arguments;

    for (i = 0; i < PARLEY_ARGUMENTS; i++) {

        if (ret->list[i].name.len == 0 || i == PARLEY_ARGUMENT_TOKEN
            || arguments->node == PARLEY_JSON_NONE)
        {
            continue;
        }

        value = parley_json_get(arguments->doc, arguments->node,
                                ret->list[i].name);

        if (value == PARLEY_JSON_NONE
            || parley_json_type(arguments->doc, value) != PARLEY_JSON_STRING)
        {
            continue;
        }

        if (parley_json_string(arguments->doc, value, &text) != 0) {
            return parley_error_memory(g->err);
        }

        if (parley_argument_set(&ret->list[i], text, g->err) != 0) {
            return -1;
        }
    }

    return 0;
}
