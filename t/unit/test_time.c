/* core/parley_time.h */

#include "t/unit/parley_test.h"

#include <time.h>

#include "core/parley_time.h"


static void
test_parse(void **state)
{
    size_t   i;
    int64_t  ms;

    static const struct {
        const char  *text;
        int64_t      ms;
    } cases[] = {
        { "1970-01-01T00:00:00Z", 0 },
        { "1970-01-01T00:00:00.001Z", 1 },
        { "1969-12-31T23:59:59.999Z", -1 },
        { "2026-02-15T10:30:00Z", 1771151400000 },
        { "2026-02-15t10:30:00z", 1771151400000 },
        { "2026-02-15T10:30:00.1Z", 1771151400100 },
        { "2026-02-15T10:30:00.12Z", 1771151400120 },
        { "2026-02-15T10:30:00.123Z", 1771151400123 },
        { "2026-02-15T10:30:00.1239999999999999999999Z", 1771151400123 },
        { "2026-02-15T12:00:00+01:30", 1771151400000 },
        { "2026-02-15T00:30:00-10:00", 1771151400000 },
        { "2026-02-15T10:30:00-00:00", 1771151400000 },
        { "2026-02-16T10:29:00+23:59", 1771151400000 },
        { "2000-02-29T00:00:00Z", 951782400000 },
        { "2024-02-29T23:59:59Z", 1709251199000 },
        { "0000-01-01T00:00:00Z", -62167219200000 },
        { "0000-02-29T00:00:00Z", -62162121600000 },
        { "9999-12-31T23:59:59.999Z", 253402300799999 },
        { "1998-12-31T23:59:60Z", 915148800000 },
        { "1998-12-31T23:59:60.5Z", 915148800500 },
        { "1998-12-31T15:59:60.123-08:00", 915148800123 },
        { "1999-01-01T05:29:60+05:30", 915148800000 },
        { "0001-01-01T00:30:00+01:00", -62135598600000 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ms = 4711;

        if (parley_time_parse(parley_str_c(cases[i].text), &ms) != 0
            || ms != cases[i].ms)
        {
            fail_msg("%s: %lld", cases[i].text, (long long) ms);
        }
    }
}


static void
test_refused(void **state)
{
    size_t              i, len;
    char                copy[64];
    int64_t             ms;
    static const char  *cases[] = {
        "", "Z", "2026-02-15", "2026-02-15T10:30:00", "2026-02-15T10:30Z",
        "2026-02-15 10:30:00Z", "2026-02-15_10:30:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z",
        "2026-01-32T00:00:00Z", "2026-02-15T24:00:00Z",
        "2026-02-15T10:60:00Z", "2026-02-15T10:30:61Z",
        "2026-02-15T10:30:60Z", "1998-12-31T22:59:60Z",
        "1998-12-31T23:58:60Z", "1998-12-31T23:59:60+01:00",
        "2026-02-15T10:30:00.Z", "2026-02-15T10:30:00,5Z",
        "2026-02-15T10:30:00+1:00", "2026-02-15T10:30:00+0100",
        "2026-02-15T10:30:00+24:00", "2026-02-15T10:30:00+01:60",
        "2026-02-15T10:30:00+01", "2026-02-15T10:30:00ZZ",
        "2026-02-15T10:30:00Z ", " 2026-02-15T10:30:00Z",
        "2026-2-15T10:30:00Z", "26-02-15T10:30:00Z",
        "+2026-02-15T10:30:00Z", "-2026-02-15T10:30:00Z",
        "2026-02-15T10:30:00.12aZ", "2026-02-15T1a:30:00Z",
        "2026/02/15T10:30:00Z", "2026-02-15T10-30-00Z",
        "2026-02-15T10:30:0 Z", "2026-02-1\xD9\xA1T10:30:00Z"
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ms = 4711;

        if (parley_time_parse(parley_str_c(cases[i]), &ms) == 0) {
            fail_msg("\"%s\" was taken", cases[i]);
        }

        assert_int_equal(ms, 4711);
    }

    /* a cut timestamp is invalid */

    (void) strcpy(copy, "2026-02-15T10:30:00.123+01:30");

    for (len = 0; len < strlen(copy); len++) {
        assert_int_equal(parley_time_parse(parley_str_make(copy, len), &ms),
                         -1);
    }
}


static void
test_format(void **state)
{
    char    buf[PARLEY_TIME_MAX];
    size_t  n;

    (void) state;

    n = parley_time_format(1771151400000, buf);
    assert_string_equal(buf, "2026-02-15T10:30:00Z");
    assert_int_equal(n, 20);

    n = parley_time_format(1771151400123, buf);
    assert_string_equal(buf, "2026-02-15T10:30:00.123Z");
    assert_int_equal(n, 24);

    (void) parley_time_format(1771151400020, buf);
    assert_string_equal(buf, "2026-02-15T10:30:00.020Z");

    (void) parley_time_format(-1, buf);
    assert_string_equal(buf, "1969-12-31T23:59:59.999Z");

    (void) parley_time_format(-62167219200000, buf);
    assert_string_equal(buf, "0000-01-01T00:00:00Z");

    (void) parley_time_format(253402300799999, buf);
    assert_string_equal(buf, "9999-12-31T23:59:59.999Z");

    assert_int_equal(parley_time_format(253402300800000, buf), 0);
    assert_string_equal(buf, "");
    assert_int_equal(parley_time_format(-62167219200001, buf), 0);
    assert_int_equal(parley_time_format(INT64_MAX, buf), 0);
    assert_int_equal(parley_time_format(INT64_MIN, buf), 0);
}


/*
 * Every day of 10 000 years, converted back, and compared with the C library.
 */
static void
test_every_day(void **state)
{
    char       buf[PARLEY_TIME_MAX], expected[64];
    time_t     t;
    int64_t    ms, back;
    struct tm  tm;

    (void) state;

    for (ms = -62167219200000; ms < 253402300800000; ms += 86400000) {
        assert_int_equal(parley_time_format(ms, buf), 20);
        assert_int_equal(parley_time_parse(parley_str_c(buf), &back), 0);
        assert_true(back == ms);

        t = (time_t) (ms / 1000);
        assert_non_null(gmtime_r(&t, &tm));
        (void) snprintf(expected, sizeof(expected),
                        "%04d-%02d-%02dT00:00:00Z", tm.tm_year + 1900,
                        tm.tm_mon + 1, tm.tm_mday);
        assert_string_equal(buf, expected);
    }
}


static void
test_http(void **state)
{
    size_t   i;
    int64_t  ms;

    static const struct {
        const char  *text;
        int64_t      s;
    } cases[] = {
        { "Sun, 06 Nov 1994 08:49:37 GMT", 784111777 },
        { "Sunday, 06-Nov-94 08:49:37 GMT", 784111777 },
        { "Sun Nov  6 08:49:37 1994", 784111777 },
        { "Sun, 06 Nov 1994 08:49:37", 784111777 },
        { "Tue, 29 Feb 2000 00:00:00 GMT", 951782400 },
        { "Thu, 31 Dec 1998 23:59:60 GMT", 915148800 },
        { "Thursday, 01-Jan-70 00:00:00 GMT", 0 },
        { "Tuesday, 31-Dec-69 23:59:59 GMT", 3155759999 },
        { "Wed Dec 31 23:59:59 1969", -1 },
    };

    static const char *const  refused[] = {
        "", "Sun", "Sun,", "Sun, 06 Nov 1994 08:49", "Sun, 6 Nov 1994 08:49:37",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Xxx 1994 08:49:37 GMT",
        "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Mon, 29 Feb 1999 00:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun Nov x6 08:49:37 1994", "Sun Nov  6 08:49:37", "06 Nov 1994",
        "1994-11-06T08:49:37Z"
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ms = 4711;

        if (parley_time_parse_http(parley_str_c(cases[i].text), &ms) != 0
            || ms != cases[i].s * 1000)
        {
            fail_msg("%s: %lld", cases[i].text, (long long) ms);
        }
    }

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ms = 4711;

        if (parley_time_parse_http(parley_str_c(refused[i]), &ms) == 0
            || ms != 4711)
        {
            fail_msg("%s: %lld", refused[i], (long long) ms);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-29 dates of HTTP are read", test_http),
    parley_test("VCP-05 timestamps of RFC 3339 are read", test_parse),
    parley_test("VCP-05 what is no real date is refused", test_refused),
    parley_test("milliseconds are written as UTC", test_format),
    parley_test("every day of 10 000 years", test_every_day),
};


PARLEY_TEST_MAIN(tests)
