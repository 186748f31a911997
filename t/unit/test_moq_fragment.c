/* Payloads in chunks, and their announcements. */

#include "t/unit/parley_test.h"

#include "translate/moq/parley_moq_fragment.h"


#define NOW  1000000


static parley_moq_frame_t
chunk(uint64_t session, uint32_t stream, const char *text, int more)
{
    parley_moq_frame_t  frame;

    frame.type = PARLEY_MOQ_DATA;
    frame.session = session;
    frame.stream = stream;
    frame.flags = more ? PARLEY_MOQ_FRAGMENTED : 0;
    frame.payload = parley_str_c(text);

    return frame;
}


static int
take(parley_moq_reassembly_t *r, parley_moq_frame_t frame, int64_t now,
    parley_moq_frame_t *ret, parley_error_t *err)
{
    parley_error_clear(err);

    return parley_moq_reassembly_take(r, &frame, now, ret, err);
}


static void
test_split(void **state)
{
    size_t              i, total, frames;
    uint8_t             data[5 * PARLEY_MOQ_CHUNK];
    parley_moq_frame_t  frame, part;
    parley_moq_split_t  s;

    static const struct {
        size_t  len;
        size_t  frames;
    } rows[] = {
        { 0, 1 }, { 1, 1 }, { 1399, 1 }, { 1400, 1 }, { 1401, 2 },
        { 2800, 2 }, { 2801, 3 }, { 7000, 5 }
    };

    (void) state;

    for (i = 0; i < sizeof(data); i++) {
        data[i] = (uint8_t) (i * 7);
    }

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        frame = chunk(3, 101, "", 0);
        frame.flags = PARLEY_MOQ_COMPRESSED;
        frame.payload = parley_str_make(data, rows[i].len);

        total = 0;
        frames = 0;

        parley_moq_split_init(&s, &frame);

        while (parley_moq_split_next(&s, &part)) {
            assert_true(part.payload.len <= PARLEY_MOQ_CHUNK);
            assert_ptr_equal(part.payload.data, data + total);
            assert_int_equal(part.session, 3);
            assert_int_equal(part.stream, 101);
            assert_int_equal(part.type, PARLEY_MOQ_DATA);

            total += part.payload.len;
            frames++;

            assert_int_equal(part.flags, PARLEY_MOQ_COMPRESSED
                                         | (total < rows[i].len
                                            ? PARLEY_MOQ_FRAGMENTED : 0));
        }

        assert_int_equal(total, rows[i].len);
        assert_int_equal(frames, rows[i].frames);
        assert_int_equal(parley_moq_split_next(&s, &part), 0);
    }
}


static void
test_split_more(void **state)
{
    parley_moq_frame_t  frame, part;
    parley_moq_split_t  s;

    (void) state;

    frame = chunk(3, 101, "not the end", 1);

    parley_moq_split_init(&s, &frame);
    assert_int_equal(parley_moq_split_next(&s, &part), 1);
    assert_int_equal(part.flags, PARLEY_MOQ_FRAGMENTED);
    assert_int_equal(parley_moq_split_next(&s, &part), 0);
}


/* A split payload is joined again, on two streams at once. */

