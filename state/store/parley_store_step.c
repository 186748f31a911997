/* Writes steps, and adds those without a record, for which no caller waits. */

#include <stdlib.h>
#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_step.h"


#define PARLEY_STORE_KEPT  4096         /* jobs of one step */

/* The order continues after twice as many steps in a new generation (BEYOND of
   parley_store.lua). */
#define PARLEY_STORE_BEYOND  ((uint64_t) 1 << 19)


/* the numbers of the jobs of this node; list NULL: they are counted */
typedef struct {
    uint64_t  *list;
    size_t     n;
    size_t     size;
} parley_store_jobs_t;


static void parley_step_begin(const parley_store_t *s, parley_buf_t *b,
    parley_arena_t *arena, char kind, uint64_t worker, uint32_t process);
static parley_str_t parley_step_end(parley_buf_t *b);
static void parley_step_put32(parley_buf_t *b, uint32_t n);
static void parley_step_put64(parley_buf_t *b, uint64_t n);
static void parley_step_put_time(parley_buf_t *b, int64_t ms);
static void parley_step_put_text(parley_buf_t *b, parley_str_t text);
static void parley_step_put_account(parley_buf_t *b, const uint8_t *account);
static void parley_step_put_jobs(parley_buf_t *b, const parley_job_t *jobs,
    size_t n);
static void parley_step_put_end(parley_buf_t *b,
    const parley_import_end_t *end);
static void parley_store_jobs_of(parley_store_t *s, parley_store_jobs_t *ret);
static void parley_store_jobs_each(void *ctx, uint64_t job);
static int parley_store_jobs_order(const void *one, const void *two);


