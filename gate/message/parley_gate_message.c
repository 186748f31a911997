/* Facts about the message at the gate that several steps use. */

#include "auth/parley_certificate.h"
#include "gate/message/parley_gate_steps.h"
#include "auth/parley_jwt.h"
#include "gate/admission/parley_replay.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_check.h"
#include "gate/correlation/parley_exchange.h"


void
parley_gate_message_account(parley_gate_t *g)
{
    parley_str_t  sub;

    sub = parley_who_proven(g->who);

    if (g->proof.accounted && parley_str_eq(sub, g->proof.account_sub)) {
        return;
    }

    parley_gate_message_key(g, sub, g->proof.account);

    g->proof.account_sub = sub;
    g->proof.accounted = 1;
}


void
parley_gate_message_key(const parley_gate_t *g, parley_str_t sub,
    uint8_t out[PARLEY_KEY_LEN])
{
    parley_account_kept_t  *kept;

    kept = parley_gate_kept(g, sub);

    if (kept != NULL) {
        parley_account_kept_key(g->ask.state, kept, out);

    } else {
        parley_account_key(g->ask.state, sub, g->in.address, out);
    }
}


void
parley_gate_message_asking(parley_gate_t *g, parley_asking_t *ret)
{
    ret->arena = g->arena;
    ret->ask = &g->ask;
    ret->who = g->who;
    ret->sent = &g->out.sent;
    ret->speak = g->conf.gate->speak;
    ret->to = parley_correlation_to(&g->read.correlation);
    ret->scope = g->publish.response_scope;
    ret->answering = g->out.opts.answering;
    ret->account = g->proof.account;
    ret->asked = NULL;
    ret->under = g->admit.entrance.admission.id;
    ret->stamp = g->admit.entrance.stamp;
    ret->escalates = parley_gate_severity_escalates(g);
    ret->published = g->conf.s->submit != NULL;
}


int
parley_gate_is_self(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->tasks != NULL
           && parley_str_eq(g->msg->recipient, g->conf.self[g->msg->wire]);
}


void
parley_gate_message_replay(const parley_gate_t *g, parley_replay_t *ret)
{
    ret->arena = g->arena;
    ret->who = g->who;
    ret->entrance = &g->admit.entrance;
    ret->seed = g->in.seed;
    ret->ttl = g->conf.replay;
    ret->wall = g->in.now_ms;
}


int64_t
parley_gate_message_expires(const parley_gate_t *g)
{
    int64_t  ms;

    ms = g->proof.rules != NULL && g->who->jwt != NULL
         ? parley_jwt_expires(g->who->jwt, g->proof.rules) : INT64_MAX;

    return g->proof.holder != NULL && g->proof.certificate->expires < ms
           ? g->proof.certificate->expires : ms;
}


/* The argument is decoded, and may occur once (SEC-03). */

int
parley_gate_message_token(parley_gate_t *g, parley_str_t *ret)
{
    parley_arguments_t  arguments;

    parley_arguments_init(&arguments, PARLEY_PROTO_NONE, PARLEY_PROTO_NONE,
                          g->conf.gate->token);

    if (parley_arguments_read(&arguments, g->arena, g->in.raw_query, g->err)
        != 0)
    {
        return -1;
    }

    *ret = arguments.list[PARLEY_ARGUMENT_TOKEN].value;

    return 0;
}


parley_exchange_t *
parley_gate_message_exchange(parley_gate_t *g, parley_proto_t speak,
    const parley_encoded_t *sent)
{
    parley_exchange_t  *x;

    if (g->answer.exchange != NULL) {
        return g->answer.exchange;
    }

    x = parley_arena_calloc(g->arena, sizeof(parley_exchange_t));

    if (x == NULL) {
        return NULL;
    }

    x->arena = g->arena;
    x->engine = g->engine;
    x->intents = g->conf.intents;
    x->limits = &g->conf.gate->limits;
    x->seed = g->in.seed;
    x->who = g->who;
    x->supervision = &g->read.supervision;
    x->key = g->conf.key;
    x->sent_opts = &g->out.opts;
    x->sent = sent;
    x->speak = speak;
    x->gateway = g->conf.gate->gateway;
    x->self = g->conf.self;
    x->any_case = g->conf.gate->any_case;
    x->elsewhere = g->publish.response_scope.len > 0;

    parley_exchange_init(x);

    g->answer.exchange = x;

    return x;
}


/* AEE-29 */

int64_t
parley_gate_message_deadline(const parley_gate_t *g)
{
    int64_t  timeout, cap;

    timeout = g->msg->timeout_ms;
    cap = g->conf.gate->caps.timeout_ms;

    return cap != 0 && (timeout < 0 || timeout > cap) ? cap : timeout;
}


parley_step_result_t
parley_gate_message_json(parley_gate_t *g)
{
    if (g->in.body.len == 0) {
        (void) parley_error_set(g->err, PARLEY_E_JSON_INVALID, NULL,
                                "the request has no body");
        return PARLEY_RESULT_REFUSED;
    }

    if (parley_json_read(g->doc, g->arena, &g->conf.gate->limits, g->in.seed,
                         g->in.body, g->err)
        != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    g->read.doc_read = 1;

    return PARLEY_RESULT_PASSED;
}


void
parley_gate_message_caps(const parley_gate_t *g, parley_caps_t *ret)
{
    parley_priority_t  cap;

    *ret = g->conf.gate->caps;

    ret->max_priority = g->who->principal != NULL
                        ? g->who->principal->max_priority : parley_str_none;

    if (g->who->surface != NULL
        && parley_priority_find(g->who->surface->max_priority, &cap) == 0
        && cap < ret->priority)
    {
        ret->priority = cap;
    }
}


parley_str_t
parley_gate_message_to(const parley_gate_t *g)
{
    return g->msg->recipient.len > 0 ? g->msg->recipient : g->read.to;
}


void
parley_gate_message_arrived(const parley_gate_t *g, parley_transport_t *ret)
{
    ret->trusted = g->conf.gate->trusted;
    ret->tls = g->in.tls;
    ret->token = g->who->principal != NULL
                 && parley_who_is_caller(g->who);
    ret->must_sign = g->conf.gate->signature == PARLEY_DEMAND_REQUIRED;
}


int
parley_gate_message_responds(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->binding->responds;
}


int
parley_gate_has_keys(parley_gate_t *g)
{
    parley_keys_t  keys;

    if (g->conf.http->jwks == NULL && g->conf.http->jwks_uri.len == 0) {
        /* the location asks for no token */
        return 1;
    }

    return g->env->keys(g, 0, &keys) == 0 && keys.set->n > 0;
}


int
parley_gate_message_options(parley_gate_t *g, parley_encode_opts_t *ret)
{
    const parley_settings_t *s = g->conf.s;

    ret->now_ms = g->env->now(g);
    ret->severities = s->severities;
    ret->nseverities = s->nseverities;
    ret->broadcast = s->broadcast;

    if (g->env->trace != NULL) {
        g->env->trace(g, &ret->trace_id, &ret->span_id);
    }

    return g->env->value(g, &s->context, &ret->context) != 0
           || g->env->value(g, &s->constitution, &ret->constitution) != 0
           ? -1 : 0;
}
