/* Creates the state, and registers the processes that share it. */

#include <string.h>

#include "state/parley_import.h"
#include "state/memory/parley_memory_job_parts.h"


/* blocks per process */
#define PARLEY_PROCESSES_PER   256
#define PARLEY_PROCESSES_MIN   64
#define PARLEY_PROCESSES_MAX   4096

/* expired entries freed in one call with the lock */
#define PARLEY_MEMORY_SWEEP     1024

/* denominator of the part of the state that queues may take */
#define PARLEY_MEMORY_RETAIN   2
#define PARLEY_MEMORY_ASIDES   8
#define PARLEY_MEMORY_RATES    16
#define PARLEY_MEMORY_TOKENS   16


/* denominator of the free part below which the level is low */
#define PARLEY_MEMORY_LITTLE   16


static uint32_t parley_memory_place(parley_memory_t *s,
    const parley_process_t *self);
static parley_state_done_t parley_memory_stat(parley_state_t *state,
    parley_state_stat_t *ret, parley_call_t *call);


_Static_assert(PARLEY_PROCESSES_MAX + PARLEY_IMPORT_WORKERS
               < PARLEY_JOB_ELSEWHERE, "an owner is a process or elsewhere");


const parley_state_ops_t  parley_memory_ops = {
    .admit = parley_memory_admit,
    .settle = parley_memory_settle,
    .rate = parley_memory_rate,
    .raise = parley_memory_raise,
    .give_back = parley_memory_give_back,
    .limited = parley_memory_limited,
    .put = parley_memory_put,
    .get = parley_memory_get,
    .list = parley_memory_list,
    .drop = parley_memory_drop,
    .stat = parley_memory_stat,
    .log = &parley_memory_log_ops,
    .job = &parley_memory_job_ops,
    .import = &parley_memory_import_ops,
    .at_once = 1,
};


int
parley_memory_create(parley_memory_t *s, void *p, size_t size,
    const uint8_t secret[PARLEY_KEY_SECRET])
{
    size_t            n, head;
    parley_shared_t  *sh;

    n = size / PARLEY_BLOCK / PARLEY_PROCESSES_PER;

    if (n < PARLEY_PROCESSES_MIN) {
        n = PARLEY_PROCESSES_MIN;

    } else if (n > PARLEY_PROCESSES_MAX) {
        n = PARLEY_PROCESSES_MAX;
    }

    head = sizeof(parley_shared_t)
           + (n + 1 + s->workers) * sizeof(parley_member_of_t);
    head = (head + PARLEY_BLOCK - 1) / PARLEY_BLOCK * PARLEY_BLOCK;

    if (size < head) {
        return -1;
    }

    sh = p;

    memset(sh, 0, head);
    memcpy(sh->secret, secret, PARLEY_KEY_SECRET);

    sh->jobs.next = PARLEY_DUE_NEVER;

    sh->nprocesses = (uint32_t) n;
    sh->nworkers = s->workers;
    sh->table = parley_table_create((uint8_t *) p + head, size - head);

    if (sh->table == NULL) {
        return -1;
    }

    parley_memory_adopt(s, p);

    return 0;
}


void
parley_memory_adopt(parley_memory_t *s, void *p)
{
    s->sh = p;
    s->repair = parley_memory_repair_locked;
    s->process = 0;

    parley_state_init(&s->state, &parley_memory_ops, s->sh->secret);

    s->state.near = parley_table_near(s->sh->table, &s->state.near_mask);
}


/* the reservations of the dead process are found as those of any other */

void
parley_memory_repair_locked(const parley_memory_t *s)
{
    int64_t          now;
    parley_memory_t  copy;

    now = parley_memory_now(s);
    copy = *s;

    parley_table_repair_locked(s->sh->table, now);
    parley_job_repair_locked(&copy, now);
    parley_record_repair_locked(&copy);
    parley_settle_mend_locked(&copy, now);

    s->sh->repairs++;
    s->sh->vacated = 1;

    if (s->env.repaired != NULL) {
        s->env.repaired(s->env.ctx);
    }
}


void
parley_memory_bound(parley_memory_t *s, parley_evictable_t queue, size_t octets,
    size_t entries)
{
    parley_memory_lock(s);
    parley_table_bound_locked(s->sh->table, queue, octets, entries);
    parley_memory_unlock(s);
}


