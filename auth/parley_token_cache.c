/* A hash table over a fixed ring of slots. */

#include <string.h>

#include <sodium.h>

#include "core/parley_fold.h"
#include "auth/parley_token_cache.h"


#define PARLEY_TOKEN_ENTRIES  1024
#define PARLEY_TOKEN_OCTETS   (8 * 1024 * 1024)
#define PARLEY_TOKEN_BLOCK    2048      /* of an entry's arena */

/* precedes each allocation with its size, which free() is not given */
#define PARLEY_TOKEN_HEAD     16


typedef struct {
    parley_token_entry_t   entry;       /* first: is cast to its slot */
    parley_token_cache_t  *cache;
    uint64_t               hash;
    uint64_t               generation;
    int64_t                expires;     /* milliseconds since the epoch */
    size_t                 octets;      /* of the entry's arena */
    uint32_t               next;        /* in the bucket: slot + 1, or 0 */
    uint32_t               holds;
    unsigned               used:1;
    unsigned               referenced:1;
    unsigned               removed:1;   /* held but no longer found */
} parley_token_slot_t;


struct parley_token_cache_s {
    parley_mem_t           mem;
    parley_token_hash_t    hash;
    uint8_t                key[16];
    int64_t                leeway_max;  /* seconds */
    size_t                 octets_max;
    size_t                 octets;
    uint32_t               nslots;
    uint32_t               nused;
    uint32_t               hand;
    int64_t                now_ms;      /* of the last call */
    uint32_t               mask;        /* buckets - 1 */
    uint32_t              *buckets;     /* slot + 1, or 0 */
    parley_token_slot_t   *slots;
    uint64_t               hits;
    uint64_t               misses;
    uint64_t               evictions;
};


static int parley_token_evict(parley_token_cache_t *cache);


static uint64_t
parley_token_fold(parley_str_t tail, const uint8_t key[16])
{
    uint64_t  secrets[2];

    memcpy(secrets, key, sizeof(secrets));

    return parley_fold_octets(secrets[0] ^ secrets[1], secrets[0], secrets[1],
                              tail.data, tail.len);
}


static uint64_t
parley_token_hash(const parley_token_cache_t *cache, parley_str_t token)
{
    if (token.len > PARLEY_TOKEN_CACHE_TAIL) {
        token = parley_str_from(token, token.len - PARLEY_TOKEN_CACHE_TAIL);
    }

    return cache->hash(token, cache->key);
}


/* Evicts other entries until there is room for size octets of the slot. */

static int
parley_token_room(parley_token_cache_t *cache, parley_token_slot_t *slot,
    size_t size)
{
    int     rc;
    size_t  half;

    half = cache->octets_max / 2;

    if (size > half || slot->octets > half - size) {
        return -1;
    }

    rc = 0;
    slot->holds++;

    while (rc == 0 && size > cache->octets_max - cache->octets) {
        rc = parley_token_evict(cache);
    }

    slot->holds--;

    return rc;
}


/* The memory of a slot's arena: counted, limited, zeroed when freed. */

static void *
parley_token_alloc(void *ctx, size_t size)
{
    uint8_t               *p;
    parley_token_slot_t   *slot;
    parley_token_cache_t  *cache;

    slot = ctx;
    cache = slot->cache;

    if (size > cache->octets_max
        || parley_token_room(cache, slot, size + PARLEY_TOKEN_HEAD) != 0)
    {
        return NULL;
    }

    size += PARLEY_TOKEN_HEAD;
    p = cache->mem.alloc(cache->mem.ctx, size);

    if (p == NULL) {
        return NULL;
    }

    memcpy(p, &size, sizeof(size));
    cache->octets += size;
    slot->octets += size;

    return p + PARLEY_TOKEN_HEAD;
}


static void
parley_token_release(void *ctx, void *data)
{
    size_t                 size;
    uint8_t               *p;
    parley_token_slot_t   *slot;
    parley_token_cache_t  *cache;

    slot = ctx;
    cache = slot->cache;

    p = (uint8_t *) data - PARLEY_TOKEN_HEAD;
    memcpy(&size, p, sizeof(size));
    cache->octets -= size;
    slot->octets -= size;

    sodium_memzero(p, size);

    if (cache->mem.free != NULL) {
        cache->mem.free(cache->mem.ctx, p);
    }
}


