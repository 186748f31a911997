/*
 * Verbs of a message in a state that answers later (state/parley_ask.h), in
 * random orders.  PARLEY_TEST_SEED is the first seed of a run,
 * PARLEY_TEST_MESSAGES the number of histories.
 */

#include <stdlib.h>

#include "gate/message/parley_gate.h"
#include "gate/settings/parley_settings.h"
#include "t/later/parley_later.h"
#include "t/unit/parley_test_random.h"
#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_translate.h"
#include "gate/correlation/parley_exchange.h"


#define HISTORIES  4000
#define UNDER_WAY  64
#define TRIES      100

#define ID    "019502a4-7e5c-7000-8000-000000000001"
#define START                                                                 \
    "{\"v\":\"1\",\"id\":\"" ID "\","                                         \
    "\"ts\":\"2026-02-15T10:30:00.000Z\",\"type\":\"task\","                 \
    "\"from\":\"agent.alice\",\"to\":\"agent.bob\",\"intent\":\"ops.run\","  \
    "\"corr\":\"019502a4-7e5c-7000-8000-000000000002\","                     \
    "\"priority\":\"normal\",\"payload\":{\"a\":1}"

#define TEXT    START "}"
#define SIGNED                                                                \
    START ",\"sig\":{\"alg\":\"ed25519\",\"kid\":\"k\","                       \
    "\"value\":\""                                                           \
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" \
    "AAAAAAAAAAAAAA==\"}}"


/* one attempt at the message */
typedef struct {
    parley_gate_t           gate;
    parley_settings_http_t  http;
    parley_settings_t       entry;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_who_t            who;
    parley_json_t           doc;
    parley_json_t           rewritten;
    parley_msg_t            msg;
    parley_loss_t           loss;
    unsigned                resumed:1;
} try_t;


static parley_test_state_t   t;
static parley_test_random_t  chance;
static parley_late_t        *late[UNDER_WAY];
static size_t                nlate;
static int64_t               now;
static unsigned              passed, refused;
static uint64_t              under_way;     /* seed of the current history */


static int
start(parley_late_t *l, parley_later_verb_t verb)
{
    (void) verb;

    assert_true(nlate < UNDER_WAY);
    late[nlate++] = l;

    return parley_test_below(&chance, 2) == 0;
}


/* Completes one of the verbs in progress, by chance. */

static void
complete(void)
{
    size_t          i;
    parley_late_t  *l;

    i = parley_test_below(&chance, (unsigned) nlate);
    l = late[i];
    late[i] = late[--nlate];

    parley_later_complete(l);
}


static void
complete_last(void)
{
    parley_later_complete(late[--nlate]);
}


static void
complete_all(void)
{
    while (nlate > 0) {
        complete();
    }
}


static int
begin(void **state)
{
    (void) state;

    nlate = 0;
    now = 1000;

    parley_test_state_begin(&t, 256 * 1024, PARLEY_SHARE_ALL);
    parley_memory_bounds(&t.s, 100, 16384);
    parley_later(&t.s, start);

    return 0;
}


static int
end(void **state)
{
    (void) state;

    if (under_way != 0) {
        print_message("# PARLEY_TEST_SEED=%llu PARLEY_TEST_MESSAGES=1\n",
                      (unsigned long long) under_way);
        parley_test_state_end(&t);
        return 0;
    }

    complete_all();
    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);

    return 0;
}


static size_t
entries(parley_kind_t kind)
{
    parley_test_stat_t  stat;

    parley_test_stat(&t, t.now, &stat);

    return stat.table.entries[kind];
}


static parley_step_result_t
step_body(parley_gate_t *g)
{
    g->in.body = PARLEY_STR(TEXT);
    g->in.now_ms = PARLEY_TEST_NOW;

    return PARLEY_RESULT_PASSED;
}


static parley_step_result_t
step_passes(parley_gate_t *g)
{
    (void) g;

    return PARLEY_RESULT_PASSED;
}