parley_str_t
parley_store_write_append(const parley_store_t *s, parley_arena_t *arena,
    const parley_append_t *a, const parley_import_end_t *end)
{
    size_t        i, size;
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'a', s->worker, 0);

    parley_buf_octet(&b, (uint8_t) ((a->closes ? PARLEY_STEP_CLOSES : 0)
                                    | (end != NULL ? PARLEY_STEP_ENDS : 0)
                                    | (a->account != NULL
                                       ? PARLEY_STEP_ACCOUNT : 0)));
    parley_step_put_account(&b, a->account);

    parley_step_put32(&b, (uint32_t) a->nlogs);

    for (i = 0; i < a->nlogs; i++) {
        parley_buf_put(&b, a->logs[i], PARLEY_KEY_LEN);
    }

    parley_step_put32(&b, a->retention.records);
    parley_step_put32(&b, a->retention.octets);
    parley_step_put_time(&b, a->retention.ms);
    parley_step_put_time(&b, a->ttl);

    size = 0;

    for (i = 0; i < a->nparts; i++) {
        size += a->parts[i].len;
    }

    parley_step_put32(&b, (uint32_t) size);

    for (i = 0; i < a->nparts; i++) {
        parley_buf_str(&b, a->parts[i]);
    }

    parley_step_put_jobs(&b, a->jobs, a->njobs);

    if (end != NULL) {
        parley_step_put_end(&b, end);
    }

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_work(const parley_store_t *s, parley_arena_t *arena,
    const parley_job_add_t *add, uint64_t number)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'w', s->worker, 0);
    parley_buf_octet(&b, add->account != NULL ? PARLEY_STEP_ACCOUNT : 0);
    parley_step_put_account(&b, add->account);
    parley_step_put64(&b, number);
    parley_step_put_jobs(&b, &add->job, 1);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_end(const parley_store_t *s, parley_arena_t *arena,
    const parley_import_end_t *end)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'x', s->worker, 0);
    parley_step_put_end(&b, end);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_adopt(const parley_store_t *s, parley_arena_t *arena,
    uint32_t node)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'o', s->worker, 0);
    parley_step_put32(&b, node);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_keep(const parley_store_t *s, parley_arena_t *arena,
    uint64_t from, uint64_t till, const uint64_t *jobs, size_t n)
{
    size_t        i;
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'k', s->worker, 0);
    parley_step_put64(&b, from);
    parley_step_put64(&b, till);
    parley_step_put32(&b, (uint32_t) n);

    for (i = 0; i < n; i++) {
        parley_step_put64(&b, jobs[i]);
    }

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_erase(const parley_store_t *s, parley_arena_t *arena,
    const parley_erase_t *e)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'e', s->worker, 0);
    parley_buf_put(&b, e->log, PARLEY_KEY_LEN);
    parley_step_put64(&b, e->epoch);
    parley_step_put64(&b, e->offset);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_had(const parley_store_t *s, parley_arena_t *arena,
    const parley_had_t *had)
{
    size_t        i;
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'h', s->worker, 0);
    parley_buf_put(&b, had->log, PARLEY_KEY_LEN);
    parley_buf_octet(&b, (uint8_t) had->all);
    parley_step_put32(&b, (uint32_t) had->n);

    for (i = 0; i < had->n; i++) {
        parley_step_put64(&b, had->places[i].epoch);
        parley_step_put64(&b, had->places[i].offset);
    }

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_join(const parley_store_t *s, parley_arena_t *arena,
    const parley_join_t *j, uint64_t stamp, const parley_process_t *worker)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'j', worker->began, worker->pid);
    parley_buf_put(&b, j->log, PARLEY_KEY_LEN);
    parley_step_put64(&b, stamp);
    parley_buf_octet(&b, j->account != NULL ? PARLEY_STEP_ACCOUNT : 0);
    parley_step_put_account(&b, j->account);
    parley_step_put_text(&b, j->selector);
    parley_step_put_text(&b, j->session);
    parley_step_put_text(&b, j->card);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_leave(const parley_store_t *s, parley_arena_t *arena,
    const parley_leave_t *l)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'l', s->worker, s->process);
    parley_buf_put(&b, l->log, PARLEY_KEY_LEN);
    parley_step_put64(&b, l->stamp);
    parley_step_put_text(&b, l->session);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_close(const parley_store_t *s, parley_arena_t *arena,
    const parley_settlement_t *how)
{
    size_t                     i, n;
    parley_buf_t               b;
    const parley_record_id_t  *shared[PARLEY_CLOSES_MAX];

    for (i = 0, n = 0; i < PARLEY_CLOSES_MAX && how->closes[i] != NULL; i++) {
        if (parley_store_is_shared(how->closes[i]->kind)) {
            shared[n++] = how->closes[i];
        }
    }

    if (n == 0) {
        return parley_str_none;
    }

    parley_step_begin(s, &b, arena, 'c', s->worker, 0);
    parley_buf_octet(&b, (uint8_t) n);

    for (i = 0; i < n; i++) {
        parley_buf_octet(&b, (uint8_t) shared[i]->kind);
        parley_buf_put(&b, shared[i]->key, PARLEY_KEY_LEN);
        parley_step_put32(&b, shared[i]->tag);
    }

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_drop(const parley_store_t *s, parley_arena_t *arena,
    const uint8_t lane[PARLEY_KEY_LEN])
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'd', s->worker, 0);
    parley_buf_put(&b, lane, PARLEY_KEY_LEN);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_held(const parley_store_t *s, parley_arena_t *arena,
    parley_kind_t kind, const uint8_t *key, const uint8_t *holder)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, 'i', s->worker, 0);
    parley_buf_put(&b, holder, PARLEY_STORE_NODE);
    parley_buf_octet(&b, (uint8_t) kind);
    parley_buf_put(&b, key, PARLEY_KEY_LEN);
    parley_buf_put(&b, holder + PARLEY_STORE_NODE, 8);

    return parley_step_end(&b);
}


