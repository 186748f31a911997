/* The table of steps, its verdict, and a message that continues. */

#include "t/unit/parley_test_gate.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_jwt_conf.h"
#include "translate/parley_intents.h"


/* Returns whether the payload of the forwarded message has a member. */

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

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    for (i = 0; i < PARLEY_STEP_COUNT; i++) {
        assert_int_equal(t.taken[i], i < PARLEY_STEP_ANSWER
                                     && i != PARLEY_STEP_SERVE);
    }

    parley_test_state_end(&t.state);
    parley_arena_reset(&t.arena);
}


/* Settings add steps to those that every location has. */

static void
test_plan(void **state)
{
    test_gate_t              t;
    parley_plan_t            most;
    parley_gate_conf_t       conf;
    parley_settings_t        s;
    parley_settings_http_t   http;

    static const parley_plan_t  rare =
        PARLEY_PLAN(PARLEY_STEP_FAILURES) | PARLEY_PLAN(PARLEY_STEP_PROOF)
        | PARLEY_PLAN(PARLEY_STEP_RATE) | PARLEY_PLAN(PARLEY_STEP_PAYLOAD)
        | PARLEY_PLAN(PARLEY_STEP_REVOCATION)
        | PARLEY_PLAN(PARLEY_STEP_SENDER_RATE)
        | PARLEY_PLAN(PARLEY_STEP_SESSION)
        | PARLEY_PLAN(PARLEY_STEP_REWRITE) | PARLEY_PLAN(PARLEY_STEP_RECORD)
        | PARLEY_PLAN(PARLEY_STEP_HOST) | PARLEY_PLAN(PARLEY_STEP_PUBLISH);

    static const parley_jwt_conf_t     jwt;
    static const parley_rate_t         rate;
    static const parley_submit_conf_t  submit;
    static const parley_host_conf_t    host;

    (void) state;

    memset(&http, 0, sizeof(http));
    parley_settings_init(&s);

    most = parley_gate_plan(&http, &s);
    assert_int_equal(most, (PARLEY_PLAN(PARLEY_STEP_ANSWER) - 1) & ~rare);

#define PARLEY_ADDS(member, value, steps)                                     \
    {                                                                         \
        __typeof__(member)  before = member;                                  \
                                                                              \
        member = (value);                                                     \
        assert_int_equal(parley_gate_plan(&http, &s), most | (steps));        \
        member = before;                                                      \
    }

    PARLEY_ADDS(s.gate.failures.interval_us, 1,
                PARLEY_PLAN(PARLEY_STEP_FAILURES));
    PARLEY_ADDS(s.jwt, &jwt, PARLEY_PLAN(PARLEY_STEP_PROOF));
    PARLEY_ADDS(s.gate.certificate, PARLEY_DEMAND_OPTIONAL,
                PARLEY_PLAN(PARLEY_STEP_PROOF));
    PARLEY_ADDS(s.gate.rate, &rate,
                PARLEY_PLAN(PARLEY_STEP_RATE)
                | PARLEY_PLAN(PARLEY_STEP_SENDER_RATE));
    PARLEY_ADDS(http.intents, (parley_intents_t *) &http,
                PARLEY_PLAN(PARLEY_STEP_PAYLOAD));
    PARLEY_ADDS(http.revocations_file, PARLEY_STR("revoked.json"),
                PARLEY_PLAN(PARLEY_STEP_REVOCATION));
    PARLEY_ADDS(s.gate.speak, PARLEY_PROTO_C2A,
                PARLEY_PLAN(PARLEY_STEP_SESSION));
    PARLEY_ADDS(s.gate.nredact, 1, PARLEY_PLAN(PARLEY_STEP_REWRITE));
    PARLEY_ADDS(s.gate.caps.timeout_ms, 1, PARLEY_PLAN(PARLEY_STEP_REWRITE));
    PARLEY_ADDS(s.gate.caps.priority, PARLEY_PRIORITY_HIGH,
                PARLEY_PLAN(PARLEY_STEP_REWRITE));
    PARLEY_ADDS(http.audit, PARLEY_STR("audit.log"),
                PARLEY_PLAN(PARLEY_STEP_RECORD));
    PARLEY_ADDS(s.submit, &submit, PARLEY_PLAN(PARLEY_STEP_PUBLISH));

    s.host = &host;
    assert_int_equal(parley_gate_plan(&http, &s),
                     (most & ~PARLEY_PLAN_UNHOSTED)
                     | PARLEY_PLAN(PARLEY_STEP_HOST));
    s.host = NULL;

    /* a dry run changes nothing, and the gateway answers no message itself */

    http.audit = PARLEY_STR("audit.log");
    s.gate.dry = PARLEY_DRY_ALL;

    assert_int_equal(parley_gate_plan(&http, &s),
                     most & ~(PARLEY_PLAN(PARLEY_STEP_LOCAL)
                              | PARLEY_PLAN(PARLEY_STEP_REFUTE)
                              | PARLEY_PLAN(PARLEY_STEP_SUSPEND)));

    /* a step that is left out is reported in its place */

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.came_to[PARLEY_STEP_PROOF], PARLEY_RESULT_NONE);
    assert_int_equal(t.came_to[PARLEY_STEP_REWRITE], PARLEY_RESULT_NONE);
    assert_int_equal(t.came_to[PARLEY_STEP_ADMIT], PARLEY_RESULT_PASSED);

    test_end(&t);
}


