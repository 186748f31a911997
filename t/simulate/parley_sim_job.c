/*
 * Jobs in the simulated world: deadlines, and deliveries to peers that answer
 * at any time or never.  The model knows each job from its addition to its
 * end, which is reported once (HUB-09).
 */

#include "hub/parley_attempt.h"
#include "hub/parley_job_subject.h"
#include "state/memory/parley_memory_parts.h"
#include "hub/parley_publication.h"
#include "t/simulate/parley_sim.h"


#define SIM_LANES     9
#define SIM_AT_ONCE   3         /* attempts of one process */
#define SIM_NOTICE    "undelivered"


static size_t sim_jobs_deliver(parley_job_t *jobs);
static void sim_job_begin(void *ctx, parley_run_t *run);
static void sim_job_over(void *ctx, parley_run_t *run, parley_job_how_t how,
    int untold);
static void sim_job_wait(void *ctx, int64_t ms);


static const parley_mem_t  sim_job_mem = { sim_alloc, sim_free, NULL };


void
sim_jobs_start(sim_process_t *p)
{
    parley_runner_env_t  env;

    memset(&env, 0, sizeof(env));

    env.mem = &sim_job_mem;
    env.begin = sim_job_begin;
    env.over = sim_job_over;
    env.wait = sim_job_wait;
    env.ctx = p;

    p->due = world.now;
    p->runner = parley_runner_create(&p->memory.state, &env, SIM_AT_ONCE);

    if (p->runner == NULL) {
        abort();
    }
}


/*
 * Makes the jobs of a record that is about to be appended; returns their
 * number.
 */

size_t
sim_jobs_make(const sim_record_t *record, parley_job_t *jobs)
{
    size_t  n;

    n = sim_jobs_deliver(jobs);

    return record->owed ? sim_jobs_owe(record, jobs, n) : n;
}


static size_t
sim_jobs_deliver(parley_job_t *jobs)
{
    char                  *text;
    size_t                 i, n;
    sim_job_t             *job;
    parley_str_t           part;
    parley_test_random_t  *r;

    r = &world.random;

    if (!parley_test_chance(r, 40)) {
        return 0;
    }

    n = 1 + parley_test_below(r, 3);

    for (i = 0; i < n && world.njobs + i < SIM_JOBS; i++) {
        job = &world.jobs[world.njobs + i];

        memset(job, 0, sizeof(sim_job_t));
        memset(&jobs[i], 0, sizeof(parley_job_t));

        job->timer = parley_test_chance(r, 20);
        job->lane = job->timer ? SIM_LANES + world.njobs + (unsigned) i
                               : parley_test_below(r, SIM_LANES);
        job->critical = !job->timer && parley_test_chance(r, 30);
        job->record = world.nrecords;
        job->before = world.now + (job->timer
                                   ? (int64_t) parley_test_below(r, 20000)
                                   : 0);

        text = parley_arena_alloc(&world.arena, 16);

        if (text == NULL) {
            abort();
        }

        snprintf(text, 16, "%u", world.njobs + (unsigned) i);

        part = parley_str_make(&job->lane, sizeof(job->lane));
        parley_state_key(&world.outside.state, PARLEY_KIND_LANE, &part, 1,
                         jobs[i].lane);

        jobs[i].class = job->critical ? PARLEY_JOB_URGENT
                                      : PARLEY_JOB_ORDINARY;
        jobs[i].text = parley_str_c(text);
        jobs[i].after = job->before - world.now;
        jobs[i].lasts = jobs[i].after
                        + (parley_test_chance(r, 80)
                           ? PARLEY_ATTEMPT_LIVES
                           : (int64_t) parley_test_below(r, 20000));
    }

    return i;
}


/* Counts the n jobs of a record that was appended; n is 0 if it was not. */

void
sim_jobs_made(size_t n)
{
    world.njobs += (unsigned) n;
}


static sim_job_t *
sim_job_of(parley_str_t text, int listing, const sim_job_t *ending)
{
    char        digits[16];
    unsigned    n;
    sim_job_t  *due;

    due = sim_due_job(text);

    if (due == NULL) {
        due = sim_due_up(text, listing, ending);
    }

    if (due != NULL) {
        return due;
    }

    snprintf(digits, sizeof(digits), "%.*s", (int) text.len,
             (const char *) text.data);
    n = (unsigned) strtoul(digits, NULL, 10);

    if (n >= world.njobs) {
        sim_fail("HUB-09: job %u was never added", n);
    }

    return &world.jobs[n];
}


