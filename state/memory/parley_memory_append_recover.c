/* Completes or undoes an append after the death of its process. */

#include <string.h>

#include "state/memory/parley_memory_job_parts.h"


/* places that one append removes from a log, even if more are beyond its
   bounds */
#define PARLEY_APPEND_EVICT  64

/* records examined for removal */
#define PARLEY_APPEND_RETIRE   64


static parley_entry_t *parley_append_placed(parley_memory_t *s,
    const parley_placed_t *placed);
static void parley_append_evict(parley_memory_t *s, const uint8_t *key,
    parley_log_t *log, const parley_retention_t *retention, int64_t now);
static void parley_append_undo(parley_memory_t *s, parley_entry_t *e,
    uint64_t number, const parley_log_head_t *head);


/* Moves the ends of the record's logs behind the visible record. */

void
parley_append_commit(parley_memory_t *s, uint64_t number,
    const parley_log_head_t *head, int64_t now)
{
    uint32_t         i;
    parley_log_t     log;
    parley_entry_t  *e, *record, *placed;
    parley_placed_t  at;

    for (i = 0; i < head->nplaces; i++) {
        record = parley_log_record_find(s, number, &(parley_log_head_t) { 0 });

        if (record == NULL) {
            return;
        }

        parley_table_read_locked(s->sh->table, record,
                                 sizeof(parley_log_head_t)
                                 + i * sizeof(parley_placed_t),
                                 &at, sizeof(parley_placed_t));

        e = parley_log_find(s, at.log, now, &log);
        placed = parley_append_placed(s, &at);

        if (e == NULL || placed == NULL || log.epoch != at.place.epoch
            || log.last >= at.place.offset)
        {
            continue;
        }

        log.last = at.place.offset;
        log.sum += head->size;
        log.ms = head->retention.ms;
        log.time = (int64_t) parley_entry_stamp(placed);
        log.until = (int64_t) placed->expires;
        log.closed = head->closes;

        parley_append_evict(s, at.log, &log, &head->retention, now);
        parley_log_save(s, e, &log);
        parley_log_keep(e, log.until);
        parley_log_keep(e, now + PARLEY_LOG_LEASE);
    }
}


static parley_entry_t *
parley_append_placed(parley_memory_t *s, const parley_placed_t *placed)
{
    uint8_t  key[PARLEY_KEY_LEN];

    parley_log_place_key(placed->log, &placed->place, key);

    return parley_table_find_locked(s->sh->table, PARLEY_KIND_PLACE, key);
}


/* the newest record is retained in any size */

static void
parley_append_evict(parley_memory_t *s, const uint8_t *key, parley_log_t *log,
    const parley_retention_t *retention, int64_t now)
{
    unsigned             n;
    uint32_t             octets;
    parley_entry_t      *e;
    parley_placed_t      placed;
    parley_log_place_t   place;

    memcpy(placed.log, key, PARLEY_KEY_LEN);
    placed.place.epoch = log->epoch;

    for (n = 0; n < PARLEY_APPEND_EVICT && log->first < log->last; n++) {

        placed.place.offset = log->first;
        e = parley_append_placed(s, &placed);

        if (e != NULL) {
            memcpy(&place, e->octets, sizeof(place));
            octets = log->sum - place.sum + place.size;

            if (log->last - log->first < retention->records
                && octets <= retention->octets
                && (int64_t) parley_entry_stamp(e) + log->ms > now)
            {
                return;
            }

            parley_table_remove_locked(s->sh->table, e);
            parley_append_unkeep(s, place.number);
        }

        log->first++;
    }
}


void
parley_append_unkeep(parley_memory_t *s, uint64_t number)
{
    parley_str_t        value;
    parley_entry_t     *e;
    parley_log_head_t   head;

    e = parley_log_record_find(s, number, &head);

    if (e == NULL) {
        return;
    }

    head.kept--;

    if (head.kept == 0 && number <= s->sh->appends.passed) {
        parley_table_remove_locked(s->sh->table, e);
        return;
    }

    value = parley_str_make(&head, sizeof(head));
    parley_table_write_locked(s->sh->table, e, &value, 1);
}


void
parley_append_recover(parley_memory_t *s, int64_t now)
{
    uint64_t            number;
    parley_entry_t     *e;
    parley_log_head_t   head;

    number = s->sh->appends.pending;

    if (number == 0) {
        return;
    }

    e = parley_log_record_find(s, number, &head);

    if (e != NULL) {

        if (number <= s->sh->appends.head) {
            parley_append_commit(s, number, &head, now);

            if (s->sh->appends.stepping != 0) {
                s->sh->appends.step = s->sh->appends.stepping;
            }

        } else {
            parley_append_undo(s, e, number, &head);
        }
    }

    s->sh->appends.pending = 0;
}


static void
parley_append_undo(parley_memory_t *s, parley_entry_t *e, uint64_t number,
    const parley_log_head_t *head)
{
    uint32_t             i;
    parley_entry_t      *placed;
    parley_placed_t      at;
    parley_log_place_t   place;

    for (i = 0; i < head->nplaces; i++) {
        parley_table_read_locked(s->sh->table, e,
                                 sizeof(parley_log_head_t)
                                 + i * sizeof(parley_placed_t),
                                 &at, sizeof(parley_placed_t));

        placed = parley_append_placed(s, &at);

        if (placed == NULL) {
            continue;
        }

        memcpy(&place, placed->octets, sizeof(place));

        /* 0: the process died before the number was written */

        if (place.number == number || place.number == 0) {
            parley_table_remove_locked(s->sh->table, placed);
        }
    }

    parley_table_remove_locked(s->sh->table, e);
}


void
parley_append_retire(parley_memory_t *s, size_t n, int64_t now)
{
    uint32_t                  i;
    uint64_t                  seen;
    parley_entry_t           *e;
    parley_appends_t         *appends;
    parley_log_head_t         head;
    const parley_member_of_t *m;

    appends = &s->sh->appends;
    seen = appends->head;

    for (i = 1; i <= appends->fed_max; i++) {
        m = &s->sh->processes[i];

        if (m->process.pid != 0 && m->fed != 0 && m->fed - 1 < seen) {
            seen = m->fed - 1;
        }
    }

    for ( ; n != 0 && appends->passed < appends->head; n--) {

        e = parley_log_record_find(s, appends->passed + 1, &head);

        if (appends->passed >= seen && e != NULL
            && (int64_t) parley_entry_stamp(e) + PARLEY_FEED_GRACE > now)
        {
            return;
        }

        appends->passed++;

        if (e != NULL && head.kept == 0) {
            parley_table_remove_locked(s->sh->table, e);
        }
    }
}
