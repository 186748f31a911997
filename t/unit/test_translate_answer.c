/*
 * Answers of an upstream, and their form for the caller: the table "What the
 * caller gets back" of docs/mapping.md.
 */

#include "t/unit/parley_test_translate.h"


#define AID    "019502a4-7e5c-7000-8000-000000000001"
#define OTHER  "019502a4-7e5c-7000-8000-000000000009"
#define RID    "019502a4-8b3d-7000-8000-000000000002"

#define AEE_CALL(type, intent, payload)                                       \
    "{\"v\":\"1\",\"id\":\"" AID "\",\"ts\":\"2026-02-15T10:33:00Z\","        \
    "\"type\":\"" type "\",\"from\":\"agent.a\",\"to\":\"agent.b\","          \
    "\"intent\":\"" intent "\",\"corr\":\"" AID "\",\"priority\":\"high\","   \
    "\"payload\":" payload "}"

#define VCP_ESCALATION(ack)                                                   \
    "{\"severity\":\"critical\",\"reason\":\"r\",\"context\":\"c\","          \
    "\"requires_ack\":" ack "}"

#define VCP_MSG(id, from, to, type, payload)                                  \
    "{\"vcp_message\":\"1.2\",\"type\":\"" type "\",\"message_id\":\"" id     \
    "\",\"sender\":\"" from "\",\"recipient\":\"" to "\",\"timestamp\":"      \
    "\"2026-02-15T10:33:01Z\",\"payload\":" payload "}"

#define VCP_ACK(of)                                                           \
    "{\"severity\":\"critical\",\"reason\":\"ACK:" of "\",\"context\":\"c\"," \
    "\"requires_ack\":false}"

#define AEE_ANSWER(type, corr, reply_to, payload)                             \
    "{\"v\":\"1\",\"id\":\"" RID "\",\"ts\":\"2026-02-15T10:33:01Z\","        \
    "\"type\":\"" type "\",\"from\":\"agent.b\",\"to\":\"agent.a\","          \
    "\"intent\":\"vcp.escalation\",\"corr\":\"" corr "\",\"reply_to\":"       \
    reply_to ",\"priority\":\"high\",\"payload\":" payload "}"

#define TASK   AEE_CALL("task", "vcp.escalation", VCP_ESCALATION("true"))
#define EVENT  AEE_CALL("event", "vcp.context_share",                         \
                        "{\"context\":\"c\","                                 \
                        "\"constitution_ref\":\"creed://a/b\"}")
#define ESCALATION  VCP_MSG(AID, "a", "b", "escalation",                      \
                            VCP_ESCALATION("true"))
#define SHARE  VCP_MSG(AID, "a", "b", "context_share",                        \
                       "{\"context\":\"c\","                                  \
                       "\"constitution_ref\":\"creed://a/b\"}")

#define TAKEN  "{\"status\":\"accepted\",\"message_id\":\"" AID "\"}"


typedef struct {
    const char      *name;
    parley_proto_t   caller;
    const char      *request;
    parley_proto_t   upstream;
    int              status;
    const char      *answer;

    /* either */
    parley_code_t    code;
    const char      *field;

    /* or */
    int              ret_status;
    const char      *body;      /* NULL: any; "": none */
    const char      *loss;
} answer_row_t;


/* Compares the ranks of the parties by the name of the row. */

static int
above(void *ctx, parley_proto_t proto, parley_str_t name, parley_str_t other)
{
    const answer_row_t  *row = ctx;

    (void) proto;
    (void) name;
    (void) other;

    return strstr(row->name, "the child answers") ? 1
           : strstr(row->name, "the parent answers") ? -1 : 0;
}


/* an AEE caller's answer for a task that a VCP service accepted */
static const char  accepted[] =
    "{\"v\":\"1\",\"id\":\"53199c24-5602-85a5-8a02-602b51c8192f\","
    "\"ts\":\"2026-02-15T10:30:00.123Z\",\"type\":\"stream\","
    "\"from\":\"service.parley\",\"to\":\"agent.a\","
    "\"intent\":\"vcp.escalation\",\"corr\":\"" AID "\",\"reply_to\":null,"
    "\"priority\":\"high\",\"requires\":null,"
    "\"payload\":{\"status\":\"accepted\"}}";


