/*
 * The world: its processes, their memory, the state, its beginning and its
 * end.
 */

#include "t/simulate/parley_sim.h"


#define SIM_SECRET      "0123456789abcdef"
#define SIM_TURNS       100000      /* after which all work must be done */


/* memory of a process */
typedef struct sim_block_s {
    struct sim_block_s   *next;
    struct sim_block_s  **link;
    sim_process_t        *process;
    size_t                size;
} sim_block_t;


sim_world_t  world;

const char *const  sim_senders[] = { "~alice", "~bob", "~carol" };

static const char *const  sim_instruments[] = { "cc-a", "cc-b", "vs-x" };

static const char *const  sim_filters[] = {
    "", "", "kind:agent_query", "sender:~alice",
    "kind:agent_advisory,sender:~bob"
};

sim_process_t         *sim_at;
jmp_buf                sim_crash;
unsigned               sim_dies;
unsigned               sim_edges;


static void sim_bounded(void);


void __sanitizer_cov_trace_pc(void);


void
__sanitizer_cov_trace_pc(void)
{
    if (sim_edges != 0 && --sim_edges == 0) {
        longjmp(sim_crash, 1);
    }
}


void *
sim_alloc(void *ctx, size_t size)
{
    sim_block_t  *block;

    (void) ctx;

    block = malloc(sizeof(sim_block_t) + size);

    if (block == NULL) {
        abort();
    }

    block->process = sim_at;
    block->size = size;
    block->next = sim_at->blocks;
    block->link = &sim_at->blocks;

    if (block->next != NULL) {
        block->next->link = &block->next;
    }

    sim_at->blocks = block;
    sim_at->octets += size;

    return block + 1;
}


void
sim_free(void *ctx, void *p)
{
    sim_block_t  *block;

    (void) ctx;

    block = (sim_block_t *) p - 1;

    if (p == world.run) {
        world.run = NULL;
    }

    *block->link = block->next;

    if (block->next != NULL) {
        block->next->link = block->link;
    }

    block->process->octets -= block->size;
    free(block);
}


void
sim_free_all(sim_process_t *p)
{
    while (p->blocks != NULL) {
        sim_free(NULL, p->blocks + 1);
    }
}


/* no process dies while the model looks */

static void
sim_lock(void *ctx)
{
    if (world.locked != NULL) {
        sim_fail("the lock is taken twice");
    }

    world.locked = ctx;

    if (ctx == &world.outside) {
        world.edges = sim_edges;
        sim_edges = 0;
    }
}


static void
sim_unlock(void *ctx)
{
    world.locked = NULL;

    if (ctx == &world.outside) {
        sim_edges = world.edges;
    }
}


static int64_t
sim_now(void *ctx)
{
    (void) ctx;

    return world.now;
}


static int
sim_is_alive(void *ctx, const parley_process_t *process)
{
    unsigned  i;

    (void) ctx;

    for (i = 0; i < SIM_PROCESSES; i++) {
        if (world.processes[i].alive
            && world.processes[i].pid == process->pid)
        {
            return 1;
        }
    }

    return 0;
}


void
sim_memory(parley_memory_t *memory, void *ctx)
{
    memset(memory, 0, sizeof(parley_memory_t));

    memory->env.lock = sim_lock;
    memory->env.unlock = sim_unlock;
    memory->env.now = sim_now;
    memory->env.is_alive = sim_is_alive;
    memory->env.ctx = ctx;
    memory->share = PARLEY_SHARE_ALL;
}


void
sim_start(sim_process_t *p)
{
    parley_hub_env_t  env;
    parley_process_t  self;

    memset(p, 0, sizeof(sim_process_t));

    p->alive = 1;
    p->pid = ++world.pids;

    self.pid = p->pid;
    self.began = 1;

    sim_memory(&p->memory, p);
    parley_memory_adopt(&p->memory, world.zone);
    parley_memory_enter(&p->memory, &self);
    world.unburied = 0;

    env = sim_hub_env;
    env.ctx = p;
    sim_at = p;
    sim_later_begin(p);
    p->hub = parley_hub_create(&p->memory.state, &env);
    sim_jobs_start(p);
}


void
sim_kill(sim_process_t *p)
{
    unsigned  i;

    p->alive = 0;
    world.unburied = 1;
    sim_jobs_gone(p);
    sim_ask_gone(p);
    sim_hold_gone(p);

    if (world.locked == p) {
        world.locked = NULL;
    }

    for (i = 0; i < SIM_CONNS; i++) {
        if (world.conns[i].used && world.conns[i].process == p) {
            sim_conn_gone(&world.conns[i]);
        }
    }

    sim_later_forget(p);
    sim_free_all(p);
}


