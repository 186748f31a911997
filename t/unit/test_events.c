/* Server-Sent Events: read in any pieces, and written. */

#include "t/unit/parley_test.h"

#include "http/parley_events.h"


#define LIMIT  4096


/* Writes an event as one line "id|name|retry|data". */

static void
say(parley_buf_t *b, parley_events_kind_t kind, const parley_event_t *event)
{
    if (kind == PARLEY_EVENTS_COMMENT) {
        parley_buf_lit(b, "(");
        parley_buf_str(b, event->data);
        parley_buf_lit(b, ")");
        return;
    }

    parley_buf_lit(b, "[");

    if (event->has_id) {
        parley_buf_lit(b, "#");
        parley_buf_str(b, event->id);
    }

    parley_buf_lit(b, "|");
    parley_buf_str(b, event->name);
    parley_buf_lit(b, "|");
    parley_buf_str(b, event->retry);
    parley_buf_lit(b, "|");

    if (event->has_data) {
        parley_buf_lit(b, "=");
        parley_buf_json_text(b, event->data);
    }

    parley_buf_lit(b, "]");
}


/* Reads octets in pieces of at most size; returns the last return value. */

static int
read_pieces(parley_events_t *e, parley_str_t octets, size_t size,
    parley_buf_t *b, parley_error_t *err)
{
    int             rc;
    size_t          n;
    uint8_t        *copy;
    parley_str_t    in;
    parley_event_t  event;

    rc = PARLEY_EVENTS_MORE;

    while (octets.len > 0) {
        n = octets.len < size ? octets.len : size;

        /* each piece has its own memory, which is freed after it was read */

        copy = malloc(n);
        assert_non_null(copy);
        memcpy(copy, octets.data, n);
        in = parley_str_make(copy, n);

        do {
            rc = parley_events_read(e, &in, &event, err);

            if (rc > 0) {
                say(b, (parley_events_kind_t) rc, &event);
            }

        } while (rc > 0);

        free(copy);

        if (rc < 0) {
            return rc;
        }

        assert_int_equal(in.len, 0);
        octets = parley_str_from(octets, n);
    }

    return rc;
}


static void
assert_says_of(parley_str_t octets, const char *want)
{
    size_t           size;
    parley_buf_t     b;
    parley_str_t     got;
    parley_error_t   err;
    parley_arena_t   arena;
    parley_events_t  e;

    for (size = 1; size <= octets.len; size++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_buf_init(&b, &arena, 0);
        parley_events_init(&e, &parley_mem_libc, LIMIT);

        assert_int_equal(read_pieces(&e, octets, size, &b, &err),
                         PARLEY_EVENTS_MORE);
        assert_int_equal(parley_buf_done(&b, &got), 0);
        parley_assert_str(got, want);

        parley_events_free(&e);
        parley_arena_reset(&arena);
    }
}


static void
assert_says(const char *text, const char *want)
{
    assert_says_of(parley_str_c(text), want);
}


static void
test_fields(void **state)
{
    (void) state;

    assert_says("data: a\n\n", "[|||=a]");
    assert_says("data:a\n\n", "[|||=a]");
    assert_says("data:  a\n\n", "[|||= a]");
    assert_says("data\n\n", "[|||=]");
    assert_says("data:\n\n", "[|||=]");
    assert_says("data: a\ndata: b\n\n", "[|||=a\\nb]");
    assert_says("data\ndata\n\n", "[|||=\\n]");
    assert_says("id: 1\nevent: x\nretry: 10\ndata: a\n\n", "[#1|x|10|=a]");
    assert_says("id: 1\ndata: a\n\ndata: b\n\n", "[#1|||=a][|||=b]");
    assert_says("event: x\ndata: a\n\ndata: b\n\n", "[|x||=a][|||=b]");
    assert_says("event: x\nevent: y\ndata: a\n\n", "[|y||=a]");
    assert_says("event: x\nevent\ndata: a\n\n", "[|||=a]");
    assert_says("what: x\nDATA: no\n data: no\ndata: a\n\n", "[|||=a]");
    assert_says("data: a: b\n\n", "[|||=a: b]");
}


static void
test_alone(void **state)
{
    (void) state;

    assert_says("", "");
    assert_says("\n\n\n", "");
    assert_says("event: x\n\ndata: a\n\n", "[|||=a]");
    assert_says("id: 7\n\n", "[#7|||]");
    assert_says("id\n\n", "[#|||]");
    assert_says("retry: 9\n\n", "[||9|]");
    assert_says("data: not finished", "");
    assert_says("data: not finished\n", "");
}


