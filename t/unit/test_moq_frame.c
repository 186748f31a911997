/* Frames of Agent Protocol over MoQ: their header, octet for octet. */

#include "t/unit/parley_test.h"

#include "translate/moq/parley_moq_frame.h"


#define MAX  65536


/* a CMD of session 0x0102030405060708, stream 0x0A0B0C0D, payload "{}" */
static const uint8_t  frame_octets[] = {
    0xA2, 0xA2, 0x01, 0x01, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x0A, 0x0B, 0x0C, 0x0D, 0x00, 0x00, 0x00, 0x00, 0x02, '{', '}'
};


static int
read_octets(const uint8_t *data, size_t len, parley_moq_frame_t *frame,
    size_t *used, parley_error_t *err)
{
    int       rc;
    uint8_t  *copy;

    /* an allocation of the exact size: a read beyond it is detected */

    copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, data, len);

    parley_error_clear(err);

    rc = parley_moq_frame_read(parley_str_make(copy, len), MAX, frame, used,
                               err);

    free(copy);

    return rc;
}


static void
test_header(void **state)
{
    size_t              used;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    assert_int_equal(parley_moq_frame_read(
                         parley_str_make(frame_octets, sizeof(frame_octets)),
                         MAX, &frame, &used, &err), 0);

    assert_int_equal(used, 23);
    assert_int_equal(frame.type, PARLEY_MOQ_CMD);
    assert_true(frame.session == 0x0102030405060708);
    assert_int_equal(frame.stream, 0x0A0B0C0D);
    assert_int_equal(frame.flags, 0);
    parley_assert_str(frame.payload, "{}");
}


static void
test_write(void **state)
{
    size_t              used;
    unsigned            type, flags;
    parley_buf_t        b;
    parley_str_t        out;
    parley_arena_t      arena;
    parley_error_t      err;
    parley_moq_frame_t  frame, back;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    frame.type = PARLEY_MOQ_CMD;
    frame.session = 0x0102030405060708;
    frame.stream = 0x0A0B0C0D;
    frame.flags = 0;
    frame.payload = PARLEY_STR("{}");

    parley_moq_frame_write(&b, &frame);
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(out.len, sizeof(frame_octets));
    assert_memory_equal(out.data, frame_octets, sizeof(frame_octets));

    for (type = PARLEY_MOQ_CMD; type <= PARLEY_MOQ_HEARTBEAT; type++) {
        for (flags = 0; flags <= PARLEY_MOQ_FLAGS; flags++) {

            frame.type = (parley_moq_type_t) type;
            frame.session = UINT64_MAX - type;
            frame.stream = UINT32_MAX - flags;
            frame.flags = (uint8_t) flags;
            frame.payload = type == PARLEY_MOQ_HEARTBEAT
                            ? parley_str_none : PARLEY_STR("\0payload\xFF");

            parley_buf_init(&b, &arena, 0);
            parley_moq_frame_write(&b, &frame);
            assert_int_equal(parley_buf_done(&b, &out), 0);

            assert_int_equal(parley_moq_frame_read(out, MAX, &back, &used,
                                                   &err), 0);
            assert_int_equal(used, out.len);
            assert_int_equal(back.type, frame.type);
            assert_true(back.session == frame.session);
            assert_int_equal(back.stream, frame.stream);
            assert_int_equal(back.flags, frame.flags);
            assert_true(parley_str_eq(back.payload, frame.payload));
        }
    }

    parley_arena_reset(&arena);
}


static void
test_short(void **state)
{
    size_t              i, used;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    for (i = 0; i < sizeof(frame_octets); i++) {
        assert_int_equal(read_octets(frame_octets, i, &frame, &used, &err),
                         -1);
        assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
        assert_string_equal(err.field, i < 21 ? "header" : "length");
        assert_int_equal(err.offset, i);
        assert_int_equal(used, 0);
        assert_int_equal(frame.payload.len, 0);
    }
}


/*
 * Tries every value of one octet of the header: some are refused, with this
 * error.
 */

