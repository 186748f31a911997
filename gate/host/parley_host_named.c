/*
 * The event that a tool names, and the caller's part in it: its disposition and
 * its claim.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "core/parley_hex.h"
#include "gate/host/parley_host_act.h"
#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_end.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_HOST_SOURCES  8          /* sources with one id, looked at */


static int parley_host_named_source(parley_host_act_t *a, parley_str_t *ret);
static int parley_host_named_read(parley_host_act_t *a,
    const parley_host_event_t *event, parley_host_named_t *ret);
static int parley_host_claim_obliged(parley_host_act_t *a);
static int parley_host_claim_follow(parley_host_act_t *a);
static int parley_host_claim_answered(parley_host_act_t *a);
static int parley_host_claim_in_thread(parley_host_act_t *a);
static int parley_host_claim_thread(parley_host_act_t *a,
    parley_host_claim_t *ret);
static int64_t parley_host_due(const parley_host_named_t *on);


int
parley_host_act_find(parley_host_act_t *a)
{
    int                   i, n, rc;
    parley_str_t          source;
    parley_host_t        *h;
    parley_host_event_t   events[PARLEY_HOST_SOURCES];
    parley_host_named_t   named;

    h = a->h;

    if (a->args->in_reply_to.len == 0) {
        return 0;
    }

    a->on.id = parley_host_event_named(a->args->in_reply_to);
    rc = parley_host_named_source(a, &source);

    if (rc != 0) {
        return rc;
    }

    n = parley_host_events_get(h, a->on.id, events, PARLEY_HOST_SOURCES);

    if (n < 0) {
        return n;
    }

    for (i = 0; i < n; i++) {

        if (source.len > 0 && !parley_str_eq(source, events[i].source)) {
            continue;
        }

        rc = parley_host_named_read(a, &events[i], &named);

        if (rc < 0) {
            return rc;
        }

        /* any surface can choose an id that the caller has from another one */

        if (rc == 1 && a->on.event.source.len > 0) {
            return parley_error_set(h->err, PARLEY_E_FIELD_INVALID,
                                    parley_host_act_pointer(a),
                                    "two sources have an event of this id; "
                                    "the source of target must name one");
        }

        if (rc == 1) {
            a->on = named;
        }
    }

    if (a->on.event.source.len == 0) {
        a->c->refused.retryable = 1;

        return parley_error_set(h->err, PARLEY_E_REPLY_UNMATCHED,
                                parley_host_act_pointer(a),
                                "the event is unknown here");
    }

    if (parley_host_source_find(h, a->on.event.source, &a->source) != 0) {
        return parley_error_memory(h->err);
    }

    rc = parley_host_delivery_get(h, a->on.id, a->on.event.source,
                                  a->caller->sub, &a->on.part);

    return rc < 0 ? rc : 1;
}


/* Reads the source of the target.  *ret is empty if it has none.  Returns 0, or
   -1. */

static int
parley_host_named_source(parley_host_act_t *a, parley_str_t *ret)
{
    parley_surface_account_t  source;

    *ret = parley_str_none;

    if (a->args->place.platform.len == 0) {
        return 0;
    }

    memset(&source, 0, sizeof(parley_surface_account_t));

    source.platform = a->args->place.platform;
    source.workspace = a->args->place.workspace;

    return parley_surface_name(a->h->arena, &source, ret) < 0
           ? parley_error_memory(a->h->err) : 0;
}


/*
 * Reads an event, or its last edit.  The caller may read an event that is
 * addressed to it, its own, and those of a conversation that it may read.
 * Returns 1; 0: the caller may not read it, or it is lost; PARLEY_WAIT or -1.
 */

