/*
 * parley_deadline.h: the result of a deadline that is due (VCP-24, VCP-27,
 * AEE-29)
 */

#include "gate/party/parley_account.h"
#include "hub/parley_expand.h"
#include "hub/parley_attempt.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/correlation/parley_question_parts.h"
#include "gate/settings/parley_settings.h"
#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_translate.h"
#include "gate/correlation/parley_question_raised.h"


#define SIZE  (1024 * 1024)
#define T0    ((int64_t) 1000000)
#define WALL  ((int64_t) 1771151400000)     /* 2026-02-15T10:30:00Z */

#define PRINCIPALS                                                            \
    "{\"principals\":["                                                       \
    "{\"sub\":\"kid\",\"parent\":\"mum\",\"handle\":\"~kid\","                \
    "\"aee\":\"agent.kid\"},"                                                 \
    "{\"sub\":\"mum\",\"parent\":\"deaf\",\"handle\":\"~mum\"},"              \
    "{\"sub\":\"deaf\",\"parent\":\"gran\"},"                                 \
    "{\"sub\":\"gran\",\"handle\":\"~gran\",\"deliver\":\"https://g/\"}]}"

#define TASK                                                                  \
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000001\","           \
    "\"ts\":\"2026-02-15T10:30:00.000Z\",\"type\":\"task\","                  \
    "\"from\":\"agent.kid\",\"to\":\"agent.mum\",\"intent\":\"ops.run\","     \
    "\"corr\":\"019502a4-7e5c-7000-8000-000000000002\","                      \
    "\"reply_to\":null,\"priority\":\"normal\","                              \
    "\"requires\":{\"timeout_ms\":1000},\"payload\":{\"a\":1}}"


static parley_test_state_t     t;
static parley_arena_t          arena;
static parley_settings_http_t  http;
static parley_render_t        deliver;
static parley_record_id_t      question;
static parley_taken_t          taken;
static parley_deadline_t        d;
static parley_publication_t    publication;


static void
put_question(void)
{
    parley_put_t              put;
    parley_str_t              part;
    parley_put_result_t       got;
    uint8_t                   octets[PARLEY_QUESTION_HEAD];
    parley_question_head_t    head;

    memset(&head, 0, sizeof(head));
    head.proto = PARLEY_PROTO_CANONICAL;
    head.awaited = 1;
    head.time = PARLEY_QUESTION_TIME;

    memset(&put, 0, sizeof(put));
    parley_question_head_write(octets, &head, PARLEY_STATE_FORMAT);
    part = parley_str_make(octets, sizeof(octets));

    put.id = question;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.parts = &part;
    put.nparts = 1;
    put.ttl = PARLEY_QUESTION_TIME;

    assert_int_equal(t.s.state.ops->put(&t.s.state, &put, &got, NULL),
                     PARLEY_STATE_DONE);
    assert_int_equal(got, PARLEY_PUT_OK);
}


/* Adds another answer: reserved, or also settled. */

static void
answer(int settles)
{
    int                  late;
    uint8_t              id[PARLEY_KEY_LEN], slot[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN] = { 1 };
    uint8_t              account[PARLEY_KEY_LEN];
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_settlement_t  how;

    memset(&a, 0, sizeof(a));
    memset(id, 0x77, sizeof(id));

    parley_account_key(&t.s.state, parley_str_c("mum"), parley_str_none,
                       account);
    parley_question_slot(&t.s.state, &question, 0, parley_str_none,
                         parley_str_none, slot);

    a.account = account;
    a.id = id;
    a.print = print;
    a.slot = slot;
    a.ttl = 600000;
    a.slot_ttl = 600000;

    assert_int_equal(t.s.state.ops->admit(&t.s.state, &a, &got, NULL),
                     PARLEY_STATE_DONE);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);

    if (!settles) {
        return;
    }

    memset(&how, 0, sizeof(how));

    how.stamp = got.stamp;
    how.taken = 1;
    how.closes[0] = &question;

    assert_int_equal(t.s.state.ops->settle(&t.s.state, &a, &how, &late, NULL),
                     PARLEY_STATE_DONE);
}


