/* Jobs of the simulated host: obligations, turns, and attempts at URLs. */

#include "hub/parley_attempt.h"
#include "t/simulate/parley_sim_host.h"


#define SIM_HOST_AT_ONCE    8
#define SIM_HOST_NO_ANSWER  3       /* the URL does not answer */


/* an obligation or a turn that a process works on */
typedef struct {
    parley_deadline_t   deadline;
    parley_run_t       *run;
    sim_process_t      *process;
} sim_host_due_t;


static void sim_host_job_begin(void *ctx, parley_run_t *run);
static void sim_host_job_over(void *ctx, parley_run_t *run,
    parley_job_how_t how, int untold);
static void sim_host_job_wait(void *ctx, int64_t ms);
static void sim_host_due(sim_process_t *p, parley_run_t *run);
static void sim_host_due_run(sim_host_due_t *d);
static void sim_host_due_resume(parley_ask_t *q);
static void sim_host_post(sim_process_t *p, parley_run_t *run);
static void sim_host_post_ends(parley_run_t *run,
    parley_delivery_t *delivery, const parley_attempted_t *how);


static void sim_host_answers_post(sim_post_t *post, unsigned how);


static const parley_mem_t  sim_host_mem = { sim_alloc, sim_free, NULL };


void
sim_host_jobs_start(sim_process_t *p)
{
    parley_runner_env_t  env;

    memset(&env, 0, sizeof(env));

    env.mem = &sim_host_mem;
    env.begin = sim_host_job_begin;
    env.over = sim_host_job_over;
    env.wait = sim_host_job_wait;
    env.ctx = p;

    p->due = world.now;
    p->runner = parley_runner_create(&p->memory.state, &env,
                                     SIM_HOST_AT_ONCE);

    if (p->runner == NULL) {
        abort();
    }
}


void
sim_host_jobs_gone(sim_process_t *p)
{
    unsigned  i;

    for (i = 0; i < SIM_HOST_POSTS; i++) {
        if (sim_host.posts[i].process == p) {
            sim_host.posts[i].process = NULL;
        }
    }
}


static void
sim_host_job_wait(void *ctx, int64_t ms)
{
    sim_process_t *p = ctx;

    p->due = ms < 0 ? INT64_MAX : world.now + ms;
}


static void
sim_host_job_begin(void *ctx, parley_run_t *run)
{
    parley_str_t               text;
    parley_job_subject_kind_t  kind;

    kind = parley_job_subject_read(run->job.text, &text);

    switch (kind) {

    case PARLEY_SUBJECT_FOLLOW:
    case PARLEY_SUBJECT_TURN:
        sim_host_due(ctx, run);
        break;

    case PARLEY_SUBJECT_DELIVER:
        sim_host_post(ctx, run);
        break;

    default:
        sim_fail("a job of the kind %d", (int) kind);
    }
}


static void
sim_host_job_over(void *ctx, parley_run_t *run, parley_job_how_t how,
    int untold)
{
    parley_str_t               text;
    parley_job_subject_kind_t  kind;

    (void) ctx;

    text = parley_str_none;
    kind = parley_job_subject_read(run->job.text, &text);

    sim_host_tell("  a job %d %d is over: %d", (int) kind,
                  text.len > 0 ? text.data[0] : 0, (int) how);

    if (untold) {
        sim_fail("a job found no room for its end");
    }

    sim_host_wake();
}


static void
sim_host_due(sim_process_t *p, parley_run_t *run)
{
    sim_host_due_t  *d;

    d = parley_arena_calloc(&run->arena, sizeof(sim_host_due_t));

    if (d == NULL) {
        abort();
    }

    run->data = d;
    run->insists = 1;

    d->run = run;
    d->process = p;
    d->deadline.deliver = &sim_host.render;
    d->deadline.job = &run->job;
    d->deadline.arena = &run->arena;
    d->deadline.now_ms = sim_host_now();

    parley_ask_init(&d->deadline.ask, &p->memory.state, &run->arena);

    d->deadline.ask.resume = sim_host_due_resume;
    d->deadline.ask.ctx = d;
    d->deadline.ask.now = world.now;

    sim_host_due_run(d);
}


static void
sim_host_due_run(sim_host_due_t *d)
{
    int                        rc;
    parley_str_t               text;
    parley_job_subject_kind_t  kind;

    kind = parley_job_subject_read(d->run->job.text, &text);

    rc = kind == PARLEY_SUBJECT_FOLLOW ? parley_host_follow_run(&d->deadline)
                                       : parley_host_turn_run(&d->deadline);

    if (rc == PARLEY_WAIT) {
        return;
    }

    if (d->deadline.wakes) {
        sim_host_wake();
    }

    parley_runner_end(d->run, &d->deadline.end);
}


