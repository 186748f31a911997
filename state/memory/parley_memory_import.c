/*
 * Takes over the appends and sessions of a store, which several nodes share
 * (parley_import.h).
 */

#include "state/parley_import.h"
#include "state/memory/parley_memory_job_parts.h"


#define PARLEY_IMPORT_BUCKETS  4096     /* buckets of one walk */


/* a walk through the sessions of this node */
typedef struct {
    parley_memory_t  *s;
    void            (*each)(void *ctx, const parley_join_t *j, uint64_t stamp,
                        const parley_process_t *worker);
    void             *ctx;
} parley_import_walk_t;


static uint32_t parley_import_enter(parley_state_t *state, uint64_t worker,
    const parley_process_link_t *link);
static int parley_import_begins(parley_state_t *state, uint64_t generation);
static uint64_t parley_import_generation(parley_state_t *state);
static int parley_import_is_due(parley_state_t *state,
    parley_import_due_t which, int64_t ms);
static void parley_import_put_off(parley_state_t *state,
    parley_import_due_t which, int64_t ms);
static uint64_t parley_import_number(parley_state_t *state);
static parley_imported_t parley_import_take(parley_state_t *state,
    const parley_import_t *i);
static int parley_import_append(parley_memory_t *s, const parley_import_t *i,
    int64_t now);
static void parley_import_miss(parley_state_t *state, uint64_t number);
static void parley_import_leave_all(parley_memory_t *s);
static int parley_import_is_record(void *last, const parley_entry_t *e);
static uint32_t parley_import_keep_nodes(parley_state_t *state,
    const uint32_t *nodes, size_t n, uint64_t number);
static int parley_import_quits(parley_state_t *state);
static uint64_t parley_import_ended(parley_state_t *state, uint32_t *at,
    parley_process_link_t *link);
static void parley_import_ended_told(parley_state_t *state, uint64_t worker);
static size_t parley_import_sessions(parley_state_t *state, size_t at,
    void (*each)(void *ctx, const parley_join_t *j, uint64_t stamp,
        const parley_process_t *worker),
    void *ctx);
static int parley_import_session(void *ctx, const parley_entry_t *e);
static uint32_t parley_import_process(parley_memory_t *s,
    const parley_import_t *i, int adds);
static uint32_t parley_import_worker(parley_memory_t *s,
    const parley_process_t *worker, int adds);
static parley_append_verdict_t parley_import_may_append(parley_state_t *state,
    const parley_append_t *a, parley_appended_t *ret);
static parley_join_verdict_t parley_import_may_join(parley_state_t *state,
    const parley_join_t *j);
static void parley_import_joined(parley_state_t *state, const parley_join_t *j,
    uint64_t stamp, parley_joined_t *ret);
static uint64_t parley_import_appended(parley_state_t *state,
    const parley_erase_t *e);
static size_t parley_import_had(parley_state_t *state,
    const parley_had_t *had);
static void parley_import_leave(parley_state_t *state,
    const parley_leave_t *l);
static void parley_import_leave_before(parley_state_t *state,
    const parley_leave_t *l, uint64_t number);
static int parley_import_has_session(parley_state_t *state,
    const parley_leave_t *l);
static parley_import_held_t parley_import_held(parley_state_t *state,
    parley_import_id_t *id);


_Static_assert((int) PARLEY_MEMORY_DUES == PARLEY_IMPORT_DUES,
               "the state has a time for each periodic work");


const parley_import_ops_t  parley_memory_import_ops = {
    .enter = parley_import_enter,
    .begins = parley_import_begins,
    .generation = parley_import_generation,
    .is_due = parley_import_is_due,
    .put_off = parley_import_put_off,
    .number = parley_import_number,
    .take = parley_import_take,
    .miss = parley_import_miss,
    .keep_nodes = parley_import_keep_nodes,
    .quits = parley_import_quits,
    .ended = parley_import_ended,
    .ended_told = parley_import_ended_told,
    .sessions = parley_import_sessions,
    .may_append = parley_import_may_append,
    .may_join = parley_import_may_join,
    .joined = parley_import_joined,
    .appended = parley_import_appended,
    .had = parley_import_had,
    .leave = parley_import_leave,
    .leave_before = parley_import_leave_before,
    .has_session = parley_import_has_session,
    .has_lane = parley_import_has_lane,
    .sole = parley_import_sole,
    .jobs = parley_import_jobs,
    .owed_before = parley_import_owed_before,
    .held = parley_import_held,
    .has_job = parley_import_has_job,
};