static void
sweep(size_t at, const char *good, size_t ngood, parley_code_t code,
    const char *field, size_t offset)
{
    int                 rc;
    size_t              used;
    uint8_t             octets[sizeof(frame_octets)];
    unsigned            c;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    memcpy(octets, frame_octets, sizeof(frame_octets));

    for (c = 0; c < 256; c++) {
        octets[at] = (uint8_t) c;

        rc = read_octets(octets, sizeof(octets), &frame, &used, &err);

        if (memchr(good, (int) c, ngood) != NULL) {
            assert_int_equal(rc, 0);
            continue;
        }

        assert_int_equal(rc, -1);
        assert_int_equal(err.code, code);
        assert_string_equal(err.field, field);
        assert_int_equal(err.offset, offset);
        assert_true(err.is_name);
        assert_true(err.text[0] != '\0');
    }
}


static void
test_magic(void **state)
{
    (void) state;

    sweep(0, "\xA2", 1, PARLEY_E_FIELD_INVALID, "magic", 0);
    sweep(1, "\xA2", 1, PARLEY_E_FIELD_INVALID, "magic", 0);
}


static void
test_version(void **state)
{
    size_t              used;
    uint8_t             octets[sizeof(frame_octets)];
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    sweep(2, "\x01", 1, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED, "version", 2);

    /* reserved and unknown types have different errors */

    memcpy(octets, frame_octets, sizeof(frame_octets));

    octets[2] = 0xFF;
    assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                 &err), -1);
    assert_non_null(strstr(err.text, "reserved"));

    octets[2] = 0x02;
    assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                 &err), -1);
    assert_non_null(strstr(err.text, "only version 1"));
}


static void
test_type(void **state)
{
    size_t              used;
    uint8_t             octets[sizeof(frame_octets)];
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    memcpy(octets, frame_octets, sizeof(frame_octets));

    for (octets[3] = 1; octets[3] <= 3; octets[3]++) {
        assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                     &err), 0);
        assert_int_equal(frame.type, octets[3]);
    }

    for (octets[3] = 5; octets[3] != 1; octets[3]++) {
        assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                     &err), -1);
        assert_int_equal(err.code, PARLEY_E_KIND_UNKNOWN);
        assert_string_equal(err.field, "type");
        assert_non_null(strstr(err.text, octets[3] == 0 || octets[3] == 0xFF
                                         ? "reserved" : "not assigned"));
    }
}


static void
test_flags(void **state)
{
    (void) state;

    sweep(16, "\0\1\2\3\4\5\6\7", 8, PARLEY_E_FIELD_INVALID, "flags", 16);
}


static void
test_too_long(void **state)
{
    size_t              used;
    uint8_t             octets[sizeof(frame_octets)];
    uint32_t            len;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    memcpy(octets, frame_octets, sizeof(frame_octets));
    memset(octets + 17, 0xFF, 4);

    assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                 &err), -1);
    assert_int_equal(err.code, PARLEY_E_MESSAGE_TOO_LARGE);
    assert_string_equal(err.field, "length");

    /* the largest length: allowed, but the octets are missing */

    assert_int_equal(parley_moq_frame_read(
                         parley_str_make(octets, sizeof(octets)), UINT32_MAX,
                         &frame, &used, &err), -1);
    assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);

    assert_int_equal(parley_moq_header_read(
                         parley_str_make(octets, 21), UINT32_MAX, &frame,
                         &len, &err), 0);
    assert_true(len == UINT32_MAX);
}


static void
test_sequence(void **state)
{
    size_t              used;
    uint8_t             two[2 * sizeof(frame_octets)];
    parley_str_t        in;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    memcpy(two, frame_octets, sizeof(frame_octets));
    memcpy(two + sizeof(frame_octets), frame_octets, sizeof(frame_octets));
    two[sizeof(frame_octets) + 15] = 0x0E;

    in = parley_str_make(two, sizeof(two));

    assert_int_equal(parley_moq_frame_read(in, MAX, &frame, &used, &err), 0);
    assert_int_equal(frame.stream, 0x0A0B0C0D);

    in = parley_str_from(in, used);

    assert_int_equal(parley_moq_frame_read(in, MAX, &frame, &used, &err), 0);
    assert_int_equal(frame.stream, 0x0A0B0C0E);
    assert_int_equal(used, in.len);
}


