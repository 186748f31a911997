/*
 * Any protocol's message, carried in AEE and given back: payload members with
 * the names that carrying uses, envelope members, failures.  The messages are
 * made by hand, without their codecs.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_embed.h"


#define MID  "019502a4-7e5c-7000-8000-000000000001"


static const struct {
    parley_proto_t  origin;
    const char     *form;
    parley_act_t    act;
    const char     *payload;
    const char     *members;    /* an object */
    const char     *aee;        /* the payload that carries it, without the
                                   references */
} rows[] = {
    { PARLEY_PROTO_CHANNEL, "agent_query", PARLEY_ACT_REQUEST,
      "{\"query_id\":\"q\",\"n\":1.50}",
      "{\"scope\":\"~a/*\",\"ttl_ms\":5000}",
      "{\"query_id\":\"q\",\"n\":1.50,"
      "\"channel\":{\"scope\":\"~a/*\",\"ttl_ms\":5000}}" },
    { PARLEY_PROTO_CHANNEL, "agent_advisory", PARLEY_ACT_EVENT, "{}", "{}",
      "{}" },
    { PARLEY_PROTO_MOQ, "start", PARLEY_ACT_REQUEST,
      "{\"references\":[{\"id\":\"own\",\"type\":\"t\"}],\"moq\":3}", "{}",
      "{\"moq\":{\"payload\":{\"references\":[{\"id\":\"own\","
      "\"type\":\"t\"}],\"moq\":3}}}" },
    { PARLEY_PROTO_C2A, "chat.deliver", PARLEY_ACT_EVENT,
      "{\"references\":\"text\",\"a\":{},\"code\":1}",
      "{\"attention\":{\"policy\":\"x\"}}",
      "{\"a\":{},\"code\":1,\"c2a\":{\"attention\":{\"policy\":\"x\"},"
      "\"payload\":{\"references\":\"text\"}}}" },
    { PARLEY_PROTO_C2A, "chat.react", PARLEY_ACT_FAILURE,
      "{\"reaction\":\"blocked\"}", "{}",
      "{\"reaction\":\"blocked\",\"code\":\"E_BLOCKED\","
      "\"message\":\"wait \\\"here\\\"\",\"retryable\":true}" },
    { PARLEY_PROTO_C2A, "chat.react", PARLEY_ACT_FAILURE,
      "{\"code\":5,\"x\":1,\"message\":null,\"retryable\":\"no\"}", "{}",
      "{\"x\":1,\"code\":\"E_BLOCKED\",\"message\":\"wait \\\"here\\\"\","
      "\"retryable\":true,\"c2a\":{\"payload\":{\"code\":5,\"message\":null,"
      "\"retryable\":\"no\"}}}" },
    { PARLEY_PROTO_CHANNEL, "agent_response", PARLEY_ACT_REPLY,
      "{\"refs\":[]}", "{\"x\":null,\"references\":1,\"channel\":2}",
      "{\"refs\":[],\"channel\":{\"x\":null,\"references\":1,"
      "\"channel\":2}}" },
};


static void
members(parley_arena_t *arena, parley_msg_t *m, const parley_json_t *doc)
{
    uint32_t  k;

    m->members = parley_arena_alloc(arena, 8 * sizeof(parley_member_t));
    assert_non_null(m->members);

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        m->members[m->nmembers].value.doc = doc;
        m->members[m->nmembers].value.node = k + 1;
        assert_int_equal(parley_json_string(doc, k,
                                            &m->members[m->nmembers].name),
                         0);
        m->nmembers++;
    }
}


