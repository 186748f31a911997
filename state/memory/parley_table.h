/*
 * A table in memory that processes share: one hash of entries of every kind,
 * a wheel that finds what has expired, queues of what may give way, and
 * accounts of who takes how much.
 *
 * All memory is blocks of one size.  An entry is a block; its value takes as
 * many more as it needs, which need not be neighbours: any free block is of
 * use to any entry, and what is free can be counted.  Blocks have numbers,
 * 0 is none.
 *
 * What is kept is promised or loose.  Promised entries stay until their time
 * is over.  Loose ones stand in a queue each with its kin, of which the bound
 * is the caller's, and give way to whatever else needs the room.
 *
 * SEC-09: an entry is counted to an account, a principal's.  With shares, of
 * promised blocks an account may have no more than its share of all blocks,
 * and no more than share / (1 - share) of those that are not promised to
 * anybody: one alone reaches its share, several get less each, and the more
 * there are the less is left, but never nothing: who has nothing yet finds
 * room.  Where loose entries have to go it is the oldest, or that of who has by
 * far the most.
 *
 * Everything here is _locked: the caller holds the lock of the memory.  No
 * function pointer is kept in it.  Times are milliseconds of one clock that
 * all processes share and that does not jump.
 */

#ifndef PARLEY_TABLE_H
#define PARLEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "state/parley_state.h"


#define PARLEY_BLOCK          64
#define PARLEY_VALUE          60                /* octets of a value in one */
#define PARLEY_VALUE_MAX      (64 << 20)        /* octets of one value */

#define PARLEY_TABLE_FLOOR    16    /* blocks that an account may have however
                                       little is left */
#define PARLEY_TABLE_SAMPLES  8     /* loose entries whose accounts are looked
                                       at before one gives way */

#define PARLEY_TABLE_KINDS    32

#define PARLEY_TABLE_FOREVER  (((int64_t) 1 << 48) - 1)


typedef struct parley_table_s  parley_table_t;

typedef uint32_t  parley_block_t;


/*
 * One block.  Stamp, mark, closed, and octets or number where it has no value
 * are the caller's; the rest is the table's.
 */
typedef struct {
    uint8_t             key[PARLEY_KEY_LEN];
    parley_block_t      chain;          /* in its bucket */
    uint8_t             kind;           /* the caller's, below
                                           PARLEY_TABLE_KINDS; 0: an account */
    uint8_t             loose : 4;      /* parley_loose_t */
    uint8_t             valued : 1;     /* it has a value, perhaps none left */
    uint8_t             closed : 1;     /* the caller's */
    uint8_t             linked : 1;     /* while the table is repaired */
    uint16_t            stamp_high;

    union {
        struct {
            parley_block_t  newer;      /* in the wheel, or its queue */
            parley_block_t  older;
            parley_block_t  account;    /* 0: nobody's */
            uint32_t        stamp_low;
            uint64_t        expires : 48;
            uint64_t        mark : 16;  /* the caller's */

            union {                     /* the caller's, without a value */
                uint8_t     octets[16];
                int64_t     number;

                struct {
                    uint32_t        len;
                    parley_block_t  first;
                    parley_block_t  newer;      /* loose ones of its account */
                    parley_block_t  older;
                } value;
            };
        };

        struct {
            uint32_t        used;       /* blocks, its own too */
            uint32_t        blocks[PARLEY_LOOSE_OWNED]; /* of used, loose */
            parley_block_t  oldest[PARLEY_LOOSE_OWNED];
            parley_block_t  newest[PARLEY_LOOSE_OWNED];
        } owner;
    };
} parley_entry_t;


typedef enum {
    PARLEY_ROOM_OK = 0,
    PARLEY_ROOM_NONE,           /* the table is full */
    PARLEY_ROOM_SHARE           /* the account has its share */
} parley_room_t;


typedef struct {
    size_t    blocks;           /* there are */
    size_t    free;
    size_t    loose;            /* in use, and would give way */
    size_t    entries[PARLEY_TABLE_KINDS];
    size_t    queued[PARLEY_LOOSE_COUNT];       /* entries */
    size_t    queued_blocks[PARLEY_LOOSE_COUNT];
    uint64_t  evicted[PARLEY_LOOSE_COUNT];
    size_t    largest;          /* blocks promised to the account that has
                                   most, or up to 1 part in 8 less */
    uint64_t  full;             /* times that there was no room */
    uint64_t  shared;           /* times that a share was used up */
} parley_table_stat_t;


/*
 * Makes a table that takes size octets at p, which is aligned to a block.
 * Returns it, which is p, or NULL where that is too small for anything.
 */
parley_table_t *parley_table_create(void *p, size_t size);

/*
 * Bounds of a queue: octets (0: none), entries (0: as many as the octets
 * hold).  What is there stays until its turn.
 */
void parley_table_bound_locked(parley_table_t *t, parley_loose_t queue,
    size_t octets, size_t entries);

static inline parley_entry_t *parley_table_entry(parley_table_t *t,
    parley_block_t b);

