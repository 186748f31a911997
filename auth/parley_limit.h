/*
 * Rate limits (GW-05, AEE-28): the generic cell rate algorithm, one number
 * per key, the theoretical arrival time of the next message.
 *
 * Over shared memory in the same manner as parley_window.h: the caller holds
 * the lock, memory comes with each call, no function pointer is kept.
 */

#ifndef PARLEY_LIMIT_H
#define PARLEY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_key.h"
#include "parley_rate.h"


#define PARLEY_LIMIT_SWEEP_MS  1000     /* a full sweep at most this often */


typedef struct parley_limit_s  parley_limit_t;


typedef enum {
    PARLEY_LIMIT_OK = 0,
    PARLEY_LIMIT_LIMITED,
    PARLEY_LIMIT_FULL           /* cannot be counted: refuse */
} parley_limit_result_t;


typedef struct {
    size_t    entries;
    uint64_t  limited;
    uint64_t  full;
} parley_limit_stat_t;


/* As parley_window_create_locked(). */
parley_limit_t *parley_limit_create_locked(const parley_mem_t *mem,
    size_t buckets, size_t entries);

void parley_limit_destroy_locked(parley_limit_t *limit,
    const parley_mem_t *mem);

/*
 * Counts one message of key at now (milliseconds of a clock that all
 * processes share).  LIMITED: not counted; *ret_wait is the milliseconds
 * after which the next one passes, at least 1.  Otherwise *ret_wait is 0.
 * An interval of 0 is OK and keeps nothing.
 */
parley_limit_result_t parley_limit_take_locked(parley_limit_t *limit,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN], int64_t now,
    const parley_limit_rate_t *rate, int64_t *ret_wait)
    __attribute__((warn_unused_result));

void parley_limit_stat_locked(const parley_limit_t *limit,
    parley_limit_stat_t *ret);


#endif /* PARLEY_LIMIT_H */
