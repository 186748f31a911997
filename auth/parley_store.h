/*
 * A table of values in shared memory, each with its own end: what the gateway
 * must remember between messages (the origin of a derived id, a retained
 * envelope).
 *
 * In the same manner as parley_window.h: the caller holds the lock, memory
 * comes with each call (with a free function), no function pointer is kept.
 * Times are milliseconds of one clock that all processes share.
 */

#ifndef PARLEY_STORE_H
#define PARLEY_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_key.h"
#include "parley_str.h"


#define PARLEY_STORE_SWEEP_MS  1000     /* a full sweep at most this often */


typedef struct parley_store_s  parley_store_t;


typedef struct {
    size_t    entries;
    size_t    octets;           /* of values */
    uint64_t  full;             /* times a value found no room */
    uint64_t  evicted;          /* values that gave way before their end */
} parley_store_stat_t;


/*
 * An empty table with at least buckets hash buckets and at most entries
 * values (0: as many as memory holds).  evicts: where there is no room the
 * oldest value gives way, and no walk looks for one that has ended; else the
 * new one finds none.  NULL where memory cannot be had.
 */
parley_store_t *parley_store_create_locked(const parley_mem_t *mem,
    size_t buckets, size_t entries, int evicts);

/* Gives everything back. */
void parley_store_destroy_locked(parley_store_t *store,
    const parley_mem_t *mem);

/*
 * Has the memory that key needs first fetched, while the caller does something
 * else.  Needs no lock.
 */
void parley_store_prefetch(const parley_store_t *store,
    const uint8_t key[PARLEY_KEY_LEN]);

/*
 * Keeps a copy of value under key until now + ttl, in place of what was
 * there.  Returns 0, or -1 where there is no room: what was there is then
 * gone too.
 */
int parley_store_put_locked(parley_store_t *store, const parley_mem_t *mem,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, int64_t ttl,
    parley_str_t value)
    __attribute__((warn_unused_result));

/*
 * The value of key, valid while the lock is held.  Returns 0, or -1 with
 * *ret empty: there is none, or its time is over.
 */
int parley_store_get_locked(parley_store_t *store,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Other bounds: the number of values, and the octets that they may take, as
 * an allocator that hands out powers of two counts them (0: as many as memory
 * holds).  What is there stays.
 */
void parley_store_bound_locked(parley_store_t *store, size_t entries,
    size_t octets);

void parley_store_remove_locked(parley_store_t *store,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN]);

void parley_store_stat_locked(const parley_store_t *store,
    parley_store_stat_t *ret);


#endif /* PARLEY_STORE_H */
