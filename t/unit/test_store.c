/* auth/parley_store.h */

#include "parley_test.h"

#include "parley_store.h"


#define T0   1000000
#define TTL  60000


static parley_test_mem_t   mem_state;
static parley_mem_t        mem;
static parley_store_t     *store;


static const uint8_t *
key(unsigned n)
{
    static uint8_t  out[PARLEY_KEY_LEN];

    /* the first octets choose the bucket: let some of them meet */

    memset(out, 0, sizeof(out));
    out[0] = (uint8_t) (n % 7);
    memcpy(out + PARLEY_KEY_LEN - sizeof(n), &n, sizeof(n));

    return out;
}


static int
begin(void **state)
{
    (void) state;

    mem = parley_test_mem(&mem_state, 0);
    store = parley_store_create_locked(&mem, 64, 0, 0);

    return store == NULL ? -1 : 0;
}


static int
end(void **state)
{
    (void) state;

    parley_store_destroy_locked(store, &mem);

    return mem_state.live == 0 ? 0 : -1;
}


static void
renew(size_t entries, int evicts)
{
    parley_store_destroy_locked(store, &mem);
    store = parley_store_create_locked(&mem, 1, entries, evicts);
    assert_non_null(store);
}


static int
put(unsigned n, int64_t now, int64_t ttl, const char *value)
{
    return parley_store_put_locked(store, &mem, key(n), now, ttl,
                                   parley_str_c(value));
}


static int
is_there(unsigned n, int64_t now)
{
    parley_str_t  value;

    return parley_store_get_locked(store, key(n), now, &value) == 0;
}


static void
assert_there(unsigned n, int64_t now, const char *value)
{
    parley_str_t  ret;

    assert_int_equal(parley_store_get_locked(store, key(n), now, &ret), 0);
    parley_assert_str(ret, value);
}


static parley_store_stat_t
stat_now(void)
{
    parley_store_stat_t  stat;

    parley_store_stat_locked(store, &stat);

    return stat;
}


static void
test_life(void **state)
{
    parley_str_t  ret;

    (void) state;

    ret = PARLEY_STR("before");
    assert_int_equal(parley_store_get_locked(store, key(1), T0, &ret), -1);
    assert_int_equal(ret.len, 0);

    assert_int_equal(put(1, T0, TTL, "one"), 0);
    assert_int_equal(put(8, T0, TTL, "in the same bucket"), 0);
    assert_int_equal(put(2, T0, TTL, ""), 0);

    assert_there(1, T0, "one");
    assert_there(8, T0, "in the same bucket");
    assert_there(2, T0, "");
    assert_false(is_there(3, T0));

    assert_int_equal(stat_now().entries, 3);
    assert_int_equal(stat_now().octets, strlen("onein the same bucket"));

    parley_store_remove_locked(store, &mem, key(1));
    parley_store_remove_locked(store, &mem, key(3));

    assert_false(is_there(1, T0));
    assert_there(8, T0, "in the same bucket");
    assert_int_equal(stat_now().entries, 2);
}


static void
test_replace(void **state)
{
    (void) state;

    assert_int_equal(put(1, T0, TTL, "one"), 0);
    assert_int_equal(put(1, T0 + 5, 10, "another one"), 0);

    assert_there(1, T0 + 5, "another one");
    assert_int_equal(stat_now().entries, 1);
    assert_int_equal(stat_now().octets, strlen("another one"));

    /* with a time of its own */

    assert_true(is_there(1, T0 + 14));
    assert_false(is_there(1, T0 + 15));
}


static void
test_expire(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; i < 10; i++) {
        assert_int_equal(put(i, T0, 100 + i, "x"), 0);
    }

    assert_true(is_there(0, T0 + 99));
    assert_false(is_there(0, T0 + 100));
    assert_true(is_there(9, T0 + 108));
    assert_false(is_there(9, T0 + 109));

    /* looked up or not they are there until something comes */

    assert_int_equal(stat_now().entries, 10);

    /* the heads of the queue go with each that comes */

    assert_int_equal(put(20, T0 + 200, TTL, "y"), 0);
    assert_int_equal(stat_now().entries, 9);
    assert_int_equal(put(21, T0 + 200, TTL, "y"), 0);
    assert_int_equal(stat_now().entries, 8);

    for (i = 22; i < 27; i++) {
        assert_int_equal(put(i, T0 + 200, TTL, "y"), 0);
    }

    assert_int_equal(stat_now().entries, 7);
    assert_int_equal(stat_now().evicted, 0);
}