static uint32_t
parley_import_enter(parley_state_t *state, uint64_t worker,
    const parley_process_link_t *link)
{
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_member_of_t  *m = &s->sh->processes[s->process];

    if (s->process != 0) {
        parley_memory_lock(s);
        m->worker = worker;
        m->link = *link;
        m->linked = 1;
        parley_memory_unlock(s);
    }

    return s->process;
}


static int
parley_import_begins(parley_state_t *state, uint64_t generation)
{
    int               other;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    other = s->sh->generation != generation;
    s->sh->generation = generation;
    parley_memory_unlock(s);

    return other;
}


static uint64_t
parley_import_generation(parley_state_t *state)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    return __atomic_load_n(&s->sh->generation, __ATOMIC_RELAXED);
}


static int
parley_import_is_due(parley_state_t *state, parley_import_due_t which,
    int64_t ms)
{
    int64_t           now, last;
    parley_memory_t  *s = (parley_memory_t *) state;

    now = parley_memory_now(s);
    last = __atomic_load_n(&s->sh->due[which], __ATOMIC_RELAXED);

    return now - last >= ms
           && __atomic_compare_exchange_n(&s->sh->due[which], &last, now, 0,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}


static void
parley_import_put_off(parley_state_t *state, parley_import_due_t which,
    int64_t ms)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    __atomic_store_n(&s->sh->due[which], parley_memory_now(s) + ms,
                     __ATOMIC_RELAXED);
}


static uint64_t
parley_import_number(parley_state_t *state)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    return __atomic_load_n(&s->sh->appends.step, __ATOMIC_RELAXED);
}


static parley_imported_t
parley_import_take(parley_state_t *state, const parley_import_t *i)
{
    size_t              k;
    int64_t             now;
    uint32_t            process;
    parley_memory_t    *s = (parley_memory_t *) state;
    parley_imported_t   ret;

    now = parley_memory_now(s) - i->age;

    if (i->kind == PARLEY_IMPORT_ADOPT) {
        parley_job_import_adopt(s, i);

    } else if (i->kind == PARLEY_IMPORT_KEEP && !i->own) {
        parley_job_import_keep(s, i, now);
    }

    parley_memory_lock(s);

    parley_append_recover(s, now);

    if (i->number <= s->sh->appends.step) {
        parley_memory_unlock(s);
        return PARLEY_IMPORTED_BEFORE;
    }

    ret = PARLEY_IMPORTED;

    /* a node closes its questions, drops its jobs and ends its attempts at
       once; its own step may find newer ones */

    switch (i->kind) {

    case PARLEY_IMPORT_APPEND:
        if (parley_import_append(s, i, now) != 0 && i->own
            && i->append->njobs != 0)
        {
            ret = PARLEY_IMPORTED_LOST;
        }

        break;

    case PARLEY_IMPORT_ERASE:
        parley_log_erase(s, i->erase, now);
        break;

    case PARLEY_IMPORT_HAD:
        (void) parley_owed_had(s, i->had, now);
        break;

    case PARLEY_IMPORT_JOIN:
        process = parley_import_process(s, i, 1);
        s->sh->processes[process].joined = i->number;

        /* a session that is added again, for other zones, may have left */

        if (i->own && i->stamp != i->number) {
            process = 0;
        }

        if (parley_roster_set(s, process, i->join, &i->place, i->stamp, now)) {
            ret = PARLEY_IMPORTED_REPLACED;
        }

        break;

    case PARLEY_IMPORT_LEAVE:
        parley_roster_unset(s, i->leave, parley_import_process(s, i, 0));
        break;

    case PARLEY_IMPORT_GONE:
        process = i->own ? 0 : parley_import_worker(s, &i->worker, 0);

        if (process != 0) {
            parley_memory_vacate_locked(s, &s->sh->processes[process]);
        }

        break;

    case PARLEY_IMPORT_ROSTER:

        /* joins before it may lack their leaves */

        if (i->own) {
            parley_import_leave_all(s);
        }

        break;

    case PARLEY_IMPORT_CLOSE:
        for (k = 0; k < i->ncloses && !i->own; k++) {
            (void) parley_record_close_locked(s, &i->closes[k]);
        }

        break;

    case PARLEY_IMPORT_DROP:
        (void) parley_job_drop_locked(s, i->lane, i->own, now);
        break;

    case PARLEY_IMPORT_ADD:
        if (parley_job_import_add(s, i, now) != 0 && i->own) {
            ret = PARLEY_IMPORTED_LOST;
        }

        break;

    case PARLEY_IMPORT_END:
        if (!i->own) {
            parley_job_import_end(s, i, now);
        }

        break;

    case PARLEY_IMPORT_ADOPT:
    case PARLEY_IMPORT_KEEP:
    case PARLEY_IMPORT_NOTHING:
        break;
    }

    s->sh->appends.step = i->number;

    parley_memory_unlock(s);

    if (i->kind == PARLEY_IMPORT_GONE || i->kind == PARLEY_IMPORT_ROSTER) {
        parley_memory_orphans(s);
    }

    return ret;
}


