/*
 * Admission: an id is reserved before its message is forwarded, together with
 * the slot of the question that it answers and with its quotas (AEE-16, VCP-13,
 * GW-12, SEC-08).  parley_memory_settle.c settles it.
 */

#include <string.h>

#include "state/memory/parley_memory_parts.h"


/* buckets examined before the lock is released */
#define PARLEY_ORPHANS_AT_ONCE  4096


/* process that holds a reservation in the way; it may have ended */
typedef struct {
    uint32_t          number;
    parley_process_t  process;
} parley_holder_t;


static int parley_memory_is_orphan(void *ctx, const parley_entry_t *e);
static parley_admit_t parley_admit_locked(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, parley_admitted_t *ret,
    parley_holder_t *holder);
static int parley_admit_is_free(parley_memory_t *s, parley_kind_t kind,
    const uint8_t *key, int64_t now, parley_entry_t **ret,
    parley_holder_t *holder);
static void parley_admit_orphan(parley_memory_t *s, const parley_entry_t *e);
static parley_admit_t parley_admit_id(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, parley_holder_t *holder);
static parley_admit_t parley_admit_slot(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, parley_holder_t *holder);
static parley_admit_t parley_admit_quotas(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, parley_admitted_t *ret);
static parley_admit_t parley_admit_room(parley_memory_t *s,
    const parley_admission_t *a, int64_t now, parley_admitted_t *ret);
static void parley_admit_take(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_admitted_t *ret);
static parley_entry_t *parley_admit_reserve(parley_memory_t *s,
    parley_kind_t kind, const uint8_t *key, const uint8_t *account,
    uint64_t stamp, int64_t until, int64_t now);


/*
 * The host is asked without the lock whether a process lives, since that takes
 * time.  The reservation may then belong to another process, so the admission
 * starts again.
 */

parley_state_done_t
parley_memory_admit(parley_state_t *state, const parley_admission_t *a,
    parley_admitted_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_holder_t   holder;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    now = parley_memory_now(s);

    do {
        memset(ret, 0, sizeof(parley_admitted_t));
        memset(&holder, 0, sizeof(parley_holder_t));

        parley_memory_lock(s);
        ret->verdict = parley_admit_locked(s, a, now, ret, &holder);
        parley_memory_unlock(s);

    } while (holder.process.pid != 0
             && parley_memory_bury(s, holder.number, &holder.process));

    return PARLEY_STATE_DONE;
}


static parley_admit_t
parley_admit_locked(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_admitted_t *ret, parley_holder_t *holder)
{
    parley_admit_t  rc;

    if (a->suspends
        && parley_record_suspends_locked(s, a->account, now))
    {
        return PARLEY_ADMIT_SUSPENDED;
    }

    rc = parley_admit_id(s, a, now, holder);

    if (rc == PARLEY_ADMIT_OK && a->stale) {
        return PARLEY_ADMIT_STALE;
    }

    if (rc == PARLEY_ADMIT_OK) {
        rc = parley_admit_slot(s, a, now, holder);
    }

    if (rc == PARLEY_ADMIT_OK) {
        rc = parley_admit_quotas(s, a, now, ret);
    }

    if (rc == PARLEY_ADMIT_OK) {
        rc = parley_admit_room(s, a, now, ret);
    }

    if (rc == PARLEY_ADMIT_OK) {
        parley_admit_take(s, a, now, ret);

    } else if (rc == PARLEY_ADMIT_IN_FLIGHT || rc == PARLEY_ADMIT_ANSWERING) {
        ret->wait = 1000;
    }

    return rc;
}


/*
 * Returns whether a key is free.  Removes an entry that has expired or whose
 * process has ended.  If not free, *ret is the entry.
 */

static int
parley_admit_is_free(parley_memory_t *s, parley_kind_t kind,
    const uint8_t *key, int64_t now, parley_entry_t **ret,
    parley_holder_t *holder)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, (uint8_t) kind, key);
    *ret = e;

    if (e == NULL) {
        return 1;
    }

    if ((int64_t) e->expires > now) {

        if (e->mark == PARLEY_MARK_TAKEN
            || !parley_memory_is_gone(s, e->mark, parley_entry_stamp(e),
                                     &holder->process))
        {
            holder->number = e->mark;
            return 0;
        }

        parley_admit_orphan(s, e);
    }

    parley_table_remove_locked(s->sh->table, e);

    return 1;
}


/* The reservation of a dead process is freed. */

static void
parley_admit_orphan(parley_memory_t *s, const parley_entry_t *e)
{
    const parley_member_of_t  *m = &s->sh->processes[e->mark];

    s->sh->orphans++;

    if (s->env.orphan != NULL) {
        s->env.orphan(s->env.orphan_ctx, (parley_kind_t) e->kind, e->key,
                      parley_entry_stamp(e), m->linked ? NULL : &m->link);
    }
}


/*
 * Refuses an id with other content: that is the sender's mistake, regardless of
 * the outcome of the first message.
 */

static parley_admit_t
parley_admit_id(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_holder_t *holder)
{
    parley_entry_t  *e;

    if (a->id == NULL
        || parley_admit_is_free(s, PARLEY_KIND_ID, a->id, now, &e, holder))
    {
        return PARLEY_ADMIT_OK;
    }

    if (memcmp(e->octets, a->print, PARLEY_PRINT_LEN) != 0) {
        return PARLEY_ADMIT_OTHER;
    }

    return e->mark == PARLEY_MARK_TAKEN ? PARLEY_ADMIT_DUPLICATE
                                        : PARLEY_ADMIT_IN_FLIGHT;
}


