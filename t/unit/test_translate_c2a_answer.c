/* The HTTP binding of C2A, as a caller's and as a service's protocol. */

#include "t/unit/parley_test_translate.h"

#include "translate/c2a/parley_c2a.h"


#define CALL                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":\"deliver-456\",\"method\":"                 \
    "\"chat/deliver\",\"params\":{\"eventId\":\"evt_123\","                   \
    "\"conversation\":{\"id\":\"C123\",\"kind\":\"dm\",\"threadId\":"         \
    "\"thread-01\"},\"author\":{\"id\":\"will\",\"kind\":\"human\"},"         \
    "\"target\":{\"recipient\":\"agent:lead\",\"directedness\":"              \
    "\"to_me\"},\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],"           \
    "\"timing\":{\"createdAt\":\"2026-02-15T10:30:00Z\"},\"attention\":"      \
    "{\"policy\":\"%s\"},\"injection\":{\"mode\":\"buffered\"},"              \
    "\"reliability\":{\"idempotencyKey\":\"k\"}}}"

#define TOOL                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":"    \
    "{\"name\":\"%s\",\"arguments\":%s}}"

#define TASK                                                                  \
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"task\",\"from\":\"agent.planner\",\"to\":\"agent.lead\","     \
    "\"intent\":\"deploy.check\",\"corr\":\"corr-0001\",\"priority\":"        \
    "\"normal\",\"payload\":{\"text\":\"ready?\"}}"

#define SEND                                                                  \
    "{\"target\":{\"id\":\"corr-0001\",\"kind\":\"thread\"},\"inReplyTo\":"   \
    "\"task-0001\",\"idempotencyKey\":\"send-0001\",\"visibility\":"          \
    "\"thread\",\"directedness\":\"to_me\",\"text\":\"yes\"}"


/* a caller, and its message as sent to another protocol's service */
typedef struct {
    parley_arena_t         arena;
    parley_test_message_t  request;
    parley_encode_opts_t   opts;
    parley_encoded_t       sent;
    parley_proto_t         service;
    parley_loss_t          loss;
    parley_answer_t        answer;
    parley_reply_t         reply;
    parley_error_t         err;
} exchange_t;


static void
exchange_begin(exchange_t *x, parley_proto_t caller, parley_proto_t service,
    const char *text)
{
    parley_submission_t  submission;

    memset(x, 0, sizeof(exchange_t));
    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("agent:worker");
    submission.recipient = PARLEY_STR("agent:lead");
    submission.ms = PARLEY_TEST_NOW;

    parley_arena_init(&x->arena, &parley_mem_libc, 0);
    parley_loss_init(&x->loss, &x->arena);

    x->service = service;
    x->opts.self = PARLEY_STR("service.parley");
    x->opts.context = PARLEY_STR("ctx");
    x->opts.now_ms = PARLEY_TEST_NOW;

    if (parley_test_read(&x->arena, caller, parley_str_c(text), 0,
                         &x->request, &x->err) != 0
        || parley_submit(&x->arena, &x->request.msg, &submission, &x->err)
           != 0
        || parley_encode(parley_test_engine(), &x->arena, service,
                         &x->request.msg, &x->opts, &x->sent, &x->loss,
                         &x->err) != 0)
    {
        fail_msg("%s %s", x->err.field, x->err.text);
    }
}


static int
exchange_hear(exchange_t *x, int status, const char *text)
{
    parley_loss_init(&x->loss, &x->arena);

    return parley_answer_decode(parley_test_engine(), &x->arena, x->service,
                                &x->sent, status, parley_str_c(text), NULL,
                                PARLEY_TEST_SEED, &x->answer, &x->err);
}


static void
exchange_reply(exchange_t *x)
{
    if (parley_answer_encode(parley_test_engine(), &x->arena,
                             &x->request.msg, &x->answer, &x->opts,
                             PARLEY_TEST_NOW, &x->reply, &x->loss, &x->err)
        != 0)
    {
        fail_msg("%s %s", x->err.field, x->err.text);
    }
}


