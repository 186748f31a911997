/*
 * The step SERVE, at a block that no messages come to: parley_keys,
 * parley_stream, parley_roster, parley_control; and parley_mcp, where a call
 * may become one.  What all of them have in common is here.
 */

#include <string.h>

#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"


typedef struct {
    parley_step_pt      run;
    parley_step_result_t  (*method)(parley_gate_t *g, parley_str_t method);
    parley_str_t        methods;
} parley_gate_served_t;


static const parley_gate_served_t  parley_gate_served[PARLEY_ENDPOINTS] = {
    [PARLEY_ENDPOINT_KEYS] = {
        parley_gate_keys, parley_gate_keys_method,
        parley_str(PARLEY_KEYS_METHODS)
    },
    [PARLEY_ENDPOINT_STREAM] = {
        parley_gate_stream, parley_gate_stream_method,
        parley_str(PARLEY_STREAM_METHODS)
    },
    [PARLEY_ENDPOINT_ROSTER] = {
        parley_gate_roster, parley_gate_roster_method,
        parley_str(PARLEY_NAMED_METHODS)
    },
    [PARLEY_ENDPOINT_CONTROL] = {
        parley_gate_control, parley_gate_control_method,
        parley_str(PARLEY_CONTROL_METHODS)
    },
};


static int parley_gate_serves_here(parley_gate_t *g);


parley_step_result_t
parley_gate_serve(parley_gate_t *g)
{
    return g->s->mcp != NULL
           ? parley_gate_mcp(g)
           : parley_gate_served[parley_settings_endpoint(g->s)].run(g);
}


parley_step_result_t
parley_gate_serve_method(parley_gate_t *g, parley_str_t method)
{
    return parley_gate_served[parley_settings_endpoint(g->s)].method(g,
                                                                    method);
}


parley_str_t
parley_gate_serve_methods(const parley_gate_t *g)
{
    if (g->s->websocket != NULL) {
        return parley_gate_tickets(g)
               ? PARLEY_STR(PARLEY_WEBSOCKET_TICKET_METHODS)
               : PARLEY_STR(PARLEY_WEBSOCKET_METHODS);
    }

    return parley_gate_tickets(g)
           ? PARLEY_STR(PARLEY_TICKET_METHODS)
           : parley_gate_served[parley_settings_endpoint(g->s)].methods;
}


int
parley_gate_serve_json(parley_gate_t *g, parley_buf_t *b)
{
    memset(&g->reply, 0, sizeof(parley_reply_t));

    g->reply.status = 200;
    g->reply.content_type = PARLEY_STR("application/json");

    return parley_buf_done(b, &g->reply.body) == 0
           ? 0 : parley_error_memory(g->err);
}


int
parley_gate_asks(parley_gate_t *g, parley_arguments_t *ret)
{
    return g->mcp != NULL
           ? parley_gate_mcp_arguments(g, ret)
           : parley_arguments_read(ret, g->arena, g->query, g->err);
}


/*
 * Refuses a request over plain HTTP to an endpoint that changes something or
 * tells something private, unless parley_trusted is on.  A Unix socket does not
 * leave the machine, and keys that are public may be read.
 */

static int
parley_gate_serves_here(parley_gate_t *g)
{
    if (g->tls || g->local || g->conf->trusted
        || (parley_settings_endpoint(g->s) == PARLEY_ENDPOINT_KEYS
            && g->keys_call == PARLEY_KEYS_LIST))
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                            "this needs TLS 1.2 or later, or parley_trusted "
                            "behind what ends it");
}


int
parley_gate_serves(parley_gate_t *g, const char *himself)
{
    int           rc;
    parley_str_t  actor;

    if (g->who->principal == NULL || !parley_who_is_caller(g->who)) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_MISSING, NULL,
                                "a token or a client certificate is required");
    }

    if (parley_gate_revoked(g) != 0 || parley_gate_caller(g) != 0
        || parley_gate_serves_here(g) != 0)
    {
        return -1;
    }

    rc = himself != NULL && g->who->jwt != NULL
         ? parley_who_acts(g->who, &actor) : 0;

    if (rc == -1) {
        return parley_error_memory(g->err);
    }

    return rc == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                              "the token is used by somebody who acts for %s, "
                              "and is not %s", himself, himself);
}
