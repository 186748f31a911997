/* Accounts: their use, their limits, and eviction. */

#include <string.h>

#include "state/memory/parley_table_parts.h"


/* expired entries examined if there is no room */
#define PARLEY_TABLE_SWEEP  1024

/*
 * An account with more than 1/PART of a queue, and more than SMALL blocks,
 * loses entries before others do.
 */
#define PARLEY_QUEUE_PART   4
#define PARLEY_QUEUE_SMALL  256


static size_t parley_table_most(const parley_table_t *t, unsigned share);
static int parley_table_fits(const parley_table_t *t, size_t n);
static void parley_table_evict(parley_table_t *t, parley_evictable_t queue,
    const uint8_t *account);
static void parley_queue_weigh(parley_table_t *t, parley_evictable_t queue,
    parley_block_t account);
static parley_entry_t *parley_queue_victim(parley_table_t *t,
    parley_evictable_t queue, const uint8_t *account);
static parley_entry_t *parley_queue_heavier(parley_table_t *t,
    parley_evictable_t queue, parley_entry_t *most, parley_block_t account);
static parley_evictable_t parley_queue_fullest(const parley_table_t *t);
static uint32_t parley_table_kept(const parley_entry_t *a);
static void parley_table_resize(parley_table_t *t, uint32_t before,
    uint32_t after);
static unsigned parley_table_size_class(uint32_t n);
static size_t parley_table_largest(const parley_table_t *t);


static parley_entry_t *
parley_table_owner(parley_table_t *t, const uint8_t *key)
{
    return parley_table_find_locked(t, PARLEY_TABLE_ACCOUNT, key);
}


parley_block_t
parley_table_open(parley_table_t *t, const uint8_t *key)
{
    parley_block_t   b;
    parley_entry_t  *e;

    b = parley_table_take(t);
    e = parley_table_entry(t, b);

    memset(e, 0, sizeof(parley_entry_t));
    memcpy(e->key, key, PARLEY_KEY_LEN);

    e->kind = PARLEY_TABLE_ACCOUNT;
    e->owner.used = 1;

    t->sizes[parley_table_size_class(1)]++;

    parley_table_chain(t, e);

    t->promised++;

    return b;
}


void
parley_table_charge(parley_table_t *t, parley_entry_t *e, uint32_t n)
{
    uint32_t         kept;
    parley_entry_t  *a;

    if (e->account == 0) {
        return;
    }

    a = parley_table_entry(t, e->account);
    a->owner.used += n;

    if (e->loose < PARLEY_EVICTABLE_OWNED) {
        a->owner.blocks[e->loose] += n;
        parley_queue_weigh(t, (parley_evictable_t) e->loose, e->account);

    } else {
        kept = parley_table_kept(a);
        parley_table_resize(t, kept - n, kept);
    }
}


/* heaviest stays until another account has more */

static void
parley_queue_weigh(parley_table_t *t, parley_evictable_t queue,
    parley_block_t account)
{
    parley_queue_t  *q;

    q = &t->queues[queue];

    if (q->heaviest == 0
        || parley_table_entry(t, account)->owner.blocks[queue]
           > parley_table_entry(t, q->heaviest)->owner.blocks[queue])
    {
        q->heaviest = account;
    }
}


/* removes the account with its last block */

void
parley_table_refund(parley_table_t *t, parley_entry_t *e, uint32_t n)
{
    uint32_t         kept;
    unsigned         i;
    parley_entry_t  *a;

    if (e->account == 0) {
        return;
    }

    a = parley_table_entry(t, e->account);
    a->owner.used -= n;

    if (e->loose < PARLEY_EVICTABLE_OWNED) {
        a->owner.blocks[e->loose] -= n;

    } else {
        kept = parley_table_kept(a);
        parley_table_resize(t, kept + n, kept);
    }

    if (a->owner.used == 1) {

        for (i = 0; i < PARLEY_EVICTABLE_OWNED; i++) {
            if (t->queues[i].heaviest == e->account) {
                t->queues[i].heaviest = 0;
            }
        }

        t->sizes[parley_table_size_class(1)]--;

        parley_table_unchain(t, a);
        parley_table_give(t, e->account);

        t->promised--;
    }
}


/* Updates the size classes after the promised blocks of an account changed. */

static void
parley_table_resize(parley_table_t *t, uint32_t before, uint32_t after)
{
    t->sizes[parley_table_size_class(before)]--;
    t->sizes[parley_table_size_class(after)]++;
}


static unsigned
parley_table_size_class(uint32_t n)
{
    unsigned  shift;

    if (n < 8) {
        return n;
    }

    shift = 28 - (unsigned) __builtin_clz(n);

    return (shift + 1) * 8 + ((n >> shift) & 7);
}


