/*
 * Declarations shared by parley_table.c (entries and their values),
 * parley_table_wheel.c (expiry) and parley_table_share.c (accounts and
 * eviction).  Private to them.
 */

#ifndef PARLEY_TABLE_PARTS_H
#define PARLEY_TABLE_PARTS_H

#include <string.h>

#include "state/memory/parley_table.h"


#define PARLEY_TABLE_ACCOUNT  0             /* kind */

/* bit in a link of the wheel: the entry is the first of the slot with this
   number */
#define PARLEY_WHEEL_HEAD     0x80000000u

/* milliseconds of one slot of the wheel, as a power of two */
#define PARLEY_WHEEL_SHIFT    10


/* a block of a value; free blocks are linked in the same way */
typedef struct {
    parley_block_t  next;
    uint8_t         octets[PARLEY_VALUE];
} parley_more_t;


typedef struct {
    parley_block_t  oldest;
    parley_block_t  newest;
    parley_block_t  heaviest;           /* an account with many blocks; 0:
                                           none */
    uint32_t        entries;
    uint32_t        blocks;
    uint32_t        entries_max;        /* 0: unbounded */
    uint32_t        blocks_max;
    uint64_t        evicted;
} parley_queue_t;


/*
 * Size classes of accounts: one for each size below 8 blocks, then 8 for each
 * power of two.  The largest size is thus known without examining all accounts.
 */
#define PARLEY_TABLE_SIZES  ((32 - 3 + 1) * 8)


struct parley_table_s {
    struct parley_table_head_s  head;

    parley_block_t             *buckets;
    uint32_t                    bucket_mask;
    uint32_t                    wheel_mask;
    parley_block_t             *wheel;      /* [wheel_mask + 1]: the entries
                                               that are due */
    int64_t                     tick;       /* the last slot that became due */

    uint32_t                    nblocks;    /* usable blocks, without block 0 */
    uint32_t                    fresh;      /* first block that was never
                                               used */
    parley_block_t              freed;      /* list of freed blocks */
    uint32_t                    used;
    uint32_t                    promised;   /* promised blocks among used */
    uint32_t                    entries[PARLEY_TABLE_KINDS];

    parley_queue_t              queues[PARLEY_EVICTABLE_COUNT];

    parley_block_t              making;     /* entry that was added last, until
                                               it is complete */
    uint32_t                   *marks;      /* one bit for each block, for
                                               parley_table_repair_locked() */
    uint64_t                    full;
    uint64_t                    shared;

    uint32_t                    sizes[PARLEY_TABLE_SIZES];
                                            /* number of accounts by their
                                               promised blocks */
};


static inline uint32_t
parley_table_free_blocks(const parley_table_t *t)
{
    return t->nblocks - t->used;
}


static inline parley_block_t
parley_table_block(parley_table_t *t, const parley_entry_t *e)
{
    return (parley_block_t) (e - t->head.entries);
}


/* parley_table.c */

/*
 * Returns the bucket of a key.  The key is a keyed hash: its first octets
 * choose the bucket.
 */
static inline parley_block_t *
parley_table_bucket(parley_table_t *t, const uint8_t *key)
{
    uint32_t  at;

    memcpy(&at, key, sizeof(at));

    return &t->buckets[at & t->bucket_mask];
}

/* Takes a free block, which must exist. */
parley_block_t parley_table_take(parley_table_t *t);
void parley_table_give(parley_table_t *t, parley_block_t b);

void parley_table_chain(parley_table_t *t, parley_entry_t *e);
void parley_table_unchain(parley_table_t *t, parley_entry_t *e);

/* parley_table_wheel.c */

void parley_wheel_link(parley_table_t *t, parley_entry_t *e, int64_t now);
void parley_wheel_unlink(parley_table_t *t, parley_entry_t *e);

/* parley_table_share.c */

/*
 * Makes room for n blocks, and one more if the account of that key must be
 * created, by evicting loose entries.  *ret is the account, or 0 if it does not
 * exist.  Returns 0, or -1.
 */
int parley_table_make_room(parley_table_t *t, parley_evictable_t queue,
    const uint8_t *account, uint32_t n, int64_t now, parley_block_t *ret)
    __attribute__((warn_unused_result));

/* Creates the account of a key.  A free block must exist. */
parley_block_t parley_table_open(parley_table_t *t, const uint8_t *key);

/* Adds n blocks of an entry to its account, or subtracts them. */
void parley_table_charge(parley_table_t *t, parley_entry_t *e, uint32_t n);
void parley_table_refund(parley_table_t *t, parley_entry_t *e, uint32_t n);

void parley_queue_link(parley_table_t *t, parley_entry_t *e);
void parley_queue_unlink(parley_table_t *t, parley_entry_t *e);


#endif /* PARLEY_TABLE_PARTS_H */