/*
 * The first entry of that kind and key, and the next after one; NULL: none.
 * Time is not looked at.  What they return is there until something is added,
 * removed or swept.
 */
parley_entry_t *parley_table_find_locked(parley_table_t *t, uint8_t kind,
    const uint8_t key[PARLEY_KEY_LEN]);
parley_entry_t *parley_table_next_locked(parley_table_t *t,
    const parley_entry_t *e);

/*
 * Whether the account of a key (NULL: nobody's) may have n blocks more,
 * promised, of a table where each may have share thousandths.  What has
 * expired goes first where that is of use.
 */
parley_room_t parley_table_room_locked(parley_table_t *t,
    const uint8_t *account, size_t n, unsigned share, int64_t now)
    __attribute__((warn_unused_result));

/* Whether a queue could hold n blocks more if everything gave way. */
int parley_table_holds_locked(const parley_table_t *t, parley_loose_t queue,
    size_t n);

/* How many blocks an entry with so many octets of value takes. */
static inline size_t parley_table_blocks(size_t len);

/*
 * A new entry with room for len octets of value, until expires, counted to
 * the account of a key (NULL: nobody's), which is made where there is none.
 * Loose ones make room in their queue.  NULL: no room.  The share is not
 * looked at: parley_table_room_locked() is asked first.
 */
parley_entry_t *parley_table_add_locked(parley_table_t *t, uint8_t kind,
    parley_loose_t queue, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, size_t len, int64_t expires, int64_t now)
    __attribute__((warn_unused_result));

/*
 * Removes the entries in n buckets, from bucket at on, of which is() says so.
 * Returns the bucket to go on with, or 0: that was the last.
 */
size_t parley_table_drop_locked(parley_table_t *t, size_t at, size_t n,
    int (*is)(void *ctx, const parley_entry_t *e), void *ctx);

/*
 * Calls each() with the entries of one bucket and the next ones, n of them at
 * most, until it returns 1, and up to the end of that bucket.  Returns the
 * bucket to go on with, or 0: that was the last.
 */
size_t parley_table_walk_locked(parley_table_t *t, size_t at, size_t n,
    int (*each)(void *ctx, const parley_entry_t *e), void *ctx);

/*
 * Writes the value of an entry, as many octets as there is room for.  An entry
 * that was just added is all there then: what the caller has in it comes
 * before.
 */
void parley_table_write_locked(parley_table_t *t, parley_entry_t *e,
    const parley_str_t *parts, size_t n);

/*
 * The entry that was added last is all there: it stays, whenever its process
 * dies.  One of which nobody says so goes with a process that dies before the
 * next is added, or the lock is let go.
 */
void parley_table_made_locked(parley_table_t *t);

/* Copies len octets of the value to p, from octet off on. */
void parley_table_read_locked(parley_table_t *t, const parley_entry_t *e,
    size_t off, void *p, size_t len);

/* Gives the value's blocks back; the entry stays. */
void parley_table_empty_locked(parley_table_t *t, parley_entry_t *e);

void parley_table_remove_locked(parley_table_t *t, parley_entry_t *e);

/*
 * The entry ends at another time.  Later is for free; earlier takes effect
 * where time is looked at, and its block is free when the old time is over.
 */
static inline void parley_table_expire(parley_entry_t *e, int64_t expires);

/*
 * Frees of what has expired at most n entries; returns how many were looked
 * at: fewer than n, there are no more.  Every add does a few.
 */
size_t parley_table_sweep_locked(parley_table_t *t, int64_t now, size_t n);

/*
 * The process that had the lock died: whatever it was doing with an entry is
 * done, or undone.  Takes a time that grows with what is in use, some 130 ms
 * for 64 MB.
 */
void parley_table_repair_locked(parley_table_t *t, int64_t now);

void parley_table_stat_locked(const parley_table_t *t,
    parley_table_stat_t *ret);

/* How many entries of a kind there are. */
size_t parley_table_count_locked(const parley_table_t *t, uint8_t kind);


/* private */
struct parley_table_head_s {
    parley_entry_t  *entries;
};


static inline parley_entry_t *
parley_table_entry(parley_table_t *t, parley_block_t b)
{
    return &((struct parley_table_head_s *) t)->entries[b];
}


static inline size_t
parley_table_blocks(size_t len)
{
    return 1 + (len + PARLEY_VALUE - 1) / PARLEY_VALUE;
}


static inline void
parley_table_expire(parley_entry_t *e, int64_t expires)
{
    e->expires = (uint64_t) (expires < PARLEY_TABLE_FOREVER
                             ? expires : PARLEY_TABLE_FOREVER);
}


static inline uint64_t
parley_entry_stamp(const parley_entry_t *e)
{
    return ((uint64_t) e->stamp_high << 32) | e->stamp_low;
}


static inline void
parley_entry_set_stamp(parley_entry_t *e, uint64_t stamp)
{
    e->stamp_high = (uint16_t) (stamp >> 32);
    e->stamp_low = (uint32_t) stamp;
}


#endif /* PARLEY_TABLE_H */
