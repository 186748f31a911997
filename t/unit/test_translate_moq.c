/*
 * Commands of Agent Protocol over MoQ that t/cases does not show: data of the
 * session, members that are removed, and an AEE message through a command and
 * back.
 */

#include "t/unit/parley_test_case.h"

#include "core/parley_id.h"


#define SESSION  "abc-123-def-456"
#define CMD(rest)                                                             \
    "{\"action\":\"render\",\"session_id\":\"" SESSION "\"" rest "}"

#define AID   "019502a4-7e5c-7000-8000-000000000001"


static void
opts_init(parley_encode_opts_t *opts)
{
    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
}


static void
submit(parley_arena_t *arena, parley_msg_t *msg, const char *sender,
    const char *session, uint32_t stream)
{
    parley_error_t       err;
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(submission));

    submission.sender = parley_str_c(sender);
    submission.recipient = PARLEY_STR("agent.b");
    submission.session = parley_str_c(session);
    submission.stream = stream;
    submission.ms = PARLEY_TEST_NOW;

    assert_int_equal(parley_submit(arena, msg, &submission, &err), 0);
}


static void
test_submit(void **state)
{
    size_t                  i, k;
    parley_str_t            ids[8];
    parley_arena_t          arena;
    parley_error_t          err;
    parley_test_message_t   m;

    /* equal only if everything is */

    static const struct {
        const char  *text;
        const char  *sender;
        const char  *session;
        uint32_t     stream;
    } rows[] = {
        { CMD(""), "agent.a", "00000000000000a1", 1 },
        { CMD(""), "agent.a", "00000000000000a1", 2 },
        { CMD(""), "agent.a", "00000000000000a2", 1 },
        { CMD(""), "agent.c", "00000000000000a1", 1 },
        { CMD(""), "agent.a", "", 1 },
        { CMD(",\"payload\":1"), "agent.a", "00000000000000a1", 1 },
        { "{\"action\":\"render\"}", "agent.a", "00000000000000a1", 1 },
        { "{\"action\":\"render\",\"session_id\":\"x\"}", "agent.a",
          "00000000000000a1", 1 },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < 8; i++) {
        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ,
                                          parley_str_c(rows[i].text), 0, &m,
                                          &err), 0);
        submit(&arena, &m.msg, rows[i].sender, rows[i].session,
               rows[i].stream);

        ids[i] = m.msg.id;
        assert_true(parley_uuid_is(ids[i], 8));
        parley_assert_str(m.msg.sender, rows[i].sender);
        parley_assert_str(m.msg.recipient, "agent.b");
        assert_true(m.msg.created_ms == PARLEY_TEST_NOW);
        assert_int_equal(m.msg.created.len, 0);

        for (k = 0; k < i; k++) {
            assert_false(parley_str_eq(ids[i], ids[k]));
        }
    }

    /* order, white space and credential are not part of the command */

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ, PARLEY_STR(
                         " { \"auth_token\":\"x\", \"session_id\":\"" SESSION
                         "\",\"action\":\"r\\u0065nder\" } "), 0, &m, &err),
                     0);
    submit(&arena, &m.msg, "agent.a", "00000000000000a1", 1);
    assert_true(parley_str_eq(m.msg.id, ids[0]));

    /* the session is only in the frame */

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ, PARLEY_STR(
                         "{\"action\":\"x\",\"status\":\"approved\"}"), 0, &m,
                         &err), 0);
    submit(&arena, &m.msg, "agent.a", "00000000000000a1", 1);
    parley_assert_str(m.msg.corr, "00000000000000a1");
    parley_assert_str(m.msg.reply_to, "00000000000000a1");

    parley_arena_reset(&arena);
}


static void
test_partners(void **state)
{
    unsigned                p;
    const char             *text;
    parley_loss_t           loss;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_encoded_t        made;
    parley_encode_opts_t    opts;
    parley_test_message_t   m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    opts_init(&opts);
    parley_loss_init(&loss, &arena);

    for (p = PARLEY_PROTO_VCP; p < PARLEY_PROTO_MOQ; p++) {

        if (parley_codecs[p] == NULL) {
            continue;
        }

        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ,
                                          PARLEY_STR(CMD("")), 0, &m, &err),
                         0);
        submit(&arena, &m.msg, "agent.a", "", 0);

        assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                       (parley_proto_t) p, &m.msg, &opts,
                                       &made, &loss, &err), -1);
        assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);
        assert_string_equal(err.field, "/action");
    }

    text = "{\"vcp_message\":\"1.2\",\"type\":\"context_share\","
           "\"message_id\":\"" AID "\",\"sender\":\"a\",\"recipient\":\"b\","
           "\"timestamp\":\"2026-02-15T10:33:00Z\",\"payload\":{\"context\":"
           "\"c\",\"constitution_ref\":\"creed://a/b\"}}";

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_VCP,
                                      parley_str_c(text), 0, &m, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_MOQ, &m.msg, &opts, &made,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);
    assert_string_equal(err.field, "/type");

    parley_arena_reset(&arena);
}


/*
 * MoQ on both sides: the octets are unchanged, without the gateway's members.
 */

