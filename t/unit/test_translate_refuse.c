/* Refusals are in the caller's protocol (GW-10), for any refused message. */

#include "t/unit/parley_test_translate.h"


static const char  task[] =
    "{\"v\":\"1\",\"id\":\"caller-id-1\",\"ts\":\"2026-02-15T10:33:00Z\","
    "\"type\":\"task\",\"from\":\"agent.a\",\"to\":\"agent.b\","
    "\"intent\":\"ops.x\",\"corr\":\"caller-corr-1\",\"priority\":\"urgent\","
    "\"payload\":{}}";


static void
refusal(parley_refusal_t *r, parley_error_t *err, parley_code_t code)
{
    memset(r, 0, sizeof(parley_refusal_t));

    parley_error_clear(err);
    (void) parley_error_set(err, code, "/from", "/from is \"odd\"");

    r->error = err;
    r->self = PARLEY_STR("service.parley");
    r->now_ms = PARLEY_TEST_NOW;
    r->backoff_ms = -1;
    memset(r->random, 0xA5, sizeof(r->random));
}


static void
test_aee(void **state)
{
    parley_arena_t         arena;
    parley_error_t         err, why;
    parley_reply_t         reply;
    parley_refusal_t       r;
    parley_test_message_t  m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(task), 0, &m, &err), 0);

    refusal(&r, &why, PARLEY_E_RATE_LIMITED);
    r.msg = &m.msg;
    r.doc = &m.doc;
    r.backoff_ms = 1500;

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &reply), 0);
    assert_int_equal(reply.status, 429);
    parley_assert_str(reply.content_type, "application/json");

    parley_test_assert_json(&arena, reply.body, parley_str_c(
        "{\"v\":\"1\",\"id\":\"c6b8009e-1c99-87a1-ac54-c024665b215c\","
        "\"ts\":\"2026-02-15T10:30:00.123Z\",\"type\":\"error\","
        "\"from\":\"service.parley\",\"to\":\"agent.a\",\"intent\":\"ops.x\","
        "\"corr\":\"caller-corr-1\",\"reply_to\":\"caller-id-1\","
        "\"priority\":\"urgent\",\"requires\":null,\"payload\":{"
        "\"code\":\"E_RATE_LIMITED\",\"message\":\"/from is \\\"odd\\\"\","
        "\"retryable\":true,\"field\":\"/from\",\"backoff_ms\":1500}}"));

    parley_arena_reset(&arena);
}


/* The error is a valid envelope for any message. */

static void
test_aee_valid(void **state)
{
    unsigned               i, code;
    parley_arena_t         arena;
    parley_error_t         err, why;
    parley_reply_t         reply;
    parley_refusal_t       r;
    parley_test_message_t  bad, made;

    static const char *const  texts[] = {
        "{}", "[]", "null", "\"v\"", "{\"v\":\"2\",\"id\":5}",
        "{\"id\":\"\",\"from\":\"\",\"intent\":\"\",\"corr\":\"\"}",
        "{\"id\":\"1234567\",\"intent\":\"ab\",\"corr\":\"1234567\"}",
        "{\"id\":\"12345678\"}",
        "{\"intent\":\"aee.nothing\",\"from\":\"agent.x\"}",
        "{\"id\":\"\\u00e9\\u00e9\\u00e9\\u00e9\"}",
        "{\"id\":\"\\u0000\\\"\\\\1234567\",\"from\":\"\\n\"}",
    };

    (void) state;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (code = PARLEY_E_NONE + 1; code < PARLEY_E_COUNT; code++) {

            parley_arena_init(&arena, &parley_mem_libc, 0);

            assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                              parley_str_c(texts[i]), 0, &bad,
                                              &err), -1);

            refusal(&r, &why, (parley_code_t) code);
            r.self = parley_str_none;
            r.doc = &bad.doc;
            r.msg = code % 2 ? &bad.msg : NULL;

            assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r,
                                           &reply), 0);

            assert_int_equal(reply.status,
                             parley_error_info((parley_code_t) code)->http);

            if (parley_test_read(&arena, PARLEY_PROTO_AEE, reply.body, 0,
                                 &made, &err)
                != 0)
            {
                fail_msg("%s: %s %s", texts[i], err.field, err.text);
            }

            assert_int_equal(made.msg.act, PARLEY_ACT_FAILURE);
            assert_true(parley_str_eq(made.msg.code,
                            parley_error_info((parley_code_t) code)->symbol));
            assert_int_equal(made.msg.retryable,
                             parley_error_info((parley_code_t) code)
                                 ->retryable);
            parley_assert_str(made.msg.sender, "agent.gateway");

            parley_arena_reset(&arena);
        }
    }
}


