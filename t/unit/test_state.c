/* state/parley_state.h: admission and its settlement */

#include "t/unit/parley_test_state.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 1000000)
#define TTL   600000


static parley_test_state_t  t;
static parley_memory_t      other;      /* process 2 */
static parley_admitted_t    got;
static uint8_t              keys[8][PARLEY_KEY_LEN];


static int
begin(void **state)
{
    static const parley_process_t  two = { 2, 77 };

    (void) state;

    parley_test_state_begin(&t, SIZE, 250);

    other = t.s;
    parley_memory_adopt(&other, t.mem);
    parley_memory_enter(&other, &two);
    assert_int_not_equal(other.process, 0);
    assert_int_not_equal(other.process, t.s.process);
    t.asked = 0;

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


/* Returns the n-th key of a test. */

static const uint8_t *
key(unsigned slot, parley_kind_t kind, const char *owner, unsigned n)
{
    parley_str_t  parts[2];

    parts[0] = parley_str_c(owner);
    parts[1] = parley_str_make(&n, sizeof(n));

    parley_state_key(&t.s.state, kind, parts, 2, keys[slot]);

    return keys[slot];
}


static parley_admission_t
message(const char *owner, unsigned id, const char *says)
{
    parley_admission_t  a;

    memset(&a, 0, sizeof(a));

    a.account = key(0, PARLEY_KIND_ACCOUNT, owner, 0);
    a.id = key(1, PARLEY_KIND_ID, owner, id);
    a.print = (const uint8_t *) says;
    a.ttl = TTL;
    t.now = T0;

    return a;
}


#define ONE  "one....."
#define TWO  "two....."


static parley_admit_t
admit(parley_memory_t *s, const parley_admission_t *a)
{
    (void) parley_memory_ops.admit(&s->state, a, &got, NULL);

    return got.verdict;
}


static int
settle(parley_memory_t *s, const parley_admission_t *a, uint64_t stamp,
    int taken, int64_t now)
{
    int                  rc;
    parley_settlement_t  how;

    memset(&how, 0, sizeof(how));

    how.stamp = stamp;
    how.taken = taken;
    t.now = now;

    (void) parley_memory_ops.settle(&s->state, a, &how, &rc, NULL);

    return rc;
}


static void
test_life(void **state)
{
    uint64_t            stamp;
    parley_admission_t  a;

    (void) state;

    a = message("alice", 1, ONE);

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;
    assert_true(stamp != 0);

    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(got.stamp, 0);
    assert_true(got.wait > 0);

    assert_int_equal(settle(&t.s, &a, stamp, 1, T0 + 10), 0);
    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);

    /* a taken message is not released */

    assert_int_equal(settle(&t.s, &a, stamp, 0, T0 + 11), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);

    t.now = T0 + 10 + TTL - 1;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
    t.now = T0 + 10 + TTL;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
}


static void
test_release(void **state)
{
    uint64_t            stamp;
    parley_admission_t  a;

    (void) state;

    a = message("alice", 1, ONE);

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;
    assert_int_equal(settle(&t.s, &a, stamp, 0, T0), 0);
    assert_int_equal(t.s.sh->table->used, 0);

    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_OK);

    /* a process that lost the reservation cannot release it */

    assert_int_equal(settle(&t.s, &a, stamp, 0, T0), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_IN_FLIGHT);
}


/* SEC-11: ids of two owners do not collide. */

static void
test_owners(void **state)
{
    parley_admission_t  a;

    (void) state;

    a = message("mallory", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
}


static void
test_other_content(void **state)
{
    uint64_t            stamp;
    parley_admission_t  a, b;

    (void) state;

    a = message("alice", 1, ONE);
    b = message("alice", 1, TWO);

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;
    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_OTHER);
    assert_int_equal(got.wait, 0);

    assert_int_equal(settle(&t.s, &a, stamp, 1, T0), 0);
    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_OTHER);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);

    t.now = T0 + TTL;
    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_OK);
}


/* GW-25: a dead process's reservation is free at the next question. */

