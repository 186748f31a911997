/*
 * The entries of jobs, and their order.  Only the first job of a lane is in the
 * lists of due jobs.  If a process dies during a change, lanes and lists are
 * rebuilt from the existing jobs.
 */

#include "state/memory/parley_memory_job_parts.h"


#define PARLEY_LANE_BUCKETS  4096       /* buckets of one walk */


static parley_entry_t *parley_lane_open(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], const uint8_t *account, int64_t now);
static void parley_job_unmake(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at);
static void parley_lane_urge(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], const parley_lane_t *l);
static void parley_lane_next(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], int64_t now);
static void parley_job_key(const uint8_t lane[PARLEY_KEY_LEN], uint64_t at,
    uint8_t out[PARLEY_KEY_LEN]);
static void parley_job_walk(parley_memory_t *s,
    int (*is)(void *ctx, const parley_entry_t *e));
static int parley_repair_empties(void *ctx, const parley_entry_t *e);
static int parley_repair_jobs(void *ctx, const parley_entry_t *e);
static int parley_repair_rests(void *ctx, const parley_entry_t *e);
static int parley_repair_lists(void *ctx, const parley_entry_t *e);


/* As the keys of places in a log, so that the jobs of one lane are spread. */

static void
parley_job_key(const uint8_t lane[PARLEY_KEY_LEN], uint64_t at,
    uint8_t out[PARLEY_KEY_LEN])
{
    uint64_t  words[2];

    memcpy(words, lane, PARLEY_KEY_LEN);
    words[0] ^= at;
    memcpy(out, words, PARLEY_KEY_LEN);
}


/* Returns the writable entry for an entry that a walk shows. */

static parley_entry_t *
parley_lane_own(parley_memory_t *s, const parley_entry_t *e)
{
    return parley_table_entry(s->sh->table,
                              (parley_block_t)
                              (e - parley_table_entry(s->sh->table, 0)));
}


static parley_entry_t *
parley_lane_entry(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN])
{
    return parley_table_find_locked(s->sh->table, PARLEY_KIND_LANE, lane);
}


parley_lane_t *
parley_lane_find(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN])
{
    parley_entry_t  *e;

    e = parley_lane_entry(s, lane);

    return e != NULL ? parley_lane_of(e) : NULL;
}


int
parley_lane_has_jobs(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN])
{
    const parley_lane_t  *l;

    l = parley_lane_find(s, lane);

    return l != NULL && l->first <= l->last;
}


/*
 * The keys of two lanes may collide.  The second entry, which names its lane,
 * decides.
 */

parley_entry_t *
parley_job_find(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    uint64_t at)
{
    uint8_t  key[PARLEY_KEY_LEN];

    parley_job_key(lane, at, key);

    return parley_table_find_locked(s->sh->table, PARLEY_KIND_JOB, key);
}


parley_entry_t *
parley_lane_of_subject(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    parley_load_t *ret)
{
    parley_entry_t  *e;

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_LOAD, key);

    if (e != NULL) {
        parley_table_read_locked(s->sh->table, e, 0, ret,
                                 sizeof(parley_load_t));
    }

    return e;
}


size_t
parley_job_blocks(const parley_job_t *job)
{
    return 2 + parley_table_blocks(sizeof(parley_load_t) + job->text.len);
}


static parley_entry_t *
parley_lane_open(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    const uint8_t *account, int64_t now)
{
    parley_lane_t   *l;
    parley_entry_t  *e;

    e = parley_lane_entry(s, lane);

    if (e != NULL) {
        return e;
    }

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_LANE,
                                PARLEY_EVICTABLE_NONE, lane, account, 0,
                                PARLEY_TABLE_FOREVER, now);

    if (e != NULL) {
        l = parley_lane_of(e);
        l->first = 1;
        l->last = 0;
        parley_table_made_locked(s->sh->table);
    }

    return e;
}


/*
 * A job exists once its entry is complete; it belongs to its lane once the
 * lane's numbers include it.
 */

