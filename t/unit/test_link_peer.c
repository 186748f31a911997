/* A connection of an agent over MoQ: peers without a proof or that do not read,
   tokens of requests, tracks of other agents, and proofs that end. */

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


/* MOQ-17: malformed frames, of which a heartbeat between them is not one, wait
   like others for a peer that does not read their answers. */

static void
test_unread_malformed(void **state)
{
    size_t                 i;
    uint64_t               alias;
    parley_str_t           octets;
    parley_link_stream_t  *st;

    (void) state;

    alias = open_session(SIZE_MAX);
    assert_true(alias < 64);

    /* an octet after the frame, twice, and a heartbeat of no session */

    octets = moqt_octets("10 00 00 80"
        "| 00 16 a2a20104 0000000000000005 00000000 00 00000000 78"
        "| 00 16 a2a20104 0000000000000005 00000000 00 00000000 78"
        "| 00 15 a2a20104 0000000000000000 00000000 00 00000000");
    ((uint8_t *) (uintptr_t) octets.data)[1] = (uint8_t) alias;

    for (i = 0, st = NULL; i < 1000; i++) {
        st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
        assert_non_null(st);
        (void) give(st, octets, 1);

        if (parley_link_waits(st)) {
            break;
        }

        parley_link_stream_free(st);
    }

    assert_true(i < 500);
    assert_false(w.closed);

    w.resumed = 0;
    (void) accept_publish("parley.s1.cmd", 1);
    assert_true(w.resumed > 0);

    (void) give(st, parley_str_none, 1);
    assert_false(parley_link_waits(st));
    parley_link_stream_free(st);

    free((void *) (uintptr_t) octets.data);

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


/* MOQ-06: before the proof four data streams are read.  Another one is
   stopped. */

static void
test_streams(void **state)
{
    size_t                 i;
    uint64_t               alias;
    parley_moq_frame_t     f;
    parley_link_stream_t  *st[6];

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    for (i = 0; i < 6; i++) {
        uint64_t      code;
        parley_str_t  none = parley_str_none;

        f = cmd(5, (uint32_t) i, i == 0 ? INIT("s1", "token")
                                        : "{\"action\":\"x\"}");
        st[i] = send_frames(alias, &f, 1);
        assert_int_equal(parley_link_waits(st[i]), i > 0 && i < 4);
        assert_int_equal(parley_link_read(st[i], &none, 1, &code),
                         i < 4 ? 0 : -1);
    }

    /* one that has ended gives its place back */

    parley_link_stream_free(st[0]);
    parley_link_stream_free(st[4]);
    parley_link_stream_free(st[5]);
    st[0] = send_frames(alias, &f, 1);
    assert_true(parley_link_waits(st[0]));

    w.resumed = 0;
    prove(0, "alice", "alice");
    assert_true(w.resumed > 0);
    assert_int_equal(w.nposts, 0);

    for (i = 0; i < 4; i++) {
        assert_int_equal(give(st[i], parley_str_none, 1), 0);
        assert_int_equal(w.nposts, i + 1);
    }

    /* then there is no such limit */

    for (i = 0; i < 6; i++) {
        send_cmd(alias, 5, 10 + (uint32_t) i, "{\"action\":\"x\"}");
    }

    assert_int_equal(w.nposts, 10);

    end();
}


/* MOQ-06, MOQ-16: octets of streams before the proof, and requests that are not
   whole. */

static void
test_early(void **state)
{
    size_t                 i;
    uint64_t               alias, code;
    parley_str_t           octets, in;
    static char            text[60000];
    parley_moq_frame_t     f, list[40];
    parley_link_stream_t  *st, *chunks;
    static stream_t        out[5];

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    /* a long object waits in its stream */

    memset(text, 'x', sizeof(text) - 1);
    f = cmd(5, 2, text);
    octets = frames(alias, &f, 1);
    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);

    for (in = octets; !parley_link_waits(st); /* void */ ) {
        parley_str_t  part = parley_str_make(in.data, 1000);

        assert_int_equal(parley_link_read(st, &part, 0, &code), 0);
        in = parley_str_from(in, 1000 - part.len);
        assert_true(octets.len - in.len < 34000);
    }

    assert_true(octets.len - in.len > 32000);

    /* so do many chunks */

    for (i = 0; i < 40; i++) {
        list[i] = cmd(5, 3, "");
        list[i].payload = parley_str_make(text, 1400);
        list[i].flags = PARLEY_MOQ_FRAGMENTED;
    }

    chunks = send_frames(alias, list, 40);
    assert_true(parley_link_waits(chunks));

    send_cmd(alias, 5, 1, INIT("s1", "token"));
    assert_int_equal(w.nproofs, 1);
    prove(0, "alice", "alice");

    assert_int_equal(give(st, in, 1), 0);
    assert_false(parley_link_waits(st));
    assert_int_equal(w.nposts, 1);
    assert_int_equal(w.posts[0]->body.len, sizeof(text) - 1);
    assert_int_equal(give(chunks, parley_str_none, 1), 0);
    assert_false(parley_link_waits(chunks));

    free((void *) (uintptr_t) octets.data);
    parley_link_stream_free(st);
    parley_link_stream_free(chunks);
    end();

    /* refusals that the peer does not read */

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    for (i = 0; i < 200; i++) {
        send_cmd(alias, 6, 1, "{\"action\":\"x\",\"session_id\":\"s1\"}");
    }

    (void) accept_publish("parley.s1.cmd", 1);
    assert_true(w.nobjects > 5 && w.nobjects < 40);
    end();

    /* requests */

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    for (i = 0; i < 5; i++) {
        memset(&out[i], 0, sizeof(out[i]));
        out[i].room = SIZE_MAX;
        out[i].open = 1;

        assert_false(w.closed);
        st = parley_link_stream(w.link, PARLEY_LINK_REQUEST, &out[i]);
        octets = moqt_octets("11 ffff");
        (void) give(st, octets, 0);
        free((void *) (uintptr_t) octets.data);
    }

    assert_true(w.closed);
    assert_int_equal(w.code, PARLEY_MOQT_UNAUTHORIZED);
    end();
}


