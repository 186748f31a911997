/* state/store: nodes that share a real engine */

#include <signal.h>
#include <unistd.h>

#include "t/unit/parley_test_store.h"


#define TTL   ((int64_t) 600000)
#define WAIT  15000


static parley_test_engine_t  engine;
static parley_test_node_t    a, b;
static parley_test_node_t   *both[] = { &a, &b };
static parley_test_wait_t    waits[64];
static unsigned              nwaits;
static uint8_t               keys[64][PARLEY_KEY_LEN];
static unsigned              nkeys;


static void
done(parley_call_t *call)
{
    ((parley_test_wait_t *) call)->done = 1;
}


static parley_call_t *
wait_for(void)
{
    parley_test_wait_t  *w = &waits[nwaits++ % 64];

    memset(w, 0, sizeof(parley_test_wait_t));
    w->call.done = done;

    return &w->call;
}


/* Lets both nodes work until the verb is done. */

static void
until(parley_state_done_t how, parley_call_t *call)
{
    if (how == PARLEY_STATE_LATER) {
        parley_test_nodes(both, 2, &((parley_test_wait_t *) call)->done, WAIT);
        assert_true(((parley_test_wait_t *) call)->done);
    }
}


static int
begin(void **state)
{
    (void) state;

    parley_test_engine_begin(&engine, NULL);
    parley_test_node_begin(&a, &engine, 'A');
    parley_test_node_begin(&b, &engine, 'B');
    parley_test_nodes_up(both, 2);

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_node_end(&a);
    parley_test_node_end(&b);
    parley_test_engine_end(&engine);

    return 0;
}


static const uint8_t *
key(parley_kind_t kind, const char *name)
{
    uint8_t       *out = keys[nkeys++ % 64];
    parley_str_t   part = parley_str_c(name);

    parley_state_key(&a.zone.s.state, kind, &part, 1, out);

    return out;
}


static parley_admission_t
message(const char *id, const char *print)
{
    parley_admission_t  m;

    memset(&m, 0, sizeof(m));

    m.account = key(PARLEY_KIND_ACCOUNT, "ada");
    m.id = key(PARLEY_KIND_ID, id);
    m.print = (const uint8_t *) print;
    m.ttl = TTL;
    m.slot_ttl = TTL;

    return m;
}


static parley_admitted_t
admit(parley_test_node_t *n, const parley_admission_t *m)
{
    parley_call_t       *call = wait_for();
    parley_state_t      *s = parley_store_state(n->store);
    parley_admitted_t    got;

    until(s->ops->admit(s, m, &got, call), call);

    return got;
}


static int
settle(parley_test_node_t *n, const parley_admission_t *m,
    parley_settlement_t how)
{
    int              rc;
    parley_call_t   *call = wait_for();
    parley_state_t  *s = parley_store_state(n->store);

    until(s->ops->settle(s, m, &how, &rc, call), call);

    return rc;
}


static void
take(parley_test_node_t *n, const parley_admission_t *m, uint64_t stamp)
{
    assert_int_equal(settle(n, m, (parley_settlement_t) { .stamp = stamp,
                                                          .taken = 1 }), 0);
}


static void
give_back(parley_test_node_t *n, const parley_admission_t *m, uint64_t stamp)
{
    assert_int_equal(settle(n, m, (parley_settlement_t) { .stamp = stamp }), 0);
}


static parley_put_result_t
put(parley_test_node_t *n, parley_kind_t kind, const char *name, uint32_t tag,
    const char *value)
{
    parley_put_t          p;
    parley_str_t          part = parley_str_c(value);
    parley_call_t        *call = wait_for();
    parley_state_t       *s = parley_store_state(n->store);
    parley_put_result_t   got;

    memset(&p, 0, sizeof(p));

    p.id.kind = kind;
    p.id.tag = tag;
    memcpy(p.id.key, key(kind, name), PARLEY_KEY_LEN);
    p.queue = PARLEY_EVICTABLE_NONE;
    p.account = key(PARLEY_KIND_ACCOUNT, "ada");
    p.parts = &part;
    p.nparts = 1;
    p.ttl = TTL;

    until(s->ops->put(s, &p, &got, call), call);

    return got;
}


