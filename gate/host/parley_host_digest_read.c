/*
 * Counts the messages of a digest (parley_host_digest.h): those that its reader
 * may read now, and that were not offered to it.
 */

#include <string.h>

#include "auth/parley_surface.h"
#include "gate/host/parley_host_digest_parts.h"
#include "gate/host/parley_host_said.h"


#define PARLEY_DIGEST_PAGE     64           /* records of a page of a log */
#define PARLEY_DIGEST_RECORDS  2000         /* records of a digest, */
#define PARLEY_DIGEST_OCTETS   (8 << 20)    /* and octets of them */


static int parley_host_digest_conversation(parley_digest_made_t *m,
    const parley_host_conversation_t *where);
static int parley_host_digest_has_news(parley_digest_made_t *m,
    const uint8_t *log);
static int parley_host_digest_page(parley_digest_made_t *m,
    const parley_log_page_t *page, parley_str_t source,
    parley_digest_count_t *count);
static int parley_host_digest_progress(parley_digest_made_t *m,
    const parley_host_said_t *said, parley_str_t source,
    parley_digest_count_t *count);


int
parley_host_digest_read(parley_digest_made_t *m)
{
    int                          rc;
    unsigned                     n;
    parley_chat_place_t         *list;
    parley_surface_account_t     source;
    parley_host_conversation_t   where;

    m->nrows = 0;
    m->records = PARLEY_DIGEST_RECORDS;
    m->octets = PARLEY_DIGEST_OCTETS;

    memset(&source, 0, sizeof(parley_surface_account_t));

    rc = parley_host_reads_list(m->h, m->reader->sub, &list, &n);

    /* the newest conversation of the reader first */

    for ( ; rc == 0 && n > 0; n--) {

        if (m->nrows == PARLEY_DIGEST_ROWS || m->records == 0
            || m->octets == 0)
        {
            return 0;
        }

        source.platform = list[n - 1].platform;
        source.workspace = list[n - 1].workspace;
        where.id = list[n - 1].id;

        if (parley_surface_name(m->h->arena, &source, &where.source) != 0) {
            continue;
        }

        rc = parley_host_may_read(m->h, NULL, &where, m->reader);

        if (rc == 1) {
            rc = parley_host_digest_conversation(m, &where);
        }
    }

    return rc;
}


/* Adds the row of a conversation if a message came.  Returns 0, PARLEY_WAIT or
   -1. */

static int
parley_host_digest_conversation(parley_digest_made_t *m,
    const parley_host_conversation_t *where)
{
    int                     rc;
    uint8_t                 log[PARLEY_KEY_LEN];
    parley_place_t          from;
    parley_log_page_t       page;
    parley_digest_count_t  *count;

    parley_host_conversation(m->h->ask->state, where->source, where->id, log);

    rc = parley_host_digest_has_news(m, log);

    if (rc != 1) {
        return rc;
    }

    count = parley_arena_calloc(m->h->arena, sizeof(parley_digest_count_t));

    if (count == NULL) {
        return parley_error_memory(m->h->err);
    }

    memset(&from, 0, sizeof(parley_place_t));

    do {
        rc = parley_host_read(m->h, log, &from, PARLEY_DIGEST_PAGE, 1, &page);

        if (rc != 0 || page.epoch == 0
            || (from.epoch != 0 && page.epoch != from.epoch))
        {
            break;
        }

        rc = parley_host_digest_page(m, &page, where->source, count);

        from.epoch = page.epoch;
        from.offset = page.at;

    } while (rc == 1 && page.at > page.first);

    if (rc >= 0 && count->row.messages + count->row.nprogress > 0) {
        count->row.id = where->id;
        count->row.progress = count->progress;
        m->rows[m->nrows++] = count->row;
    }

    return rc < 0 ? rc : 0;
}


/* Returns whether a log may have records after the last digest: 1, 0,
   PARLEY_WAIT or -1. */

static int
parley_host_digest_has_news(parley_digest_made_t *m, const uint8_t *log)
{
    int                    rc;
    parley_place_t         end;
    parley_log_page_t      page;
    parley_publication_t   p;

    memset(&end, 0, sizeof(parley_place_t));

    rc = parley_host_read(m->h, log, &end, 1, 1, &page);

    if (rc != 0 || page.epoch == 0 || page.n == 0) {
        return rc;
    }

    return parley_publication_read(page.list[0].octets, &p) != 0
           || p.ms + PARLEY_DIGEST_SETTLES > m->since_ms;
}


/* Counts the messages of a page, the newest first.  Returns 1; 0: older ones do
   not count; PARLEY_WAIT or -1. */

static int
parley_host_digest_page(parley_digest_made_t *m, const parley_log_page_t *page,
    parley_str_t source, parley_digest_count_t *count)
{
    int                  i, rc;
    parley_str_t         octets;
    parley_host_said_t   said;

    for (i = 0; i < page->n; i++) {
        octets = page->list[i].octets;

        if (m->records == 0 || m->octets == 0) {
            return 0;
        }

        m->records--;
        m->octets -= octets.len < m->octets ? octets.len : m->octets;

        if (parley_publication_read(octets, &said.p) != 0) {
            continue;
        }

        if (said.p.ms + PARLEY_DIGEST_SETTLES <= m->since_ms) {
            return 0;
        }

        if (said.p.ms <= m->since_ms || said.p.ms > m->through_ms) {
            continue;
        }

        rc = parley_host_said_read(m->h, octets, source, m->reader->sub,
                                   &said);
        if (rc == 2) {
            rc = parley_host_digest_progress(m, &said, source, count);
        }

        if (rc < 0) {
            return rc;
        }

        /* the reader has an event that was offered to it */

        if (rc == 1 && (!said.row.verdict.gets
                        || said.row.verdict.mode <= PARLEY_CHAT_MAILBOX))
        {
            parley_host_digest_count(count, said.p.id, said.event.author);
        }
    }

    return 1;
}


/* Adds progress, unless newer progress of the same event is there, or the event
   was deleted.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_digest_progress(parley_digest_made_t *m,
    const parley_host_said_t *said, parley_str_t source,
    parley_digest_count_t *count)
{
    int                      rc;
    unsigned                 i;
    parley_str_t             id;
    parley_json_t            doc;
    parley_error_t           err;
    parley_host_event_t      event;
    parley_chat_progress_t  *progress;

    id = said->event.other;

    for (i = 0; i < count->row.nprogress; i++) {
        if (parley_str_eq(count->progress[i].of, id)) {
            return 0;
        }
    }

    if (i == PARLEY_DIGEST_PROGRESS) {
        return 0;
    }

    progress = &count->progress[i];
    progress->of = id;

    rc = parley_host_event_get(m->h, id, source, &event);

    if (rc == 1) {
        rc = parley_host_event_now(m->h, &id, &event);
    }

    if (rc != 1) {
        return rc;
    }

    if (parley_json_read(&doc, m->h->arena, &parley_host_limits, m->h->seed,
                         said->p.message, &err)
        != 0)
    {
        return err.code == PARLEY_E_CAPACITY ? parley_error_memory(m->h->err)
                                             : 0;
    }

    count->row.nprogress += m->h->chat->progress(&doc, progress) == 0;

    return 0;
}
