/*
 * Common parts of answers to MCP clients (modelcontextprotocol.io, 2024-11-05
 * to 2025-11-25, and 2026-07-28, which has no sessions): a JSON-RPC 2.0 call,
 * its result, and its error.
 *
 *   {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
 *        "name": "agent_advise", "arguments": {...}}}
 *   {"jsonrpc": "2.0", "id": 7, "result": {"content": [{...}]}}
 *   {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "...",
 *        "data": {"code": "field-missing", "field": "/params/name"}}}
 */

#ifndef PARLEY_MCP_H
#define PARLEY_MCP_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "core/parley_json.h"


/* last version with sessions, first version without */
#define PARLEY_MCP_LAST  "2025-11-25"
#define PARLEY_MCP_FREE  "2026-07-28"

/* name and version of the server */
#define PARLEY_MCP_INFO                                                       \
    "{\"name\":\"parley\",\"version\":\"" PARLEY_VERSION "\"}"

/* numbers of JSON-RPC */
#define PARLEY_MCP_INVALID_REQUEST   (-32600)
#define PARLEY_MCP_METHOD_NOT_FOUND  (-32601)

/* Parley's numbers: this one minus the HTTP status, */
#define PARLEY_MCP_NUMBERS  (-31000)

/* except for codes that have a number of JSON-RPC */
#define PARLEY_MCP_CODES(X)                                                   \
    X(JSON_INVALID, -32700)                                                   \
    X(FIELD_MISSING, -32602)                                                  \
    X(FIELD_INVALID, -32602)                                                  \
    X(FIELD_UNKNOWN, -32602)                                                  \
    X(KIND_UNKNOWN, -32602)                                                   \
    X(PAYLOAD_KIND_MISMATCH, -32602)                                          \
    X(FILTER_AXIS_UNKNOWN, -32602)                                            \
    X(FILTER_VALUE_INVALID, -32602)                                           \
    X(ENVELOPE_VERSION_UNSUPPORTED, -32600)                                   \
    X(METHOD_NOT_ALLOWED, -32600)                                             \
    X(PROTOCOL_UNSUPPORTED, -32600)                                           \
    X(SCOPE_UNIMPLEMENTED, -32601)


/* error of a call; all but number may be empty */
typedef struct parley_mcp_why_s {
    const parley_json_t  *doc;          /* call, or NULL */
    int                   number;
    parley_str_t          code;
    parley_str_t          field;
    parley_str_t          message;
    parley_str_t          retryable;    /* JSON */
    parley_str_t          backoff_ms;   /* JSON */
    parley_str_t          more;         /* JSON: further members of the data */
    parley_str_t          meta;         /* for a tool: further members of the
                                           result, with a comma before each */
    unsigned              tool:1;       /* call of a tool */
    unsigned              mcp:1;        /* call of an MCP client, which reads
                                           the body only if the status is 200 */
} parley_mcp_why_t;


/* entry of tools/list */
typedef struct {
    parley_str_t  name;
    parley_str_t  description;
    parley_str_t  input;        /* JSON Pointer of its schema */
    unsigned      reads:1;      /* changes nothing */
    unsigned      repeats:1;    /* a second call with equal arguments has no
                                   further effect */
} parley_mcp_tool_t;


/* Return the number of a code, or of an error.  An error in params is never an
   invalid request. */
int parley_mcp_code_number(parley_code_t code);
int parley_mcp_error_number(const parley_error_t *error);

/*
 * Fills number, code, field and message from an error.  The caller fills the
 * other members.
 */
void parley_mcp_why(parley_mcp_why_t *ret, const parley_error_t *error,
    parley_str_t word);

/*
 * Returns the JSON text of the call's id, "null" if it is missing or invalid.
 */
parley_str_t parley_mcp_id(const parley_json_t *doc);

/* Returns whether the call needs a response. */
int parley_mcp_is_call(const parley_json_t *doc);

/* Returns the params of the call, or PARLEY_JSON_NONE. */
uint32_t parley_mcp_params(const parley_json_t *doc);

/* Returns whether the call names the version PARLEY_MCP_FREE. */
int parley_mcp_is_modern(const parley_json_t *doc);

/* Returns the version that an initialize requests if MCP has it, or empty. */
parley_str_t parley_mcp_version(const parley_json_t *doc);

/* Returns whether a version in the header MCP-Protocol-Version is supported. */
int parley_mcp_speaks(parley_str_t version);

/*
 * Writes the beginning of a response to a call up to the '{' of its result, and
 * the members that MCP requires in each result.  The caller writes more
 * members, with a comma before each if a member is already there, and "}}".
 */
void parley_mcp_result_begin(parley_buf_t *b, const parley_json_t *doc);

/* Writes the last members of server/discover, after supportedVersions. */
void parley_mcp_write_discovered(parley_buf_t *b);

/*
 * Writes an error response.  The error of a tool call is a result with isError,
 * which a model reads.  The caller has set ret->status, which becomes 200 if
 * MCP requires it.  Returns 0, or -1 if memory is exhausted.
 */
int parley_mcp_fail(parley_arena_t *arena, const parley_mcp_why_t *why,
    parley_reply_t *ret);

/* Writes an entry of tools/list from a schema's document. */
void parley_mcp_write_tool(parley_buf_t *b, const parley_json_t *schema,
    const parley_mcp_tool_t *tool);

/* Writes the end of tools/list, for the caller that sent doc. */
void parley_mcp_write_listed(parley_buf_t *b, const parley_json_t *doc);


#endif /* PARLEY_MCP_H */
