/*
 * The effects of a response: which answer counts (SEC-08), the message's id
 * (GW-12), and the caller's response to one answer and to events.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_embed.h"
#include "gate/correlation/parley_exchange.h"


#define ID     "019502a4-7e5c-7000-8000-000000000001"
#define OTHER  "019502a4-7e5c-7000-8000-000000000009"

#define DIRECTORY                                                             \
    "{\"principals\":["                                                       \
    "{\"sub\":\"alice\",\"aee\":\"agent.alice\",\"vcp\":\"agent://h/alice\"," \
    "\"c2a\":\"agent:alice\"},"                                               \
    "{\"sub\":\"bob\",\"aee\":\"agent.bob\",\"vcp\":\"agent://h/bob\","       \
    "\"c2a\":\"agent:bob\"},"                                                 \
    "{\"sub\":\"lead\",\"aee\":\"agent.lead\",\"vcp\":\"agent://h/lead\"}"    \
    "]}"

#define TASK_TO(to)                                                           \
    "{\"v\":\"1\",\"id\":\"" ID "\",\"ts\":\"2026-02-15T10:33:00Z\","         \
    "\"type\":\"task\",\"from\":\"agent.alice\",\"to\":\"" to "\","           \
    "\"intent\":\"ops.run\",\"corr\":\"" ID "\",\"priority\":\"high\","       \
    "\"payload\":{}}"
#define TASK  TASK_TO("agent.bob")
#define BUS   TASK_TO("bus.ops")

#define AEE(type, from, to, reply_to, payload)                                \
    "{\"v\":\"1\",\"id\":\"" OTHER "\",\"ts\":\"2026-02-15T10:33:01Z\","      \
    "\"type\":\"" type "\",\"from\":\"" from "\",\"to\":\"" to "\","          \
    "\"intent\":\"ops.run\",\"corr\":\"" ID "\",\"reply_to\":" reply_to ","   \
    "\"priority\":\"high\",\"payload\":" payload "}"

#define RESULT_OF(from)   AEE("result", from, "agent.alice", "\"" ID "\"",    \
                              "{\"text\":\"t\",\"context\":\"c\"}")
#define RESULT            RESULT_OF("agent.bob")
#define FAILED_OF(from, again)                                                \
    AEE("error", from, "agent.alice", "\"" ID "\"",                           \
        "{\"code\":\"E_BROKEN\",\"message\":\"m\",\"retryable\":" again "}")
#define FAILED(again)     FAILED_OF("agent.bob", again)
#define PROGRESS          AEE("stream", "agent.bob", "agent.alice", "null",   \
                              "{\"n\":1}")
#define ACCEPTED_OF(from) AEE("stream", from, "agent.alice", "null",          \
                              "{\"status\":\"accepted\"}")

#define ESCALATION                                                            \
    "{\"vcp_message\":\"1.2\",\"type\":\"escalation\",\"message_id\":\"" ID   \
    "\",\"sender\":\"agent://h/alice\",\"recipient\":\"agent://h/bob\","      \
    "\"timestamp\":\"2026-02-15T10:33:00Z\",\"payload\":{\"severity\":"       \
    "\"warning\",\"reason\":\"r\",\"context\":\"c\",\"requires_ack\":true}}"

#define DELIVER                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"chat/deliver\",\"params\":{"  \
    "\"eventId\":\"" ID "\",\"conversation\":{\"id\":\"" ID "\","             \
    "\"kind\":\"dm\"}"                                                        \
    ",\"timing\":{\"createdAt\":\"2026-02-15T10:33:00Z\"},"                   \
    "\"author\":{\"id\":\"alice\",\"kind\":\"agent\"},\"target\":{"           \
    "\"recipient\":\"agent:bob\",\"directedness\":\"to_me\"},\"content\":[{"  \
    "\"type\":\"text\",\"text\":\"x\"}],\"attention\":{\"policy\":"           \
    "\"must_respond\",\"priority\":\"normal\"},\"injection\":{\"mode\":"      \
    "\"buffered\"},\"reliability\":{\"idempotencyKey\":\"k\"}}}"


/* an exchange and its environment */
typedef struct {
    parley_arena_t         arena;
    parley_directory_t    *directory;
    parley_test_message_t  m;
    parley_who_t           who;
    parley_supervision_t   means;
    parley_encode_opts_t   opts;
    parley_encoded_t       sent;
    parley_loss_t          loss;
    parley_error_t         err;
    parley_json_limits_t   limits;
    parley_exchange_t      x;
    parley_answered_t       out;
} fixture_t;


