/* The job of the digests of a reader (parley_host_digest.h). */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_digest_parts.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/party/parley_account.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"
#include "translate/parley_codec.h"


/* without a stream the job looks again, up to so many times, after so many ms
   or the time between digests */
#define PARLEY_DIGEST_LOOKS    3
#define PARLEY_DIGEST_LOOK     5000

#define PARLEY_DIGEST_LATER    1000     /* ms until a step that failed is tried
                                           again */


/* a job under way */
typedef struct {
    parley_deadline_t          *d;
    parley_host_t               h;
    parley_error_t              err;
    uint32_t                    number;
    const parley_principal_t   *reader;
    parley_digest_t             digest;
    parley_digest_made_t        made;
} parley_digest_job_t;


static int parley_host_digest_take(parley_digest_job_t *j);
static int parley_host_digest_next(parley_digest_job_t *j);
static int parley_host_digest_over(parley_digest_job_t *j);
static int parley_host_digest_absent(parley_digest_job_t *j);
static int parley_host_digest_make(parley_digest_job_t *j);
static int parley_host_digest_send(parley_digest_job_t *j);
static int parley_host_digest_write(parley_digest_job_t *j, parley_str_t id,
    parley_str_t *ret);
static int parley_host_digest_end(parley_deadline_t *d,
    parley_deadline_how_t how, int64_t after, unsigned mark);


int
parley_host_digest_run(parley_deadline_t *d)
{
    int                   rc;
    parley_digest_job_t  *j;

    parley_ask_begin(&d->ask, d->ask.now);

    j = parley_arena_calloc(d->arena, sizeof(parley_digest_job_t));

    if (j == NULL) {
        rc = -1;

    } else {
        j->d = d;

        rc = parley_host_digest_take(j) == 0
             ? parley_host_digest_next(j)
             : parley_host_digest_end(d, PARLEY_DEADLINE_ANSWERED, 0, 0);
    }

    if (rc == -1) {
        rc = parley_host_digest_end(d, PARLEY_DEADLINE_AGAIN,
                                    PARLEY_DIGEST_LATER, d->job->mark);
    }

    if (rc == 0) {
        d->noted = j != NULL ? j->h.noted : NULL;
        d->noted_ends = j != NULL ? j->h.noted_ends : NULL;
        parley_ask_end(&d->ask);
    }

    return rc;
}


/* Reads the job.  Returns 0, or -1: it is of another version. */

static int
parley_host_digest_take(parley_digest_job_t *j)
{
    parley_str_t        text;
    parley_host_t      *h;
    parley_deadline_t  *d;

    d = j->d;
    d->kind = parley_job_subject_read(d->job->text, &text);

    if (text.len < PARLEY_DIGEST_HEAD || d->job->record.data == NULL
        || parley_publication_read(d->job->record, &d->publication) != 0
        || parley_codecs[d->publication.proto]->chat == NULL)
    {
        return -1;
    }

    memcpy(&j->number, text.data, PARLEY_DIGEST_HEAD);
    d->sub = parley_str_from(text, PARLEY_DIGEST_HEAD);

    parley_account_key(d->ask.state, d->sub, parley_str_none, d->account);

    h = &j->h;

    h->ask = &d->ask;
    h->arena = d->arena;
    h->err = &j->err;
    h->engine = d->deliver->engine;
    h->http = d->deliver->http;
    h->host = h->http->host != NULL ? h->http->host->host : NULL;
    h->proto = d->publication.proto;
    h->chat = parley_codecs[h->proto]->chat;
    h->account = d->account;
    h->seed = d->deliver->seed;
    h->now_ms = d->now_ms;

    j->reader = parley_directory_by_sub(h->http->directory, d->sub);

    return 0;
}


/* Sends the digest that is due.  Returns 0, PARLEY_WAIT, or -1: to be tried
   again. */

static int
parley_host_digest_next(parley_digest_job_t *j)
{
    int  rc;

    rc = parley_host_digest_get(&j->h, j->d->sub, &j->digest);

    if (rc < 0) {
        return rc;
    }

    if (rc == 0 || j->digest.number != j->number) {
        return parley_host_digest_end(j->d, PARLEY_DEADLINE_ANSWERED, 0, 0);
    }

    /* digests are off, or the reader has left the directory */

    if (j->h.host == NULL || j->h.host->digest_ms == 0 || j->reader == NULL
        || !parley_attention_has_mailbox(j->reader))
    {
        return parley_host_digest_over(j);
    }

    rc = j->digest.idle ? 0 : parley_host_follow_listens(&j->h, j->reader);

    if (rc == 0) {
        return parley_host_digest_absent(j);
    }

    if (rc == 1) {
        rc = parley_host_digest_make(j);
    }

    return rc != 0 ? rc
           : parley_host_digest_end(j->d, PARLEY_DEADLINE_AGAIN,
                                    j->h.host->digest_ms, 0);
}


