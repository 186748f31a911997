/* state/parley_state.h: the share of each account */

#include "t/unit/parley_test_state.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 1000000)
#define TTL   600000
#define ONE   "one....."


static parley_test_state_t  t;
static parley_admitted_t    got;


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, SIZE, 250);

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


static parley_admission_t
message(const char *owner, unsigned id, const char *says)
{
    parley_str_t         parts[2];
    parley_admission_t   a;

    static uint8_t  account[PARLEY_KEY_LEN], key[PARLEY_KEY_LEN];

    parts[0] = parley_str_c(owner);
    parts[1] = parley_str_make(&id, sizeof(id));

    parley_state_key(&t.s.state, PARLEY_KIND_ACCOUNT, parts, 1, account);
    parley_state_key(&t.s.state, PARLEY_KIND_ID, parts, 2, key);

    memset(&a, 0, sizeof(a));

    a.account = account;
    a.id = key;
    a.print = (const uint8_t *) says;
    a.ttl = TTL;
    t.now = T0;

    return a;
}


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


static size_t
flood(const char *owner, int64_t now)
{
    size_t              n;
    parley_admission_t  a;

    for (n = 0; n < 100000; n++) {
        a = message(owner, (unsigned) n + 1000, ONE);
        t.now = now;

        if (admit(&t.s, &a) != PARLEY_ADMIT_OK) {
            break;
        }

        assert_int_equal(settle(&t.s, &a, got.stamp, 1, now), 0);
    }

    return n;
}


/* SEC-09 */

static void
test_share(void **state)
{
    size_t              n;
    parley_admission_t  a;

    (void) state;

    n = flood("mallory", T0);
    assert_in_range(n, t.s.sh->table->nblocks / 4 - 4,
                    t.s.sh->table->nblocks / 4);
    assert_int_equal(got.verdict, PARLEY_ADMIT_SHARE);
    assert_true(got.wait > 0);

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);

    /* nothing was forgotten, and it passes */

    a = message("mallory", 1000, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_DUPLICATE);
    assert_in_range(flood("mallory", T0 + TTL + 3000), n - 2, n);
}


static void
test_full(void **state)
{
    size_t               n;
    parley_admission_t   a;
    parley_test_stat_t   stat;

    (void) state;

    t.s.share = PARLEY_SHARE_ALL;

    n = flood("mallory", T0);
    assert_int_equal(n, t.s.sh->table->nblocks - 1);
    assert_int_equal(got.verdict, PARLEY_ADMIT_FULL);

    a = message("alice", 1, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_FULL);

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.table.free, 0);
    assert_true(stat.table.full > 1);

    parley_test_stat(&t, T0 + TTL + 2000, &stat);
    assert_int_equal(stat.table.free, stat.table.blocks);
}


static void
test_level(void **state)
{
    size_t               i;
    parley_admission_t   a;
    parley_test_stat_t   stat;

    (void) state;

    t.s.share = PARLEY_SHARE_ALL;

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.level, PARLEY_STATE_OK);

    for (i = 0; i < stat.table.blocks * 15 / 16 + 1; i++) {
        a = message("alice", (unsigned) i, ONE);
        assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
        assert_int_equal(settle(&t.s, &a, got.stamp, 1, T0), 0);
    }

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.level, PARLEY_STATE_LOW);

    (void) flood("bob", T0);
    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.level, PARLEY_STATE_FULL);

    /* past use does not count */

    parley_test_stat(&t, T0 + TTL + 2000, &stat);
    assert_int_equal(stat.level, PARLEY_STATE_OK);
}


static void
test_words(void **state)
{
    size_t    i;
    unsigned  share;

    static const struct {
        const char  *word;
        unsigned     share;     /* 0: refused */
    } words[] = {
        { "25%", 250 }, { "1%", 10 }, { "100%", 1000 }, { "0%", 0 },
        { "101%", 0 }, { "999%", 0 }, { "01%", 0 }, { "25", 0 }, { "%", 0 },
        { "", 0 }, { "-1%", 0 }, { "2.5%", 0 }, { "25%%", 0 }, { " 5%", 0 },
        { "1000%", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        share = 0;

        if (parley_share_parse(parley_str_c(words[i].word), &share)
            != (words[i].share == 0 ? -1 : 0))
        {
            fail_msg("%s", words[i].word);
        }

        assert_int_equal(share, words[i].share);
    }
}


/* GW-25: a dead process's reservations do not count for any share. */

static void
test_dead(void **state)
{
    unsigned                       n, had;
    uint64_t                       stamp;
    parley_memory_t                next, other;
    parley_admission_t             a;
    parley_test_stat_t             stat;
    static const parley_process_t  two = { 2, 77 };
    static const parley_process_t  three = { 3, 77 };

    (void) state;

    other = t.s;
    parley_memory_enter(&other, &two);

    a = message("alice", 0, ONE);
    assert_int_equal(admit(&t.s, &a), PARLEY_ADMIT_OK);
    stamp = got.stamp;
    assert_int_equal(settle(&t.s, &a, stamp, 1, T0), 0);

    for (had = 0; /* void */ ; had++) {
        a = message("alice", had + 1, ONE);

        if (admit(&other, &a) != PARLEY_ADMIT_OK) {
            break;
        }
    }

    assert_int_equal(got.verdict, PARLEY_ADMIT_SHARE);
    assert_true(had > 10);

    /* a process that enters while all live drops nothing */

    next = t.s;
    parley_memory_enter(&next, &three);
    assert_int_equal(admit(&next, &a), PARLEY_ADMIT_SHARE);

    t.dead = 2;
    parley_memory_leave(&next);
    parley_memory_enter(&next, &three);

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.orphans, had);

    for (n = 0; n < had; n++) {
        a = message("alice", 5000 + n, ONE);
        assert_int_equal(admit(&next, &a), PARLEY_ADMIT_OK);
    }

    a = message("alice", 0, ONE);
    assert_int_equal(admit(&next, &a), PARLEY_ADMIT_DUPLICATE);
}


/* The largest share is known, for any account, and when it shrinks. */

static void
test_largest(void **state)
{
    size_t               had, n;
    parley_test_stat_t  stat;

    (void) state;

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.table.largest, 0);

    had = flood("alice", T0);
    n = flood("bob", T0 + TTL / 2);
    assert_true(n > 20 && n < had * 7 / 8);

    parley_test_stat(&t, T0, &stat);
    assert_in_range(stat.table.largest, had - had / 8, had + 1);

    parley_test_stat(&t, T0 + TTL + 60000, &stat);
    assert_in_range(stat.table.largest, n - n / 8, n + 1);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("SEC-09 one has its share, others theirs", test_share),
    test("GW-12 a full zone refuses, and recovers", test_full),
    test("AEE-22 how much is left", test_level),
    test("GW-25 the share of the dead", test_dead),
    test("OPS-01 what the largest has", test_largest),
    test("SEC-09 shares in words", test_words),
};

PARLEY_TEST_MAIN(tests)