static void
test_comments(void **state)
{
    (void) state;

    assert_says(": keep\n\n", "( keep)");
    assert_says(":\n", "()");
    assert_says("id: 1\n: amid\ndata: a\n\n", "( amid)[#1|||=a]");
    assert_says("data: a\n:1\n:2\ndata: b\n\n", "(1)(2)[|||=a\\nb]");
}


static void
test_line_ends(void **state)
{
    (void) state;

    assert_says("data: a\r\rdata: b\r\r", "[|||=a][|||=b]");
    assert_says("data: a\r\n\r\ndata: b\r\n\r\n", "[|||=a][|||=b]");
    assert_says("data: a\r\ndata: b\n\r", "[|||=a\\nb]");
    assert_says("data: a\n\r\ndata: b\r\n\n", "[|||=a][|||=b]");
}


static void
test_byte_order_mark(void **state)
{
    (void) state;

    assert_says("\xef\xbb\xbf" "data: a\n\n", "[|||=a]");
    assert_says("\xef\xbb\xbf\xef\xbb\xbf" "data: a\n\ndata: b\n\n",
                "[|||=b]");
    assert_says("\xef\xbb\ndata: b\n\n", "[|||=b]");
    assert_says("\xef\xbb" "data: a\n\ndata: b\n\n", "[|||=b]");
    assert_says("data: a\n\n\xef\xbb\xbf" "data: b\n\n", "[|||=a]");
}


static void
test_bounds_of_fields(void **state)
{
    char  text[1024], want[1024];

    (void) state;

    memset(text, 'x', sizeof(text));
    memcpy(text, "id: ", 4);
    strcpy(text + 4 + PARLEY_EVENTS_FIELD, "\ndata: a\n\n");

    memset(want, 'x', sizeof(want));
    memcpy(want, "[#", 2);
    strcpy(want + 2 + PARLEY_EVENTS_FIELD, "|||=a]");

    assert_says(text, want);

    memset(text + 4, 'x', PARLEY_EVENTS_FIELD + 1);
    strcpy(text + 5 + PARLEY_EVENTS_FIELD, "\ndata: a\n\n");
    assert_says(text, "[|||=a]");

    memcpy(text, "event:", 6);
    memset(text + 6, 'x', PARLEY_EVENTS_FIELD + 1);
    strcpy(text + 7 + PARLEY_EVENTS_FIELD, "\ndata: a\n\n");
    assert_says(text, "[|||=a]");

    assert_says("retry: 1234567890123456789\ndata: a\n\n",
                "[||1234567890123456789|=a]");
    assert_says("retry: 12345678901234567890\ndata: a\n\n", "[|||=a]");
    assert_says("retry: 12s\nretry: -1\nretry:\ndata: a\n\n", "[|||=a]");

    assert_says_of(PARLEY_STR("id: a\0b\nevent: a\0b\ndata: a\n\n"),
                   "[|||=a]");
}


/* Returns whether a stream is refused, in pieces of that size. */

static int
is_refused(parley_str_t octets, size_t limit, size_t size)
{
    int              rc;
    parley_buf_t     b;
    parley_error_t   err;
    parley_arena_t   arena;
    parley_events_t  e;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    parley_events_init(&e, &parley_mem_libc, limit);
    parley_error_clear(&err);

    rc = read_pieces(&e, octets, size, &b, &err);

    if (rc < 0) {
        assert_int_equal(err.code, PARLEY_E_UPSTREAM_INVALID);
    }

    parley_events_free(&e);
    parley_arena_reset(&arena);

    return rc < 0;
}


static void
test_limit(void **state)
{
    size_t  i, sizes[] = { 1, 2, 7, 100 };

    (void) state;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_false(is_refused(PARLEY_STR("data: 1234\n\n"), 10, sizes[i]));
        assert_true(is_refused(PARLEY_STR("data: 12345\n\n"), 10, sizes[i]));
        assert_true(is_refused(PARLEY_STR(": 1234567890"), 10, sizes[i]));
        assert_false(is_refused(PARLEY_STR("data: 1234\ndata: 12345\n\n"),
                                11, sizes[i]));
        assert_true(is_refused(PARLEY_STR("data: 1234\ndata: 12345\n"
                                          "data: 1\n\n"), 11, sizes[i]));
        assert_true(is_refused(PARLEY_STR("data\ndata\ndata\ndata\ndata\n"
                                          "data\n\n"), 4, sizes[i]));
    }
}


