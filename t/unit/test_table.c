/* state/memory/parley_table.h */

#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_random.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 5000000)


static void            *memory;
static parley_table_t  *table;


static int
begin(void **state)
{
    (void) state;

    memory = aligned_alloc(PARLEY_BLOCK, SIZE);
    memset(memory, 0xA5, SIZE);
    table = parley_table_create(memory, SIZE);

    return table == NULL ? -1 : 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(table);
    free(memory);

    return 0;
}


static const uint8_t *
key(unsigned n)
{
    parley_str_t          part;
    static unsigned       at;
    static uint8_t        out[4][PARLEY_KEY_LEN];
    static const uint8_t  secret[PARLEY_KEY_SECRET] = "0123456789abcdef";

    at = (at + 1) % 4;
    part = parley_str_make(&n, sizeof(n));
    parley_key_make(secret, &part, 1, out[at]);

    return out[at];
}


static parley_entry_t *
add(unsigned n, unsigned owner, size_t len, int64_t ttl, int64_t now)
{
    return parley_table_add_locked(table, 1, PARLEY_EVICTABLE_NONE, key(n),
                                   owner != 0 ? key(owner) : NULL, len,
                                   now + ttl, now);
}


static parley_entry_t *
loose(parley_evictable_t queue, unsigned n, unsigned owner, size_t len)
{
    return parley_table_add_locked(table, 2, queue, key(n),
                                   owner != 0 ? key(owner) : NULL, len,
                                   T0 + 1000, T0);
}


static size_t
count(void)
{
    parley_state_room_t  stat;

    parley_table_stat_locked(table, &stat);

    return stat.blocks - stat.free;
}


static void
test_too_small(void **state)
{
    (void) state;

    assert_null(parley_table_create(memory, 0));
    assert_null(parley_table_create(memory, 512));
    assert_non_null(parley_table_create(memory, 4096));
    assert_non_null(table = parley_table_create(memory, SIZE));
}


static void
test_values(void **state)
{
    size_t           i, n;
    uint8_t          in[500], out[500];
    parley_str_t     parts[3];
    parley_entry_t  *e;

    (void) state;

    for (i = 0; i < sizeof(in); i++) {
        in[i] = (uint8_t) (i * 7);
    }

    for (n = 0; n <= sizeof(in); n++) {
        e = add(1, 0, n, 1000, T0);
        assert_non_null(e);
        assert_int_equal(count(), parley_table_blocks(n));

        parts[0] = parley_str_make(in, n / 3);
        parts[1] = parley_str_none;
        parts[2] = parley_str_make(in + n / 3, n - n / 3);

        parley_table_write_locked(table, e, parts, 3);
        memset(out, 0, sizeof(out));
        parley_table_read_locked(table, e, 0, out, n);
        assert_memory_equal(out, in, n);

        if (n > 70) {
            parley_table_read_locked(table, e, 65, out, n - 65);
            assert_memory_equal(out, in + 65, n - 65);
        }

        if (n % 2 && n > 0) {
            parley_table_empty_locked(table, e);
            assert_int_equal(count(), 1);
        }

        assert_ptr_equal(parley_table_find_locked(table, 1, key(1)), e);
        parley_table_remove_locked(table, e);
        assert_null(parley_table_find_locked(table, 1, key(1)));
        assert_int_equal(count(), 0);
    }
}


/* A value is cut if there is no room for it. */

static void
test_cut(void **state)
{
    char             out[4];
    parley_str_t     part;
    parley_entry_t  *e;

    (void) state;

    e = add(1, 0, 3, 1000, T0);
    part = PARLEY_STR("abcdef");
    parley_table_write_locked(table, e, &part, 1);
    parley_table_read_locked(table, e, 0, out, 3);
    assert_memory_equal(out, "abc", 3);
}


