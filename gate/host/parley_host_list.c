/*
 * The tools chat.list_events and chat.read_thread: the events of the caller's
 * mailbox or of a conversation, for harnesses without a stream, and for knocks.
 * An event that is not addressed to the caller is listed, with its content, if
 * the caller may read its conversation.
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_list.h"
#include "hub/parley_event_id.h"


static int parley_host_list_refuse(const parley_host_call_t *c);
static int parley_host_list_run(parley_host_list_t *l,
    parley_host_wait_t **wait);
static int parley_host_list_begin(parley_host_list_t *l);
static int parley_host_list_seek(parley_host_list_t *l);
static int parley_host_list_pages(parley_host_list_t *l, int backward);
static int parley_host_list_record(parley_host_list_t *l, int i);
static int parley_host_list_mailbox(parley_host_list_t *l);
static int parley_host_list_find(parley_host_list_t *l);


int
parley_host_list(parley_host_call_t *c)
{
    int                  rc;
    parley_host_list_t  *l;
    parley_host_wait_t  *wait;

    rc = parley_host_list_refuse(c) == 0 ? parley_host_wait_over(c) : -1;

    if (rc != 0) {
        return rc;
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
    l->thread = c->call.tool == PARLEY_CHAT_READ_THREAD;

    rc = parley_host_list_run(l, &wait);

    if (rc == 0 && wait != NULL && l->result.nevents == 0) {
        rc = parley_host_wait(c, wait);
    }

    if (rc < 0) {
        return rc;
    }

    if (l->result.nevents > 0 && !l->args->placed && !l->args->sent) {
        parley_host_audit_listed(&c->h, l->result.nevents);
    }

    return c->chat->answer(c->g->arena, &c->call, &l->result,
                           &c->g->out.reply)
           == 0 ? 0 : parley_error_memory(c->g->err);
}


/* Makes the list.  *wait is NULL if the call does not wait.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_list_run(parley_host_list_t *l, parley_host_wait_t **wait)
{
    int                   rc;
    parley_chat_place_t  *places;

    *wait = NULL;

    rc = l->args->placed ? parley_host_list_find(l) : 0;

    if (rc == 0) {
        rc = parley_host_wait_from(l->k.c, l->args->placed ? &l->where : NULL,
                                   wait);
    }

    if (rc == 0) {
        rc = parley_host_list_mailbox(l);
    }

    if (rc == 0 && l->args->placed) {
        rc = parley_host_list_conversation(l);

    } else if (rc == 0 && l->args->sent) {
        rc = parley_host_list_sent(l);
    }

    if (rc == 0 && !l->thread) {
        rc = parley_host_reads_list(l->k.h, l->k.reader->sub, &places,
                                    &l->result.nconversations);
        l->result.conversations = places;
    }

    return rc;
}


/* Refuses a caller without a mailbox, and arguments without a meaning. */

static int
parley_host_list_refuse(const parley_host_call_t *c)
{
    const parley_chat_args_t  *args = &c->call.args;

    /* a reader of a conversation needs no mailbox */

    if (args->placed ? c->g->who->principal->names[c->h.proto].len == 0
                     : !parley_attention_has_mailbox(c->g->who->principal))
    {
        return parley_error_set(c->g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "the caller has no mailbox");
    }

    return !args->sent || args->placed || args->after.len == 0 ? 0
           : parley_error_set(c->g->err, PARLEY_E_FIELD_INVALID,
                              "/params/arguments/after", "sent events of all "
                              "conversations have no common place");
}


/* Acknowledges, counts the events of the mailbox, and lists them unless the
   arguments have a place.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_list_mailbox(parley_host_list_t *l)
{
    int  rc;

    rc = parley_host_mailbox_read(&l->k, PARLEY_HOST_LISTED);

    /* a call that has waited has acknowledged before */

    if (rc >= 0 && l->args->ack_through.len > 0
        && !l->k.g->publish.hold_known)
    {
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

        if (rc == 0 && !l->lists && !l->args->placed && !l->args->sent) {
            rc = parley_host_list_seek(l);
        }
    }

    return rc;
}


int
parley_host_pending(parley_host_call_t *c, const parley_chat_mailbox_t **ret)
{
    int                  rc;
    parley_host_list_t  *l;

    l = parley_arena_calloc(c->g->arena, sizeof(parley_host_list_t));

    if (l == NULL) {
        return parley_error_memory(c->g->err);
    }

    l->args = &c->call.args;
    l->k.c = c;
    l->k.g = c->g;
    l->k.h = &c->h;
    l->k.reader = c->g->who->principal;
    l->counts = 1;

    rc = parley_host_mailbox_read(&l->k, PARLEY_HOST_ACKED);

    if (rc == 1) {
        rc = parley_host_list_pages(l, 0);
    }

    if (rc < 0) {
        return rc;
    }

    *ret = &l->mailbox;

    return parley_host_place(c->g->arena, &l->k.cursor, &l->mailbox.cursor) == 0
           ? 0 : parley_error_memory(c->g->err);
}


/* Prepares the first pages, those after the cursor.  Returns 0, or -1. */

static int
parley_host_list_begin(parley_host_list_t *l)
{
    parley_gate_t  *g = l->k.g;

    if (l->args->after.len > 0
        && (parley_event_id_read(l->args->after, &l->after) != 0
            || (!l->args->placed && l->after.epoch != l->k.page.epoch)))
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
    l->result.mailbox = parley_attention_has_mailbox(l->k.reader)
                        ? &l->mailbox : NULL;
    l->counts = 1;
    l->lists = !l->args->placed && l->args->id.len == 0
               && l->args->after.len == 0 && !l->args->sent;

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
            && parley_host_row_fits(l->args, &p, &views, &row);

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
    event->disposition = parley_host_disposition(&row.verdict, &delivery);

    rc = parley_host_list_event(l, i, &p, &views, &row, event);

    l->result.nevents += rc == 0;

    return rc < 0 ? rc : 0;
}


/*
 * Finds the conversation of the arguments.  One that the caller may not read
 * gets the answer of an unknown one (C2A-33).  Returns 0, PARLEY_WAIT or -1.
 */

static int
parley_host_list_find(parley_host_list_t *l)
{
    int                 rc;
    const char         *member;
    parley_chat_kind_t  kind;

    member = l->thread ? "/params/arguments/target"
                       : "/params/arguments/conversation";

    rc = parley_host_place_reads(l->k.h, l->k.g, l->k.reader, &l->args->place,
                                 member, &l->where, &kind);

    return rc == 1 ? 0
           : rc < 0 ? rc
           : parley_error_set(l->k.h->err, PARLEY_E_REPLY_UNMATCHED, member,
                              "the conversation is unknown here");
}