/* Returns the lower bound of the largest size class in use. */

static size_t
parley_table_largest(const parley_table_t *t)
{
    unsigned  i;

    for (i = PARLEY_TABLE_SIZES; i > 0; i--) {
        if (t->sizes[i - 1] > 0) {
            i--;
            return i < 8 ? i : (size_t) (8 + i % 8) << (i / 8 - 1);
        }
    }

    return 0;
}


/* Returns the blocks promised to an account. */

static uint32_t
parley_table_kept(const parley_entry_t *a)
{
    unsigned  i;
    uint32_t  n;

    n = a->owner.used;

    for (i = 0; i < PARLEY_EVICTABLE_OWNED; i++) {
        n -= a->owner.blocks[i];
    }

    return n;
}


/* Returns the blocks that an account may have at present. */

static size_t
parley_table_most(const parley_table_t *t, unsigned share)
{
    uint64_t  most, left;

    if (share >= PARLEY_SHARE_ALL) {
        return t->nblocks;
    }

    most = (uint64_t) t->nblocks * share / PARLEY_SHARE_ALL;
    left = (uint64_t) (t->nblocks - t->promised) * share
           / (PARLEY_SHARE_ALL - share);

    if (left < most) {
        most = left;
    }

    return most < PARLEY_TABLE_FLOOR ? PARLEY_TABLE_FLOOR : most;
}


static int
parley_table_fits(const parley_table_t *t, size_t n)
{
    return n <= t->nblocks - t->promised;
}


/* sweeping may have removed the account */

parley_room_t
parley_table_room_locked(parley_table_t *t, const uint8_t *account, size_t n,
    unsigned share, int64_t now)
{
    size_t                 need, kept;
    unsigned               swept;
    const parley_entry_t  *a;

    for (swept = 0; /* void */ ; swept++) {

        a = account != NULL ? parley_table_owner(t, account) : NULL;
        kept = a != NULL ? parley_table_kept(a) : 0;
        need = n + (account != NULL && a == NULL);

        if (parley_table_fits(t, need)
            && (account == NULL || kept + need <= parley_table_most(t, share)))
        {
            return PARLEY_ROOM_OK;
        }

        if (swept != 0
            || parley_table_sweep_locked(t, now, PARLEY_TABLE_SWEEP) == 0)
        {
            break;
        }
    }

    if (!parley_table_fits(t, need)) {
        t->full++;
        return PARLEY_ROOM_NONE;
    }

    t->shared++;

    return PARLEY_ROOM_SHARE;
}


/* includes the block of an account that may have to be created */

int
parley_table_holds_locked(const parley_table_t *t, parley_evictable_t queue,
    size_t n)
{
    return n <= t->queues[queue].blocks_max && parley_table_fits(t, n + 1);
}


int
parley_table_make_room(parley_table_t *t, parley_evictable_t queue,
    const uint8_t *account, uint32_t n, int64_t now, parley_block_t *ret)
{
    uint32_t               need;
    parley_entry_t        *a;
    const parley_queue_t  *q;

    if (queue != PARLEY_EVICTABLE_NONE) {
        q = &t->queues[queue];

        if (n > q->blocks_max) {
            return -1;
        }

        while (q->blocks + n > q->blocks_max
               || (q->entries_max != 0 && q->entries >= q->entries_max))
        {
            parley_table_evict(t, queue, account);
        }
    }

    /* eviction may remove the account's last entry, and the account */

    for ( ;; ) {
        a = account != NULL ? parley_table_owner(t, account) : NULL;
        need = n + (account != NULL && a == NULL);
        *ret = a != NULL ? parley_table_block(t, a) : 0;

        if (need <= parley_table_free_blocks(t)) {
            return 0;
        }

        if (parley_table_fits(t, need)) {
            parley_table_evict(t, parley_queue_fullest(t), account);

        } else if (parley_table_sweep_locked(t, now, PARLEY_TABLE_SWEEP)
                   == 0)
        {
            return -1;
        }
    }
}


static parley_evictable_t
parley_queue_fullest(const parley_table_t *t)
{
    unsigned  i, fullest;

    fullest = 0;

    for (i = 1; i < PARLEY_EVICTABLE_COUNT; i++) {
        if (t->queues[i].blocks > t->queues[fullest].blocks) {
            fullest = i;
        }
    }

    return (parley_evictable_t) fullest;
}


static void
parley_table_evict(parley_table_t *t, parley_evictable_t queue,
    const uint8_t *account)
{
    t->queues[queue].evicted++;

    parley_table_remove_locked(t, parley_queue_victim(t, queue, account));
}


