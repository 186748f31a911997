/*
 * SEC-10: limits count whoever is proven to have sent a message; what proves
 * nobody counts against the address that it came from, and nobody else.
 */

#include "parley_gate_steps.h"


parley_outcome_t
parley_gate_rate(parley_gate_t *g)
{
    if (g->conf->rate == NULL) {
        return PARLEY_OUTCOME_NONE;
    }

    return g->env->limit(g, &g->conf->rate->all, parley_who_proven(g->who),
                         parley_str_none);
}


/* whoever has shown a token was counted before the body was read */

parley_outcome_t
parley_gate_sender_rate(parley_gate_t *g)
{
    if (g->conf->rate == NULL || g->who->jwt != NULL || !g->who->sig_verified)
    {
        return PARLEY_OUTCOME_NONE;
    }

    return g->env->limit(g, &g->conf->rate->all, g->who->principal->sub,
                         parley_str_none);
}
