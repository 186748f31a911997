/* state/store: nodes that share a real engine */

#include <signal.h>
#include <unistd.h>

#include "t/unit/parley_test_nodes.h"


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
    parley_admission_t   m = message("m", "printone"),
                         n = message("n", "printtwo");
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


/* A message closes a record that only its zone has. */

static void
test_closes_own(void **state)
{
    parley_admission_t   m = message("m", "printone");
    parley_record_id_t   id = record(PARLEY_KIND_DELIVERY, "own", 7);
    parley_settlement_t  how = { .taken = 1, .closes = { &id } };

    (void) state;

    how.stamp = admit(&a, &m).stamp;
    assert_int_equal(settle(&a, &m, how), 0);
    parley_test_nodes(both, 2, NULL, 100);

    assert_int_equal(a.logged[PARLEY_STORE_CRIT], 0);
    assert_int_equal(b.logged[PARLEY_STORE_CRIT], 0);
}


static void
test_records(void **state)
{
    unsigned             i;
    uint64_t             lost;
    parley_records_t     records;
    parley_store_stat_t  stat;

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

    parley_store_stat(b.store, &stat);
    lost = stat.lost[PARLEY_STORE_LOST_CALL];

    /* the zone of b has room for one more of the owner, the store has not */

    assert_int_equal(put(&b, PARLEY_KIND_MESSAGE, "full", 99, "x"),
                     PARLEY_PUT_OK);

    for (i = 1; i <= PARLEY_RECORDS_OWNED + 1; i++) {
        assert_int_equal(put(i % 2 ? &a : &b, PARLEY_KIND_MESSAGE, "owners",
                             i << 16, "x"),
                         PARLEY_PUT_OK);
    }

    parley_test_nodes(both, 2, NULL, 30);
    parley_store_stat(b.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_CALL], lost + 1);

    get(&a, PARLEY_KIND_MESSAGE, "full", &records);
    assert_int_equal(records.n, PARLEY_RECORDS_OWNED);
}


/* A record of one generation is replaced once, at all nodes. */

static void
test_replaces(void **state)
{
    unsigned              i;
    parley_put_t          p;
    parley_str_t          part = PARLEY_STR("new");
    parley_call_t        *call;
    parley_state_t       *s = parley_store_state(a.store);
    parley_records_t      records;
    parley_put_result_t   got;

    (void) state;

    put(&a, PARLEY_KIND_MESSAGE, "replaced", 1, "old");
    parley_test_nodes(both, 2, NULL, 20);
    get(&a, PARLEY_KIND_MESSAGE, "replaced", &records);
    assert_int_equal(records.n, 1);

    memset(&p, 0, sizeof(p));

    p.id = record(PARLEY_KIND_MESSAGE, "replaced", 1);
    p.queue = PARLEY_EVICTABLE_NONE;
    p.parts = &part;
    p.nparts = 1;
    p.ttl = TTL;
    p.replaces = records.list[0].generation;

    call = wait_for();
    until(s->ops->put(s, &p, &got, call), call);
    assert_int_equal(got, PARLEY_PUT_OK);
    assert_string_equal(get(&b, PARLEY_KIND_MESSAGE, "replaced", &records),
                        "new");

    /* another node has replaced it, which the zone of a does not know */

    for (i = 0; i < 2; i++) {
        get(&a, PARLEY_KIND_MESSAGE, "replaced", &records);
        p.replaces = records.list[0].generation;

        if (i == 0) {
            assert_string_equal(parley_test_engine_do(&engine,
                "eval \"for _, k in ipairs(redis.call('keys', '{parley}r*')) "
                "do local v = redis.call('get', k); "
                "redis.call('set', k, v:sub(1, 5) .. 'ABCD' .. v:sub(10)) end "
                "return 1\" 0"), "1");
        }

        call = wait_for();
        until(s->ops->put(s, &p, &got, call), call);
        assert_int_equal(got, PARLEY_PUT_STALE);
    }
}


/* A record that was put under an admission that was given back is gone, also
   if the key has a record of another owner. */

