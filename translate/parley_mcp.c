#include <string.h>

#include "translate/parley_engine.h"
#include "translate/parley_mcp.h"
#include "schemas/parley_schema_inline.h"


static void parley_mcp_error(parley_buf_t *b, const parley_mcp_why_t *why);
static void parley_mcp_tool_error(parley_buf_t *b,
    const parley_mcp_why_t *why);
static void parley_mcp_why_data(parley_buf_t *b, const parley_mcp_why_t *why);


/* versions with sessions */
static const parley_str_t  parley_mcp_versions[] = {
    parley_str(PARLEY_MCP_LAST), parley_str("2025-06-18"),
    parley_str("2024-11-05"),
};

#define PARLEY_MCP_SESSIONS                                                   \
    (sizeof(parley_mcp_versions) / sizeof(parley_mcp_versions[0]))


int
parley_mcp_code_number(parley_code_t code)
{
    switch (code) {

#define X(sym, number)                                                        \
    case PARLEY_E_##sym:                                                      \
        return number;
    PARLEY_MCP_CODES(X)
#undef X

    default:
        return PARLEY_MCP_NUMBERS - parley_error_info(code)->http;
    }
}


/*
 * Returns -32600 for an invalid request, -32601 for an unknown method, and
 * -32602 for invalid params (C2A-28) and for an invalid argument of the query,
 * which has the same purpose.
 */

int
parley_mcp_error_number(const parley_error_t *error)
{
    const char  *field;

    field = error->field;

    switch (error->code) {

    case PARLEY_E_KIND_UNKNOWN:
        if (strcmp(field, "/method") == 0) {
            return PARLEY_MCP_METHOD_NOT_FOUND;
        }

        break;

    case PARLEY_E_FIELD_MISSING:
    case PARLEY_E_FIELD_INVALID:
    case PARLEY_E_FIELD_UNKNOWN:
        if (!error->is_name
            && strncmp(field, "/params", sizeof("/params") - 1) != 0)
        {
            return PARLEY_MCP_INVALID_REQUEST;
        }

        break;

    default:
        break;
    }

    return parley_mcp_code_number(error->code);
}


void
parley_mcp_why(parley_mcp_why_t *ret, const parley_error_t *error,
    parley_str_t word)
{
    ret->number = parley_mcp_error_number(error);
    ret->code = word;
    ret->field = parley_str_c(error->field);
    ret->message = parley_str_c(error->text);
}


parley_str_t
parley_mcp_id(const parley_json_t *doc)
{
    uint32_t  id;

    id = parley_json_member(doc, 0, PARLEY_ATOM_id);

    if (id == PARLEY_JSON_NONE
        || (parley_json_type(doc, id) != PARLEY_JSON_STRING
            && parley_json_type(doc, id) != PARLEY_JSON_NUMBER))
    {
        return PARLEY_STR("null");
    }

    return parley_json_raw(doc, id);
}


int
parley_mcp_is_call(const parley_json_t *doc)
{
    return !parley_str_is(parley_mcp_id(doc), "null");
}


uint32_t
parley_mcp_params(const parley_json_t *doc)
{
    return parley_json_member(doc, 0, PARLEY_ATOM_params);
}


int
parley_mcp_is_modern(const parley_json_t *doc)
{
    uint32_t  meta;

    meta = parley_json_member(doc, parley_mcp_params(doc), PARLEY_ATOM__meta);

    return meta != PARLEY_JSON_NONE
           && parley_json_get(doc, meta,
                      PARLEY_STR("io.modelcontextprotocol/protocolVersion"))
              != PARLEY_JSON_NONE;
}


parley_str_t
parley_mcp_version(const parley_json_t *doc)
{
    unsigned  i;
    uint32_t  value;

    value = parley_json_member(doc, parley_mcp_params(doc),
                               PARLEY_ATOM_protocolVersion);

    for (i = 0; i < PARLEY_MCP_SESSIONS; i++) {
        if (parley_json_string_is(doc, value, parley_mcp_versions[i])) {
            return parley_mcp_versions[i];
        }
    }

    /* A server of that version must accept batches.  Its clients also know the
       version before, and some know no later one. */

    return parley_json_string_is(doc, value, PARLEY_STR("2025-03-26"))
           ? PARLEY_STR("2024-11-05") : parley_str_none;
}


int
parley_mcp_speaks(parley_str_t version)
{
    unsigned  i;

    for (i = 0; i < PARLEY_MCP_SESSIONS; i++) {
        if (parley_str_eq(version, parley_mcp_versions[i])) {
            return 1;
        }
    }

    return parley_str_is(version, PARLEY_MCP_FREE);
}


