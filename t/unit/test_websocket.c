/* WebSocket: the requirements of RFC 6455 for the reader of a server, and of a
   client. */

#include "t/unit/parley_test.h"

#include "http/parley_websocket.h"


#define LOG_MAX  (1 << 20)
#define MAX      1000           /* octets of a message */


/*
 * a client's octets, and their results, a line each: "message TEXT", "ping
 * PAYLOAD" (answered), "close CODE[ by peer]", "over"
 */
typedef struct {
    uint8_t  in[LOG_MAX];
    size_t   len;
    size_t   at;
    size_t   step;              /* octets that come at once */
    int      ends;              /* with the end of the connection */
    char     log[LOG_MAX];
    int      full;              /* control frames cannot be written */
    int      client;            /* the reader is that of a client */
} world_t;


static world_t   w;
static unsigned  closes;


/* a frame of a client; bits is the form of its length: 7, 16 or 64 */
typedef struct {
    unsigned     first;         /* FIN, RSV, opcode */
    const char  *payload;
    size_t       len;           /* 0: strlen(payload) */
    unsigned     bits;          /* 0: the fewest */
    int          unmasked;
} frame_t;


static const uint8_t  mask[4] = { 0x37, 0xfa, 0x21, 0x3d };


static void
put(const frame_t *f)
{
    size_t    i, len;
    unsigned  bits;
    uint8_t  *p;

    len = f->len != 0 ? f->len : f->payload != NULL ? strlen(f->payload) : 0;
    bits = f->bits != 0 ? f->bits : len < 126 ? 7 : len < 65536 ? 16 : 64;
    p = w.in + w.len;

    *p++ = (uint8_t) f->first;
    *p++ = (uint8_t) ((f->unmasked ? 0 : 0x80)
                      | (bits == 7 ? len : bits == 16 ? 126 : 127));

    for (i = bits == 7 ? 0 : bits / 8; i > 0; i--) {
        *p++ = (uint8_t) ((uint64_t) len >> (8 * (i - 1)));
    }

    if (!f->unmasked) {
        memcpy(p, mask, 4);
        p += 4;
    }

    for (i = 0; i < len; i++) {
        *p++ = (uint8_t) ((f->payload != NULL ? (uint8_t) f->payload[i] : 'x')
                          ^ (f->unmasked ? 0 : mask[i % 4]));
    }

    w.len = (size_t) (p - w.in);
}


static int64_t
take(void *ctx, uint8_t *p, size_t len)
{
    size_t  n;

    (void) ctx;

    n = w.len - w.at;

    if (n == 0) {
        return w.ends ? -1 : 0;
    }

    n = n < w.step ? n : w.step;
    n = n < len ? n : len;

    memcpy(p, w.in + w.at, n);
    w.at += n;

    return (int64_t) n;
}


static void
say(const char *what, const uint8_t *octets, size_t len)
{
    size_t  n;

    n = strlen(w.log);

    assert_true(n + len + strlen(what) + 3 < sizeof(w.log));

    n += (size_t) sprintf(w.log + n, "%s", what);

    if (len > 0) {
        memcpy(w.log + n, octets, len);
        n += len;
    }

    strcpy(w.log + n, "\n");
}


static int
control(void *ctx, parley_str_t frames)
{
    size_t               n;
    parley_frame_kind_t  kind;

    (void) ctx;

    if (w.full) {
        return -1;
    }

    n = parley_frame_first(frames, &kind);

    assert_int_equal(n, frames.len);

    if (kind == PARLEY_FRAME_PONG) {
        say("ping ", frames.data + 2, n - 2);

    } else {
        closes++;
    }

    return 0;
}


static void
pong(void *ctx, parley_str_t payload)
{
    (void) ctx;

    say("pong ", payload.data, payload.len);
}


/* Reads all octets in pieces of step; returns the results. */

