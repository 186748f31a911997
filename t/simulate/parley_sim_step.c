/* The steps of a history. */

#include "t/simulate/parley_sim.h"


#define SIM_NAP  600        /* s, parts of a long sleep */


static void sim_drop(sim_conn_t *conn);


/* Notes that a process handles its wake-up too late. */

static void
sim_late(sim_process_t *p)
{
    if (p->woken && world.now - p->since >= PARLEY_FEED_GRACE) {
        p->behind = 1;
    }
}


void
sim_wakes(sim_process_t *p)
{
    sim_late(p);

    p->woken = 0;
    p->due = world.now;
    parley_hub_wake(p->hub);
}


void
sim_turns(sim_process_t *p, unsigned budget, size_t octets)
{
    unsigned  pending;

    pending = p->nlate;

    p->turn = 0;
    world.written = 0;
    world.widest = 0;

    parley_hub_turn(p->hub, budget, octets);

    /* it has read everything that it was late for */

    if (p->behind && pending == 0 && p->nlate == 0) {
        p->behind = 0;
        p->late = world.now;
    }

    /* the last write and the beginnings of streams may exceed the limit */

    if (world.written > octets + world.widest + SIM_CONNS * SIM_OPENING) {
        sim_fail("HUB-03: a turn writes %u octets and not %u",
                 (unsigned) world.written, (unsigned) octets);
    }
}


/*
 * Checks the state after a process died while it ended a job: either the job
 * ended and its message exists, or neither.
 */

static void
sim_does_ended(sim_verb_t verb, sim_job_t *ending, uint64_t head)
{
    uint64_t             told;
    parley_state_room_t  stat;

    /* any process repairs the state when it takes the lock */

    parley_memory_table(&world.outside, &stat);
    sim_ask_died();
    sim_hold_died();
    sim_jobs_check(ending);
    sim_hold_check();
    sim_due_forget();

    if (verb != SIM_DUE && verb != SIM_ANSWER) {
        return;
    }

    told = world.told + (ending != NULL && ending->ended && world.tells);

    if (sim_jobs_head() - head != told) {
        sim_fail("HUB-09: %u ends were told of, and %u are there",
                 (unsigned) told, (unsigned) (sim_jobs_head() - head));
    }
}


/* Runs a verb of a process, which may die during it. */

static void
sim_does(sim_process_t *p, sim_verb_t verb, uint64_t arg)
{
    unsigned             i;
    sim_job_t           *ending;
    volatile uint64_t    head;
    sim_client_t        *c;

    if (verb == SIM_APPEND) {
        sim_append(p);
        return;
    }

    ending = NULL;
    head = sim_jobs_head();
    world.told = 0;
    world.ending = NULL;

    if (setjmp(sim_crash) != 0) {
        sim_edges = 0;
        ending = world.ending;
        world.ending = NULL;

        /* a job whose message found no room ends without it */

        if (ending != NULL && world.run != NULL && world.run->untold) {
            world.tells = 0;
        }

        sim_kill(p);
        sim_does_ended(verb, ending, head);

        for (i = 0; i < SIM_LOGS; i++) {
            sim_look(i);
        }

        /* it may have joined a session without waking another process */

        sim_hub_env.wake(NULL);
        return;
    }

    sim_edges = sim_dies;

    switch (verb) {

    case SIM_WAKE:
        sim_wakes(p);
        break;

    case SIM_TURN:
        sim_turns(p, 1 + (unsigned) (arg >> 8) % 8,
                  1 + (size_t) (arg >> 16) % 4096);
        break;

    case SIM_DUE:
        sim_jobs_turn(p);
        break;

    case SIM_ANSWER:
        sim_jobs_answer(p, arg >> 8);
        break;

    case SIM_ASK:
        sim_ask(p);
        break;

    case SIM_ACK:
        sim_ack(p);
        break;

    case SIM_HOLD:
        sim_hold(p);
        break;

    case SIM_LATER:
        sim_later(p, arg >> 8);
        break;

    default:
        c = sim_client(arg >> 8);

        if (c->conn != NULL) {
            sim_client_give_up(c);
        }

        if (!p->leaving) {
            sim_client_connect(c, p);
        }
    }

    sim_edges = 0;

    for (i = 0; i < SIM_LOGS; i++) {
        sim_look(i);
    }
}


/* Completes most verbs that are in progress. */

static void
sim_pass_later(void)
{
    unsigned        i;
    sim_process_t  *p;

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        if (p->alive && p->nlate != 0 && p->stalled <= world.now
            && parley_test_chance(&world.random, 70))
        {
            sim_at = p;
            sim_later_all(p);
        }
    }
}


/* Lets time pass.  Some of the processes tick; the others miss it. */

static void
sim_pass(int64_t ms, unsigned percent)
{
    unsigned             i;
    sim_conn_t          *c;
    sim_process_t       *p;
    parley_state_room_t  stat;

    sim_pass_later();

    world.now += ms;

    /* a look at the statistics removes expired entries */

    if (parley_test_chance(&world.random, 50)) {
        parley_memory_table(&world.outside, &stat);
    }

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        /* a feed or a read may have taken too long */

        if (p->nlate != 0) {
            p->behind = 1;
        }

        if (p->alive && p->stalled <= world.now
            && parley_test_chance(&world.random, percent))
        {
            sim_at = p;
            sim_late(p);
            parley_hub_tick(p->hub);
            sim_jobs_turn(p);
        }
    }

    for (i = 0; i < SIM_CONNS; i++) {
        c = &world.conns[i];

        if (c->used && c->client != NULL && c->process->stalled <= world.now
            && c->s.stamp != 0)
        {
            world.logs[c->client->log].kept = world.now;
        }
    }
}


