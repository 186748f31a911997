/* core/parley_escape.h */

#include "t/unit/parley_test.h"

#include <ctype.h>

#include "core/parley_escape.h"


static int
test_stays(uint8_t octet, parley_escape_t how)
{
    if (octet <= 0x20 || octet >= 0x7F || strchr("%\"\\;", octet) != NULL) {
        return 0;
    }

    switch (how) {

    case PARLEY_ESCAPE_ITEM:
        return octet != ',';

    case PARLEY_ESCAPE_ARGUMENT:
        return isalnum(octet) || strchr("-._~!'()*", octet) != NULL;

    default:
        return 1;
    }
}


static void
test_octets(void **state)
{
    char              text[8];
    size_t            i;
    uint8_t           octets[3];
    unsigned          c;
    parley_str_t      s, ret;
    parley_escape_t   how;
    parley_arena_t    arena;

    static const parley_escape_t  all[] = {
        PARLEY_ESCAPE_VALUE, PARLEY_ESCAPE_ITEM, PARLEY_ESCAPE_ARGUMENT
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        how = all[i];

        for (c = 0; c < 256; c++) {
            octets[0] = 'a';
            octets[1] = (uint8_t) c;
            octets[2] = 'z';
            s = parley_str_make(octets, 3);

            assert_int_equal(parley_escape(&arena, s, how, &ret), 0);

            if (test_stays((uint8_t) c, how)) {
                assert_true(parley_escape_is_plain(s, how));
                assert_ptr_equal(ret.data, octets);
                assert_int_equal(ret.len, 3);
                continue;
            }

            snprintf(text, sizeof(text), "a%%%02Xz", c);

            assert_false(parley_escape_is_plain(s, how));
            parley_assert_str(ret, text);
        }
    }

    parley_arena_reset(&arena);
}


static void
test_texts(void **state)
{
    parley_str_t    ret;
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_escape(&arena, parley_str_none,
                                   PARLEY_ESCAPE_VALUE, &ret), 0);
    assert_int_equal(ret.len, 0);

    assert_int_equal(parley_escape(&arena,
                                   PARLEY_STR("\r\nX: user\xC3\xA9%"),
                                   PARLEY_ESCAPE_VALUE, &ret), 0);
    parley_assert_str(ret, "%0D%0AX:%20user%C3%A9%25");

    assert_int_equal(parley_escape(&arena, PARLEY_STR("org:~x/members/*"),
                                   PARLEY_ESCAPE_ARGUMENT, &ret), 0);
    parley_assert_str(ret, "org%3A~x%2Fmembers%2F*");

    assert_int_equal(parley_escape(&arena, PARLEY_STR("a&b=c+d e;f#g"),
                                   PARLEY_ESCAPE_ARGUMENT, &ret), 0);
    parley_assert_str(ret, "a%26b%3Dc%2Bd%20e%3Bf%23g");

    parley_arena_reset(&arena);
}


static void
test_memory(void **state)
{
    parley_mem_t       mem;
    parley_str_t       ret;
    parley_arena_t     arena;
    parley_test_mem_t  counter;

    (void) state;

    mem = parley_test_mem(&counter, 1);
    parley_arena_init(&arena, &mem, 64);

    assert_int_equal(parley_escape(&arena, PARLEY_STR("plain"),
                                   PARLEY_ESCAPE_VALUE, &ret), 0);
    parley_assert_str(ret, "plain");

    assert_int_equal(parley_escape(&arena, PARLEY_STR("not plain"),
                                   PARLEY_ESCAPE_VALUE, &ret), -1);
    assert_int_equal(ret.len, 0);
}


/* A name cannot change the form of a log line. */

static void
test_line(void **state)
{
    char     text[3 * 256 + 1], other[4];
    size_t   i, n;
    uint8_t  octets[256];

    (void) state;

    assert_string_equal(parley_escape_line(PARLEY_STR("agent.a"), 128, text),
                        "agent.a");
    assert_string_equal(parley_escape_line(parley_str_none, 128, text), "");
    assert_string_equal(parley_escape_line(PARLEY_STR("a b\"\r\n%\xc3\xa9?"),
                                           128, text),
                        "a%20b%22%0D%0A%25%C3%A9?");

    /* the name is cut, but not within the code of an octet */

    assert_string_equal(parley_escape_line(PARLEY_STR("\n\n\n"), 8, text),
                        "%0A%0A");
    assert_string_equal(parley_escape_line(PARLEY_STR("ab\n"), 4, text), "ab");
    assert_string_equal(parley_escape_line(PARLEY_STR("abc"), 2, text), "ab");
    assert_string_equal(parley_escape_line(PARLEY_STR("a"), 0, text), "");

    for (i = 0; i < sizeof(octets); i++) {
        octets[i] = (uint8_t) i;
    }

    n = strlen(parley_escape_line(parley_str_make(octets, sizeof(octets)),
                                  3 * sizeof(octets), text));

    for (i = 0; i < n; i++) {
        assert_in_range(text[i], 0x21, 0x7e);
        assert_int_not_equal(text[i], '"');
        assert_int_not_equal(text[i], '\\');
    }

    /* no two octets have the same text */

    for (i = 0; i < sizeof(octets); i++) {
        (void) parley_escape_line(parley_str_make(octets + i, 1), 3, text);
        (void) parley_escape_line(parley_str_make(octets + (i + 1) % 256, 1),
                                  3, other);
        assert_string_not_equal(text, other);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("SEC-01 a name in a line of the log", test_line),
    parley_test("SEC-01 octets that are encoded", test_octets),
    parley_test("SEC-01 texts", test_texts),
    parley_test("no memory", test_memory),
};

PARLEY_TEST_MAIN(tests)
