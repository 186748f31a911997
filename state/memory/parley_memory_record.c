/*
 * Records: values under a key, one for each owner.  Of the entry's words, one
 * is the owner's tag, and two are the generation.
 */

#include <string.h>

#include "state/memory/parley_memory_parts.h"


static parley_entry_t *parley_record_find(parley_memory_t *s,
    const parley_record_id_t *id);
static parley_put_result_t parley_record_put(parley_memory_t *s,
    const parley_put_t *put, size_t len, int64_t now);
static int parley_record_is_under(parley_memory_t *s, const parley_put_t *put);
static int parley_record_owned(parley_memory_t *s,
    const parley_record_id_t *id, int64_t now);
static const uint8_t *parley_record_account(parley_memory_t *s,
    const parley_entry_t *e, uint8_t key[PARLEY_KEY_LEN]);
static parley_put_result_t parley_record_fits(parley_memory_t *s,
    const parley_put_t *put, const parley_entry_t *old, size_t len,
    int64_t now);
static int parley_record_stays(const parley_entry_t *e);
static void parley_record_remove(parley_memory_t *s, parley_entry_t *e);
static uint64_t *parley_record_held(parley_memory_t *s,
    const parley_entry_t *e);
static int parley_record_is_replaced(void *ctx, const parley_entry_t *e);
static int parley_record_counted(void *ctx, const parley_entry_t *e);
static int parley_record_listed(void *ctx, const parley_entry_t *e);
static int parley_record_copy(parley_memory_t *s, const parley_entry_t *e,
    int64_t now, parley_arena_t *arena, parley_record_t *ret);


/* kinds of records that their owners cannot send again */
static const uint8_t  parley_record_staying[] = {
    PARLEY_KIND_SUSPENSION, PARLEY_KIND_CHILD_KEY, PARLEY_KIND_EVENT,
    PARLEY_KIND_DELIVERY, PARLEY_KIND_THREAD, PARLEY_KIND_MAILBOX
};


/* buckets examined before the lock is released */
#define PARLEY_LISTED_AT_ONCE  4096


typedef struct {
    parley_memory_t         *s;
    const parley_listing_t  *listing;
    parley_listed_t         *ret;
    int64_t                  now;
} parley_record_list_t;


static inline uint32_t
parley_record_generation(const parley_entry_t *e)
{
    return ((uint32_t) e->stamp_high << 16) | (uint32_t) e->mark;
}


static void
parley_record_set_generation(parley_entry_t *e, uint32_t generation)
{
    e->stamp_high = (uint16_t) (generation >> 16);
    e->mark = (uint16_t) generation;
}


static parley_entry_t *
parley_record_find(parley_memory_t *s, const parley_record_id_t *id)
{
    parley_entry_t  *e;

    for (e = parley_table_find_locked(s->sh->table, (uint8_t) id->kind,
                                      id->key);
         e != NULL && e->stamp_low != id->tag;
         e = parley_table_next_locked(s->sh->table, e))
    {
        /* void */
    }

    return e;
}


