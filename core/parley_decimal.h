/*
 * The exact value of a JSON number literal: sign, significant digits, power of
 * ten.  No rounding, no allocation.
 */

#ifndef PARLEY_DECIMAL_H
#define PARLEY_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


/*
 * 0.d1d2d3... * 10^point, where the first and the last digit are not 0.
 * Zero has no digits, point 0 and is not negative.  The digits are borrowed
 * from the literal; skip a '.' among them.
 */
typedef struct {
    const uint8_t  *first;
    const uint8_t  *end;
    size_t          ndigits;
    int64_t         point;      /* clamped at about +-10^12 */
    unsigned        negative:1;
} parley_decimal_t;


/*
 * Decodes a literal, which must match the JSON grammar (not checked) and
 * outlive the result.
 */
parley_decimal_t parley_decimal_make(parley_str_t literal);

/* Returns less than, equal to or greater than zero as a is to b. */
int parley_decimal_cmp(const parley_decimal_t *a, const parley_decimal_t *b);

/*
 * Converts d if it is an integer within int64_t.  Returns 0, or -1 with *ret
 * unchanged.
 */
int parley_decimal_integer(const parley_decimal_t *d, int64_t *ret);


#endif /* PARLEY_DECIMAL_H */
