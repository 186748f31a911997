/* core/parley_error.h */

#include "t/unit/parley_test.h"

#include <ctype.h>

#include "core/parley_error.h"


static void
test_table(void **state)
{
    int                         i;
    size_t                      j;
    const parley_error_info_t  *info;

    (void) state;

    for (i = PARLEY_E_NONE + 1; i < PARLEY_E_COUNT; i++) {
        info = parley_error_info((parley_code_t) i);

        assert_int_equal(parley_error_code(info->word), i);
        assert_in_range(info->http, 400, 599);
        assert_int_equal(parley_error_code(info->symbol), i);

        /* E_ and the word in upper case */

        assert_int_equal(info->symbol.len, info->word.len + 2);
        assert_memory_equal(info->symbol.data, "E_", 2);

        for (j = 0; j < info->word.len; j++) {
            assert_int_equal(info->symbol.data[j + 2],
                             (info->word.data[j] == '-')
                                 ? '_' : toupper(info->word.data[j]));
        }
    }

    assert_int_equal(parley_error_code(PARLEY_STR("nonsense")),
                     PARLEY_E_NONE);
    assert_int_equal(parley_error_code(parley_str_none), PARLEY_E_NONE);
}


static void
test_rows(void **state)
{
    const parley_error_info_t  *info;

    (void) state;

    info = parley_error_info(PARLEY_E_RATE_LIMITED);
    parley_assert_str(info->word, "rate-limited");
    parley_assert_str(info->symbol, "E_RATE_LIMITED");
    assert_int_equal(info->http, 429);
    assert_int_equal(info->retryable, 1);

    info = parley_error_info(PARLEY_E_JSON_INVALID);
    parley_assert_str(info->word, "json-invalid");
    assert_int_equal(info->http, 400);
    assert_int_equal(info->retryable, 0);

    /* an unknown code becomes capacity */

    info = parley_error_info(PARLEY_E_CAPACITY);
    assert_ptr_equal(parley_error_info(PARLEY_E_NONE), info);
    assert_ptr_equal(parley_error_info(PARLEY_E_COUNT), info);
    assert_ptr_equal(parley_error_info((parley_code_t) -1), info);
    assert_ptr_equal(parley_error_info((parley_code_t) 4711), info);
}


static void
test_set(void **state)
{
    parley_error_t  err;

    (void) state;

    memset(&err, 0xFF, sizeof(err));
    parley_error_clear(&err);
    assert_int_equal(err.code, PARLEY_E_NONE);
    assert_int_equal(err.offset, PARLEY_NO_OFFSET);
    assert_int_equal(err.is_name, 0);
    assert_string_equal(err.field, "");
    assert_string_equal(err.text, "");

    err.offset = 5;
    err.is_name = 1;

    assert_int_equal(parley_error_set(&err, PARLEY_E_FIELD_INVALID, "/a/b",
                                      "%s has %d", "x", 5), -1);
    assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
    assert_int_equal(err.offset, PARLEY_NO_OFFSET);
    assert_int_equal(err.is_name, 0);
    assert_string_equal(err.field, "/a/b");
    assert_string_equal(err.text, "x has 5");

    /* the error's own field and text may be arguments */

    assert_int_equal(parley_error_set(&err, PARLEY_E_CAPACITY, err.field,
                                      "again: %s", err.text), -1);
    assert_string_equal(err.field, "/a/b");
    assert_string_equal(err.text, "again: x has 5");

    assert_int_equal(parley_error_memory(&err), -1);
    assert_int_equal(err.code, PARLEY_E_CAPACITY);
    assert_string_equal(err.field, "");
    assert_string_equal(err.text, "out of memory");
}


/* Member names of a message cannot forge a log line or a header. */
static void
test_printable(void **state)
{
    parley_error_t  err;

    (void) state;

    (void) parley_error_set(&err, PARLEY_E_FIELD_UNKNOWN,
                            "/a\r\nb\x1B[2J\x7F\xC2\x85\xC2\xA0\xC3\xA9",
                            "%s", "x\ny\xFFz\xED\xA0\x80\xF0\x9F\x98\x80");

    assert_string_equal(err.field, "/a??b?[2J??\xC2\xA0\xC3\xA9");
    assert_string_equal(err.text, "x?y?z???\xF0\x9F\x98\x80");
}


/* Texts are cut at the limit, but not within a UTF-8 sequence. */
static void
test_cut(void **state)
{
    size_t          i, n;
    char            text[1024];
    parley_error_t  err;

    (void) state;

    for (i = 0; i < 4; i++) {
        memset(text, 'x', sizeof(text));

        for (n = i; n + 4 < sizeof(text); n += 4) {
            memcpy(text + n, "\xF0\x9F\x98\x80", 4);
        }

        text[n] = '\0';

        (void) parley_error_set(&err, PARLEY_E_FIELD_UNKNOWN, text, "%s",
                                text);

        n = strlen(err.field);
        assert_true(n < PARLEY_POINTER_MAX && n > PARLEY_POINTER_MAX - 5);
        assert_memory_equal(err.field, text, n);
        assert_int_equal((n - i) % 4, 0);

        n = strlen(err.text);
        assert_true(n < PARLEY_TEXT_MAX && n > PARLEY_TEXT_MAX - 5);
        assert_memory_equal(err.text, text, n);
        assert_int_equal((n - i) % 4, 0);
    }
}


/* Text in a log line cannot end the line. */
static void
test_line(void **state)
{
    char  line[PARLEY_TEXT_MAX], text[2 * PARLEY_TEXT_MAX];

    (void) state;

    parley_error_line("/a \"b\" is\n\x1b[1m\x7f caf\xC3\xA9", line);
    assert_string_equal(line, "/a 'b' is??[1m? caf??");

    parley_error_line("", line);
    assert_string_equal(line, "");

    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';

    parley_error_line(text, line);
    assert_int_equal(strlen(line), PARLEY_TEXT_MAX - 1);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-10 every code has its word in every protocol",
                test_table),
    parley_test("GW-10 rows of the table", test_rows),
    parley_test("errors are set and cleared", test_set),
    parley_test("text and field are printable", test_printable),
    parley_test("text and field are cut at their bounds", test_cut),
    parley_test("SEC-01 words of a log line", test_line),
};


PARLEY_TEST_MAIN(tests)
