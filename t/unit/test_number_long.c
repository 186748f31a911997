/*
 * Literals of any length (parley_number.h, parley_decimal.h, parley_json.h),
 * random ones and those next to halfway points.  They are compared with
 * strtod() of the C library, which rounds correctly.
 */

#include "t/unit/parley_test_json.h"
#include "t/unit/parley_test_random.h"

#include <float.h>
#include <math.h>

#include "core/parley_jcs.h"
#include "core/parley_number.h"


#define SEED         20261
#define LITERAL_MAX  8192

/* maximum number of digits of a halfway point between two doubles */
#define HALFWAY_DIGITS  780


typedef struct {
    char    text[LITERAL_MAX];
    size_t  len;
} literal_t;


static void
put(literal_t *l, const char *text, size_t len)
{
    assert_true(l->len + len < sizeof(l->text));

    memcpy(l->text + l->len, text, len);
    l->len += len;
    l->text[l->len] = '\0';
}


static void
put_same(literal_t *l, char c, size_t n)
{
    while (n-- > 0) {
        put(l, &c, 1);
    }
}


static void
put_random(literal_t *l, parley_test_random_t *r, size_t n)
{
    while (n-- > 0) {
        put_same(l, (char) ('0' + parley_test_below(r, 10)), 1);
    }
}


static void
put_exponent(literal_t *l, long exponent)
{
    char  text[32];

    put(l, text, (size_t) snprintf(text, sizeof(text), "e%ld", exponent));
}


/* Checks the canonical form of a literal in an array. */
static void
assert_canonical(const char *expected, const literal_t *l)
{
    parley_buf_t  b;
    parley_str_t  ret;
    fixture_t     f;
    static char   text[LITERAL_MAX + 2];

    (void) snprintf(text, sizeof(text), "[%s]", l->text);

    if (read_text(&f, NULL, text) != 0) {
        fail_msg("%s: %s", text, f.err.text);
    }

    assert_int_equal(f.doc.nodes[1].len, l->len);

    parley_buf_init(&b, &f.arena, 1);
    parley_jcs_write(&b, (parley_json_ref_t) { &f.doc, 1 }, parley_str_none);
    assert_int_equal(parley_buf_done(&b, &ret), 0);

    if (ret.len != strlen(expected)
        || memcmp(ret.data, expected, ret.len) != 0)
    {
        fail_msg("%s: %.*s, not %s", text, (int) ret.len,
                 (const char *) ret.data, expected);
    }

    done(&f);
}


/* Compares the library with the C library. */
static void
check(const literal_t *l)
{
    int        rc;
    char       form[PARLEY_NUMBER_MAX];
    double     d, expected;
    fixture_t  f;

    expected = strtod(l->text, NULL);
    rc = parley_number_parse(parley_str_make(l->text, l->len), &d);

    if (isinf(expected)) {
        assert_int_equal(rc, -1);

        assert_int_equal(read_text(&f, NULL, l->text), -1);
        assert_int_equal(f.err.code, PARLEY_E_JSON_INVALID);
        assert_int_equal(f.err.offset, 0);
        assert_string_equal(f.err.text, "number out of range");
        done(&f);

        return;
    }

    if (rc != 0 || memcmp(&d, &expected, sizeof(double)) != 0) {
        fail_msg("%s: %.17g, not %.17g", l->text, d, expected);
    }

    (void) parley_number_format(expected, form);
    assert_canonical(form, l);
}


/* Any digits, with the point and an exponent anywhere. */
static void
test_random(void **state)
{
    long                  zeros;
    size_t                i, digits, fraction;
    literal_t             l;
    parley_test_random_t  r = { SEED };

    (void) state;

    for (i = 0; i < 20000; i++) {
        l.len = 0;

        if (parley_test_chance(&r, 30)) {
            put(&l, "-", 1);
        }

        digits = parley_test_below(&r, parley_test_chance(&r, 10) ? 900 : 100);
        fraction = parley_test_below(&r, parley_test_chance(&r, 10) ? 2000
                                                                    : 100);
        zeros = parley_test_chance(&r, 30)
                    ? (long) parley_test_below(&r, 600) : 0;

        if (digits == 0) {
            put(&l, "0", 1);

        } else {
            put_same(&l, (char) ('1' + parley_test_below(&r, 9)), 1);
            put_random(&l, &r, digits - 1);
        }

        if (fraction != 0) {
            put(&l, ".", 1);
            put_same(&l, '0', (size_t) zeros);
            put_random(&l, &r, fraction);
        }

        if (parley_test_chance(&r, 70)) {
            put_exponent(&l, (long) parley_test_below(&r, 700) - 350
                             + (digits == 0 ? zeros : -(long) digits));
        }

        check(&l);
    }
}


