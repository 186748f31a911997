/*
 * Commands of Agent Protocol over MoQ as answers and refusals, and for an AEE
 * caller: the table "What the caller gets back" of docs/mapping.md.
 */

#include "t/unit/parley_test_case.h"


#define SESSION  "abc-123-def-456"
#define CMD(rest)                                                             \
    "{\"action\":\"render\",\"session_id\":\"" SESSION "\"" rest "}"

#define AID   "019502a4-7e5c-7000-8000-000000000001"
#define TASK                                                                  \
    "{\"v\":\"1\",\"id\":\"" AID "\",\"ts\":\"2026-02-15T10:33:00Z\","        \
    "\"type\":\"task\",\"from\":\"agent.a\",\"to\":\"agent.b\","              \
    "\"intent\":\"ops.run\",\"corr\":\"" SESSION "\",\"priority\":\"high\","  \
    "\"payload\":{}}"

#define RESULT(type, id, payload)                                             \
    "{\"v\":\"1\",\"id\":\"" AID "\",\"ts\":\"2026-02-15T10:33:01Z\","        \
    "\"type\":\"" type "\",\"from\":\"agent.b\",\"to\":\"agent.designer\","   \
    "\"intent\":\"moq.cmd.render\",\"corr\":\"" SESSION "\",\"reply_to\":\""  \
    id "\",\"priority\":\"normal\",\"payload\":" payload "}"


static void
opts_init(parley_encode_opts_t *opts)
{
    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
}


static void
submit(parley_arena_t *arena, parley_msg_t *msg, const char *sender,
    const char *session, uint32_t stream)
{
    parley_error_t       err;
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(submission));

    submission.sender = parley_str_c(sender);
    submission.recipient = PARLEY_STR("agent.b");
    submission.session = parley_str_c(session);
    submission.stream = stream;
    submission.ms = PARLEY_TEST_NOW;

    assert_int_equal(parley_submit(arena, msg, &submission, &err), 0);
}


typedef struct {
    const char      *name;
    parley_proto_t   caller;
    const char      *request;
    parley_proto_t   upstream;
    int              status;
    const char      *answer;    /* "%" is the id that was sent */

    parley_code_t    code;      /* either */
    const char      *field;

    int              ret_status;        /* or */
    const char      *has[4];
    const char      *loss;
} answer_row_t;