void
sim_exit(sim_process_t *p)
{
    sim_at = p;
    sim_jobs_gone(p);
    sim_ask_gone(p);
    sim_hold_gone(p);
    parley_runner_free(p->runner);
    parley_hub_free(p->hub);
    sim_later_forget(p);
    parley_memory_leave(&p->memory);

    if (p->blocks != NULL) {
        sim_fail("a process leaves %u octets", (unsigned) p->octets);
    }

    p->alive = 0;
}


sim_process_t *
sim_process(uint64_t arg)
{
    unsigned        i;
    sim_process_t  *p;

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[(arg + i) % SIM_PROCESSES];

        if (p->alive && p->stalled <= world.now) {
            return p;
        }
    }

    return NULL;
}


sim_process_t *
sim_free_process(void)
{
    unsigned  i;

    for (i = 0; i < SIM_PROCESSES; i++) {
        if (!world.processes[i].alive) {
            return &world.processes[i];
        }
    }

    return NULL;
}


sim_client_t *
sim_client(uint64_t arg)
{
    return &world.clients[arg % SIM_CLIENTS];
}


static void
sim_client_begin(sim_client_t *c, unsigned i)
{
    parley_arena_t         arena;
    parley_str_t           text;
    parley_test_random_t  *r;

    r = &world.random;

    memset(c, 0, sizeof(sim_client_t));
    snprintf(c->session, sizeof(c->session), "session-%u", i);

    c->log = parley_test_below(r, SIM_LOGS);
    c->stream = parley_test_below(r, 2);
    c->owns = parley_test_chance(r, 70);
    c->instrument = sim_instruments[parley_test_below(r, 3)];
    c->filter = sim_filters[parley_test_below(r, 5)];

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_selector_text(&arena, PARLEY_PROTO_CHANNEL,
                             parley_str_c(c->instrument),
                             parley_str_c(c->filter), &text)
        != 0)
    {
        abort();
    }

    memcpy(c->selector_text, text.data, text.len);
    c->selector = parley_str_make(c->selector_text, text.len);

    parley_arena_reset(&arena);
}


static void
sim_retention(parley_test_random_t *r)
{
    world.retention.records = 1u << parley_test_below(r, 11);
    world.retention.octets = 1u << (8 + parley_test_below(r, 12));
    world.retention.ms = (int64_t) 1000 << parley_test_below(r, 18);

    if (parley_test_chance(r, 40)) {
        world.retention.records = SIM_RECORDS;
        world.retention.octets = 1u << 30;
        world.retention.ms = (int64_t) 1000 << 30;
    }
}


/* Creates the zone, and the model's own view of it. */

void
sim_zone(void)
{
    world.zone = aligned_alloc(64, world.size);

    if (world.zone == NULL) {
        abort();
    }

    sim_memory(&world.outside, &world.outside);

    if (parley_memory_create(&world.outside, world.zone, world.size,
                             (const uint8_t *) SIM_SECRET)
        != 0)
    {
        abort();
    }
}


void
sim_begin(uint64_t seed)
{
    unsigned               i;
    parley_str_t           part;
    parley_test_random_t  *r;

    memset(&world, 0, sizeof(world));

    r = &world.random;
    r->state = seed;

    parley_arena_init(&world.arena, &parley_mem_libc, 0);

    world.later = seed % 3 == 2;
    world.now = 1000000;
    world.size = parley_test_chance(r, 20) ? 96 * 1024 : 2048 * 1024;
    sim_retention(r);

    for (i = 0; i < 2; i++) {
        world.streams[i].proto = i ? PARLEY_PROTO_AEE : PARLEY_PROTO_CHANNEL;
        world.streams[i].lag = 1u << (10 + parley_test_below(r, 14));
        world.streams[i].keepalive = 1 + parley_test_below(r, 30);
        world.streams[i].age = parley_test_chance(r, 20) ? 60 : 0;
        world.streams[i].retry = 1000;
    }

    sim_zone();

    for (i = 0; i < SIM_LOGS; i++) {
        part = parley_str_make(&i, sizeof(i));
        parley_state_key(&world.outside.state, PARLEY_KIND_LOG, &part, 1,
                         world.keys[i]);
    }

    for (i = 0; i < SIM_CLIENTS; i++) {
        sim_client_begin(&world.clients[i], i);
    }

    sim_lasting_begin();

    sim_start(&world.processes[0]);
    sim_start(&world.processes[1]);
}


