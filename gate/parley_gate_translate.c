/* The message in the upstream's protocol, signed by the gateway where it has
   a key. */

#include "parley_gate_steps.h"


parley_outcome_t
parley_gate_translate(parley_gate_t *g)
{
    parley_encode_opts_t  *opts = &g->opts;

    g->seal.arena = g->arena;
    g->seal.key = g->key;

    parley_who_opts(g->who, opts);

    opts->self = g->self[PARLEY_PROTO_CANONICAL];
    opts->redact = g->conf->redact;
    opts->nredact = g->conf->nredact;
    opts->principal = parley_who_proven(g->who);

    if (g->who->sig_verified) {
        opts->sig_alg = g->msg->sig.alg;
        opts->sig_kid = g->who->sig_kid;
    }

    parley_seal_opts(&g->seal, opts);

    if (g->env->options(g, opts) != 0) {
        return PARLEY_OUTCOME_FAILED;
    }

    if (parley_encode(g->engine, g->arena, g->conf->speak, g->msg, opts,
                      &g->sent, g->loss, g->err)
        != 0
        || parley_correlation_check(&g->refer, g->engine, g->intents, &g->sent,
                                    g->err)
           != 0)
    {
        return PARLEY_OUTCOME_REFUSED;
    }

    if (g->edited && g->sent.copied) {
        g->sent.copied = 0;

        return parley_outcome(parley_rewrite_sign(g->arena, g->proto,
                                                  g->rewritten, opts, &g->sent,
                                                  g->err));
    }

    return g->msg->wire == g->conf->speak ? PARLEY_OUTCOME_NONE
                                          : PARLEY_OUTCOME_PASSED;
}
