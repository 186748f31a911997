/* Rates: core/parley_rate.h, and their counting in state/parley_state.h. */

#include "t/unit/parley_test_state.h"

#include "core/parley_error.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 1000000)


static parley_test_state_t  t;
static int64_t              wait_ms;


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, SIZE, PARLEY_SHARE_ALL);

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);

    return 0;
}


static const uint8_t *
key(unsigned n)
{
    parley_str_t    part;
    static uint8_t  out[PARLEY_KEY_LEN];

    part = parley_str_make(&n, sizeof(n));
    parley_state_key(&t.s.state, PARLEY_KIND_RATE, &part, 1, out);

    return out;
}


static parley_rate_result_t
count(const uint8_t *account, unsigned n, int64_t now, int64_t interval_us,
    uint32_t burst)
{
    parley_rated_t   rated;
    parley_rating_t  r;

    r.account = account;
    memcpy(r.key, key(n), PARLEY_KEY_LEN);
    r.rate.interval_us = interval_us;
    r.rate.burst = burst;
    r.shared = PARLEY_SHARED_NEAR;
    r.look = 0;
    r.others = 0;

    t.now = now;
    (void) parley_memory_ops.rate(&t.s.state, &r, &rated, NULL);
    wait_ms = rated.wait;

    return rated.verdict;
}


static parley_rate_result_t
take(unsigned n, int64_t now, int64_t interval_us, uint32_t burst)
{
    static const uint8_t  account[PARLEY_KEY_LEN] = "alice";

    return count(account, n, now, interval_us, burst);
}


static void
test_burst(void **state)
{
    int  i;

    (void) state;

    /* 10 per second, and 5 more at once */

    for (i = 0; i < 6; i++) {
        assert_int_equal(take(1, T0, 100000, 5), PARLEY_RATE_OK);
        assert_int_equal(wait_ms, 0);
    }

    assert_int_equal(take(1, T0, 100000, 5), PARLEY_RATE_LIMITED);
    assert_int_equal(wait_ms, 100);

    /*
     * a caller that waits the given time passes, a millisecond earlier it does
     * not
     */

    assert_int_equal(take(1, T0 + 99, 100000, 5), PARLEY_RATE_LIMITED);
    assert_int_equal(wait_ms, 1);
    assert_int_equal(take(1, T0 + 100, 100000, 5), PARLEY_RATE_OK);
    assert_int_equal(take(1, T0 + 100, 100000, 5), PARLEY_RATE_LIMITED);

    /* others are not affected */

    assert_int_equal(take(2, T0, 100000, 5), PARLEY_RATE_OK);

    /* after a rest the whole burst is available again */

    for (i = 0; i < 6; i++) {
        assert_int_equal(take(1, T0 + 10000, 100000, 5), PARLEY_RATE_OK);
    }

    assert_int_equal(take(1, T0 + 10000, 100000, 5), PARLEY_RATE_LIMITED);
}


static void
test_rate_over_time(void **state)
{
    int      i, passed;

    (void) state;

    passed = 0;

    for (i = 0; i < 10000; i++) {
        passed += take(1, T0 + i, 20000, 0) == PARLEY_RATE_OK;
    }

    assert_int_equal(passed, 500);

    /* more than one a millisecond: 4 000 in one second */

    passed = 0;

    for (i = 0; i < 10000; i++) {
        passed += take(2, T0 + i / 10, 250, 3) == PARLEY_RATE_OK;
    }

    assert_true(passed >= 4000 && passed <= 4004);
}


/* After a reload with another rate, no caller is locked out. */

static void
test_change(void **state)
{
    int  i;

    (void) state;

    for (i = 0; i < 101; i++) {
        assert_int_equal(take(1, T0, 60000000, 100), PARLEY_RATE_OK);
    }

    assert_int_equal(take(1, T0, 60000000, 100), PARLEY_RATE_LIMITED);
    assert_int_equal(take(1, T0, 10000, 0), PARLEY_RATE_LIMITED);
    assert_int_equal(wait_ms, 10);
    assert_int_equal(take(1, T0 + 10, 10000, 0), PARLEY_RATE_OK);

    /* off, and the largest possible rates */

    assert_int_equal(take(1, T0, 0, 0), PARLEY_RATE_OK);
    assert_int_equal(take(9, INT64_MAX / 4000, 86400000000, 1000000),
                     PARLEY_RATE_OK);
}


