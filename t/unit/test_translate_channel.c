/*
 * agent-channel without cases: answers and refusals, submissions, and messages
 * that come back from another protocol.
 */

#include "t/unit/parley_test_case.h"


#define FRAME_ID  "6f1c2b7e-0a51-4c55-9d0e-3b1f2a4c5d6e"
#define QUERY_ID  "c0ffee00-1234-4abc-8def-0123456789ab"

#define VERSION_64                                                            \
    "0123456789012345678901234567890123456789012345678901234567890123"

#define FRAME(kind, payload)                                                  \
    "{\"envelope_version\":\"1.0\",\"frame_id\":\"" FRAME_ID "\",\"kind\":\"" \
    kind "\",\"sender_handle\":\"~alice\",\"recipient_handle\":\"~alice\","   \
    "\"created_at\":\"2026-05-22T09:00:00Z\",\"payload\":" payload ","        \
    "\"acted_by\":\"~alice\",\"drafted_with\":\"~cc-model\","                 \
    "\"provenance_compute_location\":\"local-only\","                         \
    "\"provenance_method\":[\"x\"],\"provenance_context_check\":\"skipped\"," \
    "\"provenance_basis\":\"x\"}"

#define QUERY                                                                 \
    FRAME("agent_query", "{\"query_text\":\"?\",\"query_id\":\"" QUERY_ID     \
          "\",\"response_scope\":\"~alice/*\",\"timeout_ms\":1000}")

#define DIAGNOSTIC                                                            \
    FRAME("peer_diagnostic_request", "{\"symptom\":\"slow\","                 \
          "\"diagnostic_id\":\"" QUERY_ID "\",\"severity\":\"degraded\"}")

#define RESPONSE(id)                                                          \
    FRAME("agent_response", "{\"query_id\":\"" id "\","                       \
          "\"responder_session_id\":\"s\",\"response_text\":\"here\"}")

#define RESULT                                                                \
    "{\"v\":\"1\",\"id\":\"result-0001\",\"ts\":\"2026-05-22T09:00:01Z\","    \
    "\"type\":\"result\",\"from\":\"human.alice\",\"to\":\"human.alice\","    \
    "\"intent\":\"ops.look\",\"corr\":\"" QUERY_ID "\",\"reply_to\":\""       \
    FRAME_ID "\",\"priority\":\"normal\",\"payload\":{\"text\":\"here\"}}"

#define FAILED(code)                                                          \
    "{\"v\":\"1\",\"id\":\"result-0001\",\"ts\":\"2026-05-22T09:00:01Z\","    \
    "\"type\":\"error\",\"from\":\"human.alice\",\"to\":\"human.alice\","     \
    "\"intent\":\"ops.look\",\"corr\":\"" QUERY_ID "\",\"reply_to\":\""       \
    FRAME_ID "\",\"priority\":\"normal\",\"payload\":{\"code\":\""          \
    code "\",\"message\":\"no\"}}"


typedef struct {
    parley_arena_t         arena;
    parley_test_message_t  request;
    parley_answer_t        answer;
    parley_encode_opts_t   opts;
    parley_reply_t         reply;
    parley_loss_t          loss;
    parley_error_t         err;
} fixture_t;


static int
setup(void **state)
{
    fixture_t  *f;

    f = calloc(1, sizeof(fixture_t));
    assert_non_null(f);

    parley_arena_init(&f->arena, &parley_mem_libc, 0);
    parley_loss_init(&f->loss, &f->arena);
    parley_test_case_opts(parley_str_none, &f->opts);

    *state = f;

    return 0;
}


static int
teardown(void **state)
{
    fixture_t  *f = *state;

    parley_arena_reset(&f->arena);
    free(f);

    return 0;
}


/* Encodes the answer of a service of proto for the sender of a frame. */

static void
tell(fixture_t *f, const char *request, parley_proto_t proto, int status,
    const char *body)
{
    parley_encoded_t  sent;

    if (parley_test_read(&f->arena, PARLEY_PROTO_CHANNEL,
                         parley_str_c(request), 0, &f->request, &f->err)
        != 0
        || parley_encode(parley_test_engine(), &f->arena, proto,
                         &f->request.msg, &f->opts, &sent, &f->loss, &f->err)
           != 0
        || parley_answer_decode(parley_test_engine(), &f->arena, proto,
                                &sent, status, parley_str_c(body), NULL,
                                PARLEY_TEST_SEED, &f->answer, &f->err)
           != 0
        || parley_answer_encode(parley_test_engine(), &f->arena,
                                &f->request.msg, &f->answer, &f->opts,
                                PARLEY_TEST_NOW, &f->reply, &f->loss, &f->err)
           != 0)
    {
        fail_msg("%s %s", f->err.field, f->err.text);
    }

    assert_true(parley_str_is(f->reply.content_type, "application/json"));
}


