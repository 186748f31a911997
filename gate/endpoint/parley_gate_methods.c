/* The request methods of each endpoint. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_settings.h"


static const parley_str_t  parley_gate_method_words[PARLEY_ENDPOINTS] = {
    [PARLEY_ENDPOINT_KEYS] = parley_str(PARLEY_KEYS_METHODS),
    [PARLEY_ENDPOINT_STREAM] = parley_str(PARLEY_STREAM_METHODS),
    [PARLEY_ENDPOINT_ROSTER] = parley_str(PARLEY_NAMED_METHODS),
    [PARLEY_ENDPOINT_CONTROL] = parley_str(PARLEY_CONTROL_METHODS),
};


parley_str_t
parley_gate_serve_methods(const parley_gate_t *g)
{
    if (g->conf.s->websocket != NULL) {
        return parley_gate_ticket_is_on(g)
               ? PARLEY_STR(PARLEY_WEBSOCKET_TICKET_METHODS)
               : PARLEY_STR(PARLEY_WEBSOCKET_METHODS);
    }

    if (g->conf.s->moq != NULL) {
        return PARLEY_STR(PARLEY_NAMED_METHODS);
    }

    return parley_gate_ticket_is_on(g)
           ? PARLEY_STR(PARLEY_TICKET_METHODS)
           : parley_gate_method_words[parley_settings_endpoint(g->conf.s)];
}


int
parley_gate_ticket_is_on(const parley_gate_t *g)
{
    return g->conf.s->stream != NULL && g->conf.s->moq == NULL
           && g->conf.s->jwt != NULL
           && g->conf.s->jwt->tickets > 0;
}
