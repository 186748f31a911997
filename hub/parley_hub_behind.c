/* Subscribers that are behind: each reads from its own place. */

#include "hub/parley_hub_parts.h"


static int parley_hub_rest(parley_hub_t *hub, parley_subscriber_t *s);
static void parley_hub_read(parley_hub_t *hub, parley_subscriber_t *s);
static int parley_hub_page(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_page_t *page);
static int parley_hub_page_text(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_page_t *page, parley_hub_text_t *text, uint32_t sum);
static int parley_hub_page_event(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_record_t *record, parley_arena_t *arena,
    parley_str_t *ret, int *owed);


void
parley_hub_ready(parley_hub_t *hub, parley_subscriber_t *s)
{
    parley_hub_move(hub, s, hub->ready.last, PARLEY_SUBSCRIBER_READY);
    hub->ready.last = &s->next;

    parley_hub_ask(hub);
}


void
parley_hub_arrive(parley_hub_t *hub, parley_hub_group_t *group)
{
    parley_subscriber_t  *s, *next;

    for (s = group->waiting; s != NULL; s = next) {
        next = s->next;

        if (!parley_hub_meet(hub, s)) {
            parley_hub_ready(hub, s);
        }
    }
}


void
parley_hub_writable(parley_hub_t *hub, parley_subscriber_t *s)
{
    if (s->state == PARLEY_SUBSCRIBER_BLOCKED) {
        parley_hub_ready(hub, s);
    }
}


/*
 * Makes at most one write.  The rest of an event is written before the
 * subscriber reads.
 */

void
parley_hub_step(parley_hub_t *hub, parley_subscriber_t *s)
{
    if (s->rest != NULL) {
        if (parley_hub_rest(hub, s) == 1) {
            (void) parley_hub_meet(hub, s);
        }

    } else if (!parley_hub_meet(hub, s)) {
        parley_hub_read(hub, s);
    }
}


/*
 * A subscriber is live if its place is that of its group, before, in or after a
 * round.  It waits if its group has not reached its place.  It is not live
 * before it has the records from before its join.
 */

int
parley_hub_meet(parley_hub_t *hub, parley_subscriber_t *s)
{
    const parley_place_t  *goal;
    parley_hub_group_t    *group;
    parley_hub_channel_t  *channel;
    parley_subscriber_t  **list;

    if (s->late != 0) {
        return 0;
    }

    group = s->group;
    channel = group->channel;
    goal = group->going ? &group->target_place : &group->base_place;

    if (s->epoch == goal->epoch && s->offset > goal->offset) {
        parley_hub_move(hub, s, &group->waiting, PARLEY_SUBSCRIBER_WAITING);
        return 1;
    }

    if (parley_hub_is_at(s, &group->base_place)) {
        list = &group->todo;

    } else if (parley_hub_is_at(s, goal)) {
        list = &group->done;

    } else if (group->going && s->epoch == group->base_place.epoch
               && s->epoch == goal->epoch
               && s->offset > group->base_place.offset)
    {
        list = &group->todo;
        s->ahead = 1;

    } else {
        return 0;
    }

    s->caught = 1;
    s->told = 0;

    if (channel->closed && !group->queued) {

        /* end it at the next tick, since the caller still uses it */

        s->ends = hub->now + 1;
        s->why = PARLEY_END_CLOSED;
    }

    parley_hub_move(hub, s, list, PARLEY_SUBSCRIBER_LIVE);
    parley_hub_due(hub, s);

    return 1;
}


/* Writes the rest of an event.  Returns 1 if nothing of it remains. */

static int
parley_hub_rest(parley_hub_t *hub, parley_subscriber_t *s)
{
    int64_t         n;
    parley_place_t  place;

    n = hub->env.write(hub->env.ctx, s,
                       parley_str_make(s->rest + s->rest_at,
                                       s->rest_len - s->rest_at));
    hub->stat.writes++;

    if (n < 0) {
        parley_hub_end(hub, s, PARLEY_END_GONE);
        return -1;
    }

    if (s->group->stream->form == PARLEY_FORM_EVENTS) {
        s->written = hub->now;
    }

    hub->turned += (size_t) n;
    s->rest_at += (uint32_t) n;

    if (s->rest_at < s->rest_len) {
        parley_hub_move(hub, s, &s->group->blocked,
                        PARLEY_SUBSCRIBER_BLOCKED);
        return 0;
    }

    parley_hub_release(hub, s->rest);
    s->rest = NULL;
    hub->stat.delivered++;

    if (s->rest_owed && s->owns) {
        place.epoch = s->epoch;
        place.offset = s->offset;
        parley_hub_had(hub, s, &place, 0);
    }

    s->rest_owed = 0;

    return 1;
}


/* Reads up to the place of its group, or up to its place at the join. */