/*
 * Checks 0.digits * 10^point, written in several ways; more is added after the
 * digits and that many zeros.
 */
static void
check_forms(parley_test_random_t *r, const char *digits, long point,
    size_t zeros, const char *more)
{
    long       shift;
    literal_t  l;

    l.len = 0;
    put(&l, "0.", 2);
    put(&l, digits, strlen(digits));
    put_same(&l, '0', zeros);
    put(&l, more, strlen(more));
    put_exponent(&l, point);
    check(&l);

    /* the point far before the digits, or far after them */

    shift = (long) parley_test_below(r, 2000);

    l.len = 0;
    put(&l, "0.", 2);
    put_same(&l, '0', (size_t) shift);
    put(&l, digits, strlen(digits));
    put_same(&l, '0', zeros);
    put(&l, more, strlen(more));
    put_exponent(&l, point + shift);
    check(&l);

    l.len = 0;
    put(&l, digits, strlen(digits));
    put_same(&l, '0', zeros);
    put(&l, more, strlen(more));
    put_same(&l, '0', (size_t) shift);
    put(&l, ".", 1);
    put_same(&l, '0', 1 + (size_t) shift / 2);
    put_exponent(&l, point - (long) strlen(digits) - (long) zeros
                     - (long) strlen(more) - shift);
    check(&l);
}


/*
 * Checks the point halfway between a double and the next one, and its
 * neighbours by one in a far place.  IEEE 754 asks for the even one of the
 * two, or for the nearer.
 */
static void
check_halfway(parley_test_random_t *r, double d)
{
    char         text[HALFWAY_DIGITS + 32], digits[HALFWAY_DIGITS + 1], *e;
    size_t       n;
    long         point;
    long double  half;

    half = ((long double) d + (long double) nextafter(d, INFINITY)) / 2;

    (void) snprintf(text, sizeof(text), "%.*Le", HALFWAY_DIGITS - 1, half);
    e = strchr(text, 'e');
    assert_non_null(e);
    point = atol(e + 1) + 1;

    digits[0] = text[0];
    memcpy(digits + 1, text + 2, HALFWAY_DIGITS - 1);

    for (n = HALFWAY_DIGITS; digits[n - 1] == '0'; n--) { /* void */ }

    assert_true(n < HALFWAY_DIGITS);
    digits[n] = '\0';

    check_forms(r, digits, point, 0, "");
    check_forms(r, digits, point, parley_test_below(r, 1500), "1");

    if (n == 1) {
        return;         /* 1e23 is one */
    }

    digits[n - 1]--;

    check_forms(r, digits, point, 0, "9");
    check_forms(r, digits, point, 0, "99999999999999999999999999999999999");
}


static void
test_halfway(void **state)
{
    double                d;
    size_t                i;
    uint64_t              bits;
    parley_test_random_t  r = { SEED };

    static const double  edges[] = {
        0, DBL_TRUE_MIN, DBL_MIN, DBL_MIN - DBL_TRUE_MIN, 1, 2, 0.5, 0.1,
        9007199254740992.0, 1e22, 1e23, 1.7976931348623155e308, 2e-308
    };

    (void) state;

    if (LDBL_MANT_DIG <= DBL_MANT_DIG) {
        skip();     /* this machine has no halfway points */
    }

    for (i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        check_halfway(&r, edges[i]);
    }

    for (i = 0; i < 300; i++) {
        bits = parley_test_random(&r) >> 1;
        memcpy(&d, &bits, sizeof(double));

        /*
         * the largest exponents reach infinity; subnormal ones have the most
         * digits
         */

        if (i % 3 == 0) {
            d = fmod(d, DBL_MIN);
        }

        if (d < DBL_MAX / 2) {
            check_halfway(&r, d);
        }
    }
}