/* The memory of a reader is bounded, for a stream of any length. */

static void
test_memory(void **state)
{
    size_t             i;
    parley_mem_t       mem;
    parley_str_t       in;
    parley_error_t     err;
    parley_event_t     event;
    parley_events_t    e;
    parley_test_mem_t  counted;

    static const char  text[] = ": x\nid: 1\ndata: {\"a\":1}\ndata: 2\n\n";

    (void) state;

    mem = parley_test_mem(&counted, 0);
    parley_events_init(&e, &mem, LIMIT);

    for (i = 0; i < 10000; i++) {
        in = parley_str_c(text);

        while (parley_events_read(&e, &in, &event, &err) > 0) {
            /* void */
        }

        assert_true(counted.live <= 2);
        assert_true(counted.allocations <= 2);
    }

    parley_events_free(&e);
    assert_int_equal(counted.live, 0);
}


/* The memory of a large event is freed. */

static void
test_memory_of_large(void **state)
{
    uint8_t           *text;
    parley_str_t       in;
    parley_error_t     err;
    parley_event_t     event;
    parley_events_t    e;

    (void) state;

    text = malloc(200000);
    assert_non_null(text);
    memset(text, 'x', 200000);
    memcpy(text, "data:", 5);
    memcpy(text + 199998, "\n\n", 2);

    parley_events_init(&e, &parley_mem_libc, 1 << 20);

    in = parley_str_make(text, 100000);
    assert_int_equal(parley_events_read(&e, &in, &event, &err), 0);
    in = parley_str_make(text + 100000, 100000);
    assert_int_equal(parley_events_read(&e, &in, &event, &err), 1);
    assert_int_equal(event.data.len, 199993);

    assert_int_equal(parley_events_read(&e, &in, &event, &err), 0);
    assert_true(e.line.size <= PARLEY_EVENTS_KEPT);
    assert_true(e.data.size <= PARLEY_EVENTS_KEPT);

    parley_events_free(&e);
    free(text);
}


static void
test_no_memory(void **state)
{
    size_t             i;
    parley_mem_t       mem;
    parley_str_t       in;
    parley_error_t     err;
    parley_event_t     event;
    parley_events_t    e;
    parley_test_mem_t  counted;

    (void) state;

    for (i = 1; i <= 2; i++) {
        mem = parley_test_mem(&counted, i);
        parley_events_init(&e, &mem, LIMIT);

        in = PARLEY_STR("dat");

        if (i == 1) {
            assert_int_equal(parley_events_read(&e, &in, &event, &err), -1);

        } else {
            assert_int_equal(parley_events_read(&e, &in, &event, &err), 0);
            in = PARLEY_STR("a: x\n\n");
            assert_int_equal(parley_events_read(&e, &in, &event, &err), -1);
        }

        assert_int_equal(err.code, PARLEY_E_CAPACITY);
        parley_events_free(&e);
        assert_int_equal(counted.live, 0);
    }
}


static void
assert_writes(const parley_event_t *event, const char *want)
{
    parley_buf_t    b;
    parley_str_t    got;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    parley_events_write(&b, event);
    assert_int_equal(parley_buf_done(&b, &got), 0);
    parley_assert_str(got, want);
    parley_arena_reset(&arena);
}


static void
test_write(void **state)
{
    parley_event_t  event;

    (void) state;

    memset(&event, 0, sizeof(event));
    event.has_data = 1;
    event.data = PARLEY_STR("{}");
    assert_writes(&event, "data: {}\n\n");

    event.data = PARLEY_STR("{\n\r}\r");
    assert_writes(&event, "data: {\ndata: \ndata: }\ndata: \n\n");

    event.data = PARLEY_STR("{\r\n\r\n}\r\n");
    assert_writes(&event, "data: {\ndata: \ndata: }\ndata: \n\n");

    event.data = parley_str_none;
    assert_writes(&event, "data: \n\n");

    event.id = PARLEY_STR("1");
    event.name = PARLEY_STR("n");
    event.retry = PARLEY_STR("5");
    assert_writes(&event, "event: n\nretry: 5\ndata: \n\n");

    event.has_id = 1;
    event.has_data = 0;
    assert_writes(&event, "id: 1\nevent: n\nretry: 5\n\n");
}


