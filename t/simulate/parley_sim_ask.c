/*
 * Questions in the simulated world.  They are answered in time, late or never.
 * Each has a deadline (parley_sim_due.c).
 */

#include "gate/party/parley_account.h"
#include "gate/delivery/parley_deadline.h"
#include "hub/parley_publish.h"
#include "gate/correlation/parley_question.h"
#include "gate/correlation/parley_question_raised.h"
#include "t/simulate/parley_sim.h"


#define SIM_ASKED_MS    1200000     /* time for which a question is kept */
#define SIM_FILL        8192        /* maximum of records that fill a zone */


/*
 * the question that a process is appending, or the answer that it is settling,
 * in case it dies
 */
static struct {
    sim_question_t     *asks;
    unsigned            appends;
    uint64_t            head;
    sim_question_t     *settles;
    sim_admission_t     admission;
} under;


static parley_str_t
sim_ask_text(const char *fmt, unsigned n)
{
    char    *text;
    size_t   size = strlen(fmt) + 16;

    text = parley_arena_alloc(&world.arena, size);

    if (text == NULL) {
        abort();
    }

    snprintf(text, size, fmt, n);

    return parley_str_c(text);
}


static sim_question_t *
sim_question_new(void)
{
    parley_str_t           part;
    sim_question_t        *q;
    parley_test_random_t  *r;

    r = &world.random;
    q = &world.questions[world.nquestions];

    memset(q, 0, sizeof(sim_question_t));

    q->sender = parley_test_below(r, SIM_PRINCIPALS - 1);
    q->ends = world.now + SIM_ASKED_MS;

    part = parley_str_make(&world.nquestions, sizeof(world.nquestions));

    q->id.kind = PARLEY_KIND_QUESTION;
    q->id.tag = world.nquestions;
    parley_state_key(&world.outside.state, PARLEY_KIND_QUESTION, &part, 1,
                     q->id.key);

    q->kind = (unsigned[]) { PARLEY_SUBJECT_ESCALATION,
                             PARLEY_SUBJECT_ESCALATION,
                             PARLEY_SUBJECT_EMERGENCY, PARLEY_SUBJECT_TIMEOUT }
              [parley_test_below(r, 4)];

    /* without a grandparent, an emergency is asked like a critical message */

    if (q->kind == PARLEY_SUBJECT_EMERGENCY
        && q->sender + 2 >= SIM_PRINCIPALS)
    {
        q->kind = PARLEY_SUBJECT_ESCALATION;
    }

    q->after = q->kind == PARLEY_SUBJECT_EMERGENCY ? 0
               : q->kind == PARLEY_SUBJECT_ESCALATION ? SIM_ACK_MS
               : 1 + (int64_t) parley_test_below(r, 15000);

    return q;
}


static void
sim_asked(sim_question_t *q)
{
    q->asked = 1;
    world.nquestions++;
    (void) sim_due_add(q, q->kind,
                       q->kind == PARLEY_SUBJECT_TIMEOUT ? q->sender
                                                      : q->sender + 1,
                       q->after);
}


/*
 * Fills nearly all room of the state for some seconds.  So a deadline may find
 * room when it is claimed, and no room for the message at its end.
 */

static void
sim_ask_fill(void)
{
    unsigned              i, n;
    parley_ask_t          ask;
    parley_put_t          put;
    parley_put_result_t   got;

    sim_edges = 0;      /* no process dies here */
    memset(&put, 0, sizeof(put));

    put.queue = PARLEY_EVICTABLE_NONE;
    put.ttl = 1000 + (int64_t) parley_test_below(&world.random, 10000);

    parley_ask_init(&ask, &world.outside.state, &world.arena);

    for (n = 0; n < SIM_FILL; n++) {
        put.id.kind = PARLEY_KIND_QUESTION;
        put.id.tag = SIM_FILL + n;
        memcpy(put.id.key, &n, sizeof(n));

        if (parley_ask_put(&ask, &put, &got) != 0 || got != PARLEY_PUT_OK) {
            break;
        }
    }

    for (i = parley_test_below(&world.random, 24); i != 0 && n != 0; i--) {
        n--;
        put.id.tag = SIM_FILL + n;
        memcpy(put.id.key, &n, sizeof(n));
        ask.state->ops->drop(ask.state, &put.id, 0, NULL);
    }
}


