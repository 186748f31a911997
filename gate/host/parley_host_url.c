/* The view of an event for a URL, which gets it by a job. */

#include <string.h>

#include "gate/host/parley_host_said.h"


static int parley_host_url_is_over(const parley_render_t *d,
    const parley_publication_t *p, const parley_principal_t *to,
    int64_t now_ms, parley_arena_t *arena);


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
    parley_host_event_t      event;
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
        over = part.disposition == PARLEY_CHAT_SUPERSEDED;
    }

    if (rc >= 0 && !over && !views.turn) {
        rc = parley_host_event_get(&push.h, parley_host_event_base(p->id),
                                   views.source, &event);

        over = rc == 1 && event.now == PARLEY_CHAT_DELETE;
    }

    parley_host_push_end(&push, rc);

    return over;
}
