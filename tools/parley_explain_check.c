/* What is asked of a message before it is translated. */

#include <string.h>

#include "parley_check.h"
#include "parley_explain.h"
#include "parley_signature.h"
#include "parley_time.h"


static parley_verdict_t parley_step_token(parley_explain_t *e);
static parley_verdict_t parley_step_rate(parley_explain_t *e);
static parley_verdict_t parley_step_size(parley_explain_t *e);
static parley_verdict_t parley_step_json(parley_explain_t *e);
static parley_verdict_t parley_step_protocol(parley_explain_t *e);
static parley_verdict_t parley_step_schema(parley_explain_t *e);
static parley_verdict_t parley_step_intent(parley_explain_t *e);
static parley_verdict_t parley_step_transport(parley_explain_t *e);
static parley_verdict_t parley_step_sender(parley_explain_t *e);
static parley_verdict_t parley_step_signature(parley_explain_t *e);
static parley_verdict_t parley_step_verify(parley_explain_t *e);
static parley_verdict_t parley_step_submission(parley_explain_t *e);
static parley_verdict_t parley_step_freshness(parley_explain_t *e);
static parley_verdict_t parley_step_window(parley_explain_t *e);
static parley_verdict_t parley_step_policy(parley_explain_t *e);
static parley_verdict_t parley_step_direction(parley_explain_t *e);
static parley_verdict_t parley_step_quota(parley_explain_t *e);
static void parley_step_way(const parley_explain_t *e, parley_way_t *ret);
static void parley_step_set_field(parley_explain_t *e, const char *pointer);


#define parley_explain_str(s)  (int) (s).len, (const char *) (s).data


const parley_step_t  parley_explain_checks[] = {
    { "token", parley_step_token },
    { "rate", parley_step_rate },
    { "size", parley_step_size },
    { "json", parley_step_json },
    { "protocol", parley_step_protocol },
    { "schema", parley_step_schema },
    { "intent", parley_step_intent },
    { "transport", parley_step_transport },
    { "sender", parley_step_sender },
    { "signature", parley_step_signature },
    { "submission", parley_step_submission },
    { "freshness", parley_step_freshness },
    { "window", parley_step_window },
    { "policy", parley_step_policy },
    { "direction", parley_step_direction },
    { "quota", parley_step_quota },
    { NULL, NULL }
};