static parley_record_id_t
record(parley_kind_t kind, const char *name, uint32_t tag)
{
    parley_record_id_t  id;

    id.kind = kind;
    id.tag = tag;
    memcpy(id.key, key(kind, name), PARLEY_KEY_LEN);

    return id;
}


/* Gets the records of a key; their values are joined with commas. */

static const char *
get(parley_test_node_t *n, parley_kind_t kind, const char *name,
    parley_records_t *records)
{
    int                    i;
    size_t                 len;
    parley_call_t         *call = wait_for();
    parley_state_t        *s = parley_store_state(n->store);
    parley_arena_t         arena;
    parley_lookup_t        l;
    static char            text[512];

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&l, 0, sizeof(l));

    l.kind = kind;
    l.arena = &arena;
    memcpy(l.key, key(kind, name), PARLEY_KEY_LEN);

    until(s->ops->get(s, &l, records, call), call);

    len = 0;
    text[0] = '\0';

    for (i = 0; i < records->n; i++) {
        len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%.*s",
                                 i ? "," : "",
                                 (int) records->list[i].value.len,
                                 (const char *) records->list[i].value.data);
    }

    parley_arena_reset(&arena);

    return text;
}


/* Lets the nodes work until a node has n records of a key in its zone. */

static void
until_records(parley_test_node_t *n, parley_kind_t kind, const char *name,
    int count)
{
    unsigned          i;
    parley_arena_t    arena;
    parley_lookup_t   l;
    parley_records_t  records;

    memset(&l, 0, sizeof(l));
    l.kind = kind;
    l.arena = &arena;
    memcpy(l.key, key(kind, name), PARLEY_KEY_LEN);

    for (i = 0; i < 1000; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        (void) parley_memory_ops.get(&n->zone.s.state, &l, &records, NULL);
        parley_arena_reset(&arena);

        if (records.n == count) {
            return;
        }

        parley_test_nodes(both, 2, NULL, 15);
    }

    assert_int_equal(records.n, count);
}


static void
test_once(void **state)
{
    parley_admitted_t   one, two;
    parley_admission_t  m = message("one", "printone"),
                        other = message("one", "another!");

    (void) state;

    one = admit(&a, &m);
    assert_int_equal(one.verdict, PARLEY_ADMIT_OK);

    two = admit(&b, &m);
    assert_int_equal(two.verdict, PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(two.wait, 1000);
    assert_int_equal(admit(&b, &other).verdict, PARLEY_ADMIT_OTHER);

    take(&a, &m, one.stamp);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(admit(&b, &other).verdict, PARLEY_ADMIT_OTHER);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    m.stale = 1;
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    m = message("unknown", "printone");
    m.stale = 1;
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_STALE);
}


static void
test_given_back(void **state)
{
    parley_admitted_t   one, two;
    parley_admission_t  m = message("free", "printone");

    (void) state;

    one = admit(&a, &m);
    give_back(&a, &m, one.stamp);

    two = admit(&b, &m);
    assert_int_equal(two.verdict, PARLEY_ADMIT_OK);

    /* a late repetition of the first settlement frees nothing of the second */

    give_back(&a, &m, one.stamp);
    parley_test_nodes(both, 2, NULL, 50);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);

    take(&b, &m, two.stamp);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_DUPLICATE);
}


/* Both nodes at once: one gets the id. */