static const char *
run(size_t step)
{
    int                      by_peer;
    char                     text[64];
    unsigned                 turns;
    parley_str_t             message;
    parley_close_t           code;
    parley_websocket_t      *ws;
    parley_websocket_env_t   env = { .mem = parley_mem_libc, .read = take,
                                     .write = control };
    parley_websocket_got_t   got;

    if (w.client) {
        env.client = 1;
        env.pong = pong;
    }

    closes = 0;
    w.at = 0;
    w.step = step;
    w.log[0] = '\0';

    ws = parley_websocket_create(&env, MAX);
    assert_non_null(ws);

    for (turns = 0; turns < 100000; turns++) {
        got = parley_websocket_next(ws, &message);

        if (got == PARLEY_WEBSOCKET_MESSAGE) {
            assert_int_equal(closes, 0);
            say("message ", message.data, message.len);

        } else if (got == PARLEY_WEBSOCKET_CLOSED) {
            code = parley_websocket_closed(ws, &by_peer);
            assert_int_equal(closes, 1);
            sprintf(text, "close %d%s", (int) code, by_peer ? " by peer" : "");
            say(text, NULL, 0);
            break;

        } else if (got == PARLEY_WEBSOCKET_OVER) {
            say("over", NULL, 0);
            break;

        } else if (got != PARLEY_WEBSOCKET_MORE) {
            /* the reader must ask for the rest: no event would follow */
            assert_int_equal(w.at, w.len);
            assert_false(w.ends);
            break;
        }
    }

    assert_true(turns < 100000);

    parley_websocket_free(ws);

    return w.log;
}


/* Checks that the results are the same for pieces of any size. */

static void
check(const frame_t *frames, size_t n, const char *log)
{
    size_t  i, step;

    w.len = 0;
    w.ends = 0;
    w.full = 0;

    for (i = 0; i < n; i++) {
        put(&frames[i]);
    }

    for (step = 1; step < 12; step++) {
        assert_string_equal(run(step), log);
    }

    assert_string_equal(run(LOG_MAX), log);
}


#define CHECK(log, ...)                                                      \
    do {                                                                     \
        static const frame_t  frames[] = { __VA_ARGS__ };                    \
        check(frames, sizeof(frames) / sizeof(frames[0]), log);              \
    } while (0)


static void
test_messages(void **state)
{
    (void) state;

    CHECK("message Hello\n", { .first = 0x81, .payload = "Hello" });
    CHECK("message \n", { .first = 0x81, .payload = "" });
    CHECK("message a\nmessage b\n", { .first = 0x81, .payload = "a" },
          { .first = 0x81, .payload = "b" });
    CHECK("message \xce\xba\xe1\xbd\xb9\xf0\x9f\x90\xa6\n",
          { .first = 0x81,
            .payload = "\xce\xba\xe1\xbd\xb9\xf0\x9f\x90\xa6" });
}


static void
test_lengths(void **state)
{
    size_t        i, len;
    char          log[MAX + 32];
    frame_t       f;
    const size_t  lengths[] = { 1, 125, 126, 127, 128, 255, 256, MAX };

    (void) state;

    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        len = lengths[i];

        memset(&f, 0, sizeof(f));
        f.first = 0x81;
        f.len = len;

        memcpy(log, "message ", 8);
        memset(log + 8, 'x', len);
        strcpy(log + 8 + len, "\n");

        check(&f, 1, log);
    }

    /* each length in the fewest bits, and within the limit */

    CHECK("close 1002\n", { .first = 0x81, .payload = "a", .bits = 16 });
    CHECK("close 1002\n", { .first = 0x81, .payload = "a", .bits = 64 });
    CHECK("close 1002\n", { .first = 0x81, .len = 126, .bits = 64 });
    CHECK("close 1009\n", { .first = 0x81, .len = MAX + 1 });
    CHECK("close 1009\n", { .first = 0x01, .len = MAX },
          { .first = 0x80, .payload = "x" });
    CHECK("close 1009\n", { .first = 0x01, .len = MAX - 1 },
          { .first = 0x00, .payload = "x" }, { .first = 0x80, .payload = "x" });

    /* 2^63, and one less with one octet of payload */

    w.len = 0;
    memcpy(w.in, "\x81\xff\x80\0\0\0\0\0\0\0mask", 14);
    w.len = 14;
    assert_string_equal(run(LOG_MAX), "close 1002\n");

    memcpy(w.in, "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask", 14);
    assert_string_equal(run(LOG_MAX), "close 1009\n");
    w.in[w.len++] = 'x';
    assert_string_equal(run(LOG_MAX), "close 1009\n");
}