/* The largest double, and the overflow. */
static void
test_overflow(void **state)
{
    size_t     i, n;
    literal_t  l;

    /* halfway between the largest double and the next power */

    static const char  limit[] =
        "179769313486231580793728971405303415079934132710037826936173778980"
        "444968292764750946649017977587207096330286416692887910946555547851"
        "940402630657488671505820681908902000708383676273854845817711531764"
        "475730270069855571366959622842914819860834936475292719074168444365"
        "510704342711559699508093042880177904174497792";

    (void) state;

    n = strlen(limit);
    assert_int_equal(n, 309);

    for (i = 0; i < 3; i++) {
        l.len = 0;
        put(&l, limit, n - 1);
        put(&l, &"123"[i], 1);
        check(&l);

        put_same(&l, '0', 3000);
        put_exponent(&l, -3000);
        check(&l);
    }

    for (i = 0; i < 2; i++) {
        l.len = 0;
        put(&l, (i == 0) ? "1." : "9", i == 0 ? 2 : 1);
        put_same(&l, '0', 3000);
        put_exponent(&l, (i == 0) ? 308 : 307 - 3000);
        check(&l);
    }

    l.len = 0;
    put(&l, "1", 1);
    put_same(&l, '0', 308);
    check(&l);

    put(&l, "0", 1);
    check(&l);
}


/* A body that is only a number is read, up to the limit of the body. */
static void
test_longest(void **state)
{
    char       *text;
    size_t      n;
    int64_t     value;
    fixture_t   f;

    (void) state;

    n = parley_json_limits_default.octets;
    text = malloc(n + 2);
    assert_non_null(text);

    memset(text, '0', n);
    text[1] = '.';
    text[n] = '\0';

    text[n - 1] = '7';
    assert_int_equal(read_text(&f, NULL, text), 0);
    assert_true(parley_json_number(&f.doc, 0) == 0);
    assert_int_equal(f.doc.inexact, PARLEY_JSON_NONE);
    assert_int_equal(f.doc.nodes[0].flags, 0);
    done(&f);

    memcpy(text + n - 9, "7e1048566", 9);
    assert_int_equal(read_text(&f, NULL, text), 0);
    assert_true(parley_json_number(&f.doc, 0) == 7);
    assert_int_equal(parley_json_integer(&f.doc, 0, &value), 0);
    assert_int_equal(value, 7);
    done(&f);

    /* an integer of that many digits overflows */

    memset(text, '1', n);
    assert_int_equal(read_text(&f, NULL, text), -1);
    assert_int_equal(f.err.code, PARLEY_E_JSON_INVALID);
    assert_string_equal(f.err.text, "number out of range");
    done(&f);

    text[n] = '1';
    text[n + 1] = '\0';
    assert_int_equal(read_text(&f, NULL, text), -1);
    assert_int_equal(f.err.code, PARLEY_E_MESSAGE_TOO_LARGE);
    done(&f);

    free(text);
}


/* An integer that no double can represent is read, and marks its document. */
static void
test_inexact(void **state)
{
    size_t     n;
    literal_t  l;
    fixture_t  f;

    (void) state;

    for (n = 17; n <= 308; n++) {
        l.len = 0;
        put(&l, "[1.5,", 5);
        put_same(&l, '1', n);
        put(&l, "]", 1);

        assert_int_equal(read_text(&f, NULL, l.text), 0);
        assert_int_equal(f.doc.inexact, 2);
        assert_int_equal(f.doc.nodes[2].flags, PARLEY_JSON_INTEGER);
        assert_int_equal(f.doc.nodes[2].len, n);
        done(&f);
    }

    /* a number with a fraction is rounded, as before */

    l.len = 0;
    put(&l, "[9007199254740993.", 18);
    put_same(&l, '0', 100);
    put(&l, "]", 1);

    assert_int_equal(read_text(&f, NULL, l.text), 0);
    assert_int_equal(f.doc.inexact, PARLEY_JSON_NONE);
    assert_true(parley_json_number(&f.doc, 1) == 9007199254740992.0);
    done(&f);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-16 long literals at random: the nearest double, and its "
                "shortest text", test_random),
    parley_test("VCP-16 halfway points of up to 767 digits, and next to them",
                test_halfway),
    parley_test("GW-10 what overflows is refused however long it is",
                test_overflow),
    parley_test("GW-10 a literal may be as long as the body", test_longest),
    parley_test("AEE-14 long integers make the document inexact",
                test_inexact),
};


PARLEY_TEST_MAIN(tests)
