/*
 * Jobs.  All zones have the jobs of all nodes, by the steps that added them.
 * The node that added a job does it: a take needs no answer of the store.  It
 * takes no job after its lease, and another node then adopts its jobs.
 */

#include <string.h>

#include "state/store/parley_store_step.h"


#define PARLEY_STORE_SOLE  2000         /* ms until a sole job is begun */


static parley_state_done_t parley_store_job_add(parley_state_t *state,
    const parley_job_add_t *add, parley_job_added_t *ret,
    parley_call_t *caller);
static int parley_store_job_answer(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static void parley_store_job_finish(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_job_alone(parley_store_t *s,
    parley_store_call_t *call);
static parley_state_done_t parley_store_job_take(parley_state_t *state,
    const parley_job_take_t *take, parley_job_page_t *ret,
    parley_call_t *call);
static parley_state_done_t parley_store_job_end(parley_state_t *state,
    const parley_job_end_t *end, parley_job_ended_t *ret,
    parley_call_t *caller);
static parley_state_done_t parley_store_job_late(parley_store_t *s,
    const parley_job_end_t *end, parley_job_ended_t *ret);
static void parley_store_job_say_end(parley_store_t *s,
    const parley_import_end_t *end);
static parley_state_done_t parley_store_job_tell(parley_store_t *s,
    const parley_job_end_t *end, const parley_import_end_t *step,
    parley_job_ended_t *ret, parley_call_t *caller);
static parley_state_done_t parley_store_job_drop(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN], size_t *ret, parley_call_t *call);
static parley_state_done_t parley_store_job_list(parley_state_t *state,
    const parley_job_list_t *list, parley_job_listing_t *ret,
    parley_call_t *call);
static int parley_store_job_has(parley_state_t *state,
    const parley_job_id_t *id);
static int parley_store_has_lease(const parley_store_t *s);


const parley_job_ops_t  parley_store_job_ops = {
    .add = parley_store_job_add,
    .take = parley_store_job_take,
    .end = parley_store_job_end,
    .drop = parley_store_job_drop,
    .list = parley_store_job_list,
    .has = parley_store_job_has,
};


/*
 * The zone says whether there is room; the store, which node is the first to
 * add a sole job.  A step of a sole job does not stay as long as the job: it
 * would keep all later steps.  So this node may not know the job of another
 * one, which then says it again, before this node begins it.
 */

static parley_state_done_t
parley_store_job_add(parley_state_t *state, const parley_job_add_t *add,
    parley_job_added_t *ret, parley_call_t *caller)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_append_t       room;
    parley_job_add_t      copy;
    parley_store_call_t  *call;

    memset(&room, 0, sizeof(parley_append_t));

    room.account = add->account;
    room.jobs = &add->job;
    room.njobs = 1;

    if (add->job.text.len > PARLEY_JOB_TEXT_MAX) {
        *ret = PARLEY_JOB_LONG;
        return PARLEY_STATE_DONE;
    }

    if (add->job.sole
        && s->zone->ops->import->has_lane(s->zone, add->job.lane))
    {
        *ret = PARLEY_JOB_ADDED;
        return PARLEY_STATE_DONE;
    }

    switch (s->zone->ops->import->may_append(s->zone, &room, NULL)) {

    case PARLEY_APPEND_OK:
        break;

    case PARLEY_APPEND_SHARE:
        *ret = PARLEY_JOB_SHARE;
        return PARLEY_STATE_DONE;

    default:
        *ret = PARLEY_JOB_FULL;
        return PARLEY_STATE_DONE;
    }

    *ret = PARLEY_JOB_FULL;

    call = parley_store_call(s, parley_store_job_answer);

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    copy = *add;

    if (add->job.sole && add->job.after < PARLEY_STORE_SOLE) {
        copy.job.after = PARLEY_STORE_SOLE;
    }

    if (parley_store_say_command(s, call,
                                 parley_store_write_work(s, &call->arena,
                                                         &copy, 0),
                                 add->job.sole ? PARLEY_STORE_SAID
                                               : add->job.lasts,
                                 0)
        != 0)
    {
        parley_store_call_free(s, call);
        return PARLEY_STATE_DONE;
    }

    return parley_store_await(s, call, ret, caller, parley_store_job_alone);
}