/*
 * The head of a frame is enough, also of a fragment; an incomplete head is
 * not.
 */

static void
test_announced(void **state)
{
    size_t  i, step, len;

    static const struct {
        const char  *head;
        size_t       len;
        const char  *log;
    } rows[] = {
        { "\x81\xff\0\0\0\0\0\1\0\0mask", 14, "close 1009\n" },
        { "\x82\xff\0\0\0\0\0\1\0\0mask", 14, "close 1009\n" },
        { "\x01\xff\0\0\0\0\0\1\0\0mask", 14, "close 1009\n" },
        { "\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xffmask", 14,
          "close 1009\n" },
        { "\x81\xff\0\0\0\0\0\1\0\0mas", 13, "" },
        { "\x81\xff\0\0\0\0\0\1", 8, "" },
        { "\x81\xfe\1\0mask", 8, "" }          /* 256 are allowed */
    };

    /* announced before the limit, at it, and above it */

    static const char *const  ends[] = { "xxxx\n", "ping\n", "1009\n" };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        for (step = 1; step < 15; step++) {
            w.ends = 0;
            w.full = 0;
            memcpy(w.in, rows[i].head, rows[i].len);
            w.len = rows[i].len;

            assert_string_equal(run(step), rows[i].log);
        }
    }

    /* earlier octets of the same message and of others are counted */

    for (len = 0; len < 3; len++) {
        for (step = 1; step < 15; step++) {
            w.len = 0;
            put(&(frame_t) { .first = 0x81, .len = 200 });
            put(&(frame_t) { .first = 0x01, .len = 200 });
            put(&(frame_t) { .first = 0x00, .len = MAX - 201 });
            put(&(frame_t) { .first = 0x89, .payload = "ping" });

            w.in[w.len++] = 0x80;
            w.in[w.len++] = (uint8_t) (0x80 | len);
            memcpy(w.in + w.len, "mask", 4);
            w.len += 4;

            (void) run(step);
            assert_true(strlen(w.log) > 5);
            assert_string_equal(w.log + strlen(w.log) - 5, ends[len]);
        }
    }
}


static void
test_fragments(void **state)
{
    (void) state;

    CHECK("message Hello\n", { .first = 0x01, .payload = "Hel" },
          { .first = 0x80, .payload = "lo" });
    CHECK("message abc\n", { .first = 0x01, .payload = "a" },
          { .first = 0x00, .payload = "b" }, { .first = 0x80, .payload = "c" });
    CHECK("message a\n", { .first = 0x01, .payload = "" },
          { .first = 0x00, .payload = "a" }, { .first = 0x80, .payload = "" });
    CHECK("message \n", { .first = 0x01, .payload = "" },
          { .first = 0x80, .payload = "" });

    /* control frames between them, each answered at once */

    CHECK("ping 1\nping 2\nmessage ab\nmessage c\n",
          { .first = 0x01, .payload = "a" }, { .first = 0x89, .payload = "1" },
          { .first = 0x8a, .payload = "" }, { .first = 0x89, .payload = "2" },
          { .first = 0x80, .payload = "b" }, { .first = 0x81, .payload = "c" });
    CHECK("close 1000 by peer\n", { .first = 0x01, .payload = "a" },
          { .first = 0x88, .payload = "\x03\xe8" });

    /*
     * a message cannot begin within another, and cannot continue without a
     * beginning
     */

    CHECK("close 1002\n", { .first = 0x01, .payload = "a" },
          { .first = 0x81, .payload = "b" });
    CHECK("close 1002\n", { .first = 0x80, .payload = "a" });
    CHECK("close 1002\n", { .first = 0x00, .payload = "a" });
    CHECK("message a\nclose 1002\n", { .first = 0x81, .payload = "a" },
          { .first = 0x80, .payload = "b" });
}


