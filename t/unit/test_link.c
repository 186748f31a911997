/* A connection of an agent over MoQ: its sessions and commands. */

#include "t/unit/parley_test_link.h"


static void
test_session(void **state)
{
    size_t                i, split[] = { SIZE_MAX, 1, 7 };
    uint64_t              alias, answers;
    parley_link_post_t   *post;

    (void) state;

    for (i = 0; i < 3; i++) {
        alias = open_session(split[i]);

        answers = accept_publish("parley.s1.cmd", 1);

        assert_int_equal(w.nobjects, 1);
        assert_int_equal(w.objects[0].alias, answers);
        assert_int_equal(w.objects[0].frame.session, 5);
        assert_string_equal(w.objects[0].text,
                            "{\"action\":\"session_ack\",\"session_id\":\"s1\","
                            "\"status\":\"approved\",\"payload\":{\"mailbox\":"
                            "\"alice.000000000abc.mailbox\"}}");

        send_cmd(alias, 5, 2, "{\"action\":\"build\",\"session_id\":\"d1\"}");

        assert_int_equal(w.nposts, 1);
        post = w.posts[0];

        assert_true(parley_str_is(post->token, "token"));
        assert_true(parley_str_is(post->recipient, "agent.service"));
        assert_true(parley_str_is(post->dialogue, "d1"));
        assert_int_equal(post->id, 5);
        assert_int_equal(post->stream, 2);

        parley_link_answered(w.link, post, 200,
                             PARLEY_STR("{\"action\":\"build\",\"status\":"
                                        "\"approved\"}"));
        look();

        assert_int_equal(w.nobjects, 2);
        assert_int_equal(w.objects[1].id, 65536);
        assert_int_equal(w.objects[1].frame.stream, 2);
        assert_string_equal(w.objects[1].text,
                            "{\"action\":\"build\",\"status\":\"approved\"}");

        /* an answer without a command, as a page of nginx */

        send_cmd(alias, 5, 3, "{\"action\":\"build\"}");
        parley_link_answered(w.link, w.posts[1], 403, PARLEY_STR("<html>"));
        look();

        assert_string_equal(w.objects[2].text,
                            "{\"action\":\"build\",\"session_id\":\"s1\","
                            "\"status\":\"denied\",\"error_code\":403}");

        send_cmd(alias, 5, 4, "{\"action\":\"session_bye\","
                              "\"session_id\":\"s1\"}");

        assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_DONE);
        assert_int_equal(w.forgotten, 1);
        assert_int_equal(parley_link_sessions(w.link), 0);

        /* The session has ended */

        send_cmd(alias, 5, 5, "{\"action\":\"build\"}");
        assert_int_equal(w.nposts, 2);
        assert_false(w.closed);

        end();
    }
}


/* A command waits for the proof, and is refused without one. */

static void
test_before_proof(void **state)
{
    uint64_t               alias;
    parley_str_t           none;
    parley_moq_frame_t     list[2];
    parley_link_stream_t  *st;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    send_cmd(alias, 5, 1, "{\"action\":\"build\"}");
    assert_int_equal(w.nposts, 0);

    list[0] = cmd(5, 1, INIT("s1", "token"));
    list[1] = cmd(5, 2, "{\"action\":\"build\"}");

    st = send_frames(alias, list, 2);

    assert_int_equal(w.nproofs, 1);
    assert_int_equal(w.nposts, 0);
    assert_true(parley_link_waits(st));

    prove(0, "alice", "alice");
    assert_true(w.resumed > 0);

    none = parley_str_none;
    assert_int_equal(give(st, none, 1), 0);
    assert_int_equal(w.nposts, 1);

    parley_link_stream_free(st);
    end();

    /* a token that is refused */

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");

    st = send_frames(alias, list, 2);
    prove(401, "", "");
    (void) give(st, none, 1);

    assert_int_equal(w.nposts, 0);
    assert_int_equal(w.forgotten, 1);
    (void) accept_publish("parley.s1.cmd", 1);
    assert_int_equal(w.nobjects, 1);
    assert_non_null(strstr(w.objects[0].text, "\"session_ack\""));
    assert_non_null(strstr(w.objects[0].text, "\"denied\""));
    assert_non_null(strstr(w.objects[0].text, "\"error_code\":401"));
    assert_non_null(strstr(w.objects[0].text, "token-expired"));

    parley_link_stream_free(st);
    end();
}


