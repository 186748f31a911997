/* Control messages of MoQ Transport with each member at its limits. */

#include "t/unit/parley_test_moqt.h"


/* Each message with each integer at its limit, and above it. */

static void
test_integers(void **state)
{
    size_t                      i;
    uint64_t                   *member;
    parley_buf_t                b;
    parley_str_t                out, in;
    parley_arena_t              arena;
    parley_moqt_fault_t         fault;
    parley_moqt_control_t       c;
    parley_moqt_message_t       m, back;
    const parley_moqt_row_t    *row;
    const parley_moqt_field_t  *f;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < draft->nmessages; i++) {
        row = &draft->messages[i];

        for (f = row->name ? row->fields : NULL;
             f != NULL && f->kind != PARLEY_MOQT_FIELD_END; f++)
        {
            if (f->kind != PARLEY_MOQT_FIELD_INTEGER
                && f->kind != PARLEY_MOQT_FIELD_LOCATION)
            {
                continue;
            }

            memset(&m, 0, sizeof(m));
            m.type = i;
            m.fetch = f->when & 1 << PARLEY_MOQT_FETCH_RELATIVE
                      ? PARLEY_MOQT_FETCH_RELATIVE
                      : PARLEY_MOQT_FETCH_STANDALONE;
            assert_int_equal(parley_moqt_namespace_add(&m.space,
                                                       PARLEY_STR("x")), 0);

            member = (uint64_t *) (void *) ((uint8_t *) &m + f->at);
            *member = f->at == offsetof(parley_moqt_message_t, options)
                      ? 2 : MOQT_MAX;

            parley_buf_init(&b, &arena, 0);
            assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault),
                             0);
            assert_int_equal(parley_buf_done(&b, &out), 0);

            in = out;
            parley_moqt_control_init(&c, draft, &parley_mem_libc,
                                     row->from & PARLEY_MOQT_CLIENT
                                     ? PARLEY_MOQT_CLIENT : PARLEY_MOQT_SERVER,
                                     row->on);
            assert_int_equal(parley_moqt_control_next(&c, &in, &back, &fault),
                             1);
            assert_true(*(uint64_t *) (void *) ((uint8_t *) &back + f->at)
                        == *member);
            moqt_assert_written(&back, out);

            *member = MOQT_MAX + 1;
            assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault),
                             -1);
            assert_string_equal(fault.place, row->name);
            assert_string_equal(fault.member, f->name);
            assert_int_equal(b.len, out.len);
        }
    }

    parley_arena_reset(&arena);
}


/* Integers of 8 octets for small values are allowed everywhere. */

static void
test_long_integers(void **state)
{
    parley_str_t           octets;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    (void) state;

    octets = moqt_octets("c000000000000003 004b c000000000000007 |"
                         "c000000000000001 c000000000000001 \"x\" |"
                         "c000000000000001 \"y\" | c000000000000002 |"
                         "c000000000000010 c000000000000001 |"
                         "c000000000000011 c000000000000001 02");

    assert_int_equal(moqt_take(&moqt_known[2], octets, &m, &fault, &c), 1);
    assert_int_equal(m.type, PARLEY_MOQT_SUBSCRIBE);
    assert_int_equal(m.request, 7);
    parley_assert_str(m.space.fields[0], "x");
    parley_assert_str(m.name, "y");
    assert_int_equal(parley_moqt_pairs_integer(draft, &m.params,
                                               PARLEY_MOQT_PARAM_FORWARD, 0),
                     1);

    free((void *) octets.data);
}