void
parley_memory_bounds(parley_memory_t *s, size_t retain, size_t replay)
{
    size_t               size;
    parley_state_room_t  stat;

    parley_memory_table(s, &stat);

    size = stat.blocks * PARLEY_BLOCK;

    parley_memory_bound(s, PARLEY_EVICTABLE_MESSAGE,
                        size / PARLEY_MEMORY_RETAIN, retain);
    parley_memory_bound(s, PARLEY_EVICTABLE_OPTIONAL,
                        size / PARLEY_MEMORY_ASIDES, 0);
    parley_memory_bound(s, PARLEY_EVICTABLE_ANSWER, replay, 0);
    parley_memory_bound(s, PARLEY_EVICTABLE_RATE, size / PARLEY_MEMORY_RATES,
                        0);
    parley_memory_bound(s, PARLEY_EVICTABLE_TOKEN,
                        size / PARLEY_MEMORY_TOKENS, 0);
}


/*
 * Takes a free number, or that of a process that ended, and drops its
 * reservations.  A process that enters a second time, after a reload in a
 * single-process host, keeps its number.  If there is no free number, the
 * numbers of ended processes are searched.  Without a number, reservations last
 * as long as their lease.
 */

void
parley_memory_enter(parley_memory_t *s, const parley_process_t *self)
{
    uint32_t          i;
    parley_process_t  other;

    s->process = parley_memory_place(s, self);

    for (i = 1; i <= s->sh->nprocesses; i++) {

        parley_memory_lock(s);
        other = s->sh->processes[i].process;
        parley_memory_unlock(s);

        if (parley_memory_bury(s, i, &other) && s->process == 0) {
            s->process = parley_memory_place(s, self);
        }
    }

    parley_memory_orphans(s);
}


static uint32_t
parley_memory_place(parley_memory_t *s, const parley_process_t *self)
{
    uint32_t             i, found;
    parley_member_of_t  *m;

    found = 0;

    parley_memory_lock(s);

    for (i = 1; i <= s->sh->nprocesses; i++) {
        m = &s->sh->processes[i];

        if (parley_process_same(&m->process, self)) {
            found = i;
            break;
        }

        /* the end of a worker is to be told before its number is reused */

        if (m->process.pid == 0 && (found == 0 || (m->worker == 0
            && s->sh->processes[found].worker != 0)))
        {
            found = i;
        }
    }

    m = &s->sh->processes[found];

    if (found != 0 && m->process.pid == 0) {
        parley_memory_vacate_locked(s, m);
        m->process = *self;
        m->fed = 0;
        m->worker = 0;
        m->quits = 0;
    }

    parley_memory_unlock(s);

    return found;
}


void
parley_memory_leave(parley_memory_t *s)
{
    if (s->process == 0) {
        return;
    }

    parley_memory_lock(s);

    parley_memory_vacate_locked(s, &s->sh->processes[s->process]);

    parley_memory_unlock(s);

    s->process = 0;
}


void
parley_memory_table(parley_memory_t *s, parley_state_room_t *ret)
{
    size_t   n;
    int64_t  now;

    now = parley_memory_now(s);

    do {
        parley_memory_lock(s);

        n = parley_table_sweep_locked(s->sh->table, now, PARLEY_MEMORY_SWEEP);
        parley_table_stat_locked(s->sh->table, ret);

        parley_memory_unlock(s);

    } while (n == PARLEY_MEMORY_SWEEP);
}


static parley_state_done_t
parley_memory_stat(parley_state_t *state, parley_state_stat_t *ret,
    parley_call_t *call)
{
    size_t               left, *jobs;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_state_room_t  table;

    (void) call;

    parley_memory_table(s, &table);

    left = table.free + table.loose;

    ret->level = left < PARLEY_TABLE_FLOOR ? PARLEY_STATE_FULL
                 : left < table.blocks / PARLEY_MEMORY_LITTLE
                   ? PARLEY_STATE_LOW : PARLEY_STATE_OK;

    memcpy(ret->entries, table.entries, sizeof(ret->entries));

    parley_memory_lock(s);

    /* each node counts its own jobs */

    jobs = &ret->entries[PARLEY_KIND_JOB];
    *jobs -= *jobs < s->sh->jobs.elsewhere ? *jobs : s->sh->jobs.elsewhere;

    ret->limited = s->sh->limited;
    ret->orphans = s->sh->orphans;
    ret->repairs = s->sh->repairs;
    ret->taken = s->sh->jobs.taken;
    ret->counted = s->sh->jobs.counted;
    memcpy(ret->ended, s->sh->jobs.ended, sizeof(ret->ended));
    memcpy(ret->held, s->sh->held, sizeof(ret->held));

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


void
parley_memory_stamps(parley_memory_t *s, uint64_t last)
{
    s->sh->stamps = last;
}
