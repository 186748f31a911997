/* Joins the roster; appends count the subscription from then on. */

#include "hub/parley_hub_parts.h"


static void parley_hub_join_ask(parley_hub_op_t *op);
static void parley_hub_join_place(parley_hub_t *hub,
    parley_hub_channel_t *channel, const parley_joined_t *joined);
static void parley_hub_join_from(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_joined_t *joined);
static int parley_hub_open(parley_hub_t *hub, parley_subscriber_t *s);


static const parley_end_t  parley_hub_join_ends[] = {
    [PARLEY_JOIN_MANY] = PARLEY_END_MANY,
    [PARLEY_JOIN_SHARE] = PARLEY_END_SHARE,
    [PARLEY_JOIN_FULL] = PARLEY_END_FULL,
    [PARLEY_JOIN_AWAY] = PARLEY_END_SILENT,
};


int
parley_hub_join(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_subscription_t *subscription)
{
    uint8_t          *account;
    parley_join_t    *join;
    parley_hub_op_t  *op;

    op = parley_hub_op(hub, PARLEY_HUB_OP_JOIN);

    if (op == NULL) {
        return -1;
    }

    join = &op->join;

    join->log = s->group->channel->key;
    join->selector = s->group->selector->text;
    join->session = s->session;

    if (parley_arena_str(&op->arena, subscription->card, &join->card) != 0) {
        parley_hub_op_free(op);
        return -1;
    }

    if (subscription->account != NULL) {
        account = parley_arena_octets(&op->arena, PARLEY_KEY_LEN);

        if (account == NULL) {
            parley_hub_op_free(op);
            return -1;
        }

        memcpy(account, subscription->account, PARLEY_KEY_LEN);
        join->account = account;
    }

    op->subscriber = s;
    op->waits = 1;
    s->op = op;

    if (hub->position == 0) {
        parley_hub_feed(hub);

    } else {
        parley_hub_join_ask(op);
    }

    return 0;
}


static void
parley_hub_join_ask(parley_hub_op_t *op)
{
    parley_state_t  *state;

    state = op->hub->state;
    op->waits = 0;

    parley_hub_op_asked(op, state->ops->log->join(state, &op->join,
                                                  &op->ret.joined,
                                                  &op->call));
}


/* each join may end other subscriptions */

void
parley_hub_join_all(parley_hub_t *hub)
{
    parley_hub_op_t  *op;

    do {
        for (op = hub->ops; op != NULL && !op->waits; op = op->next) {
            /* void */
        }

        if (op != NULL) {
            parley_hub_join_ask(op);
        }

    } while (op != NULL && hub->position != 0);
}


void
parley_hub_joined(parley_hub_op_t *op)
{
    uint64_t              replaced;
    parley_hub_t         *hub;
    parley_join_t         join;
    parley_joined_t       joined;
    parley_subscriber_t  *s;

    hub = op->hub;
    s = op->subscriber;
    joined = op->ret.joined;
    replaced = op->replaced;

    s->op = NULL;
    parley_hub_op_free(op);

    if (joined.verdict != PARLEY_JOIN_OK) {
        parley_hub_end(hub, s, parley_hub_join_ends[joined.verdict]);
        return;
    }

    s->stamp = joined.stamp;

    if (s->stamp < replaced) {
        parley_hub_end(hub, s, PARLEY_END_REPLACED);
        return;
    }

    parley_hub_join_place(hub, s->group->channel, &joined);

    /* a resumed subscriber is not behind by records from before its join */

    s->sum = s->group->channel->sum;

    parley_hub_join_from(hub, s, &joined);

    if (joined.replaced) {
        join.log = s->group->channel->key;
        join.session = s->session;

        parley_hub_replaced(hub, &join, s->stamp);
    }

    if (parley_hub_open(hub, s) == 1 && !parley_hub_meet(hub, s)) {
        parley_hub_ready(hub, s);
    }
}


/*
 * Sets the place where a subscription begins.  Before it is live, a resumed
 * subscription reads the records since its place; another one reads the owed
 * records from before its join.
 */

