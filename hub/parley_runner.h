/*
 * The jobs of a process (state/parley_job.h): it takes those that are due, as
 * many as it may have at once, has each done, and says what came of it.
 *
 *     runner = parley_runner_create(state, &env, max);
 *     parley_runner_turn(runner);         when it is woken, and when time is up
 *     env.begin(ctx, run);                it is to be done
 *     parley_runner_end(run, &end);       and was
 *     env.over(ctx, run, how);            it is ended, by this process: told
 *                                         once of each job that is over
 *
 * Urgent jobs wait for no ordinary ones, and prompt ones for neither: where it
 * has as many as it may, PARLEY_RUNNER_URGENT urgent ones are done beside them,
 * PARLEY_RUNNER_SHARE of one account, and as many prompt ones as it may have
 * others.  An account that has a quarter of the ordinary places lets the
 * ordinary ones of others before (SEC-09).
 *
 * It calls back from within turn() and end(), and from where the state
 * completes what it was asked.  It has no clock: env.wait says when it is to
 * have its turn.
 */

#ifndef PARLEY_RUNNER_H
#define PARLEY_RUNNER_H

#include "core/parley_arena.h"
#include "state/parley_job.h"
#include "state/parley_log.h"


/* urgent jobs at once, where others have all places */
#define PARLEY_RUNNER_URGENT  8

/* and of one account of these */
#define PARLEY_RUNNER_SHARE   2


typedef struct parley_runner_s  parley_runner_t;
typedef struct parley_run_s     parley_run_t;


/* a job that this process has */
struct parley_run_s {
    parley_taken_t        job;
    parley_arena_t        arena;        /* as long as it has it */
    parley_runner_t      *runner;
    void                 *data;         /* the adapter's, NULL at first */
    unsigned              insists:1;    /* the adapter's: what it tells must be
                                           told, and is tried again */

    /* private */
    parley_call_t         call;
    parley_job_page_t     page;
    parley_job_end_t      end;
    parley_job_ended_t    ended;
    parley_appended_t     appended;
    parley_run_t         *next;
    parley_run_t        **link;
    parley_job_class_t    place;        /* whose it takes */
    unsigned              full:1;       /* it asked for some classes alone */
    unsigned              ending:1;     /* the state is told */
    unsigned              untold:1;
};


typedef struct {
    const parley_mem_t  *mem;

    /* What to do is in run->job; parley_runner_end() follows, perhaps from
       within. */
    void               (*begin)(void *ctx, parley_run_t *run);

    /*
     * The job is over: how is as it was said.  Untold: what was to be told
     * found no room, and what insists was given up.  run goes when this
     * returns.
     */
    void               (*over)(void *ctx, parley_run_t *run,
                           parley_job_how_t how, int untold);

    /* Its turn is in ms, or sooner; -1: when it is woken.  What was said before
       is over. */
    void               (*wait)(void *ctx, int64_t ms);
    void                *ctx;
} parley_runner_env_t;


/* max: jobs at once, at least 1, but for those beside.  NULL: no memory. */
parley_runner_t *parley_runner_create(parley_state_t *state,
    const parley_runner_env_t *env, size_t max);

/* Takes what is due. */
void parley_runner_turn(parley_runner_t *r);

/*
 * What came of a job; AGAIN: it is due again.  end->id is not looked at; what
 * end->tells points to is in run->arena.  run is gone when the state knows.
 */
void parley_runner_end(parley_run_t *run, const parley_job_end_t *end);

/* Nothing was tried: it is due again in so many ms.  run is gone as above. */
void parley_runner_untried(parley_run_t *run, int64_t after);

/* It takes no more.  Jobs that it has go on. */
void parley_runner_stop(parley_runner_t *r);

/* How many it has. */
size_t parley_runner_jobs(const parley_runner_t *r);

/*
 * Its process ends: what is under way is left as it is, and is found when the
 * process is gone.  No callback comes.
 */
void parley_runner_free(parley_runner_t *r);


#endif /* PARLEY_RUNNER_H */
