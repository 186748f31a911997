#include <string.h>

#include "hub/parley_attempt.h"
#include "hub/parley_runner.h"


/* ms until the next try after memory was exhausted */
#define PARLEY_RUNNER_LATER   1000

/* maximum of ms until the next take: a call that added a job may end before it
   wakes the runners, as its client leaves */
#define PARLEY_RUNNER_LOOK    10000

/* ms until the next take for some classes, while due jobs of other classes have
   no place */
#define PARLEY_RUNNER_SOON    100

/* maximum of accounts with a quarter of the places */
#define PARLEY_RUNNER_MOST    4

#define PARLEY_RUNNER_ALL     (PARLEY_JOB_CLASS_BIT(PARLEY_JOB_CLASSES) - 1)


struct parley_runner_s {
    parley_state_t       *state;
    parley_runner_env_t   env;
    size_t                max[PARLEY_JOB_CLASSES];     /* places, by class */
    size_t                n[PARLEY_JOB_CLASSES];        /* used places, by
                                                           class */
    parley_run_t         *runs;
    parley_run_t         *taking;       /* receives the next job; NULL: no take
                                           under way */
    uint32_t              most[PARLEY_RUNNER_MOST];     /* accounts passed to
                                                           the take */
    unsigned              stopped:1;
    unsigned              turning:1;
    unsigned              again:1;      /* a turn was requested during a turn or
                                           take */
};


static parley_run_t *parley_runner_new(parley_runner_t *r);
static void parley_runner_drop(parley_run_t *run);
static unsigned parley_runner_full(const parley_runner_t *r);
static size_t parley_runner_most(parley_runner_t *r,
    parley_job_class_t place);
static unsigned parley_runner_of(const parley_runner_t *r,
    parley_job_class_t place, uint32_t account);
static int parley_runner_take(parley_runner_t *r, unsigned full);
static void parley_runner_took(parley_call_t *call);
static int parley_runner_got(parley_run_t *run);
static void parley_runner_ended(parley_call_t *call);
static void parley_runner_over(parley_run_t *run);


parley_runner_t *
parley_runner_create(parley_state_t *state, const parley_runner_env_t *env,
    size_t max)
{
    parley_runner_t  *r;

    r = env->mem->alloc(env->mem->ctx, sizeof(parley_runner_t));

    if (r != NULL) {
        memset(r, 0, sizeof(parley_runner_t));

        r->state = state;
        r->env = *env;
        r->max[PARLEY_JOB_ORDINARY] = max;
        r->max[PARLEY_JOB_URGENT] = PARLEY_RUNNER_URGENT;
        r->max[PARLEY_JOB_PROMPT] = max;
        r->max[PARLEY_JOB_LASTING] = PARLEY_RUNNER_LASTING;
    }

    return r;
}


static parley_run_t *
parley_runner_new(parley_runner_t *r)
{
    parley_run_t  *run;

    run = r->env.mem->alloc(r->env.mem->ctx, sizeof(parley_run_t));

    if (run == NULL) {
        return NULL;
    }

    memset(run, 0, sizeof(parley_run_t));
    parley_arena_init(&run->arena, r->env.mem, 0);

    run->runner = r;
    run->call.ctx = run;
    run->next = r->runs;
    run->link = &r->runs;

    if (run->next != NULL) {
        run->next->link = &run->next;
    }

    r->runs = run;

    return run;
}


static void
parley_runner_drop(parley_run_t *run)
{
    parley_runner_t  *r;

    r = run->runner;
    *run->link = run->next;

    if (run->next != NULL) {
        run->next->link = run->link;
    }

    parley_arena_reset(&run->arena);
    r->env.mem->free(r->env.mem->ctx, run);
}


/* takes one job at a time: each has its own memory */

void
parley_runner_turn(parley_runner_t *r)
{
    unsigned  full;

    if (r->turning || r->taking != NULL) {
        r->again = 1;
        return;
    }

    r->turning = 1;

    do {
        r->again = 0;
        full = parley_runner_full(r);
    } while (!r->stopped && full != PARLEY_RUNNER_ALL
             && parley_runner_take(r, full));

    r->turning = 0;
}


