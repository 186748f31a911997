/*
 * Checks for messages that may be invalid: a refusal names the reason and the
 * place, and the canonical form of a message has the same meaning.
 */

#ifndef PARLEY_TEST_TWIN_H
#define PARLEY_TEST_TWIN_H

#include "t/unit/parley_test_pair.h"


/* Returns the text as a tree, or NULL if it is not JSON. */
parley_test_tree_t *parley_test_twin_tree(parley_arena_t *arena,
    parley_str_t text);

/* Returns whether this error is from a rule that no schema has. */
int parley_test_twin_is_more(const parley_error_t *err);

/* Checks a refusal: code, text and member.  Returns 0 or -1. */
int parley_test_twin_refusal(parley_test_pair_t *pair);

/*
 * Translates the RFC 8785 form of the message too: it must have the same
 * result.  Returns result, or FAILED.
 */
parley_test_pair_result_t parley_test_twin(parley_test_pair_t *pair,
    parley_test_pair_result_t result);


#endif /* PARLEY_TEST_TWIN_H */