void
sim_settle(void)
{
    int             more;
    size_t          len;
    unsigned        i, turns;
    sim_conn_t     *c;
    sim_process_t  *p;

    turns = 0;

    do {
        more = 0;

        if (++turns == SIM_TURNS) {
            sim_fail("it never settles");
        }

        for (i = 0; i < SIM_PROCESSES; i++) {
            p = &world.processes[i];

            if (!p->alive || p->stalled > world.now
                || (!p->woken && !p->turn && p->due > world.now
                    && p->nlate == 0))
            {
                continue;
            }

            more = 1;
            sim_at = p;

            if (p->woken) {
                sim_wakes(p);
            }

            sim_later_all(p);

            if (p->turn) {
                sim_turns(p, 100, SIZE_MAX / 2);
            }

            sim_jobs_turn(p);
        }

        for (i = 0; i < SIM_CONNS; i++) {
            c = &world.conns[i];

            if (c->used && c->client != NULL && !c->slow
                && c->process->stalled <= world.now)
            {
                len = c->len;
                sim_at = c->process;
                sim_client_read(c);
                more |= c->len != len;
            }
        }

    } while (more);

    sim_complete();
    sim_bounded();
    sim_jobs_check(NULL);
    sim_hold_check();

    for (i = 0; i < world.njobs; i++) {
        if (world.jobs[i].owed && !world.jobs[i].ended) {
            sim_owes(&world.jobs[i]);
        }
    }
}


/*
 * HUB-03: checks that a slow client's process keeps only the rest of an event.
 */

static void
sim_bounded(void)
{
    unsigned            i;
    sim_process_t      *p;
    parley_hub_stat_t   stat;

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        if (!p->alive || p->stalled > world.now) {
            continue;
        }

        parley_hub_stat(p->hub, &stat);

        if (stat.buffered != 0) {
            sim_fail("HUB-03: %u octets stay although all have them",
                     (unsigned) stat.buffered);
        }

        if (p->octets > 80000 + stat.subscribers * (4096 + SIM_EVENT)
                        + parley_runner_jobs(p->runner) * 20000)
        {
            sim_fail("HUB-03: %u subscribers take %u octets",
                     (unsigned) stat.subscribers, (unsigned) p->octets);
        }
    }
}


/*
 * Connects all clients, makes none slow, then ends all processes and lets time
 * pass.
 */

void
sim_end(void)
{
    unsigned             i;
    parley_state_room_t  stat;

    for (i = 0; i < SIM_PROCESSES; i++) {
        world.processes[i].stalled = 0;
    }

    if (sim_process(0) == NULL) {
        sim_start(&world.processes[0]);
    }

    for (i = 0; i < SIM_CLIENTS; i++) {

        if (world.clients[i].conn != NULL) {
            sim_fast(world.clients[i].conn);
        }
    }

    sim_settle();

    for (i = 0; i < SIM_CLIENTS; i++) {

        if (world.clients[i].conn == NULL && world.clients[i].place.epoch != 0)
        {
            sim_at = sim_process(i);
            sim_client_connect(&world.clients[i], sim_at);
            sim_look(world.clients[i].log);
        }
    }

    sim_settle();
    sim_ask_drain();
    sim_jobs_drain();
    sim_lasting_drain();

    for (i = 0; i < SIM_PROCESSES; i++) {
        if (world.processes[i].alive) {
            sim_exit(&world.processes[i]);
        }
    }

    /* the next process that starts finds the dead ones */

    sim_start(&world.processes[0]);
    sim_exit(&world.processes[0]);

    world.now += (int64_t) 1 << 41;
    sim_hold_end();

    world.now += world.retention.ms;
    parley_memory_table(&world.outside, &stat);

    for (i = 0; i < PARLEY_KIND_COUNT; i++) {
        if (stat.entries[i] != 0) {
            sim_fail("%u entries of kind %u are left",
                     (unsigned) stat.entries[i], i);
        }
    }

    if (stat.free != stat.blocks) {
        sim_fail("%u blocks are left", (unsigned) (stat.blocks - stat.free));
    }
}


void
sim_forget(void)
{
    unsigned  i;

    sim_dies = 0;
    sim_edges = 0;
    sim_due_forget();
    sim_hold_forget();

    for (i = 0; i < SIM_PROCESSES; i++) {
        sim_free_all(&world.processes[i]);
    }

    parley_arena_reset(&world.arena);
    free(world.zone);
    world.zone = NULL;
}
