/*
 * Acknowledges an offer.  Written octets are not a delivery: only the reader's
 * answer to the request is (C2A-20).  Its mailbox has a cursor, up to which all
 * events are acknowledged.  The stream of the mailbox begins after the cursor,
 * so an event comes again until it is acknowledged.
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_digest.h"
#include "gate/host/parley_host_other.h"
#include "hub/parley_event_id.h"


static int parley_host_ack_moved(parley_host_mailbox_t *k);
static int parley_host_ack_find(parley_host_mailbox_t *k);
static int parley_host_ack_note(parley_host_mailbox_t *k);
static int parley_host_ack_event(parley_host_mailbox_t *k,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_outcome_t outcome);
static int parley_host_ack_move(parley_host_mailbox_t *k);
static int parley_host_ack_passes(parley_host_mailbox_t *k, int i);
static int parley_host_ack_put(parley_host_mailbox_t *k, int moved);
static int parley_host_ack_page(parley_host_mailbox_t *k,
    const parley_place_t *place, unsigned *left, int *moved);


/* A response to an unknown request is dropped: the answer is the same. */

int
parley_host_acknowledge(parley_host_call_t *c)
{
    int                    rc;
    parley_host_mailbox_t  k;
    parley_chat_result_t   none;

    memset(&k, 0, sizeof(parley_host_mailbox_t));
    memset(&none, 0, sizeof(parley_chat_result_t));

    k.c = c;
    k.g = c->g;
    k.h = &c->h;
    k.reader = c->g->who->principal;

    rc = 0;

    if (c->call.offer.id.len > 0
        && c->call.outcome != PARLEY_CHAT_RETRY)
    {
        rc = parley_host_digest_answered(&c->h, k.reader, &c->call.offer,
                                         c->call.outcome);
        if (rc == 0) {
            rc = parley_host_ack_find(&k);

            if (rc >= 0) {
                rc = parley_host_ack_moved(&k);
            }
        }
    }

    return rc < 0 ? rc
           : c->chat->answer(c->g->arena, &c->call, &none, &c->g->out.reply)
             == 0 ? 0 : parley_error_memory(c->g->err);
}


int
parley_host_cursor_move(parley_host_call_t *c)
{
    int                    rc;
    parley_host_mailbox_t  k;

    memset(&k, 0, sizeof(parley_host_mailbox_t));

    k.c = c;
    k.g = c->g;
    k.h = &c->h;
    k.reader = c->g->who->principal;

    rc = parley_host_ack_moved(&k);

    return rc < 0 ? rc : 0;
}


static int
parley_host_ack_moved(parley_host_mailbox_t *k)
{
    int       rc;
    unsigned  tries;

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_ack_move(k);
    }

    return rc;
}


/* Finds the event after the cursor, and notes its outcome.  Returns as
   parley_host_ack_note(). */

static int
parley_host_ack_find(parley_host_mailbox_t *k)
{
    int       rc;
    unsigned  pages;

    rc = parley_host_mailbox_read(k, PARLEY_HOST_NEXT);

    for (pages = 0; rc == 1; pages++) {
        rc = parley_host_ack_note(k);

        if (rc != 0 || pages == PARLEY_HOST_PAGES) {
            break;
        }

        rc = parley_host_mailbox_next(k, PARLEY_HOST_ACKED, 0);
    }

    return rc;
}


/*
 * Notes the outcome of the event.  Two sources may have its id, so each record
 * is compared by the tag.  Returns 1; 0: the page has no such offer to the
 * caller; PARLEY_WAIT; or -1.
 */

static int
parley_host_ack_note(parley_host_mailbox_t *k)
{
    int                     i, rc;
    parley_host_row_t       row;
    parley_host_views_t     views;
    parley_publication_t    p;

    for (i = 0; i < k->page.n; i++) {
        if (parley_host_mailbox_event(k, i, &p, &views, &row)
            && parley_str_eq(p.id, k->c->call.offer.id)
            && k->h->chat->tag(p.id, k->reader->names[k->h->proto],
                               views.source)
               == k->c->call.offer.tag)
        {
            break;
        }
    }

    if (i == k->page.n) {
        return 0;
    }

    rc = parley_host_ack_event(k, &p, &views, &row, k->c->call.outcome);

    return rc < 0 ? rc : 1;
}


