/* A connection of an agent over MoQ: peers that do not read, tracks of other
   agents, and proofs that end. */

#include "t/unit/parley_test_link.h"


/* A namespace that is withdrawn before the peer permits SUBSCRIBE. */

static void
test_withdrawn(void **state)
{
    parley_moqt_message_t  m;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 0);

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE;
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("alice")),
                     0);
    control(&m);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_OK);

    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE_DONE;
    control(&m);

    w.client.closed = 4;
    m.type = PARLEY_MOQT_MAX_REQUEST_ID;
    m.maximum = 8;
    control(&m);

    assert_false(w.closed);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_OK);

    end();
}


/* Answers that the peer does not read: its frames wait, and go on when it
   reads. */

static void
test_unread(void **state)
{
    size_t                 i;
    char                   json[128];
    uint64_t               alias;
    parley_str_t           none;
    parley_moq_frame_t     f, list[500];
    parley_link_stream_t  *st;

    (void) state;

    alias = open_session(SIZE_MAX);

    for (i = 0; i < 500; i++) {
        list[i] = cmd(5, (uint32_t) i, "{\"action\":\"session_ack\"}");
    }

    st = send_frames(alias, list, 500);
    assert_true(parley_link_waits(st));

    w.resumed = 0;
    (void) accept_publish("parley.s1.cmd", 1);
    assert_true(w.resumed > 0);

    none = parley_str_none;
    (void) give(st, none, 1);
    assert_false(parley_link_waits(st));
    parley_link_stream_free(st);

    /* refusals make few tracks */

    for (i = 0; i < 50; i++) {
        (void) snprintf(json, sizeof(json), "{\"action\":\"session_init\","
                        "\"session_id\":\"f%zu\"}", i);
        f = cmd(0, 1, json);
        w.ngot = 0;
        parley_link_stream_free(send_frames(alias, &f, 1));
    }

    assert_true(parley_link_tracks(w.link) <= 20);
    assert_false(w.closed);

    end();
}


/* A track that was published for another agent before the proof. */

static void
test_foreign_track(void **state)
{
    uint64_t  alice, bob;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alice = publish("alice", "alice.0.cmd");
    bob = publish("bob", "bob.0.cmd");

    send_cmd(alice, 5, 1, INIT("s1", "token"));
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s1.cmd", 1);

    send_cmd(bob, 5, 2, "{\"action\":\"x\"}");
    assert_int_equal(w.nposts, 0);
    assert_int_equal(texts("sender-identity-mismatch"), 1);

    send_cmd(bob, 5, 3, "[]");
    assert_int_equal(w.nposts, 0);

    send_cmd(bob, 5, 4, INIT("s1", "token"));
    assert_int_equal(w.nproofs, 1);

    end();
}


/* A mailbox passes to another session when its proof ends. */

static void
test_listener(void **state)
{
    uint64_t  alias;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", "setup-token", 100);
    prove(0, "alice", "alice");
    alias = publish("alice", "alice.0.cmd");

    send_cmd(alias, 5, 1, INIT("s1", "token"));
    assert_false(w.proofs[1].listens);
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s1.cmd", 1);

    parley_link_expired(w.link, NULL, 401, PARLEY_STR("expired"));
    assert_int_equal(w.nproofs, 3);
    assert_true(w.proofs[2].listens);
    assert_string_equal(w.tokens[2], "token");

    /* the token that the session uses is refused */

    prove(401, "", "");
    assert_int_equal(parley_link_sessions(w.link), 0);
    assert_int_equal(texts("session_bye"), 1);
    assert_int_equal(w.nproofs, 3);

    end();
}


/* A session that a certificate has opened keeps it if a token is refused. */

static void
test_certificate(void **state)
{
    uint64_t  alias;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    send_cmd(alias, 5, 1, "{\"action\":\"session_init\","
                          "\"session_id\":\"s1\"}");
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s1.cmd", 1);

    send_cmd(alias, 5, 2, INIT("s1", "bad"));
    prove(401, "", "");
    assert_int_equal(parley_link_sessions(w.link), 1);

    send_cmd(alias, 5, 3, "{\"action\":\"x\"}");
    assert_int_equal(w.nposts, 1);
    assert_int_equal(w.posts[0]->token.len, 0);

    end();
}


/* Answers of two sessions with one name have different locations; answers after
   the range of a subscription stay. */

static void
test_locations(void **state)
{
    uint64_t  alias;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    assert_int_equal(w.objects[0].group, 0);

    send_cmd(alias, 5, 2, "{\"action\":\"session_bye\","
                          "\"session_id\":\"s1\"}");
    send_cmd(alias, 5, 3, INIT("s1", "token"));
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s1.cmd", 1);

    assert_int_equal(w.nobjects, 2);
    assert_int_equal(w.objects[1].group, 1);
    assert_int_equal(w.objects[1].id, 0);

    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_withdrawn),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_foreign_track),
        cmocka_unit_test(test_listener),
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_locations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