parley_state_done_t
parley_memory_put(parley_state_t *state, const parley_put_t *put,
    parley_put_result_t *ret, parley_call_t *call)
{
    size_t            i, len;
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    len = 0;
    now = parley_memory_now(s);

    for (i = 0; i < put->nparts; i++) {
        len += put->parts[i].len;
    }

    parley_memory_lock(s);
    *ret = parley_record_put(s, put, len, now);
    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static parley_put_result_t
parley_record_put(parley_memory_t *s, const parley_put_t *put, size_t len,
    int64_t now)
{
    uint8_t               account[PARLEY_KEY_LEN];
    uint64_t              stamp;
    parley_put_t          p;
    parley_entry_t       *e, *old;
    parley_put_result_t   rc;

    if (put->under != NULL && !parley_record_is_under(s, put)) {
        return PARLEY_PUT_STALE;
    }

    e = parley_record_find(s, &put->id);

    if (e != NULL && (int64_t) e->expires <= now) {
        parley_record_remove(s, e);
        e = NULL;
    }

    if (put->fresh && e != NULL) {
        return PARLEY_PUT_STALE;
    }

    if (put->replaces != 0) {

        if (e == NULL || parley_record_generation(e) != put->replaces) {
            return PARLEY_PUT_STALE;
        }

        p = *put;
        p.queue = (parley_evictable_t) e->loose;
        p.account = parley_record_account(s, e, account);
        put = &p;
    }

    rc = parley_record_fits(s, put, e, len, now);

    if (rc != PARLEY_PUT_OK) {
        return rc;
    }

    /* room was made: the old record may have been removed */

    if (e != NULL) {
        e = parley_record_find(s, &put->id);
    }

    old = NULL;

    if (e != NULL && parley_record_stays(e)) {
        old = e;

    } else if (e != NULL) {
        parley_record_remove(s, e);

    } else if (!parley_record_owned(s, &put->id, now)) {
        return PARLEY_PUT_SHARE;
    }

    e = parley_table_add_locked(s->sh->table, (uint8_t) put->id.kind,
                                put->queue, put->id.key, put->account, len,
                                now + put->ttl, now);
    if (e == NULL) {
        return PARLEY_PUT_FULL;
    }

    stamp = put->replaces == 0 && put->stamp != 0 ? put->stamp
                                                  : parley_memory_stamp(s);

    e->stamp_low = put->id.tag;
    parley_record_set_generation(e, parley_state_generation(stamp));
    parley_table_write_locked(s->sh->table, e, put->parts, put->nparts);

    if (e->kind == PARLEY_KIND_SUSPENSION) {
        (*parley_record_held(s, e))++;
    }

    if (old != NULL) {
        parley_table_made_locked(s->sh->table);
        parley_record_remove(s, old);
    }

    return PARLEY_PUT_OK;
}


/*
 * Returns whether a record cannot be sent again by its owner.  Such a record is
 * removed only after its replacement exists, even if the process dies between.
 */

static int
parley_record_stays(const parley_entry_t *e)
{
    size_t  i;

    for (i = 0; i < sizeof(parley_record_staying); i++) {
        if (e->kind == parley_record_staying[i]) {
            return e->loose == PARLEY_EVICTABLE_NONE;
        }
    }

    return 0;
}


static void
parley_record_remove(parley_memory_t *s, parley_entry_t *e)
{
    if (e->kind == PARLEY_KIND_SUSPENSION) {
        (*parley_record_held(s, e))--;
    }

    parley_table_remove_locked(s->sh->table, e);
}


/*
 * Returns the counter of a suspension.  Suspensions outlive the table: they are
 * never swept.
 */

static uint64_t *
parley_record_held(parley_memory_t *s, const parley_entry_t *e)
{
    return &s->sh->held[e->stamp_low % PARLEY_STATE_HOLDS];
}


void
parley_record_repair_locked(parley_memory_t *s)
{
    size_t  i, at, n;

    n = 0;

    for (i = 0; i < sizeof(parley_record_staying); i++) {
        n += parley_table_count_locked(s->sh->table, parley_record_staying[i]);
    }

    if (n != 0) {
        at = 0;

        do {
            at = parley_table_drop_locked(s->sh->table, at,
                                          PARLEY_LISTED_AT_ONCE,
                                          parley_record_is_replaced, s);
        } while (at != 0);
    }

    memset(s->sh->held, 0, sizeof(s->sh->held));

    if (parley_table_count_locked(s->sh->table, PARLEY_KIND_SUSPENSION) == 0) {
        return;
    }

    at = 0;

    do {
        at = parley_table_walk_locked(s->sh->table, at, PARLEY_LISTED_AT_ONCE,
                                      parley_record_counted, s);
    } while (at != 0);
}


/* the newest record of its name is found first */

static int
parley_record_is_replaced(void *ctx, const parley_entry_t *e)
{
    parley_record_id_t  id;

    if (!parley_record_stays(e)) {
        return 0;
    }

    id.kind = (parley_kind_t) e->kind;
    id.tag = e->stamp_low;
    memcpy(id.key, e->key, PARLEY_KEY_LEN);

    return parley_record_find(ctx, &id) != e;
}


static int
parley_record_counted(void *ctx, const parley_entry_t *e)
{
    if (e->kind == PARLEY_KIND_SUSPENSION) {
        (*parley_record_held(ctx, e))++;
    }

    return 0;
}


/* Returns whether the admission is reserved or taken. */

static int
parley_record_is_under(parley_memory_t *s, const parley_put_t *put)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_ID, put->under);

    return e != NULL && parley_entry_stamp(e) == put->stamp;
}


