/*
 * Sends that failed: the surface refused an agent's message for good, or its
 * URL did not answer (C2A-35).  A job does the work, so that a process that
 * dies loses nothing of it:
 *
 *   DELIVERY of the surface   failed: a repeated key is send-failed
 *   DELIVERY of the sender    the slot of the answered event is free again
 *   FOLLOW                    of the event, if it obliges the sender
 *   append                    the sender is told, with the end of the job
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_FAILED_MAX  2    /* refused answers to one event: the event has
                                   failed */


static int parley_follow_failed_unconfirmed(parley_follow_t *f);
static int parley_follow_failed_note(parley_follow_t *f);
static int parley_follow_failed_slot(parley_follow_t *f, parley_str_t id);
static int parley_follow_failed_free(parley_follow_t *f, parley_str_t id,
    int64_t deadline_ms, int found, parley_host_delivery_t *part);
static int parley_follow_failed_again(parley_follow_t *f,
    const parley_publication_t *p, const parley_host_delivery_t *part);
static int parley_follow_failed_tell(parley_follow_t *f);


int
parley_follow_send(parley_follow_t *f)
{
    int                   rc;
    parley_chat_event_t   e;

    if (f->act == PARLEY_FOLLOW_UNCONFIRMED) {
        rc = parley_host_delivery_get(&f->h, f->id, f->views.source, f->d->sub,
                                      &f->delivery);

        return rc < 0 ? rc
               : f->delivery.accepted || !parley_host_is_open(&f->delivery)
               ? parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0)
               : parley_follow_failed_unconfirmed(f);
    }

    rc = parley_follow_failed_note(f);

    if (rc != 0) {
        return rc == 1 ? parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0)
                       : rc;
    }

    if (parley_follow_event(f, &e) != 0) {
        return -1;
    }

    rc = e.in_reply_to.len > 0 ? parley_follow_failed_slot(f, e.in_reply_to)
                               : 0;

    return rc == 0 ? parley_follow_failed_tell(f) : rc;
}


static int
parley_follow_failed_unconfirmed(parley_follow_t *f)
{
    parley_host_audit_step(&f->h, PARLEY_HOST_STEP_UNCONFIRMED, f->id,
                           f->d->sub);

    return parley_follow_failed_tell(f);
}


/* Records that the surface refused the message.  Returns 0; 1: the surface
   accepted it before, or this was done; PARLEY_WAIT or -1. */