static parley_verdict_t
parley_step_token(parley_explain_t *e)
{
    char                      date[PARLEY_TIME_MAX];
    size_t                    i;
    parley_jwt_options_t      options;
    const parley_settings_t  *s = &e->settings;

    if (!s->jwt) {
        parley_explain_note(e, "parley_jwt is off here");
        return PARLEY_STEP_NONE;
    }

    if (e->token == NULL) {
        (void) parley_error_set(&e->in->err, PARLEY_E_TOKEN_MISSING, NULL,
                                "a bearer token is required");
        return PARLEY_STEP_REFUSED;
    }

    memset(&options, 0, sizeof(options));
    options.seed = e->tool->seed;

    if (parley_jwt_verify(&s->jwks, e->in->arena, &options,
                          parley_token_trim(parley_str_c(e->token)), &e->jwt,
                          &e->in->err)
        != 0
        || parley_principal_from_claims(e->in->arena, &e->jwt, s->claims,
                                        s->directory, &e->owner, &e->in->err)
           != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    e->who.jwt = &e->jwt;
    e->who.principal = &e->owner;

    if (parley_jwt_check(&e->jwt, &s->rules, e->now_ms / 1000, &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "sub \"%.*s\"", parley_explain_str(e->owner.sub));

    if (e->jwt.has_exp && e->jwt.exp <= PARLEY_JWT_DATE_MAX) {
        (void) parley_time_format((int64_t) e->jwt.exp * 1000, date);
        parley_explain_note(e, ", until %s", date);
    }

    for (i = 0; i < e->jwt.nscopes; i++) {
        parley_explain_note(e, "%s%.*s", i == 0 ? ", scopes " : " ",
                            parley_explain_str(e->jwt.scopes[i]));
    }

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_rate(parley_explain_t *e)
{
    size_t                     i;
    const parley_directive_t  *d = e->settings.rated;

    if (d == NULL) {
        parley_explain_note(e, "no parley_rate");
        return PARLEY_STEP_NONE;
    }

    for (i = 1; i < d->nwords; i++) {
        parley_explain_note(e, "%s%.*s", i > 1 ? " " : "",
                            parley_explain_str(d->words[i]));
    }

    parley_explain_note(e, " for %s%.*s", e->who.principal ? "" : "the address",
                        parley_explain_str(e->owner.sub));

    return PARLEY_STEP_UNASKED;
}


static parley_verdict_t
parley_step_size(parley_explain_t *e)
{
    size_t  max;

    max = e->settings.limits.octets;

    if (e->in->text.len > max) {
        (void) parley_error_set(&e->in->err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                                "the body exceeds %lu octets",
                                (unsigned long) max);
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%zu octets of %zu", e->in->text.len, max);

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_json(parley_explain_t *e)
{
    if (parley_json_read(&e->doc, e->in->arena, &e->settings.limits,
                         e->tool->seed, e->in->text, &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    e->doc_read = 1;

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_protocol(parley_explain_t *e)
{
    e->proto = parley_detect(&e->doc, e->settings.accept);

    if (e->proto == PARLEY_PROTO_NONE) {
        (void) parley_error_set(&e->in->err, PARLEY_E_PROTOCOL_UNSUPPORTED,
                                NULL, "the message is of no protocol that is "
                                "accepted here");
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%.*s",
                        parley_explain_str(parley_proto_name(e->proto)));

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_schema(parley_explain_t *e)
{
    e->msg_read = 1;

    if (parley_decode(e->engine, e->in->arena, e->proto, &e->doc,
                      e->settings.mve5, &e->msg, &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%.*s %.*s, intent %.*s%s",
                        parley_explain_str(e->msg.form),
                        parley_explain_str(e->msg.id),
                        parley_explain_str(e->msg.intent),
                        e->msg.partial ? ", a log record" : "");

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_intent(parley_explain_t *e)
{
    if (e->settings.intents == NULL
        || parley_intents_find(e->settings.intents, e->msg.intent,
                               e->msg.act)
           == NULL)
    {
        parley_explain_note(e, "no schema of this intent");
        return PARLEY_STEP_NONE;
    }

    return parley_intents_check(e->settings.intents, e->in->arena, &e->msg,
                                &e->in->err)
           == 0 ? PARLEY_STEP_PASSED : PARLEY_STEP_REFUSED;
}


static parley_verdict_t
parley_step_transport(parley_explain_t *e)
{
    parley_way_t  way;

    parley_step_way(e, &way);

    parley_explain_note(e, "%s%s", e->plain ? "plain HTTP" : "TLS",
                        way.trusted ? ", trusted" : "");

    return parley_check_transport(e->proto, &way, &e->in->err) == 0
           ? PARLEY_STEP_PASSED : PARLEY_STEP_REFUSED;
}


static void
parley_step_way(const parley_explain_t *e, parley_way_t *ret)
{
    memset(ret, 0, sizeof(parley_way_t));

    ret->trusted = e->settings.trusted;
    ret->tls = !e->plain;
    ret->token = e->who.principal != NULL && e->who.jwt != NULL;
    ret->must_sign = e->settings.signature == PARLEY_DEMAND_REQUIRED;
}


static parley_verdict_t
parley_step_sender(parley_explain_t *e)
{
    if (parley_who_sender(&e->who, e->settings.trusted, &e->in->err) != 0) {
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "%.*s is ", parley_explain_str(e->msg.sender));

    if (e->who.principal == NULL) {
        parley_explain_note(e, "known to nobody, and trusted");

    } else {
        parley_explain_note(e, "\"%.*s\", %s",
                            parley_explain_str(e->who.principal->sub),
                            e->who.jwt != NULL ? "as the token says"
                                       : "in parley_identities");
    }

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_signature(parley_explain_t *e)
{
    parley_way_t      way;
    parley_verdict_t  verdict;

    if (e->msg.sig.present && e->settings.signature != PARLEY_DEMAND_OFF) {
        verdict = parley_step_verify(e);

    } else {
        parley_step_way(e, &way);

        verdict = parley_check_unsigned(e->proto, &way, &e->in->err) == 0
                  ? PARLEY_STEP_PASSED : PARLEY_STEP_REFUSED;

        parley_explain_note(e, "%s%s", e->msg.sig.present ? "not looked at"
                                                          : "none",
                            way.trusted ? ", trusted"
                                        : ", the token proves the sender");
    }

    if (verdict == PARLEY_STEP_REFUSED && e->who.jwt == NULL) {
        e->who.principal = NULL;
    }

    return verdict;
}


static parley_verdict_t
parley_step_verify(parley_explain_t *e)
{
    parley_str_t             input;
    const char              *pointer;
    const parley_jwk_t      *key;
    const parley_msg_sig_t  *sig = &e->msg.sig;

    static const parley_jwks_t  none;

    pointer = parley_codecs[e->proto]->signature_pointer;

    if (sig->opaque) {
        (void) parley_error_set(&e->in->err, PARLEY_E_SIGNATURE_INVALID,
                                pointer, "a signature of this form cannot be "
                                "verified");
        return PARLEY_STEP_REFUSED;
    }

    if (parley_signing_input(e->in->arena, e->proto, &e->doc, &input,
                             &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    if (parley_signature_verify(e->who.principal != NULL
                                ? &e->who.principal->keys : &none,
                                sig->alg, sig->kid, input, sig->value, &key,
                                &e->in->err)
        != 0)
    {
        parley_step_set_field(e, pointer);
        return PARLEY_STEP_REFUSED;
    }

    e->who.sig_verified = 1;
    e->who.sig_kid = key->kid;

    parley_explain_note(e, "%.*s, key \"%.*s\" of \"%.*s\"",
                        parley_explain_str(sig->alg),
                        parley_explain_str(key->kid),
                        parley_explain_str(e->who.principal->sub));

    return PARLEY_STEP_PASSED;
}


static void
parley_step_set_field(parley_explain_t *e, const char *pointer)
{
    (void) snprintf(e->in->err.field, sizeof(e->in->err.field), "%s",
                    pointer);
}


static parley_verdict_t
parley_step_submission(parley_explain_t *e)
{
    if (parley_explain_submit(e) != 0) {
        return PARLEY_STEP_REFUSED;
    }

    if (parley_codecs[e->proto]->submit == NULL) {
        parley_explain_note(e, "the message says all itself");
        return PARLEY_STEP_NONE;
    }

    parley_explain_note(e, "from %.*s", parley_explain_str(e->msg.sender));

    if (e->msg.scope.len > 0) {
        parley_explain_note(e, ", scope %.*s",
                            parley_explain_str(e->msg.scope));
    }

    return PARLEY_STEP_PASSED;
}


int
parley_explain_submit(parley_explain_t *e)
{
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(submission));

    submission.scope = e->scope;
    submission.recipient = e->recipient.len > 0 ? e->recipient
                                                : e->settings.self;
    submission.sender = e->msg.sender;
    submission.ms = e->now_ms;

    submission.owner = parley_who_proven(&e->who);

    if (e->msg.sender.len == 0) {
        submission.sender = parley_who_name(&e->who, e->proto);
    }

    parley_who_attribute(&e->who, e->proto, submission.sender,
                         &submission.human, &submission.instrument);

    return parley_submit(e->in->arena, &e->msg, &submission, &e->in->err);
}


static parley_verdict_t
parley_step_freshness(parley_explain_t *e)
{
    int64_t                   age;
    const parley_settings_t  *s = &e->settings;

    if (parley_check_age(&e->msg, s->past_ms, s->future_ms, e->now_ms,
                         &e->in->err)
        != 0)
    {
        return PARLEY_STEP_REFUSED;
    }

    if (e->msg.created_ms < 0) {
        parley_explain_note(e, "it does not say when it was made");
        return PARLEY_STEP_NONE;
    }

    age = (e->now_ms - e->msg.created_ms) / 1000;

    parley_explain_note(e, age < 0 ? "%lld s ahead" : "%lld s old",
                        (long long) (age < 0 ? -age : age));

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_window(parley_explain_t *e)
{
    if (e->msg.partial || e->msg.anonymous || e->msg.id.len == 0) {
        parley_explain_note(e, "it may come twice");
        return PARLEY_STEP_NONE;
    }

    parley_explain_note(e, "\"%.*s\" must be new, and is remembered for "
                        "%lld s", parley_explain_str(e->msg.id),
                        (long long) (e->settings.window_ms / 1000));

    return PARLEY_STEP_UNASKED;
}


static parley_verdict_t
parley_step_policy(parley_explain_t *e)
{
    parley_policy_request_t  request;

    if (e->settings.policy.n == 0) {
        parley_explain_note(e, "no rules");
        return PARLEY_STEP_NONE;
    }

    if (parley_is_unruled(&e->msg, e->settings.speak)) {
        parley_explain_note(e, "needs no rule");
        return PARLEY_STEP_PASSED;
    }

    memset(&request, 0, sizeof(request));

    if (e->who.jwt != NULL) {
        request.scopes = e->jwt.scopes;
        request.nscopes = e->jwt.nscopes;
    }

    if (e->who.principal != NULL) {
        request.roles = e->who.principal->roles;
        request.nroles = e->who.principal->nroles;
        request.principal = e->who.principal->sub;
    }

    request.protocol = parley_proto_name(e->proto);
    request.type = e->msg.form;
    request.intent = e->msg.intent;
    request.to = e->msg.recipient;

    if (parley_policy_check(&e->settings.policy, &request, &e->in->err)
        == 0)
    {
        parley_explain_note(e, "allowed, %u rule%s", e->settings.policy.n,
                            e->settings.policy.n == 1 ? "" : "s");
        return PARLEY_STEP_PASSED;
    }

    parley_step_set_field(e, e->in->err.code == PARLEY_E_INTENT_REFUSED
                             && parley_codecs[e->proto]->intent_pointer
                                != NULL
                             ? parley_codecs[e->proto]->intent_pointer : "");

    return PARLEY_STEP_REFUSED;
}


static parley_verdict_t
parley_step_direction(parley_explain_t *e)
{
    if (parley_who_direction(&e->who, &e->in->err) != 0) {
        return PARLEY_STEP_REFUSED;
    }

    parley_explain_note(e, "to %.*s", parley_explain_str(e->msg.recipient));

    return PARLEY_STEP_PASSED;
}


static parley_verdict_t
parley_step_quota(parley_explain_t *e)
{
    if (e->settings.rate.classes[e->msg.priority].interval_us == 0) {
        parley_explain_note(e, "no rate of this priority");
        return PARLEY_STEP_NONE;
    }

    parley_explain_note(e, "that of priority %.*s",
                        parley_explain_str(
                            parley_priority_name(e->msg.priority)));

    return PARLEY_STEP_UNASKED;
}
