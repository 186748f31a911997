/*
 * A host of chat over a state that answers later: calls and jobs as tasks, each
 * of which takes one verb at a time.  A task may be left at any verb, as if its
 * process had died.
 */

#ifndef PARLEY_TEST_HOST_H
#define PARLEY_TEST_HOST_H

#include "gate/delivery/parley_deadline.h"
#include "gate/host/parley_host_follow.h"
#include "gate/host/parley_host_turn.h"
#include "gate/message/parley_gate.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/message/parley_noted.h"
#include "gate/metrics/parley_counters.h"
#include "gate/settings/parley_host_conf.h"
#include "gate/settings/parley_settings.h"
#include "hub/parley_expand.h"
#include "hub/parley_publication.h"
#include "t/later/parley_later.h"
#include "t/unit/parley_test_state.h"
#include "t/unit/parley_test_translate.h"
#include "translate/parley_codec.h"


#define T0    ((int64_t) 1000000)
#define WALL  ((int64_t) 1771151400000)     /* 2026-02-15T10:30:00Z */
#define JOBS  16
#define LOOSE  8

#define PRINCIPALS                                                            \
    "{\"principals\":["                                                       \
    "{\"sub\":\"web\",\"handle\":\"~web\",\"c2a\":\"service:web\","           \
    "\"surface\":[\"web/main\"]},"                                            \
    "{\"sub\":\"will\",\"handle\":\"~will\",\"c2a\":\"human:will\","          \
    "\"accounts\":[\"web/main/will\"]},"                                      \
    "{\"sub\":\"ada\",\"handle\":\"~ada\",\"c2a\":\"agent:ada\","             \
    "\"parent\":\"lee\",\"roles\":[\"ops\"]},"                              \
    "{\"sub\":\"lee\",\"handle\":\"~lee\",\"c2a\":\"agent:lee\","             \
    "\"roles\":[\"ops\"]}]}"

#define DELIVER(id, where, more)                                              \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"chat/deliver\",\"params\":{"  \
    "\"eventId\":\"" id "\",\"source\":{\"platform\":\"web\","                \
    "\"workspaceId\":\"main\"},\"conversation\":{" where "},"                 \
    "\"author\":{\"id\":\"will\",\"kind\":\"human\"}," more "}}"

#define DIRECT(id, more)                                                      \
    DELIVER(id, "\"id\":\"D1\",\"kind\":\"dm\"",                              \
            "\"target\":{\"recipient\":\"agent:ada\"}," more)

#define IN_CHANNEL(id, more)                                                  \
    DELIVER(id, "\"id\":\"C1\",\"kind\":\"channel\"", more)

#define CONTENT(text)                                                         \
    "\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]"

#define CHANGE(of, kind)                                                      \
    "\"change\":{\"of\":\"" of "\",\"kind\":\"" kind "\"}"

#define SAYS(id, text)       DIRECT(id, CONTENT(text))
#define EDITS(id, of, text)  DIRECT(id, CHANGE(of, "edit") "," CONTENT(text))
#define DELETES(id, of)      DIRECT(id, CHANGE(of, "delete"))

#define MEMBERS                                                               \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"chat/members\",\"params\":{"  \
    "\"source\":{\"platform\":\"web\",\"workspaceId\":\"main\"},"             \
    "\"conversation\":{\"id\":\"C1\",\"kind\":\"channel\"},"                  \
    "\"add\":[\"agent:ada\",\"agent:lee\"]}}"

#define CLAIMS(id)                                                            \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"    \
    "\"name\":\"chat_claim\",\"arguments\":{\"inReplyTo\":\"" id "\","        \
    "\"ttlMs\":60000}}}"

#define IGNORES(id)                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"    \
    "\"name\":\"chat_react\",\"arguments\":{\"inReplyTo\":\"" id "\","        \
    "\"signal\":\"declined\"}}}"


/* a call of the surface, or a job */
typedef struct task_s {
    void                (*run)(struct task_s *task);
    parley_arena_t        arena;
    parley_error_t        err;
    parley_late_t        *late;         /* verb under way */
    parley_late_t        *loose[LOOSE]; /* verbs without an answer */
    unsigned              nloose;
    unsigned              done:1;

    /* call */
    parley_gate_t         gate;
    parley_who_t          who;
    parley_json_t         doc;
    parley_msg_t          msg;
    parley_step_result_t  result;

    /* job */
    parley_deadline_t     due;
    parley_taken_t        job;
    parley_job_verdict_t  verdict;
    unsigned              ran:1;
} task_t;


