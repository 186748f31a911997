#include <string.h>

#include "gate/party/parley_address.h"
#include "gate/party/parley_account.h"
#include "gate/delivery/parley_overdue_parts.h"
#include "gate/settings/parley_settings.h"


/* the text of a job: its kind, then these, then a sub */
#define PARLEY_OVERDUE_QUESTION  (PARLEY_KEY_LEN + sizeof(uint32_t))

/* ms that it is known who carried it out, longer than any try of it comes */
#define PARLEY_OVERDUE_KNOWN     (2 * PARLEY_OVERDUE_LIVES)


static int parley_overdue_read(parley_overdue_t *d);
static int parley_overdue_due(parley_overdue_t *d);
static void parley_overdue_claim_key(const parley_state_t *state,
    const parley_record_id_t *question, parley_str_t what, parley_str_t to,
    uint8_t ret[PARLEY_KEY_LEN]);
static void parley_overdue_octets(const parley_record_id_t *question,
    uint8_t out[PARLEY_OVERDUE_QUESTION]);


int
parley_overdue_job(parley_arena_t *arena, const parley_state_t *state,
    parley_load_kind_t kind, const parley_record_id_t *question,
    parley_str_t sub, parley_job_t *ret)
{
    uint8_t       *text;
    uint8_t        octet;
    parley_str_t   parts[2];

    memset(ret, 0, sizeof(parley_job_t));

    ret->class = PARLEY_JOB_PROMPT;

    text = parley_arena_octets(arena, PARLEY_OVERDUE_QUESTION + sub.len);

    if (text == NULL) {
        return -1;
    }

    parley_overdue_octets(question, text);

    if (sub.len != 0) {
        memcpy(text + PARLEY_OVERDUE_QUESTION, sub.data, sub.len);
    }

    octet = (uint8_t) kind;
    parts[0] = parley_str_make(&octet, 1);
    parts[1] = parley_str_make(text, PARLEY_OVERDUE_QUESTION);

    parley_state_key(state, PARLEY_KIND_LANE, parts, 2, ret->lane);

    return parley_load_write(arena, kind,
                             parley_str_make(text, PARLEY_OVERDUE_QUESTION
                                                   + sub.len),
                             &ret->text);
}


static void
parley_overdue_octets(const parley_record_id_t *question,
    uint8_t out[PARLEY_OVERDUE_QUESTION])
{
    memcpy(out, question->key, PARLEY_KEY_LEN);
    memcpy(out + PARLEY_KEY_LEN, &question->tag, sizeof(question->tag));
}


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


int
parley_overdue_over(parley_overdue_t *d, parley_overdue_how_t how)
{
    d->how = how;
    d->end.how = how == PARLEY_OVERDUE_LOST ? PARLEY_JOB_GIVEN_UP
                                             : PARLEY_JOB_DONE;
    return 0;
}


int
parley_overdue_again(parley_overdue_t *d)
{
    d->how = PARLEY_OVERDUE_AGAIN;
    d->end.how = PARLEY_JOB_AGAIN;
    d->end.after = PARLEY_OVERDUE_LATER;
    d->end.untried = 1;

    if (d->end.mark == 0) {
        d->end.mark = d->job->mark;
    }

    return 0;
}


/*
 * A process that was gone in the midst of it may have claimed it, or this one
 * before it found no room: whoever comes then carries it out.
 */

int
parley_overdue_is_claimed(const parley_overdue_t *d)
{
    return d->job->attempt > 1 || d->job->mark == PARLEY_OVERDUE_CLAIMED;
}


static void
parley_overdue_claim_key(const parley_state_t *state,
    const parley_record_id_t *question, parley_str_t what, parley_str_t to,
    uint8_t ret[PARLEY_KEY_LEN])
{
    uint8_t       octets[PARLEY_OVERDUE_QUESTION];
    parley_str_t  parts[4];

    parley_overdue_octets(question, octets);

    parts[0] = PARLEY_STR("deadline");
    parts[1] = parley_str_make(octets, sizeof(octets));
    parts[2] = what;
    parts[3] = to;

    parley_state_key(state, PARLEY_KIND_ID, parts, 4, ret);
}


int
parley_overdue_claim(parley_overdue_t *d, parley_str_t what, parley_str_t to,
    const uint8_t *slot)
{
    int                  rc, late;
    uint8_t              id[PARLEY_KEY_LEN];
    uint8_t              print[PARLEY_PRINT_LEN];
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_settlement_t  how;

    parley_overdue_claim_key(d->ask.state, &d->question, what, to, id);

    memset(print, 0, sizeof(print));
    memset(&a, 0, sizeof(parley_admission_t));

    a.account = d->account;
    a.id = id;
    a.print = print;
    a.slot = slot;
    a.slot_ttl = PARLEY_OVERDUE_KNOWN;
    a.ttl = PARLEY_OVERDUE_KNOWN;

    rc = parley_ask_admit(&d->ask, &a, &got);

    if (rc != 0) {
        return rc;
    }

    switch (got.verdict) {

    case PARLEY_ADMIT_OK:
        break;

    case PARLEY_ADMIT_DUPLICATE:

        if (!parley_overdue_is_claimed(d)) {
            return 0;
        }

        /* it may find no room again */

        d->end.mark = PARLEY_OVERDUE_CLAIMED;

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

    /* whether or not it is seen to have settled, the id is this one's */

    d->end.mark = PARLEY_OVERDUE_CLAIMED;

    rc = parley_ask_settle(&d->ask, &a, &how, &late);

    return rc != 0 ? rc : late != PARLEY_SETTLED_LATE;
}


/* by the id that was claimed for it; of what is stale none is made */

int
parley_overdue_has_asked(parley_ask_t *ask, const parley_record_id_t *question,
    parley_str_t sub)
{
    int                 rc;
    uint8_t             id[PARLEY_KEY_LEN], account[PARLEY_KEY_LEN];
    uint8_t             print[PARLEY_PRINT_LEN];
    parley_admitted_t   got;
    parley_admission_t  a;

    parley_overdue_claim_key(ask->state, question, PARLEY_OVERDUE_RAISES, sub,
                             id);
    parley_account_key(ask->state, sub, parley_str_none, account);

    memset(print, 0, sizeof(print));
    memset(&a, 0, sizeof(parley_admission_t));

    a.account = account;
    a.id = id;
    a.print = print;
    a.stale = 1;

    rc = parley_ask_admit(ask, &a, &got);

    return rc != 0 ? rc : got.verdict == PARLEY_ADMIT_DUPLICATE;
}


int
parley_overdue_notify(parley_overdue_t *d, const parley_publication_t *p,
    const parley_principal_t *to, parley_load_kind_t kind, parley_str_t sender,
    parley_append_t **ret)
{
    parley_notify_t  notify;

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
    notify.awaits = kind == PARLEY_LOAD_DELIVER ? PARLEY_LOAD_AWAIT
                                                : PARLEY_LOAD_NONE;
    notify.class = kind == PARLEY_LOAD_DELIVER ? PARLEY_JOB_URGENT
                                               : PARLEY_JOB_ORDINARY;

    return parley_notify(&notify, d->arena, *ret);
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


const parley_principal_t *
parley_overdue_above(const parley_settings_http_t *http,
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
