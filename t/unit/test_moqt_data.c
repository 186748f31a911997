/* Data streams of MoQ Transport: headers, objects, splits, ends. */

#include "t/unit/parley_test_moqt.h"
#include "t/unit/parley_test_random.h"

#include "moqt/parley_moqt_data.h"


#define STEPS  64


/* Asserts that the octets of extensions are still there. */

static void
assert_extensions(const parley_moqt_pairs_t *extensions)
{
    uint64_t              type, n;
    parley_moqt_pair_t    pair;
    parley_moqt_fault_t   fault;
    parley_moqt_cursor_t  c;

    parley_moqt_pairs_begin(draft, extensions, &c);
    type = 0;

    for (n = 0; c.pos < c.end; n++) {
        assert_int_equal(parley_moqt_pair_read(&c, &type, &pair, &fault), 0);
    }

    assert_int_equal(n, extensions->count);
}


/*
 * Reads a stream in pieces of step octets, and writes all of its events as
 * text, so that two readings can be compared.  Returns 0 with the FIN, or -1.
 */

static int
read_stream(parley_str_t octets, size_t step, char *text, size_t size,
    parley_moqt_fault_t *fault)
{
    int                 rc, ended;
    size_t              at, n;
    uint64_t            left;
    parley_str_t        part, in, payload;
    parley_moqt_data_t  d;

    parley_moqt_data_init(&d, draft, &parley_mem_libc);
    text[0] = '\0';
    n = 0;
    rc = 0;
    left = 0;

    for (at = 0; at < octets.len && rc >= 0; at += step) {

        part = moqt_copy(parley_str_make(octets.data + at,
                             at + step > octets.len ? octets.len - at
                                                    : step));
        in = part;

        for ( ;; ) {
            rc = parley_moqt_data_next(&d, &in, &payload, fault);

            if (rc == PARLEY_MOQT_DATA_MORE) {
                assert_int_equal(in.len, 0);
                break;
            }

            if (rc < 0) {
                break;
            }

            if (rc == PARLEY_MOQT_DATA_STREAM) {
                n += (size_t) snprintf(text + n, size - n,
                         "S%02x r%llu a%llu g%llu s%llu p%u",
                         (unsigned) d.stream.type,
                         (unsigned long long) d.stream.request,
                         (unsigned long long) d.stream.alias,
                         (unsigned long long) d.stream.group,
                         (unsigned long long) d.stream.subgroup,
                         d.stream.priority);
                continue;
            }

            if (rc == PARLEY_MOQT_DATA_OBJECT) {
                assert_int_equal(left, 0);
                left = d.object.length;
                n += (size_t) snprintf(text + n, size - n,
                         "\n%u%s %u g%llu s%llu i%llu p%u x%u/%u l%llu%s ",
                         d.object.kind, d.object.datagram ? "d" : "",
                         d.object.status,
                         (unsigned long long) d.object.group,
                         (unsigned long long) d.object.subgroup,
                         (unsigned long long) d.object.id,
                         d.object.priority,
                         (unsigned) d.object.extensions.count,
                         (unsigned) d.object.extensions.octets.len,
                         (unsigned long long) d.object.length,
                         d.object.malformed ? " malformed" : "");

                assert_extensions(&d.object.extensions);
            }

            assert_true(payload.len <= left);
            left -= payload.len;
            assert_true(left == d.left);
            assert_true(n + payload.len < size);
            memcpy(text + n, payload.data, payload.len);
            n += payload.len;
            text[n] = '\0';
        }

        memset((void *) part.data, 0xFF, part.len);
        free((void *) part.data);
    }

    ended = rc < 0 ? -1 : parley_moqt_data_end(&d, fault);

    parley_moqt_data_free(&d);

    return ended;
}


/* Reads a stream in all pieces up to STEPS octets, with one result. */

