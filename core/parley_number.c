#include "core/parley_number.h"
#include "core/parley_decimal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>


#define PARLEY_NUMBER_EXACT      9007199254740992.0    /* 2^53 */
#define PARLEY_NUMBER_FRACTION   0xFFFFFFFFFFFFFULL     /* mask */
#define PARLEY_NUMBER_DIGITS     17     /* enough for any double */
#define PARLEY_NUMBER_POWERS     22     /* 10^22 is the largest exact power */

/* 0.d * 10^point is 0 below this point, and overflows above */
#define PARLEY_NUMBER_FAR        400

/*
 * A midpoint between two doubles has at most 768 digits; of further ones it
 * only matters whether they exist.
 */
#define PARLEY_NUMBER_LONGEST    800


/* 0.digits * 10^point */
typedef struct {
    char  digits[PARLEY_NUMBER_DIGITS + 1];
    int   ndigits;
    int   point;
} parley_number_digits_t;


static size_t parley_number_integer(uint64_t value, char *buf);
static int parley_number_quick(double d, parley_number_digits_t *n);
static void parley_number_shortest(double d, parley_number_digits_t *n);
static void parley_number_round(double d, int ndigits,
    parley_number_digits_t *n);
static void parley_number_next(parley_number_digits_t *n);
static double parley_number_value(const parley_number_digits_t *n);
static void parley_number_trim(parley_number_digits_t *n);
static size_t parley_number_layout(const parley_number_digits_t *n,
    char *buf);
static int parley_number_small(const parley_decimal_t *decimal, double *ret);
static double parley_number_large(const parley_decimal_t *decimal);


static const double  parley_number_powers[PARLEY_NUMBER_POWERS + 1] = {
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22
};


size_t
parley_number_format(double d, char buf[PARLEY_NUMBER_MAX])
{
    char                    *p;
    parley_number_digits_t   n;

    p = buf;

    if (d < 0) {
        *p++ = '-';
        d = -d;
    }

    if (d < PARLEY_NUMBER_EXACT && d == (double) (uint64_t) d) {
        return (size_t) (p - buf) + parley_number_integer((uint64_t) d, p);
    }

    if (parley_number_quick(d, &n) != 0) {
        parley_number_shortest(d, &n);
    }

    parley_number_trim(&n);

    return (size_t) (p - buf) + parley_number_layout(&n, p);
}


int
parley_number_parse(parley_str_t literal, double *ret)
{
    double            d;
    parley_decimal_t  decimal;

    decimal = parley_decimal_make(literal);

    if (decimal.ndigits == 0 || decimal.point < -PARLEY_NUMBER_FAR) {
        *ret = (literal.data[0] == '-') ? -0.0 : 0.0;
        return 0;
    }

    if (decimal.point > PARLEY_NUMBER_FAR) {
        return -1;
    }

    if (parley_number_small(&decimal, &d) != 0) {
        d = parley_number_large(&decimal);

        if (isinf(d)) {
            return -1;
        }
    }

    *ret = decimal.negative ? -d : d;

    return 0;
}


static size_t
parley_number_integer(uint64_t value, char *buf)
{
    char    digits[20], *p;
    size_t  n;

    p = digits + sizeof(digits);

    do {
        *--p = (char) ('0' + value % 10);
        value /= 10;
    } while (value != 0);

    n = (size_t) (digits + sizeof(digits) - p);
    memcpy(buf, p, n);
    buf[n] = '\0';

    return n;
}


/*
 * If a decimal of at most 15 digits reads back as d, it is the shortest, since
 * no two such decimals are the same double.  One multiplication guesses it and
 * one division of exact numbers proves it.
 */
static int
parley_number_quick(double d, parley_number_digits_t *n)
{
#if FLT_EVAL_METHOD == 0

    int       exponent, scale;
    double    scaled;
    uint64_t  value;

    memcpy(&value, &d, sizeof(double));
    exponent = (int) (value >> 52) - 1022;

    /* d < 2^exponent; 30103 / 100000 is log10(2): d * 10^scale < 10^15 */

    scale = 14 - ((exponent + 2000) * 30103 / 100000 - 602);

    if (scale >= 0 && scale < PARLEY_NUMBER_POWERS
        && d * parley_number_powers[scale] < 1e14)
    {
        scale++;
    }

    if (scale > PARLEY_NUMBER_POWERS || scale < -PARLEY_NUMBER_POWERS) {
        return -1;
    }

    scaled = (scale >= 0) ? d * parley_number_powers[scale]
                          : d / parley_number_powers[-scale];

    value = (uint64_t) (scaled + 0.5);

    if (value < 100000000000000ULL || value > 999999999999999ULL) {
        return -1;
    }

    scaled = (scale >= 0) ? (double) value / parley_number_powers[scale]
                          : (double) value * parley_number_powers[-scale];

    if (scaled != d) {
        return -1;
    }

    n->ndigits = 15;
    n->point = 15 - scale;
    (void) parley_number_integer(value, n->digits);

    return 0;

#else

    /* intermediate results would be rounded twice */

    (void) d;
    (void) n;

    return -1;

#endif
}


/*
 * Tries 15 digits first, since shorter results have trailing zeros (unless d
 * is subnormal).  printf() rounds correctly, so its decimal is the nearest.
 * If that does not read back, another one of the same length can only if the
 * doubles below d are closer together than those above: at a power of two.
 */
