/* hub/parley_runner.h: the jobs of a process */

#include "hub/parley_runner.h"
#include "t/unit/parley_test_job.h"


#define RUNS  64


/* log of the runner's calls */
static struct {
    parley_runner_t  *runner;
    parley_run_t     *runs[RUNS];       /* begun and not ended, in order */
    size_t            n;
    char              began[512];       /* texts of the jobs */
    char              over[512];        /* "how untold " */
    int64_t           next;
} w;


static void
world_begin(void *ctx, parley_run_t *run)
{
    size_t  n;

    (void) ctx;

    assert_true(w.n < RUNS);

    n = strlen(w.began);
    assert_true(n + run->job.text.len + 2 < sizeof(w.began));
    memcpy(w.began + n, run->job.text.data, run->job.text.len);
    strcpy(w.began + n + run->job.text.len, " ");

    w.runs[w.n++] = run;
}


static void
world_over(void *ctx, parley_run_t *run, parley_job_how_t how, int untold)
{
    size_t  n;

    (void) ctx;
    (void) run;

    n = strlen(w.over);
    snprintf(w.over + n, sizeof(w.over) - n, "%d %d ", (int) how, untold);
}


static void
world_wait(void *ctx, int64_t ms)
{
    (void) ctx;

    w.next = ms;
}


static void
world_create(size_t max)
{
    static parley_runner_env_t  env;

    memset(&w, 0, sizeof(w));

    env.mem = &parley_mem_libc;
    env.begin = world_begin;
    env.over = world_over;
    env.wait = world_wait;

    w.runner = parley_runner_create(&t.s.state, &env, max);
    assert_non_null(w.runner);
}


/* Adds n jobs, each in its own lane. */

static void
jobs_of(const uint8_t *account, const char *text, unsigned n, int64_t lasts)
{
    unsigned            i;
    parley_job_add_t    a;
    parley_job_added_t  rc;

    static unsigned  lanes;

    for (i = 0; i < n; i++) {
        memset(&a, 0, sizeof(a));

        lanes++;
        memcpy(a.job.lane, &lanes, sizeof(lanes));
        a.job.text = parley_str_c(text);
        a.job.lasts = lasts;
        a.account = account;
        a.job.class = text[0] == '!' ? PARLEY_JOB_PROMPT
                      : text[0] == '^' ? PARLEY_JOB_URGENT
                      : PARLEY_JOB_ORDINARY;

        assert_int_equal(t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL),
                         PARLEY_STATE_DONE);
        assert_int_equal(rc, PARLEY_JOB_ADDED);
    }
}


static void
jobs(const char *text, unsigned n, int64_t lasts)
{
    jobs_of(NULL, text, n, lasts);
}


/* Runs a turn; returns the jobs that begin. */

static const char *
turn(void)
{
    w.began[0] = '\0';
    parley_runner_turn(w.runner);

    return w.began;
}


/* Ends the i-th run; returns the jobs that begin after it. */

static const char *
done(size_t i)
{
    parley_run_t      *run;
    parley_job_end_t   e;

    run = w.runs[i];
    w.n--;
    memmove(&w.runs[i], &w.runs[i + 1], (w.n - i) * sizeof(w.runs[0]));

    memset(&e, 0, sizeof(e));
    e.how = PARLEY_JOB_DONE;

    w.began[0] = '\0';
    parley_runner_end(run, &e);

    return w.began;
}


static void
test_places(void **state)
{
    (void) state;

    world_create(2);

    jobs("a", 4, 300000);
    assert_string_equal(turn(), "a a ");
    assert_int_equal(w.next, 100);

    jobs("^", PARLEY_RUNNER_URGENT + 1, 300000);
    assert_string_equal(turn(), "^ ^ ^ ^ ^ ^ ^ ^ ");
    assert_int_equal(w.next, 100);

    jobs("!", 3, 300000);
    assert_string_equal(turn(), "! ! ");
    assert_int_equal(parley_runner_jobs(w.runner), 12);

    /* each class has its own places */

    assert_string_equal(done(11), "! ");
    assert_string_equal(done(2), "^ ");
    assert_string_equal(done(0), "a ");
    assert_string_equal(done(0), "a ");

    while (w.n > 0) {
        assert_string_equal(done(0), "");
    }

    assert_int_equal(parley_runner_jobs(w.runner), 0);
    nothing_left();
    parley_runner_free(w.runner);
}


static void
test_urgent(void **state)
{
    (void) state;

    world_create(2);

    /* urgent jobs may use the places of all classes */

    jobs("^", PARLEY_RUNNER_URGENT + 3, 300000);
    assert_string_equal(turn(), "^ ^ ^ ^ ^ ^ ^ ^ ^ ^ ");

    jobs("a", 1, 300000);
    jobs("!", 1, 300000);
    assert_string_equal(turn(), "! ");

    /* one in a shared place ends, and the next takes its place */

    assert_string_equal(done(5), "^ ");
    assert_string_equal(done(5), "");

    /* ordinary places are given to ordinary jobs in turn */

    assert_string_equal(done(0), "a ");

    while (w.n > 0) {
        (void) done(0);
    }

    parley_runner_free(w.runner);
}


/* One account gets a part of the shared places. */