/*
 * Puts the outcome of an event that has none.  An event that obliged the reader
 * and failed goes up at once.  Returns 0 or more, PARLEY_WAIT or -1.
 */

static int
parley_host_ack_event(parley_host_mailbox_t *k, const parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    parley_chat_outcome_t outcome)
{
    int                     rc;
    unsigned                tries;
    parley_host_delivery_t  delivery;

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {

        rc = parley_host_delivery_get(k->h, p->id, views->source,
                                      k->reader->sub, &delivery);

        if (rc < 0 || delivery.accepted
            || delivery.disposition != PARLEY_CHAT_UNDISPOSED)
        {
            return rc;
        }

        switch (outcome) {

        case PARLEY_CHAT_ACCEPTED:
            delivery.accepted = 1;
            break;

        case PARLEY_CHAT_REFUSED:
            delivery.disposition = PARLEY_CHAT_FAILED;
            break;

        default:
            delivery.attempts = UINT8_MAX;
        }

        /* the job first: if this process dies, the message comes again */

        rc = outcome == PARLEY_CHAT_REFUSED && parley_host_is_sent(row)
             ? parley_host_send_failed(k->h, p, k->reader->sub) : 0;

        if (rc == 0) {
            rc = parley_host_delivery_put(k->h, p->id, views->source,
                                          k->reader->sub, &delivery);
        }
    }

    if (rc == 0) {
        parley_host_audit_outcome(k->h, p->id, row,
                                  k->g != NULL ? PARLEY_HOST_BY_STREAM
                                               : PARLEY_HOST_BY_URL, outcome);
    }

    /* the host does not follow messages of other protocols */

    return rc == 0 && outcome == PARLEY_CHAT_REFUSED && !views->other
           && row->verdict.policy == PARLEY_CHAT_MUST
           ? parley_host_escalate(k->h, p, k->reader->sub) : rc;
}


int
parley_host_outcome(parley_host_t *h, const parley_principal_t *reader,
    const parley_publication_t *p, parley_chat_outcome_t outcome)
{
    int                    rc;
    unsigned               tries;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_host_mailbox_t  k;

    memset(&k, 0, sizeof(parley_host_mailbox_t));

    k.h = h;
    k.reader = reader;

    if (!parley_host_views_find(p->views, reader->sub, &views, &row)) {
        return 0;
    }

    rc = parley_host_ack_event(&k, p, &views, &row, outcome);

    for (tries = 0; rc >= 0 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_ack_move(&k);

        if (rc != 1) {
            break;
        }
    }

    return rc;
}


/* Moves the cursor over all records that need no acknowledgment, or have one.
   A page that begins after the cursor is not read again.  Returns as
   parley_host_ack_put(). */

static int
parley_host_ack_move(parley_host_mailbox_t *k)
{
    int       i, rc, moved;
    unsigned  pages;

    moved = 0;
    rc = k->begins ? 1 : parley_host_mailbox_read(k, PARLEY_HOST_NEXT);
    k->begins = 0;

    for (pages = 0; rc == 1; pages++) {

        for (i = 0; rc == 1 && i < k->page.n; i++) {
            rc = parley_host_ack_passes(k, i);

            if (rc == 1) {
                k->cursor.offset = k->page.list[i].offset;
                moved = 1;
            }
        }

        if (rc != 1 || pages == PARLEY_HOST_PAGES) {
            break;
        }

        rc = parley_host_mailbox_next(k, PARLEY_HOST_ACKED, 0);
    }

    return rc < 0 ? rc : parley_host_ack_put(k, moved);
}


/* Returns whether the cursor may move over a record: 1, 0, PARLEY_WAIT, -1. */

