/* Reads and erases logs. */

#include <string.h>

#include "state/memory/parley_memory_job_parts.h"


static parley_state_done_t parley_memory_log_read(parley_state_t *state,
    const parley_log_read_t *r, parley_log_page_t *ret, parley_call_t *call);
static int parley_log_read(parley_memory_t *s, const parley_log_read_t *r,
    int64_t now, parley_log_page_t *ret);
static uint64_t parley_log_first(parley_memory_t *s, const uint8_t *key,
    const parley_log_t *log, int64_t now);
static int parley_log_page(parley_memory_t *s, const parley_log_read_t *r,
    const parley_log_t *log, int64_t now, parley_log_page_t *ret);
static size_t parley_log_behind(parley_memory_t *s, const uint8_t *key,
    const parley_log_t *log, uint64_t at, int64_t now);
static parley_state_done_t parley_memory_log_erase(parley_state_t *state,
    const parley_erase_t *erase, parley_call_t *call);
static void parley_log_empty(parley_memory_t *s, parley_entry_t *e,
    const parley_log_head_t *head, uint64_t number, int64_t now);
static parley_state_done_t parley_memory_log_keep(parley_state_t *state,
    const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n, parley_call_t *call);


const parley_log_ops_t  parley_memory_log_ops = {
    .append = parley_memory_append,
    .read = parley_memory_log_read,
    .feed = parley_memory_feed,
    .erase = parley_memory_log_erase,
    .had = parley_memory_log_had,
    .keep = parley_memory_log_keep,
    .join = parley_memory_join,
    .leave = parley_memory_leave_log,
    .roster = parley_memory_roster,
};


