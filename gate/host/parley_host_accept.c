/*
 * Accepts an event of a surface (C2A-01): the event is stored once, and each
 * reader that is concerned gets it in its mailbox.  A step that must happen at
 * most once is recorded before it is done:
 *
 *   EVENT open     the id is taken, in this step of one process only
 *   append         conversation, mailboxes and the admission, all or nothing
 *   EVENT placed   a repeated event gets the answer from the record there
 *   THREAD         facts for the next events
 *
 * The admission excludes that one event is accepted twice at the same time.  A
 * process that dies leaves an open EVENT: the next try finds the record in the
 * log of the conversation, or appends it.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_parts.h"
#include "gate/party/parley_address.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_expand.h"
#include "hub/parley_publish.h"
#include "translate/parley_codec.h"


/* records of a conversation that are searched for an event */
#define PARLEY_HOST_SEARCHED  256

/* an event that is being accepted */
typedef struct {
    parley_host_call_t         *c;
    parley_gate_t              *g;
    const parley_chat_event_t  *e;
    parley_str_t                source;
    parley_host_event_t         known;      /* its record */
    unsigned                    left:1;     /* by a process that died */
    unsigned                    qualified:1;        /* another source had the
                                                       id before */
    parley_host_thread_t        thread;
    parley_attention_t         *attention;
    uint8_t                   (*logs)[PARLEY_KEY_LEN];
    size_t                      nlogs;
    parley_str_t                views;
    parley_chat_reader_t       *readers;    /* that get the event */
    unsigned                    nreaders;
} parley_host_accept_t;


static int parley_host_check(parley_host_accept_t *a);
static int parley_host_again(parley_host_accept_t *a);
static int parley_host_found(parley_host_accept_t *a,
    parley_log_page_t *page, const parley_place_t *place);
static int parley_host_decide(parley_host_accept_t *a);
static int parley_host_subject(parley_host_accept_t *a,
    parley_attention_thread_t *ret);
static int parley_host_facts(parley_host_accept_t *a,
    parley_attention_thread_t *ret);
static int parley_host_rows(parley_host_accept_t *a);
static int parley_host_row_add(parley_host_accept_t *a, parley_buf_t *b,
    const parley_principal_t *p, const parley_attention_verdict_t *v);
static int parley_host_append(parley_host_accept_t *a);
static int parley_host_author(const parley_host_accept_t *a,
    parley_str_t *ret);
static int parley_host_appended(parley_host_accept_t *a,
    parley_append_verdict_t verdict);
static int parley_host_note(parley_host_accept_t *a);
static void parley_host_note_party(parley_host_thread_t *t, parley_str_t sub,
    int author, int agent);
static int parley_host_accepted(parley_host_accept_t *a);


int
parley_host_accept(parley_host_call_t *c)
{
    int                    rc;
    parley_host_accept_t  *a;

    a = parley_arena_calloc(c->g->arena, sizeof(parley_host_accept_t));

    if (a == NULL) {
        return parley_error_memory(c->g->err);
    }

    a->c = c;
    a->g = c->g;
    a->e = c->call.event;

    if (parley_host_check(a) != 0) {
        return -1;
    }

    parley_gate_account(a->g);

    rc = parley_host_event_get(a->g, a->e->id, a->source, &a->known);

    if (rc == 1) {
        rc = parley_host_again(a);

        if (rc != 1) {
            return rc;
        }

        a->left = 1;
    }

    if (rc < 0) {
        return rc;
    }

    rc = parley_host_event_shared(a->g, a->e->id, a->source);

    if (rc >= 0) {
        a->qualified = rc == 1;
        rc = parley_host_decide(a);
    }

    if (rc == 0) {
        rc = parley_host_append(a);
    }

    if (rc == 0) {
        rc = parley_host_note(a);
    }

    return rc == 0 ? parley_host_accepted(a) : rc;
}


/* Only the surface of the author's account may deliver an event. */

