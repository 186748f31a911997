/* The verdict and the outcome of a message, each reported once. */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"
#include "gate/correlation/parley_exchange.h"


/* milliseconds after which a message may be sent again if the audit log could
   not be written */
#define PARLEY_GATE_UNWRITTEN  1000


static parley_verdict_t parley_gate_verdict(const parley_gate_t *g);
static void parley_gate_report_verdict(parley_gate_t *g,
    parley_verdict_t verdict);
static parley_step_result_t parley_gate_verdict_unwritten(parley_gate_t *g);


/* Returns the verdict for the result of the steps. */

static parley_verdict_t
parley_gate_verdict(const parley_gate_t *g)
{
    switch (g->where.result) {

    case PARLEY_RESULT_PASSED:
        return parley_gate_is_dry(g) ? PARLEY_VERDICT_DRY_PASSED
                                     : PARLEY_VERDICT_PASSED;

    case PARLEY_RESULT_REFUSED:
        return PARLEY_VERDICT_REFUSED;

    case PARLEY_RESULT_SPARED:
        return PARLEY_VERDICT_DRY_REFUSED;

    case PARLEY_RESULT_ANSWERED:
        return PARLEY_VERDICT_ANSWERED;

    default: /* PARLEY_RESULT_FAILED: the adapter reports it */
        return PARLEY_VERDICT_NONE;
    }
}


static void
parley_gate_report_verdict(parley_gate_t *g, parley_verdict_t verdict)
{
    g->report.verdict = verdict;

    if (g->report.verdict_reported) {
        return;
    }

    g->report.verdict_reported = 1;

    if (g->env->verdict != NULL) {
        g->env->verdict(g);
    }
}


void
parley_gate_verdict_conclude(parley_gate_t *g)
{
    parley_verdict_t  verdict;

    if (g->where.state == PARLEY_GATE_DECIDED) {
        return;
    }

    verdict = parley_gate_verdict(g);

    if (verdict == PARLEY_VERDICT_NONE) {
        return;
    }

    g->where.state = PARLEY_GATE_DECIDED;

    parley_gate_report_verdict(g, verdict);

    if (verdict == PARLEY_VERDICT_REFUSED) {
        parley_gate_report_outcome(g, PARLEY_OUTCOME_REFUSED, NULL);

    } else if (verdict != PARLEY_VERDICT_ANSWERED && !g->conf.s->proves
               && !g->serve.relays)
    {
        g->report.forwarded = 1;
    }
}


parley_step_result_t
parley_gate_verdict_record(parley_gate_t *g)
{
    return parley_gate_verdict_record_as(g, PARLEY_VERDICT_PASSED);
}


parley_step_result_t
parley_gate_verdict_record_as(parley_gate_t *g, parley_verdict_t verdict)
{
    if (g->env->record == NULL || g->report.recorded || parley_gate_is_dry(g)) {
        return PARLEY_RESULT_NONE;
    }

    g->report.recorded = 1;

    switch (g->env->record(g, verdict)) {

    case PARLEY_RECORDED_WRITTEN:
        return PARLEY_RESULT_PASSED;

    case PARLEY_RECORDED_UNWRITTEN:
        return g->conf.http->audit_pass ? PARLEY_RESULT_NONE
                                        : parley_gate_verdict_unwritten(g);

    default: /* PARLEY_RECORDED_NONE */
        return PARLEY_RESULT_NONE;
    }
}


static parley_step_result_t
parley_gate_verdict_unwritten(parley_gate_t *g)
{
    g->report.unwritten = 1;
    g->report.wait = PARLEY_GATE_UNWRITTEN;

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "the audit log cannot be written");

    return PARLEY_RESULT_REFUSED;
}


void
parley_gate_verdict_refuse(parley_gate_t *g)
{
    g->where.begun = 1;
    g->where.result = PARLEY_RESULT_REFUSED;

    if (g->where.state == PARLEY_GATE_STEPS) {
        g->where.state = PARLEY_GATE_ENDING;
    }

    parley_gate_verdict_conclude(g);
}


void
parley_gate_verdict_settles(parley_gate_t *g, parley_settle_t settle)
{
    if (g->where.settle != PARLEY_SETTLE_OPEN || settle == PARLEY_SETTLE_OPEN) {
        return;
    }

    g->where.settle = settle;

    if (g->report.forwarded) {
        parley_gate_report_step(g, PARLEY_STEP_SETTLE,
                                settle == PARLEY_SETTLE_COMMIT
                                ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE);
    }
}


void
parley_gate_report_outcome(parley_gate_t *g, parley_outcome_kind_t kind,
    const parley_answered_t *answer)
{
    parley_outcome_t  outcome;

    if (!g->report.forwarded || g->report.outcome_reported) {
        return;
    }

    g->report.outcome_reported = 1;

    if (g->env->outcome != NULL) {
        outcome.kind = kind;
        outcome.settle = g->where.settle;
        outcome.answer = answer;

        g->env->outcome(g, &outcome);
    }
}


void
parley_gate_report_rest(parley_gate_t *g)
{
    parley_verdict_t  verdict;

    if (!g->report.verdict_reported) {
        /* decided, but the state has not settled the id */

        verdict = g->where.state != PARLEY_GATE_STEPS
                  ? parley_gate_verdict(g) : PARLEY_VERDICT_NONE;

        /* a message that was not forwarded cannot have passed */

        parley_gate_report_verdict(g, verdict == PARLEY_VERDICT_REFUSED
                                      || verdict == PARLEY_VERDICT_ANSWERED
                                      ? verdict : PARLEY_VERDICT_OTHER);
    }

    parley_gate_report_outcome(g, g->report.verdict == PARLEY_VERDICT_FAILED
                                  ? PARLEY_OUTCOME_FAILED
                                  : parley_gate_is_dry(g)
                                  ? PARLEY_OUTCOME_UNTOUCHED
                                  : PARLEY_OUTCOME_LOST, NULL);
}
