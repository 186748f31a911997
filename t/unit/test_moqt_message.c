/* Control messages of MoQ Transport: each type, each limit, each split. */

#include "t/unit/parley_test_moqt.h"
#include "t/unit/parley_test_random.h"


static void
test_known(void **state)
{
    size_t                 i;
    uint64_t               seen;
    parley_str_t           octets;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    seen = 0;

    for (i = 0; i < MOQT_KNOWN; i++) {
        octets = moqt_octets(moqt_known[i].octets);

        if (moqt_take(&moqt_known[i], octets, &m, &fault, &c) != 1) {
            fail_msg("%s: %s: %s", moqt_known[i].octets, fault.member,
                          fault.text);
        }

        moqt_assert_written(&m, octets);
        seen |= UINT64_C(1) << m.type;

        parley_moqt_control_free(&c);
        free((void *) octets.data);
    }

    for (i = 0; i < draft->nmessages; i++) {
        assert_int_equal(seen >> i & 1, draft->messages[i].name != NULL);
    }
}


static void
test_members(void **state)
{
    parley_str_t           octets;
    parley_moqt_pair_t     pair;
    parley_moqt_fault_t    fault;
    parley_moqt_token_t    token;
    parley_moqt_filter_t   filter;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    octets = moqt_octets(moqt_known[0].octets);
    assert_int_equal(moqt_take(&moqt_known[0], octets, &m, &fault, &c), 1);
    assert_int_equal(m.params.count, 3);
    assert_true(parley_moqt_pairs_find(draft, &m.params, 1, &pair));
    parley_assert_str(pair.octets, "/");
    assert_true(parley_moqt_pairs_find(draft, &m.params, 5, &pair));
    parley_assert_str(pair.octets, "localhost");
    assert_int_equal(parley_moqt_pairs_integer(draft, &m.params, 2, 0), 1000);
    assert_int_equal(parley_moqt_pairs_integer(draft, &m.params, 4, 77), 77);
    assert_false(parley_moqt_pairs_find(draft, &m.params, 6, &pair));
    free((void *) octets.data);

    octets = moqt_octets("03 001a 04 | 02 01 \"a\" 02 \"bc\" | 00 | 05 |"
                         "02 43e8 | 01 02 02 09 | 0d 01 | 10 00 |"
                         "01 04 04 01 02 03");
    assert_int_equal(moqt_take(&moqt_known[2], octets, &m, &fault, &c), 1);
    assert_string_equal(m.row->name, "SUBSCRIBE");
    assert_int_equal(m.request, 4);
    assert_int_equal(m.space.count, 2);
    parley_assert_str(m.space.fields[0], "a");
    parley_assert_str(m.space.fields[1], "bc");
    assert_int_equal(m.space.octets, 3);
    assert_int_equal(m.name.len, 0);

    assert_true(parley_moqt_pairs_find(draft, &m.params,
                                       PARLEY_MOQT_PARAM_TOKEN, &pair));
    assert_int_equal(parley_moqt_token_read(draft, pair.octets, &token,
                                            &fault), 0);
    assert_int_equal(token.alias_type, PARLEY_MOQT_TOKEN_USE_ALIAS);
    assert_int_equal(token.alias, 9);

    assert_true(parley_moqt_pairs_find(draft, &m.params,
                                       PARLEY_MOQT_PARAM_FILTER, &pair));
    assert_int_equal(parley_moqt_filter_read(draft, pair.octets, &filter,
                                             &fault), 0);
    assert_int_equal(filter.type, PARLEY_MOQT_FILTER_RANGE);
    assert_int_equal(filter.start.group, 1);
    assert_int_equal(filter.start.object, 2);
    assert_int_equal(filter.end_group, 3);
    free((void *) octets.data);
}


/* Every split at one place, and octet by octet, gives the same message. */

static void
test_splits(void **state)
{
    int                    rc;
    size_t                 i, at, step;
    parley_str_t           octets, part, in;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    for (i = 0; i < MOQT_KNOWN; i++) {
        octets = moqt_octets(moqt_known[i].octets);

        for (step = 1; step <= octets.len; step++) {

            parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                     moqt_known[i].from, moqt_known[i].on);
            rc = 0;

            for (at = 0; at < octets.len; at += step) {
                assert_int_equal(rc, 0);
                assert_int_equal(parley_moqt_control_partial(&c), at > 0);

                /* each part is freed before the next one */

                part = moqt_copy(parley_str_make(octets.data + at,
                                     at + step > octets.len
                                     ? octets.len - at : step));
                in = part;
                rc = parley_moqt_control_next(&c, &in, &m, &fault);
                assert_int_equal(in.len, 0);

                if (rc == 1) {
                    moqt_assert_written(&m, octets);
                }

                free((void *) part.data);
            }

            assert_int_equal(rc, 1);
            assert_false(parley_moqt_control_partial(&c));
            parley_moqt_control_free(&c);
        }

        free((void *) octets.data);
    }
}


