/*
 * Behaviour that one message does not show: refusals, the attention of an
 * event, the recipients of answers.
 */

#include <stdio.h>

#include "t/unit/parley_test_translate.h"

#include "translate/c2a/parley_c2a.h"


#define TASK                                                                  \
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"task\",\"from\":\"agent.planner\",\"to\":\"agent.lead\","     \
    "\"intent\":\"deploy.check\",\"corr\":\"corr-0001\",\"priority\":"        \
    "\"normal\",\"payload\":{\"text\":\"ready?\"}}"


/* the task with null in the members that refer to another message */
#define NULL_TASK                                                             \
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"task\",\"from\":\"agent.planner\",\"to\":\"agent.lead\","     \
    "\"intent\":\"deploy.check\",\"corr\":\"corr-0001\",\"priority\":"        \
    "\"normal\",\"reply_to\":null,\"payload\":{\"text\":\"ready?\"}}"


#define REACT                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"     \
    "{\"name\":\"chat.react\",\"arguments\":{\"inReplyTo\":\"task-0001\","    \
    "\"signal\":\"done\"}}}"

#define SEND                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"     \
    "{\"name\":\"chat.send_message\",\"arguments\":{\"inReplyTo\":"           \
    "\"task-0001\",\"target\":{\"id\":\"C123\"},\"idempotencyKey\":\"k\","    \
    "\"visibility\":\"channel\",\"directedness\":\"ambient\"}}}"

#define PROGRESS                                                              \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","             \
    "\"params\":{\"progressToken\":1,\"progress\":1}}"


static void
refuse(const char *text, const char *want)
{
    int                    rc;
    uint32_t               applied;
    parley_str_t           bare;
    parley_arena_t         arena;
    parley_error_t         err, again;
    parley_reply_t         reply;
    parley_refusal_t       refusal;
    parley_test_message_t  m;

    static const parley_edit_t  edit = {
        parley_str("/error/message"), parley_str("")
    };

    memset(&refusal, 0, sizeof(refusal));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_json_read(&m.doc, &arena, NULL, PARLEY_TEST_SEED,
                          parley_str_c(text), &err);

    if (rc == 0) {
        refusal.doc = &m.doc;
        rc = parley_decode(parley_test_engine(), &arena, PARLEY_PROTO_C2A,
                           &m.doc, 0, &m.msg, &err);
    }

    assert_int_equal(rc, -1);

    refusal.error = &err;
    refusal.backoff_ms = -1;

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_C2A, &refusal,
                                   &reply), 0);
    assert_int_equal(reply.status, parley_error_info(err.code)->http);

    /* the text is for a human */

    assert_int_equal(parley_json_read(&m.doc, &arena, NULL, 0, reply.body,
                                      &again), 0);
    assert_true(parley_json_resolve(&m.doc, 0, PARLEY_STR("/error/message"))
                != PARLEY_JSON_NONE);

    assert_int_equal(parley_edit(&arena, &m.doc, &edit, 1, &bare, &applied,
                                 &again), 0);
    parley_test_assert_json(&arena, bare, parley_str_c(want));

    parley_arena_reset(&arena);
}


/* C2A-28 */

static void
test_refuse(void **state)
{
    (void) state;

    refuse("{", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
           "\"data\":{\"code\":\"json-invalid\"}}}");
    refuse("[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
           "-32600,\"data\":{\"code\":\"field-invalid\"}}}");
    refuse("{\"jsonrpc\":\"1.0\",\"id\":\"a\",\"method\":\"initialize\"}",
           "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32600,"
           "\"data\":{\"code\":\"envelope-version-unsupported\",\"field\":"
           "\"/jsonrpc\"}}}");
    refuse("{\"id\":7,\"method\":\"initialize\"}",
           "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"
           "\"data\":{\"code\":\"field-missing\",\"field\":\"/jsonrpc\"}}}");
    refuse("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"initialize\","
           "\"params\":{\"protocolVersion\":\"1\"}}",
           "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"
           "\"data\":{\"code\":\"field-invalid\",\"field\":\"/id\"}}}");
    refuse("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"initialize\","
           "\"params\":{}}",
           "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,"
           "\"data\":{\"code\":\"field-missing\",\"field\":"
           "\"/params/protocolVersion\"}}}");
    refuse("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
           "\"params\":{}}",
           "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32602,"
           "\"data\":{\"code\":\"field-missing\",\"field\":"
           "\"/params/requestId\"}}}");
}


