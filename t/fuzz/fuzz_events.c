/*
 * An event stream.  It gives the same events in any pieces.  When they are
 * written, they are read as the same events again.  The memory of a reader
 * stays within its limit.
 */

#include <stdlib.h>

#include "http/parley_events.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_LIMIT  1024


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/*
 * Appends the data of an event as it is after it was written: line ends are
 * LF.
 */

static void
put_data(parley_buf_t *b, parley_str_t s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        parley_buf_octet(b, s.data[i] == '\r' ? '\n' : s.data[i]);
    }
}


static void
put(parley_buf_t *b, int kind, const parley_event_t *event)
{
    parley_event_t  part;

    if (kind == PARLEY_EVENTS_COMMENT) {
        parley_buf_octet(b, 'C');
        parley_buf_str(b, event->data);
        parley_buf_octet(b, '\0');
        return;
    }

    part = *event;
    part.has_data = 0;

    parley_buf_octet(b, event->has_data ? 'D' : 'F');
    parley_events_write(b, &part);
    put_data(b, event->data);
    parley_buf_octet(b, '\0');
}


/*
 * Reads a stream and writes its events; step is the seed of the places where
 * it is cut, 0: nowhere.  Returns -1 if the stream is refused.
 */

static int
say(parley_arena_t *arena, parley_str_t octets, size_t limit, unsigned step,
    parley_str_t *ret_said, parley_str_t *ret_written)
{
    int              rc;
    size_t           n;
    uint8_t         *piece;
    parley_buf_t     said, written;
    parley_str_t     in;
    parley_error_t   err;
    parley_event_t   event;
    parley_events_t  e;

    rc = 0;

    parley_events_init(&e, &parley_mem_libc, limit);
    parley_buf_init(&said, arena, 0);
    parley_buf_init(&written, arena, 0);

    while (octets.len > 0 && rc == 0) {
        n = step == 0 ? octets.len : 1 + step % 13;
        n = n < octets.len ? n : octets.len;
        step = step == 0 ? 0 : step * 1103515245 + 12345;

        piece = malloc(n);
        check(piece != NULL);
        memcpy(piece, octets.data, n);
        in = parley_str_make(piece, n);

        while ((rc = parley_events_read(&e, &in, &event, &err)) > 0) {
            put(&said, rc, &event);

            if (rc == PARLEY_EVENTS_COMMENT) {
                parley_events_write_comment(&written, event.data);

            } else {
                parley_events_write(&written, &event);
            }
        }

        check(rc != 0 || in.len == 0);
        check(e.line.size <= 2 * limit + 1024);
        check(e.data.size <= 2 * limit + 1024);

        free(piece);
        octets = parley_str_from(octets, n);
    }

    if (rc == 0 && parley_events_end(&e, &event, &err) == PARLEY_EVENTS_LAST) {
        put(&said, PARLEY_EVENTS_EVENT, &event);
        parley_events_write(&written, &event);
    }

    parley_events_free(&e);

    check(parley_buf_done(&said, ret_said) == 0);
    check(parley_buf_done(&written, ret_written) == 0);

    return rc;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int             whole, cut;
    unsigned        step;
    parley_str_t    octets, one, other, written, again;
    parley_arena_t  arena;

    if (size == 0) {
        return 0;
    }

    step = data[0];
    octets = parley_str_make(data + 1, size - 1);

    parley_arena_init(&arena, &parley_mem_libc, 0);

    whole = say(&arena, octets, FUZZ_LIMIT, 0, &one, &written);
    cut = say(&arena, octets, FUZZ_LIMIT, step + 1, &other, &again);

    check(whole == cut);
    check(parley_str_eq(one, other));

    /* a written comment or field is on a line of its own */

    if (written.len > 0) {
        check(say(&arena, written, 8 * FUZZ_LIMIT, step, &other, &again)
              == 0);
        check(parley_str_eq(one, other));
        check(parley_str_eq(written, again));
    }

    parley_arena_reset(&arena);

    return 0;
}
