/* What directives say, where a gate asks for it. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


void
parley_gate_bind(parley_gate_t *g, const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    g->http = http;
    g->s = s;
    g->conf = &s->gate;
    g->plan = parley_gate_plan(http, s);
    g->intents = http->intents;
    g->self = http->self_names;
    g->key = http->signing;
    g->window = s->window_ms;
    g->retain = http->retain != 0 ? http->retain_ms : 0;
    g->replay = http->replay_size != 0 ? http->replay_ms : 0;

    g->who->directory = http->directory;
    parley_who_about(g->who, g->arena, g->msg);
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


int
parley_gate_has_keys(parley_gate_t *g)
{
    parley_keys_t  keys;

    if (g->http->jwks == NULL && g->http->jwks_uri.len == 0) {
        /* nobody asks for a token */
        return 1;
    }

    return g->env->keys(g, 0, &keys) == 0 && keys.set->n > 0;
}
