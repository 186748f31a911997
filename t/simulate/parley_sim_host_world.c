/* The processes of the simulated host, and the verbs of their states. */

#include "hub/parley_expand.h"
#include "t/later/parley_later.h"
#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_ZONE    (2048 * 1024)
#define SIM_HOST_TURNS   20000      /* after which all work must be done */


static int sim_host_later(parley_late_t *late, parley_later_verb_t verb);


sim_host_t  sim_host;

const char *const  sim_parties[SIM_PARTIES] = {
    "web", "will", "zoe", "ada", "bo", "cy", "eve", "lee"
};

const char *const  sim_rooms[SIM_ROOMS] = { "D1", "D2", "C1", "C2" };


int64_t
sim_host_now(void)
{
    return SIM_HOST_WALL + world.now;
}


void
sim_host_begin(uint64_t seed)
{
    unsigned      i;
    char          handle[16];
    parley_str_t  source;

    memset(&world, 0, sizeof(world));
    memset(&sim_host, 0, sizeof(sim_host));

    world.random.state = seed;
    world.now = 1000000;
    world.size = SIM_HOST_ZONE;

    parley_arena_init(&world.arena, &parley_mem_libc, 0);
    parley_arena_init(&sim_host.arena, &parley_mem_libc, 0);
    parley_arena_init(&sim_host.texts, &parley_mem_libc, 0);

    sim_host_configure((unsigned) parley_test_random(&world.random));
    sim_zone();
    parley_memory_bounds(&world.outside, sim_host.http->retain, 0);

    source = PARLEY_STR("web.main");

    for (i = 0; i < SIM_ROOMS; i++) {
        parley_host_conversation(&world.outside.state, source,
                                 parley_str_c(sim_rooms[i]),
                                 sim_host.rooms[i]);
    }

    for (i = 0; i < SIM_PARTIES; i++) {
        snprintf(handle, sizeof(handle), "~%s", sim_parties[i]);
        parley_expand_log(&world.outside.state, parley_str_c(handle),
                          sim_host.logs[i]);
    }

    sim_host.members[SIM_D1] = 1u << SIM_WILL | 1u << SIM_ADA;
    sim_host.members[SIM_D2] = 1u << SIM_ZOE | 1u << SIM_BO;

    sim_host.members[SIM_C1] = 1u << SIM_ADA | 1u << SIM_BO | 1u << SIM_CY
                               | 1u << SIM_LEE;

    sim_host_start(&world.processes[0]);
    sim_host_start(&world.processes[1]);
    sim_host_invites();
}


void
sim_host_forget(void)
{
    unsigned  i;

    sim_edges = 0;

    for (i = 0; i < SIM_PROCESSES; i++) {
        if (world.processes[i].alive) {
            sim_host_kill(&world.processes[i]);
        }
    }

    parley_arena_reset(&world.arena);
    parley_arena_reset(&sim_host.arena);
    parley_arena_reset(&sim_host.texts);
    free(world.zone);
    world.zone = NULL;
}


void
sim_host_start(sim_process_t *p)
{
    parley_hub_env_t  env;
    parley_process_t  self;

    memset(p, 0, sizeof(sim_process_t));

    p->alive = 1;
    p->pid = ++world.pids;

    self.pid = p->pid;
    self.began = 1;

    sim_at = p;
    sim_memory(&p->memory, p);
    parley_memory_adopt(&p->memory, world.zone);
    parley_memory_enter(&p->memory, &self);
    parley_memory_bounds(&p->memory, sim_host.http->retain, 0);
    parley_later(&p->memory, sim_host_later);

    env = sim_host_hub_env;
    env.ctx = p;
    parley_render_retention(sim_host.http, &env.retention);

    p->hub = parley_hub_create(&p->memory.state, &env);

    if (p->hub == NULL) {
        abort();
    }

    sim_host_jobs_start(p);
}


void
sim_host_kill(sim_process_t *p)
{
    sim_host_tell("process %u dies", (unsigned) p->pid);

    p->alive = 0;

    if (world.locked == p) {
        world.locked = NULL;
    }

    sim_host_jobs_gone(p);
    sim_host_calls_gone(p);
    parley_later_forget(&p->memory);
    p->nlate = 0;
    sim_free_all(p);

    /* it may have appended without waking the others */

    sim_host_wake();
}


