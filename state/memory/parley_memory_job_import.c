/*
 * Jobs of other nodes (parley_import.h).  A zone has them as
 * PARLEY_JOB_ELSEWHERE, and its processes do not take them until this node
 * adopts them.
 */

#include "state/parley_import.h"
#include "state/memory/parley_memory_job_parts.h"


#define PARLEY_JOB_BUCKETS  4096        /* buckets of one walk */
#define PARLEY_JOB_FOUND    64          /* jobs that one walk finds, without
                                           those of its last bucket */


/* a walk through the jobs that change their node */
typedef struct {
    parley_memory_t        *s;
    const parley_import_t  *i;
    int64_t                 now;
} parley_job_adoption_t;


/* a walk that finds jobs of a node that the node does not name */
typedef struct {
    parley_memory_t        *s;
    const parley_import_t  *i;
    const parley_entry_t   *found[2 * PARLEY_JOB_FOUND];
    size_t                  n;
} parley_job_keeping_t;


/* a walk through the jobs of this node */
typedef struct {
    parley_memory_t  *s;
    void            (*each)(void *ctx, uint64_t job);
    void             *ctx;
} parley_job_own_t;


static int parley_job_is_second(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t number, int64_t now);
static parley_entry_t *parley_job_first(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], parley_load_t *ret);
static int parley_job_adopt(void *ctx, const parley_entry_t *e);
static parley_entry_t *parley_job_find_number(parley_memory_t *s,
    const parley_import_end_t *end, parley_load_t *ret);
static int parley_job_unnamed(void *ctx, const parley_entry_t *e);
static int parley_job_is_named(const parley_import_t *i, uint64_t job);
static int parley_job_own(void *ctx, const parley_entry_t *e);


_Static_assert(PARLEY_MEMORY_NODES == PARLEY_IMPORT_NODES,
               "the state has a place for each node");


uint32_t
parley_job_import_orphans(parley_memory_t *s, const uint32_t *nodes, size_t n)
{
    size_t  i, k;

    for (i = 0; i < PARLEY_MEMORY_NODES; i++) {

        for (k = 0; k < n && nodes[k] != s->sh->nodes[i]; k++) {
            /* void */
        }

        if (k == n && s->sh->nodes[i] != 0) {
            return s->sh->nodes[i];
        }
    }

    return 0;
}


int
parley_job_import_add(parley_memory_t *s, const parley_import_t *i,
    int64_t now)
{
    size_t                k;
    const parley_job_t   *job;
    parley_job_origin_t   origin;

    origin.node = i->own ? 0 : i->worker.pid;

    for (k = 0; k < i->append->njobs; k++) {
        job = &i->append->jobs[k];
        origin.job = i->stamp != 0 ? i->stamp
                                   : i->number * PARLEY_JOBS_MAX + k;

        if (job->sole && parley_job_is_second(s, job->lane, origin.job, now)) {
            continue;
        }

        if (parley_job_put_locked(s, job, i->append->account, 0, NULL, &origin,
                                  now)
            != 0)
        {
            return -1;
        }
    }

    return 0;
}


/* Of the sole jobs of a lane, the one with the lowest number stays. */

static int
parley_job_is_second(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    uint64_t number, int64_t now)
{
    parley_load_t   load;
    parley_entry_t  *e;

    e = parley_job_first(s, lane, &load);

    if (e == NULL) {
        return 0;
    }

    if (load.job <= number) {
        return 1;
    }

    parley_job_remove_locked(s, load.lane, load.at, now);

    return 0;
}


/* Returns the first job of a lane, or NULL. */

static parley_entry_t *
parley_job_first(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    parley_load_t *ret)
{
    parley_entry_t       *e;
    const parley_lane_t  *l;

    l = parley_lane_find(s, lane);
    e = l != NULL ? parley_job_find(s, lane, l->first) : NULL;

    return e != NULL && parley_lane_of_subject(s, e->key, ret) != NULL
           ? e : NULL;
}


uint64_t
parley_job_import_sole(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    parley_arena_t *arena, parley_job_t *ret)
{
    uint8_t         *text;
    parley_load_t    load;
    parley_entry_t  *e, *more;

    e = parley_job_first(s, lane, &load);

    if (e == NULL || load.node != 0 || load.job == 0) {
        return 0;
    }

    more = parley_lane_of_subject(s, e->key, &load);
    text = parley_arena_octets(arena, load.size + 1);

    if (more == NULL || text == NULL) {
        return 0;
    }

    parley_table_read_locked(s->sh->table, more, sizeof(load), text, load.size);

    memset(ret, 0, sizeof(parley_job_t));
    memcpy(ret->lane, lane, PARLEY_KEY_LEN);

    ret->text = parley_str_make(text, load.size);
    ret->class = parley_job_class(e);
    ret->lasts = INT64_MAX;
    ret->sole = 1;

    return load.job;
}


