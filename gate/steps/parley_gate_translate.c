/*
 * The step TRANSLATE.  It writes the message in the upstream's protocol, and
 * signs it if the gateway has a key.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/publish/parley_members.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_rewrite.h"


/* levels that a translation adds, at most */
#define PARLEY_GATE_LEVELS  8


static int parley_gate_sent(parley_gate_t *g);
static int parley_gate_translate_depth(const parley_gate_t *g);
static int parley_gate_translate_is_framed(const parley_gate_t *g);
static int parley_gate_unframed(parley_gate_t *g);
static int parley_gate_alias(parley_gate_t *g);
static void parley_gate_approval(parley_gate_t *g);


parley_step_result_t
parley_gate_translate(parley_gate_t *g)
{
    int                      rc;
    parley_str_t             text;
    parley_encode_opts_t    *opts = &g->out.opts;
    parley_channel_scope_t   scope;

    g->answer.seal.arena = g->arena;
    g->answer.seal.key = g->conf.key;

    parley_who_opts(g->who, opts);

    opts->self = g->conf.self[PARLEY_PROTO_CANONICAL];
    opts->redact = g->conf.gate->redact;
    opts->nredact = g->conf.gate->nredact;
    opts->principal = parley_who_proven(g->who);

    if (g->who->sig_verified) {
        opts->sig_alg = g->msg->sig.alg;
        opts->sig_kid = g->who->sig_kid;
    }

    parley_seal_opts(&g->answer.seal, opts);

    if (parley_gate_message_options(g, opts) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    rc = parley_gate_alias(g);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_FAILED;
    }

    if (parley_gate_sent(g) != 0
        || parley_correlation_check(&g->read.correlation, g->engine,
                                    g->conf.intents, &g->out.sent, g->err)
           != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    text = g->msg->wire == PARLEY_PROTO_STREAMS ? g->msg->scope
                                                : g->out.sent.scope;

    if (g->conf.s->submit == NULL && text.len > 0
        && parley_channel_scope_parse(text, &scope) == 0
        && parley_members_may(g, &scope) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    parley_gate_approval(g);

    if (g->read.edited && g->out.sent.copied) {
        g->out.sent.copied = 0;

        return parley_step_result(parley_rewrite_sign(g->arena, g->read.proto,
                                                      g->rewritten, opts,
                                                      &g->out.sent, g->err));
    }

    return g->publish.unframed || g->msg->wire == g->conf.gate->speak
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
    g->publish.unframed = 0;

    /* without readers of frames, losses in the frame do not count */

    if (g->conf.s->submit != NULL && g->msg->wire != g->conf.gate->speak
        && !parley_gate_translate_is_framed(g))
    {
        parley_loss_init(&none, g->arena);
        loss = &none;
    }

    rc = parley_encode(g->engine, g->arena, g->conf.gate->speak, g->msg,
                       &g->out.opts, &g->out.sent, loss, g->err);

    return rc == 0 ? parley_gate_translate_depth(g) : parley_gate_unframed(g);
}


/*
 * A translation may have more levels than the message.  It is refused if it has
 * more than this location reads, because its recipient may be such a location.
 */

static int
parley_gate_translate_depth(const parley_gate_t *g)
{
    uint32_t              levels;
    parley_json_t         doc;
    parley_json_limits_t  limits;

    levels = g->msg->doc->levels;

    /* the text of a frame can be a document of its own */

    if (g->msg->data.doc != NULL && g->msg->data.doc->levels > levels) {
        levels = g->msg->data.doc->levels;
    }

    if (g->out.sent.copied || g->msg->wire == g->conf.gate->speak
        || levels + PARLEY_GATE_LEVELS <= g->conf.gate->limits.depth)
    {
        return 0;
    }

    limits.octets = SIZE_MAX;
    limits.depth = g->conf.gate->limits.depth;
    limits.string = UINT32_MAX;
    limits.members = UINT32_MAX;

    if (parley_json_read(&doc, g->arena, &limits, g->in.seed,
                         g->out.sent.body, g->err)
        == 0)
    {
        return 0;
    }

    return g->err->code != PARLEY_E_MESSAGE_TOO_LARGE ? -1
           : parley_error_set(g->err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                              "the translation has more than %u levels of "
                              "arrays and objects", (unsigned) limits.depth);
}


/*
 * Returns whether a frame may have a reader: a stream, a tool of MCP, or a URL.
 */

static int
parley_gate_translate_is_framed(const parley_gate_t *g)
{
    return (g->conf.http->reads & PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS)) != 0
           || g->conf.http->deliver_uri.len > 0;
}


/*
 * Prepares a message that cannot be a frame, if it can be published without
 * one.  A message with a scope of agent-channel cannot: only its frame names
 * the sessions or members that it is for.
 */

static int
parley_gate_unframed(parley_gate_t *g)
{
    if (g->conf.s->submit == NULL || g->msg->wire == PARLEY_PROTO_STREAMS
        || g->msg->scope.len > 0
        || (g->conf.http->reads & ~PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS)) == 0
        || (g->err->code != PARLEY_E_IDENTITY_UNMAPPABLE
            && g->err->code != PARLEY_E_TRANSLATION_UNSUPPORTED))
    {
        return -1;
    }

    g->publish.unframed = 1;

    if (parley_encode(g->engine, g->arena, g->msg->wire, g->msg, &g->out.opts,
                      &g->out.sent, g->loss, g->err)
        != 0)
    {
        return -1;
    }

    /* an answer refers to its id, in each protocol */

    g->out.sent.corr = parley_str_none;
    g->out.sent.answerable = g->msg->act == PARLEY_ACT_REQUEST;

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

    if (g->msg->wire == g->conf.gate->speak) {
        return 0;
    }

    rc = parley_question_is_taken(&g->ask, g->who, g->conf.gate->speak);

    return rc != 1 ? rc
           : parley_msg_derive(g->arena, g->msg, 8,
                               parley_question_id(g->msg),
                               PARLEY_STR("alias"), &g->out.opts.alias);
}


/* Asks for an acknowledgment of an escalation, in each protocol. */

static void
parley_gate_approval(parley_gate_t *g)
{
    if (g->out.sent.approval == PARLEY_APPROVAL_NONE
        && parley_gate_severity(g) != PARLEY_SEVERITY_NONE)
    {
        g->out.sent.approval = PARLEY_APPROVAL_ANYBODY;
    }
}
