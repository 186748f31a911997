/*
 * Makes a message that fails small: members and elements are dropped, values
 * emptied, texts and numbers shortened, as long as it still fails.
 */

#ifndef PARLEY_TEST_SHRINK_H
#define PARLEY_TEST_SHRINK_H

#include "t/unit/parley_test_tree.h"


/* Whether a message still fails, and as before. */
typedef int (*parley_test_fails_pt)(void *ctx,
    const parley_test_tree_t *tree);


/*
 * The smallest message that was found; tree itself, which fails, where there
 * is none.  fails is asked tries times at most.
 */
parley_test_tree_t *parley_test_shrink(parley_arena_t *arena,
    const parley_test_tree_t *tree, parley_test_fails_pt fails, void *ctx,
    unsigned tries);


#endif /* PARLEY_TEST_SHRINK_H */
