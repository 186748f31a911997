/*
 * Doubles as ECMAScript reads and prints them (ECMA-262 Number::toString,
 * which RFC 8785 section 3.2.2.3 requires): the shortest digits that read
 * back as the same double, and of those the closest.
 */

#ifndef PARLEY_NUMBER_H
#define PARLEY_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


#define PARLEY_NUMBER_MAX  32    /* room for any result and a zero */


/*
 * Writes d to buf, zero-terminated, and returns the length.  d must be
 * finite; a zero of either sign is "0".
 */
size_t parley_number_format(double d, char buf[PARLEY_NUMBER_MAX]);

/*
 * Reads a literal of the JSON grammar (not checked again), rounded to
 * nearest, whatever the locale.  Returns 0, or -1 where it overflows.
 */
int parley_number_parse(parley_str_t literal, double *ret);


#endif /* PARLEY_NUMBER_H */
