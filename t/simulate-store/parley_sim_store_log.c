/*
 * Records of logs, sessions of their rosters, and a reader of each log at each
 * node.  A reader sees the records in the order of their places, each once.  It
 * misses a record only if it is told of a gap, and a gap follows only the end
 * of an engine or of its data.
 */

#define _GNU_SOURCE

#include "t/simulate-store/parley_sim_store.h"


/* us in which a worker adds sessions again when the engine has room: a third of
   a lease */
#define SIM_FULL  (3 * SIM_SECOND)


static const char *const  sim_log_names[] = { "one", "two", "three" };


static void
sim_log_key(unsigned log, uint8_t out[PARLEY_KEY_LEN])
{
    sim_key(PARLEY_KIND_LOG, parley_str_c(sim_log_names[log]), out);
}


/* Returns a worker of a node that runs, whose zone can be read; or NULL. */

static sim_worker_t *
sim_log_worker(sim_node_t *n)
{
    unsigned  i;

    for (i = 0; i < SIM_WORKERS; i++) {
        if (n->workers[i].life != 0) {
            return &n->workers[i];
        }
    }

    return NULL;
}


void
sim_log_record(sim_verb_t *v)
{
    sim_record_t  *r;
    sim_store_t   *s = &sim_store;

    if (s->nrecords == SIM_RECORDS) {
        return;
    }

    r = &s->records[s->nrecords++];
    memset(r, 0, sizeof(sim_record_t));
    snprintf(r->text, sizeof(r->text), "<record %u>", s->nrecords - 1);
    r->logs = 1 + parley_test_below(&s->draw, (1u << SIM_LOGS) - 1);
    v->record = r;
}


/* Fills an append of a record, or one that counts subscribers. */

static void
sim_log_fill(parley_append_t *a, unsigned logs, parley_str_t *text,
    uint8_t (*keys)[PARLEY_KEY_LEN], parley_arena_t *arena)
{
    unsigned  i;

    static const uint8_t  account[PARLEY_KEY_LEN] = "aaaaaaaaaaaaaaa";

    memset(a, 0, sizeof(parley_append_t));

    for (i = 0; i < SIM_LOGS; i++) {
        if (logs >> i & 1) {
            sim_log_key(i, keys[a->nlogs++]);
        }
    }

    a->logs = (const uint8_t (*)[PARLEY_KEY_LEN]) keys;
    a->parts = text;
    a->nparts = 1;
    a->account = account;
    a->retention.records = 1000;
    a->retention.octets = 1000000;
    a->retention.ms = SIM_TTL;
    a->ttl = SIM_TTL;
    a->arena = arena;
}


int
sim_log_append(sim_verb_t *v)
{
    uint8_t               keys[SIM_LOGS][PARLEY_KEY_LEN];
    parley_str_t          text = parley_str_c(v->record->text);
    parley_state_t       *state = parley_store_state(v->worker->store);
    parley_append_t       a;
    parley_settlement_t   how;

    sim_log_fill(&a, v->record->logs, &text, keys, &v->arena);

    if (v->id != NULL) {
        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = v->stamp;
        how.taken = 1;
        a.takes = &v->a;
        a.how = &how;
    }

    v->stage = SIM_VERB_APPEND;

    return sim_verb_waits(v, state->ops->log->append(state, &a, &v->appended,
                                                     &v->call));
}