static void
test_taken(void **state)
{
    fixture_t  *f = *state;

    tell(f, QUERY, PARLEY_PROTO_AEE, 202, "");
    assert_int_equal(f->reply.status, 200);
    parley_assert_str(f->reply.body,
                      "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":1}");
    assert_int_equal(f->reply.message.len, 0);

    /* the count of a substrate goes to the sender */

    tell(f, QUERY, PARLEY_PROTO_CHANNEL, 200,
         "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":0}");
    parley_assert_str(f->reply.body,
                      "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":0}");
}


static void
test_answered(void **state)
{
    fixture_t              *f = *state;
    parley_json_t           doc;
    parley_test_message_t   m;

    tell(f, QUERY, PARLEY_PROTO_AEE, 200, RESULT);
    assert_int_equal(f->reply.status, 200);
    assert_true(parley_str_begins(f->reply.body, "{\"frame_id\":\"" FRAME_ID
                                  "\",\"delivered\":1,\"answer\":{"));
    assert_int_equal(parley_json_read(&doc, &f->arena, NULL, 0, f->reply.body,
                                      &f->err), 0);
    assert_true(parley_str_eq(parley_json_raw(&doc,
                                  parley_json_get(&doc, 0,
                                                  PARLEY_STR("answer"))),
                              f->reply.message));

    assert_int_equal(parley_test_read(&f->arena, PARLEY_PROTO_CHANNEL,
                                      f->reply.message, 0, &m, &f->err), 0);
    assert_int_equal(m.msg.act, PARLEY_ACT_REPLY);
    parley_assert_str(m.msg.reply_to, QUERY_ID);
    parley_assert_str(m.msg.text, "here");
    assert_int_equal(f->loss.count, 0);

    /* an answer of another channel service is forwarded unchanged */

    tell(f, QUERY, PARLEY_PROTO_CHANNEL, 200, RESPONSE(QUERY_ID));
    assert_true(parley_str_eq(f->reply.message, f->answer.doc.input));
}


static void
test_answered_diagnostic(void **state)
{
    fixture_t      *f = *state;
    parley_json_t   doc;

    tell(f, DIAGNOSTIC, PARLEY_PROTO_AEE, 200, RESULT);

    assert_int_equal(parley_json_read(&doc, &f->arena, NULL, 0,
                                      f->reply.message, &f->err), 0);
    assert_true(parley_json_string_is(&doc,
                    parley_json_get(&doc, 0, PARLEY_STR("kind")),
                    PARLEY_STR("peer_diagnostic_response")));
    assert_true(parley_json_string_is(&doc,
                    parley_json_resolve(&doc, 0,
                                        PARLEY_STR("/payload/diagnostic_id")),
                    PARLEY_STR(QUERY_ID)));
}


/* An answer without an equivalent is lost, but the frame was taken. */

static void
test_answer_lost(void **state)
{
    char        body[1024];
    char       *from;
    fixture_t  *f = *state;

    snprintf(body, sizeof(body), "%s", RESULT);
    from = strstr(body, "human.alice");
    memcpy(from, "service.xyz", 11);

    tell(f, QUERY, PARLEY_PROTO_AEE, 200, body);
    assert_int_equal(f->reply.status, 200);
    assert_int_equal(f->reply.message.len, 0);
    assert_int_equal(f->loss.count, 1);
    parley_assert_str(f->loss.items[0], "");
    assert_non_null(strstr(f->reply.why, "identity-unmappable /from: "));
}