/* AEE-28: a cap of only one principal. */

static void
test_plan_caps(void **state)
{
    parley_error_t          err;
    parley_arena_t          arena;
    parley_settings_t       s;
    parley_settings_http_t  http;

    (void) state;

    memset(&http, 0, sizeof(http));
    parley_settings_init(&s);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_directory_parse(&arena,
        PARLEY_STR("{\"principals\":[{\"sub\":\"a\"},{\"sub\":\"b\"}]}"),
        NULL, &http.directory, &err), 0);
    assert_false(parley_gate_plan(&http, &s)
                 & PARLEY_PLAN(PARLEY_STEP_REWRITE));

    parley_directory_free(http.directory);

    assert_int_equal(parley_directory_parse(&arena,
        PARLEY_STR("{\"principals\":[{\"sub\":\"a\"},"
                   "{\"sub\":\"b\",\"max_priority\":\"low\"}]}"),
        NULL, &http.directory, &err), 0);
    assert_true(parley_gate_plan(&http, &s)
                & PARLEY_PLAN(PARLEY_STEP_REWRITE));

    parley_directory_free(http.directory);
    parley_arena_reset(&arena);
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
        PARLEY_STEP_PROTOCOL, PARLEY_STEP_SCHEMA, PARLEY_STEP_REVOCATION,
        PARLEY_STEP_ARGUMENTS, PARLEY_STEP_SUBMISSION,
        PARLEY_STEP_REFERENCE, PARLEY_STEP_POLICY, PARLEY_STEP_DIRECTION,
        PARLEY_STEP_SESSION, PARLEY_STEP_REWRITE, PARLEY_STEP_TRANSLATE,
        PARLEY_STEP_LOSS, PARLEY_STEP_KEEP, PARLEY_STEP_FORWARD
    };

    (void) state;

    conf_init(&entry, &a);
    conf_init(&spare, &b);
    entry.caps.priority = PARLEY_PRIORITY_LOW;
    spare.caps.priority = PARLEY_PRIORITY_HIGH;

    gate_init(&t, &entry);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.msg.priority, PARLEY_PRIORITY_LOW);
    assert_false(has(&t, "a"));
    assert_true(has(&t, "b"));

    /* twice: a fallback may have its own fallback */

    for (n = 1; n <= 2; n++) {
        memset(t.taken, 0, sizeof(t.taken));
        gate_resume(&t, &spare);

        assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
        assert_int_equal(t.msg.priority, PARLEY_PRIORITY_HIGH);
        assert_true(t.gate.read.edited);
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

    /* redacted members stay away if the fallback redacts nothing */

    conf_init(&spare, NULL);
    gate_resume(&t, &spare);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
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

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    /* a dry run of the fallback lets nothing through */

    conf_init(&spare, NULL);
    spare.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_VCP);
    spare.dry = PARLEY_DRY_ALL;
    gate_resume(&t, &spare);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_PROTOCOL_UNSUPPORTED);

    parley_test_state_end(&t.state);
    parley_arena_reset(&t.arena);
}


/* The words are those of docs/directives.md. */

static void
test_words(void **state)
{
    unsigned  i;

    static const char *const  words[PARLEY_VERDICT_COUNT] = {
        "", "passed", "failed", "answered", "refused", "dry-passed",
        "dry-refused", "nginx"
    };

    (void) state;

    for (i = 0; i < PARLEY_VERDICT_COUNT; i++) {
        parley_assert_str(parley_verdict_name(i), words[i]);
    }

    assert_int_equal(parley_verdict_whose(PARLEY_VERDICT_REFUSED),
                     PARLEY_WHOSE_GATEWAY);
    assert_int_equal(parley_verdict_whose(PARLEY_VERDICT_PASSED),
                     PARLEY_WHOSE_UPSTREAM);
    assert_int_equal(parley_verdict_whose(PARLEY_VERDICT_OTHER),
                     PARLEY_WHOSE_OTHER);
}