static void
test_control(void **state)
{
    char     log[160];
    frame_t  f;

    (void) state;

    CHECK("ping \n", { .first = 0x89, .payload = "" });
    CHECK("ping hi\n", { .first = 0x89, .payload = "hi" });
    CHECK("", { .first = 0x8a, .payload = "unasked" });

    memset(&f, 0, sizeof(f));
    f.first = 0x89;
    f.len = 125;

    memcpy(log, "ping ", 5);
    memset(log + 5, 'x', 125);
    strcpy(log + 130, "\n");
    check(&f, 1, log);

    /* never longer, and never in fragments */

    CHECK("close 1002\n", { .first = 0x89, .len = 126 });
    CHECK("close 1002\n", { .first = 0x8a, .len = 126 });
    CHECK("close 1002\n", { .first = 0x88, .len = 126 });
    CHECK("close 1002\n", { .first = 0x09, .payload = "a" });
    CHECK("close 1002\n", { .first = 0x08, .payload = "\x03\xe8" });
    CHECK("close 1002\n", { .first = 0x0a, .payload = "" });
}


static void
test_bits(void **state)
{
    unsigned  i, opcode;
    frame_t   f;

    static const unsigned  opcodes[] = { 3, 4, 5, 6, 7, 11, 12, 13, 14, 15 };

    (void) state;

    memset(&f, 0, sizeof(f));

    for (i = 1; i < 8; i++) {
        for (opcode = 1; opcode <= 10; opcode++) {

            if (opcode > 2 && opcode < 8) {
                continue;
            }

            f.first = 0x80 | i << 4 | opcode;
            f.payload = opcode == 8 ? "\x03\xe8" : "a";
            check(&f, 1, "close 1002\n");
        }
    }

    for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        f.first = 0x80 | opcodes[i];
        f.payload = "a";
        check(&f, 1, "close 1002\n");
    }

    CHECK("close 1002\n", { .first = 0x81, .payload = "a", .unmasked = 1 });
    CHECK("close 1002\n", { .first = 0x89, .payload = "", .unmasked = 1 });
    CHECK("message a\nclose 1002\n", { .first = 0x81, .payload = "a" },
          { .first = 0x81, .payload = "b", .unmasked = 1 });

    CHECK("close 1003\n", { .first = 0x82, .payload = "a" });
    CHECK("close 1003\n", { .first = 0x02, .payload = "a" },
          { .first = 0x80, .payload = "b" });
    CHECK("close 1003\n", { .first = 0x82, .payload = "" });
    CHECK("message a\nclose 1003\n", { .first = 0x81, .payload = "a" },
          { .first = 0x82, .payload = "\xff" });
}


static void
test_utf8(void **state)
{
    size_t   i;
    frame_t  f;

    static const char *const  bad[] = {
        "\x80", "\xbf", "a\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf",
        "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf8\x88\x80\x80\x80",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xfe", "\xff",
        "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80",
        "\xc3(", "\xe2\x82(", "abc\xe2\x82", "\xf0\x9f\x90"
    };

    (void) state;

    memset(&f, 0, sizeof(f));
    f.first = 0x81;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        f.payload = bad[i];
        check(&f, 1, "close 1007\n");
    }

    CHECK("message \xf4\x8f\xbf\xbf\n",
          { .first = 0x81, .payload = "\xf4\x8f\xbf\xbf" });

    /* fragments may cut a character, but the message may not end within one */

    CHECK("message \xe2\x82\xac\n", { .first = 0x01, .payload = "\xe2" },
          { .first = 0x00, .payload = "\x82" },
          { .first = 0x80, .payload = "\xac" });
    CHECK("ping p\nmessage \xe2\x82\xac\n",
          { .first = 0x01, .payload = "\xe2" },
          { .first = 0x89, .payload = "p" },
          { .first = 0x80, .payload = "\x82\xac" });
    CHECK("close 1007\n", { .first = 0x01, .payload = "\xe2" },
          { .first = 0x80, .payload = "\x82" });

    /* the error is reported at once, not at the end of the message */

    CHECK("close 1007\n", { .first = 0x01, .payload = "ab\xff" });

    /* a ping may have any octets */

    CHECK("ping \xff\n", { .first = 0x89, .payload = "\xff" });
}