static void
begin(fixture_t *f, parley_proto_t wire, const char *request,
    parley_proto_t speak, const char *gateway)
{
    memset(f, 0, sizeof(fixture_t));

    parley_arena_init(&f->arena, &parley_mem_libc, 0);
    parley_loss_init(&f->loss, &f->arena);

    assert_int_equal(parley_directory_parse(&f->arena, PARLEY_STR(DIRECTORY),
                                            NULL, &f->directory, &f->err), 0);
    assert_int_equal(parley_test_read(&f->arena, wire, parley_str_c(request),
                                      0, &f->m, &f->err), 0);

    parley_who_about(&f->who, &f->arena, &f->m.msg);
    f->who.directory = f->directory;
    f->who.principal = parley_directory_by_sub(f->directory,
                                               PARLEY_STR("alice"));

    parley_embed_supervision(&f->m.msg, &f->means);

    f->opts.self = PARLEY_STR("service.parley");
    f->opts.now_ms = PARLEY_TEST_NOW;
    parley_who_opts(&f->who, &f->opts);

    if (parley_encode(parley_test_engine(), &f->arena, speak, &f->m.msg,
                      &f->opts, &f->sent, &f->loss, &f->err)
        != 0)
    {
        fail_msg("encode: %s %s", f->err.field, f->err.text);
    }

    f->limits.octets = 1 << 20;
    f->limits.depth = 32;
    f->limits.string = 1 << 20;
    f->limits.members = 1024;

    f->x.arena = &f->arena;
    f->x.engine = parley_test_engine();
    f->x.limits = &f->limits;
    f->x.seed = PARLEY_TEST_SEED;
    f->x.who = &f->who;
    f->x.supervision = &f->means;
    f->x.sent_opts = &f->opts;
    f->x.sent = &f->sent;
    f->x.speak = speak;
    f->x.gateway = parley_str_c(gateway);

    parley_exchange_init(&f->x);
}


static void
end(fixture_t *f)
{
    parley_directory_free(f->directory);
    parley_arena_reset(&f->arena);
}


static int
answer(fixture_t *f, int status, const char *body)
{
    parley_response_t  response;

    memset(&response, 0, sizeof(response));
    response.status = status;
    response.body = parley_str_c(body);

    return parley_exchange_answer(&f->x, &f->arena, &response,
                                  PARLEY_TEST_NOW, &f->out, &f->loss,
                                  &f->err);
}


/* Handles an event, in memory that the next event frees. */
static int
event(fixture_t *f, const char *data)
{
    int             rc;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&f->loss, &arena);

    rc = parley_exchange_event(&f->x, &arena, parley_str_c(data),
                               PARLEY_TEST_NOW, &f->out, &f->loss, &f->err);

    f->out.reply.body = parley_str_none;
    f->out.principal = parley_str_none;
    parley_loss_init(&f->loss, &f->arena);
    parley_arena_reset(&arena);

    return rc;
}


