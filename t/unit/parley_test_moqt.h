/* Shared by the tests of moqt/. */

#ifndef PARLEY_TEST_MOQT_H
#define PARLEY_TEST_MOQT_H

#include "t/unit/parley_test.h"

#include "core/parley_hex.h"
#include "moqt/parley_moqt_session.h"


#define MOQT_LIMIT  8       /* requests of each side of a session */
#define MOQT_MAX    ((UINT64_C(1) << 62) - 1)


static const parley_moqt_draft_t *const  draft = &parley_moqt_draft_16;


/*
 * Returns octets that are written as hex digits, in which spaces and "|" mean
 * nothing and "..." in quotes is text, in an allocation of their exact size.
 */
static inline parley_str_t
moqt_octets(const char *text)
{
    int       quoted;
    size_t    n;
    uint8_t  *octets, *ret;

    octets = malloc(strlen(text) + 1);
    assert_non_null(octets);
    n = 0;
    quoted = 0;

    for ( /* void */ ; *text != '\0'; text++) {

        if (*text == '"') {
            quoted = !quoted;

        } else if (quoted) {
            octets[n++] = (uint8_t) *text;

        } else if (*text != ' ' && *text != '|') {
            octets[n++] = (uint8_t) (parley_hex_digit((uint8_t) text[0]) << 4
                                     | parley_hex_digit((uint8_t) text[1]));
            text++;
        }
    }

    ret = malloc(n > 0 ? n : 1);
    assert_non_null(ret);
    memcpy(ret, octets, n);
    free(octets);

    return parley_str_make(ret, n);
}


/* Returns a copy of its exact size. */
static inline parley_str_t
moqt_copy(parley_str_t s)
{
    uint8_t  *copy;

    copy = malloc(s.len > 0 ? s.len : 1);
    assert_non_null(copy);

    if (s.len > 0) {
        memcpy(copy, s.data, s.len);
    }

    return parley_str_make(copy, s.len);
}


/* Asserts the code and the member of a fault, and that it has a text. */
static inline void
moqt_assert_fault(const parley_moqt_fault_t *fault, parley_moqt_code_t code,
    const char *member)
{
    assert_string_equal(parley_moqt_code_name(fault->code),
                        parley_moqt_code_name(code));
    assert_string_equal(fault->member, member);
    assert_true(fault->text[0] != '\0');
}


/* a message and its octets in the shortest form */
typedef struct {
    parley_moqt_role_t  from;
    unsigned            on;
    const char         *octets;
} moqt_known_t;

#define moqt_control(octets)                                                  \
    { PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_CONTROL, octets }
#define moqt_server(octets)                                                   \
    { PARLEY_MOQT_SERVER, PARLEY_MOQT_ON_CONTROL, octets }
#define moqt_request(octets)                                                  \
    { PARLEY_MOQT_CLIENT, PARLEY_MOQT_ON_REQUEST, octets }
#define moqt_response(octets)                                                 \
    { PARLEY_MOQT_SERVER, PARLEY_MOQT_ON_RESPONSE, octets }


/* the first rows are as two implementations exchanged them */
static const moqt_known_t  moqt_known[] = {
    moqt_control("20 0012 03 | 01 01 2f | 01 43e8 | 03 09 \"localhost\""),
    moqt_server("21 0013 02 | 02 800f4240 | 05 0b \"nginx-proto\""),
    moqt_control("03 000d 00 | 01 04 \"chat\" | 04 \"room\" | 00"),
    moqt_server("04 0003 00 01 00"),
    moqt_control("1d 000e 02 | 01 04 \"chat\" | 04 \"room\" | 07 00"),
    moqt_server("1e 0002 02 00"),
    moqt_control("06 0007 06 | 01 03 \"srv\" | 00"),
    moqt_server("07 0002 06 00"),
    moqt_server("05 0007 08 03 00 03 \"not\""),

    /* all types of messages, with parameters and extensions */
    moqt_control("20 0001 00"),
    moqt_control("20 000a 01 | 03 07 03 00 \"token\""),
    moqt_server("21 0001 00"),
    moqt_control("10 0001 00"),
    moqt_server("10 0014 13 \"moqt://example.org/\""),
    moqt_control("15 0002 43e8"),
    moqt_control("1a 0001 3f"),
    moqt_control("05 0004 02 10 00 00"),
    moqt_control("07 0006 02 | 01 | 09 02 05 07"),
    moqt_control("03 001a 04 | 02 01 \"a\" 02 \"bc\" | 00 | 05 | 02 43e8"
                 "| 01 02 02 09 | 0d 01 | 10 00 | 01 04 04 01 02 03"),
    moqt_server("04 0010 04 4040 02 | 08 01 | 01 02 03 04 |"
                "02 01 | 02 02 | 0a 05"),
    moqt_control("02 0005 06 04 01 | 10 00"),
    moqt_control("0a 0001 04"),
    moqt_control("1d 000f 02 | 01 01 \"x\" | 01 \"y\" | 7fff | 01 | 10 00"
                 "| 0e 05 | 14 02"),
    moqt_control("1e 0008 01 | 03 | 10 01 | 10 05 | 02 01"),
    moqt_control("0b 0008 02 03 bfffffff 01 \"x\""),
    moqt_control("16 000c 04 01 | 01 01 \"x\" | 01 \"y\" | 00 00 | 05 00 | 00"),
    moqt_control("16 0007 04 02 | 00 05 | 01 | 22 02"),
    moqt_control("16 0006 04 03 | 00 4100 | 00"),
    moqt_server("18 0007 04 01 | 05 00 | 00 | 04 05"),
    moqt_control("17 0001 04"),
    moqt_control("0d 0007 04 | 01 01 \"x\" | 01 \"y\" | 00"),
    moqt_control("09 0001 04"),
    moqt_control("0c 0004 04 01 01 \"x\""),
    moqt_request("11 0004 04 | 00 | 01 | 00"),
    moqt_request("11 0008 04 | 01 03 \"a2a\" | 02 | 00"),
    moqt_response("07 0002 04 00"),
    moqt_response("08 0001 00"),
    moqt_response("08 0008 01 06 \"camera\""),
    moqt_response("0e 0008 01 06 \"camera\""),

    /* as the encoders of npm's @moq/lite 0.2.2 write them */
    moqt_control("2000160301042f6d6f71018000a45505086d6f712d6c697465"),
    moqt_control("030026404602036132610663616d6572610c63616d6572612e302e63"
                 "6d640410011040c80101020102"),
    moqt_server("040009404680004e20012202"),
    moqt_control("1d00130202016101620176090309030543e807001201"),
    moqt_control("0b000702020003627965"),
    moqt_control("10000100"),
    moqt_server("0700020600"),
    moqt_server("05000906419400046e6f7065"),
    moqt_control("060009080301780179017a00"),
    moqt_control("09000108"),
    moqt_request("1100080a02017801790100"),
    moqt_control("0d00070c010178017400"),
    moqt_control("0a00010c"),
};

