/* Changes of messages (parley_host_change.h). */

#include <string.h>

#include "gate/host/parley_host_change.h"
#include "gate/host/parley_host_turn_parts.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_HOST_CHANGED  "/params/change/of"


static int parley_host_change_check(parley_host_call_t *c,
    const parley_host_change_t *a);
static int parley_host_change_first(parley_host_call_t *c, parley_str_t source,
    parley_str_t author, parley_host_change_t *ret);
static int parley_host_change_find_id(parley_host_change_t *a);
static void parley_host_change_waits(parley_host_change_t *a);
static parley_str_t parley_host_change_id(const parley_host_change_t *a,
    parley_str_t sub);
static int parley_host_change_put(const parley_host_change_t *a,
    parley_str_t id, parley_str_t sub, int64_t due_ms);


int
parley_host_change_find(parley_host_call_t *c, parley_str_t source,
    parley_str_t author, const parley_place_t *place,
    parley_host_change_t *ret)
{
    int  rc, opens;

    memset(ret, 0, sizeof(parley_host_change_t));

    ret->h = &c->h;
    ret->g = c->g;
    ret->e = c->call.event;
    ret->place = *place;

    opens = ret->e->act == PARLEY_CHAT_EDIT && place->epoch == 0;

    rc = opens ? parley_host_change_opens(ret, source) : 0;

    if (rc == 0) {
        rc = parley_host_change_first(c, source, author, ret);
    }

    if (rc != 0 || ret->done) {
        return rc;
    }

    if (parley_host_change_check(c, ret) != 0) {
        return -1;
    }

    if (opens) {
        rc = parley_host_change_open(ret);

        if (rc == 1) {
            return parley_host_change_meets(ret);
        }

        if (rc == 0) {
            rc = parley_host_change_first(c, source, author, ret);
        }
    }

    return rc == 0 ? parley_host_change_load(ret) : rc;
}


/* Reads the record of the message.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_change_first(parley_host_call_t *c, parley_str_t source,
    parley_str_t author, parley_host_change_t *ret)
{
    int           rc;
    parley_str_t  of;

    of = ret->e->of;

    rc = parley_host_event_get(ret->h, of, source, &ret->first);

    if (rc < 0) {
        return rc;
    }

    ret->begun = rc == 1 && ret->first.now != PARLEY_CHAT_MESSAGE
                 && parley_str_eq(ret->first.other, ret->e->id);
    ret->done = rc == 1 && ret->first.now == PARLEY_CHAT_DELETE
                && ret->place.epoch != 0 && !ret->begun;

    if (rc == 1 && parley_str_eq(ret->first.author, author)
        && parley_host_event_base(of).len == of.len
        && (ret->first.now != PARLEY_CHAT_DELETE || ret->begun || ret->done))
    {
        return 0;
    }

    c->refused.retryable = 1;

    return parley_error_set(ret->h->err, PARLEY_E_REPLY_UNMATCHED,
                            PARLEY_HOST_CHANGED, "the author has no such "
                            "message here; it may still come");
}


int
parley_host_change_load(parley_host_change_t *a)
{
    int                 rc;
    parley_log_page_t   page;

    a->id = a->e->of;
    a->lasts_ms = a->first.lasts_ms;
    a->stored = 0;
    a->turn = NULL;
    a->rows = parley_str_none;

    rc = parley_host_change_find_id(a);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_event_read(a->h, a->id, &a->old, &page, &a->p);

    a->stored = rc == 1
                && parley_host_views_read(a->p.views, &a->views, &a->rows)
                   == 0;

    if (a->stored && a->lasts_ms == 0) {
        a->lasts_ms = a->views.deadline_ms;
    }

    if (rc >= 0) {
        parley_host_change_waits(a);
        rc = parley_host_change_turn(a);
    }

    return rc;
}


int
parley_host_change_meets(const parley_host_change_t *a)
{
    return parley_error_set(a->h->err, PARLEY_E_MESSAGE_IN_FLIGHT,
                            PARLEY_HOST_CHANGED, "another change of the "
                            "message is being accepted");
}


/* Finds the event that has the text until now.  Returns 1; 0: it is lost;
   PARLEY_WAIT or -1. */

static int
parley_host_change_find_id(parley_host_change_t *a)
{
    a->old = a->first;

    if (a->begun) {

        if (a->first.before.len == 0) {
            return 1;
        }

        a->id = a->first.before;

    } else if (a->first.now == PARLEY_CHAT_EDIT) {
        a->id = a->first.other;

    } else {
        return 1;
    }

    return parley_host_event_get(a->h, a->id, a->first.source, &a->old);
}


/* Finds out whether the change needs a job for the turn of its message, also if
   a reload has turned turns off since. */

static void
parley_host_change_waits(parley_host_change_t *a)
{
    parley_str_t       rest;
    parley_host_row_t  row;

    a->waits = a->h->host->quiet_ms > 0 || !a->stored;
    rest = a->rows;

    while (!a->waits && parley_host_views_next(&rest, &row)) {
        a->waits = row.waits;
    }
}


