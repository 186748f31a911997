/*
 * The thread window of an event: the messages before it in its thread, for a
 * reader that is mentioned.  It is read when the event is written, so nothing
 * is stored for it: a deleted message is not in it, nor is one of a
 * conversation that the reader may not read now.
 */

#include <string.h>

#include "gate/host/parley_host_said.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_WINDOW_MAX    10     /* messages */
#define PARLEY_WINDOW_PAGE   32     /* records of a page of the log, */
#define PARLEY_WINDOW_PAGES  8      /* and pages that are read */


static int parley_host_window_begin(parley_host_t *h,
    const parley_publication_t *p, const parley_host_views_t *views,
    parley_place_t *ret);
static int parley_host_window_page(parley_host_t *h,
    const parley_log_page_t *page, const parley_host_views_t *views,
    parley_str_t sub, parley_chat_view_t *v);
static int parley_host_window_add(parley_host_t *h,
    const parley_host_said_t *said, parley_chat_view_t *v);
static int parley_host_window_has(const parley_chat_view_t *v,
    parley_str_t id);


int
parley_host_window(parley_host_t *h, const parley_gate_t *g,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, const parley_principal_t *owner,
    parley_chat_view_t *v)
{
    int                          rc;
    unsigned                     pages;
    uint8_t                      log[PARLEY_KEY_LEN];
    parley_place_t               from;
    parley_log_page_t            page;
    parley_chat_stored_t        *list;
    parley_host_conversation_t   where;

    if (!row->verdict.window || v->knock || views->other
        || h->host->context == 0)
    {
        return 0;
    }

    where.source = views->source;
    where.id = views->conversation;

    rc = parley_host_may_read(h, g, &where, owner);

    if (rc == 1) {
        rc = parley_host_window_begin(h, p, views, &from);
    }

    if (rc != 1) {
        return rc;
    }

    list = parley_arena_alloc(h->arena, PARLEY_WINDOW_MAX
                                        * sizeof(parley_chat_stored_t));
    if (list == NULL) {
        return parley_error_memory(h->err);
    }

    /* filled from its end: the newest message is read first */

    v->window = list + PARLEY_WINDOW_MAX;
    v->window_max = h->host->context;

    parley_host_conversation(h->ask->state, where.source, where.id, log);

    for (pages = 0; pages < PARLEY_WINDOW_PAGES; pages++) {

        rc = parley_host_read(h, log, &from, PARLEY_WINDOW_PAGE, 1, &page);

        if (rc != 0 || page.epoch == 0
            || (from.epoch != 0 && page.epoch != from.epoch))
        {
            return rc;
        }

        rc = parley_host_window_page(h, &page, views, owner->sub, v);

        if (rc != 0 || v->nwindow == PARLEY_WINDOW_MAX
            || page.at <= page.first)
        {
            return rc;
        }

        from.epoch = page.epoch;
        from.offset = page.at;
    }

    return 0;
}


/* Finds the place of an event in its conversation: the window is before it.
   Returns 1; 0: its place is unknown; PARLEY_WAIT or -1. */

static int
parley_host_window_begin(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views, parley_place_t *ret)
{
    int                  rc;
    parley_host_event_t  event;

    rc = parley_host_event_get(h, parley_host_event_base(p->id), views->source,
                               &event);
    if (rc != 1) {
        return rc;
    }

    *ret = event.place;

    return ret->epoch != 0;
}


/* Adds the messages of a page, the newest first.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_window_page(parley_host_t *h, const parley_log_page_t *page,
    const parley_host_views_t *views, parley_str_t sub, parley_chat_view_t *v)
{
    int                 i, rc;
    parley_host_said_t  said;

    for (i = 0; i < page->n && v->nwindow < PARLEY_WINDOW_MAX; i++) {

        rc = parley_host_said_read(h, page->list[i].octets, views->source, sub,
                                   &said);

        if (rc == 1 && parley_str_eq(said.views.thread, views->thread)
            && !parley_host_window_has(v, said.id)
            && !parley_host_window_has(v, said.p.id))
        {
            rc = parley_host_window_add(h, &said, v);
        }

        if (rc < 0) {
            return rc;
        }
    }

    return 0;
}


/* Adds a message.  One that cannot be read is left out.  Returns 0, or -1. */

static int
parley_host_window_add(parley_host_t *h, const parley_host_said_t *said,
    parley_chat_view_t *v)
{
    parley_json_t         *doc;
    parley_error_t         err;
    parley_chat_stored_t  *stored;

    doc = parley_arena_alloc(h->arena, sizeof(parley_json_t));

    if (doc == NULL) {
        return parley_error_memory(h->err);
    }

    if (parley_json_read(doc, h->arena, &parley_host_limits, h->seed,
                         said->p.message, &err)
        != 0)
    {
        return err.code == PARLEY_E_CAPACITY ? parley_error_memory(h->err) : 0;
    }

    v->window--;
    v->nwindow++;

    stored = (parley_chat_stored_t *) v->window;

    memset(stored, 0, sizeof(parley_chat_stored_t));

    stored->doc = doc;
    stored->author = said->p.from;

    return 0;
}


/* Returns whether the event itself has a message, as a fragment. */

static int
parley_host_window_has(const parley_chat_view_t *v, parley_str_t id)
{
    unsigned  i;

    for (i = 0; i < v->nevents; i++) {
        if (parley_str_eq(v->events[i].id, id)) {
            return 1;
        }
    }

    return 0;
}


void
parley_host_window_push(const parley_render_t *d,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, const parley_principal_t *owner,
    int64_t now_ms, parley_arena_t *arena, parley_chat_view_t *v)
{
    int                  rc;
    parley_host_push_t   push;

    if (row->verdict.mode < PARLEY_CHAT_BUFFERED
        || !parley_host_push_begin(d, p, now_ms, arena, &push))
    {
        return;
    }

    rc = parley_host_window(&push.h, NULL, p, views, row, owner, v);

    /* the event is written in any case */

    if (rc != 0) {
        v->nwindow = 0;
    }

    parley_host_push_end(&push, rc);
}
