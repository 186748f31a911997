/*
 * Doubles as ECMAScript reads and prints them (ECMA-262 Number::toString,
 * required by RFC 8785 section 3.2.2.3): the shortest digits that read back as
 * the given double, and among those the closest.
 */

#ifndef PARLEY_NUMBER_H
#define PARLEY_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_NUMBER_MAX  32    /* room for any result and a NUL */


/*
 * Writes a finite d, NUL-terminated, and returns the length.  Zero of either
 * sign is "0".
 */
size_t parley_number_format(double d, char buf[PARLEY_NUMBER_MAX]);

/*
 * Reads a literal, which must match the JSON grammar (not checked), rounded to
 * nearest, independently of the locale.  Returns 0, or -1 with *ret unchanged
 * if it overflows.
 */
int parley_number_parse(parley_str_t literal, double *ret);


#endif /* PARLEY_NUMBER_H */