static void
test_same(void **state)
{
    parley_loss_t           loss;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_encoded_t        made;
    parley_encode_opts_t    opts;
    parley_test_message_t   m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    opts_init(&opts);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ,
                                      PARLEY_STR(CMD(" ")), 0, &m, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_MOQ, &m.msg, &opts, &made,
                                   &loss, &err), 0);
    assert_true(made.copied);
    parley_assert_str(made.body, CMD(" "));
    assert_int_equal(loss.count, 0);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ, PARLEY_STR(
                         CMD(",\"auth_token\":\"eyJ.secret\"")), 0, &m, &err),
                     0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_MOQ, &m.msg, &opts, &made,
                                   &loss, &err), 0);
    assert_false(made.copied);
    parley_assert_str(made.body, CMD(""));
    assert_int_equal(loss.count, 1);
    parley_assert_str(loss.items[0], "/auth_token");

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_MOQ, PARLEY_STR(
                         "{\"action\":\"session_bye\",\"session_id\":\"s\"}"),
                         0, &m, &err), 0);
    assert_true(m.msg.local);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_MOQ, &m.msg, &opts, &made,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);
    assert_string_equal(err.field, "/action");

    parley_arena_reset(&arena);
}


static void
test_detect(void **state)
{
    size_t          i;
    parley_json_t   doc;
    parley_arena_t  arena;
    parley_error_t  err;

    static const struct {
        const char      *text;
        parley_proto_t   proto;
    } rows[] = {
        { CMD(""), PARLEY_PROTO_MOQ },
        { "{\"action\":7}", PARLEY_PROTO_MOQ },
        { "{\"session_id\":\"s\",\"auth_token\":\"t\"}", PARLEY_PROTO_MOQ },
        { "{\"session_id\":\"s\"}", PARLEY_PROTO_NONE },
        { "{\"status\":\"s\",\"x\":{}}", PARLEY_PROTO_NONE },
        { "[\"action\"]", PARLEY_PROTO_NONE },
        { "{\"v\":\"1\",\"id\":1,\"ts\":2,\"action\":\"x\","
          "\"session_id\":3}", PARLEY_PROTO_AEE },
        { "{\"vcp_message\":\"1.2\",\"action\":\"x\",\"payload\":{}}",
          PARLEY_PROTO_VCP },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                          parley_str_c(rows[i].text), &err),
                         0);
        assert_int_equal(parley_detect(&doc,
                                       PARLEY_PROTO_BIT(PARLEY_PROTO_AEE)
                                       | PARLEY_PROTO_BIT(PARLEY_PROTO_VCP)
                                       | PARLEY_PROTO_BIT(PARLEY_PROTO_MOQ)),
                         rows[i].proto);
    }

    parley_arena_reset(&arena);
}


/* Every valid AEE message of t/cases/aee as a command, and back. */

static void
test_way_back(void **state)
{
    parley_str_t            in;
    parley_loss_t           loss;
    parley_arena_t          arena;
    parley_error_t          err;
    parley_encoded_t        made, again;
    parley_encode_opts_t    opts;
    parley_test_case_t     *c = *state;
    parley_test_message_t   m, cmd;

    in = parley_test_case_file(c, "in.json");
    opts_init(&opts);
    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);

    if (parley_test_read(&arena, PARLEY_PROTO_AEE, in, 0, &m, &err) == 0
        && parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_MOQ,
                         &m.msg, &opts, &made, &loss, &err)
           == 0)
    {
        if (parley_test_read(&arena, PARLEY_PROTO_MOQ, made.body, 0, &cmd,
                             &err)
            != 0
            || parley_encode(parley_test_engine(), &arena, PARLEY_PROTO_AEE,
                             &cmd.msg, &opts, &again, &loss, &err)
               != 0)
        {
            fail_msg("%s %s", err.field, err.text);
        }

        assert_int_equal(loss.count, 0);

        assert_int_equal(parley_encode_id(parley_test_engine(), &arena,
                                          PARLEY_PROTO_MOQ, &m.msg, &made,
                                          &err), 0);
        assert_true(parley_str_eq(made.id, cmd.msg.id));

        if (m.msg.sig.present || parley_json_get(&m.doc, 0, PARLEY_STR("sig"))
                                 != PARLEY_JSON_NONE)
        {
            parley_arena_reset(&arena);
            return;
        }

        parley_test_assert_json(&arena, again.body, in);
    }

    parley_arena_reset(&arena);
}


static parley_test_cases_t  cases;


static void
add(const char *name, CMUnitTestFunction function, const void *state)
{
    assert_true(cases.n < PARLEY_TEST_CASES_MAX);

    cases.tests[cases.n].name = name;
    cases.tests[cases.n].test_func = function;
    cases.tests[cases.n].initial_state = (void *) state;
    cases.n++;
}


int
main(void)
{
    size_t  i;

    parley_test_cases_add(&cases, "aee", test_way_back);

    for (i = 0; i < cases.n; i++) {
        free((void *) cases.tests[i].name);
        cases.tests[i].name = "GW-06 the way through a command and back";
    }

    add("MOQ-02 GW-06 a command's id is of its session and stream",
        test_submit, NULL);
    add("GW-06 commands are translated to and from AEE only", test_partners,
        NULL);
    add("MOQ-02 session commands and credentials go no further", test_same,
        NULL);
    add("MOQ-02 a command is told by its action", test_detect, NULL);

    return parley_test_cases_run(&cases);
}
