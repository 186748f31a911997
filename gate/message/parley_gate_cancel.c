/*
 * Cancels a call of MCP (MCP-06).  A client that stops waiting for a call sends
 *
 *     {"jsonrpc": "2.0", "method": "notifications/cancelled",
 *         "params": {"requestId": 7}}
 *
 * Another process may hold the call, so all processes get a publication.  The
 * process that holds the call answers it with the frames so far, and frees its
 * place.  The principal, the request id and the session of the client, if any,
 * identify a call.
 */

#include <string.h>

#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publication.h"


/* prefixes of a call's name: the ids 7 and "7" differ */
#define PARLEY_CALL_NUMBER  'n'
#define PARLEY_CALL_STRING  's'


static int parley_gate_call_name(parley_gate_t *g, uint8_t type,
    parley_str_t text, parley_str_t *ret);
static int parley_gate_call_id(parley_gate_t *g, const parley_json_t *doc,
    uint32_t id, parley_str_t *ret);
static parley_str_t parley_gate_call_client(parley_gate_t *g);


int
parley_gate_call(parley_gate_t *g, parley_stream_request_t *o)
{
    const parley_json_t  *doc;

    doc = g->serve.mcp != NULL ? &g->serve.mcp->doc
          : g->conf.s->host != NULL ? g->doc
          : parley_gate_message_responds(g) ? g->msg->doc : NULL;

    if (doc == NULL) {
        return 0;
    }

    o->client = parley_gate_call_client(g);

    return parley_gate_call_id(g, doc,
                               parley_json_get(doc, 0, PARLEY_STR("id")),
                               &o->call);
}


static int
parley_gate_call_name(parley_gate_t *g, uint8_t type, parley_str_t text,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, g->arena, text.len + 1);
    parley_buf_octet(&b, type);
    parley_buf_str(&b, text);

    return parley_buf_done(&b, ret);
}


/*
 * Makes the name of a call from its id.  *ret is empty if the id is missing or
 * has another type.
 */

static int
parley_gate_call_id(parley_gate_t *g, const parley_json_t *doc, uint32_t id,
    parley_str_t *ret)
{
    parley_str_t  text;

    *ret = parley_str_none;

    if (id == PARLEY_JSON_NONE) {
        return 0;
    }

    switch (parley_json_type(doc, id)) {

    case PARLEY_JSON_NUMBER:
        return parley_gate_call_name(g, PARLEY_CALL_NUMBER,
                                     parley_json_raw(doc, id), ret);

    case PARLEY_JSON_STRING:
        return parley_json_string(doc, id, &text) == 0
               ? parley_gate_call_name(g, PARLEY_CALL_STRING, text, ret) : -1;

    default:
        return 0;
    }
}


static parley_str_t
parley_gate_call_client(parley_gate_t *g)
{
    parley_str_t  session;

    return g->env->header != NULL
           && g->env->header(g, PARLEY_STR("mcp-session-id"), &session)
           ? session : parley_str_none;
}


int
parley_gate_cancel(parley_gate_t *g, const parley_json_t *doc)
{
    int                    rc;
    uint32_t               params;
    parley_str_t           parts[2];
    parley_append_t        append;
    parley_appended_t      appended;
    parley_publication_t   p;

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&append, 0, sizeof(parley_append_t));

    params = parley_mcp_params(doc);

    if (params == PARLEY_JSON_NONE
        || parley_json_type(doc, params) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    if (parley_gate_call_id(g, doc,
                            parley_json_get(doc, params,
                                            PARLEY_STR("requestId")),
                            &p.audience.session)
        != 0)
    {
        return parley_error_memory(g->err);
    }

    p.audience.instrument = parley_gate_call_client(g);

    /* MCP: a notification that does not name a call is ignored */

    if (p.audience.session.len == 0
        || p.audience.session.len > PARLEY_PUBLICATION_TEXT_MAX
        || p.audience.instrument.len > PARLEY_PUBLICATION_TEXT_MAX)
    {
        return 0;
    }

    parley_gate_message_account(g);

    p.kind = PARLEY_PUBLICATION_CANCELLED;
    p.proto = PARLEY_PROTO_NONE;
    memcpy(p.log, g->proof.account, PARLEY_KEY_LEN);

    if (parley_publication_write(g->arena, &p, parts) != 0) {
        return parley_error_memory(g->err);
    }

    append.parts = parts;
    append.nparts = 1;
    append.account = g->proof.account;
    append.retention.records = 1;
    append.retention.octets = 1;
    append.retention.ms = 1;
    append.ttl = PARLEY_FEED_GRACE;
    append.arena = g->arena;

    rc = parley_ask_append(&g->ask, &append, &appended);

    if (rc == 0 && g->env->wake != NULL) {
        g->env->wake(g);
    }

    /* without room the call is held until its time is over */

    return rc == PARLEY_WAIT ? rc : 0;
}