static void
exchange_answer(exchange_t *x, int status, const char *text, int want_status,
    const char *want)
{
    if (exchange_hear(x, status, text) != 0) {
        fail_msg("%s %s", x->err.field, x->err.text);
    }

    exchange_reply(x);

    assert_int_equal(x->reply.status, want_status);

    if (want[0] == '\0') {
        assert_int_equal(x->reply.body.len, 0);

    } else {
        parley_test_assert_json(&x->arena, x->reply.body, parley_str_c(want));
    }
}


static void
exchange_fails(exchange_t *x, int status, const char *text,
    parley_code_t code, const char *field)
{
    assert_int_equal(exchange_hear(x, status, text), -1);
    assert_int_equal(x->err.code, code);
    assert_string_equal(x->err.field, field);
}


static void
exchange_end(exchange_t *x)
{
    parley_arena_reset(&x->arena);
}


static void
test_taken(void **state)
{
    char        text[1024], want[256];
    unsigned    i;
    exchange_t  x;

    static const struct {
        const char  *policy;
        const char  *disposition;
    } rows[] = {
        { "must_respond", "deferred" },
        { "may_respond", "acknowledged" },
        { "ack_only", "acknowledged" },
        { "must_not_respond", "ignored" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text), CALL, rows[i].policy);
        snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":"
                 "\"deliver-456\",\"result\":{\"accepted\":true,"
                 "\"disposition\":\"%s\"}}", rows[i].disposition);

        exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, text);
        exchange_answer(&x, 202, "", 200, want);
        exchange_end(&x);
    }
}


/* C2A-15: the meaning of a reaction for its event. */

static void
test_signals(void **state)
{
    char        text[1024], arguments[128], want[512];
    unsigned    i;
    exchange_t  x;

    static const struct {
        const char                *signal;
        const char                *disposition;
        parley_chat_disposition_t   d;
    } rows[] = {
        { "seen", "\"acknowledged\"", PARLEY_CHAT_ACKNOWLEDGED },
        { "agree", "\"acknowledged\"", PARLEY_CHAT_ACKNOWLEDGED },
        { "working", "\"claimed\"", PARLEY_CHAT_CLAIMED },
        { "queued", "\"deferred\"", PARLEY_CHAT_DEFERRED },
        { "claimed", "\"claimed\"", PARLEY_CHAT_CLAIMED },
        { "done", "\"responded\"", PARLEY_CHAT_RESPONDED },
        { "declined", "\"ignored\"", PARLEY_CHAT_IGNORED },
        { "blocked", "\"deferred\"", PARLEY_CHAT_DEFERRED },
        { "unclear", "null", PARLEY_CHAT_UNDISPOSED },
    };

    (void) state;

    assert_int_equal(sizeof(rows) / sizeof(rows[0]), PARLEY_C2A_SIGNALS);

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        parley_assert_str(parley_c2a_signals[i].name, rows[i].signal);
        assert_int_equal(parley_c2a_signals[i].disposition, rows[i].d);

        snprintf(arguments, sizeof(arguments), "{\"inReplyTo\":\"evt_12345\","
                 "\"signal\":\"%s\"}", rows[i].signal);
        snprintf(text, sizeof(text), TOOL, "12", "chat.react", arguments);
        snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":12,"
                 "\"result\":{\"accepted\":true,\"disposition\":%s,"
                 "\"content\":[{\"type\":\"text\",\"text\":\"accepted%s%s\"}],"
                 "\"structuredContent\":{\"accepted\":true,"
                 "\"disposition\":%s}}}", rows[i].disposition,
                 rows[i].d == PARLEY_CHAT_UNDISPOSED ? "" : ", ",
                 (const char *) parley_c2a_dispositions[rows[i].d].data,
                 rows[i].disposition);

        exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, text);
        exchange_answer(&x, 202, "", 200, want);
        exchange_end(&x);
    }
}