static parley_state_done_t
parley_memory_log_read(parley_state_t *state, const parley_log_read_t *r,
    parley_log_page_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    memset(ret, 0, sizeof(parley_log_page_t));

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    if (parley_log_read(s, r, now, ret) != 0) {
        ret->n = -1;
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static int
parley_log_read(parley_memory_t *s, const parley_log_read_t *r, int64_t now,
    parley_log_page_t *ret)
{
    int           rc;
    parley_log_t  log;

    if (parley_log_find(s, r->log, now, &log) == NULL) {
        return 0;
    }

    ret->epoch = log.epoch;
    ret->first = parley_log_first(s, r->log, &log, now);
    ret->last = log.last;
    ret->closed = log.closed;

    if (!r->backward) {
        rc = parley_owed_page(s, r, &log, now, ret);

        if (rc != 0) {
            return rc < 0 ? -1 : 0;
        }

        ret->at = r->from.offset;

        if (r->from.epoch != log.epoch || r->from.offset > log.last
            || r->from.offset + 1 < ret->first)
        {
            ret->lost = 1;
            ret->at = ret->first - 1;
        }

    } else {
        ret->at = log.last + 1;

        if (r->from.epoch == log.epoch && r->from.offset <= log.last) {
            ret->at = r->from.offset;
        }
    }

    return parley_log_page(s, r, &log, now, ret);
}


/* Returns the first retained offset; all later ones are retained too. */

static uint64_t
parley_log_first(parley_memory_t *s, const uint8_t *key,
    const parley_log_t *log, int64_t now)
{
    uint64_t            low, high, middle;
    parley_log_place_t  place;

    low = log->first;
    high = log->last + 1;

    while (low < high) {

        /* most often the log's own value is right */

        middle = low == log->first ? low : low + (high - low) / 2;

        if (parley_log_place_find(s, key, log, middle, now, &place) != NULL) {
            high = middle;

        } else {
            low = middle + 1;
        }
    }

    return low;
}


static int
parley_log_page(parley_memory_t *s, const parley_log_read_t *r,
    const parley_log_t *log, int64_t now, parley_log_page_t *ret)
{
    int                 rc;
    size_t              max, octets;
    uint64_t            offset, left, end;
    parley_log_place_t  place;

    if (r->backward) {
        left = ret->at > ret->first ? ret->at - ret->first : 0;

    } else {
        end = r->to != 0 && r->to < ret->last ? r->to : ret->last;
        left = end > ret->at ? end - ret->at : 0;
    }

    max = left < r->records ? (size_t) left : r->records;
    octets = 0;

    ret->list = parley_arena_alloc(r->arena, (max + 1)
                                             * sizeof(parley_log_record_t));
    if (ret->list == NULL) {
        return -1;
    }

    for ( ; left != 0 && (size_t) ret->n < max; left--) {

        offset = r->backward ? ret->at - 1 : ret->at + 1;

        if (parley_log_place_find(s, r->log, log, offset, now, &place)
            != NULL)
        {
            rc = parley_log_add(s, r, place.number, offset, now, ret, &octets);

            if (rc < 0) {
                return -1;
            }

            if (rc > 0) {
                break;
            }
        }

        ret->at = offset;
    }

    ret->behind = parley_log_behind(s, r->log, log, ret->at, now);

    return 0;
}


static size_t
parley_log_behind(parley_memory_t *s, const uint8_t *key,
    const parley_log_t *log, uint64_t at, int64_t now)
{
    parley_log_place_t  place;

    if (at >= log->last
        || parley_log_place_find(s, key, log, at + 1, now, &place) == NULL)
    {
        return 0;
    }

    return (size_t) (log->sum - place.sum) + place.size;
}


static parley_state_done_t
parley_memory_log_erase(parley_state_t *state, const parley_erase_t *erase,
    parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);
    parley_log_erase(s, erase, now);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


void
parley_log_erase(parley_memory_t *s, const parley_erase_t *erase, int64_t now)
{
    uint64_t            number;
    parley_entry_t     *e;
    parley_log_head_t   head;

    number = parley_log_number(s, erase, now, &head);
    e = number != 0 ? parley_log_record_find(s, number, &head) : NULL;

    if (e != NULL) {
        parley_log_empty(s, e, &head, number, now);
    }
}


/* if the record does not exist, its places already show that it has ended */

uint64_t
parley_log_number(parley_memory_t *s, const parley_erase_t *erase,
    int64_t now, parley_log_head_t *ret)
{
    parley_log_t        log;
    parley_log_place_t  place;

    if (parley_log_find(s, erase->log, now, &log) == NULL
        || log.epoch != erase->epoch
        || parley_log_place_find(s, erase->log, &log, erase->offset, now,
                                 &place)
           == NULL
        || parley_log_record_find(s, place.number, ret) == NULL)
    {
        return 0;
    }

    return place.number;
}


/*
 * Empties a record.  The remaining head tells fed processes its place, and that
 * it has ended.
 */

static void
parley_log_empty(parley_memory_t *s, parley_entry_t *e,
    const parley_log_head_t *head, uint64_t number, int64_t now)
{
    uint8_t             key[PARLEY_KEY_LEN];
    uint64_t            stamp;
    parley_str_t        value;
    parley_log_head_t   empty;

    stamp = parley_entry_stamp(e);
    memcpy(key, e->key, PARLEY_KEY_LEN);

    parley_table_remove_locked(s->sh->table, e);

    if (number <= s->sh->appends.passed) {
        return;
    }

    empty = *head;
    empty.ends = 0;
    empty.nplaces = 0;
    empty.size = 0;

    value = parley_str_make(&empty, sizeof(empty));

    e = parley_table_add_locked(s->sh->table, PARLEY_KIND_RECORD,
                                PARLEY_EVICTABLE_NONE, key, NULL, sizeof(empty),
                                (int64_t) stamp + PARLEY_FEED_GRACE, now);

    if (e != NULL) {
        parley_entry_set_stamp(e, stamp);
        parley_table_write_locked(s->sh->table, e, &value, 1);
    }
}


static parley_state_done_t
parley_memory_log_keep(parley_state_t *state,
    const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n, parley_call_t *call)
{
    size_t            i;
    int64_t           now;
    parley_log_t      log;
    parley_entry_t   *e;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    now = parley_memory_now(s);

    parley_memory_lock(s);

    for (i = 0; i < n; i++) {
        e = parley_log_find(s, logs[i], now, &log);

        if (e != NULL) {
            parley_log_keep(e, now + PARLEY_LOG_LEASE);
        }
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}