void
sim_ask(sim_process_t *p)
{
    uint8_t                log[1][PARLEY_KEY_LEN];
    parley_ask_t           ask;
    parley_str_t           value;
    parley_put_t           put;
    parley_job_t           job;
    sim_question_t        *q;
    parley_append_t        append;
    parley_publish_t       publish;
    parley_appended_t      appended;
    parley_put_result_t    kept;
    parley_publication_t   message;

    if (world.nquestions == SIM_QUESTIONS) {
        return;
    }

    if (world.size < SIM_SMALL && parley_test_chance(&world.random, 20)) {
        sim_ask_fill();
        return;
    }

    sim_due_settings();

    q = sim_question_new();
    under.asks = q;

    value = PARLEY_STR("what was asked");
    memset(&put, 0, sizeof(put));
    put.id = q->id;
    put.queue = PARLEY_EVICTABLE_NONE;
    put.parts = &value;
    put.nparts = 1;
    put.ttl = SIM_ASKED_MS;

    parley_ask_init(&ask, &p->memory.state, &world.arena);
    parley_ask_begin(&ask, world.now);

    if (parley_ask_put(&ask, &put, &kept) != 0 || kept != PARLEY_PUT_OK) {
        under.asks = NULL;
        return;
    }

    memset(&message, 0, sizeof(message));
    message.proto = PARLEY_PROTO_CANONICAL;
    message.sender = sim_sub(q->sender);
    message.id = sim_ask_text("00000000-0000-4000-8000-%012u",
                              world.nquestions);
    message.ms = world.now;
    message.message = sim_ask_text(
        "{\"v\":\"1\",\"id\":\"00000000-0000-4000-8000-%012u\","
        "\"ts\":\"2026-01-01T00:00:00Z\",\"type\":\"task\","
        "\"from\":\"agent.alice\",\"to\":\"agent.bob\","
        "\"intent\":\"ops.backup.run\","
        "\"corr\":\"11111111-1111-4111-8111-111111111111\","
        "\"priority\":\"normal\",\"payload\":{\"text\":\"do it\"}}",
        world.nquestions);

    memset(&publish, 0, sizeof(publish));
    publish.publication = &message;
    publish.retention = world.retention;
    publish.ttl = PARLEY_PUBLISH_LIVES;

    if (parley_test_chance(&world.random, 50)) {
        sim_due_log(q->sender + 1, log[0]);
        publish.logs = (const uint8_t (*)[PARLEY_KEY_LEN]) log;
        publish.nlogs = 1;
    }

    if (parley_publication_append(&world.arena, &publish, &append) != 0
        || parley_question_job(&world.arena, ask.state,
                               (parley_job_subject_kind_t) q->kind, &q->id,
                               sim_sub(q->kind == PARLEY_SUBJECT_TIMEOUT
                                       ? q->sender : q->sender + 1), &job)
           != 0)
    {
        abort();
    }

    job.after = q->after;
    job.lasts = q->after + PARLEY_DEADLINE_LIVES;
    append.jobs = &job;
    append.njobs = 1;

    under.head = sim_jobs_head();
    under.appends = 1;

    if (parley_ask_append(&ask, &append, &appended) != 0) {
        abort();
    }

    under.asks = NULL;
    under.appends = 0;

    if (appended.verdict == PARLEY_APPEND_OK) {
        sim_asked(q);
        sim_hub_env.wake(NULL);
    }
}


/* ---- answers */

static void
sim_admission(sim_admission_t *a, const sim_question_t *q, unsigned n)
{
    parley_str_t  parts[2];

    memset(a, 0, sizeof(sim_admission_t));

    parts[0] = parley_str_make(&q->id.tag, sizeof(q->id.tag));
    parts[1] = parley_str_make(&n, sizeof(n));

    parley_state_key(&world.outside.state, PARLEY_KIND_ID, parts, 2, a->id);
    parley_account_key(&world.outside.state, sim_sub(SIM_PRINCIPALS - 1),
                       parley_str_none, a->account);
    parley_question_slot(&world.outside.state, &q->id, 0, parley_str_none,
                         parley_str_none, a->slot);
}


static const parley_admission_t *
sim_admission_of(sim_admission_t *a)
{
    memset(&a->admission, 0, sizeof(a->admission));

    a->admission.account = a->account;
    a->admission.id = a->id;
    a->admission.print = a->print;
    a->admission.slot = a->slot;
    a->admission.ttl = SIM_ASKED_MS;
    a->admission.slot_ttl = SIM_ASKED_MS;

    return &a->admission;
}


/* Records that an answer was settled.  It must be the first one. */

static void
sim_answered(sim_question_t *q)
{
    if (q->told) {
        sim_fail("SEC-08: a task that timed out is answered, too");
    }

    if (q->answered && world.now < q->ends) {
        sim_fail("SEC-08: a question is answered twice");
    }

    q->answered = 1;
}