/* An end is ignored if its node no longer has the job. */

void
parley_job_import_end(parley_memory_t *s, const parley_import_t *i,
    int64_t now)
{
    parley_str_t        text;
    parley_load_t       load;
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = parley_job_find_number(s, i->end, &load);

    if (e == NULL || load.node != (i->own ? 0 : i->worker.pid)) {
        return;
    }

    /* the step adds it again, with a place in the new epoch of its log */

    if (i->own && load.epoch != 0 && load.offset == 0) {
        parley_job_remove_locked(s, load.lane, load.at, now);
        return;
    }

    if (i->own) {
        parley_job_over_locked(s, load.lane, load.at, i->end->how, 0);
        parley_job_finish_locked(s, now);
        return;
    }

    if (i->end->how != PARLEY_JOB_AGAIN) {
        parley_job_remove_locked(s, load.lane, load.at, now);
        return;
    }

    parley_job_word(e, &w);

    w.mark = i->end->mark;
    w.tried += !i->end->untried && w.tried < PARLEY_JOB_TRIED;

    parley_job_set(e, &w);

    load.due = now + i->end->after;
    text = parley_str_make(&load, sizeof(load));
    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_LOAD, e->key);

    if (e != NULL) {
        parley_table_write_locked(s->sh->table, e, &text, 1);
    }
}


/* Most often, the job is the first of its lane. */

static parley_entry_t *
parley_job_find_number(parley_memory_t *s, const parley_import_end_t *end,
    parley_load_t *ret)
{
    uint64_t              at;
    parley_entry_t       *e;
    const parley_lane_t  *lane;

    lane = parley_lane_find(s, end->lane);

    for (at = lane != NULL ? lane->first : 1;
         lane != NULL && at <= lane->last;
         at++)
    {
        e = parley_job_find(s, end->lane, at);

        if (e != NULL && parley_lane_of_subject(s, e->key, ret) != NULL
            && ret->job == end->job)
        {
            return e;
        }
    }

    return NULL;
}


/*
 * Other processes may take the same step and later ones meanwhile.  The walk
 * changes no job of a later step.
 */

void
parley_job_import_adopt(parley_memory_t *s, const parley_import_t *i)
{
    size_t                 k, at;
    parley_job_adoption_t  walk;

    walk.s = s;
    walk.i = i;
    walk.now = parley_memory_now(s);

    at = 0;

    do {
        parley_memory_lock(s);

        if (i->number <= s->sh->appends.step) {
            parley_memory_unlock(s);
            return;
        }

        at = parley_table_walk_locked(s->sh->table, at, PARLEY_JOB_BUCKETS,
                                      parley_job_adopt, &walk);

        for (k = 0; at == 0 && k < PARLEY_MEMORY_NODES; k++) {
            if (s->sh->nodes[k] == i->node) {
                s->sh->nodes[k] = 0;
            }
        }

        parley_memory_unlock(s);

    } while (at != 0);
}


static int
parley_job_adopt(void *ctx, const parley_entry_t *e)
{
    parley_str_t            text;
    parley_load_t           load;
    parley_entry_t         *job, *more;
    parley_job_word_t       w;
    parley_job_adoption_t  *walk = ctx;

    if (e->kind != PARLEY_KIND_JOB) {
        return 0;
    }

    more = parley_lane_of_subject(walk->s, e->key, &load);

    if (more == NULL || load.job == 0 || load.node != walk->i->node
        || load.job / PARLEY_JOBS_MAX > walk->i->number)
    {
        return 0;
    }

    job = parley_table_entry(walk->s->sh->table,
                             (parley_block_t)
                             (e - parley_table_entry(walk->s->sh->table, 0)));

    parley_job_word(job, &w);
    parley_job_count(&walk->s->sh->jobs, job, &w, -1);

    load.node = walk->i->own ? 0 : walk->i->worker.pid;
    load.adopted = 1;
    w.owner = walk->i->own ? 0 : PARLEY_JOB_ELSEWHERE;

    if (!walk->i->own) {
        w.due = load.ends + PARLEY_JOB_FORGET;

    } else {
        w.due = load.due > walk->now ? load.due : walk->now;
    }

    parley_job_count(&walk->s->sh->jobs, job, &w, 1);

    if (job->closed) {
        parley_due_unlink(walk->s, job);
        parley_job_set(job, &w);
        parley_due_link(walk->s, job);

    } else {
        parley_job_set(job, &w);
    }

    /* last: a walk that did not come to this is repeated */

    text = parley_str_make(&load, sizeof(load));
    parley_table_write_locked(walk->s->sh->table, more, &text, 1);

    if (load.node != 0) {
        parley_memory_node(walk->s, load.node);
    }

    return 0;
}


