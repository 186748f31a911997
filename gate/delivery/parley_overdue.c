#include <string.h>

#include "gate/party/parley_account.h"
#include "gate/delivery/parley_overdue_parts.h"


/* the text of a job: its kind, then these, then a sub */


static int parley_overdue_read(parley_overdue_t *d);
static int parley_overdue_due(parley_overdue_t *d);


int
parley_overdue_meet(parley_overdue_t *d)
{
    int  rc;

    parley_ask_begin(&d->ask, d->ask.now);

    rc = parley_overdue_read(d) != 0
         ? parley_overdue_over(d, PARLEY_OVERDUE_LOST)
         : parley_overdue_due(d);

    if (rc == 0) {
        parley_ask_end(&d->ask);
    }

    return rc;
}


static int
parley_overdue_read(parley_overdue_t *d)
{
    parley_str_t  text;

    d->kind = parley_load_read(d->job->text, &text);

    if (text.len < PARLEY_OVERDUE_QUESTION || d->job->left <= 0
        || d->job->record.data == NULL
        || parley_publication_read(d->job->record, &d->publication) != 0)
    {
        return -1;
    }

    d->question.kind = PARLEY_KIND_QUESTION;
    memcpy(d->question.key, text.data, PARLEY_KEY_LEN);
    memcpy(&d->question.tag, text.data + PARLEY_KEY_LEN,
           sizeof(d->question.tag));

    d->sub = parley_str_from(text, PARLEY_OVERDUE_QUESTION);

    parley_account_key(d->ask.state, d->publication.sender, parley_str_none,
                       d->account);

    return 0;
}


/* a question that gave way to others was perhaps never answered */

static int
parley_overdue_due(parley_overdue_t *d)
{
    int              rc;
    parley_record_t  record;

    rc = parley_ask_get_one(&d->ask, &d->question, &record);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc < 0) {
        return parley_overdue_again(d);
    }

    if (d->kind == PARLEY_LOAD_TIMEOUT) {
        return parley_timeout_tell(d, rc == 1 ? &record : NULL);
    }

    return rc == 1 && record.closed && d->kind == PARLEY_LOAD_ESCALATION
           ? parley_overdue_over(d, PARLEY_OVERDUE_ANSWERED)
           : parley_escalation_raise(d);
}


void
parley_overdue_line(const parley_overdue_t *d, parley_audit_delivery_t *ret)
{
    static const parley_str_t  outcomes[] = {
        [PARLEY_OVERDUE_ANSWERED] = parley_str("answered"),
        [PARLEY_OVERDUE_RAISED] = parley_str("raised"),
        [PARLEY_OVERDUE_UNACKNOWLEDGED] = parley_str("unacknowledged"),
        [PARLEY_OVERDUE_TIMED_OUT] = parley_str("timed-out"),
        [PARLEY_OVERDUE_LOST] = parley_str("lost"),
        [PARLEY_OVERDUE_AGAIN] = parley_str("again")
    };

    memset(ret, 0, sizeof(parley_audit_delivery_t));

    ret->deadline = 1;
    ret->id = d->publication.id;
    ret->principal = d->publication.sender;
    ret->recipient = d->to != NULL ? d->to->sub : parley_str_none;
    ret->outcome = outcomes[d->how];
    ret->attempts = d->job->attempt;
}
