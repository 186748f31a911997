/*
 * Publishes an event: it is stored once, and each reader that is concerned gets
 * it in its mailbox.  A step that must happen at most once is recorded before
 * it is done:
 *
 *   EVENT open     the id is taken, in this step of one process only
 *   append         conversation, mailboxes and the admission, all or nothing
 *   EVENT placed   a repeated event gets the answer from the record there
 *   THREAD         facts for the next events
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_post.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"


static int parley_host_turn_add(parley_host_post_t *a,
    parley_append_t *append);
static int parley_host_append(parley_host_post_t *a);
static void parley_host_publication(const parley_host_post_t *a,
    parley_publication_t *ret);
static int parley_host_appended(parley_host_post_t *a,
    parley_append_verdict_t verdict);


int
parley_host_publish(parley_host_post_t *a)
{
    int  rc;

    a->where.source = a->source;
    a->where.conversation = a->e->conversation;
    a->where.thread = a->e->thread;

    rc = parley_host_event_shared(a->h, a->e->id, a->source);

    if (rc >= 0) {
        a->qualified = rc == 1;
        rc = parley_host_decide(a);
    }

    /* a refused event gives back the id that it had */

    if (rc == -1 && a->left
        && parley_host_event_drop(a->h, a->e->id, a->source) == PARLEY_WAIT)
    {
        return PARLEY_WAIT;
    }

    if (rc == 0) {
        rc = parley_host_append(a);
    }

    if (rc != 0) {
        return rc;
    }

    rc = parley_host_note(a);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    /* a call that waits for the event then finds its conversation, too */

    if (a->g != NULL && a->g->env->wake != NULL) {
        a->g->env->wake(a->g);
    }

    parley_host_audit_post(a);

    return rc;
}


/* Adds the job of the turn.  A change has one, too: its message may be in a
   turn. */

static int
parley_host_turn_add(parley_host_post_t *a, parley_append_t *append)
{
    int64_t        after;
    parley_job_t  *jobs;

    if (!a->waits && (a->change == NULL || (!a->change->waits
                                            && a->change->turn == NULL)))
    {
        return 0;
    }

    jobs = parley_arena_alloc(a->h->arena, (append->njobs + 1)
                                           * sizeof(parley_job_t));
    if (jobs == NULL) {
        return -1;
    }

    if (append->njobs > 0) {
        memcpy(jobs, append->jobs, append->njobs * sizeof(parley_job_t));
    }

    /* the job of a change waits for itself */

    after = a->change != NULL ? 0
            : a->lasts_ms / 4 < a->h->host->quiet_ms ? a->lasts_ms / 4
            : a->h->host->quiet_ms;

    if (parley_turn_job(a->h, &a->where, a->sub, after, &jobs[append->njobs])
        != 0)
    {
        return -1;
    }

    append->jobs = jobs;
    append->njobs++;

    return 0;
}


/* Takes the id, and appends the event to its logs. */