#define assert_event(f, data, s, said_, ends_, final_)                        \
    do {                                                                      \
        assert_int_equal(event(f, data), 0);                                  \
        assert_int_equal((f)->out.settle, PARLEY_SETTLE_##s);                 \
        assert_int_equal((f)->out.replies, said_);                            \
        assert_int_equal((f)->out.ends, ends_);                               \
        assert_int_equal((f)->out.final, final_);                             \
    } while (0)


/* ---- principals that may answer */

typedef struct {
    const char  *name;
    const char  *request;
    const char  *gateway;
    int          status;
    const char  *answer;
    const char  *field;         /* NULL: allowed */
} who_row_t;


static const who_row_t  who_rows[] = {
    { "the recipient", TASK, "", 200, RESULT, NULL },
    { "the asker", TASK, "", 200, RESULT_OF("agent.alice"), "/from" },
    { "somebody listed", TASK, "", 200, RESULT_OF("agent.lead"), "/from" },
    { "somebody unknown", TASK, "", 200, RESULT_OF("agent.x"), "/from" },
    { "the recipient in VCP", TASK, "", 200, RESULT_OF("agent://h/bob"),
      NULL },
    { "the recipient in C2A", TASK, "", 200, RESULT_OF("agent:bob"), NULL },
    { "the recipient's sub", TASK, "", 200, RESULT_OF("bob"), NULL },
    { "somebody else in VCP", TASK, "", 200, RESULT_OF("agent://h/lead"),
      "/from" },
    { "to somebody else", TASK, "", 200,
      AEE("result", "agent.bob", "agent.lead", "\"" ID "\"", "{}"), "/to" },
    { "to the asker in VCP", TASK, "", 200,
      AEE("result", "agent.bob", "agent://h/alice", "\"" ID "\"", "{}"),
      NULL },
    { "to a group", TASK, "", 200,
      AEE("result", "agent.bob", "bus.ops", "\"" ID "\"", "{}"), "/to" },
    { "progress of another", TASK, "", 200,
      AEE("stream", "agent.lead", "agent.alice", "null", "{\"n\":1}"),
      "/from" },
    { "an acceptance of another", TASK, "", 202, ACCEPTED_OF("agent.lead"),
      "/from" },
    { "the inner gateway's failure", TASK, "service.in", 403,
      FAILED_OF("service.in", "false"), NULL },
    { "the inner gateway's failure, in a 200", TASK, "service.in", 200,
      FAILED_OF("service.in", "true"), NULL },
    { "the inner gateway's acceptance", TASK, "service.in", 202,
      ACCEPTED_OF("service.in"), NULL },
    { "the inner gateway's result", TASK, "service.in", 200,
      RESULT_OF("service.in"), "/from" },
    { "a gateway's failure that is not named", TASK, "", 403,
      FAILED_OF("service.in", "false"), "/from" },
    { "the gateway's own name", TASK, "", 403,
      FAILED_OF("service.parley", "false"), "/from" },
    { "anyone of a bus", BUS, "", 200, RESULT_OF("agent.lead"), NULL },
    { "anyone unknown of a bus", BUS, "", 200, RESULT_OF("agent.x"), NULL },
    { "the asker of a bus", BUS, "", 200, RESULT_OF("agent.alice"),
      "/from" },
    { "the asker of a bus by another name", BUS, "", 200,
      RESULT_OF("agent://h/alice"), "/from" },
    { "the bus itself", BUS, "", 200, RESULT_OF("bus.ops"), NULL },
    { "somebody unlisted", TASK_TO("agent.y"), "", 200, RESULT_OF("agent.y"),
      NULL },
    { "a listed one for somebody unlisted", TASK_TO("agent.y"), "", 200,
      RESULT, "/from" },
};


static void
test_who(void **state)
{
    int         rc;
    size_t      i;
    fixture_t   f;

    (void) state;

    for (i = 0; i < sizeof(who_rows) / sizeof(who_rows[0]); i++) {
        const who_row_t *row = &who_rows[i];

        begin(&f, PARLEY_PROTO_AEE, row->request, PARLEY_PROTO_AEE,
              row->gateway);
        rc = answer(&f, row->status, row->answer);

        if ((rc == 0) != (row->field == NULL)
            || (rc != 0 && (strcmp(f.err.field, row->field) != 0
                            || f.err.code != PARLEY_E_UPSTREAM_INVALID)))
        {
            fail_msg("%s: %d %s %s", row->name, rc, f.err.field, f.err.text);
        }

        end(&f);
    }
}


/* ---- the state of the id */

typedef struct {
    int              status;
    const char      *body;
    parley_settle_t  settle;
    int              error;     /* the caller gets an error */
    int              taken;     /* the error is not retryable */
    int              final;
} settle_row_t;


static const settle_row_t  settle_rows[] = {
    { 200, RESULT, PARLEY_SETTLE_COMMIT, 0, 0, 1 },
    { 202, "", PARLEY_SETTLE_COMMIT, 0, 0, 0 },
    { 204, "", PARLEY_SETTLE_COMMIT, 0, 0, 0 },
    { 202, "no JSON", PARLEY_SETTLE_COMMIT, 0, 0, 0 },
    { 200, PROGRESS, PARLEY_SETTLE_COMMIT, 0, 0, 0 },
    { 202, ACCEPTED_OF("agent.bob"), PARLEY_SETTLE_COMMIT, 0, 0, 0 },
    { 200, FAILED("false"), PARLEY_SETTLE_COMMIT, 0, 0, 1 },
    { 200, FAILED("true"), PARLEY_SETTLE_RELEASE, 0, 0, 1 },
    { 422, FAILED("false"), PARLEY_SETTLE_RELEASE, 0, 0, 1 },
    { 200, "no JSON", PARLEY_SETTLE_COMMIT, 1, 1, 0 },
    { 200, "{}", PARLEY_SETTLE_COMMIT, 1, 1, 0 },
    { 200, RESULT_OF("agent.lead"), PARLEY_SETTLE_COMMIT, 1, 1, 0 },
    { 301, "", PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 404, "not here", PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 429, "", PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 500, RESULT, PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 500, ACCEPTED_OF("agent.bob"), PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 503, "<html>", PARLEY_SETTLE_RELEASE, 1, 0, 0 },
    { 504, "", PARLEY_SETTLE_RELEASE, 1, 0, 0 },
};


static void
test_settle(void **state)
{
    int        rc;
    size_t     i;
    fixture_t  f;

    (void) state;

    for (i = 0; i < sizeof(settle_rows) / sizeof(settle_rows[0]); i++) {
        const settle_row_t *row = &settle_rows[i];

        begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
        rc = answer(&f, row->status, row->body);

        if ((rc != 0) != row->error || f.out.settle != row->settle
            || (rc != 0 && f.err.taken != (unsigned) row->taken)
            || f.out.final != (unsigned) row->final
            || f.out.closes != (unsigned) row->final)
        {
            fail_msg("%d %s: %d settle %d taken %d final %d", row->status,
                     row->body, rc, f.out.settle, f.err.taken, f.out.final);
        }

        end(&f);
    }
}


/* As test_settle(), in other protocols. */

static void
test_settle_others(void **state)
{
    size_t     i;
    fixture_t  f;

    static const struct {
        parley_proto_t   wire;
        const char      *request;
        int              status;
        const char      *body;
        parley_settle_t  settle;
    } rows[] = {
        { PARLEY_PROTO_VCP, ESCALATION, 200,
          "{\"status\":\"rejected\",\"message_id\":\"" ID "\",\"code\":"
          "\"busy\"}", PARLEY_SETTLE_RELEASE },
        { PARLEY_PROTO_VCP, ESCALATION, 200,
          "{\"status\":\"busy\",\"message_id\":\"" ID "\"}",
          PARLEY_SETTLE_RELEASE },
        { PARLEY_PROTO_VCP, ESCALATION, 200,
          "{\"status\":\"rejected\",\"code\":\"rate-limited\"}",
          PARLEY_SETTLE_RELEASE },
        { PARLEY_PROTO_VCP, ESCALATION, 200,
          "{\"status\":\"rejected\",\"code\":\"policy-refused\"}",
          PARLEY_SETTLE_COMMIT },
        { PARLEY_PROTO_VCP, ESCALATION, 200,
          "{\"status\":\"duplicate\",\"message_id\":\"" ID "\"}",
          PARLEY_SETTLE_COMMIT },
        { PARLEY_PROTO_C2A, DELIVER, 200,
          "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-31429,"
          "\"message\":\"m\"}}", PARLEY_SETTLE_RELEASE },
        { PARLEY_PROTO_C2A, DELIVER, 200,
          "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32602,"
          "\"message\":\"m\"}}", PARLEY_SETTLE_COMMIT },
        { PARLEY_PROTO_C2A, DELIVER, 200,
          "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"accepted\":true}}",
          PARLEY_SETTLE_COMMIT },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin(&f, rows[i].wire, rows[i].request, rows[i].wire, "");

        if (answer(&f, rows[i].status, rows[i].body) != 0
            || f.out.settle != rows[i].settle || !f.out.copied)
        {
            fail_msg("%s: settle %d, %s", rows[i].body, f.out.settle,
                     f.err.text);
        }

        end(&f);
    }
}


static void
test_busy_translated(void **state)
{
    fixture_t    f;
    const char  *task;

    (void) state;

    task = "{\"v\":\"1\",\"id\":\"" ID "\",\"ts\":\"2026-02-15T10:33:00Z\","
           "\"type\":\"task\",\"from\":\"agent.alice\",\"to\":\"agent.bob\","
           "\"intent\":\"vcp.escalation\",\"corr\":\"" ID "\",\"priority\":"
           "\"high\",\"payload\":{\"severity\":\"warning\",\"reason\":\"r\","
           "\"context\":\"c\",\"requires_ack\":true}}";

    begin(&f, PARLEY_PROTO_AEE, task, PARLEY_PROTO_VCP, "");
    assert_int_equal(answer(&f, 200, "{\"status\":\"rejected\",\"code\":"
                                     "\"busy\",\"message\":\"later\"}"), 0);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_RELEASE);
    assert_int_equal(f.out.reply.status, 503);

    assert_non_null(strstr((const char *) f.out.reply.body.data,
                           "\"code\":\"E_BUSY\",\"message\":\"later\","
                           "\"retryable\":true"));
    end(&f);
}