static void
test_verdict(void **state)
{
    test_gate_t         t;
    parley_gate_conf_t  conf;

    (void) state;

    /* the message passed and was not answered */

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.verdicts, 1);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_LOST,
                   PARLEY_SETTLE_RELEASE);
    test_end(&t);

    /* refused by a step, and by the adapter */

    conf.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_VCP);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_REFUSED);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_REFUSED);
    assert_verdict(&t, PARLEY_VERDICT_REFUSED);
    test_end(&t);

    gate_init(&t, &conf);
    parley_gate_verdict_refuse(&t.gate);
    assert_verdict(&t, PARLEY_VERDICT_REFUSED);
    test_end(&t);

    /* the request ended before the first step; a variable may have proven the
       caller */

    gate_init(&t, &conf);
    assert_int_equal(parley_gate_run_proof(&t.gate, 1000), 0);
    parley_gate_leave(&t.gate, 1000);
    assert_int_equal(t.verdicts, 0);
    test_end(&t);
}


static void
test_verdict_waits(void **state)
{
    test_gate_t         t;
    parley_gate_env_t   waits;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    waits = env;
    waits.steps[PARLEY_STEP_BODY] = step_waits;
    t.gate.env = &waits;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_WAIT);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_WAIT);
    assert_int_equal(t.verdicts, 0);
    assert_verdict(&t, PARLEY_VERDICT_OTHER);
    test_end(&t);

    /* the message could not be sent: this is not an error of the gateway */

    gate_init(&t, &conf);

    waits = env;
    waits.steps[PARLEY_STEP_FORWARD] = step_fails;
    t.gate.env = &waits;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_FAILED);
    assert_int_equal(t.gate.report.verdict, PARLEY_VERDICT_NONE);
    assert_verdict(&t, PARLEY_VERDICT_OTHER);
    test_end(&t);
}


static void
test_verdict_dry(void **state)
{
    test_gate_t         t;
    parley_gate_env_t   fails;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf, NULL);
    conf.dry = PARLEY_DRY_ON;
    gate_init(&t, &conf);

    fails = env;
    fails.steps[PARLEY_STEP_FORWARD] = step_fails;
    t.gate.env = &fails;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_outcome(&t, PARLEY_VERDICT_DRY_PASSED, PARLEY_OUTCOME_UNTOUCHED,
                   PARLEY_SETTLE_COMMIT);
    test_end(&t);

    conf.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_VCP);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_SPARED);
    assert_outcome(&t, PARLEY_VERDICT_DRY_REFUSED, PARLEY_OUTCOME_UNTOUCHED,
                   PARLEY_SETTLE_RELEASE);
    test_end(&t);
}


static parley_recorded_t
record(parley_gate_t *g, parley_verdict_t verdict)
{
    test_gate_t *t = g->ctx;

    t->recorded++;

    assert_int_equal(verdict, PARLEY_VERDICT_PASSED);
    assert_int_equal(t->verdicts, 0);
    assert_int_equal(t->taken[PARLEY_STEP_FORWARD], 0);

    return t->unwritten ? PARLEY_RECORDED_UNWRITTEN
                        : PARLEY_RECORDED_WRITTEN;
}


static void
test_recorded(void **state)
{
    test_gate_t         t;
    parley_gate_env_t   records;
    parley_gate_conf_t  conf;

    (void) state;

    records = env;
    records.record = record;

    conf_init(&conf, NULL);
    gate_init(&t, &conf);
    t.gate.env = &records;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.recorded, 1);

    gate_resume(&t, &conf);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.recorded, 1);
    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_LOST,
                   PARLEY_SETTLE_RELEASE);
    test_end(&t);

    /* a message that cannot be recorded leaves no trace and may come again */

    gate_init(&t, &conf);
    t.gate.env = &records;
    t.unwritten = 1;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_CAPACITY);
    assert_int_equal(t.taken[PARLEY_STEP_FORWARD], 0);
    assert_int_equal(t.gate.where.settle, PARLEY_SETTLE_RELEASE);
    assert_verdict(&t, PARLEY_VERDICT_REFUSED);
    test_end(&t);

    /* a dry run refuses nothing */

    conf.dry = PARLEY_DRY_ALL;
    gate_init(&t, &conf);
    t.gate.env = &records;
    t.unwritten = 1;

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.recorded, 0);
    test_end(&t);
}


static const struct CMUnitTest  tests[] = {
    parley_test("every step is taken once", test_steps),
    parley_test("a step that cannot apply is left out, and told", test_plan),
    parley_test("AEE-28 a cap of one principal alone", test_plan_caps),
    parley_test("GW-24 a message continues with the steps of another place",
                test_resumed),
    parley_test("GW-24 what is refused there is refused",
                test_resumed_refused),
    parley_test("GW-26 a verdict has a word, and somebody whose it is",
                test_words),
    parley_test("GW-26 the verdict is told once", test_verdict),
    parley_test("GW-26 a message that waits has none", test_verdict_waits),
    parley_test("OPS-06 what has to be recorded is, before it goes on",
                test_recorded),
    parley_test("GW-26 a dry run says what would be, and that it went on",
                test_verdict_dry),
};

PARLEY_TEST_MAIN(tests)
