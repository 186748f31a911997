/* hub/parley_attempt.h, hub/parley_job_subject.h */

#include "t/unit/parley_test.h"

#include "hub/parley_attempt.h"
#include "hub/parley_job_subject.h"


static parley_taken_t         job;
static parley_answer_t        answer;
static parley_attempt_came_t  came;
static parley_attempted_t     got;


static void
clear(unsigned attempt)
{
    memset(&job, 0, sizeof(job));
    memset(&came, 0, sizeof(came));
    memset(&answer, 0, sizeof(answer));

    job.attempt = attempt;
    job.left = PARLEY_ATTEMPT_LIVES;
    came.answer = &answer;
}


static parley_job_how_t
comes(int status)
{
    came.status = status;
    parley_attempt_came(&job, &came, &got);
    assert_non_null(got.why);

    return got.how;
}


static void
test_status(void **state)
{
    size_t  i;

    static const struct {
        int                status;
        parley_job_how_t   how;
    } list[] = {
        { 0, PARLEY_JOB_AGAIN }, { 200, PARLEY_JOB_DELIVERED },
        { 202, PARLEY_JOB_DELIVERED }, { 204, PARLEY_JOB_DELIVERED },
        { 100, PARLEY_JOB_REFUSED }, { 301, PARLEY_JOB_REFUSED },
        { 307, PARLEY_JOB_REFUSED }, { 400, PARLEY_JOB_REFUSED },
        { 401, PARLEY_JOB_AGAIN }, { 403, PARLEY_JOB_REFUSED },
        { 404, PARLEY_JOB_REFUSED }, { 408, PARLEY_JOB_AGAIN },
        { 409, PARLEY_JOB_REFUSED }, { 413, PARLEY_JOB_REFUSED },
        { 422, PARLEY_JOB_REFUSED }, { 425, PARLEY_JOB_AGAIN },
        { 429, PARLEY_JOB_AGAIN }, { 500, PARLEY_JOB_AGAIN },
        { 501, PARLEY_JOB_AGAIN }, { 503, PARLEY_JOB_AGAIN },
        { 599, PARLEY_JOB_AGAIN }
    };

    (void) state;

    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        clear(1);

        if (comes(list[i].status) != list[i].how) {
            fail_msg("%d: %d", list[i].status, got.how);
        }
    }

    /* after a credential that was refused, a new one is fetched once */

    clear(1);
    assert_int_equal(comes(401), PARLEY_JOB_AGAIN);
    job.mark = got.mark;
    job.attempt = 2;
    assert_int_equal(comes(401), PARLEY_JOB_REFUSED);
    assert_int_equal(comes(503), PARLEY_JOB_AGAIN);
    assert_int_equal(got.mark, job.mark);
}


static void
test_answer(void **state)
{
    (void) state;

    clear(1);
    answer.kind = PARLEY_ANSWER_REFUSED;
    assert_int_equal(comes(200), PARLEY_JOB_REFUSED);
    answer.retryable = 1;
    assert_int_equal(comes(200), PARLEY_JOB_AGAIN);
    assert_int_equal(comes(403), PARLEY_JOB_REFUSED);

    clear(1);
    answer.kind = PARLEY_ANSWER_MESSAGE;
    answer.msg.act = PARLEY_ACT_REPLY;
    assert_int_equal(comes(200), PARLEY_JOB_DELIVERED);
    answer.msg.act = PARLEY_ACT_FAILURE;
    assert_int_equal(comes(200), PARLEY_JOB_REFUSED);
    answer.msg.retryable = 1;
    assert_int_equal(comes(200), PARLEY_JOB_AGAIN);

    clear(1);
    came.answer = NULL;
    assert_int_equal(comes(200), PARLEY_JOB_REFUSED);
    assert_int_equal(comes(409), PARLEY_JOB_REFUSED);
    came.lacks = 1;
    assert_int_equal(comes(200), PARLEY_JOB_AGAIN);

    clear(1);
    answer.kind = PARLEY_ANSWER_REFUSED;
    answer.code = PARLEY_STR("message-in-flight");
    assert_int_equal(comes(409), PARLEY_JOB_AGAIN);
    answer.code = PARLEY_STR("message-duplicate");
    assert_int_equal(comes(409), PARLEY_JOB_DELIVERED);
    answer.kind = PARLEY_ANSWER_MESSAGE;
    answer.msg.code = PARLEY_STR("E_MESSAGE_IN_FLIGHT");
    assert_int_equal(comes(409), PARLEY_JOB_AGAIN);
    answer.msg.code = PARLEY_STR("E_MESSAGE_DUPLICATE");
    assert_int_equal(comes(409), PARLEY_JOB_DELIVERED);
}


static void
test_delays(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 1; i <= 3; i++) {
        clear(i);
        assert_int_equal(comes(503), PARLEY_JOB_AGAIN);
        assert_int_equal(got.after, 500 << i);
    }

    clear(4);
    assert_int_equal(comes(503), PARLEY_JOB_GIVEN_UP);
    assert_true(got.spent);
    assert_int_equal(comes(401), PARLEY_JOB_GIVEN_UP);
    assert_int_equal(comes(200), PARLEY_JOB_DELIVERED);

    /* a peer may ask for more time, up to a minute, but not for less */

    clear(2);
    came.wait_ms = 3000;
    (void) comes(429);
    assert_int_equal(got.after, 3000);
    came.wait_ms = 1000;
    (void) comes(429);
    assert_int_equal(got.after, 2000);
    came.wait_ms = 3600000;
    (void) comes(429);
    assert_int_equal(got.after, 60000);

    /* an attempt that would be too late is not made */

    clear(1);
    job.left = 1000;
    assert_int_equal(comes(503), PARLEY_JOB_GIVEN_UP);
    assert_false(got.spent);
    job.left = 1001;
    assert_int_equal(comes(503), PARLEY_JOB_AGAIN);
}