/* The rows of the mapping that depend on acts and notices. */

static void
test_rows(void **state)
{
    unsigned                 i;
    parley_msg_t             m;
    const parley_c2a_row_t  *row;

    static const struct {
        parley_act_t       act;
        parley_priority_t  priority;
        parley_severity_t  alarm;
        parley_notice_t    notice;
        parley_proto_t     origin;
        int                group;
        const char        *kind;
        const char        *directedness;
        const char        *policy;
        const char        *mode;
    } rows[] = {
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 0,
          "dm", "to_me", "must_respond", "buffered" },
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_URGENT, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 0,
          "dm", "to_me", "must_respond", "immediate" },
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_NOW, PARLEY_PROTO_CHANNEL, 0,
          "dm", "to_me", "must_respond", "immediate" },
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_WARNING,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_VCP, 1,
          "dm", "to_me", "must_respond", "buffered" },
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_URGENT, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 1,
          "channel", "to_my_role", "may_respond", "buffered" },
        { PARLEY_ACT_REQUEST, PARLEY_PRIORITY_HIGH, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_ORDER, PARLEY_PROTO_VCP, 1,
          "system", "to_me", "ack_only", "immediate" },
        { PARLEY_ACT_REPLY, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 0,
          "thread", "to_me", "may_respond", "buffered" },
        { PARLEY_ACT_FAILURE, PARLEY_PRIORITY_URGENT, PARLEY_SEVERITY_CRITICAL,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 1,
          "thread", "to_me", "may_respond", "buffered" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 0,
          "dm", "to_me", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 1,
          "channel", "ambient", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_CHANNEL, 0,
          "channel", "ambient", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_OFFER, PARLEY_PROTO_VCP, 0,
          "dm", "to_me", "may_respond", "buffered" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_OFFER, PARLEY_PROTO_VCP, 1,
          "channel", "ambient", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_LOW, PARLEY_SEVERITY_INFO,
          PARLEY_NOTICE_RECORD, PARLEY_PROTO_VCP, 0,
          "system", "to_me", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_RECORD, PARLEY_PROTO_CHANNEL, 1,
          "system", "ambient", "must_not_respond", "tool_mailbox" },
        { PARLEY_ACT_EVENT, PARLEY_PRIORITY_NORMAL, PARLEY_SEVERITY_WARNING,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_VCP, 0,
          "system", "to_me", "must_not_respond", "buffered" },
        { PARLEY_ACT_PROGRESS, PARLEY_PRIORITY_LOW, PARLEY_SEVERITY_NONE,
          PARLEY_NOTICE_USUAL, PARLEY_PROTO_AEE, 0,
          "system", "ambient", "must_not_respond", "digest" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_msg_init(&m, rows[i].origin, NULL);

        m.act = rows[i].act;
        m.priority = rows[i].priority;
        m.alarm = rows[i].alarm;
        m.notice = rows[i].notice;

        row = parley_c2a_row(&m, rows[i].group);

        parley_assert_str(row->kind, rows[i].kind);
        parley_assert_str(row->directedness, rows[i].directedness);
        parley_assert_str(row->policy, rows[i].policy);
        parley_assert_str(row->mode, rows[i].mode);
    }
}


static void
test_detect(void **state)
{
    unsigned        i;
    parley_json_t   doc;
    parley_error_t  err;
    parley_arena_t  arena;

    static const struct {
        const char      *text;
        parley_proto_t   proto;
    } rows[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"x\"}",
          PARLEY_PROTO_C2A },
        { "{\"jsonrpc\":\"2.0\"}", PARLEY_PROTO_C2A },
        { "{\"method\":\"x\",\"params\":{}}", PARLEY_PROTO_C2A },
        { TASK, PARLEY_PROTO_AEE },
        { "[{\"jsonrpc\":\"2.0\"}]", PARLEY_PROTO_C2A },
        { "[]", PARLEY_PROTO_NONE },
        { "[{\"v\":\"1\"}]", PARLEY_PROTO_NONE },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                          parley_str_c(rows[i].text), &err),
                         0);
        assert_int_equal(parley_detect(&doc, PARLEY_PROTO_BIT(
                                                 PARLEY_PROTO_COUNT) - 1),
                         rows[i].proto);
    }

    parley_arena_reset(&arena);
}