void
sim_log_appended(sim_verb_t *v)
{
    unsigned       i, k;
    sim_record_t  *r = v->record;

    sim_tell("  %u.%u %s%s: append %u", v->worker->node->number,
             v->worker->number, r->text, v->id != NULL ? v->id->name : "",
             v->appended.verdict);

    if (v->appended.verdict != PARLEY_APPEND_OK) {

        /* the store may have it all the same, and the id then too */

        if (v->id != NULL && v->appended.verdict == PARLEY_APPEND_AWAY) {
            v->id->local = 1;
        }

        if (v->appended.verdict == PARLEY_APPEND_STALE && !v->lost
            && !v->id->local && !v->id->alone)
        {
            sim_fail("CLU-04 an admission holds until it is appended: that of "
                     "%s does not", v->id->name);
        }

        return;
    }

    if (r->executed == 0) {
        sim_fail("CLU-04 an accepted record is in the store: %s is not",
                 r->text);
    }

    for (i = 0, k = 0; i < SIM_LOGS; i++) {
        if ((r->logs >> i & 1) == 0) {
            continue;
        }

        if (v->appended.places[k].place.epoch != r->places[i].epoch
            || v->appended.places[k].place.offset != r->places[i].offset)
        {
            sim_fail("CLU-04 the caller is told the places of its record: %s "
                     "has others", r->text);
        }

        k++;
    }

    r->accepted = sim_store.now;

    if (v->id != NULL) {
        sim_model_accepted(v);
    }
}


static int
sim_log_same(const parley_place_t *a, const parley_place_t *b)
{
    return a->epoch == b->epoch && a->offset == b->offset;
}


static uint64_t
sim_log_number(const uint8_t *p)
{
    unsigned  i;
    uint64_t  n;

    for (i = 0, n = 0; i < 8; i++) {
        n |= (uint64_t) p[i] << (8 * i);
    }

    return n;
}


void
sim_log_placed(parley_str_t generation, parley_str_t keys, parley_str_t reply)
{
    size_t          i;
    uint8_t         key[PARLEY_KEY_LEN];
    uint64_t        epoch;
    unsigned        log;
    sim_epoch_t    *e;
    const uint8_t  *p;

    p = reply.data + reply.len - 2 - keys.len;

    for (i = 0; i < keys.len; i += PARLEY_KEY_LEN) {

        for (log = 0; log < SIM_LOGS; log++) {
            sim_log_key(log, key);

            if (memcmp(key, keys.data + i, PARLEY_KEY_LEN) != 0) {
                continue;
            }

            epoch = sim_log_number(p + i);

            for (e = sim_store.epochs[log]; e->epoch != 0 && e->epoch != epoch;
                 e++)
            {
                /* void */
            }

            if (e->epoch == 0) {
                e->epoch = epoch;
                e->generation = sim_number(generation);
                e->ends = sim_store.ends;
            }
        }
    }
}


/* Returns an epoch that was told. */

static const sim_epoch_t *
sim_log_epoch(unsigned log, uint64_t epoch)
{
    unsigned  i;

    for (i = 0; i < SIM_EPOCHS; i++) {
        if (sim_store.epochs[log][i].epoch == epoch) {
            return &sim_store.epochs[log][i];
        }
    }

    sim_fail("CLU-10 an epoch is one that the engine made: %llx is not",
             (unsigned long long) epoch);
}


/* The engine has appended a record. */

void
sim_log_executed(parley_str_t content, parley_str_t reply)
{
    unsigned        i, k, log;
    const char     *p, *end;
    sim_record_t   *r, *other;
    sim_store_t    *s = &sim_store;

    for (i = 0, r = NULL; i < s->nrecords && r == NULL; i++) {
        if (memmem(content.data, content.len, s->records[i].text,
                   strlen(s->records[i].text))
            != NULL)
        {
            r = &s->records[i];
        }
    }

    if (r == NULL) {
        return;
    }

    if (r->executed != 0) {
        sim_fail("CLU-11 a record is appended once: %s twice", r->text);
    }

    r->executed = s->engine.us;

    /* the second element of the reply is the places */

    end = (const char *) reply.data + reply.len - 2;
    p = end;

    for (log = 0; log < SIM_LOGS; log++) {
        p -= (r->logs >> log & 1) ? 16 : 0;
    }

    for (log = 0; log < SIM_LOGS; log++) {

        if ((r->logs >> log & 1) == 0) {
            continue;
        }

        r->places[log].epoch = sim_log_number((const uint8_t *) p);
        r->places[log].offset = sim_log_number((const uint8_t *) p + 8);
        p += 16;

        for (k = 0; k < s->nrecords; k++) {
            other = &s->records[k];

            if (other != r && other->executed != 0 && (other->logs >> log & 1)
                && sim_log_same(&other->places[log], &r->places[log]))
            {
                sim_fail("CLU-10 epoch and offset mean one record: %s and %s "
                         "have the same", other->text, r->text);
            }
        }
    }

    sim_tell("    %s is at %llx:%llu", r->text,
             (unsigned long long) r->places[0].epoch,
             (unsigned long long) r->places[0].offset);
}


