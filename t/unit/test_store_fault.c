/* state/store: engines and connections that fail, and nodes that die */

#include <signal.h>
#include <unistd.h>

#include "state/store/parley_wire.h"
#include "state/parley_import.h"
#include "t/unit/parley_test_nodes.h"


/* The lease of a node that has died ends its reservations; not before. */

static void
test_dead(void **state)
{
    parley_admission_t  m = message("dead", "printone");

    (void) state;

    a.conf.lease = 2000;
    b.conf.lease = 2000;
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_node_cut(&b, PARLEY_STORE_MAIN);
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
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_node_cut(&b, PARLEY_STORE_MAIN);
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


/* The connection that sent calls is killed, also if the next one is lost before
   it has done so. */

static void
test_kill(void **state)
{
    int  fd;

    (void) state;

    /* the engine still reads the connection that the node has closed */

    fd = dup(a.links[PARLEY_STORE_MAIN].fd);
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 2, NULL, 2);
    assert_false(parley_store_is_up(a.store));

    /* three INFO and CLIENT ID have 108 octets, then CLIENT KILL follows */

    a.cut = 115;
    parley_test_nodes_up(both, 2);
    assert_int_equal(a.cut, SIZE_MAX);
    until_inboxes(2);
    assert_string_equal(parley_test_engine_do(&engine,
                            "client list | grep -c -v cmd=client"), "4");
    close(fd);
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

        assert_int_equal(got.verdict, PARLEY_ADMIT_AWAY);
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
    assert_int_equal(got.verdict, PARLEY_ADMIT_AWAY);
    assert_int_equal(got.wait, 1000);

    parley_test_nodes(both, 2, NULL, 1500);
    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_AWAY);

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
    parley_admitted_t    got, before;
    parley_admission_t   m = message("local", "printone"),
                         reserved = message("reserved", "printone"),
                         back = message("back", "printone"),
                         fork = message("fork", "printone"),
                         asked = message("asked", "printone"),
                         ticket = message("ticket", "printone");
    parley_store_stat_t  stat;
    parley_record_id_t   id = record(PARLEY_KIND_QUESTION, "asked", 4);
    parley_settlement_t  answered = { .taken = 1, .closes = { &id } },
                         held = { .taken = 1 }, given = { .taken = 0 };

    (void) state;

    a.conf.timeout = b.conf.timeout = 100;
    a.conf.fallback = b.conf.fallback = PARLEY_STORE_LOCAL;
    before = admit(&a, &reserved);
    assert_int_equal(before.verdict, PARLEY_ADMIT_OK);
    given.stamp = admit(&b, &back).stamp;
    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 1500);
    assert_false(parley_store_is_up(a.store));

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    take(&a, &m, got.stamp);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    /* reserved while the store was there, and taken while it is away; and one
       that another node has reserved, which gives it back */

    held.stamp = before.stamp;
    assert_int_equal(settle(&a, &reserved, held), 0);
    held.stamp = admit(&a, &back).stamp;
    assert_int_equal(settle(&a, &back, held), 0);

    ticket.everywhere = 1;
    assert_int_equal(admit(&a, &ticket).verdict, PARLEY_ADMIT_AWAY);

    got = admit(&a, &fork);
    take(&a, &fork, got.stamp);
    got = admit(&b, &fork);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
    take(&b, &fork, got.stamp);

    /* a task whose answer came at once: its settlement closes its question */

    answered.stamp = admit(&a, &asked).stamp;
    assert_int_equal(settle(&a, &asked, answered), 0);
    answered.stamp = admit(&b, &asked).stamp;
    assert_int_equal(settle(&b, &asked, answered), 0);

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 100);

    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(admit(&b, &reserved).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(settle(&b, &back, given), 0);
    parley_test_nodes(both, 2, NULL, 20);
    assert_int_equal(admit(&b, &back).verdict, PARLEY_ADMIT_DUPLICATE);

    parley_store_stat(a.store, &stat);
    got.stamp = stat.forked;
    parley_store_stat(b.store, &stat);
    assert_int_equal(got.stamp + stat.forked, 3);
}


/* Returns the verdict of a node whose store is away at times: the machine is
   busy. */

static parley_admit_t
verdict_of(parley_test_node_t *node, const parley_admission_t *m)
{
    unsigned        i;
    parley_admit_t  verdict;

    for (i = 0; i < 100; i++) {

        verdict = admit(node, m).verdict;

        if (verdict != PARLEY_ADMIT_AWAY) {
            break;
        }

        parley_test_nodes(both, 2, NULL, 100);
    }

    return verdict;
}


