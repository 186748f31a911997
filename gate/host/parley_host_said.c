/* Messages of a conversation as they are now (parley_host_said.h). */

#include <string.h>

#include "gate/host/parley_host_said.h"
#include "gate/host/parley_host_turn_parts.h"


static int parley_host_said_replaced_turn(parley_host_t *h,
    const parley_publication_t *p, const parley_host_views_t *views);


int
parley_host_said_read(parley_host_t *h, parley_str_t octets,
    parley_str_t source, parley_str_t sub, parley_host_said_t *ret)
{
    int                  rc;
    parley_host_event_t  first;

    if (parley_publication_read(octets, &ret->p) != 0
        || !parley_host_row_find(&ret->p, sub, &ret->views, &ret->row))
    {
        return 0;
    }

    rc = parley_host_event_get(h, ret->p.id, source, &ret->event);

    if (rc != 1) {
        return rc;
    }

    ret->id = ret->p.id;

    if (parley_str_eq(ret->event.author, sub)) {
        return 0;
    }

    if (ret->event.act == PARLEY_CHAT_MESSAGE) {
        return ret->event.now == PARLEY_CHAT_MESSAGE;
    }

    if (ret->event.act == PARLEY_CHAT_PROGRESS) {
        return ret->event.now == PARLEY_CHAT_MESSAGE ? 2 : 0;
    }

    if (ret->event.act != PARLEY_CHAT_EDIT) {
        return 0;
    }

    ret->id = ret->event.other;

    rc = parley_host_event_get(h, ret->id, source, &first);

    return rc != 1 ? rc
           : first.now == PARLEY_CHAT_EDIT
             && parley_str_eq(first.other, ret->p.id);
}


int
parley_host_said_gone(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views)
{
    return views->escalated.len > 0 ? parley_host_said_replaced(h, p, views)
                                    : 0;
}


int
parley_host_said_replaced(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views)
{
    int                  rc;
    parley_str_t         id, now;
    parley_host_event_t  event;

    if (views->turn) {
        return parley_host_said_replaced_turn(h, p, views);
    }

    id = parley_host_event_base(p->id);
    rc = parley_host_event_get(h, id, views->source, &event);

    if (rc != 1) {
        return rc;
    }

    now = id;
    rc = parley_host_event_now(h, &now, &event);

    return rc < 0 ? rc : rc == 0 || !parley_str_eq(now, id);
}


static int
parley_host_said_replaced_turn(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views)
{
    int                  rc;
    parley_str_t         rest;
    parley_turn_mark_t   mark;
    parley_host_event_t  event;
    parley_turn_text_t   part;

    rest = p->message;

    while (parley_turn_text_next(&rest, &part)) {
        rc = parley_host_event_get(h, part.id, views->source, &event);

        if (rc < 0 || (rc == 1 && event.now == PARLEY_CHAT_DELETE)) {
            return rc;
        }

        if (rc == 0 || event.now != PARLEY_CHAT_EDIT) {
            continue;
        }

        /* the turn may have the newest text */

        rc = parley_turn_mark_get(h, event.other, views->source, &mark);

        if (rc < 0
            || !parley_str_eq(mark.turn, parley_host_event_base(p->id)))
        {
            return rc < 0 ? rc : 1;
        }
    }

    return 0;
}


int
parley_host_said_gone_push(const parley_render_t *d,
    const parley_publication_t *p, const parley_host_views_t *views,
    int64_t now_ms, parley_arena_t *arena)
{
    int                 rc;
    parley_host_push_t  push;

    if (views->escalated.len == 0
        || !parley_host_push_begin(d, p, now_ms, arena, &push))
    {
        return 0;
    }

    rc = parley_host_said_gone(&push.h, p, views);

    parley_host_push_end(&push, rc == 1 ? 0 : rc);

    return rc == 1;
}
