/*
 * Settlement: an admitted id and its slot are taken, or free again, when the
 * outcome of the message is known; or they are taken with its append.
 */

#include <string.h>

#include "state/memory/parley_memory_parts.h"


static parley_entry_t *parley_settle_reserved(parley_memory_t *s,
    parley_kind_t kind, const uint8_t *key, uint64_t stamp);
static int parley_settle_is_taken(parley_memory_t *s, parley_kind_t kind,
    const uint8_t *key, uint64_t stamp);
static int parley_settle_taken(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, const parley_settlement_t *how);
static void parley_settle_write(parley_settling_t *st,
    const parley_admission_t *a, int64_t now, const parley_settlement_t *how,
    uint64_t number);
static int parley_settle_do(parley_memory_t *s, parley_settling_t *st,
    int64_t now);
static int parley_settle_written(parley_memory_t *s,
    const parley_settling_t *st, int64_t now);
static parley_entry_t *parley_settle_fill(parley_memory_t *s,
    parley_kind_t kind, const uint8_t *key, const uint8_t *account,
    int64_t until, int64_t now);
static void parley_settle_free(parley_memory_t *s,
    const parley_admission_t *a, const parley_settlement_t *how);


/* Returns NULL if the entry is not that reservation. */

static parley_entry_t *
parley_settle_reserved(parley_memory_t *s, parley_kind_t kind,
    const uint8_t *key, uint64_t stamp)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, (uint8_t) kind, key);

    return e != NULL && e->mark != PARLEY_MARK_TAKEN
           && parley_entry_stamp(e) == stamp ? e : NULL;
}


parley_state_done_t
parley_memory_settle(parley_state_t *state, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret, parley_call_t *call)
{
    int               rc;
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    rc = 0;
    now = parley_memory_now(s);

    parley_memory_lock(s);

    if (how->taken) {
        rc = parley_settle_taken(s, a, now, how);

    } else {
        parley_settle_free(s, a, how);
    }

    parley_memory_unlock(s);

    if (ret != NULL) {
        *ret = rc;
    }

    return PARLEY_STATE_DONE;
}


/*
 * The whole settlement is written down before any of it is done.  A slot
 * without its id would be an answer without a message, and a lift without its
 * id a resumption that the parent is not told of.
 */

static int
parley_settle_taken(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, const parley_settlement_t *how)
{
    parley_settling_t  *st;

    st = &s->sh->settling;

    parley_settle_write(st, a, now, how, 0);

    return parley_settle_do(s, st, now);
}


int
parley_settle_may_locked(parley_memory_t *s, const parley_admission_t *a,
    const parley_settlement_t *how)
{
    size_t  i;

    if ((a->id != NULL
         && parley_settle_reserved(s, PARLEY_KIND_ID, a->id, how->stamp)
         == NULL)
        || (a->slot != NULL
            && parley_settle_reserved(s, PARLEY_KIND_SLOT, a->slot, how->stamp)
               == NULL))
    {
        return -1;
    }

    for (i = 0; i < PARLEY_CLOSES_MAX && how->closes[i] != NULL; i++) {
        if (parley_record_closed_locked(s, how->closes[i]) != 0) {
            return PARLEY_SETTLED_LATE;
        }
    }

    return 0;
}


void
parley_settle_begin_locked(parley_memory_t *s, const parley_admission_t *a,
    const parley_settlement_t *how, uint64_t number, int64_t now)
{
    parley_settle_write(&s->sh->settling, a, now, how, number);
}


/* Writes a settlement down.  under_way comes last: it makes the rest valid. */