static int
read_all(const char *hex, char *text, size_t size,
    parley_moqt_fault_t *fault)
{
    int                   rc;
    char                 *other;
    size_t                step;
    parley_str_t          octets;
    parley_moqt_fault_t   again;

    octets = moqt_octets(hex);
    rc = read_stream(octets, octets.len + 1, text, size, fault);

    other = malloc(size);
    assert_non_null(other);

    for (step = 1; step <= STEPS && step < octets.len; step++) {

        assert_int_equal(read_stream(octets, step, other, size, &again), rc);
        assert_string_equal(other, text);

        if (rc != 0) {
            assert_int_equal(again.code, fault->code);
            assert_ptr_equal(again.text, fault->text);
        }
    }

    free(other);
    free((void *) octets.data);

    return rc;
}


static void
test_streams(void **state)
{
    char                 text[4096];
    size_t               i;
    parley_moqt_fault_t  fault;

    static const struct {
        const char  *octets;
        const char  *events;
    } rows[] = {

        /* as two implementations exchanged it */
        { "18 01 00 80 | 00 05 \"hello\"",
          "S18 r0 a1 g0 s0 p128\n"
          "0 0 g0 s0 i0 p128 x0/0 l5 hello" },

        /* the examples of the draft */
        { "14 02 00 00 00 | 00 04 \"abcd\" | 00 04 \"efgh\"",
          "S14 r0 a2 g0 s0 p0\n"
          "0 0 g0 s0 i0 p0 x0/0 l4 abcd\n"
          "0 0 g0 s0 i1 p0 x0/0 l4 efgh" },
        { "35 02 00 00 | 00 1b 04 c0000000825818b3 4049 0f"
          "\"traceID:1234567\" | 04 \"abcd\" | 00 00 04 \"efgh\"",
          "S35 r0 a2 g0 s0 p0\n"
          "0 0 g0 s0 i0 p0 x2/27 l4 abcd\n"
          "0 0 g0 s0 i1 p0 x0/0 l4 efgh" },

        /* the Subgroup ID of the first object; distances; status */
        { "12 01 05 07 | 09 01 \"x\" | 02 00 00 | 4040 00 03",
          "S12 r0 a1 g5 s0 p7\n"
          "0 0 g5 s9 i9 p7 x0/0 l1 x\n"
          "0 0 g5 s9 i12 p7 x0/0 l0 \n"
          "0 3 g5 s9 i77 p7 x0/0 l0 " },
        { "30 01 05", "S30 r0 a1 g5 s0 p0" },
        { "10 01 05 00 | 00 00 04",
          "S10 r0 a1 g5 s0 p0\n0 4 g5 s0 i0 p0 x0/0 l0 " },
        { "10 01 05 00 | ffffffffffffffff 01 \"x\"",
          "S10 r0 a1 g5 s0 p0\n"
          "0 0 g5 s0 i4611686018427387903 p0 x0/0 l1 x" },

        /* FETCH */
        { "05 04", "S05 r4 a0 g0 s0 p0" },
        { "05 04 | 1f 02 03 04 80 01 \"x\" | 01 01 \"y\" | 02 00 |"
          "0c 03 00 00 | 407c 03 05 09 02 0601 01 \"z\" | 10 01 00",
          "S05 r4 a0 g0 s0 p0\n"
          "0 0 g2 s3 i4 p128 x0/0 l1 x\n"
          "0 0 g2 s3 i5 p128 x0/0 l1 y\n"
          "0 0 g2 s4 i6 p128 x0/0 l0 \n"
          "0 0 g3 s0 i0 p128 x0/0 l0 \n"
          "0d 0 g3 s0 i5 p9 x1/2 l1 z\n"
          "0 0 g3 s0 i6 p1 x0/0 l0 " },

        /* ranges; the next object refers to the location of the range */
        { "05 04 | 408c 02 05 00 | 410c 03 00 00 | 10 07 00 | 408c 04 04 00 |"
          "01 00",
          "S05 r4 a0 g0 s0 p0\n"
          "1 0 g2 s0 i5 p0 x0/0 l0 \n"
          "2 0 g3 s0 i0 p0 x0/0 l0 \n"
          "0 0 g3 s0 i1 p7 x0/0 l0 \n"
          "1 0 g4 s0 i4 p7 x0/0 l0 \n"
          "0 0 g4 s0 i5 p7 x0/0 l0 " },

        /* malformed tracks */
        { "05 04 | 1c 02 05 00 00 | 04 05 00",
          "S05 r4 a0 g0 s0 p0\n"
          "0 0 g2 s0 i5 p0 x0/0 l0 \n"
          "0 0 g2 s0 i5 p0 x0/0 l0 malformed " },
        { "31 01 05 | 02 02 3e02 00 00 | 00 04 3e 00 00 00 00 00 |"
          "00 02 3e 06 00 00 | 00 02 3c05 00 00 | 00 02 3c06 00 00 |"
          "00 04 0b02 0200 00 00 | 00 04 0b02 0b00 00 00 |"
          "00 03 0b01 02 00 00 | 00 04 0b 00 00 00 00 00",
          "S31 r0 a1 g5 s0 p0\n"
          "0 0 g5 s0 i2 p0 x1/2 l0 \n"
          "0 0 g5 s0 i3 p0 x2/4 l0 malformed \n"
          "0 0 g5 s0 i4 p0 x1/2 l0 malformed \n"
          "0 0 g5 s0 i5 p0 x1/2 l0 \n"
          "0 0 g5 s0 i6 p0 x1/2 l0 malformed \n"
          "0 0 g5 s0 i7 p0 x1/4 l0 \n"
          "0 0 g5 s0 i8 p0 x1/4 l0 malformed \n"
          "0 0 g5 s0 i9 p0 x1/3 l0 malformed \n"
          "0 0 g5 s0 i10 p0 x2/4 l0 malformed " },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        if (read_all(rows[i].octets, text, sizeof(text), &fault) != 0) {
            fail_msg("%s: %s: %s", rows[i].octets, fault.member, fault.text);
        }

        assert_string_equal(text, rows[i].events);
    }
}


