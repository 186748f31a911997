/* state/parley_job.h: jobs */

#include "t/unit/parley_test_job.h"


/* Other jobs stay in their places, and are found when they are wanted. */

static void
test_prompt(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; i < 4; i++) {
        assert_int_equal(add(i, "slow", i * 200), PARLEY_JOB_ADDED);
    }

    assert_int_equal(add(4, "!soon", 500), PARLEY_JOB_ADDED);
    assert_int_equal(add(5, "!now", 0), PARLEY_JOB_ADDED);

    t.now += 700;
    passes = PARLEY_JOB_CLASS_BIT(PARLEY_JOB_ORDINARY)
             | PARLEY_JOB_CLASS_BIT(PARLEY_JOB_URGENT);

    assert_string_equal(take(), "!now/1 !soon/1");
    assert_int_equal(got.list[0].class, PARLEY_JOB_PROMPT);
    assert_int_equal(got.next, 0);
    assert_int_equal(ends(1, PARLEY_JOB_AGAIN, 100), PARLEY_JOB_OK);
    assert_string_equal(take(), "");

    t.now += 100;
    assert_string_equal(take(), "!soon/2");

    passes = 0;
    assert_string_equal(take(), "slow/1 slow/1 slow/1 slow/1");
    assert_int_equal(got.list[0].class, PARLEY_JOB_ORDINARY);
}


/* Jobs before an urgent one in its lane become urgent and stay before it. */

static void
test_urgent(void **state)
{
    unsigned  i;

    (void) state;

    assert_int_equal(add(0, "slow", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "first", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "second", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(2, "taken", 0), PARLEY_JOB_ADDED);
    passes = PARLEY_JOB_CLASS_BIT(PARLEY_JOB_ORDINARY);

    assert_string_equal(take(), "");

    for (i = 0; i < 3; i++) {
        assert_int_equal(add(1, "^third", 0), PARLEY_JOB_ADDED);
        assert_int_equal(add(1, "last", 0), PARLEY_JOB_ADDED);
    }

    assert_int_equal(add(3, "^alone", 0), PARLEY_JOB_ADDED);

    assert_string_equal(take(), "first/1 ^alone/1");
    assert_int_equal(got.list[0].class, PARLEY_JOB_URGENT);
    assert_int_equal(ends(0, PARLEY_JOB_AGAIN, 100), PARLEY_JOB_OK);

    t.now += 100;
    assert_string_equal(take(), "first/2");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    assert_string_equal(take(), "second/1");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);

    for (i = 0; i < 3; i++) {
        assert_string_equal(take(), "^third/1");
        assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);

        if (i < 2) {
            assert_string_equal(take(), "last/1");
            assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
        }
    }

    assert_string_equal(take(), "");
    passes = 0;
    assert_string_equal(take(), "slow/1 taken/1 last/1");
    assert_int_equal(got.list[2].class, PARLEY_JOB_ORDINARY);
}


static void
test_due(void **state)
{
    (void) state;

    assert_string_equal(take(), "");
    assert_int_equal(got.next, -1);

    assert_int_equal(add(0, "late", 5000), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "soon", 300), PARLEY_JOB_ADDED);
    assert_int_equal(add(2, "now", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(3, "day", DAY), PARLEY_JOB_ADDED);

    assert_string_equal(take(), "now/1");
    assert_true(got.next > 0 && got.next <= 300);

    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    assert_int_equal(ended(PARLEY_JOB_DONE), 1);

    t.now += 299;
    assert_string_equal(take(), "");
    assert_int_equal(got.next, 1);

    t.now += 1;
    assert_string_equal(take(), "soon/1");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);

    /* turns of the lists later */

    while (t.now < T0 + 5000) {
        assert_string_equal(take(), "");
        assert_true(got.next > 0);
        t.now += got.next;
    }

    assert_string_equal(take(), "late/1");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);

    t.now = T0 + DAY - 1;
    assert_string_equal(take(), "");
    assert_int_equal(got.next, 1);
    t.now++;
    assert_string_equal(take(), "day/1");
    assert_true(got.list[0].left < 0);
    assert_int_equal(ends(0, PARLEY_JOB_GIVEN_UP, 0), PARLEY_JOB_OK);
    assert_int_equal(ended(PARLEY_JOB_GIVEN_UP), 1);

    nothing_left();
}


