/*
 * How many refusals the error log gets (OPS-07): of each code the first few in
 * a second, and then one line that sums up the rest.  One for each worker, and
 * one each for what streams pass over, and for what loses members.
 */

#ifndef PARLEY_LOGGED_H
#define PARLEY_LOGGED_H

#include "core/parley_error.h"


#define PARLEY_LOGGED_LINES  10     /* of each code in a second */
#define PARLEY_LOGGED_MS     1000
#define PARLEY_LOGGED_CODES  6      /* that a sum names */
#define PARLEY_LOGGED_TEXT   256


/* all zero: nothing was refused yet */
typedef struct {
    int64_t   begun;                    /* ms; the second of what follows */
    uint64_t  hushed;                   /* got no line */
    uint32_t  n[PARLEY_E_COUNT];        /* were refused */
} parley_logged_t;


/*
 * One more is refused, at a time of a clock that does not jump.  Returns 1: it
 * gets a line; or 0: it is summed up, for which parley_logged_sum() is to be
 * called when *ret_wait milliseconds are over.
 */
int parley_logged_line(parley_logged_t *l, parley_code_t code, int64_t now,
    int64_t *ret_wait);

/*
 * What got no line, of is what they are ("refusals"): "1234 more refusals
 * within a second: rate-limited 1200, capacity 34", zero-terminated.  Another
 * second begins.  Returns how many; 0: there is nothing to say.
 */
uint64_t parley_logged_sum(parley_logged_t *l, const char *of,
    char text[PARLEY_LOGGED_TEXT]);


#endif /* PARLEY_LOGGED_H */
