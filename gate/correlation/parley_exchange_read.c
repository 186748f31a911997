#include "translate/parley_check.h"
#include "translate/parley_engine.h"
#include "gate/correlation/parley_exchange_parts.h"
#include "translate/parley_intents.h"
#include "translate/parley_msg_field.h"


static int parley_exchange_check(const parley_exchange_t *x,
    parley_arena_t *arena, parley_answer_t *answer, parley_error_t *err);
static int parley_exchange_scope(const parley_exchange_t *x,
    const parley_msg_t *m, parley_error_t *err);
static int parley_exchange_names(const parley_exchange_t *x,
    const parley_msg_t *m, parley_error_t *err);
static int parley_exchange_schema(const parley_exchange_t *x,
    parley_arena_t *arena, const parley_msg_t *m, parley_error_t *err);
static void parley_exchange_note(const parley_exchange_t *x,
    const parley_answer_t *answer, parley_answered_t *ret);


int
parley_exchange_read(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, parley_answer_t *answer,
    parley_answered_t *ret, parley_error_t *err)
{
    if (parley_answer_decode(x->engine, arena, x->speak, x->sent,
                             response->status, response->body, x->limits,
                             x->seed, answer, err)
        != 0)
    {
        return -1;
    }

    if (!answer->waits && response->wait_ms > 0) {
        answer->wait_ms = response->wait_ms;
        answer->waits = 1;
    }

    if (parley_exchange_check(x, arena, answer, err) != 0) {

        if (err->code != PARLEY_E_CAPACITY) {
            err->code = PARLEY_E_UPSTREAM_INVALID;
        }

        parley_answer_at(answer, err);

        return -1;
    }

    parley_exchange_note(x, answer, ret);

    return 0;
}


/* Checks the answer by AEE-08, SEC-08, VCP-25 and AEE-33. */

static int
parley_exchange_check(const parley_exchange_t *x, parley_arena_t *arena,
    parley_answer_t *answer, parley_error_t *err)
{
    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        return 0;
    }

    /* an answer without an id is not a message: a bare 202, an empty body */

    if (!x->any_case && answer->msg.id.len > 0
        && parley_codecs[x->speak]->spelling != NULL
        && parley_codecs[x->speak]->spelling(&answer->doc, err) != 0)
    {
        return -1;
    }

    if (parley_responder_check(&x->bond, &answer->msg, err) != 0) {
        return -1;
    }

    if (answer->kind != PARLEY_ANSWER_MESSAGE) {
        return 0;
    }

    /* an answer of a group does not name its author */

    if (answer->msg.approves && x->sent->approval == PARLEY_APPROVAL_HUMAN
        && !parley_who_may_approve(x->who, x->speak,
                                   answer->msg.sender.len > 0
                                   ? answer->msg.sender : x->bond.sent_to))
    {
        parley_engine_disapprove(&answer->msg);
    }

    if (parley_check_answer(&answer->msg, x->request, x->sent, err) != 0) {
        return -1;
    }

    return parley_exchange_scope(x, &answer->msg, err) != 0
           || parley_exchange_names(x, &answer->msg, err) != 0
           || parley_exchange_schema(x, arena, &answer->msg, err) != 0
           ? -1 : 0;
}


/* Refuses an answer that must go to another scope: the response reaches the
   sender of the request (ACH-31). */

static int
parley_exchange_scope(const parley_exchange_t *x, const parley_msg_t *m,
    parley_error_t *err)
{
    if (!x->elsewhere
        || (m->act != PARLEY_ACT_REPLY && m->act != PARLEY_ACT_FAILURE))
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, NULL,
                            "the answer must be sent to the response_scope of "
                            "the query, not in the response");
}


/*
 * An answer that is found by its correlation may also name the question: by its
 * id, or by the id that the service got.  If the message was forwarded
 * unchanged, the two parties check the name themselves.
 */

static int
parley_exchange_names(const parley_exchange_t *x, const parley_msg_t *m,
    parley_error_t *err)
{
    if (m->names.len == 0 || x->sent->copied
        || parley_str_eq(m->names, x->request->id)
        || parley_str_eq(m->names, x->sent->id))
    {
        return 0;
    }

    return parley_msg_misrefers(m, PARLEY_E_UPSTREAM_INVALID,
                                "the answer names another message than the "
                                "answered one", err);
}


/*
 * Checks the answer by the schemas of its own intent, and of the intent that it
 * answers: a result with another intent is also a result of this task.
 */

static int
parley_exchange_schema(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_msg_t *m, parley_error_t *err)
{
    parley_msg_t  answer;

    if (parley_intents_check(x->intents, arena, m, err) != 0) {
        return -1;
    }

    if ((m->act != PARLEY_ACT_REPLY && m->act != PARLEY_ACT_FAILURE)
        || (m->wire != PARLEY_PROTO_CANONICAL && m->wire != x->request->wire)
        || parley_str_eq(m->intent, x->request->intent)
        || parley_intents_find(x->intents, x->request->intent, m->act) == NULL)
    {
        return 0;
    }

    answer = *m;
    answer.intent = x->request->intent;

    return parley_intents_check(x->intents, arena, &answer, err);
}


/* Fills the facts for the log and the state. */

static void
parley_exchange_note(const parley_exchange_t *x, const parley_answer_t *answer,
    parley_answered_t *ret)
{
    const parley_msg_t  *m;

    m = &answer->msg;

    ret->kind = answer->kind;
    ret->code = answer->code;

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        ret->act = m->act;
        ret->code = m->code;
    }

    ret->final = answer->kind == PARLEY_ANSWER_REFUSED
                 || (answer->kind == PARLEY_ANSWER_MESSAGE
                     && (m->act == PARLEY_ACT_REPLY
                         || m->act == PARLEY_ACT_FAILURE));

    if (ret->final) {
        parley_responder_expected(&x->bond, m, &ret->principal, &ret->session);
    }
}