static void
test_under(void **state)
{
    parley_put_t          p;
    parley_str_t          part = PARLEY_STR("under");
    parley_state_t       *s = parley_store_state(a.store);
    parley_records_t      records;
    parley_admitted_t     got;
    parley_admission_t    m = message("under", "printone");
    parley_record_id_t    id = record(PARLEY_KIND_QUESTION, "under", 0x10001);
    parley_put_result_t   result;
    parley_settlement_t   how = { .drops = { &id } };

    (void) state;

    put(&b, PARLEY_KIND_QUESTION, "under", 0x20001, "other");
    parley_test_nodes(both, 2, NULL, 30);

    got = admit(&a, &m);

    memset(&p, 0, sizeof(p));

    p.id = id;
    p.queue = PARLEY_EVICTABLE_NONE;
    p.parts = &part;
    p.nparts = 1;
    p.ttl = TTL;
    p.under = m.id;
    p.stamp = got.stamp;

    assert_int_equal(s->ops->put(s, &p, &result, wait_for()),
                     PARLEY_STATE_DONE);
    assert_int_equal(result, PARLEY_PUT_OK);

    how.stamp = got.stamp;
    assert_int_equal(settle(&a, &m, how), 0);
    parley_test_nodes(both, 2, NULL, 50);

    assert_string_equal(get(&a, PARLEY_KIND_QUESTION, "under", &records),
                        "other");
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
                     PARLEY_PUT_AWAY);
    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);

    s = parley_store_state(b.store);
    call = wait_for();
    until(s->ops->drop(s, &id, 0, call), call);
    until_records(&a, PARLEY_KIND_SUSPENSION, "ada", 0);

    m.id = key(PARLEY_KIND_ID, "resumed");
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
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

    /* the messages that one node passes, and the burst of the other once */

    most = (a.env.now(&a) - began) / 20 + 5;

    assert_in_range(passed, most * 95 / 100, most * 105 / 100 + 5);
}


/* A message that is given back after its debt was over ends no other count of
   the same report. */

static void
test_rate_back(void **state)
{
    parley_state_t      *s = parley_store_state(a.store);
    parley_rated_t       rated;
    parley_rating_t      r;
    parley_admitted_t    got;
    parley_admission_t   m = message("back", "printone");

    (void) state;

    m.nquotas = 1;
    memcpy(m.quotas[0].key, key(PARLEY_KIND_RATE, "back"), PARLEY_KEY_LEN);
    m.quotas[0].rate.interval_us = 20000;
    m.quotas[0].rate.burst = 4;

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    parley_test_nodes(both, 2, NULL, 500);
    assert_string_equal(parley_test_engine_do(&engine,
                            "--scan --pattern '*}l*'"), "");

    give_back(&a, &m, got.stamp);

    memset(&r, 0, sizeof(r));
    memcpy(r.key, key(PARLEY_KIND_RATE, "ada"), PARLEY_KEY_LEN);
    r.account = key(PARLEY_KIND_ACCOUNT, "ada");
    r.rate.interval_us = 5000000;
    r.rate.burst = 4;

    (void) s->ops->rate(s, &r, &rated, NULL);
    parley_test_nodes(both, 2, NULL, 500);
    assert_non_null(strstr(parley_test_engine_do(&engine,
                               "--scan --pattern '*}l*'"), "}l"));
}


/* An admission with one EXACT quota and one EXACT limit. */

static parley_admission_t
exact(const char *id, const char *name, parley_quota_t *limit)
{
    parley_admission_t  m = message(id, "printone");

    memset(limit, 0, sizeof(parley_quota_t));

    memcpy(limit->key, key(PARLEY_KIND_RATE, name), PARLEY_KEY_LEN);
    limit->rate.interval_us = (int64_t) 3600 * 1000000;
    limit->rate.burst = 4;

    m.limits = limit;
    m.nlimits = 1;

    m.nquotas = 1;
    m.shared = PARLEY_SHARED_EXACT;
    m.quotas[0].rate = limit->rate;
    m.quotas[0].rate.burst = 2;
    memcpy(m.quotas[0].key, key(PARLEY_KIND_RATE, "class"), PARLEY_KEY_LEN);
    m.quotas[0].key[0] ^= (uint8_t) name[0];

    return m;
}


/* Counts a message for its limit as the gate does, then admits it. */

static parley_admitted_t
admit_exact(parley_test_node_t *n, const parley_admission_t *m)
{
    parley_state_t   *s = parley_store_state(n->store);
    parley_rated_t    rated;
    parley_rating_t   r;

    memset(&r, 0, sizeof(r));
    memcpy(r.key, m->limits[0].key, PARLEY_KEY_LEN);
    r.rate = m->limits[0].rate;
    r.account = m->account;
    r.shared = PARLEY_SHARED_EXACT;

    (void) s->ops->rate(s, &r, &rated, NULL);
    assert_int_equal(rated.verdict, PARLEY_RATE_OK);

    return admit(n, m);
}


