/* Private to gate/correlation/parley_question*.c. */

#ifndef PARLEY_QUESTION_PARTS_H
#define PARLEY_QUESTION_PARTS_H

#include "gate/correlation/parley_question.h"


/* octets of a question before its texts: format, form, time, key of the first
   answer, 12 members of one octet, and two members for each text */
#define PARLEY_QUESTION_HEAD  (2 + 8 + PARLEY_KEY_LEN + 12                    \
                               + 3 * PARLEY_QUESTION_TEXTS)

/* octets of an alias before its texts: format, form, key, tag, flags, length of
   the correlation */
#define PARLEY_QUESTION_LEAD  (2 + PARLEY_KEY_LEN + 4 + 1 + 2)


/* Fills *q with a message that is about to be sent.  Returns whether it awaits
   an answer. */
int parley_question_fill(const parley_asking_t *a, parley_question_t *q);

/* Writes the record of a question.  Returns 0, or -1: message-too-large,
   capacity. */
int parley_question_write(const parley_asking_t *a, parley_question_t *q,
    parley_str_t *ret, parley_error_t *err);

void parley_question_head_write(uint8_t out[PARLEY_QUESTION_HEAD],
    const parley_question_head_t *h, uint8_t format);

/* Writes an alias without texts. */
parley_str_t parley_question_lead(const parley_state_t *state,
    const parley_record_id_t *to, uint8_t out[PARLEY_QUESTION_LEAD]);

/* Writes an alias.  Returns 0, or -1: no memory, or it is too long. */
int parley_question_alias_write(const parley_asking_t *a,
    const parley_question_alias_t *alias, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Puts a question or an alias that may be evicted if room is needed.  Returns 1
 * if it was put; 0; PARLEY_WAIT.
 */
int parley_question_put_beside(const parley_asking_t *a,
    const parley_record_id_t *id, parley_str_t record,
    const parley_asked_t *asked);

/*
 * parley_question_mute.c: puts the record of an event that must not be answered
 * in words, unless it already has one.  The record has the name that readers of
 * the event use (ret->own).  Puts nothing if no room is left.  Returns 0 or
 * PARLEY_WAIT.
 */
int parley_question_keep_mute(const parley_asking_t *a, parley_asked_t *ret);


#endif /* PARLEY_QUESTION_PARTS_H */
