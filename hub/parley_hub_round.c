/* Rounds: write new records to all subscribers of a group. */

#include "hub/parley_hub_parts.h"


/* subscribers of a group that are served before the next group */
#define PARLEY_HUB_SERVED  64


static void parley_hub_round_begin(parley_hub_t *hub,
    parley_hub_group_t *group);
static int parley_hub_round_text(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_subscriber_t *s, parley_hub_text_t *text);
static int parley_hub_round_event(parley_hub_t *hub,
    parley_hub_group_t *group, const parley_subscriber_t *s,
    const parley_hub_entry_t *entry, parley_hub_text_t *text,
    parley_buf_t *b);
static void parley_hub_round_serve(parley_hub_t *hub,
    parley_hub_group_t *group);
static void parley_hub_round_end(parley_hub_t *hub,
    parley_hub_group_t *group);
static void parley_hub_round_next(parley_hub_t *hub);
static int parley_hub_send_part(parley_hub_t *hub, parley_subscriber_t *s,
    parley_hub_text_t *text, size_t n);
static void parley_hub_sent(parley_hub_t *hub, const parley_subscriber_t *s,
    parley_hub_text_t *text, uint32_t n);


void
parley_hub_queue(parley_hub_t *hub, parley_hub_group_t *group)
{
    if (group->queued) {
        return;
    }

    if (group->todo == NULL) {
        group->base = group->channel->seq;
        group->base_place = group->channel->place;
        parley_hub_arrive(hub, group);
        return;
    }

    group->queued = 1;
    group->queue = NULL;
    group->channel->queued++;

    *hub->rounds_last = group;
    hub->rounds_last = &group->queue;

    parley_hub_ask(hub);
}


void
parley_hub_unqueue(parley_hub_t *hub, parley_hub_group_t *group)
{
    parley_hub_group_t  **link;

    for (link = &hub->rounds; *link != group; link = &(*link)->queue) {
        /* void */
    }

    *link = group->queue;

    if (*link == NULL) {
        hub->rounds_last = link;
    }

    group->queued = 0;
    group->channel->queued--;
}


/* an empty group is freed after it was served */

void
parley_hub_round(parley_hub_t *hub)
{
    parley_hub_group_t  *group;

    group = hub->rounds;
    hub->serving = group;

    if (!group->going) {
        parley_hub_round_begin(hub, group);
    }

    if (group->todo != NULL) {
        parley_hub_round_serve(hub, group);
    }

    if (group->todo == NULL) {
        parley_hub_round_end(hub, group);

    } else if (++hub->served >= PARLEY_HUB_SERVED) {
        parley_hub_round_next(hub);
    }

    hub->serving = NULL;
    parley_hub_group_leave(hub, group);
}


/*
 * Begins a round.  Without memory, each subscriber reads by itself at its turn.
 */

static void
parley_hub_round_begin(parley_hub_t *hub, parley_hub_group_t *group)
{
    parley_subscriber_t  *s;

    hub->served = 0;

    group->going = 1;
    group->named = 0;
    group->target = group->channel->seq;
    group->target_place = group->channel->place;

    if (parley_hub_round_text(hub, group, NULL, &group->round) != 0) {

        while ((s = group->todo) != NULL) {
            if (!s->ahead) {
                parley_hub_put(s, &group->base_place,
                               group->round.before_sum);
            }

            s->ahead = 0;
            parley_hub_ready(hub, s);
        }

    } else if (group->round.n == 0 && !group->named) {

        group->done = group->todo;
        group->todo = NULL;

        if (group->done != NULL) {
            group->done->link = &group->done;
        }
    }

    parley_hub_arrive(hub, group);
}


/* Collects the events for all of the group (s NULL), or for one subscriber. */

