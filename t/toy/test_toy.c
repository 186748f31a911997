/*
 * An additional protocol that this folder alone adds.  It is detected,
 * translated to and from others, refused and named as any other protocol.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_binding.h"


#define TOY_ASK                                                               \
    "{\"toy\":\"1\",\"id\":\"toy-000001\",\"kind\":\"ask\","                  \
    "\"who\":\"robot/x1\",\"whom\":\"engine/x2\",\"what\":\"tea\","           \
    "\"body\":{\"cups\":2}}"


static parley_str_t
translated(parley_arena_t *arena, parley_proto_t from, const char *text,
    parley_proto_t to, parley_loss_t *loss, parley_error_t *err)
{
    parley_encoded_t       made;
    parley_encode_opts_t   opts;
    parley_submission_t    beside;
    parley_test_message_t  m;

    memset(&beside, 0, sizeof(parley_submission_t));
    beside.ms = PARLEY_TEST_NOW;

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    opts.self = PARLEY_STR("agent.gateway");
    opts.now_ms = PARLEY_TEST_NOW;

    parley_loss_init(loss, arena);

    if (parley_test_read(arena, from, parley_str_c(text), 0, &m, err) != 0
        || parley_submit(arena, &m.msg, &beside, err) != 0
        || parley_encode(parley_test_engine(), arena, to, &m.msg, &opts, &made,
                         loss, err)
           != 0)
    {
        return parley_str_none;
    }

    return made.body;
}


static void
test_list(void **state)
{
    parley_str_t    methods;
    parley_json_t   doc;
    parley_arena_t  arena;
    parley_error_t  err;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(PARLEY_PROTO_COUNT, 7);
    assert_int_equal(parley_proto_find(PARLEY_STR("toy")), PARLEY_PROTO_TOY);
    parley_assert_str(parley_proto_title(PARLEY_PROTO_TOY), "Toy");
    assert_non_null(strstr(PARLEY_PROTOCOL_WORDS, "channel or moq or toy"));

    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                      PARLEY_STR(TOY_ASK), &err), 0);
    assert_int_equal(parley_detect(&doc, PARLEY_PROTO_ALL),
                     PARLEY_PROTO_TOY);

    assert_true(parley_binding_takes(PARLEY_PROTO_BIT(PARLEY_PROTO_TOY),
                                     PARLEY_STR("PUT")));
    assert_false(parley_binding_takes(PARLEY_PROTO_BIT(PARLEY_PROTO_AEE),
                                      PARLEY_STR("PUT")));
    assert_int_equal(parley_binding_methods(&arena, ~0u, NULL, &methods), 0);
    parley_assert_str(methods, "POST, PUT");

    parley_arena_reset(&arena);
}


#define VCP_ESCALATION                                                        \
    "{\"vcp_message\":\"1.2\",\"type\":\"escalation\",\"message_id\":"        \
    "\"0198b1f2-5f3b-7c1d-9a2b-3c4d5e6f7a8b\",\"sender\":\"agent://h/x1\","   \
    "\"recipient\":\"agent://h/x2\",\"timestamp\":\"2026-02-15T10:30:00Z\","  \
    "\"payload\":{\"severity\":\"info\",\"reason\":\"hot\","                  \
    "\"requires_ack\":false,\"context\":\"kettle\"}}"

#define AEE_TASK                                                              \
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"task\",\"from\":\"agent.x1\",\"to\":\"human.x2\","            \
    "\"intent\":\"ops.tea.make\",\"corr\":\"corr-0001\",\"reply_to\":null,"   \
    "\"priority\":\"high\",\"requires\":{\"timeout_ms\":5},"                  \
    "\"payload\":{\"cups\":1}}"


static const struct {
    parley_proto_t   from;
    parley_proto_t   to;
    const char      *in;
    const char      *out;       /* NULL: the error below */
    const char      *loss;
    parley_code_t    code;
    const char      *field;
} cases[] = {
    { PARLEY_PROTO_AEE, PARLEY_PROTO_TOY, AEE_TASK,
      "{\"toy\":\"1\",\"id\":\"task-0001\",\"kind\":\"ask\",\"w"
      "ho\":\"robot/x1\",\"whom\":\"person/x2\",\"what\":\"ops."
      "tea.make\",\"body\":{\"cups\":1}}",
      "/ts\n/corr\n/priority\n/requires/timeout_ms\n", PARLEY_E_NONE, "" },
    { PARLEY_PROTO_VCP, PARLEY_PROTO_TOY, VCP_ESCALATION,
      "{\"toy\":\"1\",\"id\":\"0198b1f2-5f3b-7c1d-9a2b-3c4d5e6f"
      "7a8b\",\"kind\":\"tell\",\"who\":\"robot/x1@h\",\"whom\""
      ":\"robot/x2@h\",\"what\":\"vcp.escalation\",\"body\":{\""
      "severity\":\"info\",\"reason\":\"hot\",\"requires_ack\":"
      "false,\"context\":\"kettle\"}}",
      "/timestamp\n", PARLEY_E_NONE, "" },
    { PARLEY_PROTO_TOY, PARLEY_PROTO_VCP, TOY_ASK, NULL, "",
      PARLEY_E_TRANSLATION_UNSUPPORTED, "/kind" },
    { PARLEY_PROTO_TOY, PARLEY_PROTO_VCP,
      "{\"toy\":\"1\",\"id\":\"toy-000001\",\"kind\":\"ask\"}", NULL, "",
      PARLEY_E_FIELD_MISSING, "/who" },
    { PARLEY_PROTO_AEE, PARLEY_PROTO_TOY,
      "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","
      "\"type\":\"stream\",\"from\":\"agent.x1\",\"to\":\"human.x2\","
      "\"intent\":\"ops.tea.make\",\"corr\":\"corr-0001\","
      "\"reply_to\":\"task-0000\",\"priority\":\"high\",\"requires\":null,"
      "\"payload\":{\"sequence\":1,\"final\":false}}", NULL, "",
      PARLEY_E_TRANSLATION_UNSUPPORTED, "/type" },
};


