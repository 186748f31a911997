/* The settings of a location, looked at together. */

#include <string.h>

#include "parley_location.h"
#include "parley_suits.h"


static const char *parley_location_lacks(const parley_location_t *l);
static int parley_location_window_min(const parley_location_t *l,
    parley_error_t *err);
static void parley_location_never(const parley_gate_conf_t *gate,
    parley_proto_t proto, parley_error_t *ret);
static int parley_location_pairs(const parley_gate_conf_t *gate,
    parley_error_t *err);
static int parley_location_redacts(const parley_gate_conf_t *gate,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err);
static int parley_location_supplies(const parley_location_t *l,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err);


const parley_bound_word_t  parley_location_bounds[PARLEY_BOUND_COUNT] = {
    [PARLEY_BOUND_BODY] = { "body", 256 << 20, "is no size from 1 to 256m", 1 },
    [PARLEY_BOUND_STRING] = { "string", 256 << 20, "is no size from 1 to 256m",
                              1 },
    [PARLEY_BOUND_DEPTH] = { "depth", 512, "is no number from 1 to 512", 0 },
    [PARLEY_BOUND_MEMBERS] = { "members", 256 << 20,
                               "is no number from 1 to 268435456", 0 }
};


const parley_limit_rate_t  parley_location_failures_default = {
    100000,                     /* 10r/s */
    50
};


int
parley_location_failures(parley_str_t word, parley_limit_rate_t *ret)
{
    parley_error_t  err;

    *ret = parley_location_failures_default;

    if (parley_str_is(word, "off")) {
        ret->interval_us = 0;
        return 0;
    }

    return parley_rate_limit(word, ret, &err);
}


void
parley_location_guard(parley_gate_conf_t *gate,
    const parley_limit_rate_t *said)
{
    gate->failures = said != NULL ? *said : parley_location_failures_default;

    if (said == NULL && gate->trusted) {
        gate->failures.interval_us = 0;
    }
}


parley_proto_t
parley_location_speaks(parley_proto_set_t accept)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (accept == PARLEY_PROTO_BIT(i)) {
            return (parley_proto_t) i;
        }
    }

    return PARLEY_PROTO_NONE;
}


int64_t
parley_location_window(int64_t window_ms, int64_t longest_ms)
{
    return window_ms > longest_ms ? window_ms : longest_ms;
}


int
parley_location_verify(const parley_location_t *l,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
{
    const char  *why;

    why = parley_location_lacks(l);

    if (why != NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL, "%s", why);
    }

    if (parley_location_window_min(l, err) != 0
        || parley_location_pairs(l->gate, err) != 0
        || parley_location_redacts(l->gate, engine, scratch, err) != 0)
    {
        return -1;
    }

    return parley_location_supplies(l, engine, scratch, err);
}


static const char *
parley_location_lacks(const parley_location_t *l)
{
    const parley_gate_conf_t  *gate = l->gate;

    if (!l->has_zone) {
        return "needs \"parley_zone\"";
    }

    if (gate->speak == PARLEY_PROTO_NONE) {
        return "names several protocols and needs \"parley_speak\", what the "
               "upstream speaks";
    }

    if (!gate->trusted && !l->token
        && gate->signature != PARLEY_DEMAND_REQUIRED)
    {
        return "has nobody to trust: it needs \"parley_jwt on\", "
               "\"parley_signature required\" or, knowingly, "
               "\"parley_trusted on\"";
    }

    if (gate->signature == PARLEY_DEMAND_OFF && !gate->trusted) {
        return "cannot have \"parley_signature off\" without "
               "\"parley_trusted on\"";
    }

    if (l->token && !l->has_keys) {
        return "has \"parley_jwt on\" and needs \"parley_jwks\" or "
               "\"parley_jwks_request\"";
    }

    if (gate->signature == PARLEY_DEMAND_REQUIRED && !l->has_signers) {
        return l->has_principals
               ? "has \"parley_signature required\", and nobody in the file of "
                 "\"parley_identities\" has \"keys\""
               : "has \"parley_signature required\" and needs "
                 "\"parley_identities\", where the keys are";
    }

    if (l->window_ms < gate->past_ms + gate->future_ms) {
        return "has a \"parley_window\" shorter than what "
               "\"parley_freshness\" lets in: a message could be replayed";
    }

    return NULL;
}


/* what a protocol asks for of its ids */

static int
parley_location_window_min(const parley_location_t *l, parley_error_t *err)
{
    unsigned  i;
    int64_t   min;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        min = parley_codecs[i]->window_min_ms;

        if ((l->gate->accept & PARLEY_PROTO_BIT(i)) && l->window_ms < min) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                          "has a \"parley_window\" below the %d minutes that "
                          "%s asks for", (int) (min / 60000),
                          (const char *)
                          parley_proto_title((parley_proto_t) i).data);
        }
    }

    return 0;
}


