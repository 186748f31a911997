/* Handles records from the state: the feed, and reads of channels. */

#include "hub/parley_hub_parts.h"


#define PARLEY_HUB_ENTRIES  16      /* initial room for entries of a channel */


static void parley_hub_feed_record(parley_hub_t *hub, const parley_fed_t *fed);
static void parley_hub_feed_told(parley_hub_t *hub,
    const parley_publication_t *p);
static void parley_hub_feed_place(parley_hub_t *hub, const parley_fed_t *fed,
    const parley_placed_t *placed, parley_hub_item_t **item);
static void parley_hub_end_all(parley_hub_t *hub, const uint8_t *log,
    const parley_publication_t *p, parley_end_t why);
static void parley_hub_replaced_joining(parley_hub_t *hub,
    const parley_publication_t *p);
static parley_subscriber_t *parley_hub_find(parley_subscriber_t *s,
    const parley_hub_channel_t *channel, const parley_publication_t *p);
static parley_subscriber_t *parley_hub_find_group(parley_hub_group_t *group,
    const parley_publication_t *p);
static int parley_hub_push(parley_hub_t *hub, parley_hub_channel_t *channel,
    parley_hub_item_t *item, const parley_place_t *place);
static void parley_hub_behind(parley_hub_t *hub);
static int parley_hub_resync_ask(parley_hub_t *hub,
    parley_hub_channel_t *channel);
static int parley_hub_resync_page(parley_hub_t *hub,
    parley_hub_channel_t *channel, const parley_log_page_t *page);
static void parley_hub_pass(parley_hub_t *hub, parley_hub_channel_t *channel,
    uint64_t offset);


void
parley_hub_wake(parley_hub_t *hub)
{
    if (hub->position != 0) {
        parley_hub_feed(hub);
    }
}


void
parley_hub_feed(parley_hub_t *hub)
{
    parley_feed_t     feed;
    parley_hub_op_t  *op;

    if (hub->feeding != NULL) {
        hub->again = 1;
        return;
    }

    if (hub->stat.buffered >= PARLEY_HUB_BUFFERED) {
        hub->hungry = 1;
        return;
    }

    /* without memory, the next tick tries again */

    op = parley_hub_op(hub, PARLEY_HUB_OP_FEED);

    if (op == NULL) {
        hub->hungry = 1;
        return;
    }

    memset(&feed, 0, sizeof(parley_feed_t));

    feed.position = hub->position;
    feed.records = PARLEY_HUB_RECORDS;
    feed.octets = PARLEY_HUB_OCTETS;
    feed.arena = &op->arena;

    hub->again = 0;
    hub->feeding = op;

    parley_hub_op_asked(op, hub->state->ops->log->feed(hub->state, &feed,
                                                       &op->ret.fed,
                                                       &op->call));
}


void
parley_hub_unfeed(parley_hub_t *hub)
{
    parley_feed_t     feed;
    parley_hub_op_t  *op;

    hub->again = 0;
    hub->hungry = 0;
    hub->position = 0;

    if (hub->feeding != NULL) {

        if (hub->feeding->kind == PARLEY_HUB_OP_UNFEED) {
            return;
        }

        parley_hub_op_cancel(hub->feeding);
        hub->feeding = NULL;
    }

    memset(&feed, 0, sizeof(parley_feed_t));
    feed.ends = 1;

    op = parley_hub_op(hub, PARLEY_HUB_OP_UNFEED);

    if (op == NULL) {
        (void) hub->state->ops->log->feed(hub->state, &feed, NULL, NULL);
        return;
    }

    hub->feeding = op;

    parley_hub_op_asked(op, hub->state->ops->log->feed(hub->state, &feed,
                                                       &op->ret.fed,
                                                       &op->call));
}


/* A new feed begins only now: the end could take effect after it. */

void
parley_hub_unfed(parley_hub_op_t *op)
{
    parley_hub_t  *hub;

    hub = op->hub;
    hub->feeding = NULL;

    parley_hub_op_free(op);

    if (hub->again) {
        parley_hub_feed(hub);
    }
}


/* a subscription ended by a fed record may have been the last one */

