/*
 * The steps REWRITE and LOSS.  They apply the operator's changes to a message,
 * and check for members that cannot be translated.
 */

#include <stdio.h>

#include "translate/parley_embed.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_chat.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_redact.h"
#include "translate/parley_rewrite.h"


/* caps, the author, and the signature that is removed */
#define PARLEY_GATE_EDITS  (PARLEY_CAPS_MAX + PARLEY_CODEC_AUTHOR_MAX + 1)


static parley_step_result_t parley_gate_redacts(parley_gate_t *g);
static int64_t parley_gate_redacts_deadline(const parley_gate_t *g);
static int parley_gate_renames(parley_gate_t *g, parley_edit_t *edits,
    uint32_t *n);
static int parley_gate_edit(parley_gate_t *g, const parley_gate_conf_t *conf,
    parley_edit_t *edits, uint32_t n);


/* Applies caps, the author and the redaction (AEE-28, AEE-29, AEE-32). */

parley_step_result_t
parley_gate_rewrite(parley_gate_t *g)
{
    uint32_t              n;
    parley_caps_t         caps;
    parley_edit_t         edits[PARLEY_GATE_EDITS];
    parley_step_result_t  result;

    if (g->conf.s->host != NULL) {
        return parley_gate_redacts(g);
    }

    /* a message that continues is redacted by its first location first */

    if (g->where.entry != NULL
        && parley_gate_edit(g, g->where.entry, edits, 0) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    parley_gate_message_caps(g, &caps);

    if (parley_rewrite_caps(g->arena, g->msg, &caps, edits, &n, g->err) != 0
        || parley_gate_renames(g, edits, &n) != 0
        || parley_gate_edit(g, g->conf.gate, edits, n) != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    parley_rewrite_clamp(g->msg, &caps);

    if (!g->read.edited) {
        return PARLEY_RESULT_NONE;
    }

    /*
     * the rewritten body was read again, without the facts from headers and
     * arguments
     */

    result = parley_gate_submission(g);

    if (result >= PARLEY_RESULT_REFUSED) {
        return result;
    }

    parley_correlation_again(&g->read.correlation);
    parley_embed_supervision(g->msg, &g->read.supervision);

    return PARLEY_RESULT_PASSED;
}


/*
 * Caps and redacts an event for a host (AEE-28, AEE-32).  The host stores the
 * rest, and writes names into each view.
 */

static parley_step_result_t
parley_gate_redacts(parley_gate_t *g)
{
    uint32_t                   n, applied;
    parley_msg_t               left, event;
    parley_str_t               body;
    parley_caps_t              caps;
    parley_edit_t              edits[PARLEY_GATE_EDITS];
    parley_redact_t            redact;
    const parley_gate_conf_t  *conf = g->conf.gate;

    parley_gate_message_caps(g, &caps);

    /* the rows may oblige a reader although the surface does not */

    event = *g->msg;
    event.timeout_ms = parley_gate_redacts_deadline(g);

    if (parley_rewrite_caps(g->arena, &event, &caps, edits, &n, g->err) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    if (n == 0 && conf->nredact == 0) {
        return PARLEY_RESULT_NONE;
    }

    if (parley_redact_edits(&redact, g->arena, g->msg, edits, n, conf->redact,
                            conf->nredact, g->err)
        != 0
        || parley_edit(g->arena, g->doc, redact.edits, redact.n, &body,
                       &applied, g->err)
           != 0)
    {
        return PARLEY_RESULT_REFUSED;
    }

    if (!applied) {
        return PARLEY_RESULT_NONE;
    }

    parley_msg_init(&left, g->read.proto, g->rewritten);

    if (parley_json_read(g->rewritten, g->arena, &conf->limits, g->in.seed,
                         body, g->err)
        != 0
        || parley_codecs[g->read.proto]->chat->decode(g->engine, g->arena,
                                                      g->rewritten, &left,
                                                      g->err)
           != 0)
    {
        g->err->code = g->err->code == PARLEY_E_CAPACITY
                       ? g->err->code : PARLEY_E_POLICY_REFUSED;
        return PARLEY_RESULT_REFUSED;
    }

    g->read.edited = 1;

    return PARLEY_RESULT_PASSED;
}


/* Returns the deadline that the message itself has; 0: none. */

static int64_t
parley_gate_redacts_deadline(const parley_gate_t *g)
{
    uint32_t  node;

    node = parley_json_resolve(g->doc, 0,
                               parley_str_c(parley_codecs[g->read.proto]
                                            ->pointers[PARLEY_MSG_TIMEOUT]));

    return parley_msg_deadline(g->doc, node, PARLEY_CHAT_DEADLINE_MAX);
}


/*
 * Appends the edits that write the author, if a surface delivers the message.
 */

static int
parley_gate_renames(parley_gate_t *g, parley_edit_t *edits, uint32_t *n)
{
    uint32_t  added;

    if (g->who->surface == NULL) {
        return 0;
    }

    switch (parley_codecs[g->read.proto]->author(g->arena, g->who->author,
                                                 &edits[*n], &added))
    {
    case 0:
        *n += added;
        return 0;

    case 1:
        return parley_error_set(g->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                parley_at(g->msg, PARLEY_MSG_SENDER).pointer,
                                "the name of the account's principal cannot "
                                "be that of an author");

    default:
        return parley_error_memory(g->err);
    }
}


/* Makes the n edits, and those of a location's redaction. */

static int
parley_gate_edit(parley_gate_t *g, const parley_gate_conf_t *conf,
    parley_edit_t *edits, uint32_t n)
{
    int              rewritten;
    parley_json_t   *doc;
    parley_redact_t  redact;

    if (conf->nredact > 0) {

        if (parley_redact_edits(&redact, g->arena, g->msg, edits, n,
                                conf->redact, conf->nredact, g->err)
            != 0)
        {
            return -1;
        }

        edits = redact.edits;
        n = redact.n;
    }

    /* the message still points into the document that was read before */

    doc = g->where.entry != NULL
          ? parley_arena_calloc(g->arena, sizeof(parley_json_t)) : g->rewritten;

    if (doc == NULL) {
        return parley_error_memory(g->err);
    }

    if (parley_rewrite(g->engine, g->arena, &conf->limits, g->in.seed,
                       conf->mve5, edits, n, g->msg, doc, &rewritten, g->err)
        != 0)
    {
        return -1;
    }

    if (rewritten) {
        g->rewritten = doc;
        g->read.edited = 1;
    }

    return 0;
}


parley_step_result_t
parley_gate_loss(const parley_gate_t *g)
{
    char          field[PARLEY_POINTER_MAX];
    parley_str_t  lost;

    if (g->loss->failed) {
        (void) parley_error_memory(g->err);
        return PARLEY_RESULT_REFUSED;
    }

    if (g->loss->count == 0) {
        return PARLEY_RESULT_NONE;
    }

    if (g->conf.gate->loss != PARLEY_LOSS_REJECT) {
        return PARLEY_RESULT_PASSED;
    }

    lost = g->loss->nitems > 0 ? g->loss->items[0] : parley_str_none;

    /* The name comes from the message.  The error makes it printable. */

    (void) snprintf(field, sizeof(field), "%.*s", (int) lost.len,
                    lost.len > 0 ? (const char *) lost.data : "");

    (void) parley_error_set(g->err, PARLEY_E_TRANSLATION_LOSSY, field,
                            "the upstream's protocol cannot express %u "
                            "members", g->loss->count);

    return PARLEY_RESULT_REFUSED;
}