static void
test_same_key(void **state)
{
    parley_entry_t  *a, *b, *c;

    (void) state;

    a = add(1, 0, 0, 1000, T0);
    b = add(1, 0, 0, 1000, T0);
    c = loose(PARLEY_EVICTABLE_RATE, 1, 0, 0);

    assert_null(c);
    parley_table_bound_locked(table, PARLEY_EVICTABLE_RATE, 1000, 0);
    c = loose(PARLEY_EVICTABLE_RATE, 1, 0, 0);
    assert_non_null(c);

    assert_ptr_equal(parley_table_find_locked(table, 1, key(1)), b);
    assert_ptr_equal(parley_table_next_locked(table, b), a);
    assert_null(parley_table_next_locked(table, a));
    assert_ptr_equal(parley_table_find_locked(table, 2, key(1)), c);

    parley_table_remove_locked(table, b);
    assert_ptr_equal(parley_table_find_locked(table, 1, key(1)), a);
}


static void
test_expiry(void **state)
{
    unsigned         i;
    int64_t          now;
    parley_entry_t  *e;

    (void) state;

    /* longer than a turn of the wheel, and at any place in a second */

    for (i = 0; i < 300; i++) {
        assert_non_null(add(i, 0, i % 90, 1 + i * 997, T0));
    }

    for (now = T0; now < T0 + 310000; now += 313) {
        (void) parley_table_sweep_locked(table, now, 1000);

        for (i = 0; i < 300; i++) {
            e = parley_table_find_locked(table, 1, key(i));

            if (T0 + 1 + i * 997 > now) {
                assert_non_null(e);

            } else if (T0 + 1 + i * 997 < now - 2100) {
                assert_null(e);
            }
        }
    }

    assert_int_equal(count(), 0);
    assert_int_equal(parley_table_sweep_locked(table, now, 1000), 0);
}


static void
test_later(void **state)
{
    parley_entry_t  *e;

    (void) state;

    e = add(1, 0, 0, 1000, T0);
    parley_table_expire(e, T0 + 9000);

    (void) parley_table_sweep_locked(table, T0 + 5000, 100);
    assert_ptr_equal(parley_table_find_locked(table, 1, key(1)), e);
    (void) parley_table_sweep_locked(table, T0 + 12000, 100);
    assert_null(parley_table_find_locked(table, 1, key(1)));
}


/* After any time without a call. */

static void
test_idle(void **state)
{
    (void) state;

    assert_non_null(add(1, 0, 0, 1000, T0));
    assert_non_null(add(2, 0, 0, 50000000, T0));

    (void) parley_table_sweep_locked(table, T0 + 40000000, 100);
    assert_null(parley_table_find_locked(table, 1, key(1)));
    assert_non_null(parley_table_find_locked(table, 1, key(2)));

    (void) parley_table_sweep_locked(table, T0 + 50003000, 100);
    assert_int_equal(count(), 0);
}


/* A few at a time: no long walk if many end at once. */

static void
test_sweep_is_bounded(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; i < 100; i++) {
        assert_non_null(add(i, 0, 0, 1000, T0));
    }

    assert_int_equal(parley_table_sweep_locked(table, T0 + 5000, 10), 10);
    assert_int_equal(count(), 90);
    assert_int_equal(parley_table_sweep_locked(table, T0 + 5000, 1000), 90);
    assert_int_equal(count(), 0);
}


static void
test_full(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; add(i, 0, 0, 1000, T0) != NULL; i++) { /* void */ }

    assert_int_equal(count(), table->nblocks);
    assert_int_equal(i, table->nblocks);
    parley_test_table_check(table);

    /* expired entries make room */

    assert_non_null(add(i, 0, 200, 1000, T0 + 3000));
    parley_test_table_check(table);
}