static void
test_taken_tools(void **state)
{
    char        text[1024], want[512];
    unsigned    i;
    exchange_t  x;

    static const struct {
        const char  *tool;
        const char  *arguments;
        const char  *disposition;
    } rows[] = {
        /* C2A-01: a client that accepted the event has no claims */
        { "chat.claim", "{\"inReplyTo\":\"evt_12345\"}", "acknowledged" },
        { "chat.defer", "{\"inReplyTo\":\"evt_12345\",\"reason\":\"r\"}",
          "deferred" },
        { "chat.resolve", "{\"inReplyTo\":\"evt_12345\"}", "responded" },
        { "chat.send_message", SEND, "responded" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text), TOOL, "\"a\"", rows[i].tool,
                 rows[i].arguments);
        snprintf(want, sizeof(want), "{\"jsonrpc\":\"2.0\",\"id\":\"a\","
                 "\"result\":{\"accepted\":true,\"disposition\":\"%s\","
                 "\"content\":[{\"type\":\"text\",\"text\":\"accepted, %s\"}],"
                 "\"structuredContent\":{\"accepted\":true,"
                 "\"disposition\":\"%s\"}}}", rows[i].disposition,
                 rows[i].disposition, rows[i].disposition);

        exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, text);
        exchange_answer(&x, 202, "", 200, want);
        exchange_end(&x);
    }
}


static void
test_notification(void **state)
{
    exchange_t  x;

    static const char  note[] = "{\"jsonrpc\":\"2.0\",\"method\":"
        "\"notifications/progress\",\"params\":{\"progressToken\":\"t\","
        "\"progress\":1}}";

    (void) state;

    exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, note);

    exchange_answer(&x, 202, "", 202, "");
    assert_int_equal(x.loss.count, 0);

    /* a notification has no answer */

    x.answer.kind = PARLEY_ANSWER_MESSAGE;
    x.answer.msg = x.request.msg;

    assert_int_equal(parley_answer_encode(parley_test_engine(), &x.arena,
                                          &x.request.msg, &x.answer, &x.opts,
                                          PARLEY_TEST_NOW, &x.reply, &x.loss,
                                          &x.err), 0);
    assert_int_equal(x.reply.status, 202);
    assert_int_equal(x.reply.body.len, 0);
    assert_int_equal(x.loss.count, 1);

    exchange_end(&x);
}


/* A C2A caller, an AEE service. */