static void
test_may(void **state)
{
    (void) state;

    clear(1);
    assert_int_equal(parley_attempt_may(&job, &got), 1);
    job.attempt = 4;
    assert_int_equal(parley_attempt_may(&job, &got), 1);
    job.attempt = 5;
    assert_int_equal(parley_attempt_may(&job, &got), 0);
    assert_int_equal(got.how, PARLEY_JOB_GIVEN_UP);
    assert_true(got.spent);

    clear(1);
    job.left = 0;
    assert_int_equal(parley_attempt_may(&job, &got), 0);
    assert_int_equal(got.how, PARLEY_JOB_GIVEN_UP);

    clear(1);
    job.gone = 1;
    assert_int_equal(parley_attempt_may(&job, &got), 0);
    assert_int_equal(got.how, PARLEY_JOB_GIVEN_UP);
}


static void
test_load(void **state)
{
    char            octets[PARLEY_JOB_TEXT_MAX];
    parley_str_t    text, sub;
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_job_subject_write(&arena, PARLEY_SUBJECT_NOTICE,
                                              PARLEY_STR("bob"), &text), 0);
    assert_int_equal(parley_job_subject_read(text, &sub),
                     PARLEY_SUBJECT_NOTICE);
    assert_true(parley_str_is(sub, "bob"));

    memset(octets, 'x', sizeof(octets));
    assert_int_equal(parley_job_subject_write(&arena, PARLEY_SUBJECT_DELIVER,
                                              parley_str_make(octets,
                                                              sizeof(octets)),
                                              &text), -1);

    assert_int_equal(parley_job_subject_read(parley_str_none, &sub),
                     PARLEY_SUBJECT_NONE);
    assert_int_equal(parley_job_subject_read(PARLEY_STR("\xFF""bob"), &sub),
                     PARLEY_SUBJECT_NONE);
    assert_int_equal(sub.len, 0);

    parley_arena_reset(&arena);
}


static void
test_slow(void **state)
{
    unsigned                i;
    int64_t                 ms;
    parley_attempts_t       attempts;
    parley_attempt_slows_t  slows;

    (void) state;

    clear(1);
    memset(&slows, 0, sizeof(slows));

    job.class = PARLEY_JOB_ORDINARY;
    job.left = 60000;

    attempts.recipient = 7;
    attempts.n = 4;
    attempts.max = 16;
    attempts.now_ms = 100000;

    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);

    parley_attempt_took(&slows, 7, PARLEY_ATTEMPT_SLOW_MS - 1, 100000);
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);

    parley_attempt_took(&slows, 8, PARLEY_ATTEMPT_MS, 100000);
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);

    parley_attempt_took(&slows, 7, PARLEY_ATTEMPT_SLOW_MS, 100000);
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts),
                     PARLEY_ATTEMPT_SLOW_MS);

    parley_attempt_took(&slows, 7, 2 * PARLEY_ATTEMPT_MS, 100000);
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts),
                     PARLEY_ATTEMPT_MS);

    /* jobs are spread, and a job that is over or urgent does not wait */

    memset(job.id.lane, 0xff, sizeof(job.id.lane));
    ms = parley_attempt_waits(&slows, &job, &attempts);
    assert_in_range(ms, PARLEY_ATTEMPT_MS + 1, 2 * PARLEY_ATTEMPT_MS - 1);

    job.left = 0;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    job.left = 60000;
    job.gone = 1;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    job.gone = 0;
    job.class = PARLEY_JOB_URGENT;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    job.class = PARLEY_JOB_ORDINARY;

    /* a quarter of the places, at least one */

    attempts.n = 3;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    attempts.max = 1;
    attempts.n = 0;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    attempts.n = 1;
    assert_true(parley_attempt_waits(&slows, &job, &attempts) > 0);

    /* the time is over; other recipients take the place */

    attempts.now_ms += PARLEY_ATTEMPT_SLOW;
    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    attempts.now_ms -= 1;
    assert_true(parley_attempt_waits(&slows, &job, &attempts) > 0);

    for (i = 0; i < PARLEY_ATTEMPT_SLOWS; i++) {
        parley_attempt_took(&slows, 100 + i, PARLEY_ATTEMPT_MS, 100001);
    }

    assert_int_equal(parley_attempt_waits(&slows, &job, &attempts), 0);
    attempts.recipient = 100;
    assert_true(parley_attempt_waits(&slows, &job, &attempts) > 0);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-21 what a status means", test_status),
    parley_test("VCP-21 what an answer means", test_answer),
    parley_test("VCP-21 when the next attempt is, and that there is no fifth",
                test_delays),
    parley_test("VCP-21 what is over is not tried", test_may),
    parley_test("SEC-09 a slow recipient gets a quarter of the attempts",
                test_slow),
    parley_test("HUB-09 what a job is about", test_load),
};

PARLEY_TEST_MAIN(tests)
