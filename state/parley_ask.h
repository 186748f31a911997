/*
 * Calls of the state by one message.  A function that asks returns PARLEY_WAIT
 * if the state answers later, and its callers return it, up to the runner of
 * the step.  When the answer has come, q->resume is called and the step runs
 * again from its beginning; every earlier question gets its earlier answer.
 *
 * So up to its last answer a step must ask the same questions in the same
 * order, at the same q->now, and must be safe to repeat.  A message has at most
 * one call under way.
 *
 *   parley_ask_begin(q, now);
 *   rc = step(q);               asks any number of questions
 *   if (rc == PARLEY_WAIT)      again, from parley_ask_begin(), once resumed
 *   parley_ask_end(q);
 *
 * now is in milliseconds of a clock of this process that does not jump.
 *
 * A message waits at most PARLEY_ASK_PATIENCE in total for the questions before
 * it is forwarded, and again as long for the questions about each answer.
 */

#ifndef PARLEY_ASK_H
#define PARLEY_ASK_H

#include "state/parley_state.h"


struct parley_append_s;         /* parley_log.h */
struct parley_appended_s;
struct parley_erase_s;
struct parley_log_page_s;
struct parley_log_read_s;
struct parley_roster_s;
struct parley_roster_page_s;


/* return value besides 0 and -1 */
#define PARLEY_WAIT  (-2)

#define PARLEY_ASK_PATIENCE  1000   /* milliseconds */


typedef struct parley_ask_s   parley_ask_t;
typedef struct parley_ask_reply_s  parley_ask_reply_t;

struct parley_ask_s {

    /* set by the caller; must outlive the calls */
    parley_state_t          *state;
    parley_arena_t          *arena;
    void                   (*resume)(parley_ask_t *q);  /* called when the
                                                           answer has come; may
                                                           be NULL if state is
                                                           at_once */
    void                    *ctx;

    /* time at which the step began */
    int64_t                  now;

    /* private */
    parley_call_t            call;
    parley_ask_reply_t      *first;     /* questions of this step */
    parley_ask_reply_t     **next;      /* the next question, or the end of the
                                           list */
    parley_ask_reply_t      *pending;   /* question without an answer; or
                                           NULL */
    parley_ask_reply_t      *fresh;     /* question with an answer that the step
                                           has not read; or NULL */
    int64_t                  since;     /* start of the wait, while pending or
                                           fresh */
    int64_t                  left;      /* ms that the message may still wait */
    uint32_t                 step;      /* number of the step, from 1 */
    unsigned                 parting:1; /* the message does not wait: see
                                           parley_ask_part() */
    unsigned                 away:1;    /* see parley_ask_is_away() */
};


void parley_ask_init(parley_ask_t *q, parley_state_t *state,
    parley_arena_t *arena);

/* Begins the step at now, or begins its repetition. */
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

/* Returns whether a get returned -1 because the store of the nodes is away. */
static inline int
parley_ask_is_away(const parley_ask_t *q)
{
    return q->away;
}

/* Returns whether the step waits for the state. */
int parley_ask_waits(const parley_ask_t *q);

/*
 * Returns the milliseconds that the message may still wait; after them the
 * caller calls parley_ask_part().
 */
int64_t parley_ask_left(const parley_ask_t *q);

/* Ends the step after all its answers; the next step asks new questions. */
static inline void
parley_ask_end(parley_ask_t *q)
{
    q->first = NULL;
    q->next = &q->first;
    q->fresh = NULL;
    q->parting = 0;
    q->step++;
}

/*
 * Ends the step and begins the next one, at now unless this step asked nothing.
 */
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

/* Ends all steps: later questions may wait PARLEY_ASK_PATIENCE again. */
void parley_ask_over(parley_ask_t *q);

/*
 * Stops waiting.  Cancels the call under way (see cancel in
 * parley_state_ops_t), and gives back an admission that the step has not read.
 * Up to the end of the step, settle, rate, drop and erase are passed on without
 * an answer, and all other questions return -1.  A step is in this mode too if
 * memory for an answer is exhausted, or if its repetition asks another question
 * than before: the order of the questions must not change.
 */
void parley_ask_part(parley_ask_t *q);

/* The verbs.  They return 0 with *ret, PARLEY_WAIT, or -1 without an answer. */
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
int parley_ask_append(parley_ask_t *q, const struct parley_append_s *append,
    struct parley_appended_s *ret)
    __attribute__((warn_unused_result));
int parley_ask_roster(parley_ask_t *q, const struct parley_roster_s *roster,
    struct parley_roster_page_s *ret)
    __attribute__((warn_unused_result));
int parley_ask_read(parley_ask_t *q, const struct parley_log_read_s *read,
    struct parley_log_page_s *ret)
    __attribute__((warn_unused_result));

/* Empties a record in all logs that contain it. */
int parley_ask_erase(parley_ask_t *q, const struct parley_erase_s *erase)
    __attribute__((warn_unused_result));

/*
 * Get the records of a key, see parley_records_t: _get() of any owner;
 * _get_owned() of the owner in id->tag; _get_one() only the record id, and
 * returns 1 if it exists.  They also return -1 if memory for the values is
 * exhausted.
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


/* Gets a part of the records of a kind, see parley_listed_t. */
int parley_ask_list(parley_ask_t *q, parley_kind_t kind, size_t at,
    parley_listed_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_ASK_H */