static void
test_close(void **state)
{
    size_t   i;
    char     log[64], code[4];
    frame_t  f;

    static const unsigned  good[] = {
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999,
        4000, 4999
    };
    static const unsigned  bad[] = {
        1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535
    };

    (void) state;

    CHECK("close 1000 by peer\n", { .first = 0x88, .payload = "" });

    memset(&f, 0, sizeof(f));
    f.first = 0x88;
    f.payload = code;
    f.len = 2;

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        code[0] = (char) (good[i] >> 8);
        code[1] = (char) good[i];
        sprintf(log, "close %u by peer\n", good[i]);
        check(&f, 1, log);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        code[0] = (char) (bad[i] >> 8);
        code[1] = (char) bad[i];
        check(&f, 1, "close 1002\n");
    }

    CHECK("close 1000 by peer\n", { .first = 0x88, .payload = "\x03\xe8"
                                                              "bye" });

    /* a code has two octets */

    CHECK("close 1002\n", { .first = 0x88, .payload = "\x03" });

    /* nothing is read after it, and earlier messages are delivered */

    CHECK("message a\nclose 1000 by peer\n",
          { .first = 0x81, .payload = "a" },
          { .first = 0x88, .payload = "\x03\xe8" },
          { .first = 0x81, .payload = "b" }, { .first = 0x89, .payload = "" });
}


/* The reason must be UTF-8, and come in one frame. */

static void
test_reason(void **state)
{
    static const frame_t  f = { .first = 0x88, .payload = "\x03\xe8\xff" };

    (void) state;

    w.len = 0;
    w.ends = 0;
    put(&f);

    assert_string_equal(run(LOG_MAX), "close 1007\n");
}


static void
test_end(void **state)
{
    static const frame_t  text = { .first = 0x81, .payload = "a" };
    static const frame_t  ping = { .first = 0x89, .payload = "p" };
    static const frame_t  part = { .first = 0x01, .len = 500 };

    (void) state;

    w.len = 0;
    w.ends = 1;
    w.full = 0;

    assert_string_equal(run(1), "over\n");

    put(&text);
    assert_string_equal(run(1), "message a\nover\n");
    assert_string_equal(run(LOG_MAX), "message a\nover\n");

    put(&part);
    assert_string_equal(run(LOG_MAX), "message a\nover\n");

    w.len -= 100;
    assert_string_equal(run(7), "message a\nover\n");

    /* an answer that cannot be written */

    w.len = 0;
    w.ends = 0;
    w.full = 1;

    put(&ping);
    assert_string_equal(run(LOG_MAX), "over\n");

    w.full = 0;
}


/* The frames of a server have no mask; those of the client have none here. */

