/*
 * Repairs the table after a process died while changing it.  The chains are
 * always valid: an entry is put into a chain, and taken out, by one store.  All
 * other links and counts follow from the chained entries and are rebuilt.
 */

#include <string.h>

#include "state/memory/parley_table_parts.h"


static void parley_repair_clear(parley_table_t *t);
static void parley_repair_chains(parley_table_t *t);
static int parley_repair_is_sound(parley_table_t *t, parley_block_t b);
static int parley_repair_value(parley_table_t *t, const parley_entry_t *e);
static void parley_repair_found(parley_table_t *t, parley_block_t b);
static void parley_repair_links(parley_table_t *t, int64_t now,
    const parley_block_t *oldest);
static int parley_repair_is_queued(parley_table_t *t, parley_block_t b,
    parley_evictable_t queue);
static void parley_repair_link(parley_table_t *t, parley_entry_t *e,
    int64_t now);
static void parley_repair_accounts(parley_table_t *t);
static void parley_repair_blocks(parley_table_t *t);


static inline int
parley_repair_is(const parley_table_t *t, parley_block_t b)
{
    return b > 0 && b < t->fresh;
}


static inline int
parley_repair_is_marked(const parley_table_t *t, parley_block_t b)
{
    return (t->marks[b / 32] >> (b % 32)) & 1;
}


static inline void
parley_repair_mark(parley_table_t *t, parley_block_t b)
{
    t->marks[b / 32] |= (uint32_t) 1 << (b % 32);
}


static inline void
parley_repair_unmark(parley_table_t *t, parley_block_t b)
{
    t->marks[b / 32] &= ~((uint32_t) 1 << (b % 32));
}


void
parley_table_repair_locked(parley_table_t *t, int64_t now)
{
    unsigned        i;
    parley_block_t  oldest[PARLEY_EVICTABLE_COUNT];

    /* the process may have counted the block without taking it */

    if (t->fresh > t->nblocks + 1) {
        t->fresh = t->nblocks + 1;
    }

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        oldest[i] = t->queues[i].oldest;
    }

    parley_repair_clear(t);
    parley_repair_chains(t);
    parley_repair_links(t, now, oldest);
    parley_repair_accounts(t);
    parley_repair_blocks(t);

    t->making = 0;
}


static void
parley_repair_clear(parley_table_t *t)
{
    unsigned         i;
    parley_queue_t  *q;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        q = &t->queues[i];

        q->oldest = 0;
        q->newest = 0;
        q->heaviest = 0;
        q->entries = 0;
        q->blocks = 0;
    }

    memset(t->marks, 0, ((size_t) t->nblocks / 32 + 1) * sizeof(uint32_t));
    memset(t->entries, 0, sizeof(t->entries));
    memset(t->sizes, 0, sizeof(t->sizes));
    memset(t->wheel, 0, ((size_t) t->wheel_mask + 2) * sizeof(parley_block_t));

    t->promised = 0;
}


/* Unchains entries that are not sound. */

static void
parley_repair_chains(parley_table_t *t)
{
    size_t           at;
    parley_block_t   b, *link;

    for (at = 0; at <= t->bucket_mask; at++) {

        link = &t->buckets[at];

        while ((b = *link) != 0) {

            if (!parley_repair_is(t, b) || parley_repair_is_marked(t, b)) {
                *link = 0;
                break;
            }

            if (parley_repair_is_sound(t, b)) {
                parley_repair_found(t, b);
                link = &parley_table_entry(t, b)->chain;

            } else {
                *link = parley_table_entry(t, b)->chain;
            }
        }
    }
}


/* the entry under construction may be empty */

static int
parley_repair_is_sound(parley_table_t *t, parley_block_t b)
{
    const parley_entry_t  *e;

    e = parley_table_entry(t, b);

    if (b == t->making || e->kind >= PARLEY_TABLE_KINDS) {
        return 0;
    }

    if (e->kind == PARLEY_TABLE_ACCOUNT) {
        return 1;
    }

    return e->loose <= PARLEY_EVICTABLE_NONE
           && (!e->valued || parley_repair_value(t, e));
}


/*
 * Marks the blocks of a value.  Returns 0 if they do not form a value, with
 * none marked.
 */