static int
begin(void **state)
{
    parley_str_t    parts[2];
    parley_str_t    part, record;
    parley_buf_t    b;
    parley_error_t  err;

    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);
    t.now = T0;

    memset(&http, 0, sizeof(http));
    memset(&publication, 0, sizeof(publication));

    if (parley_directory_parse(&arena, PARLEY_STR(PRINCIPALS), NULL,
                               &http.directory, &err)
        != 0)
    {
        fail_msg("%s", err.text);
    }

    http.publishes = 1;
    http.self_names[PARLEY_PROTO_CANONICAL] = PARLEY_STR("service.parley");

    deliver.engine = parley_test_engine();
    deliver.http = &http;
    deliver.seed = 7;

    part = PARLEY_STR("question");
    question.kind = PARLEY_KIND_QUESTION;
    question.tag = 0x12345678;
    parley_state_key(&t.s.state, PARLEY_KIND_QUESTION, &part, 1, question.key);

    publication.proto = PARLEY_PROTO_CANONICAL;
    publication.sender = PARLEY_STR("kid");
    publication.from = PARLEY_STR("agent.kid");
    publication.id = PARLEY_STR("019502a4-7e5c-7000-8000-000000000001");
    publication.ms = WALL;
    publication.message = PARLEY_STR(TASK);

    assert_int_equal(parley_publication_write(&arena, &publication, parts),
                     0);

    parley_buf_init(&b, &arena, 1024);
    parley_buf_str(&b, parts[0]);
    parley_buf_str(&b, parts[1]);
    assert_int_equal(parley_buf_done(&b, &record), 0);

    memset(&taken, 0, sizeof(taken));

    taken.attempt = 1;
    taken.left = 300000;
    taken.record = record;

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&arena);

    return 0;
}


static void
no_resume(parley_ask_t *q)
{
    (void) q;
}


/* Handles a due deadline; returns its result. */

static parley_deadline_how_t
meet(parley_job_subject_kind_t kind, const char *sub)
{
    parley_job_t  job;

    assert_int_equal(parley_question_job(&arena, &t.s.state, kind,
                                         &question, parley_str_c(sub), &job),
                     0);
    taken.text = job.text;

    memset(&d, 0, sizeof(d));

    d.deliver = &deliver;
    d.job = &taken;
    d.arena = &arena;
    d.now_ms = WALL + 1000;

    parley_ask_init(&d.ask, &t.s.state, &arena);
    d.ask.resume = no_resume;
    d.ask.now = t.now;

    assert_int_equal(parley_deadline_run(&d), 0);

    return d.how;
}


static void
assert_string_contains(parley_str_t text, const char *part)
{
    char  *all;

    all = parley_arena_calloc(&arena, text.len + 1);

    assert_non_null(all);
    memcpy(all, text.data, text.len);
    assert_non_null(strstr(all, part));
}


static void
assert_raised(const char *sub, const char *handle)
{
    uint8_t              log[PARLEY_KEY_LEN];
    const parley_job_t  *job;

    assert_int_equal(d.how, PARLEY_DEADLINE_RAISED);
    assert_int_equal(d.end.how, PARLEY_JOB_DONE);
    assert_non_null(d.end.tells);
    assert_true(parley_str_eq(d.to->sub, parley_str_c(sub)));

    parley_expand_log(&t.s.state, parley_str_c(handle), log);

    assert_int_equal(d.end.tells->nlogs, 1);
    assert_memory_equal(d.end.tells->logs[0], log, PARLEY_KEY_LEN);

    job = &d.end.tells->jobs[d.end.tells->njobs - 1];

    assert_int_equal(job->text.data[0], PARLEY_SUBJECT_ESCALATION);
    assert_int_equal(job->after, PARLEY_ESCALATION_MS);
}


static void
assert_awaits(const char *handle)
{
    parley_str_t           text;
    const parley_job_t    *job;
    parley_publication_t   p;

    assert_int_equal(d.end.tells->njobs, 2);
    assert_int_equal(parley_publication_read(d.end.tells->parts[0], &p), 0);
    assert_true(p.owed);

    job = &d.end.tells->jobs[0];

    assert_int_equal(parley_job_subject_read(job->text, &text),
                     PARLEY_SUBJECT_AWAIT);
    assert_true(parley_str_eq(text, parley_str_c(handle)));
    assert_true(job->owed);
    assert_int_equal(job->after, PARLEY_ATTEMPT_LIVES);
    assert_int_equal(job->lasts, PARLEY_ATTEMPT_LIVES);
    assert_memory_equal(job->lane, d.end.tells->logs[0], PARLEY_KEY_LEN);
}


static int
has_asked(const char *sub)
{
    parley_ask_t  ask;

    parley_ask_init(&ask, &t.s.state, &arena);
    parley_ask_begin(&ask, t.now);

    return parley_question_has_asked(&ask, &question, parley_str_c(sub));
}