static void
test_dead_process(void **state)
{
    uint64_t             stamp;
    parley_admission_t   a, b;
    parley_test_stat_t   stat;

    (void) state;

    a = message("alice", 1, ONE);
    a.slot = key(2, PARLEY_KIND_SLOT, "question", 1);
    a.slot_ttl = TTL;

    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(t.asked, 1);

    /* a process does not check its own reservations */

    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(t.asked, 1);

    t.dead = 2;

    /* by the slot as well as by the id, and for a different message */

    b = message("bob", 9, ONE);
    b.slot = a.slot;
    b.slot_ttl = a.slot_ttl;
    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &b, got.stamp, 0, T0), 0);

    a = message("alice", 1, TWO);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_true(got.stamp != stamp);

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.orphans, 2);

    /* it is not checked again */

    t.asked = 0;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(t.asked, 0);
}


/* A taken message stays taken after its process died. */

static void
test_dead_process_took(void **state)
{
    parley_admission_t  a;

    (void) state;

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&other, &a, got.stamp, 1, T0), 0);

    t.dead = 2;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
}


/* Another process gets its number, and has reserved nothing yet. */

static void
test_reused_number(void **state)
{
    uint32_t            number;
    parley_memory_t     third;
    parley_admission_t  a, b;

    static const parley_process_t  three = { 3, 99 };

    (void) state;

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_OK);

    number = other.process;
    parley_memory_leave(&other);
    assert_int_equal(other.process, 0);

    third = t.s;
    parley_memory_adopt(&third, t.mem);
    parley_memory_enter(&third, &three);
    assert_int_equal(third.process, number);

    b = message("bob", 1, ONE);
    assert_int_equal(admit(&third, &b), PARLEY_ADMIT_OK);

    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_IN_FLIGHT);
    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
}


/* A process with the same pid and another start time is another process. */

static void
test_reused_pid(void **state)
{
    parley_memory_t     again;
    parley_admission_t  a;

    static const parley_process_t  two = { 2, 78 };

    (void) state;

    again = t.s;
    parley_memory_adopt(&again, t.mem);
    parley_memory_enter(&again, &two);
    assert_int_not_equal(again.process, other.process);

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&again, &a), PARLEY_ADMIT_OK);

    /* a process that enters twice is the same */

    parley_memory_enter(&again, &two);
    t.asked = 0;
    assert_int_equal(admit(&again, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(t.asked, 0);
}


/* With more processes than places, places of dead ones are found. */

static void
test_no_place(void **state)
{
    uint32_t          i;
    parley_memory_t   s;
    parley_process_t  p;

    (void) state;

    p.began = 5;

    for (i = 0; i < t.s.sh->nprocesses - 2; i++) {
        p.pid = 100 + i;
        s = t.s;
        parley_memory_enter(&s, &p);
        assert_int_not_equal(s.process, 0);
    }

    p.pid = 9999;
    parley_memory_enter(&s, &p);
    assert_int_equal(s.process, 0);

    t.dead = 150;
    parley_memory_enter(&s, &p);
    assert_int_not_equal(s.process, 0);
}


/* An unknown process keeps its reservations until the lease ends. */

static void
test_unknown_process(void **state)
{
    parley_memory_t     s;
    parley_admission_t  a;

    (void) state;

    s = t.s;
    parley_memory_adopt(&s, t.mem);

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&s, &a), PARLEY_ADMIT_OK);
    t.now = T0 + PARLEY_LEASE - 1;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_IN_FLIGHT);
    t.now = T0 + PARLEY_LEASE;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
}


/*
 * A message stays taken, also after the lease, and the first one stays the
 * first.
 */

static void
test_late_commit(void **state)
{
    uint64_t            first, second;
    parley_admission_t  a;

    (void) state;

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    first = got.stamp;

    t.now = T0 + PARLEY_LEASE;
    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_OK);
    second = got.stamp;

    assert_int_equal(settle(&t.s, &a, first, 1, t.now + 1), 0);
    assert_int_equal(settle(&other, &a, second, 0, t.now + 2), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);

    /* and if nothing of it is left */

    a = message("alice", 2, ONE);
    assert_int_equal(settle(&t.s, &a, first, 1, T0), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
    a.print = (const uint8_t *) TWO;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OTHER);
}