static void
test_rejected(void **state)
{
    size_t      i;
    fixture_t  *f = *state;

    static const struct {
        parley_proto_t   proto;
        int              status;
        const char      *body;
        const char      *want;
        int              ret_status;    /* 0: unchanged */
    } rows[] = {
        { PARLEY_PROTO_CHANNEL, 403,
          "{\"code\":\"scope-unauthorised\",\"field\":\"scope\","
          "\"message\":\"no\"}",
          "{\"code\":\"scope-unauthorised\",\"field\":\"scope\","
          "\"message\":\"no\"}", 0 },
        { PARLEY_PROTO_CHANNEL, 418, "{\"code\":\"teapot\"}",
          "{\"code\":\"teapot\",\"message\":\"\"}", 0 },
        { PARLEY_PROTO_CHANNEL, 429, "{\"code\":\"\"}",
          "{\"code\":\"rate-limited\",\"message\":\"\"}", 0 },
        { PARLEY_PROTO_CHANNEL, 422, "{\"code\":7}",
          "{\"code\":\"refused\",\"message\":\"\"}", 0 },
        { PARLEY_PROTO_CHANNEL, 403, "{\"code\":\"policy-refused\"}",
          "{\"code\":\"scope-unauthorised\",\"message\":\"\"}", 0 },
        { PARLEY_PROTO_AEE, 429,
          "{\"v\":\"1\",\"id\":\"result-0001\",\"ts\":"
          "\"2026-05-22T09:00:01Z\",\"type\":\"error\",\"from\":\"human.x1\","
          "\"to\":\"human.alice\",\"intent\":\"ops.look\",\"corr\":\""
          QUERY_ID "\",\"reply_to\":\"" FRAME_ID "\",\"priority\":\"normal\","
          "\"payload\":{\"code\":\"E_RATE_LIMITED\",\"message\":\"slow\"}}",
          "{\"code\":\"rate-limited\",\"message\":\"slow\"}", 0 },

        /* a failure is a failure with any status */

        { PARLEY_PROTO_AEE, 200, FAILED("E_RATE_LIMITED"),
          "{\"code\":\"rate-limited\",\"message\":\"no\"}", 429 },
        { PARLEY_PROTO_AEE, 200, FAILED("E_NOPE"),
          "{\"code\":\"E_NOPE\",\"message\":\"no\"}", 422 },
        { PARLEY_PROTO_CHANNEL, 200,
          FRAME("agent_response", "{\"query_id\":\"" QUERY_ID "\","
                "\"responder_session_id\":\"s\",\"response_text\":"
                "\"error E_NOPE: no\"}"),
          "{\"code\":\"E_NOPE\",\"message\":\"no\"}", 422 },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tell(f, QUERY, rows[i].proto, rows[i].status, rows[i].body);
        assert_int_equal(f->reply.status, rows[i].ret_status
                                          ? rows[i].ret_status
                                          : rows[i].status);
        parley_assert_str(f->reply.body, rows[i].want);
    }
}


/* The answer of a channel service must fit the frame that it got. */

static void
test_upstream_invalid(void **state)
{
    size_t             i;
    fixture_t         *f = *state;
    parley_encoded_t   sent;

    static const struct {
        int          status;
        const char  *body;
        const char  *field;
    } rows[] = {
        { 200, "{}", "/frame_id" },
        { 200, "{\"frame_id\":\"x\",\"delivered\":1}", "/frame_id" },
        { 200, "{\"frame_id\":\"" FRAME_ID "\"}", "/delivered" },
        { 200, "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":-1}",
          "/delivered" },
        { 200, "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":1.5}",
          "/delivered" },
        { 200, "{\"frame_id\":\"" FRAME_ID "\",\"delivered\":\"1\"}",
          "/delivered" },
        { 404, "{\"error\":\"x\"}", "/code" },
        { 200, RESPONSE(FRAME_ID), "/payload" },
        { 200, "{\"envelope_version\":\"2.0\"}", "/envelope_version" },
        { 200, "[]", "/frame_id" },
    };

    memset(&sent, 0, sizeof(sent));
    sent.id = PARLEY_STR(FRAME_ID);
    sent.corr = PARLEY_STR(QUERY_ID);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_answer_decode(parley_test_engine(),
                             &f->arena, PARLEY_PROTO_CHANNEL, &sent,
                             rows[i].status, parley_str_c(rows[i].body), NULL,
                             0, &f->answer, &f->err), -1);
        assert_int_equal(f->err.code, PARLEY_E_UPSTREAM_INVALID);
        assert_string_equal(f->err.field, rows[i].field);
    }

    /* a frame without a query_id is answered by its frame_id */

    sent.corr = parley_str_none;

    assert_int_equal(parley_answer_decode(parley_test_engine(), &f->arena,
                         PARLEY_PROTO_CHANNEL, &sent, 200,
                         parley_str_c(RESPONSE(FRAME_ID)), NULL, 0,
                         &f->answer, &f->err), 0);
    assert_int_equal(f->answer.kind, PARLEY_ANSWER_MESSAGE);
}