static void
test_faults(void **state)
{
    char                 text[4096];
    size_t               i;
    parley_moqt_fault_t  fault;

    static const struct {
        const char          *octets;
        parley_moqt_code_t   code;
        const char          *member;
    } rows[] = {

        /* Object IDs that overflow by distances */
        { "10 01 05 00 | ffffffffffffffff 00 00 | 00 00 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "Object ID Delta" },
        { "10 01 05 00 | 00 00 00 | ffffffffffffffff 00 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "Object ID Delta" },
        { "10 01 05 00 | 00 00 00 | fffffffffffffffe 00 00",
          0, "" },

        /* status */
        { "10 01 05 00 | 00 00 01", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object Status" },
        { "10 01 05 00 | 00 00 02", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object Status" },
        { "10 01 05 00 | 00 00 05", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object Status" },
        { "11 01 05 00 | 00 02 0200 00 03", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object Status" },
        { "11 01 05 00 | 00 00 00 03", 0, "" },

        /* extensions */
        { "11 01 05 00 | 00 01 02 00 00",
          PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR, "Extension Headers" },
        { "11 01 05 00 | 00 02 01 01 00 00",
          PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR, "Extension Headers" },
        { "11 01 05 00 | 00 01 ff 00 00",
          PARLEY_MOQT_KEY_VALUE_FORMATTING_ERROR, "Extension Headers" },
        { "11 01 05 00 | 00 05 09 80010000 00 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "Extension Headers" },
        { "11 01 05 00 | 00 80010000", PARLEY_MOQT_INTERNAL_ERROR,
          "Extension Headers Length" },
        { "11 01 05 00 | 00 ffffffffffffffff", PARLEY_MOQT_INTERNAL_ERROR,
          "Extension Headers Length" },

        /* the flags of FETCH: the first object refers to nothing */
        { "05 04 | 17 03 04 80 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Group ID" },
        { "05 04 | 1b 02 03 80 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object ID" },
        { "05 04 | 0f 02 03 04 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Publisher Priority" },
        { "05 04 | 1d 02 04 80 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Subgroup ID" },
        { "05 04 | 1e 02 04 80 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Subgroup ID" },
        { "05 04 | 405f 02 04 80 00", 0, "" },
        { "05 04 | 405c 02 04 80 00 | 01 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Subgroup ID" },
        { "05 04 | 408c 02 04 00 | 00 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Publisher Priority" },
        { "05 04 | 408c 02 04 00 | 11 05 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Subgroup ID" },
        { "05 04 | 408c 02 04 01 \"x\"", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Object Payload Length" },
        { "05 04 | 4080", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Serialization Flags" },
        { "05 04 | 408d 02 04 00", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Serialization Flags" },
        { "05 04 | ffffffffffffffff", PARLEY_MOQT_PROTOCOL_VIOLATION,
          "Serialization Flags" },
        { "05 04 | 1c 02 ffffffffffffffff 80 00 | 00 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "Object ID" },
        { "05 04 | 1f 02 ffffffffffffffff 00 80 00 | 02 00",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "Subgroup ID" },

        /* a payload that never ends */
        { "10 01 05 00 | 00 ffffffffffffffff \"x\"",
          PARLEY_MOQT_PROTOCOL_VIOLATION, "FIN" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        if (rows[i].code == 0) {
            assert_int_equal(read_all(rows[i].octets, text, sizeof(text),
                                      &fault), 0);
            continue;
        }

        if (read_all(rows[i].octets, text, sizeof(text), &fault) == 0) {
            fail_msg("%s: read", rows[i].octets);
        }

        moqt_assert_fault(&fault, rows[i].code, rows[i].member);
        assert_int_equal(fault.stream,
                         rows[i].code == PARLEY_MOQT_INTERNAL_ERROR);
        assert_true(fault.place[0] != '\0');
    }
}


/* Every type of stream: those of the draft, and no others. */

static void
test_types(void **state)
{
    int                  rc;
    uint8_t              octets[8];
    unsigned             type;
    parley_str_t         in, payload;
    parley_moqt_data_t   d;
    parley_moqt_fault_t  fault;

    (void) state;

    memset(octets, 0x11, sizeof(octets));

    for (type = 0; type < 0x4000; type++) {
        octets[0] = (uint8_t) (0x40 | type >> 8);
        octets[1] = (uint8_t) type;

        in = parley_str_make(octets, sizeof(octets));
        parley_moqt_data_init(&d, draft, &parley_mem_libc);
        rc = parley_moqt_data_next(&d, &in, &payload, &fault);

        if (type == 0x05
            || (((type >= 0x10 && type <= 0x1F)
                 || (type >= 0x30 && type <= 0x3F)) && (type & 6) != 6))
        {
            assert_int_equal(rc, PARLEY_MOQT_DATA_STREAM);
            assert_int_equal(in.len, type == 5 ? 5
                                     : 4 - !!(type & 4) - !(type & 0x20));
            assert_int_equal(d.stream.type, type);
            continue;
        }

        assert_int_equal(rc, -1);
        moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "Type");
    }
}


/* The FIN is allowed after the header and after each object. */

static void
test_ends(void **state)
{
    char                 text[4096];
    size_t               i, len;
    parley_str_t         octets;
    parley_moqt_fault_t  fault;

    static const char  whole[] = "11 01 05 00 | 00 04 0200 0200 03 \"abc\" |"
                                 "00 00 01 \"x\" | 00 00 00 00";

    (void) state;

    octets = moqt_octets(whole);

    for (len = 0; len <= octets.len; len++) {
        i = (size_t) read_stream(parley_str_make(octets.data, len), 3, text,
                                 sizeof(text), &fault);

        if (len == 4 || len == 14 || len == 18 || len == 22) {
            assert_int_equal(i, 0);
            continue;
        }

        assert_int_equal((int) i, -1);
        moqt_assert_fault(&fault, PARLEY_MOQT_PROTOCOL_VIOLATION, "FIN");
        assert_int_equal(fault.offset, len);
    }

    free((void *) octets.data);
}


/* Random objects are read as they were written, in any split. */

static void
test_round(void **state)
{
    int                        rc;
    size_t                     step, at;
    unsigned                   round, i, n, objects;
    parley_buf_t               b;
    parley_str_t               out, in, payload;
    parley_arena_t             arena;
    parley_moqt_data_t         d;
    parley_moqt_fault_t        fault;
    parley_moqt_object_t       sent[8], *o;
    parley_moqt_stream_t       stream;
    parley_test_random_t       random;
    parley_moqt_data_writer_t  w;

    static const uint8_t  extensions[] = { 0x02, 0x00, 0x3A, 0x00 };

    (void) state;

    random.state = 11;
    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (round = 0; round < 20000; round++) {

        parley_arena_reset(&arena);
        parley_buf_init(&b, &arena, 0);
        memset(&stream, 0, sizeof(stream));
        memset(sent, 0, sizeof(sent));

        do {
            stream.type = parley_test_below(&random, 8) == 0
                          ? PARLEY_MOQT_STREAM_FETCH
                          : 0x10 | parley_test_below(&random, 64);
        } while (stream.type != PARLEY_MOQT_STREAM_FETCH
                 && !parley_moqt_stream_is_subgroup(stream.type));

        stream.alias = parley_test_random(&random) >> 40;
        stream.request = stream.alias;
        stream.group = parley_test_below(&random, 100);
        stream.priority = (uint8_t) parley_test_random(&random);

        assert_int_equal(parley_moqt_data_write(&w, draft, &b, &stream), 0);
        objects = parley_test_below(&random, 8);

        for (i = 0; i < objects; i++) {
            o = &sent[i];
            *o = i > 0 ? sent[i - 1] : *o;

            o->id += 1 + parley_test_below(&random, 3) / 2 * 70;
            o->length = parley_test_below(&random, 20);
            o->status = PARLEY_MOQT_STATUS_NORMAL;
            o->extensions.octets = parley_str_none;
            o->kind = PARLEY_MOQT_OBJECT;

            if (stream.type == PARLEY_MOQT_STREAM_FETCH) {
                o->group += parley_test_below(&random, 2);
                o->priority += (uint8_t) parley_test_below(&random, 2);
                o->datagram = parley_test_below(&random, 4) == 0;
                o->subgroup = parley_test_below(&random, 3);

                if (parley_test_below(&random, 8) == 0) {
                    o->kind = parley_test_below(&random, 2)
                              ? PARLEY_MOQT_RANGE_ABSENT
                              : PARLEY_MOQT_RANGE_UNKNOWN;
                    o->length = 0;
                }

            } else if (o->length == 0) {
                o->status = parley_test_below(&random, 2)
                            ? PARLEY_MOQT_STATUS_END_OF_GROUP
                            : PARLEY_MOQT_STATUS_NORMAL;
            }

            if (parley_test_below(&random, 2)
                && o->status == PARLEY_MOQT_STATUS_NORMAL
                && o->kind == PARLEY_MOQT_OBJECT
                && (stream.type == PARLEY_MOQT_STREAM_FETCH
                    || (stream.type & PARLEY_MOQT_STREAM_EXTENSIONS)))
            {
                o->extensions.octets
                    = parley_str_make(extensions, sizeof(extensions));
            }

            assert_int_equal(parley_moqt_object_write(&w, &b, o), 0);
            parley_buf_put(&b, "payload payload payload", o->length);
        }

        assert_int_equal(parley_buf_done(&b, &out), 0);

        parley_moqt_data_init(&d, draft, &parley_mem_libc);
        step = 1 + parley_test_below(&random, 40);
        n = 0;

        for (at = 0; at < out.len; at += step) {
            in = parley_str_make(out.data + at, at + step > out.len
                                                ? out.len - at : step);

            do {
                rc = parley_moqt_data_next(&d, &in, &payload, &fault);
                assert_true(rc >= 0);

                if (rc != PARLEY_MOQT_DATA_OBJECT) {
                    continue;
                }

                o = &sent[n++];

                assert_int_equal(d.object.kind, o->kind);
                assert_true(d.object.id == o->id);
                assert_true(d.object.length == o->length);
                assert_int_equal(d.object.status, o->status);
                assert_true(parley_str_eq(d.object.extensions.octets,
                                          o->extensions.octets));
                assert_null(d.object.malformed);

                if (stream.type != PARLEY_MOQT_STREAM_FETCH) {
                    assert_true(d.object.group == stream.group);
                    continue;
                }

                assert_true(d.object.group == o->group);

                if (o->kind == PARLEY_MOQT_OBJECT) {
                    assert_int_equal(d.object.priority, o->priority);
                    assert_int_equal(d.object.datagram, o->datagram);
                    assert_true(o->datagram
                                || d.object.subgroup == o->subgroup);
                }

            } while (rc != PARLEY_MOQT_DATA_MORE);
        }

        assert_int_equal(n, objects);
        assert_int_equal(parley_moqt_data_end(&d, &fault), 0);
        parley_moqt_data_free(&d);
    }

    parley_arena_reset(&arena);
}


static void
test_writer(void **state)
{
    size_t                     len;
    parley_buf_t               b;
    parley_arena_t             arena;
    parley_moqt_object_t       o;
    parley_moqt_stream_t       stream;
    parley_moqt_data_writer_t  w;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    memset(&stream, 0, sizeof(stream));
    memset(&o, 0, sizeof(o));

    stream.type = 0x16;
    assert_int_equal(parley_moqt_data_write(&w, draft, &b, &stream), -1);
    stream.type = 0x10;
    stream.group = MOQT_MAX + 1;
    assert_int_equal(parley_moqt_data_write(&w, draft, &b, &stream), -1);
    assert_int_equal(b.len, 0);

    stream.group = 0;
    assert_int_equal(parley_moqt_data_write(&w, draft, &b, &stream), 0);
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), 0);
    len = b.len;

    /* an ID that does not ascend; extensions without their bit; a range */

    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    o.id = 1;
    o.extensions.octets = PARLEY_STR("\x02");
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    o.extensions.octets = parley_str_none;
    o.kind = PARLEY_MOQT_RANGE_ABSENT;
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    o.kind = PARLEY_MOQT_OBJECT;
    o.status = PARLEY_MOQT_STATUS_END_OF_GROUP;
    o.length = 1;
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    o.length = MOQT_MAX + 1;
    o.status = PARLEY_MOQT_STATUS_NORMAL;
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    assert_int_equal(b.len, len);

    /* status and ranges with a payload after FETCH */

    stream.type = PARLEY_MOQT_STREAM_FETCH;
    assert_int_equal(parley_moqt_data_write(&w, draft, &b, &stream), 0);
    len = b.len;
    o.length = 0;
    o.status = PARLEY_MOQT_STATUS_END_OF_TRACK;
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    o.status = PARLEY_MOQT_STATUS_NORMAL;
    o.kind = PARLEY_MOQT_RANGE_ABSENT;
    o.length = 1;
    assert_int_equal(parley_moqt_object_write(&w, &b, &o), -1);
    assert_int_equal(b.len, len);

    parley_arena_reset(&arena);
}


/* Extensions of 65535 octets that come octet by octet; failed allocations. */

static void
test_memory(void **state)
{
    int                  rc;
    size_t               i, fail_at;
    uint8_t             *p;
    parley_mem_t         mem;
    parley_str_t         in, payload;
    parley_moqt_data_t   d;
    parley_test_mem_t    record;
    parley_moqt_fault_t  fault;

    static const size_t  len = 3 + 1 + 4 + 65535 + 1;

    (void) state;

    p = calloc(1, len);
    assert_non_null(p);

    /* the type 0x01 with 65530 octets */

    memcpy(p, "\x31\x01\x05\x00\x80\x00\xff\xff\x01\x80\x00\xff\xfa", 13);
    p[len - 1] = 1;
    fail_at = 0;

    do {
        mem = parley_test_mem(&record, ++fail_at);
        parley_moqt_data_init(&d, draft, &mem);
        rc = PARLEY_MOQT_DATA_MORE;

        for (i = 0; i < len && (rc == PARLEY_MOQT_DATA_MORE
                                || rc == PARLEY_MOQT_DATA_STREAM); i++)
        {
            in = parley_str_make(p + i, 1);
            rc = parley_moqt_data_next(&d, &in, &payload, &fault);
            assert_true(d.size <= 256 || d.size < 2 * i);
        }

        if (rc < 0) {
            moqt_assert_fault(&fault, PARLEY_MOQT_INTERNAL_ERROR, "");
            assert_false(fault.stream);
        }

        parley_moqt_data_free(&d);
        assert_int_equal(record.live, 0);

    } while (rc < 0);

    assert_int_equal(rc, PARLEY_MOQT_DATA_OBJECT);
    assert_int_equal(d.object.extensions.octets.len, 65535);
    assert_true(fail_at > 5);

    free(p);
}


/* Spoiled streams, whole and in pieces: one result, and no read too far. */

static void
test_spoiled(void **state)
{
    int                   rc;
    char                  text[4096], other[4096];
    size_t                i;
    uint8_t              *p;
    unsigned              round, n;
    parley_str_t          octets;
    parley_moqt_fault_t   fault, again;
    parley_test_random_t  random;

    static const char *const  streams[] = {
        "18 01 00 80 | 00 05 \"hello\" | 00 00 03",
        "31 01 05 | 02 02 3e02 00 00 | 00 04 3e 00 00 00 03 \"abc\" |"
        "00 04 0b02 0200 00 00",
        "05 04 | 1f 02 03 04 80 01 \"x\" | 01 01 \"y\" | 02 00 |"
        "0c 03 00 00 | 407c 03 05 09 02 0601 01 \"z\" | 408c 05 05 00",
    };

    (void) state;

    random.state = 3;

    for (round = 0; round < 30000; round++) {
        octets = moqt_octets(streams[parley_test_below(&random, 3)]);
        p = (uint8_t *) octets.data;

        for (n = parley_test_below(&random, 4); n < 4; n++) {
            i = parley_test_below(&random, (unsigned) octets.len);
            p[i] = (uint8_t) (parley_test_random(&random)
                              >> parley_test_below(&random, 8));
        }

        rc = read_stream(octets, octets.len, text, sizeof(text), &fault);

        assert_int_equal(read_stream(octets,
                                     1 + parley_test_below(&random, 5), other,
                                     sizeof(other), &again), rc);
        assert_string_equal(other, text);

        if (rc != 0) {
            assert_int_equal(again.code, fault.code);
            assert_ptr_equal(again.text, fault.text);
            assert_ptr_equal(again.member, fault.member);
        }

        free(p);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-12 data streams and their objects, in every split",
                test_streams),
    parley_test("MOQ-12 faults of data streams, in every split", test_faults),
    parley_test("MOQ-12 every type of stream", test_types),
    parley_test("MOQ-12 a FIN in a header or an object is refused",
                test_ends),
    parley_test("MOQ-12 written objects are read back", test_round),
    parley_test("MOQ-12 the writer refuses objects that are not possible",
                test_writer),
    parley_test("MOQ-12 extensions of 65535 octets; exhausted memory",
                test_memory),
    parley_test("MOQ-12 spoiled streams have one result in any split",
                test_spoiled),
};

PARLEY_TEST_MAIN(tests)
