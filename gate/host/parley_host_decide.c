/*
 * Decides about the readers of an event that is published: its subject, the
 * facts of its thread, and a row for each reader.  The state does not change.
 */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_glyph.h"
#include "gate/host/parley_host_post.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"


static int parley_host_subject(parley_host_post_t *a,
    parley_attention_thread_t *ret);
static int parley_host_facts(parley_host_post_t *a,
    parley_attention_thread_t *ret);
static int parley_host_rows(parley_host_post_t *a);
static void parley_host_rows_begin(parley_host_post_t *a, parley_buf_t *b);
static int parley_host_row(parley_host_post_t *a, parley_buf_t *b,
    const parley_attention_party_t *party);
static inline int parley_host_row_waits(const parley_host_post_t *a,
    const parley_host_row_t *row);
static int parley_host_row_reads(parley_host_post_t *a,
    const parley_attention_party_t *party,
    const parley_attention_verdict_t *v);
static int parley_host_row_surface(parley_host_post_t *a, parley_buf_t *b);
static int parley_host_mailbox_add(parley_host_post_t *a,
    const parley_principal_t *p);


/* Computes the rows of the readers, without a change of the state. */

int
parley_host_decide(parley_host_post_t *a)
{
    int                         rc;
    parley_attention_input_t    in;
    parley_attention_thread_t  *thread;

    thread = parley_arena_calloc(a->h->arena,
                                 sizeof(parley_attention_thread_t));
    a->attention = parley_arena_alloc(a->h->arena, sizeof(parley_attention_t));

    if (thread == NULL || a->attention == NULL) {
        return parley_error_memory(a->h->err);
    }

    rc = parley_host_subject(a, thread);

    if (rc == 0) {
        rc = parley_host_thread_get(a->h, &a->where, &a->thread);
    }

    if (rc >= 0 && a->surface != NULL
        && a->e->signal != PARLEY_CHAT_SIGNAL_NONE)
    {
        rc = parley_host_glyph_of(a->h, a->surface->sub, a->e->signal,
                                  &a->glyph);
    }

    if (rc < 0 || parley_host_facts(a, thread) != 0) {
        return rc < 0 ? rc : parley_error_memory(a->h->err);
    }

    memset(&in, 0, sizeof(parley_attention_input_t));

    in.directory = a->h->http->directory;
    in.event = a->e;
    in.thread = thread;
    in.author = a->author;
    in.deadline_ms = a->h->host->deadline_ms;
    in.loop = a->h->host->loop;
    in.accepted_ms = a->h->now_ms;

    /* a deletion has no readers (C2A-25) */

    if (a->e->act == PARLEY_CHAT_DELETE) {
        memset(a->attention, 0, sizeof(parley_attention_t));
        return parley_host_rows(a);
    }

    if (parley_attention_init(a->attention, a->h->arena, &in, a->h->err) != 0) {
        return -1;
    }

    a->lasts_ms = a->attention->deadline_ms;
    a->left_ms = a->lasts_ms;

    rc = a->change != NULL
         ? parley_host_change_due(a->change, &a->left_ms, &a->lasts_ms) : 0;

    return rc == 0 ? parley_host_rows(a) : rc;
}


/* Finds the author of the event that this one answers or reacts to. */

static int
parley_host_subject(parley_host_post_t *a, parley_attention_thread_t *ret)
{
    int                   rc;
    parley_str_t          id;
    parley_host_event_t   subject;

    id = a->e->act == PARLEY_CHAT_REACTION ? a->e->of : a->e->in_reply_to;

    if (id.len == 0) {
        return 0;
    }

    rc = parley_host_event_get(a->h, parley_host_event_named(id), a->source,
                               &subject);
    if (rc == 1) {
        ret->subject = subject.author;
        ret->obliged = a->obliged;
        a->named = a->e->in_reply_to.len > 0
                   && parley_str_eq(subject.conversation, a->e->conversation);
        return 0;
    }

    return rc < 0 ? rc
           : parley_error_set(a->h->err, PARLEY_E_REPLY_UNMATCHED,
                              a->e->act == PARLEY_CHAT_REACTION
                              ? "/params/reaction/of"
                              : "/params/target/inReplyTo",
                              "the event is unknown here; it may still come");
}