/* No document at all. */

static void
test_aee_unknown(void **state)
{
    parley_arena_t         arena;
    parley_error_t         err, why;
    parley_reply_t         reply;
    parley_refusal_t       r;
    parley_test_message_t  made;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    refusal(&r, &why, PARLEY_E_JSON_INVALID);

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &reply), 0);
    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE, reply.body, 0,
                                      &made, &err), 0);

    parley_assert_str(made.msg.id, "a5a5a5a5-a5a5-45a5-a5a5-a5a5a5a5a5a5");
    parley_assert_str(made.msg.corr, "a5a5a5a5-a5a5-45a5-a5a5-a5a5a5a5a5a5");
    parley_assert_str(made.msg.reply_to, "unidentified");
    parley_assert_str(made.msg.recipient, "agent.unknown");
    parley_assert_str(made.msg.intent, "aee.ext.parley.refusal");

    parley_arena_reset(&arena);
}


/* AEE-35: the same refusal of the same message has the same id. */

static void
test_aee_ids(void **state)
{
    parley_arena_t         arena;
    parley_error_t         err, why;
    parley_reply_t         one, two, other;
    parley_refusal_t       r;
    parley_test_message_t  m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(task), 0, &m, &err), 0);

    refusal(&r, &why, PARLEY_E_CAPACITY);
    r.msg = &m.msg;
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &one), 0);

    memset(r.random, 1, sizeof(r.random));
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &two), 0);
    assert_true(parley_str_eq(one.body, two.body));

    refusal(&r, &why, PARLEY_E_RATE_LIMITED);
    r.msg = &m.msg;
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &other), 0);

    assert_memory_not_equal(one.body.data + 15, other.body.data + 15, 36);

    parley_arena_reset(&arena);
}


static void
test_vcp(void **state)
{
    parley_arena_t         arena;
    parley_error_t         err, why;
    parley_reply_t         reply;
    parley_refusal_t       r;
    parley_test_message_t  m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_VCP,
        parley_str_c("{\"vcp_message\":\"1.2\",\"message_id\":\"x\\\"y\"}"),
        0, &m, &err), -1);

    refusal(&r, &why, PARLEY_E_SENDER_IDENTITY_MISMATCH);
    r.msg = &m.msg;

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_VCP, &r, &reply), 0);
    assert_int_equal(reply.status, 403);
    parley_assert_str(reply.content_type, "application/json; charset=utf-8");
    parley_assert_str(reply.body,
        "{\"status\":\"rejected\",\"message_id\":\"x\\\"y\","
        "\"code\":\"sender-identity-mismatch\",\"field\":\"/from\","
        "\"message\":\"/from is \\\"odd\\\"\"}");

    /* the document has the type of the message */

    r.msg = NULL;
    r.doc = &m.doc;
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_VCP, &r, &reply), 0);
    assert_non_null(strstr((const char *) reply.body.data, "x\\\"y"));

    r.doc = NULL;
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_VCP, &r, &reply), 0);
    assert_null(strstr((const char *) reply.body.data, "message_id"));

    parley_arena_reset(&arena);
}