static const answer_row_t  rows[] = {

    /* a MoQ caller, an AEE service */

    { "GW-07 a command, AEE took it", PARLEY_PROTO_MOQ, CMD(""),
      PARLEY_PROTO_AEE, 202, "", 0, NULL, 202, { NULL }, "" },
    { "GW-07 AEE-34 a command, AEE answers", PARLEY_PROTO_MOQ, CMD(""),
      PARLEY_PROTO_AEE, 200, RESULT("result", "%", "{\"url\":\"u\"}"),
      0, NULL, 200,
      { "{\"action\":\"render\",\"session_id\":\"" SESSION "\","
        "\"status\":\"approved\",\"payload\":{\"url\":\"u\"},\"aee\":{",
        "\"sender\":\"agent.b\"", "\"intent\":\"moq.cmd.render\"" }, "" },
    { "GW-07 a command, AEE fails", PARLEY_PROTO_MOQ, CMD(""),
      PARLEY_PROTO_AEE, 403, RESULT("error", "%", "{\"code\":\"E_403\"}"),
      0, NULL, 403,
      { "\"status\":\"denied\",\"error_code\":403",
        "\"session_id\":\"" SESSION "\"" }, "" },
    { "AEE-34 a command, AEE answers another", PARLEY_PROTO_MOQ, CMD(""),
      PARLEY_PROTO_AEE, 200, RESULT("result", "123456789", "{}"),
      PARLEY_E_UPSTREAM_INVALID, "/reply_to", 0, { NULL }, NULL },
    { "GW-07 a command without a session, AEE took it", PARLEY_PROTO_MOQ,
      "{\"action\":\"render\"}", PARLEY_PROTO_AEE, 204, "", 0, NULL, 202,
      { NULL }, "" },

    /* an AEE caller, a MoQ service */

    { "GW-07 AEE task, MoQ took it", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 202, "{\"whatever\":1}", 0, NULL, 202,
      { "\"type\":\"stream\"", "\"status\":\"accepted\"" }, "" },
    { "GW-07 AEE task, MoQ says so", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200, CMD(",\"status\":\"accepted\""), 0, NULL, 202,
      { "\"type\":\"stream\"" }, "" },
    { "GW-07 AEE task, MoQ approves", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200,
      CMD(",\"status\":\"approved\",\"payload\":{\"n\":1}"), 0, NULL, 200,
      { "\"type\":\"result\",\"from\":\"agent.b\",\"to\":\"agent.a\","
        "\"intent\":\"ops.run\",\"corr\":\"" SESSION "\","
        "\"reply_to\":\"" AID "\"", "\"ts\":\"2026-02-15T10:30:00.123Z\"",
        "\"n\":1" }, "" },
    { "GW-07 AEE task, MoQ approves without a session", PARLEY_PROTO_AEE,
      TASK, PARLEY_PROTO_MOQ, 200,
      "{\"action\":\"x\",\"status\":\"approved\"}", 0, NULL, 200,
      { "\"type\":\"result\"", "\"corr\":\"" SESSION "\"" }, "" },
    { "GW-07 AEE-36 AEE task, MoQ denies", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200, CMD(",\"status\":\"denied\",\"error_code\":401"),
      0, NULL, 200,
      { "\"type\":\"error\"", "\"code\":\"E_401\"", "\"retryable\":false" },
      "" },
    { "GW-12 AEE task, MoQ fails with a status of HTTP", PARLEY_PROTO_AEE,
      TASK, PARLEY_PROTO_MOQ, 503,
      CMD(",\"status\":\"error\",\"error_code\":503"), 0, NULL, 503,
      { "\"type\":\"error\"", "\"retryable\":true" }, "" },
    { "GW-07 MoQ's credential is not passed on", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200,
      CMD(",\"status\":\"approved\",\"auth_token\":\"t\""), 0, NULL, 200,
      { "\"type\":\"result\"" }, "/auth_token\n" },
    { "GW-10 MoQ answers with a command of its own", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200, CMD(""), PARLEY_E_UPSTREAM_INVALID, "/status",
      0, { NULL }, NULL },
    { "GW-10 MoQ answers with a status of its own", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200, CMD(",\"status\":\"perhaps\""),
      PARLEY_E_UPSTREAM_INVALID, "/status", 0, { NULL }, NULL },
    { "AEE-34 MoQ answers in another session", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200,
      "{\"action\":\"x\",\"session_id\":\"other\",\"status\":\"approved\"}",
      PARLEY_E_UPSTREAM_INVALID, "/session_id", 0, { NULL }, NULL },
    { "GW-10 MoQ's answer is no command", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200, "{\"status\":\"approved\"}",
      PARLEY_E_UPSTREAM_INVALID, "/action", 0, { NULL }, NULL },
    { "GW-10 MoQ answers about its session", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_MOQ, 200,
      "{\"action\":\"session_ack\",\"session_id\":\"" SESSION
      "\",\"status\":\"approved\"}", 0, NULL, 202,
      { "\"type\":\"stream\"" }, "\n" },
};


/* Returns the answer with the id of the message that it answers. */

static parley_str_t
answer_text(parley_arena_t *arena, const char *text, parley_str_t id)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 0);

    for ( /* void */ ; *text; text++) {
        if (*text == '%') {
            parley_buf_str(&b, id);

        } else {
            parley_buf_octet(&b, (uint8_t) *text);
        }
    }

    assert_int_equal(parley_buf_done(&b, &ret), 0);

    return ret;
}