static void
test_race(void **state)
{
    unsigned             i;
    char                 name[16];
    parley_call_t       *calls[2];
    parley_state_t      *s;
    parley_admitted_t    got[2];
    parley_admission_t   m;

    (void) state;

    for (i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "race-%u", i);
        m = message(name, "printone");

        s = parley_store_state(a.store);
        calls[0] = wait_for();
        assert_int_equal(s->ops->admit(s, &m, &got[0], calls[0]),
                         PARLEY_STATE_LATER);
        s = parley_store_state(b.store);
        calls[1] = wait_for();
        assert_int_equal(s->ops->admit(s, &m, &got[1], calls[1]),
                         PARLEY_STATE_LATER);

        until(PARLEY_STATE_LATER, calls[0]);
        until(PARLEY_STATE_LATER, calls[1]);

        assert_int_equal((got[0].verdict == PARLEY_ADMIT_OK)
                         + (got[1].verdict == PARLEY_ADMIT_OK), 1);
        assert_int_equal((got[0].verdict == PARLEY_ADMIT_IN_FLIGHT)
                         + (got[1].verdict == PARLEY_ADMIT_IN_FLIGHT), 1);
    }
}


/* The lease of a node that has died ends its reservations; not before. */

static void
test_dead(void **state)
{
    parley_admission_t  m = message("dead", "printone");

    (void) state;

    a.conf.lease = 2000;
    b.conf.lease = 2000;
    parley_test_node_cut(&a);
    parley_test_node_cut(&b);
    parley_test_nodes(both, 2, NULL, 20);
    parley_test_nodes_up(both, 2);

    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
    both[0] = &b;

    parley_test_nodes(both, 1, NULL, 1000);
    both[1] = &b;
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);

    parley_test_nodes(both, 1, NULL, 1500);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);

    both[0] = &a;
    both[1] = &b;
}


/* While no node can renew, no lease ends. */

static void
test_stopped_engine(void **state)
{
    parley_admission_t  m = message("stopped", "printone");

    (void) state;

    a.conf.lease = 1000;
    b.conf.lease = 1000;
    parley_test_node_cut(&a);
    parley_test_node_cut(&b);
    parley_test_nodes(both, 2, NULL, 20);
    parley_test_nodes_up(both, 2);

    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);

    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 3000);
    assert_false(parley_store_is_up(a.store));
    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);

    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);
}


/* A connection that is lost at any octet changes no verdict. */

static void
test_cut(void **state)
{
    size_t              at;
    char                name[16];
    parley_admitted_t   got;
    parley_admission_t  m;

    (void) state;

    a.conf.fallback = PARLEY_STORE_REFUSE;

    for (at = 1; at < 140; at += 3) {
        snprintf(name, sizeof(name), "cut-%zu", at);
        m = message(name, "printone");

        a.cut = at;
        got = admit(&a, &m);

        if (got.verdict == PARLEY_ADMIT_OK) {
            take(&a, &m, got.stamp);
            parley_test_nodes(both, 2, NULL, 2);
            parley_test_nodes_up(both, 2);
            parley_test_nodes(both, 2, NULL, 20);
            assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);
            continue;
        }

        assert_int_equal(got.verdict, PARLEY_ADMIT_FULL);
        parley_test_nodes_up(both, 2);
        parley_test_nodes(both, 2, NULL, 20);

        got = admit(&b, &m);
        assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
        give_back(&b, &m, got.stamp);
    }

    a.cut = SIZE_MAX;
}


static void
test_away_refuse(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  m = message("refuse", "printone");

    (void) state;

    a.conf.timeout = 100;
    parley_test_engine_signal(&engine, SIGSTOP);

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_FULL);
    assert_int_equal(got.wait, 1000);

    parley_test_nodes(both, 2, NULL, 1500);
    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_FULL);

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 50);

    got = admit(&b, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
}


/* Ids that the zone took alone reach the store; a fork is counted. */

static void
test_away_local(void **state)
{
    parley_admitted_t    got;
    parley_admission_t   m = message("local", "printone"),
                         fork = message("fork", "printone");
    parley_store_stat_t  stat;

    (void) state;

    a.conf.timeout = b.conf.timeout = 100;
    a.conf.fallback = b.conf.fallback = PARLEY_STORE_LOCAL;
    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 1500);
    assert_false(parley_store_is_up(a.store));

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    take(&a, &m, got.stamp);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    got = admit(&a, &fork);
    take(&a, &fork, got.stamp);
    got = admit(&b, &fork);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    take(&b, &fork, got.stamp);

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 100);

    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    parley_store_stat(a.store, &stat);
    got.stamp = stat.forked;
    parley_store_stat(b.store, &stat);
    assert_int_equal(got.stamp + stat.forked, 1);
}


