/*
 * The steps METHOD and SUBMISSION.  They check the request method, and complete
 * the message with the request's header fields and arguments.
 */

#include <string.h>

#include "translate/parley_agent.h"
#include "translate/parley_binding.h"
#include "translate/parley_chat.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_header(void *ctx, parley_str_t name,
    parley_str_t *ret);
static parley_str_t parley_gate_submission_recipient(parley_gate_t *g,
    parley_str_t name);


parley_step_result_t
parley_gate_method(parley_gate_t *g, parley_str_t method)
{
    parley_str_t  methods;

    if (parley_settings_endpoint(g->conf.s) != PARLEY_ENDPOINT_NONE) {
        return parley_gate_serve_method(g, method);
    }

    if (g->conf.s->host != NULL && parley_str_is(method, "GET")) {
        g->read.proto = g->conf.s->stream->proto;
        g->serve.opens = 1;
        return PARLEY_RESULT_PASSED;
    }

    if (parley_binding_takes(g->conf.gate->accept, method)
        || (g->conf.s->host == NULL && parley_gate_relay_is_known(g, method)))
    {
        return PARLEY_RESULT_PASSED;
    }

    if (parley_gate_methods(g, &methods) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    (void) parley_error_set(g->err, PARLEY_E_METHOD_NOT_ALLOWED, NULL,
                            "the method must be %s%.*s",
                            methods.len > 0
                            && memchr(methods.data, ',', methods.len) != NULL
                            ? "one of " : "",
                            (int) methods.len, (const char *) methods.data);

    return PARLEY_RESULT_REFUSED;
}


int
parley_gate_submit_is_foreseen(const parley_gate_t *g, parley_str_t method)
{
    if (g->err->code == PARLEY_E_METHOD_NOT_ALLOWED) {
        return g->serve.relays
               || (parley_str_is(method, "GET")
                   && (g->conf.s->mcp != NULL
                       || parley_binding_looks(g->conf.gate->accept)));
    }

    return g->err->code == PARLEY_E_CLAIM_HELD;
}


int
parley_gate_methods(const parley_gate_t *g, parley_str_t *ret)
{
    if (parley_settings_endpoint(g->conf.s) != PARLEY_ENDPOINT_NONE) {
        *ret = parley_gate_serve_methods(g);
        return 0;
    }

    if (g->conf.s->host != NULL) {
        *ret = PARLEY_STR(PARLEY_HOST_METHODS);
        return 0;
    }

    /* a service that answers 405 takes messages alone */

    return parley_binding_methods(g->arena, g->conf.gate->accept,
                                  g->serve.relays ? NULL
                                            : parley_gate_relay_methods(g),
                                  ret);
}


/* A refusal of a host has no facts before its step. */
static const parley_chat_refused_t  parley_gate_no_facts = { .until_ms = -1 };


parley_proto_t
parley_gate_refusal(parley_gate_t *g, parley_refusal_t *ret)
{
    parley_proto_t  proto;

    proto = g->read.proto != PARLEY_PROTO_NONE
            ? g->read.proto : parley_settings_speaks(g->conf.gate->accept);

    memset(ret, 0, sizeof(parley_refusal_t));

    ret->error = g->err;
    ret->msg = g->read.msg_read ? g->msg : NULL;
    ret->doc = g->read.doc_read ? g->doc : NULL;
    ret->self = g->conf.self[PARLEY_PROTO_CANONICAL];
    ret->backoff_ms = -1;
    ret->chat = g->out.refused != NULL ? g->out.refused
                : g->conf.s != NULL && g->conf.s->host != NULL
                  ? &parley_gate_no_facts : NULL;

    parley_binding_read(proto, parley_gate_header, g, ret->headers);

    return proto;
}


static int
parley_gate_header(void *ctx, parley_str_t name, parley_str_t *ret)
{
    parley_gate_t  *g = ctx;

    return g->env->header != NULL && g->env->header(g, name, ret);
}


parley_step_result_t
parley_gate_submission(parley_gate_t *g)
{
    parley_msg_t         *m = g->msg;
    parley_submission_t   submission;

    memset(&submission, 0, sizeof(parley_submission_t));

    if (g->env->beside != NULL && g->env->beside(g, &submission) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    parley_binding_read(m->wire, parley_gate_header, g, submission.headers);

    submission.scope = g->arguments.list[PARLEY_ARGUMENT_SCOPE].value;
    submission.recipient = parley_gate_submission_recipient(g,
                       g->arguments.list[PARLEY_ARGUMENT_RECIPIENT].value);
    submission.ms = g->in.now_ms;

    g->read.names_recipient = submission.recipient.len > 0
                              || submission.scope.len > 0
                              || m->recipient.len > 0;
    g->read.addressed = submission.recipient.len > 0 && m->recipient.len == 0;

    /*
     * A message without a recipient and without a reference is for the gateway,
     * the peer of the session.  Progress is for the sender of the message that
     * it refers to.
     */

    if (submission.recipient.len == 0 && m->reply_to.len == 0
        && m->act != PARLEY_ACT_PROGRESS)
    {
        submission.recipient = g->conf.self[m->wire];
    }

    submission.sender = m->sender.len > 0 ? m->sender
                                          : parley_who_name(g->who, m->wire);

    if (parley_who_submission(g->who, &submission, g->err) != 0
        || parley_submit(g->arena, m, &submission, g->err) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    return parley_codecs[m->wire]->submit != NULL
           ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE;
}


/*
 * In a protocol without names a party is named by its sub.  A name that is no
 * sub may be an AEE name.
 */

static parley_str_t
parley_gate_submission_recipient(parley_gate_t *g, parley_str_t name)
{
    parley_agent_t  agent;

    return name.len > 0 && !parley_proto_is_named(g->msg->wire)
           && !parley_who_owner(g->who, g->msg->wire, name, &agent)
           && parley_who_owner(g->who, PARLEY_PROTO_CANONICAL, name, &agent)
           ? agent.sub : name;
}
