/* core/parley_number.h and parley_decimal.h */

#include "t/unit/parley_test.h"

#include <locale.h>
#include <math.h>

#include "core/parley_decimal.h"
#include "core/parley_number.h"


static double
from_bits(uint64_t bits)
{
    double  d;

    memcpy(&d, &bits, sizeof(double));

    return d;
}


static uint64_t
to_bits(double d)
{
    uint64_t  bits;

    memcpy(&bits, &d, sizeof(double));

    return bits;
}


/* Reads t/cases/number/doubles.tsv: the bits in hex, a tab, the text. */
static void
check_table(void)
{
    char          buf[PARLEY_NUMBER_MAX], path[1024];
    char         *line, *end, *text;
    double        d, back;
    size_t        n, lines;
    const char   *root;
    parley_str_t  file;

    root = getenv("PARLEY_T");
    (void) snprintf(path, sizeof(path), "%s/cases/number/doubles.tsv",
                    (root == NULL) ? "t" : root);

    file = parley_test_file(path);
    lines = 0;

    for (line = (char *) file.data;
         line < (char *) file.data + file.len;
         line = end + 1)
    {
        end = memchr(line, '\n',
                     file.len - (size_t) (line - (char *) file.data));
        assert_non_null(end);
        *end = '\0';

        d = from_bits(strtoull(line, &text, 16));
        assert_int_equal(*text++, '\t');

        n = parley_number_format(d, buf);
        assert_string_equal(buf, text);
        assert_int_equal(n, strlen(text));

        assert_int_equal(parley_number_parse(parley_str_c(buf), &back), 0);
        assert_true(d == back);
        lines++;
    }

    assert_true(lines > 400);
    free((void *) file.data);
}


static void
test_table(void **state)
{
    (void) state;

    check_table();
}


/* A locale with another decimal point changes nothing. */
static void
test_locale(void **state)
{
    size_t              i;
    double              d;
    static const char  *names[] = {
        "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8", "C.UTF-8"
    };

    (void) state;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            check_table();

            assert_int_equal(parley_number_parse(
                                 PARLEY_STR("1.2345678901234567890"), &d), 0);
            assert_true(d == 1.2345678901234567890);
        }
    }

    (void) setlocale(LC_ALL, "C");
}


/*
 * The text of any bits is read as the same bits, and is not longer than the
 * text of 17 digits.
 */
static void
test_round_trip(void **state)
{
    char      buf[PARLEY_NUMBER_MAX];
    double    d, back;
    size_t    n;
    uint64_t  x;
    unsigned  i;

    (void) state;

    x = 88172645463325252ULL;

    for (i = 0; i < 100000; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;

        d = from_bits(x);

        if (!isfinite(d)) {
            continue;
        }

        n = parley_number_format(d, buf);
        assert_true(n < 26);
        assert_int_equal(buf[n], '\0');
        assert_int_equal(parley_number_parse(parley_str_make(buf, n), &back),
                         0);
        assert_true(to_bits(back) == x);
        assert_true(strtod(buf, NULL) == d);
    }
}


