/*
 * The end of a message that its author changed: its offers are cancelled, and
 * its text is erased in all logs.
 */

#include <string.h>

#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_end.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_settings.h"


/* records of a mailbox in which forms of an event are searched */
#define PARLEY_HOST_CHANGE_BACK  256


static int parley_host_change_take(parley_host_change_t *a);
static int parley_host_change_sweep(parley_host_change_t *a);
static int parley_host_change_swept(parley_host_change_t *a,
    const parley_log_page_t *page);
static int parley_host_change_is_text(parley_host_change_t *a,
    const parley_publication_t *p);
static int parley_host_change_text(parley_host_change_t *a);
static int parley_host_change_readers(parley_host_change_t *a);
static int parley_host_change_turned(const parley_host_change_t *a);
static int parley_host_change_forms(parley_host_change_t *a,
    const parley_host_row_t *row);
static int parley_host_change_search(parley_host_change_t *a,
    const parley_principal_t *to);
static int parley_host_change_page(parley_host_change_t *a,
    const parley_principal_t *to, const uint8_t *log,
    const parley_log_page_t *page);
static void parley_host_change_ends(const parley_host_change_t *a,
    parley_host_ends_t *ret);
static int parley_host_change_parties(parley_host_change_t *a);
static int parley_host_change_erase_old(parley_host_change_t *a);
static int parley_host_change_erase(parley_host_change_t *a,
    const uint8_t *log, uint64_t epoch, uint64_t offset);


int
parley_host_change_begin(parley_host_change_t *a)
{
    int                        rc;
    parley_host_thread_name_t  where;

    rc = parley_host_change_take(a);

    if (rc != 0 || a->done) {
        return rc;
    }

    where.source = a->first.source;
    where.conversation = a->first.conversation;
    where.thread = a->first.thread;

    /* the record of the message was renewed */

    rc = parley_host_change_renew(a);

    if (rc == 0 && a->e->act == PARLEY_CHAT_DELETE) {
        rc = parley_host_change_close(a);
    }

    if (rc == 0) {
        rc = parley_turn_stop(a->h, &where, a->first.author, a->e->id);
    }

    /* the turn that a job offered until then */

    if (rc == 0) {
        rc = parley_host_change_turn(a);
    }

    return rc == 0 && a->stored ? parley_host_change_readers(a) : rc;
}


/* Puts the change into the record of the message, unless another change came
   before.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_take(parley_host_change_t *a)
{
    int                  rc;
    unsigned             tries;
    parley_host_event_t  first;

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {

        if (a->done || a->begun) {
            return 0;
        }

        /* the later edit stays, and erases this one */

        if (a->first.now == PARLEY_CHAT_EDIT && a->place.epoch != 0) {
            rc = parley_host_change_is_later(a, &a->first);

            if (rc != 1) {
                a->done = rc == 0;
                return rc;
            }
        }

        first = a->first;

        first.before = parley_str_eq(a->id, a->e->of) ? parley_str_none : a->id;
        first.now = a->e->act;
        first.other = a->e->id;
        first.lasts_ms = a->lasts_ms;

        rc = parley_host_event_put(a->h, a->e->of, &first, 0);

        if (rc != 1) {
            a->first = first;
            return rc;
        }

        /* another change has put it since */

        rc = parley_host_event_get(a->h, a->e->of, first.source, &first);

        if (rc < 0) {
            return rc;
        }

        if (rc == 0) {
            a->first.generation = 0;
            continue;
        }

        a->first = first;
        a->sweeps = 1;
        a->begun = first.now != PARLEY_CHAT_MESSAGE
                   && parley_str_eq(first.other, a->e->id);

        if (first.now == PARLEY_CHAT_DELETE && !a->begun) {
            a->done = a->place.epoch != 0;
            return a->done ? 0 : parley_host_change_meets(a);
        }

        rc = parley_host_change_load(a);

        if (rc < 0) {
            return rc;
        }
    }

    return parley_host_change_meets(a);
}