static void
test_exact(void **state)
{
    parley_quota_t      limit;
    parley_rated_t      rated;
    parley_rating_t     r;
    parley_state_t     *s = parley_store_state(a.store);
    parley_admitted_t   one, got;
    parley_admission_t  m = exact("exact-1", "exact", &limit);

    (void) state;

    one = admit_exact(&a, &m);
    assert_int_equal(one.verdict, PARLEY_ADMIT_OK);

    /* a duplicate counts for the limit, not for the quota */

    assert_int_equal(admit_exact(&b, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);

    m = exact("exact-2", "exact", &limit);
    assert_int_equal(admit_exact(&b, &m).verdict, PARLEY_ADMIT_OK);
    m = exact("exact-3", "exact", &limit);
    assert_int_equal(admit_exact(&a, &m).verdict, PARLEY_ADMIT_OK);

    m = exact("exact-4", "exact", &limit);
    got = admit_exact(&b, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_LIMITED);
    assert_int_equal(got.quota, 0);
    assert_in_range(got.wait, 3590 * 1000, 3600 * 1000 + 1);

    /* the fifth message of the limit was the refused one */

    got = admit_exact(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_LIMITED);
    assert_int_equal(got.quota, 1);

    /* the zone knows it now, and the message counts for nothing */

    memset(&r, 0, sizeof(r));
    memcpy(r.key, limit.key, PARLEY_KEY_LEN);
    r.rate = limit.rate;
    r.account = m.account;
    r.look = 1;

    (void) s->ops->rate(s, &r, &rated, NULL);
    assert_int_equal(rated.verdict, PARLEY_RATE_LIMITED);
    assert_in_range(rated.wait, 3590 * 1000, 3600 * 1000 + 1);
}


/* A quota is given back once, and not by a late repetition. */

static void
test_exact_back(void **state)
{
    parley_quota_t      limit;
    parley_admitted_t   one;
    parley_admission_t  m = exact("back-1", "back", &limit);

    (void) state;

    one = admit(&a, &m);
    assert_int_equal(one.verdict, PARLEY_ADMIT_OK);
    m = exact("back-2", "back", &limit);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
    m = exact("back-3", "back", &limit);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);

    m = exact("back-1", "back", &limit);
    give_back(&a, &m, one.stamp);
    give_back(&a, &m, one.stamp);
    parley_test_nodes(both, 2, NULL, 50);

    m = exact("back-4", "back", &limit);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);

    m = exact("back-5", "back", &limit);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_LIMITED);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_LIMITED);
}


/* A call that is sent again counts once; a cancelled one is given back. */

static void
test_exact_again(void **state)
{
    unsigned             i;
    parley_call_t       *call;
    parley_quota_t       limit;
    parley_state_t      *s = parley_store_state(a.store);
    parley_admitted_t    got;
    parley_admission_t   m = exact("again-1", "again", &limit);

    (void) state;

    for (i = 0; i < 2; i++) {
        a.conf.fallback = i == 0 ? PARLEY_STORE_REFUSE : PARLEY_STORE_LOCAL;

        call = wait_for();
        assert_int_equal(s->ops->admit(s, &m, &got, call), PARLEY_STATE_LATER);
        parley_test_engine_do(&engine, "ping");
        parley_test_node_cut(&a, PARLEY_STORE_MAIN);
        until(PARLEY_STATE_LATER, call);
        assert_int_equal(got.verdict, i == 0 ? PARLEY_ADMIT_AWAY
                                             : PARLEY_ADMIT_OK);
        parley_test_nodes_up(both, 2);
        parley_test_nodes(both, 2, NULL, 50);
    }

    m = exact("again-2", "again", &limit);
    call = wait_for();
    assert_int_equal(s->ops->admit(s, &m, &got, call), PARLEY_STATE_LATER);
    s->ops->cancel(s, call);
    parley_test_nodes(both, 2, NULL, 50);

    m = exact("again-3", "again", &limit);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
    m = exact("again-4", "again", &limit);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
    m = exact("again-5", "again", &limit);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_LIMITED);
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


/* Sets the value of an id or slot in the store, as a failover that has lost its
   end would leave it: reserved by a node with that stamp. */