static int
parley_host_append(parley_host_post_t *a)
{
    int                    rc;
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_publication_t   p;

    /* OPS-06: the audit line is written before the event changes anything */

    if (a->g != NULL
        && parley_gate_verdict_record_as(a->g, PARLEY_VERDICT_ANSWERED)
           == PARLEY_RESULT_REFUSED)
    {
        return -1;
    }

    memset(&publish, 0, sizeof(parley_publish_t));

    parley_host_publication(a, &p);

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) a->logs;
    publish.nlogs = a->nlogs;
    publish.account = a->h->account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(a->h->http, &publish.retention);

    if (parley_publication_append(a->h->arena, &publish, &append) != 0) {
        return parley_error_memory(a->h->err);
    }

    rc = parley_host_follow_jobs(a->h, &p, a->lasts_ms, &append);

    if (rc != 0) {
        return rc;
    }

    if (parley_host_turn_add(a, &append) != 0) {
        return parley_error_memory(a->h->err);
    }

    memset(&a->known, 0, sizeof(parley_host_event_t));

    a->known.source = a->source;
    a->known.author = a->sub;
    a->known.conversation = a->e->conversation;
    a->known.kind = a->e->kind;
    a->known.thread = a->e->thread;
    a->known.act = a->e->act;
    a->known.opened_ms = a->h->now_ms;

    if (a->e->act != PARLEY_CHAT_MESSAGE && a->e->act != PARLEY_CHAT_REACTION)
    {
        a->known.other = a->e->of;
    }

    memcpy(a->known.print, a->print, PARLEY_PRINT_LEN);

    rc = parley_host_event_put(a->h, a->e->id, &a->known, !a->left);

    if (rc != 0) {
        return rc != 1 ? rc
               : parley_error_set(a->h->err, PARLEY_E_MESSAGE_IN_FLIGHT,
                                  a->member, "an event with this id is being "
                                  "accepted");
    }

    if (a->g != NULL) {
        parley_reservation_append(&a->g->admit.entrance, &append);
    }

    if (a->change != NULL) {
        parley_host_change_closes(a->change, &append);
    }

    rc = parley_ask_append(a->h->ask, &append, &appended);

    if (rc != 0) {
        return parley_host_answered(a->h, rc);
    }

    if (appended.verdict != PARLEY_APPEND_OK) {
        return parley_host_appended(a, appended.verdict);
    }

    a->known.place = appended.places[0].place;

    if (a->g != NULL && append.takes == &a->g->admit.entrance.admission) {
        parley_reservation_appended(&a->g->admit.entrance, &append);
    }

    return 0;
}


static void
parley_host_publication(const parley_host_post_t *a, parley_publication_t *ret)
{
    memset(ret, 0, sizeof(parley_publication_t));

    ret->kind = PARLEY_PUBLICATION_MESSAGE;
    ret->proto = a->h->proto;
    ret->sender = a->sender;
    ret->from = a->name;
    ret->id = a->e->id;
    ret->ms = a->h->now_ms;
    ret->priority = a->e->priority;
    ret->timeout_ms = -1;
    ret->views = a->views;
    ret->message = a->message;
}


/* Gives the id back after an append that was not done.  It stays taken if the
   admission has ended: another process may have accepted the event since. */

static int
parley_host_appended(parley_host_post_t *a, parley_append_verdict_t verdict)
{
    int  rc;

    rc = verdict == PARLEY_APPEND_STALE
         ? 0 : parley_host_event_drop(a->h, a->e->id, a->source);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (verdict == PARLEY_APPEND_LATE && a->change != NULL) {
        return parley_host_change_meets(a->change);
    }

    a->h->full = 1;

    return parley_error_set(a->h->err, PARLEY_E_CAPACITY, NULL, "%s",
                            verdict == PARLEY_APPEND_SHARE
                            ? "this author uses its whole share of the zone"
                            : verdict == PARLEY_APPEND_AWAY
                            ? "the store of the gateways is away"
                            : verdict == PARLEY_APPEND_STALE
                            ? "the state did not answer in time"
                            : "the zone is full");
}


void
parley_host_post_event(const parley_chat_post_t *post, parley_chat_event_t *e)
{
    e->act = post->act;
    e->id = post->id;
    e->of = post->act == PARLEY_CHAT_PROGRESS ? post->progress.of : post->of;
    e->in_reply_to = post->in_reply_to;
    e->platform = post->platform;
    e->workspace = post->workspace;
    e->conversation = post->conversation;
    e->kind = post->kind;
    e->thread = post->thread;
    e->stream = post->stream;
    e->author = post->author;
    e->mentions = post->mentions;
    e->nmentions = post->nmentions;
    e->signal = post->signal;
    e->reason = post->act == PARLEY_CHAT_PROGRESS ? PARLEY_CHAT_REASON_PROGRESS
                                                  : PARLEY_CHAT_REASON_NONE;
    e->priority = PARLEY_PRIORITY_NORMAL;
    e->deadline_ms = -1;
    e->created_ms = post->created_ms;
    e->directedness = post->directedness;
    e->policy = PARLEY_CHAT_MUST;
    e->mode = PARLEY_CHAT_IMMEDIATE;

    if (post->recipient.len > 0) {
        e->recipient.kind = PARLEY_CHAT_TARGET_NAME;
        e->recipient.text = post->recipient;
    }
}
