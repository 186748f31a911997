/* Values in shared memory: a hash table and a queue in order of arrival. */

#include <string.h>

#include "parley_store.h"


/* of the queue, looked at with every value that comes */
#define PARLEY_STORE_AMORTISED  2

#define PARLEY_STORE_LINE       64      /* octets of the caches' lines */
#define PARLEY_STORE_FETCH      1024    /* of values of no more octets */


typedef struct parley_store_entry_s  parley_store_entry_t;

struct parley_store_entry_s {
    uint8_t                key[PARLEY_KEY_LEN];
    int64_t                expires;     /* ms */
    size_t                 len;
    parley_store_entry_t  *chain;
    parley_store_entry_t  *newer;
    parley_store_entry_t  *older;
    uint8_t                value[];
};

struct parley_store_s {
    parley_store_entry_t  *oldest;
    parley_store_entry_t  *newest;
    size_t                 n;
    size_t                 octets;
    size_t                 taken;       /* in powers of two */
    size_t                 entries_max;
    size_t                 taken_max;
    size_t                 mask;        /* buckets - 1 */
    int                    evicts;
    int                    was_swept;
    int64_t                swept;       /* ms, the last full sweep */
    uint64_t               full;
    uint64_t               evicted;
    parley_store_entry_t **buckets;
};


parley_store_t *
parley_store_create_locked(const parley_mem_t *mem, size_t buckets,
    size_t entries, int evicts)
{
    size_t           n;
    parley_store_t  *store;

    if (buckets > SIZE_MAX / 4 / sizeof(parley_store_entry_t *)) {
        return NULL;
    }

    for (n = 16; n < buckets; n *= 2) { /* void */ }

    store = mem->alloc(mem->ctx, sizeof(parley_store_t));

    if (store == NULL) {
        return NULL;
    }

    memset(store, 0, sizeof(parley_store_t));

    store->buckets = mem->alloc(mem->ctx, n * sizeof(parley_store_entry_t *));

    if (store->buckets == NULL) {
        mem->free(mem->ctx, store);
        return NULL;
    }

    memset(store->buckets, 0, n * sizeof(parley_store_entry_t *));

    store->mask = n - 1;
    store->entries_max = entries;
    store->evicts = evicts;

    return store;
}


/* what a value takes of memory; never less than an allocator needs */

static size_t
parley_store_takes(size_t len)
{
    size_t  n;

    if (len > SIZE_MAX / 4) {
        return SIZE_MAX;
    }

    for (n = 64; n < sizeof(parley_store_entry_t) + len; n *= 2) {
        /* void */
    }

    return n;
}


/* the key is a keyed hash already: its first octets choose the bucket */

static parley_store_entry_t **
parley_store_bucket(const parley_store_t *store, const uint8_t *key)
{
    size_t  at;

    memcpy(&at, key, sizeof(at));

    return &store->buckets[at & store->mask];
}


void
parley_store_prefetch(const parley_store_t *store,
    const uint8_t key[PARLEY_KEY_LEN])
{
    __builtin_prefetch(parley_store_bucket(store, key));
}


static parley_store_entry_t **
parley_store_link(parley_store_t *store, const uint8_t *key)
{
    parley_store_entry_t  **link;

    for (link = parley_store_bucket(store, key);
         *link != NULL;
         link = &(*link)->chain)
    {
        if (memcmp((*link)->key, key, PARLEY_KEY_LEN) == 0) {
            break;
        }
    }

    return link;
}


static void
parley_store_drop(parley_store_t *store, const parley_mem_t *mem,
    parley_store_entry_t *e)
{
    parley_store_entry_t  **link;

    link = parley_store_link(store, e->key);
    *link = e->chain;

    if (e->older != NULL) {
        e->older->newer = e->newer;

    } else {
        store->oldest = e->newer;
    }

    if (e->newer != NULL) {
        e->newer->older = e->older;

    } else {
        store->newest = e->older;
    }

    store->n--;
    store->octets -= e->len;
    store->taken -= parley_store_takes(e->len);

    mem->free(mem->ctx, e);
}


void
parley_store_destroy_locked(parley_store_t *store, const parley_mem_t *mem)
{
    while (store->oldest != NULL) {
        parley_store_drop(store, mem, store->oldest);
    }

    mem->free(mem->ctx, store->buckets);
    mem->free(mem->ctx, store);
}


/* all that has expired; times differ, so the queue is not in their order */

static size_t
parley_store_sweep(parley_store_t *store, const parley_mem_t *mem,
    int64_t now)
{
    size_t                 n;
    parley_store_entry_t  *e, *newer;

    n = 0;

    for (e = store->oldest; e != NULL; e = newer) {
        newer = e->newer;

        if (e->expires <= now) {
            parley_store_drop(store, mem, e);
            n++;
        }
    }

    store->swept = now;
    store->was_swept = 1;

    return n;
}


