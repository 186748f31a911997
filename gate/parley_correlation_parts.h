/* Private to gate/parley_correlation*.c */

#ifndef PARLEY_CORRELATION_PARTS_H
#define PARLEY_CORRELATION_PARTS_H

#include "parley_correlation.h"


/*
 * Whether r->msg, a reply, may answer q.  own: it was found by another name
 * than q was sent under; by_corr: by what its conversation is called.
 */
int parley_correlation_is_between(const parley_correlation_t *r,
    const parley_question_t *q, int own, int by_corr);

/* Whether q escalates, and who replies is above its sender. */
int parley_correlation_is_above(const parley_correlation_t *r,
    const parley_question_t *q);


#endif /* PARLEY_CORRELATION_PARTS_H */
