/* state/store: logs and the roster over nodes that share a real engine */

#include <signal.h>
#include <unistd.h>

#include "state/parley_import.h"
#include "t/unit/parley_test_nodes.h"


#define SECOND  1000
#define CUTS    37              /* octets between two places of a cut */


static parley_arena_t  arena;


static int
begin_logs(void **state)
{
    parley_arena_init(&arena, &parley_mem_libc, 0);

    return begin(state);
}


static int
end_logs(void **state)
{
    parley_arena_reset(&arena);

    return end(state);
}


#define logs_test(name, f)  { (name), (f), begin_logs, end_logs, NULL }


static parley_append_t
text_for(const char *log, const char *text)
{
    uint8_t          *logs = parley_arena_octets(&arena, PARLEY_KEY_LEN);
    parley_str_t     *part = parley_arena_alloc(&arena, sizeof(parley_str_t));
    parley_append_t   append;

    memset(&append, 0, sizeof(append));
    memcpy(logs, key(PARLEY_KIND_LOG, log), PARLEY_KEY_LEN);
    *part = parley_str_c(text);

    append.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) (void *) logs;
    append.nlogs = 1;
    append.parts = part;
    append.nparts = 1;
    append.account = key(PARLEY_KIND_ACCOUNT, "ada");
    append.retention.records = 100;
    append.retention.octets = 100000;
    append.retention.ms = 60 * SECOND;
    append.ttl = INT64_MAX;         /* a sender may name any time */
    append.arena = &arena;

    return append;
}


static parley_appended_t
append_to(parley_test_node_t *n, const parley_append_t *append)
{
    parley_call_t      *call = wait_for();
    parley_state_t     *s = parley_store_state(n->store);
    parley_appended_t   got;

    until(s->ops->log->append(s, append, &got, call), call);

    return got;
}


static parley_place_t
say(parley_test_node_t *n, const char *log, const char *text)
{
    parley_append_t    append = text_for(log, text);
    parley_appended_t  got = append_to(n, &append);

    assert_int_equal(got.verdict, PARLEY_APPEND_OK);

    return got.places[0].place;
}


/* Reads the records of a log after a place; texts are joined with commas. */

static const char *
read_log(parley_test_node_t *n, const char *log, parley_place_t from,
    parley_log_page_t *page)
{
    int                 i;
    size_t              len;
    parley_log_read_t   r;
    static char         text[1024];

    memset(&r, 0, sizeof(r));
    r.log = key(PARLEY_KIND_LOG, log);
    r.from = from;
    r.records = 100;
    r.octets = 100000;
    r.arena = &arena;

    (void) n->zone.s.state.ops->log->read(&n->zone.s.state, &r, page, NULL);

    len = 0;
    text[0] = '\0';

    for (i = 0; i < page->n; i++) {
        len += (size_t) snprintf(text + len, sizeof(text) - len, "%s%.*s",
                                 i ? "," : "",
                                 (int) page->list[i].octets.len,
                                 (const char *) page->list[i].octets.data);
    }

    return text;
}


static parley_erase_t
erase_of(parley_place_t at)
{
    return (parley_erase_t) { .log = key(PARLEY_KIND_LOG, "log"),
                              .epoch = at.epoch, .offset = at.offset };
}


static unsigned
count_of(const parley_appended_t *got)
{
    size_t    i;
    unsigned  count;

    count = 0;

    for (i = 0; i < got->ngroups; i++) {
        count += got->groups[i].count;
    }

    return count;
}


/* Returns the number of subscribers that a node counts. */

static unsigned
subscribers(parley_test_node_t *n, const char *log)
{
    parley_append_t    asks = text_for(log, "");
    parley_appended_t  got;

    asks.asks = 1;
    got = append_to(n, &asks);

    return count_of(&got);
}


/* As subscribers(), of the zone alone. */

static unsigned
in_zone(parley_test_node_t *n, const char *log)
{
    parley_state_t     *s = &n->zone.s.state;
    parley_append_t     asks = text_for(log, "");
    parley_appended_t   got;

    memset(&got, 0, sizeof(got));
    asks.asks = 1;
    assert_int_equal(s->ops->import->may_append(s, &asks, &got),
                     PARLEY_APPEND_OK);

    return count_of(&got);
}


