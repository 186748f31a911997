/*
 * The tool chat.list_events: the events of the caller's mailbox, for harnesses
 * without a stream, and for knocks.  An event that is not addressed to the
 * caller is listed, with its content, if the caller may read its conversation.
 */

#include <string.h>

#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_event_id.h"


#define PARLEY_HOST_LISTED  200     /* records of a page */


/* a call of chat.list_events */
typedef struct {
    parley_host_mailbox_t      k;
    const parley_chat_args_t  *args;
    parley_place_t             after;       /* that the caller names */
    parley_chat_result_t       result;
    parley_chat_mailbox_t      mailbox;
    parley_chat_listed_t      *list;        /* [limit] */
    unsigned                   counts:1;    /* pending events are counted */
    unsigned                   lists:1;
} parley_host_list_t;


static int parley_host_list_refuse(const parley_host_call_t *c);
static int parley_host_list_begin(parley_host_list_t *l);
static int parley_host_list_seek(parley_host_list_t *l);
static int parley_host_list_pages(parley_host_list_t *l, int backward);
static int parley_host_list_record(parley_host_list_t *l, int i);
static int parley_host_list_event(parley_host_list_t *l, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_listed_t *ret);
static int parley_host_list_fits(const parley_chat_args_t *args,
    const parley_publication_t *p, const parley_host_row_t *row);
static int parley_host_place(parley_arena_t *arena,
    const parley_place_t *place, parley_str_t *ret);


int
parley_host_list(parley_host_call_t *c)
{
    int                  rc;
    parley_host_list_t  *l;

    if (parley_host_list_refuse(c) != 0) {
        return -1;
    }

    l = parley_arena_calloc(c->g->arena, sizeof(parley_host_list_t));

    if (l == NULL) {
        return parley_error_memory(c->g->err);
    }

    l->args = &c->call.args;
    l->k.c = c;
    l->k.g = c->g;
    l->k.h = &c->h;
    l->k.reader = c->g->who->principal;

    rc = parley_host_mailbox_read(&l->k, PARLEY_HOST_LISTED);

    if (rc >= 0 && l->args->ack_through.len > 0) {
        rc = parley_host_ack_through(&l->k, l->args->ack_through);

        if (rc >= 0) {
            rc = parley_host_mailbox_read(&l->k, PARLEY_HOST_LISTED);
        }
    }

    if (rc >= 0) {
        rc = parley_host_list_begin(l);
    }

    if (rc == 0 && l->k.page.epoch != 0) {
        rc = parley_host_list_pages(l, 0);

        if (rc == 0 && !l->lists) {
            rc = parley_host_list_seek(l);
        }
    }

    if (rc < 0) {
        return rc;
    }

    return c->chat->answer(c->g->arena, &c->call, &l->result,
                           &c->g->out.reply)
           == 0 ? 0 : parley_error_memory(c->g->err);
}


/* Refuses arguments that the host does not have. */

static int
parley_host_list_refuse(const parley_host_call_t *c)
{
    const char                *member;
    const parley_chat_args_t  *args = &c->call.args;

    if (!parley_attention_has_mailbox(c->g->who->principal)) {
        return parley_error_set(c->g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "the caller has no mailbox");
    }

    member = args->placed ? "/params/arguments/conversation"
             : args->sent ? "/params/arguments/sent"
             : args->stream.len > 0 ? "/params/arguments/streamId" : NULL;

    return member == NULL ? 0
           : parley_error_set(c->g->err, PARLEY_E_FIELD_INVALID, member,
                              "this host lists the mailbox only");
}


/* Prepares the first pages, those after the cursor.  Returns 0, or -1. */

static int
parley_host_list_begin(parley_host_list_t *l)
{
    parley_gate_t  *g = l->k.g;

    if (l->args->after.len > 0
        && (parley_event_id_read(l->args->after, &l->after) != 0
            || l->after.epoch != l->k.page.epoch))
    {
        return parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                                "/params/arguments/after",
                                "this is not a place of the mailbox");
    }

    l->list = parley_arena_calloc(g->arena, l->args->limit
                                            * sizeof(parley_chat_listed_t));

    if (l->list == NULL
        || parley_host_place(g->arena, &l->k.cursor, &l->mailbox.cursor) != 0)
    {
        return parley_error_memory(g->err);
    }

    l->result.events = l->list;
    l->result.mailbox = &l->mailbox;
    l->counts = 1;
    l->lists = l->args->id.len == 0 && l->args->after.len == 0;

    return 0;
}


/*
 * Lists independent of the cursor: an acknowledged event that the caller names,
 * from the newest record backward, or the events after a place.  Returns 0,
 * PARLEY_WAIT or -1.
 */

