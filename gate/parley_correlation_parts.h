/* Private to gate/parley_correlation*.c */

#ifndef PARLEY_CORRELATION_PARTS_H
#define PARLEY_CORRELATION_PARTS_H

#include "parley_correlation.h"


/*
 * Whether r->msg, a reply, is between the parties of q.  own: it was found by
 * another name than q was sent under; corr: the correlation that q has there;
 * above: what parley_correlation_is_above() says.
 */
int parley_correlation_is_between(const parley_correlation_t *r,
    const parley_question_t *q, int own, parley_str_t corr, int above);

/* Whether r->msg has the correlation of q, as far as both say one; own, corr:
   as above. */
int parley_correlation_is_there(const parley_correlation_t *r,
    const parley_question_t *q, int own, parley_str_t corr);

/*
 * Whether q, which is kept under id, escalates, and who replies is above its
 * sender and was asked so far.  Returns 1, 0, PARLEY_WAIT, or -1: there is no
 * answer.
 */
int parley_correlation_is_above(const parley_correlation_t *r,
    const parley_question_t *q, const parley_record_id_t *id);

/* Whether r->msg names as its recipient nobody but the conversation of two,
   corr, that q was published in: so it is for who asked. */
int parley_correlation_is_dm(const parley_correlation_t *r,
    const parley_question_t *q, parley_str_t corr);


#endif /* PARLEY_CORRELATION_PARTS_H */
