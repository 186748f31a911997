#include <string.h>

#include "gate/party/parley_account.h"
#include "state/parley_log.h"
#include "gate/admission/parley_reservation.h"
#include "translate/parley_msg_field.h"


static int parley_reservation_prepare(parley_reservation_t *e,
    parley_error_t *err);
static void parley_reservation_taking(const parley_reservation_t *e,
    const parley_asked_t *closed, parley_settlement_t *ret);
static int parley_reservation_settle(parley_reservation_t *e,
    const parley_settlement_t *how);
static void parley_reservation_lasts(parley_reservation_t *e);
static void parley_reservation_refused(parley_reservation_t *e,
    const parley_admitted_t *got, parley_error_t *err);


int
parley_reservation_ask(parley_reservation_t *e, parley_error_t *err)
{
    int                  rc;
    parley_admitted_t    got;
    parley_admission_t  *a;

    e->verdict = PARLEY_ADMIT_FULL;

    if (parley_reservation_prepare(e, err) != 0) {
        return -1;
    }

    a = &e->admission;

    memset(&got, 0, sizeof(parley_admitted_t));

    if (!e->known && e->stale != NULL) {
        got.verdict = PARLEY_ADMIT_STALE;

    } else if (a->id != NULL || a->slot != NULL || a->nquotas != 0
               || a->nlimits != 0 || a->suspends)
    {
        e->asked = 1;
        rc = parley_ask_admit(e->ask, a, &got);

        if (rc != 0) {
            return rc == PARLEY_WAIT ? rc : parley_error_memory(err);
        }
    }

    e->verdict = got.verdict;
    e->stamp = got.stamp;
    e->wait = got.wait;

    if (got.verdict != PARLEY_ADMIT_OK) {
        parley_reservation_refused(e, &got, err);
        return -1;
    }

    e->entered = 1;

    return 0;
}


static int
parley_reservation_prepare(parley_reservation_t *e, parley_error_t *err)
{
    parley_str_t         sub;
    parley_quota_t      *quota;
    const parley_msg_t  *m;
    parley_admission_t  *a;

    m = e->who->msg;
    a = &e->admission;

    memset(a, 0, sizeof(parley_admission_t));

    e->known = e->call != NULL || parley_window_knows(m);
    e->closing = 0;
    e->entered = 0;
    e->taken = 0;
    e->settled = 0;
    e->wait = 0;

    a->account = e->account;
    a->ttl = e->ttl;
    a->stale = e->stale != NULL;
    a->limits = e->limits;
    a->nlimits = e->nlimits;
    a->shared = e->shared;
    a->counts = e->counts;
    a->suspends = !e->free && parley_who_proven(e->who).len > 0;

    if (e->call != NULL) {
        memcpy(e->id, e->call, PARLEY_KEY_LEN);
        memset(e->print, 0, PARLEY_PRINT_LEN);

    } else if (e->known) {
        parley_window_key(e->ask->state, e->who, e->place, e->id);

        if (parley_window_print(e->ask->state, m, e->content, e->print) != 0) {
            return parley_error_memory(err);
        }
    }

    if (e->known) {
        a->id = e->id;
        a->print = e->print;
    }

    if (e->correlation->final) {
        /*
         * a copy, as the correlation may be looked up again before the
         * settlement
         */

        memcpy(e->slot, e->correlation->slot, PARLEY_KEY_LEN);
        a->slot = e->slot;

        e->slot_until = e->correlation->slot_until;

        e->closes = e->correlation->id;
        e->closing = !e->correlation->question->head.several;
    }

    if (e->quota != NULL && e->quota->interval_us != 0) {
        quota = &a->quotas[a->nquotas++];

        quota->rate = *e->quota;
        sub = parley_who_proven(e->who);

        parley_account_rate_key(e->ask->state, sub.len > 0
                                          ? PARLEY_COUNTED_PRINCIPAL
                                          : PARLEY_COUNTED_ADDRESS,
                                sub.len > 0 ? sub : e->address,
                                parley_priority_name(e->priority), e->quota,
                                quota->key);
    }

    return 0;
}


