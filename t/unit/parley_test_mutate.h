/*
 * Changes a message at random: its values, or its octets.  The result may
 * still be a valid message.
 */

#ifndef PARLEY_TEST_MUTATE_H
#define PARLEY_TEST_MUTATE_H

#include "t/unit/parley_test_value.h"


/*
 * Changes one or two values: drops, repeats, renames or adds a member, changes
 * its type or length, or swaps two.  other is a second message: it is inserted
 * as a whole, and is a source of values.
 */
void parley_test_mutate(parley_test_source_t *s, parley_test_tree_t *tree,
    parley_test_tree_t *other);

/* Returns the text with octets flipped, cut out or inserted, or cut short. */
parley_str_t parley_test_mutate_octets(parley_test_source_t *s,
    parley_str_t text);


#endif /* PARLEY_TEST_MUTATE_H */
