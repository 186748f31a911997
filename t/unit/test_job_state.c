/* state/memory/parley_memory_lane.c: memory of jobs, and their repair */

#include <time.h>

#include "t/unit/parley_test_job.h"


/*
 * SEC-09: an account that has used its share adds no jobs, and a job is added
 * as a whole or not at all.
 */

static void
test_share(void **state)
{
    unsigned            n;
    uint8_t             account[PARLEY_KEY_LEN];
    parley_str_t        part;
    parley_job_t        jobs[2];
    parley_append_t     a;
    parley_job_add_t    add_to;
    parley_job_added_t  rc;

    static char  full[PARLEY_JOB_TEXT_MAX + 2];

    (void) state;

    memset(full, 'x', PARLEY_JOB_TEXT_MAX + 1);
    memcpy(account, keys[7], PARLEY_KEY_LEN);
    memset(&add_to, 0, sizeof(add_to));

    add_to.account = account;
    add_to.job = job(0, full, 0);

    (void) t.s.state.ops->job->add(&t.s.state, &add_to, &rc, NULL);
    assert_int_equal(rc, PARLEY_JOB_LONG);

    add_to.job.text.len = PARLEY_JOB_TEXT_MAX;

    for (n = 0; n < 10000; n++) {
        (void) t.s.state.ops->job->add(&t.s.state, &add_to, &rc, NULL);

        if (rc != PARLEY_JOB_ADDED) {
            break;
        }
    }

    assert_int_equal(rc, PARLEY_JOB_SHARE);
    assert_in_range(n, 10, 200);

    /* it cannot append a record with jobs either, and another account can */

    jobs[0] = job(1, "1", 0);
    jobs[1] = job(2, full, 0);
    jobs[1].text.len = PARLEY_JOB_TEXT_MAX;

    a = text(6, &part, "hello");
    a.account = account;
    a.jobs = jobs;
    a.njobs = 2;
    assert_int_equal(append(&a), PARLEY_APPEND_SHARE);
    a.account = keys[6];
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    assert_int_equal(entries(PARLEY_KIND_JOB), n + 2);

    /* the first of a lane and two more: the rest waits */

    assert_int_equal((take(), got.n), 3);
}


static void
test_list(void **state)
{
    int                   i, n, first, taken;
    parley_job_list_t     list;
    parley_job_listing_t  ret;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "b", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "c", 5000), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a/1");

    memset(&list, 0, sizeof(list));
    list.arena = &arena;
    n = first = taken = 0;

    do {
        (void) t.s.state.ops->job->list(&t.s.state, &list, &ret, NULL);
        assert_int_not_equal(ret.n, -1);

        for (i = 0; i < ret.n; i++) {
            n++;
            first += ret.list[i].first;
            taken += ret.list[i].taken;

            if (parley_str_is(ret.list[i].text, "c")) {
                assert_int_equal(ret.list[i].due, -5000);
                assert_int_equal(ret.list[i].left, 300000);
            }
        }

        list.at = ret.next;

    } while (ret.next != 0);

    assert_int_equal(n, 3);
    assert_int_equal(first, 2);
    assert_int_equal(taken, 1);
}


/* A process that died with the lock left nothing half done. */

static void
test_mended(void **state)
{
    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "b", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "c", 5000), PARLEY_JOB_ADDED);
    assert_int_equal(add(2, "d", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take_by(&other, 1), "a/1");

    /* half of a list, and a lane without data */

    memset(t.s.sh->jobs.slots, 0xA5, sizeof(t.s.sh->jobs.slots));
    t.s.sh->jobs.next = PARLEY_DUE_NEVER;
    t.s.sh->jobs.taken = 77;
    t.s.sh->busy = 1;

    parley_memory_lock(&t.s);
    parley_memory_unlock(&t.s);

    assert_int_equal(t.s.sh->repairs, 1);
    assert_int_equal(t.s.sh->jobs.taken, 1);
    assert_int_equal(entries(PARLEY_KIND_JOB), 4);

    assert_string_equal(take(), "d/1");

    t.now += 5000;
    assert_string_equal(take(), "c/1");
    t.dead = 2;
    t.now += 1000;
    assert_string_equal(take(), "");
    t.now += 2000;
    assert_string_equal(take(), "");
    t.now += 1000;
    assert_string_equal(take(), "a/2");
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_string_equal(take(), "b/1");
}


