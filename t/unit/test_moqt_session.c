/* The control side of a MoQ session, for both roles. */

#include "t/unit/parley_test_moqt.h"


/* a message and the code with which it ends the session; 0: it does not */
typedef struct {
    const char          *octets;
    parley_moqt_code_t   code;
    const char          *member;
} step_t;


/*
 * Gives a server these messages of a client, or a client those of a server.
 * SUBSCRIBE_NAMESPACE comes on a stream of its own.
 */

static void
play(parley_moqt_role_t role, int ready, const step_t *steps, size_t n)
{
    int                    rc;
    size_t                 i;
    parley_buf_t           b;
    parley_str_t           octets, in;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;
    parley_moqt_session_t  s;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    moqt_begin(&s, role);

    if (ready) {
        in = role == PARLEY_MOQT_SERVER ? PARLEY_STR("\x20\0\3\1\2\x3f")
                                        : PARLEY_STR("\x21\0\3\1\2\x3f");

        if (role == PARLEY_MOQT_CLIENT) {
            moqt_setup(&s, &b);
        }

        assert_int_equal(parley_moqt_session_take(&s, &in, &m, &effect,
                                                  &fault), 1);

        if (role == PARLEY_MOQT_SERVER) {
            moqt_setup(&s, &b);
        }
    }

    for (i = 0; i < n; i++) {
        octets = moqt_octets(steps[i].octets);
        in = octets;

        if (octets.data[0] == PARLEY_MOQT_SUBSCRIBE_NAMESPACE) {
            assert_int_equal(parley_moqt_message_read(draft, octets.data[0],
                                 parley_str_from(octets, 3), &m, &fault), 0);
            rc = parley_moqt_session_accept(&s, &m, &effect, &fault);
            rc = rc == 0 ? 1 : rc;

        } else {
            rc = parley_moqt_session_take(&s, &in, &m, &effect, &fault);
        }

        if (steps[i].member == NULL) {
            if (rc != 1) {
                fail_msg("%s: %s: %s", steps[i].octets, fault.member,
                         fault.text);
            }

        } else {
            if (rc != -1) {
                fail_msg("%s: no fault", steps[i].octets);
            }

            moqt_assert_fault(&fault, steps[i].code, steps[i].member);
            assert_true(fault.place[0] != '\0');
            assert_int_equal(i, n - 1);
        }

        free((void *) octets.data);
    }

    parley_moqt_session_free(&s);
    parley_arena_reset(&arena);
}


#define PLAY(role, ready, ...)                                                \
    play(PARLEY_MOQT_##role, ready, (const step_t[]) { __VA_ARGS__ },         \
         sizeof((const step_t[]) { __VA_ARGS__ }) / sizeof(step_t))

#define OK(octets)                 { octets, 0, NULL }
#define BAD(octets, code, member)  { octets, PARLEY_MOQT_##code, member }

#define SUBSCRIBE(id)  "03 0006 " id " 01 01 \"x\" 00 00"
#define TRACK(id)      "1d 0007 " id " 01 01 \"x\" 00 "
#define NAMESPACES(id) "11 0004 " id " 00 01 00"


