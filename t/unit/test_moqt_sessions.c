/* Two sessions of MoQ Transport that talk to each other at random. */

#include "t/unit/parley_test_moqt.h"
#include "t/unit/parley_test_random.h"


/* messages on their way, one direction */
typedef struct {
    uint8_t  octets[1 << 16];
    size_t   len;
    size_t   sent;              /* of streams with SUBSCRIBE_NAMESPACE: */
    uint8_t  streams[64][16];
    size_t   nstreams;
} wire_t;


/* Sends a message at random, if the session permits it. */

static void
act(parley_moqt_session_t *s, parley_test_random_t *random, wire_t *wire,
    parley_arena_t *arena)
{
    int                     rc;
    size_t                  i;
    parley_buf_t            b;
    parley_str_t            out;
    parley_moqt_fault_t     fault;
    parley_moqt_effect_t    effect;
    parley_moqt_message_t   m;
    parley_moqt_request_t  *r;

    static const uint8_t  requests[] = {
        PARLEY_MOQT_SUBSCRIBE, PARLEY_MOQT_PUBLISH, PARLEY_MOQT_FETCH,
        PARLEY_MOQT_TRACK_STATUS, PARLEY_MOQT_PUBLISH_NAMESPACE,
        PARLEY_MOQT_SUBSCRIBE_NAMESPACE
    };

    memset(&m, 0, sizeof(m));
    parley_buf_init(&b, arena, 0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("x")), 0);

    m.fetch = PARLEY_MOQT_FETCH_RELATIVE;
    m.alias = parley_test_random(random) >> 24;
    r = &s->requests[parley_test_below(random, 2 * MOQT_LIMIT)];
    m.request = r->id;

    if (parley_test_below(random, 3) == 0) {
        m.type = requests[parley_test_below(random, 6)];

    } else if (r->state == PARLEY_MOQT_FREE) {
        (void) parley_moqt_session_grant(s, &b);
        m.type = 0;

    } else if (!r->own && r->state != PARLEY_MOQT_ESTABLISHED) {

        m.type = parley_test_below(random, 3) == 0
                 ? PARLEY_MOQT_REQUEST_ERROR
                 : r->type == PARLEY_MOQT_SUBSCRIBE ? PARLEY_MOQT_SUBSCRIBE_OK
                 : r->type == PARLEY_MOQT_PUBLISH ? PARLEY_MOQT_PUBLISH_OK
                 : r->type == PARLEY_MOQT_FETCH ? PARLEY_MOQT_FETCH_OK
                 : PARLEY_MOQT_REQUEST_OK;

    } else if (r->state == PARLEY_MOQT_CANCELLED) {
        m.type = 0;

    } else if (parley_test_below(random, 3) == 0) {

        if (r->type == PARLEY_MOQT_TRACK_STATUS
            || r->type == PARLEY_MOQT_REQUEST_UPDATE)
        {
            m.type = 0;

        } else {
            m.type = PARLEY_MOQT_REQUEST_UPDATE;
            m.existing = r->id;
        }

    } else {
        switch (r->type) {

        case PARLEY_MOQT_SUBSCRIBE:
            m.type = r->own ? PARLEY_MOQT_UNSUBSCRIBE
                            : PARLEY_MOQT_PUBLISH_DONE;
            break;

        case PARLEY_MOQT_PUBLISH:
            m.type = r->own ? PARLEY_MOQT_PUBLISH_DONE
                            : PARLEY_MOQT_UNSUBSCRIBE;
            break;

        case PARLEY_MOQT_FETCH:
            m.type = r->own ? PARLEY_MOQT_FETCH_CANCEL : 0;
            break;

        case PARLEY_MOQT_PUBLISH_NAMESPACE:
            m.type = r->own ? PARLEY_MOQT_PUBLISH_NAMESPACE_DONE
                            : PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL;
            break;

        default:
            m.type = 0;
        }
    }

    if (m.type != 0) {
        rc = parley_moqt_session_send(s, &b, &m, &effect, &fault);

        if (rc < 0) {
            fail_msg("%s: %s", fault.member, fault.text);
        }

        if (rc == 0 && m.row->request) {
            effect.request->data = s;
        }

        if (rc == 0 && m.type == PARLEY_MOQT_SUBSCRIBE_NAMESPACE) {
            assert_true(wire->nstreams < 64);
            memcpy(wire->streams[wire->nstreams++], b.data, b.len);
            return;
        }
    }

    assert_int_equal(parley_buf_done(&b, &out), 0);

    for (i = 0; i < out.len; i++) {
        assert_true(wire->len < sizeof(wire->octets));
        wire->octets[wire->len++] = out.data[i];
    }
}


