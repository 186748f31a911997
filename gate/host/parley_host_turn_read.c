/* Reads the fragments of a turn in the log of its conversation. */

#include <string.h>

#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_TURN_PAGE   200      /* records of a page of the log, */
#define PARLEY_TURN_PAGES  8        /* and pages that are read */

/* octets of the rows of all fragments: the views of the turn have room */
#define PARLEY_TURN_ROWS   (32 << 10)

/* readers of a turn, and of one that a change replaces */
#define PARLEY_TURN_READERS  (2 * PARLEY_ATTENTION_READERS_MAX)


static void parley_turn_own(parley_turn_t *t,
    const parley_turn_fragment_t *own);
static int parley_turn_page(parley_turn_t *t, const parley_log_page_t *page);
static int parley_turn_record(parley_turn_t *t, parley_publication_t *p,
    uint64_t at);
static int parley_turn_member(parley_turn_t *t, parley_str_t id);
static void parley_turn_rows_add(parley_turn_t *t, parley_str_t rest);
static int parley_turn_edited(parley_turn_t *t,
    const parley_host_event_t *event, parley_turn_fragment_t *ret);


int
parley_turn_read(parley_turn_t *t, const parley_turn_fragment_t *own)
{
    int                rc;
    unsigned           pages;
    uint8_t            log[PARLEY_KEY_LEN];
    parley_place_t     from;
    parley_log_page_t  page;

    t->n = 0;
    t->octets = 0;
    t->octets_rows = 0;
    t->full = 0;
    t->list = parley_arena_calloc(t->h->arena,
                                  PARLEY_TURN_MAX
                                  * sizeof(parley_turn_fragment_t));
    if (t->list == NULL) {
        return parley_error_memory(t->h->err);
    }

    if (t->epoch == 0) {
        parley_turn_own(t, own);
        return 0;
    }

    parley_host_conversation(t->h->ask->state, t->where.source,
                             t->where.conversation, log);

    from.epoch = t->epoch;
    from.offset = t->first > 0 ? t->first - 1 : 0;

    for (pages = 0; pages < PARLEY_TURN_PAGES; pages++) {

        rc = parley_host_read(t->h, log, &from, PARLEY_TURN_PAGE, 0, &page);

        if (rc != 0) {
            return rc;
        }

        if (pages == 0) {
            t->oldest = page.epoch == t->epoch ? page.first : UINT64_MAX;
            parley_turn_own(t, own);
        }

        if (page.epoch != t->epoch) {
            return 0;
        }

        rc = parley_turn_page(t, &page);

        if (rc != 0 || t->full || page.at >= page.last) {
            return rc;
        }

        from.offset = page.at;
    }

    return 0;
}


/* Adds the fragment of the job.  An edit of a message that the log has dropped
   comes under its own id, at its own place: the message may have come before,
   and its mark has expired. */

static void
parley_turn_own(parley_turn_t *t, const parley_turn_fragment_t *own)
{
    parley_turn_fragment_t  f;

    if (own == NULL) {
        return;
    }

    f = *own;

    if (t->before.len == 0 && f.at != 0 && f.at < t->oldest) {
        f.id = f.event;
        f.at = UINT64_MAX;      /* until the log is read up to it */
    }

    parley_turn_add(t, &f);
}