static int
parley_repair_value(parley_table_t *t, const parley_entry_t *e)
{
    size_t          n, i, left;
    parley_block_t  b;

    if (e->value.len > PARLEY_VALUE_MAX) {
        return 0;
    }

    n = parley_table_blocks(e->value.len) - 1;

    if (n == 0) {
        return 1;
    }

    for (i = 0, b = e->value.first;
         i < n && parley_repair_is(t, b) && !parley_repair_is_marked(t, b);
         i++)
    {
        parley_repair_mark(t, b);
        b = ((parley_more_t *) parley_table_entry(t, b))->next;
    }

    if (i == n && b == 0) {
        return 1;
    }

    for (left = i, b = e->value.first; left > 0; left--) {
        parley_repair_unmark(t, b);
        b = ((parley_more_t *) parley_table_entry(t, b))->next;
    }

    return 0;
}


static void
parley_repair_found(parley_table_t *t, parley_block_t b)
{
    parley_entry_t  *e;

    e = parley_table_entry(t, b);

    parley_repair_mark(t, b);
    t->entries[e->kind]++;

    if (e->kind == PARLEY_TABLE_ACCOUNT) {
        memset(&e->owner, 0, sizeof(e->owner));
        e->owner.used = 1;

        t->sizes[1]++;
        t->promised++;

    } else {
        e->linked = 0;

        if (e->valued && e->value.len == 0) {
            e->value.first = 0;
        }
    }
}


/* Rebuilds links; queues keep their order as far as it is intact. */

static void
parley_repair_links(parley_table_t *t, int64_t now,
    const parley_block_t *oldest)
{
    size_t           at;
    unsigned         i;
    parley_block_t   b;
    parley_entry_t  *e;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {

        b = oldest[i];

        while (parley_repair_is_queued(t, b, (parley_evictable_t) i)) {
            e = parley_table_entry(t, b);
            b = e->newer;
            parley_repair_link(t, e, now);
        }
    }

    for (at = 0; at <= t->bucket_mask; at++) {
        for (b = t->buckets[at]; b != 0; b = e->chain) {
            e = parley_table_entry(t, b);

            if (e->kind != PARLEY_TABLE_ACCOUNT && !e->linked) {
                parley_repair_link(t, e, now);
            }
        }
    }
}


/* a link may lead to a block that is not an entry */

static int
parley_repair_is_queued(parley_table_t *t, parley_block_t b,
    parley_evictable_t queue)
{
    parley_block_t         at;
    const parley_entry_t  *e;

    if (!parley_repair_is(t, b)) {
        return 0;
    }

    e = parley_table_entry(t, b);

    for (at = *parley_table_bucket(t, e->key);
         at != 0 && at != b;
         at = parley_table_entry(t, at)->chain)
    {
        /* void */
    }

    return at == b && e->kind != PARLEY_TABLE_ACCOUNT && e->loose == queue
           && !e->linked;
}


static void
parley_repair_link(parley_table_t *t, parley_entry_t *e, int64_t now)
{
    uint32_t  n;

    n = e->valued ? (uint32_t) parley_table_blocks(e->value.len) : 1;

    e->linked = 1;

    if (!parley_repair_is(t, e->account)
        || !parley_repair_is_marked(t, e->account)
        || parley_table_entry(t, e->account)->kind != PARLEY_TABLE_ACCOUNT)
    {
        e->account = 0;
    }

    parley_table_charge(t, e, n);

    if (e->loose == PARLEY_EVICTABLE_NONE) {
        t->promised += n;
        parley_wheel_link(t, e, now);

    } else {
        parley_queue_link(t, e);
    }
}


/* Removes accounts without entries. */

static void
parley_repair_accounts(parley_table_t *t)
{
    size_t           at;
    parley_block_t   b, next;
    parley_entry_t  *e;

    for (at = 0; at <= t->bucket_mask; at++) {
        for (b = t->buckets[at]; b != 0; b = next) {
            e = parley_table_entry(t, b);
            next = e->chain;

            if (e->kind == PARLEY_TABLE_ACCOUNT && e->owner.used == 1) {
                parley_table_unchain(t, e);
                parley_repair_unmark(t, b);

                t->sizes[1]--;
                t->promised--;
            }
        }
    }
}


/* Frees all blocks that are not part of an entry. */

static void
parley_repair_blocks(parley_table_t *t)
{
    parley_block_t  b;

    t->freed = 0;
    t->used = t->fresh - 1;

    for (b = t->fresh - 1; b > 0; b--) {
        if (!parley_repair_is_marked(t, b)) {
            parley_table_give(t, b);
        }
    }
}