static void
sim_reload(uint64_t arg)
{
    sim_process_t  *p, *next;

    p = sim_process(arg);
    next = sim_free_process();

    if (p == NULL || next == NULL || p->leaving) {
        return;
    }

    sim_start(next);

    if ((arg >> 32) % 3 == 0) {
        sim_lasting_configure(arg >> 40);
    }

    p->leaving = 1;
    sim_at = p;
    parley_hub_drain(p->hub, 5);
}


/* Ends leaving processes that have no subscribers. */

static void
sim_leave(void)
{
    unsigned           i;
    sim_process_t     *p;
    parley_hub_stat_t  stat;

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        if (!p->alive || !p->leaving || p->stalled > world.now) {
            continue;
        }

        parley_hub_stat(p->hub, &stat);

        if (stat.subscribers == 0) {
            sim_exit(p);
        }
    }
}


static void
sim_erase(uint64_t arg)
{
    unsigned         log;
    sim_record_t    *r;
    parley_erase_t   erase;

    if (world.nrecords == 0) {
        return;
    }

    r = &world.records[arg % world.nrecords];

    for (log = 0; (r->logs & (1u << log)) == 0; log++) {
        /* void */
    }

    erase.log = world.keys[log];
    erase.epoch = world.logs[log].epochs[r->epochs[log]];
    erase.offset = r->offsets[log];
    r->erased = 1;

    (void) world.outside.state.ops->log->erase(&world.outside.state, &erase,
                                               NULL);
}


static void
sim_window(uint64_t arg)
{
    sim_conn_t  *conn;

    conn = sim_client(arg)->conn;

    if (conn == NULL) {
        return;
    }

    sim_client_read(conn);

    if (sim_client(arg)->conn != conn) {
        return;
    }

    if ((arg >> 8) % 3 == 0) {
        sim_fast(conn);
        return;
    }

    conn->slow = 1;
    conn->since = INT64_MAX;
    conn->window = conn->len + (arg >> 16) % SIM_SLOW;
}


void
sim_fast(sim_conn_t *conn)
{
    conn->slow = 0;
    conn->window = SIM_WINDOW_MAX;

    sim_at = conn->process;
    parley_hub_writable(sim_at->hub, &conn->s);
}


static sim_verb_t
sim_crashes(uint64_t arg)
{
    return (sim_verb_t) ((arg >> 4) % (SIM_HOLD + 1 + world.later));
}


void
sim_step(const sim_step_t *step)
{
    unsigned        s, n;
    sim_process_t  *p;

    world.random.state = step->arg;
    parley_arena_reset(&world.arena);

    p = sim_process(step->arg);
    sim_at = p;

    switch (step->verb) {

    case SIM_APPEND:
    case SIM_WAKE:
    case SIM_TURN:
    case SIM_CONNECT:
    case SIM_DUE:
    case SIM_ANSWER:
    case SIM_ASK:
    case SIM_ACK:
    case SIM_HOLD:
    case SIM_LATER:
        if (p != NULL) {
            sim_does(p, step->verb, step->arg);
        }

        break;

    case SIM_CRASH:
        if (p != NULL) {
            sim_dies = 1 + (unsigned) (step->arg >> 32) % 600;
            sim_does(p, sim_crashes(step->arg), step->arg);
            sim_dies = 0;
        }

        break;

    case SIM_DISCONNECT:
        if (sim_client(step->arg)->conn != NULL) {
            sim_drop(sim_client(step->arg)->conn);
        }

        break;

    case SIM_READ:
        if (sim_client(step->arg)->conn != NULL) {
            sim_at = sim_client(step->arg)->conn->process;
            sim_client_read(sim_client(step->arg)->conn);
        }

        break;

    case SIM_WINDOW:
        if (sim_client(step->arg)->conn != NULL) {
            sim_at = sim_client(step->arg)->conn->process;
            sim_window(step->arg);
        }

        break;

    case SIM_TIME:
        sim_pass(1 + (int64_t) ((step->arg >> 8) % 3000), 80);
        break;

    case SIM_SLEEP:
        for (s = 1 << ((step->arg >> 8) % 18); s != 0; s -= n) {
            n = s < SIM_NAP ? s : SIM_NAP;
            sim_pass((int64_t) n * 1000, 100);
        }

        break;

    case SIM_KILL:
        if (p != NULL) {
            sim_kill(p);
        }

        break;

    case SIM_START:
        p = sim_free_process();

        if (p != NULL) {
            sim_start(p);
        }

        break;

    case SIM_RELOAD:
        sim_reload(step->arg);
        break;

    case SIM_STALL:
        if (p != NULL) {
            p->stalled = world.now + (int64_t) ((step->arg >> 8) % 20000);
        }

        break;

    case SIM_ERASE:
        sim_erase(step->arg);
        break;

    default:
        sim_settle();
    }

    sim_leave();
}


/* Closes a connection from the client's side; its process sees it. */

static void
sim_drop(sim_conn_t *conn)
{
    sim_at = conn->process;
    parley_hub_unsubscribe(conn->process->hub, &conn->s);
    sim_conn_gone(conn);
}
