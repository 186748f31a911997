/* state/store: jobs over nodes that share a real engine */

#include "t/unit/parley_test_jobs.h"


static void
test_one_node(void **state)
{
    parley_job_t       j = job("url", "to bob");
    parley_job_page_t  page;

    (void) state;

    (void) append(&a, NULL, "hello", &j);
    equal();

    assert_true(has_lane(&b, "url"));
    assert_int_equal(take_jobs(&b).n, 0);
    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB], 1);
    assert_int_equal(counts(&b).entries[PARLEY_KIND_JOB], 0);

    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "to bob");
    parley_assert_str(page.list[0].record, "hello");

    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);
    equal();

    assert_false(has_lane(&a, "url"));
    assert_false(has_lane(&b, "url"));
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DELIVERED], 1);
    assert_int_equal(counts(&b).ended[PARLEY_JOB_DELIVERED], 0);
}


static void
test_adopted(void **state)
{
    int64_t            from;
    parley_job_t       j = job("url", "to bob"), k = job("url", "second");
    parley_job_page_t  page, old;

    (void) state;

    (void) append(&a, NULL, "hello", &j);
    (void) append(&b, NULL, "later", &k);

    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_AGAIN, NULL, 1),
                     PARLEY_JOB_OK);
    old = take_jobs(&a);
    assert_int_equal(old.n, 1);
    equal();

    /* b has the second of the lane, which waits for the first */

    assert_int_equal(take_jobs(&b).n, 0);

    /* a stops; its jobs are not free before its lease is over */

    parley_test_nodes(both, 2, NULL, LEASE + 500);
    from = b.env.now(b.env.ctx);
    page = takes_within(&b, LEASE + 4000);

    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "to bob");
    parley_assert_str(page.list[0].record, "hello");
    assert_true(page.list[0].adopted);
    assert_int_equal(page.list[0].attempt, 2);
    assert_int_equal(page.list[0].mark, 1);
    assert_true(b.env.now(b.env.ctx) - from > LEASE / 2);
    assert_true(b.env.now(b.env.ctx) - from < LEASE + 2000);

    /* a stopped node takes nothing when it continues */

    assert_int_equal(take_jobs(&a).n, 0);

    /* it enters again */

    equal();
    parley_test_nodes_up(both, 2);
    equal();
    assert_int_equal(end_job(&a, &old.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DELIVERED], 0);
    assert_int_equal(counts(&a).taken, 0);

    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);
    page = take_jobs(&b);
    assert_int_equal(page.n, 1);
    assert_false(page.list[0].adopted);
    parley_assert_str(page.list[0].text, "second");
    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);

    /* a node that is back has new jobs of its own */

    (void) append(&a, NULL, "new", &j);
    equal();
    parley_test_nodes(both, 2, NULL, 2500);
    assert_int_equal(take_jobs(&b).n, 0);
    assert_int_equal(take_jobs(&a).n, 1);
}


/* A node ends an attempt after its lease, and does not know yet that another
   one has the job.  It takes no job before it knows. */

static void
test_adopted_unknown(void **state)
{
    unsigned           i;
    parley_job_t       j = job("url", "to bob");
    parley_job_page_t  page, old;

    (void) state;

    (void) append(&a, NULL, "hello", &j);
    old = take_jobs(&a);
    assert_int_equal(old.n, 1);
    equal();

    page = takes_within(&b, 2 * LEASE + 4000);
    assert_int_equal(page.n, 1);

    assert_int_equal(end_job(&a, &old.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_NOT_ITS);
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DELIVERED], 0);

    for (i = 0; i < 1000; i++) {
        parley_test_nodes(both, 2, NULL, 2);
        assert_int_equal(take_jobs(&a).n, 0);
    }

    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB], 0);
    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);
    assert_int_equal(counts(&b).ended[PARLEY_JOB_DELIVERED], 1);
}


/* A deadline and a next attempt do not come earlier because their node has
   stopped. */

static void
test_adopted_later(void **state)
{
    int64_t            from;
    parley_job_t       j = job("question", "deadline"), k = job("url", "bob");
    parley_job_end_t   end;
    parley_state_t    *s = parley_store_state(a.store);
    parley_job_page_t  page;

    (void) state;

    j.after = 2 * LEASE + 4000;

    (void) append(&a, NULL, "help", &j);
    (void) append(&a, NULL, "hello", &k);
    from = a.env.now(a.env.ctx);

    page = take_jobs(&a);
    assert_int_equal(page.n, 1);

    memset(&end, 0, sizeof(end));
    end.id = &page.list[0].id;
    end.how = PARLEY_JOB_AGAIN;
    end.after = j.after + 1000;
    (void) s->ops->job->end(s, &end, NULL, NULL);
    equal();

    page = takes_within(&b, j.after + 2000);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "deadline");
    assert_true(b.env.now(b.env.ctx) - from >= j.after - 100);

    page = takes_within(&b, 3000);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "bob");
    assert_true(b.env.now(b.env.ctx) - from >= end.after - 100);
}