static int
parley_host_check(parley_host_accept_t *a)
{
    int                       rc;
    parley_surface_account_t  source;

    if (a->g->who->surface == NULL) {
        return parley_error_set(a->g->err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                "/params/source", "only a principal whose "
                                "\"surface\" has this source may deliver for "
                                "it");
    }

    if (a->e->act == PARLEY_CHAT_EDIT || a->e->act == PARLEY_CHAT_DELETE) {
        return parley_error_set(a->g->err, PARLEY_E_FIELD_INVALID,
                                "/params/change", "this host does not take "
                                "changes of events");
    }

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = a->e->platform;
    source.workspace = a->e->workspace;

    rc = parley_surface_name(a->g->arena, &source, &a->source);

    return rc == 0 ? 0
           : rc < 0 ? parley_error_memory(a->g->err)
           : parley_error_set(a->g->err, PARLEY_E_FIELD_INVALID,
                              "/params/source", "the source is too long");
}


/*
 * Handles an id that is known.  Returns 0: the event was accepted before, and
 * has its answer; 1: the record was left by a process that died before the
 * append; PARLEY_WAIT, or -1.
 */

static int
parley_host_again(parley_host_accept_t *a)
{
    int                rc;
    uint8_t            log[PARLEY_KEY_LEN];
    parley_place_t     after;
    parley_log_page_t  page;

    if (memcmp(a->known.print, a->g->admit.entrance.print, PARLEY_PRINT_LEN)
        != 0)
    {
        return parley_error_set(a->g->err, PARLEY_E_MESSAGE_DUPLICATE,
                                "/params/eventId", "this id belongs to an "
                                "event with other content");
    }

    parley_host_conversation(a->g->ask.state, a->source, a->e->conversation,
                             log);

    if (a->known.place.epoch != 0) {
        after = a->known.place;
        after.offset--;

        rc = parley_host_read(a->g, log, &after, 1, 0, &page);

        return rc == 0 ? parley_host_found(a, &page, &a->known.place) : rc;
    }

    memset(&after, 0, sizeof(after));

    rc = parley_host_read(a->g, log, &after, PARLEY_HOST_SEARCHED, 1, &page);

    return rc == 0 ? parley_host_found(a, &page, NULL) : rc;
}


/*
 * Finds the event among records, at a place, or at any place if it is NULL, and
 * answers.  An event that the log has dropped has no readers in its answer.
 */

static int
parley_host_found(parley_host_accept_t *a, parley_log_page_t *page,
    const parley_place_t *place)
{
    int                    i, rc;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    for (i = 0; page->epoch != 0 && i < page->n; i++) {

        if (parley_publication_read(page->list[i].octets, &p) == 0
            && parley_str_eq(p.id, a->e->id))
        {
            break;
        }
    }

    if (page->epoch == 0 || i == page->n) {
        return place == NULL ? 1 : parley_host_accepted(a);
    }

    if (place == NULL) {
        a->known.place.epoch = page->epoch;
        a->known.place.offset = page->list[i].offset;

        rc = parley_host_event_put(a->g, a->e->id, &a->known, 0);

        if (rc < 0) {
            return rc;
        }
    }

    if (parley_host_views_read(p.views, &views, &p.views) != 0) {
        return parley_host_accepted(a);
    }

    a->readers = parley_arena_calloc(a->g->arena,
                                     PARLEY_ATTENTION_READERS_MAX
                                     * sizeof(parley_chat_reader_t));

    if (a->readers == NULL) {
        return parley_error_memory(a->g->err);
    }

    while (a->nreaders < PARLEY_ATTENTION_READERS_MAX
           && parley_host_views_next(&p.views, &row))
    {
        parley_host_reader(a->g, &row, &a->readers[a->nreaders++]);
    }

    return parley_host_accepted(a);
}


/* Computes the rows of the readers, without a change of the state. */

