#include "core/parley_decimal.h"


#define PARLEY_DECIMAL_EXPONENT_MAX  1000000000000LL


static int parley_decimal_sign(const parley_decimal_t *d);
static int64_t parley_decimal_exponent(const uint8_t *p, const uint8_t *end);


parley_decimal_t
parley_decimal_make(parley_str_t literal)
{
    const uint8_t     *p, *end, *point, *digits_end;
    parley_decimal_t   d;

    memset(&d, 0, sizeof(parley_decimal_t));

    p = literal.data;
    end = p + literal.len;

    d.negative = (p < end && *p == '-');
    p += d.negative;

    point = NULL;

    for (digits_end = p; digits_end < end; digits_end++) {
        if (*digits_end == '.') {
            point = digits_end;

        } else if (*digits_end < '0' || *digits_end > '9') {
            break;
        }
    }

    if (point == NULL) {
        point = digits_end;
    }

    d.first = p;
    d.end = digits_end;

    while (d.first < d.end && (*d.first == '0' || *d.first == '.')) {
        d.first++;
    }

    while (d.end > d.first && (d.end[-1] == '0' || d.end[-1] == '.')) {
        d.end--;
    }

    if (d.first == d.end) {
        d.negative = 0;
        return d;
    }

    d.ndigits = (size_t) (d.end - d.first)
                - (d.first < point && point < d.end);

    /* the point's position relative to the first significant digit */

    d.point = (point - d.first) + (point < d.first);

    if (digits_end < end) {
        d.point += parley_decimal_exponent(digits_end + 1, end);
    }

    return d;
}


int
parley_decimal_cmp(const parley_decimal_t *a, const parley_decimal_t *b)
{
    int             sign, other;
    const uint8_t  *p, *q;

    sign = parley_decimal_sign(a);
    other = parley_decimal_sign(b);

    if (sign != other) {
        return (sign > other) ? 1 : -1;
    }

    if (a->point != b->point) {
        return (a->point > b->point) ? sign : -sign;
    }

    for (p = a->first, q = b->first; p < a->end && q < b->end; p++, q++) {
        p += (*p == '.');
        q += (*q == '.');

        if (*p != *q) {
            return (*p > *q) ? sign : -sign;
        }
    }

    return ((p < a->end) - (q < b->end)) * sign;
}


int
parley_decimal_integer(const parley_decimal_t *d, int64_t *ret)
{
    int64_t         i;
    uint64_t        value, max;
    const uint8_t  *p;

    if (d->ndigits == 0) {
        *ret = 0;
        return 0;
    }

    /* INT64_MAX has 19 digits */

    if (d->point > 19 || d->point < (int64_t) d->ndigits) {
        return -1;
    }

    max = (uint64_t) INT64_MAX + d->negative;
    value = 0;
    p = d->first;

    for (i = 0; i < d->point; i++) {
        value *= 10;

        if (p < d->end) {
            p += (*p == '.');
            value += (uint64_t) (*p++ - '0');
        }
    }

    /* 19 nines are less than 2^64: no overflow */

    if (value > max) {
        return -1;
    }

    *ret = d->negative ? (int64_t) -value : (int64_t) value;

    return 0;
}


static int
parley_decimal_sign(const parley_decimal_t *d)
{
    return (d->ndigits == 0) ? 0 : d->negative ? -1 : 1;
}


/* p is after the 'e' */
static int64_t
parley_decimal_exponent(const uint8_t *p, const uint8_t *end)
{
    int      negative;
    int64_t  value;

    negative = (*p == '-');
    p += (*p == '-' || *p == '+');

    for (value = 0; p < end && value < PARLEY_DECIMAL_EXPONENT_MAX; p++) {
        value = value * 10 + (*p - '0');
    }

    return negative ? -value : value;
}