static int
parley_host_ack_passes(parley_host_mailbox_t *k, int i)
{
    int                     rc;
    parley_str_t            event;
    parley_host_row_t       row;
    parley_host_views_t     views;
    parley_publication_t    p;
    parley_host_delivery_t  delivery;

    if (!parley_host_mailbox_event(k, i, &p, &views, &row)
        || row.verdict.mode <= PARLEY_CHAT_MAILBOX)
    {
        return 1;
    }

    /* an event that the reader may no longer read is not offered */

    rc = row.verdict.directedness == PARLEY_CHAT_TO_ME
         ? 1 : parley_host_mailbox_reads(k, &views);

    if (rc != 1) {
        return rc == 0 ? 1 : rc;
    }

    rc = parley_host_delivery_get(k->h, p.id, views.source, k->reader->sub,
                                  &delivery);

    if (rc < 0 || delivery.accepted
        || delivery.disposition != PARLEY_CHAT_UNDISPOSED)
    {
        return rc < 0 ? rc : 1;
    }

    /* a reminder means nothing after its event was decided */

    if (!parley_host_is_told(&views)) {
        return 0;
    }

    event = parley_host_event_named(p.id);

    rc = parley_host_delivery_get(k->h, event, views.source, k->reader->sub,
                                  &delivery);

    return rc < 0 ? rc : !parley_host_is_open(&delivery);
}


/* Puts the cursor if it has moved.  Returns 0; 1: another process moved it
   before; PARLEY_WAIT or -1. */

static int
parley_host_ack_put(parley_host_mailbox_t *k, int moved)
{
    return moved ? parley_host_cursor_put(k->h, k->reader->sub, &k->cursor,
                                          k->generation) : 0;
}


int
parley_host_ack_through(parley_host_mailbox_t *k, parley_str_t text)
{
    int             rc, moved;
    unsigned        pages, left;
    parley_place_t  place;

    if (parley_event_id_read(text, &place) != 0
        || place.epoch != k->page.epoch || place.offset > k->page.last)
    {
        return parley_error_set(k->h->err, PARLEY_E_FIELD_INVALID,
                                "/params/arguments/ackThrough",
                                "this is not a place of the mailbox");
    }

    moved = 0;
    left = PARLEY_HOST_ACKED;
    rc = parley_host_ack_page(k, &place, &left, &moved);

    for (pages = 1; rc == 1 && pages < PARLEY_HOST_PAGES; pages++) {
        rc = parley_host_mailbox_next(k, PARLEY_HOST_ACKED, 0);

        if (rc == 1) {
            rc = parley_host_ack_page(k, &place, &left, &moved);
        }
    }

    /* if another process has moved the cursor, its place counts */

    if (rc >= 0) {
        rc = parley_host_ack_put(k, moved);
    }

    return rc < 0 ? rc : 1;
}


/* Acknowledges the events of a page up to a place.  Returns 1; 0: the place or
   the last event is reached; PARLEY_WAIT or -1. */

static int
parley_host_ack_page(parley_host_mailbox_t *k, const parley_place_t *place,
    unsigned *left, int *moved)
{
    int                     i, rc;
    parley_host_row_t       row;
    parley_host_views_t     views;
    parley_publication_t    p;
    parley_host_delivery_t  delivery;

    for (i = 0; i < k->page.n; i++) {

        if (*left == 0 || k->page.list[i].offset > place->offset) {
            return 0;
        }

        /* a message of another protocol that needs no acknowledgment gets no
           record */

        if (parley_host_mailbox_event(k, i, &p, &views, &row)
            && (!views.other || row.verdict.mode > PARLEY_CHAT_MAILBOX))
        {
            rc = parley_host_delivery_get(k->h, p.id, views.source,
                                          k->reader->sub, &delivery);

            if (rc >= 0 && !delivery.accepted) {
                (*left)--;
                delivery.accepted = 1;
                rc = parley_host_delivery_put(k->h, p.id, views.source,
                                              k->reader->sub, &delivery);

                if (rc == 0) {
                    parley_host_audit_outcome(k->h, p.id, &row,
                                              PARLEY_HOST_BY_TOOL,
                                              PARLEY_CHAT_ACCEPTED);
                }
            }

            if (rc < 0) {
                return rc;
            }
        }

        k->cursor.offset = k->page.list[i].offset;
        *moved = 1;
    }

    return 1;
}