static void
test_setup(void **state)
{
    (void) state;

    PLAY(SERVER, 0, BAD("0a 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 0, BAD("10 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 0, BAD("21 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 0, OK("20 0001 00"),
                    BAD("20 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(CLIENT, 0, BAD("20 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(CLIENT, 1, BAD("21 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 0, BAD("20 0001 01", PROTOCOL_VIOLATION,
                        "Setup Parameters"));
}


static void
test_request_ids(void **state)
{
    (void) state;

    PLAY(SERVER, 1, OK(SUBSCRIBE("00")), OK(SUBSCRIBE("02")));
    PLAY(SERVER, 1, BAD(SUBSCRIBE("01"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(CLIENT, 1, BAD(SUBSCRIBE("00"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(CLIENT, 1, OK(SUBSCRIBE("01")), OK(SUBSCRIBE("03")));
    PLAY(SERVER, 1, OK(SUBSCRIBE("00")),
                    BAD(SUBSCRIBE("00"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("02")),
                    BAD(SUBSCRIBE("00"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(SERVER, 1, BAD(SUBSCRIBE("10"), TOO_MANY_REQUESTS, "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("0e")),
                    BAD(SUBSCRIBE("10"), TOO_MANY_REQUESTS, "Request ID"));
    PLAY(CLIENT, 1, BAD(SUBSCRIBE("11"), TOO_MANY_REQUESTS, "Request ID"));

    /* requests of all kinds count */

    PLAY(SERVER, 1, OK("06 0005 00 01 01 \"x\" 00"), OK(TRACK("02") "05 00"),
                    OK("0d 0006 04 01 01 \"x\" 00 00"),
                    OK("16 0005 06 02 00 00 00"), OK(NAMESPACES("08")),
                    OK("02 0003 0a 00 00"),
                    BAD(SUBSCRIBE("0a"), INVALID_REQUEST_ID, "Request ID"));
}


static void
test_skipped(void **state)
{
    size_t                 i;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;
    parley_moqt_session_t  s;

    static const char *const  octets[] = {
        "20 0001 00", SUBSCRIBE("04")
    };

    (void) state;

    /* SUBSCRIBE_NAMESPACE and other requests may overtake each other */

    PLAY(SERVER, 1, OK(SUBSCRIBE("02")), OK(NAMESPACES("00")),
                    BAD(NAMESPACES("00"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(SERVER, 1, OK(NAMESPACES("04")), OK(NAMESPACES("00")),
                    OK(SUBSCRIBE("02")),
                    BAD(SUBSCRIBE("04"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(SERVER, 1, OK(NAMESPACES("04")), OK(SUBSCRIBE("06")),
                    BAD(SUBSCRIBE("02"), INVALID_REQUEST_ID, "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("02")),
                    BAD("0a 0001 00", PROTOCOL_VIOLATION, "Request ID"));

    moqt_begin(&s, PARLEY_MOQT_SERVER);

    for (i = 0; i < 2; i++) {
        in = moqt_octets(octets[i]);
        m.type = in.data[0];
        assert_int_equal(parley_moqt_session_late(&s, &fault), 0);
        assert_int_equal(parley_moqt_message_read(draft, in.data[0],
                             parley_str_from(in, 3), &m, &fault), 0);
        assert_int_equal(parley_moqt_session_accept(&s, &m, &effect, &fault),
                         0);
        free((void *) in.data);
    }

    assert_int_equal(s.missing, 2);
    assert_int_equal(parley_moqt_session_late(&s, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INVALID_REQUEST_ID, "Request ID");

    assert_int_equal(parley_moqt_session_closed(&fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "FIN");

    parley_moqt_session_free(&s);
}


static void
test_messages(void **state)
{
    (void) state;

    /* GOAWAY, MAX_REQUEST_ID */

    PLAY(SERVER, 1, OK("10 0001 00"),
                    BAD("10 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 1, BAD("10 0002 01 \"x\"", PROTOCOL_VIOLATION,
                        "New Session URI"));
    PLAY(CLIENT, 1, OK("10 0002 01 \"x\""),
                    BAD("10 0001 00", PROTOCOL_VIOLATION, "Type"));
    PLAY(SERVER, 1, OK("15 0002 4040"), OK("1a 0001 00"),
                    BAD("15 0002 4040", PROTOCOL_VIOLATION,
                        "Max Request ID"));
    PLAY(SERVER, 1, BAD("15 0001 3f", PROTOCOL_VIOLATION, "Max Request ID"));

    /* answers and ends of requests that never were, or of other types */

    PLAY(SERVER, 1, BAD("07 0002 01 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, BAD("04 0003 01 00 00", PROTOCOL_VIOLATION,
                        "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("00")),
                    BAD("07 0002 00 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, BAD("0a 0001 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, BAD("0a 0001 01", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, BAD("17 0001 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("00")),
                    BAD("17 0001 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("00")),
                    BAD("0b 0004 00 00 00 00", PROTOCOL_VIOLATION,
                        "Request ID"));
    PLAY(SERVER, 1, OK(TRACK("00") "05 00"),
                    BAD("0a 0001 00", PROTOCOL_VIOLATION, "Request ID"));
    PLAY(SERVER, 1, OK(TRACK("00") "05 00"), OK("0b 0004 00 00 00 00"),
                    OK("0b 0004 00 00 00 00"));
    PLAY(SERVER, 1, OK(SUBSCRIBE("00")), OK("0a 0001 00"),
                    OK("0a 0001 00"));
    PLAY(SERVER, 1, OK("06 0005 00 01 01 \"x\" 00"), OK("09 0001 00"),
                    BAD("0c 0003 01 00 00", PROTOCOL_VIOLATION,
                        "Request ID"));

    /* updates */

    PLAY(SERVER, 1, OK(SUBSCRIBE("00")), OK("02 0003 02 00 00"),
                    BAD("02 0003 04 02 00", PROTOCOL_VIOLATION,
                        "Existing Request ID"));
    PLAY(SERVER, 1, BAD("02 0003 00 00 00", PROTOCOL_VIOLATION,
                        "Existing Request ID"));
    PLAY(SERVER, 1, BAD("02 0003 00 08 00", PROTOCOL_VIOLATION,
                        "Existing Request ID"));
    PLAY(SERVER, 1, BAD("02 0003 00 01 00", PROTOCOL_VIOLATION,
                        "Existing Request ID"));

    /* aliases of tracks and tokens */

    PLAY(SERVER, 1, OK(TRACK("00") "05 00"),
                    BAD(TRACK("02") "05 00", DUPLICATE_TRACK_ALIAS,
                        "Track Alias"));
    PLAY(SERVER, 1, OK(TRACK("00") "05 00"), OK("0b 0004 00 00 00 00"),
                    OK(TRACK("02") "05 00"));
    PLAY(SERVER, 1, BAD("03 000b 00 01 01 \"x\" 00 01 03 03 01 05 00",
                        AUTH_TOKEN_CACHE_OVERFLOW, "AUTHORIZATION_TOKEN"));
    PLAY(SERVER, 1, BAD("03 000a 00 01 01 \"x\" 00 01 03 02 02 05",
                        UNKNOWN_AUTH_TOKEN_ALIAS, "AUTHORIZATION_TOKEN"));
    PLAY(SERVER, 1, BAD("03 000a 00 01 01 \"x\" 00 01 03 02 00 05",
                        UNKNOWN_AUTH_TOKEN_ALIAS, "AUTHORIZATION_TOKEN"));
    PLAY(SERVER, 1, OK("03 000b 00 01 01 \"x\" 00 01 03 03 03 00 00"));
}


/*
 * The alias of SUBSCRIBE_OK must differ from those of other tracks of the
 * peer.  The tracks of this side have aliases of their own.
 */

static void
test_aliases(void **state)
{
    size_t                 i, n;
    parley_buf_t           b;
    parley_str_t           octets, in;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m, got;
    parley_moqt_session_t  s;

    static const char *const  known[] = {
        "21 0003 01 02 3f", TRACK("01") "05 00", "04 0003 00 06 00"
    };

    /* new; of this side's PUBLISH; of the other SUBSCRIBE; of PUBLISH */

    static const step_t  last[] = {
        OK("04 0003 02 07 00"), OK("04 0003 02 08 00"),
        BAD("04 0003 02 06 00", DUPLICATE_TRACK_ALIAS, "Track Alias"),
        BAD("04 0003 02 05 00", DUPLICATE_TRACK_ALIAS, "Track Alias"),

        /* a second answer, also of another kind */
        BAD("04 0003 00 09 00", PROTOCOL_VIOLATION, "Request ID"),
        BAD("05 0004 00 00 00 00", PROTOCOL_VIOLATION, "Request ID")
    };

    (void) state;

    for (n = 0; n < sizeof(last) / sizeof(last[0]); n++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_buf_init(&b, &arena, 0);
        moqt_begin(&s, PARLEY_MOQT_CLIENT);
        moqt_setup(&s, &b);

        memset(&m, 0, sizeof(m));
        assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("x")),
                         0);

        for (i = 0; i < 3; i++) {
            octets = moqt_octets(known[i]);
            in = octets;
            assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect,
                                                      &fault), 1);
            free((void *) octets.data);

            if (i > 0) {
                continue;
            }

            m.type = PARLEY_MOQT_SUBSCRIBE;
            assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                      &fault), 0);
            assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                      &fault), 0);
            m.type = PARLEY_MOQT_PUBLISH;
            m.alias = 8;
            assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                      &fault), 0);
            assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                      &fault), -1);
            assert_string_equal(fault.member, "Track Alias");
        }

        octets = moqt_octets(last[n].octets);
        in = octets;
        assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect,
                                                  &fault),
                         last[n].member == NULL ? 1 : -1);

        if (last[n].member != NULL) {
            moqt_assert_fault(&fault, last[n].code, last[n].member);
        }

        free((void *) octets.data);
        parley_moqt_session_free(&s);
        parley_arena_reset(&arena);
    }
}


static void
test_limits(void **state)
{
    unsigned                i;
    parley_mem_t            mem;
    parley_buf_t            b;
    parley_str_t            in;
    parley_arena_t          arena;
    parley_test_mem_t       record;
    parley_moqt_fault_t     fault;
    parley_moqt_effect_t    effect;
    parley_moqt_message_t   m, got;
    parley_moqt_request_t  *r;
    parley_moqt_session_t   s;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    mem = parley_test_mem(&record, 1);
    assert_int_equal(parley_moqt_session_init(&s, draft, &mem,
                                              PARLEY_MOQT_CLIENT, 2), -1);

    assert_int_equal(parley_moqt_session_init(&s, draft, &parley_mem_libc,
                                              PARLEY_MOQT_CLIENT, 2), 0);

    /* nothing before SETUP, and no SETUP twice */

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_GOAWAY;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);
    m.type = PARLEY_MOQT_CLIENT_SETUP;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);
    moqt_setup(&s, &b);
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);
    m.type = PARLEY_MOQT_SERVER_SETUP;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);

    /* no request before the peer's SETUP permits it, and not more */

    m.type = PARLEY_MOQT_TRACK_STATUS;
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("x")), 0);
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     PARLEY_MOQT_BLOCKED);

    in = PARLEY_STR("\x21\0\3\1\2\4");
    assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect, &fault),
                     1);

    m.type = PARLEY_MOQT_SUBSCRIBE;

    for (i = 0; i < 2; i++) {
        assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                  &fault), 0);
        assert_int_equal(m.request, 2 * i);
        assert_int_equal(effect.request->state, PARLEY_MOQT_PENDING);
    }

    i = (unsigned) b.len;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     PARLEY_MOQT_BLOCKED);
    assert_int_equal(b.len, i);

    /* the alias of an answer finds the subscription */

    in = PARLEY_STR("\4\0\3\2\7\0");
    assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect, &fault),
                     1);
    r = parley_moqt_session_alias(&s, 7);
    assert_ptr_equal(r, effect.request);
    assert_int_equal(r->id, 2);
    assert_null(parley_moqt_session_alias(&s, 8));

    /* a larger maximum does not help: two requests live */

    in = PARLEY_STR("\x15\0\1\x3f");
    assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect, &fault),
                     1);
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     PARLEY_MOQT_BLOCKED);
    parley_moqt_session_done(&s, r);
    assert_null(parley_moqt_session_alias(&s, 7));
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     0);

    /* after GOAWAY of the peer a request can be changed, and none begins */

    r = parley_moqt_session_request(&s, 0);
    assert_non_null(r);
    parley_moqt_session_done(&s, effect.request);

    in = PARLEY_STR("\x10\0\1\0");
    assert_int_equal(parley_moqt_session_take(&s, &in, &got, &effect, &fault),
                     1);
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     PARLEY_MOQT_BLOCKED);

    m.type = PARLEY_MOQT_REQUEST_UPDATE;
    m.existing = r->id;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     0);

    /* MAX_REQUEST_ID is granted by the session alone; GOAWAY comes once */

    m.type = PARLEY_MOQT_MAX_REQUEST_ID;
    m.maximum = 100;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);
    assert_false(parley_moqt_session_grant(&s, &b));

    m.type = PARLEY_MOQT_GOAWAY;
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     0);
    assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect, &fault),
                     -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "Type");

    parley_moqt_session_free(&s);
    parley_arena_reset(&arena);
}