static void
test_cmd(void **state)
{
    parley_str_t        json;
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    memset(&frame, 0, sizeof(frame));

    frame.type = PARLEY_MOQ_CMD;
    frame.payload = PARLEY_STR("{\"action\":\"x\"}");

    assert_int_equal(parley_moq_frame_cmd(&frame, &json, &err), 0);
    assert_true(parley_str_eq(json, frame.payload));

    for (frame.flags = 1; frame.flags <= PARLEY_MOQ_FLAGS; frame.flags++) {
        assert_int_equal(parley_moq_frame_cmd(&frame, &json, &err), -1);
        assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
        assert_string_equal(err.field, "flags");
        assert_int_equal(json.len, 0);
    }

    frame.flags = 0;
    frame.type = PARLEY_MOQ_DATA;

    assert_int_equal(parley_moq_frame_cmd(&frame, &json, &err), -1);
    assert_int_equal(err.code, PARLEY_E_PAYLOAD_KIND_MISMATCH);
}


static void
test_heartbeat_payload(void **state)
{
    size_t              used;
    uint8_t             octets[sizeof(frame_octets)];
    parley_error_t      err;
    parley_moq_frame_t  frame;

    (void) state;

    memcpy(octets, frame_octets, sizeof(frame_octets));
    octets[3] = PARLEY_MOQ_HEARTBEAT;

    assert_int_equal(read_octets(octets, sizeof(octets), &frame, &used,
                                 &err), -1);
    assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
    assert_string_equal(err.field, "length");

    octets[20] = 0;

    assert_int_equal(read_octets(octets, 21, &frame, &used, &err), 0);
    assert_int_equal(frame.type, PARLEY_MOQ_HEARTBEAT);
    assert_int_equal(frame.payload.len, 0);
}


static void
test_words(void **state)
{
    char               text[17];
    size_t             i;
    uint64_t           session;
    parley_moq_type_t  type;

    static const char *const  words[] = {
        "cmd", "data", "stream", "heartbeat"
    };

    static const char *const  none[] = {
        "", "0", "000000000000001", "00000000000000010", "000000000000000g",
        "0x00000000000001", "000000000000 001", "00000000000000\xE1\xC6"
    };

    (void) state;

    for (i = 0; i < 4; i++) {
        assert_int_equal(parley_moq_type_find(parley_str_c(words[i]), &type),
                         0);
        assert_int_equal(type, i + 1);
        parley_assert_str(parley_moq_type_name(type), words[i]);
    }

    assert_int_equal(parley_moq_type_find(PARLEY_STR("CMD"), &type), -1);
    assert_int_equal(parley_moq_type_find(parley_str_none, &type), -1);

    parley_moq_session_write(0x00000000DEADBEEF, text);
    assert_string_equal(text, "00000000deadbeef");
    assert_int_equal(parley_moq_session_read(parley_str_c(text), &session),
                     0);
    assert_true(session == 0xDEADBEEF);
    assert_int_equal(parley_moq_session_read(PARLEY_STR("FFFFFFFFFFFFFFFF"),
                                             &session), 0);
    assert_true(session == UINT64_MAX);

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_int_equal(parley_moq_session_read(parley_str_c(none[i]),
                                                 &session), -1);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-01 the header is 21 octets, big-endian", test_header),
    parley_test("MOQ-01 what is written is read back", test_write),
    parley_test("MOQ-01 short input is refused", test_short),
    parley_test("MOQ-01 a wrong magic is refused", test_magic),
    parley_test("MOQ-01 every version but 1 is refused", test_version),
    parley_test("MOQ-01 reserved and unassigned types are refused",
                test_type),
    parley_test("MOQ-01 unassigned flags are refused", test_flags),
    parley_test("MOQ-01 the length is bounded", test_too_long),
    parley_test("MOQ-01 frames follow each other", test_sequence),
    parley_test("MOQ-02 a CMD frame is whole, and JSON", test_cmd),
    parley_test("MOQ-04 a heartbeat has no payload", test_heartbeat_payload),
    parley_test("MOQ-01 words for types and Session IDs", test_words),
};

PARLEY_TEST_MAIN(tests)
