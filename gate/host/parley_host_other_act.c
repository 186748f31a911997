/*
 * The tools by which an agent answers a message of another protocol in its
 * mailbox.  The answer goes back by the correlation, as at a location with
 * parley_submit: the call goes through the steps of such a location, from
 * PROTOCOL on, and the step HOST publishes it.  The question takes one final
 * answer.  After it was published, the slot of the event has its id.  If that
 * could not be noted, the admission knows a repeated call.
 */

#include <string.h>

#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_other.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"
#include "translate/parley_loss.h"


#define PARLEY_HOST_OTHER_READ   200    /* records of a page */

#define PARLEY_HOST_OTHER_KEY    "/params/arguments/idempotencyKey"
#define PARLEY_HOST_OTHER_REPLY  "/params/arguments/inReplyTo"

/* steps of a host that run again, and those that a host does not have */
#define PARLEY_HOST_OTHER_AGAIN                                               \
    (PARLEY_PLAN(PARLEY_STEP_PROTOCOL) | PARLEY_PLAN(PARLEY_STEP_SCHEMA)      \
     | PARLEY_PLAN(PARLEY_STEP_PAYLOAD) | PARLEY_PLAN(PARLEY_STEP_TRANSPORT)  \
     | PARLEY_PLAN(PARLEY_STEP_SENDER) | PARLEY_PLAN(PARLEY_STEP_SIGNATURE)   \
     | PARLEY_PLAN(PARLEY_STEP_REVOCATION)                                    \
     | PARLEY_PLAN(PARLEY_STEP_ARGUMENTS)                                     \
     | PARLEY_PLAN(PARLEY_STEP_SUBMISSION) | PARLEY_PLAN(PARLEY_STEP_POLICY)  \
     | PARLEY_PLAN(PARLEY_STEP_ADMIT) | PARLEY_PLAN(PARLEY_STEP_REWRITE)      \
     | PARLEY_PLAN(PARLEY_STEP_HOST))
#define PARLEY_HOST_OTHER_MORE                                                \
    (PARLEY_PLAN(PARLEY_STEP_REFERENCE) | PARLEY_PLAN(PARLEY_STEP_DIRECTION)  \
     | PARLEY_PLAN(PARLEY_STEP_TRANSLATE) | PARLEY_PLAN(PARLEY_STEP_LOSS)     \
     | PARLEY_PLAN(PARLEY_STEP_KEEP) | PARLEY_PLAN(PARLEY_STEP_SUSPEND))


typedef struct parley_host_other_s {
    parley_host_call_t  c;
    parley_host_act_t   a;
    parley_str_t        answer;         /* id of the answer, */
    uint8_t             call[PARLEY_KEY_LEN];       /* and its key */
} parley_host_other_t;


static int parley_host_other_page(parley_host_act_t *a,
    parley_host_mailbox_t *k);
static int parley_host_other_permits(parley_host_act_t *a);
static int parley_host_other_is_progress(const parley_host_act_t *a);
static int parley_host_other_taken(parley_host_act_t *a, parley_str_t id);
static int parley_host_other_again(parley_host_act_t *a, parley_str_t id);
static int parley_host_other_is_repeated(parley_gate_t *g);
static int parley_host_other_note(parley_host_other_t *o);
static parley_chat_disposition_t parley_host_other_means(
    const parley_host_act_t *a);
static void parley_host_other_result(parley_host_act_t *a, parley_str_t id);
static int parley_host_other_answer(parley_host_act_t *a);


/* parley_submit of the same location, for its answers alone */
static const parley_submit_conf_t  parley_host_other_submit = {
    .expand.max = PARLEY_LOGS_MAX
};


