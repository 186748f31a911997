/*
 * Commands of Agent Protocol over MoQ that t/cases does not show: data of the
 * session, members that are removed, and an AEE message through a command and
 * back.
 */

#include "t/unit/parley_test_case.h"

#include "core/parley_id.h"
#include "translate/parley_embed.h"


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


/* Checks the message of a third protocol that a command carries. */

static void
same_origin(parley_arena_t *arena, const parley_test_message_t *m,
    const parley_test_message_t *cmd, parley_str_t body)
{
    unsigned                i;
    parley_buf_t            b;
    parley_str_t            payload[3];
    parley_error_t          err;
    parley_test_message_t   again;
    const parley_msg_t     *msgs[3] = { &m->msg, &cmd->msg, &again.msg };

    assert_int_equal(parley_test_read(arena, PARLEY_PROTO_AEE, body, 0, &again,
                                      &err), 0);

    for (i = 0; i < 3; i++) {
        parley_buf_init(&b, arena, 0);
        parley_embed_payload(&b, msgs[i], PARLEY_ATOM_NONE);
        assert_int_equal(parley_buf_done(&b, &payload[i]), 0);

        assert_int_equal(msgs[i]->origin, m->msg.origin);
        assert_int_equal(msgs[i]->act, m->msg.act);
        assert_int_equal(msgs[i]->priority, m->msg.priority);
        assert_int_equal(msgs[i]->nmembers, m->msg.nmembers);
        assert_true(parley_str_eq(msgs[i]->intent, m->msg.intent));
        assert_true(parley_str_eq(msgs[i]->form, m->msg.form));
        parley_test_assert_json(arena, payload[i], payload[0]);
    }

    assert_true(parley_str_eq(again.msg.id, m->msg.id));
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

        /* a message of a third protocol is that message again */

        if (m.msg.origin != PARLEY_PROTO_AEE) {
            same_origin(&arena, &m, &cmd, again.body);
            parley_arena_reset(&arena);
            return;
        }

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
    add("MOQ-02 session commands and credentials go no further", test_same,
        NULL);
    add("MOQ-02 a command is told by its action", test_detect, NULL);

    return parley_test_cases_run(&cases);
}
