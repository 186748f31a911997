/* The record and the session of a reader of digests (parley_host_digest.h). */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_digest_parts.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/settings/parley_host_conf.h"
#include "hub/parley_publish.h"


/* ms after the time of a digest when its job is taken to be lost */
#define PARLEY_DIGEST_LATE  60000


/* the record */
typedef struct {
    uint8_t  since_ms[8];
    uint8_t  offered_ms[8];
    uint8_t  due_ms[8];
    uint8_t  number[4];
    uint8_t  idle;
} parley_digest_head_t;


static int parley_host_digest_listen(parley_host_t *h, parley_str_t sub,
    int asks);
static int parley_host_digest_renew(parley_host_t *h, parley_str_t sub,
    parley_digest_t *digest);
static int parley_host_digest_job(parley_host_t *h, parley_str_t sub,
    const parley_digest_t *digest);


static void
parley_host_digest_record(const parley_host_t *h, parley_str_t sub,
    parley_record_id_t *ret)
{
    parley_str_t  parts[2];

    parts[0] = sub;
    parts[1] = PARLEY_STR("digest");

    parley_host_id(h, PARLEY_KIND_MAILBOX, parts, 2, ret);
}


int
parley_host_digest_get(parley_host_t *h, parley_str_t sub, parley_digest_t *ret)
{
    int                    rc;
    parley_record_t        record;
    parley_record_id_t     name;
    parley_digest_head_t   head;

    memset(ret, 0, sizeof(parley_digest_t));

    parley_host_digest_record(h, sub, &name);

    rc = parley_host_get(h, &name, &record);

    if (rc != 1) {
        return rc;
    }

    ret->generation = record.generation;

    if (record.value.len < sizeof(head)) {
        return 0;
    }

    memcpy(&head, record.value.data, sizeof(head));
    memcpy(&ret->since_ms, head.since_ms, sizeof(head.since_ms));
    memcpy(&ret->offered_ms, head.offered_ms, sizeof(head.offered_ms));
    memcpy(&ret->due_ms, head.due_ms, sizeof(head.due_ms));
    memcpy(&ret->number, head.number, sizeof(head.number));

    ret->idle = head.idle != 0;

    return 1;
}


int
parley_host_digest_put(parley_host_t *h, parley_str_t sub,
    const parley_digest_t *d)
{
    parley_buf_t           b;
    parley_record_id_t     name;
    parley_digest_head_t   head;

    memcpy(head.since_ms, &d->since_ms, sizeof(head.since_ms));
    memcpy(head.offered_ms, &d->offered_ms, sizeof(head.offered_ms));
    memcpy(head.due_ms, &d->due_ms, sizeof(head.due_ms));
    memcpy(head.number, &d->number, sizeof(head.number));
    head.idle = d->idle;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&head, sizeof(head)));

    parley_host_digest_record(h, sub, &name);

    return parley_host_keep(h, &name, &b, d->generation);
}


void
parley_host_digest_row(parley_str_t sub, parley_host_row_t *ret)
{
    memset(ret, 0, sizeof(parley_host_row_t));

    ret->sub = sub;
    ret->verdict.row = PARLEY_ATTENTION_STATUS;
    ret->verdict.directedness = PARLEY_CHAT_TO_ME;
    ret->verdict.policy = PARLEY_CHAT_MUST_NOT;
    ret->verdict.mode = PARLEY_CHAT_DIGEST;
}


int
parley_host_digest_begin(parley_gate_t *g,
    const parley_chat_session_t *session)
{
    int            rc;
    unsigned       tries;
    parley_host_t  h;

    parley_host_of(g, &h);

    if (h.host->digest_ms == 0) {
        return 0;
    }

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_digest_listen(&h, g->who->principal->sub,
                                       (session->modes & PARLEY_CHAT_MODE_BIT(
                                            PARLEY_CHAT_DIGEST)) != 0);
    }

    if (h.full) {
        g->report.wait = PARLEY_GATE_NO_ROOM;
    }

    return rc != 1 ? rc
           : parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                              "other calls change the digests");
}


/*
 * Puts in the record whether the open stream asks for digests.  The record is
 * put in any case: a job that has found no stream at this time must not end.
 * Returns 0; 1: another process has changed the record; PARLEY_WAIT or -1.
 */