int
parley_host_other_find(parley_host_act_t *a)
{
    int                    rc;
    unsigned               pages;
    parley_place_t         end;
    parley_host_mailbox_t  k;

    memset(&k, 0, sizeof(parley_host_mailbox_t));
    memset(&end, 0, sizeof(parley_place_t));

    k.c = a->c;
    k.g = a->c->g;
    k.h = a->h;
    k.reader = a->caller;

    /* the id of another protocol may have a form of the host */

    a->on.id = a->args->in_reply_to;

    rc = parley_host_mailbox_log(a->h, a->caller, k.log);

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_read(a->h, k.log, &end, PARLEY_HOST_OTHER_READ, 1,
                          &k.page);

    for (pages = 1; rc == 0 && k.page.epoch != 0; pages++) {

        if (parley_host_other_page(a, &k)) {
            rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                          a->caller->sub, &a->on.part);
            return rc < 0 ? rc : 1;
        }

        if (pages == PARLEY_HOST_PAGES) {
            break;
        }

        rc = parley_host_mailbox_next(&k, PARLEY_HOST_OTHER_READ, 1);

        if (rc != 1) {
            break;
        }

        rc = 0;
    }

    return rc;
}


/* Finds the message in a page.  Returns 1 or 0. */

static int
parley_host_other_page(parley_host_act_t *a, parley_host_mailbox_t *k)
{
    int                   i;
    parley_publication_t  p;

    for (i = 0; i < k->page.n; i++) {

        if (parley_publication_read(k->page.list[i].octets, &p) != 0
            || p.views.len > 0 || !parley_str_eq(p.id, a->on.id)
            || !parley_host_other_record(k, &p, &a->on.views, &a->on.row)
            || !parley_str_eq(p.id, a->on.id))
        {
            continue;
        }

        a->on.p = p;
        a->on.event.source = a->on.views.source;
        a->on.event.author = p.sender;
        a->on.event.conversation = a->on.views.conversation;
        a->on.event.thread = a->on.views.thread;

        return 1;
    }

    return 0;
}


int
parley_host_other_act(parley_host_act_t *a)
{
    int            rc;
    uint8_t        print[PARLEY_PRINT_LEN];
    parley_str_t   id, parts[3];

    rc = parley_host_other_permits(a);

    if (rc != 0) {
        return rc;
    }

    /* a call without a key has no print yet */

    if (parley_window_print(a->h->ask->state, a->c->g->msg,
                            parley_json_ref_none, print)
        != 0)
    {
        return parley_error_memory(a->h->err);
    }

    parts[0] = parley_str_make(print, PARLEY_PRINT_LEN);
    parts[1] = a->on.event.source;
    parts[2] = a->on.id;

    if (parley_host_act_id(a, a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE
                              ? "a-" : "r-", parts, 3, &id)
        != 0)
    {
        return parley_error_memory(a->h->err);
    }

    return a->on.part.answer.len > 0 ? parley_host_other_taken(a, id)
                                     : parley_host_other_again(a, id);
}


static int
parley_host_other_permits(parley_host_act_t *a)
{
    if (a->c->call.tool == PARLEY_CHAT_CLAIM) {
        return parley_error_set(a->h->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                "/params/name", "a message of another "
                                "protocol is for the caller alone, and is not "
                                "claimed");
    }

    if (parley_codecs[a->on.views.proto]->acknowledges
        && parley_host_other_is_progress(a))
    {
        return parley_error_set(a->h->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                a->c->call.kind == PARLEY_CHAT_CALL_PROGRESS
                                ? "/method"
                                : a->c->call.tool == PARLEY_CHAT_REACT
                                ? "/params/arguments/signal"
                                : "/params/name", "the protocol of the sender "
                                "has acknowledgments, and no progress");
    }

    if (a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE
        && a->on.row.verdict.policy == PARLEY_CHAT_MUST_NOT)
    {
        return parley_error_set(a->h->err, PARLEY_E_POLICY_REFUSED,
                                PARLEY_HOST_OTHER_REPLY, "the caller must not "
                                "respond to this event");
    }

    return 0;
}


/* Returns whether the act is progress in other protocols, and not an answer. */

static int
parley_host_other_is_progress(const parley_host_act_t *a)
{
    if (a->c->call.kind == PARLEY_CHAT_CALL_PROGRESS
        || a->c->call.tool == PARLEY_CHAT_DEFER)
    {
        return 1;
    }

    if (a->c->call.tool != PARLEY_CHAT_REACT) {
        return 0;
    }

    switch (a->args->signal) {

    case PARLEY_CHAT_SIGNAL_AGREE:
    case PARLEY_CHAT_SIGNAL_DONE:
    case PARLEY_CHAT_SIGNAL_DECLINED:
    case PARLEY_CHAT_SIGNAL_BLOCKED:
        return 0;

    default:
        return 1;
    }
}


