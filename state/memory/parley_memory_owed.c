/*
 * Records that jobs owe to the readers of a log (parley_job.h).  The lane of
 * these jobs has the key of the log, so they are in the order of their records.
 * A job keeps its record regardless of the log's retention.
 */

#include "state/parley_import.h"
#include "state/memory/parley_memory_job_parts.h"


/* a walk through the jobs of a lane */
typedef struct {
    const uint8_t       *key;
    const parley_log_t  *log;
    uint64_t             at;            /* number of the next job to examine */
    uint64_t             last;
    int64_t              now;
    parley_load_t        load;          /* text entry of the job that was
                                           found */
} parley_owed_t;


static void parley_owed_begin(parley_memory_t *s, parley_owed_t *o,
    const uint8_t *key, const parley_log_t *log, int64_t now);
static int parley_owed_next(parley_memory_t *s, parley_owed_t *o,
    uint64_t after);
static int parley_owed_is_there(parley_memory_t *s, const parley_owed_t *o);
static int parley_owed_only(parley_memory_t *s, const parley_log_read_t *r,
    parley_owed_t *o, parley_log_page_t *ret);
static int parley_owed_run(parley_memory_t *s, const parley_log_read_t *r,
    parley_owed_t *o, parley_log_page_t *ret);
static int parley_owed_subject(parley_memory_t *s, const uint8_t *key,
    uint64_t at, parley_load_t *ret);
static size_t parley_owed_all(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane, int64_t now);
static size_t parley_owed_ends(parley_memory_t *s, const uint8_t *key,
    uint64_t at, int64_t now);
static uint64_t parley_owed_find(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane);
static uint64_t parley_owed_seek(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane);
static int parley_owed_is_before(parley_memory_t *s, parley_owed_t *o,
    uint64_t epoch);
static int parley_owed_again(parley_memory_t *s, const parley_owed_t *o,
    parley_arena_t *arena, parley_append_t *ret);


static void
parley_owed_begin(parley_memory_t *s, parley_owed_t *o, const uint8_t *key,
    const parley_log_t *log, int64_t now)
{
    const parley_lane_t  *lane;

    lane = parley_lane_find(s, key);

    o->key = key;
    o->log = log;
    o->now = now;
    o->at = lane != NULL ? lane->first : 1;
    o->last = lane != NULL ? lane->last : 0;
}


/* Finds the next job with a record after an offset.  Returns 0 at the end. */

static int
parley_owed_next(parley_memory_t *s, parley_owed_t *o, uint64_t after)
{
    while (o->at <= o->last) {

        if (parley_owed_subject(s, o->key, o->at++, &o->load) == 0
            && o->load.epoch == o->log->epoch && o->load.offset > after
            && parley_owed_is_there(s, o))
        {
            return 1;
        }
    }

    return 0;
}


/* a message beyond the age limit of its protocol is not delivered */

static int
parley_owed_is_there(parley_memory_t *s, const parley_owed_t *o)
{
    parley_entry_t     *e;
    parley_log_head_t   head;

    if (o->load.ends <= o->now) {
        return 0;
    }

    e = parley_log_record_find(s, o->load.record, &head);

    return e != NULL && parley_log_left(e, &head, 1, o->now) > 0;
}


static int
parley_owed_subject(parley_memory_t *s, const uint8_t *key, uint64_t at,
    parley_load_t *ret)
{
    const parley_entry_t  *e;

    e = parley_job_find(s, key, at);

    return e != NULL && parley_lane_of_subject(s, e->key,
                                               ret) != NULL ? 0 : -1;
}


uint64_t
parley_owed_first(parley_memory_t *s, const uint8_t key[PARLEY_KEY_LEN],
    const parley_log_t *log, int64_t now)
{
    parley_owed_t  o;

    parley_owed_begin(s, &o, key, log, now);

    return parley_owed_next(s, &o, 0) ? o.load.offset : 0;
}


int
parley_owed_page(parley_memory_t *s, const parley_log_read_t *r,
    const parley_log_t *log, int64_t now, parley_log_page_t *ret)
{
    parley_owed_t  o;

    if (r->which == PARLEY_LOG_RETAINED) {
        return 0;
    }

    parley_owed_begin(s, &o, r->log, log, now);

    if (r->which == PARLEY_LOG_AND_OWED && o.at > o.last) {
        return 0;
    }

    ret->list = parley_arena_alloc(r->arena,
                                   r->records * sizeof(parley_log_record_t));

    if (ret->list == NULL) {
        return -1;
    }

    return r->which == PARLEY_LOG_OWED ? parley_owed_only(s, r, &o, ret)
                                       : parley_owed_run(s, r, &o, ret);
}


