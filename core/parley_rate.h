/*
 * Rates as an operator writes them:
 *
 *  50r/s burst=100 role=trial:1r/s:5 $rate urgent=1r/s high=10r/m:5
 *  shared=exact
 *
 * The rate of a principal and its burst, rates of roles, a variable with a
 * rate, and rates of priorities.  Each but the first has an optional burst
 * after a colon (default 0).  shared= says how they hold over the gateways of a
 * store.
 */

#ifndef PARLEY_RATE_H
#define PARLEY_RATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_RATE_MAX        1000000      /* in any unit */
#define PARLEY_RATE_BURST_MAX  1000000
#define PARLEY_RATE_ROLES_MAX  16


typedef enum {
    PARLEY_CLASS_LOW = 0,
    PARLEY_CLASS_NORMAL,
    PARLEY_CLASS_HIGH,
    PARLEY_CLASS_URGENT,
    PARLEY_CLASS_COUNT
} parley_class_t;


/* how a limit holds over the gateways of a store */
typedef enum {
    PARLEY_SHARED_NEAR = 0,     /* they exchange counts */
    PARLEY_SHARED_EXACT,        /* the store counts each message */
    PARLEY_SHARED_OFF           /* each gateway counts alone */
} parley_rate_shared_t;


/* One request per interval, and burst more at once. */
typedef struct {
    int64_t   interval_us;      /* 1 to 86 400 000 000; 0: no limit */
    uint32_t  burst;            /* at most 1 000 000 */
} parley_limit_rate_t;


/* the limit of each principal with a role (GW-35) */
typedef struct {
    parley_str_t         role;
    parley_limit_rate_t  rate;
} parley_role_rate_t;


/* Limits that are not set have interval 0.  Names borrow from the words. */
typedef struct {
    parley_limit_rate_t  all;
    parley_limit_rate_t  classes[PARLEY_CLASS_COUNT];
    parley_role_rate_t   roles[PARLEY_RATE_ROLES_MAX];
    size_t               nroles;
    parley_str_t         variable;      /* text with variables, the value of
                                           which is a rate; empty: none */
    parley_rate_shared_t shared;
    unsigned             has_shared:1;  /* shared= was given */
} parley_rate_t;


/*
 * Parses "50r/s", "10r/m" or "3r/h" to microseconds per request.  Returns 0,
 * or -1 with *err filled.
 */
int parley_rate_parse(parley_str_t word, int64_t *ret_interval_us,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Parses a rate with an optional burst, "1r/s" or "1r/s:5".  Without one
 * ret->burst is unchanged.  Returns 0, or -1 with *err filled.
 */
int parley_rate_limit(parley_str_t word, parley_limit_rate_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Parses the n words of a directive, in any order.  Returns 0, or -1 with *err
 * filled and *ret zeroed: an unknown or repeated word, too many roles, a burst
 * without a rate, neither a rate nor shared=.
 */
int parley_rate_compile(const parley_str_t *words, size_t n,
    parley_rate_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns the class of a priority, or PARLEY_CLASS_COUNT. */
parley_class_t parley_rate_class(parley_str_t word);


#endif /* PARLEY_RATE_H */