static void
test_append(void **state)
{
    parley_place_t     one, two, three, none = { 0, 0 };
    parley_log_page_t  page;

    (void) state;

    one = say(&a, "log", "one");
    two = say(&b, "log", "two");
    three = say(&a, "log", "three");

    assert_int_equal(one.offset, 1);
    assert_int_equal(two.offset, 2);
    assert_int_equal(three.offset, 3);
    assert_true(one.epoch == two.epoch && two.epoch == three.epoch);

    equal();

    assert_string_equal(read_log(&a, "log", none, &page), "one,two,three");
    assert_int_equal(page.epoch, one.epoch);
    assert_string_equal(read_log(&b, "log", none, &page), "one,two,three");
    assert_string_equal(read_log(&b, "log", one, &page), "two,three");
    assert_false(page.lost);
    assert_true(b.appended > 0);
}


/* Both at once: one order at both. */

static void
test_order(void **state)
{
    char                text[16];
    unsigned            i;
    parley_call_t      *calls[40];
    parley_place_t      none = { 0, 0 };
    parley_state_t     *s;
    parley_append_t     append;
    parley_appended_t   got[40];
    parley_log_page_t   page;
    char                first[1024];

    (void) state;

    for (i = 0; i < 40; i++) {
        snprintf(text, sizeof(text), "%c%u", i % 2 ? 'a' : 'b', i);
        append = text_for("log", text);
        s = parley_store_state(i % 2 ? a.store : b.store);
        calls[i] = wait_for();
        assert_int_equal(s->ops->log->append(s, &append, &got[i], calls[i]),
                         PARLEY_STATE_LATER);
    }

    for (i = 0; i < 40; i++) {
        until(PARLEY_STATE_LATER, calls[i]);
        assert_int_equal(got[i].verdict, PARLEY_APPEND_OK);
    }

    equal();

    snprintf(first, sizeof(first), "%s", read_log(&a, "log", none, &page));
    assert_int_equal(page.n, 40);
    assert_string_equal(read_log(&b, "log", none, &page), first);
}


static void
test_erase(void **state)
{
    parley_place_t      one, none = { 0, 0 };
    parley_state_t     *s = parley_store_state(b.store);
    parley_erase_t      e;
    parley_log_page_t   page;

    (void) state;

    one = say(&a, "log", "secret");
    (void) say(&a, "log", "two");
    equal();

    e = erase_of(one);

    (void) s->ops->log->erase(s, &e, NULL);
    equal();

    assert_string_equal(read_log(&a, "log", none, &page), "two");
    assert_string_equal(read_log(&b, "log", none, &page), "two");
    assert_null(strstr(parley_test_engine_do(&engine,
                                             "xrange {parley}f - +"),
                       "secret"));
}


static void
test_roster(void **state)
{
    parley_joined_t  one, two, three;

    (void) state;

    one = join(&a, "log", "s1");
    assert_int_equal(one.verdict, PARLEY_JOIN_OK);
    assert_false(one.replaced);
    two = join(&b, "log", "s2");
    equal();

    assert_int_equal(subscribers(&a, "log"), 2);
    assert_int_equal(subscribers(&b, "log"), 2);
    assert_int_equal(one.place.epoch, two.place.epoch);

    /* one session for each name */

    two = join(&b, "log", "s1");
    assert_int_equal(two.verdict, PARLEY_JOIN_OK);
    assert_false(two.replaced);
    assert_true(two.stamp > one.stamp);
    equal();
    assert_int_equal(subscribers(&a, "log"), 2);

    /* only the node of the old one is told to end it */

    assert_int_equal(a.replaced, two.stamp);
    assert_int_equal(b.replaced, 0);

    three = join(&b, "log", "s1");
    assert_true(three.replaced);
    equal();
    assert_int_equal(a.replaced, two.stamp);
    two = three;

    /* the old one leaves: the new one stays */

    leave(&a, "log", "s1", one.stamp);
    equal();
    assert_int_equal(subscribers(&a, "log"), 2);

    leave(&b, "log", "s1", two.stamp);
    equal();
    assert_int_equal(subscribers(&a, "log"), 1);
    assert_int_equal(subscribers(&b, "log"), 1);
}


/* An emptied store, and a restarted engine. */

static void
test_emptied_log(void **state)
{
    parley_place_t     one, two, three;
    parley_joined_t    joined;
    parley_log_page_t  page;

    (void) state;

    one = say(&a, "log", "one");
    joined = join(&b, "log", "s1");
    assert_int_equal(joined.place.offset, one.offset);

    parley_test_engine_do(&engine, "flushall");
    parley_test_nodes(both, 2, NULL, 5 * SECOND);
    parley_test_nodes_up(both, 2);

    two = say(&b, "log", "two");
    assert_true(two.epoch != one.epoch);
    equal();

    (void) read_log(&a, "log", one, &page);
    assert_true(page.lost);
    assert_string_equal(read_log(&b, "log", one, &page), "two");
    assert_true(page.lost);

    three = say(&a, "log", "three");
    assert_int_equal(three.epoch, two.epoch);
    assert_int_equal(three.offset, two.offset + 1);

    equal();
    assert_int_equal(subscribers(&a, "log"), 1);
    assert_int_equal(subscribers(&b, "log"), 1);
}


