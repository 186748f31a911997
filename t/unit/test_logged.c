/* The number of refusals in the error log. */

#include "t/unit/parley_test.h"
#include "gate/metrics/parley_logged.h"


#define T0  ((int64_t) 5000000)


static parley_logged_t  l;
static char             text[PARLEY_LOGGED_TEXT];


/* Returns how many of n refusals get a line. */
static unsigned
refuse(parley_code_t code, unsigned n, int64_t now)
{
    int64_t   wait;
    unsigned  lines;

    for (lines = 0; n > 0; n--) {
        if (parley_logged_line(&l, code, now, &wait)) {
            lines++;

        } else {
            assert_in_range(wait, 1, PARLEY_LOGGED_MS);
        }
    }

    return lines;
}


static void
test_few(void **state)
{
    (void) state;

    memset(&l, 0, sizeof(l));

    assert_int_equal(refuse(PARLEY_E_CAPACITY, PARLEY_LOGGED_LINES, T0),
                     PARLEY_LOGGED_LINES);
    assert_int_equal(refuse(PARLEY_E_RATE_LIMITED, 3, T0 + 10), 3);
    assert_int_equal(parley_logged_sum(&l, "refusals", text), 0);
    assert_string_equal(text, "");

    /* in another second, as many again */

    assert_int_equal(refuse(PARLEY_E_CAPACITY, PARLEY_LOGGED_LINES,
                            T0 + PARLEY_LOGGED_MS), PARLEY_LOGGED_LINES);
}


static void
test_many(void **state)
{
    int64_t  wait;

    (void) state;

    memset(&l, 0, sizeof(l));

    assert_int_equal(refuse(PARLEY_E_RATE_LIMITED, 1210, T0),
                     PARLEY_LOGGED_LINES);

    /* another code still has lines */
    assert_int_equal(refuse(PARLEY_E_CAPACITY, 44, T0 + 400),
                     PARLEY_LOGGED_LINES);
    assert_int_equal(refuse(PARLEY_E_TOKEN_EXPIRED, 1, T0 + 500), 1);

    assert_int_equal(parley_logged_line(&l, PARLEY_E_CAPACITY, T0 + 600,
                                        &wait), 0);
    assert_int_equal(wait, 400);

    /* the summary is late: there are no lines before it */

    assert_int_equal(refuse(PARLEY_E_CAPACITY, 2, T0 + 5000), 0);

    assert_int_equal(parley_logged_sum(&l, "refusals", text), 1237);
    assert_string_equal(text, "1237 more refusals within a second: "
                              "rate-limited 1200, capacity 37");

    assert_int_equal(parley_logged_sum(&l, "refusals", text), 0);
    assert_int_equal(refuse(PARLEY_E_CAPACITY, 1, T0 + 5001), 1);
}


/* Every code at once: the sum is one line of limited length, and complete. */

static void
test_all(void **state)
{
    unsigned  i;

    (void) state;

    memset(&l, 0, sizeof(l));

    for (i = 0; i < PARLEY_E_COUNT; i++) {
        (void) refuse((parley_code_t) i, 4000000 + i, T0);
        l.n[i] += 4000000000U - 8000000;
        l.hushed += 4000000000U - 8000000;
    }

    assert_true(parley_logged_sum(&l, "refusals", text) > 100000000000);
    assert_true(strlen(text) < PARLEY_LOGGED_TEXT - 1);
    assert_non_null(strstr(text, ", others 1"));
    assert_null(strchr(text, '\n'));
}


static const struct CMUnitTest  tests[] = {
    parley_test("OPS-07 the first few of each code get a line", test_few),
    parley_test("OPS-07 the rest is summed up", test_many),
    parley_test("OPS-07 in one line, however many there are", test_all),
};

PARLEY_TEST_MAIN(tests)