static void
test_notice(void **state)
{
    parley_str_t       part = parley_str_c("undelivered");
    parley_job_t       j = job("url", "to bob");
    parley_append_t    tells;
    parley_job_page_t  page;

    (void) state;

    memset(&tells, 0, sizeof(tells));
    tells.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) (const void *)
                 key(PARLEY_KIND_LOG, "log");
    tells.nlogs = 1;
    tells.parts = &part;
    tells.nparts = 1;
    tells.account = key(PARLEY_KIND_ACCOUNT, "ada");
    tells.retention.records = 10;
    tells.retention.octets = 1000;
    tells.retention.ms = TTL;
    tells.ttl = TTL;
    tells.arena = &arena;

    (void) append(&a, NULL, "hello", &j);
    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_GIVEN_UP, &tells,
                             0),
                     PARLEY_JOB_OK);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_GIVEN_UP, &tells,
                             0),
                     PARLEY_JOB_NOT_ITS);
    equal();

    assert_false(has_lane(&a, "url"));
    assert_false(has_lane(&b, "url"));
    assert_int_equal(counts(&a).ended[PARLEY_JOB_GIVEN_UP], 1);
    assert_int_equal(counts(&a).taken, 0);
    assert_int_equal(counts(&b).ended[PARLEY_JOB_GIVEN_UP], 0);
    assert_int_equal(counts(&b).entries[PARLEY_KIND_RECORD], 1);
}


static void
test_owed(void **state)
{
    parley_had_t      had;
    parley_job_t      j = job("log", "to bob");
    parley_state_t   *s = parley_store_state(b.store);
    parley_place_t    place;

    (void) state;

    j.owed = 1;
    place = append(&a, "log", "hello", &j);
    equal();
    assert_true(has_lane(&b, "log"));

    memset(&had, 0, sizeof(had));
    had.log = key(PARLEY_KIND_LOG, "log");
    had.places = &place;
    had.n = 1;

    (void) s->ops->log->had(s, &had, NULL);
    equal();

    assert_false(has_lane(&a, "log"));
    assert_false(has_lane(&b, "log"));
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DELIVERED], 1);
    assert_int_equal(counts(&b).ended[PARLEY_JOB_DELIVERED], 0);
}


/* A new generation gives the log another epoch, in which its readers begin. */

static void
test_owed_before(void **state)
{
    unsigned          i;
    parley_had_t      had;
    parley_job_t      j = job("log", "to bob"), k = job("log", "to him");
    parley_state_t   *s = parley_store_state(b.store);
    parley_place_t    place;
    parley_joined_t   got;

    (void) state;

    j.owed = 1;
    k.owed = 1;
    (void) append(&a, "log", "hello", &j);
    place = append(&a, "log", "again", &k);
    equal();

    parley_test_engine_do(&engine, "flushall");
    parley_test_nodes(both, 2, NULL, LEASE);
    parley_test_nodes_up(both, 2);

    got = join(&b, "log", "bob");
    assert_int_equal(got.verdict, PARLEY_JOIN_OK);
    assert_true(got.place.epoch != place.epoch);
    equal();
    equal();

    /* the next reader has both, in their order, each once */

    got = join(&b, "log", "bob");
    equal();
    assert_int_equal(got.owed, 1);
    assert_int_equal(got.place.offset, 2);
    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB], 2);

    for (i = 1; i <= 2; i++) {
        assert_true(has_lane(&a, "log"));

        got.place.offset = i;
        memset(&had, 0, sizeof(had));
        had.log = key(PARLEY_KIND_LOG, "log");
        had.places = &got.place;
        had.n = 1;

        (void) s->ops->log->had(s, &had, NULL);
        equal();
    }

    assert_false(has_lane(&a, "log"));
    assert_false(has_lane(&b, "log"));
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DELIVERED], 2);
    assert_int_equal(counts(&a).ended[PARLEY_JOB_DONE], 0);
}


static void
add_job(parley_test_node_t *n, const parley_job_t *j)
{
    parley_call_t       *call = wait_for();
    parley_state_t      *s = parley_store_state(n->store);
    parley_job_add_t     add;
    parley_job_added_t   got;

    memset(&add, 0, sizeof(add));
    add.job = *j;

    until(s->ops->job->add(s, &add, &got, call), call);
    assert_int_equal(got, PARLEY_JOB_ADDED);
}


