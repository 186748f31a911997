/*
 * Append.  An append becomes visible in one step, when the head of all appends
 * moves.  If the process dies before, nothing is appended; if it dies after,
 * everything is.  The remaining work is written in the record, and the next
 * process does it.
 */

#include "state/parley_import.h"
#include "state/memory/parley_memory_job_parts.h"


/* records examined for removal */
#define PARLEY_APPEND_RETIRE   64


static parley_append_verdict_t parley_append_admitted(parley_memory_t *s,
    const parley_append_t *a);
static size_t parley_append_size(const parley_append_t *a);
static int parley_append_open(parley_memory_t *s, const parley_append_t *a,
    const parley_place_t *places, int64_t now, parley_appended_t *ret,
    int64_t *until);
static int parley_append_record(parley_memory_t *s, const parley_append_t *a,
    size_t size, uint64_t step, int64_t until, int64_t now,
    const parley_appended_t *ret);
static int parley_append_places(parley_memory_t *s, const parley_append_t *a,
    size_t size, int64_t until, int64_t now, const parley_appended_t *ret);
static int parley_append_jobs(parley_memory_t *s, const parley_append_t *a,
    const parley_import_t *step, int64_t now, const parley_appended_t *ret);
static const parley_place_t *parley_append_owed(const parley_append_t *a,
    const parley_job_t *job, const parley_appended_t *ret, size_t *at);


