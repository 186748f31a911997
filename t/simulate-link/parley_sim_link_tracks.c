/* The peer and the tracks of the gateway: subscriptions and fetches. */

#include "t/simulate-link/parley_sim_link.h"


sim_track_t *
sim_track(sim_conn_t *c, parley_str_t name)
{
    char          epoch[16];
    unsigned      i;
    sim_track_t  *t;

    for (i = 0; i < c->ntracks; i++) {
        if (parley_str_eq(parley_str_c(c->tracks[i].name), name)) {
            return &c->tracks[i];
        }
    }

    if (c->ntracks == SIM_NAMES || name.len >= sizeof(t->name)) {
        return NULL;
    }

    t = &c->tracks[c->ntracks++];
    memset(t, 0, sizeof(sim_track_t));

    memcpy(t->name, name.data, name.len);

    if (name.len > 8 && memcmp(name.data + name.len - 8, ".mailbox", 8) == 0
        && name.len > 22)
    {
        t->mailbox = 1;
        t->who = name.data[0] == 'b';
        memcpy(epoch, name.data + name.len - 20, 12);
        epoch[12] = '\0';
        t->epoch = strtoull(epoch, NULL, 16);
    }

    return t;
}


void
sim_space(parley_moqt_message_t *m, const char *agent)
{
    memset(&m->space, 0, sizeof(m->space));

    if (parley_moqt_namespace_add(&m->space, PARLEY_STR("a2a")) != 0
        || parley_moqt_namespace_add(&m->space, parley_str_c(agent)) != 0)
    {
        abort();
    }
}


/* Notes a request that waits for its answer. */

void
sim_ask(sim_conn_t *c, const parley_moqt_message_t *m, int index)
{
    unsigned  i;

    for (i = 0; i < SIM_ASKED; i++) {
        if (c->asked[i].type == 0) {
            c->asked[i].type = (parley_moqt_type_t) m->type;
            c->asked[i].id = UINT64_MAX;  /* sim_control() */
            c->asked[i].index = index;
            return;
        }
    }
}


/* The objects of a track that have not come are given up. */

void
sim_tear(sim_conn_t *c, sim_track_t *t)
{
    unsigned  i;

    t->torn = 1;
    t->ndue = 0;

    for (i = 0; i < c->naliases; i++) {
        if (c->aliases[i].track == (int) (t - c->tracks)) {
            c->aliases[i].torn = 1;
        }
    }
}


/* Writes FORWARD and, at times, a filter. */

static void
sim_params(sim_track_t *t, parley_arena_t *arena, parley_moqt_message_t *m,
    int forward, int filters)
{
    parley_moqt_filter_t        filter;
    parley_moqt_pairs_writer_t  p;

    parley_moqt_pairs_writer_init(&p, sim_draft, arena);
    parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_PARAM_FORWARD,
                                  (uint64_t) forward);

    t->end = UINT64_MAX;

    if (filters) {
        t->filtered = 0;
    }

    if (filters && sim_chance(20)) {
        memset(&filter, 0, sizeof(filter));
        filter.type = 1 + sim_below(4);
        filter.start.group = sim_below(3);
        filter.start.object = sim_below(3) * 65536;
        filter.end_group = filter.start.group + sim_below(2);

        parley_moqt_pairs_put_filter(&p, PARLEY_MOQT_PARAM_FILTER, &filter);

        /* the peer does not know which objects the filter leaves out */

        t->filtered = filter.type != PARLEY_MOQT_FILTER_LARGEST_OBJECT;
        t->torn |= t->filtered;
    }

    if (parley_moqt_pairs_done(&p, &m->params) != 0) {
        abort();
    }
}


void
sim_subscribe(sim_conn_t *c, sim_track_t *t)
{
    parley_arena_t         arena;
    parley_moqt_message_t  m;

    if (c->closed || t->live || t->asked || t->offered) {
        return;
    }

    memset(&m, 0, sizeof(m));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    m.type = PARLEY_MOQT_SUBSCRIBE;
    m.name = parley_str_c(t->name);
    sim_space(&m, "parley");

    t->forward = !sim_chance(20);
    t->ndue = 0;
    sim_params(t, &arena, &m, (int) t->forward, 1);

    t->asked = 1;
    sim_ask(c, &m, (int) (t - c->tracks));
    sim_control(c, &m);

    parley_arena_reset(&arena);
}


/* Answers PUBLISH of the gateway; forward -1: by an error. */

void
sim_accept(sim_conn_t *c, sim_track_t *t, int forward)
{
    parley_arena_t         arena;
    parley_moqt_message_t  m;

    if (c->closed || !t->offered) {
        return;
    }

    memset(&m, 0, sizeof(m));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    m.type = forward < 0 ? PARLEY_MOQT_REQUEST_ERROR : PARLEY_MOQT_PUBLISH_OK;
    m.request = t->request;
    t->offered = 0;

    if (forward >= 0) {
        t->live = 1;
        t->forward = forward & 1;
        t->ndue = 0;
            sim_params(t, &arena, &m, forward, 1);
    }

    sim_control(c, &m);
    parley_arena_reset(&arena);
}


