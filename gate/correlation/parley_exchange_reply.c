#include <string.h>

#include "translate/parley_engine.h"
#include "gate/correlation/parley_exchange_parts.h"
#include "translate/parley_fault.h"
#include "translate/parley_intents.h"


static int parley_exchange_told(const parley_exchange_t *x,
    parley_arena_t *arena, const parley_answered_t *ret, parley_error_t *err);
static int parley_exchange_denies(parley_error_t *err);


int
parley_exchange_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    const parley_bond_t  *bond;
    parley_exchange_t    *x = data;

    bond = &x->bond;

    if (from == bond->sent && to == bond->wire && name.len > 0) {

        if (parley_str_eq(name, bond->sent_to) && bond->recipient.len > 0) {
            *ret = bond->recipient;
            return 1;
        }

        if (parley_str_eq(name, bond->sent_from) && bond->sender.len > 0) {
            *ret = bond->sender;
            return 1;
        }
    }

    return parley_who_resolve(&x->asked, from, name, to, ret);
}


void
parley_exchange_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_exchange_t *x = data;

    parley_who_attribute(&x->asked, proto, name, ret_human, ret_instrument);
}


int
parley_exchange_above(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t other)
{
    parley_exchange_t *x = data;

    return parley_who_above(&x->asked, proto, name, other);
}


int
parley_exchange_reply(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_answer_t  given;

    if (answer->kind == PARLEY_ANSWER_REFUSED
        || (answer->kind == PARLEY_ANSWER_MESSAGE
            && answer->msg.act == PARLEY_ACT_FAILURE))
    {
        given = *answer;
        answer = &given;

        if (parley_fault_answer(x->engine, arena, x->request, x->speak,
                                x->sent, &given, err)
            != 0)
        {
            return -1;
        }
    }

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        /* not every protocol has a member for it (AEE-12) */

        (void) parley_traceparent_format(arena, answer->msg.trace_id,
                                         answer->msg.span_id,
                                         &ret->traceparent);
    }

    if (parley_answer_encode(x->engine, arena, x->request, answer, &x->opts,
                             now_ms, &ret->reply, loss, err)
        != 0)
    {
        return parley_exchange_denies(err);
    }

    return answer->kind == PARLEY_ANSWER_MESSAGE
           ? parley_exchange_told(x, arena, ret, err) : 0;
}


/*
 * An answer that is translated for an AEE caller gets the intent of the task,
 * and has to match its schemas (AEE-33).
 */

static int
parley_exchange_told(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answered_t *ret, parley_error_t *err)
{
    parley_msg_t   m;
    parley_json_t  doc;

    if (x->request->wire != PARLEY_PROTO_CANONICAL
        || x->speak == PARLEY_PROTO_CANONICAL || ret->reply.body.len == 0
        || parley_intents_find(x->intents, x->request->intent, ret->act)
           == NULL)
    {
        return 0;
    }

    if (parley_read_again(&doc, arena, x->seed, ret->reply.body, err) != 0
        || parley_decode(x->engine, arena, PARLEY_PROTO_CANONICAL, &doc, 0, &m,
                         err)
           != 0)
    {
        return -1;
    }

    if (m.act != ret->act) {
        /* the message was accepted, but the answer cannot be expressed */
        return 0;
    }

    m.intent = x->request->intent;

    if (parley_intents_check(x->intents, arena, &m, err) == 0) {
        return 0;
    }

    if (err->code != PARLEY_E_CAPACITY) {
        err->code = PARLEY_E_UPSTREAM_INVALID;
    }

    return -1;
}


int
parley_exchange_say(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_encoded_t  made;

    parley_loss_turn(loss);

    if (answer->kind != PARLEY_ANSWER_MESSAGE
        || (parley_codecs[x->request->wire]->binding->responds && ret->final))
    {
        if (parley_exchange_reply(x, arena, answer, now_ms, ret, loss, err)
            != 0)
        {
            return -1;
        }

        ret->replies = ret->reply.body.len > 0;

        return 0;
    }

    if (parley_encode(x->engine, arena, x->request->wire, &answer->msg,
                      &x->opts, &made, loss, err)
        == 0)
    {
        ret->replies = 1;
        ret->reply.body = made.body;
        ret->reply.id = made.id;

        return parley_exchange_told(x, arena, ret, err);
    }

    if (err->code != PARLEY_E_TRANSLATION_UNSUPPORTED
        && err->code != PARLEY_E_IDENTITY_UNMAPPABLE)
    {
        return parley_exchange_denies(err);
    }

    return parley_answer_unsaid(arena, &ret->reply, loss, err);
}


/* Reports an unmatched reply as an error of the upstream (SEC-08).  Returns
   -1. */

static int
parley_exchange_denies(parley_error_t *err)
{
    if (err->code == PARLEY_E_REPLY_UNMATCHED) {
        err->code = PARLEY_E_UPSTREAM_INVALID;
    }

    return -1;
}


/* the reply has already reported the same loss */

int
parley_exchange_acknowledge(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, parley_answered_t *ret, parley_error_t *err)
{
    parley_loss_t         loss;
    parley_encode_opts_t  opts;

    if (!parley_codecs[x->request->wire]->binding->single
        || x->request->act != PARLEY_ACT_REQUEST
        || answer->kind != PARLEY_ANSWER_MESSAGE
        || answer->msg.act != PARLEY_ACT_REPLY)
    {
        return 0;
    }

    if (x->supervision->alarm == PARLEY_SEVERITY_NONE) {
        return 0;
    }

    parley_loss_init(&loss, arena);

    opts = x->opts;
    opts.answering = x->request;

    if (parley_encode(x->engine, arena, x->request->wire, &answer->msg, &opts,
                      &ret->message, &loss, err)
        == 0)
    {
        return 0;
    }

    if (err->code == PARLEY_E_CAPACITY) {
        return -1;
    }

    /* the reply alone has the acknowledgment */

    parley_error_clear(err);
    memset(&ret->message, 0, sizeof(parley_encoded_t));

    return 0;
}


int
parley_exchange_accepted(const parley_exchange_t *x, parley_arena_t *arena,
    int64_t now_ms, parley_answered_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_answer_t  taken;

    memset(&taken, 0, sizeof(parley_answer_t));

    taken.kind = PARLEY_ANSWER_TAKEN;
    taken.status = 200;

    return parley_exchange_reply(x, arena, &taken, now_ms, ret, loss, err);
}