/* Who does not evict refuses, and recovers as values end. */

static void
test_full(void **state)
{
    unsigned  i;

    (void) state;

    renew(4, 0);

    assert_int_equal(put(0, T0, 10 * TTL, "0"), 0);

    for (i = 1; i < 4; i++) {
        assert_int_equal(put(i, T0, TTL, "x"), 0);
    }

    assert_int_equal(put(4, T0 + 1, TTL, "x"), -1);
    assert_int_equal(put(5, T0 + 1, TTL, "x"), -1);
    assert_int_equal(stat_now().full, 2);
    assert_int_equal(stat_now().evicted, 0);

    for (i = 0; i < 4; i++) {
        assert_true(is_there(i, T0 + TTL - 1));
    }

    /* in its own place there is room */

    assert_int_equal(put(2, T0 + 2, TTL, "y"), 0);
    assert_there(2, T0 + 2, "y");

    /* what ended stands behind one that has not: the sweep finds it */

    assert_int_equal(put(6, T0 + TTL, TTL, "z"), 0);
    assert_true(is_there(0, T0 + TTL));
    assert_true(is_there(2, T0 + TTL));
    assert_false(is_there(1, T0 + TTL));
    assert_there(6, T0 + TTL, "z");
}


/* A table that stays full is not walked with each value that comes. */

static void
test_sweep_seldom(void **state)
{
    (void) state;

    renew(3, 0);

    assert_int_equal(put(0, T0, 10 * TTL, "0"), 0);
    assert_int_equal(put(1, T0, 100, "1"), 0);
    assert_int_equal(put(2, T0, 200, "2"), 0);

    /* the sweep at T0 + 100 finds 1 */

    assert_int_equal(put(3, T0 + 100, TTL, "3"), 0);

    /* 2 has ended too, but it is too early for another sweep */

    assert_int_equal(put(4, T0 + 200, TTL, "4"), -1);
    assert_int_equal(put(4, T0 + 100 + PARLEY_STORE_SWEEP_MS - 1, TTL, "4"),
                     -1);
    assert_int_equal(put(4, T0 + 100 + PARLEY_STORE_SWEEP_MS, TTL, "4"), 0);

    /* nor does a clock that was set back stop the sweeps for good */

    assert_int_equal(put(5, T0, 10, "5"), -1);
    parley_store_remove_locked(store, &mem, key(4));
    assert_int_equal(put(5, T0, 10, "5"), 0);
    assert_int_equal(put(6, T0 + 50, TTL, "6"), -1);
    assert_int_equal(put(6, T0 + PARLEY_STORE_SWEEP_MS, TTL, "6"), 0);
}


static void
test_evict(void **state)
{
    unsigned  i;

    (void) state;

    renew(4, 1);

    for (i = 0; i < 10; i++) {
        assert_int_equal(put(i, T0 + i, TTL, "x"), 0);
    }

    for (i = 0; i < 10; i++) {
        assert_int_equal(is_there(i, T0 + 10), i >= 6);
    }

    assert_int_equal(stat_now().entries, 4);
    assert_int_equal(stat_now().evicted, 6);
    assert_int_equal(stat_now().full, 0);

    /* one that comes again is the newest */

    assert_int_equal(put(6, T0 + 11, TTL, "again"), 0);
    assert_int_equal(put(20, T0 + 12, TTL, "x"), 0);
    assert_false(is_there(7, T0 + 12));
    assert_there(6, T0 + 12, "again");

    /* what ended behind one that has not is not looked for */

    renew(3, 1);
    assert_int_equal(put(0, T0, 10 * TTL, "0"), 0);
    assert_int_equal(put(1, T0, 100, "1"), 0);
    assert_int_equal(put(2, T0, 10 * TTL, "2"), 0);
    assert_int_equal(put(3, T0 + 100, TTL, "3"), 0);
    assert_false(is_there(0, T0 + 100));
    assert_true(is_there(2, T0 + 100));
    assert_int_equal(stat_now().evicted, 1);

    /* but what ended and is the oldest counts as ended */

    assert_int_equal(put(4, T0 + 101, TTL, "4"), 0);
    assert_true(is_there(2, T0 + 101));
    assert_true(is_there(3, T0 + 101));
    assert_int_equal(stat_now().evicted, 1);
}


