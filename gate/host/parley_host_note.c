/*
 * Notes an event that was accepted: its place, the facts of its thread, and the
 * conversations that its parties may read.
 */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_parts.h"
#include "gate/host/parley_host_post.h"


static int parley_host_note_thread(parley_host_post_t *a,
    const parley_host_thread_name_t *where, parley_host_thread_t *t);
static void parley_host_note_parties(parley_host_post_t *a,
    parley_host_thread_t *t);
static void parley_host_note_party(parley_host_thread_t *t,
    const parley_host_party_t *noted);
static inline int parley_host_note_admits(const parley_host_post_t *a);
static int parley_host_note_reads(parley_host_post_t *a);


int
parley_host_note(parley_host_post_t *a)
{
    int                        rc;
    parley_host_thread_t      *whole;
    parley_host_thread_name_t  where;

    rc = parley_host_event_put(a->h, a->e->id, &a->known, 0);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* progress does not count for a thread (C2A-29), and does not make its
       author a reader */

    if (a->e->act == PARLEY_CHAT_PROGRESS) {
        parley_error_clear(a->h->err);
        return 0;
    }

    rc = parley_host_note_thread(a, &a->where, &a->thread);

    /* the permission to read a DM does not depend on a thread in it */

    if (rc >= 0 && a->e->kind == PARLEY_CHAT_DM && a->e->thread.len > 0) {
        whole = parley_arena_alloc(a->h->arena, sizeof(parley_host_thread_t));

        if (whole == NULL) {
            return parley_error_memory(a->h->err);
        }

        where = a->where;
        where.thread = parley_str_none;

        rc = parley_host_thread_get(a->h, &where, whole);

        if (rc >= 0) {
            rc = parley_host_note_thread(a, &where, whole);
        }
    }

    if (rc >= 0 && a->e->kind == PARLEY_CHAT_DM) {
        rc = parley_host_note_reads(a);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    parley_error_clear(a->h->err);

    return 0;
}


/* Records the facts of a thread of the event.  Returns as
   parley_host_thread_put(). */

static int
parley_host_note_thread(parley_host_post_t *a,
    const parley_host_thread_name_t *where, parley_host_thread_t *t)
{
    int       rc;
    unsigned  tries;

    for (tries = 0, rc = 1; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {

        /* again: another event of the thread was accepted meantime */

        if (tries > 0) {
            rc = parley_host_thread_get(a->h, where, t);

            if (rc < 0) {
                break;
            }
        }

        if (where == &a->where && a->e->act == PARLEY_CHAT_MESSAGE) {
            t->agents = a->attention->facts & PARLEY_ATTENTION_BY_AGENT
                        ? t->agents + 1 : 0;
            t->resolved_by = parley_str_none;
        }

        parley_host_note_parties(a, t);

        rc = parley_host_thread_put(a->h, t);
    }

    return rc;
}


static void
parley_host_note_parties(parley_host_post_t *a, parley_host_thread_t *t)
{
    unsigned             i;
    uint32_t             facts;
    parley_host_party_t  party;

    memset(&party, 0, sizeof(parley_host_party_t));

    /* a reaction does not make its author a participant of a thread */

    party.sub = a->sub;
    party.author = a->e->act != PARLEY_CHAT_REACTION;
    party.agent = (a->attention->facts & PARLEY_ATTENTION_BY_AGENT) != 0;
    party.reads = a->e->kind == PARLEY_CHAT_DM && parley_host_note_admits(a);

    if (a->sub.len > 0 && (party.author || party.reads)) {
        parley_host_note_party(t, &party);
    }

    for (i = 0; i < a->attention->nparties; i++) {
        facts = a->attention->parties[i].facts;

        if (a->e->kind == PARLEY_CHAT_DM
            && (facts & PARLEY_ATTENTION_ADDRESSED))
        {
            party.sub = a->attention->parties[i].principal->sub;
            party.author = 0;
            party.agent = 0;
            party.reads = (facts & PARLEY_ATTENTION_PARTNER) != 0;

            parley_host_note_party(t, &party);
        }
    }
}


/* Returns whether the author becomes a reader of the DM.  An agent does by a
   message to a name alone.  By another act, or in a channel that it says is a
   DM, it would give itself the permission (C2A-33). */

static inline int
parley_host_note_admits(const parley_host_post_t *a)
{
    return a->author == NULL
           || a->e->recipient.kind != PARLEY_CHAT_TARGET_NONE;
}


/* Makes a party the newest one.  The oldest party is forgotten, except for the
   first agent, which owns the thread. */

static void
parley_host_note_party(parley_host_thread_t *t,
    const parley_host_party_t *noted)
{
    unsigned             i, first;
    parley_host_party_t  party;

    party = *noted;

    for (first = 0; first < t->n; first++) {
        if (t->parties[first].author && t->parties[first].agent) {
            break;
        }
    }

    for (i = 0; i < t->n && !parley_str_eq(t->parties[i].sub, party.sub); i++)
    {
        /* void */
    }

    if (i < t->n) {
        party.author |= t->parties[i].author;
        party.agent |= t->parties[i].agent;
        party.reads |= t->parties[i].reads;

        if (i == first) {
            t->parties[i] = party;
            return;
        }

    } else if (t->n == PARLEY_HOST_ENTRIES) {
        i = first == 0 ? 1 : 0;

    } else {
        t->n++;
    }

    memmove(&t->parties[i], &t->parties[i + 1],
            (t->n - 1 - i) * sizeof(parley_host_party_t));

    t->parties[t->n - 1] = party;
}


/* Adds a DM to the conversations of its parties, for their lists. */

static int
parley_host_note_reads(parley_host_post_t *a)
{
    int                        rc;
    unsigned                   i;
    uint32_t                   reads;
    parley_chat_place_t        place;
    const parley_principal_t  *p;

    memset(&place, 0, sizeof(parley_chat_place_t));

    place.platform = a->e->platform;
    place.workspace = a->e->workspace;
    place.id = a->e->conversation;
    place.kind = PARLEY_CHAT_DM;

    reads = PARLEY_ATTENTION_PARTNER
            | (parley_host_note_admits(a) ? PARLEY_ATTENTION_AUTHOR : 0);

    for (i = 0; i < a->attention->nparties; i++) {
        p = a->attention->parties[i].principal;

        if ((a->attention->parties[i].facts & reads)
            && p->names[a->h->proto].len > 0)
        {
            rc = parley_host_reads_add(a->h, p->sub, a->logs[0], &place);

            if (rc < 0) {
                return rc;
            }
        }
    }

    return 0;
}