parley_token_cache_t *
parley_token_cache_create(const parley_mem_t *mem,
    const parley_token_cache_conf_t *conf)
{
    size_t                 n, buckets;
    parley_token_cache_t  *cache;

    n = conf->entries != 0 ? conf->entries : PARLEY_TOKEN_ENTRIES;

    if (n > UINT32_MAX / 4) {
        return NULL;
    }

    for (buckets = 16; buckets < n; buckets *= 2) { /* void */ }

    cache = mem->alloc(mem->ctx, sizeof(parley_token_cache_t));

    if (cache == NULL) {
        return NULL;
    }

    memset(cache, 0, sizeof(parley_token_cache_t));

    cache->mem = *mem;
    cache->hash = conf->hash != NULL ? conf->hash : parley_token_fold;
    memcpy(cache->key, conf->key, sizeof(cache->key));
    cache->leeway_max = conf->leeway_max;
    cache->octets_max = conf->octets != 0 ? conf->octets
                                          : PARLEY_TOKEN_OCTETS;
    cache->nslots = (uint32_t) n;
    cache->mask = (uint32_t) buckets - 1;

    cache->slots = mem->alloc(mem->ctx, n * sizeof(parley_token_slot_t));
    cache->buckets = mem->alloc(mem->ctx, buckets * sizeof(uint32_t));

    if (cache->slots == NULL || cache->buckets == NULL) {
        parley_token_cache_destroy(cache);
        return NULL;
    }

    memset(cache->slots, 0, n * sizeof(parley_token_slot_t));
    memset(cache->buckets, 0, buckets * sizeof(uint32_t));

    return cache;
}


static void
parley_token_vacate(parley_token_cache_t *cache, parley_token_slot_t *slot)
{
    parley_arena_reset(&slot->entry.arena);
    memset(slot, 0, sizeof(parley_token_slot_t));
    cache->nused--;
}


/* Unlinks a slot; its memory is freed once it is not held. */

static void
parley_token_remove(parley_token_cache_t *cache, parley_token_slot_t *slot)
{
    uint32_t   number;
    uint32_t  *link;

    number = (uint32_t) (slot - cache->slots) + 1;
    link = &cache->buckets[slot->hash & cache->mask];

    while (*link != number) {
        link = &cache->slots[*link - 1].next;
    }

    *link = slot->next;
    slot->removed = 1;

    if (slot->holds == 0) {
        parley_token_vacate(cache, slot);
    }
}


void
parley_token_cache_hold(parley_token_cache_t *cache,
    parley_token_entry_t *entry)
{
    (void) cache;

    ((parley_token_slot_t *) entry)->holds++;
}


void
parley_token_cache_release(parley_token_cache_t *cache,
    parley_token_entry_t *entry)
{
    parley_token_slot_t  *slot;

    slot = (parley_token_slot_t *) entry;

    if (--slot->holds == 0 && slot->removed) {
        parley_token_vacate(cache, slot);
    }
}


/* Frees held entries too: all requests have ended. */

void
parley_token_cache_destroy(parley_token_cache_t *cache)
{
    uint32_t      i;
    parley_mem_t  mem;

    if (cache == NULL) {
        return;
    }

    for (i = 0; i < cache->nslots && cache->nused != 0; i++) {
        if (cache->slots[i].used) {
            parley_token_vacate(cache, &cache->slots[i]);
        }
    }

    mem = cache->mem;
    sodium_memzero(cache->key, sizeof(cache->key));

    if (mem.free == NULL) {
        return;
    }

    if (cache->slots != NULL) {
        mem.free(mem.ctx, cache->slots);
    }

    if (cache->buckets != NULL) {
        mem.free(mem.ctx, cache->buckets);
    }

    mem.free(mem.ctx, cache);
}


static parley_token_slot_t *
parley_token_find(parley_token_cache_t *cache, parley_str_t token,
    uint64_t hash, uint64_t generation)
{
    uint32_t              i;
    parley_token_slot_t  *slot;

    for (i = cache->buckets[hash & cache->mask]; i != 0; i = slot->next) {
        slot = &cache->slots[i - 1];

        if (slot->hash == hash && slot->generation == generation
            && parley_str_eq(slot->entry.jwt.token, token))
        {
            return slot;
        }
    }

    return NULL;
}


parley_token_entry_t *
parley_token_cache_get(parley_token_cache_t *cache, parley_str_t token,
    uint64_t generation, int64_t now_ms)
{
    parley_token_slot_t  *slot;

    cache->now_ms = now_ms;
    slot = parley_token_find(cache, token, parley_token_hash(cache, token),
                             generation);

    if (slot != NULL && now_ms >= slot->expires) {
        parley_token_remove(cache, slot);
        slot = NULL;
    }

    if (slot == NULL) {
        cache->misses++;
        return NULL;
    }

    cache->hits++;
    slot->referenced = 1;

    return &slot->entry;
}


