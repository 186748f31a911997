/* What is done with a message that passed. */

#include <stdio.h>
#include <string.h>

#include "parley_aee_own.h"
#include "parley_explain.h"
#include "parley_spot.h"


static parley_verdict_t parley_step_own(parley_explain_t *e);
static int parley_step_may(void *ctx, parley_str_t form, parley_str_t intent);
static parley_verdict_t parley_step_caps(parley_explain_t *e);
static parley_verdict_t parley_step_reply(parley_explain_t *e);
static parley_verdict_t parley_step_translation(parley_explain_t *e);
static void parley_step_options(parley_explain_t *e);
static parley_str_t parley_step_value(parley_explain_t *e, const char *name,
    parley_str_t value);
static parley_verdict_t parley_step_loss(parley_explain_t *e);


#define parley_explain_str(s)  (int) (s).len, (const char *) (s).data


const parley_step_t  parley_explain_passes[] = {
    { "own", parley_step_own },
    { "caps", parley_step_caps },
    { "reply", parley_step_reply },
    { "translation", parley_step_translation },
    { "loss", parley_step_loss },
    { NULL, NULL }
};


/* MCP-01, AEE-21 to AEE-27 */
static parley_verdict_t
parley_step_own(parley_explain_t *e)
{
    int             rc;
    parley_own_t    own;
    parley_reply_t  reply;

    own.speak = e->settings.speak;
    own.may = parley_step_may;
    own.ctx = NULL;

    rc = e->settings.dry_run ? 0 : parley_own(e->in->arena, &e->msg, &own,
                                              &reply, &e->in->err);

    if (rc < 0) {
        return PARLEY_STEP_REFUSED;
    }

    if (rc > 0) {
        parley_explain_note(e, "the gateway answers %.*s itself",
                            parley_explain_str(e->msg.intent));
        return PARLEY_STEP_ANSWERED;
    }

    if (e->proto != PARLEY_PROTO_AEE || e->msg.partial
        || e->settings.dry_run
        || !parley_str_eq(e->msg.recipient, e->settings.self))
    {
        parley_explain_note(e, "not for the gateway itself");
        return PARLEY_STEP_NONE;
    }

    if (parley_aee_own_find(e->msg.intent) == PARLEY_AEE_OWN_COUNT
        || e->msg.act != PARLEY_ACT_REQUEST)
    {
        (void) parley_error_set(&e->in->err, PARLEY_E_INTENT_REFUSED,
                                "/intent", "the gateway itself answers tasks "
                                "of the seven aee.* intents alone");
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "the gateway answers %.*s itself",
                        parley_explain_str(e->msg.intent));

    return PARLEY_STEP_ANSWERED;
}


/* What such an answer lists nobody is told here. */
static int
parley_step_may(void *ctx, parley_str_t form, parley_str_t intent)
{
    (void) ctx;
    (void) form;
    (void) intent;

    return 0;
}


