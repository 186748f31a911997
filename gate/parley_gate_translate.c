/* The message in the upstream's protocol, signed by the gateway where it has
   a key. */

#include "parley_gate_steps.h"
#include "parley_members.h"
#include "parley_settings.h"


static int parley_gate_alias(parley_gate_t *g);
static void parley_gate_approval(parley_gate_t *g);


parley_step_result_t
parley_gate_translate(parley_gate_t *g)
{
    int                      rc;
    parley_str_t             text;
    parley_encode_opts_t    *opts = &g->opts;
    parley_channel_scope_t   scope;

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

    if (parley_gate_options(g, opts) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    rc = parley_gate_alias(g);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_FAILED;
    }

    if (parley_encode(g->engine, g->arena, g->conf->speak, g->msg, opts,
                      &g->sent, g->loss, g->err)
        != 0
        || parley_correlation_check(&g->correlation, g->engine, g->intents,
                                    &g->sent, g->err)
           != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    text = g->msg->wire == PARLEY_PROTO_STREAMS ? g->msg->scope
                                                : g->sent.scope;

    if (g->s->submit == NULL && text.len > 0
        && parley_channel_scope_parse(text, &scope) == 0
        && parley_members_may(g, &scope) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    parley_gate_approval(g);

    if (g->edited && g->sent.copied) {
        g->sent.copied = 0;

        return parley_step_result(parley_rewrite_sign(g->arena, g->proto,
                                                      g->rewritten, opts,
                                                      &g->sent, g->err));
    }

    return g->msg->wire == g->conf->speak ? PARLEY_RESULT_NONE
                                          : PARLEY_RESULT_PASSED;
}


/*
 * SEC-11: an id of its own, where the one that the message has is another
 * asker's there.  Who tries again while that one's is known gets the same.
 */

static int
parley_gate_alias(parley_gate_t *g)
{
    int  rc;

    if (g->msg->wire == g->conf->speak) {
        return 0;
    }

    rc = parley_question_is_taken(&g->ask, g->who, g->conf->speak);

    return rc != 1 ? rc
           : parley_msg_derive(g->arena, g->msg, 8,
                               parley_question_id(g->msg),
                               PARLEY_STR("alias"), &g->opts.alias);
}


/* An escalation asks for an acknowledgment, in each protocol. */

static void
parley_gate_approval(parley_gate_t *g)
{
    if (g->sent.approval == PARLEY_APPROVAL_NONE
        && parley_gate_alarm(g) != PARLEY_ALARM_NONE)
    {
        g->sent.approval = PARLEY_APPROVAL_ANYBODY;
    }
}