static void
test_account(void **state)
{
    static const uint8_t  much[PARLEY_KEY_LEN] = { 1 };
    static const uint8_t  few[PARLEY_KEY_LEN] = { 2 };

    (void) state;

    world_create(2);

    jobs_of(much, "^m", PARLEY_RUNNER_URGENT + 3, 300000);
    assert_string_equal(turn(), "^m ^m ^m ^m ");
    assert_int_equal(w.next, 100);

    jobs_of(few, "^o", 3, 300000);
    assert_string_equal(turn(), "^o ^o ");

    /*
     * each account gets the next place after its own end, and any after an
     * ordinary end
     */

    assert_string_equal(done(2), "^m ");
    assert_string_equal(done(3), "^o ");
    assert_string_equal(done(0), "^m ");

    while (w.n > 0) {
        (void) done(0);
    }

    nothing_left();
    parley_runner_free(w.runner);
}


/* An account with a quarter of the places leaves the next ones to others. */

static void
test_shared(void **state)
{
    static const uint8_t  much[PARLEY_KEY_LEN] = { 1 };
    static const uint8_t  few[PARLEY_KEY_LEN] = { 2 };

    (void) state;

    world_create(4);

    jobs_of(much, "m", 8, 300000);
    assert_string_equal(turn(), "m m m m ");

    jobs_of(few, "o", 3, 300000);
    assert_string_equal(turn(), "");
    assert_string_equal(done(0), "o ");

    /* each has a quarter: the one that came first begins */

    assert_string_equal(done(0), "m ");
    assert_string_equal(done(2), "o ");
    assert_string_equal(done(3), "o ");

    /*
     * urgent jobs do not count as ordinary; jobs without an account have no
     * share
     */

    jobs_of(much, "^m", 1, 300000);
    assert_string_equal(turn(), "^m ");
    assert_string_equal(done(0), "m ");

    while (w.n > 0) {
        (void) done(0);
    }

    nothing_left();
    parley_runner_free(w.runner);
}


/*
 * Each attempt that ends brings the jobs behind it one step forward, for any
 * number.
 */

static void
test_shared_much(void **state)
{
    unsigned     i;
    const char  *one;

    static const uint8_t  much[PARLEY_KEY_LEN] = { 1 };
    static const uint8_t  few[PARLEY_KEY_LEN] = { 2 };

    (void) state;

    parley_test_state_end(&t);
    parley_test_state_begin(&t, 8 * SIZE, PARLEY_SHARE_ALL);
    t.now = T0;

    world_create(4);

    jobs_of(much, "m", 4 + 5 * PARLEY_JOB_LOOKS / 2, 300000);
    assert_string_equal(turn(), "m m m m ");

    jobs_of(few, "o", 1, 300000);

    for (one = "", i = 0; i < 3 && one[0] != 'o'; i++) {
        one = done(0);
    }

    assert_string_equal(one, "o ");

    while (w.n > 0) {
        (void) done(0);
    }

    nothing_left();
    parley_runner_free(w.runner);
}


/* Ends the first run with a report that finds no room. */

static void
tells(int insists)
{
    parley_run_t      *run;
    parley_str_t      *part;
    parley_append_t   *a;
    parley_job_end_t   e;

    assert_int_equal(w.n, 1);
    run = w.runs[0];
    w.n = 0;

    a = parley_arena_calloc(&run->arena, sizeof(parley_append_t));
    part = parley_arena_alloc(&run->arena, sizeof(parley_str_t));
    assert_true(a != NULL && part != NULL);

    *part = parley_str_make(parley_arena_calloc(&run->arena, SIZE), SIZE);
    assert_non_null(part->data);

    a->parts = part;
    a->nparts = 1;
    a->retention = retention;
    a->ttl = 1000;
    a->arena = &run->arena;

    memset(&e, 0, sizeof(e));
    e.how = PARLEY_JOB_DONE;
    e.tells = a;

    run->insists = insists != 0;
    parley_runner_end(run, &e);
}


static void
test_untold(void **state)
{
    (void) state;

    world_create(1);

    /* a job that does not insist ends without its report */

    jobs("a", 1, 300000);
    assert_string_equal(turn(), "a ");
    tells(0);
    assert_string_equal(w.over, "3 1 ");

    /* a job that insists is tried until its time ends, and is given up */

    w.over[0] = '\0';
    jobs("!", 1, 2500);
    assert_string_equal(turn(), "! ");
    tells(1);
    assert_string_equal(w.over, "");
    assert_string_equal(turn(), "");

    t.now += 1000;
    assert_string_equal(turn(), "! ");
    assert_int_equal(w.runs[0]->job.attempt, 1);
    tells(1);
    assert_string_equal(w.over, "");

    t.now += 1000;
    assert_string_equal(turn(), "! ");
    tells(1);
    assert_string_equal(w.over, "2 1 ");

    assert_int_equal(ended(PARLEY_JOB_DONE), 1);
    assert_int_equal(ended(PARLEY_JOB_GIVEN_UP), 1);
    nothing_left();
    parley_runner_free(w.runner);
}


/* The client of a call may leave after the append and before the call wakes the
   runners. */

static void
test_looks(void **state)
{
    (void) state;

    world_create(1);

    assert_string_equal(turn(), "");
    assert_in_range(w.next, 1, 10000);

    parley_runner_free(w.runner);
}


static const struct CMUnitTest  tests[] = {
    test("VCP-24 each class of jobs has places", test_places),
    test("VCP-24 what is urgent has those of the others, too", test_urgent),
    test("SEC-09 VCP-24 one account has a part of them", test_account),
    test("SEC-09 VCP-21 one account gives others the next", test_shared),
    test("SEC-09 VCP-21 however many it has", test_shared_much),
    test("VCP-24 what could be told to nobody is given up", test_untold),
    test("C2A-23 a runner looks for jobs that did not wake it", test_looks),
};

PARLEY_TEST_MAIN(tests)