/*
 * Evicts the first entry from the hand on that is not held and is expired or
 * unreferenced since the last pass.  Two rounds find one if it exists.
 * Returns 0, or -1.
 */

static int
parley_token_evict(parley_token_cache_t *cache)
{
    uint64_t              i;
    parley_token_slot_t  *slot;

    for (i = 0; i < 2 * (uint64_t) cache->nslots; i++) {
        slot = &cache->slots[cache->hand];
        cache->hand = (cache->hand + 1) % cache->nslots;

        if (!slot->used || slot->holds != 0) {
            continue;
        }

        if (slot->referenced && cache->now_ms < slot->expires) {
            slot->referenced = 0;
            continue;
        }

        parley_token_remove(cache, slot);
        cache->evictions++;

        return 0;
    }

    return -1;
}


static parley_token_slot_t *
parley_token_vacant(parley_token_cache_t *cache)
{
    uint32_t  i;

    if (cache->nused == cache->nslots
        && parley_token_evict(cache) != 0)
    {
        return NULL;
    }

    /* the slot just evicted, or the next ones */

    for (i = 0; i < cache->nslots; i++) {
        if (!cache->slots[(cache->hand + cache->nslots - 1 + i)
                          % cache->nslots].used)
        {
            break;
        }
    }

    return &cache->slots[(cache->hand + cache->nslots - 1 + i)
                         % cache->nslots];
}


static int
parley_token_fill(parley_token_cache_t *cache, parley_token_slot_t *slot,
    const parley_jwt_t *jwt)
{
    parley_mem_t  mem;

    slot->cache = cache;

    mem.alloc = parley_token_alloc;
    mem.free = parley_token_release;
    mem.ctx = slot;

    parley_arena_init(&slot->entry.arena, &mem, PARLEY_TOKEN_BLOCK);

    if (parley_jwt_copy(jwt, &slot->entry.arena, &slot->entry.jwt) == 0) {
        return 0;
    }

    parley_arena_reset(&slot->entry.arena);

    return -1;
}


parley_token_entry_t *
parley_token_cache_put(parley_token_cache_t *cache, const parley_jwt_t *jwt,
    uint64_t generation, int64_t now_ms, int64_t ttl_max)
{
    int64_t               end, expires;
    uint64_t              hash;
    parley_token_slot_t  *slot;

    cache->now_ms = now_ms;
    hash = parley_token_hash(cache, jwt->token);
    slot = parley_token_find(cache, jwt->token, hash, generation);

    if (slot != NULL) {
        parley_token_remove(cache, slot);
    }

    if (!jwt->has_exp && ttl_max == 0) {
        return NULL;
    }

    end = now_ms + ttl_max * 1000;
    expires = jwt->has_exp ? jwt->exp_ms + cache->leeway_max * 1000 : end;

    if (ttl_max != 0 && expires > end) {
        expires = end;
    }

    /* a token that large would evict all others */

    if (expires <= now_ms
        || jwt->token.len + jwt->claims.input.len
           + jwt->claims.nnodes * sizeof(parley_json_node_t)
           > cache->octets_max / 4)
    {
        return NULL;
    }

    slot = parley_token_vacant(cache);

    if (slot == NULL) {
        return NULL;
    }

    if (parley_token_fill(cache, slot, jwt) != 0) {
        memset(slot, 0, sizeof(parley_token_slot_t));
        return NULL;
    }

    slot->hash = hash;
    slot->generation = generation;
    slot->expires = expires;
    slot->used = 1;
    slot->referenced = 1;
    slot->next = cache->buckets[hash & cache->mask];
    cache->buckets[hash & cache->mask] = (uint32_t) (slot - cache->slots) + 1;
    cache->nused++;

    return &slot->entry;
}


void
parley_token_cache_drop(parley_token_cache_t *cache,
    parley_token_entry_t *entry)
{
    parley_token_slot_t  *slot;

    slot = (parley_token_slot_t *) entry;

    if (!slot->removed) {
        parley_token_remove(cache, slot);
    }
}


void
parley_token_cache_stat(const parley_token_cache_t *cache,
    parley_token_cache_stat_t *ret)
{
    ret->hits = cache->hits;
    ret->misses = cache->misses;
    ret->evictions = cache->evictions;
    ret->entries = cache->nused;
    ret->octets = cache->octets;
}
