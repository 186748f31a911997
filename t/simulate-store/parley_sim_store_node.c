/* Nodes and workers. */

#include "t/simulate-store/parley_sim_store.h"


static const uint8_t  sim_secret[PARLEY_KEY_SECRET] = "0123456789abcd";
static parley_mem_t   sim_mem;


int64_t
sim_node_now(const sim_node_t *n)
{
    return n->base + sim_store.now / SIM_MS;
}


void
sim_key(parley_kind_t kind, parley_str_t part, uint8_t out[PARLEY_KEY_LEN])
{
    parley_state_t  state;

    /* all nodes have the same secret */

    parley_state_init(&state, &parley_memory_ops, sim_secret);
    parley_state_key(&state, kind, &part, 1, out);
}


static void
sim_lock(void *ctx)
{
    (void) ctx;
}


static int64_t
sim_zone_now(void *ctx)
{
    return sim_node_now(((sim_worker_t *) ctx)->node);
}


static int
sim_is_alive(void *ctx, const parley_process_t *process)
{
    unsigned     i;
    sim_node_t  *n = ((sim_worker_t *) ctx)->node;

    for (i = 0; i < SIM_WORKERS; i++) {
        if (n->workers[i].life != 0 && n->workers[i].pid == process->pid) {
            return 1;
        }
    }

    return 0;
}


static void
sim_env_connect(void *ctx, parley_store_link_t which)
{
    sim_net_connect(ctx, which);
}


static void
sim_env_send(void *ctx, parley_store_link_t which, parley_str_t octets)
{
    sim_net_send(ctx, which, octets);
}


static void
sim_env_close(void *ctx, parley_store_link_t which)
{
    sim_net_close(ctx, which);
}


static void
sim_timer(sim_event_t *e)
{
    sim_worker_t  *w = e->p;

    if (w->life != 0 && w->timer == e->life) {
        w->timer = 0;
        parley_store_timer(w->store);
    }
}


static void
sim_env_timer(void *ctx, int64_t ms)
{
    sim_worker_t  *w = ctx;

    w->timer = ++sim_store.lives;

    if (ms >= 0) {
        sim_store_at(sim_store.now + ms * SIM_MS, sim_timer, w, w->timer, w);
    }
}


static int64_t
sim_env_wall(void *ctx)
{
    sim_node_t  *n = ((sim_worker_t *) ctx)->node;

    return (sim_store.now + sim_store.clock) / SIM_MS + n->wall;
}


static uint64_t
sim_env_random(void *ctx)
{
    (void) ctx;

    return parley_test_random(&sim_store.random);
}


static void
sim_env_replaced(void *ctx, const parley_join_t *j, uint64_t stamp)
{
    (void) ctx;
    (void) j;
    (void) stamp;
}


static void
sim_env_appended(void *ctx)
{
    (void) ctx;
}


static void
sim_env_log(void *ctx, parley_store_level_t level, const char *text)
{
    sim_worker_t  *w = ctx;

    sim_tell("  %u.%u log %d: %s", w->node->number, w->number, level, text);

    if (level == PARLEY_STORE_CRIT) {
        sim_fail("CLU-12 no line is critical: %s", text);
    }
}