static void
test_away_log(void **state)
{
    parley_append_t  append = text_for("log", "one");
    parley_joined_t  joined;

    (void) state;

    (void) say(&a, "log", "zero");

    a.conf.fallback = b.conf.fallback = PARLEY_STORE_LOCAL;
    parley_test_engine_signal(&engine, SIGSTOP);

    assert_int_equal(append_to(&a, &append).verdict, PARLEY_APPEND_AWAY);
    joined = join(&b, "log", "s1");
    assert_int_equal(joined.verdict, PARLEY_JOIN_AWAY);

    parley_test_engine_signal(&engine, SIGCONT);
    parley_test_nodes_up(both, 2);
    equal();

    /* a session whose join timed out does not stay */

    parley_test_nodes(both, 2, NULL, 500);
    assert_int_equal(subscribers(&a, "log"), 0);
    assert_int_equal(subscribers(&b, "log"), 0);
    (void) say(&b, "log", "two");
}


/* A node that ended, with its sessions. */

static void
test_ended_node(void **state)
{
    unsigned  i;

    (void) state;

    (void) join(&b, "log", "s2");
    equal();
    assert_int_equal(subscribers(&a, "log"), 1);

    parley_test_node_end(&b);

    for (i = 0; i < 40 && in_zone(&a, "log") != 0; i++) {
        parley_test_nodes(both, 1, NULL, a.conf.lease / 20);
    }

    parley_test_node_begin(&b, &engine, 'C');
    parley_test_nodes_up(both, 2);
    assert_int_equal(subscribers(&a, "log"), 0);
}


/* A new node reads what the store retains, also the sessions.  Before it knows
   these, one of its own replaces one of them. */

static void
test_new_node(void **state)
{
    parley_join_t      j;
    parley_call_t     *call;
    parley_place_t     none = { 0, 0 };
    parley_state_t    *s;
    parley_joined_t    got;
    parley_log_page_t  page;

    (void) state;

    (void) say(&a, "log", "one");
    (void) join(&a, "log", "s1");
    (void) join(&a, "log", "s2");
    parley_test_node_end(&b);

    parley_test_node_begin(&b, &engine, 'C');
    parley_test_nodes_up(both + 1, 1);
    assert_int_equal(in_zone(&b, "log"), 0);

    j = join_of("log", "s1");
    call = wait_for();
    s = parley_store_state(b.store);

    assert_int_equal(s->ops->log->join(s, &j, &got, call), PARLEY_STATE_LATER);
    parley_test_nodes(both + 1, 1, &((parley_test_wait_t *) call)->done, WAIT);
    assert_int_equal(got.verdict, PARLEY_JOIN_OK);
    assert_int_equal(a.replaced, 0);

    equal();

    assert_int_equal(a.replaced, got.stamp);
    assert_string_equal(read_log(&b, "log", none, &page), "one");
    assert_int_equal(subscribers(&a, "log"), 2);
    assert_int_equal(subscribers(&b, "log"), 2);
}


static void
test_taken(void **state)
{
    parley_admitted_t    one;
    parley_append_t      append = text_for("log", "message");
    parley_admission_t   m = message("one", "printone");
    parley_settlement_t  how;
    parley_place_t       none = { 0, 0 };
    parley_log_page_t    page;

    (void) state;

    one = admit(&a, &m);

    memset(&how, 0, sizeof(how));
    how.stamp = one.stamp;
    how.taken = 1;
    append.takes = &m;
    append.how = &how;

    assert_int_equal(append_to(&a, &append).verdict, PARLEY_APPEND_OK);
    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_DUPLICATE);

    /* an admission is taken once */

    assert_int_equal(append_to(&a, &append).verdict, PARLEY_APPEND_STALE);
    equal();
    assert_string_equal(read_log(&b, "log", none, &page), "message");
}


/* A node reads steps of which one was erased. */

