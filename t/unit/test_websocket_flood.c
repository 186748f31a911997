/* WebSocket: a flood of frames without a message is read in parts, and each
   piece is answered before the next one is read. */

#include "t/unit/parley_test.h"

#include "http/parley_websocket.h"


#define PINGS  12000


static const uint8_t  ping[] = { 0x89, 0x81, 0, 0, 0, 0, 'p' };

static size_t    taken;         /* octets of the flood that were read */
static unsigned  pongs;


static int64_t
take(void *ctx, uint8_t *p, size_t len)
{
    size_t  n;

    (void) ctx;

    for (n = 0; n < len && taken < PINGS * sizeof(ping); n++) {
        p[n] = ping[taken++ % sizeof(ping)];
    }

    return (int64_t) n;
}


static int
control(void *ctx, parley_str_t frames)
{
    (void) ctx;

    assert_int_equal(frames.len, 3);
    pongs++;

    return 0;
}


static void
test_flood(void **state)
{
    size_t                  before;
    unsigned                turns;
    parley_str_t            message;
    parley_websocket_t     *ws;
    parley_websocket_got_t  got;
    parley_websocket_env_t  env = { .mem = parley_mem_libc, .read = take,
                                    .write = control };

    (void) state;

    turns = 0;
    ws = parley_websocket_create(&env, 1000);
    assert_non_null(ws);

    do {
        before = taken;
        got = parley_websocket_next(ws, &message);
        turns++;

        assert_true(taken - before
                    < PARLEY_WEBSOCKET_TURN + PARLEY_WEBSOCKET_PIECE);
        assert_int_equal(pongs, taken / sizeof(ping));
    } while (got == PARLEY_WEBSOCKET_MORE);

    assert_int_equal(got, PARLEY_WEBSOCKET_EMPTY);
    assert_int_equal(pongs, PINGS);
    assert_int_equal(turns,
                     PINGS * sizeof(ping) / PARLEY_WEBSOCKET_TURN + 1);

    parley_websocket_free(ws);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-34 a flood of pings", test_flood),
};


PARLEY_TEST_MAIN(tests)