static int
parley_hub_round_text(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_subscriber_t *s, parley_hub_text_t *text)
{
    uint64_t                   n;
    uint32_t                   i;
    parley_buf_t               b;
    parley_hub_channel_t      *channel;
    const parley_hub_entry_t  *entry;

    channel = group->channel;
    n = group->target - group->base;
    i = channel->nentries - (uint32_t) (channel->seq - group->base);

    if (parley_hub_text_begin(hub, text, n, &b) != 0) {
        return -1;
    }

    text->before = group->base_place;
    text->before_sum = channel->entries[i].sum
                       - (channel->entries[i].item != NULL
                          ? (uint32_t) channel->entries[i].item
                                              ->publication.message.len : 0);

    if (s != NULL && s->ahead) {
        text->before.epoch = s->epoch;
        text->before.offset = s->offset;
        text->before_sum = s->sum;
    }

    for (entry = &channel->entries[i]; n != 0; n--, entry++) {
        if (parley_hub_round_event(hub, group, s, entry, text, &b) != 0) {
            return -1;
        }
    }

    return parley_hub_text_end(text, &b);
}


static int
parley_hub_round_event(parley_hub_t *hub, parley_hub_group_t *group,
    const parley_subscriber_t *s, const parley_hub_entry_t *entry,
    parley_hub_text_t *text, parley_buf_t *b)
{
    int                     rc;
    parley_str_t            written;
    parley_hub_item_t      *item;
    const parley_stream_t  *stream;

    item = entry->item;
    stream = group->stream;

    if (s != NULL && s->ahead && s->epoch == entry->place.epoch
        && s->offset >= entry->place.offset)
    {
        return 0;
    }

    if (item == NULL) {
        parley_hub_form_gap(b, stream->form, &entry->place);
        parley_hub_text_event(text, b, &entry->place, entry->sum, 0);
        return 0;
    }

    rc = item->ends >= parley_hub_now(hub)
         ? parley_hub_admits(hub, group, item) : 0;

    if (rc == 2) {
        group->named = 1;
        rc = s != NULL && parley_str_eq(s->session,
                                   item->publication.audience.session);
    }

    if (rc == 0) {
        return 0;
    }

    rc = parley_hub_item_written(hub, item, group, &text->arena, &written);

    if (rc == 0) {
        parley_hub_form_event(b, stream, &entry->place, written);
        parley_hub_text_event(text, b, &entry->place, entry->sum,
                              item->publication.owed);
    }

    return rc < 0 ? -1 : 0;
}


static void
parley_hub_round_serve(parley_hub_t *hub, parley_hub_group_t *group)
{
    int                   rc;
    parley_hub_text_t     text;
    parley_subscriber_t  *s;

    s = group->todo;

    if (group->named || s->ahead) {

        if (parley_hub_round_text(hub, group, s, &text) != 0) {
            parley_hub_text_free(&text);
            parley_hub_end(hub, s, PARLEY_END_MEMORY);
            return;
        }

        s->ahead = 0;
        rc = parley_hub_send(hub, s, &text);
        parley_hub_text_free(&text);

    } else {
        rc = parley_hub_send(hub, s, &group->round);
    }

    if (rc == 1) {
        parley_hub_move(hub, s, &group->done, PARLEY_SUBSCRIBER_LIVE);
    }
}


/* Ends the round of the first queued group. */

static void
parley_hub_round_end(parley_hub_t *hub, parley_hub_group_t *group)
{
    parley_hub_channel_t  *channel;

    channel = group->channel;

    parley_hub_text_free(&group->round);

    group->todo = group->done;
    group->done = NULL;

    if (group->todo != NULL) {
        group->todo->link = &group->todo;
    }

    group->going = 0;
    group->base = group->target;
    group->base_place = group->base == channel->seq ? channel->place
                                                    : group->target_place;

    while (channel->closed && !channel->stale && group->base == channel->seq
           && group->todo != NULL)
    {
        parley_hub_end(hub, group->todo, PARLEY_END_CLOSED);
    }

    parley_hub_unqueue(hub, group);

    if (group->base != channel->seq) {
        parley_hub_queue(hub, group);
    }

    parley_hub_arrive(hub, group);
    parley_hub_channel_trim(hub, channel);
}


/* Moves to the next group. */

static void
parley_hub_round_next(parley_hub_t *hub)
{
    parley_hub_group_t  *group;

    hub->served = 0;
    group = hub->rounds;

    if (group->queue == NULL) {
        return;
    }

    hub->rounds = group->queue;
    group->queue = NULL;

    *hub->rounds_last = group;
    hub->rounds_last = &group->queue;
}


