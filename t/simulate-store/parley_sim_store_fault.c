/* Faults, and their end. */

#include "t/simulate-store/parley_sim_store.h"


/* Returns a connection of a worker; NULL: no worker has one. */

static sim_link_t *
sim_fault_link(void)
{
    unsigned      i, at;
    sim_store_t  *s = &sim_store;

    at = parley_test_below(&s->draw, SIM_LINKS);

    for (i = 0; i < SIM_LINKS; i++) {
        if (s->links[(at + i) % SIM_LINKS].worker != NULL) {
            return &s->links[(at + i) % SIM_LINKS];
        }
    }

    return NULL;
}


static void
sim_fault_cut(void)
{
    int          in;
    sim_link_t  *l;

    l = sim_fault_link();

    if (l != NULL) {
        in = (int) parley_test_below(&sim_store.draw, 2);
        l->left[in] = 1 + parley_test_below(&sim_store.draw, 400);
        sim_tell("cut of %u.%u%s after %zu octets %s the engine",
                 l->worker->node->number, l->worker->number,
                 l->which == PARLEY_STORE_MAIN ? "" : " (inbox)", l->left[in],
                 in ? "from" : "to");
    }
}


static void
sim_fault_freeze(void)
{
    int           in;
    sim_link_t   *l;
    sim_store_t  *s = &sim_store;

    l = sim_fault_link();

    if (l != NULL) {
        in = parley_test_chance(&s->draw, 20);
        l->frozen[in] = s->now
                        + (parley_test_chance(&s->draw, 50) ? 200 : 5000)
                          * (int64_t) parley_test_below(&s->draw, 1000);
        sim_tell("octets %s %u.%u%s are late until %.3f", in ? "to" : "of",
                 l->worker->node->number, l->worker->number,
                 l->which == PARLEY_STORE_MAIN ? "" : " (inbox)",
                 (double) l->frozen[in] / 1000);
    }
}


static void
sim_fault_kill(int dies)
{
    unsigned       i;
    sim_node_t    *n;
    sim_worker_t  *w;

    w = sim_worker_any();

    if (w == NULL) {
        return;
    }

    if (!dies) {
        sim_log_killed(w);
        sim_model_killed(w, 0);
        sim_worker_kill(w);
        return;
    }

    n = w->node;
    sim_tell("node %u dies", n->number);

    for (i = 0; i < SIM_WORKERS; i++) {
        if (n->workers[i].life != 0) {
            sim_log_killed(&n->workers[i]);
            sim_model_killed(&n->workers[i], 1);
            sim_worker_kill(&n->workers[i]);
        }
    }

    sim_model_died(n);
    sim_node_free(n);
}


/* Waits until a worker that ends has no calls left, at most a second. */

static void
sim_fault_drain(sim_worker_t *w)
{
    unsigned             i;
    parley_store_stat_t  stat;

    for (i = 0; i < 50; i++) {
        parley_store_stat(w->store, &stat);

        if (stat.pending == 0 || !parley_store_is_up(w->store)) {
            return;
        }

        sim_store_pass(20 * SIM_MS);
    }
}


static void
sim_fault_exit(sim_worker_t *w, int dies)
{
    unsigned  i;

    sim_tell("worker %u.%u ends", w->node->number, w->number);

    for (i = 0; i < 20 && sim_verbs_under_way(w) != 0; i++) {
        sim_store_pass(50 * SIM_MS);
    }

    if (parley_store_end(w->store)) {
        sim_fault_drain(w);
    }

    if (parley_store_quit(w->store)) {
        sim_fault_drain(w);
    }

    sim_log_killed(w);
    sim_model_killed(w, dies);
    parley_memory_leave(&w->zone);
    sim_worker_kill(w);
}


static void
sim_fault_start(void)
{
    unsigned      i, k;
    sim_node_t   *n;
    sim_store_t  *s = &sim_store;

    for (i = 0; i < s->nnodes; i++) {
        n = &s->nodes[i];

        if (n->memory == NULL) {
            sim_node_begin(n);
            continue;
        }

        for (k = 0; k < s->nworkers; k++) {
            if (n->workers[k].life == 0) {
                sim_worker_begin(&n->workers[k]);
            }
        }
    }
}


/* The workers of a node end one after another, or one of them. */

static void
sim_fault_quit(void)
{
    int            all, dies;
    unsigned       i;
    sim_node_t    *n;
    sim_store_t   *s = &sim_store;
    sim_worker_t  *w;

    w = sim_worker_any();

    if (w == NULL) {
        return;
    }

    n = w->node;
    all = parley_test_chance(&s->draw, 70);
    dies = all && parley_test_chance(&s->draw, 50);

    for (i = 0; i < SIM_WORKERS; i++) {

        /* a worker that does nothing would end later */

        if (n->workers[i].life != 0 && n->workers[i].stopped > s->now) {
            return;
        }
    }

    for (i = 0; i < SIM_WORKERS; i++) {
        if (n->workers[i].life != 0 && (all || &n->workers[i] == w)) {
            sim_fault_exit(&n->workers[i], dies);
        }
    }

    if (dies) {
        sim_model_died(n);
        sim_node_free(n);

    } else if (parley_test_chance(&s->draw, 50)) {

        /* their successors may be faster than their last words */

        sim_fault_start();
    }
}