static void
sim_job_wait(void *ctx, int64_t ms)
{
    sim_process_t *p = ctx;

    p->due = ms < 0 ? INT64_MAX : world.now + ms;
}


static void
sim_job_ends(parley_run_t *run, const parley_attempted_t *how)
{
    sim_job_t         *job;
    parley_str_t      *part;
    parley_append_t   *tells;
    parley_job_end_t   end;

    job = sim_job_of(run->job.text, 0, NULL);
    memset(&end, 0, sizeof(end));

    end.how = how->how;
    end.after = how->after;
    end.mark = how->mark;

    if (job->critical && (how->how == PARLEY_JOB_REFUSED
                          || how->how == PARLEY_JOB_GIVEN_UP))
    {
        tells = parley_arena_calloc(&run->arena, sizeof(parley_append_t));
        part = parley_arena_alloc(&run->arena, sizeof(parley_str_t));

        if (tells == NULL || part == NULL) {
            abort();
        }

        *part = PARLEY_STR(SIM_NOTICE);
        tells->parts = part;
        tells->nparts = 1;
        tells->retention = world.retention;
        tells->ttl = 1000;
        tells->arena = &run->arena;
        end.tells = tells;
    }

    job->trying = NULL;
    job->before = how->how == PARLEY_JOB_AGAIN ? world.now + how->after
                                               : world.now;
    world.ending = job;
    world.run = run;
    world.tells = end.tells != NULL;

    parley_runner_end(run, &end);

    world.ending = NULL;
}


/* Checks that the record of a job exists, unless the record has expired. */

static void
sim_job_record(const parley_run_t *run, const sim_job_t *job)
{
    char                   begin[16];
    const sim_record_t    *r;
    parley_publication_t   p;

    r = &world.records[job->record];

    if (run->job.gone) {

        if (!r->erased && r->ends > world.now && run->job.left > 0) {
            sim_fail("HUB-09: a job lost what it is about");
        }

        return;
    }

    snprintf(begin, sizeof(begin), "%u:", job->record);

    if (parley_publication_read(run->job.record, &p) != 0
        || p.message.len < strlen(begin)
        || memcmp(p.message.data, begin, strlen(begin)) != 0)
    {
        sim_fail("HUB-09: a job is about another record");
    }
}


static void
sim_job_begin(void *ctx, parley_run_t *run)
{
    unsigned             i;
    sim_job_t           *job;
    sim_peer_t          *peer;
    sim_process_t       *p = ctx;
    parley_attempted_t   over;

    peer = sim_lasting_peer(run->job.text);

    if (peer != NULL) {
        sim_lasting_taken(p, run, peer);
        return;
    }

    job = sim_job_of(run->job.text, 0, NULL);

    if (job->ended) {
        sim_fail("HUB-09: a job that is over is tried");
    }

    if (job->trying != NULL) {
        sim_fail("HUB-09: two processes try a job at once");
    }

    if (world.now < job->before) {
        sim_fail("VCP-21: a job is tried %d ms too early",
                 (int) (job->before - world.now));
    }

    /* an owed job may have ended before the model knows it */

    for (i = 0; !job->owed && &world.jobs[i] < job; i++) {
        if (world.jobs[i].lane == job->lane && !world.jobs[i].ended) {
            sim_fail("VCP-23: a job overtakes another of its lane");
        }
    }

    if (job->question != NULL) {
        sim_due_begin(p, run, job);
        return;
    }

    if (job->kind != PARLEY_SUBJECT_AWAIT) {
        sim_job_record(run, job);
    }

    if (!parley_attempt_may(&run->job, &over)) {
        sim_job_ends(run, &over);
        return;
    }

    if (job->owed) {
        sim_fail("VCP-33: a job is due that is owed for %d ms still",
                 (int) run->job.left);
    }

    if (job->timer) {
        over.how = PARLEY_JOB_DONE;
        sim_job_ends(run, &over);
        return;
    }

    if (++job->tries > PARLEY_ATTEMPTS) {
        sim_fail("VCP-21: a fifth attempt");
    }

    job->trying = p;

    for (i = 0; i < SIM_ATTEMPTS && world.attempts[i].run != NULL; i++) {
        /* void */
    }

    if (i == SIM_ATTEMPTS) {
        sim_fail("more attempts than there may be at once");
    }

    world.attempts[i].run = run;
    world.attempts[i].process = p;
    world.attempts[i].began = world.now;
}


