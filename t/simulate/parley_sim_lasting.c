/*
 * Lasting jobs: the WebSockets that the gateway opens to its peers (VCP-32).
 * Each process adds the missing jobs of the configured peers from time to time.
 * One process at most keeps the job of a peer, and gives it back when it
 * leaves.  The job ends only after its peer was removed from the configuration.
 */

#include "gate/delivery/parley_dial.h"
#include "hub/parley_attempt.h"
#include "hub/parley_job_subject.h"
#include "t/simulate/parley_sim.h"


/* ms between checks that each peer has a job */
#define SIM_PLAN  5000

/*
 * ms until a job has a process again: one check finds that its process has
 * ended, the next one makes it due after the delay of an attempt.  1 s more for
 * the turns of the processes.
 */
#define SIM_LASTING_MS  (2 * PARLEY_JOB_LEASE                                 \
                         + parley_attempt_delays[PARLEY_ATTEMPTS - 2] + 1000)


static void sim_lasting_plan(sim_process_t *p);
static void sim_lasting_ends(sim_peer_t *peer);
static void sim_lasting_wait(int64_t ms);


static const char *const  sim_peers[SIM_PEERS] = { "peer-a", "peer-b" };


void
sim_lasting_begin(void)
{
    unsigned  i;

    for (i = 0; i < SIM_PEERS; i++) {
        world.peers[i].configured = 1;
    }
}


/* Adds a peer to the configuration, or removes it. */

void
sim_lasting_configure(uint64_t arg)
{
    world.peers[arg % SIM_PEERS].configured ^= 1;
}


sim_peer_t *
sim_lasting_peer(parley_str_t text)
{
    unsigned      i;
    parley_str_t  sub;

    if (parley_job_subject_read(text, &sub) != PARLEY_SUBJECT_DIAL) {
        return NULL;
    }

    for (i = 0; i < SIM_PEERS; i++) {
        if (parley_str_eq(sub, parley_str_c(sim_peers[i]))) {
            return &world.peers[i];
        }
    }

    sim_fail("VCP-32: a job has an unknown peer");
}


void
sim_lasting_turn(sim_process_t *p)
{
    unsigned       i;
    sim_peer_t    *peer;
    parley_run_t  *run;

    for (i = 0; i < SIM_PEERS; i++) {
        peer = &world.peers[i];

        if (peer->holder != p) {
            continue;
        }

        if (!peer->configured) {
            sim_lasting_ends(peer);

        } else if (p->leaving) {
            run = peer->run;
            peer->holder = NULL;
            peer->since = world.now;
            parley_runner_untried(run, 0);
        }
    }

    if (!p->leaving && p->plan <= world.now) {
        p->plan = world.now + SIM_PLAN;
        sim_lasting_plan(p);
    }
}


/* Adds the missing jobs.  A peer that has a job keeps it. */

static void
sim_lasting_plan(sim_process_t *p)
{
    unsigned             i;
    sim_peer_t          *peer;
    parley_state_t      *state;
    parley_job_add_t     add;
    parley_job_added_t   added;

    state = &p->memory.state;

    for (i = 0; i < SIM_PEERS; i++) {
        peer = &world.peers[i];

        if (!peer->configured) {
            continue;
        }

        add.account = NULL;

        if (parley_dial_job(&world.arena, state, parley_str_c(sim_peers[i]),
                            &add.job)
            != 0)
        {
            abort();
        }

        peer->adding = 1;
        (void) state->ops->job->add(state, &add, &added, NULL);
        peer->adding = 0;

        if (added != PARLEY_JOB_ADDED) {

            if (peer->added) {
                sim_fail("VCP-32: a peer that has a job gets another");
            }

            continue;
        }

        if (!peer->added) {
            peer->added = 1;
            peer->since = world.now;
        }

        p->due = world.now;
    }
}


void
sim_lasting_taken(sim_process_t *p, parley_run_t *run, sim_peer_t *peer)
{
    if (run->job.class != PARLEY_JOB_LASTING || run->job.left <= 0) {
        sim_fail("VCP-32: the job of a peer does not last");
    }

    if (!peer->added) {
        sim_fail("VCP-32: the job of a peer is over, and is taken");
    }

    if (peer->holder != NULL) {
        sim_fail("VCP-32: two processes have the job of a peer");
    }

    /* it took the job before it knew that it leaves */

    if (p->leaving) {
        parley_runner_stop(p->runner);
        parley_runner_untried(run, 0);
        return;
    }

    peer->holder = p;
    peer->run = run;

    if (!peer->configured) {
        sim_lasting_ends(peer);
    }
}


