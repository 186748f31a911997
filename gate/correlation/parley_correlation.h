/*
 * Correlation: finds the remembered message (parley_question.h) that a message
 * answers, reports on or takes back (SEC-08).
 */

#ifndef PARLEY_CORRELATION_H
#define PARLEY_CORRELATION_H

#include "state/parley_ask.h"
#include "translate/parley_codec_types.h"
#include "gate/correlation/parley_question.h"


struct parley_intents_s;        /* parley_intents.h */


typedef struct {
    /* set by the caller */
    parley_arena_t          *arena;
    parley_ask_t            *ask;
    parley_msg_t            *msg;
    parley_who_t            *who;
    parley_proto_t           speak;         /* protocol of the recipient */
    unsigned                 addressed:1;   /* only a header or the query names
                                               the recipient */
    unsigned                 published:1;   /* goes to subscribers, each in its
                                               own protocol */

    /* result */
    parley_question_t       *question;      /* question that was found; NULL:
                                               none */
    parley_record_id_t       id;            /* record of the question */
    int64_t                  age;           /* age of the question in ms */
    parley_str_t             corr;          /* correlation of the question, as
                                               the message names it */
    parley_str_t             asker_name;    /* name of the asker, as the message
                                               names it; empty: unknown */
    parley_who_asker_t      *asker;         /* asker of the question, if
                                               answering is set */
    parley_msg_t            *answering;     /* question as a message; NULL:
                                               none, or the message takes it
                                               back */
    unsigned                 own:1;         /* the message names the question by
                                               the asker's id */
    unsigned                 above:1;       /* the question escalates, and the
                                               message comes from a principal
                                               above the asker */
    unsigned                 recalled:1;    /* the message takes the question
                                               back */
    unsigned                 final:1;       /* the message is a final answer and
                                               takes the slot */
    unsigned                 declines:1;    /* the message refuses to
                                               acknowledge an escalation, and
                                               takes no slot */
    uint8_t                  slot[PARLEY_KEY_LEN];
    int64_t                  slot_until;
} parley_correlation_t;


/*
 * Finds the question, and changes the message accordingly.  Does not take the
 * slot: another answer may still come first.  Returns 0; PARLEY_WAIT; or -1:
 * reply-unmatched, policy-refused (C2A-13), field-invalid (VCP-25), capacity
 * (no memory).
 */
int parley_correlation_find(parley_correlation_t *r, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Changes the message again after it was read again, with the known
   question. */
void parley_correlation_again(const parley_correlation_t *r);

/*
 * Checks an answer by the schema of its question's intent (AEE-33).  sent is
 * the encoded answer.  Returns 0, or -1 with the error of the schema, or
 * capacity.
 */
int parley_correlation_check(const parley_correlation_t *r,
    const parley_engine_t *engine, const struct parley_intents_s *intents,
    const parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns the scope that the question names for its answers (ACH-31); empty:
   the answer goes to its recipient. */
parley_str_t parley_correlation_scope(const parley_correlation_t *r);

/* Returns the recipient of the message, or the asker if the message names no
   recipient. */
parley_str_t parley_correlation_to(const parley_correlation_t *r);

#endif /* PARLEY_CORRELATION_H */
