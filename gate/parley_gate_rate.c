/*
 * SEC-10: limits count whoever is proven to have sent a message; what proves
 * nobody counts against the address that it came from, and nobody else.
 */

#include "parley_gate_steps.h"


static int parley_gate_full(const parley_gate_t *g, parley_outcome_t outcome);


/* an address with too many failed proofs is refused unasked */

parley_outcome_t
parley_gate_failures(parley_gate_t *g)
{
    if (g->conf->failures.interval_us == 0) {
        return PARLEY_OUTCOME_NONE;
    }

    return g->env->failures(g, &g->conf->failures, 0);
}


/* who shows nothing, or comes before there are keys, has not failed */

void
parley_gate_failed(parley_gate_t *g)
{
    if (g->conf->failures.interval_us == 0) {
        return;
    }

    switch (g->err->code) {

    case PARLEY_E_TOKEN_INVALID:
    case PARLEY_E_TOKEN_EXPIRED:
    case PARLEY_E_SIGNATURE_INVALID:
    case PARLEY_E_KEY_UNKNOWN:
        (void) g->env->failures(g, &g->conf->failures, 1);
        break;

    default:
        break;
    }
}


parley_outcome_t
parley_gate_rate(parley_gate_t *g)
{
    parley_outcome_t  outcome;

    if (g->conf->rate == NULL) {
        return PARLEY_OUTCOME_NONE;
    }

    outcome = g->env->limit(g, &g->conf->rate->all,
                            parley_who_proven(g->who), parley_str_none);

    if (parley_gate_full(g, outcome)) {
        /* refused in sender_rate, unless that is what it asks about */
        parley_error_clear(g->err);
        g->uncounted = 1;
        return PARLEY_OUTCOME_PASSED;
    }

    return outcome;
}


/* whoever has shown a token was counted before the body was read */

parley_outcome_t
parley_gate_sender_rate(parley_gate_t *g)
{
    parley_outcome_t       outcome;
    const parley_codec_t  *codec;

    outcome = PARLEY_OUTCOME_NONE;

    if (g->conf->rate != NULL && g->who->jwt == NULL && g->who->sig_verified) {
        outcome = g->env->limit(g, &g->conf->rate->all,
                                g->who->principal->sub, parley_str_none);
    }

    if (!g->uncounted && !parley_gate_full(g, outcome)) {
        return outcome;
    }

    /* AEE-22: that there is no room is the answer to this one */

    codec = parley_codecs[g->proto];

    if (codec->asks_health != NULL && codec->asks_health(g->msg)) {
        parley_error_clear(g->err);
        return PARLEY_OUTCOME_PASSED;
    }

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "there is no room to count this sender's "
                            "messages");

    return PARLEY_OUTCOME_REFUSED;
}


/* whether there is no room to count the message */

static int
parley_gate_full(const parley_gate_t *g, parley_outcome_t outcome)
{
    return outcome == PARLEY_OUTCOME_REFUSED
           && g->err->code == PARLEY_E_CAPACITY;
}
