/* The loop that runs the steps of a message. */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "gate/parley_gate_rows.h"
#include "translate/parley_loss.h"
#include "gate/settings/parley_settings.h"


static parley_step_result_t parley_gate_walk(parley_gate_t *g,
    parley_step_t end, int64_t clock, parley_step_t *ret);
static int parley_gate_finish(parley_gate_t *g, int64_t clock);
static void parley_gate_run_left_out(parley_gate_t *g, parley_step_t step);
static parley_step_t parley_gate_run_next(const parley_gate_t *g);
static parley_step_result_t parley_gate_run_adapted(parley_gate_t *g,
    parley_step_t step);
static void parley_gate_run_stops(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result);
static void parley_gate_end_at(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result);
static void parley_gate_run_ends(parley_gate_t *g, parley_step_result_t result);
static int parley_gate_end(parley_gate_t *g);
static int parley_gate_run_spares(const parley_gate_t *g, parley_step_t step);


void
parley_gate_init(parley_gate_t *g)
{
    memset(&g->out, 0, sizeof(parley_gate_out_t));
    memset(&g->report, 0, sizeof(parley_gate_report_t));
    memset(&g->where, 0, sizeof(parley_gate_where_t));
    memset(&g->read, 0, sizeof(parley_gate_read_t));
    memset(&g->proof, 0, sizeof(parley_gate_proof_t));
    memset(&g->admit, 0, sizeof(parley_gate_admission_t));
    memset(&g->publish, 0, sizeof(parley_gate_publish_t));
    memset(&g->serve, 0, sizeof(parley_gate_serve_t));
    memset(&g->answer, 0, sizeof(parley_gate_answer_t));

    g->in.timed_out = 0;
    g->where.at = PARLEY_STEP_METHOD;
    g->read.proto = PARLEY_PROTO_NONE;
    g->report.verdict = PARLEY_VERDICT_NONE;
    g->where.settle = PARLEY_SETTLE_OPEN;
}


void
parley_gate_configure(parley_gate_t *g, const parley_settings_http_t *http,
    const parley_settings_t *s)
{
    g->conf.http = http;
    g->conf.s = s;
    g->conf.gate = &s->gate;
    g->conf.plan = parley_gate_plan(http, s);
    g->conf.intents = http->intents;
    g->conf.self = http->self_names;
    g->conf.key = http->signing;
    g->conf.window = s->window_ms;
    g->conf.retain = http->retain != 0 ? http->retain_ms : 0;
    g->conf.replay = http->replay_size != 0 ? http->replay_ms : 0;

    g->who->directory = http->directory;
    parley_who_about(g->who, g->arena, g->msg);
}


void
parley_gate_resume(parley_gate_t *g, const parley_settings_t *s)
{
    if (g->where.entry == NULL) {
        g->where.entry = g->conf.gate;
    }

    g->conf.s = s;
    g->conf.gate = &s->gate;
    g->conf.plan = parley_gate_plan_again(g->conf.http, s);
    g->where.state = PARLEY_GATE_STEPS;
    g->where.at = PARLEY_STEP_METHOD;
    g->read.to = parley_str_none;
    g->report.rule = NULL;
    g->read.edited = 0;
    g->read.addressed = 0;
    g->report.verdict = PARLEY_VERDICT_NONE;

    /*
     * the question is looked up again; the slot in the question's record stays
     */

    g->read.correlation.question = NULL;
    g->read.correlation.answering = NULL;
    g->read.correlation.recalled = 0;

    g->admit.before = g->admit.asked;
    g->answer.exchange = NULL;
    g->answer.given_set = 0;

    memset(g->answer.given, 0, sizeof(g->answer.given));
    memset(&g->admit.asked, 0, sizeof(parley_asked_t));
    memset(&g->read.supervision, 0, sizeof(parley_supervision_t));
    memset(&g->out.opts, 0, sizeof(parley_encode_opts_t));
    memset(&g->out.sent, 0, sizeof(parley_encoded_t));

    parley_error_clear(g->err);
    parley_loss_init(g->loss, g->arena);
}


const char *
parley_step_name(parley_step_t step)
{
    return parley_gate_rows[step].name;
}


const char *
parley_step_result_name(parley_step_result_t result)
{
    static const char *const  names[] = {
        [PARLEY_RESULT_PASSED] = "passed",
        [PARLEY_RESULT_NONE] = "-",
        [PARLEY_RESULT_REFUSED] = "refused",
        [PARLEY_RESULT_SPARED] = "spared",
        [PARLEY_RESULT_ANSWERED] = "answered",
        [PARLEY_RESULT_WAIT] = "waits",
        [PARLEY_RESULT_FAILED] = "failed"
    };

    return names[result];
}