static void
test_answer(void **state)
{
    int                     rc;
    unsigned                i;
    parley_loss_t           loss;
    parley_reply_t          reply;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_answer_t         answer;
    parley_encoded_t        sent;
    parley_encode_opts_t    opts;
    const answer_row_t     *row = *state;
    parley_test_message_t   m;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    opts_init(&opts);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_test_read(&arena, row->caller,
                                      parley_str_c(row->request), 0, &m,
                                      &err), 0);

    if (row->caller == PARLEY_PROTO_MOQ) {
        submit(&arena, &m.msg, "agent.designer", "", 0);
    }

    if (parley_encode(parley_test_engine(), &arena, row->upstream, &m.msg,
                      &opts, &sent, &loss, &err)
        != 0)
    {
        fail_msg("%s %s", err.field, err.text);
    }

    assert_int_equal(loss.count, 0);

    rc = parley_answer_decode(parley_test_engine(), &arena, row->upstream,
                              &sent, row->status,
                              answer_text(&arena, row->answer, sent.id), NULL,
                              PARLEY_TEST_SEED, &answer, &err);

    if (row->code != PARLEY_E_NONE) {
        assert_int_equal(rc, -1);
        assert_int_equal(err.code, row->code);
        assert_string_equal(err.field, row->field);
        parley_arena_reset(&arena);
        return;
    }

    if (rc != 0) {
        fail_msg("%s %s", err.field, err.text);
    }

    assert_int_equal(parley_answer_encode(parley_test_engine(), &arena,
                                          &m.msg, &answer, &opts,
                                          PARLEY_TEST_NOW, &reply, &loss,
                                          &err), 0);
    assert_int_equal(reply.status, row->ret_status);

    if (row->has[0] == NULL) {
        assert_int_equal(reply.body.len, 0);
    }

    for (i = 0; i < 4 && row->has[i] != NULL; i++) {
        if (strstr((const char *) reply.body.data, row->has[i]) == NULL) {
            fail_msg("%s\nis not in\n%s", row->has[i],
                     (const char *) reply.body.data);
        }
    }

    parley_assert_str(parley_test_loss(&arena, &loss), row->loss);

    if (reply.body.len > 0) {
        assert_int_equal(parley_test_read(&arena, row->caller, reply.body, 0,
                                          &m, &err), 0);
        assert_null(strstr((const char *) reply.body.data, "auth_token"));
    }

    parley_arena_reset(&arena);
}


static void
test_refused(void **state)
{
    size_t            i;
    parley_json_t     doc;
    parley_reply_t    reply;
    parley_arena_t    arena;
    parley_error_t    error, err;
    parley_refusal_t  refusal;

    static const struct {
        const char     *text;
        parley_code_t   code;
        const char     *field;
        int             status;
        const char     *body;
    } refusals[] = {
        { CMD(",\"payload\":1"), PARLEY_E_FIELD_INVALID, "/payload", 400,
          "{\"action\":\"render\",\"session_id\":\"" SESSION "\","
          "\"status\":\"error\",\"error_code\":400,\"payload\":{"
          "\"code\":\"field-invalid\",\"field\":\"/payload\","
          "\"message\":\"why\"}}" },
        { "{\"action\":\"session_init\",\"session_id\":\"s\","
          "\"auth_token\":\"secret\"}", PARLEY_E_TOKEN_INVALID, "", 401,
          "{\"action\":\"session_ack\",\"session_id\":\"s\","
          "\"status\":\"denied\",\"error_code\":401,\"payload\":{"
          "\"code\":\"token-invalid\",\"message\":\"why\"}}" },
        { "{\"action\":\"subscribe_request\"}", PARLEY_E_SCOPE_UNAUTHORISED,
          "/track_name", 403,
          "{\"action\":\"track_ready\",\"status\":\"denied\","
          "\"error_code\":403,\"payload\":{\"code\":\"scope-unauthorised\","
          "\"field\":\"/track_name\",\"message\":\"why\"}}" },
        { "{\"session_id\":7}", PARLEY_E_FIELD_MISSING, "/action", 400,
          "{\"action\":\"error\",\"status\":\"error\",\"error_code\":400,"
          "\"payload\":{\"code\":\"field-missing\",\"field\":\"/action\","
          "\"message\":\"why\"}}" },
        { NULL, PARLEY_E_RATE_LIMITED, "", 429,
          "{\"action\":\"error\",\"status\":\"error\",\"error_code\":429,"
          "\"payload\":{\"code\":\"rate-limited\",\"message\":\"why\","
          "\"backoff_ms\":1500}}" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        memset(&refusal, 0, sizeof(refusal));

        (void) parley_error_set(&error, refusals[i].code, refusals[i].field,
                                "why");
        refusal.error = &error;
        refusal.backoff_ms = 1500;      /* told if it is retryable */

        if (refusals[i].text != NULL) {
            assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                              parley_str_c(refusals[i].text),
                                              &err), 0);
            refusal.doc = &doc;
        }

        assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_MOQ, &refusal,
                                       &reply), 0);
        assert_int_equal(reply.status, refusals[i].status);
        parley_assert_str(reply.content_type, "application/json");
        parley_assert_str(reply.body, refusals[i].body);
    }

    parley_arena_reset(&arena);
}