/* A record that has no room is missed by the readers of its logs; returns -1,
   else 0. */

static int
parley_import_append(parley_memory_t *s, const parley_import_t *i, int64_t now)
{
    size_t             k;
    parley_log_t       log;
    parley_appended_t  ret;

    if (i->end != NULL) {
        parley_job_import_end(s, i, now);
    }

    memset(&ret, 0, sizeof(parley_appended_t));

    ret.places = parley_arena_calloc(i->append->arena,
                                     (i->append->nlogs + 1)
                                     * sizeof(parley_placed_t));

    if (ret.places != NULL
        && parley_append_write(s, i->append, i, now, &ret) == PARLEY_APPEND_OK)
    {
        return 0;
    }

    for (k = 0; k < i->append->nlogs; k++) {
        (void) parley_log_set(s, i->append->logs[k], i->append->account,
                              &i->places[k], now, &log);
    }

    return -1;
}


static void
parley_import_miss(parley_state_t *state, uint64_t number)
{
    int               more;
    size_t            at;
    uint64_t          last;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);

    /* another process was told so, and takes the steps after that number */

    if (number != 0 && s->sh->appends.step >= number) {
        parley_memory_unlock(s);
        return;
    }

    parley_import_leave_all(s);

    last = s->sh->appends.head;

    if (s->sh->appends.step < number) {
        s->sh->appends.step = number;
    }

    parley_memory_unlock(s);

    parley_memory_orphans(s);

    for (at = 0, more = number != 0; more; /* void */ ) {
        parley_memory_lock(s);
        at = parley_table_drop_locked(s->sh->table, at, PARLEY_IMPORT_BUCKETS,
                                      parley_import_is_record, &last);
        parley_memory_unlock(s);

        more = at != 0;
    }
}


/* Drops the sessions of other nodes. */

static void
parley_import_leave_all(parley_memory_t *s)
{
    uint32_t  i;

    for (i = 1; i <= s->sh->nworkers; i++) {
        parley_memory_vacate_locked(s,
                                    &s->sh->processes[s->sh->nprocesses + i]);
    }
}


/* Returns whether an entry is a place of the last record, or of one before. */

static int
parley_import_is_record(void *last, const parley_entry_t *e)
{
    parley_log_place_t  place;

    if (e->kind != PARLEY_KIND_PLACE) {
        return 0;
    }

    memcpy(&place, e->octets, sizeof(place));

    return place.number <= *(const uint64_t *) last;
}