static parley_admit_t
parley_admit_slot(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_holder_t *holder)
{
    parley_entry_t  *e;

    if (a->slot == NULL
        || parley_admit_is_free(s, PARLEY_KIND_SLOT, a->slot, now, &e,
                                holder))
    {
        return PARLEY_ADMIT_OK;
    }

    return e->mark == PARLEY_MARK_TAKEN ? PARLEY_ADMIT_ANSWERED
                                        : PARLEY_ADMIT_ANSWERING;
}


static parley_admit_t
parley_admit_quotas(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_admitted_t *ret)
{
    size_t   i;
    int64_t  wait;

    for (i = 0; i < a->nquotas; i++) {

        wait = parley_memory_rate_wait(
                   parley_memory_rate_find(s, a->quotas[i].key),
                   &a->quotas[i].rate, now);

        if (wait != 0) {
            s->sh->limited++;
            ret->wait = wait;
            ret->quota = i;

            return PARLEY_ADMIT_LIMITED;
        }
    }

    return PARLEY_ADMIT_OK;
}


static parley_admit_t
parley_admit_room(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_admitted_t *ret)
{
    size_t  n;

    /* some quotas may have an entry already: an estimate that is a few blocks
       too high does no harm */

    n = (a->id != NULL) + (a->slot != NULL) + a->nquotas;

    switch (parley_table_room_locked(s->sh->table, a->account, n, s->share,
                                     now))
    {
    case PARLEY_ROOM_OK:
        return PARLEY_ADMIT_OK;

    case PARLEY_ROOM_SHARE:
        ret->wait = 1000;
        return PARLEY_ADMIT_SHARE;

    default:
        ret->wait = 1000;
        return PARLEY_ADMIT_FULL;
    }
}


/* Reserves all; there is room. */

static void
parley_admit_take(parley_memory_t *s, const parley_admission_t *a,
    int64_t now, parley_admitted_t *ret)
{
    size_t           i;
    parley_entry_t  *e;

    ret->stamp = parley_memory_stamp(s);

    if (a->id != NULL) {
        e = parley_admit_reserve(s, PARLEY_KIND_ID, a->id, a->account,
                                 ret->stamp, now + a->ttl, now);

        if (e != NULL) {
            memcpy(e->octets, a->print, PARLEY_PRINT_LEN);
        }
    }

    if (a->slot != NULL) {
        (void) parley_admit_reserve(s, PARLEY_KIND_SLOT, a->slot, a->account,
                                    ret->stamp, now + a->slot_ttl, now);
    }

    for (i = 0; i < a->nquotas; i++) {

        e = parley_memory_rate_find(s, a->quotas[i].key);

        if (e == NULL) {
            e = parley_table_add_locked(s->sh->table, PARLEY_KIND_RATE,
                                        PARLEY_EVICTABLE_NONE, a->quotas[i].key,
                                        a->account, 0, now, now);
        }

        if (e != NULL) {
            parley_memory_rate_take(e, &a->quotas[i].rate, now);
        }
    }
}


/*
 * Reserves a key.  The entry is examined when the time of a taken entry would
 * end, and stays until the lease ends.
 */

static parley_entry_t *
parley_admit_reserve(parley_memory_t *s, parley_kind_t kind, const uint8_t *key,
    const uint8_t *account, uint64_t stamp, int64_t until, int64_t now)
{
    parley_entry_t  *e;

    e = parley_table_add_locked(s->sh->table, (uint8_t) kind,
                                PARLEY_EVICTABLE_NONE, key, account, 0, until,
                                now);

    if (e != NULL) {
        e->mark = (uint16_t) s->process;
        parley_entry_set_stamp(e, stamp);
        parley_table_expire(e, now + PARLEY_LEASE);
    }

    return e;
}


/* a process that ends meanwhile sets the flag again */

void
parley_memory_orphans(parley_memory_t *s)
{
    size_t    at;
    uint32_t  vacated;

    parley_memory_lock(s);
    vacated = s->sh->vacated;
    s->sh->vacated = 0;
    parley_memory_unlock(s);

    if (!vacated) {
        return;
    }

    at = 0;

    do {
        parley_memory_lock(s);
        at = parley_table_drop_locked(s->sh->table, at, PARLEY_ORPHANS_AT_ONCE,
                                      parley_memory_is_orphan, s);
        parley_memory_unlock(s);

    } while (at != 0);
}


static int
parley_memory_is_orphan(void *ctx, const parley_entry_t *e)
{
    parley_memory_t   *s = ctx;
    parley_process_t   process;

    if (e->kind == PARLEY_KIND_GROUP || e->kind == PARLEY_KIND_SESSION) {
        return parley_memory_has_left(s, e);
    }

    if ((e->kind != PARLEY_KIND_ID && e->kind != PARLEY_KIND_SLOT)
        || e->mark == PARLEY_MARK_TAKEN
        || !parley_memory_is_gone(s, e->mark, parley_entry_stamp(e), &process))
    {
        return 0;
    }

    parley_admit_orphan(s, e);

    return 1;
}