/*
 * Returns the oldest entry of the queue; or the oldest one of the account with
 * by far the most blocks among these: the account that needs room, the heaviest
 * one of late, and those of the oldest entries.
 */

static parley_entry_t *
parley_queue_victim(parley_table_t *t, parley_evictable_t queue,
    const uint8_t *account)
{
    unsigned               i;
    parley_block_t         b;
    parley_entry_t        *e, *most;
    const parley_queue_t  *q;

    q = &t->queues[queue];

    if (queue >= PARLEY_EVICTABLE_OWNED) {
        return parley_table_entry(t, q->oldest);
    }

    most = account != NULL ? parley_table_owner(t, account) : NULL;

    if (q->heaviest != 0) {
        most = parley_queue_heavier(t, queue, most, q->heaviest);
    }

    b = q->oldest;

    for (i = 0; i < PARLEY_TABLE_SAMPLES && b != 0; i++) {
        e = parley_table_entry(t, b);
        b = e->newer;

        if (e->account != 0) {
            most = parley_queue_heavier(t, queue, most, e->account);
        }
    }

    b = q->oldest;

    if (most != NULL && most->owner.blocks[queue] > PARLEY_QUEUE_SMALL
        && most->owner.blocks[queue] > q->blocks / PARLEY_QUEUE_PART)
    {
        b = most->owner.oldest[queue];
    }

    return parley_table_entry(t, b);
}


static parley_entry_t *
parley_queue_heavier(parley_table_t *t, parley_evictable_t queue,
    parley_entry_t *most, parley_block_t account)
{
    parley_entry_t  *a;

    a = parley_table_entry(t, account);

    return most == NULL || a->owner.blocks[queue] > most->owner.blocks[queue]
           ? a : most;
}


void
parley_queue_link(parley_table_t *t, parley_entry_t *e)
{
    parley_block_t   b;
    parley_entry_t  *a;
    parley_queue_t  *q;

    b = parley_table_block(t, e);
    q = &t->queues[e->loose];

    e->newer = 0;
    e->older = q->newest;

    *(q->newest != 0 ? &parley_table_entry(t, q->newest)->newer
                     : &q->oldest) = b;
    q->newest = b;

    q->entries++;
    q->blocks += e->valued ? (uint32_t) parley_table_blocks(e->value.len) : 1;

    if (e->account == 0 || e->loose >= PARLEY_EVICTABLE_OWNED) {
        return;
    }

    a = parley_table_entry(t, e->account);

    e->value.newer = 0;
    e->value.older = a->owner.newest[e->loose];

    *(e->value.older != 0
      ? &parley_table_entry(t, e->value.older)->value.newer
      : &a->owner.oldest[e->loose]) = b;

    a->owner.newest[e->loose] = b;
}


/* its value is freed already */

void
parley_queue_unlink(parley_table_t *t, parley_entry_t *e)
{
    parley_entry_t  *a;
    parley_queue_t  *q;

    q = &t->queues[e->loose];

    *(e->older != 0 ? &parley_table_entry(t, e->older)->newer : &q->oldest)
        = e->newer;
    *(e->newer != 0 ? &parley_table_entry(t, e->newer)->older : &q->newest)
        = e->older;

    q->entries--;
    q->blocks--;

    if (e->account == 0 || e->loose >= PARLEY_EVICTABLE_OWNED) {
        return;
    }

    a = parley_table_entry(t, e->account);

    *(e->value.older != 0
      ? &parley_table_entry(t, e->value.older)->value.newer
      : &a->owner.oldest[e->loose]) = e->value.newer;
    *(e->value.newer != 0
      ? &parley_table_entry(t, e->value.newer)->value.older
      : &a->owner.newest[e->loose]) = e->value.older;
}


void
parley_table_stat_locked(const parley_table_t *t, parley_state_room_t *ret)
{
    unsigned  i;

    memset(ret, 0, sizeof(parley_state_room_t));

    ret->block = PARLEY_BLOCK;
    ret->blocks = t->nblocks;
    ret->free = parley_table_free_blocks(t);
    ret->loose = t->used - t->promised;
    ret->largest = parley_table_largest(t);
    ret->full = t->full;
    ret->shared = t->shared;

    for (i = 0; i < PARLEY_KIND_COUNT; i++) {
        ret->entries[i] = t->entries[i];
    }

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        ret->queued[i] = t->queues[i].entries;
        ret->queued_blocks[i] = t->queues[i].blocks;
        ret->evicted[i] = t->queues[i].evicted;
    }
}