int
parley_job_put_locked(parley_memory_t *s, const parley_job_t *job,
    const uint8_t *account, uint64_t record, const parley_place_t *place,
    const parley_job_origin_t *origin, int64_t now)
{
    uint8_t             key[PARLEY_KEY_LEN];
    parley_str_t        parts[2];
    parley_load_t       load;
    parley_lane_t      *l;
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = parley_lane_open(s, job->lane, account, now);

    if (e == NULL) {
        return -1;
    }

    memset(&load, 0, sizeof(load));
    memcpy(load.lane, job->lane, PARLEY_KEY_LEN);

    load.at = parley_lane_of(e)->last + 1;
    load.record = record;
    load.ends = job->lasts < PARLEY_WORD_LATEST - now
                ? now + job->lasts : PARLEY_WORD_LATEST;
    load.due = job->after < PARLEY_WORD_LATEST - now
               ? now + job->after : PARLEY_WORD_LATEST;
    load.size = (uint32_t) job->text.len;
    load.job = origin->job;
    load.node = origin->node;

    if (place != NULL) {
        load.epoch = place->epoch;
        load.offset = place->offset;
    }

    parts[0] = parley_str_make(&load, sizeof(load));
    parts[1] = job->text;

    parley_job_key(job->lane, load.at, key);

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_LOAD,
                                PARLEY_EVICTABLE_NONE, key, account,
                                sizeof(load) + job->text.len,
                                PARLEY_TABLE_FOREVER, now);

    if (e != NULL) {
        parley_table_write_locked(s->sh->table, e, parts, 2);

        e = parley_table_add_locked(s->sh->table, PARLEY_KIND_JOB,
                                    PARLEY_EVICTABLE_NONE, key, account, 0,
                                    PARLEY_TABLE_FOREVER, now);
    }

    if (e == NULL) {
        parley_job_unmake(s, job->lane, load.at);
        return -1;
    }

    w.due = load.due;
    w.tried = 0;
    w.mark = 0;
    w.owner = 0;

    if (origin->node != 0) {
        w.owner = PARLEY_JOB_ELSEWHERE;
        w.due = load.ends + PARLEY_JOB_FORGET;
        parley_memory_node(s, origin->node);
    }

    e->mark = (uint16_t) (job->counted << PARLEY_DUE_COUNTED);
    parley_job_set_mark(e, job->class, 0);
    parley_job_set(e, &w);
    parley_table_made_locked(s->sh->table);

    parley_job_count(&s->sh->jobs, e, &w, 1);

    l = parley_lane_of(parley_lane_entry(s, job->lane));
    l->last = load.at;

    if (l->first == load.at) {
        parley_due_link(s, e);

    } else if (job->class == PARLEY_JOB_URGENT) {
        parley_lane_urge(s, job->lane, l);
    }

    return 0;
}


/* Makes the jobs before the last one as urgent as it is. */

static void
parley_lane_urge(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    const parley_lane_t *l)
{
    uint64_t         at;
    parley_entry_t  *e;

    for (at = l->last - 1; at >= l->first; at--) {

        e = parley_job_find(s, lane, at);

        if (e == NULL) {
            continue;
        }

        if (parley_job_class(e) != PARLEY_JOB_ORDINARY) {
            return;
        }

        parley_job_set_mark(e, PARLEY_JOB_URGENT, e->mark % PARLEY_DUE_SLOTS);
    }
}


void
parley_job_unput_locked(parley_memory_t *s, const parley_job_t *jobs, size_t n)
{
    parley_lane_t   *l;
    parley_entry_t  *e;

    while (n-- > 0) {
        e = parley_lane_entry(s, jobs[n].lane);

        if (e != NULL) {
            l = parley_lane_of(e);
            l->last--;

            parley_job_unmake(s, jobs[n].lane, l->last + 1);
        }
    }
}


/* Removes the entries of a job behind the last of its lane, if they exist. */

static void
parley_job_unmake(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    uint64_t at)
{
    uint8_t             key[PARLEY_KEY_LEN];
    parley_load_t       load;
    parley_entry_t     *e;
    parley_job_word_t   w;

    parley_job_key(lane, at, key);

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_JOB, key);

    if (e != NULL) {
        parley_job_word(e, &w);
        parley_job_count(&s->sh->jobs, e, &w, -1);
        parley_due_unlink(s, e);
        parley_table_remove_locked(s->sh->table, e);
    }

    e = parley_lane_of_subject(s, key, &load);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);
    }

    e = parley_lane_entry(s, lane);

    if (e != NULL && parley_lane_of(e)->last < parley_lane_of(e)->first) {
        parley_table_remove_locked(s->sh->table, e);
    }
}


void
parley_job_remove_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at, int64_t now)
{
    uint8_t             key[PARLEY_KEY_LEN];
    parley_load_t       load;
    parley_entry_t     *e;
    parley_job_word_t   w;

    parley_job_key(lane, at, key);

    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_JOB, key);

    if (e != NULL) {
        parley_job_word(e, &w);
        parley_job_count(&s->sh->jobs, e, &w, -1);
        parley_due_unlink(s, e);
        parley_table_remove_locked(s->sh->table, e);
    }

    e = parley_lane_of_subject(s, key, &load);

    if (e != NULL) {
        parley_table_remove_locked(s->sh->table, e);

        if (load.record != 0) {
            parley_append_unkeep(s, load.record);
        }
    }

    parley_lane_next(s, lane, now);
}


/* an end that was interrupted may have done this already */