static void
test_rows(void **state)
{
    char                   intent[64];
    size_t                 i;
    uint32_t               k, applied;
    parley_buf_t           b;
    parley_msg_t           m;
    parley_str_t           body;
    parley_json_t          payload, env;
    parley_edit_t          edit;
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       made;
    parley_encode_opts_t   opts;
    parley_test_message_t  aee;

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_loss_init(&loss, &arena);

        assert_int_equal(parley_json_read(&payload, &arena, NULL, 0,
                                          parley_str_c(rows[i].payload),
                                          &err), 0);
        assert_int_equal(parley_json_read(&env, &arena, NULL, 0,
                                          parley_str_c(rows[i].members),
                                          &err), 0);

        snprintf(intent, sizeof(intent), "%s.%s",
                 (const char *) parley_embed_word(rows[i].origin).data,
                 rows[i].form);

        parley_msg_init(&m, PARLEY_PROTO_VCP, &payload);
        m.origin = rows[i].origin;
        m.form = parley_str_c(rows[i].form);
        m.act = rows[i].act;
        m.id = PARLEY_STR(MID);
        m.created = PARLEY_STR("2026-02-15T10:33:00Z");
        m.sender = PARLEY_STR("a");
        m.recipient = PARLEY_STR("b");
        m.intent = parley_str_c(intent);
        m.reply_to = PARLEY_STR("short");
        m.code = PARLEY_STR("E_BLOCKED");
        m.text = PARLEY_STR("wait \"here\"");
        m.retryable = 1;
        m.data.doc = &payload;
        m.data.node = 0;
        members(&arena, &m, &env);

        if (parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_AEE, &m,
                          &opts, &made, &loss, &err)
            != 0)
        {
            fail_msg("%s %s", err.field, err.text);
        }

        assert_int_equal(loss.count, 0);

        if (parley_test_read(&arena, PARLEY_PROTO_AEE, made.body, 0, &aee,
                             &err)
            != 0)
        {
            fail_msg("%s %s", err.field, err.text);
        }

        /* the payload, as in parley_embed.h */

        edit.pointer = PARLEY_STR("/payload/references");
        edit.value = parley_str_none;

        assert_int_equal(parley_edit(&arena, &aee.doc, &edit, 1, &body,
                                     &applied, &err), 0);
        assert_int_equal(applied, 1);
        assert_int_equal(parley_json_read(&env, &arena, NULL, 0, body, &err),
                         0);
        k = parley_json_get(&env, 0, PARLEY_STR("payload"));
        parley_test_assert_json(&arena, parley_json_raw(&env, k),
                                parley_str_c(rows[i].aee));

        /* and back */

        assert_true(aee.msg.carried);
        assert_int_equal(aee.msg.origin, rows[i].origin);
        assert_int_equal(aee.msg.act, rows[i].act);
        parley_assert_str(aee.msg.form, rows[i].form);
        assert_int_equal(aee.msg.nmembers, m.nmembers);

        for (k = 0; k < m.nmembers; k++) {
            assert_true(parley_str_eq(m.members[k].name,
                                      aee.msg.members[k].name));
        }

        /* an id that is too short for AEE has a derived id, always the same */

        parley_assert_str(aee.msg.reply_to,
                          "e2b9e738-229b-83e4-b3c4-958bfe31136a");

        parley_buf_init(&b, &arena, 0);
        parley_embed_payload(&b, &aee.msg, PARLEY_ATOM_NONE);
        assert_int_equal(parley_buf_done(&b, &body), 0);
        parley_test_assert_json(&arena, body, parley_str_c(rows[i].payload));

        parley_arena_reset(&arena);
    }
}


static void
test_intent(void **state)
{
    size_t        i;
    parley_str_t  form;

    static const struct {
        const char     *intent;
        parley_proto_t  proto;
        const char     *form;
    } intents[] = {
        { "vcp.escalation", PARLEY_PROTO_VCP, "escalation" },
        { "c2a.chat.deliver", PARLEY_PROTO_C2A, "chat.deliver" },
        { "moq.cmd.x", PARLEY_PROTO_MOQ, "x" },
        { "moq.cmd.x.y", PARLEY_PROTO_MOQ, "x.y" },
        { "moq.cmd.", PARLEY_PROTO_NONE, "" },
        { "moq.cmd", PARLEY_PROTO_NONE, "" },
        { "moq.cmdx.y", PARLEY_PROTO_NONE, "" },
        { "moq.x", PARLEY_PROTO_NONE, "" },
        { "channel.a", PARLEY_PROTO_CHANNEL, "a" },
        { "aee.x", PARLEY_PROTO_NONE, "" },
        { "vcp", PARLEY_PROTO_NONE, "" },
        { "vcp.", PARLEY_PROTO_NONE, "" },
        { ".x", PARLEY_PROTO_NONE, "" },
        { "", PARLEY_PROTO_NONE, "" },
        { "vcpx.escalation", PARLEY_PROTO_NONE, "" },
    };

    (void) state;

    for (i = 0; i < sizeof(intents) / sizeof(intents[0]); i++) {
        assert_int_equal(parley_embed_intent(parley_str_c(intents[i].intent),
                                             &form), intents[i].proto);

        if (intents[i].proto != PARLEY_PROTO_NONE) {
            parley_assert_str(form, intents[i].form);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-06 AEE-30 a message is carried and given back",
                test_rows),
    parley_test("GW-06 intents of other protocols", test_intent),
};


PARLEY_TEST_MAIN(tests)