int
parley_host_change_turn(parley_host_change_t *a)
{
    int                  rc;
    parley_str_t         before;
    parley_turn_t       *t;
    parley_turn_mark_t   mark, has;

    rc = parley_turn_mark_get(a->h, a->id, a->first.source, &mark);

    if (rc != 1) {
        return rc;
    }

    /* the job of this change may have offered its own turn by now */

    before = parley_str_eq(mark.by, a->e->id) ? mark.before : mark.turn;

    /* the job of a fragment, or that of this edit, may have offered a turn with
       the edit, which stays if the edit is repeated */

    if (a->e->act == PARLEY_CHAT_EDIT && parley_str_eq(mark.by, a->e->id)) {
        a->turned = before.len == 0;

    } else if (a->e->act == PARLEY_CHAT_EDIT) {
        rc = parley_turn_mark_get(a->h, a->e->id, a->first.source, &has);

        if (rc < 0) {
            return rc;
        }

        a->turned = rc == 1 && parley_str_eq(has.turn, mark.turn);

        /* or the job of a later edit, before that edit is in the record of the
           message */

        if (!a->turned && a->place.epoch != 0) {
            rc = parley_host_change_is_before(a, mark.by);

            if (rc < 0) {
                return rc;
            }

            a->turned = rc == 1;
        }

        if (a->turned) {
            return 0;
        }
    }

    if (before.len == 0
        || (a->turn != NULL && parley_str_eq(a->turn->before, before)))
    {
        return 0;
    }

    t = parley_arena_calloc(a->h->arena, sizeof(parley_turn_t));

    if (t == NULL) {
        return parley_error_memory(a->h->err);
    }

    t->h = a->h;
    t->where.source = a->first.source;
    t->where.conversation = a->first.conversation;
    t->where.thread = a->first.thread;
    t->author = a->first.author;
    t->before = before;
    t->first = mark.first;
    t->epoch = a->first.place.epoch;

    a->turn = t;

    rc = parley_turn_read(t, NULL);

    return rc == 0 ? parley_turn_rows(t) : rc;
}


int
parley_host_change_renew(const parley_host_change_t *a)
{
    int  rc;

    rc = parley_turn_renew(a->h, a->e->of, a->first.source);

    if (rc >= 0 && !parley_str_eq(a->id, a->e->of)) {
        rc = parley_turn_renew(a->h, a->id, a->first.source);
    }

    return rc < 0 ? rc : 0;
}


/* Returns the id under which a reader got the message. */

static parley_str_t
parley_host_change_id(const parley_host_change_t *a, parley_str_t sub)
{
    return a->turn != NULL && parley_turn_has(a->turn, sub) ? a->turn->before
                                                            : a->id;
}


static int
parley_host_change_check(parley_host_call_t *c, const parley_host_change_t *a)
{
    if (a->first.act == PARLEY_CHAT_EDIT || a->first.act == PARLEY_CHAT_DELETE)
    {
        return parley_error_set(c->h.err, PARLEY_E_FIELD_INVALID,
                                PARLEY_HOST_CHANGED, "this event is a change; "
                                "name the message that it changes");
    }

    if (a->first.act != PARLEY_CHAT_MESSAGE
        && a->e->act == PARLEY_CHAT_EDIT)
    {
        return parley_error_set(c->h.err, PARLEY_E_FIELD_INVALID,
                                PARLEY_HOST_CHANGED, "only a message can be "
                                "edited");
    }

    if (a->first.kind != a->e->kind
        || !parley_str_eq(a->first.conversation, a->e->conversation)
        || !parley_str_eq(a->first.thread, a->e->thread))
    {
        return parley_error_set(c->h.err, PARLEY_E_FIELD_INVALID,
                                "/params/conversation", "the message of "
                                "change.of is of another conversation or "
                                "thread");
    }

    return 0;
}


int
parley_host_change_due(const parley_host_change_t *a, int64_t *left_ms,
    int64_t *lasts_ms)
{
    int                      rc;
    parley_str_t             rest;
    parley_host_row_t        row;
    parley_host_delivery_t   part;

    rest = a->rows;

    while (parley_host_views_next(&rest, &row)) {

        if (row.verdict.policy != PARLEY_CHAT_MUST && !row.waits) {
            continue;
        }

        rc = parley_host_change_answered(a, &row, &part);

        if (rc < 0) {
            return rc;
        }

        if (rc == 0) {
            *lasts_ms = a->lasts_ms;
            *left_ms = a->p.ms + a->views.deadline_ms - a->h->now_ms;
            *left_ms = *left_ms > 0 ? *left_ms : 1;
        }
    }

    return 0;
}