/* Jobs without a record; a lane may have several that are not sole. */

static void
test_added(void **state)
{
    parley_job_t       j = job("lane", "first"), k = job("lane", "second");
    parley_job_page_t  page;

    (void) state;

    add_job(&a, &j);
    add_job(&a, &k);
    equal();

    assert_true(has_lane(&b, "lane"));
    assert_int_equal(take_jobs(&b).n, 0);
    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB], 2);

    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "first");
    assert_null(page.list[0].record.data);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_DONE, NULL, 0),
                     PARLEY_JOB_OK);
    page = take_jobs(&a);
    parley_assert_str(page.list[0].text, "second");
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_DONE, NULL, 0),
                     PARLEY_JOB_OK);
    equal();
    assert_false(has_lane(&b, "lane"));
}


/* Fills the zone of a node. */

static void
fill(parley_test_node_t *n)
{
    size_t                size;
    uint32_t              i;
    parley_put_t          put;
    parley_str_t          part;
    parley_state_t       *zone = &n->zone.s.state;
    parley_put_result_t   got;

    static const uint8_t  octets[100000];

    memset(&put, 0, sizeof(put));
    put.id.kind = PARLEY_KIND_QUESTION;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = key(PARLEY_KIND_ACCOUNT, "eve");
    put.parts = &part;
    put.nparts = 1;
    put.ttl = TTL;

    for (size = sizeof(octets), i = 1; size != 0; i++) {
        part = parley_str_make(octets, size);
        put.id.tag = i << 16;
        memcpy(put.id.key, &i, sizeof(i));

        (void) zone->ops->put(zone, &put, &got, NULL);

        size = got == PARLEY_PUT_OK ? size : size / 2;
    }
}


/* The zone becomes full while the store has the job. */

static void
test_no_room(void **state)
{
    char                  text[200];
    parley_job_t          j;
    parley_call_t        *call = wait_for();
    parley_state_t       *s = parley_store_state(a.store);
    parley_job_add_t      add;
    parley_store_stat_t   stat;
    parley_job_added_t    got;

    (void) state;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    j = job("lane", text);

    memset(&add, 0, sizeof(add));
    add.job = j;

    assert_int_equal(s->ops->job->add(s, &add, &got, call),
                     PARLEY_STATE_LATER);
    fill(&a);
    until(PARLEY_STATE_LATER, call);
    equal();

    assert_false(has_lane(&a, "lane"));
    assert_true(has_lane(&b, "lane"));

    parley_store_stat(a.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_JOB], 1);
    assert_string_equal(a.last, "the zone has no room for a job of this "
                        "gateway, which is lost");
    parley_store_stat(b.store, &stat);
    assert_int_equal(stat.lost[PARLEY_STORE_LOST_JOB], 0);
}


/* Adds a sole job at a node, which may have it already. */

static void
add_sole(parley_test_node_t *n)
{
    parley_job_t  j = job("dial", "bob");

    j.sole = 1;
    j.lasts = INT64_MAX;
    j.class = PARLEY_JOB_LASTING;

    add_job(n, &j);
}


/* Returns the number of sole jobs that the nodes take. */

static int
takes_sole(void)
{
    int  n;

    parley_test_nodes(both, 2, NULL, 2500);

    n = take_jobs(&a).n;

    return n + take_jobs(&b).n;
}


static void
test_sole(void **state)
{
    unsigned  i;

    (void) state;

    for (i = 0; i < 4; i++) {
        add_sole(both[i % 2]);
    }

    equal();
    assert_int_equal(takes_sole(), 1);
    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB]
                     + counts(&b).entries[PARLEY_KIND_JOB], 1);
}


/* The step of the job is no longer in the store when another node begins. */

static void
test_sole_later(void **state)
{
    parley_job_id_t     id;
    parley_job_page_t   page;
    parley_state_t     *s = parley_store_state(a.store);

    (void) state;

    add_sole(&a);
    parley_test_nodes(both, 2, NULL, 2500);
    page = take_jobs(&a);
    assert_int_equal(page.n, 1);
    id = page.list[0].id;
    assert_true(s->ops->job->has(s, &id));

    parley_test_node_end(&b);
    parley_test_engine_do(&engine, "del {parley}f {parley}q");
    parley_test_node_begin(&b, &engine, 'C');
    b.conf.lease = LEASE;
    parley_test_nodes_up(both, 2);
    assert_false(has_lane(&b, "dial"));

    add_sole(&b);
    equal();
    assert_int_equal(takes_sole(), 0);
    assert_true(has_lane(&b, "dial"));
    assert_true(s->ops->job->has(s, &id));
    assert_int_equal(counts(&b).entries[PARLEY_KIND_JOB], 0);
}


