/* The offer of a turn to its readers (parley_host_turn.h). */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/host/parley_host_turn_offer.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"


static int parley_turn_readers(parley_turn_job_t *j);
static int parley_turn_is_open(parley_turn_job_t *j,
    const parley_host_row_t *row);
static int parley_turn_again(parley_turn_job_t *j, parley_host_change_t *change,
    const parley_host_row_t *row);
static int parley_turn_is_late(const parley_turn_job_t *j, parley_str_t sub);
static int parley_turn_pick(parley_turn_job_t *j);
static int parley_turn_picks(parley_turn_job_t *j,
    const parley_turn_fragment_t *f);
static int parley_turn_note(parley_turn_job_t *j);
static int parley_turn_reopen(parley_turn_job_t *j);
static int parley_turn_supersede(parley_turn_job_t *j,
    const parley_turn_fragment_t *f);
static int parley_turn_append(parley_turn_job_t *j);
static int parley_turn_views(parley_turn_job_t *j, parley_str_t *ret);
static int parley_turn_logs(parley_turn_job_t *j, parley_publish_t *ret);


int
parley_turn_offer(parley_turn_job_t *j)
{
    int  rc;

    rc = parley_turn_readers(j);

    if (rc == 0 && j->nrows == 0) {
        return parley_follow_end(j->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    if (rc == 0) {
        rc = parley_turn_pick(j);
    }

    if (rc == 0) {
        rc = parley_turn_note(j);
    }

    return rc == 0 ? parley_turn_append(j) : rc;
}


/* Fills the rows of the readers that have not decided.  Returns 0, PARLEY_WAIT
   or -1. */

static int
parley_turn_readers(parley_turn_job_t *j)
{
    int                    rc;
    unsigned               i;
    parley_host_row_t     *row;
    parley_chat_event_t    e;
    parley_host_change_t   change;

    memset(&e, 0, sizeof(parley_chat_event_t));
    memset(&change, 0, sizeof(parley_host_change_t));

    e.act = j->event.act;
    e.id = j->turn.by;

    change.h = &j->h;
    change.e = &e;
    change.id = j->turn.before;
    change.first = j->event;
    change.first.source = j->turn.where.source;
    change.stored = 1;
    change.p.ms = j->due_ms - j->lasts_ms;
    change.views.deadline_ms = j->lasts_ms;
    change.lasts_ms = j->lasts_ms;

    j->rows = parley_arena_alloc(j->h.arena, (j->turn.nrows + 1)
                                             * sizeof(parley_host_row_t));
    if (j->rows == NULL) {
        return -1;
    }

    for (i = 0; i < j->turn.nrows; i++) {
        row = &j->turn.rows[i];

        rc = j->turn.before.len > 0 ? parley_turn_again(j, &change, row)
                                    : parley_turn_is_open(j, row);
        if (rc < 0) {
            return rc;
        }

        if (rc == 1) {
            row->waits = 0;
            row->late = 0;
            row->edited = j->turn.before.len > 0
                          && e.act == PARLEY_CHAT_EDIT;

            j->rows[j->nrows++] = *row;
        }
    }

    return 0;
}


/* Returns whether a reader has not decided a fragment for which it waits: 1, 0,
   PARLEY_WAIT or -1. */

static int
parley_turn_is_open(parley_turn_job_t *j, const parley_host_row_t *row)
{
    int                            rc;
    unsigned                       i;
    parley_host_row_t              own;
    parley_host_delivery_t         part;
    const parley_turn_fragment_t  *f;

    for (i = 0; i < j->turn.n; i++) {
        f = &j->turn.list[i];

        if (!parley_turn_row(f, row->sub, &own) || !own.waits) {
            continue;
        }

        rc = parley_host_delivery_get(&j->h, f->event, j->turn.where.source,
                                      row->sub, &part);
        if (rc < 0) {
            return rc;
        }

        /* an earlier try of this job has superseded it */

        if (parley_host_is_open(&part)
            || part.disposition == PARLEY_CHAT_SUPERSEDED)
        {
            return 1;
        }
    }

    return 0;
}


/*
 * Ends the offered turn for a reader.  The reader's part in the new one is put
 * before: it says on a further try that the reader had not decided.  Returns 1
 * if the reader gets the new turn; 0; PARLEY_WAIT or -1.
 */

static int
parley_turn_again(parley_turn_job_t *j, parley_host_change_t *change,
    const parley_host_row_t *row)
{
    int                      rc, gets;
    parley_host_delivery_t   part, old;

    rc = parley_host_delivery_get(&j->h, j->turn.by, change->first.source,
                                  row->sub, &part);

    if (rc >= 0 && parley_turn_is_late(j, row->sub)) {
        gets = 0;

    } else if (rc == 1) {
        gets = parley_host_is_open(&part);

    } else {
        rc = rc < 0 ? rc : parley_host_change_answered(change, row, &old);

        if (rc < 0) {
            return rc;
        }

        gets = rc == 0 && parley_turn_has_waiting(&j->turn, row->sub);
        rc = gets ? parley_host_change_keep(change, row, &old) : 0;

        if (rc == 0 && gets && old.due_ms == 0) {
            rc = parley_host_delivery_put(&j->h, j->turn.by,
                                          change->first.source, row->sub,
                                          &part);
        }
    }

    if (rc >= 0) {
        rc = parley_host_change_reader(change, row);
        j->d->wakes = 1;
    }

    return rc < 0 ? rc : gets;
}


/* Returns whether a reader had decided before an edit, which is a knock for
   it. */

static int
parley_turn_is_late(const parley_turn_job_t *j, parley_str_t sub)
{
    unsigned           i;
    parley_host_row_t  row;

    for (i = 0; i < j->turn.n; i++) {
        if (parley_str_eq(j->turn.list[i].event, j->turn.by)) {
            return parley_turn_row(&j->turn.list[i], sub, &row) && row.late;
        }
    }

    return 0;
}


/*
 * Finds the id of the turn: that of its newest fragment that no reader got
 * alone or has decided.  A fragment that a reader got alone, with its content,
 * is left out.  Returns 0, PARLEY_WAIT or -1.
 */

static int
parley_turn_pick(parley_turn_job_t *j)
{
    int        rc;
    unsigned   i, n;

    if (j->turn.before.len > 0) {
        j->id = j->turn.by;
        return 0;
    }

    for (i = 0, n = 0; i < j->turn.n; i++) {
        rc = parley_turn_picks(j, &j->turn.list[i]);

        if (rc < 0) {
            return rc == PARLEY_WAIT ? rc : -1;
        }

        if (rc == 2) {
            continue;
        }

        if (rc == 1) {
            j->id = j->turn.list[i].id;
        }

        j->turn.list[n++] = j->turn.list[i];
    }

    j->turn.n = n;

    /* each fragment was decided by another reader */

    if (j->id.len == 0) {
        j->id = n > 0 ? j->turn.list[n - 1].id : j->turn.by;
    }

    return 0;
}


/* Returns whether a fragment may give the turn its id: 1; 0: a reader got a
   knock of it, or has decided it; 2: a reader got its content; PARLEY_WAIT or
   -1. */

static int
parley_turn_picks(parley_turn_job_t *j, const parley_turn_fragment_t *f)
{
    int                      rc, picks;
    unsigned                 i;
    parley_host_row_t        row;
    parley_host_delivery_t   part;

    picks = 1;

    for (i = 0; i < j->nrows; i++) {

        if (!parley_turn_row(f, j->rows[i].sub, &row)
            || row.verdict.mode <= PARLEY_CHAT_MAILBOX)
        {
            continue;
        }

        if (!row.waits) {
            picks = 0;

            if (row.verdict.mode >= PARLEY_CHAT_BUFFERED) {
                return 2;
            }

            continue;
        }

        rc = parley_host_delivery_get(&j->h, f->id, j->turn.where.source,
                                      row.sub, &part);
        if (rc < 0) {
            return rc;
        }

        if (!parley_host_is_open(&part)
            && part.disposition != PARLEY_CHAT_SUPERSEDED)
        {
            picks = 0;
        }
    }

    return picks;
}


/* Records that the fragments are in the turn, and supersedes the older ones.
   Returns 0, PARLEY_WAIT, or -1: no room. */

static int
parley_turn_note(parley_turn_job_t *j)
{
    int                            rc;
    unsigned                       i;
    parley_buf_t                   rows;
    parley_host_row_t              row;
    parley_turn_mark_t             mark;
    const parley_turn_fragment_t  *f;

    mark.first = j->turn.n > 0 && j->turn.list[0].at < UINT64_MAX
                 ? j->turn.list[0].at : j->turn.first;
    mark.turn = j->id;
    mark.by = j->turn.by;
    mark.before = j->turn.before;

    parley_buf_init(&rows, j->h.arena, 0);

    for (i = 0; i < j->nrows; i++) {
        row = j->rows[i];
        row.waits = 1;

        parley_host_views_row(&rows, &row);
    }

    rc = parley_turn_readers_put(&j->h, j->id, j->turn.where.source, &rows);

    if (rc == 0) {
        rc = parley_turn_mark_put(&j->h, j->turn.by, j->turn.where.source,
                                  &mark);
    }

    /* the message was changed again: the job of that change, which erases this
       turn, finds it by the message */

    if (rc == 0 && j->changed && j->event.act == PARLEY_CHAT_EDIT) {
        rc = parley_turn_mark_put(&j->h, j->event.other, j->turn.where.source,
                                  &mark);
    }

    for (i = 0; rc == 0 && i < j->turn.n; i++) {
        f = &j->turn.list[i];

        rc = parley_turn_mark_put(&j->h, f->id, j->turn.where.source, &mark);

        if (rc == 0 && !parley_str_eq(f->event, f->id)) {
            rc = parley_turn_mark_put(&j->h, f->event, j->turn.where.source,
                                      &mark);
        }

        if (rc == 0 && !parley_str_eq(f->event, j->id)
            && j->turn.before.len == 0)
        {
            rc = parley_turn_supersede(j, f);
        }
    }

    if (rc == 0 && j->turn.before.len == 0) {
        rc = parley_turn_reopen(j);
    }

    return rc == PARLEY_WAIT ? rc : rc == 0 ? 0 : -1;
}


/* An earlier try of the job has superseded the fragment if a newer one was
   deleted since.  Returns 0; 1: a reader decides it now; PARLEY_WAIT or -1. */

static int
parley_turn_reopen(parley_turn_job_t *j)
{
    int                      rc;
    unsigned                 i;
    parley_host_delivery_t   part;

    for (i = 0, rc = 0; rc == 0 && i < j->nrows; i++) {

        rc = parley_host_delivery_get(&j->h, j->id, j->turn.where.source,
                                      j->rows[i].sub, &part);

        if (rc >= 0 && part.disposition == PARLEY_CHAT_SUPERSEDED) {
            part.disposition = PARLEY_CHAT_UNDISPOSED;

            rc = parley_host_delivery_put(&j->h, j->id, j->turn.where.source,
                                          j->rows[i].sub, &part);

        } else if (rc == 1) {
            rc = 0;
        }
    }

    return rc;
}


/* Supersedes a fragment for its readers, unless one has decided it or answers
   it.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_turn_supersede(parley_turn_job_t *j, const parley_turn_fragment_t *f)
{
    int                      rc;
    unsigned                 i;
    parley_host_row_t        row;
    parley_host_delivery_t   part;

    for (i = 0; i < j->nrows; i++) {

        if (!parley_turn_row(f, j->rows[i].sub, &row)
            || row.verdict.mode <= PARLEY_CHAT_MAILBOX)
        {
            continue;
        }

        rc = parley_host_delivery_get(&j->h, f->event, j->turn.where.source,
                                      row.sub, &part);

        if (rc >= 0 && part.disposition == PARLEY_CHAT_UNDISPOSED) {
            part.disposition = PARLEY_CHAT_SUPERSEDED;

            /* stale: its reader decides it now */

            rc = parley_host_delivery_put(&j->h, f->event,
                                          j->turn.where.source, row.sub,
                                          &part);

            if (rc == 0) {
                parley_host_audit_disposed(&j->h, f->event, row.sub,
                                           PARLEY_CHAT_SUPERSEDED);
            }
        }

        if (rc < 0) {
            return rc;
        }
    }

    return 0;
}