static void
parley_hub_read(parley_hub_t *hub, parley_subscriber_t *s)
{
    parley_hub_op_t       *op;
    parley_log_read_t      read;
    parley_hub_group_t    *group;
    const parley_place_t  *goal;

    group = s->group;
    goal = group->going ? &group->target_place : &group->base_place;

    op = parley_hub_op(hub, PARLEY_HUB_OP_READ);

    if (op == NULL) {
        parley_hub_end(hub, s, PARLEY_END_MEMORY);
        return;
    }

    op->subscriber = s;
    op->place = group->channel->place;
    s->op = op;

    parley_hub_move(hub, s, &group->busy, PARLEY_SUBSCRIBER_READING);

    memset(&read, 0, sizeof(parley_log_read_t));

    read.log = group->channel->key;
    read.from.epoch = s->epoch;
    read.from.offset = s->offset;
    read.to = s->late != 0 ? s->late
              : s->epoch == goal->epoch ? goal->offset : 0;
    read.late = s->late != 0;
    read.which = s->begins && s->late != 0 ? PARLEY_LOG_OWED
                                           : PARLEY_LOG_AND_OWED;
    parley_hub_op_reads(op, &read);

    parley_hub_op_asked(op, hub->state->ops->log->read(hub->state, &read,
                                                       &op->ret.page,
                                                       &op->call));
}


/* Handles the page of a read.  If the log has a new epoch that the channel has
   not seen, the subscriber waits for the channel.  If the channel moved during
   the read, the subscriber reads again. */

void
parley_hub_read_on(parley_hub_op_t *op)
{
    int                    rc;
    parley_hub_t          *hub;
    parley_log_page_t     *page;
    parley_subscriber_t   *s;

    hub = op->hub;
    s = op->subscriber;
    page = &op->ret.page;

    s->op = NULL;

    if (page->n < 0) {
        parley_hub_end(hub, s, PARLEY_END_MEMORY);
        rc = -1;

    } else if (page->epoch == 0) {
        parley_hub_end(hub, s, PARLEY_END_LOST);
        rc = -1;

    } else if (page->epoch != s->group->channel->place.epoch
               && op->place.epoch != s->group->channel->place.epoch)
    {
        rc = 1;

    } else if (page->epoch != s->group->channel->place.epoch) {
        parley_hub_move(hub, s, &s->group->waiting,
                        PARLEY_SUBSCRIBER_WAITING);
        rc = 0;

    } else {
        rc = parley_hub_page(hub, s, page);
    }

    parley_hub_op_free(op);

    if (rc == 1) {
        parley_hub_ready(hub, s);
    }
}


/* Writes a page.  Returns 1 if all of it was written; see parley_hub_send(). */

static int
parley_hub_page(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_page_t *page)
{
    int                rc;
    uint32_t           sum;
    parley_place_t     place;
    parley_hub_text_t  text;

    /* a new subscriber is not behind by records from before its join */

    sum = s->caught ? s->group->channel->sum - (uint32_t) page->behind
                    : s->sum;

    if (parley_hub_page_text(hub, s, page, &text, sum) != 0) {
        parley_hub_text_free(&text);
        parley_hub_end(hub, s, PARLEY_END_MEMORY);
        return -1;
    }

    s->told = 0;
    rc = parley_hub_send(hub, s, &text);

    parley_hub_text_free(&text);

    if (rc == 1) {
        place.epoch = page->epoch;
        place.offset = page->at;
        parley_hub_put(s, &place, sum);

        if (page->at >= s->late || page->at >= page->last) {
            s->late = 0;
        }
    }

    return rc;
}


static int
parley_hub_page_text(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_page_t *page, parley_hub_text_t *text, uint32_t sum)
{
    int             i, rc, owed;
    parley_buf_t    b;
    parley_str_t    written;
    parley_form_t   form;
    parley_place_t  place;

    form = s->group->stream->form;

    if (parley_hub_text_begin(hub, text, (size_t) page->n + 1, &b) != 0) {
        return -1;
    }

    place.epoch = s->epoch;
    place.offset = s->offset;

    text->before = place;
    text->before_sum = sum;

    place.epoch = page->epoch;

    if (page->lost && !(s->told && page->epoch == s->epoch)) {
        place.offset = page->first - 1;
        parley_hub_form_gap(&b, form, &place);
        parley_hub_text_event(text, &b, &place, sum, 0);
    }

    for (i = 0; i < page->n; i++) {

        rc = parley_hub_page_event(hub, s, &page->list[i], &text->arena,
                                   &written, &owed);
        if (rc < 0) {
            return -1;
        }

        if (rc != 0) {
            continue;
        }

        place.offset = page->list[i].offset;

        parley_hub_form_event(&b, s->group->stream, &place, written);
        parley_hub_text_event(text, &b, &place, sum, owed);
    }

    return parley_hub_text_end(text, &b);
}


/* Writes the event of a record.  Returns 1 if it is not for this subscriber. */

static int
parley_hub_page_event(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_log_record_t *record, parley_arena_t *arena,
    parley_str_t *ret, int *owed)
{
    int                    rc;
    parley_hub_group_t    *group;
    parley_publication_t   p;

    group = s->group;

    if (parley_publication_read(record->octets, &p) != 0) {
        return 1;
    }

    *owed = p.owed;
    rc = parley_selector_admits(&group->selector->selector, &p);

    if (rc == 0 || (rc == 2 && !parley_str_eq(s->session, p.audience.session))
        || (hub->env.admits != NULL
            && !hub->env.admits(hub->env.ctx, group->stream, group->reader,
                                &p)))
    {
        return 1;
    }

    return parley_hub_written(hub, &p, group, arena, ret);
}