void
sim_log_lost(int64_t us)
{
    unsigned  i;

    for (i = 0; i < sim_store.nrecords; i++) {
        if (sim_store.records[i].executed >= us) {
            sim_store.records[i].lost = 1;
        }
    }
}


static void
sim_log_join(void)
{
    uint8_t          key[PARLEY_KEY_LEN];
    sim_verb_t      *v;
    sim_store_t     *s = &sim_store;
    parley_join_t    j;
    sim_worker_t    *w;
    parley_state_t  *state;
    sim_session_t   *session;

    w = sim_worker_any();
    v = w != NULL && s->nsessions < SIM_SESSIONS ? sim_verb(w) : NULL;

    if (v == NULL) {
        return;
    }

    session = &s->sessions[s->nsessions++];
    memset(session, 0, sizeof(sim_session_t));
    snprintf(session->name, sizeof(session->name), "session%u", s->nsessions);
    session->log = parley_test_below(&s->draw, SIM_LOGS);
    v->session = session;

    sim_log_key(session->log, key);
    memset(&j, 0, sizeof(parley_join_t));
    j.log = key;
    j.account = v->account;
    j.selector = PARLEY_STR("all");
    j.session = parley_str_c(session->name);
    j.card = PARLEY_STR("card");

    state = parley_store_state(w->store);
    v->stage = SIM_VERB_JOIN;

    if (!sim_verb_waits(v, state->ops->log->join(state, &j, &v->joined,
                                                 &v->call)))
    {
        sim_verb_go(v);
    }
}


void
sim_log_joined(sim_verb_t *v)
{
    sim_tell("  %u.%u %s joins %s: %u", v->worker->node->number,
             v->worker->number, v->session->name,
             sim_log_names[v->session->log], v->joined.verdict);

    if (v->joined.verdict == PARLEY_JOIN_OK) {
        v->session->worker = v->worker;
        v->session->life = v->worker->life;
        v->session->stamp = v->joined.stamp;
    }
}


static void
sim_log_leave(void)
{
    unsigned         i, at;
    uint8_t          key[PARLEY_KEY_LEN];
    sim_store_t     *s = &sim_store;
    parley_leave_t   l;
    parley_state_t  *state;
    sim_session_t   *session;

    at = parley_test_below(&s->draw, SIM_SESSIONS);

    for (i = 0; i < s->nsessions; i++) {
        session = &s->sessions[(at + i) % s->nsessions];

        if (session->worker == NULL || session->worker->stopped > s->now) {
            continue;
        }

        sim_log_key(session->log, key);
        memset(&l, 0, sizeof(parley_leave_t));
        l.log = key;
        l.selector = PARLEY_STR("all");
        l.session = parley_str_c(session->name);
        l.stamp = session->stamp;

        sim_tell("  %u.%u %s leaves", session->worker->node->number,
                 session->worker->number, session->name);

        state = parley_store_state(session->worker->store);
        (void) state->ops->log->leave(state, &l, NULL);
        session->worker = NULL;

        return;
    }
}


void
sim_log_step(unsigned step)
{
    sim_verb_t    *v;
    sim_worker_t  *w;

    if (step == SIM_STEP_JOIN) {
        sim_log_join();
        return;
    }

    if (step == SIM_STEP_LEAVE) {
        sim_log_leave();
        return;
    }

    w = sim_worker_any();
    v = w != NULL && sim_store.nrecords < SIM_RECORDS ? sim_verb(w) : NULL;

    if (v != NULL) {
        sim_log_record(v);

        if (!sim_log_append(v)) {
            sim_verb_go(v);
        }
    }
}