void
parley_hub_fed(parley_hub_op_t *op)
{
    int                 i, first;
    parley_hub_t       *hub;
    parley_feed_page_t  page;

    hub = op->hub;
    page = op->ret.fed;

    hub->feeding = NULL;

    if (page.n < 0) {
        hub->hungry = 1;
        parley_hub_op_free(op);
        return;
    }

    first = hub->position == 0;
    hub->position = page.position;

    if (page.behind) {
        parley_hub_behind(hub);
    }

    for (i = 0; i < page.n && hub->stat.subscribers != 0; i++) {
        parley_hub_feed_record(hub, &page.list[i]);
    }

    parley_hub_op_free(op);

    if (first && hub->position != 0) {
        parley_hub_join_all(hub);
    }

    if ((page.more || hub->again) && hub->position != 0) {
        parley_hub_feed(hub);
    }
}


static void
parley_hub_feed_record(parley_hub_t *hub, const parley_fed_t *fed)
{
    size_t                 i;
    parley_hub_item_t     *item;
    parley_publication_t   p;

    if (fed->nplaces == 0) {

        if (parley_publication_read(fed->octets, &p) == 0) {
            parley_hub_feed_told(hub, &p);
        }

        return;
    }

    item = NULL;

    for (i = 0; i < fed->nplaces; i++) {
        parley_hub_feed_place(hub, fed, &fed->places[i], &item);
    }

    parley_hub_item_free(hub, item);
}


/* Handles a record for the processes, which is not in a log. */

static void
parley_hub_feed_told(parley_hub_t *hub, const parley_publication_t *p)
{
    switch (p->kind) {

    case PARLEY_PUBLICATION_REPLACED:
        parley_hub_replaced_joining(hub, p);
        parley_hub_end_all(hub, p->log, p, PARLEY_END_REPLACED);
        break;

    case PARLEY_PUBLICATION_CANCELLED:

        if (hub->env.cancelled != NULL) {
            hub->env.cancelled(hub->env.ctx, p);
        }

        break;

    default: /* PARLEY_PUBLICATION_MESSAGE */ break;
    }
}


static void
parley_hub_feed_place(parley_hub_t *hub, const parley_fed_t *fed,
    const parley_placed_t *placed, parley_hub_item_t **item)
{
    parley_place_t         place;
    parley_hub_channel_t  *channel;

    channel = parley_hub_channel(hub, placed->log);

    if (channel == NULL) {
        return;
    }

    channel->closed |= fed->closes;

    if (channel->placed && placed->place.epoch != channel->place.epoch) {

        /* the log has a new epoch */

        place = placed->place;
        place.offset = 0;

        parley_hub_jump(hub, channel, &place);

        if (placed->place.offset != 1) {
            parley_hub_resync(hub, channel);
        }
    }

    if (channel->stale) {

        if (channel->seen < placed->place.offset) {
            channel->seen = placed->place.offset;
        }

        return;
    }

    if (placed->place.offset <= channel->place.offset) {
        return;
    }

    if (*item == NULL) {
        *item = parley_hub_item(hub, fed->octets, fed->left);
    }

    if (*item == NULL
        || parley_hub_push(hub, channel, *item, &placed->place) != 0)
    {
        channel->seen = placed->place.offset;
        parley_hub_resync(hub, channel);
    }
}


/* Notes the stamp at joining subscribers, which do not know their own yet. */

static void
parley_hub_replaced_joining(parley_hub_t *hub, const parley_publication_t *p)
{
    parley_subscriber_t   *s;
    parley_hub_group_t    *group;
    parley_hub_channel_t  *channel;

    channel = parley_hub_channel(hub, p->log);

    if (channel == NULL) {
        return;
    }

    for (group = channel->groups; group != NULL; group = group->next) {
        for (s = group->busy; s != NULL; s = s->next) {
            if (s->state == PARLEY_SUBSCRIBER_JOINING && s->op != NULL
                && s->op->replaced < p->stamp
                && parley_str_eq(s->session, p->audience.session))
            {
                s->op->replaced = p->stamp;
            }
        }
    }
}


/* Ends the subscribers of a log that have a session; p NULL: all. */

