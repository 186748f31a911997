/*
 * What those who answer clients of MCP have in common (modelcontextprotocol.io,
 * 2024-11-05 to 2025-11-25, and 2026-07-28, which has no sessions): a call of
 * JSON-RPC 2.0, its result, and why there is none.
 *
 *     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
 *         "name": "agent_advise", "arguments": {...}}}
 *     {"jsonrpc": "2.0", "id": 7, "result": {"content": [{...}]}}
 *     {"jsonrpc": "2.0", "id": 7, "error": {"code": -32602, "message": "...",
 *         "data": {"code": "field-missing", "field": "/params/name"}}}
 */

#ifndef PARLEY_MCP_H
#define PARLEY_MCP_H

#include "core/parley_buf.h"
#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "core/parley_json.h"


/* the last version with sessions, and the first without */
#define PARLEY_MCP_LAST  "2025-11-25"
#define PARLEY_MCP_FREE  "2026-07-28"

/* who answers */
#define PARLEY_MCP_INFO                                                       \
    "{\"name\":\"parley\",\"version\":\"" PARLEY_VERSION "\"}"

/* of JSON-RPC */
#define PARLEY_MCP_INVALID_REQUEST   (-32600)
#define PARLEY_MCP_METHOD_NOT_FOUND  (-32601)

/* our numbers are this one less the status ... */
#define PARLEY_MCP_NUMBERS  (-31000)

/* ... but where JSON-RPC has one of its own */
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


/* why a call has no result; all but number may be empty */
typedef struct {
    const parley_json_t  *doc;          /* the call, or NULL */
    int                   number;
    parley_str_t          code;
    parley_str_t          field;
    parley_str_t          message;
    parley_str_t          retryable;    /* JSON */
    parley_str_t          backoff_ms;   /* JSON */
    unsigned              tool:1;       /* it calls a tool */
    unsigned              mcp:1;        /* by a client of MCP, which reads no
                                           body of another status than 200 */
} parley_mcp_why_t;


/* a tool as tools/list has it */
typedef struct {
    parley_str_t  name;
    parley_str_t  description;
    parley_str_t  input;        /* its schema: a JSON Pointer */
    unsigned      reads:1;      /* it changes nothing */
    unsigned      repeats:1;    /* a second call with the same arguments changes
                                   nothing more */
} parley_mcp_tool_t;


/* The number of a code; of an error also where it is: what is wrong with params
   is no invalid request. */
int parley_mcp_code_number(parley_code_t code);
int parley_mcp_error_number(const parley_error_t *error);

/* Fills number, code, field, message of an error; the rest is the caller's. */
void parley_mcp_why(parley_mcp_why_t *ret, const parley_error_t *error,
    parley_str_t word);

/* The JSON text of the call's id, "null" where it has no valid one. */
parley_str_t parley_mcp_id(const parley_json_t *doc);

/* Whether it wants a response. */
int parley_mcp_is_call(const parley_json_t *doc);

/* Its params, or PARLEY_JSON_NONE. */
uint32_t parley_mcp_params(const parley_json_t *doc);

/* Whether it says that it is of PARLEY_MCP_FREE. */
int parley_mcp_is_modern(const parley_json_t *doc);

/* Of an initialize the version that it asks for, where MCP has it; or empty. */
parley_str_t parley_mcp_version(const parley_json_t *doc);

/* Whether it is a version of MCP that is spoken, of the header
   MCP-Protocol-Version. */
int parley_mcp_speaks(parley_str_t version);

/*
 * Writes the begin of a response to a call, up to and with the '{' of its
 * result, and what MCP wants in each; "}}" is to follow, and members with a
 * comma before them where something was written.
 */
void parley_mcp_result_begin(parley_buf_t *b, const parley_json_t *doc);

/* Writes what server/discover ends with, behind supportedVersions. */
void parley_mcp_write_discovered(parley_buf_t *b);

/*
 * Says why there is no result: of a tool that was called as a result with
 * isError, which a model reads.  ret->status is set already, and becomes 200
 * where it has to be.  -1: no memory.
 */
int parley_mcp_fail(parley_arena_t *arena, const parley_mcp_why_t *why,
    parley_reply_t *ret);

/* Writes an entry of tools/list, of a schema's document. */
void parley_mcp_write_tool(parley_buf_t *b, const parley_json_t *schema,
    const parley_mcp_tool_t *tool);

/* Writes what the list ends with, for who asked with doc. */
void parley_mcp_write_listed(parley_buf_t *b, const parley_json_t *doc);


#endif /* PARLEY_MCP_H */
