/* WebSocket: its opening, and frames that are written. */

#include "t/unit/parley_test.h"

#include "http/parley_frame.h"
#include "http/parley_handshake.h"
#include "gate/endpoint/parley_gate_upgrade.h"


static void
test_frames(void **state)
{
    size_t               n;
    uint8_t              head[PARLEY_FRAME_HEAD];
    parley_buf_t         b;
    parley_str_t         out;
    parley_arena_t       arena;
    parley_frame_kind_t  kind;

    static const uint8_t  long_reason[200];

    (void) state;

    assert_int_equal(parley_frame_head(head, PARLEY_FRAME_TEXT, 125), 2);
    assert_memory_equal(head, "\x81\x7d", 2);
    assert_int_equal(parley_frame_head(head, PARLEY_FRAME_TEXT, 126), 4);
    assert_memory_equal(head, "\x81\x7e\x00\x7e", 4);
    assert_int_equal(parley_frame_head(head, PARLEY_FRAME_TEXT, 65535), 4);
    assert_memory_equal(head, "\x81\x7e\xff\xff", 4);
    assert_int_equal(parley_frame_head(head, PARLEY_FRAME_TEXT, 65536), 10);
    assert_memory_equal(head, "\x81\x7f\0\0\0\0\0\x01\0\0", 10);

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    parley_frame_write(&b, PARLEY_FRAME_TEXT, PARLEY_STR("Hello"));
    parley_frame_close(&b, PARLEY_CLOSE_LEAVING, PARLEY_STR("bye"));

    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(out.len, 14);
    assert_memory_equal(out.data, "\x81\x05Hello\x88\x05\x03\xe9" "bye", 14);

    n = parley_frame_first(out, &kind);
    assert_int_equal(n, 7);
    assert_int_equal(kind, PARLEY_FRAME_TEXT);

    out = parley_str_from(out, n);

    for (n = 0; n < out.len; n++) {
        assert_int_equal(parley_frame_first(parley_str_make(out.data, n),
                                            &kind), 0);
    }

    assert_int_equal(parley_frame_first(out, &kind), 7);
    assert_int_equal(kind, PARLEY_FRAME_CLOSE);

    /* a reason is cut to the allowed length */

    parley_buf_init(&b, &arena, 0);
    parley_frame_close(&b, PARLEY_CLOSE_NORMAL,
                       parley_str_make(long_reason, 200));
    assert_int_equal(parley_buf_done(&b, &out), 0);
    assert_int_equal(out.len, 2 + PARLEY_FRAME_CONTROL);
    assert_int_equal(out.data[1], PARLEY_FRAME_CONTROL);

    parley_arena_reset(&arena);
}


static void
test_mask(void **state)
{
    size_t          i, n;
    uint8_t         out[70000];
    parley_buf_t    b;
    parley_str_t    frame;
    parley_arena_t  arena;

    static uint8_t        text[66000];
    static const uint8_t  key[PARLEY_FRAME_KEY] = { 0x37, 0xfa, 0x21, 0x3d };
    static const size_t   sizes[] = { 0, 125, 126, 65536 };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    /* section 5.7 */

    parley_buf_init(&b, &arena, 0);
    parley_frame_write(&b, PARLEY_FRAME_TEXT, PARLEY_STR("Hello"));
    assert_int_equal(parley_buf_done(&b, &frame), 0);

    assert_int_equal(parley_frame_mask(out, frame, key), 11);
    assert_memory_equal(out, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58",
                        11);

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        parley_frame_place_t  place = { 0 };

        parley_buf_init(&b, &arena, 0);
        parley_frame_write(&b, PARLEY_FRAME_TEXT,
                           parley_str_make(text, sizes[i]));
        assert_int_equal(parley_buf_done(&b, &frame), 0);

        n = parley_frame_mask(out, frame, key);
        assert_int_equal(n, frame.len + PARLEY_FRAME_KEY);

        parley_frame_follow(&place, parley_str_make(out, n - 1));
        assert_int_equal(place.left, sizes[i] > 0 ? 1 : 0);
    }

    parley_arena_reset(&arena);
}


