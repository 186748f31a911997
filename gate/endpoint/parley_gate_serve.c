/*
 * The step SERVE of endpoints that take requests without a message:
 * parley_keys, parley_stream, parley_moq, parley_roster, parley_control, and
 * locations that
 * only prove the caller.  It also serves parley_mcp, where a call may become a
 * message, and requests that an existing service answers.
 */

#include "gate/message/parley_gate_mcp.h"
#include "gate/settings/parley_settings.h"


typedef struct {
    parley_step_pt      run;
    parley_step_result_t  (*method)(parley_gate_t *g, parley_str_t method);
} parley_gate_served_t;


static parley_step_result_t parley_gate_serve_pass(parley_gate_t *g);
static parley_step_result_t parley_gate_serve_pass_method(parley_gate_t *g,
    parley_str_t method);


static const parley_gate_served_t  parley_gate_served[PARLEY_ENDPOINTS] = {
    [PARLEY_ENDPOINT_KEYS] = {
        parley_gate_keys, parley_gate_keys_method
    },
    [PARLEY_ENDPOINT_STREAM] = {
        parley_gate_stream, parley_gate_stream_method
    },
    [PARLEY_ENDPOINT_ROSTER] = {
        parley_gate_roster, parley_gate_roster_method
    },
    [PARLEY_ENDPOINT_CONTROL] = {
        parley_gate_control, parley_gate_control_method
    },
    [PARLEY_ENDPOINT_PROOF] = {
        parley_gate_serve_pass, parley_gate_serve_pass_method
    },
};


parley_step_result_t
parley_gate_serve(parley_gate_t *g)
{
    return g->conf.s->mcp != NULL
           ? parley_gate_mcp(g)
           : g->serve.opens
           ? parley_gate_mailbox(g)
           : g->serve.relays
           ? parley_gate_relay(g)
           : parley_gate_served[parley_settings_endpoint(g->conf.s)].run(g);
}


parley_step_result_t
parley_gate_serve_method(parley_gate_t *g, parley_str_t method)
{
    parley_endpoint_t  endpoint = parley_settings_endpoint(g->conf.s);

    return parley_gate_served[endpoint].method(g, method);
}


/*
 * A location that proves the caller and reads no message (GW-30).  The request
 * passes, unchanged, to the content handler of the location if the step POLICY
 * allows it.
 */

static parley_step_result_t
parley_gate_serve_pass(parley_gate_t *g)
{
    return parley_step_result(parley_gate_is_served(g));
}


/* Every method passes; rules with method= decide. */

static parley_step_result_t
parley_gate_serve_pass_method(parley_gate_t *g, parley_str_t method)
{
    (void) method;

    g->serve.request = PARLEY_STR("request");

    return PARLEY_RESULT_PASSED;
}