static void
sim_ack_settle(sim_process_t *p, sim_answer_t *answer)
{
    int                   late;
    parley_ask_t          ask;
    parley_settlement_t   how;

    memset(&how, 0, sizeof(how));
    how.stamp = answer->stamp;
    how.taken = !parley_test_chance(&world.random, 20);
    how.closes[0] = how.taken ? &answer->question->id : NULL;

    under.settles = answer->question;
    under.admission = answer->admission;
    answer->process = NULL;

    parley_ask_init(&ask, &p->memory.state, &world.arena);

    if (parley_ask_settle(&ask, sim_admission_of(&answer->admission), &how,
                          &late)
        != 0)
    {
        abort();
    }

    under.settles = NULL;

    if (how.taken && late == 0 && world.now < answer->question->ends) {
        sim_answered(answer->question);
    }
}


void
sim_ack(sim_process_t *p)
{
    unsigned            i;
    parley_ask_t        ask;
    sim_answer_t       *answer;
    parley_record_t     record;
    parley_admitted_t   got;

    /* forwards and settles the answer that the process has, or gives it up */

    for (i = 0; i < SIM_ANSWERS; i++) {
        answer = &world.answers[i];

        if (answer->process == p) {
            sim_ack_settle(p, answer);
            return;
        }
    }

    for (i = 0; i < SIM_ANSWERS && world.answers[i].process != NULL; i++) {
        /* void */
    }

    if (world.nquestions == 0 || i == SIM_ANSWERS) {
        return;
    }

    answer = &world.answers[i];
    answer->question = &world.questions[world.nquestions - 1
                       - parley_test_below(&world.random,
                                           world.nquestions < 6
                                           ? world.nquestions : 6)];

    sim_admission(&answer->admission, answer->question,
                  answer->question->nanswers++);

    parley_ask_init(&ask, &p->memory.state, &world.arena);

    /* a question that is closed has no answers (SEC-08) */

    if (parley_ask_get_one(&ask, &answer->question->id, &record) != 1
        || record.closed)
    {
        return;
    }

    if (parley_ask_admit(&ask, sim_admission_of(&answer->admission), &got)
        != 0)
    {
        abort();
    }

    if (got.verdict != PARLEY_ADMIT_OK) {
        return;
    }

    answer->stamp = got.stamp;
    answer->process = p;

    if (parley_test_chance(&world.random, 60)) {
        sim_ack_settle(p, answer);
    }
}


/*
 * Sends an answer again, after the process that handled it died.  If the
 * answer was taken, the question must be closed.  If not, nothing of the
 * answer may be left.
 */

static void
sim_ack_again(sim_question_t *q, sim_admission_t *a)
{
    parley_ask_t          ask;
    parley_record_t       record;
    parley_admitted_t     got;
    parley_settlement_t   how;

    parley_ask_init(&ask, &world.outside.state, &world.arena);

    if (parley_ask_admit(&ask, sim_admission_of(a), &got) != 0) {
        abort();
    }

    switch (got.verdict) {

    case PARLEY_ADMIT_OK:
        memset(&how, 0, sizeof(how));
        how.stamp = got.stamp;
        ask.state->ops->settle(ask.state, sim_admission_of(a), &how, NULL,
                               NULL);
        return;

    case PARLEY_ADMIT_DUPLICATE:

        if (!q->told && !(q->answered && world.now < q->ends)) {
            sim_answered(q);
        }

        if (parley_ask_get_one(&ask, &q->id, &record) == 1
            && !record.closed)
        {
            sim_fail("SEC-08: an answer was taken, and its question is open");
        }

        return;

    case PARLEY_ADMIT_FULL:
        return;

    default:
        if (!q->told && !q->answered) {
            sim_fail("SEC-08: an answer that nobody gave is in the way: %d",
                     got.verdict);
        }
    }
}


/* ---- processes that end */

void
sim_ask_gone(const sim_process_t *p)
{
    unsigned  i;

    for (i = 0; i < SIM_ANSWERS; i++) {
        if (world.answers[i].process == p) {
            world.answers[i].process = NULL;
        }
    }
}


void
sim_ask_died(void)
{
    sim_question_t  *q;

    q = under.asks;
    under.asks = NULL;

    if (q != NULL && under.appends && sim_jobs_head() != under.head) {
        sim_asked(q);
    }

    under.appends = 0;
    q = under.settles;
    under.settles = NULL;

    if (q != NULL) {
        sim_ack_again(q, &under.admission);
    }
}


void
sim_ask_forget(void)
{
    memset(&under, 0, sizeof(under));
}


/* Gives up all answers. */

void
sim_ask_drain(void)
{
    unsigned              i;
    parley_state_t       *state = &world.outside.state;
    sim_answer_t         *answer;
    parley_settlement_t   how;

    for (i = 0; i < SIM_ANSWERS; i++) {
        answer = &world.answers[i];

        if (answer->process == NULL) {
            continue;
        }

        memset(&how, 0, sizeof(how));
        how.stamp = answer->stamp;
        answer->process = NULL;

        state->ops->settle(state, sim_admission_of(&answer->admission), &how,
                           NULL, NULL);
    }
}
