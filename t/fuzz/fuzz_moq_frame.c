/*
 * A sequence of frames.  Each frame that is read is written as the same
 * octets, and a reassembly with small limits accepts all of them without
 * exceeding the limits.
 */

#include <stdlib.h>

#include "translate/moq/parley_moq_fragment.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_PAYLOAD_MAX  4096


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
check_written(const parley_moq_frame_t *frame, parley_str_t octets)
{
    parley_buf_t    b;
    parley_str_t    out;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    parley_moq_frame_write(&b, frame);
    check(parley_buf_done(&b, &out) == 0 && parley_str_eq(out, octets));

    parley_arena_reset(&arena);
}


/* Checks that a receiver gets the payload that a sender splits. */

static void
check_split(parley_str_t payload)
{
    int                       rc;
    parley_error_t            err;
    parley_moq_split_t        s;
    parley_moq_frame_t        frame, part, ret;
    parley_moq_reassembly_t  *r;

    r = parley_moq_reassembly_create(&parley_mem_libc, NULL);
    check(r != NULL);

    frame.type = PARLEY_MOQ_DATA;
    frame.session = 1;
    frame.stream = 2;
    frame.flags = 0;
    frame.payload = payload;

    rc = 0;

    parley_moq_split_init(&s, &frame);

    while (parley_moq_split_next(&s, &part)) {
        check(rc == 0 && part.payload.len <= PARLEY_MOQ_CHUNK);
        rc = parley_moq_reassembly_take(r, &part, 0, &ret, &err);
    }

    check(rc == 1 && parley_str_eq(ret.payload, payload));

    parley_moq_reassembly_destroy(r);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int                       rc;
    size_t                    used;
    int64_t                   now;
    parley_str_t              in;
    parley_error_t            err;
    parley_moq_frame_t        frame, ret;
    parley_moq_reassembly_t  *r;

    static const parley_moq_limits_t  limits = {
        .size = 3000, .total = 5000, .chunks = 5, .streams = 3,
        .timeout_ms = 10
    };

    in = parley_str_make(data, size);
    now = 0;

    check_split(in);

    r = parley_moq_reassembly_create(&parley_mem_libc, &limits);
    check(r != NULL);

    while (in.len > 0
           && parley_moq_frame_read(in, FUZZ_PAYLOAD_MAX, &frame, &used, &err)
              == 0)
    {
        check(used <= in.len && used == PARLEY_MOQ_HEADER_LEN
                                        + frame.payload.len);
        check_written(&frame, parley_str_make(in.data, used));

        rc = parley_moq_reassembly_take(r, &frame, now, &ret, &err);

        check(rc != -1 || err.text[0] != '\0');
        check(rc != 1 || !(ret.flags & PARLEY_MOQ_FRAGMENTED)
              || ret.type == PARLEY_MOQ_HEARTBEAT);
        check(parley_moq_reassembly_count(r) <= limits.streams);
        check(parley_moq_reassembly_octets(r) <= limits.total);

        in = parley_str_from(in, used);
        now += frame.stream & 7;
    }

    parley_moq_reassembly_destroy(r);

    return 0;
}
