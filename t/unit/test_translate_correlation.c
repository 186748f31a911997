/*
 * References of messages: the member that refers, the ids that a later message
 * can refer to, the id that cancels a call.
 */

#include "t/unit/parley_test_translate.h"
#include "translate/parley_msg_field.h"


#define EVENT(policy, more)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":\"call-1\",\"method\":\"chat/deliver\","     \
    "\"params\":{\"eventId\":\"evt_123456\",\"conversation\":{\"id\":"        \
    "\"conv-1234\",\"kind\":\"dm\"},\"author\":{\"id\":\"will\",\"kind\":"    \
    "\"human\"},\"target\":{\"recipient\":\"agent:lead\",\"directedness\":"   \
    "\"to_me\"},\"content\":[{\"type\":\"text\",\"text\":\"hi\"}" more "],"   \
    "\"timing\":{\"createdAt\":\"2026-02-15T10:30:00Z\"},\"attention\":"      \
    "{\"policy\":\"" policy "\"},\"injection\":{\"mode\":\"buffered\"},"      \
    "\"reliability\":{\"idempotencyKey\":\"k\"}}}"

#define TOOL(name, arguments)                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\",\"params\":"    \
    "{\"name\":\"" name "\",\"arguments\":" arguments "}}"

#define NOTICE(name, params)                                                  \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/" name "\","             \
    "\"params\":" params "}"

#define AEE(type, more)                                                       \
    "{\"v\":\"1\",\"id\":\"message-1\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"" type "\",\"from\":\"human.will\",\"to\":\"agent.lead\","    \
    "\"corr\":\"corr-0001\",\"priority\":\"normal\"," more "}"

#define PLAIN  "\"intent\":\"deploy.check\",\"payload\":{\"text\":\"t\"}"

#define SAYS                                                                  \
    "\"idempotencyKey\":\"send-0001\",\"visibility\":\"thread\","             \
    "\"directedness\":\"to_me\",\"target\":\"agent:lead\",\"text\":\"t\""

#define VCP(type, payload)                                                    \
    "{\"vcp_message\":\"1.2\",\"type\":\"" type "\",\"message_id\":"          \
    "\"01950a5e-1111-7222-8333-444455556666\",\"sender\":\"human://will\","   \
    "\"recipient\":\"lead\",\"timestamp\":\"2026-02-15T10:30:00Z\","          \
    "\"payload\":" payload "}"

#define ESCALATION(reason)                                                    \
    VCP("escalation", "{\"severity\":\"info\",\"reason\":\"" reason "\","     \
        "\"context\":\"c\",\"requires_ack\":false}")

#define ACK  "ACK:01950a5e-2222-7222-8333-444455556666"


typedef struct {
    parley_arena_t         arena;
    parley_test_message_t  m;
    parley_encoded_t       sent;
    parley_error_t         err;
} refer_t;


static void
refer_read(refer_t *x, parley_proto_t proto, const char *text)
{
    parley_submission_t  submission;

    memset(x, 0, sizeof(refer_t));
    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("human:will");
    submission.ms = PARLEY_TEST_NOW;

    parley_arena_init(&x->arena, &parley_mem_libc, 0);

    if (parley_test_read(&x->arena, proto, parley_str_c(text), 0, &x->m,
                         &x->err) != 0
        || parley_submit(&x->arena, &x->m.msg, &submission, &x->err) != 0)
    {
        fail_msg("%s: %s %s", text, x->err.field, x->err.text);
    }
}


static void
refer_end(refer_t *x)
{
    parley_arena_reset(&x->arena);
}


/*
 * Checks the member in the error for a message that refers to an unknown one.
 */
static void
names(parley_proto_t proto, const char *text, const char *pointer)
{
    refer_t  x;

    refer_read(&x, proto, text);

    assert_int_equal(parley_msg_misrefers(&x.m.msg, PARLEY_E_REPLY_UNMATCHED,
                                          "w", &x.err), -1);
    assert_int_equal(x.err.code, PARLEY_E_REPLY_UNMATCHED);
    assert_string_equal(x.err.field, pointer);

    refer_end(&x);
}


/*
 * Checks whether the translation of a message can be referred to, and answered
 * by a message.
 */
static void
becomes(parley_proto_t from, parley_proto_t to, const char *text,
    unsigned answerable, unsigned mute)
{
    refer_t               x;
    parley_loss_t         loss;
    parley_encode_opts_t  opts;

    refer_read(&x, from, text);
    memset(&opts, 0, sizeof(opts));

    opts.self = PARLEY_STR("service.parley");
    opts.context = PARLEY_STR("ctx");
    opts.attribute = parley_test_attribute;
    opts.resolve = parley_test_resolve;
    opts.now_ms = PARLEY_TEST_NOW;

    if (to == PARLEY_PROTO_CHANNEL) {
        x.m.msg.sender = PARLEY_STR("human.alice");
        x.m.msg.recipient = PARLEY_STR("agent.cc-model");
    }

    parley_loss_init(&loss, &x.arena);

    if (parley_encode(parley_test_engine(), &x.arena, to, &x.m.msg, &opts,
                      &x.sent, &loss, &x.err) != 0)
    {
        fail_msg("%s: %s %s", text, x.err.field, x.err.text);
    }

    if (x.sent.answerable != answerable || x.sent.one_way != mute) {
        fail_msg("%s: answerable %d, mute %d", text, x.sent.answerable,
                 x.sent.one_way);
    }

    refer_end(&x);
}