static void
test_answer(void **state)
{
    parley_admitted_t    one, two;
    parley_records_t     records;
    parley_admission_t   m = message("question", "printone"),
                         yes = message("yes", "printyes"),
                         no = message("no", "printno!");
    parley_record_id_t   id = record(PARLEY_KIND_QUESTION, "q", 7);
    parley_settlement_t  how = { .taken = 1, .closes = { &id } };

    (void) state;

    one = admit(&a, &m);
    assert_int_equal(put(&a, PARLEY_KIND_QUESTION, "q", 7, "asked"),
                     PARLEY_PUT_OK);
    take(&a, &m, one.stamp);

    parley_test_nodes(both, 2, NULL, 20);
    assert_string_equal(get(&b, PARLEY_KIND_QUESTION, "q", &records), "asked");
    assert_int_equal(records.list[0].tag, 7);
    assert_true(records.list[0].left > TTL - 60000
                && records.list[0].left <= TTL + 1000);

    yes.slot = no.slot = key(PARLEY_KIND_SLOT, "slot");

    one = admit(&a, &yes);
    assert_int_equal(one.verdict, PARLEY_ADMIT_OK);
    assert_int_equal(admit(&b, &no).verdict, PARLEY_ADMIT_ANSWERING);

    how.stamp = one.stamp;
    assert_int_equal(settle(&a, &yes, how), 0);
    two = admit(&b, &no);
    assert_int_equal(two.verdict, PARLEY_ADMIT_ANSWERED);

    assert_int_equal(admit(&b, &yes).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_string_equal(get(&b, PARLEY_KIND_QUESTION, "q", &records), "");
    assert_int_equal(records.n, 1);
    assert_int_equal(records.list[0].closed, 1);
}


/* Two messages close one question at two nodes: the second is late. */

static void
test_late(void **state)
{
    parley_admitted_t    one, two;
    parley_admission_t   m = message("m", "printone"), n = message("n", "p2345678");
    parley_record_id_t   id = record(PARLEY_KIND_QUESTION, "late", 7);
    parley_settlement_t  how = { .taken = 1, .closes = { &id } };

    (void) state;

    assert_int_equal(put(&a, PARLEY_KIND_QUESTION, "late", 7, "asked"),
                     PARLEY_PUT_OK);
    parley_test_nodes(both, 2, NULL, 20);

    one = admit(&a, &m);
    two = admit(&b, &n);

    how.stamp = two.stamp;
    assert_int_equal(settle(&b, &n, how), 0);
    how.stamp = one.stamp;
    assert_int_equal(settle(&a, &m, how), PARLEY_SETTLED_LATE);
}


static void
test_records(void **state)
{
    unsigned          i;
    parley_records_t  records;

    (void) state;

    put(&a, PARLEY_KIND_MESSAGE, "k", 0x10001, "one");
    parley_test_nodes(both, 2, NULL, 20);
    put(&b, PARLEY_KIND_MESSAGE, "k", 0x20001, "two");
    parley_test_nodes(both, 2, NULL, 20);

    parley_test_node_t  *old = both[0];

    assert_int_equal(put(&a, PARLEY_KIND_MESSAGE, "k2", 1, "x"), PARLEY_PUT_OK);
    assert_ptr_equal(old, both[0]);

    /* a third node would find both: the zones of a and b have their own */

    assert_string_equal(get(&a, PARLEY_KIND_MESSAGE, "k", &records), "one");
    assert_non_null(strstr(parley_test_engine_do(&engine, "--scan"), "}r"));

    for (i = 1; i <= PARLEY_RECORDS_OWNED; i++) {
        assert_int_equal(put(&a, PARLEY_KIND_MESSAGE, "full", i, "x"),
                         PARLEY_PUT_OK);
    }

    assert_int_equal(put(&a, PARLEY_KIND_MESSAGE, "full", 99, "x"),
                     PARLEY_PUT_SHARE);
    parley_test_nodes(both, 2, NULL, 30);
    get(&b, PARLEY_KIND_MESSAGE, "full", &records);
    assert_int_equal(records.n, PARLEY_RECORDS_OWNED);
}


static void
test_suspension(void **state)
{
    parley_call_t       *call;
    parley_state_t      *s;
    parley_admission_t   m = message("suspended", "printone");
    parley_record_id_t   id = record(PARLEY_KIND_SUSPENSION, "ada", 3);

    (void) state;

    m.suspends = 1;
    m.account = key(PARLEY_KIND_SUSPENSION, "ada");

    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "ada", 3, "alarm"),
                     PARLEY_PUT_OK);
    until_records(&b, PARLEY_KIND_SUSPENSION, "ada", 1);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_SUSPENDED);

    /* while the store is away, the suspension holds and another is refused */

    b.conf.fallback = PARLEY_STORE_LOCAL;
    a.conf.timeout = b.conf.timeout = 100;
    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 1500);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_SUSPENDED);
    assert_int_equal(put(&b, PARLEY_KIND_SUSPENSION, "bo", 3, "alarm"),
                     PARLEY_PUT_FULL);
    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);

    s = parley_store_state(b.store);
    call = wait_for();
    until(s->ops->drop(s, &id, 0, call), call);
    until_records(&a, PARLEY_KIND_SUSPENSION, "ada", 0);

    m.id = key(PARLEY_KIND_ID, "resumed");
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
}


