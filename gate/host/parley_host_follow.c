/* The steps of an obligation (parley_host_follow.h). */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/party/parley_account.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"


static int parley_follow_read(parley_follow_t *f);
static parley_str_t parley_follow_word(parley_str_t *rest);
static int parley_follow_open(parley_follow_t *f);
static int parley_follow_is_deleted(parley_follow_t *f);
static int parley_follow_is_over(const parley_follow_t *f);
static int parley_follow_has_failed(const parley_host_delivery_t *delivery);
static int parley_follow_wait(parley_follow_t *f, unsigned slot);
static int parley_follow_offer(parley_follow_t *f, unsigned slot);
static int parley_follow_offered(parley_follow_t *f, int listens);
static int parley_follow_remind(parley_follow_t *f);
static int parley_follow_now(parley_follow_t *f);
static int parley_follow_answered(parley_follow_t *f);


int
parley_host_follow_run(parley_deadline_t *d)
{
    int               rc;
    parley_follow_t  *f;

    parley_ask_begin(&d->ask, d->ask.now);

    f = parley_arena_calloc(d->arena, sizeof(parley_follow_t));

    if (f == NULL) {
        rc = parley_follow_end(d, PARLEY_DEADLINE_AGAIN, PARLEY_FOLLOW_LATER);

    } else {
        f->d = d;
        f->p = &d->publication;

        rc = parley_follow_read(f) != 0
             ? parley_follow_end(d, d->job->gone ? PARLEY_DEADLINE_ANSWERED
                                                 : PARLEY_DEADLINE_LOST, 0)
             : f->act == PARLEY_FOLLOW_OPEN || f->act == PARLEY_FOLLOW_AGAIN
             ? parley_follow_open(f)
             : f->act == PARLEY_FOLLOW_ESCALATE ? parley_follow_now(f)
             : f->act == PARLEY_FOLLOW_CLAIM ? parley_follow_claim(f)
             : f->act >= PARLEY_FOLLOW_SEND_FAILED ? parley_follow_send(f)
             : parley_follow_answered(f);

        if (rc == -1) {
            rc = parley_follow_end(d, PARLEY_DEADLINE_AGAIN,
                                   PARLEY_FOLLOW_LATER);
        }
    }

    if (rc == 0) {
        d->noted = f != NULL ? f->h.noted : NULL;
        d->noted_ends = f != NULL ? f->h.noted_ends : NULL;
        parley_ask_end(&d->ask);
    }

    return rc;
}


/* Reads the job.  Returns 0, or -1 if it is of another version, or its record
   was erased. */

static int
parley_follow_read(parley_follow_t *f)
{
    parley_str_t        text;
    parley_host_t      *h;
    parley_deadline_t  *d;

    d = f->d;
    d->kind = parley_job_subject_read(d->job->text, &text);

    if (text.len < PARLEY_FOLLOW_HEAD || d->job->record.data == NULL
        || d->deliver->http->host == NULL
        || parley_publication_read(d->job->record, &d->publication) != 0
        || parley_codecs[f->p->proto]->chat == NULL)
    {
        return -1;
    }

    f->act = (parley_follow_act_t) text.data[0];
    memcpy(&f->deadline_ms, text.data + 1, sizeof(f->deadline_ms));
    text = parley_str_from(text, PARLEY_FOLLOW_HEAD);

    d->sub = parley_follow_word(&text);
    f->name = parley_follow_word(&text);
    f->lead = parley_follow_word(&text);
    f->human = parley_follow_word(&text);

    if (!parley_host_views_find(f->p->views, d->sub, &f->views, &f->row)) {
        return -1;
    }

    parley_account_key(d->ask.state, f->p->sender, parley_str_none,
                       d->account);

    h = &f->h;

    h->ask = &d->ask;
    h->arena = d->arena;
    h->err = &f->err;
    h->engine = d->deliver->engine;
    h->http = d->deliver->http;
    h->host = d->deliver->http->host->host;
    h->proto = f->p->proto;
    h->chat = parley_codecs[f->p->proto]->chat;
    h->account = d->account;
    h->seed = d->deliver->seed;
    h->now_ms = d->now_ms;

    f->reader = parley_directory_by_sub(h->http->directory, d->sub);
    f->id = parley_host_event_named(f->p->id);
    d->id = f->id;

    return 0;
}


/* Returns the text before the next zero octet. */

