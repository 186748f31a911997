/*
 * Limits the lines of refusals in the error log (OPS-07).  The first refusals
 * of each code in a second get a line each.  One line sums up the others.  A
 * worker has one parley_logged_t each for refusals, for messages that streams
 * pass over, and for messages that lose members.
 */

#ifndef PARLEY_LOGGED_H
#define PARLEY_LOGGED_H

#include "core/parley_error.h"


#define PARLEY_LOGGED_LINES  10     /* lines of each code in a second */
#define PARLEY_LOGGED_MS     1000
#define PARLEY_LOGGED_CODES  6      /* codes that a sum names */
#define PARLEY_LOGGED_TEXT   256


/* All zero is the initial value. */
typedef struct {
    int64_t   begun;                    /* start of the current second, in ms */
    uint64_t  hushed;                   /* refusals without a line */
    uint32_t  n[PARLEY_E_COUNT];        /* refusals by code */
} parley_logged_t;


/*
 * Counts a refusal at the time now of a monotonic clock.  Returns 1 if the
 * refusal gets a line.  Returns 0 if it is summed up: the caller then calls
 * parley_logged_sum() after *ret_wait milliseconds.
 */
int parley_logged_line(parley_logged_t *l, parley_code_t code, int64_t now,
    int64_t *ret_wait);

/*
 * Writes the sum of the refusals without a line: "1234 more refusals within a
 * second: rate-limited 1200, capacity 34", zero-terminated.  of is the noun,
 * here "refusals".  Starts another second.  Returns the number of these
 * refusals; if it is 0, text is empty.
 */
uint64_t parley_logged_sum(parley_logged_t *l, const char *of,
    char text[PARLEY_LOGGED_TEXT]);


#endif /* PARLEY_LOGGED_H */
