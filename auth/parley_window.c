/* The duplicate window: a hash table and two queues over shared memory. */

#include <string.h>

#include "parley_window.h"


/* of each queue, looked at on every reservation */
#define PARLEY_WINDOW_AMORTISED  2


typedef enum {
    PARLEY_WINDOW_RESERVED = 0,
    PARLEY_WINDOW_DONE,
    PARLEY_WINDOW_STATES
} parley_window_state_t;


typedef struct parley_window_entry_s  parley_window_entry_t;

struct parley_window_entry_s {
    uint8_t                 key[PARLEY_KEY_LEN];
    int64_t                 expires;    /* ms */
    uint64_t                stamp;
    uint32_t                owner;
    uint8_t                 state;
    uint8_t                 answer;
    parley_window_entry_t  *chain;
    parley_window_entry_t  *newer;      /* in the queue of its state */
    parley_window_entry_t  *older;
};

/*
 * Reservations have leases of about one length, and so have windows: a queue
 * per state is nearly in order of expiry, and its head is what goes first.
 */
typedef struct {
    parley_window_entry_t  *oldest;
    parley_window_entry_t  *newest;
    size_t                  n;
} parley_window_queue_t;

struct parley_window_s {
    parley_window_queue_t   queues[PARLEY_WINDOW_STATES];
    size_t                  entries_max;
    size_t                  mask;       /* buckets - 1 */
    uint64_t                stamps;
    int64_t                 swept;      /* ms, the last full sweep */
    int                     was_swept;
    uint64_t                full;
    uint64_t                sweeps;
    parley_window_entry_t **buckets;
};


parley_window_t *
parley_window_create_locked(const parley_mem_t *mem, size_t buckets,
    size_t entries)
{
    size_t            n;
    parley_window_t  *window;

    if (buckets > SIZE_MAX / 4 / sizeof(parley_window_entry_t *)) {
        return NULL;
    }

    for (n = 16; n < buckets; n *= 2) { /* void */ }

    window = mem->alloc(mem->ctx, sizeof(parley_window_t));

    if (window == NULL) {
        return NULL;
    }

    memset(window, 0, sizeof(parley_window_t));

    window->buckets = mem->alloc(mem->ctx,
                                 n * sizeof(parley_window_entry_t *));
    if (window->buckets == NULL) {
        mem->free(mem->ctx, window);
        return NULL;
    }

    memset(window->buckets, 0, n * sizeof(parley_window_entry_t *));

    window->mask = n - 1;
    window->entries_max = entries;

    return window;
}


/* the key is a keyed hash already: its first octets choose the bucket */

static parley_window_entry_t **
parley_window_bucket(const parley_window_t *window, const uint8_t *key)
{
    size_t  at;

    memcpy(&at, key, sizeof(at));

    return &window->buckets[at & window->mask];
}


void
parley_window_prefetch(const parley_window_t *window,
    const uint8_t key[PARLEY_KEY_LEN])
{
    __builtin_prefetch(parley_window_bucket(window, key));
}