/* The eleven codes of section 10 are used in the protocol. */

static void
test_refuse(void **state)
{
    size_t             i;
    parley_error_t     error;
    parley_reply_t     reply;
    parley_refusal_t   refusal;
    fixture_t         *f = *state;

    static const struct {
        parley_code_t   code;
        int             status;
        const char     *word;
    } rows[] = {
        { PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED, 400,
          "envelope-version-unsupported" },
        { PARLEY_E_KIND_UNKNOWN, 400, "kind-unknown" },
        { PARLEY_E_PAYLOAD_KIND_MISMATCH, 400, "payload-kind-mismatch" },
        { PARLEY_E_FIELD_MISSING, 400, "field-missing" },
        { PARLEY_E_FIELD_INVALID, 400, "field-invalid" },
        { PARLEY_E_FIELD_UNKNOWN, 400, "field-unknown" },
        { PARLEY_E_SENDER_IDENTITY_MISMATCH, 403,
          "sender-identity-mismatch" },
        { PARLEY_E_SCOPE_UNAUTHORISED, 403, "scope-unauthorised" },
        { PARLEY_E_SCOPE_UNIMPLEMENTED, 501, "scope-unimplemented" },
        { PARLEY_E_FILTER_AXIS_UNKNOWN, 400, "filter-axis-unknown" },
        { PARLEY_E_FILTER_VALUE_INVALID, 400, "filter-value-invalid" },
        { PARLEY_E_JSON_INVALID, 400, "field-invalid" },
        { PARLEY_E_INTENT_REFUSED, 403, "scope-unauthorised" },
        { PARLEY_E_MESSAGE_STALE, 422, "field-invalid" },
    };

    char  want[256];

    memset(&refusal, 0, sizeof(refusal));
    refusal.error = &error;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        (void) parley_error_set(&error, rows[i].code, "/kind", "no %d", 1);

        assert_int_equal(parley_refuse(&f->arena, PARLEY_PROTO_CHANNEL,
                                       &refusal, &reply), 0);
        snprintf(want, sizeof(want), "{\"code\":\"%s\",\"field\":\"/kind\","
                 "\"message\":\"no 1\"}", rows[i].word);
        parley_assert_str(reply.body, want);
        assert_int_equal(reply.status, rows[i].status);
    }

    (void) parley_error_set(&error, PARLEY_E_TOKEN_MISSING, NULL, "none");
    assert_int_equal(parley_refuse(&f->arena, PARLEY_PROTO_CHANNEL, &refusal,
                                   &reply), 0);
    parley_assert_str(reply.body,
                      "{\"code\":\"token-missing\",\"message\":\"none\"}");
}


/* A scope stays with the message through several gateways. */

static void
test_submit(void **state)
{
    size_t                i;
    fixture_t            *f = *state;
    parley_encoded_t      made;
    parley_submission_t   submission;

    static const struct {
        const char  *scope;
        const char  *recipient;
        unsigned     members;
    } rows[] = {
        { "", "~alice", 6 },
        { "~alice", "~alice", 6 },
        { "~alice/*", "~alice", 7 },
        { "~alice/cc-*", "~alice", 7 },
        { "org:~alice/members/*", "org:~alice/members/*", 6 },
        { "org:~alice/members/ops/*", "org:~alice/members/*", 7 },
        { "accord:~alice/grant:x", "org:~alice/members/*", 7 },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        memset(&submission, 0, sizeof(submission));
        submission.scope = parley_str_c(rows[i].scope);

        assert_int_equal(parley_test_read(&f->arena, PARLEY_PROTO_CHANNEL,
                                          parley_str_c(QUERY), 0,
                                          &f->request, &f->err), 0);
        assert_int_equal(parley_submit(&f->arena, &f->request.msg,
                                       &submission, &f->err), 0);
        parley_assert_str(f->request.msg.recipient, rows[i].recipient);
        assert_int_equal(f->request.msg.nmembers, rows[i].members);

        assert_int_equal(parley_encode(parley_test_engine(), &f->arena,
                                       PARLEY_PROTO_CHANNEL, &f->request.msg,
                                       &f->opts, &made, &f->loss, &f->err),
                         0);

        if (strcmp(rows[i].scope, "~alice") != 0) {
            assert_true(parley_str_eq(made.scope, submission.scope));

        } else {
            assert_int_equal(made.scope.len, 0);
        }
    }
}