void
sim_log_killed(const sim_worker_t *w)
{
    unsigned        i;
    sim_session_t  *session;

    /* it may have begun to add sessions again, or waits for room */

    if (sim_store.now - sim_store.asked < SIM_SECOND / 2
        || sim_store.engine.full
        || (sim_store.full != 0
            && sim_store.now - sim_store.full < SIM_FULL))
    {
        sim_store.ghosts = (1u << SIM_LOGS) - 1;
    }

    for (i = 0; i < sim_store.nsessions; i++) {
        session = &sim_store.sessions[i];

        if (session->worker == w) {
            session->worker = NULL;
        }
    }
}


/* Reads a page of the zone of a worker. */

static void
sim_log_page(sim_worker_t *w, unsigned log, parley_place_t from,
    parley_arena_t *arena, parley_log_page_t *page)
{
    uint8_t             key[PARLEY_KEY_LEN];
    parley_log_read_t   r;

    sim_log_key(log, key);
    memset(&r, 0, sizeof(parley_log_read_t));
    r.log = key;
    r.from = from;
    r.records = 16;
    r.octets = 100000;
    r.backward = from.epoch == 0;
    r.arena = arena;

    (void) w->zone.state.ops->log->read(&w->zone.state, &r, page, NULL);
}


/* Returns the record that a reader got; checks that it is the one of its place
   and that it comes for the first time. */

static void
sim_log_got(sim_node_t *n, unsigned log, sim_reader_t *reader, uint64_t epoch,
    const parley_log_record_t *got)
{
    char           text[32];
    unsigned       i;
    sim_record_t  *r;

    snprintf(text, sizeof(text), "%.*s", (int) got->octets.len,
             got->octets.data);

    if (sscanf(text, "<record %u>", &i) != 1 || i >= sim_store.nrecords) {
        sim_fail("CLU-04 a record comes as it was appended: \"%s\"", text);
    }

    r = &sim_store.records[i];

    if (r->places[log].epoch != epoch
        || r->places[log].offset != got->offset)
    {
        sim_fail("CLU-10 epoch and offset mean one record: %s has another "
                 "place at node %u", r->text, n->number);
    }

    if (reader->seen[i]) {
        sim_fail("CLU-04 a record comes once: %s comes twice at node %u",
                 r->text, n->number);
    }

    reader->seen[i] = 1;
}