/* Ends a process that has finished its calls, and leaves its jobs. */

void
sim_host_exit(sim_process_t *p)
{
    unsigned  i;

    sim_at = p;

    for (i = 0; i < SIM_HOST_CALLS; i++) {
        if (sim_host.calls[i].process == p) {
            sim_host_leave(&sim_host.calls[i]);
        }
    }

    sim_host_jobs_gone(p);
    parley_runner_free(p->runner);
    parley_hub_free(p->hub);
    parley_later_forget(&p->memory);
    p->nlate = 0;
    parley_memory_leave(&p->memory);
    sim_free_all(p);
    p->alive = 0;
}


static int
sim_host_later(parley_late_t *late, parley_later_verb_t verb)
{
    int             now;
    sim_process_t  *p;

    p = sim_at;

    if (p->nlate == SIM_LATE) {
        sim_fail("too much is under way");
    }

    p->asked[p->nlate++] = late;
    now = (int) parley_test_below(&world.random, 2);

    if (sim_run.told > 1) {
        sim_host_tell("    process %u: %s%s %p", (unsigned) p->pid,
                      parley_later_name(verb), now ? " now" : "", late);
    }

    return now;
}


/*
 * Completes a verb of a process, which goes on with it.  The process dies at
 * that edge of the state's code; 0: it does not.  Returns 0 if no verb is under
 * way.
 */

int
sim_host_verb(sim_process_t *p, uint64_t arg, unsigned dies)
{
    unsigned        i;
    parley_late_t  *late;

    if (p->nlate == 0) {
        return 0;
    }

    sim_at = p;

    if (setjmp(sim_crash) != 0) {
        sim_edges = 0;
        sim_host_kill(p);
        sim_host_look();
        return 1;
    }

    sim_edges = dies;

    i = (unsigned) (arg % p->nlate);
    late = p->asked[i];
    p->asked[i] = p->asked[--p->nlate];

    if (sim_run.told > 1) {
        sim_host_tell("    process %u: done %p", (unsigned) p->pid, late);
    }

    parley_later_complete(late);

    while (sim_host_resumed(p)) {
        /* void */
    }

    sim_edges = 0;
    sim_host_look();

    return 1;
}


/* A process handles its wake-ups, its turn, and its jobs that are due. */

void
sim_host_pump(sim_process_t *p, unsigned dies)
{
    sim_at = p;

    if (setjmp(sim_crash) != 0) {
        sim_edges = 0;
        sim_host_kill(p);
        sim_host_look();
        return;
    }

    sim_edges = dies;

    if (p->woken) {
        p->woken = 0;
        parley_hub_wake(p->hub);
        parley_runner_turn(p->runner);
    }

    if (p->turn) {
        p->turn = 0;
        parley_hub_turn(p->hub, 100, SIZE_MAX / 2);
    }

    if (p->due <= world.now) {
        p->due = INT64_MAX;
        parley_runner_turn(p->runner);
    }

    sim_edges = 0;
    sim_host_look();
}


void
sim_host_wake(void)
{
    unsigned  i;

    for (i = 0; i < SIM_PROCESSES; i++) {
        world.processes[i].woken = 1;
    }
}


/* All processes finish the work that they can do now. */

void
sim_host_settle(void)
{
    int             more;
    unsigned        i, turns;
    sim_process_t  *p;

    turns = 0;

    do {
        more = 0;

        if (++turns == SIM_HOST_TURNS) {
            sim_fail("the host never settles");
        }

        for (i = 0; i < SIM_PROCESSES; i++) {
            p = &world.processes[i];

            if (!p->alive) {
                continue;
            }

            if (p->woken || p->turn || p->due <= world.now) {
                more = 1;
                sim_host_pump(p, 0);
            }

            while (sim_host_verb(p, parley_test_random(&world.random), 0)) {
                more = 1;
            }
        }

    } while (more);
}
