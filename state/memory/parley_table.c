/* Entries and their values. */

#include <string.h>

#include "state/memory/parley_table_parts.h"


/* expired entries examined with every added entry */
#define PARLEY_TABLE_AMORTISED  4

/* blocks per bucket, and per slot of the wheel */
#define PARLEY_TABLE_PER_BUCKET  2
#define PARLEY_TABLE_PER_SLOT    256
#define PARLEY_WHEEL_MIN         64
#define PARLEY_WHEEL_MAX         4096


_Static_assert(sizeof(parley_entry_t) == PARLEY_BLOCK, "an entry is a block");
_Static_assert(sizeof(parley_more_t) == PARLEY_BLOCK, "and so is the rest");


static uint32_t parley_table_power(size_t n, uint32_t least, uint32_t most);
static void parley_table_take_value(parley_table_t *t, parley_entry_t *e,
    size_t len);


parley_table_t *
parley_table_create(void *p, size_t size)
{
    size_t           blocks, head;
    uint32_t         buckets, slots;
    parley_table_t  *t;

    blocks = size / PARLEY_BLOCK;

    if (blocks > PARLEY_WHEEL_HEAD) {
        blocks = PARLEY_WHEEL_HEAD;
    }

    buckets = parley_table_power(blocks / PARLEY_TABLE_PER_BUCKET, 16,
                                 PARLEY_WHEEL_HEAD);
    slots = parley_table_power(blocks / PARLEY_TABLE_PER_SLOT,
                               PARLEY_WHEEL_MIN, PARLEY_WHEEL_MAX);

    head = sizeof(parley_table_t)
           + ((size_t) buckets + slots + 1 + blocks / 32 + 1)
             * sizeof(parley_block_t);
    head = (head + PARLEY_BLOCK - 1) / PARLEY_BLOCK;

    if (blocks < head + 1 + PARLEY_TABLE_FLOOR) {
        return NULL;
    }

    t = p;

    memset(t, 0, head * PARLEY_BLOCK);

    t->buckets = (parley_block_t *) (t + 1);
    t->wheel = t->buckets + buckets;
    t->marks = t->wheel + slots + 1;
    t->head.entries = (parley_entry_t *) p + head;
    t->bucket_mask = buckets - 1;
    t->wheel_mask = slots - 1;
    t->tick = -1;

    /* block 0 is reserved */

    t->nblocks = (uint32_t) (blocks - head - 1);
    t->fresh = 1;

    return t;
}


/* Returns the greatest power of two that is not above n. */

static uint32_t
parley_table_power(size_t n, uint32_t least, uint32_t most)
{
    uint32_t  power;

    for (power = least; power < most && power <= n / 2; power *= 2) {
        /* void */
    }

    return power;
}


void
parley_table_bound_locked(parley_table_t *t, parley_evictable_t queue,
    size_t octets, size_t entries)
{
    size_t  blocks;

    blocks = octets / PARLEY_BLOCK;

    t->queues[queue].blocks_max = blocks < t->nblocks ? (uint32_t) blocks
                                                      : t->nblocks;
    t->queues[queue].entries_max = entries < UINT32_MAX ? (uint32_t) entries
                                                        : UINT32_MAX;
}


const parley_block_t *
parley_table_near(const parley_table_t *t, uint32_t *ret_mask)
{
    *ret_mask = t->bucket_mask;

    return t->buckets;
}


parley_block_t
parley_table_take(parley_table_t *t)
{
    parley_block_t  b;

    t->used++;

    if (t->freed == 0) {
        return t->fresh++;
    }

    b = t->freed;
    t->freed = ((parley_more_t *) parley_table_entry(t, b))->next;

    return b;
}


void
parley_table_give(parley_table_t *t, parley_block_t b)
{
    ((parley_more_t *) parley_table_entry(t, b))->next = t->freed;

    t->freed = b;
    t->used--;
}


