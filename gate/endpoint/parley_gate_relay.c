/*
 * Requests without a message that an existing service answers itself: GET for
 * its event stream, and DELETE of a session (GW-33, MCP-05).  The request
 * passes unchanged if its caller is proven.  The step SESSION checks the
 * session that it names; parley_gate_relayed.c checks the answer.
 */

#include "translate/parley_codec.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_rules.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_name.h"


#define PARLEY_GATE_PLAN_RELAY                                                \
    (PARLEY_PLAN(PARLEY_STEP_METHOD) | PARLEY_PLAN(PARLEY_STEP_FAILURES)      \
     | PARLEY_PLAN(PARLEY_STEP_PROOF) | PARLEY_PLAN(PARLEY_STEP_RATE)         \
     | PARLEY_PLAN(PARLEY_STEP_BODY) | PARLEY_PLAN(PARLEY_STEP_SERVE)         \
     | PARLEY_PLAN(PARLEY_STEP_SESSION) | PARLEY_PLAN(PARLEY_STEP_RECORD)     \
     | PARLEY_PLAN(PARLEY_STEP_FORWARD))


static parley_proto_t parley_gate_relay_told(const parley_gate_t *g);
static int parley_gate_relay_seat(parley_gate_t *g);
static int parley_gate_relay_may(parley_gate_t *g);
static int parley_gate_relay_reads(parley_gate_t *g);
static int parley_gate_relay_parents(const parley_gate_t *g, parley_str_t path);
static int parley_gate_relay_path(parley_gate_t *g, int own);
static int parley_gate_relay_name(parley_gate_t *g, int own,
    parley_str_t *ret);


const parley_str_t *
parley_gate_relay_methods(const parley_gate_t *g)
{
    parley_proto_t           told;
    const parley_binding_t  *binding;

    static const parley_str_t  none[] = { parley_str("") };
    static const parley_str_t  stream[] = { parley_str("GET"),
                                            parley_str("") };

    /* without a proof of the caller no request passes */

    if (parley_settings_endpoint(g->conf.s) != PARLEY_ENDPOINT_NONE
        || g->conf.s->submit != NULL
        || !(g->conf.plan & PARLEY_PLAN(PARLEY_STEP_PROOF))
        || g->conf.gate->speak >= PARLEY_PROTO_COUNT)
    {
        return none;
    }

    told = parley_gate_relay_told(g);
    binding = parley_codecs[g->conf.gate->speak]->binding;

    return told == PARLEY_PROTO_NONE || binding->relays == NULL ? none
           : told == g->conf.gate->speak ? binding->relays : stream;
}


/*
 * Returns the protocol of the clients of the service's streams; a GET does not
 * name its protocol.  NONE: no stream passes here, also because clients of
 * another protocol look for a stream when they connect.
 */

static parley_proto_t
parley_gate_relay_told(const parley_gate_t *g)
{
    parley_proto_t  told;

    told = parley_gate_relay_proto(g);

    return told != PARLEY_PROTO_NONE
           && parley_binding_looks(g->conf.gate->accept
                                   & ~PARLEY_PROTO_BIT(told))
           ? PARLEY_PROTO_NONE : told;
}


