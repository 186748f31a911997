/*
 * The tools claim and resolve for a whole thread.  Its record has the claim,
 * and the mark that it is resolved, which the next message clears.  The surface
 * and an author learn both by a reaction to the newest message of the thread.
 */

#include <string.h>

#include "gate/host/parley_host_act.h"
#include "gate/host/parley_host_audit.h"


/* newest records of a conversation, and of a mailbox, that are read */
#define PARLEY_HOST_THREAD_READ  256


static int parley_host_thread_find(parley_host_act_t *a,
    parley_host_thread_name_t *ret);
static int parley_host_thread_unknown(parley_host_act_t *a);
static int parley_host_thread_note(parley_host_act_t *a,
    const parley_host_thread_name_t *where);
static int parley_host_thread_change(parley_host_act_t *a,
    parley_host_thread_t *thread);
static int parley_host_thread_respond(parley_host_act_t *a,
    const parley_host_thread_name_t *where);
static int parley_host_thread_event(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_str_t octets);
static int parley_host_thread_signal(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_chat_signal_t signal);
static int parley_host_thread_message(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_str_t octets);
static int parley_host_thread_has(const parley_host_thread_name_t *where,
    const parley_host_views_t *views);


int
parley_host_act_thread(parley_host_act_t *a)
{
    int                         rc, claims;
    parley_host_thread_name_t   where;

    claims = a->c->call.tool == PARLEY_CHAT_CLAIM;
    rc = parley_host_thread_find(a, &where);

    if (rc == 0) {
        rc = parley_host_thread_note(a, &where);
    }

    if (rc == 0 && !claims) {
        rc = parley_host_thread_respond(a, &where);
    }

    return rc != 0 ? rc
           : parley_host_thread_signal(a, &where,
                                       claims ? PARLEY_CHAT_SIGNAL_CLAIMED
                                              : PARLEY_CHAT_SIGNAL_DONE);
}


/* Finds the thread of a conversation that the caller may read.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_thread_find(parley_host_act_t *a, parley_host_thread_name_t *ret)
{
    int                         rc;
    parley_chat_kind_t          kind;
    parley_host_conversation_t  conversation;

    ret->thread = a->args->place.thread;

    if (ret->thread.len == 0) {
        return parley_error_set(a->h->err, PARLEY_E_FIELD_MISSING,
                                "/params/arguments/target/threadId",
                                "without inReplyTo the target must be a "
                                "thread");
    }

    rc = parley_host_place_reads(a->h, a->c->g, a->caller, &a->args->place,
                                 "/params/arguments/target", &conversation,
                                 &kind);
    if (rc != 1) {
        return rc < 0 ? rc : parley_host_thread_unknown(a);
    }

    ret->source = conversation.source;
    ret->conversation = conversation.id;

    return parley_host_source_find(a->h, ret->source, &a->source) == 0
           ? 0 : parley_error_memory(a->h->err);
}


static int
parley_host_thread_unknown(parley_host_act_t *a)
{
    a->c->refused.retryable = 1;

    return parley_error_set(a->h->err, PARLEY_E_REPLY_UNMATCHED,
                            "/params/arguments/target",
                            "the thread is unknown here");
}


/* Puts the claim or the mark into the record of the thread, which each message
   of the thread has made.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_thread_note(parley_host_act_t *a,
    const parley_host_thread_name_t *where)
{
    int                    rc;
    unsigned               tries;
    parley_host_thread_t  *thread;

    thread = parley_arena_alloc(a->h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(a->h->err);
    }

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {

        rc = parley_host_thread_get(a->h, where, thread);

        if (rc != 1) {
            return rc < 0 ? rc : parley_host_thread_unknown(a);
        }

        if (parley_host_thread_change(a, thread) != 0) {
            return -1;
        }

        rc = parley_host_thread_put(a->h, thread);

        if (rc != 1) {
            return rc;
        }
    }

    return parley_error_set(a->h->err, PARLEY_E_CAPACITY, NULL,
                            "other calls change the thread");
}


/* Changes the record.  A thread that is resolved keeps its mark.  Returns 0, or
   -1: claim-held. */