/* More ids were taken than the queue has room for: all of them arrive. */

static void
test_away_many(void **state)
{
    char                 name[16];
    unsigned             i;
    parley_admitted_t    got;
    parley_admission_t   m;
    parley_store_stat_t  stat;

    (void) state;

    a.conf.fallback = PARLEY_STORE_LOCAL;
    a.conf.timeout = 100;
    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 1500);
    assert_false(parley_store_is_up(a.store));

    for (i = 0; i < 2 * PARLEY_STORE_CALLS; i++) {
        snprintf(name, sizeof(name), "many-%u", i);
        m = message(name, "printone");
        got = admit(&a, &m);
        assert_int_equal(got.verdict, PARLEY_ADMIT_OK);
        take(&a, &m, got.stamp);
    }

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 3000);

    for (i = 0; i < 2 * PARLEY_STORE_CALLS; i += 4001) {
        snprintf(name, sizeof(name), "many-%u", i);
        m = message(name, "printone");
        assert_int_equal(verdict_of(&b, &m), PARLEY_ADMIT_DUPLICATE);
    }

    parley_store_stat(a.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_ID], 0);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_CALL], 0);
}


/* Waits until the output of redis-cli has a text. */

static void
until_says(parley_test_engine_t *e, const char *words, const char *text)
{
    unsigned  i;

    for (i = 0; i < 1500; i++) {

        if (strstr(parley_test_engine_do(e, words), text) != NULL) {
            return;
        }

        parley_test_nodes(both, 2, NULL, 10);
    }

    fail_msg("%s: no %s", words, text);
}


static uint64_t
unconfirmed(void)
{
    parley_store_stat_t  stat;

    parley_store_stat(a.store, &stat);

    return stat.lost[PARLEY_STORE_LOST_UNCONFIRMED];
}


/* A suspension that a replica has confirmed survives the primary. */

static void
test_replica(void **state)
{
    char                  port[16], words[64];
    parley_call_t        *call;
    parley_state_t       *s = parley_store_state(a.store);
    parley_admitted_t     got;
    parley_admission_t    m = message("before", "printone");
    parley_record_id_t    id = record(PARLEY_KIND_SUSPENSION, "bo", 3);
    parley_store_stat_t   before, after;
    parley_test_engine_t  replica;

    char *const  arguments[] = {
        (char *) "--replicaof", (char *) "127.0.0.1", port, NULL
    };

    (void) state;

    snprintf(port, sizeof(port), "%u", parley_test_port());
    snprintf(words, sizeof(words),
             "config set repl-diskless-sync-delay 0 port %s", port);
    assert_string_equal(parley_test_engine_do(&engine, words), "OK");

    parley_test_engine_begin(&replica, arguments);
    until_says(&replica, "info replication", "master_link_status:up");
    until_says(&engine, "info replication", "state=online");

    /* the primary sends nothing before the first confirmation of the replica */

    parley_test_engine_do(&engine, "set probe 1");
    until_says(&replica, "get probe", "1");

    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 2, NULL, 20);
    parley_test_nodes_up(both, 2);

    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "ada", 3, "alarm"),
                     PARLEY_PUT_OK);
    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "bo", 3, "alarm"),
                     PARLEY_PUT_OK);
    assert_int_equal(unconfirmed(), 0);
    assert_string_equal(parley_test_engine_do(&replica, "hlen '{parley}y'"),
                        "2");

    call = wait_for();
    until(s->ops->drop(s, &id, 0, call), call);
    assert_int_equal(unconfirmed(), 0);
    assert_string_equal(parley_test_engine_do(&replica, "get '{parley}k'"),
                        "3");

    got = admit(&a, &m);
    take(&a, &m, got.stamp);
    parley_test_nodes(both, 2, NULL, 50);

    /* a replica that does not answer: accepted, logged and counted */

    parley_test_engine_signal(&replica, SIGSTOP);
    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "cy", 3, "alarm"),
                     PARLEY_PUT_OK);
    assert_int_equal(unconfirmed(), 1);
    assert_non_null(strstr(a.last, "no replica has confirmed"));
    parley_test_engine_signal(&replica, SIGCONT);

    /* the replica becomes the primary */

    parley_store_stat(a.store, &before);
    parley_test_engine_signal(&engine, SIGKILL);
    parley_test_engine_do(&replica, "replicaof no one");
    a.engine = b.engine = &replica;
    parley_test_nodes(both, 2, NULL, 50);
    parley_test_nodes_up(both, 2);
    parley_store_stat(a.store, &after);

    assert_true(after.generation > before.generation);
    assert_int_equal(after.lost[PARLEY_STORE_LOST_GENERATION],
                     before.lost[PARLEY_STORE_LOST_GENERATION] + 1);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    /* the other node has the suspensions and the resumption */

    until_records(&b, PARLEY_KIND_SUSPENSION, "ada", 1);
    until_records(&b, PARLEY_KIND_SUSPENSION, "bo", 0);
    until_records(&b, PARLEY_KIND_SUSPENSION, "cy", 1);

    parley_test_engine_end(&replica);
}


