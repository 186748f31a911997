/* gate/delivery/parley_job_line.c: lines about jobs in the error log */

#include "t/unit/parley_test.h"

#include "core/parley_escape.h"
#include "gate/delivery/parley_job_line.h"


static parley_delivery_t   delivery;
static parley_deadline_t    overdue;
static parley_taken_t      job;
static parley_attempted_t  how;
static parley_job_line_t   line;
static parley_principal_t  above;


static int
begin(void **state)
{
    (void) state;

    memset(&delivery, 0, sizeof(delivery));
    memset(&overdue, 0, sizeof(overdue));
    memset(&job, 0, sizeof(job));
    memset(&how, 0, sizeof(how));
    memset(&line, 0xA5, sizeof(line));
    memset(&above, 0, sizeof(above));

    delivery.sub = PARLEY_STR("bob");
    delivery.publication.sender = PARLEY_STR("alice");
    delivery.publication.id = PARLEY_STR("m-1");

    overdue.sub = PARLEY_STR("bob");
    overdue.publication = delivery.publication;
    above.sub = PARLEY_STR("lead");

    job.attempt = 2;
    how.why = "because";

    return 0;
}


static void
attempt(parley_job_how_t is, parley_job_line_level_t level, const char *what)
{
    char  text[256];

    how.how = is;

    parley_job_line_attempt(&delivery, &job, &how, &line);

    (void) snprintf(text, sizeof(text), "%s: because, attempt 2, to \"bob\", "
                    "from \"alice\", id \"m-1\"", what);

    assert_int_equal(line.level, level);
    assert_string_equal(line.text, text);
}


static void
test_attempt(void **state)
{
    (void) state;

    attempt(PARLEY_JOB_DELIVERED, PARLEY_JOB_LINE_INFO, "delivered");
    attempt(PARLEY_JOB_AGAIN, PARLEY_JOB_LINE_INFO, "to be delivered again");
    attempt(PARLEY_JOB_REFUSED, PARLEY_JOB_LINE_ERR, "undelivered, refused");
    attempt(PARLEY_JOB_GIVEN_UP, PARLEY_JOB_LINE_ERR,
            "undelivered, given up");

    (void) parley_error_set(&delivery.err, PARLEY_E_UPSTREAM_INVALID, NULL,
                            "status %d", 403);
    how.how = PARLEY_JOB_REFUSED;
    parley_job_line_attempt(&delivery, &job, &how, &line);

    assert_string_equal(line.text, "undelivered, refused: because: status "
                        "403, attempt 2, to \"bob\", from \"alice\", id "
                        "\"m-1\"");

    /*
     * a message of the gateway has no sender; the line names the wrong member
     */

    delivery.publication.sender = parley_str_none;
    (void) parley_error_set(&delivery.err, PARLEY_E_FIELD_INVALID, "/status",
                            "says \"x\"");
    parley_job_line_attempt(&delivery, &job, &how, &line);

    assert_string_equal(line.text, "undelivered, refused: because, /status: "
                        "says 'x', attempt 2, to \"bob\", id \"m-1\"");
}


/* For any name of a message or a principal. */

static void
test_names(void **state)
{
    char    id[1000];
    size_t  i, n;

    (void) state;

    memset(id, '"', sizeof(id));
    id[0] = '\n';

    delivery.publication.id = parley_str_make(id, sizeof(id));
    delivery.publication.sender = PARLEY_STR("a\r\n\x1b[2J\xff\"");
    delivery.sub = parley_str_make(id, sizeof(id));

    parley_job_line_attempt(&delivery, &job, &how, &line);

    n = strlen(line.text);

    assert_in_range(n, 2 * (PARLEY_ESCAPE_LOGGED - 2),
                    2 * PARLEY_ESCAPE_LOGGED + 150);

    for (i = 0; i < n; i++) {
        assert_in_range(line.text[i], 0x20, 0x7e);
    }

    assert_non_null(strstr(line.text, "from \"a%0D%0A%1B"));
    assert_non_null(strstr(line.text, "id \"%0A%22%22"));
}


static void
test_over(void **state)
{
    (void) state;

    parley_job_line_over(&delivery, 0, &line);
    assert_int_equal(line.level, PARLEY_JOB_LINE_NONE);
    assert_string_equal(line.text, "");

    parley_job_line_over(&delivery, 1, &line);
    assert_int_equal(line.level, PARLEY_JOB_LINE_ERR);
    assert_string_equal(line.text,
                        "an undelivered message could not be reported to the "
                        "parent, the zone is full, id \"m-1\"");
}


static void
deadline(parley_deadline_how_t is, int untold, parley_job_line_level_t level,
    const char *text)
{
    overdue.how = is;

    parley_job_line_deadline(&overdue, untold, &line);

    assert_int_equal(line.level, level);
    assert_string_equal(line.text, text);
}


static void
test_deadline(void **state)
{
    (void) state;

    deadline(PARLEY_DEADLINE_ANSWERED, 0, PARLEY_JOB_LINE_NONE, "");

    deadline(PARLEY_DEADLINE_UNACKNOWLEDGED, 0, PARLEY_JOB_LINE_ERR,
             "an escalation was not acknowledged, and no principal above "
             "\"bob\" can be reached, from \"alice\", id \"m-1\"");
    deadline(PARLEY_DEADLINE_TIMED_OUT, 0, PARLEY_JOB_LINE_INFO,
             "a task was not answered in its time, from \"alice\", id "
             "\"m-1\"");
    deadline(PARLEY_DEADLINE_LOST, 0, PARLEY_JOB_LINE_ERR,
             "it is unknown whether a message was answered in time, from "
             "\"alice\", id \"m-1\"");
    deadline(PARLEY_DEADLINE_LOST, 1, PARLEY_JOB_LINE_ERR,
             "a message was not answered in time, and its sender could not be "
             "told, the zone is full, from \"alice\", id \"m-1\"");

    overdue.to = &above;
    overdue.kind = PARLEY_SUBJECT_ESCALATION;

    deadline(PARLEY_DEADLINE_RAISED, 0, PARLEY_JOB_LINE_WARN,
             "an escalation was not acknowledged and goes up to \"lead\", "
             "from \"alice\", id \"m-1\"");

    overdue.kind = PARLEY_SUBJECT_EMERGENCY;

    deadline(PARLEY_DEADLINE_RAISED, 0, PARLEY_JOB_LINE_WARN,
             "an emergency goes up to \"lead\", from \"alice\", id \"m-1\"");

    overdue.kind = PARLEY_SUBJECT_FOLLOW;
    overdue.id = PARLEY_STR("m-0");

    deadline(PARLEY_DEADLINE_RAISED, 0, PARLEY_JOB_LINE_WARN,
             "an event was not answered and goes up to \"lead\", from "
             "\"alice\", id \"m-0\"");
}


#define test_of(name, f)  \
    { name, f, begin, NULL, NULL }


static const struct CMUnitTest  tests[] = {
    test_of("HUB-09 OPS-07 an attempt", test_attempt),
    test_of("SEC-01 names write no line", test_names),
    test_of("OPS-07 who could not be told", test_over),
    test_of("VCP-25 OPS-07 a deadline", test_deadline),
};

PARLEY_TEST_MAIN(tests)