/*
 * A reaction has no recipient: it goes to the sender of its event, which may
 * come from a store.  A reply to a conversation goes to the principal that
 * asked in it.
 */

static void
test_parties(void **state)
{
    unsigned               i;
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       made;
    parley_submission_t    submission;
    parley_encode_opts_t   opts;
    parley_test_message_t  origin, m, back;

    static const char *const  texts[] = { REACT, SEND, PROGRESS };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&submission, 0, sizeof(submission));
    memset(&opts, 0, sizeof(opts));

    submission.sender = PARLEY_STR("agent:lead");
    opts.now_ms = PARLEY_TEST_NOW;

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      PARLEY_STR(TASK), 0, &origin, &err), 0);

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        parley_loss_init(&loss, &arena);

        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_C2A,
                                          parley_str_c(texts[i]), 0, &m,
                                          &err), 0);
        assert_int_equal(parley_submit(&arena, &m.msg, &submission, &err), 0);

        opts.answering = &origin.msg;

        assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                       PARLEY_PROTO_AEE, &m.msg, &opts, &made,
                                       &loss, &err), 0);
        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE, made.body,
                                          0, &back, &err), 0);

        parley_assert_str(back.msg.sender, "agent.lead");
        parley_assert_str(back.msg.recipient, "agent.planner");
        parley_assert_str(back.msg.corr, "corr-0001");
        parley_assert_str(back.msg.created, "2026-02-15T10:30:00.123Z");
    }

    /* a reaction without its event has no recipient */

    opts.answering = NULL;

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_C2A,
                                      parley_str_c(texts[0]), 0, &m, &err),
                     0);
    assert_int_equal(parley_submit(&arena, &m.msg, &submission, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_AEE, &m.msg, &opts, &made,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_REPLY_UNMATCHED);
    assert_string_equal(err.field, "/params/arguments/inReplyTo");

    parley_arena_reset(&arena);
}


/* A directory that returns each name unchanged. */

static int
resolve_any(void *ctx, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    (void) from;
    (void) name;
    (void) to;

    *ret = parley_str_c(ctx);

    return 1;
}


/* Translates an AEE message with n nested arrays to C2A. */

static parley_code_t
nested(unsigned n)
{
    size_t                 i;
    parley_buf_t           b;
    parley_str_t           text;
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       made;
    parley_encode_opts_t   opts;
    parley_test_message_t  m;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);
    memset(&opts, 0, sizeof(opts));

    parley_buf_init(&b, &arena, 0);
    parley_buf_put(&b, TASK, sizeof(TASK) - 3);
    parley_buf_lit(&b, ",\"x\":");

    for (i = 0; i < n; i++) {
        parley_buf_octet(&b, '[');
    }

    for (i = 0; i < n; i++) {
        parley_buf_octet(&b, ']');
    }

    parley_buf_lit(&b, "}}");

    assert_int_equal(parley_buf_done(&b, &text), 0);
    assert_int_equal(parley_read_again(&m.doc, &arena, PARLEY_TEST_SEED, text,
                                       &err), 0);
    assert_int_equal(parley_decode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_AEE, &m.doc, 0, &m.msg, &err),
                     0);

    if (parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_C2A, &m.msg,
                      &opts, &made, &loss, &err)
        == 0)
    {
        assert_int_equal(parley_read_again(&m.doc, &arena, PARLEY_TEST_SEED,
                                           made.body, &err), 0);
        err.code = PARLEY_E_NONE;

    } else {
        assert_string_equal(err.field, "/payload");
    }

    parley_arena_reset(&arena);

    return err.code;
}


/* Encodes a message with a value that no protocol allows. */

