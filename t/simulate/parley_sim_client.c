/* Clients and their connections: checks the events that they receive. */

#include <stdarg.h>

#include "hub/parley_event_id.h"
#include "t/simulate/parley_sim.h"


static void sim_conn_scan(sim_conn_t *c);
static void sim_conn_had(const sim_conn_t *c, parley_str_t octets);
static void sim_client_events(sim_client_t *c, sim_conn_t *conn);
static void sim_client_event(sim_client_t *c, parley_str_t text);
static parley_str_t sim_client_field(parley_str_t text, const char *name);


static int64_t
sim_write(void *ctx, parley_subscriber_t *s, parley_str_t octets)
{
    size_t       n;
    sim_conn_t  *c;

    (void) ctx;

    c = (sim_conn_t *) s;

    if (!c->used || c->over || c->process != ctx) {
        sim_fail("a connection that is over is written to");
    }

    if (c->client == NULL) {

        if (parley_test_chance(&world.random, 20)) {
            return -1;
        }

        /* the socket takes all octets, including the rest of an event */

        c->len -= c->scanned;
        memmove(c->octets, c->octets + c->scanned, c->len);
        c->scanned = 0;

        if (octets.len > sizeof(c->octets) - c->len) {
            sim_fail("more is written at once than a window has");
        }

        memcpy(c->octets + c->len, octets.data, octets.len);
        c->len += octets.len;
        sim_conn_scan(c);

        return (int64_t) octets.len;
    }

    if (!c->opened) {
        c->opened = 1;
        c->client->begun = s->begins ? s->late : 0;
    }

    n = c->window - c->len;
    n = octets.len < n ? octets.len : n;

    memcpy(c->octets + c->len, octets.data, n);
    c->len += n;
    sim_conn_scan(c);
    world.written += n;
    world.widest = world.widest > n ? world.widest : n;

    return (int64_t) n;
}


/* Examines the complete events after those that were examined before. */

static void
sim_conn_scan(sim_conn_t *c)
{
    size_t  i;

    for (i = c->scanned + 1; i < c->len; i++) {

        if (c->octets[i] == '\n' && c->octets[i - 1] == '\n') {
            sim_conn_had(c, parley_str_make(c->octets + c->scanned,
                                            i + 1 - c->scanned));
            c->scanned = i + 1;
            i++;
        }
    }
}


/* Records that an owner's connection has the records of some octets. */

static void
sim_conn_had(const sim_conn_t *c, parley_str_t octets)
{
    parley_str_t    line;
    parley_place_t  place;

    while (c->s.owns && octets.len > 0) {

        line = parley_str_until(octets, '\n');
        octets = parley_str_from(octets, line.len + 1);

        if (line.len > 4 && memcmp(line.data, "id: ", 4) == 0
            && parley_event_id_read(parley_str_from(line, 4), &place) == 0)
        {
            sim_had(c->log, &place);
        }
    }
}


static void
sim_ended(void *ctx, parley_subscriber_t *s, parley_end_t why)
{
    sim_conn_t  *c;

    (void) ctx;

    c = (sim_conn_t *) s;

    if (why == PARLEY_END_MEMORY) {
        sim_fail("a subscription ended without memory");
    }

    if (why == PARLEY_END_SLOW && c->client != NULL && !c->slow)
    {
        sim_fail("who is not slow was cut");
    }

    sim_conn_gone(c);
}


static int
sim_encode(void *ctx, const parley_publication_t *p, parley_proto_t to,
    parley_arena_t *arena, parley_str_t *ret)
{
    uint8_t  *out;

    (void) ctx;

    if (to != PARLEY_PROTO_AEE) {
        *ret = p->message;
        return 0;
    }

    /* another protocol */

    out = parley_arena_octets(arena, p->message.len + 2);

    if (out == NULL) {
        return -1;
    }

    memcpy(out, "A ", 2);
    memcpy(out + 2, p->message.data, p->message.len);
    *ret = parley_str_make(out, p->message.len + 2);

    return 0;
}


static void
sim_wake(void *ctx)
{
    unsigned        i;
    sim_process_t  *p;

    (void) ctx;

    for (i = 0; i < SIM_PROCESSES; i++) {
        p = &world.processes[i];

        if (!p->woken) {
            p->woken = 1;
            p->since = world.now;
        }
    }
}


static void
sim_turn(void *ctx)
{
    ((sim_process_t *) ctx)->turn = 1;
}


static uint32_t
sim_random(void *ctx)
{
    (void) ctx;

    return (uint32_t) parley_test_random(&world.random);
}


static uint32_t
sim_seconds(void *ctx)
{
    (void) ctx;

    return (uint32_t) (world.now / 1000);
}


const parley_hub_env_t  sim_hub_env = {
    .mem = { sim_alloc, sim_free, NULL },
    .write = sim_write,
    .end = sim_ended,
    .encode = sim_encode,
    .wake = sim_wake,
    .turn = sim_turn,
    .now = sim_seconds,
    .random = sim_random,
};


