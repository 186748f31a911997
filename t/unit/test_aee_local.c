/* translate/aee/parley_aee_local.h */

#include "t/unit/parley_test_translate.h"

#include "translate/aee/parley_aee_local.h"
#include "core/parley_id.h"


static parley_arena_t         arena;
static parley_test_message_t  task;


static const char  task_text[] =
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:29:59Z\","
    "\"type\":\"task\",\"from\":\"agent.\\u00e9\\\"x\",\"to\":\"service.gw\","
    "\"intent\":\"aee.status.ping\",\"corr\":\"conversation-1\","
    "\"priority\":\"urgent\",\"trace\":{\"trace_id\":\"t1\",\"span_id\":"
    "\"s1\"},\"requires\":{\"timeout_ms\":10},\"payload\":{}}";


static int
begin(void **state)
{
    parley_error_t  err;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    return parley_test_read(&arena, PARLEY_PROTO_AEE, parley_str_c(task_text),
                            0, &task, &err);
}


static int
end(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static void
test_find(void **state)
{
    unsigned  i, k;

    static const char *const  intents[] = {
        "aee.status.ping", "aee.status.health", "aee.spec.query",
        "aee.capability.list", "aee.context.fetch", "aee.context.refute",
        "aee.validate.payload",
    };

    static const char *const  others[] = {
        "", "aee", "aee.", "aee.status", "aee.status.pin", "aee.status.pings",
        "AEE.status.ping", "aee.ext.status.ping", "ops.status.ping",
    };

    (void) state;

    assert_int_equal(PARLEY_TASK_COUNT,
                     sizeof(intents) / sizeof(intents[0]));

    for (i = 0; i < PARLEY_TASK_COUNT; i++) {
        k = parley_aee_local_find(parley_str_c(intents[i]));
        assert_true(k < PARLEY_TASK_COUNT);
        parley_assert_str(parley_aee_local_intent(k), intents[i]);
        assert_int_equal(parley_aee_local_find(parley_aee_local_intent(i)), i);
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_int_equal(parley_aee_local_find(parley_str_c(others[i])),
                         PARLEY_TASK_COUNT);
    }
}


/* Reads a reply, which must be an envelope. */

static void
read_reply(const parley_reply_t *reply, parley_test_message_t *ret)
{
    parley_error_t  err;

    assert_int_equal(reply->status, 200);
    parley_assert_str(reply->content_type, "application/json");

    if (parley_test_read(&arena, PARLEY_PROTO_AEE, reply->body, 0, ret, &err)
        != 0)
    {
        fail_msg("%.*s: %s %s", (int) reply->body.len,
                 (const char *) reply->body.data, err.field, err.text);
    }

    /* the parties, and the task that it answers */

    parley_assert_str(ret->msg.sender, "service.gw");
    parley_assert_str(ret->msg.recipient, "agent.\u00e9\"x");
    parley_assert_str(ret->msg.intent, "aee.status.ping");
    parley_assert_str(ret->msg.corr, "conversation-1");
    parley_assert_str(ret->msg.reply_to, "task-0001");
    assert_int_equal(ret->msg.priority, PARLEY_PRIORITY_URGENT);
    assert_int_equal(ret->msg.created_ms, PARLEY_TEST_NOW);
    assert_int_equal(ret->msg.timeout_ms, -1);
    assert_true(parley_uuid_is(ret->msg.id, 8));
}


static void
test_result(void **state)
{
    parley_error_t         err;
    parley_reply_t         reply, again;
    parley_test_message_t  m, other;

    (void) state;

    memset(&reply, 0, sizeof(reply));
    assert_int_equal(parley_aee_local_result(&arena, &task.msg,
                         PARLEY_STR("service.gw"),
                         PARLEY_STR("{\"pong\":true,\"n\":[1,{}]}"),
                         PARLEY_TEST_NOW, &reply, &err), 0);

    read_reply(&reply, &m);
    assert_int_equal(m.msg.act, PARLEY_ACT_REPLY);
    parley_assert_str(m.msg.trace_id, "t1");
    parley_assert_str(m.msg.span_id, "s1");
    parley_assert_str(parley_json_raw(&m.doc, m.msg.data.node),
                      "{\"pong\":true,\"n\":[1,{}]}");

    /* the same task has the same id, another task has another id */

    memset(&again, 0, sizeof(again));
    assert_int_equal(parley_aee_local_result(&arena, &task.msg,
                         PARLEY_STR("service.gw"), PARLEY_STR("{}"),
                         PARLEY_TEST_NOW, &again, &err), 0);
    read_reply(&again, &other);
    assert_true(parley_str_eq(m.msg.id, other.msg.id));

    task.msg.id = PARLEY_STR("task-0002");
    memset(&again, 0, sizeof(again));
    assert_int_equal(parley_aee_local_result(&arena, &task.msg,
                         PARLEY_STR("service.gw"), PARLEY_STR("{}"),
                         PARLEY_TEST_NOW, &again, &err), 0);
    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE, again.body, 0,
                                      &other, &err), 0);
    assert_false(parley_str_eq(m.msg.id, other.msg.id));
}