/* A reservation outlives the window: it is swept at its end, not earlier. */

static void
test_lease_and_sweep(void **state)
{
    parley_admission_t   a;
    parley_test_stat_t   stat;

    (void) state;

    a = message("alice", 1, ONE);
    a.ttl = 1000;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);

    parley_test_stat(&t, T0 + 60000, &stat);
    assert_int_equal(stat.table.entries[PARLEY_KIND_ID], 1);

    assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0 + 60000), 0);
    parley_test_stat(&t, T0 + 60999, &stat);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
    parley_test_stat(&t, T0 + 63000, &stat);
    assert_int_equal(stat.table.entries[PARLEY_KIND_ID], 0);

    a = message("alice", 2, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0), 0);
    parley_test_stat(&t, T0 + TTL - 1, &stat);
    assert_int_equal(stat.table.entries[PARLEY_KIND_ID], 1);
    parley_test_stat(&t, T0 + TTL + 2000, &stat);
    assert_int_equal(stat.table.entries[PARLEY_KIND_ID], 0);
}


/* SEC-08: one final answer, together with the message's id or not at all. */

static void
test_slot(void **state)
{
    uint64_t            stamp;
    parley_admission_t  a, b;

    (void) state;

    a = message("bob", 1, ONE);
    a.slot = key(2, PARLEY_KIND_SLOT, "question", 1);
    a.slot_ttl = 5000;

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;

    b = message("bob", 2, TWO);
    b.slot = a.slot;
    b.slot_ttl = a.slot_ttl;

    assert_int_equal(admit(&other, &b), PARLEY_ADMIT_ANSWERING);
    assert_true(got.wait > 0);

    /* the id of a refused message is free */

    b.slot = NULL;
    assert_int_equal(admit(&other, &b), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&other, &b, got.stamp, 0, T0), 0);

    /* a message that was not taken leaves the question open */

    a = message("bob", 1, ONE);
    a.slot = key(2, PARLEY_KIND_SLOT, "question", 1);
    a.slot_ttl = 5000;
    assert_int_equal(settle(&t.s, &a, stamp, 0, T0), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0), 0);

    b = message("bob", 2, TWO);
    b.slot = a.slot;
    b.slot_ttl = a.slot_ttl;
    assert_int_equal(admit(&other, &b), PARLEY_ADMIT_ANSWERED);
    assert_int_equal(got.wait, 0);

    /* the verdict duplicate has priority */

    a = message("bob", 1, ONE);
    a.slot = key(2, PARLEY_KIND_SLOT, "question", 1);
    assert_int_equal(admit(&other, &a), PARLEY_ADMIT_DUPLICATE);
}


/* Quotas are taken with the id, and given back with it. */

static void
test_quotas(void **state)
{
    int                 i;
    parley_admission_t  a;

    (void) state;

    for (i = 0; i < 4; i++) {
        a = message("alice", (unsigned) i, ONE);
        memcpy(a.quotas[0].key, key(3, PARLEY_KIND_RATE, "alice", 0),
               PARLEY_KEY_LEN);
        memcpy(a.quotas[1].key, key(4, PARLEY_KIND_RATE, "alice", 1),
               PARLEY_KEY_LEN);
        a.quotas[0].rate.interval_us = 1000000;
        a.quotas[0].rate.burst = 5;
        a.quotas[1].rate.interval_us = 1000000;
        a.quotas[1].rate.burst = 2;
        a.nquotas = 2;

        if (i < 3) {
            assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
            continue;
        }

        /*
         * the second quota is used up: nothing of the first is taken, nor the
         * id
         */

        assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_LIMITED);
        assert_int_equal(got.quota, 1);
        assert_int_equal(got.wait, 1000);
    }

    assert_int_equal(parley_memory_rate_wait(
                         parley_memory_rate_find(&t.s, keys[3]),
                         &a.quotas[0].rate, T0), 0);

    a = message("alice", 2, ONE);
    memcpy(a.quotas[0].key, keys[4], PARLEY_KEY_LEN);
    a.quotas[0].rate.interval_us = 1000000;
    a.quotas[0].rate.burst = 2;
    a.nquotas = 1;
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(settle(&t.s, &a, 3, 0, T0), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    a.id = key(1, PARLEY_KIND_ID, "alice", 7);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_LIMITED);
}


