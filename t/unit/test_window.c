/* auth/parley_window.h and parley_key.h */

#include "parley_test_auth.h"

#include "parley_key.h"
#include "parley_window.h"


#define T0     1000000
#define LEASE  30000
#define TTL    600000


static const uint8_t  secret[PARLEY_KEY_SECRET] = "0123456789abcdef";

static parley_test_mem_t     mem_state;
static parley_mem_t          mem;
static parley_window_t      *window;
static parley_window_slot_t  slot;


static const uint8_t *
key(unsigned n)
{
    parley_str_t    part;
    static uint8_t  out[PARLEY_KEY_LEN];

    part = parley_str_make(&n, sizeof(n));
    parley_key_make(secret, &part, 1, out);

    return out;
}


static int
begin(void **state)
{
    (void) state;

    mem = parley_test_mem(&mem_state, 0);
    window = parley_window_create_locked(&mem, 64, 0);

    return window == NULL ? -1 : 0;
}


static int
end(void **state)
{
    (void) state;

    parley_window_destroy_locked(window, &mem);

    return mem_state.live == 0 ? 0 : -1;
}


static parley_window_result_t
reserve(unsigned n, int64_t now)
{
    return parley_window_reserve_locked(window, &mem, key(n), now, LEASE, 7,
                                        &slot);
}


static void
test_life(void **state)
{
    uint64_t              stamp;
    parley_window_stat_t  stat;

    (void) state;

    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_NEW);
    stamp = slot.stamp;
    assert_true(stamp != 0);

    assert_int_equal(reserve(1, T0 + 1), PARLEY_WINDOW_IN_FLIGHT);
    assert_int_equal(slot.stamp, 0);
    assert_int_equal(slot.left_ms, LEASE - 1);
    assert_int_equal(reserve(2, T0 + 1), PARLEY_WINDOW_NEW);

    assert_int_equal(parley_window_commit_locked(window, &mem, key(1), stamp,
                                                 T0 + 5, TTL, 3), 0);
    assert_int_equal(reserve(1, T0 + 6), PARLEY_WINDOW_DUPLICATE);
    assert_int_equal(slot.answer, 3);
    assert_int_equal(slot.left_ms, TTL - 1);

    parley_window_stat_locked(window, &stat);
    assert_int_equal(stat.reserved, 1);
    assert_int_equal(stat.done, 1);

    assert_int_equal(reserve(1, T0 + 5 + TTL - 1), PARLEY_WINDOW_DUPLICATE);
    assert_int_equal(reserve(1, T0 + 5 + TTL), PARLEY_WINDOW_NEW);
}


static void
test_release(void **state)
{
    uint64_t  stamp;

    (void) state;

    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_NEW);
    stamp = slot.stamp;

    /* with a stamp that is not its own nothing happens */

    parley_window_release_locked(window, &mem, key(1), stamp + 1);
    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_IN_FLIGHT);
    parley_window_release_locked(window, &mem, key(2), stamp);
    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_IN_FLIGHT);

    parley_window_release_locked(window, &mem, key(1), stamp);
    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_NEW);
    assert_true(slot.stamp != stamp);

    /* what is done is not released, not even by its own stamp */

    stamp = slot.stamp;
    assert_int_equal(parley_window_commit_locked(window, &mem, key(1), stamp,
                                                 T0, TTL, 0), 0);
    parley_window_release_locked(window, &mem, key(1), stamp);
    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_DUPLICATE);
}


/* A slow upstream: the lease runs out, a copy comes, then both end. */

static void
test_lease(void **state)
{
    uint64_t  slow, fast;

    (void) state;

    assert_int_equal(reserve(1, T0), PARLEY_WINDOW_NEW);
    slow = slot.stamp;
    assert_int_equal(reserve(1, T0 + LEASE - 1), PARLEY_WINDOW_IN_FLIGHT);
    assert_int_equal(reserve(1, T0 + LEASE), PARLEY_WINDOW_NEW);
    fast = slot.stamp;
    assert_true(fast != slow);

    /* the late failure of the first does not free the second's */

    parley_window_release_locked(window, &mem, key(1), slow);
    assert_int_equal(reserve(1, T0 + LEASE), PARLEY_WINDOW_IN_FLIGHT);

    /* the late success of the first is one all the same */

    assert_int_equal(parley_window_commit_locked(window, &mem, key(1), slow,
                                                 T0 + LEASE + 1, TTL, 1), 0);
    parley_window_release_locked(window, &mem, key(1), fast);
    assert_int_equal(reserve(1, T0 + LEASE + 2), PARLEY_WINDOW_DUPLICATE);
    assert_int_equal(slot.answer, 1);

    /* and the first answer stands */

    assert_int_equal(parley_window_commit_locked(window, &mem, key(1), fast,
                                                 T0 + LEASE + 3, TTL, 2), 0);
    assert_int_equal(reserve(1, T0 + LEASE + 4), PARLEY_WINDOW_DUPLICATE);
    assert_int_equal(slot.answer, 1);

    /* swept away meanwhile, it is entered again */

    assert_int_equal(reserve(2, T0), PARLEY_WINDOW_NEW);
    slow = slot.stamp;
    assert_true(parley_window_sweep_locked(window, &mem, T0 + LEASE) > 0);
    assert_int_equal(parley_window_commit_locked(window, &mem, key(2), slow,
                                                 T0 + LEASE, TTL, 5), 0);
    assert_int_equal(reserve(2, T0 + LEASE), PARLEY_WINDOW_DUPLICATE);
    assert_int_equal(slot.answer, 5);
}


