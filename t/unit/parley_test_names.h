/*
 * The members that are names in the messages of each protocol: names have no
 * control characters (SEC-01).  A second checker, by pointers.
 */

#ifndef PARLEY_TEST_NAMES_H
#define PARLEY_TEST_NAMES_H

#include "translate/parley_msg.h"
#include "t/unit/parley_test_tree.h"


/* Returns whether no name of a message has a control character. */
int parley_test_names_hold(parley_proto_t proto,
    const parley_test_tree_t *tree);

/* Replaces control characters in the names of a message by "x". */
void parley_test_names_clean(parley_arena_t *arena, parley_proto_t proto,
    parley_test_tree_t *tree);


#endif /* PARLEY_TEST_NAMES_H */
