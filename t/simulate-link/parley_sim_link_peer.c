/* The peer of a link: its control messages and its data streams. */

#include "t/simulate-link/parley_sim_link.h"


static void sim_hold(sim_conn_t *c, unsigned stream, const uint8_t *octets,
    size_t len);


/* Gives octets to the control stream, in parts. */

void
sim_raw(sim_conn_t *c, const uint8_t *octets, size_t len)
{
    sim_hold(c, SIM_HELD_CONTROL, octets, len);
}


static void
sim_hold(sim_conn_t *c, unsigned stream, const uint8_t *octets, size_t len)
{
    sim_held_t  *h;

    if (len == 0 || c->closed) {
        return;
    }

    h = &c->held[stream];
    h->octets = realloc(h->octets, h->n + len);
    memcpy(h->octets + h->n, octets, len);
    h->n += len;

    (void) sim_held(c);
}


int
sim_held(sim_conn_t *c)
{
    int                    work;
    size_t                 n;
    uint8_t               *copy;
    unsigned               i;
    uint64_t               code;
    sim_held_t            *h;
    parley_str_t           in;
    parley_link_stream_t  *st;

    work = 0;

    for (i = 0; i < SIM_HELD; i++) {
        h = &c->held[i];
        st = i == SIM_HELD_LIST ? c->list : c->control;

        while (h->n > 0 && !h->waits && !c->closed) {
            n = sim_chance(60) ? h->n : 1 + sim_below((unsigned) h->n);

            copy = malloc(n);
            memcpy(copy, h->octets, n);
            in = parley_str_make(copy, n);

            if (parley_link_read(st, &in, 0, &code) != 0) {

                if (i == SIM_HELD_CONTROL) {
                    sim_fail("MOQ-12: the control stream is stopped");
                }

                in.len = 0;
                n = h->n;
            }

            h->waits = parley_link_waits(st) ? 1 : 0;

            if (in.len > 0 && !h->waits && !c->closed) {
                sim_fail("MOQ-12: the link leaves octets and does not wait");
            }

            free(copy);

            n -= in.len;
            h->n -= n;
            memmove(h->octets, h->octets + n, h->n);
            work |= n > 0;
        }
    }

    return work;
}


void
sim_held_free(sim_held_t *h)
{
    free(h->octets);
    memset(h, 0, sizeof(sim_held_t));
}


void
sim_control(sim_conn_t *c, parley_moqt_message_t *m)
{
    int                   rc;
    parley_buf_t          b;
    parley_str_t          octets;
    parley_arena_t        arena;
    parley_moqt_fault_t   fault;
    parley_moqt_effect_t  effect;

    if (c->closed) {
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);

    rc = parley_moqt_session_send(&c->client, &b, m, &effect, &fault);

    if (rc == 0 && parley_buf_done(&b, &octets) == 0) {
        unsigned  i;

        /* a request that waits has its ID now */

        for (i = 0; i < SIM_ASKED && m->row->request; i++) {
            if (c->asked[i].type == (parley_moqt_type_t) m->type
                && c->asked[i].id == UINT64_MAX)
            {
                c->asked[i].id = m->request;
            }
        }

        for (i = 0; i < SIM_FETCHES && m->type == PARLEY_MOQT_FETCH; i++) {
            if (c->fetches[i].used && c->fetches[i].request == UINT64_MAX) {
                c->fetches[i].request = m->request;
            }
        }

        if (m->type == PARLEY_MOQT_PUBLISH_NAMESPACE) {
            c->announce = m->request;
        }

        sim_link_tell("%u: sends %s %llu", c->number, m->row->name,
                      (unsigned long long) m->request);

        sim_raw(c, octets.data, octets.len);

    } else if (m->row != NULL && m->row->request) {
        unsigned  i;

        for (i = 0; i < SIM_ASKED; i++) {
            if (c->asked[i].type == (parley_moqt_type_t) m->type
                && c->asked[i].id == UINT64_MAX)
            {
                c->asked[i].type = 0;

                if (m->type == PARLEY_MOQT_SUBSCRIBE
                    && c->asked[i].index < SIM_OPAQUE)
                {
                    c->tracks[c->asked[i].index].asked = 0;
                }
            }
        }

        m->request = UINT64_MAX - 1;
    }

    parley_arena_reset(&arena);
    sim_after(c);
}


/* Makes a token for a Session ID; those of an attacker are of anyone. */

unsigned
sim_token(sim_conn_t *c, uint64_t id)
{
    sim_token_t  *t;

    if (sim_link.ntokens == SIM_TOKENS - 1) {
        return SIM_TOKENS - 1;
    }

    t = &sim_link.tokens[sim_link.ntokens];

    t->who = sim_chance(c->evil ? 25 : 8) ? 2
             : c->evil && sim_chance(40) ? 1 - c->who : c->who;
    t->conn = c->number;
    t->id = id;
    t->proved = 0;

    return sim_link.ntokens++;
}


void
sim_token_text(char text[8], unsigned token)
{
    snprintf(text, 8, "%c-%03u", "abx"[sim_link.tokens[token].who],
             token % 1000);
}