static uint32_t
parley_import_keep_nodes(parley_state_t *state, const uint32_t *nodes,
    size_t n, uint64_t number)
{
    size_t               k;
    uint32_t             i, orphan;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_member_of_t  *m;

    parley_memory_lock(s);

    for (i = 1; i <= s->sh->nworkers; i++) {
        m = &s->sh->processes[s->sh->nprocesses + i];

        for (k = 0; k < n && nodes[k] != m->process.pid; k++) {
            /* void */
        }

        if (k == n && m->process.pid != 0 && m->joined <= number) {
            parley_memory_vacate_locked(s, m);
        }
    }

    orphan = parley_job_import_orphans(s, nodes, n);

    parley_memory_unlock(s);

    parley_memory_orphans(s);

    return orphan;
}


/* Of processes that end at once, the last one finds no other. */

static int
parley_import_quits(parley_state_t *state)
{
    uint32_t             i;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_process_t     other;
    parley_member_of_t  *m;

    if (s->process == 0) {
        return 0;
    }

    for (i = 1; i <= s->sh->nprocesses; i++) {
        m = &s->sh->processes[i];

        parley_memory_lock(s);

        s->sh->processes[s->process].quits = 1;

        other = m->process;
        other.pid = m->quits ? 0 : other.pid;

        parley_memory_unlock(s);

        if (other.pid != 0 && !parley_memory_bury(s, i, &other)) {
            return 0;
        }
    }

    return 1;
}


static uint64_t
parley_import_ended(parley_state_t *state, uint32_t *at,
    parley_process_link_t *link)
{
    uint64_t             worker;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_member_of_t  *m;

    worker = 0;

    parley_memory_lock(s);

    while (worker == 0 && *at < s->sh->nprocesses) {
        m = &s->sh->processes[++*at];

        if (m->process.pid == 0 && m->worker != 0) {
            worker = m->worker;
            *link = m->link;
        }
    }

    parley_memory_unlock(s);

    return worker;
}


static void
parley_import_ended_told(parley_state_t *state, uint64_t worker)
{
    uint32_t             i;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_member_of_t  *m;

    parley_memory_lock(s);

    for (i = 1; i <= s->sh->nprocesses; i++) {
        m = &s->sh->processes[i];

        if (m->process.pid == 0 && m->worker == worker) {
            m->worker = 0;
        }
    }

    parley_memory_unlock(s);
}


static size_t
parley_import_sessions(parley_state_t *state, size_t at,
    void (*each)(void *ctx, const parley_join_t *j, uint64_t stamp,
        const parley_process_t *worker),
    void *ctx)
{
    parley_memory_t       *s = (parley_memory_t *) state;
    parley_import_walk_t   walk = { s, each, ctx };

    parley_memory_lock(s);
    at = parley_table_walk_locked(s->sh->table, at, PARLEY_IMPORT_BUCKETS,
                                  parley_import_session, &walk);
    parley_memory_unlock(s);

    return at;
}


static int
parley_import_session(void *ctx, const parley_entry_t *e)
{
    uint8_t                room[PARLEY_ROSTER_TEXTS], log[PARLEY_KEY_LEN];
    parley_join_t          join;
    parley_process_t       worker;
    parley_import_walk_t  *walk = ctx;

    if (e->kind != PARLEY_KIND_SESSION || e->mark == 0
        || e->mark > walk->s->sh->nprocesses
        || parley_memory_has_left(walk->s, e))
    {
        return 0;
    }

    parley_roster_read(walk->s, e, room, log, &join);

    worker.pid = e->mark;
    worker.began = walk->s->sh->processes[e->mark].worker;

    walk->each(walk->ctx, &join, parley_entry_stamp(e), &worker);

    return 0;
}


/* Returns the process of a step; 0: it has ended, or is unknown. */

static uint32_t
parley_import_process(parley_memory_t *s, const parley_import_t *i, int adds)
{
    if (!i->own) {
        return parley_import_worker(s, &i->worker, adds);
    }

    return i->worker.pid <= s->sh->nprocesses
           && s->sh->processes[i->worker.pid].worker == i->worker.began
           ? i->worker.pid : 0;
}


/* Returns the number of a worker of another node.  adds: adds it if there is
   room.  0: none. */