/* Ends the job, and notes its end.  Returns 0, PARLEY_WAIT, or -1: a stream was
   opened in that time. */

static int
parley_host_digest_over(parley_digest_job_t *j)
{
    int  rc;

    j->digest.due_ms = 0;

    rc = parley_host_digest_put(&j->h, j->d->sub, &j->digest);

    return rc != 0 ? (rc == 1 ? -1 : rc)
           : parley_host_digest_end(j->d, PARLEY_DEADLINE_ANSWERED, 0, 0);
}


/* The stream may come back soon, after a reload.  Else the job ends, and the
   next stream begins one. */

static int
parley_host_digest_absent(parley_digest_job_t *j)
{
    int64_t  after;

    after = j->h.host->digest_ms < PARLEY_DIGEST_LOOK ? j->h.host->digest_ms
                                                      : PARLEY_DIGEST_LOOK;

    if (j->d->job->mark < PARLEY_DIGEST_LOOKS) {
        return parley_host_digest_end(j->d, PARLEY_DEADLINE_AGAIN, after,
                                      j->d->job->mark + 1);
    }

    return parley_host_digest_over(j);
}


/* Makes the digest, and sends it if a message came.  Its time is recorded
   before: the reader's answer is compared with it.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_digest_make(parley_digest_job_t *j)
{
    int               rc;
    parley_digest_t  *digest;

    digest = &j->digest;

    if (digest->since_ms > j->h.now_ms) {
        digest->since_ms = j->h.now_ms;
    }

    j->made.h = &j->h;
    j->made.reader = j->reader;
    j->made.since_ms = digest->since_ms;
    j->made.through_ms = j->h.now_ms - PARLEY_DIGEST_SETTLES;

    rc = parley_host_digest_read(&j->made);

    if (rc < 0) {
        return rc;
    }

    digest->due_ms = j->h.now_ms + j->h.host->digest_ms;

    if (j->made.through_ms > digest->since_ms) {
        digest->offered_ms = j->made.through_ms;
    }

    if (j->made.nrows == 0) {
        digest->since_ms = digest->offered_ms > digest->since_ms
                           ? digest->offered_ms : digest->since_ms;
    }

    rc = parley_host_digest_put(&j->h, j->d->sub, digest);

    if (rc != 0) {
        return rc == 1 ? -1 : rc;
    }

    return j->made.nrows > 0 ? parley_host_digest_send(j) : 0;
}


/* Writes the digest to the stream that is open now.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_digest_send(parley_digest_job_t *j)
{
    int                    rc;
    uint8_t                log[1][PARLEY_KEY_LEN];
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_host_row_t      row;
    parley_publication_t   p;

    memset(&publish, 0, sizeof(parley_publish_t));

    p = j->d->publication;
    p.ms = j->h.now_ms;

    if (parley_host_digest_id_write(j->h.arena, j->reader->names[j->h.proto],
                                    j->made.through_ms, &p.id)
        != 0
        || parley_host_digest_write(j, p.id, &p.message) != 0
        || parley_host_mailbox_log(&j->h, j->reader, log[0]) != 0)
    {
        return -1;
    }

    publish.publication = &p;
    publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
    publish.nlogs = 1;
    publish.account = j->h.account;

    parley_render_retention(j->h.http, &publish.retention);

    if (parley_publication_append(j->h.arena, &publish, &append) != 0) {
        return -1;
    }

    rc = parley_ask_append(j->h.ask, &append, &appended);

    if (rc != 0 || appended.verdict != PARLEY_APPEND_OK) {
        return rc == PARLEY_WAIT ? rc : -1;
    }

    j->d->wakes = 1;

    parley_host_digest_row(j->reader->sub, &row);
    parley_host_audit_addressed(&j->h, p.id, &row);

    return 0;
}


static int
parley_host_digest_write(parley_digest_job_t *j, parley_str_t id,
    parley_str_t *ret)
{
    parley_buf_t          b;
    parley_chat_digest_t  digest;

    memset(&digest, 0, sizeof(parley_chat_digest_t));

    digest.id = id;
    digest.reader = j->reader->names[j->h.proto];
    digest.attempt = 1;
    digest.created_ms = j->made.through_ms;
    digest.rows = j->made.rows;
    digest.nrows = j->made.nrows;

    parley_buf_init(&b, j->h.arena, 0);
    j->h.chat->digest(&b, &digest);

    return parley_buf_done(&b, ret);
}


static int
parley_host_digest_end(parley_deadline_t *d, parley_deadline_how_t how,
    int64_t after, unsigned mark)
{
    d->how = how;
    d->end.how = how == PARLEY_DEADLINE_AGAIN ? PARLEY_JOB_AGAIN
                                              : PARLEY_JOB_DONE;
    d->end.after = after;
    d->end.untried = 1;
    d->end.mark = mark;

    return 0;
}