static int
parley_store_job_answer(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t  step;

    if (parley_wire_error(reply).len != 0) {
        return 0;
    }

    if (parley_store_said(s, call, reply)) {
        return 1;
    }

    if (!parley_wire_integer(reply, &step) || step == 0
        || step >= PARLEY_STORE_NUMBERS)
    {
        parley_store_strange(s, "p1_say");
        return 0;
    }

    call->finish = parley_store_job_finish;
    parley_store_wait(s, call, (uint64_t) step);

    return 1;
}


static void
parley_store_job_finish(parley_store_t *s, parley_store_call_t *call)
{
    (void) s;

    if (call->caller != NULL) {
        *(parley_job_added_t *) call->ret = PARLEY_JOB_ADDED;
    }
}


static void
parley_store_job_alone(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->stat.fallbacks++;
}


static parley_state_done_t
parley_store_job_take(parley_state_t *state, const parley_job_take_t *take,
    parley_job_page_t *ret, parley_call_t *call)
{
    parley_store_t  *s = (parley_store_t *) state;

    if (!parley_store_has_lease(s)) {
        memset(ret, 0, sizeof(parley_job_page_t));
        ret->next = PARLEY_JOB_LEASE;

        return PARLEY_STATE_DONE;
    }

    return s->zone->ops->job->take(s->zone, take, ret, call);
}


static parley_state_done_t
parley_store_job_end(parley_state_t *state, const parley_job_end_t *end,
    parley_job_ended_t *ret, parley_call_t *caller)
{
    int                    has;
    parley_store_t        *s = (parley_store_t *) state;
    parley_job_ended_t     none;
    parley_import_end_t    step;

    memset(&step, 0, sizeof(parley_import_end_t));
    memset(&none, 0, sizeof(parley_job_ended_t));

    has = s->zone->ops->import->has_job(s->zone, end->id, &step.job);

    memcpy(step.lane, end->id->lane, PARLEY_KEY_LEN);
    step.how = end->how;
    step.mark = end->mark;
    step.untried = end->untried;
    step.after = end->after < UINT32_MAX ? (uint32_t) end->after : UINT32_MAX;

    if (has && step.job != 0 && end->how != PARLEY_JOB_AGAIN
        && !parley_store_has_lease(s))
    {
        return parley_store_job_late(s, end, ret != NULL ? ret : &none);
    }

    if (has && end->tells != NULL && end->how != PARLEY_JOB_AGAIN) {
        return parley_store_job_tell(s, end, &step, ret != NULL ? ret : &none,
                                     caller);
    }

    if (has && step.job != 0) {
        parley_store_job_say_end(s, &step);
    }

    return s->zone->ops->job->end(s->zone, end, ret, NULL);
}


/* Another node may have the job, and would report its end too.  If none has,
   this node attempts it again when it has its lease. */

static parley_state_done_t
parley_store_job_late(parley_store_t *s, const parley_job_end_t *end,
    parley_job_ended_t *ret)
{
    parley_job_end_t  again;

    memset(&again, 0, sizeof(parley_job_end_t));

    again.id = end->id;
    again.how = PARLEY_JOB_AGAIN;
    again.mark = end->mark;
    again.untried = 1;

    (void) s->zone->ops->job->end(s->zone, &again, ret, NULL);

    ret->verdict = PARLEY_JOB_NOT_ITS;

    return PARLEY_STATE_DONE;
}


/* Other nodes do not need to know that a job waits again without an attempt. */

static void
parley_store_job_say_end(parley_store_t *s, const parley_import_end_t *end)
{
    parley_store_call_t  *call;

    call = end->how != PARLEY_JOB_AGAIN || !end->untried || end->mark != 0
           ? parley_store_call(s, NULL) : NULL;

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_end(s, &call->arena, end),
                         PARLEY_STORE_SAID, 0);
    }
}