static void
parley_number_shortest(double d, parley_number_digits_t *n)
{
    int       ndigits;
    uint64_t  bits;

    memcpy(&bits, &d, sizeof(double));

    for (ndigits = (d < DBL_MIN) ? 1 : DBL_DIG;
         ndigits < PARLEY_NUMBER_DIGITS;
         ndigits++)
    {
        parley_number_round(d, ndigits, n);

        if (parley_number_value(n) == d) {
            return;
        }

        if ((bits & PARLEY_NUMBER_FRACTION) == 0) {
            parley_number_next(n);

            if (parley_number_value(n) == d) {
                return;
            }
        }
    }

    parley_number_round(d, PARLEY_NUMBER_DIGITS, n);
}


/* independent of the locale's decimal point */
static void
parley_number_round(double d, int ndigits, parley_number_digits_t *n)
{
    char  text[64], *e;

    (void) snprintf(text, sizeof(text), "%.*e", ndigits - 1, d);

    e = strchr(text, 'e');

    n->digits[0] = text[0];
    memcpy(n->digits + 1, e - (ndigits - 1), (size_t) ndigits - 1);

    n->ndigits = ndigits;
    n->point = atoi(e + 1) + 1;
}


/* Replaces n by the next greater decimal of as many digits. */
static void
parley_number_next(parley_number_digits_t *n)
{
    int  i;

    for (i = n->ndigits - 1; i >= 0; i--) {
        if (n->digits[i] != '9') {
            n->digits[i]++;
            return;
        }

        n->digits[i] = '0';
    }

    n->digits[0] = '1';
    n->point++;
}


static double
parley_number_value(const parley_number_digits_t *n)
{
    char  text[PARLEY_NUMBER_MAX];

    (void) snprintf(text, sizeof(text), "%.*se%d", n->ndigits, n->digits,
                    n->point - n->ndigits);

    return strtod(text, NULL);
}


static void
parley_number_trim(parley_number_digits_t *n)
{
    while (n->ndigits > 1 && n->digits[n->ndigits - 1] == '0') {
        n->ndigits--;
    }
}


/* ECMA-262 Number::toString, steps 6 to 12 */
static size_t
parley_number_layout(const parley_number_digits_t *n, char *buf)
{
    int   k, point;
    char  *p;

    p = buf;
    k = n->ndigits;
    point = n->point;

    if (point > 0 && point <= 21) {
        if (k <= point) {
            memcpy(p, n->digits, (size_t) k);
            memset(p + k, '0', (size_t) (point - k));
            p += point;

        } else {
            memcpy(p, n->digits, (size_t) point);
            p += point;
            *p++ = '.';
            memcpy(p, n->digits + point, (size_t) (k - point));
            p += k - point;
        }

        *p = '\0';
        return (size_t) (p - buf);
    }

    if (point > -6 && point <= 0) {
        memcpy(p, "0.00000", 7);
        p += 2 - point;
        memcpy(p, n->digits, (size_t) k);
        p += k;
        *p = '\0';
        return (size_t) (p - buf);
    }

    *p++ = n->digits[0];

    if (k > 1) {
        *p++ = '.';
        memcpy(p, n->digits + 1, (size_t) k - 1);
        p += k - 1;
    }

    *p++ = 'e';
    *p++ = (point - 1 < 0) ? '-' : '+';

    return (size_t) (p - buf)
           + parley_number_integer((uint64_t) abs(point - 1), p);
}


/*
 * Exact for at most 15 digits and a power of ten that is a double: one
 * operation on two exact numbers rounds once.
 */
static int
parley_number_small(const parley_decimal_t *decimal, double *ret)
{
#if FLT_EVAL_METHOD == 0

    int64_t         exponent;
    uint64_t        value;
    const uint8_t  *p;

    exponent = decimal->point - (int64_t) decimal->ndigits;

    if (decimal->ndigits > DBL_DIG || exponent > PARLEY_NUMBER_POWERS
        || exponent < -PARLEY_NUMBER_POWERS)
    {
        return -1;
    }

    value = 0;

    for (p = decimal->first; p < decimal->end; p++) {
        if (*p != '.') {
            value = value * 10 + (uint64_t) (*p - '0');
        }
    }

    *ret = (exponent >= 0)
               ? (double) value * parley_number_powers[exponent]
               : (double) value / parley_number_powers[-exponent];

    return 0;

#else

    (void) decimal;
    (void) ret;

    return -1;

#endif
}


/*
 * Uses strtod() on an integer and an exponent, which is independent of the
 * locale's decimal point.
 */
static double
parley_number_large(const parley_decimal_t *decimal)
{
    char            text[PARLEY_NUMBER_LONGEST + 32];
    size_t          n;
    const uint8_t  *p;

    n = 0;

    for (p = decimal->first;
         p < decimal->end && n < PARLEY_NUMBER_LONGEST;
         p++)
    {
        if (*p != '.') {
            text[n++] = (char) *p;
        }
    }

    if (decimal->ndigits > n) {
        text[n++] = '1';
    }

    (void) snprintf(text + n, 32, "e%d", (int) (decimal->point - (int64_t) n));

    return strtod(text, NULL);
}
