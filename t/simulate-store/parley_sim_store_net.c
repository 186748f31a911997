/* Connections: octets that are delayed, split, cut and lost. */

#include "t/simulate-store/parley_sim_store.h"



/* Returns us that octets travel. */

static int64_t
sim_net_travel(void)
{
    unsigned  n;

    n = parley_test_below(&sim_store.random, 100);

    return 50 + parley_test_below(&sim_store.random,
                                  n < 75 ? 300 : n < 97 ? 4000 : 40000);
}


static void
sim_chunks_free(sim_chunk_t **list)
{
    sim_chunk_t  *chunk;

    while (*list != NULL) {
        chunk = *list;
        *list = chunk->next;
        free(chunk);
    }
}


/* A connection ends when its worker has closed it and all octets to the engine
   have arrived. */

static void
sim_link_free(sim_link_t *l)
{
    if (l->worker == NULL && l->out == NULL && l->life != 0) {
        engine_close(&sim_store.engine, l->conn);
        sim_chunks_free(&l->in);
        memset(l, 0, sizeof(sim_link_t));
    }
}


static void
sim_link_closed(sim_event_t *e)
{
    sim_link_t           *l = e->p;
    sim_worker_t         *w = e->worker;
    parley_store_link_t   which = l->which;

    if (l->life == e->life && l->worker == w && w != NULL) {
        sim_net_close(w, l->which);
        parley_store_closed(w->store, which, "the connection was closed");
        sim_net_replies();
    }
}


/* Nothing more is taken.  The worker is told, or not for long. */

static void
sim_link_cut(sim_link_t *l)
{
    int64_t       us;
    sim_store_t  *s = &sim_store;

    if (l->cut) {
        return;
    }

    l->cut = 1;
    us = parley_test_chance(&s->random, 70)
         ? parley_test_below(&s->random, 2000) : 5 * SIM_SECOND;

    sim_store_at(s->now + us, sim_link_closed, l, l->life, l->worker);
}


static void
sim_link_opened(sim_event_t *e)
{
    sim_link_t    *l = e->p;
    sim_store_t   *s = &sim_store;
    sim_worker_t  *w = e->worker;

    if (l->life != e->life || l->worker != w) {
        return;
    }

    if (s->down > s->now) {
        sim_link_closed(e);
        return;
    }

    l->conn = engine_connect(&s->engine);
    parley_store_opened(w->store, l->which);
}


void
sim_net_connect(sim_worker_t *w, parley_store_link_t which)
{
    size_t        i;
    sim_link_t   *l;
    sim_store_t  *s = &sim_store;

    for (i = 0; i < SIM_LINKS && s->links[i].life != 0; i++) {
        /* void */
    }

    if (i == SIM_LINKS) {
        sim_fail("too many connections");
    }

    l = &s->links[i];
    l->life = ++s->lives;
    l->worker = w;
    l->of = w;
    l->of_life = w->life;
    l->left[0] = l->left[1] = SIZE_MAX;
    l->which = which;
    w->links[which] = l;

    sim_store_at(s->now + sim_net_travel(), sim_link_opened, l, l->life, w);
}


static void
sim_link_arrive_out(sim_event_t *e)
{
    sim_link_t   *l = e->p;
    sim_store_t  *s = &sim_store;
    sim_chunk_t  *chunk;

    if (l->life != e->life) {
        return;
    }

    if (l->frozen[0] > s->now || s->paused > s->now) {
        e->at = l->frozen[0] > s->paused ? l->frozen[0] : s->paused;
        sim_store_at(e->at, sim_link_arrive_out, l, l->life, NULL);
        return;
    }

    while (l->out != NULL && l->out->at <= s->now) {
        chunk = l->out;
        l->out = chunk->next;

        engine_feed(&s->engine, l->conn, chunk->octets, chunk->len);
        free(chunk);
    }

    sim_net_replies();
    sim_link_free(l);
}


static void
sim_link_arrive_in(sim_event_t *e)
{
    sim_link_t    *l = e->p;
    sim_chunk_t   *chunk;
    sim_worker_t  *w = e->worker;

    if (l->life == e->life && l->frozen[1] > sim_store.now) {
        sim_store_at(l->frozen[1], sim_link_arrive_in, l, l->life, w);
        return;
    }

    while (l->life == e->life && l->worker == w && l->in != NULL
           && l->in->at <= sim_store.now)
    {
        chunk = l->in;
        l->in = chunk->next;

        parley_store_fed(w->store, l->which, chunk->octets, chunk->len);
        free(chunk);
    }
}


/* Adds octets to those under way, in pieces. */