static void
sim_host_due_resume(parley_ask_t *q)
{
    sim_host_due_run(q->ctx);
}


/* A URL gets the request of an attempt, and answers later. */

static void
sim_host_post(sim_process_t *p, parley_run_t *run)
{
    unsigned             i;
    sim_party_t          party;
    parley_delivery_t   *delivery;
    parley_attempted_t   over;

    for (i = 0; i < SIM_HOST_POSTS && sim_host.posts[i].process != NULL; i++) {
        /* void */
    }

    if (i == SIM_HOST_POSTS) {
        sim_fail("too many attempts");
    }

    delivery = parley_arena_calloc(&run->arena, sizeof(parley_delivery_t));

    if (delivery == NULL) {
        abort();
    }

    run->data = delivery;

    if (!parley_delivery_begin(&sim_host.render, &run->job, &run->arena,
                               delivery, &over))
    {
        sim_host_post_ends(run, delivery, &over);
        return;
    }

    party = sim_host_party(delivery->sub);

    sim_host_octets(party, delivery->sent.body, NULL);
    sim_host_sees(party, delivery->sent.body, 1);

    sim_host.posts[i].process = p;
    sim_host.posts[i].run = run;
    sim_host.posts[i].delivery = delivery;
    sim_host.posts[i].began = world.now;
}


static void
sim_host_post_ends(parley_run_t *run, parley_delivery_t *delivery,
    const parley_attempted_t *how)
{
    parley_job_end_t  end;

    memset(&end, 0, sizeof(end));

    end.how = how->how;
    end.after = how->after;
    end.mark = how->mark;

    delivery->why = how->why;

    if (delivery->publication.views.len > 0 && how->how != PARLEY_JOB_AGAIN) {
        parley_host_follow_delivered(&world.outside.state, delivery,
                                     &run->arena, &end.tells);
    }

    parley_runner_end(run, &end);
}


/* A URL answers an attempt of a process. */

int
sim_host_answer(sim_process_t *p, uint64_t arg)
{
    unsigned     i, how;
    sim_post_t  *post;

    for (i = 0; i < SIM_HOST_POSTS; i++) {
        post = &sim_host.posts[(arg + i) % SIM_HOST_POSTS];

        if (post->process == p) {
            how = (unsigned) (arg >> 8) % 8;
            sim_host_answers_post(post, how < 4 ? 0 : how - 3);
            return 1;
        }
    }

    return 0;
}


/* The time of attempts is over. */

void
sim_host_posts_end(void)
{
    unsigned     i;
    sim_post_t  *post;

    for (i = 0; i < SIM_HOST_POSTS; i++) {
        post = &sim_host.posts[i];

        if (post->process != NULL
            && world.now - post->began >= PARLEY_ATTEMPT_MS)
        {
            sim_host_answers_post(post, SIM_HOST_NO_ANSWER);
        }
    }
}


/* how: an index of bodies, or no answer. */

static void
sim_host_answers_post(sim_post_t *post, unsigned how)
{
    char                 id[SIM_HOST_ID];
    sim_party_t          party;
    sim_said_t          *said;
    parley_run_t        *run;
    parley_delivery_t   *delivery;
    parley_attempted_t   came;

    static const char *const  bodies[SIM_HOST_NO_ANSWER] = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"accepted\":true}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32000,"
        "\"message\":\"no\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
        "\"message\":\"no method\"}}",
    };

    sim_at = post->process;
    run = post->run;
    delivery = post->delivery;
    post->process = NULL;

    party = sim_host_party(delivery->sub);
    snprintf(id, sizeof(id), "%.*s", (int) delivery->publication.id.len,
             (const char *) delivery->publication.id.data);

    sim_host_tell("the URL of %s answers %u to %s", sim_parties[party], how,
                  id);

    /* a surface does not change its answer */

    said = sim_host_said(delivery->publication.id);

    if (party == SIM_WEB && said != NULL && how < SIM_HOST_NO_ANSWER
        && (said->took || said->refused))
    {
        how = said->took ? 0 : 1;
    }

    if (how == 0) {
        sim_host_acked(party, id);

        if (party == SIM_WEB && said != NULL) {
            said->took = 1;
        }

    } else if (how == 1) {
        sim_host_refuses(party, id);
    }

    if (how < SIM_HOST_NO_ANSWER) {
        parley_delivery_came(&sim_host.render, &run->job, delivery, 200,
                             parley_str_c(bodies[how]), 1, 0, &run->arena,
                             &came);

    } else {
        parley_delivery_came(&sim_host.render, &run->job, delivery,
                             how == SIM_HOST_NO_ANSWER ? 0 : 503,
                             parley_str_none, 0, 0, &run->arena, &came);
    }

    sim_host_post_ends(run, delivery, &came);
}