void
sim_worker_begin(sim_worker_t *w)
{
    sim_node_t        *n = w->node;
    parley_process_t   self;

    w->life = ++sim_store.lives;
    w->pid = (uint32_t) w->life;
    w->conf = n->conf;
    w->conf.first = w->number == 0;
    memset(w->links, 0, sizeof(w->links));
    w->timer = 0;
    w->stopped = 0;
    w->fallbacks = 0;

    memset(&w->zone, 0, sizeof(parley_memory_t));
    w->zone.env.lock = sim_lock;
    w->zone.env.unlock = sim_lock;
    w->zone.env.now = sim_zone_now;
    w->zone.env.is_alive = sim_is_alive;
    w->zone.env.ctx = w;
    w->zone.share = PARLEY_SHARE_ALL;
    w->zone.workers = PARLEY_IMPORT_WORKERS;

    if (n->memory == NULL) {
        n->memory = aligned_alloc(4096, SIM_ZONE);

        if (n->memory == NULL
            || parley_memory_create(&w->zone, n->memory, SIM_ZONE, sim_secret)
               != 0)
        {
            abort();
        }

        parley_memory_bounds(&w->zone, 100, 10000);
        parley_memory_stamps(&w->zone, parley_test_random(&sim_store.random)
                                       >> 18);
    } else {
        parley_memory_adopt(&w->zone, n->memory);
    }

    memset(&w->env, 0, sizeof(parley_store_env_t));
    w->env.connect = sim_env_connect;
    w->env.send = sim_env_send;
    w->env.close = sim_env_close;
    w->env.timer = sim_env_timer;
    w->env.now = sim_zone_now;
    w->env.wall = sim_env_wall;
    w->env.random = sim_env_random;
    w->env.replaced = sim_env_replaced;
    w->env.appended = sim_env_appended;
    w->env.log = sim_env_log;
    w->env.ctx = w;

    sim_mem = parley_mem_libc;
    w->store = parley_store_create(&w->zone.state, &w->env, &w->conf,
                                   &sim_mem);

    if (w->store == NULL) {
        abort();
    }

    w->zone.env.orphan = parley_store_orphan;
    w->zone.env.orphan_ctx = w->store;

    sim_tell("worker %u.%u starts", n->number, w->number);

    self.pid = w->pid;
    self.began = w->life;
    parley_memory_enter(&w->zone, &self);
    parley_store_begin(w->store);
}


void
sim_node_begin(sim_node_t *n)
{
    unsigned      i;
    uint64_t      name;
    sim_store_t  *s = &sim_store;

    n->lives++;
    n->base = 1000 + parley_test_below(&s->random, 1000000);
    n->wall = (int64_t) parley_test_below(&s->random, 40) - 20;
    n->until = 0;

    memset(&n->conf, 0, sizeof(parley_store_conf_t));
    n->conf.prefix = PARLEY_STR("parley");
    n->conf.room = SIM_ZONE;
    n->conf.config = PARLEY_STR("config");
    n->conf.version = PARLEY_STR("0");
    n->conf.host = PARLEY_STR("host");
    n->conf.timeout = PARLEY_STORE_TIMEOUT;
    n->conf.lease = s->lease;
    n->conf.fallback = s->local ? PARLEY_STORE_LOCAL : PARLEY_STORE_REFUSE;

    name = parley_test_random(&s->random);
    memcpy(n->conf.node, &name, PARLEY_STORE_NODE);

    for (i = 0; i < s->nworkers; i++) {
        n->workers[i].node = n;
        n->workers[i].number = i;
        sim_worker_begin(&n->workers[i]);
    }
}


void
sim_worker_kill(sim_worker_t *w)
{
    sim_tell("worker %u.%u dies", w->node->number, w->number);

    w->life = 0;
    w->stopped = 0;
    sim_net_close(w, PARLEY_STORE_MAIN);
    sim_net_close(w, PARLEY_STORE_INBOX);
    parley_store_destroy(w->store);
    w->store = NULL;
}


void
sim_node_free(sim_node_t *n)
{
    free(n->memory);
    n->memory = NULL;
}


sim_worker_t *
sim_worker_any(void)
{
    unsigned       i, k, at;
    sim_store_t   *s = &sim_store;
    sim_worker_t  *w;

    at = parley_test_below(&s->draw, s->nnodes * s->nworkers);

    for (i = 0; i < s->nnodes * s->nworkers; i++) {
        k = (at + i) % (s->nnodes * s->nworkers);
        w = &s->nodes[k / s->nworkers].workers[k % s->nworkers];

        if (w->life != 0 && w->stopped <= s->now) {
            return w;
        }
    }

    return NULL;
}