static int
parley_host_list_seek(parley_host_list_t *l)
{
    int             rc, backward;
    parley_place_t  from;

    backward = l->args->id.len > 0;
    from = l->after;

    if (backward) {
        memset(&from, 0, sizeof(parley_place_t));
    }

    rc = parley_host_read(&l->k.c->h, l->k.log, &from, PARLEY_HOST_LISTED,
                          backward, &l->k.page);

    if (rc != 0 || l->k.page.epoch == 0) {
        return rc;
    }

    l->counts = 0;
    l->lists = 1;

    return parley_host_list_pages(l, backward);
}


/* Goes on with the next pages until one has something to list or to count.
   Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_list_pages(parley_host_list_t *l, int backward)
{
    int       i, rc;
    unsigned  pages;

    rc = 1;

    for (pages = 1; rc == 1; pages++) {

        for (i = 0; i < l->k.page.n; i++) {
            rc = parley_host_list_record(l, i);

            if (rc < 0) {
                return rc;
            }
        }

        if (pages == PARLEY_HOST_PAGES
            || (l->lists ? l->result.nevents : l->mailbox.pending) > 0)
        {
            break;
        }

        rc = parley_host_mailbox_next(&l->k, PARLEY_HOST_LISTED, backward);
    }

    return rc < 0 ? rc : 0;
}


/* Counts a record if it is pending, and lists it if it fits.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_list_record(parley_host_list_t *l, int i)
{
    int                        rc, counts, lists;
    parley_host_row_t          row;
    parley_host_views_t        views;
    parley_publication_t       p;
    parley_chat_listed_t      *event;
    parley_host_delivery_t     delivery;
    parley_attention_offer_t   offer;

    if (!parley_host_mailbox_event(&l->k, i, &p, &views, &row)) {
        return 0;
    }

    counts = l->counts && row.verdict.mode > PARLEY_CHAT_MAILBOX;

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = l->k.g->in.now_ms;

    parley_attention_again(&offer, p.ms, views.deadline_ms, &row.verdict);

    lists = l->lists && l->result.nevents < l->args->limit
            && l->k.page.list[i].offset > l->after.offset
            && parley_host_list_fits(l->args, &p, &row);

    if (!counts && !lists) {
        return 0;
    }

    if (row.verdict.directedness != PARLEY_CHAT_TO_ME) {
        rc = parley_host_mailbox_reads(&l->k, &views);

        if (rc != 1) {
            return rc;
        }
    }

    rc = parley_host_delivery_get(&l->k.c->h, p.id, views.source,
                                  l->k.reader->sub, &delivery);

    if (rc < 0) {
        return rc;
    }

    l->mailbox.pending += counts && !delivery.accepted
                          && delivery.disposition == PARLEY_CHAT_UNDISPOSED;

    if (!lists) {
        return 0;
    }

    event = &l->list[l->result.nevents];
    event->disposition = delivery.disposition;

    rc = parley_host_list_event(l, i, &p, &views, &row, event);

    l->result.nevents += rc == 0;

    return rc < 0 ? rc : 0;
}


/* Fills an event of the list.  Returns 0; 1 if it cannot be listed; or -1. */

static int
parley_host_list_event(parley_host_list_t *l, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_listed_t *ret)
{
    int                    rc;
    parley_gate_t         *g;
    parley_place_t         place;
    parley_chat_view_t    *v;
    parley_chat_stored_t  *stored;

    g = l->k.g;

    v = parley_arena_alloc(g->arena, sizeof(parley_chat_view_t));
    stored = parley_arena_alloc(g->arena, sizeof(parley_chat_stored_t));

    place.epoch = l->k.page.epoch;
    place.offset = l->k.page.list[i].offset;

    rc = v == NULL || stored == NULL
         || parley_host_place(g->arena, &place, &ret->place) != 0
         ? -1
         : parley_host_view_make(p, g->in.seed, views, row, l->k.reader,
                                 g->arena, stored, v);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(g->err) : 1;
    }

    v->shape = PARLEY_CHAT_AS_OBJECT;
    ret->view = v;

    /* a reminder has no content; an event that was escalated has it for readers
       of its conversation */

    if (views->reason == PARLEY_CHAT_REASON_REMINDER
        || (!v->knock && (!v->replies || parley_host_row_answers(row))))
    {
        return 0;
    }

    rc = parley_host_mailbox_reads(&l->k, views);
    v->knock = v->knock && rc != 1;
    v->replies = v->replies && (rc == 1 || parley_host_row_answers(row));

    return rc < 0 ? rc : 0;
}


/* Returns whether an event passes the filters of the call. */

static int
parley_host_list_fits(const parley_chat_args_t *args,
    const parley_publication_t *p, const parley_host_row_t *row)
{
    return (args->id.len == 0 || parley_str_eq(args->id, p->id))
           && (args->since_ms < 0 || p->ms >= args->since_ms)
           && (args->policy < 0 || (int) row->verdict.policy == args->policy);
}


static int
parley_host_place(parley_arena_t *arena, const parley_place_t *place,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, 0);

    if (place->epoch != 0) {
        parley_event_id_write(&b, place);
    }

    return parley_buf_done(&b, ret);
}
