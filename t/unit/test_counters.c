/* Slots of workers, and their sum. */

#include "t/unit/parley_test.h"
#include "gate/metrics/parley_counters.h"
#include "translate/parley_loss.h"
#include "gate/settings/parley_settings.h"
#include "gate/message/parley_tally.h"


#define SLOTS  4


/* living processes by id; each began at 10 times its id */
typedef struct {
    uint32_t  pids[8];
    size_t    n;
} world_t;


static int
world_is_alive(void *ctx, const parley_process_t *process)
{
    size_t    i;
    world_t  *world = ctx;

    for (i = 0; i < world->n; i++) {
        if (world->pids[i] == process->pid
            && process->began == (uint64_t) process->pid * 10)
        {
            return 1;
        }
    }

    return 0;
}


static parley_process_t
world_process(uint32_t pid)
{
    return (parley_process_t) { pid, (uint64_t) pid * 10 };
}


static parley_slots_t *
slots_new(void)
{
    void  *p;

    p = aligned_alloc(64, (parley_slots_size(SLOTS) + 63) / 64 * 64);
    assert_non_null(p);
    memset(p, 0, parley_slots_size(SLOTS));

    return parley_slots_make(p, SLOTS, 1700000000000);
}


static void
test_cache_lines(void **state)
{
    parley_slots_t  *slots = slots_new();

    (void) state;

    assert_int_equal((uintptr_t) &slots->slots[0] % 64, 0);
    assert_int_equal(sizeof(parley_slot_t) % 64, 0);
    assert_true((uint8_t *) &slots->slots[SLOTS]
                <= (uint8_t *) slots + parley_slots_size(SLOTS));

    free(slots);
}


static void
test_claim(void **state)
{
    unsigned            i;
    world_t             world = { { 101, 102, 103, 104, 105 }, 5 };
    parley_process_t    self;
    parley_processes_t  env = { world_is_alive, &world };
    parley_slot_t      *got[5];
    parley_slots_t     *slots = slots_new();

    (void) state;

    for (i = 0; i < 5; i++) {
        self = world_process(101 + i);
        got[i] = parley_slots_claim(slots, &self, &env);
    }

    for (i = 0; i < SLOTS; i++) {
        assert_ptr_equal(got[i], &slots->slots[i]);
    }

    assert_null(got[4]);

    /* a process that left, and one that was killed: both slots are free */

    parley_slot_leave(got[2]);
    self = world_process(105);
    assert_ptr_equal(parley_slots_claim(slots, &self, &env), got[2]);

    world.pids[0] = 106;
    self = world_process(106);
    assert_ptr_equal(parley_slots_claim(slots, &self, &env), got[0]);

    free(slots);
}


static void
test_pid_of_another(void **state)
{
    world_t             world = { { 101 }, 1 };
    parley_process_t    self, later;
    parley_processes_t  env = { world_is_alive, &world };
    parley_slot_t      *slot;
    parley_slots_t     *slots = slots_new();

    (void) state;

    /* a process may have an old id: its start time distinguishes them */

    self = (parley_process_t) { 101, 7 };
    slot = parley_slots_claim(slots, &self, &env);
    later = world_process(101);

    assert_ptr_equal(parley_slots_claim(slots, &later, &env), slot);

    free(slots);
}


static void
test_sum(void **state)
{
    world_t             world = { { 101, 102 }, 2 };
    parley_process_t    one = world_process(101), two = world_process(102);
    parley_processes_t  env = { world_is_alive, &world };
    parley_slot_t      *a, *b;
    parley_slots_t     *slots = slots_new();
    parley_snapshot_t   s;

    (void) state;

    a = parley_slots_claim(slots, &one, &env);
    b = parley_slots_claim(slots, &two, &env);

    parley_count(a, parley_cell_refusal(PARLEY_E_CAPACITY, 0), 3);
    parley_count(b, parley_cell_refusal(PARLEY_E_CAPACITY, 0), 4);
    parley_count(a, PARLEY_M_IN_FLIGHT, 1);
    parley_count_level(b, PARLEY_M_TOKEN_ENTRIES, 9);

    memset(&s, 0xff, sizeof(s));

    assert_int_equal(parley_slots_sum(slots, &env, &s), 2);
    assert_int_equal(s.cells[parley_cell_refusal(PARLEY_E_CAPACITY, 0)], 7);
    assert_int_equal(s.cells[PARLEY_M_IN_FLIGHT], 1);
    assert_int_equal(s.cells[PARLEY_M_TOKEN_ENTRIES], 9);
    assert_int_equal(s.cells[PARLEY_M_KEYS], 0);

    /* after a kill, counters stay and gauges are reset */

    world.pids[1] = 0;
    world.pids[0] = 0;

    assert_int_equal(parley_slots_sum(slots, &env, &s), 0);
    assert_int_equal(s.cells[parley_cell_refusal(PARLEY_E_CAPACITY, 0)], 7);
    assert_int_equal(s.cells[PARLEY_M_IN_FLIGHT], 0);
    assert_int_equal(s.cells[PARLEY_M_TOKEN_ENTRIES], 0);

    /* the next process continues the counters */

    world.pids[0] = 103;
    one = world_process(103);
    assert_ptr_equal(parley_slots_claim(slots, &one, &env), a);

    parley_count(a, parley_cell_refusal(PARLEY_E_CAPACITY, 0), 1);

    assert_int_equal(parley_slots_sum(slots, &env, &s), 1);
    assert_int_equal(s.cells[parley_cell_refusal(PARLEY_E_CAPACITY, 0)], 8);
    assert_int_equal(s.cells[PARLEY_M_IN_FLIGHT], 0);

    free(slots);
}