static void
test_check(void **state)
{
    size_t                     i;
    parley_str_t               key;
    parley_handshake_answer_t  right, answer;

    (void) state;

    memset(&right, 0, sizeof(right));

    key = PARLEY_STR("dGhlIHNhbXBsZSBub25jZQ==");
    right.upgrade = PARLEY_STR("WebSocket");
    right.connection = PARLEY_STR("keep-alive, Upgrade");
    right.accept = PARLEY_STR("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

    assert_null(parley_handshake_check(key, &right));

    for (i = 0; i < 7; i++) {
        answer = right;

        switch (i) {
        case 0: answer.upgrade = PARLEY_STR("h2c"); break;
        case 1: answer.upgrade = parley_str_none; break;
        case 2: answer.connection = PARLEY_STR("close"); break;
        case 3: answer.accept = PARLEY_STR("S3pPLMBiTxaQ9kYGzzhZRbK+xO"); break;
        case 4: answer.accept = parley_str_none; break;
        case 5: answer.protocol = PARLEY_STR("vcp"); break;
        default: answer.extensions = PARLEY_STR("permessage-deflate"); break;
        }

        assert_non_null(parley_handshake_check(key, &answer));
    }
}


static void
test_accept(void **state)
{
    char  accept[PARLEY_HANDSHAKE_ACCEPT + 1];

    (void) state;

    /* section 1.3 */

    assert_int_equal(parley_handshake_accept(
                         PARLEY_STR("dGhlIHNhbXBsZSBub25jZQ=="), accept), 0);
    assert_string_equal(accept, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");

    assert_int_equal(parley_handshake_accept(parley_str_none, accept), -1);
    assert_string_equal(accept, "");
    assert_int_equal(parley_handshake_accept(
                         PARLEY_STR("dGhlIHNhbXBsZSBub25jZQ="), accept), -1);
    assert_int_equal(parley_handshake_accept(
                         PARLEY_STR("dGhlIHNhbXBsZSBub25jZSEh"), accept), -1);
    assert_int_equal(parley_handshake_accept(
                         PARLEY_STR("dGhlIHNhbXBsZSBub25jZ!=="), accept), -1);

    assert_true(parley_handshake_has(PARLEY_STR("keep-alive, Upgrade"),
                                     PARLEY_STR("upgrade")));
    assert_true(parley_handshake_has(PARLEY_STR("upgrade\t,x"),
                                     PARLEY_STR("upgrade")));
    assert_true(parley_handshake_has(PARLEY_STR(",, UPGRADE"),
                                     PARLEY_STR("upgrade")));
    assert_false(parley_handshake_has(PARLEY_STR("upgrade-insecure, up grade"),
                                      PARLEY_STR("upgrade")));
    assert_false(parley_handshake_has(parley_str_none, PARLEY_STR("upgrade")));
}


/* Requests that open a WebSocket, and others. */

static const char  *asked[8];           /* names and values in turn */


static void
headers(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data)
{
    size_t  i;

    (void) g;

    for (i = 0; i < 8 && asked[i] != NULL; i += 2) {
        if (parley_str_eq(name, parley_str_c(asked[i]))) {
            found(data, parley_str_c(asked[i + 1]));
        }
    }
}


static parley_code_t
opens(const char *upgrade, const char *connection, const char *version,
    const char *key, int upgradable, unsigned *upgrade_wanted)
{
    int  rc;

    static parley_gate_t   g;
    static parley_error_t  err;

    static const parley_gate_env_t  env = { .headers = headers };

    memset(&g, 0, sizeof(g));
    parley_error_clear(&err);

    g.env = &env;
    g.err = &err;
    g.in.upgradable = upgradable != 0;

    asked[0] = "upgrade";
    asked[1] = upgrade;
    asked[2] = "connection";
    asked[3] = connection;
    asked[4] = "sec-websocket-version";
    asked[5] = version;
    asked[6] = "sec-websocket-key";
    asked[7] = key;

    rc = parley_gate_upgrade(&g);

    assert_int_equal(rc, err.code == PARLEY_E_NONE ? 0 : -1);

    *upgrade_wanted = g.serve.upgrade;

    return err.code;
}


static void
test_opening(void **state)
{
    unsigned  upgrade;

    static const char  key[] = "dGhlIHNhbXBsZSBub25jZQ==";

    (void) state;

#define OPENS(...)  opens(__VA_ARGS__, &upgrade)
    assert_int_equal(OPENS("websocket", "Upgrade", "13", key, 1), 0);
    assert_int_equal(OPENS("WebSocket", "keep-alive, upgrade", "13", key, 1),
                     0);
    assert_int_equal(upgrade, 0);

    assert_int_equal(OPENS("websocket", "Upgrade", "13", key, 0),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(upgrade, 1);
    assert_int_equal(OPENS("h2c", "Upgrade", "13", key, 1),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(upgrade, 1);
    assert_int_equal(OPENS("websocket", "close", "13", key, 1),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(OPENS("websocket", "Upgrade", "8", key, 1),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(OPENS("websocket", "Upgrade", "", key, 1),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(OPENS("websocket", "Upgrade", "13, 8", key, 1),
                     PARLEY_E_PROTOCOL_UNSUPPORTED);
    assert_int_equal(upgrade, 1);
    assert_int_equal(OPENS("websocket", "Upgrade", "13", "", 1),
                     PARLEY_E_FIELD_INVALID);
    assert_int_equal(upgrade, 0);
    assert_int_equal(OPENS("websocket", "Upgrade", "13", "c2hvcnQ=", 1),
                     PARLEY_E_FIELD_INVALID);
#undef OPENS
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-20 frames that are written", test_frames),
    parley_test("VCP-20 frames of a client are masked", test_mask),
    parley_test("VCP-20 what answers a key", test_accept),
    parley_test("VCP-20 answers that a client accepts", test_check),
    parley_test("VCP-20 requests that open one", test_opening),
};


PARLEY_TEST_MAIN(tests)