static void
test_erased_before(void **state)
{
    parley_place_t      one, two, none = { 0, 0 };
    parley_erase_t      e;
    parley_state_t     *s = parley_store_state(a.store);
    parley_log_page_t   page;

    (void) state;

    one = say(&a, "log", "one");
    two = say(&a, "log", "two");

    e = erase_of(two);
    (void) s->ops->log->erase(s, &e, NULL);
    (void) say(&a, "log", "three");

    parley_test_node_end(&b);
    parley_test_node_begin(&b, &engine, 'C');
    parley_test_nodes_up(both, 2);
    equal();

    assert_string_equal(read_log(&b, "log", none, &page), "one,three");
    assert_string_equal(read_log(&b, "log", one, &page), "three");
    assert_false(page.lost);
}


/* A join does not shorten the life of a log in the store. */

static void
test_life(void **state)
{
    parley_append_t  append = text_for("log", "one");

    (void) state;

    append.retention.ms = 24 * 3600 * SECOND;
    assert_int_equal(append_to(&a, &append).verdict, PARLEY_APPEND_OK);
    (void) join(&b, "log", "s1");
    (void) say(&b, "log", "two");

    assert_true(atoll(parley_test_engine_do(&engine, "eval 'return redis.call("
                      "\"pttl\",redis.call(\"keys\",\"{parley}h*\")[1])' 0"))
                > 24 * 3600 * SECOND);
}


/* A node whose lease was over adds its sessions again. */

static void
test_lapsed(void **state)
{
    unsigned  i;

    (void) state;

    a.conf.lease = b.conf.lease = 1500;
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_node_cut(&b, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 2, NULL, 5);
    parley_test_nodes_up(both, 2);

    (void) join(&a, "log", "s1");
    equal();
    assert_int_equal(in_zone(&b, "log"), 1);
    for (i = 0; i < 100 && in_zone(&b, "log") != 0; i++) {
        parley_test_nodes(both + 1, 1, NULL, 100);
    }

    assert_int_equal(in_zone(&b, "log"), 0);
    for (i = 0; i < 100 && in_zone(&b, "log") == 0; i++) {
        parley_test_nodes(both, 2, NULL, 50);
    }

    assert_int_equal(in_zone(&b, "log"), 1);
    assert_int_equal(in_zone(&a, "log"), 1);
}


/* A step of a node that was away while the store was emptied. */

static void
test_said_away(void **state)
{
    parley_place_t      one, none = { 0, 0 };
    parley_state_t     *s = parley_store_state(a.store);
    parley_erase_t      e;
    parley_log_page_t   page;

    (void) state;

    one = say(&a, "log", "secret");
    equal();

    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_node_cut(&b, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 2, NULL, 5);
    parley_test_engine_do(&engine, "flushall");

    e = erase_of(one);
    (void) s->ops->log->erase(s, &e, NULL);

    parley_test_nodes_up(both, 1);
    parley_test_nodes(both, 1, NULL, 50);
    parley_test_nodes_up(both, 2);
    equal();

    assert_string_equal(read_log(&b, "log", none, &page), "");
}


/* The reply to a join is lost; the client joins at another node. */

static void
test_lost_join(void **state)
{
    parley_join_t     j = join_of("log", "s1");
    parley_call_t    *call = wait_for();
    parley_state_t   *s = parley_store_state(a.store);
    parley_joined_t   lost, got;

    (void) state;

    assert_int_equal(s->ops->log->join(s, &j, &lost, call),
                     PARLEY_STATE_LATER);
    usleep(50000);
    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    parley_test_nodes(both, 1, NULL, 2);
    assert_int_equal(lost.verdict, PARLEY_JOIN_AWAY);

    got = join(&b, "log", "s1");
    assert_int_equal(got.verdict, PARLEY_JOIN_OK);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 200);
    equal();

    assert_true(in_zone(&a, "log") == 1 && in_zone(&b, "log") == 1);
}


/* The store has a record, and the connection is lost before the zone has it. */

static void
test_lost_feed(void **state)
{
    parley_call_t      *call = wait_for();
    parley_state_t     *s = parley_store_state(a.store);
    parley_place_t      none = { 0, 0 };
    parley_append_t     append = text_for("log", "one");
    parley_appended_t   got;
    parley_log_page_t   page;

    (void) state;

    assert_int_equal(s->ops->log->append(s, &append, &got, call),
                     PARLEY_STATE_LATER);
    usleep(50000);
    a.timer = -1;
    a.cut = 5;
    parley_test_nodes(both, 1, &((parley_test_wait_t *) call)->done, SECOND);

    assert_int_equal(got.verdict, PARLEY_APPEND_OK);
    assert_int_equal(got.places[0].place.offset, 1);
    parley_test_nodes_up(both, 2);
    equal();
    assert_string_equal(read_log(&a, "log", none, &page), "one");
}


