/*
 * Append.  An append is a step of the store's order.  The verb is done when the
 * zone has taken the step.
 */

#include <string.h>

#include "state/store/parley_store_step.h"


static int parley_store_append_copy(parley_store_call_t *call,
    const parley_append_t *a);
static int parley_store_asked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_append_command(parley_store_t *s,
    parley_store_call_t *call, const parley_append_t *a,
    const parley_import_end_t *end);
static int64_t parley_store_append_stays(const parley_append_t *a);
static int parley_store_append_takes(parley_store_call_t *call,
    const parley_append_t *a);
static int parley_store_append_answer(parley_store_t *s,
    parley_store_call_t *call, const parley_wire_reply_t *reply);
static void parley_store_append_verdict(parley_store_call_t *call,
    parley_append_verdict_t verdict);
static void parley_store_append_finish(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_append_count(parley_store_t *s,
    parley_store_call_t *call);


parley_state_done_t
parley_store_append(parley_state_t *state, const parley_append_t *a,
    parley_appended_t *ret, parley_call_t *caller)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    memset(ret, 0, sizeof(parley_appended_t));

    ret->verdict = parley_store_append_may(s, a, ret);

    if (ret->verdict != PARLEY_APPEND_OK
        || (a->asks && (s->main.stage != PARLEY_STORE_UP
                        || parley_store_has_fed(s, a->stamp))))
    {
        return PARLEY_STATE_DONE;
    }

    call = parley_store_append_call(s, a, NULL);

    if (call == NULL) {
        ret->verdict = PARLEY_APPEND_MEMORY;
        return PARLEY_STATE_DONE;
    }

    call->u.append.ret = ret;

    return parley_store_await(s, call, ret, caller, parley_store_append_alone);
}


parley_append_verdict_t
parley_store_append_may(parley_store_t *s, const parley_append_t *a,
    parley_appended_t *ret)
{
    ret->places = parley_arena_calloc(a->arena, (a->nlogs + 1)
                                                * sizeof(parley_placed_t));
    if (ret->places == NULL) {
        return PARLEY_APPEND_MEMORY;
    }

    return s->zone->ops->import->may_append(s->zone, a, ret);
}


parley_store_call_t *
parley_store_append_call(parley_store_t *s, const parley_append_t *a,
    const parley_import_end_t *end)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, a->asks ? parley_store_asked
                                        : parley_store_append_answer);

    if (call != NULL
        && (parley_store_append_copy(call, a) != 0
            || (a->asks ? parley_store_ask_command(s, call)
                        : parley_store_append_command(s, call, a, end))
               != 0))
    {
        parley_store_call_free(s, call);
        return NULL;
    }

    return call;
}


/* Copies the arguments of a count of subscribers. */

static int
parley_store_append_copy(parley_store_call_t *call, const parley_append_t *a)
{
    uint8_t          *logs;
    parley_append_t  *counts = &call->u.append.counts;

    logs = parley_arena_octets(&call->arena, a->nlogs * PARLEY_KEY_LEN + 1);

    if (logs == NULL
        || parley_arena_str(&call->arena, a->session, &counts->session) != 0)
    {
        return -1;
    }

    if (a->nlogs != 0) {
        memcpy(logs, a->logs, a->nlogs * PARLEY_KEY_LEN);
    }

    counts->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) (void *) logs;
    counts->nlogs = a->nlogs;
    counts->arena = a->arena;
    counts->asks = 1;

    return 0;
}


static int
parley_store_asked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    if (parley_store_take_steps(s, reply) && call->caller != NULL
        && parley_store_ask_command(s, call) == 0)
    {
        return parley_store_resend(s, call);
    }

    parley_store_append_count(s, call);

    return 0;
}


static int
parley_store_append_command(parley_store_t *s, parley_store_call_t *call,
    const parley_append_t *a, const parley_import_end_t *end)
{
    char          ms[24], room[24], epoch[24], lasts[24];
    size_t        n;
    int64_t       stays;
    parley_str_t  arguments[12 + PARLEY_STORE_SETTLE];

    parley_store_settle_room_t  settle;

    stays = parley_store_append_stays(a);
    n = 0;

    arguments[n++] = PARLEY_STR("FCALL");
    arguments[n++] = PARLEY_STR("p1_append");
    arguments[n++] = PARLEY_STR("1");
    arguments[n++] = parley_store_prefix(s);
    arguments[n++] = parley_store_generation(s);
    arguments[n++] = call->content = parley_store_write_append(s, &call->arena,
                                                               a, end);
    arguments[n++] = parley_wire_number(stays, ms);
    arguments[n++] = parley_wire_number((int64_t) s->conf->room, room);
    arguments[n++] = parley_store_epoch(s, epoch);
    arguments[n++] = parley_wire_number(stays + PARLEY_LOG_LEASE, lasts);
    arguments[n++] = a->closes ? PARLEY_STR("1") : PARLEY_STR("0");
    arguments[n++] = parley_str_make(a->logs, a->nlogs * PARLEY_KEY_LEN);

    if (arguments[5].len == 0 || arguments[5].len > PARLEY_STORE_VALUE) {
        return -1;
    }

    if (a->takes != NULL) {

        if (parley_store_append_takes(call, a) != 0) {
            return -1;
        }

        n += parley_store_settle_arguments(s, &settle, a->takes, a->how,
                                           arguments + n);
    }

    return parley_store_command(call, arguments, n);
}


/* A gateway that begins later learns the retained records and the jobs that are
   not over. */

static int64_t
parley_store_append_stays(const parley_append_t *a)
{
    size_t   i;
    int64_t  ms;

    ms = a->retention.ms > PARLEY_STORE_SAID ? a->retention.ms
                                             : PARLEY_STORE_SAID;

    for (i = 0; i < a->njobs; i++) {
        ms = a->jobs[i].lasts > ms ? a->jobs[i].lasts : ms;
    }

    return ms;
}