/* Sends a request with a token. */

static void
ask(uint64_t type, uint64_t existing, const char *token, uint64_t token_type)
{
    static uint64_t             alias = 5000;
    parley_arena_t              arena;
    parley_moqt_token_t         t;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    memset(&m, 0, sizeof(m));
    memset(&t, 0, sizeof(t));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    m.type = type;
    m.existing = existing;

    if (type != PARLEY_MOQT_REQUEST_UPDATE) {
        assert_int_equal(parley_moqt_namespace_add(&m.space,
                                                   PARLEY_STR("a2a")), 0);
        assert_int_equal(parley_moqt_namespace_add(&m.space,
                             type == PARLEY_MOQT_SUBSCRIBE
                             ? PARLEY_STR("parley") : PARLEY_STR("alice")),
                         0);
        m.name = type == PARLEY_MOQT_SUBSCRIBE
                 ? PARLEY_STR("parley.s1.cmd") : PARLEY_STR("alice.7.cmd");
        m.alias = ++alias;
        m.fetch = PARLEY_MOQT_FETCH_STANDALONE;
        m.end.group = 1;
    }

    t.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
    t.type = token_type;
    t.value = parley_str_c(token);

    parley_moqt_pairs_writer_init(&p, draft, &arena);
    parley_moqt_pairs_put_token(&p, PARLEY_MOQT_PARAM_TOKEN, &t);
    assert_int_equal(parley_moqt_pairs_done(&p, &m.params), 0);

    control(&m);
    parley_arena_reset(&arena);
}


/* MOQ-06, MOQ-13: the token of a request is one that is proved. */

static void
test_tokens(void **state)
{
    size_t    i;
    uint64_t  request;

    static const uint64_t  types[] = {
        PARLEY_MOQT_PUBLISH, PARLEY_MOQT_FETCH, PARLEY_MOQT_TRACK_STATUS,
        PARLEY_MOQT_PUBLISH_NAMESPACE, PARLEY_MOQT_SUBSCRIBE
    };

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    for (i = 0; i < 5; i++) {
        ask(types[i], 0, "token", 0);
        assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
        assert_int_equal(w.got[w.ngot - 1].code,
                         PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    }

    end();

    (void) open_session(SIZE_MAX);
    w.types[w.ngot - 1] = 0;        /* PUBLISH of its answers */

    for (i = 0; i < 5; i++) {
        ask(types[i], 0, "tokeN", 0);
        assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
        assert_int_equal(w.got[w.ngot - 1].code,
                         PARLEY_MOQT_REFUSE_UNAUTHORIZED);

        ask(types[i], 0, "token", 1);
        assert_int_equal(w.got[w.ngot - 1].code,
                         PARLEY_MOQT_REFUSE_MALFORMED_AUTH_TOKEN);
    }

    ask(PARLEY_MOQT_PUBLISH, 0, "token", 0);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_OK);
    ask(PARLEY_MOQT_SUBSCRIBE, 0, "token", 0);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_SUBSCRIBE_OK);
    request = w.got[w.ngot - 1].request;

    ask(PARLEY_MOQT_REQUEST_UPDATE, request, "token", 0);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_OK);

    /* an update that is refused ends its subscription */

    ask(PARLEY_MOQT_REQUEST_UPDATE, request, "other", 0);
    assert_int_equal(w.types[w.ngot - 2], PARLEY_MOQT_REQUEST_ERROR);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_DONE);
    assert_int_equal(w.got[w.ngot - 1].code, PARLEY_MOQT_DONE_UPDATE_FAILED);
    assert_int_equal(parley_link_sessions(w.link), 1);
    assert_false(w.closed);

    end();
}


