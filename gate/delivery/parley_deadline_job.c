/* Claims the job of a deadline, and ends or repeats it. */

#include <string.h>

#include "gate/party/parley_address.h"
#include "gate/party/parley_account.h"
#include "gate/delivery/parley_deadline_parts.h"
#include "gate/settings/parley_settings.h"


/* ms for which a claim is known, longer than any retry may take */
#define PARLEY_DEADLINE_KNOWN     (2 * PARLEY_DEADLINE_LIVES)


int
parley_deadline_claim(parley_deadline_t *d, parley_str_t what, parley_str_t to,
    const uint8_t *slot)
{
    int                  rc, late;
    uint8_t              id[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN];
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_settlement_t  how;

    parley_question_claim_key(d->ask.state, &d->question, what, to, id);

    memset(print, 0, sizeof(print));
    memset(&a, 0, sizeof(parley_admission_t));

    a.account = d->account;
    a.id = id;
    a.print = print;
    a.slot = slot;
    a.slot_ttl = PARLEY_DEADLINE_KNOWN;
    a.ttl = PARLEY_DEADLINE_KNOWN;

    rc = parley_ask_admit(&d->ask, &a, &got);

    if (rc != 0) {
        return rc;
    }

    switch (got.verdict) {

    case PARLEY_ADMIT_OK:
        break;

    case PARLEY_ADMIT_DUPLICATE:

        if (!parley_deadline_is_claimed(d)) {
            return 0;
        }

        /* the publication may find no room again */

        d->end.mark = PARLEY_DEADLINE_CLAIMED;

        return 1;

    case PARLEY_ADMIT_ANSWERED:
        return 0;

    default:
        return -1;
    }

    memset(&how, 0, sizeof(parley_settlement_t));

    how.stamp = got.stamp;
    how.taken = 1;
    how.closes[0] = slot != NULL ? &d->question : NULL;

    /* this deadline has the id even if it does not see the settlement */

    d->end.mark = PARLEY_DEADLINE_CLAIMED;

    rc = parley_ask_settle(&d->ask, &a, &how, &late);

    return rc != 0 ? rc : late != PARLEY_SETTLED_LATE;
}


/*
 * A process or a node that has ended may have the claim, or this process before
 * it found no room.  The next try carries out the action.
 */

int
parley_deadline_is_claimed(const parley_deadline_t *d)
{
    return d->job->attempt > 1 || d->job->adopted
           || d->job->mark == PARLEY_DEADLINE_CLAIMED;
}


int
parley_deadline_finish(parley_deadline_t *d, parley_deadline_how_t how)
{
    d->how = how;
    d->end.how = how == PARLEY_DEADLINE_LOST ? PARLEY_JOB_GIVEN_UP
                                             : PARLEY_JOB_DONE;
    return 0;
}


int
parley_deadline_retry(parley_deadline_t *d)
{
    d->how = PARLEY_DEADLINE_AGAIN;
    d->end.how = PARLEY_JOB_AGAIN;
    d->end.after = PARLEY_DEADLINE_LATER;
    d->end.untried = 1;

    if (d->end.mark == 0) {
        d->end.mark = d->job->mark;
    }

    return 0;
}


int
parley_deadline_notify(parley_deadline_t *d, const parley_publication_t *p,
    const parley_principal_t *to, parley_job_subject_kind_t kind,
    parley_str_t sender, parley_append_t **ret)
{
    parley_publish_to_t  notify;

    *ret = parley_arena_calloc(d->arena, sizeof(parley_append_t));

    if (*ret == NULL) {
        return -1;
    }

    notify.http = d->deliver->http;
    notify.state = d->ask.state;
    notify.ask = &d->ask;
    notify.publication = p;
    notify.account = d->account;
    notify.to = to;
    notify.kind = kind;
    notify.sender = sender;
    notify.awaits = kind == PARLEY_SUBJECT_DELIVER ? PARLEY_SUBJECT_AWAIT
                                                : PARLEY_SUBJECT_NONE;
    notify.class = kind == PARLEY_SUBJECT_DELIVER ? PARLEY_JOB_URGENT
                                               : PARLEY_JOB_ORDINARY;

    return parley_publish_to(&notify, d->arena, *ret);
}


const parley_principal_t *
parley_deadline_above(const parley_settings_http_t *http,
    const parley_principal_t *p)
{
    for (p = p->above; p != NULL; p = p->above) {

        if ((http->publishes && parley_address_has(p))
            || (http->deliver_uri.len > 0 && p->deliver.len > 0))
        {
            return p;
        }
    }

    return NULL;
}
