/*
 * Takes the steps of the store's order into the zone.  Each worker may ask for
 * steps: the zone ignores those that it has.  The worker with the inbox asks
 * when the inbox is told a number, and every PARLEY_STORE_STEPS_MOST ms in case
 * that a message was lost.  Without an inbox, one worker of the node asks every
 * PARLEY_STORE_STEPS ms.
 */

#include <string.h>

#include "state/store/parley_store_step.h"


#define PARLEY_STORE_FED  4     /* elements of a step in the reply */


static int parley_store_fed_first(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_fed_steps(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_read_taken(parley_store_t *s,
    const parley_wire_reply_t *reply, size_t at, int64_t now);
static void parley_store_take_step(parley_store_t *s, uint64_t number,
    parley_str_t content, parley_str_t places, int64_t age);
static void parley_store_say_sole(parley_store_t *s, const parley_job_t *job);
static void parley_store_check_session(parley_store_t *s,
    const parley_import_t *i);
static void parley_store_taken_steps(parley_store_t *s);
static void parley_store_ask_roster(parley_store_t *s);
static int parley_store_told_end(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_ask_nodes(parley_store_t *s);
static int parley_store_told_nodes(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static void parley_store_adopt(parley_store_t *s, uint32_t node);


void
parley_store_feed_begin(parley_store_t *s)
{
    const parley_import_ops_t  *zone = s->zone->ops->import;

    /* sessions of other nodes may be lost with the generation before */

    if (zone->begins(s->zone, s->stat.generation)) {
        zone->miss(s->zone, 0);
        parley_store_ask_roster(s);
        parley_store_say_jobs(s);
        s->session = 1;

    } else if (s->lapsed
               && zone->is_due(s->zone, PARLEY_IMPORT_DUE_SESSIONS,
                               s->conf->lease))
    {
        s->session = 1;
    }

    parley_store_feed(s);
}


/* Asks all nodes to add their sessions again. */

static void
parley_store_ask_roster(parley_store_t *s)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_plain(s, &call->arena, 'r',
                                                  s->worker),
                         PARLEY_STORE_SAID, 0);
    }
}


void
parley_store_feed(parley_store_t *s)
{
    char          known[24];
    parley_str_t  arguments[PARLEY_STORE_FEED];

    if (s->feeding) {
        return;
    }

    parley_store_feed_arguments(s, arguments, known);

    s->hint = 0;
    s->own = 0;
    s->fed = s->env->now(s->env->ctx);
    s->feeding = parley_store_once(s, parley_store_fed_steps, arguments,
                                   PARLEY_STORE_FEED) != 0;
}


/* A question under way may be older than the message. */

void
parley_store_feed_first(parley_store_t *s, uint64_t stamp)
{
    parley_store_call_t  *call;

    call = s->main.stage == PARLEY_STORE_UP
           ? parley_store_call(s, parley_store_fed_first) : NULL;

    if (call == NULL) {
        return;
    }

    call->once = 1;
    call->step = stamp;

    if (parley_store_ask_command(s, call) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


static int
parley_store_fed_first(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    if (!parley_store_take_steps(s, reply) && s->main.why[0] == '\0'
        && parley_wire_error(reply).len == 0)
    {
        s->first_fed[call->step % PARLEY_STORE_FIRST] = call->step;
    }

    return 0;
}


int
parley_store_has_fed(const parley_store_t *s, uint64_t stamp)
{
    return stamp != 0 && s->first_fed[stamp % PARLEY_STORE_FIRST] == stamp;
}


/* The zone may not know the sessions that just joined or left at other nodes.
   It counts when it has all steps. */

int
parley_store_ask_command(parley_store_t *s, parley_store_call_t *call)
{
    char          known[24];
    parley_str_t  arguments[PARLEY_STORE_FEED];

    parley_store_feed_arguments(s, arguments, known);

    return parley_store_command(call, arguments, PARLEY_STORE_FEED);
}


void
parley_store_feed_arguments(parley_store_t *s,
    parley_str_t arguments[PARLEY_STORE_FEED], char known[24])
{
    uint64_t  number;

    number = s->zone->ops->import->number(s->zone);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_feed");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_wire_number((int64_t) number, known);
}


static int
parley_store_fed_steps(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int  more;

    (void) call;

    s->feeding = 0;

    more = parley_store_take_steps(s, reply);

    s->behind &= more || s->main.why[0] != '\0'
                 || parley_wire_error(reply).len != 0;

    if (more || s->waiting != NULL
        || s->hint > s->zone->ops->import->number(s->zone))
    {
        parley_store_feed(s);
    }

    return 0;
}


/* A question under way may have been answered before the step was added. */

void
parley_store_feed_hint(parley_store_t *s, uint64_t number)
{
    if (number <= s->zone->ops->import->number(s->zone)) {
        return;
    }

    if (s->feeding) {
        s->hint = number > s->hint ? number : s->hint;
        return;
    }

    parley_store_feed(s);
}


int
parley_store_take_steps(parley_store_t *s, const parley_wire_reply_t *reply)
{
    size_t                      i, n;
    int64_t                     last, now, removed, more;
    uint64_t                    before;
    parley_import_t             none;
    const parley_import_ops_t  *zone = s->zone->ops->import;

    if (parley_wire_error(reply).len != 0) {
        return 0;
    }

    n = parley_wire_elements(reply);

    if (n < PARLEY_STORE_FED || n % PARLEY_STORE_FED != 0
        || !parley_wire_integer(parley_wire_element(reply, 0), &last)
        || !parley_wire_integer(parley_wire_element(reply, 1), &now)
        || !parley_wire_integer(parley_wire_element(reply, 2), &removed)
        || !parley_wire_integer(parley_wire_element(reply, 3), &more)
        || last >= PARLEY_STORE_NUMBERS || removed >= PARLEY_STORE_NUMBERS)
    {
        parley_store_strange(s, "p1_feed");
        return 0;
    }

    before = zone->number(s->zone);

    if (before != 0 && before < (uint64_t) removed) {
        zone->miss(s->zone, (uint64_t) removed);
        parley_store_ask_roster(s);
        parley_store_log(s, PARLEY_STORE_WARN, "this gateway was away for too "
                         "long: its streams have a gap");
    }

    for (i = PARLEY_STORE_FED; i < n && s->main.why[0] == '\0';
         i += PARLEY_STORE_FED)
    {
        parley_store_read_taken(s, reply, i, now);
    }

    if (s->main.why[0] != '\0') {
        return 0;
    }

    /* the last steps may be erased ones */

    memset(&none, 0, sizeof(parley_import_t));
    none.number = (uint64_t) last;

    zone->take(s->zone, &none);

    if (n > PARLEY_STORE_FED && zone->number(s->zone) != before) {
        s->env->appended(s->env->ctx);
    }

    parley_store_taken_steps(s);

    return more != 0;
}


static void
parley_store_read_taken(parley_store_t *s, const parley_wire_reply_t *reply,
    size_t at, int64_t now)
{
    int64_t       number, then;
    parley_str_t  content, places;

    if (!parley_wire_integer(parley_wire_element(reply, at), &number)
        || number >= PARLEY_STORE_NUMBERS
        || !parley_wire_integer(parley_wire_element(reply, at + 1), &then)
        || !parley_wire_text(parley_wire_element(reply, at + 2), &content)
        || !parley_wire_text(parley_wire_element(reply, at + 3), &places))
    {
        parley_store_strange(s, "p1_feed");
        return;
    }

    parley_store_take_step(s, (uint64_t) number, content, places,
                           now > then ? now - then : 0);
}


static void
parley_store_take_step(parley_store_t *s, uint64_t number,
    parley_str_t content, parley_str_t places, int64_t age)
{
    parley_arena_t              arena;
    parley_store_step_t         step;
    const parley_import_ops_t  *zone = s->zone->ops->import;

    if (number <= zone->number(s->zone)) {
        return;
    }

    parley_arena_init(&arena, s->mem, 0);

    if (parley_store_read_step(s, &arena, number, content, places, &step)
        != 0)
    {
        s->stat.lost[PARLEY_STORE_LOST_FORMAT]++;

        parley_store_log(s, PARLEY_STORE_CRIT, "a step has an unknown form: "
                         "all gateways need versions that share a store");

        step.import.kind = PARLEY_IMPORT_NOTHING;
        step.held.key = NULL;
    }

    step.import.age = age;

    switch (zone->take(s->zone, &step.import)) {

    case PARLEY_IMPORTED_REPLACED:
        s->env->replaced(s->env->ctx, step.import.join, step.import.stamp);
        break;

    case PARLEY_IMPORTED_BEFORE:
        parley_arena_reset(&arena);
        return;

    case PARLEY_IMPORTED_LOST:
        s->stat.lost[PARLEY_STORE_LOST_JOB]++;
        parley_store_log(s, PARLEY_STORE_WARN, "the zone has no room for a job "
                         "of this gateway, which is lost");
        break;

    default:
        break;
    }

    if (step.import.kind == PARLEY_IMPORT_ROSTER && !step.import.own) {
        s->session = 1;
    }

    if (step.import.kind == PARLEY_IMPORT_JOIN && step.import.own) {
        parley_store_check_session(s, &step.import);
    }

    if (step.import.kind == PARLEY_IMPORT_JOIN) {
        s->joined(s, &step.import);
    }

    if (step.held.key != NULL) {
        parley_store_tell_held(s, &step.held);
    }

    if (step.import.kind == PARLEY_IMPORT_ADD && !step.import.own
        && step.append.njobs != 0 && step.append.jobs[0].sole)
    {
        parley_store_say_sole(s, step.append.jobs);
    }

    parley_arena_reset(&arena);
}


/* Another node has added a sole job: if this node has one in its lane, it tells
   the number of this one. */

static void
parley_store_say_sole(parley_store_t *s, const parley_job_t *job)
{
    uint64_t              number;
    parley_job_add_t      add;
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return;
    }

    memset(&add, 0, sizeof(parley_job_add_t));

    number = s->zone->ops->import->sole(s->zone, job->lane, &call->arena,
                                        &add.job);

    if (number == 0) {
        parley_store_call_free(s, call);
        return;
    }

    parley_store_say(s, call,
                     parley_store_write_work(s, &call->arena, &add, number),
                     PARLEY_STORE_SAID, 0);
}


/* A session that was added again may have left, through another worker, before
   that step. */

static void
parley_store_check_session(parley_store_t *s, const parley_import_t *i)
{
    parley_leave_t  leave;

    memset(&leave, 0, sizeof(parley_leave_t));

    leave.log = i->join->log;
    leave.session = i->join->session;
    leave.stamp = i->stamp;

    if (i->stamp != i->number
        && !s->zone->ops->import->has_session(s->zone, &leave))
    {
        parley_store_say_leave(s, &leave);
    }
}


int
parley_store_take_own(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t       number;
    parley_str_t  places;

    places = parley_str_none;

    if (parley_wire_elements(reply) == 2
        && parley_wire_text(parley_wire_element(reply, 1), &places))
    {
        reply = parley_wire_element(reply, 0);
    }

    if (parley_wire_integer(reply, &number) && call->content.len != 0
        && number < PARLEY_STORE_NUMBERS)
    {
        parley_store_take_next(s, (uint64_t) number, call->content, places);
    }

    return 0;
}


void
parley_store_take_next(parley_store_t *s, uint64_t number,
    parley_str_t content, parley_str_t places)
{
    if (number == s->zone->ops->import->number(s->zone) + 1) {
        parley_store_take_step(s, number, content, places, 0);
        s->env->appended(s->env->ctx);
        parley_store_taken_steps(s);
    }
}


void
parley_store_wait(parley_store_t *s, parley_store_call_t *call, uint64_t step)
{
    call->step = step;
    call->next = s->waiting;
    s->waiting = call;

    parley_store_taken_steps(s);

    if (s->waiting != NULL) {
        parley_store_feed(s);
    }
}


/* Answers calls after the zone has taken their steps. */

static void
parley_store_taken_steps(parley_store_t *s)
{
    uint64_t              number;
    parley_store_call_t  *call, **link;

    number = s->zone->ops->import->number(s->zone);

    for (link = &s->waiting; *link != NULL; /* void */ ) {
        call = *link;

        if (call->step > number) {
            link = &call->next;
            continue;
        }

        *link = call->next;

        call->finish(s, call);
        parley_store_done(s, call);
        parley_store_call_free(s, call);

        /* the caller may have begun other calls */

        link = &s->waiting;
    }
}


void
parley_store_wait_over(parley_store_t *s, int64_t before)
{
    parley_store_call_t  *call, **link;

    for (link = &s->waiting; *link != NULL; /* void */ ) {
        call = *link;

        if (call->since > before || (call->stays && call->caller == NULL)) {
            link = &call->next;
            continue;
        }

        if (call->stays) {
            call->give_up(s, call);
            parley_store_done(s, call);

            link = &s->waiting;
            continue;
        }

        *link = call->next;

        if (call->caller != NULL) {
            call->give_up(s, call);
            parley_store_done(s, call);

        } else {
            call->finish(s, call);
        }

        parley_store_call_free(s, call);

        link = &s->waiting;
    }
}


void
parley_store_feed_tick(parley_store_t *s, int64_t now)
{
    uint32_t                    at;
    uint64_t                    worker;
    parley_store_call_t        *call;
    parley_process_link_t       link;
    const parley_import_ops_t  *zone = s->zone->ops->import;

    if (s->behind) {
        parley_store_feed(s);
    }

    if (parley_store_has_inbox(s)) {

        /* the other workers ask if this one is stopped for longer */

        zone->put_off(s->zone, PARLEY_IMPORT_DUE_FEED,
                      PARLEY_STORE_STEPS_MOST / 10);

        if (s->own > zone->number(s->zone)
            || now - s->fed >= PARLEY_STORE_STEPS_MOST)
        {
            parley_store_feed(s);
        }

    } else if (zone->is_due(s->zone, PARLEY_IMPORT_DUE_FEED,
                            PARLEY_STORE_STEPS))
    {
        parley_store_feed(s);
    }

    parley_store_taken_steps(s);

    if (!zone->is_due(s->zone, PARLEY_IMPORT_DUE_NODES, PARLEY_STORE_NODES)) {
        return;
    }

    parley_store_ask_nodes(s);

    for (at = 0; /* void */ ; /* void */ ) {
        worker = zone->ended(s->zone, &at, &link);
        call = worker != 0 ? parley_store_call(s, parley_store_told_end)
                           : NULL;

        if (call == NULL) {
            return;
        }

        call->u.worker = worker;
        parley_store_kill(s, &link);
        parley_store_say(s, call,
                         parley_store_write_plain(s, &call->arena, 'g',
                                                  worker),
                         PARLEY_STORE_SAID, 0);
    }
}


/* If this worker ends before the answer, another one tells it. */

static int
parley_store_told_end(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    if (parley_store_said(s, call, reply)) {
        return 1;
    }

    if (parley_wire_error(reply).len == 0) {
        s->zone->ops->import->ended_told(s->zone, call->u.worker);
    }

    return 0;
}


/* The steps of the inbox, and those that other workers take, may be later than
   the reply. */

static void
parley_store_ask_nodes(parley_store_t *s)
{
    char                  lease[24];
    parley_str_t          arguments[5];
    parley_store_call_t  *call;

    call = parley_store_call(s, parley_store_told_nodes);

    if (call == NULL) {
        return;
    }

    call->once = 1;
    call->step = s->zone->ops->import->number(s->zone);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_nodes");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_wire_number(s->conf->lease, lease);

    if (parley_store_command(call, arguments, 5) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


static int
parley_store_told_nodes(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    size_t        i, n;
    uint32_t     *nodes;
    parley_str_t  name;

    n = parley_wire_elements(reply);
    nodes = n != 0 ? parley_arena_alloc(&call->arena, n * sizeof(uint32_t))
                   : NULL;

    if (nodes == NULL) {
        return 0;
    }

    for (i = 0; i < n; i++) {

        if (!parley_wire_text(parley_wire_element(reply, i), &name)
            || name.len != PARLEY_STORE_NODE)
        {
            return 0;
        }

        nodes[i] = parley_store_node_number(name.data);
    }

    parley_store_adopt(s, s->zone->ops->import->keep_nodes(s->zone, nodes, n,
                                                           call->step));

    return 0;
}


/* An engine that has lost its data knows a living node again within a lease. */

static void
parley_store_adopt(parley_store_t *s, uint32_t node)
{
    char                  stays[24], room[24], lease[24];
    parley_str_t          arguments[8];
    parley_store_call_t  *call;

    if (node == 0
        || s->env->now(s->env->ctx) - s->stat.up_since < s->conf->lease)
    {
        return;
    }

    call = parley_store_call(s, parley_store_said);

    if (call == NULL) {
        return;
    }

    call->once = 1;

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_adopt");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_store_write_adopt(s, &call->arena, node);
    arguments[5] = parley_wire_number(PARLEY_STORE_SAID, stays);
    arguments[6] = parley_wire_number((int64_t) s->conf->room, room);
    arguments[7] = parley_wire_number(s->conf->lease, lease);

    if (arguments[4].len != 0
        && parley_store_command(call, arguments, 8) == 0)
    {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}
