#include "parley_decider.h"
#include "parley_directive.h"

#include <string.h>


/* the directives of a step in the order in which they are looked for; COUNT:
   there are no more */
#define PARLEY_DECIDERS  2

static const unsigned char  parley_deciders[PARLEY_STEP_COUNT]
                                           [PARLEY_DECIDERS] = {
#define PARLEY_BY(step, first, second)                                        \
    [PARLEY_STEP_##step] = { PARLEY_DIRECTIVE_##first,                        \
                             PARLEY_DIRECTIVE_##second }
    PARLEY_BY(METHOD, ACCEPT, COUNT),
    PARLEY_BY(FAILURES, JWT, COUNT),
    PARLEY_BY(PROOF, JWT, TRUSTED),
    PARLEY_BY(RATE, RATE, COUNT),
    PARLEY_BY(BODY, LIMITS, COUNT),
    PARLEY_BY(JSON, LIMITS, COUNT),
    PARLEY_BY(PROTOCOL, ACCEPT, COUNT),
    PARLEY_BY(SCHEMA, ACCEPT, COUNT),
    PARLEY_BY(PAYLOAD, INTENTS, COUNT),
    PARLEY_BY(TRANSPORT, TRUSTED, COUNT),
    PARLEY_BY(SENDER, IDENTITIES, COUNT),
    PARLEY_BY(SIGNATURE, SIGNATURE, COUNT),
    PARLEY_BY(SENDER_RATE, RATE, COUNT),
    PARLEY_BY(ARGUMENTS, ACCEPT, COUNT),
    PARLEY_BY(SUBMISSION, ACCEPT, COUNT),
    PARLEY_BY(REFERENCE, SPEAK, COUNT),
    PARLEY_BY(POLICY, COUNT, COUNT),
    PARLEY_BY(DIRECTION, IDENTITIES, COUNT),
    PARLEY_BY(LOCAL, SELF, COUNT),
    PARLEY_BY(AGE, FRESHNESS, COUNT),
    PARLEY_BY(ADMIT, WINDOW, ZONE),
    PARLEY_BY(REFUTE, RETAIN, COUNT),
    PARLEY_BY(REWRITE, CAP, REDACT),
    PARLEY_BY(TRANSLATE, SPEAK, COUNT),
    PARLEY_BY(LOSS, LOSS, COUNT),
    PARLEY_BY(KEEP, ZONE, COUNT),
#undef PARLEY_BY
};


int
parley_decider(const parley_settings_http_t *http, const parley_settings_t *s,
    const parley_gate_t *g, parley_step_t step, parley_decider_t *ret)
{
    unsigned  i, id;

    memset(ret, 0, sizeof(parley_decider_t));

    if (step == PARLEY_STEP_POLICY) {

        if (g->rule == NULL || g->rule->data == NULL) {
            return 0;
        }

        id = g->rule->allow ? PARLEY_DIRECTIVE_ALLOW : PARLEY_DIRECTIVE_DENY;
        ret->name = parley_directives[id].name;
        ret->where = g->rule->data;

        return 1;
    }

    for (i = 0; i < PARLEY_DECIDERS; i++) {
        id = parley_deciders[step][i];

        if (id == PARLEY_DIRECTIVE_COUNT) {
            break;
        }

        ret->where = parley_directives[id].size == 0 ? &http->where[id]
                                                     : &s->where[id];
        if (ret->where->line != 0) {
            ret->name = parley_directives[id].name;
            return 1;
        }
    }

    ret->where = NULL;

    return 0;
}
