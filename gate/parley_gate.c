/* The table of steps, and who walks it. */

#include "parley_gate_steps.h"


static parley_step_t parley_gate_next(const parley_gate_t *g);
static parley_outcome_t parley_gate_step(parley_gate_t *g,
    parley_step_t step);
static int parley_gate_spares(const parley_gate_t *g, parley_step_t step);


typedef struct {
    const char      *name;
    parley_step_pt   run;           /* NULL: the adapter's */
    unsigned         proves:1;      /* who sent the message */
    unsigned         again:1;       /* also of one that continues */
} parley_gate_row_t;


static const parley_gate_row_t  parley_gate_rows[PARLEY_STEP_COUNT] = {
    [PARLEY_STEP_METHOD] = { "method", NULL, 0, 0 },
    [PARLEY_STEP_FAILURES] = { "failures", parley_gate_failures, 0, 0 },
    [PARLEY_STEP_PROOF] = { "proof", NULL, 1, 0 },
    [PARLEY_STEP_RATE] = { "rate", parley_gate_rate, 0, 0 },
    [PARLEY_STEP_BODY] = { "body", NULL, 0, 0 },
    [PARLEY_STEP_JSON] = { "json", parley_gate_json, 0, 0 },
    [PARLEY_STEP_PROTOCOL] = { "protocol", parley_gate_protocol, 0, 1 },
    [PARLEY_STEP_SCHEMA] = { "schema", parley_gate_schema, 0, 1 },
    [PARLEY_STEP_PAYLOAD] = { "payload", parley_gate_payload, 0, 0 },
    [PARLEY_STEP_TRANSPORT] = { "transport", parley_gate_transport, 0, 0 },
    [PARLEY_STEP_SENDER] = { "sender", parley_gate_sender, 1, 0 },
    [PARLEY_STEP_SIGNATURE] = { "signature", parley_gate_signature, 1, 0 },
    [PARLEY_STEP_SENDER_RATE] = { "sender-rate", parley_gate_sender_rate,
                                  0, 0 },
    [PARLEY_STEP_ARGUMENTS] = { "arguments", parley_gate_arguments, 0, 1 },
    [PARLEY_STEP_SUBMISSION] = { "submission", parley_gate_submission,
                                 0, 1 },
    [PARLEY_STEP_REFERENCE] = { "reference", NULL, 0, 1 },
    [PARLEY_STEP_POLICY] = { "policy", parley_gate_policy, 0, 1 },
    [PARLEY_STEP_DIRECTION] = { "direction", parley_gate_direction, 0, 1 },
    [PARLEY_STEP_OWN] = { "own", NULL, 0, 0 },
    [PARLEY_STEP_AGE] = { "age", parley_gate_age, 0, 0 },
    [PARLEY_STEP_ADMIT] = { "admit", NULL, 0, 0 },
    [PARLEY_STEP_REFUTE] = { "refute", NULL, 0, 0 },
    [PARLEY_STEP_AMEND] = { "amend", parley_gate_amend, 0, 1 },
    [PARLEY_STEP_TRANSLATE] = { "translate", NULL, 0, 1 },
    [PARLEY_STEP_LOSS] = { "loss", parley_gate_loss, 0, 1 },
    [PARLEY_STEP_KEEP] = { "keep", NULL, 0, 1 },
};


void
parley_gate_init(parley_gate_t *g)
{
    g->entry = NULL;
    g->at = PARLEY_STEP_METHOD;
    g->proto = PARLEY_PROTO_NONE;
    g->to = parley_str_none;
    g->lacks = NULL;
    g->stale = NULL;
    g->doc_read = 0;
    g->msg_read = 0;
    g->proven = 0;
    g->edited = 0;
    g->addressed = 0;
    g->uncounted = 0;
}


void
parley_gate_resume(parley_gate_t *g, const parley_gate_conf_t *conf)
{
    if (g->entry == NULL) {
        g->entry = g->conf;
    }

    g->conf = conf;
    g->at = PARLEY_STEP_METHOD;
    g->to = parley_str_none;
    g->edited = 0;
    g->addressed = 0;

    parley_error_clear(g->err);
    parley_loss_init(g->loss, g->arena);
}


const char *
parley_step_name(parley_step_t step)
{
    return parley_gate_rows[step].name;
}


parley_outcome_t
parley_gate_run(parley_gate_t *g)
{
    parley_step_t     step;
    parley_outcome_t  outcome;

    for ( /* void */ ; g->at < PARLEY_STEP_COUNT; g->at++) {
        step = parley_gate_next(g);

        if (g->entry != NULL && !parley_gate_rows[step].again) {
            continue;
        }

        outcome = parley_gate_step(g, step);

        if (outcome == PARLEY_OUTCOME_REFUSED && parley_gate_spares(g, step))
        {
            return PARLEY_OUTCOME_SPARED;
        }

        if (outcome >= PARLEY_OUTCOME_REFUSED) {
            return outcome;
        }
    }

    return PARLEY_OUTCOME_PASSED;
}


/* a dry run spares whoever is proven: that is asked before all else */

static parley_step_t
parley_gate_next(const parley_gate_t *g)
{
    if (g->conf->dry != PARLEY_DRY_ON || g->at > PARLEY_STEP_PROOF) {
        return g->at;
    }

    return g->at == PARLEY_STEP_PROOF ? PARLEY_STEP_METHOD : g->at + 1;
}


static parley_outcome_t
parley_gate_step(parley_gate_t *g, parley_step_t step)
{
    parley_step_pt    run;
    parley_outcome_t  outcome;

    run = parley_gate_rows[step].run;

    if (run == NULL) {
        run = g->env->steps[step];
    }

    outcome = run != NULL ? run(g) : PARLEY_OUTCOME_NONE;

    if (outcome == PARLEY_OUTCOME_REFUSED && parley_gate_rows[step].proves) {
        parley_gate_failed(g);
    }

    if (g->env->told != NULL) {
        g->env->told(g, step, outcome);
    }

    return outcome;
}


/*
 * SEC-20: a dry run goes on with what is refused, but not with who is not
 * proven, unless it is told so in words.
 */

static int
parley_gate_spares(const parley_gate_t *g, parley_step_t step)
{
    if (g->entry != NULL) {
        return 0;
    }

    switch (g->conf->dry) {

    case PARLEY_DRY_OFF:
        return 0;

    case PARLEY_DRY_ALL:
        return 1;

    default:
        return !parley_gate_rows[step].proves
               && (g->conf->trusted || g->proven || g->who->jwt != NULL);
    }
}


void
parley_gate_way(const parley_gate_t *g, parley_way_t *ret)
{
    ret->trusted = g->conf->trusted;
    ret->tls = g->tls;
    ret->token = g->who->principal != NULL && g->who->jwt != NULL;
    ret->must_sign = g->conf->signature == PARLEY_DEMAND_REQUIRED;
}


parley_str_t
parley_gate_to(const parley_gate_t *g)
{
    return g->msg->recipient.len > 0 ? g->msg->recipient : g->to;
}


void
parley_gate_caps(const parley_gate_t *g, parley_caps_t *ret)
{
    *ret = g->conf->caps;

    ret->max_priority = g->who->principal != NULL
                        ? g->who->principal->max_priority : parley_str_none;
}
