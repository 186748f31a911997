/*
 * The tools chat.list_events and chat.read_thread: the events of the caller's
 * mailbox or of a conversation, for harnesses without a stream, and for knocks.
 * An event that is not addressed to the caller is listed, with its content, if
 * the caller may read its conversation.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_event_id.h"


#define PARLEY_HOST_LISTED  200     /* records of a page */
#define PARLEY_HOST_READ    (256 << 10)     /* octets of the messages of a
                                               thread */


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
    unsigned                   thread:1;    /* read_thread */
    parley_host_conversation_t where;       /* if the arguments have a place */
    size_t                     octets;      /* of the listed messages */
} parley_host_list_t;


static int parley_host_list_refuse(const parley_host_call_t *c);
static int parley_host_list_run(parley_host_list_t *l,
    parley_host_wait_t **wait);
static int parley_host_list_begin(parley_host_list_t *l);
static int parley_host_list_seek(parley_host_list_t *l);
static int parley_host_list_pages(parley_host_list_t *l, int backward);
static int parley_host_list_record(parley_host_list_t *l, int i);
static int parley_host_list_event(parley_host_list_t *l, int i,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row, parley_chat_listed_t *ret);
static int parley_host_place(parley_arena_t *arena,
    const parley_place_t *place, parley_str_t *ret);
static int parley_host_list_mailbox(parley_host_list_t *l);
static int parley_host_list_find(parley_host_list_t *l);
static int parley_host_list_source(parley_host_list_t *l, parley_str_t *ret);
static int parley_host_list_conversation(parley_host_list_t *l);
static void parley_host_list_turn(parley_host_list_t *l);
static int parley_host_list_sent(parley_host_list_t *l);
static int parley_host_list_posts(parley_host_list_t *l, int backward);
static int parley_host_list_post(parley_host_list_t *l, int i);
static int parley_host_list_row(const parley_host_list_t *l,
    const parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row);
static int parley_host_list_resolved(parley_host_list_t *l);


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

    if (l->args->placed || l->args->sent) {
        v->knock = 0;
        v->replies = parley_host_row_answers(row) || views->named;
        return 0;
    }

    /* an event about another one has no content; an event that was escalated
       has it for readers of its conversation */

    if (parley_host_is_told(views)
        || (!v->knock && (!v->replies || parley_host_row_answers(row))))
    {
        return 0;
    }

    rc = parley_host_mailbox_reads(&l->k, views);
    v->knock = v->knock && rc != 1;
    v->replies = v->replies && (rc == 1 || parley_host_row_answers(row));

    return rc < 0 ? rc : 0;
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


/*
 * Finds the conversation of the arguments.  One that the caller may not read
 * gets the answer of an unknown one (C2A-33).  Returns 0, PARLEY_WAIT or -1.
 */

static int
parley_host_list_find(parley_host_list_t *l)
{
    int  rc;

    l->where.id = l->args->place.id;

    rc = l->where.id.len > 0 ? parley_host_list_source(l, &l->where.source)
                             : 0;

    if (rc == 1) {
        rc = parley_host_may_read(l->k.h, l->k.g, &l->where, l->k.reader);
    }

    return rc == 1 ? 0
           : rc < 0 ? rc
           : parley_error_set(l->k.h->err, PARLEY_E_REPLY_UNMATCHED,
                              l->thread ? "/params/arguments/target"
                                        : "/params/arguments/conversation",
                              "the conversation is unknown here");
}


/* Finds the source of the conversation: the given one, else that of the newest
   conversation of this id in the caller's list.  Returns 1, 0, PARLEY_WAIT or
   -1. */

static int
parley_host_list_source(parley_host_list_t *l, parley_str_t *ret)
{
    int                        rc;
    unsigned                   n;
    parley_chat_place_t       *list;
    parley_surface_account_t   source;

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = l->args->place.platform;
    source.workspace = l->args->place.workspace;

    if (source.platform.len == 0) {
        rc = parley_host_reads_list(l->k.h, l->k.reader->sub, &list, &n);

        if (rc < 0) {
            return rc;
        }

        while (n > 0 && !parley_str_eq(list[n - 1].id, l->where.id)) {
            n--;
        }

        if (n == 0) {
            return 0;
        }

        source.platform = list[n - 1].platform;
        source.workspace = list[n - 1].workspace;
    }

    rc = parley_surface_name(l->k.h->arena, &source, ret);

    return rc < 0 ? parley_error_memory(l->k.h->err) : rc == 0;
}


/* Lists the events after a place, else the newest ones, the oldest first.
   Returns 0, PARLEY_WAIT or -1. */

static int
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


/* Lists the caller's events among the newest records of its newest
   conversations.  Returns 0, PARLEY_WAIT or -1. */

static int
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
    event->disposition = delivery.disposition;

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
    const parley_principal_t   *by;

    thread = parley_arena_alloc(l->k.h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(l->k.h->err);
    }

    name.source = l->where.source;
    name.conversation = l->where.id;
    name.thread = l->args->place.thread;

    rc = parley_host_thread_get(l->k.h, &name, thread);

    if (rc < 0) {
        return rc;
    }

    if (rc == 1 && thread->resolved_by.len > 0) {
        by = parley_directory_by_sub(l->k.h->http->directory,
                                     thread->resolved_by);

        l->result.resolved = 1;
        l->result.by = by != NULL ? by->names[l->k.h->proto]
                                  : thread->resolved_by;
        l->result.at_ms = thread->resolved_ms;
    }

    return 0;
}
