/*
 * What is asked of messages that may be none: that a refusal says what is
 * wrong and where, and that a message means what its canonical form means.
 */

#ifndef PARLEY_TEST_TWIN_H
#define PARLEY_TEST_TWIN_H

#include "t/unit/parley_test_pair.h"


/* The text as a tree; NULL: it is no JSON. */
parley_test_tree_t *parley_test_twin_tree(parley_arena_t *arena,
    parley_str_t text);

/* Whether this is refused by a rule that no schema has. */
int parley_test_twin_is_more(const parley_error_t *err);

/* Of a message that was refused: code, text and member.  0, or -1. */
int parley_test_twin_refusal(parley_test_pair_t *pair);

/*
 * Translates the RFC 8785 form of the message as well: the same must come of
 * it.  Returns result, or FAILED.
 */
parley_test_pair_result_t parley_test_twin(parley_test_pair_t *pair,
    parley_test_pair_result_t result);


#endif /* PARLEY_TEST_TWIN_H */