static void
sim_job_over(void *ctx, parley_run_t *run, parley_job_how_t how, int untold)
{
    sim_job_t   *job;
    sim_peer_t  *peer;

    (void) ctx;

    peer = sim_lasting_peer(run->job.text);

    if (peer != NULL) {
        sim_lasting_over(peer, how);
        return;
    }

    job = sim_job_of(run->job.text, 0, NULL);

    if (job->ended) {
        sim_fail("HUB-09: the end of a job is told twice");
    }

    job->ended = 1;
    world.ended[how]++;
    world.ending = NULL;

    if (world.tells && !untold) {
        world.told++;
        sim_hub_env.wake(NULL);
    }

    if (job->question != NULL) {

        if (untold && how != PARLEY_JOB_GIVEN_UP) {
            sim_fail("VCP-24: what nobody could be told is not given up");
        }

        sim_due_ended(job, untold);
    }
}


/* Ends an attempt with an answer, or without one after its time. */

static void
sim_attempt_ends(sim_attempt_t *a, int status, int64_t wait_ms)
{
    parley_run_t           *run;
    parley_answer_t         answer;
    parley_attempted_t      how;
    parley_attempt_came_t   came;

    memset(&came, 0, sizeof(came));
    memset(&answer, 0, sizeof(answer));

    came.status = status;
    came.wait_ms = wait_ms;

    if (status == 200) {
        came.answer = &answer;
    }

    run = a->run;
    a->run = NULL;

    parley_attempt_came(&run->job, &came, &how);
    sim_job_ends(run, &how);
}


void
sim_jobs_answer(sim_process_t *p, uint64_t arg)
{
    unsigned        i;
    sim_attempt_t  *a;

    static const int  statuses[] = { 200, 200, 200, 503, 0, 404, 429, 401 };

    for (i = 0; i < SIM_ATTEMPTS; i++) {
        a = &world.attempts[(arg + i) % SIM_ATTEMPTS];

        if (a->run != NULL && a->process == p) {
            sim_attempt_ends(a, statuses[(arg >> 8) % 8],
                             (int64_t) ((arg >> 16) % 70000));
            return;
        }
    }
}


void
sim_jobs_turn(sim_process_t *p)
{
    unsigned        i;
    sim_attempt_t  *a;

    for (i = 0; i < SIM_ATTEMPTS; i++) {
        a = &world.attempts[i];

        if (a->run != NULL && a->process == p
            && a->began + PARLEY_ATTEMPT_MS <= world.now)
        {
            sim_attempt_ends(a, 0, 0);
        }
    }

    if (p->leaving) {
        parley_runner_stop(p->runner);
    }

    sim_lasting_turn(p);

    if (p->due <= world.now) {
        p->due = INT64_MAX;
        parley_runner_turn(p->runner);
    }
}


void
sim_jobs_gone(sim_process_t *p)
{
    unsigned        i;
    sim_job_t      *job;
    sim_attempt_t  *a;

    sim_lasting_gone(p);

    for (i = 0; i < SIM_ATTEMPTS; i++) {
        a = &world.attempts[i];

        if (a->run != NULL && a->process == p) {
            job = sim_job_of(a->run->job.text, 0, NULL);
            job->trying = NULL;
            job->before = world.now;

            if (a->run->job.attempt < PARLEY_ATTEMPTS) {
                job->before += parley_attempt_delays[a->run->job.attempt - 1];
            }

            a->run = NULL;
        }
    }
}


uint64_t
sim_jobs_head(void)
{
    return world.outside.sh->appends.head;
}


static int64_t
sim_job_delay(const sim_job_t *job)
{
    return job->tries != 0 && job->tries < PARLEY_ATTEMPTS
           ? parley_attempt_delays[job->tries - 1] : 0;
}


