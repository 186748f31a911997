/* The steps of a history of the simulated host. */

#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_HOP    5000            /* ms between two looks of all
                                           processes */
#define SIM_HOST_LONG   ((int64_t) 1000 * 1000)
#define SIM_HOST_ROUNDS 400


static void sim_host_verbs(unsigned n);
static void sim_host_hop(int64_t ms);
static void sim_host_passes(int64_t ms);
static void sim_host_dies(uint64_t arg);
static void sim_host_quits(uint64_t arg);
static void sim_host_streams(uint64_t arg);


/* Completes verbs of random processes. */

static void
sim_host_verbs(unsigned n)
{
    uint64_t        arg;
    sim_process_t  *p;

    while (n-- > 0) {
        arg = parley_test_random(&world.random);
        p = sim_process(arg);

        if (p == NULL) {
            return;
        }

        if (arg % 8 == 0) {
            sim_host_pump(p, 0);

        } else {
            (void) sim_host_verb(p, arg >> 16, 0);
        }
    }
}


/* Time passes, at most as much as a call may wait for the state. */

static void
sim_host_hop(int64_t ms)
{
    unsigned        i;
    sim_process_t  *p;

    world.now += ms;

    if (world.now - sim_host.tick < 1000) {
        return;
    }

    sim_host.tick = world.now;
    sim_host_posts_end();

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        if (p->alive) {
            sim_at = p;
            parley_hub_tick(p->hub);
        }
    }
}


static void
sim_host_passes(int64_t ms)
{
    int64_t  hop;

    while (ms > 0) {
        hop = ms < SIM_HOST_HOP ? ms : SIM_HOST_HOP;
        ms -= hop;

        sim_host_settle();
        sim_host_hop(hop);

        /* the gateway does not stay without processes */

        if (sim_process(0) == NULL) {
            sim_host_start(&world.processes[0]);
        }

        sim_host_settle();

        sim_host.settled = 1;
        sim_host_check();
        sim_host.settled = 0;
    }

}


/* A process dies within a verb, or within the work that follows it. */

static void
sim_host_dies(uint64_t arg)
{
    unsigned        edges;
    sim_process_t  *p;

    p = sim_process(arg);

    if (p == NULL) {
        return;
    }

    edges = 1 + (unsigned) (arg >> 32) % (1u << (1 + (arg >> 8) % 12));

    if (!sim_host_verb(p, arg >> 16, edges)) {
        sim_host_pump(p, edges);
    }
}


/* A client leaves before its answer, or a stream breaks. */

static void
sim_host_quits(uint64_t arg)
{
    unsigned     i;
    sim_call_t  *c;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        c = &sim_host.calls[(arg + i) % SIM_HOST_CALLS];

        if (c->process != NULL) {
            sim_host_leave(c);
            return;
        }
    }
}


static void
sim_host_streams(uint64_t arg)
{
    sim_party_t     party;
    sim_process_t  *p;

    p = sim_process(arg);
    party = (arg >> 8) % 3 == 0 ? SIM_WEB
          : (sim_party_t) (SIM_ADA + (arg >> 16) % (SIM_PARTIES - SIM_ADA));

    if (p != NULL) {
        sim_host_open(party, p);
    }
}


void
sim_host_step(const sim_step_t *step)
{
    uint64_t        arg;
    sim_process_t  *p;

    arg = step->arg;
    world.random.state = arg;
    p = sim_process(arg);

    switch ((sim_host_verb_t) step->verb) {

    case SIM_HOST_POST:
        sim_host_posts();
        sim_host_retry();
        break;

    case SIM_HOST_ACT:
        sim_host_acts();
        sim_host_retry();
        break;

    case SIM_HOST_SEND:
        sim_host_sends();
        sim_host_retry();
        break;

    case SIM_HOST_LIST:
        sim_host_lists();
        sim_host_retry();
        break;

    case SIM_HOST_ANSWER:
        sim_host_answers();
        sim_host_retry();
        break;

    case SIM_HOST_MEMBERS:
        sim_host_changes_members();
        sim_host_retry();
        break;

    case SIM_HOST_RETRY:
        sim_host_retry();
        break;

    case SIM_HOST_OPEN:
        sim_host_streams(arg);
        break;

    case SIM_HOST_PEER:

        if (p != NULL) {
            (void) sim_host_answer(p, arg >> 8);
        }

        break;

    case SIM_HOST_VERBS:
        sim_host_verbs(1 + (unsigned) (arg >> 32) % 40);
        break;

    case SIM_HOST_TIME:
        sim_host_passes(100 + (int64_t) ((arg >> 16) % 8000));
        break;

    case SIM_HOST_SLEEP:
        sim_host_passes((int64_t) ((arg >> 16) % 150000));
        break;

    case SIM_HOST_QUIT:
        sim_host_quits(arg);
        break;

    case SIM_HOST_KILL:

        if (p != NULL) {
            sim_host_kill(p);
        }

        break;

    case SIM_HOST_CRASH:
        sim_host_dies(arg);
        break;

    case SIM_HOST_START:
        p = sim_free_process();

        if (p != NULL) {
            sim_host_start(p);
        }

        break;

    case SIM_HOST_RELOAD:
        sim_host_settle();

        if (p != NULL) {
            sim_host_exit(p);
            sim_host_start(p);
        }

        break;

    case SIM_HOST_SETTLE:
    default:
        sim_host_settle();
    }

    sim_host_verbs((unsigned) (arg >> 24) % 12);
    sim_host_look();
    sim_host_check();
}


/* Each call gets its answer, and each deadline ends. */

void
sim_host_end(void)
{
    unsigned        i, k, left;
    sim_process_t  *p;

    if (sim_process(0) == NULL) {
        sim_host_start(&world.processes[0]);
    }

    sim_host_settle();
    left = 1;

    for (i = 0; left > 0 && i < SIM_HOST_ROUNDS; i++) {

        left = 0;
        p = sim_process(i);

        for (k = 0; k < sim_host.nops; k++) {
            if (!sim_host.ops[k].done && !sim_host.ops[k].late
                && !sim_host_is_old(&sim_host.ops[k]))
            {
                left++;
                sim_host_call(&sim_host.ops[k], p);
                sim_host_settle();
            }
        }

        sim_host_passes(500);
    }

    for (i = 0; i < SIM_HOST_LONG / SIM_HOST_HOP; i++) {

        for (k = 0; k < SIM_PROCESSES; k++) {
            p = &world.processes[k];

            while (p->alive && sim_host_answer(p, 0)) {
                sim_host_settle();
            }
        }

        sim_host_passes(SIM_HOST_HOP);
    }

    sim_host_check_end();
}
