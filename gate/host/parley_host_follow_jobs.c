/*
 * Jobs of a host of chat about an event and a reader: that of an obligation
 * (parley_host_follow.h), and those of the URLs of readers without a stream.
 */

#include <string.h>

#include "gate/delivery/parley_delivery_route.h"
#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/party/parley_account.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_attempt.h"
#include "hub/parley_publish.h"


static size_t parley_host_follow_rows(parley_str_t rest);
static int parley_host_is_above(const parley_principal_t *to,
    const parley_principal_t *reader, parley_str_t author);
static int parley_host_follow_url(parley_host_t *h,
    const parley_publication_t *p, const parley_principal_t *to,
    parley_job_t *ret);
static int parley_host_follow_subs(const parley_host_t *h, parley_str_t sub,
    const parley_principal_t *reader, parley_str_t *ret);
static int parley_host_follow_act(parley_host_t *h,
    const parley_publication_t *p, parley_follow_act_t act, parley_str_t sub);


/* ms for which a claim is followed, also if its owner prolongs it */
#define PARLEY_FOLLOW_CLAIM_LIVES  ((int64_t) 24 * 3600 * 1000)


const int64_t  parley_follow_offers[PARLEY_FOLLOW_OFFERS] = {
    10000, 40000, 130000
};


int
parley_host_follow_jobs(parley_host_t *h, const parley_publication_t *p,
    int64_t deadline_ms, parley_append_t *append)
{
    int                        rc;
    size_t                     n, max;
    parley_job_t              *jobs;
    parley_str_t               rest;
    parley_host_row_t          row;
    parley_host_views_t        views;
    const parley_principal_t  *to;

    if (parley_host_views_read(p->views, &views, &rest) != 0) {
        return 0;
    }

    n = 0;
    max = 2 * parley_host_follow_rows(rest) + append->njobs;
    jobs = parley_arena_calloc(h->arena, (max + 1) * sizeof(parley_job_t));

    if (jobs == NULL) {
        return parley_error_memory(h->err);
    }

    while (n < append->njobs) {
        jobs[n] = append->jobs[n];
        n++;
    }

    while (parley_host_views_next(&rest, &row)) {

        if (row.waits) {
            continue;
        }

        to = parley_directory_by_sub(h->http->directory, row.sub);

        rc = to != NULL && row.verdict.mode > PARLEY_CHAT_MAILBOX
             ? parley_host_follow_url(h, p, to, &jobs[n]) : 0;

        if (rc < 0) {
            return rc;
        }

        n += (size_t) rc;

        if (row.verdict.policy == PARLEY_CHAT_MUST
            && (to == NULL || !parley_attention_is_human(to)))
        {
            if (parley_host_follow_job(h, p, &views, PARLEY_FOLLOW_OPEN,
                                       row.sub, to, deadline_ms, &jobs[n])
                != 0)
            {
                return parley_error_memory(h->err);
            }

            n++;
        }
    }

    append->jobs = jobs;
    append->njobs = n;

    return 0;
}


/* Counts rows of readers that get the event now. */

static size_t
parley_host_follow_rows(parley_str_t rest)
{
    size_t             n;
    parley_host_row_t  row;

    n = 0;

    while (parley_host_views_next(&rest, &row)) {
        n += !row.waits;
    }

    return n;
}


/* Fills the job of the URL of a reader without a stream.  Returns 1; 0: no such
   job; PARLEY_WAIT or -1. */

static int
parley_host_follow_url(parley_host_t *h, const parley_publication_t *p,
    const parley_principal_t *to, parley_job_t *ret)
{
    int  rc;

    if (!parley_host_follow_has_url(h, p, to)) {
        return 0;
    }

    rc = parley_host_follow_listens(h, to);

    if (rc != 0) {
        return rc == 1 ? 0 : rc;
    }

    return parley_host_follow_url_job(h, p, to, ret) == 0
           ? 1 : parley_error_memory(h->err);
}


int
parley_host_follow_has_url(const parley_host_t *h,
    const parley_publication_t *p, const parley_principal_t *to)
{
    return h->http->deliver_uri.len > 0 && to->deliver.len > 0
           && !parley_principal_is_dialled(to)
           && parley_delivery_protocol(to, p->proto) == p->proto;
}


