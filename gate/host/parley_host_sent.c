/* The readers of an event, for its author: also the principals that got it by
   escalation. */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"


/* ms after which a turn with a message is in the mailbox */
#define PARLEY_HOST_SENT_TURN    120000


static int parley_host_sent_row(parley_host_t *h,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_reader_t *ret, unsigned *n);
static int parley_host_sent_left(parley_host_t *h,
    const parley_publication_t *p, const parley_host_row_t *row,
    const parley_principal_t *to);


int
parley_host_sent_readers(parley_host_t *h, const parley_publication_t *p,
    parley_chat_listed_t *ret)
{
    int                    rc;
    parley_str_t           rest;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_chat_reader_t  *readers;

    readers = parley_arena_calloc(h->arena,
                                  3 * PARLEY_ATTENTION_READERS_MAX
                                  * sizeof(parley_chat_reader_t));
    if (readers == NULL) {
        return parley_error_memory(h->err);
    }

    ret->readers = readers;

    if (parley_host_views_read(p->views, &views, &rest) != 0) {
        return 0;
    }

    while (ret->nreaders + 3 <= 3 * PARLEY_ATTENTION_READERS_MAX
           && parley_host_views_next(&rest, &row))
    {
        rc = parley_host_sent_row(h, p, &views, &row, readers,
                                      &ret->nreaders);
        if (rc != 0) {
            return rc;
        }
    }

    return 0;
}


/* Adds a reader of an event to n readers, and the principals that got the event
   by escalation after it, at most 3.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_sent_row(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    parley_chat_reader_t *ret, unsigned *n)
{
    int                        rc;
    unsigned                   level;
    parley_str_t               id;
    parley_host_row_t          at;
    parley_host_delivery_t     delivery;
    const parley_principal_t  *to, *first;

    first = parley_directory_by_sub(h->http->directory, row->sub);

    id = p->id;
    at = *row;
    to = first;

    for (level = 0; to != NULL; level++) {
        rc = parley_host_delivery_get(h, id, views->source, to->sub, &delivery);

        if (rc < 0) {
            return rc;
        }

        at.sub = to->sub;

        if (level > 0 && (level == PARLEY_HOST_LEVELS
                          || parley_attention_is_human(to)))
        {
            at.verdict.policy = PARLEY_CHAT_MAY;
        }

        parley_host_reader(h, &at, to, &ret[*n]);
        ret[*n].accepted = delivery.accepted;
        ret[*n].disposition = parley_host_disposition(&at.verdict, &delivery);

        if (level == 0 && !row->surface
            && ret[*n].disposition == PARLEY_CHAT_UNDISPOSED
            && row->verdict.policy != PARLEY_CHAT_MUST)
        {
            rc = parley_host_sent_left(h, p, row, to);

            if (rc < 0) {
                return rc;
            }

            ret[*n].disposition = rc == 1 ? PARLEY_CHAT_IGNORED
                                          : PARLEY_CHAT_UNDISPOSED;
        }

        (*n)++;

        if (delivery.escalated == 0 || row->surface
            || level == PARLEY_HOST_LEVELS)
        {
            break;
        }

        to = parley_host_above(first, p->sender, level + 1);

        if (parley_host_escalated_id(h->arena, p->id, level + 1, &id) != 0) {
            return parley_error_memory(h->err);
        }
    }

    return 0;
}


/* Returns whether the record of an event has left the mailbox of its reader:
   without an act, the event is then ignored (C2A-14).  1, 0, PARLEY_WAIT or
   -1. */

static int
parley_host_sent_left(parley_host_t *h, const parley_publication_t *p,
    const parley_host_row_t *row, const parley_principal_t *to)
{
    int                    rc;
    int64_t                since;
    uint8_t                log[PARLEY_KEY_LEN];
    parley_place_t         begin;
    parley_log_page_t      page;
    parley_publication_t   oldest;

    since = p->ms + (row->waits ? PARLEY_HOST_SENT_TURN : 0);
    rc = parley_host_mailbox_log(h, to, log);

    if (rc != 0 || h->now_ms < since) {
        return rc < 0 ? rc : 0;
    }

    memset(&begin, 0, sizeof(parley_place_t));

    begin.epoch = PARLEY_HOST_BEFORE;
    rc = parley_host_read(h, log, &begin, 1, 0, &page);

    return rc != 0 ? rc
           : page.epoch == 0 || page.n < 1
             || (parley_publication_read(page.list[0].octets, &oldest) == 0
                 && oldest.ms > since);
}
