#include <string.h>

#include "core/parley_octets.h"
#include "gate/party/parley_account.h"
#include "gate/delivery/parley_deadline_parts.h"


static int parley_deadline_read(parley_deadline_t *d);
static int parley_deadline_due(parley_deadline_t *d);


int
parley_deadline_run(parley_deadline_t *d)
{
    int  rc;

    parley_ask_begin(&d->ask, d->ask.now);

    rc = parley_deadline_read(d) != 0
         ? parley_deadline_finish(d, PARLEY_DEADLINE_LOST)
         : parley_deadline_due(d);

    if (rc == 0) {
        parley_ask_end(&d->ask);
    }

    return rc;
}


static int
parley_deadline_read(parley_deadline_t *d)
{
    parley_str_t  text;

    d->kind = parley_job_subject_read(d->job->text, &text);

    if (text.len < PARLEY_DEADLINE_QUESTION || d->job->left <= 0
        || d->job->record.data == NULL
        || parley_publication_read(d->job->record, &d->publication) != 0)
    {
        return -1;
    }

    d->question.kind = PARLEY_KIND_QUESTION;
    memcpy(d->question.key, text.data, PARLEY_KEY_LEN);
    d->question.tag = parley_octets_read32(text.data + PARLEY_KEY_LEN);

    d->sub = parley_str_from(text, PARLEY_DEADLINE_QUESTION);

    parley_account_key(d->ask.state, d->publication.sender, parley_str_none,
                       d->account);

    return 0;
}


/* A question without a record was evicted, and may still wait for its
   answer. */

static int
parley_deadline_due(parley_deadline_t *d)
{
    int              rc;
    parley_record_t  record;

    rc = parley_ask_get_one(&d->ask, &d->question, &record);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc < 0) {
        return parley_deadline_retry(d);
    }

    if (d->kind == PARLEY_SUBJECT_TIMEOUT) {
        return parley_timeout_tell(d, rc == 1 ? &record : NULL);
    }

    return rc == 1 && record.closed && d->kind == PARLEY_SUBJECT_ESCALATION
           ? parley_deadline_finish(d, PARLEY_DEADLINE_ANSWERED)
           : parley_escalation_raise(d);
}


void
parley_deadline_line(const parley_deadline_t *d, parley_audit_delivery_t *ret)
{
    static const parley_str_t  outcomes[] = {
        [PARLEY_DEADLINE_ANSWERED] = parley_str("answered"),
        [PARLEY_DEADLINE_RAISED] = parley_str("raised"),
        [PARLEY_DEADLINE_UNACKNOWLEDGED] = parley_str("unacknowledged"),
        [PARLEY_DEADLINE_TIMED_OUT] = parley_str("timed-out"),
        [PARLEY_DEADLINE_LOST] = parley_str("lost"),
        [PARLEY_DEADLINE_AGAIN] = parley_str("again")
    };

    memset(ret, 0, sizeof(parley_audit_delivery_t));

    ret->deadline = 1;
    ret->id = d->publication.id;
    ret->principal = d->publication.sender;
    ret->recipient = d->to != NULL ? d->to->sub : parley_str_none;
    ret->outcome = outcomes[d->how];
    ret->attempts = d->job->attempt;
}