static void
test_cases(void **state)
{
    size_t          i;
    parley_str_t    body;
    parley_loss_t   loss;
    parley_arena_t  arena;
    parley_error_t  err;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        body = translated(&arena, cases[i].from, cases[i].in, cases[i].to,
                          &loss, &err);
        if (cases[i].out == NULL) {
            assert_int_equal(err.code, cases[i].code);
            assert_string_equal(err.field, cases[i].field);
            continue;
        }

        parley_assert_str(body, cases[i].out);
        parley_assert_str(parley_test_loss(&arena, &loss), cases[i].loss);
    }

    parley_arena_reset(&arena);
}


/*
 * Translates a message and back, by protocols that can carry unknown members.
 */

static void
test_round(void **state)
{
    size_t          i;
    parley_str_t    body;
    parley_loss_t   loss;
    parley_arena_t  arena;
    parley_error_t  err;

    static const parley_proto_t  protos[] = {
        PARLEY_PROTO_AEE, PARLEY_PROTO_C2A
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(protos) / sizeof(protos[0]); i++) {
        body = translated(&arena, PARLEY_PROTO_TOY, TOY_ASK, protos[i], &loss,
                          &err);

        assert_int_equal(loss.count, 0);
        assert_int_equal(parley_arena_str(&arena, body, &body), 0);

        body = translated(&arena, protos[i], (const char *) body.data,
                          PARLEY_PROTO_TOY, &loss, &err);

        parley_assert_str(body, TOY_ASK);
    }

    parley_arena_reset(&arena);
}


static void
test_refuse(void **state)
{
    parley_reply_t    reply;
    parley_error_t    err;
    parley_arena_t    arena;
    parley_refusal_t  refusal;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&refusal, 0, sizeof(parley_refusal_t));

    (void) parley_error_set(&err, PARLEY_E_RATE_LIMITED, NULL, "too much tea");
    refusal.error = &err;

    assert_int_equal(parley_refuse(&arena, PARLEY_PROTO_TOY, &refusal, &reply),
                     0);
    assert_int_equal(reply.status, 429);
    parley_assert_str(reply.body,
                      "{\"no\":\"rate-limited\",\"why\":\"too much tea\"}");

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("a protocol of one folder is in every list", test_list),
    parley_test("and is translated, with loss and errors", test_cases),
    parley_test("and goes to AEE and back, octet for octet", test_round),
    parley_test("and says a refusal in its own words", test_refuse),
};


PARLEY_TEST_MAIN(tests)