/* Returns the classes without a free place.  An urgent job takes an ordinary
   place if one is free. */

static unsigned
parley_runner_full(const parley_runner_t *r)
{
    unsigned  i, full;

    full = 0;

    for (i = 0; i < PARLEY_JOB_CLASSES; i++) {
        if (r->n[i] >= r->max[i]) {
            full |= PARLEY_JOB_CLASS_BIT(i);
        }
    }

    return full & PARLEY_JOB_CLASS_BIT(PARLEY_JOB_ORDINARY)
           ? full : full & ~PARLEY_JOB_CLASS_BIT(PARLEY_JOB_URGENT);
}


/*
 * Sets r->most to the accounts that have the maximum of urgent places, or a
 * quarter of the ordinary ones.  Either is more than a fifth, so each such
 * account is among the PARLEY_RUNNER_MOST candidates that one pass finds (Misra
 * and Gries); these are then counted.
 */

static size_t
parley_runner_most(parley_runner_t *r, parley_job_class_t place)
{
    size_t               i, n, left, share, votes[PARLEY_RUNNER_MOST];
    const parley_run_t  *run;

    n = 0;
    share = place == PARLEY_JOB_URGENT ? PARLEY_RUNNER_SHARE
                                       : (r->max[place] + 3) / 4;

    if (r->n[place] < share) {
        return 0;
    }

    for (run = r->runs; run != NULL; run = run->next) {

        if (run->place != place || run->job.account == 0) {
            continue;
        }

        for (i = 0; i < n && r->most[i] != run->job.account; i++) {
            /* void */
        }

        if (i < n) {
            votes[i]++;

        } else if (n < PARLEY_RUNNER_MOST) {
            r->most[n] = run->job.account;
            votes[n++] = 1;

        } else {
            for (left = 0, i = 0; i < n; i++) {
                if (votes[i] > 1) {
                    r->most[left] = r->most[i];
                    votes[left++] = votes[i] - 1;
                }
            }

            n = left;
        }
    }

    for (left = 0, i = 0; i < n; i++) {
        if (parley_runner_of(r, place, r->most[i]) >= share) {
            r->most[left++] = r->most[i];
        }
    }

    return left;
}


static unsigned
parley_runner_of(const parley_runner_t *r, parley_job_class_t place,
    uint32_t account)
{
    unsigned             n;
    const parley_run_t  *run;

    n = 0;

    for (run = r->runs; run != NULL; run = run->next) {
        n += run->place == place && run->job.account == account;
    }

    return n;
}


/* Takes a job.  Returns 1 if more may be due. */

static int
parley_runner_take(parley_runner_t *r, unsigned full)
{
    parley_run_t       *run;
    parley_job_take_t   take;

    run = parley_runner_new(r);

    if (run == NULL) {
        r->env.wait(r->env.ctx, PARLEY_RUNNER_LATER);
        return 0;
    }

    memset(&take, 0, sizeof(parley_job_take_t));

    take.max = 1;
    take.delays = parley_attempt_delays;
    take.ndelays = PARLEY_ATTEMPTS - 1;
    take.arena = &run->arena;
    take.passes = full;

    if (full & PARLEY_JOB_CLASS_BIT(PARLEY_JOB_ORDINARY)) {
        take.spent = r->most;
        take.nspent = parley_runner_most(r, PARLEY_JOB_URGENT);

    } else {
        take.last = r->most;
        take.nlast = parley_runner_most(r, PARLEY_JOB_ORDINARY);
    }

    run->full = full != 0;

    r->taking = run;
    run->call.done = parley_runner_took;

    return r->state->ops->job->take(r->state, &take, &run->page, &run->call)
           == PARLEY_STATE_DONE ? parley_runner_got(run) : 0;
}


static void
parley_runner_took(parley_call_t *call)
{
    parley_run_t     *run = call->ctx;
    parley_runner_t  *r;

    r = run->runner;

    if (parley_runner_got(run) || r->again) {
        parley_runner_turn(r);
    }
}


