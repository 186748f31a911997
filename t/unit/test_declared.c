/* gate/publish/parley_gate_declared.c: intents that are declared only */

#include "t/unit/parley_test_state.h"

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 1000000)
#define HOUR  ((int64_t) 3600 * 1000)


static parley_test_state_t   t;
static parley_arena_t        arena;
static parley_error_t        err;
static parley_settings_t     settings;
static parley_submit_conf_t  conf;
static parley_state_ops_t    ops;
static unsigned              meanwhile; /* number of changes between a get and
                                           the put after it */
static const char           *happens;
static int64_t               waits;


static int publish(const char *intent, uint8_t account);


static parley_state_done_t
get(parley_state_t *s, const parley_lookup_t *l, parley_records_t *ret,
    parley_call_t *call)
{
    unsigned             left;
    parley_state_done_t  done;

    done = parley_memory_ops.get(s, l, ret, call);

    if (meanwhile > 0) {
        left = meanwhile - 1;
        meanwhile = 0;
        assert_int_equal(publish(happens, 1), 0);
        meanwhile = left;
    }

    return done;
}


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    t.now = T0;

    ops = parley_memory_ops;
    ops.get = get;
    t.s.state.ops = &ops;

    memset(&settings, 0, sizeof(settings));
    memset(&conf, 0, sizeof(conf));

    settings.submit = &conf;
    conf.declares = 3;
    meanwhile = 0;

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&arena);

    return 0;
}


/* as the step PUBLISH does */

static int
publish(const char *intent, uint8_t account)
{
    int            rc;
    parley_msg_t   msg;
    parley_gate_t  g;

    memset(&g, 0, sizeof(g));
    memset(&msg, 0, sizeof(msg));
    memset(g.proof.account, account, PARLEY_KEY_LEN);

    g.conf.s = &settings;
    g.msg = &msg;
    g.err = &err;
    msg.intent = parley_str_c(intent);

    parley_ask_init(&g.ask, &t.s.state, &arena);
    parley_ask_begin(&g.ask, T0);

    rc = parley_gate_declare(&g);

    if (rc == 0) {
        rc = parley_gate_declare_flush(&g);
    }

    parley_ask_end(&g.ask);
    waits = g.report.wait;

    return rc;
}


static int
declare(void)
{
    return publish(PARLEY_INTENT_DECLARE, 1);
}


static void
refused(parley_code_t code)
{
    assert_int_equal(declare(), -1);
    assert_int_equal(err.code, code);
}


static void
test_limit(void **state)
{
    (void) state;

    assert_int_equal(declare(), 0);
    t.now += 1000;
    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);
    assert_int_equal(waits, HOUR - 1000);

    assert_int_equal(publish("channel.agent_advisory", 1), 0);
    assert_int_equal(publish(PARLEY_INTENT_DECLARE, 2), 0);
    assert_int_equal(publish(PARLEY_INTENT_FLUSH, 2), 0);
    refused(PARLEY_E_RATE_LIMITED);

    /* refused ones do not extend it */

    t.now = T0 + HOUR - 1;
    refused(PARLEY_E_RATE_LIMITED);
    t.now = T0 + HOUR;
    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);

    assert_int_equal(publish(PARLEY_INTENT_FLUSH, 1), 0);
    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);
}


static void
test_no_limit(void **state)
{
    unsigned  i;

    (void) state;

    conf.declares = 0;

    for (i = 0; i < 100; i++) {
        assert_int_equal(declare(), 0);
    }

    conf.declares = 1;
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);
}


static void
test_at_once(void **state)
{
    (void) state;

    assert_int_equal(declare(), 0);

    happens = PARLEY_INTENT_DECLARE;
    meanwhile = 1;
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);
}


static void
test_last_at_once(void **state)
{
    (void) state;

    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);

    happens = PARLEY_INTENT_DECLARE;
    meanwhile = 1;
    refused(PARLEY_E_RATE_LIMITED);
}


static void
test_flush_at_once(void **state)
{
    (void) state;

    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);

    happens = PARLEY_INTENT_FLUSH;
    meanwhile = 1;
    assert_int_equal(declare(), 0);

    assert_int_equal(declare(), 0);
    assert_int_equal(declare(), 0);
    refused(PARLEY_E_RATE_LIMITED);
}


static void
test_busy(void **state)
{
    (void) state;

    conf.declares = 1000;
    assert_int_equal(declare(), 0);

    happens = PARLEY_INTENT_DECLARE;
    meanwhile = 100;
    refused(PARLEY_E_CAPACITY);
    assert_true(waits > 0);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("ACH-29: so many within an hour, until a flush", test_limit),
    test("ACH-29: none are counted where there is no limit", test_no_limit),
    test("ACH-29: two at once are two", test_at_once),
    test("ACH-29: of two at once the last one alone passes",
         test_last_at_once),
    test("ACH-29: a flush at the same time counts", test_flush_at_once),
    test("ACH-29: where others always come first there is no capacity",
         test_busy),
};

PARLEY_TEST_MAIN(tests)