static int
parley_host_decide(parley_host_accept_t *a)
{
    int                         rc;
    parley_attention_input_t    in;
    parley_attention_thread_t  *thread;

    thread = parley_arena_calloc(a->g->arena,
                                 sizeof(parley_attention_thread_t));
    a->attention = parley_arena_alloc(a->g->arena, sizeof(parley_attention_t));

    if (thread == NULL || a->attention == NULL) {
        return parley_error_memory(a->g->err);
    }

    rc = parley_host_subject(a, thread);

    if (rc == 0) {
        rc = parley_host_thread_get(a->g, a->e, a->source, &a->thread);
    }

    if (rc < 0 || parley_host_facts(a, thread) != 0) {
        return rc < 0 ? rc : parley_error_memory(a->g->err);
    }

    memset(&in, 0, sizeof(parley_attention_input_t));

    in.directory = a->g->conf.http->directory;
    in.event = a->e;
    in.thread = thread;
    in.deadline_ms = a->g->conf.s->host->deadline_ms;
    in.loop = a->g->conf.s->host->loop;
    in.accepted_ms = a->g->in.now_ms;

    return parley_attention_init(a->attention, a->g->arena, &in, a->g->err)
           == 0 ? parley_host_rows(a) : -1;
}


/* Finds the author of the event that this one answers or reacts to. */

static int
parley_host_subject(parley_host_accept_t *a, parley_attention_thread_t *ret)
{
    int                   rc;
    parley_str_t          id;
    parley_host_event_t   subject;

    id = a->e->of.len > 0 ? a->e->of : a->e->in_reply_to;

    if (id.len == 0) {
        return 0;
    }

    rc = parley_host_event_get(a->g, id, a->source, &subject);

    if (rc == 1) {
        ret->subject = subject.author;
        return 0;
    }

    return rc < 0 ? rc
           : parley_error_set(a->g->err, PARLEY_E_REPLY_UNMATCHED,
                              a->e->of.len > 0 ? "/params/reaction/of"
                                               : "/params/target/inReplyTo",
                              "the event is unknown here; it may still come");
}


/* Fills the facts of the thread.  A message without a thread has no owner and
   no participants. */

static int
parley_host_facts(parley_host_accept_t *a, parley_attention_thread_t *ret)
{
    unsigned                     i;
    parley_str_t                *subs, *authors;
    const parley_host_party_t   *party;

    ret->agents = a->thread.agents;

    subs = parley_arena_alloc(a->g->arena,
                              2 * PARLEY_HOST_ENTRIES * sizeof(parley_str_t));

    if (subs == NULL) {
        return -1;
    }

    authors = subs + PARLEY_HOST_ENTRIES;
    ret->parties = subs;
    ret->participants = authors;

    for (i = 0; i < a->thread.n; i++) {
        party = &a->thread.parties[i];
        subs[ret->nparties++] = party->sub;

        if (!party->author || a->e->thread.len == 0) {
            continue;
        }

        authors[ret->nparticipants++] = party->sub;

        if (party->agent && ret->owner.len == 0) {
            ret->owner = party->sub;
        }
    }

    if (a->e->kind != PARLEY_CHAT_DM) {
        ret->nparties = 0;
    }

    return 0;
}


static int
parley_host_rows(parley_host_accept_t *a)
{
    unsigned                     i;
    parley_buf_t                 b;
    parley_host_views_t          views;
    const parley_principal_t    *p;
    parley_attention_offer_t     offer;
    parley_attention_verdict_t   v;

    a->logs = parley_arena_alloc(a->g->arena,
                                 (PARLEY_ATTENTION_READERS_MAX + 1)
                                 * PARLEY_KEY_LEN);
    a->readers = parley_arena_calloc(a->g->arena,
                                     PARLEY_ATTENTION_READERS_MAX
                                     * sizeof(parley_chat_reader_t));

    if (a->logs == NULL || a->readers == NULL) {
        return parley_error_memory(a->g->err);
    }

    parley_host_conversation(a->g->ask.state, a->source, a->e->conversation,
                             a->logs[a->nlogs++]);

    views.source = a->source;
    views.reason = a->e->reason;
    views.deadline_ms = a->attention->deadline_ms;

    parley_host_views_begin(&b, a->g->arena, &views);
    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = a->g->in.now_ms;

    for (i = 0; i < a->attention->nparties; i++) {
        p = a->attention->parties[i].principal;
        offer.unreadable = !parley_gate_may_reach(a->g, p);

        parley_attention_decide(a->attention, p, &offer, &v);

        if (v.gets && parley_host_row_add(a, &b, p, &v) != 0) {
            return parley_error_memory(a->g->err);
        }
    }

    if (parley_buf_done(&b, &a->views) != 0) {
        return parley_error_memory(a->g->err);
    }

    return a->views.len <= UINT16_MAX ? 0
           : parley_error_set(a->g->err, PARLEY_E_FIELD_INVALID,
                              a->c->chat->mentions,
                              "the event has too many readers");
}