/* A gateway without a configured name has the default name. */

static void
test_self(void **state)
{
    parley_error_t         err;
    parley_reply_t         reply;
    parley_test_message_t  m;

    (void) state;

    memset(&reply, 0, sizeof(reply));
    assert_int_equal(parley_aee_local_result(&arena, &task.msg, parley_str_none,
                         PARLEY_STR("{}"), PARLEY_TEST_NOW, &reply, &err), 0);
    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE, reply.body, 0,
                                      &m, &err), 0);
    parley_assert_str(m.msg.sender, "agent.gateway");
}


static void
test_error(void **state)
{
    parley_error_t         err;
    parley_reply_t         reply;
    parley_test_message_t  m, other;

    (void) state;

    memset(&reply, 0, sizeof(reply));
    assert_int_equal(parley_aee_local_error(&arena, &task.msg,
                         PARLEY_STR("service.gw"), PARLEY_STR("E_NOT_FOUND"),
                         PARLEY_STR("no \"such\" thing"), parley_str_none,
                         PARLEY_TEST_NOW, &reply, &err), 0);

    read_reply(&reply, &m);
    assert_int_equal(m.msg.act, PARLEY_ACT_FAILURE);
    parley_assert_str(parley_json_raw(&m.doc, m.msg.data.node),
                      "{\"code\":\"E_NOT_FOUND\",\"message\":"
                      "\"no \\\"such\\\" thing\",\"retryable\":false}");

    memset(&reply, 0, sizeof(reply));
    assert_int_equal(parley_aee_local_error(&arena, &task.msg,
                         PARLEY_STR("service.gw"),
                         PARLEY_STR("E_FIELD_MISSING"), PARLEY_STR("x"),
                         PARLEY_STR("/payload/id"), PARLEY_TEST_NOW, &reply,
                         &err), 0);

    read_reply(&reply, &other);
    parley_assert_str(parley_json_raw(&other.doc, other.msg.data.node),
                      "{\"code\":\"E_FIELD_MISSING\",\"message\":\"x\","
                      "\"retryable\":false,\"field\":\"/payload/id\"}");
    assert_false(parley_str_eq(m.msg.id, other.msg.id));
}


/* Either -1 and capacity, or the complete reply. */

static void
test_memory(void **state)
{
    int                rc;
    size_t             n, kind;
    parley_mem_t       failing;
    parley_error_t     err;
    parley_reply_t     reply;
    parley_arena_t     scratch;
    parley_test_mem_t  failing_state;

    static char  payload[20000];

    (void) state;

    memset(payload, ' ', sizeof(payload) - 1);
    payload[0] = '{';
    payload[sizeof(payload) - 2] = '}';

    for (kind = 0; kind < 2; kind++) {
        rc = -1;

        for (n = 1; rc != 0; n++) {
            failing = parley_test_mem(&failing_state, n);
            parley_arena_init(&scratch, &failing, 512);
            parley_error_clear(&err);
            memset(&reply, 0, sizeof(reply));

            rc = kind ? parley_aee_local_error(&scratch, &task.msg,
                            PARLEY_STR("service.gw"), PARLEY_STR("E_X"),
                            parley_str_c(payload), parley_str_none,
                            PARLEY_TEST_NOW, &reply, &err)
                      : parley_aee_local_result(&scratch, &task.msg,
                            PARLEY_STR("service.gw"), parley_str_c(payload),
                            PARLEY_TEST_NOW, &reply, &err);

            if (rc != 0) {
                assert_int_equal(err.code, PARLEY_E_CAPACITY);
                assert_int_equal(reply.body.len, 0);

            } else {
                assert_true(reply.body.len > sizeof(payload));
            }

            parley_arena_reset(&scratch);
            assert_int_equal(failing_state.live, 0);
        }

        assert_true(n > 2);
    }
}


#define own_test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    own_test("AEE-20 the seven intents", test_find),
    own_test("AEE-21 AEE-35 a result of the gateway's own", test_result),
    own_test("AEE-21 a gateway without a name", test_self),
    own_test("AEE-36 AEE-35 an error of the gateway's own", test_error),
    own_test("AEE-21 every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