static inline parley_entry_t *
parley_table_from(parley_table_t *t, parley_block_t b, uint8_t kind,
    const uint8_t *key)
{
    uint64_t         here[2], there[2];
    parley_entry_t  *e;

    memcpy(here, key, PARLEY_KEY_LEN);

    for ( ; b != 0; b = e->chain) {
        e = parley_table_entry(t, b);

        memcpy(there, e->key, PARLEY_KEY_LEN);

        if (there[0] == here[0] && there[1] == here[1] && e->kind == kind) {
            return e;
        }
    }

    return NULL;
}


parley_entry_t *
parley_table_find_locked(parley_table_t *t, uint8_t kind,
    const uint8_t key[PARLEY_KEY_LEN])
{
    return parley_table_from(t, *parley_table_bucket(t, key), kind, key);
}


parley_entry_t *
parley_table_next_locked(parley_table_t *t, const parley_entry_t *e)
{
    return parley_table_from(t, e->chain, e->kind, e->key);
}


/* an entry may remove its account from this bucket: begin again */

size_t
parley_table_drop_locked(parley_table_t *t, size_t at, size_t n,
    int (*is)(void *ctx, const parley_entry_t *e), void *ctx)
{
    size_t           end;
    parley_block_t   b;
    parley_entry_t  *e;

    end = (size_t) t->bucket_mask + 1;
    end = n < end - at ? at + n : end;

    for (/* void */ ; at < end; at++) {

        b = t->buckets[at];

        while (b != 0) {
            e = parley_table_entry(t, b);
            b = e->chain;

            if (is(ctx, e)) {
                parley_table_remove_locked(t, e);
                b = t->buckets[at];
            }
        }
    }

    return at <= t->bucket_mask ? at : 0;
}


size_t
parley_table_walk_locked(parley_table_t *t, size_t at, size_t n,
    int (*each)(void *ctx, const parley_entry_t *e), void *ctx)
{
    int              enough;
    size_t           end;
    parley_block_t   b;
    parley_entry_t  *e;

    end = (size_t) t->bucket_mask + 1;
    end = n < end - at ? at + n : end;

    for (enough = 0; at < end && !enough; at++) {
        for (b = t->buckets[at]; b != 0; b = e->chain) {
            e = parley_table_entry(t, b);
            enough |= each(ctx, e);
        }
    }

    return at <= t->bucket_mask ? at : 0;
}


size_t
parley_table_count_locked(const parley_table_t *t, uint8_t kind)
{
    return t->entries[kind];
}


/*
 * Inserts in front, by one store: after the death of the process the entry is
 * in the chain, or it is not.
 */

void
parley_table_chain(parley_table_t *t, parley_entry_t *e)
{
    parley_block_t  *bucket;

    bucket = parley_table_bucket(t, e->key);

    e->chain = *bucket;
    __atomic_store_n(bucket, parley_table_block(t, e), __ATOMIC_RELEASE);

    t->entries[e->kind]++;
}


void
parley_table_unchain(parley_table_t *t, parley_entry_t *e)
{
    parley_block_t   b, *link;

    b = parley_table_block(t, e);

    for (link = parley_table_bucket(t, e->key);
         *link != b;
         link = &parley_table_entry(t, *link)->chain)
    {
        /* void */
    }

    __atomic_store_n(link, e->chain, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_ACQ_REL);

    t->entries[e->kind]--;
}


parley_entry_t *
parley_table_add_locked(parley_table_t *t, uint8_t kind,
    parley_evictable_t queue,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account, size_t len,
    int64_t expires, int64_t now)
{
    uint32_t         n;
    parley_block_t   owner;
    parley_entry_t  *e;

    (void) parley_table_sweep_locked(t, now, PARLEY_TABLE_AMORTISED);

    n = (uint32_t) parley_table_blocks(len);

    if (len > PARLEY_VALUE_MAX
        || parley_table_make_room(t, queue, account, n, now, &owner) != 0)
    {
        t->full++;
        return NULL;
    }

    if (account != NULL && owner == 0) {
        owner = parley_table_open(t, account);
    }

    e = parley_table_entry(t, parley_table_take(t));

    memset(e, 0, sizeof(parley_entry_t));
    memcpy(e->key, key, PARLEY_KEY_LEN);

    e->kind = kind;
    e->loose = queue;
    e->valued = len > 0 || queue < PARLEY_EVICTABLE_OWNED;
    e->account = owner;
    parley_table_expire(e, expires);

    t->making = parley_table_block(t, e);
    parley_table_chain(t, e);

    if (len > 0) {
        parley_table_take_value(t, e, len);
    }

    parley_table_charge(t, e, n);

    if (queue == PARLEY_EVICTABLE_NONE) {
        t->promised += n;
        parley_wheel_link(t, e, now);

    } else {
        parley_queue_link(t, e);
    }

    return e;
}


