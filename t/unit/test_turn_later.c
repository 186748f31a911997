/*
 * Jobs while a message is changed: each order of the verbs of a job and of a
 * call, each of which may be left at any verb, as if its process had died.
 */

#include "t/unit/parley_test_host.h"


#define FIRST   SAYS("m1", "keep this")
#define SECRET  SAYS("m2", "secret")
#define FOLLOW  11000       /* ms until an obligation is looked at */


/* a history */
typedef struct {
    const char  *first;         /* messages */
    const char  *second;
    const char  *change;
    unsigned     offered:1;     /* the turn is offered before the change */
    unsigned     repeats:1;     /* a change that was left is repeated */
    unsigned     reloads:1;     /* without turns when the change is repeated */
} history_t;

/* the order of its verbs */
typedef struct {
    unsigned  job;              /* verbs of the job before the change, */
    unsigned  change;           /* and of the change before the job goes on */
    unsigned  job_dies:1;       /* then, as the process dies; */
    unsigned  change_dies:1;
    unsigned  job_last:1;       /* the job goes on after the change */
} order_t;


static task_t *
job_of_turn(void)
{
    task_t  *list[JOBS];

    assert_int_equal(host_take(list), 1);
    assert_int_equal(host_job_kind(list[0]), PARLEY_SUBJECT_TURN);

    return list[0];
}


/* Runs the job to its end, or leaves it. */

static void
rest_of(task_t *job, const order_t *o)
{
    if (job != NULL && !job->done && o->job_dies) {
        host_job_left(&job->job, 0);
        job->done = 1;

    } else if (job != NULL && !job->done) {
        host_finish(job);
    }
}


static void
is_gone(const order_t *o)
{
    if (host_count("~ada", "secret") != 0) {
        fail_msg("job %u%s, change %u%s%s: readable", o->job,
                 o->job_dies ? " dies" : "", o->change,
                 o->change_dies ? " dies" : "", o->job_last ? ", job" : "");
    }
}


/* Returns 0 if the job or the change had fewer verbs. */

static int
history(const history_t *h, const order_t *o)
{
    int        more, accepted;
    unsigned   open, turns;
    task_t    *job, *change;

    host_begin();
    host_said(h->first);
    t.now += 10;
    host_said(h->second);
    t.now += 2 * host.quiet_ms;

    if (h->offered) {
        (void) host_jobs("");
        assert_int_equal(host_count("~ada", "secret"), 1);
    }

    job = h->offered ? NULL : job_of_turn();
    change = host_says(h->change);

    more = (job == NULL || host_steps(job, o->job) == o->job)
           && host_steps(change, o->change) == o->change;

    if (!o->job_last) {
        rest_of(job, o);
    }

    if (!o->change_dies) {
        host_finish(change);
    }

    if (!change->done && h->repeats) {
        host_free(change);
        host.quiet_ms = h->reloads ? 0 : host.quiet_ms;
        change = host_says(h->change);
        host_finish(change);
    }

    accepted = host_accepted(change);

    if (change->done && !accepted) {
        fail_msg("%u %u: %s", o->job, o->change, change->err.text);
    }

    if (accepted) {
        is_gone(o);
    }

    rest_of(job, o);

    if (accepted) {
        is_gone(o);
    }

    if (job != NULL) {
        host_free(job);
    }

    host_free(change);

    (void) host_jobs("");
    t.now += 5000;
    (void) host_jobs("");
    t.now += FOLLOW;
    open = host_jobs("keep this");
    turns = host_count("~ada", "keep this");

    if (open != 1 || turns != 1) {
        fail_msg("job %u%s, change %u%s%s: %u obligations, %u turns", o->job,
                 o->job_dies ? " dies" : "", o->change,
                 o->change_dies ? " dies" : "", o->job_last ? ", job" : "",
                 open, turns);
    }

    if (accepted) {
        is_gone(o);
    }

    host_end();

    return more;
}