void
parley_mcp_result_begin(parley_buf_t *b, const parley_json_t *doc)
{
    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(b, parley_mcp_id(doc));
    parley_buf_lit(b, ",\"result\":{");

    if (parley_mcp_is_modern(doc)) {
        parley_buf_lit(b, "\"resultType\":\"complete\"");
    }
}


void
parley_mcp_write_discovered(parley_buf_t *b)
{
    parley_buf_lit(b, ",\"capabilities\":{\"tools\":{}},\"ttlMs\":0,"
                      "\"cacheScope\":\"private\",");
    parley_buf_lit(b, "\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
                      PARLEY_MCP_INFO "}");
}


/* A message without an id gets no response, with any status. */

int
parley_mcp_fail(parley_arena_t *arena, const parley_mcp_why_t *why,
    parley_reply_t *ret)
{
    int           mcp;
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    mcp = why->mcp && why->doc != NULL && parley_mcp_is_call(why->doc);

    if (mcp) {
        ret->status = 200;
    }

    if (mcp && why->tool) {
        parley_mcp_tool_error(&b, why);

    } else {
        parley_mcp_error(&b, why);
    }

    ret->content_type = PARLEY_STR("application/json");

    return parley_buf_done(&b, &ret->body);
}


static void
parley_mcp_error(parley_buf_t *b, const parley_mcp_why_t *why)
{
    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(b, why->doc != NULL ? parley_mcp_id(why->doc)
                                       : PARLEY_STR("null"));
    parley_buf_lit(b, ",\"error\":{\"code\":");
    parley_buf_int(b, why->number);
    parley_buf_member(b, PARLEY_STR("message"), why->message);
    parley_buf_lit(b, ",\"data\":{");
    parley_mcp_why_data(b, why);
    parley_buf_lit(b, "}}}");
}


static void
parley_mcp_tool_error(parley_buf_t *b, const parley_mcp_why_t *why)
{
    parley_mcp_result_begin(b, why->doc);
    parley_buf_name(b, PARLEY_STR("content"));
    parley_buf_lit(b, "[{\"type\":\"text\",\"text\":\"");
    parley_buf_json_text(b, why->code);

    if (why->message.len > 0) {
        parley_buf_lit(b, ": ");
    }

    parley_buf_json_text(b, why->message);
    parley_buf_lit(b, "\"}],\"structuredContent\":{");
    parley_mcp_why_data(b, why);
    parley_buf_member(b, PARLEY_STR("message"), why->message);
    parley_buf_lit(b, "},\"isError\":true");
    parley_buf_str(b, why->meta);
    parley_buf_lit(b, "}}");
}


static void
parley_mcp_why_data(parley_buf_t *b, const parley_mcp_why_t *why)
{
    parley_buf_member(b, PARLEY_STR("code"), why->code);

    if (why->field.len > 0) {
        parley_buf_member(b, PARLEY_STR("field"), why->field);
    }

    if (why->retryable.len > 0) {
        parley_buf_name(b, PARLEY_STR("retryable"));
        parley_buf_str(b, why->retryable);
    }

    if (why->backoff_ms.len > 0) {
        parley_buf_name(b, PARLEY_STR("backoff_ms"));
        parley_buf_str(b, why->backoff_ms);
    }

    if (why->more.len > 0) {
        parley_buf_octet(b, ',');
        parley_buf_str(b, why->more);
    }
}


void
parley_mcp_write_tool(parley_buf_t *b, const parley_json_t *schema,
    const parley_mcp_tool_t *tool)
{
    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("name"), tool->name);
    parley_buf_member(b, PARLEY_STR("description"), tool->description);
    parley_buf_lit(b, ",\"inputSchema\":");
    parley_schema_inline(b, schema,
                         parley_json_resolve(schema, 0, tool->input));
    parley_buf_lit(b, ",\"annotations\":{\"readOnlyHint\":");
    parley_buf_str(b, tool->reads ? PARLEY_STR("true") : PARLEY_STR("false"));
    parley_buf_lit(b, ",\"idempotentHint\":");
    parley_buf_str(b, tool->repeats ? PARLEY_STR("true")
                                    : PARLEY_STR("false"));
    parley_buf_lit(b, "}}");
}


void
parley_mcp_write_listed(parley_buf_t *b, const parley_json_t *doc)
{
    if (parley_mcp_is_modern(doc)) {
        parley_buf_lit(b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    }
}