static void
test_answered(void **state)
{
    char                  text[1024], aee[1024];
    uint32_t              node;
    exchange_t            x;
    parley_json_t         doc;
    parley_str_t          id;

    static const char  result[] = "{\"v\":\"1\",\"id\":\"%s\",\"ts\":"
        "\"2026-02-15T10:30:01Z\",\"type\":\"%s\",\"from\":\"agent.lead\","
        "\"to\":\"human.will\",\"intent\":\"c2a.chat.deliver\",\"corr\":"
        "\"C123/thread-01\",\"reply_to\":\"%.*s\",\"priority\":\"normal\","
        "\"payload\":{\"text\":\"it is done\",\"code\":\"E_X\",\"message\":"
        "\"no\",\"retryable\":false}}";

    (void) state;

    snprintf(text, sizeof(text), CALL, "must_respond");
    exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, text);

    id = x.sent.id;
    snprintf(aee, sizeof(aee), result, "result-01", "result", (int) id.len,
             (const char *) id.data);

    assert_int_equal(exchange_hear(&x, 200, aee), 0);
    assert_int_equal(parley_answer_encode(parley_test_engine(), &x.arena,
                                          &x.request.msg, &x.answer, &x.opts,
                                          PARLEY_TEST_NOW, &x.reply, &x.loss,
                                          &x.err), 0);

    assert_int_equal(x.reply.status, 200);
    assert_int_equal(parley_json_read(&doc, &x.arena, NULL, 0, x.reply.body,
                                      &x.err), 0);

    assert_true(parley_json_string_is(&doc, parley_json_get(&doc, 0,
                                              PARLEY_STR("id")),
                                      PARLEY_STR("deliver-456")));

    node = parley_json_resolve(&doc, 0, PARLEY_STR("/result/disposition"));
    assert_true(parley_json_string_is(&doc, node, PARLEY_STR("responded")));

    node = parley_json_resolve(&doc, 0,
                               PARLEY_STR("/result/message/content/0/text"));
    assert_true(parley_json_string_is(&doc, node, PARLEY_STR("it is done")));

    /* it is in the conversation of the event, and names the event */

    node = parley_json_resolve(&doc, 0,
                               PARLEY_STR("/result/message/conversation"));
    parley_test_assert_json(&x.arena, parley_json_raw(&doc, node),
                            PARLEY_STR("{\"id\":\"C123\",\"kind\":\"dm\","
                                       "\"threadId\":\"thread-01\"}"));

    node = parley_json_resolve(&doc, 0,
                               PARLEY_STR("/result/message/inReplyTo"));
    assert_true(parley_json_string_is(&doc, node, PARLEY_STR("evt_123")));

    /* a failure is an answer too */

    snprintf(aee, sizeof(aee), result, "result-02", "error", (int) id.len,
             (const char *) id.data);

    assert_int_equal(exchange_hear(&x, 200, aee), 0);
    assert_int_equal(parley_answer_encode(parley_test_engine(), &x.arena,
                                          &x.request.msg, &x.answer, &x.opts,
                                          PARLEY_TEST_NOW, &x.reply, &x.loss,
                                          &x.err), 0);
    assert_int_equal(parley_json_read(&doc, &x.arena, NULL, 0, x.reply.body,
                                      &x.err), 0);

    node = parley_json_resolve(&doc, 0, PARLEY_STR("/result/disposition"));
    assert_true(parley_json_string_is(&doc, node, PARLEY_STR("failed")));

    node = parley_json_resolve(&doc, 0,
                               PARLEY_STR("/result/message/content/0/text"));
    assert_true(parley_json_string_is(&doc, node, PARLEY_STR("E_X: no")));

    exchange_end(&x);
}


/* A C2A caller, a VCP service that refuses. */

static void
test_refused_upstream(void **state)
{
    exchange_t  x;
    char        text[512], vcp[512];

    (void) state;

    snprintf(text, sizeof(text), TOOL, "1.5", "chat.react",
             "{\"inReplyTo\":\"evt_12345\",\"signal\":\"blocked\"}");

    exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_VCP, text);

    snprintf(vcp, sizeof(vcp), "{\"status\":\"rejected\",\"message_id\":"
             "\"%.*s\",\"code\":\"rate-limited\",\"field\":\"/sender\","
             "\"message\":\"slow down\"}", (int) x.sent.id.len,
             (const char *) x.sent.id.data);

    exchange_answer(&x, 429, vcp, 429,
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"error\":{\"code\":-31429,"
        "\"message\":\"slow down\",\"data\":{\"code\":\"rate-limited\","
        "\"field\":\"/sender\"}}}");

    snprintf(vcp, sizeof(vcp), "{\"status\":\"rejected\",\"message_id\":"
             "\"%.*s\",\"code\":\"ODD\",\"message\":\"no\"}",
             (int) x.sent.id.len, (const char *) x.sent.id.data);

    exchange_answer(&x, 403, vcp, 403,
        "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"error\":{\"code\":-31403,"
        "\"message\":\"no\",\"data\":{\"code\":\"ODD\"}}}");

    exchange_end(&x);
}


/* An AEE caller, a C2A service. */