/*
 * Returns whether the owner may have one more record under the key.  If it has
 * the maximum, its oldest loose record is removed.
 */

static int
parley_record_owned(parley_memory_t *s, const parley_record_id_t *id,
    int64_t now)
{
    unsigned         n;
    parley_entry_t  *e, *oldest;

    n = 0;
    oldest = NULL;

    for (e = parley_table_find_locked(s->sh->table, (uint8_t) id->kind,
                                      id->key);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if (((e->stamp_low ^ id->tag) & PARLEY_TAG_OWNER) != 0
            || (int64_t) e->expires <= now)
        {
            continue;
        }

        n++;

        if (e->loose != PARLEY_EVICTABLE_NONE) {
            oldest = e;
        }
    }

    if (n < PARLEY_RECORDS_OWNED) {
        return 1;
    }

    if (oldest == NULL) {
        return 0;
    }

    parley_table_remove_locked(s->sh->table, oldest);

    return 1;
}


/* Returns the key of the account that a record is counted to, or NULL. */

static const uint8_t *
parley_record_account(parley_memory_t *s, const parley_entry_t *e,
    uint8_t key[PARLEY_KEY_LEN])
{
    if (e->account == 0) {
        return NULL;
    }

    memcpy(key, parley_table_entry(s->sh->table, e->account)->key,
           PARLEY_KEY_LEN);

    return key;
}


/* Checks the room, including that of the old record. */

static parley_put_result_t
parley_record_fits(parley_memory_t *s, const parley_put_t *put,
    const parley_entry_t *old, size_t len, int64_t now)
{
    size_t  n, had;

    n = parley_table_blocks(len);

    if (put->queue != PARLEY_EVICTABLE_NONE) {
        return parley_table_holds_locked(s->sh->table, put->queue, n)
               ? PARLEY_PUT_OK : PARLEY_PUT_FULL;
    }

    had = old != NULL && old->loose == PARLEY_EVICTABLE_NONE
          ? parley_table_blocks(old->value.len) : 0;

    if (n <= had) {
        return PARLEY_PUT_OK;
    }

    switch (parley_table_room_locked(s->sh->table, put->account, n - had,
                                     s->share, now))
    {
    case PARLEY_ROOM_OK:
        return PARLEY_PUT_OK;

    case PARLEY_ROOM_SHARE:
        return PARLEY_PUT_SHARE;

    default:
        return PARLEY_PUT_FULL;
    }
}


parley_state_done_t
parley_memory_get(parley_state_t *state, const parley_lookup_t *l,
    parley_records_t *ret, parley_call_t *call)
{
    int               n;
    int64_t           now;
    parley_entry_t   *e;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    n = 0;
    now = parley_memory_now(s);

    parley_memory_lock(s);

    for (e = parley_table_find_locked(s->sh->table, (uint8_t) l->kind, l->key);
         e != NULL && n >= 0 && n < PARLEY_RECORDS_MAX;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if ((int64_t) e->expires <= now
            || ((e->stamp_low ^ l->tag) & l->mask) != 0)
        {
            continue;
        }

        n = parley_record_copy(s, e, now, l->arena, &ret->list[n]) == 0
            ? n + 1 : -1;
    }

    parley_memory_unlock(s);

    ret->n = n;

    return PARLEY_STATE_DONE;
}


