/*
 * Records: values under a key, one for each owner.  Of the entry's words one
 * is the owner's tag, and two are the record's generation.
 */

#include <string.h>

#include "parley_memory_parts.h"


static parley_entry_t *parley_record_find(parley_state_t *s,
    const parley_record_id_t *id);
static parley_put_result_t parley_record_put(parley_state_t *s,
    const parley_put_t *put, size_t len);
static const uint8_t *parley_record_account(parley_state_t *s,
    const parley_entry_t *e, uint8_t key[PARLEY_KEY_LEN]);
static parley_put_result_t parley_record_fits(parley_state_t *s,
    const parley_put_t *put, const parley_entry_t *old, size_t len);
static int parley_record_copy(parley_state_t *s, const parley_entry_t *e,
    int64_t now, parley_arena_t *arena, parley_record_t *ret);


static inline uint32_t
parley_record_generation(const parley_entry_t *e)
{
    return ((uint32_t) e->stamp_high << 16) | (uint32_t) e->mark;
}


/* 0 is none */

static void
parley_record_renew(parley_state_t *s, parley_entry_t *e)
{
    uint64_t  stamp;

    stamp = ++s->sh->stamps;

    if ((uint32_t) stamp == 0) {
        stamp = ++s->sh->stamps;
    }

    e->stamp_high = (uint16_t) (stamp >> 16);
    e->mark = (uint16_t) stamp;
}


static parley_entry_t *
parley_record_find(parley_state_t *s, const parley_record_id_t *id)
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


parley_put_result_t
parley_memory_put(parley_state_t *s, const parley_put_t *put)
{
    size_t                i, len;
    parley_put_result_t   rc;

    len = 0;

    for (i = 0; i < put->nparts; i++) {
        len += put->parts[i].len;
    }

    parley_memory_lock(s);
    rc = parley_record_put(s, put, len);
    parley_memory_unlock(s);

    return rc;
}


static parley_put_result_t
parley_record_put(parley_state_t *s, const parley_put_t *put, size_t len)
{
    uint8_t               account[PARLEY_KEY_LEN];
    parley_put_t          now;
    parley_entry_t       *e;
    parley_put_result_t   rc;

    now = *put;
    e = parley_record_find(s, &put->id);

    if (e != NULL && (int64_t) e->expires <= put->now) {
        parley_table_remove_locked(s->sh->table, e);
        e = NULL;
    }

    if (put->replaces != 0) {

        if (e == NULL || parley_record_generation(e) != put->replaces) {
            return PARLEY_PUT_STALE;
        }

        now.queue = (parley_loose_t) e->loose;
        now.account = parley_record_account(s, e, account);
    }

    rc = parley_record_fits(s, &now, e, len);

    if (rc != PARLEY_PUT_OK) {
        return rc;
    }

    /* what has expired was looked for: it may be gone meanwhile */

    e = parley_record_find(s, &put->id);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);
    }

    e = parley_table_add_locked(s->sh->table, (uint8_t) now.id.kind,
                                now.queue, now.id.key, now.account, len,
                                now.now + now.ttl, now.now);
    if (e == NULL) {
        return PARLEY_PUT_FULL;
    }

    e->stamp_low = now.id.tag;
    parley_record_renew(s, e);
    parley_table_write_locked(s->sh->table, e, now.parts, now.nparts);

    return PARLEY_PUT_OK;
}


/* the key of the account that a record is counted to; NULL: nobody's */

static const uint8_t *
parley_record_account(parley_state_t *s, const parley_entry_t *e,
    uint8_t key[PARLEY_KEY_LEN])
{
    if (e->account == 0) {
        return NULL;
    }

    memcpy(key, parley_table_entry(s->sh->table, e->account)->key,
           PARLEY_KEY_LEN);

    return key;
}


/* whether it finds room where the old one was, or elsewhere */

static parley_put_result_t
parley_record_fits(parley_state_t *s, const parley_put_t *put,
    const parley_entry_t *old, size_t len)
{
    size_t  n, had;

    n = parley_table_blocks(len);

    if (put->queue != PARLEY_LOOSE_NONE) {
        return parley_table_holds_locked(s->sh->table, put->queue, n)
               ? PARLEY_PUT_OK : PARLEY_PUT_FULL;
    }

    had = old != NULL && old->loose == PARLEY_LOOSE_NONE
          ? parley_table_blocks(old->value.len) : 0;

    if (n <= had) {
        return PARLEY_PUT_OK;
    }

    switch (parley_table_room_locked(s->sh->table, put->account, n - had,
                                     s->share, put->now))
    {
    case PARLEY_ROOM_OK:
        return PARLEY_PUT_OK;

    case PARLEY_ROOM_SHARE:
        return PARLEY_PUT_SHARE;

    default:
        return PARLEY_PUT_FULL;
    }
}


int
parley_memory_get(parley_state_t *s, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_arena_t *arena,
    parley_record_t *ret)
{
    int              n;
    parley_entry_t  *e;

    n = 0;

    parley_memory_lock(s);

    for (e = parley_table_find_locked(s->sh->table, (uint8_t) kind, key);
         e != NULL && n >= 0 && n < PARLEY_RECORDS_MAX;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if ((int64_t) e->expires <= now) {
            continue;
        }

        n = parley_record_copy(s, e, now, arena, &ret[n]) == 0 ? n + 1 : -1;
    }

    parley_memory_unlock(s);

    return n;
}


static int
parley_record_copy(parley_state_t *s, const parley_entry_t *e, int64_t now,
    parley_arena_t *arena, parley_record_t *ret)
{
    uint8_t  *p;

    ret->tag = e->stamp_low;
    ret->closed = e->closed;
    ret->queue = (parley_loose_t) e->loose;
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


void
parley_record_close_locked(parley_state_t *s, const parley_record_id_t *id)
{
    parley_entry_t  *e;

    e = parley_record_find(s, id);

    if (e != NULL) {
        e->closed = 1;
        parley_table_empty_locked(s->sh->table, e);
    }
}


void
parley_memory_close(parley_state_t *s, const parley_record_id_t *id)
{
    parley_memory_lock(s);
    parley_record_close_locked(s, id);
    parley_memory_unlock(s);
}


void
parley_memory_drop(parley_state_t *s, const parley_record_id_t *id)
{
    parley_entry_t  *e;

    parley_memory_lock(s);

    e = parley_record_find(s, id);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);
    }

    parley_memory_unlock(s);
}