void
sim_connect(sim_conn_t *c)
{
    char                        text[8];
    unsigned                    token, maximum;
    parley_arena_t              arena;
    parley_moqt_token_t         t;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    static const unsigned  maxima[] = { 0, 2, 6, 2 * SIM_REQUESTS };

    memset(c, 0, sizeof(sim_conn_t));

    c->number = ++sim_link.numbers;
    c->who = sim_below(2);
    c->evil = sim_chance(25) & 1;
    c->flooded = sim_chance(30) & 1;
    c->listener = -1;
    c->may_open = 64;
    c->room = SIZE_MAX;
    c->out.conn = c;
    c->out.open = 1;
    c->out.room = SIZE_MAX;
    c->next_alias = sim_below(1000);

    if (sim_link.starving && sim_chance(40)) {
        c->mem.every = 1 + sim_below(sim_chance(50) ? 40 : 400);
    }

    c->link = sim_env_link(c);

    if (c->link == NULL) {

        if (c->mem.octets != 0) {
            sim_fail("MOQ-12: a link that was not made keeps memory");
        }

        c->number = 0;
        return;
    }

    if (parley_moqt_session_init(&c->client, sim_draft, &parley_mem_libc,
                                 PARLEY_MOQT_CLIENT, SIM_REQUESTS) != 0)
    {
        abort();
    }

    c->control = parley_link_stream(c->link, PARLEY_LINK_CONTROL, &c->out);

    if (c->control == NULL) {
        sim_drop(c);
        return;
    }

    maximum = maxima[sim_below(4)];
    c->requests = maximum > 0;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&m, 0, sizeof(m));
    memset(&t, 0, sizeof(t));

    m.type = PARLEY_MOQT_CLIENT_SETUP;
    c->client.maximum_in = maximum;

    parley_moqt_pairs_writer_init(&p, sim_draft, &arena);
    parley_moqt_pairs_put_octets(&p, PARLEY_MOQT_SETUP_PATH,
                                 PARLEY_STR("/moq"));
    parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_SETUP_MAX_REQUEST_ID,
                                  maximum);

    if (sim_chance(35)) {
        token = sim_token(c, 0);
        sim_token_text(text, token);
        t.alias_type = PARLEY_MOQT_TOKEN_USE_VALUE;
        t.value = parley_str_c(text);
        parley_moqt_pairs_put_token(&p, PARLEY_MOQT_SETUP_TOKEN, &t);
    }

    if (parley_moqt_pairs_done(&p, &m.params) != 0) {
        abort();
    }

    sim_link_tell("%u: %s connects%s%s", c->number, sim_names[c->who],
                  c->evil ? " with evil intent" : "",
                  c->mem.every != 0 ? ", little memory" : "");

    sim_control(c, &m);
    parley_arena_reset(&arena);
}


sim_open_t *
sim_open(sim_conn_t *c, uint64_t id)
{
    unsigned  i;

    for (i = 0; id != 0 && i < SIM_NAMES; i++) {
        if (c->opens[i].id == id) {
            return &c->opens[i];
        }
    }

    return NULL;
}


/* Sends PUBLISH of a track that may have data already. */

void
sim_publish(sim_conn_t *c, sim_pub_t *pub)
{
    char                   name[32];
    parley_moqt_message_t  m;

    if (c->closed || pub->sent) {
        return;
    }

    memset(&m, 0, sizeof(m));

    snprintf(name, sizeof(name), "%s.%u.cmd", sim_names[pub->agent],
             (unsigned) (pub->alias % 10));

    m.type = PARLEY_MOQT_PUBLISH;
    m.name = parley_str_c(name);
    m.alias = pub->alias;
    sim_space(&m, sim_names[pub->agent]);

    pub->sent = 1;
    pub->proved = parley_link_principal(c->link).len > 0;

    sim_ask(c, &m, (int) (pub - c->pubs));
    sim_control(c, &m);

    if (c->number != 0) {
        pub->request = m.request;

        if (m.request > UINT64_MAX - 2) {
            pub->sent = 0;
        }
    }
}


/* Asks for the agents, or closes the stream of the request before. */

void
sim_list(sim_conn_t *c)
{
    parley_buf_t           b;
    parley_arena_t         arena;
    parley_moqt_fault_t    fault;
    parley_moqt_effect_t   effect;
    parley_moqt_message_t  m;

    if (c->list != NULL) {

        /* the ID of a request that is reset unread would be lost */

        if (c->held[SIM_HELD_LIST].n == 0) {
            sim_list_end(c);
        }

        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_buf_init(&b, &arena, 0);
    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_SUBSCRIBE_NAMESPACE;
    m.options = 1;
    sim_space(&m, "bob");
    m.space.count = 1;
    m.space.octets = 3;

    if (!c->ready || c->closed
        || parley_moqt_session_send(&c->client, &b, &m, &effect, &fault) != 0)
    {
        parley_arena_reset(&arena);
        return;
    }

    memset(&c->listed, 0, sizeof(c->listed));

    c->listed.conn = c;
    c->listed.open = 1;
    c->listed.room = sim_chance(40) ? sim_below(30) : SIZE_MAX;
    c->listed.stopped = sim_chance(10) & 1;
    c->list_id = m.request;
    c->list_ok = 0;
    c->list_names = 0;

    parley_moqt_control_init(&c->list_control, sim_draft, &parley_mem_libc,
                             PARLEY_MOQT_SERVER, PARLEY_MOQT_ON_RESPONSE);

    c->list = parley_link_stream(c->link, PARLEY_LINK_REQUEST, &c->listed);

    if (c->list == NULL) {
        c->faulty = 1;      /* the request is lost */

    } else {
        sim_hold(c, SIM_HELD_LIST, b.data, b.len);
    }

    parley_arena_reset(&arena);
    sim_after(c);
}


void
sim_list_end(sim_conn_t *c)
{
    parley_moqt_request_t  *request;

    parley_link_stream_free(c->list);
    sim_held_free(&c->held[SIM_HELD_LIST]);

    c->list = NULL;
    c->listed.choked = 0;
    free(c->listed.octets);
    c->listed.octets = NULL;
    c->listed.len = 0;
    c->listed.size = 0;
    parley_moqt_control_free(&c->list_control);

    request = parley_moqt_session_request(&c->client, c->list_id);

    if (request != NULL) {
        parley_moqt_session_done(&c->client, request);
    }
}