static void
parley_hub_join_from(parley_hub_t *hub, parley_subscriber_t *s,
    const parley_joined_t *joined)
{
    parley_place_t  place;

    place = joined->place;

    if (!s->resumes) {
        s->begins = s->owns && joined->owed != 0;

        if (s->begins) {
            s->late = place.offset;
            place.offset = joined->owed - 1;
        }

        parley_hub_put(s, &place, s->sum);
        return;
    }

    if (s->epoch == place.epoch && s->offset > place.offset) {

        /* no event had this id: the client's place is unknown, so it gets a
           gap */

        place.epoch = 0;
        place.offset = 0;
        parley_hub_put(s, &place, s->sum);
    }

    if (!parley_hub_is_at(s, &joined->place)) {
        s->late = joined->place.offset;
    }

    /* a client without a filter has all records before its place */

    if (s->owns && s->epoch == joined->place.epoch && joined->owed != 0
        && joined->owed <= s->offset
        && s->group->selector->selector.filter.nclauses == 0)
    {
        place.epoch = s->epoch;
        place.offset = s->offset;
        parley_hub_had(hub, s, &place, 1);
    }
}


/*
 * Sets the place of a channel at its first join.  No subscriber missed the
 * records that were fed before.
 */

static void
parley_hub_join_place(parley_hub_t *hub, parley_hub_channel_t *channel,
    const parley_joined_t *joined)
{
    parley_place_t       place;
    parley_hub_group_t  *group;

    channel->closed |= joined->closed;

    if (channel->placed) {

        if (channel->place.epoch != joined->place.epoch) {
            place = joined->place;
            place.offset = 0;

            parley_hub_jump(hub, channel, &place);
            parley_hub_resync(hub, channel);
        }

        return;
    }

    channel->placed = 1;
    channel->stale = 0;
    channel->place = joined->place;

    for (group = channel->groups; group != NULL; group = group->next) {
        group->base_place = channel->place;
    }

    if (channel->seen > channel->place.offset || channel->again) {
        parley_hub_resync(hub, channel);
    }
}


/*
 * Writes the beginning of the stream.  Returns 1 if it was written; see
 * parley_hub_send().
 */

static int
parley_hub_open(parley_hub_t *hub, parley_subscriber_t *s)
{
    int                rc;
    parley_buf_t       b;
    parley_place_t     place;
    parley_hub_text_t  text;

    place.epoch = s->epoch;
    place.offset = s->offset;

    if (parley_hub_text_begin(hub, &text, 1, &b) != 0) {
        parley_hub_end(hub, s, PARLEY_END_MEMORY);
        return -1;
    }

    parley_hub_form_open(&b, s->group->stream, &place, s->resumes || s->lost,
                         &hub->env.retention);

    if (s->lost) {
        parley_hub_form_gap(&b, s->group->stream->form, &place);
    }

    parley_hub_text_event(&text, &b, &place, s->sum, 0);

    if (parley_hub_text_end(&text, &b) != 0) {
        parley_hub_text_free(&text);
        parley_hub_end(hub, s, PARLEY_END_MEMORY);
        return -1;
    }

    text.opens = 1;
    text.before = place;
    text.before_sum = s->sum;

    rc = parley_hub_send(hub, s, &text);

    parley_hub_text_free(&text);

    return rc;
}


/*
 * Appends a record for the processes.  A process that misses it keeps the old
 * session until that expires.
 */

void
parley_hub_replaced(parley_hub_t *hub, const parley_join_t *j, uint64_t stamp)
{
    parley_str_t           parts[2];
    parley_append_t        append;
    parley_hub_op_t       *op;
    parley_publication_t   p;

    op = parley_hub_op(hub, PARLEY_HUB_OP_TELL);

    if (op == NULL) {
        return;
    }

    memset(&p, 0, sizeof(parley_publication_t));
    memset(&append, 0, sizeof(parley_append_t));

    p.kind = PARLEY_PUBLICATION_REPLACED;
    p.proto = PARLEY_PROTO_NONE;
    p.audience.session = j->session;
    p.stamp = stamp;
    memcpy(p.log, j->log, PARLEY_KEY_LEN);

    if (parley_publication_write(&op->arena, &p, parts) != 0) {
        parley_hub_op_free(op);
        return;
    }

    append.parts = parts;
    append.nparts = 1;
    append.retention.records = 1;
    append.retention.octets = 1;
    append.retention.ms = 1;
    append.ttl = PARLEY_FEED_GRACE;
    append.arena = &op->arena;

    parley_hub_op_asked(op, hub->state->ops->log->append(hub->state, &append,
                                                         &op->ret.appended,
                                                         &op->call));
}