static void
test_bound(void **state)
{
    unsigned  i;

    (void) state;

    renew(8, 1);

    for (i = 0; i < 8; i++) {
        assert_int_equal(put(i, T0, TTL, "x"), 0);
    }

    /* what is there stays until something comes */

    parley_store_bound_locked(store, 3, 0);
    assert_int_equal(stat_now().entries, 8);
    assert_int_equal(put(8, T0, TTL, "x"), 0);
    assert_int_equal(stat_now().entries, 3);

    for (i = 0; i < 9; i++) {
        assert_int_equal(is_there(i, T0), i >= 6);
    }

    parley_store_bound_locked(store, 0, 0);

    for (i = 10; i < 100; i++) {
        assert_int_equal(put(i, T0, TTL, "x"), 0);
    }

    assert_int_equal(stat_now().entries, 93);
}


/* Octets are counted as an allocator of powers of two hands them out. */

static void
test_bound_octets(void **state)
{
    unsigned  i, n;

    static char  large[4096];

    (void) state;

    memset(large, 'x', sizeof(large) - 1);

    renew(0, 1);
    parley_store_bound_locked(store, 0, 65536);

    for (i = 0; i < 100; i++) {
        assert_int_equal(put(i, T0, TTL, large), 0);
    }

    for (i = 0, n = 0; i < 100; i++) {
        n += is_there(i, T0);
        assert_int_equal(is_there(i, T0), i >= 92);
    }

    assert_int_equal(n, 65536 / 8192);

    /* one small value displaces no more than it needs */

    assert_int_equal(put(100, T0, TTL, "small"), 0);
    assert_int_equal(stat_now().entries, 8);
    assert_false(is_there(92, T0));

    /* smaller values of the same octets in all: more of them */

    for (i = 200; i < 1000; i++) {
        assert_int_equal(put(i, T0, TTL, "small"), 0);
    }

    assert_true(stat_now().entries >= 65536 / 256);
    assert_true(stat_now().entries <= 65536 / 64);

    /* a narrower bound, by what comes next */

    parley_store_bound_locked(store, 0, 1024);
    assert_int_equal(put(1001, T0, TTL, "small"), 0);
    assert_true(stat_now().entries <= 1024 / 64);
    assert_there(1001, T0, "small");
}


/* What is larger than all there may be displaces nothing. */

static void
test_too_large(void **state)
{
    size_t        before;
    parley_str_t  endless;

    static char  large[4096];

    (void) state;

    memset(large, 'x', sizeof(large) - 1);

    renew(0, 1);
    parley_store_bound_locked(store, 0, 4096);

    assert_int_equal(put(1, T0, TTL, "one"), 0);
    assert_int_equal(put(2, T0, TTL, large), -1);
    assert_there(1, T0, "one");
    assert_int_equal(stat_now().full, 1);
    assert_int_equal(stat_now().evicted, 0);

    /* a length that no memory has */

    before = mem_state.allocations;
    endless = parley_str_make(large, SIZE_MAX - 8);

    assert_int_equal(parley_store_put_locked(store, &mem, key(3), T0, TTL,
                                             endless),
                     -1);

    parley_store_bound_locked(store, 0, 0);
    assert_int_equal(parley_store_put_locked(store, &mem, key(3), T0, TTL,
                                             endless),
                     -1);

    assert_int_equal(mem_state.allocations, before);
    assert_there(1, T0, "one");
}


/* Evicting goes on until memory can be had, and says so where it cannot. */

static void
test_memory_gone(void **state)
{
    unsigned  i;

    (void) state;

    renew(0, 1);

    for (i = 0; i < 5; i++) {
        assert_int_equal(put(i, T0, TTL, "x"), 0);
    }

    mem_state.fail_at = mem_state.allocations + 1;

    assert_int_equal(put(9, T0, TTL, "x"), -1);
    assert_int_equal(stat_now().entries, 0);
    assert_int_equal(stat_now().evicted, 5);
    assert_int_equal(stat_now().full, 1);
    assert_false(is_there(9, T0));

    mem_state.fail_at = 0;
    assert_int_equal(put(9, T0, TTL, "x"), 0);
    assert_there(9, T0, "x");

    /* who does not evict keeps what there is, but for what was replaced */

    renew(0, 0);
    assert_int_equal(put(1, T0, TTL, "one"), 0);
    assert_int_equal(put(2, T0, TTL, "two"), 0);

    mem_state.fail_at = mem_state.allocations + 1;

    assert_int_equal(put(3, T0, TTL, "x"), -1);
    assert_int_equal(put(1, T0, TTL, "x"), -1);
    assert_false(is_there(1, T0));
    assert_there(2, T0, "two");

    mem_state.fail_at = 0;
}


