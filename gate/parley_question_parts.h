/* Private to gate/parley_question*.c */

#ifndef PARLEY_QUESTION_PARTS_H
#define PARLEY_QUESTION_PARTS_H

#include "parley_question.h"


/* the mark of a record that leads to a question: in the place of the time of a
   question, which is never below zero */
#define PARLEY_QUESTION_LEADS  (-1)


/* begins such a record; the correlation and the asker's name follow */
typedef struct {
    int64_t             mark;
    parley_record_id_t  id;
    uint16_t            corr;       /* octets */
    uint8_t             has_corr;
} parley_question_lead_head_t;


/*
 * Keeps what leads to a question, or is it, and gives way where there is no
 * room.  1: it was kept; 0; PARLEY_WAIT.
 */
int parley_question_put_beside(const parley_asking_t *a,
    const parley_record_id_t *id, parley_str_t record,
    const parley_asked_t *asked);


#endif /* PARLEY_QUESTION_PARTS_H */