static parley_step_result_t
step_signed_body(parley_gate_t *g)
{
    g->in.body = PARLEY_STR(SIGNED);
    g->in.now_ms = PARLEY_TEST_NOW;

    return PARLEY_RESULT_PASSED;
}


static int
arrival(parley_gate_t *g, parley_arrival_t *ret)
{
    (void) g;

    ret->location = PARLEY_STR(" /a");

    return 0;
}


static int
value(parley_gate_t *g, const parley_value_t *v, parley_str_t *ret)
{
    (void) g;

    *ret = v->text;

    return 0;
}


static int64_t
wall(parley_gate_t *g)
{
    (void) g;

    return PARLEY_TEST_NOW;
}


static void
resume(parley_ask_t *q)
{
    try_t *y = q->ctx;

    y->resumed = 1;
}


static const parley_gate_env_t  env = {
    .steps = {
        [PARLEY_STEP_METHOD] = step_passes,
        [PARLEY_STEP_BODY] = step_body,
    },
    .arrival = arrival,
    .now = wall,
    .value = value,
};


/* its signature proves nothing */

static const parley_gate_env_t  env_unproven = {
    .steps = {
        [PARLEY_STEP_METHOD] = step_passes,
        [PARLEY_STEP_BODY] = step_signed_body,
    },
    .arrival = arrival,
    .now = wall,
    .value = value,
};


static void
conf_init(parley_gate_conf_t *conf)
{
    memset(conf, 0, sizeof(*conf));

    conf->accept = PARLEY_PROTO_BIT(PARLEY_PROTO_AEE);
    conf->speak = PARLEY_PROTO_C2A;
    conf->trusted = 1;
    conf->caps.priority = PARLEY_PRIORITY_URGENT;
    conf->limits = parley_json_limits_default;
    conf->past_ms = 300000;
    conf->future_ms = 30000;
}


static try_t *
try_begin(const parley_gate_conf_t *conf, const parley_gate_env_t *e)
{
    try_t          *y;
    parley_gate_t  *g;

    y = calloc(1, sizeof(try_t));
    assert_non_null(y);

    parley_arena_init(&y->arena, &parley_mem_libc, 0);
    parley_error_clear(&y->err);
    parley_loss_init(&y->loss, &y->arena);

    parley_who_about(&y->who, &y->arena, &y->msg);

    g = &y->gate;

    y->entry.gate = *conf;
    y->entry.window_ms = 600000;

    g->env = e;
    g->ctx = y;
    g->engine = parley_test_engine();
    g->arena = &y->arena;
    g->err = &y->err;
    g->who = &y->who;
    g->doc = &y->doc;
    g->msg = &y->msg;
    g->rewritten = &y->rewritten;
    g->loss = &y->loss;
    g->in.seed = PARLEY_TEST_SEED;
    g->in.address = PARLEY_STR("1234");

    parley_ask_init(&g->ask, &t.s.state, &y->arena);
    g->ask.resume = resume;
    g->ask.ctx = y;
    parley_gate_configure(g, &y->http, &y->entry);
    parley_gate_init(g);

    return y;
}


static void
try_end(try_t *y)
{
    parley_gate_leave(&y->gate, now);
    parley_arena_reset(&y->arena);
    free(y);
}


/*
 * Runs the message to its end.  restless: by chance it times out, or the
 * client leaves, also between an answer and the next run of the step.  WAIT:
 * the client left.
 */

static parley_step_result_t
run(try_t *y, int restless)
{
    parley_step_result_t  result;

    for ( ;; ) {
        y->resumed = 0;
        result = parley_gate_run(&y->gate, now);

        if (result != PARLEY_RESULT_WAIT) {
            return result;
        }

        while (!y->resumed) {

            if (restless && parley_test_below(&chance, 8) == 0) {
                parley_gate_end_deadline(&y->gate);
                break;
            }

            if (restless && parley_test_below(&chance, 8) == 0) {
                return PARLEY_RESULT_WAIT;
            }

            complete();
        }

        if (restless && parley_test_below(&chance, 8) == 0) {
            return PARLEY_RESULT_WAIT;
        }
    }
}


