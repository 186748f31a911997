/*
 * Jobs in memory: the verbs.  As with reservations, the host is asked without
 * the lock whether a process with a job lives; the result counts at the next
 * check of the job.
 */

#include "state/memory/parley_memory_job_parts.h"


/* processes to ask about in one call */
#define PARLEY_JOB_HOLDERS  16


/* a take under way */
typedef struct {
    const parley_job_take_t  *take;
    parley_job_page_t        *ret;
    int64_t                   now;

    /* processes that have jobs and are due for a check */
    uint32_t                  numbers[PARLEY_JOB_HOLDERS];
    parley_process_t          processes[PARLEY_JOB_HOLDERS];
    size_t                    n;

    /* jobs of other nodes to forget */
    parley_entry_t           *forgets[PARLEY_JOB_HOLDERS];
    size_t                    nforgets;
} parley_job_taking_t;


static parley_state_done_t parley_memory_job_add(parley_state_t *state,
    const parley_job_add_t *add, parley_job_added_t *ret, parley_call_t *call);
static parley_state_done_t parley_memory_job_take(parley_state_t *state,
    const parley_job_take_t *take, parley_job_page_t *ret,
    parley_call_t *call);
static int parley_job_takes(parley_memory_t *s, parley_job_taking_t *t);
static int parley_job_is_held(parley_memory_t *s, parley_job_taking_t *t,
    parley_entry_t *e, parley_job_word_t *w);
static void parley_job_holder(parley_job_taking_t *t, uint32_t number,
    const parley_process_t *process);
static void parley_job_forget(parley_memory_t *s, parley_job_taking_t *t);
static void parley_job_move(parley_memory_t *s, parley_entry_t *e,
    const parley_job_word_t *w);
static int parley_job_taken(parley_memory_t *s, parley_job_taking_t *t,
    parley_entry_t *e, parley_job_word_t *w);
static int parley_job_copy(parley_memory_t *s, parley_job_taking_t *t,
    const parley_entry_t *e, parley_taken_t *ret);
static int parley_job_record(parley_memory_t *s, parley_job_taking_t *t,
    uint64_t number, parley_taken_t *ret);
static parley_state_done_t parley_memory_job_end(parley_state_t *state,
    const parley_job_end_t *end, parley_job_ended_t *ret, parley_call_t *call);
static parley_job_verdict_t parley_job_end(parley_memory_t *s,
    const parley_job_end_t *end, parley_appended_t *appended, int64_t now);
static void parley_job_again(parley_memory_t *s, parley_entry_t *e,
    const parley_job_end_t *end, int64_t now);
static parley_state_done_t parley_memory_job_drop(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN], size_t *ret, parley_call_t *call);
static int parley_memory_job_has(parley_state_t *state,
    const parley_job_id_t *id);


_Static_assert((int) PARLEY_JOB_ENDS == PARLEY_STATE_ENDS,
               "the state counts all that a job ends in");


const parley_job_ops_t  parley_memory_job_ops = {
    .add = parley_memory_job_add,
    .take = parley_memory_job_take,
    .end = parley_memory_job_end,
    .drop = parley_memory_job_drop,
    .list = parley_memory_job_list,
    .has = parley_memory_job_has,
};