int
parley_host_change_answered(const parley_host_change_t *a,
    const parley_host_row_t *row, parley_host_delivery_t *part)
{
    int                        rc;
    parley_str_t               id;
    parley_host_delivery_t     above;
    const parley_principal_t  *reader, *to;

    id = parley_host_change_id(a, row->sub);

    rc = parley_host_delivery_get(a->h, id, a->first.source, row->sub, part);

    if (rc < 0 || parley_host_is_open(part)) {
        return rc < 0 ? rc : 0;
    }

    reader = parley_directory_by_sub(a->h->http->directory, row->sub);

    if (reader == NULL || (part->disposition != PARLEY_CHAT_FAILED
                           && part->disposition != PARLEY_CHAT_IGNORED))
    {
        return 1;
    }

    /* a job is to escalate what a reader refused that must respond */

    if (part->escalated == 0) {
        return row->verdict.policy != PARLEY_CHAT_MUST;
    }

    to = parley_host_above(reader, a->first.author, 1);

    if (to == NULL) {
        return 0;
    }

    if (parley_host_escalated_id(a->h->arena, id, 1, &id) != 0) {
        return parley_error_memory(a->h->err);
    }

    rc = parley_host_delivery_get(a->h, id, a->first.source, to->sub, &above);

    /* a change of the turn may have ended it before its job */

    return rc < 0 ? rc : !parley_host_is_open(&above)
                         && above.disposition != PARLEY_CHAT_SUPERSEDED;
}


int
parley_host_change_row(const parley_host_change_t *a, parley_host_row_t *row)
{
    int                      rc;
    parley_host_delivery_t   part;

    rc = parley_host_change_answered(a, row, &part);

    if (rc < 0) {
        return rc;
    }

    row->edited = 1;
    row->late = rc == 1;

    if (rc == 0) {
        return parley_host_change_keep(a, row, &part);
    }

    if (row->verdict.policy > PARLEY_CHAT_MAY) {
        row->verdict.policy = PARLEY_CHAT_MAY;
    }

    if (row->verdict.mode > PARLEY_CHAT_NOTIFY) {
        row->verdict.mode = PARLEY_CHAT_NOTIFY;
    }

    return 0;
}


int
parley_host_change_in_turn(const parley_host_change_t *a,
    const parley_host_row_t *row)
{
    return row->edited && !row->late
           && row->verdict.mode == PARLEY_CHAT_NOTIFY
           && a->turn != NULL && parley_turn_has(a->turn, row->sub);
}


int
parley_host_change_keep(const parley_host_change_t *a,
    const parley_host_row_t *row, const parley_host_delivery_t *part)
{
    int                        rc;
    int64_t                    due;
    parley_str_t               id;
    const parley_principal_t  *reader, *to;

    rc = part->due_ms != 0
         ? parley_host_change_put(a, a->e->id, row->sub, part->due_ms) : 0;

    reader = parley_directory_by_sub(a->h->http->directory, row->sub);

    if (rc < 0 || !a->stored || part->escalated == 0 || reader == NULL) {
        return rc;
    }

    to = parley_host_above(reader, a->first.author, 1);

    if (to == NULL) {
        return 0;
    }

    due = part->due_ms != 0 ? part->due_ms : a->p.ms + a->views.deadline_ms;

    return parley_host_escalated_id(a->h->arena, a->e->id, 1, &id) != 0
           ? parley_error_memory(a->h->err)
           : parley_host_change_put(a, id, to->sub, due + a->lasts_ms);
}


/* Puts a reader's part of the edit, unless an earlier try has put it. */

static int
parley_host_change_put(const parley_host_change_t *a, parley_str_t id,
    parley_str_t sub, int64_t due_ms)
{
    int                      rc;
    parley_host_delivery_t   part;

    memset(&part, 0, sizeof(parley_host_delivery_t));

    part.due_ms = due_ms;
    part.extended = 1;

    rc = parley_host_delivery_put(a->h, id, a->first.source, sub, &part);

    return rc < 0 ? rc : 0;
}


int
parley_host_event_now(parley_host_t *h, parley_str_t *id,
    parley_host_event_t *event)
{
    int                  rc;
    parley_host_event_t  first;

    first = *event;

    if (event->act == PARLEY_CHAT_EDIT || event->act == PARLEY_CHAT_DELETE) {

        rc = parley_host_event_get(h, event->other, event->source, &first);

        if (rc != 1) {
            return rc;
        }
    }

    if (first.now == PARLEY_CHAT_MESSAGE) {
        return event->act != PARLEY_CHAT_DELETE;
    }

    /* an edit that is appended is not yet in the record of its message */

    if (event->act == PARLEY_CHAT_EDIT && first.now == PARLEY_CHAT_EDIT
        && !parley_str_eq(first.other, *id))
    {
        rc = parley_host_change_follows(h, *id, &first);

        if (rc != 0) {
            return rc;
        }
    }

    *id = first.other;

    return first.now == PARLEY_CHAT_DELETE
           ? 0 : parley_host_event_get(h, *id, first.source, event);
}
