/*
 * Deadlines in the simulated world: questions that were not answered in time
 * (VCP-24, VCP-27, AEE-29).  The jobs are those of parley_deadline.h and are
 * run as an adapter runs them.  A raised message must be in the log of its
 * recipient.
 */

#include "hub/parley_attempt.h"
#include "translate/parley_engine.h"
#include "hub/parley_expand.h"
#include "gate/delivery/parley_deadline.h"
#include "gate/correlation/parley_question.h"
#include "gate/settings/parley_settings.h"
#include "t/simulate/parley_sim.h"


#define SIM_AGAIN_MS    1000
#define SIM_QUESTION    (PARLEY_KEY_LEN + sizeof(uint32_t))
#define SIM_TICK        256         /* precision of deadlines, in ms */


/* the job that a process is raising, in case it dies */
static sim_job_t                 *sim_raises;


static const char *const  sim_subs[SIM_PRINCIPALS] = {
    "alice", "bob", "carol", "dave"
};

static const char  sim_identities[] =
    "{\"principals\":["
    "{\"sub\":\"alice\",\"aee\":\"agent.alice\",\"handle\":\"~alice\","
    "\"parent\":\"bob\"},"
    "{\"sub\":\"bob\",\"aee\":\"agent.bob\",\"handle\":\"~bob\","
    "\"parent\":\"carol\"},"
    "{\"sub\":\"carol\",\"aee\":\"agent.carol\",\"handle\":\"~carol\","
    "\"parent\":\"dave\"},"
    "{\"sub\":\"dave\",\"aee\":\"agent.dave\",\"handle\":\"~dave\"}]}";

/* shared by all histories */
static parley_render_t           sim_deliver;
static parley_settings_http_t     sim_http;
static parley_arena_t             sim_arena;


static sim_job_t *sim_due_waits(unsigned asked);
static void sim_due_over(sim_job_t *job);


void
sim_due_settings(void)
{
    parley_error_t  err;

    if (sim_deliver.engine != NULL) {
        return;
    }

    parley_arena_init(&sim_arena, &parley_mem_libc, 0);
    parley_error_clear(&err);

    sim_http.publishes = 1;
    sim_http.retain = 100;
    sim_http.retain_ms = 60000;
    sim_http.self_names[PARLEY_PROTO_CANONICAL] = PARLEY_STR("agent.gateway");

    sim_deliver.http = &sim_http;
    sim_deliver.engine = parley_engine_create(&parley_mem_libc, &err);

    if (sim_deliver.engine == NULL
        || parley_directory_parse(&sim_arena, parley_str_c(sim_identities),
                                  NULL, &sim_http.directory, &err)
           != 0)
    {
        abort();
    }
}


parley_str_t
sim_sub(unsigned principal)
{
    return parley_str_c(sim_subs[principal]);
}


void
sim_due_log(unsigned principal, uint8_t out[PARLEY_KEY_LEN])
{
    char  handle[16];

    snprintf(handle, sizeof(handle), "~%s", sim_subs[principal]);
    parley_expand_log(&world.outside.state, parley_str_c(handle), out);
}


sim_job_t *
sim_due_add(sim_question_t *q, unsigned kind, unsigned asked, int64_t after)
{
    sim_job_t  *job;

    if (world.njobs == SIM_JOBS) {
        sim_fail("too many jobs");
    }

    job = &world.jobs[world.njobs++];

    memset(job, 0, sizeof(sim_job_t));

    job->timer = 1;
    job->lane = SIM_LANES_DUE + (unsigned) (q - world.questions) * 2
                + (kind == PARLEY_SUBJECT_EMERGENCY);
    job->before = world.now + after;
    job->question = q;
    job->kind = kind;
    job->asked = asked;

    return job;
}


static unsigned
sim_due_principal(parley_str_t sub)
{
    unsigned  i;

    for (i = 0; i < SIM_PRINCIPALS; i++) {
        if (parley_str_eq(sub, sim_sub(i))) {
            return i;
        }
    }

    sim_fail("VCP-24: a deadline is of nobody");
}


/* Returns the deadline of a text, or NULL if the text is another job. */

sim_job_t *
sim_due_job(parley_str_t text)
{
    unsigned         i, asked;
    sim_job_t       *job;
    parley_str_t     rest;
    sim_question_t  *q;
    unsigned         kind;

    kind = (unsigned) parley_job_subject_read(text, &rest);

    if (kind < PARLEY_SUBJECT_EMERGENCY || rest.len < SIM_QUESTION) {
        return NULL;
    }

    asked = sim_due_principal(parley_str_from(rest, SIM_QUESTION));

    for (i = world.njobs; i != 0; i--) {
        job = &world.jobs[i - 1];

        if (job->question != NULL && job->kind == kind && job->asked == asked
            && memcmp(job->question->id.key, rest.data, PARLEY_KEY_LEN) == 0)
        {
            return job;
        }
    }

    /* the process that raised it died */

    job = sim_raises;

    if (job == NULL || kind != PARLEY_SUBJECT_ESCALATION
        || asked != job->asked + 1
        || memcmp(job->question->id.key, rest.data, PARLEY_KEY_LEN) != 0)
    {
        sim_fail("VCP-24: a deadline that nobody asked for");
    }

    q = job->question;

    return sim_due_add(q, PARLEY_SUBJECT_ESCALATION, asked, SIM_ACK_MS);
}