static const answer_row_t  rows[] = {

    /* an AEE caller, a VCP service */

    { "GW-07 AEE task, VCP took it", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200, TAKEN, 0, NULL, 202, accepted, "" },
    { "GW-07 AEE task, VCP has it already", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"duplicate\",\"message_id\":\"" AID "\"}",
      0, NULL, 202, accepted, "" },
    { "GW-07 AEE event, VCP took it", PARLEY_PROTO_AEE, EVENT,
      PARLEY_PROTO_VCP, 200, TAKEN, 0, NULL, 202, "", "" },
    { "GW-07 AEE task, VCP answers nothing", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200, "", 0, NULL, 202, accepted, "" },
    { "AEE-34 VCP-25 AEE task, VCP acknowledges", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "escalation", VCP_ACK(AID)) "}",
      0, NULL, 200,
      "{\"v\":\"1\",\"id\":\"" RID "\",\"ts\":\"2026-02-15T10:33:01Z\","
      "\"type\":\"result\",\"from\":\"agent.b\",\"to\":\"agent.a\","
      "\"intent\":\"vcp.escalation\",\"corr\":\"" AID "\",\"reply_to\":\"" AID
      "\",\"priority\":\"high\",\"requires\":null,\"payload\":{"
      "\"severity\":\"critical\",\"reason\":\"ACK:" AID "\","
      "\"context\":\"c\",\"requires_ack\":false,\"references\":[{"
      "\"id\":\"" RID "\",\"type\":\"vcp.message\",\"hash\":\"sha256:"
      "0df88fa6786a0f68f1f94f3f7c8260392eb0513794ef9c31b32b67964985fb89\","
      "\"locator\":\"parley:vcp:" RID "\"}]}}", "" },
    { "AEE-34 AEE task, VCP answers with a bare message", PARLEY_PROTO_AEE,
      TASK, PARLEY_PROTO_VCP, 200,
      VCP_MSG(RID, "b", "a", "escalation", VCP_ACK(AID)),
      0, NULL, 200, NULL, "" },
    { "AEE-34 VCP acknowledges another message", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      VCP_MSG(RID, "b", "a", "escalation", VCP_ACK(OTHER)),
      PARLEY_E_UPSTREAM_INVALID, "/payload/reason", 0, NULL, NULL },
    { "AEE-34 VCP acknowledges another message in a reply", PARLEY_PROTO_AEE,
      TASK, PARLEY_PROTO_VCP, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "escalation", VCP_ACK(OTHER)) "}",
      PARLEY_E_UPSTREAM_INVALID, "/reply/payload/reason", 0, NULL, NULL },
    { "AEE-34 VCP took another message", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" OTHER "\"}",
      PARLEY_E_UPSTREAM_INVALID, "/message_id", 0, NULL, NULL },
    { "VCP-18 VCP took it and does not say what", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200, "{\"status\":\"accepted\"}",
      PARLEY_E_UPSTREAM_INVALID, "/message_id", 0, NULL, NULL },
    { "GW-10 VCP's reply is no message", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":{}}",
      PARLEY_E_UPSTREAM_INVALID, "/reply/vcp_message", 0, NULL, NULL },
    { "GW-10 VCP's reply is null", PARLEY_PROTO_AEE, EVENT,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":null}",
      0, NULL, 202, "", "" },
    { "GW-10 VCP answers without a status", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200, "{\"ok\":true}",
      PARLEY_E_UPSTREAM_INVALID, "/status", 0, NULL, NULL },
    { "GW-10 VCP answers with another status", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200,
      "{\"status\":\"maybe\",\"message_id\":\"" AID "\"}",
      PARLEY_E_UPSTREAM_INVALID, "/status", 0, NULL, NULL },
    { "GW-12 VCP says accepted and 404", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 404, TAKEN,
      PARLEY_E_UPSTREAM_INVALID, "/status", 0, NULL, NULL },
    { "GW-10 AEE-36 VCP refuses", PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_VCP,
      429, "{\"status\":\"rejected\",\"message_id\":\"" AID
      "\",\"code\":\"rate-limited\",\"field\":\"/sender\","
      "\"message\":\"slowly\"}", 0, NULL, 429,
      "{\"v\":\"1\",\"id\":\"87fa80c3-cf00-8365-8a3d-b51e2cd24bf1\","
      "\"ts\":\"2026-02-15T10:30:00.123Z\",\"type\":\"error\","
      "\"from\":\"service.parley\",\"to\":\"agent.a\","
      "\"intent\":\"vcp.escalation\",\"corr\":\"" AID "\",\"reply_to\":\"" AID
      "\",\"priority\":\"high\",\"requires\":null,\"payload\":{"
      "\"code\":\"E_RATE_LIMITED\",\"message\":\"slowly\","
      "\"retryable\":true,\"field\":\"/sender\"}}", "" },
    { "GW-10 VCP refuses with 200", PARLEY_PROTO_AEE, EVENT,
      PARLEY_PROTO_VCP, 200, "{\"status\":\"rejected\"}", 0, NULL, 422, NULL,
      "" },
    { "AEE-34 VCP refuses another message", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 400,
      "{\"status\":\"rejected\",\"message_id\":\"" OTHER "\"}",
      PARLEY_E_UPSTREAM_INVALID, "/message_id", 0, NULL, NULL },
    { "GW-12 VCP fails", PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_VCP, 500,
      "<html>", PARLEY_E_UPSTREAM_UNAVAILABLE, "", 0, NULL, NULL },
    { "GW-12 VCP fails with JSON", PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_VCP,
      503, "{\"error\":\"x\"}", PARLEY_E_CAPACITY, "", 0, NULL,
      NULL },
    { "GW-12 VCP fails without words", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 502, "", PARLEY_E_UPSTREAM_UNAVAILABLE, "", 0, NULL,
      NULL },
    { "GW-12 VCP does not answer in time", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 504, "<html>", PARLEY_E_UPSTREAM_TIMEOUT, "", 0, NULL,
      NULL },
    { "GW-12 VCP answers 404 with HTML", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 404, "<html>", PARLEY_E_UPSTREAM_INVALID, "", 0, NULL,
      NULL },
    { "GW-12 VCP answers 200 with HTML", PARLEY_PROTO_AEE, TASK,
      PARLEY_PROTO_VCP, 200, "<html>", PARLEY_E_UPSTREAM_INVALID, "", 0, NULL,
      NULL },
    { "GW-12 VCP answers 302", PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_VCP, 302,
      "", PARLEY_E_UPSTREAM_INVALID, "", 0, NULL, NULL },
    { "GW-07 VCP answers 202 with text", PARLEY_PROTO_AEE, EVENT,
      PARLEY_PROTO_VCP, 202, "ok", 0, NULL, 202, "", "" },
    { "GW-07 VCP answers 202 with JSON", PARLEY_PROTO_AEE, EVENT,
      PARLEY_PROTO_VCP, 202, "{\"queued\":1}", 0, NULL, 202, "", "" },
    { "GW-06 VCP answers with a name that AEE has not", PARLEY_PROTO_AEE,
      TASK, PARLEY_PROTO_VCP, 200,
      VCP_MSG(RID, "b@c", "a", "escalation", VCP_ACK(AID)), 0, NULL, 202,
      accepted, "\n" },

    /* a VCP caller, an AEE service */

    { "VCP-18 VCP, AEE took it with 202", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 202, "", 0, NULL, 200, TAKEN, "" },
    { "VCP-18 VCP, AEE took it with 204", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 204, "", 0, NULL, 200, TAKEN, "" },
    { "VCP-18 VCP, AEE took it with 202 and text", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 202, "taken", 0, NULL, 200, TAKEN, "" },
    { "VCP-18 VCP, AEE took it with 202 and JSON", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 202, "{\"ok\":true}", 0, NULL, 200,
      TAKEN, "" },
    { "VCP-18 VCP, AEE took it with a stream envelope", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 202,
      AEE_ANSWER("stream", AID, "null", "{\"status\":\"accepted\"}"),
      0, NULL, 200, TAKEN, "" },
    { "GW-06 VCP, AEE says how far it is", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("stream", AID, "null", "{\"status\":\"half\"}"),
      0, NULL, 200, TAKEN, "\n" },
    { "VCP-25 VCP escalation, AEE answers with a result", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", AID, "\"" AID "\"",
                 "{\"text\":\"done\",\"context\":\"x\"}"),
      0, NULL, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "escalation",
              "{\"severity\":\"critical\",\"reason\":\"ACK:" AID " done\","
              "\"context\":\"x\",\"requires_ack\":false}") "}", "" },
    { "VCP-25 VCP escalation, AEE answers with an acknowledgment",
      PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", AID, "\"" AID "\"", VCP_ACK(AID)),
      0, NULL, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "escalation", VCP_ACK(AID)) "}", "" },
    { "VCP-25 VCP escalation, AEE answers without a context",
      PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", AID, "\"" AID "\"", "{\"text\":\"done\"}"),
      0, NULL, 200, TAKEN, "\n" },
    { "VCP-12 VCP escalation, AEE answers with an error", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("error", AID, "\"" AID "\"",
                 "{\"code\":\"E_X\",\"message\":\"m\",\"context\":\"x\"}"),
      0, NULL, 422,
      "{\"status\":\"rejected\",\"message_id\":\"" AID "\","
      "\"code\":\"E_X\",\"message\":\"m\"}", "/payload/context\n" },
    { "VCP-12 VCP-30 VCP context, the child answers with an error",
      PARLEY_PROTO_VCP, SHARE, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("error", AID, "\"" AID "\"",
                 "{\"code\":\"E_X\",\"message\":\"m\",\"context\":\"x\"}"),
      0, NULL, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "escalation",
              "{\"severity\":\"warning\",\"reason\":\"E_X: m\","
              "\"context\":\"x\",\"requires_ack\":false}") "}",
      "/type\n/priority\n" },
    { "VCP-30 VCP context, the parent answers with an error of ours",
      PARLEY_PROTO_VCP, SHARE, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("error", AID, "\"" AID "\"",
                 "{\"code\":\"E_CAPACITY\",\"message\":\"m\","
                 "\"retryable\":true}"),
      0, NULL, 503,
      "{\"status\":\"rejected\",\"message_id\":\"" AID "\","
      "\"code\":\"capacity\",\"message\":\"m\"}",
      "/payload/retryable\n" },
    { "GW-10 VCP, AEE refuses with an error and 429", PARLEY_PROTO_VCP,
      SHARE, PARLEY_PROTO_AEE, 429,
      AEE_ANSWER("error", AID, "\"" AID "\"",
                 "{\"code\":\"E_SLOW\",\"message\":\"m\"}"),
      0, NULL, 429,
      "{\"status\":\"rejected\",\"message_id\":\"" AID "\","
      "\"code\":\"E_SLOW\",\"message\":\"m\"}", "" },
    { "GW-06 VCP context, AEE answers with a result", PARLEY_PROTO_VCP,
      SHARE, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", AID, "\"" AID "\"", "{\"text\":\"t\"}"),
      0, NULL, 200, TAKEN, "\n" },
    { "AEE-34 AEE answers another message", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", AID, "\"" OTHER "\"", "{}"),
      PARLEY_E_UPSTREAM_INVALID, "/reply_to", 0, NULL, NULL },
    { "AEE-34 AEE fails another message", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("error", AID, "\"" OTHER "\"", "{}"),
      PARLEY_E_UPSTREAM_INVALID, "/reply_to", 0, NULL, NULL },
    { "AEE-34 AEE answers in another correlation", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 200,
      AEE_ANSWER("result", OTHER, "\"" AID "\"", "{}"),
      PARLEY_E_UPSTREAM_INVALID, "/corr", 0, NULL, NULL },
    { "AEE-34 AEE takes it in another correlation", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 202,
      AEE_ANSWER("stream", OTHER, "null", "{\"status\":\"accepted\"}"),
      PARLEY_E_UPSTREAM_INVALID, "/corr", 0, NULL, NULL },
    { "GW-12 AEE answers with no envelope", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 200, "{\"ok\":true}", PARLEY_E_UPSTREAM_INVALID,
      "/v", 0, NULL, NULL },
    { "GW-12 AEE answers 202 with a broken envelope", PARLEY_PROTO_VCP,
      ESCALATION, PARLEY_PROTO_AEE, 202, "{\"v\":\"1\",\"id\":\"x\"}",
      PARLEY_E_UPSTREAM_INVALID, "/id", 0, NULL, NULL },
    { "GW-12 AEE fails with no envelope", PARLEY_PROTO_VCP, ESCALATION,
      PARLEY_PROTO_AEE, 500, "{\"ok\":false}",
      PARLEY_E_UPSTREAM_UNAVAILABLE, "", 0, NULL, NULL },
    { "GW-07 VCP context, AEE answers with an event", PARLEY_PROTO_VCP,
      SHARE, PARLEY_PROTO_AEE, 200,
      "{\"v\":\"1\",\"id\":\"" RID "\",\"ts\":\"2026-02-15T10:33:01Z\","
      "\"type\":\"event\",\"from\":\"agent.b\",\"to\":\"agent.a\","
      "\"intent\":\"vcp.context_share\",\"corr\":\"" AID "\","
      "\"priority\":\"normal\",\"payload\":{\"context\":\"d\","
      "\"constitution_ref\":\"creed://a/b\"}}", 0, NULL, 200,
      "{\"status\":\"accepted\",\"message_id\":\"" AID "\",\"reply\":"
      VCP_MSG(RID, "b", "a", "context_share",
              "{\"context\":\"d\",\"constitution_ref\":\"creed://a/b\"}")
      "}", "" },
};