/* ---- events */

static void
test_one_final(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_event(&f, PROGRESS, OPEN, 1, 0, 0);
    assert_event(&f, "", OPEN, 1, 0, 0);
    assert_event(&f, RESULT, COMMIT, 1, 1, 1);
    assert_true(f.out.closes);

    assert_event(&f, RESULT, COMMIT, 0, 0, 0);
    assert_true(f.out.late);
    assert_event(&f, PROGRESS, COMMIT, 0, 0, 0);
    assert_true(f.out.late);
    end(&f);
}


static void
test_one_of_each(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_AEE, BUS, PARLEY_PROTO_AEE, "");
    assert_event(&f, FAILED_OF("agent.lead", "true"), COMMIT, 1, 0, 1);
    assert_false(f.out.closes);
    assert_event(&f, RESULT, COMMIT, 1, 0, 1);
    assert_event(&f, RESULT, COMMIT, 0, 0, 0);
    assert_true(f.out.late);
    assert_event(&f, RESULT_OF("agent://h/bob"), COMMIT, 0, 0, 0);
    assert_true(f.out.late);
    assert_event(&f, RESULT_OF("agent.x"), COMMIT, 1, 0, 1);
    assert_event(&f, PROGRESS, COMMIT, 1, 0, 0);
    end(&f);
}