static int
parley_turn_page(parley_turn_t *t, const parley_log_page_t *page)
{
    int                    i, rc;
    parley_publication_t   p;

    for (i = 0; i < page->n && !t->full; i++) {

        if (parley_publication_read(page->list[i].octets, &p) != 0) {
            continue;
        }

        rc = parley_turn_record(t, &p, page->list[i].offset);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


/* Adds a record of the conversation if it is a fragment.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_turn_record(parley_turn_t *t, parley_publication_t *p, uint64_t at)
{
    int                      rc;
    parley_host_event_t      event;
    parley_turn_fragment_t   f;

    memset(&f, 0, sizeof(parley_turn_fragment_t));

    f.p = *p;
    f.id = f.event = p->id;
    f.at = at;

    if (parley_host_views_read(p->views, &f.views, &f.rows) != 0
        || !parley_str_eq(f.views.thread, t->where.thread)
        || p->ms < t->since_ms)
    {
        return 0;
    }

    f.begun_ms = p->ms;
    f.lasts_ms = f.views.deadline_ms;

    rc = parley_host_event_get(t->h, p->id, t->where.source, &event);

    if (rc != 1 || !parley_str_eq(event.author, t->author)) {
        return rc < 0 ? rc : 0;
    }

    if (event.act == PARLEY_CHAT_EDIT) {
        rc = parley_turn_edited(t, &event, &f);

    } else {
        rc = event.act == PARLEY_CHAT_MESSAGE
             && event.now == PARLEY_CHAT_MESSAGE;
    }

    if (rc == 1) {
        rc = parley_turn_member(t, p->id);
    }

    if (rc == 1) {
        parley_turn_add(t, &f);
    }

    return rc < 0 ? rc : 0;
}


/* Returns whether an event belongs to this turn: 1, 0, PARLEY_WAIT or -1. */

static int
parley_turn_member(parley_turn_t *t, parley_str_t id)
{
    int                 rc;
    parley_turn_mark_t  mark;

    if (t->before.len > 0 && parley_str_eq(id, t->by)) {
        return 1;
    }

    rc = parley_turn_mark_get(t->h, id, t->where.source, &mark);

    return rc < 0 ? rc
           : rc == 0 ? t->before.len == 0
           : (t->by.len > 0 && parley_str_eq(mark.by, t->by))
             || (t->before.len > 0 && parley_str_eq(mark.turn, t->before));
}


/*
 * An edit takes the place of its message, unless the message was in a turn
 * before: the job of the edit offers that turn again.  Returns 1, 0,
 * PARLEY_WAIT or -1.
 */

static int
parley_turn_edited(parley_turn_t *t, const parley_host_event_t *event,
    parley_turn_fragment_t *f)
{
    int                   rc;
    parley_host_event_t   first;

    rc = parley_host_event_get(t->h, event->other, t->where.source, &first);

    if (rc != 1 || first.now == PARLEY_CHAT_DELETE) {
        return rc < 0 ? rc : 0;
    }

    /* see parley_turn_own() */

    if (t->before.len > 0 || first.place.epoch == 0
        || (first.place.epoch == t->epoch && first.place.offset >= t->oldest))
    {
        f->id = event->other;

        if (first.place.epoch == t->epoch) {
            f->at = first.place.offset;
        }
    }

    if (first.now == PARLEY_CHAT_EDIT && first.lasts_ms > 0) {
        f->lasts_ms = first.lasts_ms;
        f->begun_ms = f->p.ms + f->views.deadline_ms - first.lasts_ms;
    }

    return t->before.len > 0 ? 1 : parley_turn_member(t, event->other);
}


void
parley_turn_add(parley_turn_t *t, const parley_turn_fragment_t *f)
{
    unsigned  i;

    for (i = 0; i < t->n; i++) {
        if (parley_str_eq(t->list[i].id, f->id)) {
            t->octets -= t->list[i].p.message.len;
            t->octets += f->p.message.len;
            t->list[i] = *f;
            return;
        }
    }

    if (t->n == PARLEY_TURN_MAX
        || (t->n > 0
            && (t->octets + f->p.message.len > PARLEY_TURN_OCTETS
                || t->octets_rows + f->rows.len > PARLEY_TURN_ROWS)))
    {
        t->full = 1;
        return;
    }

    t->octets_rows += f->rows.len;

    for (i = t->n; i > 0 && t->list[i - 1].at > f->at; i--) {
        t->list[i] = t->list[i - 1];
    }

    t->list[i] = *f;
    t->octets += f->p.message.len;
    t->n++;
}


int
parley_turn_rows(parley_turn_t *t)
{
    int           rc;
    unsigned      i;
    parley_str_t  rest;

    t->nrows = 0;
    t->rows = parley_arena_alloc(t->h->arena, PARLEY_TURN_READERS
                                              * sizeof(parley_host_row_t));
    if (t->rows == NULL) {
        return parley_error_memory(t->h->err);
    }

    if (t->before.len > 0) {
        rc = parley_turn_readers_get(t->h, t->before, t->where.source, &rest);

        if (rc < 0) {
            return rc;
        }

        parley_turn_rows_add(t, rest);
    }

    for (i = 0; i < t->n; i++) {
        parley_turn_rows_add(t, t->list[i].rows);
    }

    return 0;
}


static void
parley_turn_rows_add(parley_turn_t *t, parley_str_t rest)
{
    parley_host_row_t  row;

    while (t->nrows < PARLEY_TURN_READERS
           && parley_host_views_next(&rest, &row))
    {
        if (row.waits && !parley_turn_has(t, row.sub)) {
            t->rows[t->nrows++] = row;
        }
    }
}


/* An edit that comes in the turn instead of a knock does not keep the turn. */

static int
parley_turn_row_waits(const parley_host_row_t *row)
{
    return row->waits && row->verdict.mode >= PARLEY_CHAT_BUFFERED;
}


int
parley_turn_is_awaited(const parley_turn_fragment_t *f)
{
    parley_str_t       rest;
    parley_host_row_t  row;

    rest = f->rows;

    while (parley_host_views_next(&rest, &row)) {
        if (parley_turn_row_waits(&row)) {
            return 1;
        }
    }

    return 0;
}


int
parley_turn_row(const parley_turn_fragment_t *f, parley_str_t sub,
    parley_host_row_t *ret)
{
    parley_str_t  rest;

    rest = f->rows;

    while (parley_host_views_next(&rest, ret)) {
        if (parley_str_eq(ret->sub, sub)) {
            return 1;
        }
    }

    return 0;
}


int
parley_turn_has(const parley_turn_t *t, parley_str_t sub)
{
    unsigned  i;

    for (i = 0; i < t->nrows && !parley_str_eq(t->rows[i].sub, sub); i++) {
        /* void */
    }

    return i < t->nrows;
}


int
parley_turn_has_waiting(const parley_turn_t *t, parley_str_t sub)
{
    unsigned           i;
    parley_host_row_t  row;

    for (i = 0; i < t->n; i++) {
        if (parley_turn_row(&t->list[i], sub, &row)
            && parley_turn_row_waits(&row))
        {
            return 1;
        }
    }

    return 0;
}
