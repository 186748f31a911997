#include "gate/steps/parley_trace_directive.h"
#include "gate/settings/parley_directive.h"
#include "auth/parley_policy.h"

#include <string.h>


/* maximum of directives for a step */
#define PARLEY_DECIDERS  9

/* element of a list; 0 ends the list */
#define PARLEY_D(id)  PARLEY_DIRECTIVE_##id + 1

/* directives that make a location take messages, and those of endpoints */
#define PARLEY_D_ACCEPTS   PARLEY_D(SUBMIT), PARLEY_D(MCP), PARLEY_D(ACCEPT), \
                           PARLEY_D(WEBSOCKET), PARLEY_D(HOST)
#define PARLEY_D_ENDPOINT  PARLEY_D(KEYS), PARLEY_D(STREAM), PARLEY_D(ROSTER), \
                           PARLEY_D(CONTROL)

/*
 * BY(step, directives in the order of the search) has a row for each step.  A
 * rule decides POLICY, so its row is empty.
 */
#define PARLEY_DECIDERS_OF(BY)                                                \
    BY(METHOD, PARLEY_D_ENDPOINT, PARLEY_D_ACCEPTS)                           \
    BY(FAILURES, PARLEY_D(JWT))                                               \
    BY(PROOF, PARLEY_D(JWT), PARLEY_D(CERTIFICATE))                           \
    BY(RATE, PARLEY_D(RATE))                                                  \
    BY(BODY, PARLEY_D(LIMITS))                                                \
    BY(SERVE, PARLEY_D_ENDPOINT, PARLEY_D(MCP), PARLEY_D(WEBSOCKET),          \
       PARLEY_D(HOST), PARLEY_D(JWT), PARLEY_D(CERTIFICATE))                  \
    BY(JSON, PARLEY_D(LIMITS))                                                \
    BY(PROTOCOL, PARLEY_D_ACCEPTS)                                            \
    BY(SCHEMA, PARLEY_D_ACCEPTS)                                              \
    BY(PAYLOAD, PARLEY_D(INTENTS))                                            \
    BY(TRANSPORT, PARLEY_D(TRUSTED))                                          \
    BY(SENDER, PARLEY_D(IDENTITIES))                                          \
    BY(SIGNATURE, PARLEY_D(SIGNATURE))                                        \
    BY(REVOCATION, PARLEY_D(REVOCATIONS))                                     \
    BY(SENDER_RATE, PARLEY_D(RATE))                                           \
    BY(ARGUMENTS, PARLEY_D_ACCEPTS)                                           \
    BY(SUBMISSION, PARLEY_D_ACCEPTS)                                          \
    BY(REFERENCE, PARLEY_D(SPEAK))                                            \
    BY(POLICY, 0)                                                             \
    BY(DIRECTION, PARLEY_D(IDENTITIES))                                       \
    BY(LOCAL, PARLEY_D(SELF))                                                 \
    BY(SESSION, PARLEY_D(SPEAK), PARLEY_D_ACCEPTS)                            \
    BY(AGE, PARLEY_D(FRESHNESS))                                              \
    BY(ADMIT, PARLEY_D(WINDOW), PARLEY_D(ZONE))                               \
    BY(REFUTE, PARLEY_D(RETAIN))                                              \
    BY(REWRITE, PARLEY_D(CAP), PARLEY_D(REDACT))                              \
    BY(TRANSLATE, PARLEY_D(SPEAK))                                            \
    BY(LOSS, PARLEY_D(LOSS))                                                  \
    BY(KEEP, PARLEY_D(ZONE))                                                  \
    BY(SUSPEND, PARLEY_D(VCP_CRITICAL), PARLEY_D(IDENTITIES))                 \
    BY(RECORD, PARLEY_D(AUDIT))                                               \
    BY(HOST, PARLEY_D(HOST))                                                  \
    BY(PUBLISH, PARLEY_D(SUBMIT), PARLEY_D(MCP), PARLEY_D(WEBSOCKET))         \
    BY(ESCALATE, PARLEY_D(IDENTITIES), PARLEY_D(ZONE))                        \
    BY(FORWARD, PARLEY_D(SPEAK))                                              \
    BY(ANSWER, PARLEY_D(SPEAK))                                               \
    BY(SETTLE, PARLEY_D(WINDOW), PARLEY_D(ZONE))


#define PARLEY_BY(step, ...)  | 1ULL << PARLEY_STEP_##step
_Static_assert((0 PARLEY_DECIDERS_OF(PARLEY_BY))
               == (1ULL << PARLEY_STEP_COUNT) - 1,
               "each step has the directives that decide it");
#undef PARLEY_BY


static const unsigned char  parley_deciders[PARLEY_STEP_COUNT]
                                           [PARLEY_DECIDERS + 1] = {
#define PARLEY_BY(step, ...)  [PARLEY_STEP_##step] = { __VA_ARGS__ },
    PARLEY_DECIDERS_OF(PARLEY_BY)
#undef PARLEY_BY
};


int
parley_gate_trace_directive(const parley_settings_http_t *http,
    const parley_settings_t *s,
    const parley_gate_t *g, parley_step_t step, parley_trace_directive_t *ret)
{
    unsigned              id;
    const unsigned char  *next;

    memset(ret, 0, sizeof(parley_trace_directive_t));

    if (step == PARLEY_STEP_POLICY) {

        if (g->report.rule == NULL || g->report.rule->data == NULL) {
            return 0;
        }

        id = g->report.rule->allow ? PARLEY_DIRECTIVE_ALLOW
                                   : PARLEY_DIRECTIVE_DENY;
        ret->name = parley_directives[id].name;
        ret->where = g->report.rule->data;

        return 1;
    }

    /* the step ADMIT also refuses a message for its age */
    if (step == PARLEY_STEP_ADMIT && g->err != NULL
        && g->err->code == PARLEY_E_MESSAGE_STALE)
    {
        step = PARLEY_STEP_AGE;
    }

    for (next = parley_deciders[step]; *next != 0; next++) {
        id = *next - 1U;

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
