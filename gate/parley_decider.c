#include "parley_decider.h"
#include "parley_directive.h"

#include <string.h>


/* the directives of a step in the order in which they are looked for; COUNT:
   there are no more */
#define PARLEY_DECIDERS  3

/* BY(step, first, second, third): a row for each step */
#define PARLEY_DECIDERS_OF(BY)                                                \
    BY(METHOD, KEYS, ACCEPT, COUNT)                                           \
    BY(FAILURES, JWT, COUNT, COUNT)                                           \
    BY(PROOF, JWT, CERTIFICATE, COUNT)                                        \
    BY(RATE, RATE, COUNT, COUNT)                                              \
    BY(BODY, LIMITS, COUNT, COUNT)                                            \
    BY(SERVE, KEYS, STREAM, ROSTER)                                           \
    BY(JSON, LIMITS, COUNT, COUNT)                                            \
    BY(PROTOCOL, ACCEPT, COUNT, COUNT)                                        \
    BY(SCHEMA, ACCEPT, COUNT, COUNT)                                          \
    BY(PAYLOAD, INTENTS, COUNT, COUNT)                                        \
    BY(TRANSPORT, TRUSTED, COUNT, COUNT)                                      \
    BY(SENDER, IDENTITIES, COUNT, COUNT)                                      \
    BY(SIGNATURE, SIGNATURE, COUNT, COUNT)                                    \
    BY(REVOCATION, REVOCATIONS, COUNT, COUNT)                                 \
    BY(SENDER_RATE, RATE, COUNT, COUNT)                                       \
    BY(ARGUMENTS, ACCEPT, COUNT, COUNT)                                       \
    BY(SUBMISSION, ACCEPT, COUNT, COUNT)                                      \
    BY(REFERENCE, SPEAK, COUNT, COUNT)                                        \
    BY(POLICY, COUNT, COUNT, COUNT)                                           \
    BY(DIRECTION, IDENTITIES, COUNT, COUNT)                                   \
    BY(LOCAL, SELF, COUNT, COUNT)                                             \
    BY(AGE, FRESHNESS, COUNT, COUNT)                                          \
    BY(ADMIT, WINDOW, ZONE, COUNT)                                            \
    BY(REFUTE, RETAIN, COUNT, COUNT)                                          \
    BY(REWRITE, CAP, REDACT, COUNT)                                           \
    BY(TRANSLATE, SPEAK, COUNT, COUNT)                                        \
    BY(LOSS, LOSS, COUNT, COUNT)                                              \
    BY(KEEP, ZONE, COUNT, COUNT)                                              \
    BY(RECORD, AUDIT, COUNT, COUNT)                                           \
    BY(PUBLISH, SUBMIT, COUNT, COUNT)                                         \
    BY(FORWARD, SPEAK, COUNT, COUNT)                                          \
    BY(ANSWER, SPEAK, COUNT, COUNT)                                           \
    BY(SETTLE, WINDOW, ZONE, COUNT)


#define PARLEY_BY(step, first, second, third)  | 1ULL << PARLEY_STEP_##step
_Static_assert((0 PARLEY_DECIDERS_OF(PARLEY_BY))
               == (1ULL << PARLEY_STEP_COUNT) - 1,
               "each step has the directives that decide it");
#undef PARLEY_BY


static const unsigned char  parley_deciders[PARLEY_STEP_COUNT]
                                           [PARLEY_DECIDERS] = {
#define PARLEY_BY(step, first, second, COUNT)                                 \
    [PARLEY_STEP_##step] = { PARLEY_DIRECTIVE_##first,                        \
                             PARLEY_DIRECTIVE_##second },
    PARLEY_DECIDERS_OF(PARLEY_BY)
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
