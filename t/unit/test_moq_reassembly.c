/* Chunks that are joined into payloads, within every limit. */

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


static parley_moq_limits_t
limits(void)
{
    return (parley_moq_limits_t) {
        .size = 64, .total = 100, .chunks = 8, .streams = 3,
        .timeout_ms = 1000
    };
}


static void
test_order(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    assert_int_equal(take(r, chunk(1, 1, "one ", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 2, "other", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "other");
    assert_int_equal(take(r, chunk(2, 1, "not ", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, "", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, "two ", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(2, 1, "you", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "not you");
    assert_int_equal(take(r, chunk(1, 1, "three", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "one two three");

    /* the stream may be used again */

    assert_int_equal(take(r, chunk(1, 1, "again", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "again");

    /* an empty payload, in chunks */

    assert_int_equal(take(r, chunk(1, 1, "", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, "", 0), NOW, &ret, &err), 1);
    assert_int_equal(ret.payload.len, 0);

    parley_moq_reassembly_destroy(r);
}


static void
test_heartbeat_passes(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret, heartbeat;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    heartbeat = chunk(1, 1, "", 0);
    heartbeat.type = PARLEY_MOQ_HEARTBEAT;

    assert_int_equal(take(r, chunk(1, 1, "a", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, heartbeat, NOW, &ret, &err), 1);
    assert_int_equal(ret.type, PARLEY_MOQ_HEARTBEAT);
    assert_int_equal(take(r, chunk(1, 1, "b", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "ab");

    parley_moq_reassembly_destroy(r);
}


static void
assert_failed(parley_moq_reassembly_t *r, parley_moq_frame_t frame,
    int64_t now, parley_code_t code, const char *field)
{
    int                 rc;
    parley_error_t      err;
    parley_moq_frame_t  ret;

    rc = take(r, frame, now, &ret, &err);

    /* the errors of a payload after its first one name its stream */

    assert_true(rc == -1 || (rc == PARLEY_MOQ_FAILED_BEFORE
                             && strcmp(field, "stream") == 0));
    assert_int_equal(err.code, code);
    assert_string_equal(err.field, field);
    assert_int_equal(ret.payload.len, 0);
}


/* The rest of a failed stream is not taken for a payload. */

static void
test_size(void **state)
{
    int                       i;
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    static const char  half[] = "12345678901234567890123456789012";

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_failed(r, chunk(1, 1, "x", 1), NOW, PARLEY_E_MESSAGE_TOO_LARGE,
                  "length");
    assert_int_equal(parley_moq_reassembly_octets(r), 0);

    for (i = 0; i < 20; i++) {
        assert_failed(r, chunk(1, 1, "more", 1), NOW,
                      PARLEY_E_MESSAGE_TOO_LARGE, "stream");
    }

    assert_failed(r, chunk(1, 1, "the end", 0), NOW,
                  PARLEY_E_MESSAGE_TOO_LARGE, "stream");
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    assert_int_equal(take(r, chunk(1, 1, "new", 0), NOW, &ret, &err), 1);

    /* the last chunk exceeds the limit: the stream ends */

    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_failed(r, chunk(1, 1, "x", 0), NOW, PARLEY_E_MESSAGE_TOO_LARGE,
                  "length");
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    /* exactly the limit */

    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, half, 0), NOW, &ret, &err), 1);
    assert_int_equal(ret.payload.len, 64);

    parley_moq_reassembly_destroy(r);
}


static void
test_chunks(void **state)
{
    int                       i;
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    for (i = 0; i < 8; i++) {
        assert_int_equal(take(r, chunk(1, 1, "", 1), NOW, &ret, &err), 0);
    }

    assert_failed(r, chunk(1, 1, "", 1), NOW, PARLEY_E_MESSAGE_TOO_LARGE,
                  "length");

    parley_moq_reassembly_destroy(r);
}


static void
test_streams(void **state)
{
    uint32_t                  i;
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    for (i = 0; i < 3; i++) {
        assert_int_equal(take(r, chunk(1, i, "a", 1), NOW, &ret, &err), 0);
    }

    assert_failed(r, chunk(1, 3, "a", 1), NOW, PARLEY_E_CAPACITY, "stream");
    assert_int_equal(take(r, chunk(1, 3, "whole", 0), NOW, &ret, &err), 1);
    assert_int_equal(take(r, chunk(1, 1, "b", 0), NOW, &ret, &err), 1);
    assert_int_equal(take(r, chunk(1, 3, "a", 1), NOW, &ret, &err), 0);

    assert_int_equal(parley_moq_reassembly_count(r), 3);

    parley_moq_reassembly_destroy(r);

    l.streams = UINT32_MAX;
    r = parley_moq_reassembly_create(&parley_mem_libc, &l);
    assert_non_null(r);

    for (i = 0; i < PARLEY_MOQ_STREAMS_MAX; i++) {
        assert_int_equal(take(r, chunk(1, i, "", 1), NOW, &ret, &err), 0);
    }

    assert_failed(r, chunk(1, i, "", 1), NOW, PARLEY_E_CAPACITY, "stream");

    parley_moq_reassembly_destroy(r);
}


static void
test_total(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    static const char  half[] = "12345678901234567890123456789012";

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    assert_int_equal(take(r, chunk(1, 1, half, 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 2, half, 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 3, half, 1), NOW, &ret, &err), 0);
    assert_true(parley_moq_reassembly_octets(r) <= 100);

    /* there is room for four more octets, not for five */

    assert_int_equal(take(r, chunk(1, 1, "1234", 1), NOW, &ret, &err), 0);
    assert_failed(r, chunk(1, 2, "1", 1), NOW, PARLEY_E_CAPACITY, "length");
    assert_true(parley_moq_reassembly_octets(r) <= 100);

    /* a failed stream uses no memory */

    assert_int_equal(take(r, chunk(1, 3, half, 0), NOW, &ret, &err), 1);
    assert_int_equal(ret.payload.len, 64);

    parley_moq_reassembly_destroy(r);
}


static void
test_timeout(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    assert_int_equal(take(r, chunk(1, 1, "a", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 1, "b", 1), NOW + 999, &ret, &err), 0);
    assert_failed(r, chunk(1, 1, "c", 1), NOW + 1000, PARLEY_E_MESSAGE_STALE,
                  "stream");
    assert_int_equal(parley_moq_reassembly_octets(r), 0);
    assert_failed(r, chunk(1, 1, "d", 0), NOW + 1100, PARLEY_E_MESSAGE_STALE,
                  "stream");
    assert_int_equal(take(r, chunk(1, 1, "e", 0), NOW + 1101, &ret, &err), 1);

    /* an unfinished stream is forgotten after the same time again */

    assert_int_equal(take(r, chunk(1, 1, "a", 1), NOW, &ret, &err), 0);
    parley_moq_reassembly_expire(r, NOW + 1000);
    assert_int_equal(parley_moq_reassembly_count(r), 1);
    parley_moq_reassembly_expire(r, NOW + 1999);
    assert_int_equal(parley_moq_reassembly_count(r), 1);
    parley_moq_reassembly_expire(r, NOW + 2000);
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    parley_moq_reassembly_destroy(r);
}


static void
test_mismatch(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret, other;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    other = chunk(1, 1, "b", 1);
    other.type = PARLEY_MOQ_STREAM;

    assert_int_equal(take(r, chunk(1, 1, "a", 1), NOW, &ret, &err), 0);
    assert_failed(r, other, NOW, PARLEY_E_PAYLOAD_KIND_MISMATCH, "type");
    assert_failed(r, chunk(1, 1, "c", 0), NOW,
                  PARLEY_E_PAYLOAD_KIND_MISMATCH, "stream");

    other = chunk(1, 1, "b", 0);
    other.flags |= PARLEY_MOQ_COMPRESSED;

    assert_int_equal(take(r, chunk(1, 1, "a", 1), NOW, &ret, &err), 0);
    assert_failed(r, other, NOW, PARLEY_E_PAYLOAD_KIND_MISMATCH, "type");
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    parley_moq_reassembly_destroy(r);
}


static parley_moq_transfer_t
announced(uint32_t stream, const char *data, int64_t chunks)
{
    parley_moq_transfer_t  transfer;

    memset(&transfer, 0, sizeof(transfer));

    transfer.stream = stream;
    transfer.chunks = chunks;

    if (data != NULL) {
        transfer.checked = 1;
        assert_int_equal(parley_sha256(parley_str_c(data), transfer.sha256),
                         0);
    }

    return transfer;
}


static void
test_checksum(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret, cmd;
    parley_moq_limits_t       l = limits();
    parley_moq_transfer_t     transfer;
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    transfer = announced(7, "onetwo", -1);

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(take(r, chunk(1, 7, "one", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 7, "two", 0), NOW, &ret, &err), 1);
    parley_assert_str(ret.payload, "onetwo");

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(take(r, chunk(1, 7, "one", 1), NOW, &ret, &err), 0);
    assert_failed(r, chunk(1, 7, "too", 0), NOW, PARLEY_E_FIELD_INVALID,
                  "checksum");
    assert_int_equal(parley_moq_reassembly_count(r), 0);

    /*
     * a transfer in one frame is checked too; a command on the stream is not
     * the transfer
     */

    cmd = chunk(1, 7, "{}", 0);
    cmd.type = PARLEY_MOQ_CMD;

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(take(r, cmd, NOW, &ret, &err), 1);
    assert_failed(r, chunk(1, 7, "nothing", 0), NOW, PARLEY_E_FIELD_INVALID,
                  "checksum");

    /* it may not come as another type */

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    cmd.flags = PARLEY_MOQ_FRAGMENTED;
    assert_failed(r, cmd, NOW, PARLEY_E_PAYLOAD_KIND_MISMATCH, "type");

    parley_moq_reassembly_destroy(r);
}


static void
test_total_chunks(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_transfer_t     transfer;
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    transfer = announced(7, NULL, 2);

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(take(r, chunk(1, 7, "a", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 7, "b", 0), NOW, &ret, &err), 1);

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_failed(r, chunk(1, 7, "a", 0), NOW, PARLEY_E_FIELD_INVALID,
                  "total_chunks");

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(take(r, chunk(1, 7, "a", 1), NOW, &ret, &err), 0);
    assert_int_equal(take(r, chunk(1, 7, "b", 1), NOW, &ret, &err), 0);
    assert_failed(r, chunk(1, 7, "c", 0), NOW, PARLEY_E_MESSAGE_TOO_LARGE,
                  "length");

    parley_moq_reassembly_destroy(r);
}


static void
test_expect(void **state)
{
    parley_error_t            err;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_transfer_t     transfer;
    parley_moq_reassembly_t  *r;

    (void) state;

    r = parley_moq_reassembly_create(&parley_mem_libc, &l);

    transfer = announced(7, "x", 1);

    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     -1);
    assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);

    assert_int_equal(take(r, chunk(1, 8, "x", 1), NOW, &ret, &err), 0);
    transfer.stream = 8;
    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     -1);

    transfer.stream = 9;
    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     0);
    transfer.stream = 10;
    assert_int_equal(parley_moq_reassembly_expect(r, 1, &transfer, NOW, &err),
                     -1);
    assert_int_equal(err.code, PARLEY_E_CAPACITY);

    /* a late announced payload is not accepted as an unannounced one */

    assert_failed(r, chunk(1, 7, "evil", 0), NOW + 1000,
                  PARLEY_E_MESSAGE_STALE, "stream");

    parley_moq_reassembly_destroy(r);
}


static void
test_memory(void **state)
{
    int                       rc;
    size_t                    i;
    parley_mem_t              mem;
    parley_error_t            err;
    parley_test_mem_t         counter;
    parley_moq_frame_t        ret;
    parley_moq_limits_t       l = limits();
    parley_moq_reassembly_t  *r;

    (void) state;

    for (i = 1; ; i++) {
        mem = parley_test_mem(&counter, i);

        r = parley_moq_reassembly_create(&mem, &l);

        if (r == NULL) {
            assert_int_equal(counter.live, 0);
            continue;
        }

        rc = take(r, chunk(1, 1, "a", 1), NOW, &ret, &err);

        if (rc == 0) {
            rc = take(r, chunk(1, 1, "bcdefgh", 0), NOW, &ret, &err);
        }

        if (rc == -1) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);

        } else {
            parley_assert_str(ret.payload, "abcdefgh");
        }

        parley_moq_reassembly_destroy(r);
        assert_int_equal(counter.live, 0);

        if (counter.allocations < i) {
            break;
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("MOQ-03 by session and stream, in order of arrival",
                test_order),
    parley_test("MOQ-03 a heartbeat between chunks disturbs nothing",
                test_heartbeat_passes),
    parley_test("MOQ-03 the size of a payload is bounded", test_size),
    parley_test("MOQ-03 the number of chunks is bounded", test_chunks),
    parley_test("MOQ-03 the number of streams is bounded", test_streams),
    parley_test("MOQ-03 the memory of all streams is bounded", test_total),
    parley_test("MOQ-03 the time of a stream is bounded", test_timeout),
    parley_test("MOQ-03 chunks of one stream are alike", test_mismatch),
    parley_test("MOQ-03 a wrong SHA-256 is refused", test_checksum),
    parley_test("MOQ-03 a wrong number of chunks is refused",
                test_total_chunks),
    parley_test("MOQ-03 a stream is announced once, before it begins",
                test_expect),
    parley_test("MOQ-03 memory may end", test_memory),
};

PARLEY_TEST_MAIN(tests)