static void
test_row(void **state)
{
    const answer_row_t     *row = *state;
    parley_arena_t          arena;
    parley_loss_t           loss, sent_loss;
    parley_error_t          err;
    parley_reply_t          reply;
    parley_answer_t         answer;
    parley_encoded_t        sent;
    parley_encode_opts_t    opts;
    parley_test_message_t   request;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);
    parley_loss_init(&sent_loss, &arena);

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    opts.self = PARLEY_STR("service.parley");
    opts.above = above;
    opts.resolve_ctx = (void *) row;

    assert_int_equal(parley_test_read(&arena, row->caller,
                                      parley_str_c(row->request), 0, &request,
                                      &err), 0);

    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   row->upstream, &request.msg, &opts, &sent,
                                   &sent_loss, &err), 0);

    if (parley_answer_decode(parley_test_engine(), &arena, row->upstream,
                             &sent, row->status, parley_str_c(row->answer),
                             NULL, PARLEY_TEST_SEED, &answer, &err)
        != 0)
    {
        if (err.code != row->code || strcmp(err.field, row->field) != 0) {
            fail_msg("%s %s: %s",
                     (const char *) parley_error_info(err.code)->word.data,
                     err.field, err.text);
        }

        parley_arena_reset(&arena);
        return;
    }

    assert_int_equal(row->code, 0);

    if (parley_answer_encode(parley_test_engine(), &arena, &request.msg,
                             &answer, &opts, PARLEY_TEST_NOW, &reply, &loss,
                             &err)
        != 0)
    {
        fail_msg("%s %s", err.field, err.text);
    }

    assert_int_equal(reply.status, row->ret_status);

    if (row->body == NULL) {
        assert_true(reply.body.len > 0);

    } else if (row->body[0] == '\0') {
        assert_int_equal(reply.body.len, 0);

    } else {
        parley_test_assert_json(&arena, reply.body, parley_str_c(row->body));
    }

    if (reply.body.len > 0) {
        parley_assert_str(reply.content_type,
                          row->caller == PARLEY_PROTO_VCP
                              ? "application/json; charset=utf-8"
                              : "application/json");
    }

    parley_assert_str(parley_test_loss(&arena, &loss), row->loss);

    parley_arena_reset(&arena);
}


