/*
 * Finds jobs that are due: a list for each 128 ms of a turn, in order of
 * insertion.  Jobs that are due whole turns later are skipped until then.  If
 * nothing is due, a search compares one number.
 */

#include "state/memory/parley_memory_job_parts.h"


#define PARLEY_DUE_SHIFT  7     /* ms of a list, as a power of two */


static void parley_due_link_at(parley_memory_t *s, parley_entry_t *e,
    const parley_job_word_t *w, int64_t tick);


static parley_due_slot_t *
parley_due_slot(parley_memory_t *s, int64_t tick)
{
    return &s->sh->jobs.slots[(uint64_t) tick % PARLEY_DUE_SLOTS];
}


static parley_block_t
parley_due_block(parley_memory_t *s, const parley_entry_t *e)
{
    return (parley_block_t) (e - parley_table_entry(s->sh->table, 0));
}


static parley_job_entry_t *
parley_due_job(parley_memory_t *s, parley_block_t b)
{
    return parley_job_of(parley_table_entry(s->sh->table, b));
}


void
parley_due_link(parley_memory_t *s, parley_entry_t *e)
{
    parley_job_word_t  w;

    parley_job_word(e, &w);
    parley_due_link_at(s, e, &w, w.due >> PARLEY_DUE_SHIFT);
}


static void
parley_due_link_at(parley_memory_t *s, parley_entry_t *e,
    const parley_job_word_t *w, int64_t tick)
{
    parley_due_t        *jobs;
    parley_block_t        b;
    parley_due_slot_t    *slot;
    parley_job_entry_t   *job;

    jobs = &s->sh->jobs;
    b = parley_due_block(s, e);
    job = parley_job_of(e);

    tick = tick > jobs->tick ? tick : jobs->tick;
    slot = parley_due_slot(s, tick);

    job->newer = 0;
    job->older = slot->last;

    *(slot->last != 0 ? &parley_due_job(s, slot->last)->newer
                      : &slot->first) = b;
    slot->last = b;

    parley_job_set_mark(e, parley_job_class(e),
                        (uint64_t) tick % PARLEY_DUE_SLOTS);
    e->closed = 1;

    if ((uint64_t) w->due < jobs->next) {
        __atomic_store_n(&jobs->next, (uint64_t) w->due, __ATOMIC_RELAXED);
    }
}


void
parley_due_unlink(parley_memory_t *s, parley_entry_t *e)
{
    parley_due_slot_t   *slot;
    parley_job_entry_t  *job;

    if (!e->closed) {
        return;
    }

    job = parley_job_of(e);
    slot = &s->sh->jobs.slots[e->mark % PARLEY_DUE_SLOTS];

    *(job->older != 0 ? &parley_due_job(s, job->older)->newer
                      : &slot->first) = job->newer;
    *(job->newer != 0 ? &parley_due_job(s, job->newer)->older
                      : &slot->last) = job->older;

    e->closed = 0;
}


void
parley_due_behind(parley_memory_t *s, parley_entry_t *const *list, size_t n,
    int64_t now)
{
    size_t             i;
    parley_job_word_t  w;

    for (i = 0; i < n; i++) {
        parley_job_word(list[i], &w);

        parley_due_unlink(s, list[i]);
        parley_due_link_at(s, list[i], &w, parley_due_tick(now));
    }
}


parley_entry_t *
parley_due_oldest(parley_entry_t *const *list, size_t n,
    parley_job_word_t *ret)
{
    size_t              i;
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = list[0];
    parley_job_word(e, ret);

    for (i = 1; i < n; i++) {
        parley_job_word(list[i], &w);

        if (w.due < ret->due) {
            e = list[i];
            *ret = w;
        }
    }

    return e;
}


void
parley_due_begin(parley_memory_t *s, int64_t now)
{
    int64_t         over;
    parley_due_t  *jobs;

    jobs = &s->sh->jobs;
    over = now >> PARLEY_DUE_SHIFT;

    if (over - jobs->tick >= PARLEY_DUE_SLOTS) {
        /* a whole turn: visit no list twice */
        jobs->tick = over - PARLEY_DUE_SLOTS + 1;
    }
}


parley_entry_t *
parley_due_first(parley_memory_t *s)
{
    return parley_due_at(s, s->sh->jobs.tick);
}


parley_entry_t *
parley_due_at(parley_memory_t *s, int64_t tick)
{
    parley_block_t  b;

    b = parley_due_slot(s, tick)->first;

    return b != 0 ? parley_table_entry(s->sh->table, b) : NULL;
}


int64_t
parley_due_tick(int64_t now)
{
    return now >> PARLEY_DUE_SHIFT;
}


parley_entry_t *
parley_due_after(parley_memory_t *s, parley_entry_t *e)
{
    parley_block_t  b;

    b = parley_job_of(e)->newer;

    return b != 0 ? parley_table_entry(s->sh->table, b) : NULL;
}


int
parley_due_turn(parley_memory_t *s, int64_t now)
{
    if (s->sh->jobs.tick >= now >> PARLEY_DUE_SHIFT) {
        return 0;
    }

    s->sh->jobs.tick++;

    return 1;
}


/*
 * For the current list, the time is exact to the millisecond; for others, it is
 * their beginning.
 */

void
parley_due_next(parley_memory_t *s)
{
    int64_t             tick;
    uint64_t            next;
    unsigned            i;
    parley_due_t      *jobs;
    parley_entry_t     *e;
    parley_job_word_t   w;

    jobs = &s->sh->jobs;
    next = PARLEY_DUE_NEVER;

    for (e = parley_due_first(s); e != NULL; e = parley_due_after(s, e)) {
        parley_job_word(e, &w);

        if (w.due >> PARLEY_DUE_SHIFT > jobs->tick) {
            w.due = (jobs->tick + PARLEY_DUE_SLOTS) << PARLEY_DUE_SHIFT;
        }

        if ((uint64_t) w.due < next) {
            next = (uint64_t) w.due;
        }
    }

    for (i = 1; i < PARLEY_DUE_SLOTS; i++) {
        tick = jobs->tick + i;

        if (parley_due_slot(s, tick)->first != 0) {

            if ((uint64_t) tick << PARLEY_DUE_SHIFT < next) {
                next = (uint64_t) tick << PARLEY_DUE_SHIFT;
            }

            break;
        }
    }

    __atomic_store_n(&jobs->next, next, __ATOMIC_RELAXED);
}


void
parley_due_clear(parley_memory_t *s, int64_t now)
{
    memset(s->sh->jobs.slots, 0, sizeof(s->sh->jobs.slots));

    s->sh->jobs.tick = now >> PARLEY_DUE_SHIFT;
    s->sh->jobs.next = PARLEY_DUE_NEVER;
}