parley_step_result_t
parley_gate_run(parley_gate_t *g, int64_t clock)
{
    g->where.begun = 1;

    parley_ask_begin(&g->ask, clock);

    if ((g->where.state == PARLEY_GATE_STEPS
         && parley_gate_finish(g, clock) == PARLEY_WAIT)
        || parley_gate_end(g) == PARLEY_WAIT)
    {
        return PARLEY_RESULT_WAIT;
    }

    parley_ask_end(&g->ask);
    parley_ask_over(&g->ask);
    parley_gate_verdict_conclude(g);

    return g->where.result;
}


int
parley_gate_run_proof(parley_gate_t *g, int64_t clock)
{
    parley_step_t         step;
    parley_step_result_t  result;

    if (g->where.begun || g->where.early != PARLEY_RESULT_PASSED
        || g->where.at > PARLEY_STEP_PROOF)
    {
        return 0;
    }

    step = PARLEY_STEP_METHOD;
    g->where.may_not_wait = 1;

    parley_ask_begin(&g->ask, clock);

    result = parley_gate_walk(g, PARLEY_STEP_PROOF + 1, clock, &step);

    if (result == PARLEY_RESULT_WAIT) {
        parley_ask_part(&g->ask);

    } else if (result >= PARLEY_RESULT_REFUSED) {
        g->where.early = result;
        g->where.early_step = step;
    }

    parley_ask_end(&g->ask);

    g->where.may_not_wait = 0;

    return result == PARLEY_RESULT_WAIT ? PARLEY_WAIT : 0;
}


int
parley_gate_run_has_proof(const parley_gate_t *g)
{
    return g->where.at > PARLEY_STEP_PROOF;
}


/* Runs the steps before end.  Returns WAIT, PASSED, or the result and the step
   that stop the message. */

static parley_step_result_t
parley_gate_walk(parley_gate_t *g, parley_step_t end, int64_t clock,
    parley_step_t *ret)
{
    parley_step_t             step;
    parley_step_result_t      result;
    const parley_gate_row_t  *row;

    for ( /* void */ ; g->where.at != end; g->where.at++) {

        step = parley_gate_run_next(g);

        if (!(g->conf.plan & PARLEY_PLAN(step))) {
            parley_gate_run_left_out(g, step);
            continue;
        }

        row = &parley_gate_rows[step];

        result = row->run != NULL ? row->run(g)
                 : row->check != NULL ? row->check(g)
                 : parley_gate_run_adapted(g, step);

        if (result > PARLEY_RESULT_NONE) {

            if (result != PARLEY_RESULT_WAIT) {
                parley_ask_next(&g->ask, clock);
                *ret = step;
            }

            return result;
        }

        parley_ask_next(&g->ask, clock);
        parley_gate_report_step(g, step, result);
    }

    return PARLEY_RESULT_PASSED;
}


/* Runs the rest of the steps.  Returns 0, or PARLEY_WAIT. */

static int
parley_gate_finish(parley_gate_t *g, int64_t clock)
{
    parley_step_t         step;
    parley_step_result_t  result;

    step = g->where.early_step;
    result = g->where.early != PARLEY_RESULT_PASSED
             ? g->where.early
             : parley_gate_walk(g, PARLEY_STEP_ANSWER, clock, &step);

    if (result == PARLEY_RESULT_WAIT) {
        return PARLEY_WAIT;
    }

    if (result == PARLEY_RESULT_PASSED) {
        parley_gate_run_ends(g, PARLEY_RESULT_PASSED);

    } else {
        parley_gate_run_stops(g, step, result);
    }

    return 0;
}


/*
 * Reports a step that is left out, unless a continued message took it before.
 */

static void
parley_gate_run_left_out(parley_gate_t *g, parley_step_t step)
{
    if (g->where.entry == NULL || parley_gate_rows[step].again) {
        parley_gate_report_step(g, step, PARLEY_RESULT_NONE);
    }
}


/*
 * Ends the steps.  A message that is answered here is recorded before the
 * answer.
 */

static void
parley_gate_run_stops(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result)
{
    if (result == PARLEY_RESULT_ANSWERED
        && parley_gate_verdict_record_as(g, PARLEY_VERDICT_ANSWERED)
           == PARLEY_RESULT_REFUSED)
    {
        result = PARLEY_RESULT_REFUSED;
    }

    parley_gate_end_at(g, g->report.unwritten ? PARLEY_STEP_RECORD : step,
                       result);
}


/* Reports the result of the last step and ends the steps. */

static void
parley_gate_end_at(parley_gate_t *g, parley_step_t step,
    parley_step_result_t result)
{
    parley_gate_report_step(g, step, result);

    g->proof.unproven = result == PARLEY_RESULT_REFUSED
                        && parley_gate_rows[step].proves;

    parley_gate_run_ends(g, result == PARLEY_RESULT_REFUSED
                            && parley_gate_run_spares(g, step)
                            ? PARLEY_RESULT_SPARED : result);
}


static void
parley_gate_run_ends(parley_gate_t *g, parley_step_result_t result)
{
    g->where.result = result;
    g->where.state = PARLEY_GATE_ENDING;
}


