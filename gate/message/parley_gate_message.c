/* Facts about the message at the gate that several steps use. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


void
parley_gate_account(parley_gate_t *g)
{
    parley_str_t            sub;
    parley_account_kept_t  *kept;

    sub = parley_who_proven(g->who);

    if (g->accounted && parley_str_eq(sub, g->account_sub)) {
        return;
    }

    kept = parley_gate_kept(g, sub);

    if (kept != NULL) {
        parley_account_kept_key(g->ask.state, kept, g->account);

    } else {
        parley_account_key(g->ask.state, sub, g->address, g->account);
    }

    g->account_sub = sub;
    g->accounted = 1;
}


void
parley_gate_asking(parley_gate_t *g, parley_asking_t *ret)
{
    ret->arena = g->arena;
    ret->ask = &g->ask;
    ret->who = g->who;
    ret->sent = &g->sent;
    ret->speak = g->conf->speak;
    ret->to = parley_correlation_to(&g->correlation);
    ret->scope = g->response_scope;
    ret->answering = g->opts.answering;
    ret->account = g->account;
    ret->asked = NULL;
    ret->under = g->entrance.admission.id;
    ret->stamp = g->entrance.stamp;
    ret->escalates = parley_gate_escalates(g);
    ret->published = g->s->submit != NULL;
}


int
parley_gate_is_self(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->tasks != NULL
           && parley_str_eq(g->msg->recipient, g->self[g->msg->wire]);
}


void
parley_gate_replay(const parley_gate_t *g, parley_replay_t *ret)
{
    ret->arena = g->arena;
    ret->who = g->who;
    ret->entrance = &g->entrance;
    ret->seed = g->seed;
    ret->ttl = g->replay;
    ret->wall = g->now_ms;
}


int64_t
parley_gate_expires(const parley_gate_t *g)
{
    int64_t  ms;

    ms = g->rules != NULL && g->who->jwt != NULL
         ? parley_jwt_expires(g->who->jwt, g->rules) : INT64_MAX;

    return g->holder != NULL && g->certificate->expires < ms
           ? g->certificate->expires : ms;
}


/* The argument is decoded, and may occur once (SEC-03). */

int
parley_gate_token_argument(parley_gate_t *g, parley_str_t *ret)
{
    parley_arguments_t  arguments;

    parley_arguments_init(&arguments, PARLEY_PROTO_NONE, PARLEY_PROTO_NONE,
                          g->conf->token);

    if (parley_arguments_read(&arguments, g->arena, g->raw_query, g->err)
        != 0)
    {
        return -1;
    }

    *ret = arguments.list[PARLEY_ARGUMENT_TOKEN].value;

    return 0;
}


parley_exchange_t *
parley_gate_exchange(parley_gate_t *g, parley_proto_t speak,
    const parley_encoded_t *sent)
{
    parley_exchange_t  *x;

    if (g->exchange != NULL) {
        return g->exchange;
    }

    x = parley_arena_calloc(g->arena, sizeof(parley_exchange_t));

    if (x == NULL) {
        return NULL;
    }

    x->arena = g->arena;
    x->engine = g->engine;
    x->intents = g->intents;
    x->limits = &g->conf->limits;
    x->seed = g->seed;
    x->who = g->who;
    x->means = &g->means;
    x->key = g->key;
    x->sent_opts = &g->opts;
    x->sent = sent;
    x->speak = speak;
    x->gateway = g->conf->gateway;
    x->self = g->self;
    x->any_case = g->conf->any_case;
    x->elsewhere = g->response_scope.len > 0;

    parley_exchange_init(x);

    g->exchange = x;

    return x;
}


/* AEE-29 */

int64_t
parley_gate_deadline(const parley_gate_t *g)
{
    int64_t  timeout, cap;

    timeout = g->msg->timeout_ms;
    cap = g->conf->caps.timeout_ms;

    return cap != 0 && (timeout < 0 || timeout > cap) ? cap : timeout;
}


parley_step_result_t
parley_gate_json(parley_gate_t *g)
{
    if (g->body.len == 0) {
        (void) parley_error_set(g->err, PARLEY_E_JSON_INVALID, NULL,
                                "the request has no body");
        return PARLEY_RESULT_REFUSED;
    }

    if (parley_json_read(g->doc, g->arena, &g->conf->limits, g->seed, g->body,
                         g->err)
        != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    g->doc_read = 1;

    return PARLEY_RESULT_PASSED;
}


void
parley_gate_caps(const parley_gate_t *g, parley_caps_t *ret)
{
    parley_priority_t  cap;

    *ret = g->conf->caps;

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
parley_gate_to(const parley_gate_t *g)
{
    return g->msg->recipient.len > 0 ? g->msg->recipient : g->to;
}


void
parley_gate_arrived(const parley_gate_t *g, parley_transport_t *ret)
{
    ret->trusted = g->conf->trusted;
    ret->tls = g->tls;
    ret->token = g->who->principal != NULL
                 && parley_who_is_caller(g->who);
    ret->must_sign = g->conf->signature == PARLEY_DEMAND_REQUIRED;
}


int
parley_gate_responds(const parley_gate_t *g)
{
    return parley_codecs[g->msg->wire]->binding->responds;
}


int
parley_gate_has_keys(parley_gate_t *g)
{
    parley_keys_t  keys;

    if (g->http->jwks == NULL && g->http->jwks_uri.len == 0) {
        /* the location asks for no token */
        return 1;
    }

    return g->env->keys(g, 0, &keys) == 0 && keys.set->n > 0;
}


int
parley_gate_options(parley_gate_t *g, parley_encode_opts_t *ret)
{
    const parley_settings_t *s = g->s;

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
