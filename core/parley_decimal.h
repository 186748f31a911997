/*
 * The exact value of a JSON number literal, without rounding and without
 * allocation: sign, significant digits, power of ten.
 */

#ifndef PARLEY_DECIMAL_H
#define PARLEY_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


/*
 * 0.d1d2d3... * 10^point, with d1 and the last digit other than 0; zero has
 * no digits, point 0 and is not negative.  The digits stand in the literal,
 * which must outlive this; a '.' between them is to be skipped.
 */
typedef struct {
    const uint8_t  *first;
    const uint8_t  *end;
    size_t          ndigits;
    int64_t         point;      /* cut at about +-10^12 */
    unsigned        negative:1;
} parley_decimal_t;


/* literal must be of the JSON grammar (not checked again) */
parley_decimal_t parley_decimal_make(parley_str_t literal);

/* Less than, equal to, greater than zero. */
int parley_decimal_cmp(const parley_decimal_t *a, const parley_decimal_t *b);

/* An integer within int64_t: 0, else -1 and *ret unchanged. */
int parley_decimal_integer(const parley_decimal_t *d, int64_t *ret);


#endif /* PARLEY_DECIMAL_H */
