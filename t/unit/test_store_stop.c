/* state/store: nodes, workers and connections that stop, and what becomes of
   their jobs, ids and questions */

#include <sys/socket.h>
#include <unistd.h>

#include "t/unit/parley_test_jobs.h"


static const char *
nodes_of_store(void)
{
    return parley_test_engine_do(&engine, "zcard '{parley}m'");
}


/* Each node asks for the nodes once a second. */

static void
test_stopped(void **state)
{
    int64_t            from;
    unsigned           lines;
    parley_job_t       j = job("url", "to bob");
    parley_job_page_t  page;

    (void) state;

    a.conf.lease = b.conf.lease = 3 * LEASE;
    parley_test_nodes(both, 2, NULL, 3 * LEASE + 500);
    (void) append(&a, NULL, "hello", &j);
    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_AGAIN, NULL, 1),
                     PARLEY_JOB_OK);
    assert_string_equal(nodes_of_store(), "2");

    lines = b.logged[PARLEY_STORE_INFO];
    from = b.env.now(b.env.ctx);
    assert_true(parley_test_node_stop(&a));
    assert_string_equal(nodes_of_store(), "1");

    page = takes_within(&b, 10000);
    assert_int_equal(page.n, 1);
    assert_true(b.env.now(b.env.ctx) - from < 2 * LEASE);
    parley_assert_str(page.list[0].text, "to bob");
    assert_int_equal(page.list[0].attempt, 2);
    assert_int_equal(page.list[0].mark, 1);

    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);

    /* it is logged at the next renewal */

    one[0] = &b;
    parley_test_nodes(one, 1, NULL, LEASE + 1000);
    assert_int_equal(b.logged[PARLEY_STORE_WARN], 0);
    assert_int_equal(b.logged[PARLEY_STORE_INFO], lines + 1);
}


/* A worker that starts with the zone of a node that stopped does not take jobs
   that another node has adopted. */

static void
test_stopped_again(void **state)
{
    unsigned           i;
    parley_job_t       j = job("url", "to bob");
    parley_job_page_t  page;

    (void) state;

    parley_test_nodes(both, 2, NULL, LEASE + 500);
    (void) append(&a, NULL, "hello", &j);
    equal();
    assert_true(parley_test_node_stop(&a));

    page = takes_within(&b, 10000);
    assert_int_equal(page.n, 1);

    parley_test_node_again(&a);

    for (i = 0; i < 300; i++) {
        assert_int_equal(take_jobs(&a).n, 0);
        parley_test_nodes(both, 2, NULL, 2);
    }

    equal();
    assert_int_equal(take_jobs(&a).n, 0);
    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);

    /* a node that is back before another one has adopted its jobs has them */

    (void) append(&a, NULL, "new", &j);
    equal();
    assert_true(parley_test_node_stop(&a));
    parley_test_node_again(&a);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 2500);
    assert_int_equal(take_jobs(&b).n + take_jobs(&a).n, 1);
}


static void
test_stops_last(void **state)
{
    parley_memory_t  second;

    static const parley_process_t  two = { 3, 79 };

    (void) state;

    second = a.zone.s;
    second.process = 0;
    second.env.orphan = NULL;
    parley_memory_enter(&second, &two);

    assert_false(parley_test_node_stop(&a));
    assert_string_equal(nodes_of_store(), "2");
    assert_true(second.state.ops->import->quits(&second.state));
}


/* The engine decides whether the lease of a node is over. */

static void
test_adopt_alive(void **state)
{
    unsigned  i;

    static const char  words[] = "fcall p1_adopt 1 '{parley}' "
        "1oBBBBBBBBworkerw4procAAAA 60000 1000000 2000";

    (void) state;

    equal();
    assert_string_equal(parley_test_engine_do(&engine, words), "alive");

    one[0] = &b;
    parley_test_nodes(one, 1, NULL, LEASE + 1500);
    assert_true(atoll(parley_test_engine_do(&engine, words)) > 0);
    assert_int_equal(b.logged[PARLEY_STORE_WARN], 1);
    assert_non_null(strstr(b.last, "the lease of the gateway"));

    /* when the node has renewed its lease, its jobs are its own */

    parley_test_nodes_up(both, 2);
    equal();

    for (i = 0; i < 400; i++) {
        if (strcmp(parley_test_engine_do(&engine, words), "alive") == 0) {
            return;
        }

        parley_test_nodes(both, 2, NULL, 10);
    }

    fail_msg("the node is not alive");
}


/* The engine still reads the connection of a worker that was killed, until the
   next worker frees its reservation; or, without one, tells its end. */