static int
parley_owed_only(parley_memory_t *s, const parley_log_read_t *r,
    parley_owed_t *o, parley_log_page_t *ret)
{
    int       rc;
    size_t    octets;
    uint64_t  end;

    octets = 0;
    end = r->to != 0 && r->to < ret->last ? r->to : ret->last;
    ret->at = r->from.epoch == o->log->epoch ? r->from.offset : 0;

    while (parley_owed_next(s, o, ret->at) && o->load.offset <= end) {

        rc = (size_t) ret->n == r->records ? 1
             : parley_log_add(s, r, o->load.record, o->load.offset, o->now,
                              ret, &octets);

        if (rc != 0) {
            return rc < 0 ? -1 : 1;
        }

        ret->at = o->load.offset;
    }

    ret->at = end;

    return 1;
}


/*
 * Reads records that the log does not retain, up to the first gap between them.
 * A gap before them ends where they begin, even if that is after r->to.
 */

static int
parley_owed_run(parley_memory_t *s, const parley_log_read_t *r,
    parley_owed_t *o, parley_log_page_t *ret)
{
    int       rc, known;
    size_t    octets;
    uint64_t  from, end;

    octets = 0;
    known = r->from.epoch == o->log->epoch && r->from.offset <= ret->last;
    from = known ? r->from.offset : 0;

    if (!parley_owed_next(s, o, from) || o->load.offset >= ret->first) {
        return 0;
    }

    end = r->to != 0 && r->to < ret->first ? r->to + 1 : ret->first;
    ret->at = o->load.offset - 1;
    ret->lost = !known || ret->at != from;

    if (ret->lost) {
        ret->first = o->load.offset;
    }

    while (o->load.offset == ret->at + 1 && o->load.offset < end) {

        rc = (size_t) ret->n == r->records ? 1
             : parley_log_add(s, r, o->load.record, o->load.offset, o->now,
                              ret, &octets);

        if (rc != 0) {
            return rc < 0 ? -1 : 1;
        }

        ret->at = o->load.offset;

        if (!parley_owed_next(s, o, ret->at)) {
            break;
        }
    }

    return 1;
}


parley_state_done_t
parley_memory_log_had(parley_state_t *state, const parley_had_t *had,
    parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);
    (void) parley_owed_had(s, had, now);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


size_t
parley_owed_had(parley_memory_t *s, const parley_had_t *had, int64_t now)
{
    size_t                i, n;
    const parley_lane_t  *lane;

    n = 0;

    for (i = 0; i < had->n; i++) {

        /* the lane ends with its last job */

        lane = parley_lane_find(s, had->log);

        if (lane == NULL) {
            break;
        }

        if (had->all) {
            n += parley_owed_all(s, had->log, &had->places[i], lane, now);

        } else {
            n += parley_owed_ends(s, had->log,
                                  parley_owed_find(s, had->log,
                                                   &had->places[i], lane),
                                  now);
        }
    }

    return n;
}


/*
 * Ends the jobs of the records up to a place.  A record that has expired was
 * not sent to the client: its job is left, and will be given up.
 */

static size_t
parley_owed_all(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane, int64_t now)
{
    size_t         n;
    uint64_t       at, last;
    parley_owed_t  o;

    n = 0;
    o.key = key;
    o.now = now;
    last = lane->last;

    for (at = lane->first; at <= last; at++) {

        if (parley_owed_subject(s, key, at, &o.load) != 0
            || o.load.epoch != place->epoch)
        {
            continue;
        }

        if (o.load.offset > place->offset) {
            break;
        }

        if (parley_owed_is_there(s, &o)) {
            n += parley_owed_ends(s, key, at, now);
        }
    }

    return n;
}


/* Returns the number of jobs that it ended.  A node counts the end of its own
   jobs. */

static size_t
parley_owed_ends(parley_memory_t *s, const uint8_t *key, uint64_t at,
    int64_t now)
{
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = at != 0 ? parley_job_find(s, key, at) : NULL;

    if (e == NULL) {
        return 0;
    }

    parley_job_word(e, &w);

    if (w.owner == PARLEY_JOB_ELSEWHERE) {
        parley_job_remove_locked(s, key, at, now);

    } else {
        parley_job_over_locked(s, key, at, PARLEY_JOB_DELIVERED, 0);
        parley_job_finish_locked(s, now);
    }

    return 1;
}


/* Returns the number in its lane of the job that owes a record, or 0. */

static uint64_t
parley_owed_find(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane)
{
    uint64_t       at;
    parley_load_t  load;

    at = parley_owed_seek(s, key, place, lane);

    if (at > lane->last || parley_owed_subject(s, key, at, &load) != 0) {
        return 0;
    }

    return load.offset == place->offset ? at : 0;
}


/*
 * Returns the number of the first job that owes the record of a place or a
 * later one, or lane->last + 1.  A reader with a filter has records from the
 * middle of a long lane, so the search is binary.  Jobs that ended, and jobs of
 * another epoch, are skipped.
 */