/* Settles a taken message, unless its outcome depends on an answer. */

static int
parley_gate_end(parley_gate_t *g)
{
    int  rc;

    if (g->proof.nlimits != 0 && !g->admit.entrance.asked
        && parley_gate_rate_tell(g) == PARLEY_WAIT)
    {
        return PARLEY_WAIT;
    }

    switch (g->where.result) {

    case PARLEY_RESULT_REFUSED:
    case PARLEY_RESULT_SPARED:

        if (g->proof.unproven && parley_gate_failed(g) == PARLEY_WAIT) {
            return PARLEY_WAIT;
        }

        parley_gate_verdict_settles(g, g->admit.entrance.taken
                                       ? PARLEY_SETTLE_COMMIT
                                       : PARLEY_SETTLE_RELEASE);

        return parley_gate_undo(g);

    case PARLEY_RESULT_PASSED:

        if (!parley_gate_is_dry(g)) {
            return 0;
        }

        /* fall through */

    case PARLEY_RESULT_ANSWERED:
        parley_gate_verdict_settles(g, PARLEY_SETTLE_COMMIT);

        rc = parley_reservation_take(&g->admit.entrance, NULL);
        g->admit.id_not_kept = rc == -1;
        return rc == PARLEY_SETTLED_LATE ? 0 : rc;

    default:
        return 0;
    }
}


void
parley_gate_end_deadline(parley_gate_t *g)
{
    parley_ask_part(&g->ask);

    if (g->where.at == PARLEY_STEP_ANSWER
        || g->where.state != PARLEY_GATE_STEPS)
    {
        /*
         * the state counts the failed proof, and the request does not wait for
         * it
         */
        g->proof.unproven = 0;
        return;
    }

    if (parley_gate_publish_deadline(g) == 0) {
        parley_gate_end_at(g, parley_gate_run_next(g), PARLEY_RESULT_ANSWERED);
        return;
    }

    g->report.wait = PARLEY_GATE_OVERDUE;

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "the state did not answer in time");

    parley_gate_end_at(g, parley_gate_run_next(g), PARLEY_RESULT_REFUSED);
}


void
parley_gate_leave(parley_gate_t *g, int64_t clock)
{
    parley_ask_part(&g->ask);

    g->ask.now = clock;

    if (g->proof.nlimits != 0 && !g->admit.entrance.asked
        && g->where.state == PARLEY_GATE_STEPS)
    {
        (void) parley_gate_rate_tell(g);
    }

    if (g->admit.entrance.taken) {
        parley_gate_verdict_settles(g, PARLEY_SETTLE_COMMIT);

    } else if (parley_reservation_is_open(&g->admit.entrance)) {
        parley_gate_verdict_settles(g, PARLEY_SETTLE_RELEASE);
        (void) (parley_gate_undo(g) == 0);
    }

    if (g->where.begun) {
        parley_gate_report_rest(g);
    }

    parley_gate_token_release(g);
}


/*
 * Returns the next step.  A dry run spares proven callers only, so PROOF runs
 * first.
 */

static parley_step_t
parley_gate_run_next(const parley_gate_t *g)
{
    if (g->where.at > PARLEY_STEP_PROOF || g->conf.gate->dry != PARLEY_DRY_ON) {
        return g->where.at;
    }

    return g->where.at == PARLEY_STEP_PROOF ? PARLEY_STEP_METHOD
                                            : g->where.at + 1;
}


/* Runs a step of the adapter. */

static parley_step_result_t
parley_gate_run_adapted(parley_gate_t *g, parley_step_t step)
{
    parley_step_pt        run;
    parley_step_result_t  result;

    run = step == PARLEY_STEP_FORWARD && parley_gate_is_dry(g)
          ? NULL : g->env->steps[step];

    result = run != NULL ? run(g) : PARLEY_RESULT_NONE;

    /* a message, or a frame of a WebSocket: the step SERVE has nothing to do */

    if (step == PARLEY_STEP_BODY && result < PARLEY_RESULT_REFUSED
        && (g->in.framed
            || (parley_settings_endpoint(g->conf.s) == PARLEY_ENDPOINT_NONE
                && g->conf.s->mcp == NULL && !g->serve.relays
                && !g->serve.opens)))
    {
        g->where.at = PARLEY_STEP_SERVE;
    }

    return result;
}


/*
 * Returns whether a dry run continues after the refusal of a step (SEC-20).  It
 * does not continue for an unproven caller, unless the directive says "all".
 */

static int
parley_gate_run_spares(const parley_gate_t *g, parley_step_t step)
{
    if (g->where.entry != NULL) {
        return 0;
    }

    switch (g->conf.gate->dry) {

    case PARLEY_DRY_OFF:
        return 0;

    case PARLEY_DRY_ALL:
        return 1;

    default:
        return !parley_gate_rows[step].proves
               && (g->conf.gate->trusted || g->proof.proven
                   || parley_who_is_caller(g->who));
    }
}
