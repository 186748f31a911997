/*
 * The order of changes of one message that come at the same time.
 *
 * The record CHANGES of a message is open while an edit may be appended.  An
 * edit opens it, then reads the record of the message, and its append closes
 * CHANGES, or fails.  A deletion first puts the record of the message, and then
 * a new generation of CHANGES, which it closes.  So the append of an edit that
 * did not find the message deleted fails, or comes before that of the deletion;
 * and no later edit opens CHANGES again.
 *
 * So the log of the conversation has the order of all changes.  Each change
 * erases the texts before it: also that of an edit whose process died, or that
 * another change came before.
 */

#include <string.h>

#include "gate/host/parley_host_change.h"
#include "gate/settings/parley_settings.h"


static void parley_host_change_record(parley_host_change_t *a,
    parley_str_t source);
static int parley_host_change_put(parley_host_change_t *a, int fresh);
static int parley_host_change_place(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_place_t *ret);
static int parley_host_change_precedes(const parley_place_t *a,
    const parley_place_t *b);


/* The record is a part of a reader without a name, as a claim is. */

static void
parley_host_change_record(parley_host_change_t *a, parley_str_t source)
{
    parley_str_t  parts[4];

    parts[0] = source;
    parts[1] = a->e->of;
    parts[2] = parley_str_none;
    parts[3] = PARLEY_STR("changes");

    parley_host_id(a->h, PARLEY_KIND_DELIVERY, parts, 4, &a->changes);
}


int
parley_host_change_opens(parley_host_change_t *a, parley_str_t source)
{
    int              rc;
    parley_record_t  record;

    parley_host_change_record(a, source);

    rc = parley_host_get(a->h, &a->changes, &record);

    a->generation = rc == 1 ? record.generation : 0;
    a->sweeps = rc == 1;

    return rc < 0 ? rc : 0;
}


int
parley_host_change_open(parley_host_change_t *a)
{
    return parley_host_change_put(a, a->generation == 0);
}


static int
parley_host_change_put(parley_host_change_t *a, int fresh)
{
    parley_buf_t  b;

    parley_buf_init(&b, a->h->arena, 0);
    parley_buf_str(&b, a->e->id);

    return parley_host_put(a->h, &a->changes, &b, fresh, a->generation);
}


void
parley_host_change_closes(parley_host_change_t *a, parley_append_t *append)
{
    if (a->e->act != PARLEY_CHAT_EDIT) {
        return;
    }

    memset(&a->how, 0, sizeof(parley_settlement_t));

    if (append->takes != NULL) {
        a->how = *append->how;

    } else {
        memset(&a->none, 0, sizeof(parley_admission_t));
        append->takes = &a->none;
    }

    a->how.taken = 1;
    a->how.closes[0] = &a->changes;

    append->how = &a->how;
}


int
parley_host_change_close(parley_host_change_t *a)
{
    int  rc;

    rc = parley_host_change_opens(a, a->first.source);

    if (rc < 0 || a->generation == 0) {
        return rc;
    }

    a->generation = 0;

    /* the put of an edit that has read the older generation fails */

    rc = parley_host_change_put(a, 0);

    if (rc < 0) {
        return rc;
    }

    return parley_host_close(a->h, &a->changes);
}


int
parley_host_change_is_before(parley_host_change_t *a, parley_str_t id)
{
    int                  rc;
    parley_host_event_t  by;

    rc = parley_host_event_get(a->h, id, a->first.source, &by);

    if (rc != 1 || by.act != PARLEY_CHAT_EDIT
        || !parley_str_eq(by.other, a->e->of))
    {
        return rc < 0 ? rc : 0;
    }

    by.other = id;
    rc = parley_host_change_is_later(a, &by);

    return rc < 0 ? rc : !rc;
}


int
parley_host_change_is_later(parley_host_change_t *a,
    const parley_host_event_t *first)
{
    int             rc;
    parley_place_t  last;

    rc = parley_host_change_place(a->h, first->other, first->source, &last);

    return rc != 1 ? rc : parley_host_change_precedes(&last, &a->place);
}


int
parley_host_change_follows(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *first)
{
    int             rc;
    parley_place_t  place, last;

    rc = parley_host_change_place(h, first->other, first->source, &last);

    if (rc == 1) {
        rc = parley_host_change_place(h, id, first->source, &place);
    }

    return rc != 1 ? rc : parley_host_change_precedes(&last, &place);
}


/* Finds the place of an edit in the log of its conversation.  Returns 1; 0: it
   is lost; PARLEY_WAIT or -1. */

static int
parley_host_change_place(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_place_t *ret)
{
    int                    rc;
    parley_log_page_t      page;
    parley_host_event_t    event;
    parley_publication_t   p;

    rc = parley_host_event_get(h, id, source, &event);

    if (rc == 1 && event.place.epoch == 0) {
        rc = parley_host_event_read(h, id, &event, &page, &p);
    }

    *ret = event.place;

    return rc;
}


static int
parley_host_change_precedes(const parley_place_t *a, const parley_place_t *b)
{
    return a->epoch < b->epoch
           || (a->epoch == b->epoch && a->offset < b->offset);
}
