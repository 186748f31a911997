/* Time: a wheel of seconds that has each subscriber in one slot. */

#include "hub/parley_hub_parts.h"


static void parley_hub_tick_take(parley_subscriber_t **slot,
    parley_subscriber_t **list);
static void parley_hub_tick_one(parley_hub_t *hub, parley_subscriber_t *s);
static void parley_hub_tick_keep(parley_hub_t *hub);
static int parley_hub_alive(parley_hub_t *hub, parley_subscriber_t *s);


void
parley_hub_undue(parley_subscriber_t *s)
{
    if (s->due_link == NULL) {
        return;
    }

    *s->due_link = s->due_next;

    if (s->due_next != NULL) {
        s->due_next->due_link = s->due_link;
    }

    s->due_link = NULL;
}


/*
 * Puts a subscriber into the wheel.  A subscriber that is behind is checked
 * each second, others when something is due.
 */

void
parley_hub_due(parley_hub_t *hub, parley_subscriber_t *s)
{
    uint32_t              at;
    parley_subscriber_t **slot;

    parley_hub_undue(s);

    at = hub->now + 1;

    if (s->state == PARLEY_SUBSCRIBER_LIVE) {
        at = s->written + s->group->stream->keepalive;
    }

    if (s->ends != 0 && s->ends < at) {
        at = s->ends;
    }

    if (at <= hub->now) {
        at = hub->now + 1;

    } else if (at - hub->now >= PARLEY_HUB_WHEEL) {
        at = hub->now + PARLEY_HUB_WHEEL - 1;
    }

    slot = &hub->wheel[at % PARLEY_HUB_WHEEL];

    s->due_next = *slot;
    s->due_link = slot;

    if (s->due_next != NULL) {
        s->due_next->due_link = &s->due_next;
    }

    *slot = s;
}


void
parley_hub_tick(parley_hub_t *hub)
{
    uint32_t              now, second;
    parley_subscriber_t  *list, *s;

    now = parley_hub_now(hub);

    if (now <= hub->now) {
        return;
    }

    second = now - hub->now >= PARLEY_HUB_WHEEL ? now - PARLEY_HUB_WHEEL
                                                : hub->now;
    hub->now = now;

    while (second < now) {
        second++;

        parley_hub_tick_take(&hub->wheel[second % PARLEY_HUB_WHEEL], &list);

        while (list != NULL) {
            s = list;
            parley_hub_undue(s);
            parley_hub_tick_one(hub, s);
        }
    }

    if (hub->now - hub->kept >= PARLEY_HUB_KEEP) {
        parley_hub_tick_keep(hub);
    }

    /* a process that dies after its append wakes no other */

    parley_hub_wake(hub);
    parley_hub_resume(hub);
}


/* Takes the subscribers of a slot; a check may put them into it again. */

static void
parley_hub_tick_take(parley_subscriber_t **slot, parley_subscriber_t **list)
{
    *list = *slot;
    *slot = NULL;

    if (*list != NULL) {
        (*list)->due_link = list;
    }
}


static void
parley_hub_tick_one(parley_hub_t *hub, parley_subscriber_t *s)
{
    parley_hub_group_t  *group;

    group = s->group;

    if (s->ends != 0 && s->ends <= hub->now) {
        parley_hub_end(hub, s, (parley_end_t) s->why);
        return;
    }

    if (s->op != NULL && hub->now - s->op->since >= PARLEY_HUB_PATIENCE) {
        parley_hub_end(hub, s, PARLEY_END_SILENT);
        return;
    }

    if (s->state == PARLEY_SUBSCRIBER_BLOCKED
        && group->channel->sum - s->sum > group->stream->lag)
    {
        parley_hub_end(hub, s, PARLEY_END_SLOW);
        return;
    }

    /* with a pending round, no keepalive is needed */

    if (s->state == PARLEY_SUBSCRIBER_LIVE && !group->queued
        && s->written + group->stream->keepalive <= hub->now
        && parley_hub_alive(hub, s) != 0)
    {
        return;
    }

    parley_hub_due(hub, s);
}


/* Sends a keepalive.  Returns -1 if the subscription has ended. */

static int
parley_hub_alive(parley_hub_t *hub, parley_subscriber_t *s)
{
    int                  rc;
    parley_buf_t         b;
    parley_place_t       place;
    parley_hub_text_t    text;

    place = s->group->base_place;

    if (parley_hub_text_begin(hub, &text, 1, &b) != 0) {
        return 0;
    }

    parley_hub_form_alive(&b, s->group->stream->form, &place);
    parley_hub_text_event(&text, &b, &place, s->group->channel->sum,
                          0);

    text.before = place;
    text.before_sum = s->group->channel->sum;
    s->written = hub->now;

    rc = parley_hub_text_end(&text, &b) == 0
         ? parley_hub_send(hub, s, &text) : 0;

    parley_hub_text_free(&text);

    return rc < 0 ? -1 : 0;
}


static void
parley_hub_tick_keep(parley_hub_t *hub)
{
    size_t                 n;
    uint8_t                keys[PARLEY_KEEPS_MAX][PARLEY_KEY_LEN];
    uint32_t               i;
    parley_hub_channel_t  *channel;

    n = 0;
    hub->kept = hub->now;

    for (i = 0; i < hub->nbuckets; i++) {
        for (channel = hub->channels[i];
             channel != NULL;
             channel = channel->next)
        {
            memcpy(keys[n++], channel->key, PARLEY_KEY_LEN);

            if (n == PARLEY_KEEPS_MAX) {
                (void) hub->state->ops->log->keep(hub->state,
                                     (const uint8_t (*)[PARLEY_KEY_LEN]) keys,
                                     n, NULL);
                n = 0;
            }
        }
    }

    if (n != 0) {
        (void) hub->state->ops->log->keep(hub->state,
                                     (const uint8_t (*)[PARLEY_KEY_LEN]) keys,
                                     n, NULL);
    }
}


void
parley_hub_drain(parley_hub_t *hub, uint32_t seconds)
{
    uint32_t              i, at;
    parley_subscriber_t  *list, *s;

    for (i = 0; i < PARLEY_HUB_WHEEL; i++) {

        parley_hub_tick_take(&hub->wheel[i], &list);

        while (list != NULL) {
            s = list;
            parley_hub_undue(s);

            if (s->group->stream->stays) {
                parley_hub_due(hub, s);
                continue;
            }

            if (seconds < 2) {
                parley_hub_end(hub, s, PARLEY_END_LEAVING);
                continue;
            }

            /* the check may be up to a second late */

            at = parley_hub_now(hub) + 1
                 + hub->env.random(hub->env.ctx) % (seconds - 1);

            if (s->why != PARLEY_END_LEAVING
                && (s->ends == 0 || s->ends > at))
            {
                s->ends = at;
                s->why = PARLEY_END_LEAVING;
            }

            parley_hub_due(hub, s);
        }
    }
}