static void
test_client(void **state)
{
    (void) state;

    w.client = 1;

    CHECK("message Hello\nmessage b\n",
          { .first = 0x81, .payload = "Hello", .unmasked = 1 },
          { .first = 0x01, .payload = "", .unmasked = 1 },
          { .first = 0x80, .payload = "b", .unmasked = 1 });
    CHECK("ping a\n", { .first = 0x89, .payload = "a", .unmasked = 1 });
    CHECK("pong 3f09.17\npong \nclose 1001 by peer\n",
          { .first = 0x8a, .payload = "3f09.17", .unmasked = 1 },
          { .first = 0x8a, .payload = "", .unmasked = 1 },
          { .first = 0x88, .payload = "\x03\xe9", .unmasked = 1 });
    CHECK("close 1002\n", { .first = 0x81, .payload = "Hello" });
    CHECK("close 1003\n", { .first = 0x82, .payload = "a", .unmasked = 1 });
    CHECK("close 1007\n", { .first = 0x81, .payload = "\xff", .unmasked = 1 });
    CHECK("close 1009\n", { .first = 0x81, .len = MAX + 1, .unmasked = 1 });
    CHECK("close 1002\n", { .first = 0xc1, .payload = "a", .unmasked = 1 });
    CHECK("close 1000 by peer\n",
          { .first = 0x88, .payload = "", .unmasked = 1 });

    w.client = 0;
}


/* A frame may be masked in place. */

static void
test_mask(void **state)
{
    size_t         n;
    parley_buf_t   b;
    parley_str_t   text;
    parley_arena_t arena;

    static uint8_t  out[400];
    static uint8_t  long_text[300];

    (void) state;

    memset(long_text, 'a', sizeof(long_text));

    for (n = 0; n <= sizeof(long_text); n += 150) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_buf_init(&b, &arena, 0);
        parley_frame_write(&b, PARLEY_FRAME_TEXT,
                           parley_str_make(long_text, n));
        assert_int_equal(parley_buf_done(&b, &text), 0);

        memcpy(out + PARLEY_FRAME_KEY, text.data, text.len);

        assert_int_equal(parley_frame_mask(out,
                                    parley_str_make(out + PARLEY_FRAME_KEY,
                                                    text.len), mask),
                         text.len + PARLEY_FRAME_KEY);

        w.len = text.len + PARLEY_FRAME_KEY;
        memcpy(w.in, out, w.len);
        parley_arena_reset(&arena);

        assert_int_equal(strlen(run(LOG_MAX)), n + sizeof("message \n") - 1);
    }
}


/* While a message is not taken, no octets are read. */

static void
test_one_by_one(void **state)
{
    unsigned                i;
    parley_str_t            message;
    parley_websocket_t     *ws;
    parley_websocket_env_t  env = { .mem = parley_mem_libc, .read = take,
                                    .write = control };

    static const frame_t  f = { .first = 0x81, .len = 900 };

    (void) state;

    w.len = 0;
    w.at = 0;
    w.step = LOG_MAX;
    w.ends = 0;
    w.log[0] = '\0';

    for (i = 0; i < 100; i++) {
        put(&f);
    }

    ws = parley_websocket_create(&env, MAX);
    assert_non_null(ws);

    for (i = 0; i < 100; i++) {
        assert_int_equal(parley_websocket_next(ws, &message),
                         PARLEY_WEBSOCKET_MESSAGE);
        assert_int_equal(message.len, 900);

        /* a part of one piece may wait */

        assert_true(w.at <= (i + 1) * 908 + PARLEY_WEBSOCKET_PIECE);
    }

    assert_int_equal(parley_websocket_next(ws, &message),
                     PARLEY_WEBSOCKET_EMPTY);
    parley_websocket_free(ws);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-20 a text is a message", test_messages),
    parley_test("VCP-20 lengths, and the longest", test_lengths),
    parley_test("VCP-20 a length that is announced", test_announced),
    parley_test("VCP-20 fragments", test_fragments),
    parley_test("VCP-20 control frames", test_control),
    parley_test("VCP-20 reserved bits, opcodes, masks, binary", test_bits),
    parley_test("VCP-20 UTF-8", test_utf8),
    parley_test("VCP-20 closes", test_close),
    parley_test("VCP-20 the reason of a close", test_reason),
    parley_test("VCP-20 a connection that ends", test_end),
    parley_test("VCP-20 frames of a server", test_client),
    parley_test("GW-34 frames masked in place", test_mask),
    parley_test("VCP-20 messages are taken one by one", test_one_by_one),
};


PARLEY_TEST_MAIN(tests)
