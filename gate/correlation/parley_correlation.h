/*
 * What a message refers to: an earlier one that it answers, reports on or
 * takes back, as it is remembered (parley_question.h, SEC-08).
 */

#ifndef PARLEY_CORRELATION_H
#define PARLEY_CORRELATION_H

#include "state/parley_ask.h"
#include "translate/parley_engine.h"
#include "translate/parley_intents.h"
#include "gate/correlation/parley_question.h"


typedef struct {
    /* the caller's */
    parley_arena_t          *arena;
    parley_ask_t            *ask;
    parley_msg_t            *msg;
    parley_who_t            *who;
    parley_proto_t           speak;         /* of where it goes */
    unsigned                 addressed:1;   /* whom it is for stands beside the
                                               message alone */
    unsigned                 published:1;   /* it goes to whoever listens, in
                                               the protocol of each */

    /* what was found */
    parley_question_t       *question;      /* NULL: nothing */
    parley_record_id_t       id;            /* of it */
    int64_t                  age;           /* of it, in ms */
    parley_str_t             corr;          /* its correlation there */
    parley_str_t             told;          /* the asker's name there; empty:
                                               unknown */
    parley_who_asker_t      *asker;         /* the asker, where answering is
                                               set */
    parley_msg_t            *answering;     /* it, as a message; NULL: what is
                                               taken back, or nothing */
    unsigned                 own:1;         /* it was found by its sender's
                                               own name of it */
    unsigned                 above:1;       /* it escalates, and who answers is
                                               above its sender */
    unsigned                 recalled:1;    /* the message takes it back */
    unsigned                 final:1;       /* the message answers it for good
                                               and takes its slot */
    unsigned                 declines:1;    /* it refuses to acknowledge what
                                               escalates, and takes no slot */
    uint8_t                  slot[PARLEY_KEY_LEN];
    int64_t                  slot_until;
} parley_correlation_t;


/*
 * Looks for it, and tells the message what that means for it.  Nothing is
 * taken yet: another answer may still come first.  Returns 0; PARLEY_WAIT; or
 * -1: reply-unmatched, policy-refused (C2A-13), field-invalid (VCP-25),
 * capacity (no memory).
 */
int parley_correlate(parley_correlation_t *r, parley_error_t *err)
    __attribute__((warn_unused_result));

/* The message was read again: what it answers or takes back is known still. */
void parley_correlation_again(const parley_correlation_t *r);

/*
 * AEE-33: an answer that comes later is as the schema of its task's intent has
 * it; sent is what it became.  Returns 0, or -1: what the schema says, or
 * capacity.
 */
int parley_correlation_check(const parley_correlation_t *r,
    const parley_engine_t *engine, const parley_intents_t *intents,
    const parley_encoded_t *sent, parley_error_t *err)
    __attribute__((warn_unused_result));

/* The scope that the message goes to because the question that it answers said
   so (ACH-31); empty: its recipient. */
parley_str_t parley_correlation_scope(const parley_correlation_t *r);

/* Whom the message is for, also where only what it answers says it. */
parley_str_t parley_correlation_to(const parley_correlation_t *r);

#endif /* PARLEY_CORRELATION_H */