static void
parley_table_take_value(parley_table_t *t, parley_entry_t *e, size_t len)
{
    uint32_t         n;
    parley_block_t  *link;

    e->value.len = (uint32_t) len;
    link = &e->value.first;

    for (n = (uint32_t) parley_table_blocks(len) - 1; n != 0; n--) {
        *link = parley_table_take(t);
        link = &((parley_more_t *) parley_table_entry(t, *link))->next;
    }

    *link = 0;
}


void
parley_table_write_locked(parley_table_t *t, parley_entry_t *e,
    const parley_str_t *parts, size_t n)
{
    size_t          i, at, room, len, left;
    parley_str_t    s;
    parley_more_t  *more;

    left = e->value.len;

    if (left == 0) {
        return;
    }

    at = 0;
    more = (parley_more_t *) parley_table_entry(t, e->value.first);

    for (i = 0; i < n; i++) {

        for (s = parts[i]; s.len != 0 && left != 0; /* void */ ) {

            if (at == PARLEY_VALUE) {
                at = 0;
                more = (parley_more_t *) parley_table_entry(t, more->next);
            }

            room = PARLEY_VALUE - at;
            len = s.len < room ? s.len : room;
            len = len < left ? len : left;

            memcpy(more->octets + at, s.data, len);

            s = parley_str_from(s, len);
            at += len;
            left -= len;
        }
    }

    if (parley_table_block(t, e) == t->making) {
        parley_table_made_locked(t);
    }
}


void
parley_table_made_locked(parley_table_t *t)
{
    __atomic_store_n(&t->making, 0, __ATOMIC_RELEASE);
}


void
parley_table_read_locked(parley_table_t *t, const parley_entry_t *e,
    size_t off, void *p, size_t len)
{
    size_t           n;
    uint8_t         *out;
    parley_block_t   b;
    parley_more_t   *more;

    out = p;
    b = e->value.first;

    while (len != 0) {
        more = (parley_more_t *) parley_table_entry(t, b);

        if (off < PARLEY_VALUE) {
            n = PARLEY_VALUE - off;
            n = n < len ? n : len;

            memcpy(out, more->octets + off, n);

            out += n;
            len -= n;
            off = 0;

        } else {
            off -= PARLEY_VALUE;
        }

        b = more->next;
    }
}


void
parley_table_empty_locked(parley_table_t *t, parley_entry_t *e)
{
    uint32_t        n;
    parley_block_t  b, next;

    n = (uint32_t) parley_table_blocks(e->value.len) - 1;
    b = e->value.first;

    /* detach the value before its blocks are reused */

    __atomic_store_n(&e->value.len, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&e->value.first, 0, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_ACQ_REL);

    for ( /* void */ ; b != 0; b = next) {
        next = ((parley_more_t *) parley_table_entry(t, b))->next;
        parley_table_give(t, b);
    }

    if (e->loose == PARLEY_EVICTABLE_NONE) {
        t->promised -= n;

    } else {
        t->queues[e->loose].blocks -= n;
    }

    parley_table_refund(t, e, n);
}


void
parley_table_remove_locked(parley_table_t *t, parley_entry_t *e)
{
    /* unchain first: a half-removed entry must not be found */

    parley_table_unchain(t, e);

    if (e->valued) {
        parley_table_empty_locked(t, e);
    }

    if (e->loose == PARLEY_EVICTABLE_NONE) {
        t->promised--;
        parley_wheel_unlink(t, e);

    } else {
        parley_queue_unlink(t, e);
    }

    parley_table_refund(t, e, 1);
    parley_table_give(t, parley_table_block(t, e));
}
