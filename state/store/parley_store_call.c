/*
 * Calls: commands in the queue of unanswered ones, in the order in which they
 * were sent.  The call of a cancelled verb stays in the queue, so that its
 * effect can be undone.
 */

#include <string.h>

#include "state/parley_process.h"
#include "state/store/parley_store_parts.h"


static int parley_store_kill_again(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_is_engine(const parley_store_t *s,
    const parley_process_link_t *link);
static void parley_store_queue(parley_store_t *s, parley_store_call_t *call);
static void parley_store_unlink(parley_store_t *s, parley_store_call_t **link);


parley_store_call_t *
parley_store_call(parley_store_t *s, parley_store_answer_pt answer)
{
    parley_store_call_t  *call;

    call = s->spare;

    if (call != NULL) {
        s->spare = call->next;
        s->nspare--;

    } else {
        call = s->mem->alloc(s->mem->ctx, sizeof(parley_store_call_t));

        if (call == NULL) {
            return NULL;
        }
    }

    memset(call, 0, offsetof(parley_store_call_t, room));

    call->answer = answer;

    parley_arena_init(&call->arena, s->mem, 0);
    parley_arena_lend(&call->arena, call->room, PARLEY_STORE_ROOM);

    return call;
}


int
parley_store_command(parley_store_call_t *call, const parley_str_t *arguments,
    size_t n)
{
    return parley_wire_command(&call->arena, arguments, n, &call->octets);
}


void
parley_store_call_free(parley_store_t *s, parley_store_call_t *call)
{
    parley_arena_reset(&call->arena);

    if (s->nspare < PARLEY_STORE_SPARE) {
        call->next = s->spare;
        s->spare = call;
        s->nspare++;
        return;
    }

    s->mem->free(s->mem->ctx, call);
}


void
parley_store_call_spare_free(parley_store_t *s)
{
    parley_store_call_t  *call;

    while (s->spare != NULL) {
        call = s->spare;
        s->spare = call->next;
        s->mem->free(s->mem->ctx, call);
    }

    s->nspare = 0;
}


int
parley_store_send(parley_store_t *s, parley_store_call_t *call)
{
    if (s->calls == PARLEY_STORE_CALLS
        || s->octets + call->octets.len > PARLEY_STORE_OCTETS)
    {
        s->stat.lost[PARLEY_STORE_LOST_CALL]++;
        parley_store_call_free(s, call);

        return -1;
    }

    call->since = s->env->now(s->env->ctx);
    parley_store_queue(s, call);

    return 0;
}


int
parley_store_resend(parley_store_t *s, parley_store_call_t *call)
{
    parley_store_queue(s, call);

    return 1;
}


static void
parley_store_queue(parley_store_t *s, parley_store_call_t *call)
{
    call->next = NULL;

    *s->last = call;
    s->last = &call->next;
    s->calls++;
    s->octets += call->octets.len;

    if (s->main.stage == PARLEY_STORE_UP) {
        s->env->send(s->env->ctx, PARLEY_STORE_MAIN, call->octets);
    }
}


parley_state_done_t
parley_store_await(parley_store_t *s, parley_store_call_t *call, void *ret,
    parley_call_t *caller, parley_store_give_up_pt give_up)
{
    call->ret = ret;
    call->caller = caller;
    call->give_up = give_up;

    if (s->main.stage != PARLEY_STORE_UP || s->calls == PARLEY_STORE_CALLS
        || s->octets + call->octets.len > PARLEY_STORE_OCTETS)
    {
        s->stat.calls[PARLEY_STORE_AWAY]++;

        give_up(s, call);
        parley_store_call_free(s, call);

        return PARLEY_STATE_DONE;
    }

    caller->pending = call;
    s->awaited++;

    (void) parley_store_send(s, call);

    parley_store_timer_at(s, call->since + s->conf->timeout);

    return PARLEY_STATE_LATER;
}


/* Tells a caller that its verb is done. */

void
parley_store_done(parley_store_t *s, parley_store_call_t *call)
{
    parley_call_t  *caller;

    caller = call->caller;

    if (caller == NULL) {
        return;
    }

    call->caller = NULL;
    call->ret = NULL;
    s->awaited--;

    caller->pending = NULL;
    caller->done(caller);
}


static void
parley_store_unlink(parley_store_t *s, parley_store_call_t **link)
{
    parley_store_call_t  *call;

    call = *link;
    *link = call->next;

    if (call->next == NULL) {
        s->last = link;
    }

    s->calls--;
    s->octets -= call->octets.len;
}


/*
 * The call leaves the queue before its answer is read: the caller may begin
 * other calls, or close the connection.
 */

void
parley_store_answered(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_str_t          error;
    parley_store_call_t  *call;

    call = s->first;

    if (call == NULL) {
        parley_store_strange(s, "a command that was not sent");
        return;
    }

    error = parley_wire_error(reply);

    if (error.len != 0) {

        if (!parley_store_error(s, error)) {
            return;
        }

        parley_store_call_refused(s, error);
    }

    s->slow = 0;
    s->main.heard = s->env->now(s->env->ctx);
    s->stat.calls[error.len == 0 ? PARLEY_STORE_OK : PARLEY_STORE_FAILED]++;

    parley_store_unlink(s, &s->first);

    if (call->answer != NULL && call->answer(s, call, reply)) {
        return;
    }

    parley_store_done(s, call);
    parley_store_call_free(s, call);
}


/*
 * A caller may cancel other calls, or begin new ones at the end of the queue.
 * No call leaves the queue meanwhile.
 */

void
parley_store_give_up(parley_store_t *s, int64_t before)
{
    parley_store_call_t  *call;

    for (call = s->first; call != NULL && s->awaited != 0; call = call->next) {

        if (call->caller == NULL || call->since > before) {
            continue;
        }

        s->slow++;
        s->stat.calls[PARLEY_STORE_SLOW]++;

        call->give_up(s, call);
        call->gone = 1;

        parley_store_done(s, call);
    }
}


void
parley_store_send_again(parley_store_t *s)
{
    parley_store_call_t  *call, **link;

    for (link = &s->first; *link != NULL; /* void */ ) {
        call = *link;

        if (call->once
            || (call->gone && !(call->again != NULL ? call->again(s, call)
                                                    : call->kept)))
        {
            parley_store_unlink(s, link);
            parley_store_call_free(s, call);
            continue;
        }

        /* other nodes let an answer to it pass as one to an unknown message */

        s->stat.lost[PARLEY_STORE_LOST_QUESTION] += call->question;
        call->question = 0;

        s->env->send(s->env->ctx, PARLEY_STORE_MAIN, call->octets);
        link = &call->next;
    }
}


/* The reply undoes the effect that the caller does not want. */

void
parley_store_cancel(parley_state_t *state, parley_call_t *caller)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call = caller->pending;

    call->caller = NULL;
    call->ret = NULL;
    call->gone = 1;
    s->awaited--;

    caller->pending = NULL;

    if (call->leave != NULL) {
        call->leave(s, call);
    }
}


