/*
 * A table in memory that processes share: one hash of entries of all kinds, a
 * wheel that finds expired entries, queues of entries that may be evicted, and
 * accounts that count the use.
 *
 * All memory is blocks of one size.  An entry is a block.  Its value takes as
 * many more blocks as it needs, in any order: each free block can serve each
 * entry, and free memory can be counted.  Blocks have numbers; 0 means none.
 *
 * An entry is promised or loose.  Promised entries stay until they expire.
 * Loose entries are in queues, by their purpose; the caller sets the bound of
 * each queue.  They are evicted when other entries need room.
 *
 * SEC-09: an entry is counted to the account of a principal.  With shares, an
 * account may have at most its share of all blocks as promised blocks, and at
 * most share / (1 - share) of the blocks that are not promised.  A single
 * account thus reaches its share.  Several accounts get less each; the more
 * there are the less is left, but an account without entries always finds room.
 * The evicted loose entry is the oldest of the queue, or the oldest of an
 * account that has by far the most.
 *
 * The caller of each function named _locked holds the lock of the memory.  The
 * memory has no function pointers.  Times are milliseconds of a clock that all
 * processes share and that does not jump.
 */

#ifndef PARLEY_TABLE_H
#define PARLEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "state/parley_state.h"


#define PARLEY_BLOCK          64
#define PARLEY_VALUE          60                /* octets of a value in one
                                                   block */
#define PARLEY_VALUE_MAX      (64 << 20)        /* octets of one value */

#define PARLEY_TABLE_FLOOR    16    /* blocks that each account may have, even
                                       if little is left */
#define PARLEY_TABLE_SAMPLES  8     /* loose entries that an eviction examines
                                       for their accounts */

#define PARLEY_TABLE_KINDS    32

#define PARLEY_TABLE_FOREVER  (((int64_t) 1 << 48) - 1)


typedef struct parley_table_s  parley_table_t;

typedef uint32_t  parley_block_t;


/*
 * One block.  The caller may set stamp, mark, closed and, in an entry without a
 * value, octets or number.  All else is private.
 */
typedef struct {
    uint8_t             key[PARLEY_KEY_LEN];
    parley_block_t      chain;          /* next in its bucket */
    uint8_t             kind;           /* kind set by the caller, below
                                           PARLEY_TABLE_KINDS; 0: an account */
    uint8_t             loose : 4;      /* parley_evictable_t */
    uint8_t             valued : 1;     /* it has a value, which may be empty */
    uint8_t             closed : 1;     /* for the caller */
    uint8_t             linked : 1;     /* used during a repair */
    uint16_t            stamp_high;

    union {
        struct {
            parley_block_t  newer;      /* links of the wheel, or of its
                                           queue */
            parley_block_t  older;
            parley_block_t  account;    /* block of its account; 0: none */
            uint32_t        stamp_low;
            uint64_t        expires : 48;
            uint64_t        mark : 16;  /* for the caller */

            union {                     /* for the caller, if it has no value */
                uint8_t     octets[16];
                int64_t     number;

                struct {
                    uint32_t        len;
                    parley_block_t  first;
                    parley_block_t  newer;      /* loose entries of its
                                                   account */
                    parley_block_t  older;
                } value;
            };
        };

        struct {
            uint32_t        used;       /* blocks used, with its own */
            uint32_t        blocks[PARLEY_EVICTABLE_OWNED]; /* loose blocks of
                                                           these, by queue */
            parley_block_t  oldest[PARLEY_EVICTABLE_OWNED];
            parley_block_t  newest[PARLEY_EVICTABLE_OWNED];
        } owner;
    };
} parley_entry_t;


typedef enum {
    PARLEY_ROOM_OK = 0,
    PARLEY_ROOM_NONE,           /* the table is full */
    PARLEY_ROOM_SHARE           /* the account has used its share */
} parley_room_t;


/*
 * Creates a table in size octets at p, which is aligned to a block.  Returns p,
 * or NULL if size is too small.
 */
parley_table_t *parley_table_create(void *p, size_t size);

/*
 * Sets the bounds of a queue: octets (0: nothing), entries (0: as many as the
 * octets hold).  Existing entries are not evicted at once.
 */
void parley_table_bound_locked(parley_table_t *t, parley_evictable_t queue,
    size_t octets, size_t entries);