/*
 * Returns the job with which a raised message waits for the next connection of
 * its principal.  In this world the principal never connects.
 */

sim_job_t *
sim_due_up(parley_str_t text, int listing, const sim_job_t *ending)
{
    unsigned       i, asked;
    sim_job_t     *job, *last;
    parley_str_t   handle;

    if (parley_job_subject_read(text, &handle) != PARLEY_SUBJECT_AWAIT) {
        return NULL;
    }

    last = NULL;
    asked = sim_due_principal(parley_str_from(handle, 1));

    for (i = 0; i < world.njobs; i++) {
        job = &world.jobs[i];

        if (job->lane != SIM_LANES_UP + asked || job->ended
            || (listing && job->seen))
        {
            continue;
        }

        if (job != ending) {
            return job;
        }

        last = job;
    }

    if (last != NULL) {
        return last;
    }

    /* the process that raised it died */

    if (sim_raises == NULL || asked != sim_raises->asked + 1) {
        sim_fail("VCP-33: what nobody raised waits for %s", sim_subs[asked]);
    }

    return sim_due_waits(asked);
}


static sim_job_t *
sim_due_waits(unsigned asked)
{
    sim_job_t  *job;

    if (world.njobs == SIM_JOBS) {
        sim_fail("too many jobs");
    }

    job = &world.jobs[world.njobs++];

    memset(job, 0, sizeof(sim_job_t));

    job->owed = 1;
    job->kind = PARLEY_SUBJECT_AWAIT;
    job->lane = SIM_LANES_UP + asked;
    job->ends = world.now + PARLEY_ATTEMPT_LIVES;
    job->before = job->ends;

    return job;
}


/* Returns whether a process handles an answer to the question. */

static int
sim_due_answering(const sim_question_t *q)
{
    unsigned  i;

    for (i = 0; i < SIM_ANSWERS; i++) {
        if (world.answers[i].process != NULL
            && world.answers[i].question == q)
        {
            return 1;
        }
    }

    return 0;
}


static void
sim_due_expect(const sim_job_t *job, const parley_deadline_t *d)
{
    int                      known;
    parley_deadline_t        other;
    parley_state_stat_t      stat;
    parley_deadline_how_t    how;
    const sim_question_t    *q;
    parley_audit_delivery_t  came, due;

    q = job->question;
    known = world.now < q->ends;

    how = d->job->left <= 0 || d->job->record.data == NULL
          ? PARLEY_DEADLINE_LOST
          : job->kind == PARLEY_SUBJECT_TIMEOUT
          ? (q->answered ? PARLEY_DEADLINE_ANSWERED
             : PARLEY_DEADLINE_TIMED_OUT)
          : known && q->answered && job->kind == PARLEY_SUBJECT_ESCALATION
          ? PARLEY_DEADLINE_ANSWERED
          : job->asked + 1 < SIM_PRINCIPALS ? PARLEY_DEADLINE_RAISED
          : PARLEY_DEADLINE_UNACKNOWLEDGED;

    if (d->how == how
        || (!known && job->kind == PARLEY_SUBJECT_TIMEOUT
            && d->how == PARLEY_DEADLINE_LOST))
    {
        return;
    }

    if (d->how == PARLEY_DEADLINE_AGAIN) {

        /* an answer is in progress, or there is no room */

        (void) world.outside.state.ops->stat(&world.outside.state, &stat,
                                             NULL);

        if ((job->kind == PARLEY_SUBJECT_TIMEOUT && sim_due_answering(q))
            || world.size < SIM_SMALL || stat.level == PARLEY_STATE_FULL)
        {
            return;
        }
    }

    other = *d;
    other.how = how;

    parley_deadline_line(d, &came);
    parley_deadline_line(&other, &due);

    sim_fail("%s: a deadline came to \"%.*s\" and not to \"%.*s\"",
             job->kind == PARLEY_SUBJECT_TIMEOUT ? "AEE-29" : "VCP-24",
             (int) came.outcome.len, (const char *) came.outcome.data,
             (int) due.outcome.len, (const char *) due.outcome.data);
}


