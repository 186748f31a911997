/* GCRA over shared memory. */

#include <string.h>

#include "parley_limit.h"


/* looked at on every new key, from the one used longest ago */
#define PARLEY_LIMIT_AMORTISED  2


typedef struct parley_limit_entry_s  parley_limit_entry_t;

struct parley_limit_entry_s {
    uint8_t                key[PARLEY_KEY_LEN];
    int64_t                tat;         /* us: when the next is due */
    parley_limit_entry_t  *chain;
    parley_limit_entry_t  *newer;       /* by last use */
    parley_limit_entry_t  *older;
};

struct parley_limit_s {
    parley_limit_entry_t  *oldest;
    parley_limit_entry_t  *newest;
    size_t                 entries;
    size_t                 entries_max;
    size_t                 mask;        /* buckets - 1 */
    int64_t                swept;       /* ms, the last full sweep */
    unsigned               was_swept:1;
    uint64_t               limited;
    uint64_t               full;
    parley_limit_entry_t **buckets;
};


parley_limit_t *
parley_limit_create_locked(const parley_mem_t *mem, size_t buckets,
    size_t entries)
{
    size_t           n;
    parley_limit_t  *limit;

    if (buckets > SIZE_MAX / 4 / sizeof(parley_limit_entry_t *)) {
        return NULL;
    }

    for (n = 16; n < buckets; n *= 2) { /* void */ }

    limit = mem->alloc(mem->ctx, sizeof(parley_limit_t));

    if (limit == NULL) {
        return NULL;
    }

    memset(limit, 0, sizeof(parley_limit_t));

    limit->buckets = mem->alloc(mem->ctx, n * sizeof(parley_limit_entry_t *));

    if (limit->buckets == NULL) {
        mem->free(mem->ctx, limit);
        return NULL;
    }

    memset(limit->buckets, 0, n * sizeof(parley_limit_entry_t *));

    limit->mask = n - 1;
    limit->entries_max = entries;

    return limit;
}


void
parley_limit_destroy_locked(parley_limit_t *limit, const parley_mem_t *mem)
{
    parley_limit_entry_t  *e, *newer;

    for (e = limit->oldest; e != NULL; e = newer) {
        newer = e->newer;
        mem->free(mem->ctx, e);
    }

    mem->free(mem->ctx, limit->buckets);
    mem->free(mem->ctx, limit);
}


static parley_limit_entry_t **
parley_limit_link(parley_limit_t *limit, const uint8_t *key)
{
    size_t                  at;
    parley_limit_entry_t  **link;

    memcpy(&at, key, sizeof(at));

    for (link = &limit->buckets[at & limit->mask];
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
parley_limit_dequeue(parley_limit_t *limit, parley_limit_entry_t *e)
{
    if (e->older != NULL) {
        e->older->newer = e->newer;

    } else {
        limit->oldest = e->newer;
    }

    if (e->newer != NULL) {
        e->newer->older = e->older;

    } else {
        limit->newest = e->older;
    }
}


static void
parley_limit_enqueue(parley_limit_t *limit, parley_limit_entry_t *e)
{
    e->newer = NULL;
    e->older = limit->newest;

    if (limit->newest != NULL) {
        limit->newest->newer = e;

    } else {
        limit->oldest = e;
    }

    limit->newest = e;
}


static void
parley_limit_remove(parley_limit_t *limit, const parley_mem_t *mem,
    parley_limit_entry_t *e)
{
    parley_limit_entry_t  **link;

    link = parley_limit_link(limit, e->key);
    *link = e->chain;

    parley_limit_dequeue(limit, e);
    limit->entries--;

    mem->free(mem->ctx, e);
}


/*
 * Idle entries say nothing that a missing one does not.  Looks at no more
 * than max of them; returns how many went.
 */

static size_t
parley_limit_evict(parley_limit_t *limit, const parley_mem_t *mem,
    int64_t now_us, size_t max)
{
    size_t                 i, n;
    parley_limit_entry_t  *e, *newer;

    n = 0;
    e = limit->oldest;

    for (i = 0; i < max && e != NULL; i++) {
        newer = e->newer;

        if (e->tat <= now_us) {
            parley_limit_remove(limit, mem, e);
            n++;
        }

        e = newer;
    }

    return n;
}


static parley_limit_entry_t *
parley_limit_alloc(parley_limit_t *limit, const parley_mem_t *mem)
{
    if (limit->entries_max != 0 && limit->entries >= limit->entries_max) {
        return NULL;
    }

    return mem->alloc(mem->ctx, sizeof(parley_limit_entry_t));
}


static parley_limit_entry_t *
parley_limit_insert(parley_limit_t *limit, const parley_mem_t *mem,
    const uint8_t *key, int64_t now)
{
    parley_limit_entry_t  *e, **link;

    (void) parley_limit_evict(limit, mem, now * 1000, PARLEY_LIMIT_AMORTISED);

    e = parley_limit_alloc(limit, mem);

    if (e == NULL
        && (!limit->was_swept || now < limit->swept
            || now - limit->swept >= PARLEY_LIMIT_SWEEP_MS))
    {
        limit->swept = now;
        limit->was_swept = 1;

        if (parley_limit_evict(limit, mem, now * 1000, SIZE_MAX) != 0) {
            e = parley_limit_alloc(limit, mem);
        }
    }

    if (e == NULL) {
        return NULL;
    }

    memset(e, 0, sizeof(parley_limit_entry_t));
    memcpy(e->key, key, PARLEY_KEY_LEN);

    link = parley_limit_link(limit, key);
    *link = e;

    parley_limit_enqueue(limit, e);
    limit->entries++;

    return e;
}


parley_limit_result_t
parley_limit_take_locked(parley_limit_t *limit, const parley_mem_t *mem,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now,
    const parley_limit_rate_t *rate, int64_t *ret_wait)
{
    int64_t                now_us, room, tat;
    parley_limit_entry_t  *e;

    *ret_wait = 0;

    if (rate->interval_us == 0) {
        return PARLEY_LIMIT_OK;
    }

    now_us = now * 1000;
    room = rate->interval_us * (int64_t) rate->burst;

    e = *parley_limit_link(limit, key);

    if (e != NULL) {
        parley_limit_dequeue(limit, e);
        parley_limit_enqueue(limit, e);

    } else {
        e = parley_limit_insert(limit, mem, key, now);

        if (e == NULL) {
            limit->full++;
            return PARLEY_LIMIT_FULL;
        }
    }

    tat = e->tat > now_us ? e->tat : now_us;

    /* a reload may have made the rate another: no debt above the new one */

    if (tat > now_us + room + rate->interval_us) {
        tat = now_us + room + rate->interval_us;
        e->tat = tat;
    }

    if (tat - now_us > room) {
        limit->limited++;
        *ret_wait = (tat - now_us - room + 999) / 1000;

        return PARLEY_LIMIT_LIMITED;
    }

    e->tat = tat + rate->interval_us;

    return PARLEY_LIMIT_OK;
}


void
parley_limit_stat_locked(const parley_limit_t *limit,
    parley_limit_stat_t *ret)
{
    ret->entries = limit->entries;
    ret->limited = limit->limited;
    ret->full = limit->full;
}