/* parley_cap, max_priority, parley_redact */
static parley_verdict_t
parley_step_caps(parley_explain_t *e)
{
    int                  amended;
    int64_t              timeout_ms;
    uint32_t             n;
    parley_caps_t        caps;
    parley_edit_t        edits[PARLEY_CAPS_MAX + PARLEY_SETTINGS_REDACT_MAX
                               + 1];
    parley_settings_t   *s = &e->settings;
    parley_priority_t    priority;

    caps = s->caps;
    priority = e->msg.priority;
    timeout_ms = e->msg.timeout_ms;

    if (e->who.principal != NULL) {
        caps.max_priority = e->who.principal->max_priority;
    }

    if (parley_amend_caps(e->in->arena, &e->msg, &caps, edits, &n,
                          &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    memcpy(edits + n, s->redact, s->nredact * sizeof(parley_edit_t));

    if (parley_amend(e->engine, e->in->arena, &s->limits, e->tool->seed,
                     s->mve5, edits, n + s->nredact, &e->msg, &e->amended,
                     &amended, &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    parley_amend_clamp(&e->msg, &caps);

    if (!amended && priority == e->msg.priority
        && timeout_ms == e->msg.timeout_ms)
    {
        parley_explain_note(e, "nothing to change");
        return PARLEY_STEP_NONE;
    }

    if (amended) {
        e->edited = 1;

        if (parley_explain_submit(e) != 0) {
            return PARLEY_STEP_REFUSED;
        }
    }

    parley_explain_note(e, "changed");

    if (e->msg.priority != priority) {
        parley_explain_note(e, ", priority %.*s", parley_explain_str(
                                   parley_priority_name(e->msg.priority)));
    }

    if (e->msg.timeout_ms != timeout_ms) {
        parley_explain_note(e, ", timeout %lld ms",
                            (long long) e->msg.timeout_ms);
    }

    if (s->nredact > 0) {
        parley_explain_note(e, ", redacted");
    }

    return PARLEY_STEP_PASSED;
}


/* what the message answers, reports on or takes back: the gateway knows it */

static parley_verdict_t
parley_step_reply(parley_explain_t *e)
{
    int           must;
    parley_str_t  to;

    to = e->msg.recalls.len > 0 ? e->msg.recalls : e->msg.reply_to;

    if (to.len == 0 && e->msg.act == PARLEY_ACT_PROGRESS
        && e->msg.recipient.len == 0)
    {
        to = e->msg.corr;
    }

    if (e->msg.wire == e->settings.speak
        || (e->msg.act != PARLEY_ACT_REPLY && to.len == 0))
    {
        parley_explain_note(e, "nothing to match");
        return PARLEY_STEP_NONE;
    }

    if (to.len == 0) {
        (void) parley_misrefers(&e->msg, PARLEY_E_REPLY_UNMATCHED,
                                "it refers to no message that passed here and "
                                "still waits", &e->in->err);
        return PARLEY_STEP_REFUSED;
    }

    must = e->msg.act == PARLEY_ACT_REPLY || e->msg.recipient.len == 0;

    parley_explain_note(e, "\"%.*s\" %s passed%s", parley_explain_str(to),
                        must ? "must have" : "may have",
                        e->answering != NULL ? ""
                        : "; --answering gives what it was");

    return PARLEY_STEP_UNASKED;
}


static parley_verdict_t
parley_step_translation(parley_explain_t *e)
{
    parley_settings_t  *s = &e->settings;

    parley_step_options(e);

    if (parley_encode(e->engine, e->in->arena, s->speak, &e->msg, &e->opts,
                      &e->sent, &e->loss, &e->in->err)
        != 0
        || parley_encoded_id(e->engine, e->in->arena, s->speak, &e->msg,
                             &e->sent, &e->in->err)
           != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    if (e->msg.wire == s->speak && !e->edited) {
        parley_explain_note(e, "none, %.*s as it came",
                            parley_explain_str(parley_proto_name(s->speak)));
        return PARLEY_STEP_NONE;
    }

    if (e->edited && e->sent.copied
        && parley_amend_sign(e->in->arena, e->proto, &e->amended, &e->opts,
                             &e->sent, &e->in->err)
           != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%.*s to %.*s, %.*s%s",
                        parley_explain_str(parley_proto_name(e->msg.wire)),
                        parley_explain_str(parley_proto_name(s->speak)),
                        parley_explain_str(e->sent.id),
                        s->has_signing ? ", signed by the gateway"
                                       : ", unsigned");

    return PARLEY_STEP_PASSED;
}


static void
parley_step_options(parley_explain_t *e)
{
    parley_settings_t     *s = &e->settings;
    parley_encode_opts_t  *opts = &e->opts;

    e->seal.arena = e->in->arena;
    e->seal.key = s->has_signing ? &s->signing : NULL;

    parley_who_opts(&e->who, opts);
    parley_seal_opts(&e->seal, opts);

    opts->self = s->self;
    opts->answering = e->answering;
    opts->now_ms = e->now_ms;
    opts->context = parley_step_value(e, "parley_vcp_context", s->context);
    opts->constitution = parley_step_value(e, "parley_vcp_constitution",
                                           s->constitution);

    opts->principal = parley_who_proven(&e->who);
    opts->sig_alg = parley_str_none;
    opts->sig_kid = parley_str_none;

    if (e->who.sig_verified) {
        opts->sig_alg = e->msg.sig.alg;
        opts->sig_kid = e->who.sig_kid;
    }
}


/* What has variables only nginx can tell. */
static parley_str_t
parley_step_value(parley_explain_t *e, const char *name, parley_str_t value)
{
    if (value.len == 0 || memchr(value.data, '$', value.len) == NULL) {
        return value;
    }

    if (e->msg.wire != e->settings.speak) {
        parley_explain_note(e, "%s has variables and is empty here; ", name);
    }

    return parley_str_none;
}


static parley_verdict_t
parley_step_loss(parley_explain_t *e)
{
    char          field[PARLEY_POINTER_MAX];
    parley_str_t  text;

    if (e->loss.failed
        || parley_loss_text(&e->loss, e->in->arena, PARLEY_STR(", "), &text)
           != 0)
    {
        (void) parley_error_memory(&e->in->err);
        return PARLEY_STEP_REFUSED;
    }

    if (e->loss.count == 0) {
        parley_explain_note(e, "none");
        return PARLEY_STEP_NONE;
    }

    if (e->settings.loss == PARLEY_LOSS_REJECT) {
        field[0] = '\0';

        if (e->loss.nitems > 0) {
            (void) snprintf(field, sizeof(field), "%.*s",
                            parley_explain_str(e->loss.items[0]));
        }

        (void) parley_error_set(&e->in->err, PARLEY_E_TRANSLATION_LOSSY,
                                field, "%u members cannot travel to the "
                                "upstream's protocol", e->loss.count);
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%s: %.*s",
                        e->settings.loss == PARLEY_LOSS_IGNORE
                        ? "not named in the answer" : "Parley-Loss",
                        parley_explain_str(text));

    return PARLEY_STEP_PASSED;
}
