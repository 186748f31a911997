/*
 * The tool chat.list_events: the events of the caller's mailbox, for harnesses
 * without a stream, and for knocks.  An event that is not addressed to the
 * caller has no content here either.
 */

#include <string.h>

#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_event_id.h"


/* records after the cursor that are counted and listed */
#define PARLEY_HOST_LISTED  200


static int parley_host_list_refuse(const parley_host_call_t *c);
static int parley_host_list_page(parley_host_mailbox_t *k,
    parley_chat_mailbox_t *mailbox, parley_chat_result_t *result);
static int parley_host_list_event(parley_host_mailbox_t *k, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    parley_host_row_t *row, parley_chat_listed_t *ret);
static int parley_host_list_fits(const parley_chat_args_t *args,
    const parley_publication_t *p, const parley_host_row_t *row);
static int parley_host_place(parley_arena_t *arena,
    const parley_place_t *place, parley_str_t *ret);


int
parley_host_list(parley_host_call_t *c)
{
    int                         rc;
    parley_host_mailbox_t       k;
    parley_chat_result_t        result;
    parley_chat_mailbox_t       mailbox;
    const parley_chat_args_t   *args = &c->call.args;

    memset(&k, 0, sizeof(parley_host_mailbox_t));
    memset(&result, 0, sizeof(parley_chat_result_t));
    memset(&mailbox, 0, sizeof(parley_chat_mailbox_t));

    k.c = c;
    k.g = c->g;
    k.reader = c->g->who->principal;

    if (parley_host_list_refuse(c) != 0) {
        return -1;
    }

    rc = parley_host_mailbox_read(&k, PARLEY_HOST_LISTED);

    if (rc >= 0 && args->ack_through.len > 0) {
        rc = parley_host_ack_through(&k, args->ack_through);
    }

    if (rc >= 0) {
        rc = parley_host_list_page(&k, &mailbox, &result);
    }

    if (rc < 0) {
        return rc;
    }

    result.mailbox = &mailbox;

    return c->chat->answer(c->g->arena, &c->call, &result, &c->g->out.reply)
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


/*
 * Lists the events of the page after the cursor, or after the place that the
 * caller names.  Counts those that are neither acknowledged nor ended.
 */

static int
parley_host_list_page(parley_host_mailbox_t *k, parley_chat_mailbox_t *mailbox,
    parley_chat_result_t *result)
{
    int                         i, rc;
    parley_place_t              after;
    parley_host_row_t           row;
    parley_host_views_t         views;
    parley_publication_t        p;
    parley_chat_listed_t       *list, *event;
    const parley_chat_args_t   *args = &k->c->call.args;

    memset(&after, 0, sizeof(after));

    if (args->after.len > 0
        && (parley_event_id_read(args->after, &after) != 0
            || after.epoch != k->page.epoch))
    {
        return parley_error_set(k->g->err, PARLEY_E_FIELD_INVALID,
                                "/params/arguments/after",
                                "this is not a place of the mailbox");
    }

    list = parley_arena_calloc(k->g->arena, (args->limit + 1)
                                            * sizeof(parley_chat_listed_t));

    if (list == NULL
        || parley_host_place(k->g->arena, &k->cursor, &mailbox->cursor) != 0)
    {
        return parley_error_memory(k->g->err);
    }

    result->events = list;

    for (i = 0; k->page.epoch != 0 && i < k->page.n; i++) {

        if (k->page.list[i].offset <= k->cursor.offset
            || !parley_host_mailbox_event(k, i, &p, &views, &row))
        {
            continue;
        }

        event = &list[result->nevents];

        rc = parley_host_list_event(k, i, &p, &views, &row, event);

        if (rc < 0) {
            return rc;
        }

        mailbox->pending += rc == 1;

        if (rc < 2 && result->nevents < args->limit
            && k->page.list[i].offset > after.offset
            && parley_host_list_fits(args, &p, &row))
        {
            result->nevents++;
        }
    }

    return 0;
}


/*
 * Fills an event of the list.  Returns 1 if it is pending; 0 if not; 2 if it
 * cannot be listed; PARLEY_WAIT, or -1.
 */

static int
parley_host_list_event(parley_host_mailbox_t *k, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    parley_host_row_t *row, parley_chat_listed_t *ret)
{
    int                        rc;
    parley_place_t             place;
    parley_chat_view_t        *v;
    parley_chat_stored_t      *stored;
    parley_host_delivery_t     delivery;
    parley_attention_offer_t   offer;

    rc = parley_host_delivery_get(k->g, p->id, views->source, k->reader->sub,
                                  &delivery);

    if (rc < 0) {
        return rc;
    }

    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = k->g->in.now_ms;

    parley_attention_again(&offer, p->ms, views->deadline_ms, &row->verdict);

    v = parley_arena_alloc(k->g->arena, sizeof(parley_chat_view_t));
    stored = parley_arena_alloc(k->g->arena, sizeof(parley_chat_stored_t));

    place.epoch = k->page.epoch;
    place.offset = k->page.list[i].offset;

    rc = v == NULL || stored == NULL
         || parley_host_place(k->g->arena, &place, &ret->place) != 0
         ? -1
         : parley_host_view_make(p, k->g->in.seed, views, row, k->reader,
                                 k->g->arena, stored, v);

    if (rc != 0) {
        return rc < 0 ? parley_error_memory(k->g->err) : 2;
    }

    v->shape = PARLEY_CHAT_AS_OBJECT;

    ret->view = v;
    ret->disposition = delivery.disposition;

    return !delivery.accepted
           && delivery.disposition == PARLEY_CHAT_UNDISPOSED;
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