int
parley_hub_send(parley_hub_t *hub, parley_subscriber_t *s,
    parley_hub_text_t *text)
{
    int64_t  n;

    if (text->n == 0) {
        return 1;
    }

    n = hub->env.write(hub->env.ctx, s, text->text);
    hub->stat.writes++;

    if (n < 0) {
        parley_hub_end(hub, s, PARLEY_END_GONE);
        return -1;
    }

    /* a WebSocket gets pings even if other frames are written */

    if (s->group->stream->form == PARLEY_FORM_EVENTS) {
        s->written = hub->now;
    }

    hub->turned += (size_t) n;

    if ((size_t) n == text->text.len) {
        parley_hub_sent(hub, s, text, text->n);
        return 1;
    }

    return parley_hub_send_part(hub, s, text, (size_t) n);
}


/*
 * Keeps only the rest of the event that is partly written; later events are
 * read again.
 */

static int
parley_hub_send_part(parley_hub_t *hub, parley_subscriber_t *s,
    parley_hub_text_t *text, size_t n)
{
    size_t                     begin;
    uint32_t                   i;
    const parley_hub_event_t  *event;

    for (i = 0; text->events[i].end <= n; i++) {
        /* void */
    }

    parley_hub_sent(hub, s, text, i);

    event = &text->events[i];
    begin = i != 0 ? event[-1].end : 0;

    if (n > begin || text->opens) {
        s->rest_at = 0;
        s->rest_len = (uint32_t) (event->end - n);
        s->rest = parley_hub_alloc(hub, s->rest_len);

        if (s->rest == NULL) {
            parley_hub_end(hub, s, PARLEY_END_MEMORY);
            return -1;
        }

        memcpy(s->rest, text->text.data + n, s->rest_len);
        s->rest_owed = event->owed;
        parley_hub_put(s, &event->place, event->sum);

    } else if (i != 0) {
        parley_hub_put(s, &event[-1].place, event[-1].sum);

    } else {
        parley_hub_put(s, &text->before, text->before_sum);
    }

    parley_hub_move(hub, s, &s->group->blocked, PARLEY_SUBSCRIBER_BLOCKED);
    parley_hub_due(hub, s);

    return 0;
}


/* Counts the first n events of a text as delivered.  An event that is owed is
   then delivered for the whole group. */

static void
parley_hub_sent(parley_hub_t *hub, const parley_subscriber_t *s,
    parley_hub_text_t *text, uint32_t n)
{
    uint32_t             i;
    parley_hub_event_t  *event;

    hub->stat.delivered += n;

    for (i = 0; i < n && s->owns; i++) {
        event = &text->events[i];

        if (event->owed) {
            event->owed = 0;
            parley_hub_had(hub, s, &event->place, 0);
        }
    }
}


void
parley_hub_had(parley_hub_t *hub, const parley_subscriber_t *s,
    const parley_place_t *place, int all)
{
    parley_had_t  had;

    if (s->group->stream->confirms) {
        return;
    }

    had.log = s->group->channel->key;
    had.places = place;
    had.n = 1;
    had.all = all != 0;

    (void) hub->state->ops->log->had(hub->state, &had, NULL);
}


int
parley_hub_text_begin(parley_hub_t *hub, parley_hub_text_t *text,
    size_t events, parley_buf_t *b)
{
    memset(text, 0, sizeof(parley_hub_text_t));

    parley_arena_init(&text->arena, &hub->env.mem, 0);
    parley_buf_init(b, &text->arena, 0);

    text->events = parley_arena_alloc(&text->arena,
                                      (events + 1)
                                      * sizeof(parley_hub_event_t));

    return text->events != NULL ? 0 : -1;
}


void
parley_hub_text_event(parley_hub_text_t *text, const parley_buf_t *b,
    const parley_place_t *place, uint32_t sum, int owed)
{
    parley_hub_event_t  *event;

    event = &text->events[text->n++];

    event->end = b->len;
    event->place = *place;
    event->sum = sum;
    event->owed = owed != 0;
}


int
parley_hub_text_end(parley_hub_text_t *text, parley_buf_t *b)
{
    return parley_buf_done(b, &text->text);
}


void
parley_hub_text_free(parley_hub_text_t *text)
{
    parley_arena_reset(&text->arena);
    text->n = 0;
}
