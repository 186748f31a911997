/*
 * Expiry: a slot for each 1024 ms holds entries that expire in it or whole
 * turns later.  A slot that has passed is due as a whole, and is emptied a few
 * entries at a time.  Entries that have not expired move to their next slot.
 */

#include "state/memory/parley_table_parts.h"


static parley_block_t *parley_wheel_head(parley_table_t *t,
    parley_block_t link);
static void parley_wheel_put(parley_table_t *t, parley_entry_t *e,
    uint32_t slot);
static int parley_wheel_turn(parley_table_t *t, int64_t now);


static inline int64_t
parley_wheel_tick(int64_t ms)
{
    return ms >> PARLEY_WHEEL_SHIFT;
}


/* a slot is due after all of its time has passed */

void
parley_wheel_link(parley_table_t *t, parley_entry_t *e, int64_t now)
{
    int64_t  tick;

    if (t->tick < 0) {
        t->tick = parley_wheel_tick(now);
    }

    tick = parley_wheel_tick((int64_t) e->expires) + 1;

    if (tick <= t->tick) {
        tick = t->tick + 1;
    }

    parley_wheel_put(t, e, (uint32_t) tick & t->wheel_mask);
}


static void
parley_wheel_put(parley_table_t *t, parley_entry_t *e, uint32_t slot)
{
    parley_block_t  b;

    b = parley_table_block(t, e);

    e->older = PARLEY_WHEEL_HEAD | slot;
    e->newer = t->wheel[slot];

    if (e->newer != 0) {
        parley_table_entry(t, e->newer)->older = b;
    }

    t->wheel[slot] = b;
}


static parley_block_t *
parley_wheel_head(parley_table_t *t, parley_block_t link)
{
    return (link & PARLEY_WHEEL_HEAD)
           ? &t->wheel[link & ~PARLEY_WHEEL_HEAD]
           : &parley_table_entry(t, link)->newer;
}


void
parley_wheel_unlink(parley_table_t *t, parley_entry_t *e)
{
    *parley_wheel_head(t, e->older) = e->newer;

    if (e->newer != 0) {
        parley_table_entry(t, e->newer)->older = e->older;
    }
}


/* Makes the next passed slot due; returns 0 if there is none. */

static int
parley_wheel_turn(parley_table_t *t, int64_t now)
{
    int64_t          over;
    uint32_t         slot, due;
    parley_block_t   b;

    over = parley_wheel_tick(now);
    due = t->wheel_mask + 1;

    if (t->tick < 0) {
        return 0;
    }

    if (over - t->tick > due) {
        /* a whole turn: visit no slot twice */
        t->tick = over - due;
    }

    while (t->tick < over) {
        t->tick++;

        slot = (uint32_t) t->tick & t->wheel_mask;
        b = t->wheel[slot];

        if (b != 0) {
            t->wheel[slot] = 0;
            t->wheel[due] = b;
            parley_table_entry(t, b)->older = PARLEY_WHEEL_HEAD | due;

            return 1;
        }
    }

    return 0;
}


size_t
parley_table_sweep_locked(parley_table_t *t, int64_t now, size_t n)
{
    size_t           i;
    uint32_t         due;
    parley_entry_t  *e;

    due = t->wheel_mask + 1;

    for (i = 0; i < n; i++) {

        if (t->wheel[due] == 0 && !parley_wheel_turn(t, now)) {
            break;
        }

        e = parley_table_entry(t, t->wheel[due]);

        if ((int64_t) e->expires <= now) {
            parley_table_remove_locked(t, e);

        } else {
            parley_wheel_unlink(t, e);
            parley_wheel_link(t, e, now);
        }
    }

    return i;
}