/* Gives a session some octets of the wire, or a stream of its own. */

static void
deliver(parley_moqt_session_t *s, parley_test_random_t *random, wire_t *wire)
{
    int                    rc;
    size_t                 n, i;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    if (wire->nstreams > 0 && parley_test_below(random, 2)) {

        /* streams overtake each other */

        i = parley_test_below(random, (unsigned) wire->nstreams);
        assert_int_equal(parley_moqt_message_read(draft,
                             PARLEY_MOQT_SUBSCRIBE_NAMESPACE,
                             parley_str_make(wire->streams[i] + 3,
                                             wire->streams[i][2]),
                             &m, &fault), 0);
        memmove(wire->streams[i], wire->streams[--wire->nstreams], 16);

        if (parley_moqt_session_accept(s, &m, &effect, &fault) != 0) {
            fail_msg("%s: %s", fault.member, fault.text);
        }

        return;
    }

    n = wire->len > 0 ? parley_test_below(random, (unsigned) wire->len + 1)
                      : 0;
    in = parley_str_make(wire->octets, n);

    do {
        rc = parley_moqt_session_take(s, &in, &m, &effect, &fault);

        if (rc < 0) {
            fail_msg("%s: %s: %s", fault.place, fault.member, fault.text);
        }

    } while (rc == 1);

    memmove(wire->octets, wire->octets + n, wire->len - n);
    wire->len -= n;
}


/*
 * Two sessions send all permitted messages, in any order and with any delay.
 * Neither finds a fault.  At the end no message is missing, and each side knows
 * all requests of the other.
 */

static void
test_both(void **state)
{
    size_t                 i, live[2];
    wire_t                *wires;
    unsigned               round, side, n;
    parley_buf_t           b;
    parley_str_t           out;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_test_random_t   random;
    parley_moqt_session_t  s[2];

    (void) state;

    wires = malloc(2 * sizeof(wire_t));
    assert_non_null(wires);
    random.state = 5;
    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (round = 0; round < 300; round++) {

        memset(wires, 0, 2 * sizeof(wire_t));

        for (side = 0; side < 2; side++) {
            moqt_begin(&s[side], side == 0 ? PARLEY_MOQT_CLIENT
                                           : PARLEY_MOQT_SERVER);
        }

        for (side = 0; side < 2; side++) {
            parley_buf_init(&b, &arena, 0);
            moqt_setup(&s[side], &b);
            assert_int_equal(parley_buf_done(&b, &out), 0);
            memcpy(wires[side].octets, out.data, out.len);
            wires[side].len = out.len;

            while (wires[side].len > 0) {
                deliver(&s[!side], &random, &wires[side]);
            }
        }

        for (n = 0; n < 600; n++) {
            side = parley_test_below(&random, 2);

            if (parley_test_below(&random, 3) > 0) {
                deliver(&s[side], &random, &wires[!side]);

            } else {
                act(&s[side], &random, &wires[side], &arena);
            }

            parley_arena_reset(&arena);
        }

        for (side = 0; side < 2; side++) {
            while (wires[side].len > 0 || wires[side].nstreams > 0) {
                deliver(&s[!side], &random, &wires[side]);
            }
        }

        for (side = 0; side < 2; side++) {
            assert_int_equal(parley_moqt_session_late(&s[side], &fault), 0);
            assert_int_equal(s[side].next_out, s[!side].next_in);
            assert_int_equal(s[side].maximum_out, s[!side].maximum_in);

            live[0] = 0;
            live[1] = 0;

            for (i = 0; i < MOQT_LIMIT; i++) {
                live[0] += s[side].requests[i].state != PARLEY_MOQT_FREE;
                live[1] += s[!side].requests[MOQT_LIMIT + i].state
                           != PARLEY_MOQT_FREE;
            }

            assert_int_equal(live[0], live[1]);
        }

        parley_moqt_session_free(&s[0]);
        parley_moqt_session_free(&s[1]);
    }

    parley_arena_reset(&arena);
    free(wires);
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 two sessions never find a fault in each other",
                test_both),
};

PARLEY_TEST_MAIN(tests)