/* One principal, in its own namespace, with its own sessions. */

static void
test_principal(void **state)
{
    uint64_t  alias;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    send_cmd(alias, 6, 1, INIT("s2", "other"));
    assert_false(w.proofs[1].listens);
    prove(0, "bob", "bob");
    (void) accept_publish("parley.s2.cmd", 1);

    assert_non_null(strstr(w.objects[1].text, "\"error_code\":403"));
    assert_int_equal(parley_link_sessions(w.link), 1);

    /* another's namespace */

    (void) publish("bob", "bob.0.cmd");
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
    assert_int_equal(w.got[w.ngot - 1].code, PARLEY_MOQT_REFUSE_UNAUTHORIZED);

    /* the session_id of another session, and its Session ID */

    send_cmd(alias, 7, 1, INIT("s1", "token"));
    send_cmd(alias, 5, 1, INIT("s3", "token"));
    assert_int_equal(w.nproofs, 2);
    assert_int_equal(parley_link_sessions(w.link), 1);
    assert_int_equal(texts("\"error_code\":409"), 2);

    end();

    /* the token of another than the agent of the track */

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "bob", "bob");
    assert_int_equal(parley_link_sessions(w.link), 0);
    (void) accept_publish("parley.s1.cmd", 1);
    assert_non_null(strstr(w.objects[0].text, "\"error_code\":403"));

    end();
}


/* Codes of the gateway's own refusals. */

static void
test_codes(void **state)
{
    char      json[400];
    uint64_t  alias;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    send_cmd(alias, 5, 2, "{\"action\":\"session_ack\"}");
    assert_int_equal(texts("\"kind-unknown\""), 1);

    send_cmd(alias, 6, 1, "{\"action\":\"session_init\"}");
    assert_int_equal(texts("\"field-missing\""), 1);

    (void) snprintf(json, sizeof(json), "{\"action\":\"session_init\","
                    "\"session_id\":\"%0257d\"}", 0);
    send_cmd(alias, 6, 2, json);
    assert_int_equal(texts("\"field-invalid\""), 1);

    end();
}


/* A token of CLIENT_SETUP. */

static void
test_setup_token(void **state)
{
    uint64_t  alias;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", "setup-token", 100);
    assert_int_equal(w.nproofs, 1);
    assert_null(w.proofs[0].session);
    prove(0, "alice", "alice");

    alias = publish("alice", "alice.0.cmd");
    send_cmd(alias, 5, 1, "{\"action\":\"session_init\","
                          "\"session_id\":\"s1\"}");
    assert_string_equal(w.tokens[1], "setup-token");
    assert_false(w.proofs[1].listens);
    end();

    begin(SIZE_MAX);
    setup("/moq", "setup-token", 100);
    prove(401, "", "");
    assert_true(w.closed);
    assert_int_equal(w.code, PARLEY_MOQT_UNAUTHORIZED);
    end();

    /* a token that would begin another header field */

    begin(SIZE_MAX);
    setup("/moq", "x\r\nX-Field: 1", 100);
    assert_true(w.closed);
    assert_int_equal(w.code, PARLEY_MOQT_MALFORMED_AUTH_TOKEN);
    assert_int_equal(w.nproofs, 0);
    end();
}


/* At most 16 commands are under way; later ones wait in their streams. */

