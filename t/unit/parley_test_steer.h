/*
 * Words for members whose random values would hardly ever be valid, or mean
 * anything (parley_test_form.h).
 */

#ifndef PARLEY_TEST_STEER_H
#define PARLEY_TEST_STEER_H

#include "translate/parley_msg.h"


/* where to steer, how often, and to which of these; "@x": made anew */
typedef struct {
    const char  *pointer;
    unsigned     percent;
    const char  *words[12];
} parley_test_steer_t;


/* of each protocol; a row without a pointer ends a table */
extern const parley_test_steer_t *const
    parley_test_steers[PARLEY_PROTO_COUNT];


#endif /* PARLEY_TEST_STEER_H */