/* Due jobs are taken in the order of their times, with any number at once. */

static void
test_order_of_due(void **state)
{
    int          i;
    char         name[8], list[256];
    size_t       at;
    static char  texts[40][8];

    (void) state;

    /* each number has its own lane */

    for (i = 0; i < 40; i++) {
        (void) snprintf(texts[i], sizeof(texts[i]), "%d", i);
        keys[0][0] = (uint8_t) i;
        assert_int_equal(add(0, texts[i], 200 * (40 - i)), PARLEY_JOB_ADDED);
    }

    t.now += 10000;
    at = 0;
    list[0] = '\0';

    for (i = 0; i < 40; i++) {
        assert_int_equal(strlen(take_by(&t.s, 1)) > 0, 1);
        at += (size_t) snprintf(list + at, sizeof(list) - at, "%.*s ",
                                (int) got.list[0].text.len,
                                (const char *) got.list[0].text.data);
        assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
        assert_int_equal(got.next == 0, i < 39);
    }

    for (i = 39, at = 0; i >= 0; i--) {
        (void) snprintf(name, sizeof(name), "%d ", i);
        assert_memory_equal(list + at, name, strlen(name));
        at += strlen(name);
    }
}


static void
test_lane(void **state)
{
    parley_job_id_t  first;

    (void) state;

    assert_int_equal(add(0, "a1", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "a2", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "b1", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "a3", 0), PARLEY_JOB_ADDED);

    assert_string_equal(take(), "a1/1 b1/1");
    first = got.list[0].id;

    assert_int_equal(ends(1, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_string_equal(take(), "");

    /* a job that comes again keeps the others waiting */

    assert_int_equal(end_by(&t.s, &first, PARLEY_JOB_AGAIN, 1000),
                     PARLEY_JOB_OK);
    assert_string_equal(take(), "");
    t.now += 1000;
    assert_string_equal(take(), "a1/2");
    assert_int_equal(ends(0, PARLEY_JOB_REFUSED, 0), PARLEY_JOB_OK);

    assert_string_equal(take(), "a2/1");
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_string_equal(take(), "a3/1");
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);

    assert_int_equal(ended(PARLEY_JOB_DELIVERED), 3);
    assert_int_equal(ended(PARLEY_JOB_REFUSED), 1);

    nothing_left();

    /* the same lane with other jobs */

    assert_int_equal(add(0, "a4", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a4/1");
    assert_int_equal(end_by(&t.s, &first, PARLEY_JOB_DELIVERED, 0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
}


static void
test_mark(void **state)
{
    parley_job_end_t    e;
    parley_job_ended_t  ret;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a/1");
    assert_int_equal(got.list[0].mark, 0);

    memset(&e, 0, sizeof(e));
    memset(&ret, 0, sizeof(ret));

    e.id = &got.list[0].id;
    e.how = PARLEY_JOB_AGAIN;
    e.mark = 3;

    (void) t.s.state.ops->job->end(&t.s.state, &e, &ret, NULL);
    assert_int_equal(ret.verdict, PARLEY_JOB_OK);

    assert_string_equal(take(), "a/2");
    assert_int_equal(got.list[0].mark, 3);

    e.id = &got.list[0].id;
    e.mark = 0;
    e.untried = 1;

    (void) t.s.state.ops->job->end(&t.s.state, &e, &ret, NULL);
    assert_string_equal(take(), "a/2");
    assert_int_equal(got.list[0].mark, 0);

    /* without a caller that waits for it */

    e.id = &got.list[0].id;
    e.how = PARLEY_JOB_DONE;
    (void) t.s.state.ops->job->end(&t.s.state, &e, NULL, NULL);
    nothing_left();
}


/* While its process lives, no other process has a job; afterwards it failed. */

static void
test_owner(void **state)
{
    unsigned         asked;
    parley_job_id_t  id;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take_by(&other, MAX), "a/1");
    id = got.list[0].id;

    asked = t.asked;
    t.now += 999;
    assert_string_equal(take(), "");
    assert_int_equal(t.asked, asked);

    /* it lives for a day */

    t.now += 1;
    assert_string_equal(take(), "");
    assert_int_equal(t.asked, asked + 1);

    t.now += DAY;
    assert_string_equal(take(), "");
    assert_int_equal(end_by(&t.s, &id, PARLEY_JOB_DELIVERED, 0),
                     PARLEY_JOB_NOT_ITS);

    /*
     * the process dies: this is noticed, and its job is due as after a failed
     * attempt
     */

    t.dead = 2;
    t.now += 1000;
    assert_string_equal(take(), "");
    t.now += 1000;
    assert_string_equal(take(), "");
    t.now += 999;
    assert_string_equal(take(), "");
    t.now += 1;
    assert_string_equal(take(), "a/2");

    assert_int_equal(end_by(&other, &id, PARLEY_JOB_DELIVERED, 0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_int_equal(ended(PARLEY_JOB_DELIVERED), 1);
}


/* If the process of the last attempt dies, the job is given up at once. */

static void
test_owners(void **state)
{
    unsigned          i;
    parley_process_t  p;
    parley_memory_t   more;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);

    for (i = 1; i <= 4; i++) {
        more = t.s;
        p.pid = 100 + i;
        p.began = 1;
        parley_memory_adopt(&more, t.mem);
        parley_memory_enter(&more, &p);

        (void) snprintf(said, sizeof(said), "a/%u", i);
        assert_string_equal(take_by(&more, MAX), said);

        /* a process that leaves properly does not fail the job */

        parley_memory_leave(&more);

        t.now += 1000;
        assert_string_equal(take(), i < 4 ? "" : "a/5");

        if (i < 4) {
            t.now += delays[i - 1] - 1;
            assert_string_equal(take(), "");
            t.now += 1;
        }
    }
}


static void
test_drop(void **state)
{
    size_t           n;
    parley_job_id_t  id;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(0, "b", 0), PARLEY_JOB_ADDED);
    assert_int_equal(add(1, "c", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take_by(&other, 1), "a/1");
    id = got.list[0].id;

    (void) t.s.state.ops->job->drop(&t.s.state, keys[0], &n, NULL);
    assert_int_equal(n, 2);
    (void) t.s.state.ops->job->drop(&t.s.state, keys[0], &n, NULL);
    assert_int_equal(n, 0);
    (void) t.s.state.ops->job->drop(&t.s.state, keys[2], NULL, NULL);

    assert_int_equal(end_by(&other, &id, PARLEY_JOB_DONE, 0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(ended(PARLEY_JOB_DONE), 0);

    assert_string_equal(take(), "c/1");
    assert_int_equal(ends(0, PARLEY_JOB_DONE, 0), PARLEY_JOB_OK);
    nothing_left();
}


static void
test_append(void **state)
{
    size_t           records;
    parley_job_t     jobs[3];
    parley_str_t     part;
    parley_append_t  a;

    (void) state;

    jobs[0] = job(0, "x", 0);
    jobs[1] = job(1, "y", 0);
    jobs[2] = job(0, "z", 0);

    /* the log itself retains nothing */

    retention.records = 1;
    retention.octets = 1;
    retention.ms = 1;

    a = text(5, &part, "hello");
    a.jobs = jobs;
    a.njobs = 3;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    t.now += 100000;
    say(5, "more");
    t.now += PARLEY_FEED_GRACE;
    say(5, "more");

    assert_string_equal(take(), "x/1 y/1");
    assert_true(parley_str_is(got.list[0].record, "hello"));
    assert_true(parley_str_is(got.list[1].record, "hello"));
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_int_equal(ends(1, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);

    assert_string_equal(take(), "z/1");
    assert_true(parley_str_is(got.list[0].record, "hello"));
    records = entries(PARLEY_KIND_RECORD);
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);
    assert_int_equal(entries(PARLEY_KIND_RECORD), records - 1);

    nothing_left();
}


/* The end of an erased or expired record is not reported. */

static void
test_gone(void **state)
{
    parley_str_t     part;
    parley_job_t     j;
    parley_erase_t   erase;
    parley_append_t  a;

    (void) state;

    j = job(0, "x", 0);

    a = text(5, &part, "hello");
    a.jobs = &j;
    a.njobs = 1;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    memcpy(&erase.log, &(const uint8_t *) { keys[5] }, sizeof(erase.log));
    erase.offset = appended.places[0].place.offset;
    erase.epoch = appended.places[0].place.epoch;
    (void) t.s.state.ops->log->erase(&t.s.state, &erase, NULL);

    assert_string_equal(take(), "x/1");
    assert_true(got.list[0].gone);
    assert_null(got.list[0].record.data);
    assert_int_equal(ends(0, PARLEY_JOB_GIVEN_UP, 0), PARLEY_JOB_OK);

    a.ttl = 1000;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);
    t.now += 1000;
    assert_string_equal(take(), "x/1");
    assert_true(got.list[0].gone);
    assert_int_equal(ends(0, PARLEY_JOB_GIVEN_UP, 0), PARLEY_JOB_OK);

    nothing_left();
}


/* An end with a report: both happen or neither. */

static void
test_tells(void **state)
{
    char                *much;
    uint8_t              account[PARLEY_KEY_LEN];
    parley_str_t         part;
    parley_job_t         j;
    parley_append_t      tells;
    parley_job_end_t     e;
    parley_job_ended_t   ret;

    (void) state;

    assert_int_equal(add(0, "a", 0), PARLEY_JOB_ADDED);
    assert_string_equal(take(), "a/1");

    memset(&e, 0, sizeof(e));
    memset(&ret, 0, sizeof(ret));
    memcpy(account, keys[7], PARLEY_KEY_LEN);

    much = malloc(SIZE);
    assert_non_null(much);
    memset(much, 'x', SIZE);

    tells = text(6, &part, "");
    part = parley_str_make(much, SIZE - 1);
    tells.account = account;

    e.id = &got.list[0].id;
    e.how = PARLEY_JOB_GIVEN_UP;
    e.tells = &tells;

    (void) t.s.state.ops->job->end(&t.s.state, &e, &ret, NULL);
    assert_int_equal(ret.verdict, PARLEY_JOB_UNTOLD);
    assert_int_equal(ended(PARLEY_JOB_GIVEN_UP), 0);
    assert_int_equal(entries(PARLEY_KIND_JOB), 1);

    /* with a job of its own, for another recipient */

    part = PARLEY_STR("a was not delivered");
    j = job(3, "tell", 0);
    tells.jobs = &j;
    tells.njobs = 1;
    ret.appended = &appended;

    (void) t.s.state.ops->job->end(&t.s.state, &e, &ret, NULL);
    assert_int_equal(ret.verdict, PARLEY_JOB_OK);
    assert_int_equal(ended(PARLEY_JOB_GIVEN_UP), 1);
    assert_int_equal(appended.places[0].place.offset, 1);

    (void) t.s.state.ops->job->end(&t.s.state, &e, &ret, NULL);
    assert_int_equal(ret.verdict, PARLEY_JOB_NOT_ITS);

    assert_string_equal(take(), "tell/1");
    assert_true(parley_str_is(got.list[0].record, "a was not delivered"));
    assert_int_equal(ends(0, PARLEY_JOB_DELIVERED, 0), PARLEY_JOB_OK);

    nothing_left();
    free(much);
}


static const struct CMUnitTest  tests[] = {
    test("HUB-09 a job is taken when it is due", test_due),
    test("VCP-24 prompt jobs are taken by themselves", test_prompt),
    test("VCP-24 what is urgent waits in its lane alone", test_urgent),
    test("HUB-09 what was due first is taken first", test_order_of_due),
    test("VCP-23 jobs of a lane are taken one after the other", test_lane),
    test("HUB-09 a mark is kept, and what was not tried not counted",
         test_mark),
    test("HUB-09 a job is its process's as long as that lives", test_owner),
    test("VCP-21 the attempts of processes that are gone are counted",
         test_owners),
    test("HUB-09 whoever drops a lane is the last who had it", test_drop),
    test("HUB-09 jobs come with an append, and keep its record", test_append),
    test("HUB-09 what was erased, or is over, is not delivered", test_gone),
    test("HUB-09 an end and what tells of it are one", test_tells),
};

PARLEY_TEST_MAIN(tests)
