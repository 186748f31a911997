/*
 * Logs in memory.  A log, each of its places and each record is an entry of the
 * table that expires by itself.  Entries do not point at each other: each is
 * found by its key, and an entry that is not found has ended.
 */

#include "state/memory/parley_memory_log_parts.h"


#define PARLEY_LOG_FILLED  256          /* records in a row that the store may
                                           have erased */


static int parley_log_fill(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account,
    uint64_t offset, int64_t now, const parley_log_t *log);
static parley_entry_t *parley_log_make(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account,
    const parley_place_t *last, int64_t now, parley_log_t *ret);


parley_entry_t *
parley_log_find(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    int64_t now, parley_log_t *ret)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_LOG, key);

    if (e == NULL || (int64_t) e->expires <= now) {
        return NULL;
    }

    parley_table_read_locked(s->sh->table, e, 0, ret, sizeof(parley_log_t));

    return e;
}


void
parley_log_save(parley_memory_t *s, parley_entry_t *e, const parley_log_t *log)
{
    parley_str_t  value;

    value = parley_str_make(log, sizeof(parley_log_t));

    parley_table_write_locked(s->sh->table, e, &value, 1);
}


/* the epoch depends on the secret: another zone, with new stamps, has other
   epochs */

parley_entry_t *
parley_log_open(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, int64_t now, parley_log_t *ret)
{
    uint8_t          mixed[PARLEY_KEY_LEN];
    uint64_t         stamp;
    parley_str_t     part;
    parley_entry_t  *e;
    parley_place_t   place;

    e = parley_log_find(s, key, now, ret);

    if (e != NULL) {
        return e;
    }

    stamp = parley_memory_stamp(s);
    part = parley_str_make(&stamp, sizeof(stamp));
    parley_state_key(&s->state, PARLEY_KIND_LOG, &part, 1, mixed);

    memset(&place, 0, sizeof(parley_place_t));
    memcpy(&place.epoch, mixed, PARLEY_EPOCH_LEN);

    place.epoch |= place.epoch == 0;

    return parley_log_make(s, key, account, &place, now, ret);
}


parley_entry_t *
parley_log_set(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, const parley_place_t *last, int64_t now,
    parley_log_t *ret)
{
    parley_entry_t  *e;

    e = parley_log_find(s, key, now, ret);

    if (e == NULL || ret->epoch != last->epoch) {
        return parley_log_make(s, key, account, last, now, ret);
    }

    if (ret->last < last->offset) {
        if (parley_log_fill(s, key, account, last->offset, now, ret) != 0) {
            ret->first = last->offset + 1;
        }

        ret->last = last->offset;

        parley_log_save(s, e, ret);
    }

    return e;
}


/* Adds places without records after the last one, up to an offset.  Returns 0;
   or -1 if the last one is not retained, or there is no room. */

static int
parley_log_fill(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, uint64_t offset, int64_t now,
    const parley_log_t *log)
{
    uint8_t              at[PARLEY_KEY_LEN];
    uint64_t             stamp;
    parley_entry_t      *e;
    parley_place_t       place;
    parley_log_place_t   empty;

    e = parley_log_place_find(s, key, log, log->last, now, &empty);

    if (e == NULL || offset - log->last > PARLEY_LOG_FILLED) {
        return -1;
    }

    stamp = parley_entry_stamp(e);

    memset(&empty, 0, sizeof(parley_log_place_t));
    empty.sum = log->sum;

    place.epoch = log->epoch;

    for (place.offset = log->last + 1; place.offset <= offset; place.offset++)
    {
        parley_log_place_key(key, &place, at);

        e = parley_table_add_locked(s->sh->table, PARLEY_KIND_PLACE,
                                    PARLEY_EVICTABLE_NONE, at, account, 0,
                                    log->until, now);
        if (e == NULL) {
            return -1;
        }

        memcpy(e->octets, &empty, sizeof(parley_log_place_t));
        parley_entry_set_stamp(e, stamp);
    }

    return 0;
}


/* Creates a log that ends at a place.  An earlier log of the key is removed. */