/* Fills the facts of the thread.  A message without a thread has no owner and
   no participants. */

static int
parley_host_facts(parley_host_post_t *a, parley_attention_thread_t *ret)
{
    unsigned                     i;
    parley_str_t                *subs, *authors;
    const parley_host_party_t   *party;

    ret->agents = a->thread.agents;

    subs = parley_arena_alloc(a->h->arena,
                              2 * PARLEY_HOST_ENTRIES * sizeof(parley_str_t));

    if (subs == NULL) {
        return -1;
    }

    authors = subs + PARLEY_HOST_ENTRIES;
    ret->parties = subs;
    ret->participants = authors;

    for (i = 0; i < a->thread.n; i++) {
        party = &a->thread.parties[i];

        /* a lead that answers an event that went up is not a party of the DM */

        if (party->reads) {
            subs[ret->nparties++] = party->sub;
        }

        if (!party->author || a->e->thread.len == 0) {
            continue;
        }

        authors[ret->nparticipants++] = party->sub;

        if (party->agent && ret->owner.len == 0) {
            ret->owner = party->sub;
        }
    }

    if (a->thread.claim.until_ms > a->h->now_ms) {
        ret->owner = a->thread.claim.owner;
    }

    if (a->e->kind != PARLEY_CHAT_DM) {
        ret->nparties = 0;
    }

    return 0;
}


static int
parley_host_rows(parley_host_post_t *a)
{
    int           rc;
    unsigned      i;
    parley_buf_t  b;

    a->logs = parley_arena_alloc(a->h->arena,
                                 (PARLEY_ATTENTION_READERS_MAX + 2)
                                 * PARLEY_KEY_LEN);
    a->readers = parley_arena_calloc(a->h->arena,
                                     (a->attention->nparties + 1)
                                     * sizeof(parley_chat_reader_t));

    if (a->logs == NULL || a->readers == NULL) {
        return parley_error_memory(a->h->err);
    }

    parley_host_conversation(a->h->ask->state, a->source, a->e->conversation,
                             a->logs[a->nlogs++]);
    parley_host_rows_begin(a, &b);

    for (i = 0; i < a->attention->nparties; i++) {
        rc = parley_host_row(a, &b, &a->attention->parties[i]);

        if (rc != 0) {
            return rc;
        }
    }

    if (a->surface != NULL && parley_host_row_surface(a, &b) != 0) {
        return parley_error_memory(a->h->err);
    }

    if (parley_buf_done(&b, &a->views) != 0) {
        return parley_error_memory(a->h->err);
    }

    return a->views.len <= UINT16_MAX ? 0
           : parley_error_set(a->h->err, PARLEY_E_FIELD_INVALID,
                              a->h->chat->mentions,
                              "the event has too many readers");
}


/* Begins the views with the verdict for readers that the event does not
   concern. */

static void
parley_host_rows_begin(parley_host_post_t *a, parley_buf_t *b)
{
    parley_host_views_t        views;
    parley_attention_offer_t   offer;

    static const parley_principal_t  other;

    memset(&views, 0, sizeof(parley_host_views_t));
    memset(&offer, 0, sizeof(parley_attention_offer_t));

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.now_ms = a->h->now_ms;

    views.source = a->source;
    views.key = a->key;
    views.conversation = a->e->conversation;
    views.thread = a->e->thread;
    views.stream = a->e->stream;
    views.signal = a->e->signal;
    views.glyph = a->glyph;
    views.reason = a->e->reason;
    views.deadline_ms = a->left_ms;
    views.named = a->named;

    if (a->e->act == PARLEY_CHAT_DELETE) {
        views.others.row = PARLEY_ATTENTION_AMBIENT;
        views.others.mode = PARLEY_CHAT_MAILBOX;

    } else {
        parley_attention_decide(a->attention, &other, &offer, &views.others);
    }

    a->others = views.others.row;

    parley_host_views_begin(b, a->h->arena, &views);
}