static void
histories(const history_t *h)
{
    int       more;
    order_t   o;
    unsigned  how;

    memset(&o, 0, sizeof(order_t));

    for (how = 0; how < 8; how++) {

        /* a job that is left does not go on; only a change that is left is
           repeated */

        if ((how & 5) == 5 || (h->repeats && (how & 2) == 0)) {
            continue;
        }

        o.job_dies = how & 1;
        o.change_dies = (how & 2) != 0;
        o.job_last = (how & 4) != 0;
        more = 1;

        for (o.job = 0; more; o.job++) {
            more = !h->offered;

            for (o.change = 0; history(h, &o); o.change++) { /* void */ }

            more = more && o.change > 0;
        }
    }
}


static void
each(history_t *h)
{
    h->repeats = 0;
    h->reloads = 0;
    histories(h);

    h->repeats = 1;
    histories(h);

    h->reloads = 1;
    histories(h);
}


static void
test_newest(void **state)
{
    history_t  h = { FIRST, SECRET, DELETES("d1", "m2"), .offered = 0 };

    (void) state;

    each(&h);
}


/* its job keeps the text, too */

static void
test_oldest(void **state)
{
    history_t  h = { SAYS("m1", "secret"), SAYS("m2", "keep this"),
                     DELETES("d1", "m1"), .offered = 0 };

    (void) state;

    each(&h);
}


static void
test_offered(void **state)
{
    history_t  h = { FIRST, SECRET, DELETES("d1", "m2"), .offered = 1 };

    (void) state;

    each(&h);
}


static void
test_edit(void **state)
{
    history_t  h = { FIRST, SECRET, EDITS("e1", "m2", "better"), .offered = 0 };

    (void) state;

    each(&h);

    h.offered = 1;
    each(&h);
}


/* The append of the turn fails, as a change begins: the steps before it were
   done, and the job does not do them again. */

static void
test_superseded(void **state)
{
    task_t    *job, *list[JOBS];
    unsigned   n;

    const unsigned  superseded = PARLEY_M_CHAT_DISPOSITIONS
                                 + PARLEY_L_DISPOSITION_SUPERSEDED;
    const unsigned  dm = PARLEY_M_CHAT_EVENTS + PARLEY_L_ROW_DM;

    (void) state;

    host_begin();
    host_said(SAYS("m1", "one"));
    host_said(SAYS("m2", "two"));
    host_said(SAYS("m3", "three"));
    t.now += 2 * host.quiet_ms;

    assert_int_equal(host_take(list), 1);
    job = list[0];

    while (!job->ran) {
        host_step(job);
    }

    host_said(DELETES("d1", "m2"));
    host_finish(job);
    assert_int_equal(job->verdict, PARLEY_JOB_UNTOLD);
    assert_int_equal(host_counts[superseded], 2);
    assert_int_equal(host_counts[dm], 0);
    host_free(job);

    n = host_take(list);
    assert_int_equal(n, 1);
    host_finish(list[0]);
    assert_int_equal(list[0]->verdict, PARLEY_JOB_OK);
    assert_int_equal(host_counts[superseded], 2);
    host_free(list[0]);
    host_end();
}


/* A message is deleted while its job tells another reader.  Returns 0 if the
   job or the deletion had fewer verbs. */

static int
told(const char *text, unsigned job_at, unsigned change_at)
{
    int        more;
    unsigned   i, n;
    task_t    *job, *change, *list[JOBS];

    assert_int_equal(host_take(list), 1);
    job = list[0];
    change = host_says(text);

    more = host_steps(job, job_at) == job_at
           && host_steps(change, change_at) == change_at;

    host_finish(job);
    host_finish(change);
    assert_true(host_accepted(change));

    for (i = 0; i < 2; i++) {
        if (host_count("~ada", "secret") != 0
            || host_count("~lee", "secret") != 0)
        {
            fail_msg("job %u, change %u: readable", job_at, change_at);
        }

        while ((n = host_take(list)) > 0) {
            while (n-- > 0) {
                host_finish(list[n]);
                host_free(list[n]);
            }
        }
    }

    host_free(job);
    host_free(change);
    host_end();

    return more;
}