parley_str_t
parley_store_write_plain(const parley_store_t *s, parley_arena_t *arena,
    char kind, uint64_t worker)
{
    parley_buf_t  b;

    parley_step_begin(s, &b, arena, kind, worker, 0);

    return parley_step_end(&b);
}


static void
parley_step_begin(const parley_store_t *s, parley_buf_t *b,
    parley_arena_t *arena, char kind, uint64_t worker, uint32_t process)
{
    parley_buf_init(b, arena, 0);

    parley_buf_octet(b, PARLEY_STEP_FORMAT);
    parley_buf_octet(b, (uint8_t) kind);
    parley_buf_put(b, s->conf->node, PARLEY_STORE_NODE);
    parley_step_put64(b, worker);
    parley_step_put32(b, process);
}


static parley_str_t
parley_step_end(parley_buf_t *b)
{
    parley_str_t  ret;

    return parley_buf_done(b, &ret) == 0 ? ret : parley_str_none;
}


static void
parley_step_put32(parley_buf_t *b, uint32_t n)
{
    uint8_t  octets[4];

    (void) parley_octets_write32(octets, n);
    parley_buf_put(b, octets, 4);
}


static void
parley_step_put64(parley_buf_t *b, uint64_t n)
{
    uint8_t  octets[8];

    (void) parley_octets_write64(octets, n);
    parley_buf_put(b, octets, 8);
}


/* A sender may name a time that is longer than any.  A time in the past is
   now. */

static void
parley_step_put_time(parley_buf_t *b, int64_t ms)
{
    ms = ms < PARLEY_STEP_TIME ? ms : PARLEY_STEP_TIME - 1;

    parley_step_put64(b, (uint64_t) (ms > 0 ? ms : 0));
}


static void
parley_step_put_text(parley_buf_t *b, parley_str_t text)
{
    parley_step_put32(b, (uint32_t) text.len);
    parley_buf_str(b, text);
}


static void
parley_step_put_account(parley_buf_t *b, const uint8_t *account)
{
    static const uint8_t  none[PARLEY_KEY_LEN];

    parley_buf_put(b, account != NULL ? account : none, PARLEY_KEY_LEN);
}


static void
parley_step_put_jobs(parley_buf_t *b, const parley_job_t *jobs, size_t n)
{
    size_t               i;
    const parley_job_t  *job;

    parley_step_put32(b, (uint32_t) n);

    for (i = 0; i < n; i++) {
        job = &jobs[i];

        parley_buf_put(b, job->lane, PARLEY_KEY_LEN);
        parley_buf_octet(b, (uint8_t) job->class);
        parley_buf_octet(b, (uint8_t) ((job->owed ? PARLEY_STEP_OWED : 0)
                                       | (job->sole ? PARLEY_STEP_SOLE : 0)
                                       | (job->counted
                                          ? PARLEY_STEP_COUNTED : 0)));
        parley_step_put_time(b, job->after);
        parley_step_put_time(b, job->lasts);
        parley_step_put_text(b, job->text);
    }
}


static void
parley_step_put_end(parley_buf_t *b, const parley_import_end_t *end)
{
    parley_buf_put(b, end->lane, PARLEY_KEY_LEN);
    parley_step_put64(b, end->job);
    parley_buf_octet(b, (uint8_t) end->how);
    parley_buf_octet(b, (uint8_t) end->mark);
    parley_buf_octet(b, (uint8_t) end->untried);
    parley_step_put32(b, end->after);
}


void
parley_store_say_close(parley_store_t *s, const parley_settlement_t *how)
{
    parley_store_call_t  *call;

    call = how->closes[0] != NULL ? parley_store_call(s, NULL) : NULL;

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_close(s, &call->arena, how),
                         PARLEY_STORE_SAID, 0);
    }
}


void
parley_store_say_leave(parley_store_t *s, const parley_leave_t *l)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call != NULL) {
        parley_store_say(s, call,
                         parley_store_write_leave(s, &call->arena, l),
                         PARLEY_STORE_SAID, 0);
    }
}


