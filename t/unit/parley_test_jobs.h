/* Jobs over two nodes that share a real engine, and the verbs of jobs. */

#ifndef PARLEY_TEST_JOBS_H
#define PARLEY_TEST_JOBS_H

#include "state/parley_import.h"
#include "t/unit/parley_test_nodes.h"


#define LEASE  2000


static parley_arena_t       arena;
static parley_test_node_t  *one[1];     /* the node that works alone */


static inline int
begin_jobs(void **state)
{
    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_test_engine_begin(&engine, NULL);
    parley_test_node_begin(&a, &engine, 'A');
    parley_test_node_begin(&b, &engine, 'B');
    a.conf.lease = LEASE;
    b.conf.lease = LEASE;
    parley_test_nodes_up(both, 2);

    return 0;
}


static inline int
end_jobs(void **state)
{
    parley_arena_reset(&arena);

    return end(state);
}


#define job_test(name, f)  { (name), (f), begin_jobs, end_jobs, NULL }


static inline parley_job_t
job(const char *lane, const char *text)
{
    parley_job_t  j;

    memset(&j, 0, sizeof(j));
    memcpy(j.lane, key(PARLEY_KIND_LOG, lane), PARLEY_KEY_LEN);
    j.text = parley_str_c(text);
    j.lasts = TTL;

    return j;
}


/* Appends a record with a job; log NULL: the record is in no log. */

static inline parley_place_t
append(parley_test_node_t *n, const char *log, const char *text,
    const parley_job_t *j)
{
    parley_str_t        part = parley_str_c(text);
    parley_call_t      *call = wait_for();
    parley_state_t     *s = parley_store_state(n->store);
    parley_append_t     append;
    parley_appended_t   got;

    memset(&append, 0, sizeof(append));

    append.logs = log != NULL
                  ? (const uint8_t (*)[PARLEY_KEY_LEN]) (const void *)
                    key(PARLEY_KIND_LOG, log)
                  : NULL;
    append.nlogs = log != NULL;
    append.parts = &part;
    append.nparts = 1;
    append.account = key(PARLEY_KIND_ACCOUNT, "ada");
    append.retention.records = 1;
    append.retention.octets = 100000;
    append.retention.ms = 1000;
    append.ttl = TTL;
    append.arena = &arena;
    append.jobs = j;
    append.njobs = j != NULL;

    until(s->ops->log->append(s, &append, &got, call), call);
    assert_int_equal(got.verdict, PARLEY_APPEND_OK);

    return log != NULL ? got.places[0].place : (parley_place_t) { 0, 0 };
}


static inline parley_job_page_t
take_jobs(parley_test_node_t *n)
{
    parley_state_t     *s = parley_store_state(n->store);
    parley_job_take_t   t;
    parley_job_page_t   page;

    memset(&t, 0, sizeof(t));
    t.max = 4;
    t.arena = &arena;

    (void) n->env.now(n->env.ctx);
    (void) s->ops->job->take(s, &t, &page, NULL);

    return page;
}


static inline parley_job_verdict_t
end_job(parley_test_node_t *n, const parley_job_id_t *id,
    parley_job_how_t how, const parley_append_t *tells, unsigned mark)
{
    parley_call_t       *call = wait_for();
    parley_state_t      *s = parley_store_state(n->store);
    parley_job_end_t     end;
    parley_job_ended_t   got;

    memset(&end, 0, sizeof(end));
    memset(&got, 0, sizeof(got));
    end.id = id;
    end.how = how;
    end.tells = tells;
    end.mark = mark;

    until(s->ops->job->end(s, &end, &got, call), call);

    return got.verdict;
}


static inline int
has_lane(parley_test_node_t *n, const char *lane)
{
    return n->zone.s.state.ops->import->has_lane(&n->zone.s.state,
                                                 key(PARLEY_KIND_LOG, lane));
}


static inline parley_state_stat_t
counts(parley_test_node_t *n)
{
    parley_state_stat_t  stat;

    (void) n->zone.s.state.ops->stat(&n->zone.s.state, &stat, NULL);

    return stat;
}


/* Lets a node work alone until it takes a job, for at most ms. */

static inline parley_job_page_t
takes_within(parley_test_node_t *n, int64_t ms)
{
    int64_t            i;
    parley_job_page_t  page;

    one[0] = n;

    for (i = 0; i < ms / 20; i++) {
        parley_test_nodes(one, 1, NULL, 20);
        page = take_jobs(n);

        if (page.n != 0) {
            return page;
        }
    }

    page.n = 0;

    return page;
}


#endif /* PARLEY_TEST_JOBS_H */
