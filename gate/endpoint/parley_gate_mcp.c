/*
 * Serves the endpoint of parley_mcp (ACH-27).  It reads and checks a call of an
 * MCP client, and answers the methods that do not call a tool.
 */

#include <string.h>

#include "gate/message/parley_gate_mcp.h"
#include "schemas/parley_schema_inline.h"


static int parley_gate_mcp_read(parley_gate_t *g);
static int parley_gate_mcp_check(parley_gate_t *g, parley_str_t *method);
static int parley_gate_mcp_spoken(parley_gate_t *g, parley_str_t method);
static parley_step_result_t parley_gate_mcp_call(parley_gate_t *g,
    parley_str_t method);
static parley_step_result_t parley_gate_mcp_notified(parley_gate_t *g);
static int parley_gate_mcp_own(parley_gate_t *g, parley_str_t method);
static int parley_gate_mcp_begins(parley_gate_t *g);
static void parley_gate_mcp_tools(parley_gate_t *g, parley_buf_t *b);


parley_step_result_t
parley_gate_mcp(parley_gate_t *g)
{
    parley_str_t  method;

    /*
     * the step runs again: a frame is on its way, a stream is being opened, or
     * the state is getting a notification
     */

    if (g->serve.mcp != NULL) {
        return g->serve.mcp->verb != NULL ? parley_gate_mcp_verb(g)
                                          : parley_gate_mcp_notified(g);
    }

    if (parley_gate_serving(g, NULL) != 0
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

    g->serve.mcp = call;
    g->read.proto = PARLEY_PROTO_VERBS;
    g->msg->wire = PARLEY_PROTO_VERBS;
    g->msg->origin = PARLEY_PROTO_VERBS;

    if (parley_json_read(&call->doc, g->arena, &g->conf.gate->limits,
                         g->in.seed, g->in.body, g->err)
        != 0)
    {
        return -1;
    }

    call->read = 1;

    return 0;
}


/*
 * Checks the call as JSON-RPC 2.0.  *method is empty for a response, which the
 * gateway did not ask for.
 */

static int
parley_gate_mcp_check(parley_gate_t *g, parley_str_t *method)
{
    uint32_t              id, name, params;
    const parley_json_t  *doc;

    doc = &g->serve.mcp->doc;

    *method = parley_str_none;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_gate_mcp_invalid(g, "",
                                       "a call must be an object; batches are "
                                       "not supported");
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
 * Checks the field MCP-Protocol-Version, which exists since 2025-06-18.  A call
 * without the field may have any version.  So may the methods that negotiate
 * the version.
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

    g->serve.mcp->foreign = 1;

    return parley_gate_mcp_invalid(g, "",
                                   "this MCP-Protocol-Version is not "
                                   "supported");
}


static parley_step_result_t
parley_gate_mcp_call(parley_gate_t *g, parley_str_t method)
{
    memset(&g->out.reply, 0, sizeof(parley_reply_t));

    if (!parley_mcp_is_call(&g->serve.mcp->doc) || method.len == 0) {
        return parley_gate_mcp_notified(g);
    }

    if (!parley_str_is(method, "tools/call")) {
        return parley_gate_mcp_own(g, method) == 0
               ? PARLEY_RESULT_ANSWERED : PARLEY_RESULT_REFUSED;
    }

    return parley_gate_mcp_tool(g) == 0
           ? parley_gate_mcp_verb(g) : PARLEY_RESULT_REFUSED;
}


/* Answers a notification, or a response without a request. */

static parley_step_result_t
parley_gate_mcp_notified(parley_gate_t *g)
{
    int                   rc;
    const parley_json_t  *doc;

    doc = &g->serve.mcp->doc;

    if (parley_json_string_is(doc, parley_json_get(doc, 0,
                                                   PARLEY_STR("method")),
                              PARLEY_STR("notifications/cancelled")))
    {
        rc = parley_gate_cancel(g, doc);

        if (rc != 0) {
            return parley_step_result(rc);
        }
    }

    g->out.reply.status = 202;

    return PARLEY_RESULT_ANSWERED;
}


/* Answers a method that does not call a tool. */

static int
parley_gate_mcp_own(parley_gate_t *g, parley_str_t method)
{
    parley_buf_t          b;
    parley_str_t          version;
    const parley_json_t  *doc;

    doc = &g->serve.mcp->doc;

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
                                "the method is unknown");
    }

    parley_buf_lit(&b, "}}");

    return parley_gate_serving_json(g, &b);
}


/*
 * Checks the version in an "initialize".  A client with an unsupported version
 * gets a supported one in the answer.
 */

static int
parley_gate_mcp_begins(parley_gate_t *g)
{
    uint32_t              version;
    const parley_json_t  *doc;

    doc = &g->serve.mcp->doc;
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


/* Writes the tools that the caller may call. */

static void
parley_gate_mcp_tools(parley_gate_t *g, parley_buf_t *b)
{
    int                           comma;
    unsigned                      i;
    parley_json_t                 schema;
    parley_error_t                err;
    const parley_channel_verb_t  *verb;

    if (parley_read_again(&schema, g->arena, g->in.seed,
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
    parley_mcp_write_listed(b, &g->serve.mcp->doc);
}