static void
sim_lasting_ends(sim_peer_t *peer)
{
    parley_run_t      *run;
    parley_job_end_t   end;

    memset(&end, 0, sizeof(end));

    end.how = PARLEY_JOB_DONE;

    run = peer->run;
    peer->holder = NULL;
    peer->ending = 1;
    world.tells = 0;

    parley_runner_end(run, &end);
}


void
sim_lasting_over(sim_peer_t *peer, parley_job_how_t how)
{
    if (peer->configured) {
        sim_fail("VCP-32: the job of a configured peer is over");
    }

    peer->added = 0;
    peer->ending = 0;
    world.ended[how]++;
}


/* The process may have died while it added a job or ended one. */

void
sim_lasting_gone(const sim_process_t *p)
{
    unsigned     i;
    sim_peer_t  *peer;

    for (i = 0; i < SIM_PEERS; i++) {
        peer = &world.peers[i];

        peer->vague |= peer->adding || peer->ending;
        peer->adding = 0;

        if (peer->holder == p) {
            peer->holder = NULL;
            peer->since = world.now;
        }
    }
}


void
sim_lasting_unseen(void)
{
    unsigned  i;

    for (i = 0; i < SIM_PEERS; i++) {
        world.peers[i].seen = 0;
    }
}


void
sim_lasting_listed(sim_peer_t *peer, const parley_job_listed_t *listed)
{
    peer->seen++;

    if (peer->holder != NULL && !listed->taken) {
        sim_fail("VCP-32: the state gives away the job of a peer");
    }
}


/* Checks that each peer with a job has one in the state, after a listing. */

void
sim_lasting_check(void)
{
    unsigned     i;
    sim_peer_t  *peer;

    for (i = 0; i < SIM_PEERS; i++) {
        peer = &world.peers[i];

        if (peer->seen > 1) {
            sim_fail("VCP-32: a peer has %u jobs", peer->seen);
        }

        if (peer->vague) {
            world.silent += peer->ending && peer->seen == 0;
            peer->added = peer->seen;
            peer->since = world.now;
        }

        peer->vague = 0;
        peer->ending = 0;

        if (peer->seen != peer->added) {
            sim_fail("VCP-32: the job of a peer is %s", peer->added
                     ? "lost" : "there, and was told to be over");
        }
    }
}


/*
 * Each job has a process in time; if this process dies, another one; and none
 * when the peers were removed.
 */

void
sim_lasting_drain(void)
{
    unsigned        i;
    sim_process_t  *p;

    for (i = 0; i < SIM_PEERS; i++) {
        world.peers[i].configured = 1;
        world.peers[i].since = world.now;
    }

    sim_lasting_wait(SIM_PLAN + SIM_LASTING_MS);

    for (i = 0; i < SIM_PEERS; i++) {

        if (world.peers[i].holder == NULL) {
            continue;
        }

        sim_kill(world.peers[i].holder);
        p = sim_free_process();

        if (p != NULL) {
            sim_start(p);
        }

        sim_lasting_wait(SIM_LASTING_MS + 1000);
    }

    for (i = 0; i < SIM_PEERS; i++) {
        world.peers[i].configured = 0;
    }

    sim_lasting_wait(SIM_LASTING_MS + 1000);
    sim_jobs_check(NULL);

    for (i = 0; i < SIM_PEERS; i++) {
        if (world.peers[i].added) {
            sim_fail("VCP-32: the job of a removed peer does not end");
        }
    }
}


/* Runs the jobs of all processes for that time. */

static void
sim_lasting_wait(int64_t ms)
{
    int64_t         until;
    unsigned        i;
    sim_peer_t     *peer;
    sim_process_t  *p;

    for (until = world.now + ms; world.now < until; world.now += 250) {

        for (i = 0; i < SIM_PROCESSES; i++) {
            p = &world.processes[i];

            if (p->alive) {
                sim_at = p;
                sim_jobs_turn(p);
            }
        }

        for (i = 0; i < SIM_PEERS; i++) {
            peer = &world.peers[i];

            if (peer->added && peer->holder == NULL
                && world.now - peer->since > SIM_LASTING_MS)
            {
                sim_fail("VCP-32: the job of a peer has no process for %d ms",
                         (int) (world.now - peer->since));
            }
        }
    }
}