int
parley_gate_relay_is_known(parley_gate_t *g, parley_str_t method)
{
    const parley_str_t  *name;

    if (parley_gate_socket_asked(g, method)) {
        g->serve.relays = 1;
        g->serve.socket = 1;
        g->serve.request = PARLEY_STR("websocket");
        g->conf.plan &= PARLEY_GATE_PLAN_RELAY;

        return 1;
    }

    for (name = parley_gate_relay_methods(g); name->len > 0; name++) {

        if (!parley_str_eq(*name, method)) {
            continue;
        }

        g->serve.relays = 1;
        g->serve.erases = parley_str_is(method, "DELETE");
        g->read.proto = parley_gate_relay_told(g);
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
    parley_arguments_init(&g->arguments, g->read.proto, g->conf.gate->speak,
                          g->conf.gate->token);

    if (g->serve.socket && parley_gate_socket_handshake(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    /*
     * A session gives the right to its stream; else the path names its owner.
     * Only agent-channel names the owner of a WebSocket.
     */

    if (((g->serve.socket && g->conf.gate->speak != PARLEY_PROTO_STREAMS)
         || parley_binding_sessions(g->conf.gate->speak) != NULL
         ? parley_gate_relay_may(g) : parley_gate_relay_reads(g))
        != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    if (g->read.proto != g->conf.gate->speak
        && parley_gate_message_options(g, &g->out.opts) != 0)
    {
        return PARLEY_RESULT_FAILED;
    }

    if (parley_gate_relay_seat(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    g->msg->wire = g->read.proto;
    g->out.opts.principal = parley_who_proven(g->who);
    g->out.sent.copied = 1;

    return PARLEY_RESULT_PASSED;
}


/* Counts a stream or a WebSocket to the connections of its principal.  A dry
   run does not, since the count would affect other locations. */

static int
parley_gate_relay_seat(parley_gate_t *g)
{
    if (g->serve.erases || g->conf.gate->dry != PARLEY_DRY_OFF
        || g->env->seat == NULL)
    {
        return 0;
    }

    parley_gate_message_account(g);

    return g->env->seat(g);
}


static int
parley_gate_relay_may(parley_gate_t *g)
{
    if (parley_gate_serving(g, NULL) != 0) {
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
 * path; without a name, which only the path of the location itself may be, its
 * own stream.  The service reads the path as it came, so it must not be able to
 * find another name there.
 */

static int
parley_gate_relay_reads(parley_gate_t *g)
{
    int           own;
    size_t        i, names;
    parley_str_t  address, path;

    if (parley_gate_named(g, &g->arguments, PARLEY_RULES_SUBSCRIBE, &address,
                          &own)
        != 0
        || parley_gate_relay_path(g, own) != 0)
    {
        return -1;
    }

    if (!parley_name_is_group(g->read.proto, g->read.to)) {
        g->serve.stream_of = address;
    }

    path = g->out.path.len > 0 ? g->out.path : g->in.uri;

    for (i = names = 0; i < path.len; i++) {
        names += path.data[i] == '~';
    }

    if (parley_gate_relay_parents(g, path)) {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "only the last part of the path may be a name");
    }

    path = g->in.path;

    if ((g->in.encoded && g->out.path.len == 0) || names > (path.len > 0)
        || (path.len > 0 && path.data[path.len - 1] == '/'))
    {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                                "the path must be the location's or end with "
                                "one name, and have no percent encoding, "
                                "empty part, \".\" or \"..\"");
    }

    return !g->arguments.list[PARLEY_ARGUMENT_SCOPE].there ? 0
           : parley_error_set(g->err, PARLEY_E_FIELD_INVALID, NULL,
                              "scope is not an argument of a stream");
}


/* Returns whether a part of a path before the last is a name, which the service
   could read as the owner of the stream. */

static int
parley_gate_relay_parents(const parley_gate_t *g, parley_str_t path)
{
    size_t        i, begin;
    parley_str_t  part;

    for (i = begin = 0; i < path.len; i++) {

        if (path.data[i] != '/') {
            continue;
        }

        part = parley_str_make(path.data + begin, i - begin);
        begin = i + 1;

        if (parley_name_reads(g->read.proto, part)
            || parley_name_reads(g->conf.gate->speak, part))
        {
            return 1;
        }
    }

    return 0;
}


/* Writes the path for the service, with the name in the service's protocol. */

static int
parley_gate_relay_path(parley_gate_t *g, int own)
{
    parley_buf_t  b;
    parley_str_t  name;

    if (g->read.proto == g->conf.gate->speak || g->serve.named.len == 0) {
        return 0;
    }

    if (parley_gate_relay_name(g, own, &name) != 0) {
        return -1;
    }

    parley_buf_init(&b, g->arena, g->in.path.len + name.len);
    parley_buf_put(&b, g->in.path.data,
                   g->in.path.len - g->serve.named.len);
    parley_buf_str(&b, name);

    return parley_buf_done(&b, &g->out.path) == 0
           ? 0 : parley_error_memory(g->err);
}


/* Finds the name of the owner of the stream in the service's protocol. */

static int
parley_gate_relay_name(parley_gate_t *g, int own, parley_str_t *ret)
{
    int  rc;

    if (own) {
        *ret = parley_who_name(g->who, g->conf.gate->speak);
        rc = ret->len > 0 ? 1 : -1;

    } else {
        rc = parley_who_resolve(g->who, g->read.proto, g->read.to,
                                g->conf.gate->speak, ret);
    }

    if (rc == 0) {
        rc = parley_name_map(g->arena, g->read.proto, g->read.to,
                             g->conf.gate->speak, ret)
             == 0 ? 1 : -1;
    }

    return rc == 1 ? 0
           : parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                              "the name in the path has no name in the "
                              "service's protocol");
}
