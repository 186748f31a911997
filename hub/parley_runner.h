/*
 * Runs the jobs of a process (state/parley_job.h): takes due jobs, up to a
 * maximum, has each one done, and reports the result to the state.
 *
 *   runner = parley_runner_create(state, &env, max);
 *   parley_runner_turn(runner);     when woken, and after the time of wait
 *   env.begin(ctx, run);            the job is to be done
 *   parley_runner_end(run, &end);   the job was done
 *   env.over(ctx, run, how);        the job is over: called once for each
 *                                   job, in the process that ended it
 *
 * Urgent jobs do not wait for ordinary ones, nor prompt ones for either.  If
 * the maximum is under way, up to PARLEY_RUNNER_URGENT urgent jobs run in
 * addition, PARLEY_RUNNER_SHARE of one account, and up to another maximum of
 * prompt jobs.  An account with a quarter of the ordinary places yields to
 * ordinary jobs of other accounts (SEC-09).
 *
 * Callbacks come from within turn() and end(), and when the state completes a
 * verb.  The runner has no clock: env.wait sets the time of its next turn.
 */

#ifndef PARLEY_RUNNER_H
#define PARLEY_RUNNER_H

#include "core/parley_arena.h"
#include "state/parley_job.h"
#include "state/parley_log.h"


/* urgent jobs at once, if other jobs have all places */
#define PARLEY_RUNNER_URGENT  8

/* lasting jobs at once */
#define PARLEY_RUNNER_LASTING  1024

/* urgent jobs of one account among these */
#define PARLEY_RUNNER_SHARE   2


typedef struct parley_runner_s  parley_runner_t;
typedef struct parley_run_s     parley_run_t;


/* a job that this process has */
struct parley_run_s {
    parley_taken_t        job;
    parley_arena_t        arena;        /* valid while the process has the
                                           job */
    parley_runner_t      *runner;
    void                 *data;         /* the adapter's; NULL at first */
    unsigned              insists:1;    /* set by the adapter: the notice of the
                                           end is required, and is retried */

    /* private */
    parley_call_t         call;
    parley_job_page_t     page;
    parley_job_end_t      end;
    parley_job_ended_t    ended;
    parley_appended_t     appended;
    parley_run_t         *next;
    parley_run_t        **link;
    parley_job_class_t    place;        /* class whose place the job takes */
    unsigned              full:1;       /* the take was limited to some
                                           classes */
    unsigned              ending:1;     /* the end is under way in the state */
    unsigned              untold:1;
};


typedef struct {
    const parley_mem_t  *mem;

    /* Begins run->job.  parley_runner_end() must follow, possibly from
       within. */
    void               (*begin)(void *ctx, parley_run_t *run);

    /*
     * Called when the job is over, with the how of its end.  untold: there was
     * no room for the notice; a job that insists was then given up.  run is
     * freed after the callback.
     */
    void               (*over)(void *ctx, parley_run_t *run,
                           parley_job_how_t how, int untold);

    /* Sets the time of the next turn in ms, replacing the earlier one; -1: only
       when woken. */
    void               (*wait)(void *ctx, int64_t ms);
    void                *ctx;
} parley_runner_env_t;


/*
 * Creates a runner; max: ordinary jobs at once, at least 1.  Returns NULL if
 * memory is exhausted.
 */
parley_runner_t *parley_runner_create(parley_state_t *state,
    const parley_runner_env_t *env, size_t max);

/* Takes due jobs. */
void parley_runner_turn(parley_runner_t *r);

/*
 * Ends an attempt of a job; AGAIN makes it due again.  end->id is ignored;
 * pointers of end->tells must be into run->arena.  run is freed when the state
 * has answered.
 */
void parley_runner_end(parley_run_t *run, const parley_job_end_t *end);

/*
 * Returns a job without an attempt: it is due again after that many ms.  run is
 * freed as after parley_runner_end().
 */
void parley_runner_untried(parley_run_t *run, int64_t after);

/* Stops taking jobs; jobs under way continue. */
void parley_runner_stop(parley_runner_t *r);

/* Returns the number of jobs under way. */
size_t parley_runner_jobs(const parley_runner_t *r);

/*
 * Frees the runner at the end of the process.  Jobs under way are left, and
 * become due again after the process has ended.  No callback is called.
 */
void parley_runner_free(parley_runner_t *r);


#endif /* PARLEY_RUNNER_H */