/*
 * Checks that the state has the same jobs as the model.  A process that died
 * while it ended a job may have ended it, with the message that it had to
 * append, or not.
 */

void
sim_jobs_check(sim_job_t *ending)
{
    int                   i;
    unsigned              k, n;
    uint64_t              sum, ended;
    sim_job_t            *job;
    sim_peer_t           *peer;
    parley_arena_t        arena;
    parley_job_list_t     list;
    parley_state_stat_t   stat;
    parley_job_listing_t  got;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&list, 0, sizeof(list));
    list.arena = &arena;

    if (ending != NULL) {
        ending->vague = 1;
    }

    for (k = 0; k < world.njobs; k++) {
        world.jobs[k].seen = 0;
    }

    sim_lasting_unseen();

    n = 0;

    do {
        (void) world.outside.state.ops->job->list(&world.outside.state, &list,
                                                  &got, NULL);

        for (i = 0; i < got.n; i++, n++) {
            peer = sim_lasting_peer(got.list[i].text);

            if (peer != NULL) {
                sim_lasting_listed(peer, &got.list[i]);
                continue;
            }

            job = sim_job_of(got.list[i].text, 1, ending);
            job->seen++;

            if (job->question != NULL) {
                sim_due_listed(job, &got.list[i]);
            }
        }

        list.at = got.next;

    } while (got.next != 0);

    parley_arena_reset(&arena);

    sim_lasting_check();

    /* the job is due again as after any attempt, or at the time that it set */

    if (ending != NULL && ending->before > world.now + sim_job_delay(ending)) {
        ending->before = world.now + sim_job_delay(ending);
    }

    for (k = 0; k < world.njobs; k++) {

        if (!world.jobs[k].ended && !world.jobs[k].seen
            && &world.jobs[k] == ending)
        {
            world.jobs[k].ended = 1;
            world.silent++;

            if (ending->question != NULL) {
                sim_due_silent(ending);
            }
        }

        if (world.jobs[k].owed && !world.jobs[k].ended && !world.jobs[k].seen)
        {
            sim_owed_had(&world.jobs[k]);
        }

        if (world.jobs[k].seen != !world.jobs[k].ended) {
            sim_fail("HUB-09: job %u is %s", k, world.jobs[k].ended
                     ? "there, and was told to be over" : "lost");
        }
    }

    (void) world.outside.state.ops->stat(&world.outside.state, &stat, NULL);

    ended = world.silent;
    sum = 0;

    for (k = 0; k < PARLEY_JOB_ENDS; k++) {
        ended += world.ended[k];
        sum += stat.ended[k];

        if (stat.ended[k] < world.ended[k]) {
            sim_fail("HUB-09: an end is not counted");
        }
    }

    if (sum != ended) {
        sim_fail("HUB-09: %u ends are counted, there were %u", (unsigned) sum,
                 (unsigned) ended);
    }
}


/* Runs all jobs until their end, with any answers. */

void
sim_jobs_drain(void)
{
    unsigned        i, k, left;
    sim_process_t  *p;

    /* a process that is leaving takes no jobs */

    p = sim_free_process();

    if (p != NULL) {
        sim_start(p);
    }

    left = 0;

    for (i = 0; i < 4000; i++) {
        left = 0;

        for (k = 0; k < world.njobs; k++) {
            left += !world.jobs[k].ended;
        }

        if (left == 0) {
            break;
        }

        for (k = 0; k < SIM_PROCESSES; k++) {
            p = &world.processes[k];

            if (p->alive) {
                sim_at = p;

                while (sim_jobs_attempts(p) != 0) {
                    sim_jobs_answer(p, 0);
                }

                sim_jobs_turn(p);
            }
        }

        world.now += 250;
    }

    if (left != 0) {
        sim_fail("HUB-09: %u jobs never end", left);
    }

    sim_jobs_check(NULL);
}


unsigned
sim_jobs_attempts(const sim_process_t *p)
{
    unsigned  i, n;

    n = 0;

    for (i = 0; i < SIM_ATTEMPTS; i++) {
        n += world.attempts[i].run != NULL && world.attempts[i].process == p;
    }

    return n;
}