static void
lose_end(char kind, const uint8_t *key, const char *print, char node,
    uint64_t stamp)
{
    int     i;
    char    text[512];
    size_t  n;

    n = (size_t) snprintf(text, sizeof(text),
                          "eval \"return redis.call('set', '{parley}%c", kind);

    for (i = 0; i < PARLEY_KEY_LEN; i++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "\\%03u", key[i]);
    }

    n += (size_t) snprintf(text + n, sizeof(text) - n, "', '1r%s", print);

    for (i = 0; i < 8; i++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "%c", node);
    }

    for (i = 0; i < 8; i++) {
        n += (size_t) snprintf(text + n, sizeof(text) - n, "\\%03u",
                               (unsigned) (stamp >> 8 * i & 255));
    }

    (void) snprintf(text + n, sizeof(text) - n, "')\" 0");

    assert_string_equal(parley_test_engine_do(&engine, text), "OK");
}


/* Admits a message at b until it gets another verdict than in-flight. */

static parley_admit_t
until_ended(const parley_admission_t *m)
{
    unsigned        i;
    parley_admit_t  verdict;

    for (i = 0; i < 200; i++) {
        verdict = admit(&b, m).verdict;

        if (verdict != PARLEY_ADMIT_IN_FLIGHT
            && verdict != PARLEY_ADMIT_ANSWERING)
        {
            break;
        }

        parley_test_nodes(both, 2, NULL, 20);
    }

    return verdict;
}


static void
test_lost_end(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  m = message("m", "printone"),
                        n = message("n", "printone"),
                        o = message("o", "printone"),
                        p = message("p", "printone");

    (void) state;

    n.slot = o.slot = key(PARLEY_KIND_SLOT, "question");

    /* taken */

    got = admit(&a, &m);
    take(&a, &m, got.stamp);
    lose_end('i', m.id, "printone", 'A', got.stamp);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(until_ended(&m), PARLEY_ADMIT_DUPLICATE);

    /* a final answer */

    got = admit(&a, &n);
    take(&a, &n, got.stamp);
    lose_end('s', n.slot, "", 'A', got.stamp);
    assert_int_equal(admit(&b, &o).verdict, PARLEY_ADMIT_ANSWERING);
    assert_int_equal(until_ended(&o), PARLEY_ADMIT_ANSWERED);

    /* given back */

    got = admit(&a, &p);
    give_back(&a, &p, got.stamp);
    parley_test_nodes(both, 2, NULL, 50);
    lose_end('i', p.id, "printone", 'A', got.stamp);
    assert_int_equal(admit(&b, &p).verdict, PARLEY_ADMIT_IN_FLIGHT);
    assert_int_equal(until_ended(&p), PARLEY_ADMIT_OK);

    /* still under way */

    p = message("q", "printone");
    got = admit(&a, &p);
    assert_int_equal(until_ended(&p), PARLEY_ADMIT_IN_FLIGHT);
    take(&a, &p, got.stamp);
    assert_int_equal(until_ended(&p), PARLEY_ADMIT_DUPLICATE);
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        nodes_test("CLU-01: an id is taken once", test_once),
        nodes_test("CLU-01: an id that was given back", test_given_back),
        nodes_test("CLU-01: two nodes at once", test_race),
        nodes_test("CLU-02 SEC-08: one final answer", test_answer),
        nodes_test("CLU-02 SEC-08: a second answer is late", test_late),
        nodes_test("CLU-02: a closed record of one zone", test_closes_own),
        nodes_test("CLU-02: records of several owners", test_records),
        nodes_test("CLU-02: a record is replaced once", test_replaces),
        nodes_test("CLU-11: a record of an admission that was given back",
                   test_under),
        nodes_test("CLU-14: a suspension holds at each node", test_suspension),
        nodes_test("CLU-03: a limit over two nodes", test_rates),
        nodes_test("CLU-03: a limit that was given back", test_rate_back),
        nodes_test("CLU-03: exact limits over two nodes", test_exact),
        nodes_test("CLU-03: an exact quota that was given back",
                   test_exact_back),
        nodes_test("CLU-03 CLU-11: exact limits, calls sent again",
                   test_exact_again),
        nodes_test("CLU-11: a cancelled admission", test_cancel),
        nodes_test("CLU-10 CLU-11: the end of an admission is lost",
                   test_lost_end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
