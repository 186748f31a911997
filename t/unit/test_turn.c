/* The text of a turn, and the time at which it is offered. */

#include "t/unit/parley_test.h"

#include "core/parley_arena.h"
#include "gate/host/parley_host_turn_text.h"


static parley_turn_text_t
part(const char *id, const char *message)
{
    parley_turn_text_t  ret;

    ret.id = parley_str_c(id);
    ret.message = parley_str_c(message);

    return ret;
}


/* C2A-09 */

static void
test_text(void **state)
{
    size_t               n;
    parley_buf_t         b;
    parley_str_t         text, rest;
    parley_arena_t       arena;
    parley_turn_text_t   first, second, got;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    first = part("m1", "{\n}");
    second = part("", "{\"a\":1}");

    parley_turn_text_write(&b, &first);
    parley_turn_text_write(&b, &second);
    assert_int_equal(parley_buf_done(&b, &text), 0);

    rest = text;
    assert_int_equal(parley_turn_text_next(&rest, &got), 1);
    assert_true(parley_str_eq(got.id, first.id));
    assert_true(parley_str_eq(got.message, first.message));
    assert_int_equal(parley_turn_text_next(&rest, &got), 1);
    assert_int_equal(got.id.len, 0);
    assert_true(parley_str_eq(got.message, second.message));
    assert_int_equal(parley_turn_text_next(&rest, &got), 0);
    assert_int_equal(rest.len, 0);

    assert_true(parley_str_eq(parley_turn_text_last(text), second.message));
    assert_int_equal(parley_turn_text_last(parley_str_none).len, 0);

    /* a text that is cut has only its whole fragments */

    for (n = 0; n < text.len; n++) {
        rest = parley_str_make(text.data, n);

        while (parley_turn_text_next(&rest, &got)) {
            assert_true(got.message.data + got.message.len <= text.data + n);
        }

        assert_true(rest.data + rest.len <= text.data + n);
    }

    parley_arena_reset(&arena);
}


/* C2A-09 */

static void
test_due(void **state)
{
    size_t               i;
    parley_turn_times_t  t;

    static const struct {
        const char  *what;
        int64_t      newest, typing, limit;
        unsigned     full;
        int64_t      due;
    } cases[] = {
        { "one fragment", 1000, 0, INT64_MAX, 0, 3000 },
        { "the newest counts", 5000, 0, INT64_MAX, 0, 7000 },
        { "at most max", 30500, 0, INT64_MAX, 0, 31000 },
        { "typing", 1000, 9000, INT64_MAX, 0, 9000 },
        { "typing is over", 5000, 6000, INT64_MAX, 0, 7000 },
        { "typing without end", 1000, 40000, INT64_MAX, 0, 31000 },
        { "a quarter of the deadline", 5000, 9000, 2500, 0, 2500 },
        { "the limit is later", 1000, 0, 3001, 0, 3000 },
        { "full", 5000, 9000, INT64_MAX, 1, 1000 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&t, 0, sizeof(t));

        t.quiet_ms = 2000;
        t.max_ms = 30000;
        t.first_ms = 1000;
        t.newest_ms = cases[i].newest;
        t.typing_ms = cases[i].typing;
        t.limit_ms = cases[i].limit;
        t.full = cases[i].full & 1;

        if (parley_turn_due(&t) != cases[i].due) {
            fail_msg("%s: %lld", cases[i].what,
                     (long long) parley_turn_due(&t));
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-09 the text of a turn", test_text),
    parley_test("C2A-09 the time of a turn", test_due),
};


PARLEY_TEST_MAIN(tests)