static void
parley_lane_next(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    int64_t now)
{
    parley_lane_t      *l;
    parley_entry_t     *e, *job;
    parley_job_word_t   w;

    e = parley_lane_entry(s, lane);

    if (e == NULL) {
        return;
    }

    for (l = parley_lane_of(e); l->first <= l->last; l->first++) {

        job = parley_job_find(s, lane, l->first);

        if (job == NULL) {
            continue;
        }

        if (!job->closed) {
            parley_job_word(job, &w);

            if (w.due < now) {
                w.due = now;
                parley_job_set(job, &w);
            }

            parley_due_link(s, job);
        }

        return;
    }

    parley_table_remove_locked(s->sh->table, e);
}


static void
parley_job_walk(parley_memory_t *s,
    int (*is)(void *ctx, const parley_entry_t *e))
{
    size_t  at;

    at = 0;

    do {
        at = parley_table_drop_locked(s->sh->table, at, PARLEY_LANE_BUCKETS,
                                      is, s);
    } while (at != 0);
}


/*
 * Removes jobs of an append that did not become visible.  Their claims on the
 * record remain until the record ends.
 */

void
parley_job_repair_locked(parley_memory_t *s, int64_t now)
{
    parley_due_t  *jobs;

    jobs = &s->sh->jobs;

    if (jobs->ending && jobs->number > s->sh->appends.head) {
        jobs->ending = 0;
    }

    parley_due_clear(s, now);
    jobs->elsewhere = 0;
    jobs->taken = 0;
    jobs->counted = 0;

    parley_job_walk(s, parley_repair_empties);
    parley_job_walk(s, parley_repair_jobs);
    parley_job_walk(s, parley_repair_rests);
    parley_job_walk(s, parley_repair_lists);

    parley_job_finish_locked(s, now);
}


static int
parley_repair_empties(void *ctx, const parley_entry_t *e)
{
    parley_lane_t    *l;
    parley_memory_t  *s = ctx;

    if (e->kind == PARLEY_KIND_LANE) {
        l = parley_lane_of(parley_lane_own(s, e));
        l->first = UINT64_MAX;
        l->last = 0;
    }

    return 0;
}


static int
parley_repair_jobs(void *ctx, const parley_entry_t *e)
{
    parley_lane_t      *l;
    parley_load_t       load;
    parley_entry_t     *lane;
    parley_memory_t    *s = ctx;
    parley_job_word_t   w;

    if (e->kind != PARLEY_KIND_JOB) {
        return 0;
    }

    if (parley_lane_of_subject(s, e->key, &load) == NULL
        || load.record > s->sh->appends.head)
    {
        return 1;
    }

    lane = parley_lane_entry(s, load.lane);

    if (lane == NULL) {
        return 1;
    }

    l = parley_lane_of(lane);
    l->first = load.at < l->first ? load.at : l->first;
    l->last = load.at > l->last ? load.at : l->last;

    parley_job_word(e, &w);

    parley_job_count(&s->sh->jobs, e, &w, 1);
    parley_lane_own(s, e)->closed = 0;

    return 0;
}


static int
parley_repair_rests(void *ctx, const parley_entry_t *e)
{
    parley_memory_t  *s = ctx;

    if (e->kind == PARLEY_KIND_LANE) {
        return parley_lane_of(parley_lane_own(s, e))->last == 0;
    }

    return e->kind == PARLEY_KIND_LOAD
           && parley_table_find_locked(s->sh->table, PARLEY_KIND_JOB, e->key)
              == NULL;
}


static int
parley_repair_lists(void *ctx, const parley_entry_t *e)
{
    parley_load_t     load;
    parley_entry_t   *lane;
    parley_memory_t  *s = ctx;

    if (e->kind != PARLEY_KIND_JOB
        || parley_lane_of_subject(s, e->key, &load) == NULL)
    {
        return 0;
    }

    lane = parley_lane_entry(s, load.lane);

    if (lane != NULL && parley_lane_of(lane)->first == load.at) {
        parley_due_link(s, parley_lane_own(s, e));
    }

    return 0;
}


void
parley_job_over_locked(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    uint64_t at, parley_job_how_t how, uint64_t number)
{
    parley_due_t  *jobs;

    jobs = &s->sh->jobs;

    jobs->how = (uint32_t) how;
    jobs->count = jobs->ended[how] + 1;
    jobs->number = number;
    jobs->at = at;
    memcpy(jobs->lane, lane, PARLEY_KEY_LEN);

    __atomic_store_n(&jobs->ending, 1, __ATOMIC_RELEASE);
}


void
parley_job_finish_locked(parley_memory_t *s, int64_t now)
{
    parley_due_t  *jobs;

    jobs = &s->sh->jobs;

    if (!jobs->ending) {
        return;
    }

    jobs->ended[jobs->how] = jobs->count;
    parley_job_remove_locked(s, jobs->lane, jobs->at, now);

    __atomic_store_n(&jobs->ending, 0, __ATOMIC_RELEASE);
}
