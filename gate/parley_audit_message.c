#include <string.h>

#include "translate/parley_severity.h"
#include "gate/parley_audit_message.h"
#include "gate/message/parley_gate_steps.h"
#include "core/parley_jcs.h"
#include "translate/parley_redact.h"
#include "gate/correlation/parley_exchange.h"


static int parley_audit_message_digest(const parley_gate_t *g,
    parley_arena_t *arena, uint8_t *digest);
static int parley_audit_message_has_payload(const parley_gate_t *g,
    parley_verdict_t verdict);
static parley_str_t parley_audit_message_payload(const parley_gate_t *g,
    parley_arena_t *arena);


void
parley_audit_message(const parley_gate_t *g, parley_verdict_t verdict,
    parley_arena_t *arena, uint8_t *digest, parley_audit_verdict_t *ret)
{
    const parley_msg_t  *m = g->msg;

    memset(ret, 0, sizeof(parley_audit_verdict_t));

    ret->principal = parley_who_proven(g->who);
    ret->surface = parley_who_surface(g->who);
    ret->protocol = parley_proto_name(g->read.proto);
    ret->upstream = parley_proto_name(g->conf.gate->speak);
    ret->verdict = parley_verdict_name(verdict);

    if (g->read.msg_read) {
        ret->type = m->form;
        ret->intent = m->intent;
        ret->from = m->sender;
        ret->to = parley_gate_message_to(g);
        ret->id = m->id;
        ret->correlation = m->corr;
        ret->answers = m->reply_to;
        ret->in_vain = g->admit.not_resumed != NULL
                       ? parley_str_c(g->admit.not_resumed) : parley_str_none;

    } else {
        ret->type = g->serve.request;
        ret->to = g->serve.about;
    }

    if (verdict != PARLEY_VERDICT_PASSED
        && verdict != PARLEY_VERDICT_DRY_PASSED
        && g->where.at < PARLEY_STEP_COUNT)
    {
        ret->step = parley_str_c(parley_step_name(g->where.at));
    }

    if (verdict == PARLEY_VERDICT_REFUSED
        || verdict == PARLEY_VERDICT_DRY_REFUSED)
    {
        ret->code = g->err->code;
    }

    if (g->read.doc_read
        && parley_audit_message_digest(g, arena, digest) == 0)
    {
        ret->digest = digest;
    }

    if (parley_audit_message_has_payload(g, verdict)) {
        ret->payload = parley_audit_message_payload(g, arena);
    }
}


static int
parley_audit_message_digest(const parley_gate_t *g, parley_arena_t *arena,
    uint8_t *digest)
{
    parley_buf_t  b;
    parley_str_t  canonical;

    parley_buf_init(&b, arena, g->doc->input.len);
    parley_jcs_write(&b, (parley_json_ref_t) { g->doc, 0 }, parley_str_none);

    return parley_buf_done(&b, &canonical) != 0
           ? -1 : parley_sha256(canonical, digest);
}


static int
parley_audit_message_has_payload(const parley_gate_t *g,
    parley_verdict_t verdict)
{
    return g->read.msg_read
           && (parley_severity_is_emergency(parley_severity_of(g->msg, 0))
               || parley_severity_is_emergency(parley_gate_severity(g)))
           && g->msg->data.node != PARLEY_JSON_NONE
           && !parley_audit_message_is_anybodys(g, verdict);
}


/*
 * Returns the redacted payload.  After the step REWRITE the message is already
 * redacted.  Before that step, a copy is redacted.
 */

static parley_str_t
parley_audit_message_payload(const parley_gate_t *g, parley_arena_t *arena)
{
    parley_buf_t         b;
    parley_msg_t         copy;
    parley_str_t         body, ret;
    parley_json_t        doc;
    parley_error_t       err;
    const parley_msg_t  *m = g->msg;

    if (g->conf.gate->nredact > 0 && g->where.at <= PARLEY_STEP_REWRITE) {
        body = g->in.body;

        if (parley_redact_made(g->engine, arena, m->wire, g->in.seed,
                               g->conf.gate->redact, g->conf.gate->nredact,
                               &body, &err)
            != 0
            || parley_json_read(&doc, arena, &g->conf.gate->limits, g->in.seed,
                                body, &err)
               != 0
            || parley_decode(g->engine, arena, m->wire, &doc,
                             g->conf.gate->mve5, &copy, &err)
               != 0
            || copy.data.node == PARLEY_JSON_NONE)
        {
            return parley_str_none;
        }

        m = &copy;
    }

    parley_buf_init(&b, arena, 0);
    parley_jcs_write(&b, m->data, parley_str_none);

    return parley_buf_done(&b, &ret) == 0 ? ret : parley_str_none;
}


int
parley_audit_message_is_anybodys(const parley_gate_t *g,
    parley_verdict_t verdict)
{
    return (verdict == PARLEY_VERDICT_REFUSED
            || verdict == PARLEY_VERDICT_OTHER)
           && parley_who_proven(g->who).len == 0;
}


void
parley_audit_message_outcome(const parley_gate_t *g,
    const parley_outcome_t *outcome, unsigned status,
    parley_audit_outcome_t *ret)
{
    const parley_answered_t  *answer = outcome->answer;

    memset(ret, 0, sizeof(parley_audit_outcome_t));

    ret->id = g->read.msg_read ? g->msg->id : parley_str_none;
    ret->outcome = parley_outcome_name(outcome->kind);
    ret->status = status;

    ret->settled = outcome->settle == PARLEY_SETTLE_COMMIT ? PARLEY_STR("taken")
                   : outcome->settle == PARLEY_SETTLE_RELEASE
                   ? PARLEY_STR("free") : parley_str_none;

    if (outcome->kind == PARLEY_OUTCOME_FAILED
        || outcome->kind == PARLEY_OUTCOME_REFUSED)
    {
        ret->code = g->err->code;

        if (ret->code != PARLEY_E_NONE) {
            ret->status = (unsigned) parley_error_info(ret->code)->http;
        }

    } else if (outcome->kind == PARLEY_OUTCOME_ANSWERED
               && g->publish.published)
    {

        /* the status of a held request is not known yet */

        ret->status = g->publish.held == NULL
                      ? (unsigned) g->out.reply.status : 0;
    }

    if (answer != NULL) {
        ret->failure = answer->code;
        ret->responder = answer->principal;

        if (answer->replies && answer->reply.status > 0) {
            ret->status = (unsigned) answer->reply.status;
        }
    }
}
