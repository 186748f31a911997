/*
 * The reservation of a message: in one step, the state admits its id, the slot
 * of the question that it answers, and its quotas, or nothing.  A settlement
 * keeps or frees them when the outcome of the message is known (AEE-16, GW-12,
 * GW-18, SEC-08).
 */

#ifndef PARLEY_RESERVATION_H
#define PARLEY_RESERVATION_H

#include "core/parley_error.h"
#include "gate/correlation/parley_correlation.h"
#include "gate/admission/parley_window.h"


struct parley_append_s;         /* parley_log.h */


typedef struct {

    /* set by the user; must outlive the reservation */
    parley_ask_t               *ask;
    const parley_who_t         *who;        /* its msg is the message */
    const parley_correlation_t *correlation;    /* question that the message
                                                   answers */
    const parley_arrival_t     *place;      /* see parley_window_key() */
    const uint8_t              *account;
    parley_str_t                address;    /* address of the client */
    const parley_limit_rate_t  *quota;      /* quota of its priority; NULL:
                                               none */
    const parley_quota_t       *limits;     /* see parley_admission_t */
    size_t                      nlimits;
    parley_rate_shared_t        shared;     /* of quota */
    parley_priority_t           priority;
    const parley_error_t       *stale;      /* error if the message is too old,
                                               or NULL */
    int64_t                     ttl;        /* milliseconds that the id is
                                               kept */
    unsigned                    free:1;     /* passes during a suspension of the
                                               sender (VCP-26) */
    unsigned                    counts:1;   /* see parley_admission_t */
    const parley_lift_t        *lifts;      /* suspensions that end when the
                                               message is taken */
    size_t                      nlifts;
    parley_json_ref_t           content;    /* content that a retry repeats, if
                                               it is not the message; or node
                                               NONE */
    const uint8_t              *call;       /* key of the call that became the
                                               message, which a retry repeats;
                                               NULL: the message has its own */

    /* results */
    uint8_t                     id[PARLEY_KEY_LEN];
    uint8_t                     print[PARLEY_PRINT_LEN];
    uint8_t                     slot[PARLEY_KEY_LEN];
    int64_t                     slot_until; /* see parley_correlation_t */
    parley_record_id_t          closes;     /* question that the message
                                               closes */
    parley_admission_t          admission;
    parley_settlement_t         how;        /* settlement of an append that
                                               takes the admission */
    parley_admit_t              verdict;
    uint64_t                    stamp;
    int64_t                     wait;       /* ms after which a retry can
                                               succeed */
    unsigned                    known:1;    /* the window knows the message by
                                               id */
    unsigned                    closing:1;  /* closes is set */
    unsigned                    asked:1;    /* the state has the limits */
    unsigned                    entered:1;
    unsigned                    taken:1;    /* settled by its append */
    uint32_t                    settled;    /* number of the step that settled
                                               it, see parley_ask_t; 0: not
                                               settled */
} parley_reservation_t;


/*
 * Reserves.  The caller clears e->asked.  Returns 0: the message is admitted
 * and must be settled; PARLEY_WAIT; or -1 and *err, with the reason in
 * e->verdict.  parley_replay.h finds the answer for a DUPLICATE.
 */
int parley_reservation_ask(parley_reservation_t *e, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether the message is admitted and no earlier step has settled it.
 */
int parley_reservation_is_open(const parley_reservation_t *e);

/*
 * Makes the append settle the reservation as taken, in one step (HUB-10).  The
 * append refers to *e.  A message without an id and without a slot has nothing
 * to settle: its append is unchanged.
 */
void parley_reservation_append(parley_reservation_t *e,
    struct parley_append_s *append);

/* Notes that the append was made, and with it the settlement. */
void parley_reservation_appended(parley_reservation_t *e,
    const struct parley_append_s *append);

/*
 * Settles the message as taken, with the slot of the question that it answers.
 * closed is the message's own question if it has been answered, else NULL.
 *
 * A reservation is settled once; later settlements change nothing.  Returns 0;
 * PARLEY_WAIT; PARLEY_SETTLED_LATE if another answer closed one of the two
 * questions before; or -1 if the id could not be kept.
 */
int parley_reservation_take(parley_reservation_t *e,
    const parley_asked_t *closed)
    __attribute__((warn_unused_result));

/*
 * Settles the message as not taken, so that a retry is admitted.  In the same
 * step it drops the questions of the n messages that the message became, at
 * most 2, and the retained message (NULL: none).  Therefore a retry cannot lose
 * its own question.  Returns as parley_reservation_take().
 */
int parley_reservation_release(parley_reservation_t *e,
    const parley_asked_t *const *asked, size_t n,
    const parley_record_id_t *retained)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVATION_H */