static parley_state_done_t
parley_memory_job_add(parley_state_t *state, const parley_job_add_t *add,
    parley_job_added_t *ret, parley_call_t *call)
{
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    if (add->job.text.len > PARLEY_JOB_TEXT_MAX) {
        *ret = PARLEY_JOB_LONG;
        return PARLEY_STATE_DONE;
    }

    now = parley_memory_now(s);

    parley_memory_lock(s);

    if (add->job.sole && parley_lane_has_jobs(s, add->job.lane)) {
        parley_memory_unlock(s);
        *ret = PARLEY_JOB_ADDED;
        return PARLEY_STATE_DONE;
    }

    switch (parley_table_room_locked(s->sh->table, add->account,
                                     parley_job_blocks(&add->job), s->share,
                                     now))
    {
    case PARLEY_ROOM_OK:
        *ret = parley_job_put_locked(s, &add->job, add->account, 0, NULL,
                                     &(parley_job_origin_t) { 0 }, now)
                  == 0
               ? PARLEY_JOB_ADDED : PARLEY_JOB_FULL;
        break;

    case PARLEY_ROOM_SHARE:
        *ret = PARLEY_JOB_SHARE;
        break;

    default:
        *ret = PARLEY_JOB_FULL;
    }

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


/* a process without a number cannot take jobs */

static parley_state_done_t
parley_memory_job_take(parley_state_t *state, const parley_job_take_t *take,
    parley_job_page_t *ret, parley_call_t *call)
{
    size_t                i;
    uint64_t              next;
    parley_memory_t      *s = (parley_memory_t *) state;
    parley_job_taking_t   t;

    (void) call;

    memset(ret, 0, sizeof(parley_job_page_t));
    memset(&t, 0, sizeof(parley_job_taking_t));

    t.take = take;
    t.ret = ret;
    t.now = parley_memory_now(s);

    next = __atomic_load_n(&s->sh->jobs.next, __ATOMIC_RELAXED);

    if (next <= (uint64_t) t.now && s->process != 0) {

        ret->list = parley_arena_alloc(take->arena, take->max
                                                    * sizeof(parley_taken_t));
        if (ret->list == NULL) {
            ret->n = -1;
            return PARLEY_STATE_DONE;
        }

        parley_memory_lock(s);

        if (parley_job_takes(s, &t) != 0) {
            ret->n = ret->n != 0 ? ret->n : -1;
        }

        next = s->sh->jobs.next;

        parley_memory_unlock(s);

        for (i = 0; i < t.n; i++) {
            (void) parley_memory_bury(s, t.numbers[i], &t.processes[i]);
        }
    }

    ret->next = next == PARLEY_DUE_NEVER ? -1
                : (int64_t) next <= t.now ? 0 : (int64_t) next - t.now;

    if (s->process == 0 && ret->next == 0) {
        ret->next = PARLEY_JOB_LEASE;
    }

    return PARLEY_STATE_DONE;
}


/*
 * Takes due jobs.  Advances past lists that are over, unless a skipped job
 * remains in them.  Returns -1 if memory is exhausted.
 */

static int
parley_job_takes(parley_memory_t *s, parley_job_taking_t *t)
{
    int                 rc;
    size_t              looks;
    int64_t             tick;
    parley_entry_t     *e, *next, *last[PARLEY_JOB_LOOKS];
    parley_job_word_t   w;

    rc = 0;
    looks = 0;

    parley_append_recover(s, t->now);
    parley_due_begin(s, t->now);

    tick = s->sh->jobs.tick;

    do {
        for (e = parley_due_at(s, tick); e != NULL; e = next) {

            next = parley_due_after(s, e);
            parley_job_word(e, &w);

            if (w.due > t->now
                || (t->take->passes
                    & PARLEY_JOB_CLASS_BIT(parley_job_class(e))) != 0
                || parley_job_is_spent(e, t->take)
                || (w.owner != 0 && parley_job_is_held(s, t, e, &w)))
            {
                continue;
            }

            if ((size_t) t->ret->n == t->take->max) {
                goto done;
            }

            if (parley_job_is_last(e, t->take)) {

                if (looks == PARLEY_JOB_LOOKS) {
                    parley_due_behind(s, last, looks, t->now);
                    goto last;
                }

                last[looks++] = e;
                continue;
            }

            rc = parley_job_taken(s, t, e, &w);

            if (rc != 0) {
                goto done;
            }
        }

        tick++;

    } while (t->take->passes != 0 || looks != 0
             ? tick <= parley_due_tick(t->now) : parley_due_turn(s, t->now));

last:

    if (looks != 0 && (size_t) t->ret->n < t->take->max) {
        e = parley_due_oldest(last, looks, &w);
        rc = parley_job_taken(s, t, e, &w);
    }

done:

    parley_job_forget(s, t);
    parley_due_next(s);

    return rc;
}


/*
 * Returns whether a process has the job, or may have it: then it is checked
 * again later.  If its process has ended, the job is released: *w is its new
 * word, and it may be due later.
 */

static int
parley_job_is_held(parley_memory_t *s, parley_job_taking_t *t,
    parley_entry_t *e, parley_job_word_t *w)
{
    parley_process_t  process;

    if (w->owner == PARLEY_JOB_ELSEWHERE) {

        if (t->nforgets < PARLEY_JOB_HOLDERS) {
            t->forgets[t->nforgets++] = e;
        }

        return 1;
    }

    if (!parley_memory_is_gone(s, w->owner, parley_entry_stamp(e), &process)) {

        if (w->owner != s->process) {
            parley_job_holder(t, w->owner, &process);
        }

        w->due = t->now + PARLEY_JOB_LEASE;
        parley_job_move(s, e, w);

        return 1;
    }

    s->sh->orphans++;
    s->sh->jobs.taken--;

    w->owner = 0;
    w->due = t->now;

    if (w->tried != 0 && w->tried <= t->take->ndelays) {
        w->due += t->take->delays[w->tried - 1];
    }

    parley_job_move(s, e, w);

    return w->due > t->now;
}


static void
parley_job_holder(parley_job_taking_t *t, uint32_t number,
    const parley_process_t *process)
{
    size_t  i;

    for (i = 0; i < t->n; i++) {
        if (t->numbers[i] == number) {
            return;
        }
    }

    if (t->n < PARLEY_JOB_HOLDERS) {
        t->numbers[t->n] = number;
        t->processes[t->n] = *process;
        t->n++;
    }
}


/* The search that found them is over: a removal links the next of a lane. */

static void
parley_job_forget(parley_memory_t *s, parley_job_taking_t *t)
{
    size_t         i;
    parley_load_t  load;

    for (i = 0; i < t->nforgets; i++) {

        if (parley_lane_of_subject(s, t->forgets[i]->key, &load) != NULL) {
            parley_job_remove_locked(s, load.lane, load.at, t->now);
        }
    }
}


static void
parley_job_move(parley_memory_t *s, parley_entry_t *e,
    const parley_job_word_t *w)
{
    parley_due_unlink(s, e);
    parley_job_set(e, w);
    parley_due_link(s, e);
}


/*
 * Adds a job to the page.  The stamp is set before the owner: until then the
 * job is not taken.
 */

static int
parley_job_taken(parley_memory_t *s, parley_job_taking_t *t,
    parley_entry_t *e, parley_job_word_t *w)
{
    parley_taken_t  *ret;

    ret = &t->ret->list[t->ret->n];

    if (parley_job_copy(s, t, e, ret) != 0) {
        return -1;
    }

    ret->id.stamp = parley_memory_stamp(s);
    parley_entry_set_stamp(e, ret->id.stamp);

    w->tried += w->tried < PARLEY_JOB_TRIED;
    w->owner = s->process;
    w->due = t->now + PARLEY_JOB_LEASE;

    ret->attempt = w->tried;
    ret->mark = w->mark;
    ret->class = parley_job_class(e);
    ret->account = e->account;

    parley_job_move(s, e, w);

    s->sh->jobs.taken++;
    t->ret->n++;

    return 0;
}


static int
parley_job_copy(parley_memory_t *s, parley_job_taking_t *t,
    const parley_entry_t *e, parley_taken_t *ret)
{
    uint8_t         *text;
    parley_load_t    load;
    parley_entry_t  *more;

    memset(ret, 0, sizeof(parley_taken_t));

    more = parley_lane_of_subject(s, e->key, &load);

    if (more == NULL) {
        return -1;
    }

    text = parley_arena_octets(t->take->arena, load.size + 1);

    if (text == NULL) {
        return -1;
    }

    parley_table_read_locked(s->sh->table, more, sizeof(load), text,
                             load.size);

    memcpy(ret->id.lane, load.lane, PARLEY_KEY_LEN);
    ret->id.at = load.at;
    ret->left = load.ends - t->now;
    ret->adopted = load.adopted;
    ret->text = parley_str_make(text, load.size);

    return load.record != 0 ? parley_job_record(s, t, load.record, ret) : 0;
}


static int
parley_job_record(parley_memory_t *s, parley_job_taking_t *t,
    uint64_t number, parley_taken_t *ret)
{
    parley_entry_t     *e;
    parley_log_head_t   head;

    e = parley_log_record_find(s, number, &head);

    if (e == NULL || head.ends <= t->now) {
        ret->gone = 1;
        return 0;
    }

    ret->record = parley_log_record_copy(s, e, &head, t->take->arena);

    return ret->record.data != NULL ? 0 : -1;
}


static parley_state_done_t
parley_memory_job_end(parley_state_t *state, const parley_job_end_t *end,
    parley_job_ended_t *ret, parley_call_t *call)
{
    int64_t              now;
    parley_memory_t     *s = (parley_memory_t *) state;
    parley_appended_t   *appended, own;
    parley_job_ended_t   none;

    (void) call;

    memset(&none, 0, sizeof(none));

    ret = ret != NULL ? ret : &none;
    appended = ret->appended != NULL ? ret->appended : &own;

    memset(appended, 0, sizeof(parley_appended_t));

    if (end->tells != NULL) {
        appended->places = parley_arena_calloc(end->tells->arena,
                                               (end->tells->nlogs + 1)
                                               * sizeof(parley_placed_t));
        if (appended->places == NULL) {
            ret->verdict = PARLEY_JOB_UNTOLD;
            return PARLEY_STATE_DONE;
        }
    }

    now = parley_memory_now(s);

    parley_memory_lock(s);

    parley_append_recover(s, now);

    ret->verdict = parley_job_end(s, end, appended, now);

    parley_memory_unlock(s);

    return PARLEY_STATE_DONE;
}


static parley_job_verdict_t
parley_job_end(parley_memory_t *s, const parley_job_end_t *end,
    parley_appended_t *appended, int64_t now)
{
    parley_entry_t     *e;
    parley_job_word_t   w;

    e = parley_job_find(s, end->id->lane, end->id->at);

    if (e == NULL) {
        return PARLEY_JOB_NOT_ITS;
    }

    parley_job_word(e, &w);

    if (w.owner == 0 || w.owner != s->process
        || parley_entry_stamp(e) != end->id->stamp)
    {
        return PARLEY_JOB_NOT_ITS;
    }

    if (end->how == PARLEY_JOB_AGAIN) {
        parley_job_again(s, e, end, now);
        return PARLEY_JOB_OK;
    }

    parley_job_over_locked(s, end->id->lane, end->id->at, end->how,
                           end->tells != NULL ? s->sh->appends.head + 1 : 0);

    if (end->tells != NULL) {

        appended->verdict = parley_append_locked(s, end->tells, now, appended);

        if (appended->verdict != PARLEY_APPEND_OK) {
            __atomic_store_n(&s->sh->jobs.ending, 0, __ATOMIC_RELEASE);
            return PARLEY_JOB_UNTOLD;
        }
    }

    parley_job_finish_locked(s, now);

    return PARLEY_JOB_OK;
}


static void
parley_job_again(parley_memory_t *s, parley_entry_t *e,
    const parley_job_end_t *end, int64_t now)
{
    parley_job_word_t  w;

    parley_job_word(e, &w);

    w.due = end->after < PARLEY_WORD_LATEST - now ? now + end->after
                                                  : PARLEY_WORD_LATEST;
    w.mark = end->mark;
    w.owner = 0;

    if (end->untried && w.tried > 0) {
        w.tried--;
    }

    s->sh->jobs.taken--;

    parley_job_move(s, e, &w);
}


static parley_state_done_t
parley_memory_job_drop(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN], size_t *ret, parley_call_t *call)
{
    size_t            n;
    int64_t           now;
    parley_memory_t  *s = (parley_memory_t *) state;

    (void) call;

    now = parley_memory_now(s);

    parley_memory_lock(s);
    n = parley_job_drop_locked(s, lane, 0, now);
    parley_memory_unlock(s);

    if (ret != NULL) {
        *ret = n;
    }

    return PARLEY_STATE_DONE;
}