static int
parley_runner_got(parley_run_t *run)
{
    int64_t           next;
    parley_runner_t  *r;

    r = run->runner;
    r->taking = NULL;

    if (run->page.n <= 0) {
        next = run->page.n < 0 ? PARLEY_RUNNER_LATER : run->page.next;

        if (run->full && next >= 0 && next < PARLEY_RUNNER_SOON) {
            next = PARLEY_RUNNER_SOON;
        }

        if (next < 0 || next > PARLEY_RUNNER_LOOK) {
            next = PARLEY_RUNNER_LOOK;
        }

        parley_runner_drop(run);
        r->env.wait(r->env.ctx, next);

        return r->again;
    }

    run->job = run->page.list[0];
    run->place = run->job.class;

    if (run->place == PARLEY_JOB_URGENT
        && r->n[PARLEY_JOB_ORDINARY] < r->max[PARLEY_JOB_ORDINARY])
    {
        run->place = PARLEY_JOB_ORDINARY;
    }

    r->n[run->place]++;

    if (r->stopped) {
        parley_runner_untried(run, 0);

    } else {
        r->env.begin(r->env.ctx, run);
    }

    return 1;
}


void
parley_runner_untried(parley_run_t *run, int64_t after)
{
    parley_job_end_t  end;

    memset(&end, 0, sizeof(parley_job_end_t));

    end.how = PARLEY_JOB_AGAIN;
    end.after = after;
    end.mark = run->job.mark;
    end.untried = 1;

    parley_runner_end(run, &end);
}


void
parley_runner_end(parley_run_t *run, const parley_job_end_t *end)
{
    parley_runner_t  *r;

    r = run->runner;

    run->end = *end;
    run->end.id = &run->job.id;
    run->ending = 1;
    run->ended.appended = &run->appended;
    run->call.done = parley_runner_ended;

    if (r->state->ops->job->end(r->state, &run->end, &run->ended, &run->call)
        == PARLEY_STATE_DONE)
    {
        parley_runner_over(run);
    }
}


static void
parley_runner_ended(parley_call_t *call)
{
    parley_runner_over(call->ctx);
}


/* Handles the end of a job.  If there was no room for the notice, the job ends
   without it; one that insists is retried until its time is over, and then
   given up. */

static void
parley_runner_over(parley_run_t *run)
{
    parley_runner_t     *r;
    parley_job_end_t     end;

    r = run->runner;

    if (run->ended.verdict == PARLEY_JOB_UNTOLD && run->end.tells != NULL) {
        end = run->end;
        end.tells = NULL;
        run->untold = 1;

        if (run->insists) {
            end.how = PARLEY_JOB_GIVEN_UP;
        }

        if (run->insists && run->job.left > PARLEY_RUNNER_LATER) {
            end.how = PARLEY_JOB_AGAIN;
            end.after = PARLEY_RUNNER_LATER;
            end.untried = 1;
        }

        parley_runner_end(run, &end);
        return;
    }

    if (run->ended.verdict == PARLEY_JOB_OK
        && run->end.how != PARLEY_JOB_AGAIN)
    {
        r->env.over(r->env.ctx, run, run->end.how, run->untold);
    }

    r->n[run->place]--;

    parley_runner_drop(run);
    parley_runner_turn(r);
}


void
parley_runner_stop(parley_runner_t *r)
{
    r->stopped = 1;
}


size_t
parley_runner_jobs(const parley_runner_t *r)
{
    size_t    n;
    unsigned  i;

    n = 0;

    for (i = 0; i < PARLEY_JOB_CLASSES; i++) {
        n += r->n[i];
    }

    return n;
}


void
parley_runner_free(parley_runner_t *r)
{
    parley_run_t  *run;

    while (r->runs != NULL) {
        run = r->runs;

        if ((run == r->taking || run->ending)
            && !r->state->ops->at_once)
        {
            r->state->ops->cancel(r->state, &run->call);
        }

        parley_runner_drop(run);
    }

    r->env.mem->free(r->env.mem->ctx, r);
}