static int
parley_host_named_read(parley_host_act_t *a, const parley_host_event_t *event,
    parley_host_named_t *ret)
{
    int                          rc, mailbox;
    parley_str_t                 rest;
    parley_log_page_t            page;
    parley_host_conversation_t   conversation;

    memset(ret, 0, sizeof(parley_host_named_t));

    ret->id = a->on.id;
    ret->event = *event;

    rc = parley_turn_find(a->h, &ret->id, event->source, a->caller, &ret->p,
                          &ret->views, &ret->row);

    if (rc < 0 || rc == 1) {
        return rc;
    }

    ret->lost = rc == 2;

    rc = parley_host_event_now(a->h, &ret->id, &ret->event);

    if (rc == 1 && event->escalated.len == 0) {
        rc = parley_host_event_read(a->h, ret->id, &ret->event, &page, &ret->p);

        mailbox = rc == 0;

    } else {
        mailbox = rc == 1;
    }

    /* only the mailbox of its reader has an escalated event, and one that the
       conversation has dropped */

    if (mailbox) {
        rc = parley_host_mailbox_find(a->h, a->caller, ret->id,
                                      ret->event.source, &ret->p, &ret->views,
                                      &ret->row);
    }

    if (rc != 1) {
        return rc;
    }

    if (!parley_host_views_find(ret->p.views, a->caller->sub, &ret->views,
                                &ret->row))
    {
        memset(&ret->row, 0, sizeof(parley_host_row_t));

        ret->row.sub = a->caller->sub;
        ret->row.verdict.row = PARLEY_ATTENTION_AMBIENT;
        ret->row.verdict.mode = PARLEY_CHAT_MAILBOX;

        if (parley_host_views_read(ret->p.views, &ret->views, &rest) != 0) {
            return 0;
        }
    }

    if (ret->row.verdict.directedness == PARLEY_CHAT_TO_ME
        || parley_str_eq(event->author, a->caller->sub))
    {
        return 1;
    }

    conversation.source = event->source;
    conversation.id = event->conversation;

    return parley_host_may_read(a->h, a->c->g, &conversation, a->caller);
}


int
parley_host_dispose(parley_host_act_t *a, parley_chat_disposition_t disposition)
{
    int  rc;

    rc = parley_host_dispose_put(a, disposition);

    return rc == 0 ? parley_host_cursor_move(a->c) : rc;
}


int
parley_host_dispose_put(parley_host_act_t *a,
    parley_chat_disposition_t disposition)
{
    int                         rc;
    unsigned                    tries, accepted;
    parley_host_delivery_t     *part;
    parley_chat_disposition_t   before;

    part = &a->on.part;
    accepted = 1;
    before = part->disposition;
    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {

        if (tries > 0) {
            rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                          a->caller->sub, part);
            if (rc < 0) {
                return rc;
            }
        }

        accepted = part->accepted;
        before = part->disposition;
        part->accepted = 1;

        if (!parley_host_is_decided(part->disposition)
            && disposition != PARLEY_CHAT_UNDISPOSED)
        {
            part->disposition = disposition;

            /* the deadline of the turn is not that of the event */

            if (!parley_host_is_decided(disposition) && !part->extended
                && !a->on.lost)
            {
                part->extended = 1;
                part->due_ms = parley_host_due(&a->on)
                               + a->on.views.deadline_ms;
            }
        }

        rc = parley_host_delivery_put(a->h, a->on.id, a->on.event.source,
                                      a->caller->sub, part);
    }

    a->result.disposition = part->disposition;

    if (rc == 0) {
        parley_host_end_acted(a, accepted, before);
    }

    if (rc == 0 && part->disposition == disposition
        && parley_host_is_decided(disposition))
    {
        rc = disposition == PARLEY_CHAT_IGNORED
             && a->on.row.verdict.policy == PARLEY_CHAT_MUST
             ? parley_host_escalate(a->h, &a->on.p, a->caller->sub)
             : parley_host_decided(a->h, a->on.id, &a->on.event,
                                   a->caller->sub);
    }

    if (rc == 1) {
        return parley_error_set(a->h->err, PARLEY_E_CAPACITY, NULL,
                                "other calls change the event");
    }

    return rc;
}


/* Returns the deadline of an event for its reader, wall clock. */

static int64_t
parley_host_due(const parley_host_named_t *on)
{
    return on->part.due_ms != 0 ? on->part.due_ms
                                : on->p.ms + on->views.deadline_ms;
}


