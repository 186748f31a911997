/*
 * The octets of a WebSocket.  They give the same messages and the same end in
 * any pieces.  Each message is within its limit and is UTF-8.
 */

#include <stdlib.h>
#include <string.h>

#include "t/fuzz/parley_fuzz.h"
#include "http/parley_websocket.h"


#define FUZZ_MAX   256
#define FUZZ_SAID  (1 << 16)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


typedef struct {
    const uint8_t  *data;
    size_t          size;
    size_t          at;
    size_t          step;
    uint8_t         said[FUZZ_SAID];
    size_t          len;
} fuzz_t;


static int64_t
take(void *ctx, uint8_t *p, size_t len)
{
    size_t  n;
    fuzz_t *f = ctx;

    n = f->size - f->at;

    if (n == 0) {
        return -1;
    }

    n = n < f->step ? n : f->step;
    n = n < len ? n : len;

    memcpy(p, f->data + f->at, n);
    f->at += n;

    return (int64_t) n;
}


/* does not compare: pongs come at any time, messages one by one */

static int
control(void *ctx, parley_str_t frames)
{
    parley_frame_kind_t  kind;

    (void) ctx;

    if (parley_frame_first(frames, &kind) != frames.len
        || (kind != PARLEY_FRAME_PONG && kind != PARLEY_FRAME_CLOSE))
    {
        abort();
    }

    return 0;
}


static void
run(fuzz_t *f, const uint8_t *data, size_t size, size_t step)
{
    parley_str_t             message;
    parley_websocket_t      *ws;
    parley_websocket_env_t   env = { .mem = parley_mem_libc, .read = take,
                                     .write = control, .ctx = f };
    parley_websocket_got_t   got;

    f->data = data;
    f->size = size;
    f->at = 0;
    f->step = step;
    f->len = 0;

    ws = parley_websocket_create(&env, FUZZ_MAX);

    if (ws == NULL) {
        abort();
    }

    for ( ;; ) {
        got = parley_websocket_next(ws, &message);

        if (got == PARLEY_WEBSOCKET_MORE) {
            continue;
        }

        if (got != PARLEY_WEBSOCKET_MESSAGE) {
            break;
        }

        if (message.len > FUZZ_MAX) {
            abort();
        }

        if (f->len + message.len + 1 < FUZZ_SAID) {
            memcpy(f->said + f->len, message.data, message.len);
            f->len += message.len;
            f->said[f->len++] = '\n';
        }
    }

    parley_websocket_free(ws);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static fuzz_t  whole, cut;

    if (size == 0) {
        return 0;
    }

    run(&whole, data, size, size);
    run(&cut, data, size, 1 + data[0] % 7);

    if (whole.len != cut.len || memcmp(whole.said, cut.said, cut.len) != 0) {
        abort();
    }

    return 0;
}
