/* Lists of conversations: the events of one, and those that the caller sent. */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_list.h"


#define PARLEY_HOST_READ  (256 << 10)   /* octets of the messages of a thread */


static void parley_host_list_turn(parley_host_list_t *l);
static int parley_host_list_posts(parley_host_list_t *l, int backward);
static int parley_host_list_post(parley_host_list_t *l, int i);
static int parley_host_list_row(const parley_host_list_t *l,
    const parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row);
static int parley_host_list_resolved(parley_host_list_t *l);


int
parley_host_list_conversation(parley_host_list_t *l)
{
    int                   rc, backward;

    backward = l->args->after.len == 0;

    parley_host_conversation(l->k.h->ask->state, l->where.source, l->where.id,
                             l->k.log);

    rc = parley_host_read(l->k.h, l->k.log, &l->after, PARLEY_HOST_LISTED,
                          backward, &l->k.page);
    if (rc != 0) {
        return rc;
    }

    if (!backward && l->after.epoch != l->k.page.epoch) {
        return parley_error_set(l->k.h->err, PARLEY_E_FIELD_INVALID,
                                "/params/arguments/after",
                                "this is not a place of the conversation");
    }

    rc = l->k.page.epoch == 0 ? 0 : parley_host_list_posts(l, backward);

    if (backward) {
        parley_host_list_turn(l);
    }

    return rc == 0 && l->thread ? parley_host_list_resolved(l) : rc;
}


/* Puts the oldest event first. */

static void
parley_host_list_turn(parley_host_list_t *l)
{
    unsigned              i, n;
    parley_chat_listed_t  event;

    n = l->result.nevents;

    for (i = 0; i < n / 2; i++) {
        event = l->list[i];
        l->list[i] = l->list[n - 1 - i];
        l->list[n - 1 - i] = event;
    }
}


int
parley_host_list_sent(parley_host_list_t *l)
{
    int                        i, rc;
    unsigned                   n, pages;
    parley_place_t             end;
    parley_chat_place_t       *list;
    parley_surface_account_t   source;

    memset(&end, 0, sizeof(parley_place_t));
    memset(&source, 0, sizeof(parley_surface_account_t));

    rc = parley_host_reads_list(l->k.h, l->k.reader->sub, &list, &n);

    for (pages = 0; rc == 0 && n > 0 && pages < PARLEY_HOST_PAGES; pages++) {
        n--;
        source.platform = list[n].platform;
        source.workspace = list[n].workspace;
        l->where.id = list[n].id;

        if (parley_surface_name(l->k.h->arena, &source, &l->where.source) != 0)
        {
            continue;
        }

        rc = parley_host_may_read(l->k.h, l->k.g, &l->where, l->k.reader);

        if (rc != 1) {
            continue;
        }

        parley_host_conversation(l->k.h->ask->state, l->where.source,
                                 l->where.id, l->k.log);

        rc = parley_host_read(l->k.h, l->k.log, &end, PARLEY_HOST_LISTED, 1,
                              &l->k.page);

        for (i = 0; rc == 0 && l->k.page.epoch != 0 && i < l->k.page.n
                    && l->result.nevents < l->args->limit; i++)
        {
            rc = parley_host_list_post(l, i);
        }
    }

    parley_host_list_turn(l);

    return rc < 0 ? rc : 0;
}


static int
parley_host_list_posts(parley_host_list_t *l, int backward)
{
    int       i, rc;
    unsigned  pages;

    rc = 1;

    for (pages = 1; rc == 1; pages++) {

        for (i = 0; i < l->k.page.n; i++) {

            if (l->result.nevents == l->args->limit) {
                return 0;
            }

            rc = parley_host_list_post(l, i);

            if (rc != 0) {
                return rc < 0 ? rc : 0;
            }
        }

        if (pages == PARLEY_HOST_PAGES) {
            break;
        }

        rc = parley_host_mailbox_next(&l->k, PARLEY_HOST_LISTED, backward);
    }

    return rc < 0 ? rc : 0;
}


/* Lists an event of the conversation if it fits.  Returns 0; 1: the messages
   of the thread are too long; PARLEY_WAIT; or -1. */

static int
parley_host_list_post(parley_host_list_t *l, int i)
{
    int                      rc;
    parley_host_row_t        row;
    parley_host_views_t      views;
    parley_publication_t     p;
    parley_chat_listed_t    *event;
    parley_host_delivery_t   delivery;

    if (parley_publication_read(l->k.page.list[i].octets, &p) != 0
        || !parley_host_list_row(l, &p, &views, &row)
        || !parley_host_row_fits(l->args, &p, &views, &row))
    {
        return 0;
    }

    if (l->thread && l->octets + p.message.len > PARLEY_HOST_READ
        && l->result.nevents > 0)
    {
        return 1;
    }

    rc = parley_host_delivery_get(l->k.h, p.id, views.source,
                                  l->k.reader->sub, &delivery);

    if (rc < 0) {
        return rc;
    }

    event = &l->list[l->result.nevents];
    event->disposition = parley_str_eq(p.sender, row.sub)
                         ? delivery.disposition
                         : parley_host_disposition(&row.verdict, &delivery);

    rc = parley_host_list_event(l, i, &p, &views, &row, event);

    if (rc == 0 && l->args->sent) {
        rc = parley_host_sent_readers(l->k.h, &p, event);
    }

    if (rc == 0) {
        l->result.nevents++;
        l->octets += p.message.len;
    }

    return rc < 0 ? rc : 0;
}


/* Finds the row of the caller for an event of the conversation.  Returns 1; or
   0: it is silent (C2A-10), or the caller's own, which a thread has. */

static int
parley_host_list_row(const parley_host_list_t *l,
    const parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row)
{
    if (l->args->sent) {
        return parley_str_eq(p->sender, l->k.reader->sub)
               && parley_str_eq(p->from, l->k.reader->names[p->proto])
               && parley_host_row_find(p, l->k.reader->sub, views, row);
    }

    return parley_host_row_read(p, l->k.reader->sub, l->thread, views, row);
}


static int
parley_host_list_resolved(parley_host_list_t *l)
{
    int                         rc;
    parley_host_thread_t       *thread;
    parley_host_thread_name_t   name;

    thread = parley_arena_alloc(l->k.h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(l->k.h->err);
    }

    name.source = l->where.source;
    name.conversation = l->where.id;
    name.thread = l->args->place.thread;

    rc = parley_host_thread_get(l->k.h, &name, thread);

    if (rc == 1) {
        parley_host_thread_mark(l->k.h, thread, &l->result);
    }

    return rc < 0 ? rc : 0;
}
