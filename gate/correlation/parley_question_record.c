/* The content of a question's record. */

#include <string.h>

#include "gate/correlation/parley_question_parts.h"


/* Only the gateway writes records, and one state has one layout of them. */

void
parley_question_split(parley_str_t record, parley_question_t *ret)
{
    size_t          i;
    const uint8_t  *p;

    memcpy(&ret->head, record.data, sizeof(parley_question_head_t));
    ret->record = record;

    p = record.data + sizeof(parley_question_head_t);

    for (i = 0; i < PARLEY_QUESTION_TEXTS; i++) {

        if (ret->head.same[i] != 0) {
            ret->texts[i] = ret->texts[ret->head.same[i] - 1];
            continue;
        }

        ret->texts[i] = parley_str_make(p, ret->head.len[i]);
        p += ret->head.len[i];
    }
}


void
parley_question_message(const parley_question_t *q, parley_msg_t *m)
{
    m->form = q->texts[PARLEY_QUESTION_FORM];
    m->act = (parley_act_t) q->head.act;
    m->id = q->texts[PARLEY_QUESTION_ID];
    m->corr = q->texts[PARLEY_QUESTION_CORR];
    m->question = q->texts[PARLEY_QUESTION_QUESTION];
    m->intent = q->texts[PARLEY_QUESTION_INTENT];
    m->sender = q->texts[PARLEY_QUESTION_SENDER];
    m->recipient = q->texts[PARLEY_QUESTION_RECIPIENT];
    m->alarm = (parley_severity_t) q->head.alarm;
    m->priority = (parley_priority_t) q->head.priority;
    m->approval = q->head.approval;
    m->place = q->texts[PARLEY_QUESTION_PLACE];
    m->token = q->texts[PARLEY_QUESTION_TOKEN];
    m->scoped = q->texts[PARLEY_QUESTION_SCOPE].len > 0;
}


void
parley_question_asked_by(const parley_question_t *q,
    parley_who_asker_t *ret)
{
    ret->recipient = parley_str_none;
    ret->wire = (parley_proto_t) q->head.proto;
    ret->name = q->texts[PARLEY_QUESTION_SENDER];
    ret->sent = (parley_proto_t) q->head.sent;
    ret->sent_name = q->texts[PARLEY_QUESTION_SENT_FROM];
}


int
parley_question_is_alias(parley_str_t record, parley_question_alias_t *ret)
{
    parley_question_alias_head_t  head;

    parley_octets_zero(ret, sizeof(parley_question_alias_t));

    if (record.len == sizeof(parley_record_id_t)) {
        memcpy(&ret->id, record.data, sizeof(parley_record_id_t));
        return 1;
    }

    memcpy(&head, record.data, sizeof(head.mark));

    if (head.mark != PARLEY_QUESTION_LEADS) {
        return 0;
    }

    memcpy(&head, record.data, sizeof(head));
    record = parley_str_from(record, sizeof(head));

    ret->id = head.id;
    ret->has_corr = head.has_corr;
    ret->has_asker_name = 1;
    ret->corr = parley_str_make(record.data, head.corr);
    ret->asker_name = parley_str_from(record, head.corr);

    return 1;
}
