/* state/memory/parley_table_repair.c: real processes, killed at any instant */

#define _DEFAULT_SOURCE

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_random.h"


#define SIZE    (256 * 1024)
#define KEYS    200
#define LOOSE   400
#define KILLS   300
#define T0      ((int64_t) 5000000)


/* state of a key, as the killed process recorded it */
typedef enum {
    NOT_THERE = 0,
    THERE,
    CHANGING
} known_t;


static uint8_t         *memory;
static parley_table_t  *table;
static volatile int    *known;          /* [KEYS], shared */


static int
begin(void **state)
{
    (void) state;

    memory = mmap(NULL, SIZE, PROT_READ|PROT_WRITE, MAP_SHARED|MAP_ANONYMOUS,
                  -1, 0);
    known = mmap(NULL, KEYS * sizeof(int), PROT_READ|PROT_WRITE,
                 MAP_SHARED|MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || known == MAP_FAILED) {
        return -1;
    }

    table = parley_table_create(memory, SIZE);

    if (table == NULL) {
        return -1;
    }

    parley_table_bound_locked(table, PARLEY_EVICTABLE_MESSAGE, SIZE / 8, 0);
    parley_table_bound_locked(table, PARLEY_EVICTABLE_RATE, SIZE / 16, 0);

    return 0;
}


static int
end(void **state)
{
    (void) state;

    munmap(memory, SIZE);
    munmap((void *) known, KEYS * sizeof(int));

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


/* Returns 0 to 300 octets of a key, all different. */

static parley_str_t
value(unsigned n)
{
    static uint8_t  octets[301];

    memset(octets, (int) n, sizeof(octets));

    return parley_str_make(octets, n * 7 % 301);
}


static void
change(unsigned n)
{
    parley_str_t     v;
    parley_entry_t  *e;

    if (known[n] == THERE) {
        known[n] = CHANGING;
        parley_table_remove_locked(table, parley_table_find_locked(table, 1,
                                                                   key(n)));
        known[n] = NOT_THERE;
        return;
    }

    v = value(n);
    known[n] = CHANGING;

    e = parley_table_add_locked(table, 1, PARLEY_EVICTABLE_NONE, key(n),
                                key(10000 + n % 3), v.len, T0 + 1000000, T0);
    if (e == NULL) {
        abort();
    }

    e->mark = (uint16_t) n;
    parley_table_write_locked(table, e, &v, 1);
    parley_table_made_locked(table);

    known[n] = THERE;
}


/* Changes loose entries: some give way, and some end. */

static void
change_loose(parley_test_random_t *r)
{
    unsigned         n;
    parley_str_t     v;
    parley_entry_t  *e;

    n = KEYS + parley_test_below(r, LOOSE);
    v = value(n);

    e = parley_table_find_locked(table, 2, key(n));

    if (e != NULL) {
        if (e->valued && parley_test_chance(r, 50)) {
            parley_table_empty_locked(table, e);

        } else {
            parley_table_remove_locked(table, e);
        }

    } else if (parley_test_chance(r, 20)) {
        e = parley_table_add_locked(table, 2, PARLEY_EVICTABLE_RATE, key(n),
                                    NULL, 0, T0, T0);
        if (e != NULL) {
            parley_table_made_locked(table);
        }

    } else {
        e = parley_table_add_locked(table, 2, PARLEY_EVICTABLE_MESSAGE, key(n),
                                    key(10000 + n % 5), v.len, T0, T0);
        if (e != NULL) {
            parley_table_write_locked(table, e, &v, 1);
            parley_table_made_locked(table);
        }
    }
}


static void
work(uint64_t seed)
{
    parley_test_random_t  r = { seed };

    for ( ;; ) {
        if (parley_test_chance(&r, 60)) {
            change(parley_test_below(&r, KEYS));

        } else {
            change_loose(&r);
        }
    }
}


static void
check_known(void)
{
    unsigned         n;
    uint8_t          octets[301];
    parley_str_t     v;
    parley_entry_t  *e;

    for (n = 0; n < KEYS; n++) {
        e = parley_table_find_locked(table, 1, key(n));

        if (known[n] != CHANGING) {
            assert_int_equal(e != NULL, known[n] == THERE);
        }

        known[n] = e != NULL ? THERE : NOT_THERE;

        if (e == NULL) {
            continue;
        }

        v = value(n);

        assert_int_equal(e->mark, n);
        assert_int_equal(e->value.len, v.len);
        assert_int_not_equal(e->account, 0);

        parley_table_read_locked(table, e, 0, octets, v.len);
        assert_memory_equal(octets, v.data, v.len);
    }
}


static void
test_killed(void **state)
{
    int                   status;
    pid_t                 pid;
    unsigned              i;
    parley_test_random_t  r = { 42 };

    (void) state;

    for (i = 0; i < KILLS; i++) {

        pid = fork();
        assert_int_not_equal(pid, -1);

        if (pid == 0) {
            work(i + 1);
        }

        usleep(parley_test_below(&r, 3000));

        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        parley_table_repair_locked(table, T0);
        parley_test_table_check(table);
        check_known();
        parley_test_table_check(table);
    }
}


/* Everything except the chains is made again, whatever it contains. */

static void
test_all_else(void **state)
{
    unsigned               i;
    uint64_t               used;
    parley_state_room_t    before, after;
    parley_test_random_t   r = { 7 };

    (void) state;

    for (i = 0; i < KEYS; i++) {
        known[i] = NOT_THERE;
        change(i);
    }

    for (i = 0; i < 2000; i++) {
        change_loose(&r);
    }

    parley_table_stat_locked(table, &before);
    used = table->used;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        table->queues[i].newest = 77;
        table->queues[i].heaviest = 0xFFFFFFFF;
        table->queues[i].entries = 5;
    }

    memset(table->wheel, 0xA5,
           ((size_t) table->wheel_mask + 2) * sizeof(parley_block_t));
    table->freed = 3;
    table->used = 1;
    table->promised = 123456;

    parley_table_repair_locked(table, T0);
    parley_test_table_check(table);
    parley_table_stat_locked(table, &after);

    assert_int_equal(table->used, used);
    assert_memory_equal(before.entries, after.entries, sizeof(after.entries));
    assert_memory_equal(before.queued, after.queued, sizeof(after.queued));
    check_known();
}


/* After a repair, entries give way in their old order. */

static void
test_order(void **state)
{
    unsigned         i;
    parley_block_t   b;
    parley_entry_t  *e;

    (void) state;

    for (i = 0; i < 20; i++) {
        e = parley_table_add_locked(table, 2, PARLEY_EVICTABLE_MESSAGE, key(i),
                                    NULL, 10, T0 + 1000, T0);
        assert_non_null(e);
        e->mark = (uint16_t) i;
    }

    /* the last one has no value yet */

    parley_table_repair_locked(table, T0);
    parley_test_table_check(table);

    i = 0;

    for (b = table->queues[PARLEY_EVICTABLE_MESSAGE].oldest; b != 0;
         b = e->newer)
    {
        e = parley_table_entry(table, b);
        assert_int_equal(e->mark, i++);
    }

    assert_int_equal(i, 19);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("GW-25 a process that is killed in the midst of a change",
         test_killed),
    test("GW-25 all but the chains is made anew", test_all_else),
    test("GW-25 what gives way keeps its order", test_order),
};

PARLEY_TEST_MAIN(tests)