static void
spoil(const char *what, parley_code_t code)
{
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       made;
    parley_encode_opts_t   opts;
    parley_test_message_t  m, back;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);
    memset(&opts, 0, sizeof(opts));

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      PARLEY_STR(NULL_TASK), 0, &m, &err), 0);

    if (strcmp(what, "id") == 0) {
        m.msg.id = parley_str_none;

    } else if (strcmp(what, "created") == 0) {
        m.msg.created = parley_str_none;
        m.msg.created_ms = INT64_MAX;

    } else if (strcmp(what, "deadline") == 0) {
        m.msg.timeout_ms = 9007199254740991;

    } else if (strcmp(what, "late") == 0) {
        m.msg.timeout_ms = 9007199254740992;

    } else if (strcmp(what, "reply_to") == 0) {
        m.msg.reply_to = PARLEY_STR("task-0000");

    } else {
        opts.resolve = resolve_any;
        opts.resolve_ctx = (void *) (uintptr_t) what;
    }

    if (parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_C2A, &m.msg,
                      &opts, &made, &loss, &err)
        == 0)
    {
        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_C2A, made.body,
                                          0, &back, &err), 0);
        parley_assert_str(made.id, "task-0001");
        parley_assert_str(made.corr, "corr-0001");
        parley_assert_str(made.call, "task-0001");
        assert_true(made.answerable);
        assert_false(made.one_way);

        err.code = PARLEY_E_NONE;

    } else {
        assert_string_equal(err.field, "/payload");
    }

    assert_int_equal(err.code, code);

    parley_arena_reset(&arena);
}


static void
test_valid(void **state)
{
    (void) state;

    spoil("agent:lead", PARLEY_E_NONE);
    spoil("agent:", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil(":lead", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil("lead", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil("", PARLEY_E_TRANSLATION_UNSUPPORTED);

    spoil("id", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil("created", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil("reply_to", PARLEY_E_TRANSLATION_UNSUPPORTED);
    spoil("deadline", PARLEY_E_NONE);
    spoil("late", PARLEY_E_TRANSLATION_UNSUPPORTED);

    /* the C2A message has five levels around it */

    assert_int_equal(nested(32), PARLEY_E_NONE);
    assert_int_equal(nested(PARLEY_JSON_DEPTH_MAX - 5), PARLEY_E_NONE);
    assert_int_equal(nested(PARLEY_JSON_DEPTH_MAX - 4),
                     PARLEY_E_TRANSLATION_UNSUPPORTED);
}


/*
 * The place of a correlation, and whether another value in its place belongs
 * to it.
 */

static void
test_correlations(void **state)
{
    unsigned               i, k;
    char                   text[512];
    parley_arena_t         arena;
    parley_error_t         err;
    parley_test_message_t  m[4];

    static const char *const  places[] = {
        "{\"id\":\"T\"}", "{\"threadId\":\"T\"}",
        "{\"id\":\"C\",\"threadId\":\"T\"}", "{\"id\":\"/T\"}",
    };

    static const int  same[4][4] = {
        { 1, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, 1, 1, 0 }, { 0, 0, 0, 1 },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < 4; i++) {
        (void) snprintf(text, sizeof(text), "{\"jsonrpc\":\"2.0\",\"id\":1,"
                        "\"method\":\"tools/call\",\"params\":{\"name\":"
                        "\"chat.claim\",\"arguments\":{\"target\":%s}}}",
                        places[i]);
        parley_error_clear(&err);
        parley_test_read(&arena, PARLEY_PROTO_C2A,
                         (parley_str_t) { (uint8_t *) text, strlen(text) }, 0,
                         &m[i], &err);
        m[i].msg.corr = parley_str_make(
            memcpy(parley_arena_octets(&arena, m[i].msg.corr.len + 1),
                   m[i].msg.corr.data, m[i].msg.corr.len),
            m[i].msg.corr.len);
    }

    for (i = 0; i < 4; i++) {
        for (k = 0; k < 4; k++) {
            assert_int_equal(parley_str_eq(m[i].msg.corr, m[k].msg.corr),
                             i == k);
            assert_int_equal(parley_c2a_corr_is(&m[i].msg, m[k].msg.corr),
                             same[i][k]);
        }
    }

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-06 SEC-08 no two places have one correlation",
                test_correlations),
    parley_test("C2A-28 GW-10 a malformed call gets the standard code",
                test_refuse),
    parley_test("C2A-03 C2A-04 C2A-05 what attention an event asks for",
                test_rows),
    parley_test("GW-06 JSON-RPC is C2A", test_detect),
    parley_test("GW-06 GW-07 a reply finds who asked", test_parties),
    parley_test("GW-06 GW-10 an event that is made is valid, or an error",
                test_valid),
};


PARLEY_TEST_MAIN(tests)
