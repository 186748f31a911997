/*
 * The duplicate window (AEE-16, VCP-13, GW-12) over memory that processes
 * share: key -> reserved, or done with the class of the answer.
 *
 * An id is reserved before the message goes upstream, committed when the
 * upstream took it, released when it did not.  An entry inside its time is
 * never evicted: where memory is short the answer is FULL, and it passes as
 * entries expire.
 *
 * Everything here is _locked: the caller holds the lock of the shared memory.
 * Memory comes from the parley_mem_t of each call (with a free function); no
 * function pointer is kept in shared memory.  Plain pointers are: all
 * processes map the memory at one address.
 *
 * Times are milliseconds of one clock that all processes share and that does
 * not jump.
 */

#ifndef PARLEY_WINDOW_H
#define PARLEY_WINDOW_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_key.h"


#define PARLEY_WINDOW_SWEEP_MS  1000    /* a full sweep at most this often */


typedef struct parley_window_s  parley_window_t;


typedef enum {
    PARLEY_WINDOW_NEW = 0,      /* reserved for the caller */
    PARLEY_WINDOW_DUPLICATE,    /* done within the window */
    PARLEY_WINDOW_IN_FLIGHT,    /* reserved by somebody */
    PARLEY_WINDOW_FULL          /* cannot be remembered: refuse */
} parley_window_result_t;


typedef struct {
    uint64_t  stamp;            /* NEW: this reservation; else 0 */
    uint8_t   answer;           /* DUPLICATE: the class committed */
    int64_t   left_ms;          /* DUPLICATE, IN_FLIGHT: until it is free */
} parley_window_slot_t;


typedef struct {
    size_t    reserved;
    size_t    done;
    uint64_t  full;             /* times FULL was returned */
    uint64_t  sweeps;
} parley_window_stat_t;


/*
 * Makes an empty window with at least buckets hash buckets (a power of two is
 * taken) and at most entries entries (0: as many as memory holds).  NULL
 * where memory cannot be had.
 */
parley_window_t *parley_window_create_locked(const parley_mem_t *mem,
    size_t buckets, size_t entries);

/* Gives everything back. */
void parley_window_destroy_locked(parley_window_t *window,
    const parley_mem_t *mem);

/*
 * Has the memory that key needs first fetched, while the caller does something
 * else.  Needs no lock.
 */
void parley_window_prefetch(const parley_window_t *window,
    const uint8_t key[PARLEY_KEY_LEN]);

/*
 * Reserves key until now + lease.  owner is the process, for
 * parley_window_release_owners_locked().  An entry whose time is over counts
 * as free.  *ret is always filled.
 */
parley_window_result_t parley_window_reserve_locked(parley_window_t *window,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN], int64_t now,
    int64_t lease, uint32_t owner, parley_window_slot_t *ret)
    __attribute__((warn_unused_result));

/*
 * The upstream took the message: the key is done until now + ttl.  This holds
 * also where the lease ran out meanwhile, even if somebody else reserved the
 * key since: taken is taken.  Returns 0, or -1 where the entry is gone and
 * there is no memory for a new one.
 */
int parley_window_commit_locked(parley_window_t *window,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN],
    uint64_t stamp, int64_t now, int64_t ttl, uint8_t answer)
    __attribute__((warn_unused_result));

/*
 * The upstream did not take it: the key is free at once.  A reservation that
 * is not the stamp's own is left alone, and so is what is done.
 */
void parley_window_release_locked(parley_window_t *window,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN],
    uint64_t stamp);

/*
 * Releases the reservations of owners that are dead.  Returns how many.
 * Costs a walk over the reservations, not over what is done.
 */
size_t parley_window_release_owners_locked(parley_window_t *window,
    const parley_mem_t *mem, int (*is_dead)(void *ctx, uint32_t owner),
    void *ctx);

/* Frees all that has expired; returns how many entries. */
size_t parley_window_sweep_locked(parley_window_t *window,
    const parley_mem_t *mem, int64_t now);

void parley_window_stat_locked(const parley_window_t *window,
    parley_window_stat_t *ret);


#endif /* PARLEY_WINDOW_H */