static void
test_full(void **state)
{
    unsigned              i;
    parley_window_stat_t  stat;

    (void) state;

    for (i = 0; i < 100; i++) {
        assert_int_equal(reserve(i, T0), PARLEY_WINDOW_NEW);
        assert_int_equal(parley_window_commit_locked(window, &mem, key(i),
                             slot.stamp, T0 + i % 7, TTL, (uint8_t) i), 0);
    }

    /* from here on there is no memory */

    mem_state.fail_at = mem_state.allocations + 1;

    for (i = 0; i < 1000; i++) {
        assert_int_equal(reserve(1000 + i, T0 + 10 + i),
                         PARLEY_WINDOW_FULL);
    }

    parley_window_stat_locked(window, &stat);
    assert_int_equal(stat.done, 100);
    assert_int_equal(stat.full, 1000);
    assert_true(stat.sweeps <= 2);

    /* nothing inside the window was forgotten */

    for (i = 0; i < 100; i++) {
        assert_int_equal(reserve(i, T0 + TTL - 1), PARLEY_WINDOW_DUPLICATE);
        assert_int_equal(slot.answer, (uint8_t) i);
    }

    /* and it recovers as they expire: a freed entry is memory again */

    mem_state.fail_at = 0;
    assert_int_equal(reserve(2000, T0 + TTL), PARLEY_WINDOW_NEW);

    parley_window_stat_locked(window, &stat);
    assert_true(stat.done < 100);
}


static void
test_entries(void **state)
{
    unsigned              i;
    parley_window_t      *small;
    parley_window_stat_t  stat;

    (void) state;

    small = parley_window_create_locked(&mem, 1, 3);
    assert_non_null(small);

    for (i = 0; i < 5; i++) {
        assert_int_equal(parley_window_reserve_locked(small, &mem, key(i), T0,
                                                      LEASE, 7, &slot),
                         i < 3 ? PARLEY_WINDOW_NEW : PARLEY_WINDOW_FULL);
    }

    /* no sweep twice in a second, but the heads of the queues go always */

    for (i = 0; i < 3; i++) {
        assert_int_equal(parley_window_reserve_locked(small, &mem,
                                                      key(10 + i), T0 + LEASE,
                                                      LEASE, 7, &slot),
                         PARLEY_WINDOW_NEW);
    }

    parley_window_stat_locked(small, &stat);
    assert_int_equal(stat.reserved, 3);
    parley_window_destroy_locked(small, &mem);
}


/* A full sweep finds what stands behind an entry with a longer time. */

static void
test_mixed(void **state)
{
    unsigned              i;
    parley_window_t      *small;

    (void) state;

    small = parley_window_create_locked(&mem, 16, 8);
    assert_non_null(small);

    for (i = 0; i < 8; i++) {
        assert_int_equal(parley_window_reserve_locked(small, &mem, key(i), T0,
                             i == 0 ? 10 * LEASE : LEASE, 7, &slot),
                         PARLEY_WINDOW_NEW);
    }

    assert_int_equal(parley_window_reserve_locked(small, &mem, key(8),
                         T0 + LEASE, LEASE, 7, &slot),
                     PARLEY_WINDOW_NEW);
    assert_int_equal(parley_window_reserve_locked(small, &mem, key(0),
                         T0 + LEASE, LEASE, 7, &slot),
                     PARLEY_WINDOW_IN_FLIGHT);
    parley_window_destroy_locked(small, &mem);
}


static int
is_dead(void *ctx, uint32_t owner)
{
    return owner == *(uint32_t *) ctx;
}


static void
test_owners(void **state)
{
    uint32_t  dead;
    unsigned  i;

    (void) state;

    for (i = 0; i < 10; i++) {
        assert_int_equal(parley_window_reserve_locked(window, &mem, key(i),
                             T0, LEASE, 100 + i % 2, &slot),
                         PARLEY_WINDOW_NEW);

        if (i < 2) {
            assert_int_equal(parley_window_commit_locked(window, &mem, key(i),
                                 slot.stamp, T0, TTL, 0), 0);
        }
    }

    dead = 101;
    assert_int_equal(parley_window_release_owners_locked(window, &mem,
                                                         is_dead, &dead), 4);

    for (i = 0; i < 10; i++) {
        assert_int_equal(reserve(i, T0), i < 2 ? PARLEY_WINDOW_DUPLICATE
                                         : i % 2 ? PARLEY_WINDOW_NEW
                                         : PARLEY_WINDOW_IN_FLIGHT);
    }
}