static void
parley_reservation_refused(parley_reservation_t *e,
    const parley_admitted_t *got, parley_error_t *err)
{
    parley_str_t         priority;
    const parley_msg_t  *m;

    m = e->who->msg;

    switch (got->verdict) {

    case PARLEY_ADMIT_SUSPENDED:
        (void) parley_error_set(err, PARLEY_E_AGENT_SUSPENDED, NULL,
                                "the sender is suspended until its parent "
                                "resumes it: only escalations and "
                                "acknowledgments pass");
        break;

    case PARLEY_ADMIT_DUPLICATE:
        (void) parley_error_set(err, PARLEY_E_MESSAGE_DUPLICATE, NULL,
                                "a message with this id was taken already");
        break;

    case PARLEY_ADMIT_OTHER:
        (void) parley_error_set(err, PARLEY_E_MESSAGE_DUPLICATE,
                                parley_at(m, PARLEY_MSG_ID).pointer,
                                "another message with this id was taken "
                                "already");
        break;

    case PARLEY_ADMIT_IN_FLIGHT:
        (void) parley_error_set(err, PARLEY_E_MESSAGE_IN_FLIGHT, NULL,
                                "a message with this id is in flight");
        break;

    case PARLEY_ADMIT_STALE:
        *err = *e->stale;
        break;

    case PARLEY_ADMIT_ANSWERED:
        (void) parley_msg_misrefers(m, PARLEY_E_REPLY_UNMATCHED,
                                    "the question is answered already", err);
        break;

    case PARLEY_ADMIT_ANSWERING:
        (void) parley_msg_misrefers(m, PARLEY_E_MESSAGE_IN_FLIGHT,
                                    "another answer to the question is in"
                                    " flight", err);
        break;

    case PARLEY_ADMIT_LIMITED:

        if (got->quota >= e->admission.nquotas) {
            (void) parley_error_set(err, PARLEY_E_RATE_LIMITED, NULL,
                                    "too many messages");
            break;
        }

        priority = parley_priority_name(e->priority);
        (void) parley_error_set(err, PARLEY_E_RATE_LIMITED, NULL,
                                "too many messages of priority %.*s",
                                (int) priority.len, priority.data);
        break;

    case PARLEY_ADMIT_SHARE:
        (void) parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "this sender uses its whole share of the zone");
        break;

    case PARLEY_ADMIT_AWAY:
        (void) parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "the store of the gateways is away");
        break;

    default:
        (void) parley_error_set(err, PARLEY_E_CAPACITY, NULL,
                                "the zone is full");
    }
}


/*
 * The reservation is settled once, also if other messages come during a call of
 * the state.
 */

int
parley_reservation_is_open(const parley_reservation_t *e)
{
    return e->entered && (e->settled == 0 || e->settled == e->ask->step);
}


void
parley_reservation_append(parley_reservation_t *e, parley_append_t *append)
{
    if (!parley_reservation_is_open(e)
        || (e->admission.id == NULL && e->admission.slot == NULL))
    {
        return;
    }

    parley_reservation_taking(e, NULL, &e->how);
    parley_reservation_lasts(e);

    e->how.stamp = e->stamp;

    append->takes = &e->admission;
    append->how = &e->how;
}


void
parley_reservation_appended(parley_reservation_t *e,
    const parley_append_t *append)
{
    if (append->takes != NULL) {
        e->taken = 1;
        e->settled = e->ask->step;
    }
}


int
parley_reservation_take(parley_reservation_t *e, const parley_asked_t *closed)
{
    parley_settlement_t  how;

    parley_reservation_taking(e, closed, &how);

    return parley_reservation_settle(e, &how);
}


static void
parley_reservation_taking(const parley_reservation_t *e,
    const parley_asked_t *closed, parley_settlement_t *ret)
{
    size_t  n;

    memset(ret, 0, sizeof(parley_settlement_t));

    ret->taken = 1;
    ret->lifts = e->lifts;
    ret->nlifts = e->nlifts;
    n = 0;

    if (e->closing) {
        ret->closes[n++] = &e->closes;
    }

    if (closed != NULL && closed->kept) {
        ret->closes[n] = &closed->question;
    }
}


int
parley_reservation_release(parley_reservation_t *e,
    const parley_asked_t *const *asked, size_t n,
    const parley_record_id_t *retained)
{
    size_t               i, m;
    parley_settlement_t  how;

    _Static_assert(PARLEY_DROPS_MAX == 2 * 3 + 1,
                   "three for each message, and one retained message");

    memset(&how, 0, sizeof(parley_settlement_t));

    m = 0;

    for (i = 0; i < n && i < 2; i++) {

        if (asked[i]->kept) {
            how.drops[m++] = &asked[i]->question;
        }

        if (asked[i]->call_kept) {
            how.drops[m++] = &asked[i]->call;
        }

        if (asked[i]->own_kept) {
            how.drops[m++] = &asked[i]->own;
        }
    }

    how.drops[m] = retained;

    return parley_reservation_settle(e, &how);
}


static int
parley_reservation_settle(parley_reservation_t *e,
    const parley_settlement_t *how)
{
    int                  rc, kept;
    parley_settlement_t  h;

    if (e->taken || !parley_reservation_is_open(e)) {
        return 0;
    }

    e->settled = e->ask->step;

    h = *how;
    h.stamp = e->stamp;

    parley_reservation_lasts(e);

    rc = parley_ask_settle(e->ask, &e->admission, &h, &kept);

    return rc == 0 ? kept : rc;
}


/* Keeps the slot as long as the question that it belongs to. */

static void
parley_reservation_lasts(parley_reservation_t *e)
{
    if (e->admission.slot != NULL) {
        e->admission.slot_ttl = e->slot_until - e->ask->now;
    }
}
