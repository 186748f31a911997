/*
 * The step TRANSLATE.  It writes the message in the upstream's protocol, and
 * signs it if the gateway has a key.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/publish/parley_members.h"
#include "gate/settings/parley_settings.h"


static int parley_gate_sent(parley_gate_t *g);
static int parley_gate_is_framed(const parley_gate_t *g);
static int parley_gate_unframed(parley_gate_t *g);
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

    if (parley_gate_sent(g) != 0
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

    return g->unframed || g->msg->wire == g->conf->speak
           ? PARLEY_RESULT_NONE : PARLEY_RESULT_PASSED;
}


/*
 * Writes the message in the upstream's protocol.  A published message is
 * written as a frame, for filters and for the readers of agent-channel.  If
 * other protocols are read, a message that cannot be a frame is published as it
 * is.  Then the step PUBLISH checks that at least one reader can get it.
 */

static int
parley_gate_sent(parley_gate_t *g)
{
    int            rc;
    parley_loss_t  none, *loss;

    loss = g->loss;
    g->unframed = 0;

    /* without readers of frames, losses in the frame do not count */

    if (g->s->submit != NULL && g->msg->wire != g->conf->speak
        && !parley_gate_is_framed(g))
    {
        parley_loss_init(&none, g->arena);
        loss = &none;
    }

    rc = parley_encode(g->engine, g->arena, g->conf->speak, g->msg, &g->opts,
                       &g->sent, loss, g->err);

    return rc == 0 ? 0 : parley_gate_unframed(g);
}


/*
 * Returns whether a frame may have a reader: a stream, a tool of MCP, or a URL.
 */

static int
parley_gate_is_framed(const parley_gate_t *g)
{
    return (g->http->reads & PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS)) != 0
           || g->http->deliver_uri.len > 0;
}


/*
 * Prepares a message that cannot be a frame, if it can be published without
 * one.  A message with a scope of agent-channel cannot: only its frame names
 * the sessions or members that it is for.
 */

static int
parley_gate_unframed(parley_gate_t *g)
{
    if (g->s->submit == NULL || g->msg->wire == PARLEY_PROTO_STREAMS
        || g->msg->scope.len > 0
        || (g->http->reads & ~PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS)) == 0
        || (g->err->code != PARLEY_E_IDENTITY_UNMAPPABLE
            && g->err->code != PARLEY_E_TRANSLATION_UNSUPPORTED))
    {
        return -1;
    }

    g->unframed = 1;

    if (parley_encode(g->engine, g->arena, g->msg->wire, g->msg, &g->opts,
                      &g->sent, g->loss, g->err)
        != 0)
    {
        return -1;
    }

    /* an answer refers to its id, in each protocol */

    g->sent.corr = parley_str_none;
    g->sent.answerable = g->msg->act == PARLEY_ACT_REQUEST;

    return 0;
}


/*
 * Gives the message another id for the upstream if another sender's open
 * question there has the same id (SEC-11).  A repeated message gets the same id
 * while that question is known.
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


/* Asks for an acknowledgment of an escalation, in each protocol. */

static void
parley_gate_approval(parley_gate_t *g)
{
    if (g->sent.approval == PARLEY_APPROVAL_NONE
        && parley_gate_severity(g) != PARLEY_SEVERITY_NONE)
    {
        g->sent.approval = PARLEY_APPROVAL_ANYBODY;
    }
}