int
parley_host_follow_listens(parley_host_t *h, const parley_principal_t *to)
{
    int                rc;
    uint8_t            log[1][PARLEY_KEY_LEN];
    parley_append_t    asked;
    parley_appended_t  would;

    rc = parley_host_mailbox_log(h, to, log[0]);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    memset(&asked, 0, sizeof(parley_append_t));

    asked.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
    asked.nlogs = 1;
    asked.session = PARLEY_STR(PARLEY_HOST_SESSION);
    asked.asks = 1;
    asked.arena = h->arena;

    rc = parley_ask_append(h->ask, &asked, &would);

    return rc == 0 ? would.ngroups != 0 : parley_host_answered(h, rc);
}


int
parley_host_follow_url_job(parley_host_t *h, const parley_publication_t *p,
    const parley_principal_t *to, parley_job_t *ret)
{
    memset(ret, 0, sizeof(parley_job_t));

    parley_delivery_lane(h->ask->state, p->sender, to->sub, ret->lane);

    ret->lasts = PARLEY_ATTEMPT_LIVES;
    ret->class = PARLEY_JOB_ORDINARY;

    return parley_job_subject_write(h->arena, PARLEY_SUBJECT_DELIVER, to->sub,
                                    &ret->text);
}


int
parley_host_follow_job(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views, parley_follow_act_t act,
    parley_str_t sub, const parley_principal_t *reader, int64_t deadline_ms,
    parley_job_t *ret)
{
    int64_t       first;
    parley_str_t  subs;

    /* the state keeps the reader's part for two times the retention */

    first = deadline_ms / 2 < h->http->retain_ms ? deadline_ms / 2
                                                 : h->http->retain_ms;

    /* an edit has the deadline of its message */

    if (views->deadline_ms < first) {
        first = views->deadline_ms;
    }

    if (parley_host_follow_subs(h, sub, reader, &subs) != 0
        || parley_host_follow_text(h->ask->state, h->arena, act, p->id,
                                   views->source, subs, deadline_ms, ret)
           != 0)
    {
        return -1;
    }

    ret->after = first < parley_follow_offers[0] ? first
                                                 : parley_follow_offers[0];
    ret->lasts = 4 * deadline_ms + PARLEY_DEADLINE_LIVES;
    ret->counted = 1;

    return 0;
}


/* Writes the sub of a reader, its name, and the principals above it, for the
   case that the reader leaves the directory.  Without such principals the sub
   is enough. */

static int
parley_host_follow_subs(const parley_host_t *h, parley_str_t sub,
    const parley_principal_t *reader, parley_str_t *ret)
{
    unsigned                   i;
    parley_buf_t               b;
    const parley_principal_t  *to[PARLEY_HOST_LEVELS];

    *ret = sub;

    if (reader == NULL) {
        return 0;
    }

    to[0] = parley_host_above(reader, parley_str_none, 1);
    to[1] = parley_host_above(reader, parley_str_none, 2);

    if (to[0] == NULL && to[1] == NULL) {
        return 0;
    }

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, sub);
    parley_buf_octet(&b, '\0');
    parley_buf_str(&b, reader->names[h->proto]);

    for (i = 0; i < PARLEY_HOST_LEVELS; i++) {
        parley_buf_octet(&b, '\0');
        parley_buf_str(&b, to[i] != NULL ? to[i]->sub : parley_str_none);
    }

    if (parley_buf_done(&b, ret) != 0) {
        return -1;
    }

    if (ret->len > PARLEY_FOLLOW_SUBS) {
        *ret = sub;
    }

    return 0;
}


int
parley_host_follow_text(const parley_state_t *state, parley_arena_t *arena,
    parley_follow_act_t act, parley_str_t id, parley_str_t source,
    parley_str_t sub, int64_t deadline_ms, parley_job_t *ret)
{
    uint8_t       octet;
    parley_str_t  parts[5], text;

    memset(ret, 0, sizeof(parley_job_t));

    octet = (uint8_t) act;

    parts[0] = PARLEY_STR("follow");
    parts[1] = parley_str_make(&octet, 1);
    parts[2] = id;
    parts[3] = source;

    /* the sub alone: a decision finds the job by it */

    parts[4] = parley_str_until(sub, '\0');

    parley_state_key(state, PARLEY_KIND_LANE, parts, 5, ret->lane);

    text.len = PARLEY_FOLLOW_HEAD + sub.len;
    text.data = parley_arena_octets(arena, text.len);

    if (text.data == NULL) {
        return -1;
    }

    ((uint8_t *) text.data)[0] = octet;
    memcpy((uint8_t *) text.data + 1, &deadline_ms, sizeof(deadline_ms));
    memcpy((uint8_t *) text.data + PARLEY_FOLLOW_HEAD, sub.data, sub.len);

    ret->lasts = PARLEY_DEADLINE_LIVES;
    ret->class = PARLEY_JOB_PROMPT;

    return parley_job_subject_write(arena, PARLEY_SUBJECT_FOLLOW, text,
                                    &ret->text);
}