static void
test_queue(void **state)
{
    unsigned              i;
    parley_state_room_t   stat;

    (void) state;

    assert_null(loose(PARLEY_EVICTABLE_MESSAGE, 1, 0, 0));

    parley_table_bound_locked(table, PARLEY_EVICTABLE_MESSAGE,
                              100 * PARLEY_BLOCK, 3);

    for (i = 0; i < 5; i++) {
        assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, i, 0, 100));
    }

    for (i = 0; i < 5; i++) {
        assert_int_equal(parley_table_find_locked(table, 2, key(i)) != NULL,
                         i >= 2);
    }

    parley_table_stat_locked(table, &stat);
    assert_int_equal(stat.queued[PARLEY_EVICTABLE_MESSAGE], 3);
    assert_int_equal(stat.evicted[PARLEY_EVICTABLE_MESSAGE], 2);
    assert_int_equal(stat.loose, 9);

    /* also by octets; an entry that can never fit changes nothing */

    parley_table_bound_locked(table, PARLEY_EVICTABLE_MESSAGE, 7 * PARLEY_BLOCK,
                              0);
    assert_false(parley_table_holds_locked(table, PARLEY_EVICTABLE_MESSAGE, 8));
    assert_null(loose(PARLEY_EVICTABLE_MESSAGE, 7, 0, 7 * PARLEY_VALUE));
    assert_int_equal(count(), 9);
    assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, 7, 0, 6 * PARLEY_VALUE));
    assert_int_equal(count(), 7);
}


static void
test_loose_gives_way(void **state)
{
    unsigned  i;

    (void) state;

    parley_table_bound_locked(table, PARLEY_EVICTABLE_ANSWER, SIZE, 0);

    for (i = 0; i < 2 * table->nblocks; i++) {
        assert_non_null(loose(PARLEY_EVICTABLE_ANSWER, i, 500000, 30));
    }

    for (i = 0; add(i, 0, 0, 1000, T0) != NULL; i++) { /* void */ }

    assert_int_equal(i, table->nblocks);
    assert_null(loose(PARLEY_EVICTABLE_ANSWER, i, 0, 0));
}


/* SEC-09, SEC-11: the account with the most entries loses first. */

static void
test_fair_queue(void **state)
{
    unsigned  i;

    (void) state;

    parley_table_bound_locked(table, PARLEY_EVICTABLE_MESSAGE,
                              700 * PARLEY_BLOCK, 0);

    for (i = 0; i < 10; i++) {
        assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, i, 1001, 30));
        assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, 100 + i, 1002, 30));
    }

    for (i = 0; i < 1000; i++) {
        assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, 5000 + i, 1003, 30));
    }

    for (i = 0; i < 10; i++) {
        assert_non_null(parley_table_find_locked(table, 2, key(i)));
        assert_non_null(parley_table_find_locked(table, 2, key(100 + i)));
    }

    /* a new entry of a small account also replaces one of the large account */

    assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, 50, 1001, 30));

    for (i = 0; i < 10; i++) {
        assert_non_null(parley_table_find_locked(table, 2, key(i)));
        assert_non_null(parley_table_find_locked(table, 2, key(100 + i)));
    }
}


static size_t
flood(unsigned owner, unsigned share)
{
    size_t           n;
    static unsigned  id;

    for (n = 0; parley_table_room_locked(table, key(owner), 1, share, T0)
                == PARLEY_ROOM_OK; n++)
    {
        assert_non_null(add(++id + 100000, owner, 0, 1000, T0));
    }

    return n;
}


static void
test_share(void **state)
{
    size_t  one, two, total;

    (void) state;

    total = table->nblocks;
    one = flood(1, 250);

    assert_in_range(one, total / 4 - 4, total / 4);
    assert_int_equal(parley_table_room_locked(table, key(1), 1, 250, T0),
                     PARLEY_ROOM_SHARE);

    /* a later account gets less, and the next one too */

    two = flood(2, 250);
    assert_true(two < one);
    assert_true(two > total / 8);
    assert_true(flood(3, 250) < two);

    /* room again after they expire */

    assert_int_equal(parley_table_room_locked(table, key(1), 1, 250,
                                              T0 + 5000), PARLEY_ROOM_OK);
}


/* Each account leaves three quarters of the free room to the others. */

static void
test_share_of_many(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 1; i < 9; i++) {
        assert_true(flood(i, 250) >= PARLEY_TABLE_FLOOR - 1);
    }

    assert_int_equal(parley_table_room_locked(table, key(1), 1, 250, T0),
                     PARLEY_ROOM_SHARE);
    assert_int_equal(parley_table_room_locked(table, key(99), 8, 250, T0),
                     PARLEY_ROOM_OK);
}


/* As test_share_of_many(), with a smaller share, which leaves more. */