static void
test_asked(void **state)
{
    (void) state;

    put_question();
    assert_int_equal(has_asked("gran"), 0);

    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");

    assert_int_equal(has_asked("gran"), 1);
    assert_int_equal(has_asked("mum"), 0);
    assert_int_equal(has_asked("kid"), 0);

    question.tag++;
    assert_int_equal(has_asked("gran"), 0);
}


static void
test_escalation(void **state)
{
    (void) state;

    put_question();

    /* VCP-33: a principal without a URL gets it on its next connection */

    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");
    assert_awaits("~gran");

    http.deliver_uri = PARLEY_STR("/d");

    (void) meet(PARLEY_SUBJECT_ESCALATION, "kid");
    assert_raised("mum", "~mum");
    assert_awaits("~mum");

    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "gran"),
                     PARLEY_DEADLINE_UNACKNOWLEDGED);
    assert_null(d.end.tells);

    /*
     * a reload removed the principal that was asked: begins again at the
     * sender
     */

    (void) meet(PARLEY_SUBJECT_ESCALATION, "nobody");
    assert_raised("mum", "~mum");
}


static void
test_escalation_url(void **state)
{
    const parley_job_t  *job;

    (void) state;

    http.deliver_uri = PARLEY_STR("/d");
    put_question();

    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");
    assert_int_equal(d.end.tells->njobs, 2);

    job = &d.end.tells->jobs[0];

    assert_int_equal(job->text.data[0], PARLEY_SUBJECT_DELIVER);
    assert_int_equal(job->after, 0);
    assert_int_equal(job->class, PARLEY_JOB_URGENT);
}


static void
test_acknowledged(void **state)
{
    (void) state;

    put_question();
    answer(1);

    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_ANSWERED);
    assert_null(d.end.tells);

    /* VCP-27: regardless of the parent's answer */

    (void) meet(PARLEY_SUBJECT_EMERGENCY, "mum");
    assert_raised("gran", "~gran");
}


/* A question that was lost is raised. */

static void
test_question_gone(void **state)
{
    (void) state;

    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");
}


static void
test_once(void **state)
{
    (void) state;

    put_question();

    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");
    assert_int_not_equal(d.end.mark, 0);

    /* an answer to another attempt of the message */

    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_ANSWERED);

    /* the report found no room, or the process died before it */

    taken.mark = d.end.mark != 0 ? d.end.mark : 1;
    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");

    taken.mark = 0;
    taken.attempt = 2;
    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");

    /* or the gateway died before it */

    taken.attempt = 1;
    taken.adopted = 1;
    (void) meet(PARLEY_SUBJECT_ESCALATION, "mum");
    assert_raised("gran", "~gran");
}


static void
test_timeout(void **state)
{
    uint8_t               log[PARLEY_KEY_LEN];
    parley_str_t          record;
    parley_buf_t          b;
    parley_publication_t  told;

    (void) state;

    put_question();

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_TIMED_OUT);

    parley_expand_log(&t.s.state, PARLEY_STR("~kid"), log);

    assert_int_equal(d.end.tells->nlogs, 1);
    assert_memory_equal(d.end.tells->logs[0], log, PARLEY_KEY_LEN);
    assert_int_equal(d.end.tells->njobs, 0);

    parley_buf_init(&b, &arena, 1024);
    parley_buf_str(&b, d.end.tells->parts[0]);
    parley_buf_str(&b, d.end.tells->parts[1]);
    assert_int_equal(parley_buf_done(&b, &record), 0);
    assert_int_equal(parley_publication_read(record, &told), 0);

    assert_int_equal(told.sender.len, 0);
    assert_true(parley_str_is(told.from, "service.parley"));
    assert_true(parley_str_is(told.to, "agent.kid"));
    assert_string_contains(told.message, "\"code\":\"E_TIMEOUT\"");

    /* the question is closed with it: the error is its answer */

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_ANSWERED);

    /* unless the same job closed it and has not reported yet */

    taken.attempt = 2;
    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_TIMED_OUT);
}


static void
test_timeout_answered(void **state)
{
    (void) state;

    put_question();
    answer(1);

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_ANSWERED);

    taken.attempt = 2;
    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_ANSWERED);
}


/* SEC-08: an answer in progress has priority, or is refused. */

static void
test_timeout_answering(void **state)
{
    (void) state;

    put_question();
    answer(0);

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"),
                     PARLEY_DEADLINE_AGAIN);
    assert_int_equal(d.end.how, PARLEY_JOB_AGAIN);
    assert_int_equal(d.end.untried, 1);
    assert_int_equal(d.end.mark, 0);
}