static void
parley_hub_end_all(parley_hub_t *hub, const uint8_t *log,
    const parley_publication_t *p, parley_end_t why)
{
    uint8_t                key[PARLEY_KEY_LEN];
    parley_subscriber_t   *s;
    parley_hub_group_t    *group;
    parley_hub_channel_t  *channel;

    /* log may be the channel's key, which is freed with its last subscriber */

    memcpy(key, log, PARLEY_KEY_LEN);

    do {
        channel = parley_hub_channel(hub, key);

        if (channel == NULL) {
            return;
        }

        s = parley_hub_find(hub->ready.first, channel, p);

        for (group = channel->groups;
             group != NULL && s == NULL;
             group = group->next)
        {
            s = parley_hub_find_group(group, p);
        }

        if (s != NULL) {
            parley_hub_end(hub, s, why);
        }

    } while (s != NULL);
}


static parley_subscriber_t *
parley_hub_find(parley_subscriber_t *s, const parley_hub_channel_t *channel,
    const parley_publication_t *p)
{
    for ( ; s != NULL; s = s->next) {
        if (s->group->channel == channel
            && (p == NULL
                || (s->stamp != 0 && s->stamp < p->stamp
                    && parley_str_eq(s->session, p->audience.session))))
        {
            return s;
        }
    }

    return NULL;
}


static parley_subscriber_t *
parley_hub_find_group(parley_hub_group_t *group,
    const parley_publication_t *p)
{
    unsigned              i;
    parley_subscriber_t  *s, *const lists[] = {
        group->todo, group->done, group->blocked, group->waiting, group->busy
    };

    s = NULL;

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]) && s == NULL; i++) {
        s = parley_hub_find(lists[i], group->channel, p);
    }

    return s;
}


/* Adds an entry for live subscribers; others read the log. */

static int
parley_hub_push(parley_hub_t *hub, parley_hub_channel_t *channel,
    parley_hub_item_t *item, const parley_place_t *place)
{
    uint32_t             room;
    parley_hub_group_t  *group;
    parley_hub_entry_t  *entries;

    if (channel->nentries == channel->room) {
        room = channel->room != 0 ? channel->room * 2 : PARLEY_HUB_ENTRIES;
        entries = parley_hub_alloc(hub, room * sizeof(parley_hub_entry_t));

        if (entries == NULL) {
            return -1;
        }

        if (channel->nentries != 0) {
            memcpy(entries, channel->entries,
                   channel->nentries * sizeof(parley_hub_entry_t));
        }

        parley_hub_release(hub, channel->entries);

        channel->entries = entries;
        channel->room = room;
    }

    if (item != NULL) {
        item->refs++;
        channel->sum += (uint32_t) item->publication.message.len;
    }

    entries = &channel->entries[channel->nentries++];

    entries->item = item;
    entries->place = *place;
    entries->sum = channel->sum;

    channel->place = *place;
    channel->seq++;

    for (group = channel->groups; group != NULL; group = group->next) {
        parley_hub_queue(hub, group);
    }

    parley_hub_channel_trim(hub, channel);

    return 0;
}


void
parley_hub_channel_trim(parley_hub_t *hub, parley_hub_channel_t *channel)
{
    uint32_t  i;

    if (channel->queued != 0) {
        return;
    }

    for (i = 0; i < channel->nentries; i++) {
        parley_hub_item_free(hub, channel->entries[i].item);
    }

    channel->nentries = 0;
}


/* Adds a gap.  Without memory, the channel reads the log and finds the gap. */

void
parley_hub_jump(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_place_t *place)
{
    if (channel->place.epoch != place->epoch) {
        channel->seen = 0;
    }

    if (parley_hub_push(hub, channel, NULL, place) != 0) {
        parley_hub_resync(hub, channel);
    }
}


/* Handles a feed that is behind: records may be lost, so all channels read. */

static void
parley_hub_behind(parley_hub_t *hub)
{
    uint32_t               i;
    parley_hub_channel_t  *channel;

    for (i = 0; i < hub->nbuckets; i++) {
        for (channel = hub->channels[i];
             channel != NULL;
             channel = channel->next)
        {
            if (channel->placed) {
                parley_hub_resync(hub, channel);

            } else {
                /* read after the first join */
                channel->again = 1;
            }
        }
    }
}


void
parley_hub_resync(parley_hub_t *hub, parley_hub_channel_t *channel)
{
    channel->stale = 1;
    channel->again = channel->op != NULL;

    if (channel->op == NULL && !channel->listed) {
        channel->listed = 1;
        channel->stale_next = hub->stale;
        hub->stale = channel;
    }

    parley_hub_ask(hub);
}