/* For callers without a proof: a new limit replaces older ones. */

static void
test_strangers(void **state)
{
    unsigned             i;
    parley_test_stat_t   stat;

    (void) state;

    parley_memory_bound(&t.s, PARLEY_EVICTABLE_RATE, SIZE / 2, 100);

    for (i = 0; i < 5000; i++) {
        assert_int_equal(count(NULL, i, T0, 5000000, 0), PARLEY_RATE_OK);
    }

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.table.queued[PARLEY_EVICTABLE_RATE], 100);
    assert_int_equal(stat.table.entries[PARLEY_TABLE_ACCOUNT], 0);

    for (i = 4900; i < 5000; i++) {
        assert_int_equal(count(NULL, i, T0, 5000000, 0), PARLEY_RATE_LIMITED);
    }

    assert_int_equal(count(NULL, 0, T0, 5000000, 0),
                     PARLEY_RATE_OK);
}


static void
test_full(void **state)
{
    unsigned             i, n;
    parley_test_stat_t   stat;

    (void) state;

    for (n = 0; take(n, T0, 5000000, 0) == PARLEY_RATE_OK; n++) {
        /* void */
    }

    assert_true(n > 100);

    for (i = 0; i < 1000; i++) {
        assert_int_equal(take(100000 + i, T0 + i, 5000000, 0),
                         PARLEY_RATE_FULL);
    }

    /* active limits stay */

    for (i = 0; i < n; i++) {
        assert_int_equal(take(i, T0 + 4999, 5000000, 0),
                         PARLEY_RATE_LIMITED);
    }

    assert_int_equal(take(200000, T0 + 7000, 5000000, 0), PARLEY_RATE_OK);
    parley_test_stat(&t, T0 + 7000, &stat);
    assert_int_equal(stat.table.entries[PARLEY_KIND_RATE], 1);
    assert_int_equal(stat.limited, n);
}


/* Idle keys are replaced: the table does not grow with the number of names. */

static void
test_idle(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; i < 100000; i++) {
        assert_int_equal(take(i, T0 + 100 * i, 10000, 0), PARLEY_RATE_OK);
        assert_true(t.s.sh->table->used < 32);
    }
}


