/* Checks of every kind of block: the proof of callers, and directives without
   effect. */

#include "translate/parley_embed.h"
#include "gate/settings/parley_settings_parts.h"


/* directives that endpoints use */
#define PARLEY_SETTINGS_SERVING                                               \
    ((PARLEY_SETTINGS_PROVING & ~parley_settings_bit(DRY_RUN))                \
     | parley_settings_bit(LIMITS))

/* directives that a block with parley_accept uses, even if requests go only to
   the locations inside: without them it may fail "nginx -t" */
#define PARLEY_SETTINGS_FRAME                                                 \
    (PARLEY_SETTINGS_PROVING | parley_settings_bit(SPEAK)                     \
     | parley_settings_bit(SIGNATURE) | parley_settings_bit(FRESHNESS)        \
     | parley_settings_bit(WINDOW))


/* the directives that each kind of block without messages uses */

static const uint64_t  parley_settings_kinds[PARLEY_ENDPOINTS] = {
    [PARLEY_ENDPOINT_KEYS] = PARLEY_SETTINGS_SERVING,
    [PARLEY_ENDPOINT_STREAM] = PARLEY_SETTINGS_SERVING | PARLEY_SETTINGS_VCP,
    [PARLEY_ENDPOINT_ROSTER] = PARLEY_SETTINGS_SERVING,
    [PARLEY_ENDPOINT_CONTROL] = PARLEY_SETTINGS_SERVING,
    [PARLEY_ENDPOINT_PROOF] = PARLEY_SETTINGS_PROVING
};


/* SEC-17 */

int
parley_settings_certificate(const parley_settings_http_t *http,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    if (s->gate.certificate == PARLEY_DEMAND_OFF) {
        return 0;
    }

    problem->where = s->where[PARLEY_DIRECTIVE_CERTIFICATE];

    if (http->directory == NULL
        || !parley_directory_has_certificates(http->directory))
    {
        return parley_problem(problem, "\"parley_certificate\" has no "
                              "effect: no principal of "
                              "\"parley_identities\" has \"certificates\"");
    }

    return block->verifies ? 0
           : parley_problem(problem, "\"parley_certificate\" needs "
                            "\"ssl_verify_client on\" or \"optional\" in its "
                            "server");
}


parley_directive_id_t
parley_settings_other(const parley_settings_t *s, uint64_t beside)
{
    unsigned  i;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        if (!(beside & (uint64_t) 1 << i) && parley_settings_has(s, i)
            && s->where[i].in == PARLEY_IN_LOCATION
            && !parley_settings_off(s, (parley_directive_id_t) i))
        {
            break;
        }
    }

    return (parley_directive_id_t) i;
}


int
parley_settings_off(const parley_settings_t *s, parley_directive_id_t id)
{
    switch (id) {

    case PARLEY_DIRECTIVE_JWT:
        return s->jwt == NULL;

    case PARLEY_DIRECTIVE_CERTIFICATE:
        return s->gate.certificate == PARLEY_DEMAND_OFF;

    case PARLEY_DIRECTIVE_SIGNATURE:
        return s->gate.signature == PARLEY_DEMAND_OFF;

    case PARLEY_DIRECTIVE_RATE:
        return s->gate.rate == NULL;

    case PARLEY_DIRECTIVE_TRUSTED:
        return !s->gate.trusted;

    case PARLEY_DIRECTIVE_DRY_RUN:
        return s->gate.dry == PARLEY_DRY_OFF && !s->undry;

    default:
        return 0;
    }
}


int
parley_settings_has_no_jwks(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    return s->jwt != NULL && http->jwks == NULL && http->jwks_uri.len == 0;
}


/* GW-28 */

int
parley_settings_effects(const parley_settings_t *s, parley_problem_t *problem)
{
    size_t                         i;
    const parley_directive_row_t  *row;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        row = &parley_directives[i];

        if (!parley_settings_has(s, i)
            || s->where[i].in != PARLEY_IN_LOCATION)
        {
            continue;
        }

        problem->where = s->where[i];

        if (parley_settings_effect(s, row, problem) != 0) {
            return -1;
        }
    }

    return 0;
}


int
parley_settings_effect(const parley_settings_t *s,
    const parley_directive_row_t *row, parley_problem_t *problem)
{
    unsigned                   i;
    parley_proto_t             proto;
    parley_proto_set_t         all;
    const parley_gate_conf_t  *gate = &s->gate;

    switch (row->beside) {

    case PARLEY_BESIDE_TOKEN:
        return s->jwt != NULL ? 0
               : parley_problem(problem, "\"%s\" has no effect without "
                                "\"parley_jwt on\": no token is read",
                                row->name);

    case PARLEY_BESIDE_PAIR:
        return gate->accept != PARLEY_PROTO_BIT(gate->speak) ? 0
               : parley_problem(problem, "\"%s\" has no effect where "
                                "\"parley_accept\" and \"parley_speak\" name "
                                "one and the same protocol: nothing is "
                                "translated", row->name);

    case PARLEY_BESIDE_COUNT:
        return 0;

    default:
        proto = (parley_proto_t) (row->beside - PARLEY_BESIDE_PROTO);
        all = gate->accept | PARLEY_PROTO_BIT(gate->speak);

        if (s->stream != NULL) {
            all |= PARLEY_PROTO_BIT(s->stream->proto);
        }

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            if ((all & PARLEY_PROTO_BIT(i))
                && parley_embed_kin((parley_proto_t) i) == proto)
            {
                return 0;
            }
        }

        return parley_problem(problem, "\"%s\" has no effect without %s in "
                              "\"parley_accept\" or \"parley_speak\"",
                              row->name, (const char *)
                              parley_proto_name(proto).data);
    }
}


uint64_t
parley_settings_uses(const parley_settings_t *s,
    const parley_block_facts_t *block)
{
    parley_endpoint_t  endpoint;

    endpoint = parley_settings_endpoint(s);

    if (endpoint != PARLEY_ENDPOINT_NONE && s->websocket == NULL) {
        return parley_settings_kinds[endpoint];
    }

    if (s->submit != NULL) {
        return ~(parley_settings_bit(SPEAK) | parley_settings_bit(DRY_RUN));
    }

    return block->frame && !block->handled ? PARLEY_SETTINGS_FRAME
                                           : ~(uint64_t) 0;
}
