/* The view of an event for a URL, which gets it by a job. */

#include <string.h>

#include "gate/host/parley_host_said.h"
#include "gate/host/parley_host_turn_text.h"


static int parley_host_url_is_over(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    int64_t now_ms, parley_arena_t *arena);
static int parley_host_url_replaced(parley_host_t *h,
    const parley_publication_t *p, const parley_host_views_t *views);
static int parley_host_url_turn(parley_host_t *h, parley_str_t text,
    parley_str_t source);
static int parley_host_url_deleted(parley_host_t *h, parley_str_t id,
    parley_str_t source);


/* A URL has all modes: its owner negotiated nothing. */

int
parley_host_url_view(const parley_render_t *d, const parley_publication_t *p,
    const parley_principal_t *to, int64_t now_ms, parley_arena_t *arena,
    parley_str_t *ret)
{
    parley_reader_t  reader;

    if (parley_host_url_is_over(d, p, to, now_ms, arena)) {
        return 1;
    }

    memset(&reader, 0, sizeof(parley_reader_t));

    reader.mailbox = to;
    reader.modes = PARLEY_CHAT_MODE_ALL;

    return parley_host_view(d, p, &reader, p->proto, now_ms, arena, ret);
}


/*
 * Returns whether the event has ended for its reader since it was published.
 * The job of a URL keeps the text, also of a message that was deleted or edited
 * since (C2A-25).
 */

static int
parley_host_url_is_over(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    int64_t now_ms, parley_arena_t *arena)
{
    int                      rc, over;
    parley_str_t             rest;
    parley_host_push_t       push;
    parley_host_views_t      views;
    parley_host_delivery_t   part;

    if (p->views.len == 0
        || parley_host_views_read(p->views, &views, &rest) != 0
        || !parley_host_push_begin(d, p, now_ms, arena, &push))
    {
        return 0;
    }

    over = 0;
    rc = parley_host_delivery_get(&push.h, parley_host_event_named(p->id),
                                  views.source, to->sub, &part);
    if (rc >= 0) {
        over = part.disposition == PARLEY_CHAT_SUPERSEDED
               || part.disposition == PARLEY_CHAT_RESPONDED;
    }

    if (rc >= 0 && !over) {
        rc = parley_host_url_replaced(&push.h, p, &views);
        over = rc == 1;
    }

    parley_host_push_end(&push, rc);

    return over;
}


/* Returns whether the text was deleted or edited: the edit, or the rest of a
   turn, comes by itself.  An edited event that went up stays, as a knock.
   Returns 1, 0, PARLEY_WAIT or -1. */

static int
parley_host_url_replaced(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views)
{
    return views->escalated.len == 0
           ? parley_host_said_replaced(h, p, views)
           : views->turn
           ? parley_host_url_turn(h, p->message, views->source)
           : parley_host_url_deleted(h, parley_host_event_base(p->id),
                                     views->source);
}


static int
parley_host_url_turn(parley_host_t *h, parley_str_t text, parley_str_t source)
{
    int                  rc;
    parley_turn_text_t   part;

    rc = 0;

    while (rc == 0 && parley_turn_text_next(&text, &part)) {
        rc = parley_host_url_deleted(h, part.id, source);
    }

    return rc;
}


static int
parley_host_url_deleted(parley_host_t *h, parley_str_t id, parley_str_t source)
{
    int                  rc;
    parley_host_event_t  event;

    rc = parley_host_event_get(h, id, source, &event);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_event_now(h, &id, &event);

    return rc < 0 ? rc : rc == 0;
}