#define MOQT_KNOWN  (sizeof(moqt_known) / sizeof(moqt_known[0]))


/* Takes one message from octets, which must be all of them. */
static inline int
moqt_take(const moqt_known_t *k, parley_str_t octets, parley_moqt_message_t *m,
    parley_moqt_fault_t *fault, parley_moqt_control_t *c)
{
    int           rc;
    parley_str_t  in;

    in = octets;

    parley_moqt_control_init(c, draft, &parley_mem_libc, k->from, k->on);
    rc = parley_moqt_control_next(c, &in, m, fault);

    assert_true(rc != 0 || in.len == 0);

    return rc;
}


/* Asserts that a message is written as these octets. */
static inline void
moqt_assert_written(const parley_moqt_message_t *m, parley_str_t octets)
{
    parley_buf_t         b;
    parley_str_t         out;
    parley_arena_t       arena;
    parley_moqt_fault_t  fault;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    assert_int_equal(parley_moqt_message_write(draft, &b, m, &fault), 0);
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(out.len, octets.len);
    assert_memory_equal(out.data, octets.data, out.len);

    parley_arena_reset(&arena);
}


/*
 * Writes SUBSCRIBE with a namespace of equal fields and a name, without checks.
 * Returns its length.
 */
static inline size_t
moqt_subscribe(uint8_t *p, unsigned fields, unsigned len, unsigned name)
{
    uint8_t   *start = p;
    unsigned   i;

    p += 3;
    *p++ = 0;
    *p++ = (uint8_t) fields;

    for (i = 0; i < fields; i++) {
        *p++ = (uint8_t) (0x40 | len >> 8);
        *p++ = (uint8_t) len;
        memset(p, 'x', len);
        p += len;
    }

    *p++ = (uint8_t) (0x40 | name >> 8);
    *p++ = (uint8_t) name;
    memset(p, 'n', name);
    p += name;
    *p++ = 0;

    start[0] = PARLEY_MOQT_SUBSCRIBE;
    start[1] = (uint8_t) ((p - start - 3) >> 8);
    start[2] = (uint8_t) (p - start - 3);

    return (size_t) (p - start);
}


static inline void
moqt_begin(parley_moqt_session_t *s, parley_moqt_role_t role)
{
    assert_int_equal(parley_moqt_session_init(s, draft, &parley_mem_libc,
                                              role, MOQT_LIMIT), 0);
}


/* Appends the SETUP of a session. */
static inline void
moqt_setup(parley_moqt_session_t *s, parley_buf_t *b)
{
    parley_arena_t              arena;
    parley_moqt_fault_t         fault;
    parley_moqt_effect_t        effect;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  w;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&m, 0, sizeof(m));

    m.type = s->role == PARLEY_MOQT_CLIENT ? PARLEY_MOQT_CLIENT_SETUP
                                           : PARLEY_MOQT_SERVER_SETUP;

    parley_moqt_pairs_writer_init(&w, draft, &arena);
    parley_moqt_pairs_put_integer(&w, PARLEY_MOQT_SETUP_MAX_REQUEST_ID,
                                  2 * s->limit);
    assert_int_equal(parley_moqt_pairs_done(&w, &m.params), 0);
    assert_int_equal(parley_moqt_session_send(s, b, &m, &effect, &fault), 0);
    assert_null(effect.request);

    parley_arena_reset(&arena);
}


#endif /* PARLEY_TEST_MOQT_H */