parley_state_done_t
parley_memory_append(parley_state_t *state, const parley_append_t *a,
    parley_appended_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    memset(ret, 0, sizeof(parley_appended_t));

    ret->places = parley_arena_calloc(a->arena, (a->nlogs + 1)
                                                * sizeof(parley_placed_t));
    if (ret->places == NULL) {
        ret->verdict = PARLEY_APPEND_MEMORY;
        return PARLEY_STATE_DONE;
    }

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    ret->verdict = parley_append_locked(s, a, now, ret);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


parley_append_verdict_t
parley_append_locked(parley_memory_t *s, const parley_append_t *a,
    int64_t now, parley_appended_t *ret)
{
    parley_append_verdict_t  rc;

    if (a->asks) {
        return parley_append_count(s, a, ret);
    }

    rc = parley_append_admitted(s, a);

    if (rc == PARLEY_APPEND_OK) {
        rc = parley_append_may(s, a, now);
    }

    if (rc == PARLEY_APPEND_OK) {
        rc = parley_append_count(s, a, ret);
    }

    return rc == PARLEY_APPEND_OK
           ? parley_append_write(s, a, NULL, now, ret) : rc;
}


parley_append_verdict_t
parley_append_write(parley_memory_t *s, const parley_append_t *a,
    const parley_import_t *step, int64_t now, parley_appended_t *ret)
{
    size_t              size;
    int64_t             until;
    uint64_t            number;
    parley_appends_t   *appends;
    parley_log_head_t   head;

    size = parley_append_size(a);
    number = step != NULL ? step->number : 0;

    appends = &s->sh->appends;
    appends->pending = appends->head + 1;
    appends->stepping = number;

    ret->number = appends->pending;

    if (parley_append_open(s, a, step != NULL ? step->places : NULL, now, ret,
                           &until)
        != 0
        || parley_append_record(s, a, size, number, until, now, ret) != 0
        || parley_append_places(s, a, size, until, now, ret) != 0
        || parley_append_jobs(s, a, step, now, ret) != 0)
    {
        parley_append_recover(s, now);
        return PARLEY_APPEND_FULL;
    }

    parley_table_made_locked(s->sh->table);

    if (a->takes != NULL) {
        parley_settle_begin_locked(s, a->takes, a->how, ret->number, now);
    }

    __atomic_store_n(&appends->head, ret->number, __ATOMIC_RELEASE);

    if (a->takes != NULL) {
        parley_settle_mend_locked(s, now);
    }

    if (parley_log_record_find(s, ret->number, &head) != NULL) {
        parley_append_commit(s, ret->number, &head, now);
    }

    if (number != 0) {
        appends->step = number;
    }

    appends->pending = 0;

    parley_append_retire(s, PARLEY_APPEND_RETIRE, now);

    return PARLEY_APPEND_OK;
}


static size_t
parley_append_size(const parley_append_t *a)
{
    size_t  i, size;

    size = 0;

    for (i = 0; i < a->nparts; i++) {
        size += a->parts[i].len;
    }

    return size;
}


/* Returns whether the admission that the append settles can be taken. */

static parley_append_verdict_t
parley_append_admitted(parley_memory_t *s, const parley_append_t *a)
{
    if (a->takes == NULL) {
        return PARLEY_APPEND_OK;
    }

    switch (parley_settle_may_locked(s, a->takes, a->how)) {

    case 0:
        return PARLEY_APPEND_OK;

    case PARLEY_SETTLED_LATE:
        return PARLEY_APPEND_LATE;

    default:
        return PARLEY_APPEND_STALE;
    }
}


/* Returns whether there is room for everything, including logs to create. */

parley_append_verdict_t
parley_append_may(parley_memory_t *s, const parley_append_t *a, int64_t now)
{
    size_t        i, n;
    parley_log_t  log;

    for (i = 0; i < a->nlogs; i++) {
        if (parley_log_find(s, a->logs[i], now, &log) != NULL && log.closed) {
            return PARLEY_APPEND_CLOSED;
        }
    }

    n = parley_table_blocks(sizeof(parley_log_head_t)
                            + a->nlogs * sizeof(parley_placed_t)
                            + parley_append_size(a))
        + a->nlogs * (1 + parley_table_blocks(sizeof(parley_log_t)));

    for (i = 0; i < a->njobs; i++) {

        if (a->jobs[i].text.len > PARLEY_JOB_TEXT_MAX) {
            return PARLEY_APPEND_FULL;
        }

        n += parley_job_blocks(&a->jobs[i]);
    }

    switch (parley_table_room_locked(s->sh->table, a->account, n, s->share,
                                     now))
    {
    case PARLEY_ROOM_OK:
        return PARLEY_APPEND_OK;

    case PARLEY_ROOM_SHARE:
        return PARLEY_APPEND_SHARE;

    default:
        return PARLEY_APPEND_FULL;
    }
}


parley_append_verdict_t
parley_append_count(parley_memory_t *s, const parley_append_t *a,
    parley_appended_t *ret)
{
    size_t    room;
    uint32_t  i;

    room = 0;

    for (i = 0; i < a->nlogs; i++) {
        if (parley_roster_count(s, a, i, ret, &room) != 0) {
            return PARLEY_APPEND_MEMORY;
        }
    }

    return PARLEY_APPEND_OK;
}


/*
 * Computes the places of the record, and the time until which it is promised.
 */

static int
parley_append_open(parley_memory_t *s, const parley_append_t *a,
    const parley_place_t *places, int64_t now, parley_appended_t *ret,
    int64_t *until)
{
    size_t            i;
    parley_log_t      log;
    parley_entry_t   *e;
    parley_place_t    last;
    parley_placed_t  *placed;

    *until = now + a->retention.ms;

    for (i = 0; i < a->nlogs; i++) {
        placed = &ret->places[i];

        if (places != NULL) {
            last = places[i];
            last.offset--;
            e = parley_log_set(s, a->logs[i], a->account, &last, now, &log);

        } else {
            e = parley_log_open(s, a->logs[i], a->account, now, &log);
        }

        if (e == NULL) {
            return -1;
        }

        memcpy(placed->log, a->logs[i], PARLEY_KEY_LEN);
        placed->place.epoch = log.epoch;
        placed->place.offset = log.last + 1;

        if (*until < log.until) {
            *until = log.until;
        }
    }

    return 0;
}


/*
 * Adds the record.  Its octets are removed when it expires, unless a subscriber
 * may not have read them.
 */

static int
parley_append_record(parley_memory_t *s, const parley_append_t *a,
    size_t size, uint64_t step, int64_t until, int64_t now,
    const parley_appended_t *ret)
{
    size_t              i;
    uint8_t             key[PARLEY_KEY_LEN];
    int64_t             ends;
    uint64_t            words[2];
    parley_str_t        parts[PARLEY_APPEND_PARTS + 2];
    parley_entry_t     *e;
    parley_log_head_t   head;

    memset(&head, 0, sizeof(parley_log_head_t));

    head.ends = a->ttl < PARLEY_TABLE_FOREVER - now ? now + a->ttl
                                                    : PARLEY_TABLE_FOREVER;
    head.retention = a->retention;
    head.nplaces = (uint16_t) a->nlogs;
    head.kept = (uint16_t) (a->nlogs + a->njobs);
    head.closes = a->closes;
    head.size = (uint32_t) size;
    head.step = step;

    parts[0] = parley_str_make(&head, sizeof(head));
    parts[1] = parley_str_make(ret->places,
                               a->nlogs * sizeof(parley_placed_t));

    for (i = 0; i < a->njobs; i++) {
        if (a->jobs[i].lasts > until - now) {
            until = now + a->jobs[i].lasts;
        }
    }

    for (i = 0; i < a->nparts && i < PARLEY_APPEND_PARTS; i++) {
        parts[2 + i] = a->parts[i];
    }

    ends = head.ends < until ? head.ends : until;

    if (ends < now + PARLEY_FEED_GRACE) {
        ends = now + PARLEY_FEED_GRACE;
    }

    words[0] = ret->number;
    words[1] = 0;
    memcpy(key, words, PARLEY_KEY_LEN);

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_RECORD,
                                PARLEY_EVICTABLE_NONE, key, a->account,
                                parts[0].len + parts[1].len + size, ends,
                                now);
    if (e == NULL) {
        return -1;
    }

    /* a step may be older than the clock */

    parley_entry_set_stamp(e, now > 0 ? (uint64_t) now : 0);
    parley_table_write_locked(s->sh->table, e, parts, 2 + i);

    return 0;
}