void
sim_due_begin(sim_process_t *p, parley_run_t *run, sim_job_t *job)
{
    parley_job_end_t    end;
    parley_deadline_t  *d;

    d = parley_arena_calloc(&run->arena, sizeof(parley_deadline_t));

    if (d == NULL) {
        abort();
    }

    run->data = d;
    run->insists = 1;

    d->deliver = &sim_deliver;
    d->job = &run->job;
    d->arena = &run->arena;
    d->now_ms = world.now;

    parley_ask_init(&d->ask, &p->memory.state, &run->arena);
    d->ask.now = world.now;

    if (parley_deadline_run(d) != 0) {
        sim_fail("a deadline waits for a state that is there at once");
    }

    sim_due_expect(job, d);

    end = d->end;
    job->how = d->how;
    job->before = end.how == PARLEY_JOB_AGAIN ? world.now + end.after
                                              : world.now;

    sim_raises = d->how == PARLEY_DEADLINE_RAISED ? job : NULL;
    world.ending = job;
    world.run = run;
    world.tells = end.tells != NULL;

    parley_runner_end(run, &end);

    /* a job that found no room is tried again */

    if (!job->ended && end.how != PARLEY_JOB_AGAIN) {
        job->before = world.now + SIM_AGAIN_MS;
    }

    sim_raises = NULL;
    world.ending = NULL;
}


/* Checks the newest record in the log of the recipient. */

static void
sim_due_came(const sim_job_t *job, unsigned to)
{
    char                   id[40], text[4096];
    uint8_t                log[PARLEY_KEY_LEN];
    uint8_t                name[PARLEY_PUBLICATION_QUESTION];
    parley_log_page_t      page;
    parley_log_read_t      read;
    parley_publication_t   p;

    memset(&read, 0, sizeof(read));
    sim_due_log(to, log);

    read.log = log;
    read.backward = 1;
    read.records = 1;
    read.octets = SIZE_MAX / 2;
    read.arena = &world.arena;

    (void) world.outside.state.ops->log->read(&world.outside.state, &read,
                                              &page, NULL);

    if (page.n != 1
        || parley_publication_read(page.list[0].octets, &p) != 0)
    {
        sim_fail("VCP-24: what went up to %s is not there", sim_subs[to]);
    }

    snprintf(id, sizeof(id), "00000000-0000-4000-8000-%012u",
             (unsigned) (job->question - world.questions));

    if (job->kind != PARLEY_SUBJECT_TIMEOUT) {

        if (!parley_str_eq(p.id, parley_str_c(id))
            || !parley_str_eq(p.sender, sim_sub(job->question->sender)))
        {
            sim_fail("VCP-24: something else went up to %s", sim_subs[to]);
        }

        return;
    }

    parley_publication_question(&job->question->id, name);

    snprintf(text, sizeof(text), "%.*s", (int) p.message.len,
             (const char *) p.message.data);

    if (!parley_str_eq(p.answers, parley_str_make(name, sizeof(name)))
        || strstr(text, id) == NULL)
    {
        sim_fail("AEE-29: something else is told to %s", sim_subs[to]);
    }
}


static void
sim_due_over(sim_job_t *job)
{
    sim_question_t  *q;

    q = job->question;

    switch (job->how) {

    case PARLEY_DEADLINE_RAISED:
        sim_due_came(job, job->asked + 1);

        if (sim_raises == job) {
            (void) sim_due_waits(job->asked + 1);
            (void) sim_due_add(q, PARLEY_SUBJECT_ESCALATION, job->asked + 1,
                               SIM_ACK_MS);
            sim_raises = NULL;
        }

        break;

    case PARLEY_DEADLINE_TIMED_OUT:
        sim_due_came(job, job->asked);

        if (q->told || q->answered) {
            sim_fail("SEC-08: a task times out that %s",
                     q->told ? "did so before" : "was answered");
        }

        q->told = 1;
        break;

    default:
        break;
    }
}


void
sim_due_ended(sim_job_t *job, int untold)
{
    if (untold) {

        if (world.run->job.left > SIM_AGAIN_MS) {
            sim_fail("VCP-24: what somebody was to be told found no room, and "
                     "is not tried again");
        }

        sim_raises = NULL;
        return;
    }

    sim_due_over(job);
}


/*
 * Handles a job whose process died while it ended it.  The jobs that it adds
 * were found with it, or the history fails.
 */

void
sim_due_silent(sim_job_t *job)
{
    unsigned  i;

    if (job->how == PARLEY_DEADLINE_RAISED) {

        for (i = 0; i < world.njobs; i++) {
            if (world.jobs[i].question == job->question
                && world.jobs[i].kind == PARLEY_SUBJECT_ESCALATION
                && world.jobs[i].asked == job->asked + 1)
            {
                break;
            }
        }

        if (i == world.njobs) {
            sim_fail("VCP-24: an escalation ends on its way up");
        }
    }

    sim_raises = NULL;
    sim_due_over(job);
}


/* Checks that a deadline is not later than it should be. */

void
sim_due_listed(const sim_job_t *job, const parley_job_listed_t *listed)
{
    if (!job->vague && !listed->taken && listed->tried == 0
        && world.now - listed->due > job->before + SIM_TICK)
    {
        sim_fail("VCP-24: a deadline is %d ms too late",
                 (int) (world.now - listed->due - job->before));
    }
}


void
sim_due_forget(void)
{
    sim_raises = NULL;
    sim_ask_forget();
}