/* Decides about a party.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_row(parley_host_post_t *a, parley_buf_t *b,
    const parley_attention_party_t *party)
{
    int                       rc;
    parley_host_row_t         row;
    parley_attention_offer_t  offer;

    memset(&row, 0, sizeof(parley_host_row_t));
    memset(&offer, 0, sizeof(parley_attention_offer_t));

    row.sub = party->principal->sub;
    row.qualified = a->qualified;

    offer.modes = PARLEY_CHAT_MODE_ALL;
    offer.interrupt = 1;
    offer.now_ms = a->h->now_ms;
    offer.unreadable = a->g != NULL
                       && !parley_gate_may_reach(a->g, party->principal);

    parley_attention_decide(a->attention, party->principal, &offer,
                            &row.verdict);

    if (!row.verdict.gets) {
        return 0;
    }

    rc = parley_host_row_reads(a, party, &row.verdict);

    if (rc < 0) {
        return rc;
    }

    row.reads = rc == 1;

    /* C2A-33: an event for a role or a thread needs the permission */

    if (!row.reads && row.verdict.directedness != PARLEY_CHAT_TO_ME) {
        return 0;
    }

    rc = a->change != NULL ? parley_host_change_row(a->change, &row) : 0;

    if (rc < 0) {
        return rc;
    }

    row.waits = parley_host_row_waits(a, &row)
                || (a->change != NULL
                    && parley_host_change_in_turn(a->change, &row));
    a->waits |= row.waits;

    if (!row.waits) {
        a->rows[row.verdict.row]++;
        a->seen |= 1u << row.verdict.row;
    }

    parley_host_views_row(b, &row);
    parley_host_reader(a->h, &row, party->principal,
                       &a->readers[a->nreaders++]);

    return row.waits ? 0 : parley_host_mailbox_add(a, party->principal) == 0
           ? 0 : parley_error_memory(a->h->err);
}


/* Returns whether a reader gets the event in a turn (C2A-09): a message of a
   human that can wait.  The edit of a message in a turn does not come alone,
   also if a reload has turned turns off since. */

static inline int
parley_host_row_waits(const parley_host_post_t *a,
    const parley_host_row_t *row)
{
    return (a->h->host->quiet_ms > 0
            || (a->change != NULL && a->change->turn != NULL))
           && row->verdict.mode == PARLEY_CHAT_BUFFERED
           && a->sub.len > 0 && a->author == NULL
           && a->e->act != PARLEY_CHAT_REACTION
           && (a->attention->facts & PARLEY_ATTENTION_BY_AGENT) == 0;
}


/* Returns whether a party may read the conversation, if it matters: 1, 0,
   PARLEY_WAIT or -1.  The event itself makes it a party of a DM. */

static int
parley_host_row_reads(parley_host_post_t *a,
    const parley_attention_party_t *party,
    const parley_attention_verdict_t *v)
{
    parley_host_conversation_t  conversation;

    if (v->directedness == PARLEY_CHAT_TO_ME && !a->named) {
        return 0;
    }

    if (party->facts & PARLEY_ATTENTION_PARTNER) {
        return 1;
    }

    conversation.source = a->source;
    conversation.id = a->e->conversation;

    return parley_host_may_read(a->h, a->g, &conversation, party->principal);
}


/* The surface of the conversation shows the event to its users. */

static int
parley_host_row_surface(parley_host_post_t *a, parley_buf_t *b)
{
    parley_host_row_t  row;

    memset(&row, 0, sizeof(parley_host_row_t));

    row.sub = a->surface->sub;
    row.surface = 1;
    row.qualified = a->qualified;
    row.verdict.row = a->e->act == PARLEY_CHAT_REACTION
                      ? PARLEY_ATTENTION_REACTION : PARLEY_ATTENTION_AMBIENT;
    row.verdict.directedness = PARLEY_CHAT_TO_ME;
    row.verdict.policy = PARLEY_CHAT_MAY;
    row.verdict.mode = PARLEY_CHAT_BUFFERED;

    parley_host_views_row(b, &row);

    return parley_host_mailbox_add(a, a->surface);
}


static int
parley_host_mailbox_add(parley_host_post_t *a, const parley_principal_t *p)
{
    return parley_host_mailbox_log(a->h, p, a->logs[a->nlogs++]) == 0 ? 0 : -1;
}
