/* Messages that take an earlier one back. */

#include "gate/correlation/parley_correlation_parts.h"


static int parley_correlation_recall(parley_correlation_t *r,
    parley_error_t *err);
static int parley_correlation_call(parley_correlation_t *r,
    parley_error_t *err);
static int parley_correlation_restored(parley_correlation_t *r,
    parley_error_t *err);
static int parley_correlation_is_taken_back(const parley_correlation_t *r,
    const parley_question_t *q);


int
parley_correlation_recalls(parley_correlation_t *r, parley_error_t *err)
{
    const parley_msg_t  *m;

    m = r->msg;

    return m->wire == r->speak ? 0
           : m->origin == m->wire ? parley_correlation_recall(r, err)
                                  : parley_correlation_restored(r, err);
}


/*
 * Sets the recipient of a message that takes back a call of the caller: the
 * recipient of that call.  Also sets the ids with which the call was sent.
 */

static int
parley_correlation_recall(parley_correlation_t *r, parley_error_t *err)
{
    int            rc;
    parley_str_t   to;
    parley_msg_t  *m;

    m = r->msg;

    rc = parley_correlation_call(r, err);

    if (rc != 0) {
        return rc;
    }

    if (r->question == NULL || r->question->head.sent != r->speak) {
        r->question = NULL;

        return m->recipient.len > 0
               ? 0
               : parley_correlation_unmatched(r, PARLEY_CORRELATION_UNKNOWN,
                                              err);
    }

    to = r->question->texts[PARLEY_QUESTION_RECIPIENT];

    if (m->recipient.len > 0 && !parley_str_eq(m->recipient, to)) {
        r->question = NULL;

        return parley_correlation_unmatched(r, PARLEY_CORRELATION_UNKNOWN, err);
    }

    r->recalled = 1;

    parley_correlation_again(r);

    return 0;
}


/* Finds the question with this call id, by its record or an alias. */

static int
parley_correlation_call(parley_correlation_t *r, parley_error_t *err)
{
    int                      rc;
    parley_record_t          record;
    parley_record_id_t       id;
    parley_question_alias_t  lead;

    id.kind = PARLEY_KIND_CALL;
    id.tag = 0;
    parley_question_call_key(r->ask->state, r->who, r->msg->recalls, id.key);

    rc = parley_correlation_record(r, &id, &record);

    if (rc == 1 && parley_question_is_alias(record.value, &lead)) {
        rc = parley_correlation_record(r, &lead.id, &record);
    }

    if (rc != 1) {
        return rc == 0 ? 0 : parley_correlation_failed(r, rc, err);
    }

    return parley_correlation_keep(r, record.value) == 0
           ? 0 : parley_error_memory(err);
}


/*
 * Checks that a message which was a recall in the target protocol takes back a
 * message of its own sender.  No member says so there.
 */

static int
parley_correlation_restored(parley_correlation_t *r, parley_error_t *err)
{
    int                      i, rc;
    parley_records_t         records;
    parley_question_t        q;
    parley_record_id_t       id;
    const parley_msg_t      *m;
    parley_question_alias_t  lead;

    m = r->msg;

    if (m->origin != r->speak) {
        return 0;
    }

    id.kind = PARLEY_KIND_QUESTION;
    id.tag = parley_question_tag(r->ask->state,
                                 parley_question_asker(r->who, r->speak),
                                 parley_str_none);
    parley_question_key(r->ask->state, m->origin,
                        m->reply_to.len > 0 ? m->reply_to : m->recalls,
                        id.key);

    rc = parley_ask_get_owned(r->ask, &id, &records);

    if (rc != 0) {
        return parley_correlation_failed(r, rc, err);
    }

    for (i = 0; i < records.n; i++) {

        if (records.list[i].closed
            || parley_question_is_alias(records.list[i].value, &lead))
        {
            continue;
        }

        if (parley_question_split(records.list[i].value, &q) == 0
            && parley_correlation_is_taken_back(r, &q))
        {
            return 0;
        }
    }

    return parley_correlation_unmatched(r, PARLEY_CORRELATION_UNKNOWN, err);
}


static int
parley_correlation_is_taken_back(const parley_correlation_t *r,
    const parley_question_t *q)
{
    const parley_msg_t  *m;
    const parley_str_t  *texts;

    m = r->msg;
    texts = q->texts;

    return q->head.proto == m->wire
           && parley_str_eq(texts[PARLEY_QUESTION_SENDER], m->sender)
           && parley_str_eq(texts[PARLEY_QUESTION_RECIPIENT], m->recipient)
           && (parley_str_eq(texts[PARLEY_QUESTION_SENT_ID], m->recalls)
               || parley_str_eq(texts[PARLEY_QUESTION_SENT_CALL],
                                m->recalls));
}
