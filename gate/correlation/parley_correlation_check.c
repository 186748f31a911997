#include "translate/channel/parley_channel_scope.h"
#include "gate/correlation/parley_correlation.h"
#include "gate/correlation/parley_correlation_parts.h"
#include "translate/parley_engine.h"
#include "translate/parley_intents.h"
#include "translate/parley_name.h"


static void parley_correlation_addressee(const parley_correlation_t *r);
static void parley_correlation_readdress(const parley_correlation_t *r);


int
parley_correlation_check(const parley_correlation_t *r,
    const parley_engine_t *engine, const parley_intents_t *intents,
    const parley_encoded_t *sent, parley_error_t *err)
{
    parley_msg_t         m;
    parley_json_t        doc;
    const parley_msg_t  *asked;

    asked = r->answering;

    if (asked == NULL || asked->wire != PARLEY_PROTO_CANONICAL
        || (r->msg->act != PARLEY_ACT_REPLY
            && r->msg->act != PARLEY_ACT_FAILURE)
        || parley_intents_find(intents, asked->intent, r->msg->act) == NULL)
    {
        return 0;
    }

    m = *r->msg;

    if (m.wire != PARLEY_PROTO_CANONICAL) {

        if (r->speak != PARLEY_PROTO_CANONICAL) {
            return 0;
        }

        if (parley_read_again(&doc, r->arena, r->msg->doc->seed, sent->body,
                              err)
            != 0
            || parley_decode(engine, r->arena, PARLEY_PROTO_CANONICAL, &doc, 0,
                             &m, err)
               != 0)
        {
            return -1;
        }
    }

    m.intent = asked->intent;

    return parley_intents_check(intents, r->arena, &m, err);
}


void
parley_correlation_again(const parley_correlation_t *r)
{
    const parley_str_t  *texts;

    if (r->answering != NULL) {
        parley_engine_answers(r->msg, r->answering->approval);

        if (r->msg->approves
            && r->answering->approval == PARLEY_APPROVAL_HUMAN
            && !parley_who_may_approve(r->who, r->msg->wire, r->msg->sender))
        {
            parley_engine_disapprove(r->msg);
        }
    }

    if (r->question == NULL) {
        return;
    }

    texts = r->question->texts;

    if (!r->recalled) {
        parley_correlation_addressee(r);
        return;
    }

    r->msg->recipient = texts[PARLEY_QUESTION_RECIPIENT];
    r->msg->reply_to = texts[PARLEY_QUESTION_SENT_ID];
    r->msg->corr = texts[PARLEY_QUESTION_SENT_CORR];
}


/*
 * Tells r->who that the recipient of the answer is the asker, by the name that
 * the reader of the question got.
 */

static void
parley_correlation_addressee(const parley_correlation_t *r)
{
    parley_msg_t  *m;

    m = r->msg;

    r->who->asker = NULL;

    if (parley_correlation_scope(r).len > 0) {
        parley_correlation_readdress(r);
        return;
    }

    if (parley_correlation_is_dm(r, r->question, r->corr)) {
        m->recipient = r->asker_name;
    }

    if (r->asker == NULL || m->recipient.len == 0
        || (r->asker_name.len == 0 && !r->own)
        || parley_name_is_group(m->wire, m->recipient))
    {
        return;
    }

    r->asker->recipient = m->recipient;
    r->who->asker = r->asker;
}


/* Gives a message without a recipient the recipient of the scope for
   answers. */

static void
parley_correlation_readdress(const parley_correlation_t *r)
{
    parley_msg_t            *m;
    parley_channel_scope_t   scope;

    m = r->msg;

    if ((m->recipient.len == 0
         || parley_correlation_is_dm(r, r->question, r->corr))
        && parley_channel_scope_parse(parley_correlation_scope(r), &scope) == 0)
    {
        (void) parley_correlation_map(r, PARLEY_PROTO_STREAMS, scope.handle,
                                      m->wire, &m->recipient);
    }
}


parley_str_t
parley_correlation_to(const parley_correlation_t *r)
{
    return r->msg->recipient.len > 0 || r->question == NULL
           ? r->msg->recipient
           : r->question->texts[r->own ? PARLEY_QUESTION_SENDER
                                       : PARLEY_QUESTION_SENT_FROM];
}