/* Adds the job to an append of the record to no log: the job keeps it. */

static int
parley_host_follow_append(parley_arena_t *arena, const parley_job_t *job,
    const parley_publication_t *p, const uint8_t *account,
    parley_append_t *ret)
{
    parley_publish_t  publish;

    memset(&publish, 0, sizeof(parley_publish_t));

    publish.publication = p;
    publish.account = account;
    publish.retention.records = 1;
    publish.retention.octets = 1;
    publish.retention.ms = 1;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    if (parley_publication_append(arena, &publish, ret) != 0) {
        return -1;
    }

    ret->jobs = job;
    ret->njobs = 1;

    return 0;
}


int
parley_host_escalate(parley_host_t *h, const parley_publication_t *p,
    parley_str_t sub)
{
    return parley_host_follow_act(h, p, PARLEY_FOLLOW_ESCALATE, sub);
}


int
parley_host_send_failed(parley_host_t *h, const parley_publication_t *p,
    parley_str_t sub)
{
    return parley_host_follow_act(h, p, PARLEY_FOLLOW_SEND_FAILED, sub);
}


int
parley_host_follow_claim(parley_host_t *h, const parley_publication_t *p,
    parley_str_t owner, int64_t after)
{
    parley_job_t          job;
    parley_str_t          rest;
    parley_host_views_t   views;

    if (parley_host_views_read(p->views, &views, &rest) != 0
        || parley_host_follow_text(h->ask->state, h->arena, PARLEY_FOLLOW_CLAIM,
                                   p->id, views.source, owner,
                                   views.deadline_ms, &job)
           != 0)
    {
        return parley_error_memory(h->err);
    }

    job.after = after;
    job.lasts = PARLEY_FOLLOW_CLAIM_LIVES;

    return parley_host_follow_add(h, &job, p);
}


/* Adds a job that acts at once. */

static int
parley_host_follow_act(parley_host_t *h, const parley_publication_t *p,
    parley_follow_act_t act, parley_str_t sub)
{
    parley_job_t          job;
    parley_str_t          rest;
    parley_host_views_t   views;

    return parley_host_views_read(p->views, &views, &rest) == 0
           && parley_host_follow_text(h->ask->state, h->arena, act, p->id,
                                      views.source, sub, views.deadline_ms,
                                      &job)
              == 0 ? parley_host_follow_add(h, &job, p)
                   : parley_error_memory(h->err);
}


int
parley_host_follow_again(parley_host_t *h, const parley_publication_t *p,
    parley_str_t source, parley_str_t sub, int64_t deadline_ms)
{
    parley_job_t         job;
    parley_host_views_t  views;

    memset(&views, 0, sizeof(parley_host_views_t));

    views.source = source;
    views.deadline_ms = deadline_ms;

    return parley_host_follow_job(h, p, &views, PARLEY_FOLLOW_AGAIN, sub,
                                  parley_directory_by_sub(h->http->directory,
                                                          sub),
                                  deadline_ms, &job)
           == 0
           ? parley_host_follow_add(h, &job, p) : parley_error_memory(h->err);
}


int
parley_host_follow_add(parley_host_t *h, const parley_job_t *job,
    const parley_publication_t *p)
{
    int                 rc;
    parley_append_t     append;
    parley_appended_t   appended;

    if (parley_host_follow_append(h->arena, job, p, h->account, &append) != 0) {
        return parley_error_memory(h->err);
    }

    rc = parley_ask_append(h->ask, &append, &appended);

    return rc == PARLEY_WAIT || (rc == 0
                                 && appended.verdict == PARLEY_APPEND_OK)
           ? rc
           : parley_error_set(h->err, PARLEY_E_CAPACITY, NULL,
                              "the deadline finds no room");
}