size_t
parley_job_drop_locked(parley_memory_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    int elsewhere, int64_t now)
{
    size_t              n;
    uint64_t            at, last;
    parley_entry_t     *e;
    parley_job_word_t   w;

    n = 0;
    e = parley_table_find_locked(s->sh->table, PARLEY_KIND_LANE, lane);

    if (e != NULL) {
        at = parley_lane_of(e)->first;
        last = parley_lane_of(e)->last;

        for ( /* void */ ; at <= last; at++) {
            e = parley_job_find(s, lane, at);

            if (e != NULL) {
                parley_job_word(e, &w);
                n += w.owner != PARLEY_JOB_ELSEWHERE;
            }

            if (e != NULL && (!elsewhere || w.owner == PARLEY_JOB_ELSEWHERE)) {
                parley_job_remove_locked(s, lane, at, now);
            }
        }
    }

    return n;
}


static int
parley_memory_job_has(parley_state_t *state, const parley_job_id_t *id)
{
    int               has;
    uint64_t          job;
    parley_memory_t  *s = (parley_memory_t *) state;

    parley_memory_lock(s);
    has = parley_job_has_locked(s, id, &job);
    parley_memory_unlock(s);

    return has;
}


int
parley_job_has_locked(parley_memory_t *s, const parley_job_id_t *id,
    uint64_t *job)
{
    int                 has;
    parley_load_t       load;
    parley_entry_t     *e;
    parley_job_word_t   w;

    has = 0;
    e = parley_job_find(s, id->lane, id->at);

    if (e != NULL) {
        parley_job_word(e, &w);

        has = w.owner != 0 && w.owner == s->process
              && parley_entry_stamp(e) == id->stamp
              && parley_lane_of_subject(s, e->key, &load) != NULL;
    }

    *job = has ? load.job : 0;

    return has;
}