/* GW-39: the end of a stream, octet by octet and at once. */

static void
test_end(void **state)
{
    int              rc;
    size_t           i, step;
    parley_str_t     in, rest;
    parley_error_t   err;
    parley_event_t   event;
    parley_events_t  e;

    static const struct {
        const char  *text;
        int          rc;
        const char  *data;      /* of LAST */
    } cases[] = {
        { "", PARLEY_EVENTS_WHOLE, NULL },
        { "\n", PARLEY_EVENTS_WHOLE, NULL },
        { "data: x\n\n", PARLEY_EVENTS_WHOLE, NULL },
        { "data: x\r\r", PARLEY_EVENTS_WHOLE, NULL },
        { "data: x\n\n: a comment", PARLEY_EVENTS_WHOLE, NULL },
        { ": a comment\n", PARLEY_EVENTS_WHOLE, NULL },
        { "retry: 5\n", PARLEY_EVENTS_WHOLE, NULL },
        { "data: x\n\nwhat: x\n\n", PARLEY_EVENTS_WHOLE, NULL },
        { ": x\nwhat: x\n\n", PARLEY_EVENTS_WHOLE, NULL },

        { "data: x\n", PARLEY_EVENTS_LAST, "x" },
        { "data: x", PARLEY_EVENTS_LAST, "x" },
        { "data: x\r", PARLEY_EVENTS_LAST, "x" },
        { "data: x\ndata:y", PARLEY_EVENTS_LAST, "x\ny" },
        { "data: x\nid: 1\nev", PARLEY_EVENTS_LAST, "x" },
        { "data: x\n: comment", PARLEY_EVENTS_LAST, "x" },
        { "data: a\n\ndata: x", PARLEY_EVENTS_LAST, "x" },
        { "data:", PARLEY_EVENTS_LAST, "" },

        { "id: 1\n", PARLEY_EVENTS_CUT, NULL },
        { "data: x\n\nevent: y\n", PARLEY_EVENTS_CUT, NULL },
        { "data: x\n\nda", PARLEY_EVENTS_CUT, NULL },
        { "\xef\xbb", PARLEY_EVENTS_CUT, NULL },

        { "hello", -1, NULL },
        { "hello\n\n", -1, NULL },
        { "{\"v\":\"1\"}", -1, NULL },
        { "data: x\n\n{\"v\":\"1\"}\n\n", -1, NULL },
        { "<html>\n<body>\n", -1, NULL },
        { "data: x\n\n<html>", -1, NULL },
        { "\xff\xfe{", -1, NULL }
    };

    (void) state;

    for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        parley_events_init(&e, &parley_mem_libc, LIMIT);

        rest = parley_str_c(cases[i / 2].text);
        step = i % 2 == 0 ? 1 : rest.len;
        rc = 0;

        while (rest.len > 0 && rc >= 0) {
            in = parley_str_make(rest.data, step);
            rest = parley_str_from(rest, step);

            while ((rc = parley_events_read(&e, &in, &event, &err)) > 0) {
                /* octets before the end count elsewhere */
            }
        }

        if (rc == 0) {
            rc = parley_events_end(&e, &event, &err);
        }

        assert_int_equal(rc, cases[i / 2].rc);
        assert_int_equal(parley_events_is_foreign(&e), rc < 0);

        if (rc == PARLEY_EVENTS_LAST) {
            parley_assert_str(event.data, cases[i / 2].data);
            assert_int_equal(parley_events_end(&e, &event, &err),
                             PARLEY_EVENTS_WHOLE);
        }

        parley_events_free(&e);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-07 the fields of an event", test_fields),
    parley_test("GW-07 what is no event by itself", test_alone),
    parley_test("GW-07 comments, also amid an event", test_comments),
    parley_test("GW-07 CR, LF and both end a line", test_line_ends),
    parley_test("GW-07 one byte order mark may begin it",
                test_byte_order_mark),
    parley_test("GW-07 ids, names and retries beyond their bounds are none",
                test_bounds_of_fields),
    parley_test("GW-22 lines and events are bounded", test_limit),
    parley_test("GW-22 a stream holds bounded memory", test_memory),
    parley_test("GW-22 what a large event took is given back",
                test_memory_of_large),
    parley_test("allocations that fail", test_no_memory),
    parley_test("GW-07 no data can forge a field", test_write),
    parley_test("GW-39 the end of a stream is read as it is", test_end),
};

PARLEY_TEST_MAIN(tests)