/* An unknown code of a refusal becomes a code in AEE's form. */

static void
test_codes(void **state)
{
    unsigned              i;
    parley_arena_t        arena;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_reply_t        reply;
    parley_answer_t       answer;
    parley_encode_opts_t  opts;
    parley_test_message_t request, made;

    static const struct {
        const char  *word;
        int          status;
        const char  *code;
        int          retryable;
    } codes[] = {
        { "rate-limited", 429, "E_RATE_LIMITED", 1 },
        { "Busy now!", 503, "E_BUSY_NOW_", 1 },
        { "nope", 400, "E_NOPE", 0 },
        { "E_THEIRS", 429, "E_THEIRS", 1 },
        { "", 400, "E_REFUSED", 0 },
        { "token-invalid", 401, "E_TOKEN_INVALID", 0 },
    };

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {

        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_loss_init(&loss, &arena);

        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                          parley_str_c(TASK), 0, &request,
                                          &err), 0);

        memset(&answer, 0, sizeof(parley_answer_t));
        answer.kind = PARLEY_ANSWER_REFUSED;
        answer.status = codes[i].status;
        answer.code = parley_str_c(codes[i].word);

        assert_int_equal(parley_answer_encode(parley_test_engine(), &arena,
                                              &request.msg, &answer, &opts,
                                              PARLEY_TEST_NOW, &reply, &loss,
                                              &err), 0);
        assert_int_equal(reply.status, codes[i].status);

        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                          reply.body, 0, &made, &err), 0);
        parley_assert_str(made.msg.code, codes[i].code);
        assert_int_equal(made.msg.retryable, codes[i].retryable);

        parley_arena_reset(&arena);
    }
}