static void
test_new_node(void **state)
{
    parley_job_t       j = job("url", "to bob"), k = job("url", "over");
    parley_job_page_t  page;

    (void) state;

    (void) append(&a, NULL, "over", &k);
    page = take_jobs(&a);
    assert_int_equal(end_job(&a, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);
    (void) append(&a, NULL, "hello", &j);
    equal();

    /* a node with an empty zone knows the jobs of those before it */

    parley_test_node_end(&b);
    parley_test_node_begin(&b, &engine, 'C');
    b.conf.lease = LEASE;
    parley_test_nodes_up(both, 2);
    equal();
    assert_int_equal(take_jobs(&b).n, 0);

    parley_test_node_cut(&a, PARLEY_STORE_MAIN);
    page = takes_within(&b, 2 * LEASE + 4000);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "to bob");
    parley_assert_str(page.list[0].record, "hello");
    assert_int_equal(end_job(&b, &page.list[0].id, PARLEY_JOB_DELIVERED, NULL,
                             0),
                     PARLEY_JOB_OK);
    assert_int_equal(take_jobs(&b).n, 0);
}


static void
test_drop(void **state)
{
    size_t           n;
    parley_job_t     j = job("question", "deadline");
    parley_state_t  *s = parley_store_state(b.store);

    (void) state;

    (void) append(&a, NULL, "x", &j);
    (void) append(&b, NULL, "x", &j);
    equal();

    (void) s->ops->job->drop(s, key(PARLEY_KIND_LOG, "question"), &n, NULL);
    assert_int_equal(n, 1);
    equal();

    assert_false(has_lane(&a, "question"));
    assert_false(has_lane(&b, "question"));
    assert_int_equal(counts(&a).entries[PARLEY_KIND_JOB], 0);
    assert_int_equal(counts(&b).entries[PARLEY_KIND_JOB], 0);
}


/* A failover has lost the end of a job, and the step of another one. */

static void
test_lost(void **state)
{
    parley_job_t        j = job("url", "to bob"), k = job("url", "second"),
                        l = job("other", "to carol");
    parley_job_end_t    over;
    parley_state_t     *zone = &a.zone.s.state;
    parley_job_page_t   page;

    (void) state;

    (void) append(&a, NULL, "hello", &j);
    (void) append(&a, NULL, "other", &l);
    (void) append(&b, NULL, "later", &k);
    equal();

    page = take_jobs(&a);
    assert_int_equal(page.n, 2);

    memset(&over, 0, sizeof(over));
    over.id = &page.list[0].id;
    parley_assert_str(page.list[0].text, "to bob");
    over.how = PARLEY_JOB_DELIVERED;
    (void) zone->ops->job->end(zone, &over, NULL, NULL);
    equal();

    assert_int_equal(take_jobs(&b).n, 0);

    parley_test_engine_do(&engine, "flushall");
    parley_test_nodes(both, 2, NULL, LEASE);
    parley_test_nodes_up(both, 2);
    equal();

    page = take_jobs(&b);
    assert_int_equal(page.n, 1);
    parley_assert_str(page.list[0].text, "second");

    /* jobs that the node has stay, and so do new ones */

    assert_true(has_lane(&b, "other"));
    (void) append(&a, NULL, "hello", &j);
    equal();
    assert_true(has_lane(&b, "url"));
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        job_test("CLU-06: one node has a job", test_one_node),
        job_test("CLU-06 CLU-07: the jobs of a node that stopped",
                 test_adopted),
        job_test("CLU-06: an end after the lease", test_adopted_unknown),
        job_test("CLU-06 VCP-24: the times of jobs of a node that stopped",
                 test_adopted_later),
        job_test("CLU-06: the notice of an end", test_notice),
        job_test("CLU-04 CLU-06: a reader at another node", test_owed),
        job_test("CLU-06: jobs without a record", test_added),
        job_test("CLU-06: a job without room", test_no_room),
        job_test("CLU-06: a sole job", test_sole),
        job_test("CLU-06: a sole job, and a new node", test_sole_later),
        job_test("CLU-06: a new node", test_new_node),
        job_test("CLU-06: a drop", test_drop),
        job_test("CLU-06 CLU-10: records that are owed, in a new generation",
                 test_owed_before),
        job_test("CLU-06 CLU-10: the end of a job is lost", test_lost),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