static void
test_retryable_event(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_event(&f, PROGRESS, OPEN, 1, 0, 0);
    assert_event(&f, FAILED("true"), RELEASE, 1, 1, 1);
    end(&f);

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_event(&f, FAILED("false"), COMMIT, 1, 1, 1);
    end(&f);
}


static void
test_bad_event(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_event(&f, PROGRESS, OPEN, 1, 0, 0);
    assert_int_equal(event(&f, RESULT_OF("agent.lead")), -1);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_COMMIT);
    assert_int_equal(f.err.code, PARLEY_E_UPSTREAM_INVALID);
    assert_true(f.err.taken);
    end(&f);
}


static void
test_ends(void **state)
{
    fixture_t  f;

    (void) state;

    /* ended before the answer, complete, and ended after it */

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_event(&f, PROGRESS, OPEN, 1, 0, 0);
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 0, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_RELEASE);
    end(&f);

    begin(&f, PARLEY_PROTO_AEE, TASK, PARLEY_PROTO_AEE, "");
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 1, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_COMMIT);
    assert_false(f.out.replies);
    end(&f);

    begin(&f, PARLEY_PROTO_AEE, BUS, PARLEY_PROTO_AEE, "");
    assert_event(&f, RESULT, COMMIT, 1, 0, 1);
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 0, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_COMMIT);
    end(&f);
}