static void
test_both_ways(void **state)
{
    int                       a, b;
    size_t                    i;
    uint8_t                  *one, *two;
    parley_error_t            err;
    parley_moq_split_t        sa, sb;
    parley_moq_frame_t        fa, fb, part, ret;
    parley_moq_reassembly_t  *r;

    (void) state;

    one = malloc(100000);
    two = malloc(100000);
    assert_non_null(one);
    assert_non_null(two);

    for (i = 0; i < 100000; i++) {
        one[i] = (uint8_t) (i * 31 + (i >> 8));
        two[i] = (uint8_t) (i * 17 + (i >> 7));
    }

    r = parley_moq_reassembly_create(&parley_mem_libc, NULL);
    assert_non_null(r);

    fa = chunk(1, 5, "", 0);
    fa.payload = parley_str_make(one, 100000);
    fb = chunk(2, 5, "", 0);
    fb.payload = parley_str_make(two, 99999);

    parley_moq_split_init(&sa, &fa);
    parley_moq_split_init(&sb, &fb);

    a = b = 0;

    for ( ;; ) {
        if (parley_moq_split_next(&sa, &part)) {
            a = take(r, part, NOW, &ret, &err);

            if (a == 1) {
                assert_true(parley_str_eq(ret.payload, fa.payload));
                assert_int_equal(ret.session, 1);
                assert_int_equal(ret.flags, 0);
            }
        }

        if (parley_moq_split_next(&sb, &part)) {
            b = take(r, part, NOW, &ret, &err);

            if (b == 1) {
                assert_true(parley_str_eq(ret.payload, fb.payload));
                assert_int_equal(ret.session, 2);
            }

        } else {
            break;
        }
    }

    assert_int_equal(a, 1);
    assert_int_equal(b, 1);
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    parley_moq_reassembly_expire(r, NOW);
    assert_int_equal(parley_moq_reassembly_octets(r), 0);

    parley_moq_reassembly_destroy(r);
    free(one);
    free(two);
}


static void
test_transfer(void **state)
{
    size_t                 i;
    parley_json_t          doc;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_moq_transfer_t  transfer;

#define SHA  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    static const struct {
        const char  *text;
        int          rc;
        const char  *field;
    } rows[] = {
        { "{\"payload\":{\"stream_id\":101,\"checksum\":\"" SHA "\"}}", 1,
          "" },
        { "{\"payload\":{\"stream_id\":101,\"total_chunks\":3745}}", 1, "" },
        { "{\"payload\":{\"stream_id\":101}}", 0, "" },
        { "{\"payload\":{\"checksum\":\"" SHA "\"}}", 0, "" },
        { "{\"payload\":[\"stream_id\"]}", 0, "" },
        { "{}", 0, "" },
        { "[]", 0, "" },
        { "{\"payload\":{\"stream_id\":-1,\"total_chunks\":1}}", -1,
          "/payload/stream_id" },
        { "{\"payload\":{\"stream_id\":4294967296,\"total_chunks\":1}}", -1,
          "/payload/stream_id" },
        { "{\"payload\":{\"stream_id\":\"1\",\"total_chunks\":1}}", -1,
          "/payload/stream_id" },
        { "{\"payload\":{\"stream_id\":1.5,\"total_chunks\":1}}", -1,
          "/payload/stream_id" },
        { "{\"payload\":{\"stream_id\":1,\"total_chunks\":0}}", -1,
          "/payload/total_chunks" },
        { "{\"payload\":{\"stream_id\":1,\"total_chunks\":\"2\"}}", -1,
          "/payload/total_chunks" },
        { "{\"payload\":{\"stream_id\":1,\"checksum\":1}}", -1,
          "/payload/checksum" },
        { "{\"payload\":{\"stream_id\":1,\"checksum\":\"ba78\"}}", -1,
          "/payload/checksum" },
        { "{\"payload\":{\"stream_id\":1,\"checksum\":\"g" SHA "\"}}", -1,
          "/payload/checksum" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_error_clear(&err);
        assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                          parley_str_c(rows[i].text), &err),
                         0);
        assert_int_equal(parley_moq_transfer_read(&doc, &transfer, &err),
                         rows[i].rc);
        assert_string_equal(err.field, rows[i].field);
    }

    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                      parley_str_c(rows[0].text), &err), 0);
    assert_int_equal(parley_moq_transfer_read(&doc, &transfer, &err), 1);
    assert_int_equal(transfer.stream, 101);
    assert_int_equal(transfer.chunks, -1);
    assert_true(transfer.checked);
    assert_int_equal(transfer.sha256[0], 0xBA);
    assert_int_equal(transfer.sha256[31], 0xAD);

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-09 above 1400 octets a payload is fragmented",
                test_split),
    parley_test("MOQ-09 a chunk may be none of the last", test_split_more),
    parley_test("MOQ-03 MOQ-09 what is fragmented is reassembled",
                test_both_ways),
    parley_test("MOQ-03 a command announces checksum and chunks",
                test_transfer),
};

PARLEY_TEST_MAIN(tests)
