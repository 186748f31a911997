/* The response: its answers, and the outcome of the message. */

#include "t/unit/parley_test_gate.h"
#include "http/parley_events.h"
#include "gate/correlation/parley_exchange.h"


static void
test_outcome(void **state)
{
    test_gate_t         t;
    parley_answered_t   answered;
    parley_gate_conf_t  conf;

    (void) state;

    /* two events, the second of which is the last; and one too many */

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    memset(&answered, 0, sizeof(answered));
    assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000), 0);
    assert_int_equal(t.outcomes, 0);

    answered.settle = PARLEY_SETTLE_COMMIT;
    answered.over = 1;
    assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000), 0);
    assert_int_equal(t.outcomes, 1);
    assert_ptr_equal(t.outcome.answer, &answered);
    assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000), 0);

    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_ANSWERED,
                   PARLEY_SETTLE_COMMIT);
    test_end(&t);

    /* a stream that accepted the message, and breaks off */

    gate_init(&t, &conf);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    answered.over = 0;
    assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000), 0);

    (void) parley_error_set(&t.err, PARLEY_E_UPSTREAM_INVALID, NULL, "cut");
    assert_int_equal(parley_gate_unanswered(&t.gate, NULL, 1000), 0);
    assert_int_equal(t.gate.report.verdict, PARLEY_VERDICT_FAILED);

    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_FAILED,
                   PARLEY_SETTLE_COMMIT);
    test_end(&t);
}


static void
test_outcome_resumed(void **state)
{
    test_gate_t         t;
    parley_gate_conf_t  entry, spare;

    (void) state;

    conf_init(&entry, NULL);
    conf_init(&spare, NULL);
    gate_init(&t, &entry);

    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    gate_resume(&t, &spare);
    assert_int_equal(t.gate.report.verdict, PARLEY_VERDICT_NONE);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);
    assert_int_equal(t.gate.report.verdict, PARLEY_VERDICT_PASSED);
    assert_int_equal(t.outcomes, 0);

    /* the next location refused it */

    spare.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_VCP);
    gate_resume(&t, &spare);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.gate.report.verdict, PARLEY_VERDICT_REFUSED);

    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_REFUSED,
                   PARLEY_SETTLE_RELEASE);
    test_end(&t);
}


/* An answer that its caller may not have any longer is reported as missing. */

static void
test_withheld(void **state)
{
    int                       said, over;
    test_gate_t               t;
    parley_answered_t         answered;
    parley_gate_conf_t        conf;
    parley_revocations_now_t  lost = { NULL, 1 };

    (void) state;

    conf_init(&conf, NULL);

    for (said = 0; said < 2; said++) {
        for (over = 0; over < 2; over++) {
            gate_init(&t, &conf);

            assert_int_equal(parley_gate_run(&t.gate, 1000),
                             PARLEY_RESULT_PASSED);
            t.http.revocations = &lost;

            memset(&answered, 0, sizeof(answered));
            answered.settle = PARLEY_SETTLE_COMMIT;
            answered.replies = said;
            answered.over = over;

            if (!said && over) {
                assert_int_equal(parley_gate_answered(&t.gate, &answered,
                                                      1000), 0);
                assert_outcome(&t, PARLEY_VERDICT_PASSED,
                               PARLEY_OUTCOME_ANSWERED,
                               PARLEY_SETTLE_COMMIT);
                test_end(&t);
                continue;
            }

            assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000),
                             -1);
            assert_int_equal(t.err.code, PARLEY_E_CAPACITY);
            assert_int_equal(t.outcomes, 0);

            assert_int_equal(parley_gate_unanswered(&t.gate, NULL, 1000), 0);
            assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_FAILED,
                           PARLEY_SETTLE_COMMIT);
            test_end(&t);
        }
    }
}


/* Each fault has its code, and says whether the service took the message. */

