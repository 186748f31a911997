/*
 * Spoils a message: its values, or its octets.  What comes of it may still be
 * a message.
 */

#ifndef PARLEY_TEST_MUTATE_H
#define PARLEY_TEST_MUTATE_H

#include "t/unit/parley_test_value.h"


/*
 * Changes a value or two: drops, repeats, renames, adds a member, gives it
 * another type or length, swaps two.  other, a message too, is what gets put
 * into it whole, and lends values.
 */
void parley_test_mutate(parley_test_source_t *s, parley_test_tree_t *tree,
    parley_test_tree_t *other);

/* The text with octets flipped, cut out or put in, or cut short. */
parley_str_t parley_test_mutate_octets(parley_test_source_t *s,
    parley_str_t text);


#endif /* PARLEY_TEST_MUTATE_H */
