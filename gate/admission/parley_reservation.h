/*
 * A message enters: its id, the question that it answers and its quotas are
 * asked of the state in one step, all of it or nothing; and what becomes of
 * them once it is known what became of the message (AEE-16, GW-12, GW-18,
 * SEC-08).
 */

#ifndef PARLEY_RESERVATION_H
#define PARLEY_RESERVATION_H

#include "core/parley_error.h"
#include "gate/correlation/parley_correlation.h"
#include "gate/admission/parley_window.h"


typedef struct {

    /* what the caller sets; all of it outlives the entrance */
    parley_ask_t               *ask;
    const parley_who_t         *who;        /* who->msg is the message */
    const parley_correlation_t *correlation;    /* what it answers */
    const parley_arrival_t     *place;      /* see parley_window_key() */
    const uint8_t              *account;
    parley_str_t                address;    /* it came from */
    const parley_limit_rate_t  *quota;      /* of its priority; NULL: none */
    parley_priority_t           priority;
    const parley_error_t       *stale;      /* why it is too old, or NULL */
    int64_t                     ttl;        /* of its id */
    unsigned                    free:1;     /* a suspension does not keep it
                                               back (VCP-26) */
    const parley_lift_t        *lifts;      /* that it ends, once it is taken */
    size_t                      nlifts;
    parley_json_ref_t           said;       /* what another try says again, if
                                               not the message; or node NONE */

    /* made */
    uint8_t                     id[PARLEY_KEY_LEN];
    uint8_t                     print[PARLEY_PRINT_LEN];
    uint8_t                     slot[PARLEY_KEY_LEN];
    int64_t                     slot_until; /* see correlation */
    parley_record_id_t          closes;     /* what it answers for good */
    parley_admission_t          admission;
    parley_settlement_t         how;        /* settlement of an append that
                                               takes the admission */
    parley_admit_t              verdict;
    uint64_t                    stamp;
    int64_t                     wait;       /* ms until it may come again */
    unsigned                    known:1;    /* by its id, which is made */
    unsigned                    closing:1;  /* closes is there */
    unsigned                    entered:1;
    unsigned                    taken:1;    /* with its append */
    uint32_t                    settled;    /* in which step, see parley_ask_t;
                                               0: not yet */
} parley_reservation_t;


/*
 * Returns 0: it has entered, and is to be settled; PARLEY_WAIT; or -1 and *err,
 * e->verdict is why.  What is a DUPLICATE is looked for in parley_replay.h.
 */
int parley_reservation_ask(parley_reservation_t *e, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Whether it has entered, and was not settled in an earlier step. */
int parley_reservation_is_open(const parley_reservation_t *e);

/*
 * Makes the append settle the entrance as taken, in one step (HUB-10).  The
 * append refers to *e.  A message without an id and without a slot has nothing
 * to settle: its append is left as it is.
 */
void parley_reservation_append(parley_reservation_t *e,
    parley_append_t *append);

/* Notes that such an append was made: the entrance is settled with it. */
void parley_reservation_appended(parley_reservation_t *e,
    const parley_append_t *append);

/*
 * Settle it, once: what comes later changes nothing.  Return 0; PARLEY_WAIT;
 * PARLEY_SETTLED_LATE; or -1 where the id of what was taken could not be kept.
 *
 * take: it was taken, and with it what it answers.  closed: what it asked,
 * where that has its answer; else NULL.  Late: what it answers, or what it
 * asked, had its answer before.
 */
int parley_reservation_take(parley_reservation_t *e,
    const parley_asked_t *closed)
    __attribute__((warn_unused_result));

/*
 * It may come again, and the n messages that it became, two at most, ask
 * nothing any more, nor is it retained (NULL: it was not): in one step, so that
 * no later try of it loses what that asks.
 */
int parley_reservation_release(parley_reservation_t *e,
    const parley_asked_t *const *asked, size_t n,
    const parley_record_id_t *retained)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVATION_H */