static void
test_trouble(void **state)
{
    size_t              i;
    test_gate_t         t;
    parley_gate_conf_t  conf;

    static const struct {
        parley_upstream_error_t  what;
        int                      status;
        parley_code_t            code;
        unsigned                 taken;
    } cases[] = {
        { PARLEY_UPSTREAM_ERROR_UNREACHED, 502, PARLEY_E_UPSTREAM_UNAVAILABLE,
          0 },
        { PARLEY_UPSTREAM_ERROR_TIMEOUT, 504, PARLEY_E_UPSTREAM_TIMEOUT, 0 },
        { PARLEY_UPSTREAM_ERROR_CONNECT_TIMEOUT, 0,
          PARLEY_E_UPSTREAM_UNAVAILABLE, 0 },
        { PARLEY_UPSTREAM_ERROR_UNANSWERED, 0, PARLEY_E_UPSTREAM_UNAVAILABLE,
          0 },
        { PARLEY_UPSTREAM_ERROR_HEADER_LONG, 200, PARLEY_E_UPSTREAM_INVALID,
          1 },
        { PARLEY_UPSTREAM_ERROR_HEADER_LONG, 503, PARLEY_E_UPSTREAM_INVALID,
          0 },
        { PARLEY_UPSTREAM_ERROR_HEADER, 200, PARLEY_E_UPSTREAM_INVALID, 1 },
        { PARLEY_UPSTREAM_ERROR_CHARSET, 200, PARLEY_E_UPSTREAM_INVALID, 1 },
        { PARLEY_UPSTREAM_ERROR_EARLY, 200, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_GZIP_EARLY, 200, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_NOT_HTTP, 200, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_INTERIM, 103, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_CODING, 0, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_CODING, 199, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_REDIRECT, 200, PARLEY_E_UPSTREAM_INVALID, 1 },
        { PARLEY_UPSTREAM_ERROR_REDIRECT, 302, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_CODING, 200, PARLEY_E_UPSTREAM_INVALID, 1 },
        { PARLEY_UPSTREAM_ERROR_GZIP, 500, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_EVENTS_CODED, 200, PARLEY_E_UPSTREAM_INVALID,
          1 },
        { PARLEY_UPSTREAM_ERROR_TOO_LONG, 299, PARLEY_E_UPSTREAM_INVALID, 1 },
        { PARLEY_UPSTREAM_ERROR_TOO_LONG, 300, PARLEY_E_UPSTREAM_INVALID, 0 },
        { PARLEY_UPSTREAM_ERROR_EXPIRED, 200, PARLEY_E_TOKEN_EXPIRED, 0 }
    };

    (void) state;

    conf_init(&conf, NULL);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gate_init(&t, &conf);

        parley_gate_upstream_error(&t.gate, cases[i].what, cases[i].status);
        assert_int_equal(t.err.code, cases[i].code);
        assert_int_equal(t.err.taken, cases[i].taken);

        /* the first fault counts */

        parley_gate_upstream_error(&t.gate, PARLEY_UPSTREAM_ERROR_REDIRECT,
                                   200);
        assert_int_equal(t.err.code, cases[i].code);
        assert_int_equal(t.err.taken, cases[i].taken);

        test_end(&t);
    }

    /*
     * after the timeout, it is the reason for all faults, except for a
     * complete answer
     */

    gate_init(&t, &conf);
    t.gate.in.timed_out = 1;
    parley_gate_upstream_error(&t.gate, PARLEY_UPSTREAM_ERROR_EARLY, 200);
    assert_int_equal(t.err.code, PARLEY_E_UPSTREAM_TIMEOUT);

    parley_error_clear(&t.err);
    parley_gate_upstream_error(&t.gate, PARLEY_UPSTREAM_ERROR_TOO_LONG, 200);
    assert_int_equal(t.err.code, PARLEY_E_UPSTREAM_INVALID);
    test_end(&t);
}


static void
test_deadline(void **state)
{
    test_gate_t         t;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf, NULL);
    gate_init(&t, &conf);

    t.msg.timeout_ms = -1;
    assert_int_equal(parley_gate_message_deadline(&t.gate), -1);

    t.msg.timeout_ms = 5000;
    assert_int_equal(parley_gate_message_deadline(&t.gate), 5000);

    t.entry.gate.caps.timeout_ms = 3000;
    assert_int_equal(parley_gate_message_deadline(&t.gate), 3000);

    t.msg.timeout_ms = -1;
    assert_int_equal(parley_gate_message_deadline(&t.gate), 3000);

    t.msg.timeout_ms = 0;
    assert_int_equal(parley_gate_message_deadline(&t.gate), 0);
    test_end(&t);
}


#define RESULT                                                                \
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000009\","          \
    "\"ts\":\"2026-02-15T10:30:01.000Z\",\"type\":\"result\","               \
    "\"from\":\"agent.bob\",\"to\":\"agent.alice\",\"intent\":\"ops.run\","  \
    "\"corr\":\"019502a4-7e5c-7000-8000-000000000002\","                     \
    "\"reply_to\":\"019502a4-7e5c-7000-8000-000000000001\","                 \
    "\"priority\":\"normal\",\"payload\":{\"status\":\"ok\"}}"


/* GW-12, GW-39: the end of events, by the events before it. */

