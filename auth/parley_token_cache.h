/*
 * A cache of verified tokens, one per process, of bounded entries and octets.
 *
 * Found by a keyed hash (SipHash of the token's end, which is signature) and
 * then by comparison of every octet; the generation of the key set must be
 * the same.  Only verified tokens enter, so whoever does not know a valid
 * signature cannot meet an entry, and timing tells nothing of one.
 *
 * A hit says that the signature is good.  Claims are to be checked on every
 * request (parley_jwt_check()), since locations have rules of their own.
 *
 * An entry is valid until the next call on the same cache, _stat() apart,
 * unless it is held: then until it is released.
 */

#ifndef PARLEY_TOKEN_CACHE_H
#define PARLEY_TOKEN_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_jwt.h"
#include "parley_str.h"


#define PARLEY_TOKEN_CACHE_TAIL  64     /* octets of the token hashed */


typedef struct parley_token_cache_s  parley_token_cache_t;


typedef struct {
    parley_jwt_t     jwt;       /* the cache's own copy; jwt.token too */
    parley_arena_t   arena;     /* of the entry: what is made here lives and
                                   is freed with it, and counts */
    void            *data;      /* the caller's, such as a principal made in
                                   arena; NULL at first */
} parley_token_entry_t;


typedef uint64_t (*parley_token_hash_t)(parley_str_t tail,
    const uint8_t key[16]);


typedef struct {
    size_t               entries;       /* at most; 0: 1024 */
    size_t               octets;        /* at most, entries' arenas; 0: 8 MiB */
    int64_t              leeway_max;    /* seconds: the largest leeway of any
                                           rule; entries end at exp plus it */
    uint8_t              key[16];       /* random, the caller's */
    parley_token_hash_t  hash;          /* NULL: SipHash-2-4 */
} parley_token_cache_conf_t;


typedef struct {
    uint64_t  hits;
    uint64_t  misses;
    uint64_t  evictions;
    size_t    entries;
    size_t    octets;
} parley_token_cache_stat_t;


/* NULL where memory cannot be had.  mem must outlive the cache. */
parley_token_cache_t *parley_token_cache_create(const parley_mem_t *mem,
    const parley_token_cache_conf_t *conf);

/* Frees everything, also what is held. */
void parley_token_cache_destroy(parley_token_cache_t *cache);

/*
 * The entry of this token, or NULL.  generation stands for the key set and
 * its version: the caller gives every set that it loads a number of its own
 * in this process.  now is in seconds; an entry at or past exp + leeway_max
 * is not returned but dropped.
 */
parley_token_entry_t *parley_token_cache_get(parley_token_cache_t *cache,
    parley_str_t token, uint64_t generation, int64_t now);

/*
 * Enters a verified token and returns its entry; jwt is copied.  The entry
 * ends at exp + leeway_max, and where ttl_max is not 0 no later than ttl_max
 * seconds from now; a token with neither bound is not kept.  Where room is
 * needed, expired entries and those not used of late give way (CLOCK).
 * Returns NULL where it cannot be kept: the caller goes on with its own copy.
 */
parley_token_entry_t *parley_token_cache_put(parley_token_cache_t *cache,
    const parley_jwt_t *jwt, uint64_t generation, int64_t now,
    int64_t ttl_max);

/*
 * Keeps an entry in memory for a request that waits; as many releases as
 * holds.  An entry that is held never gives way to another.
 */
void parley_token_cache_hold(parley_token_cache_t *cache,
    parley_token_entry_t *entry);
void parley_token_cache_release(parley_token_cache_t *cache,
    parley_token_entry_t *entry);

/* Takes one entry out, such as one whose data could not be made. */
void parley_token_cache_drop(parley_token_cache_t *cache,
    parley_token_entry_t *entry);

/* Takes all entries out. */
void parley_token_cache_flush(parley_token_cache_t *cache);

void parley_token_cache_stat(const parley_token_cache_t *cache,
    parley_token_cache_stat_t *ret);


#endif /* PARLEY_TOKEN_CACHE_H */