static parley_window_entry_t **
parley_window_link(parley_window_t *window, const uint8_t *key)
{
    parley_window_entry_t  **link;

    for (link = parley_window_bucket(window, key);
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
parley_window_enqueue(parley_window_t *window, parley_window_entry_t *e,
    parley_window_state_t state)
{
    parley_window_queue_t  *q;

    q = &window->queues[state];

    e->state = (uint8_t) state;
    e->newer = NULL;
    e->older = q->newest;

    if (q->newest != NULL) {
        q->newest->newer = e;

    } else {
        q->oldest = e;
    }

    q->newest = e;
    q->n++;
}


static void
parley_window_dequeue(parley_window_t *window, parley_window_entry_t *e)
{
    parley_window_queue_t  *q;

    q = &window->queues[e->state];

    if (e->older != NULL) {
        e->older->newer = e->newer;

    } else {
        q->oldest = e->newer;
    }

    if (e->newer != NULL) {
        e->newer->older = e->older;

    } else {
        q->newest = e->older;
    }

    q->n--;
}


static void
parley_window_remove(parley_window_t *window, const parley_mem_t *mem,
    parley_window_entry_t *e)
{
    parley_window_entry_t  **link;

    link = parley_window_link(window, e->key);
    *link = e->chain;

    parley_window_dequeue(window, e);
    mem->free(mem->ctx, e);
}


void
parley_window_destroy_locked(parley_window_t *window, const parley_mem_t *mem)
{
    unsigned                i;
    parley_window_entry_t  *e, *newer;

    for (i = 0; i < PARLEY_WINDOW_STATES; i++) {
        for (e = window->queues[i].oldest; e != NULL; e = newer) {
            newer = e->newer;
            mem->free(mem->ctx, e);
        }
    }

    mem->free(mem->ctx, window->buckets);
    mem->free(mem->ctx, window);
}


static void
parley_window_amortise(parley_window_t *window, const parley_mem_t *mem,
    int64_t now)
{
    unsigned                i, n;
    parley_window_entry_t  *e;

    for (i = 0; i < PARLEY_WINDOW_STATES; i++) {
        for (n = 0; n < PARLEY_WINDOW_AMORTISED; n++) {
            e = window->queues[i].oldest;

            if (e == NULL || e->expires > now) {
                break;
            }

            parley_window_remove(window, mem, e);
        }
    }
}


size_t
parley_window_sweep_locked(parley_window_t *window, const parley_mem_t *mem,
    int64_t now)
{
    size_t                  n;
    unsigned                i;
    parley_window_entry_t  *e, *newer;

    n = 0;

    for (i = 0; i < PARLEY_WINDOW_STATES; i++) {
        for (e = window->queues[i].oldest; e != NULL; e = newer) {
            newer = e->newer;

            if (e->expires <= now) {
                parley_window_remove(window, mem, e);
                n++;
            }
        }
    }

    window->swept = now;
    window->was_swept = 1;
    window->sweeps++;

    return n;
}


static parley_window_entry_t *
parley_window_alloc(parley_window_t *window, const parley_mem_t *mem)
{
    if (window->entries_max != 0
        && window->queues[PARLEY_WINDOW_RESERVED].n
           + window->queues[PARLEY_WINDOW_DONE].n >= window->entries_max)
    {
        return NULL;
    }

    return mem->alloc(mem->ctx, sizeof(parley_window_entry_t));
}


/*
 * A new entry for key.  Where there is no room, all that has expired goes
 * first, but not more often than once in PARLEY_WINDOW_SWEEP_MS: a flood
 * against a full window must not walk it with every message.
 */

static parley_window_entry_t *
parley_window_insert(parley_window_t *window, const parley_mem_t *mem,
    const uint8_t *key, int64_t now, parley_window_state_t state)
{
    parley_window_entry_t  *e, **link;

    e = parley_window_alloc(window, mem);

    if (e == NULL
        && (!window->was_swept || now < window->swept
            || now - window->swept >= PARLEY_WINDOW_SWEEP_MS)
        && parley_window_sweep_locked(window, mem, now) != 0)
    {
        e = parley_window_alloc(window, mem);
    }

    if (e == NULL) {
        return NULL;
    }

    memset(e, 0, sizeof(parley_window_entry_t));
    memcpy(e->key, key, PARLEY_KEY_LEN);

    /* the sweep may have changed the chain */

    link = parley_window_link(window, key);
    *link = e;

    parley_window_enqueue(window, e, state);

    /* allocators hand out neighbours: the next entry is probably there */
    __builtin_prefetch(e + 1, 1);

    return e;
}


parley_window_result_t
parley_window_reserve_locked(parley_window_t *window,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN], int64_t now,
    int64_t lease, uint32_t owner, parley_window_slot_t *ret)
{
    parley_window_entry_t  *e;

    memset(ret, 0, sizeof(parley_window_slot_t));

    parley_window_amortise(window, mem, now);

    e = *parley_window_link(window, key);

    if (e != NULL && e->expires > now) {
        ret->left_ms = e->expires - now;

        if (e->state == PARLEY_WINDOW_RESERVED) {
            return PARLEY_WINDOW_IN_FLIGHT;
        }

        ret->answer = e->answer;

        return PARLEY_WINDOW_DUPLICATE;
    }

    if (e != NULL) {
        parley_window_dequeue(window, e);
        parley_window_enqueue(window, e, PARLEY_WINDOW_RESERVED);

    } else {
        e = parley_window_insert(window, mem, key, now,
                                 PARLEY_WINDOW_RESERVED);
        if (e == NULL) {
            window->full++;
            return PARLEY_WINDOW_FULL;
        }
    }

    e->expires = now + lease;
    e->stamp = ++window->stamps;
    e->owner = owner;
    e->answer = 0;

    ret->stamp = e->stamp;

    return PARLEY_WINDOW_NEW;
}


/*
 * Where the key is done already, by whoever held it after a lease that ran
 * out, the first answer stands.
 */

int
parley_window_commit_locked(parley_window_t *window, const parley_mem_t *mem,
    const uint8_t key[PARLEY_KEY_LEN], uint64_t stamp, int64_t now,
    int64_t ttl, uint8_t answer)
{
    parley_window_entry_t  *e;

    e = *parley_window_link(window, key);

    if (e != NULL && e->state == PARLEY_WINDOW_DONE && e->stamp != stamp
        && e->expires > now)
    {
        return 0;
    }

    if (e != NULL) {
        parley_window_dequeue(window, e);
        parley_window_enqueue(window, e, PARLEY_WINDOW_DONE);

    } else {
        e = parley_window_insert(window, mem, key, now, PARLEY_WINDOW_DONE);

        if (e == NULL) {
            window->full++;
            return -1;
        }
    }

    e->expires = now + ttl;
    e->stamp = stamp;
    e->answer = answer;
    e->owner = 0;

    return 0;
}


void
parley_window_release_locked(parley_window_t *window,
    const parley_mem_t *mem, const uint8_t key[PARLEY_KEY_LEN],
    uint64_t stamp)
{
    parley_window_entry_t  *e;

    e = *parley_window_link(window, key);

    if (e != NULL && e->state == PARLEY_WINDOW_RESERVED && e->stamp == stamp)
    {
        parley_window_remove(window, mem, e);
    }
}


size_t
parley_window_release_owners_locked(parley_window_t *window,
    const parley_mem_t *mem, int (*is_dead)(void *ctx, uint32_t owner),
    void *ctx)
{
    size_t                  n;
    parley_window_entry_t  *e, *newer;

    n = 0;

    for (e = window->queues[PARLEY_WINDOW_RESERVED].oldest;
         e != NULL;
         e = newer)
    {
        newer = e->newer;

        if (is_dead(ctx, e->owner)) {
            parley_window_remove(window, mem, e);
            n++;
        }
    }

    return n;
}


void
parley_window_stat_locked(const parley_window_t *window,
    parley_window_stat_t *ret)
{
    ret->reserved = window->queues[PARLEY_WINDOW_RESERVED].n;
    ret->done = window->queues[PARLEY_WINDOW_DONE].n;
    ret->full = window->full;
    ret->sweeps = window->sweeps;
}