static void
test_words(void **state)
{
    size_t          i;
    int64_t         us;
    parley_error_t  err;

    static const struct {
        const char  *word;
        int64_t      us;        /* 0: refused */
    } words[] = {
        { "50r/s", 20000 }, { "10r/m", 6000000 }, { "3r/h", 1200000000 },
        { "1r/s", 1000000 }, { "1000000r/s", 1 }, { "1000001r/s", 0 },
        { "0r/s", 0 }, { "r/s", 0 }, { "-1r/s", 0 }, { "+1r/s", 0 },
        { "1.5r/s", 0 }, { "01r/s", 0 }, { " 1r/s", 0 }, { "1r/s ", 0 },
        { "1r", 0 }, { "1", 0 }, { "", 0 }, { "1R/s", 0 }, { "1r/d", 0 },
        { "99999999999999999999r/s", 0 }, { "0x10r/s", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        us = -1;

        if (parley_rate_parse(parley_str_c(words[i].word), &us, &err)
            != (words[i].us == 0 ? -1 : 0))
        {
            fail_msg("%s", words[i].word);
        }

        assert_int_equal(us, words[i].us);
    }
}


static int
compile(const char *line, parley_rate_t *rate, parley_error_t *err)
{
    size_t        n, len;
    parley_str_t  words[16];

    for (n = 0; *line != '\0'; n++) {
        len = strcspn(line, " ");
        words[n] = parley_str_make(line, len);
        line += len + (line[len] == ' ');
    }

    return parley_rate_compile(words, n, rate, err);
}


static void
test_compile(void **state)
{
    size_t          i;
    parley_rate_t   rate;
    parley_error_t  err;

    static const char  *bad[] = {
        "", "burst=5", "50r/s 10r/s", "50r/s burst=5 burst=6",
        "50r/s burst=", "50r/s burst=-1", "50r/s burst=1000001",
        "50r/s urgent=", "50r/s urgent=1", "50r/s urgent=1r/s urgent=2r/s",
        "50r/s urgent=1r/s:", "50r/s urgent=1r/s:x", "50r/s medium=1r/s",
        "50r/s nodelay", "=1r/s", "role=", "role=a", "role=a:", "role=1r/s",
        "role=:1r/s", "role=a:1r/s:", "role=a:1r/s role=a:1r/s", "$a $b",
        "$a burst=1", "role=a:$b", "shared=near shared=near", "shared=",
        "1r/s shared=on", "burst=1 shared=exact",
    };

    (void) state;

    assert_int_equal(compile("50r/s burst=100 urgent=1r/s high=10r/m:5",
                             &rate, &err), 0);
    assert_int_equal(rate.all.interval_us, 20000);
    assert_int_equal(rate.all.burst, 100);
    assert_int_equal(rate.classes[PARLEY_CLASS_URGENT].interval_us, 1000000);
    assert_int_equal(rate.classes[PARLEY_CLASS_URGENT].burst, 0);
    assert_int_equal(rate.classes[PARLEY_CLASS_HIGH].interval_us, 6000000);
    assert_int_equal(rate.classes[PARLEY_CLASS_HIGH].burst, 5);
    assert_int_equal(rate.classes[PARLEY_CLASS_LOW].interval_us, 0);

    assert_int_equal(compile("low=1r/s", &rate, &err), 0);
    assert_int_equal(rate.all.interval_us, 0);

    assert_int_equal(compile("role=a:1r/s role=b:c:2r/s:3 ${v}r/s", &rate,
                             &err), 0);
    assert_int_equal(rate.nroles, 2);
    assert_true(parley_str_is(rate.roles[0].role, "a"));
    assert_int_equal(rate.roles[0].rate.interval_us, 1000000);
    assert_int_equal(rate.roles[0].rate.burst, 0);
    assert_true(parley_str_is(rate.roles[1].role, "b:c"));
    assert_int_equal(rate.roles[1].rate.interval_us, 500000);
    assert_int_equal(rate.roles[1].rate.burst, 3);
    assert_true(parley_str_is(rate.variable, "${v}r/s"));

    assert_int_equal(rate.shared, PARLEY_SHARED_NEAR);
    assert_int_equal(rate.has_shared, 0);
    assert_int_equal(compile("shared=exact 5r/s", &rate, &err), 0);
    assert_int_equal(rate.shared, PARLEY_SHARED_EXACT);
    assert_int_equal(compile("shared=off", &rate, &err), 0);
    assert_int_equal(rate.shared, PARLEY_SHARED_OFF);
    assert_int_equal(compile("5r/s shared=near", &rate, &err), 0);
    assert_int_equal(rate.shared, PARLEY_SHARED_NEAR);
    assert_int_equal(rate.has_shared, 1);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        memset(&rate, 0xff, sizeof(rate));

        if (compile(bad[i], &rate, &err) == 0) {
            fail_msg("\"%s\" was taken", bad[i]);
        }

        assert_true(err.text[0] != '\0');
        assert_int_equal(rate.all.interval_us, 0);
        assert_int_equal(rate.all.burst, 0);
    }

    assert_int_equal(parley_rate_class(PARLEY_STR("urgent")),
                     PARLEY_CLASS_URGENT);
    assert_int_equal(parley_rate_class(PARLEY_STR("none")),
                     PARLEY_CLASS_COUNT);
}


#define rate_test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    rate_test("GW-05 the burst, the wait, and who waits passes",
              test_burst),
    rate_test("GW-05 the rate over time", test_rate_over_time),
    rate_test("GW-05 another rate after a reload", test_change),
    rate_test("SEC-10 strangers without end", test_strangers),
    rate_test("GW-05 a full table refuses and recovers", test_full),
    rate_test("GW-05 idle keys give way", test_idle),
    rate_test("GW-05 rates in words", test_words),
    rate_test("AEE-28 GW-05 GW-35 bursts, priorities, roles, variables",
              test_compile),
};


PARLEY_TEST_MAIN(tests)