/* Ends the job with the turn, and with the obligations of its readers. */

static int
parley_turn_append(parley_turn_job_t *j)
{
    int                            rc;
    unsigned                       i;
    parley_buf_t                   b;
    parley_append_t               *append;
    parley_publish_t               publish;
    parley_turn_text_t             part;
    parley_publication_t           p;
    const parley_turn_fragment_t  *f;

    if (j->turn.n == 0) {
        return parley_follow_end(j->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    parley_buf_init(&b, j->h.arena, j->turn.octets);

    for (i = 0; i < j->turn.n; i++) {
        f = &j->turn.list[i];

        part.id = f->id;
        part.message = f->p.message;

        parley_turn_text_write(&b, &part);
    }

    append = parley_arena_alloc(j->h.arena, sizeof(parley_append_t));
    p = j->turn.list[j->turn.n - 1].p;

    p.id = j->id;
    p.ms = j->h.now_ms;

    if (append == NULL || parley_buf_done(&b, &p.message) != 0
        || parley_turn_views(j, &p.views) != 0)
    {
        return -1;
    }

    memset(&publish, 0, sizeof(parley_publish_t));

    publish.publication = &p;
    publish.account = j->h.account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(j->h.http, &publish.retention);

    if (parley_turn_logs(j, &publish) != 0
        || parley_publication_append(j->h.arena, &publish, append) != 0)
    {
        return -1;
    }

    rc = parley_host_follow_jobs(&j->h, &p, j->lasts_ms, append);

    if (rc != 0) {
        return rc;
    }

    j->how.taken = 1;
    j->how.closes[0] = &j->composes;

    append->takes = &j->takes;
    append->how = &j->how;

    j->d->end.tells = append;

    parley_host_audit_turn(&j->h, j->id, j->rows, j->nrows);

    return parley_follow_end(j->d, PARLEY_DEADLINE_ANSWERED, 0);
}


static int
parley_turn_views(parley_turn_job_t *j, parley_str_t *ret)
{
    unsigned              i;
    parley_buf_t          b;
    parley_host_views_t   views;

    views = j->turn.list[j->turn.n - 1].views;

    memset(&views.others, 0, sizeof(parley_attention_verdict_t));

    views.turn = 1;
    views.key = parley_str_none;
    views.deadline_ms = j->due_ms - j->h.now_ms;
    views.reason = j->event.act == PARLEY_CHAT_DELETE
                   ? PARLEY_CHAT_REASON_DELETED : j->reason;

    if (views.deadline_ms < 1) {
        views.deadline_ms = 1;
    }

    parley_host_views_begin(&b, j->h.arena, &views);

    for (i = 0; i < j->nrows; i++) {
        parley_host_views_row(&b, &j->rows[i]);
    }

    return parley_buf_done(&b, ret);
}


/* Finds the mailboxes.  A reader that left the directory has none; its
   obligation goes up at once. */

static int
parley_turn_logs(parley_turn_job_t *j, parley_publish_t *ret)
{
    int                         rc;
    unsigned                    i;
    uint8_t                   (*logs)[PARLEY_KEY_LEN];
    const parley_principal_t   *to;

    logs = parley_arena_alloc(j->h.arena, (j->nrows + 1) * PARLEY_KEY_LEN);

    if (logs == NULL) {
        return -1;
    }

    for (i = 0; i < j->nrows; i++) {
        to = parley_directory_by_sub(j->h.http->directory, j->rows[i].sub);

        rc = to != NULL
             ? parley_host_mailbox_log(&j->h, to, logs[ret->nlogs]) : 1;

        if (rc < 0) {
            return -1;
        }

        ret->nlogs += rc == 0;
    }

    ret->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) logs;

    return 0;
}