static void
sim_log_read_one(sim_node_t *n, unsigned log)
{
    int                 i;
    sim_worker_t       *w;
    sim_reader_t       *reader = &sim_store.readers[n->number][log];
    parley_arena_t      arena;
    parley_log_page_t   page;
    const sim_epoch_t  *had, *has;

    w = n->memory != NULL ? sim_log_worker(n) : NULL;

    if (w == NULL) {
        return;
    }

    if (reader->lives != n->lives) {
        memset(reader, 0, sizeof(sim_reader_t));
        reader->lives = n->lives;
        reader->since = sim_store.now;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (reader->place.epoch == 0) {
        sim_log_page(w, log, reader->place, &arena, &page);

        if (page.epoch == 0) {
            return;
        }

        /* a subscriber would know the epoch from its join */

        if (sim_store.ends != 0) {
            reader->since = sim_store.now;
        }

        reader->place.epoch = page.epoch;
        reader->place.offset = page.first - 1;
        parley_arena_reset(&arena);
    }

    do {
        sim_log_page(w, log, reader->place, &arena, &page);

        if (page.epoch == 0) {
            page.n = 0;
            break;
        }

        if (page.lost) {
            sim_tell("  node %u has a gap in %s", n->number,
                     sim_log_names[log]);

            had = sim_log_epoch(log, reader->place.epoch);
            has = sim_log_epoch(log, page.epoch);

            if (had->generation >= has->generation && had->ends >= has->ends) {
                sim_fail("CLU-10 a gap is where records were lost: node %u has "
                         "one in log %s", n->number, sim_log_names[log]);
            }

            reader->since = sim_store.now;
        }

        for (i = 0; i < page.n; i++) {
            sim_log_got(n, log, reader, page.epoch, &page.list[i]);
        }

        reader->place.epoch = page.epoch;
        reader->place.offset = page.at;
        parley_arena_reset(&arena);

    } while (page.n != 0);

    parley_arena_reset(&arena);
}


void
sim_log_read(void)
{
    unsigned  i, k;

    for (i = 0; i < sim_store.nnodes; i++) {
        for (k = 0; k < SIM_LOGS; k++) {
            sim_log_read_one(&sim_store.nodes[i], k);
        }
    }
}


/* Returns the subscribers of a log, as the zone of a worker counts them. */

static unsigned
sim_log_count(sim_worker_t *w, unsigned log)
{
    size_t              i;
    uint8_t             keys[SIM_LOGS][PARLEY_KEY_LEN];
    unsigned            n;
    parley_str_t        text = parley_str_none;
    parley_arena_t      arena;
    parley_append_t     a;
    parley_appended_t   got;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&got, 0, sizeof(parley_appended_t));
    sim_log_fill(&a, 1u << log, &text, keys, &arena);
    a.asks = 1;

    (void) w->zone.state.ops->import->may_append(&w->zone.state, &a, &got);

    for (i = 0, n = 0; i < got.ngroups; i++) {
        n += got.groups[i].count;
    }

    parley_arena_reset(&arena);

    return n;
}


static void
sim_log_check_sessions(void)
{
    unsigned      i, k, n, log;
    sim_store_t  *s = &sim_store;

    for (log = 0; log < SIM_LOGS; log++) {

        for (i = 0, n = 0; i < s->nsessions; i++) {
            n += s->sessions[i].worker != NULL && s->sessions[i].log == log;
        }

        for (i = 0; i < s->nnodes; i++) {
            k = sim_log_count(&s->nodes[i].workers[0], log);

            if (k != n && (sim_store.ghosts >> log & 1) == 0) {
                sim_fail("CLU-04 counts cover all nodes: node %u counts %u "
                         "sessions of log %s, not %u", i, k,
                         sim_log_names[log], n);
            }
        }
    }
}


/* A last record of all logs shows a new epoch to all readers. */

void
sim_log_check(void)
{
    unsigned       i, k, log;
    sim_verb_t    *v;
    sim_store_t   *s = &sim_store;
    sim_record_t  *r;
    sim_reader_t  *reader;

    sim_log_check_sessions();

    if (s->nrecords == 0) {
        return;
    }

    if (s->nrecords == SIM_RECORDS) {
        s->nrecords--;
    }

    s->draw.state = 7;
    v = sim_verb(&s->nodes[0].workers[0]);
    sim_log_record(v);
    r = v->record;
    r->logs = (1u << SIM_LOGS) - 1;

    if (!sim_log_append(v)) {
        sim_verb_go(v);
    }

    sim_store_pass(2 * SIM_SECOND);

    if (r->accepted == 0) {
        sim_fail("CLU-09 a store is used again after a fault: a record is not "
                 "accepted");
    }

    sim_log_read();

    for (i = 0; i < s->nrecords; i++) {
        r = &s->records[i];

        for (k = 0; k < s->nnodes * SIM_LOGS; k++) {
            log = k % SIM_LOGS;
            reader = &s->readers[k / SIM_LOGS][log];

            if (r->accepted != 0 && !r->lost && (r->logs >> log & 1)
                && r->accepted > reader->since && !reader->seen[i])
            {
                sim_fail("CLU-04 an accepted record comes to each node: %s "
                         "does not come to node %u", r->text, k / SIM_LOGS);
            }
        }
    }
}