static void
test_parse(void **state)
{
    size_t  i;
    double  d;

    static const struct {
        const char  *text;
        uint64_t     bits;
    } cases[] = {
        { "0", 0 },
        { "-0", 0x8000000000000000ULL },
        { "-0.0e10", 0x8000000000000000ULL },
        { "1", 0x3FF0000000000000ULL },
        { "1.0", 0x3FF0000000000000ULL },
        { "10e-1", 0x3FF0000000000000ULL },
        { "0.1", 0x3FB999999999999AULL },
        { "100000000000000000000000e-24", 0x3FB999999999999AULL },
        { "123456789012345e22", 0x476DB89CAFCCD3A9ULL },
        { "9007199254740993", 0x4340000000000000ULL },
        { "9007199254740993.00000000000000000000000000000000001",
          0x4340000000000001ULL },
        { "1.7976931348623157e308", 0x7FEFFFFFFFFFFFFFULL },
        { "1.7976931348623158e308", 0x7FEFFFFFFFFFFFFFULL },
        { "5e-324", 1 },
        { "2.4703282292062328e-324", 1 },
        { "2.4703282292062327e-324", 0 },
        { "2.2250738585072014e-308", 0x0010000000000000ULL },
        { "2.2250738585072011e-308", 0x000FFFFFFFFFFFFFULL },
        { "1e-400", 0 },
        { "-1e-99999999999999999999", 0x8000000000000000ULL },
        { "0e99999999999999999999", 0 },
        { "0.000000000000000000000000000001e30", 0x3FF0000000000000ULL },
    };

    static const char  *overflow[] = {
        "1e309", "-1e309", "1.7976931348623159e308", "1e999999999999999999",
        "17976931348623159e292"
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        d = 1;
        assert_int_equal(parley_number_parse(parley_str_c(cases[i].text), &d),
                         0);

        assert_true(to_bits(d) == cases[i].bits);
        assert_true(to_bits(d) == to_bits(strtod(cases[i].text, NULL)));
    }

    for (i = 0; i < sizeof(overflow) / sizeof(overflow[0]); i++) {
        d = 4711;
        assert_int_equal(parley_number_parse(parley_str_c(overflow[i]), &d),
                         -1);
        assert_true(d == 4711);
    }
}


/* Halfway points with very many digits. */
static void
test_long(void **state)
{
    char    text[2048];
    double  d;
    size_t  n;

    (void) state;

    /* 2^-1074 / 2, exactly: rounds to even, zero */

    n = (size_t) snprintf(text, sizeof(text), "%.1075f",
                          from_bits(1));
    assert_true(n > 1000);
    assert_int_equal(parley_number_parse(parley_str_make(text, n), &d), 0);
    assert_true(to_bits(d) == 1);

    /* 1 + 2^-53 is halfway between 1 and the next double */

    (void) strcpy(text, "1.00000000000000011102230246251565404236316680908"
                        "203125");
    assert_int_equal(parley_number_parse(parley_str_c(text), &d), 0);
    assert_true(d == 1);

    n = strlen(text);
    memset(text + n, '0', 1500);
    text[n + 1500] = '\0';
    assert_int_equal(parley_number_parse(parley_str_c(text), &d), 0);
    assert_true(d == 1);

    text[n + 1499] = '1';
    assert_int_equal(parley_number_parse(parley_str_c(text), &d), 0);
    assert_true(to_bits(d) == 0x3FF0000000000001ULL);
}


static void
test_decimal(void **state)
{
    int               cmp;
    size_t            i;
    parley_decimal_t  a, b;

    static const struct {
        const char  *a, *b;
        int          cmp;
    } cases[] = {
        { "0", "-0.0", 0 },
        { "0", "1", -1 },
        { "0", "-1", 1 },
        { "-1", "1", -1 },
        { "-1", "-2", 1 },
        { "1", "1.0", 0 },
        { "10", "1e1", 0 },
        { "0.01", "1e-2", 0 },
        { "12.5", "125e-1", 0 },
        { "12.5", "12.50001", -1 },
        { "-12.5", "-12.50001", 1 },
        { "99", "100", -1 },
        { "1e100", "9e99", 1 },
        { "9007199254740993", "9007199254740992", 1 },
        { "0.1", "0.09999999999999999999999999", 1 },
        { "1001", "10.01e2", 0 },
        { "1001", "10.02e2", -1 },
        { "1e99999999", "1e-99999999", 1 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        a = parley_decimal_make(parley_str_c(cases[i].a));
        b = parley_decimal_make(parley_str_c(cases[i].b));

        cmp = parley_decimal_cmp(&a, &b);

        if (cmp != cases[i].cmp || parley_decimal_cmp(&b, &a) != -cmp) {
            fail_msg("%s and %s: %d", cases[i].a, cases[i].b, cmp);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-16 doubles print as ECMAScript prints them "
                "(RFC 8785 appendix B and more)", test_table),
    parley_test("the locale does not matter", test_locale),
    parley_test("random bits survive", test_round_trip),
    parley_test("literals are rounded to the nearest double", test_parse),
    parley_test("literals of a thousand digits", test_long),
    parley_test("literals are compared exactly", test_decimal),
};


PARLEY_TEST_MAIN(tests)