static uint64_t
counted(void)
{
    parley_state_stat_t  stat;

    (void) t.s.state.ops->stat(&t.s.state, &stat, NULL);

    return stat.counted;
}


/* Counted jobs are counted while they exist, also after another try, an urgent
   job in their lane, and a repair. */

static void
test_counted(void **state)
{
    unsigned            i;
    size_t              n;
    parley_str_t        part;
    parley_append_t     a;
    parley_job_t        jobs[3];

    (void) state;

    for (i = 0; i < 3; i++) {
        jobs[i] = job(i, "a", 0);
        jobs[i].counted = i != 1;
    }

    a = text(6, &part, "hello");
    a.jobs = jobs;
    a.njobs = 3;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);
    assert_int_equal(counted(), 2);

    assert_int_equal(add(0, "^b", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a/1 a/1 a/1");
    assert_int_equal(ends(0, PARLEY_JOB_AGAIN, 1000), PARLEY_JOB_OK);
    assert_int_equal(ends(2, PARLEY_JOB_AGAIN, 5000), PARLEY_JOB_OK);
    assert_int_equal(counted(), 2);

    t.s.sh->jobs.counted = 77;
    t.s.sh->busy = 1;

    parley_memory_lock(&t.s);
    parley_memory_unlock(&t.s);

    assert_int_equal(counted(), 2);

    /* one ends, and the lane of the other is dropped */

    assert_int_equal(ends(1, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    assert_int_equal(counted(), 2);

    t.now += 1000;
    assert_string_equal(take(), "a/2");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    assert_int_equal(counted(), 1);

    (void) t.s.state.ops->job->drop(&t.s.state, keys[2], &n, NULL);
    assert_int_equal(counted(), 0);
}


/* An end that was begun is complete or not, depending on its report. */

static void
test_ending(void **state)
{
    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "b", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a/1");

    t.s.sh->jobs.how = PARLEY_JOB_REFUSED;
    t.s.sh->jobs.count = 1;
    t.s.sh->jobs.at = 1;
    memcpy(t.s.sh->jobs.lane, keys[0], PARLEY_KEY_LEN);

    /* it had to be reported, and was not */

    t.s.sh->jobs.number = t.s.sh->appends.head + 1;
    t.s.sh->jobs.ending = 1;
    t.s.sh->busy = 1;
    parley_memory_lock(&t.s);
    parley_memory_unlock(&t.s);

    assert_int_equal(ended(PARLEY_JOB_REFUSED), 0);
    assert_int_equal(entries(PARLEY_KIND_JOB), 2);

    /* there was nothing to report */

    t.s.sh->jobs.number = 0;
    t.s.sh->jobs.ending = 1;
    t.s.sh->busy = 1;
    parley_memory_lock(&t.s);
    parley_memory_unlock(&t.s);

    assert_int_equal(ended(PARLEY_JOB_REFUSED), 1);
    assert_int_equal(entries(PARLEY_KIND_JOB), 1);
    assert_string_equal(take(), "b/1");
}


/* 10 000 jobs that are not due cost one comparison. */

static void
test_many(void **state)
{
    void            *mem;
    unsigned         i;
    int64_t          ns;
    parley_memory_t  s;
    struct timespec  a, b;

    static const parley_process_t  self = { 1, 77 };
    static const uint8_t           secret[PARLEY_KEY_SECRET] = "0123456789ab";

    parley_job_add_t    add_to;
    parley_job_added_t  rc;

    (void) state;

    s = t.s;
    mem = aligned_alloc(PARLEY_BLOCK, 8 << 20);
    assert_non_null(mem);
    assert_int_equal(parley_memory_create(&s, mem, 8 << 20, secret), 0);
    parley_memory_enter(&s, &self);

    memset(&add_to, 0, sizeof(add_to));

    for (i = 0; i < 10000; i++) {
        memcpy(keys[0], &i, sizeof(i));
        add_to.job = job(0, "job of somebody", 3600000 + (int64_t) i);
        (void) s.state.ops->job->add(&s.state, &add_to, &rc, NULL);
        assert_int_equal(rc, PARLEY_JOB_ADDED);
    }

    /* an hour of looks, as often as next says */

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);

    for (i = 0; t.now < T0 + 3600000; i++) {
        assert_string_equal(take_by(&s, MAX), "");
        assert_true(got.next > 0);
        t.now += got.next;
        parley_arena_reset(&arena);
    }

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);

    ns = (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec;

    /* 1 % of an hour */

    assert_true(ns < 3600LL * 10000000);

    assert_int_equal(strlen(take_by(&s, 1)) > 0, 1);

    free(mem);
}


/*
 * Adds n jobs of an account that gives way to others, each due again right
 * after its attempt.  Returns how many of them never run, in as many attempts
 * as give each of them three.
 */

static unsigned
never_taken(unsigned n)
{
    unsigned             i, which, never;
    uint32_t             account;
    parley_job_add_t     a;
    parley_job_take_t    take;
    parley_job_added_t   rc;

    static unsigned       taken[3 * PARLEY_JOB_LOOKS];
    static const uint8_t  much[PARLEY_KEY_LEN] = { 1 };

    parley_test_state_end(&t);
    parley_test_state_begin(&t, 8 * SIZE, PARLEY_SHARE_ALL);
    t.now = T0;

    memset(taken, 0, sizeof(taken));
    memset(&take, 0, sizeof(take));
    memset(&a, 0, sizeof(a));

    for (i = 0; i < n; i++) {
        a.job = job(0, "", 0);
        memcpy(a.job.lane, &i, sizeof(i));
        a.job.text = parley_str_make(&i, sizeof(i));
        a.account = much;

        assert_int_equal(t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL),
                         PARLEY_STATE_DONE);
        assert_int_equal(rc, PARLEY_JOB_ADDED);
    }

    take.max = 1;
    take.arena = &arena;
    take.last = &account;

    for (i = 0; i < 3 * n; i++) {
        assert_int_equal(t.s.state.ops->job->take(&t.s.state, &take, &got,
                                                  NULL),
                         PARLEY_STATE_DONE);
        assert_int_equal(got.n, 1);

        memcpy(&which, got.list[0].text.data, sizeof(which));
        taken[which]++;

        account = got.list[0].account;
        take.nlast = 1;

        assert_int_equal(ends(0, PARLEY_JOB_AGAIN, 0), PARLEY_JOB_OK);
        parley_arena_reset(&arena);
        t.now++;
    }

    for (never = 0, i = 0; i < n; i++) {
        never += taken[i] == 0;
    }

    return never;
}


/* As many as there are looks, and a few more. */

static void
test_turns(void **state)
{
    (void) state;

    assert_int_equal(never_taken(PARLEY_JOB_LOOKS), 0);
    assert_int_equal(never_taken(PARLEY_JOB_LOOKS + 1), 0);
    assert_int_equal(never_taken(PARLEY_JOB_LOOKS + 2), 0);
    assert_int_equal(never_taken(PARLEY_JOB_LOOKS + 44), 0);
    assert_int_equal(never_taken(2 * PARLEY_JOB_LOOKS), 0);
    assert_int_equal(never_taken(2 * PARLEY_JOB_LOOKS + 1), 0);
}


static const struct CMUnitTest  tests[] = {
    test("SEC-09 jobs are counted to a share", test_share),
    test("HUB-09 jobs are listed", test_list),
    test("GW-15 jobs are mended", test_mended),
    test("OPS-02 some jobs are counted", test_counted),
    test("GW-15 an end that was begun is done or undone", test_ending),
    test("SEC-09 VCP-21 who gives way to others has each of his tried",
         test_turns),
    test("HUB-09 jobs that are not due cost nothing", test_many),
};

PARLEY_TEST_MAIN(tests)