/*
 * Runs one row with memory that ends: an error is allowed, a wrong answer is
 * not.
 */

static int
memory_row(const answer_row_t *row, const parley_mem_t *mem)
{
    int                     rc;
    parley_arena_t          arena, whole;
    parley_loss_t           loss, sent_loss;
    parley_error_t          err;
    parley_reply_t          reply;
    parley_answer_t         answer;
    parley_encoded_t        sent;
    parley_encode_opts_t    opts;
    parley_test_message_t   request;

    parley_arena_init(&arena, mem, 64);
    parley_loss_init(&loss, &arena);
    parley_loss_init(&sent_loss, &arena);

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    opts.self = PARLEY_STR("service.parley");
    opts.above = above;
    opts.resolve_ctx = (void *) row;

    rc = -1;

    if (parley_test_read(&arena, row->caller, parley_str_c(row->request), 0,
                         &request, &err)
        == 0
        && parley_encode(parley_test_engine(), &arena, row->upstream,
                         &request.msg, &opts, &sent, &sent_loss, &err)
           == 0
        && parley_answer_decode(parley_test_engine(), &arena, row->upstream,
                                &sent, row->status,
                                parley_str_c(row->answer), NULL,
                                PARLEY_TEST_SEED, &answer, &err)
           == 0
        && parley_answer_encode(parley_test_engine(), &arena, &request.msg,
                                &answer, &opts, PARLEY_TEST_NOW, &reply,
                                &loss, &err)
           == 0)
    {
        rc = 0;
        assert_int_equal(reply.status, row->ret_status);

        if (row->body != NULL && row->body[0] != '\0') {
            parley_arena_init(&whole, &parley_mem_libc, 0);
            parley_test_assert_json(&whole, reply.body,
                                    parley_str_c(row->body));
            parley_arena_reset(&whole);
        }

    } else if (err.code != PARLEY_E_CAPACITY
               || strcmp(err.text, "out of memory") != 0)
    {
        rc = 0;
        assert_int_equal(err.code, row->code);
        assert_string_equal(err.field, row->field);
    }

    parley_arena_reset(&arena);

    return rc;
}


static void
test_memory(void **state)
{
    size_t             i, n;
    parley_mem_t       mem;
    parley_test_mem_t  counter;

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (n = 1; ; n++) {
            mem = parley_test_mem(&counter, n);

            if (memory_row(&rows[i], &mem) == 0
                && counter.allocations < n)
            {
                break;
            }

            assert_int_equal(counter.live, 0);
        }
    }
}


int
main(void)
{
    size_t                    i, n;
    static struct CMUnitTest  tests[sizeof(rows) / sizeof(rows[0]) + 2];

    n = sizeof(rows) / sizeof(rows[0]);

    for (i = 0; i < n; i++) {
        tests[i].name = rows[i].name;
        tests[i].test_func = test_row;
        tests[i].initial_state = (void *) &rows[i];
    }

    tests[n].name = "GW-10 AEE-36 a service's own code in AEE's manner";
    tests[n].test_func = test_codes;

    tests[n + 1].name = "GW-12 answers when memory ends";
    tests[n + 1].test_func = test_memory;

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return _cmocka_run_group_tests("answer", tests, n + 2, NULL, NULL);
}
