/*
 * Shrinks a message that fails: drops members and elements, empties values,
 * shortens texts and numbers, as long as the message still fails.
 */

#ifndef PARLEY_TEST_SHRINK_H
#define PARLEY_TEST_SHRINK_H

#include "t/unit/parley_test_tree.h"


/* Returns whether a message still fails in the same way. */
typedef int (*parley_test_fails_pt)(void *ctx,
    const parley_test_tree_t *tree);


/*
 * Returns the smallest failing message that was found, or tree itself.  Calls
 * fails at most tries times.
 */
parley_test_tree_t *parley_test_shrink(parley_arena_t *arena,
    const parley_test_tree_t *tree, parley_test_fails_pt fails, void *ctx,
    unsigned tries);


#endif /* PARLEY_TEST_SHRINK_H */