/* Adds a reader: its row, its mailbox, and its part in the answer. */

static int
parley_host_row_add(parley_host_accept_t *a, parley_buf_t *b,
    const parley_principal_t *p, const parley_attention_verdict_t *v)
{
    parley_str_t       address;
    parley_host_row_t  row;

    if (parley_address_of(a->g->arena, p, &address) != 0) {
        return -1;
    }

    parley_expand_log(a->g->ask.state, address, a->logs[a->nlogs++]);

    row.sub = p->sub;
    row.verdict = *v;
    row.qualified = a->qualified;

    parley_host_views_row(b, &row);
    parley_host_reader(a->g, &row, &a->readers[a->nreaders++]);

    return 0;
}


void
parley_host_reader(const parley_gate_t *g, const parley_host_row_t *row,
    parley_chat_reader_t *ret)
{
    const parley_principal_t  *p;

    p = parley_directory_by_sub(g->conf.http->directory, row->sub);

    ret->to = p != NULL ? p->names[g->read.proto] : row->sub;
    ret->row = parley_attention_rows[row->verdict.row];
    ret->directedness = row->verdict.directedness;
    ret->policy = row->verdict.policy;
    ret->mode = row->verdict.mode;
}


/* Takes the id, and appends the event to its logs. */

static int
parley_host_append(parley_host_accept_t *a)
{
    int                    rc;
    parley_gate_t         *g;
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_publication_t   p;

    g = a->g;

    /* OPS-06: the audit line is written before the event changes anything */

    if (parley_gate_record_as(g, PARLEY_VERDICT_ANSWERED)
        == PARLEY_RESULT_REFUSED)
    {
        return -1;
    }

    a->known.source = a->source;

    if (parley_host_author(a, &a->known.author) != 0) {
        return parley_error_memory(g->err);
    }

    memset(&a->known.place, 0, sizeof(parley_place_t));
    memcpy(a->known.print, g->admit.entrance.print, PARLEY_PRINT_LEN);

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&publish, 0, sizeof(parley_publish_t));

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = g->read.proto;
    p.sender = parley_who_proven(g->who);
    p.from = g->who->author;
    p.id = a->e->id;
    p.ms = g->in.now_ms;
    p.priority = a->e->priority;
    p.timeout_ms = -1;
    p.views = a->views;
    p.message = g->read.edited ? g->rewritten->input : g->doc->input;

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) a->logs;
    publish.nlogs = a->nlogs;
    publish.account = g->proof.account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(g->conf.http, &publish.retention);

    if (parley_publish_append(g->arena, &publish, &append) != 0) {
        return parley_error_memory(g->err);
    }

    rc = parley_host_event_put(g, a->e->id, &a->known, !a->left);

    if (rc != 0) {
        return rc != 1 ? rc
               : parley_error_set(g->err, PARLEY_E_MESSAGE_IN_FLIGHT,
                                  "/params/eventId", "an event with this id is "
                                  "being accepted");
    }

    parley_reservation_append(&g->admit.entrance, &append);

    rc = parley_ask_append(&g->ask, &append, &appended);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    if (appended.verdict != PARLEY_APPEND_OK) {
        return parley_host_appended(a, appended.verdict);
    }

    parley_reservation_appended(&g->admit.entrance, &append);

    a->known.place = appended.places[0].place;

    if (g->env->wake != NULL) {
        g->env->wake(g);
    }

    return 0;
}


/* Finds the author as threads know it: the sub, or the name of its account if
   no principal lists the account. */

