/*
 * What one message asks the state.  A function that asks returns PARLEY_WAIT
 * where the state answers later, and its callers do, up to who took the step;
 * when the answer is there, q->resume says so, the step is taken again from its
 * beginning, and whatever it asked before is answered as it was.
 *
 * So up to its last answer a step asks the same, in the same order, at the same
 * q->now, and changes nothing that taking it again would be surprised by.  A
 * message has one call under way at most.
 *
 *     parley_ask_begin(q, now);
 *     rc = step(q);              asks as often as it likes
 *     if (rc == PARLEY_WAIT)     again, from parley_ask_begin(), once resumed
 *     parley_ask_end(q);
 *
 * now is milliseconds of a clock of this process, that does not jump.
 *
 * A message waits PARLEY_ASK_PATIENCE for all that it asks on its way in, and
 * so long again for all that is asked about each answer.
 */

#ifndef PARLEY_ASK_H
#define PARLEY_ASK_H

#include "state/parley_log.h"
#include "state/parley_state.h"


/* beside 0 and -1 */
#define PARLEY_WAIT  (-2)

#define PARLEY_ASK_PATIENCE  1000   /* milliseconds */


typedef struct parley_ask_s   parley_ask_t;
typedef struct parley_told_s  parley_told_t;

struct parley_ask_s {

    /* the caller's; all of it outlives what is asked */
    parley_state_t          *state;
    parley_arena_t          *arena;
    void                   (*resume)(parley_ask_t *q);  /* the answer is there;
                                                           may be NULL where
                                                           state is at_once */
    void                    *ctx;

    /* when the step began */
    int64_t                  now;

    /* private */
    parley_call_t            call;
    parley_told_t           *first;     /* what was asked in this step */
    parley_told_t          **next;      /* what is asked next, or end */
    parley_told_t           *pending;   /* what has no answer yet */
    parley_told_t           *fresh;     /* what has one that nobody was told */
    int64_t                  since;     /* it waits, while pending or fresh */
    int64_t                  left;      /* ms that it may still wait */
    uint32_t                 step;      /* its number, from 1 */
    unsigned                 parting:1; /* nobody waits any more */
};


void parley_ask_init(parley_ask_t *q, parley_state_t *state,
    parley_arena_t *arena);

/* The step begins, at now, or is taken again. */
static inline void
parley_ask_begin(parley_ask_t *q, int64_t now)
{
    if (q->first == NULL) {
        q->now = now;
    }

    if (q->pending != NULL || q->fresh != NULL) {
        q->left -= now - q->since;
    }

    q->since = now;
    q->next = &q->first;
}

/* Whether the step waits for the state, and for nothing else. */
int parley_ask_waits(const parley_ask_t *q);

/* The milliseconds that it may go on waiting; then parley_ask_part(). */
int64_t parley_ask_left(const parley_ask_t *q);

/* The step has all its answers: the next one asks afresh. */
static inline void
parley_ask_end(parley_ask_t *q)
{
    q->first = NULL;
    q->next = &q->first;
    q->fresh = NULL;
    q->parting = 0;
    q->step++;
}

/* The same, and the next one begins: at now, where this one was taken too. */
static inline void
parley_ask_next(parley_ask_t *q, int64_t now)
{
    if (q->first == NULL && !q->parting) {
        q->step++;
        return;
    }

    parley_ask_end(q);
    parley_ask_begin(q, now);
}

/* So have all steps: what follows may wait as long as these might have. */
void parley_ask_over(parley_ask_t *q);

/*
 * Nobody waits for what is under way (see cancel in parley_state_ops_t), nor
 * for an answer that has come and that no step was told: what that admitted is
 * given back.  Up to the end of the step what is to be settled, counted,
 * dropped and erased is handed over, and what else is asked has no answer: -1.
 * The same is true of a step from where it finds no memory for an answer, or
 * asks something else than before: taken again it has to ask in the same order.
 */
void parley_ask_part(parley_ask_t *q);

/*
 * The verbs.  They return 0 and *ret; PARLEY_WAIT; or -1: there is no answer.
 */
int parley_ask_admit(parley_ask_t *q, const parley_admission_t *a,
    parley_admitted_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_settle(parley_ask_t *q, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret)
    __attribute__((warn_unused_result));
int parley_ask_rate(parley_ask_t *q, const parley_rating_t *rating,
    parley_rated_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_put(parley_ask_t *q, const parley_put_t *put,
    parley_put_result_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_drop(parley_ask_t *q, const parley_record_id_t *id,
    uint32_t generation)
    __attribute__((warn_unused_result));
int parley_ask_stat(parley_ask_t *q, parley_state_stat_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_append(parley_ask_t *q, const parley_append_t *append,
    parley_appended_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_roster(parley_ask_t *q, const parley_roster_t *roster,
    parley_roster_page_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_read(parley_ask_t *q, const parley_log_read_t *read,
    parley_log_page_t *ret)
    __attribute__((warn_unused_result));

/* A record of a log is emptied, in all logs that it is in. */
int parley_ask_erase(parley_ask_t *q, const parley_erase_t *erase)
    __attribute__((warn_unused_result));

/*
 * The records of a key, see parley_records_t: of whomever; of the owner that
 * id->tag is of; the one of id, 1: it is there.  -1: also where their values
 * found none.
 */
int parley_ask_get(parley_ask_t *q, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], parley_records_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_get_owned(parley_ask_t *q, const parley_record_id_t *id,
    parley_records_t *ret)
    __attribute__((warn_unused_result));
int parley_ask_get_one(parley_ask_t *q, const parley_record_id_t *id,
    parley_record_t *ret)
    __attribute__((warn_unused_result));


/* Records of a kind, those that parley_listed_t has. */
int parley_ask_list(parley_ask_t *q, parley_kind_t kind, size_t at,
    parley_listed_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_ASK_H */
