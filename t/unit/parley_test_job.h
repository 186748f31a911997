/* Jobs of a state in private memory (parley_test_log.h). */

#ifndef PARLEY_TEST_JOB_H
#define PARLEY_TEST_JOB_H

#include "t/unit/parley_test_log.h"

#include "state/parley_job.h"


#define MAX  64


static const int64_t      delays[] = { 1000, 2000, 4000 };

static parley_job_page_t  got;
static char               said[1024];
static unsigned           passes;          /* classes that take() leaves out */


static inline parley_job_t
job(unsigned lane, const char *says, int64_t after)
{
    parley_job_t  j;

    memset(&j, 0, sizeof(j));
    memcpy(j.lane, keys[lane], PARLEY_KEY_LEN);

    j.text = parley_str_c(says);
    j.after = after;
    j.lasts = 300000;

    return j;
}


static inline parley_job_added_t
add(unsigned lane, const char *says, int64_t after)
{
    parley_job_add_t    a;
    parley_job_added_t  rc;

    memset(&a, 0, sizeof(a));
    a.job = job(lane, says, after);
    a.job.class = says[0] == '!' ? PARLEY_JOB_PROMPT
                  : says[0] == '^' ? PARLEY_JOB_URGENT : PARLEY_JOB_ORDINARY;

    assert_int_equal(t.s.state.ops->job->add(&t.s.state, &a, &rc, NULL),
                     PARLEY_STATE_DONE);
    return rc;
}


/* Lets a process take jobs; returns them as "text/attempt text/attempt". */

static inline const char *
take_by(parley_memory_t *s, size_t max)
{
    int                i;
    size_t             at;
    parley_job_take_t  take;

    memset(&take, 0, sizeof(take));

    take.max = max;
    take.delays = delays;
    take.ndelays = 3;
    take.arena = &arena;
    take.passes = passes;

    assert_int_equal(s->state.ops->job->take(&s->state, &take, &got, NULL),
                     PARLEY_STATE_DONE);
    assert_int_not_equal(got.n, -1);

    at = 0;
    said[0] = '\0';

    for (i = 0; i < got.n && at < sizeof(said); i++) {
        at += (size_t) snprintf(said + at, sizeof(said) - at, "%s%.*s/%u",
                                i ? " " : "", (int) got.list[i].text.len,
                                (const char *) got.list[i].text.data,
                                got.list[i].attempt);
    }

    return said;
}


static inline const char *
take(void)
{
    return take_by(&t.s, MAX);
}


static inline parley_job_verdict_t
end_by(parley_memory_t *s, const parley_job_id_t *id, parley_job_how_t how,
    int64_t after)
{
    parley_job_end_t    e;
    parley_job_ended_t  ret;

    memset(&e, 0, sizeof(e));
    memset(&ret, 0, sizeof(ret));

    e.id = id;
    e.how = how;
    e.after = after;

    assert_int_equal(s->state.ops->job->end(&s->state, &e, &ret, NULL),
                     PARLEY_STATE_DONE);
    return ret.verdict;
}


static inline parley_job_verdict_t
ends(int i, parley_job_how_t how, int64_t after)
{
    return end_by(&t.s, &got.list[i].id, how, after);
}


static inline uint64_t
ended(parley_job_how_t how)
{
    parley_state_stat_t  stat;

    (void) t.s.state.ops->stat(&t.s.state, &stat, NULL);

    return stat.ended[how];
}


static inline void
nothing_left(void)
{
    assert_int_equal(entries(PARLEY_KIND_LANE), 0);
    assert_int_equal(entries(PARLEY_KIND_JOB), 0);
    assert_int_equal(entries(PARLEY_KIND_LOAD), 0);
}


#define test(name, f)  { name, f, begin, end, NULL }


#endif /* PARLEY_TEST_JOB_H */