static parley_test_state_t     t;
static parley_arena_t          host_arena;
static parley_settings_http_t  host_http;
static parley_settings_t       host_place;
static parley_host_conf_t      host;
static parley_render_t         host_render;
static task_t                 *current;
static unsigned                host_counts[PARLEY_CELLS];


static inline int
host_start(parley_late_t *late, parley_later_verb_t verb)
{
    assert_non_null(current);

    if (verb == PARLEY_LATER_JOB_DROP) {
        assert_true(current->nloose < LOOSE);
        current->loose[current->nloose++] = late;

        return 0;
    }

    assert_null(current->late);

    current->late = late;

    return 0;
}


static inline void
host_begin(void)
{
    parley_error_t  err;

    parley_test_state_begin(&t, 1 << 20, PARLEY_SHARE_ALL);
    parley_arena_init(&host_arena, &parley_mem_libc, 0);

    t.now = T0;

    memset(&host_http, 0, sizeof(host_http));
    memset(&host, 0, sizeof(host));
    memset(&host_render, 0, sizeof(host_render));
    parley_settings_init(&host_place);

    if (parley_directory_parse(&host_arena, PARLEY_STR(PRINCIPALS), NULL,
                               &host_http.directory, &err)
        != 0)
    {
        fail_msg("%s", err.text);
    }

    host.deadline_ms = 300000;
    host.claim_ms = 60000;
    host.quiet_ms = 1000;
    host.max_ms = 4000;
    host.loop = 6;

    host_place.host = &host;
    host_place.gate.accept = PARLEY_PROTO_BIT(PARLEY_PROTO_C2A);
    host_place.gate.limits = parley_json_limits_default;

    host_http.host = &host_place;
    host_http.publishes = 1;
    host_http.retain = 1000;
    host_http.retain_ms = 3600000;
    host_http.self_names[PARLEY_PROTO_C2A] = PARLEY_STR("service:parley");

    host_render.engine = parley_test_engine();
    host_render.http = &host_http;
    host_render.seed = PARLEY_TEST_SEED;

    memset(host_counts, 0, sizeof(host_counts));

    parley_later(&t.s, host_start);
}


static inline void
host_end(void)
{
    parley_later_forget(&t.s);
    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&host_arena);
    current = NULL;
}


static inline void
host_resume(parley_ask_t *q)
{
    (void) q;
}


static inline int64_t
host_wall(void)
{
    return WALL + t.now - T0;
}


/* Takes the next verb of a task. */

static inline void
host_step(task_t *task)
{
    parley_late_t  *late;

    assert_false(task->done);

    late = task->late;
    task->late = NULL;
    current = task;

    if (late != NULL) {
        parley_later_complete(late);
    }

    task->run(task);

    while (task->nloose > 0) {
        parley_later_complete(task->loose[--task->nloose]);
    }

    current = NULL;
}


/* Does at most n verbs; returns their number. */

static inline unsigned
host_steps(task_t *task, unsigned n)
{
    unsigned  i;

    for (i = 0; i < n && !task->done; i++) {
        host_step(task);
    }

    return i;
}


static inline void
host_finish(task_t *task)
{
    (void) host_steps(task, ~0u);
}


static inline void
host_free(task_t *task)
{
    parley_arena_reset(&task->arena);
    free(task);
}


static const parley_gate_env_t  host_env;


static inline void
host_call(task_t *task)
{
    parley_ask_begin(&task->gate.ask, t.now);

    task->result = parley_gate_host(&task->gate);

    if (task->result != PARLEY_RESULT_WAIT) {
        parley_ask_end(&task->gate.ask);
        task->done = 1;
    }
}


/* Begins a call of a principal, or with its name as author, of the surface. */