static parley_str_t
parley_follow_word(parley_str_t *rest)
{
    parley_str_t  word;

    word = parley_str_until(*rest, '\0');
    *rest = parley_str_from(*rest, word.len < rest->len ? word.len + 1
                                                        : word.len);
    return word;
}


/* Does the next step of an obligation.  Returns 0, PARLEY_WAIT, or -1: to be
   tried again. */

static int
parley_follow_open(parley_follow_t *f)
{
    int       rc;
    int64_t   begun, now;
    unsigned  slot;

    rc = parley_host_delivery_get(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);
    if (rc < 0) {
        return rc;
    }

    now = f->d->now_ms;
    begun = f->p->ms + f->views.deadline_ms - f->deadline_ms;

    f->due_ms = f->delivery.due_ms != 0 ? f->delivery.due_ms
                                        : begun + f->deadline_ms;

    if (parley_follow_is_over(f)) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    /* another job of the event may have escalated it */

    if (now >= f->due_ms || f->reader == NULL || f->delivery.escalated > 0
        || parley_follow_has_failed(&f->delivery))
    {
        return parley_follow_escalate(f);
    }

    /* a turn was accepted before it was offered */

    f->begun_ms = f->views.turn ? f->p->ms : begun;

    for (slot = 0;
         slot < PARLEY_FOLLOW_OFFERS
         && now - f->begun_ms >= parley_follow_offers[slot];
         slot++)
    { /* void */ }

    rc = parley_follow_is_deleted(f);

    if (rc != 0) {
        return rc < 0 ? rc : parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED,
                                               0);
    }

    if (!f->delivery.accepted && slot > f->d->job->mark) {
        rc = parley_follow_offer(f, slot);

        if (rc != 0) {
            return rc;
        }
    }

    /* the job that keeps a reminder does not remind again, nor does one after
       a failed send */

    f->half_ms = f->p->id.len == f->id.len && !f->delivery.reminded
                 ? begun + f->deadline_ms / 2 : INT64_MAX;

    if (f->delivery.accepted && now >= f->half_ms
        && f->delivery.disposition == PARLEY_CHAT_UNDISPOSED)
    {
        return parley_follow_remind(f);
    }

    return parley_follow_wait(f, slot);
}


/*
 * Returns whether the message was deleted, and then ends the event for the
 * reader: a deletion does not find the readers of an event that the logs have
 * dropped.  A turn stays until the rest of it is offered again.  Returns 1, 0,
 * PARLEY_WAIT or -1.
 */