static void
test_ended(void **state)
{
    size_t              i;
    int                 rc;
    test_gate_t         t;
    parley_str_t        in;
    parley_event_t      event;
    parley_events_t     events;
    parley_ending_t     how;
    parley_answered_t   answered;
    parley_gate_conf_t  conf;

    static const struct {
        unsigned     broken;
        unsigned     open;
        const char  *text;      /* after the last complete event */
        unsigned     answered;
        int          rc;
        unsigned     unsure;
    } cases[] = {
        { 0, 0, "", 0, 0, 0 },
        { 0, 1, "", 0, 0, 1 },
        { 0, 1, "", 1, 0, 0 },
        { 1, 0, "", 0, -1, 0 },
        { 0, 0, "data: " RESULT, 0, 1, 0 },
        { 0, 1, "data: " RESULT "\n", 0, 1, 0 },
        { 1, 0, "data: " RESULT, 0, 1, 0 },
        { 0, 0, "data: {\"v\":", 0, -1, 0 },
        { 0, 1, "data: {\"v\":", 0, -1, 0 },
        { 0, 0, "data: {\"v\":\"1\"}", 0, -1, 0 },
        { 0, 0, "data:", 0, -1, 0 },
        { 0, 0, "id: 1\n", 0, -1, 0 },
        { 0, 0, "page", 0, -1, 0 }
    };

    (void) state;

    conf_init(&conf, NULL);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        gate_init(&t, &conf);
        assert_int_equal(parley_gate_run(&t.gate, 1000),
                         PARLEY_RESULT_PASSED);

        if (cases[i].answered) {
            assert_int_equal(parley_gate_event(&t.gate, &t.arena,
                                               PARLEY_STR(RESULT), &answered),
                             0);
            assert_true(answered.final);
            assert_int_equal(t.taken[PARLEY_STEP_ANSWER], 1);
        }

        parley_events_init(&events, &parley_mem_libc, 4096);

        in = parley_str_c(cases[i].text);
        assert_int_equal(parley_gate_events(&t.gate, &events, &in, &event), 0);

        how.broken = cases[i].broken;
        how.open = cases[i].open;

        rc = parley_gate_ended(&t.gate, &t.arena, &events, &how, &event,
                               &answered);
        assert_int_equal(rc, cases[i].rc);

        if (rc >= 0) {
            assert_int_equal(answered.unsure, cases[i].unsure);
            assert_int_equal(answered.final, rc);
            answered.over = 1;
            assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000),
                             0);
            assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_ANSWERED,
                           PARLEY_SETTLE_COMMIT);

        } else {
            assert_int_equal(t.err.code, PARLEY_E_UPSTREAM_INVALID);
            assert_false(t.err.taken);
            assert_int_equal(parley_gate_unanswered(&t.gate, NULL, 1000), 0);
            assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_FAILED,
                           PARLEY_SETTLE_RELEASE);
        }

        assert_int_equal(t.taken[PARLEY_STEP_SETTLE], 1);

        parley_events_free(&events);
        test_end(&t);
    }
}


static void
test_answer(void **state)
{
    test_gate_t         t;
    parley_answered_t   answered;
    parley_response_t   response;
    parley_gate_conf_t  conf;

    (void) state;

    conf_init(&conf, NULL);
    memset(&response, 0, sizeof(response));

    gate_init(&t, &conf);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    response.status = 200;
    response.body = PARLEY_STR(RESULT);
    assert_int_equal(parley_gate_answer(&t.gate, &response, &answered), 0);
    assert_true(answered.copied && answered.over);
    assert_int_equal(t.taken[PARLEY_STEP_ANSWER], 1);
    assert_int_equal(t.taken[PARLEY_STEP_SETTLE], 0);

    assert_int_equal(parley_gate_answered(&t.gate, &answered, 1000), 0);
    assert_int_equal(t.taken[PARLEY_STEP_SETTLE], 1);
    test_end(&t);

    /*
     * an unusable answer counts as an answer; the message may come again if
     * the answer says so
     */

    gate_init(&t, &conf);
    assert_int_equal(parley_gate_run(&t.gate, 1000), PARLEY_RESULT_PASSED);

    response.status = 503;
    response.body = PARLEY_STR("{}");
    response.wait_ms = 7000;
    assert_int_equal(parley_gate_answer(&t.gate, &response, &answered), -1);
    assert_int_equal(t.gate.report.wait, 7000);
    assert_int_equal(parley_gate_unanswered(&t.gate, NULL, 1000), 0);
    assert_int_equal(t.taken[PARLEY_STEP_ANSWER], 1);
    assert_outcome(&t, PARLEY_VERDICT_PASSED, PARLEY_OUTCOME_FAILED,
                   PARLEY_SETTLE_RELEASE);
    test_end(&t);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-26 what came of it is told once", test_outcome),
    parley_test("GW-24 and of the last place that it came to",
                test_outcome_resumed),
    parley_test("SEC-16 an answer is withheld, and told so", test_withheld),
    parley_test("GW-12 what keeps an answer from being one", test_trouble),
    parley_test("AEE-29 how long an answer is awaited", test_deadline),
    parley_test("GW-12 events end, or break off", test_ended),
    parley_test("GW-12 an answer is understood, and settled", test_answer),
};

PARLEY_TEST_MAIN(tests)
