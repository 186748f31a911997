/* Records and jobs of turns (parley_host_turn.h). */

#include <string.h>

#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_job_subject.h"


static int parley_turn_record_renew(parley_host_t *h, parley_str_t id,
    parley_str_t source, const char *which);


/* The records are parts of a reader without a name, as a claim is. */

static void
parley_turn_record_id(const parley_host_t *h, parley_str_t id,
    parley_str_t source, const char *which, parley_record_id_t *ret)
{
    parley_str_t  parts[4];

    parts[0] = source;
    parts[1] = id;
    parts[2] = parley_str_none;
    parts[3] = parley_str_c(which);

    parley_host_id(h, PARLEY_KIND_DELIVERY, parts, 4, ret);
}


int
parley_turn_mark_get(parley_host_t *h, parley_str_t id, parley_str_t source,
    parley_turn_mark_t *ret)
{
    int                 rc;
    parley_str_t        rest;
    parley_record_t     record;
    parley_record_id_t  name;

    memset(ret, 0, sizeof(parley_turn_mark_t));

    parley_turn_record_id(h, id, source, "turn", &name);

    rc = parley_host_get(h, &name, &record);

    if (rc != 1 || record.value.len < sizeof(ret->first)) {
        return rc == 1 ? 0 : rc;
    }

    memcpy(&ret->first, record.value.data, sizeof(ret->first));
    rest = parley_str_from(record.value, sizeof(ret->first));

    ret->turn = parley_host_text_read(&rest);
    ret->by = parley_host_text_read(&rest);
    ret->before = parley_host_text_read(&rest);

    return 1;
}


int
parley_turn_mark_put(parley_host_t *h, parley_str_t id, parley_str_t source,
    const parley_turn_mark_t *mark)
{
    parley_buf_t        b;
    parley_record_id_t  name;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, parley_str_make(&mark->first, sizeof(mark->first)));
    parley_host_text(&b, mark->turn);
    parley_host_text(&b, mark->by);
    parley_host_text(&b, mark->before);

    parley_turn_record_id(h, id, source, "turn", &name);

    return parley_host_put(h, &name, &b, 0, 0);
}


int
parley_turn_renew(parley_host_t *h, parley_str_t id, parley_str_t source)
{
    int                 rc;
    parley_turn_mark_t  mark;

    rc = parley_turn_mark_get(h, id, source, &mark);

    if (rc == 1) {
        rc = parley_turn_record_renew(h, id, source, "turn");
    }

    return rc == 1 ? parley_turn_record_renew(h, mark.turn, source, "readers")
                   : rc;
}


/* Puts a record again, unless a job has put it since.  Returns 1; 0: there is
   none; PARLEY_WAIT or -1. */

static int
parley_turn_record_renew(parley_host_t *h, parley_str_t id,
    parley_str_t source, const char *which)
{
    int                 rc;
    parley_buf_t        b;
    parley_record_t     record;
    parley_record_id_t  name;

    parley_turn_record_id(h, id, source, which, &name);

    rc = parley_host_get(h, &name, &record);

    if (rc != 1) {
        return rc;
    }

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, record.value);

    rc = parley_host_put(h, &name, &b, 0, record.generation);

    return rc < 0 ? rc : 1;
}


void
parley_turn_composes(parley_host_t *h, const parley_host_thread_name_t *thread,
    parley_str_t author, parley_record_id_t *ret)
{
    parley_str_t  parts[5];

    parts[0] = thread->source;
    parts[1] = thread->conversation;
    parts[2] = thread->thread;
    parts[3] = author;
    parts[4] = PARLEY_STR("composes");

    parley_host_id(h, PARLEY_KIND_DELIVERY, parts, 5, ret);
}


int
parley_turn_compose(parley_host_t *h, const parley_record_id_t *composes,
    parley_str_t by)
{
    int           rc;
    parley_buf_t  b;

    parley_buf_init(&b, h->arena, 0);
    parley_buf_str(&b, by);

    rc = parley_host_put(h, composes, &b, 0, 0);

    return rc < 0 ? rc : 0;
}


/* The job of the change itself does not have the old text. */

int
parley_turn_stop(parley_host_t *h, const parley_host_thread_name_t *thread,
    parley_str_t author, parley_str_t change)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  composes;

    parley_turn_composes(h, thread, author, &composes);

    rc = parley_host_get(h, &composes, &record);

    if (rc != 1 || record.closed || parley_str_eq(record.value, change)) {
        return rc < 0 ? rc : 0;
    }

    return parley_host_close(h, &composes);
}


int
parley_turn_readers_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t *ret)
{
    int                 rc;
    parley_record_t     record;
    parley_record_id_t  name;

    *ret = parley_str_none;

    parley_turn_record_id(h, id, source, "readers", &name);

    rc = parley_host_get(h, &name, &record);

    if (rc == 1) {
        *ret = record.value;
    }

    return rc;
}


int
parley_turn_readers_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_buf_t *rows)
{
    parley_record_id_t  name;

    parley_turn_record_id(h, id, source, "readers", &name);

    return parley_host_put(h, &name, rows, 0, 0);
}


int
parley_turn_find(parley_host_t *h, parley_str_t *id, parley_str_t source,
    const parley_principal_t *reader, parley_publication_t *p,
    parley_host_views_t *views, parley_host_row_t *row)
{
    int                 rc;
    parley_str_t        rest;
    parley_turn_mark_t  mark;

    rc = parley_turn_mark_get(h, *id, source, &mark);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_mailbox_find(h, reader, mark.turn, source, p, views, row);

    if (rc < 0) {
        return rc;
    }

    if (rc == 1 && views->turn) {
        *id = mark.turn;
        return 1;
    }

    rc = parley_turn_readers_get(h, mark.turn, source, &rest);

    while (rc == 1 && parley_host_views_next(&rest, row)) {
        if (parley_str_eq(row->sub, reader->sub)) {
            return 2;
        }
    }

    return rc < 0 ? rc : 0;
}


int
parley_turn_job(parley_host_t *h, const parley_host_thread_name_t *thread,
    parley_str_t author, int64_t after, parley_job_t *ret)
{
    parley_str_t  parts[5];

    memset(ret, 0, sizeof(parley_job_t));

    parts[0] = PARLEY_STR("turn");
    parts[1] = thread->source;
    parts[2] = thread->conversation;
    parts[3] = thread->thread;
    parts[4] = author;

    parley_state_key(h->ask->state, PARLEY_KIND_LANE, parts, 5, ret->lane);

    ret->after = after;
    ret->lasts = PARLEY_TURN_LIVES;
    ret->class = PARLEY_JOB_PROMPT;

    return parley_job_subject_write(h->arena, PARLEY_SUBJECT_TURN, author,
                                    &ret->text);
}
