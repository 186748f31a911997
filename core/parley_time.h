/*
 * Timestamps: RFC 3339 to milliseconds since 1970-01-01T00:00:00Z and back.
 * No clock is read here.
 */

#ifndef PARLEY_TIME_H
#define PARLEY_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"


#define PARLEY_TIME_MAX  32     /* room for "2026-02-15T10:30:00.123Z" */


/*
 * Reads date-time of RFC 3339 section 5.6: real dates only, any fraction
 * (milliseconds are kept, the rest is cut), "T", "t" or, as section 5.6
 * allows, no other separator; "Z", "z" or a numeric offset; second 60 only
 * where a leap second can be (23:59:60 UTC) and then counted as the next
 * second.  Returns 0, or -1 and *ret unchanged.
 */
int parley_time_parse(parley_str_t s, int64_t *ret_ms);

/*
 * Writes ms as UTC: seconds where they are whole, else milliseconds.
 * Zero-terminated; returns the length.  Years 0000 to 9999; for others buf
 * is empty and 0 is returned.
 */
size_t parley_time_format(int64_t ms, char buf[PARLEY_TIME_MAX]);


#endif /* PARLEY_TIME_H */