static void
test_service(void **state)
{
    exchange_t  x;

    (void) state;

    exchange_begin(&x, PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, TASK);

    parley_assert_str(x.sent.id, "task-0001");
    parley_assert_str(x.sent.corr, "corr-0001");

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"accepted\":"
                                   "true,\"disposition\":\"claimed\"}}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_TAKEN);

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{}}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_TAKEN);

    assert_int_equal(exchange_hear(&x, 202, "{}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_TAKEN);

    exchange_answer(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\","
        "\"result\":{\"accepted\":true,\"disposition\":\"responded\","
        "\"message\":" SEND "}}", 200,
        "{\"v\":\"1\",\"id\":\"30400ae2-afed-8612-9ddd-764c69750a90\",\"ts\":"
        "\"2026-02-15T10:30:00.123Z\",\"type\":\"result\",\"from\":"
        "\"agent.lead\",\"to\":\"agent.planner\",\"intent\":"
        "\"deploy.check\",\"corr\":\"corr-0001\",\"reply_to\":"
        "\"task-0001\",\"priority\":\"normal\",\"requires\":null,\"payload\":"
        "{\"target\":{\"id\":\"corr-0001\",\"kind\":\"thread\"},"
        "\"inReplyTo\":\"task-0001\",\"idempotencyKey\":\"send-0001\","
        "\"visibility\":\"thread\",\"directedness\":\"to_me\",\"text\":"
        "\"yes\",\"references\":[{\"id\":\"send-0001\",\"type\":"
        "\"c2a.message\",\"hash\":\"sha256:4561eaf42ab2e8e8440735eac148c5d9"
        "a75d50d084f951ee45ff69b1a74c4d27\",\"locator\":"
        "\"parley:c2a:send-0001\"}],\"c2a\":{\"form\":"
        "\"c2a.chat.send_message\"}}}");

    exchange_end(&x);
}


/* The result of a tool, and messages alone. */

static void
test_service_data(void **state)
{
    exchange_t    x;
    parley_msg_t *m;

    (void) state;

    exchange_begin(&x, PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, TASK);
    m = &x.answer.msg;

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"events\":"
                                   "[1]}}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_MESSAGE);
    assert_int_equal(m->act, PARLEY_ACT_REPLY);
    parley_assert_str(m->intent, "c2a.result");
    parley_assert_str(m->reply_to, "task-0001");

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"accepted\":"
                                   "true,\"message\":{\"inReplyTo\":"
                                   "\"task-0001\",\"signal\":\"blocked\"}}}"),
                     0);
    assert_int_equal(m->act, PARLEY_ACT_FAILURE);
    parley_assert_str(m->code, "E_BLOCKED");

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\","
                                   "\"method\":\"notifications/progress\","
                                   "\"params\":{\"progressToken\":\"t\","
                                   "\"progress\":0.5,\"message\":\"half\"}}"),
                     0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_MESSAGE);
    assert_int_equal(m->act, PARLEY_ACT_PROGRESS);

    exchange_end(&x);
}


static void
test_service_refuses(void **state)
{
    exchange_t  x;

    (void) state;

    exchange_begin(&x, PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, TASK);

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "null,\"error\":{\"code\":-32602,"
                                   "\"message\":\"no\",\"data\":{\"code\":"
                                   "\"field-invalid\",\"field\":\"/x\"}}}"),
                     0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_REFUSED);
    assert_int_equal(x.answer.status, 422);
    parley_assert_str(x.answer.code, "field-invalid");
    parley_assert_str(x.answer.field, "/x");
    parley_assert_str(x.answer.message, "no");

    assert_int_equal(exchange_hear(&x, 403, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"error\":{\"code\":-31403,"
                                   "\"message\":\"no\"}}"), 0);
    assert_int_equal(x.answer.status, 403);
    assert_int_equal(x.answer.code.len, 0);

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"accepted\":"
                                   "false,\"reason\":\"full\"}}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_REFUSED);
    parley_assert_str(x.answer.message, "full");

    /* other members of the answer are lost, and named */

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"accepted\":"
                                   "false,\"reason\":\"full\",\"queue\":9,"
                                   "\"content\":[]}}"), 0);
    exchange_reply(&x);
    parley_assert_str(parley_test_loss(&x.arena, &x.loss),
                      "/result/queue\n/result/content\n");

    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"task-0001\",\"result\":{\"accepted\":"
                                   "true,\"disposition\":\"failed\"}}"), 0);
    assert_int_equal(x.answer.kind, PARLEY_ANSWER_REFUSED);

    exchange_end(&x);
}