int
parley_host_change_end(parley_host_change_t *a)
{
    int  rc;

    if (a->done) {
        return 0;
    }

    rc = a->stored || a->turned ? 0 : parley_host_change_parties(a);

    if (rc == 0 && a->turn != NULL) {
        rc = parley_host_change_turned(a);
    }

    if (rc == 0 && a->stored) {
        rc = parley_host_change_erase_old(a);
    }

    return rc == 0 ? parley_host_change_sweep(a) : rc;
}


/* Ends and erases each text of the message before the change.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_change_sweep(parley_host_change_t *a)
{
    int                 rc;
    size_t              n;
    uint8_t             log[PARLEY_KEY_LEN];
    parley_place_t      from;
    parley_log_page_t   page;

    if (!a->sweeps || a->place.epoch == 0) {
        return 0;
    }

    parley_host_conversation(a->h->ask->state, a->first.source,
                             a->first.conversation, log);

    from = a->place;

    for (n = 0; n < PARLEY_HOST_NEWEST; n += (size_t) page.n) {

        rc = parley_host_read(a->h, log, &from, PARLEY_HOST_NEWEST - n, 1,
                              &page);

        if (rc != 0 || page.epoch != a->place.epoch || page.n == 0) {
            return rc;
        }

        rc = parley_host_change_swept(a, &page);

        if (rc != 0 || page.at <= page.first
            || (a->first.place.epoch == page.epoch
                && page.at <= a->first.place.offset))
        {
            return rc;
        }

        from.offset = page.at;
    }

    return 0;
}


/* Ends and erases the texts of the message in a page.  Returns 0, PARLEY_WAIT
   or -1. */