/* The primary becomes a replica without closing a connection. */

static void
test_demoted(void **state)
{
    (void) state;

    a.conf.lease = b.conf.lease = 1500;
    parley_test_engine_do(&engine, "replicaof 127.0.0.1 1");
    parley_test_nodes(both, 2, NULL, 1500);
    assert_false(parley_store_is_up(a.store));
    assert_non_null(strstr(a.last, "replica"));

    parley_test_engine_do(&engine, "replicaof no one");
    parley_test_nodes_up(both, 2);
}


/* Ids that were taken alone reach the store behind a full queue. */

static void
test_away_queue(void **state)
{
    parley_state_t      *s = parley_store_state(a.store);
    parley_admitted_t    got;
    parley_admission_t   m = message("behind", "printone");
    parley_record_id_t   id = record(PARLEY_KIND_MESSAGE, "none", 1);
    parley_store_stat_t  stat;

    (void) state;

    a.conf.timeout = 100;
    a.conf.fallback = PARLEY_STORE_LOCAL;
    parley_test_engine_signal(&engine, SIGSTOP);
    parley_test_nodes(both, 2, NULL, 1500);
    assert_false(parley_store_is_up(a.store));

    got = admit(&a, &m);
    take(&a, &m, got.stamp);

    do {
        (void) s->ops->drop(s, &id, 1, NULL);
        parley_store_stat(a.store, &stat);
    } while (stat.pending < PARLEY_STORE_CALLS);

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);

    do {
        parley_test_nodes(both, 2, NULL, 50);
        parley_store_stat(a.store, &stat);
    } while (stat.pending > 100);

    parley_test_nodes(both, 2, NULL, 500);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_CALL], 0);
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


/* So is one that a new node enters first, which knows no generation before. */

static void
test_emptied_new(void **state)
{
    parley_test_node_t    c;
    parley_test_node_t   *new[] = { &c };
    parley_store_stat_t   before, after;

    (void) state;

    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "ada", 3, "alarm"),
                     PARLEY_PUT_OK);
    parley_store_stat(a.store, &before);

    parley_test_engine_end(&engine);
    parley_test_nodes(both, 2, NULL, 50);
    parley_test_engine_begin(&engine, NULL);
    parley_test_node_begin(&c, &engine, 'C');
    parley_test_nodes_up(new, 1);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 50);

    parley_store_stat(a.store, &after);
    assert_true(after.generation > before.generation);
    assert_string_equal(parley_test_engine_do(&engine, "hlen '{parley}y'"),
                        "1");
    parley_test_node_end(&c);
}


static void
test_full(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  m = message("full", "printone"),
                        n = message("n", "printone");

    (void) state;

    got = admit(&a, &m);
    assert_int_equal(got.verdict, PARLEY_ADMIT_OK);

    parley_test_engine_do(&engine, "config set maxmemory 1");
    assert_int_equal(admit(&b, &n).verdict, PARLEY_ADMIT_FULL);

    /* a message that was admitted is taken */

    take(&a, &m, got.stamp);
    parley_test_nodes(both, 2, NULL, 30);

    /* and a connection can begin */

    parley_test_node_cut(&b, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 2, NULL, 2);
    parley_test_nodes_up(both, 2);

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
        parley_test_node_cut(&a, PARLEY_STORE_MAIN);
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


/* An engine that repeats the password in its error. */

static void
test_password(void **state)
{
    char *arguments[] = {
        (char *) "--rename-command", (char *) "AUTH", (char *) "", NULL
    };

    (void) state;

    parley_test_engine_end(&engine);
    parley_test_engine_begin(&engine, arguments);
    a.conf.password = PARLEY_STR("verysecret");
    parley_test_nodes(both, 1, NULL, 2000);

    assert_false(parley_store_is_up(a.store));
    assert_non_null(strstr(a.last, "password"));
    assert_null(strstr(a.last, "verysecret"));
}


/* An error after AUTH can have the password too. */

static void
test_password_later(void **state)
{
    (void) state;

    a.conf.password = PARLEY_STR("verysecret");
    parley_test_engine_do(&engine, "hset '{parley}v' format verysecret");
    parley_test_engine_do(&engine, "config set requirepass verysecret");
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 1, NULL, 2000);

    assert_false(parley_store_is_up(a.store));
    assert_non_null(strstr(a.last, "another version of Parley"));
    assert_null(strstr(a.last, "verysecret"));
}