static void
test_service_invalid(void **state)
{
    unsigned    i;
    exchange_t  x;

    static const struct {
        int          status;
        const char  *text;
        const char  *field;
    } rows[] = {
        { 200, "{\"id\":\"task-0001\",\"result\":{}}", "/jsonrpc" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\"}", "/result" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\",\"result\":{},"
          "\"error\":{}}", "/result" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"other\",\"result\":{}}",
          "/id" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{}}", "/id" },
        { 200, "{\"jsonrpc\":\"2.0\",\"result\":{}}", "/id" },
        { 404, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\",\"result\":{}}",
          "/result" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\",\"result\":"
          "{\"message\":{}}}", "/result/message/target" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\",\"result\":"
          "{\"message\":{\"inReplyTo\":\"another\",\"signal\":\"done\"}}}",
          "/result/message/inReplyTo" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"task-0001\",\"result\":"
          "{\"accepted\":true,\"structuredContent\":{\"message\":"
          "{\"inReplyTo\":\"another\",\"signal\":\"done\"}}}}",
          "/result/structuredContent/message/inReplyTo" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":"
          "\"chat/deliver\",\"params\":{\"eventId\":\"e1\",\"source\":"
          "{\"platform\":\"aee\"},\"author\":{\"id\":\"bob\",\"kind\":"
          "\"agent\"},\"conversation\":{\"id\":\"C\",\"kind\":\"dm\"},"
          "\"target\":{\"recipient\":\"agent:alice\",\"directedness\":"
          "\"to_me\"},\"content\":[{\"type\":\"data\",\"mediaType\":"
          "\"application/vnd.aee+json\",\"form\":\"result\",\"data\":{},"
          "\"members\":{\"intent\":\"ops.run\",\"reply_to\":"
          "\"another-1\"}}],\"attention\":{\"policy\":\"may_respond\"},"
          "\"injection\":{\"mode\":\"buffered\"},\"reliability\":"
          "{\"idempotencyKey\":\"e1:b\"},\"timing\":{\"createdAt\":"
          "\"2026-02-15T10:30:00Z\"}}}",
          "/params/content/0/members/reply_to" },
        { 200, "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"method\":\"tools/call\","
          "\"params\":{\"name\":\"chat.react\",\"arguments\":{\"inReplyTo\":"
          "\"another\",\"signal\":\"done\"}}}",
          "/params/arguments/inReplyTo" },
    };

    (void) state;

    exchange_begin(&x, PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, TASK);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        exchange_fails(&x, rows[i].status, rows[i].text,
                       PARLEY_E_UPSTREAM_INVALID, rows[i].field);
    }

    exchange_end(&x);
}


/* The same protocol on both sides: the id is the caller's. */

static void
test_same_protocol(void **state)
{
    char        text[1024];
    exchange_t  x;

    (void) state;

    snprintf(text, sizeof(text), CALL, "must_respond");
    exchange_begin(&x, PARLEY_PROTO_C2A, PARLEY_PROTO_C2A, text);

    assert_true(x.sent.copied);
    assert_int_equal(exchange_hear(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":"
                                   "\"deliver-456\",\"result\":{}}"), 0);
    exchange_fails(&x, 200, "{\"jsonrpc\":\"2.0\",\"id\":\"evt_123\","
                   "\"result\":{}}", PARLEY_E_UPSTREAM_INVALID, "/id");

    exchange_end(&x);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-07 a message that was taken is accepted", test_taken),
    parley_test("C2A-15 nine signals and their dispositions", test_signals),
    parley_test("GW-07 a tool call that was taken", test_taken_tools),
    parley_test("C2A-28 GW-07 a notification gets no answer",
                test_notification),
    parley_test("GW-07 an answer comes back as an event", test_answered),
    parley_test("GW-10 what the service refused", test_refused_upstream),
    parley_test("GW-07 C2A-24 what a C2A service answers", test_service),
    parley_test("GW-07 C2A-24 results, reactions and progress as answers",
                test_service_data),
    parley_test("GW-10 what a C2A service refuses", test_service_refuses),
    parley_test("GW-07 answers that are none", test_service_invalid),
    parley_test("C2A-28 the id of a call passes through",
                test_same_protocol),
};


PARLEY_TEST_MAIN(tests)
