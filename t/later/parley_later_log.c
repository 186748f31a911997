/* Verbs of logs and the roster. */

#include "t/later/parley_later_parts.h"


void
parley_late_append(parley_late_t *late, parley_append_t *append)
{
    size_t         i;
    parley_str_t  *record;
    parley_job_t  *jobs;

    append->logs = parley_late_copy(late, append->logs,
                                    append->nlogs * PARLEY_KEY_LEN);
    append->account = parley_late_copy(late, append->account, PARLEY_KEY_LEN);

    record = parley_late_copy(late, &late->value, sizeof(parley_str_t));
    parley_late_parts(late, append->parts, append->nparts, record);

    append->parts = record;
    append->nparts = 1;

    parley_late_text(late, &append->session);

    jobs = parley_late_copy(late, append->jobs,
                            append->njobs * sizeof(parley_job_t));

    for (i = 0; i < append->njobs; i++) {
        parley_late_text(late, &jobs[i].text);
    }

    append->jobs = jobs;

    if (append->takes != NULL) {
        parley_late_admission(late, append->takes);
        parley_late_settlement(late, append->how);

        append->takes = &late->admission;
        append->how = &late->how;
    }
}


static parley_state_done_t
parley_later_append(parley_state_t *s, const parley_append_t *a,
    parley_appended_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_APPEND, ret, call);
    late->append = *a;

    parley_late_append(late, &late->append);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_read(parley_state_t *s, const parley_log_read_t *r,
    parley_log_page_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_READ, ret, call);
    late->read = *r;
    late->read.log = parley_late_copy(late, r->log, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_feed(parley_state_t *s, const parley_feed_t *f,
    parley_feed_page_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_FEED, ret, call);
    late->feed = *f;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_erase(parley_state_t *s, const parley_erase_t *e,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_ERASE, NULL, call);
    late->erase = *e;
    late->erase.log = parley_late_copy(late, e->log, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_had(parley_state_t *s, const parley_had_t *h,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_HAD, NULL, call);
    late->had = *h;
    late->had.log = parley_late_copy(late, h->log, PARLEY_KEY_LEN);
    late->had.places = parley_late_copy(late, h->places,
                                        h->n * sizeof(parley_place_t));

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_keep(parley_state_t *s, const uint8_t (*logs)[PARLEY_KEY_LEN],
    size_t n, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_KEEP, NULL, call);
    late->logs = parley_late_copy(late, logs, n * PARLEY_KEY_LEN);
    late->nlogs = n;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_join(parley_state_t *s, const parley_join_t *j,
    parley_joined_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOIN, ret, call);
    late->join = *j;
    late->join.log = parley_late_copy(late, j->log, PARLEY_KEY_LEN);
    late->join.account = parley_late_copy(late, j->account, PARLEY_KEY_LEN);

    parley_late_text(late, &late->join.selector);
    parley_late_text(late, &late->join.session);
    parley_late_text(late, &late->join.card);

    late->leave.log = late->join.log;
    late->leave.selector = late->join.selector;
    late->leave.session = late->join.session;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_leave(parley_state_t *s, const parley_leave_t *l,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_LEAVE, NULL, call);
    late->leave = *l;
    late->leave.log = parley_late_copy(late, l->log, PARLEY_KEY_LEN);

    parley_late_text(late, &late->leave.selector);
    parley_late_text(late, &late->leave.session);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_roster(parley_state_t *s, const parley_roster_t *r,
    parley_roster_page_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_ROSTER, ret, call);
    late->roster = *r;
    late->roster.log = parley_late_copy(late, r->log, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


const parley_log_ops_t  parley_later_log_ops = {
    .append = parley_later_append,
    .read = parley_later_read,
    .feed = parley_later_feed,
    .erase = parley_later_erase,
    .had = parley_later_had,
    .keep = parley_later_keep,
    .join = parley_later_join,
    .leave = parley_later_leave,
    .roster = parley_later_roster,
};


void
parley_later_log_hub(parley_log_ops_t *ret)
{
    *ret = *parley_memory_ops.log;

    ret->read = parley_later_read;
    ret->feed = parley_later_feed;
    ret->join = parley_later_join;
    ret->leave = parley_later_leave;
    ret->had = parley_later_had;
}


/*
 * Lets a verb take effect.  After a cancelled caller, only verbs that change
 * the state for others have an effect.
 */

void
parley_late_log(parley_late_t *late)
{
    parley_state_t          *s = late->state;
    const parley_log_ops_t  *ops = parley_memory_ops.log;

    switch (late->verb) {

    case PARLEY_LATER_APPEND:

        if (!late->gone) {
            (void) ops->append(s, &late->append, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_READ:

        if (!late->gone) {
            (void) ops->read(s, &late->read, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_FEED:

        if (!late->gone) {
            (void) ops->feed(s, &late->feed, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_ERASE:
        (void) ops->erase(s, &late->erase, NULL);
        break;

    case PARLEY_LATER_HAD:
        (void) ops->had(s, &late->had, NULL);
        break;

    case PARLEY_LATER_KEEP:
        (void) ops->keep(s, late->logs, late->nlogs, NULL);
        break;

    case PARLEY_LATER_JOIN:

        if (!late->gone) {
            (void) ops->join(s, &late->join, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_LEAVE:
        (void) ops->leave(s, &late->leave, NULL);
        break;

    default: /* PARLEY_LATER_ROSTER */

        if (!late->gone) {
            (void) ops->roster(s, &late->roster, late->ret, NULL);
        }
    }
}


/* undoes a completed join by a leave that completes later */

void
parley_late_log_gone(parley_late_t *late)
{
    const parley_joined_t  *joined;

    if (late->verb != PARLEY_LATER_JOIN || !late->did) {
        return;
    }

    joined = late->ret;

    if (joined->verdict == PARLEY_JOIN_OK) {
        late->leave.stamp = joined->stamp;
        (void) parley_later_leave(late->state, &late->leave, NULL);
    }
}