/* The step of the notice ends the job.  Without it the job stays. */

static parley_state_done_t
parley_store_job_tell(parley_store_t *s, const parley_job_end_t *end,
    const parley_import_end_t *step, parley_job_ended_t *ret,
    parley_call_t *caller)
{
    parley_appended_t    *appended, own;
    parley_store_call_t  *call;

    appended = ret->appended != NULL ? ret->appended : &own;

    memset(appended, 0, sizeof(parley_appended_t));

    ret->verdict = PARLEY_JOB_UNTOLD;
    appended->verdict = parley_store_append_may(s, end->tells, appended);

    if (appended->verdict != PARLEY_APPEND_OK) {
        return PARLEY_STATE_DONE;
    }

    call = parley_store_append_call(s, end->tells, step);

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    call->u.append.has_job = 1;

    if (caller == NULL) {
        call->once = 1;

        if (s->main.stage == PARLEY_STORE_UP) {
            (void) parley_store_send(s, call);

        } else {
            parley_store_call_free(s, call);
        }

        return PARLEY_STATE_DONE;
    }

    if (appended == &own) {
        appended = parley_arena_calloc(&call->arena,
                                       sizeof(parley_appended_t));

        if (appended == NULL) {
            parley_store_call_free(s, call);
            return PARLEY_STATE_DONE;
        }

        *appended = own;
    }

    call->u.append.ret = appended;

    return parley_store_await(s, call, ret, caller, parley_store_append_alone);
}


/*
 * A new generation gives the log a new epoch with its next use.  Its readers
 * begin there, so they would not get the record.  An append that fails leaves
 * the job to its deadline.
 */

void
parley_store_owe_again(parley_store_t *s, const parley_import_t *i)
{
    parley_append_t       a;
    parley_arena_t        arena;
    parley_import_end_t   end;
    parley_store_call_t  *call;

    parley_arena_init(&arena, s->mem, 0);

    while (s->calls < PARLEY_STORE_CALLS / 2
           && s->zone->ops->import->owed_before(s->zone, i->join->log,
                                                i->place.epoch, &arena, &a,
                                                &end))
    {
        call = parley_store_append_call(s, &a, &end);

        if (call != NULL) {
            call->once = 1;
            call->u.append.has_job = 1;
            (void) parley_store_send(s, call);
        }

        parley_arena_reset(&arena);
    }

    parley_arena_reset(&arena);
}


/* The result is the number of jobs of this node. */

static parley_state_done_t
parley_store_job_drop(parley_state_t *state, const uint8_t lane[PARLEY_KEY_LEN],
    size_t *ret, parley_call_t *call)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *say;

    say = parley_store_call(s, NULL);

    if (say != NULL) {
        parley_store_say(s, say, parley_store_write_drop(s, &say->arena, lane),
                         PARLEY_STORE_SAID, 0);
    }

    return s->zone->ops->job->drop(s->zone, lane, ret, call);
}


static parley_state_done_t
parley_store_job_list(parley_state_t *state, const parley_job_list_t *list,
    parley_job_listing_t *ret, parley_call_t *call)
{
    parley_store_t  *s = (parley_store_t *) state;

    return s->zone->ops->job->list(s->zone, list, ret, call);
}


static int
parley_store_job_has(parley_state_t *state, const parley_job_id_t *id)
{
    uint64_t         job;
    parley_store_t  *s = (parley_store_t *) state;

    return parley_store_has_lease(s)
           && s->zone->ops->import->has_job(s->zone, id, &job);
}


/* The engine counts the lease from a later moment.  When a lease was over, the
   zone first takes the steps by which other nodes have adopted jobs. */

static int
parley_store_has_lease(const parley_store_t *s)
{
    return !s->behind
           && s->env->now(s->env->ctx) - s->renewed < s->conf->lease;
}
