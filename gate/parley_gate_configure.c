/* Copies the settings that a gate needs. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


void
parley_gate_configure(parley_gate_t *g, const parley_settings_http_t *http,
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