/*
 * The node has ended the others, or never had them, and a failover has lost the
 * step that says so.  The later jobs of their lanes would wait for them.
 */

void
parley_job_import_keep(parley_memory_t *s, const parley_import_t *i,
    int64_t now)
{
    size_t                k, at;
    parley_load_t         load;
    parley_job_keeping_t  walk;

    walk.s = s;
    walk.i = i;

    at = 0;

    do {
        parley_memory_lock(s);

        if (i->number <= s->sh->appends.step) {
            parley_memory_unlock(s);
            return;
        }

        walk.n = 0;
        at = parley_table_walk_locked(s->sh->table, at, PARLEY_JOB_BUCKETS,
                                      parley_job_unnamed, &walk);

        for (k = 0; k < walk.n; k++) {
            if (parley_lane_of_subject(s, walk.found[k]->key, &load) != NULL) {
                parley_job_remove_locked(s, load.lane, load.at, now);
            }
        }

        parley_memory_unlock(s);

    } while (at != 0);
}


static int
parley_job_unnamed(void *ctx, const parley_entry_t *e)
{
    parley_load_t          load;
    parley_job_keeping_t  *walk = ctx;

    if (e->kind == PARLEY_KIND_JOB && walk->n < 2 * PARLEY_JOB_FOUND
        && parley_lane_of_subject(walk->s, e->key, &load) != NULL
        && load.job != 0 && load.node == walk->i->worker.pid
        && load.job >= walk->i->from && load.job < walk->i->till
        && !parley_job_is_named(walk->i, load.job))
    {
        walk->found[walk->n++] = e;
    }

    return walk->n >= PARLEY_JOB_FOUND;
}


static int
parley_job_is_named(const parley_import_t *i, uint64_t job)
{
    size_t  low, high, middle;

    low = 0;
    high = i->njobs;

    while (low < high) {
        middle = low + (high - low) / 2;

        if (i->jobs[middle] < job) {
            low = middle + 1;

        } else {
            high = middle;
        }
    }

    return low < i->njobs && i->jobs[low] == job;
}


size_t
parley_job_import_own(parley_memory_t *s, size_t at,
    void (*each)(void *ctx, uint64_t job), void *ctx)
{
    parley_job_own_t  walk = { s, each, ctx };

    return parley_table_walk_locked(s->sh->table, at, PARLEY_JOB_BUCKETS,
                                    parley_job_own, &walk);
}


static int
parley_job_own(void *ctx, const parley_entry_t *e)
{
    parley_load_t      load;
    parley_job_own_t  *walk = ctx;

    if (e->kind == PARLEY_KIND_JOB
        && parley_lane_of_subject(walk->s, e->key, &load) != NULL
        && load.job != 0 && load.node == 0)
    {
        walk->each(walk->ctx, load.job);
    }

    return 0;
}


int
parley_import_has_lane(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN])
{
    int               has;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    has = parley_lane_has_jobs(s, lane);
    parley_memory_unlock(s);

    return has;
}


uint64_t
parley_import_sole(parley_state_t *state, const uint8_t lane[PARLEY_KEY_LEN],
    parley_arena_t *arena, parley_job_t *ret)
{
    uint64_t          number;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    number = parley_job_import_sole(s, lane, arena, ret);
    parley_memory_unlock(s);

    return number;
}


size_t
parley_import_jobs(parley_state_t *state, size_t at,
    void (*each)(void *ctx, uint64_t job), void *ctx)
{
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    at = parley_job_import_own(s, at, each, ctx);
    parley_memory_unlock(s);

    return at;
}


int
parley_import_has_job(parley_state_t *state, const parley_job_id_t *id,
    uint64_t *job)
{
    int               has;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    has = parley_job_has_locked(s, id, job);
    parley_memory_unlock(s);

    return has;
}