/*
 * Nothing is left of admissions that were given back, and nothing is lost of
 * accepted messages.
 */

static void
history(const parley_gate_conf_t *conf)
{
    int                rc;
    try_t             *y;
    unsigned           n, restless;
    parley_answered_t  answered;

    restless = 1 + (unsigned) parley_test_below(&chance, 4);

    for (n = 0; n < TRIES; n++) {
        y = try_begin(conf, &env);

        if (run(y, n < restless) == PARLEY_RESULT_PASSED && n >= restless) {
            break;
        }

        refused++;
        try_end(y);

        /* some verbs are late */

        while (nlate > 0 && parley_test_below(&chance, 3) != 0) {
            complete();
        }
    }

    assert_true(n < TRIES);
    passed++;

    complete_all();
    assert_int_equal(entries(PARLEY_KIND_ID), 1);
    assert_true(y->gate.admit.asked.kept);
    assert_int_equal(entries(PARLEY_KIND_QUESTION),
                     1 + y->gate.admit.asked.own_kept);

    if (parley_test_below(&chance, 2) != 0) {
        /* it ends without an answer */
        try_end(y);
        complete_all();
        assert_int_equal(t.s.sh->table->used, 0);
        return;
    }

    memset(&answered, 0, sizeof(answered));
    answered.settle = PARLEY_SETTLE_COMMIT;
    answered.closes = 1;

    do {
        rc = parley_gate_answered(&y->gate, &answered, now);

        if (rc == PARLEY_WAIT && parley_test_below(&chance, 4) == 0) {
            parley_gate_end_deadline(&y->gate);

        } else if (rc == PARLEY_WAIT) {
            complete();
        }

    } while (rc == PARLEY_WAIT);

    try_end(y);
    complete_all();

    y = try_begin(conf, &env);
    assert_int_equal(run(y, 0), PARLEY_RESULT_REFUSED);
    assert_int_equal(y->err.code, PARLEY_E_MESSAGE_DUPLICATE);
    try_end(y);
    complete_all();
}


static void
test_every_order(void **state)
{
    unsigned            i, n;
    uint64_t            seed;
    parley_gate_conf_t  conf;

    seed = getenv("PARLEY_TEST_SEED") != NULL
           ? strtoull(getenv("PARLEY_TEST_SEED"), NULL, 0) : PARLEY_TEST_SEED;
    n = getenv("PARLEY_TEST_MESSAGES") != NULL
        ? (unsigned) atoi(getenv("PARLEY_TEST_MESSAGES")) : HISTORIES;

    conf_init(&conf);
    passed = 0;
    refused = 0;

    /* each history has its own state */

    (void) end(state);

    for (i = 0; i < n; i++) {
        chance.state = seed + i;
        (void) begin(state);
        under_way = seed + i;
        history(&conf);
        under_way = 0;
        (void) end(state);
    }

    (void) begin(state);

    assert_int_equal(passed, n);
    assert_true(refused >= n / 2);
}


/*
 * An address is counted even if no caller waits for that, or the client
 * leaves.
 */

static void
test_failed(void **state)
{
    try_t              *y;
    unsigned            i;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf);
    conf.failures.interval_us = 60000000;
    conf.failures.burst = 1;
    conf.signature = PARLEY_DEMAND_REQUIRED;

    for (i = 0; i < 2; i++) {
        y = try_begin(&conf, &env_unproven);
        assert_int_equal(parley_gate_run(&y->gate, now), PARLEY_RESULT_WAIT);
        complete_last();
        assert_int_equal(parley_gate_run(&y->gate, now), PARLEY_RESULT_WAIT);
        assert_int_equal(nlate, i + 1);

        if (i == 1) {
            parley_gate_end_deadline(&y->gate);
            assert_int_equal(run(y, 0), PARLEY_RESULT_REFUSED);
            assert_int_equal(y->err.code, PARLEY_E_KEY_UNKNOWN);
        }

        try_end(y);
    }

    /* once for each */

    assert_int_equal(nlate, 2);

    complete_all();

    y = try_begin(&conf, &env_unproven);
    assert_int_equal(run(y, 0), PARLEY_RESULT_REFUSED);
    assert_int_equal(y->err.code, PARLEY_E_RATE_LIMITED);
    try_end(y);
}