void
sim_update(sim_conn_t *c, sim_track_t *t, int forward)
{
    parley_arena_t         arena;
    parley_moqt_message_t  m;

    if (c->closed || !t->live) {
        return;
    }

    memset(&m, 0, sizeof(m));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    m.type = PARLEY_MOQT_REQUEST_UPDATE;
    m.existing = t->request;

    sim_ask(c, &m, -1);
    sim_params(t, &arena, &m, forward, 0);

    t->forward = forward & 1;

    if (!forward) {
        }

    sim_control(c, &m);
    parley_arena_reset(&arena);
}


void
sim_unsubscribe(sim_conn_t *c, sim_track_t *t)
{
    parley_moqt_message_t  m;

    if (c->closed || !t->live) {
        return;
    }

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_UNSUBSCRIBE;
    m.request = t->request;

    t->live = 0;
    t->forward = 0;
    sim_tear(c, t);
    sim_control(c, &m);
}


/* Fetches a range of a mailbox. */

void
sim_fetch(sim_conn_t *c)
{
    unsigned                i;
    sim_fetch_t            *f;
    sim_track_t            *t;
    parley_moqt_message_t   m;

    for (i = 0, t = NULL; i < c->ntracks; i++) {
        if (c->tracks[i].mailbox && (t == NULL || sim_chance(50))) {
            t = &c->tracks[i];
        }
    }

    for (i = 0; i < SIM_FETCHES && c->fetches[i].used; i++) { /* void */ }

    /* of several that wait, it is not known which one the link begins */

    if (i == SIM_FETCHES || t == NULL || c->held[SIM_HELD_CONTROL].n > 0) {
        return;
    }

    f = &c->fetches[i];

    memset(f, 0, sizeof(sim_fetch_t));
    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_FETCH;

    if (t->live && !t->filtered && sim_chance(40)) {
        m.fetch = sim_chance(50) ? PARLEY_MOQT_FETCH_RELATIVE
                                 : PARLEY_MOQT_FETCH_ABSOLUTE;
        m.existing = t->request;
        m.joining = sim_below(3);
        f->start.group = UINT64_MAX;        /* not known */

    } else {
        m.fetch = PARLEY_MOQT_FETCH_STANDALONE;
        m.name = parley_str_c(t->name);
        sim_space(&m, "parley");
        m.start.group = c->high.offset / 256 - (c->high.offset >= 256
                                                && sim_chance(50));
        m.start.object = sim_below(256) * 65536 + (sim_chance(20) ? 1 : 0);
        m.end.group = m.start.group + sim_below(2);
        m.end.object = sim_chance(30) ? 0 : sim_below(256) * 65536
                       + sim_below(3);

        if (m.end.object != 0 && m.start.group == m.end.group
            && m.end.object <= m.start.object)
        {
            m.end.object = m.start.object + 1;
        }

        /* the record at the start may have no chunk that is in the range */

        if (m.start.object % 65536 > 0) {
            f->got = m.start.group * 256 + m.start.object / 65536;
        }

        f->start = m.start;
        f->end = m.end;
    }

    f->used = 1;
    f->who = t->who;
    f->epoch = t->epoch;
    f->fresh = 1;
    f->request = UINT64_MAX;        /* sim_control() */

    sim_control(c, &m);

    if (m.request == UINT64_MAX - 1) {
        f->used = 0;
    }
}


/* Answers SUBSCRIBE of the gateway.  Returns whether there was one. */

int
sim_want(sim_conn_t *c, int ok)
{
    unsigned               i;
    parley_moqt_message_t  m;

    if (c->closed || c->nwants == 0) {
        return 0;
    }

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_REQUEST_ERROR;
    m.request = c->wants[--c->nwants];

    for (i = 0; i < SIM_PUBS && c->pubs[i].used; i++) { /* void */ }

    if (c->want_logs[c->nwants] < SIM_LOGS) {
        (void) sim_supply(c, &m, c->want_logs[c->nwants]);

    } else if (ok && i < SIM_PUBS) {
        memset(&c->pubs[i], 0, sizeof(sim_pub_t));
        c->pubs[i].used = 1;
        c->pubs[i].sent = 1;
        c->pubs[i].agent = c->want_agents[c->nwants];
        c->pubs[i].alias = ++c->next_alias;
        c->pubs[i].request = m.request;

        m.type = PARLEY_MOQT_SUBSCRIBE_OK;
        m.alias = c->pubs[i].alias;
    }

    sim_control(c, &m);

    return 1;
}