static void
test_many(void **state)
{
    size_t                 i, n;
    uint64_t               alias;
    parley_moq_frame_t     list[40];
    parley_link_stream_t  *st;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    for (i = 0; i < 40; i++) {
        list[i] = cmd(5, (uint32_t) i, "{\"action\":\"x\"}");
    }

    st = send_frames(alias, list, 40);

    assert_int_equal(w.nposts, PARLEY_LINK_POSTS);
    assert_true(parley_link_waits(st));

    n = w.nposts;

    parley_link_answered(w.link, w.posts[3], 202, parley_str_none);
    look();
    assert_int_equal(w.resumed, 1);
    assert_non_null(strstr(w.objects[1].text, "\"accepted\""));
    assert_int_equal(w.objects[1].frame.stream, 3);
    assert_int_equal(w.nposts, n);

    parley_link_stream_free(st);
    end();
}


/* Faults of a peer end its connection with the code of the draft. */

static void
test_faults(void **state)
{
    size_t                 i;
    uint64_t               alias, code;
    parley_str_t           octets, in;
    parley_moq_frame_t     f;
    parley_link_stream_t  *st;

    static const struct {
        const char          *octets;
        parley_moqt_code_t   code;
    } faults[] = {
        { "03 000d 00 | 01 04 \"chat\" | 04 \"room\" | 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION },
        { "20 0001 00", PARLEY_MOQT_INVALID_PATH },
        { "20 0007 01 | 01 04 \"/moq\"", PARLEY_MOQT_INVALID_AUTHORITY },
        { "21 0001 00", PARLEY_MOQT_PROTOCOL_VIOLATION },
    };

    (void) state;

    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        begin(1);
        raw(faults[i].octets);
        assert_true(w.closed);
        assert_string_equal(parley_moqt_code_name(w.code),
                            parley_moqt_code_name(faults[i].code));
        end();
    }

    /* no SETUP, no proof, a control stream that ends */

    begin(1);
    assert_int_equal(parley_link_tick(w.link), 5000);
    w.now += 5000;
    assert_int_equal(parley_link_tick(w.link), -1);
    assert_int_equal(w.code, PARLEY_MOQT_CONTROL_MESSAGE_TIMEOUT);
    end();

    begin(1);
    setup("/moq", NULL, 100);
    w.now += 5000;
    assert_int_equal(parley_link_tick(w.link), -1);
    assert_int_equal(w.code, PARLEY_MOQT_UNAUTHORIZED);
    end();

    begin(1);
    setup("/moq", NULL, 100);
    in = parley_str_none;
    assert_int_equal(parley_link_read(w.control, &in, 1, &code), 0);
    assert_int_equal(w.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
    end();

    /* an unknown alias is kept for a second */

    (void) open_session(SIZE_MAX);
    f = cmd(5, 1, "{\"action\":\"x\"}");
    st = send_frames(9999, &f, 1);
    assert_true(parley_link_waits(st));
    assert_true(parley_link_tick(w.link) <= 1000);
    w.now += 1000;
    (void) parley_link_tick(w.link);
    in = parley_str_none;
    assert_int_equal(parley_link_read(st, &in, 1, &code), -1);
    parley_link_stream_free(st);
    assert_false(w.closed);
    end();

    /* three malformed frames in a row */

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    f = cmd(5, 1, "{\"action\":\"x\"}");

    for (i = 0; i < 3; i++) {
        octets = frames(alias, &f, 1);
        ((uint8_t *) (uintptr_t) octets.data)[6] ^= 0xff;

        st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
        (void) give(st, octets, 1);
        parley_link_stream_free(st);
        free((void *) (uintptr_t) octets.data);
        look();

        assert_int_equal(w.closed, i == 2);
    }

    assert_int_equal(w.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
    end();

    /* a FIN within an object */

    alias = open_session(SIZE_MAX);
    octets = frames(alias, &f, 1);
    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    in = parley_str_make(octets.data, octets.len - 1);
    assert_int_equal(give(st, in, 1), 0);
    assert_true(w.closed);
    assert_int_equal(w.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
    free((void *) (uintptr_t) octets.data);
    parley_link_stream_free(st);
    end();
}


/* The proof of a session ends it; a reload tells GOAWAY once. */

static void
test_ends(void **state)
{
    uint64_t               alias;
    parley_link_session_t *s;

    (void) state;

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    s = w.proofs[0].session;

    send_cmd(alias, 6, 1, INIT("s2", "token2"));
    prove(0, "alice", "alice");
    (void) accept_publish("parley.s2.cmd", 1);

    send_cmd(alias, 5, 2, "{\"action\":\"x\"}");

    parley_link_expired(w.link, s, 401, PARLEY_STR("the token has expired"));
    look();

    assert_int_equal(parley_link_sessions(w.link), 1);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_DONE);

    /* the other session proves again, and gets the mailbox */

    assert_int_equal(w.nproofs, 3);
    assert_true(w.proofs[2].listens);
    assert_string_equal(w.tokens[2], "token2");

    /* the answer of the ended session goes nowhere */

    parley_link_answered(w.link, w.posts[0], 200, PARLEY_STR("{}"));

    parley_link_leave(w.link);
    parley_link_leave(w.link);
    look();
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_GOAWAY);

    end();
}


/* PUBLISH_NAMESPACE: the gateway subscribes to the commands. */

static void
test_announce(void **state)
{
    size_t                 i;
    uint64_t               request;
    parley_moqt_message_t  m;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE;
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("alice")),
                     0);
    control(&m);

    for (i = 0; i < w.ngot && w.types[i] != PARLEY_MOQT_SUBSCRIBE; i++) {
        /* void */
    }

    assert_true(i < w.ngot);
    assert_string_equal(w.names[i], "alice.0.cmd");
    request = w.got[i].request;

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_SUBSCRIBE_OK;
    m.request = request;
    m.alias = 77;
    control(&m);

    send_cmd(77, 5, 1, INIT("s1", "token"));
    prove(0, "alice", "alice");
    send_cmd(77, 5, 2, "{\"action\":\"x\"}");
    assert_int_equal(w.nposts, 1);

    end();
}