/* A message without an id takes its quotas, and nothing else. */

static void
test_without_id(void **state)
{
    parley_admission_t  a;

    (void) state;

    a = message("alice", 1, ONE);
    a.id = NULL;

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0), 0);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &a, got.stamp, 0, T0), 0);
    assert_int_equal(t.s.sh->table->used, 0);
}


static void
test_keys(void **state)
{
    parley_str_t  parts[2];
    uint8_t       a[PARLEY_KEY_LEN], b[PARLEY_KEY_LEN];

    (void) state;

    parts[0] = PARLEY_STR("ab");
    parts[1] = PARLEY_STR("c");
    parley_state_key(&t.s.state, PARLEY_KIND_ID, parts, 2, a);

    parley_state_key(&t.s.state, PARLEY_KIND_SLOT, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    parts[0] = PARLEY_STR("a");
    parts[1] = PARLEY_STR("bc");
    parley_state_key(&t.s.state, PARLEY_KIND_ID, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    assert_true(parley_state_tag(&t.s.state, &parts[0], 1, NULL, 0)
                != parley_state_tag(&t.s.state, &parts[1], 1, NULL, 0));
}


static void
test_small(void **state)
{
    char              mem[1024] __attribute__((aligned(PARLEY_BLOCK)));
    parley_memory_t   s;
    static const uint8_t  secret[PARLEY_KEY_SECRET];

    (void) state;

    memset(&s, 0, sizeof(s));
    assert_int_equal(parley_memory_create(&s, mem, sizeof(mem), secret), -1);
    assert_int_equal(parley_memory_create(&s, mem, 100, secret), -1);
}


static unsigned  repaired;


static void
test_repaired(void *ctx)
{
    const parley_test_state_t *shared = ctx;

    assert_int_equal(shared->locked, 1);
    repaired++;
}


/* Its unfinished change is undone, changes of others stay. */

static void
test_dead_with_lock(void **state)
{
    parley_admission_t   a, b;
    parley_state_stat_t  stat;

    (void) state;

    repaired = 0;
    t.s.env.repaired = test_repaired;

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0), 0);
    assert_int_equal(repaired, 0);

    t.s.sh->busy = 1;
    t.s.sh->table->used = 1;

    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(repaired, 1);

    b = message("alice", 2, ONE);
    assert_int_equal(admit(&t.s, &b), PARLEY_ADMIT_OK);
    assert_int_equal(repaired, 1);
    parley_test_table_check(t.s.sh->table);

    assert_int_equal(t.s.state.ops->stat(&t.s.state, &stat, NULL),
                     PARLEY_STATE_DONE);
    assert_int_equal(stat.repairs, 1);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("AEE-16 VCP-13 reserved, taken, forgotten", test_life),
    test("GW-12 what was not taken may come again", test_release),
    test("SEC-11 an id is its sender's own", test_owners),
    test("GW-12 the same id that says something else", test_other_content),
    test("GW-25 a process that is gone", test_dead_process),
    test("GW-25 what it had taken", test_dead_process_took),
    test("GW-25 it died with the lock", test_dead_with_lock),
    test("GW-25 its number goes to another", test_reused_number),
    test("GW-25 its pid goes to another", test_reused_pid),
    test("GW-25 more processes than places", test_no_place),
    test("GW-25 a process that nobody knows", test_unknown_process),
    test("GW-12 taken is taken, however late", test_late_commit),
    test("GW-12 a message that takes longer than the window",
         test_lease_and_sweep),
    test("SEC-08 one final answer", test_slot),
    test("AEE-28 quotas with the id", test_quotas),
    test("GW-20 without an id", test_without_id),
    test("SEC-11 keys are of a kind, and of parts", test_keys),
    test("too little memory", test_small),
};

PARLEY_TEST_MAIN(tests)