static void
test_create(void **state)
{
    size_t             n;
    parley_mem_t       failing;
    parley_store_t    *s;
    parley_test_mem_t  failing_state;

    (void) state;

    s = NULL;

    for (n = 1; s == NULL; n++) {
        failing = parley_test_mem(&failing_state, n);
        s = parley_store_create_locked(&failing, 8, 0, 1);

        if (s == NULL) {
            assert_int_equal(failing_state.live, 0);
        }
    }

    assert_int_equal(parley_store_put_locked(s, &failing, key(1), T0, TTL,
                                             PARLEY_STR("x")),
                     -1);
    parley_store_destroy_locked(s, &failing);
    assert_int_equal(failing_state.live, 0);

    /* more buckets than there are addresses */

    failing = parley_test_mem(&failing_state, 0);
    assert_null(parley_store_create_locked(&failing, SIZE_MAX, 0, 0));
    assert_int_equal(failing_state.allocations, 0);
}


/*
 * Against a table that is plain to see: which values there are, in the order
 * in which they came.
 */

#define KEYS  40
#define MAX   16

static struct {
    unsigned  n;
    int64_t   expires;
    unsigned  value;
} model[KEYS + 1];

static unsigned  in_model;


static void
model_drop(unsigned i)
{
    in_model--;
    memmove(&model[i], &model[i + 1], (in_model - i) * sizeof(model[0]));
}


static int
model_find(unsigned n)
{
    unsigned  i;

    for (i = 0; i < in_model; i++) {
        if (model[i].n == n) {
            return (int) i;
        }
    }

    return -1;
}


static void
model_put(unsigned n, int64_t now, int64_t ttl, unsigned value)
{
    unsigned  i;

    for (i = 0; i < 2 && in_model > 0 && model[0].expires <= now; i++) {
        model_drop(0);
    }

    if (model_find(n) >= 0) {
        model_drop((unsigned) model_find(n));
    }

    while (in_model >= MAX) {
        model_drop(0);
    }

    model[in_model].n = n;
    model[in_model].expires = now + ttl;
    model[in_model].value = value;
    in_model++;
}


static void
test_model(void **state)
{
    int           at;
    char          text[16];
    int64_t       now, ttl;
    uint32_t      seed;
    unsigned      i, n;
    parley_str_t  ret;

    (void) state;

    renew(MAX, 1);

    in_model = 0;
    now = T0;
    seed = 4711;

    for (i = 0; i < 200000; i++) {
        seed = seed * 1103515245u + 12345u;
        n = (seed >> 16) % KEYS;
        now += (seed >> 4) % 64;

        switch ((seed >> 8) % 8) {

        case 0:
            parley_store_remove_locked(store, &mem, key(n));
            at = model_find(n);

            if (at >= 0) {
                model_drop((unsigned) at);
            }

            break;

        case 1:
        case 2:
        case 3:
            ttl = 100 + (seed >> 12) % 2000;
            sprintf(text, "%u", i);
            assert_int_equal(put(n, now, ttl, text), 0);
            model_put(n, now, ttl, i);
            break;

        default:
            at = model_find(n);

            if (at >= 0 && model[at].expires > now) {
                sprintf(text, "%u", model[at].value);
                assert_there(n, now, text);

            } else {
                assert_int_equal(parley_store_get_locked(store, key(n), now,
                                                         &ret), -1);
            }
        }

        assert_int_equal(stat_now().entries, in_model);
    }
}


#define store_test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    store_test("GW-06 AEE-25 values are kept and found", test_life),
    store_test("AEE-25 a value in place of another", test_replace),
    store_test("AEE-25 a value ends", test_expire),
    store_test("GW-06 a full table refuses, and recovers", test_full),
    store_test("GW-06 a full table is not walked all the time",
               test_sweep_seldom),
    store_test("AEE-25 or the oldest give way", test_evict),
    store_test("AEE-25 the number of values is bounded", test_bound),
    store_test("AEE-25 their octets are bounded", test_bound_octets),
    store_test("AEE-25 what is too large displaces nothing", test_too_large),
    store_test("AEE-25 where memory is gone", test_memory_gone),
    store_test("AEE-25 200 000 steps against a model", test_model),
    store_test("the table: every allocation may fail", test_create),
};


PARLEY_TEST_MAIN(tests)