static void
test_names(void **state)
{
    size_t                 i, n;
    uint8_t               *p;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    static const struct {
        unsigned     fields;
        unsigned     len;
        unsigned     name;
        const char  *member;    /* NULL: allowed */
    } rows[] = {
        { 1, 1, 0, NULL }, { 32, 1, 0, NULL }, { 32, 128, 0, NULL },
        { 1, 4096, 0, NULL }, { 1, 1, 4095, NULL }, { 32, 127, 32, NULL },
        { 0, 0, 1, "Track Namespace" }, { 33, 1, 0, "Track Namespace" },
        { 1, 0, 1, "Track Namespace" }, { 2, 0, 1, "Track Namespace" },
        { 1, 4097, 0, "Track Namespace" }, { 32, 129, 0, "Track Namespace" },
        { 1, 1, 4096, "Track Name" }, { 32, 128, 1, "Track Name" },
    };

    (void) state;

    p = malloc(16384);
    assert_non_null(p);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        n = moqt_subscribe(p, rows[i].fields, rows[i].len, rows[i].name);

        if (rows[i].member == NULL) {
            assert_int_equal(moqt_take(&moqt_known[2], parley_str_make(p, n),
                                       &m, &fault, &c), 1);
            assert_int_equal(m.space.count, rows[i].fields);
            assert_int_equal(m.name.len, rows[i].name);
            continue;
        }

        assert_int_equal(moqt_take(&moqt_known[2], parley_str_make(p, n), &m,
                                   &fault, &c), -1);
        moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                          rows[i].member);
        assert_string_equal(fault.place, "SUBSCRIBE");
    }

    free(p);
}


/* Texts at their limits: a reason of 1024 octets, a URI of 8192. */

static void
test_texts(void **state)
{
    size_t                 i, n;
    uint8_t               *p;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    static const struct {
        const char  *head;
        unsigned     max;
        const char  *member;
    } rows[] = {
        { "\x05\0\0\0\0\0", 1024, "Error Reason" },
        { "\x0b\0\0\0\0\0", 1024, "Error Reason" },
        { "\x0c\0\0\0\0", 1024, "Error Reason" },
        { "\x10\0\0", 8192, "New Session URI" },
    };

    static const size_t  heads[] = { 6, 6, 5, 3 };

    (void) state;

    p = malloc(16384);
    assert_non_null(p);

    for (i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
        n = rows[i / 2].max + i % 2;

        memset(p, 'r', 16384);
        memcpy(p, rows[i / 2].head, heads[i / 2]);
        p[heads[i / 2]] = (uint8_t) (0x40 | n >> 8);
        p[heads[i / 2] + 1] = (uint8_t) n;
        p[1] = (uint8_t) ((heads[i / 2] - 3 + 2 + n) >> 8);
        p[2] = (uint8_t) (heads[i / 2] - 3 + 2 + n);

        if (i % 2 == 0) {
            assert_int_equal(moqt_take(&moqt_known[3],
                                       parley_str_make(p, heads[i / 2] + 2 + n),
                                       &m, &fault, &c), 1);
            assert_int_equal(m.text.len, n);
            continue;
        }

        assert_int_equal(moqt_take(&moqt_known[3],
                                   parley_str_make(p, heads[i / 2] + 2 + n), &m,
                                   &fault, &c), -1);
        moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                          rows[i / 2].member);
    }

    free(p);
}


/* A SETUP of 65535 octets, and one of 10000 parameters. */