static void
sim_link_add(sim_link_t *l, int in, const uint8_t *p, size_t len)
{
    size_t         n;
    int64_t        at;
    sim_store_t   *s = &sim_store;
    sim_chunk_t  **last, *chunk;

    last = in ? &l->in : &l->out;
    at = s->now + sim_net_travel();

    for (/* void */ ; *last != NULL; last = &(*last)->next) {
        at = (*last)->at > at ? (*last)->at : at;
    }

    if (l->left[in] != SIZE_MAX) {
        n = len < l->left[in] ? len : l->left[in];
        l->left[in] -= n;
        len = n;
    }

    while (len != 0 && !l->cut) {
        n = parley_test_chance(&s->random, 20)
            ? 1 + parley_test_below(&s->random, (unsigned) len) : len;

        chunk = malloc(sizeof(sim_chunk_t) + n);
        chunk->next = NULL;
        chunk->at = at;
        chunk->len = n;
        memcpy(chunk->octets, p, n);

        *last = chunk;
        last = &chunk->next;
        p += n;
        len -= n;

        sim_store_at(at, in ? sim_link_arrive_in : sim_link_arrive_out, l,
                     l->life, in ? l->worker : NULL);

        at += parley_test_chance(&s->random, 90) ? 0 : sim_net_travel();
    }

    if (l->left[in] == 0) {
        sim_link_cut(l);
    }
}


void
sim_net_send(sim_worker_t *w, parley_store_link_t which, parley_str_t octets)
{
    if (w->links[which] != NULL) {
        sim_link_add(w->links[which], 0, octets.data, octets.len);
    }
}


void
sim_net_close(sim_worker_t *w, parley_store_link_t which)
{
    sim_link_t  *l = w->links[which];

    if (l != NULL) {
        w->links[which] = NULL;
        l->worker = NULL;
        sim_chunks_free(&l->in);
        sim_link_free(l);
    }
}


sim_worker_t *
sim_net_worker(uint64_t conn)
{
    size_t       i;
    sim_link_t  *l;

    for (i = 0; i < SIM_LINKS; i++) {
        l = &sim_store.links[i];

        if (l->life != 0 && l->conn == conn) {
            return l->of->life == l->of_life ? l->of : NULL;
        }
    }

    return NULL;
}


static void
sim_net_continue(sim_event_t *e)
{
    (void) e;

    engine_continue(&sim_store.engine);
    sim_net_replies();
}


void
sim_net_replies(void)
{
    size_t          i;
    sim_link_t     *l;
    sim_store_t    *s = &sim_store;
    engine_conn_t  *c;

    for (i = 0; i < SIM_LINKS; i++) {
        l = &s->links[i];
        c = l->life != 0 ? engine_conn(&s->engine, l->conn) : NULL;

        if (c == NULL) {
            continue;
        }

        if (c->out.len != 0 && l->worker != NULL) {
            sim_link_add(l, 1, c->out.p, c->out.len);
        }

        c->out.len = 0;

        if (c->blocked > s->engine.us) {
            sim_store_at(c->blocked - s->clock, sim_net_continue, NULL, 0,
                         NULL);
        }

        if (c->killed) {
            engine_close(&s->engine, l->conn);
            l->conn = 0;

            if (l->worker != NULL) {
                sim_link_cut(l);
            }
        }
    }
}


void
sim_net_thaw(void)
{
    size_t        i;
    sim_link_t   *l;
    sim_store_t  *s = &sim_store;

    for (i = 0; i < SIM_LINKS; i++) {
        l = &s->links[i];
        l->frozen[0] = l->frozen[1] = 0;
        l->left[0] = l->left[1] = SIZE_MAX;

        if (l->out != NULL) {
            sim_store_at(s->now, sim_link_arrive_out, l, l->life, NULL);
        }

        if (l->in != NULL) {
            sim_store_at(s->now, sim_link_arrive_in, l, l->life, l->worker);
        }
    }
}


void
sim_net_engine_gone(void)
{
    size_t       i;
    sim_link_t  *l;

    for (i = 0; i < SIM_LINKS; i++) {
        l = &sim_store.links[i];

        if (l->life != 0 && l->conn != 0) {
            l->conn = 0;
            sim_chunks_free(&l->out);

            if (l->worker != NULL) {
                sim_link_cut(l);
            }

            sim_link_free(l);
        }
    }
}


void
sim_net_forget(void)
{
    size_t  i;

    for (i = 0; i < SIM_LINKS; i++) {
        sim_chunks_free(&sim_store.links[i].in);
        sim_chunks_free(&sim_store.links[i].out);
    }
}
