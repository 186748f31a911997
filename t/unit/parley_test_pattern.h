/*
 * Texts that a regular expression matches, made at random from the expression
 * itself: literals, classes, groups, alternatives, quantifiers, anchors.
 * What is only looked at ((?=...), (?!...)) is passed over: whoever needs to
 * be sure matches what was made.  An expression with anything else ends the
 * process, so that a schema does not outgrow this unseen.
 */

#ifndef PARLEY_TEST_PATTERN_H
#define PARLEY_TEST_PATTERN_H

#include "core/parley_buf.h"
#include "core/parley_str.h"
#include "t/unit/parley_test_random.h"


/*
 * Appends such a text, in UTF-8, with something random where the expression
 * has no anchor.
 */
void parley_test_pattern_put(parley_buf_t *b, parley_test_random_t *random,
    parley_str_t pattern);


#endif /* PARLEY_TEST_PATTERN_H */