/* The limit is for all verbs of a message together, not for each. */

static void
test_patience(void **state)
{
    try_t                *y;
    unsigned              asked;
    parley_step_result_t  result;
    parley_gate_conf_t    conf;

    (void) state;

    conf_init(&conf);

    y = try_begin(&conf, &env);
    asked = 0;

    do {
        result = parley_gate_run(&y->gate, now);
        assert_int_equal(result, PARLEY_RESULT_WAIT);
        assert_int_equal(parley_ask_left(&y->gate.ask),
                         PARLEY_ASK_PATIENCE - 400 * asked);
        now += 400;
        asked++;
        complete();
    } while (asked < 2);

    (void) (parley_gate_run(&y->gate, now) == PARLEY_RESULT_WAIT);
    assert_int_equal(parley_ask_left(&y->gate.ask), 200);

    now += 200;
    parley_gate_end_deadline(&y->gate);
    assert_int_equal(run(y, 0), PARLEY_RESULT_REFUSED);
    assert_int_equal(y->err.code, PARLEY_E_CAPACITY);
    assert_int_equal(parley_ask_left(&y->gate.ask), PARLEY_ASK_PATIENCE);
    try_end(y);

    complete_all();
    assert_int_equal(t.s.sh->table->used, 0);
}


/* An admission is given back even if its answer finds no memory. */

static void
test_no_memory(void **state)
{
    int                  kept;
    parley_ask_t         ask;
    parley_mem_t         mem;
    parley_arena_t       none;
    parley_test_mem_t    mem_state;
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_settlement_t  how;

    static const uint8_t  id[PARLEY_KEY_LEN] = "id";
    static const uint8_t  print[PARLEY_PRINT_LEN];

    (void) state;

    memset(&a, 0, sizeof(a));
    memset(&how, 0, sizeof(how));
    a.account = id;
    a.id = id;
    a.print = print;
    a.ttl = 1000;

    (void) parley_memory_ops.admit(&t.s.state, &a, &got, NULL);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    how.stamp = got.stamp;

    mem = parley_test_mem(&mem_state, 1);
    parley_arena_init(&none, &mem, 0);
    parley_ask_init(&ask, &t.s.state, &none);
    parley_ask_begin(&ask, now);
    assert_int_equal(parley_ask_settle(&ask, &a, &how, &kept), 0);

    /* later verbs of the step are not waited for */

    assert_int_equal(parley_ask_admit(&ask, &a, &got), -1);
    parley_ask_end(&ask);
    parley_arena_reset(&none);

    complete_all();
    assert_int_equal(t.s.sh->table->used, 0);
}


/* The answer arrived, and the step does not run again. */

static void
test_untold(void **state)
{
    try_t              *y;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf);

    y = try_begin(&conf, &env);
    assert_int_equal(parley_gate_run(&y->gate, now), PARLEY_RESULT_WAIT);
    complete();
    assert_int_equal(entries(PARLEY_KIND_ID), 1);
    try_end(y);

    complete_all();
    assert_int_equal(t.s.sh->table->used, 0);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("GW-12 what is handed over leaves nothing and loses nothing, in any "
         "order", test_every_order),
    test("GW-12 an admission whose step is not taken again", test_untold),
    test("GW-12 a settlement that finds no memory", test_no_memory),
    test("GW-12 a message waits so long for all that it asks", test_patience),
    test("SEC-10 a failed proof is counted, whoever leaves", test_failed),
};

PARLEY_TEST_MAIN(tests)
