/*
 * A cache of verified tokens, one per process, bounded in entries and octets.
 * If an entry needs more memory than is free, entries that are not held are
 * evicted; an entry takes at most half of the octets.
 *
 * Lookup is by a keyed hash (parley_fold.h, of the token's tail, which is
 * signature) and a comparison of all octets; the generation of the key set must
 * match.  Only verified tokens are entered, so only a valid signature finds an
 * entry.  Timing thus reveals nothing, and an attacker cannot choose the
 * contents of a bucket.
 *
 * A hit means that the signature is valid.  Claims must still be checked on
 * every request (parley_jwt_check()), as the rules differ by location.
 *
 * An entry is valid until the next call on the cache other than
 * parley_token_cache_stat(), or, while held, until it is released.
 */

#ifndef PARLEY_TOKEN_CACHE_H
#define PARLEY_TOKEN_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "auth/parley_jwt.h"
#include "core/parley_str.h"


#define PARLEY_TOKEN_CACHE_TAIL  64     /* octets of the token hashed */


typedef struct parley_token_cache_s  parley_token_cache_t;


typedef struct parley_token_entry_s {
    parley_jwt_t     jwt;       /* a copy, including jwt.token */
    parley_arena_t   arena;     /* arena of the entry: its memory is counted,
                                   and freed with the entry; allocation fails if
                                   the cache is full */
    void            *data;      /* data of the caller, such as a principal in
                                   arena; initially NULL */
} parley_token_entry_t;


typedef uint64_t (*parley_token_hash_t)(parley_str_t tail,
    const uint8_t key[16]);


typedef struct {
    size_t               entries;       /* limit; 0: 1024 */
    size_t               octets;        /* limit, of all arenas; 0: 8 MiB */
    int64_t              leeway_max;    /* seconds; the largest of any rule:
                                           entries end at exp + leeway_max */
    uint8_t              key[16];       /* random */
    parley_token_hash_t  hash;          /* NULL: parley_fold_octets() */
} parley_token_cache_conf_t;


typedef struct {
    uint64_t  hits;
    uint64_t  misses;
    uint64_t  evictions;
    size_t    entries;
    size_t    octets;
} parley_token_cache_stat_t;


/*
 * Creates a cache.  *conf and *mem are copied; the object behind mem->ctx must
 * outlive the cache.  Returns NULL if memory is exhausted.
 */
parley_token_cache_t *parley_token_cache_create(const parley_mem_t *mem,
    const parley_token_cache_conf_t *conf);

/* Frees the cache and all entries, held ones too. */
void parley_token_cache_destroy(parley_token_cache_t *cache);

/*
 * Returns the entry of token, or NULL.  generation identifies a version of a
 * key set: the caller numbers all sets it loads in this process.  now is in
 * milliseconds since the epoch; an entry at or after exp + leeway_max is
 * dropped.
 */
parley_token_entry_t *parley_token_cache_get(parley_token_cache_t *cache,
    parley_str_t token, uint64_t generation, int64_t now_ms);

/*
 * Enters a copy of a verified token, replacing its previous entry.  The entry
 * ends at exp + leeway_max or, unless ttl_max is 0, ttl_max seconds after
 * now_ms if that is earlier.  Expired and not recently used entries are evicted
 * (CLOCK).  Returns the entry, or NULL if the token has neither bound, is
 * expired or does not fit: the caller keeps using its own.
 */
parley_token_entry_t *parley_token_cache_put(parley_token_cache_t *cache,
    const parley_jwt_t *jwt, uint64_t generation, int64_t now_ms,
    int64_t ttl_max);

/*
 * Holds an entry for a request that waits: it is neither evicted nor freed
 * until released as often as held.
 */
void parley_token_cache_hold(parley_token_cache_t *cache,
    parley_token_entry_t *entry);

/* Ends one hold; the entry is freed with the last if it was removed. */
void parley_token_cache_release(parley_token_cache_t *cache,
    parley_token_entry_t *entry);

/* Removes an entry, for example if its data could not be made. */
void parley_token_cache_drop(parley_token_cache_t *cache,
    parley_token_entry_t *entry);

/* Sets *ret to the counters since creation and the current sizes. */
void parley_token_cache_stat(const parley_token_cache_t *cache,
    parley_token_cache_stat_t *ret);


#endif /* PARLEY_TOKEN_CACHE_H */
