/* The table of steps, and a message that continues at another location. */

#include "parley_gate.h"
#include "parley_test_state.h"
#include "parley_test_translate.h"


#define TEXT                                                                  \
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000001\","          \
    "\"ts\":\"2026-02-15T10:30:00.000Z\",\"type\":\"task\","                 \
    "\"from\":\"agent.alice\",\"to\":\"agent.bob\",\"intent\":\"ops.run\","  \
    "\"corr\":\"019502a4-7e5c-7000-8000-000000000002\","                     \
    "\"priority\":\"urgent\",\"payload\":{\"a\":1,\"b\":2,\"c\":3}}"


typedef struct {
    parley_gate_t       gate;
    parley_arena_t      arena;
    parley_error_t      err;
    parley_who_t        who;
    parley_json_t       doc;
    parley_json_t       rewritten;
    parley_msg_t        msg;
    parley_loss_t       loss;
    parley_test_state_t state;
    unsigned            taken[PARLEY_STEP_COUNT];
} test_gate_t;


static parley_outcome_t
step_body(parley_gate_t *g)
{
    g->body = PARLEY_STR(TEXT);
    g->now_ms = PARLEY_TEST_NOW;

    return PARLEY_OUTCOME_PASSED;
}


static parley_outcome_t
step_passes(parley_gate_t *g)
{
    (void) g;

    return PARLEY_OUTCOME_PASSED;
}


static int
arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    (void) g;

    ret->location = PARLEY_STR(" /a");

    return 0;
}


static int
options(parley_gate_t *g, parley_encode_opts_t *ret)
{
    (void) g;

    ret->now_ms = PARLEY_TEST_NOW;

    return 0;
}


static void
told(parley_gate_t *g, parley_step_t step, parley_outcome_t outcome)
{
    test_gate_t *t = g->ctx;

    (void) outcome;

    t->taken[step]++;
}


static const parley_gate_env_t  env = {
    .steps = {
        [PARLEY_STEP_METHOD] = step_passes,
        [PARLEY_STEP_PROOF] = step_passes,
        [PARLEY_STEP_BODY] = step_body,
    },
    .arrival = arrival,
    .options = options,
    .told = told,
};


static const parley_str_t  self[PARLEY_PROTO_COUNT];


static void
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


static void
gate_init(test_gate_t *t, const parley_gate_conf_t *conf)
{
    parley_gate_t  *g = &t->gate;

    memset(t, 0, sizeof(*t));
    parley_arena_init(&t->arena, &parley_mem_libc, 0);
    parley_error_clear(&t->err);
    parley_loss_init(&t->loss, &t->arena);

    t->who.arena = &t->arena;
    t->who.msg = &t->msg;

    g->conf = conf;
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
    g->self = self;
    g->seed = PARLEY_TEST_SEED;
    g->window = 600000;

    parley_test_state_begin(&t->state, 256 * 1024, PARLEY_SHARE_ALL);
    parley_ask_init(&g->ask, &t->state.s, &t->arena);
    parley_gate_init(g);
}


/* what the message that goes on has in its payload */

static int
has(const test_gate_t *t, const char *name)
{
    uint32_t              payload;
    const parley_json_t  *doc = t->msg.doc;

    payload = parley_json_get(doc, 0, PARLEY_STR("payload"));

    return parley_json_get(doc, payload, parley_str_c(name))
           != PARLEY_JSON_NONE;
}


static void
test_steps(void **state)
{
    unsigned            i;
    test_gate_t         t;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_PASSED);

    for (i = 0; i < PARLEY_STEP_COUNT; i++) {
        assert_int_equal(t.taken[i], 1);
    }

    parley_test_state_end(&t.state);
    parley_arena_reset(&t.arena);
}


static void
test_resumed(void **state)
{
    unsigned            i, n;
    test_gate_t         t;
    parley_gate_conf_t  entry, spare;

    static const parley_edit_t  a = { parley_str("/payload/a"), { 0 } };
    static const parley_edit_t  b = { parley_str("/payload/b"), { 0 } };

    static const parley_step_t  again[] = {
        PARLEY_STEP_PROTOCOL, PARLEY_STEP_SCHEMA, PARLEY_STEP_ARGUMENTS,
        PARLEY_STEP_SUBMISSION, PARLEY_STEP_REFERENCE, PARLEY_STEP_POLICY,
        PARLEY_STEP_DIRECTION, PARLEY_STEP_REWRITE, PARLEY_STEP_TRANSLATE,
        PARLEY_STEP_LOSS, PARLEY_STEP_KEEP
    };

    (void) state;

    conf_init(&entry, &a);
    conf_init(&spare, &b);
    entry.caps.priority = PARLEY_PRIORITY_LOW;
    spare.caps.priority = PARLEY_PRIORITY_HIGH;

    gate_init(&t, &entry);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_PASSED);
    assert_int_equal(t.msg.priority, PARLEY_PRIORITY_LOW);
    assert_false(has(&t, "a"));
    assert_true(has(&t, "b"));

    /* twice: a fallback may have its own */

    for (n = 1; n <= 2; n++) {
        memset(t.taken, 0, sizeof(t.taken));
        parley_gate_resume(&t.gate, &spare);

        assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_PASSED);
        assert_int_equal(t.msg.priority, PARLEY_PRIORITY_HIGH);
        assert_true(t.gate.edited);
        assert_false(has(&t, "a"));
        assert_false(has(&t, "b"));
        assert_true(has(&t, "c"));

        for (i = 0; i < sizeof(again) / sizeof(again[0]); i++) {
            assert_int_equal(t.taken[again[i]], 1);
            t.taken[again[i]] = 0;
        }

        for (i = 0; i < PARLEY_STEP_COUNT; i++) {
            assert_int_equal(t.taken[i], 0);
        }
    }

    /* what nobody redacts there stays away all the same */

    conf_init(&spare, NULL);
    parley_gate_resume(&t.gate, &spare);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_PASSED);
    assert_int_equal(t.msg.priority, PARLEY_PRIORITY_URGENT);
    assert_false(has(&t, "a"));
    assert_true(has(&t, "b"));

    parley_test_state_end(&t.state);
    parley_arena_reset(&t.arena);
}


static void
test_resumed_refused(void **state)
{
    test_gate_t         t;
    parley_gate_conf_t  entry, spare;

    (void) state;

    conf_init(&entry, NULL);
    gate_init(&t, &entry);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_PASSED);

    /* a dry run of the fallback's spares nothing */

    conf_init(&spare, NULL);
    spare.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_VCP);
    spare.dry = PARLEY_DRY_ALL;
    parley_gate_resume(&t.gate, &spare);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_OUTCOME_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_PROTOCOL_UNSUPPORTED);

    parley_test_state_end(&t.state);
    parley_arena_reset(&t.arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("every step is taken once", test_steps),
    parley_test("GW-24 a message continues with the steps of another place",
                test_resumed),
    parley_test("GW-24 what is refused there is refused",
                test_resumed_refused),
};

PARLEY_TEST_MAIN(tests)