static int
parley_host_author(const parley_host_accept_t *a, parley_str_t *ret)
{
    parley_surface_account_t  account;

    *ret = parley_who_proven(a->g->who);

    if (parley_directory_by_sub(a->g->conf.http->directory, *ret) != NULL) {
        return 0;
    }

    account.platform = a->e->platform;
    account.workspace = a->e->workspace;
    account.id = a->e->author;

    return parley_surface_name(a->g->arena, &account, ret);
}


/* Gives the id back after an append that was not done.  It stays taken if the
   admission has ended: another process may have accepted the event since. */

static int
parley_host_appended(parley_host_accept_t *a, parley_append_verdict_t verdict)
{
    int  rc;

    rc = verdict == PARLEY_APPEND_STALE
         ? 0 : parley_host_event_drop(a->g, a->e->id, a->source);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    a->g->report.wait = PARLEY_GATE_NO_ROOM;

    return parley_error_set(a->g->err, PARLEY_E_CAPACITY, NULL, "%s",
                            verdict == PARLEY_APPEND_SHARE
                            ? "this author uses its whole share of the zone"
                            : verdict == PARLEY_APPEND_STALE
                            ? "the state did not answer in time"
                            : "the zone is full");
}


/*
 * Records the place of the event, and the facts of its thread.  The event is
 * accepted already.  If the place finds no room, the next try finds it in the
 * log.
 */

static int
parley_host_note(parley_host_accept_t *a)
{
    int            rc;
    unsigned       i, tries;
    parley_str_t   author;

    rc = parley_host_event_put(a->g, a->e->id, &a->known, 0);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    author = a->known.author;

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {

        if (a->e->act == PARLEY_CHAT_MESSAGE) {
            a->thread.agents = a->attention->facts
                               & PARLEY_ATTENTION_BY_AGENT
                               ? a->thread.agents + 1 : 0;
        }

        parley_host_note_party(&a->thread, author, 1,
                               (a->attention->facts
                                & PARLEY_ATTENTION_BY_AGENT) != 0);

        for (i = 0; i < a->attention->nparties; i++) {
            if (a->e->kind == PARLEY_CHAT_DM
                && (a->attention->parties[i].facts
                    & PARLEY_ATTENTION_ADDRESSED))
            {
                parley_host_note_party(&a->thread,
                                       a->attention->parties[i].principal->sub,
                                       0, 0);
            }
        }

        rc = parley_host_thread_put(a->g, a->e, a->source, &a->thread);

        if (rc != 1) {
            break;
        }

        /* another event of the thread was accepted meantime */

        rc = parley_host_thread_get(a->g, a->e, a->source, &a->thread);

        if (rc < 0) {
            break;
        }
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_error_clear(a->g->err);

    return 0;
}


/* Makes a party the newest one.  The oldest party is forgotten, except for the
   first agent, which owns the thread. */

static void
parley_host_note_party(parley_host_thread_t *t, parley_str_t sub, int author,
    int agent)
{
    unsigned             i, first;
    parley_host_party_t  party;

    memset(&party, 0, sizeof(parley_host_party_t));

    party.sub = sub;

    for (first = 0; first < t->n; first++) {
        if (t->parties[first].author && t->parties[first].agent) {
            break;
        }
    }

    for (i = 0; i < t->n && !parley_str_eq(t->parties[i].sub, sub); i++) {
        /* void */
    }

    if (i < t->n) {
        party = t->parties[i];

        if (i == first) {
            return;
        }

    } else if (t->n == PARLEY_HOST_ENTRIES) {
        i = first == 0 ? 1 : 0;

    } else {
        t->n++;
    }

    party.author |= author != 0;
    party.agent |= agent != 0;

    memmove(&t->parties[i], &t->parties[i + 1],
            (t->n - 1 - i) * sizeof(parley_host_party_t));

    t->parties[t->n - 1] = party;
}


static int
parley_host_accepted(parley_host_accept_t *a)
{
    parley_chat_result_t  result;

    memset(&result, 0, sizeof(parley_chat_result_t));

    result.id = a->e->id;
    result.readers = a->readers;
    result.nreaders = a->nreaders;

    return a->c->chat->answer(a->g->arena, &a->c->call, &result,
                              &a->g->out.reply)
           == 0 ? 0 : parley_error_memory(a->g->err);
}