static uint64_t
parley_owed_seek(parley_memory_t *s, const uint8_t *key,
    const parley_place_t *place, const parley_lane_t *lane)
{
    uint64_t       low, high, middle, at, found;
    parley_load_t  load;

    low = lane->first;
    high = lane->last + 1;
    found = high;

    while (low < high) {
        middle = low + (high - low) / 2;

        for (at = middle; at < high; at++) {
            if (parley_owed_subject(s, key, at, &load) == 0
                && load.epoch == place->epoch)
            {
                break;
            }
        }

        if (at < high && load.offset < place->offset) {
            low = at + 1;
            continue;
        }

        if (at < high) {
            found = at;
        }

        high = middle;
    }

    return found;
}


int
parley_import_owed_before(parley_state_t *state,
    const uint8_t log[PARLEY_KEY_LEN], uint64_t epoch, parley_arena_t *arena,
    parley_append_t *ret, parley_import_end_t *end)
{
    int               rc;
    parley_owed_t     o;
    parley_memory_t  *s = (parley_memory_t *) state;

    rc = 0;

    parley_memory_lock(s);

    parley_owed_begin(s, &o, log, NULL, parley_memory_now(s));

    while (rc == 0 && o.at <= o.last) {
        rc = parley_owed_is_before(s, &o, epoch);
        o.at++;
    }

    if (rc != 0 && parley_owed_again(s, &o, arena, ret) != 0) {
        rc = 0;
    }

    parley_memory_unlock(s);

    if (rc != 0) {
        memset(end, 0, sizeof(parley_import_end_t));
        memcpy(end->lane, log, PARLEY_KEY_LEN);
        end->job = o.load.job;
        end->how = PARLEY_JOB_DONE;
    }

    return rc;
}


/* Returns whether the job o->at is one of this node, which no process has, and
   its record is of another epoch. */

static int
parley_owed_is_before(parley_memory_t *s, parley_owed_t *o, uint64_t epoch)
{
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = parley_job_find(s, o->key, o->at);

    if (e == NULL || parley_owed_subject(s, o->key, o->at, &o->load) != 0) {
        return 0;
    }

    parley_job_word(e, &w);

    return w.owner == 0 && o->load.job != 0 && o->load.offset != 0
           && o->load.epoch != epoch && parley_owed_is_there(s, o);
}


/* Writes the append of the record of o->load with its job, and marks the job in
   the zone as not owed. */

static int
parley_owed_again(parley_memory_t *s, const parley_owed_t *o,
    parley_arena_t *arena, parley_append_t *ret)
{
    uint8_t            *octets;
    parley_str_t       *part, value;
    parley_job_t       *job;
    parley_load_t       load = o->load;
    parley_entry_t     *e, *first, *record;
    parley_log_head_t   head;

    first = parley_job_find(s, o->key, o->at - 1);
    record = parley_log_record_find(s, load.record, &head);
    e = first != NULL ? parley_lane_of_subject(s, first->key, &load) : NULL;
    part = parley_arena_calloc(arena, sizeof(parley_str_t));
    job = parley_arena_calloc(arena, sizeof(parley_job_t));
    octets = parley_arena_octets(arena, 2 * PARLEY_KEY_LEN + load.size);

    if (e == NULL || record == NULL || part == NULL || job == NULL
        || octets == NULL)
    {
        return -1;
    }

    *part = parley_log_record_copy(s, record, &head, arena);

    if (part->data == NULL) {
        return -1;
    }

    memset(ret, 0, sizeof(parley_append_t));
    memcpy(octets, o->key, PARLEY_KEY_LEN);

    ret->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) (void *) octets;
    ret->nlogs = 1;
    ret->parts = part;
    ret->nparts = 1;
    ret->retention = head.retention;
    ret->ttl = parley_log_left(record, &head, 1, o->now);
    ret->jobs = job;
    ret->njobs = 1;
    ret->arena = arena;

    octets += PARLEY_KEY_LEN;

    if (first->account != 0) {
        memcpy(octets, parley_table_entry(s->sh->table, first->account)->key,
               PARLEY_KEY_LEN);
        ret->account = octets;
    }

    octets += PARLEY_KEY_LEN;

    parley_table_read_locked(s->sh->table, e, sizeof(load), octets, load.size);

    memcpy(job->lane, o->key, PARLEY_KEY_LEN);
    job->text = parley_str_make(octets, load.size);
    job->class = parley_job_class(first);
    job->after = load.due > o->now ? load.due - o->now : 0;
    job->lasts = load.ends - o->now;
    job->owed = 1;
    job->counted = parley_job_is_counted(first);

    load.offset = 0;
    value = parley_str_make(&load, sizeof(load));
    parley_table_write_locked(s->sh->table, e, &value, 1);

    return 0;
}