static void
test_times(void **state)
{
    unsigned         i;
    parley_slot_t    slot;
    const uint64_t  *bounds = parley_metric_bounds(PARLEY_ROW_GATEWAY_TIME);

    (void) state;

    memset(&slot, 0, sizeof(slot));

    for (i = 0; i < PARLEY_BUCKETS; i++) {
        assert_true(i == 0 || bounds[i] > bounds[i - 1]);

        parley_slot_count_time(&slot, PARLEY_ROW_GATEWAY_TIME, bounds[i]);
        parley_slot_count_time(&slot, PARLEY_ROW_GATEWAY_TIME, bounds[i] + 1);
    }

    /* a time equal to a bound is in its bucket, a longer one in the next */

    assert_int_equal(slot.cells[PARLEY_M_GATEWAY_TIME], 1);
    assert_int_equal(slot.cells[PARLEY_M_GATEWAY_TIME + 1], 2);
    assert_int_equal(slot.cells[PARLEY_M_GATEWAY_TIME + PARLEY_TIME_OVER], 1);
    assert_int_equal(slot.cells[PARLEY_M_UPSTREAM_TIME], 0);

    assert_true(slot.cells[PARLEY_M_GATEWAY_TIME + PARLEY_TIME_SUM]
                > 2 * bounds[PARLEY_BUCKETS - 1]);
}


/* Rows do not overlap, and every cell of a slot is in a row. */

static void
test_rows(void **state)
{
    unsigned  i, k, n, cells, next;

    (void) state;

    next = 0;

    for (i = 0; i < PARLEY_ROWS; i++) {
        const parley_metric_t  *m = &parley_metrics[i];

        assert_int_equal(m->first, next);
        next = m->last + 1;

        cells = m->kind == PARLEY_METRIC_TIME ? PARLEY_TIME_CELLS : 1;

        for (k = 0; k < 3; k++) {
            cells *= parley_label_count(m->labels[k]);

            for (n = 0; n < parley_label_count(m->labels[k]); n++) {
                assert_true(m->labels[k] == PARLEY_LABELS_NONE
                            || parley_label_word(m->labels[k], n).len > 0);
            }
        }

        assert_int_equal(next - m->first, cells);
        assert_true((m->kind <= PARLEY_METRIC_TIME)
                    == (m->first < PARLEY_SLOT_CELLS));
    }

    assert_int_equal(next, PARLEY_CELLS);
}


typedef struct {
    parley_slot_t       slot;
    parley_gate_conf_t  conf;
    parley_error_t      err;
    parley_loss_t       loss;
    parley_settings_t   settings;
    parley_gate_t       g;
} tallied_t;


/* nonzero: the location serves keys, not messages */
static unsigned  serves;


static tallied_t *
tallied(parley_verdict_t verdict, parley_code_t code)
{
    static tallied_t  t;

    memset(&t, 0, sizeof(t));

    t.conf.speak = PARLEY_PROTO_VCP;
    t.err.code = code;
    t.settings.keys = serves;
    t.g.conf.s = &t.settings;
    t.g.conf.gate = &t.conf;
    t.g.err = &t.err;
    t.g.loss = &t.loss;
    t.g.read.proto = PARLEY_PROTO_AEE;
    t.g.report.verdict = verdict;

    parley_tally_verdict(&t.slot, &t.g);

    return &t;
}


static uint64_t
tallied_answers(const tallied_t *t, parley_whose_t whose)
{
    return t->slot.cells[PARLEY_M_ANSWERS + (unsigned) whose];
}