static int
parley_host_digest_listen(parley_host_t *h, parley_str_t sub, int asks)
{
    int              rc;
    parley_digest_t  digest;

    rc = parley_host_digest_get(h, sub, &digest);

    if (rc < 0 || (!asks && (digest.due_ms == 0 || digest.idle))) {
        return rc < 0 ? rc : 0;
    }

    digest.idle = !asks;

    if (asks
        && (digest.due_ms == 0
            || h->now_ms >= digest.due_ms + PARLEY_DIGEST_LATE
            || h->now_ms <= digest.due_ms - 2 * h->host->digest_ms))
    {
        if (rc == 0 || digest.since_ms > h->now_ms) {
            digest.since_ms = h->now_ms;
            digest.offered_ms = h->now_ms;
        }

        rc = parley_host_digest_renew(h, sub, &digest);

        if (rc != 0) {
            return rc;
        }
    }

    return parley_host_digest_put(h, sub, &digest);
}


/* Adds a job in the place of any earlier one.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_digest_renew(parley_host_t *h, parley_str_t sub,
    parley_digest_t *digest)
{
    digest->due_ms = parley_host_digest_due(digest, h->host->digest_ms,
                                            h->now_ms);
    digest->number++;

    /* before the record is put: without its number there the job ends */

    return parley_host_digest_job(h, sub, digest);
}


/* Adds the job.  Its record only says the protocol.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_digest_job(parley_host_t *h, parley_str_t sub,
    const parley_digest_t *digest)
{
    parley_buf_t          b;
    parley_job_t          job;
    parley_str_t          parts[3], text, views;
    parley_publication_t  p;

    memset(&job, 0, sizeof(parley_job_t));
    memset(&p, 0, sizeof(parley_publication_t));

    /* an earlier job may be due much later */

    parts[0] = PARLEY_STR("digest");
    parts[1] = sub;
    parts[2] = parley_str_make(&digest->number, sizeof(digest->number));

    parley_state_key(h->ask->state, PARLEY_KIND_LANE, parts, 3, job.lane);

    job.after = digest->due_ms - h->now_ms;
    job.lasts = PARLEY_PUBLISH_LIVES;
    job.class = PARLEY_JOB_PROMPT;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&digest->number, PARLEY_DIGEST_HEAD));
    parley_buf_str(&b, sub);

    if (parley_buf_done(&b, &text) != 0) {
        return parley_error_memory(h->err);
    }

    parley_buf_init(&b, h->arena, 0);
    parley_buf_octet(&b, PARLEY_HOST_DIGEST);
    parley_buf_str(&b, sub);

    if (parley_buf_done(&b, &views) != 0
        || parley_job_subject_write(h->arena, PARLEY_SUBJECT_DIGEST, text,
                                    &job.text)
           != 0)
    {
        return parley_error_memory(h->err);
    }

    p.kind = PARLEY_PUBLICATION_MESSAGE;
    p.proto = h->proto;
    p.ms = h->now_ms;
    p.timeout_ms = -1;
    p.views = views;

    return parley_host_follow_add(h, &job, &p);
}


int
parley_host_digest_answered(parley_host_t *h,
    const parley_principal_t *reader, const parley_chat_offer_t *offer,
    parley_chat_outcome_t outcome)
{
    int                rc;
    int64_t            ms;
    unsigned           tries;
    parley_str_t       name;
    parley_digest_t    digest;
    parley_host_row_t  row;

    name = reader->names[h->proto];

    if (!parley_host_digest_id_read(offer->id, name, &ms)
        || h->chat->tag(offer->id, name, parley_str_none) != offer->tag)
    {
        return 0;
    }

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_digest_get(h, reader->sub, &digest);

        /* an unknown digest, or one that was answered before */

        if (rc < 0 || ms <= digest.since_ms || ms > digest.offered_ms) {
            return rc < 0 ? rc : 1;
        }

        digest.since_ms = ms;
        rc = parley_host_digest_put(h, reader->sub, &digest);
    }

    if (rc == 0) {
        parley_host_digest_row(reader->sub, &row);
        parley_host_audit_outcome(h, offer->id, &row, PARLEY_HOST_BY_STREAM,
                                  outcome);
    }

    return rc < 0 ? rc : 1;
}
