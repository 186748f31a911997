/* Begins and ends subscriptions. */

#include "hub/parley_hub_parts.h"


/* initial buckets of channels, and of selectors */
#define PARLEY_HUB_BUCKETS  4096


static int parley_hub_enter(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription);
static void parley_hub_lasts(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription);
static void parley_hub_leave(parley_hub_t *hub, parley_subscriber_t *s);


parley_hub_t *
parley_hub_create(parley_state_t *state, const parley_hub_env_t *env)
{
    parley_hub_t  *hub;

    hub = env->mem.alloc(env->mem.ctx, sizeof(parley_hub_t));

    if (hub == NULL) {
        return NULL;
    }

    memset(hub, 0, sizeof(parley_hub_t));

    hub->state = state;
    hub->env = *env;
    hub->now = parley_hub_now(hub);
    hub->kept = hub->now;
    hub->nbuckets = PARLEY_HUB_BUCKETS;
    hub->rounds_last = &hub->rounds;
    hub->ready.last = &hub->ready.first;

    hub->channels = parley_hub_alloc(hub, PARLEY_HUB_BUCKETS
                                          * sizeof(hub->channels[0]));
    hub->selectors = parley_hub_alloc(hub, PARLEY_HUB_BUCKETS
                                           * sizeof(hub->selectors[0]));

    if (hub->channels == NULL || hub->selectors == NULL) {
        parley_hub_free(hub);
        return NULL;
    }

    return hub;
}


void
parley_hub_free(parley_hub_t *hub)
{
    uint32_t  i;

    for (i = 0; i < PARLEY_HUB_WHEEL; i++) {
        while (hub->wheel[i] != NULL) {
            parley_hub_end(hub, hub->wheel[i], PARLEY_END_LEAVING);
        }
    }

    while (hub->ops != NULL) {
        parley_hub_op_cancel(hub->ops);
    }

    parley_hub_release(hub, hub->channels);
    parley_hub_release(hub, hub->selectors);
    parley_hub_release(hub, hub);
}


int
parley_hub_subscribe(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
{
    memset(s, 0, sizeof(parley_subscriber_t));

    if (parley_hub_enter(hub, s, subscription) != 0) {
        return -1;
    }

    hub->stat.subscribers++;
    hub->stat.behind++;

    parley_hub_lasts(hub, s, subscription);
    parley_hub_due(hub, s);

    if (parley_hub_join(hub, s, subscription) != 0) {
        parley_hub_leave(hub, s);
        return -1;
    }

    return 0;
}


static int
parley_hub_enter(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
{
    parley_hub_group_t    *group;
    parley_hub_channel_t  *channel;

    channel = parley_hub_channel(hub, subscription->log);

    if (channel == NULL) {
        channel = parley_hub_channel_open(hub, subscription->log);
    }

    if (channel == NULL) {
        return -1;
    }

    group = parley_hub_group(hub, channel, subscription);

    if (group == NULL) {
        parley_hub_channel_close(hub, channel);
        return -1;
    }

    group->subscribers++;
    channel->subscribers++;

    s->group = group;
    s->session = subscription->session;
    s->resumes = subscription->from.epoch != 0;
    s->lost = subscription->lost;
    s->told = subscription->told;
    s->owns = subscription->owns;
    parley_hub_put(s, &subscription->from, 0);

    parley_hub_move(hub, s, &group->busy, PARLEY_SUBSCRIBER_JOINING);

    return 0;
}


/*
 * Sets the end of a subscription: the expiry of its proof, or its maximum age.
 */

static void
parley_hub_lasts(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
{
    uint32_t  age, now;

    now = parley_hub_now(hub);
    age = subscription->stream->age;

    s->written = hub->now;

    if (subscription->lasts != 0) {
        s->ends = now + subscription->lasts;
        s->why = PARLEY_END_EXPIRED;
    }

    if (age != 0 && (s->ends == 0 || age < subscription->lasts)) {
        s->ends = now + age;
        s->why = PARLEY_END_AGED;
    }
}


void
parley_hub_end(parley_hub_t *hub, parley_subscriber_t *s, parley_end_t why)
{
    hub->stat.ended[why]++;

    parley_hub_leave(hub, s);

    hub->env.end(hub->env.ctx, s, why);
}


void
parley_hub_unsubscribe(parley_hub_t *hub, parley_subscriber_t *s)
{
    hub->stat.ended[PARLEY_END_GONE]++;

    parley_hub_leave(hub, s);
}


static void
parley_hub_leave(parley_hub_t *hub, parley_subscriber_t *s)
{
    parley_leave_t       leave;
    parley_hub_group_t  *group;

    group = s->group;

    /*
     * A live subscriber has its group's place.  In a round it may get records
     * twice after it resumes.
     */

    if (s->state == PARLEY_SUBSCRIBER_LIVE && !s->ahead) {
        parley_hub_put(s, &group->base_place, s->sum);
    }

    if (s->op != NULL) {

        if (s->op->waits) {
            parley_hub_op_free(s->op);

        } else {
            parley_hub_op_cancel(s->op);
        }

        s->op = NULL;
    }

    if (s->stamp != 0) {
        leave.log = group->channel->key;
        leave.selector = group->selector->text;
        leave.session = s->session;
        leave.stamp = s->stamp;

        (void) hub->state->ops->log->leave(hub->state, &leave, NULL);
    }

    hub->stat.behind -= s->state != PARLEY_SUBSCRIBER_LIVE;
    hub->stat.subscribers--;

    parley_hub_undue(s);
    parley_hub_move(hub, s, NULL, s->state);
    parley_hub_release(hub, s->rest);
    s->rest = NULL;

    group->channel->subscribers--;
    group->subscribers--;
    parley_hub_group_leave(hub, group);

    if (hub->stat.subscribers == 0) {
        parley_hub_unfeed(hub);
    }
}


void
parley_hub_ask(parley_hub_t *hub)
{
    if (!hub->asked) {
        hub->asked = 1;
        hub->env.turn(hub->env.ctx);
    }
}


/* Alternates between subscribers that read and groups with a round. */

void
parley_hub_turn(parley_hub_t *hub, unsigned budget, size_t octets)
{
    hub->asked = 0;
    hub->turned = 0;

    parley_hub_resume(hub);

    for ( ; budget != 0 && hub->turned < octets
            && (hub->ready.first != NULL || hub->rounds != NULL);
         budget--)
    {
        hub->odd = !hub->odd;

        if (hub->rounds == NULL || (hub->odd && hub->ready.first != NULL)) {
            parley_hub_step(hub, hub->ready.first);

        } else {
            parley_hub_round(hub);
        }
    }

    parley_hub_resume(hub);

    if (hub->ready.first != NULL || hub->rounds != NULL) {
        parley_hub_ask(hub);
    }
}


void
parley_hub_stat(const parley_hub_t *hub, parley_hub_stat_t *ret)
{
    *ret = hub->stat;
}