/* A reply has bounds, also one whose elements are read as they come. */

static void
test_large_reply(void **state)
{
    int                   rc;
    size_t                fed;
    parley_wire_t        *w;
    parley_wire_reply_t  *reply;
    static const char     head[] = "*4096\r\n", nested[] = "*1\r\n*1\r\n";
    static uint8_t        element[65536];

    (void) state;

    memset(element, 'x', sizeof(element));
    memcpy(element, "$65526\r\n", 8);
    memcpy(element + sizeof(element) - 2, "\r\n", 2);

    w = parley_wire_create();
    assert_non_null(w);
    rc = parley_wire_feed(w, (const uint8_t *) head, sizeof(head) - 1);

    for (fed = 0; rc == 0; fed += sizeof(element)) {
        assert_true(fed <= 2 * (size_t) PARLEY_WIRE_OCTETS);
        assert_int_equal(parley_wire_next(w, &reply), 0);
        rc = parley_wire_feed(w, element, sizeof(element));
    }

    parley_wire_destroy(w);

    w = parley_wire_create();
    assert_non_null(w);
    assert_int_equal(parley_wire_feed(w, (const uint8_t *) nested,
                                      sizeof(nested) - 1), 0);
    assert_int_equal(parley_wire_next(w, &reply), -1);
    parley_wire_destroy(w);
}


static uint64_t
zone_number(parley_test_node_t *n)
{
    return n->zone.s.state.ops->import->number(&n->zone.s.state);
}


/* A step that this version cannot read is passed over, and logged. */

static void
test_unknown_step(void **state)
{
    char      words[80];
    unsigned  i;
    uint64_t  n;

    (void) state;

    n = strtoull(parley_test_engine_do(&engine, "incr {parley}n"), NULL, 10);
    snprintf(words, sizeof(words), "xadd {parley}f %llu-0 e zzz p yy t 0",
             (unsigned long long) n);
    parley_test_engine_do(&engine, words);

    for (i = 0; i < 400 && (zone_number(&a) < n || zone_number(&b) < n); i++) {
        parley_test_nodes(both, 2, NULL, 10);
    }

    assert_true(zone_number(&a) >= n && zone_number(&b) >= n);
    assert_non_null(strstr(a.last, "a step has an unknown form"));
    assert_non_null(strstr(b.last, "a step has an unknown form"));
    assert_true(parley_store_is_up(a.store));
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        nodes_test("CLU-07: reservations of a dead node", test_dead),
        nodes_test("CLU-09: no lease ends while no node can renew",
              test_stopped_engine),
        nodes_test("CLU-11: a connection lost at any octet", test_cut),
        nodes_test("CLU-11: the connection before is killed", test_kill),
        nodes_test("CLU-08: away, refuse", test_away_refuse),
        nodes_test("CLU-08 CLU-09: away, local", test_away_local),
        nodes_test("CLU-09: more ids than calls", test_away_many),
        nodes_test("CLU-09: ids behind a full queue", test_away_queue),
        nodes_test("CLU-10 CLU-14: a replica becomes the primary",
                   test_replica),
        nodes_test("CLU-12: a primary becomes a replica", test_demoted),
        nodes_test("CLU-12: a step of another form", test_unknown_step),
        nodes_test("CLU-10: an emptied store", test_emptied),
        nodes_test("CLU-10: an engine that has lost all, and a new node",
                   test_emptied_new),
        nodes_test("CLU-12: a full engine", test_full),
        nodes_test("CLU-12: an engine that cannot be used", test_unusable),
        nodes_test("CLU-12: functions that were removed", test_library),
        nodes_test("CLU-13: an error with the password", test_password),
        nodes_test("CLU-13: a later error with the password",
                   test_password_later),
        nodes_test("CLU-12: a reply without an end", test_large_reply),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