/* An engine that has lost all is another generation, and gets suspensions. */

static void
test_emptied(void **state)
{
    parley_store_stat_t  before, after;

    (void) state;

    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "ada", 3, "alarm"),
                     PARLEY_PUT_OK);
    until_records(&b, PARLEY_KIND_SUSPENSION, "ada", 1);
    parley_store_stat(a.store, &before);

    parley_test_engine_end(&engine);
    parley_test_nodes(both, 2, NULL, 50);
    assert_false(parley_store_is_up(a.store));
    parley_test_engine_begin(&engine, NULL);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 50);

    parley_store_stat(a.store, &after);
    assert_true(after.generation > before.generation);
    assert_int_equal(after.lost[PARLEY_STORE_LOST_GENERATION], 1);
    assert_true(a.logged[PARLEY_STORE_WARN] > 0);
    assert_string_equal(parley_test_engine_do(&engine, "hlen '{parley}y'"),
                        "1");
}


static void
test_rates(void **state)
{
    unsigned         i, passed;
    int64_t          began, most;
    parley_rated_t   got;
    parley_rating_t  r;

    (void) state;

    memset(&r, 0, sizeof(r));
    memcpy(r.key, key(PARLEY_KIND_RATE, "ada"), PARLEY_KEY_LEN);
    r.account = key(PARLEY_KIND_ACCOUNT, "ada");
    r.rate.interval_us = 20000;
    r.rate.burst = 4;

    passed = 0;
    began = a.env.now(&a);

    /* 50 a second over two nodes, for at least 4 s */

    for (i = 0; i < 400; i++) {
        parley_test_node_t  *n = both[i % 2];
        parley_state_t      *s = parley_store_state(n->store);

        (void) s->ops->rate(s, &r, &got, NULL);
        passed += got.verdict == PARLEY_RATE_OK;
        parley_test_nodes(both, 2, NULL, 10);
    }

    /* what one node passes, and the burst of the other once */

    most = (a.env.now(&a) - began) / 20 + 5;

    assert_in_range(passed, most * 95 / 100, most * 105 / 100 + 5);
}