static int
parley_follow_is_deleted(parley_follow_t *f)
{
    int                  rc;
    parley_host_event_t  event;

    if (f->views.turn) {
        return 0;
    }

    rc = parley_host_event_get(&f->h, parley_host_event_base(f->id),
                               f->views.source, &event);

    if (rc != 1 || event.now != PARLEY_CHAT_DELETE) {
        return rc < 0 ? rc : 0;
    }

    f->delivery.disposition = PARLEY_CHAT_SUPERSEDED;

    rc = parley_host_delivery_put(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    return rc == 0 ? 1 : rc == 1 ? -1 : rc;
}


/* An event that the reader refused goes up. */

static int
parley_follow_is_over(const parley_follow_t *f)
{
    return !parley_host_is_open(&f->delivery)
           && !parley_follow_has_failed(&f->delivery);
}


static int
parley_follow_has_failed(const parley_host_delivery_t *delivery)
{
    return delivery->disposition == PARLEY_CHAT_FAILED
           || delivery->disposition == PARLEY_CHAT_IGNORED;
}


/*
 * Waits for the next step.  Before a step that is far away, the job looks
 * whether the reader is still in the directory.  It renews the reader's part,
 * which the state would drop, and which may be older than this job.
 */

static int
parley_follow_wait(parley_follow_t *f, unsigned slot)
{
    int      rc;
    int64_t  now, next, looks;

    now = f->d->now_ms;
    next = f->due_ms;

    if (now < f->half_ms && f->half_ms < next) {
        next = f->half_ms;
    }

    if (!f->delivery.accepted && slot < PARLEY_FOLLOW_OFFERS
        && f->begun_ms + parley_follow_offers[slot] < next)
    {
        next = f->begun_ms + parley_follow_offers[slot];
    }

    looks = f->h.http->retain_ms < PARLEY_FOLLOW_LOOKS ? f->h.http->retain_ms
                                                       : PARLEY_FOLLOW_LOOKS;
    if (next - now > looks) {
        next = now + looks;
    }

    if (f->delivery.generation != 0) {
        rc = parley_host_delivery_put(&f->h, f->id, f->views.source,
                                      f->d->sub, &f->delivery);
        if (rc == PARLEY_WAIT) {
            return rc;
        }
    }

    f->d->end.mark = slot;

    return parley_follow_end(f->d, PARLEY_DEADLINE_AGAIN, next - now);
}


/* Offers the event again to an open stream, else to the URL, else not.  Returns
   0, PARLEY_WAIT or -1. */

static int
parley_follow_offer(parley_follow_t *f, unsigned slot)
{
    int  rc, listens;

    if (f->delivery.attempts >= PARLEY_FOLLOW_OFFERS) {
        return 0;
    }

    listens = parley_host_follow_listens(&f->h, f->reader);

    if (listens < 0 || (listens == 0
                        && !parley_host_follow_has_url(&f->h, f->p,
                                                       f->reader)))
    {
        return listens;
    }

    f->delivery.attempts++;

    rc = parley_host_delivery_put(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    /* another process has changed it: the reader may have accepted */

    if (rc != 0) {
        return rc == 1 ? -1 : rc;
    }

    f->d->end.mark = slot;

    return parley_follow_offered(f, listens);
}


/* Appends the offer: only for the stream that is open now, or to no log, for
   the job of the URL. */

static int
parley_follow_offered(parley_follow_t *f, int listens)
{
    int                    rc;
    parley_job_t           job;
    parley_append_t        append;
    parley_host_row_t      row;
    parley_appended_t      appended;
    parley_publication_t   p;

    p = *f->p;
    row = f->row;
    row.attempt = f->delivery.attempts + 1;

    if (parley_follow_append(f, &p, &f->views, &row,
                             listens ? f->reader : NULL, &append)
        != 0)
    {
        return -1;
    }

    if (listens) {
        append.ttl = 0;

    } else {
        if (parley_host_follow_url_job(&f->h, &p, f->reader, &job) != 0) {
            return -1;
        }

        append.jobs = &job;
        append.njobs = 1;
    }

    rc = parley_ask_append(f->h.ask, &append, &appended);

    f->d->wakes = 1;

    parley_host_audit_again(&f->h, f->id, f->d->sub,
                            listens ? PARLEY_HOST_BY_STREAM
                                    : PARLEY_HOST_BY_URL);

    return rc == PARLEY_WAIT ? rc : 0;
}


/* Ends the job with the reminder.  The job of the reminder then follows the
   event. */

static int
parley_follow_remind(parley_follow_t *f)
{
    int                    rc;
    parley_append_t       *append;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    append = parley_arena_alloc(f->h.arena, sizeof(parley_append_t));
    p = *f->p;
    row = f->row;
    views = f->views;

    row.attempt = 1;
    row.verdict.directedness = PARLEY_CHAT_TO_ME;
    row.verdict.mode = PARLEY_CHAT_NOTIFY;
    views.reason = PARLEY_CHAT_REASON_REMINDER;
    views.deadline_ms = f->due_ms - f->d->now_ms;
    p.ms = f->d->now_ms;

    if (append == NULL
        || parley_follow_id(f, f->id, PARLEY_HOST_REMINDER, &p.id) != 0
        || parley_follow_append(f, &p, &views, &row, f->reader, append) != 0)
    {
        return -1;
    }

    rc = parley_host_follow_jobs(&f->h, &p, f->deadline_ms, append);

    if (rc != 0) {
        return rc;
    }

    f->d->end.tells = append;

    parley_host_audit_step(&f->h, PARLEY_HOST_STEP_REMINDED, f->id, f->d->sub);

    return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
}


/* The reader failed, declined or lost the permission to read: the event goes up
   at once, unless the reader has answered it. */

static int
parley_follow_now(parley_follow_t *f)
{
    int  rc;

    rc = parley_host_delivery_get(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    return rc < 0 ? rc
           : parley_follow_is_over(f)
           ? parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0)
           : parley_follow_escalate(f);
}


/* Notes the answer of the reader's URL. */

static int
parley_follow_answered(parley_follow_t *f)
{
    int  rc;

    if (f->reader == NULL) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    rc = parley_host_outcome(&f->h, f->reader, f->p,
                             f->act == PARLEY_FOLLOW_ACCEPTED
                             ? PARLEY_CHAT_ACCEPTED
                             : f->act == PARLEY_FOLLOW_REFUSED
                             ? PARLEY_CHAT_REFUSED : PARLEY_CHAT_UNSUPPORTED);

    return rc < 0 ? rc
           : parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
}