static int
parley_host_thread_change(parley_host_act_t *a, parley_host_thread_t *thread)
{
    parley_host_claim_t         *claim;
    parley_host_claim_result_t   result;

    claim = &thread->claim;

    if (a->c->call.tool == PARLEY_CHAT_CLAIM) {
        result = claim->until_ms <= a->h->now_ms
                 ? PARLEY_HOST_CLAIM_NEW : PARLEY_HOST_CLAIM_RENEWED;

        if (parley_host_claim_take(a, claim, a->args->ttl_ms) != 0) {
            return -1;
        }

        a->result.owner = a->caller->names[a->h->proto];
        a->result.until_ms = claim->until_ms;
        a->result.generation = claim->number;

        if (!a->claimed) {
            a->claimed = 1;
            parley_host_audit_claim(a->h, parley_str_none, a->caller->sub,
                                    result);
        }

        return 0;
    }

    if (claim->until_ms > a->h->now_ms
        && !parley_str_eq(claim->owner, a->caller->sub))
    {
        return parley_host_claim_held(a, claim->owner, claim->until_ms);
    }

    claim->until_ms = 0;

    if (thread->resolved_by.len == 0) {
        thread->resolved_by = a->caller->sub;
        thread->resolved_ms = a->h->now_ms;
    }

    parley_host_thread_mark(a->h, thread, &a->result);

    return 0;
}


/* The open events of the caller in the thread become responded.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_thread_respond(parley_host_act_t *a,
    const parley_host_thread_name_t *where)
{
    int                i, rc;
    uint8_t            log[PARLEY_KEY_LEN];
    parley_place_t     end;
    parley_log_page_t  page;

    rc = parley_host_mailbox_log(a->h, a->caller, log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(a->h, log, &end, PARLEY_HOST_THREAD_READ, 1, &page);

    for (i = 0; rc == 0 && page.epoch != 0 && i < page.n; i++) {
        rc = parley_host_thread_event(a, where, page.list[i].octets);
    }

    a->result.disposition = PARLEY_CHAT_UNDISPOSED;

    return rc == 0 ? parley_host_cursor_move(a->c) : rc;
}


/* Disposes of an event that the caller may answer.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_thread_event(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_str_t octets)
{
    int                   rc;
    parley_host_named_t  *on;

    on = &a->on;
    memset(on, 0, sizeof(parley_host_named_t));

    if (parley_publication_read(octets, &on->p) != 0
        || !parley_host_views_find(on->p.views, a->caller->sub, &on->views,
                                   &on->row)
        || !parley_host_thread_has(where, &on->views)
        || parley_host_is_told(&on->views)
        || on->row.verdict.policy <= PARLEY_CHAT_MUST_NOT)
    {
        return 0;
    }

    on->id = on->p.id;
    rc = parley_host_event_get(a->h, on->id, where->source, &on->event);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_delivery_get(a->h, on->id, where->source, a->caller->sub,
                                  &on->part);

    return rc < 0 ? rc
           : parley_host_is_open(&on->part)
           ? parley_host_dispose_put(a, PARLEY_CHAT_RESPONDED) : 0;
}


/* Publishes the signal to the newest message of the thread, if the log still
   has one.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_thread_signal(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_chat_signal_t signal)
{
    int                i, rc;
    uint8_t            log[PARLEY_KEY_LEN];
    parley_place_t     end;
    parley_log_page_t  page;

    parley_host_conversation(a->h->ask->state, where->source,
                             where->conversation, log);
    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(a->h, log, &end, PARLEY_HOST_THREAD_READ, 1, &page);

    for (i = 0; rc == 0 && page.epoch != 0 && i < page.n; i++) {
        rc = parley_host_thread_message(a, where, page.list[i].octets);
    }

    return rc == 1 ? parley_host_act_signal(a, signal) : rc;
}


/* Returns whether a record is a message of the thread, which is a->on then: 1,
   0, PARLEY_WAIT or -1. */

static int
parley_host_thread_message(parley_host_act_t *a,
    const parley_host_thread_name_t *where, parley_str_t octets)
{
    int                   rc;
    parley_host_named_t  *on;

    on = &a->on;
    memset(on, 0, sizeof(parley_host_named_t));

    if (parley_publication_read(octets, &on->p) != 0
        || !parley_host_row_read(&on->p, a->caller->sub, 1, &on->views,
                                 &on->row)
        || !parley_host_thread_has(where, &on->views))
    {
        return 0;
    }

    on->id = on->p.id;
    rc = parley_host_event_get(a->h, on->id, where->source, &on->event);

    return rc != 1 ? rc
           : on->event.act == PARLEY_CHAT_MESSAGE
             || on->event.act == PARLEY_CHAT_EDIT;
}


static int
parley_host_thread_has(const parley_host_thread_name_t *where,
    const parley_host_views_t *views)
{
    return parley_str_eq(views->source, where->source)
           && parley_str_eq(views->conversation, where->conversation)
           && parley_str_eq(views->thread, where->thread);
}
