/*
 * Records: values under a key, one for each owner.  Of the entry's words one
 * is the owner's tag, and two are the record's generation.
 */

#include "parley_state_parts.h"


static parley_entry_t *parley_record_find(parley_state_t *s,
    const parley_record_id_t *id);
static int parley_record_fits(parley_state_t *s, const parley_put_t *put,
    const parley_entry_t *old, size_t len, parley_put_result_t *ret);
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
parley_state_put(parley_state_t *s, const parley_put_t *put)
{
    size_t                i, len;
    parley_entry_t       *e;
    parley_put_result_t   rc;

    len = 0;

    for (i = 0; i < put->nparts; i++) {
        len += put->parts[i].len;
    }

    rc = PARLEY_PUT_OK;

    parley_state_lock(s);

    e = parley_record_find(s, &put->id);

    if (e != NULL && (int64_t) e->expires <= put->now) {
        parley_table_remove_locked(s->sh->table, e);
        e = NULL;
    }

    if (put->replaces != 0
        && (e == NULL || parley_record_generation(e) != put->replaces))
    {
        rc = PARLEY_PUT_STALE;

    } else if (parley_record_fits(s, put, e, len, &rc)) {

        /* what has expired was looked for: it may be gone meanwhile */

        e = parley_record_find(s, &put->id);

        if (e != NULL) {
            parley_table_remove_locked(s->sh->table, e);
        }

        e = parley_table_add_locked(s->sh->table, (uint8_t) put->id.kind,
                                    put->queue, put->id.key, put->account,
                                    len, put->now + put->ttl, put->now);

        if (e == NULL) {
            rc = PARLEY_PUT_FULL;

        } else {
            e->stamp_low = put->id.tag;
            parley_record_renew(s, e);
            parley_table_write_locked(s->sh->table, e, put->parts,
                                      put->nparts);
        }
    }

    parley_state_unlock(s);

    return rc;
}


/* whether it finds room where the old one was, or elsewhere */

static int
parley_record_fits(parley_state_t *s, const parley_put_t *put,
    const parley_entry_t *old, size_t len, parley_put_result_t *ret)
{
    size_t  n, had;

    n = parley_table_blocks(len);
    had = old != NULL && old->loose == put->queue
          ? parley_table_blocks(old->value.len) : 0;

    if (put->queue != PARLEY_LOOSE_NONE) {

        if (parley_table_holds_locked(s->sh->table, put->queue, n)) {
            return 1;
        }

        *ret = PARLEY_PUT_FULL;

        return 0;
    }

    if (n <= had) {
        return 1;
    }

    switch (parley_table_room_locked(s->sh->table, put->account, n - had,
                                     s->share, put->now))
    {
    case PARLEY_ROOM_OK:
        return 1;

    case PARLEY_ROOM_SHARE:
        *ret = PARLEY_PUT_SHARE;
        return 0;

    default:
        *ret = PARLEY_PUT_FULL;
        return 0;
    }
}


int
parley_state_get(parley_state_t *s, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_arena_t *arena,
    parley_record_t *ret)
{
    int              n;
    parley_entry_t  *e;

    n = 0;

    parley_state_lock(s);

    for (e = parley_table_find_locked(s->sh->table, (uint8_t) kind, key);
         e != NULL && n >= 0 && n < PARLEY_RECORDS_MAX;
         e = parley_table_next_locked(s->sh->table, e))
    {
        if ((int64_t) e->expires <= now) {
            continue;
        }

        n = parley_record_copy(s, e, now, arena, &ret[n]) == 0 ? n + 1 : -1;
    }

    parley_state_unlock(s);

    return n;
}


static int
parley_record_copy(parley_state_t *s, const parley_entry_t *e, int64_t now,
    parley_arena_t *arena, parley_record_t *ret)
{
    uint8_t  *p;

    ret->tag = e->stamp_low;
    ret->closed = e->closed;
    ret->loose = e->loose != PARLEY_LOOSE_NONE;
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
parley_state_close(parley_state_t *s, const parley_record_id_t *id)
{
    parley_state_lock(s);
    parley_record_close_locked(s, id);
    parley_state_unlock(s);
}


void
parley_state_drop(parley_state_t *s, const parley_record_id_t *id)
{
    parley_entry_t  *e;

    parley_state_lock(s);

    e = parley_record_find(s, id);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);
    }

    parley_state_unlock(s);
}