/* Heartbeats; chunks. */

static void
test_frames(void **state)
{
    size_t                 i;
    uint64_t               alias;
    parley_moq_frame_t     list[3];
    parley_link_stream_t  *st;

    (void) state;

    alias = open_session(3);
    (void) accept_publish("parley.s1.cmd", 1);

    list[0] = cmd(5, 9, "");
    list[0].type = PARLEY_MOQ_HEARTBEAT;

    st = send_frames(alias, list, 1);
    parley_link_stream_free(st);

    assert_int_equal(w.objects[1].frame.type, PARLEY_MOQ_HEARTBEAT);
    assert_int_equal(w.objects[1].frame.session, 5);
    assert_int_equal(w.objects[1].frame.stream, 9);

    list[0] = cmd(5, 10, "{\"action\":");
    list[1] = cmd(5, 10, "\"x\",\"payload\":{}");
    list[2] = cmd(5, 10, "}");
    list[0].flags = PARLEY_MOQ_FRAGMENTED;
    list[1].flags = PARLEY_MOQ_FRAGMENTED;

    for (i = 0; i < 3; i++) {
        st = send_frames(alias, &list[i], 1);
        parley_link_stream_free(st);
        assert_int_equal(w.nposts, i == 2);
    }

    assert_true(parley_str_is(w.posts[0]->body,
                              "{\"action\":\"x\",\"payload\":{}}"));
    assert_true(parley_str_is(w.posts[0]->action, "x"));

    end();
}


/* Sessions that are denied leave a bounded number of tracks. */