static void
test_large(void **state)
{
    size_t                      i;
    uint8_t                    *value;
    parley_buf_t                b;
    parley_str_t                out;
    parley_arena_t              arena;
    parley_moqt_fault_t         fault;
    parley_moqt_control_t       c;
    parley_moqt_message_t       m, back;
    parley_moqt_pairs_writer_t  w;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    value = calloc(1, 65536);
    assert_non_null(value);

    /* 1 octet is the number, 5 are type and length */

    for (i = 65535 - 6; i <= 65535 - 5; i++) {
        memset(&m, 0, sizeof(m));
        m.type = PARLEY_MOQT_CLIENT_SETUP;

        parley_moqt_pairs_writer_init(&w, draft, &arena);
        parley_moqt_pairs_put_octets(&w, PARLEY_MOQT_SETUP_IMPLEMENTATION,
                                     parley_str_make(value, i));
        assert_int_equal(parley_moqt_pairs_done(&w, &m.params), 0);

        if (i > 65535 - 6) {
            assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault),
                             -1);
            assert_string_equal(fault.member, "Length");
            break;
        }

        assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), 0);
        assert_int_equal(parley_buf_done(&b, &out), 0);
        assert_int_equal(out.len, 65538);
        assert_int_equal(moqt_take(&moqt_known[0], out, &back, &fault, &c), 1);
        moqt_assert_written(&back, out);
    }

    /* unknown Setup Parameters may be repeated */

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_CLIENT_SETUP;
    parley_moqt_pairs_writer_init(&w, draft, &arena);

    for (i = 0; i < 10000; i++) {
        parley_moqt_pairs_put_integer(&w, 0x40 + i / 3 * 2, i % 64);
    }

    assert_int_equal(parley_moqt_pairs_done(&w, &m.params), 0);
    parley_buf_init(&b, &arena, 0);
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), 0);
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(moqt_take(&moqt_known[0], out, &back, &fault, &c), 1);
    assert_int_equal(back.params.count, 10000);

    free(value);
    parley_arena_reset(&arena);
}


static void
test_values(void **state)
{
    size_t                 i;
    parley_str_t           octets;
    moqt_known_t           known;
    parley_moqt_fault_t    fault;
    parley_moqt_control_t  c;
    parley_moqt_message_t  m;

    static const struct {
        const char  *octets;
        const char  *member;
        const char  *text;
    } rows[] = {
        { "16 0003 04 00 00", "Fetch Type", "it is not 1 to 3" },
        { "16 0003 04 04 00", "Fetch Type", "it is not 1 to 3" },
        { "18 0005 04 02 00 00 00", "End Of Track", "it is not 0 or 1" },
        { "11 0004 04 00 03 00", "Subscribe Options", "it is not 0 to 2" },
        { "11 0004 04 21 00 00", "Track Namespace Prefix",
          "it has more than 32 fields" },
        { "08 0003 01 00 00", "Track Namespace Suffix", "a field is empty" },
        { "0a 0002 04 00", "Length", "octets follow the last field" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        octets = moqt_octets(rows[i].octets);

        known.from = PARLEY_MOQT_CLIENT;
        known.on = draft->messages[octets.data[0]].on;

        assert_int_equal(moqt_take(&known, octets, &m, &fault, &c), -1);
        moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION,
                          rows[i].member);
        assert_string_equal(fault.text, rows[i].text);
        free((void *) octets.data);
    }
}


/* The writer refuses members above their limits, and changes nothing. */

static void
test_writer(void **state)
{
    uint8_t                *value;
    parley_buf_t            b;
    parley_arena_t          arena;
    parley_moqt_fault_t     fault;
    parley_moqt_message_t   m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    value = calloc(1, 8193);
    assert_non_null(value);
    memset(&m, 0, sizeof(m));

    m.type = 0x01;
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "Type");

    m.type = PARLEY_MOQT_SUBSCRIBE;
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "Track Namespace");

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("x")), 0);
    m.name = parley_str_make(value, 4096);
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "Track Name");

    m.type = PARLEY_MOQT_REQUEST_ERROR;
    m.text = parley_str_make(value, 1025);
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "Error Reason");

    m.type = PARLEY_MOQT_GOAWAY;
    m.text = parley_str_make(value, 8193);
    assert_int_equal(parley_moqt_message_write(draft, &b, &m, &fault), -1);
    moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "New Session URI");

    assert_int_equal(b.len, 0);

    free(value);
    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 each integer at its limit", test_integers),
    parley_test("MOQ-12 small integers of 8 octets are allowed",
                test_long_integers),
    parley_test("MOQ-12 namespaces and names at their limits", test_names),
    parley_test("MOQ-12 reasons and URIs at their limits", test_texts),
    parley_test("MOQ-12 65535 octets and 10000 parameters of SETUP",
                test_large),
    parley_test("MOQ-12 members with few values are checked", test_values),
    parley_test("MOQ-12 the writer keeps the limits", test_writer),
};

PARLEY_TEST_MAIN(tests)