/* 100000 requests that are answered at once; without grants they stop. */

static void
test_many(void **state)
{
    size_t                 n, granted;
    parley_buf_t           b;
    parley_str_t           out, answer;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m, got;
    parley_moqt_session_t  c, s;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    moqt_begin(&c, PARLEY_MOQT_CLIENT);
    moqt_begin(&s, PARLEY_MOQT_SERVER);
    granted = 0;

    parley_buf_init(&b, &arena, 0);
    moqt_setup(&c, &b);
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(parley_moqt_session_take(&s, &out, &got, &effect,
                                              &fault), 1);
    parley_buf_init(&b, &arena, 0);
    moqt_setup(&s, &b);
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(parley_moqt_session_take(&c, &out, &got, &effect,
                                              &fault), 1);

    for (n = 0; n < 100000; n++) {
        parley_arena_reset(&arena);
        parley_buf_init(&b, &arena, 0);
        memset(&m, 0, offsetof(parley_moqt_message_t, space.fields));
        assert_int_equal(parley_moqt_namespace_add(&m.space,
                                                   PARLEY_STR("x")), 0);

        m.type = PARLEY_MOQT_SUBSCRIBE;
        assert_int_equal(parley_moqt_session_send(&c, &b, &m, &effect,
                                                  &fault), 0);
        assert_int_equal(parley_buf_done(&b, &out), 0);
        assert_int_equal(parley_moqt_session_take(&s, &out, &got, &effect,
                                                  &fault), 1);

        parley_buf_init(&b, &arena, 0);
        m.type = PARLEY_MOQT_REQUEST_ERROR;
        m.request = got.request;
        assert_int_equal(parley_moqt_session_send(&s, &b, &m, &effect,
                                                  &fault), 0);
        assert_true(effect.ended);
        granted += (size_t) parley_moqt_session_grant(&s, &b);
        assert_int_equal(parley_buf_done(&b, &answer), 0);

        while (answer.len > 0) {
            assert_int_equal(parley_moqt_session_take(&c, &answer, &got,
                                                      &effect, &fault), 1);
        }
    }

    assert_int_equal(granted, 100000 / (MOQT_LIMIT / 2));

    parley_moqt_session_free(&c);
    parley_moqt_session_free(&s);
    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 SETUP is first, and comes once", test_setup),
    parley_test("MOQ-12 parity, order and maximum of request IDs",
                test_request_ids),
    parley_test("MOQ-12 an ID that is skipped", test_skipped),
    parley_test("MOQ-12 GOAWAY, answers, ends, updates, aliases",
                test_messages),
    parley_test("MOQ-12 aliases of answers", test_aliases),
    parley_test("MOQ-12 a session sends nothing that the peer refuses",
                test_limits),
    parley_test("MOQ-12 100000 requests, within the maximum", test_many),
};

PARLEY_TEST_MAIN(tests)