static int
goes_up(unsigned job_at, unsigned change_at)
{
    host_begin();
    host.quiet_ms = 0;
    host_said(SAYS("m1", "secret"));
    t.now += host.deadline_ms + 1000;

    return told(DELETES("d1", "m1"), job_at, change_at);
}


static int
is_free(unsigned job_at, unsigned change_at)
{
    host_begin();
    host.quiet_ms = 0;

    host_called(host_calls("web", NULL, MEMBERS));
    host_said(IN_CHANNEL("r1", "\"target\":{\"mentions\":[\"role:ops\"]},"
                         CONTENT("secret")));
    host_called(host_calls("ada", NULL, CLAIMS("r1")));
    t.now += 60001;

    return told(IN_CHANNEL("d1", CHANGE("r1", "delete")), job_at, change_at);
}


static void
each_order(int (*run)(unsigned job_at, unsigned change_at))
{
    unsigned  i, j;

    for (i = 0, j = 1; j > 0; i++) {
        for (j = 0; run(i, j); j++) { /* void */ }
    }
}


static void
test_goes_up(void **state)
{
    (void) state;

    each_order(goes_up);
}


static void
test_is_free(void **state)
{
    (void) state;

    each_order(is_free);
}


/* A message is edited before its records expire, and a job of a further message
   reads the edit after that.  knock: an edit before, which is in no turn. */

static void
expires(int knock)
{
    host_begin();
    host_http.retain_ms = 60000;

    host_said(SAYS("m1", "once"));
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");
    assert_int_equal(host_count("~ada", "once"), 1);

    if (knock) {
        host_called(host_calls("ada", NULL, IGNORES("m1")));
        host_said(EDITS("e0", "m1", "twice"));
        (void) host_jobs("");
    }

    t.now = T0 + 2 * host_http.retain_ms - 500;
    host_said(SAYS("m2", "next"));
    host_said(EDITS("e1", "m1", "better"));
    t.now += 4 * host.quiet_ms;
    (void) host_jobs("");
    t.now += 4 * host.quiet_ms;
    (void) host_jobs("");

    assert_int_equal(host_count("~ada", "next"), 1);
    assert_int_equal(host_count("~ada", "better"), 1);
    assert_int_equal(host_count("~ada", "agent:ada"), 2);
    host_end();
}


static void
test_expires(void **state)
{
    (void) state;

    expires(0);
    expires(1);
}


/* The job of the edit offers the turn, under the id of the message. */

static void
test_repeated(void **state)
{
    (void) state;

    host_begin();
    host_said(SAYS("m1", "first"));
    host_said(EDITS("e1", "m1", "better"));
    t.now += 2 * host.quiet_ms;
    (void) host_jobs("");
    assert_int_equal(host_count("~ada", "better"), 1);

    host_said(EDITS("e1", "m1", "better"));
    assert_int_equal(host_count("~ada", "better"), 1);
    host_end();
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-25 an edit is repeated after the turn of its job",
                test_repeated),
    parley_test("C2A-09 an edit before the records of its turn expire",
                test_expires),
    parley_test("C2A-25 the newest fragment is deleted", test_newest),
    parley_test("C2A-25 the oldest fragment is deleted", test_oldest),
    parley_test("C2A-25 a fragment of an offered turn is deleted",
                test_offered),
    parley_test("C2A-25 a fragment is edited", test_edit),
    parley_test("C2A-25 a message is deleted while it goes up", test_goes_up),
    parley_test("C2A-25 a message is deleted when its claim ends",
                test_is_free),
    parley_test("C2A-27 steps before an append that fails are counted",
                test_superseded),
};

PARLEY_TEST_MAIN(tests)
