/*
 * Rates (GW-05, AEE-28): the generic cell rate algorithm, one number per key,
 * the theoretical arrival time of the next message, in microseconds.
 */

#include "parley_memory_parts.h"


static parley_entry_t *parley_rate_add(parley_state_t *s,
    const uint8_t *account, const uint8_t *key, int64_t now);


parley_entry_t *
parley_rate_find(parley_state_t *s, const uint8_t *key)
{
    return parley_table_find_locked(s->sh->table, PARLEY_KIND_RATE, key);
}


/* the rate of today is another perhaps: no debt above what it allows */

int64_t
parley_rate_wait(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now)
{
    int64_t  ahead, room;

    if (e == NULL || e->number <= now * 1000) {
        return 0;
    }

    ahead = e->number - now * 1000;
    room = rate->interval_us * (int64_t) rate->burst;

    if (ahead > room + rate->interval_us) {
        ahead = room + rate->interval_us;
        e->number = now * 1000 + ahead;
    }

    return ahead <= room ? 0 : (ahead - room + 999) / 1000;
}


void
parley_rate_take(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now)
{
    if (e->number < now * 1000) {
        e->number = now * 1000;
    }

    e->number += rate->interval_us;

    /* idle it says nothing that a missing one does not */

    parley_table_expire(e, e->number / 1000 + 1);
}


void
parley_rate_give(parley_entry_t *e, const parley_limit_rate_t *rate)
{
    e->number -= rate->interval_us;
}


static parley_entry_t *
parley_rate_add(parley_state_t *s, const uint8_t *account, const uint8_t *key,
    int64_t now)
{
    if (account == NULL) {
        return parley_table_add_locked(s->sh->table, PARLEY_KIND_RATE,
                                       PARLEY_LOOSE_RATE, key, NULL, 0, now,
                                       now);
    }

    if (parley_table_room_locked(s->sh->table, account, 1, s->share, now)
        != PARLEY_ROOM_OK)
    {
        return NULL;
    }

    return parley_table_add_locked(s->sh->table, PARLEY_KIND_RATE,
                                   PARLEY_LOOSE_NONE, key, account, 0, now,
                                   now);
}


parley_rate_result_t
parley_memory_rate(parley_state_t *s, const uint8_t *account,
    const uint8_t key[PARLEY_KEY_LEN], const parley_limit_rate_t *rate,
    int64_t now, int64_t *ret_wait)
{
    parley_entry_t        *e;
    parley_rate_result_t   rc;

    *ret_wait = 0;

    if (rate->interval_us == 0) {
        return PARLEY_RATE_OK;
    }

    rc = PARLEY_RATE_OK;

    parley_memory_lock(s);

    e = parley_rate_find(s, key);

    if (e == NULL) {
        e = parley_rate_add(s, account, key, now);
    }

    if (e == NULL) {
        rc = PARLEY_RATE_FULL;

    } else {
        *ret_wait = parley_rate_wait(e, rate, now);

        if (*ret_wait == 0) {
            parley_rate_take(e, rate, now);

        } else {
            s->sh->limited++;
            rc = PARLEY_RATE_LIMITED;
        }
    }

    parley_memory_unlock(s);

    return rc;
}


int64_t
parley_memory_rate_wait(parley_state_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const parley_limit_rate_t *rate, int64_t now)
{
    int64_t  wait;

    if (rate->interval_us == 0) {
        return 0;
    }

    parley_memory_lock(s);

    wait = parley_rate_wait(parley_rate_find(s, key), rate, now);

    if (wait != 0) {
        s->sh->limited++;
    }

    parley_memory_unlock(s);

    return wait;
}