/* against a table that is plain to see */

static void
test_model(void **state)
{
    int                     r;
    int64_t                 now;
    uint32_t                seed;
    unsigned                i, n;
    parley_window_result_t  expected, result;

    struct {
        int       state;        /* 0 free, 1 reserved, 2 done */
        int64_t   expires;
        uint64_t  stamp;
    } model[50];

    (void) state;

    memset(model, 0, sizeof(model));
    now = T0;
    seed = 12345;

    for (i = 0; i < 200000; i++) {
        seed = seed * 1103515245u + 12345u;
        n = (seed >> 16) % 50;
        r = (int) (seed >> 8) % 4;
        now += (seed >> 4) % 16;

        if (model[n].expires <= now) {
            model[n].state = model[n].state == 1 ? 3 : 0;
        }

        if (r < 2 || model[n].state != 1) {
            expected = model[n].state == 1 ? PARLEY_WINDOW_IN_FLIGHT
                       : model[n].state == 2 ? PARLEY_WINDOW_DUPLICATE
                       : PARLEY_WINDOW_NEW;
            result = parley_window_reserve_locked(window, &mem, key(n), now,
                                                  500, 1, &slot);
            assert_int_equal(result, expected);

            if (result == PARLEY_WINDOW_NEW) {
                model[n].state = 1;
                model[n].expires = now + 500;
                model[n].stamp = slot.stamp;
            }

        } else if (r == 2) {
            assert_int_equal(parley_window_commit_locked(window, &mem, key(n),
                                 model[n].stamp, now, 700, 0), 0);
            model[n].state = 2;
            model[n].expires = now + 700;

        } else {
            parley_window_release_locked(window, &mem, key(n),
                                         model[n].stamp);
            model[n].state = 0;
            model[n].expires = 0;
        }
    }
}


static void
test_key(void **state)
{
    size_t        i, k;
    uint8_t       a[PARLEY_KEY_LEN], b[PARLEY_KEY_LEN], big[4096];
    parley_str_t  parts[3];

    static const uint8_t  other[PARLEY_KEY_SECRET] = "0123456789abcdeF";

    (void) state;

    parts[0] = PARLEY_STR("ab");
    parts[1] = PARLEY_STR("c");
    parley_key_make(secret, parts, 2, a);
    parley_key_make(secret, parts, 2, b);
    assert_memory_equal(a, b, sizeof(a));

    parts[0] = PARLEY_STR("a");
    parts[1] = PARLEY_STR("bc");
    parley_key_make(secret, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    parts[0] = PARLEY_STR("ab");
    parts[1] = PARLEY_STR("c");
    parts[2] = parley_str_none;
    parley_key_make(secret, parts, 3, b);
    assert_memory_not_equal(a, b, sizeof(a));

    parley_key_make(other, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    /* every length about the block, every octet of it */

    memset(big, 'x', sizeof(big));

    for (i = 240; i < 1100; i += (i < 270) ? 1 : 7) {
        parts[0] = parley_str_make(big, i);
        parley_key_make(secret, parts, 1, a);

        parts[0] = parley_str_make(big, i + 1);
        parley_key_make(secret, parts, 1, b);
        assert_memory_not_equal(a, b, sizeof(a));

        parts[0] = parley_str_make(big, i);

        for (k = 0; k < i; k += 13) {
            big[k] ^= 1;
            parley_key_make(secret, parts, 1, b);
            assert_memory_not_equal(a, b, sizeof(a));
            big[k] ^= 1;
        }
    }
}


static void
test_memory(void **state)
{
    size_t                n;
    parley_window_t      *w;
    parley_mem_t          failing;
    parley_test_mem_t     failing_state;

    (void) state;

    w = NULL;

    for (n = 1; w == NULL; n++) {
        failing = parley_test_mem(&failing_state, n);
        w = parley_window_create_locked(&failing, 8, 0);

        if (w == NULL) {
            assert_int_equal(failing_state.live, 0);
        }
    }

    assert_int_equal(parley_window_reserve_locked(w, &failing, key(1), T0,
                                                  LEASE, 1, &slot),
                     PARLEY_WINDOW_FULL);
    assert_int_equal(parley_window_commit_locked(w, &failing, key(1), 1, T0,
                                                 TTL, 0), -1);
    parley_window_destroy_locked(w, &failing);
    assert_int_equal(failing_state.live, 0);
}


#define window_test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    window_test("AEE-16 VCP-13 reserved, done, and free after the window",
                test_life),
    window_test("GW-12 a failed forward may be retried at once",
                test_release),
    window_test("GW-12 a lease that runs out", test_lease),
    window_test("AEE-16 a full window refuses, forgets nothing, recovers",
                test_full),
    window_test("AEE-16 the number of entries is bounded", test_entries),
    window_test("AEE-16 times of different length", test_mixed),
    window_test("GW-15 reservations of a dead worker are released",
                test_owners),
    window_test("AEE-16 200 000 steps against a model", test_model),
    window_test("AEE-16 keys of parts are told apart", test_key),
    window_test("the window: every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
