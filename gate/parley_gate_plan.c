/*
 * The table of steps, and the plan of a location: the steps that can have an
 * effect there.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/parley_gate_rows.h"
#include "gate/settings/parley_settings.h"
#include "state/parley_log.h"


static int parley_applies_failures(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_proof(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_rate(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_payload(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_revocation(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_live(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_session(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_rewrite(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_record(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_host(const parley_settings_http_t *http,
    const parley_settings_t *s);
static int parley_applies_publish(const parley_settings_http_t *http,
    const parley_settings_t *s);


const parley_gate_row_t  parley_gate_rows[PARLEY_STEP_COUNT] = {
    [PARLEY_STEP_METHOD] = { .name = "method" },
    [PARLEY_STEP_FAILURES] = { .name = "failures", .run = parley_gate_failures,
        .applies = parley_applies_failures },
    [PARLEY_STEP_PROOF] = { .name = "proof", .run = parley_gate_proof,
        .proves = 1, .applies = parley_applies_proof },
    [PARLEY_STEP_RATE] = { .name = "rate", .run = parley_gate_rate,
        .applies = parley_applies_rate },
    [PARLEY_STEP_BODY] = { .name = "body" },
    [PARLEY_STEP_SERVE] = { .name = "serve", .run = parley_gate_serve },
    [PARLEY_STEP_JSON] = { .name = "json", .run = parley_gate_message_json },
    [PARLEY_STEP_PROTOCOL] = { .name = "protocol", .run = parley_gate_protocol,
        .again = 1 },
    [PARLEY_STEP_SCHEMA] = { .name = "schema", .run = parley_gate_schema,
        .again = 1 },
    [PARLEY_STEP_PAYLOAD] = { .name = "payload", .check = parley_gate_payload,
        .applies = parley_applies_payload },
    [PARLEY_STEP_TRANSPORT] = { .name = "transport",
        .check = parley_gate_transport },
    [PARLEY_STEP_SENDER] = { .name = "sender", .check = parley_gate_sender,
        .proves = 1 },
    [PARLEY_STEP_SIGNATURE] = { .name = "signature",
        .run = parley_gate_signature, .proves = 1 },
    [PARLEY_STEP_REVOCATION] = { .name = "revocation",
        .check = parley_gate_revocation, .proves = 1, .again = 1,
        .applies = parley_applies_revocation },
    [PARLEY_STEP_SENDER_RATE] = { .name = "sender-rate",
        .run = parley_gate_sender_rate, .applies = parley_applies_rate },
    [PARLEY_STEP_ARGUMENTS] = { .name = "arguments",
        .run = parley_gate_arguments, .again = 1 },
    [PARLEY_STEP_SUBMISSION] = { .name = "submission",
        .run = parley_gate_submission, .again = 1 },
    [PARLEY_STEP_REFERENCE] = { .name = "reference",
        .run = parley_gate_reference, .again = 1 },
    [PARLEY_STEP_POLICY] = { .name = "policy", .run = parley_gate_policy,
        .again = 1 },
    [PARLEY_STEP_DIRECTION] = { .name = "direction",
        .check = parley_gate_direction, .again = 1 },
    [PARLEY_STEP_LOCAL] = { .name = "local", .run = parley_gate_local,
        .applies = parley_applies_live },
    [PARLEY_STEP_SESSION] = { .name = "session", .run = parley_gate_session,
        .again = 1, .applies = parley_applies_session },
    [PARLEY_STEP_AGE] = { .name = "age", .run = parley_gate_age },
    [PARLEY_STEP_ADMIT] = { .name = "admit", .run = parley_gate_admit },
    [PARLEY_STEP_REFUTE] = { .name = "refute", .run = parley_gate_refute,
        .applies = parley_applies_live },
    [PARLEY_STEP_REWRITE] = { .name = "rewrite", .run = parley_gate_rewrite,
        .again = 1, .applies = parley_applies_rewrite },
    [PARLEY_STEP_TRANSLATE] = { .name = "translate",
        .run = parley_gate_translate, .again = 1 },
    [PARLEY_STEP_LOSS] = { .name = "loss", .check = parley_gate_loss,
        .again = 1 },
    [PARLEY_STEP_KEEP] = { .name = "keep", .run = parley_gate_admit_keep,
        .again = 1 },
    [PARLEY_STEP_SUSPEND] = { .name = "suspend", .run = parley_gate_suspend,
        .applies = parley_applies_live },
    [PARLEY_STEP_RECORD] = { .name = "record",
        .run = parley_gate_verdict_record, .applies = parley_applies_record },
    [PARLEY_STEP_HOST] = { .name = "host", .run = parley_gate_host,
        .applies = parley_applies_host },
    [PARLEY_STEP_PUBLISH] = { .name = "publish", .run = parley_gate_publish,
        .applies = parley_applies_publish },
    [PARLEY_STEP_ESCALATE] = { .name = "escalate",
        .run = parley_gate_escalate },
    [PARLEY_STEP_FORWARD] = { .name = "forward", .again = 1 },

    /*
     * parley_gate_run() does not run these steps: see parley_gate_answer(),
     * _event(), _ended(), _answered() and _unanswered()
     */

    [PARLEY_STEP_ANSWER] = { .name = "answer" },
    [PARLEY_STEP_SETTLE] = { .name = "settle" },
};