/* MOQ-06: a command that comes before its session is refused on the track of
   its answers, which goes on. */

static void
test_early_command(void **state)
{
    size_t                 i;
    uint64_t               alias;
    parley_moqt_message_t  m;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_SUBSCRIBE;
    m.name = PARLEY_STR("parley.s1.cmd");
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("parley")), 0);
    control(&m);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_SUBSCRIBE_OK);

    send_cmd(alias, 5, 1, "{\"action\":\"x\",\"session_id\":\"s1\"}");
    assert_int_equal(texts("\"error_code\":401"), 1);

    send_cmd(alias, 5, 2, INIT("s1", "token"));
    send_cmd(alias, 6, 3, "{\"action\":\"x\",\"session_id\":\"s1\"}");
    assert_int_equal(texts("\"error_code\":401"), 2);

    prove(0, "alice", "alice");
    assert_int_equal(texts("\"approved\""), 1);

    for (i = 0; i < w.ngot; i++) {
        assert_int_not_equal(w.types[i], PARLEY_MOQT_PUBLISH_DONE);
        assert_string_not_equal(w.names[i], "parley.s1.cmd");
    }

    end();
}


/* MOQ-05: session_ack answers a session_init, and no proof of the gateway's
   own. */

static void
test_acks(void **state)
{
    uint64_t  alias;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    send_cmd(alias, 6, 1, INIT("s2", "token2"));
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s2.cmd", 1);
    assert_int_equal(texts("session_ack"), 2);

    /* the first one had the mailbox */

    send_cmd(alias, 5, 2, "{\"action\":\"session_bye\","
                          "\"session_id\":\"s1\"}");
    assert_int_equal(w.nproofs, 3);
    assert_string_equal(w.tokens[2], "token2");
    prove(0, "alice", "alice");
    assert_int_equal(texts("session_ack"), 2);

    send_cmd(alias, 6, 3, INIT("s2", "token3"));
    prove(0, "alice", "alice");
    assert_int_equal(texts("session_ack"), 3);
    assert_int_equal(w.objects[w.nobjects - 1].frame.stream, 3);

    end();
}


/* MOQ-12: a track that is malformed ends, and the connection goes on. */

static void
test_malformed(void **state)
{
    size_t                 n;
    uint64_t               alias, other;
    parley_str_t           octets;
    parley_link_stream_t  *st;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    other = publish("alice", "alice.1.cmd");

    /* Prior Group ID Gap 5 in group 0 */

    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    octets = moqt_octets("11 00 00 80 | 00 02 3c 05 01 \"x\"");
    ((uint8_t *) (uintptr_t) octets.data)[1] = (uint8_t) alias;
    assert_true(alias < 64);
    assert_int_equal(give(st, octets, 0), -1);
    free((void *) (uintptr_t) octets.data);
    parley_link_stream_free(st);
    look();

    assert_false(w.closed);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_UNSUBSCRIBE);

    send_cmd(other, 5, 2, "{\"action\":\"x\"}");
    assert_int_equal(w.nposts, 1);

    /* an object after the end of its group */

    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    octets = moqt_octets("10 00 00 80 | 00 00 03 | 00 00 03");
    ((uint8_t *) (uintptr_t) octets.data)[1] = (uint8_t) other;
    n = w.ngot;
    assert_int_equal(give(st, parley_str_make(octets.data, 7), 0), 0);
    look();
    assert_int_equal(w.ngot, n);
    assert_int_equal(give(st, parley_str_from(octets, 7), 0), -1);
    free((void *) (uintptr_t) octets.data);
    parley_link_stream_free(st);
    look();

    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_UNSUBSCRIBE);
    assert_false(w.closed);

    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_withdrawn),
        cmocka_unit_test(test_unread),
        cmocka_unit_test(test_unread_malformed),
        cmocka_unit_test(test_foreign_track),
        cmocka_unit_test(test_listener),
        cmocka_unit_test(test_certificate),
        cmocka_unit_test(test_locations),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_early_command),
        cmocka_unit_test(test_acks),
        cmocka_unit_test(test_malformed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