static inline parley_entry_t *parley_table_entry(parley_table_t *t,
    parley_block_t b);

/*
 * Returns the buckets, for parley_state_t.near, and their mask.  They never
 * move.
 */
const parley_block_t *parley_table_near(const parley_table_t *t,
    uint32_t *ret_mask);

/*
 * Return the first entry of that kind and key, and the next one; NULL: none.
 * Expired entries are returned too.  The result is valid until an entry is
 * added, removed or swept.
 */
parley_entry_t *parley_table_find_locked(parley_table_t *t, uint8_t kind,
    const uint8_t key[PARLEY_KEY_LEN]);
parley_entry_t *parley_table_next_locked(parley_table_t *t,
    const parley_entry_t *e);

/*
 * Returns whether the account of a key (NULL: no account) may have n more
 * promised blocks, if the share of each account is share thousandths.  Removes
 * expired entries if that helps.
 */
parley_room_t parley_table_room_locked(parley_table_t *t,
    const uint8_t *account, size_t n, unsigned share, int64_t now)
    __attribute__((warn_unused_result));

/*
 * Returns whether a queue could hold n more blocks if its other entries were
 * evicted.
 */
int parley_table_holds_locked(const parley_table_t *t, parley_evictable_t queue,
    size_t n);

/* Returns the blocks of an entry with a value of len octets. */
static inline size_t parley_table_blocks(size_t len);

/*
 * Adds an entry with room for len octets of value, until expires, counted to
 * the account of a key (NULL: no account), which is created if needed.  A loose
 * entry evicts others of its queue if needed.  Does not check the share: call
 * parley_table_room_locked() before.  Returns NULL if there is no room.
 */
parley_entry_t *parley_table_add_locked(parley_table_t *t, uint8_t kind,
    parley_evictable_t queue, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, size_t len, int64_t expires, int64_t now)
    __attribute__((warn_unused_result));

/*
 * Removes entries for which is() returns true, in n buckets from bucket at on.
 * Returns the next bucket, or 0 after the last.
 */
size_t parley_table_drop_locked(parley_table_t *t, size_t at, size_t n,
    int (*is)(void *ctx, const parley_entry_t *e), void *ctx);

/*
 * Calls each() with the entries of at most n buckets, from bucket at on.  If
 * each() returns 1, the walk stops at the end of that bucket.  Returns the next
 * bucket, or 0 after the last.
 */
size_t parley_table_walk_locked(parley_table_t *t, size_t at, size_t n,
    int (*each)(void *ctx, const parley_entry_t *e), void *ctx);

/*
 * Writes the value of an entry, up to the room that it has.  Completes an entry
 * that was just added: the caller sets its own members before.
 */
void parley_table_write_locked(parley_table_t *t, parley_entry_t *e,
    const parley_str_t *parts, size_t n);

/*
 * Completes the entry that was added last: it then survives the death of its
 * process.  An entry that is not complete is removed if its process dies before
 * the next entry is added or the lock is released.
 */
void parley_table_made_locked(parley_table_t *t);

/* Copies len octets of the value from octet off on to p. */
void parley_table_read_locked(parley_table_t *t, const parley_entry_t *e,
    size_t off, void *p, size_t len);

/* Frees the blocks of the value; the entry stays. */
void parley_table_empty_locked(parley_table_t *t, parley_entry_t *e);

void parley_table_remove_locked(parley_table_t *t, parley_entry_t *e);

/*
 * Changes the time when an entry expires.  A later time costs nothing.  With an
 * earlier time, callers that compare the time see it as expired, but its block
 * is freed at the old time.
 */
static inline void parley_table_expire(parley_entry_t *e, int64_t expires);

/*
 * Frees up to n expired entries.  Returns the number of examined entries; if
 * fewer than n, no more have expired.  Every add does a few.
 */
size_t parley_table_sweep_locked(parley_table_t *t, int64_t now, size_t n);

/*
 * Repairs the table after a process died with the lock: its last change of an
 * entry is completed or undone.  The time grows with the blocks in use, about
 * 130 ms for 64 MB.
 */
void parley_table_repair_locked(parley_table_t *t, int64_t now);

void parley_table_stat_locked(const parley_table_t *t,
    parley_state_room_t *ret);

/* Returns the number of entries of a kind. */
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