static uint32_t
parley_import_worker(parley_memory_t *s, const parley_process_t *worker,
    int adds)
{
    uint32_t             i, at;
    parley_member_of_t  *m;

    for (i = 1; i <= s->sh->nworkers; i++) {
        if (parley_process_same(&s->sh->processes[s->sh->nprocesses
                                                  + i].process,
                                worker))
        {
            return s->sh->nprocesses + i;
        }
    }

    /* a number is reused as late as possible: entries may remain */

    for (i = 0; adds && i < s->sh->nworkers; i++) {
        at = s->sh->worker++ % s->sh->nworkers + 1;
        m = &s->sh->processes[s->sh->nprocesses + at];

        if (m->process.pid == 0) {
            m->process = *worker;
            m->joins = 0;
            m->since = 0;

            return s->sh->nprocesses + at;
        }
    }

    return 0;
}


static parley_append_verdict_t
parley_import_may_append(parley_state_t *state, const parley_append_t *a,
    parley_appended_t *ret)
{
    int64_t                   now;
    parley_memory_t          *s = (parley_memory_t *) state;
    parley_append_verdict_t   rc;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    rc = a->asks ? parley_append_count(s, a, ret)
                 : parley_append_may(s, a, now);

    parley_memory_unlock(s);

    return rc;
}


static parley_join_verdict_t
parley_import_may_join(parley_state_t *state, const parley_join_t *j)
{
    parley_memory_t        *s = (parley_memory_t *) state;
    parley_join_verdict_t   rc;

    parley_memory_lock(s);
    rc = parley_roster_may_join(s, j, parley_memory_now(s));
    parley_memory_unlock(s);

    return rc;
}


static void
parley_import_joined(parley_state_t *state, const parley_join_t *j,
    uint64_t stamp, parley_joined_t *ret)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);
    parley_roster_joined(s, j, stamp, now, ret);

    parley_memory_unlock(s);
}


static uint64_t
parley_import_appended(parley_state_t *state, const parley_erase_t *e)
{
    uint64_t            number;
    parley_memory_t    *s = (parley_memory_t *) state;
    parley_log_head_t   head;

    parley_memory_lock(s);
    number = parley_log_number(s, e, parley_memory_now(s), &head);
    parley_memory_unlock(s);

    return number != 0 ? head.step : 0;
}


static size_t
parley_import_had(parley_state_t *state, const parley_had_t *had)
{
    size_t            n;
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);
    n = parley_owed_had(s, had, now);

    parley_memory_unlock(s);

    return n;
}


static void
parley_import_leave(parley_state_t *state, const parley_leave_t *l)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    parley_roster_unset(s, l, 0);
    parley_memory_unlock(s);
}


static void
parley_import_leave_before(parley_state_t *state, const parley_leave_t *l,
    uint64_t number)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    parley_roster_unset_before(s, l, number);
    parley_memory_unlock(s);
}


static int
parley_import_has_session(parley_state_t *state, const parley_leave_t *l)
{
    int               has;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    has = parley_roster_has(s, l);
    parley_memory_unlock(s);

    return has;
}


static parley_import_held_t
parley_import_held(parley_state_t *state, parley_import_id_t *id)
{
    int64_t                now;
    parley_memory_t       *s = (parley_memory_t *) state;
    parley_import_held_t   ret = PARLEY_IMPORT_FREE;
    const parley_entry_t  *e;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    e = parley_table_find_locked(s->sh->table, (uint8_t) id->kind, id->key);

    if (e != NULL && e->mark != PARLEY_MARK_TAKEN) {
        ret = PARLEY_IMPORT_RESERVED;

    } else if (e != NULL && (int64_t) e->expires > now) {
        ret = PARLEY_IMPORT_TAKEN;
        id->left = (int64_t) e->expires - now;

        if (parley_entry_stamp(e) != 0) {
            id->stamp = parley_entry_stamp(e);
        }

        if (id->kind == PARLEY_KIND_ID) {
            memcpy(id->print, e->octets, PARLEY_PRINT_LEN);
        }
    }

    parley_memory_unlock(s);

    return ret;
}