int
parley_host_claim(parley_host_act_t *a, int64_t ttl_ms)
{
    int                          rc;
    uint32_t                     number;
    unsigned                     tries;
    parley_host_claim_t         *claim;
    parley_host_claim_result_t   result;

    claim = &a->claim;

    rc = parley_host_claim_obliged(a);

    if (rc == 0) {
        rc = parley_host_claim_in_thread(a);
    }

    if (rc != 0) {
        return rc;
    }

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_claim_get(a->h, a->on.id, a->on.event.source, claim);

        if (rc < 0) {
            return rc;
        }

        number = claim->number;
        result = claim->until_ms <= a->h->now_ms
                 ? PARLEY_HOST_CLAIM_NEW : PARLEY_HOST_CLAIM_RENEWED;

        rc = parley_host_claim_answered(a);

        if (rc == 0) {
            rc = parley_host_claim_take(a, claim, ttl_ms);
        }

        if (rc != 0) {
            return rc;
        }

        rc = parley_host_claim_put(a->h, a->on.id, a->on.event.source, claim);

        if (rc == 0 && !a->claimed) {
            a->claimed = 1;
            parley_host_audit_claim(a->h, a->on.id, a->caller->sub, result);
        }

        if (rc != 1) {
            return rc == 0 && claim->number != number
                   ? parley_host_claim_follow(a) : rc;
        }
    }

    return parley_error_set(a->h->err, PARLEY_E_CAPACITY, NULL,
                            "other calls change the claim");
}


/* Follows a new claim of a role mention, which other agents may answer after
   its end.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_claim_follow(parley_host_act_t *a)
{
    return a->on.row.verdict.row != PARLEY_ATTENTION_ROLE
           || a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE ? 0
           : parley_host_follow_claim(a->h, &a->on.p, a->caller->sub,
                                      a->claim.until_ms - a->h->now_ms);
}


int
parley_host_claim_take(parley_host_act_t *a, parley_host_claim_t *claim,
    int64_t ttl_ms)
{
    if (ttl_ms < 0) {
        ttl_ms = a->h->host->claim_ms;
    }

    if (claim->until_ms <= a->h->now_ms) {
        claim->owner = a->caller->sub;
        claim->number++;
        claim->until_ms = 0;

    } else if (!parley_str_eq(claim->owner, a->caller->sub)) {
        return parley_host_claim_held(a, claim->owner, claim->until_ms);
    }

    if (claim->until_ms < a->h->now_ms + ttl_ms) {
        claim->until_ms = a->h->now_ms + ttl_ms;
    }

    return 0;
}


/* Refuses an event that the owner of its last claim has answered, also after
   the time of the claim.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_claim_answered(parley_host_act_t *a)
{
    int                     rc;
    parley_host_event_t     answer;
    parley_host_delivery_t  part;

    if (a->claim.owner.len == 0
        || parley_str_eq(a->claim.owner, a->caller->sub))
    {
        return 0;
    }

    rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                  a->claim.owner, &part);

    /* an answer after an acknowledgment is an answer, too */

    if (rc >= 0 && part.disposition != PARLEY_CHAT_RESPONDED) {
        rc = part.answer.len > 0
             ? parley_host_event_get(a->h, part.answer, a->on.event.source,
                                     &answer)
             : 0;

        if (rc <= 0) {
            return rc;
        }
    }

    return rc < 0 ? rc : parley_host_claim_held(a, a->claim.owner, -1);
}


/* Refuses an event of a thread that another agent has claimed, unless the event
   is addressed to the caller.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_claim_in_thread(parley_host_act_t *a)
{
    int                   rc;
    parley_host_claim_t   claim;

    if (a->on.row.verdict.directedness == PARLEY_CHAT_TO_ME) {
        return 0;
    }

    rc = parley_host_claim_thread(a, &claim);

    return rc < 0 ? rc
           : rc == 0 || parley_str_eq(claim.owner, a->caller->sub) ? 0
           : parley_host_claim_held(a, claim.owner, claim.until_ms);
}


/* Finds the claim of the thread of the event.  Returns 1; 0: its thread is not
   claimed now, or it is in no thread; PARLEY_WAIT or -1. */

static int
parley_host_claim_thread(parley_host_act_t *a, parley_host_claim_t *ret)
{
    int                        rc;
    parley_host_thread_t      *thread;
    parley_host_thread_name_t  where;

    if (a->on.event.thread.len == 0) {
        return 0;
    }

    thread = parley_arena_alloc(a->h->arena, sizeof(parley_host_thread_t));

    if (thread == NULL) {
        return parley_error_memory(a->h->err);
    }

    where.source = a->on.event.source;
    where.conversation = a->on.event.conversation;
    where.thread = a->on.event.thread;

    rc = parley_host_thread_get(a->h, &where, thread);
    *ret = thread->claim;

    return rc != 1 ? rc : ret->until_ms > a->h->now_ms;
}