static int
parley_applies_failures(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) http;

    return s->gate.failures.interval_us != 0;
}


static int
parley_applies_proof(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) http;

    return s->jwt != NULL || s->gate.certificate != PARLEY_DEMAND_OFF;
}


static int
parley_applies_rate(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    return s->gate.rate != NULL
           || (http->directory != NULL
               && parley_directory_has_rates(http->directory));
}


static int
parley_applies_payload(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) s;

    return http->intents != NULL;
}


static int
parley_applies_revocation(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) s;

    return http->revocations_file.len > 0;
}


/*
 * Returns whether requests here are not a dry run, which leaves out this step.
 */

static int
parley_applies_live(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) http;

    return s->gate.dry == PARLEY_DRY_OFF;
}


/*
 * A dry run leaves out this step: the session that it records would affect
 * other callers.
 */

static int
parley_applies_session(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    return s->submit == NULL && parley_binding_sessions(s->gate.speak) != NULL
           && parley_applies_live(http, s);
}


static int
parley_applies_rewrite(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    return s->gate.nredact > 0 || s->gate.caps.timeout_ms > 0
           || s->gate.caps.priority < PARLEY_PRIORITY_URGENT
           || (http->directory != NULL
               && (parley_directory_has_caps(http->directory)
                   || parley_directory_has_surfaces(http->directory)));
}


static int
parley_applies_record(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    return http->audit.len > 0 && s->gate.dry == PARLEY_DRY_OFF;
}


static int
parley_applies_host(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) http;

    return s->host != NULL;
}


static int
parley_applies_publish(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    (void) http;

    return s->submit != NULL;
}


/* steps of a request without a message (GW-30) */

#define PARLEY_GATE_PLAN_PROOF                                                \
    (PARLEY_PLAN(PARLEY_STEP_METHOD) | PARLEY_PLAN(PARLEY_STEP_FAILURES)      \
     | PARLEY_PLAN(PARLEY_STEP_PROOF) | PARLEY_PLAN(PARLEY_STEP_RATE)         \
     | PARLEY_PLAN(PARLEY_STEP_SERVE) | PARLEY_PLAN(PARLEY_STEP_POLICY)       \
     | PARLEY_PLAN(PARLEY_STEP_RECORD))


parley_plan_t
parley_gate_plan(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    unsigned                  i;
    parley_plan_t             plan;
    const parley_gate_row_t  *row;

    if (s->plan != 0) {
        return s->plan;
    }

    plan = 0;

    for (i = 0; i < PARLEY_STEP_ANSWER; i++) {
        row = &parley_gate_rows[i];

        if (row->applies == NULL || row->applies(http, s)) {
            plan |= PARLEY_PLAN(i);
        }
    }

    return s->proves ? plan & PARLEY_GATE_PLAN_PROOF
           : s->host != NULL ? plan & ~PARLEY_PLAN_UNHOSTED : plan;
}


void
parley_gate_plan_prepare(const parley_settings_http_t *http,
    parley_settings_t *s)
{
    const parley_rate_t  *rate = s->gate.rate;

    s->plan = parley_gate_plan(http, s);

    /* without an admission, as for a stream, no message asks the store */

    s->gate.shared = rate == NULL
                     || (rate->shared == PARLEY_SHARED_EXACT
                         && (http->store == NULL
                             || !(s->plan & PARLEY_PLAN(PARLEY_STEP_ADMIT))))
                     ? PARLEY_SHARED_NEAR : rate->shared;

    if (rate != NULL && rate->nroles == 0 && rate->variable.len == 0
        && (http->directory == NULL
            || !parley_directory_has_rates(http->directory)))
    {
        s->gate.sole = rate->all;
    }

    /* the default; nginx -t refuses a larger max= */

    if (http->store != NULL && s->submit != NULL
        && s->submit->expand.max > PARLEY_LOGS_SHARED)
    {
        ((parley_submit_conf_t *) s->submit)->expand.max = PARLEY_LOGS_SHARED;
    }
}


parley_plan_t
parley_gate_plan_again(const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    unsigned       i;
    parley_plan_t  again;

    again = 0;

    for (i = 0; i < PARLEY_STEP_ANSWER; i++) {

        if (parley_gate_rows[i].again) {
            again |= PARLEY_PLAN(i);
        }
    }

    return again & (parley_gate_plan(http, s)
                    | PARLEY_PLAN(PARLEY_STEP_REWRITE));
}
