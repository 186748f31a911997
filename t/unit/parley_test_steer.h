/*
 * Words for members whose random values would rarely be valid or useful
 * (parley_test_form.h).
 */

#ifndef PARLEY_TEST_STEER_H
#define PARLEY_TEST_STEER_H

#include "translate/parley_msg.h"


/* member, probability, and values to choose from; "@x": a new value */
typedef struct {
    const char  *pointer;
    unsigned     percent;
    const char  *words[12];
} parley_test_steer_t;


/* table of each protocol; a row without a pointer ends it */
extern const parley_test_steer_t *const
    parley_test_steers[PARLEY_PROTO_COUNT];


#endif /* PARLEY_TEST_STEER_H */