static void
test_kill_sibling(void **state)
{
    int                 fd, reserves;
    parley_admission_t  m = message("orphan", "printone");

    static const char  late[] = "SET {parley}late 1\r\n";

    for (reserves = 0; reserves < 2; reserves++) {

        if (reserves) {
            (void) end(state);
            (void) begin(state);
            assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
        }

        fd = dup(a.links[PARLEY_STORE_MAIN].fd);
        assert_true(fd >= 0);
        parley_test_node_again(&a);
        parley_test_nodes_up(both, 2);

        if (reserves) {
            assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
        } else {
            parley_test_nodes(both, 2, NULL, 2500);
        }

        (void) send(fd, late, sizeof(late) - 1, MSG_NOSIGNAL);
        assert_string_equal(parley_test_engine_do(&engine,
                                                  "get '{parley}late'"),
                            "");
        close(fd);
    }
}


static int
has_session(parley_test_node_t *n, const char *session, uint64_t stamp)
{
    parley_state_t  *s = &n->zone.s.state;
    parley_leave_t   l;

    memset(&l, 0, sizeof(l));
    l.log = key(PARLEY_KIND_LOG, "log");
    l.session = parley_str_c(session);
    l.stamp = stamp;

    return s->ops->import->has_session(s, &l);
}


/* A list of nodes that was asked for before a node joined drops none of its
   sessions. */

static void
test_late_list(void **state)
{
    uint64_t         before, first, second;
    parley_state_t  *s = &a.zone.s.state;

    (void) state;

    first = join(&b, "log", "s1").stamp;
    equal();
    before = s->ops->import->number(s);

    second = join(&b, "log", "s2").stamp;
    equal();
    assert_true(has_session(&a, "s1", first));

    (void) s->ops->import->keep_nodes(s, NULL, 0, before);
    assert_true(has_session(&a, "s1", first));
    assert_true(has_session(&a, "s2", second));

    (void) s->ops->import->keep_nodes(s, NULL, 0, s->ops->import->number(s));
    assert_false(has_session(&a, "s1", first));
    assert_false(has_session(&a, "s2", second));
}


/* A node that died had an id: it is free for a message that is too old when its
   lease is over, as for others. */

static void
test_dead_holder(void **state)
{
    unsigned            i;
    parley_admission_t  m = message("m", "printone");

    (void) state;

    assert_int_equal(admit(&a, &m).verdict, PARLEY_ADMIT_OK);
    parley_test_node_end(&a);
    parley_test_node_begin(&a, &engine, 'C');
    parley_test_nodes_up(both, 2);

    m.stale = 1;
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_IN_FLIGHT);

    for (i = 0; i < 40 && admit(&b, &m).verdict == PARLEY_ADMIT_IN_FLIGHT; i++)
    {
        parley_test_nodes(both, 2, NULL, b.conf.lease / 20);
    }

    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_STALE);

    m.stale = 0;
    assert_int_equal(admit(&b, &m).verdict, PARLEY_ADMIT_OK);
}


/* A question is put while the connection is lost: the other node has it
   later. */

static void
test_late_question(void **state)
{
    parley_records_t     got;
    parley_store_stat_t  stat;

    (void) state;

    assert_int_equal(put(&a, PARLEY_KIND_QUESTION, "early", 3, "question"),
                     PARLEY_PUT_OK);
    equal();

    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    assert_int_equal(put(&a, PARLEY_KIND_QUESTION, "late", 3, "question"),
                     PARLEY_PUT_OK);
    parley_test_nodes_up(both, 2);
    parley_test_nodes(both, 2, NULL, 20);
    assert_string_equal(get(&b, PARLEY_KIND_QUESTION, "late", &got),
                        "question");

    parley_store_stat(a.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_QUESTION], 1);
}


/* A new worker reports a generation that its zone has not seen. */

static void
test_new_worker(void **state)
{
    parley_store_stat_t  stat;

    (void) state;

    (void) parley_test_node_stop(&a);
    parley_test_engine_do(&engine, "flushall");
    parley_test_node_again(&a);
    parley_test_nodes_up(both, 1);

    parley_store_stat(a.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_GENERATION], 1);

    (void) parley_test_node_stop(&a);
    parley_test_node_again(&a);
    parley_test_nodes_up(both, 2);

    parley_store_stat(a.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_GENERATION], 0);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        job_test("CLU-06 CLU-07: the jobs of a node that stops in order",
                 test_stopped),
        job_test("CLU-06: a node that stops, and starts again",
                 test_stopped_again),
        job_test("CLU-07: a node stops with its last worker",
                 test_stops_last),
        job_test("CLU-06: no jobs of a living node are adopted",
                 test_adopt_alive),
        nodes_test("CLU-04 CLU-07: a list of nodes from before a join",
                   test_late_list),
        nodes_test("CLU-01 CLU-11: the id of a node that died",
                   test_dead_holder),
        nodes_test("CLU-02: a question that the store gets later",
                   test_late_question),
        nodes_test("CLU-10: a new worker reports a generation",
                   test_new_worker),
        nodes_test("CLU-07 CLU-11: the connection of a killed worker",
                   test_kill_sibling),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
