/* Shared by the tests of the gate: one message, and an adapter for it. */

#ifndef PARLEY_TEST_GATE_H
#define PARLEY_TEST_GATE_H

#include "gate/message/parley_gate.h"
#include "gate/settings/parley_settings.h"
#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_translate.h"


#define TEXT                                                                  \
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000001\","          \
    "\"ts\":\"2026-02-15T10:30:00.000Z\",\"type\":\"task\","                 \
    "\"from\":\"agent.alice\",\"to\":\"agent.bob\",\"intent\":\"ops.run\","  \
    "\"corr\":\"019502a4-7e5c-7000-8000-000000000002\","                     \
    "\"priority\":\"urgent\",\"payload\":{\"a\":1,\"b\":2,\"c\":3}}"


typedef struct {
    parley_gate_t       gate;
    parley_settings_http_t  http;
    parley_settings_t   entry;          /* location of the request */
    parley_settings_t   spare;          /* location that it is passed to */
    parley_arena_t      arena;
    parley_error_t      err;
    parley_who_t        who;
    parley_json_t       doc;
    parley_json_t       rewritten;
    parley_msg_t        msg;
    parley_loss_t       loss;
    parley_test_state_t state;
    unsigned            taken[PARLEY_STEP_COUNT];
    parley_step_result_t  came_to[PARLEY_STEP_COUNT];
    unsigned            recorded;
    unsigned            unwritten;
    unsigned            verdicts;
    parley_verdict_t    verdict;
    unsigned            outcomes;
    parley_outcome_t    outcome;
} test_gate_t;


static inline parley_step_result_t
step_body(parley_gate_t *g)
{
    g->in.body = PARLEY_STR(TEXT);
    g->in.now_ms = PARLEY_TEST_NOW;

    return PARLEY_RESULT_PASSED;
}


static inline parley_step_result_t
step_passes(parley_gate_t *g)
{
    (void) g;

    return PARLEY_RESULT_PASSED;
}


static inline parley_step_result_t
step_waits(parley_gate_t *g)
{
    (void) g;

    return PARLEY_RESULT_WAIT;
}


static inline parley_step_result_t
step_fails(parley_gate_t *g)
{
    (void) g;

    return PARLEY_RESULT_FAILED;
}


static inline int
arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    (void) g;

    ret->location = PARLEY_STR(" /a");

    return 0;
}


static inline int
value(parley_gate_t *g, const parley_value_t *v, parley_str_t *ret)
{
    (void) g;

    *ret = v->text;

    return 0;
}


static inline int64_t
now(parley_gate_t *g)
{
    (void) g;

    return PARLEY_TEST_NOW;
}


static inline void
step_done(parley_gate_t *g, parley_step_t step, parley_step_result_t result)
{
    test_gate_t *t = g->ctx;

    t->taken[step]++;
    t->came_to[step] = result;
}


static inline void
verdict_reported(parley_gate_t *g)
{
    test_gate_t *t = g->ctx;

    t->verdicts++;
    t->verdict = g->report.verdict;
}


static inline void
outcome_reported(parley_gate_t *g, const parley_outcome_t *outcome)
{
    test_gate_t *t = g->ctx;

    t->outcomes++;
    t->outcome = *outcome;
}


/* Ends the request and checks the verdict that the gate reported. */

static inline void
assert_verdict(test_gate_t *t, parley_verdict_t verdict)
{
    parley_gate_leave(&t->gate, 1000);

    assert_int_equal(t->verdicts, 1);
    assert_int_equal(t->verdict, verdict);
    assert_int_equal(t->outcomes, 0);
}


static inline void
assert_outcome(test_gate_t *t, parley_verdict_t verdict,
    parley_outcome_kind_t kind, parley_settle_t settle)
{
    parley_gate_leave(&t->gate, 1000);

    assert_int_equal(t->verdicts, 1);
    assert_int_equal(t->verdict, verdict);
    assert_int_equal(t->outcomes, 1);
    assert_int_equal(t->outcome.kind, kind);
    assert_int_equal(t->outcome.settle, settle);
}


static const parley_gate_env_t  env = {
    .steps = {
        [PARLEY_STEP_METHOD] = step_passes,
        [PARLEY_STEP_BODY] = step_body,
    },
    .arrival = arrival,
    .now = now,
    .value = value,
    .step_done = step_done,
    .verdict = verdict_reported,
    .outcome = outcome_reported,
};


static inline void
conf_init(parley_gate_conf_t *conf, const parley_edit_t *redact)
{
    memset(conf, 0, sizeof(*conf));

    conf->accept = PARLEY_PROTO_BIT(PARLEY_PROTO_AEE);
    conf->speak = PARLEY_PROTO_AEE;
    conf->trusted = 1;
    conf->caps.priority = PARLEY_PRIORITY_URGENT;
    conf->limits = parley_json_limits_default;
    conf->past_ms = 300000;
    conf->future_ms = 30000;
    conf->redact = redact;
    conf->nredact = redact != NULL;
}


static inline void
gate_init(test_gate_t *t, const parley_gate_conf_t *conf)
{
    parley_gate_t  *g = &t->gate;

    memset(t, 0, sizeof(*t));
    parley_arena_init(&t->arena, &parley_mem_libc, 0);
    parley_error_clear(&t->err);
    parley_loss_init(&t->loss, &t->arena);

    t->entry.gate = *conf;
    t->entry.window_ms = 600000;
    t->http.audit = PARLEY_STR("audit.log");

    g->env = &env;
    g->ctx = t;
    g->engine = parley_test_engine();
    g->arena = &t->arena;
    g->err = &t->err;
    g->who = &t->who;
    g->doc = &t->doc;
    g->msg = &t->msg;
    g->rewritten = &t->rewritten;
    g->loss = &t->loss;
    g->in.seed = PARLEY_TEST_SEED;

    parley_test_state_begin(&t->state, 256 * 1024, PARLEY_SHARE_ALL);
    parley_ask_init(&g->ask, &t->state.s.state, &t->arena);
    parley_gate_configure(g, &t->http, &t->entry);
    parley_gate_init(g);
}


static inline void
gate_resume(test_gate_t *t, const parley_gate_conf_t *conf)
{
    t->spare.gate = *conf;
    parley_gate_resume(&t->gate, &t->spare);
}


static inline void
test_end(test_gate_t *t)
{
    parley_test_state_end(&t->state);
    parley_arena_reset(&t->arena);
}


#endif /* PARLEY_TEST_GATE_H */