static int
parley_host_change_swept(parley_host_change_t *a,
    const parley_log_page_t *page)
{
    int                    i, rc;
    parley_host_change_t   text;
    parley_publication_t   p;

    for (i = 0; i < page->n; i++) {

        if (parley_publication_read(page->list[i].octets, &p) != 0
            || !parley_str_eq(p.from, a->g->who->author))
        {
            continue;
        }

        rc = parley_host_change_is_text(a, &p);

        if (rc < 0) {
            return rc;
        }

        text = *a;
        text.id = p.id;
        text.p = p;
        text.old.place.epoch = page->epoch;
        text.old.place.offset = page->list[i].offset;

        if (rc == 0
            || parley_host_views_read(p.views, &text.views, &text.rows) != 0)
        {
            continue;
        }

        rc = parley_host_change_text(&text);

        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


/* Returns whether a record is the message, or an edit of it: 1, 0, PARLEY_WAIT
   or -1. */

static int
parley_host_change_is_text(parley_host_change_t *a,
    const parley_publication_t *p)
{
    int                  rc;
    parley_host_event_t  event;

    if (parley_str_eq(p->id, a->e->of)) {
        return 1;
    }

    rc = parley_host_event_get(a->h, p->id, a->first.source, &event);

    return rc != 1 ? rc
           : event.act == PARLEY_CHAT_EDIT
             && parley_str_eq(event.other, a->e->of);
}


/* Ends a text of the message for its readers, and erases it.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_change_text(parley_host_change_t *a)
{
    int  rc;

    a->turn = NULL;
    a->turned = 0;

    rc = parley_host_change_turn(a);

    if (rc == 0) {
        rc = parley_host_change_readers(a);
    }

    if (rc == 0 && a->turn != NULL) {
        rc = parley_host_change_turned(a);
    }

    return rc == 0 ? parley_host_change_erase_old(a) : rc;
}


static int
parley_host_change_erase_old(parley_host_change_t *a)
{
    uint8_t  log[PARLEY_KEY_LEN];

    parley_host_conversation(a->h->ask->state, a->first.source,
                             a->first.conversation, log);

    return parley_host_change_erase(a, log, a->old.place.epoch,
                                    a->old.place.offset);
}


static int
parley_host_change_readers(parley_host_change_t *a)
{
    int                 rc;
    parley_str_t        rest;
    parley_host_row_t   row;

    a->keeps = 1;
    a->own.epoch = 0;

    rest = a->rows;

    /* a knock after a claim has the text, and comes to the other readers */

    while (parley_host_views_next(&rest, &row)) {
        if (row.verdict.row == PARLEY_ATTENTION_ROLE) {
            parley_host_end_claim(a->h, a->id, a->first.source, row.sub);
        }
    }

    rest = a->rows;

    while (parley_host_views_next(&rest, &row)) {

        /* a reader that waits has no offer of it */

        if (row.verdict.mode <= PARLEY_CHAT_MAILBOX || row.waits) {
            continue;
        }

        rc = parley_host_change_reader(a, &row);

        if (rc < 0) {
            return rc;
        }
    }

    /* the event lists its readers: if the process dies before this, a repeated
       change finds them */

    return a->own.epoch != 0
           ? parley_host_change_erase(a, a->own_log, a->own.epoch,
                                      a->own.offset) : 0;
}


/* Erases the turn that has the message.  The job of the change ends it for its
   readers.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_turned(const parley_host_change_t *a)
{
    int                    rc;
    unsigned               i;
    parley_host_change_t   turn;

    turn = *a;
    turn.id = a->turn->before;
    turn.forms = !parley_str_eq(turn.id, a->id);
    turn.keeps = 0;

    rc = a->stored ? 0 : parley_host_change_parties(&turn);

    for (i = 0; rc == 0 && i < a->turn->nrows; i++) {
        rc = parley_host_change_forms(&turn, &a->turn->rows[i]);
    }

    return rc;
}


/* Erases the forms of the event in the mailboxes of a reader and of the
   principals above.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_forms(parley_host_change_t *a, const parley_host_row_t *row)
{
    int                        rc;
    unsigned                   level;
    const parley_principal_t  *reader, *to;

    reader = parley_directory_by_sub(a->h->http->directory, row->sub);

    rc = 0;
    to = reader;

    for (level = 1; rc == 0 && to != NULL; level++) {
        rc = parley_host_change_search(a, to);

        to = level <= PARLEY_HOST_LEVELS
             ? parley_host_above(reader, a->first.author, level) : NULL;
    }

    return rc;
}


int
parley_host_change_reader(parley_host_change_t *a,
    const parley_host_row_t *row)
{
    int                        rc, up;
    unsigned                   level;
    parley_host_ends_t         ends;
    const parley_principal_t  *reader, *to;

    reader = parley_directory_by_sub(a->h->http->directory, row->sub);

    parley_host_change_ends(a, &ends);

    to = reader;
    level = 0;

    do {
        if (to == NULL) {
            return 0;
        }

        up = parley_host_part_end(a->h, a->g, &ends, to);

        /* only a reader that is obliged, is mentioned by a role or has a turn
           has forms of it */

        rc = up >= 0 && (row->verdict.policy == PARLEY_CHAT_MUST || row->waits
                         || row->verdict.row == PARLEY_ATTENTION_ROLE)
             ? parley_host_change_search(a, to) : up;

        if (rc < 0 || up == 0 || ++level > PARLEY_HOST_LEVELS) {
            return rc < 0 ? rc : 0;
        }

        to = parley_host_above(reader, a->first.author, level);

    } while (parley_host_escalated_id(a->h->arena, a->id, level, &ends.id)
             == 0);

    return parley_error_memory(a->h->err);
}


/*
 * Erases the forms of the event in a mailbox: its reminder, and that which went
 * up.  They are records of their own.  Returns 0, PARLEY_WAIT or -1.
 */

