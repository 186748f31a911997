/* Channels, and the groups of their subscribers. */

#include "hub/parley_hub_parts.h"


parley_hub_channel_t *
parley_hub_channel(const parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN])
{
    uint32_t               at;
    parley_hub_channel_t  *channel;

    memcpy(&at, key, sizeof(at));

    for (channel = hub->channels[at & (hub->nbuckets - 1)];
         channel != NULL && memcmp(channel->key, key, PARLEY_KEY_LEN) != 0;
         channel = channel->next)
    {
        /* void */
    }

    return channel;
}


parley_hub_channel_t *
parley_hub_channel_open(parley_hub_t *hub,
    const uint8_t key[PARLEY_KEY_LEN])
{
    uint32_t                at;
    parley_hub_channel_t   *channel, **bucket;

    channel = parley_hub_alloc(hub, sizeof(parley_hub_channel_t));

    if (channel == NULL) {
        return NULL;
    }

    memcpy(channel->key, key, PARLEY_KEY_LEN);
    memcpy(&at, key, sizeof(at));

    /* its place is unknown until the first subscriber has joined */

    channel->stale = 1;

    bucket = &hub->channels[at & (hub->nbuckets - 1)];
    channel->next = *bucket;
    *bucket = channel;

    hub->stat.channels++;

    return channel;
}


void
parley_hub_channel_close(parley_hub_t *hub, parley_hub_channel_t *channel)
{
    uint32_t                at;
    parley_hub_channel_t  **link;

    if (channel->groups != NULL) {
        return;
    }

    if (channel->op != NULL) {
        parley_hub_op_cancel(channel->op);
    }

    for (link = &hub->stale; channel->listed; link = &(*link)->stale_next) {
        if (*link == channel) {
            *link = channel->stale_next;
            channel->listed = 0;
            break;
        }
    }

    memcpy(&at, channel->key, sizeof(at));

    for (link = &hub->channels[at & (hub->nbuckets - 1)];
         *link != channel;
         link = &(*link)->next)
    {
        /* void */
    }

    *link = channel->next;

    parley_hub_channel_trim(hub, channel);
    parley_hub_release(hub, channel->entries);
    parley_hub_release(hub, channel);

    hub->stat.channels--;
}


parley_hub_group_t *
parley_hub_group(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_subscription_t *subscription)
{
    uint8_t                *reader;
    parley_hub_group_t     *group;
    parley_hub_selector_t  *selector;

    selector = parley_hub_selector(hub, subscription->selector);

    if (selector == NULL) {
        return NULL;
    }

    for (group = channel->groups; group != NULL; group = group->next) {
        if (group->selector == selector
            && group->stream == subscription->stream
            && parley_str_eq(group->reader, subscription->reader))
        {
            parley_hub_selector_free(hub, selector);
            return group;
        }
    }

    group = parley_hub_alloc(hub, sizeof(parley_hub_group_t)
                                  + subscription->reader.len);
    if (group == NULL) {
        parley_hub_selector_free(hub, selector);
        return NULL;
    }

    reader = (uint8_t *) (group + 1);
    (void) parley_octets_copy(reader, subscription->reader.data,
                              subscription->reader.len);

    group->channel = channel;
    group->selector = selector;
    group->stream = subscription->stream;
    group->reader = parley_str_make(reader, subscription->reader.len);
    group->base = channel->seq;
    group->base_place = channel->place;

    group->next = channel->groups;
    channel->groups = group;

    return group;
}


void
parley_hub_group_leave(parley_hub_t *hub, parley_hub_group_t *group)
{
    parley_hub_group_t    **link;
    parley_hub_channel_t   *channel;

    if (group->subscribers != 0 || group == hub->serving) {
        return;
    }

    channel = group->channel;

    if (group->queued) {
        parley_hub_unqueue(hub, group);
        parley_hub_text_free(&group->round);
        parley_hub_channel_trim(hub, channel);
    }

    for (link = &channel->groups; *link != group; link = &(*link)->next) {
        /* void */
    }

    *link = group->next;

    parley_hub_selector_free(hub, group->selector);
    parley_hub_release(hub, group);

    parley_hub_channel_close(hub, channel);
}


void
parley_hub_move(parley_hub_t *hub, parley_subscriber_t *s,
    parley_subscriber_t **list, parley_subscriber_state_t state)
{
    if (s->link != NULL) {
        *s->link = s->next;

        if (s->next != NULL) {
            s->next->link = s->link;

        } else if (s->state == PARLEY_SUBSCRIBER_READY) {
            hub->ready.last = s->link;
        }

        s->link = NULL;

        hub->stat.behind += s->state == PARLEY_SUBSCRIBER_LIVE;
        hub->stat.behind -= state == PARLEY_SUBSCRIBER_LIVE;
    }

    s->state = state;

    if (list == NULL) {
        return;
    }

    s->next = *list;
    s->link = list;

    if (s->next != NULL) {
        s->next->link = &s->next;
    }

    *list = s;
}