static inline task_t *
host_calls(const char *sub, const char *author, const char *text)
{
    task_t         *task;
    parley_gate_t  *g;

    task = calloc(1, sizeof(task_t));
    assert_non_null(task);

    task->run = host_call;
    parley_arena_init(&task->arena, &parley_mem_libc, 0);
    parley_error_clear(&task->err);

    g = &task->gate;

    g->env = &host_env;
    g->ctx = task;
    g->engine = parley_test_engine();
    g->arena = &task->arena;
    g->err = &task->err;
    g->who = &task->who;
    g->doc = &task->doc;
    g->msg = &task->msg;
    g->in.seed = PARLEY_TEST_SEED;
    g->in.now_ms = host_wall();

    parley_ask_init(&g->ask, &t.s.state, &task->arena);
    g->ask.resume = host_resume;
    parley_gate_configure(g, &host_http, &host_place);
    parley_gate_init(g);

    g->read.proto = PARLEY_PROTO_C2A;

    if (parley_json_read(&task->doc, &task->arena, NULL, PARLEY_TEST_SEED,
                         parley_str_c(text), &task->err)
        != 0
        || parley_codecs[PARLEY_PROTO_C2A]->chat->decode(g->engine, g->arena,
                                                         g->doc, g->msg, g->err)
           != 0)
    {
        fail_msg("%s: %s", text, task->err.text);
    }

    task->who.principal = parley_directory_by_sub(host_http.directory,
                                                  parley_str_c(sub));
    task->who.certified = 1;

    if (author != NULL) {
        task->who.surface = parley_directory_by_sub(host_http.directory,
                                                    PARLEY_STR("web"));
        task->who.author = parley_str_c(author);
    }

    memset(g->admit.entrance.print, 0, PARLEY_PRINT_LEN);
    memcpy(g->admit.entrance.print, text + strlen(text) - PARLEY_PRINT_LEN,
           PARLEY_PRINT_LEN);

    return task;
}


static inline task_t *
host_says(const char *text)
{
    return host_calls("will", "human:will", text);
}


static inline int
host_accepted(const task_t *task)
{
    return task->done && task->result == PARLEY_RESULT_ANSWERED;
}


/* Finishes a call, which must be accepted. */

static inline void
host_called(task_t *task)
{
    host_finish(task);

    if (!host_accepted(task)) {
        fail_msg("%s", task->err.text);
    }

    host_free(task);
}


static inline void
host_said(const char *text)
{
    host_called(host_says(text));
}


/* Ends a job.  A process that has died leaves it due again. */

static inline void
host_job_ends(const parley_taken_t *job, const parley_job_end_t *how,
    parley_job_verdict_t *ret)
{
    parley_job_end_t    end;
    parley_job_ended_t  ended;

    memset(&ended, 0, sizeof(ended));

    end = *how;
    end.id = &job->id;

    assert_int_equal(parley_memory_ops.job->end(&t.s.state, &end, &ended,
                                                NULL),
                     PARLEY_STATE_DONE);
    *ret = ended.verdict;
}


static inline void
host_job_left(const parley_taken_t *job, int64_t after)
{
    parley_job_end_t      end;
    parley_job_verdict_t  verdict;

    memset(&end, 0, sizeof(end));

    end.how = PARLEY_JOB_AGAIN;
    end.after = after;
    end.mark = job->mark;

    host_job_ends(job, &end, &verdict);
    assert_int_equal(verdict, PARLEY_JOB_OK);
}


/* Counts steps, as the adapter does. */

static inline void
host_noted(const parley_noted_t *noted, const parley_noted_t *end)
{
    for ( /* void */ ; noted != NULL && noted != end; noted = noted->next) {
        if (noted->cell != PARLEY_NOTED_NONE) {
            host_counts[noted->cell] += noted->n;
        }
    }
}


static inline void
host_due(task_t *task)
{
    int                        rc;
    parley_str_t               text;
    parley_deadline_t         *d;
    parley_job_subject_kind_t  kind;

    d = &task->due;

    if (!task->ran) {
        kind = parley_job_subject_read(task->job.text, &text);

        rc = kind == PARLEY_SUBJECT_FOLLOW ? parley_host_follow_run(d)
                                           : parley_host_turn_run(d);
        task->ran = rc == 0;

        if (rc == 0) {
            host_noted(d->noted, d->noted_ends);
        }

        return;
    }

    /* the end is a verb of its own */

    host_job_ends(&task->job, &d->end, &task->verdict);

    if (task->verdict == PARLEY_JOB_UNTOLD) {
        host_job_left(&task->job, 0);

    } else if (task->verdict == PARLEY_JOB_OK
               && d->end.how != PARLEY_JOB_AGAIN)
    {
        host_noted(d->noted_ends, NULL);
    }

    task->done = 1;
}


