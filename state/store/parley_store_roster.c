/*
 * The roster.  The join of a session is a step of the store's order, as an
 * append is; its number is the stamp of the session at all nodes.
 */

#include <string.h>

#include "state/store/parley_store_step.h"


#define PARLEY_STORE_JOINS  512         /* calls, above which no session is
                                           added again */


static int parley_store_join_call(parley_store_t *s,
    parley_store_call_t *call, const parley_join_t *j, uint64_t stamp,
    const parley_process_t *worker);
static int parley_store_join_answer(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static void parley_store_join_finish(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_join_alone(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_join_gone(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_join_left(const parley_store_call_t *call,
    parley_leave_t *ret);
static int parley_store_join_again(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_join_undone(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static void parley_store_join_undo(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_listed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_list_alone(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_session(void *ctx, const parley_join_t *j,
    uint64_t stamp, const parley_process_t *worker);
static int parley_store_session_added(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static int parley_store_session_again(parley_store_t *s,
    parley_store_call_t *call);


parley_state_done_t
parley_store_join(parley_state_t *state, const parley_join_t *j,
    parley_joined_t *ret, parley_call_t *caller)
{
    uint8_t              *log;
    parley_join_t        *copy;
    parley_store_t       *s = (parley_store_t *) state;
    parley_process_t      worker;
    parley_store_call_t  *call;

    memset(ret, 0, sizeof(parley_joined_t));

    ret->verdict = s->zone->ops->import->may_join(s->zone, j);

    if (ret->verdict != PARLEY_JOIN_OK) {
        return PARLEY_STATE_DONE;
    }

    ret->verdict = PARLEY_JOIN_FULL;

    call = s->process != 0 ? parley_store_call(s, parley_store_join_answer)
                           : NULL;

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    worker.pid = s->process;
    worker.began = s->worker;

    copy = &call->u.join;
    log = parley_arena_octets(&call->arena, PARLEY_KEY_LEN);

    if (log == NULL
        || parley_arena_str(&call->arena, j->session, &copy->session) != 0
        || parley_store_join_call(s, call, j, 0, &worker) != 0)
    {
        parley_store_call_free(s, call);
        return PARLEY_STATE_DONE;
    }

    memcpy(log, j->log, PARLEY_KEY_LEN);
    copy->log = log;

    call->leave = parley_store_join_gone;
    call->again = parley_store_join_again;

    return parley_store_await(s, call, ret, caller, parley_store_join_alone);
}


static int
parley_store_join_call(parley_store_t *s, parley_store_call_t *call,
    const parley_join_t *j, uint64_t stamp, const parley_process_t *worker)
{
    char          ms[24], room[24], epoch[24], lasts[24];
    parley_str_t  arguments[11];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_join");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_store_generation(s);
    arguments[5] = parley_store_write_join(s, &call->arena, j, stamp, worker);
    call->content = arguments[5];
    arguments[6] = parley_wire_number(PARLEY_STORE_SAID, ms);
    arguments[7] = parley_wire_number((int64_t) s->conf->room, room);
    arguments[8] = parley_store_epoch(s, epoch);
    arguments[9] = parley_wire_number(PARLEY_LOG_LEASE, lasts);
    arguments[10] = parley_str_make(j->log, PARLEY_KEY_LEN);

    return arguments[5].len != 0 ? parley_store_command(call, arguments, 11)
                                 : -1;
}


static int
parley_store_join_answer(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t                   step;
    parley_str_t              place;
    parley_joined_t          *ret = call->ret;
    parley_append_verdict_t   verdict;

    if (parley_store_refuses(reply, &verdict)) {
        return 0;
    }

    if (parley_wire_elements(reply) != 2
        || !parley_wire_integer(parley_wire_element(reply, 0), &step)
        || !parley_wire_text(parley_wire_element(reply, 1), &place)
        || place.len != 16 || step == 0 || step >= PARLEY_STORE_NUMBERS)
    {
        if (ret == NULL) {
            return 0;           /* sent again, of the generation before */
        }

        ret->verdict = PARLEY_JOIN_AWAY;

        if (parley_wire_text(reply, &place)) {
            parley_store_fail(s, "the store was emptied");
        } else {
            parley_store_strange(s, "p1_join");
        }

        return 0;
    }

    call->step = (uint64_t) step;

    if (ret == NULL) {
        parley_store_join_gone(s, call);

    } else {
        ret->verdict = PARLEY_JOIN_OK;
        ret->stamp = call->step;
        parley_store_read_places(place.data, 1, &ret->place);
    }

    (void) parley_store_take_own(s, call, reply);

    call->stays = 1;
    call->finish = parley_store_join_finish;
    parley_store_wait(s, call, call->step);

    return 1;
}


static void
parley_store_join_finish(parley_store_t *s, parley_store_call_t *call)
{
    parley_leave_t    leave;
    parley_joined_t  *ret = call->ret;

    /* this zone does not need the step of the leave, which may be lost */

    if (call->caller == NULL) {
        parley_store_join_left(call, &leave);
        s->zone->ops->import->leave(s->zone, &leave);
        return;
    }

    s->zone->ops->import->joined(s->zone, &call->u.join, call->step, ret);

    /* other zones had room for the session */

    if (ret->verdict != PARLEY_JOIN_OK) {
        parley_store_join_gone(s, call);
    }
}


static void
parley_store_join_alone(parley_store_t *s, parley_store_call_t *call)
{
    parley_joined_t  *ret = call->ret;

    ret->verdict = PARLEY_JOIN_AWAY;

    parley_store_join_gone(s, call);
}


/* Removes the session of a caller that is gone. */

static void
parley_store_join_gone(parley_store_t *s, parley_store_call_t *call)
{
    parley_leave_t  leave;

    if (call->step != 0) {
        parley_store_join_left(call, &leave);
        parley_store_say_leave(s, &leave);
    }
}


/* Sets the leave of a join; its selector is not known any longer. */

static void
parley_store_join_left(const parley_store_call_t *call, parley_leave_t *ret)
{
    memset(ret, 0, sizeof(parley_leave_t));

    ret->log = call->u.join.log;
    ret->session = call->u.join.session;
    ret->stamp = call->step;
}


/* The connection was lost before the reply, so the stamp is unknown: the step
   removes the session that this worker has, if the join was done. */

static int
parley_store_join_again(parley_store_t *s, parley_store_call_t *call)
{
    size_t          len;
    parley_str_t    content;
    parley_leave_t  leave;

    len = call->octets.len;

    leave.log = call->u.join.log;
    leave.session = call->u.join.session;
    leave.stamp = 0;

    call->answer = parley_store_join_undone;
    call->again = NULL;
    call->kept = 1;

    content = parley_store_write_leave(s, &call->arena, &leave);

    if (parley_store_say_command(s, call, content, PARLEY_STORE_SAID, 0) != 0)
    {
        call->octets.len = len;
        return 0;
    }

    s->octets = s->octets - len + call->octets.len;

    return 1;
}


/* A failover can lose the step of the leave, and keep that of the join. */

static int
parley_store_join_undone(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t  step;

    if (parley_store_said(s, call, reply)) {
        return 1;
    }

    if (!parley_wire_integer(reply, &step) || step <= 0
        || step >= PARLEY_STORE_NUMBERS)
    {
        return 0;
    }

    call->stays = 1;
    call->finish = parley_store_join_undo;
    parley_store_wait(s, call, (uint64_t) step);

    return 1;
}


static void
parley_store_join_undo(parley_store_t *s, parley_store_call_t *call)
{
    parley_leave_t  leave;

    parley_store_join_left(call, &leave);
    s->zone->ops->import->leave_before(s->zone, &leave, call->step);
}


parley_state_done_t
parley_store_leave(parley_state_t *state, const parley_leave_t *l,
    parley_call_t *caller)
{
    parley_store_t  *s = (parley_store_t *) state;

    (void) caller;

    s->zone->ops->import->leave(s->zone, l);
    parley_store_say_leave(s, l);

    return PARLEY_STATE_DONE;
}


/* The first page is read when the zone has all steps. */

parley_state_done_t
parley_store_roster(parley_state_t *state, const parley_roster_t *r,
    parley_roster_page_t *ret, parley_call_t *caller)
{
    uint8_t              *log;
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    call = r->at == 0 && s->main.stage == PARLEY_STORE_UP
           ? parley_store_call(s, parley_store_listed) : NULL;

    if (call == NULL) {
        return s->zone->ops->log->roster(s->zone, r, ret, NULL);
    }

    call->u.roster = *r;
    log = parley_arena_octets(&call->arena, PARLEY_KEY_LEN);

    if (log == NULL || parley_store_ask_command(s, call) != 0) {
        parley_store_call_free(s, call);
        return s->zone->ops->log->roster(s->zone, r, ret, NULL);
    }

    memcpy(log, r->log, PARLEY_KEY_LEN);
    call->u.roster.log = log;

    return parley_store_await(s, call, ret, caller, parley_store_list_alone);
}


static int
parley_store_listed(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    if (parley_store_take_steps(s, reply) && call->caller != NULL
        && parley_store_ask_command(s, call) == 0)
    {
        return parley_store_resend(s, call);
    }

    if (call->caller != NULL) {
        parley_store_list_alone(s, call);
    }

    return 0;
}


static void
parley_store_list_alone(parley_store_t *s, parley_store_call_t *call)
{
    (void) s->zone->ops->log->roster(s->zone, &call->u.roster, call->ret,
                                     NULL);
}


void
parley_store_sessions(parley_store_t *s)
{
    while (s->session != 0 && s->calls < PARLEY_STORE_JOINS) {
        s->session = s->zone->ops->import->sessions(s->zone, s->session - 1,
                                                    parley_store_session, s);
        s->session += s->session != 0;
    }
}


static void
parley_store_session(void *ctx, const parley_join_t *j, uint64_t stamp,
    const parley_process_t *worker)
{
    parley_store_t       *s = ctx;
    parley_store_call_t  *call;

    call = parley_store_call(s, parley_store_session_added);

    if (call == NULL) {
        return;
    }

    call->gone = 1;
    call->again = parley_store_session_again;

    if (parley_store_join_call(s, call, j, stamp, worker) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


/* Another worker of this node may know that the store was emptied, while this
   one has the generation before. */

static int
parley_store_session_added(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t  text;

    if (parley_wire_text(reply, &text)) {
        s->session = 1;
        parley_store_fail(s, "the store was emptied");

        return 0;
    }

    /* a full engine refuses it */

    s->rejoins |= parley_wire_error(reply).len != 0;

    return parley_store_take_own(s, call, reply);
}


/* A new connection may have another generation: all sessions are added again
   with it. */

static int
parley_store_session_again(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->session = 1;

    return 0;
}