void
parley_store_say(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases)
{
    if (parley_store_say_command(s, call, content, ms, erases) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


int
parley_store_say_command(parley_store_t *s, parley_store_call_t *call,
    parley_str_t content, int64_t ms, uint64_t erases)
{
    char          stays[24], room[24], step[24];
    parley_str_t  arguments[8];

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_say");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = content;
    arguments[5] = parley_wire_number(ms, stays);
    arguments[6] = parley_wire_number((int64_t) s->conf->room, room);
    arguments[7] = erases != 0 ? parley_wire_number((int64_t) erases, step)
                               : parley_str_none;

    call->answer = call->answer != NULL ? call->answer : parley_store_said;

    return content.len != 0 ? parley_store_command(call, arguments, 8) : -1;
}


/* An emptied store has no order yet: the step is added after p1_order. */

int
parley_store_said(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t  text;

    if (!parley_wire_text(reply, &text) || !parley_str_is(text, "generation")) {
        return 0;
    }

    parley_store_fail(s, "the store was emptied");

    return parley_store_resend(s, call);
}


/*
 * A new generation may have lost steps: of jobs that this node has ended, or
 * that it never had because its call was not answered.  Other nodes may have
 * taken these steps, and remove the jobs that this one does not name.  Jobs of
 * the new generation have higher numbers.
 */

void
parley_store_say_jobs(parley_store_t *s)
{
    size_t                at, n;
    uint64_t              from, till, end;
    parley_arena_t        arena;
    parley_store_call_t  *call;
    parley_store_jobs_t   jobs;

    end = (s->zone->ops->import->number(s->zone) + PARLEY_STORE_BEYOND)
          * PARLEY_JOBS_MAX;

    memset(&jobs, 0, sizeof(parley_store_jobs_t));
    parley_store_jobs_of(s, &jobs);

    /* other workers may add jobs */

    jobs.size = jobs.n + PARLEY_STORE_KEPT;

    parley_arena_init(&arena, s->mem, 0);

    jobs.list = parley_arena_alloc(&arena, jobs.size * sizeof(uint64_t));

    if (jobs.list != NULL) {
        parley_store_jobs_of(s, &jobs);
    }

    if (jobs.list == NULL || jobs.n > jobs.size) {
        parley_arena_reset(&arena);
        return;
    }

    qsort(jobs.list, jobs.n, sizeof(uint64_t), parley_store_jobs_order);

    for (at = 0, from = 0; from < end; at += n, from = till) {

        n = jobs.n - at < PARLEY_STORE_KEPT ? jobs.n - at : PARLEY_STORE_KEPT;
        till = at + n < jobs.n ? jobs.list[at + n] : end;
        call = parley_store_call(s, NULL);

        if (call != NULL) {
            parley_store_say(s, call,
                             parley_store_write_keep(s, &call->arena, from,
                                                     till, &jobs.list[at], n),
                             PARLEY_STORE_SAID, 0);
        }
    }

    parley_arena_reset(&arena);
}


static void
parley_store_jobs_of(parley_store_t *s, parley_store_jobs_t *ret)
{
    size_t  at;

    at = 0;
    ret->n = 0;

    do {
        at = s->zone->ops->import->jobs(s->zone, at, parley_store_jobs_each,
                                        ret);
    } while (at != 0);
}


static void
parley_store_jobs_each(void *ctx, uint64_t job)
{
    parley_store_jobs_t  *jobs = ctx;

    if (jobs->list != NULL && jobs->n < jobs->size) {
        jobs->list[jobs->n] = job;
    }

    jobs->n++;
}


static int
parley_store_jobs_order(const void *one, const void *two)
{
    uint64_t  a, b;

    memcpy(&a, one, sizeof(uint64_t));
    memcpy(&b, two, sizeof(uint64_t));

    return (a > b) - (a < b);
}