static inline task_t *
host_job(const parley_taken_t *job)
{
    task_t  *task;

    task = calloc(1, sizeof(task_t));
    assert_non_null(task);

    task->run = host_due;
    task->job = *job;
    parley_arena_init(&task->arena, &parley_mem_libc, 0);

    task->due.deliver = &host_render;
    task->due.job = &task->job;
    task->due.arena = &task->arena;
    task->due.now_ms = host_wall();

    parley_ask_init(&task->due.ask, &t.s.state, &task->arena);
    task->due.ask.resume = host_resume;
    task->due.ask.now = t.now;

    return task;
}


/* Takes the jobs that are due; returns their number. */

static inline unsigned
host_take(task_t *list[JOBS])
{
    int                i;
    parley_job_page_t  page;
    parley_job_take_t  take;

    memset(&take, 0, sizeof(take));

    take.max = JOBS;
    take.arena = &host_arena;

    assert_int_equal(parley_memory_ops.job->take(&t.s.state, &take, &page,
                                                 NULL),
                     PARLEY_STATE_DONE);
    assert_true(page.n >= 0);

    for (i = 0; i < page.n; i++) {
        list[i] = host_job(&page.list[i]);
    }

    return (unsigned) page.n;
}


static inline parley_job_subject_kind_t
host_job_kind(const task_t *task)
{
    parley_str_t  text;

    return parley_job_subject_read(task->job.text, &text);
}


static inline int
host_str_has(parley_str_t text, const char *part)
{
    size_t  i, len;

    len = strlen(part);

    for (i = 0; i + len <= text.len; i++) {
        if (memcmp(text.data + i, part, len) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Does the due jobs; counts those of obligations that stay and have this
   text. */

static inline unsigned
host_jobs(const char *text)
{
    unsigned   i, n, open;
    task_t    *list[JOBS];

    open = 0;

    while ((n = host_take(list)) > 0) {

        for (i = 0; i < n; i++) {
            host_finish(list[i]);

            open += host_job_kind(list[i]) == PARLEY_SUBJECT_FOLLOW
                    && list[i]->due.end.how == PARLEY_JOB_AGAIN
                    && host_str_has(list[i]->job.record, text);
            host_free(list[i]);
        }
    }

    return open;
}


/* Counts the records of a mailbox that have this text, and this id, or any if
   id is NULL.  *ret is the oldest one. */

static inline unsigned
host_find(const char *address, const char *id, const char *part,
    parley_publication_t *ret)
{
    int                   i;
    parley_publication_t  p;
    uint8_t               log[PARLEY_KEY_LEN];
    unsigned              n;
    parley_log_read_t     read;
    parley_log_page_t     page;

    memset(&read, 0, sizeof(read));
    parley_expand_log(&t.s.state, parley_str_c(address), log);

    read.log = log;
    read.records = 1000;
    read.octets = 1 << 20;
    read.backward = 1;
    read.arena = &host_arena;

    assert_int_equal(parley_memory_ops.log->read(&t.s.state, &read, &page,
                                                 NULL),
                     PARLEY_STATE_DONE);
    n = 0;

    for (i = 0; page.epoch != 0 && i < page.n; i++) {
        assert_int_equal(parley_publication_read(page.list[i].octets, &p), 0);

        if (host_str_has(page.list[i].octets, part)
            && (id == NULL || parley_str_eq(p.id, parley_str_c(id))))
        {
            *ret = p;
            n++;
        }
    }

    return n;
}


static inline unsigned
host_count_of(const char *address, const char *id, const char *part)
{
    parley_publication_t  p;

    return host_find(address, id, part, &p);
}


static inline unsigned
host_count(const char *address, const char *part)
{
    return host_count_of(address, NULL, part);
}


#endif /* PARLEY_TEST_HOST_H */