static void
test_vcp_duplicate(void **state)
{
    parley_arena_t    arena;
    parley_error_t    why;
    parley_reply_t    reply;
    parley_msg_t      msg;
    parley_refusal_t  r;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_msg_init(&msg, PARLEY_PROTO_VCP, NULL);
    msg.id = PARLEY_STR("019502a4-7e5c-7000-8000-000000000001");

    refusal(&r, &why, PARLEY_E_MESSAGE_DUPLICATE);
    (void) parley_error_set(&why, PARLEY_E_MESSAGE_DUPLICATE, NULL,
                            "a message with this id was taken already");
    r.msg = &msg;

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_VCP, &r, &reply), 0);
    assert_int_equal(reply.status, 200);
    parley_assert_str(reply.body,
        "{\"status\":\"duplicate\","
        "\"message_id\":\"019502a4-7e5c-7000-8000-000000000001\"}");
    parley_assert_str(reply.content_type, "application/json; charset=utf-8");

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_AEE, &r, &reply), 0);
    assert_int_equal(reply.status, 409);

    /* another message with the same id is not a duplicate */

    (void) parley_error_set(&why, PARLEY_E_MESSAGE_DUPLICATE, "/message_id",
                            "a message with this id said something else");

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_VCP, &r, &reply), 0);
    assert_int_equal(reply.status, 409);
    assert_non_null(strstr((const char *) reply.body.data, "\"rejected\""));

    parley_arena_reset(&arena);
}


static void
test_problem(void **state)
{
    parley_arena_t    arena;
    parley_error_t    why;
    parley_reply_t    reply;
    parley_refusal_t  r;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    refusal(&r, &why, PARLEY_E_PROTOCOL_UNSUPPORTED);

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_NONE, &r, &reply), 0);
    assert_int_equal(reply.status, 415);
    parley_assert_str(reply.content_type, "application/problem+json");
    parley_assert_str(reply.body,
        "{\"type\":\"about:blank\",\"title\":\"Unsupported Media Type\","
        "\"status\":415,\"detail\":\"/from is \\\"odd\\\"\","
        "\"code\":\"protocol-unsupported\",\"field\":\"/from\"}");

    why.offset = 17;
    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_NONE, &r, &reply), 0);
    assert_non_null(strstr((const char *) reply.body.data, "\"offset\":17}"));

    parley_arena_reset(&arena);
}


/* Every status has its phrase; memory that ends is reported. */

static void
test_problem_all(void **state)
{
    size_t             i;
    unsigned           code;
    parley_mem_t       mem;
    parley_arena_t     arena;
    parley_error_t     why;
    parley_reply_t     reply;
    parley_refusal_t   r;
    parley_test_mem_t  counter;

    (void) state;

    for (code = PARLEY_E_NONE + 1; code < PARLEY_E_COUNT; code++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        refusal(&r, &why, (parley_code_t) code);
        assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_NONE, &r, &reply),
                         0);
        assert_null(strstr((const char *) reply.body.data, "\"Error\""));
        parley_arena_reset(&arena);
    }

    for (code = 0; code < PARLEY_PROTO_COUNT; code++) {
        for (i = 1; ; i++) {
            mem = parley_test_mem(&counter, i);
            parley_arena_init(&arena, &mem, 64);
            refusal(&r, &why, PARLEY_E_CAPACITY);

            if (parley_refuse(&arena, (parley_proto_t) code, &r, &reply) == 0)
            {
                assert_true(counter.allocations < i);
                parley_arena_reset(&arena);
                break;
            }

            parley_arena_reset(&arena);
            assert_int_equal(counter.live, 0);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-10 AEE-36 an AEE caller gets an error envelope",
                test_aee),
    parley_test("AEE-36 it is valid, whatever was refused", test_aee_valid),
    parley_test("AEE-35 AEE-36 also where nothing is known", test_aee_unknown),
    parley_test("AEE-35 its id is derived from the message", test_aee_ids),
    parley_test("GW-10 a VCP caller gets a rejection", test_vcp),
    parley_test("VCP-13 a duplicate is a success for VCP", test_vcp_duplicate),
    parley_test("GW-10 an unknown caller gets problem details", test_problem),
    parley_test("GW-10 for every code, or is told that memory ended",
                test_problem_all),
};


PARLEY_TEST_MAIN(tests)