/* A VCP caller of a service that answers in events. */

static void
test_single(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, "");
    assert_true(parley_exchange_is_single(&f.x));
    assert_event(&f, RESULT, COMMIT, 1, 1, 1);
    assert_int_equal(f.out.reply.status, 200);
    end(&f);

    begin(&f, PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, "");
    assert_event(&f, "", OPEN, 0, 0, 0);
    assert_event(&f, PROGRESS, COMMIT, 1, 1, 0);
    assert_int_equal(f.out.reply.status, 200);
    assert_event(&f, PROGRESS, COMMIT, 0, 0, 0);
    assert_event(&f, RESULT, COMMIT, 0, 0, 1);
    assert_true(f.out.closes);
    assert_event(&f, RESULT, COMMIT, 0, 0, 0);
    assert_true(f.out.late);
    end(&f);

    begin(&f, PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, "");
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 1, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_true(f.out.replies && f.out.ends);
    parley_assert_str(f.out.reply.body,
                      "{\"status\":\"accepted\",\"message_id\":\"" ID "\"}");
    end(&f);

    begin(&f, PARLEY_PROTO_VCP, ESCALATION, PARLEY_PROTO_AEE, "");
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 0, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_false(f.out.replies);
    assert_int_equal(f.out.settle, PARLEY_SETTLE_RELEASE);
    end(&f);
}


/* A JSON-RPC call has one response, also in a stream. */

static void
test_response(void **state)
{
    fixture_t  f;

    (void) state;

    begin(&f, PARLEY_PROTO_C2A, DELIVER, PARLEY_PROTO_AEE, "");
    assert_event(&f, ACCEPTED_OF("agent.bob"), OPEN, 0, 0, 0);
    assert_event(&f, RESULT, COMMIT, 1, 1, 1);
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 1, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_false(f.out.replies);
    end(&f);

    /* without a response it is sent at the end */

    begin(&f, PARLEY_PROTO_C2A, DELIVER, PARLEY_PROTO_AEE, "");
    assert_event(&f, ACCEPTED_OF("agent.bob"), OPEN, 0, 0, 0);
    assert_int_equal(parley_exchange_end(&f.x, &f.arena, 1, PARLEY_TEST_NOW,
                                         &f.out, &f.loss, &f.err), 0);
    assert_true(f.out.replies);
    end(&f);
}


static const struct CMUnitTest  tests[] = {
    parley_test("SEC-08 who may answer whom", test_who),
    parley_test("GW-12 what an AEE answer does to the id", test_settle),
    parley_test("GW-12 what a VCP and a C2A answer does", test_settle_others),
    parley_test("GW-12 GW-29 busy of VCP may come again, in AEE",
                test_busy_translated),
    parley_test("SEC-08 one principal has one final answer", test_one_final),
    parley_test("SEC-08 a bus has one of each", test_one_of_each),
    parley_test("GW-12 an event that may come again", test_retryable_event),
    parley_test("SEC-08 GW-12 an event that is not bound", test_bad_event),
    parley_test("GW-12 how a stream ends", test_ends),
    parley_test("GW-07 VCP-18 a VCP caller has one object", test_single),
    parley_test("GW-07 C2A-28 a call has one response", test_response),
};

PARLEY_TEST_MAIN(tests)