/* The call that has answered gets its result again; another one is refused. */

static int
parley_host_other_taken(parley_host_act_t *a, parley_str_t id)
{
    int  rc;

    if (!parley_str_eq(a->on.part.answer, id)) {
        a->c->refused.id = a->on.part.answer;

        return parley_error_set(a->h->err, PARLEY_E_MESSAGE_DUPLICATE,
                                a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE
                                ? PARLEY_HOST_OTHER_KEY
                                : parley_host_act_pointer(a),
                                "the caller has answered this event before");
    }

    a->result.disposition = a->on.part.disposition;
    parley_host_other_result(a, id);

    rc = parley_host_pending(a->c, &a->result.mailbox);

    return rc == 0 ? parley_host_other_answer(a) : rc;
}


/*
 * Lets the call go through the steps again, as one of parley_submit.  Its id is
 * admitted anew, together with the slot of the question.  Returns 1,
 * PARLEY_WAIT or -1.
 */

static int
parley_host_other_again(parley_host_act_t *a, parley_str_t id)
{
    int                   rc;
    parley_str_t          parts[3];
    parley_gate_t        *g;
    parley_settings_t    *s;
    parley_host_other_t  *o;

    g = a->c->g;

    rc = parley_reservation_release(&g->admit.entrance, NULL, 0, NULL);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    o = parley_arena_calloc(g->arena, sizeof(parley_host_other_t));
    s = parley_arena_calloc(g->arena, sizeof(parley_settings_t));
    g->out.refused = parley_arena_calloc(g->arena,
                                         sizeof(parley_chat_refused_t));

    if (rc != 0 || o == NULL || s == NULL || g->out.refused == NULL) {
        return parley_error_memory(g->err);
    }

    g->out.refused->until_ms = -1;
    g->out.other = o;

    o->c = *a->c;
    o->a = *a;
    o->a.c = &o->c;
    o->a.h = &o->c.h;
    o->a.args = &o->c.call.args;
    o->answer = id;

    *s = *g->conf.s;

    s->host = NULL;
    s->submit = &parley_host_other_submit;
    s->gate.speak = PARLEY_PROTO_STREAMS;

    g->conf.s = s;
    g->conf.gate = &s->gate;
    g->conf.plan = (g->conf.plan & PARLEY_HOST_OTHER_AGAIN)
                   | PARLEY_HOST_OTHER_MORE;
    g->where.at = PARLEY_STEP_JSON;

    memset(&g->admit, 0, sizeof(parley_gate_admission_t));
    memset(&g->read.correlation, 0, sizeof(parley_correlation_t));
    memset(&g->read.supervision, 0, sizeof(parley_supervision_t));
    memset(&g->out.opts, 0, sizeof(parley_encode_opts_t));
    memset(&g->out.sent, 0, sizeof(parley_encoded_t));

    parts[0] = PARLEY_STR("call");
    parts[1] = a->caller->sub;
    parts[2] = id;

    parley_state_key(g->ask.state, PARLEY_KIND_ID, parts, 3, o->call);
    g->admit.call = o->call;

    g->read.edited = 0;
    g->read.addressed = 0;
    g->report.rule = NULL;

    parley_loss_init(g->loss, g->arena);

    return 1;
}