static void
parley_settle_write(parley_settling_t *st, const parley_admission_t *a,
    int64_t now, const parley_settlement_t *how, uint64_t number)
{
    uint32_t  i;

    st->number = number;
    st->has_account = a->account != NULL;
    st->has_id = a->id != NULL;
    st->has_slot = a->slot != NULL;
    st->stamp = how->stamp;

    if (a->account != NULL) {
        memcpy(st->account, a->account, PARLEY_KEY_LEN);
    }

    if (a->id != NULL) {
        memcpy(st->id, a->id, PARLEY_KEY_LEN);
        memcpy(st->print, a->print, PARLEY_PRINT_LEN);
        st->id_until = now + a->ttl;
    }

    if (a->slot != NULL) {
        memcpy(st->slot, a->slot, PARLEY_KEY_LEN);
        st->slot_until = now + a->slot_ttl;
    }

    for (i = 0; i < PARLEY_CLOSES_MAX && how->closes[i] != NULL; i++) {
        st->closes[i] = *how->closes[i];
    }

    st->ncloses = i;
    st->nlifts = (uint32_t) how->nlifts;

    if (how->nlifts != 0) {
        memcpy(st->lifts, how->lifts, how->nlifts * sizeof(parley_lift_t));
    }

    __atomic_store_n(&st->under_way, 1, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}


/* the table keeps the id before the written settlement ends */

static int
parley_settle_do(parley_memory_t *s, parley_settling_t *st, int64_t now)
{
    int  rc;

    rc = parley_settle_written(s, st, now);

    parley_table_made_locked(s->sh->table);
    __atomic_store_n(&st->under_way, 0, __ATOMIC_RELEASE);

    return rc;
}


/* Carries the settlement out.  A second call changes nothing. */

static int
parley_settle_written(parley_memory_t *s, const parley_settling_t *st,
    int64_t now)
{
    int              rc;
    uint32_t         i;
    const uint8_t   *account;
    parley_entry_t  *e;

    rc = 0;
    account = st->has_account ? st->account : NULL;

    if (st->has_slot
        && parley_settle_fill(s, PARLEY_KIND_SLOT, st->slot, account,
                              st->slot_until, now)
           == NULL)
    {
        rc = -1;
    }

    for (i = 0; i < st->ncloses; i++) {
        if (parley_record_close_locked(s, &st->closes[i]) != 0 && rc == 0) {
            rc = PARLEY_SETTLED_LATE;
        }
    }

    for (i = 0; i < st->nlifts; i++) {
        parley_record_drop_locked(s, &st->lifts[i].id,
                                  st->lifts[i].generation);
    }

    if (!st->has_id) {
        return rc;
    }

    e = parley_settle_fill(s, PARLEY_KIND_ID, st->id, account, st->id_until,
                           now);
    if (e == NULL) {
        return -1;
    }

    if (parley_entry_stamp(e) == 0) {
        memcpy(e->octets, st->print, PARLEY_PRINT_LEN);
        parley_entry_set_stamp(e, st->stamp);
    }

    return rc;
}


void
parley_settle_mend_locked(parley_memory_t *s, int64_t now)
{
    parley_settling_t  *st;

    st = &s->sh->settling;

    /* the next append has the number of one that did not become visible */

    if (st->number > s->sh->appends.head) {
        st->under_way = 0;
    }

    if (st->under_way) {
        (void) parley_settle_do(s, st, now);
    }
}


/* Adds or takes an entry.  Returns NULL if the table is full. */

static parley_entry_t *
parley_settle_fill(parley_memory_t *s, parley_kind_t kind, const uint8_t *key,
    const uint8_t *account, int64_t until, int64_t now)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, (uint8_t) kind, key);

    if (e == NULL) {
        e = parley_table_add_locked(s->sh->table, (uint8_t) kind,
                                    PARLEY_EVICTABLE_NONE, key, account, 0,
                                    until, now);
    }

    if (e != NULL
        && (e->mark != PARLEY_MARK_TAKEN || (int64_t) e->expires <= now))
    {
        e->mark = PARLEY_MARK_TAKEN;
        parley_table_expire(e, until);
    }

    return e;
}


/* Returns whether an append took the reservation with this stamp. */

static int
parley_settle_is_taken(parley_memory_t *s, parley_kind_t kind,
    const uint8_t *key, uint64_t stamp)
{
    const parley_entry_t  *e;

    e = key != NULL ? parley_table_find_locked(s->sh->table, (uint8_t) kind,
                                               key)
                    : NULL;

    return e != NULL && e->mark == PARLEY_MARK_TAKEN
           && parley_entry_stamp(e) == stamp;
}


static void
parley_settle_free(parley_memory_t *s, const parley_admission_t *a,
    const parley_settlement_t *how)
{
    size_t           i;
    parley_entry_t  *e;

    if (parley_settle_is_taken(s, PARLEY_KIND_ID, a->id, how->stamp)
        || parley_settle_is_taken(s, PARLEY_KIND_SLOT, a->slot, how->stamp))
    {
        return;
    }

    if (a->id != NULL) {
        e = parley_settle_reserved(s, PARLEY_KIND_ID, a->id, how->stamp);

        if (e != NULL) {
            parley_table_remove_locked(s->sh->table, e);
        }
    }

    if (a->slot != NULL) {
        e = parley_settle_reserved(s, PARLEY_KIND_SLOT, a->slot, how->stamp);

        if (e != NULL) {
            parley_table_remove_locked(s->sh->table, e);
        }
    }

    for (i = 0; i < a->nquotas; i++) {
        e = parley_memory_rate_find(s, a->quotas[i].key);

        if (e != NULL) {
            parley_memory_rate_give(e, &a->quotas[i].rate);
        }
    }

    for (i = 0; i < PARLEY_DROPS_MAX && how->drops[i] != NULL; i++) {
        parley_record_drop_locked(s, how->drops[i],
                                  parley_state_generation(how->stamp));
    }
}
