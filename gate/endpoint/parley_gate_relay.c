/*
 * Requests without a message that an existing service answers itself: GET for
 * its event stream, and DELETE of a session (GW-33, MCP-05).  The request
 * passes unchanged if its caller is proven.  The step SESSION checks the
 * session that it names; parley_gate_relayed.c checks the answer.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_rules.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_GATE_PLAN_RELAY                                                \
    (PARLEY_PLAN(PARLEY_STEP_METHOD) | PARLEY_PLAN(PARLEY_STEP_FAILURES)      \
     | PARLEY_PLAN(PARLEY_STEP_PROOF) | PARLEY_PLAN(PARLEY_STEP_RATE)         \
     | PARLEY_PLAN(PARLEY_STEP_BODY) | PARLEY_PLAN(PARLEY_STEP_SERVE)         \
     | PARLEY_PLAN(PARLEY_STEP_SESSION) | PARLEY_PLAN(PARLEY_STEP_RECORD)     \
     | PARLEY_PLAN(PARLEY_STEP_FORWARD))


static int parley_gate_relay_may(parley_gate_t *g);
static int parley_gate_relay_reads(parley_gate_t *g);


const parley_str_t *
parley_gate_relay_methods(const parley_gate_t *g)
{
    static const parley_str_t  none[] = { parley_str("") };

    /* without a proof of the caller no request passes */

    return parley_settings_endpoint(g->conf.s) == PARLEY_ENDPOINT_NONE
           && g->conf.s->submit == NULL
           && (g->conf.plan & PARLEY_PLAN(PARLEY_STEP_PROOF))
           && g->conf.gate->speak < PARLEY_PROTO_COUNT
           && (g->conf.gate->accept & PARLEY_PROTO_BIT(g->conf.gate->speak))
           && parley_codecs[g->conf.gate->speak]->binding->relays != NULL
           ? parley_codecs[g->conf.gate->speak]->binding->relays : none;
}


int
parley_gate_relays(parley_gate_t *g, parley_str_t method)
{
    const parley_str_t  *name;

    for (name = parley_gate_relay_methods(g); name->len > 0; name++) {

        if (!parley_str_eq(*name, method)) {
            continue;
        }

        g->serve.relays = 1;
        g->serve.erases = parley_str_is(method, "DELETE");
        g->read.proto = g->conf.gate->speak;
        g->serve.request = g->serve.erases ? PARLEY_STR("session")
                                           : PARLEY_STR("stream");
        g->conf.plan &= PARLEY_GATE_PLAN_RELAY;

        return 1;
    }

    return 0;
}


/* The step SERVE of such a request. */

parley_step_result_t
parley_gate_relay(parley_gate_t *g)
{
    parley_arguments_init(&g->arguments, g->conf.gate->speak,
                          g->conf.gate->speak, g->conf.gate->token);

    /* a session gives the right to its stream; else the path names its owner */

    if ((parley_binding_sessions(g->conf.gate->speak) != NULL
         ? parley_gate_relay_may(g) : parley_gate_relay_reads(g))
        != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    g->msg->wire = g->conf.gate->speak;
    g->out.opts.principal = parley_who_proven(g->who);
    g->out.sent.copied = 1;

    return PARLEY_RESULT_PASSED;
}


static int
parley_gate_relay_may(parley_gate_t *g)
{
    if (parley_gate_serves(g, NULL) != 0) {
        return -1;
    }

    if (g->in.body.len > 0) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "a GET or a DELETE must not have a body");
    }

    return parley_arguments_read(&g->arguments, g->arena, g->in.query, g->err);
}


/*
 * Checks that the caller may read the stream of the name at the end of the
 * path.  The service reads the path as it came, so it must not be able to find
 * another name there.
 */

static int
parley_gate_relay_reads(parley_gate_t *g)
{
    int           own;
    size_t        i, names;
    parley_str_t  address;

    if (parley_gate_named(g, &g->arguments, PARLEY_RULES_SUBSCRIBE, &address,
                          &own)
        != 0)
    {
        return -1;
    }

    for (i = names = 0; i < g->in.uri.len; i++) {
        names += g->in.uri.data[i] == '~';
    }

    if (g->in.encoded || names > 1) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "the path must have one name, and no percent "
                                "encoding, empty part, \".\" or \"..\"");
    }

    return !g->arguments.list[PARLEY_ARGUMENT_SCOPE].there ? 0
           : parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                              "scope is not an argument of a stream");
}