/* The same message makes the same octets. */

static void
test_deterministic(void **state)
{
    fixture_t         *f = *state;
    parley_encoded_t   a, b;

    static const char  text[] =
        "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-05-22T09:00:01Z\","
        "\"type\":\"task\",\"from\":\"human.alice\",\"to\":\"bus.ops\","
        "\"intent\":\"ops.look\",\"corr\":\"corr-0001\",\"priority\":\"low\","
        "\"payload\":{\"b\":[1,{\"z\":null}],\"a\":1.50}}";

    assert_int_equal(parley_test_read(&f->arena, PARLEY_PROTO_AEE,
                                      PARLEY_STR(text), 0, &f->request,
                                      &f->err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &f->arena,
                                   PARLEY_PROTO_CHANNEL, &f->request.msg,
                                   &f->opts, &a, &f->loss, &f->err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &f->arena,
                                   PARLEY_PROTO_CHANNEL, &f->request.msg,
                                   &f->opts, &b, &f->loss, &f->err), 0);
    assert_true(parley_str_eq(a.body, b.body));
    assert_true(parley_str_eq(a.scope, b.scope));
    assert_int_equal(f->loss.count, 0);
}


static void
attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    const char *const  *who = ctx;

    (void) proto;
    (void) name;

    *ret_human = parley_str_c(who[0]);
    *ret_instrument = parley_str_c(who[1]);
}


/* The attribution from the directory must be valid in a frame. */

static void
test_attributed(void **state)
{
    int                     rc;
    size_t                  i;
    fixture_t              *f = *state;
    parley_encoded_t        made;
    parley_test_message_t   back;

    static const struct {
        const char  *who[2];
        int          rc;
    } rows[] = {
        { { "~alice", "~cc-model" }, 0 },
        { { "~alice", "~cc-model@1.0" }, 0 },
        { { "~alice", "~claude@2026-05:a+b_c" }, 0 },
        { { "", "~claude@4" }, 0 },
        { { "~cc-model", "~cc-model" }, -1 },
        { { "alice", "~cc-model" }, -1 },
        { { "~org", "~cc-model" }, -1 },
        { { "~alice", "claude" }, -1 },
        { { "~alice", "~org@1" }, -1 },
        { { "~alice", "~cc-model@" }, -1 },
        { { "~alice", "~cc-model@1/2" }, -1 },
        { { "~alice", "~cc-model@1@2" }, -1 },
        { { "~alice", "~cc-model@" VERSION_64 }, 0 },
        { { "~alice", "~cc-model@" VERSION_64 "5" }, -1 },
        { { "~alice", "" }, 0 },
    };

    f->opts.attribute = attribute;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        f->opts.resolve_ctx = (void *) rows[i].who;

        assert_int_equal(parley_test_read(&f->arena, PARLEY_PROTO_AEE,
                                          PARLEY_STR(RESULT), 0, &f->request,
                                          &f->err), 0);

        rc = parley_encode(parley_test_engine(), &f->arena,
                           PARLEY_PROTO_CHANNEL, &f->request.msg, &f->opts,
                           &made, &f->loss, &f->err);
        assert_int_equal(rc, rows[i].rc);

        if (rc == 0) {
            assert_int_equal(parley_test_read(&f->arena, PARLEY_PROTO_CHANNEL,
                                              made.body, 0, &back, &f->err),
                             0);
            assert_int_equal(back.msg.held, 1);
        }
    }
}


#define test(name, f)  { (name), (f), setup, teardown, NULL }

static const struct CMUnitTest  tests[] = {
    test("ACH-19 what a frame's sender is told", test_taken),
    test("GW-07 an answer comes back as a frame", test_answered),
    test("GW-07 a diagnosis is answered as one", test_answered_diagnostic),
    test("GW-07 an answer that cannot be said is lost", test_answer_lost),
    test("GW-10 a service's refusal in agent-channel's manner",
         test_rejected),
    test("GW-07 an answer must go with the frame", test_upstream_invalid),
    test("ACH-23 GW-10 refusals are code, field and message", test_refuse),
    test("ACH-15 a scope travels with its frame", test_submit),
    test("ACH-10 who acts is what the directory says, if a frame can say it",
         test_attributed),
    test("GW-06 the same message makes the same frame", test_deterministic),
};

PARLEY_TEST_MAIN(tests)