static int
parley_append_places(parley_memory_t *s, const parley_append_t *a,
    size_t size, int64_t until, int64_t now, const parley_appended_t *ret)
{
    size_t                  i;
    uint8_t                 key[PARLEY_KEY_LEN];
    parley_log_t            log;
    parley_entry_t         *e;
    parley_log_place_t      place;
    const parley_placed_t  *placed;

    for (i = 0; i < a->nlogs; i++) {
        placed = &ret->places[i];

        if (parley_log_find(s, placed->log, now, &log) == NULL) {
            return -1;
        }

        place.number = ret->number;
        place.sum = log.sum + (uint32_t) size;
        place.size = (uint32_t) size;

        parley_log_place_key(placed->log, &placed->place, key);

        e = parley_table_add_locked(s->sh->table, PARLEY_KIND_PLACE,
                                    PARLEY_EVICTABLE_NONE, key, a->account, 0,
                                    until, now);
        if (e == NULL) {
            return -1;
        }

        memcpy(e->octets, &place, sizeof(place));
        parley_entry_set_stamp(e, (uint64_t) (now > log.time ? now
                                                             : log.time));
    }

    return 0;
}


static int
parley_append_jobs(parley_memory_t *s, const parley_append_t *a,
    const parley_import_t *step, int64_t now, const parley_appended_t *ret)
{
    size_t                 i, at;
    const parley_place_t  *place;
    parley_job_origin_t    origin;

    at = 0;
    memset(&origin, 0, sizeof(parley_job_origin_t));

    for (i = 0; i < a->njobs; i++) {

        place = parley_append_owed(a, &a->jobs[i], ret, &at);

        if (step != NULL) {
            origin.job = step->number * PARLEY_JOBS_MAX + i;
            origin.node = step->own ? 0 : step->worker.pid;
        }

        if (parley_job_put_locked(s, &a->jobs[i], a->account, ret->number,
                                  place, &origin, now)
            != 0)
        {
            parley_job_unput_locked(s, a->jobs, i);
            return -1;
        }
    }

    return 0;
}


/*
 * Returns the place in the log whose readers the job is owed to, or NULL if it
 * is not owed.  Jobs are in the order of the logs, so the search continues at
 * *at, where the last one ended.
 */

static const parley_place_t *
parley_append_owed(const parley_append_t *a, const parley_job_t *job,
    const parley_appended_t *ret, size_t *at)
{
    size_t  n;

    for (n = 0; job->owed && n < a->nlogs; n++) {

        if (memcmp(a->logs[*at], job->lane, PARLEY_KEY_LEN) == 0) {
            return &ret->places[*at].place;
        }

        *at = *at + 1 < a->nlogs ? *at + 1 : 0;
    }

    return NULL;
}
