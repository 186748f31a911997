/*
 * Texts of the steps that the gate takes itself.  Rates and the window are
 * checked against an empty state, and the text says so.
 */

#include "tools/parley_explain.h"
#include "auth/parley_jwt.h"
#include "auth/parley_policy.h"
#include "core/parley_time.h"
#include "translate/parley_check.h"


static void tool_explain_method(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_failures(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_token(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_rate(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_protocol(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_schema(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_payload(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_transport(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_sender(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_signature(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_submission(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_reference(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_policy(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_direction(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_local(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_age(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_admit(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_rewrite(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_translate(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_loss(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_forward(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_answer(parley_explain_t *e,
    parley_step_result_t result);
static void tool_explain_settle(parley_explain_t *e,
    parley_step_result_t result);


typedef void (*parley_explain_pt)(parley_explain_t *e,
    parley_step_result_t result);

static const parley_explain_pt  parley_explain_steps[PARLEY_STEP_COUNT] = {
    [PARLEY_STEP_METHOD] = tool_explain_method,
    [PARLEY_STEP_FAILURES] = tool_explain_failures,
    [PARLEY_STEP_PROOF] = tool_explain_token,
    [PARLEY_STEP_RATE] = tool_explain_rate,
    [PARLEY_STEP_PROTOCOL] = tool_explain_protocol,
    [PARLEY_STEP_SCHEMA] = tool_explain_schema,
    [PARLEY_STEP_PAYLOAD] = tool_explain_payload,
    [PARLEY_STEP_TRANSPORT] = tool_explain_transport,
    [PARLEY_STEP_SENDER] = tool_explain_sender,
    [PARLEY_STEP_SIGNATURE] = tool_explain_signature,
    [PARLEY_STEP_SUBMISSION] = tool_explain_submission,
    [PARLEY_STEP_REFERENCE] = tool_explain_reference,
    [PARLEY_STEP_POLICY] = tool_explain_policy,
    [PARLEY_STEP_DIRECTION] = tool_explain_direction,
    [PARLEY_STEP_LOCAL] = tool_explain_local,
    [PARLEY_STEP_AGE] = tool_explain_age,
    [PARLEY_STEP_ADMIT] = tool_explain_admit,
    [PARLEY_STEP_REFUTE] = tool_explain_local,
    [PARLEY_STEP_REWRITE] = tool_explain_rewrite,
    [PARLEY_STEP_TRANSLATE] = tool_explain_translate,
    [PARLEY_STEP_LOSS] = tool_explain_loss,
    [PARLEY_STEP_FORWARD] = tool_explain_forward,
    [PARLEY_STEP_ANSWER] = tool_explain_answer,
    [PARLEY_STEP_SETTLE] = tool_explain_settle,
};


void
tool_explain_say(parley_explain_t *e, parley_step_t step,
    parley_step_result_t result)
{
    if (parley_explain_steps[step] != NULL) {
        parley_explain_steps[step](e, result);
    }
}


static void
tool_explain_method(parley_explain_t *e, parley_step_result_t result)
{
    (void) result;

    if (e->settings.proves) {
        tool_explain_note(e, "%s", e->method);
        return;
    }

    tool_explain_note(e, "%s is assumed",
                      e->gate.in.framed ? "a text frame" : "POST");
}


static void
tool_explain_failures(parley_explain_t *e, parley_step_result_t result)
{
    if (result == PARLEY_RESULT_PASSED) {
        tool_explain_note(e, "none from this address, so far");
    }
}


static void
tool_explain_protocol(parley_explain_t *e, parley_step_result_t result)
{
    (void) result;

    tool_explain_note(e, "%.*s",
                      tool_explain_str(
                          parley_proto_name(e->gate.read.proto)));
}


static void
tool_explain_payload(parley_explain_t *e, parley_step_result_t result)
{
    if (result == PARLEY_RESULT_NONE) {
        tool_explain_note(e, "no schema of this intent");
    }
}


static void
tool_explain_transport(parley_explain_t *e, parley_step_result_t result)
{
    parley_transport_t  transport;

    (void) result;

    parley_gate_message_arrived(&e->gate, &transport);
    tool_explain_note(e, "%s%s", e->plain ? "plain HTTP" : "TLS",
                      transport.trusted ? ", trusted" : "");
}


static void
tool_explain_reference(parley_explain_t *e, parley_step_result_t result)
{
    tool_explain_note(e, "%s", result == PARLEY_RESULT_NONE
                               ? "nothing to match"
                               : "the message of --answering");
}


static void
tool_explain_direction(parley_explain_t *e, parley_step_result_t result)
{
    parley_str_t  to;

    (void) result;

    to = parley_gate_message_to(&e->gate);

    if (to.len == 0) {
        to = PARLEY_STR("no named recipient");
    }

    tool_explain_note(e, "to %.*s", tool_explain_str(to));
}


static void
tool_explain_settle(parley_explain_t *e, parley_step_result_t result)
{
    tool_explain_note(e, result == PARLEY_RESULT_PASSED
                         ? "the id is taken" : "it may come again");
}


static void
tool_explain_forward(parley_explain_t *e, parley_step_result_t result)
{
    if (result == PARLEY_RESULT_PASSED) {
        tool_explain_note(e, "%zu octets", e->gate.out.sent.body.len);
    }
}


static void
tool_explain_token(parley_explain_t *e, parley_step_result_t result)
{
    char                 date[PARLEY_TIME_MAX];
    size_t               i;
    const parley_jwt_t  *jwt = e->who.jwt;

    (void) result;

    if (!parley_who_is_caller(&e->who)) {
        tool_explain_note(e, e->settings.jwt == NULL
                             ? "parley_jwt is off here"
                             : "no token and no certificate");
        return;
    }

    tool_explain_note(e, "sub \"%.*s\"%s",
                      tool_explain_str(e->who.principal->sub),
                      e->who.certified ? ", by a client certificate" : "");

    if (jwt == NULL) {
        return;
    }

    if (jwt->has_exp) {
        (void) parley_time_format(jwt->exp_ms, date);
        tool_explain_note(e, ", until %s", date);
    }

    for (i = 0; i < jwt->nscopes; i++) {
        tool_explain_note(e, "%s%.*s", i == 0 ? ", scopes " : " ",
                          tool_explain_str(jwt->scopes[i]));
    }
}


static void
tool_explain_schema(parley_explain_t *e, parley_step_result_t result)
{
    (void) result;

    tool_explain_note(e, "%.*s %.*s, intent %.*s%s",
                      tool_explain_str(e->msg.form),
                      tool_explain_str(e->msg.id),
                      tool_explain_str(e->msg.intent),
                      e->msg.partial ? ", a log record" : "");
}


static void
tool_explain_sender(parley_explain_t *e, parley_step_result_t result)
{
    (void) result;

    if (e->msg.sender.len > 0) {
        tool_explain_note(e, "%.*s is ", tool_explain_str(e->msg.sender));

    } else {
        tool_explain_note(e, "no sender in the message, it is ");
    }

    if (e->who.principal == NULL) {
        tool_explain_note(e, "not in parley_identities, and trusted");
        return;
    }

    tool_explain_note(e, "\"%.*s\", %s",
                      tool_explain_str(e->who.principal->sub),
                      e->who.jwt != NULL ? "as the token says"
                                         : "in parley_identities");
}


static void
tool_explain_signature(parley_explain_t *e, parley_step_result_t result)
{
    (void) result;

    if (e->who.sig_verified) {
        tool_explain_note(e, "%.*s, key \"%.*s\" of \"%.*s\"",
                          tool_explain_str(e->msg.sig.alg),
                          tool_explain_str(e->who.sig_kid),
                          tool_explain_str(e->who.principal->sub));
        return;
    }

    tool_explain_note(e, "%s%s", e->msg.sig.present ? "not looked at"
                                                    : "none",
                      e->gate.conf.gate->trusted
                      ? ", trusted" : ", the token proves the sender");
}


static void
tool_explain_submission(parley_explain_t *e, parley_step_result_t result)
{
    if (result == PARLEY_RESULT_NONE) {
        tool_explain_note(e, "nothing to add to the message");
        return;
    }

    if (e->msg.sender.len > 0) {
        tool_explain_note(e, "from %.*s",
                          tool_explain_str(e->msg.sender));

    } else {
        tool_explain_note(e, "the sender has no name");
    }

    if (e->msg.scope.len > 0) {
        tool_explain_note(e, ", scope %.*s",
                          tool_explain_str(e->msg.scope));
    }
}


static void
tool_explain_policy(parley_explain_t *e, parley_step_result_t result)
{
    unsigned  n;

    n = e->settings.gate.policy != NULL ? e->settings.gate.policy->n : 0;

    if (result == PARLEY_RESULT_NONE) {
        tool_explain_note(e, n == 0 ? "no rules" : "needs no rule");
        return;
    }

    tool_explain_note(e, "allowed, %u rule%s", n, n == 1 ? "" : "s");
}


static void
tool_explain_age(parley_explain_t *e, parley_step_result_t result)
{
    int64_t  age;

    (void) result;

    if (e->msg.created_ms < 0) {
        tool_explain_note(e, "the message has no time");
        return;
    }

    age = (e->now_ms - e->msg.created_ms) / 1000;

    tool_explain_note(e, age < 0 ? "%lld s ahead" : "%lld s old",
                      (long long) (age < 0 ? -age : age));

    if (e->gate.admit.stale != NULL) {
        tool_explain_note(e, ": refused unless its id was there before");
    }
}


/* Describes the effect of parley_cap, max_priority and parley_redact. */

static void
tool_explain_rewrite(parley_explain_t *e, parley_step_result_t result)
{
    int  clamped;

    clamped = e->msg.priority != e->priority
              || e->msg.timeout_ms != e->timeout_ms;

    if (result == PARLEY_RESULT_NONE && !clamped) {
        tool_explain_note(e, "nothing to change");
        return;
    }

    e->note[0] = '\0';
    tool_explain_note(e, "changed");

    if (e->msg.priority != e->priority) {
        tool_explain_note(e, ", priority %.*s", tool_explain_str(
                                 parley_priority_name(e->msg.priority)));
    }

    if (e->msg.timeout_ms != e->timeout_ms) {
        tool_explain_note(e, ", timeout %lld ms",
                          (long long) e->msg.timeout_ms);
    }

    if (e->gate.conf.gate->nredact > 0) {
        tool_explain_note(e, ", redacted");
    }
}


static void
tool_explain_loss(parley_explain_t *e, parley_step_result_t result)
{
    parley_str_t  text;

    (void) result;

    if (e->loss.count == 0
        || parley_loss_text(&e->loss, e->in->arena, PARLEY_LOSS_HEADER, &text)
           != 0)
    {
        tool_explain_note(e, "none");
        return;
    }

    tool_explain_note(e, "%s: %.*s",
                      e->gate.conf.gate->loss == PARLEY_LOSS_IGNORE
                      ? "not named in the answer" : "Parley-Loss",
                      tool_explain_str(text));
}


static void
tool_explain_rate(parley_explain_t *e, parley_step_result_t result)
{
    size_t                     i;
    parley_str_t               sub;
    const parley_directive_t  *d;

    d = tool_conf_get(e->block, "parley_rate");
    sub = parley_who_proven(&e->who);

    if (result == PARLEY_RESULT_NONE) {
        tool_explain_note(e, "no parley_rate");
        return;
    }

    for (i = 1; d != NULL && i < d->nwords; i++) {
        tool_explain_note(e, "%s%.*s", i > 1 ? " " : "",
                          tool_explain_str(d->words[i]));
    }

    if (sub.len > 0 && e->who.principal->rate.interval_us != 0) {
        tool_explain_note(e, "%sthe rate in parley_identities",
                          d != NULL ? " and " : "");
    }

    tool_explain_note(e, " for %s%.*s, in an empty state",
                      sub.len > 0 ? "" : "the address",
                      tool_explain_str(sub));
}


static void
tool_explain_local(parley_explain_t *e, parley_step_result_t result)
{
    if (result == PARLEY_RESULT_ANSWERED) {
        tool_explain_note(e, "the gateway answers %.*s itself",
                          tool_explain_str(e->msg.intent));

    } else {
        tool_explain_note(e, "not for the gateway itself");
    }
}


static void
tool_explain_admit(parley_explain_t *e, parley_step_result_t result)
{
    const parley_gate_t  *g = &e->gate;

    (void) result;

    e->priority = e->msg.priority;
    e->timeout_ms = e->msg.timeout_ms;

    if (!g->admit.entrance.known) {
        tool_explain_note(e, "it may come twice");

    } else {
        tool_explain_note(e, "\"%.*s\" is new for ",
                          tool_explain_str(e->msg.id));

        if (g->admit.entrance.place == NULL) {
            tool_explain_note(e, "%.*s",
                              tool_explain_str(e->msg.recipient));

        } else if (e->settings.receiver.text.len > 0) {
            tool_explain_note(e, "\"%.*s\"",
                              tool_explain_str(e->settings.receiver.text));

        } else {
            tool_explain_note(e, "this location");
        }

        tool_explain_note(e, " in an empty window, and is remembered for "
                          "%lld s", (long long) (g->conf.window / 1000));
    }

    if (g->admit.entrance.quota != NULL
        && g->admit.entrance.quota->interval_us != 0)
    {
        tool_explain_note(e, "; the first of priority %.*s",
                          tool_explain_str(
                              parley_priority_name(
                                  g->admit.entrance.priority)));
    }
}


static void
tool_explain_translate(parley_explain_t *e, parley_step_result_t result)
{
    parley_proto_t         speak;
    parley_error_t         err;
    parley_encoded_t       sent;
    const parley_gate_t   *g = &e->gate;

    speak = g->publish.unframed ? e->msg.wire : g->conf.gate->speak;

    if (result == PARLEY_RESULT_NONE && !g->read.edited) {
        tool_explain_note(e, "none, %.*s as it came",
                          tool_explain_str(parley_proto_name(speak)));
        return;
    }

    /* for a copied message, the id is read here: only the text needs it */

    sent = g->out.sent;

    (void) (parley_encode_id(e->engine, g->arena, speak, &e->msg, &sent, &err)
            == 0);

    tool_explain_note(e, "%.*s to %.*s, %.*s%s",
                      tool_explain_str(parley_proto_name(e->msg.wire)),
                      tool_explain_str(parley_proto_name(speak)),
                      tool_explain_str(sent.id),
                      parley_codecs[speak]->signature_member.len == 0 ? ""
                      : e->http.signing != NULL ? ", signed by the gateway"
                                                : ", unsigned");
}


static void
tool_explain_answer(parley_explain_t *e, parley_step_result_t result)
{
    int                       lost;
    const char               *what;
    parley_str_t              text;
    const parley_answered_t  *a = &e->answered;

    static const char *const  acts[] = {
        "a request", "a result", "an error", "an event", "progress"
    };

    (void) result;

    what = a->kind == PARLEY_ANSWER_MESSAGE ? acts[a->act]
           : a->kind == PARLEY_ANSWER_REFUSED ? "an error"
                                              : "that it was accepted";

    if (a->copied) {
        tool_explain_note(e, "%s, as it came", what);
        return;
    }

    /* an earlier step named the losses of the request */

    lost = e->loss.nitems > e->loss.nrequest
           && parley_loss_text(&e->loss, e->in->arena, PARLEY_LOSS_HEADER,
                               &text)
              == 0;

    tool_explain_note(e, "%s, %.*s to %.*s", what,
                      tool_explain_str(parley_proto_name(
                                           e->gate.conf.gate->speak)),
                      tool_explain_str(parley_proto_name(e->msg.wire)));

    if (lost) {
        tool_explain_note(e, "; %s: %.*s",
                          e->gate.conf.gate->loss == PARLEY_LOSS_IGNORE
                          ? "not named" : "Parley-Loss",
                          tool_explain_str(text));
    }
}
