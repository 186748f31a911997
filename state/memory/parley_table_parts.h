/*
 * What parley_table.c (entries and their values), parley_table_wheel.c (what
 * expires) and parley_table_share.c (accounts, and what gives way) share.
 * Private to them.
 */

#ifndef PARLEY_TABLE_PARTS_H
#define PARLEY_TABLE_PARTS_H

#include <string.h>

#include "state/memory/parley_table.h"


#define PARLEY_TABLE_ACCOUNT  0             /* kind */

/* of the links in the wheel: this is the first of slot number ... */
#define PARLEY_WHEEL_HEAD     0x80000000u

/* milliseconds of one slot of the wheel, as a power of two */
#define PARLEY_WHEEL_SHIFT    10


/* a block of a value; free ones are linked the same way */
typedef struct {
    parley_block_t  next;
    uint8_t         octets[PARLEY_VALUE];
} parley_more_t;


typedef struct {
    parley_block_t  oldest;
    parley_block_t  newest;
    parley_block_t  heaviest;           /* an account that has much; 0: none */
    uint32_t        entries;
    uint32_t        blocks;
    uint32_t        entries_max;        /* 0: no bound */
    uint32_t        blocks_max;
    uint64_t        evicted;
} parley_queue_t;


/*
 * Sizes of accounts: one below 8 blocks each, then 8 for each power of two, of
 * which the largest is known without a look at every account.
 */
#define PARLEY_TABLE_SIZES  ((32 - 3 + 1) * 8)


struct parley_table_s {
    struct parley_table_head_s  head;

    parley_block_t             *buckets;
    uint32_t                    bucket_mask;
    uint32_t                    wheel_mask;
    parley_block_t             *wheel;      /* [wheel_mask + 1]: what is due */
    int64_t                     tick;       /* the last slot that became due */

    uint32_t                    nblocks;    /* of use: without block 0 */
    uint32_t                    fresh;      /* the first never used */
    parley_block_t              freed;      /* a list */
    uint32_t                    used;
    uint32_t                    promised;   /* of used */
    uint32_t                    entries[PARLEY_TABLE_KINDS];

    parley_queue_t              queues[PARLEY_LOOSE_COUNT];

    parley_block_t              making;     /* the entry that was added last,
                                               until it is all there */
    uint32_t                   *marks;      /* a bit for each block, for
                                               parley_table_repair_locked() */
    uint64_t                    full;
    uint64_t                    shared;

    uint32_t                    sizes[PARLEY_TABLE_SIZES];
                                            /* accounts, by what is promised
                                               to each */
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

/* The key is a keyed hash already: its first octets choose the bucket. */
static inline parley_block_t *
parley_table_bucket(parley_table_t *t, const uint8_t *key)
{
    uint32_t  at;

    memcpy(&at, key, sizeof(at));

    return &t->buckets[at & t->bucket_mask];
}

/* There must be one. */
parley_block_t parley_table_take(parley_table_t *t);
void parley_table_give(parley_table_t *t, parley_block_t b);

void parley_table_chain(parley_table_t *t, parley_entry_t *e);
void parley_table_unchain(parley_table_t *t, parley_entry_t *e);

/* parley_table_wheel.c */

void parley_wheel_link(parley_table_t *t, parley_entry_t *e, int64_t now);
void parley_wheel_unlink(parley_table_t *t, parley_entry_t *e);

/* parley_table_share.c */

/*
 * Room for n blocks, one more where the account of that key (*ret; 0: there is
 * none) has to be made: what is loose gives way.  Returns 0, or -1.
 */
int parley_table_make_room(parley_table_t *t, parley_loose_t queue,
    const uint8_t *account, uint32_t n, int64_t now, parley_block_t *ret)
    __attribute__((warn_unused_result));

/* Makes the account of a key that has none.  There must be a block. */
parley_block_t parley_table_open(parley_table_t *t, const uint8_t *key);

/* Counts n blocks of an entry to its account, or takes them off again. */
void parley_table_charge(parley_table_t *t, parley_entry_t *e, uint32_t n);
void parley_table_refund(parley_table_t *t, parley_entry_t *e, uint32_t n);

void parley_queue_link(parley_table_t *t, parley_entry_t *e);
void parley_queue_unlink(parley_table_t *t, parley_entry_t *e);


#endif /* PARLEY_TABLE_PARTS_H */