void
parley_hub_resume(parley_hub_t *hub)
{
    parley_hub_channel_t  *channel;

    while (hub->stale != NULL && hub->stat.buffered < PARLEY_HUB_BUFFERED) {
        channel = hub->stale;

        hub->stale = channel->stale_next;
        channel->listed = 0;

        if (parley_hub_resync_ask(hub, channel) != 0) {
            parley_hub_resync(hub, channel);
            return;
        }
    }

    if (hub->hungry && hub->stat.buffered < PARLEY_HUB_BUFFERED) {
        hub->hungry = 0;

        if (hub->stat.subscribers != 0) {
            parley_hub_feed(hub);
        }
    }
}


static int
parley_hub_resync_ask(parley_hub_t *hub, parley_hub_channel_t *channel)
{
    parley_hub_op_t    *op;
    parley_log_read_t   read;

    op = parley_hub_op(hub, PARLEY_HUB_OP_RESYNC);

    if (op == NULL) {
        return -1;
    }

    op->channel = channel;
    op->place = channel->place;
    channel->op = op;
    channel->again = 0;

    memset(&read, 0, sizeof(parley_log_read_t));

    read.log = channel->key;
    read.from = channel->place;
    read.which = PARLEY_LOG_AND_OWED;
    parley_hub_op_reads(op, &read);

    parley_hub_op_asked(op, hub->state->ops->log->read(hub->state, &read,
                                                       &op->ret.page,
                                                       &op->call));
    return 0;
}


void
parley_hub_resynced(parley_hub_op_t *op)
{
    int                    rc, gone, moved;
    parley_hub_t          *hub;
    parley_log_page_t     *page;
    parley_hub_channel_t  *channel;

    hub = op->hub;
    channel = op->channel;
    page = &op->ret.page;

    channel->op = NULL;

    /* the channel may have moved during the read */

    moved = channel->place.epoch != op->place.epoch
            || channel->place.offset != op->place.offset;

    rc = page->n < 0 || moved ? -1
                              : parley_hub_resync_page(hub, channel, page);

    if (rc == 0 && page->epoch != 0
        && (page->at < page->last || page->at < channel->seen
            || channel->again))
    {
        rc = -1;
    }

    gone = page->n >= 0 && page->epoch == 0 && !moved;

    parley_hub_op_free(op);

    if (gone) {
        parley_hub_end_all(hub, channel->key, NULL, PARLEY_END_LOST);
        return;
    }

    if (rc != 0) {
        parley_hub_resync(hub, channel);
        return;
    }

    channel->stale = 0;
    channel->seen = 0;
}


/* Returns -1 if not all of the page could be kept. */

static int
parley_hub_resync_page(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_log_page_t *page)
{
    int                 i, rc;
    parley_place_t      place;
    parley_hub_item_t  *item;

    if (page->epoch == 0) {
        return 0;
    }

    channel->closed |= page->closed;
    place.epoch = page->epoch;

    if (page->lost) {
        place.offset = page->first - 1;

        if (page->epoch != channel->place.epoch) {
            channel->seen = 0;
        }

        if (parley_hub_push(hub, channel, NULL, &place) != 0) {
            return -1;
        }
    }

    for (i = 0; i < page->n; i++) {
        item = parley_hub_item(hub, page->list[i].octets,
                               page->list[i].left);

        if (item == NULL) {
            return -1;
        }

        place.offset = page->list[i].offset;
        rc = parley_hub_push(hub, channel, item, &place);

        parley_hub_item_free(hub, item);

        if (rc != 0) {
            return -1;
        }
    }

    /* records at the end that have ended are skipped */

    if (channel->place.offset < page->at) {
        parley_hub_pass(hub, channel, page->at);
    }

    return 0;
}


/* Moves the channel, and groups with all its entries, past ended records. */

static void
parley_hub_pass(parley_hub_t *hub, parley_hub_channel_t *channel,
    uint64_t offset)
{
    parley_hub_group_t  *group;

    channel->place.offset = offset;

    for (group = channel->groups; group != NULL; group = group->next) {
        if (group->base == channel->seq) {
            group->base_place = channel->place;
            parley_hub_arrive(hub, group);
        }
    }
}