parley_step_result_t
parley_host_other_publish(parley_gate_t *g)
{
    int                    rc;
    parley_step_result_t   result;
    parley_host_other_t   *o;

    o = g->out.other;

    if (!parley_host_other_is_repeated(g)) {
        result = parley_gate_publish(g);

        if (result != PARLEY_RESULT_ANSWERED) {
            return result;
        }
    }

    /* the result if the state does not answer in time */

    memset(&g->out.reply, 0, sizeof(parley_reply_t));
    parley_host_other_result(&o->a, o->answer);
    o->a.result.disposition = parley_host_other_means(&o->a);

    if (parley_host_other_answer(&o->a) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    /* progress is not noted (C2A-24) */

    rc = o->c.call.kind == PARLEY_CHAT_CALL_PROGRESS
         ? 0 : parley_host_other_note(o);

    if (rc == 0) {
        rc = parley_host_pending(&o->c, &o->a.result.mailbox);
    }

    if (rc == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    /* the answer is published, also if it could not be noted: the question
       takes no other one */

    parley_error_clear(g->err);
    memset(&g->out.reply, 0, sizeof(parley_reply_t));
    parley_host_audit_end(&o->c.h, g, 0);

    return parley_host_other_answer(&o->a) == 0 ? PARLEY_RESULT_ANSWERED
                                                : PARLEY_RESULT_FAILED;
}


/* Returns whether the call was published before.  The step REFERENCE admits it
   if its question is closed. */

static int
parley_host_other_is_repeated(parley_gate_t *g)
{
    if (g->admit.entrance.verdict != PARLEY_ADMIT_DUPLICATE) {
        return 0;
    }

    if (g->admit.stale != NULL) {
        g->read.correlation.final = 1;
    }

    return 1;
}


/* Notes the answer and its disposition, and acknowledges the event.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_host_other_note(parley_host_other_t *o)
{
    int                         rc;
    unsigned                    tries;
    parley_host_act_t          *a;
    parley_host_delivery_t     *part;
    parley_chat_disposition_t   disposition;

    a = &o->a;
    part = &a->on.part;
    disposition = parley_host_other_means(a);
    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {
        rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                      a->caller->sub, part);
        if (rc < 0) {
            return rc;
        }

        part->accepted = 1;

        if (parley_host_is_open(part)
            && disposition != PARLEY_CHAT_UNDISPOSED)
        {
            part->disposition = disposition;
        }

        if (part->answer.len == 0
            && (parley_host_is_decided(disposition)
                || a->c->g->read.correlation.final))
        {
            part->answer = o->answer;
        }

        rc = parley_host_delivery_put(a->h, a->on.id, a->on.event.source,
                                      a->caller->sub, part);
    }

    a->result.disposition = part->disposition;

    return rc == 0 ? parley_host_cursor_move(a->c) : rc < 0 ? rc : -1;
}


/*
 * Returns the disposition of the answer.  A signal that does not end the
 * question keeps an event open that must be answered.  A failure that ends the
 * question ends the event, too.
 */

static parley_chat_disposition_t
parley_host_other_means(const parley_host_act_t *a)
{
    unsigned                    final;
    parley_str_t                word;
    parley_chat_signal_t        signal;
    parley_chat_disposition_t   disposition;

    if (a->c->call.kind == PARLEY_CHAT_CALL_PROGRESS) {
        return PARLEY_CHAT_UNDISPOSED;
    }

    if (a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE) {
        return PARLEY_CHAT_RESPONDED;
    }

    final = a->c->g->read.correlation.final;

    signal = a->c->call.tool == PARLEY_CHAT_REACT ? a->args->signal
             : a->c->call.tool == PARLEY_CHAT_DEFER
             ? PARLEY_CHAT_SIGNAL_QUEUED : PARLEY_CHAT_SIGNAL_DONE;

    disposition = a->h->chat->signal(signal, &word);

    if (parley_host_is_decided(disposition)) {
        return final || a->on.row.verdict.policy != PARLEY_CHAT_MUST
               ? disposition : PARLEY_CHAT_UNDISPOSED;
    }

    return final ? PARLEY_CHAT_FAILED : disposition;
}


static void
parley_host_other_result(parley_host_act_t *a, parley_str_t id)
{
    a->result.id = id;
    a->result.place.id = a->on.event.conversation;
    a->result.place.thread = a->on.event.thread;
    a->result.place.kind = a->on.views.kind;

    if (a->c->call.tool == PARLEY_CHAT_RESOLVE) {
        a->result.resolved = 1;
        a->result.by = a->caller->names[a->h->proto];
        a->result.at_ms = a->h->now_ms;
    }
}


static int
parley_host_other_answer(parley_host_act_t *a)
{
    return a->c->chat->answer(a->h->arena, &a->c->call, &a->result,
                              &a->c->g->out.reply)
           == 0 ? 0 : parley_error_memory(a->h->err);
}