int
parley_host_claims(parley_host_act_t *a)
{
    int                  rc;
    parley_host_claim_t  claim;

    rc = parley_host_claim_get(a->h, a->on.id, a->on.event.source, &claim);

    if (rc == 1 && claim.until_ms > a->h->now_ms) {
        return parley_str_eq(claim.owner, a->caller->sub);
    }

    if (rc >= 0) {
        rc = parley_host_claim_thread(a, &claim);
    }

    return rc != 1 ? rc : parley_str_eq(claim.owner, a->caller->sub);
}


/* Refuses the claim of an event while it obliges another reader. */

static int
parley_host_claim_obliged(parley_host_act_t *a)
{
    int                     rc;
    parley_str_t            rest;
    parley_host_row_t       row;
    parley_host_named_t     other;
    parley_host_views_t     views;

    if (parley_host_views_read(a->on.p.views, &views, &rest) != 0) {
        return 0;
    }

    while (parley_host_views_next(&rest, &row)) {

        if (row.verdict.policy != PARLEY_CHAT_MUST
            || parley_str_eq(row.sub, a->caller->sub))
        {
            continue;
        }

        other = a->on;

        rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                      row.sub, &other.part);
        if (rc < 0) {
            return rc;
        }

        if (!parley_host_is_decided(other.part.disposition)
            && other.part.escalated == 0
            && parley_host_due(&other) > a->h->now_ms)
        {
            return parley_host_claim_held(a, row.sub, parley_host_due(&other));
        }
    }

    return 0;
}


int
parley_host_claim_held(parley_host_act_t *a, parley_str_t owner,
    int64_t until_ms)
{
    const parley_principal_t  *p;

    p = parley_directory_by_sub(a->h->http->directory, owner);

    parley_host_audit_claim(a->h, a->on.id, a->caller->sub,
                            PARLEY_HOST_CLAIM_HELD);

    a->c->refused.owner = p != NULL ? p->names[a->h->proto] : owner;
    a->c->refused.until_ms = until_ms;

    return parley_error_set(a->h->err, PARLEY_E_CLAIM_HELD, NULL,
                            "another agent has the claim");
}


int
parley_host_act_id(parley_host_act_t *a, const char *prefix,
    const parley_str_t *parts, size_t n, parley_str_t *ret)
{
    size_t         i;
    uint8_t        key[PARLEY_KEY_LEN], hex[2 * PARLEY_HOST_ID];
    parley_buf_t   b;
    parley_str_t   all[PARLEY_HOST_ID_PARTS + 1];

    all[0] = a->caller->sub;

    for (i = 0; i < n && i < PARLEY_HOST_ID_PARTS; i++) {
        all[i + 1] = parts[i];
    }

    parley_state_key(a->h->ask->state, PARLEY_KIND_EVENT, all, i + 1, key);
    (void) parley_hex_write(hex, key, PARLEY_HOST_ID);

    parley_buf_init(&b, a->h->arena, 0);
    parley_buf_str(&b, parley_str_c(prefix));
    parley_buf_str(&b, parley_str_make(hex, sizeof(hex)));

    return parley_buf_done(&b, ret);
}


int
parley_host_source_find(parley_host_t *h, parley_str_t name,
    parley_host_source_t *ret)
{
    size_t                     i;
    parley_str_t               written;
    const parley_principal_t  *p, *like;
    parley_surface_account_t   source;

    memset(ret, 0, sizeof(parley_host_source_t));

    ret->name = name;
    ret->platform = PARLEY_STR(PARLEY_HOST_PLATFORM);
    ret->workspace = PARLEY_STR(PARLEY_HOST_WORKSPACE);

    p = parley_directory_by_account(h->http->directory, name, &like);

    for (i = 0; p != NULL && i < p->surface.n; i++) {

        if (parley_surface_read(p->surface.list[i], &source) != 0) {
            continue;
        }

        if (parley_surface_name(h->arena, &source, &written) < 0) {
            return -1;
        }

        if (parley_str_eq(written, name)) {
            ret->platform = source.platform;
            ret->workspace = source.workspace;
            ret->surface = p;

            return 0;
        }
    }

    return 0;
}