/* Messages follow each other in one piece, and in pieces of every size. */

static void
test_sequence(void **state)
{
    int                    rc;
    size_t                 i, n, step, len;
    uint8_t               *all;
    parley_str_t           octets, in;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    all = malloc(4096);
    assert_non_null(all);
    len = 0;
    n = 0;

    for (i = 0; i < MOQT_KNOWN; i++) {
        if (moqt_known[i].from == PARLEY_MOQT_CLIENT
            && moqt_known[i].on == PARLEY_MOQT_ON_CONTROL)
        {
            octets = moqt_octets(moqt_known[i].octets);
            memcpy(all + len, octets.data, octets.len);
            len += octets.len;
            free((void *) octets.data);
            n++;
        }
    }

    for (step = 1; step <= len; step++) {

        parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                 PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_CONTROL);
        rc = 0;
        octets.len = 0;

        for (i = 0; i < len; i += step) {
            in = parley_str_make(all + i, i + step > len ? len - i : step);

            do {
                rc = parley_moqt_control_next(&c, &in, &m, &fault);
                assert_true(rc >= 0);
                octets.len += (size_t) rc;
            } while (rc == 1);

            assert_int_equal(in.len, 0);
        }

        assert_int_equal(octets.len, n);
        assert_false(parley_moqt_control_partial(&c));
        parley_moqt_control_free(&c);
    }

    free(all);
}


static void
test_lengths(void **state)
{
    size_t                 i;
    uint8_t               *p;
    parley_str_t           octets, wrong;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    for (i = 0; i < MOQT_KNOWN; i++) {
        octets = moqt_octets(moqt_known[i].octets);

        assert_in_range(octets.len, 4, 4096);

        /* one too short */

        wrong = moqt_copy(octets);
        wrong.len--;
        p = (uint8_t *) wrong.data;
        p[2]--;

        assert_int_equal(moqt_take(&moqt_known[i], wrong, &m, &fault, &c), -1);
        assert_int_equal(fault.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
        assert_string_equal(fault.place, draft->messages[p[0]].name);
        assert_true(fault.member[0] != '\0' && fault.text[0] != '\0');
        assert_true(fault.offset >= 3 && fault.offset <= wrong.len);
        free(p);

        /* one too long */

        p = malloc(octets.len + 1);
        assert_non_null(p);
        memcpy(p, octets.data, octets.len);
        p[octets.len] = 0;
        p[2]++;

        assert_int_equal(moqt_take(&moqt_known[i],
                                   parley_str_make(p, octets.len + 1), &m,
                                   &fault, &c), -1);
        assert_int_equal(fault.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
        assert_string_equal(fault.place, draft->messages[p[0]].name);
        free(p);

        /* of the right length, but without its last octets */

        wrong = moqt_copy(parley_str_make(octets.data, 3));
        ((uint8_t *) wrong.data)[1] = 0;
        ((uint8_t *) wrong.data)[2] = 0;

        assert_int_equal(moqt_take(&moqt_known[i], wrong, &m, &fault, &c), -1);
        assert_int_equal(fault.code, PARLEY_MOQT_PROTOCOL_VIOLATION);
        assert_string_equal(fault.text, "the message ends too early");

        free((void *) wrong.data);
        free((void *) octets.data);
    }
}


static void
test_types(void **state)
{
    uint8_t                octets[4];
    unsigned               type, from, on;
    parley_str_t           in;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    const parley_moqt_row_t  *row;

    (void) state;

    for (type = 0; type < 0x4000; type++) {
        row = parley_moqt_draft_row(draft, type);

        octets[0] = (uint8_t) (0x40 | type >> 8);
        octets[1] = (uint8_t) type;

        for (from = 1; from <= 2; from++) {
            for (on = 1; on <= 4; on *= 2) {

                in = parley_str_make(octets, 2);
                parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                         (parley_moqt_role_t) from, on);

                /* the type alone decides */

                if (row != NULL && (row->from & from) && (row->on & on)) {
                    assert_int_equal(parley_moqt_control_next(&c, &in, &m,
                                                              &fault), 0);
                } else {
                    assert_int_equal(parley_moqt_control_next(&c, &in, &m,
                                                              &fault), -1);
                    moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                                      "Type");
                    assert_string_equal(fault.place,
                                        row != NULL ? row->name : "");
                }

                parley_moqt_control_free(&c);
            }
        }
    }
}


