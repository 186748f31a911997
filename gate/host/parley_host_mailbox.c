/* Reads the records of a mailbox (parley_host_mailbox.h), for calls and for the
   stream of the mailbox. */

#include <string.h>

#include "gate/host/parley_host_other.h"


static int parley_host_hide_page(parley_host_mailbox_t *k,
    parley_host_hidden_t *hidden);


int
parley_host_mailbox_read(parley_host_mailbox_t *k, size_t n)
{
    int              rc;
    parley_place_t   after;

    if (!parley_attention_has_mailbox(k->reader)) {
        return 0;
    }

    rc = parley_host_mailbox_log(k->h, k->reader, k->log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_cursor_get(k->h, k->reader->sub, &k->cursor,
                                &k->generation);

    if (rc < 0) {
        return rc;
    }

    after = k->cursor;

    if (after.epoch == 0) {
        after.epoch = PARLEY_HOST_BEFORE;
    }

    rc = parley_host_read(k->h, k->log, &after, n, 0, &k->page);

    if (rc != 0) {
        return rc;
    }

    if (k->page.epoch != k->cursor.epoch) {
        k->cursor.epoch = k->page.epoch;
        k->cursor.offset = k->page.first > 0 ? k->page.first - 1 : 0;
    }

    k->begins = k->page.epoch != 0;

    return k->begins;
}


int
parley_host_mailbox_next(parley_host_mailbox_t *k, size_t n, int backward)
{
    int             rc;
    parley_place_t  place;

    k->begins = 0;

    place.epoch = k->page.epoch;
    place.offset = k->page.at;

    if (backward ? place.offset <= k->page.first
                 : place.offset >= k->page.last)
    {
        return 0;
    }

    rc = parley_host_read(k->h, k->log, &place, n, backward, &k->page);

    return rc != 0 ? rc : k->page.epoch == place.epoch;
}


int
parley_host_mailbox_event(const parley_host_mailbox_t *k, int i,
    parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row)
{
    return parley_publication_read(k->page.list[i].octets, p) == 0
           && (p->views.len > 0
               ? parley_host_views_find(p->views, k->reader->sub, views, row)
               : parley_host_other_record(k, p, views, row));
}


int
parley_host_mailbox_reads(parley_host_mailbox_t *k,
    const parley_host_views_t *views)
{
    /* a job does not know the rules of a location */

    if (k->g == NULL || views->other) {
        return 1;
    }

    if (!parley_str_eq(k->asked.source, views->source)
        || !parley_str_eq(k->asked.id, views->conversation))
    {
        k->asked.source = views->source;
        k->asked.id = views->conversation;
        k->reads = parley_host_may_read(k->h, k->g, &k->asked, k->reader);
    }

    return k->reads;
}


int
parley_host_hide(parley_gate_t *g, const parley_host_hidden_t **ret)
{
    int                     rc;
    unsigned                pages;
    parley_host_t           h;
    parley_host_hidden_t   *hidden;
    parley_host_mailbox_t   k;

    *ret = NULL;

    memset(&k, 0, sizeof(parley_host_mailbox_t));
    parley_host_of(g, &h);

    k.h = &h;
    k.g = g;
    k.reader = g->who->principal;

    hidden = parley_arena_calloc(g->arena, sizeof(parley_host_hidden_t));

    if (hidden == NULL) {
        return parley_error_memory(g->err);
    }

    hidden->ms = g->in.now_ms;
    rc = parley_host_mailbox_read(&k, PARLEY_HOST_ACKED);

    for (pages = 1; rc == 1; pages++) {
        rc = parley_host_hide_page(&k, hidden);

        if (rc == 0 && pages < PARLEY_HOST_PAGES) {
            rc = parley_host_mailbox_next(&k, PARLEY_HOST_ACKED, 0);

        } else if (rc == 0) {
            hidden->all = k.page.at < k.page.last;
        }
    }

    if (hidden->n > 0 || hidden->all) {
        *ret = hidden;
    }

    return rc < 0 ? rc : 0;
}


/* Adds the conversations of a page.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_hide_page(parley_host_mailbox_t *k, parley_host_hidden_t *hidden)
{
    int                    i, rc;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    for (i = 0; i < k->page.n; i++) {

        if (!parley_host_mailbox_event(k, i, &p, &views, &row)
            || row.verdict.directedness == PARLEY_CHAT_TO_ME
            || parley_host_is_hidden(hidden, &views, hidden->ms))
        {
            continue;
        }

        rc = parley_host_mailbox_reads(k, &views);

        if (rc < 0) {
            return rc;
        }

        if (rc == 0 && hidden->n == PARLEY_HOST_HIDDEN) {
            hidden->all = 1;

        } else if (rc == 0) {
            hidden->list[hidden->n++] = k->asked;
        }
    }

    return 0;
}


int
parley_host_begin_after(parley_gate_t *g, const uint8_t *log,
    parley_str_t sub, parley_place_t *ret)
{
    int                rc;
    uint32_t           generation;
    parley_host_t      h;
    parley_place_t     after;
    parley_log_page_t  page;

    parley_host_of(g, &h);

    rc = parley_host_cursor_get(&h, sub, ret, &generation);

    if (rc < 0) {
        return rc;
    }

    after = *ret;

    if (after.epoch == 0) {
        after.epoch = PARLEY_HOST_BEFORE;
    }

    rc = parley_host_read(&h, log, &after, 1, 0, &page);

    if (rc != 0) {
        return rc;
    }

    if (page.epoch == 0) {
        memset(ret, 0, sizeof(parley_place_t));

    } else if (page.epoch != ret->epoch) {
        ret->epoch = page.epoch;
        ret->offset = page.first > 0 ? page.first - 1 : 0;
    }

    return 0;
}
