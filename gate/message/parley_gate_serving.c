/* Helpers of endpoints: the caller, the arguments, the JSON response. */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"
#include "gate/message/parley_gate_mcp.h"


static int parley_gate_serving_here(parley_gate_t *g);


int
parley_gate_serving_json(parley_gate_t *g, parley_buf_t *b)
{
    memset(&g->out.reply, 0, sizeof(parley_reply_t));

    g->out.reply.status = 200;
    g->out.reply.content_type = PARLEY_STR("application/json");

    return parley_buf_done(b, &g->out.reply.body) == 0
           ? 0 : parley_error_memory(g->err);
}


int
parley_gate_serving_asks(parley_gate_t *g, parley_arguments_t *ret)
{
    return g->serve.mcp != NULL
           ? parley_gate_serving_arguments(g, ret)
           : parley_arguments_read(ret, g->arena, g->in.query, g->err);
}


int
parley_gate_is_served(parley_gate_t *g)
{
    if (g->who->principal == NULL || !parley_who_is_caller(g->who)) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_MISSING, NULL,
                                "a token or a client certificate is required");
    }

    return parley_gate_revocation_is_hit(g) != 0 ? -1
           : parley_gate_serving_here(g);
}


int
parley_gate_serving(parley_gate_t *g, const char *himself)
{
    int           rc;
    parley_str_t  actor;

    if (parley_gate_is_served(g) != 0 || parley_gate_rules_caller(g) != 0) {
        return -1;
    }

    rc = himself != NULL && g->who->jwt != NULL
         ? parley_who_acts(g->who, &actor) : 0;

    if (rc == -1) {
        return parley_error_memory(g->err);
    }

    return rc == 0 ? 0
           : parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                              "the token must be used by %s, not by an agent "
                              "acting for %s", himself, himself);
}


/*
 * Refuses a request over plain HTTP to an endpoint that changes something or
 * tells something private, unless parley_trusted is on.  A Unix socket does not
 * leave the machine, and keys that are public may be read.
 */

static int
parley_gate_serving_here(parley_gate_t *g)
{
    if (g->in.tls || g->in.local || g->conf.gate->trusted
        || (parley_settings_endpoint(g->conf.s) == PARLEY_ENDPOINT_KEYS
            && g->serve.keys_call == PARLEY_KEYS_LIST))
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED, NULL,
                            "this needs TLS 1.2 or later, or parley_trusted "
                            "behind a proxy that ends TLS");
}


int
parley_gate_serving_arguments(parley_gate_t *g, parley_arguments_t *ret)
{
    unsigned                  i;
    uint32_t                  value;
    parley_str_t              text;
    const parley_json_ref_t  *arguments;

    arguments = &g->serve.mcp->arguments;

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