static void
test_untold(void **state)
{
    parley_audit_delivery_t  line;

    (void) state;

    put_question();

    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_RAISED);
    parley_deadline_line(&d, &line);
    assert_true(parley_str_is(line.outcome, "raised"));

    parley_deadline_untold(&d);

    assert_int_equal(d.how, PARLEY_DEADLINE_LOST);
    parley_deadline_line(&d, &line);
    assert_true(parley_str_is(line.outcome, "lost"));
}


static void
test_lost(void **state)
{
    parley_job_t  job;

    (void) state;

    /* the question was removed: its answer is unknown */

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "kid"), PARLEY_DEADLINE_LOST);
    assert_int_equal(d.end.how, PARLEY_JOB_GIVEN_UP);

    put_question();

    assert_int_equal(meet(PARLEY_SUBJECT_TIMEOUT, "who left"),
                     PARLEY_DEADLINE_LOST);

    taken.left = 0;
    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_LOST);

    taken.left = 1000;
    taken.record = parley_str_none;
    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_LOST);

    taken.record = PARLEY_STR("no publication");
    assert_int_equal(meet(PARLEY_SUBJECT_ESCALATION, "mum"),
                     PARLEY_DEADLINE_LOST);

    /* a sub that is longer than the text of a job */

    taken.text.len = 0;
    assert_int_equal(parley_question_job(&arena, &t.s.state,
                                         PARLEY_SUBJECT_ESCALATION, &question,
                                         parley_str_make(TASK TASK TASK TASK,
                                                         PARLEY_JOB_TEXT_MAX),
                                         &job),
                     -1);
}


/* Another gateway, or another program, may have written the record. */

static void
test_record(void **state)
{
    size_t                  n;
    uint8_t                 octets[PARLEY_QUESTION_HEAD + 3];
    parley_str_t            record;
    parley_question_t       q;
    parley_question_head_t  head;

    (void) state;

    memset(&head, 0, sizeof(head));
    head.time = 0x0102030405060708;
    head.awaited = 1;
    head.len[0] = 3;
    head.same[1] = 1;

    parley_question_head_write(octets, &head, PARLEY_STATE_FORMAT);
    memcpy(octets + PARLEY_QUESTION_HEAD, "ada", 3);
    record = parley_str_make(octets, sizeof(octets));

    /* format, form, then the lowest octet of the time */

    assert_memory_equal(octets, "1q\x08\x07\x06\x05\x04\x03\x02\x01", 10);

    assert_int_equal(parley_question_split(record, &q), 0);
    assert_true(q.head.time == head.time);
    assert_true(q.head.awaited);
    assert_true(parley_str_is(q.texts[0], "ada"));
    assert_true(parley_str_is(q.texts[1], "ada"));
    assert_int_equal(q.texts[2].len, 0);

    for (n = 0; n < sizeof(octets); n++) {
        assert_int_equal(parley_question_split(parley_str_make(octets, n), &q),
                         -1);
    }

    octets[0] = PARLEY_STATE_FORMAT + 1;
    assert_int_equal(parley_question_split(record, &q), -1);
    octets[0] = PARLEY_STATE_OLDEST - 1;
    assert_int_equal(parley_question_split(record, &q), -1);

    head.same[1] = 2;
    parley_question_head_write(octets, &head, PARLEY_STATE_FORMAT);
    assert_int_equal(parley_question_split(record, &q), -1);

    head.same[1] = 0;
    head.proto = PARLEY_PROTO_COUNT;
    parley_question_head_write(octets, &head, PARLEY_STATE_FORMAT);
    assert_int_equal(parley_question_split(record, &q), -1);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("VCP-24 what went up and found no room is lost", test_untold),
    test("VCP-24 what is not acknowledged goes to whoever is above",
         test_escalation),
    test("VCP-24 VCP-30 it is known who was asked", test_asked),
    test("VCP-24 and to his URL", test_escalation_url),
    test("VCP-24 VCP-27 what is acknowledged does not, save an emergency",
         test_acknowledged),
    test("VCP-24 what nobody can tell of goes up", test_question_gone),
    test("VCP-24 once, and again where that was told to nobody", test_once),
    test("AEE-29 a task that nobody answers fails, once", test_timeout),
    test("AEE-29 one that was answered does not", test_timeout_answered),
    test("SEC-08 an answer that is on its way comes first, or not at all",
         test_timeout_answering),
    test("VCP-24 AEE-29 what there is nothing left to go by", test_lost),
    test("CLU-15 a record of another form or format is not read", test_record),
};

PARLEY_TEST_MAIN(tests)