parley_state_done_t
parley_memory_list(parley_state_t *state, const parley_listing_t *listing,
    parley_listed_t *ret, parley_call_t *call)
{
    parley_memory_t       *s = (parley_memory_t *) state;
    parley_record_list_t   l;

    (void) call;

    l.s = s;
    l.listing = listing;
    l.ret = ret;
    l.now = parley_memory_now(s);

    ret->records.n = 0;
    ret->at = listing->at;

    do {
        parley_memory_lock(s);

        ret->at = parley_table_count_locked(s->sh->table,
                                            (uint8_t) listing->kind)
                  == 0 ? 0
                  : parley_table_walk_locked(s->sh->table, ret->at,
                                             PARLEY_LISTED_AT_ONCE,
                                             parley_record_listed, &l);
        parley_memory_unlock(s);

    } while (ret->at != 0 && ret->records.n == 0 && !listing->brief);

    return PARLEY_STATE_DONE;
}


/*
 * There is room for the records of one more bucket while half of the list is
 * free.
 */

static int
parley_record_listed(void *ctx, const parley_entry_t *e)
{
    parley_record_list_t  *l = ctx;
    parley_records_t      *ret = &l->ret->records;

    if (ret->n < 0) {
        return 1;
    }

    if (e->kind != l->listing->kind || (int64_t) e->expires <= l->now
        || ret->n == PARLEY_RECORDS_MAX)
    {
        return 0;
    }

    memcpy(l->ret->keys[ret->n], e->key, PARLEY_KEY_LEN);

    ret->n = parley_record_copy(l->s, e, l->now, l->listing->arena,
                                &ret->list[ret->n]) == 0
             ? ret->n + 1 : -1;

    return ret->n < 0 || ret->n >= PARLEY_RECORDS_MAX / 2;
}


int
parley_record_suspends_locked(parley_memory_t *s, const uint8_t *account,
    int64_t now)
{
    parley_entry_t  *e;

    for (e = parley_table_find_locked(s->sh->table, PARLEY_KIND_SUSPENSION,
                                      account);
         e != NULL;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if ((int64_t) e->expires > now) {
            return 1;
        }
    }

    return 0;
}


static int
parley_record_copy(parley_memory_t *s, const parley_entry_t *e, int64_t now,
    parley_arena_t *arena, parley_record_t *ret)
{
    uint8_t  *p;

    ret->tag = e->stamp_low;
    ret->closed = e->closed;
    ret->queue = (parley_evictable_t) e->loose;
    ret->left = (int64_t) e->expires - now;
    ret->generation = parley_record_generation(e);
    ret->value = parley_str_none;

    if (e->value.len == 0) {
        return 0;
    }

    p = parley_arena_octets(arena, e->value.len);

    if (p == NULL) {
        return -1;
    }

    parley_table_read_locked(s->sh->table, e, 0, p, e->value.len);
    ret->value = parley_str_make(p, e->value.len);

    return 0;
}


int
parley_record_close_locked(parley_memory_t *s, const parley_record_id_t *id)
{
    parley_entry_t  *e;

    e = parley_record_find(s, id);

    if (e == NULL) {
        return 0;
    }

    if (e->closed) {
        return PARLEY_SETTLED_LATE;
    }

    e->closed = 1;
    parley_table_empty_locked(s->sh->table, e);

    return 0;
}


int
parley_record_closed_locked(parley_memory_t *s, const parley_record_id_t *id)
{
    const parley_entry_t  *e;

    e = parley_record_find(s, id);

    return e != NULL && e->closed ? PARLEY_SETTLED_LATE : 0;
}


void
parley_record_drop_locked(parley_memory_t *s, const parley_record_id_t *id,
    uint32_t generation)
{
    parley_entry_t  *e;

    e = parley_record_find(s, id);

    if (e != NULL
        && (generation == 0 || parley_record_generation(e) == generation))
    {
        parley_record_remove(s, e);
    }
}


parley_state_done_t
parley_memory_drop(parley_state_t *state, const parley_record_id_t *id,
    uint32_t generation, parley_call_t *call)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    parley_memory_lock(s);
    parley_record_drop_locked(s, id, generation);
    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}
