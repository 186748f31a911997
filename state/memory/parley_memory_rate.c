/*
 * Rates (GW-05, AEE-28): the generic cell rate algorithm, one number per key,
 * the theoretical arrival time of the next message, in microseconds.
 */

#include "state/memory/parley_memory_parts.h"


static parley_entry_t *parley_memory_rate_add(parley_memory_t *s,
    const uint8_t *account, const uint8_t *key, int64_t now);


parley_entry_t *
parley_memory_rate_find(parley_memory_t *s, const uint8_t *key)
{
    return parley_table_find_locked(s->sh->table, PARLEY_KIND_RATE, key);
}


/* debt in us that other nodes may add */
#define PARLEY_RATE_OTHERS  ((int64_t) 10 * 1000 * 1000)


/* the rate may have changed: limit the debt by the new rate */

int64_t
parley_memory_rate_wait(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now)
{
    int64_t  ahead, room, most;

    if (e == NULL || e->number <= now * 1000) {
        return 0;
    }

    ahead = e->number - now * 1000;
    room = rate->interval_us * (int64_t) rate->burst;
    most = room + rate->interval_us + (e->mark ? PARLEY_RATE_OTHERS : 0);

    if (ahead > most) {
        ahead = most;
        e->number = now * 1000 + ahead;
    }

    return ahead <= room ? 0 : (ahead - room + 999) / 1000;
}


void
parley_memory_rate_take(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now)
{
    if (e->number < now * 1000) {
        e->number = now * 1000;
    }

    e->number += rate->interval_us;

    /* an idle entry equals a missing one */

    parley_table_expire(e, e->number / 1000 + 1);
}


void
parley_memory_rate_give(parley_entry_t *e, const parley_limit_rate_t *rate)
{
    e->number -= rate->interval_us;
}


static parley_entry_t *
parley_memory_rate_add(parley_memory_t *s, const uint8_t *account,
    const uint8_t *key, int64_t now)
{
    if (account == NULL) {
        return parley_table_add_locked(s->sh->table, PARLEY_KIND_RATE,
                                       PARLEY_EVICTABLE_RATE, key, NULL, 0, now,
                                       now);
    }

    if (parley_table_room_locked(s->sh->table, account, 1, s->share, now)
        != PARLEY_ROOM_OK)
    {
        return NULL;
    }

    return parley_table_add_locked(s->sh->table, PARLEY_KIND_RATE,
                                   PARLEY_EVICTABLE_NONE, key, account, 0, now,
                                   now);
}


parley_state_done_t
parley_memory_rate(parley_state_t *state, const parley_rating_t *r,
    parley_rated_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_rated_t    got;
    parley_entry_t   *e;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    ret = ret != NULL ? ret : &got;

    ret->verdict = PARLEY_RATE_OK;
    ret->wait = 0;

    if (r->rate.interval_us == 0 || r->others) {
        return PARLEY_STATE_DONE;
    }

    now = parley_memory_now(s);

    parley_memory_lock(s);

    e = parley_memory_rate_find(s, r->key);

    if (e == NULL && !r->look) {
        e = parley_memory_rate_add(s, r->account, r->key, now);

        if (e == NULL) {
            ret->verdict = PARLEY_RATE_FULL;
        }
    }

    if (e != NULL) {
        ret->wait = parley_memory_rate_wait(e, &r->rate, now);

        if (ret->wait != 0) {
            ret->verdict = PARLEY_RATE_LIMITED;
            s->sh->limited++;

        } else if (!r->look) {
            parley_memory_rate_take(e, &r->rate, now);
        }
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


void
parley_memory_raise(parley_state_t *state, const parley_rating_t *r,
    int64_t ahead)
{
    int64_t           now, till;
    parley_entry_t   *e;
    parley_memory_t  *s = (parley_memory_t *) state;

    now = parley_memory_now(s);
    till = now * 1000 + ahead;

    parley_memory_lock(s);

    e = parley_memory_rate_find(s, r->key);

    if (e == NULL) {
        e = parley_memory_rate_add(s, r->account, r->key, now);
    }

    if (e != NULL && e->number < till) {
        e->number = till;
        e->mark = 1;
        parley_table_expire(e, till / 1000 + 1);
    }

    parley_memory_unlock(s);
}


void
parley_memory_give_back(parley_state_t *state, const parley_rating_t *r)
{
    parley_entry_t   *e;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);

    e = parley_memory_rate_find(s, r->key);

    if (e != NULL) {
        parley_memory_rate_give(e, &r->rate);
    }

    parley_memory_unlock(s);
}


void
parley_memory_limited(parley_state_t *state)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    s->sh->limited++;
    parley_memory_unlock(s);
}