void
parley_store_kill(parley_store_t *s, const parley_process_link_t *link)
{
    char                    id[24];
    uint64_t                name[2];
    parley_str_t            arguments[4];
    parley_store_call_t    *call;
    parley_process_link_t  *copy;

    name[0] = link->id;
    memcpy(&name[1], link->engine, sizeof(link->engine));

    if (link->id == 0 || memcmp(s->killed, name, sizeof(name)) == 0
        || (s->main.stage == PARLEY_STORE_UP
            && !parley_store_is_engine(s, link)))
    {
        return;
    }

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return;
    }

    arguments[0] = PARLEY_STR("CLIENT");
    arguments[1] = PARLEY_STR("KILL");
    arguments[2] = PARLEY_STR("ID");
    arguments[3] = parley_wire_number((int64_t) link->id, id);

    copy = parley_arena_calloc(&call->arena, sizeof(parley_process_link_t));

    if (copy == NULL || parley_store_command(call, arguments, 4) != 0) {
        parley_store_call_free(s, call);
        return;
    }

    *copy = *link;

    call->gone = 1;
    call->again = parley_store_kill_again;
    call->u.kill = copy;

    if (parley_store_send(s, call) == 0) {
        memcpy(s->killed, name, sizeof(name));
    }
}


/* Another engine gives the same ids to other connections. */

static int
parley_store_kill_again(parley_store_t *s, parley_store_call_t *call)
{
    return parley_store_is_engine(s, call->u.kill);
}


static int
parley_store_is_engine(const parley_store_t *s,
    const parley_process_link_t *link)
{
    return strncmp(s->run, link->engine, sizeof(link->engine)) == 0;
}