static int
parley_follow_failed_note(parley_follow_t *f)
{
    int  rc;

    rc = parley_host_delivery_get(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);
    if (rc < 0) {
        return rc;
    }

    /* an earlier try of this job may have put it, and have ended */

    if (f->delivery.accepted
        || (f->delivery.escalated > 0 && f->d->job->attempt == 1))
    {
        return 1;
    }

    f->delivery.disposition = PARLEY_CHAT_FAILED;
    f->delivery.escalated = 1;

    rc = parley_host_delivery_put(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    return rc == 1 ? -1 : rc;
}


/* Frees the slot of the answered event, and follows the event again.  Returns
   0, PARLEY_WAIT, or -1: to be tried again. */

static int
parley_follow_failed_slot(parley_follow_t *f, parley_str_t id)
{
    int                        rc, follows, found;
    int64_t                    deadline_ms;
    parley_host_row_t          row;
    parley_log_page_t          page;
    parley_host_event_t        event;
    parley_host_views_t        views;
    parley_publication_t       p;
    parley_host_delivery_t     part;
    const parley_principal_t  *sender;

    sender = parley_directory_by_sub(f->h.http->directory, f->p->sender);

    rc = sender == NULL ? 0
         : parley_turn_find(&f->h, &id, f->views.source, sender, &p, &views,
                            &row);
    if (rc < 0) {
        return rc;
    }

    if (rc == 0 || rc == 2) {
        rc = parley_host_event_get(&f->h, id, f->views.source, &event);

        if (rc == 1) {
            rc = parley_host_event_read(&f->h, id, &event, &page, &p);
        }
    }

    if (rc < 0) {
        return rc;
    }

    /* without its record the event can neither be answered nor followed.  A
       record of this id without a row of the agent is another message: the
       last fragment of an erased turn */

    found = rc == 1 && parley_host_views_find(p.views, f->p->sender, &views,
                                              &row);
    follows = found && row.verdict.policy == PARLEY_CHAT_MUST;

    deadline_ms = follows ? views.deadline_ms : 0;
    rc = parley_follow_failed_free(f, id, deadline_ms, found, &part);

    return rc == 0 && follows && part.failures > 0 && part.escalated == 0
           ? parley_follow_failed_again(f, &p, &part) : rc;
}


/* Frees the slot, and opens the event again, or ends it if it is not found or
   this was the last failure.  part->failures is 0 if the event stays as it
   is.  Returns 0, PARLEY_WAIT, or -1: to be tried again. */

static int
parley_follow_failed_free(parley_follow_t *f, parley_str_t id,
    int64_t deadline_ms, int found, parley_host_delivery_t *part)
{
    int  rc;

    rc = parley_host_delivery_get(&f->h, id, f->views.source, f->p->sender,
                                  part);

    if (rc < 0 || !parley_str_eq(part->answer, f->id)) {
        return rc < 0 ? rc : 0;
    }

    part->answer = parley_str_none;

    /* the answer did not decide the event: it was edited, or given up */

    if (parley_host_is_decided(part->disposition)
        && part->disposition != PARLEY_CHAT_RESPONDED)
    {
        rc = parley_host_delivery_put(&f->h, id, f->views.source, f->p->sender,
                                      part);
        part->failures = 0;

        return rc == 1 ? -1 : rc;
    }

    part->failures++;
    part->reminded = 1;
    part->due_ms = f->d->now_ms + deadline_ms;

    part->disposition = found && part->failures < PARLEY_FAILED_MAX
                        ? PARLEY_CHAT_UNDISPOSED : PARLEY_CHAT_FAILED;

    rc = parley_host_delivery_put(&f->h, id, f->views.source, f->p->sender,
                                  part);

    if (rc == 0 && part->disposition == PARLEY_CHAT_FAILED) {
        parley_host_audit_disposed(&f->h, id, f->p->sender,
                                   PARLEY_CHAT_FAILED);
    }

    return rc == 1 ? -1 : rc;
}


/* Adds the job of the obligation again: it ends one deadline later, or at once
   after the last failure. */

static int
parley_follow_failed_again(parley_follow_t *f, const parley_publication_t *p,
    const parley_host_delivery_t *part)
{
    parley_host_views_t    views;
    parley_host_row_t      row;
    parley_publication_t   again;

    if (part->disposition == PARLEY_CHAT_FAILED) {
        return parley_host_escalate(&f->h, p, f->p->sender);
    }

    again = *p;
    again.ms = f->d->now_ms;

    return parley_host_views_find(p->views, f->p->sender, &views, &row)
           ? parley_host_follow_again(&f->h, &again, views.source,
                                      f->p->sender, views.deadline_ms)
           : 0;
}


/* Ends the job with a knock for the sender. */

static int
parley_follow_failed_tell(parley_follow_t *f)
{
    int                        rc, failed;
    parley_append_t           *append;
    parley_host_row_t          row;
    parley_host_views_t        views;
    parley_publication_t       p;
    const parley_principal_t  *to;

    to = parley_directory_by_sub(f->h.http->directory, f->p->sender);

    if (to == NULL || !parley_attention_has_mailbox(to)) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    failed = f->act == PARLEY_FOLLOW_SEND_FAILED;
    append = parley_arena_alloc(f->h.arena, sizeof(parley_append_t));

    memset(&row, 0, sizeof(parley_host_row_t));

    row.sub = to->sub;
    row.attempt = 1;
    row.verdict.row = PARLEY_ATTENTION_AMBIENT;
    row.verdict.directedness = PARLEY_CHAT_TO_ME;
    row.verdict.policy = PARLEY_CHAT_MAY;
    row.verdict.mode = PARLEY_CHAT_NOTIFY;

    views = f->views;
    views.key = parley_str_none;
    views.reason = failed ? PARLEY_CHAT_REASON_SEND_FAILED
                          : PARLEY_CHAT_REASON_SEND_UNCONFIRMED;

    p = *f->p;
    p.ms = f->d->now_ms;

    if (f->reader != NULL) {
        p.from = f->reader->names[f->h.proto];
    }

    if (append == NULL
        || parley_follow_id(f, f->id, failed ? PARLEY_HOST_FAILED
                                             : PARLEY_HOST_UNCONFIRMED, &p.id)
           != 0
        || parley_follow_append(f, &p, &views, &row, to, append) != 0)
    {
        return -1;
    }

    rc = parley_host_follow_jobs(&f->h, &p, f->deadline_ms, append);

    if (rc != 0) {
        return rc;
    }

    f->d->end.tells = append;

    return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
}
