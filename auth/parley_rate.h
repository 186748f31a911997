/*
 * Rates as an operator writes them:
 *
 *  50r/s burst=100 urgent=1r/s high=10r/m:5
 *
 * the rate of a principal, how many more may come at once, and rates per
 * priority (a colon and a burst of its own may follow; 0 without).
 */

#ifndef PARLEY_RATE_H
#define PARLEY_RATE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_error.h"
#include "parley_str.h"


#define PARLEY_RATE_MAX        1000000      /* r/s, and of any other unit */
#define PARLEY_RATE_BURST_MAX  1000000


typedef enum {
    PARLEY_CLASS_LOW = 0,
    PARLEY_CLASS_NORMAL,
    PARLEY_CLASS_HIGH,
    PARLEY_CLASS_URGENT,
    PARLEY_CLASS_COUNT
} parley_class_t;


/* one every interval_us microseconds, and burst more at once */
typedef struct {
    int64_t   interval_us;      /* 1 .. 86 400 000 000; 0: no limit */
    uint32_t  burst;            /* at most 1 000 000 */
} parley_limit_rate_t;


/* interval 0: no limit of that kind */
typedef struct {
    parley_limit_rate_t  all;
    parley_limit_rate_t  classes[PARLEY_CLASS_COUNT];
} parley_rate_t;


/* "50r/s", "10r/m", "3r/h"; returns 0 and sets interval_us, or -1. */
int parley_rate_parse(parley_str_t word, int64_t *ret_interval_us,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * "1r/s" or "1r/s:5", a rate and how many more may come at once; ret->burst
 * stays where the word has none.  Returns 0, or -1.
 */
int parley_rate_limit(parley_str_t word, parley_limit_rate_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * All words of a directive, in any order.  Returns 0, or -1 with *ret zero:
 * an unknown or repeated word, no rate at all, a burst without a rate.
 */
int parley_rate_compile(const parley_str_t *words, size_t n,
    parley_rate_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* "urgent" -> PARLEY_CLASS_URGENT; PARLEY_CLASS_COUNT: no priority. */
parley_class_t parley_class_find(parley_str_t word);


#endif /* PARLEY_RATE_H */
