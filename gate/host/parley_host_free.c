/*
 * The end of a claim: if its owner did not answer a mention of a role, the
 * knock comes once more to the other readers, as "<eventId>:free".
 */

#include <string.h>

#include "gate/host/parley_host_follow_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_publish.h"


static int parley_follow_free(parley_follow_t *f);
static int parley_follow_free_row(parley_follow_t *f, parley_str_t id,
    const parley_host_row_t *row, uint8_t log[PARLEY_KEY_LEN]);
static int parley_follow_free_append(parley_follow_t *f,
    parley_publication_t *p, const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n);


int
parley_follow_claim(parley_follow_t *f)
{
    int                  rc;
    parley_host_event_t  event;
    parley_host_claim_t  claim;

    rc = parley_host_claim_get(&f->h, f->id, f->views.source, &claim);

    if (rc < 0) {
        return rc;
    }

    /* the claim of another agent has a job of its own */

    if (rc == 0 || !parley_str_eq(claim.owner, f->d->sub)) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    if (claim.until_ms > f->d->now_ms) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_AGAIN,
                                 claim.until_ms - f->d->now_ms);
    }

    rc = parley_host_delivery_get(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    if (rc >= 0) {
        rc = parley_host_event_get(&f->h, f->id, f->views.source, &event);
    }

    if (rc < 0) {
        return rc;
    }

    /* answered, edited or deleted */

    return f->delivery.disposition == PARLEY_CHAT_RESPONDED
           || f->delivery.answer.len > 0
           || rc == 0 || event.now != PARLEY_CHAT_MESSAGE
           ? parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0)
           : parley_follow_free(f);
}


/* Ends the job with the knock. */

static int
parley_follow_free(parley_follow_t *f)
{
    int                    rc;
    size_t                 n;
    uint8_t              (*logs)[PARLEY_KEY_LEN];
    parley_buf_t           b;
    parley_str_t           rest;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    p = *f->p;
    p.ms = f->d->now_ms;

    logs = parley_arena_alloc(f->h.arena, PARLEY_ATTENTION_READERS_MAX
                                          * PARLEY_KEY_LEN);

    if (logs == NULL
        || parley_follow_id(f, f->id, PARLEY_HOST_FREE, &p.id) != 0
        || parley_host_views_read(f->p->views, &views, &rest) != 0)
    {
        return -1;
    }

    views.reason = PARLEY_CHAT_REASON_FREE;
    memset(&views.others, 0, sizeof(parley_attention_verdict_t));

    parley_host_views_begin(&b, f->h.arena, &views);

    for (n = 0; n < PARLEY_ATTENTION_READERS_MAX
                && parley_host_views_next(&rest, &row); n += (size_t) rc)
    {
        rc = parley_follow_free_row(f, p.id, &row, logs[n]);

        if (rc < 0) {
            return rc;
        }

        if (rc == 1) {
            row.attempt = 1;
            row.waits = 0;      /* the knock comes before the turn */
            parley_host_views_row(&b, &row);
        }
    }

    if (n == 0) {
        return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
    }

    return parley_buf_done(&b, &p.views) != 0
           ? -1
           : parley_follow_free_append(f, &p,
                                       (const uint8_t (*)[PARLEY_KEY_LEN])
                                       logs, n);
}


/* Finds out whether a reader gets the knock, and the log of its mailbox: it is
   mentioned by a role, can read the conversation, has not decided the event,
   and did not get the knock before.  Returns 1, 0, PARLEY_WAIT or -1. */

static int
parley_follow_free_row(parley_follow_t *f, parley_str_t id,
    const parley_host_row_t *row, uint8_t log[PARLEY_KEY_LEN])
{
    int                          rc;
    parley_host_row_t            own;
    parley_host_views_t          views;
    parley_publication_t         p;
    parley_host_delivery_t       part;
    const parley_principal_t    *to;
    parley_host_conversation_t   where;

    to = parley_directory_by_sub(f->h.http->directory, row->sub);

    if (to == NULL || row->verdict.row != PARLEY_ATTENTION_ROLE
        || parley_str_eq(row->sub, f->d->sub)
        || !parley_attention_has_mailbox(to))
    {
        return 0;
    }

    where.source = f->views.source;
    where.id = f->views.conversation;

    rc = parley_host_may_read(&f->h, NULL, &where, to);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_delivery_get(&f->h, f->id, where.source, to->sub, &part);

    if (rc < 0 || !parley_host_is_open(&part)) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_mailbox_find(&f->h, to, id, where.source, &p, &views,
                                  &own);

    return rc < 0 ? rc
           : rc == 1 ? 0
           : parley_host_mailbox_log(&f->h, to, log) == 0 ? 1 : -1;
}


static int
parley_follow_free_append(parley_follow_t *f, parley_publication_t *p,
    const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n)
{
    int                rc;
    parley_append_t   *append;
    parley_publish_t   publish;

    append = parley_arena_alloc(f->h.arena, sizeof(parley_append_t));

    memset(&publish, 0, sizeof(parley_publish_t));

    publish.publication = p;
    publish.account = f->h.account;
    publish.ttl = PARLEY_PUBLISH_LIVES;
    publish.logs = logs;
    publish.nlogs = n;

    parley_render_retention(f->h.http, &publish.retention);

    if (append == NULL
        || parley_publication_append(f->h.arena, &publish, append) != 0)
    {
        return -1;
    }

    rc = parley_host_follow_jobs(&f->h, p, f->deadline_ms, append);

    if (rc != 0) {
        return rc;
    }

    f->d->end.tells = append;

    return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
}
