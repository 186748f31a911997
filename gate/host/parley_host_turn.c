/* The job of a turn (parley_host_turn.h). */

#include <string.h>

#include "gate/host/parley_host_follow_parts.h"
#include "gate/host/parley_host_turn.h"
#include "gate/host/parley_host_turn_offer.h"
#include "gate/party/parley_account.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"


/* ms until a job looks again if its author types */
#define PARLEY_TURN_LOOK  500


static int parley_turn_begin(parley_turn_job_t *j);
static int parley_turn_run(parley_turn_job_t *j);
static int parley_turn_target(parley_turn_job_t *j);
static int parley_turn_fragments(parley_turn_job_t *j);
static int parley_turn_waits(parley_turn_job_t *j, int64_t *ret);
static void parley_turn_deadline(parley_turn_job_t *j, int64_t *ret_limit);


int
parley_host_turn_run(parley_deadline_t *d)
{
    int                 rc;
    parley_turn_job_t  *j;

    parley_ask_begin(&d->ask, d->ask.now);

    j = parley_arena_calloc(d->arena, sizeof(parley_turn_job_t));

    if (j == NULL) {
        rc = -1;

    } else {
        j->d = d;

        rc = parley_turn_begin(j) == 0
             ? parley_turn_run(j)
             : parley_follow_end(d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    if (rc == -1) {
        rc = parley_follow_end(d, PARLEY_DEADLINE_AGAIN, PARLEY_FOLLOW_LATER);
    }

    if (rc == 0) {
        d->noted = j != NULL ? j->h.noted : NULL;
        d->noted_ends = j != NULL ? j->h.noted_ends : NULL;
        parley_ask_end(&d->ask);
    }

    return rc;
}


/* Reads the job.  Returns 0, or -1: it is of another version, or its fragment
   was erased, and an edit has a job of its own. */

static int
parley_turn_begin(parley_turn_job_t *j)
{
    parley_host_t      *h;
    parley_deadline_t  *d;

    d = j->d;
    d->kind = parley_job_subject_read(d->job->text, &d->sub);

    if (d->job->record.data == NULL || d->deliver->http->host == NULL
        || parley_publication_read(d->job->record, &d->publication) != 0
        || parley_codecs[d->publication.proto]->chat == NULL)
    {
        return -1;
    }

    parley_account_key(d->ask.state, d->publication.sender, parley_str_none,
                       d->account);

    h = &j->h;

    h->ask = &d->ask;
    h->arena = d->arena;
    h->err = &j->err;
    h->http = d->deliver->http;
    h->host = d->deliver->http->host->host;
    h->proto = d->publication.proto;
    h->chat = parley_codecs[h->proto]->chat;
    h->account = d->account;
    h->seed = d->deliver->seed;
    h->now_ms = d->now_ms;

    return 0;
}


/* Composes the turn, and offers it.  Returns 0, PARLEY_WAIT, or -1: to be tried
   again. */

static int
parley_turn_run(parley_turn_job_t *j)
{
    int      rc;
    int64_t  after;

    rc = parley_turn_target(j);

    if (rc == 1) {
        rc = parley_turn_fragments(j);
    }

    if (rc <= 0) {
        return rc == 0 ? parley_follow_end(j->d, PARLEY_DEADLINE_ANSWERED, 0)
                       : rc;
    }

    rc = parley_turn_waits(j, &after);

    if (rc != 0) {
        return rc < 0 ? rc
               : parley_follow_end(j->d, PARLEY_DEADLINE_AGAIN, after);
    }

    return parley_turn_offer(j);
}


/*
 * Finds out whether the job is to compose a turn, and whether that replaces an
 * offered one.  Returns 1; 0: the event is in a turn, or was never in one;
 * PARLEY_WAIT or -1.
 */

static int
parley_turn_target(parley_turn_job_t *j)
{
    int                   rc;
    parley_str_t          id;
    parley_turn_t        *t;
    parley_turn_mark_t    mark;
    parley_log_page_t     page;
    parley_host_event_t   first;
    parley_host_views_t   views;
    parley_publication_t  p;

    t = &j->turn;
    t->h = &j->h;
    t->by = j->d->publication.id;

    if (parley_host_views_read(j->d->publication.views, &views, &p.views) != 0)
    {
        return 0;
    }

    t->where.source = views.source;
    t->where.conversation = views.conversation;
    t->where.thread = views.thread;

    t->author = j->d->sub;

    parley_turn_composes(&j->h, &t->where, t->author, &j->composes);

    rc = parley_turn_compose(&j->h, &j->composes, t->by);

    if (rc == 0) {
        rc = parley_host_event_get(&j->h, t->by, views.source, &j->event);
    }

    if (rc < 0) {
        return rc;
    }

    rc = parley_turn_mark_get(&j->h, t->by, views.source, &mark);

    if (rc < 0 || (rc == 1 && !parley_str_eq(mark.by, t->by))) {
        return rc < 0 ? rc : 0;
    }

    id = t->by;
    first = j->event;

    if (j->event.act == PARLEY_CHAT_EDIT || j->event.act == PARLEY_CHAT_DELETE)
    {
        id = j->event.other;
        rc = parley_turn_mark_get(&j->h, id, views.source, &mark);

        if (rc < 0 || (rc == 0 && j->event.act == PARLEY_CHAT_DELETE)) {
            return rc;
        }

        if (rc == 1) {
            t->before = parley_str_eq(mark.by, t->by) ? mark.before
                                                      : mark.turn;
        }

        rc = parley_host_event_get(&j->h, id, views.source, &first);

        if (rc < 0) {
            return rc;
        }
    }

    j->changed = first.now != PARLEY_CHAT_MESSAGE
                 && !parley_str_eq(first.other, t->by);

    if (first.place.epoch == 0 && first.conversation.len > 0) {
        rc = parley_host_event_read(&j->h, id, &first, &page, &p);

        if (rc < 0) {
            return rc;
        }
    }

    t->epoch = first.place.epoch;
    j->at = first.place.offset;
    t->first = t->before.len > 0 ? mark.first : j->at;

    return 1;
}


/* Reads the fragments, with that of the job, also if the conversation has
   dropped it, but not if a change has begun.  Returns 1; 0: no reader waits;
   PARLEY_WAIT or -1. */

static int
parley_turn_fragments(parley_turn_job_t *j)
{
    int                      rc;
    parley_turn_fragment_t   f;

    memset(&f, 0, sizeof(parley_turn_fragment_t));

    f.p = j->d->publication;
    f.event = j->turn.by;
    f.id = j->event.act == PARLEY_CHAT_EDIT ? j->event.other : f.event;
    f.at = j->at;

    if (parley_host_views_read(f.p.views, &f.views, &f.rows) != 0) {
        return 0;
    }

    /* an edit of a message that was in no turn, and asks for no attention */

    if (j->turn.before.len == 0) {

        if (!parley_turn_is_awaited(&f)) {
            return 0;
        }

        j->turn.since_ms = f.p.ms - j->h.host->max_ms;
    }

    f.begun_ms = f.p.ms;
    f.lasts_ms = f.views.deadline_ms;

    rc = parley_turn_read(&j->turn,
                          j->changed || j->event.act == PARLEY_CHAT_DELETE
                          ? NULL : &f);

    if (rc == 0) {
        rc = parley_turn_rows(&j->turn);
    }

    return rc != 0 ? rc : j->turn.nrows > 0;
}


/* Finds out whether the turn waits for its author.  Returns 1 with ms until the
   job looks again; 0; PARLEY_WAIT or -1. */

static int
parley_turn_waits(parley_turn_job_t *j, int64_t *ret)
{
    int                   rc;
    unsigned              i;
    int64_t               now;
    const parley_turn_t  *t;
    parley_turn_times_t   times;

    t = &j->turn;
    now = j->h.now_ms;

    memset(&times, 0, sizeof(parley_turn_times_t));

    parley_turn_deadline(j, &times.limit_ms);

    /* a turn that was offered does not wait again */

    if (t->before.len > 0) {
        return 0;
    }

    times.quiet_ms = j->h.host->quiet_ms;
    times.max_ms = j->h.host->max_ms;
    times.full = t->full;
    times.first_ms = INT64_MAX;

    for (i = 0; i < t->n; i++) {

        if (t->list[i].begun_ms < times.first_ms) {
            times.first_ms = t->list[i].begun_ms;
        }

        if (t->list[i].p.ms > times.newest_ms) {
            times.newest_ms = t->list[i].p.ms;
        }
    }

    rc = parley_host_typing_until(&j->h, t->where.source,
                                  t->where.conversation, t->author,
                                  &times.typing_ms);
    if (rc < 0) {
        return rc;
    }

    *ret = parley_turn_due(&times) - now;

    /* also if the wall clock was set back */

    if (*ret <= 0
        || PARLEY_TURN_LIVES - j->d->job->left >= j->h.host->max_ms)
    {
        return 0;
    }

    if (times.typing_ms > now && *ret > PARLEY_TURN_LOOK) {
        *ret = PARLEY_TURN_LOOK;
    }

    return 1;
}


/* Finds the earliest deadline of the fragments for which a reader waits, and
   the time at which a quarter of one is over. */

static void
parley_turn_deadline(parley_turn_job_t *j, int64_t *ret_limit)
{
    int                            waits;
    unsigned                       i;
    int64_t                        due, limit;
    const parley_turn_fragment_t  *f;

    j->due_ms = INT64_MAX;
    j->reason = PARLEY_CHAT_REASON_NONE;
    *ret_limit = INT64_MAX;
    waits = 0;

    for (i = 0; i < j->turn.n; i++) {
        f = &j->turn.list[i];

        if (!parley_turn_is_awaited(f)) {
            continue;
        }

        if (!waits) {
            j->reason = f->views.reason;
            waits = 1;
        }

        due = f->p.ms + f->views.deadline_ms;
        limit = f->begun_ms + f->lasts_ms / 4;

        if (due < j->due_ms) {
            j->due_ms = due;
            j->lasts_ms = f->lasts_ms;
        }

        if (limit < *ret_limit) {
            *ret_limit = limit;
        }
    }
}
