/* Time, events, the beginning and the end. */

#include "t/simulate-store/parley_sim_store.h"


#define SIM_TIDY  100           /* ms between two looks */


sim_store_t  sim_store;


static int
sim_event_before(const sim_event_t *a, const sim_event_t *b)
{
    return a->at < b->at || (a->at == b->at && a->order < b->order);
}


static void
sim_event_put(const sim_event_t *e)
{
    size_t        i, up;
    sim_event_t  *heap;
    sim_store_t  *s = &sim_store;

    if (s->nevents == s->size) {
        s->size = s->size == 0 ? 256 : 2 * s->size;
        s->events = realloc(s->events, s->size * sizeof(sim_event_t));
    }

    heap = s->events;

    for (i = s->nevents++; i != 0; i = up) {
        up = (i - 1) / 2;

        if (!sim_event_before(e, &heap[up])) {
            break;
        }

        heap[i] = heap[up];
    }

    heap[i] = *e;
}


static sim_event_t
sim_event_take(void)
{
    size_t        i, down;
    sim_event_t   first, last, *heap;
    sim_store_t  *s = &sim_store;

    heap = s->events;
    first = heap[0];
    last = heap[--s->nevents];

    for (i = 0; (down = 2 * i + 1) < s->nevents; i = down) {

        if (down + 1 < s->nevents
            && sim_event_before(&heap[down + 1], &heap[down]))
        {
            down++;
        }

        if (!sim_event_before(&heap[down], &last)) {
            break;
        }

        heap[i] = heap[down];
    }

    heap[i] = last;

    return first;
}


void
sim_store_at(int64_t us, void (*run)(sim_event_t *e), void *p, uint64_t life,
    sim_worker_t *worker)
{
    sim_event_t  e;

    e.at = us;
    e.order = ++sim_store.order;
    e.run = run;
    e.p = p;
    e.life = life;
    e.worker = worker;

    sim_event_put(&e);
}


void
sim_store_pass(int64_t us)
{
    int64_t       end;
    sim_event_t   e;
    sim_store_t  *s = &sim_store;

    end = s->now + us;

    while (s->nevents != 0 && s->events[0].at <= end) {

        e = sim_event_take();
        s->now = e.at > s->now ? e.at : s->now;
        s->engine.us = s->now + s->clock;

        /* the events of a worker that is stopped wait for it */

        if (e.worker != NULL && e.worker->stopped > s->now) {
            e.at = e.worker->stopped;
            sim_event_put(&e);
            continue;
        }

        e.run(&e);
    }

    s->now = end;
    s->engine.us = s->now + s->clock;
}


/* Lets time pass while the readers read. */

static void
sim_store_wait(int64_t us)
{
    for (/* void */ ; us > 0; us -= SIM_TIDY * SIM_MS) {
        sim_store_pass(us < SIM_TIDY * SIM_MS ? us : SIM_TIDY * SIM_MS);
        sim_log_read();
    }
}


void
sim_store_begin(uint64_t seed)
{
    unsigned      i;
    sim_store_t  *s = &sim_store;

    memset(s, 0, sizeof(sim_store_t));

    s->random.state = seed;
    s->now = SIM_SECOND;
    s->clock = (1764000000 + (int64_t) parley_test_below(&s->random, 1000))
               * SIM_SECOND;
    s->nnodes = 2 + parley_test_below(&s->random, SIM_NODES - 1);
    s->nworkers = 1 + parley_test_below(&s->random, SIM_WORKERS);
    s->lease = 1000 * (2 + 3 * parley_test_below(&s->random, 3));
    s->local = parley_test_chance(&s->random, 25);

    engine_begin(&s->engine, "run-1");
    s->runs = 1;
    s->engine.us = s->now + s->clock;
    s->engine.replicas = !parley_test_chance(&s->random, 20);
    s->engine.executed = sim_model_executed;

    for (i = 0; i < s->nnodes; i++) {
        s->nodes[i].number = i;
        sim_node_begin(&s->nodes[i]);
    }

    sim_tell("%u nodes of %u workers, lease %lld ms%s", s->nnodes,
             s->nworkers, (long long) s->lease,
             s->local ? ", fallback=local" : "");

    sim_store_pass(300 * SIM_MS);
}


void
sim_store_step(const sim_step_t *step)
{
    sim_store_t  *s = &sim_store;

    s->draw.state = step->arg;

    switch (step->verb) {

    case SIM_STEP_MESSAGE:
    case SIM_STEP_TICKET:
    case SIM_STEP_ASK:
    case SIM_STEP_ANSWER:
    case SIM_STEP_SUBMIT:
        sim_message(step->verb);
        break;

    case SIM_STEP_APPEND:
    case SIM_STEP_JOIN:
    case SIM_STEP_LEAVE:
        sim_log_step(step->verb);
        break;

    case SIM_STEP_CANCEL:
        sim_cancel();
        break;

    case SIM_STEP_TIME:
        sim_store_wait(parley_test_below(&s->draw, 200) * SIM_MS);
        break;

    case SIM_STEP_SLEEP:
        sim_store_wait(parley_test_below(&s->draw, 4000) * SIM_MS);
        break;

    default:
        sim_fault(step->verb);
    }

    /* the replica has all writes of more than a second ago */

    engine_replicate(&s->engine, engine_lag(&s->engine,
                                            s->engine.us - SIM_SECOND));

    /* the octets of the last call may be under way */

    sim_store_pass(parley_test_below(&s->draw, 4)
                   * parley_test_below(&s->draw, 5 * SIM_MS));
    sim_log_read();
}


/* The faults are over: all that is under way ends, and the leases of dead nodes
   too. */

void
sim_store_end(void)
{
    unsigned      i;
    sim_store_t  *s = &sim_store;

    s->draw.state = 7;
    sim_heal();
    sim_store_wait((s->lease + 3000) * SIM_MS);

    for (i = 0; i < 150 && sim_verbs_under_way(NULL) != 0; i++) {
        sim_store_wait(SIM_TIDY * SIM_MS);
    }

    if (sim_verbs_under_way(NULL) != 0) {
        sim_fail("CLU-08 a verb has an end: one has none");
    }

    sim_model_check();
}


void
sim_store_forget(void)
{
    unsigned      i, k;
    sim_store_t  *s = &sim_store;

    for (i = 0; i < s->nnodes; i++) {
        for (k = 0; k < SIM_WORKERS; k++) {
            if (s->nodes[i].workers[k].life != 0) {
                parley_store_destroy(s->nodes[i].workers[k].store);
            }
        }

        sim_node_free(&s->nodes[i]);
    }

    for (i = 0; i < SIM_VERBS; i++) {
        if (s->verbs[i].stage != SIM_VERB_FREE) {
            parley_arena_reset(&s->verbs[i].arena);
        }
    }

    sim_net_forget();
    engine_end(&s->engine);
    free(s->events);
    s->events = NULL;
}