static parley_store_entry_t *
parley_store_alloc(parley_store_t *store, const parley_mem_t *mem, size_t len)
{
    size_t  takes;

    takes = parley_store_takes(len);

    if ((store->entries_max != 0 && store->n >= store->entries_max)
        || (store->taken_max != 0
            && (store->taken >= store->taken_max
                || takes > store->taken_max - store->taken)))
    {
        return NULL;
    }

    return mem->alloc(mem->ctx, sizeof(parley_store_entry_t) + len);
}


/*
 * Room for a value.  Where the oldest may give way they do.  Elsewhere what has
 * expired does, but the table is not walked more often than once in
 * PARLEY_STORE_SWEEP_MS.
 */

static parley_store_entry_t *
parley_store_room(parley_store_t *store, const parley_mem_t *mem,
    int64_t now, size_t len)
{
    parley_store_entry_t  *e;

    if (parley_store_takes(len) == SIZE_MAX
        || (store->taken_max != 0
            && parley_store_takes(len) > store->taken_max))
    {
        /* nothing that gives way would make room for it */
        return NULL;
    }

    e = parley_store_alloc(store, mem, len);

    if (e == NULL && !store->evicts
        && (!store->was_swept || now < store->swept
            || now - store->swept >= PARLEY_STORE_SWEEP_MS)
        && parley_store_sweep(store, mem, now) != 0)
    {
        e = parley_store_alloc(store, mem, len);
    }

    while (e == NULL && store->evicts && store->oldest != NULL) {
        parley_store_drop(store, mem, store->oldest);
        store->evicted++;

        e = parley_store_alloc(store, mem, len);
    }

    return e;
}


/*
 * Allocators of shared memory hand out neighbours until a page is full.  Who
 * lets the lock go waits until the value is written: memory that nobody has
 * touched for long is fetched beforehand, for the next value of this size.
 */

static void
parley_store_fetch_next(const parley_store_entry_t *e)
{
    size_t          i, size;
    const uint8_t  *next;

    size = sizeof(parley_store_entry_t) + e->len;

    if (size > PARLEY_STORE_FETCH) {
        return;
    }

    next = (const uint8_t *) e + parley_store_takes(e->len);

    for (i = 0; i < size; i += PARLEY_STORE_LINE) {
        __builtin_prefetch(next + i, 1);
    }
}


int
parley_store_put_locked(parley_store_t *store, const parley_mem_t *mem,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, int64_t ttl,
    parley_str_t value)
{
    unsigned               n;
    parley_store_entry_t  *e;

    for (n = 0; n < PARLEY_STORE_AMORTISED; n++) {
        if (store->oldest == NULL || store->oldest->expires > now) {
            break;
        }

        parley_store_drop(store, mem, store->oldest);
    }

    parley_store_remove_locked(store, mem, key);

    e = parley_store_room(store, mem, now, value.len);

    if (e == NULL) {
        store->full++;
        return -1;
    }

    memset(e, 0, sizeof(parley_store_entry_t));
    memcpy(e->key, key, PARLEY_KEY_LEN);

    if (value.len > 0) {
        memcpy(e->value, value.data, value.len);
    }

    e->len = value.len;
    e->expires = now + ttl;

    *parley_store_link(store, key) = e;

    e->older = store->newest;

    if (store->newest != NULL) {
        store->newest->newer = e;

    } else {
        store->oldest = e;
    }

    store->newest = e;
    store->n++;
    store->octets += value.len;
    store->taken += parley_store_takes(value.len);

    parley_store_fetch_next(e);

    return 0;
}


int
parley_store_get_locked(parley_store_t *store,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_str_t *ret)
{
    parley_store_entry_t  *e;

    e = *parley_store_link(store, key);

    if (e == NULL || e->expires <= now) {
        *ret = parley_str_none;
        return -1;
    }

    *ret = parley_str_make(e->value, e->len);

    return 0;
}


void
parley_store_bound_locked(parley_store_t *store, size_t entries,
    size_t octets)
{
    store->entries_max = entries;
    store->taken_max = octets;
}


void
parley_store_remove_locked(parley_store_t *store, const parley_mem_t *mem,
    const uint8_t key[PARLEY_KEY_LEN])
{
    parley_store_entry_t  *e;

    e = *parley_store_link(store, key);

    if (e != NULL) {
        parley_store_drop(store, mem, e);
    }
}


void
parley_store_stat_locked(const parley_store_t *store,
    parley_store_stat_t *ret)
{
    ret->entries = store->n;
    ret->octets = store->octets;
    ret->full = store->full;
    ret->evicted = store->evicted;
}