static void
test_names(void **state)
{
    (void) state;

    names(PARLEY_PROTO_AEE, AEE("result", "\"reply_to\":\"task-0001\"," PLAIN),
          "/reply_to");
    names(PARLEY_PROTO_VCP, ESCALATION(ACK), "/payload/reason");
    names(PARLEY_PROTO_C2A, TOOL("chat.send_message",
                                 "{\"inReplyTo\":\"e\"," SAYS "}"),
          "/params/arguments/inReplyTo");
    names(PARLEY_PROTO_C2A, NOTICE("cancelled", "{\"requestId\":\"r\"}"),
          "/params/requestId");
    names(PARLEY_PROTO_C2A, NOTICE("progress", "{\"progressToken\":1,"
                                               "\"progress\":1}"),
          "/params/progressToken");
    names(PARLEY_PROTO_C2A,
          EVENT("may_respond", ",{\"type\":\"data\",\"mediaType\":"
                "\"application/vnd.aee+json\",\"form\":\"result\",\"data\":"
                "{\"text\":\"t\"},\"members\":{\"reply_to\":\"task-0001\"}}"),
          "/params/content/1/members/reply_to");
    names(PARLEY_PROTO_AEE,
          AEE("event", "\"intent\":\"c2a.notifications.cancelled\","
              "\"payload\":{\"requestId\":\"r\",\"references\":[{\"id\":"
              "\"n-1\",\"type\":\"c2a.message\",\"hash\":\"sha256:0\","
              "\"locator\":\"parley:c2a:n-1\"}]}"),
          "/payload/requestId");
}


static void
test_calls(void **state)
{
    refer_t  x;

    (void) state;

    refer_read(&x, PARLEY_PROTO_C2A, EVENT("must_respond", ""));
    assert_true(parley_str_is(x.m.msg.call, "call-1"));
    assert_int_equal(x.m.msg.recalls.len, 0);
    refer_end(&x);

    refer_read(&x, PARLEY_PROTO_C2A, TOOL("chat.send_message",
                                          "{" SAYS "}"));
    assert_true(parley_str_is(x.m.msg.call, "12"));
    assert_false(x.m.msg.in_words);
    refer_end(&x);

    refer_read(&x, PARLEY_PROTO_C2A, TOOL("chat.send_message",
                                          "{\"inReplyTo\":\"e\"," SAYS "}"));
    assert_true(x.m.msg.in_words);
    refer_end(&x);

    refer_read(&x, PARLEY_PROTO_C2A, TOOL("chat.react", "{\"inReplyTo\":"
                                          "\"e\",\"signal\":\"done\"}"));
    assert_int_equal(x.m.msg.act, PARLEY_ACT_REPLY);
    assert_false(x.m.msg.in_words);
    refer_end(&x);

    refer_read(&x, PARLEY_PROTO_C2A, NOTICE("cancelled",
                                            "{\"requestId\":12}"));
    assert_true(parley_str_is(x.m.msg.recalls, "12"));
    assert_int_equal(x.m.msg.call.len, 0);
    refer_end(&x);
}


static void
test_answerable(void **state)
{
    (void) state;

    /* AEE: results and errors answer tasks */

    becomes(PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, EVENT("must_respond", ""), 1,
            0);
    becomes(PARLEY_PROTO_C2A, PARLEY_PROTO_AEE, EVENT("may_respond", ""), 0,
            0);
    becomes(PARLEY_PROTO_VCP, PARLEY_PROTO_AEE, ESCALATION("disk"), 0, 0);

    /* VCP: acknowledgments answer escalations */

    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
            AEE("event", "\"intent\":\"vcp.context_share\",\"payload\":"
                "{\"context\":\"c\",\"constitution_ref\":\"creed://a/b@1\"}"),
            0, 0);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
            AEE("event", "\"intent\":\"vcp.escalation\",\"payload\":"
                "{\"severity\":\"info\",\"reason\":\"r\",\"context\":\"c\","
                "\"requires_ack\":false}"),
            1, 0);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
            AEE("error", "\"reply_to\":\"task-0001\"," PLAIN), 1, 0);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
            AEE("result", "\"reply_to\":"
                "\"01950a5e-2222-7222-8333-444455556666\",\"intent\":"
                "\"vcp.escalation\",\"payload\":{\"text\":\"t\"}"),
            0, 0);

    /* C2A: any event may have a reaction */

    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, AEE("task", PLAIN), 1, 0);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, AEE("event", PLAIN), 1, 1);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_C2A, AEE("stream", PLAIN), 1, 1);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_C2A,
            AEE("result", "\"reply_to\":\"task-0001\"," PLAIN), 1, 0);

    /* agent-channel: responses answer queries and diagnostic requests */

    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_CHANNEL, AEE("task", PLAIN), 1, 0);
    becomes(PARLEY_PROTO_AEE, PARLEY_PROTO_CHANNEL, AEE("event", PLAIN), 0,
            0);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-10 the member is named that refers to nothing",
                test_names),
    parley_test("C2A-13 C2A-24 calls, what takes them back, what is said",
                test_calls),
    parley_test("GW-06 what can be referred to in its protocol",
                test_answerable),
};


PARLEY_TEST_MAIN(tests)