void
parley_host_follow_delivered(const parley_state_t *state,
    const parley_delivery_t *delivery, parley_arena_t *arena,
    const parley_append_t **ret)
{
    uint8_t                     *account;
    parley_job_t                *job;
    parley_append_t             *append;
    parley_host_row_t            row;
    parley_follow_act_t          act;
    parley_host_views_t          views;
    const parley_publication_t  *p;

    *ret = NULL;
    p = &delivery->publication;

    act = delivery->outcome == PARLEY_CHAT_ACCEPTED ? PARLEY_FOLLOW_ACCEPTED
          : delivery->outcome == PARLEY_CHAT_REFUSED ? PARLEY_FOLLOW_REFUSED
          : delivery->outcome == PARLEY_CHAT_RETRY ? PARLEY_FOLLOW_UNCONFIRMED
          : PARLEY_FOLLOW_UNSUPPORTED;

    job = parley_arena_alloc(arena, sizeof(parley_job_t));
    append = parley_arena_alloc(arena, sizeof(parley_append_t));
    account = parley_arena_octets(arena, PARLEY_KEY_LEN);

    if (job != NULL && append != NULL && account != NULL
        && parley_host_views_find(p->views, delivery->sub, &views, &row)
        && (act != PARLEY_FOLLOW_UNCONFIRMED || parley_host_is_sent(&row))
        && parley_host_follow_text(state, arena, act, p->id, views.source,
                                   delivery->sub, views.deadline_ms, job)
           == 0
        && parley_host_follow_append(arena, job, p, account, append) == 0)
    {
        parley_account_key(state, p->sender, parley_str_none, account);
        *ret = append;
    }
}


int
parley_follow_end(parley_deadline_t *d, parley_deadline_how_t how,
    int64_t after)
{
    d->how = how;

    d->end.how = how == PARLEY_DEADLINE_AGAIN ? PARLEY_JOB_AGAIN
                 : how == PARLEY_DEADLINE_LOST ? PARLEY_JOB_GIVEN_UP
                 : PARLEY_JOB_DONE;

    if (how == PARLEY_DEADLINE_AGAIN) {
        d->end.after = after;
        d->end.untried = 1;

        if (d->end.mark == 0) {
            d->end.mark = d->job->mark;
        }
    }

    return 0;
}


int
parley_follow_id(parley_follow_t *f, parley_str_t id, const char *end,
    parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, f->h.arena, 0);
    parley_buf_str(&b, id);
    parley_buf_str(&b, parley_str_c(end));

    return parley_buf_done(&b, ret);
}


int
parley_follow_append(parley_follow_t *f, parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    const parley_principal_t *to, parley_append_t *ret)
{
    uint8_t              (*log)[PARLEY_KEY_LEN];
    parley_buf_t           b;
    parley_publish_t       publish;
    parley_host_views_t    own;

    own = *views;
    memset(&own.others, 0, sizeof(parley_attention_verdict_t));

    parley_host_views_begin(&b, f->h.arena, &own);
    parley_host_views_row(&b, row);

    if (parley_buf_done(&b, &p->views) != 0) {
        return -1;
    }

    memset(&publish, 0, sizeof(parley_publish_t));

    publish.publication = p;
    publish.account = f->h.account;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    parley_render_retention(f->h.http, &publish.retention);

    if (to != NULL) {
        log = parley_arena_alloc(f->h.arena, PARLEY_KEY_LEN);

        if (log == NULL || parley_host_mailbox_log(&f->h, to, log[0]) != 0) {
            return -1;
        }

        publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
        publish.nlogs = 1;
    }

    return parley_publication_append(f->h.arena, &publish, ret);
}


const parley_principal_t *
parley_host_above(const parley_principal_t *reader, parley_str_t author,
    unsigned level)
{
    const parley_principal_t  *p, *human;

    if (level == 1 && parley_host_is_above(reader->above, reader, author)) {
        return reader->above;
    }

    human = reader->sovereign;

    for (p = reader->above; human == NULL && p != NULL; p = p->above) {
        human = parley_attention_is_human(p) ? p : p->sovereign;
    }

    return parley_host_is_above(human, reader, author) ? human : NULL;
}


static int
parley_host_is_above(const parley_principal_t *to,
    const parley_principal_t *reader, parley_str_t author)
{
    return to != NULL && to != reader && parley_attention_has_mailbox(to)
           && !parley_str_eq(to->sub, author);
}