static void
test_denied(void **state)
{
    char      json[128];
    size_t    i;
    uint64_t  alias;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 10000);
    alias = publish("alice", "alice.0.cmd");

    for (i = 0; i < 200; i++) {
        (void) snprintf(json, sizeof(json), "{\"action\":\"session_init\","
                        "\"session_id\":\"s%zu\",\"auth_token\":\"x\"}", i);

        w.nproofs = 0;
        w.ngot = 0;
        send_cmd(alias, 1 + i, 1, json);
        assert_int_equal(w.nproofs, 1);
        prove(401, "", "");
    }

    assert_false(w.closed);
    assert_int_equal(parley_link_sessions(w.link), 0);
    assert_true(parley_link_tracks(w.link) <= 4 * 4 + 4);

    end();
}


/* Returns the types of the messages on a stream, each as two hex digits. */

static const char *
messages(const stream_t *s)
{
    static char  text[64];

    size_t  at, n;

    for (at = 0, n = 0; at < s->len; n += 2) {
        (void) snprintf(text + n, sizeof(text) - n, "%02x", s->octets[at]);
        at += 3 + (size_t) (s->octets[at + 1] << 8 | s->octets[at + 2]);
    }

    text[n] = '\0';

    return text;
}


/* SUBSCRIBE_NAMESPACE lists the agents that the caller may address. */

static void
test_agents(void **state)
{
    size_t                 i;
    static stream_t        out[4];
    parley_str_t           octets;
    parley_link_stream_t  *st[4];

    static const struct {
        const char  *octets;
        const char  *answer;
        int          finished;
    } cases[] = {
        { "11 0008 02 | 01 03 \"a2a\" | 01 | 00", "070808", 0 },

        /* only one at a time */
        { "11 0008 04 | 01 03 \"a2a\" | 01 | 00", "05", 1 },

        { "11 000f 06 | 02 03 \"a2a\" 06 \"camera\" | 02 | 00", "0708", 0 },
        { "11 0006 08 | 01 01 \"x\" | 02 | 00", "07", 0 },
    };

    (void) state;

    (void) open_session(SIZE_MAX);

    for (i = 0; i < 4; i++) {
        memset(&out[i], 0, sizeof(out[i]));
        out[i].room = SIZE_MAX;
        out[i].open = 1;

        if (i >= 2) {
            parley_link_stream_free(st[i == 2 ? 0 : 2]);
        }

        st[i] = parley_link_stream(w.link, PARLEY_LINK_REQUEST, &out[i]);
        octets = moqt_octets(cases[i].octets);
        assert_int_equal(give(st[i], octets, 0), 0);
        free((void *) (uintptr_t) octets.data);

        assert_false(w.closed);
        assert_string_equal(messages(&out[i]), cases[i].answer);
        assert_int_equal(out[i].finished, cases[i].finished);
    }

    end();
}


/* The lists of a connection have a rate. */

static void
test_lists(void **state)
{
    char                   hex[64];
    size_t                 i;
    static stream_t        out;
    parley_str_t           octets;
    parley_link_stream_t  *st;

    (void) state;

    (void) open_session(SIZE_MAX);

    for (i = 0; i < 12; i++) {
        memset(&out, 0, sizeof(out));
        out.room = SIZE_MAX;
        out.open = 1;

        w.now += i == 11 ? 10000 : 1;

        (void) snprintf(hex, sizeof(hex), "11 0006 %02zx | 01 01 \"x\" | 02 | "
                                          "00", 2 + 2 * i);
        st = parley_link_stream(w.link, PARLEY_LINK_REQUEST, &out);
        octets = moqt_octets(hex);
        assert_int_equal(give(st, octets, 0), 0);
        free((void *) (uintptr_t) octets.data);
        parley_link_stream_free(st);

        assert_string_equal(messages(&out), i == 10 ? "05" : "07");

        /* INTERNAL_ERROR, and the time of the next one: 9 991 ms */

        if (i == 10) {
            assert_memory_equal(out.octets + 4, "\x00\x67\x07", 3);
        }
    }

    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_session),
        cmocka_unit_test(test_before_proof),
        cmocka_unit_test(test_principal),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_setup_token),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_announce),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_agents),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_denied),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