parley_proto_set_t
parley_location_idle(const parley_gate_conf_t *gate, parley_error_t *ret)
{
    unsigned            i;
    parley_proto_set_t  idle;

    idle = 0;

    for (i = PARLEY_PROTO_COUNT; i > 0; i--) {

        if (!(gate->accept & PARLEY_PROTO_BIT(i - 1))
            || (parley_is_pair((parley_proto_t) (i - 1), gate->speak)
                && (gate->signature != PARLEY_DEMAND_REQUIRED
                    || parley_codecs[i - 1]->signature_pointer != NULL)))
        {
            continue;
        }

        idle |= PARLEY_PROTO_BIT(i - 1);

        parley_location_never(gate, (parley_proto_t) (i - 1), ret);
    }

    return idle;
}


/* why no message of the protocol passes */

static void
parley_location_never(const parley_gate_conf_t *gate, parley_proto_t proto,
    parley_error_t *ret)
{
    parley_str_t  from, to;

    from = parley_proto_name(proto);
    to = parley_proto_name(gate->speak);

    if (!parley_is_pair(proto, gate->speak)) {
        (void) parley_error_set(ret, PARLEY_E_TRANSLATION_UNSUPPORTED, NULL,
                                "names %.*s, which is never translated to "
                                "%.*s, what the upstream speaks",
                                (int) from.len, (const char *) from.data,
                                (int) to.len, (const char *) to.data);
        return;
    }

    (void) parley_error_set(ret, PARLEY_E_FIELD_INVALID, NULL,
                            "names %.*s, whose messages have no signature, "
                            "beside \"parley_signature required\": none of "
                            "them passes",
                            (int) from.len, (const char *) from.data);
}


/* where none of them ever passes */

static int
parley_location_pairs(const parley_gate_conf_t *gate, parley_error_t *err)
{
    return parley_location_idle(gate, err) == gate->accept ? -1 : 0;
}


static int
parley_location_redacts(const parley_gate_conf_t *gate,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
{
    unsigned              i;
    uint32_t              k;
    const parley_edit_t  *edit;

    for (k = 0; k < gate->nredact; k++) {
        edit = &gate->redact[k];

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            if ((gate->accept & PARLEY_PROTO_BIT(i))
                && !parley_requires(engine, scratch, (parley_proto_t) i,
                                    edit->pointer, edit->value))
            {
                break;
            }
        }

        if (i == PARLEY_PROTO_COUNT) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                    "has \"parley_redact %.*s\", which leaves "
                                    "no message valid",
                                    edit->pointer.len < 64
                                    ? (int) edit->pointer.len : 64,
                                    (const char *) edit->pointer.data);
        }
    }

    return 0;
}


static int
parley_location_supplies(const parley_location_t *l,
    const parley_engine_t *engine, parley_arena_t *scratch,
    parley_error_t *err)
{
    unsigned              i;
    parley_error_t        wrong;
    parley_encode_opts_t  opts;

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    opts.context = l->context;
    opts.constitution = l->constitution;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (parley_supplies(engine, scratch, (parley_proto_t) i, &opts, &wrong)
            == 0)
        {
            continue;
        }

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "has a \"%s\" that %s",
                                strcmp(wrong.field, "/context") == 0
                                ? "parley_vcp_context"
                                : "parley_vcp_constitution", wrong.text);
    }

    return 0;
}


int
parley_location_effect(const parley_location_t *l, parley_beside_t beside,
    parley_error_t *err)
{
    const char                *why;
    parley_proto_t             proto;
    parley_proto_set_t         all;
    const parley_gate_conf_t  *gate = l->gate;

    all = gate->accept | PARLEY_PROTO_BIT(gate->speak);
    why = NULL;

    switch (beside) {

    case PARLEY_BESIDE_TOKEN:
        why = l->token ? NULL
              : "without \"parley_jwt on\": no token is read";
        break;

    case PARLEY_BESIDE_PAIR:
        why = gate->accept != PARLEY_PROTO_BIT(gate->speak) ? NULL
              : "where \"parley_accept\" and \"parley_speak\" name one and "
                "the same protocol: nothing is translated";
        break;

    case PARLEY_BESIDE_COUNT:
        return 0;

    default:
        proto = (parley_proto_t) (beside - PARLEY_BESIDE_PROTO);

        return all & PARLEY_PROTO_BIT(proto) ? 0
               : parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                  "has no effect without %s in "
                                  "\"parley_accept\" or \"parley_speak\"",
                                  (const char *)
                                  parley_proto_name(proto).data);
    }

    return why == NULL ? 0
           : parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                              "has no effect %s", why);
}