static int
parley_host_change_search(parley_host_change_t *a, const parley_principal_t *to)
{
    int                 rc;
    size_t              n;
    uint8_t             log[PARLEY_KEY_LEN];
    parley_place_t      from;
    parley_log_page_t   page;

    rc = parley_host_mailbox_log(a->h, to, log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    memset(&from, 0, sizeof(parley_place_t));

    for (n = 0; n < PARLEY_HOST_CHANGE_BACK; n += (size_t) page.n) {

        rc = parley_host_read(a->h, log, &from, PARLEY_HOST_CHANGE_BACK - n, 1,
                              &page);

        if (rc != 0 || page.epoch == 0 || page.n == 0) {
            return rc;
        }

        rc = parley_host_change_page(a, to, log, &page);

        if (rc != 0 || page.at <= page.first) {
            return rc;
        }

        from.epoch = page.epoch;
        from.offset = page.at;
    }

    return 0;
}


/* Erases the forms of the event in a page, and notes where the event itself is.
   A form that went up ends, also if its job had not noted yet that it goes up.
   Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_page(parley_host_change_t *a, const parley_principal_t *to,
    const uint8_t *log, const parley_log_page_t *page)
{
    int                    i, rc;
    parley_str_t           rest;
    parley_host_ends_t     ends;
    parley_host_views_t    views;
    parley_publication_t   p;

    for (i = 0; i < page->n; i++) {

        if (parley_publication_read(page->list[i].octets, &p) != 0
            || !parley_str_eq(parley_host_event_base(p.id), a->id)
            || parley_host_views_read(p.views, &views, &rest) != 0
            || !parley_str_eq(views.source, a->first.source)
            || (a->forms && !views.turn))
        {
            continue;
        }

        if (a->keeps && !views.turn && parley_str_eq(p.id, a->id)) {
            memcpy(a->own_log, log, PARLEY_KEY_LEN);
            a->own.epoch = page->epoch;
            a->own.offset = page->list[i].offset;
            continue;
        }

        if (views.escalated.len > 0) {
            parley_host_change_ends(a, &ends);
            ends.id = parley_host_event_named(p.id);

            rc = parley_host_part_end(a->h, a->g, &ends, to);

            if (rc < 0) {
                return rc;
            }
        }

        rc = parley_host_change_erase(a, log, page->epoch,
                                      page->list[i].offset);
        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


static void
parley_host_change_ends(const parley_host_change_t *a, parley_host_ends_t *ret)
{
    ret->id = a->id;
    ret->source = a->first.source;
    ret->disposition = PARLEY_CHAT_SUPERSEDED;
    ret->reason = a->e->act == PARLEY_CHAT_EDIT ? PARLEY_CHAT_REASON_EDITED
                                                : PARLEY_CHAT_REASON_NONE;
}


/* Searches the mailboxes of the parties, after the conversation has dropped the
   event.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_parties(parley_host_change_t *a)
{
    int                         rc;
    unsigned                    i;
    parley_host_thread_t       *thread;
    parley_host_thread_name_t   where;
    const parley_principal_t   *to;

    thread = parley_arena_alloc(a->h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(a->h->err);
    }

    where.source = a->first.source;
    where.conversation = a->first.conversation;
    where.thread = a->first.thread;

    rc = parley_host_thread_get(a->h, &where, thread);

    for (i = 0; rc >= 0 && i < thread->n; i++) {
        to = parley_directory_by_sub(a->h->http->directory,
                                     thread->parties[i].sub);

        rc = to != NULL && parley_attention_has_mailbox(to)
             ? parley_host_change_search(a, to) : 0;
    }

    return rc < 0 ? rc : 0;
}


static int
parley_host_change_erase(parley_host_change_t *a, const uint8_t *log,
    uint64_t epoch, uint64_t offset)
{
    parley_erase_t  erase;

    erase.log = log;
    erase.epoch = epoch;
    erase.offset = offset;

    return parley_host_answered(a->h, parley_ask_erase(a->h->ask, &erase));
}
