/*
 * Random texts that match a regular expression, made from the expression
 * itself: literals, classes, groups, alternatives, quantifiers, anchors.
 * Lookaheads ((?=...), (?!...)) are ignored, so a caller that needs a match
 * must check the text.  Any other syntax ends the process, so new syntax in a
 * schema is noticed.
 */

#ifndef PARLEY_TEST_PATTERN_H
#define PARLEY_TEST_PATTERN_H

#include "core/parley_buf.h"
#include "core/parley_str.h"
#include "t/unit/parley_test_random.h"


/*
 * Appends such a text, in UTF-8, with random text at an end without an anchor.
 */
void parley_test_pattern_put(parley_buf_t *b, parley_test_random_t *random,
    parley_str_t pattern);


#endif /* PARLEY_TEST_PATTERN_H */