static parley_entry_t *
parley_log_make(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const uint8_t *account, const parley_place_t *last, int64_t now,
    parley_log_t *ret)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_LOG, key);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);
    }

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_LOG,
                                PARLEY_EVICTABLE_NONE, key, account,
                                sizeof(parley_log_t), now + PARLEY_LOG_LEASE,
                                now);
    if (e == NULL) {
        return NULL;
    }

    memset(ret, 0, sizeof(parley_log_t));

    ret->epoch = last->epoch;
    ret->first = last->offset + 1;
    ret->last = last->offset;

    parley_log_save(s, e, ret);

    return e;
}


void
parley_log_keep(parley_entry_t *e, int64_t until)
{
    if ((int64_t) e->expires < until) {
        parley_table_expire(e, until);
    }
}


/*
 * The offset chooses the bucket, so that the places of a log are spread.  The
 * rest of the key differs by epoch and log.
 */

void
parley_log_place_key(const uint8_t key[PARLEY_KEY_LEN],
    const parley_place_t *place, uint8_t out[PARLEY_KEY_LEN])
{
    uint64_t  words[2];

    memcpy(words, key, PARLEY_KEY_LEN);

    words[0] ^= place->offset;
    words[1] ^= place->epoch;

    memcpy(out, words, PARLEY_KEY_LEN);
}


/*
 * Retained records are the last ones of a log.  Records are in the order of
 * their times, none is promised for longer than the next one, and the newest
 * append sets the time for all.
 */

parley_entry_t *
parley_log_place_find(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const parley_log_t *log, uint64_t offset, int64_t now,
    parley_log_place_t *ret)
{
    uint8_t          at[PARLEY_KEY_LEN];
    parley_place_t   place;
    parley_entry_t  *e;

    place.epoch = log->epoch;
    place.offset = offset;

    parley_log_place_key(key, &place, at);

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_PLACE, at);

    if (e == NULL || (int64_t) e->expires <= now
        || (int64_t) parley_entry_stamp(e) + log->ms <= now)
    {
        return NULL;
    }

    memcpy(ret, e->octets, sizeof(parley_log_place_t));

    return e;
}


parley_entry_t *
parley_log_record_find(parley_memory_t *s, uint64_t number,
    parley_log_head_t *ret)
{
    uint64_t         words[2];
    uint8_t          key[PARLEY_KEY_LEN];
    parley_entry_t  *e;

    words[0] = number;
    words[1] = 0;
    memcpy(key, words, PARLEY_KEY_LEN);

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_RECORD, key);

    if (e != NULL) {
        parley_table_read_locked(s->sh->table, e, 0, ret,
                                 sizeof(parley_log_head_t));
    }

    return e;
}


parley_str_t
parley_log_record_copy(parley_memory_t *s, const parley_entry_t *e,
    const parley_log_head_t *head, parley_arena_t *arena)
{
    uint8_t  *p;

    p = parley_arena_octets(arena, head->size + 1);

    if (p == NULL) {
        return parley_str_none;
    }

    parley_table_read_locked(s->sh->table, e,
                             sizeof(parley_log_head_t)
                             + head->nplaces * sizeof(parley_placed_t),
                             p, head->size);

    return parley_str_make(p, head->size);
}


int
parley_log_add(parley_memory_t *s, const parley_log_read_t *r,
    uint64_t number, uint64_t offset, int64_t now, parley_log_page_t *ret,
    size_t *octets)
{
    int64_t               left;
    parley_entry_t       *e;
    parley_log_head_t     head;
    parley_log_record_t  *record;

    e = parley_log_record_find(s, number, &head);
    left = e != NULL ? parley_log_left(e, &head, r->late, now) : 0;

    if (left <= 0) {
        return 0;
    }

    if (ret->n != 0 && head.size > r->octets - *octets) {
        return 1;
    }

    record = &ret->list[ret->n];

    record->offset = offset;
    record->left = left;
    record->octets = parley_log_record_copy(s, e, &head, r->arena);

    if (record->octets.data == NULL) {
        return -1;
    }

    ret->n++;
    *octets += head.size < r->octets - *octets ? head.size
                                               : r->octets - *octets;

    return 0;
}