static void
test_full(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  m = message("full", "printone"), n = message("n", "printone");

    (void) state;

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);

    parley_test_engine_do(&engine, "config set maxmemory 1");
    assert_int_equal(admit(&b, &n).verdict, PARLEY_ADMIT_FULL);

    /* what was admitted is taken all the same */

    take(&a, &m, got.stamp);
    parley_test_nodes(both, 2, NULL, 30);
    parley_test_engine_do(&engine, "config set maxmemory 0");
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(admit(&b, &n).verdict, PARLEY_ADMIT_OK);
}


/* Answers of an engine that cannot be used; each is logged with its cure. */

static void
test_unusable(void **state)
{
    size_t  i;

    static const struct {
        const char  *words;
        const char  *undo;
        const char  *log;
    } cases[] = {
        { "config set maxmemory 100mb maxmemory-policy allkeys-lru",
          "config set maxmemory 0 maxmemory-policy noeviction",
          "maxmemory-policy allkeys-lru" },
        { "config set requirepass secret",
          "-a secret --no-auth-warning config set requirepass ''",
          "NOAUTH: set user= and password=" },
        { "config set min-replicas-to-write 1",
          "config set min-replicas-to-write 0",
          "NOREPLICAS: too few replicas" },
        { "replicaof 127.0.0.1 1", "replicaof no one", "is a replica" },
        { "acl setuser default -zadd", "acl setuser default +zadd",
          "\"parley store acl\"" },
        { "hset '{parley}v' key other", "del '{parley}v'", "another key=" },
        { "hset '{parley}v' format 0", "del '{parley}v'", "another version" },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        parley_test_engine_do(&engine, cases[i].words);
        parley_test_node_cut(&a);
        a.last[0] = '\0';
        parley_test_nodes(both, 1, NULL, 600);

        if (parley_store_is_up(a.store)
            || strstr(a.last, cases[i].log) == NULL)
        {
            print_error("%s: %s\n", cases[i].words, a.last);
            fail();
        }

        parley_test_engine_do(&engine, cases[i].undo);
        parley_test_nodes_up(both, 2);
    }
}


/* The functions are loaded again if an operator removes them. */

static void
test_library(void **state)
{
    parley_admission_t  m = message("library", "printone");

    (void) state;

    m.slot = key(PARLEY_KIND_SLOT, "library");

    parley_test_engine_do(&engine, "function flush");
    (void) admit(&a, &m);
    parley_test_nodes(both, 2, NULL, 100);
    parley_test_nodes_up(both, 2);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
}


static void
test_cancel(void **state)
{
    parley_call_t       *call;
    parley_state_t      *s = parley_store_state(a.store);
    parley_admitted_t    got;
    parley_admission_t   m = message("cancel", "printone");

    (void) state;

    call = wait_for();
    assert_int_equal(s->ops->admit(s, &m, &got, call), PARLEY_STATE_LATER);
    s->ops->cancel(s, call);
    parley_test_nodes(both, 2, NULL, 50);

    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
}


#define named(name, f)  { (name), (f), begin, end, NULL }


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        named("CLU-01: an id is taken once", test_once),
        named("CLU-01: an id that was given back", test_given_back),
        named("CLU-01: two nodes at once", test_race),
        named("CLU-07: reservations of a dead node", test_dead),
        named("CLU-09: no lease ends while no node can renew",
              test_stopped_engine),
        named("CLU-11: a connection lost at any octet", test_cut),
        named("CLU-11: a cancelled admission", test_cancel),
        named("CLU-08: away, refuse", test_away_refuse),
        named("CLU-08 CLU-09: away, local", test_away_local),
        named("CLU-02 SEC-08: one final answer", test_answer),
        named("CLU-02 SEC-08: a second answer is late", test_late),
        named("CLU-02: records of several owners", test_records),
        named("CLU-14: a suspension holds at each node", test_suspension),
        named("CLU-10: an emptied store", test_emptied),
        named("CLU-03: a limit over two nodes", test_rates),
        named("CLU-12: a full engine", test_full),
        named("CLU-12: an engine that cannot be used", test_unusable),
        named("CLU-12: functions that were removed", test_library),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
