/*
 * Records that jobs owe to the owners of logs (VCP-33).  The next connection
 * of an owner gets them; after their time the jobs are given up.
 */

#include "hub/parley_attempt.h"
#include "t/simulate/parley_sim.h"


/* Adds a job for each log of the record, after n others. */

size_t
sim_jobs_owe(const sim_record_t *record, parley_job_t *jobs, size_t n)
{
    char       *text;
    int64_t     lasts;
    unsigned    log;
    sim_job_t  *job;

    lasts = parley_test_chance(&world.random, 80)
            ? PARLEY_ATTEMPT_LIVES
            : 1 + (int64_t) parley_test_below(&world.random, 20000);

    for (log = 0; log < SIM_LOGS; log++) {

        if ((record->logs & (1u << log)) == 0) {
            continue;
        }

        if (world.njobs + n == SIM_JOBS) {
            sim_fail("too many jobs");
        }

        job = &world.jobs[world.njobs + n];

        memset(job, 0, sizeof(sim_job_t));
        memset(&jobs[n], 0, sizeof(parley_job_t));

        job->owed = 1;
        job->lane = SIM_LANES_OWED + log;
        job->record = world.nrecords;
        job->ends = world.now + lasts;
        job->before = job->ends;

        text = parley_arena_alloc(&world.arena, 16);

        if (text == NULL) {
            abort();
        }

        snprintf(text, 16, "%u", world.njobs + (unsigned) n);

        memcpy(jobs[n].lane, world.keys[log], PARLEY_KEY_LEN);
        jobs[n].owed = 1;
        jobs[n].class = PARLEY_JOB_PROMPT;
        jobs[n].text = parley_str_c(text);
        jobs[n].after = lasts;
        jobs[n].lasts = lasts;

        n++;
    }

    return n;
}


/*
 * Checks an owed job that has ended: a connection of the log's owner must have
 * its record.
 */

void
sim_owed_had(sim_job_t *job)
{
    unsigned  log;

    log = job->lane - SIM_LANES_OWED;

    if (job->lane < SIM_LANES_UP && job->lane >= SIM_LANES_OWED
        && (world.records[job->record].had & (1u << log)) != 0)
    {
        job->ended = 1;
        world.silent++;
        return;
    }

    sim_fail("VCP-33: what is owed is over, and no connection has it");
}


void
sim_owes(const sim_job_t *job)
{
    unsigned             i;
    const sim_client_t  *c;
    const sim_record_t  *r;

    if (job->lane < SIM_LANES_OWED || job->lane >= SIM_LANES_UP
        || job->ends <= world.now)
    {
        return;
    }

    r = &world.records[job->record];

    /*
     * a process that dies after a write has not ended the job; a client with a
     * filter does not end it later
     */

    for (i = 0; i < SIM_CLIENTS; i++) {
        c = &world.clients[i];

        if (c->owns && c->conn != NULL && !c->conn->slow
            && c->log == job->lane - SIM_LANES_OWED
            && c->conn->s.state == SIM_LIVE
            && c->conn->process->stalled <= world.now && sim_is_for(c, r)
            && !r->erased && r->ends > world.now
            && (c->filter[0] == '\0' || (r->had & (1u << c->log)) == 0))
        {
            sim_fail("VCP-33: %s is there, and is owed a record still",
                     c->session);
        }
    }
}
