/* Private to gate/correlation/parley_question*.c. */

#ifndef PARLEY_QUESTION_PARTS_H
#define PARLEY_QUESTION_PARTS_H

#include "gate/correlation/parley_question.h"


/* mark of an alias, in the place of a question's time, which is never
   negative */
#define PARLEY_QUESTION_LEADS  (-1)


/* head of an alias; the correlation and the asker's name follow */
typedef struct {
    int64_t             mark;
    parley_record_id_t  id;
    uint16_t            corr;       /* octets */
    uint8_t             has_corr;
} parley_question_alias_head_t;


/* Fills *q with a message that is about to be sent.  Returns whether it awaits
   an answer. */
int parley_question_fill(const parley_asking_t *a, parley_question_t *q);

/* Writes the record of a question.  Returns 0, or -1: message-too-large,
   capacity. */
int parley_question_write(parley_arena_t *arena, parley_question_t *q,
    parley_str_t *ret, parley_error_t *err);

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