/* Copies the admission and its settlement. */

static int
parley_store_append_takes(parley_store_call_t *call, const parley_append_t *a)
{
    size_t                i;
    parley_settlement_t  *how = &call->u.append.how;

    parley_store_admission(&call->u.append.takes, a->takes, a->how->stamp);

    *how = *a->how;
    how->lifts = call->u.append.lifts;
    memset(how->drops, 0, sizeof(how->drops));

    if (how->nlifts > PARLEY_LIFTS_MAX) {
        return -1;
    }

    for (i = 0; i < PARLEY_CLOSES_MAX && how->closes[i] != NULL; i++) {
        call->u.append.closes[i] = *how->closes[i];
        how->closes[i] = &call->u.append.closes[i];
    }

    for (i = 0; i < how->nlifts; i++) {
        call->u.append.lifts[i] = a->how->lifts[i];
    }

    call->u.append.has_takes = 1;

    return 0;
}


static int
parley_store_append_answer(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    size_t                    i;
    int64_t                   step;
    parley_str_t              text;
    parley_placed_t          *places;
    parley_append_verdict_t   verdict;

    if (parley_store_refuses(reply, &verdict)) {
        parley_store_append_verdict(call, verdict);
        return 0;
    }

    if (parley_wire_elements(reply) != 2
        || !parley_wire_integer(parley_wire_element(reply, 0), &step)
        || !parley_wire_text(parley_wire_element(reply, 1), &text)
        || text.len != call->u.append.counts.nlogs * 16
        || step == 0 || step >= PARLEY_STORE_NUMBERS)
    {
        parley_store_append_verdict(call, PARLEY_APPEND_AWAY);

        if (parley_wire_text(reply, &text)) {
            parley_store_fail(s, "the store was emptied");
        } else {
            parley_store_strange(s, "p1_append");
        }

        return 0;
    }

    places = call->caller != NULL ? call->u.append.ret->places : NULL;

    for (i = 0; i < call->u.append.counts.nlogs && places != NULL; i++) {
        memcpy(places[i].log, call->u.append.counts.logs[i], PARLEY_KEY_LEN);
        parley_store_read_places(text.data + i * 16, 1, &places[i].place);
    }

    (void) parley_store_take_own(s, call, reply);

    call->finish = parley_store_append_finish;
    parley_store_wait(s, call, (uint64_t) step);

    return 1;
}


/* Reads the refusal of an append or a join. */

int
parley_store_refuses(const parley_wire_reply_t *reply,
    parley_append_verdict_t *ret)
{
    size_t        i;
    parley_str_t  text;

    static const struct {
        const char               *word;
        parley_append_verdict_t   verdict;
    } refusals[] = {
        { "closed", PARLEY_APPEND_CLOSED },
        { "stale", PARLEY_APPEND_STALE },
        { "late", PARLEY_APPEND_LATE },
    };

    if (parley_wire_error(reply).len != 0) {
        *ret = PARLEY_APPEND_FULL;
        return 1;
    }

    if (!parley_wire_text(reply, &text)) {
        return 0;
    }

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        if (parley_str_eq(text, parley_str_c(refusals[i].word))) {
            *ret = refusals[i].verdict;
            return 1;
        }
    }

    return 0;
}


/* Sets the result of an append, or of the end of a job with a notice. */

static void
parley_store_append_verdict(parley_store_call_t *call,
    parley_append_verdict_t verdict)
{
    parley_job_ended_t  *ended = call->ret;

    if (call->caller == NULL) {
        return;
    }

    call->u.append.ret->verdict = verdict;

    if (call->u.append.has_job) {
        ended->verdict = PARLEY_JOB_UNTOLD;
    }
}


void
parley_store_append_alone(parley_store_t *s, parley_store_call_t *call)
{
    /* the store has the record already */

    if (call->step != 0) {
        parley_store_append_finish(s, call);
        return;
    }

    s->stat.fallbacks++;

    if (call->answer == parley_store_asked) {
        return;                 /* the zone's count stays */
    }

    call->u.append.ret->verdict = PARLEY_APPEND_AWAY;

    if (call->u.append.has_job) {
        ((parley_job_ended_t *) call->ret)->verdict = PARLEY_JOB_UNTOLD;
    }
}


/*
 * The store has settled the admission with the append, and the zone follows,
 * also if the caller is gone.
 */

static void
parley_store_append_finish(parley_store_t *s, parley_store_call_t *call)
{
    if (call->u.append.has_takes) {
        (void) s->zone->ops->settle(s->zone, &call->u.append.takes.a,
                                    &call->u.append.how, NULL, NULL);
        parley_store_say_close(s, &call->u.append.how);
    }

    if (call->caller != NULL) {

        /* the zone has ended the job with the step */

        if (call->u.append.has_job) {
            ((parley_job_ended_t *) call->ret)->verdict = PARLEY_JOB_OK;
        }

        call->u.append.ret->number = call->step;
        call->u.append.ret->verdict = PARLEY_APPEND_OK;

        parley_store_append_count(s, call);
    }
}


/* The zone has the sessions that joined before. */

static void
parley_store_append_count(parley_store_t *s, parley_store_call_t *call)
{
    parley_appended_t   counted;
    parley_appended_t  *ret = call->u.append.ret;

    memset(&counted, 0, sizeof(parley_appended_t));

    if (call->caller != NULL
        && s->zone->ops->import->may_append(s->zone, &call->u.append.counts,
                                            &counted)
           == PARLEY_APPEND_OK)
    {
        ret->groups = counted.groups;
        ret->ngroups = counted.ngroups;
    }
}