static void
test_line(void **state)
{
    char                   line[PARLEY_MOQT_LINE_MAX];
    parley_str_t           octets;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    octets = moqt_octets("03 0005 00 | 01 01 \"x\" | 01");

    assert_int_equal(moqt_take(&moqt_known[2], octets, &m, &fault, &c), -1);
    parley_assert_str(parley_moqt_fault_line(&fault, line),
                      "SUBSCRIBE: Track Name: the message ends too early");
    assert_int_equal(fault.offset, 8);
    assert_string_equal(parley_moqt_code_name(0x1A), "MALFORMED_AUTHORITY");
    assert_string_equal(parley_moqt_code_name(0x0A), "UNKNOWN");

    (void) parley_moqt_fault_set(&fault, PARLEY_MOQT_INTERNAL_ERROR, "",
                                 "memory is exhausted");
    parley_assert_str(parley_moqt_fault_line(&fault, line),
                      "memory is exhausted");

    free((void *) octets.data);
}


static void
test_memory(void **state)
{
    int                    rc;
    size_t                 i, at, fail_at;
    uint8_t               *p;
    parley_mem_t           mem;
    parley_str_t           in;
    parley_test_mem_t      record;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    p = malloc(16384);
    assert_non_null(p);
    i = moqt_subscribe(p, 1, 4000, 0);
    fail_at = 0;

    do {
        mem = parley_test_mem(&record, ++fail_at);
        parley_moqt_control_init(&c, draft, &mem, PARLEY_MOQT_CLIENT,
                                 PARLEY_MOQT_ON_CONTROL);
        rc = 0;

        for (at = 0; at < i && rc == 0; at++) {
            in = parley_str_make(p + at, 1);
            rc = parley_moqt_control_next(&c, &in, &m, &fault);
        }

        /* an announced length alone takes no memory */

        assert_true(c.size <= 256 || c.size < 2 * at);

        if (rc < 0) {
            moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "");
        }

        parley_moqt_control_free(&c);
        assert_int_equal(record.live, 0);

    } while (rc < 0);

    assert_int_equal(rc, 1);
    assert_true(fail_at > 3);

    free(p);
}


/* Spoiled octets, whole and in pieces: one result, and no read too far. */

static void
test_spoiled(void **state)
{
    int                    rc, again;
    size_t                 i, n, at, step;
    uint8_t               *p;
    unsigned               round;
    parley_str_t           octets, in;
    parley_test_random_t   random;
    parley_moqt_fault_t    fault, other;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    random.state = 7;

    for (round = 0; round < 40000; round++) {
        i = parley_test_below(&random, MOQT_KNOWN);
        octets = moqt_octets(moqt_known[i].octets);
        p = (uint8_t *) octets.data;

        for (n = parley_test_below(&random, 3); n < 3; n++) {
            p[parley_test_below(&random, (unsigned) octets.len)]
                = (uint8_t) parley_test_below(&random, 256);
        }

        if (octets.len > 3 && p[0] < 0x40
            && parley_test_below(&random, 2))
        {
            p[1] = 0;
            p[2] = (uint8_t) (octets.len - 3);
        }

        in = octets;
        parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                 moqt_known[i].from, moqt_known[i].on);
        rc = parley_moqt_control_next(&c, &in, &m, &fault);
        n = octets.len - in.len;
        parley_moqt_control_free(&c);

        parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                 moqt_known[i].from, moqt_known[i].on);
        again = 0;
        step = 1 + parley_test_below(&random, 5);

        for (at = 0; at < octets.len && again == 0; at += step) {
            in = parley_str_make(p + at, at + step > octets.len
                                         ? octets.len - at : step);
            again = parley_moqt_control_next(&c, &in, &m, &other);
        }

        assert_int_equal(again, rc);

        if (rc == -1) {
            assert_int_equal(other.code, fault.code);
            assert_ptr_equal(other.text, fault.text);
            assert_ptr_equal(other.member, fault.member);

        } else if (rc == 1) {
            assert_true(n <= octets.len);
        }

        parley_moqt_control_free(&c);
        free(p);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 each message is read and written, octet for octet",
                test_known),
    parley_test("MOQ-12 members have their values", test_members),
    parley_test("MOQ-12 every split gives the same message", test_splits),
    parley_test("MOQ-12 messages follow each other in pieces of any size",
                test_sequence),
    parley_test("MOQ-12 a length one too short or too long is refused",
                test_lengths),
    parley_test("MOQ-12 unknown types, senders and streams are refused",
                test_types),
    parley_test("MOQ-12 a fault names the message and the member", test_line),
    parley_test("MOQ-12 exhausted memory is INTERNAL_ERROR", test_memory),
    parley_test("MOQ-12 spoiled octets have one result in any split",
                test_spoiled),
};

PARLEY_TEST_MAIN(tests)