/* Memory that ends at any point gives an error and nothing else. */

static void
test_memory(void **state)
{
    size_t                  i;
    parley_mem_t            mem;
    parley_loss_t           loss;
    parley_reply_t          reply;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_answer_t         answer;
    parley_encoded_t        sent;
    parley_test_mem_t       counter;
    parley_submission_t     submission;
    parley_encode_opts_t    opts;
    parley_test_message_t   m;

    (void) state;

    opts_init(&opts);
    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("agent.designer");
    submission.recipient = PARLEY_STR("agent.b");
    submission.ms = PARLEY_TEST_NOW;

    (void) parley_test_engine();

    for (i = 1; ; i++) {
        mem = parley_test_mem(&counter, i);
        parley_arena_init(&arena, &mem, 64);
        parley_loss_init(&loss, &arena);

        if (parley_test_read(&arena, PARLEY_PROTO_MOQ, PARLEY_STR(CMD("")), 0,
                             &m, &err)
            != 0
            || parley_submit(&arena, &m.msg, &submission, &err) != 0
            || parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_AEE,
                             &m.msg, &opts, &sent, &loss, &err)
               != 0
            || parley_answer_decode(parley_test_engine(), &arena,
                                    PARLEY_PROTO_MOQ, &sent, 200,
                                    PARLEY_STR("{\"action\":\"x\",\"status\":"
                                               "\"approved\"}"), NULL, 0,
                                    &answer, &err)
               != 0
            || parley_answer_decode(parley_test_engine(), &arena,
                                    PARLEY_PROTO_AEE, &sent, 202,
                                    parley_str_none, NULL, 0, &answer, &err)
               != 0
            || parley_answer_encode(parley_test_engine(), &arena, &m.msg,
                                    &answer, &opts, PARLEY_TEST_NOW, &reply,
                                    &loss, &err)
               != 0)
        {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
        }

        parley_arena_reset(&arena);
        assert_int_equal(counter.live, 0);

        if (counter.allocations < i) {
            break;
        }
    }
}


static parley_test_cases_t  cases;


static void
add(const char *name, CMUnitTestFunction function, const void *state)
{
    assert_true(cases.n < PARLEY_TEST_CASES_MAX);

    cases.tests[cases.n].name = name;
    cases.tests[cases.n].test_func = function;
    cases.tests[cases.n].initial_state = (void *) state;
    cases.n++;
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        add(rows[i].name, test_answer, &rows[i]);
    }

    add("GW-10 refusals are commands", test_refused, NULL);
    add("GW-10 memory may end", test_memory, NULL);

    return parley_test_cases_run(&cases);
}