static void
test_verdicts(void **state)
{
    tallied_t         *t;
    parley_outcome_t   outcome = { PARLEY_OUTCOME_FAILED,
                                   PARLEY_SETTLE_RELEASE, NULL };

    (void) state;

    t = tallied(PARLEY_VERDICT_REFUSED, PARLEY_E_RATE_LIMITED);

    assert_int_equal(t->slot.cells[parley_cell_message(PARLEY_PROTO_AEE,
                                                       PARLEY_PROTO_VCP,
                                                PARLEY_VERDICT_REFUSED)], 1);
    assert_int_equal(t->slot.cells[parley_cell_refusal(PARLEY_E_RATE_LIMITED,
                                                  PARLEY_L_BY_GATEWAY)], 1);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 1);
    assert_int_equal(t->slot.cells[PARLEY_M_IN_FLIGHT], 0);

    t = tallied(PARLEY_VERDICT_OTHER, PARLEY_E_NONE);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_OTHER), 1);

    t = tallied(PARLEY_VERDICT_ANSWERED, PARLEY_E_NONE);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 1);

    /* a request without a message counts only if it is refused */

    serves = 1;
    t = tallied(PARLEY_VERDICT_ANSWERED, PARLEY_E_NONE);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 0);
    assert_int_equal(t->slot.cells[parley_cell_message(PARLEY_PROTO_AEE,
                                                       PARLEY_PROTO_VCP,
                                               PARLEY_VERDICT_ANSWERED)], 0);

    t = tallied(PARLEY_VERDICT_REFUSED, PARLEY_E_RATE_LIMITED);
    assert_int_equal(t->slot.cells[parley_cell_refusal(PARLEY_E_RATE_LIMITED,
                                                  PARLEY_L_BY_GATEWAY)], 1);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 0);
    serves = 0;

    /* a dry run counts the refusals that would have happened */

    t = tallied(PARLEY_VERDICT_DRY_REFUSED, PARLEY_E_POLICY_REFUSED);
    assert_int_equal(t->slot.cells[parley_cell_refusal(PARLEY_E_POLICY_REFUSED,
                                                  PARLEY_L_BY_DRY_RUN)], 1);
    assert_int_equal(t->slot.cells[PARLEY_M_IN_FLIGHT], 1);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 0);

    /* the message passed, and the request failed */

    t = tallied(PARLEY_VERDICT_PASSED, PARLEY_E_NONE);
    assert_int_equal(t->slot.cells[PARLEY_M_IN_FLIGHT], 1);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_UPSTREAM), 0);

    t->err.code = PARLEY_E_UPSTREAM_TIMEOUT;
    parley_tally_outcome(&t->slot, &t->g, &outcome);

    assert_int_equal(t->slot.cells[PARLEY_M_IN_FLIGHT], 0);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_UPSTREAM), 1);
    assert_int_equal(t->slot.cells[
                         parley_cell_outcome(PARLEY_PROTO_AEE,
                                             PARLEY_PROTO_VCP,
                                             PARLEY_OUTCOME_FAILED)], 1);
    assert_int_equal(t->slot.cells[
                         parley_cell_refusal(PARLEY_E_UPSTREAM_TIMEOUT,
                                             PARLEY_L_BY_UPSTREAM)], 1);

    /* an end by the gateway is not counted for the upstream */

    t = tallied(PARLEY_VERDICT_PASSED, PARLEY_E_NONE);
    t->err.code = PARLEY_E_TOKEN_EXPIRED;
    parley_tally_outcome(&t->slot, &t->g, &outcome);

    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_UPSTREAM), 0);
    assert_int_equal(tallied_answers(t, PARLEY_WHOSE_GATEWAY), 1);
    assert_int_equal(t->slot.cells[
                         parley_cell_refusal(PARLEY_E_TOKEN_EXPIRED,
                                             PARLEY_L_BY_GATEWAY)], 1);
}


static const struct CMUnitTest  tests[] = {
    parley_test("OPS-02 every slot has cache lines of its own",
                test_cache_lines),
    parley_test("OPS-02 a slot is free where its process left, or is gone",
                test_claim),
    parley_test("OPS-02 a process id that is another's now holds no slot",
                test_pid_of_another),
    parley_test("OPS-02 counters outlive their worker, levels do not",
                test_sum),
    parley_test("OPS-02 a time is counted in its bucket", test_times),
    parley_test("OPS-02 labels come from fixed sets, rows do not overlap",
                test_rows),
    parley_test("GW-26 whose doing an answer is is counted", test_verdicts),
};

PARLEY_TEST_MAIN(tests)