/* The next run of the engine begins after some time. */

static const char *
sim_fault_run(void)
{
    static char   run[32];
    sim_store_t  *s = &sim_store;

    sim_net_engine_gone();
    s->down = s->now + parley_test_below(&s->draw, 3000) * SIM_MS;
    s->paused = 0;
    snprintf(run, sizeof(run), "run-%u", ++s->runs);

    return run;
}


/* The replica lacks the last steps, of at most a second. */

static void
sim_fault_fail_over(void)
{
    size_t        behind, i;
    int64_t       us;
    engine_t     *e = &sim_store.engine;
    sim_store_t  *s = &sim_store;

    if (e->replicas == 0) {
        return;
    }

    behind = engine_lag(e, e->us - SIM_SECOND);
    behind = behind < 30 ? behind : 30;
    behind = parley_test_below(&s->draw, (unsigned) behind + 1);
    engine_replicate(e, behind);

    for (i = 0, us = INT64_MAX; i < e->nwrites && us == INT64_MAX; i++) {
        us = e->writes[i].us;
    }

    sim_tell("failover: %zu steps are lost, since %.3f", behind,
             us == INT64_MAX ? 0. : (double) (us - s->clock) / 1000);

    engine_fail_over(e, sim_fault_run());
    s->clock += (int64_t) parley_test_below(&s->draw, 20000) - 10000;
    e->us = s->now + s->clock;
    sim_model_lost(us);
    sim_model_leases();
}


static void
sim_fault_restart(void)
{
    int           keeps;
    sim_store_t  *s = &sim_store;

    keeps = parley_test_chance(&s->draw, 50);
    sim_tell("the engine starts again, %s", keeps ? "with its data" : "empty");
    engine_restart(&s->engine, sim_fault_run(), keeps);

    sim_model_lost(keeps ? INT64_MAX : 0);

    sim_model_leases();
}


void
sim_fault(unsigned step)
{
    sim_store_t   *s = &sim_store;
    sim_worker_t  *w;

    switch (step) {

    case SIM_STEP_CUT:
        sim_fault_cut();
        break;

    case SIM_STEP_FREEZE:
        sim_fault_freeze();
        break;

    case SIM_STEP_PAUSE:
        s->paused = s->now + parley_test_below(&s->draw,
                                               (unsigned) s->lease * 3 / 2)
                             * SIM_MS;
        sim_tell("the engine stops until %.3f", (double) s->paused / 1000);
        break;

    case SIM_STEP_STOP:
        w = sim_worker_any();

        if (w != NULL) {
            w->stopped = s->now
                         + (parley_test_chance(&s->draw, 50) ? 200 : 8000)
                           * (int64_t) parley_test_below(&s->draw, 1000);
            sim_tell("worker %u.%u stops until %.3f", w->node->number,
                     w->number, (double) w->stopped / 1000);
        }

        break;

    case SIM_STEP_KILL:
        sim_fault_kill(0);
        break;

    case SIM_STEP_DIE:
        sim_fault_kill(1);
        break;

    case SIM_STEP_QUIT:
        sim_fault_quit();
        break;

    case SIM_STEP_START:
        sim_fault_start();
        break;

    case SIM_STEP_FAIL_OVER:
        sim_fault_fail_over();
        break;

    case SIM_STEP_RESTART:
        sim_fault_restart();
        break;

    case SIM_STEP_FLUSH:
        sim_tell("the store is emptied");
        engine_flush(&s->engine);
        sim_model_lost(0);
        sim_model_leases();
        break;

    case SIM_STEP_FULL:
        s->engine.full = !s->engine.full;
        s->full = s->now;
        sim_tell("the engine is %s", s->engine.full ? "full" : "not full");
        break;
    }
}


void
sim_heal(void)
{
    int64_t       end;
    unsigned      i, k;
    sim_store_t  *s = &sim_store;

    sim_tell("the faults are over");

    s->healing = 1;
    s->full = s->engine.full ? s->now : s->full;
    s->engine.full = 0;
    s->paused = 0;
    s->down = 0;

    sim_net_thaw();

    end = s->now;

    for (i = 0; i < s->nnodes; i++) {
        for (k = 0; k < SIM_WORKERS; k++) {
            if (s->nodes[i].workers[k].stopped > end) {
                end = s->nodes[i].workers[k].stopped;
            }
        }
    }

    sim_store_pass(end - s->now);
    sim_fault_start();
}