/* A session that left while another worker added it again; then sessions of
   another node, which a worker adds while another one asked for them. */

static void
test_left_again(void **state)
{
    parley_join_t              j = join_of("log", "s1");
    parley_state_t            *s = &a.zone.s.state;
    uint32_t                   n;
    parley_joined_t            got;
    parley_import_t            i;
    const parley_import_ops_t *import = s->ops->import;

    (void) state;

    got = join(&a, "log", "s1");
    leave(&a, "log", "s1", got.stamp);
    equal();

    memset(&i, 0, sizeof(i));
    i.number = import->number(s) + 1;
    i.kind = PARLEY_IMPORT_JOIN;
    i.own = 1;
    i.stamp = got.stamp;
    i.place = got.place;
    i.join = &j;
    i.worker.pid = a.zone.s.process;
    i.worker.began = a.zone.s.sh->processes[a.zone.s.process].worker;
    (void) import->take(s, &i);
    assert_int_equal(in_zone(&a, "log"), 0);

    i.number++;
    i.own = 0;
    i.worker.pid = 77;
    (void) import->take(s, &i);
    assert_int_equal(in_zone(&a, "log"), 1);

    for (n = 1; n <= a.zone.s.sh->nworkers; n++) {
        parley_memory_vacate_locked(&a.zone.s,
                                    &a.zone.s.sh->processes[
                                        a.zone.s.sh->nprocesses + n]);
    }

    i.number++;
    (void) import->take(s, &i);
    assert_int_equal(in_zone(&a, "log"), 1);

    i.number++;
    i.own = 1;
    i.kind = PARLEY_IMPORT_ROSTER;
    (void) import->take(s, &i);
    assert_int_equal(in_zone(&a, "log"), 0);

    i.number++;
    i.own = 0;
    i.kind = PARLEY_IMPORT_JOIN;
    (void) import->take(s, &i);

    i.own = 1;
    i.kind = PARLEY_IMPORT_ROSTER;
    i.number--;
    (void) import->take(s, &i);
    import->miss(s, i.number);
    assert_int_equal(in_zone(&a, "log"), 1);
}


/* The nodes agree after a connection that is lost at any octet. */

static void
test_cut_log(void **state)
{
    size_t              at;
    char                name[16], first[1024];
    unsigned            n, joined;
    parley_place_t      none = { 0, 0 };
    parley_append_t     append;
    parley_joined_t     got;
    parley_log_page_t   page;

    (void) state;
    joined = 0;

    for (at = 1; at < 500; at += CUTS) {
        snprintf(name, sizeof(name), "%zu", at);

        append = text_for("log", name);
        a.cut = at;
        n = append_to(&a, &append).verdict;
        parley_test_nodes_up(both, 2);
        assert_true(n == PARLEY_APPEND_OK || n == PARLEY_APPEND_AWAY);

        a.cut = at;
        got = join(&a, "log", name);
        parley_test_nodes_up(both, 2);
        joined += got.verdict == PARLEY_JOIN_OK;

        a.cut = SIZE_MAX;
        parley_test_nodes(both, 2, NULL, 50);
        equal();
        snprintf(first, sizeof(first), "%s", read_log(&a, "log", none, &page));
        assert_string_equal(read_log(&b, "log", none, &page), first);
        assert_true(n != PARLEY_APPEND_OK || strstr(first, name) != NULL);
        assert_int_equal(in_zone(&a, "log"), joined);
        assert_int_equal(in_zone(&b, "log"), joined);
    }
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        logs_test("CLU-04: a record has one place at all nodes", test_append),
        logs_test("CLU-04: one order", test_order),
        logs_test("CLU-04: an erased record", test_erase),
        logs_test("CLU-04: the roster", test_roster),
        logs_test("CLU-01 CLU-04: an append takes an admission", test_taken),
        logs_test("CLU-05: a new node", test_new_node),
        logs_test("CLU-07: a node that ended", test_ended_node),
        logs_test("CLU-08: a log is never forked", test_away_log),
        logs_test("CLU-10: an emptied store", test_emptied_log),
        logs_test("CLU-05: a step that was erased", test_erased_before),
        logs_test("CLU-05: the life of a log", test_life),
        logs_test("CLU-09: a lease that was over", test_lapsed),
        logs_test("CLU-10: a step that was said while away", test_said_away),
        logs_test("CLU-11: a join without its reply", test_lost_join),
        logs_test("CLU-11: an append without its step", test_lost_feed),
        logs_test("CLU-11: a connection lost at any octet", test_cut_log),
        logs_test("CLU-04: sessions that change meanwhile", test_left_again),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