void
sim_conn_gone(sim_conn_t *c)
{
    c->over = 1;

    if (c->client != NULL) {

        /*
         * the client has read the octets that came, or loses them with the
         * connection
         */

        if (parley_test_chance(&world.random, 50)) {
            sim_client_events(c->client, c);
        }

        c->client->conn = NULL;
    }

    c->process = NULL;
    c->client = NULL;
    c->used = 0;
}


/* Leaves a connection; its process notices later. */

void
sim_client_give_up(sim_client_t *c)
{
    c->conn->client = NULL;
    c->conn = NULL;
}


/* Returns whether a connection of the client was given up unnoticed. */

static int
sim_is_there(const sim_client_t *c)
{
    unsigned  i;

    for (i = 0; i < SIM_CONNS; i++) {
        if (world.conns[i].used && world.conns[i].client == NULL
            && world.conns[i].s.session.data == (const uint8_t *) c->session)
        {
            return 1;
        }
    }

    return 0;
}


void
sim_client_connect(sim_client_t *c, sim_process_t *p)
{
    unsigned                i;
    sim_conn_t             *conn;
    parley_subscription_t   s;

    for (i = 0; i < SIM_CONNS && world.conns[i].used; i++) {
        /* void */
    }

    if (i == SIM_CONNS) {
        return;
    }

    conn = &world.conns[i];

    conn->used = 1;
    conn->over = 0;
    conn->slow = 0;
    conn->log = c->log;
    conn->opened = 0;
    conn->scanned = 0;
    conn->process = p;
    conn->client = c;
    conn->window = SIM_WINDOW_MAX;
    conn->len = 0;
    conn->began = world.now;
    conn->since = c->place.epoch == 0 ? world.now : INT64_MAX;
    conn->twice = world.later && sim_is_there(c);
    c->conn = conn;

    memset(&s, 0, sizeof(s));

    s.log = world.keys[c->log];
    s.stream = &world.streams[c->stream];
    s.selector = c->selector;
    s.session = parley_str_c(c->session);
    s.card = PARLEY_STR("card");
    s.from = c->place;
    s.owns = c->owns;

    if (parley_test_chance(&world.random, 10)) {
        s.lasts = 1 + parley_test_below(&world.random, 100);
    }

    if (parley_hub_subscribe(p->hub, &conn->s, &s) != 0) {
        sim_fail("a subscription did not begin");
    }
}


void
sim_client_read(sim_conn_t *conn)
{
    size_t          len;
    sim_process_t  *p;

    len = conn->len;
    p = conn->process;

    if (conn->client != NULL) {
        sim_client_events(conn->client, conn);
    }

    if (conn->len < len && p->alive) {
        parley_hub_writable(p->hub, &conn->s);
    }
}


/* Reads complete events; the rest stays. */

static void
sim_client_events(sim_client_t *c, sim_conn_t *conn)
{
    size_t  i, begin;

    begin = 0;

    for (i = 1; i < conn->len; i++) {

        if (conn->octets[i] == '\n' && conn->octets[i - 1] == '\n') {
            sim_client_event(c, parley_str_make(conn->octets + begin,
                                                i + 1 - begin));
            begin = i + 1;
            i++;
        }
    }

    memmove(conn->octets, conn->octets + begin, conn->len - begin);
    conn->len -= begin;
    conn->scanned -= begin < conn->scanned ? begin : conn->scanned;
}


/* Returns the value of a field, or NULL data if the line is missing. */

static parley_str_t
sim_client_field(parley_str_t text, const char *name)
{
    size_t        n;
    parley_str_t  line;

    n = strlen(name);

    while (text.len > 0) {
        line = parley_str_until(text, '\n');
        text = parley_str_from(text, line.len + 1);

        if (line.len > n && memcmp(line.data, name, n) == 0) {
            return parley_str_from(line, n);
        }
    }

    return parley_str_none;
}


static void
sim_client_event(sim_client_t *c, parley_str_t text)
{
    parley_str_t    id, name, data;
    parley_place_t  place;

    if (text.data[0] == ':') {
        return;
    }

    id = sim_client_field(text, "id: ");
    name = sim_client_field(text, "event: ");
    data = sim_client_field(text, "data: ");

    if (id.data == NULL) {

        if (c->place.epoch == 0 || data.data != NULL) {
            sim_fail("an event without an id");
        }

        return;
    }

    if (parley_event_id_read(id, &place) != 0) {
        sim_fail("an id that is none: %.*s", (int) id.len,
                 (const char *) id.data);
    }

    if (parley_str_is(name, "ready")) {
        sim_client_opened(c, &place);

    } else if (parley_str_is(name, "gap")) {
        sim_client_gap(c, &place);

    } else {
        sim_client_got(c, &place, data);
        sim_run.received++;
    }

    c->place = place;
}