static void
test_share_of_few(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 1; i < 9; i++) {
        assert_in_range(flood(i, 50), table->nblocks / 30,
                        table->nblocks / 20);
    }

    assert_int_equal(parley_table_room_locked(table, key(1), 1, 50, T0),
                     PARLEY_ROOM_SHARE);
    assert_true(flood(99, 50) > table->nblocks / 40);
}


static void
test_share_of_all(void **state)
{
    (void) state;

    assert_int_equal(flood(1, PARLEY_SHARE_ALL), table->nblocks - 1);
    assert_int_equal(parley_table_room_locked(table, key(1), 1,
                                              PARLEY_SHARE_ALL, T0),
                     PARLEY_ROOM_NONE);
}


/* Loose entries do not count for any share. */

static void
test_share_without_loose(void **state)
{
    unsigned  i;
    size_t    kept;

    (void) state;

    parley_table_bound_locked(table, PARLEY_EVICTABLE_MESSAGE, SIZE, 0);

    for (i = 0; i < 2 * table->nblocks; i++) {
        assert_non_null(loose(PARLEY_EVICTABLE_MESSAGE, i, 1, 0));
    }

    kept = flood(1, 250);
    assert_in_range(kept, table->nblocks / 4 - 4, table->nblocks / 4);
}


/* Random operations in any order. */

static void
test_random(void **state)
{
    int64_t             now;
    unsigned            i, n;
    size_t              len;
    parley_evictable_t  queue;
    parley_entry_t     *e;
    parley_test_random_t  random;

    (void) state;

    random.state = 20261122;
    now = T0;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        parley_table_bound_locked(table, (parley_evictable_t) i, SIZE / (i + 3),
                                  i == 1 ? 20 : 0);
    }

    for (i = 0; i < 60000; i++) {
        n = parley_test_below(&random, 400);
        now += parley_test_below(&random, 40);
        len = parley_test_below(&random, 8) == 0
              ? parley_test_below(&random, 3000)
              : parley_test_below(&random, 150);
        queue = (parley_evictable_t)
                parley_test_below(&random, PARLEY_EVICTABLE_COUNT + 3);
        queue = queue > PARLEY_EVICTABLE_NONE ? PARLEY_EVICTABLE_NONE : queue;

        e = parley_table_find_locked(table, 3, key(n));

        if (e != NULL && parley_test_below(&random, 3) == 0) {
            if (parley_test_below(&random, 2)) {
                parley_table_remove_locked(table, e);

            } else if (e->valued) {
                parley_table_empty_locked(table, e);
            }

            continue;
        }

        e = parley_table_add_locked(table, 3, queue, key(n),
                n % 5 ? key(1000 + n % 7) : NULL,
                queue == PARLEY_EVICTABLE_RATE ? 0 : len,
                now + parley_test_below(&random, 200000), now);

        if (e != NULL && parley_test_below(&random, 4) == 0) {
            parley_table_expire(e, (int64_t) e->expires + 30000);
        }

        if (i % 500 == 0) {
            parley_test_table_check(table);
        }
    }
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("a table of next to nothing", test_too_small),
    test("values of any length", test_values),
    test("a value is cut where there is no room", test_cut),
    test("entries of one key, and of several kinds", test_same_key),
    test("GW-12 nothing goes before its time, everything after it",
         test_expiry),
    test("what ends later than it said", test_later),
    test("what ends while nobody looks", test_idle),
    test("a sweep is bounded", test_sweep_is_bounded),
    test("GW-12 a full table refuses, and recovers", test_full),
    test("a queue has bounds", test_queue),
    test("GW-12 what is loose gives way to what is promised",
         test_loose_gives_way),
    test("SEC-09 SEC-11 nobody loses to who has more", test_fair_queue),
    test("SEC-09 one takes its share", test_share),
    test("SEC-09 many take theirs, one more finds room", test_share_of_many),
    test("SEC-09 a smaller share", test_share_of_few),
    test("SEC-09 a share of everything", test_share_of_all),
    test("SEC-09 what gives way is nobody's share",
         test_share_without_loose),
    test("any order of anything", test_random),
};

PARLEY_TEST_MAIN(tests)
