/*
 * Timestamps: RFC 3339 to and from milliseconds since the epoch
 * (1970-01-01T00:00:00Z), and the dates of HTTP.  No clock is read here.
 */

#ifndef PARLEY_TIME_H
#define PARLEY_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"


#define PARLEY_TIME_MAX  32     /* room for "2026-02-15T10:30:00.123Z" */


/*
 * Reads an RFC 3339 date-time: a valid date, "T" or "t", a fraction of any
 * length (truncated to milliseconds), and "Z", "z" or a numeric offset.
 * Second 60 is accepted only at 23:59:60 UTC and counts as the following
 * second.  Returns 0, or -1 with *ret_ms unchanged.
 */
int parley_time_parse(parley_str_t s, int64_t *ret_ms);

/*
 * Writes ms as UTC, NUL-terminated, with milliseconds unless they are zero.
 * Returns the length; 0 with buf empty outside the years 0000 to 9999.
 */
size_t parley_time_format(int64_t ms, char buf[PARLEY_TIME_MAX]);

/*
 * Reads an HTTP-date (RFC 9110 section 5.6.7) in any of its three forms.  The
 * day of the week is not compared with the date; text after the time ("GMT") is
 * ignored; a year of two digits means 1970 to 2069.  Returns 0, or -1 with
 * *ret_ms unchanged.
 */
int parley_time_parse_http(parley_str_t s, int64_t *ret_ms);


#endif /* PARLEY_TIME_H */
